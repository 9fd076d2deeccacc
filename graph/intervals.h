/* The edges of time between intervals: from each interval to the ones that start after its end, except where an edge
 * follows from others.
 *
 * Let s start when n intervals have ended, and let z be the one of them that started last. The ones that ended before z
 * started are before z, and z is before s. So only the others need edges: they all ran when z started, and their number
 * is at most that of the chains if clocks are right. Of one chain only the last interval has an edge. O(c) for an s and
 * c such intervals, after sorting. */
#ifndef ISOLAB_GRAPH_INTERVALS_H
#define ISOLAB_GRAPH_INTERVALS_H

#include "base/env.h"

/* An interval with an end. Intervals of one chain (such as a session) follow each other in the order of their items. */
typedef struct iso_interval {
    int64_t start, end;
    int64_t latest; /* the latest start among the intervals up to this one; set by iso_intervals_sort() */
    uint32_t item, chain;
} iso_interval;

typedef struct iso_intervals {
    iso_interval *at; /* the caller's; sorted by end */
    uint32_t n;
    uint32_t *last; /* by chain: UINT32_MAX between uses */
} iso_intervals;

void iso_intervals_sort(iso_intervals *v);

/* Calls fn for each edge to an item that starts at a time. */
typedef void iso_interval_edge(void *arg, uint32_t from, uint32_t to);
void iso_intervals_before(const iso_intervals *v, int64_t start, uint32_t to, iso_interval_edge *fn, void *arg);

#endif
