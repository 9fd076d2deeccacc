/* Tree clocks: vector clocks that remember from which process each entry was learnt (plume.txt, section 4.3).
 *
 * A clock has one entry for each of k processes: the latest known time of that process, or 0. Its root is the process
 * that owns it. Every other entry is a child of the process from which it was learnt, with the time of that process at
 * that moment (`attached`); siblings are sorted by this time, latest first. If a clock knows a process up to a time, it
 * knows all entries that were attached below the process at that time or before. So a join can stop there: it looks at
 * a number of entries proportional to the number that it changes. Comparing two clocks is O(1) if one of them owns its
 * latest time.
 *
 * Stopping early is right only if a process passes on its knowledge after that knowledge is complete (happens-before
 * order). A clock that was copied or joined from, and then learns more without a new time of its own, breaks this rule:
 * it is marked `loose`, as is every clock that joins a loose one, and a join from a loose clock looks at every entry.
 * So a join is the maximum of two vectors in any order of joins, even if two clocks join each other.
 *
 * Requirement: the clocks of one process are copies of each other, each with a later time than the one before.
 *
 * The caller owns the memory; times and links may be in separate blocks. No function recurses. */
#ifndef ISOLAB_GRAPH_TREE_CLOCK_H
#define ISOLAB_GRAPH_TREE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO_TREE_MOST 65535 /* limit of processes */
#define ISO_TREE_NONE UINT16_MAX

/* The links of an entry. They lie together, so that looking at an entry costs one memory access. */
typedef struct iso_tree_link {
    uint32_t attached;                  /* the parent's time when the entry was learnt; no meaning at the root */
    uint16_t parent, child, next, prev; /* processes; child is the one attached last */
} iso_tree_link;

typedef struct iso_tree_clock {
    uint32_t k, root;
    bool loose, copied;
    uint32_t *time;      /* by process; 0: unknown */
    iso_tree_link *link; /* by process */
} iso_tree_clock;

/* Counters of joins. */
typedef struct iso_tree_count {
    uint64_t joins, looked, changed; /* joins that changed something; entries that were compared; entries that
                                      * increased */
} iso_tree_count;

/* Makes an empty clock of process `root` with k times and k links; k is at most ISO_TREE_MOST. */
void iso_tree_clock_init(iso_tree_clock *c, uint32_t k, uint32_t root, uint32_t *time, iso_tree_link *links);

/* Advances the owner's time. */
static inline void iso_tree_clock_tick(iso_tree_clock *c, uint32_t time) {
    c->time[c->root] = time;
    c->copied = false;
}

/* Copies a clock. `to` has room for k entries. `from` is marked as copied. Times are copied only if the two clocks have
 * separate times. */
void iso_tree_clock_copy(iso_tree_clock *to, iso_tree_clock *from);

/* Makes `into` the maximum of both clocks. queue has room for k entries. count may be NULL. */
void iso_tree_clock_join(iso_tree_clock *into, iso_tree_clock *from, uint32_t *queue, iso_tree_count *count);

/* Returns whether b knows the root of a up to its time in a. If a is before b and b is before a, there is a cycle. */
static inline bool iso_tree_clock_before(const iso_tree_clock *a, const iso_tree_clock *b) {
    return b->time[a->root] >= a->time[a->root];
}

/* Rebuilds the links as if the root had learnt all times just now. */
void iso_tree_clock_flatten(iso_tree_clock *c);

#endif
