/* The formats of histories. A format is one file with one descriptor and one line in formats.def.
 *
 * To add one: write formats/NAME.c that defines `const iso_format iso_format_NAME`, and add `FORMAT(NAME)` to
 * formats.def. Detection, help, lists and conversion come from the table. */
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
    unsigned mark; /* number of bytes before them: a byte order mark */
    bool folder;
    const iso_reading *how; /* which values and transactions are initial */
    bool built;             /* set by iso_source_builder() */
    bool ordinary; /* set by a reader without a builder: the input says that none of its transactions is the initial
                    * one */
    bool kept;     /* set by a reader whose history points into bytes: they live as long as the history */
} iso_source;

/* Features of a history that a format may be unable to hold. A writer reports each loss with a count. */
typedef enum {
    ISO_LOSS_STRINGS,       /* keys, values or names that are strings */
    ISO_LOSS_LISTS,         /* list operations */
    ISO_LOSS_ABORTED,       /* aborted transactions (dropped) */
    ISO_LOSS_INDETERMINATE, /* indeterminate transactions (written as committed if included, else as aborted) */
    ISO_LOSS_TIMES,         /* transactions with start or end */
    ISO_LOSS_NAMES,         /* names of transactions or sessions (renumbered) */
    ISO_LOSS_INITIAL,       /* reads of the initial value */
    ISO_LOSS_RANGE,         /* integers outside of the format's range */
    ISO_LOSS_EMPTY,         /* empty transactions or sessions (dropped) */
    ISO_LOSS_DUPLICATES,    /* writes of a value that another transaction writes, too (written as different values) */
    ISO_LOSS_NEGATIONS,     /* reads that give only a value that they did not return (dropped) */
    ISO_LOSS_NOTES,         /* notes (dropped) */
    ISO_LOSS_SESSIONS,      /* sessions split after an indeterminate transaction */
    ISO_LOSS_CALLS,         /* transactions that are not one call of a register (dropped) */
    ISO_LOSS_KINDS
} iso_loss;

typedef struct iso_losses {
    uint64_t count[ISO_LOSS_KINDS];
} iso_losses;

/* The destination of a format. A file format writes to out; a folder format makes files in the folder path. */
typedef struct iso_sink {
    iso_pool *pool;
    const char *path;
    FILE *out; /* NULL for a folder format */
} iso_sink;

enum {
    ISO_FORMAT_BINARY = 1,    /* must not be written to a terminal */
    ISO_FORMAT_FOLDER = 2,    /* a folder of files */
    ISO_FORMAT_NEGATIONS = 4, /* it can hold reads that give only a value that they did not return */
    ISO_FORMAT_NOTES = 8      /* it can hold notes */
};

enum { ISO_FORMAT_SURE = 95 };

typedef struct iso_format {
    const char *name;
    const char *summary;    /* one line, for lists */
    const char *extensions; /* separated by spaces, with dots; the first is used for new files */
    unsigned flags;
    /* Returns how surely the source has this format, from its first bytes (for a folder: its members): 0 no, 100 yes;
     * from ISO_FORMAT_SURE on, later formats of the table are not asked. Cheap; never throws for malformed input. */
    int (*detect)(const iso_source *source);
    /* Reads a whole history; malformed input is thrown by iso_throw_input() with line and offset. */
    isolab_history *(*read)(iso_source *source);
    /* survey counts losses; write writes. NULL: the format cannot be written. For features that the flags exclude,
     * iso_survey() counts and iso_save() leaves out. */
    void (*survey)(const isolab_history *h, iso_losses *losses);
    void (*write)(const isolab_history *h, iso_sink *sink);
} iso_format;

/* The table, in the order of formats.def, ended by NULL. */
extern const iso_format *const iso_formats[];

const iso_format *iso_format_find(const char *name); /* NULL: no format has this name */

/* Counts what a format would lose of a history. Returns the sum. The text of a report is one line: `3 aborted
 * transactions, 2 names`. */
uint64_t iso_survey(const isolab_history *h, const iso_format *format, iso_losses *losses);
void iso_loss_report(const iso_losses *losses, char *text, size_t size);

/* Reads all of a file or of standard input, decompressed, or finds that it is a folder. Also for members of folders;
 * errors name the path. */
void iso_source_open(iso_pool *pool, const char *path, iso_source *source);
void iso_source_open_as(iso_pool *pool, const char *path, const iso_reading *how, iso_source *source); /* by threads */
void iso_source_copy(iso_pool *pool, const void *bytes, size_t size, iso_source *source); /* from bytes in memory */

/* Returns the bytes of any other input (a graph, a formula, a suite), which are read in the same way: once, for any
 * path (a file, a pipe, `-`), within the limits, into a block that the caller may change. A zero byte follows. A folder
 * is an error, and so are more than `most` bytes (0 = no limit). */
char *iso_source_text(iso_pool *pool, const char *path, size_t most, size_t *size);

const iso_format *iso_format_detect(const iso_source *source); /* NULL: no format recognises it */

/* Returns the builder for the source's history, which follows source->how. */
iso_builder *iso_source_builder(iso_source *source);

/* Opens a path (or `-`), decompresses it, and detects the format unless it is given. Throws. */
isolab_history *iso_load(iso_pool *pool, const char *path, const iso_format *format /* NULL: detect */);
/* The same. how: NULL is ISO_INITIAL_AUTO, as in the other functions. */
isolab_history *iso_load_as(iso_pool *pool, const char *path, const iso_format *format, const iso_reading *how);

/* The same for bytes in memory, which are copied and may be compressed; errors name them `memory`. */
isolab_history *iso_load_bytes(iso_pool *pool, const void *bytes, size_t size, const iso_format *format);
isolab_history *iso_load_bytes_as(iso_pool *pool, const void *bytes, size_t size, const iso_format *format,
                                  const iso_reading *how);

/* Writes a history to a path (`-`: standard output), through a temporary file that is renamed when it is complete, so
 * that no partial file remains. A path that ends in .gz, .xz or .zst is compressed. Throws. */
void iso_save(iso_pool *pool, const isolab_history *h, const char *path, const iso_format *format);

/* Returns what iso_save() writes into a file, with a zero byte after its end. format: not one of folders. */
char *iso_save_text(iso_pool *pool, const isolab_history *h, const iso_format *format, size_t *size);

#endif
