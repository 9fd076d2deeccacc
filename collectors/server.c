/* Private servers. See server.h. */
#define _GNU_SOURCE
#include "collectors/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/print.h"
#include "base/process.h"

enum { PROGRAMS = 16, PORTS = 32, READY_SECONDS = 60, AGAIN_SECONDS = 20, END_MS = 5000, POLL_NS = 20000000 };

typedef struct program {
    const char *const *argv;
    pid_t pid; /* 0: it does not run */
    int signal;
} program;

/* What the keeper is told: a program, and the signal that ends it; pid < 0: this program has ended. */
typedef struct word {
    pid_t pid;
    int signal;
} word;

struct iso_server {
    iso_pool *pool;
    char *folder;
    const char *environment[2]; /* temporary files of the programs are in the folder, too */
    uid_t user;                 /* 0: ours */
    gid_t group;
    int to_keeper;
    pid_t keeper;
    program programs[PROGRAMS];
    unsigned n, n_ports, ports[PORTS];
};

/* ---- the keeper ---- */

/* Returns whether a process is there and more than a dead child that its parent has not waited for yet. */
static bool lives(pid_t pid) {
    char path[40], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool some = read(fd, text, sizeof text - 1) > 0;
    close(fd);
    const char *name_end = strrchr(text, ')');
    return some && name_end != NULL && name_end[1] == ' ' && name_end[2] != 'Z' && name_end[2] != 'X';
}

/* The same as end_program() where the system has no descriptors of processes. */
static void end_by_number(const word *w) {
    kill(w->pid, SIGCONT);
    kill(w->pid, w->signal);
    for (int ms = 0; lives(w->pid); ms += 10) {
        if (ms >= END_MS) {
            kill(-w->pid, SIGKILL);
            kill(w->pid, SIGKILL);
            return;
        }
        poll(NULL, 0, 10);
    }
}

/* Ends a program: by its signal, or after some time by SIGKILL. It is the child of another process, so it is watched by
 * a descriptor. */
static void end_program(const word *w) {
    int fd = pidfd_open(w->pid, 0);
    if (fd < 0) {
        if (errno != ESRCH) {
            end_by_number(w);
        }
        return;
    }
    pidfd_send_signal(fd, SIGCONT, NULL, 0);
    pidfd_send_signal(fd, w->signal, NULL, 0);
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    if (poll(&ended, 1, END_MS) <= 0) {
        kill(-w->pid, SIGKILL);
        pidfd_send_signal(fd, SIGKILL, NULL, 0);
        poll(&ended, 1, END_MS);
    }
    close(fd);
}

/* Waits until the pipe is closed, by iso_server_end() or by the end of the process, and then tidies up. */
static _Noreturn void keep(int from, const char *folder) {
    word known[PROGRAMS] = {{0, 0}}, w;
    unsigned n = 0;
    setsid();
    for (int s = 1; s < 32; s++) {
        signal(s, SIG_IGN);
    }
    /* No descriptor of ours may keep a pipe of our parent from ending. */
    for (int fd = 0; fd < 1024; fd++) {
        if (fd != from) {
            close(fd);
        }
    }
    for (ssize_t got; (got = read(from, &w, sizeof w)) != 0;) {
        if (got < 0 && errno != EINTR) {
            break;
        }
        if (got != (ssize_t)sizeof w) {
            continue;
        }
        for (unsigned i = 0; i < n; i++) {
            if (known[i].pid == -w.pid) {
                known[i] = known[--n];
            }
        }
        if (w.pid > 0 && n < PROGRAMS) {
            known[n++] = w;
        }
    }
    while (n > 0) {
        end_program(&known[--n]);
    }
    iso_remove_folder(folder);
    _exit(0);
}

static void tell(iso_server *s, pid_t pid, int signal) {
    word w = {pid, signal};
    if (write(s->to_keeper, &w, sizeof w) != (ssize_t)sizeof w) {
        iso_throw(s->pool->env, ISOLAB_E_IO, "the keeper of %s has ended: %s", s->folder, strerror(errno));
    }
}

/* ---- a server ---- */

static void find_account(iso_server *s, const char *account) {
    if (geteuid() != 0 || account == NULL) {
        return;
    }
    const struct passwd *who = getpwnam(account);
    who = who != NULL ? who : getpwuid(65534); /* the account without rights of every Linux */
    if (who == NULL) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "no account %s to run the server as, which refuses root", account);
    }
    s->user = who->pw_uid;
    s->group = who->pw_gid;
}

iso_server *iso_server_new(iso_pool *pool, const char *name, const char *account, const char *in) {
    iso_server *s = ISO_ZNEW(pool, iso_server, 1);
    s->pool = pool;
    find_account(s, account);
    s->folder = iso_temporary_folder(pool, name, in != NULL ? iso_absolute_path(pool, in) : NULL);
    int ends[2] = {-1, -1};
    bool good = (s->user == 0 || chown(s->folder, s->user, s->group) == 0) && pipe2(ends, O_CLOEXEC) == 0;
    s->keeper = good ? fork() : -1;
    if (s->keeper == 0) {
        keep(ends[0], s->folder);
    }
    int error = errno;
    if (ends[0] >= 0) {
        close(ends[0]);
    }
    s->to_keeper = ends[1];
    if (s->keeper < 0) {
        close(ends[1]);
        iso_remove_folder(s->folder);
        iso_throw_file(pool->env, ISOLAB_E_IO, s->folder, "%s", strerror(error));
    }
    s->environment[0] = iso_format_text(pool, "TMPDIR=%s", s->folder);
    return s;
}

const char *iso_server_folder(const iso_server *s) { return s->folder; }

const char *iso_server_path(const iso_server *s, const char *name) {
    return iso_format_text(s->pool, "%s/%s", s->folder, name);
}

static unsigned free_port(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good =
        fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 && getsockname(fd, (struct sockaddr *)&at, &size) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return good ? ntohs(at.sin_port) : 0;
}

unsigned iso_server_port(iso_server *s) {
    for (unsigned tries = 0; s->n_ports < PORTS && tries < 10 * PORTS; tries++) {
        unsigned port = free_port();
        bool fresh = port != 0;
        for (unsigned i = 0; i < s->n_ports; i++) {
            fresh &= s->ports[i] != port;
        }
        if (fresh) {
            s->ports[s->n_ports++] = port;
            return port;
        }
    }
    iso_throw(s->pool->env, ISOLAB_E_IO, "no free port on 127.0.0.1");
}

const char *iso_server_program(iso_pool *pool, const char *name, const char *places, const char *package) {
    glob_t found;
    const char *path = NULL;
    char pattern[512];
    if (places != NULL && snprintf(pattern, sizeof pattern, "%s/%s", places, name) < (int)sizeof pattern &&
        glob(pattern, 0, NULL, &found) == 0) {
        const char *last = found.gl_pathv[found.gl_pathc - 1];
        path = iso_copy_text(pool, last, strlen(last));
        globfree(&found);
    }
    path = path != NULL ? path : iso_find_program(pool, name);
    if (path == NULL) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "no program %s: apt-get install %s", name, package);
    }
    return path;
}

/* ---- its programs ---- */

/* Returns the last line of a text that says something, at most 200 bytes of it. */
static const char *last_line(iso_pool *pool, const char *text) {
    size_t end = strlen(text);
    while (end > 0 && strchr("\n\r \t", text[end - 1]) != NULL) {
        end--;
    }
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n' && end - start < 200) {
        start--;
    }
    return iso_copy_text(pool, text + start, end - start);
}

void iso_server_run(iso_server *s, const char *const *argv) {
    iso_job job = {
        .argv = argv, .environment = s->environment, .folder = s->folder, .run_as = s->user, .group = s->group};
    iso_run_jobs(s->pool, &job, 1, 1);
    if (job.end != ISO_JOB_EXITED || job.code != 0) {
        iso_throw(s->pool->env, ISOLAB_E_IO, "%s failed: %s", argv[0],
                  job.end == ISO_JOB_NOT_STARTED ? job.why : last_line(s->pool, *job.err != '\0' ? job.err : job.out));
    }
}

static const char *log_of(const iso_server *s) { return iso_server_path(s, "log"); }

static void start(iso_server *s, program *p) {
    iso_job job = {.argv = p->argv,
                   .environment = s->environment,
                   .folder = s->folder,
                   .run_as = s->user,
                   .group = s->group,
                   .death = p->signal,
                   .log = log_of(s)};
    int pipes[ISO_PIPES];
    p->pid = iso_job_fork(s->pool, &job, -1, pipes);
    if (p->pid < 0) {
        p->pid = 0;
        iso_throw(s->pool->env, ISOLAB_E_IO, "%s: %s", p->argv[0], strerror(errno));
    }
    for (int i = 0; i < ISO_PIPES; i++) {
        close(pipes[i]);
    }
    tell(s, p->pid, p->signal);
}

unsigned iso_server_start(iso_server *s, const char *const *argv, int signal) {
    if (s->n == PROGRAMS) {
        iso_throw(s->pool->env, ISOLAB_E_LIMIT, "more than %d programs of one server", PROGRAMS);
    }
    size_t words = 0;
    while (argv[words] != NULL) {
        words++;
    }
    const char **copy = iso_alloc(s->pool, words + 1, sizeof *copy);
    memcpy(copy, argv, (words + 1) * sizeof *copy);
    program *p = &s->programs[s->n];
    *p = (program){.argv = copy, .signal = signal};
    start(s, p);
    return s->n++;
}

/* Returns whether a program has ended, and then takes note of it. */
static bool has_ended(iso_server *s, program *p, int options) {
    int status;
    if (p->pid != 0 && waitpid(p->pid, &status, options) == p->pid) {
        kill(-p->pid, SIGKILL); /* its remaining children */
        pid_t pid = p->pid;
        p->pid = 0;
        tell(s, -pid, 0);
    }
    return p->pid == 0;
}

static _Noreturn void not_ready(iso_server *s, const char *what, const char *why) {
    size_t n;
    const char *log = iso_file_content(s->pool, log_of(s), &n);
    iso_throw(s->pool->env, ISOLAB_E_IO, "%s %s: %s", what, why,
              log != NULL && n > 0 ? last_line(s->pool, log) : "it wrote no log");
}

static void doze(iso_server *s) {
    s->pool->env->countdown = 0;
    iso_tick(s->pool->env);
    nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

/* Returns whether a program gets ready; false: it has ended. Throws if the time is over. */
static bool gets_ready(iso_server *s, unsigned number, bool (*ready)(void *arg), void *arg, const char *what,
                       int64_t until) {
    while (!ready(arg)) {
        if (has_ended(s, &s->programs[number], WNOHANG)) {
            return false;
        }
        if (iso_now() > until) {
            not_ready(s, what, "did not get ready in a minute");
        }
        doze(s);
    }
    return true;
}

void iso_server_await(iso_server *s, unsigned number, bool (*ready)(void *arg), void *arg, const char *what) {
    if (!gets_ready(s, number, ready, arg, what, iso_now() + READY_SECONDS * INT64_C(1000000000))) {
        not_ready(s, what, "ended at its start");
    }
}

void iso_server_signal(iso_server *s, unsigned number, int signal) {
    program *p = &s->programs[number];
    if (p->pid != 0) {
        kill(p->pid, signal);
    }
}

void iso_server_again(iso_server *s, unsigned number) {
    program *p = &s->programs[number];
    has_ended(s, p, 0);
    start(s, p);
}

/* Stops a program for some time (SIGSTOP, then SIGCONT). */
static void pause_program(iso_server *s, unsigned number, int64_t ns) {
    iso_server_signal(s, number, SIGSTOP);
    nanosleep(&(struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)}, NULL);
    iso_server_signal(s, number, SIGCONT);
}

void iso_server_fault(iso_server *s, unsigned number, const char *fault, bool (*ready)(void *arg), void *arg,
                      const char *what) {
    if (strcmp(fault, "pause") == 0) {
        pause_program(s, number, ISO_FAULT_PAUSE);
        return;
    }
    iso_server_signal(s, number, SIGKILL);
    int64_t now = iso_now(), ready_until = now + READY_SECONDS * INT64_C(1000000000),
            again_until = now + AGAIN_SECONDS * INT64_C(1000000000);
    do { /* processes of the killed server may still hold its memory and files, until they see its death */
        doze(s);
        iso_server_again(s, number);
        if (gets_ready(s, number, ready, arg, what, ready_until)) {
            return;
        }
    } while (iso_now() < again_until);
    not_ready(s, what, "ended at its start");
}

void iso_server_end(iso_server *s) {
    if (s == NULL || s->keeper == 0) {
        return;
    }
    close(s->to_keeper);
    while (waitpid(s->keeper, NULL, 0) < 0 && errno == EINTR) {
    }
    for (unsigned i = 0; i < s->n; i++) {
        if (s->programs[i].pid != 0) {
            waitpid(s->programs[i].pid, NULL, 0);
        }
    }
    iso_remove_folder(s->folder); /* the keeper has done it, unless it was killed */
    s->keeper = 0;
}
