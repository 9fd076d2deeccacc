/* Printing. All that isolab prints for people and for other programs goes through here, except histories and
 * certificates, which their formats write.
 *
 * Names of files, suites, keys and values, messages of other programs, rows of databases come from outside, and what
 * shows them may take a part of them for its own: markup, a command, an escape sequence of a terminal. So a format is a
 * literal, and nothing but the literal reaches the target as it is. Whatever a `%s` or `%c` prints is written so that the
 * target shows it, and invisible characters and characters that move the cursor are shown by their numbers (base/utf8.h).
 * It cannot be forgotten: the functions of stdio that print cannot be called (base/print_only.h), and a format that is no
 * literal, or does not fit its arguments, does not compile.
 *
 *     iso_say(stdout, "%s: %u transactions\n", path, n);            // for people, on a terminal or into a file
 *
 *     iso_printer page = {.out = out, .target = ISO_HTML};
 *     iso_print(&page, "<td class=\"%s\">%s</td>", kind, name);     // markup comes from the format alone
 *
 * Conversions are those of printf for texts, characters and numbers, with width and precision; the precision of a text
 * counts bytes, its width the characters that are shown; a text that is NULL is empty. */
#ifndef ISOLAB_BASE_PRINT_H
#define ISOLAB_BASE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/env.h"

/* What a `%s` is in each: */
typedef enum {
    ISO_PLAIN,    /* the text as it is shown, in one line */
    ISO_HTML,     /* content, or an attribute in quotes; also of XML and SVG */
    ISO_DOT,      /* content of a label of Graphviz that is like HTML */
    ISO_MARKDOWN, /* words of a paragraph or a cell; not within `code` */
    ISO_LATEX,    /* words of a paragraph or a cell */
    ISO_CSV,      /* a whole cell, quoted where it has to be */
    ISO_JSON,     /* a whole string, quotes included, in which no character is lost */
    ISO_GNUPLOT,  /* a whole string of a script, quotes included, which must be used without enhanced text */
    ISO_SHELL,    /* a whole word, quoted where it has to be */
    ISO_ROFF,     /* words of a line of a manual page */
} iso_target;

typedef struct iso_printer {
    FILE *out; /* NULL: into text, of the pool */
    iso_target target;
    iso_pool *pool;
    char *text;
    size_t size, room;
    bool within; /* the last character was not a line's end */
    bool counts; /* prints nothing, and counts characters in size */
} iso_printer;

#define iso_print(printer, ...) iso_print_format((printer), "" __VA_ARGS__)
#define iso_say(file, ...) iso_print(&(iso_printer){.out = (file)}, __VA_ARGS__)
void iso_print_format(iso_printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines of a text, with a line's end after the last one: in HTML they belong into <pre>, in Markdown they become a block
 * of code. */
void iso_print_lines(iso_printer *printer, const char *text);

/* Text that is to be typed as it is, marked as such where the target has a mark. */
void iso_print_code(iso_printer *printer, const char *text);

/* What was printed into text; never NULL. */
const char *iso_printed(const iso_printer *printer);

/* Text that is markup of a target already: the only one that is printed as it is. It comes from a literal, from a printer
 * of the same target, or from a program that draws (explain/dot.h). */
typedef struct iso_markup {
    const char *text;
} iso_markup;
#define ISO_MARKUP(literal) ((iso_markup){"" literal})
iso_markup iso_printed_markup(const iso_printer *printer);
void iso_print_markup(iso_printer *printer, iso_markup markup);

/* A word for a shell, of the pool. */
const char *iso_shell_word(iso_pool *pool, const char *word);

#endif
