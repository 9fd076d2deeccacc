/* Histories in files, and verdicts about them that are recorded in tables. */
#ifndef ISOLAB_EXPERIMENTS_ASKING_RECORDED_H
#define ISOLAB_EXPERIMENTS_ASKING_RECORDED_H

#include "experiments/asking/party.h"

/* The files of histories. */
typedef struct iso_history_files {
    const char *const *list;
    unsigned n;
    const iso_format *const *formats; /* by file; if it or an element is NULL, `format` holds */
    const iso_format *format;         /* NULL: it is recognised */
} iso_history_files;

/* Returns the files of histories. An operand that is a folder, but not a history of a folder format, stands for the
 * histories in it, at any depth, sorted by name. */
iso_history_files iso_history_files_of(iso_pool *pool, const char *const *operands, unsigned n_operands);

/* A recorded verdict about a file. */
typedef struct iso_record {
    uint32_t file; /* index in iso_history_files.list */
    iso_level level;
    iso_tool_state state;
    isolab_verdict verdict;
    double seconds; /* duration of the check; negative: not recorded */
    uint64_t line;  /* of the table that has it */
} iso_record;

/* The verdicts of one source. */
typedef struct iso_records {
    const char *table; /* the file that has them */
    iso_record *list;  /* sorted by file and level */
    size_t n, room;
} iso_records;

/* Reads a table of recorded verdicts (docs/referee.md) and adds a party for each of its sources. level: the level of
 * all rows if the table has no such column; ISO_NO_LEVEL: it must have the column. If `files` is empty, the files of
 * the table become the histories. Throws ISOLAB_E_INPUT with the line. */
void iso_recorded_read(iso_pool *pool, const char *path, iso_level level, iso_history_files *files,
                       iso_party parties[ISO_PARTIES], unsigned *n_parties);

bool iso_records_have(const iso_records *records, iso_level level);
/* Returns the verdict about a file (an index, or ISO_NONE); NULL: none. */
const iso_record *iso_recorded(const iso_records *records, uint32_t file, iso_level level);

#endif
