/* Reads bytes of unknown origin as UTF-8, and decides for the whole project how a character is shown.
 *
 * A character that is invisible, or that changes how the text around it is shown, appears as its number,
 * `\u{202e}`: control characters (C0, C1, delete), line and paragraph separators, marks that change the direction
 * of writing, characters without width, and characters that XML does not allow. A byte that is not UTF-8 appears as
 * `\x{ff}`. */
#ifndef ISOLAB_BASE_UTF8_H
#define ISOLAB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes of the UTF-8 character at p (before end); 0: the bytes are not UTF-8. Overlong forms,
 * surrogates and numbers above 10FFFF are not UTF-8. */
unsigned iso_utf8_length(const unsigned char *p, const unsigned char *end);

/* Returns the number of the character that these n bytes encode. */
uint32_t iso_utf8_number(const unsigned char *p, unsigned n);

/* Writes a character, of at most 4 bytes. Returns the place after it. */
char *iso_utf8_put(char *to, uint32_t number);

/* Returns whether a character is shown as its number. */
bool iso_utf8_hidden(uint32_t number);

/* Sets *shown and *n to the shown form of the character at p (p < end). The form is in buffer unless it is the
 * character itself. Returns the number of bytes of the character at p. */
#define ISO_SHOWN_SIZE 12
unsigned iso_utf8_show(const unsigned char *p, const unsigned char *end, char buffer[ISO_SHOWN_SIZE],
                       const char **shown, size_t *n);

/* Copies the shown form of a text to a buffer of `room` bytes, as many whole characters as fit. Returns whether all
 * fit. */
bool iso_utf8_shown(char *to, size_t room, const char *text);

/* Returns the number of columns of a terminal that the shown form of n bytes of text fills: 2 for the wide characters
 * of East Asia, 0 for accents that stand on the character before, as wcwidth() says in any locale. */
uint32_t iso_utf8_columns(const char *text, size_t n);

/* Returns the number of bytes of a text, in whole characters, that fit into this many columns. */
size_t iso_utf8_fit(const char *text, uint32_t columns);

#endif
