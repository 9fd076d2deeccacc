/* The history as awdit reads it: for each transaction its reads from other transactions and the distinct keys that it
 * writes, together in one array, so that all later steps use half of the memory. It tests read consistency (algorithm
 * 4) at almost no extra cost, and for cc whether reads are repeatable, before the costly inference. O(n), two sweeps:
 *
 *   1. in the order of operations: a table by key has the own writes, so reads of own writes are judged here; writes
 *      that no other transaction may read (their own transaction overwrote them) are marked.
 *   2. the reads from other transactions: from the write operation to its transaction, the only random accesses. */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/buckets.h"
#include "checkers/awdit/awdit.h"

/* The sweep of one part. barred is shared: two parts may write the word at their border. */
typedef struct sweep {
    iso_awdit *a;
    uint64_t *barred; /* bit by operation: a write that its own transaction overwrote */
    uint32_t *own;    /* by key: 1 + the latest write of the current transaction; a smaller number is from an earlier
                       * one */
    uint32_t *again;  /* cc, by key: 1 + the latest read of the current transaction from another one; else NULL */
    bool consistent, repeatable;
    bool many; /* some transaction writes more than ISO_AWDIT_FEW keys */
} sweep;

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static bool is_dropped(const iso_awdit *a, uint32_t o) {
    return a->dropped != NULL && (a->dropped[o >> 6] >> (o & 63) & 1);
}

/* Returns whether reads [first, end), which are those of one transaction, return the same version of each key. */
static bool is_repeatable(const sweep *s, uint32_t first, uint32_t end) {
    const uint32_t *key = s->a->key, *writer = s->a->source;
    uint32_t *again = s->again;
    bool repeatable = true;
    for (uint32_t i = first; i < end; i++) {
        uint32_t before = again[key[i]];
        again[key[i]] = i + 1;
        if (before > first) {
            repeatable &= writer[before - 1] == writer[i];
        }
    }
    return repeatable;
}

/* Puts reads at the front of the transaction's range and writes at its end. For now, source is the write operation. */
static void split(sweep *s, uint32_t t) {
    iso_assert(iso_awdit_in(s->a, t));
    iso_awdit *a = s->a;
    const isolab_history *h = a->h;
    uint32_t first = h->txn_op[t], end = h->txn_op[t + 1], reads = first, writes = end;
    uint64_t signature = 0;
    for (uint32_t o = first; o < end; o++) {
        uint32_t key = h->op_key[o], own = s->own[key];
        if (h->op_kind[o] == ISO_WRITE) {
            if (own > first) {
                __atomic_fetch_or(&s->barred[(own - 1) >> 6], (uint64_t)1 << ((own - 1) & 63), __ATOMIC_RELAXED);
            } else {
                signature |= iso_awdit_bits(key);
            }
            s->own[key] = o + 1;
            continue;
        }
        uint32_t writer = h->op_writer[o];
        if (is_dropped(a, o)) {
            continue;
        }
        if (own > first) {
            s->consistent &= writer == own - 1;
            continue;
        }
        s->consistent &= writer < first || (writer >= end && writer != ISO_NONE);
        a->key[reads] = key;
        a->source[reads++] = writer;
    }
    for (uint32_t o = end; o-- > first;) { /* only last writes, so that each key occurs once */
        if (h->op_kind[o] == ISO_WRITE && s->own[h->op_key[o]] == o + 1) {
            a->key[--writes] = h->op_key[o];
        }
    }
    s->repeatable &= s->again == NULL || is_repeatable(s, first, reads);
    a->reads_end[t] = reads;
    iso_assert(first <= reads && reads <= writes && writes <= end);
    a->writes_first[t] = writes;
    a->signature[t] = signature;
    s->many |= end - writes > ISO_AWDIT_FEW;
}

/* Replaces write operations by their transactions. Returns false if a read offends. */
static bool resolve(iso_awdit *a, const uint64_t *barred, uint32_t first, uint32_t end) {
    const isolab_history *h = a->h;
    bool all_in = h->n_aborted == 0 && h->n_indeterminate == 0, fine = true;
    for (uint32_t i = first; i < end; i++) {
        uint32_t w = a->source[i];
        if (w >= h->n_ops) {
            fine &= w == ISO_INIT;
            continue;
        }
        uint32_t t = h->op_txn[w];
        fine &= !(barred[w >> 6] >> (w & 63) & 1);
        fine &= all_in || iso_awdit_in(a, t);
        a->source[i] = t;
    }
    return fine;
}

/* What the parts of the first sweep share. */
typedef struct splitting {
    uint64_t *barred;
    bool hasty; /* may stop at the first reads that are not repeatable */
} splitting;

static void split_part(iso_awdit_part *p) {
    iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    const splitting *how = p->arg;
    sweep s = {.a = a, .barred = how->barred, .consistent = true, .repeatable = true};
    s.own = ISO_ZNEW(p->pool, uint32_t, h->n_keys);
    s.again = a->level == ISO_CC ? ISO_ZNEW(p->pool, uint32_t, h->n_keys) : NULL;
    for (uint32_t t = h->session_txn[p->first]; t < h->session_txn[p->end] && (s.repeatable || !how->hasty); t++) {
        iso_tick(p->pool->env);
        if (iso_awdit_in(a, t)) {
            split(&s, t);
        } else {
            a->reads_end[t] = h->txn_op[t];
            a->writes_first[t] = h->txn_op[t + 1];
            a->signature[t] = 0;
        }
    }
    p->good = s.consistent;
    if (!s.repeatable) {
        __atomic_store_n(&a->unrepeatable, true, __ATOMIC_RELAXED);
    }
    if (s.many) {
        __atomic_store_n(&a->unsorted, true, __ATOMIC_RELAXED);
    }
    iso_free(p->pool, s.own);
    iso_free(p->pool, s.again);
}

static void resolve_part(iso_awdit_part *p) {
    const isolab_history *h = p->a->h;
    for (uint32_t t = h->session_txn[p->first]; t < h->session_txn[p->end]; t++) {
        iso_tick(p->pool->env);
        p->good &= resolve(p->a, p->arg, h->txn_op[t], p->a->reads_end[t]);
    }
}

/* Returns whether the keys that a transaction writes are searched by halves. */
static bool is_long(const iso_awdit *a, uint32_t t) { return a->h->txn_op[t + 1] - a->writes_first[t] > ISO_AWDIT_FEW; }

/* Puts the keys that transactions with many writes write into ascending order: by key, each goes to the next free place
 * of its transaction. Linear, where a sort of each transaction by itself would take longer. */
static void sort_all(iso_awdit_part *p, uint32_t first, uint32_t end) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    iso_buckets rows = iso_buckets_new(p->pool, h->n_keys);
    uint32_t *at = ISO_NEW(p->pool, uint32_t, end - first);
    for (int pass = 0; pass < 2; pass++) { /* count, then place */
        uint32_t *txn = pass == 1 ? ISO_NEW(p->pool, uint32_t, iso_buckets_sum(&rows)) : NULL;
        for (uint32_t t = first; t < end; t++) {
            at[t - first] = a->writes_first[t];
            for (uint32_t i = a->writes_first[t]; i < h->txn_op[t + 1] && is_long(a, t); i++) {
                if (pass == 0) {
                    iso_buckets_count(&rows, a->key[i]);
                } else {
                    txn[iso_buckets_place(&rows, a->key[i])] = t;
                }
            }
        }
        for (uint32_t k = 0; pass == 1 && k < h->n_keys; k++) {
            for (uint32_t i = rows.first[k]; i < rows.first[k + 1]; i++) {
                a->key[at[txn[i] - first]++] = k;
            }
        }
        iso_free(p->pool, txn);
    }
    iso_free(p->pool, at);
    iso_free(p->pool, rows.first);
}

static void sort_part(iso_awdit_part *p) {
    iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    uint64_t n_keys = 0;
    for (uint32_t t = h->session_txn[p->first]; t < h->session_txn[p->end]; t++) {
        n_keys += is_long(a, t) ? h->txn_op[t + 1] - a->writes_first[t] : 0;
    }
    if (n_keys >= h->n_keys) {
        sort_all(p, h->session_txn[p->first], h->session_txn[p->end]);
        return;
    }
    for (uint32_t t = h->session_txn[p->first]; t < h->session_txn[p->end]; t++) {
        if (is_long(a, t)) {
            iso_tick(p->pool->env);
            qsort(a->key + a->writes_first[t], h->txn_op[t + 1] - a->writes_first[t], sizeof *a->key, by_number);
        }
    }
}

void iso_awdit_sort_keys(iso_awdit *a) {
    if (a->unsorted) {
        iso_awdit_by_session(a, sort_part, NULL);
        a->unsorted = false;
    }
}

bool iso_awdit_view(iso_awdit *a, bool hasty) {
    const isolab_history *h = a->h;
    uint64_t *barred = ISO_ZNEW(a->pool, uint64_t, (size_t)h->n_ops / 64 + 1);
    if (a->key == NULL) {
        a->key = ISO_NEW(a->pool, uint32_t, h->n_ops);
        a->source = ISO_NEW(a->pool, uint32_t, h->n_ops);
        a->reads_end = ISO_NEW(a->pool, uint32_t, h->n_txns);
        a->writes_first = ISO_NEW(a->pool, uint32_t, h->n_txns);
        a->signature = ISO_NEW(a->pool, uint64_t, h->n_txns);
    }
    a->unrepeatable = a->unsorted = false;
    bool consistent = iso_awdit_by_session(a, split_part, &(splitting){barred, hasty});
    if (hasty && a->unrepeatable) {
        iso_free(a->pool, barred);
        return true;
    }
    consistent &= iso_awdit_by_session(a, resolve_part, barred);
    iso_free(a->pool, barred);
    return consistent;
}

uint32_t iso_awdit_new_node(const iso_awdit *a, iso_awdit_edges *edges) {
    if (edges->n_nodes >= ISO_ID_MAX - a->h->n_txns) {
        iso_throw(edges->pool->env, ISOLAB_E_LIMIT, "more than %u nodes of inferred edges", ISO_ID_MAX);
    }
    return a->h->n_txns + edges->n_nodes++;
}

void iso_awdit_edge(iso_awdit_edges *e, uint32_t t2, uint32_t t1) {
    if (t1 == ISO_INIT) {
        e->into_initial = true;
    }
    if (e->n == e->room) {
        if (e->n == ISO_ID_MAX) {
            iso_throw(e->pool->env, ISOLAB_E_LIMIT, "more than %u inferred edges", ISO_ID_MAX);
        }
        uint64_t room = e->room < 1024 ? 1024 : 2 * (uint64_t)e->room;
        e->room = room > ISO_ID_MAX ? ISO_ID_MAX : (uint32_t)room;
        e->from = iso_resize(e->pool, e->from, e->room, sizeof *e->from);
        e->to = iso_resize(e->pool, e->to, e->room, sizeof *e->to);
    }
    e->from[e->n] = t2;
    e->to[e->n++] = t1;
}

bool iso_awdit_writes(const iso_awdit *a, uint32_t t, uint32_t key) {
    const uint32_t *from = a->key + a->writes_first[t], *end = a->key + a->h->txn_op[t + 1];
    if (end - from <= ISO_AWDIT_FEW || a->unsorted) {
        while (from < end && *from != key) {
            from++;
        }
        return from < end;
    }
    return bsearch(&key, from, (size_t)(end - from), sizeof key, by_number) != NULL;
}
