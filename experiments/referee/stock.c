/* The stock: histories on which the parties did something new. Random histories are mutants of them now and then. See
 * referee.h.
 *
 * What the parties did about a history is a behaviour: the question, the sign of each party, the anomaly of isolab's
 * checkers, and the words of a published one. A behaviour with a pair of features with which it did not occur before is
 * new. At the beginning nearly each one is, and the stock turns over; later only what is rare stays in it. */
#include <string.h>
#include <xxhash.h>

#include "base/hash.h"
#include "base/random.h"
#include "experiments/referee/referee.h"
#include "history/copy.h"

#define MOST_STOCKED 64
#define MOST_OPS 40   /* of a stocked history: mutants of larger ones take too long */
#define BEHAVIOURS 64 /* more of them share places */

typedef struct stocked {
    iso_pool pool; /* of the history */
    const isolab_history *h;
    uint64_t mutants; /* how many were made */
} stocked;

struct iso_stock {
    iso_env *env;
    stocked kept[MOST_STOCKED];
    uint64_t n;                             /* that were ever put there; the oldest ones are replaced */
    uint32_t met[BEHAVIOURS][ISO_FEATURES]; /* by behaviour and feature: the features that came with it */
};

iso_stock *iso_stock_new(iso_pool *pool) {
    iso_stock *s = ISO_ZNEW(pool, iso_stock, 1);
    s->env = pool->env;
    return s;
}

void iso_stock_end(iso_stock *s) {
    for (size_t i = 0; s != NULL && i < MOST_STOCKED && i < s->n; i++) {
        iso_pool_free(&s->kept[i].pool);
    }
}

/* Returns whether the behaviour came with a new pair of these features, and notes them. */
static bool is_new(uint32_t met[ISO_FEATURES], uint32_t features) {
    uint32_t new = 0;
    for (uint32_t rest = features; rest != 0; rest &= rest - 1) {
        uint32_t *its = &met[__builtin_ctz(rest)];
        new |= features & ~*its;
        *its |= features;
    }
    return new != 0;
}

static uint64_t behaviour_of(const iso_referee *r, unsigned question, const iso_said *said) {
    uint64_t behaviour = question;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_said *s = &said[i];
        behaviour = iso_mix2(behaviour, (uint64_t)(unsigned char)s->sign << 32 | s->kind);
        if (r->party[i].adapter != NULL && s->judgement.anomalies[0] != '\0') {
            behaviour = iso_mix2(behaviour, XXH3_64bits(s->judgement.anomalies, strlen(s->judgement.anomalies)));
        }
    }
    return behaviour;
}

void iso_stock_look(const iso_referee *r, const isolab_history *h, unsigned question, const iso_said *said) {
    iso_stock *s = r->stock;
    if (s == NULL || h->n_ops == 0 || h->n_ops > MOST_OPS ||
        !is_new(s->met[behaviour_of(r, question, said) % BEHAVIOURS], iso_features(h))) {
        return;
    }
    stocked *place = &s->kept[s->n % MOST_STOCKED];
    if (s->n >= MOST_STOCKED) {
        iso_pool_free(&place->pool);
    }
    *place = (stocked){.h = NULL};
    iso_pool_init(&place->pool, s->env);
    s->n++;
    place->h = iso_copy(&place->pool, h);
}

isolab_history *iso_stock_mutant(iso_stock *s, iso_pool *pool, uint64_t seed) {
    iso_rng rng = {iso_mix(seed)};
    uint64_t n = s->n < MOST_STOCKED ? s->n : MOST_STOCKED;
    if (n == 0) {
        return NULL;
    }
    stocked *one = &s->kept[iso_random_below(&rng, n)], *other = &s->kept[iso_random_below(&rng, n)];
    stocked *chosen = other->mutants < one->mutants ? other : one;
    if (chosen->h == NULL) { /* its copy ran out of memory */
        return NULL;
    }
    chosen->mutants++;
    return iso_mutant(pool, chosen->h, iso_random(&rng));
}
