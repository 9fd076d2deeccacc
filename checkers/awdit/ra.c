/* ra (awdit.txt, algorithm 2), repeatable reads, and ra with one session (theorem 1.6).
 *
 * If t3 reads x from t1, and t2 writes x: t2 is before t1 if t3 reads from t2, or if t2 comes before t3 in its session.
 * Of the session only the last writer of x before t3 matters, since the earlier ones precede it. Reads of one
 * key from two transactions make the level violated without any order. */
#include <string.h>

#include "checkers/awdit/guess.h"
#include "checkers/awdit/rows.h"

enum { AHEAD = 3 }; /* number of transactions by which rows are prefetched */

/* Tables by key, or, if there are rows, by number of a key (`last`: always by key). */
typedef struct tables {
    uint32_t *last;    /* the last writer of the key so far, which is in this session if it is not below the session's
                        * first transaction; NULL: not needed */
    uint32_t *stamp;   /* for transactions with many reads: 1 + the last reader of the key */
    uint32_t *from;    /* the transaction from which this last reader read the key */
    uint32_t *keys;    /* the n_keys different keys that t3 reads */
    uint32_t *sources; /* the n_sources different transactions from which t3 reads */
    uint32_t *met;     /* by transaction: 1 + the last reader that read from it */
    uint32_t *known;   /* by transaction: a key that this last reader read from it; ISO_NONE: none */
    uint32_t *shared;  /* if there are rows: the keys that t2 writes and t3 reads */
    uint32_t n_keys, n_sources;
    uint32_t few;      /* transactions with at most this many reads need no tables */
    uint32_t *numbers; /* if there are rows: by read of t3, the number of its key; ISO_NONE: the key does not matter */
    iso_awdit_reader reader;
} tables;

static void make_tables(iso_awdit_part *p, tables *w) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    const iso_awdit_seen *seen = p->arg;
    uint32_t longest = 0, n_keys = iso_awdit_table_size(a, seen->rows);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = a->reads_end[t] - h->txn_op[t];
        longest = n > longest ? n : longest;
    }
    *w = (tables){.few = seen->first != NULL ? 0 : iso_awdit_few(a)};
    for (uint32_t s = p->first; s < p->end && seen->first == NULL && w->last == NULL; s++) {
        w->last = h->session_txn[s + 1] - h->session_txn[s] > 1 ? ISO_NEW_NONE(p->pool, h->n_keys) : NULL;
    }
    if (longest > w->few) {
        w->stamp = ISO_ZNEW(p->pool, uint32_t, n_keys);
        w->from = ISO_NEW(p->pool, uint32_t, n_keys);
        w->keys = ISO_NEW(p->pool, uint32_t, longest);
        w->sources = ISO_NEW(p->pool, uint32_t, longest);
        w->met = ISO_ZNEW(p->pool, uint32_t, h->n_txns);
        w->known = ISO_NEW(p->pool, uint32_t, h->n_txns);
        w->shared = ISO_NEW(p->pool, uint32_t, (size_t)longest + 1);
        w->numbers = ISO_NEW(p->pool, uint32_t, seen->rows != NULL ? longest : 0);
        w->reader = iso_awdit_reader_new(p->pool, seen->rows);
    }
}

static void free_tables(iso_awdit_part *p, tables *w) {
    uint32_t *arrays[] = {w->last, w->stamp, w->from, w->keys, w->sources, w->met, w->known, w->shared, w->numbers};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, arrays[i]);
    }
    iso_awdit_reader_free(p->pool, &w->reader);
}

/* Lines 12 to 16, for all pairs of the n reads of a transaction, which begin at operation `first`. */
static void few(iso_awdit_part *p, uint32_t first, uint32_t n) {
    const iso_awdit *a = p->a;
    const uint32_t *key = a->key + first, *source = a->source + first;
    uint64_t bits[ISO_AWDIT_FEW];
    for (uint32_t i = 0; i < n; i++) {
        bits[i] = iso_awdit_bits(key[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t2 = source[i];
        for (uint32_t j = 0; j < n && t2 != ISO_INIT; j++) {
            if (source[j] != t2 && iso_awdit_may_write(a, t2, bits[j]) && iso_awdit_writes(a, t2, key[j])) {
                iso_awdit_edge(&p->edges, t2, source[j]);
                p->good &= key[i] != key[j];
            }
        }
    }
}

/* Records the keys that t3 reads and the transactions from which it reads them. Reads of a key from two transactions
 * are not repeatable. */
static void note_reads(iso_awdit_part *p, tables *w, uint32_t t3) {
    const iso_awdit *a = p->a;
    uint32_t first = a->h->txn_op[t3], n = a->reads_end[t3] - first;
    const uint32_t *key = iso_awdit_keys_read(&w->reader, a->key + first, n, w->numbers);
    w->n_keys = w->n_sources = 0;
    iso_awdit_reader_clear(&w->reader);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = key[i], t1 = a->source[first + i];
        if (t1 != ISO_INIT && w->met[t1] != t3 + 1) {
            w->met[t1] = t3 + 1;
            w->known[t1] = ISO_NONE;
            w->sources[w->n_sources++] = t1;
        }
        if (x == ISO_NONE) {
            continue;
        }
        if (w->stamp[x] != t3 + 1) {
            w->stamp[x] = t3 + 1;
            w->from[x] = t1;
            w->keys[w->n_keys++] = x;
            iso_awdit_reader_add(&w->reader, x);
        }
        p->good &= w->from[x] == t1;
        if (t1 != ISO_INIT) {
            w->known[t1] = w->from[x] == t1 ? x : w->known[t1];
        }
    }
}

/* Infers the edge from t2 to the transaction from which t3 reads x. */
static void infer(iso_awdit_part *p, const tables *w, uint32_t t2, uint32_t x) {
    const iso_awdit_edges *e = &p->edges;
    uint32_t t1 = w->from[x];
    if (t1 != t2 && (e->n == 0 || e->from[e->n - 1] != t2 || e->to[e->n - 1] != t1)) {
        iso_awdit_edge(&p->edges, t2, t1);
    }
}

/* Lines 13 to 16 for one t2: by rows; without rows by a loop over the keys that t2 writes or over the keys that t3
 * reads, whichever is cheaper. */
static void infer_from(iso_awdit_part *p, const tables *w, uint32_t t2, uint32_t t3) {
    const iso_awdit *a = p->a;
    uint32_t from = a->writes_first[t2], to = a->h->txn_op[t2 + 1];
    if (w->reader.rows != NULL) {
        uint32_t known = w->met[t2] == t3 + 1 ? w->known[t2] : ISO_NONE;
        uint32_t n = iso_awdit_intersect(a, &w->reader, t2, known, w->shared);
        for (uint32_t k = 0; k < n; k++) {
            infer(p, w, t2, w->shared[k]);
        }
    } else if (a->unsorted || to - from <= ISO_AWDIT_SEARCH * w->n_keys) {
        for (uint32_t k = from; k < to; k++) {
            if (w->stamp[a->key[k]] == t3 + 1) {
                infer(p, w, t2, a->key[k]);
            }
        }
    } else {
        for (uint32_t k = 0; k < w->n_keys; k++) {
            if (iso_awdit_writes(a, t2, w->keys[k])) {
                infer(p, w, t2, w->keys[k]);
            }
        }
    }
}

/* Lines 12 to 16 for a t3 with many reads, by tables. */
static void many(iso_awdit_part *p, tables *w, uint32_t t3) {
    const iso_awdit *a = p->a;
    const iso_awdit_seen *seen = p->arg;
    note_reads(p, w, t3);
    const uint32_t *before = seen->first != NULL ? seen->txn + seen->first[t3] : w->sources;
    size_t n = seen->first != NULL ? seen->end[t3] - seen->first[t3] : w->n_sources;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n && seen->rows != NULL) {
            iso_awdit_expect_row(a, &w->reader, before[i + AHEAD]);
        }
        infer_from(p, w, before[i], t3);
    }
}

/* Lines 8 to 11. An edge along the session needs no inference. */
static void infer_from_session(iso_awdit_part *p, const tables *w, uint32_t t3, uint32_t session_first) {
    const iso_awdit *a = p->a;
    for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
        uint32_t t1 = a->source[i], t2 = w->last[a->key[i]];
        if (t2 < session_first || t2 == ISO_NONE || t2 == t1) {
            continue;
        }
        if (t1 == ISO_INIT || t1 < t2 || t1 > t3) {
            iso_awdit_edge(&p->edges, t2, t1);
        }
    }
}

/* Lines 12 to 16. */
static inline void infer_reader(iso_awdit_part *p, tables *w, uint32_t t3) {
    uint32_t first = p->a->h->txn_op[t3], n = p->a->reads_end[t3] - first;
    if (n <= w->few) {
        few(p, first, n);
    } else {
        many(p, w, t3);
    }
}

/* Notes that t3 has a read that is not repeatable. */
static void note_unrepeatable(iso_awdit *a, uint32_t t3) {
    uint32_t least = __atomic_load_n(&a->unrepeatable_from, __ATOMIC_RELAXED);
    while (t3 < least &&
           !__atomic_compare_exchange_n(&a->unrepeatable_from, &least, t3, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* Infers the edges of the sessions of a part. If one anomaly is wanted, it ends at a read that is not repeatable. */
static void infer_part(iso_awdit_part *p) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    bool rowless = ((const iso_awdit_seen *)p->arg)->rows == NULL;
    tables w;
    make_tables(p, &w);
    for (uint32_t s = p->first; s < p->end; s++) {
        uint32_t first = h->session_txn[s], end = h->session_txn[s + 1];
        bool alone = w.last == NULL || end - first == 1; /* session order infers nothing */
        for (uint32_t t3 = first; t3 < end && (p->good || a->question->all); t3++) {
            iso_tick(p->pool->env);
            if (t3 + 4 < end && rowless) {
                iso_awdit_expect(a, t3 + 4);
            }
            if (!alone) {
                infer_from_session(p, &w, t3, first);
            }
            infer_reader(p, &w, t3);
            for (uint32_t k = a->writes_first[t3]; k < h->txn_op[t3 + 1] && !alone; k++) { /* lines 17 and 18 */
                w.last[a->key[k]] = t3;
            }
            if (!p->good) {
                note_unrepeatable(p->a, t3);
            }
        }
    }
    free_tables(p, &w);
}

void iso_awdit_ra(iso_awdit *a) {
    iso_awdit_seen seen = {.rows = iso_awdit_rows_new(a)};
    a->unrepeatable_from = ISO_NONE;
    a->unrepeatable = !iso_awdit_infer_by_session(a, infer_part, &seen, seen.rows != NULL);
    iso_awdit_rows_free(a, seen.rows);
}

/* Infers the edges of t3 from earlier transactions of its session, by a walk back through the session. */
static void infer_from_earlier(iso_awdit_part *p, uint32_t t3) {
    const iso_awdit *a = p->a;
    uint32_t *read = ISO_ZNEW(p->pool, uint32_t, a->h->n_keys); /* by key: 1 + the read that looks for a writer */
    for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
        read[a->key[i]] = i + 1;
    }
    for (uint32_t t2 = iso_awdit_previous(a, t3); t2 != ISO_NONE; t2 = iso_awdit_previous(a, t2)) {
        iso_tick(p->pool->env);
        for (uint32_t k = a->writes_first[t2]; k < a->h->txn_op[t2 + 1]; k++) {
            uint32_t i = read[a->key[k]];
            if (i != 0 && a->source[i - 1] != t2) {
                iso_awdit_edge(&p->edges, t2, a->source[i - 1]);
            }
            read[a->key[k]] = 0;
        }
    }
    iso_free(p->pool, read);
}

bool iso_awdit_ra_readers(iso_awdit *a, const iso_awdit_seen *seen, const uint32_t *readers, uint32_t n) {
    iso_awdit_seen rowless = {.rows = NULL};
    if (seen != NULL) {
        rowless = *seen;
    }
    iso_awdit_part p = {.a = a, .pool = a->pool, .edges = a->edges, .good = true, .arg = &rowless};
    tables w;
    make_tables(&p, &w);
    for (uint32_t i = 0; i < n; i++) {
        iso_tick(a->pool->env);
        infer_reader(&p, &w, readers[i]);
        if (a->level == ISO_RA) {
            infer_from_earlier(&p, readers[i]);
        }
    }
    free_tables(&p, &w);
    a->edges = p.edges;
    return p.good;
}

void iso_awdit_cc_by_seen(iso_awdit *a, iso_awdit_seen *seen) {
    seen->rows = iso_awdit_rows_seen(a);
    iso_awdit_infer_by_session(a, infer_part, seen, true);
    iso_awdit_rows_free(a, seen->rows);
    seen->rows = NULL;
}

bool iso_awdit_ra_alone(iso_awdit *a) {
    const isolab_history *h = a->h;
    uint32_t *last = ISO_NEW(a->pool, uint32_t, h->n_keys);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        last[k] = ISO_INIT;
    }
    bool holds = true;
    for (uint32_t t = 0; t < h->n_txns && holds; t++) {
        iso_tick(a->pool->env);
        for (uint32_t i = h->txn_op[t]; i < a->reads_end[t]; i++) {
            holds &= a->source[i] == last[a->key[i]];
        }
        for (uint32_t k = a->writes_first[t]; k < h->txn_op[t + 1]; k++) {
            last[a->key[k]] = t;
        }
    }
    iso_free(a->pool, last);
    return holds;
}
