/* What the verifier believes of clausal proofs (verify/proof.c, verify/axiom.c, verify/clauses.c), against what is.
 *
 * 1. On small histories that satisfy a level, every line that it takes alone says something that is true in every
 *    execution of that level (tests/executions.h): the clause of the line, and what it takes to be known without one.
 *    All lines together are no contradiction, and every lemma that it takes after them is true.
 * 2. What follows by unit propagation, from random clauses, follows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "formats/format.h"
#include "tests/agree.h"
#include "tests/executions.h"
#include "tests/guarded.h"
#include "tests/proofs.h"
#include "tests/random_rounds.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "verify/proof.h"

#define EACH 12 /* random lines of a kind that has too many for all of them */
#define TEXT (1 << 16)
#define MOST_EXECUTIONS 1000

static iso_env env;

typedef struct points {
    uint32_t at[2 * EXECUTION_TXNS]; /* by point */
} points;

/* A history at a level, and its executions. */
typedef struct world {
    const isolab_history *h;
    iso_claim claim;
    bool sessions, two; /* session order counts; two points a transaction */
    iso_pool *pool;
    execution *executions;
    points *points;
    uint32_t n_executions, executions_room;
    iso_rng *rng;
    char *text; /* all lines that were taken, one after the other */
    size_t n_text;
    const char *line;
    proof p;
    bool failed;
} world;

static const char *const rules[] = {"so",     "rt",  "wr",   "ww",    "rw",    "list",  "shown", "torn",
                                    "choice", "one", "part", "cycle", "axiom", "state", "cut",   "differ"};
#define RULES (sizeof rules / sizeof *rules)
static uint64_t n_lines, n_taken, n_lemmas, n_worlds, taken[RULES];

/* ---- what is true ---- */

/* The order of points: commits as in the execution, and for pc and si each start after the last commit that its
 * transaction sees. Excluded transactions come last. */
static points place_points(const execution *x, bool two) {
    const isolab_history *h = x->h;
    uint32_t late = 1000000;
    points p;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t commit = x->in[t] ? 1000 * x->place[t] : late + 1000 * (2 * t + 1), start = 0;
        for (uint32_t u = 0; two && x->in[t] && u < h->n_txns; u++) {
            if (x->in[u] && u != t && execution_sees(x, t, u, ISO_NONE) && 1000 * x->place[u] > start) {
                start = 1000 * x->place[u];
            }
        }
        p.at[two ? 2 * t + 1 : t] = commit;
        if (two) {
            p.at[2 * t] = (x->in[t] ? start : commit - 1000) + 1 + t;
        }
    }
    return p;
}

static bool atom_holds(const atom *a, const execution *x, const points *at) {
    switch (a->kind) {
    case BEFORE:
        return at->at[a->a] < at->at[a->b];
    case READS:
        return x->in[x->h->op_txn[a->a]] && x->from[a->a] == a->b;
    default:
        return x->in[a->a];
    }
}

static const atom *find_atom(const proof *p, int var) {
    for (uint32_t i = 0; i < p->index.n; i++) {
        if (p->atoms[i].var == var) {
            return &p->atoms[i];
        }
    }
    return NULL;
}

static bool literal_holds(const proof *p, int literal, const execution *x, const points *at) {
    if (literal == PROOF_ALWAYS) {
        return true;
    }
    const atom *a = find_atom(p, literal < 0 ? -literal : literal);
    return a != NULL && atom_holds(a, x, at) == (literal > 0);
}

/* The clause of the last line, and everything that is known without assuming anything. */
static bool is_true(const proof *p, const execution *x, const points *at) {
    bool holds = p->n_clause == 0 && !iso_clauses_refuted(p->clauses);
    for (uint32_t i = 0; i < p->n_clause && !holds; i++) {
        holds = literal_holds(p, p->clause[i], x, at);
    }
    for (uint32_t i = 0; i < p->index.n; i++) {
        for (int var = p->atoms[i].var, sign = -1; var != 0 && sign < 2; sign += 2) {
            int literal = sign * var;
            if (iso_clauses_follows(p->clauses, &literal, 1) && atom_holds(&p->atoms[i], x, at) != (sign > 0)) {
                return false;
            }
        }
    }
    return holds;
}

/* ---- one line ---- */

static void take_line(void *arg) {
    world *w = arg;
    w->p = (proof){0};
    iso_verifier v = {.pool = w->pool, .h = w->h, .claim = &w->claim, .sessions = w->sessions};
    iso_verify_reads(&v);
    iso_clausal_start(&w->p, &v, w->line, strlen(w->line));
    iso_clausal_line(&w->p);
    for (uint32_t i = 0; i < w->n_executions && !w->failed; i++) {
        w->failed = !is_true(&w->p, &w->executions[i], &w->points[i]);
    }
}

static void __attribute__((format(printf, 2, 3))) try_line(world *w, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    strcat(line, "\n");
    if (w->failed) {
        return;
    }
    iso_pool pool, *outer = w->pool;
    iso_pool_init(&pool, &env);
    w->pool = &pool;
    w->line = line;
    int code = iso_guard(&env, take_line, w);
    w->pool = outer;
    iso_pool_free(&pool);
    n_lines++;
    if (code != ISOLAB_OK) {
        return;
    }
    n_taken++;
    for (size_t k = 0; k < RULES; k++) {
        taken[k] += strncmp(line, rules[k], strlen(rules[k])) == 0;
    }
    if (w->failed) {
        diag("level %s%s%s: this line is taken, and is not true: %s", iso_level_get(w->claim.level)->name,
             w->sessions ? "" : " without session order", w->claim.commits ? ", commits" : "", line);
        iso_agree_print(&env, w->h);
    } else if (w->n_text + strlen(line) < TEXT / 2) {
        w->n_text += (size_t)snprintf(w->text + w->n_text, TEXT - w->n_text, "%s", line);
    }
}

/* ---- lines ---- */

static uint32_t below(world *w, uint32_t n) { return (uint32_t)iso_random_below(w->rng, n); }
static uint32_t any_txn(world *w) { return below(w, w->h->n_txns); }
static uint32_t any_op(world *w) { return below(w, w->h->n_ops); }

/* A read, if there is one. */
static uint32_t any_read(world *w) {
    uint32_t o = any_op(w);
    for (uint32_t i = 0; i < w->h->n_ops && iso_is_write(w->h->op_kind[o]); i++) {
        o = (o + 1) % w->h->n_ops;
    }
    return o;
}

/* Mostly a write of this key, of this transaction (ISO_NONE: of any). */
static uint32_t any_write(world *w, uint32_t key, uint32_t txn) {
    const isolab_history *h = w->h;
    uint32_t o = any_op(w);
    for (uint32_t i = 0; i < h->n_ops && below(w, 30) > 0; i++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == key && (txn == ISO_NONE || h->op_txn[o] == txn)) {
            break;
        }
        o = (o + 1) % h->n_ops;
    }
    return o;
}

/* Mostly what the read took in some execution, or else another write of its key. */
static const char *any_source(world *w, uint32_t read, char text[16]) {
    uint32_t o = w->executions[below(w, w->n_executions)].from[read];
    if (o >= w->h->n_ops || below(w, 4) == 0) {
        o = any_write(w, w->h->op_key[read], ISO_NONE);
        if (below(w, 2) == 0) {
            return "init";
        }
    }
    snprintf(text, 16, "%u", o);
    return text;
}

static void pairs(world *w) {
    const isolab_history *h = w->h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t u = 0; u < h->n_txns; u++) {
            try_line(w, "so %u %u", t, u);
            try_line(w, "rt %u %u", t, u);
            for (uint32_t r = 0; r < h->n_ops && h->has_lists; r++) {
                try_line(w, "list %u %u %u", r, t, u);
            }
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        try_line(w, "choice %u", o);
        for (uint32_t p = 0; p < h->n_ops; p++) {
            try_line(w, "wr %u %u", o, p);
            try_line(w, "ww %u %u", o, p);
            try_line(w, "part %u %u", o, p);
            if (h->has_lists) {
                try_line(w, "torn %u %u", o, p);
                try_line(w, "shown %u %u", o, p);
            }
            if (w->claim.level == ISO_CI) {
                try_line(w, "differ %u %u", o, p);
            }
        }
    }
}

static void triples(world *w) {
    const isolab_history *h = w->h;
    for (int i = 0; i < EACH; i++) {
        uint32_t r = any_read(w), s = any_read(w);
        for (uint32_t k = 0; k < 2 * h->n_ops && (h->op_txn[r] != h->op_txn[s] || h->op_key[r] != h->op_key[s]); k++) {
            s = any_read(w);
        }
        char one[16], two[16];
        const char *v = any_source(w, r, one);
        try_line(w, "rw %u %s %u", r, v, any_write(w, w->h->op_key[r], ISO_NONE));
        try_line(w, "one %u %s %s", r, v, any_source(w, r, two));
        for (int k = 0; w->claim.level == ISO_CI && k < EACH; k++) {
            v = any_source(w, r, one);
            try_line(w, "cut %u %s %u %s", r, v, s, any_source(w, s, two));
        }
    }
}

static void circles(world *w) {
    for (int i = 0; i < EACH; i++) {
        char text[128] = "";
        size_t at = 0;
        for (uint32_t n = 2 + below(w, 3); n > 0; n--) {
            at += (size_t)snprintf(text + at, sizeof text - at, " %s%u",
                                   !w->two       ? ""
                                   : below(w, 2) ? "s"
                                                 : "c",
                                   any_txn(w));
        }
        try_line(w, "cycle%s", text);
    }
}

/* A way of steps from one transaction to another, or at least away from it. */
static void way(world *w, uint32_t at, uint32_t to, char *text, size_t size) {
    const isolab_history *h = w->h;
    for (int i = 0; i < 4 && (i == 0 || at != to); i++) {
        size_t n = strlen(text);
        uint32_t r = any_read(w), next = below(w, 2) ? to : any_txn(w);
        uint32_t o = h->txn_op[at] + below(w, h->txn_op[at + 1] - h->txn_op[at] + 1);
        switch (below(w, 4)) {
        case 0:
            snprintf(text + n, size - n, " so %u", at = next);
            break;
        case 1:
            snprintf(text + n, size - n, " co %u", at = next);
            break;
        case 2:
            for (uint32_t k = 0; k < 2 * h->n_ops &&
                                 (w->executions[0].from[r] >= h->n_ops || h->op_txn[w->executions[0].from[r]] != at);
                 k++) {
                r = any_read(w);
            }
            snprintf(text + n, size - n, " wr %u %u", r, any_write(w, h->op_key[r], at));
            at = h->op_txn[r];
            break;
        default: {
            uint32_t key = h->op_key[o < h->n_ops ? o : 0], b = any_write(w, key, next);
            snprintf(text + n, size - n, " ww %u %u", any_write(w, key, at), b);
            at = h->op_txn[b];
        }
        }
    }
}

static void axioms(world *w) {
    for (int i = 0; i < 8 * EACH; i++) {
        char source[16], steps[256] = "";
        uint32_t r = any_read(w), t = w->h->op_txn[any_write(w, w->h->op_key[r], ISO_NONE)];
        way(w, t, w->h->op_txn[r], steps, sizeof steps);
        try_line(w, "axiom %u %s %u%s", r, any_source(w, r, source), t, steps);
    }
}

static void states(world *w) {
    const isolab_history *h = w->h;
    for (int i = 0; i < 4 * EACH && h->has_lists; i++) {
        char text[256] = "", source[16];
        size_t at = 0;
        uint32_t r = any_read(w), without = below(w, 6), n = 1 + below(w, 4);
        for (uint32_t k = 0; k < n; k++) {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s %u", k == without ? " without" : "",
                                   h->op_txn[any_write(w, h->op_key[r], ISO_NONE)]);
        }
        try_line(w, "state %u %s%s", r, any_source(w, r, source), text);
    }
}

/* ---- all lines together ---- */

/* Atoms of all kinds, and lemmas of them. What is taken must be true. */
static void lemmas(void *arg) {
    world *w = arg;
    iso_verifier v = {.pool = w->pool, .h = w->h, .claim = &w->claim, .sessions = w->sessions};
    iso_verify_reads(&v);
    iso_clausal_start(&w->p, &v, w->text, strlen(w->text));
    while (w->p.at < w->p.end) {
        iso_clausal_line(&w->p);
        bool lemma = w->p.n_clause > 0 || iso_clauses_refuted(w->p.clauses);
        for (uint32_t i = 0; lemma && i < w->n_executions && !w->failed; i++) {
            bool holds = false;
            for (uint32_t k = 0; k < w->p.n_clause; k++) {
                holds |= literal_holds(&w->p, w->p.clause[k], &w->executions[i], &w->points[i]);
            }
            w->failed = !holds;
        }
    }
}

static void put_atoms(world *w, unsigned *n) {
    const isolab_history *h = w->h;
    for (int i = 0; i < EACH; i++) {
        char source[16];
        uint32_t r = any_read(w), t = any_txn(w), u = (t + 1 + below(w, h->n_txns)) % h->n_txns;
        const char *s = w->two ? (below(w, 2) ? "s" : "c") : "", *c = w->two ? (below(w, 2) ? "s" : "c") : "";
        size_t left = TEXT - w->n_text;
        switch (below(w, 3)) {
        case 0:
            w->n_text += (size_t)snprintf(w->text + w->n_text, left, "atom %u in %u\n", ++*n, t);
            break;
        case 1:
            w->n_text +=
                (size_t)snprintf(w->text + w->n_text, left, "atom %u reads %u %s\n", ++*n, r, any_source(w, r, source));
            break;
        default:
            if (t != u) {
                w->n_text +=
                    (size_t)snprintf(w->text + w->n_text, left, "atom %u before %s%u %s%u\n", ++*n, s, t, c, u);
            }
        }
    }
}

static void try_lemmas(world *w) {
    unsigned n = 0;
    put_atoms(w, &n);
    iso_pool pool, *outer = w->pool;
    size_t lines = w->n_text;
    for (unsigned i = 0; i < 3 * EACH && n > 0 && !w->failed; i++) {
        size_t at = w->n_text = lines; /* the accepted lines before it are there */
        w->n_text += (size_t)snprintf(w->text + at, TEXT - at, "lemma");
        for (uint32_t k = below(w, 4); k > 0; k--) {
            w->n_text += (size_t)snprintf(w->text + w->n_text, TEXT - w->n_text, " %s%u", below(w, 2) ? "-" : "",
                                          1 + below(w, n));
        }
        w->n_text += (size_t)snprintf(w->text + w->n_text, TEXT - w->n_text, "\n");
        iso_pool_init(&pool, &env);
        w->pool = &pool;
        int code = iso_guard(&env, lemmas, w);
        w->pool = outer;
        iso_pool_free(&pool);
        n_lines++;
        n_lemmas += code == ISOLAB_OK;
        lines = code == ISOLAB_OK && w->n_text < TEXT * 3 / 4 ? w->n_text : lines;
        w->text[code == ISOLAB_OK ? w->n_text : lines] = '\0';
        if (w->failed) {
            diag("level %s%s%s: a lemma is taken, and is not true:\n%s", iso_level_get(w->claim.level)->name,
                 w->sessions ? "" : " without session order", w->claim.commits ? ", commits" : "", w->text);
            iso_agree_print(&env, w->h);
        }
    }
}

/* ---- one history at one level ---- */

static bool keep(void *arg, const execution *x) {
    world *w = arg;
    ISO_GROW(w->pool, w->executions, w->n_executions, w->executions_room);
    w->executions[w->n_executions++] = *x;
    return w->n_executions < MOST_EXECUTIONS;
}

static bool explore(iso_pool *pool, iso_rng *rng, const isolab_history *h, iso_level level, bool sessions,
                    bool commits) {
    world w = {
        .h = h,
        .sessions = sessions,
        .pool = pool,
        .rng = rng,
        .text = ISO_ZNEW(pool, char, TEXT),
        .two = !commits && (level == ISO_PC || level == ISO_SI),
        .claim = {
            .level = level, .rules = iso_level_get(level)->rules, .no_session_order = !sessions, .commits = commits}};
    executions(h, level, sessions, keep, &w);
    if (w.n_executions == 0) {
        return true;
    }
    n_worlds++;
    w.points = ISO_NEW(pool, points, w.n_executions);
    for (uint32_t i = 0; i < w.n_executions; i++) {
        w.points[i] = place_points(&w.executions[i], w.two);
    }
    pairs(&w);
    triples(&w);
    circles(&w);
    if (commits) {
        axioms(&w);
        states(&w);
    }
    try_lemmas(&w);
    return !w.failed;
}

typedef struct trial {
    iso_rng rng;
    bool failed;
} trial;

static bool test(void *arg, const isolab_history *h) {
    trial *t = arg;
    bool good = true;
    for (int level = 0; level < iso_n_levels && good && h->n_ops > 0; level++) {
        for (int sessions = 1; sessions >= (level == ISO_SI || level == ISO_SER ? 0 : 1); sessions--) {
            for (int commits = level < ISO_PC; commits < 2 && good; commits++) {
                iso_pool pool;
                iso_pool_init(&pool, &env);
                good = explore(&pool, &t->rng, h, level, sessions != 0, commits != 0);
                iso_pool_free(&pool);
            }
        }
    }
    t->failed |= !good;
    return good;
}

static void random_ones(const char *what, uint64_t quick, uint64_t normal, uint64_t deep, iso_small_shape shape) {
    if (skip_unselected(what)) {
        return;
    }
    uint64_t before = n_taken;
    trial t = {.rng = {seed_or(1)}};
    random_rounds(&env, &shape, iso_agree_rounds(quick, normal, deep), test, &t);
    ok(!t.failed && n_taken > before, "%s: nothing false is believed", what);
}

/* Where each of the rules that seldom apply does. */
static void rare_ones(void) {
    if (skip_unselected("rare rules")) {
        return;
    }
    static const char *const text[] = {
        "session\ncommit: w x 1\nsession\ncommit: w x 1, w x 2\nsession\ncommit: r x 1, r x 2\n",
        "session\nmaybe: rl x [1], rl x [1 2], append y 1\nsession\ncommit: append x 1, append x 2\nsession\n"
        "commit: append y 1, rl y [1]\n",
        "session\ncommit @1..2: append x 1\nsession\nmaybe @3..: append x 2, append x 3\nsession\n"
        "maybe @3..4: append y 1, rl x [1 2]\nsession\ncommit @5..6: append y 1, rl x [1 2 3]\n",
    };
    trial t = {.rng = {seed_or(1)}};
    for (size_t i = 0; i < 20 * sizeof text / sizeof *text && !t.failed; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const char *lines = text[i / 20];
        test(&t, iso_load_bytes(&pool, lines, strlen(lines), iso_format_find("isolab")));
        iso_pool_free(&pool);
    }
    ok(!t.failed, "rare rules: nothing false is believed");
}

/* Histories whose reads return anything. */
static void wild_ones(uint64_t quick, uint64_t normal, uint64_t deep) {
    if (skip_unselected("wild histories")) {
        return;
    }
    uint64_t before = n_taken, rounds = iso_agree_rounds(quick, normal, deep);
    trial t = {.rng = {seed_or(1)}};
    for (uint64_t i = 0; i < rounds && !t.failed; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        test(&t, raw_small(&pool, &t.rng, 4, 14));
        iso_pool_free(&pool);
    }
    ok(!t.failed && n_taken > before, "wild histories: nothing false is believed");
}

/* ---- unit propagation ---- */

/* Is every clause true where variable i + 1 is bit i? */
static bool all_hold(int (*clause)[3], unsigned n, unsigned bits) {
    bool all = true;
    for (unsigned i = 0; i < n; i++) {
        bool one = false;
        for (int k = 0; k < 3; k++) {
            int l = clause[i][k];
            one |= l != 0 && (bits >> ((l < 0 ? -l : l) - 1) & 1) == (l > 0);
        }
        all &= one;
    }
    return all;
}

static void propagation(uint64_t rounds) {
    static const char what[] = "what follows by unit propagation follows";
    if (skip_unselected(what)) {
        return;
    }
    enum { VARS = 6, CLAUSES = 24 };
    iso_rng rng = {seed_or(1)};
    uint64_t followed = 0, refuted = 0;
    bool good = true;
    for (uint64_t round = 0; round < rounds && good; round++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_clauses *c = iso_clauses_new(&pool);
        int clause[CLAUSES + 1][3] = {{0}};
        for (int i = 0; i < VARS; i++) {
            iso_clauses_var(c);
        }
        for (unsigned n = 0; n < CLAUSES && good; n++) {
            uint32_t length = iso_random_below(&rng, 8) == 0 ? 1 : 2 + (uint32_t)iso_random_below(&rng, 2);
            for (uint32_t k = 0; k < length; k++) {
                int var = 1 + (int)iso_random_below(&rng, VARS);
                clause[n][k] = iso_random_below(&rng, 2) ? var : -var;
            }
            bool said = iso_clauses_follows(c, clause[n], length), was_refuted = iso_clauses_refuted(c);
            for (unsigned bits = 0; bits < 1u << VARS; bits++) {
                bool all = all_hold(clause, n, bits);
                good &= !(all && (was_refuted || (said && !all_hold(clause + n, 1, bits))));
            }
            followed += said;
            iso_clauses_add(c, clause[n], length);
        }
        refuted += iso_clauses_refuted(c);
        iso_pool_free(&pool);
    }
    ok(good && followed > 0 && refuted > 0, "%s", what);
    diag("%" PRIu64 " clauses followed, %" PRIu64 " of %" PRIu64 " sets were refuted", followed, refuted, rounds);
}

static void listed_ones(void) {
    static const char name[] = "some of up to 3 transactions";
    if (skip_unselected(name)) {
        return;
    }
    unsigned parts = iso_agree_parts(20000, 4000, 20);
    uint64_t seed = seed_or(1), before = n_taken;
    trial all = {.rng = {seed}};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_enumeration what = {.txns = 3,
                            .ops = 2,
                            .keys = 2,
                            .aborted = true,
                            .no_thin_air = true,
                            .parts = parts,
                            .part = (unsigned)(seed % parts)};
    iso_enumerate(&pool, &what, test, &all);
    ok(!all.failed && n_taken > before, "%s: nothing false is believed", name);
}

static void run(void *arg) {
    (void)arg;
    diag("seed %" PRIu64, seed_or(1));
    propagation(iso_agree_rounds(500, 5000, 500000));
    listed_ones();
    unsigned txns = getenv("ISOLAB_DEEP") != NULL ? 5 : 4;
    iso_small_shape plain = {
        .txns = txns, .ops = 3, .keys = 2, .sessions = 4, .aborted = true, .indeterminate = true, .times = true};
    iso_small_shape duplicates = plain, lists = plain, both;
    duplicates.duplicates = lists.lists = true;
    both = lists;
    both.duplicates = true;
    random_ones("random histories", 4, 30, 2000, plain);
    random_ones("repeated values", 4, 20, 2000, duplicates);
    duplicates.negations = true;
    random_ones("reads that exclude a value", 4, 20, 2000, duplicates);
    random_ones("lists", 4, 20, 2000, lists);
    random_ones("lists with duplicates", 4, 20, 2000, both);
    both.unique_elements = both.torn = true;
    random_ones("torn lists", 20, 40, 2000, both);
    rare_ones();
    wild_ones(100, 250, 10000);
    diag("%" PRIu64 " lines at %" PRIu64 " histories and levels; %" PRIu64 " were taken, and %" PRIu64 " lemmas",
         n_lines, n_worlds, n_taken, n_lemmas);
    static const char all[] = "lines of each kind were taken";
    bool each = true;
    for (size_t k = 0; k < RULES; k++) {
        diag("%8s: %" PRIu64, rules[k], taken[k]);
        each &= taken[k] > 0;
    }
    if (!skip_unselected(all)) {
        ok(each, "%s", all);
    }
}

int main(void) { return run_guarded(&env, run); }
