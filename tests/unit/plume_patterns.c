/* Tests checkers/plume/. The test cases of Plume, one for each pattern (tests/patterns/tap-*.txt, after figure 3 of
 * plume.txt): each shows exactly the patterns that it names, reported and counted; and what list-append histories show
 * (list-*.txt). Every checker that knows patterns is asked. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "formats/format.h"
#include "tests/tap.h"

#define ROOT "tests/patterns"

static iso_env env;

/* The words of the line `# name: words`, into line; false: there is none. */
static bool claim(const char *path, const char *name, char *line, size_t size) {
    FILE *in = fopen(path, "r");
    char start[64];
    bool found = false;
    snprintf(start, sizeof start, "# %s: ", name);
    while (in != NULL && !found && fgets(line, (int)size, in) != NULL) {
        found = strncmp(line, start, strlen(start)) == 0;
    }
    if (found) {
        memmove(line, line + strlen(start), strlen(line + strlen(start)) + 1);
        line[strcspn(line, "\n")] = '\0';
    }
    if (in != NULL) {
        fclose(in);
    }
    return found;
}

static void add(char *text, size_t size, const char *word) {
    snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] == '\0' ? "" : " ", word);
}

static void check_letters(const iso_result *r, const char *path, const char *checker) {
    char line[256], reported[64] = "", counted[64] = "";
    for (char letter = 'a'; letter <= 'n'; letter++) {
        bool told = false, seen = false;
        for (int k = 0; k < ISO_A_KINDS; k++) {
            const char *plume = iso_anomaly_get((iso_anomaly_kind)k)->plume;
            if (plume != NULL && plume[4] == letter) {
                seen = r->seen[k] > 0;
                for (uint32_t i = 0; i < r->n_anomalies; i++) {
                    told |= r->anomalies[i].kind == k;
                }
            }
        }
        char word[2] = {letter, '\0'};
        if (told) {
            add(reported, sizeof reported, word);
        }
        if (seen) {
            add(counted, sizeof counted, word);
        }
    }
    if (claim(path, "reported", line, sizeof line)) {
        is(reported, line, "%s: what %s reports", path, checker);
    }
    if (claim(path, "counted", line, sizeof line)) {
        is(counted, line, "%s: what %s counts", path, checker);
    }
}

static void check_names(const iso_result *r, const char *path, const char *checker) {
    char line[256], names[1024] = "";
    for (int k = 0; k < ISO_A_KINDS; k++) {
        if (r->seen[k] > 0) {
            add(names, sizeof names, iso_anomaly_get((iso_anomaly_kind)k)->name);
        }
    }
    if (claim(path, "anomalies", line, sizeof line)) {
        is(names, line, "%s: what %s finds", path, checker);
    }
}

/* Each pattern alone, and one anomaly alone. */
static void check_alone(iso_pool *pool, const isolab_history *h, const iso_checker *c, const iso_result *all,
                        const char *path) {
    bool good = true;
    for (char letter = 'a'; letter <= 'n'; letter++) {
        iso_question question = {.level = ISO_CC, .patterns = 1u << (letter - 'a'), .limit = 1};
        iso_result one;
        iso_result_init(&one, pool);
        iso_check(c, h, &question, &one);
        bool seen = false;
        for (int k = 0; k < ISO_A_KINDS; k++) {
            const char *plume = iso_anomaly_get((iso_anomaly_kind)k)->plume;
            seen |= plume != NULL && plume[4] == letter && all->seen[k] > 0;
        }
        good &= one.verdict == (seen ? ISOLAB_VIOLATED : ISOLAB_SATISFIED) && one.n_anomalies == seen;
    }
    ok(good, "%s: %s, asked for each pattern alone", path, c->name);
}

static void check_file(iso_pool *pool, const char *path) {
    const isolab_history *h = iso_load(pool, path, NULL);
    for (size_t c = 0; iso_checkers[c] != NULL; c++) {
        iso_question question = {.level = ISO_CC, .patterns = (1u << 14) - 1, .all = true};
        char why[512];
        if (iso_checker_refuses(iso_checkers[c], h, &question, why, sizeof why) != NULL) {
            continue;
        }
        iso_result r;
        iso_result_init(&r, pool);
        iso_check(iso_checkers[c], h, &question, &r);
        check_letters(&r, path, iso_checkers[c]->name);
        check_names(&r, path, iso_checkers[c]->name);
        if (!h->has_lists) {
            check_alone(pool, h, iso_checkers[c], &r, path);
        }
    }
}

static void run(void *arg) {
    unsigned *taps = arg;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    struct dirent **files;
    int n = scandir(ROOT, &files, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", ROOT, files[i]->d_name);
        if (strstr(path, ".txt") != NULL) {
            *taps += strncmp(files[i]->d_name, "tap-", 4) == 0;
            check_file(&pool, path);
            iso_pool_free(&pool);
        }
        free(files[i]);
    }
    free(files);
}

int main(void) {
    plan(NO_PLAN);
    unsigned taps = 0;
    iso_env_init(&env);
    ok(iso_guard(&env, run, &taps) == ISOLAB_OK, "nothing was thrown");
    cmp_ok(taps, "==", 14, "a file for each pattern");
    return done_testing();
}
