/* The plan of `strong`, and its options. See strong.h. */
#include "checkers/strong/strong.h"

#include <stddef.h>

#include "checkers/anomaly.h"
#include "checkers/strong/narrow.h"
#include "history/read_consistency.h"

/* Every stage: its name, and a description. A FIXED stage cannot be left out. */
#define PLAN(STAGE, FIXED)                                                                                             \
    STAGE(frugal, "repeated values in short sessions: find a serial order by what the keys hold")                      \
    STAGE(timed, "few values: find an order that real time allows, too, by the inference below")                       \
    STAGE(execute, "find a serial order by executing the history and repairing the order")                             \
    FIXED(reads, "check read consistency")                                                                             \
    STAGE(keys, "lser and sser of transactions of one key each: search key by key")                                    \
    STAGE(guess, "guess an order of the polygraph and repair it")                                                      \
    FIXED(model, "build the polygraph; refute list reads that contradict each other")                                  \
    STAGE(direct, "find a short cycle of direct dependencies")                                                         \
    STAGE(serial, "pc and si: find a serial order by the stages below")                                                \
    FIXED(rank, "order the events by the edges that are known; refute a cycle of them")                                \
    STAGE(saturate, "infer edges, and rule out writers of repeated values, to a fixed point")                          \
    FIXED(search, "search an order that meets the other constraints")

typedef struct stage {
    const char *name;
    isolab_verdict (*run)(strong *s);
    size_t wanted; /* offset of its flag in the options */
} stage;

static const stage plan[] = {
#define STAGE(name, help) {#name, iso_strong_##name, offsetof(strong_options, name)},
#define FIXED(name, help) {#name, iso_strong_##name, offsetof(strong_options, always)},
    PLAN(STAGE, FIXED)
#undef STAGE
#undef FIXED
};
enum { STAGES = sizeof plan / sizeof *plan };

static const iso_option options[] = {
#define STAGE(name, help) {ISO_FLAG(#name, "yes", "stage: " help), ISO_TO(strong_options, name)},
#define FIXED(name, help) {ISO_FLAG(#name, "yes", "stage: " help), .words = "yes", ISO_TO(strong_options, always)},
    PLAN(STAGE, FIXED)
#undef STAGE
#undef FIXED
        {ISO_WORD("clocks", "auto", "auto yes no",
                  "saturate with session clocks (yes), stretch by stretch (no), or by the number of sessions"),
         ISO_TO(strong_options, clocks)},
    {ISO_COUNT("stretch", NULL, 1, ISO_ANY, "events of a stretch; default by their number"),
     ISO_TO(strong_options, stretch)},
    {ISO_COUNT(
         "few-writers", NULL, 0, ISO_ANY,
         "keys of at most this many writers are looked at writer by writer, others session by session; default by "
         "the number of sessions"),
     ISO_TO(strong_options, few_writers)},
    {ISO_COUNT("stay", "1", 0, UINT32_MAX,
               "a conflict that would take back more decisions than this takes back the last one alone"),
     ISO_TO(strong_options, stay)},
    ISO_END};

static void run(const isolab_history *h, const iso_request *request, iso_result *result) {
    strong_options o = {.few_writers = UINT64_MAX};
    iso_options_read(result->pool, options, request->options, &o);
    strong s = {.h = h,
                .request = request,
                .options = &o,
                .result = result,
                .pool = result->pool,
                .level = request->level,
                .sessions = !request->no_session_order};
    isolab_verdict verdict = ISOLAB_UNKNOWN;
    for (size_t i = 0; i < STAGES && verdict == ISOLAB_UNKNOWN; i++) {
        if (*(const bool *)((const char *)&o + plan[i].wanted)) {
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
    uint32_t read, other;
    if (iso_check_int(s->h, s->pool, report_int, s->result) > 0) {
        return ISOLAB_VIOLATED;
    }
    if (!iso_find_two_values(s->h, s->pool, &read, &other)) {
        return ISOLAB_UNKNOWN;
    }
    iso_result_anomaly(s->result, (iso_anomaly){.kind = ISO_A_NON_REPEATABLE_READ, .op = read, .other_op = other});
    return ISOLAB_VIOLATED;
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
    if (s->order.m != NULL) {
        return ISOLAB_UNKNOWN; /* stage `guess` has built it */
    }
    iso_strong_model_build(&s->model, s->pool, s->h, s->level, s->timed || s->level == ISO_SSER, !s->sessions, s->part,
                           s->attempt ? NULL : report_list, s->result);
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
        result->read_from = iso_strong_settle_reads(m, by_rank, s->order.n, result->pool);
    }
}

#define LEVELS (ISO_LEVEL_BIT(ISO_PC) | ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_TIMED_LEVELS)

const iso_checker iso_checker_strong = {
    .name = "strong",
    .summary = "a guess of the order that is repaired; else saturation, then search",
    .complexity = "O(n k) a round for k sessions; exponential at worst",
    .paper = "docs/strong.md",
    .levels = LEVELS,
    .can = ISO_CAN_DUPLICATES | ISO_CAN_NEGATIONS | ISO_CAN_LISTS | ISO_CAN_NO_SESSIONS,
    .preferred = LEVELS,
    .options = options,
    .run = run,
};
