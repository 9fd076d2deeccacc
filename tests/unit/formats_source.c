/* Tests formats/source.c. Opening inputs: files that are changed while they are read, pipes that give nothing, empty
 * files, damaged zstd, and zstd that unpacks to more than may be used. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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

/* A few kilobytes that unpack to 256 MiB. */
static void bomb(const char *path) {
    size_t n = (size_t)1 << 28, room = ZSTD_compressBound(1 << 20);
    ZSTD_CStream *z = ZSTD_createCStream();
    char *out = malloc(room), *zeros = calloc(1, 1 << 20);
    FILE *f = fopen(path, "w");
    if (z == NULL || out == NULL || zeros == NULL || f == NULL) {
        bail_out("cannot write %s", path);
    }
    memset(zeros, '\n', 1 << 20);
    for (size_t done = 0; done < n; done += 1 << 20) {
        ZSTD_inBuffer in = {zeros, 1 << 20, 0};
        bool last = done + (1 << 20) == n;
        size_t left;
        do {
            ZSTD_outBuffer o = {out, room, 0};
            left = ZSTD_compressStream2(z, &o, &in, last ? ZSTD_e_end : ZSTD_e_continue);
            fwrite(out, 1, o.pos, f);
        } while (in.pos < in.size || (last && left > 0));
    }
    ZSTD_freeCStream(z);
    free(zeros);
    free(out);
    fclose(f);
    load l;
    iso_env_init(&l.env);
    l.env.limits->memory = 32 << 20;
    cmp_ok(begin(&l, path), "==", ISOLAB_E_LIMIT, "what unpacks to too much ends with the memory limit");
    cmp_ok(l.env.limits->peak, "<=", 32 << 20, "no more than the memory limit was ever used");
    iso_pool_free(&l.pool);
    cmp_ok(l.env.limits->used, "==", 0, "and no memory stays");
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
    char text[] = "session A\nt1 commit: w x 1\n", packed[256];
    size_t size = ZSTD_compress(packed, sizeof packed, text, strlen(text), 3);
    for (size_t cut = 4; cut < size; cut++) {
        refused(path, "zstd that was cut", packed, cut, "zstd data|the file is empty");
    }
    packed[5] = (char)(packed[5] ^ 0x40);
    refused(path, "damaged zstd", packed, size, "zstd data");
    bomb(path);
    rmdir(folder);
    return done_testing();
}
