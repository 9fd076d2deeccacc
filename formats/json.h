/* JSON over a cursor (scan.h): no tree, no recursion, no library. Space is what the caller allows: `lines` false
 * keeps a value on one line, as in JSON lines. */
#ifndef ISOLAB_FORMATS_JSON_H
#define ISOLAB_FORMATS_JSON_H

#include "formats/scan.h"

/* Skips spaces and tabs (and ends of lines); returns the byte that follows. */
unsigned char iso_json_space(iso_scan *s, bool lines);

/* The next byte other than space must be c; what is said when it is not. */
void iso_json_expect(iso_scan *s, bool lines, unsigned char c, const char *what);

/* After an element of an array or object: true after a comma, false after the closing byte. */
bool iso_json_more(iso_scan *s, bool lines, unsigned char close);

typedef struct iso_text {
    const char *bytes; /* in the input, or in the cursor's own room until the next string */
    size_t length;
} iso_text;

/* A string in quotes at the cursor. With raw, \xNN stands for one byte from 80 to ff that is not UTF-8
 * (isolab text only). */
iso_text iso_json_string(iso_scan *s, const char *what, bool raw);

static inline bool iso_text_is(iso_text t, const char *word) {
    size_t i = 0;
    while (i < t.length && word[i] != '\0' && t.bytes[i] == word[i]) {
        i++;
    }
    return i == t.length && word[i] == '\0';
}

/* The word (true, false, null) at the cursor, skipped if it is there. */
bool iso_json_word(iso_scan *s, const char *word);

/* Skips one value of any kind, checking its syntax; nested at most 1000 deep. */
void iso_json_skip(iso_scan *s, bool lines);

/* An integer or a string; with nil, null too. */
iso_atom iso_json_atom(iso_scan *s, iso_builder *b, bool nil, const char *what);

/* A character by its number, \uNNNN: of two halves where four digits do not do. */
void iso_json_put_escaped(FILE *out, uint32_t number);

/* Writes a string in quotes. Bytes that are not UTF-8 are written as \xNN with raw, else as U+FFFD; an invisible character
 * (base/utf8.h) by its number. */
void iso_json_put_string(FILE *out, const char *bytes, uint64_t length, bool raw);
void iso_json_put_atom(FILE *out, const isolab_history *h, iso_atom atom);

#endif
