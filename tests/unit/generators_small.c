/* Tests generators/random_small.h. The generators for tests: a seed gives one history, all features occur, and the
 * enumeration lists every history once. */
#include <string.h>

#include "generators/enumerate.h"
#include "generators/random_small.h"
#include "history/fingerprint.h"
#include "tests/agree.h"
#include "tests/guarded.h"

static iso_env env;

static void random_small(iso_pool *pool) {
    iso_small_shape shape = {.txns = 6,
                             .ops = 4,
                             .keys = 3,
                             .sessions = 3,
                             .aborted = true,
                             .indeterminate = true,
                             .times = true,
                             .duplicates = true,
                             .lists = true,
                             .wild = true};
    uint32_t aborted = 0, maybe = 0, times = 0, twins = 0, lists = 0, optional = 0, thin_air = 0, differ = 0;
    uint64_t last = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        isolab_history *h = iso_random_small(pool, seed, &shape);
        uint64_t print = iso_fingerprint(h, pool);
        differ += print != last;
        last = print;
        aborted += h->n_aborted > 0;
        maybe += h->n_indeterminate > 0;
        times += h->has_times;
        twins += !h->unique;
        lists += h->has_lists;
        for (uint32_t t = 0; t < h->n_txns; t++) {
            optional += h->txn_counts[t] == ISO_OPTIONAL;
        }
        for (uint32_t o = 0; o < h->n_ops; o++) {
            thin_air += h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_NONE;
        }
        if (print != iso_fingerprint(iso_random_small(pool, seed, &shape), pool)) {
            fail("seed %d gives two histories", (int)seed);
        }
        iso_pool_free(pool);
    }
    ok(aborted > 20 && maybe > 20 && times > 200 && twins > 50 && lists > 50 && optional > 10 && thin_air > 5,
       "every feature occurs");
    diag("of 300: %u aborted, %u indeterminate, %u times, %u twins, %u lists, %u optional, %u thin air", aborted, maybe,
         times, twins, lists, optional, thin_air);
    cmp_ok(differ, ">", 280, "seeds give different histories");
}

typedef struct counter {
    uint64_t seen[1 << 16]; /* a hash set of fingerprints; 0: free */
    uint64_t twice, reads;
} counter;

static bool count(void *arg, const isolab_history *h) {
    counter *c = arg;
    uint64_t print = iso_fingerprint(h, h->pool) | 1, at = print >> 48;
    for (; c->seen[at] != 0; at = (at + 1) & 0xffff) {
        c->twice += c->seen[at] == print;
    }
    c->seen[at] = print;
    c->reads += h->op_kind[0] == ISO_READ;
    return true;
}

/* By hand: with one operation a transaction is w, r of nil or r of thin air. Alone: 3. Two of them on one key:
 * the writes w w: 2 splits; w r (one session: 2 orders, or two sessions), each with 3 values: 9; r r: one
 * session 4 values, two sessions 3: 7. Together 18. */
static void enumerate(iso_pool *pool, counter *c) {
    cmp_ok(iso_enumerate(pool, &(iso_enumeration){.txns = 1, .ops = 1, .keys = 1}, count, c), "==", 3,
           "three histories of one operation");
    memset(c, 0, sizeof *c);
    cmp_ok(iso_enumerate(pool, &(iso_enumeration){.txns = 2, .ops = 1, .keys = 1, .exactly = true}, count, c), "==", 18,
           "eighteen of two");
    memset(c, 0, sizeof *c);
    uint64_t all = iso_enumerate(pool, &(iso_enumeration){.txns = 2, .ops = 2, .keys = 2}, count, c);
    cmp_ok(all, ">", 1000, "%d of two transactions with two operations", (int)all);
    /* The fingerprint numbers sessions as they come, so equal ones would be found but renamed ones not. */
    cmp_ok(c->twice, "==", 0, "none comes twice");
    uint64_t parts = 0;
    for (unsigned part = 0; part < 3; part++) {
        iso_enumeration some = {.txns = 2, .ops = 2, .keys = 2, .part = part, .parts = 3};
        memset(c, 0, sizeof *c);
        parts += iso_enumerate(pool, &some, count, c);
    }
    cmp_ok(parts, "==", (int64_t)all, "three parts make the whole");
}

static bool only_count(void *arg, const isolab_history *h) {
    (void)arg;
    return h != NULL;
}

/* Mini-transactions of 2 keys. One: it reads a key, or updates it, or does one of both with each: r, rw, r R, rw R, rw
 * RW, up to the names of the keys. The numbers of 2 and 3 are those of a program that lists all of them with names, and
 * keeps the least one where they differ in the names of sessions and keys only. */
static void enumerate_minis(iso_pool *pool) {
    static const int64_t expected[] = {5, 148, 12653};
    for (unsigned n = 1; n <= 3; n++) {
        iso_enumeration minis = {.txns = n, .exactly = true, .keys = 2, .mini = true, .no_thin_air = true};
        cmp_ok(iso_enumerate(pool, &minis, only_count, NULL), "==", expected[n - 1], "%u mini-transactions", n);
    }
}

static counter the_counter;

static void run(void *arg) {
    random_small(arg);
    enumerate(arg, &the_counter);
    enumerate_minis(arg);
}

int main(void) { return run_guarded(&env, run); }
