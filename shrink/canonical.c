/* Canonical names. See iso_canonical() in shrink.h.
 *
 * A history is read session by session; keys, values and times are numbered as they occur. If there are few sessions,
 * every order of them is read, and the smallest reading (as a sequence of numbers) is written. So two histories that
 * differ only in names and in the order of sessions become equal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/builder.h"
#include "shrink/shrink.h"

#define SESSIONS 6 /* 720 orders */

typedef struct reading {
    iso_pool *pool;
    const isolab_history *h;
    uint32_t *order;       /* of sessions */
    uint32_t *key, *value; /* by key and by version: its number; 0: not met yet */
    uint32_t keys, values;
    uint32_t *rank; /* by transaction: the ranks of its start and end, from 1; 0: no time */
    uint32_t *word, n, room;
} reading;

static void put(reading *r, uint32_t number) {
    ISO_GROW(r->pool, r->word, r->n, r->room);
    r->word[r->n++] = number;
}

static uint32_t key_of(reading *r, uint32_t k) {
    if (r->key[k] == 0) {
        r->key[k] = ++r->keys;
    }
    return r->key[k];
}

static uint32_t value_of(reading *r, uint32_t v) {
    if (iso_version_is_initial(r->h, v)) {
        return 0;
    }
    if (r->value[v] == 0) {
        r->value[v] = ++r->values;
    }
    return r->value[v];
}

static void read_op(reading *r, uint32_t op) {
    const isolab_history *h = r->h;
    put(r, h->op_kind[op]);
    put(r, key_of(r, h->op_key[op]));
    if (h->op_kind[op] != ISO_LIST_READ) {
        put(r, value_of(r, h->op_version[op]));
        return;
    }
    uint32_t list = h->op_version[op];
    put(r, h->list_first[list + 1] - h->list_first[list]);
    for (uint32_t i = h->list_first[list]; i < h->list_first[list + 1]; i++) {
        put(r, value_of(r, h->list_version[i]));
    }
}

static void read_all(reading *r) {
    const isolab_history *h = r->h;
    memset(r->key, 0, h->n_keys * sizeof *r->key);
    memset(r->value, 0, h->n_versions * sizeof *r->value);
    r->keys = r->values = r->n = 0;
    for (uint32_t i = 0; i < h->n_sessions; i++) {
        uint32_t s = r->order[i];
        put(r, h->session_txn[s + 1] - h->session_txn[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            put(r, h->txn_status[t]);
            put(r, h->txn_op[t + 1] - h->txn_op[t]);
            if (r->rank != NULL) {
                put(r, r->rank[2 * t]);
                put(r, r->rank[2 * t + 1]);
            }
            for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
                read_op(r, op);
            }
        }
    }
}

static int by_instant(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Replaces times by their ranks, since only their order matters. */
static void rank_times(reading *r) {
    const isolab_history *h = r->h;
    if (h->txn_start == NULL) {
        return;
    }
    uint32_t n = 0, distinct = 0;
    int64_t *all = ISO_NEW(r->pool, int64_t, 2 * (size_t)h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        all[n++] = h->txn_start[t];
        all[n++] = h->txn_end[t];
    }
    qsort(all, n, sizeof *all, by_instant);
    for (uint32_t i = 0; i < n; i++) {
        if (all[i] != ISO_NO_TIME && (distinct == 0 || all[i] != all[distinct - 1])) {
            all[distinct++] = all[i];
        }
    }
    r->rank = ISO_ZNEW(r->pool, uint32_t, 2 * (size_t)h->n_txns);
    for (uint32_t i = 0; i < 2 * h->n_txns; i++) {
        int64_t instant = i % 2 == 0 ? h->txn_start[i / 2] : h->txn_end[i / 2];
        if (instant != ISO_NO_TIME) {
            int64_t *at = bsearch(&instant, all, distinct, sizeof *all, by_instant);
            r->rank[i] = (uint32_t)(at - all) + 1;
        }
    }
}

/* Makes the next permutation in lexicographic order. Returns false after the last one. */
static bool next_order(uint32_t *order, uint32_t n) {
    uint32_t i = n, j = n;
    while (i > 1 && order[i - 2] >= order[i - 1]) {
        i--;
    }
    if (i < 2) {
        return false;
    }
    while (order[j - 1] <= order[i - 2]) {
        j--;
    }
    uint32_t swapped = order[j - 1];
    order[j - 1] = order[i - 2];
    order[i - 2] = swapped;
    for (uint32_t a = i - 1, b = n - 1; a < b; a++, b--) {
        swapped = order[a];
        order[a] = order[b];
        order[b] = swapped;
    }
    return true;
}

/* Returns whether reading a is smaller than b. All readings of one history have the same length. */
static bool is_less(const uint32_t *a, const uint32_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i];
        }
    }
    return false;
}

static void choose_order(reading *r) {
    uint32_t n = r->h->n_sessions, least_order[SESSIONS];
    if (n < 2 || n > SESSIONS) {
        return;
    }
    uint32_t *least = NULL;
    do {
        read_all(r);
        if (least == NULL || is_less(r->word, least, r->n)) {
            least = iso_resize(r->pool, least, r->n, sizeof *least);
            memcpy(least, r->word, r->n * sizeof *least);
            memcpy(least_order, r->order, n * sizeof *least_order);
        }
    } while (next_order(r->order, n));
    memcpy(r->order, least_order, n * sizeof *least_order);
}

static iso_atom name(iso_builder *b, const char *format, uint32_t number) {
    char text[24];
    int n = snprintf(text, sizeof text, format, number);
    return iso_builder_string(b, text, (size_t)n);
}

static iso_atom session_name(iso_builder *b, uint32_t i) {
    return i < 26 ? iso_builder_string(b, &"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i], 1) : name(b, "S%u", i + 1);
}

static uint32_t key_named(iso_builder *b, uint32_t number) {
    iso_atom atom = number <= 3 ? iso_builder_string(b, &"xyz"[number - 1], 1) : name(b, "k%u", number);
    return iso_builder_key(b, atom);
}

static iso_atom value_named(uint32_t number) { return number == 0 ? iso_atom_nil() : iso_atom_uint(number); }

static void write_op(reading *r, iso_builder *b, uint32_t txn, uint32_t op) {
    const isolab_history *h = r->h;
    uint32_t key = key_named(b, key_of(r, h->op_key[op])), version = h->op_version[op];
    if (h->op_kind[op] != ISO_LIST_READ) {
        iso_builder_op(b, txn, (iso_op_kind)h->op_kind[op], key, value_named(value_of(r, version)));
        return;
    }
    uint32_t first = h->list_first[version], n = h->list_first[version + 1] - first;
    iso_atom *element = ISO_NEW(r->pool, iso_atom, n);
    for (uint32_t i = 0; i < n; i++) {
        element[i] = value_named(value_of(r, h->list_version[first + i]));
    }
    iso_builder_list_read(b, txn, key, element, n);
}

static isolab_history *write_all(reading *r) {
    const isolab_history *h = r->h;
    iso_builder *b = iso_builder_new(r->pool);
    uint32_t number = 0;
    read_all(r); /* numbers everything in the chosen order */
    for (uint32_t i = 0; i < h->n_sessions; i++) {
        uint32_t s = r->order[i], session = iso_builder_session(b, session_name(b, i));
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t txn = iso_builder_txn(b, session, name(b, "t%u", ++number), (iso_status)h->txn_status[t]);
            if (r->rank != NULL) {
                iso_builder_times(b, txn, r->rank[2 * t] == 0 ? ISO_NO_TIME : (int64_t)r->rank[2 * t],
                                  r->rank[2 * t + 1] == 0 ? ISO_NO_TIME : (int64_t)r->rank[2 * t + 1]);
            }
            for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
                write_op(r, b, txn, op);
            }
        }
    }
    return iso_builder_finish(b);
}

isolab_history *iso_canonical(iso_pool *pool, const isolab_history *h) {
    reading r = {.pool = pool, .h = h};
    r.order = ISO_NEW(pool, uint32_t, h->n_sessions);
    r.key = ISO_NEW(pool, uint32_t, h->n_keys);
    r.value = ISO_NEW(pool, uint32_t, h->n_versions);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        r.order[s] = s;
    }
    rank_times(&r);
    choose_order(&r);
    return write_all(&r);
}
