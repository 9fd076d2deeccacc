/* Finds features of a history that a format cannot hold: helpers for survey() and for lossy writing. */
#ifndef ISOLAB_FORMATS_SURVEY_H
#define ISOLAB_FORMATS_SURVEY_H

#include "formats/format.h"

/* Returns the base of names of unnamed sessions, which are written as their number plus this base: 0, unless a named
 * session has one of these numbers as its name. */
uint64_t iso_session_base(const isolab_history *h);

/* Returns the name of a session as a format without unnamed sessions writes it. */
static inline iso_atom iso_session_label(const isolab_history *h, uint32_t session, uint64_t base) {
    iso_atom name = h->session_name[session];
    return name.kind == ISO_ATOM_NIL ? iso_atom_uint(base + session) : name;
}

static inline bool iso_session_is_empty(const isolab_history *h, uint32_t session) {
    return h->session_txn[session] == h->session_txn[session + 1];
}

static inline bool iso_is_list_op(uint8_t kind) { return kind == ISO_APPEND || kind == ISO_LIST_READ; }

uint64_t iso_count_bad_text(const isolab_history *h); /* number of strings that are not UTF-8 */
uint64_t iso_count_list_ops(const isolab_history *h);
uint64_t iso_count_timed(const isolab_history *h); /* number of transactions with a start or an end */
uint64_t iso_count_named_txns(const isolab_history *h);
uint64_t iso_count_named_sessions(const isolab_history *h); /* except sessions named by their own number */

/* Keys and values as integers, for formats with no other type. An integer in the format's range is unchanged; others
 * get new numbers, so that different values stay different. If the range is used up, all keys (or values) get new
 * numbers. */
typedef struct iso_numbers {
    const isolab_history *h;
    int64_t min;
    uint64_t max;
    iso_atom initial; /* the number that means initial in the format; nil: none does */
    uint64_t key_base, value_base;
    bool new_keys, new_values; /* all keys, or all values, have new numbers */
    iso_losses losses;         /* strings, integers out of range, values that would mean initial */
} iso_numbers;

void iso_numbers_init(iso_numbers *n, const isolab_history *h, int64_t min, uint64_t max, iso_atom initial);
iso_atom iso_number_of_key(const iso_numbers *n, uint32_t key);
iso_atom iso_number_of_version(const iso_numbers *n, uint32_t version); /* nil for nil, if initial is nil */

void iso_losses_add(iso_losses *to, const iso_losses *more);

#endif
