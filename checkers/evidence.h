/* What a satisfied level rests on: how many cases of the history could have violated it. docs/evidence.md defines a case of
 * each level, and has the proof that a level without cases is satisfied whatever the rest of the history says.
 *
 * Counting costs little: what is not exact is a lower bound, found in the first part of the history, and only a number that
 * is 0 there takes the whole. */
#ifndef ISOLAB_CHECKERS_EVIDENCE_H
#define ISOLAB_CHECKERS_EVIDENCE_H

#include "history/history.h"
#include "history/level.h"

typedef struct iso_evidence {
    iso_levels counted;         /* the levels whose cases were counted */
    iso_levels exact;           /* of these, the levels of which there are no more cases; of the others there may be */
    uint64_t cases[ISO_LEVELS]; /* by level */

    /* Of the included transactions. */
    bool all_counted; /* the next four are exact, else lower bounds */
    uint64_t operations, reads;
    uint64_t reads_elsewhere; /* of what another session wrote */
    uint32_t shared_keys;     /* written by several transactions */
    uint32_t transactions;
    uint32_t untimed, half_timed; /* of them: without times, and with a start or an end alone */
    uint64_t overlaps;            /* pairs that overlapped in time */
    bool overlaps_exact;          /* else a lower bound */
} iso_evidence;

/* Does some included transaction have a start, and some an end? Else real time orders none. */
bool iso_orders_in_time(const isolab_history *h);

/* Counts for these levels; without session order where si and ser are asked about without. Throws for limits. */
iso_evidence iso_find_evidence(iso_pool *scratch, const isolab_history *h, iso_levels levels, bool no_session_order);

/* In words (evidence_words.c): what the cases of a level are (`reads from other transactions`), and what all levels rest
 * on, in one line. Returns buffer. */
const char *iso_evidence_of(iso_level level);
const char *iso_evidence_text(const iso_evidence *e, char *buffer, size_t size);

/* The parts of iso_find_evidence() that are about time (evidence_time.c). */
void iso_evidence_in_time(iso_evidence *e, iso_pool *scratch, const isolab_history *h, bool order);

#endif
