/* `candidates`: weak levels of histories in which several transactions wrote one value, so that some reads are
 * ambiguous. See candidates.h. */
#include <string.h>

#include "checkers/anomaly.h"
#include "checkers/candidates/candidates.h"

static void offence(void *arg, iso_int_kind kind, uint32_t read, uint32_t other) {
    cand *c = arg;
    if (c->result->n_anomalies == 0) {
        iso_result_anomaly(c->result,
                           (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read, .other_op = other});
    }
}

void iso_cand_give_order(const cand *c) {
    const isolab_history *h = c->h;
    iso_result *r = c->result;
    r->verdict = ISOLAB_SATISFIED;
    r->order = ISO_NEW(r->pool, uint32_t, c->n_order);
    r->n_order = c->n_order;
    memcpy(r->order, c->order, c->n_order * sizeof *r->order);
    r->read_from = ISO_NEW_NONE(r->pool, h->n_ops);
    for (uint32_t i = 0; i < c->n_order; i++) {
        uint32_t t = c->order[i], at = c->read_first[t];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (at < c->read_first[t + 1] && c->reads[at].op == o) {
                r->read_from[o] = c->chosen[at++];
            } else if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY) {
                r->read_from[o] = iso_write_before(h, o);
            }
        }
    }
}

/* What --option says. */
typedef struct choices {
    bool narrow;
    const char *align;
} choices;

static const iso_option options[] = {
    {ISO_FLAG("narrow", "yes", "rule out writers before one is chosen for each read"), ISO_TO(choices, narrow)},
    {ISO_WORD("align", "auto", "auto no yes", "lay sessions along each other for a better first order"),
     ISO_TO(choices, align)},
    ISO_END};

/* Returns whether the first walk missed a writer for so large a part of the reads that the order is wrong nearly
 * everywhere: then a search would not end. */
static bool is_lost(const cand *c, uint64_t missed) {
    uint64_t part = c->level == ISO_CC ? 32 : 100;
    return part * missed > c->n_reads && iso_cand_says_little(c);
}

static void tell(const cand *c, const cand_search *s, uint64_t rounds, int64_t walking, int64_t searching) {
    iso_result_phase(c->result, "walk", iso_now() - walking);
    iso_result_phase(c->result, "search", iso_now() - searching);
    iso_result_counter(c->result, "chains", c->n_chains);
    iso_result_counter(c->result, "sweeps", c->sweeps);
    iso_result_counter(c->result, "rounds", rounds);
    iso_cand_search_tell(s);
}

/* Returns false if sessions should be aligned first. */
static bool check_order(cand *c, const choices *chosen, bool aligned) {
    int64_t since = iso_now();
    iso_cand_guess(c);
    if (aligned) {
        iso_cand_align(c);
    }
    iso_cand_chains(c);
    iso_cand_sort_writers(c);
    iso_result_phase(c->result, "guess", since);
    since = iso_now();
    cand_search *s = iso_cand_search_new(c);
    bool good = chosen->narrow ? iso_cand_narrow(c, s) : iso_cand_search(s);
    iso_result_phase(c->result, "narrow", since);
    uint64_t rounds = 0, missed = UINT64_MAX;
    int64_t walking = 0, searching = 0;
    while (good && missed != iso_cand_missed(s)) {
        missed = iso_cand_missed(s);
        since = iso_now();
        good = iso_cand_search(s);
        int64_t between = iso_now();
        if (good) {
            iso_cand_walk(c, s);
        }
        searching += between - since;
        walking += iso_now() - between;
        rounds++;
        if (good && rounds == 1 && !aligned && strcmp(chosen->align, "no") != 0 && is_lost(c, iso_cand_missed(s))) {
            return false;
        }
    }
    if (good) {
        iso_cand_give_order(c);
    }
    tell(c, s, rounds, walking, searching);
    return true;
}

static void look_for_two_values(cand *c) {
    uint32_t read, other;
    if (iso_find_two_values(c->h, c->pool, &read, &other)) {
        iso_result_anomaly(c->result, (iso_anomaly){.kind = ISO_A_NON_REPEATABLE_READ, .op = read, .other_op = other});
    }
}

static void begin(cand *c) {
    iso_pool *pool = c->pool;
    *c = (cand){.pool = pool, .h = c->h, .question = c->question, .result = c->result, .level = c->question->level};
    iso_cand_model(c);
}

static void check(void *arg) {
    cand *c = arg;
    int64_t since = iso_now();
    choices chosen;
    begin(c);
    iso_options_read(c->pool, options, c->question->options, &chosen);
    bool unordered = c->level == ISO_INT || c->level == ISO_CI;
    if (c->level != ISO_CI) {
        iso_check_int(c->h, c->pool, offence, c);
    }
    if (iso_level_has(c->level, ISO_SEES_READ) && c->result->n_anomalies == 0) {
        look_for_two_values(c);
    }
    iso_result_phase(c->result, "model", since);
    if (c->result->n_anomalies > 0) {
        return;
    }
    if (unordered) {
        iso_cand_unordered(c);
        return;
    }
    since = iso_now();
    uint32_t n_phases = c->result->n_phases;
    if (!check_order(c, &chosen, strcmp(chosen.align, "yes") == 0)) { /* what was inferred is in terms of that order */
        c->result->n_phases = n_phases;
        iso_result_phase(c->result, "first try", since);
        begin(c);
        check_order(c, &chosen, true);
    }
}

static void run_candidates(const iso_checker *self, const isolab_history *h, const iso_question *question,
                           iso_result *result) {
    (void)self;
    iso_pool pool;
    iso_pool_init(&pool, result->pool->env);
    cand c = {.pool = &pool, .h = h, .question = question, .result = result};
    iso_guard_pool(&pool, check, &c);
}

const iso_checker iso_checker_candidates = {
    .name = "candidates",
    .summary = "weak levels of repeated values: guesses writers along an order, and searches where the guess fails",
    .complexity = "O(n), cc O(n k), if the guess is nearly right; exponential at worst",
    .paper = "awdit.txt definitions 2.3 to 2.8; docs/candidates.md",
    .levels = ISO_WEAK_LEVELS,
    .preferred = ISO_WEAK_LEVELS,
    .can = ISO_CAN_DUPLICATES,
    .options = options,
    .run = run_candidates,
};
