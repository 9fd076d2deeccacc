/* The loop that repairs an order (checkers/strong/repair.h): it says found, none or gave up, and none only where no
 * order meets all clauses, whatever limit is set. Random clauses over few vertices, against all orders of them. */
#include "base/random.h"
#include "checkers/strong/repair.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { VERTICES = 5, MOST_CLAUSES = 60, SIZE = 3 };

static iso_env env;

typedef struct problem {
    uint32_t n; /* clauses */
    uint32_t from[MOST_CLAUSES][SIZE], to[MOST_CLAUSES][SIZE];
    strong_repair *r;
    uint32_t walks, added;
} problem;

static bool meets(const problem *p, uint32_t clause, const uint32_t *position) {
    for (uint32_t i = 0; i < SIZE; i++) {
        if (position[p->from[clause][i]] < position[p->to[clause][i]]) {
            return true;
        }
    }
    return false;
}

/* Is there an order? Tries all, by Heap's algorithm. */
static bool possible(const problem *p) {
    uint32_t position[VERTICES], count[VERTICES] = {0};
    for (uint32_t v = 0; v < VERTICES; v++) {
        position[v] = v;
    }
    for (uint32_t i = 0;;) {
        bool all = true;
        for (uint32_t c = 0; c < p->n && all; c++) {
            all = meets(p, c, position);
        }
        if (all) {
            return true;
        }
        while (i < VERTICES && count[i] >= i) {
            count[i++] = 0;
        }
        if (i == VERTICES) {
            return false;
        }
        uint32_t other = i % 2 == 0 ? 0 : count[i], swap = position[other];
        position[other] = position[i];
        position[i] = swap;
        count[i]++;
        i = 0;
    }
}

/* Adds the clauses that the order of the graph does not meet. */
static strong_answer walk(void *arg, uint32_t *unmet) {
    problem *p = arg;
    uint32_t position[VERTICES], vertices[VERTICES];
    iso_acyclic_vertices(p->r->solver.graph, vertices);
    for (uint32_t i = 0; i < VERTICES; i++) {
        position[vertices[i]] = i;
    }
    p->walks++;
    *unmet = 0;
    for (uint32_t c = 0; c < p->n; c++) {
        if (meets(p, c, position)) {
            continue;
        }
        for (uint32_t i = 0; i < SIZE; i++) {
            strong_atom edge = {.from = p->from[c][i],
                                .to = p->to[c][i],
                                .op = ISO_NONE,
                                .slot = ISO_NONE,
                                .kind = STRONG_EDGE,
                                .edge = ISO_EDGE_RW};
            iso_strong_literal(&p->r->clauses, strong_yes(iso_strong_edge(&p->r->clauses, edge)));
        }
        iso_strong_end_clause(p->r, STRONG_NO_HINT);
        ++*unmet;
    }
    return STRONG_FOUND;
}

static strong_answer look(problem *p, strong_limits limits) {
    static const uint32_t vertex[VERTICES] = {0, 1, 2, 3, 4}, first[VERTICES + 1] = {0};
    iso_pool pool;
    strong_repair r;
    iso_pool_init(&pool, &env);
    iso_strong_repair_init(&r, &pool);
    r.limits = limits;
    p->r = &r;
    iso_strong_repair_begin(&r, vertex, VERTICES);
    iso_acyclic_lay(r.solver.graph, first, first, NULL);
    strong_answer answer = iso_strong_repair(&r, walk, p);
    iso_pool_free(&pool);
    return answer;
}

/* ---- when a repair with a limit of unmet constraints goes on ---- */

enum { MANY = 6400, FEW = 64 + MANY / 64, ROUNDS = 8 };

typedef struct counted {
    strong_repair *r;
    uint32_t walks, unmet;
} counted;

/* Says in each of ROUNDS rounds that this number of constraints is unmet, and turns two vertices round. */
static strong_answer walk_counted(void *arg, uint32_t *unmet) {
    counted *c = arg;
    uint32_t v = 2 * c->walks++;
    *unmet = c->walks > ROUNDS ? 0 : c->unmet;
    if (*unmet > 0) {
        strong_atom edge = {.from = v + 1, .to = v, .op = ISO_NONE, .slot = ISO_NONE, .edge = ISO_EDGE_RW};
        iso_strong_literal(&c->r->clauses, strong_yes(iso_strong_edge(&c->r->clauses, edge)));
        iso_strong_end_clause(c->r, STRONG_NO_HINT);
    }
    return STRONG_FOUND;
}

static strong_answer look_counted(uint32_t unmet) {
    static uint32_t vertex[MANY], first[MANY + 1];
    iso_pool pool;
    strong_repair r;
    counted c = {.r = &r, .unmet = unmet};
    for (uint32_t v = 0; v < MANY; v++) {
        vertex[v] = v;
    }
    iso_pool_init(&pool, &env);
    iso_strong_repair_init(&r, &pool);
    r.limits.unmet = 1;
    iso_strong_repair_begin(&r, vertex, MANY);
    iso_acyclic_lay(r.solver.graph, first, first, NULL);
    strong_answer answer = iso_strong_repair(&r, walk_counted, &c);
    iso_pool_free(&pool);
    return answer;
}

static void tests_of_limits(void) {
    ok(look_counted(FEW) == STRONG_FOUND, "64 unmet constraints, and one for each 64 vertices, are few: it goes on");
    ok(look_counted(FEW + 1) == STRONG_GAVE_UP, "with one more, above its limit, it gives up");
}

static void tests(void *pool) {
    (void)pool;
    uint64_t rounds = iso_agree_rounds(300, 3000, 100000), seed = seed_or(1);
    uint64_t wrong = 0, found = 0, none = 0, gave_up = 0, unsound = 0;
    iso_rng rng = {seed};
    for (uint64_t i = 0; i < rounds; i++) {
        problem p = {.n = 1 + (uint32_t)iso_random_below(&rng, MOST_CLAUSES)};
        for (uint32_t c = 0; c < p.n; c++) {
            for (uint32_t k = 0; k < SIZE; k++) {
                p.from[c][k] = (uint32_t)iso_random_below(&rng, VERTICES);
                p.to[c][k] = (p.from[c][k] + 1 + (uint32_t)iso_random_below(&rng, VERTICES - 1)) % VERTICES;
            }
        }
        bool can = possible(&p);
        wrong += look(&p, (strong_limits){0}) != (can ? STRONG_FOUND : STRONG_NONE);
        for (int limit = 0; limit < 3; limit++) {
            strong_limits limits = {.conflicts = limit == 0, .visits = limit == 1, .unmet = limit == 2};
            strong_answer answer = look(&p, limits);
            found += answer == STRONG_FOUND;
            none += answer == STRONG_NONE;
            gave_up += answer == STRONG_GAVE_UP;
            unsound += (answer == STRONG_FOUND && !can) || (answer == STRONG_NONE && can);
        }
    }
    diag("seed %llu: with limits %llu found, %llu none, %llu gave up", (unsigned long long)seed,
         (unsigned long long)found, (unsigned long long)none, (unsigned long long)gave_up);
    ok(wrong == 0, "without limits it finds an order where there is one, and else says that there is none");
    ok(unsound == 0 && found > 0 && none > 0 && gave_up > 0,
       "with limits it may give up, and what it says else is true");
    tests_of_limits();
}

int main(void) { return run_guarded(&env, tests); }
