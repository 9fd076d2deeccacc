/* All interleavings of the starts and ends of a small history's transactions. */
#ifndef ISOLAB_TESTS_INSTANTS_H
#define ISOLAB_TESTS_INSTANTS_H

#include "history/history.h"

enum { MOST_TIMED = 3 };

typedef struct instants {
    bool (*each)(void *arg,
                 const isolab_history *h); /* called with the history and times; false ends the enumeration */
    void *arg;
    bool ties; /* also several starts and ends at one time */
    int64_t start[MOST_TIMED], end[MOST_TIMED];
} instants;

/* Places the next instant: the start or the end of some transaction, alone or at the time of the one before. */
static inline bool interleave(instants *x, const isolab_history *h, int64_t instant) {
    bool on = true, all = true;
    for (uint32_t t = 0; t < h->n_txns && on; t++) {
        int64_t *place = x->start[t] < 0 ? &x->start[t] : &x->end[t];
        if (*place >= 0) {
            continue;
        }
        all = false;
        *place = instant;
        on = interleave(x, h, instant + 1) && (instant == 0 || !x->ties || interleave(x, h, instant));
        *place = -1;
    }
    if (all) {
        isolab_history timed = *h;
        timed.has_times = true;
        timed.txn_start = x->start;
        timed.txn_end = x->end;
        on = x->each(x->arg, &timed);
    }
    return on;
}

/* Calls `each` for all interleavings of a history without times, of at most MOST_TIMED transactions. arg: instants.
 * Returns false if the enumeration was ended. */
static inline bool each_interleaving(void *arg, const isolab_history *h) {
    instants *x = arg;
    for (uint32_t t = 0; t < MOST_TIMED; t++) {
        x->start[t] = x->end[t] = -1;
    }
    return interleave(x, h, 0);
}

#endif
