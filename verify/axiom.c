/* The rules of clausal proofs that use only the commit order (docs/certificates.md): the axioms of the levels
 * (docs/levels.md), the states of lists (docs/lists.md, rule 1), and cut isolation. The order has the included
 * transactions in commit order, and all others after them. So if t is before u and u is included, t is included. */
#include "verify/proof.h"

#include <inttypes.h>

static _Noreturn void refuse(const proof *p, const char *why) {
    iso_refuse(p->v, "proof, line %" PRIu64 ": %s", p->line, why);
}

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool any = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        any |= iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
    }
    return any;
}

/* ---- the axiom: t3 reads x from t1, t2 writes x, and t3 may see t2: t2 is before t1 ---- */

typedef enum { BY_SO, BY_WR, BY_CO, BY_WW } step_kind;

/* Reads one step of the path from t2 to t3 and adds its condition to the clause. Returns the transaction that it leads
 * to. */
static uint32_t step(proof *p, uint32_t from, step_kind *kind, uint32_t *read) {
    const isolab_history *h = p->h;
    uint32_t to;
    if (iso_clausal_take(p, "so")) {
        *kind = BY_SO;
        to = iso_clausal_txn(p);
        if (!p->v->sessions || from >= to || h->txn_session[from] != h->txn_session[to]) {
            refuse(p, "a step that is not session order");
        }
        iso_clausal_add(p, -iso_clausal_included(p, from));
    } else if (iso_clausal_take(p, "wr")) {
        *kind = BY_WR;
        *read = iso_clausal_operation(p);
        uint32_t w = iso_clausal_operation(p);
        to = h->op_txn[*read];
        iso_clausal_add(p, -iso_clausal_took(p, *read, w));
        if (h->op_txn[w] != from || to == from) {
            refuse(p, "a step that is not from a writer to its reader");
        }
    } else if (iso_clausal_take(p, "co")) {
        *kind = BY_CO;
        to = iso_clausal_txn(p);
        if (to == from) {
            refuse(p, "a step from a transaction to itself");
        }
        iso_clausal_add(p, -iso_clausal_before(p, from, to));
    } else if (iso_clausal_take(p, "ww")) {
        *kind = BY_WW;
        uint32_t a = iso_clausal_operation(p), b = iso_clausal_operation(p);
        to = h->op_txn[b];
        if (!iso_is_write(h->op_kind[a]) || !iso_is_write(h->op_kind[b]) || h->op_key[a] != h->op_key[b] ||
            h->op_txn[a] != from || to == from) {
            refuse(p, "a step that is not between two writers of a key");
        }
        iso_clausal_add(p, -iso_clausal_before(p, from, to));
    } else {
        iso_clausal_bad(p, "so, wr, co or ww");
    }
    return to;
}

/* Returns whether the level lets a read see t2 by a path of n steps. weak: all steps except the last are so or wr. */
static bool may_see(const proof *p, uint32_t n, step_kind last, bool weak, uint32_t through, uint32_t read) {
    const iso_verifier *v = p->v;
    bool direct =
        (last == BY_SO && iso_asks(v, ISO_SEES_SESSION)) || (last == BY_WR && iso_asks_read(v, through, read));
    if (iso_asks(v, ISO_SEES_BEFORE) || (last == BY_WW && iso_asks(v, ISO_SEES_CONFLICT))) {
        return true;
    }
    return direct && (n == 1 || iso_asks(v, ISO_SEES_PREFIX) || (weak && iso_asks(v, ISO_SEES_CAUSE)));
}

static void rule_axiom(proof *p) {
    const isolab_history *h = p->h;
    uint32_t read = iso_clausal_operation(p), w = iso_clausal_writer(p), t2 = iso_clausal_txn(p), at = t2;
    uint32_t t1 = w == ISO_INIT ? ISO_INIT : h->op_txn[w], t3 = h->op_txn[read], n = 0, through = 0;
    bool weak = true;
    step_kind kind = BY_SO;
    iso_clausal_add(p, -iso_clausal_took(p, read, w));
    iso_clausal_included(p, t2); /* refuses an aborted transaction */
    if (t1 == t2 || t1 == t3 || t2 == t3 || !writes(h, t2, h->op_key[read])) {
        refuse(p, "not a read and two writers of its key");
    }
    while (*p->at == ' ') {
        p->at++;
        weak = weak && (kind == BY_SO || kind == BY_WR);
        at = step(p, at, &kind, &through);
        n++;
    }
    if (at != t3 || !may_see(p, n, kind, weak, through, read)) {
        refuse(p, "at this level the reader need not see that writer");
    }
    if (t1 != ISO_INIT) {
        iso_clausal_add(p, iso_clausal_before(p, t2, t1));
    }
    iso_clausal_believe(p);
}

/* ---- lists ---- */

/* Finds the transactions from which included transactions may have read. Any other indeterminate transaction can be
 * left out of every order that satisfies the level. */
static void find_readable(proof *p) {
    const isolab_history *h = p->h;
    iso_pool *pool = p->v->pool;
    uint32_t *stack = ISO_NEW(pool, uint32_t, h->n_txns), top = 0;
    p->readable = ISO_ZNEW(pool, uint8_t, h->n_txns);
    p->marked = ISO_ZNEW(pool, uint8_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_status[t] == ISO_COMMITTED) {
            p->readable[t] = 1;
            stack[top++] = t;
        }
    }
    while (top > 0) {
        uint32_t t = stack[--top];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            bool list = h->op_kind[o] == ISO_LIST_READ;
            uint32_t e = list ? h->list_first[h->op_version[o]] : 0;
            uint32_t end = list ? h->list_first[h->op_version[o] + 1] : 1;
            for (; !iso_is_write(h->op_kind[o]) && e < end; e++) {
                uint32_t n;
                const uint32_t *writers = iso_writers(h, list ? h->list_version[e] : h->op_version[o], &n);
                for (uint32_t i = 0; i < n; i++) {
                    iso_tick(pool->env);
                    uint32_t u = h->op_txn[writers[i]];
                    if (h->txn_status[u] == ISO_INDETERMINATE && !p->readable[u]) {
                        p->readable[u] = 1;
                        stack[top++] = u;
                    }
                }
            }
        }
    }
    iso_free(pool, stack);
}

/* Compares the next elements of the list with a transaction's appends; shown counts elements. Returns false if the read
 * shows another element. */
static bool goes_on(const proof *p, uint32_t read, uint32_t length, uint32_t txn, uint32_t *shown) {
    const isolab_history *h = p->h;
    const uint32_t *list = h->list_version + h->list_first[h->op_version[read]];
    bool good = true;
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[read]) {
            good = good && *shown < length && list[*shown] == h->op_version[o];
            ++*shown;
        }
    }
    return good;
}

/* Applies a rule to a read that took an append of t1. If exactly the named transactions, in this order, were the list's
 * writers up to the last named one, which is not after t1, then the list would begin with their elements (and be equal
 * to them if the last one is t1). The rule holds if the read shows another list. */
static void rule_state(proof *p) {
    const isolab_history *h = p->h;
    uint32_t read = iso_clausal_list_read(p), w = iso_clausal_operation(p), key = h->op_key[read], t1 = h->op_txn[w];
    uint32_t length, n = 0, n_without = 0, shown = 0, last = ISO_NONE;
    if (!iso_asks(p->v, ISO_RULE_ORDER)) {
        refuse(p, "the level asks for no order");
    }
    bool good = true, without = false;
    iso_clausal_add(p, -iso_clausal_took(p, read, w));
    if (p->readable == NULL) {
        find_readable(p);
    }
    iso_list_external(h, read, &length); /* it exists, since the read took its last element */
    while (*p->at == ' ') {
        p->at++;
        if (!without && iso_clausal_take(p, "without")) {
            without = true;
            continue;
        }
        p->at--;
        uint32_t t = iso_clausal_txn(p);
        if (!writes(h, t, key) || p->marked[t]) {
            refuse(p, "a transaction that does not write the list, or is named twice");
        }
        ISO_GROW(p->v->pool, p->listed, n + n_without, p->listed_room);
        p->listed[n + n_without] = t;
        p->marked[t] = 1;
        int in = iso_clausal_included(p, t);
        if (without) {
            iso_clausal_add(p, in);
            n_without++;
            continue;
        }
        iso_clausal_add(p, -in);
        if (last != ISO_NONE) {
            iso_clausal_add(p, -iso_clausal_before(p, last, t));
        }
        good = good && goes_on(p, read, length, t, &shown);
        last = t;
        n++;
    }
    if (good && (last != t1 || shown == length)) { /* also if no transaction is named */
        refuse(p, "the read shows exactly these elements");
    }
    if (last != t1) {
        iso_clausal_add(p, iso_clausal_before(p, t1, last));
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (!p->marked[t] && p->readable[t] && writes(h, t, key)) {
            iso_clausal_add(p, iso_clausal_before(p, t, last));
        }
    }
    for (uint32_t i = 0; i < n + n_without; i++) {
        p->marked[p->listed[i]] = 0;
    }
    iso_clausal_believe(p);
}

/* ---- cut isolation: no two values of one key from two other transactions ---- */

static void same_place(const proof *p, uint32_t a, uint32_t b) {
    const isolab_history *h = p->h;
    if (!iso_verify_cuts(p->v) || h->op_txn[a] != h->op_txn[b] || h->op_key[a] != h->op_key[b]) {
        refuse(p, "not two reads of one key in one transaction, at a level with cut isolation");
    }
}

static void rule_cut(proof *p) {
    const isolab_history *h = p->h;
    uint32_t read[2], from[2];
    for (int i = 0; i < 2; i++) {
        read[i] = iso_clausal_operation(p);
        uint32_t w = iso_clausal_writer(p);
        from[i] = w == ISO_INIT ? ISO_INIT : h->op_txn[w];
        iso_clausal_add(p, -iso_clausal_took(p, read[i], w));
        if (w != ISO_INIT) {
            iso_clausal_included(p, from[i]); /* refuses an aborted transaction */
        }
    }
    same_place(p, read[0], read[1]);
    uint32_t t = h->op_txn[read[0]];
    if (h->op_version[read[0]] == h->op_version[read[1]] || from[0] == from[1] || from[0] == t || from[1] == t) {
        refuse(p, "not two values of two other transactions");
    }
    iso_clausal_believe(p);
}

static void rule_differ(proof *p) {
    uint32_t a = iso_clausal_list_read(p), b = iso_clausal_list_read(p);
    same_place(p, a, b);
    if (!iso_lists_differ(p->v, a, b)) {
        refuse(p, "the two reads show one list");
    }
    iso_clausal_add(p, -iso_clausal_included(p, p->h->op_txn[a]));
    iso_clausal_believe(p);
}

bool iso_verify_commit_rule(proof *p) {
    if (iso_clausal_take(p, "axiom")) {
        rule_axiom(p);
    } else if (iso_clausal_take(p, "state")) {
        rule_state(p);
    } else if (iso_clausal_take(p, "cut")) {
        rule_cut(p);
    } else if (iso_clausal_take(p, "differ")) {
        rule_differ(p);
    } else {
        return false;
    }
    return true;
}
