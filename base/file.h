/* Writing files so that each appears under its name only when it is complete.
 *
 * Until then the file has no name (or, where the file system does not support that, a temporary name beside the
 * target). Then it is linked to its name, or replaces the old file. So if anything goes wrong, the old file stays
 * as it was, and a killed process leaves no partial file. A device or a pipe is written to directly, and a symbolic
 * link is followed. */
#ifndef ISOLAB_BASE_FILE_H
#define ISOLAB_BASE_FILE_H

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/env.h"

typedef struct iso_file {
    const char *path;         /* as the caller gave it */
    FILE *out;                /* write to this stream; NULL: the file is closed or dropped */
    char target[PATH_MAX];    /* the file's final name, with links followed */
    char temporary[PATH_MAX]; /* its temporary name; empty: nothing to remove */
    int unnamed;              /* descriptor of the unnamed file; negative: none */
} iso_file;

/* Both functions throw ISOLAB_E_IO with the path, and leave no file in that case. The path must live until the file
 * is closed. */
void iso_file_open(iso_env *env, iso_file *file, const char *path);
void iso_file_close(iso_env *env, iso_file *file);

/* Discards the written bytes, after an error. Does nothing to a file that is closed or all zero. */
void iso_file_drop(iso_file *file);

/* Writes a whole file. */
void iso_file_save(iso_env *env, const char *path, const char *bytes, size_t n);

/* Writes bytes that are not text (base/print.h). Errors stay in the stream. */
void iso_file_bytes(FILE *out, const void *bytes, size_t n);

/* Returns the content of a regular file in the pool, NUL-terminated. If the file cannot be read, or is of another kind:
 * NULL, with errno. */
char *iso_file_content(iso_pool *pool, const char *path, size_t *n);

/* For writing folders in the same way: the prefix of temporary names after the target's name; a function that makes
 * the name of a temporary folder beside the target for mkdtemp(), or NULL if it is too long; and the permissions of
 * a new file. */
#define ISO_FILE_TEMPORARY ".isolab-"
char *iso_file_beside(char to[PATH_MAX], const char *target);
mode_t iso_file_mode(mode_t all);

/* Returns the folder that contains a path. */
const char *iso_file_folder(char to[PATH_MAX], const char *path);

/* Makes a private folder, named after its purpose, in another one (NULL: $TMPDIR or /tmp). It has no file except a
 * hidden one, by whose lock a later run sees whether this process was killed, and then removes the folder. A folder in
 * a private folder has no such file. Returns its path, in the pool. Throws ISOLAB_E_IO. */
char *iso_temporary_folder(iso_pool *pool, const char *purpose, const char *in);

/* Makes a folder and its parent folders. Throws ISOLAB_E_IO. */
void iso_make_folders(iso_pool *pool, const char *path);

/* Returns a name beside a path for what another program writes there; no other process on any machine uses it. */
const char *iso_half_name(iso_pool *pool, const char *path);

/* Returns the part of a path after its last slash. */
const char *iso_base_name(const char *path);

/* Removes a folder with its files and folders, without following links; or one file. */
void iso_remove_folder(const char *path);

#endif
