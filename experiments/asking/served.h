/* A persistent program: it reads many questions, each a path or a history, and answers each with a verdict. So the time
 * of a start is spent once and not for each history. docs/referee.md says what the program has to do.
 *
 * A program gets some questions before it has answered earlier ones, so that it never waits. It answers in order, so
 * the question at which it crashes is known. A program that is late or too large is killed, and started again with the
 * next question. */
#ifndef ISOLAB_EXPERIMENTS_ASKING_SERVED_H
#define ISOLAB_EXPERIMENTS_ASKING_SERVED_H

#include "base/process.h"

typedef struct iso_served iso_served;

/* A question: bytes for the standard input of a program. */
typedef struct iso_served_question {
    const char *bytes;
    size_t size;
} iso_served_question;

/* Returns up to `at_once` programs of the same kind, none of which runs yet. like: their argv, environment, folder and
 * limits, whose memory must live as long as the result. */
iso_served *iso_served_new(iso_pool *pool, const iso_job *like, unsigned at_once);

/* Asks n questions. jobs[i] becomes a job that printed the answer to question i and exited with status `status`, or
 * that ended as the program did. The text of the jobs is in the pool. timeout: limit of an answer, in ns, if the
 * program has answered since its start; 0 = the limit of `like`, as for its first answer. Throws ISOLAB_E_LIMIT as
 * iso_run_jobs() does. */
void iso_served_ask(iso_served *s, iso_pool *pool, const iso_served_question *questions, size_t n, int status,
                    int64_t timeout, iso_job *jobs);

/* Kills the programs that run; NULL is ignored. */
void iso_served_end(iso_served *s);

#endif
