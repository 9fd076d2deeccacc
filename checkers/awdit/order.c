/* A topological order of so, wr and the inferred edges. */
#include "base/assert.h"
#include "checkers/awdit/awdit.h"
#include "graph/chain_order.h"

bool iso_awdit_sort(iso_awdit *a, bool inferred, uint32_t *order) {
    iso_assert(!inferred || a->edges.n == 0 || a->edges.from != NULL);
    const isolab_history *h = a->h;
    if (inferred && a->edges.into_initial) {
        return false;
    }
    return iso_chain_order(&(iso_chains){.first = h->session_txn,
                                         .n_chains = h->n_sessions,
                                         .n_alone = inferred ? a->edges.n_nodes : 0,
                                         .before = a->source,
                                         .before_first = h->txn_op,
                                         .before_end = a->reads_end,
                                         .nothing = ISO_INIT,
                                         .from = a->edges.from,
                                         .to = a->edges.to,
                                         .n_edges = inferred ? a->edges.n : 0,
                                         .kind = h->txn_counts,
                                         .kept = ISO_INCLUDED},
                           a->pool, order, &a->n_order);
}
