/* Invariants that the code relies on. Sanitizer builds and `make quick` test them; in other builds they cost
 * nothing. A failed assertion is a bug of isolab, never an error of the input: it ends the process. */
#ifndef ISOLAB_BASE_ASSERT_H
#define ISOLAB_BASE_ASSERT_H

#ifdef ISOLAB_ASSERT
_Noreturn void iso_assert_failed(const char *file, int line, const char *condition);
#define iso_assert(condition) ((condition) ? (void)0 : iso_assert_failed(__FILE__, __LINE__, #condition))
#else
/* Does not evaluate the condition; the compiler still checks that it is valid. */
#define iso_assert(condition) ((void)sizeof(!(condition)))
#endif

#endif
