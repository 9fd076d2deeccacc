/* Opens inputs: files, folders, pipes, standard input; compressed ones. See format.h.
 *
 * A file is read and never mapped: bytes in memory cannot change after a reader has tested them, and a file that
 * another process truncates is an error and not a signal. (Mapping a file of 200 MB would save about 30 ms.) */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parts.h"
#include "formats/format.h"
#include "formats/packing.h"

/* Number of zero bytes after every input, so that a scanner may read a word ahead. */
#define PADDING ISO_SOURCE_PADDING

/* Limit of the bytes read between two tests of the limits. */
#define PIECE ((size_t)1 << 24)

typedef struct growing {
    unsigned char *bytes;
    size_t size, room;
    size_t most; /* limit; 0: only the usual limits */
} growing;

static void grow(iso_pool *pool, growing *g, size_t by) {
    g->size += by;
    if (g->most != 0 && g->size > g->most) {
        iso_throw_input(pool->env, 0, g->most, "expected at most %zu bytes, found more", g->most);
    }
}

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

/* Waits until a pipe, a terminal or a socket has bytes to read, as long as the limits allow. */
static void await(iso_env *env, int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        iso_tick_slow(env);
        ready = poll(&p, 1, 50);
    } while (ready == 0 || (ready < 0 && errno == EINTR));
}

/* Reads some bytes. Returns false at the end. */
static bool read_piece(iso_pool *pool, int fd, growing *g, size_t most) {
    reserve(pool, g, most);
    ssize_t n = read(fd, g->bytes + g->size, most);
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        iso_throw(pool->env, ISOLAB_E_IO, "cannot read: %s", strerror(errno));
    }
    grow(pool, g, n > 0 ? (size_t)n : 0);
    return n != 0;
}

/* A file that several threads read at once. */
typedef struct shared_file {
    int fd;
    unsigned char *bytes;
    size_t size;
    atomic_bool short_of; /* it has fewer bytes */
} shared_file;

static void read_part(iso_part *part) {
    shared_file *f = part->arg;
    size_t at = iso_part_from(part, f->size), end = iso_part_end(part, f->size);
    while (at < end && !atomic_load(&f->short_of)) {
        iso_tick_slow(part->pool->env);
        ssize_t n = pread(f->fd, f->bytes + at, end - at < PIECE ? end - at : PIECE, (off_t)at);
        if (n < 0 && errno != EINTR) {
            iso_throw(part->pool->env, ISOLAB_E_IO, "cannot read: %s", strerror(errno));
        }
        if (n == 0) {
            atomic_store(&f->short_of, true);
        }
        at += n > 0 ? (size_t)n : 0;
    }
}

/* Reads the bytes that a file should have, where several threads are worth it, so that one reader finds only its
 * end. */
static void read_ahead(iso_pool *pool, int fd, size_t expected, const iso_reading *how, growing *g) {
    unsigned threads = iso_reading_threads(how, expected);
    if (threads < 2 || g->most != 0 || lseek(fd, 0, SEEK_CUR) != 0) {
        return;
    }
    shared_file f = {.fd = fd, .bytes = g->bytes, .size = expected};
    iso_parts(pool, threads, read_part, &f);
    if (!atomic_load(&f.short_of) && lseek(fd, (off_t)expected, SEEK_SET) >= 0) {
        g->size = expected;
    }
}

/* A regular file must be unchanged after reading: a part of a history may look like a whole one. */
static void read_file(iso_pool *pool, int fd, const struct stat *before, const iso_reading *how, growing *g) {
    iso_env *env = pool->env;
    size_t expected = before->st_size > 0 ? (size_t)before->st_size : 0;
    if (expected > 0) {
        g->room = expected + 1 + PADDING;
        g->bytes = iso_alloc(pool, g->room, 1);
        read_ahead(pool, fd, expected, how, g);
    }
    do {
        iso_tick_slow(env);
        iso_progress(env, "read", g->size, expected);
    } while (read_piece(pool, fd, g,
                        g->size > expected || expected == 0 ? 65536
                        : expected + 1 - g->size < PIECE    ? expected + 1 - g->size
                                                            : PIECE));
    struct stat after;
    if (fstat(fd, &after) != 0) {
        iso_throw(env, ISOLAB_E_IO, "cannot read: %s", strerror(errno));
    }
    if (after.st_size != before->st_size || after.st_mtim.tv_sec != before->st_mtim.tv_sec ||
        after.st_mtim.tv_nsec != before->st_mtim.tv_nsec) {
        iso_throw_input(env, 0, g->size,
                        "expected a file that stays as it is, found one that was changed while it was "
                        "read (%lld bytes before, %lld after)",
                        (long long)before->st_size, (long long)after.st_size);
    }
}

static growing read_all(iso_pool *pool, int fd, size_t most, const iso_reading *how) {
    growing g = {.most = most};
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        read_file(pool, fd, &st, how, &g);
    } else {
        do {
            await(pool->env, fd);
        } while (read_piece(pool, fd, &g, 65536));
    }
    reserve(pool, &g, 0);
    memset(g.bytes + g.size, 0, PADDING);
    return g;
}

typedef struct inflation {
    iso_pool *pool;
    iso_packer stream; /* with the library's own memory, which decompress() always frees */
    const growing *packed;
    bool truncated; /* its end may be missing */
    growing out;
} inflation;

static bool only_zeros(const unsigned char *at, size_t n) {
    return n == 0 || (*at == 0 && memcmp(at, at + 1, n - 1) == 0);
}

static void decompress_guarded(void *arg) {
    enum { STEP = 1 << 17 };
    inflation *f = arg;
    iso_env *env = f->pool->env;
    iso_packer *p = &f->stream;
    iso_pack_state state;
    do {
        iso_tick_slow(env);
        reserve(f->pool, &f->out, STEP);
        p->out = f->out.bytes + f->out.size;
        p->n_out = STEP;
        state = iso_packer_step(p, false);
        grow(f->pool, &f->out, STEP - p->n_out);
        if (state == ISO_PACK_DAMAGE) {
            iso_throw_input(env, 0, f->packed->size - p->n_in, "expected %s data, found damage: %s", p->how->name,
                            p->wrong);
        }
        if (state == ISO_PACK_MEMORY) {
            iso_throw_limit(env, ISO_LIMIT_MEMORY, "out of memory (%s)", p->how->name);
        }
    } while (state == ISO_PACK_END ? !only_zeros(p->in, p->n_in) : p->n_in > 0 || p->n_out == 0);
    if (state != ISO_PACK_END && !f->truncated) {
        iso_throw_input(env, 0, f->packed->size, "expected more %s data, found the end of the file", p->how->name);
    }
    reserve(f->pool, &f->out, 0);
    memset(f->out.bytes + f->out.size, 0, PADDING);
}

/* Replaces the bytes of a source by their decompressed form. */
static void decompress(iso_pool *pool, growing *g, const iso_packing *how, bool truncated) {
    inflation f = {.pool = pool, .packed = g, .truncated = truncated, .out.most = g->most};
    const iso_limits *limits = pool->env->limits;
    uint64_t used = atomic_load(&limits->used), most = limits->memory;
    if (!iso_packer_open(&f.stream, how, true, most > used ? most - used : most != 0)) {
        iso_throw_limit(pool->env, ISO_LIMIT_MEMORY, "out of memory (%s)", how->name);
    }
    f.stream.in = g->bytes;
    f.stream.n_in = g->size;
    int code = iso_guard(pool->env, decompress_guarded, &f);
    iso_packer_close(&f.stream);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    iso_free(pool, g->bytes);
    *g = f.out;
}

/* A text may begin with a byte order mark of UTF-8; after these bytes no text has a control character. */
static void drop_mark(iso_source *source) {
    const unsigned char *p = source->bytes;
    if (source->size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 && (p[3] >= ' ' || memchr("\t\n\r", p[3], 3) != NULL)) {
        source->mark = 3;
        source->size -= 3;
        memmove((void *)(uintptr_t)p, p + 3, source->size + PADDING);
    }
}

static void take(iso_pool *pool, growing g, const iso_reading *reading, iso_source *source) {
    const iso_packing *how = iso_packing_of_bytes(g.bytes, g.size);
    if (how != NULL) {
        decompress(pool, &g, how, reading != NULL && reading->truncated);
    }
    source->bytes = g.bytes;
    source->size = g.size;
    drop_mark(source);
}

void iso_source_copy(iso_pool *pool, const void *bytes, size_t size, iso_source *source) {
    if (size > SIZE_MAX / 2) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "%zu bytes are no input", size);
    }
    growing g = {.bytes = iso_zalloc(pool, size + PADDING, 1), .size = size, .room = size + PADDING};
    if (size != 0) {
        memcpy(g.bytes, bytes, size);
    }
    *source = (iso_source){.pool = pool, .path = "memory"};
    take(pool, g, NULL, source);
}

typedef struct opening {
    iso_pool *pool;
    const char *path;
    size_t most;
    const iso_reading *how;
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
        o->fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe may have no writer yet */
        if (o->fd < 0 || fstat(o->fd, &st) != 0) {
            iso_throw(pool->env, ISOLAB_E_IO, "cannot open: %s", strerror(errno));
        }
        if (S_ISDIR(st.st_mode)) {
            source->folder = true;
            source->bytes = iso_zalloc(pool, PADDING, 1);
            return;
        }
    }
    take(pool, read_all(pool, standard ? STDIN_FILENO : o->fd, o->most, o->how), o->how, source);
}

static void open_source(iso_pool *pool, const char *path, size_t most, const iso_reading *how, iso_source *source) {
    opening o = {pool, path, most, how, source, -1};
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

void iso_source_open(iso_pool *pool, const char *path, iso_source *source) { open_source(pool, path, 0, NULL, source); }

void iso_source_open_as(iso_pool *pool, const char *path, const iso_reading *how, iso_source *source) {
    open_source(pool, path, 0, how, source);
}

char *iso_source_text(iso_pool *pool, const char *path, size_t most, size_t *size) {
    iso_source source;
    open_source(pool, path, most, NULL, &source);
    if (source.folder) {
        iso_throw_file(pool->env, ISOLAB_E_IO, path, "cannot read: %s", strerror(EISDIR));
    }
    *size = source.size;
    return (char *)source.bytes; /* a block of our pool */
}
