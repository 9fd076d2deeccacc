/* The settings of experiments: which isolab is measured, where generated histories are kept, which processor is
 * used. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_LAB_H
#define ISOLAB_EXPERIMENTS_RUNNER_LAB_H

#include "base/env.h"

/* A table of expected verdicts, read once. */
typedef struct iso_lab_table {
    const char *path, *text;
} iso_lab_table;

struct iso_adapters;

typedef struct iso_lab {
    iso_pool *pool;      /* lives as long as the experiment */
    const char *own;     /* path of this isolab, which generates the histories */
    const char *program; /* path of the isolab that is measured */
    const char *work;    /* folder of generated histories */
    iso_lab_table *table;
    const struct iso_adapters *adapters; /* of published checkers */
    bool freezing;                       /* make the histories whatever the table of a suite's line `frozen:` says */
    int cpu; /* processes are pinned to this processor (the last one, for processes with threads); negative: not
              * pinned */
} iso_lab;

#endif
