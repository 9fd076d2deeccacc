/* Tests verify/verify.h. The verifier on histories and proofs of the sizes at which its ways change: more sessions than
 * one block of clocks, many keys of a writer and few of a reader and the other way round, proofs whose tables grow. */
#include "tests/claims.h"
#include "tests/guarded.h"

static iso_env env;

/* Text while it is written. */
typedef struct text {
    iso_pool *pool;
    char *at;
    size_t n, room;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...) {
    if (t->room - t->n < 256) {
        t->room = 2 * t->room + 1024;
        t->at = iso_resize(t->pool, t->at, t->room, 1);
    }
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, t->room - t->n, format, args);
    va_end(args);
}

/* The claim that an order satisfies a level: place[i] is the i-th transaction. */
static const char *order_verdict(iso_pool *pool, const isolab_history *h, const char *level, const uint32_t *place,
                                 uint32_t n) {
    text claim = {.pool = pool};
    put(&claim, "level %s\nsatisfied\norder %u", level, n);
    for (uint32_t i = 0; i < n; i++) {
        put(&claim, "%s %u", i % 16 == 0 ? "\n" : "", place[i]);
    }
    put(&claim, "\n");
    return claim_verdict(&env, h, claim.at);
}

/* ---- cc ---- */

/* n sessions of one transaction each. The first of a chain writes z; each other one reads from the one before; the last
 * one reads z from the first, or misses it. step says in which order the sessions stand in the chain. */
static bool chain_is_right(uint32_t n, uint32_t step, bool misses) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    text t = {.pool = &pool};
    uint32_t *link = ISO_NEW(&pool, uint32_t, n), *place = ISO_NEW(&pool, uint32_t, n), reader = 0, op = 0;
    for (uint32_t i = 0; i < n; i++) {
        place[i] = i * step % n;
        link[place[i]] = i;
    }
    for (uint32_t s = 0; s < n; s++) {
        uint32_t i = link[s];
        put(&t, "session\ncommit: ");
        if (i > 0) {
            put(&t, "r k%u 1, ", i - 1);
        } else {
            put(&t, "w z 1, ");
        }
        put(&t, "w k%u 1", i);
        if (i == n - 1) {
            put(&t, ", r z %s", misses ? "nil" : "1");
            reader = op + 2;
        }
        put(&t, "\n");
        op += i == n - 1 ? 3 : 2;
    }
    char expected[128];
    snprintf(expected, sizeof expected, "read %u reads from before transaction %u, which happens before it", reader,
             place[0]);
    const char *verdict = order_verdict(&pool, history_of(&pool, t.at), "cc", place, n);
    bool right = strcmp(verdict, misses ? expected : "valid") == 0;
    if (!right) {
        diag("%u sessions, step %u: %s", n, step, verdict);
    }
    iso_pool_free(&pool);
    return right;
}

static void chains(void) {
    static const uint32_t sizes[] = {2, 3, 4, 31, 32, 33, 34, 63, 64, 65, 66, 97, 131};
    bool right = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t n = sizes[i];
        for (uint32_t step = 1; step < n && step < 40; step++) {
            uint32_t a = n, b = step; /* a step without a common divisor goes through all */
            while (b != 0) {
                uint32_t c = a % b;
                a = b;
                b = c;
            }
            right = right && (a != 1 || (chain_is_right(n, step, true) && chain_is_right(n, step, false)));
        }
        right = right && chain_is_right(n, n - 1, true) && chain_is_right(n, n - 1, false);
    }
    ok(right, "cc: what happens before through up to 131 sessions");
}

/* What one transaction saw of a session after its block of clocks is nothing that the transaction with the next number
 * saw: session 0 writes z; session 6 saw nothing; session 5 reads from session `seen`; session 7 reads from session 6,
 * and z from before. */
static bool neighbours_are_right(uint32_t n, uint32_t seen) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    text t = {.pool = &pool};
    uint32_t *place = ISO_NEW(&pool, uint32_t, n), last = 0;
    for (uint32_t s = 0; s < n; s++) {
        if (s == 5) {
            put(&t, "session\ncommit: r k%u 1\n", seen);
        } else if (s == 7) {
            put(&t, "session\ncommit: r k6 1, r z nil\n");
        } else {
            put(&t, "session\ncommit: w k%u 1%s\n", s, s == 0 ? ", w z 1" : "");
        }
        if (s != 5 && s != 7) {
            place[last++] = s;
        }
    }
    place[last++] = 5;
    place[last] = 7;
    const char *verdict = order_verdict(&pool, history_of(&pool, t.at), "cc", place, n);
    bool right = strcmp(verdict, "valid") == 0;
    if (!right) {
        diag("%u sessions, the fifth sees %u: %s", n, seen, verdict);
    }
    iso_pool_free(&pool);
    return right;
}

static void neighbours(void) {
    bool right = true;
    for (uint32_t seen = 8; seen < 100; seen++) {
        right = right && neighbours_are_right(100, seen);
    }
    ok(right, "cc: a transaction that sees one session does not see another");
}

/* A session writes z in each of its transactions, and y in each one after the first; another one reads y of transaction
 * k, and then z of j. At cc k and what is before it happen before the reader, and so does j. */
static void writers_of_a_session(void) {
    enum { N = 9 };
    bool right = true;
    for (uint32_t k = 0; k < N; k++) {
        for (uint32_t j = 0; j < N; j++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            text t = {.pool = &pool};
            uint32_t place[N + 1];
            put(&t, "session\n");
            for (uint32_t i = 0; i < N; i++) {
                put(&t, "commit: w z %u, w y %u\n", i + 1, i + 1);
                place[i] = i;
            }
            place[N] = N;
            put(&t, "session\ncommit: r y %u, r z %u\n", k + 1, j + 1);
            const isolab_history *h = history_of(&pool, t.at);
            static const char *const both[] = {"ra", "cc", "pc", "si"}; /* j sees y, and k sees z */
            for (size_t l = 0; l < sizeof both / sizeof *both; l++) {
                right = right && (strcmp(order_verdict(&pool, h, both[l], place, N + 1), "valid") == 0) == (j == k);
            }
            /* rc: y was read before anything of j was */
            right = right && (strcmp(order_verdict(&pool, h, "rc", place, N + 1), "valid") == 0) == (j >= k);
            right = right && (strcmp(order_verdict(&pool, h, "rc-plume", place, N + 1), "valid") == 0) == (j >= k);
            right =
                right && (strcmp(order_verdict(&pool, h, "ser", place, N + 1), "valid") == 0) == (j == N - 1 && k == j);
            iso_pool_free(&pool);
        }
    }
    ok(right, "of a session's writers the last seen writer counts");
}

/* ---- rc and ra: a writer of `keys` keys, and a reader that reads `reads` of them, the one at `old` from before
 * ---- */

static bool fraction_is_right(uint32_t keys, uint32_t reads, uint32_t old) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    text t = {.pool = &pool};
    put(&t, "session\ncommit: ");
    for (uint32_t k = 0; k < keys; k++) {
        put(&t, "%sw k%u 1", k > 0 ? ", " : "", k);
    }
    put(&t, "\nsession\ncommit: r k0 1");
    for (uint32_t i = 1; i < reads; i++) {
        put(&t, i == old ? ", r k%u nil" : i < keys ? ", r k%u 1" : ", r k%u nil", i);
    }
    put(&t, "\n");
    const isolab_history *h = history_of(&pool, t.at);
    uint32_t place[2] = {0, 1};
    char expected[128];
    snprintf(expected, sizeof expected,
             "read %u (or a later one of its key) reads from before transaction 0, which it sees", keys + old);
    static const char *const levels[] = {"rc", "rc-plume", "ra"};
    bool right = true;
    for (size_t l = 0; l < 3; l++) {
        const char *verdict = order_verdict(&pool, h, levels[l], place, 2);
        right = right && strcmp(verdict, old < keys && old < reads ? expected : "valid") == 0;
        if (!right) {
            diag("%s, %u keys, %u reads, %u of them old: %s", levels[l], keys, reads, old, verdict);
            break;
        }
    }
    iso_pool_free(&pool);
    return right;
}

static void fractions(void) {
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 20, 40};
    bool right = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            for (uint32_t old = 1; old < 42; old++) {
                right = right && fraction_is_right(sizes[i], sizes[j], old);
            }
        }
    }
    ok(right, "rc and ra: writers of up to 40 keys, readers of up to 40");
}

/* ---- proofs ---- */

/* One session of n transactions, of which the first writes x and the last reads that it is not there. Session order one
 * by one, circles that say that before is transitive, first all of them if they are to be clauses and no units; then
 * the read. */
static const char *ladder_verdict(iso_pool *pool, uint32_t n, bool circles_first, uint32_t spared) {
    text t = {.pool = pool}, claim = {.pool = pool};
    put(&t, "session\ncommit: w x 1\n");
    for (uint32_t i = 1; i + 1 < n; i++) {
        put(&t, "commit: w y %u\n", i);
    }
    put(&t, "commit: r x nil\n");
    put(&claim, "level ser\nviolated\nproof\n");
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i < n; i++) {
            if (pass == !circles_first && i > 1) {
                put(&claim, "cycle 0 %u %u\n", i - 1, i);
            }
            if (pass == circles_first && i != spared) {
                put(&claim, "so %u %u\n", i - 1, i);
            }
        }
    }
    put(&claim, "rw %u init 0\n", n - 1);
    return claim_verdict(&env, history_of(pool, t.at), claim.at);
}

static void ladders(void) {
    static const uint32_t sizes[] = {2, 3, 16, 40, 300, 700, 3000};
    bool right = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int circles_first = 0; circles_first < 2; circles_first++) {
            uint32_t n = sizes[i], spare[] = {0, 1, n / 2, n - 1};
            for (int s = 0; s < 4; s++) {
                iso_pool pool;
                iso_pool_init(&pool, &env);
                const char *verdict = ladder_verdict(&pool, n, circles_first, spare[s]);
                right =
                    right && strcmp(verdict, spare[s] == 0 ? "valid" : "the proof ends without a contradiction") == 0;
                if (!right) {
                    diag("%u transactions, without step %u: %s", n, spare[s], verdict);
                }
                iso_pool_free(&pool);
            }
        }
    }
    ok(right, "proofs about up to 3000 transactions, and none without one of its lines");
}

static void run(void *arg) {
    (void)arg;
    chains();
    neighbours();
    writers_of_a_session();
    fractions();
    ladders();
}

int main(void) { return run_guarded(&env, run); }
