/* The environment of one piece of work: its error, its limits, its progress, and who owns its memory.
 *
 * Memory comes from pools. A pool belongs to an environment and frees all of its blocks at once, so a
 * function that fails needs no cleaning of its own: it throws, and whoever made the pool frees it. Throwing
 * unwinds to the innermost iso_guard() of the environment (by longjmp, so nothing that must be closed may
 * live on the C stack between the two: put it in the structure that the guard's caller owns).
 *
 * All allocation of the project (not that of libraries: see cli/limits.h) passes through this file: it counts
 * bytes (so that --memory is exact and `stats` can tell), checks every size computation, and can fail the Nth
 * allocation for tests.
 *
 * One thread uses one environment. A worker thread gets its own by iso_env_fork(), which shares the
 * counters and the limits.
 */
#ifndef ISOLAB_BASE_ENV_H
#define ISOLAB_BASE_ENV_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "include/isolab.h"

/* What several environments of one job share. Bytes are those of live blocks, headers included. */
typedef struct iso_limits {
    atomic_uint_least64_t used;
    atomic_uint_least64_t peak;
    uint64_t memory;                 /* most bytes allowed at once; 0: no limit */
    int64_t deadline;                /* iso_now() at which work ends; 0: none */
    atomic_int interrupted;          /* set (by a signal, another thread) to end the work soon */
    const atomic_int *stop;          /* the same, a flag that somebody else owns; NULL: none */
    atomic_int exhausted;            /* set when a library got memory beyond the limit, so that the work ends soon */
    atomic_int_least64_t fail_after; /* tests: allocations that still succeed; negative: all do */
} iso_limits;

typedef void iso_progress_fn(void *arg, const char *phase, uint64_t done, uint64_t total);

struct iso_catch;

/* Which limit ended work that threw ISOLAB_E_LIMIT. */
typedef enum {
    ISO_LIMIT_NONE,
    ISO_LIMIT_TIME,
    ISO_LIMIT_MEMORY, /* --memory, or what the system has */
    ISO_LIMIT_INTERRUPT,
    ISO_LIMIT_SIZE /* of the program itself: more of something than it can number */
} iso_limit;

typedef struct iso_env {
    iso_limits *limits;
    iso_limits own;            /* limits points here unless forked */
    struct iso_catch *catch;   /* innermost guard */
    isolab_error error;        /* what was thrown last */
    iso_limit limit;           /* ... and which limit that was, where it is ISOLAB_E_LIMIT */
    unsigned countdown;        /* iso_tick(): calls until the clock is read again */
    iso_progress_fn *progress; /* NULL: none is shown */
    void *progress_arg;
    const char *phase; /* what iso_progress() said last; NULL: nothing goes on */
    uint64_t done, total;
} iso_env;

void iso_env_init(iso_env *env);
void iso_env_fork(iso_env *child, iso_env *parent);

/* Calls fn(arg). Returns ISOLAB_OK, or the code of what was thrown; env->error has the message and the place. */
int iso_guard(iso_env *env, void (*fn)(void *), void *arg);

/* The same with a deadline of its own (an instant of iso_now(); 0 = none), after which the deadline before it holds again. */
int iso_guard_until(iso_env *env, int64_t deadline, void (*fn)(void *), void *arg);

/* The earlier one of the deadline in force and another (0 = none). */
int64_t iso_sooner(const iso_env *env, int64_t deadline);

/* The same for work that has a pool of its own: frees the pool, then throws again what fn threw. */
struct iso_pool;
void iso_guard_pool(struct iso_pool *pool, void (*fn)(void *), void *arg);

_Noreturn void iso_throw(iso_env *env, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, about a file. */
_Noreturn void iso_throw_file(iso_env *env, int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Malformed input at a place: line (0: no lines) and byte offset (ISOLAB_NO_OFFSET: not known). The file's
 * name is added by whoever opened it. */
_Noreturn void iso_throw_input(iso_env *env, uint64_t line, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* ISOLAB_E_LIMIT for another limit than ISO_LIMIT_SIZE, which iso_throw() stands for. */
_Noreturn void iso_throw_limit(iso_env *env, iso_limit limit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void iso_rethrow(iso_env *env); /* env->error again, to the next guard */

/* Monotonic nanoseconds. */
int64_t iso_now(void);

/* Why work must end; ISO_LIMIT_NONE: it may go on. Throws nothing: for callbacks of libraries, which must not be
 * unwound. */
iso_limit iso_over(const iso_limits *limits);

/* Throws ISOLAB_E_LIMIT when the deadline has passed or the work was interrupted. Cheap: call it in every
 * loop that may run long, at least once every few thousand steps. */
void iso_tick_slow(iso_env *env);
static inline void iso_tick(iso_env *env) {
    if (env->countdown-- == 0) {
        iso_tick_slow(env);
    }
}

/* One call for a step that takes as long as this number of others (a step: up to a microsecond or so). */
static inline void iso_tick_steps(iso_env *env, uint64_t steps) {
    if (env->countdown < steps) {
        iso_tick_slow(env);
    } else {
        env->countdown -= (unsigned)steps;
    }
}

/* Throws ISOLAB_E_LIMIT where a library is about to take this number of bytes, which are not counted, and the
 * counted bytes leave no room for them: before the library runs, since it cannot be stopped in the middle. */
void iso_expect(iso_env *env, uint64_t bytes);

/* Tells what goes on, again and again while the work ticks; total 0: unknown. phase must live until the next call; NULL
 * ends it. */
void iso_progress(iso_env *env, const char *phase, uint64_t done, uint64_t total);

struct iso_block;
typedef struct iso_pool {
    iso_env *env;
    struct iso_block *blocks;
} iso_pool;

void iso_pool_init(iso_pool *pool, iso_env *env);
void iso_pool_free(iso_pool *pool); /* all blocks; the pool may be used again */

/* None of these returns NULL: they throw ISOLAB_E_LIMIT. A count of 0 gives a valid block. Blocks are aligned to
 * 64 bytes. Large ones get huge pages where the system has them: what is never touched costs no memory, though
 * it is counted. */
void *iso_alloc(iso_pool *pool, size_t count, size_t size);
void *iso_zalloc(iso_pool *pool, size_t count, size_t size);
void *iso_resize(iso_pool *pool, void *block, size_t count, size_t size); /* block may be NULL */
void iso_free(iso_pool *pool, void *block);                               /* NULL is ignored */

#define ISO_NEW(pool, type, count) ((type *)iso_alloc((pool), (count), sizeof(type)))
#define ISO_ZNEW(pool, type, count) ((type *)iso_zalloc((pool), (count), sizeof(type)))

/* Arrays of numbers whose entries are all UINT32_MAX, which means "none". */
static inline uint32_t *iso_fill_none(uint32_t *array, size_t count) {
    return memset(array, 0xff, count * sizeof *array);
}
#define ISO_NEW_NONE(pool, count) iso_fill_none(ISO_NEW((pool), uint32_t, (count)), (count))

/* A copy of the first n bytes of text, NUL-terminated, in the pool. */
char *iso_copy_text(iso_pool *pool, const char *text, size_t n);

/* Makes room for one more element after the count first ones of a growing array. */
#define ISO_GROW(pool, array, count, capacity)                                                                         \
    do {                                                                                                               \
        if ((size_t)(count) == (size_t)(capacity)) {                                                                   \
            size_t iso_grow_to = (size_t)(capacity) < 16 ? 32 : 2 * (size_t)(capacity);                                \
            (array) = iso_resize((pool), (array), iso_grow_to, sizeof *(array));                                       \
            (capacity) = (__typeof__(capacity))iso_grow_to;                                                            \
        }                                                                                                              \
    } while (0)

#endif
