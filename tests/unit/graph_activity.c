/* Tests graph/activity.h. The heap of variables against a plain search for the greatest: random bumps, pops and
 * returns. */
#include "graph/activity.h"

#include "base/random.h"
#include "tests/guarded.h"

enum { VARS = 60 };

/* The same by brute force, and without scaling: activities are small here. */
typedef struct plain {
    double score[VARS], increment;
    bool inside[VARS];
    uint32_t n;
} plain;

/* Whether a variable may come first: nothing that is inside is more active. */
static bool may_be_first(const plain *p, uint32_t var) {
    bool good = var < p->n && p->inside[var];
    for (uint32_t v = 0; good && v < p->n; v++) {
        good = !p->inside[v] || p->score[v] <= p->score[var];
    }
    return good;
}

/* Every variable is at its recorded place, and no more active than its parent in the heap. */
static bool is_sound(const iso_activity *a, const plain *p) {
    uint32_t inside = 0;
    for (uint32_t v = 0; v < a->n_vars; v++) {
        inside += p->inside[v];
        if ((a->place[v] != ISO_ACTIVITY_OUT) != p->inside[v] ||
            (p->inside[v] && (a->place[v] >= a->n || a->heap[a->place[v]] != v))) {
            return false;
        }
    }
    for (uint32_t i = 1; i < a->n; i++) {
        if (a->score[a->heap[i]] > a->score[a->heap[(i - 1) / 2]]) {
            return false;
        }
    }
    return inside == a->n;
}

static void against_plain(iso_pool *pool) {
    iso_rng rng = {20261118};
    uint32_t wrong = 0, unsound = 0, pops = 0;
    for (int round = 0; round < 200; round++) {
        iso_activity a = {.increment = 1};
        plain p = {.increment = 1};
        iso_activity_room(&a, pool, VARS);
        for (int step = 0; step < 400; step++) {
            uint32_t var = p.n == 0 ? 0 : (uint32_t)iso_random_below(&rng, p.n);
            uint64_t what = iso_random_below(&rng, 10);
            if (p.n == 0 || (what == 0 && p.n < VARS)) {
                iso_activity_new(&a);
                p.inside[p.n++] = true;
            } else if (what < 4) {
                double by = (double)iso_random_below(&rng, 4); /* equal ones are common */
                iso_activity_bump(&a, var, by);
                p.score[var] += by * p.increment;
            } else if (what < 5) {
                iso_activity_decay(&a);
                p.increment /= 0.95;
            } else if (what < 7) {
                iso_activity_insert(&a, var);
                p.inside[var] = true;
            } else if (!iso_activity_empty(&a)) {
                uint32_t first = iso_activity_pop(&a);
                wrong += !may_be_first(&p, first);
                p.inside[first] = false;
                pops++;
            }
            unsound += !is_sound(&a, &p);
        }
        iso_pool_free(pool);
    }
    ok(wrong == 0, "%u times the most active variable comes first", pops);
    ok(unsound == 0, "the heap is one after each step");
}

/* Decay is by growth: after ten thousand conflicts the increment alone would be 10^222, and further on no number. The
 * order of two variables must survive the scaling, and later bumps count for more than all earlier ones. */
static void scaling(iso_pool *pool) {
    iso_activity a = {.increment = 1};
    iso_activity_room(&a, pool, 3);
    for (int i = 0; i < 3; i++) {
        iso_activity_new(&a);
    }
    bool finite = true, ordered = true;
    for (int i = 0; i < 100000; i++) {
        iso_activity_bump(&a, 1, 2);
        iso_activity_bump(&a, 2, 1);
        iso_activity_decay(&a);
        finite = finite && a.score[1] <= 1e100 && a.increment <= 1e100;
        ordered = ordered && a.score[1] > a.score[2] && a.score[2] > a.score[0];
    }
    ok(finite, "a hundred thousand conflicts do not overflow");
    ok(ordered, "and scaling down keeps the order");
    for (int i = 0; i < 100; i++) {
        iso_activity_bump(&a, 0, 1);
        iso_activity_decay(&a);
    }
    cmp_ok(iso_activity_pop(&a), "==", 0, "what conflicts met lately comes first");
    cmp_ok(iso_activity_pop(&a), "==", 1, "then what they met more often");
    cmp_ok(iso_activity_pop(&a), "==", 2, "then the other");
    ok(iso_activity_empty(&a), "and that is all");
    iso_pool_free(pool);
}

static void run(void *arg) {
    against_plain(arg);
    scaling(arg);
}

int main(void) {
    static iso_env env;
    return run_guarded(&env, run);
}
