/* Anomalies in plain sentences, with the ids of the input.
 *
 * First what happened, as a person would say it, then the proof: a step for each edge of the cycle, and below it its
 * reasons. A sentence depends only on the history and on what a certificate has: the edges, or the read that offends;
 * never on the checker that found them. So isolab-verify says the same from a certificate. This header knows only
 * histories and edges; story.h is for the answers of checkers. */
#ifndef ISOLAB_EXPLAIN_WORDS_H
#define ISOLAB_EXPLAIN_WORDS_H

#include <stdio.h>

#include "history/edge.h"
#include "history/level.h"

/* Returns a transaction as words of a sentence: its id, `transaction 17` if the id is a number, or `the initial
 * transaction`. If ids repeat, the session is added: `transaction 17 of session A`. */
#define ISO_WORD_SIZE (2 * ISO_NAME_SIZE + 40)
const char *iso_word_txn(const isolab_history *h, uint32_t txn, char buffer[ISO_WORD_SIZE]);
/* Returns the name of a session: its own, else its number. */
const char *iso_word_session(const isolab_history *h, uint32_t session, char buffer[ISO_NAME_SIZE]);

/* Returns where the input has a transaction, and when it ran: `session A, transaction 3 of it, line 12, :index 24; 1.2
 * s long (100..1200000100)`. */
#define ISO_PLACE_SIZE (ISO_NAME_SIZE + 200)
const char *iso_word_place(const isolab_history *h, uint32_t txn, char buffer[ISO_PLACE_SIZE]);

/* Returns a duration with its unit: `34.8 s`. */
#define ISO_SPAN_SIZE 32
const char *iso_word_span(uint64_t ns, char buffer[ISO_SPAN_SIZE]);

/* Returns what an operation does, as a clause: `reads x = 3`, `writes x = 3`, `appends 1 to l`, `reads l = [1 2]`; did:
 * in the past. A list is cut around the elements at two positions (ISO_NONE: none). The text is in buffer. */
const char *iso_word_op(const isolab_history *h, uint32_t op, char *buffer, size_t size);
const char *iso_word_did(const isolab_history *h, uint32_t op, uint32_t one, uint32_t two, char *buffer, size_t size);

const char *iso_word_op_at(const isolab_history *h, uint32_t op, uint32_t one, uint32_t two, char *buffer, size_t size);
const char *iso_word_key(const isolab_history *h, uint32_t key, char buffer[ISO_WORD_SIZE]); /* `x`, `key 5` */

/* Returns the transaction's last write of a key, which other transactions see; ISO_NONE: none. */
uint32_t iso_last_write(const isolab_history *h, uint32_t txn, uint32_t key);
/* Returns the transaction that wrote the value of a read, if it is certain; else ISO_NONE. */
uint32_t iso_writer_txn(const isolab_history *h, uint32_t read_op);
/* Returns who wrote what a read returned, if that is certain: ` (written by t1)`, ` (the initial value)`; else "". */
const char *iso_word_origin(const isolab_history *h, uint32_t read, char buffer[ISO_WORD_SIZE]);
/* Returns the position of the first element, from `from` on, of a list read that the transaction appended; ISO_NONE:
 * none. */
uint32_t iso_element_of(const isolab_history *h, uint32_t read_op, uint32_t txn, uint32_t from);

/* Returns a sentence that describes the edge between two transactions and its reason, without its premises. Always
 * NUL-terminated, in buffer. */
#define ISO_SENTENCE_SIZE 2048
const char *iso_word_edge(const isolab_history *h, const iso_edge *edge, char buffer[ISO_SENTENCE_SIZE]);

/* Returns what an edge assumes, as the words after `if`: `t2 read x = 1 from t1`. */
const char *iso_word_assumption(const isolab_history *h, const iso_edge *edge, char buffer[ISO_SENTENCE_SIZE]);

/* How a step stands: sure; assumed in this case, so that its sentence says `if`; or it follows in this case. */
typedef enum { ISO_STANDS, ISO_ASSUMED, ISO_FOLLOWS } iso_standing;

/* A step of the proof. Reasons of step 2 have the numbers 2.1, 2.2 ...; pictures have the same numbers. */
#define ISO_NUMBER_SIZE 48
typedef struct iso_word_step {
    unsigned depth;     /* 0: an edge of the cycle */
    const char *number; /* `2.1` */
    const iso_edge *edge;
    iso_standing standing;
    const char *sentence; /* without its final dot */
} iso_word_step;

/* How a read offends by itself, whatever the order of transactions. */
typedef enum {
    ISO_OFFENCE_NONE,
    ISO_OFFENCE_THIN_AIR,
    ISO_OFFENCE_ABORTED,
    ISO_OFFENCE_FUTURE,
    ISO_OFFENCE_NOT_OWN,
    ISO_OFFENCE_NOT_LAST_OWN,
    ISO_OFFENCE_NOT_LAST,
    ISO_OFFENCE_UNREPEATABLE,
    ISO_OFFENCE_DUPLICATE,
    ISO_OFFENCE_INCOMPATIBLE,
    ISO_OFFENCE_LOST,
    ISO_OFFENCE_UPDATES /* more transactions read the value and overwrote it than wrote it */
} iso_offence;

/* A proof: edges, and the range of them that is its cycle (premises are other edges of the array); or without a cycle a
 * read that offends, and the operation that shows it. ISO_CHAIN begins one of which nothing is set. */
typedef struct iso_chain {
    iso_pool *pool; /* for what is needed meanwhile */
    const iso_edge *edges;
    uint32_t n_edges, first, n;
    iso_level level;
    iso_offence offence;
    uint32_t op, other_op;
    /* If edges are assumed, the cycle is one of n_cases cases (0: not known), of which these are others. */
    const iso_span *other;
    uint32_t n_other, n_cases;
    /* If there is neither a cycle nor a read that offends: reads that the proof needs, the first n_named of n_reads. */
    const uint32_t *reads;
    uint32_t n_named, n_reads;
    bool searched; /* a search found the violation */
} iso_chain;
#define ISO_CHAIN .op = ISO_NONE, .other_op = ISO_NONE

/* Returns by edge how it stands, in the pool, for the edges that a cycle depends on; *any: whether one is assumed. */
uint8_t *iso_chain_standing(const isolab_history *h, const iso_chain *chain, iso_span cycle, bool *any);

/* Returns what happened, in a sentence or two; "": there is nothing to tell. If the cycle is only one case of several,
 * the sentences say which values have several writers, and what follows if they are from these. */
const char *iso_word_happened(const isolab_history *h, const iso_chain *chain, char buffer[ISO_SENTENCE_SIZE]);

/* Writes the heading of the steps, which lists the transactions of the cycle. */
const char *iso_word_chain(const isolab_history *h, const iso_chain *chain, char buffer[ISO_SENTENCE_SIZE]);

/* Calls each() for every step of the cycle in order, and after each step for its premises, one level deeper. A premise
 * is explained only once. Linear in the number of calls. */
typedef void iso_step_told(void *arg, const iso_word_step *step);
void iso_chain_steps(const isolab_history *h, const iso_chain *chain, iso_step_told *each, void *arg);

/* Returns all transactions that the steps name, and those of the two operations and their writers; without the initial
 * one, each once, in the order in which they are named. *n is their number. */
uint32_t *iso_chain_cast(iso_pool *pool, const isolab_history *h, const iso_chain *chain, uint32_t *n);

/* Prints all of this: what happened, the cycle, its steps, and where the input has the transactions; at most this many
 * steps and transactions (0: all of them). */
void iso_say_chain(FILE *out, const isolab_history *h, const iso_chain *chain, unsigned steps, unsigned places);

#endif
