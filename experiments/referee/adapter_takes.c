/* Features of a history that a tool does not support: it gets them in another form, or is not asked. See adapters.h. */
#include <stdio.h>
#include <string.h>

#include "experiments/referee/adapters.h"
#include "formats/elle.h"

const char *const iso_trait_word[ISO_TRAITS] = {"initial",   "aborted", "empty-sessions", "times",
                                                "own-reads", "rereads", "thin-air",       "blind-writes",
                                                "untimed",   "mixed",   "several"};
const char *const iso_trait_text[ISO_TRAITS] = {"a read of an initial value",
                                                "an aborted transaction",
                                                "a session without a committed transaction",
                                                "times",
                                                "a read of a key that its transaction wrote before",
                                                "a read of a value that its transaction read before",
                                                "a read of a value that no committed transaction wrote",
                                                "a write of a key that its transaction did not read before",
                                                "a transaction without start or end",
                                                "registers and lists",
                                                "a transaction that is not one call after its session's last"};

/* Returns whether a name is in a list of `name` and `name=word`. Needs no memory. */
static bool has(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; *at != '\0';) {
        size_t n = strcspn(at, " ");
        if (n >= length && memcmp(at, name, length) == 0 && (n == length || at[length] == '=')) {
            return true;
        }
        at += n + (at[n] == ' ');
    }
    return false;
}

/* Returns whether the transaction had a read (write: false) or a write of the key before this operation. */
static bool came_before(const isolab_history *h, uint32_t op, bool write) {
    for (uint32_t o = h->txn_op[h->op_txn[op]]; o < op; o++) {
        if (h->op_key[o] == h->op_key[op] && iso_is_write(h->op_kind[o]) == write) {
            return true;
        }
    }
    return false;
}

/* Returns whether an earlier read of the transaction returned the value of this read, which it did not write. */
static bool is_reread(const isolab_history *h, uint32_t op) {
    uint32_t first = h->txn_op[h->op_txn[op]], o = first;
    while (o < op && !(h->op_kind[o] == ISO_READ && h->op_version[o] == h->op_version[op])) {
        o++;
    }
    return h->op_kind[op] == ISO_READ && o < op && !came_before(h, op, true);
}

static uint32_t traits_of_op(const isolab_history *h, uint32_t o) {
    uint32_t traits = 0, writer = h->op_writer[o];
    bool write = iso_is_write(h->op_kind[o]), committed = h->txn_counts[h->op_txn[o]] == ISO_INCLUDED;
    if (h->op_kind[o] == ISO_READ && iso_version_is_initial(h, h->op_version[o])) {
        traits |= committed ? ISO_TRAIT_BIT(ISO_TRAIT_INITIAL) : 0;
    } else if (h->op_kind[o] == ISO_READ && committed &&
               (writer == ISO_NONE || (writer < h->n_ops && h->txn_counts[h->op_txn[writer]] != ISO_INCLUDED))) {
        traits |= ISO_TRAIT_BIT(ISO_TRAIT_THIN_AIR);
    }
    if (committed && came_before(h, o, !write)) {
        traits |= write ? 0 : ISO_TRAIT_BIT(ISO_TRAIT_OWN_READS);
    } else if (committed && write) {
        traits |= ISO_TRAIT_BIT(ISO_TRAIT_BLIND_WRITES);
    }
    return traits | (committed && is_reread(h, o) ? ISO_TRAIT_BIT(ISO_TRAIT_REREADS) : 0);
}

/* Returns whether each transaction of a history is a call of a register, starts after the previous call of its session
 * ended, and has no end if it is indeterminate. */
static bool are_calls(const isolab_history *h) {
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t last = ISO_NONE;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            bool indeterminate = h->txn_status[t] == ISO_INDETERMINATE;
            if (h->txn_status[t] == ISO_ABORTED || (indeterminate && h->txn_counts[t] == ISO_EXCLUDED)) {
                continue;
            }
            if (!iso_elle_is_call(h, t) || h->txn_start == NULL || h->txn_start[t] == ISO_NO_TIME ||
                (h->txn_end[t] == ISO_NO_TIME) != indeterminate) {
                return false;
            }
            if (last != ISO_NONE && (h->txn_end[last] == ISO_NO_TIME || h->txn_end[last] >= h->txn_start[t])) {
                return false;
            }
            last = t;
        }
    }
    return true;
}

/* Returns all traits of a history. */
static uint32_t all_traits(const isolab_history *h) {
    uint32_t traits = 0;
    bool list = false, other = false;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        bool committed = false, some = false;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            bool empty = h->txn_op[t] == h->txn_op[t + 1], aborted = h->txn_status[t] == ISO_ABORTED;
            some |= !empty;
            committed |= !empty && h->txn_counts[t] == ISO_INCLUDED;
            bool timed = h->txn_start != NULL && h->txn_start[t] != ISO_NO_TIME && h->txn_end[t] != ISO_NO_TIME;
            bool some_time = h->txn_start != NULL && (h->txn_start[t] != ISO_NO_TIME || h->txn_end[t] != ISO_NO_TIME);
            traits |= some_time ? ISO_TRAIT_BIT(ISO_TRAIT_TIMES) : 0;
            bool told = h->txn_counts[t] == ISO_INCLUDED || (aborted && !empty);
            traits |= told && !timed ? ISO_TRAIT_BIT(ISO_TRAIT_UNTIMED) : 0;
            traits |= aborted && !empty ? ISO_TRAIT_BIT(ISO_TRAIT_ABORTED) : 0;
        }
        traits |= some && !committed ? ISO_TRAIT_BIT(ISO_TRAIT_EMPTY_SESSIONS) : 0;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->txn_counts[h->op_txn[o]] == ISO_INCLUDED || h->txn_status[h->op_txn[o]] == ISO_ABORTED) {
            traits |= traits_of_op(h, o);
            *(h->op_kind[o] == ISO_APPEND || h->op_kind[o] == ISO_LIST_READ ? &list : &other) = true;
        }
    }
    traits |= are_calls(h) ? 0 : ISO_TRAIT_BIT(ISO_TRAIT_CALLS);
    return traits | (list && other ? ISO_TRAIT_BIT(ISO_TRAIT_MIXED) : 0);
}

static uint32_t words_of(const iso_adapter *adapter) {
    uint32_t words = 0;
    for (int t = ISO_TRAIT_ABORTED; t < ISO_TRAITS; t++) {
        words |= has(adapter->cannot, iso_trait_word[t]) ? ISO_TRAIT_BIT(t) : 0;
    }
    return words;
}

uint32_t iso_adapter_offers(const iso_adapter *adapter) {
    uint32_t initial = iso_adapter_is(adapter->initial, "own") ? ISO_TRAIT_BIT(ISO_TRAIT_INITIAL) : 0;
    return initial | (words_of(adapter) & ~(ISO_TRAIT_BIT(ISO_TRAIT_MIXED) | ISO_TRAIT_BIT(ISO_TRAIT_UNTIMED) |
                                            ISO_TRAIT_BIT(ISO_TRAIT_CALLS)));
}

uint32_t iso_adapter_traits(const iso_adapter *adapter, const isolab_history *h) {
    uint32_t limits = iso_adapter_is(adapter->initial, "first") ? 0 : ISO_TRAIT_BIT(ISO_TRAIT_INITIAL);
    limits |= words_of(adapter);
    return limits == 0 ? 0 : limits & all_traits(h);
}

static bool has_committed(const isolab_history *h) {
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED && h->txn_op[t] < h->txn_op[t + 1]) {
            return true;
        }
    }
    return false;
}

/* Returns why the tool cannot be asked about the history; NULL: it can. */
static const char *in_its_way(const iso_adapter *adapter, const isolab_history *h, uint32_t plain) {
    if (!h->unique && !iso_adapter_is(adapter->duplicates, "yes")) {
        return "needs unique values";
    }
    if (h->version_not != NULL) { /* no format of a published tool can express them */
        return "does not take reads that tell only what they did not return";
    }
    if (h->has_lists && iso_adapter_is(adapter->lists, "no")) {
        return "does not take lists";
    }
    if (!h->has_lists && iso_adapter_is(adapter->lists, "only")) {
        return "takes lists alone";
    }
    bool open = has(adapter->cannot, iso_trait_word[ISO_TRAIT_CALLS]); /* a call may stay open */
    for (uint32_t t = 0; !h->unique && !open && t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_OPTIONAL) {
            return "cannot be told of transactions that may have happened";
        }
    }
    uint32_t traits = iso_adapter_traits(adapter, h) & ~plain & ~(uint32_t)ISO_TRAITS_TOLD_OTHERWISE;
    for (int t = 0; t < ISO_TRAITS; t++) {
        if (traits & ISO_TRAIT_BIT(t)) {
            return iso_trait_text[t];
        }
    }
    bool alone = (iso_adapter_traits(adapter, h) & ~plain & ISO_TRAIT_BIT(ISO_TRAIT_EMPTY_SESSIONS)) != 0;
    return alone && !has_committed(h) ? "needs a committed transaction" : NULL;
}

const char *iso_adapter_refuses(const iso_adapter *adapter, const isolab_history *h, iso_level level, uint32_t plain,
                                char *buffer, size_t size) {
    if (!has(adapter->levels, iso_level_get(level)->name)) {
        snprintf(buffer, size, "%s does not answer level %s", adapter->name, iso_level_get(level)->name);
        return buffer;
    }
    /* In a log of Jepsen the order of events is real time, so that a missing time would become one that orders. */
    const iso_format *format = iso_adapter_format(adapter);
    bool by_events = format != NULL && strncmp(format->name, "elle", 4) == 0;
    bool calls = has(adapter->cannot, iso_trait_word[ISO_TRAIT_CALLS]); /* which an open one is without an end */
    bool untimed =
        iso_level_is_timed(level) && by_events && !calls && (all_traits(h) & ISO_TRAIT_BIT(ISO_TRAIT_UNTIMED)) != 0;
    const char *why = untimed ? iso_trait_text[ISO_TRAIT_UNTIMED] : in_its_way(adapter, h, plain);
    if (why == NULL) {
        return NULL;
    }
    bool trait = false;
    for (int t = 0; t < ISO_TRAITS; t++) {
        trait |= why == iso_trait_text[t];
    }
    snprintf(buffer, size, "%s %s%s", adapter->name, trait ? "does not take " : "", why);
    return buffer;
}
