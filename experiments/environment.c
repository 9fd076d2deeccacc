/* See environment.h. */
#include "experiments/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/digest.h"
#include "experiments/lab.h"

/* The first line of a file that begins with the prefix, without it and what stands before the value. */
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
    return iso_lab_text(pool, "%.*s", (int)strcspn(found, "\n"), found);
}

iso_environment iso_environment_now(iso_pool *pool, const char *program, bool own) {
    struct utsname name;
    bool known = uname(&name) == 0;
    char sha[65];
    iso_digest(pool->env, program, sha);
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return (iso_environment){
        .commit = own ? ISOLAB_COMMIT : "unknown",
        .program = iso_lab_text(pool, "%s", sha),
        .version = own ? ISOLAB_VERSION : "unknown",
        .compiler = own ? "gcc " __VERSION__ : "unknown",
        .flags = own ? ISOLAB_FLAGS : "unknown",
        .host = known ? iso_lab_text(pool, "%s", name.nodename) : "unknown",
        .kernel = known ? iso_lab_text(pool, "%s %s %s", name.sysname, name.release, name.machine) : "unknown",
        .cpu = line_of(pool, "/proc/cpuinfo", "model name"),
        .governor = line_of(pool, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""),
        .cores = cores > 0 ? (unsigned)cores : 0,
        .memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0,
    };
}

double iso_environment_load(void) {
    double load;
    return getloadavg(&load, 1) == 1 ? load : -1;
}
