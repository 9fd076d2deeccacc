/* A checker to begin with: read atomic (docs/levels.md) of registers whose values are unique. It is right, and simple
 * rather than fast. To make another one of it:
 *
 *     sed 's/skeleton/mine/g' examples/skeleton.c >checkers/mine.c
 *     echo 'CHECKER(mine)' >>checkers/checkers.def
 *     make && build/isolab referee --checkers brute,mine -l ra --random
 *
 * isolab has read the history, joined every read with its write (op_writer) and decided which transactions are included
 * (txn_counts); docs/model.md says how, and checkers/checker.h what a checker may be asked. All memory is of the
 * result's pool, so that limits hold. */
#include "checkers/anomaly.h"
#include "checkers/checker.h"
#include "graph/digraph.h"
#include "history/read_consistency.h"

typedef struct skeleton {
    const isolab_history *h;
    iso_pool *pool;
    uint32_t *from, *to; /* edges between transactions; the initial transaction is the last node */
    uint32_t n, from_room, to_room;
} skeleton;

static void edge(skeleton *s, uint32_t from, uint32_t to) {
    ISO_GROW(s->pool, s->from, s->n, s->from_room);
    ISO_GROW(s->pool, s->to, s->n, s->to_room);
    s->from[s->n] = from;
    s->to[s->n++] = to;
}

static void offence(void *arg, iso_int_kind kind, uint32_t read, uint32_t other) {
    iso_result_anomaly(arg, (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read, .other_op = other});
}

/* The transaction that a read is from; ISO_NONE: the operation is no read of another transaction's value. */
static uint32_t source(const isolab_history *h, uint32_t o) {
    uint32_t w = h->op_writer[o], t = w == ISO_INIT ? h->n_txns : iso_is_write(h->op_kind[o]) ? ISO_NONE : h->op_txn[w];
    return iso_is_write(h->op_kind[o]) || t == h->op_txn[o] ? ISO_NONE : t;
}

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool found = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        found |= iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
    }
    return found;
}

/* The axiom: t3 sees t2, which writes x, and reads x from t1, so t2 comes before t1. */
static void axiom(skeleton *s, uint32_t t2, uint32_t t3) {
    for (uint32_t o = s->h->txn_op[t3]; o < s->h->txn_op[t3 + 1]; o++) {
        uint32_t t1 = source(s->h, o);
        if (t1 != ISO_NONE && t1 != t2 && t2 != s->h->n_txns && writes(s->h, t2, s->h->op_key[o])) {
            edge(s, t2, t1);
        }
    }
}

/* What t3 sees: its session up to there, and the transactions that it reads from. */
static void look_at(skeleton *s, uint32_t t3) {
    const isolab_history *h = s->h;
    edge(s, h->n_txns, t3);
    for (uint32_t t = h->session_txn[h->txn_session[t3]]; t < t3; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED) {
            edge(s, t, t3);
            axiom(s, t, t3);
        }
    }
    for (uint32_t o = h->txn_op[t3]; o < h->txn_op[t3 + 1]; o++) {
        uint32_t t = source(h, o);
        if (t != ISO_NONE) {
            edge(s, t, t3);
            axiom(s, t, t3);
        }
    }
}

static void run_skeleton(const iso_checker *self, const isolab_history *h, const iso_question *question,
                         iso_result *result) {
    (void)self;
    (void)question;
    if (iso_check_int(h, result->pool, offence, result) > 0) {
        return; /* violated, since there is an anomaly */
    }
    skeleton s = {.h = h, .pool = result->pool};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(result->pool->env); /* here --timeout, --memory and interrupts end the work */
        if (h->txn_counts[t] == ISO_INCLUDED) {
            look_at(&s, t);
        }
    }
    iso_digraph g = iso_digraph_build(s.pool, h->n_txns + 1, s.from, s.to, s.n, false);
    uint32_t *order = ISO_NEW(s.pool, uint32_t, g.n);
    if (!iso_digraph_order(&g, s.pool, order)) {
        iso_result_anomaly(result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
        return;
    }
    result->order =
        ISO_NEW(s.pool, uint32_t, h->n_txns); /* the certificate: the included transactions in commit order */
    for (uint32_t i = 0; i < g.n; i++) {
        if (order[i] < h->n_txns && h->txn_counts[order[i]] == ISO_INCLUDED) {
            result->order[result->n_order++] = order[i];
        }
    }
    iso_result_conclude(result); /* satisfied, since nothing was found */
}

const iso_checker iso_checker_skeleton = {
    .name = "skeleton",
    .summary = "read atomic, by every pair that a transaction sees",
    .complexity = "O(n^2)",
    .levels = ISO_LEVEL_BIT(ISO_RA),
    .run = run_skeleton,
};
