/* `sat`: every level directly from its definition, as clauses over commit-order variables, solved by CaDiCaL.
 *
 * The formula starts with the possible writes of each read. Each model gives an order. If the model's pairs are not an
 * order, transitivity is added; if the order violates the level's axiom, the violated instances are added. This goes on
 * until a model violates nothing (satisfied) or no model exists (violated). Every clause follows from the definition,
 * so both answers are exact. Even with hundreds of transactions only a small part of the n^3 clauses of the whole
 * formula is needed. A violation is proved by these same clauses (proof.c).
 *
 * It shares no code with the other checkers, and has its own INT, so it can judge them. */
#include <string.h>

#include "checkers/sat/sat.h"

/* CaDiCaL asks now and then whether to stop. It must not be unwound by longjmp: the caller ticks after it. */
static int stop(void *state) { return iso_over(state) != ISO_LIMIT_NONE; }

static void answer(sat *s) {
    const isolab_history *h = s->h;
    iso_result *result = s->result;
    result->verdict = ISOLAB_SATISFIED;
    result->order = ISO_NEW(result->pool, uint32_t, s->n); /* int and ci: it only says which transactions are
                                                            * included */
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t v = iso_sat_orders(s) ? s->order[i] : i;
        if (iso_sat_included(s, v)) {
            result->order[result->n_order++] = s->txn[v];
        }
    }
    if (!h->unique) {
        result->read_from = ISO_NEW_NONE(result->pool, h->n_ops);
        for (uint32_t r = 0; r < s->n_reads; r++) {
            if (s->reads[r].chosen != ISO_NONE) {
                result->read_from[s->reads[r].op] = s->choices[s->reads[r].chosen].op;
            }
        }
    }
}

static void work(void *arg) {
    sat *s = arg;
    int64_t since = iso_now(), solving = 0;
    uint64_t rounds = 0, cycles = 0, axioms = 0;
    iso_sat_reads_start(s);
    if (s->question->certificate) {
        s->proof = iso_proof_commits(s->pool, s->h, s->question->level);
    }
    if (iso_sat_orders(s)) {
        iso_sat_order_start(s);
    }
    iso_sat_reads_encode(s);
    iso_result_phase(s->result, "construct", since);
    bool done = s->result->n_anomalies > 0; /* a read that no write can explain */
    while (!done) {
        iso_tick_slow(s->env);
        rounds++;
        int64_t before = iso_now();
        int verdict = ccadical_solve(s->solver);
        solving += iso_now() - before;
        if (verdict == 20) {
            iso_result_anomaly(s->result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
            done = true;
        } else if (verdict != 10) {
            iso_tick_slow(s->env);
            iso_throw(s->env, ISOLAB_E_INTERNAL, "CaDiCaL stopped without an answer");
        } else {
            uint64_t clauses = s->n_clauses;
            iso_sat_model(s);
            iso_sat_reads_model(s);
            if (iso_sat_orders(s) && !iso_sat_order_model(s)) {
                cycles += s->n_clauses - clauses;
            } else if ((iso_sat_orders(s) && s->h->has_lists && iso_sat_lists(s) > 0) || iso_sat_axioms(s) > 0) {
                axioms += s->n_clauses - clauses;
            } else {
                answer(s);
                done = true;
            }
        }
    }
    iso_result_phase(s->result, "solve", iso_now() - solving);
    iso_result_counter(s->result, "rounds", rounds);
    iso_result_counter(s->result, "variables", (uint64_t)s->n_vars);
    iso_result_counter(s->result, "clauses", s->n_clauses);
    iso_result_counter(s->result, "cycle clauses", cycles);
    iso_result_counter(s->result, "axiom clauses", axioms);
    if (s->question->dimacs != NULL) {
        iso_sat_write_dimacs(s);
    }
    if (s->result->n_anomalies > 0 && s->result->anomalies[0].kind == ISO_A_NO_ORDER && s->proof != NULL) {
        iso_sat_proof_end(s);
    }
}

static const iso_option options[] = {
    {ISO_COUNT("proof-conflicts", "200000", 0, ISO_ANY,
               "conflicts that the search for a certificate of a violation may take; 0: any number"),
     ISO_TO(sat, proof_conflicts)},
    ISO_END};

static void run_sat(const iso_checker *self, const isolab_history *h, const iso_question *question,
                    iso_result *result) {
    iso_env *env = result->pool->env;
    iso_pool pool;
    iso_pool_init(&pool, env);
    sat s = {.h = h,
             .question = question,
             .result = result,
             .pool = &pool,
             .env = env,
             .rules = iso_level_get(question->level)->rules,
             .sessions = !question->no_session_order};
    iso_options_read(result->pool, self->options, question->options, &s);
    s.solver = ccadical_init();
    if (s.solver == NULL) {
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "out of memory (CaDiCaL)");
    }
    ccadical_set_option(s.solver, "quiet", 1);
    ccadical_set_option(s.solver, "lucky", 0); /* this technique may run for minutes without a call of stop() */
    ccadical_set_terminate(s.solver, env->limits, stop);
    int code = iso_guard(env, work, &s);
    ccadical_release(s.solver);
    iso_pool_free(&pool);
    if (code != ISOLAB_OK) {
        iso_rethrow(env);
    }
}

const iso_checker iso_checker_sat = {
    .name = "sat",
    .summary = "the definition as clauses, solved by CaDiCaL",
    .complexity = "exponential at worst; n^2 memory",
    .paper = "awdit.txt definitions 2.3 to 2.8, plume.txt definitions 3 and 4; docs/lists.md",
    .rules = ISO_RULES_SSER,
    .can = ISO_CAN_DUPLICATES | ISO_CAN_NEGATIONS | ISO_CAN_LISTS | ISO_CAN_TWIN_ELEMENTS | ISO_CAN_NO_SESSIONS |
           ISO_CAN_FORMULA,
    .most_txns = 5000,
    .options = options,
    .run = run_sat,
};
