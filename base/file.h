/* Files that are written: each appears under its name when all of it is there.
 *
 * A file has no name until then (or, where the file system has no such files, a temporary one beside its own); then it is
 * linked, or takes the old one's place. So whatever goes wrong, the old file stays, or none is there; of a file of which
 * the writing is killed nothing stays. A device or a pipe is written to as it is, and a link is followed. */
#ifndef ISOLAB_BASE_FILE_H
#define ISOLAB_BASE_FILE_H

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/env.h"

typedef struct iso_file {
    const char *path;         /* as it was given */
    FILE *out;                /* to be written to; NULL: the file is closed or dropped */
    char target[PATH_MAX];    /* its name, with links followed */
    char temporary[PATH_MAX]; /* empty: there is nothing to remove */
    int unnamed;              /* the file without a name; negative: there is none */
} iso_file;

/* Both throw ISOLAB_E_IO with the path, which must stay until the file is closed; nothing is left then. */
void iso_file_open(iso_env *env, iso_file *file, const char *path);
void iso_file_close(iso_env *env, iso_file *file);

/* Forgets what was written, after an error. A file that is closed, or all zero, is left alone. */
void iso_file_drop(iso_file *file);

/* All of a file at once. */
void iso_file_save(iso_env *env, const char *path, const char *bytes, size_t n);

/* Bytes as they are, which are no text (base/print.h). Errors stay in the stream. */
void iso_file_bytes(FILE *out, const void *bytes, size_t n);

/* The content of a file in the pool, NUL-terminated; NULL, and errno, where it cannot be read. */
char *iso_file_content(iso_pool *pool, const char *path, size_t *n);

/* For folders that are written like that: the name of a temporary one beside the target, for mkdtemp(), or NULL when it
 * would be too long; the part of it that follows the target's name; and the rights that a new file would have of all. */
#define ISO_FILE_TEMPORARY ".isolab-"
char *iso_file_beside(char to[PATH_MAX], const char *target);
mode_t iso_file_mode(mode_t all);

/* The folder that a path is in. */
const char *iso_file_folder(char to[PATH_MAX], const char *path);

#endif
