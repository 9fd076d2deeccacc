/* Tests checkers/plume/. Real histories (../shared/histories or $ISOLAB_HISTORIES; skipped where they are absent):
 * plume, plume-vc and plume-dfs say what awdit says, and find what naive finds, pattern by pattern. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "checkers/checker.h"
#include "formats/format.h"
#include "tests/tap.h"

static iso_env env;
static unsigned n_histories, n_verdicts, n_counts, n_violated;
static bool quick;

typedef struct one {
    const char *path;
    iso_pool pool;
} one;

static void ask(iso_pool *pool, const isolab_history *h, const char *checker, iso_question question, iso_result *r) {
    iso_result_init(r, pool);
    iso_check(iso_checker_find(checker), h, &question, r);
}

/* Are all patterns counted alike? A session guarantee is the name of a cycle that is shown, and not counted by
 * itself. */
static bool same_counts(const iso_result *a, const iso_result *b) {
    for (int k = 0; k < ISO_A_KINDS; k++) {
        if (a->seen[k] != b->seen[k] && iso_anomaly_get((iso_anomaly_kind)k)->guarantee == NULL) {
            return false;
        }
    }
    return true;
}

static void check(void *arg) {
    static const char *const plumes[] = {"plume", "plume-vc", "plume-dfs"};
    one *o = arg;
    const isolab_history *h = iso_load(&o->pool, o->path, NULL);
    unsigned searched = h->n_txns <= 5000 ? 3 : 2;
    n_histories++;
    for (int level = 0; level < iso_n_levels; level++) {
        iso_question question = {.level = (iso_level)level}, every = {.level = (iso_level)level, .all = true};
        char why[512];
        bool lists = h->has_lists; /* awdit has none: then the three among themselves */
        if (iso_checker_refuses(iso_checker_find("plume"), h, &question, why, sizeof why) != NULL) {
            continue;
        }
        iso_result other, r, all;
        ask(&o->pool, h, lists ? "plume-vc" : "awdit", question, &other);
        for (unsigned i = 0; i < searched; i++) {
            ask(&o->pool, h, plumes[i], question, &r);
            n_verdicts++;
            n_violated += r.verdict == ISOLAB_VIOLATED;
            if (r.verdict != other.verdict) {
                fail("%s: %s says %d at %s, not %d", o->path, plumes[i], (int)r.verdict,
                     iso_level_get((iso_level)level)->name, (int)other.verdict);
            }
        }
        if (lists || h->n_txns > 2000) {
            continue;
        }
        every.limit = 50;
        ask(&o->pool, h, "naive", every, &all);
        ask(&o->pool, h, "plume", every, &r);
        n_counts++;
        if (!same_counts(&all, &r) || all.n_anomalies != r.n_anomalies) {
            fail("%s: plume counts otherwise than naive at %s", o->path, iso_level_get((iso_level)level)->name);
        }
    }
}

static bool is_history(const char *path) {
    static const char *const no[] = {".tsv", ".md", ".sh", NULL};
    for (int i = 0; no[i] != NULL; i++) {
        const char *end = strstr(path, no[i]);
        if (end != NULL && end[strlen(no[i])] == '\0') {
            return false;
        }
    }
    return true;
}

static void walk(const char *folder, int depth) {
    struct dirent **files;
    int n = scandir(folder, &files, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        if (files[i]->d_name[0] != '.' && stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode) && depth < 4) {
                walk(path, depth + 1);
            } else if (S_ISREG(st.st_mode) && is_history(path) && st.st_size < (quick ? 200000 : 4000000)) {
                one o = {.path = path};
                iso_pool_init(&o.pool, &env);
                iso_guard(&env, check, &o); /* what is no history is other tests' business */
                iso_pool_free(&o.pool);
            }
        }
        free(files[i]);
    }
    if (n >= 0) {
        free(files);
    }
}

int main(void) {
    const char *folder = getenv("ISOLAB_HISTORIES");
    struct stat st;
    quick = getenv("ISOLAB_QUICK") != NULL;
    folder = folder != NULL ? folder : "../shared/histories";
    if (stat(folder, &st) != 0) {
        skip_all("there are no real histories in ../shared/histories (or $ISOLAB_HISTORIES)");
    }
    plan(NO_PLAN);
    iso_env_init(&env);
    walk(folder, 0);
    diag("%u histories, %u verdicts (%u violated), %u times every count", n_histories, n_verdicts, n_violated,
         n_counts);
    ok(n_histories > 0 && n_counts > 0 && n_violated > 0, "real histories were compared");
    return done_testing();
}
