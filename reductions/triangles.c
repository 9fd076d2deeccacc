/* Triangles: finding one, and counting all in two independent ways. See graph.h. */
#include <errno.h>
#include <string.h>

#include "base/apart.h"
#include "graph/igraph.h"
#include "reductions/graph.h"

/* Marks the neighbours of each node in turn. O(sum over edges of the smaller degree) = O(m^(3/2)). */
bool iso_graph_triangle(const iso_graph *g, iso_pool *scratch, uint32_t triangle[3]) {
    uint32_t *mark = ISO_NEW(scratch, uint32_t, g->n);
    bool found = false;
    for (uint32_t a = 0; a < g->n; a++) {
        mark[a] = UINT32_MAX;
    }
    for (uint32_t a = 0; a < g->n && !found; a++) {
        uint64_t degree = g->first[a + 1] - g->first[a];
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            mark[g->to[i]] = a;
        }
        for (uint64_t i = g->first[a]; i < g->first[a + 1] && !found; i++) {
            uint32_t b = g->to[i];
            uint64_t other = g->first[b + 1] - g->first[b];
            if (other > degree || (other == degree && b < a)) {
                continue; /* the edge is visited from its end of larger degree */
            }
            for (uint64_t j = g->first[b]; j < g->first[b + 1] && !found; j++) {
                iso_tick(scratch->env);
                if (mark[g->to[j]] == a) {
                    triangle[0] = a;
                    triangle[1] = b;
                    triangle[2] = g->to[j];
                    found = true;
                }
            }
        }
    }
    iso_free(scratch, mark);
    return found;
}

/* trace(A^3) = sum over ordered edges (a, b) of (A^2)[a][b], the number of common neighbours; it counts every triangle
 * six times. Rows are bits: O(n m / 64). */
void iso_graph_trace(const iso_graph *g, iso_pool *scratch, mpz_t triangles) {
    size_t words = (g->n + 63) / 64;
    uint64_t *row = iso_zalloc(scratch, (size_t)g->n * words, sizeof *row);
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            row[a * words + g->to[i] / 64] |= (uint64_t)1 << (g->to[i] % 64);
        }
    }
    mpz_set_ui(triangles, 0);
    for (uint32_t a = 0; a < g->n; a++) {
        unsigned long sum = 0;
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            iso_tick(scratch->env);
            const uint64_t *x = row + a * words, *y = row + g->to[i] * words;
            for (size_t w = 0; w < words; w++) {
                sum += (unsigned long)__builtin_popcountll(x[w] & y[w]);
            }
        }
        mpz_add_ui(triangles, triangles, sum);
    }
    mpz_divexact_ui(triangles, triangles, 6);
    iso_free(scratch, row);
}

/* igraph's count, for a graph made of the edges. */
typedef struct counting {
    iso_env *env;
    const iso_graph *g;
} counting;

static void count_by_igraph(void *arg, FILE *out) {
    const counting *c = arg;
    const iso_graph *g = c->g;
    const iso_igraph_functions *lib = iso_igraph(c->env);
    igraph_vector_int_t edges;
    igraph_vector_t at;
    igraph_t made;
    errno = 0;
    igraph_error_t e = lib->igraph_vector_int_init(&edges, (igraph_integer_t)g->first[g->n]);
    igraph_integer_t k = 0;
    for (uint32_t a = 0; e == IGRAPH_SUCCESS && a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            if (g->to[i] < a) {
                VECTOR(edges)[k++] = a;
                VECTOR(edges)[k++] = g->to[i];
            }
        }
    }
    e = e == IGRAPH_SUCCESS ? lib->igraph_create(&made, &edges, g->n, IGRAPH_UNDIRECTED) : e;
    e = e == IGRAPH_SUCCESS ? lib->igraph_vector_init(&at, 0) : e;
    e = e == IGRAPH_SUCCESS ? lib->igraph_adjacent_triangles(&made, &at, lib->igraph_vss_all()) : e;
    if (e != IGRAPH_SUCCESS) {
        iso_igraph_memory(c->env, e);
        iso_throw(c->env, ISOLAB_E_INTERNAL, "igraph could not count the triangles: %s", iso_igraph_reason(c->env, e));
    }
    double sum = lib->igraph_vector_sum(&at) / 3;
    iso_apart_send(out, &sum, sizeof sum);
}

double iso_graph_igraph_triangles(const iso_graph *g, iso_pool *scratch) {
    counting c = {scratch->env, g};
    size_t size;
    char *answer = iso_apart(scratch, count_by_igraph, &c, &size);
    double sum;
    memcpy(&sum, answer, sizeof sum);
    iso_free(scratch, answer);
    return sum;
}
