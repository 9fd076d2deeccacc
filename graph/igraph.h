/* igraph, loaded at its first use. It needs twenty other libraries (linear algebra, XML, Unicode), which take longer to
 * start than most histories take to check; only reading graphs and counting their triangles need it. Most of igraph
 * cannot be interrupted and has no limits, so it runs in a separate process (base/apart.h).
 *
 * iso_igraph(env)->igraph_vcount(g) calls the function of that name. */
#ifndef ISOLAB_GRAPH_IGRAPH_H
#define ISOLAB_GRAPH_IGRAPH_H

#include <igraph/igraph.h>

#include "base/env.h"

/* All functions of igraph that the project calls. */
/* clang-format off */
#define ISO_IGRAPH_FUNCTIONS(F) \
    F(igraph_adjacent_triangles) \
    F(igraph_create) \
    F(igraph_destroy) \
    F(igraph_ecount) \
    F(igraph_error_handler_ignore) \
    F(igraph_read_graph_dimacs_flow) \
    F(igraph_read_graph_edgelist) \
    F(igraph_read_graph_gml) \
    F(igraph_read_graph_graphml) \
    F(igraph_read_graph_ncol) \
    F(igraph_read_graph_pajek) \
    F(igraph_set_error_handler) \
    F(igraph_set_fatal_handler) \
    F(igraph_set_warning_handler) \
    F(igraph_strerror) \
    F(igraph_strvector_destroy) \
    F(igraph_strvector_init) \
    F(igraph_vcount) \
    F(igraph_vector_destroy) \
    F(igraph_vector_init) \
    F(igraph_vector_int_destroy) \
    F(igraph_vector_int_init) \
    F(igraph_vector_sum) \
    F(igraph_vss_all)
/* clang-format on */

typedef struct iso_igraph_functions {
#define ISO_IGRAPH_POINTER(name) __typeof__(name) *name;
    ISO_IGRAPH_FUNCTIONS(ISO_IGRAPH_POINTER)
#undef ISO_IGRAPH_POINTER
} iso_igraph_functions;

/* Loads igraph and returns its functions. Throws ISOLAB_E_IO if it cannot be loaded. */
const iso_igraph_functions *iso_igraph(iso_env *env);

/* Returns the reason that igraph gave for its errors in this thread; if it gave none, the name of the code. */
const char *iso_igraph_reason(iso_env *env, igraph_error_t code);

/* Throws if igraph failed for lack of memory, as its code or the last failed malloc() tells. */
void iso_igraph_memory(iso_env *env, igraph_error_t code);

#endif
