/* The matrix of `isolab matrix`: the verdicts for each configured level of each database at each checked level. */
#ifndef ISOLAB_CLI_MATRIX_H
#define ISOLAB_CLI_MATRIX_H

#include "base/print.h"
#include "collectors/collector.h"
#include "history/level.h"

typedef struct iso_matrix_cell {
    uint32_t satisfied, violated, unknown; /* numbers of runs */
    uint64_t evidence;                     /* lower bound of the cases of all satisfied runs (checkers/evidence.h) */
    iso_level because;          /* violated: the level that has the counterexample: itself, or a weaker one */
    const char *anomaly;        /* of that level's own cell: name of the first anomaly */
    const char *counterexample; /* the smallest history and its proof, as files; NULL: not made */
    const char *proof;
    uint32_t txns;        /* of the counterexample */
    bool replays;         /* `isolab replay` of the counterexample violated the level again */
    const char *unplayed; /* why it could not be played; NULL: it was */
} iso_matrix_cell;

enum { ISO_MATRIX_WORKLOADS = 8 };

typedef struct iso_matrix_row {
    const iso_collector *collector;
    const iso_offer *level;
    char version[64];
    uint32_t runs, failed;                      /* recordings, and recordings that ended with an error */
    const char *workload[ISO_MATRIX_WORKLOADS]; /* as `collect` takes them; NULL: no recording of it succeeded */
    uint32_t runs_of[ISO_MATRIX_WORKLOADS];     /* recordings of each that succeeded */
    uint64_t committed;
    const char *why; /* the last error of a recording, or why there is none; NULL: no error */
    iso_matrix_cell cell[ISO_MOST_LEVELS];
} iso_matrix_row;

typedef struct iso_matrix {
    iso_matrix_row *row;
    uint32_t n;
} iso_matrix;

/* Returns whether the database's documentation promises the level. */
bool iso_matrix_promised(const iso_matrix_row *row, iso_level level);

/* Prints the table and the list of violations, for people. target: ISO_PLAIN, ISO_HTML, ISO_LATEX or ISO_MARKDOWN.
 * details: also what each satisfied cell rests on. */
void iso_matrix_print(iso_pool *pool, FILE *out, iso_target target, const iso_matrix *m, bool details);
void iso_matrix_json(FILE *out, const iso_matrix *m);

#endif
