/* Plume (plume.txt): all 14 patterns of anomalies, and the levels that are sets of patterns (table 2).
 *
 * Algorithm 1 tests every triple of transactions. Here most histories are decided before any triple is tested: the
 * commit relation of the most general requested pattern is built from a few edges for each read, and if it has no
 * cycle, none of the six patterns of triples has an instance. plume.h lists the parts. */
#include "checkers/plume/plume.h"

#include <string.h>

static void find(iso_plume *p) {
    iso_result *result = p->result;
    const uint32_t reads = ISO_TAPS_UP_TO(ISO_TAP_F),
                   triples = ISO_TAPS_UP_TO(ISO_TAP_N) & ~(ISO_TAPS_UP_TO(ISO_TAP_G) | ISO_TAP_BIT(ISO_TAP_J));
    int64_t since = iso_now();
    if (p->patterns & ~ISO_TAP_BIT(ISO_TAP_J)) {
        iso_plume_offences(p);
    }
    if (p->patterns & ISO_TAP_BIT(ISO_TAP_J)) {
        iso_plume_unrepeatable(p);
    }
    iso_result_phase(result, "reads", since);
    if ((p->patterns & ~(reads | ISO_TAP_BIT(ISO_TAP_J))) == 0 || iso_plume_enough(p)) {
        return;
    }
    since = iso_now();
    iso_plume_lists(p);
    iso_plume_view(p);
    iso_result_phase(result, "view", since);
    since = iso_now();
    iso_plume_causal_order(p);
    if ((p->patterns & ISO_TAP_BIT(ISO_TAP_G)) != 0 && !iso_plume_enough(p)) {
        iso_plume_cycles(p);
    }
    iso_result_phase(result, "causal order", since);
    since = iso_now();
    if ((p->patterns & triples) != 0 && !iso_plume_enough(p)) {
        iso_plume_find(p);
        iso_result_phase(result, "patterns", since);
    }
    if (result->verdict == ISOLAB_SATISFIED && p->question->patterns == 0) {
        result->n_order = p->n_order;
        result->order = ISO_NEW(result->pool, uint32_t, p->n_order);
        memcpy(result->order, p->order, p->n_order * sizeof *result->order);
    }
}

static void find_and_count(void *arg) {
    iso_plume *p = arg;
    p->result->verdict = ISOLAB_SATISFIED;
    find(p);
    iso_result_counter(p->result, "graph traversals", p->count.traversals);
    iso_result_counter(p->result, "transactions visited", p->count.visited);
    iso_result_counter(p->result, "clock comparisons", p->count.comparisons);
    iso_result_counter(p->result, "clock joins", p->count.join.joins);
    iso_result_counter(p->result, "clock entries looked at", p->count.join.looked);
}

extern const iso_checker iso_checker_plume_vc, iso_checker_plume_dfs;

static void run_plume(const iso_checker *self, const isolab_history *h, const iso_question *question,
                      iso_result *result) {
    iso_pool pool;
    iso_pool_init(&pool, result->pool->env);
    iso_plume p = {.pool = &pool,
                   .h = h,
                   .question = question,
                   .result = result,
                   .mode = self == &iso_checker_plume_vc    ? ISO_PLUME_VECTOR
                           : self == &iso_checker_plume_dfs ? ISO_PLUME_SEARCH
                                                            : ISO_PLUME_TREE,
                   .patterns = question->patterns == 0 ? iso_taps_of(question->level) : question->patterns,
                   .any_key = question->level == ISO_RC};
    iso_guard_pool(&pool, find_and_count, &p);
}

#define CAN (ISO_CAN_ALL | ISO_CAN_PATTERNS | ISO_CAN_LISTS | ISO_CAN_EVERY)

const iso_checker iso_checker_plume = {
    .name = "plume",
    .summary = "Plume's 14 patterns, each one or all instances, with tree clocks; lists too",
    .complexity = "rc, ra: O(n sqrt n); cc: O(n k); and the instances asked for",
    .paper = "plume.txt, tables 1 and 2, algorithm 1",
    .levels = ISO_WEAK_LEVELS,
    .preferred = ISO_WEAK_LEVELS, /* after awdit in the table: for lists, patterns, and all instances */
    .can = CAN,
    .run = run_plume,
};

const iso_checker iso_checker_plume_vc = {
    .name = "plume-vc",
    .summary = "plume with plain vectors instead of tree clocks",
    .complexity = "as plume",
    .paper = "plume.txt, section 5.5.4, variant (i)",
    .levels = ISO_WEAK_LEVELS,
    .can = CAN,
    .run = run_plume,
};

const iso_checker iso_checker_plume_dfs = {
    .name = "plume-dfs",
    .summary = "plume with graph searches instead of clocks",
    .complexity = "rc, ra: as plume; cc: O(n^2)",
    .paper = "plume.txt, section 5.5.4, variant (ii)",
    .levels = ISO_WEAK_LEVELS,
    .can = CAN,
    .run = run_plume,
};
