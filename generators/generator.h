/* The generators of histories. A generator is one file with one descriptor and one line in generators.def.
 *
 * To add one: write generators/NAME.c that defines `const iso_generator iso_generator_NAME`, and add `GENERATOR(NAME)`
 * to generators.def. Options, help and lists come from these tables. A workload (workload.h) only makes the requests
 * of clients; the simulated store of store.h answers them, or a real database (collectors/).
 *
 * The same parameters, including the seed, give the same history, byte for byte. */
#ifndef ISOLAB_GENERATORS_GENERATOR_H
#define ISOLAB_GENERATORS_GENERATOR_H

#include "base/args.h"
#include "history/builder.h"

struct iso_workload;

typedef struct iso_generator {
    const char *name;
    const char *summary;       /* one line */
    const char *paper;         /* source of its parameters, or NULL */
    const iso_option *options; /* its own options; NULL: none */
    const iso_option *common;  /* the options of what it runs on (iso_store_options); NULL: none */
    /* One of the two: the requests of clients for any store, whose state belongs to the pool of args, or a history. */
    void (*workload)(iso_args *args, struct iso_workload *w);
    void (*run)(iso_args *args, iso_builder *b);
} iso_generator;

extern const iso_generator *const iso_generators[]; /* in the order of generators.def, ended by NULL */

const iso_generator *iso_generator_find(const char *name); /* NULL: no generator has this name */

/* Prepares the arguments of a generator. Set them, then run it. */
void iso_generator_args(const iso_generator *g, iso_pool *pool, iso_args *args);

/* Makes a history: runs a workload on the simulated store. */
void iso_generator_run(const iso_generator *g, iso_args *args, iso_builder *b);

#endif
