/* See executions.h. */
#include "tests/executions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t txn_of(const isolab_history *h, uint32_t w) { return w < h->n_ops ? h->op_txn[w] : w; }

static bool is_write_of(const isolab_history *h, uint32_t o, uint32_t key) {
    return iso_is_write(h->op_kind[o]) && h->op_key[o] == key;
}

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool any = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        any |= is_write_of(h, o, key);
    }
    return any;
}

/* Does the transaction of a write write its key again, between it and another operation? */
static bool again(const isolab_history *h, uint32_t w, uint32_t before) {
    bool any = false;
    for (uint32_t o = w + 1; o < before; o++) {
        any |= is_write_of(h, o, h->op_key[w]);
    }
    return any;
}

uint32_t execution_source(const execution *x, uint32_t read) { return txn_of(x->h, x->from[read]); }

/* ---- INT ---- */

/* The six clauses of INT for a read of a register that took write w. */
static bool may_take(const execution *x, uint32_t r, uint32_t w) {
    const isolab_history *h = x->h;
    uint32_t t = h->op_txn[r], first = h->txn_op[t];
    if (w == ISO_NONE) {
        return false;
    }
    if (txn_of(h, w) == t) {
        return w < r && !again(h, w, r);
    }
    for (uint32_t o = first; o < r; o++) {
        if (is_write_of(h, o, h->op_key[r])) {
            return false;
        }
    }
    return w == ISO_INIT || (x->in[h->op_txn[w]] && !again(h, w, h->txn_op[h->op_txn[w] + 1]));
}

/* The elements that a list read shows of others: the list without the own appends at its end. False: they are not
 * there. */
static bool external(const isolab_history *h, uint32_t r, const uint32_t **list, uint32_t *n) {
    uint32_t first = h->list_first[h->op_version[r]];
    *list = h->list_version + first;
    *n = h->list_first[h->op_version[r] + 1] - first;
    for (uint32_t o = r; o-- > h->txn_op[h->op_txn[r]];) {
        if (is_write_of(h, o, h->op_key[r])) {
            if (*n == 0 || (*list)[*n - 1] != h->op_version[o]) {
                return false;
            }
            --*n;
        }
    }
    return true;
}

/* Returns whether other included transactions appended all elements, and the last element is its transaction's last
 * append to the key. */
static bool list_is_consistent(const execution *x, uint32_t r) {
    const isolab_history *h = x->h;
    const uint32_t *list;
    uint32_t n;
    if (!external(h, r, &list, &n)) {
        return false;
    }
    for (uint32_t e = 0; e < n; e++) {
        uint32_t m;
        const uint32_t *w = iso_writers(h, list[e], &m);
        bool found = false;
        for (uint32_t i = 0; i < m; i++) {
            uint32_t t = h->op_txn[w[i]];
            found |= t != h->op_txn[r] && x->in[t] && !(e + 1 == n && again(h, w[i], h->txn_op[t + 1]));
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* ---- ci ---- */

/* Does the reader append this element at any time? */
static bool is_own(const isolab_history *h, uint32_t r, uint32_t version) {
    bool own = false;
    for (uint32_t o = h->txn_op[h->op_txn[r]]; o < h->txn_op[h->op_txn[r] + 1]; o++) {
        own |= iso_is_write(h->op_kind[o]) && h->op_version[o] == version;
    }
    return own;
}

/* The elements of a list that the reader did not append itself. */
static uint32_t foreign(const isolab_history *h, uint32_t r, uint32_t *out) {
    uint32_t n = 0;
    for (uint32_t e = h->list_first[h->op_version[r]]; e < h->list_first[h->op_version[r] + 1]; e++) {
        if (!is_own(h, r, h->list_version[e])) {
            out[n++] = h->list_version[e];
        }
    }
    return n;
}

static bool are_two_values(const execution *x, uint32_t r, uint32_t s) {
    const isolab_history *h = x->h;
    if (h->op_kind[r] == ISO_LIST_READ) {
        uint32_t one[256], two[256], n = foreign(h, r, one), m = foreign(h, s, two);
        return n != m || memcmp(one, two, n * sizeof *one) != 0;
    }
    uint32_t a = execution_source(x, r), b = execution_source(x, s), t = h->op_txn[r];
    bool part = (a == ISO_INIT || (a != ISO_NONE && x->in[a])) && (b == ISO_INIT || (b != ISO_NONE && x->in[b]));
    return part && a != b && a != t && b != t && h->op_version[r] != h->op_version[s];
}

/* Returns whether every transaction that an included one reads from is included, unless it aborted. */
static bool is_closed(const execution *x, uint32_t r) {
    const isolab_history *h = x->h;
    if (h->op_kind[r] == ISO_READ) {
        uint32_t t = execution_source(x, r);
        return t >= h->n_txns || x->in[t] || h->txn_status[t] == ISO_ABORTED;
    }
    for (uint32_t e = h->list_first[h->op_version[r]]; e < h->list_first[h->op_version[r] + 1]; e++) {
        uint32_t n;
        const uint32_t *w = iso_writers(h, h->list_version[e], &n);
        if (n == 1 && !x->in[h->op_txn[w[0]]] && h->txn_status[h->op_txn[w[0]]] != ISO_ABORTED) {
            return false;
        }
    }
    return true;
}

static bool is_cut(const execution *x, uint32_t r) {
    const isolab_history *h = x->h;
    for (uint32_t s = h->txn_op[h->op_txn[r]]; s < r; s++) {
        if (!iso_is_write(h->op_kind[s]) && h->op_key[s] == h->op_key[r] && are_two_values(x, r, s)) {
            return false;
        }
    }
    return is_closed(x, r);
}

/* ---- the commit order ---- */

/* Rule 1 of docs/lists.md: the read shows the list after some other transaction. Sets from. */
static bool shows_a_state(execution *x, uint32_t r) {
    const isolab_history *h = x->h;
    const uint32_t *list;
    uint32_t n, shown = 0, last = ISO_INIT;
    if (!external(h, r, &list, &n)) {
        return false;
    }
    for (uint32_t i = 0; i < x->n && shown < n; i++) {
        for (uint32_t o = h->txn_op[x->order[i]]; o < h->txn_op[x->order[i] + 1]; o++) {
            if (is_write_of(h, o, h->op_key[r])) {
                if (shown == n || list[shown] != h->op_version[o]) {
                    return false;
                }
                shown++;
                last = o;
            }
        }
    }
    x->from[r] = last;
    return shown == n && txn_of(h, last) != h->op_txn[r];
}

static void relate(execution *x) {
    const isolab_history *h = x->h;
    memset(x->direct, 0, sizeof x->direct);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t u = t + 1; u < h->n_txns; u++) {
            x->direct[t][u] = x->sessions && x->in[t] && x->in[u] && h->txn_session[t] == h->txn_session[u];
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o], from = iso_is_write(h->op_kind[o]) ? ISO_NONE : execution_source(x, o);
        if (x->in[t] && from < h->n_txns && from != t) {
            x->direct[from][t] = true;
        }
    }
    memcpy(x->causal, x->direct, sizeof x->causal);
    for (uint32_t via = 0; via < h->n_txns; via++) {
        for (uint32_t t = 0; t < h->n_txns; t++) {
            for (uint32_t u = 0; u < h->n_txns; u++) {
                x->causal[t][u] |= x->causal[t][via] && x->causal[via][u];
            }
        }
    }
}

static bool conflict(const isolab_history *h, uint32_t t, uint32_t u) {
    bool any = false;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        any |= writes(h, t, k) && writes(h, u, k);
    }
    return any;
}

bool execution_sees(const execution *x, uint32_t t3, uint32_t t2, uint32_t read) {
    const isolab_history *h = x->h;
    bool any = false;
    switch (x->level) {
    case ISO_RC:
    case ISO_RC_PLUME:
        for (uint32_t o = h->txn_op[t3]; o < read; o++) {
            any |= !iso_is_write(h->op_kind[o]) && execution_source(x, o) == t2 &&
                   (x->level == ISO_RC || h->op_key[o] != h->op_key[read]);
        }
        return any;
    case ISO_RA:
        return x->direct[t2][t3];
    case ISO_CC:
        return x->causal[t2][t3];
    case ISO_SER:
    case ISO_LSER:
    case ISO_SSER:
        return x->place[t2] < x->place[t3];
    case ISO_PC:
    case ISO_SI:
        for (uint32_t t4 = 0; t4 < h->n_txns; t4++) {
            any |= x->in[t4] && t4 != t3 && x->place[t2] <= x->place[t4] &&
                   (x->direct[t4][t3] || (x->level == ISO_SI && x->place[t4] < x->place[t3] && conflict(h, t4, t3)));
        }
        return any;
    case ISO_G1:
        return false;
    default:
        fprintf(stderr, "tests/executions.c has no definition of level %s\n", iso_level_get(x->level)->name);
        abort();
    }
}

/* t1 -wr_x-> t3 at this read: every other writer of x that t3 sees is before t1. */
static bool axiom_holds(const execution *x, uint32_t r) {
    const isolab_history *h = x->h;
    uint32_t t1 = execution_source(x, r), t3 = h->op_txn[r];
    for (uint32_t t2 = 0; t1 != t3 && t2 < h->n_txns; t2++) {
        if (x->in[t2] && t2 != t1 && t2 != t3 && writes(h, t2, h->op_key[r]) && execution_sees(x, t3, t2, r) &&
            (t1 == ISO_INIT || x->place[t2] > x->place[t1])) {
            return false;
        }
    }
    return true;
}

static bool ordered_in_time(const execution *x, uint32_t t, uint32_t u) {
    const isolab_history *h = x->h;
    bool meet = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        for (uint32_t p = h->txn_op[u]; p < h->txn_op[u + 1]; p++) {
            meet |= h->op_key[o] == h->op_key[p];
        }
    }
    return iso_before_in_time(h, t, u) && (x->level == ISO_SSER || (x->level == ISO_LSER && meet));
}

static bool order_is_allowed(execution *x) {
    const isolab_history *h = x->h;
    for (uint32_t i = 0; i < x->n; i++) {
        x->place[x->order[i]] = i + 1;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_LIST_READ && x->in[h->op_txn[o]] && !shows_a_state(x, o)) {
            return false;
        }
    }
    relate(x);
    for (uint32_t i = 0; i < x->n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (x->direct[x->order[i]][x->order[j]] || ordered_in_time(x, x->order[i], x->order[j])) {
                return false;
            }
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (!iso_is_write(h->op_kind[o]) && x->in[h->op_txn[o]] && !axiom_holds(x, o)) {
            return false;
        }
    }
    return true;
}

bool execution_is_allowed(execution *x) {
    const isolab_history *h = x->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o]) || !x->in[h->op_txn[o]]) {
            continue;
        }
        bool list = h->op_kind[o] == ISO_LIST_READ;
        if (!(x->level == ISO_CI ? is_cut(x, o) : list ? list_is_consistent(x, o) : may_take(x, o, x->from[o]))) {
            return false;
        }
    }
    return x->level == ISO_INT || x->level == ISO_CI || order_is_allowed(x);
}

/* ---- all of them ---- */

static void list_members(execution *x) {
    x->n = 0;
    for (uint32_t t = 0; t < x->h->n_txns; t++) {
        x->place[t] = 0;
        if (x->in[t]) {
            x->order[x->n++] = t;
            x->place[t] = x->n;
        }
    }
}

void execution_first_members(execution *x, const isolab_history *h) {
    x->h = h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        x->in[t] = h->txn_status[t] == ISO_COMMITTED;
    }
    list_members(x);
}

bool execution_next_members(execution *x) {
    bool more = false;
    for (uint32_t t = 0; t < x->h->n_txns && !more; t++) {
        if (x->h->txn_status[t] == ISO_INDETERMINATE) {
            more = x->in[t] = !x->in[t];
        }
    }
    list_members(x);
    return more;
}

/* The choice of a read after this one; the first one after ISO_MANY; ISO_MANY: there is none. Where read consistency
 * asks for it, only the executions that it allows. */
static uint32_t choice_after(const execution *x, uint32_t r, uint32_t last) {
    const isolab_history *h = x->h;
    const uint32_t *list;
    bool is_list = h->op_kind[r] == ISO_LIST_READ, found = last == ISO_MANY;
    uint32_t length, n = 0, version = h->op_version[r];
    if (is_list) { /* with an order, that says it */
        if (x->level != ISO_INT || !external(h, r, &list, &length) || length == 0) {
            return !found ? ISO_MANY : x->level == ISO_INT ? ISO_INIT : ISO_NONE;
        }
        version = list[length - 1];
    }
    const uint32_t *w = iso_writers(h, version, &n);
    for (uint32_t i = 0; i <= n + 1; i++) {
        uint32_t o = i < n ? w[i] : i == n ? ISO_INIT : ISO_NONE;
        bool there = i < n || (i == n ? iso_version_is_initial(h, version) && !is_list
                                      : n == 0 && !iso_version_is_initial(h, version));
        bool fits =
            x->level == ISO_CI || (is_list ? o < h->n_ops && x->in[h->op_txn[o]] && h->op_txn[o] != h->op_txn[r] &&
                                                 !again(h, o, h->txn_op[h->op_txn[o] + 1])
                                           : may_take(x, r, o));
        if (there && fits && found) {
            return o;
        }
        found |= o == last;
    }
    return ISO_MANY;
}

bool execution_first_choice(execution *x) {
    const isolab_history *h = x->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        x->from[o] = ISO_NONE;
        if (!iso_is_write(h->op_kind[o]) && x->in[h->op_txn[o]]) {
            x->from[o] = choice_after(x, o, ISO_MANY);
            if (x->from[o] == ISO_MANY) {
                return false;
            }
        }
    }
    return true;
}

bool execution_next_choice(execution *x) {
    const isolab_history *h = x->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o]) || !x->in[h->op_txn[o]] ||
            (h->op_kind[o] == ISO_LIST_READ && x->level != ISO_INT)) {
            continue;
        }
        x->from[o] = choice_after(x, o, x->from[o]);
        if (x->from[o] != ISO_MANY) {
            return true;
        }
        x->from[o] = choice_after(x, o, ISO_MANY);
    }
    return false;
}

void execution_first_order(execution *x) { list_members(x); }

bool execution_next_order(execution *x) {
    uint32_t *a = x->order, i = x->n, j = x->n;
    while (i > 1 && a[i - 2] > a[i - 1]) {
        i--;
    }
    if (i < 2) {
        list_members(x);
        return false;
    }
    while (a[j - 1] < a[i - 2]) {
        j--;
    }
    uint32_t swap = a[i - 2];
    a[i - 2] = a[j - 1];
    a[j - 1] = swap;
    for (i--, j = x->n; i + 1 < j; i++) {
        swap = a[i];
        a[i] = a[--j];
        a[j] = swap;
    }
    return true;
}

/* Is each included transaction committed, or read from by a committed one, directly or through others? Of a list, each
 * that may have written an element of it is read from. */
static bool all_are_observed(const execution *x) {
    const isolab_history *h = x->h;
    bool seen[EXECUTION_TXNS], more = true;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        seen[t] = h->txn_status[t] == ISO_COMMITTED;
    }
    while (more) {
        more = false;
        for (uint32_t o = 0; o < h->n_ops; o++) {
            if (!seen[h->op_txn[o]] || iso_is_write(h->op_kind[o])) {
                continue;
            }
            bool is_list = h->op_kind[o] == ISO_LIST_READ;
            const uint32_t *list = NULL;
            uint32_t length = 1;
            if (is_list) {
                external(h, o, &list, &length);
            }
            for (uint32_t e = 0; e < length; e++) {
                uint32_t n = x->from[o] < h->n_ops;
                const uint32_t *w = is_list ? iso_writers(h, list[e], &n) : &x->from[o];
                for (uint32_t i = 0; i < n; i++) {
                    uint32_t t = h->op_txn[w[i]];
                    more |= x->in[t] && !seen[t];
                    seen[t] |= x->in[t];
                }
            }
        }
    }
    bool all = true;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        all &= seen[t] || !x->in[t];
    }
    return all;
}

uint64_t executions(const isolab_history *h, iso_level level, bool sessions, execution_fn *found, void *arg) {
    execution x = {.level = level, .sessions = sessions};
    bool ordered = level != ISO_INT && level != ISO_CI;
    uint64_t n = 0;
    execution_first_members(&x, h);
    do {
        if (!execution_first_choice(&x)) {
            continue;
        }
        do {
            if (!all_are_observed(&x)) {
                continue;
            }
            execution_first_order(&x);
            do {
                if (execution_is_allowed(&x)) {
                    n++;
                    if (!found(arg, &x)) {
                        return n;
                    }
                }
            } while (ordered && execution_next_order(&x));
            list_members(&x);
        } while (execution_next_choice(&x));
    } while (execution_next_members(&x));
    return n;
}
