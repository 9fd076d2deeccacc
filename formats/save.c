/* Writing outputs: files, folders, standard output; zstd. See format.h.
 *
 * A file has no name until all of it is written (or, where the file system has no such files, a temporary one beside
 * its own); then it is linked, or takes the old one's place. A folder is filled under a temporary name. So
 * whatever goes wrong, the old file or nothing at all stays. A file of which the writing is killed leaves nothing; the
 * folder that is left then is removed by the next one that is written under the same name. */
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
#include <zstd.h>

#include "base/hash.h"
#include "formats/format.h"

typedef struct save {
    iso_pool *pool;
    const isolab_history *h;
    const iso_format *format;
    const char *path;
    char *target;    /* what is renamed to: path with links followed */
    char *temporary; /* NULL: nothing to remove */
    FILE *out;       /* what must be closed */
    int unnamed;     /* the file without a name; -1: there is none */
    int lock;        /* the temporary folder, locked; -1: there is none */
} save;

/* A stream that compresses into another one. */
typedef struct squeeze {
    ZSTD_CStream *stream;
    FILE *below;
    char *buffer;
    size_t room;
} squeeze;

static int squeeze_step(squeeze *z, const char *bytes, size_t n, ZSTD_EndDirective how) {
    ZSTD_inBuffer in = {bytes, n, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {z->buffer, z->room, 0};
        left = ZSTD_compressStream2(z->stream, &out, &in, how);
        if (ZSTD_isError(left) || fwrite(z->buffer, 1, out.pos, z->below) != out.pos) {
            return -1;
        }
    } while (in.pos < in.size || (how == ZSTD_e_end && left > 0));
    return 0;
}

static ssize_t squeeze_write(void *cookie, const char *bytes, size_t n) {
    return squeeze_step(cookie, bytes, n, ZSTD_e_continue) == 0 ? (ssize_t)n : 0;
}

static int squeeze_close(void *cookie) {
    squeeze *z = cookie;
    int failed = squeeze_step(z, NULL, 0, ZSTD_e_end) != 0;
    failed |= fclose(z->below) != 0;
    ZSTD_freeCStream(z->stream);
    return failed ? EOF : 0;
}

static bool is_compressed(const char *path) {
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".zst") == 0;
}

static _Noreturn void refuse(const save *s, const char *what) {
    iso_throw(s->pool->env, ISOLAB_E_IO, "cannot %s: %s", what, strerror(errno));
}

/* Puts the compressor between s->out and who writes. The stream object is small and freed by fclose(). */
static void compress(save *s) {
    squeeze *z = ISO_NEW(s->pool, squeeze, 1);
    z->room = ZSTD_CStreamOutSize();
    z->buffer = ISO_NEW(s->pool, char, z->room);
    z->below = s->out;
    z->stream = ZSTD_createCStream();
    if (z->stream == NULL) {
        iso_throw_limit(s->pool->env, ISO_LIMIT_MEMORY, "out of memory (zstd)");
    }
    ZSTD_CCtx_setParameter(z->stream, ZSTD_c_checksumFlag, 1);
    FILE *above = fopencookie(z, "w", (cookie_io_functions_t){.write = squeeze_write, .close = squeeze_close});
    if (above == NULL) {
        ZSTD_freeCStream(z->stream);
        refuse(s, "write");
    }
    s->out = above;
}

static void close_out(save *s) {
    FILE *out = s->out;
    s->out = NULL;
    errno = 0;
    bool failed = fflush(out) != 0 || ferror(out);
    int why = errno;
    if (out != stdout) {
        failed |= fclose(out) != 0;
    }
    if (failed) {
        errno = why != 0 ? why : errno != 0 ? errno : EIO;
        refuse(s, "write");
    }
}

static mode_t usual_mode(mode_t all) {
    mode_t mask = umask(0);
    umask(mask);
    return all & ~mask;
}

/* path with ".isolab-XXXXXX" appended, for mkstemp() and mkdtemp(). */
#define TEMPORARY ".isolab-"
static char *temporary_name(save *s) {
    size_t n = strlen(s->target);
    while (n > 1 && s->target[n - 1] == '/') { /* of a folder */
        s->target[--n] = '\0';
    }
    char *name = ISO_NEW(s->pool, char, n + sizeof TEMPORARY "XXXXXX");
    memcpy(name, s->target, n);
    memcpy(name + n, TEMPORARY "XXXXXX", sizeof TEMPORARY "XXXXXX");
    return name;
}

/* The folder that the target is in. */
static char *parent_of(const save *s) {
    const char *slash = strrchr(s->target, '/');
    size_t n = slash == NULL ? 0 : slash == s->target ? 1 : (size_t)(slash - s->target);
    char *folder = ISO_NEW(s->pool, char, n + 2);
    memcpy(folder, n == 0 ? "." : s->target, n == 0 ? 1 : n);
    folder[n == 0 ? 1 : n] = '\0';
    return folder;
}

static void write_stream(save *s) {
    if (is_compressed(s->path)) {
        compress(s);
    }
    iso_sink sink = {.pool = s->pool, .path = s->path, .out = s->out};
    s->format->write(s->h, &sink);
    close_out(s);
}

static void save_stdout(save *s) {
    if (s->format->flags & ISO_FORMAT_FOLDER) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "format %s is a folder of files: name one with -o",
                  s->format->name);
    }
    if ((s->format->flags & ISO_FORMAT_BINARY) && isatty(STDOUT_FILENO)) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "format %s is not for a terminal: name a file with -o",
                  s->format->name);
    }
    s->out = stdout;
    write_stream(s);
}

/* A device or a pipe is written to as it is: there is nothing to rename. */
static void save_device(save *s) {
    s->out = fopen(s->path, "we");
    if (s->out == NULL) {
        refuse(s, "open");
    }
    write_stream(s);
}

/* A file without a name in the target's folder; -1 where there can be none. */
static int open_unnamed(const save *s) {
    char *folder = parent_of(s);
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    iso_free(s->pool, folder);
    return fd;
}

/* Gives the file that has none a name: its own, or a temporary one where something has that already. */
static bool link_unnamed(save *s) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", s->unnamed);
    if (linkat(AT_FDCWD, self, AT_FDCWD, s->target, AT_SYMLINK_FOLLOW) == 0) {
        return true;
    }
    char *name = temporary_name(s);
    size_t n = strlen(name) - 6;
    for (uint64_t i = (uint64_t)iso_now(); errno == EEXIST && s->temporary == NULL; i = iso_mix(i + 1)) {
        snprintf(name + n, 7, "%06llx", (unsigned long long)(i & 0xffffff));
        if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            s->temporary = name;
        }
    }
    return s->temporary != NULL;
}

static void save_file(save *s) {
    int fd = open_unnamed(s);
    if (fd >= 0) {
        s->unnamed = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    } else {
        char *name = temporary_name(s);
        fd = mkostemp(name, O_CLOEXEC);
        s->temporary = fd < 0 ? NULL : name;
    }
    if (fd < 0) {
        refuse(s, "create a file");
    }
    struct stat st;
    mode_t mode = stat(s->target, &st) == 0 ? st.st_mode & 07777 : usual_mode(0666);
    if (fchmod(fd, mode) != 0 || (s->out = fdopen(fd, "w")) == NULL) {
        int why = errno;
        close(fd);
        errno = why;
        refuse(s, "create a file");
    }
    write_stream(s);
    if (s->unnamed >= 0 && !link_unnamed(s)) {
        refuse(s, "give the file its name");
    }
    if (s->temporary != NULL && rename(s->temporary, s->target) != 0) {
        refuse(s, "rename");
    }
    s->temporary = NULL;
}

/* A file, or a folder of files. */
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

/* Removes the folders that writers of this target left when they were killed: no process holds their lock. */
static void remove_left(const save *s) {
    char *parent = parent_of(s);
    const char *slash = strrchr(s->target, '/'), *base = slash == NULL ? s->target : slash + 1;
    size_t n = strlen(base);
    DIR *d = opendir(parent);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strncmp(e->d_name, base, n) != 0 || strncmp(e->d_name + n, TEMPORARY, strlen(TEMPORARY)) != 0) {
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
    iso_free(s->pool, parent);
}

/* A new folder, locked, so that others know that its writer lives. Between the two steps one of them may take
 * it for abandoned: then there has to be another one. */
static void make_folder(save *s) {
    struct stat st = {.st_nlink = 0};
    while (st.st_nlink == 0) {
        s->temporary = NULL;
        char *name = temporary_name(s);
        if (mkdtemp(name) == NULL) {
            refuse(s, "create a folder");
        }
        s->temporary = name;
        s->lock = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (s->lock < 0 && errno == ENOENT) {
            continue;
        }
        if (s->lock < 0 || fstat(s->lock, &st) != 0) {
            refuse(s, "create a folder");
        }
        if (flock(s->lock, LOCK_EX) == 0) { /* else a file system without locks: no other process will remove it either */
            fstat(s->lock, &st);
        }
        if (st.st_nlink == 0) {
            close(s->lock);
            s->lock = -1;
        }
    }
    if (chmod(s->temporary, usual_mode(0777)) != 0) {
        refuse(s, "create a folder");
    }
}

static void save_folder(save *s) {
    if (is_compressed(s->path)) {
        iso_throw(s->pool->env, ISOLAB_E_USAGE, "format %s is a folder of files, which cannot be one .zst file",
                  s->format->name);
    }
    make_folder(s);
    remove_left(s);
    iso_sink sink = {.pool = s->pool, .path = s->temporary};
    s->format->write(s->h, &sink);
    if (rename(s->temporary, s->target) != 0) { /* replaces an empty folder, never one that holds something */
        refuse(s, errno == ENOTEMPTY || errno == EEXIST ? "replace the folder" : "rename");
    }
    s->temporary = NULL;
}

static void save_guarded(void *arg) {
    save *s = arg;
    if (strcmp(s->path, "-") == 0) {
        save_stdout(s);
        return;
    }
    struct stat st;
    bool exists = stat(s->path, &st) == 0;
    char real[PATH_MAX];
    const char *target = exists && realpath(s->path, real) != NULL ? real : s->path;
    s->target = ISO_NEW(s->pool, char, strlen(target) + 1);
    memcpy(s->target, target, strlen(target) + 1);
    if (s->format->flags & ISO_FORMAT_FOLDER) {
        save_folder(s);
    } else if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        refuse(s, "write");
    } else if (exists && !S_ISREG(st.st_mode)) {
        save_device(s);
    } else {
        save_file(s);
    }
}

void iso_save(iso_pool *pool, const isolab_history *h, const char *path, const iso_format *format) {
    save s = {.pool = pool, .h = h, .format = format, .path = path, .unnamed = -1, .lock = -1};
    int code = iso_guard(pool->env, save_guarded, &s);
    if (s.unnamed >= 0) {
        close(s.unnamed);
    }
    if (s.lock >= 0) {
        close(s.lock);
    }
    if (code != ISOLAB_OK) {
        isolab_error *e = &pool->env->error;
        if (s.out != NULL && s.out != stdout) {
            fclose(s.out);
        }
        if (s.temporary != NULL) {
            remove_at(AT_FDCWD, s.temporary);
        }
        if (e->file[0] == '\0') {
            snprintf(e->file, sizeof e->file, "%s", path);
        }
        iso_rethrow(pool->env);
    }
}
