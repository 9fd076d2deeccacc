/* Tests formats/. Every format against random histories: a history that the format can hold comes back equal, and its
 * format is detected; another history comes back readable, and loses nothing in further round trips. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/random.h"
#include "formats/format.h"
#include "tests/equal.h"
#include "tests/random_history.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { MOST_FORMATS = 32 };

typedef struct trip {
    iso_pool *pool;
    const char *folder;
    uint64_t seed;
    unsigned features;
    const iso_format *only; /* in the works, for messages */
    uint64_t held[MOST_FORMATS], lost[MOST_FORMATS], failures;
} trip;

static void report(trip *t, const char *what, const char *why) {
    if (t->failures++ < 10) {
        diag("%s, seed %llu, features %u: %s: %s", t->only->name, (unsigned long long)t->seed, t->features, what, why);
        isolab_history *h = random_history(t->pool, &(iso_rng){t->seed}, t->features);
        iso_sink sink = {.pool = t->pool, .path = "-", .out = stderr};
        iso_format_find("isolab")->write(h, &sink);
    }
}

static isolab_history *through(trip *t, const isolab_history *h, const iso_format *f, bool detect) {
    char path[256];
    bool squeeze = !(f->flags & ISO_FORMAT_FOLDER) && t->seed % 4 == 0;
    snprintf(path, sizeof path, "%s/history%s", t->folder, squeeze ? ".zst" : "");
    iso_remove_folder(path);
    iso_save(t->pool, h, path, f);
    if (detect) {
        iso_source source;
        iso_source_open(t->pool, path, &source);
        const iso_format *found = iso_format_detect(&source);
        if (found != f) {
            report(t, "detected as", found == NULL ? "nothing" : found->name);
        }
    }
    return iso_load(t->pool, path, f);
}

/* Cobra's two readings look the same when nothing but initial values was read. */
static bool is_detectable(const isolab_history *h, const iso_format *f) {
    return h->n_ops > 0 && strncmp(f->name, "cobra", 5) != 0;
}

/* Returns whether all that is lost is initial values and, if a transaction of h was taken as the initial one, the
 * border between two aborted transactions that this transaction separated. */
static bool loses_initial_alone(const isolab_history *h, const iso_losses *losses) {
    uint64_t others = 0;
    for (int i = 0; i < ISO_LOSS_KINDS; i++) {
        bool joined = i == ISO_LOSS_ABORTED && h->taken.n_txns > 0;
        others += i == ISO_LOSS_INITIAL || joined ? 0 : losses->count[i];
    }
    return others == 0;
}

static void round_trip(void *arg) {
    trip *t = arg;
    isolab_history *h = random_history(t->pool, &(iso_rng){t->seed}, t->features);
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        const iso_format *f = t->only = iso_formats[i];
        if (f->write == NULL) {
            continue;
        }
        char why[128] = "";
        iso_losses losses;
        uint64_t lost = iso_survey(h, f, &losses);
        isolab_history *back = through(t, h, f, lost == 0 && is_detectable(h, f));
        *(lost == 0 ? &t->held[i] : &t->lost[i]) += 1;
        if (lost == 0) {
            if (!iso_history_equal(h, back, why, sizeof why)) {
                report(t, "not the same", why);
            }
            continue;
        }
        iso_losses again;
        /* A first transaction of initial values is taken for the initial one, and then the next one may be such a
         * transaction: each time one less is left. */
        for (uint32_t n = h->n_txns; n > 0 && iso_survey(back, f, &again) > 0 && loses_initial_alone(back, &again);
             n--) {
            back = through(t, back, f, false);
        }
        if (iso_survey(back, f, &again) > 0) {
            iso_loss_report(&again, why, sizeof why);
            report(t, "loses something of what it wrote itself", why);
        } else if (!iso_history_equal(back, through(t, back, f, false), why, sizeof why)) {
            report(t, "not the same the second time", why);
        }
    }
}

int main(void) {
    plan(NO_PLAN);
    const char *quick = getenv("ISOLAB_QUICK"), *deep = getenv("ISOLAB_DEEP");
    uint64_t first = seed_of_run();
    uint64_t rounds = quick != NULL ? 300 : deep != NULL ? 50000 : 3000;
    diag("seed %llu (set ISOLAB_SEED to repeat)", (unsigned long long)first);
    char folder[] = "/tmp/isolab-round-trip-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        bail_out("cannot make a folder in /tmp");
    }
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    trip t = {.pool = &pool, .folder = folder};
    for (uint64_t i = 0; i < rounds; i++) {
        iso_rng rng = {first + i};
        t.seed = first + i;
        t.features = (unsigned)iso_random(&rng) & (unsigned)iso_random(&rng) & HAS_ALL;
        if (iso_guard(&env, round_trip, &t) != ISOLAB_OK) {
            report(&t, "thrown", env.error.message);
        }
        iso_pool_free(&pool);
    }
    cmp_ok(t.failures, "==", 0, "nothing went wrong in %llu histories", (unsigned long long)rounds);
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        if (iso_formats[i]->write != NULL) {
            cmp_ok(t.held[i], ">", 0, "%s held %llu histories, and lost something of %llu", iso_formats[i]->name,
                   (unsigned long long)t.held[i], (unsigned long long)t.lost[i]);
        }
    }
    cmp_ok(env.limits->used, "==", 0, "all memory was given back");
    char path[256];
    snprintf(path, sizeof path, "%s/history", folder);
    iso_remove_folder(path);
    snprintf(path, sizeof path, "%s/history.zst", folder);
    iso_remove_folder(path);
    rmdir(folder);
    return done_testing();
}
