/* Session guarantees as names of cycles. See guarantee.h. */
#include "checkers/guarantee.h"

#define NONE ISO_A_KINDS /* no guarantee */

/* A path from t2 to t3: edges of a cycle or of a premise, in order. */
typedef struct path {
    const iso_edge *edges;     /* the edges of the cycle or premise to which the path belongs */
    uint32_t first, n, in_all; /* n of in_all edges, from `first` on; the first edge comes after the last one */
} path;

static const iso_edge *edge_of(const path *p, uint32_t i) { return &p->edges[(p->first + i) % p->in_all]; }

static bool is_so(const iso_edge *e) { return e->kind == ISO_EDGE_SO; }

static bool writes(const isolab_history *h, uint32_t txn, uint32_t key) {
    for (uint32_t o = txn < h->n_txns ? h->txn_op[txn] : h->n_ops; o < h->n_ops && h->op_txn[o] == txn; o++) {
        if (h->op_key[o] == key && iso_is_write(h->op_kind[o])) {
            return true;
        }
    }
    return false;
}

/* Returns the guarantee that is broken if a writer of the key is seen by up to three steps, the last step first. */
static iso_anomaly_kind of_steps(const iso_edge *const *step, uint32_t n, uint32_t key) {
    const iso_edge *last = step[0], *first = step[n - 1];
    if (n == 1) {
        return is_so(last) ? ISO_A_READ_YOUR_WRITES : NONE;
    } else if (n == 2 && is_so(first)) {
        return ISO_A_MONOTONIC_WRITES;
    } else if (is_so(first) || first->key != key) {
        return NONE;
    } else if (n == 2) {
        return is_so(last) ? ISO_A_MONOTONIC_READS : ISO_A_WRITES_FOLLOW_READS;
    }
    return is_so(step[1]) && !is_so(last) ? ISO_A_WRITES_FOLLOW_READS : NONE;
}

/* Returns the guarantee that is broken if t3 sees t2 by the path and reads an older version of the key: the guarantee
 * for the writer of the key on the path that is nearest to t3, since it comes after t2. */
static iso_anomaly_kind of_path(const isolab_history *h, const path *p, uint32_t key) {
    const iso_edge *step[3];
    uint32_t n = 0;
    iso_anomaly_kind found = NONE;
    for (uint32_t i = p->n; i-- > 0;) {
        const iso_edge *e = edge_of(p, i);
        if (!is_so(e) && e->kind != ISO_EDGE_WR) {
            return NONE;
        }
        bool goes_on = n > 0 && n < 4 && is_so(e) && is_so(step[n - 1]);
        if (!goes_on && n < 3) {
            step[n++] = e;
        } else if (!goes_on) {
            n = 4; /* too far from t3 for any guarantee */
        }
        found = found == NONE && n < 4 && writes(h, e->from, key) ? of_steps(step, n, key) : found;
    }
    return found;
}

/* Returns the guarantee by which an axiom orders two writers. */
static iso_anomaly_kind of_axiom(const isolab_history *h, const iso_result *r, const iso_edge *axiom) {
    uint32_t n = axiom->n_premise;
    return of_path(h, &(path){.edges = r->edges + axiom->premise, .n = n, .in_all = n}, axiom->key);
}

/* Returns the axiom or list edge that an order of two writers repeats, else the edge itself. */
static const iso_edge *said_by(const iso_result *r, const iso_edge *e) {
    return e->kind == ISO_EDGE_WW && e->n_premise == 1 ? &r->edges[e->premise] : e;
}

/* Returns whether all these edges hold by themselves, or by one guarantee: *found, or the first one, which becomes
 * *found. */
static bool hold_by(const isolab_history *h, const iso_result *r, const iso_edge *edges, uint32_t n,
                    iso_anomaly_kind *found) {
    for (uint32_t i = 0; i < n; i++) {
        const iso_edge *e = said_by(r, &edges[i]);
        if (e->kind == ISO_EDGE_AXIOM) {
            iso_anomaly_kind by = of_axiom(h, r, e);
            *found = *found == NONE ? by : *found;
            if (by == NONE || by != *found) {
                return false;
            }
        } else if (!is_so(e) && e->kind != ISO_EDGE_WR && e->kind != ISO_EDGE_LIST) {
            return false;
        }
    }
    return true;
}

static iso_anomaly_kind of_cycle(const isolab_history *h, const iso_result *r, const iso_anomaly *a) {
    const iso_edge *cycle = r->edges + a->cycle;
    uint32_t n = a->n_cycle, rw = 0;
    iso_anomaly_kind found = NONE;
    while (rw < n && cycle[rw].kind != ISO_EDGE_RW) {
        rw++;
    }
    if (rw == n) { /* the axiom closes it */
        return hold_by(h, r, cycle, n, &found) ? found : NONE;
    }
    const iso_edge *e = &cycle[rw];
    found = of_path(h, &(path){.edges = cycle, .first = rw + 1, .n = n - 1, .in_all = n}, e->key);
    bool known = e->n_premise > 0 && found != NONE;
    return known && hold_by(h, r, r->edges + e->premise, e->n_premise, &found) ? found : NONE;
}

void iso_guarantee_names(const isolab_history *h, iso_result *result, iso_level level) {
    for (uint32_t i = 0; i < result->n_anomalies; i++) {
        iso_anomaly *a = &result->anomalies[i];
        const iso_anomaly_info *pattern = iso_anomaly_get((iso_anomaly_kind)a->kind);
        a->pattern = a->kind;
        if (a->n_cycle == 0 || (pattern->breaks != ISO_RA && pattern->breaks != ISO_CC)) {
            continue;
        }
        iso_anomaly_kind kind = of_cycle(h, result, a);
        if (kind != NONE && (iso_level_and_weaker(level) & ISO_LEVEL_BIT(iso_anomaly_get(kind)->breaks))) {
            a->kind = (uint8_t)kind;
            result->seen[kind]++;
        }
    }
}
