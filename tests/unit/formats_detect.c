/* Tests the detection of formats (formats/load.c and the formats' own functions): every seed of the fuzzers, and what
 * each format writes, is found to be of its format; files that only begin like one are not. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "tests/tap.h"

#define SEEDS "tests/fuzz/seeds/"

static const char *found(const iso_source *source) {
    const iso_format *format = iso_format_detect(source);
    return format == NULL ? "none" : format->name;
}

static const char *found_in(iso_pool *pool, const char *bytes, size_t size) {
    iso_source source;
    iso_source_copy(pool, bytes, size, &source);
    return found(&source);
}

/* The extension of a seed is the name of its format. */
static void seeds(void *arg) {
    DIR *d = opendir(SEEDS);
    unsigned n = 0;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char path[600];
        iso_source source;
        if (e->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, SEEDS "%s", e->d_name);
        iso_source_open(arg, path, &source);
        is(found(&source), strrchr(e->d_name, '.') + 1, "%s", path);
        n++;
    }
    cmp_ok(n, ">=", 10, "there are %u seeds", n);
    if (d != NULL) {
        closedir(d);
    }
}

static void written(void *arg) {
    iso_pool *pool = arg;
    static const char text[] =
        "session 1\n1 commit @1..2: w 1 1\n2 commit @3..4: r 1 1\nsession 2\n3 commit @5..6: r 1 1\n";
    isolab_history *h = iso_load_bytes(pool, text, sizeof text - 1, iso_format_find("isolab"));
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        const iso_format *f = iso_formats[i];
        if (f->write == NULL || (f->flags & ISO_FORMAT_FOLDER) || strcmp(f->name, "elle-registers") == 0) {
            continue; /* a log of registers is a log of Jepsen, too */
        }
        size_t size;
        char *bytes = iso_save_text(pool, h, f, &size);
        is(found_in(pool, bytes, size), f->name, "what %s writes is detected as %s", f->name, f->name);
    }
}

static void beginnings(void *arg) {
    static const char *const text[][2] = {
        {"session,txn,op\n1,2,r\n", "none"},
        {"session;txn;op\n", "none"},
        {"sessions\n", "none"},
        {"initially\n", "none"},
        {"initial,value\n", "none"},
        {"session\n", "isolab"},
        {"session A # the first one\r\n", "isolab"},
        {"session \"two words\"\n", "isolab"},
        {"initial -3\nsession\n", "isolab"},
        {"initial-transaction no\n", "isolab"},
        {"# a comment\n\n  session A\n", "isolab"},
        {"# a comment\n\n  w( 1, 2, 3, 4 )\n", "plume"},
        {"read,1,2\n", "none"},
        {"[\n {\"session\":1,\n  \"ops\":[]}]", "jsonl"},
        {"[1,2]", "none"},
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        is(found_in(arg, text[i][0], strlen(text[i][0])), text[i][1], "text %zu is of format %s", i + 1, text[i][1]);
    }
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_pool pool;
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    void (*const parts[])(void *) = {seeds, written, beginnings};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cmp_ok(iso_guard(&env, parts[i], &pool), "==", ISOLAB_OK, "nothing is thrown%s%s",
               env.error.message[0] == '\0' ? "" : ": ", env.error.message);
    }
    iso_pool_free(&pool);
    return done_testing();
}
