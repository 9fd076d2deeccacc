/* See wrap.h. */
#define _GNU_SOURCE
#include "base/wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

/* Columns that remain for text, however far the line is indented; and limits of a window that can be true. */
enum { LEAST = 24, NARROW = 40, BROAD = 10000 };

uint32_t iso_window_columns(uint32_t otherwise) {
    struct winsize size;
    const char *given = getenv("COLUMNS");
    unsigned long n = given != NULL ? strtoul(given, NULL, 10) : 0;
    if (n >= NARROW && n <= BROAD) {
        return (uint32_t)n;
    }
    bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROW;
    return known ? size.ws_col : isatty(STDOUT_FILENO) ? 80 : otherwise;
}

static void put_spaces(iso_wrap *w, uint32_t n) {
    while (n-- > 0) {
        w->put(w->arg, " ", 1);
    }
}

/* Returns the number of columns of a word without its escape sequences (`ESC [ ... m`). */
static uint32_t width_of(const char *word, size_t size) {
    uint32_t width = 0;
    for (size_t i = 0; i < size;) {
        const char *escape = memchr(word + i, '\033', size - i);
        size_t end = escape != NULL ? (size_t)(escape - word) : size;
        width += iso_utf8_columns(word + i, end - i);
        const char *m = memchr(word + end, 'm', size - end);
        i = m != NULL ? (size_t)(m - word) + 1 : size;
    }
    return width;
}

static bool is_number(const char *word, size_t size) {
    size_t n = 0;
    while (n < size && (isdigit((unsigned char)word[n]) || word[n] == '.')) {
        n++;
    }
    return n == size && isdigit((unsigned char)word[0]);
}

/* Decides where the next line of the text begins, after the first word and after each gap of a table. */
static void hang(iso_wrap *w, uint32_t start) {
    if (w->words == 0) {
        w->hang = is_number(w->word, w->size) ? start + w->width + 1 : start + 2;
    } else if (w->gap > 1 && start <= w->columns / 2) {
        w->hang = start;
    }
    if (w->hang + LEAST > w->columns) {
        w->hang = w->columns > LEAST ? w->columns - LEAST : 0;
    }
}

static void end_word(iso_wrap *w) {
    if (w->size == 0) {
        return;
    }
    w->width = width_of(w->word, w->size);
    if (w->words > 0 && w->column + w->gap + w->width > w->columns && w->column > w->hang) {
        w->put(w->arg, "\n", 1);
        w->column = 0;
        w->gap = w->hang;
    } else {
        hang(w, w->column + w->gap);
    }
    put_spaces(w, w->gap);
    w->put(w->arg, w->word, w->size);
    w->column += w->gap + w->width;
    w->words++;
    w->gap = 0;
    w->size = 0;
}

void iso_wrap_end(iso_wrap *w) {
    end_word(w);
    put_spaces(w, w->gap);
    w->column = w->words = w->gap = 0;
}

void iso_wrap_add(iso_wrap *w, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            end_word(w);
            w->gap = 0;
            iso_wrap_end(w);
            w->put(w->arg, "\n", 1);
        } else if (bytes[i] == ' ') {
            end_word(w);
            w->gap++;
        } else {
            if (w->size == sizeof w->word) { /* longer than any line */
                end_word(w);
            }
            w->word[w->size++] = bytes[i];
        }
    }
}
