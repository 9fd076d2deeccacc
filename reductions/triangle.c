/* Triangle-freeness to isolation (awdit.txt section 4): the history satisfies the level exactly if the graph has no
 * triangle.
 *
 * Node a becomes a transaction W_a, which writes key x_a and the key x_b of every neighbour b, and a transaction R_a,
 * which reads from W_b the key x_b of every neighbour b. So if b and c are neighbours of a and of each other, R_a reads
 * x_c from W_c and has read from W_b, which writes x_c too: W_b must commit before W_c. With b and c exchanged, W_c
 * must commit before W_b. Without a triangle no such order is forced.
 *
 *   general  each transaction is a session. R_a first reads, from each W_b, a key x_b^a that only R_a reads; so it
 *            has read from every neighbour before it reads the x_b, and the same holds for every level between
 *            rc and cc (lemma 4.2). 8 m + n operations for n nodes and m edges.
 *   ra2      two sessions, the writers and the readers, without the keys x_b^a, for ra (lemma 4.3). 4 m + n.
 *   rc1      the transactions of general in one session, for rc (lemma 4.4).
 *
 * Keys: x_a is a; x_b^a is n plus the index of a in b's row. Values: only W_a writes a + 1. */
#include "reductions/triangle.h"

#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "reductions/reduction.h"

/* The state of a run. */
typedef struct problem {
    iso_graph g;
    const char *text; /* the words that the graph was made of, such as `andrasfai 200` */
    iso_graph_facts facts;
    iso_triangle_txns txns;
} problem;

static iso_atom value_of(uint32_t node) { return iso_atom_int((int64_t)node + 1); }

/* The keys of the history, by their numbers in the builder. */
typedef struct keys {
    uint32_t *shared; /* x_a; ISO_NONE: not made yet */
    uint32_t *pair;   /* x_b^a, at the index of a in b's row */
} keys;

/* Returns *made, which becomes a key of this name if it is ISO_NONE. */
static uint32_t key(iso_builder *b, uint32_t *made, uint64_t name) {
    if (*made == ISO_NONE) {
        *made = iso_builder_key(b, iso_atom_uint(name));
    }
    return *made;
}

/* Adds the operations of W_a. pairs: also its keys x_a^b, one for each neighbour b. */
static void write_node(iso_builder *b, const iso_graph *g, uint32_t a, bool pairs, keys *k, uint32_t txn) {
    iso_builder_op(b, txn, ISO_WRITE, key(b, &k->shared[a], a), value_of(a));
    for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
        uint32_t other = g->to[i];
        iso_builder_op(b, txn, ISO_WRITE, key(b, &k->shared[other], other), value_of(a));
        if (pairs) {
            iso_builder_op(b, txn, ISO_WRITE, key(b, &k->pair[i], g->n + i), value_of(a));
        }
    }
}

/* Adds the operations of R_a. place[b] is the index of a in b's row: the number of earlier nodes that are neighbours of
 * b, since nodes are visited in order, and rows are sorted. */
static void read_node(iso_builder *b, const iso_graph *g, uint32_t a, bool pairs, keys *k, uint64_t *place,
                      uint32_t txn) {
    for (uint64_t i = g->first[a]; pairs && i < g->first[a + 1]; i++) {
        uint32_t other = g->to[i];
        uint64_t at = g->first[other] + place[other]++;
        iso_builder_op(b, txn, ISO_READ, key(b, &k->pair[at], g->n + at), value_of(other));
    }
    for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
        uint32_t other = g->to[i];
        iso_builder_op(b, txn, ISO_READ, key(b, &k->shared[other], other), value_of(other));
    }
}

iso_triangle_txns iso_triangle_build(iso_pool *pool, const iso_graph *g, iso_construction construction,
                                     iso_builder *b) {
    bool pairs = construction != ISO_TRIANGLE_RA2, own_sessions = construction == ISO_TRIANGLE_GENERAL;
    uint64_t n_pairs = pairs ? g->first[g->n] : 0;
    if (g->n + n_pairs > ISO_ID_MAX || 4 * g->first[g->n] + g->n > ISO_ID_MAX) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "the graph is too large: a history has at most %u operations", ISO_ID_MAX);
    }
    iso_triangle_txns t = {ISO_NEW(pool, uint32_t, g->n), ISO_NEW(pool, uint32_t, g->n)};
    keys k = {ISO_NEW_NONE(pool, g->n), ISO_NEW_NONE(pool, n_pairs)};
    uint64_t *place = ISO_ZNEW(pool, uint64_t, g->n);
    uint32_t session = ISO_NONE, n_sessions = 0;
    for (int readers = 0; readers < 2; readers++) {
        if (session == ISO_NONE || construction == ISO_TRIANGLE_RA2) {
            session = own_sessions ? ISO_NONE : iso_builder_session(b, iso_atom_int(n_sessions++));
        }
        for (uint32_t a = 0; a < g->n; a++) {
            iso_tick_steps(pool->env, g->first[a + 1] - g->first[a] + 1);
            uint32_t *txn = readers ? &t.reader[a] : &t.writer[a];
            *txn = ISO_NONE;
            if (g->first[a] == g->first[a + 1]) {
                continue; /* an isolated node is in no triangle, and its transactions would be empty */
            }
            uint32_t home = own_sessions ? iso_builder_session(b, iso_atom_int(n_sessions++)) : session;
            *txn = iso_builder_txn(b, home, iso_atom_nil(), ISO_COMMITTED);
            if (readers) {
                read_node(b, g, a, pairs, &k, place, *txn);
            } else {
                write_node(b, g, a, pairs, &k, *txn);
            }
        }
    }
    iso_free(pool, k.shared);
    iso_free(pool, k.pair);
    iso_free(pool, place);
    return t;
}

static void build(iso_reduce *r, iso_builder *b) {
    problem *u = ISO_ZNEW(r->pool, problem, 1);
    r->state = u;
    bool ra2 = iso_arg_is(r->args, "construction", "ra2"), rc1 = iso_arg_is(r->args, "construction", "rc1");
    iso_level level = iso_level_find(iso_arg_text(r->args, "level"), NULL);
    r->level = rc1 ? ISO_RC : ra2 ? ISO_RA : level;
    if (iso_arg_given(r->args, "level") && r->level != level) {
        iso_throw(r->pool->env, ISOLAB_E_USAGE, "--level: construction %s is for level %s alone",
                  iso_arg_text(r->args, "construction"), iso_level_get(r->level)->name);
    }
    u->g = iso_graph_from_args(r->args, &u->text);
    u->facts = iso_graph_facts_of(&u->g, r->pool);
    iso_graph_about(b, r->pool, u->text, &u->facts);
    u->txns = iso_triangle_build(r->pool, &u->g,
                                 ra2   ? ISO_TRIANGLE_RA2
                                 : rc1 ? ISO_TRIANGLE_RC1
                                       : ISO_TRIANGLE_GENERAL,
                                 b);
}

static void map(const iso_reduce *r, const isolab_history *h, FILE *out) {
    const problem *u = r->state;
    iso_printer json = {.out = out, .target = ISO_JSON};
    char w[ISO_NAME_SIZE], rd[ISO_NAME_SIZE];
    for (uint32_t a = 0; a < u->g.n; a++) {
        if (u->txns.writer[a] == ISO_NONE) {
            iso_print(&json, "{\"node\":%u,\"writer\":null,\"reader\":null}\n", a);
        } else {
            iso_print(&json, "{\"node\":%u,\"writer\":%s,\"reader\":%s,\"key\":%u}\n", a,
                      iso_txn_text(h, u->txns.writer[a], w), iso_txn_text(h, u->txns.reader[a], rd), a);
        }
    }
}

/* Returns the node of each transaction. */
static uint32_t *nodes_of(const iso_graph *g, const iso_triangle_txns *txns, iso_pool *pool, uint32_t n_txns) {
    uint32_t *node_of = ISO_NEW(pool, uint32_t, n_txns);
    for (uint32_t a = 0; a < g->n; a++) {
        if (txns->writer[a] != ISO_NONE) {
            node_of[txns->writer[a]] = node_of[txns->reader[a]] = a;
        }
    }
    return node_of;
}

/* Returns whether the axiom forces the edge by a reader. Such an edge is a triangle: of the nodes of the reader, of the
 * transaction that must be first, and of the other one. */
static bool triangle_of_edge(const isolab_history *h, const iso_edge *e, const uint32_t *node_of,
                             uint32_t triangle[3]) {
    if (e->kind != ISO_EDGE_AXIOM || e->from >= h->n_txns || e->to >= h->n_txns || e->reader_op >= h->n_ops) {
        return false;
    }
    triangle[0] = node_of[h->op_txn[e->reader_op]];
    triangle[1] = node_of[e->from];
    triangle[2] = node_of[e->to];
    return true;
}

/* Turns a violation into a triangle: any edge W_b before W_c that the axiom forces by R_a is one. */
static bool triangle_of(const iso_reduce *r, const isolab_history *h, const iso_result *result, uint32_t triangle[3]) {
    const problem *u = r->state;
    uint32_t *node_of = nodes_of(&u->g, &u->txns, r->pool, h->n_txns);
    for (uint32_t i = 0; i < result->n_edges; i++) {
        if (triangle_of_edge(h, &result->edges[i], node_of, triangle)) {
            return true;
        }
    }
    return false;
}

/* Prints a triangle as a violation, with the names of the history. */
static void print_violation(const iso_reduce *r, const isolab_history *h, const uint32_t n[3], FILE *out) {
    const problem *u = r->state;
    char reader[ISO_NAME_SIZE], one[ISO_NAME_SIZE], other[ISO_NAME_SIZE];
    iso_txn_text(h, u->txns.reader[n[0]], reader);
    for (int way = 1; way <= 2; way++) {
        uint32_t b = n[way], c = n[3 - way];
        iso_txn_text(h, u->txns.writer[b], one);
        iso_txn_text(h, u->txns.writer[c], other);
        iso_say(out,
                "  %s (node %u) reads key %u from %s (node %u), and reads from %s (node %u), which writes key "
                "%u too: %s before %s\n",
                reader, n[0], c, other, c, one, b, c, one, other);
    }
}

/* Finds the reads of R_a from W_b: the first (of the pair's key, if it exists) and the last (of x_b). */
static void reads_from(const isolab_history *h, uint32_t reader, uint32_t writer, uint32_t *first, uint32_t *last) {
    *first = *last = ISO_NONE;
    for (uint32_t op = h->txn_op[reader]; op < h->txn_op[reader + 1]; op++) {
        if (h->op_writer[op] < h->n_ops && h->op_txn[h->op_writer[op]] == writer) {
            *first = *first == ISO_NONE ? op : *first;
            *last = op;
        }
    }
}

/* The answer about the history from the graph: a triangle is a cycle of two edges, each forced by the axiom; without a
 * triangle all writers may come first. Returns true. */
static bool certify_triangle(const iso_graph *g, const iso_triangle_txns *txns, const isolab_history *h,
                             iso_result *result) {
    uint32_t n[3], first[2], last[2], writer[2];
    if (!iso_graph_triangle(g, result->pool, n)) {
        result->order = ISO_NEW(result->pool, uint32_t, h->n_txns);
        for (int readers = 0; readers < 2; readers++) {
            const uint32_t *txn = readers ? txns->reader : txns->writer;
            for (uint32_t a = 0; a < g->n; a++) {
                if (txn[a] != ISO_NONE) {
                    result->order[result->n_order++] = txn[a];
                }
            }
        }
        result->verdict = ISOLAB_SATISFIED;
        return true;
    }
    uint32_t reader = txns->reader[n[0]];
    for (unsigned i = 0; i < 2; i++) {
        writer[i] = txns->writer[n[1 + i]];
        reads_from(h, reader, writer[i], &first[i], &last[i]);
        iso_result_edge(result, iso_edge_of_read(h, writer[i], h->op_writer[first[i]], first[i]));
    }
    for (unsigned i = 0; i < 2; i++) {
        iso_edge e = iso_edge_of_axiom(h, writer[i], writer[1 - i], last[1 - i]);
        e.premise = i;
        e.n_premise = 1;
        iso_result_edge(result, e);
    }
    iso_result_anomaly(
        result,
        (iso_anomaly){.kind = ISO_A_FRACTURED_READ_CM, .op = ISO_NONE, .other_op = ISO_NONE, .cycle = 2, .n_cycle = 2});
    return true;
}

static bool certify(iso_reduce *r, const isolab_history *h, iso_result *result) {
    const problem *u = r->state;
    return certify_triangle(&u->g, &u->txns, h, result);
}

static bool is_triangle(const iso_graph *g, const uint32_t n[3]) {
    return iso_graph_has(g, n[0], n[1]) && iso_graph_has(g, n[1], n[2]) && iso_graph_has(g, n[0], n[2]);
}

static bool explain(iso_reduce *r, const isolab_history *h, FILE *out) {
    const problem *u = r->state;
    const iso_graph *g = &u->g;
    mpz_t traced;
    mpz_init(traced);
    if (g->n <= 40000) {
        iso_graph_trace(g, r->pool, traced);
    } else {
        mpz_set_si(traced, -1);
    }
    double counted = iso_graph_igraph_triangles(g, r->pool);
    iso_say(out, "graph: %u nodes, %" PRIu64 " edges, %.0f triangle%s (igraph)", g->n, g->first[g->n] / 2, counted,
            counted == 1 ? "" : "s");
    bool good = counted == (double)u->facts.triangles;
    if (mpz_sgn(traced) >= 0) {
        char *digits = iso_alloc(r->pool, mpz_sizeinbase(traced, 10) + 2, 1);
        iso_say(out, ", %s (trace of the cube, by six)", mpz_get_str(digits, 10, traced));
        good = good && mpz_cmp_d(traced, counted) == 0;
    }
    mpz_clear(traced);
    iso_say(out,
            "\nhardness: predicted work %" PRIu64 " (the sum of the smaller degree over all edges), %" PRIu64
            " 4-cycles, ",
            u->facts.work, u->facts.four_cycles);
    if (u->facts.odd_girth == 0) {
        iso_say(out, "no odd cycle");
    } else {
        iso_say(out, "shortest odd cycle %u", u->facts.odd_girth);
    }
    iso_result result;
    isolab_verdict verdict = iso_reduce_ask(r, r->pool, h, r->level, &result);
    iso_say(out, "\nhistory: %u transactions, %u operations, level %s: %s\n", h->n_txns, h->n_ops,
            iso_level_get(r->level)->name, iso_verdict_text(verdict));
    good = good && (verdict == ISOLAB_SATISFIED) == (counted == 0);
    uint32_t triangle[3];
    if (verdict == ISOLAB_VIOLATED && triangle_of(r, h, &result, triangle)) {
        iso_say(out, "the violation as a triangle: nodes %u, %u, %u\n", triangle[0], triangle[1], triangle[2]);
        good = good && is_triangle(g, triangle);
    }
    if (iso_graph_triangle(g, r->pool, triangle)) {
        iso_say(out, "a triangle as a violation: nodes %u, %u, %u\n", triangle[0], triangle[1], triangle[2]);
        print_violation(r, h, triangle, out);
        good = good && counted > 0;
    }
    return good;
}

static const iso_option options[] = {
    {ISO_WORD("construction", "general", "general ra2 rc1",
              "general: one session a transaction (rc to cc); ra2: two sessions (ra); rc1: one session (rc)")},
    {ISO_WORD("level", "rc", "rc ra cc", "level that --explain asks for (general)"), .of = ISO_OF_SOME_LEVELS,
     .letter = 'l'},
    ISO_GRAPH_OPTIONS,
    ISO_END};

const iso_reduction iso_reduction_triangle = {
    .name = "triangle",
    .summary = "is a graph triangle-free? As rc, ra or cc of a history of linear size",
    .paper = "awdit.txt section 4",
    .options = options,
    .build = build,
    .map = map,
    .explain = explain,
    .certify = certify,
};
