/* ra (awdit.txt, algorithm 2), repeatable reads, and ra with one session (theorem 1.6).
 *
 * If t3 reads x from t1, and t2 writes x: t2 is before t1 if t3 reads from t2, or if t2 comes before t3 in its session.
 * Of the session only the last writer of x before t3 matters, since the earlier ones precede it. Reads of one
 * key from two transactions make the level violated without any order. */
#include <string.h>

#include "checkers/awdit/rows.h"

/* Tables by key. */
typedef struct tables {
    uint32_t *last;   /* the key's last writer so far; it is in this session if not below the session's first */
    uint32_t *stamp;  /* for transactions with many reads: 1 + the last reader of the key */
    uint32_t *from;   /* the transaction from which that reader read it */
    uint32_t *keys;   /* the keys that the transaction reads */
    uint32_t *met;    /* by transaction: 1 + the last reader that read from it */
    uint32_t *shared; /* keys that t2 writes and t3 reads, if t2 has a row */
    iso_awdit_reader reader;
} tables;

static void make_tables(iso_awdit_part *p, tables *w) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = a->reads_end[t] - h->txn_op[t];
        longest = n > longest ? n : longest;
    }
    *w = (tables){.last = ISO_NEW_NONE(p->pool, h->n_keys)};
    if (longest > ISO_AWDIT_FEW) {
        w->stamp = ISO_ZNEW(p->pool, uint32_t, h->n_keys);
        w->from = ISO_NEW(p->pool, uint32_t, h->n_keys);
        w->keys = ISO_NEW(p->pool, uint32_t, longest);
        w->met = ISO_ZNEW(p->pool, uint32_t, h->n_txns);
        w->shared = ISO_NEW(p->pool, uint32_t, longest);
        w->reader = iso_awdit_reader_new(p->pool, p->arg);
    }
}

static void free_tables(iso_awdit_part *p, tables *w) {
    iso_free(p->pool, w->last);
    iso_free(p->pool, w->stamp);
    iso_free(p->pool, w->from);
    iso_free(p->pool, w->keys);
    iso_free(p->pool, w->met);
    iso_free(p->pool, w->shared);
    iso_awdit_reader_free(p->pool, &w->reader);
}

/* Lines 12 to 16, for all pairs of n reads. */
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

/* Notes what t3 reads, by key. A key that is read from two transactions is not repeatable. */
static uint32_t note_reads(iso_awdit_part *p, tables *w, uint32_t t3) {
    const iso_awdit *a = p->a;
    uint32_t n_keys = 0;
    iso_awdit_reader_clear(&w->reader);
    for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
        if (w->stamp[a->key[i]] != t3 + 1) {
            w->stamp[a->key[i]] = t3 + 1;
            w->from[a->key[i]] = a->source[i];
            w->keys[n_keys++] = a->key[i];
            iso_awdit_reader_add(&w->reader, a->key[i]);
        } else if (w->from[a->key[i]] != a->source[i]) {
            p->good = false;
        }
    }
    return n_keys;
}

/* Lines 13 to 16 for one t2, from which t3 reads the key `read`: by its row, or else over the smaller of the two
 * sides. */
static void infer_from(iso_awdit_part *p, tables *w, uint32_t t2, uint32_t t3, uint32_t n_keys, uint32_t read) {
    const iso_awdit *a = p->a;
    uint32_t from = a->writes_first[t2], to = a->h->txn_op[t2 + 1];
    if (iso_awdit_has_row(&w->reader, t2)) {
        iso_awdit_reader_flip(&w->reader, read);
        uint32_t n = iso_awdit_intersect_row(&w->reader, t2, w->shared);
        iso_awdit_reader_flip(&w->reader, read);
        for (uint32_t k = 0; k < n; k++) {
            if (w->from[w->shared[k]] != t2) {
                iso_awdit_edge(&p->edges, t2, w->from[w->shared[k]]);
            }
        }
    } else if (to - from <= ISO_AWDIT_SEARCH * n_keys) {
        for (uint32_t k = from; k < to; k++) {
            uint32_t x = a->key[k];
            if (w->stamp[x] == t3 + 1 && w->from[x] != t2) {
                iso_awdit_edge(&p->edges, t2, w->from[x]);
            }
        }
    } else {
        for (uint32_t k = 0; k < n_keys; k++) {
            if (w->from[w->keys[k]] != t2 && iso_awdit_writes(a, t2, w->keys[k])) {
                iso_awdit_edge(&p->edges, t2, w->from[w->keys[k]]);
            }
        }
    }
}

static void many(iso_awdit_part *p, tables *w, uint32_t t3) {
    const iso_awdit *a = p->a;
    uint32_t n_keys = note_reads(p, w, t3);
    for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
        uint32_t t2 = a->source[i];
        if (t2 != ISO_INIT && w->met[t2] != t3 + 1) {
            w->met[t2] = t3 + 1;
            infer_from(p, w, t2, t3, n_keys, a->key[i]);
        }
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

/* Notes that t3 has a read that is not repeatable. */
static void note_unrepeatable(iso_awdit *a, uint32_t t3) {
    uint32_t least = __atomic_load_n(&a->unrepeatable_from, __ATOMIC_RELAXED);
    while (t3 < least &&
           !__atomic_compare_exchange_n(&a->unrepeatable_from, &least, t3, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* If one anomaly is enough, it ends at a read that is not repeatable. */
static void infer_part(iso_awdit_part *p) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    tables w;
    make_tables(p, &w);
    for (uint32_t s = p->first; s < p->end; s++) {
        for (uint32_t t3 = h->session_txn[s]; t3 < h->session_txn[s + 1] && (p->good || a->question->all); t3++) {
            iso_tick(p->pool->env);
            uint32_t n = a->reads_end[t3] - h->txn_op[t3];
            if (t3 + 4 < h->session_txn[s + 1]) {
                iso_awdit_expect(a, t3 + 4);
            }
            infer_from_session(p, &w, t3, h->session_txn[s]);
            if (n <= ISO_AWDIT_FEW) {
                few(p, h->txn_op[t3], n);
            } else {
                many(p, &w, t3);
            }
            for (uint32_t k = a->writes_first[t3]; k < h->txn_op[t3 + 1]; k++) { /* lines 17 and 18 */
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
    a->unrepeatable_from = ISO_NONE;
    a->unrepeatable = !iso_awdit_by_session(a, infer_part, iso_awdit_rows_new(a));
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
