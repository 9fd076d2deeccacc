/* Stages `rank` and `saturate`. Saturation infers edges to a fixed point, by session clocks (clocks.c), or by stretches
 * if there are too many sessions for clocks (stretches.c). It also finds writers of ambiguous reads (narrow.c). */
#include <string.h>

#include "base/machine.h"
#include "checkers/strong/hints.h"
#include "checkers/strong/strong.h"

/* Clocks are used up to this number of chains, beyond which stretches cost less. They may take a third of the
 * memory. */
#define MOST_CHAINS 384
#define CLOCK_SHARE 3

/* Number of events of a stretch: 32 MB of bits. A history that takes at most 256 MB is one stretch. */
#define STRETCH 16384
#define ONE_STRETCH 45000

static bool clocks_fit(const strong *s) {
    const strong_model *m = &s->model;
    if (m->k > UINT16_MAX || m->excluded != NULL) { /* a chain's number has 16 bits */
        return false;
    }
    if (!iso_strong_is(s->options->saturation, "yes")) {
        return iso_strong_is(s->options->saturation, "clocks") || iso_strong_is(s->options->saturation, "chains");
    }
    uint64_t memory = s->pool->env->limits->memory;
    memory = memory == 0 ? iso_machine_memory() : memory;
    return m->k <= MOST_CHAINS && (uint64_t)s->order.n * s->order.stride * sizeof *s->order.row <= memory / CLOCK_SHARE;
}

/* Returns false if there is a cycle. */
static bool saturate_clocks(strong *s) {
    strong_order *o = &s->order;
    iso_strong_order_clocks(o, iso_strong_is(s->options->saturation, "chains") ? 0 : strong_few_writers(s->model.k));
    do {
        if (!iso_strong_clocks_saturate(o)) {
            return false;
        }
    } while (iso_strong_narrow(o, &s->model));
    iso_free(o->pool, o->row); /* much memory */
    o->row = NULL;
    return true;
}

/* Returns false if there is a cycle. */
static bool saturate_stretches(strong *s) {
    strong_order *o = &s->order;
    uint32_t width = iso_strong_is(s->options->saturation, "short") ? o->n / 4 + 1
                     : o->n <= ONE_STRETCH                          ? o->n
                                                                    : STRETCH;
    uint32_t *by_rank = ISO_NEW(s->pool, uint32_t, o->n);
    bool acyclic = iso_strong_replay(o, s->pool->env, by_rank) && iso_strong_stretches_saturate(s, by_rank, width) &&
                   iso_strong_topological(o, s->pool, by_rank); /* stretches may contradict each other */
    iso_free(s->pool, by_rank);
    return acyclic;
}

/* Explains a cycle. The history is certainly violated, even if a limit is reached before the violation is explained. */
static isolab_verdict cyclic(strong *s) {
    if (s->child == NULL) {
        s->result->verdict = ISOLAB_VIOLATED;
        if (!iso_strong_explain(&s->order, s->result)) {
            iso_strong_refuted(s, iso_strong_hints_of_cycle(&s->order, s->pool));
        }
    }
    return ISOLAB_VIOLATED;
}

isolab_verdict iso_strong_rank(strong *s) {
    if (s->refuted != NULL) { /* the whole has no direct cycle; to infer edges of the part costs less */
        s->part = s->refuted;
        iso_strong_model_restrict(&s->model, s->part);
    }
    s->clocks = s->options->saturate && clocks_fit(s);
    iso_strong_model_index(&s->model);
    if (s->clocks) {
        iso_strong_order_initial_readers(&s->order);
    }
    return iso_strong_order_rank(&s->order) ? ISOLAB_UNKNOWN : cyclic(s);
}

isolab_verdict iso_strong_saturate(strong *s) {
    strong_hints hints;
    bool acyclic = (s->clocks ? saturate_clocks : saturate_stretches)(s);
    if (s->child == NULL) {
        iso_result_counter(s->result, "stretches", s->stretches);
    }
    if (!acyclic) {
        return cyclic(s);
    }
    if (s->clocks && s->child == NULL && iso_strong_hints_of_read(&s->order, s->pool, &hints)) {
        return iso_strong_refuted(s, hints); /* every writer of some read was ruled out */
    }
    return ISOLAB_UNKNOWN;
}
