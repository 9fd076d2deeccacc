/* Pictures for papers: a TikZ picture in a figure with a caption, which needs no package except tikz. */
#ifndef ISOLAB_EXPLAIN_TIKZ_H
#define ISOLAB_EXPLAIN_TIKZ_H

#include "base/print.h"
#include "explain/layout.h"

void iso_picture_tikz(FILE *out, iso_pool *pool, const iso_picture *p, const iso_result *result);

#endif
