/* Numbers that predict how hard a graph is. See graph.h. */
#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "history/about.h"
#include "reductions/graph.h"

static uint64_t degree(const iso_graph *g, uint32_t a) { return g->first[a + 1] - g->first[a]; }

static uint64_t work_of(iso_env *env, const iso_graph *g) {
    uint64_t sum = 0;
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1] && g->to[i] < a; i++) {
            iso_tick(env);
            uint64_t one = degree(g, a), other = degree(g, g->to[i]);
            sum += one < other ? one : other;
        }
    }
    return sum;
}

static uint64_t pairs_of(uint64_t n) { return n * (n - (n > 0)) / 2; }

/* Rows of bits: n^2 / 2 intersections of n / 64 words. The sum of C(common neighbours, 2) over all pairs counts every
 * 4-cycle twice, and the sum of common neighbours over all edges every triangle three times. */
static void count_by_rows(const iso_graph *g, iso_pool *scratch, iso_graph_facts *facts) {
    size_t words = (g->n + 63) / 64;
    uint64_t *row = iso_zalloc(scratch, (size_t)g->n * words, sizeof *row), wedges = 0, closed = 0;
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            row[a * words + g->to[i] / 64] |= (uint64_t)1 << (g->to[i] % 64);
        }
    }
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            iso_tick_steps(scratch->env, words / 16 + 1);
            const uint64_t *x = row + a * words, *y = row + b * words;
            uint64_t common = 0;
            for (size_t w = 0; w < words; w++) {
                common += (uint64_t)__builtin_popcountll(x[w] & y[w]);
            }
            wedges += pairs_of(common);
            closed += (x[b / 64] >> (b % 64) & 1) ? common : 0;
        }
    }
    facts->four_cycles = wedges / 2;
    facts->triangles = closed / 3;
    iso_free(scratch, row);
}

/* Ranks nodes by degree. A 4-cycle is counted at its node of highest rank, by the two paths from there to the opposite
 * node; a triangle at its node of highest rank. O(work) (Chiba and Nishizeki 1985). */
static bool above(const iso_graph *g, uint32_t a, uint32_t b) {
    return degree(g, a) > degree(g, b) || (degree(g, a) == degree(g, b) && a > b);
}

static void count_by_paths(const iso_graph *g, iso_pool *scratch, iso_graph_facts *facts) {
    uint32_t *paths = ISO_ZNEW(scratch, uint32_t, g->n);
    uint64_t triangles = 0, cycles = 0;
    for (uint32_t a = 0; a < g->n; a++) {
        for (int undo = 0; undo < 2; undo++) {
            for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
                uint32_t b = g->to[i];
                for (uint64_t j = g->first[b]; above(g, a, b) && j < g->first[b + 1]; j++) {
                    iso_tick(scratch->env);
                    uint32_t c = g->to[j];
                    if (!above(g, a, c)) {
                        continue;
                    }
                    cycles += undo ? 0 : paths[c];
                    paths[c] = undo ? 0 : paths[c] + 1;
                    triangles += !undo && c < b && iso_graph_has(g, a, c);
                }
            }
        }
    }
    facts->triangles = triangles;
    facts->four_cycles = cycles;
    iso_free(scratch, paths);
}

/* A search in breadth from a node, up to a distance. Returns the first edge between two nodes of one distance as the
 * length of the closed walk through it, or 0. */
typedef struct search {
    const iso_graph *g;
    iso_env *env;
    uint32_t *distance, *queue; /* distance: UINT32_MAX, if not reached */
    uint32_t reached;
} search;

static uint32_t odd_walk(search *s, uint32_t from, uint32_t less) {
    const iso_graph *g = s->g;
    uint32_t length = 0;
    s->queue[0] = from;
    s->reached = 1;
    s->distance[from] = 0;
    for (uint32_t i = 0; i < s->reached && length == 0; i++) {
        uint32_t a = s->queue[i], d = s->distance[a];
        if (2 * (uint64_t)d + 1 >= less) {
            break;
        }
        for (uint64_t j = g->first[a]; j < g->first[a + 1]; j++) {
            iso_tick(s->env);
            uint32_t b = g->to[j];
            if (s->distance[b] == UINT32_MAX) {
                s->distance[b] = d + 1;
                s->queue[s->reached++] = b;
            } else if (s->distance[b] == d) {
                length = 2 * d + 1;
                break;
            }
        }
    }
    return length;
}

/* The shortest odd closed walk is an odd cycle. Nodes of bipartite components begin none. */
static uint32_t odd_girth(const iso_graph *g, iso_pool *scratch) {
    search s = {g, scratch->env, ISO_NEW(scratch, uint32_t, g->n), ISO_NEW(scratch, uint32_t, g->n), 0};
    uint8_t *even = ISO_ZNEW(scratch, uint8_t, g->n);
    uint32_t best = UINT32_MAX;
    iso_fill_none(s.distance, g->n);
    for (uint32_t a = 0; a < g->n && best > 5; a++) {
        if (even[a]) {
            continue;
        }
        uint32_t length = odd_walk(&s, a, best);
        bool whole = length == 0 && best == UINT32_MAX; /* the component was searched without finding one */
        best = length != 0 ? length : best;
        for (uint32_t i = 0; i < s.reached; i++) {
            s.distance[s.queue[i]] = UINT32_MAX;
            even[s.queue[i]] |= whole;
        }
    }
    iso_free(scratch, s.distance);
    iso_free(scratch, s.queue);
    iso_free(scratch, even);
    return best == UINT32_MAX ? 0 : best;
}

iso_graph_facts iso_graph_facts_of(const iso_graph *g, iso_pool *scratch) {
    iso_graph_facts f = {.nodes = g->n, .edges = g->first[g->n] / 2, .work = work_of(scratch->env, g)};
    double rows = (double)g->n * g->n / 2 * ((double)g->n / 64 + 2);
    if (rows < 8 * (double)f.work) {
        count_by_rows(g, scratch, &f);
    } else {
        count_by_paths(g, scratch, &f);
    }
    f.odd_girth = f.triangles > 0 ? 3 : odd_girth(g, scratch);
    return f;
}

void iso_graph_about(iso_builder *b, iso_pool *pool, const char *text, const iso_graph_facts *f) {
    iso_printer line = {.target = ISO_PLAIN, .pool = pool};
    iso_print(&line, "graph %.500s; nodes %" PRIu64 "; edges %" PRIu64 "; work %" PRIu64 "; odd_girth ", text, f->nodes,
              f->edges, f->work);
    if (f->odd_girth == 0) {
        iso_print(&line, "none");
    } else {
        iso_print(&line, "%u", f->odd_girth);
    }
    iso_print(&line, "; four_cycles %" PRIu64 "; triangles %" PRIu64, f->four_cycles, f->triangles);
    iso_builder_about(b, iso_printed(&line), line.size);
}
