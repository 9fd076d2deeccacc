/* See blame.h. */
#include "explain/blame.h"

#include <stdlib.h>

/* A read of a proof. */
typedef struct use {
    uint32_t read, chain;
    bool missed; /* it missed a write, or offends by itself; else it is only part of a reason */
} use;

typedef struct uses {
    const isolab_history *h;
    iso_pool *pool;
    use *at;
    uint32_t n, room, chain, steps;
} uses;

static void add_use(uses *u, uint32_t op, bool missed) {
    if (op < u->h->n_ops && !iso_is_write(u->h->op_kind[op])) {
        ISO_GROW(u->pool, u->at, u->n, u->room);
        u->at[u->n++] = (use){op, u->chain, missed};
    }
}

static void add_step(void *arg, const iso_word_step *s) {
    uses *u = arg;
    const iso_edge *e = s->edge;
    u->steps++;
    if (e->kind == ISO_EDGE_RW) {
        add_use(u, e->op_from, true);
    } else if (e->kind == ISO_EDGE_WR) {
        add_use(u, e->op_to, false);
    } else if (e->kind == ISO_EDGE_AXIOM || e->kind == ISO_EDGE_LIST) {
        add_use(u, e->reader_op, true);
    }
}

static int by_read(const void *a, const void *b) {
    const use *x = a, *y = b;
    return x->read != y->read ? (x->read > y->read) - (x->read < y->read)
                              : (x->chain > y->chain) - (x->chain < y->chain);
}

/* Makes one use of all uses of a read in a proof. */
static void merge(uses *u) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < u->n; i++) {
        if (kept > 0 && by_read(&u->at[kept - 1], &u->at[i]) == 0) {
            u->at[kept - 1].missed |= u->at[i].missed;
        } else {
            u->at[kept++] = u->at[i];
        }
    }
    u->n = kept;
}

/* Blames the read that most anomalies without a blamed read share; false: no two of them share one that missed a write.
 */
static bool blame_next(const uses *u, iso_blame *blame) {
    uint32_t best = ISO_NONE, most = 1, most_missed = 0;
    for (uint32_t i = 0, end; i < u->n; i = end) {
        uint32_t n = 0, missed = 0;
        for (end = i; end < u->n && u->at[end].read == u->at[i].read; end++) {
            bool alone = blame[u->at[end].chain].read == ISO_NONE;
            n += alone;
            missed += alone && u->at[end].missed;
        }
        if (missed == 0) {
            continue;
        }
        if (n > most || (best != ISO_NONE && n == most && missed > most_missed)) {
            best = i;
            most = n;
            most_missed = missed;
        }
    }
    for (uint32_t i = best; best != ISO_NONE && i < u->n && u->at[i].read == u->at[best].read; i++) {
        iso_blame *b = &blame[u->at[i].chain];
        b->read = b->read == ISO_NONE ? u->at[i].read : b->read;
    }
    return best != ISO_NONE;
}

void iso_blame_all(iso_pool *pool, const isolab_history *h, const iso_chain *chain, uint32_t n, iso_blame *blame) {
    uses u = {.h = h, .pool = pool};
    for (uint32_t i = 0; i < n; i++) {
        u.chain = i;
        u.steps = 0;
        if (chain[i].n == 0) {
            add_use(&u, chain[i].op, true);
            add_use(&u, chain[i].other_op, true);
        }
        iso_chain_steps(h, &chain[i], add_step, &u);
        blame[i] = (iso_blame){ISO_NONE, u.steps};
    }
    if (u.n > 0) {
        qsort(u.at, u.n, sizeof *u.at, by_read);
    }
    merge(&u);
    while (blame_next(&u, blame)) {
    }
    iso_free(pool, u.at);
}

/* Whether a transaction comes before another by session or real time; writes the edge. */
static bool is_before(const isolab_history *h, uint32_t from, uint32_t to, uint32_t key, iso_edge *edge) {
    bool session = from == ISO_INIT || (h->txn_session[from] == h->txn_session[to] && from < to);
    *edge = iso_edge_of(session ? ISO_EDGE_SO : ISO_EDGE_RT, from, to);
    edge->key = session ? ISO_NONE : key;
    return session || iso_before_in_time(h, from, to);
}

const iso_result *iso_stale_read(iso_pool *pool, const isolab_history *h, uint32_t read) {
    uint32_t from = iso_writer_txn(h, read), reader = h->op_txn[read], key = h->op_key[read], newer = ISO_NONE;
    iso_edge edge, missed = iso_edge_of(ISO_EDGE_RW, reader, ISO_NONE);
    if (h->txn_start == NULL || h->op_kind[read] != ISO_READ || from == ISO_NONE || from == reader ||
        h->txn_counts[reader] != ISO_INCLUDED) {
        return NULL;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o];
        bool later = h->op_key[o] == key && h->op_kind[o] == ISO_WRITE && t != from && t != reader &&
                     h->txn_counts[t] == ISO_INCLUDED && iso_before_in_time(h, t, reader) &&
                     is_before(h, from, t, key, &edge);
        if (later && (newer == ISO_NONE || h->txn_end[t] > h->txn_end[newer])) { /* the last of them */
            newer = t;
        }
    }
    if (newer == ISO_NONE) {
        return NULL;
    }
    iso_result *r = ISO_ZNEW(pool, iso_result, 1);
    *r = (iso_result){.pool = pool, .verdict = ISOLAB_VIOLATED, .n_edges = 3, .n_anomalies = 1};
    r->edges = ISO_NEW(pool, iso_edge, 3);
    r->anomalies = ISO_ZNEW(pool, iso_anomaly, 1);
    missed.to = newer;
    missed.key = key;
    missed.op_from = read;
    missed.premise = 2;
    missed.n_premise = 1;
    r->edges[0] = missed;
    r->edges[1] = iso_edge_of(ISO_EDGE_RT, newer, reader);
    r->edges[1].key = key;
    is_before(h, from, newer, key, &r->edges[2]);
    r->anomalies[0] = (iso_anomaly){
        .kind = ISO_A_KEY_TIME, .op = ISO_NONE, .other_op = ISO_NONE, .n_cycle = 2, .pattern = ISO_A_KEY_TIME};
    return r;
}
