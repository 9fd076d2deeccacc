/* `make bench`: the floor, loading and checking one history, as whole processes in one run, interleaved so that a
 * busy moment of the machine hits all alike. Prints the median and the least wall time of each, the median of
 * processor time (that of all threads together), both medians as multiples of the floor's, and peak resident
 * memory.
 *
 *     bench [--repeat N] [--brief NAME] [-- OPTIONS OF workload]
 *
 * --brief: one line, for a table of shapes: the floor, and processor time of checking as multiples of it.
 *
 * The history lives in a temporary folder, which is removed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_REPEATS = 99, MOST_WORDS = 48 };
enum {
    FLOOR = 1,
    TEXT,
    ILB,
    RC,
    RA,
    CC,
    RC_ILB,
    RC_2,
    EDN = RC_2 + 3,
    EDN_LISTS,
    FAN,
    FAN_PLUME,
    TEXT_2,
    ALL_FEW,
    ALL_MANY,
    TWO_THREADS = RC_2 - RC
}; /* contests, by number */

typedef struct contest {
    const char *name;
    const char *words[12];
    double ms[MOST_REPEATS], cpu_ms[MOST_REPEATS], infer_ms[MOST_REPEATS];
    long peak_kib;
    double megabytes; /* of the input, where they are shown */
    bool failed;
} contest;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Runs a program to its end. Exit statuses 0 to 2 are verdicts. */
static bool run_program(const char *const *words, const char *out, double *ms, double *cpu_ms, long *peak_kib) {
    double begin = now_ms();
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0 && dup2(fd, 1) >= 0) {
            execv(words[0], (char *const *)(uintptr_t)words);
        }
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
        return false;
    }
    *ms = now_ms() - begin;
    *cpu_ms = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
              (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
    *peak_kib = usage.ru_maxrss > *peak_kib ? usage.ru_maxrss : *peak_kib;
    return WIFEXITED(status) && WEXITSTATUS(status) <= 2;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static char *path_of(const char *folder, const char *name) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        exit(70);
    }
    return path;
}

static void print_contests(const contest *contests, int n, int repeat) {
    const contest *base_line = &contests[FLOOR];
    int middle = repeat / 2;
    printf("%-22s %10s %10s %8s %10s %8s %10s\n", "whole process", "median ms", "least ms", "x floor", "cpu ms",
           "x floor", "peak MiB");
    for (int i = 0; i < n; i++) {
        const contest *c = &contests[i];
        double median = c->ms[middle], cpu_median = c->cpu_ms[middle];
        if (c->failed) {
            printf("%-22s %10s\n", c->name, "failed");
        } else {
            printf("%-22s %10.1f %10.1f %8.2f %10.1f %8.2f %10.1f\n", c->name, median, c->ms[0],
                   median / base_line->ms[middle], cpu_median, cpu_median / base_line->cpu_ms[middle],
                   (double)c->peak_kib / 1024);
        }
    }
    for (int i = RC - 1; i <= CC; i++) {
        const contest *c = &contests[i < RC ? TEXT : i], *two = &contests[i < RC ? TEXT_2 : i + TWO_THREADS];
        if (!c->failed && !two->failed) {
            printf("%s: two threads take %.2f times as long as one\n", c->name, two->ms[middle] / c->ms[middle]);
        }
    }
    for (int i = EDN; i <= EDN_LISTS; i++) {
        if (!contests[i].failed) {
            printf("%s: %.0f MB in a second of processor time\n", contests[i].name,
                   contests[i].megabytes / contests[i].cpu_ms[middle] * 1e3);
        }
    }
    if (!contests[CC].failed) {
        const contest *c = &contests[CC];
        printf("check cc: the inference takes %.1f ms (least %.1f), %.2f times the floor\n", c->infer_ms[middle],
               c->infer_ms[0], c->infer_ms[middle] / base_line->ms[middle]);
    }
    if (!contests[ALL_MANY].failed) {
        printf("--all prints eight times as many instances in %.2f times the memory\n",
               (double)contests[ALL_MANY].peak_kib / (double)contests[ALL_FEW].peak_kib);
    }
    if (!contests[ILB].failed && !contests[TEXT].failed) {
        printf(".ilb loads %.1f times as fast as the text\n", contests[TEXT].ms[middle] / contests[ILB].ms[middle]);
    }
}

static void report_briefly(const char *name, const contest *contests, int repeat) {
    const contest *base_line = &contests[FLOOR];
    int middle = repeat / 2;
    printf("%-34s %9.1f", name, base_line->cpu_ms[middle]);
    for (int i = RC; i <= CC; i++) {
        const contest *c = &contests[i];
        if (c->failed) {
            printf(" %8s %7s", "failed", "");
        } else {
            printf(" %8.2f %7.0f", c->cpu_ms[middle] / base_line->cpu_ms[middle], (double)c->peak_kib / 1024);
        }
    }
    putchar('\n');
}

static double megabytes(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size / 1e6 : 0;
}

/* Writes a history, as isolab text, that violates rc-plume: a transaction reads one key from each of `n` writers in
 * some sessions, after keys of all of them. */
static bool write_fan(const char *path, int n, int sessions) {
    FILE *out = fopen(path, "w");
    for (int i = 0; out != NULL && i < n; i++) {
        fprintf(out, "session %d\nt%d commit: w x %d, w y%d 1\n", i % sessions, i, i + 1, i);
    }
    for (int i = 0; out != NULL && i < 2 * n; i++) {
        fprintf(out, i == 0 ? "session r\nr commit: r y%d 1" : i < n ? ", r y%d 1" : ", r x %d", i < n ? i : i - n + 1);
    }
    return out != NULL && fputc('\n', out) != EOF && fclose(out) == 0;
}

/* Returns the milliseconds that a check says it spent with inference, as JSON; 0: it does not say. */
static double inference(const char *log) {
    static char text[1 << 14];
    FILE *in = fopen(log, "r");
    size_t n = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0;
    text[n] = '\0';
    if (in != NULL) {
        fclose(in);
    }
    double ms = 0;
    for (const char *at = strstr(text, "\"infer by "); at != NULL; at = strstr(at + 1, "\"infer by ")) {
        const char *colon = strchr(at, ':');
        ms += colon != NULL ? strtod(colon + 1, NULL) : 0;
    }
    return ms;
}

/* Runs all contests in turn, `repeat` times; brief: the floor and rc, ra and cc alone. */
static void hold(contest *contests, int n, int repeat, bool brief, const char *log) {
    for (int r = 0; r < repeat; r++) {
        for (int i = 0; i < n; i++) {
            contest *c = &contests[i];
            if (!brief || i == FLOOR || (i >= RC && i <= CC)) {
                c->failed = c->failed || !run_program(c->words, log, &c->ms[r], &c->cpu_ms[r], &c->peak_kib);
                c->infer_ms[r] = i == CC ? inference(log) : 0;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        qsort(contests[i].ms, (size_t)repeat, sizeof(double), by_value);
        qsort(contests[i].cpu_ms, (size_t)repeat, sizeof(double), by_value);
        qsort(contests[i].infer_ms, (size_t)repeat, sizeof(double), by_value);
    }
}

/* The files of the temporary folder. */
typedef struct files {
    char *folder, *text, *binary, *edn, *lists, *fan, *narrow, *few, *many, *log;
    bool made, has_binary, has_edn, has_lists, has_fan, has_all;
} files;

/* Writes the history of a random graph. Twice as many nodes have eight times as many triangles, and so instances. */
static bool reduce(const char *isolab, const char *nodes, const char *path, const char *log) {
    const char *words[] = {isolab, "reduce", "triangle",       "--family", "gnp", "--nodes", nodes,
                           "--p",  ".5",     "--construction", "ra2",      "-o",  path,      NULL};
    double ms, cpu;
    long peak = 0;
    return run_program(words, log, &ms, &cpu, &peak);
}

/* Makes the history by the words of a command, and, unless brief, all that is made of it. */
static files make_files(char *folder, const char *programs, const char *const *words, bool brief) {
    files f = {.folder = folder,
               .text = path_of(folder, "history.plume"),
               .binary = path_of(folder, "history.ilb"),
               .edn = path_of(folder, "history.edn"),
               .lists = path_of(folder, "lists.edn"),
               .fan = path_of(folder, "fan.txt"),
               .narrow = path_of(folder, "narrow.txt"),
               .few = path_of(folder, "few.ilb"),
               .many = path_of(folder, "many.ilb"),
               .log = path_of(folder, "log")};
    const char *load = path_of(programs, "load"), *isolab = path_of(programs, "../isolab");
    const char *to_ilb[] = {load, "--to", "ilb", f.binary, f.text, NULL};
    const char *to_edn[] = {load, "--to", "elle", f.edn, f.text, NULL};
    const char *lists[] = {isolab, "generate", "list-append", "--txns", "300000", "--times",
                           "yes",  "--to",     "elle",        "-o",     f.lists,  NULL};
    double ms, cpu;
    long peak = 0;
    f.made = run_program(words, f.text, &ms, &cpu, &peak);
    if (f.made && !brief) {
        f.has_binary = run_program(to_ilb, f.log, &ms, &cpu, &peak);
        f.has_edn = run_program(to_edn, f.log, &ms, &cpu, &peak);
        f.has_lists = run_program(lists, f.log, &ms, &cpu, &peak);
        f.has_fan = write_fan(f.fan, 20000, 20000) && write_fan(f.narrow, 20000, 1);
        f.has_all = reduce(isolab, "80", f.few, f.log) && reduce(isolab, "160", f.many, f.log);
    }
    return f;
}

static void remove_files(const files *f) {
    const char *const all[] = {f->text, f->binary, f->edn, f->lists, f->fan, f->narrow, f->few, f->many, f->log};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unlink(all[i]);
    }
    rmdir(f->folder);
}

/* Leaves out the contests on files that could not be made. */
static void leave_out(contest *contests, const files *f) {
    contests[ILB].failed = contests[RC_ILB].failed = !f->has_binary;
    contests[EDN].failed = !f->has_edn;
    contests[EDN_LISTS].failed = !f->has_lists;
    contests[FAN].failed = contests[FAN_PLUME].failed = !f->has_fan;
    contests[ALL_FEW].failed = contests[ALL_MANY].failed = !f->has_all;
}

int main(int argc, char **argv) {
    int repeat = 5, at = 1;
    const char *brief = NULL;
    for (; at + 1 < argc && (strcmp(argv[at], "--repeat") == 0 || strcmp(argv[at], "--brief") == 0); at += 2) {
        if (strcmp(argv[at], "--brief") == 0) {
            brief = argv[at + 1];
        } else {
            repeat = atoi(argv[at + 1]);
        }
    }
    if (repeat < 1 || repeat > MOST_REPEATS || (at < argc && strcmp(argv[at], "--") != 0)) {
        fprintf(stderr, "usage: bench [--repeat N] [--brief NAME] [-- OPTIONS OF workload]\n");
        return 64;
    }
    char *programs = strdup(argv[0]);
    char *slash = strrchr(programs, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    const char *base = getenv("TMPDIR");
    char *folder = path_of(base == NULL ? "/tmp" : base, "isolab-bench-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        perror("bench: temporary folder");
        return 74;
    }
    const char *words[MOST_WORDS] = {path_of(programs, "workload")};
    for (int i = at + 1, n = 1; i < argc && n + 1 < MOST_WORDS; i++) {
        words[n++] = argv[i];
    }
    files f = make_files(folder, programs, words, brief != NULL);
    const char *load = path_of(programs, "load"), *isolab = path_of(programs, "../isolab");
    const char *floor = path_of(programs, "floor");
    contest contests[] = {
        {.name = "floor: parse alone", .words = {floor, "--parse", f.text}},
        {.name = "floor: parse and join", .words = {floor, f.text}},
        {.name = "load text", .words = {load, f.text}},
        {.name = "load .ilb", .words = {load, f.binary}},
        {.name = "check rc", .words = {isolab, "check", "-l", "rc", f.text}},
        {.name = "check ra", .words = {isolab, "check", "-l", "ra", f.text}},
        {.name = "check cc", .words = {isolab, "check", "-l", "cc", "--json", "--no-digest", f.text}},
        {.name = "check rc, .ilb", .words = {isolab, "check", "-l", "rc", f.binary}},
        {.name = "check rc, 2 threads", .words = {isolab, "check", "-l", "rc", "--threads", "2", f.text}},
        {.name = "check ra, 2 threads", .words = {isolab, "check", "-l", "ra", "--threads", "2", f.text}},
        {.name = "check cc, 2 threads", .words = {isolab, "check", "-l", "cc", "--threads", "2", f.text}},
        {.name = "load EDN", .words = {load, f.edn}, .megabytes = megabytes(f.edn)},
        {.name = "load EDN of lists", .words = {load, f.lists}, .megabytes = megabytes(f.lists)},
        {.name = "rc-plume, one key", .words = {isolab, "check", "-l", "rc-plume", f.fan}},
        {.name = "rc-plume by plume", .words = {isolab, "check", "-l", "rc-plume", "-c", "plume", f.narrow}},
        {.name = "load text, 2 threads", .words = {load, "--threads", "2", f.text}},
        {.name = "--all, 80 nodes",
         .words = {isolab, "check", "-l", "ra", "-c", "plume", "--all", "--limit", "0", f.few}},
        {.name = "--all, 160 nodes",
         .words = {isolab, "check", "-l", "ra", "-c", "plume", "--all", "--limit", "0", f.many}},
    };
    int n = (int)(sizeof contests / sizeof contests[0]);
    leave_out(contests, &f);
    if (f.made) {
        hold(contests, n, repeat, brief != NULL, f.log);
    }
    if (f.made && brief != NULL) {
        report_briefly(brief, contests, repeat);
    } else if (f.made) {
        print_contests(contests, n, repeat);
    }
    remove_files(&f);
    return f.made ? 0 : 1;
}
