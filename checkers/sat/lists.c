/* List reads by docs/lists.md: the external part of a read, INT, and rule 1. See sat.h.
 *
 * Rule 1 says that the external part of a read is the state of the list after the transaction read from. For a model,
 * the appends of the key are taken in its order. Where they first differ from the elements read, the clause says: the
 * read does not take this writer, or these transactions are not first in this order. If each element has one writer,
 * the order is known from the start: its clauses are added at once, so that few rounds are needed. */
#include <stdlib.h>

#include "checkers/sat/sat.h"

static iso_anomaly_kind judge_writer(const sat *s, uint32_t read, uint32_t w, bool last, uint32_t *other) {
    const isolab_history *h = s->h;
    *other = w;
    if (h->op_txn[w] == h->op_txn[read]) {
        *other = w > read ? w : iso_write_before(h, read);
        return w > read ? ISO_A_FUTURE_READ : ISO_A_NOT_MY_LAST_WRITE;
    }
    if (s->vertex[h->op_txn[w]] == ISO_NONE) {
        return ISO_A_ABORTED_READ;
    }
    *other = last ? iso_write_after(h, w) : ISO_NONE;
    return *other != ISO_NONE ? ISO_A_INTERMEDIATE_READ : ISO_A_KINDS;
}

/* Returns the mildest offence by which an element can have been read; ISO_A_KINDS: none. */
static iso_anomaly_kind judge_element(const sat *s, uint32_t read, uint32_t version, bool last, uint32_t *other) {
    uint32_t n, with;
    const uint32_t *writers = iso_writers(s->h, version, &n);
    iso_anomaly_kind mildest = ISO_A_THIN_AIR;
    *other = ISO_NONE;
    for (uint32_t i = 0; i < n; i++) {
        iso_anomaly_kind kind = judge_writer(s, read, writers[i], last, &with);
        if (kind > mildest || i == 0) {
            mildest = kind;
            *other = with;
        }
    }
    return mildest;
}

iso_anomaly_kind iso_sat_list_judge(const sat *s, iso_sat_read *r, uint32_t *other) {
    const isolab_history *h = s->h;
    uint32_t list = h->op_version[r->op], first = h->list_first[list], end = h->list_first[list + 1];
    iso_anomaly_kind worst = ISO_A_KINDS;
    uint32_t latest = iso_write_before(h, r->op), own = latest, with;
    r->is_list = true;
    r->external = first;
    for (; own != ISO_NONE && end > first && h->list_version[end - 1] == h->op_version[own];
         own = iso_write_before(h, own)) {
        end--;
    }
    r->n_external = end - first;
    if (own != ISO_NONE) { /* some own appends are not at the end */
        uint32_t whole = h->list_first[list + 1];
        bool ends_own = false;
        for (uint32_t o = latest; whole > first && o != ISO_NONE; o = iso_write_before(h, o)) {
            ends_own |= h->op_version[o] == h->list_version[whole - 1];
        }
        worst = ends_own ? ISO_A_NOT_MY_LAST_WRITE : ISO_A_NOT_MY_OWN_WRITE;
        *other = latest;
    }
    for (uint32_t e = first; e < end; e++) {
        iso_anomaly_kind kind = judge_element(s, r->op, h->list_version[e], e + 1 == end, &with);
        if (kind < worst) {
            worst = kind;
            *other = with;
        }
    }
    return worst;
}

bool iso_sat_list_may_read(const sat *s, const iso_sat_read *r, uint32_t append) {
    uint32_t other;
    return judge_writer(s, r->op, append, true, &other) == ISO_A_KINDS;
}

/* Without INT, lists are compared and not their writers, but a transaction that must have appended an element is
 * included. */
static void encode_appenders(sat *s, uint32_t v, const iso_sat_read *r) {
    const isolab_history *h = s->h;
    uint32_t first = h->list_first[h->op_version[r->op]], end = h->list_first[h->op_version[r->op] + 1];
    for (uint32_t e = first; e < end; e++) {
        uint32_t w = h->version_writer[h->list_version[e]], u = w < h->n_ops ? s->vertex[h->op_txn[w]] : ISO_NONE;
        if (u == ISO_NONE || u == v || s->part[u] == SAT_TRUE) {
            continue;
        }
        iso_sat_add(s, -s->part[v]);
        iso_sat_add(s, s->part[u]);
        iso_sat_end(s);
        if (s->proof != NULL) {
            iso_proof_shown(s->proof, r->op, e - first);
        }
    }
}

/* Adds clauses: every element of the external part has an included writer. */
void iso_sat_list_encode(sat *s, uint32_t v, const iso_sat_read *r) {
    const isolab_history *h = s->h;
    if (!(s->rules & ISO_RULE_INT)) {
        encode_appenders(s, v, r);
        return;
    }
    for (uint32_t e = 0; e < r->n_external; e++) {
        uint32_t n;
        const uint32_t *writers = iso_writers(h, h->list_version[r->external + e], &n);
        iso_sat_add(s, -s->part[v]);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t u = s->vertex[h->op_txn[writers[i]]];
            if (u != ISO_NONE && u != v) {
                iso_sat_add(s, s->part[u]);
            }
        }
        iso_sat_end(s);
        if (s->proof != NULL) {
            iso_proof_shown(s->proof, r->op, e);
        }
    }
    if (!iso_sat_orders(s) || !h->unique || r->first == r->end) {
        return;
    }
    /* Unique elements: their writers are in the order read, and every other writer is after the last of them. */
    uint32_t *shown = ISO_NEW(s->pool, uint32_t, r->n_external), n = 0;
    for (uint32_t e = 0; e < r->n_external; e++) {
        uint32_t u = s->vertex[h->op_txn[h->version_writer[h->list_version[r->external + e]]]];
        if (n == 0 || shown[n - 1] != u) {
            if (n > 0) {
                iso_sat_add(s, -s->part[v]);
                iso_sat_add(s, iso_sat_before(s, shown[n - 1], u));
                iso_sat_end(s);
                if (s->proof != NULL) {
                    iso_proof_list(s->proof, r->op, s->txn[shown[n - 1]], s->txn[u]);
                }
            }
            shown[n++] = u;
        }
    }
    for (uint32_t w = s->writer_first[r->key]; w < s->writer_first[r->key + 1]; w++) {
        bool among = false;
        for (uint32_t i = 0; i < n; i++) {
            iso_tick(s->env);
            among |= shown[i] == s->writer[w];
        }
        if (!among) {
            iso_sat_add(s, -s->part[v]);
            iso_sat_add(s, -s->part[s->writer[w]]);
            iso_sat_add(s, n > 0 ? iso_sat_before(s, shown[n - 1], s->writer[w]) : SAT_TRUE);
            iso_sat_end(s);
            if (s->proof != NULL && n > 0) {
                iso_proof_list(s->proof, r->op, s->txn[shown[n - 1]], s->txn[s->writer[w]]);
            }
        }
    }
    iso_free(s->pool, shown);
}

/* Returns the writers of a key in the order of the model. */
static uint32_t in_order(const sat *s, uint32_t key, uint32_t *writers) {
    uint32_t n = 0;
    for (uint32_t w = s->writer_first[key]; w < s->writer_first[key + 1]; w++) {
        uint32_t u = s->writer[w], at = n++;
        for (; at > 0 && s->position[writers[at - 1]] > s->position[u]; at--) {
            iso_tick(s->env);
            writers[at] = writers[at - 1];
        }
        writers[at] = u;
    }
    return n;
}

/* Adds the clause of fits() to the proof as a rule: the included writers up to `upto`, the excluded ones, and the
 * others. */
static void say_state(sat *s, const iso_sat_read *r, const uint32_t *writers, uint32_t upto, uint32_t n) {
    uint32_t *txns[3], count[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        txns[i] = ISO_NEW(s->pool, uint32_t, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        int which = !iso_sat_included(s, writers[i]) ? 1 : i < upto ? 0 : 2;
        txns[which][count[which]++] = s->txn[writers[i]];
    }
    iso_proof_state(s->proof, r->op, s->choices[r->chosen].op, txns[0], count[0], txns[1], count[1], txns[2], count[2]);
    for (int i = 0; i < 3; i++) {
        iso_free(s->pool, txns[i]);
    }
}

/* Returns whether the read sees the state after t1; if not, adds the clause. writers: the n writers of the key, in
 * order. */
static bool fits(sat *s, const iso_sat_read *r, const uint32_t *writers, uint32_t n) {
    const isolab_history *h = s->h;
    const iso_sat_choice *choice = &s->choices[r->chosen];
    uint32_t shown = 0, upto = 0; /* writers below upto have been compared */
    bool good = choice->vertex != SAT_INIT;
    for (bool done = !good; !done; upto++) {
        uint32_t u = writers[upto];
        for (uint32_t o = h->txn_op[s->txn[u]]; iso_sat_included(s, u) && o < h->txn_op[s->txn[u] + 1]; o++) {
            if (h->op_kind[o] == ISO_APPEND && h->op_key[o] == r->key) {
                good = good && shown < r->n_external && h->list_version[r->external + shown] == h->op_version[o];
                shown++;
            }
        }
        done = !good || u == choice->vertex;
    }
    if (choice->vertex == SAT_INIT || (good && shown == r->n_external)) {
        return true; /* the empty list is the initial state, whatever was appended later */
    }
    iso_sat_add(s, -choice->literal);
    uint32_t last = writers[upto - 1], before = ISO_NONE;
    iso_sat_add(s, last == choice->vertex ? SAT_FALSE : iso_sat_before(s, choice->vertex, last));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t u = writers[i];
        if (!iso_sat_included(s, u)) {
            iso_sat_add(s, s->part[u]); /* it might belong there */
        } else if (i >= upto) {
            iso_sat_add(s, iso_sat_before(s, u, last));
        } else {
            iso_sat_add(s, -s->part[u]);
            iso_sat_add(s, before == ISO_NONE ? SAT_FALSE : iso_sat_before(s, u, before));
            before = u;
        }
    }
    iso_sat_end(s);
    if (s->proof != NULL) {
        say_state(s, r, writers, upto, n);
    }
    return false;
}

uint64_t iso_sat_lists(sat *s) {
    uint64_t added = 0;
    uint32_t *writers = ISO_NEW(s->pool, uint32_t, s->n), n = 0, key = ISO_NONE;
    for (uint32_t i = 0; i < s->n_reads; i++) {
        const iso_sat_read *r = &s->reads[i];
        if (!r->is_list || r->chosen == ISO_NONE) {
            continue;
        }
        if (r->key != key) {
            key = r->key;
            n = in_order(s, key, writers);
        }
        added += !fits(s, r, writers, n);
    }
    iso_free(s->pool, writers);
    return added;
}

/* ci: returns whether two list reads of one transaction differ, apart from its own appends. */
bool iso_sat_lists_differ(const sat *s, const iso_sat_read *a, const iso_sat_read *b) {
    const isolab_history *h = s->h;
    uint32_t at[2], end[2], op[2] = {a->op, b->op};
    for (int i = 0; i < 2; i++) {
        at[i] = h->list_first[h->op_version[op[i]]];
        end[i] = h->list_first[h->op_version[op[i]] + 1];
    }
    for (;; at[0]++, at[1]++) {
        for (int i = 0; i < 2; i++) {
            for (bool own = true; own && at[i] < end[i]; at[i] += own) {
                own = false;
                for (uint32_t o = h->txn_op[h->op_txn[op[i]]]; o < h->txn_op[h->op_txn[op[i]] + 1]; o++) {
                    own |= h->op_kind[o] == ISO_APPEND && h->op_version[o] == h->list_version[at[i]];
                }
            }
        }
        if (at[0] == end[0] || at[1] == end[1]) {
            return at[0] != end[0] || at[1] != end[1];
        }
        if (h->list_version[at[0]] != h->list_version[at[1]]) {
            return true;
        }
    }
}
