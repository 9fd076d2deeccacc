/* The problems that reductions read: whole text files, and their errors. */
#ifndef ISOLAB_REDUCTIONS_INPUT_H
#define ISOLAB_REDUCTIONS_INPUT_H

#include <stdio.h>

#include "base/env.h"

/* The bytes of a file (`-`: standard input), followed by a zero byte. */
char *iso_input_text(iso_pool *pool, const char *path, size_t *size);

FILE *iso_input_open(iso_env *env, const char *path); /* throws ISOLAB_E_IO */

/* Malformed input; line 0: the place is not known. */
_Noreturn void iso_input_bad(iso_env *env, const char *path, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
