/* The definition of a mini-transaction (mtc-appendix.txt; see mtc.h), and messages about histories of other
 * transactions. Only included transactions are tested: reads of aborted ones are ignored, and their writes are offences
 * if they are read. */
#include <stdio.h>

#include "base/option.h"
#include "checkers/mtc/mtc.h"

typedef enum { MINI, MANY_READS, MANY_WRITES, BLIND, RULES } rule;

static const char *const broken[RULES] = {
    [MANY_READS] = "more than two reads",
    [MANY_WRITES] = "more than two writes",
    [BLIND] = "a write of a key that they did not read before",
};

/* Returns the first rule that a transaction breaks; *op: the operation that breaks it. */
static rule broken_rule(const isolab_history *h, uint32_t t, uint32_t *op) {
    uint32_t reads = 0, writes = 0, first = h->txn_op[t];
    for (uint32_t o = first; o < h->txn_op[t + 1]; o++) {
        *op = o;
        if (h->op_kind[o] == ISO_READ) {
            if (++reads > MTC_READS) {
                return MANY_READS;
            }
            continue;
        }
        if (++writes > MTC_WRITES) {
            return MANY_WRITES;
        }
        bool seen = false;
        for (uint32_t r = first; r < o; r++) {
            seen |= h->op_kind[r] == ISO_READ && h->op_key[r] == h->op_key[o];
        }
        if (!seen) {
            return BLIND;
        }
    }
    return MINI;
}

/* The same without the reason. It tests every history, and the processor cannot predict the number and kinds of
 * operations, so there is no branch on them. A missing key has more than 32 bits and never matches. */
static bool is_mini(const isolab_history *h, uint32_t t) {
    uint64_t one = UINT64_MAX, two = UINT64_MAX; /* the last keys that were read */
    uint32_t reads = 0, writes = 0, blind = 0, first = h->txn_op[t], n = h->txn_op[t + 1] - first;
    if (n - 1 >= MTC_READS + MTC_WRITES) {
        return n == 0;
    }
    for (uint32_t i = 0; i < MTC_READS + MTC_WRITES; i++) {
        uint32_t real = i < n, o = first + (real ? i : 0), write = h->op_kind[o] & real, read = real - write;
        uint64_t key = h->op_key[o];
        blind |= write & (key != one) & (key != two);
        two = read ? one : two;
        one = read ? key : one;
        writes += write;
        reads += read;
    }
    return (reads <= MTC_READS) & (writes <= MTC_WRITES) & (blind == 0);
}

/* Without lists, kinds are ISO_READ and ISO_WRITE: 0 and 1. */
_Static_assert(ISO_READ == 0 && ISO_WRITE == 1, "a kind without lists is a bit");

/* Writes `2 of 7 transactions are none: 1 with more than two reads, 1 with ...`. */
static void count(const isolab_history *h, char *buffer, size_t size) {
    uint32_t n[RULES] = {0}, op, all = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED) {
            n[broken_rule(h, t, &op)]++;
            all++;
        }
    }
    size_t used = (size_t)snprintf(buffer, size, "; %u of %u transactions are none", all - n[MINI], all);
    const char *before = ":";
    for (int i = MINI + 1; i < RULES && used < size; i++) {
        if (n[i] > 0) {
            used += (size_t)snprintf(buffer + used, size - used, "%s %u with %s", before, n[i], broken[i]);
            before = ",";
        }
    }
}

static void say(const isolab_history *h, uint32_t t, rule r, uint32_t op, char *buffer, size_t size) {
    char text[256], name[ISO_NAME_SIZE];
    iso_op_text(h, op, text, sizeof text);
    iso_txn_text(h, t, name);
    if (r == BLIND) {
        snprintf(buffer, size,
                 "checker mtc needs mini-transactions, but `%s` of %s writes a key that it did not read before", text,
                 name);
    } else {
        snprintf(buffer, size, "checker mtc needs mini-transactions, but %s has %s: `%s` is the third", name, broken[r],
                 text);
    }
}

const iso_option iso_mtc_options[] = {
    {ISO_FLAG("count", "no", "of a history that is refused: count its transactions that are no mini-transactions"),
     ISO_TO(mtc_options, count)},
    {ISO_FLAG("chains", "yes", "decide lightweight transactions (of one key each) by the chains of their versions"),
     ISO_TO(mtc_options, chains)},
    ISO_END};

static bool wants_count(const char *pairs) {
    iso_pair pair;
    mtc_options v = {false, true};
    while (iso_pair_next(&pairs, &pair)) {
        char text[8], why[128];
        const iso_option *o = iso_option_find(iso_mtc_options, pair.name, pair.name_size);
        if (o != NULL && pair.value_size < sizeof text) {
            snprintf(text, sizeof text, "%.*s", (int)pair.value_size, pair.value);
            iso_option_set(o, text, &v, why, sizeof why); /* it was tested when it was given */
        }
    }
    return v.count;
}

const char *iso_mtc_refuses(const iso_checker *self, const isolab_history *h, const iso_question *question,
                            char *buffer, size_t size) {
    (void)self;
    for (uint32_t t = 0, op = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED && !is_mini(h, t)) {
            rule r = broken_rule(h, t, &op);
            say(h, t, r, op, buffer, size);
            size_t used = strlen(buffer);
            if (wants_count(question->options)) {
                count(h, buffer + used, size - used);
            }
            return buffer;
        }
    }
    return NULL;
}
