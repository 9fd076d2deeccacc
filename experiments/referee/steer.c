/* Chooses random histories. See referee.h.
 *
 * A checker's mistake usually needs two features together, and a history with few other anomalies: if a history
 *   violates a level in many ways, the checker finds one of them. So each random history 1. is aimed at three features
 *   (features.h): of the candidates, it is the one with most of these features. A group of
 *      histories shares its candidates, since making candidates takes longer than everything else;
 *   2. is often brought near a change of the verdict at one of the requested levels: reads are changed
 *      until one change decides the verdict;
 *   3. often gets a repeated operation, which by itself changes no verdict.
 * The seed and the number of a history determine it, so a run can continue where another one ended, and any thread can
 * make the history at any time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/print.h"
#include "base/random.h"
#include "experiments/referee/run.h"

#define CANDIDATES 64      /* number of candidates for a group of histories */
#define CANDIDATES_OURS 32 /* the same if only isolab's checkers are asked: asking takes less time than making */
#define ROUNDS 4           /* limit of rounds of changes, each of one read, until a history satisfies the level */
#define BREAKS 8           /* limit of attempts to violate the level by a change of a satisfied history */
#define MOST_OPS 40 /* limit of operations of a history that is brought near a change: larger ones take too long */

/* Returns, as a bit, a random feature among the first n ones that histories of this run can have. */
static uint32_t draw_feature(const iso_referee *r, iso_rng *rng, uint32_t n) {
    uint32_t f;
    do {
        f = (uint32_t)iso_random_below(rng, n);
    } while (!r->lists && (f == ISO_F_LIST || f == ISO_F_REPEATED_APPEND));
    return ISO_FEATURE_BIT(f);
}

/* Chooses the drafts of a group: each is the candidate with most of the features that its history is aimed at. */
static void choose(const iso_referee *r, iso_steering *s, uint64_t group) {
    iso_rng rng = {iso_mix2(r->options.seed, ~group)};
    iso_draft *all[CANDIDATES];
    uint32_t features[CANDIDATES], n = r->n_foreign > 0 ? CANDIDATES : CANDIDATES_OURS;
    iso_pool_free(&s->pool);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = iso_random_candidate(r, &s->pool, iso_random(&rng) >> 1);
        isolab_history *h = iso_draft_history(&s->pool, all[i]);
        features[i] = h->n_ops > 0 ? iso_features(h) : 0; /* 0: chosen last, since an empty history asks nothing */
        iso_free(&s->pool, h);
    }
    for (uint32_t k = 0; k < ISO_GROUP; k++, n--) {
        uint32_t aim = draw_feature(r, &rng, ISO_FEATURES) | draw_feature(r, &rng, ISO_FEATURES), best = 0;
        aim |= draw_feature(r, &rng, ISO_F_READ_ONLY); /* the first features are about reads, as most rules are */
        for (uint32_t i = 1; i < n; i++) {
            best = __builtin_popcount(features[i] & aim) > __builtin_popcount(features[best] & aim) ? i : best;
        }
        s->chosen[k] = all[best];
        all[best] = all[n - 1];
        features[best] = features[n - 1];
    }
    s->after = group + 1;
}

static isolab_verdict verdict_of(iso_pool *pool, const iso_draft *d, const iso_referee_question *asked) {
    iso_question question = {.level = asked->level, .no_session_order = asked->no_session_order};
    const isolab_history *h = iso_draft_history(pool, d);
    const iso_checker *c = h->n_ops > 0 ? iso_checker_auto(h, &question) : NULL;
    if (c == NULL) {
        return ISOLAB_UNKNOWN;
    }
    iso_result result;
    iso_result_init(&result, pool);
    iso_check(c, h, &question, &result);
    return result.verdict;
}

/* Changes one read of a violated draft so that the draft satisfies the level, and returns true. If no such change is
 * found, changes a random read and returns false. */
static bool repair(iso_pool *pool, iso_draft *d, const iso_referee_question *asked, iso_rng *rng) {
    uint32_t first = (uint32_t)iso_random_below(rng, d->n_ops), other = ISO_NONE, its = 0;
    for (uint32_t i = 0; i < d->n_ops; i++) {
        uint32_t o = (first + i) % d->n_ops, before = d->value[o];
        if (!iso_reread(d, o, rng)) {
            continue;
        }
        if (verdict_of(pool, d, asked) == ISOLAB_SATISFIED) {
            return true;
        }
        if (other == ISO_NONE || iso_random_below(rng, 3) == 0) {
            other = o;
            its = d->value[o];
        }
        d->value[o] = before;
    }
    if (other != ISO_NONE) {
        d->value[other] = its;
    }
    return false;
}

/* Returns the strongest usual level that a level implies; the level itself if it implies none. */
static iso_level below(iso_level level) {
    static const iso_level usual[] = {ISO_SER, ISO_SI, ISO_PC, ISO_CC, ISO_RA, ISO_RC, ISO_G1};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (iso_level_implies(level, usual[i])) {
            return usual[i];
        }
    }
    return level;
}

/* Changes one read of a satisfied draft so that the draft violates the level, if such a change is found. A change after
 * which the next weaker level is still satisfied is preferred, since checkers easily notice a history that violates
 * many levels. */
static void damage(iso_pool *pool, iso_draft *d, const iso_referee_question *asked, iso_rng *rng) {
    iso_referee_question weaker = *asked;
    uint32_t other = ISO_NONE, its = 0;
    weaker.level = below(asked->level);
    weaker.no_session_order &= weaker.level == ISO_SI;
    for (unsigned i = 0; i < BREAKS; i++) {
        uint32_t o = (uint32_t)iso_random_below(rng, d->n_ops), before = d->value[o];
        if (!iso_reread(d, o, rng)) {
            continue;
        }
        bool violated = verdict_of(pool, d, asked) == ISOLAB_VIOLATED;
        if (violated && verdict_of(pool, d, &weaker) == ISOLAB_SATISFIED) {
            return;
        }
        if (violated && other == ISO_NONE) {
            other = o;
            its = d->value[o];
        }
        d->value[o] = before;
    }
    if (other != ISO_NONE) {
        d->value[other] = its;
    }
}

/* Changes reads until the verdict depends on one read: a violated draft is changed until it satisfies the level, and
 * then, in three of four cases, one read is changed so that it violates the level again. */
static void bring_near_change(iso_pool *pool, iso_draft *d, const iso_referee_question *asked, iso_rng *rng) {
    if (d->n_ops == 0 || d->n_ops > MOST_OPS) {
        return;
    }
    bool satisfied = verdict_of(pool, d, asked) != ISOLAB_VIOLATED;
    for (unsigned round = 0; round < ROUNDS && !satisfied; round++) {
        satisfied = repair(pool, d, asked, rng);
    }
    if (satisfied && iso_random_below(rng, 4) != 0) {
        damage(pool, d, asked, rng);
    }
}

/* Returns whether some party takes only calls of registers, in which no operation may be repeated. */
static bool is_for_calls(const iso_referee *r) {
    bool calls = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_adapter *adapter = iso_party_adapter(&r->party[i]);
        calls |= adapter != NULL && (iso_adapter_cannot(adapter) & ISO_TRAIT_BIT(ISO_TRAIT_CALLS)) != 0;
    }
    return calls;
}

const isolab_history *iso_steered(const iso_referee *r, iso_steering *s, iso_pool *pool, uint64_t number) {
    iso_rng rng = {iso_mix2(r->options.seed, iso_mix(number))};
    if (s->after != number / ISO_GROUP + 1) {
        choose(r, s, number / ISO_GROUP);
    }
    iso_draft *d = iso_draft_copy(&s->pool, s->chosen[number % ISO_GROUP]);
    const iso_referee_question *asked = &r->questions[iso_random_below(&rng, r->n_questions)];
    bool near =
        r->n_foreign > 0 ? iso_random_below(&rng, 4) == 0 : iso_random_below(&rng, 64) == 0; /* it takes some time */
    if (near) {
        bring_near_change(&s->pool, d, asked, &rng);
    }
    for (uint64_t i = is_for_calls(r) ? 0 : iso_random_below(&rng, 4); i > 0; i--) {
        iso_repeat(d, &rng);
    }
    return iso_draft_history(pool, d);
}

/* --- statistics --- */

void iso_features_count(iso_referee *r, uint32_t features) {
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
