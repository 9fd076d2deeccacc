/* Anomalies in plain sentences, with the ids of the input.
 *
 * A sentence depends only on the edge's kind, transactions, operations and key, never on the checker that found it.
 * Reads history/ and checkers/result.h, and owns no memory. */
#ifndef ISOLAB_EXPLAIN_WORDS_H
#define ISOLAB_EXPLAIN_WORDS_H

#include "checkers/result.h"

/* Returns a transaction as words of a sentence: its id, `transaction 17` if the id is a number, or `the initial
 * transaction`. */
#define ISO_WORD_SIZE (ISO_NAME_SIZE + 24)
const char *iso_word_txn(const isolab_history *h, uint32_t txn, char buffer[ISO_WORD_SIZE]);

/* Returns what an operation does, as a clause: `reads x = 3`, `writes x = 3`, `appends 1 to l`, `reads l = [1 2]`. The
 * text is in buffer. */
const char *iso_word_op(const isolab_history *h, uint32_t op, char *buffer, size_t size);

/* Returns a sentence that describes the edge between two transactions and its reason, without its premises. Always
 * NUL-terminated, in buffer. */
#define ISO_SENTENCE_SIZE 2048
const char *iso_word_edge(const isolab_history *h, const iso_edge *edge, char buffer[ISO_SENTENCE_SIZE]);

/* Returns the sentence of an anomaly without a cycle (read consistency); for a cycle, a sentence that lists its
 * transactions. */
const char *iso_word_anomaly(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly,
                             char buffer[ISO_SENTENCE_SIZE]);

/* Calls each() for every step of the anomaly's cycle in order, and after each step for its premises, one level deeper.
 * A premise is explained only once. Linear in the number of calls. */
void iso_each_step(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly,
                   void (*each)(void *arg, unsigned depth, const iso_edge *edge, const char *sentence), void *arg);

/* Writes the transactions of an anomaly, each once, in the order of the cycle, at most `room` of them. Returns their
 * number. */
uint32_t iso_anomaly_txns(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly, uint32_t *txns,
                          uint32_t room);

#endif
