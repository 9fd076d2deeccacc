/* See artifact.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/print.h"
#include "base/process.h"
#include "experiments/artifact/artifact.h"

enum { MOST_FILES = 200000 };

const char *iso_artifact_machine(iso_pool *pool, const char *program) {
    iso_environment e = iso_environment_now(pool, program, false);
    return iso_format_text(
        pool,
        "isolab: %s\ncommit: %s\ncompiler: %s\noptions: %s\nprocessor: %s\nprocessors: %u\nmemory: %.0f "
        "GiB\nkernel: %s\n",
        e.version, e.commit, e.compiler, e.flags, e.cpu, e.cores, (double)e.memory / (1 << 30), e.kernel);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* A list of folders that are still to be read takes the place of recursion. */
typedef struct walk {
    iso_pool *pool;
    const char *root;
    const char **at; /* relative paths of all entries */
    size_t n, room;
    const char **files;
    size_t n_files, room_files;
} walk;

static void read_folder(walk *w, const char *relative) {
    const char *path = iso_format_text(w->pool, "%s/%s", w->root, relative);
    DIR *folder = opendir(path);
    struct dirent *entry;
    if (folder == NULL) {
        iso_throw(w->pool->env, ISOLAB_E_IO, "%s: %s", path, strerror(errno));
    }
    while ((entry = readdir(folder)) != NULL && w->n < MOST_FILES) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            ISO_GROW(w->pool, w->at, w->n, w->room);
            w->at[w->n++] = *relative != '\0' ? iso_format_text(w->pool, "%s/%s", relative, entry->d_name)
                                              : iso_format_text(w->pool, "%s", entry->d_name);
        }
    }
    closedir(folder);
}

void iso_artifact_files(iso_pool *pool, const char *root,
                        void (*each)(void *arg, const char *path, const char *relative), void *arg) {
    walk w = {.pool = pool, .root = root};
    read_folder(&w, "");
    for (size_t i = 0; i < w.n; i++) {
        struct stat st;
        const char *path = iso_format_text(pool, "%s/%s", root, w.at[i]);
        if (lstat(path, &st) != 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
            iso_throw(pool->env, ISOLAB_E_INPUT, "%s: expected a file or a folder", w.at[i]);
        }
        if (S_ISDIR(st.st_mode)) {
            read_folder(&w, w.at[i]);
        } else {
            ISO_GROW(pool, w.files, w.n_files, w.room_files);
            w.files[w.n_files++] = w.at[i];
        }
    }
    if (w.n_files > 1) {
        qsort(w.files, w.n_files, sizeof *w.files, by_name);
    }
    for (size_t i = 0; i < w.n_files; i++) {
        each(arg, iso_format_text(pool, "%s/%s", root, w.files[i]), w.files[i]);
    }
}

/* ---- the manifest ---- */

typedef struct comparing {
    iso_pool *pool;
    const char *manifest; /* with a newline before it */
    size_t listed, found, differ;
    FILE *out;
} comparing;

static void compare(void *arg, const char *path, const char *relative) {
    comparing *c = arg;
    char hex[65];
    if (strcmp(relative, ISO_MANIFEST) == 0) {
        return;
    }
    const char *ending = iso_format_text(c->pool, "  %s\n", relative), *line = strstr(c->manifest, ending);
    while (line != NULL && (line - c->manifest < 65 || line[-65] != '\n')) { /* the end of a longer name */
        line = strstr(line + 1, ending);
    }
    if (line == NULL) {
        iso_say(c->out, "not in the manifest: %s\n", relative);
        c->differ++;
        return;
    }
    c->found++;
    iso_digest(c->pool->env, path, hex);
    if (memcmp(line - 64, hex, 64) != 0) {
        iso_say(c->out, "changed: %s\n", relative);
        c->differ++;
    }
}

/* Prints the lines of MACHINE.txt that are others here. */
static void compare_machines(iso_pool *pool, const char *root, FILE *out) {
    size_t n;
    char *packed = iso_file_content(pool, iso_format_text(pool, "%s/" ISO_MACHINE, root), &n), *rest = NULL;
    const char *here = iso_format_text(pool, "\n%s", iso_artifact_machine(pool, iso_own_program(pool)));
    for (char *line = packed != NULL ? strtok_r(packed, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        size_t key = strcspn(line, ":");
        const char *same = strstr(here, iso_format_text(pool, "\n%s\n", line));
        const char *other = strstr(here, iso_format_text(pool, "\n%.*s: ", (int)key, line));
        if (same == NULL && other != NULL) {
            iso_say(out, "another machine: %s; here %.*s\n", line, (int)strcspn(other + 1, "\n"), other + 1);
        }
    }
}

/* Returns the folder that has the manifest: the given one, or the only one in it. */
static const char *root_of(iso_pool *pool, const char *folder) {
    struct stat st;
    if (stat(iso_format_text(pool, "%s/" ISO_MANIFEST, folder), &st) == 0) {
        return folder;
    }
    DIR *in = opendir(folder);
    struct dirent *entry;
    const char *found = NULL;
    while (in != NULL && (entry = readdir(in)) != NULL) {
        const char *below = iso_format_text(pool, "%s/%s", folder, entry->d_name);
        found =
            entry->d_name[0] != '.' && stat(iso_format_text(pool, "%s/" ISO_MANIFEST, below), &st) == 0 ? below : found;
    }
    if (in != NULL) {
        closedir(in);
    }
    return found;
}

static void unpack(iso_pool *pool, const char *path, const char *folder) {
    const char *tar = iso_find_program(pool, "tar");
    const char *argv[] = {tar, "--force-local", "-xzf", path, "-C", folder, "--no-same-owner", "--no-same-permissions",
                          NULL};
    iso_job job = {.argv = argv};
    if (tar == NULL) {
        iso_throw(pool->env, ISOLAB_E_IO, "there is no program tar");
    }
    iso_run_jobs(pool, &job, 1, 1);
    if (job.end != ISO_JOB_EXITED || job.code != 0) {
        job.err[strcspn(job.err, "\n")] = '\0';
        iso_throw_file(pool->env, ISOLAB_E_INPUT, path, "expected an artifact, a .tar.gz: %s", job.err);
    }
}

size_t iso_artifact_check(iso_pool *pool, const char *path, const char *folder, const char **root, FILE *out) {
    struct stat st;
    if (stat(path, &st) != 0) {
        iso_throw_file(pool->env, ISOLAB_E_IO, path, "cannot open: %s", strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        unpack(pool, path, folder);
    }
    *root = root_of(pool, S_ISDIR(st.st_mode) ? path : folder);
    size_t n = 0;
    char *manifest =
        *root != NULL ? iso_file_content(pool, iso_format_text(pool, "%s/" ISO_MANIFEST, *root), &n) : NULL;
    if (manifest == NULL || memchr(manifest, '\0', n) != NULL) {
        iso_throw_file(pool->env, ISOLAB_E_INPUT, path, "expected an artifact with " ISO_MANIFEST);
    }
    comparing c = {.pool = pool, .manifest = iso_format_text(pool, "\n%s", manifest), .out = out};
    for (size_t i = 0; i < n; i++) {
        c.listed += manifest[i] == '\n';
    }
    iso_artifact_files(pool, *root, compare, &c);
    if (c.found < c.listed) {
        iso_say(out, "%zu files of the manifest are missing\n", c.listed - c.found);
        c.differ += c.listed - c.found;
    }
    iso_say(out, "%zu files, %zu differ from the manifest\n", c.found, c.differ);
    compare_machines(pool, *root, out);
    return c.differ;
}
