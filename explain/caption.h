/* The caption of a picture in a file: its title, what happened, the steps, and a legend of its arrows, in lines below
 * the picture. */
#ifndef ISOLAB_EXPLAIN_CAPTION_H
#define ISOLAB_EXPLAIN_CAPTION_H

#include "explain/layout.h"

/* Called for each line: n bytes of text at (x, y), in pixels; a character is 7.2 pixels wide. */
typedef void iso_caption_line(void *arg, int x, int y, const char *text, int n);

/* Returns the width of a picture with its caption. */
int iso_caption_width(const iso_layout *l);
/* Calls line() (NULL: only measures) and returns the height of the picture with its caption. */
int iso_caption(const iso_layout *l, const iso_result *result, iso_caption_line *line, void *arg);

#endif
