/* Tests graph/acyclic.h. The graph tells its client which vertices moved: a copy of the positions that is kept by these
 * reports alone is always right, and no vertex is reported that did not move. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graph/acyclic.h"
#include "tests/guarded.h"
#include "tests/twin.h"

static iso_env env;

typedef struct mirror {
    const iso_acyclic *g;
    uint32_t n;
    uint64_t *copy;
    iso_rng *rng;
    const iso_solver *s;
    uint64_t told, unmoved, stale, no_order, looks;
} mirror;

static void begin(mirror *m, iso_pool *pool, iso_acyclic *g, uint32_t n) {
    *m = (mirror){.g = g, .n = n};
    m->copy = ISO_NEW(pool, uint64_t, n);
    memcpy(m->copy, iso_acyclic_positions(g), n * sizeof *m->copy);
}

/* When the first move is reported, all positions are already the new ones: they are distinct. */
static void moved(void *arg, const uint32_t *vertices, uint32_t n) {
    mirror *m = arg;
    for (uint32_t v = 0; v < m->n; v++) {
        for (uint32_t u = 0; u < v; u++) {
            m->no_order += iso_acyclic_position(m->g, u) == iso_acyclic_position(m->g, v);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t now = iso_acyclic_position(m->g, vertices[i]);
        m->told++;
        m->unmoved += m->copy[vertices[i]] == now;
        m->copy[vertices[i]] = now;
    }
}

static void look(mirror *m) {
    m->looks++;
    m->stale += memcmp(m->copy, iso_acyclic_positions(m->g), m->n * sizeof *m->copy) != 0;
}

static void report(const mirror *m, const char *what, uint64_t seed) {
    ok(m->stale == 0 && m->looks > 0 && m->told > 0,
       "%s: every vertex whose position changed was told (seed %llu, %llu told, %llu looks)", what,
       (unsigned long long)seed, (unsigned long long)m->told, (unsigned long long)m->looks);
    ok(m->unmoved == 0, "and none whose position did not");
    ok(m->no_order == 0, "moves are reported when the whole order is settled");
}

static void add(mirror *all, const mirror *m) {
    all->told += m->told;
    all->unmoved += m->unmoved;
    all->stale += m->stale;
    all->no_order += m->no_order;
    all->looks += m->looks;
}

/* Arcs one by one, until one closes a cycle, which moves no one. */
static void arcs(uint64_t seed, uint64_t rounds) {
    mirror all = {0};
    uint64_t moved_by_refused = 0;
    iso_rng rng = {seed};
    for (uint64_t r = 0; r < rounds; r++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        uint32_t n = 2 + (uint32_t)iso_random_below(&rng, 12);
        iso_acyclic *g = iso_acyclic_new(&pool, NULL, n);
        uint64_t first = iso_random_below(&rng, n); /* arcs upwards, known before the first order */
        bool open = true;
        mirror m;
        for (uint64_t i = 0; open && i < 2 * n; i++) {
            uint32_t u = (uint32_t)iso_random_below(&rng, n), v = (uint32_t)iso_random_below(&rng, n);
            bool turn = i < first && u > v;
            if (u != v) {
                iso_acyclic_arc(g, (iso_arc){turn ? v : u, turn ? u : v, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
            }
            if (i + 1 == first || (i == 0 && first == 0)) {
                open = iso_acyclic_ready(g);
                begin(&m, &pool, g, n);
                iso_acyclic_on_move(g, moved, &m);
            } else if (i >= first) {
                uint64_t before = m.told;
                open = iso_acyclic_ready(g);
                moved_by_refused += open ? 0 : m.told - before;
                look(&m);
            }
        }
        add(&all, &m);
        iso_pool_free(&pool);
    }
    report(&all, "arcs one by one", seed);
    ok(moved_by_refused == 0, "an arc that closes a cycle moves no one");
}

static iso_lit decide(void *arg) {
    mirror *m = arg;
    look(m);
    iso_lit l = ISO_LIT_NONE;
    uint64_t n = 0;
    for (uint32_t v = 0; v < iso_solver_vars(m->s); v++) {
        if (iso_solver_value(m->s, iso_lit_of(v, false)) == 0 && iso_random_below(m->rng, ++n) == 0) {
            l = iso_lit_of(v, iso_random_below(m->rng, 2));
        }
    }
    return l;
}

static void look_at_cycle(void *arg, const iso_acyclic *g, const uint32_t *cycle, uint32_t n, bool conflict) {
    (void)g;
    (void)cycle;
    (void)n;
    (void)conflict;
    look(arg);
}

/* Within the solver's search: looked at before each decision, at each conflict of the graph, and at the end. */
static void searches(uint64_t seed, uint64_t rounds) {
    mirror all = {0};
    uint64_t cycles = 0;
    iso_rng rng = {seed};
    for (uint64_t r = 0; r < rounds; r++) {
        twin t;
        uint32_t n = 2 + (uint32_t)iso_random_below(&rng, 12);
        twin_begin(&t, &env, 1 + (uint32_t)iso_random_below(&rng, 3 * n), false);
        twin_graph(&t, n, iso_random_below(&rng, 2), false);
        mirror m = {0};
        for (int portion = 0; portion < 3 && !t.cyclic; portion++) {
            twin_random_portion(&t, &rng);
            if (portion == 0) { /* the first order is no one's move */
                if (!iso_acyclic_ready(t.g)) {
                    break;
                }
                begin(&m, &t.pool, t.g, n);
                m.rng = &rng;
                m.s = t.s;
                iso_acyclic_on_move(t.g, moved, &m);
                iso_acyclic_on_cycle(t.g, look_at_cycle, &m);
                iso_solver_decider(t.s, decide, &m);
            }
            twin_solve(&t);
            look(&m);
        }
        cycles += iso_acyclic_counters(t.g).cycles;
        add(&all, &m);
        twin_end(&t);
    }
    report(&all, "within searches", seed);
    ok(cycles > 0, "with %llu cycles on the way", (unsigned long long)cycles);
}

/* Lanes as of many sessions, each step of which reads from one of another lane: what an arc back over very many of them
 * would close is found after a look at few. */
#define LANES 50u
#define STEPS 400u

static void cycles_are_near(uint64_t seed, uint64_t rounds) {
    uint64_t visited = 0, open = 0;
    iso_rng rng = {seed};
    for (uint64_t r = 0; r < rounds; r++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_acyclic *g = iso_acyclic_new(&pool, NULL, LANES * STEPS);
        for (uint32_t v = 0; v + LANES < LANES * STEPS; v++) {
            uint32_t next = (v / LANES + 1) * LANES;
            iso_acyclic_arc(g, (iso_arc){v, v + LANES, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
            next += (uint32_t)iso_random_below(&rng, LANES);
            iso_acyclic_arc(g, (iso_arc){v, next, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
        }
        bool ready = iso_acyclic_ready(g);
        uint32_t to = (uint32_t)iso_random_below(&rng, LANES);
        uint32_t from = LANES * (STEPS - 1) + (uint32_t)iso_random_below(&rng, LANES);
        iso_acyclic_arc(g, (iso_arc){from, to, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
        open += !ready || iso_acyclic_ready(g);
        visited += iso_acyclic_counters(g).visited;
        iso_pool_free(&pool);
    }
    ok(open == 0, "long ways back close cycles");
    ok(visited < rounds * LANES * STEPS / 4, "which are seen after a look at %llu of %u vertices, on average",
       (unsigned long long)(visited / rounds), LANES * STEPS);
}

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = getenv("ISOLAB_QUICK") != NULL ? 500 : getenv("ISOLAB_DEEP") != NULL ? 100000 : 5000;
    arcs(1, 10 * rounds);
    searches(2, rounds);
    cycles_are_near(3, 20);
}

int main(void) { return run_guarded(&env, run); }
