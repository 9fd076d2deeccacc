/* Tests graph/tree_clock.h. Tree clocks against plain vectors: processes that tick and send their clocks to each other,
 * messages that arrive late and twice; clocks that change after they were sent (not an order of happens-before, figure
 * 6 of plume.txt); and two clocks that join each other (a causal cycle). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graph/tree_clock.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { MOST = 24, SENT = 64 };

typedef struct pair { /* a clock, and what it must be */
    iso_tree_clock tree;
    uint32_t vector[MOST], time[MOST];
    iso_tree_link links[MOST];
} pair;

static uint32_t queue[MOST + 1];
static iso_tree_count count;
static uint64_t entries; /* that plain vectors would have looked at */

static void init(pair *p, uint32_t k, uint32_t root) {
    iso_tree_clock_init(&p->tree, k, root, p->time, p->links);
    memset(p->vector, 0, sizeof p->vector);
}

static void tick(pair *p) {
    uint32_t root = p->tree.root;
    iso_tree_clock_tick(&p->tree, p->time[root] + 1);
    p->vector[root]++;
}

static void copy(pair *to, pair *from) {
    init(to, from->tree.k, from->tree.root);
    iso_tree_clock_copy(&to->tree, &from->tree);
    memcpy(to->vector, from->vector, sizeof to->vector);
}

static void join(pair *into, pair *from) {
    iso_tree_clock_join(&into->tree, &from->tree, queue, &count);
    for (uint32_t i = 0; i < into->tree.k; i++) {
        into->vector[i] = into->vector[i] > from->vector[i] ? into->vector[i] : from->vector[i];
    }
    entries += into->tree.k;
}

/* The times are right, and the links are a tree of all that is known, siblings in their order. */
static bool good(const pair *p) {
    const iso_tree_clock *c = &p->tree;
    uint32_t known = 0, found = 0, n = 0, stack[MOST];
    if (memcmp(p->vector, p->time, c->k * sizeof *p->time) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < c->k; i++) {
        known += i == c->root || p->time[i] != 0;
    }
    stack[n++] = c->root;
    while (n > 0) {
        uint32_t v = stack[--n], before = ISO_TREE_NONE;
        found++;
        for (uint32_t u = c->link[v].child; u != ISO_TREE_NONE; u = c->link[u].next) {
            if (c->link[u].parent != v || c->link[u].prev != before || p->time[u] == 0 || found + n > known) {
                return false;
            }
            if (before != ISO_TREE_NONE && !c->loose && c->link[u].attached > c->link[before].attached) {
                return false;
            }
            before = u;
            stack[n++] = u;
        }
    }
    return found == known;
}

/* Sessions that tick and join what others sent at some time. */
static void ordered(uint64_t seed) {
    static pair session[MOST], sent[SENT];
    iso_rng rng = {seed};
    uint32_t k = 2 + (uint32_t)iso_random_below(&rng, MOST - 1);
    bool fine = true, strict = true;
    for (uint32_t s = 0; s < k; s++) {
        init(&session[s], k, s);
    }
    for (int i = 0; i < SENT; i++) {
        init(&sent[i], k, (uint32_t)iso_random_below(&rng, k));
    }
    for (int round = 0; round < 600 && fine; round++) {
        pair *s = &session[iso_random_below(&rng, k)];
        tick(s);
        for (uint64_t n = iso_random_below(&rng, 4); n > 0; n--) {
            join(s, &sent[iso_random_below(&rng, SENT)]);
        }
        fine = good(s);
        strict &= !s->tree.loose;
        copy(&sent[iso_random_below(&rng, SENT)], s);
    }
    ok(fine, "%u sessions, %s", k, fine ? "messages in any order: as vectors" : "seed printed below");
    ok(strict, "no clock was loose, so every join could stop early");
    if (!fine) {
        diag("seed %llu", (unsigned long long)seed);
    }
}

/* Clocks of transactions that learn more after others have learnt from them, in any order, also in cycles. */
static void unordered(uint64_t seed) {
    static pair clock[SENT];
    iso_rng rng = {seed};
    uint32_t k = 2 + (uint32_t)iso_random_below(&rng, MOST - 1);
    bool fine = true;
    for (uint32_t i = 0; i < SENT; i++) { /* several transactions of a session: its times 1, 2, ... */
        if (i < k) {
            init(&clock[i], k, i);
        } else {
            copy(&clock[i], &clock[i - k]);
        }
        tick(&clock[i]);
        if (i > 0) {
            join(&clock[i], &clock[iso_random_below(&rng, i)]);
        }
    }
    for (int round = 0; round < 1000 && fine; round++) {
        pair *into = &clock[iso_random_below(&rng, SENT)], *from = &clock[iso_random_below(&rng, SENT)];
        if (into != from) {
            join(into, from);
            fine = good(into);
        }
    }
    ok(fine, "%u sessions, joins in no order%s", k, fine ? ": as vectors" : "");
    if (!fine) {
        diag("seed %llu", (unsigned long long)seed);
    }
}

/* plume.txt, example 3: t3 is dealt with last, and then t7 and t8 are updated. Sessions from 0. */
static void figure_6(void) {
    static pair t[9];
    static const int session[9] = {0, 0, 1, 2, 0, 1, 3, 3, 3}, after[9] = {0, 0, 0, 0, 1, 2, 0, 6, 7};
    static const int order[] = {1, 2, 4, 5, 6, 7, 8, 3};
    static const int reads[9] = {0, 0, 1, 2, 0, 4, 5, 0, 0};
    bool fine = true;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        pair *c = &t[order[i]];
        if (after[order[i]] != 0) {
            copy(c, &t[after[order[i]]]);
        } else {
            init(c, 4, (uint32_t)session[order[i]]);
        }
        tick(c);
        if (reads[order[i]] != 0) {
            join(c, &t[reads[order[i]]]);
        }
        fine &= good(c);
    }
    join(&t[7], &t[3]);
    join(&t[8], &t[7]);
    fine &= good(&t[7]) && good(&t[8]);
    ok(fine && t[8].time[2] == 1, "figure 6: t8 learns of t3 after all");
    ok(t[7].tree.loose && t[8].tree.loose && !t[6].tree.loose, "and the two that were updated know that they were");
}

static void cycle(void) {
    static pair a, b;
    init(&a, 3, 0);
    init(&b, 3, 1);
    tick(&a);
    tick(&b);
    ok(!iso_tree_clock_before(&a.tree, &b.tree) && !iso_tree_clock_before(&b.tree, &a.tree), "neither knows the other");
    join(&a, &b);
    ok(iso_tree_clock_before(&b.tree, &a.tree) && !iso_tree_clock_before(&a.tree, &b.tree),
       "after the join, b is before a and a is not before b");
    for (int i = 0; i < 3; i++) {
        join(&b, &a);
        join(&a, &b);
    }
    ok(good(&a) && good(&b), "joins of two clocks with each other end");
    ok(iso_tree_clock_before(&a.tree, &b.tree) && iso_tree_clock_before(&b.tree, &a.tree), "both do: a cycle");
    iso_tree_clock_flatten(&a.tree);
    ok(good(&a), "a flat clock is a clock");
}

int main(void) {
    plan(NO_PLAN);
    uint64_t seed = seed_or(1);
    int rounds = getenv("ISOLAB_DEEP") != NULL ? 5000 : 30;
    for (int i = 0; i < rounds; i++) {
        ordered(seed + (uint64_t)i);
    }
    diag("%llu joins looked at %llu entries, plain vectors at %llu", (unsigned long long)count.joins,
         (unsigned long long)count.looked, (unsigned long long)entries);
    cmp_ok(count.looked, "<", entries, "and looked at fewer entries than vectors have");
    for (int i = 0; i < rounds; i++) {
        unordered(seed + (uint64_t)i);
    }
    figure_6();
    cycle();
    return done_testing();
}
