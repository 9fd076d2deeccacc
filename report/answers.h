/* What there is to say about the answers of all levels, on a page or a terminal: the promise of the database, the
 * levels worth telling, and the rest of a history after some anomalies. */
#ifndef ISOLAB_REPORT_ANSWERS_H
#define ISOLAB_REPORT_ANSWERS_H

#include "base/print.h"
#include "checkers/ladder.h"

/* Prints what is known besides anomalies that were found one by one. */
void iso_answer_rest(iso_printer *out, const iso_answer *answer);

/* What the documentation of the database promises for a recorded history, and whether the answers show it. */
typedef struct iso_promise {
    const char *database, *configured; /* `SQLite`, `wal` */
    iso_level level;                   /* the promised level; ISO_NO_LEVEL: the history has no promise */
    iso_levels within;                 /* the promised level and all weaker ones: to violate one breaks the promise */
    isolab_verdict verdict;            /* satisfied: kept, violated: broken */
    const char *text;                  /* the same as `kept`, `BROKEN` or `not known` */
} iso_promise;
/* rung: answers by level, as those of a ladder; NULL: not asked. */
iso_promise iso_promise_of(const isolab_history *h, const iso_answer *const rung[ISO_MOST_LEVELS]);

const char *iso_level_names(iso_pool *pool, iso_levels levels); /* `si, ra`: the strongest first */

/* Returns whether all of n transactions are among n_many others. */
bool iso_are_among(const uint32_t *few, uint32_t n, const uint32_t *many, uint32_t n_many);

/* Returns the violated levels of a ladder that have an anomaly which is not that of a weaker level. */
iso_levels iso_levels_to_tell(const isolab_history *h, const iso_ladder *ladder);

#endif
