/* Anomalies in plain sentences, with the ids of the input.
 *
 * A sentence never depends on a checker's mood: it is made from the edge's kind, transactions, operations and
 * key alone. Reads history/ and checkers/result.h; owns nothing.
 */
#ifndef ISOLAB_EXPLAIN_WORDS_H
#define ISOLAB_EXPLAIN_WORDS_H

#include "checkers/result.h"

/* A transaction as a word of a sentence: its id, `transaction 17` where the id is a number, `the initial
 * transaction`. */
#define ISO_WORD_SIZE (ISO_NAME_SIZE + 24)
const char *iso_word_txn(const isolab_history *h, uint32_t txn, char buffer[ISO_WORD_SIZE]);

/* What an operation does, as a clause: `reads x = 3`, `writes x = 3`, `appends 1 to l`, `reads l = [1 2]`.
 * Returns buffer. */
const char *iso_word_op(const isolab_history *h, uint32_t op, char *buffer, size_t size);

/* What the edge from one transaction to the other is, and why, premises left out. Always NUL-terminated;
 * returns buffer. */
#define ISO_SENTENCE_SIZE 2048
const char *iso_word_edge(const isolab_history *h, const iso_edge *edge, char buffer[ISO_SENTENCE_SIZE]);

/* The one sentence of an anomaly without a cycle (read consistency); for a cycle, which transactions. */
const char *iso_word_anomaly(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly,
                             char buffer[ISO_SENTENCE_SIZE]);

/* Calls each() for every step of the anomaly's cycle in order, and after each step for its premises one
 * deeper. A justification that was told before is not told again. O(size of what is told). */
void iso_each_step(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly,
                   void (*each)(void *arg, unsigned depth, const iso_edge *edge, const char *sentence), void *arg);

/* The transactions of an anomaly, each once, in the order of the cycle; at most room of them are written.
 * Returns their number. */
uint32_t iso_anomaly_txns(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly, uint32_t *txns,
                          uint32_t room);

#endif
