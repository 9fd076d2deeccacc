/* Every file of tests/malformed is refused with the error that EXPECTED.tsv says: format, line, byte offset, and a
 * piece of the message. A file that is not listed is a failure too. */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "tests/tap.h"

#define FOLDER "tests/malformed/"

typedef struct job {
    iso_pool *pool;
    const char *path;
    const iso_format *format;
} job;

static void load_guarded(void *arg) {
    job *j = arg;
    iso_load(j->pool, j->path, j->format);
}

/* A row: file, format, line (`-`: none), offset (`-`: none), fragment. */
static void check_row(char *row) {
    char *field[5], *rest = row;
    for (int i = 0; i < 5; i++) {
        field[i] = strsep(&rest, "\t\n");
        if (field[i] == NULL) {
            fail("a row of five fields");
            return;
        }
    }
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    char path[512];
    snprintf(path, sizeof path, FOLDER "%s", field[0]);
    job j = {.pool = &pool, .path = path, .format = iso_format_find(field[1])};
    ok(j.format != NULL, "%s: format %s exists", field[0], field[1]);
    int code = iso_guard(&env, load_guarded, &j);
    const isolab_error *e = &env.error;
    uint64_t line = strcmp(field[2], "-") == 0 ? 0 : strtoull(field[2], NULL, 10);
    uint64_t offset = strcmp(field[3], "-") == 0 ? ISOLAB_NO_OFFSET : strtoull(field[3], NULL, 10);
    bool good = code == ISOLAB_E_INPUT && e->line == line && e->offset == offset &&
                strstr(e->message, field[4]) != NULL && strchr(e->message, '\n') == NULL;
    ok(good, "%s: line %s, offset %s, %s", field[0], field[2], field[3], field[4]);
    if (!good) {
        diag("got code %d, line %" PRIu64 ", offset %" PRIu64 ": %s", code, e->line, e->offset, e->message);
    }
    iso_pool_free(&pool);
    cmp_ok(env.limits->used, "==", 0, "%s: all memory was given back", field[0]);
}

int main(void) {
    plan(NO_PLAN);
    FILE *f = fopen(FOLDER "EXPECTED.tsv", "r");
    if (f == NULL) {
        bail_out("run this in the top folder: " FOLDER "EXPECTED.tsv is not there");
    }
    char row[1024], *listed = calloc(1, 1);
    size_t size = 1;
    for (int n = 0; fgets(row, sizeof row, f) != NULL; n++) {
        if (n > 0 && row[0] != '#') {
            size_t name = strcspn(row, "\t");
            listed = realloc(listed, size + name + 1);
            snprintf(listed + size - 1, name + 2, "%.*s\n", (int)name, row);
            size += name + 1;
            check_row(row);
        }
    }
    fclose(f);
    DIR *folder = opendir(FOLDER);
    for (struct dirent *d; (d = readdir(folder)) != NULL;) {
        char name[300];
        snprintf(name, sizeof name, "%s\n", d->d_name);
        if (d->d_name[0] != '.' && strcmp(d->d_name, "EXPECTED.tsv") != 0) {
            ok(strstr(listed, name) != NULL, "%s is listed", d->d_name);
        }
    }
    closedir(folder);
    free(listed);
    return done_testing();
}
