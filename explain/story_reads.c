/* Reads that offend by themselves, as a person would tell them. See telling.h. */
#include <inttypes.h>

#include "explain/telling.h"
#include "history/read_consistency.h"

static void say_value(iso_story *s, uint32_t read, uint32_t position) {
    char value[ISO_NAME_SIZE];
    uint32_t version = s->h->list_version[s->h->list_first[s->h->op_version[read]] + position];
    iso_tell(s, "%s", iso_atom_text(s->h, iso_version_value(s->h, version), value));
}

static uint32_t length_of(const isolab_history *h, uint32_t read) {
    return h->list_first[h->op_version[read] + 1] - h->list_first[h->op_version[read]];
}

static void say_read_at(iso_story *s, uint32_t read, uint32_t one, uint32_t two) {
    char text[512];
    iso_tell_txn(s, s->h->op_txn[read]);
    iso_tell(s, " %s", iso_word_did(s->h, read, one, two, text, sizeof text));
}

/* Returns the position of the first element, from `from` on, of a version; ISO_NONE: none. */
static uint32_t position_of(const isolab_history *h, uint32_t read, uint32_t version, uint32_t from) {
    for (uint32_t i = from; i < length_of(h, read); i++) {
        if (h->list_version[h->list_first[h->op_version[read]] + i] == version) {
            return i;
        }
    }
    return ISO_NONE;
}

/* Returns the position of the first element that no transaction appended, or that this one did (ISO_NONE: not
 * asked). */
static uint32_t odd_element(const isolab_history *h, uint32_t read, uint32_t txn) {
    if (txn != ISO_NONE) {
        return iso_element_of(h, read, txn, 0);
    }
    for (uint32_t i = 0; i < length_of(h, read); i++) {
        uint32_t n;
        iso_writers(h, h->list_version[h->list_first[h->op_version[read]] + i], &n);
        if (n == 0) {
            return i;
        }
    }
    return ISO_NONE;
}

/* An offending list read: names the element, and its position. Returns false if it is not of this sort. */
static bool tell_list_read(iso_story *s) {
    const isolab_history *h = s->h;
    const iso_chain *a = s->a;
    bool thin = a->offence == ISO_OFFENCE_THIN_AIR;
    if (h->op_kind[a->op] != ISO_LIST_READ || (!thin && a->other_op >= h->n_ops)) {
        return false;
    }
    uint32_t at = odd_element(h, a->op, thin ? ISO_NONE : h->op_txn[a->other_op]), n = length_of(h, a->op);
    if (at == ISO_NONE || (!thin && a->offence != ISO_OFFENCE_ABORTED)) {
        return false;
    }
    say_read_at(s, a->op, at, ISO_NONE);
    iso_tell(s, ", but ");
    if (thin) {
        iso_tell(s, "no transaction appended the ");
    }
    if (!thin) {
        iso_tell(s, "the ");
    }
    say_value(s, a->op, at);
    iso_tell(s, " (element %" PRIu32 " of %" PRIu32 ")", at + 1, n);
    if (!thin) {
        iso_tell(s, " was appended by ");
        iso_tell_txn(s, h->op_txn[a->other_op]);
        iso_tell(s, ", which did not commit");
    }
    iso_tell(s, ".");
    return true;
}

static void tell_duplicate(iso_story *s) {
    const isolab_history *h = s->h;
    uint32_t version = h->op_version[s->a->other_op], read = s->a->op;
    uint32_t one = position_of(h, read, version, 0);
    uint32_t two = one == ISO_NONE ? ISO_NONE : position_of(h, read, version, one + 1);
    say_read_at(s, read, one, two);
    if (two != ISO_NONE) {
        iso_tell(s, ", which shows ");
        say_value(s, read, one);
        iso_tell(s, " twice, as elements %" PRIu32 " and %" PRIu32 " of %" PRIu32, one + 1, two + 1,
                 length_of(h, read));
    }
    iso_tell(s, "; ");
    iso_tell_txn(s, h->op_txn[s->a->other_op]);
    iso_tell(s, " ");
    iso_tell_did(s, s->a->other_op);
    iso_tell(s, " once.");
}

static void tell_disagreement(iso_story *s) {
    const isolab_history *h = s->h;
    uint32_t one = s->a->op, two = s->a->other_op, n = length_of(h, one), m = length_of(h, two), at = 0;
    const uint32_t *a = h->list_version + h->list_first[h->op_version[one]];
    const uint32_t *b = h->list_version + h->list_first[h->op_version[two]];
    while (at < n && at < m && a[at] == b[at]) {
        at++;
    }
    say_read_at(s, one, at, ISO_NONE);
    iso_tell(s, "; ");
    say_read_at(s, two, at, ISO_NONE);
    if (at < n && at < m) {
        iso_tell(s, ". They disagree on element %" PRIu32 ": ", at + 1);
        say_value(s, one, at);
        iso_tell(s, " against ");
        say_value(s, two, at);
    }
    iso_tell(s, ". An append never moves what stands in a list.");
}

static void tell_lost_element(iso_story *s) {
    const isolab_history *h = s->h;
    uint32_t at = iso_element_of(h, s->a->op, h->op_txn[s->a->other_op], 0);
    say_read_at(s, s->a->op, at, ISO_NONE);
    iso_tell(s, ", but ");
    iso_tell_txn(s, h->op_txn[s->a->other_op]);
    iso_tell(s, " also ");
    iso_tell_did(s, s->a->other_op);
    if (at != ISO_NONE) {
        iso_tell(s, ", with the ");
        say_value(s, s->a->op, at);
        iso_tell(s, " that the list shows as element %" PRIu32, at + 1);
    }
    iso_tell(s, ".");
}

static void tell_plain_read(iso_story *s, uint32_t other) {
    const iso_chain *a = s->a;
    uint32_t reader = s->h->op_txn[a->op];
    iso_tell_txn(s, reader);
    iso_tell(s, " ");
    iso_tell_did(s, a->op);
    switch (a->offence) {
    case ISO_OFFENCE_THIN_AIR:
        iso_tell(s, ", but no transaction wrote that value");
        break;
    case ISO_OFFENCE_ABORTED:
        iso_tell(s, ", which ");
        iso_tell_txn(s, other);
        iso_tell(s, " wrote, and ");
        iso_tell_txn(s, other);
        iso_tell(s, " did not commit");
        break;
    case ISO_OFFENCE_FUTURE:
        iso_tell(s, ", and wrote that value itself only later");
        break;
    case ISO_OFFENCE_NOT_OWN:
        iso_tell(s, ", though before that it ");
        iso_tell_did(s, a->other_op);
        iso_tell(s, " itself");
        break;
    case ISO_OFFENCE_NOT_LAST_OWN:
        iso_tell(s, ", an earlier write of its own, although it ");
        iso_tell_did(s, a->other_op);
        iso_tell(s, " in between");
        break;
    case ISO_OFFENCE_NOT_LAST:
        iso_tell(s, ", an intermediate value of ");
        iso_tell_txn(s, other);
        iso_tell(s, ", which later ");
        iso_tell_did(s, a->other_op);
        break;
    default:
        if (a->other_op < s->h->n_ops) {
            iso_tell(s, "; ");
            iso_tell_txn(s, other);
            iso_tell(s, " ");
            iso_tell_did(s, a->other_op);
        }
    }
    uint32_t n;
    iso_writers(s->h, s->h->op_version[a->op], &n);
    bool one = a->offence == ISO_OFFENCE_ABORTED || a->offence == ISO_OFFENCE_FUTURE ||
               a->offence == ISO_OFFENCE_NOT_LAST_OWN || a->offence == ISO_OFFENCE_NOT_LAST;
    if (one && n > 1) { /* each for its own reason */
        iso_tell(s, "; no other write of that value explains the read, either");
    }
    iso_tell(s, ".");
}

/* More transactions updated a value than wrote it, so two of them took it from one write. */
static void tell_updates(iso_story *s) {
    const isolab_history *h = s->h;
    uint32_t version = h->op_version[s->a->op], initial = iso_version_is_initial(h, version), n;
    iso_writers(h, version, &n);
    iso_tell(s, "%u transactions, ", iso_count_updates(h, version));
    iso_tell_txn(s, h->op_txn[s->a->op]);
    iso_tell(s, " among them, each ");
    iso_tell_did(s, s->a->op);
    iso_tell(s,
             " and then wrote that key; but only %u writes%s can have given it this value. So two of them read the "
             "value of one write, and the later one overwrote what the other had written",
             n, initial ? ", and the initial state," : "");
    iso_tell(s, ".");
}

void iso_tell_read(iso_story *s) {
    const isolab_history *h = s->h;
    const iso_chain *a = s->a;
    if (a->offence == ISO_OFFENCE_UPDATES && h->op_kind[a->op] == ISO_READ) {
        tell_updates(s);
        return;
    }
    bool two = a->other_op < h->n_ops;
    bool lists = two && h->op_kind[a->op] == ISO_LIST_READ;
    if (lists && a->offence == ISO_OFFENCE_DUPLICATE && iso_is_write(h->op_kind[a->other_op])) {
        tell_duplicate(s);
    } else if (lists && a->offence == ISO_OFFENCE_INCOMPATIBLE && h->op_kind[a->other_op] == ISO_LIST_READ) {
        tell_disagreement(s);
    } else if (lists && a->offence == ISO_OFFENCE_LOST && iso_is_write(h->op_kind[a->other_op])) {
        tell_lost_element(s);
    } else if (two && a->offence == ISO_OFFENCE_UNREPEATABLE && h->op_txn[a->op] == h->op_txn[a->other_op]) {
        iso_tell_two_reads(s, a->op, a->other_op);
    } else if (!tell_list_read(s)) {
        tell_plain_read(s, two ? h->op_txn[a->other_op] : iso_writer_txn(h, a->op));
    }
}
