/* Asks about one level, or about all of them. See ladder.h. */
#include "checkers/ladder.h"

#include <stdio.h>
#include <string.h>

#include "checkers/further.h"
#include "history/clock.h"

/* Time to search for anomalies of levels whose verdicts are known: this many ns, plus the time of the verdicts. */
#define OWN_TIME ((int64_t)1 << 30)

static size_t number_of_checkers(void) {
    size_t n = 0;
    while (iso_checkers[n] != NULL) {
        n++;
    }
    return n;
}

void iso_asker_init(iso_asker *asker, iso_pool *pool, const isolab_history *h, const iso_question *question) {
    *asker = (iso_asker){.pool = pool, .h = h, .question = *question};
    /* For each level: an answer of every checker, one that no checker can answer, one that follows from another level,
     * and one that follows later. And one for own anomalies. */
    asker->answers = ISO_NEW(pool, iso_answer, (number_of_checkers() + 3) * (size_t)iso_n_levels + 1);
}

static iso_answer *new_answer(iso_asker *asker, iso_level level) {
    iso_answer *a = &asker->answers[asker->n_answers++];
    *a = (iso_answer){.level = level, .implied_by = ISO_NO_LEVEL};
    a->untimed = iso_level_is_timed(level) && !iso_orders_in_time(asker->h);
    iso_result_init(&a->result, asker->pool);
    return a;
}

/* Returns, in words, which times the history lacks, so that real time orders nothing. */
static const char *what_times(const isolab_history *h) {
    return h->has_times ? "start or no end of a transaction" : "times";
}

/* Runs a checker and returns its answer. checker: NULL: no checker can answer, and `why` has the reason. */
static iso_answer *ask_checker(iso_asker *asker, const iso_checker *checker, const char *why) {
    iso_env *env = asker->pool->env;
    iso_answer *a = new_answer(asker, asker->question.level);
    a->checker = checker;
    a->patterns = asker->question.patterns;
    a->all = asker->question.all;
    if (checker == NULL) {
        iso_result_reason(&a->result, ISO_REASON_REFUSED, "%s", why);
        return a;
    }
    snprintf(asker->phase, sizeof asker->phase, "checking %s by %s", iso_level_get(a->level)->name, checker->name);
    iso_progress(env, asker->phase, 0, 0);
    a->held = atomic_load(&env->limits->used);
    int64_t since = iso_now();
    (asker->whom == ISO_WHOM_ONE ? iso_check : iso_check_taken)(checker, asker->h, &asker->question, &a->result);
    a->ns = iso_now() - since;
    a->first_only = a->all && a->result.verdict == ISOLAB_VIOLATED && (checker->can & ISO_CAN_ALL) == 0;
    if (a->first_only && asker->whom != ISO_WHOM_EVERY && a->result.reason[0] == '\0') {
        iso_find_further(asker, a);
    }
    if (a->untimed && a->result.verdict == ISOLAB_SATISFIED) {
        iso_result_reason(&a->result, ISO_REASON_TIMES, "the history has no %s, so this is ser", what_times(asker->h));
    }
    if (asker->answered != NULL) {
        asker->answered();
    }
    a->peak = atomic_load(&env->limits->peak);
    return a;
}

/* Returns whether an answer gives a reason better than an unsuccessful search. */
static bool explains(const iso_answer *a) {
    return a->result.verdict == ISOLAB_VIOLATED && a->result.n_anomalies != 0 &&
           a->result.anomalies[0].kind != ISO_A_NO_ORDER;
}

/* One step of asking, which has its own deadline. */
typedef struct turn {
    iso_asker *asker;
    iso_level level;
    const iso_checker *checker; /* ask_once(): the checker to run */
    iso_answer *answer;
} turn;

/* Calls step(t) with another deadline (0 = none). */
static void run_until(turn *t, int64_t deadline, void (*step)(void *)) {
    iso_env *env = t->asker->pool->env;
    if (iso_guard_until(env, deadline, step, t) != ISOLAB_OK) {
        iso_rethrow(env);
    }
}

/* ---- every checker ---- */

/* Returns the deadline of the next step. If every checker is asked, each has as much time as the first one had, so that
 * a slow checker does not use up the time of the others. If one checker is asked, it is the caller's deadline. */
static int64_t own_deadline(const iso_asker *asker) {
    return asker->own_time != 0 ? iso_now() + asker->own_time : asker->pool->env->limits->deadline;
}

static void ask_once(void *arg) {
    turn *t = arg;
    t->answer = ask_checker(t->asker, t->checker, NULL);
}

static void find_further(void *arg) {
    turn *t = arg;
    iso_find_further(t->asker, t->answer);
    if (t->asker->answered != NULL) {
        t->asker->answered();
    }
}

static iso_answer *run_every(iso_asker *asker, iso_level level) {
    char why[512];
    iso_answer *best = NULL;
    int64_t deadline = asker->pool->env->limits->deadline, left = deadline - iso_now();
    if (deadline != 0 && asker->own_time == 0) {
        asker->own_time = left > 0 ? left : 1;
    }
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        if (iso_checker_refuses(iso_checkers[i], asker->h, &asker->question, why, sizeof why) != NULL) {
            continue;
        }
        turn t = {.asker = asker, .level = level, .checker = iso_checkers[i]};
        run_until(&t, own_deadline(asker), ask_once);
        const iso_answer *a = t.answer;
        if (best == NULL || best->result.verdict == ISOLAB_UNKNOWN || (!explains(best) && explains(a))) {
            asker->disagree |= best != NULL && best->result.verdict == ISOLAB_SATISFIED;
            best = t.answer;
        } else if (a->result.verdict != ISOLAB_UNKNOWN && a->result.verdict != best->result.verdict) {
            asker->disagree = true;
        }
    }
    if (best != NULL && best->first_only && !asker->disagree && best->result.reason[0] == '\0') {
        run_until(&(turn){.asker = asker, .level = level, .answer = best}, own_deadline(asker), find_further);
    }
    return best != NULL ? best
                        : ask_checker(asker, NULL, iso_why_no_checker(asker->h, &asker->question, why, sizeof why));
}

/* ---- the checker that is made for a level ---- */

static iso_answer *run_auto(iso_asker *asker, iso_level level) {
    char why[512];
    asker->question.level = level;
    const iso_checker *checker = iso_checker_auto(asker->h, &asker->question);
    if (checker == NULL) {
        return ask_checker(asker, NULL, iso_why_no_checker(asker->h, &asker->question, why, sizeof why));
    }
    return ask_checker(asker, checker, NULL);
}

static void ask_auto(void *arg) {
    turn *t = arg;
    t->answer = run_auto(t->asker, t->level);
}

static iso_answer *run_auto_until(iso_asker *asker, iso_level level, int64_t deadline) {
    turn t = {.asker = asker, .level = level};
    run_until(&t, deadline, ask_auto);
    return t.answer;
}

/* ---- in turns ---- */

/* If values repeat, a weak level may be hard to decide while a stronger level, which implies it, is easy. So the
 * checker of the level and the checkers of stronger levels take turns until one of them decides: each has a slice of
 * time, four times as long in each round as in the round before. */
#define SLICE ((int64_t)1 << 28) /* the first slice, in ns */
#define SLICE_OF_OPERATION 2500  /* ns more for each operation of the history */
#define HELP 4                   /* slices for a checker that can only satisfy */

/* The stronger levels in the order of asking. If the history has times, si is first: on the way its checker searches
 * for an order of sser (docs/strong.md). */
enum { STRONGER = 3 };
static const iso_level stronger[STRONGER] = {ISO_SER, ISO_SI, ISO_PC};
static const iso_level stronger_timed[STRONGER] = {ISO_SI, ISO_SER, ISO_PC};

/* Returns a checker that may satisfy the level where the one that is made for it takes long; NULL: none. */
static const iso_checker *helper_of(const iso_asker *asker, iso_level level) {
    iso_question question = asker->question;
    question.level = level;
    return iso_checker_helper(asker->h, &question);
}

static bool takes_turns(const iso_asker *asker, iso_level level) {
    const iso_question *r = &asker->question;
    if (asker->h->unique || !iso_level_has(level, ISO_RULE_ORDER) || r->patterns != 0 || r->all || r->count ||
        r->dimacs != NULL || r->options != NULL) {
        return false;
    }
    return (ISO_WEAK_LEVELS & ISO_LEVEL_BIT(level)) ? !r->no_session_order : helper_of(asker, level) != NULL;
}

/* Asks the helper of a level, which ends by itself, for HELP slices of time, or half of the rest. Returns NULL if it
 * does not satisfy the level. */
static iso_answer *ask_helper(iso_asker *asker, iso_level level, int64_t slice) {
    int64_t now = iso_now(), deadline = asker->pool->env->limits->deadline, half = (deadline - now) / 2;
    turn t = {.asker = asker, .level = level, .checker = helper_of(asker, level)};
    if (t.checker == NULL) {
        return NULL;
    }
    asker->question.level = level;
    run_until(&t, now + (deadline == 0 || HELP * slice < half ? HELP * slice : half), ask_once);
    bool satisfied = t.answer->result.verdict == ISOLAB_SATISFIED;
    asker->n_answers -= !satisfied;
    return satisfied ? t.answer : NULL;
}

/* Asks about a level for a slice of time, in ns, and then its helper. Returns NULL if it ended without an answer, so
 * that more time may help. */
static iso_answer *run_slice(iso_asker *asker, iso_level level, int64_t slice) {
    int64_t deadline = asker->pool->env->limits->deadline, end = iso_now() + slice;
    bool shortened = deadline == 0 || end < deadline;
    if (asker->known[level] != NULL) {
        return asker->known[level];
    }
    iso_answer *a = run_auto_until(asker, level, shortened ? end : deadline);
    bool late = a->result.verdict == ISOLAB_UNKNOWN && a->result.reason_code == ISO_REASON_TIME;
    if (!late) {
        asker->known[level] = a;
    } else if (shortened) {
        asker->n_answers--;
        asker->known[level] = ask_helper(asker, level, slice);
        return asker->known[level];
    }
    return a;
}

/* Returns the answer that a level is satisfied, by the order of a stronger level that is satisfied. */
static iso_answer *follow(iso_asker *asker, iso_level level, const iso_answer *from) {
    iso_answer *a = new_answer(asker, level);
    a->checker = from->checker;
    a->implied_by = from->level;
    a->result.verdict = ISOLAB_SATISFIED;
    a->result.order = from->result.order;
    a->result.n_order = from->result.n_order;
    a->result.read_from = from->result.read_from;
    a->ns = from->ns;
    a->held = from->held;
    a->peak = from->peak;
    return a;
}

/* Asks about stronger levels until one is satisfied, and returns the answer that follows; NULL: none is. slice: ns for
 * each; 0: no checker is run, and only known answers count. *undecided: set if more time may help. */
static iso_answer *ask_stronger(iso_asker *asker, iso_level level, int64_t slice, bool *undecided) {
    const iso_level *above = iso_orders_in_time(asker->h) ? stronger_timed : stronger;
    if (!(ISO_WEAK_LEVELS & ISO_LEVEL_BIT(level))) { /* its checker looks for an order of stronger ones itself */
        return NULL;
    }
    for (int i = 0; i < STRONGER; i++) {
        iso_answer *a = slice == 0 ? asker->known[above[i]] : run_slice(asker, above[i], slice);
        *undecided |= a == NULL;
        if (a != NULL && a->result.verdict == ISOLAB_SATISFIED) {
            return follow(asker, level, a);
        }
    }
    return NULL;
}

static iso_answer *ask_in_turns(iso_asker *asker, iso_level level) {
    asker->question.level = level;
    const iso_checker *own = iso_checker_auto(asker->h, &asker->question);
    bool made_for = own != NULL && (own->preferred & ISO_LEVEL_BIT(level)); /* else the others go first */
    bool undecided = false;
    iso_answer *a = NULL, *above = ask_stronger(asker, level, 0, &undecided);
    for (int64_t slice = SLICE + SLICE_OF_OPERATION * (int64_t)asker->h->n_ops; above == NULL; slice *= 4) {
        undecided = false;
        a = made_for ? run_slice(asker, level, slice) : NULL;
        if (a == NULL || a->result.verdict == ISOLAB_UNKNOWN) {
            above = ask_stronger(asker, level, slice, &undecided);
        }
        if (above == NULL && a == NULL && !made_for) {
            a = run_slice(asker, level, slice);
        }
        if (a != NULL && (a->result.verdict != ISOLAB_UNKNOWN || !undecided)) {
            break;
        }
    }
    asker->question.level = level;
    return above != NULL ? above : a;
}

static iso_answer *ask_about(iso_asker *asker, iso_level level) {
    asker->question.level = level;
    switch (asker->whom) {
    case ISO_WHOM_EVERY:
        return run_every(asker, level);
    case ISO_WHOM_ONE:
        return ask_checker(asker, asker->checker, NULL);
    case ISO_WHOM_AUTO:
        break;
    }
    return asker->known[level] != NULL ? asker->known[level]
           : takes_turns(asker, level) ? ask_in_turns(asker, level)
                                       : run_auto(asker, level);
}

/* ---- evidence ---- */

typedef struct weighing {
    iso_asker *asker;
    iso_levels levels;
} weighing;

static void find_evidence(void *arg) {
    weighing *w = arg;
    iso_asker *asker = w->asker;
    asker->evidence = iso_find_evidence(asker->pool, asker->h,
                                        (iso_evidence_question){.levels = w->levels,
                                                                .no_session_order = asker->question.no_session_order,
                                                                .demand = asker->demand});
}

static void weigh_one(iso_asker *asker, iso_answer *a, const char *why_not) {
    const iso_evidence *e = &asker->evidence;
    iso_levels bit = ISO_LEVEL_BIT(a->level);
    if (asker->weighed && (e->counted & bit)) {
        a->weight = (e->exact & bit) ? ISO_EXACTLY : ISO_AT_LEAST;
        a->cases = e->cases[a->level];
    }
    if (!asker->demand || a->cases > 0) {
        return;
    }
    a->result.verdict = ISOLAB_UNKNOWN;
    a->implied_by = ISO_NO_LEVEL;
    iso_result_reason(&a->result, ISO_REASON_EVIDENCE,
                      a->weight == ISO_UNWEIGHED ? "evidence was not found: %s" : "no evidence: the history has no %s",
                      a->weight == ISO_UNWEIGHED ? why_not
                      : e->operations == 0       ? "operations"
                      : a->untimed               ? what_times(asker->h)
                                                 : iso_evidence_of(a->level));
}

/* Searches for the evidence of all answers that say satisfied. If a limit is reached, they stay as they are. */
static void weigh(iso_asker *asker) {
    iso_env *env = asker->pool->env;
    weighing w = {asker, 0};
    for (size_t i = 0; i < asker->n_answers; i++) {
        const iso_answer *a = &asker->answers[i];
        w.levels |= a->result.verdict == ISOLAB_SATISFIED && a->patterns == 0 ? ISO_LEVEL_BIT(a->level) : 0;
    }
    if (w.levels == 0 || !(asker->weigh || asker->demand)) {
        return;
    }
    iso_progress(env, "looking for evidence", 0, 0);
    int code = iso_guard_until(env, own_deadline(asker), find_evidence, &w);
    if (code != ISOLAB_OK && code != ISOLAB_E_LIMIT) {
        iso_rethrow(env);
    }
    asker->weighed = code == ISOLAB_OK;
    for (size_t i = 0; i < asker->n_answers; i++) {
        if (asker->answers[i].result.verdict == ISOLAB_SATISFIED && asker->answers[i].patterns == 0) {
            weigh_one(asker, &asker->answers[i], code == ISOLAB_OK ? "too much work" : env->error.message);
        }
    }
}

const iso_answer *iso_ask(iso_asker *asker, iso_level level) {
    size_t first = asker->n_answers;
    const iso_answer *a = ask_about(asker, level);
    if (asker->whom == ISO_WHOM_AUTO) { /* answers about stronger levels are no longer needed */
        asker->answers[first] = *a;
        asker->n_answers = first + 1;
        a = &asker->answers[first];
        memset(asker->known, 0, sizeof asker->known);
    }
    int64_t since = iso_now();
    weigh(asker);
    if (a->weight != ISO_UNWEIGHED) {
        iso_result_phase(&asker->answers[a - asker->answers].result, "evidence", since);
    }
    return a;
}

/* ---- the ladder ---- */

/* Makes the answer about a level that follows from the answer about another level. */
static iso_answer *conclude(iso_asker *asker, iso_level level, const iso_answer *from) {
    iso_answer *a = new_answer(asker, level);
    a->implied_by = from->level;
    a->result.verdict = from->result.verdict;
    return a;
}

/* Returns the answer that follows from earlier answers about other levels; NULL: none. */
static iso_answer *infer(iso_asker *asker, const iso_ladder *ladder, iso_level level) {
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_answer *a = ladder->rung[l];
        if (a == NULL || a->implied_by != ISO_NO_LEVEL) {
            continue;
        }
        if ((a->result.verdict == ISOLAB_SATISFIED && iso_level_implies(l, level)) ||
            (a->result.verdict == ISOLAB_VIOLATED && iso_level_implies(level, l))) {
            return conclude(asker, level, a);
        }
    }
    return NULL;
}

/* Returns the answer about a level for which no checker is asked; NULL: a checker must be asked. */
static iso_answer *leave_out(iso_asker *asker, iso_level level) {
    bool unsupported = asker->whom == ISO_WHOM_ONE && !iso_checker_takes(asker->checker, level);
    if (!unsupported && (!iso_level_is_timed(level) || iso_orders_in_time(asker->h))) {
        return NULL;
    }
    iso_answer *a = new_answer(asker, level);
    a->not_asked = a->untimed ? ISO_UNTIMED : ISO_UNSUPPORTED;
    if (a->untimed) {
        iso_result_reason(&a->result, ISO_REASON_TIMES, "the history has no %s", what_times(asker->h));
    } else {
        iso_result_reason(&a->result, ISO_REASON_LEVEL, "checker %s does not support it", asker->checker->name);
    }
    return a;
}

/* Returns the place of a level in the order of asking; a smaller one comes first. First the strongest level that needs
 * no commit order to tell what a transaction sees (cc), because the weaker levels follow if it holds. Then from the
 * weakest level up, so that a violation is found at the weakest broken level. Of the levels that are expensive to
 * decide, the strongest come first, since the others follow from them, and levels of real time last. If every
 * checker is asked, then about every level, and answers that contradict the implications of levels are a
 * disagreement. */
static int place_of_asking(iso_level level) {
    int n = __builtin_popcount(iso_level_get(level)->rules);
    if (iso_level_has(level, ISO_SEES_PREFIX)) {
        return (iso_level_is_timed(level) ? 128 : 96) - n;
    }
    bool strongest = true;
    for (int l = 0; l < iso_n_levels; l++) {
        strongest &= iso_level_has(l, ISO_SEES_PREFIX) || !iso_level_implies(l, level);
    }
    return strongest && iso_level_has(level, ISO_RULE_ORDER) ? 0 : n;
}

/* Returns the next level of a set to ask about. */
static iso_level next_to_ask(iso_levels levels) {
    int best = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        bool in = (levels & ISO_LEVEL_BIT(l)) != 0, no_best = (levels & ISO_LEVEL_BIT(best)) == 0;
        best = in && (no_best || place_of_asking(l) < place_of_asking(best)) ? l : best;
    }
    return best;
}

static void ask_one(void *arg) {
    turn *t = arg;
    t->answer = ask_about(t->asker, t->level);
}

/* The share of a level without a deadline, if no level was named: ns, and ns more for each operation of the history. */
#define SHARE ((int64_t)10000000000)
#define SHARE_OF_OPERATION 50000

/* Asks about a level within half of the remaining time, and about the last level within all of it. If every checker is
 * asked, each of them has all of it. own: the share of each level where there is no deadline; 0: none. */
static iso_answer *ask_with_share(iso_asker *asker, iso_level level, bool last, int64_t own) {
    int64_t deadline = asker->pool->env->limits->deadline, now = iso_now();
    bool shares = deadline != 0 && now < deadline && !last && asker->whom != ISO_WHOM_EVERY;
    bool given = deadline == 0 && own != 0;
    turn t = {.asker = asker, .level = level};
    run_until(&t, shares ? now + (deadline - now) / 2 : given ? now + own : deadline, ask_one);
    t.answer->left_open =
        given && t.answer->result.verdict == ISOLAB_UNKNOWN && t.answer->result.reason_code == ISO_REASON_TIME;
    if (t.answer->left_open) {
        iso_result_reason(&t.answer->result, ISO_REASON_TIME,
                          "left open after %.3g s, its share of the time: --level %s gives it all", (double)own / 1e9,
                          iso_level_get(level)->name);
    }
    return t.answer;
}

static void ask_all(iso_asker *asker, iso_ladder *ladder, iso_levels levels) {
    bool all = levels == ISO_ALL_LEVELS && asker->whom != ISO_WHOM_EVERY;
    int64_t own = all ? SHARE + SHARE_OF_OPERATION * (int64_t)asker->h->n_ops : 0;
    levels &= ISO_LEVEL_BIT(iso_n_levels) - 1;
    while (levels != 0) {
        iso_level l = next_to_ask(levels);
        levels &= ~ISO_LEVEL_BIT(l);
        iso_answer *a = asker->whom != ISO_WHOM_EVERY ? infer(asker, ladder, l) : NULL;
        a = a != NULL ? a : leave_out(asker, l);
        ladder->rung[l] = a != NULL ? a : ask_with_share(asker, l, levels == 0, own);
    }
}

static isolab_verdict verdict_at(const iso_ladder *ladder, iso_level level) {
    return ladder->rung[level] != NULL ? ladder->rung[level]->result.verdict : ISOLAB_UNKNOWN;
}

/* Returns whether the answers contradict the implications of levels. */
static bool is_contradictory(const iso_ladder *ladder) {
    bool contradictory = false;
    for (int l = 0; l < iso_n_levels; l++) {
        for (int weaker = 0; weaker < iso_n_levels; weaker++) {
            contradictory |= iso_level_implies(l, weaker) && verdict_at(ladder, l) == ISOLAB_SATISFIED &&
                             verdict_at(ladder, weaker) == ISOLAB_VIOLATED;
        }
    }
    return contradictory;
}

/* Combines the answers of all levels. */
static void sum_up(iso_ladder *ladder) {
    iso_levels satisfied = 0, violated = 0, unknown = 0, below = 0;
    bool open = false; /* a level that was asked for has no answer */
    for (int l = 0; l < iso_n_levels; l++) {
        iso_levels bit = ladder->rung[l] != NULL ? ISO_LEVEL_BIT(l) : 0;
        satisfied |= verdict_at(ladder, l) == ISOLAB_SATISFIED ? bit : 0;
        violated |= verdict_at(ladder, l) == ISOLAB_VIOLATED ? bit : 0;
        unknown |=
            verdict_at(ladder, l) == ISOLAB_UNKNOWN && bit != 0 && ladder->rung[l]->not_asked != ISO_UNTIMED ? bit : 0;
        open |= (unknown & bit) && !ladder->rung[l]->left_open;
        below |= verdict_at(ladder, l) == ISOLAB_SATISFIED ? iso_level_and_weaker(l) & ~ISO_LEVEL_BIT(l) : 0;
        ladder->broken_first |= (violated & bit) && !(iso_level_and_weaker(l) & ~bit & violated) ? bit : 0;
    }
    ladder->strongest = satisfied & ~below;
    ladder->unknown = unknown & ~below;
    open |= unknown != 0 && satisfied == 0;
    ladder->verdict = violated != 0 ? ISOLAB_VIOLATED : open ? ISOLAB_UNKNOWN : ISOLAB_SATISFIED;
}

/* Gives each violated level that follows from a weaker one an anomaly of its own, if a checker finds one in time. */
static void find_own_anomalies(iso_asker *asker, const iso_ladder *ladder, int64_t since) {
    iso_limits *limits = asker->pool->env->limits;
    int64_t deadline = limits->deadline, end = iso_now() + OWN_TIME + (iso_now() - since);
    for (int l = 0; l < iso_n_levels; l++) {
        bool follows = verdict_at(ladder, l) == ISOLAB_VIOLATED && ladder->rung[l]->implied_by != ISO_NO_LEVEL;
        int64_t now = iso_now();
        if (!follows || ladder->rung[l]->untimed || now >= end || iso_over(limits) != ISO_LIMIT_NONE) {
            continue;
        }
        bool first = deadline != 0 && deadline < end; /* the user's limit comes first */
        const iso_answer *own = run_auto_until(asker, l, first ? deadline : now + (end - now) / 2);
        asker->n_answers--; /* only its anomalies stay */
        iso_answer *rung = &asker->answers[ladder->rung[l] - asker->answers];
        if (own->result.verdict == ISOLAB_VIOLATED && own->result.n_anomalies > 0) {
            rung->result = own->result;
            if (own->rest != ISO_REST_UNKNOWN) {
                rung->result.reason[0] = '\0';
                rung->result.reason_code = ISO_REASON_NONE;
            }
            rung->found_by = own->checker;
            rung->all = own->all;
            rung->first_only = own->first_only;
            rung->rest = own->rest;
        }
        asker->disagree |= own->result.verdict == ISOLAB_SATISFIED;
    }
}

iso_ladder iso_ladder_climb(iso_asker *asker, iso_levels levels) {
    iso_ladder ladder = {.strongest = 0};
    int64_t since = iso_now();
    asker->climbing = true;
    ask_all(asker, &ladder, levels);
    for (int l = 0; l < iso_n_levels; l++) { /* a level that was unknown when it was asked may follow from a later
                                                  * answer */
        if (ladder.rung[l] != NULL && verdict_at(&ladder, l) == ISOLAB_UNKNOWN) {
            const iso_answer *follows = infer(asker, &ladder, l);
            ladder.rung[l] = follows != NULL ? follows : ladder.rung[l];
        }
    }
    if (asker->explain && asker->whom == ISO_WHOM_AUTO) {
        find_own_anomalies(asker, &ladder, since);
    }
    asker->disagree |= is_contradictory(&ladder);
    weigh(asker);
    sum_up(&ladder);
    return ladder;
}
