/* Prints a picture as text, for terminals and <pre>: a column for each session, a box for each transaction, and arrows
 * in a gutter on the right. */
#ifndef ISOLAB_EXPLAIN_DRAW_H
#define ISOLAB_EXPLAIN_DRAW_H

#include "base/print.h"
#include "explain/picture.h"

void iso_picture_draw(iso_printer *out, iso_pool *pool, const iso_picture *picture);

#endif
