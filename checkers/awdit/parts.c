/* Divides work into parts, one for each thread. See awdit.h. */
#include <pthread.h>

#include "checkers/awdit/awdit.h"

static void run_guarded(void *arg) {
    iso_awdit_part *p = arg;
    p->work(p);
}

static void *run_thread(void *arg) {
    iso_awdit_part *p = arg;
    p->code = iso_guard(&p->env, run_guarded, p);
    return NULL;
}

static void take_edges(iso_awdit *a, const iso_awdit_edges *e) {
    uint32_t n = a->h->n_txns, before = a->edges.n_nodes; /* the nodes of a part come after those of the parts before
                                                           * it */
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t from = e->from[i], to = e->to[i];
        iso_awdit_edge(&a->edges, from < n ? from : from + before, to < n || to == ISO_INIT ? to : to + before);
    }
    a->edges.n_nodes += e->n_nodes;
}

static void run_threads(iso_awdit *a, iso_awdit_part *parts, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        iso_awdit_part *p = &parts[i];
        iso_env_fork(&p->env, a->pool->env);
        iso_pool_init(&p->own_pool, &p->env);
        p->pool = p->edges.pool = &p->own_pool;
    }
    unsigned started = 1;
    while (started < n && pthread_create(&parts[started].thread, NULL, run_thread, &parts[started]) == 0) {
        started++;
    }
    run_thread(&parts[0]);
    int code = ISOLAB_OK;
    for (unsigned i = 0; i < n; i++) {
        if (i > 0 && i < started) {
            pthread_join(parts[i].thread, NULL);
        } else if (i > 0) { /* the system could not start a thread */
            run_thread(&parts[i]);
        }
        if (parts[i].code != ISOLAB_OK) {
            code = parts[i].code;
            a->pool->env->error = parts[i].env.error;
        }
    }
    for (unsigned i = 0; i < n && code == ISOLAB_OK; i++) {
        take_edges(a, &parts[i].edges);
    }
    for (unsigned i = 0; i < n; i++) {
        iso_pool_free(&parts[i].own_pool);
    }
    if (code != ISOLAB_OK) {
        iso_rethrow(a->pool->env);
    }
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
