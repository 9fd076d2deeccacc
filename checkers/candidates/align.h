/* What the two files of the alignment share. See align.c. */
#ifndef ISOLAB_CHECKERS_CANDIDATES_ALIGN_H
#define ISOLAB_CHECKERS_CANDIDATES_ALIGN_H

#include "checkers/candidates/candidates.h"

#define ALIGN_HALF 16
#define ALIGN_SHIFTS (2 * ALIGN_HALF + 1) /* number of shifts that are tried for each transaction */
#define ALIGN_UNIT 8                      /* times from one place of the order to the next */

/* A read, or the last write of its key in a transaction. */
typedef struct align_event {
    uint32_t txn, version;
    bool writes;
} align_event;

/* How many writers of its value are between the floor of a read and the read. */
typedef enum { ALIGN_NONE, ALIGN_ONE, ALIGN_MORE, ALIGN_NO_MATTER } align_fits;

typedef struct align {
    cand *c;
    int32_t *time; /* by transaction: ALIGN_UNIT times its place */

    uint32_t *event_first; /* the events of key k are event[event_first[k] ..], by time */
    align_event *event;

    /* By read: its transaction; the last writer of its key before it in its session (ISO_NONE: none), and whether that
     * wrote the value; its fitting writers, and the only one. */
    uint32_t *reader, *own, *only;
    bool *own_same;
    uint8_t *fits;
    uint32_t *reads, *reads_first; /* reads by version */

    uint32_t n_shifted, *key_stamp, *version_stamp; /* number of shifted sessions; the last one that concerned a key */

    /* the session that is being shifted: its transactions, what each shift of them costs, and by transaction and shift
     * the shift of the transaction before on the cheapest path */
    uint32_t *txn, n_txns;
    float *cost;
    uint8_t *from;
    int32_t step; /* in time, from one shift to the next */
    float bend;   /* cost of shifting a transaction otherwise than the one before, for each unit of time */
    float stale;  /* cost of a stale read */
    bool has_goal;
} align;

/* align_cost.c: adds what each shift of a transaction costs. */
void iso_cand_align_stale(const align *x, uint32_t t, float cost[ALIGN_SHIFTS]);
void iso_cand_align_goal(const align *x, uint32_t t, float cost[ALIGN_SHIFTS]);
void iso_cand_align_recount(align *x, uint32_t read);

#endif
