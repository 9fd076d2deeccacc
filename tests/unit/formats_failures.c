/* Tests formats/. Every format when memory runs out: each allocation of a save and of a load fails once. Nothing may
 * stay: no memory, no open file, no temporary file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "base/random.h"
#include "formats/format.h"
#include "tests/random_history.h"
#include "tests/tap.h"

typedef struct job {
    iso_pool *pool;
    const isolab_history *h;
    const iso_format *format;
    char path[100];
} job;

static void make(void *arg) {
    job *j = arg;
    j->h = random_history(j->pool, &(iso_rng){7}, HAS_TIMES | HAS_ABORTED | HAS_TWINS | HAS_STRINGS | HAS_LISTS);
}

static void save(void *arg) {
    job *j = arg;
    iso_save(j->pool, j->h, j->path, j->format);
}

static void load(void *arg) {
    job *j = arg;
    iso_load(j->pool, j->path, NULL);
}

static unsigned count_entries(const char *folder) {
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        n += e->d_name[0] != '.';
    }
    closedir(d);
    return n;
}

/* Runs fn with the 1st, 2nd, ... allocation failing until it succeeds; returns how many failed, or 0 where
 * something was wrong. */
static unsigned sweep(const char *what, void (*fn)(void *), job *j, const char *folder) {
    iso_env env;
    unsigned files = count_entries("/proc/self/fd"), before = count_entries(folder);
    for (unsigned n = 0; n < 2000; n++) {
        iso_env_init(&env);
        iso_pool pool;
        iso_pool_init(&pool, &env);
        j->pool = &pool;
        atomic_store(&env.limits->fail_after, n);
        int code = iso_guard(&env, fn, j);
        iso_pool_free(&pool);
        if (env.limits->used != 0 || count_entries("/proc/self/fd") != files) {
            diag("%s %s: memory or an open file is left when allocation %u fails", j->format->name, what, n);
            return 0;
        }
        if (code == ISOLAB_OK) {
            return n + 1;
        }
        if (code != ISOLAB_E_LIMIT || count_entries(folder) != before) {
            diag("%s %s: allocation %u fails: code %d (%s), or a file is left", j->format->name, what, n, code,
                 env.error.message);
            return 0;
        }
    }
    return 0;
}

int main(void) {
    plan(NO_PLAN);
    char folder[] = "/tmp/isolab-failures-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        bail_out("cannot make a folder in /tmp");
    }
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    job j = {.pool = &pool};
    if (iso_guard(&env, make, &j) != ISOLAB_OK) {
        bail_out("%s", env.error.message);
    }
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        j.format = iso_formats[i];
        for (int squeeze = 0; squeeze < 2 && j.format->write != NULL; squeeze++) {
            if (squeeze && (j.format->flags & ISO_FORMAT_FOLDER)) {
                continue;
            }
            snprintf(j.path, sizeof j.path, "%s/history%s", folder, squeeze ? ".zst" : "");
            unsigned saves = sweep("save", save, &j, folder), loads = sweep("load", load, &j, folder);
            ok(saves > 0 && loads > 0, "%s%s: fails cleanly at each of %u and %u allocations", j.format->name,
               squeeze ? ", zstd" : "", saves, loads);
            iso_remove_folder(j.path);
        }
    }
    iso_pool_free(&pool);
    rmdir(folder);
    return done_testing();
}
