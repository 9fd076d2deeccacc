/* Times that contradict sessions. A client does one transaction after another. If a later one began, by its times,
 * before an earlier one had ended, the clock ran backwards, or the recorder mixed up clocks, sessions or transactions:
 * the times are wrong, not the database.
 *
 * If the later one had even ended before the earlier one began, no order contains both session order and real time, and
 * every checker must call the history not strictly serializable. */
#ifndef ISOLAB_HISTORY_CLOCK_H
#define ISOLAB_HISTORY_CLOCK_H

#include "history/history.h"

typedef struct iso_clock {
    uint64_t places; /* number of transactions that began before, or ended before the start of, an earlier one in their
                 * session */
    uint64_t contradictions; /* those among them that ended before the other one began */
    uint32_t earlier, later; /* the first such pair in the order of sessions; the first contradiction if there is one */
} iso_clock;

iso_clock iso_clock_of(const isolab_history *h); /* linear */

/* Writes all of this in one sentence without its final dot. Returns buffer. */
#define ISO_CLOCK_SIZE (4 * ISO_NAME_SIZE + 400)
const char *iso_clock_text(const isolab_history *h, const iso_clock *clock, char buffer[ISO_CLOCK_SIZE]);

/* Returns whether some included transaction has a start and some included transaction has an end. If not, real time
 * orders nothing. */
bool iso_orders_in_time(const isolab_history *h);

#endif
