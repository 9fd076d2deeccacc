/* `make bench`: what recording costs. Each embedded database runs the same transactions several times in turn: by its
 * collector's functions alone, in a loop (bare); by the driver without a file; and by the driver with a file. Prints
 * the medians, in transactions a second, and the driver with a file as a multiple of the bare loop's time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/drive.h"
#include "generators/generator.h"

enum { SESSIONS = 2, TXNS = 20000, OPS = 8, KEYS = 10000, REPEATS = 3 };

typedef struct session {
    iso_connection c;
    iso_env env;
    iso_pool pool;
    pthread_t thread;
} session;

static iso_env env;

/* The loop without the driver: OPS operations a transaction, half of them reads. */
static void *bare_session(void *arg) {
    session *s = arg;
    const iso_collector *k = s->c.db->collector;
    iso_rng rng = {s->c.session + 1};
    iso_cell cell = {0};
    if (k->connect(&s->c) != ISO_DONE) {
        return NULL;
    }
    for (int t = 0; t < TXNS / SESSIONS; t++) {
        iso_did did = k->begin(&s->c);
        for (int o = 0; did == ISO_DONE && o < OPS; o++) {
            uint32_t key = (uint32_t)iso_random_below(&rng, KEYS);
            did = iso_random(&rng) & 1 ? k->read(&s->c, key, &cell)
                                       : k->write(&s->c, key, (int64_t)t * SESSIONS + s->c.session);
        }
        if (did == ISO_DONE) {
            k->commit(&s->c);
        }
    }
    k->disconnect(&s->c);
    return NULL;
}

static void bare(iso_database *db, int64_t *ns) {
    session s[SESSIONS] = {0};
    int64_t begun = iso_now();
    for (uint32_t i = 0; i < SESSIONS; i++) {
        iso_env_fork(&s[i].env, &env);
        iso_pool_init(&s[i].pool, &s[i].env);
        s[i].c = (iso_connection){.db = db, .pool = &s[i].pool, .session = i};
        s[i].c.state = iso_zalloc(db->pool, 1, db->collector->connection_size + 1);
        pthread_create(&s[i].thread, NULL, bare_session, &s[i]);
    }
    for (uint32_t i = 0; i < SESSIONS; i++) {
        pthread_join(s[i].thread, NULL);
        iso_pool_free(&s[i].pool);
    }
    *ns = iso_now() - begun;
}

typedef struct measurement {
    iso_database db;
    iso_driving driving;
    int kind; /* 0: bare, 1: without a file, 2: with one */
    int64_t ns;
} measurement;

static void work(void *arg) {
    measurement *m = arg;
    if (m->kind == 0) {
        bare(&m->db, &m->ns);
    } else {
        iso_drive(&m->db, &m->driving);
        m->ns = m->driving.elapsed;
    }
}

static int by_time(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static const char *file;

static void measure(iso_pool *pool, const iso_collector *k) {
    const iso_generator *g = iso_generator_find("random");
    const iso_option *tables[ISO_ARG_TABLES] = {g->options, iso_drive_options, k->options, NULL};
    int64_t ns[3][REPEATS];
    char number[3][24];
    snprintf(number[0], sizeof number[0], "%d", SESSIONS);
    snprintf(number[1], sizeof number[1], "%d", TXNS);
    snprintf(number[2], sizeof number[2], "%d", KEYS);
    for (int r = 0; r < REPEATS; r++) {
        for (int kind = 0; kind < 3; kind++) {
            iso_args args;
            iso_workload workload = {0};
            iso_args_init(&args, pool, k->name, tables);
            iso_args_set(&args, "sessions", number[0]);
            iso_args_set(&args, "txns", number[1]);
            iso_args_set(&args, "keys", number[2]);
            iso_args_set(&args, "retries", "0");
            if (iso_offer_find(k, "wal") != NULL) { /* SQLite's readers and writers do not wait for each other */
                iso_args_set(&args, "level", "wal");
            }
            g->workload(&args, &workload);
            measurement m = {.kind = kind,
                             .driving = {.workload = &workload, .args = &args, .output = kind == 2 ? file : NULL}};
            iso_database_init(&m.db, k, &args, &workload);
            iso_with_database(&m.db, work, &m);
            ns[kind][r] = m.ns;
        }
    }
    for (int kind = 0; kind < 3; kind++) {
        qsort(ns[kind], REPEATS, sizeof **ns, by_time);
    }
    double rate[3];
    for (int kind = 0; kind < 3; kind++) {
        rate[kind] = TXNS / (1e-9 * (double)ns[kind][REPEATS / 2]);
    }
    printf("%-12s %-22s %12.0f %12.0f %12.0f %12.2f\n", k->name,
           iso_offer_find(k, "wal") != NULL ? "wal" : k->levels[0].name, rate[0], rate[1], rate[2], rate[0] / rate[2]);
    fflush(stdout);
}

static void all(void *arg) {
    char why[256];
    for (size_t i = 0; iso_collectors[i] != NULL; i++) {
        const iso_collector *k = iso_collectors[i];
        if (k->server == NULL && strcmp(k->name, "exec") != 0 && iso_collector_missing(k, why) == NULL) {
            measure(arg, k);
            iso_pool_free(arg);
        }
    }
}

int main(void) {
    iso_pool pool;
    char path[] = "/tmp/isolab-bench-XXXXXX";
    int fd = mkstemp(path);
    file = path;
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    printf("recording, %d sessions, %d operations a transaction, transactions a second:\n", SESSIONS, OPS);
    printf("%-12s %-22s %12s %12s %12s %12s\n", "database", "level", "bare", "driver", "with a file", "of the bare");
    int code = iso_guard(&env, all, &pool);
    if (code != ISOLAB_OK) {
        fprintf(stderr, "bench/collect: %s\n", env.error.message);
    }
    close(fd);
    unlink(path);
    iso_pool_free(&pool);
    return code;
}
