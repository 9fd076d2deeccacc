/* Pictures for Graphviz: a lane for each session, time downwards. Session order and reads are solid; edges inferred
 * from the rules of the level are dashed and red. The legend and the sentences are below the picture. */
#ifndef ISOLAB_EXPLAIN_DOT_H
#define ISOLAB_EXPLAIN_DOT_H

#include "base/print.h"
#include "explain/picture.h"

/* sentences: print the explanation in words below the picture. */
void iso_picture_dot(FILE *out, iso_picture *picture, const iso_result *result, bool sentences);

#define ISO_NO_GRAPHVIZ "Graphviz is missing: run `tools/install-deps.sh pictures`, or `apt-get install graphviz`"

/* Runs Graphviz. Returns the SVG in the pool, starting at its `<svg`. If Graphviz is missing or fails, the text is
 * NULL, and *why is a sentence for the user. */
iso_markup iso_picture_svg(iso_pool *pool, iso_picture *picture, const iso_result *result, bool sentences,
                           const char **why);

#endif
