/* Running programs. See process.h. */
#define _GNU_SOURCE
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP ((size_t)1 << 20)
#define POLL_MS 50 /* the longest delay of an interrupt */

enum { OUT = ISO_PIPE_OUT, ERR = ISO_PIPE_ERR, FAIL = ISO_PIPE_FAIL, PIPES = ISO_PIPES };

/* A running job. */
typedef struct child {
    iso_job *job;
    pid_t pid;
    int pidfd; /* -1: not supported by the system, so the child is polled */
    int pipe[PIPES];
    size_t room[2];
    int64_t began;
    bool late, large;
} child;

typedef struct runner {
    iso_pool *pool;
    iso_job *jobs;
    size_t n, next;
    unsigned at_once, n_children;
    child *children;
    struct pollfd *polled;
} runner;

static void close_fd(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

static void not_started(iso_job *job, int error) {
    job->end = ISO_JOB_NOT_STARTED;
    snprintf(job->why, sizeof job->why, "%.100s: %s", job->argv[0], strerror(error));
}

/* Turns the child process into the program. Nothing here allocates. in: its standard input; -1: empty. data_limit: the
 * limit of its data (RLIMIT_DATA) without the one that isolab sets for itself; 0: as it is. */
static _Noreturn void become(const iso_job *job, int in, const int *pipes, char *const *environment,
                             uint64_t data_limit) {
    setpgid(0, 0);
    bool good =
        job->run_as == 0 || (setgroups(1, &job->group) == 0 && setgid(job->group) == 0 && setuid(job->run_as) == 0);
    prctl(PR_SET_PDEATHSIG, job->death != 0 ? job->death : SIGKILL); /* a change of account clears it */
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &plain, NULL);
    sigaction(SIGINT, &plain, NULL);
    sigaction(SIGTERM, &plain, NULL);
    in = in >= 0 ? in : open(job->input != NULL ? job->input : "/dev/null", O_RDONLY);
    int log = job->log == NULL ? -1 : open(job->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    good = good && in >= 0 && (job->log == NULL || log >= 0) && dup2(in, STDIN_FILENO) >= 0 &&
           dup2(log >= 0 ? log : pipes[OUT], STDOUT_FILENO) >= 0 &&
           dup2(log >= 0 ? log : pipes[ERR], STDERR_FILENO) >= 0 && (job->folder == NULL || chdir(job->folder) == 0);
    struct rlimit none = {0, 0}, most = {job->memory, job->memory}, data;
    setrlimit(RLIMIT_CORE, &none);
    if (data_limit != 0 && getrlimit(RLIMIT_DATA, &data) == 0) {
        data.rlim_cur = data_limit;
        setrlimit(RLIMIT_DATA, &data);
    }
    good = good && (job->memory == 0 || setrlimit(RLIMIT_AS, &most) == 0);
    if (job->core > 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (unsigned i = 0; i < (job->cores == 0 ? 1 : job->cores); i++) {
            CPU_SET((size_t)job->core - 1 + i, &set);
        }
        good = good && sched_setaffinity(0, sizeof set, &set) == 0;
    }
    if (good) {
        execve(job->argv[0], (char *const *)(uintptr_t)job->argv, environment);
    }
    int error = errno;
    ssize_t written = write(pipes[FAIL], &error, sizeof error);
    _exit(written == (ssize_t)sizeof error ? 127 : 126);
}

/* Returns our environment with the job's additions. */
static char **environment_of(iso_pool *pool, const iso_job *job) {
    size_t ours = 0, more = 0;
    while (environ[ours] != NULL) {
        ours++;
    }
    while (job->environment != NULL && job->environment[more] != NULL) {
        more++;
    }
    char **all = ISO_NEW(pool, char *, ours + more + 1);
    size_t n = 0;
    for (size_t i = 0; i < more; i++) {
        all[n++] = (char *)(uintptr_t)job->environment[i];
    }
    for (size_t i = 0; i < ours; i++) {
        size_t name = strcspn(environ[i], "=") + 1;
        bool hidden = false;
        for (size_t k = 0; k < more; k++) {
            hidden |= strncmp(environ[i], job->environment[k], name) == 0;
        }
        if (!hidden) {
            all[n++] = environ[i];
        }
    }
    all[n] = NULL;
    return all;
}

pid_t iso_job_fork(iso_pool *pool, const iso_job *job, int in, int pipes[ISO_PIPES]) {
    char **environment = environment_of(pool, job);
    int ends[PIPES][2];
    for (int p = 0; p < PIPES; p++) {
        if (pipe2(ends[p], O_CLOEXEC) != 0) {
            while (p-- > 0) {
                close(ends[p][0]);
                close(ends[p][1]);
            }
            return -1;
        }
    }
    int its[PIPES] = {ends[OUT][1], ends[ERR][1], ends[FAIL][1]};
    /* vfork() does not copy the tables of our memory, which is half of the time that a small program takes. become()
     * writes nothing that we read; but a change of the account would reach our own threads. */
    pid_t pid = job->run_as == 0 ? vfork() : fork();
    if (pid == 0) {
        become(job, in, its, environment, pool->env->limits->data_outside);
    }
    int error = errno;
    for (int p = 0; p < PIPES; p++) {
        close(its[p]);
        pipes[p] = ends[p][0];
        fcntl(pipes[p], F_SETFL, O_NONBLOCK);
    }
    if (pid < 0) {
        for (int p = 0; p < PIPES; p++) {
            close_fd(&pipes[p]);
        }
        errno = error;
        return -1;
    }
    setpgid(pid, pid); /* the child also does this; the first one succeeds */
    return pid;
}

static void start(runner *r, iso_job *job) {
    job->out = iso_zalloc(r->pool, 1, 1);
    job->err = iso_zalloc(r->pool, 1, 1);
    job->out_size = job->err_size = 0;
    job->cut = false;
    job->peak_tree = 0;
    job->why[0] = '\0';
    child *c = &r->children[r->n_children];
    *c = (child){.job = job, .pidfd = -1, .began = iso_now()};
    c->pid = iso_job_fork(r->pool, job, -1, c->pipe);
    if (c->pid < 0) {
        not_started(job, errno);
        return;
    }
    c->pidfd = pidfd_open(c->pid, 0);
    r->n_children++;
}

/* Reads from a pipe, and closes it at its end. */
static void take(runner *r, child *c, int which) {
    iso_job *job = c->job;
    char **text = which == OUT ? &job->out : &job->err;
    size_t *size = which == OUT ? &job->out_size : &job->err_size, keep = job->keep == 0 ? KEEP : job->keep;
    char bytes[1 << 14];
    for (ssize_t got; c->pipe[which] >= 0;) {
        got = read(c->pipe[which], bytes, sizeof bytes);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (got <= 0) {
            close_fd(&c->pipe[which]);
            return;
        }
        size_t fits = keep - *size < (size_t)got ? keep - *size : (size_t)got;
        job->cut |= fits < (size_t)got;
        if (*size + fits + 1 > c->room[which]) {
            c->room[which] = 2 * (*size + fits + 1);
            *text = iso_resize(r->pool, *text, c->room[which], 1);
        }
        memcpy(*text + *size, bytes, fits);
        *size += fits;
        (*text)[*size] = '\0';
        if (*size == keep && fits < (size_t)got) {
            return; /* much output: let other jobs have their turn */
        }
    }
}

static int64_t ns_of(struct timeval t) { return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000; }

/* Returns whether the process has ended; if so, completes its job. */
static bool reap(runner *r, child *c) {
    int status;
    struct rusage used;
    pid_t got = wait4(c->pid, &status, WNOHANG, &used);
    if (got == 0 || (got < 0 && errno == EINTR)) {
        return false;
    }
    iso_job *job = c->job;
    job->wall = iso_now() - c->began;
    kill(-c->pid, SIGKILL); /* kills its remaining children: the group exists as long as it has members */
    take(r, c, OUT);
    take(r, c, ERR);
    job->user = ns_of(used.ru_utime);
    job->system = ns_of(used.ru_stime);
    job->peak = (uint64_t)used.ru_maxrss * 1024;
    int error;
    if (read(c->pipe[FAIL], &error, sizeof error) == (ssize_t)sizeof error) {
        not_started(job, error);
    } else if (c->late) {
        job->end = ISO_JOB_TIMED_OUT;
        job->code = 0;
    } else if (c->large) {
        job->end = ISO_JOB_TOO_LARGE;
        job->code = 0;
    } else {
        job->end = WIFSIGNALED(status) ? ISO_JOB_SIGNALLED : ISO_JOB_EXITED;
        job->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    for (int p = 0; p < PIPES; p++) {
        close_fd(&c->pipe[p]);
    }
    close_fd(&c->pidfd);
    return true;
}

static uint64_t resident_of(pid_t pid) {
    char path[48];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *in = fopen(path, "re");
    if (in != NULL) {
        pages = fscanf(in, "%*u %llu", &pages) == 1 ? pages : 0;
        fclose(in);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

#define MOST_DESCENDANTS 64

/* Appends the processes that a process started. */
static void add_children(pid_t pid, pid_t *all, size_t *n) {
    char path[320];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *threads = opendir(path);
    for (struct dirent *e; threads != NULL && (e = readdir(threads)) != NULL;) {
        snprintf(path, sizeof path, "/proc/%ld/task/%s/children", (long)pid, e->d_name);
        FILE *in = e->d_name[0] != '.' ? fopen(path, "re") : NULL;
        for (long its; in != NULL && *n < MOST_DESCENDANTS && fscanf(in, "%ld", &its) == 1;) {
            all[(*n)++] = (pid_t)its;
        }
        if (in != NULL) {
            fclose(in);
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
}

uint64_t iso_resident(pid_t pid) {
    pid_t all[MOST_DESCENDANTS] = {pid};
    uint64_t bytes = 0;
    for (size_t i = 0, n = 1; i < n; i++) {
        bytes += resident_of(all[i]);
        add_children(all[i], all, &n);
    }
    return bytes;
}

/* Looks at the memory of a job that has a limit of resident bytes, and ends it when it has more. */
static void weigh(child *c) {
    uint64_t resident = c->job->resident != 0 && !c->late && !c->large ? iso_resident(c->pid) : 0;
    c->job->peak_tree = resident > c->job->peak_tree ? resident : c->job->peak_tree;
    if (resident > c->job->resident) {
        c->large = true;
        kill(-c->pid, SIGKILL);
    }
}

/* Waits until something happens, or for a short time. */
static void wait_for_news(runner *r) {
    nfds_t n = 0;
    int64_t now = iso_now(), wait = (int64_t)POLL_MS * 1000000;
    for (unsigned i = 0; i < r->n_children; i++) {
        child *c = &r->children[i];
        int fds[3] = {c->pipe[OUT], c->pipe[ERR], c->pidfd};
        for (int f = 0; f < 3; f++) {
            r->polled[n++] = (struct pollfd){.fd = fds[f], .events = POLLIN}; /* poll() ignores -1 */
        }
        int64_t left = c->job->timeout == 0 ? wait : c->began + c->job->timeout - now;
        left = c->pidfd < 0 && left > 1000000 ? 1000000 : left;
        wait = left < wait ? (left < 0 ? 0 : left) : wait;
    }
    poll(r->polled, n, (int)((wait + 999999) / 1000000));
}

static void run_all_jobs(void *arg) {
    runner *r = arg;
    while (r->next < r->n || r->n_children > 0) {
        r->pool->env->countdown = 0; /* a turn may be long, so read the clock at the next tick */
        iso_tick(r->pool->env);
        while (r->next < r->n && r->n_children < r->at_once) {
            start(r, &r->jobs[r->next++]);
        }
        if (r->n_children == 0) {
            continue;
        }
        wait_for_news(r);
        int64_t now = iso_now();
        for (unsigned i = 0; i < r->n_children;) {
            child *c = &r->children[i];
            take(r, c, OUT);
            take(r, c, ERR);
            if (c->job->meanwhile != NULL) {
                c->job->meanwhile(c->job->meanwhile_arg);
            }
            if (!c->late && c->job->timeout != 0 && now - c->began >= c->job->timeout) {
                c->late = true;
                kill(-c->pid, SIGKILL);
            }
            weigh(c);
            if (reap(r, c)) {
                r->children[i] = r->children[--r->n_children];
            } else {
                i++;
            }
        }
    }
}

void iso_run_jobs(iso_pool *pool, iso_job *jobs, size_t n, unsigned at_once) {
    at_once = at_once == 0 ? 1 : at_once > 256 ? 256 : at_once;
    runner r = {.pool = pool, .jobs = jobs, .n = n, .at_once = at_once};
    r.children = ISO_NEW(pool, child, at_once);
    r.polled = ISO_NEW(pool, struct pollfd, 3 * (size_t)at_once);
    if (iso_guard(pool->env, run_all_jobs, &r) != ISOLAB_OK) {
        for (unsigned i = 0; i < r.n_children; i++) {
            child *c = &r.children[i];
            kill(-c->pid, SIGKILL);
            while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {
            }
            for (int p = 0; p < PIPES; p++) {
                close_fd(&c->pipe[p]);
            }
            close_fd(&c->pidfd);
        }
        iso_rethrow(pool->env);
    }
}

const char *iso_absolute_path(iso_pool *pool, const char *path) {
    char here[PATH_MAX];
    if (path[0] == '/' || getcwd(here, sizeof here) == NULL) {
        return path;
    }
    return iso_format_text(pool, "%s/%s", here, path);
}

const char *iso_find_program(iso_pool *pool, const char *name) {
    if (strchr(name, '/') != NULL) {
        return access(name, X_OK) == 0 ? iso_absolute_path(pool, name) : NULL;
    }
    const char *path = getenv("PATH");
    for (const char *at = path; at != NULL && *name != '\0';) {
        size_t n = strcspn(at, ":");
        char *full = iso_format_text(pool, "%.*s/%s", n == 0 ? 1 : (int)n, n == 0 ? "." : at, name);
        if (access(full, X_OK) == 0) {
            return iso_absolute_path(pool, full);
        }
        iso_free(pool, full);
        at = at[n] == ':' ? at + n + 1 : NULL;
    }
    return NULL;
}

const char *iso_own_program(iso_pool *pool) {
    char *path = iso_alloc(pool, PATH_MAX + 1, 1);
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    if (n <= 0) {
        iso_throw(pool->env, ISOLAB_E_IO, "cannot find this program: %s", strerror(errno));
    }
    path[n] = '\0';
    return path;
}

const char *iso_program_beside(iso_pool *pool, const char *name) {
    char folder[PATH_MAX];
    return iso_format_text(pool, "%s/%s", iso_file_folder(folder, iso_own_program(pool)), name);
}
