/* Every history of tests/histories, by every checker that can take it, at every level. A history satisfies exactly the
 * levels that its folder says (docs/levels.md, Strength), with certificates verified, and has the Plume patterns that
 * it names. Histories of the folder findings (docs/findings.md) say themselves which level they satisfy;
 * recorded/EXPECTED.tsv says it of recordings of databases (docs/record.md). */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "formats/format.h"
#include "tests/tap.h"
#include "verify/verify.h"

#define ROOT "tests/histories"

static iso_env env;
static unsigned n_histories, n_verdicts, n_verified;
static iso_levels strongest; /* the folders seen */

/* The words of the line `# name: words`; NULL: there is none. */
static char *claim(const char *path, const char *name, char *line, size_t size) {
    FILE *in = fopen(path, "r");
    char start[64], *found = NULL;
    snprintf(start, sizeof start, "# %s: ", name);
    while (in != NULL && found == NULL && fgets(line, (int)size, in) != NULL) {
        if (strncmp(line, start, strlen(start)) == 0) {
            found = line + strlen(start);
            found[strcspn(found, "\n")] = '\0';
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    return found;
}

/* The levels that a recording satisfies: `FILE<tab>LEVEL LEVEL`, the strongest ones. */
static iso_levels recorded_levels(const char *path) {
    const char *file = strrchr(path, '/') + 1;
    size_t n = strlen(file);
    char line[256], *word, *rest = NULL;
    iso_levels all = 0;
    FILE *in = fopen(ROOT "/recorded/EXPECTED.tsv", "r");
    bool found = false;
    while (in != NULL && !found && fgets(line, sizeof line, in) != NULL) {
        found = strncmp(line, file, n) == 0 && line[n] == '\t';
    }
    if (in != NULL) {
        fclose(in);
    }
    if (!found) {
        bail_out("recorded/EXPECTED.tsv does not name %s", file);
    }
    for (word = strtok_r(line + n, "\t \n", &rest); word != NULL; word = strtok_r(NULL, "\t \n", &rest)) {
        all |= iso_level_and_weaker(iso_level_find(word, NULL));
    }
    return all;
}

static iso_levels expected_levels(const char *folder, const char *path) {
    char line[256];
    if (strcmp(folder, "recorded") == 0) {
        return recorded_levels(path);
    }
    if (strcmp(folder, "findings") == 0) {
        folder = claim(path, "strongest", line, sizeof line);
        if (folder == NULL) {
            bail_out("%s does not say the strongest level that it satisfies", path);
        }
    }
    if (strcmp(folder, "none") == 0) {
        char *own = claim(path, "ci", line, sizeof line); /* the only level that does not imply int */
        return own != NULL && strcmp(own, "yes") == 0 ? ISO_LEVEL_BIT(ISO_CI) : 0;
    }
    iso_level level = iso_level_find(folder, NULL);
    if (level == ISO_NO_LEVEL) {
        bail_out("%s/%s is not named for a level", ROOT, folder);
    }
    strongest |= ISO_LEVEL_BIT(level);
    iso_levels all = iso_level_and_weaker(level);
    char of_ci[256], *ci = claim(path, "ci", of_ci, sizeof of_ci);
    if ((all & ISO_LEVEL_BIT(ISO_CI)) == 0) {
        ok(ci != NULL && (strcmp(ci, "yes") == 0 || strcmp(ci, "no") == 0), "%s says whether ci is satisfied", path);
        all |= ci != NULL && strcmp(ci, "yes") == 0 ? ISO_LEVEL_BIT(ISO_CI) : 0;
    }
    return all;
}

static bool certificate_is_good(iso_pool *pool, const isolab_history *h, const iso_question *question,
                                const iso_result *result) {
    size_t size;
    char *text = iso_certificate_text(pool, h, question, result, &size);
    if (text == NULL || h->has_lists) { /* the verifier does not know lists */
        return true;
    }
    n_verified++;
    return iso_verify(pool, h, text, size) == 0;
}

static void check_level(iso_pool *pool, const isolab_history *h, iso_level level, bool satisfied, const char *path) {
    for (size_t c = 0; iso_checkers[c] != NULL; c++) {
        iso_question question = {.level = level, .certificate = true};
        char why[512];
        if (iso_checker_refuses(iso_checkers[c], h, &question, why, sizeof why) != NULL) {
            continue;
        }
        iso_result result;
        iso_result_init(&result, pool);
        iso_check(iso_checkers[c], h, &question, &result);
        if (result.verdict == ISOLAB_UNKNOWN && (iso_checkers[c]->can & ISO_CAN_ONLY_SATISFY)) {
            continue; /* it found no order, which says nothing */
        }
        n_verdicts++;
        if (result.verdict != (satisfied ? ISOLAB_SATISFIED : ISOLAB_VIOLATED)) {
            fail("%s: %s should be %s, says %s", path, iso_level_get(level)->name, satisfied ? "satisfied" : "violated",
                 iso_checkers[c]->name);
        } else if (!certificate_is_good(pool, h, &question, &result)) {
            fail("%s: the certificate of %s for %s is refused: %s", path, iso_checkers[c]->name,
                 iso_level_get(level)->name, env.error.message);
        }
    }
}

/* The patterns of an answer, as letters: the patterns under which anomalies are reported. */
static void check_patterns(iso_pool *pool, const isolab_history *h, const char *path) {
    char line[256], *expected = claim(path, "patterns", line, sizeof line);
    for (size_t c = 0; expected != NULL && iso_checkers[c] != NULL; c++) {
        iso_question question = {.level = ISO_CC, .patterns = (1u << 14) - 1, .all = true};
        char why[512], got[64] = "";
        if (iso_checker_refuses(iso_checkers[c], h, &question, why, sizeof why) != NULL) {
            continue;
        }
        iso_result result;
        iso_result_init(&result, pool);
        iso_check(iso_checkers[c], h, &question, &result);
        for (char letter = 'a'; letter <= 'n'; letter++) {
            for (uint32_t i = 0; i < result.n_anomalies; i++) {
                const char *plume = iso_anomaly_plume(&result.anomalies[i]);
                if (plume != NULL && plume[4] == letter) {
                    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%c", got[0] == '\0' ? "" : " ", letter);
                    break;
                }
            }
        }
        is(got, expected, "%s: the patterns that %s reports", path, iso_checkers[c]->name);
    }
}

static void check_file(iso_pool *pool, const char *folder, const char *path) {
    const isolab_history *h = iso_load(pool, path, NULL);
    iso_levels expected = expected_levels(folder, path);
    for (int level = 0; level < iso_n_levels; level++) {
        check_level(pool, h, (iso_level)level, (expected & ISO_LEVEL_BIT(level)) != 0, path);
    }
    check_patterns(pool, h, path);
    n_histories++;
    pass("%s", path);
}

static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void run(void *arg) {
    struct dirent **folder, **file;
    int n_folders = scandir(ROOT, &folder, not_hidden, alphasort);
    for (int i = 0; i < n_folders; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", ROOT, folder[i]->d_name);
        int n_files = scandir(path, &file, not_hidden, alphasort);
        for (int j = 0; j < n_files; j++) {
            snprintf(path, sizeof path, "%s/%s/%s", ROOT, folder[i]->d_name, file[j]->d_name);
            if (strcmp(file[j]->d_name, "EXPECTED.tsv") != 0) {
                check_file(arg, folder[i]->d_name, path);
            }
            iso_pool_free(arg);
            free(file[j]);
        }
        if (n_files >= 0) {
            free(file);
        }
        free(folder[i]);
    }
    if (n_folders >= 0) {
        free(folder);
    }
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    ok(iso_guard(&env, run, &pool) == ISOLAB_OK, "nothing was thrown (%s: %s)", env.error.file, env.error.message);
    ok(strongest == ISO_LEVEL_BIT(iso_n_levels) - 1, "every level is the strongest one of some history");
    diag("%u histories, %u verdicts, %u certificates verified", n_histories, n_verdicts, n_verified);
    iso_pool_free(&pool);
    return done_testing();
}
