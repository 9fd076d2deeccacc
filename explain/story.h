/* The anomalies of an answer in words: the functions of words.h for them. */
#ifndef ISOLAB_EXPLAIN_STORY_H
#define ISOLAB_EXPLAIN_STORY_H

#include "checkers/result.h"
#include "explain/words.h"

iso_chain iso_anomaly_chain(const iso_result *result, const iso_anomaly *anomaly);

/* Returns what happened, in a sentence or two; without transactions to tell, what the name means. */
const char *iso_word_anomaly(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly,
                             char buffer[ISO_SENTENCE_SIZE]);
/* Returns the heading of the steps, which lists the transactions of the cycle; "": there is no cycle. */
const char *iso_word_cycle(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly,
                           char buffer[ISO_SENTENCE_SIZE]);

/* Calls each() for every step of the anomaly's cycle, as iso_chain_steps(). */
void iso_each_step(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly, iso_step_told *each,
                   void *arg);

/* Writes the transactions of an anomaly, each once, in the order of the cycle, at most `room` of them. Returns their
 * number. */
uint32_t iso_anomaly_txns(const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly, uint32_t *txns,
                          uint32_t room);
/* Returns all transactions that the story and the steps name, as iso_chain_cast(). */
uint32_t *iso_anomaly_cast(iso_pool *pool, const isolab_history *h, const iso_result *result,
                           const iso_anomaly *anomaly, uint32_t *n);

#endif
