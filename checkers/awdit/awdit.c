/* AWDIT (awdit.txt): weak levels by the smallest set of edges that must be in every commit order. A history satisfies
 * the level exactly if its reads are consistent and so, wr and these edges have no cycle (lemma 3.2). First the verdict
 * is found, with as little memory and time as possible. Only if it is a violation, the reason is searched for
 * (witness.c). */
#include "checkers/awdit/rows.h"

#include <string.h>

#include "base/assert.h"

/* A store that lets a transaction read a key twice without repeating the value does so often. So the first part of the
 * transactions, one in PROBE, is asked for such reads before the checker's columns are made. */
#define PROBE 8

/* Returns whether all included transactions are in one session. */
static bool alone(const iso_awdit *a) {
    const isolab_history *h = a->h;
    uint32_t sessions = 0;
    for (uint32_t s = 0; s < h->n_sessions && sessions < 2; s++) {
        bool any = false;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && !any; t++) {
            any = iso_awdit_in(a, t);
        }
        sessions += any;
    }
    return sessions < 2;
}

static bool done(const iso_awdit *a) { return a->result->verdict == ISOLAB_VIOLATED && !a->question->all; }

/* Makes a topological order of so and wr, where the certificate will be if one is requested. Returns NULL if there is a
 * cycle. */
static uint32_t *causal_order(iso_awdit *a) {
    uint32_t *order = a->order != NULL ? a->order : ISO_NEW(a->pool, uint32_t, a->h->n_txns);
    int64_t since = iso_now();
    bool acyclic = iso_awdit_sort(a, false, order);
    iso_result_phase(a->result, "causal order", since);
    return acyclic ? order : NULL;
}

/* ---- the ways to infer edges ---- */

/* A way to infer the edges of the level, or to find an order without them. `run` returns ISO_AWDIT_GAVE_UP, without
 * edges, if the next way has to be tried. order: cc: a topological order of so and wr; else NULL. */
typedef struct way {
    const char *name; /* its phase */
    bool (*wants)(const iso_awdit *a);
    iso_awdit_answer (*run)(iso_awdit *a, uint32_t *order);
} way;

static bool wants_one_session(const iso_awdit *a) {
    return a->level == ISO_RA && a->result->verdict == ISOLAB_SATISFIED && alone(a);
}

/* Gives session order as the commit order. */
static iso_awdit_answer find_one_session(iso_awdit *a, uint32_t *order) {
    (void)order;
    if (!iso_awdit_ra_alone(a)) {
        return ISO_AWDIT_GAVE_UP;
    }
    a->n_order = 0;
    for (uint32_t t = 0; a->order != NULL && t < a->h->n_txns; t++) {
        if (iso_awdit_in(a, t)) {
            a->order[a->n_order++] = t;
        }
    }
    return ISO_AWDIT_FOUND;
}

static bool wants_sieve(const iso_awdit *a) {
    return a->heavy && a->sieve && (a->level == ISO_RC || a->level == ISO_RA);
}

static iso_awdit_answer find_by_sieve(iso_awdit *a, uint32_t *order) {
    iso_awdit_answer answer = iso_awdit_sample(a);
    if (answer == ISO_AWDIT_FOUND) {
        order = causal_order(a);
        answer = order != NULL ? iso_awdit_sieve(a, order, NULL) : ISO_AWDIT_GAVE_UP;
    }
    return answer;
}

static bool wants_seen(const iso_awdit *a) { return a->level == ISO_CC && a->heavy; }

/* cc in heavy histories, by lists of the writers that happen before each transaction. Gives up if the lists are too
 * long. */
static iso_awdit_answer infer_by_seen(iso_awdit *a, uint32_t *order) {
    iso_awdit_seen seen = {.rows = NULL};
    iso_awdit_answer answer = a->sieve ? iso_awdit_sample(a) : ISO_AWDIT_GAVE_UP;
    if (answer == ISO_AWDIT_EDGES) {
        return answer;
    }
    if (!iso_awdit_find_seen(a, order, &seen)) {
        return ISO_AWDIT_GAVE_UP;
    }
    if (answer == ISO_AWDIT_FOUND) {
        answer = iso_awdit_sieve(a, order, &seen);
    }
    if (answer == ISO_AWDIT_GAVE_UP) {
        iso_awdit_cc_by_seen(a, &seen);
        answer = ISO_AWDIT_EDGES;
    }
    iso_awdit_free_seen(a, &seen);
    return answer;
}

static bool wants_guesses(const iso_awdit *a) { return a->level == ISO_CC && iso_awdit_choose_guesses(a); }

static iso_awdit_answer find_by_guesses(iso_awdit *a, uint32_t *order) {
    iso_awdit_sort_keys(a);
    iso_awdit_answer answer = iso_awdit_cc_between(a, order);
    if (answer == ISO_AWDIT_GAVE_UP) { /* the guesses have overwritten it */
        iso_awdit_sort(a, false, order);
    }
    return answer;
}

static bool wants_clocks(const iso_awdit *a) { return a->level == ISO_CC; }

static iso_awdit_answer infer_by_clocks(iso_awdit *a, uint32_t *order) {
    iso_awdit_sort_keys(a);
    iso_awdit_cc(a, order);
    return ISO_AWDIT_EDGES;
}

static bool wants_rows(const iso_awdit *a) { return a->heavy; }

/* With rows of bits if the history is heavy, else as in the paper. */
static iso_awdit_answer infer_by_reads(iso_awdit *a, uint32_t *order) {
    (void)order;
    if (a->level == ISO_RA) {
        iso_awdit_ra(a);
    } else {
        iso_assert(a->level == ISO_RC || a->level == ISO_RC_PLUME);
        iso_awdit_rc(a);
    }
    return ISO_AWDIT_EDGES;
}

static bool wants_nothing(const iso_awdit *a) { return a->level == ISO_G1; }

static iso_awdit_answer infer_nothing(iso_awdit *a, uint32_t *order) {
    (void)a, (void)order;
    return ISO_AWDIT_EDGES;
}

static bool always(const iso_awdit *a) {
    (void)a;
    return true;
}

static const way ways[] = {
    {"one session", wants_one_session, find_one_session}, {"infer by the sieve", wants_sieve, find_by_sieve},
    {"infer by lists", wants_seen, infer_by_seen},        {"infer by guesses", wants_guesses, find_by_guesses},
    {"infer by clocks", wants_clocks, infer_by_clocks},   {"infer by rows", wants_rows, infer_by_reads},
    {"infer nothing", wants_nothing, infer_nothing},      {"infer by reads", always, infer_by_reads}};

/* Tries the ways in turn. */
static iso_awdit_answer infer(iso_awdit *a, uint32_t *order) {
    iso_awdit_answer answer = ISO_AWDIT_GAVE_UP;
    for (const way *w = ways; answer == ISO_AWDIT_GAVE_UP; w++) {
        int64_t since = iso_now();
        if (w->wants(a)) {
            answer = w->run(a, order);
            iso_result_phase(a->result, w->name, since);
        }
    }
    iso_result_counter(a->result, "inferred edges", a->edges.n);
    return answer;
}

/* Checks the orders, after the reads. */
static void check_orders(iso_awdit *a) {
    iso_result *r = a->result;
    uint32_t *order = a->level == ISO_CC ? causal_order(a) : NULL;
    if (a->level == ISO_CC && order == NULL) {
        iso_awdit_report_causality(a);
        return; /* clocks need an acyclic so|wr, and every transaction of the cycle would be reported again */
    }
    a->heavy = iso_level_has(a->level, ISO_SEES_OTHER_KEY) && (a->level != ISO_CC || a->way == ISO_AWDIT_ESTIMATE) &&
               iso_awdit_is_heavy(a);
    bool acyclic = infer(a, order) == ISO_AWDIT_FOUND;
    int64_t since = iso_now();
    if (a->unrepeatable && !acyclic) { /* with `all`, there are no such reads any more */
        if (!iso_awdit_report_unrepeatable(a, a->unrepeatable_from, a->h->n_txns)) {
            iso_throw(a->pool->env, ISOLAB_E_INTERNAL, "awdit found an unrepeatable read, but not which one");
        }
        iso_result_phase(r, "witnesses", since);
        return;
    }
    if (!acyclic) {
        acyclic = iso_awdit_sort(a, true, a->order);
        iso_result_phase(r, "order", since);
    }
    if (acyclic) {
        r->order = r->verdict == ISOLAB_SATISFIED ? a->order : NULL;
        r->n_order = r->order != NULL ? a->n_order : 0;
        return;
    }
    since = iso_now();
    iso_awdit_sort_keys(a);
    if (a->level != ISO_CC) {
        iso_awdit_report_causality(a);
    }
    if (iso_level_has(a->level, ISO_SEES_OTHER_KEY) && !done(a)) {
        iso_awdit_report_cycles(a);
    }
    iso_result_phase(r, "witnesses", since);
}

/* What --option says. */
typedef struct choices {
    const char *bits, *sieve, *clocks;
} choices;

static const iso_option options[] = {
    {ISO_WORD("bits", "auto", "auto yes no",
              "intersect keys as rows of bits; auto: in histories of heavy transactions; no: as in the paper"),
     ISO_TO(choices, bits)},
    {ISO_WORD("sieve", "auto", "auto no",
              "rc, ra, cc: look for an order in which no inferred edge leads back; auto: where rows of bits would be"),
     ISO_TO(choices, sieve)},
    {ISO_WORD("clocks", "auto", "auto yes no",
              "cc: compare clocks, or guess orders; auto: what an estimate says takes fewer steps"),
     ISO_TO(choices, clocks)},
    ISO_END};

static void check_level(void *arg) {
    iso_awdit *a = arg;
    iso_result *r = a->result;
    int64_t since = iso_now();
    choices chosen;
    iso_options_read(a->pool, options, a->question->options, &chosen);
    a->bits = strcmp(chosen.bits, "no") == 0    ? ISO_AWDIT_NEVER
              : strcmp(chosen.bits, "yes") == 0 ? ISO_AWDIT_ALWAYS
                                                : ISO_AWDIT_IF_HEAVY;
    a->sieve = strcmp(chosen.sieve, "no") != 0 && !a->question->all;
    a->way = strcmp(chosen.clocks, "auto") == 0  ? ISO_AWDIT_ESTIMATE
             : strcmp(chosen.clocks, "yes") == 0 ? ISO_AWDIT_CLOCKS
                                                 : ISO_AWDIT_GUESSES;
    r->verdict = ISOLAB_SATISFIED;
    if (a->level == ISO_CI) {
        iso_awdit_report_unrepeatable(a, 0, a->h->n_txns);
        iso_result_phase(r, "read", since);
        return;
    }
    if (iso_level_has(a->level, ISO_SEES_READ) && !a->question->all &&
        iso_awdit_report_unrepeatable(a, 0, a->h->n_txns / PROBE)) {
        iso_result_phase(r, "read", since);
        return;
    }
    bool hasty = a->level == ISO_CC && !a->question->all, consistent = iso_awdit_view(a, hasty);
    if (hasty && a->unrepeatable) {
        if (iso_awdit_report_unrepeatable(a, 0, a->h->n_txns)) {
            iso_result_phase(r, "read", since);
            return;
        }
        consistent = iso_awdit_view(a, false); /* these reads offend otherwise */
    }
    iso_result_phase(r, "read", since);
    if (!consistent) {
        iso_awdit_report_reads(a);
        if (a->question->all) {
            iso_awdit_view(a, false); /* without the offending reads (section 3.4) */
        }
    }
    if (iso_level_has(a->level, ISO_SEES_READ) && !done(a) && (a->unrepeatable || a->question->all) &&
        iso_awdit_report_unrepeatable(a, 0, a->h->n_txns) && a->question->all) {
        iso_awdit_view(a, false); /* without all of these reads except the first ones */
    }
    if (a->level != ISO_INT && !done(a)) {
        check_orders(a);
    }
}

static void run_awdit(const iso_checker *self, const isolab_history *h, const iso_question *question,
                      iso_result *result) {
    (void)self;
    iso_pool pool;
    iso_pool_init(&pool, result->pool->env);
    iso_awdit a = {.pool = &pool,
                   .h = h,
                   .question = question,
                   .result = result,
                   .level = question->level,
                   .threads = question->threads > 1 ? question->threads : 1,
                   .edges = {.pool = &pool}};
    if (question->certificate && question->level != ISO_INT && question->level != ISO_CI) {
        a.order = ISO_NEW(result->pool, uint32_t, h->n_txns);
    }
    iso_guard_pool(&pool, check_level, &a);
}

const iso_checker iso_checker_awdit = {
    .name = "awdit",
    .summary = "weak levels by a minimal saturated commit relation, in optimal time",
    .complexity = "rc, ra: O(n sqrt n), ra in one session O(n); cc: O(n k); the others O(n)",
    .paper = "awdit.txt, algorithms 1 to 4, theorem 1.6, section 3.4",
    .levels = ISO_WEAK_LEVELS,
    .preferred = ISO_WEAK_LEVELS,
    .can = ISO_CAN_ALL | ISO_CAN_THREADS,
    .options = options,
    .run = run_awdit,
};
