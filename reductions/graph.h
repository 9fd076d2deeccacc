/* Simple undirected graphs in rows, from files or from built-in families, and their triangles. */
#ifndef ISOLAB_REDUCTIONS_GRAPH_H
#define ISOLAB_REDUCTIONS_GRAPH_H

#include <stdio.h> /* before gmp.h, which then declares gmp_fprintf() */

#include <gmp.h>

#include "base/params.h"

/* Neighbours of a node in increasing order: to[first[a] .. first[a+1]); every edge stands there twice. */
typedef struct iso_graph {
    uint32_t n;
    uint64_t *first; /* n + 1 */
    uint32_t *to;
} iso_graph;

/* Edges in any order, either way round, loops and repetitions allowed. */
typedef struct iso_edges {
    iso_pool *pool;
    uint32_t *a, *b;
    uint64_t n, room_a, room_b;
} iso_edges;

void iso_edges_add(iso_edges *e, uint32_t a, uint32_t b);

/* Makes them simple. O(n + m), and frees the edges. */
iso_graph iso_graph_of_edges(iso_edges *e, uint32_t n);

bool iso_graph_has(const iso_graph *g, uint32_t a, uint32_t b); /* O(log n) */

/* The parameters that choose a graph: a file, or a family and its numbers. */
#define ISO_GRAPH_FAMILIES "gnp bipartite planted tripartite c5 andrasfai mycielski kneser regular power-law"
#define ISO_GRAPH_FORMATS "auto edgelist dimacs graphml gml pajek ncol"
#define ISO_GRAPH_PARAMS                                                                                               \
    {"graph", ISO_PARAM_TEXT, "", 0, 0, NULL, "file of the graph, else a family"},                                     \
        {"graph-format", ISO_PARAM_WORD, "auto", 0, 0, ISO_GRAPH_FORMATS, "of the file (auto: by extension)"},         \
        {"family", ISO_PARAM_WORD, "gnp", 0, 0, ISO_GRAPH_FAMILIES, "built-in graphs"},                                \
        {"nodes", ISO_PARAM_INT, "100", 0, 1e8, NULL, "nodes of the family's graph"},                                  \
        {"p", ISO_PARAM_REAL, "0.5", 0, 1, NULL, "density (gnp, bipartite, planted)"},                                 \
        {"degree", ISO_PARAM_INT, "4", 1, 1e6, NULL, "degree (regular, power-law)"},                                   \
        {"k", ISO_PARAM_INT, "3", 1, 60, NULL, "order (mycielski), size of the sets (kneser)"}, {                      \
        "seed", ISO_PARAM_INT, "1", 0, 1.8e19, NULL, "of random graphs"                                                \
    }

iso_graph iso_graph_from_args(const iso_args *args);
iso_graph iso_graph_family(iso_pool *pool, const iso_args *args);               /* families.c */
iso_graph iso_graph_load(iso_pool *pool, const char *path, const char *format); /* graph_file.c */

/* triangles.c */
bool iso_graph_triangle(const iso_graph *g, iso_pool *scratch, uint32_t triangle[3]); /* one, if there is any */
void iso_graph_trace(const iso_graph *g, iso_pool *scratch, mpz_t triangles);         /* trace(A^3)/6, exactly */
double iso_graph_igraph_triangles(const iso_graph *g, iso_pool *scratch);             /* as igraph counts them */

#endif
