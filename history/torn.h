/* Histories whose end is missing: recordings of a killed recorder, logs of a run that still goes on.
 *
 * A recorder writes the line of a transaction after its end, so the lines of a session are in its order, and a torn
 * file has the first transactions of each session and none of the later ones. What the later ones wrote may have been
 * read. One rule makes the part that is there a history of its own: a read is left out if it may have returned a value
 * of a lost transaction. These are
 * - reads of a value, and of lists with an element, that no transaction of the file wrote;
 * - if values may repeat (the file does not say that each value has one writer, or has a value with two; a log that is
 *   cut off, --truncated, is taken to have unique values unless it repeats one): all reads, except those of a register
 *   that the reader itself had written before, which can only return its own value;
 * - reads of which only a value is known that they did not return.
 *
 * Why no violation comes from the cut: let an order of all included transactions of the whole file satisfy a level. In
 * the order of the rest that remains when the lost transactions are removed, each read that is kept has its writer, and
 * no other write of its key has come in between. An axiom demands an order of two writers because of a path of session
 * order, reads and real time. The rest has no more of these than the whole, so the order satisfies all that the axioms
 * demand. (An indeterminate transaction that only lost transactions read from is excluded, which removes it in the same
 * way.) Every violation of the rest is therefore one of the whole file. A satisfied verdict is about the rest only. */
#ifndef ISOLAB_HISTORY_TORN_H
#define ISOLAB_HISTORY_TORN_H

#include "history/history.h"

/* Returns the history without the reads that the rule leaves out, and their number in torn_reads; h itself where its
 * end is not missing. */
isolab_history *iso_torn_settle(iso_pool *pool, isolab_history *h);

/* Writes what is known of a torn history, a sentence without its final dot; the empty string for another one, and for
 * one whose end is cut off without leaving out a read (iso_taken_text() says so). Returns
 * buffer. */
#define ISO_TORN_SIZE 320
const char *iso_torn_text(const isolab_history *h, char buffer[ISO_TORN_SIZE]);

#endif
