/* The table of generators. See generator.h. */
#include <string.h>

#include "generators/generator.h"

#define GENERATOR(name) extern const iso_generator iso_generator_##name;
#include "generators/generators.def"
#undef GENERATOR

const iso_generator *const iso_generators[] = {
#define GENERATOR(name) &iso_generator_##name,
#include "generators/generators.def"
#undef GENERATOR
    NULL};

const iso_generator *iso_generator_find(const char *name) {
    for (size_t i = 0; iso_generators[i] != NULL; i++) {
        if (strcmp(iso_generators[i]->name, name) == 0) {
            return iso_generators[i];
        }
    }
    return NULL;
}

void iso_generator_args(const iso_generator *g, iso_pool *pool, iso_args *args) {
    const iso_param *tables[ISO_PARAM_TABLES] = {g->params, g->common, NULL, NULL};
    if (g->params == NULL) {
        tables[0] = g->common;
        tables[1] = NULL;
    }
    iso_args_init(args, pool, g->name, tables);
}
