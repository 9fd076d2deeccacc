/* A sequence of the numbers below n that can be reordered: a linked list whose positions increase along the list.
 * Comparing the places of two numbers takes one comparison, and moving numbers changes only their own positions,
 * because positions have gaps (Dietz and Sleator, Two algorithms for maintaining order in a list). When a gap is full,
 * all positions are spread evenly again. */
#ifndef ISOLAB_GRAPH_SEQUENCE_H
#define ISOLAB_GRAPH_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"

typedef struct iso_sequence {
    iso_pool *pool;
    uint32_t n;
    uint64_t *position;
    uint32_t *next, *previous; /* number n, which is not in the sequence, closes the list to a ring */
    struct iso_placed *sort;
    uint32_t sort_room;
} iso_sequence;

/* Makes a sequence that has no order yet. */
void iso_sequence_init(iso_sequence *s, iso_pool *pool, uint32_t n);

/* Sets the first order; NULL: the order of the numbers. */
void iso_sequence_set(iso_sequence *s, const uint32_t *order);

/* Writes all numbers in order. */
void iso_sequence_list(const iso_sequence *s, uint32_t *order);

/* Move k numbers directly after u, or directly before v; u and v are not among them. The numbers keep their relative
 * order, and `moved` is sorted by it afterwards. Return whether all positions changed. */
bool iso_sequence_move_after(iso_sequence *s, uint32_t *moved, uint32_t k, uint32_t u);
bool iso_sequence_move_before(iso_sequence *s, uint32_t *moved, uint32_t k, uint32_t v);

/* Redistributes the places of two sets: the numbers of the first set come first, then those of the second, each in
 * their relative order. Both arrays are sorted by it afterwards. */
void iso_sequence_swap(iso_sequence *s, uint32_t *first, uint32_t n_first, uint32_t *then, uint32_t n_then);

#endif
