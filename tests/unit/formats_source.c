/* Tests formats/source.c. Opening inputs: files that are changed while they are read, pipes that give nothing, empty
 * files, damaged zstd, gzip and xz, and what unpacks to more than may be used. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "formats/format.h"
#include "tests/tap.h"

typedef struct load {
    iso_env env;
    iso_pool pool;
    const char *path;
    isolab_history *h;
} load;

static void load_guarded(void *arg) {
    load *l = arg;
    l->h = iso_load(&l->pool, l->path, NULL);
}

static int begin(load *l, const char *path) {
    l->path = path;
    iso_pool_init(&l->pool, &l->env);
    return iso_guard(&l->env, load_guarded, l);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "w");
    if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
        bail_out("cannot write %s", path);
    }
}

/* ---- a file that changes ---- */

typedef struct change {
    const char *path, *more;
    off_t size;
    bool done;
} change;

/* Called between two pieces of the read. */
static void change_now(void *arg, const char *phase, uint64_t done, uint64_t total) {
    change *c = arg;
    (void)phase;
    if (c->done || done == 0 || done >= total) {
        return;
    }
    c->done = true;
    FILE *f = fopen(c->path, "a");
    bool good = f != NULL && (c->more == NULL || fputs(c->more, f) >= 0) && fclose(f) == 0 &&
                (c->size == 0 || truncate(c->path, c->size) == 0);
    if (!good) {
        bail_out("cannot change %s", c->path);
    }
}

/* The first half is a whole history by itself: only the change shows that a half was not meant. */
static void changes(const char *path, const char *name, off_t size, const char *more) {
    static const char first[] = "session A\nt1 commit: w x 1\n", comment[] = "# nothing\n";
    size_t n = (size_t)36 << 20;
    char *text = malloc(n);
    if (text == NULL) {
        bail_out("out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        text[i] = comment[i % 10];
    }
    memcpy(text, first, strlen(first) - 1);
    for (size_t i = strlen(first) - 1; text[i] != '\n'; i++) {
        text[i] = '\n';
    }
    text[n - 1] = '\n';
    write_file(path, text, n);
    free(text);
    change c = {path, more, size, false};
    load l;
    iso_env_init(&l.env);
    l.env.progress = change_now;
    l.env.progress_arg = &c;
    cmp_ok(begin(&l, path), "==", ISOLAB_E_INPUT, "a file that %s while it is read", name);
    ok(c.done, "the file did change while it was read");
    like(l.env.error.message, "changed while it was read", "%s: the error says so", name);
    is(l.env.error.file, path, "%s: and names the file", name);
    iso_pool_free(&l.pool);
    cmp_ok(l.env.limits->used, "==", 0, "%s: no memory stays", name);
    l.env.progress = NULL;
    unlink(path);
}

/* ---- pipes ---- */

static void pipes(const char *path) {
    if (mkfifo(path, 0600) != 0) {
        bail_out("cannot make a pipe");
    }
    load l;
    iso_env_init(&l.env);
    l.env.limits->deadline = iso_now() + 20000000;
    cmp_ok(begin(&l, path), "==", ISOLAB_E_LIMIT, "a pipe that no one writes to ends with the time limit");
    iso_pool_free(&l.pool);
    int fd = open(path, O_RDWR);
    l.env.limits->deadline = iso_now() + 20000000;
    cmp_ok(begin(&l, path), "==", ISOLAB_E_LIMIT, "and so does one whose writer is silent");
    iso_pool_free(&l.pool);
    l.env.limits->deadline = 0;
    l.env.limits->interrupted = 1;
    cmp_ok(begin(&l, path), "==", ISOLAB_E_LIMIT, "or with an interrupt");
    iso_pool_free(&l.pool);
    close(fd);
    unlink(path);
}

/* ---- empty and damaged ---- */

static void refused(const char *path, const char *name, const void *bytes, size_t size, const char *expected) {
    load l;
    iso_env_init(&l.env);
    write_file(path, bytes, size);
    cmp_ok(begin(&l, path), "==", ISOLAB_E_INPUT, "%s is malformed input", name);
    like(l.env.error.message, expected, "%s: the error", name);
    iso_pool_free(&l.pool);
    cmp_ok(l.env.limits->used, "==", 0, "%s: no memory stays", name);
    unlink(path);
}

/* ---- compressed ---- */

enum { GZIP, XZ, ZSTD };
static const char *const names[] = {[GZIP] = "gzip", [XZ] = "xz", [ZSTD] = "zstd"};

/* Packs bytes by a library itself. Returns the size. */
static size_t pack(int how, const void *bytes, size_t size, void *to, size_t room) {
    size_t n = 0;
    if (how == GZIP) {
        z_stream z = {
            .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size, .next_out = to, .avail_out = (uInt)room};
        n = deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY) == Z_OK && deflate(&z, Z_FINISH) == Z_STREAM_END
                ? z.total_out
                : 0;
        deflateEnd(&z);
    } else if (how == XZ) {
        n = lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, bytes, size, to, &n, room) == LZMA_OK ? n : 0;
    } else {
        n = ZSTD_compress(to, room, bytes, size, 3);
    }
    if (n == 0) {
        bail_out("cannot pack");
    }
    return n;
}

/* Every beginning of a packed history, every byte of it changed, and two of them after each other. */
static void packed(const char *path, int how) {
    static const char text[] = "session A\nt1 commit: w x 1\n", more[] = "session B\nt2 commit: r x 1\n";
    unsigned char bytes[1024];
    size_t size = pack(how, text, strlen(text), bytes, sizeof bytes / 2);
    load l;
    for (size_t cut = 6; cut < size; cut++) {
        refused(path, names[how], bytes, cut,
                how == XZ     ? "more xz data"
                : how == GZIP ? "more gzip data"
                              : "zstd data");
    }
    unsigned unnoticed = 0, other = 0;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x41;
        iso_env_init(&l.env);
        write_file(path, bytes, size);
        int code = begin(&l, path);
        unnoticed += code == ISOLAB_OK && (l.h->n_ops != 1 || l.h->n_sessions != 1);
        other += code != ISOLAB_OK && code != ISOLAB_E_INPUT && code != ISOLAB_E_LIMIT;
        iso_pool_free(&l.pool);
        other += l.env.limits->used != 0;
        bytes[i] ^= 0x41;
    }
    cmp_ok(unnoticed, "==", 0, "%s: no changed byte adds or removes an operation", names[how]);
    cmp_ok(other, "==", 0, "%s: a changed byte is malformed input, and no memory stays", names[how]);
    size += pack(how, more, strlen(more), bytes + size, sizeof bytes - size);
    memset(bytes + size, 0, 8);
    write_file(path, bytes, size + 8);
    iso_env_init(&l.env);
    cmp_ok(begin(&l, path), "==", ISOLAB_OK, "%s: two after each other, and zeros, are one input", names[how]);
    cmp_ok(l.h->n_ops, "==", 2, "%s: of both", names[how]);
    iso_pool_free(&l.pool);
    unlink(path);
}

/* A few kilobytes that unpack to 64 MiB. */
static void bomb(const char *path, int how) {
    size_t n = (size_t)1 << 26, room = 1 << 20;
    char *out = malloc(room), *zeros = malloc(n);
    if (out == NULL || zeros == NULL) {
        bail_out("out of memory");
    }
    memset(zeros, '\n', n);
    write_file(path, out, pack(how, zeros, n, out, room));
    free(zeros);
    free(out);
    load l;
    iso_env_init(&l.env);
    l.env.limits->memory = 32 << 20;
    cmp_ok(begin(&l, path), "==", ISOLAB_E_LIMIT, "%s: what unpacks to too much ends with the memory limit",
           names[how]);
    cmp_ok(l.env.limits->peak, "<=", 32 << 20, "%s: no more than the memory limit was ever used", names[how]);
    iso_pool_free(&l.pool);
    cmp_ok(l.env.limits->used, "==", 0, "%s: and no memory stays", names[how]);
    unlink(path);
}

int main(void) {
    plan(NO_PLAN);
    char folder[] = "/tmp/isolab-source-XXXXXX", path[64];
    if (mkdtemp(folder) == NULL) {
        bail_out("cannot make a folder");
    }
    snprintf(path, sizeof path, "%s/input", folder);
    changes(path, "is shortened", 27 + 10 * 1000, NULL);
    changes(path, "grows", 0, "session B\n");
    pipes(path);
    refused(path, "an empty file", "", 0, "the file is empty");
    refused(path, "a zero byte", "", 1, "no known format");
    for (int how = GZIP; how <= ZSTD; how++) {
        packed(path, how);
        bomb(path, how);
    }
    rmdir(folder);
    return done_testing();
}
