/* Tests graph/intervals.h. With the order of each chain, the edges reach exactly the intervals that started after an
 * end; and no interval has more edges than there are chains. */
#include "graph/intervals.h"

#include "base/random.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { MOST = 12, CHAINS = 3, ROUNDS = 3000 };

typedef struct found {
    bool edge[MOST][MOST];
    uint32_t n;
} found;

static void note(void *arg, uint32_t from, uint32_t to) {
    found *f = arg;
    f->edge[from][to] = true;
    f->n++;
}

static void close_paths(bool reach[MOST][MOST], uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
}

/* Items 0, 1, ... belong to chains in turn; right: the items of a chain do not overlap. */
static void make(iso_rng *rng, iso_interval *v, uint32_t n, bool right) {
    int64_t free_from[CHAINS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t chain = (uint32_t)iso_random_below(rng, CHAINS);
        int64_t start =
            right ? free_from[chain] + 1 + (int64_t)iso_random_below(rng, 4) : (int64_t)iso_random_below(rng, 20);
        v[i] = (iso_interval){start, start + (int64_t)iso_random_below(rng, 6), 0, i, chain};
        free_from[chain] = v[i].end;
    }
}

/* Returns the number of wrong answers, and adds the number of edges. */
static uint32_t test(iso_rng *rng, bool right, uint32_t *edges) {
    iso_interval given[MOST], sorted[MOST];
    uint32_t last[CHAINS], n = 1 + (uint32_t)iso_random_below(rng, MOST), wrong = 0;
    found f = {.n = 0};
    bool reach[MOST][MOST], expected[MOST][MOST];
    make(rng, given, n, right);
    memcpy(sorted, given, sizeof given);
    iso_fill_none(last, CHAINS);
    iso_intervals v = {.at = sorted, .n = n, .last = last};
    iso_intervals_sort(&v);
    for (uint32_t i = 0; i < n; i++) {
        iso_intervals_before(&v, given[i].start, i, note, &f);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            bool session = given[i].chain == given[j].chain && i < j, time = given[i].end < given[j].start;
            wrong += f.edge[i][j] && !time;
            reach[i][j] = f.edge[i][j] || session;
            expected[i][j] = time || session;
        }
    }
    close_paths(reach, n);
    close_paths(expected, n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            wrong += reach[i][j] != expected[i][j];
        }
        uint32_t into = 0;
        for (uint32_t j = 0; j < n; j++) {
            into += f.edge[j][i];
        }
        wrong += into > CHAINS;
    }
    *edges += f.n;
    return wrong;
}

int main(void) {
    plan(NO_PLAN);
    iso_rng rng = {seed_or(1)};
    for (int right = 0; right < 2; right++) {
        uint32_t wrong = 0, edges = 0;
        for (int round = 0; round < ROUNDS; round++) {
            wrong += test(&rng, right == 1, &edges);
        }
        ok(wrong == 0 && edges > ROUNDS, "%s: %u edges, %u wrong answers", right ? "clocks are right" : "any intervals",
           edges, wrong);
    }
    return done_testing();
}
