/* Loads histories: detects the format, and calls its reader. See format.h; source.c opens inputs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "history/initial.h"
#include "history/torn.h"

const iso_format *iso_format_detect(const iso_source *source) {
    const iso_format *best = NULL;
    int best_score = 0;
    for (size_t i = 0; iso_formats[i] != NULL && best_score < ISO_FORMAT_SURE; i++) {
        bool folder = iso_formats[i]->flags & ISO_FORMAT_FOLDER;
        int score = folder == source->folder ? iso_formats[i]->detect(source) : 0;
        if (score > best_score) {
            best_score = score;
            best = iso_formats[i];
        }
    }
    return best;
}

iso_builder *iso_source_builder(iso_source *source) {
    iso_builder *b = iso_builder_new(source->pool);
    if (source->how != NULL) {
        iso_builder_reading(b, source->how);
    }
    source->built = true;
    return b;
}

typedef struct load {
    iso_pool *pool;
    const char *path;
    const iso_format *format;
    const void *given; /* the bytes, if there is no path to open */
    size_t given_size;
    const iso_reading *how; /* NULL: the default */
    iso_source source;
    isolab_history *h;
} load;

/* Returns whether bytes begin as UTF-16 does: with its mark, or with a character of ASCII. */
static bool is_utf16(const iso_source *source) {
    const unsigned char *p = source->bytes;
    bool mark = (p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff);
    p += mark ? 2 : 0;
    return source->size > 3 && (p[0] == 0) != (p[1] == 0) && p[0] + p[1] >= '\t' && p[0] + p[1] < 0x7f &&
           (mark || ((p[2] == 0) == (p[0] == 0) && (p[3] == 0) == (p[1] == 0)));
}

/* Returns whether the first line is of words between commas, semicolons or tabs. */
static bool is_csv(const iso_source *source) {
    const unsigned char *p = source->bytes;
    unsigned columns = 1;
    for (; *p != '\n' && *p != '\0'; p++) {
        if (memchr("{}[]()", *p, 6) != NULL) {
            return false;
        }
        columns += *p == ',' || *p == ';' || *p == '\t';
    }
    return columns > 2;
}

/* Throws if no format reads the source. */
static void refuse_unreadable(const load *l) {
    const iso_source *source = &l->source;
    iso_env *env = l->pool->env;
    bool folder = source->folder;
    if (!folder && (l->format == NULL || !(l->format->flags & ISO_FORMAT_BINARY)) && is_utf16(source)) {
        iso_throw_input(env, 0, 0, "expected UTF-8 text, found UTF-16: convert with iconv -f UTF-16 -t UTF-8");
    }
    if (l->format != NULL && ((l->format->flags & ISO_FORMAT_FOLDER) != 0) != folder) {
        iso_throw_input(env, 0, 0, "expected a %s for format %s, found a %s", folder ? "file" : "folder",
                        l->format->name, folder ? "folder" : "file");
    }
    if (l->format != NULL) {
        return;
    }
    iso_throw_input(env, 0, 0, "expected a history, found %s",
                    folder              ? "a folder that is none (a folder of Cobra's *.log files would be one)"
                    : source->size == 0 ? "nothing: the file is empty"
                    : is_csv(source)
                        ? "a table (CSV), which isolab does not read: write a line of JSON for each transaction "
                          "(docs/formats.md#jsonl; `isolab list formats` has the others)"
                        : "no known format (see `isolab list formats`, or name one with --format)");
}

/* Returns the place after the last end of line; the beginning: there is none. */
static size_t last_line_of(const iso_source *source) {
    const unsigned char *feed = source->size == 0 ? NULL : memrchr(source->bytes, '\n', source->size);
    return feed == NULL ? 0 : (size_t)(feed + 1 - source->bytes);
}

/* Leaves out what follows the last end of line. Returns the number of lines that stay. */
static uint64_t cut_off(load *l) {
    iso_source *source = &l->source;
    size_t end = last_line_of(source);
    unsigned char *bytes = (unsigned char *)(uintptr_t)source->bytes;
    if (end == 0 || (l->format->flags & ISO_FORMAT_BINARY)) {
        iso_throw_input(l->pool->env, 0, 0, "expected a text of several lines (--truncated), found %s",
                        source->folder ? "a folder"
                        : end == 0     ? "no whole line"
                                       : l->format->name);
    }
    memset(bytes + end, 0, source->size - end);
    source->size = end;
    uint64_t lines = 0;
    for (size_t i = 0; i < end; i++) {
        lines += bytes[i] == '\n';
    }
    return lines;
}

/* Adds to an error in the last line, which lacks its end, or about the end of compressed data, what to do. */
static void propose_truncated(const load *l, isolab_error *e) {
    size_t last = last_line_of(&l->source), n = strlen(e->message);
    bool text = l->format == NULL || (l->format->flags & ISO_FORMAT_BINARY) == 0;
    bool in_last = text && last > 0 && last < l->source.size && e->offset >= last && e->offset != ISOLAB_NO_OFFSET;
    bool packed = l->source.bytes == NULL && strncmp(e->message, "expected more ", 14) == 0;
    if (e->code == ISOLAB_E_INPUT && (in_last || packed) && l->how != NULL && !l->how->truncated) {
        snprintf(e->message + n, sizeof e->message - n,
                 " (if the end is missing: --truncated leaves the last line out)");
    }
}

static void load_guarded(void *arg) {
    load *l = arg;
    static const iso_reading usual = {.rule = ISO_INITIAL_AUTO};
    const iso_reading *how = l->how != NULL ? l->how : &usual;
    if (l->given != NULL) {
        iso_source_copy(l->pool, l->given, l->given_size, &l->source);
        l->source.path = l->path;
    } else {
        iso_source_open_as(l->pool, l->path, how, &l->source);
    }
    l->format = l->format == NULL ? iso_format_detect(&l->source) : l->format;
    refuse_unreadable(l);
    l->source.how = how;
    uint64_t last_line = how->truncated ? cut_off(l) : 0;
    isolab_history *h = l->format->read(&l->source);
    iso_reading then = *how;
    then.rule = l->source.ordinary && how->rule == ISO_INITIAL_AUTO ? ISO_INITIAL_NO : how->rule;
    l->h = iso_initial_settle(l->pool, h, &then, l->source.built);
    l->h->taken.last_line = last_line;
    l->h->torn = last_line != 0 && l->h->torn == ISO_WHOLE ? ISO_TORN_UNIQUE : l->h->torn;
    l->h = iso_torn_settle(l->pool, l->h);
    l->source.kept &= l->h == h;
}

static isolab_history *load_or_blame(load *l) {
    iso_env *env = l->pool->env;
    if (iso_guard(env, load_guarded, l) != ISOLAB_OK) {
        if (env->error.file[0] == '\0') { /* folder formats set the member's name themselves */
            snprintf(env->error.file, sizeof env->error.file, "%s", l->path);
        }
        propose_truncated(l, &env->error);
        env->error.offset += env->error.offset == ISOLAB_NO_OFFSET ? 0 : l->source.mark;
        iso_rethrow(env);
    }
    if (!l->source.kept) {
        iso_free(l->pool, (void *)(uintptr_t)l->source.bytes);
    }
    return l->h;
}

isolab_history *iso_load_as(iso_pool *pool, const char *path, const iso_format *format, const iso_reading *how) {
    return load_or_blame(&(load){.pool = pool, .path = path, .format = format, .how = how});
}

isolab_history *iso_load(iso_pool *pool, const char *path, const iso_format *format) {
    return iso_load_as(pool, path, format, NULL);
}

isolab_history *iso_load_bytes_as(iso_pool *pool, const void *bytes, size_t size, const iso_format *format,
                                  const iso_reading *how) {
    return load_or_blame(&(load){.pool = pool,
                                 .path = "memory",
                                 .format = format,
                                 .given = bytes != NULL ? bytes : "",
                                 .given_size = size,
                                 .how = how});
}

isolab_history *iso_load_bytes(iso_pool *pool, const void *bytes, size_t size, const iso_format *format) {
    return iso_load_bytes_as(pool, bytes, size, format, NULL);
}
