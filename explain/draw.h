/* Prints a picture as text, for terminals and <pre>: a column for each session, a box for each transaction, and arrows
 * in a gutter on the right. */
#ifndef ISOLAB_EXPLAIN_DRAW_H
#define ISOLAB_EXPLAIN_DRAW_H

#include "base/print.h"
#include "explain/picture.h"

typedef struct iso_drawing {
    uint32_t columns; /* the limit; 0: no limit. Columns of sessions that do not fit are drawn below each other */
    bool ascii;       /* no other characters */
    bool colour;      /* for terminals: what is inferred, and what offends, is red */
    const char *only; /* draw only the arrow of this step; NULL: all */
} iso_drawing;

void iso_picture_draw(iso_printer *out, iso_pool *pool, const iso_picture *picture, const iso_drawing *how);

#endif
