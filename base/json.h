/* Prints JSON piece by piece: objects, arrays and values, with commas and quotes in place. Invalid UTF-8 in a
 * string is replaced by U+FFFD, so the output is always valid. Invisible characters and characters that move the
 * cursor are escaped (base/utf8.h), so the output can be shown on a terminal. */
#ifndef ISOLAB_BASE_JSON_H
#define ISOLAB_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct iso_json {
    FILE *out;
    bool comma; /* the current object or array already has an element */
    bool page;  /* it stands in a <script> of a page: `<`, `>` and `&` are escaped, so that no markup can begin */
} iso_json;

/* name: the member's name in an object; NULL in an array or at the top level. */
void iso_json_open(iso_json *j, const char *name, char bracket);      /* `{` or `[` */
void iso_json_close(iso_json *j, char bracket);                       /* `}` or `]` */
void iso_json_text(iso_json *j, const char *name, const char *value); /* NULL: null */
void iso_json_count(iso_json *j, const char *name, uint64_t value);
void iso_json_real(iso_json *j, const char *name, double value); /* six significant digits */
void iso_json_flag(iso_json *j, const char *name, bool value);
void iso_json_number(iso_json *j, const char *name, const char *digits); /* a whole number of any size */
void iso_json_end(iso_json *j);                                          /* ends the line after the outermost object */

#endif
