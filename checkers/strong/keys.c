/* Stage `keys`: a history of transactions of one key each is decided key by key (linear/linear.h). */
#include "checkers/strong/strong.h"
#include "linear/linear.h"

/* Limit of the possible writers of all reads of repeated values: with more, the later stages do not search for the
 * reason why a history is violated. */
#define MOST_CANDIDATES 20000000u

/* Returns the number of possible writers of all reads of repeated values together. */
static uint64_t candidates(const isolab_history *h) {
    uint64_t sum = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t n = 0;
        if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY) {
            iso_writers(h, h->op_version[o], &n);
        }
        sum += n;
    }
    return sum;
}

static isolab_verdict decide(strong *s, iso_pool *pool) {
    iso_calls c;
    uint64_t steps;
    iso_result *result = s->result;
    bool proof = s->question->certificate;
    iso_linear_answer answer = iso_linear_chains(s->h, !s->question->no_session_order, pool, result->pool,
                                                 proof ? &result->order : NULL, &result->n_order);
    if (answer != ISO_LINEAR_TOO_MANY) {
        return answer == ISO_LINEAR ? ISOLAB_SATISFIED : ISOLAB_VIOLATED;
    }
    if (!iso_calls_build(&c, pool, s->h)) {
        return ISOLAB_UNKNOWN;
    }
    answer = iso_linear_keys(&c, proof, &steps);
    iso_result_counter(result, "configurations", steps);
    if (answer == ISO_NOT_LINEAR) {
        s->refuted = ISO_NEW(s->pool, strong_part, 1);
        *s->refuted = (strong_part){c.refuted_key, c.refuted_at};
    }
    if (answer == ISO_LINEAR && proof) {
        result->order = iso_linear_order(&c, result->pool, &result->n_order, &result->read_from);
    }
    return answer == ISO_LINEAR ? ISOLAB_SATISFIED : answer == ISO_NOT_LINEAR ? ISOLAB_VIOLATED : ISOLAB_UNKNOWN;
}

isolab_verdict iso_strong_keys(strong *s) {
    if (!iso_level_is_timed(s->level) || s->h->txn_start == NULL) {
        return ISOLAB_UNKNOWN;
    }
    isolab_verdict verdict = iso_strong_with_pool(s, decide);
    if (verdict != ISOLAB_VIOLATED) {
        return verdict;
    }
    s->result->verdict = ISOLAB_VIOLATED; /* also if a later stage reaches a limit */
    s->decided = true;
    return candidates(s->h) > MOST_CANDIDATES ? iso_strong_without_reason(s) : ISOLAB_UNKNOWN;
}

isolab_verdict iso_strong_without_reason(strong *s) {
    iso_result_anomaly(s->result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
    return ISOLAB_VIOLATED;
}
