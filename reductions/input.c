/* Errors about malformed problems. See input.h. */
#include "reductions/input.h"

#include <string.h>

#include "base/utf8.h"

void iso_input_bad(iso_env *env, const char *path, uint64_t line, const char *format, ...) {
    isolab_error *e = &env->error;
    va_list args;
    va_start(args, format);
    memset(e, 0, sizeof *e);
    e->code = ISOLAB_E_INPUT;
    e->line = line;
    e->offset = ISOLAB_NO_OFFSET;
    snprintf(e->file, sizeof e->file, "%s", path);
    char message[sizeof e->message];
    vsnprintf(message, sizeof message, format, args);
    iso_utf8_shown(e->message, sizeof e->message, message);
    va_end(args);
    iso_rethrow(env);
}
