/* Tests base/env.h. Environments and pools: errors, limits, sizes that overflow, blocks that grow and shrink; and every
 * allocation of a load failing in turn. */
#define _GNU_SOURCE
#include "base/env.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/format.h"
#include "tests/tap.h"

/* ---- errors ---- */

typedef struct ask {
    iso_pool *pool;
    size_t count, size;
    void *block;
} ask;

static void allocate(void *arg) {
    ask *a = arg;
    a->block = iso_alloc(a->pool, a->count, a->size);
}

static void resize(void *arg) {
    ask *a = arg;
    a->block = iso_resize(a->pool, a->block, a->count, a->size);
}

static void throw_inner(void *arg) { iso_throw_input(arg, 7, 99, "inner %d", 5); }

static void rethrow(void *arg) {
    iso_env *env = arg;
    if (iso_guard(env, throw_inner, env) != ISOLAB_OK) {
        iso_rethrow(env);
    }
}

static void errors(iso_env *env) {
    cmp_ok(iso_guard(env, rethrow, env), "==", ISOLAB_E_INPUT, "an error passes through two guards");
    cmp_ok(env->error.line, "==", 7, "with its line");
    cmp_ok(env->error.offset, "==", 99, "and its offset");
    is(env->error.message, "inner 5", "and its message");
    ok(env->catch == NULL, "and no guard is left");
}

static void tick(void *arg) {
    for (int i = 0; i < 100000; i++) {
        iso_tick(arg);
    }
}

static void deadlines(iso_env *env) {
    env->limits->deadline = iso_now() + 1000000000000;
    int64_t before = env->limits->deadline;
    cmp_ok(iso_guard_until(env, iso_now() - 1, tick, env), "==", ISOLAB_E_LIMIT, "a deadline of its own");
    cmp_ok(env->limits->deadline, "==", before, "the deadline before it holds again, also after an error");
    cmp_ok(iso_sooner(env, before + 1), "==", before, "the earlier deadline is the one in force");
    cmp_ok(iso_sooner(env, before - 1), "==", before - 1,
           "a deadline that is earlier than the one before it is in force");
    cmp_ok(iso_sooner(env, 0), "==", before, "a deadline of 0 is none, so the one before it stays in force");
    env->limits->deadline = 0;
    cmp_ok(iso_sooner(env, before), "==", before, "and so it is for the one in force");
}

static void limits(iso_pool *pool) {
    iso_env *env = pool->env;
    env->limits->deadline = iso_now() - 1;
    cmp_ok(iso_guard(env, tick, env), "==", ISOLAB_E_LIMIT, "a deadline that has passed");
    cmp_ok(env->limit, "==", ISO_LIMIT_TIME, "is distinguished from others");
    env->limits->deadline = 0;
    env->limits->interrupted = 1;
    cmp_ok(iso_guard(env, tick, env), "==", ISOLAB_E_LIMIT, "an interruption ends the work as a limit does");
    cmp_ok(env->limit, "==", ISO_LIMIT_INTERRUPT, "is distinguished from others");
    env->limits->interrupted = 0;
    cmp_ok(iso_guard(env, tick, env), "==", ISOLAB_OK, "after the interrupt is taken back, a tick throws nothing");

    env->limits->memory = env->limits->used + 10000;
    ask a = {pool, 5000, 1, NULL};
    cmp_ok(iso_guard(env, allocate, &a), "==", ISOLAB_OK, "a block within the memory limit");
    uint64_t used = env->limits->used;
    ask b = {pool, 6000, 1, NULL};
    cmp_ok(iso_guard(env, allocate, &b), "==", ISOLAB_E_LIMIT, "one beyond it");
    cmp_ok(env->limit, "==", ISO_LIMIT_MEMORY, "is distinguished from others");
    cmp_ok(env->limits->used, "==", used, "a failed allocation costs no memory");
    env->limits->memory = 0;
    iso_free(pool, a.block);
}

static void overflows(iso_pool *pool) {
    static const size_t cases[][2] = {{SIZE_MAX, 1},      {SIZE_MAX / 2, 4}, {SIZE_MAX / 8 + 1, 8},
                                      {1, SIZE_MAX},      {SIZE_MAX / 2, 1}, {(size_t)1 << 60, 16},
                                      {SIZE_MAX - 63, 1}, {SIZE_MAX / 3, 3}};
    uint64_t used = pool->env->limits->used;
    unsigned refused = 0, n = sizeof cases / sizeof cases[0];
    for (unsigned i = 0; i < n; i++) {
        ask a = {pool, cases[i][0], cases[i][1], NULL};
        refused += iso_guard(pool->env, allocate, &a) == ISOLAB_E_LIMIT;
    }
    cmp_ok(refused, "==", n, "sizes that overflow, or that no machine has, are refused");
    ask a = {pool, SIZE_MAX / 4, 1, NULL}; /* fits a number, not the address space */
    cmp_ok(iso_guard(pool->env, allocate, &a), "==", ISOLAB_E_LIMIT, "and what the system refuses");
    ask b = {pool, 3 << 20, 1, NULL};
    iso_guard(pool->env, allocate, &b);
    void *before = b.block;
    memset(before, 5, 3 << 20);
    b.count = SIZE_MAX / 4;
    cmp_ok(iso_guard(pool->env, resize, &b), "==", ISOLAB_E_LIMIT, "also when a block grows");
    ok(((unsigned char *)before)[(3 << 20) - 1] == 5, "which stays as it was");
    iso_free(pool, before);
    cmp_ok(pool->env->limits->used, "==", used, "and nothing is counted");
}

/* ---- blocks ---- */

static void grows_and_shrinks(iso_pool *pool) {
    static const size_t sizes[] = {100, 5000, 1 << 20, 5 << 20, 40 << 20, 3 << 20, 90 << 20, 1000, 2 << 20, 64};
    uint32_t *p = NULL;
    size_t kept = 0;
    bool right = true, aligned = true;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        p = iso_resize(pool, p, sizes[i], 1);
        size_t n = sizes[i] / 4;
        for (size_t k = 0; k < (kept < n ? kept : n); k += 251) {
            right &= p[k] == (uint32_t)(k * 7);
        }
        for (size_t k = 0; k < n; k++) {
            p[k] = (uint32_t)(k * 7);
        }
        kept = n;
        aligned &= (uintptr_t)p % 64 == 0;
    }
    ok(right, "a block keeps what it holds through all sizes");
    ok(aligned, "and stays aligned");
    iso_free(pool, p);
    p = iso_zalloc(pool, 3 << 20, 1);
    bool zero = true;
    for (size_t k = 0; k < (3 << 20) / 4; k++) {
        zero &= p[k] == 0;
    }
    ok(zero, "zeroed blocks are zero");
    iso_free(pool, p);
}

static void *worker(void *arg) {
    iso_env env;
    iso_env_fork(&env, arg);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    for (int i = 0; i < 2000; i++) {
        iso_free(&pool, iso_alloc(&pool, 100, 1));
        iso_alloc(&pool, 10, 1);
    }
    iso_pool_free(&pool);
    return NULL;
}

static void threads_share_counters(iso_env *env) {
    uint64_t used = env->limits->used;
    pthread_t t[2];
    int started = 0;
    for (int i = 0; i < 2; i++) {
        started += pthread_create(&t[i], NULL, worker, env) == 0;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(t[i], NULL);
    }
    cmp_ok(env->limits->used, "==", used, "%d threads count together", started);
}

/* ---- every allocation fails once ---- */

typedef struct load {
    iso_pool *pool;
    const void *bytes;
    size_t size;
    isolab_history *h;
} load;

static void load_bytes(void *arg) {
    load *l = arg;
    l->h = iso_load_bytes(l->pool, l->bytes, l->size, NULL);
}

static void fails_everywhere(const char *name, const void *bytes, size_t size) {
    iso_env env;
    iso_env_init(&env);
    int64_t n = 0;
    unsigned wrong = 0;
    for (; n < 5000; n++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        env.limits->fail_after = n;
        load l = {&pool, bytes, size, NULL};
        int code = iso_guard(&env, load_bytes, &l);
        env.limits->fail_after = -1;
        iso_pool_free(&pool);
        wrong += env.limits->used != 0 || (code != ISOLAB_OK && code != ISOLAB_E_LIMIT);
        if (code == ISOLAB_OK) {
            break;
        }
    }
    cmp_ok(n, ">", 5, "%s: each of %lld allocations fails once", name, (long long)n);
    cmp_ok(n, "<", 5000, "%s: then it loads", name);
    cmp_ok(wrong, "==", 0, "%s: and nothing leaks", name);
}

static void loads(void) {
    char plume[8192] = "", jsonl[8192] = "", text[128];
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "%c(%d,%d,%d,%d)\n", i % 2 == 0 ? 'w' : 'r', i % 7, i - i % 2, i % 3,
                 i % 30 * 3 + i % 3);
        strcat(plume, text);
        snprintf(text, sizeof text, "{\"session\":%d,\"ops\":[[\"%s\",\"k%d\",%d],[\"append\",\"l\",\"e%d\"]]}\n",
                 i % 5, i % 2 == 0 ? "w" : "r", i % 9, i / 2, i);
        if (strlen(jsonl) + strlen(text) < sizeof jsonl - 100) {
            strcat(jsonl, text);
        }
    }
    strcat(jsonl, "{\"session\":1,\"ops\":[[\"rl\",\"l\",[\"e1\",\"e2\",\"x\"]]]}\n");
    fails_everywhere("Plume text", plume, strlen(plume));
    fails_everywhere("jsonl", jsonl, strlen(jsonl));

    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    load l = {&pool, jsonl, strlen(jsonl), NULL};
    char *ilb = NULL;
    size_t size = 0;
    if (iso_guard(&env, load_bytes, &l) == ISOLAB_OK) {
        iso_sink sink = {.pool = &pool, .path = "test", .out = open_memstream(&ilb, &size)};
        iso_format_find("ilb")->write(l.h, &sink);
        fclose(sink.out);
    }
    iso_pool_free(&pool);
    fails_everywhere(".ilb", ilb == NULL ? "" : ilb, size);
    free(ilb);
}

static void run(void *arg) {
    iso_pool *pool = arg;
    deadlines(pool->env);
    limits(pool);
    overflows(pool);
    grows_and_shrinks(pool);
    threads_share_counters(pool->env);
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    errors(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    ok(iso_guard(&env, run, &pool) == ISOLAB_OK, "nothing was thrown %s", env.error.message);
    iso_pool_free(&pool);
    cmp_ok(env.limits->used, "==", 0, "all memory was given back");
    cmp_ok(env.limits->peak, ">", 90 << 20, "and the peak is known");
    loads();
    return done_testing();
}
