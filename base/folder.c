/* Private folders. See file.h.
 *
 * Each has a file that is locked as long as its process lives. The maker of the next folder beside it removes those
 * whose lock is free: their process was killed. If that happens to a new folder before it is locked, its maker notices
 * that another process has the lock, and makes another one. Folders without such a file are never removed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"

#define PREFIX "isolab-"
#define LOCK ".isolab-lock"

/* The folders of this process, with the open files that are locked. */
enum { MOST = 64 };
static struct {
    char *path;
    int fd;
} held[MOST];
static unsigned n_held;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Opens and locks the file of a folder, with more flags of open(). Returns its descriptor; -1: it has none, another
 * account owns it, or another process has locked it (*busy) or has removed it, with the folder, before it was locked
 * here (*busy). */
static int lock(const char *folder, int flags, bool *busy) {
    char path[PATH_MAX];
    struct stat own, there;
    snprintf(path, sizeof path, "%s/" LOCK, folder);
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    *busy = false;
    if (fd < 0 || fstat(fd, &own) != 0 || own.st_uid != geteuid()) {
        *busy = fd < 0 && errno == ENOENT;
    } else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        *busy = errno == EWOULDBLOCK;
    } else if (stat(path, &there) != 0 || there.st_ino != own.st_ino || there.st_dev != own.st_dev) {
        *busy = true;
    } else {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void iso_remove_folder(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < n_held; i++) {
        if (strcmp(held[i].path, path) == 0) {
            close(held[i].fd);
            free(held[i].path);
            held[i] = held[--n_held];
            break;
        }
    }
    pthread_mutex_unlock(&mutex);
}

static void remove_abandoned(const char *in) {
    DIR *all = opendir(in);
    for (struct dirent *e; all != NULL && (e = readdir(all)) != NULL;) {
        char path[PATH_MAX];
        bool named = strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0 &&
                     snprintf(path, sizeof path, "%s/%s", in, e->d_name) < (int)sizeof path - 16;
        bool busy;
        int fd = named ? lock(path, 0, &busy) : -1;
        if (fd >= 0) {
            nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
            close(fd);
        }
    }
    if (all != NULL) {
        closedir(all);
    }
}

/* Locks a new folder. Returns false if another process has done so, and removes it. */
static bool hold(const char *folder) {
    bool busy = false;
    pthread_mutex_lock(&mutex);
    char *path = n_held < MOST ? strdup(folder) : NULL;
    if (path != NULL) {
        int fd = lock(folder, O_CREAT, &busy);
        if (fd >= 0) {
            held[n_held].path = path;
            held[n_held++].fd = fd;
        } else {
            free(path);
        }
    }
    pthread_mutex_unlock(&mutex);
    return !busy;
}

char *iso_temporary_folder(iso_pool *pool, const char *purpose, const char *in) {
    in = in != NULL ? in : getenv("TMPDIR");
    in = in != NULL && in[0] != '\0' ? in : "/tmp";
    char *folder = iso_format_text(pool, "%s/" LOCK, in);
    bool inside = access(folder, F_OK) == 0; /* of a private folder, with which it is removed */
    if (!inside) {
        remove_abandoned(in);
    }
    do {
        folder = iso_format_text(pool, "%s/" PREFIX "%s-XXXXXX", in, purpose);
        if (mkdtemp(folder) == NULL) {
            iso_throw_file(pool->env, ISOLAB_E_IO, in, "cannot make a temporary folder: %s", strerror(errno));
        }
    } while (!inside && !hold(folder));
    return folder;
}
