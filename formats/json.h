/* JSON by a cursor (scan.h), without tree, recursion or library. iso_scan.one_line keeps a value on one
 * line, as in JSON lines. */
#ifndef ISOLAB_FORMATS_JSON_H
#define ISOLAB_FORMATS_JSON_H

#include "formats/scan.h"

/* Skips spaces and tabs (and ends of lines, except with one_line). Returns the next byte. */
unsigned char iso_json_space(iso_scan *s);

/* Consumes c, which must be the next byte except for space; `what` is for the error message. */
void iso_json_expect(iso_scan *s, unsigned char c, const char *what);

/* After an element of an array or object: consumes a comma (returns true) or the closing byte (returns false). */
bool iso_json_more(iso_scan *s, unsigned char close);

/* Calls each(arg) with the cursor at every element of an array; `what` is for an error at its beginning. */
void iso_json_elements(iso_scan *s, const char *what, void (*each)(void *arg), void *arg);

typedef struct iso_text {
    const char *bytes; /* in the input, or in the cursor's buffer until the next string */
    size_t length;
} iso_text;

/* Reads a string in quotes at the cursor. With raw, \xNN stands for one byte from 80 to ff that is not UTF-8 (only in
 * isolab text). */
iso_text iso_json_string(iso_scan *s, const char *what, bool raw);

static inline bool iso_text_is(iso_text t, const char *word) {
    size_t i = 0;
    while (i < t.length && word[i] != '\0' && t.bytes[i] == word[i]) {
        i++;
    }
    return i == t.length && word[i] == '\0';
}

/* Returns whether the word (true, false, null) is at the cursor, and skips it. */
bool iso_json_word(iso_scan *s, const char *word);

/* Skips one value of any kind, testing its syntax; values may be nested 1000 deep. */
void iso_json_skip(iso_scan *s);

/* Calls each(arg, name) with the cursor at the value of every member of an object. each() returns whether it consumed
 * the value; if not, the value is skipped. */
void iso_json_members(iso_scan *s, const char *what, bool (*each)(void *arg, iso_text name), void *arg);

/* Fails if a member was seen before, and says that it is seen now. */
void iso_json_once(const iso_scan *s, bool *seen, const char *what);

/* Reads an integer or a string; if nil is true, also null. */
iso_atom iso_json_atom(iso_scan *s, iso_builder *b, bool nil, const char *what);

/* Writes a character by its number, \uNNNN, or as a surrogate pair if it needs more than four digits. */
void iso_json_put_escaped(FILE *out, uint32_t number);

/* Writes a string in quotes. Bytes that are not UTF-8 are written as \xNN with raw, else as U+FFFD; an invisible
 * character (base/utf8.h) is written by its number. */
void iso_json_put_string(FILE *out, const char *bytes, uint64_t length, bool raw);
void iso_json_put_atom(FILE *out, const isolab_history *h, iso_atom atom);

#endif
