/* The writers and readers of each key, laid out for the rules of saturation.
 *
 * Most keys have few writers: then a rule is asked of all of them, one compare of a clock with a place each,
 * in memory that lies together. Keys with more writers than that are asked chain by chain (last.h).
 * Keys that one transaction alone writes have no rule at all.
 */
#ifndef ISOLAB_CHECKERS_STRONG_RULES_H
#define ISOLAB_CHECKERS_STRONG_RULES_H

#include "checkers/strong/last.h"
#include "checkers/strong/model.h"

/* An event: its chain and its number there. */
typedef struct strong_point {
    strong_count chain, place;
} strong_point;

/* A reader and the one it reads from: the event that must come before a later writer, and what makes that one later. */
typedef struct strong_pair {
    strong_point writer, reader;
} strong_pair;

typedef struct strong_rules {
    const strong_model *m;
    const strong_point *at; /* by event */
    uint64_t *chains;       /* by key: the chains (modulo 64) that write it; 0: one transaction or none does */
    uint8_t *flat;          /* by key: its writers are few */
    strong_point *writer;   /* by index in key_txn: its commit; of flat keys */
    uint32_t *source;     /* by read: the index in key_txn of the writer that it reads from; ISO_NONE: it has no rule */
    uint32_t *pair_first; /* by key, flat ones */
    strong_pair *pair;
    uint32_t *pair_read; /* by pair: the number of the read */
} strong_rules;

/* The most writers of a key that are asked one by one, where there are k chains: to ask chain by chain costs more. */
static inline uint32_t strong_few_writers(uint32_t k) { return 32 + 2 * k; }

/* at, by event, stays the caller's. */
void iso_strong_rules_init(strong_rules *r, const strong_model *m, iso_pool *pool, const strong_point *at,
                           uint32_t few_writers);

/* Makes again what depends on the reads (iso_strong_model_reads()). */
void iso_strong_rules_reads(strong_rules *r, iso_pool *pool);

#endif
