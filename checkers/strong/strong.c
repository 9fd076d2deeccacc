/* `strong`: prefix consistency, snapshot isolation, serializability and strict serializability of large histories.
 *
 * A serial order, guessed by executing the history and then mended (serial.h), explains nearly every history of a
 * serializable store. Else read consistency; a guess of the level's own order (guess.h), which does the same for a
 * store that keeps its promises; else saturation by session clocks (order.h), or stretch by stretch where there
 * are too many sessions for clocks (window.h), which settles nearly everything in real histories; open reads of
 * repeated values, narrowed by what is known (narrow.c); then a search over what is left (search.h).
 * Satisfied: the order that it ends with is the commit order. Violated: a cycle with its justification, or, where
 * values were narrowed or search was needed, a clausal proof and the least bad of its cycles (proof.h); but
 * before all inference a short cycle that needs none is looked for (direct.h). */
#include <string.h>

#include "base/machine.h"
#include "checkers/anomaly.h"
#include "checkers/checker.h"
#include "checkers/strong/direct.h"
#include "checkers/strong/execute.h"
#include "checkers/strong/explain.h"
#include "checkers/strong/guess.h"
#include "checkers/strong/hints.h"
#include "checkers/strong/narrow.h"
#include "checkers/strong/proof.h"
#include "checkers/strong/replay.h"
#include "checkers/strong/search.h"
#include "checkers/strong/serial.h"
#include "checkers/strong/window.h"
#include "history/read_consistency.h"

static void report_int(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    iso_result_anomaly(arg, (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read_op,
                                          .other_op = other_op});
}

static void report_list(void *arg, const iso_list_fault *f) {
    static const iso_anomaly_kind kind[] = {[ISO_LIST_INCOMPATIBLE] = ISO_A_INCOMPATIBLE_ORDER,
                                            [ISO_LIST_DUPLICATE] = ISO_A_DUPLICATE_APPEND,
                                            [ISO_LIST_LOST] = ISO_A_LOST_ELEMENT};
    iso_result *result = arg;
    if (result->n_anomalies == 0) {
        iso_result_anomaly(result, (iso_anomaly){.kind = (uint8_t)kind[f->kind], .op = f->read_op,
                                                 .other_op = f->other_op});
    }
}

/* The commit order, and the writers that open reads were given. */
static void write_order(const strong_order *o, strong_model *m, const uint32_t *by_rank, iso_result *result) {
    result->order = ISO_NEW(result->pool, uint32_t, m->n_txns);
    result->n_order = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t t = strong_txn(m, by_rank[i]);
        if (t < m->n_txns && by_rank[i] == strong_commit(m, t) && (m->absent == NULL || !m->absent[t])) {
            result->order[result->n_order++] = m->txn[t];
        }
    }
    if (!m->h->unique) {
        iso_strong_settle_reads(m, by_rank, o->n);
        result->read_from = iso_strong_choices(m, result->pool);
    }
}

/* An option that is on unless it is `no`. */
static bool wanted(iso_env *env, const iso_request *request, const char *option) {
    return iso_option_flag(env, "strong", request->options, option, true);
}

/* Most violations the history shows directly, and then nothing need be inferred. */
static bool shown(const strong_model *m, const iso_request *request, iso_result *result) {
    int64_t since = iso_now();
    bool found = wanted(result->pool->env, request, "direct") && iso_strong_direct(m, result);
    iso_result_phase(result, "direct", since);
    return found;
}

static uint32_t few_writers(const strong_order *o, const iso_request *request) {
    return (uint32_t)iso_option_number(o->pool->env, "strong", request->options, "few-writers",
                                       strong_few_writers(o->m->k), UINT32_MAX);
}

/* Saturation has ended in a cycle. That the history is violated is certain by now, and stays so should a limit be
 * reached before it is explained. */
static void explain(const strong_order *o, const strong_model *m, const iso_request *request, iso_result *result) {
    result->verdict = ISOLAB_VIOLATED;
    if (!iso_strong_explain(o, result)) {
        strong_hints hints = iso_strong_hints_of_cycle(o, result->pool);
        iso_strong_prove(m->h, request, &hints, result);
    }
}

/* Saturates; false when that ends in a cycle. */
static bool saturate_clocks(strong_order *o, strong_model *m, const iso_request *request, strong_rest *rest) {
    iso_strong_order_clocks(o, few_writers(o, request));
    do {
        if (!iso_strong_saturate(o)) {
            return false;
        }
    } while (iso_strong_narrow(o, m) == STRONG_NARROWED);
    rest->when = iso_strong_order_predecessors(o);
    return true;
}

static bool settle(strong_order *o, strong_model *m, const iso_request *request, strong_rest *rest,
                   iso_result *result) {
    int64_t since = iso_now();
    strong_hints hints;
    bool possible = saturate_clocks(o, m, request, rest);
    iso_result_phase(result, "saturate", since);
    if (!possible) {
        explain(o, m, request, result);
        return false;
    }
    if (iso_strong_hints_of_read(o, o->pool, &hints)) { /* a read that nobody is left for */
        result->verdict = ISOLAB_VIOLATED;
        iso_strong_prove(m->h, request, &hints, result);
        return false;
    }
    return true;
}

/* Events of a stretch that is saturated at once: 32 MB of bits. A history that takes no more than 256 MB is one
 * stretch. */
#define STRETCH 16384
#define ONE_STRETCH 45000

/* Saturates; false when that ends in a cycle, or there is one from the beginning. */
static bool saturate_stretches(strong_order *o, strong_model *m, const iso_request *request, strong_rest *rest) {
    uint32_t width = (uint32_t)iso_option_number(o->pool->env, "strong", request->options, "window",
                                                 o->n <= ONE_STRETCH ? o->n : STRETCH, UINT32_MAX);
    uint32_t *by_rank = ISO_NEW(o->pool, uint32_t, o->n);
    bool possible = iso_strong_replay(o, o->pool, by_rank) &&
                    (width == 0 || (iso_strong_window_saturate(o, m, o->pool, by_rank, width, rest) &&
                                    iso_strong_topological(o, o->pool, by_rank))); /* stretches may contradict each other */
    iso_free(o->pool, by_rank);
    return possible;
}

static bool settle_stretches(strong_order *o, strong_model *m, const iso_request *request, strong_rest *rest,
                             iso_result *result) {
    int64_t since = iso_now();
    bool possible = saturate_stretches(o, m, request, rest);
    iso_result_phase(result, "saturate-stretches", since);
    if (!possible) {
        explain(o, m, request, result);
    }
    return possible;
}

/* A serial order is one of pc and si, too, and easier to find than one of twice as many events. */
typedef enum { GUESS, CLOCKS, STRETCHES } serial_way;

typedef struct serial_job {
    const isolab_history *h;
    const iso_request *request;
    iso_result *result;
    iso_pool pool;
    serial_way way;
    bool found;
} serial_job;

/* Conflicts until it is given up, besides one for each event. */
#define SERIAL_CONFLICTS 20000

static uint32_t *search_serially(const serial_job *j, strong_order *o, strong_model *m) {
    strong_open open;
    strong_rest rest = {0};
    iso_strong_model_index(m);
    if (wanted(o->pool->env, j->request, "direct") && iso_strong_direct(m, NULL)) {
        return NULL; /* no order is serial */
    }
    if (j->way == CLOCKS) {
        iso_strong_order_initial_readers(o);
    }
    bool possible = j->way == STRETCHES ? saturate_stretches(o, m, j->request, &rest)
                                        : iso_strong_order_rank(o) && saturate_clocks(o, m, j->request, &rest);
    if (!possible) {
        return NULL;
    }
    iso_strong_open_init(&open, o->pool, j->request);
    open.rest = rest.when != NULL ? &rest : NULL;
    open.budget = SERIAL_CONFLICTS + o->n;
    uint32_t *by_rank = iso_strong_search(&open, o, m, !j->request->no_session_order);
    if (by_rank != NULL) {
        iso_strong_open_count(&open, j->result);
    }
    return by_rank;
}

static void look_serially(void *arg) {
    serial_job *j = arg;
    iso_pool *pool = &j->pool;
    strong_model m;
    strong_order o;
    iso_strong_model_build(&m, pool, j->h, ISO_SER, j->request->no_session_order, NULL, NULL);
    if (m.lists != NULL && m.lists->n_faults > 0) {
        return;
    }
    iso_strong_order_init(&o, &m, pool);
    uint32_t *by_rank =
        j->way == GUESS ? iso_strong_guess(pool, &o, &m, j->request, j->result) : search_serially(j, &o, &m);
    j->found = by_rank != NULL;
    if (j->found && j->request->certificate) {
        write_order(&o, &m, by_rank, j->result);
    }
}

static bool serial(const isolab_history *h, const iso_request *request, serial_way way, iso_result *result) {
    if (request->level == ISO_SER || request->level == ISO_SSER || !wanted(result->pool->env, request, "serial") ||
        (way == GUESS && !wanted(result->pool->env, request, "guess"))) {
        return false;
    }
    serial_job j = {.h = h, .request = request, .way = way, .result = result};
    int64_t since = iso_now();
    iso_pool_init(&j.pool, result->pool->env);
    iso_guard_pool(&j.pool, look_serially, &j);
    iso_result_phase(result, way == GUESS ? "guess-serial" : "serial", since);
    return j.found;
}

/* Guesses an order, and mends it. */
static bool guessed(const strong_order *o, strong_model *m, const iso_request *request, iso_result *result) {
    if (!wanted(result->pool->env, request, "guess")) {
        return false;
    }
    int64_t since = iso_now();
    uint32_t *by_rank = iso_strong_guess(o->pool, o, m, request, result);
    if (by_rank != NULL && request->certificate) {
        write_order(o, m, by_rank, result);
    }
    iso_result_phase(result, "guess", since);
    return by_rank != NULL;
}

/* A serial order by executing the history, before anything else: of ser, or one of pc and si, too. */
static bool executed(const isolab_history *h, const iso_request *request, iso_result *result) {
    iso_env *env = result->pool->env;
    if (request->level == ISO_SSER || !wanted(env, request, "guess") ||
        (request->level != ISO_SER && !wanted(env, request, "serial"))) {
        return false;
    }
    int64_t since = iso_now();
    bool found = iso_strong_serial(h, request, result);
    iso_result_phase(result, request->level == ISO_SER ? "guess" : "guess-serial", since);
    return found;
}

/* Clocks of more chains than this cost more than bits of stretches, but they settle nearly all reads of
 * repeated values; and they may take this share of the memory there is. */
#define MOST_CHAINS 384
#define MOST_CHAINS_OPEN 512
#define CLOCK_SHARE 3

static bool clocks_fit(const strong_order *o, const iso_request *request) {
    char value[16];
    if (o->m->k > UINT16_MAX) { /* chains have 16 bits, too */
        return false;
    }
    if (iso_option_value(request->options, "clocks", value, sizeof value) != NULL) {
        return wanted(o->pool->env, request, "clocks");
    }
    uint64_t memory = o->pool->env->limits->memory;
    if (memory == 0) {
        memory = iso_machine_memory();
    }
    return o->m->k <= (o->m->n_open > 0 ? MOST_CHAINS_OPEN : MOST_CHAINS) &&
           iso_strong_order_clock_bytes(o) <= memory / CLOCK_SHARE;
}

static void check(const isolab_history *h, const iso_request *request, iso_result *result) {
    iso_pool *pool = result->pool;
    bool executable = iso_strong_executable(h);
    if (executable && executed(h, request, result)) {
        return;
    }
    int64_t since = iso_now();
    if (iso_check_int(h, pool, report_int, result) > 0 ||
        (!executable && serial(h, request, GUESS, result))) {
        return;
    }
    strong_model m;
    strong_order o;
    iso_strong_model_build(&m, pool, h, request->level, request->no_session_order, report_list, result);
    if (m.lists != NULL && m.lists->n_faults > 0) {
        return;
    }
    iso_strong_order_init(&o, &m, pool);
    iso_result_phase(result, "construct", since);
    bool same_again = executable && request->level == ISO_SER; /* was tried already */
    if (!same_again && guessed(&o, &m, request, result)) {
        return;
    }
    iso_strong_model_index(&m);
    if (shown(&m, request, result)) {
        return;
    }
    since = iso_now();
    bool clocks = m.absent == NULL && clocks_fit(&o, request);
    if (clocks) {
        iso_strong_order_initial_readers(&o);
    }
    bool acyclic = iso_strong_order_rank(&o);
    iso_result_phase(result, "rank", since);
    if (!acyclic) {
        explain(&o, &m, request, result);
        return;
    }
    strong_rest rest = {0};
    if (serial(h, request, clocks ? CLOCKS : STRETCHES, result) ||
        !(clocks ? settle : settle_stretches)(&o, &m, request, &rest, result)) {
        return;
    }
    since = iso_now();
    strong_open open;
    iso_strong_open_init(&open, pool, request);
    open.rest = rest.when != NULL ? &rest : NULL;
    uint32_t *by_rank = iso_strong_search(&open, &o, &m, !request->no_session_order); /* the events in the order found */
    iso_result_phase(result, "solve", since);
    iso_result_counter(result, "rounds", o.rounds + open.rounds);
    iso_result_counter(result, "visits", o.visits);
    iso_result_counter(result, "inferred-edges", o.n_edges);
    iso_strong_open_count(&open, result);
    if (by_rank == NULL) {
        result->verdict = ISOLAB_VIOLATED;
        strong_hints hints = iso_strong_hints_of_search(&o, open.why, open.n_clauses, pool);
        iso_strong_prove(h, request, &hints, result);
    } else if (request->certificate) {
        write_order(&o, &m, by_rank, result);
    }
}

static void run(const isolab_history *h, const iso_request *request, iso_result *result) {
    check(h, request, result);
    iso_result_conclude(result);
}

#define LEVELS (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SSER))

static const iso_checker_option options[] = {
    {"guess", ISO_YES_NO, "first mend a guess of the order, before anything is inferred; default yes"},
    {"clocks", ISO_YES_NO, "saturate with session clocks, or else stretch by stretch; default by the number of sessions"},
    {"window", "0..", "events that are saturated at once where there are no clocks; 0: none; default by their number"},
    {"serial", ISO_YES_NO, "pc and si: look for a serial order first; default yes"},
    {"stay", "0..", "a conflict of the search takes back no decisions more than this number before it; default 1"},
    {"direct", ISO_YES_NO, "look for a short cycle of direct dependencies before anything is inferred; default yes"},
    {"few-writers", "0..", "keys of at most so many writers are looked at writer by writer, others session by session; "
                           "default by the number of sessions"},
    {NULL, NULL, NULL},
};

const iso_checker iso_checker_strong = {
    .name = "strong",
    .summary = "a guess that is mended; else saturation by session clocks, then a search over what is left",
    .complexity = "O(n k) a round for k sessions; exponential at worst",
    .paper = "docs/strong.md",
    .levels = LEVELS,
    .can = ISO_CAN_DUPLICATES | ISO_CAN_LISTS | ISO_CAN_NO_SESSIONS,
    .preferred = LEVELS,
    .options = options,
    .run = run,
};
