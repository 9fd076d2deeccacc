/* Tests graph/acyclic.h. Arcs that are laid all at once, listed by their beginnings or by their ends: the graph says as
 * plain reachability does whether they have a cycle, and for each further arc whether it closes one; and its order is
 * one. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graph/acyclic.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { MOST = 9 };

static iso_env env;

typedef struct plain {
    uint32_t n;
    bool reaches[MOST][MOST]; /* over at least one arc */
} plain;

static void add(plain *p, uint32_t u, uint32_t v) {
    for (uint32_t a = 0; a < p->n; a++) {
        for (uint32_t b = 0; b < p->n; b++) {
            p->reaches[a][b] |= (a == u || p->reaches[a][u]) && (b == v || p->reaches[v][b]);
        }
    }
}

static bool is_cyclic(const plain *p) {
    bool any = false;
    for (uint32_t v = 0; v < p->n; v++) {
        any |= p->reaches[v][v];
    }
    return any;
}

/* Positions, and the list of vertices, agree with all that is reached. */
static bool is_order(const plain *p, const iso_acyclic *g) {
    uint32_t vertices[MOST];
    bool good = true;
    iso_acyclic_vertices(g, vertices);
    for (uint32_t i = 0; i < p->n; i++) {
        good = good && (i == 0 || iso_acyclic_position(g, vertices[i - 1]) < iso_acyclic_position(g, vertices[i]));
        for (uint32_t j = 0; j < p->n; j++) {
            good = good && (!p->reaches[i][j] || iso_acyclic_position(g, i) < iso_acyclic_position(g, j));
        }
    }
    return good;
}

typedef struct seen {
    uint64_t cyclic, acyclic, refused, taken, wrong, disorder;
} seen;

/* upwards: from smaller numbers to larger ones alone, as of that has an order already. */
static void one(seen *s, iso_pool *pool, iso_rng *rng, bool incoming, bool upwards) {
    plain p = {.n = 2 + (uint32_t)iso_random_below(rng, MOST - 1)};
    uint32_t n = (uint32_t)iso_random_below(rng, 2 * p.n), from[2 * MOST], to[2 * MOST];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t u = (uint32_t)iso_random_below(rng, p.n), v = (uint32_t)iso_random_below(rng, p.n);
        from[i] = upwards && u > v ? v : u;
        to[i] = upwards && u > v ? u : v;
        add(&p, from[i], to[i]);
    }
    uint32_t first[MOST + 1], end[2 * MOST], m = 0;
    for (uint32_t v = 0; v < p.n; v++) {
        first[v] = m;
        for (uint32_t i = 0; i < n; i++) {
            if ((incoming ? to : from)[i] == v) {
                end[m++] = (incoming ? from : to)[i];
            }
        }
    }
    first[p.n] = m;
    iso_acyclic *g = iso_acyclic_new(pool, NULL, p.n);
    if (incoming) {
        iso_acyclic_lay_incoming(g, first, end);
    } else {
        iso_acyclic_lay(g, first, end, NULL);
    }
    bool open = iso_acyclic_ready(g);
    s->wrong += open == is_cyclic(&p);
    s->cyclic += !open;
    s->acyclic += open;
    for (uint32_t i = 0; open && i < 2 * p.n; i++) {
        uint32_t u = (uint32_t)iso_random_below(rng, p.n), v = (uint32_t)iso_random_below(rng, p.n);
        s->disorder += !is_order(&p, g);
        iso_acyclic_arc(g, (iso_arc){u, v, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
        open = iso_acyclic_ready(g);
        add(&p, u, v);
        s->wrong += open == is_cyclic(&p);
        s->refused += !open;
        s->taken += open;
    }
}

static void count_moved(void *arg, const uint32_t *vertices, uint32_t n) {
    (void)vertices;
    *(uint64_t *)arg += n;
}

/* One vertex after the other comes right after the same one: more of them than one can halve the room between two
 * positions. All positions are made again then, and told. */
static void crowd(iso_pool *pool) {
    enum { VERTICES = 200 };
    uint32_t first[VERTICES + 1] = {0}, vertices[VERTICES], wrong = 0;
    uint64_t told = 0;
    iso_acyclic *g = iso_acyclic_new(pool, NULL, VERTICES);
    iso_acyclic_lay(g, first, first, NULL);
    bool open = iso_acyclic_ready(g);
    iso_acyclic_on_move(g, count_moved, &told);
    for (uint32_t x = 0; open && x + 1 < VERTICES; x++) {
        iso_acyclic_arc(g, (iso_arc){VERTICES - 1, x, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
        open = iso_acyclic_ready(g);
        iso_acyclic_vertices(g, vertices);
        for (uint32_t i = 1; i < VERTICES; i++) {
            wrong += iso_acyclic_position(g, vertices[i - 1]) >= iso_acyclic_position(g, vertices[i]);
        }
        wrong += iso_acyclic_position(g, VERTICES - 1) >= iso_acyclic_position(g, x);
    }
    ok(open && wrong == 0, "very many come to one place, and the order stays one");
    ok(told > 2 * VERTICES, "positions were spread on the way, and that was told");
}

static void tests(void *pool) {
    uint64_t rounds = iso_agree_rounds(2000, 20000, 500000), seed = seed_or(1);
    for (int way = 0; way < 4; way++) {
        seen s = {0};
        iso_rng rng = {seed};
        for (uint64_t r = 0; r < rounds; r++) {
            iso_pool own;
            iso_pool_init(&own, &env);
            one(&s, &own, &rng, way & 1, way & 2);
            iso_pool_free(&own);
        }
        const char *what = way & 1 ? "listed by their ends" : "listed by their beginnings";
        diag("%s%s, seed %llu: %llu cyclic, %llu not; then %llu arcs taken, %llu refused", what,
             way & 2 ? ", upwards" : "", (unsigned long long)seed, (unsigned long long)s.cyclic,
             (unsigned long long)s.acyclic, (unsigned long long)s.taken, (unsigned long long)s.refused);
        ok(s.wrong == 0 && s.cyclic > 0 && s.acyclic > 0 && s.taken > 0 && s.refused > 0,
           "arcs %s%s: exactly the existing cycles are found", what, way & 2 ? ", upwards" : "");
        ok(s.disorder == 0, "and the order is one");
    }
    crowd(pool);
}

int main(void) { return run_guarded(&env, tests); }
