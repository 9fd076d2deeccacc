/* Environments and pools. See env.h. */
#define _GNU_SOURCE
#include "base/env.h"
#include "base/assert.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct iso_catch {
    jmp_buf place;
    struct iso_catch *outer;
};

/* The header of a block of a pool; blocks form a doubly linked list. It takes 64 bytes, so the bytes after it are
 * aligned like the block. */
struct iso_block {
    _Alignas(64) struct iso_block *prev;
    struct iso_block *next;
    size_t bytes;     /* counted bytes, header included */
    size_t map_bytes; /* mapped blocks: the length of the mapping; else 0 */
    void *whole;      /* other blocks: what malloc() returned */
    size_t units;     /* room in units of a cache, header included; 0: the block cannot be in a cache */
};

/* Freed blocks. UNIT: bytes; UNITS: larger blocks are not kept; CACHED: limit of bytes that are kept. */
enum { UNIT = 64, UNITS = 256, CACHED = 8 << 20 };
struct iso_cache {
    struct iso_block *free[UNITS]; /* by number of units: a list of blocks, linked by `next` */
    size_t bytes;                  /* of all blocks that are kept */
};

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* gcc's name for it */
#endif
#endif

#define PAGE ((size_t)4096)
#define HUGE ((size_t)2 << 20)

/* A block of at least this size is a mapping of its own: growing moves pages instead of bytes, the mapping can have
 * huge pages, and freeing returns the memory at once. Sanitizers understand only malloc. */
#if defined(__SANITIZE_ADDRESS__)
#define MAP_FROM SIZE_MAX
#else
#define MAP_FROM (2 * HUGE)
#endif

/* Blocks below this size come from malloc() and are aligned here, which is faster than aligned_alloc(): malloc() keeps
 * freed blocks by size. Making many small histories spends most of its time on small blocks. */
#define SMALL ((size_t)960)

void iso_env_init(iso_env *env) {
    memset(env, 0, sizeof *env);
    env->limits = &env->own;
    atomic_init(&env->own.fail_after, -1);
}

void iso_env_fork(iso_env *child, iso_env *parent) {
    iso_env_init(child);
    child->limits = parent->limits;
}

int iso_guard(iso_env *env, void (*fn)(void *), void *arg) {
    struct iso_catch here = {.outer = env->catch};
    env->catch = &here;
    if (setjmp(here.place) == 0) {
        fn(arg);
        env->catch = here.outer;
        return ISOLAB_OK;
    }
    env->catch = here.outer;
    return env->error.code;
}

int iso_guard_until(iso_env *env, int64_t deadline, void (*fn)(void *), void *arg) {
    int64_t before = env->limits->deadline;
    env->limits->deadline = deadline;
    int code = iso_guard(env, fn, arg);
    env->limits->deadline = before;
    return code;
}

int iso_guard_to_the_end(iso_env *env, void (*fn)(void *), void *arg) {
    int interrupted = atomic_exchange(&env->limits->interrupted, 0);
    int code = iso_guard_until(env, 0, fn, arg);
    if (interrupted != 0) {
        atomic_store(&env->limits->interrupted, interrupted);
    }
    return code;
}

bool iso_end_time_limit(iso_env *env) {
    env->limits->deadline = 0;
    return atomic_exchange(&env->limits->interrupted, 0) != 0;
}

int64_t iso_sooner(const iso_env *env, int64_t deadline) {
    int64_t now = env->limits->deadline;
    return now == 0 || (deadline != 0 && deadline < now) ? deadline : now;
}

_Noreturn void iso_rethrow(iso_env *env) {
    if (env->catch == NULL) {
        fprintf(stderr, "isolab: internal error: thrown without a guard: %s\n", env->error.message);
        abort();
    }
    longjmp(env->catch->place, 1);
}

static void set_error(iso_env *env, int code, uint64_t line, uint64_t offset, const char *format, va_list args) {
    isolab_error *e = &env->error;
    e->code = code;
    env->limit = code == ISOLAB_E_LIMIT ? ISO_LIMIT_SIZE : ISO_LIMIT_NONE;
    e->line = line;
    e->offset = offset;
    e->file[0] = '\0';
    char message[sizeof e->message];
    vsnprintf(message, sizeof message, format, args);
    iso_utf8_shown(e->message, sizeof e->message, message); /* the message may quote the input */
}

_Noreturn void iso_throw(iso_env *env, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set_error(env, code, 0, ISOLAB_NO_OFFSET, format, args);
    va_end(args);
    iso_rethrow(env);
}

_Noreturn void iso_throw_limit(iso_env *env, iso_limit limit, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set_error(env, ISOLAB_E_LIMIT, 0, ISOLAB_NO_OFFSET, format, args);
    va_end(args);
    env->limit = limit;
    iso_rethrow(env);
}

_Noreturn void iso_throw_file(iso_env *env, int code, const char *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set_error(env, code, 0, ISOLAB_NO_OFFSET, format, args);
    va_end(args);
    snprintf(env->error.file, sizeof env->error.file, "%s", file);
    iso_rethrow(env);
}

_Noreturn void iso_throw_input(iso_env *env, uint64_t line, uint64_t offset, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set_error(env, ISOLAB_E_INPUT, line, offset, format, args);
    va_end(args);
    iso_rethrow(env);
}

int64_t iso_now_step;

int64_t iso_now(void) {
    static atomic_int_least64_t steps;
    if (iso_now_step != 0) {
        return atomic_fetch_add(&steps, iso_now_step) + iso_now_step;
    }
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

iso_limit iso_over(const iso_limits *limits) {
    if (atomic_load_explicit(&limits->interrupted, memory_order_relaxed) ||
        (limits->stop != NULL && atomic_load_explicit(limits->stop, memory_order_relaxed))) {
        return ISO_LIMIT_INTERRUPT;
    }
    if (atomic_load_explicit(&limits->exhausted, memory_order_relaxed)) {
        return ISO_LIMIT_MEMORY;
    }
    return limits->deadline != 0 && iso_now() >= limits->deadline ? ISO_LIMIT_TIME : ISO_LIMIT_NONE;
}

void iso_tick_slow(iso_env *env) {
    env->countdown = 255;
    iso_limit over = iso_over(env->limits);
    if (over != ISO_LIMIT_NONE) {
        iso_throw_limit(env, over, "%s",
                        over == ISO_LIMIT_INTERRUPT ? "interrupted"
                        : over == ISO_LIMIT_TIME    ? "time limit reached"
                                                    : "memory limit reached");
    }
    if (env->progress != NULL && env->phase != NULL) {
        env->progress(env->progress_arg, env->phase, env->done, env->total);
    }
}

void iso_progress(iso_env *env, const char *phase, uint64_t done, uint64_t total) {
    env->phase = phase;
    env->done = done;
    env->total = total;
    if (env->progress != NULL && phase != NULL) {
        env->progress(env->progress_arg, phase, done, total);
    }
}

void iso_cache_begin(iso_env *env) {
#ifndef __SANITIZE_ADDRESS__                    /* with a cache it would not notice the use of a freed block */
    env->cache = calloc(1, sizeof *env->cache); /* NULL: nothing is kept */
#else
    (void)env;
#endif
}

void iso_cache_end(iso_env *env) {
    struct iso_cache *cache = env->cache;
    env->cache = NULL;
    for (size_t units = 0; cache != NULL && units < UNITS; units++) {
        for (struct iso_block *b; (b = cache->free[units]) != NULL;) {
            cache->free[units] = b->next;
            free(b->whole);
        }
    }
    free(cache);
}

void iso_pool_init(iso_pool *pool, iso_env *env) {
    pool->env = env;
    pool->blocks = NULL;
}

/* For tests: returns whether this allocation must fail. */
static bool must_fail(iso_limits *limits) {
    int_least64_t left = atomic_load_explicit(&limits->fail_after, memory_order_relaxed);
    while (left > 0 && !atomic_compare_exchange_weak(&limits->fail_after, &left, left - 1)) {
    }
    return left == 0;
}

static void charge(iso_env *env, size_t bytes) {
    iso_limits *limits = env->limits;
    if (must_fail(limits)) {
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "out of memory (%zu bytes asked for)", bytes);
    }
    uint64_t now = atomic_fetch_add(&limits->used, bytes) + bytes;
    if (limits->memory != 0 && now > limits->memory) {
        atomic_fetch_sub(&limits->used, bytes);
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "memory limit reached (%zu bytes asked for, %" PRIu64 " in use)", bytes,
                        (now - bytes));
    }
    uint64_t peak = atomic_load_explicit(&limits->peak, memory_order_relaxed);
    while (now > peak && !atomic_compare_exchange_weak(&limits->peak, &peak, now)) {
    }
}

void iso_expect(iso_env *env, uint64_t bytes) {
    const iso_limits *limits = env->limits;
    uint64_t now = atomic_load_explicit(&limits->used, memory_order_relaxed);
    if (limits->memory != 0 && (bytes > limits->memory || now > limits->memory - bytes)) {
        iso_throw_limit(env, ISO_LIMIT_MEMORY,
                        "memory limit reached (a library needs %" PRIu64 " bytes, %" PRIu64 " in use)", bytes, now);
    }
}

static void refund(iso_env *env, size_t bytes) { atomic_fetch_sub(&env->limits->used, bytes); }

static size_t block_bytes(iso_env *env, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct iso_block), &bytes) || bytes > SIZE_MAX / 2) {
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "out of memory (%zu elements of %zu bytes asked for)", count, size);
    }
    return bytes;
}

static void link_block(iso_pool *pool, struct iso_block *b) {
    b->prev = NULL;
    b->next = pool->blocks;
    if (b->next != NULL) {
        b->next->prev = b;
    }
    pool->blocks = b;
}

static void unlink_block(iso_pool *pool, struct iso_block *b) {
    if (b->prev != NULL) {
        b->prev->next = b->next;
    } else {
        pool->blocks = b->next;
    }
    if (b->next != NULL) {
        b->next->prev = b->prev;
    }
}

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/* Returns a mapping that begins where a huge page can begin. NULL: the system has no memory. */
static void *map_aligned(size_t bytes) {
    size_t align = bytes >= 2 * HUGE ? HUGE : PAGE, slack = align - PAGE;
    char *start = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    size_t before = (align - (uintptr_t)start % align) % align;
    if (before > 0) {
        munmap(start, before);
    }
    if (slack > before) {
        munmap(start + before + bytes, slack - before);
    }
    return start + before;
}

/* Under the address sanitizer a block ends exactly where its bytes end, so that an overrun of one byte is noticed. */
static struct iso_block *allocate_aligned(size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    void *whole;
    struct iso_block *b = posix_memalign(&whole, 64, bytes) == 0 ? whole : NULL;
#else
    char *whole = bytes < SMALL ? malloc(bytes + 63) : aligned_alloc(64, round_up(bytes, 64));
    struct iso_block *b =
        whole == NULL ? NULL : (struct iso_block *)(void *)(whole + (64 - (uintptr_t)whole % 64) % 64);
#endif
    if (b != NULL) {
        b->whole = whole;
        b->map_bytes = 0;
        b->units = 0;
    }
    return b;
}

/* Returns a block with room for this many units, from the cache or else from malloc(); NULL: the system has no memory.
 * When it is freed it may go to the cache. */
static struct iso_block *obtain_cached(struct iso_cache *cache, size_t units) {
    struct iso_block *b = cache->free[units];
    if (b != NULL) {
        cache->free[units] = b->next;
        cache->bytes -= units * UNIT;
    } else if ((b = allocate_aligned(units * UNIT)) != NULL) {
        b->units = units;
    }
    return b;
}

static struct iso_block *obtain(const iso_env *env, size_t bytes) {
    size_t units = (bytes + UNIT - 1) / UNIT;
    if (env->cache != NULL && units < UNITS) {
        return obtain_cached(env->cache, units);
    }
    if (bytes > (size_t)1 << 46) { /* no machine has so much memory, and sanitizers end the program on such a
                                    * request */
        return NULL;
    }
    if (bytes < MAP_FROM) {
        return allocate_aligned(bytes);
    }
    size_t map_bytes = round_up(bytes, PAGE);
    struct iso_block *b = map_aligned(map_bytes);
    if (b != NULL) {
        madvise(b, map_bytes, MADV_HUGEPAGE);
        b->map_bytes = map_bytes;
        b->units = 0;
    }
    return b;
}

static void release(const iso_env *env, struct iso_block *b) {
    struct iso_cache *cache = env->cache;
    if (cache != NULL && b->units > 0 && cache->bytes < CACHED) {
        b->next = cache->free[b->units];
        cache->free[b->units] = b;
        cache->bytes += b->units * UNIT;
    } else if (b->map_bytes != 0) {
        munmap(b, b->map_bytes);
    } else {
        free(b->whole);
    }
}

/* Resizes a mapped block: in place, or else by moving it to an address where its huge pages stay whole. */
static struct iso_block *remap(struct iso_block *b, size_t bytes) {
    size_t before = b->map_bytes, after = round_up(bytes, PAGE);
    void *to = mremap(b, before, after, 0);
    if (to == MAP_FAILED) {
        void *place = map_aligned(after);
        if (place == NULL) {
            return NULL;
        }
        to = mremap(b, before, after, MREMAP_MAYMOVE | MREMAP_FIXED, place);
        if (to == MAP_FAILED) {
            munmap(place, after);
            return NULL;
        }
        madvise(to, after, MADV_HUGEPAGE);
    }
    b = to;
    b->map_bytes = after;
    return b;
}

static _Noreturn void out_of_memory(iso_env *env, size_t bytes) {
    refund(env, bytes);
    iso_throw_limit(env, ISO_LIMIT_MEMORY, "%s (the system refused %zu bytes)",
                    env->limits->memory != 0 ? "memory limit reached" : "out of memory", bytes);
}

void iso_guard_pool(iso_pool *pool, void (*fn)(void *), void *arg) {
    int code = iso_guard(pool->env, fn, arg);
    iso_pool_free(pool);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
}

void *iso_alloc(iso_pool *pool, size_t count, size_t size) {
    size_t bytes = block_bytes(pool->env, count, size);
    charge(pool->env, bytes);
    struct iso_block *b = obtain(pool->env, bytes);
    if (b == NULL) {
        out_of_memory(pool->env, bytes);
    }
    b->bytes = bytes;
    link_block(pool, b);
    return b + 1;
}

void *iso_zalloc(iso_pool *pool, size_t count, size_t size) {
    void *p = iso_alloc(pool, count, size);
    const struct iso_block *b = (const struct iso_block *)p - 1;
    if (b->map_bytes == 0) { /* mapped pages are already zero */
        memset(p, 0, count * size);
    }
    return p;
}

void *iso_resize(iso_pool *pool, void *block, size_t count, size_t size) {
    if (block == NULL) {
        return iso_alloc(pool, count, size);
    }
    struct iso_block *old = (struct iso_block *)block - 1;
    size_t bytes = block_bytes(pool->env, count, size), before = old->bytes;
    struct iso_block *b;
    if (old->map_bytes != 0 && bytes >= MAP_FROM) { /* pages move without a copy, so only the growth counts */
        if (bytes > before) {
            charge(pool->env, bytes - before);
        }
        unlink_block(pool, old);
        b = remap(old, bytes);
        if (b == NULL) {
            link_block(pool, old);
            out_of_memory(pool->env, bytes > before ? bytes - before : 0);
        }
        if (bytes < before) {
            refund(pool->env, before - bytes);
        }
    } else {
        charge(pool->env, bytes);
        b = obtain(pool->env, bytes);
        if (b == NULL) {
            out_of_memory(pool->env, bytes);
        }
        size_t keep = (before < bytes ? before : bytes) - sizeof *b;
        memcpy(b + 1, block, keep);
        unlink_block(pool, old);
        release(pool->env, old);
        refund(pool->env, before);
    }
    b->bytes = bytes;
    link_block(pool, b);
    return b + 1;
}

void iso_free(iso_pool *pool, void *block) {
    if (block == NULL) {
        return;
    }
    struct iso_block *b = (struct iso_block *)block - 1;
    unlink_block(pool, b);
    refund(pool->env, b->bytes);
    release(pool->env, b);
}

void iso_pool_free(iso_pool *pool) {
    while (pool->blocks != NULL) {
        iso_free(pool, pool->blocks + 1);
    }
}

char *iso_format_text(iso_pool *pool, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = iso_alloc(pool, (size_t)(n < 0 ? 0 : n) + 1, 1);
    text[0] = '\0';
    if (n >= 0) {
        vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    return text;
}

char *iso_copy_text(iso_pool *pool, const char *text, size_t n) {
    char *copy = iso_alloc(pool, n + 1, 1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

#ifdef ISOLAB_ASSERT
void iso_assert_failed(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#endif
