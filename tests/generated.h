/* Histories of generators, for tests. */
#ifndef ISOLAB_TESTS_GENERATED_H
#define ISOLAB_TESTS_GENERATED_H

#include <string.h>

#include "generators/generator.h"

/* Runs a generator with options `name=value name=value`, which are set in this order. */
static inline isolab_history *generated(iso_pool *pool, const char *generator, const char *options) {
    const iso_generator *g = iso_generator_find(generator);
    iso_args args;
    iso_generator_args(g, pool, &args);
    char *copy = iso_alloc(pool, strlen(options) + 1, 1);
    strcpy(copy, options);
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        iso_args_set(&args, word, value);
    }
    iso_builder *b = iso_builder_new(pool);
    iso_generator_run(g, &args, b);
    return iso_builder_finish(b);
}

#endif
