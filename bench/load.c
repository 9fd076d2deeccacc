/* Loads a history as any command would, and prints what it holds: the whole of isolab before a checker runs.
 *
 *     load FILE                    load --threads N FILE
 *     load --to FORMAT OUT FILE    also writes it */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/format.h"

typedef struct loading {
    iso_pool *pool;
    const char *path, *to, *out;
    unsigned threads;
} loading;

/* The processor time of this thread. It does all that threads do not divide and its part of the rest, so it says on a
 * busy machine, too, how much sooner several threads would be done on one processor each. */
static double thread_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void load_file(void *arg) {
    loading *l = arg;
    int64_t begin = iso_now();
    double cpu = thread_ms();
    isolab_history *h = iso_load_as(l->pool, l->path, NULL, &(const iso_reading){.threads = l->threads});
    printf("%" PRIu32 " transactions, %" PRIu32 " operations, %" PRIu32 " versions, unique %d; %.1f ms, %.1f of the "
           "main thread's processor time, at most %.1f MiB\n",
           h->n_txns, h->n_ops, h->n_versions, h->unique, (double)(iso_now() - begin) / 1e6, thread_ms() - cpu,
           (double)l->pool->env->limits->peak / 1048576.0);
    if (l->to != NULL) {
        FILE *out = fopen(l->out, "wb");
        const iso_format *format = iso_format_find(l->to);
        if (out == NULL || format == NULL) {
            iso_throw(l->pool->env, ISOLAB_E_USAGE, "cannot write %s as %s", l->out, l->to);
        }
        iso_sink sink = {.pool = l->pool, .path = l->out, .out = out};
        format->write(h, &sink);
        if (fclose(out) != 0) {
            iso_throw(l->pool->env, ISOLAB_E_IO, "cannot write %s", l->out);
        }
    }
}

int main(int argc, char **argv) {
    loading l = {.path = argc >= 2 ? argv[argc - 1] : NULL};
    if (argc == 5 && strcmp(argv[1], "--to") == 0) {
        l.to = argv[2];
        l.out = argv[3];
    } else if (argc == 4 && strcmp(argv[1], "--threads") == 0) {
        l.threads = (unsigned)atoi(argv[2]);
    } else if (argc != 2) {
        fprintf(stderr, "usage: load [--threads N | --to FORMAT OUT] FILE\n");
        return ISOLAB_E_USAGE;
    }
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    l.pool = &pool;
    int code = iso_guard(&env, load_file, &l);
    if (code != ISOLAB_OK) {
        fprintf(stderr, "load: %s:%" PRIu64 ": %s\n", env.error.file, env.error.line, env.error.message);
    }
    iso_pool_free(&pool);
    return code;
}
