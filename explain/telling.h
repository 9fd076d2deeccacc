/* The parts of the sentences of iso_word_happened() (words.h): a text that grows, and clauses about transactions,
 * operations and keys. A transaction gets its session in the text when it is mentioned for the first time.
 *
 * For the files of the story alone: telling.c begins it, story_reads.c tells a read that offends by itself,
 * story_cycles.c tells a cycle, story_cases.c the cases
 * of a clausal proof. */
#ifndef ISOLAB_EXPLAIN_TELLING_H
#define ISOLAB_EXPLAIN_TELLING_H

#include "explain/words.h"

/* A read that returned a version although another transaction on the cycle wrote a later one. */
typedef struct iso_miss {
    uint32_t reader, read; /* transaction and operation */
    uint32_t newer, write; /* the transaction that was missed, and its write */
    const iso_edge *path;  /* n_path edges from the missed transaction to the reader; NULL: none */
    uint32_t n_path;
} iso_miss;

enum { ISO_MISSES = 4 };

typedef struct iso_story {
    const isolab_history *h;
    const iso_chain *a; /* the anomaly */
    char *text;         /* of ISO_SENTENCE_SIZE bytes */
    size_t used;
    uint32_t met[8], n_met; /* transactions whose session was told */
    iso_miss miss[ISO_MISSES];
    uint32_t n_misses; /* number of misses, also of misses that were not kept */
} iso_story;

void iso_tell(iso_story *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool iso_tell_meeting(iso_story *s, uint32_t txn);                 /* returns whether it was not mentioned before */
void iso_tell_txn(iso_story *s, uint32_t txn);                     /* `t1 (session A)` */
void iso_tell_did(iso_story *s, uint32_t op);                      /* `read x = 1` */
void iso_tell_key(iso_story *s, uint32_t key);                     /* `x`, `key 5` */
void iso_tell_origin(iso_story *s, uint32_t read);                 /* ` (written by t1)`, if that is certain */
void iso_tell_two_reads(iso_story *s, uint32_t one, uint32_t two); /* of one transaction, in program order */

void iso_tell_read(iso_story *s);  /* a read that offends */
void iso_tell_cycle(iso_story *s); /* a cycle of which every edge is sure */

void iso_tell_cases(iso_story *s, const uint8_t *standing); /* a cycle that is one of several cases */
void iso_tell_search(iso_story *s);                         /* neither a read nor a cycle: what the proof needs */

#endif
