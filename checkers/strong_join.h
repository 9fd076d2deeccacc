/* The inner loops of saturation: rows of clocks that are joined. Inlined where they are used, so that they are
 * compiled for the vectors that the processor has (base/clones.h). */
#ifndef ISOLAB_CHECKERS_STRONG_JOIN_H
#define ISOLAB_CHECKERS_STRONG_JOIN_H

#include "checkers/strong_order.h"

#define STRONG_INLINE __attribute__((always_inline)) static inline

/* Half of the lanes that a row is padded to: one register. */
typedef strong_count strong_vector __attribute__((vector_size(STRONG_LANES / 2 * sizeof(strong_count)), may_alias));
typedef uint64_t strong_words __attribute__((vector_size(STRONG_LANES / 2 * sizeof(strong_count)), may_alias));

STRONG_INLINE void strong_mark(strong_order *o, uint32_t event) {
    uint32_t rank = o->rank[event], word = rank / 64;
    o->dirty[word] |= (uint64_t)1 << (rank % 64);
    o->dirty_from = word < o->dirty_from ? word : o->dirty_from;
    o->dirty_to = word > o->dirty_to ? word : o->dirty_to;
}

/* Takes the larger entries of one vector into another. Returns which of the 16 were larger, as bits. */
STRONG_INLINE uint64_t strong_take_larger(strong_vector *into, const strong_vector *from) {
    strong_vector a = *into, b = *from, larger = (strong_vector)(b > a);
    strong_words w = (strong_words)larger;
    if ((w[0] | w[1] | w[2] | w[3]) == 0) {
        return 0;
    }
    *into = (b & larger) | (a & ~larger);
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++) { /* the top bit of each of four lanes, side by side */
        bits |= ((w[i] >> 15 & 0x0001000100010001u) * 0x0001000200040008u >> 48 & 15) << (4 * i);
    }
    return bits;
}

/* u is before v: everything before u is, too. Notes which entries of v's row grew (chains modulo 64). */
STRONG_INLINE void strong_join(strong_order *o, uint32_t u, uint32_t v) {
    const strong_vector *from = (const strong_vector *)(const void *)strong_row(o, u);
    strong_vector *into = (strong_vector *)(void *)(o->row + (size_t)v * o->stride);
    strong_point at = o->at[u];
    uint64_t grown = 0;
    for (uint32_t i = 0; i < o->stride / (STRONG_LANES / 2); i++) {
        grown |= strong_take_larger(into + i, from + i) << (i * (STRONG_LANES / 2) % 64);
    }
    strong_count *row = (strong_count *)into;
    if (row[at.chain] <= at.place) {
        row[at.chain] = (strong_count)(at.place + 1);
        grown |= (uint64_t)1 << (at.chain % 64);
    }
    if (grown == 0) {
        return;
    }
    o->grown[v] |= grown;
    strong_mark(o, v);
    if (row[o->at[v].chain] > o->at[v].place) {
        o->cycle = v;
    }
}

#endif
