/* Online matrix-vector multiplication as a growing history (Henzinger, Krinninger, Nanongkai and Saranurak 2015).
 *
 * A 0/1 matrix M is known. In each round two 0/1 vectors u and v come, and u M v is asked, before the next round. No
 * algorithm is known that needs less than about n^3 steps for n rounds, even after any preparation of M; so none checks
 * a growing history at rc, ra or cc after each transaction in less than about m^1.5 steps for m operations in all.
 *
 * Row i becomes a transaction W_i, column j W_j', each in a session of its own. Each writes its own key, and row i also
 * the keys of the columns where M has a one, column j those of the rows. Round t is one transaction R_t in a session of
 * its own: it reads the key of each row of u from that row's writer, and the key of each column of v. If M has a one
 * at i of u and j of v, then R_t reads from both W_i and W_j', each of which writes what it reads from the other: each
 * must be before the other. If there is none, no transaction writes what R_t reads from another one. So the history
 * up to round t satisfies the level exactly if all answers so far are 0.
 *
 * rc counts only earlier reads, so R_t reads all its keys twice. */
#include <string.h>

#include "base/print.h"
#include "base/random.h"
#include "reductions/reduction.h"

typedef struct rounds {
    uint32_t n, rounds;
    uint8_t *matrix; /* [row * n + column] */
    uint8_t *u, *v;  /* [round * n + row or column] */
} rounds;

static void choose(uint8_t *at, size_t n, double p, iso_rng *rng) {
    for (size_t i = 0; i < n; i++) {
        at[i] = iso_random_unit(rng) < p;
    }
}

/* Without an answer 1: rows and columns are of two kinds, M has ones only where both are of one kind, and u and v are
 * of different kinds. For `last` the last v gets a column that answers 1. */
static void make_zero(rounds *o, bool last, iso_rng *rng) {
    uint32_t n = o->n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            o->matrix[(size_t)i * n + j] &= i % 2 == j % 2;
        }
    }
    for (uint32_t t = 0; t < o->rounds; t++) {
        uint32_t kind = (uint32_t)iso_random_below(rng, 2);
        for (uint32_t i = 0; i < n; i++) {
            o->u[(size_t)t * n + i] &= i % 2 == kind;
            o->v[(size_t)t * n + i] &= i % 2 != kind;
        }
    }
    if (last && o->rounds > 0 && n > 0) {
        uint32_t i = (uint32_t)iso_random_below(rng, n), j = i;
        size_t t = (size_t)(o->rounds - 1) * n;
        for (uint32_t x = 0; x < n; x++) { /* row i alone meets column j */
            o->u[t + x] = x == i || (o->u[t + x] && !o->matrix[(size_t)x * n + j]);
            o->v[t + x] = x == j || (o->v[t + x] && !o->matrix[(size_t)i * n + x]);
        }
        o->matrix[(size_t)i * n + j] = 1;
    }
}

static rounds make(iso_reduce *r) {
    const iso_args *args = r->args;
    iso_rng rng = {iso_arg_count(args, "seed")};
    rounds o = {.n = (uint32_t)iso_arg_count(args, "size"), .rounds = (uint32_t)iso_arg_count(args, "rounds")};
    o.matrix = ISO_ZNEW(r->pool, uint8_t, (size_t)o.n * o.n);
    o.u = ISO_ZNEW(r->pool, uint8_t, (size_t)o.n * o.rounds);
    o.v = ISO_ZNEW(r->pool, uint8_t, (size_t)o.n * o.rounds);
    choose(o.matrix, (size_t)o.n * o.n, iso_arg_real(args, "p"), &rng);
    choose(o.u, (size_t)o.n * o.rounds, iso_arg_real(args, "density"), &rng);
    choose(o.v, (size_t)o.n * o.rounds, iso_arg_real(args, "density"), &rng);
    if (!iso_arg_is(args, "answers", "any")) {
        make_zero(&o, iso_arg_is(args, "answers", "last"), &rng);
    }
    r->level = iso_level_find(iso_arg_text(args, "level"), NULL);
    return o;
}

/* Returns the value that a row or a column writes. node: its number among rows and columns. */
static iso_atom value_of(uint32_t node) { return iso_atom_int((int64_t)node + 1); }

static void write_op(iso_builder *b, uint32_t txn, uint32_t key, uint32_t node) {
    iso_builder_op(b, txn, ISO_WRITE, iso_builder_key(b, iso_atom_uint(key)), value_of(node));
}

static uint32_t new_txn(iso_builder *b, uint32_t session) {
    return iso_builder_txn(b, iso_builder_session(b, iso_atom_uint(session)), iso_atom_nil(), ISO_COMMITTED);
}

/* Makes the history of M and some rounds: from .. end. Transactions of rows are first, then columns, then rounds. */
static void history_of(iso_builder *b, const rounds *o, iso_env *env, uint32_t from, uint32_t end) {
    uint32_t n = o->n;
    for (uint32_t a = 0; a < 2 * n; a++) {
        uint32_t txn = new_txn(b, a);
        write_op(b, txn, a, a);
        for (uint32_t x = 0; x < n; x++) {
            iso_tick(env);
            if (a < n ? o->matrix[(size_t)a * n + x] : o->matrix[(size_t)x * n + a - n]) {
                write_op(b, txn, a < n ? n + x : x, a);
            }
        }
    }
    for (uint32_t t = from; t < end; t++) {
        uint32_t txn = new_txn(b, 2 * n + t);
        for (int again = 0; again < 2; again++) {
            for (uint32_t a = 0; a < 2 * n; a++) {
                iso_tick(env);
                if (a < n ? o->u[(size_t)t * n + a] : o->v[(size_t)t * n + a - n]) {
                    iso_builder_op(b, txn, ISO_READ, iso_builder_key(b, iso_atom_uint(a)), value_of(a));
                }
            }
        }
    }
}

static void build(iso_reduce *r, iso_builder *b) {
    rounds *o = ISO_NEW(r->pool, rounds, 1);
    *o = make(r);
    r->state = o;
    history_of(b, o, r->pool->env, 0, o->rounds);
}

/* Returns u M v, computed directly, and sets the row and the column of a one. */
static bool product(const rounds *o, uint32_t t, uint32_t *row, uint32_t *column) {
    for (uint32_t i = 0; i < o->n; i++) {
        for (uint32_t j = 0; o->u[(size_t)t * o->n + i] && j < o->n; j++) {
            if (o->v[(size_t)t * o->n + j] && o->matrix[(size_t)i * o->n + j]) {
                *row = i;
                *column = j;
                return true;
            }
        }
    }
    return false;
}

/* Finds i and j in a violation: the writers of an edge that the axiom forces. */
static bool witness(const rounds *o, const isolab_history *h, const iso_result *result, uint32_t *row,
                    uint32_t *column) {
    for (uint32_t e = 0; e < result->n_edges; e++) {
        const iso_edge *edge = &result->edges[e];
        if (edge->kind == ISO_EDGE_AXIOM && edge->from < h->n_txns && edge->to < h->n_txns) {
            uint32_t a = edge->from < edge->to ? edge->from : edge->to, b = edge->from ^ edge->to ^ a;
            *row = a;
            *column = b - o->n;
            return a < o->n && b >= o->n && b < 2 * o->n;
        }
    }
    return false;
}

static void map(const iso_reduce *r, const isolab_history *h, FILE *out) {
    const rounds *o = r->state;
    iso_printer json = {.out = out, .target = ISO_JSON};
    char name[ISO_NAME_SIZE];
    for (uint32_t t = 0; t < h->n_txns; t++) {
        const char *kind = t < o->n ? "row" : t < 2 * o->n ? "column" : "round";
        uint32_t number = t < o->n ? t : t < 2 * o->n ? t - o->n : t - 2 * o->n;
        iso_print(&json, "{%s:%u,\"transaction\":%s}\n", kind, number, iso_txn_text(h, t, name));
    }
}

/* Asks about each round in turn: about the history of M and of the rounds since the last answer 1. */
static bool explain(iso_reduce *r, const isolab_history *h, FILE *out) {
    const rounds *o = r->state;
    uint32_t ones = 0, wrong = 0, first = 0, no_witness = 0;
    bool any = false;
    for (uint32_t t = 0; t < o->rounds; t++) {
        iso_pool pool;
        iso_pool_init(&pool, r->pool->env);
        iso_builder *b = iso_builder_new(&pool);
        history_of(b, o, pool.env, first, t + 1);
        isolab_history *now = iso_builder_finish(b);
        iso_result result;
        bool one = iso_reduce_ask(r, &pool, now, r->level, &result) == ISOLAB_VIOLATED;
        uint32_t i, j;
        wrong += one != product(o, t, &i, &j);
        if (one) {
            ones++;
            any = true;
            bool good = witness(o, now, &result, &i, &j) && o->u[(size_t)t * o->n + i] && o->v[(size_t)t * o->n + j] &&
                        o->matrix[(size_t)i * o->n + j];
            no_witness += !good;
            first = t + 1; /* a violated history stays violated, so the next history begins after this round */
            iso_say(out, "round %u: 1, by row %u and column %u\n", t, i, j);
        }
        iso_pool_free(&pool);
    }
    iso_result result;
    isolab_verdict verdict = iso_reduce_ask(r, r->pool, h, r->level, &result);
    iso_say(
        out,
        "%u rounds on a matrix of %u rows: %u answers are 1; %u differ from the product; history: %u operations, %s\n",
        o->rounds, o->n, ones, wrong, h->n_ops, verdict == ISOLAB_SATISFIED ? "satisfied" : "violated");
    return wrong == 0 && no_witness == 0 && (verdict == ISOLAB_VIOLATED) == any;
}

/* All answers are 0: all writers, then all readers. An answer 1 is found by a checker at once. */
static bool certify(iso_reduce *r, const isolab_history *h, iso_result *result) {
    const rounds *o = r->state;
    uint32_t i, j;
    for (uint32_t t = 0; t < o->rounds; t++) {
        if (product(o, t, &i, &j)) {
            return false;
        }
    }
    result->order = ISO_NEW(result->pool, uint32_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        result->order[result->n_order++] = t;
    }
    result->verdict = ISOLAB_SATISFIED;
    return true;
}

static const iso_option options[] = {
    {ISO_COUNT("size", "16", 1, 20000, "rows of the matrix")},
    {ISO_COUNT("rounds", "16", 0, 1e6, "pairs of vectors")},
    {ISO_REAL("p", "0.5", 0, 1, "density of the matrix")},
    {ISO_REAL("density", "0.5", 0, 1, "density of the vectors")},
    {ISO_WORD("answers", "any", "any none last", "any answers; all 0; all 0 except the last")},
    {ISO_WORD("level", "ra", "rc ra cc", "level that --explain asks for"), .of = ISO_OF_SOME_LEVELS, .letter = 'l'},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of the matrix and the vectors")},
    ISO_END};

const iso_reduction iso_reduction_omv = {
    .name = "omv",
    .summary = "online matrix-vector multiplication, as a history that grows by a transaction a round",
    .paper = "Henzinger, Krinninger, Nanongkai and Saranurak 2015",
    .options = options,
    .build = build,
    .map = map,
    .explain = explain,
    .certify = certify,
};
