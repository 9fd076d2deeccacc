/* See edge.h. */
#include "history/edge.h"

#include "history/possible.h"

static unsigned effect_of(const isolab_history *h, uint32_t txn) {
    return txn < h->n_txns && h->txn_counts[txn] == ISO_OPTIONAL ? ISO_ASSUMES_EFFECT : 0;
}

/* Returns whether the read has several possible writers, or another one (ISO_NONE: any will do). */
static unsigned writer_of(const isolab_history *h, uint32_t read, uint32_t txn) {
    uint32_t sure = iso_sure_writer(h, read);
    return sure == ISO_NONE || (txn != ISO_NONE && sure != txn) ? ISO_ASSUMES_WRITER : 0;
}

unsigned iso_edge_assumes(const isolab_history *h, const iso_edge *e) {
    bool known = e->to < h->n_txns && e->from < h->n_txns;
    unsigned effect = effect_of(h, e->from) | effect_of(h, e->to), order = e->n_premise == 0 ? ISO_ASSUMES_ORDER : 0;
    switch ((iso_edge_kind)e->kind) {
    case ISO_EDGE_SO:
        known = e->from == ISO_INIT || (known && e->from < e->to && h->txn_session[e->from] == h->txn_session[e->to]);
        return known ? 0 : ISO_ASSUMES_ORDER;
    case ISO_EDGE_RT:
        return known && iso_before_in_time(h, e->from, e->to) ? 0 : ISO_ASSUMES_ORDER;
    case ISO_EDGE_WR:
        return writer_of(h, e->op_to, e->from) | effect;
    case ISO_EDGE_AXIOM:
        return writer_of(h, e->reader_op, e->to) | order | effect_of(h, h->op_txn[e->reader_op]) | effect;
    case ISO_EDGE_RW: /* what the initial transaction wrote is older than all else */
        order = iso_sure_writer(h, e->op_from) == ISO_INIT ? 0 : order;
        return writer_of(h, e->op_from, ISO_NONE) | order | effect;
    case ISO_EDGE_WW:
        return order | effect;
    case ISO_EDGE_LIST:
        return e->reader_op < h->n_ops ? effect_of(h, h->op_txn[e->reader_op]) : ISO_ASSUMES_ORDER;
    case ISO_EDGE_KINDS:
        break;
    }
    return ISO_ASSUMES_ORDER;
}
