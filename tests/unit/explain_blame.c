/* Tests explain/blame.h: random logs of registers with times, whose stale reads are found by another definition and
 * proved to the verifier; and anomalies that share a read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "explain/blame.h"
#include "tests/guarded.h"
#include "tests/parse.h"
#include "tests/seed.h"
#include "verify/verify.h"

enum { SESSIONS = 4, TXNS = 5 };

static const isolab_history *parsed(iso_pool *pool, const char *text) {
    parsing p = {.pool = pool, .format = iso_format_find("isolab"), .bytes = text, .size = strlen(text)};
    if (parse_bytes(&p) != ISOLAB_OK) {
        diag("%s", pool->env->error.message);
        iso_rethrow(pool->env);
    }
    return p.h;
}

/* One call of one or two keys in each transaction; reads return any write, or nil. */
static const isolab_history *random_log(iso_pool *pool, iso_rng *rng) {
    char text[4096] = "";
    size_t n = 0;
    for (int s = 0, value = 0; s < SESSIONS; s++) {
        uint64_t at = iso_random_below(rng, 20);
        n += (size_t)snprintf(text + n, sizeof text - n, "session s%d\n", s);
        for (int t = 0; t < TXNS; t++) {
            uint64_t end = at + 1 + iso_random_below(rng, 30);
            bool write = iso_random_below(rng, 3) == 0;
            uint64_t key = iso_random_below(rng, 2), read = iso_random_below(rng, SESSIONS * TXNS + 1);
            char returned[24] = "nil";
            if (read < SESSIONS * TXNS) {
                snprintf(returned, sizeof returned, "%d", (int)read);
            }
            n += (size_t)snprintf(text + n, sizeof text - n, "t%d commit @%d..%d: %s k%d %s\n", value, (int)at,
                                  (int)end, write ? "w" : "r", (int)key, returned);
            if (write) { /* the number of the transaction is its value */
                n -= strlen(returned) + 1;
                n += (size_t)snprintf(text + n, sizeof text - n, "%d\n", value);
            }
            value++;
            at = end + 1 + iso_random_below(rng, 30);
        }
    }
    return parsed(pool, text);
}

/* Transaction numbers, and -1 for the initial one. */
static bool is_before(const isolab_history *h, int a, int b) {
    return a < 0 || (b >= 0 && ((a / TXNS == b / TXNS && a < b) || h->txn_end[a] < h->txn_start[b]));
}

/* The definition on numbers alone: the value of a write is the number of its transaction. */
static bool is_stale(const isolab_history *h, uint32_t read) {
    char text[ISO_NAME_SIZE], key[ISO_NAME_SIZE], other[ISO_NAME_SIZE];
    const char *value = iso_atom_text(h, iso_version_value(h, h->op_version[read]), text);
    int from = strcmp(value, "nil") == 0 ? -1 : atoi(value), reader = (int)read;
    iso_key_text(h, h->op_key[read], key);
    bool written = from < 0, stale = false;
    for (int t = 0; t < SESSIONS * TXNS; t++) {
        bool same = iso_is_write(h->op_kind[t]) && strcmp(iso_key_text(h, h->op_key[t], other), key) == 0;
        written |= same && t == from;
        stale |= same && t != from && is_before(h, from, t) && h->txn_end[t] < h->txn_start[reader];
    }
    return written && stale;
}

static void random_logs(iso_env *env) {
    uint64_t seed = seed_of_run(), rounds = getenv("ISOLAB_QUICK") != NULL ? 50 : 500, reads = 0, stale = 0, wrong = 0,
             refused = 0;
    iso_rng rng = {seed};
    for (uint64_t round = 0; round < rounds; round++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        const isolab_history *h = random_log(&pool, &rng);
        for (uint32_t o = 0; o < h->n_ops; o++) {
            const iso_result *r = iso_is_write(h->op_kind[o]) ? NULL : iso_stale_read(&pool, h, o);
            reads += !iso_is_write(h->op_kind[o]);
            wrong += !iso_is_write(h->op_kind[o]) && (r != NULL) != is_stale(h, o);
            if (r != NULL) {
                size_t size;
                const char *text = iso_certificate_text(&pool, h, &(const iso_question){.level = ISO_LSER}, r, &size);
                refused += text == NULL || iso_verify(&pool, h, text, size) != ISOLAB_OK;
                stale++;
            }
        }
        iso_pool_free(&pool);
    }
    ok(wrong == 0, "a read is stale when another write lies between its write and it");
    ok(refused == 0, "the verifier accepts each proof");
    ok(stale > rounds / 10 && reads - stale > rounds / 10, "there were stale reads and others");
    diag("seed %llu: %llu of %llu reads are stale", (unsigned long long)seed, (unsigned long long)stale,
         (unsigned long long)reads);
}

static iso_edge edge(iso_edge_kind kind, uint32_t from, uint32_t to, uint32_t op_from) {
    return (iso_edge){from, to, (uint8_t)kind, 0, op_from, ISO_NONE, ISO_NONE, 0, 0};
}

/* Operations and transactions: t0 writes, t1, t2 and t3 read. The edges need not be true. */
static void shared(iso_pool *pool) {
    const isolab_history *h = parsed(pool, "session A\nt0 commit: w x 1\nsession B\nt1 commit: r x nil\nsession C\nt2 "
                                           "commit: r x nil\nsession D\nt3 commit: r x 1\n");
    iso_edge edges[] = {edge(ISO_EDGE_RW, 1, 0, 1),       edge(ISO_EDGE_SO, 0, 1, ISO_NONE), edge(ISO_EDGE_RW, 2, 0, 2),
                        edge(ISO_EDGE_RW, 1, 2, 1),       edge(ISO_EDGE_RW, 2, 1, 2),        edge(ISO_EDGE_WR, 0, 3, 0),
                        edge(ISO_EDGE_SO, 3, 0, ISO_NONE)};
#define CHAIN(from, count)                                                                                             \
    { .pool = pool, .edges = edges, .n_edges = 7, .first = (from), .n = (count), ISO_CHAIN }
    const iso_chain chain[] = {CHAIN(0, 2), CHAIN(2, 2), CHAIN(3, 2), CHAIN(5, 2), CHAIN(0, 1)};
    iso_blame blame[5];
    iso_blame_all(pool, h, chain, 5, blame);
    ok(blame[0].read == 1 && blame[1].read == 1 && blame[2].read == 1 && blame[4].read == 1,
       "the read that most proofs need is blamed in all of them");
    ok(blame[3].read == ISO_NONE, "a read that only comes after its write is not");
    ok(blame[0].steps == 2 && blame[4].steps == 1, "steps are counted");
    iso_blame_all(pool, h, chain + 2, 2, blame);
    ok(blame[0].read == ISO_NONE && blame[1].read == ISO_NONE, "a read of one proof is not shared");
    iso_blame_all(pool, h, chain, 0, blame);
    const iso_chain offence[] = {{.pool = pool, .offence = ISO_OFFENCE_THIN_AIR, .op = 2, .other_op = ISO_NONE},
                                 {.pool = pool, .offence = ISO_OFFENCE_THIN_AIR, .op = 2, .other_op = 0}};
    iso_blame_all(pool, h, offence, 2, blame);
    ok(blame[0].read == 2 && blame[1].read == 2 && blame[0].steps == 0, "a read that offends by itself is");
}

static void tests(void *arg) {
    iso_pool *pool = arg;
    shared(pool);
    random_logs(pool->env);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, tests);
}
