/* Printing. Everything that isolab prints for people and other programs goes through this file, except histories
 * and certificates, which their formats write.
 *
 * Names of files, suites, keys and values, messages of other programs, and rows of databases come from outside. A
 * terminal, browser or spreadsheet may interpret parts of them as markup, a command or an escape sequence. So a
 * format is a literal, and only the literal reaches the target unchanged. Whatever a `%s` or `%c` prints is escaped
 * so that the target shows it as it is; invisible characters and characters that move the cursor are shown by their
 * numbers (base/utf8.h). The compiler enforces this: the printing functions of stdio cannot be called
 * (base/print_only.h), and a format that is not a literal, or does not fit its arguments, does not compile.
 *
 *     iso_say(stdout, "%s: %u transactions\n", path, n);            // for people, on a terminal or in a file
 *
 *     iso_printer page = {.out = out, .target = ISO_HTML};
 *     iso_print(&page, "<td class=\"%s\">%s</td>", kind, name);     // markup comes only from the format
 *
 * Conversions are those of printf for strings, characters and numbers, with width and precision. The precision of a
 * string counts bytes, its width counts shown characters. A NULL string prints nothing. */
#ifndef ISOLAB_BASE_PRINT_H
#define ISOLAB_BASE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/env.h"

/* What a `%s` prints, by target: */
typedef enum {
    ISO_PLAIN,     /* the text as it is shown, on one line */
    ISO_HTML,      /* element content or a quoted attribute; also for XML and SVG */
    ISO_MARKDOWN,  /* words of a paragraph or a cell; not inside `code` */
    ISO_LATEX,     /* words of a paragraph or a cell */
    ISO_CSV,       /* a whole cell, quoted if necessary */
    ISO_JSON,      /* a whole string with its quotes; no character is lost */
    ISO_JSON_PAGE, /* the same without `<`, `>` and `&`, which are escaped: inside a <script> of a page */
    ISO_GNUPLOT,   /* a whole string of a script with its quotes; use it without enhanced text */
    ISO_SHELL,     /* a whole word, quoted if necessary */
    ISO_ROFF,      /* words of a line of a manual page */
} iso_target;

typedef struct iso_printer {
    FILE *out; /* NULL: print into `text`, in the pool */
    iso_target target;
    iso_pool *pool;
    char *text;
    size_t size, room;
    bool within; /* the last printed character did not end a line */
} iso_printer;

#define iso_print(printer, ...) iso_print_format((printer), "" __VA_ARGS__)
#define iso_say(file, ...) iso_print(&(iso_printer){.out = (file)}, __VA_ARGS__)
void iso_print_format(iso_printer *printer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the lines of a text, each with a newline at its end. In HTML they belong inside <pre>; in Markdown they
 * become a code block. */
void iso_print_lines(iso_printer *printer, const char *text);

/* Prints text that the reader should type exactly, marked as code where the target has such a mark. */
void iso_print_code(iso_printer *printer, const char *text);

/* Returns what was printed into `text`; never NULL. */
const char *iso_printed(const iso_printer *printer);

/* Returns the reason why standard output did not take what was printed there, of the first time; 0: it took all, or
 * fflush() will tell. The stream itself only remembers that there was one. */
int iso_print_failure(void);

/* From here on, breaks what is printed on standard output between words, so that no line has more columns
 * (base/wrap.h). 0: lines stay as they are. */
void iso_print_width(uint32_t columns);

/* Text that is already markup of a target. It is the only text that is printed unchanged. It must come from a
 * literal, from a printer of the same target, or from a program that draws (base/painter.h). */
typedef struct iso_markup {
    const char *text;
} iso_markup;
#define ISO_MARKUP(literal) ((iso_markup){"" literal})
iso_markup iso_printed_markup(const iso_printer *printer);
void iso_print_markup(iso_printer *printer, iso_markup markup);

/* Returns a word quoted for a shell, in the pool. */
const char *iso_shell_word(iso_pool *pool, const char *word);

#endif
