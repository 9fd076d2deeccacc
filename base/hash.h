/* Mixing functions for hash tables, and small filters of numbers. */
#ifndef ISOLAB_BASE_HASH_H
#define ISOLAB_BASE_HASH_H

#include <stdint.h>

/* A bijection on 64 bits in which every input bit affects every output bit (two multiply-xorshift rounds). */
static inline uint64_t iso_mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

/* Returns one of 64 bits for a number. The union over a set tells for most other numbers that they are not in the
 * set. */
static inline uint64_t iso_bit_of(uint32_t x) { return (uint64_t)1 << (x * 0x9e3779b1u >> 26); }

/* A filter of the numbers that were met in a round, for example in a transaction: its answer "no" is certain, its
 * answer "yes" is nearly so. Every number has a slot, which keeps the last round in which a number of this slot was
 * met, so nothing is wiped between rounds. */
typedef struct iso_recent {
    uint32_t round[2048]; /* rounds are numbered from 1 */
} iso_recent;

/* Returns whether x was met in the round. Marks it as met if `add` is 1, and leaves it if `add` is 0. */
static inline uint32_t iso_recent_meet(iso_recent *r, uint32_t x, uint32_t round, uint32_t add) {
    uint32_t *place = &r->round[x * 0x9e3779b1u >> 21], before = *place;
    *place = before ^ ((before ^ round) & -add); /* without a branch, which the processor could not predict */
    return before == round;
}

static inline uint64_t iso_mix2(uint64_t a, uint64_t b) { return iso_mix(a + 0x9e3779b97f4a7c15u * (b + 1)); }

#endif
