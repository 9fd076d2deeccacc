/* INT, the axioms of read consistency (docs/levels.md, awdit.txt definition 2.3 and algorithm 4), checked in linear
 * time. All checkers use it, except brute, naive and sat, which have independent implementations. */
#ifndef ISOLAB_HISTORY_READ_CONSISTENCY_H
#define ISOLAB_HISTORY_READ_CONSISTENCY_H

#include "history/history.h"

typedef enum {
    ISO_INT_THIN_AIR,     /* (a) no transaction wrote the value */
    ISO_INT_ABORTED,      /* (b) only excluded transactions wrote the value */
    ISO_INT_FUTURE,       /* (c) the reader itself wrote it, later */
    ISO_INT_NOT_OWN,      /* (d) the reader had written the key, and read another transaction's value */
    ISO_INT_NOT_LAST_OWN, /* (e) own: an earlier write of the reader, not its latest one */
    ISO_INT_NOT_LAST,     /* (e) another's: its writer overwrote it itself (intermediate read) */
    ISO_INT_KINDS
} iso_int_kind;

/* Receives one offending read. other_op is the write that makes it an offence: (b, c) the write read from; (d, e own)
 * the reader's latest write before the read; (e) the writer's next write of the key; ISO_NONE for (a). */
typedef void iso_int_report(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op);

/* Reports every offending read of every included transaction (ISO_INCLUDED) once, in the order of operations, and
 * returns their number. report may be NULL.
 *
 * - A read that offends in several ways is reported as the first of them in the order of iso_int_kind.
 * - An ambiguous read offends when each of its possible writers would be an offence; the mildest kind is reported: the
 *   last in that order. An optional writer (ISO_OPTIONAL) counts as included.
 * - A list read: every element counts for (a), (b) and (c). The reader's own earlier appends must be the last elements,
 *   all of them and in order. Otherwise the offence is (e own) if the last element is one of them, and (d) if it is
 *   not. The last element before them must be its transaction's last append to the key, else it is (e). */
uint64_t iso_check_int(const isolab_history *h, iso_pool *scratch, iso_int_report *report, void *arg);

/* Finds two reads of one key by one included transaction, not after a write of the key by itself, that returned
 * different values, at least one of them ambiguous. Whatever transactions they read from, these are two, so the history
 * violates ra and every stronger level. read: the later one. Linear time; looks for nothing where values are unique. */
bool iso_find_two_values(const isolab_history *h, iso_pool *scratch, uint32_t *read, uint32_t *other);

/* Finds a repeated value of a register that more included transactions read and then overwrote than writes may have
 * written it. Then two of them read from one write, and each wrote the key, so the history violates si and every
 * stronger level: an update was lost. (A search would try all pairs of readers and writes: the pigeonhole principle is
 * hard for clauses.) read: the read of the last such transaction. Linear time; looks for nothing where values are
 * unique. */
bool iso_find_lost_update(const isolab_history *h, iso_pool *scratch, uint32_t *read);

/* Returns the number of included transactions that read the version and then overwrote it. Linear. */
uint32_t iso_count_updates(const isolab_history *h, uint32_t version);

#endif
