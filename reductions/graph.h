/* Simple undirected graphs as rows of neighbours, from files or from built-in families, and their triangles. */
#ifndef ISOLAB_REDUCTIONS_GRAPH_H
#define ISOLAB_REDUCTIONS_GRAPH_H

#include <stdio.h> /* before gmp.h, which then declares gmp_fprintf() */

#include <gmp.h>

#include "base/args.h"

/* The neighbours of node a, in increasing order, are to[first[a] .. first[a+1]); every edge is stored twice. */
typedef struct iso_graph {
    uint32_t n;
    uint64_t *first; /* n + 1 entries */
    uint32_t *to;
} iso_graph;

/* Edges in any order and direction; loops and repetitions are allowed. */
typedef struct iso_edges {
    iso_pool *pool;
    uint32_t *a, *b;
    uint64_t n, room_a, room_b;
} iso_edges;

void iso_edges_add(iso_edges *e, uint32_t a, uint32_t b);

/* Makes a simple graph of the edges, in O(n + m), and frees the edges. */
iso_graph iso_graph_of_edges(iso_edges *e, uint32_t n);

bool iso_graph_has(const iso_graph *g, uint32_t a, uint32_t b); /* O(log n) */

/* The options that choose a graph: a file, or a family and its numbers. */
#define ISO_GRAPH_FAMILIES "gnp bipartite planted tripartite c5 andrasfai mycielski kneser regular power-law"
#define ISO_GRAPH_FORMATS "auto edgelist dimacs graphml gml pajek ncol"
#define ISO_GRAPH_OPTIONS                                                                                              \
    {ISO_TEXT("graph", "", "file of the graph, else a family")},                                                       \
        {ISO_WORD("graph-format", "auto", ISO_GRAPH_FORMATS, "of the file (auto: by extension)")},                     \
        {ISO_WORD("family", "gnp", ISO_GRAPH_FAMILIES, "built-in graphs")},                                            \
        {ISO_COUNT("nodes", "100", 0, 1e8, "nodes of the family's graph")},                                            \
        {ISO_REAL("p", "0.5", 0, 1, "density (gnp, bipartite, planted)")},                                             \
        {ISO_COUNT("degree", "4", 1, 1e6, "degree (regular, power-law)")},                                             \
        {ISO_COUNT("k", "3", 1, 60, "order (mycielski), size of the sets (kneser)")}, {                                \
        ISO_COUNT("seed", "1", 0, ISO_ANY, "of random graphs")                                                         \
    }

iso_graph iso_graph_from_args(const iso_args *args);
iso_graph iso_graph_family(iso_pool *pool, const iso_args *args);               /* families.c */
iso_graph iso_graph_load(iso_pool *pool, const char *path, const char *format); /* graph_file.c */

/* triangles.c */
bool iso_graph_triangle(const iso_graph *g, iso_pool *scratch, uint32_t triangle[3]); /* finds one, if there is any */
void iso_graph_trace(const iso_graph *g, iso_pool *scratch, mpz_t triangles);         /* trace(A^3)/6, exactly */
double iso_graph_igraph_triangles(const iso_graph *g, iso_pool *scratch); /* the number that igraph counts */

#endif
