/* Opening inputs: files, folders, standard input; zstd; detection. See format.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "formats/format.h"

/* Zero bytes behind every input, so that a scanner may look a word ahead. */
#define PADDING ISO_MAP_PADDING

/* Files from this size on are mapped instead of read. */
#define MAP_FROM 65536

typedef struct growing {
    unsigned char *bytes;
    size_t size, room;
} growing;

static void reserve(iso_pool *pool, growing *g, size_t more) {
    if (g->room - g->size < more + PADDING) {
        size_t room = g->room < 65536 ? 65536 : 2 * g->room;
        while (room - g->size < more + PADDING) {
            room *= 2;
        }
        g->bytes = iso_resize(pool, g->bytes, room, 1);
        g->room = room;
    }
}

static void read_all(iso_pool *pool, int fd, growing *g) {
    struct stat st;
    size_t step = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size + 1 : 65536;
    for (;;) {
        reserve(pool, g, step);
        ssize_t n = read(fd, g->bytes + g->size, step);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            iso_throw(pool->env, ISOLAB_E_IO, "cannot read: %s", strerror(errno));
        }
        if (n == 0) {
            break;
        }
        g->size += (size_t)n;
        step = (size_t)n < step ? step - (size_t)n : 65536;
    }
    memset(g->bytes + g->size, 0, PADDING);
}

static bool is_zstd(const growing *g) { return g->size >= 4 && memcmp(g->bytes, "\x28\xb5\x2f\xfd", 4) == 0; }

typedef struct inflation {
    iso_pool *pool;
    ZSTD_DStream *stream; /* zstd's own memory: freed by decompress() whatever happens */
    ZSTD_inBuffer in;
    growing out;
} inflation;

static void decompress_guarded(void *arg) {
    inflation *f = arg;
    iso_env *env = f->pool->env;
    size_t left = 1, step = ZSTD_DStreamOutSize();
    while (f->in.pos < f->in.size) {
        iso_tick(env);
        reserve(f->pool, &f->out, step);
        ZSTD_outBuffer o = {f->out.bytes + f->out.size, step, 0};
        left = ZSTD_decompressStream(f->stream, &o, &f->in);
        if (ZSTD_isError(left)) {
            iso_throw_input(env, 0, f->in.pos, "expected zstd data, found damage: %s", ZSTD_getErrorName(left));
        }
        f->out.size += o.pos;
    }
    if (left != 0) {
        iso_throw_input(env, 0, f->in.size, "expected more zstd data, found the end of the file");
    }
    reserve(f->pool, &f->out, 0);
    memset(f->out.bytes + f->out.size, 0, PADDING);
}

/* Replaces the bytes of a source by what they decompress to. */
static void decompress(iso_pool *pool, growing *g) {
    inflation f = {.pool = pool, .stream = ZSTD_createDStream(), .in = {g->bytes, g->size, 0}};
    if (f.stream == NULL) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "out of memory (zstd)");
    }
    int code = iso_guard(pool->env, decompress_guarded, &f);
    ZSTD_freeDStream(f.stream);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    iso_free(pool, g->bytes);
    *g = f.out;
}

/* The bytes of an open file: mapped when it is regular and large, else read. */
static growing take_file(iso_pool *pool, int fd) {
    growing g = {NULL, 0, 0};
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= MAP_FROM && lseek(fd, 0, SEEK_CUR) == 0) {
        g.size = (size_t)st.st_size;
        g.bytes = (unsigned char *)(uintptr_t)iso_map(pool, fd, g.size);
    }
    if (g.bytes == NULL) {
        g.size = 0;
        read_all(pool, fd, &g);
    }
    return g;
}

typedef struct opening {
    iso_pool *pool;
    const char *path;
    iso_source *source;
    int fd; /* -1: nothing to close */
} opening;

static void open_guarded(void *arg) {
    opening *o = arg;
    iso_pool *pool = o->pool;
    iso_source *source = o->source;
    *source = (iso_source){.pool = pool, .path = o->path};
    bool standard = strcmp(o->path, "-") == 0;
    if (!standard) {
        struct stat st;
        o->fd = open(o->path, O_RDONLY | O_CLOEXEC);
        if (o->fd < 0 || fstat(o->fd, &st) != 0) {
            iso_throw(pool->env, ISOLAB_E_IO, "cannot open: %s", strerror(errno));
        }
        if (S_ISDIR(st.st_mode)) {
            source->folder = true;
            source->bytes = iso_zalloc(pool, PADDING, 1);
            return;
        }
    }
    growing g = take_file(pool, standard ? STDIN_FILENO : o->fd);
    if (is_zstd(&g)) {
        decompress(pool, &g);
    }
    source->bytes = g.bytes;
    source->size = g.size;
}

void iso_source_open(iso_pool *pool, const char *path, iso_source *source) {
    opening o = {pool, path, source, -1};
    int code = iso_guard(pool->env, open_guarded, &o);
    if (o.fd >= 0) {
        close(o.fd);
    }
    if (code != ISOLAB_OK) {
        isolab_error *e = &pool->env->error;
        snprintf(e->file, sizeof e->file, "%s", path);
        iso_rethrow(pool->env);
    }
}

const iso_format *iso_format_detect(const iso_source *source) {
    const iso_format *best = NULL;
    int best_score = 0;
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        bool folder = iso_formats[i]->flags & ISO_FORMAT_FOLDER;
        int score = folder == source->folder ? iso_formats[i]->detect(source) : 0;
        if (score > best_score) {
            best_score = score;
            best = iso_formats[i];
        }
    }
    return best;
}

typedef struct load {
    iso_pool *pool;
    const char *path;
    const iso_format *format;
    const void *given; /* the bytes, where there is no path to open */
    size_t given_size;
    iso_source source;
    isolab_history *h;
} load;

static void take_bytes(load *l) {
    growing g = {NULL, 0, 0};
    reserve(l->pool, &g, l->given_size);
    if (l->given_size != 0) {
        memcpy(g.bytes, l->given, l->given_size);
    }
    memset(g.bytes + l->given_size, 0, PADDING);
    g.size = l->given_size;
    if (is_zstd(&g)) {
        decompress(l->pool, &g);
    }
    l->source = (iso_source){.pool = l->pool, .path = l->path, .bytes = g.bytes, .size = g.size};
}

static void load_guarded(void *arg) {
    load *l = arg;
    if (l->given != NULL) {
        take_bytes(l);
    } else {
        iso_source_open(l->pool, l->path, &l->source);
    }
    if (l->format == NULL) {
        l->format = iso_format_detect(&l->source);
        if (l->format == NULL) {
            iso_throw_input(l->pool->env, 0, 0,
                            "expected a history, found no known format (see `isolab list formats`, or name one with "
                            "--format)");
        }
    } else if (((l->format->flags & ISO_FORMAT_FOLDER) != 0) != l->source.folder) {
        iso_throw_input(l->pool->env, 0, 0, "expected a %s for format %s, found a %s",
                        l->source.folder ? "file" : "folder", l->format->name,
                        l->source.folder ? "folder" : "file");
    }
    l->h = l->format->read(&l->source);
}

static isolab_history *run(load *l) {
    iso_env *env = l->pool->env;
    if (iso_guard(env, load_guarded, l) != ISOLAB_OK) {
        if (env->error.file[0] == '\0') { /* folder formats name the member themselves */
            snprintf(env->error.file, sizeof env->error.file, "%s", l->path);
        }
        iso_rethrow(env);
    }
    if (!l->source.kept) {
        iso_free(l->pool, (void *)(uintptr_t)l->source.bytes);
    }
    return l->h;
}

isolab_history *iso_load(iso_pool *pool, const char *path, const iso_format *format) {
    return run(&(load){.pool = pool, .path = path, .format = format});
}

isolab_history *iso_load_bytes(iso_pool *pool, const void *bytes, size_t size, const iso_format *format) {
    return run(&(load){.pool = pool, .path = "memory", .format = format, .given = bytes != NULL ? bytes : "",
                       .given_size = size});
}
