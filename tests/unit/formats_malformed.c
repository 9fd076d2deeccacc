/* Every malformed input of tests/malformed, one a file, against the place and the words that its line in
 * EXPECTED.tsv promises: file, format (- for detection), line (0: none), byte offset (- if not promised), and a
 * part of the message. In a folder format the file is the member that is wrong. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/format.h"
#include "tests/tap.h"

#define ROOT "tests/malformed/"
enum { MOST = 1000 };

typedef struct expected {
    char file[160], format[32], offset[24], message[200];
    uint64_t line;
} expected;

static expected table[MOST];
static size_t n_table;

typedef struct attempt {
    iso_pool *pool;
    const char *path;
    const iso_format *format;
} attempt;

static void load(void *arg) {
    attempt *a = arg;
    iso_load(a->pool, a->path, a->format);
}

static bool is_one_line(const char *s) {
    for (const char *p = s; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            return false;
        }
    }
    return *s != '\0';
}

static int try_load(const expected *x, const iso_format *format, isolab_error *error) {
    char path[256];
    snprintf(path, sizeof path, ROOT "%s", x->file);
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".log") == 0) { /* the folder of the member */
        *strrchr(path, '/') = '\0';
    }
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    attempt a = {&pool, path, format};
    int code = iso_guard(&env, load, &a);
    *error = env.error;
    iso_pool_free(&pool);
    if (env.limits->used != 0) {
        fail("%s: memory was kept", x->file);
    }
    return code;
}

static void check(const expected *x) {
    const iso_format *format = strcmp(x->format, "-") == 0 ? NULL : iso_format_find(x->format);
    if (format == NULL && strcmp(x->format, "-") != 0) {
        fail("%s: format %s is known", x->file, x->format);
        return;
    }
    isolab_error e;
    int code = try_load(x, format, &e);
    char why[1200] = "";
    char file[256];
    snprintf(file, sizeof file, ROOT "%s", x->file);
    if (code != ISOLAB_E_INPUT) {
        snprintf(why, sizeof why, "code %d", code);
    } else if (strcmp(e.file, file) != 0) {
        snprintf(why, sizeof why, "the error names %s", e.file);
    } else if (e.line != x->line) {
        snprintf(why, sizeof why, "line %llu", (unsigned long long)e.line);
    } else if (strcmp(x->offset, "-") != 0 && e.offset != strtoull(x->offset, NULL, 10)) {
        snprintf(why, sizeof why, "offset %llu", (unsigned long long)e.offset);
    } else if (strstr(e.message, x->message) == NULL || !is_one_line(e.message)) {
        snprintf(why, sizeof why, "message: %s", e.message);
    }
    ok(why[0] == '\0', "%s: %s", x->file, x->message);
    if (why[0] != '\0') {
        diag("%s (%s)", why, e.message);
    }
    if (format != NULL && try_load(x, NULL, &e) != ISOLAB_E_INPUT) {
        fail("%s: refused without naming the format too", x->file);
    }
}

static void read_table(void) {
    FILE *f = fopen(ROOT "EXPECTED.tsv", "r");
    if (f == NULL) {
        bail_out("no " ROOT "EXPECTED.tsv: run the tests from the top folder");
    }
    char line[512], tail;
    for (unsigned number = 1; fgets(line, sizeof line, f) != NULL; number++) {
        expected *x = &table[n_table];
        unsigned long long at;
        if (number == 1 || line[0] == '\n') {
            continue;
        }
        if (sscanf(line, "%159[^\t]\t%31[^\t]\t%llu\t%23[^\t]\t%199[^\n]%c", x->file, x->format, &at, x->offset,
                   x->message, &tail) != 6 ||
            ++n_table == MOST) {
            bail_out("EXPECTED.tsv, line %u: expected five columns", number);
        }
        x->line = at;
    }
    fclose(f);
}

/* Files below a folder (relative to ROOT) that no line of the table is about. */
static unsigned count_unlisted(const char *folder) {
    char path[512];
    unsigned n = 0;
    snprintf(path, sizeof path, ROOT "%s", folder);
    DIR *d = opendir(path);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        struct stat st;
        if (e->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%s%s%s", folder, folder[0] == '\0' ? "" : "/", e->d_name);
        char full[600];
        snprintf(full, sizeof full, ROOT "%s", path);
        if (stat(full, &st) != 0 || strcmp(path, "EXPECTED.tsv") == 0) {
            continue;
        }
        bool listed = false;
        for (size_t i = 0; i < n_table; i++) { /* a folder whose member is listed is listed as a whole */
            size_t length = strlen(path);
            const char *name = table[i].file;
            listed |= strcmp(name, path) == 0 ||
                      (strncmp(name, path, length) == 0 && name[length] == '/' && strchr(path, '/') != NULL);
        }
        if (!listed && S_ISDIR(st.st_mode)) {
            n += count_unlisted(path);
        } else if (!listed) {
            diag("%s is not in EXPECTED.tsv", path);
            n++;
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return n;
}

int main(void) {
    plan(NO_PLAN);
    read_table();
    for (size_t i = 0; i < n_table; i++) {
        check(&table[i]);
    }
    cmp_ok(count_unlisted(""), "==", 0, "every file is in EXPECTED.tsv");
    cmp_ok(n_table, ">=", 60, "there are %zu malformed inputs", n_table);
    return done_testing();
}
