/* A suite: which checkers check which histories, at which levels, how often. It is a declarative file with one `key:
 * value` in each line; docs/suites.md describes it.
 *
 * The suite belongs to the given pool. Any error is thrown as ISOLAB_E_INPUT with the line. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_SUITE_H
#define ISOLAB_EXPERIMENTS_RUNNER_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/env.h"

/* The words of a line. */
typedef struct iso_words {
    const char **at; /* n words and a NULL */
    size_t n;
} iso_words;

/* A checker with options and a label: `checker: no-pruning = veristrong --option P=no`. */
typedef struct iso_contender {
    const char *label;
    iso_words words; /* the checker, then its options */
} iso_contender;

/* `vary: txns,keys 1k,10 2k,20`: names, and a row of values for each of n choices. */
typedef struct iso_variation {
    const char *label; /* the names as they are written */
    iso_words names;
    iso_words *rows;
    size_t n;
} iso_variation;

/* Settings of the whole suite, or of one block of histories. */
typedef struct iso_suite_settings {
    iso_words levels, checkers;
    const char *format;   /* the format for checkers; NULL: ilb, or given files as they are */
    const char *expected; /* table of verdicts (file, format, level, verdict); NULL: none */
    const char *frozen;   /* table of SHA-256 (history, SHA-256), which the histories must have; NULL: none */
    iso_words expect;     /* pairs of a level (or `all`) and a verdict */
    unsigned long repeat, warmup, threads;
    unsigned long published_repeat; /* of published checkers; 0: as the others */
    bool unproved;                  /* no certificates are asked for */
    double timeout;                 /* seconds */
    double published_timeout;       /* of published checkers; 0: as the others */
    uint64_t memory;                /* in bytes; 0 = none */
} iso_suite_settings;

typedef enum { ISO_FROM_FILES, ISO_FROM_GENERATE, ISO_FROM_REDUCE, ISO_FROM_COLLECT } iso_suite_source;

typedef struct iso_suite_block {
    const char *name;
    uint64_t line;
    iso_suite_source source;
    iso_words what; /* a pattern of files, or the arguments of the command, with {names} */
    iso_variation *vary;
    size_t n_vary;
    bool optional; /* missing files are skipped */
    iso_suite_settings settings;
} iso_suite_block;

typedef struct iso_suite {
    const char *name, *title;
    const char *folder; /* folder of the suite's file; its paths are relative to it */
    iso_contender *contenders;
    size_t n_contenders;
    iso_suite_block *blocks;
    size_t n_blocks;
} iso_suite;

/* scale: also take the lines of this scale, `[full] vary: txns 1M`; NULL: none of them. */
iso_suite *iso_suite_load(iso_pool *pool, const char *path, const char *scale);

extern const char iso_suite_scales[]; /* words */

/* Parses the text of a suite, for tests; n characters without a NUL. */
iso_suite *iso_suite_parse(iso_pool *pool, const char *name, const char *folder, const char *scale, const char *text,
                           size_t n);

#endif
