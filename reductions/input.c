/* The problems that reductions read. See input.h. */
#include "reductions/input.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"

FILE *iso_input_open(iso_env *env, const char *path) {
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (in == NULL) {
        iso_throw(env, ISOLAB_E_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    return in;
}

typedef struct reading {
    iso_pool *pool;
    FILE *in;
    char *text;
    size_t size, room;
} reading;

static void read_all(void *arg) {
    reading *r = arg;
    size_t got;
    do {
        if (r->size + 4096 > r->room) {
            r->room = r->room == 0 ? 65536 : 2 * r->room;
            r->text = iso_resize(r->pool, r->text, r->room, 1);
        }
        got = fread(r->text + r->size, 1, r->room - r->size - 1, r->in);
        r->size += got;
        iso_tick(r->pool->env);
    } while (got > 0);
    r->text[r->size] = '\0';
}

char *iso_input_text(iso_pool *pool, const char *path, size_t *size) {
    reading r = {pool, iso_input_open(pool->env, path), NULL, 0, 0};
    int code = iso_guard(pool->env, read_all, &r);
    bool failed = ferror(r.in) != 0;
    if (r.in != stdin) {
        fclose(r.in);
    }
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    if (failed) {
        iso_throw(pool->env, ISOLAB_E_IO, "%s: cannot read", path);
    }
    *size = r.size;
    return r.text;
}

void iso_input_bad(iso_env *env, const char *path, uint64_t line, const char *format, ...) {
    isolab_error *e = &env->error;
    va_list args;
    va_start(args, format);
    memset(e, 0, sizeof *e);
    e->code = ISOLAB_E_INPUT;
    e->line = line;
    e->offset = ISOLAB_NO_OFFSET;
    snprintf(e->file, sizeof e->file, "%s", path);
    vsnprintf(e->message, sizeof e->message, format, args);
    iso_utf8_tame(e->message);
    va_end(args);
    iso_rethrow(env);
}
