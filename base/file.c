/* Writing files. See file.h. */
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash.h"

static _Noreturn void refuse(iso_env *env, iso_file *f) {
    int why = errno;
    iso_file_drop(f);
    iso_throw_file(env, ISOLAB_E_IO, f->path, "cannot write: %s", strerror(why));
}

mode_t iso_file_mode(mode_t all) {
    mode_t mask = umask(0);
    umask(mask);
    return all & ~mask;
}

char *iso_file_beside(char to[PATH_MAX], const char *target) {
    size_t n = strlen(target);
    while (n > 1 && target[n - 1] == '/') { /* of a folder */
        n--;
    }
    return snprintf(to, PATH_MAX, "%.*s" ISO_FILE_TEMPORARY "XXXXXX", (int)n, target) < PATH_MAX ? to : NULL;
}

const char *iso_file_folder(char to[PATH_MAX], const char *path) {
    const char *slash = strrchr(path, '/');
    int n = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(to, PATH_MAX, "%.*s", n == 0 ? 1 : n, n == 0 ? "." : path);
    return to;
}

/* Creates a file without a name in the target's folder, or else one with a temporary name. */
static int create(iso_file *f) {
    char folder[PATH_MAX];
    int fd = open(iso_file_folder(folder, f->target), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        f->unnamed = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return fd;
    }
    char name[PATH_MAX];
    errno = ENAMETOOLONG;
    fd = iso_file_beside(name, f->target) != NULL ? mkostemp(name, O_CLOEXEC) : -1;
    snprintf(f->temporary, sizeof f->temporary, "%s", fd >= 0 ? name : "");
    return fd;
}

void iso_file_open(iso_env *env, iso_file *f, const char *path) {
    struct stat st;
    *f = (iso_file){.path = path, .unnamed = -1};
    bool exists = stat(path, &st) == 0;
    if (exists && !S_ISREG(st.st_mode)) {
        f->out = fopen(path, "we");
        if (f->out == NULL) {
            refuse(env, f);
        }
        return;
    }
    if (strlen(path) >= sizeof f->target) {
        errno = ENAMETOOLONG;
        refuse(env, f);
    }
    if (!exists || realpath(path, f->target) == NULL) {
        snprintf(f->target, sizeof f->target, "%s", path);
    }
    int fd = create(f);
    if (fd < 0) {
        refuse(env, f);
    }
    mode_t mode = exists ? st.st_mode & 07777 : iso_file_mode(0666);
    if (fchmod(fd, mode) != 0 || (f->out = fdopen(fd, "w")) == NULL) {
        int why = errno;
        close(fd);
        errno = why;
        refuse(env, f);
    }
}

/* Names the unnamed file: by the target's name, or by a temporary name if the target exists. */
static bool link_unnamed(iso_file *f) {
    char self[64], name[PATH_MAX];
    snprintf(self, sizeof self, "/proc/self/fd/%d", f->unnamed);
    if (linkat(AT_FDCWD, self, AT_FDCWD, f->target, AT_SYMLINK_FOLLOW) == 0) {
        return true;
    }
    for (uint64_t i = (uint64_t)iso_now(); errno == EEXIST && iso_file_beside(name, f->target) != NULL;
         i = iso_mix(i + 1)) {
        snprintf(name + strlen(name) - 6, 7, "%06" PRIx64, i & 0xffffff);
        if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            snprintf(f->temporary, sizeof f->temporary, "%s", name);
            return true;
        }
    }
    return false;
}

void iso_file_close(iso_env *env, iso_file *f) {
    FILE *out = f->out;
    errno = 0;
    bool failed = fflush(out) != 0 || ferror(out);
    int why = errno;
    f->out = NULL;
    failed |= fclose(out) != 0;
    if (failed) {
        errno = why != 0 ? why : errno != 0 ? errno : EIO; /* EIO: an earlier write failed, and its errno is lost */
        refuse(env, f);
    }
    if (f->unnamed >= 0 && !link_unnamed(f)) {
        refuse(env, f);
    }
    if (f->temporary[0] != '\0' && rename(f->temporary, f->target) != 0) {
        refuse(env, f);
    }
    f->temporary[0] = '\0';
    iso_file_drop(f);
}

void iso_file_drop(iso_file *f) {
    if (f->out != NULL) {
        fclose(f->out);
    }
    if (f->unnamed > 0) {
        close(f->unnamed);
    }
    if (f->temporary[0] != '\0') {
        unlink(f->temporary);
    }
    f->out = NULL;
    f->unnamed = -1;
    f->temporary[0] = '\0';
}

void iso_file_bytes(FILE *out, const void *bytes, size_t n) { fwrite_unlocked(bytes, 1, n, out); }

void iso_file_save(iso_env *env, const char *path, const char *bytes, size_t n) {
    iso_file f;
    iso_file_open(env, &f, path);
    iso_file_bytes(f.out, bytes, n);
    iso_file_close(env, &f);
}

char *iso_file_content(iso_pool *pool, const char *path, size_t *n) {
    struct stat st;
    if (stat(path, &st) != 0) {
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) { /* to open a pipe would wait for its writer */
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    char *bytes = iso_alloc(pool, (size_t)st.st_size + 1, 1);
    FILE *in = fopen(path, "re");
    *n = in != NULL ? fread(bytes, 1, (size_t)st.st_size, in) : 0;
    bool good = in != NULL && !ferror(in);
    if (in != NULL) {
        fclose(in);
    }
    bytes[*n] = '\0';
    return good ? bytes : NULL;
}

const char *iso_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *iso_half_name(iso_pool *pool, const char *path) {
    struct utsname name;
    return iso_format_text(pool, "%s.%s.%ld", path, uname(&name) == 0 ? name.nodename : "", (long)getpid());
}

void iso_make_folders(iso_pool *pool, const char *path) {
    size_t n = strlen(path);
    char *part = iso_copy_text(pool, path, n);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && part[i] != '\0') {
            continue;
        }
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            iso_throw(pool->env, ISOLAB_E_IO, "cannot make the folder %s: %s", part, strerror(errno));
        }
        part[i] = i < n ? '/' : '\0';
    }
}
