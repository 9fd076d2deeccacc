/* Pictures as SVG, without any other program. Arrows differ in form, not only in colour: so solid, wr solid with a full
 * head, rw dashed with a hollow head, ww double, rt dotted, inferred ones dash-dotted. */
#ifndef ISOLAB_EXPLAIN_SVG_H
#define ISOLAB_EXPLAIN_SVG_H

#include "base/print.h"
#include "explain/layout.h"

/* The look of pictures, for a <style> of SVG or of the page around it; its colours are variables of iso_svg_colours. */
extern const char iso_svg_style[], iso_svg_colours[];

/* Prints an <svg> element for a page that has the style. name: distinguishes the pictures of one page. Groups have the
 * attributes data-txn (of boxes) and data-step, data-from, data-to (of arrows). */
void iso_picture_svg_part(iso_printer *out, iso_pool *pool, const iso_picture *p, const char *name);

/* Prints a file: the picture with its style, its title, a legend and a caption (what happened, and the steps). */
void iso_picture_svg_file(FILE *out, iso_pool *pool, iso_picture *p, const iso_result *result);

#endif
