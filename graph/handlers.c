/* Error handlers of the libraries. See handlers.h. */
#include "graph/handlers.h"

#include <gsl/gsl_errno.h>
#include <igraph/igraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/isolab.h"

static _Thread_local char reason_text[256];

/* Callers up the stack raise the same error again without words: the first ones are kept. */
static void error(const char *reason, const char *file, int line, igraph_error_t code) {
    if (reason != NULL && reason[0] != '\0') {
        snprintf(reason_text, sizeof reason_text, "%s", reason);
        reason_text[strcspn(reason_text, "\r\n")] = '\0';
    }
    igraph_error_handler_ignore(reason, file, line, code);
}

const char *iso_igraph_reason(int code) {
    if (reason_text[0] == '\0') {
        snprintf(reason_text, sizeof reason_text, "%s", igraph_strerror((igraph_error_t)code));
    }
    return reason_text;
}

void iso_igraph_forget(void) { reason_text[0] = '\0'; }

static void warning(const char *reason, const char *file, int line) {
    (void)reason, (void)file, (void)line;
}

/* Only for broken invariants inside of igraph: the handler may not return. */
static void fatal(const char *reason, const char *file, int line) {
    fprintf(stderr, "isolab: internal error: igraph: %s (%s:%d)\n", reason, file, line);
    _Exit(ISOLAB_E_INTERNAL);
}

void iso_install_handlers(void) {
    igraph_set_error_handler(error);
    igraph_set_warning_handler(warning);
    igraph_set_fatal_handler(fatal);
    gsl_set_error_handler_off();
}
