/* The families of graphs (families.def): functions that add the edges of a graph and return its number of nodes. */
#ifndef ISOLAB_REDUCTIONS_FAMILY_H
#define ISOLAB_REDUCTIONS_FAMILY_H

#include "base/random.h"
#include "reductions/graph.h"

typedef struct iso_family_numbers {
    uint64_t nodes, degree, k;
    double p;
} iso_family_numbers;

typedef uint32_t iso_family_make(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng);

#define FAMILY(name, id, parameters, random, summary) iso_family_make iso_family_##id;
#include "reductions/families.def"
#undef FAMILY

typedef struct iso_family {
    const char *name, *parameters, *summary;
    bool random;
    iso_family_make *make;
} iso_family;

extern const iso_family iso_families[]; /* ended by a NULL name */

/* Puts numbers into a random order. Respects the limits. */
void iso_shuffle(iso_env *env, iso_rng *rng, uint32_t *at, uint32_t n);

/* edits.c: what the words of the language do to a graph. Each returns another graph; the old one may not be used
 * afterwards. */
iso_graph iso_graph_plant(iso_pool *pool, iso_graph g, uint64_t triangles, iso_rng *rng);
iso_graph iso_graph_add_edges(iso_pool *pool, iso_graph g, uint64_t edges, iso_rng *rng);
iso_graph iso_graph_remove_triangles(iso_pool *pool, iso_graph g, iso_rng *rng);
iso_graph iso_graph_sample(iso_pool *pool, iso_graph g, uint64_t nodes, iso_rng *rng);

#endif
