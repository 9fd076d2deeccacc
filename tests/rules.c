/* See rules.h. */
#include "tests/rules.h"

const char *const rule_name[RULES] = {"so",     "rt",  "wr",   "ww",    "rw",    "list",  "shown", "torn",
                                      "choice", "one", "part", "cycle", "axiom", "state", "cut",   "differ"};

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

/* A read took a write: known where it could take nothing else, and its transaction is included. False: it could not. */
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

bool is_write(const world *w, uint32_t o) { return !ref_is_read(w->h, o); }
bool is_list(const world *w, uint32_t o) { return w->h->op_kind[o] == ISO_LIST_READ; }

static bool says_order(const world *w, const line *l, clause *c) {
    const isolab_history *h = w->h;
    uint32_t t = l->at[0].x, u = l->at[1].x;
    if (t == u || aborted(w, t) || aborted(w, u) || !ref_has_order(&w->r) ||
        !(l->rule == RT_ ? ref_in_time(&w->r, t, u)
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
    case ISO_LSER:
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

/* The transactions from which an included or optional one can have read. */
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

bool is_allowed(const world *w, const line *l, clause *c) {
    *c = (clause){.n = 0};
    return (w->commits || l->rule < AXIOM) && says[l->rule](w, l, c);
}
