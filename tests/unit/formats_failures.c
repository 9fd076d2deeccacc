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

typedef struct saving {
    iso_pool *pool;
    const isolab_history *h;
    const iso_format *format;
    char path[100];
} saving;

static void make(void *arg) {
    saving *s = arg;
    s->h = random_history(s->pool, &(iso_rng){7}, HAS_TIMES | HAS_ABORTED | HAS_TWINS | HAS_STRINGS | HAS_LISTS);
}

static void save(void *arg) {
    saving *s = arg;
    iso_save(s->pool, s->h, s->path, s->format);
}

static void load(void *arg) {
    saving *s = arg;
    iso_load(s->pool, s->path, NULL);
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
static unsigned sweep(const char *what, void (*fn)(void *), saving *s, const char *folder) {
    iso_env env;
    unsigned files = count_entries("/proc/self/fd"), before = count_entries(folder);
    for (unsigned n = 0; n < 2000; n++) {
        iso_env_init(&env);
        iso_pool pool;
        iso_pool_init(&pool, &env);
        s->pool = &pool;
        atomic_store(&env.limits->fail_after, n);
        int code = iso_guard(&env, fn, s);
        iso_pool_free(&pool);
        if (env.limits->used != 0 || count_entries("/proc/self/fd") != files) {
            diag("%s %s: memory or an open file is left when allocation %u fails", s->format->name, what, n);
            return 0;
        }
        if (code == ISOLAB_OK) {
            return n + 1;
        }
        if (code != ISOLAB_E_LIMIT || count_entries(folder) != before) {
            diag("%s %s: allocation %u fails: code %d (%s), or a file is left", s->format->name, what, n, code,
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
    saving s = {.pool = &pool};
    if (iso_guard(&env, make, &s) != ISOLAB_OK) {
        bail_out("%s", env.error.message);
    }
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        s.format = iso_formats[i];
        for (int squeeze = 0; squeeze < 2 && s.format->write != NULL; squeeze++) {
            if (squeeze && (s.format->flags & ISO_FORMAT_FOLDER)) {
                continue;
            }
            snprintf(s.path, sizeof s.path, "%s/history%s", folder, squeeze ? ".zst" : "");
            unsigned saves = sweep("save", save, &s, folder), loads = sweep("load", load, &s, folder);
            ok(saves > 0 && loads > 0, "%s%s: fails cleanly at each of %u and %u allocations", s.format->name,
               squeeze ? ", zstd" : "", saves, loads);
            iso_remove_folder(s.path);
        }
    }
    iso_pool_free(&pool);
    rmdir(folder);
    return done_testing();
}
