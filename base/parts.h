/* Work in parts, each on a thread of its own.
 *
 * The first part runs on the calling thread, in the caller's pool. Each other part has an environment (iso_env_fork())
 * and a pool of its own; its results stay there until iso_parts_free(). If a part throws, the others still come to
 * their ends, and then the error of the first part that threw is thrown again. */
#ifndef ISOLAB_BASE_PARTS_H
#define ISOLAB_BASE_PARTS_H

#include <pthread.h>

#include "base/env.h"

typedef struct iso_part {
    void *arg;
    unsigned number, of; /* which part this is, and how many there are */
    iso_pool *pool;      /* for all that this part allocates */
    /* parts.c */
    void (*work)(struct iso_part *part);
    iso_pool own;
    iso_env env;
    pthread_t thread;
    int code;
} iso_part;

typedef void iso_part_work(iso_part *part);

/* Runs n parts. Returns them for iso_parts_free(). */
iso_part *iso_parts_run(iso_pool *pool, unsigned n, iso_part_work *work, void *arg);
void iso_parts_free(iso_pool *pool, iso_part *parts);

/* Runs n parts that leave nothing in their pools. */
void iso_parts(iso_pool *pool, unsigned n, iso_part_work *work, void *arg);

/* Where a part of `total` items begins and ends. */
static inline uint64_t iso_part_from(const iso_part *part, uint64_t total) {
    return total / part->of * part->number + total % part->of * part->number / part->of;
}
static inline uint64_t iso_part_end(const iso_part *part, uint64_t total) {
    unsigned after = part->number + 1;
    return total / part->of * after + total % part->of * after / part->of;
}

#endif
