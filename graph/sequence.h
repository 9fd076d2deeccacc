/* A sequence of the numbers below n that changes: a list, along which positions grow. The position of one number against
 * another is one comparison, and moving some of them changes theirs alone: positions have room between them (Dietz and
 * Sleator, Two algorithms for maintaining order in a list). Where the room is used up, all positions are spread evenly again.
 */
#ifndef ISOLAB_GRAPH_SEQUENCE_H
#define ISOLAB_GRAPH_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"

typedef struct iso_sequence {
    iso_pool *pool;
    uint32_t n;
    uint64_t *position;
    uint32_t *next, *previous; /* number n, which is none, closes the list to a ring */
    struct iso_placed *sort;
    uint32_t sort_room;
} iso_sequence;

/* Without an order yet. */
void iso_sequence_init(iso_sequence *s, iso_pool *pool, uint32_t n);

/* The first order; NULL: that of the numbers. */
void iso_sequence_set(iso_sequence *s, const uint32_t *order);

/* All numbers in order. */
void iso_sequence_list(const iso_sequence *s, uint32_t *order);

/* Moves k numbers right after u, or right before v, which is none of them. They keep their order, and are sorted by it
 * afterwards. True: all positions changed. */
bool iso_sequence_move_after(iso_sequence *s, uint32_t *moved, uint32_t k, uint32_t u);
bool iso_sequence_move_before(iso_sequence *s, uint32_t *moved, uint32_t k, uint32_t v);

/* Two sets share the places that they have: first come the numbers of the one, then those of the other, each in their
 * order, by which they are sorted afterwards. */
void iso_sequence_swap(iso_sequence *s, uint32_t *first, uint32_t n_first, uint32_t *then, uint32_t n_then);

#endif
