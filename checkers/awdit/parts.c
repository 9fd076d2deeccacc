/* Divides work into parts, one for each thread. See awdit.h. */
#include "base/parts.h"
#include "checkers/awdit/awdit.h"

static void take_edges(iso_awdit *a, const iso_awdit_edges *e) {
    uint32_t n = a->h->n_txns, before = a->edges.n_nodes; /* the nodes of a part come after those of the parts before
                                                           * it */
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t from = e->from[i], to = e->to[i];
        iso_awdit_edge(&a->edges, from < n ? from : from + before, to < n || to == ISO_INIT ? to : to + before);
    }
    a->edges.n_nodes += e->n_nodes;
}

static void run_thread(iso_part *thread) {
    iso_awdit_part *p = (iso_awdit_part *)thread->arg + thread->number;
    p->pool = p->edges.pool = thread->pool;
    p->work(p);
}

static void run_threads(iso_awdit *a, iso_awdit_part *parts, unsigned n) {
    iso_part *threads = iso_parts_run(a->pool, n, run_thread, parts);
    for (unsigned i = 0; i < n; i++) {
        take_edges(a, &parts[i].edges);
    }
    iso_free(a->pool, parts->edges.from); /* the first part has the pool of all */
    iso_free(a->pool, parts->edges.to);
    iso_parts_free(a->pool, threads);
}

void iso_awdit_run(iso_awdit *a, iso_awdit_part *parts, unsigned n, iso_awdit_work *work) {
    for (unsigned i = 0; i < n; i++) {
        parts[i].a = a;
        parts[i].work = work;
    }
    if (n > 1) {
        run_threads(a, parts, n);
        return;
    }
    parts->pool = a->pool;
    parts->edges = a->edges;
    work(parts);
    a->edges = parts->edges;
}

bool iso_awdit_by_session(iso_awdit *a, iso_awdit_work *work, void *arg) {
    const isolab_history *h = a->h;
    iso_awdit_part *parts = ISO_ZNEW(a->pool, iso_awdit_part, a->threads);
    uint32_t s = 0;
    for (unsigned i = 0; i < a->threads; i++) { /* about the same number of operations in each part */
        uint64_t goal = (uint64_t)h->n_ops * (i + 1) / a->threads;
        parts[i].first = s;
        while (s < h->n_sessions && (i + 1 == a->threads || h->txn_op[h->session_txn[s + 1]] <= goal)) {
            s++;
        }
        parts[i].end = s;
        parts[i].good = true;
        parts[i].arg = arg;
    }
    iso_awdit_run(a, parts, a->threads, work);
    bool good = true;
    for (unsigned i = 0; i < a->threads; i++) {
        good &= parts[i].good;
    }
    iso_free(a->pool, parts);
    return good;
}
