/* Pictures for Graphviz: a lane for each session, time downwards; session order and reads solid, what is concluded
 * from the rules of the level dashed and red; the legend and the sentences below. */
#ifndef ISOLAB_EXPLAIN_DOT_H
#define ISOLAB_EXPLAIN_DOT_H

#include "base/print.h"
#include "explain/picture.h"

/* sentences: with the explanation in words below the picture. */
void iso_picture_dot(FILE *out, iso_picture *picture, const iso_result *result, bool sentences);

#define ISO_NO_GRAPHVIZ "Graphviz is missing: run `tools/install-deps.sh pictures`, or `apt-get install graphviz`"

/* Runs Graphviz: the SVG, in the pool, from its first `<svg` on. Its text is NULL when Graphviz is missing or fails, and
 * then *why is a sentence for the user. */
iso_markup iso_picture_svg(iso_pool *pool, iso_picture *picture, const iso_result *result, bool sentences,
                           const char **why);

#endif
