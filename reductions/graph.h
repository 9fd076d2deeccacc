/* Simple undirected graphs as rows of neighbours, from files or from built-in families, and their triangles. */
#ifndef ISOLAB_REDUCTIONS_GRAPH_H
#define ISOLAB_REDUCTIONS_GRAPH_H

#include <stdio.h> /* before gmp.h, which then declares gmp_fprintf() */

#include <gmp.h>

#include "base/args.h"
#include "history/builder.h"

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

/* Return whether there is an edge, and the first index in the row of a whose node is not below b. O(log n). */
bool iso_graph_has(const iso_graph *g, uint32_t a, uint32_t b);
uint64_t iso_graph_place(const iso_graph *g, uint32_t a, uint32_t b);

iso_edges iso_graph_edges(iso_pool *pool, const iso_graph *g); /* each edge once; the graph stays */
void iso_graph_free(iso_pool *pool, iso_graph *g);

/* The options that choose a graph: by words of the language (language.c), or a family and its numbers by name. */
extern const char iso_family_words[]; /* the names of the families, a space before each */
#define ISO_GRAPH_FORMATS "auto edgelist dimacs graphml gml pajek ncol matrixmarket"
#define ISO_GRAPH_OPTIONS                                                                                              \
    {ISO_TEXT("graph", "", "the graph: a file, or words like `andrasfai 40 plant 1` (also as operands)")},             \
        {ISO_WORD("graph-format", "auto", ISO_GRAPH_FORMATS, "format of the file (auto: by its extension)")},          \
        {ISO_WORD("family", "gnp", iso_family_words + 1, "built-in graphs; the next four are their numbers")},         \
        {ISO_COUNT("nodes", "100", 0, 1e8, "nodes of the family's graph")},                                            \
        {ISO_REAL("p", "0.5", 0, 1, "density of random graphs")},                                                      \
        {ISO_COUNT("degree", "4", 1, 1e6, "degree (regular, power-law)")},                                             \
        {ISO_COUNT("k", "3", 1, 1024, "order (alon, plane, polarity, sidon, mycielski), size of the sets (kneser)")},  \
    {                                                                                                                  \
        ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of random graphs and edits")                                          \
    }

/* Makes the graph. Unless text is NULL, *text is set to its description, in words of the language. */
iso_graph iso_graph_from_args(const iso_args *args, const char **text);
iso_graph iso_graph_load(iso_pool *pool, const char *path, const char *format); /* graph_file.c */

/* facts.c: what predicts how hard the graph is for the checkers. */
typedef struct iso_graph_facts {
    uint64_t nodes, edges;
    uint64_t work; /* the sum of the smaller degree over all edges: the steps of a search that compares neighbours */
    uint64_t triangles, four_cycles;
    uint32_t odd_girth; /* the length of the shortest odd cycle; 0: the graph is bipartite */
} iso_graph_facts;

iso_graph_facts iso_graph_facts_of(const iso_graph *g, iso_pool *scratch);

/* Puts the facts into what the history says about itself (history/about.h). */
void iso_graph_about(iso_builder *b, iso_pool *pool, const char *text, const iso_graph_facts *facts);

/* triangles.c */
bool iso_graph_triangle(const iso_graph *g, iso_pool *scratch, uint32_t triangle[3]); /* finds one, if there is any */
void iso_graph_trace(const iso_graph *g, iso_pool *scratch, mpz_t triangles);         /* trace(A^3)/6, exactly */
double iso_graph_igraph_triangles(const iso_graph *g, iso_pool *scratch); /* the number that igraph counts */

#endif
