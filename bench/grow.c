/* See grow.h. */
#include "bench/grow.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "generators/generator.h"

static _Noreturn void usage(const char *program, const iso_option *table, const char *wrong, const char *why) {
    fprintf(stderr, "%s: %s%s%s\nusage: %s", program, wrong, *why != '\0' ? ": " : "", why, program);
    for (; table->name != NULL; table++) {
        fprintf(stderr, " [--%s %s]", table->name, iso_option_argument(table));
    }
    fputc('\n', stderr);
    exit(ISOLAB_E_USAGE);
}

void grow_options(const char *program, const iso_option *table, void *values, int argc, char **argv) {
    char why[256];
    iso_option_defaults(table, values);
    for (int i = 1; i < argc; i += 2) {
        const char *name = strncmp(argv[i], "--", 2) == 0 ? argv[i] + 2 : "";
        const iso_option *o = iso_option_find(table, name, strlen(name));
        if (o == NULL || i + 1 == argc) {
            usage(program, table, argv[i], o == NULL ? "no such option" : "expected a value");
        }
        if (!iso_option_set(o, argv[i + 1], values, why, sizeof why)) {
            usage(program, table, argv[i], why);
        }
    }
}

isolab_history *grow_history(iso_pool *pool, const char *generator, const char *words, ...) {
    enum { ROOM = 256 };
    char *text = ISO_NEW(pool, char, ROOM), *rest = text; /* the arguments point there */
    va_list list;
    va_start(list, words);
    int length = vsnprintf(text, ROOM, words, list);
    va_end(list);
    if (length < 0 || length >= ROOM) {
        iso_throw(pool->env, ISOLAB_E_INTERNAL, "too many arguments of a generator: %s", words);
    }
    const iso_generator *g = iso_generator_find(generator);
    iso_args args;
    iso_generator_args(g, pool, &args);
    for (char *name = strtok_r(text, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        iso_args_set(&args, name, strtok_r(NULL, " ", &rest));
    }
    iso_builder *b = iso_builder_new(pool);
    iso_generator_run(g, &args, b);
    return iso_builder_finish(b);
}

double grow_cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

grow_time grow_check(iso_env *env, const iso_checker *checker, const isolab_history *h, const iso_question *question,
                     uint64_t repeat) {
    grow_time t = {.ms = INFINITY};
    for (uint64_t i = 0; i < repeat; i++) {
        iso_pool pool;
        iso_result result;
        iso_pool_init(&pool, env);
        iso_result_init(&result, &pool);
        uint64_t before = atomic_load(&env->limits->used);
        atomic_store(&env->limits->peak, before);
        double begin = grow_cpu_ms();
        iso_check(checker, h, question, &result);
        t.ms = fmin(t.ms, grow_cpu_ms() - begin);
        t.megabytes = (double)(atomic_load(&env->limits->peak) - before) / 1e6;
        t.verdict = result.verdict;
        if (result.verdict == ISOLAB_UNKNOWN) {
            iso_throw(env, ISOLAB_E_LIMIT, "%s: %s", checker->name, result.reason);
        }
        iso_pool_free(&pool);
    }
    return t;
}

/* Starts gnuplot, which draws to a file by its extension: .pdf, .png, else SVG; in pixels. NULL: it cannot be started.
 * pclose() ends it. */
static FILE *start_gnuplot(const char *path, unsigned width, unsigned height) {
    const char *dot = strrchr(path, '.');
    signal(SIGPIPE, SIG_IGN);
    FILE *out = popen("gnuplot 2>/dev/null", "w");
    if (out == NULL) {
        return NULL;
    }
    if (dot != NULL && strcmp(dot, ".pdf") == 0) {
        fprintf(out, "set terminal pdfcairo size %ucm,%ucm enhanced\n", width / 50, height / 50);
    } else {
        bool png = dot != NULL && strcmp(dot, ".png") == 0;
        fprintf(out, "set terminal %s size %u,%u enhanced\n", png ? "pngcairo" : "svg dynamic", width, height);
    }
    fprintf(out, "set output '%s'\nset border 3\nset tics nomirror\nset grid back lt 1 lw 0.6 lc rgb '#cccccc'\n",
            path);
    return out;
}
