/* Stages `guess`, `timed` and `serial`: searches for orders within limits, before the other stages.
 *
 * A replay of a history that was recorded from a correct store (replay.c) is nearly an order that explains it. A search
 * that starts there repairs it, which takes few conflicts and needs no inference and no clocks. So this is tried first,
 * except for a serial order of a history that `execute` has executed without a model. It is given up early: if it does
 * not succeed soon, more edges must be known.
 *
 * At pc and si a serial order is searched for before an order of the level itself: it is also an order of these levels,
 * and has half as many events. */
#include <string.h>

#include "checkers/evidence.h"
#include "checkers/strong/repair.h"
#include "history/read_consistency.h"

/* Limit of choices of the reads of optional transactions, for each event: with more no guess is made, since all are
 * made at once. */
#define CHOICES 4

/* Real time is tried with at least this many operations for each version; fewer are left to stage `execute`. */
#define FEW_VALUES 4

static bool too_many_choices(const strong_model *m, uint32_t events) {
    uint32_t i = m->n_ambiguous; /* those of optional transactions are last */
    while (i > 0 && m->dense[m->h->op_txn[m->ambiguous_op[i - 1]]] >= m->n_included) {
        i--;
    }
    return i < m->n_ambiguous &&
           m->candidate_first[m->n_ambiguous] - m->candidate_first[i] > CHOICES * (uint64_t)events;
}

typedef struct guessing {
    strong *s;
    iso_pool pool;
    isolab_verdict verdict;
} guessing;

static void guess_order(void *arg) {
    guessing *g = arg;
    strong_repair r;
    uint32_t *by_rank;
    iso_strong_repair_init(&r, &g->pool);
    iso_strong_give_up_early(&r, g->s->order.n);
    if (iso_strong_find_order(g->s, &r, &by_rank) == STRONG_FOUND) {
        g->verdict = ISOLAB_SATISFIED;
        iso_strong_repair_count(&r, g->s->result);
        iso_strong_write_order(g->s, by_rank);
    }
}

/* Guesses an order of the model. */
static isolab_verdict guess(strong *s) {
    guessing g = {.s = s, .verdict = ISOLAB_UNKNOWN};
    if (!too_many_choices(&s->model, s->order.n)) {
        iso_pool_init(&g.pool, s->pool->env);
        iso_guard_pool(&g.pool, guess_order, &g);
    }
    return g.verdict;
}

typedef isolab_verdict stage_fn(strong *s);

/* Runs stages for a serial order in a separate context: only a found order counts. */
typedef struct attempt {
    strong s;
    iso_pool pool;
    stage_fn *const *stages; /* ended by NULL */
    isolab_verdict verdict;
} attempt;

static void run_stages(void *arg) {
    attempt *a = arg;
    for (size_t i = 0; a->stages[i] != NULL && a->verdict == ISOLAB_UNKNOWN; i++) {
        a->verdict = a->stages[i](&a->s);
    }
}

static isolab_verdict try_level(const strong *s, iso_level level, bool timed, stage_fn *const *stages) {
    attempt a = {.s = iso_strong_again(s, level, &a.pool), .stages = stages, .verdict = ISOLAB_UNKNOWN};
    a.s.timed = timed;
    iso_pool_init(&a.pool, s->pool->env);
    iso_guard_pool(&a.pool, run_stages, &a);
    return a.verdict == ISOLAB_SATISFIED ? ISOLAB_SATISFIED : ISOLAB_UNKNOWN;
}

static bool may_be_serial(const strong *s) { return s->level == ISO_PC || s->level == ISO_SI; }

isolab_verdict iso_strong_guess(strong *s) {
    static stage_fn *const stages[] = {iso_strong_model, guess, NULL};
    if (s->decided || (s->executed && s->level == ISO_SER)) {
        return ISOLAB_UNKNOWN; /* there is none, or the search for a serial order was given up */
    }
    if (may_be_serial(s) && !s->executed && try_level(s, ISO_SER, false, stages) == ISOLAB_SATISFIED) {
        return ISOLAB_SATISFIED;
    }
    isolab_verdict verdict = iso_strong_model(s);
    return verdict == ISOLAB_UNKNOWN ? guess(s) : verdict;
}

static isolab_verdict direct(strong *s) { return s->options->direct ? iso_strong_direct(s) : ISOLAB_UNKNOWN; }

static isolab_verdict saturate(strong *s) { return s->options->saturate ? iso_strong_saturate(s) : ISOLAB_UNKNOWN; }

static stage_fn *const inference[] = {iso_strong_model, direct, iso_strong_rank, saturate, iso_strong_search, NULL};

/* If values say little, so do edges, and an executed order loses its way. But recorded times leave few orders. */
isolab_verdict iso_strong_timed(strong *s) {
    const isolab_history *h = s->h;
    if (h->unique || (s->options->execute && h->n_ops / FEW_VALUES < h->n_versions) || iso_level_is_timed(s->level) ||
        !iso_orders_in_time(h) || iso_check_int(h, s->pool, NULL, NULL) > 0) { /* the model needs read consistency */
        return ISOLAB_UNKNOWN;
    }
    isolab_verdict verdict = try_level(s, ISO_SSER, true, inference);
    return verdict == ISOLAB_UNKNOWN && may_be_serial(s) ? try_level(s, s->level, true, inference) : verdict;
}

isolab_verdict iso_strong_serial(strong *s) {
    return may_be_serial(s) ? try_level(s, ISO_SER, false, inference) : ISOLAB_UNKNOWN;
}
