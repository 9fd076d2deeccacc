/* The environment of one piece of work: its error, its limits, its progress and its memory.
 *
 * Memory comes from pools. A pool belongs to an environment and frees all of its blocks at once. So a function that
 * fails frees nothing: it throws, and the owner of the pool frees the pool. Throwing unwinds to the innermost
 * iso_guard() of the environment by longjmp. So a resource that must be closed may not live on the C stack between
 * the two: put it into the structure that the guard's caller owns.
 *
 * Every allocation of the project passes through this file (allocations of libraries do not: see cli/limits.h). It
 * counts bytes, which makes --memory exact and gives `stats` its numbers; it checks every size computation; and it
 * can let the Nth allocation fail for tests.
 *
 * One thread uses one environment. A worker thread gets its own by iso_env_fork(), which shares counters and
 * limits. */
#ifndef ISOLAB_BASE_ENV_H
#define ISOLAB_BASE_ENV_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "include/isolab.h"

/* Limits and counters, which all environments of one piece of work share. Bytes are those of live blocks, headers
 * included. */
typedef struct iso_limits {
    atomic_uint_least64_t used;
    atomic_uint_least64_t peak;
    uint64_t memory;                 /* limit in bytes; 0 = none */
    int64_t deadline;                /* the instant of iso_now() at which work must end; 0 = none */
    atomic_int interrupted;          /* set by a signal or another thread: the work must end soon */
    const atomic_int *stop;          /* the same, as a flag that the caller owns; NULL: none */
    atomic_int exhausted;            /* set when a library took memory beyond the limit: the work must end soon */
    uint64_t data_outside;           /* RLIMIT_DATA for programs that are started; 0 = the limit of this process */
    atomic_int_least64_t fail_after; /* for tests: number of allocations that still succeed; negative: all do */
} iso_limits;

typedef void iso_progress_fn(void *arg, const char *phase, uint64_t done, uint64_t total);

struct iso_catch;
struct iso_cache;

/* The limit that ended work which threw ISOLAB_E_LIMIT. */
typedef enum {
    ISO_LIMIT_NONE,
    ISO_LIMIT_TIME,
    ISO_LIMIT_MEMORY, /* --memory, or the memory of the system */
    ISO_LIMIT_INTERRUPT,
    ISO_LIMIT_SIZE /* of the program itself: it cannot number more items */
} iso_limit;

typedef struct iso_env {
    iso_limits *limits;
    iso_limits own;            /* limits points here unless forked */
    struct iso_catch *catch;   /* the innermost guard */
    isolab_error error;        /* the last error that was thrown */
    iso_limit limit;           /* the limit that was reached, if the error is ISOLAB_E_LIMIT */
    unsigned countdown;        /* calls of iso_tick() until it reads the clock again */
    iso_progress_fn *progress; /* NULL: progress is not shown */
    void *progress_arg;
    const char *phase; /* the last phase that iso_progress() was given; NULL: none */
    uint64_t done, total;
    struct iso_cache *cache; /* freed blocks, kept for the next allocations; NULL: none are kept */
} iso_env;

void iso_env_init(iso_env *env);
void iso_env_fork(iso_env *child, iso_env *parent);

/* Between these two calls the environment keeps freed small blocks for its next allocations: at most a few megabytes,
 * which are not counted as used. This makes work faster that allocates and frees many small blocks. iso_cache_end()
 * frees the kept blocks. */
void iso_cache_begin(iso_env *env);
void iso_cache_end(iso_env *env);

/* Calls fn(arg). Returns ISOLAB_OK, or the code of the error that fn threw; env->error has its message and its
 * place. */
int iso_guard(iso_env *env, void (*fn)(void *), void *arg);

/* Like iso_guard(), with another deadline for this call (an instant of iso_now(); 0 = none). Restores the deadline
 * afterwards. */
int iso_guard_until(iso_env *env, int64_t deadline, void (*fn)(void *), void *arg);

/* Like iso_guard(), without a deadline, and with interrupts held back until it returns: for writing results. */
int iso_guard_to_the_end(iso_env *env, void (*fn)(void *), void *arg);

/* Removes the deadline and a pending interrupt, for the end of the program, which writes its results. Returns whether
 * an interrupt was pending. */
bool iso_end_time_limit(iso_env *env);

/* Returns the earlier of the current deadline and another one (0 = none). */
int64_t iso_sooner(const iso_env *env, int64_t deadline);

/* Like iso_guard() for work that has a pool of its own: frees the pool, then throws again what fn threw. */
struct iso_pool;
void iso_guard_pool(struct iso_pool *pool, void (*fn)(void *), void *arg);

_Noreturn void iso_throw(iso_env *env, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Throws an error about a file. */
_Noreturn void iso_throw_file(iso_env *env, int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Throws an error about malformed input. line: 0 = the input has no lines. offset: in bytes; ISOLAB_NO_OFFSET = not
 * known. The function that opened the file adds its name. */
_Noreturn void iso_throw_input(iso_env *env, uint64_t line, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Throws ISOLAB_E_LIMIT for a limit other than ISO_LIMIT_SIZE, which iso_throw() reports. */
_Noreturn void iso_throw_limit(iso_env *env, iso_limit limit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void iso_rethrow(iso_env *env); /* throws env->error again, to the next guard */

/* Returns monotonic nanoseconds. */
int64_t iso_now(void);
extern int64_t iso_now_step; /* for tests: each call returns this much more than the last one; 0: the real time */

/* Returns the limit that is reached; ISO_LIMIT_NONE: none. Throws nothing, so callbacks of libraries, which must
 * not be unwound, can use it. */
iso_limit iso_over(const iso_limits *limits);

/* Throws ISOLAB_E_LIMIT when the deadline has passed or the work was interrupted. It is cheap: call it in every
 * loop that may run long, at least once in a few thousand steps. */
void iso_tick_slow(iso_env *env);
static inline void iso_tick(iso_env *env) {
    if (env->countdown-- == 0) {
        iso_tick_slow(env);
    }
}

/* One call for a step that takes as long as `steps` ordinary steps. An ordinary step takes up to about a
 * microsecond. */
static inline void iso_tick_steps(iso_env *env, uint64_t steps) {
    if (env->countdown < steps) {
        iso_tick_slow(env);
    } else {
        env->countdown -= (unsigned)steps;
    }
}

/* Throws ISOLAB_E_LIMIT if the memory limit leaves no room for `bytes` bytes that a library is about to take. Call
 * it before the library runs, since the library cannot be stopped and its bytes are not counted. */
void iso_expect(iso_env *env, uint64_t bytes);

/* Reports progress: `done` of `total` steps of a phase. iso_tick() shows it repeatedly. total: 0 = unknown. phase must
 * live until the next call; NULL ends the report. */
void iso_progress(iso_env *env, const char *phase, uint64_t done, uint64_t total);

struct iso_block;
typedef struct iso_pool {
    iso_env *env;
    struct iso_block *blocks;
} iso_pool;

void iso_pool_init(iso_pool *pool, iso_env *env);
void iso_pool_free(iso_pool *pool); /* frees all blocks; the pool may be used again */

/* None of these functions returns NULL: they throw ISOLAB_E_LIMIT. A count of 0 gives a valid block. Blocks are
 * aligned to 64 bytes. Large blocks get huge pages where the system has them. Pages that are never touched take no
 * memory, though they are counted. */
void *iso_alloc(iso_pool *pool, size_t count, size_t size);
void *iso_zalloc(iso_pool *pool, size_t count, size_t size);
void *iso_resize(iso_pool *pool, void *block, size_t count, size_t size); /* block may be NULL */
void iso_free(iso_pool *pool, void *block);                               /* NULL is ignored */

#define ISO_NEW(pool, type, count) ((type *)iso_alloc((pool), (count), sizeof(type)))
#define ISO_ZNEW(pool, type, count) ((type *)iso_zalloc((pool), (count), sizeof(type)))

/* Fills an array with UINT32_MAX, which means "none". */
static inline uint32_t *iso_fill_none(uint32_t *array, size_t count) {
    return memset(array, 0xff, count * sizeof *array);
}
#define ISO_NEW_NONE(pool, count) iso_fill_none(ISO_NEW((pool), uint32_t, (count)), (count))

/* Returns a copy of the first n bytes of text, NUL-terminated, in the pool. */
char *iso_copy_text(iso_pool *pool, const char *text, size_t n);
/* Returns formatted text, in the pool. */
char *iso_format_text(iso_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more element after the first `count` elements of a growing array. */
#define ISO_GROW(pool, array, count, capacity)                                                                         \
    do {                                                                                                               \
        if ((size_t)(count) == (size_t)(capacity)) {                                                                   \
            size_t iso_grow_to = (size_t)(capacity) < 16 ? 32 : 2 * (size_t)(capacity);                                \
            (array) = iso_resize((pool), (array), iso_grow_to, sizeof *(array));                                       \
            (capacity) = (__typeof__(capacity))iso_grow_to;                                                            \
        }                                                                                                              \
    } while (0)

#endif
