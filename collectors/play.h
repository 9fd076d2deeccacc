/* Playing a script (script.h) on an open database: each session has a thread and a connection, and the steps are begun
 * in the order of the script. A step that is not answered in time waits for something, a lock as a rule: the script
 * goes on with the other sessions, and the later steps of this session follow when it has been answered.
 *
 * What happened becomes a history: `setup` wrote the first values, and `end` reads the last values. */
#ifndef ISOLAB_COLLECTORS_PLAY_H
#define ISOLAB_COLLECTORS_PLAY_H

#include "collectors/collector.h"
#include "collectors/script.h"
#include "history/history.h"

typedef enum {
    ISO_PLAYED_DONE,    /* it was answered */
    ISO_PLAYED_REFUSED, /* the database aborted the transaction */
    ISO_PLAYED_LOST,    /* no answer */
    ISO_PLAYED_SKIPPED  /* its transaction had ended before */
} iso_played_end;

typedef struct iso_played_step {
    iso_played_end end;
    bool waited; /* it was not answered in time */
    int64_t began, ended;
    iso_cell cell; /* of a read */
    char why[200]; /* the database's words, if it was refused or lost */
} iso_played_step;

typedef struct iso_played {
    iso_played_step *steps; /* one for each step of the script */
    iso_cell *left;         /* by key: its content at the end */
    isolab_history *history;
    bool waited, refused; /* some step waited; some transaction was refused or lost */
} iso_played;

/* Plays a script on a database. Its keys are first_key, first_key + 1, ..., which have no values: other keys than those
 * of the plays before, so that no play sees a late write of another one. wait: ns after which an unanswered step counts
 * as waiting. The result is in the pool. Throws ISOLAB_E_IO if a session cannot connect, or if a call fails that no
 * transaction can cause. */
void iso_play(iso_pool *pool, iso_database *db, const iso_script *script, uint32_t first_key, int64_t wait,
              iso_played *played);

/* Prints what a read returned: ` = 5`, ` = none`, or ` = [1 2]`. */
void iso_played_print(FILE *out, const iso_script *script, const iso_cell *cell);

#endif
