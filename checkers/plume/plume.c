/* Plume (plume.txt): all 14 patterns of anomalies, and the levels that are sets of them (table 2).
 *
 * Algorithm 1 asks every triple of transactions; here most histories are done before any triple is looked at: the
 * commit relation that the most general pattern asks for is built from a few edges for each read, and where it has
 * no cycle, none of the six patterns of triples has an instance. See plume.h for the parts. */
#include "checkers/plume/plume.h"

#include <string.h>

#define UP_TO(tap) (TAP_BIT((tap) + 1) - 1)

/* plume.txt, table 2. rc is rc-plume with y = x allowed. */
static uint32_t patterns_of(iso_level level) {
    switch (level) {
    case ISO_INT:
        return UP_TO(TAP_F);
    case ISO_CI:
        return TAP_BIT(TAP_J);
    case ISO_G1:
        return UP_TO(TAP_G);
    case ISO_RA:
        return UP_TO(TAP_L);
    case ISO_CC:
        return UP_TO(TAP_N);
    default:
        return UP_TO(TAP_I);
    }
}

static void find(iso_plume *p) {
    iso_result *result = p->result;
    const uint32_t reads = UP_TO(TAP_F), triples = UP_TO(TAP_N) & ~(UP_TO(TAP_G) | TAP_BIT(TAP_J));
    int64_t since = iso_now();
    if (p->patterns & ~TAP_BIT(TAP_J)) {
        iso_plume_offences(p);
    }
    if (p->patterns & TAP_BIT(TAP_J)) {
        iso_plume_unrepeatable(p);
    }
    iso_result_phase(result, "reads", since);
    if ((p->patterns & ~(reads | TAP_BIT(TAP_J))) == 0 || iso_plume_enough(p)) {
        return;
    }
    since = iso_now();
    iso_plume_lists(p);
    iso_plume_view(p);
    iso_result_phase(result, "view", since);
    since = iso_now();
    iso_plume_causal_order(p);
    if ((p->patterns & TAP_BIT(TAP_G)) != 0 && !iso_plume_enough(p)) {
        iso_plume_cycles(p);
    }
    iso_result_phase(result, "causal order", since);
    since = iso_now();
    if ((p->patterns & triples) != 0 && !iso_plume_enough(p)) {
        iso_plume_find(p);
        iso_result_phase(result, "patterns", since);
    }
    if (result->verdict == ISOLAB_SATISFIED && p->request->patterns == 0) {
        result->n_order = p->n_order;
        result->order = ISO_NEW(result->pool, uint32_t, p->n_order);
        memcpy(result->order, p->order, p->n_order * sizeof *result->order);
    }
}

static void guarded(void *arg) {
    iso_plume *p = arg;
    p->result->verdict = ISOLAB_SATISFIED;
    find(p);
    iso_result_counter(p->result, "graph traversals", p->count.traversals);
    iso_result_counter(p->result, "transactions visited", p->count.visited);
    iso_result_counter(p->result, "clock comparisons", p->count.comparisons);
    iso_result_counter(p->result, "clock joins", p->count.join.joins);
    iso_result_counter(p->result, "clock entries looked at", p->count.join.looked);
}

static void run_as(const isolab_history *h, const iso_request *request, iso_result *result, iso_plume_mode mode) {
    iso_pool pool;
    iso_pool_init(&pool, result->pool->env);
    iso_plume p = {.pool = &pool,
                   .h = h,
                   .request = request,
                   .result = result,
                   .mode = mode,
                   .patterns = request->patterns == 0 ? patterns_of(request->level) : request->patterns,
                   .any_key = request->level == ISO_RC};
    iso_guard_pool(&pool, guarded, &p);
}

static void run_tree(const isolab_history *h, const iso_request *request, iso_result *result) {
    run_as(h, request, result, ISO_PLUME_TREE);
}

static void run_vector(const isolab_history *h, const iso_request *request, iso_result *result) {
    run_as(h, request, result, ISO_PLUME_VECTOR);
}

static void run_search(const isolab_history *h, const iso_request *request, iso_result *result) {
    run_as(h, request, result, ISO_PLUME_SEARCH);
}

#define CAN (ISO_CAN_ALL | ISO_CAN_PATTERNS | ISO_CAN_LISTS | ISO_CAN_EVERY)

const iso_checker iso_checker_plume = {
    .name = "plume",
    .summary = "Plume's 14 patterns, each one or all instances, with tree clocks; lists too",
    .complexity = "rc, ra: O(n sqrt n); cc: O(n k); and the instances asked for",
    .paper = "plume.txt, tables 1 and 2, algorithm 1",
    .levels = ISO_WEAK_LEVELS,
    .preferred = ISO_WEAK_LEVELS, /* after awdit in the table: for lists, for patterns, and for every instance */
    .can = CAN,
    .run = run_tree,
};

const iso_checker iso_checker_plume_vc = {
    .name = "plume-vc",
    .summary = "plume with plain vectors instead of tree clocks",
    .complexity = "as plume",
    .paper = "plume.txt, section 5.5.4, variant (i)",
    .levels = ISO_WEAK_LEVELS,
    .can = CAN,
    .run = run_vector,
};

const iso_checker iso_checker_plume_dfs = {
    .name = "plume-dfs",
    .summary = "plume with graph searches instead of clocks",
    .complexity = "rc, ra: as plume; cc: O(n^2)",
    .paper = "plume.txt, section 5.5.4, variant (ii)",
    .levels = ISO_WEAK_LEVELS,
    .can = CAN,
    .run = run_search,
};
