/* Satisfiability to isolation: the history satisfies the level exactly if the formula has a satisfying assignment.
 *
 * Each variable x has two transactions A_x and B_x, and each literal occurrence three, W, Y and Z, with their own key
 * v: Y and Z write it, and W reads what Z wrote. x is false when A_x commits before B_x, and an occurrence is false
 * when its Y commits before its Z. Required orders (arrows):
 *
 *   in a clause        Z of each occurrence -> Y of the next one, around the clause: if all are false this is a cycle
 *   occurrence of x    Y -> A_x and B_x -> W
 *   of not x           Y -> B_x and A_x -> W
 *
 * If x is false, then Y -> A_x, A_x before B_x, B_x -> W: so W must see Y, and since it reads Z's write, Y is before Z:
 * occurrences of a false variable are false. Conversely, docs/reductions.md gives the serial order of a satisfying
 * assignment.
 *
 *   unique  Y and Z write different values, and an arrow is a key that its source writes and its target reads: for
 *           pc, si and ser, with unique values (after Biswas and Enea 2019)
 *   mini    mini-transactions without unique values, for si and ser: Y reads and writes the initial value of v, Z
 *           reads it and writes 1, and a fourth transaction Q reads 1 and writes the initial value back, so that Y
 *           may come after Z; arrows Z -> Y are session order, and arrows to A_x and B_x go through relays.
 *           (after mtc-appendix.txt theorem 11)
 *   printed theorem 11 as printed: Y, Z and W read and write one and the same value of v. Then W may have read
 *           from either, and nothing connects occurrences with variables: a satisfiable formula still gives a satisfied
 *           history, but not the reverse. */
#include "reductions/sat.h"
#include "base/random.h"

#include "base/print.h"
#include "reductions/input.h"
#include "reductions/reduction.h"
#include "reductions/replay.h"

static uint32_t new_txn(iso_builder *b, uint32_t session) {
    return iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
}

static uint32_t alone(iso_builder *b) { return new_txn(b, iso_builder_session(b, iso_atom_nil())); }

/* The history under construction. */
typedef struct making {
    iso_builder *b;
    bool mini, printed; /* of mini-transactions; as theorem 11 prints them */
    uint64_t n_keys;
} making;

static uint32_t fresh_key(making *m) { return iso_builder_key(m->b, iso_atom_uint(m->n_keys++)); }

static void op(making *m, uint32_t txn, iso_op_kind kind, uint32_t key, int64_t value) {
    iso_builder_op(m->b, txn, kind, key, value == 0 ? iso_atom_nil() : iso_atom_int(value));
}

/* Adds an arrow from -> to: `to` reads what `from` wrote. Mini-transactions read before they write. */
static void arrow(making *m, bool mini, uint32_t from, uint32_t to) {
    uint32_t key = fresh_key(m);
    if (mini) {
        op(m, from, ISO_READ, key, 0);
    }
    op(m, from, ISO_WRITE, key, 1);
    op(m, to, ISO_READ, key, 1);
}

/* For an empty clause: adds two transactions that read from each other. */
static void contradict(making *m, bool mini) {
    uint32_t one = alone(m->b), other = alone(m->b);
    arrow(m, mini, one, other);
    arrow(m, mini, other, one);
}

static uint32_t next_of(const iso_cnf *f, uint32_t clause, uint32_t at) {
    return at + 1 < f->first[clause + 1] ? at + 1 : f->first[clause];
}

/* Returns the side of a variable to which its occurrences have arrows: A_x for x, B_x for `not x`. */
static uint32_t *side(const iso_cnf_txns *t, bool negative) { return negative ? t->b : t->a; }

/* Adds the transactions of the construction. */
static iso_cnf_txns make_txns(making *m, iso_pool *pool, const iso_cnf *f) {
    uint32_t n = f->n_literals;
    iso_builder *b = m->b;
    iso_cnf_txns t = {ISO_NEW_NONE(pool, (size_t)f->n_vars + 1),
                      ISO_NEW_NONE(pool, (size_t)f->n_vars + 1),
                      ISO_NEW(pool, uint32_t, n),
                      ISO_NEW(pool, uint32_t, n),
                      ISO_NEW(pool, uint32_t, n),
                      ISO_NEW_NONE(pool, n),
                      ISO_NEW_NONE(pool, n)};
    for (uint32_t c = 0; c < f->n_clauses; c++) {
        if (f->first[c] == f->first[c + 1]) {
            contradict(m, m->mini);
        }
        for (uint32_t i = f->first[c]; i < f->first[c + 1]; i++) {
            iso_tick(pool->env);
            uint32_t next = next_of(f, c, i), session = iso_builder_session(b, iso_atom_nil());
            t.z[i] = new_txn(b, session);
            t.y[next] = m->mini ? new_txn(b, session) : alone(b);
            t.relay[next] = m->mini ? new_txn(b, session) : ISO_NONE;
            t.w[i] = alone(b);
            t.q[i] = m->mini && !m->printed ? alone(b) : ISO_NONE;
            uint32_t x = (uint32_t)(f->literal[i] < 0 ? -f->literal[i] : f->literal[i]);
            if (t.a[x] == ISO_NONE) {
                t.a[x] = alone(b);
                t.b[x] = alone(b);
            }
        }
    }
    return t;
}

/* Adds the arrows of one literal: from one side of its variable, and to the other. chain: the key of the last relay of
 * that side; out: the key that its W read. */
static void make_arrows(making *m, const iso_cnf *f, const iso_cnf_txns *t, uint32_t c, uint32_t i, uint32_t *chain,
                        uint32_t *out) {
    bool negative = f->literal[i] < 0;
    uint32_t x = (uint32_t)(negative ? -f->literal[i] : f->literal[i]);
    uint32_t into = side(t, negative)[x], out_of = side(t, !negative)[x];
    if (*out == ISO_NONE) {
        *out = fresh_key(m);
        if (m->mini) {
            op(m, out_of, ISO_READ, *out, 0);
        }
        op(m, out_of, ISO_WRITE, *out, 1);
    }
    op(m, t->w[i], ISO_READ, *out, 1);
    if (m->mini) { /* Y, then its relay, which reads the previous relay; the target reads the last one */
        if (*chain != ISO_NONE) {
            op(m, t->relay[i], ISO_READ, *chain, 1);
        }
        *chain = fresh_key(m);
        op(m, t->relay[i], ISO_READ, *chain, 0);
        op(m, t->relay[i], ISO_WRITE, *chain, 1);
    } else {
        arrow(m, false, t->y[i], into);
        arrow(m, false, t->z[i], t->y[next_of(f, c, i)]);
    }
}

/* Adds the key of one literal: Y and Z write it, and W reads the write of Z. */
static void make_choice(making *m, const iso_cnf_txns *t, uint32_t i) {
    uint32_t v = fresh_key(m);
    int64_t last = m->printed ? 0 : m->mini ? 1 : 2;
    if (m->mini) {
        op(m, t->y[i], ISO_READ, v, 0);
        op(m, t->z[i], ISO_READ, v, 0);
    }
    op(m, t->y[i], ISO_WRITE, v, m->mini ? 0 : 1);
    op(m, t->z[i], ISO_WRITE, v, last);
    op(m, t->w[i], ISO_READ, v, last);
    if (t->q[i] != ISO_NONE) {
        op(m, t->q[i], ISO_READ, v, 1);
        op(m, t->q[i], ISO_WRITE, v, 0);
    }
}

iso_cnf_txns iso_cnf_build(iso_pool *pool, const iso_cnf *f, iso_cnf_construction construction, iso_builder *b) {
    making m = {.b = b, .mini = construction != ISO_SAT_UNIQUE, .printed = construction == ISO_SAT_PRINTED};
    iso_cnf_txns t = make_txns(&m, pool, f);
    uint32_t *chain = ISO_NEW_NONE(pool, 2 * ((size_t)f->n_vars + 1)); /* by side: see make_arrows() */
    uint32_t *out = ISO_NEW_NONE(pool, 2 * ((size_t)f->n_vars + 1));
    for (uint32_t c = 0; c < f->n_clauses; c++) {
        for (uint32_t i = f->first[c]; i < f->first[c + 1]; i++) {
            iso_tick(pool->env);
            bool negative = f->literal[i] < 0;
            uint32_t s = 2 * (uint32_t)(negative ? -f->literal[i] : f->literal[i]) + negative;
            make_arrows(&m, f, &t, c, i, &chain[s], &out[s]);
            make_choice(&m, &t, i);
        }
    }
    for (uint32_t s = 2; m.mini && s < 2 * (f->n_vars + 1); s++) {
        if (chain[s] != ISO_NONE) {
            op(&m, side(&t, s % 2 != 0)[s / 2], ISO_READ, chain[s], 1);
        }
    }
    iso_free(pool, chain);
    iso_free(pool, out);
    return t;
}

static bool holds(const iso_cnf *f, uint32_t i, const bool *value) {
    return f->literal[i] < 0 ? !value[-f->literal[i]] : value[f->literal[i]];
}

bool iso_cnf_holds(const iso_cnf *f, const bool *value) {
    for (uint32_t c = 0; c < f->n_clauses; c++) {
        bool good = false;
        for (uint32_t i = f->first[c]; i < f->first[c + 1]; i++) {
            good = good || holds(f, i, value);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

void iso_cnf_assignment(const iso_cnf *f, const iso_cnf_txns *t, iso_pool *scratch, const uint32_t *order, uint32_t n,
                        bool *value) {
    uint32_t *place = ISO_ZNEW(scratch, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        place[order[i]] = i;
    }
    for (uint32_t x = 0; x <= f->n_vars; x++) {
        value[x] = t->a[x] != ISO_NONE && place[t->b[x]] < place[t->a[x]];
    }
    iso_free(scratch, place);
}

typedef struct ordering {
    uint32_t *order, n;
} ordering;

static void put(ordering *o, uint32_t txn) {
    if (txn != ISO_NONE) {
        o->order[o->n++] = txn;
    }
}

/* Places the relays of one side of all variables for which `late` says whether it is the true side; then the target. */
static void put_side(const iso_cnf *f, const iso_cnf_txns *t, const bool *value, bool late, ordering *o) {
    for (uint32_t i = 0; i < f->n_literals; i++) {
        if (holds(f, i, value) == late) {
            put(o, t->relay[i]);
        }
    }
    for (uint32_t x = 1; x <= f->n_vars; x++) {
        put(o, value[x] == late ? t->a[x] : t->b[x]);
    }
}

/* docs/reductions.md: one true occurrence of each clause is chosen; its Y comes after its W. */
uint32_t iso_cnf_order(const iso_cnf *f, const iso_cnf_txns *t, iso_pool *scratch, const bool *value, uint32_t *order) {
    ordering o = {order, 0};
    bool *chosen = ISO_ZNEW(scratch, bool, f->n_literals);
    for (uint32_t c = 0; c < f->n_clauses; c++) {
        uint32_t i = f->first[c];
        while (i < f->first[c + 1] && !holds(f, i, value)) {
            i++;
        }
        chosen[i] = true;
        put(&o, t->z[i]);
        for (uint32_t j = next_of(f, c, i); j != i; j = next_of(f, c, j)) {
            put(&o, t->y[j]);
            put(&o, t->z[j]);
        }
    }
    put_side(f, t, value, false, &o);
    for (uint32_t i = 0; i < f->n_literals; i++) {
        if (chosen[i]) {
            put(&o, t->w[i]);
            put(&o, t->q[i]);
            put(&o, t->y[i]);
        }
    }
    put_side(f, t, value, true, &o);
    for (uint32_t i = 0; i < f->n_literals; i++) {
        if (!chosen[i]) {
            put(&o, t->w[i]);
            put(&o, t->q[i]);
        }
    }
    iso_free(scratch, chosen);
    return o.n;
}

typedef struct problem {
    iso_cnf f;
    iso_cnf_txns txns;
    bool printed;
} problem;

static void build(iso_reduce *r, iso_builder *b) {
    problem *u = ISO_ZNEW(r->pool, problem, 1);
    r->state = u;
    r->level = iso_level_find(iso_arg_text(r->args, "level"), NULL);
    bool mini = iso_arg_is(r->args, "construction", "mini"), printed = iso_arg_is(r->args, "construction", "printed");
    if ((mini || printed) && r->level == ISO_PC) {
        iso_throw(r->pool->env, ISOLAB_E_USAGE, "mini-transactions are for si and ser");
    }
    const char *path = iso_arg_text(r->args, "cnf");
    if (path[0] != '\0') {
        u->f = iso_cnf_load(r->pool, path);
    } else {
        iso_rng rng = {iso_arg_count(r->args, "seed")};
        u->f = iso_cnf_random(r->pool, (uint32_t)iso_arg_count(r->args, "vars"),
                              (uint32_t)iso_arg_count(r->args, "clauses"), (uint32_t)iso_arg_count(r->args, "width"),
                              &rng);
    }
    u->printed = printed;
    u->txns = iso_cnf_build(r->pool, &u->f, printed ? ISO_SAT_PRINTED : mini ? ISO_SAT_MINI : ISO_SAT_UNIQUE, b);
}

static void map(const iso_reduce *r, const isolab_history *h, FILE *out) {
    const problem *u = r->state;
    iso_printer json = {.out = out, .target = ISO_JSON};
    char a[ISO_NAME_SIZE], b[ISO_NAME_SIZE], c[ISO_NAME_SIZE];
    for (uint32_t x = 1; x <= u->f.n_vars; x++) {
        if (u->txns.a[x] != ISO_NONE) {
            iso_print(&json, "{\"variable\":%u,\"a\":%s,\"b\":%s}\n", x, iso_txn_text(h, u->txns.a[x], a),
                      iso_txn_text(h, u->txns.b[x], b));
        }
    }
    for (uint32_t k = 0; k < u->f.n_clauses; k++) {
        for (uint32_t i = u->f.first[k]; i < u->f.first[k + 1]; i++) {
            iso_print(&json, "{\"clause\":%u,\"literal\":%d,\"w\":%s,\"y\":%s,\"z\":%s}\n", k + 1, u->f.literal[i],
                      iso_txn_text(h, u->txns.w[i], a), iso_txn_text(h, u->txns.y[i], b),
                      iso_txn_text(h, u->txns.z[i], c));
        }
    }
}

static void print_assignment(const iso_cnf *f, const bool *value, FILE *out) {
    for (uint32_t x = 1; x <= f->n_vars; x++) {
        iso_say(out, " %s%u", value[x] ? "" : "-", x);
    }
    iso_say(out, " 0\n");
}

static bool explain(iso_reduce *r, const isolab_history *h, FILE *out) {
    const problem *u = r->state;
    const iso_cnf *f = &u->f;
    bool *value = ISO_ZNEW(r->pool, bool, (size_t)f->n_vars + 1);
    bool satisfiable = iso_cnf_solve(r->pool->env, f, value);
    iso_say(out, "formula: %u variables, %u clauses: %s (CaDiCaL)\n", f->n_vars, f->n_clauses,
            satisfiable ? "satisfiable" : "unsatisfiable");
    iso_result result;
    isolab_verdict verdict = iso_reduce_ask(r, r->pool, h, r->level, &result);
    iso_say(out, "history: %u transactions, %u operations, level %s: %s\n", h->n_txns, h->n_ops,
            iso_level_get(r->level)->name, iso_verdict_text(verdict));
    bool same = (verdict == ISOLAB_SATISFIED) == satisfiable, good = same || (u->printed && !satisfiable);
    if (!same && good) {
        iso_say(out, "the printed construction gives a satisfied history for an unsatisfiable formula\n");
    }
    if (satisfiable) {
        uint32_t *order = ISO_NEW(r->pool, uint32_t, h->n_txns);
        uint32_t n = iso_cnf_order(f, &u->txns, r->pool, value, order);
        bool serial = iso_replay(h, r->pool, order, n, false);
        iso_say(out, "CaDiCaL's assignment as a commit order: %s\n", serial ? "a serial one" : "NOT a serial one");
        good = good && serial;
    }
    if (verdict == ISOLAB_SATISFIED && result.order != NULL && result.n_order == h->n_txns) {
        iso_cnf_assignment(f, &u->txns, r->pool, result.order, result.n_order, value);
        bool right = iso_cnf_holds(f, value);
        iso_say(out, "the commit order as an assignment (%s):", right ? "satisfies" : "does NOT satisfy");
        print_assignment(f, value, out);
        good = good && (right || u->printed);
    }
    return good;
}

/* Gives a satisfying assignment as a serial order; if values repeat, each read takes the latest write. */
static bool certify(iso_reduce *r, const isolab_history *h, iso_result *result) {
    const problem *u = r->state;
    bool *value = ISO_ZNEW(r->pool, bool, (size_t)u->f.n_vars + 1);
    if (!iso_cnf_solve(r->pool->env, &u->f, value)) {
        return false;
    }
    result->verdict = ISOLAB_SATISFIED;
    result->order = ISO_NEW(result->pool, uint32_t, h->n_txns);
    result->n_order = iso_cnf_order(&u->f, &u->txns, r->pool, value, result->order);
    result->read_from = iso_replay_reads(h, result->pool, result->order, result->n_order);
    return true;
}

static const iso_option options[] = {
    {ISO_TEXT("cnf", "", "file of the formula, in DIMACS; else a random one")},
    {ISO_WORD(
        "construction", "unique", "unique mini printed",
        "unique values (pc, si, ser), mini-transactions without (si, ser), or the paper's own, which does not work")},
    {ISO_WORD("level", "si", "si ser pc", "level that --explain asks for"), .of = ISO_OF_SOME_LEVELS, .letter = 'l'},
    {ISO_COUNT("vars", "5", 1, 1e7, "variables of a random formula")},
    {ISO_COUNT("clauses", "20", 0, 1e7, "clauses of a random formula")},
    {ISO_COUNT("width", "3", 1, 100, "literals of a clause of a random formula")},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of the random formula")},
    ISO_END};

const iso_reduction iso_reduction_sat = {
    .name = "sat",
    .summary = "is a formula satisfiable? As si or ser of a history, with unique values or as mini-transactions",
    .paper = "mtc-appendix.txt theorem 11; Biswas and Enea 2019",
    .options = options,
    .build = build,
    .map = map,
    .explain = explain,
    .certify = certify,
};
