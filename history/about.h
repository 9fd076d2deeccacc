/* What a history says about itself: one line of pairs, `graph c5 40; nodes 40; edges 320`. A generator of instances
 * puts it there, or the header of a recording (`database SQLite; level wal`), formats that have comments keep it, and
 * no verdict depends on it: equality and fingerprints ignore it, too. */
#ifndef ISOLAB_HISTORY_ABOUT_H
#define ISOLAB_HISTORY_ABOUT_H

#include "history/builder.h"

#define ISO_ABOUT_MOST 2000 /* bytes */

/* Stores a line, which is copied. A line with control characters, or that is too long, is not stored. */
void iso_history_about(isolab_history *h, const char *line, size_t n);
void iso_builder_about(iso_builder *b, const char *line, size_t n);

typedef struct iso_about {
    const char *name, *value;
    size_t name_size, value_size;
    bool number; /* the value is a whole number of at most 18 digits */
} iso_about;

/* Takes the first pair from *line. Returns false if there is none. */
bool iso_about_next(const char **line, iso_about *pair);

#endif
