/* The read that several anomalies have in common. One stale read is many anomalies: each is proved by other
 * transactions, but every proof uses that read, so a person should see one finding. */
#ifndef ISOLAB_EXPLAIN_BLAME_H
#define ISOLAB_EXPLAIN_BLAME_H

#include "explain/story.h"

typedef struct iso_blame {
    uint32_t read;  /* the read that its proof shares with the most other proofs; ISO_NONE: it shares none */
    uint32_t steps; /* of its proof, with the reasons: few are plain */
} iso_blame;

/* Fills in the blame of n anomalies. Only reads that missed a write in a proof, or offend by themselves, are blamed.
 * O(g r + r log r) for g blamed reads and r such reads in the proofs. */
void iso_blame_all(iso_pool *pool, const isolab_history *h, const iso_chain *chain, uint32_t n, iso_blame *blame);

/* Returns the shortest proof that a read is stale: in real time another write of the key came after the write that it
 * read from and before it. A violation of lser with one anomaly, in the pool; NULL: times do not show it. O(n) for n
 * operations. */
const iso_result *iso_stale_read(iso_pool *pool, const isolab_history *h, uint32_t read);

#endif
