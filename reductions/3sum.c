/* 3SUM to listing: three sets A, B and C of whole numbers become a graph whose triangles are the triples a + b = c
 * modulo N, one to one, and the graph a history (triangle.c) whose instances are these triangles.
 *
 * N = p q for two primes, q about p^2. A number x has the residues (u, v) = (x mod p, x mod q), which is a number
 * modulo N (Chinese remainders). Let w be about the root of q, and write the v of a c in C as x w + y with 0 <= y < w.
 * Nodes:
 *
 *   left (i, x), right (j, y), middle e         0 <= i, j < p;  0 <= x w < q;  0 <= y < w;  0 <= e < q
 *   left (i, x) - middle e         for an a in A with u = i and v = e + x w modulo q
 *   right (j, y) - middle e        for a b in B with u = j and v = y - e modulo q
 *   left (i, x) - right (j, y)     for a c in C with u = i + j modulo p and v = x w + y
 *
 * A triangle gives the residues of an a, a b and a c, with u_a + u_b = u_c and v_a + v_b = (e + x w) + (y - e) = v_c.
 * And residues with these sums give i, j, x, y and e. For n numbers each there are about 3 n p edges, and an a, b, c
 * with a + b not c makes a triangle with probability about 1/N when p and q are random: about n^3 / p^3 false ones.
 *
 * With p about the root of n there are m = 3 n^1.5 edges and about n^1.5 false triangles: a program that lists t
 * triangles of m edges, or t instances of m operations, in (m + t)^(4/3 - epsilon) solves 3SUM in n^(2 - epsilon')
 * (Patrascu 2010; the graph is that of Kopelowitz, Pettie and Porat 2016, with residues as both hashes, so that sums
 * are exact). With N above all a + b - c there are no false triangles: then the verdict alone is the answer of 3SUM. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/random.h"
#include "reductions/input.h"
#include "reductions/reduction.h"
#include "reductions/triangle.h"

enum { A, B, C, MOST_P = 2048 };
static const int64_t most_number = (int64_t)1 << 60; /* so that a sum of three fits */

typedef struct sums {
    uint32_t n[3];
    int64_t *number[3];  /* each increasing, without repetitions */
    uint32_t p, q, w, x; /* x: values that x takes */
    iso_graph g;
    iso_triangle_txns txns;
    uint64_t triples; /* a + b = c */
} sums;

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t sorted(int64_t *number, uint32_t n) {
    qsort(number, n, sizeof *number, by_number);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || number[kept - 1] != number[i]) {
            number[kept++] = number[i];
        }
    }
    return kept;
}

static uint32_t residue(int64_t x, uint32_t m) {
    int64_t r = x % m;
    return (uint32_t)(r < 0 ? r + m : r);
}

static bool has(const int64_t *number, uint32_t n, int64_t x) {
    return n > 0 && bsearch(&x, number, n, sizeof *number, by_number) != NULL;
}

/* Reads three lines of whole numbers: A, B and C. `#` begins a comment. */
static void load(iso_pool *pool, const char *path, sums *s) {
    size_t size, room = 0, n = 0;
    char *text = iso_source_text(pool, path, 0, &size), *end = text + size;
    uint64_t line = 1;
    int set = A;
    for (char *at = text; at < end; line++) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop == NULL ? end : stop;
        *stop = '\0';
        at[strcspn(at, "#")] = '\0';
        for (at += strspn(at, " \t\r,"); *at != '\0'; at += strspn(at, " \t\r,")) {
            iso_tick(pool->env);
            char *after;
            long long value = strtoll(at, &after, 10);
            if (after == at || value > most_number || value < -most_number ||
                (*after != '\0' && strchr(" \t\r,", *after) == NULL)) {
                iso_input_bad(pool->env, path, line, "expected whole numbers of at most 2^60, found `%.20s`", at);
            }
            if (set > C) {
                iso_input_bad(pool->env, path, line, "expected three lines of numbers, found a fourth one");
            }
            ISO_GROW(pool, s->number[set], n, room);
            s->number[set][n++] = value;
            at = after;
        }
        if (n > 0) {
            s->n[set] = sorted(s->number[set], (uint32_t)n);
            set++;
            n = room = 0;
        }
        at = stop + 1;
    }
    if (set <= C) {
        iso_input_bad(pool->env, path, line, "expected three lines of numbers, found %d", set);
    }
}

/* Without a solution: A and B are 1 modulo 3, and C is 0 or 1. */
static void draw(iso_pool *pool, const iso_args *args, sums *s) {
    iso_rng rng = {iso_arg_count(args, "seed")};
    uint32_t n = (uint32_t)iso_arg_count(args, "size"), plant = (uint32_t)iso_arg_count(args, "plant");
    bool none = iso_arg_is(args, "answers", "none");
    uint64_t range = iso_arg_count(args, "range");
    range = range == 0 ? (uint64_t)n * n : range;
    for (int set = A; set <= C; set++) {
        s->number[set] = ISO_NEW(pool, int64_t, n);
        for (uint32_t i = 0; i < n; i++) {
            int64_t x = (int64_t)iso_random_below(&rng, 2 * range + 1) - (int64_t)range;
            int64_t kind = set == C ? (int64_t)iso_random_below(&rng, 2) : 1;
            s->number[set][i] = none ? x - (int64_t)residue(x, 3) + kind : x;
        }
    }
    for (uint32_t i = 0; i < plant && i < n; i++) {
        s->number[C][i] = s->number[A][iso_random_below(&rng, n)] + s->number[B][iso_random_below(&rng, n)];
    }
    for (int set = A; set <= C; set++) {
        s->n[set] = sorted(s->number[set], n);
    }
}

static uint32_t next_prime(uint32_t from) {
    for (uint32_t x = from < 2 ? 2 : from;; x++) {
        uint32_t d = 2;
        while (d * d <= x && x % d != 0) {
            d++;
        }
        if (d * d > x) {
            return x;
        }
    }
}

/* The largest a + b - c, as a number without sign. */
static uint64_t spread(const sums *s) {
    int64_t high = 0, low = 0;
    for (int set = A; set <= C && s->n[A] > 0 && s->n[B] > 0 && s->n[C] > 0; set++) {
        int64_t least = s->number[set][0], most = s->number[set][s->n[set] - 1];
        high += set == C ? -least : most;
        low += set == C ? -most : least;
    }
    return (uint64_t)(high > -low ? high : -low);
}

static void choose_moduli(const iso_reduce *r, sums *s) {
    uint32_t most = s->n[A] > s->n[B] ? s->n[A] : s->n[B], p = (uint32_t)iso_arg_count(r->args, "modulus");
    most = s->n[C] > most ? s->n[C] : most;
    bool exact = iso_arg_is(r->args, "moduli", "exact"), given = p > 0;
    for (; !given && (uint64_t)p * p < most; p++) {
    }
    uint64_t need = spread(s);
    for (; exact && !given && p < MOST_P && (uint64_t)p * p * p <= need; p++) {
    }
    s->p = next_prime(p);
    s->q = next_prime(s->p * s->p);
    if (exact && (uint64_t)s->p * s->q <= need) {
        iso_throw(r->pool->env, ISOLAB_E_USAGE,
                  "--moduli exact: the sums reach %" PRIu64 ", and the moduli %u and %u only %" PRIu64
                  "; use --moduli hashed",
                  need, s->p, s->q, (uint64_t)s->p * s->q);
    }
    for (s->w = 1; (uint64_t)s->w * s->w < s->q; s->w++) {
    }
    s->x = (s->q + s->w - 1) / s->w;
}

static uint32_t left(const sums *s, uint32_t i, uint32_t x) { return i * s->x + x; }
static uint32_t right(const sums *s, uint32_t j, uint32_t y) { return s->p * s->x + j * s->w + y; }
static uint32_t middle(const sums *s, uint32_t e) { return s->p * (s->x + s->w) + e; }

static iso_graph graph_of(const sums *s, iso_pool *pool) {
    iso_edges edges = {.pool = pool};
    for (uint32_t k = 0; k < s->n[A]; k++) {
        uint32_t u = residue(s->number[A][k], s->p), v = residue(s->number[A][k], s->q);
        for (uint32_t x = 0; x < s->x; x++) {
            iso_tick(pool->env);
            iso_edges_add(&edges, left(s, u, x), middle(s, residue((int64_t)v - (int64_t)x * s->w, s->q)));
        }
    }
    for (uint32_t k = 0; k < s->n[B]; k++) {
        uint32_t u = residue(s->number[B][k], s->p), v = residue(s->number[B][k], s->q);
        for (uint32_t y = 0; y < s->w; y++) {
            iso_tick(pool->env);
            iso_edges_add(&edges, right(s, u, y), middle(s, residue((int64_t)y - v, s->q)));
        }
    }
    for (uint32_t k = 0; k < s->n[C]; k++) {
        uint32_t u = residue(s->number[C][k], s->p), v = residue(s->number[C][k], s->q);
        for (uint32_t i = 0; i < s->p; i++) {
            iso_tick(pool->env);
            iso_edges_add(&edges, left(s, i, v / s->w), right(s, residue((int64_t)u - i, s->p), v % s->w));
        }
    }
    return iso_graph_of_edges(&edges, middle(s, s->q));
}

/* For each a, b and c = a + b increase together. */
static uint64_t triples_of(const sums *s, iso_env *env) {
    uint64_t triples = 0;
    for (uint32_t i = 0; i < s->n[A]; i++) {
        iso_tick_steps(env, s->n[B] / 4 + 1);
        uint32_t k = 0;
        for (uint32_t j = 0; j < s->n[B]; j++) {
            int64_t sum = s->number[A][i] + s->number[B][j];
            while (k < s->n[C] && s->number[C][k] < sum) {
                k++;
            }
            triples += k < s->n[C] && s->number[C][k] == sum;
        }
    }
    return triples;
}

static void build(iso_reduce *r, iso_builder *b) {
    sums *s = ISO_ZNEW(r->pool, sums, 1);
    r->state = s;
    r->level = iso_level_find(iso_arg_text(r->args, "level"), NULL);
    const char *path = iso_arg_text(r->args, "numbers");
    if (path[0] != '\0') {
        load(r->pool, path, s);
    } else {
        draw(r->pool, r->args, s);
    }
    choose_moduli(r, s);
    s->g = graph_of(s, r->pool);
    s->triples = triples_of(s, r->pool->env);
    iso_graph_facts facts = iso_graph_facts_of(&s->g, r->pool);
    iso_printer text = {.target = ISO_PLAIN, .pool = r->pool};
    iso_print(&text, "3sum of %u, %u and %u numbers modulo %u and %u", s->n[A], s->n[B], s->n[C], s->p, s->q);
    iso_print(&text, "; solutions %" PRIu64, s->triples);
    iso_graph_about(b, r->pool, iso_printed(&text), &facts);
    s->txns = iso_triangle_build(r->pool, &s->g, ISO_TRIANGLE_GENERAL, b);
}

/* A triangle as residues: of a, b and c, each by u and v. */
typedef struct residues {
    uint32_t u[3], v[3];
} residues;

static int by_node(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static residues residues_of(const sums *s, const uint32_t triangle[3]) {
    uint32_t n[3] = {triangle[0], triangle[1], triangle[2]};
    qsort(n, 3, sizeof *n, by_node); /* left, right, middle */
    uint32_t i = n[0] / s->x, x = n[0] % s->x, at = n[1] - s->p * s->x, j = at / s->w, y = at % s->w;
    uint32_t e = n[2] - s->p * (s->x + s->w);
    return (residues){{i, j, (i + j) % s->p},
                      {residue((int64_t)e + (int64_t)x * s->w, s->q), residue((int64_t)y - e, s->q), x * s->w + y}};
}

static int by_residues(const void *a, const void *b) { return memcmp(a, b, sizeof(residues)); }

/* The numbers of a set that have the residues: their places in order. Returns how many. */
static uint32_t numbers_of(const sums *s, int set, uint32_t u, uint32_t v, uint32_t *place) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n[set]; k++) {
        if (residue(s->number[set][k], s->p) == u && residue(s->number[set][k], s->q) == v) {
            place[n++] = k;
        }
    }
    return n;
}

typedef struct found {
    uint64_t triangles, triples, wrong; /* different ones; with a + b = c; without residues that add up */
    int64_t one[3];                     /* a triple */
} found;

/* Turns triangles into triples of numbers. */
static void translate(const sums *s, iso_pool *pool, residues *all, uint64_t n, found *f) {
    uint32_t *place[3];
    for (int set = A; set <= C; set++) {
        place[set] = ISO_NEW(pool, uint32_t, (size_t)s->n[set] + 1);
    }
    qsort(all, n, sizeof *all, by_residues);
    for (uint64_t i = 0; i < n; i++) {
        if (i > 0 && by_residues(&all[i - 1], &all[i]) == 0) {
            continue;
        }
        uint32_t of[3];
        f->triangles++;
        for (int set = A; set <= C; set++) {
            iso_tick_steps(pool->env, s->n[set]);
            of[set] = numbers_of(s, set, all[i].u[set], all[i].v[set], place[set]);
        }
        f->wrong += of[A] == 0 || of[B] == 0 || of[C] == 0 || (all[i].u[A] + all[i].u[B]) % s->p != all[i].u[C] ||
                    ((uint64_t)all[i].v[A] + all[i].v[B]) % s->q != all[i].v[C];
        for (uint32_t k = 0; k < of[A] * of[B]; k++) {
            int64_t a = s->number[A][place[A][k / of[B]]], b = s->number[B][place[B][k % of[B]]];
            if (has(s->number[C], s->n[C], a + b)) { /* then its residues are those of the triangle's c */
                f->triples++;
                f->one[A] = a, f->one[B] = b, f->one[C] = a + b;
            }
        }
    }
}

/* Counts the different triples of residues that add up, by looking at all pairs. */
static uint64_t residues_that_add_up(const sums *s, iso_pool *pool) {
    int64_t *number[3], modulus = (int64_t)s->p * s->q;
    uint32_t n[3];
    uint64_t sum = 0;
    for (int set = A; set <= C; set++) {
        number[set] = ISO_NEW(pool, int64_t, (size_t)s->n[set] + 1);
        for (uint32_t i = 0; i < s->n[set]; i++) {
            int64_t r = s->number[set][i] % modulus;
            number[set][i] = r < 0 ? r + modulus : r;
        }
        n[set] = sorted(number[set], s->n[set]);
    }
    for (uint32_t i = 0; i < n[A]; i++) {
        for (uint32_t j = 0; j < n[B]; j++) {
            iso_tick(pool->env);
            sum += has(number[C], n[C], (number[A][i] + number[B][j]) % modulus);
        }
    }
    return sum;
}

static found ask_all(iso_reduce *r, const isolab_history *h, isolab_verdict *verdict) {
    const sums *s = r->state;
    iso_question question = {.level = r->level, .all = true};
    const iso_checker *c =
        strcmp(r->checker, "auto") == 0 ? iso_checker_auto(h, &question) : iso_checker_find(r->checker);
    if (c == NULL || !(c->can & ISO_CAN_EVERY)) {
        iso_throw(r->pool->env, ISOLAB_E_USAGE, "checker %s cannot list every instance; plume can", r->checker);
    }
    iso_result result;
    iso_result_init(&result, r->pool);
    iso_check(c, h, &question, &result);
    if (result.verdict == ISOLAB_UNKNOWN || (result.verdict == ISOLAB_VIOLATED && result.reason[0] != '\0')) {
        iso_throw(r->pool->env, ISOLAB_E_LIMIT, "checker %s: %s", c->name, result.reason);
    }
    *verdict = result.verdict;
    found f = {0};
    uint32_t *node_of = iso_triangle_nodes(&s->g, &s->txns, r->pool, h->n_txns), triangle[3];
    residues *all = ISO_NEW(r->pool, residues, (size_t)result.n_edges + 1);
    uint64_t n = 0;
    for (uint32_t e = 0; e < result.n_edges; e++) {
        if (iso_triangle_of_edge(h, &result.edges[e], node_of, triangle)) {
            all[n++] = residues_of(s, triangle);
        }
    }
    translate(s, r->pool, all, n, &f);
    return f;
}

static bool explain(iso_reduce *r, const isolab_history *h, FILE *out) {
    const sums *s = r->state;
    uint64_t residual = residues_that_add_up(s, r->pool);
    isolab_verdict verdict;
    found f = ask_all(r, h, &verdict);
    iso_say(out,
            "numbers: %u, %u and %u; triples a + b = c: %" PRIu64 ", and modulo %u and %u: %" PRIu64
            " (by all pairs)\n",
            s->n[A], s->n[B], s->n[C], s->triples, s->p, s->q, residual);
    iso_say(out, "graph: %u nodes, %" PRIu64 " edges; history: %u operations, level %s: %s\n", s->g.n,
            s->g.first[s->g.n] / 2, h->n_ops, iso_level_get(r->level)->name,
            verdict == ISOLAB_SATISFIED ? "satisfied" : "violated");
    iso_say(out, "the instances are %" PRIu64 " triangles, with %" PRIu64 " triples a + b = c\n", f.triangles,
            f.triples);
    if (f.triples > 0) {
        iso_say(out, "one of them: %lld + %lld = %lld\n", (long long)f.one[A], (long long)f.one[B],
                (long long)f.one[C]);
    }
    return f.wrong == 0 && f.triangles == residual && f.triples == s->triples &&
           (verdict == ISOLAB_VIOLATED) == (residual > 0);
}

static void map(const iso_reduce *r, const isolab_history *h, FILE *out) {
    const sums *s = r->state;
    iso_printer json = {.out = out, .target = ISO_JSON};
    char w[ISO_NAME_SIZE], rd[ISO_NAME_SIZE];
    for (uint32_t a = 0; a < s->g.n; a++) {
        uint32_t at = a < s->p * s->x ? a : a < middle(s, 0) ? a - s->p * s->x : a - middle(s, 0);
        uint32_t row = a < s->p * s->x ? s->x : a < middle(s, 0) ? s->w : s->q;
        if (s->txns.writer[a] != ISO_NONE) {
            iso_print(&json, "{\"part\":%s,\"bucket\":%u,\"place\":%u,\"writer\":%s,\"reader\":%s}\n",
                      a < s->p * s->x    ? "left"
                      : a < middle(s, 0) ? "right"
                                         : "middle",
                      at / row, at % row, iso_txn_text(h, s->txns.writer[a], w),
                      iso_txn_text(h, s->txns.reader[a], rd));
        }
    }
}

static bool certify(iso_reduce *r, const isolab_history *h, iso_result *result) {
    const sums *s = r->state;
    return iso_triangle_certify(&s->g, &s->txns, h, result);
}

static const iso_option options[] = {
    {ISO_TEXT("numbers", "", "file with three lines of whole numbers, A, B and C; else random ones")},
    {ISO_COUNT("size", "30", 0, 1e5, "numbers of each random set")},
    {ISO_COUNT("range", "0", 0, 1e18, "largest random number, without sign; 0: the square of the size")},
    {ISO_WORD("answers", "any", "any none", "whatever comes; no triple except the planted ones")},
    {ISO_COUNT("plant", "0", 0, 1e5, "numbers of C that are sums of random a and b")},
    {ISO_WORD("moduli", "hashed", "hashed exact",
              "as small as hashing allows, or so large that every triangle is a triple of numbers")},
    {ISO_COUNT("modulus", "0", 0, MOST_P, "the first prime from here is p; 0: chosen")},
    {ISO_WORD("level", "ra", "rc ra cc", "level that --explain asks for"), .of = ISO_OF_SOME_LEVELS, .letter = 'l'},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "of random numbers")},
    ISO_END};

const iso_reduction iso_reduction_3sum = {
    .name = "3sum",
    .summary = "which a + b are in C? As the instances of rc, ra or cc in a history",
    .paper = "Patrascu 2010; Kopelowitz, Pettie and Porat 2016",
    .options = options,
    .build = build,
    .map = map,
    .explain = explain,
    .certify = certify,
};
