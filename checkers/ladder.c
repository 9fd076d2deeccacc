/* Asking about one level, and about all of them. See ladder.h. */
#include "checkers/ladder.h"

#include <stdio.h>
#include <string.h>

static size_t number_of_checkers(void) {
    size_t n = 0;
    while (iso_checkers[n] != NULL) {
        n++;
    }
    return n;
}

void iso_asking_init(iso_asking *ask, iso_pool *pool, const isolab_history *h, const iso_request *request) {
    *ask = (iso_asking){.pool = pool, .h = h, .request = *request};
    /* of each level: what every checker says, that none can, what follows, and what follows later */
    ask->answers = ISO_ZNEW(pool, iso_answer, (number_of_checkers() + 3) * ISO_LEVELS);
}

static iso_answer *new_answer(iso_asking *ask, iso_level level) {
    iso_answer *a = &ask->answers[ask->n_answers++];
    *a = (iso_answer){.level = level, .implied_by = ISO_LEVELS};
    a->untimed = level == ISO_SSER && !iso_orders_in_time(ask->h);
    iso_result_init(&a->result, ask->pool);
    return a;
}

/* What of times a history lacks, so that real time orders nothing. */
static const char *what_times(const isolab_history *h) {
    return h->has_times ? "start or no end of a transaction" : "times";
}

/* Runs a checker; NULL: none can answer, and the reason says why. */
static iso_answer *run(iso_asking *ask, const iso_checker *checker, const char *why) {
    iso_env *env = ask->pool->env;
    iso_answer *a = new_answer(ask, ask->request.level);
    a->checker = checker;
    a->patterns = ask->request.patterns;
    a->all = ask->request.all;
    if (checker == NULL) {
        iso_result_reason(&a->result, ISO_REASON_REFUSED, "%s", why);
        return a;
    }
    snprintf(ask->phase, sizeof ask->phase, "checking %s by %s", iso_level_get(a->level)->name, checker->name);
    iso_progress(env, ask->phase, 0, 0);
    a->held = atomic_load(&env->limits->used);
    int64_t since = iso_now();
    iso_check(checker, ask->h, &ask->request, &a->result);
    a->ns = iso_now() - since;
    a->first_only = a->all && a->result.verdict == ISOLAB_VIOLATED && (checker->can & ISO_CAN_ALL) == 0;
    if (a->untimed && a->result.verdict == ISOLAB_SATISFIED) {
        iso_result_reason(&a->result, ISO_REASON_TIMES, "the history has no %s, so this is ser", what_times(ask->h));
    }
    if (ask->answered != NULL) {
        ask->answered();
    }
    a->peak = atomic_load(&env->limits->peak);
    return a;
}

/* Does an answer say more than that a search was in vain? */
static bool explains(const iso_answer *a) {
    return a->result.verdict == ISOLAB_VIOLATED && a->result.n_anomalies != 0 &&
           a->result.anomalies[0].kind != ISO_A_NO_ORDER;
}

static const iso_answer *run_every(iso_asking *ask) {
    char why[512];
    const iso_answer *best = NULL;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        if (iso_checker_refuses(iso_checkers[i], ask->h, &ask->request, why, sizeof why) != NULL) {
            continue;
        }
        const iso_answer *a = run(ask, iso_checkers[i], NULL);
        if (best == NULL || best->result.verdict == ISOLAB_UNKNOWN || (!explains(best) && explains(a))) {
            ask->disagree |= best != NULL && best->result.verdict == ISOLAB_SATISFIED;
            best = a;
        } else if (a->result.verdict != ISOLAB_UNKNOWN && a->result.verdict != best->result.verdict) {
            ask->disagree = true;
        }
    }
    return best != NULL ? best : run(ask, NULL, iso_checker_nobody(ask->h, &ask->request, why, sizeof why));
}

static const iso_answer *ask_about(iso_asking *ask, iso_level level) {
    char why[512];
    ask->request.level = level;
    if (ask->whom == ISO_WHOM_EVERY) {
        return run_every(ask);
    }
    const iso_checker *checker = ask->whom == ISO_WHOM_ONE ? ask->checker : iso_checker_auto(ask->h, &ask->request);
    return run(ask, checker, checker == NULL ? iso_checker_nobody(ask->h, &ask->request, why, sizeof why) : NULL);
}

/* ---- evidence ---- */

typedef struct weighing {
    iso_asking *ask;
    iso_levels levels;
} weighing;

static void find_evidence(void *arg) {
    weighing *w = arg;
    iso_asking *ask = w->ask;
    ask->evidence = iso_find_evidence(ask->pool, ask->h, w->levels, ask->request.no_session_order);
}

static void weigh_one(iso_asking *ask, iso_answer *a, const char *why_not) {
    const iso_evidence *e = &ask->evidence;
    iso_levels bit = ISO_LEVEL_BIT(a->level);
    if (ask->weighed && (e->counted & bit)) {
        a->weight = (e->exact & bit) ? ISO_EXACTLY : ISO_AT_LEAST;
        a->cases = e->cases[a->level];
    }
    if (!ask->demand || a->cases > 0) {
        return;
    }
    a->result.verdict = ISOLAB_UNKNOWN;
    a->implied_by = ISO_LEVELS;
    iso_result_reason(&a->result, ISO_REASON_EVIDENCE,
                      a->weight == ISO_UNWEIGHED ? "evidence was not found: %s" : "no evidence: the history has no %s",
                      a->weight == ISO_UNWEIGHED ? why_not
                      : e->operations == 0       ? "operations"
                      : a->untimed               ? what_times(ask->h)
                                                 : iso_evidence_of(a->level));
}

/* Looks for the evidence of all answers that say satisfied. A limit that is reached leaves them as they are. */
static void weigh(iso_asking *ask) {
    iso_env *env = ask->pool->env;
    weighing w = {ask, 0};
    for (size_t i = 0; i < ask->n_answers; i++) {
        const iso_answer *a = &ask->answers[i];
        w.levels |= a->result.verdict == ISOLAB_SATISFIED && a->patterns == 0 ? ISO_LEVEL_BIT(a->level) : 0;
    }
    if (w.levels == 0 || !(ask->weigh || ask->demand)) {
        return;
    }
    iso_progress(env, "looking for evidence", 0, 0);
    int code = iso_guard(env, find_evidence, &w);
    if (code != ISOLAB_OK && code != ISOLAB_E_LIMIT) {
        iso_rethrow(env);
    }
    ask->weighed = code == ISOLAB_OK;
    for (size_t i = 0; i < ask->n_answers; i++) {
        if (ask->answers[i].result.verdict == ISOLAB_SATISFIED && ask->answers[i].patterns == 0) {
            weigh_one(ask, &ask->answers[i], code == ISOLAB_OK ? "too much work" : env->error.message);
        }
    }
}

const iso_answer *iso_ask(iso_asking *ask, iso_level level) {
    const iso_answer *a = ask_about(ask, level);
    weigh(ask);
    return a;
}

/* ---- the ladder ---- */

/* A level whose answer follows from that of another one. */
static const iso_answer *conclude(iso_asking *ask, iso_level level, const iso_answer *from) {
    iso_answer *a = new_answer(ask, level);
    a->implied_by = from->level;
    a->result.verdict = from->result.verdict;
    return a;
}

/* What is known of a level by what was answered about others; NULL: nothing. */
static const iso_answer *infer(iso_asking *ask, const iso_ladder *ladder, iso_level level) {
    for (iso_level l = 0; l < ISO_LEVELS; l++) {
        const iso_answer *a = ladder->rung[l];
        if (a == NULL || a->implied_by != ISO_LEVELS) {
            continue;
        }
        if ((a->result.verdict == ISOLAB_SATISFIED && iso_level_implies(l, level)) ||
            (a->result.verdict == ISOLAB_VIOLATED && iso_level_implies(level, l))) {
            return conclude(ask, level, a);
        }
    }
    return NULL;
}

/* Why no checker is asked about a level; NULL: one is. */
static const iso_answer *leave_out(iso_asking *ask, iso_level level) {
    bool unsupported = ask->whom == ISO_WHOM_ONE && (ask->checker->levels & ISO_LEVEL_BIT(level)) == 0;
    if (!unsupported && (level != ISO_SSER || iso_orders_in_time(ask->h))) {
        return NULL;
    }
    iso_answer *a = new_answer(ask, level);
    a->not_asked = a->untimed ? ISO_UNTIMED : ISO_UNSUPPORTED;
    if (a->untimed) {
        iso_result_reason(&a->result, ISO_REASON_TIMES, "the history has no %s", what_times(ask->h));
    } else {
        iso_result_reason(&a->result, ISO_REASON_LEVEL, "checker %s does not support it", ask->checker->name);
    }
    return a;
}

/* First cc, since the weaker levels follow when it holds; then from the weakest one up, so that what breaks is found at
 * the weakest level that is broken; of the levels that are hard to decide ser first, since most others follow. When
 * every checker is asked, every level is, and answers that contradict each other's implications are a disagreement. */
static const iso_level order_of_asking[ISO_LEVELS] = {ISO_CC, ISO_INT, ISO_CI, ISO_G1, ISO_RC_PLUME, ISO_RC,
                                                      ISO_RA, ISO_SER, ISO_SI, ISO_PC, ISO_SSER};

static void ask_all(iso_asking *ask, iso_ladder *ladder, iso_levels levels) {
    iso_limits *limits = ask->pool->env->limits;
    int64_t deadline = limits->deadline;
    for (int i = 0; i < ISO_LEVELS; i++) {
        iso_level l = order_of_asking[i];
        if ((levels & ISO_LEVEL_BIT(l)) == 0) {
            continue;
        }
        levels &= ~ISO_LEVEL_BIT(l);
        const iso_answer *a = ask->whom != ISO_WHOM_EVERY ? infer(ask, ladder, l) : NULL;
        a = a != NULL ? a : leave_out(ask, l);
        if (a == NULL) {
            int64_t now = iso_now();
            limits->deadline = deadline != 0 && now < deadline && levels != 0 ? now + (deadline - now) / 2 : deadline;
            a = ask_about(ask, l);
        }
        ladder->rung[l] = a;
    }
    limits->deadline = deadline;
}

static isolab_verdict verdict_at(const iso_ladder *ladder, iso_level level) {
    return ladder->rung[level] != NULL ? ladder->rung[level]->result.verdict : ISOLAB_UNKNOWN;
}

/* Does what was answered contradict what levels imply? */
static bool is_contradictory(const iso_ladder *ladder) {
    bool contradictory = false;
    for (iso_level l = 0; l < ISO_LEVELS; l++) {
        for (iso_level weaker = 0; weaker < ISO_LEVELS; weaker++) {
            contradictory |= iso_level_implies(l, weaker) && verdict_at(ladder, l) == ISOLAB_SATISFIED &&
                             verdict_at(ladder, weaker) == ISOLAB_VIOLATED;
        }
    }
    return contradictory;
}

/* What the rungs say together. */
static void sum_up(iso_ladder *ladder) {
    iso_levels satisfied = 0, violated = 0, unknown = 0, below = 0;
    for (iso_level l = 0; l < ISO_LEVELS; l++) {
        iso_levels bit = ladder->rung[l] != NULL ? ISO_LEVEL_BIT(l) : 0;
        satisfied |= verdict_at(ladder, l) == ISOLAB_SATISFIED ? bit : 0;
        violated |= verdict_at(ladder, l) == ISOLAB_VIOLATED ? bit : 0;
        unknown |=
            verdict_at(ladder, l) == ISOLAB_UNKNOWN && bit != 0 && ladder->rung[l]->not_asked != ISO_UNTIMED ? bit : 0;
        below |= verdict_at(ladder, l) == ISOLAB_SATISFIED ? iso_level_get(l)->implies & ~ISO_LEVEL_BIT(l) : 0;
        ladder->broken_first |= (violated & bit) && !(iso_level_get(l)->implies & ~bit & violated) ? bit : 0;
    }
    ladder->strongest = satisfied & ~below;
    ladder->unknown = unknown & ~below;
    ladder->verdict = violated != 0 ? ISOLAB_VIOLATED : unknown != 0 ? ISOLAB_UNKNOWN : ISOLAB_SATISFIED;
}

iso_ladder iso_ladder_climb(iso_asking *ask, iso_levels levels) {
    iso_ladder ladder = {.strongest = 0};
    ask_all(ask, &ladder, levels);
    for (iso_level l = 0; l < ISO_LEVELS; l++) { /* what was asked in vain may follow from what was asked later */
        if (ladder.rung[l] != NULL && verdict_at(&ladder, l) == ISOLAB_UNKNOWN) {
            const iso_answer *follows = infer(ask, &ladder, l);
            ladder.rung[l] = follows != NULL ? follows : ladder.rung[l];
        }
    }
    ask->disagree |= is_contradictory(&ladder);
    weigh(ask);
    sum_up(&ladder);
    return ladder;
}
