/* The place where experiments happen: which isolab is run, where generated histories are kept, on which processor. */
#ifndef ISOLAB_EXPERIMENTS_RUNNER_LAB_H
#define ISOLAB_EXPERIMENTS_RUNNER_LAB_H

#include "base/env.h"

/* A table of expected verdicts, read once. */
typedef struct iso_lab_table {
    const char *path, *text;
} iso_lab_table;

struct iso_adapters;

typedef struct iso_lab {
    iso_pool *pool;      /* of the whole experiment */
    const char *own;     /* path of this isolab, which makes the histories */
    const char *program; /* of the isolab that is measured */
    const char *work;    /* folder of generated histories */
    iso_lab_table *table;
    const struct iso_adapters *adapters; /* of foreign checkers */
    int cpu; /* to which processes are pinned (the last one of those with threads); negative: to none */
} iso_lab;

/* text formatted into the pool. */
const char *iso_lab_text(iso_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name beside path for a file that is being written; no other process on any machine has it. */
const char *iso_lab_half(iso_pool *pool, const char *path);

/* Makes a folder and those above it. Throws ISOLAB_E_IO. */
void iso_lab_folder(iso_pool *pool, const char *path);

#endif
