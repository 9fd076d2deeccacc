/* The history minimiser: finds the smallest history that still passes a test (delta debugging).
 *
 * The caller's test says what must stay: for example that a checker reports a certain anomaly, that a program ends with
 * a certain status, or that two checkers disagree. Transactions, operations, sessions, keys, values, times and statuses
 * are left out or simplified as long as the test says yes, first in large pieces, then one by one, until no single step
 * is possible. So the result is minimal in each dimension: iso_shrink_is_minimal() tries every single step again. At
 * the end, sessions are ordered and everything gets canonical names.
 *
 * A large history shrinks at once if the caller knows which transactions matter (hint). A test costs a copy of the
 * history plus the test itself; n pieces need O(n log n) tests, of which usually O(log n) are of large histories. */
#ifndef ISOLAB_SHRINK_SHRINK_H
#define ISOLAB_SHRINK_SHRINK_H

#include "history/history.h"

/* The test: returns whether this history still shows the property. It may throw; an error other than a limit ends the
 * shrinking. */
typedef bool iso_shrink_test(void *arg, const isolab_history *h);

/* Kinds of single steps, by the part of the history that they make smaller. */
typedef enum {
    ISO_STEP_TXN,     /* a transaction is left out */
    ISO_STEP_OP,      /* an operation is left out */
    ISO_STEP_SESSION, /* a session is placed after another one, if times allow it */
    ISO_STEP_KEY,     /* a key is left out, or merged with another */
    ISO_STEP_VALUE,   /* a read reads nil, or a repeated value becomes unique */
    ISO_STEP_ELEMENT, /* an element of a list read is left out */
    ISO_STEP_TIME,    /* the times of a transaction are left out */
    ISO_STEP_STATUS,  /* an indeterminate transaction becomes committed */
    ISO_STEPS
} iso_step;

extern const char *const iso_step_text[ISO_STEPS];

typedef struct iso_shrinking {
    iso_shrink_test *test;
    void *arg;
    uint64_t most_tests; /* limit; 0 = none */
    bool keep_names;     /* keep the names and the order of sessions */
    bool keep_sessions;  /* do not place a session after another one */
    bool slice;          /* only leave out transactions and operations; names, values and times do not change */

    /* the outcome */
    const isolab_history *h; /* the smallest history so far */
    uint64_t tests, kept;
    bool unfinished;           /* a limit was reached: h may not be minimal */
    uint64_t tried[ISO_STEPS]; /* single steps that failed in the last round */

    iso_pool pool[2]; /* of the smallest history and of the next one, in turn */
    int at;
} iso_shrinking;

/* Shrinks a history that passes the test, and sets s->h. hint: by transaction, 1 if it matters; NULL: not known. A
 * limit (ISOLAB_E_LIMIT) ends the search early with the best result so far; other errors are thrown. */
void iso_shrink(iso_env *env, const isolab_history *h, const uint8_t *hint, iso_shrinking *s);
void iso_shrink_free(iso_shrinking *s); /* frees s->h too */

/* Tries every single step on a history. Returns whether all fail; if not, `what` describes the step that succeeded.
 * Fills in s->tried. */
bool iso_shrink_is_minimal(iso_env *env, const isolab_history *h, iso_shrinking *s, char *what, size_t size);

/* Returns the same history with canonical names: sessions A, B, ..., transactions t1, t2, ..., keys x, y, z, k4, ...,
 * values 1, 2, ... and times 1, 2, ... in the order of their occurrence. Of all orders of up to six sessions, it takes
 * the smallest reading. Histories that differ only in names and in the order of sessions become equal (with up to six
 * sessions). */
isolab_history *iso_canonical(iso_pool *pool, const isolab_history *h);

/* Returns a slice of h together with the writes that other transactions made to its keys at the same time: a slice of
 * one transaction is enough to show that it read a wrong value, but not to make a database do so again. NULL: there are
 * none, or no times. */
isolab_history *iso_with_company(iso_pool *pool, const isolab_history *h, const isolab_history *slice);

#endif
