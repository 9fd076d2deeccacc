/* Error handlers of the libraries. See handlers.h. */
#include "graph/handlers.h"

#include <gsl/gsl_errno.h>
#include <igraph/igraph.h>
#include <stdio.h>
#include <stdlib.h>

#include "include/isolab.h"

static void warning(const char *reason, const char *file, int line) {
    (void)reason, (void)file, (void)line;
}

/* Only for broken invariants inside of igraph: the handler may not return. */
static void fatal(const char *reason, const char *file, int line) {
    fprintf(stderr, "isolab: internal error: igraph: %s (%s:%d)\n", reason, file, line);
    _Exit(ISOLAB_E_INTERNAL);
}

void iso_install_handlers(void) {
    igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_set_warning_handler(warning);
    igraph_set_fatal_handler(fatal);
    gsl_set_error_handler_off();
}
