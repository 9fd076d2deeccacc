/* Scripts: schedules of steps of several sessions, to be played on a database (play.h). Isolation tests are written in
 * this form (docs/scripts.md):
 *
 *     script lost-update: two sessions read a value, and both change it
 *     forbids si
 *     setup x 10
 *     A begin
 *     B begin
 *     A read x
 *     B read x
 *     A write x 11
 *     B write x 12
 *     A commit
 *     B commit
 *
 * A line is a step: a session, and what it does. `setup` gives keys their values before; without one they have none.
 * `forbids` names the weakest level that forbids what the script tries. Several scripts may follow one another; #
 * begins a comment. */
#ifndef ISOLAB_COLLECTORS_SCRIPT_H
#define ISOLAB_COLLECTORS_SCRIPT_H

#include <stdio.h>

#include "base/env.h"
#include "history/history.h"
#include "history/level.h"

typedef enum {
    ISO_STEP_BEGIN,
    ISO_STEP_READ,
    ISO_STEP_WRITE,
    ISO_STEP_APPEND,
    ISO_STEP_COMMIT,
    ISO_STEP_ABORT
} iso_step_kind;

typedef struct iso_step {
    iso_step_kind kind;
    uint32_t session, key;
    int64_t value;
    uint64_t line;
} iso_step;

enum { ISO_SCRIPT_SESSIONS = 16, ISO_SCRIPT_KEYS = 64 };

typedef struct iso_script {
    const char *name, *summary;
    iso_level forbids; /* ISO_NO_LEVEL: not said */
    const char *session[ISO_SCRIPT_SESSIONS], *key[ISO_SCRIPT_KEYS];
    int64_t initial[ISO_SCRIPT_KEYS]; /* ISO_NO_VALUE: none */
    uint32_t n_sessions, n_keys;
    bool lists;
    iso_step *steps;
    uint32_t n, room;
    struct iso_script *next;
} iso_script;

/* Returns the scripts of a text, in the pool; the names stay in the text's copy. Throws ISOLAB_E_INPUT with the
 * line. */
iso_script *iso_script_parse(iso_pool *pool, const char *text);

/* The same for a file, which errors name. */
iso_script *iso_script_read(iso_pool *pool, const char *path);

/* Prints a script, as iso_script_parse() reads it. */
void iso_script_print(FILE *out, const iso_script *s);

/* Returns scripts that try to do again what a small history did, the most likely one first (derive.c): the same steps
 * in other orders. Throws ISOLAB_E_USAGE if the history is too large. */
iso_script *iso_script_of(iso_pool *pool, const isolab_history *h);

/* Returns the word of a kind of step. */
const char *iso_step_word(iso_step_kind kind);

/* The scripts that come with isolab (schedules.c). */
extern const char iso_schedules[];

#endif
