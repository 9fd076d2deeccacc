/* Tests formats/. Real histories: every file of EXPECTED.tsv in ../shared/histories (or $ISOLAB_HISTORIES) is detected
 * as its format, loads, and survives every conversion that claims to lose nothing. Skipped if the folder is absent. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "formats/format.h"
#include "tests/equal.h"
#include "tests/tap.h"

typedef struct conversion {
    iso_pool *pool;
    const char *path;
    const iso_format *format; /* NULL: whatever is detected */
    char folder[40];
    unsigned held, lossy;
    char why[300];
} conversion;

static void convert(conversion *c, const isolab_history *h, const iso_format *to) {
    iso_losses losses;
    if (to->write == NULL || iso_survey(h, to, &losses) > 0) {
        c->lossy++;
        return;
    }
    char path[80], why[128];
    snprintf(path, sizeof path, "%s/history", c->folder);
    iso_save(c->pool, h, path, to);
    const isolab_history *back = iso_load(c->pool, path, to);
    iso_remove_folder(path);
    c->held++;
    if (!iso_history_equal(h, back, why, sizeof why)) {
        snprintf(c->why, sizeof c->why, "through %s: %s", to->name, why);
    }
}

static void load(void *arg) {
    conversion *c = arg;
    iso_source source;
    iso_source_open(c->pool, c->path, &source);
    const iso_format *found = iso_format_detect(&source);
    if (found == NULL || (c->format != NULL && found != c->format)) {
        snprintf(c->why, sizeof c->why, "detected as %s", found == NULL ? "nothing" : found->name);
        return;
    }
    const isolab_history *h = iso_load(c->pool, c->path, NULL);
    if (h->n_txns == 0 || h->n_ops == 0) {
        snprintf(c->why, sizeof c->why, "it is empty");
    }
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        convert(c, h, iso_formats[i]);
    }
}

static void check(const char *path, const char *name, const char *format, const char *folder) {
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    conversion c = {.pool = &pool, .path = path, .format = format == NULL ? NULL : iso_format_find(format)};
    snprintf(c.folder, sizeof c.folder, "%s", folder);
    if (format != NULL && c.format == NULL) {
        fail("%s: there is a format %s", name, format);
        return;
    }
    if (iso_guard(&env, load, &c) != ISOLAB_OK) {
        snprintf(c.why, sizeof c.why, "%.250s", env.error.message);
    }
    ok(c.why[0] == '\0', "%s: %s; through %u formats and back, %u would lose something", name,
       format == NULL ? "detected" : format, c.held, c.lossy);
    if (c.why[0] != '\0') {
        diag("%s", c.why);
    }
    iso_pool_free(&pool);
}

int main(void) {
    const char *root = getenv("ISOLAB_HISTORIES") != NULL ? getenv("ISOLAB_HISTORIES") : "../shared/histories";
    bool quick = getenv("ISOLAB_QUICK") != NULL;
    char path[600], line[512], before[400] = "", folder[] = "/tmp/isolab-real-XXXXXX";
    snprintf(path, sizeof path, "%s/EXPECTED.tsv", root);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        skip_all("there are no real histories in %s", root);
    }
    plan(NO_PLAN);
    if (mkdtemp(folder) == NULL) {
        bail_out("cannot make a folder in /tmp");
    }
    unsigned files = 0;
    for (unsigned number = 1; fgets(line, sizeof line, f) != NULL; number++) {
        char name[400], format[40];
        if (number == 1 || sscanf(line, "%399[^\t]\t%39[^\t]", name, format) != 2 || strcmp(name, before) == 0) {
            continue;
        }
        memcpy(before, name, sizeof before);
        if (quick && files++ % 6 != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", root, name);
        check(path, name, format, folder);
    }
    fclose(f);
    static const struct { /* histories without a verdict */
        const char *name, *format;
    } more[] = {{"dgraph-galera-yugabyte-si/galera/galera.txt", "plume"},
                {"dgraph-galera-yugabyte-si/yugabyte/yugabyte.txt", "plume"},
                {"elle/rw-register.json", "elle-json"},
                {"elle/paper-example.json", "elle-json"},
                {"elle/rw-register.edn", "elle"},
                {"elle/paper-example.edn", "elle"},
                {"elle/list-append-gh-30.edn", "elle"},
                {"elle/si-without-g-single.edn", "elle"}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        snprintf(path, sizeof path, "%s/%s", root, more[i].name);
        if (access(path, R_OK) == 0) {
            check(path, more[i].name, more[i].format, folder);
        }
    }
    rmdir(folder);
    return done_testing();
}
