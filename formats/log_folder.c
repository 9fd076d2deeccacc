/* See log_folder.h. */
#define _GNU_SOURCE
#include "formats/log_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/packing.h"

/* The length of the name without .log, .log.gz and so on; 0: not a log. */
static size_t stem(const char *name) {
    size_t n = iso_packing_stem(name);
    return n > 4 && memcmp(name + n - 4, ".log", 4) == 0 ? n - 4 : 0;
}

/* Compares names, where numbers compare as numbers: T9 before T10. */
static int compare_names(const char *a, const char *b) {
    while (*a != '\0' && *b != '\0') {
        bool digits = *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9';
        if (!digits) {
            if (*a != *b) {
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            }
            a++;
            b++;
            continue;
        }
        size_t m = strspn(a, "0"), n = strspn(b, "0");
        a += m;
        b += n;
        size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
        int order = x != y ? (x < y ? -1 : 1) : memcmp(a, b, x);
        if (order != 0) {
            return order;
        }
        a += x;
        b += y;
    }
    return *a == *b ? 0 : *a == '\0' ? -1 : 1;
}

static int compare_logs(const void *x, const void *y) {
    const iso_log *a = x, *b = y;
    int order = compare_names(a->path, b->path);
    return order != 0 ? order : strcmp(a->path, b->path);
}

bool iso_logs_each(const char *folder, void (*each)(void *, const char *), void *arg) {
    DIR *d = opendir(folder);
    if (d == NULL) {
        return false;
    }
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        if (stem(entry->d_name) > 0) {
            each(arg, entry->d_name);
        }
    }
    closedir(d);
    return true;
}

typedef struct names {
    char *bytes;
    size_t used, room;
    uint32_t n;
} names;

static void measure_name(void *arg, const char *name) {
    names *all = arg;
    all->room += strlen(name) + 1;
    all->n++;
}

static void copy_name(void *arg, const char *name) {
    names *all = arg;
    size_t n = strlen(name) + 1;
    if (n <= all->room - all->used) { /* a file that was just created is left out */
        memcpy(all->bytes + all->used, name, n);
        all->used += n;
    }
}

/* Returns the name of a session: the number for a file LETTER<number>, so that written histories are read back; else
 * the text. */
static iso_atom session_name(iso_builder *b, const char *file, char letter) {
    size_t n = stem(file);
    const char *digits = file + 1;
    uint64_t number = 0;
    bool plain = *file == letter && n > 1 && n < 20 && (*digits != '0' || n == 2);
    for (size_t i = 1; plain && i < n; i++) {
        plain = file[i] >= '0' && file[i] <= '9';
        number = 10 * number + (uint64_t)(file[i] - '0');
    }
    return plain ? iso_atom_uint(number) : iso_builder_string(b, file, n);
}

iso_log *iso_logs_open(iso_pool *pool, iso_builder *b, const char *folder, char letter, uint32_t *n_logs) {
    names all = {NULL, 0, 0, 0};
    *n_logs = 0;
    if (!iso_logs_each(folder, measure_name, &all)) {
        iso_throw(pool->env, ISOLAB_E_IO, "cannot list the folder: %s", strerror(errno));
    }
    all.bytes = ISO_NEW(pool, char, all.room + 1);
    iso_logs_each(folder, copy_name, &all);
    iso_log *logs = ISO_ZNEW(pool, iso_log, all.n + 1);
    size_t folder_length = strlen(folder);
    for (size_t at = 0; at < all.used && *n_logs < all.n; ++*n_logs) {
        const char *name = all.bytes + at;
        size_t n = strlen(name) + 1;
        char *path = ISO_NEW(pool, char, folder_length + n + 1);
        memcpy(path, folder, folder_length);
        path[folder_length] = '/';
        memcpy(path + folder_length + 1, name, n);
        logs[*n_logs].path = path;
        at += n;
    }
    iso_free(pool, all.bytes);
    qsort(logs, *n_logs, sizeof *logs, compare_logs);
    for (uint32_t i = 0; i < *n_logs; i++) {
        iso_log *l = &logs[i];
        l->name = session_name(b, l->path + folder_length + 1, letter);
        iso_source_open(pool, l->path, &l->source);
        if (l->source.folder) {
            isolab_error *error = &pool->env->error;
            *error = (isolab_error){.code = ISOLAB_E_INPUT, .offset = ISOLAB_NO_OFFSET};
            snprintf(error->file, sizeof error->file, "%s", l->path);
            snprintf(error->message, sizeof error->message, "expected a file, found a folder");
            iso_rethrow(pool->env);
        }
    }
    return logs;
}

size_t iso_log_begin(const char *folder, const char *name, unsigned char *bytes, size_t size) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    bool fits = length > 0 && (size_t)length < sizeof path;
    int fd =
        fits ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1; /* nothing can be read from a pipe for detection */
    struct stat st;
    ssize_t n = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, bytes, size) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return n > 0 ? (size_t)n : 0;
}

bool iso_log_names_fit(const isolab_history *h) {
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_atom name = h->session_name[s];
        bool number = name.kind == ISO_ATOM_UINT || (name.kind == ISO_ATOM_INT && (int64_t)name.bits >= 0);
        if (!number || name.bits >= 1000000000000000000u || (s > 0 && name.bits <= h->session_name[s - 1].bits)) {
            return false;
        }
    }
    return true;
}

typedef struct member {
    void (*put)(void *, FILE *);
    void *arg;
    FILE *out;
} member;

static void put_member(void *arg) {
    member *m = arg;
    m->put(m->arg, m->out);
}

void iso_log_write(iso_sink *sink, const char *name, void (*put)(void *, FILE *), void *arg) {
    char *path = iso_format_text(sink->pool, "%s/%s", sink->path, name);
    member m = {put, arg, fopen(path, "wxe")};
    if (m.out == NULL) {
        iso_throw(sink->pool->env, ISOLAB_E_IO, "cannot create %s: %s", path, strerror(errno));
    }
    int code = iso_guard(sink->pool->env, put_member, &m);
    errno = 0;
    bool failed = ferror(m.out) != 0;
    failed |= fclose(m.out) != 0;
    if (code != ISOLAB_OK) {
        iso_rethrow(sink->pool->env);
    }
    if (failed) {
        iso_throw(sink->pool->env, ISOLAB_E_IO, "cannot write %s: %s", path, strerror(errno != 0 ? errno : EIO));
    }
    iso_free(sink->pool, path);
}
