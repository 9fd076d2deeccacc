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

/* Runs the work for the sessions [first, end), in parts with about the same number of operations. Returns whether all
 * parts are good. */
static bool run_sessions(iso_awdit *a, uint32_t first, uint32_t end, iso_awdit_work *work, void *arg) {
    const isolab_history *h = a->h;
    iso_awdit_part *parts = ISO_ZNEW(a->pool, iso_awdit_part, a->threads);
    uint64_t before = h->txn_op[h->session_txn[first]], all = h->txn_op[h->session_txn[end]] - before;
    uint32_t s = first;
    for (unsigned i = 0; i < a->threads; i++) { /* about the same number of operations in each part */
        uint64_t goal = before + all * (i + 1) / a->threads;
        parts[i].first = s;
        while (s < end && (i + 1 == a->threads || h->txn_op[h->session_txn[s + 1]] <= goal)) {
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

bool iso_awdit_by_session(iso_awdit *a, iso_awdit_work *work, void *arg) {
    return run_sessions(a, 0, a->h->n_sessions, work, arg);
}

/* Returns the number of reads of a session from other transactions. */
static uint64_t reads_of(const iso_awdit *a, uint32_t session) {
    uint64_t n = 0;
    for (uint32_t t = a->h->session_txn[session]; t < a->h->session_txn[session + 1]; t++) {
        n += a->reads_end[t] - a->h->txn_op[t];
    }
    return n;
}

bool iso_awdit_infer_by_session(iso_awdit *a, iso_awdit_work *work, void *arg, bool early) {
    /* The first round has about one in FIRST reads, each further round ends after TIMES as many reads. A cycle is
     * looked for after a round if there is more than one edge for MANY operations, and then again when the edges have
     * doubled. */
    enum { FIRST = 256, TIMES = 4, MANY = 8 };
    const isolab_history *h = a->h;
    if (!early || a->question->all) {
        return iso_awdit_by_session(a, work, arg);
    }
    bool good = true;
    uint64_t reads = 0, goal = h->n_ops / FIRST + 1, least = h->n_ops / MANY;
    for (uint32_t first = 0, end = 0; first < h->n_sessions; first = end, goal *= TIMES) {
        while (end < h->n_sessions && reads < goal) {
            reads += reads_of(a, end++);
        }
        good &= run_sessions(a, first, end, work, arg);
        if (end < h->n_sessions && a->edges.n > least) {
            if (!iso_awdit_sort(a, true, NULL)) {
                break;
            }
            least = 2 * (uint64_t)a->edges.n;
        }
    }
    return good;
}
