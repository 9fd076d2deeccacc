/* Invariants that the code relies on. They are tested in sanitizer builds and by `make quick`, and cost nothing elsewhere.
 * A failed assertion is a bug of isolab, never an error of the input: it ends the process. */
#ifndef ISOLAB_BASE_ASSERT_H
#define ISOLAB_BASE_ASSERT_H

#ifdef ISOLAB_ASSERT
#include <stdio.h>
#include <stdlib.h>
#define iso_assert(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition);                          \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)
#else
/* Not evaluated; the compiler still sees that the condition is valid. */
#define iso_assert(condition) ((void)sizeof(!(condition)))
#endif

#endif
