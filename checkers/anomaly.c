/* Names of anomalies. See anomaly.h. */
#include "checkers/anomaly.h"

#include <string.h>

iso_anomaly_kind iso_anomaly_of_int(iso_int_kind kind) {
    static const iso_anomaly_kind of[ISO_INT_KINDS] = {
        [ISO_INT_THIN_AIR] = ISO_A_THIN_AIR,           [ISO_INT_ABORTED] = ISO_A_ABORTED_READ,
        [ISO_INT_FUTURE] = ISO_A_FUTURE_READ,          [ISO_INT_NOT_OWN] = ISO_A_NOT_MY_OWN_WRITE,
        [ISO_INT_NOT_LAST_OWN] = ISO_A_NOT_MY_LAST_WRITE, [ISO_INT_NOT_LAST] = ISO_A_INTERMEDIATE_READ};
    return kind < ISO_INT_KINDS ? of[kind] : ISO_A_THIN_AIR;
}

/* The transaction reads from others, and writes, the key. A list shows what others appended behind its own
 * appends, too. */
static bool reads_and_writes(const isolab_history *h, uint32_t txn, uint32_t key) {
    bool reads = false, writes = false;
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (h->op_key[o] == key) {
            reads |= h->op_kind[o] == ISO_LIST_READ || (!iso_is_write(h->op_kind[o]) && !writes);
            writes |= iso_is_write(h->op_kind[o]);
        }
    }
    return reads && writes;
}

/* The elements of a list read that are not its transaction's own: those come last. */
static uint32_t foreign_elements(const isolab_history *h, uint32_t read) {
    uint32_t list = h->op_version[read], n = h->list_first[list + 1] - h->list_first[list];
    for (uint32_t o = h->txn_op[h->op_txn[read]]; o < read && n > 0; o++) {
        n -= h->op_kind[o] == ISO_APPEND && h->op_key[o] == h->op_key[read];
    }
    return n;
}

/* Do two reads return one thing of others? */
static bool same_value(const isolab_history *h, uint32_t a, uint32_t b) {
    if (h->op_kind[a] != ISO_LIST_READ) {
        return h->op_version[a] == h->op_version[b];
    }
    uint32_t n = foreign_elements(h, a), one = h->list_first[h->op_version[a]], two = h->list_first[h->op_version[b]];
    return n == foreign_elements(h, b) &&
           memcmp(h->list_version + one, h->list_version + two, n * sizeof *h->list_version) == 0;
}

/* Do both read the same version of the key from others? */
static bool read_same(const isolab_history *h, uint32_t a, uint32_t b, uint32_t key) {
    uint32_t seen[2] = {ISO_NONE, ISO_NONE}, txn[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        for (uint32_t o = h->txn_op[txn[i]]; o < h->txn_op[txn[i] + 1] && seen[i] == ISO_NONE; o++) {
            if (h->op_key[o] == key && !iso_is_write(h->op_kind[o])) {
                seen[i] = o;
            }
        }
    }
    return seen[0] != ISO_NONE && seen[1] != ISO_NONE && same_value(h, seen[0], seen[1]);
}

iso_anomaly_kind iso_anomaly_of_cycle(const isolab_history *h, const iso_edge *edges, uint32_t n) {
    uint32_t count[ISO_EDGE_KINDS] = {0};
    uint32_t rw = 0;
    bool adjacent = false;
    for (uint32_t i = 0; i < n; i++) {
        count[edges[i].kind]++;
        if (edges[i].kind == ISO_EDGE_RW) {
            rw = i;
            adjacent |= edges[(i + 1) % n].kind == ISO_EDGE_RW && n > 1;
        }
    }
    if (count[ISO_EDGE_RT] > 0) {
        return ISO_A_REAL_TIME;
    }
    if (count[ISO_EDGE_RW] == 0) {
        bool only_writes = count[ISO_EDGE_SO] + count[ISO_EDGE_WR] + count[ISO_EDGE_AXIOM] == 0;
        return only_writes ? ISO_A_G0 : ISO_A_CYCLIC_CO;
    }
    const iso_edge *e = &edges[rw];
    if (count[ISO_EDGE_RW] == 1) {
        if (n == 2 && e->from < h->n_txns && e->to < h->n_txns) {
            if (reads_and_writes(h, e->from, e->key) && reads_and_writes(h, e->to, e->key) &&
                read_same(h, e->from, e->to, e->key)) {
                return ISO_A_LOST_UPDATE;
            }
            if (count[ISO_EDGE_WR] == 1) {
                return ISO_A_READ_SKEW;
            }
        }
        return ISO_A_G_SINGLE;
    }
    if (n == 2) {
        return edges[0].key == edges[1].key ? ISO_A_LOST_UPDATE : ISO_A_WRITE_SKEW;
    }
    /* With an order of writers between, a prefix may still be what all saw. */
    uint32_t ww = count[ISO_EDGE_WW] + count[ISO_EDGE_LIST];
    bool fork = !adjacent && count[ISO_EDGE_RW] == 2 && count[ISO_EDGE_WR] > 0 && ww == 0;
    return fork ? ISO_A_LONG_FORK : ISO_A_G2_ITEM;
}

unsigned iso_anomaly_badness(const isolab_history *h, const iso_edge *edges, uint32_t n) {
    iso_anomaly_kind kind = iso_anomaly_of_cycle(h, edges, n);
    bool ww = false;
    for (uint32_t i = 0; i < n; i++) {
        ww |= edges[i].kind == ISO_EDGE_WW || edges[i].kind == ISO_EDGE_LIST;
    }
    switch (kind) {
    case ISO_A_REAL_TIME:
        return 0;
    case ISO_A_WRITE_SKEW:
    case ISO_A_G2_ITEM:
        return 1;
    case ISO_A_LOST_UPDATE:
        return 2;
    case ISO_A_LONG_FORK:
        return 3;
    case ISO_A_G_SINGLE:
        return ww ? 2 : 4;
    case ISO_A_READ_SKEW:
        return 5;
    case ISO_A_CYCLIC_CO:
        return 6;
    default:
        return 7;
    }
}
