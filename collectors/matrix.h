/* The matrix (`isolab matrix`): records each level of databases several times, checks every recording at every level,
 * and keeps the verdicts, the smallest counterexamples and their proofs. */
#ifndef ISOLAB_COLLECTORS_MATRIX_H
#define ISOLAB_COLLECTORS_MATRIX_H

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
    size_t n, room;
} iso_matrix;

typedef struct iso_matrix_plan {
    uint64_t runs, txns, sessions; /* of each level; of each recording */
    int64_t each;                  /* ns for the questions about one recording; 0: no limit */
    bool spawn;                    /* start a private server of each database that has one */
    const char *folder;            /* for counterexamples and proofs */
    void (*answered)(void);        /* called after every run of a checker */
    bool (*stopped)(void);         /* asked before each recording: whether to begin no more */
} iso_matrix_plan;

/* Adds the rows of a database. level: the only one; NULL: all. */
void iso_matrix_add(iso_matrix *m, iso_pool *pool, const iso_collector *k, const iso_offer *level);

/* Measures all rows. Returns ISOLAB_OK, or ISOLAB_E_LIMIT: the matrix has what is known by then. */
int iso_matrix_measure(iso_pool *pool, const iso_matrix_plan *plan, iso_matrix *m);

/* Returns the verdict about all runs: violated if one run is, unknown if no run is known to satisfy the level. */
isolab_verdict iso_matrix_verdict(const iso_matrix_cell *cell);

/* Returns whether the database's documentation promises the level. */
bool iso_matrix_promised(const iso_matrix_row *row, iso_level level);

#endif
