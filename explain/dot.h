/* Pictures for Graphviz: a lane for each session, time downwards; session order and reads solid, what is concluded
 * from the rules of the level dashed and red; the legend and the sentences below. */
#ifndef ISOLAB_EXPLAIN_DOT_H
#define ISOLAB_EXPLAIN_DOT_H

#include <stdio.h>

#include "explain/picture.h"

/* sentences: with the explanation in words below the picture. */
void iso_picture_dot(FILE *out, iso_picture *picture, const iso_result *result, bool sentences);

/* Runs Graphviz: the text of the SVG in the pool, from its first `<svg` on; NULL when Graphviz is missing or fails,
 * and then *why is a sentence for the user. */
char *iso_picture_svg(iso_pool *pool, iso_picture *picture, const iso_result *result, bool sentences, const char **why);

/* One character of UTF-8 for HTML, XML and Graphviz: markup escaped, what is not UTF-8 replaced. */
void iso_html_text(FILE *out, const char *text);

#endif
