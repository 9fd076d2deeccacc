/* See served.h. */
#define _GNU_SOURCE
#include "experiments/asking/served.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_SIZE 65536 /* limit of an answer, in bytes; a longer one is cut */
#define ERR_SIZE 4096   /* limit of standard error, in bytes */
#define POLL_MS 50      /* limit of a wait */
#define AHEAD 8         /* limit of the questions that a program has without an answer */
#define AHEAD_FAST 64   /* the same for a program whose last answer took less than FAST */
#define FAST 500000     /* ns */
#define MOST 64         /* limit of programs at once */

typedef struct program {
    pid_t pid; /* 0: not running */
    int in, pipe[ISO_PIPES];
    size_t asked[AHEAD_FAST]; /* the numbers of its n_asked questions without an answer, in order */
    size_t n_asked;
    size_t n_told;        /* the number of these questions that were written to its input completely */
    size_t told;          /* the number of bytes of the next question that were written */
    int64_t since;        /* the instant of iso_now() from which the time of the first of these questions counts */
    bool fast;            /* its last answer took less than FAST */
    bool answered;        /* it has answered since it was started */
    char line[LINE_SIZE]; /* its output without the completed answers: line[first .. n_line) */
    char err[ERR_SIZE];   /* the first n_err bytes of its standard error since the last answer */
    size_t first, n_line, n_err;
} program;

struct iso_served {
    iso_job like;
    unsigned at_once;
    program *programs;
};

/* A call of iso_served_ask(). */
typedef struct asking {
    iso_served *s;
    iso_pool *pool;
    const iso_served_question *questions;
    size_t n;        /* number of questions */
    size_t next;     /* the next question that no program has */
    size_t answered; /* number of answers */
    int status;      /* exit status of the jobs of answered questions */
    int64_t timeout; /* limit of an answer that is not a program's first one, in ns; 0 = the limit of the first one */
    iso_job *jobs;
} asking;

/* Returns the limit of a program's next answer, in ns; 0 = none. */
static int64_t limit_of(const asking *a, const program *p) {
    return p->answered && a->timeout != 0 ? a->timeout : a->s->like.timeout;
}

iso_served *iso_served_new(iso_pool *pool, const iso_job *like, unsigned at_once) {
    iso_served *s = ISO_ZNEW(pool, iso_served, 1);
    s->like = *like;
    s->at_once = at_once == 0 ? 1 : at_once > MOST ? MOST : at_once;
    s->programs = ISO_ZNEW(pool, program, s->at_once);
    return s;
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

/* Kills a program with all processes that it started, and returns its status as waitpid() gives it. */
static int end(program *p) {
    int status = 0;
    kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close_all(p);
    p->pid = 0;
    return status;
}

/* Starts a program. Returns false, with errno, if it cannot be started. */
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
    fcntl(p->in, F_SETFL, O_NONBLOCK); /* a program that prints before it reads must not wait for us */
    return true;
}

/* Completes the job of a program's first question without an answer. end, code: how the job ended; size: of the answer,
 * which is next in the output. */
static void answer(asking *a, program *p, iso_job_end end, int code, size_t size) {
    iso_job *job = &a->jobs[p->asked[0]];
    int64_t now = iso_now();
    job->end = end;
    job->code = code;
    job->out = iso_copy_text(a->pool, p->line + p->first, size);
    job->out_size = size;
    job->err = iso_copy_text(a->pool, p->err, end == ISO_JOB_EXITED && code == a->status && size > 0 ? 0 : p->n_err);
    job->err_size = strlen(job->err);
    job->wall = now - p->since;
    p->first += size;
    p->n_err = 0;
    memmove(p->asked, p->asked + 1, --p->n_asked * sizeof *p->asked);
    p->n_told -= p->n_told > 0;
    job->timeout = end == ISO_JOB_TIMED_OUT ? limit_of(a, p) : job->timeout;
    p->fast = job->wall < FAST;
    p->answered = end == ISO_JOB_EXITED;
    p->since = now;
    a->answered++;
}

/* The first question under way has no answer, since the program cannot be started. error: the value of errno. */
static void answer_not_started(asking *a, program *p, int error) {
    iso_job *job = &a->jobs[p->asked[0]];
    snprintf(job->why, sizeof job->why, "%.100s: %s", a->s->like.argv[0], strerror(error));
    answer(a, p, ISO_JOB_NOT_STARTED, 0, 0);
}

/* Writes as many bytes of its questions to a program as its pipe takes. A program that has closed its input gets
 * nothing more: it is noticed when its output is closed, or at its time limit. */
static void write_questions(asking *a, program *p) {
    struct iovec piece[AHEAD_FAST];
    ssize_t n;
    do {
        int n_pieces = 0;
        for (size_t i = p->n_told; i < p->n_asked; i++) {
            const iso_served_question *question = &a->questions[p->asked[i]];
            size_t skip = i == p->n_told ? p->told : 0;
            piece[n_pieces++] = (struct iovec){(char *)(uintptr_t)question->bytes + skip, question->size - skip};
        }
        n = n_pieces > 0 ? writev(p->in, piece, n_pieces) : 0;
        p->told += n > 0 ? (size_t)n : 0;
        for (size_t size; p->n_told < p->n_asked && p->told >= (size = a->questions[p->asked[p->n_told]].size);) {
            p->told -= size;
            p->n_told++;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    if (n < 0 && errno != EAGAIN) {
        p->n_told = p->n_asked;
        p->told = 0;
    }
}

/* Starts a program that is not running; it gets its questions without an answer again. Returns whether it runs. */
static bool is_running(asking *a, program *p) {
    if (p->pid != 0) {
        return true;
    }
    p->first = p->n_line = p->n_err = p->n_told = p->told = 0;
    p->fast = p->answered = false;
    p->since = iso_now();
    return begin(a, p);
}

/* Gives the next question to a program. */
static void ask(asking *a, program *p) {
    size_t question = a->next++;
    p->since = p->n_asked == 0 ? iso_now() : p->since;
    a->jobs[question] = a->s->like;
    p->asked[p->n_asked++] = question;
    if (!is_running(a, p)) {
        answer_not_started(a, p, errno);
    }
}

/* Reads the output of a program. Returns false when it has ended. */
static bool take(program *p) {
    char bytes[4096];
    ssize_t n;
    while ((n = read(p->pipe[ISO_PIPE_ERR], bytes, sizeof bytes)) > 0) {
        size_t fits = (size_t)n < ERR_SIZE - p->n_err ? (size_t)n : ERR_SIZE - p->n_err;
        memcpy(p->err + p->n_err, bytes, fits);
        p->n_err += fits;
    }
    if (p->first > 0) {
        memmove(p->line, p->line + p->first, p->n_line - p->first);
        p->n_line -= p->first;
        p->first = 0;
    }
    n = p->n_line < LINE_SIZE ? read(p->pipe[ISO_PIPE_OUT], p->line + p->n_line, LINE_SIZE - p->n_line) : 1;
    p->n_line += n > 0 && p->n_line < LINE_SIZE ? (size_t)n : 0;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Completes the question at which a program closed its output. Waits up to half a second for the program to end by
 * itself, which shows its exit status, and kills it otherwise. */
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
        answer_not_started(a, p, error);
    } else {
        answer(a, p, WIFSIGNALED(status) ? ISO_JOB_SIGNALLED : ISO_JOB_EXITED,
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), p->n_line - p->first);
    }
}

/* Returns the size of the next whole answer; 0: there is none. */
static size_t answer_size(const program *p) {
    size_t n = p->n_line - p->first;
    const char *newline = memchr(p->line + p->first, '\n', n);
    return newline != NULL ? (size_t)(newline - p->line) + 1 - p->first : n == LINE_SIZE ? n : 0;
}

/* Reads the answers of a program, and ends it if its output has ended or it has reached a limit. */
static void read_answers(asking *a, program *p) {
    const iso_job *like = &a->s->like;
    bool open = take(p);
    for (size_t size; p->n_asked > 0 && (size = answer_size(p)) > 0;) {
        bool early = p->n_told == 0; /* it answers before it has the question: its next answers would be misplaced */
        bool cut = p->line[p->first + size - 1] != '\n'; /* the rest of a cut line would be the next answer */
        answer(a, p, ISO_JOB_EXITED, a->status, size);
        if (early || cut) {
            end(p);
            return;
        }
    }
    if (p->n_asked == 0) {
        p->first = p->n_line = 0; /* lines that answer no question are dropped */
        if (!open) {
            end(p);
        }
    } else if (!open) {
        bury(a, p);
    } else if (limit_of(a, p) != 0 && iso_now() - p->since >= limit_of(a, p)) {
        end(p);
        answer(a, p, ISO_JOB_TIMED_OUT, 0, 0);
    } else if (like->resident != 0 && iso_resident(p->pid) > like->resident) {
        end(p);
        answer(a, p, ISO_JOB_TOO_LARGE, 0, 0);
    }
}

/* Gives each program as many questions as it may have, one in each round, so that every program gets some. */
static void give_questions(asking *a) {
    iso_served *s = a->s;
    for (size_t level = 1; level <= AHEAD_FAST && a->next < a->n; level++) {
        for (unsigned i = 0; i < s->at_once && a->next < a->n; i++) {
            program *p = &s->programs[i];
            if (p->n_asked < level && p->n_asked < (p->fast ? AHEAD_FAST : AHEAD)) {
                ask(a, p);
            }
        }
    }
    for (unsigned i = 0; i < s->at_once; i++) {
        program *p = &s->programs[i];
        while (p->n_asked > 0 && !is_running(a, p)) { /* questions of a program that ended */
            answer_not_started(a, p, errno);
        }
        write_questions(a, p);
    }
}

/* Waits until a program prints or can read more of its questions, or until the next time limit, at most POLL_MS. */
static void await(const asking *a) {
    const iso_served *s = a->s;
    struct pollfd polled[2 * MOST];
    nfds_t n = 0;
    int64_t wait = POLL_MS;
    for (unsigned i = 0; i < s->at_once; i++) {
        const program *p = &s->programs[i];
        if (p->n_asked > 0) {
            polled[n++] = (struct pollfd){.fd = p->pipe[ISO_PIPE_OUT], .events = POLLIN};
            polled[n++] = (struct pollfd){.fd = p->n_told < p->n_asked ? p->in : -1, .events = POLLOUT};
            int64_t limit = limit_of(a, p), left = limit == 0 ? wait : (p->since + limit - iso_now()) / 1000000 + 1;
            wait = left < wait ? (left < 0 ? 0 : left) : wait;
        }
    }
    if (n > 0) {
        poll(polled, n, (int)wait);
    }
}

/* Asks until all questions have answers. */
static void converse(void *arg) {
    asking *a = arg;
    iso_served *s = a->s;
    while (a->answered < a->n) {
        a->pool->env->countdown = 0; /* a turn may be long, so read the clock at the next tick */
        iso_tick(a->pool->env);
        give_questions(a);
        await(a);
        for (unsigned i = 0; i < s->at_once; i++) {
            if (s->programs[i].n_asked > 0) {
                read_answers(a, &s->programs[i]);
            }
        }
    }
}

void iso_served_ask(iso_served *s, iso_pool *pool, const iso_served_question *questions, size_t n, int status,
                    int64_t timeout, iso_job *jobs) {
    asking a = {
        .s = s, .pool = pool, .questions = questions, .n = n, .status = status, .timeout = timeout, .jobs = jobs};
    for (unsigned i = 0; i < s->at_once; i++) {
        s->programs[i].n_asked = s->programs[i].n_told = s->programs[i].told = 0;
    }
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a program that died is noticed by its output */
    int code = iso_guard(pool->env, converse, &a);
    signal(SIGPIPE, before);
    if (code != ISOLAB_OK) {
        iso_served_end(s); /* an answer to an old question would be taken for the answer to a new one */
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
