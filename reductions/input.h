/* Errors about the problems that reductions read. iso_source_text() reads their text. */
#ifndef ISOLAB_REDUCTIONS_INPUT_H
#define ISOLAB_REDUCTIONS_INPUT_H

#include "formats/format.h"

/* Throws an error about malformed input; line 0: the place is not known. */
_Noreturn void iso_input_bad(iso_env *env, const char *path, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
