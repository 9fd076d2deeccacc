/* The temporary folder of a run, where published programs find their histories. See referee.h.
 *
 * Thousands of small files are written and removed in a second, so the folder is in memory, unless FILEs are asked
 * about, which may be large. A folder on a disk is in the folder of reports, so that the next run there removes it
 * after a kill. One in memory is a private folder (base/file.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "experiments/referee/run.h"

#define MEMORY "/dev/shm"
#define ROOM ((uint64_t)64 << 20) /* free bytes that a folder in memory needs */

/* Makes an empty folder. Programs that a killed run started may still write to the old one, so that it cannot be
 * removed. */
static bool make_empty(const char *path) {
    iso_remove_folder(path);
    for (int tries = 0; mkdir(path, 0700) != 0; tries++) {
        if (errno != EEXIST || tries == 100) {
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        iso_remove_folder(path);
    }
    return true;
}

/* Returns a folder in memory; NULL: there is no room for one. */
static char *in_memory(iso_referee *r) {
    struct statvfs space;
    if (statvfs(MEMORY, &space) != 0 || (uint64_t)space.f_bavail * space.f_frsize < ROOM || space.f_favail < 10000) {
        return NULL;
    }
    return iso_temporary_folder(r->pool, "referee", MEMORY);
}

static char *on_disk(iso_referee *r) {
    char *whole = realpath(r->options.out, NULL); /* programs run in another folder */
    char *path = iso_format_text(r->pool, "%s/.work", whole != NULL ? whole : "");
    bool good = whole != NULL;
    free(whole);
    if (!good || !make_empty(path)) {
        iso_throw(r->env, ISOLAB_E_IO, "cannot make the folder %s: %s", path, strerror(errno));
    }
    return path;
}

const char *iso_referee_folder(iso_referee *r) {
    if (r->temporary == NULL) {
        r->temporary = r->options.files.n == 0 ? in_memory(r) : NULL;
        r->temporary = r->temporary != NULL ? r->temporary : on_disk(r);
    }
    return r->temporary;
}

void iso_referee_folder_end(iso_referee *r) {
    if (r->temporary != NULL) {
        iso_remove_folder(r->temporary);
        r->temporary = NULL;
    }
}
