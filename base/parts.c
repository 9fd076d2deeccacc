/* See parts.h. */
#include "base/parts.h"

#include "base/assert.h"

static void run_part(void *arg) {
    iso_part *p = arg;
    p->work(p);
}

static void *run_thread(void *arg) {
    iso_part *p = arg;
    p->code = iso_guard(p->pool->env, run_part, p);
    return NULL;
}

/* Frees the memory of the parts and throws what one of them threw. */
static _Noreturn void fail(iso_pool *pool, iso_part *parts, const iso_part *failed) {
    iso_env *env = pool->env;
    if (failed->pool != pool) {
        env->error = failed->env.error;
        env->limit = failed->env.limit;
    }
    iso_parts_free(pool, parts);
    iso_rethrow(env);
}

iso_part *iso_parts_run(iso_pool *pool, unsigned n, iso_part_work *work, void *arg) {
    iso_assert(n > 0);
    iso_part *parts = ISO_ZNEW(pool, iso_part, n);
    for (unsigned i = 0; i < n; i++) {
        iso_part *p = &parts[i];
        *p = (iso_part){.arg = arg, .number = i, .of = n, .pool = pool, .work = work};
        if (i > 0) {
            iso_env_fork(&p->env, pool->env);
            iso_pool_init(&p->own, &p->env);
            p->pool = &p->own;
        }
    }
    if (n == 1) {
        work(parts);
        return parts;
    }
    unsigned started = 1;
    while (started < n && pthread_create(&parts[started].thread, NULL, run_thread, &parts[started]) == 0) {
        started++;
    }
    run_thread(&parts[0]);
    const iso_part *failed = NULL;
    for (unsigned i = 0; i < n; i++) {
        if (i > 0 && i < started) {
            pthread_join(parts[i].thread, NULL);
        } else if (i > 0) { /* the system could not start a thread */
            run_thread(&parts[i]);
        }
        failed = failed == NULL && parts[i].code != ISOLAB_OK ? &parts[i] : failed;
    }
    if (failed != NULL) {
        fail(pool, parts, failed);
    }
    return parts;
}

void iso_parts_free(iso_pool *pool, iso_part *parts) {
    for (unsigned i = 1; i < parts->of; i++) {
        iso_pool_free(&parts[i].own);
    }
    iso_free(pool, parts);
}

void iso_parts(iso_pool *pool, unsigned n, iso_part_work *work, void *arg) {
    iso_parts_free(pool, iso_parts_run(pool, n, work, arg));
}
