/* Makes the next random histories on a thread of its own, while the parties are asked about earlier ones. See
 * referee.h.
 *
 * The histories form a ring: the maker fills the slots, the run takes them in their order and gives them back when it
 * is done with them. A history follows from its number alone, so it does not matter when it was made. The thread has an
 * environment of its own, with limits of its own, since those of the run change with each question. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "experiments/referee/run.h"

#define WAIT_NS 50000000 /* time after which a waiting run checks its limits again */
#define GROUP 32         /* a waiting run is woken for this many histories, since waking takes longer than making one */

typedef struct made {
    iso_pool pool; /* of the history */
    const isolab_history *h;
    iso_origin origin;
    uint32_t features;
} made;

struct iso_ahead {
    const iso_referee *r;
    pthread_t thread;
    iso_env env; /* of the thread */
    iso_steering steering;
    atomic_int stop;
    uint64_t number; /* of the next history that is made */
    int code;        /* what ended the thread; its environment has the error */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t room; /* number of slots */
    /* Under the lock. The n slots from `first` on have histories; the run has taken the first `taken` of them. */
    size_t first, n, taken;
    bool waits[2]; /* whether the run [0] and the maker [1] wait */
    bool ended;    /* the maker has ended */
    made made[];
};

/* Wakes the other side if it waits. Called under the lock. other: its index in `waits`. */
static void wake(iso_ahead *a, int other) {
    if (a->waits[other]) {
        pthread_cond_broadcast(&a->changed);
    }
}

/* Makes histories until there are enough or the run ends. */
static void make_all(void *arg) {
    iso_ahead *a = arg;
    const iso_referee *r = a->r;
    while (!atomic_load(&a->stop) && (r->options.count == 0 || a->number < r->options.count)) {
        pthread_mutex_lock(&a->lock);
        while (a->n == a->room && !atomic_load(&a->stop)) {
            a->waits[1] = true;
            pthread_cond_wait(&a->changed, &a->lock);
        }
        a->waits[1] = false;
        made *m = a->n < a->room ? &a->made[(a->first + a->n) % a->room] : NULL; /* only this thread uses it now */
        pthread_mutex_unlock(&a->lock);
        if (m == NULL) {
            return;
        }
        iso_pool_free(&m->pool);
        m->origin = (iso_origin){ISO_FROM_RANDOM, a->number++, r->options.seed, NULL, 0};
        m->h = iso_random_history(r, &a->steering, &m->pool, &m->origin, &m->features);
        pthread_mutex_lock(&a->lock);
        a->n++;
        if (a->n - a->taken >= GROUP || a->n == a->room) {
            wake(a, 0);
        }
        pthread_mutex_unlock(&a->lock);
    }
}

static void *run_maker(void *arg) {
    iso_ahead *a = arg;
    iso_cache_begin(&a->env);
    a->code = iso_guard(&a->env, make_all, a);
    pthread_mutex_lock(&a->lock);
    a->ended = true;
    wake(a, 0);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

void iso_ahead_begin(iso_referee *r, size_t room) {
    iso_ahead *a = iso_zalloc(r->pool, 1, sizeof *a + room * sizeof a->made[0]);
    a->r = r;
    a->room = room;
    a->number = r->random_next;
    iso_env_init(&a->env);
    iso_expect(r->env, 1);
    iso_limits *all = r->env->limits; /* the maker has half of the memory, and the run the other half */
    a->env.limits->memory = all->memory > 0 ? (all->memory - all->used) / 2 + 1 : 0;
    a->env.limits->stop = &a->stop;
    iso_pool_init(&a->steering.pool, &a->env);
    pthread_mutex_init(&a->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&a->changed, &clock);
    pthread_condattr_destroy(&clock);
    for (size_t i = 0; i < room; i++) {
        iso_pool_init(&a->made[i].pool, &a->env);
    }
    if (pthread_create(&a->thread, NULL, run_maker, a) == 0) {
        all->memory -= a->env.limits->memory;
        r->ahead = a; /* otherwise histories are made when they are needed */
    }
}

void iso_ahead_end(iso_ahead *a) {
    if (a == NULL) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    atomic_store(&a->stop, 1);
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    a->r->env->limits->memory += a->env.limits->memory;
    for (size_t i = 0; i < a->room; i++) {
        iso_pool_free(&a->made[i].pool); /* also of an unfinished history */
    }
    iso_pool_free(&a->steering.pool);
    iso_cache_end(&a->env);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
}

/* Waits for the next history. Returns false if the maker has ended without it or the run has reached a limit. */
static bool await(const iso_referee *r, iso_ahead *a) {
    while (a->taken == a->n && !a->ended) {
        int64_t until = iso_now() + WAIT_NS;
        struct timespec t = {until / 1000000000, until % 1000000000};
        a->waits[0] = true;
        pthread_cond_timedwait(&a->changed, &a->lock, &t);
        a->waits[0] = false;
        if (iso_over(r->env->limits) != ISO_LIMIT_NONE) {
            return false;
        }
    }
    return a->taken < a->n;
}

const isolab_history *iso_ahead_take(iso_referee *r, iso_pool *pool, iso_origin *origin) {
    iso_ahead *a = r->ahead;
    iso_tick(r->env);
    if (a == NULL) {
        uint32_t features;
        *origin = (iso_origin){ISO_FROM_RANDOM, r->random_next++, r->options.seed, NULL, 0};
        const isolab_history *h = iso_random_history(r, &r->steering, pool, origin, &features);
        iso_features_count(r, features);
        return h;
    }
    pthread_mutex_lock(&a->lock);
    bool is_there = await(r, a);
    const made *m = is_there ? &a->made[(a->first + a->taken++) % a->room] : NULL;
    pthread_mutex_unlock(&a->lock);
    if (m == NULL) {
        r->env->countdown = 0;
        iso_tick(r->env); /* a limit of the run */
        r->env->error = a->env.error;
        r->env->limit = a->env.limit;
        iso_rethrow(r->env);
    }
    r->random_next = m->origin.number + 1;
    iso_features_count(r, m->features);
    *origin = m->origin;
    return m->h;
}

void iso_ahead_done(iso_ahead *a) {
    if (a != NULL && a->taken > 0) { /* only the run changes it */
        pthread_mutex_lock(&a->lock);
        a->first = (a->first + a->taken) % a->room;
        a->n -= a->taken;
        a->taken = 0;
        wake(a, 1);
        pthread_mutex_unlock(&a->lock);
    }
}
