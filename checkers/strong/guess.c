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

#include "checkers/strong/repair.h"
#include "history/clock.h"

/* Limit of choices of the reads of optional transactions, for each event: with more choices no guess is made, since all
 * these choices are made at once. */
#define CHOICES 4

/* The child plans; the one of `guess` has no stages of its own. */
static const strong_child guess_serial = {"guess", 0};
static const strong_child timed_all = {"timed", 20000}, timed_level = {"timed, the level itself", 20000};
static const strong_child serial = {"serial", 20000};

static bool too_many_choices(const strong_model *m, uint32_t events) {
    uint32_t first = m->ambiguous_first[m->n_included]; /* reads of optional transactions are last */
    return first < m->n_ambiguous &&
           m->candidate_first[m->n_ambiguous] - m->candidate_first[first] > CHOICES * (uint64_t)events;
}

/* Guesses an order of the model. */
static isolab_verdict guess_order(strong *s, iso_pool *pool) {
    strong_repair r;
    uint32_t *by_rank;
    iso_strong_repair_init(&r, pool);
    iso_strong_give_up_early(&r, s->order.n);
    if (too_many_choices(&s->model, s->order.n) || iso_strong_find_order(s, &r, &by_rank) != STRONG_FOUND) {
        return ISOLAB_UNKNOWN;
    }
    iso_strong_repair_count(&r, s->result);
    iso_strong_write_order(s, by_rank);
    return ISOLAB_SATISFIED;
}

/* Builds a model and guesses its order. */
static isolab_verdict guess(strong *s, iso_pool *pool) {
    s->pool = pool;
    isolab_verdict verdict = iso_strong_model(s);
    return verdict == ISOLAB_UNKNOWN ? iso_strong_with_pool(s, guess_order) : verdict;
}

/* Builds a model and runs the stages after it. */
static isolab_verdict infer(strong *s, iso_pool *pool) {
    s->pool = pool;
    return iso_strong_stages(s, iso_strong_model);
}

/* Searches for an order of another level in a separate context: only a found order counts. */
static isolab_verdict try_level(const strong *s, iso_level level, bool timed, const strong_child *child,
                                strong_with_pool *fn) {
    strong again = iso_strong_again(s, level, child);
    again.timed = timed;
    return iso_strong_with_pool(&again, fn) == ISOLAB_SATISFIED ? ISOLAB_SATISFIED : ISOLAB_UNKNOWN;
}

static bool may_be_serial(const strong *s) { return s->level == ISO_PC || s->level == ISO_SI; }

isolab_verdict iso_strong_guess(strong *s) {
    if (s->decided || (s->executed && s->level == ISO_SER)) {
        return ISOLAB_UNKNOWN; /* the level has no order, or the search was given up */
    }
    if (may_be_serial(s) && !s->executed && try_level(s, ISO_SER, false, &guess_serial, guess) == ISOLAB_SATISFIED) {
        return ISOLAB_SATISFIED;
    }
    return guess(s, s->pool);
}

/* In a history of few values edges say little, and an execution often ends in a wrong order. But recorded times leave
 * few orders. */
isolab_verdict iso_strong_timed(strong *s) {
    const isolab_history *h = s->h;
    if (h->unique || (s->options->execute && !iso_strong_has_few_values(h)) || iso_level_is_timed(s->level) ||
        !iso_orders_in_time(h)) {
        return ISOLAB_UNKNOWN;
    }
    isolab_verdict verdict = iso_strong_reads(s); /* the model needs read consistency */
    verdict = verdict == ISOLAB_UNKNOWN ? try_level(s, ISO_SSER, true, &timed_all, infer) : verdict;
    return verdict == ISOLAB_UNKNOWN && may_be_serial(s) ? try_level(s, s->level, true, &timed_level, infer) : verdict;
}

isolab_verdict iso_strong_serial(strong *s) {
    return may_be_serial(s) && s->child == NULL ? try_level(s, ISO_SER, false, &serial, infer) : ISOLAB_UNKNOWN;
}
