/* See environment.h. */
#define _GNU_SOURCE
#include "experiments/runner/environment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/machine.h"

/* Returns the value on the first line of a file that begins with the prefix. */
static const char *line_of(iso_pool *pool, const char *path, const char *prefix) {
    char line[512];
    FILE *in = fopen(path, "re");
    const char *found = NULL;
    while (in != NULL && found == NULL && fgets(line, sizeof line, in) != NULL) {
        found = strncmp(line, prefix, strlen(prefix)) == 0 ? line + strlen(prefix) : NULL;
    }
    if (in != NULL) {
        fclose(in);
    }
    if (found == NULL) {
        return "unknown";
    }
    found += strspn(found, " \t:");
    return iso_format_text(pool, "%.*s", (int)strcspn(found, "\n"), found);
}

/* The stamp of this program: it is in the executable file, so that others can read it without running the program.
 * Fields end with a tab. */
#define MARK "@(#)isolab\t"
static const char self[] = MARK ISOLAB_COMMIT "\t" ISOLAB_VERSION "\tgcc " __VERSION__ "\t" ISOLAB_FLAGS "\t";
enum { COMMIT, VERSION, COMPILER, FLAGS, FIELDS };

static bool split(iso_pool *pool, const char *text, size_t n, const char *field[FIELDS]) {
    for (int f = 0; f < FIELDS; f++) {
        size_t length = 0;
        while (length < n && text[length] != '\t' && text[length] >= ' ') {
            length++;
        }
        if (length == n || text[length] != '\t' || length == 0) {
            return false;
        }
        field[f] = iso_format_text(pool, "%.*s", (int)length, text);
        text += length + 1;
        n -= length + 1;
    }
    return true;
}

/* Reads the stamp of another isolab. This executable also contains MARK for the search itself, so the fields after it
 * are required. */
static void read_self(iso_pool *pool, const char *program, const char *field[FIELDS]) {
    struct stat st;
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    for (int f = 0; f < FIELDS; f++) {
        field[f] = "unknown";
    }
    if (in == NULL || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > 1 << 30) {
        if (in != NULL) {
            fclose(in);
        }
        return;
    }
    char *all = malloc((size_t)st.st_size + 1);
    size_t n = all != NULL ? fread(all, 1, (size_t)st.st_size, in) : 0;
    fclose(in);
    const char *found[FIELDS];
    for (char *at = all; n > 0 && (at = memmem(at, n - (size_t)(at - all), MARK, sizeof MARK - 1)) != NULL;) {
        at += sizeof MARK - 1;
        if (split(pool, at, n - (size_t)(at - all), found)) {
            memcpy(field, found, sizeof found);
            break;
        }
    }
    free(all);
}

iso_environment iso_environment_now(iso_pool *pool, const char *program, bool own) {
    const char *field[FIELDS];
    if (!own || !split(pool, self + sizeof MARK - 1, sizeof self - sizeof MARK, field)) {
        read_self(pool, program, field);
    }
    struct utsname name;
    bool known = uname(&name) == 0;
    char sha[65];
    iso_digest(pool->env, program, sha);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return (iso_environment){
        .commit = field[COMMIT],
        .program = iso_format_text(pool, "%s", sha),
        .version = field[VERSION],
        .compiler = field[COMPILER],
        .flags = field[FLAGS],
        .host = known ? iso_format_text(pool, "%s", name.nodename) : "unknown",
        .kernel = known ? iso_format_text(pool, "%s %s %s", name.sysname, name.release, name.machine) : "unknown",
        .cpu = line_of(pool, "/proc/cpuinfo", "model name"),
        .governor = line_of(pool, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""),
        .cores = cores > 0 ? (unsigned)cores : 0,
        .memory = iso_machine_memory(),
    };
}

double iso_environment_load(void) {
    double load;
    return getloadavg(&load, 1) == 1 ? load : -1;
}
