/* See claim.h. */
#define _GNU_SOURCE
#include "experiments/runner/claim.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Returns the socket that reserves a processor; -1: another process has reserved it. */
static int claim(int processor) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "isolab-processor-%d", processor);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&name,
                        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static cpu_set_t allowed(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}

int iso_last_processor(void) {
    cpu_set_t set = allowed();
    int last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET((size_t)last, &set)) {
        last--;
    }
    return last;
}

int iso_reserve_processors(unsigned n) {
    cpu_set_t set = allowed();
    int held[CPU_SETSIZE];
    unsigned have = 0;
    for (int p = CPU_SETSIZE - 1; p >= 0 && have < n; p--) {
        int fd = CPU_ISSET((size_t)p, &set) ? claim(p) : -1;
        if (fd >= 0) {
            held[have++] = fd;
            if (have == n) {
                return p + (int)n - 1;
            }
        } else {
            while (have > 0) { /* without enough neighbours it is useless */
                close(held[--have]);
            }
        }
    }
    while (have > 0) {
        close(held[--have]);
    }
    return -1;
}
