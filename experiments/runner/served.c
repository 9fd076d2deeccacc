/* See served.h. */
#define _GNU_SOURCE
#include "experiments/runner/served.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_SIZE 65536 /* of an answer; what is longer is cut */
#define ERR_SIZE 4096
#define POLL_MS 50
#define AHEAD 8 /* questions that a program is told before it has answered, so that it need not wait for the next one */

typedef struct program {
    pid_t pid; /* 0: not running */
    int in, pipe[ISO_PIPES];
    size_t asked[AHEAD]; /* the questions that it was told and has not answered, in their order */
    size_t n_asked;
    int64_t since;                       /* the first of them is under way */
    char line[LINE_SIZE], err[ERR_SIZE]; /* of the answer so far; the beginning of its complaints */
    size_t n_line, n_err;
} program;

struct iso_served {
    iso_job like;
    unsigned at_once;
    program *programs;
};

/* The questions of one call. */
typedef struct asking {
    iso_served *s;
    iso_pool *pool;
    const char *const *files;
    size_t n, next, answered;
    int status;
    iso_job *jobs;
} asking;

iso_served *iso_served_new(iso_pool *pool, const iso_job *like, unsigned at_once) {
    iso_served *s = ISO_ZNEW(pool, iso_served, 1);
    s->like = *like;
    s->at_once = at_once == 0 ? 1 : at_once > 64 ? 64 : at_once;
    s->programs = ISO_ZNEW(pool, program, s->at_once);
    return s;
}

static char *kept(iso_pool *pool, const char *text, size_t n) {
    char *copy = iso_zalloc(pool, n + 1, 1);
    memcpy(copy, text, n);
    return copy;
}

static void close_all(program *p) {
    int *all[] = {&p->in, &p->pipe[ISO_PIPE_OUT], &p->pipe[ISO_PIPE_ERR], &p->pipe[ISO_PIPE_FAIL]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i] >= 0) {
            close(*all[i]);
        }
        *all[i] = -1;
    }
}

/* Ends it, with all that it started, and returns how it ended. */
static int end(program *p) {
    int status = 0;
    kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close_all(p);
    p->pid = 0;
    return status;
}

static bool begin(asking *a, program *p) {
    int in[2];
    if (pipe2(in, O_CLOEXEC) != 0) {
        return false;
    }
    p->pid = iso_job_fork(a->pool, &a->s->like, in[0], p->pipe);
    int error = errno;
    close(in[0]);
    p->in = in[1];
    if (p->pid < 0) {
        close(p->in);
        p->pid = 0;
        errno = error;
        return false;
    }
    return true;
}

/* The first question under way has its answer, the first `size` bytes of the output. */
static void answer(asking *a, program *p, iso_job_end end, int code, size_t size) {
    iso_job *job = &a->jobs[p->asked[0]];
    job->end = end;
    job->code = code;
    job->out = kept(a->pool, p->line, size);
    job->out_size = size;
    job->err = kept(a->pool, p->err, end == ISO_JOB_EXITED && code == a->status && size > 0 ? 0 : p->n_err);
    job->err_size = strlen(job->err);
    job->wall = iso_now() - p->since;
    memmove(p->line, p->line + size, p->n_line - size);
    p->n_line -= size;
    p->n_err = 0;
    memmove(p->asked, p->asked + 1, --p->n_asked * sizeof *p->asked);
    p->since = iso_now();
    a->answered++;
}

/* Writes the path of a question. A program that has ended is found by its closed output. */
static void tell(asking *a, program *p, size_t question) {
    char line[4200]; /* shorter than a pipe, so it is written at once */
    size_t length = (size_t)snprintf(line, sizeof line, "%.4096s\n", a->files[question]), done = 0;
    while (done < length) {
        ssize_t n = write(p->in, line + done, length - done);
        if (n < 0 && errno != EINTR) {
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
}

/* Starts a program that is not running, and tells it again what it has not answered. */
static bool is_running(asking *a, program *p) {
    if (p->pid != 0) {
        return true;
    }
    p->n_line = p->n_err = 0;
    if (!begin(a, p)) {
        return false;
    }
    for (size_t i = 0; i < p->n_asked; i++) {
        tell(a, p, p->asked[i]);
    }
    p->since = iso_now();
    return true;
}

/* One more question. */
static void ask(asking *a, program *p) {
    size_t question = a->next++;
    p->since = p->n_asked == 0 ? iso_now() : p->since;
    a->jobs[question] = a->s->like;
    p->asked[p->n_asked++] = question;
    if (p->pid != 0) {
        tell(a, p, question);
    } else if (!is_running(a, p)) {
        iso_job *job = &a->jobs[p->asked[0]];
        snprintf(job->why, sizeof job->why, "%.100s: %s", a->s->like.argv[0], strerror(errno));
        answer(a, p, ISO_JOB_NOT_STARTED, 0, 0);
    }
}

/* Takes what it printed. Returns false when its output has ended. */
static bool take(program *p) {
    char bytes[4096];
    ssize_t n;
    while ((n = read(p->pipe[ISO_PIPE_ERR], bytes, sizeof bytes)) > 0) {
        size_t fits = (size_t)n < ERR_SIZE - p->n_err ? (size_t)n : ERR_SIZE - p->n_err;
        memcpy(p->err + p->n_err, bytes, fits);
        p->n_err += fits;
    }
    n = p->n_line < LINE_SIZE ? read(p->pipe[ISO_PIPE_OUT], p->line + p->n_line, LINE_SIZE - p->n_line) : 1;
    p->n_line += n > 0 && p->n_line < LINE_SIZE ? (size_t)n : 0;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Its output has ended: it usually ends at once. */
static void bury(asking *a, program *p) {
    int error = 0, status;
    bool failed = read(p->pipe[ISO_PIPE_FAIL], &error, sizeof error) == (ssize_t)sizeof error;
    siginfo_t info = {0};
    for (int tries = 0;
         tries < 50 && (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid == 0);
         tries++) {
        poll(NULL, 0, 10);
    }
    status = end(p);
    if (failed) {
        iso_job *job = &a->jobs[p->asked[0]];
        snprintf(job->why, sizeof job->why, "%.100s: %s", a->s->like.argv[0], strerror(error));
        answer(a, p, ISO_JOB_NOT_STARTED, 0, 0);
    } else {
        answer(a, p, WIFSIGNALED(status) ? ISO_JOB_SIGNALLED : ISO_JOB_EXITED,
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), p->n_line);
    }
}

static void read_answers(asking *a, program *p) {
    const iso_job *like = &a->s->like;
    bool open = take(p);
    for (const char *newline; p->n_asked > 0 && p->n_line > 0 &&
                              ((newline = memchr(p->line, '\n', p->n_line)) != NULL || p->n_line == LINE_SIZE);) {
        answer(a, p, ISO_JOB_EXITED, a->status, newline != NULL ? (size_t)(newline - p->line) + 1 : p->n_line);
    }
    if (p->n_asked == 0) {
        p->n_line = open ? 0 : p->n_line; /* more lines than questions are dropped */
        if (!open) {
            end(p);
        }
    } else if (!open) {
        bury(a, p);
    } else if (like->timeout != 0 && iso_now() - p->since >= like->timeout) {
        end(p);
        answer(a, p, ISO_JOB_TIMED_OUT, 0, 0);
    } else if (like->resident != 0 && iso_resident(p->pid) > like->resident) {
        end(p);
        answer(a, p, ISO_JOB_TOO_LARGE, 0, 0);
    }
}

/* Gives each program as many questions as it may have, one after the other, so that all have some. */
static void give_questions(asking *a) {
    iso_served *s = a->s;
    for (size_t level = 1; level <= AHEAD; level++) {
        for (unsigned i = 0; i < s->at_once && a->next < a->n; i++) {
            if (s->programs[i].n_asked < level) {
                ask(a, &s->programs[i]);
            }
        }
    }
    for (unsigned i = 0; i < s->at_once; i++) { /* what one that ended has left open */
        program *p = &s->programs[i];
        while (p->n_asked > 0 && !is_running(a, p)) {
            answer(a, p, ISO_JOB_NOT_STARTED, 0, 0);
        }
    }
}

static void converse(void *arg) {
    asking *a = arg;
    iso_served *s = a->s;
    struct pollfd polled[64];
    while (a->answered < a->n) {
        a->pool->env->countdown = 0; /* a turn may be long, so read the clock at the next tick */
        iso_tick(a->pool->env);
        give_questions(a);
        nfds_t n = 0;
        int64_t wait = POLL_MS;
        for (unsigned i = 0; i < s->at_once; i++) {
            program *p = &s->programs[i];
            if (p->n_asked > 0) {
                polled[n++] = (struct pollfd){.fd = p->pipe[ISO_PIPE_OUT], .events = POLLIN};
                int64_t left = s->like.timeout == 0 ? wait : (p->since + s->like.timeout - iso_now()) / 1000000 + 1;
                wait = left < wait ? (left < 0 ? 0 : left) : wait;
            }
        }
        for (int64_t until = iso_now() + wait * 1000000; n > 0 && wait > 0 && poll(polled, n, 0) == 0;) {
            wait = (until - iso_now()) / 1000000;
            if (s->like.idle == NULL || !s->like.idle(s->like.idle_arg)) {
                poll(polled, n, wait < 0 ? 0 : (int)wait);
                break;
            }
        }
        for (unsigned i = 0; i < s->at_once; i++) {
            if (s->programs[i].n_asked > 0) {
                read_answers(a, &s->programs[i]);
            }
        }
    }
}

void iso_served_ask(iso_served *s, iso_pool *pool, const char *const *files, size_t n, int status, iso_job *jobs) {
    asking a = {.s = s, .pool = pool, .files = files, .n = n, .status = status, .jobs = jobs};
    for (unsigned i = 0; i < s->at_once; i++) {
        s->programs[i].n_asked = 0;
    }
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a program that died is noticed by its output */
    int code = iso_guard(pool->env, converse, &a);
    signal(SIGPIPE, before);
    if (code != ISOLAB_OK) {
        iso_served_end(s); /* what is under way would be taken for the next answer */
        iso_rethrow(pool->env);
    }
}

void iso_served_end(iso_served *s) {
    for (unsigned i = 0; s != NULL && i < s->at_once; i++) {
        if (s->programs[i].pid != 0) {
            end(&s->programs[i]);
        }
    }
}
