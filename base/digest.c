/* Hashing inputs. See digest.h. */
#include "base/digest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

/* Waits until the descriptor has bytes to read, as long as the limits allow. */
static bool await(iso_env *env, int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (iso_over(env->limits) == ISO_LIMIT_NONE) {
        if (poll(&p, 1, 50) != 0) {
            return true;
        }
    }
    return false;
}

/* Hashes the remaining bytes of descriptor fd, and copies them to copy unless that is NULL. Returns 0 or errno. */
static int hash_stream(iso_env *env, int fd, FILE *copy, char hex[65]) {
    static unsigned char buffer[65536];
    iso_sha256 sha;
    iso_sha256_init(&sha);
    for (;;) {
        if (!await(env, fd)) {
            return ECANCELED;
        }
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        if (n == 0) {
            break;
        }
        if (n > 0) {
            iso_sha256_add(&sha, buffer, (size_t)n);
            if (copy != NULL && fwrite(buffer, 1, (size_t)n, copy) != (size_t)n) {
                return errno;
            }
        }
    }
    iso_sha256_hex(&sha, hex);
    return 0;
}

static int hash_file(iso_env *env, const char *path, char hex[65]) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    int why = hash_stream(env, fd, NULL, hex);
    close(fd);
    return why;
}

static int hash_input(iso_env *env, char hex[65]) {
    FILE *copy = tmpfile();
    if (copy == NULL) {
        return errno;
    }
    int why = hash_stream(env, STDIN_FILENO, copy, hex);
    if (why == 0 &&
        (fflush(copy) != 0 || lseek(fileno(copy), 0, SEEK_SET) != 0 || dup2(fileno(copy), STDIN_FILENO) < 0)) {
        why = errno;
    }
    fclose(copy);
    return why;
}

/* Lists the folder's files in byte order, like `LC_ALL=C ls`; glob() would sort by the locale. */
static int hash_folder(iso_env *env, const char *path, char hex[65]) {
    struct dirent **member;
    int n = scandir(path, &member, NULL, alphasort), why = 0;
    if (n < 0) {
        return errno;
    }
    iso_sha256 sha;
    iso_sha256_init(&sha);
    for (int i = 0; i < n; i++) {
        char full[4096], one[65], line[400];
        struct stat st;
        int length = snprintf(full, sizeof full, "%s/%s", path, member[i]->d_name);
        if (why == 0 && member[i]->d_name[0] != '.' && length < (int)sizeof full && stat(full, &st) == 0 &&
            S_ISREG(st.st_mode)) {
            why = hash_file(env, full, one);
            if (why == 0) {
                length = snprintf(line, sizeof line, "%s  %s\n", one, member[i]->d_name);
                iso_sha256_add(&sha, line, (size_t)length);
            }
        }
        free(member[i]);
    }
    free(member);
    iso_sha256_hex(&sha, hex);
    return why;
}

void iso_digest(iso_env *env, const char *path, char hex[65]) {
    struct stat st;
    int why = 0;
    hex[0] = '\0';
    if (strcmp(path, "-") == 0) {
        why = hash_input(env, hex);
    } else if (stat(path, &st) != 0) {
        why = errno;
    } else if (S_ISDIR(st.st_mode)) {
        why = hash_folder(env, path, hex);
    } else if (S_ISREG(st.st_mode)) {
        why = hash_file(env, path, hex);
    }
    if (why == ECANCELED) {
        iso_tick_slow(env);
    }
    if (why != 0) {
        iso_throw(env, ISOLAB_E_IO, "cannot read: %s", strerror(why));
    }
}
