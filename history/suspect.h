/* Known mistakes of tests that make a correct database look wrong. Each is recognized by a sign in the history that a
 * database hardly gives by itself. A sign is no proof: it says what to look at before the database is blamed, and
 * changes no verdict. docs/record.md lists the signs. Clocks that run backwards are the subject of clock.h. */
#ifndef ISOLAB_HISTORY_SUSPECT_H
#define ISOLAB_HISTORY_SUSPECT_H

#include "history/history.h"

typedef enum {
    ISO_SUSPECT_REPEATED,  /* few values among many are written twice */
    ISO_SUSPECT_LEFT_OVER, /* keys that begin with values that no transaction wrote */
    ISO_SUSPECT_EARLY,     /* a value is read by a transaction that had ended before the value's writer began */
    ISO_SUSPECT_TIMEOUT,   /* a value of an aborted transaction is read by one that began after the abort */
    ISO_SUSPECT_HALF,      /* of a transaction one write is read and another one is never read, but missed */
    ISO_SUSPECT_SHARED,    /* transactions of one session overlap in time */
    ISO_SUSPECT_SPLIT,     /* transactions of two sessions alternate and never overlap in time */
    ISO_SUSPECT_FORGETS,   /* a server was killed that does not keep what it answered */
    ISO_SUSPECTS
} iso_suspect_kind;

/* The pair of the line `about` (about.h) by which a recorder says that the configuration may lose commits when its
 * server is killed. A kill is a note `kill`. */
#define ISO_ABOUT_FORGETS "kill may-lose-commits"

/* One mistake: how often its sign was found, and the first place. */
typedef struct iso_suspicion {
    uint64_t places; /* 0: not suspected */
    uint32_t a, b;   /* transactions of the first place, in the order of its sentence; ISO_NONE: only one, or none */
    uint32_t key;    /* ISO_NONE: of no key */
} iso_suspicion;

typedef struct iso_suspects {
    iso_suspicion of[ISO_SUSPECTS];
    uint32_t n; /* number of mistakes that are suspected */
} iso_suspects;

/* O(n) for n operations and elements of lists, and O(s log s) for s sessions. */
iso_suspects iso_find_suspects(iso_pool *scratch, const isolab_history *h);

/* The name of a mistake for programs (`timeout-as-abort`), and what to do, a sentence without its final dot. */
const char *iso_suspect_name(iso_suspect_kind kind);
const char *iso_suspect_advice(iso_suspect_kind kind);

/* Writes the sign with its first place: a sentence without its final dot. Returns buffer. */
#define ISO_SUSPECT_SIZE (4 * ISO_NAME_SIZE + 300)
const char *iso_suspect_text(const isolab_history *h, const iso_suspects *s, iso_suspect_kind kind,
                             char buffer[ISO_SUSPECT_SIZE]);

#endif
