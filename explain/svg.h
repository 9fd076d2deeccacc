/* Pictures as SVG, without any other program, and as PDF, into which rsvg-convert turns them. */
#ifndef ISOLAB_EXPLAIN_SVG_H
#define ISOLAB_EXPLAIN_SVG_H

#include "base/print.h"
#include "explain/layout.h"

/* Prints the look of pictures, for a <style> of SVG or of the page around it. literal: colours stand in each rule, for
 * programs that do not know variables; otherwise they are variables of the page, which may set them again. */
void iso_svg_style(iso_printer *out, bool literal);

/* Returns a colour of pictures, `#1c2430`. name: `ink`, or the colour of a kind of arrow. */
const char *iso_svg_colour(const char *name);

/* Prints an <svg> element for a page that has the style. name: distinguishes the pictures of one page. Groups have the
 * attributes data-txn (of boxes) and data-step, data-from, data-to (of arrows). */
void iso_picture_svg_part(iso_printer *out, iso_pool *pool, const iso_picture *p, const char *name);

/* Print a file: the picture with its style, its title, a legend and a caption (what happened, and the steps). PDF needs
 * the program rsvg-convert; without it they throw ISOLAB_E_IO. */
void iso_picture_svg_file(FILE *out, iso_pool *pool, const iso_picture *p, const iso_result *result);
void iso_picture_pdf_file(FILE *out, iso_pool *pool, const iso_picture *p, const iso_result *result);

#endif
