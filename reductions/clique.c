/* k-clique to strong levels, with a session for each node of the clique: a history of k + 1 sessions satisfies pc, si
 * or ser exactly if the graph has a clique of k nodes.
 *
 * Session i of k has four transactions for each node u in turn, and one more transaction T is alone in its session:
 *
 *   lock(i, u)   writes the locks of (i, u)      a lock of (i, u) is a key that only (i, u) and (j, v) use,
 *   enter(i, u)  reads g_i from leave(i, u - 1)     for another session j and a v that is u or no neighbour of u
 *   leave(i, u)  writes g_i
 *   free(i, u)   reads the locks from lock(i, u)
 *   T            writes every g_i, and a key that the last leave of each session reads
 *
 * A commit order is a clique. T writes g_i, so it commits outside of [leave(i, u - 1), enter(i, u)]; the first enter
 * reads the initial value, so T commits after it; and T is before the last leave. So for each i there is one u with T
 * between enter(i, u) and leave(i, u), and so between lock(i, u) and free(i, u). Neither of two writers of a lock is
 * between the other one and its reader, so these intervals of (i, u) and (j, v) are disjoint if they share a lock; but
 * T is in both. So the k nodes are different, and any two of them neighbours. Here [x, y] is from the commit of x to
 * the snapshot of y, so all of this holds at pc, and so at si and ser.
 *
 * A clique is a serial order: each session alone runs the steps before its node; then all lock and enter their nodes;
 * then T; then all leave and free them; then each session alone runs the steps that remain.
 *
 * The history has O(k^2 n^2) operations. k-clique is W[1]-hard in k, and takes n^Omega(k) steps unless the exponential
 * time hypothesis fails (Chen, Huang, Kanj and Xia 2006); so, in the number k of sessions, checking is W[1]-hard, and
 * the algorithm of n^O(k) steps (Biswas and Enea 2019) has the right kind of exponent. */
#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "reductions/graph.h"
#include "reductions/reduction.h"
#include "reductions/replay.h"

enum { LOCK, ENTER, LEAVE, FREE, STEPS };

typedef struct problem {
    iso_graph g;
    uint32_t k;
} problem;

/* Transactions are made session by session: T is the first, and the steps of each session follow. */
static uint32_t txn_of(const problem *p, uint32_t i, uint32_t u, uint32_t step) {
    return 1 + (i * p->g.n + u) * STEPS + step;
}

static uint32_t step_key(iso_builder *b, uint32_t i) { return iso_builder_key(b, iso_atom_uint(i)); }
static uint32_t end_key(iso_builder *b, const problem *p) { return iso_builder_key(b, iso_atom_uint(p->k)); }

/* The lock of (i, u) and (j, v). */
static uint32_t lock_key(iso_builder *b, const problem *p, uint32_t i, uint32_t u, uint32_t j, uint32_t v) {
    uint64_t low = i < j ? i : j, high = i < j ? j : i, n = p->g.n;
    uint64_t place = ((low * p->k + high) * n + (i < j ? u : v)) * n + (i < j ? v : u);
    return iso_builder_key(b, iso_atom_uint(p->k + 1 + place));
}

/* Writes or reads the locks of (i, u). */
static void locks(iso_builder *b, const problem *p, iso_env *env, uint32_t i, uint32_t u, uint32_t txn,
                  iso_op_kind kind) {
    const iso_graph *g = &p->g;
    for (uint32_t j = 0; j < p->k; j++) {
        uint64_t next = g->first[u];
        for (uint32_t v = 0; j != i && v < g->n; v++) {
            iso_tick(env);
            if (next < g->first[u + 1] && g->to[next] == v) {
                next++;
            } else {
                iso_builder_op(b, txn, kind, lock_key(b, p, i, u, j, v), iso_atom_uint(i + 1));
            }
        }
    }
}

static uint32_t new_txn(iso_builder *b, uint32_t session) {
    return iso_builder_txn(b, iso_builder_session(b, iso_atom_uint(session)), iso_atom_nil(), ISO_COMMITTED);
}

static void steps_of(iso_builder *b, const problem *p, iso_env *env, uint32_t i) {
    uint32_t n = p->g.n;
    for (uint32_t u = 0; u < n; u++) {
        locks(b, p, env, i, u, new_txn(b, i + 1), ISO_WRITE);
        iso_builder_op(b, new_txn(b, i + 1), ISO_READ, step_key(b, i), u == 0 ? iso_atom_nil() : iso_atom_uint(u));
        uint32_t leave = new_txn(b, i + 1);
        if (u + 1 == n) {
            iso_builder_op(b, leave, ISO_READ, end_key(b, p), iso_atom_uint(1));
        }
        iso_builder_op(b, leave, ISO_WRITE, step_key(b, i), iso_atom_uint(u + 1));
        locks(b, p, env, i, u, new_txn(b, i + 1), ISO_READ);
    }
}

static void build(iso_reduce *r, iso_builder *b) {
    problem *p = ISO_ZNEW(r->pool, problem, 1);
    const char *text;
    r->state = p;
    r->level = iso_level_find(iso_arg_text(r->args, "level"), NULL);
    p->k = (uint32_t)iso_arg_count(r->args, "sessions");
    p->g = iso_graph_from_args(r->args, &text);
    iso_graph_facts facts = iso_graph_facts_of(&p->g, r->pool);
    iso_printer about = {.target = ISO_PLAIN, .pool = r->pool};
    iso_print(&about, "%.400s; clique %u", text, p->k);
    iso_graph_about(b, r->pool, iso_printed(&about), &facts);
    uint64_t free_pairs = (uint64_t)p->g.n * p->g.n - p->g.first[p->g.n];
    if (2.0 * p->k * (p->k - 1) * (double)free_pairs + 4.0 * p->k * p->g.n > ISO_ID_MAX) {
        iso_throw(r->pool->env, ISOLAB_E_LIMIT, "the graph is too large: a history has at most %u operations",
                  ISO_ID_MAX);
    }
    uint32_t txn = new_txn(b, 0);
    iso_builder_op(b, txn, ISO_WRITE, end_key(b, p), iso_atom_uint(1));
    for (uint32_t i = 0; i < p->k; i++) {
        iso_builder_op(b, txn, ISO_WRITE, step_key(b, i), iso_atom_uint((uint64_t)p->g.n + 1));
    }
    if (p->g.n == 0) { /* no node, so no clique: T and another transaction read from each other */
        uint32_t other = new_txn(b, 1);
        iso_builder_op(b, txn, ISO_READ, step_key(b, p->k + 1), iso_atom_uint(1));
        iso_builder_op(b, other, ISO_READ, end_key(b, p), iso_atom_uint(1));
        iso_builder_op(b, other, ISO_WRITE, step_key(b, p->k + 1), iso_atom_uint(1));
    }
    for (uint32_t i = 0; i < p->k; i++) {
        steps_of(b, p, r->pool->env, i);
    }
}

static bool is_clique(const problem *p, const uint32_t *node) {
    for (uint32_t i = 0; i < p->k; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (node[i] >= p->g.n || !iso_graph_has(&p->g, node[i], node[j])) {
                return false;
            }
        }
    }
    return p->k == 0 || node[0] < p->g.n;
}

/* Finds k nodes in increasing order, by trying all: the problem's own solver. */
static bool find_clique(const problem *p, iso_env *env, uint32_t *node) {
    uint32_t depth = 0;
    node[0] = 0;
    for (;;) {
        iso_tick(env);
        if (node[depth] >= p->g.n) {
            if (depth == 0) {
                return false;
            }
            node[--depth]++;
            continue;
        }
        uint32_t i = 0;
        while (i < depth && iso_graph_has(&p->g, node[i], node[depth])) {
            i++;
        }
        if (i < depth) {
            node[depth]++;
        } else if (depth + 1 == p->k) {
            return true;
        } else {
            node[depth + 1] = node[depth] + 1;
            depth++;
        }
    }
}

/* The serial order of a clique. */
static uint32_t order_of(const problem *p, const uint32_t *node, uint32_t *order) {
    uint32_t n = 0;
    for (int after = 0; after < 2; after++) {
        for (uint32_t i = 0; i < p->k && after == 0; i++) {
            for (uint32_t x = 0; x < node[i] * STEPS; x++) {
                order[n++] = txn_of(p, i, 0, x);
            }
        }
        for (uint32_t i = 0; i < p->k; i++) {
            order[n++] = txn_of(p, i, node[i], after ? LEAVE : LOCK);
            order[n++] = txn_of(p, i, node[i], after ? FREE : ENTER);
        }
        if (!after) {
            order[n++] = 0;
        }
    }
    for (uint32_t i = 0; i < p->k; i++) {
        for (uint32_t x = (node[i] + 1) * STEPS; x < p->g.n * STEPS; x++) {
            order[n++] = txn_of(p, i, 0, x);
        }
    }
    return n;
}

/* The node of each session: that of its first leave after T. */
static void nodes_of(const problem *p, const uint32_t *order, uint32_t n, uint32_t *node) {
    iso_fill_none(node, p->k);
    bool after = false;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t x = order[at] - 1;
        after = after || order[at] == 0;
        if (after && order[at] != 0 && x % STEPS == LEAVE) {
            uint32_t i = x / STEPS / p->g.n, u = x / STEPS % p->g.n;
            node[i] = node[i] == UINT32_MAX ? u : node[i];
        }
    }
}

static void print_nodes(const problem *p, const uint32_t *node, FILE *out) {
    for (uint32_t i = 0; i < p->k; i++) {
        iso_say(out, " %u", node[i]);
    }
    iso_say(out, "\n");
}

static bool explain(iso_reduce *r, const isolab_history *h, FILE *out) {
    const problem *p = r->state;
    uint32_t *node = ISO_NEW(r->pool, uint32_t, (size_t)p->k + 1);
    bool has = find_clique(p, r->pool->env, node), good = true;
    iso_say(out, "graph: %u nodes, %" PRIu64 " edges, %s clique of %u nodes\n", p->g.n, p->g.first[p->g.n] / 2,
            has ? "with a" : "without a", p->k);
    if (has) {
        uint32_t *order = ISO_NEW(r->pool, uint32_t, h->n_txns);
        bool serial = iso_replay(h, r->pool, order, order_of(p, node, order), false);
        iso_say(out, "the clique as a commit order: %s; the clique:", serial ? "a serial one" : "NOT a serial one");
        print_nodes(p, node, out);
        good = serial;
    }
    iso_result result;
    isolab_verdict verdict = iso_reduce_ask(r, r->pool, h, r->level, &result);
    iso_say(out, "history: %u sessions, %u transactions, %u operations, level %s: %s\n", h->n_sessions, h->n_txns,
            h->n_ops, iso_level_get(r->level)->name, iso_verdict_text(verdict));
    good = good && (verdict == ISOLAB_SATISFIED) == has;
    if (verdict == ISOLAB_SATISFIED && result.order != NULL) {
        nodes_of(p, result.order, result.n_order, node);
        bool right = is_clique(p, node);
        iso_say(out, "the commit order as nodes, which are %s:", right ? "a clique" : "NO clique");
        print_nodes(p, node, out);
        good = good && right;
    }
    return good;
}

static bool certify(iso_reduce *r, const isolab_history *h, iso_result *result) {
    const problem *p = r->state;
    uint32_t *node = ISO_NEW(r->pool, uint32_t, (size_t)p->k + 1);
    if (!find_clique(p, r->pool->env, node)) {
        return false;
    }
    result->verdict = ISOLAB_SATISFIED;
    result->order = ISO_NEW(result->pool, uint32_t, h->n_txns);
    result->n_order = order_of(p, node, result->order);
    return true;
}

static void map(const iso_reduce *r, const isolab_history *h, FILE *out) {
    static const char *const name[] = {"lock", "enter", "leave", "free"};
    const problem *p = r->state;
    iso_printer json = {.out = out, .target = ISO_JSON};
    char text[ISO_NAME_SIZE];
    iso_print(&json, "{\"step\":\"together\",\"transaction\":%s}\n", iso_txn_text(h, 0, text));
    for (uint32_t x = 1; x < h->n_txns && p->g.n > 0; x++) {
        iso_print(&json, "{\"step\":%s,\"chooser\":%u,\"node\":%u,\"transaction\":%s}\n", name[(x - 1) % STEPS],
                  (x - 1) / STEPS / p->g.n, (x - 1) / STEPS % p->g.n, iso_txn_text(h, x, text));
    }
}

static const iso_option options[] = {
    {ISO_COUNT("sessions", "3", 1, 1000, "nodes of the clique: a session chooses each")},
    {ISO_WORD("level", "ser", "ser si pc", "level that --explain asks for"), .of = ISO_OF_SOME_LEVELS, .letter = 'l'},
    ISO_GRAPH_OPTIONS,
    ISO_END};

const iso_reduction iso_reduction_clique = {
    .name = "clique",
    .summary = "does a graph have a clique of k nodes? As pc, si or ser of a history of k + 1 sessions",
    .paper = "Biswas and Enea 2019; Chen, Huang, Kanj and Xia 2006",
    .options = options,
    .build = build,
    .map = map,
    .explain = explain,
    .certify = certify,
};
