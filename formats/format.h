/* The formats of histories. A format is one file with one descriptor and one line in formats.def.
 *
 * To add one: write formats/NAME.c that defines `const iso_format iso_format_NAME`, and add `FORMAT(NAME)`
 * to formats.def. Nothing else: detection, help, lists and conversion come from the table.
 */
#ifndef ISOLAB_FORMATS_FORMAT_H
#define ISOLAB_FORMATS_FORMAT_H

#include <stdio.h>

#include "history/builder.h"
#include "history/history.h"

/* The bytes of one input: a whole file, decompressed, or a folder. */
#define ISO_SOURCE_PADDING 64
typedef struct iso_source {
    iso_pool *pool;
    const char *path;           /* as the user gave it; `-` is standard input */
    const unsigned char *bytes; /* a block of the pool, followed by ISO_SOURCE_PADDING zero bytes */
    size_t size;
    bool folder;
    const iso_reading *how; /* which values and transactions are initial */
    bool built;             /* set by iso_source_builder() */
    bool ordinary; /* set by a reader without a builder: the input says that no transaction of it is the initial one */
    bool kept;     /* set by a reader whose history points into bytes: they live as long as it does */
} iso_source;

/* What a history has and a format may be unable to hold. A writer reports each loss with a count. */
typedef enum {
    ISO_LOSS_STRINGS,       /* keys, values or names that are strings */
    ISO_LOSS_LISTS,         /* list operations */
    ISO_LOSS_ABORTED,       /* aborted transactions (dropped) */
    ISO_LOSS_INDETERMINATE, /* indeterminate transactions (written as what they count as) */
    ISO_LOSS_TIMES,         /* transactions with start or end */
    ISO_LOSS_NAMES,         /* names of transactions or sessions (renumbered) */
    ISO_LOSS_INITIAL,       /* reads of the initial value */
    ISO_LOSS_RANGE,         /* integers outside of the format's range */
    ISO_LOSS_EMPTY,         /* empty transactions or sessions (dropped) */
    ISO_LOSS_DUPLICATES,    /* values with several writers (told apart) */
    ISO_LOSS_SESSIONS,      /* sessions cut in two after an indeterminate transaction */
    ISO_LOSS_KINDS
} iso_loss;

typedef struct iso_losses {
    uint64_t count[ISO_LOSS_KINDS];
} iso_losses;

/* Where a format writes. A file format writes to out; a folder format makes files in the folder path. */
typedef struct iso_sink {
    iso_pool *pool;
    const char *path;
    FILE *out; /* NULL for a folder format */
} iso_sink;

enum {
    ISO_FORMAT_BINARY = 1, /* not for a terminal */
    ISO_FORMAT_FOLDER = 2  /* a folder of files */
};

typedef struct iso_format {
    const char *name;
    const char *summary;    /* one line, for lists */
    const char *extensions; /* separated by spaces, with dots; the first is used for new files */
    unsigned flags;
    /* How surely the source is of this format, from its first bytes (a folder: its members): 0 no, 100 yes.
     * Cheap, never throws for malformed input. */
    int (*detect)(const iso_source *source);
    /* Reads a whole history; malformed input is thrown by iso_throw_input() with line and offset. */
    isolab_history *(*read)(iso_source *source);
    /* First called with out NULL sinks' losses only counted (survey), then for writing. NULL: cannot write. */
    void (*survey)(const isolab_history *h, iso_losses *losses);
    void (*write)(const isolab_history *h, iso_sink *sink);
} iso_format;

/* The table, in the order of formats.def, ended by NULL. */
extern const iso_format *const iso_formats[];

const iso_format *iso_format_find(const char *name); /* NULL: none of that name */

/* Counts what a format would lose of a history; returns the sum. The text of a report is one line:
 * `3 aborted transactions, 2 names`. */
uint64_t iso_survey(const isolab_history *h, const iso_format *format, iso_losses *losses);
void iso_loss_report(const iso_losses *losses, char *text, size_t size);

/* Reads all of a file or of standard input, decompressed, or finds that it is a folder. For members of folders;
 * errors name the path. */
void iso_source_open(iso_pool *pool, const char *path, iso_source *source);
void iso_source_copy(iso_pool *pool, const void *bytes, size_t size, iso_source *source); /* of bytes in memory */

/* The bytes of any other input (a graph, a formula, a suite), which are read the same way: once, whatever the path
 * is (a file, a pipe, `-`), within the limits and in a block that may be changed. A zero byte follows. A folder is an
 * error, and so are more than most bytes (0: no bound). */
char *iso_source_text(iso_pool *pool, const char *path, size_t most, size_t *size);

const iso_format *iso_format_detect(const iso_source *source); /* NULL: no format knows it */

/* The builder of what is read, which keeps to source->how. */
iso_builder *iso_source_builder(iso_source *source);

/* Opens a path (or `-`), decompresses zstd, and detects or finds the format. Throws. */
isolab_history *iso_load(iso_pool *pool, const char *path, const iso_format *format /* NULL: detect */);
/* The same; how NULL: by ISO_INITIAL_AUTO, as the other functions do. */
isolab_history *iso_load_as(iso_pool *pool, const char *path, const iso_format *format, const iso_reading *how);

/* The same for bytes in memory, which are copied and may be zstd; errors name them `memory`. */
isolab_history *iso_load_bytes(iso_pool *pool, const void *bytes, size_t size, const iso_format *format);
isolab_history *iso_load_bytes_as(iso_pool *pool, const void *bytes, size_t size, const iso_format *format,
                                  const iso_reading *how);

/* Writes a history to a path (`-`: standard output), through a temporary file that is renamed when all is
 * written, so that nothing half-written stays. A path that ends in .zst is compressed. Throws. */
void iso_save(iso_pool *pool, const isolab_history *h, const char *path, const iso_format *format);

#endif
