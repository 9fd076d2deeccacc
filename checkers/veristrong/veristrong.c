/* `veristrong`: serializability and snapshot isolation by hyper-polygraphs and a specialised solver (veristrong.txt,
 * algorithm 1), including repeated values.
 *
 * Stages: construct the hyper-polygraph (graph.c), prune it (prune.c), encode the rest (encode.c), and solve it by
 * CDCL(T) with acyclicity as the theory (graph/solver.h, graph/acyclic.h). The options are the ablations of section
 * 7.3. */
#include <stdlib.h>
#include <string.h>

#include "checkers/anomaly.h"
#include "checkers/veristrong/veristrong.h"

/* Returns whether the transaction is included in the model. */
static bool included(const vs *s, uint32_t v) {
    return s->part[v] == ISO_NONE || iso_solver_value(s->solver, iso_lit_of(s->part[v], false)) > 0;
}

static bool chosen(const vs *s, const iso_vs_candidate *c) {
    return c->known || (c->var != ISO_NONE && iso_solver_value(s->solver, iso_lit_of(c->var, false)) > 0);
}

static void keep_reads(vs *s) {
    const isolab_history *h = s->h;
    uint32_t *from = s->result->read_from = ISO_NEW_NONE(s->result->pool, h->n_ops);
    uint32_t *own = ISO_NEW_NONE(s->pool, h->n_keys);
    for (uint32_t v = 0; v < s->n; v++) {
        for (uint32_t o = h->txn_op[s->txn[v]]; included(s, v) && o < h->txn_op[s->txn[v] + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                own[h->op_key[o]] = o;
            } else if (s->op_read[o] == ISO_NONE) {
                from[o] = own[h->op_key[o]];
            } else {
                const iso_vs_read *r = &s->reads[s->op_read[o]];
                uint32_t c = r->first;
                while (c + 1 < r->end && !chosen(s, &s->candidates[c])) {
                    c++;
                }
                from[o] = s->candidates[c].op;
            }
        }
    }
    iso_free(s->pool, own);
}

/* Gives the commit order: the points of the graph that are vertices (ser) or commits (si). */
static void accept(vs *s) {
    iso_result *result = s->result;
    uint32_t *order = s->graph != NULL ? ISO_NEW(s->pool, uint32_t, s->points) : NULL;
    if (order != NULL) {
        iso_acyclic_vertices(s->graph, order);
    }
    result->verdict = ISOLAB_SATISFIED;
    result->order = ISO_NEW(result->pool, uint32_t, s->n);
    for (uint32_t i = 0; i < s->points; i++) {
        uint32_t point = order != NULL ? order[i] : s->topological[s->points - 1 - i], v = s->si ? point / 2 : point;
        if ((!s->si || point % 2 == 1) && included(s, v)) {
            result->order[result->n_order++] = s->txn[v];
        }
    }
    if (!s->h->unique) {
        keep_reads(s);
    }
}

/* What --option says. */
typedef struct choices {
    bool polarity, cycles, prune;
    uint64_t width;
    const char *solver;
} choices;

static const iso_option options[] = {
    {ISO_FLAG("H", "yes", "polarity from the order of the known graph (algorithm 3)"), ISO_TO(choices, polarity)},
    {ISO_FLAG("C", "yes", "clauses for cycles of small width (algorithm 2)"), ISO_TO(choices, cycles)},
    {ISO_FLAG("P", "yes", "pruning (algorithm 5)"), ISO_TO(choices, prune)},
    {ISO_COUNT("width", "2", 1, 4, "most variables of an encoded cycle; 1 encodes none"), ISO_TO(choices, width)},
    {ISO_WORD("solver", "own", "own cadical", "CDCL modulo acyclicity, or CaDiCaL with cycle clauses added as needed"),
     ISO_TO(choices, solver)},
    ISO_END};

static void count(vs *s) {
    iso_result *result = s->result;
    iso_result_counter(result, "transactions", s->n);
    iso_result_counter(result, "known edges", s->n_facts);
    iso_result_counter(result, "ww constraints", s->n_pairs);
    iso_result_counter(result, "ww open", s->n_open);
    uint64_t ambiguous = 0;
    for (uint32_t r = 0; r < s->n_reads; r++) {
        ambiguous += s->reads[r].left != 1;
    }
    iso_result_counter(result, "wr open", ambiguous);
    if (s->solver != NULL) {
        static const char *const width[5] = {"conflicts of width 1", "conflicts of width 2", "conflicts of width 3",
                                             "conflicts of width 4", "conflicts of width 5 and more"};
        iso_solver_counts c = iso_solver_counters(s->solver);
        iso_result_counter(result, "variables", iso_solver_vars(s->solver));
        iso_result_counter(result, "arcs", iso_acyclic_arcs(s->graph));
        iso_result_counter(result, "cycle clauses", s->cycle_clauses);
        iso_result_counter(result, "decisions", c.decisions);
        iso_result_counter(result, "conflicts", c.conflicts);
        for (int w = 0; w < 5; w++) {
            iso_result_counter(result, width[w], s->widths[w]);
        }
    }
}

/* Solves again, for the proof of a violation, without clauses for cycles, since the proof would have to contain all of
 * them. A fact that pruning found is proved when it is needed. */
static void prove(vs *s) {
    if (!iso_vs_construct(s)) {
        return;
    }
    bool good = iso_vs_prune(s);
    s->proof = iso_vs_proof_new(s);
    if (!good) {
        iso_vs_proof_pruned(s->proof);
    } else if (iso_vs_encode(s) && iso_solver_solve(s->solver, 0) != ISO_SOLVER_UNSAT) {
        iso_throw(s->env, ISOLAB_E_INTERNAL, "veristrong: two answers to one question");
    }
    iso_vs_proof_end(s->proof);
}

static void check(vs *s) {
    if (s->want_proof) {
        prove(s);
        return;
    }
    int64_t since = iso_now();
    bool good = iso_vs_construct(s);
    iso_result_phase(s->result, "construct", since);
    if (!good) {
        return; /* offending reads are reported */
    }
    since = iso_now();
    good = iso_vs_prune(s);
    iso_result_phase(s->result, "prune", since);
    bool search = s->n_open > 0 || s->any_open;
    for (uint32_t r = 0; r < s->n_reads && !search; r++) {
        search = s->reads[r].left != 1;
    }
    if (good && search) {
        since = iso_now();
        good = iso_vs_encode(s);
        iso_result_phase(s->result, "encode", since);
        since = iso_now();
        good = good && (s->lazily ? iso_vs_solve_lazily(s) : iso_solver_solve(s->solver, 0) == ISO_SOLVER_SAT);
        iso_result_phase(s->result, "solve", since);
    }
    count(s);
    if (good) {
        accept(s);
    } else {
        s->result->verdict = ISOLAB_VIOLATED; /* even if it cannot be explained */
        s->certified = iso_vs_report_cycle(s);
    }
}

static void work(void *arg) { check(arg); }

/* Returns whether a violation needs no proof. */
static bool run_once(const isolab_history *h, const iso_question *question, iso_result *result, bool want_proof) {
    iso_env *env = result->pool->env;
    iso_pool pool;
    iso_pool_init(&pool, env);
    vs s = {.h = h,
            .question = question,
            .result = result,
            .pool = &pool,
            .env = env,
            .si = question->level == ISO_SI,
            .sessions = !question->no_session_order,
            .dead_read = ISO_NONE,
            .want_proof = want_proof};
    choices chosen;
    iso_options_read(result->pool, options, question->options, &chosen);
    s.polarity = chosen.polarity;
    s.prune = chosen.prune;
    s.width = chosen.cycles && !want_proof ? (unsigned)chosen.width : 1;
    s.lazily = !want_proof && strcmp(chosen.solver, "cadical") == 0;
    iso_guard_pool(&pool, work, &s);
    return s.certified;
}

static void run_veristrong(const iso_checker *self, const isolab_history *h, const iso_question *question,
                           iso_result *result) {
    (void)self;
    bool certified = run_once(h, question, result, false);
    bool offence = result->n_anomalies > 0 && result->anomalies[0].op != ISO_NONE;
    if (result->verdict == ISOLAB_VIOLATED && question->certificate && !certified && !offence) {
        int64_t since = iso_now();
        iso_result scratch;
        iso_result_init(&scratch, result->pool);
        run_once(h, question, &scratch, true);
        result->proof = scratch.proof;
        result->proof_size = scratch.proof_size;
        result->edges = scratch.edges; /* report the case that the proof shows instead of the search's */
        result->n_edges = scratch.n_edges;
        result->edges_room = scratch.edges_room;
        result->seen[result->anomalies[--result->n_anomalies].kind]--;
        iso_result_anomaly(result, scratch.anomalies[0]);
        iso_result_phase(result, "proof", since);
    }
}

const iso_checker iso_checker_veristrong = {
    .name = "veristrong",
    .summary = "hyper-polygraphs, pruning, small cycles, and CDCL modulo acyclicity",
    .complexity = "exponential at worst; n^2 bits of memory",
    .paper = "veristrong.txt, algorithms 1 to 9",
    .levels = ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SI),
    .can = ISO_CAN_DUPLICATES | ISO_CAN_NO_SESSIONS,
    .options = options,
    .run = run_veristrong,
};
