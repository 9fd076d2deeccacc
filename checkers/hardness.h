/* What predicts how hard a history is, whatever the checker. docs/hardness.md shows which number predicts the time of
 * which checker.
 *
 * Transactions are the included ones, without the initial one; a wr pair is a writer and a reader of it. Reads whose
 * writer is not known (repeated values) make no pair. O(operations), except open_pairs. */
#ifndef ISOLAB_CHECKERS_HARDNESS_H
#define ISOLAB_CHECKERS_HARDNESS_H

#include "history/history.h"

#define ISO_HARDNESS_UNKNOWN UINT64_MAX

typedef struct iso_hardness {
    uint64_t sessions;                /* with included transactions */
    uint64_t width_least, width_most; /* bounds of the width of so|wr, the most transactions of which none is before
                                         another: the largest set of one depth, and a number of paths that cover all.
                                         UNKNOWN: so|wr has a cycle */
    uint64_t depth;                   /* the most transactions on a path of so|wr; UNKNOWN: there is a cycle */
    uint64_t heavy;                   /* transactions with more operations than the root of the number of all */
    uint64_t work;                    /* W: over all wr pairs, the writes of the writer or the reads of the reader from
                                         others, whichever are fewer: the steps of a checker that compares the two */
    uint64_t blocks, largest_block;   /* of sessions, in the graph that joins two with a common key: its biconnected
                                         components, and the sessions of the largest (Biswas and Enea 2019) */
    uint64_t largest_component;       /* transactions of the largest strongly connected component of so|wr */
    uint64_t open_pairs;              /* pairs of writers of one key that saturation under ser leaves without an order;
                                         UNKNOWN: more than ISO_HARDNESS_TXNS transactions or ISO_HARDNESS_STEPS
                                         steps, or a cycle */
    uint64_t ambiguous;               /* reads with several possible writers */
    double duplicates;                /* writes for each different value that was written; 1: unique values */
} iso_hardness;

#define ISO_HARDNESS_TXNS 4096        /* the matrix for open pairs takes 2 MB */
#define ISO_HARDNESS_STEPS 1000000000 /* of saturation: about a second */

iso_hardness iso_hardness_of(const isolab_history *h, iso_pool *scratch);

void iso_hardness_blocks(const isolab_history *h, iso_pool *scratch, iso_hardness *out); /* hardness_blocks.c */

#endif
