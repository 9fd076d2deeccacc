/* The plan of `strong`, and its options. See strong.h. */
#include "checkers/strong/strong.h"

#include "checkers/anomaly.h"
#include "checkers/strong/narrow.h"
#include "history/read_consistency.h"

/* A conflict takes back the last decision alone: most decisions before it have nothing to do with it. */
#define STAY 1

/* Every stage: its name, the values of its option (`yes` alone: it cannot be left out), and what it does. */
#define PLAN(STAGE)                                                                                                    \
    STAGE(execute, ISO_YES_NO, "find a serial order by executing the history and repairing the order")                 \
    STAGE(reads, "yes", "check read consistency")                                                                      \
    STAGE(model, "yes", "build the polygraph; refute list reads that contradict each other")                           \
    STAGE(guess, ISO_YES_NO, "guess an order of the polygraph and repair it")                                          \
    STAGE(direct, ISO_YES_NO, "find a short cycle of direct dependencies")                                             \
    STAGE(serial, ISO_YES_NO, "pc and si: find a serial order by the stages below")                                    \
    STAGE(rank, "yes", "order the events by the edges that are known; refute a cycle of them")                         \
    STAGE(saturate, ISO_YES_NO, "infer edges, and rule out writers of repeated values, to a fixed point")              \
    STAGE(search, "yes", "search an order that meets the other constraints")

typedef struct stage {
    const char *name;
    isolab_verdict (*run)(strong *s);
} stage;

static const stage plan[] = {
#define STAGE(name, values, help) {#name, iso_strong_##name},
    PLAN(STAGE)
#undef STAGE
};
enum { STAGES = sizeof plan / sizeof *plan };

static const iso_checker_option options[] = {
#define STAGE(name, values, help) {#name, values, "stage: " help},
    PLAN(STAGE)
#undef STAGE
        {"clocks", ISO_YES_NO,
         "saturate with session clocks, or else stretch by stretch; default by the number of sessions"},
    {"stretch", "1..", "events of a stretch; default by their number"},
    {"few-writers", "0..",
     "keys of at most this many writers are looked at writer by writer, others session by "
     "session; default by the number of sessions"},
    {"stay", "0..",
     "a conflict that would take back more decisions than this takes back the last one alone; default 1"},
    {NULL, NULL, NULL},
};

static strong_options read_options(iso_env *env, const char *given) {
    char value[16];
    strong_options o = {.saturation = STRONG_CLOCKS_BY_SIZE};
    if (iso_option_value(given, "clocks", value, sizeof value) != NULL) {
        bool clocks = iso_option_flag(env, "strong", given, "clocks", true);
        o.saturation = clocks ? STRONG_CLOCKS : STRONG_STRETCHES;
    }
    o.stretch = iso_option_number(env, "strong", given, "stretch", UINT64_MAX, UINT64_MAX);
    o.few_writers = iso_option_number(env, "strong", given, "few-writers", UINT64_MAX, UINT64_MAX);
    o.stay = (uint32_t)iso_option_number(env, "strong", given, "stay", STAY, UINT32_MAX);
    return o;
}

bool iso_strong_wanted(const strong *s, const char *name) {
    return iso_option_flag(s->pool->env, "strong", s->request->options, name, true);
}

static void run(const isolab_history *h, const iso_request *request, iso_result *result) {
    strong_options o = read_options(result->pool->env, request->options);
    strong s = {.h = h,
                .request = request,
                .options = &o,
                .result = result,
                .pool = result->pool,
                .level = request->level,
                .sessions = !request->no_session_order};
    isolab_verdict verdict = ISOLAB_UNKNOWN;
    for (size_t i = 0; i < STAGES && verdict == ISOLAB_UNKNOWN; i++) {
        if (iso_strong_wanted(&s, plan[i].name)) {
            int64_t since = iso_now();
            verdict = plan[i].run(&s);
            iso_result_phase(result, plan[i].name, since);
        }
    }
    result->verdict = verdict;
    if (s.unproved) {
        int64_t since = iso_now();
        iso_strong_prove(&s);
        iso_result_phase(result, "prove", since);
    }
}

isolab_verdict iso_strong_refuted(strong *s, strong_hints hints) {
    s->result->verdict = ISOLAB_VIOLATED;
    s->unproved = true;
    s->hints = hints;
    return ISOLAB_VIOLATED;
}

static void report_int(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    iso_result_anomaly(arg,
                       (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read_op, .other_op = other_op});
}

isolab_verdict iso_strong_reads(strong *s) {
    return iso_check_int(s->h, s->pool, report_int, s->result) > 0 ? ISOLAB_VIOLATED : ISOLAB_UNKNOWN;
}

static void report_list(void *arg, const iso_list_fault *f) {
    static const iso_anomaly_kind kind[] = {[ISO_LIST_INCOMPATIBLE] = ISO_A_INCOMPATIBLE_ORDER,
                                            [ISO_LIST_DUPLICATE] = ISO_A_DUPLICATE_APPEND,
                                            [ISO_LIST_LOST] = ISO_A_LOST_ELEMENT};
    iso_result *result = arg;
    if (result->n_anomalies == 0) {
        iso_result_anomaly(result,
                           (iso_anomaly){.kind = (uint8_t)kind[f->kind], .op = f->read_op, .other_op = f->other_op});
    }
}

isolab_verdict iso_strong_model(strong *s) {
    iso_strong_model_build(&s->model, s->pool, s->h, s->level, !s->sessions, s->attempt ? NULL : report_list,
                           s->result);
    if (s->model.lists != NULL && s->model.lists->n_faults > 0) {
        return ISOLAB_VIOLATED;
    }
    iso_strong_order_init(&s->order, &s->model, s->pool);
    return ISOLAB_UNKNOWN;
}

void iso_strong_write_order(strong *s, const uint32_t *by_rank) {
    strong_model *m = &s->model;
    iso_result *result = s->result;
    if (!s->request->certificate) {
        return;
    }
    result->order = ISO_NEW(result->pool, uint32_t, m->n_txns);
    result->n_order = 0;
    for (uint32_t i = 0; i < s->order.n; i++) {
        uint32_t t = strong_txn(m, by_rank[i]);
        if (t < m->n_txns && by_rank[i] == strong_commit(m, t) && (m->excluded == NULL || !m->excluded[t])) {
            result->order[result->n_order++] = m->txn[t];
        }
    }
    if (!m->h->unique) {
        iso_strong_settle_reads(m, by_rank, s->order.n);
        result->read_from = iso_strong_choices(m, result->pool);
    }
}

#define LEVELS (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SSER))

const iso_checker iso_checker_strong = {
    .name = "strong",
    .summary = "a guess of the order that is repaired; else saturation, then search",
    .complexity = "O(n k) a round for k sessions; exponential at worst",
    .paper = "docs/strong.md",
    .levels = LEVELS,
    .can = ISO_CAN_DUPLICATES | ISO_CAN_LISTS | ISO_CAN_NO_SESSIONS,
    .preferred = LEVELS,
    .options = options,
    .run = run,
};
