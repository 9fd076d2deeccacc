/* Pictures for Graphviz: a lane for each session, time downwards. Session order and reads are solid; edges inferred
 * from the rules of the level are dashed and red. The legend and the sentences are below the picture. */
#ifndef ISOLAB_EXPLAIN_DOT_H
#define ISOLAB_EXPLAIN_DOT_H

#include "base/print.h"
#include "explain/picture.h"

/* sentences: print the explanation in words below the picture. */
void iso_picture_dot(FILE *out, iso_picture *picture, const iso_result *result, bool sentences);

#endif
