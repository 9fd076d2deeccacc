/* The table of generators. See generator.h. */
#include <string.h>

#include "generators/generator.h"
#include "generators/store.h"

#include "base/registry.h"

#define GENERATOR(name) extern const iso_generator iso_generator_##name;
#include "generators/generators.def"
#undef GENERATOR

const iso_generator *const iso_generators[] = {
#define GENERATOR(name) &iso_generator_##name,
#include "generators/generators.def"
#undef GENERATOR
    NULL};

ISO_FIND_BY_NAME(iso_generator_find, iso_generator, iso_generators)

void iso_generator_args(const iso_generator *g, iso_pool *pool, iso_args *args) {
    const iso_option *tables[ISO_ARG_TABLES] = {g->options, g->common, NULL, NULL};
    if (g->options == NULL) {
        tables[0] = g->common;
        tables[1] = NULL;
    }
    iso_args_init(args, pool, g->name, tables);
}

void iso_generator_run(const iso_generator *g, iso_args *args, iso_builder *b) {
    if (g->run != NULL) {
        g->run(args, b);
        return;
    }
    iso_workload workload = {0};
    g->workload(args, &workload);
    iso_store_run(args, &workload, b);
}
