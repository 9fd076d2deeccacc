/* Invariants that the code relies on. They are tested in sanitizer builds and by `make quick`, and cost nothing elsewhere.
 * A failed assertion is a bug of isolab, never an error of the input: it ends the process. */
#ifndef ISOLAB_BASE_ASSERT_H
#define ISOLAB_BASE_ASSERT_H

#ifdef ISOLAB_ASSERT
_Noreturn void iso_assert_failed(const char *file, int line, const char *condition);
#define iso_assert(condition) ((condition) ? (void)0 : iso_assert_failed(__FILE__, __LINE__, #condition))
#else
/* Not evaluated; the compiler still sees that the condition is valid. */
#define iso_assert(condition) ((void)sizeof(!(condition)))
#endif

#endif
