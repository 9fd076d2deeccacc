/* Loading igraph, and its error handlers. See igraph.h. */
#include "graph/igraph.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "graph/handlers.h"
#include "include/isolab.h"

/* The library file that matches the headers: igraph 0.10. */
#define FILE_NAME "libigraph.so.3"

static _Thread_local char reason_text[256];
static iso_igraph_functions functions;
static char failure[256]; /* why loading failed; empty: it succeeded */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Callers up the stack raise the same error again without a reason, so the first reasons are kept. */
static void error(const char *reason, const char *file, int line, igraph_error_t code) {
    if (reason != NULL && reason[0] != '\0') {
        snprintf(reason_text, sizeof reason_text, "%s", reason);
        reason_text[strcspn(reason_text, "\r\n")] = '\0';
    }
    functions.igraph_error_handler_ignore(reason, file, line, code);
}

static void warning(const char *reason, const char *file, int line) { (void)reason, (void)file, (void)line; }

/* igraph calls this only for broken internal invariants. The handler must not return. */
static void fatal(const char *reason, const char *file, int line) {
    iso_say(stderr, "isolab: internal error: igraph: %s (%s:%d)\n", reason, file, line);
    _Exit(ISOLAB_E_INTERNAL);
}

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
#define SYMBOL(name) {#name, offsetof(iso_igraph_functions, name)},
    ISO_IGRAPH_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static void load(void) {
    dlerror(); /* clears older errors */
    void *library = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library != NULL && i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (address == NULL) {
            break;
        }
        memcpy((char *)&functions + symbols[i].offset, &address, sizeof address);
    }
    const char *why = dlerror(); /* of the first call that failed */
    if (why != NULL) {
        snprintf(failure, sizeof failure, "%s", why);
        return;
    }
    if (iso_handlers_installed()) {
        functions.igraph_set_error_handler(error);
        functions.igraph_set_warning_handler(warning);
        functions.igraph_set_fatal_handler(fatal);
    }
}

const iso_igraph_functions *iso_igraph(iso_env *env) {
    pthread_once(&once, load);
    if (failure[0] != '\0') {
        iso_throw(env, ISOLAB_E_IO, "graphs need igraph 0.10 (on Debian the package libigraph3): %s", failure);
    }
    return &functions;
}

const char *iso_igraph_reason(iso_env *env, igraph_error_t code) {
    if (reason_text[0] == '\0') {
        snprintf(reason_text, sizeof reason_text, "%s", iso_igraph(env)->igraph_strerror(code));
    }
    return reason_text;
}

void iso_igraph_memory(iso_env *env, igraph_error_t code) {
    if (code == IGRAPH_ENOMEM || errno == ENOMEM) {
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "memory limit reached (igraph has no memory for this graph)");
    }
}
