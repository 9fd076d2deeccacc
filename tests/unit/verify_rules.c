/* Lines of clausal proofs (verify/proof.c, verify/axiom.c): the verifier takes exactly the ones that docs/certificates.md allows, and
 * each gives exactly the clause that the document says. On small histories, at every level, in both kinds of proofs: lines that
 * are about right, and with any one of their numbers changed. That a line gives a clause is seen by lemmas: the clause follows, and
 * without any of its literals it does not. */
#include <stdlib.h>

#include "base/random.h"
#include "tests/agree.h"
#include "tests/claims.h"
#include "tests/guarded.h"
#include "tests/raw.h"
#include "tests/reference.h"

#define MOST 40 /* words of a line, literals of a clause */

static iso_env env;

/* ---- lines ---- */

enum { SO_, RT_, WR_, WW_, RW_, LIST_, SHOWN, TORN, CHOICE, ONE, PART, CYCLE, AXIOM, STATE, CUT, DIFFER, RULES };
static const char *const rule_name[RULES] = {"so",     "rt",  "wr",   "ww",    "rw",    "list",  "shown", "torn",
                                             "choice", "one", "part", "cycle", "axiom", "state", "cut",   "differ"};
/* Numbers: a transaction, an operation, a write or `init`, an element, a point. Words stand for themselves. */
enum { TXN, OP, WRITE, ELEMENT, POINT, STEP_SO, STEP_WR, STEP_CO, STEP_WW, WITHOUT };
static const char *const word[] = {
    [STEP_SO] = " so", [STEP_WR] = " wr", [STEP_CO] = " co", [STEP_WW] = " ww", [WITHOUT] = " without"};

typedef struct line {
    unsigned rule, n;
    struct {
        unsigned kind;
        uint32_t x;
    } at[MOST];
} line;

/* A literal: point a before point b, read a took b, or transaction a takes part. */
typedef struct literal {
    enum { BEFORE, READS, IN } kind;
    uint32_t a, b;
    bool negated;
} literal;

typedef struct clause {
    literal at[MOST];
    unsigned n;
    bool is_true;
} clause;

typedef struct world {
    reference r;
    const isolab_history *h;
    iso_rng rng;
    bool commits, two, si; /* the kind of proof; two points a transaction, as for si */
    char head[256];
    char text[8192];
} world;

static uint64_t n_tried, n_taken, taken[RULES], n_wrong, seed;

static uint32_t below(world *w, uint64_t n) { return (uint32_t)iso_random_below(&w->rng, n); }

/* ---- what the document says ---- */

static bool same_atom(const literal *x, const literal *y) { return x->kind == y->kind && x->a == y->a && x->b == y->b; }

static void add(clause *c, literal l) {
    for (unsigned i = 0; i < c->n; i++) {
        if (same_atom(&c->at[i], &l)) {
            c->is_true = c->is_true || c->at[i].negated != l.negated;
            return;
        }
    }
    c->at[c->n++] = l;
}

static void add_known(clause *c, bool value) { c->is_true = c->is_true || value; }

static void add_before(const world *w, clause *c, uint32_t p, uint32_t q, bool negated) {
    if (w->two && p / 2 == q / 2) {
        add_known(c, (p < q) != negated);
    } else {
        add(c, p < q ? (literal){BEFORE, p, q, negated} : (literal){BEFORE, q, p, !negated});
    }
}

/* t before u as a dependency has it, as an anti-dependency has it, and as versions have it. */
static void add_depends(const world *w, clause *c, uint32_t t, uint32_t u, bool negated) {
    add_before(w, c, w->two ? 2 * t + 1 : t, w->two ? 2 * u : u, negated);
}
static void add_anti(const world *w, clause *c, uint32_t t, uint32_t u) {
    add_before(w, c, w->two ? 2 * t : t, w->two ? 2 * u + 1 : u, false);
}
static void add_precedes(const world *w, clause *c, uint32_t t, uint32_t u) {
    add_before(w, c, w->two ? 2 * t + 1 : t, !w->two ? u : w->si ? 2 * u : 2 * u + 1, false);
}

static bool aborted(const world *w, uint32_t t) { return w->h->txn_status[t] == ISO_ABORTED; }

static void add_in(const world *w, clause *c, uint32_t t, bool negated) {
    if (w->r.in[t]) {
        add_known(c, !negated);
    } else {
        add(c, (literal){IN, t, 0, negated});
    }
}

/* A read took a write: known where it could take nothing else, and its transaction takes part. False: it could not. */
static bool add_took(const world *w, clause *c, uint32_t read, uint32_t from, bool negated) {
    uint32_t last;
    if (!ref_is_read(w->h, read) || !ref_may_read(&w->r, read, from)) {
        return false;
    }
    if (ref_takes(&w->r, read, &last) == 1 && w->r.in[w->h->op_txn[read]]) {
        add_known(c, !negated);
    } else {
        add(c, (literal){READS, read, from, negated});
    }
    return true;
}

static bool is_write(const world *w, uint32_t o) { return !ref_is_read(w->h, o); }
static bool is_list(const world *w, uint32_t o) { return w->h->op_kind[o] == ISO_LIST_READ; }

static bool says_order(const world *w, const line *l, clause *c) {
    const isolab_history *h = w->h;
    uint32_t t = l->at[0].x, u = l->at[1].x;
    bool real_time = h->txn_start != NULL && h->txn_end[t] != ISO_NO_TIME && h->txn_start[u] != ISO_NO_TIME &&
                     h->txn_end[t] < h->txn_start[u];
    if (t == u || aborted(w, t) || aborted(w, u) || !ref_has_order(&w->r) ||
        !(l->rule == RT_ ? w->r.level == ISO_SSER && real_time
                         : w->r.sessions && t < u && h->txn_session[t] == h->txn_session[u])) {
        return false;
    }
    add_in(w, c, t, true);
    add_depends(w, c, t, u, false);
    return true;
}

static bool says_wr(const world *w, const line *l, clause *c) {
    uint32_t read = l->at[0].x, from = l->at[1].x, t = w->h->op_txn[from], u = w->h->op_txn[read];
    if (!ref_has_order(&w->r) || !add_took(w, c, read, from, true)) {
        return false;
    }
    if (t == u) {
        add_known(c, true);
    } else {
        add_depends(w, c, t, u, false);
    }
    return true;
}

static bool says_ww(const world *w, const line *l, clause *c) {
    uint32_t a = l->at[0].x, b = l->at[1].x, t = w->h->op_txn[a], u = w->h->op_txn[b];
    if (w->commits || w->r.level == ISO_PC || !is_write(w, a) || !is_write(w, b) ||
        w->h->op_key[a] != w->h->op_key[b] || t == u || aborted(w, t) || aborted(w, u)) {
        return false;
    }
    add_depends(w, c, t, u, false);
    add_depends(w, c, u, t, false);
    return true;
}

static bool says_rw(const world *w, const line *l, clause *c) {
    uint32_t read = l->at[0].x, from = l->at[1].x, other = l->at[2].x;
    uint32_t t1 = ref_txn_of(w->h, from), t2 = w->h->op_txn[other], t3 = w->h->op_txn[read];
    if ((w->commits && !ref_serial(&w->r)) || !is_write(w, other) || w->h->op_key[other] != w->h->op_key[read] ||
        t1 == t2 || t2 == t3 || t1 == t3 || aborted(w, t2) || !add_took(w, c, read, from, true)) {
        return false;
    }
    if (from != ISO_INIT) {
        add_precedes(w, c, t2, t1);
    }
    add_anti(w, c, t3, t2);
    return true;
}

static bool says_list(const world *w, const line *l, clause *c) {
    uint32_t read = l->at[0].x, t = l->at[1].x, u = l->at[2].x;
    if (!ref_list_orders(&w->r, read, t, u) || aborted(w, w->h->op_txn[read]) || aborted(w, t) || aborted(w, u)) {
        return false;
    }
    add_in(w, c, w->h->op_txn[read], true);
    add_precedes(w, c, t, u);
    return true;
}

static bool says_shown(const world *w, const line *l, clause *c) {
    const isolab_history *h = w->h;
    uint32_t read = l->at[0].x, e = l->at[1].x, reader = h->op_txn[read];
    if (!is_list(w, read) || aborted(w, reader)) {
        return false;
    }
    uint32_t version = ref_element(h, read, e), only = version == ISO_NONE ? ISO_NONE : ref_only_write(h, version);
    bool fits = w->r.level == ISO_CI ? only != ISO_NONE && h->op_txn[only] != reader && !aborted(w, h->op_txn[only])
                                     : (int64_t)e < ref_external(h, read);
    for (uint32_t o = 0; fits && o < h->n_ops; o++) {
        if (is_write(w, o) && h->op_version[o] == version && h->op_txn[o] != reader && !aborted(w, h->op_txn[o])) {
            add_in(w, c, h->op_txn[o], false);
        }
    }
    add_in(w, c, reader, true);
    return fits;
}

static bool says_torn(const world *w, const line *l, clause *c) {
    uint32_t read = l->at[0].x, append = l->at[1].x;
    if (w->r.level < ISO_G1 || !is_list(w, read) || w->h->op_kind[append] != ISO_APPEND ||
        aborted(w, w->h->op_txn[read]) || !(ref_lost(w->h, read, append) || ref_duplicate(w->h, read, append))) {
        return false;
    }
    add_in(w, c, w->h->op_txn[read], true);
    return true;
}

static bool says_choice(const world *w, const line *l, clause *c) {
    uint32_t read = l->at[0].x, n = 0;
    if (!ref_is_read(w->h, read) || aborted(w, w->h->op_txn[read])) {
        return false;
    }
    add_in(w, c, w->h->op_txn[read], true);
    for (uint32_t o = 0; o <= w->h->n_ops; o++) {
        uint32_t from = o == w->h->n_ops ? ISO_INIT : o;
        if (ref_may_read(&w->r, read, from) && (!is_list(w, read) || ref_list_consistent(&w->r, read))) {
            n++;
            add(c, (literal){READS, read, from, false});
        }
    }
    return w->r.level != ISO_CI || n > 0;
}

static bool says_one(const world *w, const line *l, clause *c) {
    return l->at[1].x != l->at[2].x && add_took(w, c, l->at[0].x, l->at[1].x, true) &&
           add_took(w, c, l->at[0].x, l->at[2].x, true);
}

static bool says_part(const world *w, const line *l, clause *c) {
    uint32_t t = w->h->op_txn[l->at[1].x];
    if (aborted(w, t) || !add_took(w, c, l->at[0].x, l->at[1].x, true)) {
        return false;
    }
    add_in(w, c, t, false);
    return true;
}

static bool says_cycle(const world *w, const line *l, clause *c) {
    bool good = l->n >= 2;
    for (unsigned i = 0; i < l->n; i++) {
        uint32_t p = l->at[i].x, q = l->at[(i + 1) % l->n].x;
        good = good && p != q;
        if (good) {
            add_before(w, c, p, q, true);
        }
    }
    return good;
}

/* The steps of an axiom line from its word `i` on: from t2 to the reader. */
static bool is_shown_by(const world *w, const line *l, unsigned i, clause *c) {
    const isolab_history *h = w->h;
    uint32_t at = l->at[2].x, read = l->at[0].x, t3 = h->op_txn[read], through = ISO_NONE;
    unsigned n = 0, last = 0;
    bool weak = true, only_weak = true, good = true;
    while (good && i < l->n) {
        uint32_t to, x = l->at[i + 1].x;
        last = l->at[i++].kind;
        switch (last) {
        case STEP_SO:
        case STEP_CO:
            to = x;
            i++;
            good = last == STEP_CO
                       ? at != to
                       : w->r.sessions && at < to && h->txn_session[at] == h->txn_session[to] && !aborted(w, at);
            if (good && last == STEP_SO) {
                add_in(w, c, at, true);
            } else if (good) {
                add_before(w, c, at, to, true);
            }
            break;
        case STEP_WR:
            through = x;
            to = h->op_txn[x];
            good = h->op_txn[l->at[i + 1].x] == at && to != at && add_took(w, c, x, l->at[i + 1].x, true);
            i += 2;
            break;
        default: {
            uint32_t y = l->at[i + 1].x;
            to = h->op_txn[y];
            good = is_write(w, x) && is_write(w, y) && h->op_key[x] == h->op_key[y] && h->op_txn[x] == at && to != at;
            i += 2;
            if (good) {
                add_before(w, c, at, to, true);
            }
        }
        }
        weak = last == STEP_SO || last == STEP_WR;
        only_weak = only_weak && weak;
        at = to;
        n++;
    }
    if (!good || n == 0 || at != t3) {
        return false;
    }
    switch (w->r.level) {
    case ISO_RC:
    case ISO_RC_PLUME:
        return n == 1 && last == STEP_WR && through < read &&
               (w->r.level == ISO_RC || h->op_key[through] != h->op_key[read]);
    case ISO_RA:
        return n == 1 && weak;
    case ISO_CC:
        return only_weak;
    case ISO_PC:
        return weak;
    case ISO_SI:
        return weak || last == STEP_WW;
    case ISO_SER:
    case ISO_SSER:
        return true;
    default:
        return false;
    }
}

static bool says_axiom(const world *w, const line *l, clause *c) {
    uint32_t read = l->at[0].x, from = l->at[1].x, t2 = l->at[2].x, t1 = ref_txn_of(w->h, from),
             t3 = w->h->op_txn[read];
    if (!add_took(w, c, read, from, true) || t1 == t2 || t1 == t3 || t2 == t3 || aborted(w, t2) ||
        !ref_writes(w->h, t2, w->h->op_key[read]) || !is_shown_by(w, l, 3, c)) {
        return false;
    }
    if (from != ISO_INIT) {
        add_before(w, c, t2, t1, false);
    }
    return true;
}

/* The ones that one that may take part can have read from. */
static void find_readable(const world *w, bool *readable) {
    const isolab_history *h = w->h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        readable[t] = h->txn_status[t] == ISO_COMMITTED;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t o = 0; o < h->n_ops; o++) {
            for (uint32_t v = 0; ref_is_read(h, o) && readable[h->op_txn[o]] && v < h->n_ops; v++) {
                bool read = !ref_is_read(h, v) && !is_list(w, o) && h->op_version[v] == h->op_version[o];
                for (uint32_t e = 0; is_list(w, o) && is_write(w, v) && e < ref_length(h, o); e++) {
                    read = read || ref_element(h, o, e) == h->op_version[v];
                }
                if (read && h->txn_status[h->op_txn[v]] == ISO_INDETERMINATE && !readable[h->op_txn[v]]) {
                    readable[h->op_txn[v]] = more = true;
                }
            }
        }
    }
}

static bool says_state(const world *w, const line *l, clause *c) {
    const isolab_history *h = w->h;
    uint32_t read = l->at[0].x, from = l->at[1].x, key = h->op_key[read], t1 = h->op_txn[from], last = ISO_NONE;
    if (w->r.level < ISO_G1 || !is_list(w, read) || !add_took(w, c, read, from, true)) {
        return false;
    }
    bool named[32] = {false}, readable[32], same = true, without = false;
    uint32_t shown = 0;
    for (unsigned i = 2; i < l->n; i++) {
        uint32_t t = l->at[i].x;
        if (l->at[i].kind == WITHOUT) {
            if (without) {
                return false;
            }
            without = true;
            continue;
        }
        if (!ref_writes(h, t, key) || named[t] || aborted(w, t)) {
            return false;
        }
        named[t] = true;
        add_in(w, c, t, !without);
        if (without) {
            continue;
        }
        if (last != ISO_NONE) {
            add_before(w, c, last, t, true);
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (ref_is_write(h, o, key)) {
                same =
                    same && (int64_t)shown < ref_external(h, read) && ref_element(h, read, shown) == h->op_version[o];
                shown++;
            }
        }
        last = t;
    }
    if (last == ISO_NONE || (same && (last != t1 || (int64_t)shown == ref_external(h, read)))) {
        return false;
    }
    if (last != t1) {
        add_before(w, c, t1, last, false);
    }
    find_readable(w, readable);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (!named[t] && !aborted(w, t) && readable[t] && ref_writes(h, t, key)) {
            add_before(w, c, t, last, false);
        }
    }
    return true;
}

static bool in_one_place(const world *w, uint32_t a, uint32_t b) {
    return w->r.level == ISO_CI && w->h->op_txn[a] == w->h->op_txn[b] && w->h->op_key[a] == w->h->op_key[b] &&
           w->h->op_kind[a] == w->h->op_kind[b];
}

static bool says_cut(const world *w, const line *l, clause *c) {
    uint32_t a = l->at[0].x, b = l->at[2].x, from = ref_txn_of(w->h, l->at[1].x), other = ref_txn_of(w->h, l->at[3].x);
    uint32_t t = w->h->op_txn[a];
    return in_one_place(w, a, b) && w->h->op_kind[a] == ISO_READ && w->h->op_version[a] != w->h->op_version[b] &&
           from != other && from != t && other != t && (from == ISO_INIT || !aborted(w, from)) &&
           (other == ISO_INIT || !aborted(w, other)) && add_took(w, c, a, l->at[1].x, true) &&
           add_took(w, c, b, l->at[3].x, true);
}

static bool says_differ(const world *w, const line *l, clause *c) {
    uint32_t a = l->at[0].x, b = l->at[1].x;
    if (!is_list(w, a) || !in_one_place(w, a, b) || aborted(w, w->h->op_txn[a]) || !ref_lists_differ(w->h, a, b)) {
        return false;
    }
    add_in(w, c, w->h->op_txn[a], true);
    return true;
}

typedef bool says_fn(const world *w, const line *l, clause *c);
static says_fn *const says[RULES] = {says_order, says_order, says_wr,     says_ww,    says_rw,   says_list,
                                     says_shown, says_torn,  says_choice, says_one,   says_part, says_cycle,
                                     says_axiom, says_state, says_cut,    says_differ};

static bool is_allowed(const world *w, const line *l, clause *c) {
    *c = (clause){.n = 0};
    return (w->commits || l->rule < AXIOM) && says[l->rule](w, l, c);
}

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
    n_taken += expected;
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

/* All steps from a transaction to another one that say what is true: how many. */
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
    w.rng = (iso_rng){seed * 100 + level * 2 + commits};
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
    for (iso_level level = ISO_INT; h->n_ops > 0 && level < ISO_LEVELS && n_wrong == 0; level++) {
        try_world(h, level, true, true);
        if (level >= ISO_PC) {
            try_world(h, level, true, false);
        }
        if (level == ISO_SI || level == ISO_SER) {
            try_world(h, level, false, seed % 2);
        }
    }
}

/* No shape: histories in which most reads make no sense. */
static void try_shape(const iso_small_shape *s, const char *what, uint64_t rounds) {
    uint64_t tried = n_tried, held = n_taken, first = iso_agree_seed(1);
    for (seed = first; seed < first + rounds && n_wrong == 0; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_rng rng = {seed};
        try_levels(s != NULL ? iso_random_small(&pool, seed, s) : raw_small(&pool, &rng, 4, 12));
        iso_pool_free(&pool);
    }
    ok(n_wrong == 0, "%s: %llu lines tried, %llu hold", what, (unsigned long long)(n_tried - tried),
       (unsigned long long)(n_taken - held));
}

static void try_written(void) {
    for (seed = 0; seed < 3 * CLAIM_HISTORIES; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        try_levels(history_of(&pool, claim_histories[seed % CLAIM_HISTORIES]));
        iso_pool_free(&pool);
    }
    ok(n_wrong == 0, "%zu histories by hand", CLAIM_HISTORIES);
}

static void run(void *arg) {
    (void)arg;
    iso_small_shape plain = {
        .txns = 5, .ops = 3, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .times = true};
    iso_small_shape lists = plain, twice = plain, both = plain, wild = plain;
    lists.lists = both.lists = twice.duplicates = both.duplicates = wild.wild = wild.lists = true;
    both.keys = 1;
    try_written();
    try_shape(&plain, "registers", iso_agree_rounds(4, 25, 4000));
    try_shape(&twice, "repeated values", iso_agree_rounds(8, 25, 4000));
    try_shape(&lists, "lists", iso_agree_rounds(6, 25, 4000));
    try_shape(&both, "lists with repeated elements", iso_agree_rounds(8, 25, 4000));
    try_shape(&wild, "wild histories", iso_agree_rounds(4, 25, 4000));
    try_shape(NULL, "raw histories", iso_agree_rounds(12, 40, 4000));
    for (unsigned rule = 0; rule < RULES; rule++) {
        ok(taken[rule] > 0, "%s: %llu hold", rule_name[rule], (unsigned long long)taken[rule]);
    }
    diag("seed %llu", (unsigned long long)iso_agree_seed(1));
}

int main(void) { return run_guarded(&env, run); }
