/* Chooses random histories. See referee.h.
 *
 * A checker's mistake usually needs two features together, and a history with few other anomalies: if a history
 * violates a level in many ways, the checker finds one of them. So each random history
 *   1. is aimed at three features (features.h): the first candidate with all of them, or else with most;
 *   2. is often brought near a change of the verdict at one of the requested levels: reads are changed
 *      until one change decides the verdict;
 *   3. often gets a repeated operation, which by itself changes no verdict.
 * All of this follows from the seed and the history's number, so a run can continue where another one ended. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/print.h"
#include "base/random.h"
#include "experiments/referee/referee.h"

#define CANDIDATES 24     /* for one pair */
#define CANDIDATES_OURS 4 /* if only isolab's own checkers are asked, which takes less time than making a history */
#define ROUNDS 4          /* changes of a violated history, until one satisfies the level */
#define BREAKS 8          /* attempts to violate the level in a satisfied history */
#define MOST_OPS 40       /* of a history that is brought near a change: larger ones take too long */

/* Draws one of the first n features, among the features that histories of this run can have. */
static uint32_t draw_feature(const iso_referee *r, iso_rng *rng, uint32_t n) {
    uint32_t f;
    do {
        f = (uint32_t)iso_random_below(rng, n);
    } while (!r->lists && (f == ISO_F_LIST || f == ISO_F_REPEATED_APPEND));
    return ISO_FEATURE_BIT(f);
}

/* Returns the first candidate with the features, or else the one with the most of them. */
static const isolab_history *aimed(const iso_referee *r, iso_pool *pool, iso_rng *rng) {
    uint32_t aim = draw_feature(r, rng, ISO_FEATURES) | draw_feature(r, rng, ISO_FEATURES);
    aim |= draw_feature(r, rng, ISO_F_READ_ONLY); /* the first features are about reads, as most rules are */
    const isolab_history *best = NULL;
    unsigned most = r->n_foreign > 0 ? CANDIDATES : CANDIDATES_OURS;
    int has = -1;
    for (unsigned i = 0; i < most && has < __builtin_popcount(aim); i++) {
        const isolab_history *h = iso_random_candidate(r, pool, iso_random(rng) >> 1);
        int its = h->n_ops > 0 ? __builtin_popcount(iso_features(h) & aim) : 0; /* nothing can be asked about it */
        best = its > has ? h : best;
        has = its > has ? its : has;
    }
    return best;
}

static isolab_verdict verdict_of(iso_pool *pool, const isolab_history *h, const iso_referee_question *asked) {
    iso_question question = {.level = asked->level, .no_session_order = asked->no_session_order};
    const iso_checker *c = h->n_ops > 0 ? iso_checker_auto(h, &question) : NULL;
    if (c == NULL) {
        return ISOLAB_UNKNOWN;
    }
    iso_result result;
    iso_result_init(&result, pool);
    iso_check(c, h, &question, &result);
    return result.verdict;
}

/* Returns a violated history with a single read changed so that it is satisfied; NULL: none was found. else_to: one
 * with some read changed. */
static const isolab_history *repaired(iso_pool *pool, const isolab_history *h, const iso_referee_question *asked,
                                      iso_rng *rng, const isolab_history **else_to) {
    uint32_t first = (uint32_t)iso_random_below(rng, h->n_ops);
    for (uint32_t i = 0; i < h->n_ops; i++) {
        const isolab_history *other = iso_with_other_read(pool, h, (first + i) % h->n_ops, iso_random(rng));
        if (other != NULL && verdict_of(pool, other, asked) == ISOLAB_SATISFIED) {
            return other;
        }
        *else_to = other != NULL && (*else_to == NULL || iso_random_below(rng, 3) == 0) ? other : *else_to;
    }
    return NULL;
}

/* Returns a satisfied history with a single read changed so that it is violated; NULL: none was found. */
static const isolab_history *broken(iso_pool *pool, const isolab_history *h, const iso_referee_question *asked,
                                    iso_rng *rng) {
    for (unsigned i = 0; i < BREAKS; i++) {
        const isolab_history *other =
            iso_with_other_read(pool, h, (uint32_t)iso_random_below(rng, h->n_ops), iso_random(rng));
        if (other != NULL && verdict_of(pool, other, asked) == ISOLAB_VIOLATED) {
            return other;
        }
    }
    return NULL;
}

/* Returns a history whose verdict depends on one read: the reads of a violated one are changed until a single change
 * satisfies it; then it is violated again at any place. */
static const isolab_history *near_change(iso_pool *pool, const isolab_history *h, const iso_referee_question *asked,
                                         iso_rng *rng) {
    if (h->n_ops == 0 || h->n_ops > MOST_OPS) {
        return h;
    }
    bool satisfied = verdict_of(pool, h, asked) != ISOLAB_VIOLATED;
    for (unsigned round = 0; round < ROUNDS && !satisfied; round++) {
        const isolab_history *next = NULL, *better = repaired(pool, h, asked, rng, &next);
        satisfied = better != NULL;
        h = better != NULL ? better : next != NULL ? next : h;
    }
    const isolab_history *worse = satisfied ? broken(pool, h, asked, rng) : NULL;
    return worse != NULL && iso_random_below(rng, 4) != 0 ? worse : h;
}

/* Returns whether a party takes only calls of registers, of which none has an operation more. */
static bool is_for_calls(const iso_referee *r) {
    bool calls = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        calls |= r->party[i].adapter != NULL && strstr(r->party[i].adapter->cannot, "several") != NULL;
    }
    return calls;
}

const isolab_history *iso_steered(const iso_referee *r, iso_pool *pool, uint64_t seed) {
    iso_rng rng = {iso_mix(seed)};
    const isolab_history *h = aimed(r, pool, &rng);
    const iso_referee_question *asked = &r->questions[iso_random_below(&rng, r->n_questions)];
    bool near =
        r->n_foreign > 0 ? iso_random_below(&rng, 4) == 0 : iso_random_below(&rng, 64) == 0; /* it takes some time */
    if (near) {
        h = near_change(pool, h, asked, &rng);
    }
    for (uint64_t i = is_for_calls(r) ? 0 : iso_random_below(&rng, 4); i > 0; i--) {
        const isolab_history *longer = iso_repeated(pool, h, iso_random(&rng));
        h = longer != NULL ? longer : h;
    }
    return h;
}

/* --- statistics --- */

void iso_features_count(iso_referee *r, const isolab_history *h) {
    uint32_t features = iso_features(h);
    for (int a = 0; a < ISO_FEATURES; a++) {
        for (int b = a; (features & ISO_FEATURE_BIT(a)) != 0 && b < ISO_FEATURES; b++) {
            r->pairs[a][b] += (features & ISO_FEATURE_BIT(b)) != 0;
        }
    }
}

void iso_features_say(const iso_referee *r, FILE *out) {
    unsigned came = 0, all = 0;
    int rare[2] = {-1, -1};
    for (int a = 0; a < ISO_FEATURES; a++) {
        for (int b = a + 1; b < ISO_FEATURES && r->pairs[a][a] > 0; b++) {
            if (r->pairs[b][b] == 0) {
                continue;
            }
            all++;
            came += r->pairs[a][b] > 0;
            if (r->pairs[a][b] > 0 && (rare[0] < 0 || r->pairs[a][b] < r->pairs[rare[0]][rare[1]])) {
                rare[0] = a;
                rare[1] = b;
            }
        }
    }
    if (rare[0] >= 0) {
        iso_say(out, "%u of %u pairs of features came; a rarest one, %" PRIu64 " times: %s; %s\n", came, all,
                r->pairs[rare[0]][rare[1]], iso_feature_text[rare[0]], iso_feature_text[rare[1]]);
    }
}
