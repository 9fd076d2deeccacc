/* Folders of logs, one file NAME.log (or NAME.log.gz, .xz, .zst) a session, in the order of the names, where numbers
 * compare as numbers, whatever the order in which the system lists a folder. */
#ifndef ISOLAB_FORMATS_LOG_FOLDER_H
#define ISOLAB_FORMATS_LOG_FOLDER_H

#include "formats/format.h"

/* One log in memory. */
typedef struct iso_log {
    iso_source source;
    char *path;
    iso_atom name; /* of the session */
} iso_log;

/* Calls each(arg, name) for every log of a folder. Returns false if the folder cannot be listed. each() may not
 * throw. */
bool iso_logs_each(const char *folder, void (*each)(void *, const char *), void *arg);
/* Reads the beginning of a log, for detection. Returns the number of bytes; 0: it is no file, or empty. */
size_t iso_log_begin(const char *folder, const char *name, unsigned char *bytes, size_t size);
/* Opens all logs of a folder, in order. A file LETTER<number>.log is the session of this number, another one has its
 * name without .log. Throws. */
iso_log *iso_logs_open(iso_pool *pool, iso_builder *b, const char *folder, char letter, uint32_t *n);

/* Writing: returns whether the names of sessions are numbers in increasing order, so that files LETTER<number>.log keep
 * them. */
bool iso_log_names_fit(const isolab_history *h);
/* Writes FOLDER/NAME: put(arg, out) prints. Throws. */
void iso_log_write(iso_sink *sink, const char *name, void (*put)(void *, FILE *), void *arg);

#endif
