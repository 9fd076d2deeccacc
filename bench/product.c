/* Does a matrix product pay for checking? The question that the hard histories of rc and ra ask of a graph is: for
 * which edges (a, b) have the rows of a and b a common one? Three ways to answer it, on dense bipartite graphs, whose
 * answer is no edge, so that nothing ends early:
 *
 *   rows        the rows of each edge are compared, 256 places an instruction (checkers/awdit/rows.h)
 *   Russians    the Boolean product by tables of the sums of eight rows (the four Russians), then its places at the
 *               edges
 *   Strassen    one product over GF(2) by Strassen down to --base, below by tables, of a matrix with random columns
 *               left out: each edge with a common one is found with probability one half, so this is the least of what
 *               a correct answer by fast multiplication costs
 *
 * For a checker one product is not enough. A reader and the writer that it reads from always share the key that was
 * read; the question is whether they share a key that was read from another writer. Two different writers differ in a
 * bit of their numbers, so log2 n products answer it, one for each bit: reads from writers with a 0 there, times
 * writers with a 1.
 *
 *     product [--from N] [--to N] [--checks N] [--base N] [--plot FILE]
 *
 * Up to --checks nodes, the history of the graph (two sessions, level ra) is checked, too: what inference takes of it,
 * and what reading and ordering take, which no product can save. --plot draws all by gnuplot. Before anything is
 * measured, the three ways are compared with each other on random graphs that have triangles. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clones.h"
#include "base/random.h"
#include "bench/grow.h"
#include "experiments/figures/statistics.h"
#include "graph/handlers.h"
#include "reductions/reduction.h"
#include "reductions/triangle.h"

enum { MOST_POINTS = 24, STRIP = 32 /* words of a table's row */, TABLES = 8, SUMS = 256, STEP = 8 };

typedef uint64_t vector __attribute__((vector_size(32), aligned(8), may_alias));

/* n rows of `stride` words each: a square, or a quarter of a larger one. */
typedef struct matrix {
    uint64_t *word;
    uint32_t n, stride;
} matrix;

enum { ROWS, RUSSIANS, STRASSEN, PRODUCTS, INFER, LINEAR, CURVES };
static const char *const name[CURVES] = {"rows of bits",    "four Russians",   "Strassen, once",
                                         "log2 n products", "inference of ra", "read and order of ra"};

typedef struct comparison {
    iso_env env;
    uint64_t from, to, checks, base;
    const char *plot;
    uint32_t n; /* nodes now */
    double nodes[MOST_POINTS], ms[CURVES][MOST_POINTS];
    unsigned n_points, n_checks;
} comparison;

static uint64_t *row_of(const matrix *m, uint32_t i) { return m->word + (size_t)i * m->stride; }

/* The sizes are multiples of 64 STEP. */
static matrix new_matrix(iso_pool *pool, uint32_t n) {
    return (matrix){ISO_ZNEW(pool, uint64_t, (size_t)n * (n / 64)), n, n / 64};
}

static void free_matrix(iso_pool *pool, matrix *m) { iso_free(pool, m->word); }

static matrix random_graph(iso_pool *pool, uint32_t n, bool bipartite, uint32_t percent) {
    matrix m = new_matrix(pool, n);
    iso_rng r = {n};
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = bipartite && i < n / 2 ? n / 2 : i + 1; j < n; j++) {
            if ((!bipartite || i < n / 2) && iso_random_below(&r, 100) < percent) {
                row_of(&m, i)[j >> 6] |= (uint64_t)1 << (j & 63);
                row_of(&m, j)[i >> 6] |= (uint64_t)1 << (i & 63);
            }
        }
    }
    return m;
}

/* ---- rows ---- */

ISO_CLONES static bool meet(const uint64_t *x, const uint64_t *y, uint32_t n_words) {
    for (uint32_t w = 0; w < n_words; w += STEP) {
        const vector *a = (const vector *)(const void *)(x + w), *b = (const vector *)(const void *)(y + w);
        vector any = (a[0] & b[0]) | (a[1] & b[1]);
        if ((any[0] | any[1] | any[2] | any[3]) != 0) {
            return true;
        }
    }
    return false;
}

static uint64_t by_rows(const matrix *m) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        for (uint32_t w = 0; w < m->stride; w++) {
            for (uint64_t left = row_of(m, i)[w]; left != 0; left &= left - 1) {
                found += meet(row_of(m, i), row_of(m, 64 * w + (uint32_t)__builtin_ctzll(left)), m->stride);
            }
        }
    }
    return found;
}

/* ---- products ---- */

/* The sums of the rows of b that each of 256 sets of eight has, for the eight groups of the 64 rows from `first` on:
 * `width` words from `strip` on. */
ISO_VECTOR static void make_tables(const matrix *b, uint32_t first, uint32_t strip, uint32_t width, bool parity,
                                   uint64_t *tables) {
    for (uint32_t t = 0; t < TABLES; t++) {
        uint64_t *table = tables + (size_t)t * SUMS * STRIP;
        memset(table, 0, width * sizeof *table);
        for (uint32_t set = 1; set < SUMS; set++) {
            const uint64_t *rest = table + (size_t)(set & (set - 1)) * STRIP;
            const uint64_t *last = row_of(b, first + 8 * t + (uint32_t)__builtin_ctz(set)) + strip;
            uint64_t *sum = table + (size_t)set * STRIP;
            for (uint32_t w = 0; w < width; w++) {
                sum[w] = parity ? rest[w] ^ last[w] : rest[w] | last[w];
            }
        }
    }
}

/* Adds to a row what the tables say of a word: eight of their rows. */
ISO_VECTOR static void add_tables(uint64_t *restrict into, uint64_t word, const uint64_t *restrict tables,
                                  uint32_t width, bool parity) {
    const uint64_t *t[TABLES];
    for (uint32_t i = 0; i < TABLES; i++) {
        t[i] = tables + ((size_t)i * SUMS + (word >> (8 * i) & 255)) * STRIP;
    }
    if (parity) {
        for (uint32_t w = 0; w < width; w++) {
            into[w] ^= t[0][w] ^ t[1][w] ^ t[2][w] ^ t[3][w] ^ t[4][w] ^ t[5][w] ^ t[6][w] ^ t[7][w];
        }
    } else {
        for (uint32_t w = 0; w < width; w++) {
            into[w] |= t[0][w] | t[1][w] | t[2][w] | t[3][w] | t[4][w] | t[5][w] | t[6][w] | t[7][w];
        }
    }
}

/* c = a b, c being zero: Boolean, or modulo 2. */
static void by_tables(const matrix *a, const matrix *b, matrix *c, bool parity, uint64_t *tables) {
    uint32_t words = a->n / 64;
    for (uint32_t strip = 0; strip < words; strip += STRIP) {
        uint32_t width = words - strip < STRIP ? words - strip : STRIP;
        for (uint32_t k = 0; k < words; k++) {
            make_tables(b, 64 * k, strip, width, parity, tables);
            for (uint32_t i = 0; i < a->n; i++) {
                if (row_of(a, i)[k] != 0) {
                    add_tables(row_of(c, i) + strip, row_of(a, i)[k], tables, width, parity);
                }
            }
        }
    }
}

static matrix quarter(const matrix *m, uint32_t down, uint32_t right) {
    uint32_t half = m->n / 2;
    return (matrix){row_of(m, down * half) + right * (half / 64), half, m->stride};
}

/* to = x + y modulo 2. */
ISO_VECTOR static void add(const matrix *x, const matrix *y, matrix *to) {
    for (uint32_t i = 0; i < to->n; i++) {
        const uint64_t *p = row_of(x, i), *q = row_of(y, i);
        uint64_t *r = row_of(to, i);
        for (uint32_t w = 0; w < to->n / 64; w++) {
            r[w] = p[w] ^ q[w];
        }
    }
}

enum { HALVINGS = 16 };

typedef struct strassen {
    iso_pool *pool;
    uint32_t base;
    uint64_t *tables;
    matrix x[HALVINGS], y[HALVINGS], z[HALVINGS]; /* sums of quarters, and a product of two: of each size one */
} strassen;

/* A factor of one of the seven products: a sum of quarters, as bits (up left, up right, down left, down right). */
typedef struct product {
    uint8_t left, right, into;
} product;

/* The quarters that a product is added to are again bits. */
static const product seven[7] = {{9, 9, 9}, {12, 1, 12}, {1, 10, 10}, {8, 5, 5}, {3, 8, 3}, {5, 3, 8}, {10, 12, 1}};

/* Returns a sum of quarters: in `room`, unless it is one of them. */
static matrix sum_of(const matrix *m, uint8_t quarters, const matrix *room) {
    uint32_t first = (uint32_t)__builtin_ctz(quarters);
    matrix sum = quarter(m, first >> 1, first & 1);
    for (uint32_t q = first + 1; q < 4; q++) {
        if (quarters >> q & 1) {
            matrix part = quarter(m, q >> 1, q & 1), to = *room;
            add(&sum, &part, &to);
            sum = to;
        }
    }
    return sum;
}

static void clear(matrix *m) { memset(m->word, 0, (size_t)m->n * m->stride * sizeof *m->word); }

/* c = a b modulo 2, c being zero. It calls itself once for each halving, down to a fixed size. */
static void multiply(strassen *s, const matrix *a, const matrix *b, matrix *c, uint32_t depth) {
    if (a->n <= s->base || a->n % 128 != 0 || depth == HALVINGS) {
        by_tables(a, b, c, true, s->tables);
        return;
    }
    matrix *z = &s->z[depth];
    if (z->word == NULL) {
        s->x[depth] = new_matrix(s->pool, a->n / 2);
        s->y[depth] = new_matrix(s->pool, a->n / 2);
        *z = new_matrix(s->pool, a->n / 2);
    }
    for (int i = 0; i < 7; i++) {
        matrix x = sum_of(a, seven[i].left, &s->x[depth]), y = sum_of(b, seven[i].right, &s->y[depth]);
        clear(z);
        multiply(s, &x, &y, z, depth + 1);
        for (uint32_t q = 0; q < 4; q++) {
            if (seven[i].into >> q & 1) {
                matrix part = quarter(c, q >> 1, q & 1);
                add(&part, z, &part);
            }
        }
    }
}

/* Returns the number of ones that two matrices share. */
static uint64_t common(const matrix *a, const matrix *b) {
    uint64_t n = 0;
    for (size_t w = 0; w < (size_t)a->n * a->stride; w++) {
        n += (uint64_t)__builtin_popcountll(a->word[w] & b->word[w]);
    }
    return n;
}

static uint64_t by_russians(iso_pool *pool, const matrix *m) {
    matrix c = new_matrix(pool, m->n);
    uint64_t *tables = ISO_NEW(pool, uint64_t, TABLES * SUMS * STRIP);
    by_tables(m, m, &c, false, tables);
    uint64_t found = common(m, &c);
    iso_free(pool, tables);
    free_matrix(pool, &c);
    return found;
}

/* One product; found: what it finds is added to it. */
static void by_strassen(iso_pool *pool, const matrix *m, uint32_t base, iso_rng *random, matrix *found) {
    strassen s = {.pool = pool, .base = base, .tables = ISO_NEW(pool, uint64_t, TABLES * SUMS * STRIP)};
    matrix left = new_matrix(pool, m->n), c = new_matrix(pool, m->n);
    for (uint32_t w = 0; w < m->stride; w++) {
        uint64_t kept = iso_random(random);
        for (uint32_t i = 0; i < m->n; i++) {
            row_of(&left, i)[w] = row_of(m, i)[w] & kept;
        }
    }
    multiply(&s, &left, m, &c, 0);
    for (size_t w = 0; w < (size_t)m->n * m->stride; w++) {
        found->word[w] |= c.word[w] & m->word[w];
    }
    for (int i = 0; i < HALVINGS; i++) {
        free_matrix(pool, &s.x[i]);
        free_matrix(pool, &s.y[i]);
        free_matrix(pool, &s.z[i]);
    }
    iso_free(pool, s.tables);
    free_matrix(pool, &left);
    free_matrix(pool, &c);
}

/* ---- measuring ---- */

/* The three ways must agree where there is something to find, and Strassen must find nothing that is not there. */
static void compare(void *arg) {
    enum { ROUNDS = 60 };
    comparison *x = arg;
    iso_pool pool;
    iso_pool_init(&pool, &x->env);
    for (uint32_t n = 64 * STEP; n <= 4 * 64 * STEP; n *= 2) {
        matrix m = random_graph(&pool, n, false, 5), found = new_matrix(&pool, n);
        uint64_t rows = by_rows(&m), russians = by_russians(&pool, &m);
        iso_rng random = {7};
        for (int i = 0; i < ROUNDS; i++) {
            by_strassen(&pool, &m, n / 4, &random, &found);
        }
        uint64_t strassens = common(&m, &found);
        if (rows == 0 || rows != russians || rows != strassens) {
            iso_throw(&x->env, ISOLAB_E_INTERNAL, "%u nodes: rows find %llu, Russians %llu, Strassen %llu", n,
                      (unsigned long long)rows, (unsigned long long)russians, (unsigned long long)strassens);
        }
        printf("%u nodes: all three ways find %llu\n", n, (unsigned long long)rows);
    }
    iso_pool_free(&pool);
}

/* A check at ra of the graph's history, and one at g1, which reads and orders alike, and infers nothing. */
static void check(comparison *x, unsigned at) {
    enum { REPEAT = 3 };
    iso_pool pool;
    iso_pool_init(&pool, &x->env);
    iso_args args;
    char nodes[32];
    snprintf(nodes, sizeof nodes, "%u", x->n);
    iso_reduction_args(iso_reduction_find("triangle"), &pool, &args);
    iso_args_set(&args, "family", "bipartite");
    iso_args_set(&args, "nodes", nodes);
    iso_graph g = iso_graph_from_args(&args, NULL);
    iso_builder *b = iso_builder_new(&pool);
    iso_triangle_build(&pool, &g, ISO_TRIANGLE_RA2, b);
    isolab_history *h = iso_builder_finish(b);
    const iso_checker *awdit = iso_checker_find("awdit");
    grow_time ra = grow_check(&x->env, awdit, h, &(iso_question){.level = ISO_RA, .limit = 1}, REPEAT);
    grow_time g1 = grow_check(&x->env, awdit, h, &(iso_question){.level = ISO_G1, .limit = 1}, REPEAT);
    x->ms[INFER][at] = ra.ms - g1.ms;
    x->ms[LINEAR][at] = g1.ms;
    printf("%9u operations, %s: %9.1f %9.1f", h->n_ops, ra.verdict == ISOLAB_SATISFIED ? "satisfied" : "NOT SATISFIED",
           x->ms[INFER][at], x->ms[LINEAR][at]);
    iso_pool_free(&pool);
}

static void measure(void *arg) {
    comparison *x = arg;
    unsigned at = x->n_points;
    iso_pool pool;
    iso_pool_init(&pool, &x->env);
    matrix m = random_graph(&pool, x->n, true, 50), found = new_matrix(&pool, x->n);
    uint64_t n[3];
    double begin = grow_cpu_ms();
    n[ROWS] = by_rows(&m);
    x->ms[ROWS][at] = grow_cpu_ms() - begin;
    begin = grow_cpu_ms();
    n[RUSSIANS] = by_russians(&pool, &m);
    x->ms[RUSSIANS][at] = grow_cpu_ms() - begin;
    iso_rng random = {x->n};
    begin = grow_cpu_ms();
    by_strassen(&pool, &m, (uint32_t)x->base, &random, &found);
    x->ms[STRASSEN][at] = grow_cpu_ms() - begin;
    n[STRASSEN] = common(&m, &found);
    x->ms[PRODUCTS][at] = ceil(log2(x->n)) * fmin(x->ms[RUSSIANS][at], x->ms[STRASSEN][at]);
    if (n[ROWS] + n[RUSSIANS] + n[STRASSEN] != 0) {
        iso_throw(&x->env, ISOLAB_E_INTERNAL, "a triangle was found in a bipartite graph");
    }
    iso_pool_free(&pool);
    x->nodes[at] = x->n;
    printf("%6u nodes: %9.1f %9.1f %9.1f %9.1f ", x->n, x->ms[ROWS][at], x->ms[RUSSIANS][at], x->ms[STRASSEN][at],
           x->ms[PRODUCTS][at]);
    fflush(stdout);
    if (x->n <= x->checks) {
        check(x, at);
        x->n_checks = at + 1;
    }
    putchar('\n');
}

static bool draw(const comparison *x) {
    static const char *const colour[CURVES] = {"#D55E00", "#0072B2", "#009E73", "#56B4E9", "#CC79A7", "#000000"};
    FILE *out = grow_gnuplot(x->plot, 900, 560);
    if (out == NULL) {
        return false;
    }
    fprintf(out,
            "set logscale xy\nset key outside right top Left reverse\nset xrange [%g:%g]\nset xlabel 'nodes'\n"
            "set ylabel 'processor time (ms)'\nplot ",
            x->nodes[0] / 1.2, x->nodes[x->n_points - 1] * 1.2);
    for (int c = 0; c < CURVES; c++) {
        fprintf(out, "'-' with linespoints lw 2 pt %d dt %d lc rgb '%s' title '%s'%s", c + 4, c < INFER ? 1 : 2,
                colour[c], name[c], c + 1 < CURVES ? ", " : "\n");
    }
    for (int c = 0; c < CURVES; c++) {
        for (unsigned i = 0; i < (c < INFER ? x->n_points : x->n_checks); i++) {
            fprintf(out, "%g %g\n", x->nodes[i], x->ms[c][i]);
        }
        fprintf(out, "e\n");
    }
    return pclose(out) == 0;
}

static void print_products(comparison *x) {
    iso_pool pool;
    iso_pool_init(&pool, &x->env);
    for (int c = 0; c < CURVES; c++) {
        unsigned n = c < INFER ? x->n_points : x->n_checks;
        if (n > 2) {
            iso_interval e = iso_stat_power_law(&pool, x->nodes, x->ms[c], n).exponent;
            printf("%-22s nodes^%.2f [%.2f, %.2f]\n", name[c], e.value, e.low, e.high);
        }
    }
    iso_pool_free(&pool);
}

int main(int argc, char **argv) {
    static comparison x = {.from = 1024, .to = 8192, .checks = 4096, .base = 8192};
    const grow_option options[] = {{"--from", "N", .number = &x.from},     {"--to", "N", .number = &x.to},
                                   {"--checks", "N", .number = &x.checks}, {"--base", "N", .number = &x.base},
                                   {"--plot", "FILE", .text = &x.plot},    {.name = NULL}};
    grow_options("product", options, argc, argv);
    iso_env_init(&x.env);
    iso_install_handlers();
    if (iso_guard(&x.env, compare, &x) != ISOLAB_OK) {
        fprintf(stderr, "product: %s\n", x.env.error.message);
        return ISOLAB_E_INTERNAL;
    }
    printf("ms of processor time: %s, %s, %s, %s; %s, %s\n", name[ROWS], name[RUSSIANS], name[STRASSEN], name[PRODUCTS],
           name[INFER], name[LINEAR]);
    for (double size = (double)x.from; size <= (double)x.to * 1.01 && x.n_points < MOST_POINTS; size *= sqrt(2)) {
        uint32_t unit = 64 * STEP;
        x.n = (uint32_t)(size / unit + 0.5) * unit;
        if (iso_guard(&x.env, measure, &x) != ISOLAB_OK) {
            fprintf(stderr, "product: %u nodes: %s\n", x.n, x.env.error.message);
            return ISOLAB_E_INTERNAL;
        }
        x.n_points++;
        fflush(stdout);
    }
    print_products(&x);
    if (x.plot != NULL) {
        bool drawn = draw(&x);
        printf(drawn ? "drawn as %s\n" : "%s could not be drawn: is gnuplot installed?\n", x.plot);
    }
    return 0;
}
