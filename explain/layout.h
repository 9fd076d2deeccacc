/* The places of the parts of a picture, for formats with coordinates (svg.h, tikz.h): a column for each session, a box
 * for each transaction, time downwards.
 *
 * No two boxes share a height, so a horizontal line at the height of an operation meets no other box; the vertical part
 * of an arrow runs in a gap between two columns, in a place of its own. So no arrow crosses a box, and no two lie on
 * each other. Unit: pixels. */
#ifndef ISOLAB_EXPLAIN_LAYOUT_H
#define ISOLAB_EXPLAIN_LAYOUT_H

#include "explain/picture.h"

enum { ISO_ROW = 20, ISO_CHAR = 8, ISO_PILL = 46, ISO_OP_CHARS = 44 };

typedef struct iso_box {
    uint32_t txn;
    int x, y, width, height; /* the first row has the name, the second the place; then operations follow */
} iso_box;

/* An arrow: from (x[0], y[0]) horizontally to x[1], vertically to y[1], and horizontally to x[2]. Or straight down:
 * x[0] == x[2] and `down`. */
typedef struct iso_route {
    int x[3], y[2];
    int label;     /* height of the middle of its label, which is at x[1] */
    bool down, up; /* the arrow points down, or up, and not to the side */
} iso_route;

typedef struct iso_layout {
    const iso_picture *p;
    int width, height;
    int *lane_x, lane_width; /* by lane */
    iso_box *box;            /* by index in p->txn */
    iso_route *route;        /* by index in p->arrow */
} iso_layout;

iso_layout *iso_layout_make(iso_pool *pool, const iso_picture *p);

/* Returns the text of a box's second row: its place, and its times from the earliest in the picture on. */
const char *iso_layout_place(const iso_layout *l, uint32_t txn, char buffer[ISO_PLACE_SIZE]);
/* Return an operation, and the name of a transaction, of at most ISO_OP_CHARS columns (base/utf8.h). */
const char *iso_layout_op(const iso_layout *l, uint32_t op, char *buffer, size_t size);
const char *iso_layout_name(const iso_layout *l, uint32_t txn, char buffer[ISO_WORD_SIZE]);
/* Returns the label of an arrow: `2.1 rw`. */
#define ISO_LABEL_SIZE (ISO_NUMBER_SIZE + 8)
const char *iso_arrow_label(const iso_arrow *a, char buffer[ISO_LABEL_SIZE]);

/* Returns the height of an operation's row, or of the name of its transaction. */
int iso_layout_row(const iso_layout *l, const iso_box *box, uint32_t op);

#endif
