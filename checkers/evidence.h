/* The evidence for a satisfied level: the number of cases in which the history could have violated it. docs/evidence.md
 * defines the cases of each level, and proves that a level without cases is satisfied, whatever else the history
 * contains.
 *
 * A number is 0, or a lower bound, found in a sample of the history, or exact, if the history is small. The whole of a
 * large history is read only if a number is still 0. */
#ifndef ISOLAB_CHECKERS_EVIDENCE_H
#define ISOLAB_CHECKERS_EVIDENCE_H

#include "history/history.h"
#include "history/level.h"

typedef struct iso_evidence {
    iso_levels counted; /* the levels whose cases were counted */
    iso_levels exact;   /* the levels among these whose number is exact; the other numbers are lower bounds */
    uint64_t cases[ISO_MOST_LEVELS]; /* by level */

    /* About the included transactions. */
    bool all_counted;    /* the next four numbers are exact; otherwise numbers greater than 0 are lower bounds */
    bool none_elsewhere; /* reads_elsewhere is exactly 0, although not all was counted */
    uint64_t operations, reads;
    uint64_t reads_elsewhere; /* reads from other sessions */
    uint32_t shared_keys;     /* keys written by several transactions */
    uint32_t transactions;
    uint32_t untimed, half_timed; /* included transactions without times, and with only a start or only an end */
    uint64_t overlaps;            /* pairs that overlapped in time */
    bool overlaps_exact;          /* otherwise a lower bound */
} iso_evidence;

typedef struct iso_evidence_question {
    iso_levels levels;
    bool no_session_order; /* of si and ser without session order */
    bool demand;           /* evidence is demanded: work longer before a number is given up */
    uint64_t sample;       /* for tests: operations of a sample; 0: as many as usual */
} iso_evidence_question;

/* Counts cases for these levels. Throws when a limit is reached. */
iso_evidence iso_find_evidence(iso_pool *scratch, const isolab_history *h, iso_evidence_question question);

/* Words (evidence_words.c). The first function returns the name of a level's cases (`reads from other transactions`).
 * The second writes what the history contains, for all levels, on one line. Returns buffer. */
const char *iso_evidence_of(iso_level level);
const char *iso_evidence_text(const iso_evidence *e, char *buffer, size_t size);

/* The parts of iso_find_evidence() that concern time (evidence_time.c). */
void iso_evidence_in_time(iso_evidence *e, iso_pool *scratch, const isolab_history *h);

#endif
