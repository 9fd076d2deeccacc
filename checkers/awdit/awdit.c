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

static void infer(iso_awdit *a) {
    if (a->level == ISO_RA) {
        iso_awdit_ra(a);
    } else if (a->level != ISO_G1) {
        iso_assert(a->level == ISO_RC || a->level == ISO_RC_PLUME);
        iso_awdit_rc(a);
    }
}

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

static void satisfied(iso_awdit *a) {
    a->result->verdict = ISOLAB_SATISFIED;
    if (a->order != NULL) {
        a->result->order = a->order;
        a->result->n_order = a->n_order;
    }
}

/* Gives session order as the commit order, if an order is requested. */
static void one_session_order(iso_awdit *a) {
    a->n_order = 0;
    for (uint32_t t = 0; a->order != NULL && t < a->h->n_txns; t++) {
        if (iso_awdit_in(a, t)) {
            a->order[a->n_order++] = t;
        }
    }
}

static bool done(const iso_awdit *a) { return a->result->verdict == ISOLAB_VIOLATED && !a->question->all; }

/* Ends a run whose order was found without inferring all edges. */
static void found(iso_awdit *a, int64_t since) {
    iso_result_phase(a->result, "infer", since);
    iso_result_counter(a->result, "inferred edges", a->edges.n);
    if (a->result->verdict == ISOLAB_SATISFIED) {
        satisfied(a);
    }
}

/* cc in heavy histories, by lists of the writers that happen before each transaction. GAVE_UP: the lists are too long.
 * CYCLE: the inferred edges, of which there may be more, decide. order: a topological order of so and wr. */
static iso_awdit_answer check_seen(iso_awdit *a, const uint32_t *order) {
    iso_awdit_seen seen = {.rows = NULL};
    iso_awdit_answer answer = a->sieve ? iso_awdit_sample(a) : ISO_AWDIT_GAVE_UP;
    if (answer == ISO_AWDIT_CYCLE) {
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
        answer = ISO_AWDIT_CYCLE;
    }
    iso_awdit_free_seen(a, &seen);
    return answer;
}

/* rc, ra: infers the edges, or finds an order without them. Returns false if nothing more has to be done. */
static bool check_heavy(iso_awdit *a, int64_t *since) {
    iso_awdit_answer answer = iso_awdit_sample(a);
    if (answer == ISO_AWDIT_FOUND) {
        uint32_t *order = a->order != NULL ? a->order : ISO_NEW(a->pool, uint32_t, a->h->n_txns);
        int64_t sampled = iso_now() - *since;
        *since = iso_now();
        answer = iso_awdit_sort(a, false, order) ? ISO_AWDIT_FOUND : ISO_AWDIT_GAVE_UP;
        iso_result_phase(a->result, "causal order", *since);
        *since = iso_now() - sampled;
        if (answer == ISO_AWDIT_FOUND && iso_awdit_sieve(a, order, NULL) == ISO_AWDIT_FOUND) {
            found(a, *since);
            return false;
        }
    }
    if (a->edges.n == 0) {
        infer(a);
    }
    return true;
}

/* Infers the edges for cc. Returns false if nothing more has to be done. */
static bool check_cc(iso_awdit *a, int64_t *since) {
    iso_result *r = a->result;
    uint32_t *order = a->order != NULL ? a->order : ISO_NEW(a->pool, uint32_t, a->h->n_txns);
    bool acyclic = iso_awdit_sort(a, false, order);
    iso_result_phase(r, "causal order", *since);
    if (!acyclic) {
        iso_awdit_report_causality(a);
        return false; /* clocks need an acyclic so|wr, and every transaction of the cycle would be reported again */
    }
    *since = iso_now();
    bool guess = false;
    iso_awdit_answer answer = a->heavy ? check_seen(a, order) : ISO_AWDIT_GAVE_UP;
    if (answer == ISO_AWDIT_GAVE_UP) {
        iso_awdit_sort_keys(a);
        guess = iso_awdit_choose_guesses(a);
        answer = guess ? iso_awdit_cc_between(a, order) : ISO_AWDIT_GAVE_UP;
    }
    if (answer == ISO_AWDIT_GAVE_UP) {
        if (guess) { /* the guesses have overwritten it */
            iso_awdit_sort(a, false, order);
        }
        iso_awdit_cc(a, order);
    } else if (answer == ISO_AWDIT_FOUND) {
        found(a, *since);
    }
    return answer != ISO_AWDIT_FOUND;
}

/* Checks the orders, after the reads. */
static void check_orders(iso_awdit *a) {
    iso_result *r = a->result;
    int64_t since = iso_now();
    if (a->level == ISO_RA && r->verdict == ISOLAB_SATISFIED && alone(a) && iso_awdit_ra_alone(a)) {
        iso_result_phase(r, "one session", since);
        one_session_order(a);
        satisfied(a);
        return;
    }
    a->heavy = iso_level_has(a->level, ISO_SEES_OTHER_KEY) && (a->level != ISO_CC || a->way == ISO_AWDIT_ESTIMATE) &&
               iso_awdit_is_heavy(a);
    if (a->level == ISO_CC) {
        if (!check_cc(a, &since)) {
            return;
        }
    } else if (a->heavy && a->sieve && (a->level == ISO_RC || a->level == ISO_RA)) {
        if (!check_heavy(a, &since)) {
            return;
        }
    } else {
        infer(a);
    }
    iso_result_phase(r, "infer", since);
    iso_result_counter(r, "inferred edges", a->edges.n);
    since = iso_now();
    if (a->unrepeatable) { /* with `all`, there are no such reads any more */
        if (!iso_awdit_report_unrepeatable(a, a->unrepeatable_from, a->h->n_txns)) {
            iso_throw(a->pool->env, ISOLAB_E_INTERNAL, "awdit found an unrepeatable read, but not which one");
        }
        iso_result_phase(r, "witnesses", since);
        return;
    }
    bool acyclic = iso_awdit_sort(a, true, a->order);
    iso_result_phase(r, "order", since);
    if (acyclic) {
        if (r->verdict == ISOLAB_SATISFIED) {
            satisfied(a);
        }
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
    a->bits = strcmp(chosen.bits, "no") != 0;
    a->rows_always = strcmp(chosen.bits, "yes") == 0;
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
    a->hasty = a->level == ISO_CC && !a->question->all;
    bool consistent = iso_awdit_view(a);
    if (a->hasty && a->unrepeatable) {
        a->hasty = false;
        if (iso_awdit_report_unrepeatable(a, 0, a->h->n_txns)) {
            iso_result_phase(r, "read", since);
            return;
        }
        consistent = iso_awdit_view(a); /* these reads offend otherwise */
    }
    iso_result_phase(r, "read", since);
    if (!consistent) {
        iso_awdit_report_reads(a);
        if (a->question->all) {
            iso_awdit_view(a); /* without the offending reads (section 3.4) */
        }
    }
    if (iso_level_has(a->level, ISO_SEES_READ) && !done(a) && (a->unrepeatable || a->question->all) &&
        iso_awdit_report_unrepeatable(a, 0, a->h->n_txns) && a->question->all) {
        iso_awdit_view(a); /* without all of these reads except the first ones */
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
