/* int and ci, which have no order. See candidates.h.
 *
 * An optional transaction is included unless the included writers cannot explain one of its reads. Including it never
 * hinders another transaction, so the answer is the greatest set that explains itself. At int each read needs one of
 * its writers. At ci the values of a key that a transaction reads need one other transaction that wrote all of them,
 * except values that the reader wrote, values that an aborted transaction wrote, and values that no transaction
 * wrote. */
#include <string.h>

#include "checkers/candidates/candidates.h"

/* A read of a value, the first one of it in its transaction, that must be from another transaction. */
typedef struct asked {
    uint32_t op, next; /* next: another such read of the key */
} asked;

typedef struct unordered {
    cand *c;
    uint8_t *gone;                   /* by transaction: it cannot be included */
    uint32_t *queue, n_queue, first; /* the excluded transactions, in the order of their exclusion */
    uint32_t *reason;                /* by transaction: a read that cannot be explained */
    uint32_t *reader_first, *reader; /* by version: the transactions that read it */

    /* ci */
    uint8_t *loose;                 /* by version: no transaction wrote it, or an aborted one did */
    uint32_t *met, *key_met, stamp; /* by version and by key: it was met in this look */
    uint32_t *of_key;               /* by key: the last asked read of it */
    asked *asked;                   /* of the current transaction */
    uint32_t *keys, n_asked, n_keys;
} unordered;

static bool is_included(const unordered *x, uint32_t t) {
    return cand_in(x->c, t) || (x->c->h->txn_counts[t] == ISO_OPTIONAL && !x->gone[t]);
}

/* ---- int ---- */

/* Returns an included writer of the read; ISO_NONE: none. */
static uint32_t explained(const unordered *x, const cand_read *r) {
    uint32_t at = 0, w;
    do {
        w = iso_cand_next_of_all(x->c, r, &at);
    } while (w < ISO_MANY && !is_included(x, cand_txn(x->c, w)));
    return w;
}

/* Returns a read of the transaction that no writer explains; ISO_NONE: none. */
static uint32_t unexplained(const unordered *x, uint32_t t) {
    const cand *c = x->c;
    for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
        if (explained(x, &c->reads[i]) == ISO_NONE) {
            return c->reads[i].op;
        }
    }
    return ISO_NONE;
}

/* ---- ci ---- */

/* Returns a write of the version by the transaction; ISO_NONE: none. */
static uint32_t write_of(const isolab_history *h, uint32_t version, uint32_t t) {
    uint32_t n, low = 0;
    const uint32_t *writers = iso_writers(h, version, &n);
    for (uint32_t high = n; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (h->op_txn[writers[middle]] < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && h->op_txn[writers[low]] == t ? writers[low] : ISO_NONE;
}

static uint32_t aborted_write(const isolab_history *h, uint32_t version) {
    uint32_t n, i = 0;
    const uint32_t *writers = iso_writers(h, version, &n);
    while (i < n && h->txn_counts[h->op_txn[writers[i]]] != ISO_EXCLUDED) {
        i++;
    }
    return i < n ? writers[i] : ISO_NONE;
}

/* Lists the reads of a transaction that need a source, key by key. */
static void list_asked(unordered *x, uint32_t t) {
    const isolab_history *h = x->c->h;
    x->n_asked = x->n_keys = 0;
    x->stamp++;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t v = h->op_version[o], key = h->op_key[o];
        if (h->op_kind[o] != ISO_READ || x->met[v] == x->stamp || x->loose[v] || write_of(h, v, t) != ISO_NONE) {
            continue;
        }
        x->met[v] = x->stamp;
        if (x->key_met[key] != x->stamp) {
            x->key_met[key] = x->stamp;
            x->of_key[key] = ISO_NONE;
            x->keys[x->n_keys++] = key;
        }
        x->asked[x->n_asked] = (asked){o, x->of_key[key]};
        x->of_key[key] = x->n_asked++;
    }
}

/* Returns a read of a version of the key that transaction t (or ISO_INIT) did not write; ISO_NONE: it wrote all of
 * them. */
static uint32_t not_by(const unordered *x, uint32_t key, uint32_t t) {
    const isolab_history *h = x->c->h;
    uint32_t i = x->of_key[key];
    while (i != ISO_NONE && (t == ISO_INIT ? iso_version_is_initial(h, h->op_version[x->asked[i].op])
                                           : write_of(h, h->op_version[x->asked[i].op], t) != ISO_NONE)) {
        i = x->asked[i].next;
    }
    return i == ISO_NONE ? ISO_NONE : x->asked[i].op;
}

/* Returns the read of the key whose version has the fewest writers. */
static uint32_t rarest(const unordered *x, uint32_t key) {
    const isolab_history *h = x->c->h;
    uint32_t best = x->of_key[key], least = UINT32_MAX;
    for (uint32_t i = best; i != ISO_NONE; i = x->asked[i].next) {
        uint32_t n;
        iso_writers(h, h->op_version[x->asked[i].op], &n);
        if (n < least) {
            least = n;
            best = i;
        }
    }
    return x->asked[best].op;
}

/* Returns the transaction that wrote all needed versions of the key, or ISO_INIT; ISO_NONE: no included one. */
static uint32_t source(const unordered *x, uint32_t t, uint32_t key) {
    const isolab_history *h = x->c->h;
    uint32_t op = rarest(x, key), n;
    const uint32_t *writers = iso_writers(h, h->op_version[op], &n);
    if (not_by(x, key, ISO_INIT) == ISO_NONE) {
        return ISO_INIT;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t u = h->op_txn[writers[i]];
        if (u != t && is_included(x, u) && not_by(x, key, u) == ISO_NONE) {
            return u;
        }
    }
    return ISO_NONE;
}

/* Returns a read of a key whose reads have no common source; ISO_NONE: none. */
static uint32_t torn(unordered *x, uint32_t t) {
    list_asked(x, t);
    for (uint32_t i = 0; i < x->n_keys; i++) {
        if (source(x, t, x->keys[i]) == ISO_NONE) {
            return rarest(x, x->keys[i]);
        }
    }
    return ISO_NONE;
}

/* ---- which transactions are included ---- */

static void list_readers(unordered *x) {
    const isolab_history *h = x->c->h;
    uint32_t *first = x->reader_first = ISO_ZNEW(x->c->pool, uint32_t, (size_t)h->n_versions + 3);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t o = 0; o < h->n_ops; o++) {
            if (h->op_kind[o] == ISO_READ && h->txn_counts[h->op_txn[o]] != ISO_EXCLUDED) {
                uint32_t *at = &first[h->op_version[o] + 2 - turn];
                if (turn == 1) {
                    x->reader[*at] = h->op_txn[o];
                }
                ++*at;
            }
        }
        for (uint32_t v = 0; turn == 0 && v < h->n_versions;
             v++) { /* while the lists are filled, the list of v ends at first[v + 1] */
            first[v + 2] += first[v + 1];
        }
        x->reader = turn == 0 ? ISO_NEW(x->c->pool, uint32_t, first[h->n_versions + 1]) : x->reader;
    }
}

/* Tests a transaction. Returns false if it must be included and cannot. */
static bool test_txn(unordered *x, uint32_t t) {
    if (!is_included(x, t)) {
        return true;
    }
    x->reason[t] = x->c->level == ISO_CI ? torn(x, t) : unexplained(x, t);
    if (x->reason[t] == ISO_NONE) {
        return true;
    }
    if (!cand_in(x->c, t)) {
        x->gone[t] = 1;
        x->queue[x->n_queue++] = t;
    }
    return !cand_in(x->c, t);
}

/* Returns a transaction that must be included and cannot; ISO_NONE: none. */
static uint32_t settle(unordered *x) {
    const isolab_history *h = x->c->h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(x->c->pool->env);
        if (!test_txn(x, t)) {
            return t;
        }
    }
    for (; x->first < x->n_queue; x->first++) {
        uint32_t t = x->queue[x->first];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            uint32_t v = h->op_version[o];
            for (uint32_t i = iso_is_write(h->op_kind[o]) ? x->reader_first[v] : 0;
                 iso_is_write(h->op_kind[o]) && i < x->reader_first[v + 1]; i++) {
                iso_tick(x->c->pool->env);
                if (!test_txn(x, x->reader[i])) {
                    return x->reader[i];
                }
            }
        }
    }
    return ISO_NONE;
}

/* ---- the answer ---- */

/* Adds to the proof the writers that other transactions need for the read. */
static void say_parts(const unordered *x, iso_proof *p, uint32_t read) {
    const isolab_history *h = x->c->h;
    uint32_t n;
    const uint32_t *writers = iso_writers(h, h->op_version[read], &n);
    iso_proof_choice(p, read);
    for (uint32_t i = 0; i < n; i++) {
        if (h->op_txn[writers[i]] != h->op_txn[read] && h->txn_counts[h->op_txn[writers[i]]] == ISO_OPTIONAL) {
            iso_proof_part(p, read, writers[i]);
        }
    }
}

static void say_unexplained(unordered *x, iso_proof *p, uint32_t t) {
    const cand *c = x->c;
    const cand_read *r = &c->reads[iso_cand_read_of(c, x->reason[t])];
    uint32_t at = 0;
    iso_proof_choice(p, r->op);
    for (uint32_t w; (w = iso_cand_next_of_all(c, r, &at)) < ISO_MANY;) {
        if (!cand_in(c, cand_txn(c, w))) {
            iso_proof_part(p, r->op, w);
        }
    }
}

/* For each writer of the rarest read, another read of the key has no source. */
static void say_torn(unordered *x, iso_proof *p, uint32_t t) {
    const isolab_history *h = x->c->h;
    uint32_t op = x->reason[t], n, m, key = h->op_key[op];
    const uint32_t *writers = iso_writers(h, h->op_version[op], &n);
    list_asked(x, t);
    for (uint32_t i = x->of_key[key]; i != ISO_NONE; i = x->asked[i].next) {
        say_parts(x, p, x->asked[i].op);
    }
    uint32_t all = n + iso_version_is_initial(h, h->op_version[op]);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t w = i < n ? writers[i] : ISO_INIT, other = not_by(x, key, cand_txn(x->c, w));
        if (other == ISO_NONE) { /* the writer is not included */
            continue;
        }
        const uint32_t *others = iso_writers(h, h->op_version[other], &m);
        for (uint32_t k = 0; k < m; k++) {
            iso_proof_cut(p, op, w, other, others[k]);
        }
        if (iso_version_is_initial(h, h->op_version[other])) {
            iso_proof_cut(p, op, w, other, ISO_INIT);
        }
        int lemma[2] = {-iso_proof_took(p, op, w), h->txn_counts[t] == ISO_OPTIONAL ? -iso_proof_in(p, t) : 0};
        iso_proof_lemma(p, lemma, lemma[1] != 0 ? 2 : 1);
    }
}

static void refuse(unordered *x, uint32_t t) {
    cand *c = x->c;
    iso_proof *p = iso_proof_commits(c->pool, c->h, c->level);
    x->queue[x->n_queue++] = t;
    for (uint32_t i = 0; i < x->n_queue; i++) {
        (c->level == ISO_CI ? say_torn : say_unexplained)(x, p, x->queue[i]);
    }
    iso_proof_lemma(p, NULL, 0);
    iso_proof_give(p, c->result);
    if (c->level == ISO_INT) {
        iso_proof_anomaly(p, c->result);
        return;
    }
    uint32_t read = x->reason[t], other = ISO_NONE;
    for (uint32_t i = x->of_key[c->h->op_key[read]]; i != ISO_NONE; i = x->asked[i].next) {
        other = x->asked[i].op != read ? x->asked[i].op : other;
    }
    iso_result_anomaly(c->result, (iso_anomaly){.kind = other == ISO_NONE ? ISO_A_NO_ORDER : ISO_A_NON_REPEATABLE_READ,
                                                .op = other > read && other != ISO_NONE ? other : read,
                                                .other_op = other > read && other != ISO_NONE ? read : other});
}

/* Records the source of each ambiguous read of a transaction. */
static void give_sources(unordered *x, uint32_t t) {
    const isolab_history *h = x->c->h;
    list_asked(x, t);
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t v = h->op_version[o];
        if (h->op_kind[o] != ISO_READ || h->op_writer[o] != ISO_MANY) {
            continue;
        }
        uint32_t w = write_of(h, v, t);
        w = w == ISO_NONE && x->loose[v] ? aborted_write(h, v) : w;
        if (w == ISO_NONE) {
            uint32_t u = source(x, t, h->op_key[o]);
            w = u == ISO_INIT ? ISO_INIT : write_of(h, v, u);
        }
        x->c->result->read_from[o] = w;
    }
}

static void accept(unordered *x) {
    cand *c = x->c;
    for (uint32_t t = 0; t < c->h->n_txns; t++) {
        if (is_included(x, t)) {
            c->order[c->n_order++] = t;
            for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
                c->chosen[i] = explained(x, &c->reads[i]);
            }
        }
    }
    iso_cand_give_order(c);
    for (uint32_t i = 0; c->level == ISO_CI && i < c->n_order; i++) {
        give_sources(x, c->order[i]);
    }
}

void iso_cand_unordered(cand *c) {
    const isolab_history *h = c->h;
    unordered x = {.c = c};
    x.gone = ISO_ZNEW(c->pool, uint8_t, h->n_txns);
    x.queue = ISO_NEW(c->pool, uint32_t, (size_t)h->n_txns + 1);
    x.reason = ISO_NEW(c->pool, uint32_t, h->n_txns);
    x.loose = ISO_ZNEW(c->pool, uint8_t, h->n_versions);
    x.met = ISO_ZNEW(c->pool, uint32_t, h->n_versions);
    x.of_key = ISO_NEW(c->pool, uint32_t, h->n_keys);
    x.key_met = ISO_ZNEW(c->pool, uint32_t, h->n_keys);
    x.keys = ISO_NEW(c->pool, uint32_t, h->n_keys);
    x.asked = ISO_NEW(c->pool, asked, h->n_ops);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        x.loose[v] = h->version_writer[v] == ISO_NONE || aborted_write(h, v) != ISO_NONE;
    }
    list_readers(&x);
    uint32_t t = settle(&x);
    if (t != ISO_NONE) {
        refuse(&x, t);
    } else {
        accept(&x);
    }
}
