/* Pictures that another program draws: gnuplot draws figures, rsvg-convert turns SVG into PDF. The program runs in a
 * temporary folder, where the files have fixed names, so no name from outside reaches it. */
#ifndef ISOLAB_BASE_PAINTER_H
#define ISOLAB_BASE_PAINTER_H

#include "base/env.h"

#define ISO_TO_PAINT "script" /* the file that the program reads */
#define ISO_PAINTED "picture" /* the file that it writes */

typedef struct iso_painter {
    const char *program, *package;
    const char *arguments[6]; /* after the program's name; unused ones are NULL */
} iso_painter;

/* Gives n bytes to the program. Returns its picture, *size bytes in the pool. Throws ISOLAB_E_IO if the program is not
 * installed, with the name of its package, or if it fails, with its last line. */
const char *iso_paint(iso_pool *pool, const iso_painter *by, const char *text, size_t n, size_t *size);

#endif
