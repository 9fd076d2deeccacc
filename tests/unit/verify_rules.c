/* Lines of clausal proofs (verify/proof.c, verify/axiom.c): the verifier takes exactly the lines that
 * docs/certificates.md allows, and each gives exactly the clause that the document says. On small histories, at every
 * level, in both kinds of proofs: lines that are about right, and with any one of their numbers changed. That a line
 * gives a clause is seen by lemmas: the clause follows, and without any of its literals it does not. */
#include <stdlib.h>

#include "tests/guarded.h"
#include "tests/rules.h"
#include "tests/trial.h"

static iso_env env;

static const char *const word[] = {
    [STEP_SO] = " so", [STEP_WR] = " wr", [STEP_CO] = " co", [STEP_WW] = " ww", [WITHOUT] = " without"};

static uint64_t taken[RULES];

static uint32_t below(world *w, uint64_t n) { return (uint32_t)iso_random_below(&w->rng, n); }

/* ---- what the verifier says ---- */

static size_t put_point(const world *w, char *at, uint32_t p) {
    return (size_t)(w->two ? sprintf(at, " %c%u", p % 2 ? 'c' : 's', p / 2) : sprintf(at, " %u", p));
}

static size_t put_line(const world *w, char *at, const line *l) {
    size_t n = (size_t)sprintf(at, "%s", rule_name[l->rule]);
    for (unsigned i = 0; i < l->n; i++) {
        if (l->at[i].kind == POINT) {
            n += put_point(w, at + n, l->at[i].x);
        } else if (l->at[i].kind >= STEP_SO) {
            n += (size_t)sprintf(at + n, "%s", word[l->at[i].kind]);
        } else if (l->at[i].x == ISO_INIT) {
            n += (size_t)sprintf(at + n, " init");
        } else {
            n += (size_t)sprintf(at + n, " %u", l->at[i].x);
        }
    }
    return n + (size_t)sprintf(at + n, "\n");
}

static size_t put_atoms(const world *w, char *at, const clause *c) {
    size_t n = 0;
    for (unsigned i = 0; i < c->n; i++) {
        const literal *l = &c->at[i];
        n += (size_t)sprintf(at + n, "atom %u ", i + 1);
        if (l->kind == BEFORE) {
            n += (size_t)sprintf(at + n, "before");
            n += put_point(w, at + n, l->a);
            n += put_point(w, at + n, l->b);
        } else if (l->kind == READS) {
            n += (size_t)(l->b == ISO_INIT ? sprintf(at + n, "reads %u init", l->a)
                                           : sprintf(at + n, "reads %u %u", l->a, l->b));
        } else {
            n += (size_t)sprintf(at + n, "in %u", l->a);
        }
        n += (size_t)sprintf(at + n, "\n");
    }
    return n;
}

/* The lemma of a clause, without one of its literals. */
static void put_lemma(char *at, const clause *c, unsigned spared) {
    size_t n = (size_t)sprintf(at, "lemma");
    for (unsigned i = 0; i < c->n; i++) {
        if (i != spared) {
            n += (size_t)sprintf(at + n, " %s%u", c->at[i].negated ? "-" : "", i + 1);
        }
    }
    sprintf(at + n, "\n");
}

static const char open_end[] = "the proof ends without a contradiction";

static bool ends(const char *verdict, const char *with) {
    size_t n = strlen(verdict), m = strlen(with);
    return n >= m && strcmp(verdict + n - m, with) == 0;
}

static bool try_line(world *w, const line *l) {
    clause c;
    bool expected = is_allowed(w, l, &c), empty = expected && c.n == 0 && !c.is_true;
    size_t n = (size_t)sprintf(w->text, "%s", w->head);
    n += put_atoms(w, w->text + n, &c);
    n += put_line(w, w->text + n, l);
    const char *verdict = claim_verdict(&env, w->h, w->text), *should = expected ? "be taken" : "be refused";
    bool took = strcmp(verdict, open_end) == 0 || strcmp(verdict, "valid") == 0;
    bool right = took == expected && (!took || (strcmp(verdict, "valid") == 0) == empty);
    for (unsigned spared = 0; right && expected && !c.is_true && spared <= c.n && c.n > 0; spared++) {
        should = spared == c.n ? "give the clause of the lemma" : "not give less";
        put_lemma(w->text + n, &c, spared);
        verdict = claim_verdict(&env, w->h, w->text);
        right = spared == c.n ? strcmp(verdict, open_end) == 0
                              : ends(verdict, "the lemma does not follow by unit propagation");
    }
    if (right && expected && c.is_true) {
        should = "say nothing";
        put_lemma(w->text + n, &(clause){.n = 0}, 0);
        verdict = claim_verdict(&env, w->h, w->text);
        right = ends(verdict, "the lemma does not follow by unit propagation");
    }
    if (!right && n_wrong++ < 3) {
        diag("seed %llu: the rule should %s, and the verifier says: %s\n%s", (unsigned long long)seed, should, verdict,
             w->text);
        iso_agree_print(&env, w->h);
    }
    n_tried++;
    n_held += expected;
    taken[l->rule] += expected;
    return expected;
}

/* The line with each of its numbers changed, and without its last words. */
static void try_variants(world *w, const line *l) {
    for (unsigned i = 0; i < l->n; i++) {
        unsigned kind = l->at[i].kind;
        uint32_t n = kind == TXN       ? w->h->n_txns
                     : kind == OP      ? w->h->n_ops
                     : kind == WRITE   ? w->h->n_ops + 1
                     : kind == ELEMENT ? 6
                     : kind == POINT   ? w->h->n_txns * (w->two ? 2 : 1)
                                       : 0;
        line other = *l;
        for (uint32_t x = 0; x < n; x++) {
            other.at[i].x = x == w->h->n_ops && kind == WRITE ? ISO_INIT : x;
            try_line(w, &other);
        }
    }
}

/* ---- lines that are about right ---- */

static void put(line *l, unsigned kind, uint32_t x) {
    l->at[l->n].kind = kind;
    l->at[l->n++].x = x;
}

static uint32_t some_txn(world *w) { return below(w, w->h->n_txns); }
static uint32_t some_op(world *w) { return below(w, w->h->n_ops); }

/* A write that the read may have taken, most of the time. */
static uint32_t some_write(world *w, uint32_t read) {
    uint32_t found = below(w, 4) == 0 ? ISO_INIT : some_op(w), n = 0;
    for (uint32_t o = 0; o <= w->h->n_ops; o++) {
        uint32_t from = o == w->h->n_ops ? ISO_INIT : o;
        if (ref_may_read(&w->r, read, from) && below(w, ++n) == 0) {
            found = from;
        }
    }
    return found;
}

/* A read, or one of the same transaction and key; most of the time. */
static uint32_t some_read(world *w, uint32_t like) {
    uint32_t found = some_op(w), n = 0;
    for (uint32_t o = 0; o < w->h->n_ops; o++) {
        if (ref_is_read(w->h, o) && o != like &&
            (like == ISO_NONE || (w->h->op_txn[o] == w->h->op_txn[like] && w->h->op_key[o] == w->h->op_key[like])) &&
            below(w, ++n) == 0) {
            found = o;
        }
    }
    return found;
}

static uint32_t some_writer(world *w, uint32_t key) {
    uint32_t found = some_op(w), n = 0;
    for (uint32_t o = 0; o < w->h->n_ops; o++) {
        if (ref_is_write(w->h, o, key) && below(w, ++n) == 0) {
            found = o;
        }
    }
    return found;
}

typedef struct step {
    uint32_t kind, x, y;
} step;

/* Returns the number of true steps from a transaction to another one. */
static unsigned steps(const world *w, uint32_t at, uint32_t to, step found[]) {
    const isolab_history *h = w->h;
    unsigned n = 0;
    found[n++] = (step){STEP_CO, to, 0};
    if (at < to && h->txn_session[at] == h->txn_session[to]) {
        found[n++] = (step){STEP_SO, to, 0};
    }
    for (uint32_t a = h->txn_op[at]; a < h->txn_op[at + 1]; a++) {
        for (uint32_t b = h->txn_op[to]; b < h->txn_op[to + 1]; b++) {
            if (ref_is_read(h, b) && ref_may_read(&w->r, b, a)) {
                found[n++] = (step){STEP_WR, b, a};
            } else if (is_write(w, a) && is_write(w, b) && h->op_key[a] == h->op_key[b]) {
                found[n++] = (step){STEP_WW, a, b};
            }
        }
    }
    return n;
}

/* A way of few steps to t3. */
static void put_steps(world *w, line *l, uint32_t at, uint32_t t3) {
    for (unsigned left = below(w, 12) == 0 ? 0 : 1 + below(w, 3); left > 0; left--) {
        uint32_t to = left == 1 ? t3 : some_txn(w);
        step found[256], s = {STEP_CO, to, 0};
        unsigned n = steps(w, at, to, found), direct = 0;
        for (unsigned i = 0; i < n; i++) { /* so and wr more often: the weaker levels want these */
            direct += found[i].kind == STEP_SO || found[i].kind == STEP_WR;
        }
        do {
            s = found[below(w, n)];
        } while (direct > 0 && s.kind != STEP_SO && s.kind != STEP_WR && below(w, 3) > 0);
        put(l, s.kind, 0);
        if (s.kind == STEP_SO || s.kind == STEP_CO) {
            put(l, TXN, s.x);
        } else {
            put(l, OP, s.x);
            put(l, OP, s.y);
        }
        at = to;
    }
}

static void put_state(world *w, line *l, uint32_t read) {
    bool without = false;
    put(l, OP, read);
    uint32_t from = some_write(w, read);
    put(l, OP, from < w->h->n_ops ? from : 0);
    for (unsigned n = 1 + below(w, 4); n > 0; n--) {
        put(l, TXN, below(w, 8) == 0 ? some_txn(w) : w->h->op_txn[some_writer(w, w->h->op_key[read])]);
        if (below(w, 5) == 0 && !without) {
            put(l, WITHOUT, 0);
            without = true;
        }
    }
}

/* A list and an append that is torn in it, where there is one. */
static void put_torn(world *w, line *l, uint32_t read) {
    uint32_t append = some_writer(w, w->h->op_key[read]), n = 0;
    for (uint32_t i = 0; i < w->h->n_ops * w->h->n_ops; i++) {
        uint32_t r = i / w->h->n_ops, a = i % w->h->n_ops;
        if (is_list(w, r) && is_write(w, a) && (ref_lost(w->h, r, a) || ref_duplicate(w->h, r, a)) &&
            below(w, ++n) == 0) {
            read = r;
            append = a;
        }
    }
    put(l, OP, read);
    put(l, OP, append);
}

static line some_line(world *w, unsigned rule) {
    line l = {.rule = rule};
    uint32_t read = some_read(w, ISO_NONE);
    switch (rule) {
    case SO_:
    case RT_:
        put(&l, TXN, some_txn(w));
        put(&l, TXN, some_txn(w));
        break;
    case TORN:
        put_torn(w, &l, read);
        break;
    case WR_:
    case PART: {
        uint32_t from = some_write(w, read);
        put(&l, OP, read);
        put(&l, OP, from < w->h->n_ops ? from : some_op(w));
        break;
    }
    case WW_: {
        uint32_t a = some_op(w);
        put(&l, OP, a);
        put(&l, OP, some_writer(w, w->h->op_key[a]));
        break;
    }
    case RW_:
        put(&l, OP, read);
        put(&l, WRITE, some_write(w, read));
        put(&l, OP, some_writer(w, w->h->op_key[read]));
        break;
    case LIST_:
        put(&l, OP, read);
        put(&l, TXN, w->h->op_txn[some_writer(w, w->h->op_key[read])]);
        put(&l, TXN, w->h->op_txn[some_writer(w, w->h->op_key[read])]);
        break;
    case SHOWN:
        put(&l, OP, read);
        put(&l, ELEMENT, below(w, 4));
        break;
    case CHOICE:
        put(&l, OP, read);
        break;
    case ONE:
        put(&l, OP, read);
        put(&l, WRITE, some_write(w, read));
        put(&l, WRITE, some_write(w, read));
        break;
    case CYCLE:
        for (unsigned n = 1 + below(w, 4); n > 0; n--) {
            put(&l, POINT, below(w, w->h->n_txns * (w->two ? 2 : 1)));
        }
        break;
    case AXIOM: {
        uint32_t t2 = w->h->op_txn[some_writer(w, w->h->op_key[read])];
        put(&l, OP, read);
        put(&l, WRITE, some_write(w, read));
        put(&l, TXN, t2);
        put_steps(w, &l, t2, w->h->op_txn[read]);
        break;
    }
    case STATE:
        put_state(w, &l, read);
        break;
    case CUT:
        put(&l, OP, read);
        put(&l, WRITE, some_write(w, read));
        read = some_read(w, read);
        put(&l, OP, read);
        put(&l, WRITE, some_write(w, read));
        break;
    default:
        put(&l, OP, read);
        put(&l, OP, some_read(w, read));
    }
    return l;
}

static void try_world(const isolab_history *h, iso_level level, bool sessions, bool commits) {
    static world w;
    memset(&w, 0, sizeof w);
    w.h = h;
    w.r = reference_of(h, level, sessions);
    w.commits = commits;
    w.two = !commits && (level == ISO_PC || level == ISO_SI);
    w.si = level == ISO_SI;
    w.rng = (iso_rng){seed * 100 + (uint64_t)level * 2 + commits};
    snprintf(w.head, sizeof w.head, "level %s\n%sviolated\nproof%s\n", iso_level_get(level)->name,
             sessions ? "" : "no-session-order\n", commits ? " commits" : "");
    for (unsigned rule = 0; rule < RULES; rule++) {
        bool good = false, rare = rule == AXIOM || rule == STATE || rule == CUT || rule == RW_;
        for (unsigned i = 0; i < (rule == AXIOM ? 30 : rare ? 12 : 4); i++) {
            line l = some_line(&w, rule);
            good = try_line(&w, &l);
            if (i == 0 || (good && below(&w, 4) == 0)) {
                try_variants(&w, &l);
            }
        }
    }
}

static void try_levels(const isolab_history *h) {
    for (int level = ISO_INT; h->n_ops > 0 && level < iso_n_levels && n_wrong == 0; level++) {
        try_world(h, level, true, true);
        if (level >= ISO_PC) {
            try_world(h, level, true, false);
        }
        if (level == ISO_SI || level == ISO_SER) {
            try_world(h, level, false, seed % 2);
        }
    }
}

static void run(void *arg) {
    (void)arg;
    iso_small_shape plain = {
        .txns = 5, .ops = 3, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .times = true};
    iso_small_shape lists = plain, twice = plain, both = plain, wild = plain;
    lists.lists = both.lists = twice.duplicates = both.duplicates = wild.wild = wild.lists = true;
    both.keys = 1;
    try_written(&env, try_levels);
    try_shape(&env, try_levels, &plain, "registers", iso_agree_rounds(4, 12, 4000));
    try_shape(&env, try_levels, &twice, "repeated values", iso_agree_rounds(8, 12, 4000));
    try_shape(&env, try_levels, &lists, "lists", iso_agree_rounds(6, 12, 4000));
    try_shape(&env, try_levels, &both, "lists with repeated elements", iso_agree_rounds(8, 12, 4000));
    try_shape(&env, try_levels, &wild, "wild histories", iso_agree_rounds(4, 12, 4000));
    try_shape(&env, try_levels, NULL, "raw histories", iso_agree_rounds(12, 20, 4000));
    for (unsigned rule = 0; rule < RULES; rule++) {
        if (!skip_unselected(rule_name[rule])) {
            ok(taken[rule] > 0, "%s: %llu hold", rule_name[rule], (unsigned long long)taken[rule]);
        }
    }
    diag("seed %llu", (unsigned long long)seed_or(1));
}

int main(void) { return run_guarded(&env, run); }
