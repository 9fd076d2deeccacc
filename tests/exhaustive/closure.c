/* What the verifier believes of edges (verify/edges.c), against what is: on small histories that satisfy a level,
 * every edge that it takes is true in every execution of that level (tests/executions.h), and it takes no cycle and
 * no offence.
 *
 * 1. The closure: from nothing on, every edge that follows from a row of edges that it took before, until there is no
 *    further one. That is everything that a certificate can make it believe.
 * 2. More than that, for each execution by itself: every edge that is true there is taken for granted, whether
 *    anything proves it or not. Then each rule alone must lead from what is true to what is true.
 *
 * Rows are all of up to ROW edges, and longer ones at random, some of them with gaps. Beside the edges that fit the
 * row, edges are tried whose words are all at random. Each question to the verifier is one verification. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "tests/agree.h"
#include "tests/executions.h"
#include "tests/guarded.h"
#include "tests/random_rounds.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "verify/verify.h"

#define ROW 3      /* rows that are all tried */
#define LONG_ROW 7 /* and the longest random row */
#define KINDS (CLAIM_LIST + 1)
#define MOST_FACTS 512

static iso_env env;

/* A history at a level, and what is believed of it. */
typedef struct world {
    const isolab_history *h;
    iso_level level;
    iso_pool *pool;
    execution *executions; /* in which everything that is believed must hold */
    uint32_t n_executions, executions_room;
    iso_claim claim; /* its edges are row */
    iso_verifier v;
    claim_edge fact[MOST_FACTS], row[LONG_ROW + 1];
    unsigned n_facts;
    bool known[KINDS][EXECUTION_TXNS + 1][EXECUTION_TXNS + 1], known_read[EXECUTION_OPS];
    iso_rng *rng;
    bool failed;
} world;

typedef struct tally {
    iso_rng rng;
    uint64_t histories, worlds, executions, violated;
    unsigned long_rows;
    bool failed;
} tally;

static uint64_t n_verified, n_believed;

/* ---- what is true ---- */

static uint32_t place(const execution *x, uint32_t t) { return t == ISO_INIT ? 0 : x->place[t]; }
static bool is_in(const execution *x, uint32_t t) { return t == ISO_INIT || x->in[t]; }

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool any = t == ISO_INIT;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        any |= h->op_txn[o] == t && iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
    }
    return any;
}

/* FROM is before TO; an anti-dependency below serializability: FROM does not see TO. */
static bool is_true(const execution *x, const claim_edge *e) {
    if (!is_in(x, e->from) || !is_in(x, e->to)) {
        return false;
    }
    if (e->kind == CLAIM_RW && x->level < ISO_SER) {
        return e->from != ISO_INIT && e->to != ISO_INIT && e->from != e->to &&
               !execution_sees(x, e->from, e->to, ISO_NONE);
    }
    return place(x, e->from) < place(x, e->to);
}

/* ---- what is believed ---- */

static void print_txn(uint32_t t) { fprintf(stderr, t == ISO_INIT ? " init" : " %u", t); }

static void print_edge(const claim_edge *e) {
    static const char *const name[KINDS] = {"so", "wr", "rt", "axiom", "rw", "ww", "list"};
    fprintf(stderr, "# %s", name[e->kind]);
    print_txn(e->from);
    print_txn(e->to);
    for (int i = 0; i < 3; i++) {
        fprintf(stderr, e->op[i] == ISO_NONE ? " -" : " %u", e->op[i]);
    }
    fprintf(stderr, " %u %u\n", e->first, e->count);
}

static void complain(world *w, const char *what, unsigned n) {
    if (!w->failed) {
        diag("level %s%s: %s", iso_level_get(w->level)->name, w->v.sessions ? "" : " without session order", what);
        for (unsigned i = 0; i < n; i++) {
            print_edge(&w->row[i]);
        }
        iso_agree_print(&env, w->h);
    }
    w->failed = true;
}

static unsigned node(const world *w, uint32_t t) { return t == ISO_INIT ? w->h->n_txns : t; }
static uint32_t txn(const world *w, unsigned n) { return n == w->h->n_txns ? ISO_INIT : n; }

static bool *known(world *w, const claim_edge *e) {
    return e->kind == CLAIM_WR && e->op[1] < w->h->n_ops ? &w->known_read[e->op[1]]
                                                         : &w->known[e->kind][node(w, e->from)][node(w, e->to)];
}

static void learn(world *w, const claim_edge *e) {
    if (!*known(w, e) && w->n_facts < MOST_FACTS) {
        *known(w, e) = true;
        w->fact[w->n_facts++] = *e;
    }
}

/* Asks for an edge after the first n of the row. */
static void ask(world *w, unsigned n, claim_edge e) {
    if (*known(w, &e) || w->failed) {
        return;
    }
    w->row[n] = e;
    n_verified++;
    if (!iso_verify_edge(&w->v, &e)) {
        return;
    }
    n_believed++;
    for (uint32_t i = 0; i < w->n_executions; i++) {
        if (!is_true(&w->executions[i], &e)) {
            complain(w, "the last of these edges is believed, and is not true", n + 1);
            return;
        }
    }
    learn(w, &e);
}

/* ---- edges without premises ---- */

static void ask_plain_edges(world *w) {
    const isolab_history *h = w->h;
    for (unsigned a = 0; a <= h->n_txns; a++) {
        for (unsigned b = 0; b <= h->n_txns; b++) {
            claim_edge e = {.from = txn(w, a), .to = txn(w, b), .op = {ISO_NONE, ISO_NONE, ISO_NONE}};
            e.kind = CLAIM_SO;
            ask(w, 0, e);
            e.kind = CLAIM_RT;
            ask(w, 0, e);
            for (uint32_t r = 0; r < h->n_ops; r++) {
                e.kind = CLAIM_LIST;
                e.op[0] = r;
                ask(w, 0, e);
                e.kind = CLAIM_WR;
                e.op[1] = r;
                for (uint32_t o = 0; o <= h->n_ops; o++) {
                    e.op[0] = o == h->n_ops ? ISO_NONE : o;
                    ask(w, 0, e);
                }
                e.op[1] = ISO_NONE;
            }
        }
    }
}

/* ---- edges that follow from a row ---- */

static uint32_t random_txn(world *w) { return txn(w, (unsigned)iso_random_below(w->rng, w->h->n_txns + 1)); }
static uint32_t random_op(world *w) {
    uint32_t o = (uint32_t)iso_random_below(w->rng, w->h->n_ops + 1);
    return o == w->h->n_ops ? ISO_NONE : o;
}

/* An edge with whatever words, from some part of the row. */
static void ask_nonsense(world *w, unsigned n) {
    uint32_t first = (uint32_t)iso_random_below(w->rng, n + 1);
    ask(w, n,
        (claim_edge){.kind = (uint8_t)(CLAIM_AXIOM + iso_random_below(w->rng, 3)),
                     .from = random_txn(w),
                     .to = random_txn(w),
                     .op = {random_op(w), random_op(w), random_op(w)},
                     .first = first,
                     .count = (uint32_t)iso_random_below(w->rng, n + 1 - first)});
}

/* The axiom, for what the end of the row reads. */
static void ask_axioms(world *w, unsigned n, uint32_t read) {
    const isolab_history *h = w->h;
    claim_edge e = {.kind = CLAIM_AXIOM, .from = w->row[0].from, .op = {read, ISO_NONE, ISO_NONE}, .count = n};
    for (unsigned to = 0; to <= h->n_txns; to++) {
        e.to = txn(w, to);
        e.op[1] = e.op[2] = ISO_NONE;
        ask(w, n, e);
        for (e.op[1] = 0; w->level == ISO_SI && e.op[1] < h->n_ops; e.op[1]++) {
            for (e.op[2] = 0; e.op[2] < h->n_ops; e.op[2]++) {
                if (h->op_key[e.op[1]] == h->op_key[e.op[2]]) {
                    ask(w, n, e);
                }
            }
        }
    }
}

static void ask_what_follows(world *w, unsigned n) {
    const isolab_history *h = w->h;
    uint32_t from = w->row[0].from, to = w->row[n - 1].to;
    n_verified++;
    if (iso_verify_cycle(&w->v, 0, n)) {
        complain(w, "these edges are taken for a cycle", n);
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (!iso_is_write(h->op_kind[o])) {
            ask(w, n,
                (claim_edge){
                    .kind = CLAIM_RW, .from = h->op_txn[o], .to = to, .op = {o, ISO_NONE, ISO_NONE}, .count = n});
            if (h->op_txn[o] == to) {
                ask_axioms(w, n, o);
            }
        }
        for (uint32_t p = 0; h->op_txn[o] == from && p < h->n_ops; p++) {
            if (h->op_txn[p] == to) {
                ask(w, n, (claim_edge){.kind = CLAIM_WW, .from = from, .to = to, .op = {o, p, ISO_NONE}, .count = n});
            }
        }
    }
    ask_nonsense(w, n);
}

/* All rows of up to ROW of the facts. */
static void ask_all_rows(world *w) {
    unsigned at[ROW], n = 1, n_facts = w->n_facts; /* facts learnt meanwhile count in the next round */
    at[0] = 0;
    while (n > 0 && !w->failed) {
        if (at[n - 1] == n_facts) {
            n--;
            continue;
        }
        const claim_edge *e = &w->fact[at[n - 1]++];
        if (n > 1 && e->from != w->row[n - 2].to) {
            continue;
        }
        w->row[n - 1] = *e;
        ask_what_follows(w, n);
        if (n < ROW) {
            at[n++] = 0;
        }
    }
}

static void ask_long_rows(world *w, unsigned rounds) {
    while (rounds-- > 0 && w->n_facts > 0 && !w->failed) {
        unsigned length = ROW + 1 + (unsigned)iso_random_below(w->rng, LONG_ROW - ROW), n = 0;
        for (unsigned tries = 0; n < length && tries < 200; tries++) {
            const claim_edge *e = &w->fact[iso_random_below(w->rng, w->n_facts)];
            if (n == 0 || e->from == w->row[n - 1].to || iso_random_below(w->rng, 50) == 0) {
                w->row[n++] = *e;
            }
        }
        ask_what_follows(w, n);
    }
}

/* ---- offences ---- */

static void violation(void *arg) { iso_verify_violation(arg); }

static void ask_offences(world *w) {
    const isolab_history *h = w->h;
    for (offence_kind kind = OFFENCE_THIN_AIR; kind < OFFENCE_KINDS && !w->failed; kind++) {
        for (uint32_t read = 0; read < h->n_ops; read++) {
            for (uint32_t other = 0; other <= h->n_ops; other++) {
                w->claim.offence = kind;
                w->claim.offence_op = read;
                w->claim.offence_other = other == h->n_ops ? ISO_NONE : other;
                n_verified++;
                if (iso_guard(&env, violation, &w->v) != ISO_REFUSED) {
                    diag("offence %d of read %u, other operation %u", (int)kind, read, other);
                    complain(w, "an offence is believed", 0);
                }
            }
        }
    }
    w->claim.offence = OFFENCE_NONE;
}

/* ---- one history at one level ---- */

static bool keep(void *arg, const execution *x) {
    world *w = arg;
    ISO_GROW(w->pool, w->executions, w->n_executions, w->executions_room);
    w->executions[w->n_executions++] = *x;
    return w->n_executions < 4096;
}

static void forget(world *w) {
    w->n_facts = 0;
    memset(w->known, 0, sizeof w->known);
    memset(w->known_read, 0, sizeof w->known_read);
}

static void close_up(world *w, unsigned long_rows) {
    forget(w);
    ask_plain_edges(w);
    for (unsigned before = 0; before < w->n_facts;) {
        before = w->n_facts;
        ask_all_rows(w);
        ask_long_rows(w, long_rows);
    }
}

/* Everything that an edge could say, where it is true in this execution. */
static void take_for_granted(world *w, const execution *x) {
    const isolab_history *h = w->h;
    static const claim_kind kinds[] = {CLAIM_AXIOM, CLAIM_RW, CLAIM_WW};
    for (unsigned i = w->level == ISO_G1 ? 3 : 0; i < (w->level < ISO_PC ? 1 : 3); i++) {
        for (unsigned a = 0; a <= h->n_txns; a++) {
            for (unsigned b = 0; b <= h->n_txns; b++) {
                claim_edge e = {.kind = (uint8_t)kinds[i],
                                .from = txn(w, a),
                                .to = txn(w, b),
                                .op = {ISO_NONE, ISO_NONE, ISO_NONE}};
                bool fits = kinds[i] != CLAIM_WW;
                for (uint32_t k = 0; !fits && a < h->n_txns && b < h->n_txns && k < h->n_keys; k++) {
                    fits = writes(h, e.from, k) && writes(h, e.to, k);
                }
                if (fits && is_true(x, &e)) {
                    learn(w, &e);
                }
            }
        }
    }
}

/* Up to 64 of them, if there are more. */
static void each_execution(world *w, unsigned long_rows) {
    execution *all = w->executions;
    uint32_t n = w->n_executions;
    for (uint32_t i = 0; i < n && !w->failed; i += 1 + n / 64) {
        w->executions = &all[i];
        w->n_executions = 1;
        forget(w);
        ask_plain_edges(w);
        take_for_granted(w, &all[i]);
        ask_all_rows(w);
        ask_long_rows(w, long_rows);
    }
    w->executions = all;
    w->n_executions = n;
}

static void explore(iso_pool *pool, tally *t, const isolab_history *h, iso_level level, bool sessions) {
    world *w = ISO_ZNEW(pool, world, 1);
    w->h = h;
    w->level = level;
    w->pool = pool;
    w->rng = &t->rng;
    w->claim = (iso_claim){
        .level = level, .rules = iso_level_get(level)->rules, .no_session_order = !sessions, .edges = w->row};
    w->v = (iso_verifier){.pool = pool, .h = h, .claim = &w->claim, .sessions = sessions};
    iso_question question = {.level = level, .no_session_order = !sessions};
    iso_result truth;
    iso_result_init(&truth, pool);
    iso_check(iso_checker_find("brute"), h, &question, &truth);
    executions(h, level, sessions, keep, w);
    if ((truth.verdict == ISOLAB_SATISFIED) != (w->n_executions > 0)) {
        complain(w, "brute and the executions disagree", 0);
    }
    t->worlds++;
    t->violated += w->n_executions == 0;
    t->executions += w->n_executions;
    if (w->n_executions > 0 && !w->failed) {
        iso_verify_reads(&w->v);
        ask_offences(w);
        if (level != ISO_INT && level != ISO_CI) {
            close_up(w, t->long_rows);
            each_execution(w, t->long_rows);
        } else {
            ask_plain_edges(w);
        }
    }
    t->failed |= w->failed;
}

static bool test(void *arg, const isolab_history *h) {
    tally *t = arg;
    t->histories++;
    for (int level = 0; level < iso_n_levels && !t->failed; level++) {
        for (int sessions = 1; sessions >= (level == ISO_SI || level == ISO_SER ? 0 : 1); sessions--) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            explore(&pool, t, h, level, sessions != 0);
            iso_pool_free(&pool);
        }
    }
    return !t->failed;
}

static void report(tally *t, const char *what) {
    ok(!t->failed && t->worlds > t->violated, "%s: nothing false is believed", what);
    diag("%s: %" PRIu64 " histories, %" PRIu64 " at a level that they satisfy, with %" PRIu64 " executions", what,
         t->histories, t->worlds - t->violated, t->executions);
}

static void random_ones(const char *what, uint64_t quick, uint64_t normal, uint64_t deep, iso_small_shape shape) {
    if (skip_unselected(what)) {
        return;
    }
    tally t = {.rng = {seed_or(1)}, .long_rows = 40};
    random_rounds(&env, &shape, iso_agree_rounds(quick, normal, deep), test, &t);
    report(&t, what);
}

/* Histories whose reads return anything. */
static void wild_ones(uint64_t quick, uint64_t normal, uint64_t deep) {
    static const char what[] = "wild histories";
    if (skip_unselected(what)) {
        return;
    }
    uint64_t rounds = iso_agree_rounds(quick, normal, deep);
    tally t = {.rng = {seed_or(1)}, .long_rows = 40};
    for (uint64_t i = 0; i < rounds && !t.failed; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        test(&t, raw_small(&pool, &t.rng, 4, 14));
        iso_pool_free(&pool);
    }
    report(&t, what);
}

/* The history at few instants, so that many are equal, and some of them missing. */
static isolab_history at_few_instants(iso_pool *pool, iso_rng *rng, const isolab_history *h) {
    isolab_history timed = *h;
    timed.has_times = true;
    timed.txn_start = ISO_NEW(pool, int64_t, h->n_txns);
    timed.txn_end = ISO_NEW(pool, int64_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        int64_t start = (int64_t)iso_random_below(rng, 4), length = (int64_t)iso_random_below(rng, 3);
        timed.txn_start[t] = iso_random_below(rng, 8) == 0 ? ISO_NO_TIME : start;
        timed.txn_end[t] = iso_random_below(rng, 8) == 0 ? ISO_NO_TIME : start + length;
    }
    return timed;
}

/* Real time, at its levels alone. */
static void timed_ones(uint64_t quick, uint64_t normal, uint64_t deep) {
    static const char what[] = "real time";
    if (skip_unselected(what)) {
        return;
    }
    iso_small_shape shape = {.txns = 4, .keys = 2, .sessions = 4, .mini = true};
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(quick, normal, deep);
    tally t = {.rng = {first}, .long_rows = 5};
    for (uint64_t seed = first; seed < first + rounds && !t.failed; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        isolab_history timed = at_few_instants(&pool, &t.rng, iso_random_small(&pool, seed, &shape));
        t.histories++;
        explore(&pool, &t, &timed, seed % 2 == 0 ? ISO_LSER : ISO_SSER, true);
        iso_pool_free(&pool);
    }
    report(&t, what);
}

static void listed_ones(void) {
    unsigned parts = iso_agree_parts(4000, 400, 0);
    uint64_t seed = seed_or(1);
    const char *what = parts == 0 ? "all of up to 3 transactions" : "some of up to 3 transactions";
    if (skip_unselected(what)) {
        return;
    }
    tally all = {.rng = {seed}, .long_rows = 5};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_enumerate(&pool,
                  &(iso_enumeration){.txns = 3,
                                     .ops = 2,
                                     .keys = 2,
                                     .aborted = true,
                                     .no_thin_air = true,
                                     .parts = parts,
                                     .part = parts == 0 ? 0 : (unsigned)(seed % parts)},
                  test, &all);
    report(&all, what);
}

static void run(void *arg) {
    (void)arg;
    diag("seed %" PRIu64, seed_or(1));
    listed_ones();
    iso_small_shape plain = {
        .txns = 5, .ops = 3, .keys = 2, .sessions = 4, .aborted = true, .indeterminate = true, .times = true};
    unsigned txns = getenv("ISOLAB_DEEP") != NULL ? 5 : 4;
    iso_small_shape small = {.txns = txns, .ops = 3, .keys = 2, .sessions = 4}, duplicates = small, lists = small, both;
    duplicates.indeterminate = lists.indeterminate = duplicates.times = lists.times = true;
    duplicates.duplicates = lists.lists = true;
    both = lists;
    both.duplicates = both.aborted = true;
    random_ones("random histories", 2, 20, 1500, plain);
    random_ones("smaller ones", 4, 100, 1000, small);
    random_ones("repeated values", 4, 50, 800, duplicates);
    duplicates.negations = true;
    random_ones("reads that exclude a value", 4, 50, 800, duplicates);
    random_ones("lists", 4, 50, 800, lists);
    random_ones("lists with duplicates", 4, 50, 800, both);
    wild_ones(20, 300, 20000);
    timed_ones(20, 300, 20000);
    diag("%" PRIu64 " verifications, %" PRIu64 " edges believed", n_verified, n_believed);
    if (!skip_unselected("that many verifications")) {
        cmp_ok(n_verified, ">=", iso_agree_rounds(100000, 1000000, 50000000), "that many verifications");
    }
}

int main(void) { return run_guarded(&env, run); }
