/* The plan of `strong`, and its options. See strong.h. */
#include "checkers/strong/strong.h"

#include <stddef.h>
#include <stdio.h>

#include "checkers/anomaly.h"
#include "history/read_consistency.h"

typedef struct stage {
    const char *name;
    isolab_verdict (*run)(strong *s);
    size_t wanted; /* offset of its flag in the options */
} stage;

#define STAGE(name)                                                                                                    \
    { #name, iso_strong_##name, offsetof(strong_options, name) }
#define STAGE_OF(option, name)                                                                                         \
    { #name, iso_strong_##name, offsetof(strong_options, option) }

static const stage plan[] = {STAGE_OF(serial, timed),
                             STAGE(execute),
                             STAGE_OF(always, reads),
                             STAGE(keys),
                             STAGE(guess),
                             STAGE_OF(always, model),
                             STAGE(direct),
                             STAGE(serial),
                             STAGE_OF(always, rank),
                             STAGE(saturate),
                             STAGE_OF(always, search)};
enum { STAGES = sizeof plan / sizeof *plan };

static const iso_option options[] = {
    {ISO_FLAG("execute", "yes",
              "stage: find a serial order by executing the history while sessions take turns, and repairing the order"),
     ISO_TO(strong_options, execute)},
    {ISO_FLAG("keys", "yes", "stage: lser and sser of transactions of one key each: search key by key"),
     ISO_TO(strong_options, keys)},
    {ISO_FLAG("guess", "yes", "stage: guess an order of the polygraph and repair it"), ISO_TO(strong_options, guess)},
    {ISO_FLAG("direct", "yes", "stage: find a short cycle of direct dependencies"), ISO_TO(strong_options, direct)},
    {ISO_FLAG("serial", "yes",
              "stages: find an order of a stronger level by the stages below: with real time where values are few, and "
              "for pc and si a serial one"),
     ISO_TO(strong_options, serial)},
    {ISO_WORD("saturate", "yes", "yes clocks chains stretches short no",
              "stage: infer edges, and rule out writers of repeated values, to a fixed point: with session clocks "
              "(chains: all keys chain by chain), or stretch by stretch (short: of a quarter of the history); yes: by "
              "its size"),
     ISO_TO(strong_options, saturation)},
    ISO_END};

/* Returns the name of the phase of a stage: `serial: search` of a child plan. */
static const char *phase_name(const strong *s, const char *name) {
    if (s->child == NULL) {
        return name;
    }
    size_t size = strlen(s->child->name) + strlen(name) + 3;
    char *both = ISO_NEW(s->result->pool, char, size);
    snprintf(both, size, "%s: %s", s->child->name, name);
    return both;
}

isolab_verdict iso_strong_stages(strong *s, isolab_verdict (*first)(strong *)) {
    isolab_verdict verdict = ISOLAB_UNKNOWN;
    bool begun = false;
    for (size_t i = 0; i < STAGES && verdict == ISOLAB_UNKNOWN; i++) {
        begun |= plan[i].run == first;
        if (begun && *(const bool *)((const char *)s->options + plan[i].wanted)) {
            iso_phase phase = {phase_name(s, plan[i].name), iso_now()}, parent = s->result->running;
            s->result->running = s->child == NULL ? phase : parent;
            verdict = plan[i].run(s);
            s->result->running = parent;
            iso_result_phase(s->result, phase.name, phase.ns);
        }
    }
    return verdict;
}

static void run_strong(const iso_checker *self, const isolab_history *h, const iso_question *question,
                       iso_result *result) {
    strong_options o = {.always = true};
    iso_options_read(result->pool, self->options, question->options, &o);
    o.saturate = !iso_strong_is(o.saturation, "no");
    strong s = {.h = h,
                .question = question,
                .options = &o,
                .result = result,
                .pool = result->pool,
                .level = question->level,
                .sessions = !question->no_session_order};
    result->verdict = iso_strong_stages(&s, plan[0].run);
    if (s.unproved) {
        int64_t since = iso_now();
        iso_strong_prove(&s);
        iso_result_phase(result, "prove", since);
    }
}

typedef struct pooled {
    strong *s;
    strong_with_pool *fn;
    iso_pool pool;
    isolab_verdict verdict;
} pooled;

static void run_pooled(void *arg) {
    pooled *p = arg;
    p->verdict = p->fn(p->s, &p->pool);
}

isolab_verdict iso_strong_with_pool(strong *s, strong_with_pool *fn) {
    pooled p = {.s = s, .fn = fn};
    iso_pool_init(&p.pool, s->result->pool->env);
    iso_guard_pool(&p.pool, run_pooled, &p);
    return p.verdict;
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
    if (s->consistent) {
        return ISOLAB_UNKNOWN; /* stage `timed` has asked */
    }
    if (iso_check_int(s->h, s->pool, report_int, s->result) > 0) {
        return ISOLAB_VIOLATED;
    }
    if (iso_find_two_values(s->h, s->pool, &read, &other)) {
        iso_result_anomaly(s->result, (iso_anomaly){.kind = ISO_A_NON_REPEATABLE_READ, .op = read, .other_op = other});
        return ISOLAB_VIOLATED;
    }
    if (iso_level_has(s->level, ISO_SEES_CONFLICT) && iso_find_lost_update(s->h, s->pool, &read)) {
        iso_result_anomaly(s->result, (iso_anomaly){.kind = ISO_A_LOST_UPDATE, .op = read, .other_op = ISO_NONE});
        return ISOLAB_VIOLATED;
    }
    s->consistent = true;
    return ISOLAB_UNKNOWN;
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
    iso_strong_model_build(&s->model, s->pool, s->h, s->level, s->timed || s->level == ISO_SSER, !s->sessions,
                           s->child != NULL ? NULL : report_list, s->result);
    if (s->model.lists != NULL && s->model.lists->n_faults > 0) {
        return ISOLAB_VIOLATED;
    }
    if (s->part != NULL) {
        iso_strong_model_restrict(&s->model, s->part);
    }
    iso_strong_order_init(&s->order, &s->model, s->pool);
    return ISOLAB_UNKNOWN;
}

void iso_strong_write_order(strong *s, const uint32_t *by_rank) {
    strong_model *m = &s->model;
    iso_result *result = s->result;
    if (!s->question->certificate) {
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
    .run = run_strong,
};
