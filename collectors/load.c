/* Loading the libraries of databases. See load.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/load.h"

static void *open_one(const char *files, char why[256]) {
    char name[128];
    for (const char *p = files; *p != '\0'; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            return library;
        }
        if (p == files) {
            snprintf(why, 256, "%s", dlerror());
        }
        p += n;
    }
    return NULL;
}

bool iso_library_load(const char *files, const iso_symbol *symbols, size_t n, void *functions, char why[256]) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    void *last;
    memcpy(&last, (char *)functions + symbols[n - 1].offset, sizeof last);
    bool loaded = last != NULL; /* the last one is filled in last */
    void *library = loaded ? NULL : open_one(files, why);
    for (size_t i = 0; library != NULL && i < n; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (address == NULL) {
            snprintf(why, 256, "%.200s has no function %s", files, symbols[i].name);
            break;
        }
        memcpy((char *)functions + symbols[i].offset, &address, sizeof address);
        loaded = i + 1 == n;
    }
    pthread_mutex_unlock(&lock);
    return loaded;
}

void iso_library_version(const void *function, char version[64]) {
    Dl_info info;
    char path[PATH_MAX];
    const char *at = NULL;
    if (dladdr(function, &info) != 0 && realpath(info.dli_fname, path) != NULL) {
        at = strstr(path, ".so.");
    }
    snprintf(version, 64, "%.60s", at != NULL ? at + 4 : "of an unknown version");
}
