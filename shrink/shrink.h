/* The history minimiser: the smallest history that still shows something (delta debugging).
 *
 * Whoever calls it says by a test what has to stay: that a checker reports a certain anomaly, that a program ends
 * with a certain status, that two checkers disagree. Transactions, operations, sessions, keys, values, times and
 * statuses are left out or made simpler as long as the test says yes, first in large pieces, then one by one, until
 * no single step is possible any more. So the result is minimal in each dimension: iso_shrink_is_minimal() tries
 * every single step again. In the end sessions are ordered and everything is named in one canonical way.
 *
 * A large history is cut down at once where the caller knows which transactions matter (hint). A test costs what
 * copying the history and the test itself cost; n pieces need O(n log n) tests, usually O(log n) of large ones. */
#ifndef ISOLAB_SHRINK_SHRINK_H
#define ISOLAB_SHRINK_SHRINK_H

#include "history/history.h"

/* Does this history still show it? May throw; what it throws (except limits) ends the shrinking. */
typedef bool iso_shrink_test(void *arg, const isolab_history *h);

/* Single steps, by what they make smaller. */
typedef enum {
    ISO_STEP_TXN,     /* a transaction is left out */
    ISO_STEP_OP,      /* an operation is left out */
    ISO_STEP_SESSION, /* a session is put after another one, where times allow it */
    ISO_STEP_KEY,     /* a key is left out, or made one with another */
    ISO_STEP_VALUE,   /* a read reads nil; a value that was written twice is not */
    ISO_STEP_ELEMENT, /* an element of a list that was read is left out */
    ISO_STEP_TIME,    /* the times of a transaction are left out */
    ISO_STEP_STATUS,  /* an indeterminate transaction is committed */
    ISO_STEPS
} iso_step;

extern const char *const iso_step_text[ISO_STEPS];

typedef struct iso_shrinking {
    iso_shrink_test *test;
    void *arg;
    uint64_t most_tests; /* 0: no limit */
    bool keep_names;     /* names and order of sessions stay */
    bool keep_sessions;  /* no session is put after another one */

    /* what happened */
    const isolab_history *h; /* the smallest one so far */
    uint64_t tests, kept;
    bool unfinished;           /* a limit was reached: perhaps not minimal */
    uint64_t tried[ISO_STEPS]; /* single steps that the last round tried in vain */

    iso_pool pool[2]; /* the smallest history and the next one, in turn */
    int at;
} iso_shrinking;

/* Shrinks a history for which the test says yes; sets s->h. hint: by transaction, 1 if it matters; NULL: not
 * known. A limit (ISOLAB_E_LIMIT) ends it early with what was reached; other errors are thrown. */
void iso_shrink(iso_env *env, const isolab_history *h, const uint8_t *hint, iso_shrinking *s);
void iso_shrink_free(iso_shrinking *s); /* s->h goes with it */

/* Tries every single step on a history and returns whether all fail; else what said yes, in words. Fills s->tried. */
bool iso_shrink_is_minimal(iso_env *env, const isolab_history *h, iso_shrinking *s, char *what, size_t size);

/* The same history with canonical names: sessions A, B, ..., transactions t1, t2, ..., keys x, y, z, k4, ...,
 * values 1, 2, ... and instants 1, 2, ... as they come; of all orders of up to six sessions the one that reads
 * least. Histories that are the same up to names and the order of sessions become equal (with up to six sessions). */
isolab_history *iso_canonical(iso_pool *pool, const isolab_history *h);

#endif
