/* Bytes of unknown origin as UTF-8, and the one place that decides how a character is shown.
 *
 * A character that does something to what shows it, or that is invisible, is shown by its number, `\u{202e}`: control
 * characters (C0, C1, delete), ends of lines and paragraphs, marks that turn the direction of writing, characters
 * without width, and characters that XML does not allow. A byte that is not UTF-8 is shown as `\x{ff}`. */
#ifndef ISOLAB_BASE_UTF8_H
#define ISOLAB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of bytes of the UTF-8 character at p (before end); 0: there is none. Overlong forms, surrogates
 * and numbers above 10FFFF are none. */
unsigned iso_utf8_length(const unsigned char *p, const unsigned char *end);

/* The number of the character of n bytes, which is one. */
uint32_t iso_utf8_number(const unsigned char *p, unsigned n);

/* Is a character shown by its number? */
bool iso_utf8_hidden(uint32_t number);

/* How the character at p (before end, and not at it) is shown: sets *shown and *n to the text, which is in buffer
 * unless it is the character itself. Returns how many bytes it has at p. */
#define ISO_SHOWN_SIZE 12
unsigned iso_utf8_show(const unsigned char *p, const unsigned char *end, char buffer[ISO_SHOWN_SIZE],
                       const char **shown, size_t *n);

/* The text as it is shown, in a buffer of `room` bytes: as many whole characters as it holds. False: not all of them. */
bool iso_utf8_shown(char *to, size_t room, const char *text);

#endif
