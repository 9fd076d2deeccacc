/* Writes histories: files, folders, standard output; compressed files. See format.h.
 *
 * A file appears only when it is complete (base/file.h), and so does a folder, which is filled under a temporary name.
 * So if writing fails, the old file or folder stays. The temporary folder of a killed writer is removed when the next
 * folder of the same name is written. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "formats/format.h"
#include "formats/packing.h"
#include "history/copy.h"

typedef struct save {
    iso_pool *pool;
    const isolab_history *h;
    const iso_format *format;
    const char *path;
    iso_file file;            /* also used for the stream of standard output */
    char target[PATH_MAX];    /* the folder's name, with links followed */
    char temporary[PATH_MAX]; /* a folder to remove; empty: none */
    int lock;                 /* descriptor of this folder, locked; -1: none */
} save;

/* A stream that compresses into another stream. */
typedef struct squeeze {
    iso_packer packer;
    FILE *below;
    unsigned char buffer[1 << 17];
} squeeze;

static int squeeze_step(squeeze *z, const char *bytes, size_t n, bool last) {
    iso_packer *p = &z->packer;
    p->in = (const unsigned char *)bytes;
    p->n_in = n;
    iso_pack_state state;
    do {
        p->out = z->buffer;
        p->n_out = sizeof z->buffer;
        state = iso_packer_step(p, last);
        size_t made = sizeof z->buffer - p->n_out;
        if (state > ISO_PACK_END || fwrite(z->buffer, 1, made, z->below) != made) {
            return -1;
        }
    } while (last ? state != ISO_PACK_END : p->n_in > 0 || p->n_out == 0);
    return 0;
}

static ssize_t squeeze_write(void *cookie, const char *bytes, size_t n) {
    return squeeze_step(cookie, bytes, n, false) == 0 ? (ssize_t)n : 0;
}

static int squeeze_close(void *cookie) {
    squeeze *z = cookie;
    int failed = squeeze_step(z, NULL, 0, true) != 0;
    failed |= fclose(z->below) != 0;
    iso_packer_close(&z->packer);
    return failed ? EOF : 0;
}

static _Noreturn void refuse(const save *s, const char *what) {
    iso_throw(s->pool->env, ISOLAB_E_IO, "cannot %s: %s", what, strerror(errno));
}

/* Puts the compressor between the file and its writer. fclose() frees what the library has. */
static void compress(save *s, const iso_packing *how) {
    squeeze *z = ISO_NEW(s->pool, squeeze, 1);
    z->below = s->file.out;
    if (!iso_packer_open(&z->packer, how, false, 0)) {
        iso_throw_limit(s->pool->env, ISO_LIMIT_MEMORY, "out of memory (%s)", how->name);
    }
    FILE *above = fopencookie(z, "w", (cookie_io_functions_t){.write = squeeze_write, .close = squeeze_close});
    if (above == NULL) {
        iso_packer_close(&z->packer);
        refuse(s, "write");
    }
    s->file.out = above;
}

static void write_stream(save *s) {
    const iso_packing *how = iso_packing_of_path(s->path);
    if (how != NULL) {
        compress(s, how);
    }
    iso_sink sink = {.pool = s->pool, .path = s->path, .out = s->file.out};
    s->format->write(s->h, &sink);
}

static void save_stdout(save *s) {
    if (s->format->flags & ISO_FORMAT_FOLDER) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "format %s is a folder of files: name one with -o", s->format->name);
    }
    if ((s->format->flags & ISO_FORMAT_BINARY) && isatty(STDOUT_FILENO)) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "format %s is not for a terminal: name a file with -o",
                  s->format->name);
    }
    s->file.out = stdout;
    write_stream(s);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        errno = errno != 0 ? errno : EIO;
        refuse(s, "write");
    }
}

static void save_file(save *s) {
    iso_file_open(s->pool->env, &s->file, s->path);
    write_stream(s);
    iso_file_close(s->pool->env, &s->file);
}

/* Removes a file, or a folder of files. */
static void remove_at(int folder, const char *name) {
    if (unlinkat(folder, name, 0) == 0) {
        return;
    }
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *entry; d != NULL && (entry = readdir(d)) != NULL;) {
        unlinkat(fd, entry->d_name, 0); /* fails on . and .., as it should */
    }
    if (d != NULL) {
        closedir(d);
    }
    unlinkat(folder, name, AT_REMOVEDIR);
}

/* Removes folders of this target whose writers were killed: no process holds their lock. */
static void remove_left(const save *s) {
    char folder[PATH_MAX];
    const char *parent = iso_file_folder(folder, s->target);
    const char *slash = strrchr(s->target, '/'), *base = slash == NULL ? s->target : slash + 1;
    size_t n = strlen(base);
    DIR *d = opendir(parent);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        bool left = strncmp(e->d_name, base, n) == 0 &&
                    strncmp(e->d_name + n, ISO_FILE_TEMPORARY, strlen(ISO_FILE_TEMPORARY)) == 0;
        if (!left) {
            continue;
        }
        int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            remove_at(dirfd(d), e->d_name);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
}

/* Makes a temporary folder and locks it, so that other processes know that its writer lives. Between these two steps
 * another process may consider the folder abandoned and remove it; then another folder is made. */
static void make_folder(save *s) {
    struct stat st = {.st_nlink = 0};
    while (st.st_nlink == 0) {
        s->temporary[0] = '\0';
        char name[PATH_MAX];
        errno = ENAMETOOLONG;
        if (iso_file_beside(name, s->target) == NULL || mkdtemp(name) == NULL) {
            refuse(s, "create a folder");
        }
        memcpy(s->temporary, name, sizeof name);
        s->lock = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (s->lock < 0 && errno == ENOENT) {
            continue;
        }
        if (s->lock < 0 || fstat(s->lock, &st) != 0) {
            refuse(s, "create a folder");
        }
        if (flock(s->lock, LOCK_EX) ==
            0) { /* otherwise the file system has no locks, and no other process will remove it either */
            fstat(s->lock, &st);
        }
        if (st.st_nlink == 0) {
            close(s->lock);
            s->lock = -1;
        }
    }
    if (chmod(s->temporary, iso_file_mode(0777)) != 0) {
        refuse(s, "create a folder");
    }
}

static void save_folder(save *s) {
    const iso_packing *how = iso_packing_of_path(s->path);
    if (how != NULL) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "format %s is a folder of files, which cannot be one %s file",
                  s->format->name, how->suffix);
    }
    make_folder(s);
    remove_left(s);
    iso_sink sink = {.pool = s->pool, .path = s->temporary};
    s->format->write(s->h, &sink);
    if (rename(s->temporary, s->target) != 0) { /* replaces an empty folder, never one with content */
        refuse(s, errno == ENOTEMPTY || errno == EEXIST ? "replace the folder" : "rename");
    }
    s->temporary[0] = '\0';
}

static void save_guarded(void *arg) {
    save *s = arg;
    if (strcmp(s->path, "-") == 0) {
        save_stdout(s);
        return;
    }
    if ((s->format->flags & ISO_FORMAT_FOLDER) == 0) {
        save_file(s);
        return;
    }
    if (realpath(s->path, s->target) == NULL &&
        snprintf(s->target, sizeof s->target, "%s", s->path) >= (int)sizeof s->target) {
        errno = ENAMETOOLONG;
        refuse(s, "create a folder");
    }
    size_t n = strlen(s->target);
    while (n > 1 && s->target[n - 1] == '/') {
        s->target[--n] = '\0';
    }
    save_folder(s);
}

void iso_save(iso_pool *pool, const isolab_history *h, const char *path, const iso_format *format) {
    if (h->version_not != NULL && !(format->flags & ISO_FORMAT_NEGATIONS)) {
        h = iso_copy_without_negations(pool, h);
    }
    save s = {.pool = pool, .h = h, .format = format, .path = path, .file = {.unnamed = -1}, .lock = -1};
    int code = iso_guard(pool->env, save_guarded, &s);
    if (s.lock >= 0) {
        close(s.lock);
    }
    if (code != ISOLAB_OK) {
        isolab_error *e = &pool->env->error;
        s.file.out = s.file.out == stdout ? NULL : s.file.out;
        iso_file_drop(&s.file);
        if (s.temporary[0] != '\0') {
            remove_at(AT_FDCWD, s.temporary);
        }
        if (e->file[0] == '\0') {
            snprintf(e->file, sizeof e->file, "%s", path);
        }
        iso_rethrow(pool->env);
    }
}

/* The job of writing a history into memory. */
typedef struct text {
    iso_pool *pool;
    const isolab_history *h;
    const iso_format *format;
    FILE *out;
    char *bytes; /* of the stream */
    size_t size;
    bool whole;
    char *copy; /* of the pool */
} text;

static void write_text(void *arg) {
    const text *t = arg;
    iso_sink sink = {.pool = t->pool, .path = "-", .out = t->out};
    t->format->write(t->h, &sink);
}

static void copy_text(void *arg) {
    text *t = arg;
    if (!t->whole) {
        iso_throw_limit(t->pool->env, ISO_LIMIT_MEMORY, "out of memory (the text of a history)");
    }
    t->copy = iso_copy_text(t->pool, t->bytes, t->size);
}

char *iso_save_text(iso_pool *pool, const isolab_history *h, const iso_format *format, size_t *size) {
    if (h->version_not != NULL && !(format->flags & ISO_FORMAT_NEGATIONS)) {
        h = iso_copy_without_negations(pool, h);
    }
    text t = {.pool = pool, .h = h, .format = format};
    t.out = open_memstream(&t.bytes, &t.size);
    int code = t.out != NULL ? iso_guard(pool->env, write_text, &t) : ISOLAB_OK;
    t.whole = t.out != NULL && !ferror(t.out);
    t.whole &= t.out != NULL && fclose(t.out) == 0;
    code = code == ISOLAB_OK ? iso_guard(pool->env, copy_text, &t) : code;
    free(t.bytes);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    *size = t.size;
    return t.copy;
}
