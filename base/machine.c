/* See machine.h. */
#include "base/machine.h"

#include <stdio.h>
#include <unistd.h>

/* Returns the number at the beginning of a file; 0: none. */
static uint64_t number_in(const char *path) {
    unsigned long long n = 0;
    FILE *f = fopen(path, "re");
    if (f != NULL) {
        if (fscanf(f, "%llu", &n) != 1) {
            n = 0;
        }
        fclose(f);
    }
    return n;
}

uint64_t iso_machine_memory(void) {
    /* In a container these are the files of its own control group (cgroup version 2 or 1). */
    static const char *const bound[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    for (int i = 0; i < 2; i++) {
        uint64_t most = number_in(bound[i]);
        bytes = most != 0 && most < bytes ? most : bytes;
    }
    return bytes;
}
