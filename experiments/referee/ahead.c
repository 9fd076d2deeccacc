/* Makes the next random histories while published programs work: what they do takes another processor. See
 * referee.h. */
#include <string.h>

#include "experiments/referee/referee.h"
#include "history/copy.h"

typedef struct made {
    iso_pool pool; /* of the history */
    const isolab_history *h;
    iso_origin origin;
} made;

/* A ring: the first ones are taken first. */
struct iso_ahead {
    size_t room, first, n;
    iso_pool scratch; /* of one history and its candidates */
    made made[];
};

iso_ahead *iso_ahead_new(iso_pool *pool, size_t room) {
    iso_ahead *a = iso_zalloc(pool, 1, sizeof *a + room * sizeof a->made[0]);
    a->room = room;
    iso_pool_init(&a->scratch, pool->env);
    for (size_t i = 0; i < room; i++) {
        iso_pool_init(&a->made[i].pool, pool->env);
    }
    return a;
}

void iso_ahead_end(iso_ahead *a) {
    for (size_t i = 0; a != NULL && i < a->room; i++) {
        iso_pool_free(&a->made[i].pool); /* also of one that a limit left unfinished */
    }
    if (a != NULL) {
        iso_pool_free(&a->scratch);
    }
}

bool iso_ahead_work(void *referee) {
    iso_referee *r = referee;
    iso_ahead *a = r->ahead;
    if (!r->random_only || a->n == a->room || (r->count > 0 && r->random_next >= r->count)) {
        return false;
    }
    made *m = &a->made[(a->first + a->n) % a->room];
    iso_pool_free(&m->pool);
    iso_pool_free(&a->scratch);
    m->origin = (iso_origin){ISO_FROM_RANDOM, r->random_next, r->seed, NULL, 0};
    m->h = iso_copy(&m->pool, iso_random_history(r, &a->scratch, &m->origin));
    a->n++;
    r->random_next++;
    return true;
}

const isolab_history *iso_ahead_take(iso_referee *r, iso_pool *pool, iso_origin *origin) {
    iso_ahead *a = r->ahead;
    if (a == NULL || a->n == 0) {
        *origin = (iso_origin){ISO_FROM_RANDOM, r->random_next++, r->seed, NULL, 0};
        return iso_random_history(r, pool, origin);
    }
    made *m = &a->made[a->first];
    a->first = (a->first + 1) % a->room;
    a->n--;
    *origin = m->origin;
    *pool = m->pool;
    iso_pool_init(&m->pool, r->env);
    return m->h;
}
