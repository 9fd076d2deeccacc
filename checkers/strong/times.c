/* lser: edges of real time between transactions that access a common key, except edges that follow from others
 * (graph/intervals.h). */
#include "base/sort.h"
#include "checkers/strong/order.h"
#include "graph/intervals.h"

static void add_edge(void *arg, uint32_t from, uint32_t to) {
    strong_order *o = arg;
    const strong_model *m = o->m;
    bool known = m->chain[from] == m->chain[to] && from < to; /* by session order */
    if (!known) {
        iso_strong_add_edge(o, (strong_edge){.from = strong_commit(m, from),
                                             .to = strong_start(m, to),
                                             .op = ISO_NONE,
                                             .slot = ISO_NONE,
                                             .kind = ISO_EDGE_RT});
    }
}

/* Writes the transactions of operations op[0 .. n), each once: first the included ones. Returns their number. */
static uint32_t txns_of(const strong_model *m, const uint32_t *op, uint32_t n, uint32_t *txn) {
    uint32_t found = 0;
    for (int optional = 0; optional < 2; optional++) {
        for (uint32_t i = 0; i < n; i++) { /* operations of one transaction are adjacent */
            uint32_t t = m->dense[m->h->op_txn[op[i]]];
            bool wanted = t != ISO_NONE && (t >= m->n_included) == optional;
            if (wanted && (found == 0 || txn[found - 1] != t)) {
                txn[found++] = t;
            }
        }
    }
    return found;
}

void iso_strong_add_times(strong_order *o) {
    const strong_model *m = o->m;
    const isolab_history *h = m->h;
    if (m->level != ISO_LSER || h->txn_start == NULL || m->n_txns == 0) {
        return;
    }
    iso_intervals ended = {.at = ISO_NEW(o->pool, iso_interval, m->n_txns), .last = ISO_NEW_NONE(o->pool, m->k)};
    uint32_t *first, *op = iso_sorted_into(o->pool, h->op_key, h->n_ops, h->n_keys, &first);
    uint32_t *txn = ISO_NEW(o->pool, uint32_t, m->n_txns);
    for (uint32_t x = 0; x < h->n_keys; x++) {
        uint32_t n = txns_of(m, op + first[x], first[x + 1] - first[x], txn);
        ended.n = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t t = txn[i], u = m->txn[t];
            if (t < m->n_included && h->txn_end[u] != ISO_NO_TIME) {
                ended.at[ended.n++] = (iso_interval){h->txn_start[u], h->txn_end[u], 0, t, m->chain[t]};
            }
        }
        iso_intervals_sort(&ended);
        for (uint32_t i = 0; i < n; i++) {
            iso_tick(o->pool->env);
            iso_intervals_before(&ended, h->txn_start[m->txn[txn[i]]], txn[i], add_edge, o);
        }
    }
    iso_free(o->pool, ended.at);
    iso_free(o->pool, ended.last);
    iso_free(o->pool, first);
    iso_free(o->pool, op);
    iso_free(o->pool, txn);
}
