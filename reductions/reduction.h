/* The reductions: other problems turned into histories, and answers about histories turned back. A reduction is one
 * file with one descriptor and one line in reductions.def.
 *
 * To add one: write reductions/NAME.c that defines `const iso_reduction iso_reduction_NAME`, and add `REDUCTION(NAME)`
 * to reductions.def. Options, help and lists come from these tables. */
#ifndef ISOLAB_REDUCTIONS_REDUCTION_H
#define ISOLAB_REDUCTIONS_REDUCTION_H

#include <stdio.h>

#include "base/args.h"
#include "checkers/checker.h"
#include "history/builder.h"

/* One run. All memory belongs to the pool of args. */
typedef struct iso_reduce {
    iso_args *args;
    iso_pool *pool;
    const char *checker; /* used by explain and by reductions that need answers: a name, or `auto` */
    void *state;         /* belongs to the reduction */
    iso_level level;     /* the level at which the history answers the problem; set by build */
} iso_reduce;

typedef struct iso_reduction {
    const char *name;
    const char *summary; /* one line */
    const char *paper;
    const iso_option *options;
    /* Reads the problem and makes the history; NULL: the reduction makes no single history. */
    void (*build)(iso_reduce *r, iso_builder *b);
    /* Writes what each transaction stands for, as one JSON object in each line. */
    void (*map)(const iso_reduce *r, const isolab_history *h, FILE *out);
    /* Turns the answer about the history into one for the problem, and the reverse. Returns whether the two agree; uses
     * the problem's own solver if there is one. */
    bool (*explain)(iso_reduce *r, const isolab_history *h, FILE *out);
    /* Turns the problem's own answer into an answer about the history, for a certificate, without a checker. Returns
     * false if only a search can show the answer. result is initialised. NULL: never possible. */
    bool (*certify)(iso_reduce *r, const isolab_history *h, iso_result *result);
    /* Without a history: does the work by asking a checker. Returns whether the answer was right. */
    bool (*compute)(iso_reduce *r, FILE *out);
} iso_reduction;

extern const iso_reduction *const iso_reductions[]; /* in the order of reductions.def, ended by NULL */

const iso_reduction *iso_reduction_find(const char *name); /* NULL: no reduction has this name */

/* Prepares the options of a reduction. Set them, then make a run of them. */
void iso_reduction_args(const iso_reduction *reduction, iso_pool *pool, iso_args *args);

/* Asks the run's checker. result is initialised and belongs to the given pool. Throws if the verdict is unknown. */
isolab_verdict iso_reduce_ask(const iso_reduce *r, iso_pool *pool, const isolab_history *h, iso_level level,
                              iso_result *result);

#endif
