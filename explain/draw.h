/* Prints a picture as text, for terminals and <pre>: a column for each session, a box for each transaction, and arrows
 * in a gutter on the right. */
#ifndef ISOLAB_EXPLAIN_DRAW_H
#define ISOLAB_EXPLAIN_DRAW_H

#include "base/print.h"
#include "explain/picture.h"

typedef struct iso_drawing {
    uint32_t columns; /* limit of characters on a line; 0 = none. Sessions that do not fit are drawn below the others */
    bool ascii;       /* use only ASCII characters */
    bool colour;      /* for terminals: inferred edges and offending operations are red */
    const char *only; /* draw only the arrow of this step; NULL: all */
} iso_drawing;

void iso_picture_draw(iso_printer *out, iso_pool *pool, const iso_picture *picture, const iso_drawing *how);

#endif
