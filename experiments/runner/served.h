/* A program that stays and is asked many questions: a path, or a history itself, in; a verdict out. So a start is paid
 * once, and not for each history. docs/referee.md says what the program has to do.
 *
 * A program is told some questions ahead, so that it never waits; it answers them in their order, so the one at which
 * it dies is known. It is ended when it is late or too large, and started again with the next question. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_SERVED_H
#define ISOLAB_EXPERIMENTS_RUNNER_SERVED_H

#include "base/process.h"

typedef struct iso_served iso_served;

/* What a program is told: bytes for its standard input. */
typedef struct iso_served_question {
    const char *bytes;
    size_t size;
} iso_served_question;

/* Nothing is started yet. like: argv, environment, folder and limits, which must live as long as it does; at_once: how
 * many programs may run. */
iso_served *iso_served_new(iso_pool *pool, const iso_job *like, unsigned at_once);

/* Asks n questions. jobs[i] is completed as one that printed its answer and ended with status `status`, or as the
 * program ended. What they hold is of the pool given here. Throws ISOLAB_E_LIMIT as iso_run_jobs() does. timeout: of an
 * answer of a program that has answered before, in ns; 0: as for its first one, which may take the time of like. */
void iso_served_ask(iso_served *s, iso_pool *pool, const iso_served_question *questions, size_t n, int status,
                    int64_t timeout, iso_job *jobs);

/* Ends all of its programs. */
void iso_served_end(iso_served *s);

#endif
