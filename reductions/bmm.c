/* Boolean matrix multiplication by an isolation checker, after Vassilevska Williams and Williams (2018): the lower
 * bound of awdit.txt section 4 as a program.
 *
 * The rows, columns and inner indices of C = A B are divided into blocks of about n^(1/3). For each triple of blocks, a
 * graph has a node for each row i, inner index k and column j of the blocks, edges i-k where A has a 1, k-j where B has
 * a 1, and i-j where C is not yet known to have a 1. A triangle is a 1 of C. So, while the checker says that the
 * graph's history is violated, find one triangle, record its 1 and remove its edge i-j. The checker only answers yes or
 * no; the triangle is found by halving the blocks, with a constant number of calls for each halving.
 *
 * Each 1 of C is found once, and each triple ends with one satisfied answer: at most n^2 finds of O(log n) calls and
 * n^2 triples, on histories of O(n^(2/3)) operations. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "base/random.h"
#include "reductions/input.h"
#include "reductions/reduction.h"
#include "reductions/triangle.h"

typedef struct matrix {
    uint32_t rows, columns;
    uint8_t *at; /* [row * columns + column] */
} matrix;

typedef struct products {
    iso_reduce *r;
    matrix a, b, c;
    iso_construction construction;
    uint64_t calls, operations, ones, triples;
} products;

/* A range of indices. */
typedef struct range {
    uint32_t from, to;
} range;

static matrix zero(iso_pool *pool, uint32_t rows, uint32_t columns) {
    return (matrix){rows, columns, iso_zalloc(pool, (size_t)rows * columns, 1)};
}

/* Reads rows of 0 and 1, with or without blanks between them. */
static matrix load(iso_pool *pool, const char *path) {
    size_t size, n = 0, room = 0;
    const char *text = iso_source_text(pool, path, 0, &size);
    matrix m = {0, 0, NULL};
    uint64_t line = 1;
    uint32_t column = 0;
    for (size_t i = 0; i <= size; i++) {
        iso_tick(pool->env);
        char c = i < size ? text[i] : '\n';
        if (c == '0' || c == '1') {
            ISO_GROW(pool, m.at, n, room);
            m.at[n++] = c == '1';
            column++;
        } else if (c == '\n') {
            if (column > 0 && m.rows > 0 && column != m.columns) {
                iso_input_bad(pool->env, path, line, "expected a row of %u numbers, found %u", m.columns, column);
            }
            if (column > 0) {
                m.columns = column;
                m.rows++;
            }
            column = 0;
            line++;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            iso_input_bad(pool->env, path, line, "expected 0 or 1, found `%c`", isprint((unsigned char)c) ? c : '?');
        }
    }
    if (m.rows == 0) {
        iso_input_bad(pool->env, path, 1, "expected rows of 0 and 1, found none");
    }
    return m;
}

static matrix random_matrix(iso_pool *pool, uint32_t n, double p, iso_rng *rng) {
    matrix m = zero(pool, n, n);
    for (size_t i = 0; i < (size_t)n * n; i++) {
        m.at[i] = iso_random_unit(rng) < p;
    }
    return m;
}

/* Returns whether the blocks have a triangle: one history, one call. */
static bool has_triangle(products *w, range i, range k, range j) {
    uint32_t ni = i.to - i.from, nk = k.to - k.from, nj = j.to - j.from;
    iso_pool pool;
    iso_pool_init(&pool, w->r->pool->env);
    iso_edges e = {.pool = &pool};
    for (uint32_t x = 0; x < ni; x++) {
        for (uint32_t y = 0; y < nk; y++) {
            iso_tick(pool.env);
            if (w->a.at[(size_t)(i.from + x) * w->a.columns + k.from + y]) {
                iso_edges_add(&e, x, ni + y);
            }
        }
        for (uint32_t z = 0; z < nj; z++) {
            iso_tick(pool.env);
            if (!w->c.at[(size_t)(i.from + x) * w->c.columns + j.from + z]) {
                iso_edges_add(&e, x, ni + nk + z);
            }
        }
    }
    for (uint32_t y = 0; y < nk; y++) {
        for (uint32_t z = 0; z < nj; z++) {
            iso_tick(pool.env);
            if (w->b.at[(size_t)(k.from + y) * w->b.columns + j.from + z]) {
                iso_edges_add(&e, ni + y, ni + nk + z);
            }
        }
    }
    iso_graph g = iso_graph_of_edges(&e, ni + nk + nj);
    iso_builder *b = iso_builder_new(&pool);
    iso_triangle_build(&pool, &g, w->construction, b);
    isolab_history *h = iso_builder_finish(b);
    iso_result result;
    bool violated = iso_reduce_ask(w->r, &pool, h, w->r->level, &result) == ISOLAB_VIOLATED;
    w->calls++;
    w->operations += h->n_ops;
    iso_pool_free(&pool);
    return violated;
}

static range half(range r, unsigned which) {
    uint32_t middle = r.from + (r.to - r.from + 1) / 2;
    return which == 0 ? (range){r.from, middle} : (range){middle, r.to};
}

/* Halves blocks that have a triangle until they are a single triangle: at most seven calls for each halving, since if
 * no other part has one, the last part has it. */
static void find(products *w, range i, range k, range j) {
    while (i.to - i.from > 1 || k.to - k.from > 1 || j.to - j.from > 1) {
        range x = i, y = k, z = j;
        bool found = false;
        for (unsigned part = 0; part < 8 && !found; part++) {
            range p = half(i, part & 1), q = half(k, part >> 1 & 1), r = half(j, part >> 2);
            if (p.from == p.to || q.from == q.to || r.from == r.to) {
                continue;
            }
            x = p;
            y = q;
            z = r;
            bool last = p.to == i.to && q.to == k.to && r.to == j.to;
            found = last || has_triangle(w, x, y, z);
        }
        i = x;
        k = y;
        j = z;
    }
    w->c.at[(size_t)i.from * w->c.columns + j.from] = 1;
    w->ones++;
}

/* Computes the product by rows of bits, for comparison. */
static matrix direct(iso_pool *pool, const matrix *a, const matrix *b) {
    size_t words = (b->columns + 63) / 64;
    uint64_t *row = iso_zalloc(pool, (size_t)b->rows * words, sizeof *row);
    uint64_t *sum = ISO_NEW(pool, uint64_t, words);
    for (uint32_t k = 0; k < b->rows; k++) {
        for (uint32_t j = 0; j < b->columns; j++) {
            row[k * words + j / 64] |= (uint64_t)b->at[(size_t)k * b->columns + j] << (j % 64);
        }
    }
    matrix c = zero(pool, a->rows, b->columns);
    for (uint32_t i = 0; i < a->rows; i++) {
        memset(sum, 0, words * sizeof *sum);
        for (uint32_t k = 0; k < a->columns; k++) {
            iso_tick_steps(pool->env, words / 256 + 1);
            for (size_t x = 0; a->at[(size_t)i * a->columns + k] && x < words; x++) {
                sum[x] |= row[k * words + x];
            }
        }
        for (uint32_t j = 0; j < b->columns; j++) {
            c.at[(size_t)i * c.columns + j] = sum[j / 64] >> (j % 64) & 1;
        }
    }
    return c;
}

static void multiply(products *w, uint32_t block) {
    for (uint32_t i = 0; i < w->a.rows; i += block) {
        for (uint32_t j = 0; j < w->b.columns; j += block) {
            for (uint32_t k = 0; k < w->a.columns; k += block) {
                range x = {i, i + block < w->a.rows ? i + block : w->a.rows};
                range y = {k, k + block < w->a.columns ? k + block : w->a.columns};
                range z = {j, j + block < w->b.columns ? j + block : w->b.columns};
                w->triples++;
                while (has_triangle(w, x, y, z)) {
                    find(w, x, y, z);
                }
                iso_tick(w->r->pool->env);
            }
        }
    }
}

static bool compute(iso_reduce *r, FILE *out) {
    iso_args *args = r->args;
    products w = {.r = r};
    iso_rng rng = {iso_arg_count(args, "seed")};
    uint32_t n = (uint32_t)iso_arg_count(args, "size");
    double p = iso_arg_real(args, "p");
    const char *a = iso_arg_text(args, "a"), *b = iso_arg_text(args, "b");
    bool random = a[0] == '\0' || b[0] == '\0';
    iso_args_refuse(args, !random, "size", "is for random matrices");
    iso_args_refuse(args, !random, "p", "is for random matrices");
    iso_args_refuse(args, !random, "seed", "is for random matrices");
    w.a = a[0] != '\0' ? load(r->pool, a) : random_matrix(r->pool, n, p, &rng);
    w.b = b[0] != '\0' ? load(r->pool, b) : random_matrix(r->pool, n, p, &rng);
    if (w.a.columns != w.b.rows) {
        iso_throw(r->pool->env, ISOLAB_E_USAGE, "a matrix of %u columns cannot be multiplied with one of %u rows",
                  w.a.columns, w.b.rows);
    }
    bool ra2 = iso_arg_is(args, "construction", "ra2"), rc1 = iso_arg_is(args, "construction", "rc1");
    w.construction = ra2 ? ISO_TRIANGLE_RA2 : rc1 ? ISO_TRIANGLE_RC1 : ISO_TRIANGLE_GENERAL;
    r->level = ra2 ? ISO_RA : ISO_RC;
    w.c = zero(r->pool, w.a.rows, w.b.columns);
    uint64_t block = iso_arg_count(args, "block");
    uint32_t longest = w.a.rows > w.a.columns ? w.a.rows : w.a.columns;
    longest = longest > w.b.columns ? longest : w.b.columns;
    multiply(&w, block != 0 ? (uint32_t)block : (uint32_t)ceil(cbrt(longest)));
    char *row = ISO_ZNEW(r->pool, char, w.c.columns + 1);
    for (uint32_t i = 0; i < w.c.rows; i++) {
        for (uint32_t j = 0; j < w.c.columns; j++) {
            row[j] = w.c.at[(size_t)i * w.c.columns + j] ? '1' : '0';
        }
        iso_say(out, "%s\n", row);
    }
    matrix c = direct(r->pool, &w.a, &w.b);
    bool same = memcmp(c.at, w.c.at, (size_t)c.rows * c.columns) == 0;
    iso_say(stderr,
            "%u x %u times %u x %u: %" PRIu64 " calls of the checker on %" PRIu64 " operations in all, %" PRIu64
            " triples of blocks, "
            "%" PRIu64 " ones; %s the direct product\n",
            w.a.rows, w.a.columns, w.b.rows, w.b.columns, w.calls, w.operations, w.triples, w.ones,
            same ? "equal to" : "DIFFERENT from");
    return same;
}

static const iso_option options[] = {
    {ISO_TEXT("a", "", "file of the left matrix: rows of 0 and 1; else a random one")},
    {ISO_TEXT("b", "", "file of the right matrix")},
    {ISO_COUNT("size", "16", 1, 5000, "rows of random matrices")},
    {ISO_REAL("p", "0.3", 0, 1, "density of random matrices")},
    {ISO_COUNT("block", "0", 0, 5000, "rows of a block; 0: the cube root of the size")},
    {ISO_WORD("construction", "general", "general ra2 rc1", "as of the reduction triangle")},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "of random matrices")},
    ISO_END};

const iso_reduction iso_reduction_bmm = {
    .name = "bmm",
    .summary = "multiplies two 0/1 matrices by asking a checker about triangles",
    .paper = "awdit.txt section 4; Vassilevska Williams and Williams 2018",
    .options = options,
    .compute = compute,
};
