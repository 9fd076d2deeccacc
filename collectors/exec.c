/* Any other client: a program that the user names, one process a session. Each transaction is a line of JSON on its
 * standard input, and its outcome a line on its standard output (docs/record.md):
 *
 *     > {"id":7,"ops":[["r",3],["w",4,17],["append",5,18],["rl",5]]}
 *     < {"status":"committed","reads":[12,[16,18]]}
 *
 * The whole transaction is sent when it commits, so reads are answered late. A client that ends, or does not answer in
 * time, leaves its transaction indeterminate and is started again; an answer that is not one ends the run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "collectors/recording.h"

#define LONGEST ((size_t)64 << 20) /* bytes of an answer */

extern char **environ;

typedef struct connection {
    pid_t pid; /* also its process group; 0: not running */
    int to, from;
    iso_line line;
    uint64_t id;
    uint32_t n_ops;
    iso_cell **cell; /* of the reads, in their order */
    bool *is_list;
    uint32_t n_reads, cell_room, list_room;
    char *answer;
    size_t n, room; /* bytes of it, with what follows its newline */
} connection;

static void open_client(iso_database *db) { snprintf(db->version, sizeof db->version, "protocol 1"); }

static void close_client(iso_database *db) { (void)db; }

/* Starts the program with two pipes, in a process group of its own. Returns 0 or an errno. */
static int start(iso_connection *c, const char *command) {
    connection *l = c->state;
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) {
        return errno;
    }
    if (pipe2(out, O_CLOEXEC) != 0) {
        int why = errno;
        close(in[0]);
        close(in[1]);
        return why;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)command, NULL};
    int code = posix_spawn(&l->pid, "/bin/sh", &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    l->to = in[1];
    l->from = out[0];
    l->pid = code == 0 ? l->pid : 0;
    fcntl(l->to, F_SETFL, O_NONBLOCK);
    return code;
}

static iso_did connect_client(iso_connection *c) {
    connection *l = c->state;
    *l = (connection){.line = {.pool = c->pool}, .to = -1, .from = -1, .id = l->id};
    int code = start(c, iso_arg_text(c->db->args, "command"));
    return code == 0 ? ISO_DONE : iso_because(c, ISO_FAILED, "cannot start the client: %s", strerror(code));
}

static void disconnect(iso_connection *c) {
    connection *l = c->state;
    if (l->to >= 0) {
        close(l->to); /* it should end by itself now */
    }
    if (l->from >= 0) {
        close(l->from);
    }
    l->to = l->from = -1;
    for (int i = 0; l->pid > 0 && i < 100 && waitpid(l->pid, NULL, WNOHANG) == 0; i++) {
        poll(NULL, 0, 10);
        if (i == 50) {
            kill(-l->pid, SIGTERM);
        }
    }
    if (l->pid > 0) {
        kill(-l->pid, SIGKILL);
        waitpid(l->pid, NULL, 0);
    }
    l->pid = 0;
}

static void cancel(iso_connection *c) {
    const connection *l = c->state;
    if (l->pid > 0) {
        kill(-l->pid, SIGTERM);
    }
}

static iso_did begin(iso_connection *c) {
    connection *l = c->state;
    l->line.n = 0;
    l->n_ops = l->n_reads = 0;
    iso_line_text(&l->line, "{\"id\":");
    iso_line_number(&l->line, (int64_t)l->id++);
    iso_line_text(&l->line, ",\"session\":");
    iso_line_number(&l->line, c->session);
    return ISO_DONE;
}

static void add_operation(connection *l, const char *verb, uint32_t key) {
    iso_line_text(&l->line, l->n_ops++ == 0 ? ",\"ops\":[[\"" : "],[\"");
    iso_line_text(&l->line, verb);
    iso_line_text(&l->line, "\",");
    iso_line_number(&l->line, key);
}

static iso_did ask(iso_connection *c, const char *verb, uint32_t key, iso_cell *cell, bool list) {
    connection *l = c->state;
    add_operation(l, verb, key);
    ISO_GROW(c->pool, l->cell, l->n_reads, l->cell_room);
    ISO_GROW(c->pool, l->is_list, l->n_reads, l->list_room);
    l->is_list[l->n_reads] = list;
    l->cell[l->n_reads++] = cell;
    return ISO_DONE;
}

static iso_did read_value(iso_connection *c, uint32_t key, iso_cell *cell) { return ask(c, "r", key, cell, false); }
static iso_did read_list(iso_connection *c, uint32_t key, iso_cell *cell) { return ask(c, "rl", key, cell, true); }

static iso_did change(iso_connection *c, const char *verb, uint32_t key, int64_t value) {
    connection *l = c->state;
    add_operation(l, verb, key);
    iso_line_text(&l->line, ",");
    iso_line_number(&l->line, value);
    return ISO_DONE;
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) { return change(c, "w", key, value); }
static iso_did append(iso_connection *c, uint32_t key, int64_t value) { return change(c, "append", key, value); }

/* Waits until a pipe is ready. false: the deadline has passed. */
static bool ready(int file, short what, int64_t deadline) {
    struct pollfd p = {.fd = file, .events = what};
    int64_t left;
    while ((left = deadline - iso_now()) > 0) {
        if (poll(&p, 1, (int)(left / 1000000) + 1) > 0) {
            return true;
        }
    }
    return false;
}

static iso_did send_line(iso_connection *c, int64_t deadline) {
    connection *l = c->state;
    for (size_t at = 0; at < l->line.n;) {
        ssize_t n = write(l->to, l->line.text + at, l->line.n - at);
        if (n >= 0) {
            at += (size_t)n;
        } else if (errno == EPIPE) {
            return iso_because(c, ISO_LOST, "the client has ended");
        } else if (errno != EINTR && (errno != EAGAIN || !ready(l->to, POLLOUT, deadline))) {
            return iso_because(c, ISO_LOST, "the client does not read what it is sent");
        }
    }
    return ISO_DONE;
}

/* Reads up to a newline. *size: bytes of the line without it. */
static iso_did receive_line(iso_connection *c, int64_t deadline, size_t *size) {
    connection *l = c->state;
    l->n = 0;
    for (;;) {
        while (l->room < l->n + 4096) {
            ISO_GROW(c->pool, l->answer, l->room, l->room);
        }
        if (!ready(l->from, POLLIN, deadline)) {
            return iso_because(c, ISO_LOST, "the client did not answer in time");
        }
        ssize_t n = read(l->from, l->answer + l->n, l->room - l->n);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return iso_because(c, ISO_LOST, "the client has ended");
        }
        char *newline = n > 0 ? memchr(l->answer + l->n, '\n', (size_t)n) : NULL;
        l->n += n > 0 ? (size_t)n : 0;
        if (newline != NULL) {
            *size = (size_t)(newline - l->answer);
            return *size + 1 == l->n
                       ? ISO_DONE
                       : iso_because(c, ISO_FAILED, "the client answered one transaction by more than one line");
        }
        if (l->n > LONGEST) {
            return iso_because(c, ISO_FAILED, "the client's answer has more than %zu bytes", LONGEST);
        }
    }
}

/* Fills a cell in. false: the answer is of another kind. */
static bool take(iso_connection *c, iso_cell *cell, bool list, const json_t *value) {
    cell->n = 0;
    if (!list) {
        cell->value = json_is_integer(value) ? json_integer_value(value) : ISO_NO_VALUE;
        return json_is_integer(value) || json_is_null(value);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *element = json_array_get(value, i);
        if (!json_is_integer(element)) {
            return false;
        }
        iso_cell_add(c, cell, json_integer_value(element));
    }
    return json_is_array(value) || json_is_null(value);
}

static iso_did understand(iso_connection *c, const json_t *answer) {
    connection *l = c->state;
    const char *status = json_string_value(json_object_get(answer, "status"));
    const json_t *reads = json_object_get(answer, "reads"), *error = json_object_get(answer, "error");
    if (status == NULL) {
        return iso_because(c, ISO_FAILED, "has no \"status\"");
    }
    if (strcmp(status, "aborted") == 0) {
        return iso_because(c, ISO_REFUSED, "%s", json_is_string(error) ? json_string_value(error) : "aborted");
    }
    if (strcmp(status, "indeterminate") == 0) {
        return iso_because(c, ISO_LOST, "%s", json_is_string(error) ? json_string_value(error) : "indeterminate");
    }
    if (strcmp(status, "committed") != 0) {
        return iso_because(c, ISO_FAILED, "\"status\" is not committed, aborted or indeterminate");
    }
    if (json_array_size(reads) != l->n_reads) {
        return iso_because(c, ISO_FAILED, "\"reads\" has %zu results, the transaction %u reads", json_array_size(reads),
                           l->n_reads);
    }
    for (uint32_t i = 0; i < l->n_reads; i++) {
        if (!take(c, l->cell[i], l->is_list[i], json_array_get(reads, i))) {
            return iso_because(c, ISO_FAILED, "result %u of \"reads\" is not %s", i + 1,
                               l->is_list[i] ? "an array of integers" : "an integer or null");
        }
    }
    return ISO_DONE;
}

static iso_did run_txn(iso_connection *c, const char *end) {
    connection *l = c->state;
    int64_t deadline = iso_now() + (int64_t)iso_arg_count(c->db->args, "answer-wait") * 1000000;
    size_t size = 0;
    iso_line_text(&l->line, l->n_ops == 0 ? ",\"ops\":[]" : "]]");
    iso_line_text(&l->line, end);
    iso_did did = send_line(c, deadline);
    did = did == ISO_DONE ? receive_line(c, deadline, &size) : did;
    if (did != ISO_DONE) {
        return did;
    }
    json_error_t error;
    json_t *answer = json_loadb(l->answer, size, JSON_REJECT_DUPLICATES, &error);
    did = answer != NULL ? understand(c, answer) : iso_because(c, ISO_FAILED, "is no JSON: %s", error.text);
    json_decref(answer);
    if (did == ISO_FAILED) {
        char why[256];
        snprintf(why, sizeof why, "%s", c->why);
        iso_because(c, did, "session %u: the client's answer \"%.*s\" %.120s", c->session, size < 80 ? (int)size : 80,
                    l->answer, why);
    }
    return did;
}

static iso_did commit(iso_connection *c) { return run_txn(c, "}\n"); }

/* The client is to roll back. Its answer is the same whatever became of that. */
static iso_did give_up(iso_connection *c) {
    iso_did did = run_txn(c, ",\"abort\":true}\n");
    return did == ISO_REFUSED ? ISO_DONE : did;
}

static const iso_offer levels[] = {{"default", "none", "what the client makes of it"}, {NULL, NULL, NULL}};

static const iso_option options[] = {
    {ISO_TEXT("command", NULL, "the program that runs the transactions, as a line of a shell")},
    {ISO_COUNT("answer-wait", "10000", 1, 1e9, "milliseconds in which it must answer a transaction")},
    ISO_END};

const iso_collector iso_collector_exec = {
    .name = "exec",
    .title = "exec",
    .summary = "any client: a program that reads transactions and writes their outcomes, as lines of JSON",
    .levels = levels,
    .options = options,
    .lists = true,
    .late = true,
    .whole = true,
    .needs = "command",
    .connection_size = sizeof(connection),
    .open = open_client,
    .close = close_client,
    .connect = connect_client,
    .disconnect = disconnect,
    .begin = begin,
    .read = read_value,
    .write = write_value,
    .read_list = read_list,
    .append = append,
    .commit = commit,
    .abort = give_up,
    .cancel = cancel,
};
