/* The writers and readers of each key, stored for the rules of saturation.
 *
 * Most keys have few writers: then a rule tests all of them, each by comparing a clock with a place, in adjacent
 * memory. Keys with more writers are tested chain by chain (last.h). Keys that only one transaction writes have no
 * rule. */
#ifndef ISOLAB_CHECKERS_STRONG_RULES_H
#define ISOLAB_CHECKERS_STRONG_RULES_H

#include "checkers/strong/last.h"
#include "checkers/strong/model.h"

/* An event: its chain and its place there. */
typedef struct strong_point {
    strong_count chain, place;
} strong_point;

/* A reader and the writer that it reads from: the event that must come before a later writer, and the event that makes
 * that writer later. */
typedef struct strong_pair {
    strong_point writer, reader;
} strong_pair;

typedef struct strong_rules {
    const strong_model *m;
    const strong_point *at; /* by event */
    uint64_t *chains;       /* by key: the chains (modulo 64) that write it; 0: at most one transaction does */
    uint8_t *flat;          /* by key: it has few writers */
    strong_point *writer;   /* by index in key_txn: its commit; only for keys with few writers */
    uint32_t *source;     /* by read: the index in key_txn of the writer that it reads from; ISO_NONE: it has no rule */
    uint32_t *pair_first; /* by key, for keys with few writers */
    strong_pair *pair;
    uint32_t *pair_read; /* by pair: the number of the read */
} strong_rules;

/* Returns the limit of writers of a key that are tested one by one, for k chains: for more writers chain by chain is
 * cheaper. */
static inline uint32_t strong_few_writers(uint32_t k) { return 32 + 2 * k; }

/* at is by event, and stays the caller's. */
void iso_strong_rules_init(strong_rules *r, const strong_model *m, iso_pool *pool, const strong_point *at,
                           uint32_t few_writers);

/* Builds the parts that depend on the reads again (iso_strong_model_reads()). */
void iso_strong_rules_reads(strong_rules *r, iso_pool *pool);

#endif
