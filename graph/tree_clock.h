/* Tree clocks: vector clocks that remember from which process each entry was learnt (plume.txt, section 4.3).
 *
 * A clock has one entry for each of k processes: the latest time of that process that is known, 0 for none.
 * Its root is the process that owns it. An entry hangs below the process that it was learnt from, with the
 * time of that process when it learnt it (`attached`); siblings are sorted by that time, latest first. So
 * a clock that knows a process up to a time knows all entries that hang below it from then or before, and a join may stop
 * there: it looks at entries in proportion to the entries that it changes. Comparing two clocks of which one owns
 * its latest time is O(1).
 *
 * Stopping early is right only where knowledge is handed on after it is complete (happens-before order). A
 * clock that was copied or joined from, and then learns more without a new time of its own, breaks that: it
 * is marked `loose`, as is every clock that joins a loose one, and joins from a loose clock look at every
 * entry. So a join is the maximum of two vectors in whatever order clocks are joined, and also where two
 * clocks join each other.
 *
 * What is asked of the caller: the clocks of one process are copies of each other, each with a later time.
 *
 * The memory belongs to the caller; the times may lie apart from the links. No recursion. */
#ifndef ISOLAB_GRAPH_TREE_CLOCK_H
#define ISOLAB_GRAPH_TREE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO_TREE_MOST 65535 /* processes */
#define ISO_TREE_NONE UINT16_MAX

/* Where an entry hangs. Side by side, so that looking at an entry costs one access to memory. */
typedef struct iso_tree_link {
    uint32_t attached;                  /* the parent's time when it was learnt; of no meaning for the root */
    uint16_t parent, child, next, prev; /* processes; child is the latest one */
} iso_tree_link;

typedef struct iso_tree_clock {
    uint32_t k, root;
    bool loose, copied;
    uint32_t *time;      /* by process; 0: nothing known */
    iso_tree_link *link; /* by process */
} iso_tree_clock;

/* What joins did. */
typedef struct iso_tree_count {
    uint64_t joins, looked, changed; /* joins that had something to do; entries looked at, and raised */
} iso_tree_count;

/* An empty clock of a process, in k times and k links; k is at most ISO_TREE_MOST. */
void iso_tree_clock_init(iso_tree_clock *c, uint32_t k, uint32_t root, uint32_t *time, iso_tree_link *links);

/* The owner's time goes on. */
static inline void iso_tree_clock_tick(iso_tree_clock *c, uint32_t time) {
    c->time[c->root] = time;
    c->copied = false;
}

/* to has room for k entries; from is marked as copied. Times are copied only if both have their own. */
void iso_tree_clock_copy(iso_tree_clock *to, iso_tree_clock *from);

/* into becomes the maximum of both; queue has room for k entries. count may be NULL. */
void iso_tree_clock_join(iso_tree_clock *into, iso_tree_clock *from, uint32_t *queue, iso_tree_count *count);

/* The root of a, at its time in a, is known to b. With a before b and b before a there is a cycle. */
static inline bool iso_tree_clock_before(const iso_tree_clock *a, const iso_tree_clock *b) {
    return b->time[a->root] >= a->time[a->root];
}

/* All that the times say, learnt by the root just now: the links are made again. */
void iso_tree_clock_flatten(iso_tree_clock *c);

#endif
