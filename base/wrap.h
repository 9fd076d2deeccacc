/* Breaks lines of text between words, so that they fit in a window. Words arrive in pieces of any size. The rest of a
 * broken line is indented: as far as the sentence of a numbered step, as the last column of a table, or else by two
 * more spaces. Lines that fit, and words that are longer than a line, do not change. */
#ifndef ISOLAB_BASE_WRAP_H
#define ISOLAB_BASE_WRAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct iso_wrap {
    uint32_t columns;
    void (*put)(void *arg, const char *bytes, size_t n);
    void *arg;
    /* of the line: */
    uint32_t column, hang; /* column: where the last word ended; hang: where the next line begins */
    uint32_t words;
    uint32_t gap; /* spaces before the current word */
    /* of the current word: */
    char word[1024];
    size_t size;
    uint32_t width; /* in characters, without escape sequences */
} iso_wrap;

void iso_wrap_add(iso_wrap *w, const char *bytes, size_t n);
void iso_wrap_end(iso_wrap *w); /* prints a word that no newline followed */

/* Returns the columns of standard output: $COLUMNS, or else the width of the terminal; `otherwise` if neither is
 * known. */
uint32_t iso_window_columns(uint32_t otherwise);

#endif
