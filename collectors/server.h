/* Private servers: the programs of a database, in a temporary folder and on loopback ports.
 *
 *     iso_server *s = iso_server_new(pool, "redis", "redis", NULL);
 *     unsigned port = iso_server_port(s);
 *     unsigned it = iso_server_start(s, (const char *[]){"/usr/bin/redis-server", ..., NULL}, SIGTERM);
 *     iso_server_await(s, it, answers, &port, "Redis");
 *     ...
 *     iso_server_end(s);
 *
 * A keeper, a process that only waits, ends the programs and removes the folder: in iso_server_end(), and also when
 * this process ends in any other way, a crash included. Start servers before threads, and from the main thread: a
 * program gets a signal when the thread that started it ends. Errors are thrown in the environment of the pool. */
#ifndef ISOLAB_COLLECTORS_SERVER_H
#define ISOLAB_COLLECTORS_SERVER_H

#include "base/env.h"

typedef struct iso_server iso_server;

#define ISO_FAULT_PAUSE INT64_C(1000000000) /* ns for which a fault stops a program */

/* Makes the folder, in another one (NULL: $TMPDIR or /tmp), and starts its keeper. account: if this process is root,
 * the folder belongs to this account and the programs run as it, since several servers refuse root; where it does not
 * exist, as an account without rights. */
iso_server *iso_server_new(iso_pool *pool, const char *name, const char *account, const char *in);

/* Returns the path of the folder. */
const char *iso_server_folder(const iso_server *s);

/* Returns a path in the folder, of the pool. */
const char *iso_server_path(const iso_server *s, const char *name);

/* Returns a free port of 127.0.0.1, another one at each call. */
unsigned iso_server_port(iso_server *s);

/* Returns the path of a program in the PATH or in a folder that matches `places` (a pattern of glob(), of which the
 * last match counts; NULL: none). Throws ISOLAB_E_USAGE with the package to install if there is none. */
const char *iso_server_program(iso_pool *pool, const char *name, const char *places, const char *package);

/* Runs a program to its end, in the folder. Throws ISOLAB_E_IO with the last line that it printed if it fails. */
void iso_server_run(iso_server *s, const char *const *argv);

/* Starts a program that stays, in the folder, with its output in the file `log`. Returns its number. signal: the one
 * that ends it. */
unsigned iso_server_start(iso_server *s, const char *const *argv, int signal);

/* Waits until ready(arg), asked every 20 ms. Throws ISOLAB_E_IO with the last line of the log if the program ends, or
 * if it is not ready after a minute. what: the name for the message. */
void iso_server_await(iso_server *s, unsigned number, bool (*ready)(void *arg), void *arg, const char *what);

/* Faults. Sends a signal to a program (SIGKILL, SIGSTOP, SIGCONT). After its death iso_server_again() starts it again,
 * and returns when it has been started: wait for it by iso_server_await(). */
void iso_server_signal(iso_server *s, unsigned number, int signal);
void iso_server_again(iso_server *s, unsigned number);

/* A fault by its name: `pause` stops the program for ISO_FAULT_PAUSE; `kill` kills it, starts it again, for
 * some seconds also when it ends at its start, and waits as iso_server_await() does. */
void iso_server_fault(iso_server *s, unsigned number, const char *fault, bool (*ready)(void *arg), void *arg,
                      const char *what);

/* Ends the programs and removes the folder. NULL is ignored. */
void iso_server_end(iso_server *s);

#endif
