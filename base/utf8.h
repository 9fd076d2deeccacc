/* Bytes of unknown origin as UTF-8. */
#ifndef ISOLAB_BASE_UTF8_H
#define ISOLAB_BASE_UTF8_H

/* The number of bytes of the UTF-8 character at p (before end); 0: there is none. Overlong forms, surrogates
 * and numbers above 10FFFF are none. */
unsigned iso_utf8_length(const unsigned char *p, const unsigned char *end);

/* Makes a text safe to print on a terminal, in place: control characters, and bytes that are not UTF-8, become `?`. */
void iso_utf8_tame(char *text);

#endif
