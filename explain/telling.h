/* What the sentences of iso_word_happened() (words.h) are made of: a text that grows, and clauses about transactions,
 * operations and keys. A transaction is told with its session when it is met for the first time.
 *
 * For the files of the story alone: telling.c begins it, story_reads.c tells a read that offends by itself,
 * story_cycles.c tells a cycle. */
#ifndef ISOLAB_EXPLAIN_TELLING_H
#define ISOLAB_EXPLAIN_TELLING_H

#include "explain/words.h"

/* A read that returned a version although another transaction on the cycle wrote a later one. */
typedef struct iso_miss {
    uint32_t reader, read; /* transaction and operation */
    uint32_t newer, write; /* the missed one */
    const iso_edge *path;  /* how the reader comes after it: edges, or NULL */
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
    uint32_t n_misses; /* may be more than were kept */
} iso_story;

void iso_tell(iso_story *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool iso_tell_meeting(iso_story *s, uint32_t txn);                 /* whether it is met for the first time */
void iso_tell_txn(iso_story *s, uint32_t txn);                     /* `t1 (session A)` */
void iso_tell_did(iso_story *s, uint32_t op);                      /* `read x = 1` */
void iso_tell_key(iso_story *s, uint32_t key);                     /* `x`, `key 5` */
void iso_tell_origin(iso_story *s, uint32_t read);                 /* ` (written by t1)`, if that is certain */
void iso_tell_two_reads(iso_story *s, uint32_t one, uint32_t two); /* of one transaction, in program order */

void iso_tell_read(iso_story *s);  /* a read that offends */
void iso_tell_cycle(iso_story *s); /* a cycle */

#endif
