/* The plan of `mtc`. See mtc.h. */
#include "checkers/mtc/mtc.h"

#include <string.h>

#include "base/option.h"
#include "checkers/anomaly.h"
#include "history/read_consistency.h"
#include "linear/linear.h"

static void report_int(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    iso_result_anomaly(arg,
                       (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read_op, .other_op = other_op});
}

/* Continues the chains without real time. If the whole history can then be executed, only real time contradicts it, and
 * the steps made before are undone; otherwise it is not serializable, and real time does not matter. */
static void execute_without_time(mtc *m) {
    uint32_t *done = ISO_NEW(m->pool, uint32_t, m->n_chains);
    mtc_clock *clock = m->clock;
    mtc_queues *queues = m->queues;
    uint32_t n_done = m->n_done;
    memcpy(done, m->next, m->n_chains * sizeof *done);
    if (clock != NULL) {
        iso_mtc_clock_release(m);
    } else {
        iso_mtc_queues_release(m);
    }
    m->clock = NULL;
    m->queues = NULL;
    if (iso_mtc_execute(m)) {
        memcpy(m->next, done, m->n_chains * sizeof *done);
        m->n_done = n_done;
        m->clock = clock;
        m->queues = queues;
    }
}

/* Reports why some transactions could not be executed. */
static void explain(mtc *m) {
    int64_t since = iso_now();
    uint64_t offences = iso_check_int(m->h, m->pool, report_int, m->result);
    iso_result_phase(m->result, "reads", since);
    if (offences > 0) {
        return;
    }
    m->order = NULL;
    since = iso_now();
    if (m->clock != NULL || m->queues != NULL) {
        execute_without_time(m);
        iso_result_phase(m->result, "without time", since);
        since = iso_now();
    }
    bool found = iso_mtc_pairs(m);
    iso_result_phase(m->result, "pairs", since);
    if (!found) {
        since = iso_now();
        iso_mtc_cycle(m);
        iso_result_phase(m->result, "cycle", since);
    }
}

typedef struct lightweight {
    mtc *m;
    iso_pool *pool;
    iso_linear_answer answer;
} lightweight;

static void try_chains(void *arg) {
    lightweight *x = arg;
    iso_result *r = x->m->result;
    bool order = x->m->order != NULL;
    x->answer = iso_linear_chains(x->m->h, !x->m->question->no_session_order, x->pool, r->pool,
                                  order ? &r->order : NULL, &r->n_order);
}

/* For lightweight transactions, of one key each: returns whether their chains are linearizable. If it returns false,
 * the execution decides. */
static bool linear(mtc *m) {
    iso_result *r = m->result;
    if (!iso_level_is_timed(m->level) || !m->h->has_times || !m->options.chains) {
        return false;
    }
    int64_t since = iso_now();
    iso_pool scratch;
    iso_pool_init(&scratch, m->pool->env);
    lightweight x = {.m = m, .pool = &scratch};
    iso_guard_pool(&scratch, try_chains, &x);
    iso_result_phase(r, "chains", since);
    iso_result_counter(r, "chains", x.answer != ISO_LINEAR_TOO_MANY);
    r->verdict = x.answer == ISO_LINEAR ? ISOLAB_SATISFIED : r->verdict;
    return x.answer == ISO_LINEAR;
}

static void check(void *arg) {
    mtc *m = arg;
    const isolab_history *h = m->h;
    iso_result *r = m->result;
    if (linear(m)) {
        return;
    }
    int64_t since = iso_now();
    iso_mtc_prepare(m);
    if (m->level == ISO_SSER && h->has_times) {
        iso_mtc_clock_start(m);
    } else if (m->level == ISO_LSER && h->has_times) {
        iso_mtc_queues_start(m);
    }
    iso_result_phase(r, "prepare", since);
    since = iso_now();
    bool all = iso_mtc_execute(m);
    iso_result_phase(r, "execute", since);
    r->verdict = all ? ISOLAB_SATISFIED : ISOLAB_VIOLATED;
    if (!all) {
        explain(m);
    } else if (m->order != NULL) {
        r->order = m->order;
        r->n_order = m->n_done;
    }
}

static void run_mtc(const iso_checker *self, const isolab_history *h, const iso_question *question,
                    iso_result *result) {
    iso_pool pool;
    iso_pool_init(&pool, result->pool->env);
    mtc m = {.h = h, .question = question, .result = result, .pool = &pool, .level = question->level};
    iso_options_read(&pool, self->options, question->options, &m.options);
    if (question->certificate) {
        m.order = ISO_NEW(result->pool, uint32_t, h->n_txns);
    }
    iso_guard_pool(&pool, check, &m);
}

#define LEVELS (ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_TIMED_LEVELS)

const iso_checker iso_checker_mtc = {
    .name = "mtc",
    .summary = "mini-transactions with unique values: their one dependency graph, by executing the history",
    .complexity = "O(n); sser O(n log k)",
    .paper = "mtc-appendix.txt, theorems 4 to 8",
    .levels = LEVELS,
    .preferred = LEVELS,
    .can = ISO_CAN_NO_SESSIONS,
    .options = iso_mtc_options,
    .refuses = iso_mtc_refuses,
    .run = run_mtc,
};
