/* Mixing functions for hash tables, and small filters of numbers. */
#ifndef ISOLAB_BASE_HASH_H
#define ISOLAB_BASE_HASH_H

#include <stdint.h>

/* A bijection of 64 bits in which every input bit moves every output bit (two multiply-xorshift rounds). */
static inline uint64_t iso_mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

/* One of 64 bits for a number: sets of a few numbers, of which it is then known that another one is not among them. */
static inline uint64_t iso_bit_of(uint32_t x) { return (uint64_t)1 << (x * 0x9e3779b1u >> 26); }

/* Which numbers were met in a round, as in a transaction: surely not, or nearly surely. Every number has a place, which
 * says in what round one of this place was met last; so nothing has to be wiped between two rounds. */
typedef struct iso_recent {
    uint32_t round[2048]; /* rounds count from 1 */
} iso_recent;

/* Was x met in the round? It is now, if `add` is 1, and not if it is 0. */
static inline uint32_t iso_recent_meet(iso_recent *r, uint32_t x, uint32_t round, uint32_t add) {
    uint32_t *place = &r->round[x * 0x9e3779b1u >> 21], before = *place;
    *place = before ^ ((before ^ round) & -add); /* nothing foretells it: no branch */
    return before == round;
}

static inline uint64_t iso_mix2(uint64_t a, uint64_t b) { return iso_mix(a + 0x9e3779b97f4a7c15u * (b + 1)); }

#endif
