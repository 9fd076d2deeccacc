/* The inner loops of saturation: joining rows of clocks. They are inlined where they are used, so that they are
 * compiled for the processor's vectors (base/clones.h). */
#ifndef ISOLAB_CHECKERS_STRONG_JOIN_H
#define ISOLAB_CHECKERS_STRONG_JOIN_H

#include "checkers/strong/order.h"

#define STRONG_INLINE __attribute__((always_inline)) static inline

/* Half of the lanes to which a row is padded: one register. */
typedef strong_count strong_vector __attribute__((vector_size(STRONG_LANES / 2 * sizeof(strong_count)), may_alias));
typedef uint64_t strong_words __attribute__((vector_size(STRONG_LANES / 2 * sizeof(strong_count)), may_alias));

STRONG_INLINE void strong_mark(strong_order *o, uint32_t event) {
    uint32_t rank = o->rank[event], word = rank / 64;
    o->dirty[word] |= (uint64_t)1 << (rank % 64);
    o->dirty_from = word < o->dirty_from ? word : o->dirty_from;
    o->dirty_to = word > o->dirty_to ? word : o->dirty_to;
}

#define STRONG_VECTORS 2 /* in STRONG_LANES */

/* Returns whether no entry of the second vector is larger than in the first. */
STRONG_INLINE bool strong_no_larger(const strong_vector *a, const strong_vector *b) {
    strong_words w = (strong_words)(b[0] <= a[0]) & (strong_words)(b[1] <= a[1]);
    return (w[0] & w[1] & w[2] & w[3]) == UINT64_MAX;
}

/* Raises the entries of one vector to those of another. */
STRONG_INLINE void strong_take(strong_vector *into, const strong_vector *from) {
    strong_vector a = *into, b = *from, larger = (strong_vector)(b > a);
    *into = (b & larger) | (a & ~larger);
}

/* Does the same. Returns which of the 16 entries were larger, as bits. */
STRONG_INLINE uint64_t strong_take_larger(strong_vector *into, const strong_vector *from) {
    strong_vector a = *into, b = *from, larger = (strong_vector)(b > a);
    strong_words w = (strong_words)larger;
    *into = (b & larger) | (a & ~larger);
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) { /* the top bits of four lanes together */
        bits |= ((w[i] >> 15 & 0x0001000100010001u) * 0x0001000200040008u >> 48 & 15) << (4 * i);
    }
    return bits;
}

/* Raises an entry to at least count. */
STRONG_INLINE uint64_t strong_raise(strong_count *row, uint32_t chain, uint32_t count) {
    if (row[chain] >= count) {
        return 0;
    }
    row[chain] = (strong_count)count;
    return (uint64_t)1 << (chain % 64);
}

/* Records that entries of v grew (chains modulo 64), so v must be visited. */
STRONG_INLINE void strong_note(strong_order *o, uint32_t v, uint64_t grown) {
    if (grown != 0) {
        o->grown[v] |= grown;
        strong_mark(o, v);
    }
}

/* Joins the row of u into that of v, where u is before v. */
STRONG_INLINE void strong_join(strong_order *o, uint32_t u, uint32_t v) {
    const strong_vector *from = (const strong_vector *)(const void *)strong_row(o, u);
    strong_count *row = o->row + (size_t)v * o->stride;
    strong_vector *into = (strong_vector *)(void *)row;
    strong_point at = o->at[u];
    uint64_t grown = 0;
    for (uint32_t i = 0; i < o->stride / STRONG_LANES * STRONG_VECTORS; i += STRONG_VECTORS) {
        if (!strong_no_larger(into + i, from + i)) {
            for (uint32_t j = i; j < i + STRONG_VECTORS; j++) {
                grown |= strong_take_larger(into + j, from + j) << (j * (STRONG_LANES / STRONG_VECTORS) % 64);
            }
        }
    }
    strong_note(o, v, grown | strong_raise(row, at.chain, at.place + 1u));
}

/* Does the same for a v that waits for its first visit, so the grown entries do not matter. */
STRONG_INLINE void strong_join_new(strong_order *o, uint32_t u, uint32_t v) {
    const strong_vector *from = (const strong_vector *)(const void *)strong_row(o, u);
    strong_count *row = o->row + (size_t)v * o->stride;
    strong_vector *into = (strong_vector *)(void *)row;
    strong_point at = o->at[u];
    for (uint32_t i = 0; i < o->stride / STRONG_LANES * STRONG_VECTORS; i++) {
        strong_take(into + i, from + i);
    }
    strong_raise(row, at.chain, at.place + 1u);
}

#endif
