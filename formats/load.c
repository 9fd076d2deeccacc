/* Loads histories: detects the format, and calls its reader. See format.h; source.c opens inputs. */
#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "history/initial.h"

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
    if (l->format == NULL) {
        l->format = iso_format_detect(&l->source);
        if (l->format == NULL) {
            if (l->source.size == 0 && !l->source.folder) {
                iso_throw_input(l->pool->env, 0, 0, "expected a history, found nothing: the file is empty");
            }
            if (l->source.folder) {
                iso_throw_input(
                    l->pool->env, 0, 0,
                    "expected a history, found a folder that is none (a folder of Cobra's *.log files would "
                    "be one)");
            }
            iso_throw_input(l->pool->env, 0, 0,
                            "expected a history, found no known format (see `isolab list formats`, or name one with "
                            "--format)");
        }
    } else if (((l->format->flags & ISO_FORMAT_FOLDER) != 0) != l->source.folder) {
        iso_throw_input(l->pool->env, 0, 0, "expected a %s for format %s, found a %s",
                        l->source.folder ? "file" : "folder", l->format->name, l->source.folder ? "folder" : "file");
    }
    l->source.how = how;
    isolab_history *h = l->format->read(&l->source);
    iso_reading then = *how;
    then.rule = l->source.ordinary && how->rule == ISO_INITIAL_AUTO ? ISO_INITIAL_NO : how->rule;
    l->h = iso_initial_settle(l->pool, h, &then, l->source.built);
    l->source.kept &= l->h == h;
}

static isolab_history *load_or_blame(load *l) {
    iso_env *env = l->pool->env;
    if (iso_guard(env, load_guarded, l) != ISOLAB_OK) {
        if (env->error.file[0] == '\0') { /* folder formats set the member's name themselves */
            snprintf(env->error.file, sizeof env->error.file, "%s", l->path);
        }
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
