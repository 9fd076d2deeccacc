/* The reductions: other people's problems turned into histories, and answers about histories turned back. A
 * reduction is one file with one descriptor and one line in reductions.def.
 *
 * To add one: write reductions/NAME.c that defines `const iso_reduction iso_reduction_NAME`, and add
 * `REDUCTION(NAME)` to reductions.def. Nothing else: options, help and lists come from the tables.
 */
#ifndef ISOLAB_REDUCTIONS_REDUCTION_H
#define ISOLAB_REDUCTIONS_REDUCTION_H

#include <stdio.h>

#include "base/params.h"
#include "checkers/checker.h"
#include "history/builder.h"

/* One run. Everything belongs to the pool of args. */
typedef struct iso_reduce {
    iso_args *args;
    iso_pool *pool;
    const char *checker; /* asked by explain and by reductions that need answers: a name, or `auto` */
    void *state;         /* the reduction's own */
    iso_level level;     /* at which the history answers the problem; set by build */
} iso_reduce;

typedef struct iso_reduction {
    const char *name;
    const char *summary; /* one line */
    const char *paper;
    const iso_param *params;
    /* Reads the problem and makes the history; NULL: the reduction makes no history of its own. */
    void (*build)(iso_reduce *r, iso_builder *b);
    /* What stands for what: one JSON object a line. */
    void (*map)(const iso_reduce *r, const isolab_history *h, FILE *out);
    /* Turns the answer for the history into one for the problem, and the other way round, and says whether the
     * two fit: with the problem's own solver where there is one. */
    bool (*explain)(iso_reduce *r, const isolab_history *h, FILE *out);
    /* The problem's own answer as an answer about the history, for a certificate: no checker is asked. Returns false
     * where the answer cannot be shown without a search. result is initialised. NULL: never. */
    bool (*certify)(iso_reduce *r, const isolab_history *h, iso_result *result);
    /* Without a history: does the work, asking a checker. Returns whether the answer was right. */
    bool (*compute)(iso_reduce *r, FILE *out);
} iso_reduction;

extern const iso_reduction *const iso_reductions[]; /* in the order of reductions.def, ended by NULL */

const iso_reduction *iso_reduction_find(const char *name); /* NULL: none of that name */
void iso_reduction_start(const iso_reduction *reduction, iso_pool *pool, iso_args *args, iso_reduce *r);

/* Asks the run's checker. result is initialised and belongs to the pool given; throws for unknown verdicts. */
isolab_verdict iso_reduce_ask(const iso_reduce *r, iso_pool *pool, const isolab_history *h, iso_level level,
                              iso_result *result);

#endif
