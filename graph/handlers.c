/* Error handlers of the libraries. See handlers.h. */
#include "graph/handlers.h"

#include <gsl/gsl_errno.h>

static bool installed;

void iso_install_handlers(void) {
    gsl_set_error_handler_off();
    installed = true;
}

bool iso_handlers_installed(void) { return installed; }
