/* Tests reductions/clique.c and between.c: on all small problems and on random ones, against solvers written
 * here by the definitions (all sets of nodes, all orders). Every checker that can take the history is
 * asked; explain() must turn answers into witnesses and back; proofs that certify() makes are of the right answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "graph/handlers.h"
#include "history/about.h"
#include "reductions/reduction.h"
#include "tests/reductions.h"
#include "tests/seed.h"
#include "tests/tap.h"

/* Larger histories take these checkers too long. */
static const score nothing = {.most_brute = 6, .most_sat = 24};

static iso_env env;
static bool quick, deep;
static char file[] = "/tmp/isolab-problems-XXXXXX";

/* The number of this name in what the history says about itself. */
static uint64_t said(const isolab_history *h, const char *name) {
    const char *line = h->about;
    for (iso_about pair; iso_about_next(&line, &pair);) {
        if (pair.name_size == strlen(name) && memcmp(pair.name, name, pair.name_size) == 0) {
            return strtoull(pair.value, NULL, 10);
        }
    }
    return UINT64_MAX;
}

/* Runs a reduction on the problem in the file. words: names of options and their values, in turns. */
static isolab_history *reduce(iso_pool *pool, iso_args *args, iso_reduce *r, const char *name, const char *const *words,
                              score *s) {
    const iso_reduction *reduction = iso_reduction_find(name);
    *r = (iso_reduce){.args = args, .pool = pool, .checker = "auto"};
    iso_reduction_args(reduction, pool, args);
    for (; *words != NULL; words += 2) {
        iso_args_set(args, words[0], words[1]);
    }
    iso_builder *b = iso_builder_new(pool);
    reduction->build(r, b);
    isolab_history *h = iso_builder_finish(b);
    FILE *out = fopen("/dev/null", "w");
    s->explained_wrong += !reduction->explain(r, h, out);
    reduction->map(r, h, out);
    fclose(out);
    iso_result result;
    iso_result_init(&result, pool);
    if (reduction->certify(r, h, &result) && result.verdict == ISOLAB_SATISFIED && result.n_order != h->n_txns) {
        s->explained_wrong++;
    }
    return h;
}

/* ---- cliques ---- */

static bool has_clique(const uint32_t *row, unsigned n, unsigned k) {
    for (uint32_t set = 0; set < 1u << n; set++) {
        bool good = (unsigned)__builtin_popcount(set) == k;
        for (unsigned a = 0; a < n; a++) {
            good = good && (!(set >> a & 1) || (set & ~row[a]) == 1u << a);
        }
        if (good) {
            return true;
        }
    }
    return false;
}

static void one_clique(const uint32_t *row, unsigned n, unsigned k, const char *level, score *s) {
    FILE *out = fopen(file, "w");
    unsigned m = 0;
    for (unsigned a = 0; a < n; a++) {
        m += (unsigned)__builtin_popcount(row[a]);
    }
    fprintf(out, "%%%%MatrixMarket matrix coordinate pattern symmetric\n%u %u %u\n", n, n, m / 2);
    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = 0; b < a; b++) {
            if (row[a] >> b & 1) {
                fprintf(out, "%u %u\n", a + 1, b + 1);
            }
        }
    }
    fclose(out);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_args args;
    iso_reduce r;
    char sessions[16];
    snprintf(sessions, sizeof sessions, "%u", k);
    isolab_history *h = reduce(
        &pool, &args, &r, "clique",
        (const char *[]){"graph", file, "graph-format", "matrixmarket", "sessions", sessions, "level", level, NULL}, s);
    s->explained_wrong += !h->unique || h->n_sessions != k + 1;
    ask(&pool, h, r.level, has_clique(row, n, k), s);
    iso_pool_free(&pool);
}

static void cliques(iso_rng *rng) {
    static const char *const levels[] = {"ser", "si", "pc"};
    score all = nothing, random = nothing;
    for (unsigned n = 1; n <= 4; n++) {
        for (unsigned x = 0; x < 1u << (n * (n - 1) / 2); x++) {
            uint32_t row[8] = {0};
            for (unsigned a = 0, bit = 0; a < n; a++) {
                for (unsigned b = 0; b < a; b++, bit++) {
                    row[a] |= (x >> bit & 1) << b;
                    row[b] |= (x >> bit & 1) << a;
                }
            }
            for (unsigned k = 1; k <= 4; k++) {
                for (unsigned l = 0; l < 3; l++) {
                    if (n < 4 || deep || (x + k + l) % 6 == 0) {
                        one_clique(row, n, k, levels[l], &all);
                    }
                }
            }
        }
    }
    report(&all, "cliques, all small graphs");
    for (uint64_t round = 0; round < iso_agree_rounds(6, 24, 3000); round++) {
        uint32_t row[8] = {0};
        unsigned n = 5 + (unsigned)iso_random_below(rng, 4), k = 3 + (unsigned)iso_random_below(rng, 3);
        double p = k == 3 ? 0.3 : k == 4 ? 0.6 : 0.8;
        for (unsigned a = 0; a < n; a++) {
            for (unsigned b = 0; b < a; b++) {
                bool planted = round % 2 == 1 && a < k;                        /* every second one has a clique */
                bool forbidden = round % 4 == 0 && a % (k - 1) == b % (k - 1); /* k - 1 parts: there is none */
                uint32_t edge = planted || (!forbidden && iso_random_unit(rng) < p);
                row[a] |= edge << b;
                row[b] |= edge << a;
            }
        }
        one_clique(row, n, k, levels[round % 3], &random);
    }
    report(&random, "cliques, random graphs");
}

/* ---- orders ---- */

enum { MOST_TRIPLES = 24 };

typedef struct triples {
    unsigned elements, n, at[MOST_TRIPLES][3];
    bool between;
} triples;

static bool order_holds(const triples *p, const unsigned *place) {
    for (unsigned i = 0; i < p->n; i++) {
        unsigned a = place[p->at[i][0]], c = place[p->at[i][1]], b = place[p->at[i][2]];
        if (((a < c && c < b) || (b < c && c < a)) != p->between) {
            return false;
        }
    }
    return true;
}

/* All orders, by number: the place of each element among those before it. */
static bool has_order(const triples *p) {
    unsigned orders = 1;
    for (unsigned i = 2; i <= p->elements; i++) {
        orders *= i;
    }
    for (unsigned x = 0; x < orders; x++) {
        unsigned place[8], rest = x;
        for (unsigned i = 0; i < p->elements; i++) {
            unsigned at = rest % (i + 1);
            rest /= i + 1;
            for (unsigned k = 0; k < i; k++) {
                place[k] += place[k] >= at;
            }
            place[i] = at;
        }
        if (order_holds(p, place)) {
            return true;
        }
    }
    return false;
}

static void one_order(const triples *p, const char *level, score *s) {
    FILE *out = fopen(file, "w");
    for (unsigned i = 0; i < p->n; i++) {
        fprintf(out, "%u %u %u # a triple\n", p->at[i][0], p->at[i][1], p->at[i][2]);
    }
    fclose(out);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_args args;
    iso_reduce r;
    const char *kind = p->between ? "between" : "not-between";
    isolab_history *h =
        reduce(&pool, &args, &r, "between", (const char *[]){"triples", file, "kind", kind, "level", level, NULL}, s);
    s->explained_wrong += !h->unique || said(h, "triples") != p->n;
    ask(&pool, h, r.level, has_order(p), s);
    iso_pool_free(&pool);
}

static void orders(iso_rng *rng) {
    static const char *const levels[] = {"ser", "si", "pc"};
    score all = nothing, random = nothing;
    for (unsigned x = 1; x < 1u << 12; x++) { /* all sets of triples of four elements */
        if (!deep && x % (quick ? 61 : 17) != 1) {
            continue;
        }
        triples p = {.elements = 4};
        for (unsigned bit = 0; bit < 12; bit++) {
            static const unsigned pair[3][2] = {{1, 2}, {1, 3}, {2, 3}};
            unsigned c = bit / 3, a = (c + pair[bit % 3][0]) % 4, b = (c + pair[bit % 3][1]) % 4;
            if (x >> bit & 1) {
                memcpy(p.at[p.n++], (unsigned[]){a, c, b}, sizeof p.at[0]);
            }
        }
        one_order(&p, levels[x % 3], &all);
    }
    report(&all, "orders, sets of triples of four elements");
    for (uint64_t round = 0; round < iso_agree_rounds(30, 120, 10000); round++) {
        triples p = {.elements = 4 + (unsigned)iso_random_below(rng, 4), .between = round % 2 == 1};
        p.n = 1 + (unsigned)iso_random_below(rng, p.between ? p.elements : 3 * p.elements);
        for (unsigned i = 0; i < p.n; i++) {
            unsigned *t = p.at[i];
            do {
                for (int k = 0; k < 3; k++) {
                    t[k] = (unsigned)iso_random_below(rng, p.elements);
                }
            } while (t[0] == t[1] || t[1] == t[2] || t[0] == t[2]);
        }
        one_order(&p, levels[round / 2 % 3], &random);
    }
    report(&random, "orders, random triples, between and not between");
}

int main(void) {
    quick = getenv("ISOLAB_QUICK") != NULL;
    deep = getenv("ISOLAB_DEEP") != NULL;
    iso_env_init(&env);
    iso_install_handlers();
    int fd = mkstemp(file);
    ok(fd >= 0, "a file for problems");
    close(fd);
    uint64_t seed = seed_of_run();
    diag("ISOLAB_SEED=%llu", (unsigned long long)seed);
    iso_rng rng = {seed};
    cliques(&rng);
    orders(&rng);
    unlink(file);
    done_testing();
    return exit_status();
}
