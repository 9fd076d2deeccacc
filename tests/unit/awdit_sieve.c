/* Tests checkers/awdit/sieve.c: histories of random graphs, whose answer is the number of triangles, counted here; with
 * and without the sieve, with any number of threads, with each width of numbers and of masks, and with lists that are
 * searched instead of walked. Every certificate is verified. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "checkers/checker.h"
#include "history/builder.h"
#include "reductions/reduction.h"
#include "reductions/triangle.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

typedef struct tally {
    uint64_t asked, satisfied, violated, wrong, unproved, differ;
    uint64_t sieved, by_64, wide; /* answers for which the sieve was made; groups of 64 readers; numbers of 32 bits */
} tally;

static bool is_edge(const iso_graph *g, uint32_t a, uint32_t b) {
    for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
        if (g->to[i] == b) {
            return true;
        }
    }
    return false;
}

static bool has_triangle(const iso_graph *g) {
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1]; i++) {
            for (uint64_t j = i + 1; j < g->first[a + 1]; j++) {
                if (is_edge(g, g->to[i], g->to[j])) {
                    return true;
                }
            }
        }
    }
    return false;
}

static uint64_t counter(const iso_result *r, const char *name) {
    for (uint32_t i = 0; i < r->n_counters; i++) {
        if (strcmp(r->counter[i].name, name) == 0) {
            return r->counter[i].value;
        }
    }
    return 0;
}

/* Returns the certificate. */
static const char *ask(iso_pool *pool, const isolab_history *h, iso_question question, bool expected, tally *t) {
    iso_result r;
    size_t size;
    iso_result_init(&r, pool);
    question.certificate = true;
    iso_check(iso_checker_find("awdit"), h, &question, &r);
    const char *text = iso_certificate_text(pool, h, &question, &r, &size);
    uint64_t at_once = counter(&r, "readers at once");
    t->asked++;
    t->satisfied += r.verdict == ISOLAB_SATISFIED;
    t->violated += r.verdict == ISOLAB_VIOLATED;
    t->wrong += r.verdict != (expected ? ISOLAB_SATISFIED : ISOLAB_VIOLATED);
    t->unproved += text == NULL || iso_verify(pool, h, text, size) != 0;
    t->sieved += at_once > 0;
    t->by_64 += at_once == 64;
    t->wide += counter(&r, "keys of the sieve") >= UINT16_MAX;
    return text != NULL ? text : "";
}

/* Asks about a history at some levels. threads: also with two and three. */
static void ask_levels(iso_pool *pool, const isolab_history *h, iso_level first, iso_level last, bool expected,
                       bool threads, tally *t) {
    for (iso_level level = first; level <= last; level++) {
        iso_question question = {.level = level, .options = "bits=yes"};
        const char *one = ask(pool, h, question, expected, t);
        for (question.threads = 2; threads && question.threads <= 3; question.threads++) {
            t->differ += strcmp(one, ask(pool, h, question, expected, t)) != 0;
        }
        question = (iso_question){.level = level, .options = "bits=yes,sieve=no"};
        ask(pool, h, question, expected, t);
        question = (iso_question){.level = level, .options = "bits=yes", .all = true};
        ask(pool, h, question, expected, t);
    }
}

/* Asks about the history of a graph. most: the highest level for it. threads: also with two and three. */
static void ask_all(iso_pool *pool, const iso_graph *g, iso_construction construction, iso_level most, bool threads,
                    tally *t) {
    bool expected = !has_triangle(g);
    iso_builder *b = iso_builder_new(pool);
    iso_triangle_build(pool, g, construction, b);
    const isolab_history *h = iso_builder_finish(b);
    iso_level first = construction == ISO_TRIANGLE_RA2 ? ISO_RA : ISO_RC,
              last = construction == ISO_TRIANGLE_GENERAL ? most : first;
    ask_levels(pool, h, first, last, expected, threads, t);
}

static void report(const tally *t, const char *what) {
    ok(t->wrong == 0 && t->unproved == 0 && t->differ == 0 && t->satisfied > 0 && t->violated > 0,
       "%s: %llu answers (%llu satisfied, %llu violated, %llu by the sieve), %llu wrong, %llu without a valid "
       "certificate, %llu different with threads",
       what, (unsigned long long)t->asked, (unsigned long long)t->satisfied, (unsigned long long)t->violated,
       (unsigned long long)t->sieved, (unsigned long long)t->wrong, (unsigned long long)t->unproved,
       (unsigned long long)t->differ);
}

/* A graph whose nodes have a random order, so that edges lead back in any place. */
static iso_graph random_graph(iso_pool *pool, iso_rng *rng) {
    uint32_t n = 3 + (uint32_t)iso_random_below(rng, 40), place[43];
    uint64_t most = 1 + iso_random_below(rng, 3 * n / 2), sides = 2 + iso_random_below(rng, 4);
    iso_edges e = {.pool = pool};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)iso_random_below(rng, i + 1);
        place[i] = place[j];
        place[j] = i;
    }
    for (uint64_t i = 0; i < most; i++) {
        uint32_t a = (uint32_t)iso_random_below(rng, n), b = (uint32_t)iso_random_below(rng, n);
        if (a % sides != b % sides && (sides < 4 || iso_random_below(rng, 2))) {
            iso_edges_add(&e, place[a], place[b]);
        }
    }
    iso_edges_add(&e, place[0], place[1]);
    return iso_graph_of_edges(&e, n);
}

static void small(uint64_t rounds) {
    static const iso_construction of[] = {ISO_TRIANGLE_GENERAL, ISO_TRIANGLE_RA2, ISO_TRIANGLE_RC1};
    tally t = {0};
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_rng rng = {seed};
        iso_graph g = random_graph(&pool, &rng);
        ask_all(&pool, &g, of[seed % 3], ISO_CC, true, &t);
        iso_pool_free(&pool);
    }
    report(&t, "random graphs");
    ok(t.sieved > t.asked / 16, "the sieve was made for many of them");
}

/* The graph of the words. */
static void ask_words(const char *words, iso_level most, bool threads, tally *t) {
    iso_pool pool;
    iso_args args;
    iso_pool_init(&pool, &env);
    iso_reduction_args(iso_reduction_find("triangle"), &pool, &args);
    iso_args_set(&args, "graph", words);
    iso_graph g = iso_graph_from_args(&args, NULL);
    ask_all(&pool, &g, ISO_TRIANGLE_GENERAL, most, threads, t);
    iso_pool_free(&pool);
}

static void large(void) {
    tally wide = {0}, same = {0};
    ask_words("regular 66000 3 removetriangles", ISO_RA, false,
              &wide); /* more keys than 16 bits number; cc is slow to verify */
    ask_words("regular 66000 3 removetriangles plant 1", ISO_RA, false, &wide);
    report(&wide, "numbers of 32 bits");
    ok(wide.wide >= 2, "and they were needed");
    ask_words("bipartite 4200 .04", ISO_RA, true, &same);
    ask_words("bipartite 4200 .04 plant 1", ISO_RA, true, &same);
    report(&same, "groups of 64 readers");
    ok(same.by_64 > 0, "and there were such groups");
}

/* Stars: the reader of a leaf sees one long list, which it searches. The centre is the last node, so that its list is
 * not empty; an edge between two leaves is a triangle. */
static void stars(uint64_t rounds) {
    tally t = {0};
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_rng rng = {seed};
        uint32_t n = 200 + (uint32_t)iso_random_below(&rng, 200), a = (uint32_t)iso_random_below(&rng, n - 2);
        iso_edges e = {.pool = &pool};
        for (uint32_t i = 0; i + 1 < n; i++) {
            iso_edges_add(&e, i, n - 1);
        }
        if (seed % 2 == 0) {
            iso_edges_add(&e, a, a + 1 + (uint32_t)iso_random_below(&rng, n - 2 - a));
        }
        iso_graph g = iso_graph_of_edges(&e, n);
        ask_all(&pool, &g, ISO_TRIANGLE_GENERAL, ISO_CC, true, &t);
        iso_pool_free(&pool);
    }
    report(&t, "stars");
}

/* Returns a history of two writers of the same keys, v before w. Many transactions read a key from v; n_last of them
 * have read another key from w before, so w would have to be before v. */
static const isolab_history *fan(iso_pool *pool, iso_rng *rng, uint32_t n_readers, uint32_t n_last) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t n = 9 + (uint32_t)iso_random_below(rng, 40), sessions = 1 + (uint32_t)iso_random_below(rng, 4);
    for (uint32_t s = 0; s <= sessions; s++) {
        iso_builder_session(b, iso_atom_int(s));
    }
    for (uint32_t k = 0; k <= n; k++) {
        iso_builder_key(b, iso_atom_int(k));
    }
    for (uint32_t w = 0; w < 2; w++) {
        uint32_t t = iso_builder_txn(b, 0, iso_atom_nil(), ISO_COMMITTED);
        for (uint32_t k = 0; k < n + w; k++) {
            iso_builder_op(b, t, ISO_WRITE, k, iso_atom_int(w * 1000 + k));
        }
    }
    for (uint32_t r = 0; r < n_readers; r++) {
        uint32_t t = iso_builder_txn(b, 1 + r % sessions, iso_atom_nil(), ISO_COMMITTED),
                 k = r < n ? r : (uint32_t)iso_random_below(rng, n);
        if (r + n_last >= n_readers) {
            iso_builder_op(b, t, ISO_READ, n, iso_atom_int(1000 + n));
        }
        iso_builder_op(b, t, ISO_READ, k, iso_atom_int(k));
    }
    return iso_builder_finish(b);
}

typedef struct fan_test {
    const isolab_history *h;
    iso_pool *pool;
    bool expected;
    tally *t;
} fan_test;

static void ask_fan(void *arg) {
    fan_test *f = arg;
    ask_levels(f->pool, f->h, ISO_RC, ISO_CC, f->expected, true, f->t);
}

/* A writer of more keys than 8 times as many as a reader reads is searched; only the last readers pass, and there are
 * several groups of readers. The clock is read once for 256 ticks, so that work without an end is an error. */
static void fans(uint64_t rounds) {
    enum { READINGS = 1000 };
    tally t = {0};
    int code = ISOLAB_OK;
    for (uint64_t seed = seed_or(1), end = seed + rounds; seed < end && code == ISOLAB_OK; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_rng rng = {seed};
        uint32_t n_last = (uint32_t)(seed % 2), n_readers = 100 + (uint32_t)iso_random_below(&rng, 200);
        fan_test f = {fan(&pool, &rng, n_readers, n_last), &pool, n_last == 0, &t};
        iso_now_step = 1;
        code = iso_guard_until(&env, iso_now() + READINGS, ask_fan, &f);
        iso_now_step = 0;
        iso_pool_free(&pool);
    }
    report(&t, "fans");
    ok(code == ISOLAB_OK && t.sieved * 4 > t.asked && t.by_64 > 0, "they end; some have groups of 64 readers");
}

static void run(void *arg) {
    (void)arg;
    fans(iso_agree_rounds(20, 60, 1000));
    small(iso_agree_rounds(300, 1500, 100000));
    stars(iso_agree_rounds(4, 20, 200));
    large();
}

int main(void) { return run_guarded(&env, run); }
