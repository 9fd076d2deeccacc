/* An anomaly for tickets and wikis: Mermaid, and Markdown with the story, the steps, the places and a Mermaid
 * picture. */
#ifndef ISOLAB_EXPLAIN_NOTES_H
#define ISOLAB_EXPLAIN_NOTES_H

#include "base/print.h"
#include "explain/picture.h"

void iso_picture_mermaid(FILE *out, iso_pool *pool, iso_picture *p, const iso_result *result);
void iso_picture_markdown(FILE *out, iso_pool *pool, iso_picture *p, const iso_result *result);

#endif
