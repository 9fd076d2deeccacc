/* See apart.h. */
#define _GNU_SOURCE
#include "base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 50 /* interval between two looks at the limits, and so the longest delay of an interrupt */
#define PIECE ((size_t)1 << 16)

/* The exit statuses of the process. DONE: it sent all bytes. THROWN: it sent an error after its bytes. */
enum { DONE, THROWN };

typedef struct apart {
    iso_pool *pool;
    void (*work)(void *arg, FILE *out);
    void *arg;
    FILE *out;
    int pipe[2];
    pid_t pid; /* 0: not started, or already waited for */
    int status;
    char *bytes;
    size_t n, room;
} apart;

/* What the work threw, in the form in which the process sends it. */
typedef struct thrown {
    isolab_error error;
    iso_limit limit;
} thrown;

void iso_apart_send(FILE *out, const void *bytes, size_t n) { fwrite(bytes, 1, n, out); }

static void do_work(void *arg) {
    apart *a = arg;
    a->work(a->arg, a->out);
}

/* Ends the copy of the process without running its exit handlers, so that no buffer is written twice. */
_Noreturn static void be_apart(apart *a) {
    iso_env *env = a->pool->env;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    close(a->pipe[0]);
    a->out = fdopen(a->pipe[1], "w");
    if (a->out == NULL) {
        _exit(ISOLAB_E_IO);
    }
    env->progress = NULL;
    int code = iso_guard(env, do_work, a);
    if (code != ISOLAB_OK) {
        thrown t = {env->error, env->limit};
        iso_apart_send(a->out, &t, sizeof t);
    }
    _exit(fflush(a->out) != 0 ? ISOLAB_E_IO : code != ISOLAB_OK ? THROWN : DONE);
}

static void start(apart *a) {
    iso_env *env = a->pool->env;
    if (pipe2(a->pipe, O_CLOEXEC) != 0) {
        a->pipe[0] = a->pipe[1] = -1;
        iso_throw(env, ISOLAB_E_IO, "cannot make a pipe: %s", strerror(errno));
    }
    a->pid = fork();
    if (a->pid == 0) {
        be_apart(a);
    }
    if (a->pid < 0) {
        a->pid = 0;
        iso_throw(env, ISOLAB_E_IO, "cannot start a process: %s", strerror(errno));
    }
    close(a->pipe[1]);
    a->pipe[1] = -1;
}

static void receive(apart *a) {
    iso_env *env = a->pool->env;
    for (ssize_t got = 1; got != 0;) {
        struct pollfd p = {.fd = a->pipe[0], .events = POLLIN};
        iso_tick_slow(env);
        if (poll(&p, 1, POLL_MS) <= 0) {
            continue;
        }
        if (a->room - a->n < PIECE) {
            a->room = a->room == 0 ? PIECE : 2 * a->room;
            a->bytes = iso_resize(a->pool, a->bytes, a->room, 1);
        }
        got = read(a->pipe[0], a->bytes + a->n, a->room - a->n);
        if (got < 0 && errno != EINTR) {
            iso_throw(env, ISOLAB_E_IO, "cannot read from a process: %s", strerror(errno));
        }
        a->n += got > 0 ? (size_t)got : 0;
    }
    while (waitpid(a->pid, &a->status, 0) < 0 && errno == EINTR) {
    }
    a->pid = 0;
}

/* Throws what the process reported, or why it ended. */
static void judge(apart *a) {
    iso_env *env = a->pool->env;
    thrown t;
    iso_tick_slow(env); /* an interrupt may have reached both processes: report the interrupt, not the killed
                         * process */
    if (WIFEXITED(a->status) && WEXITSTATUS(a->status) == DONE) {
        return;
    }
    if (WIFEXITED(a->status) && WEXITSTATUS(a->status) == THROWN && a->n >= sizeof t) {
        memcpy(&t, a->bytes + a->n - sizeof t, sizeof t);
        env->error = t.error;
        env->limit = t.limit;
        iso_rethrow(env);
    }
    if (WIFSIGNALED(a->status) && WTERMSIG(a->status) == SIGKILL) { /* Linux kills a process this way when memory runs
                                                                     * out */
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "out of memory (a process was killed)");
    }
    iso_throw(env, ISOLAB_E_INTERNAL, "a process ended by %s %d", WIFSIGNALED(a->status) ? "signal" : "status",
              WIFSIGNALED(a->status) ? WTERMSIG(a->status) : WEXITSTATUS(a->status));
}

static void run_apart(void *arg) {
    apart *a = arg;
    start(a);
    receive(a);
    judge(a);
}

char *iso_apart(iso_pool *pool, void (*work)(void *arg, FILE *out), void *arg, size_t *size) {
    apart a = {.pool = pool, .work = work, .arg = arg, .pipe = {-1, -1}};
    int code = iso_guard(pool->env, run_apart, &a);
    for (int i = 0; i < 2; i++) {
        if (a.pipe[i] >= 0) {
            close(a.pipe[i]);
        }
    }
    if (a.pid > 0) {
        kill(a.pid, SIGKILL);
        while (waitpid(a.pid, &a.status, 0) < 0 && errno == EINTR) {
        }
    }
    if (code != ISOLAB_OK) {
        iso_free(pool, a.bytes);
        iso_rethrow(pool->env);
    }
    *size = a.n;
    return a.bytes;
}
