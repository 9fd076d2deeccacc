/* Anomalies and their proofs (awdit.txt, section 3.4). It runs only after a violation is certain.
 *
 * - Read consistency: every offending read.
 * - Causality: a shortest cycle of so and wr for each strongly connected component.
 * - Reads of one key from two other transactions: the first pair of each transaction. After that, as in algorithm 2,
 *   the first read of the key is the only one.
 * - Commit order: for each component of so, wr and the inferred edges the best cycle (cycle.c), each inferred edge with
 *   t1, t2, t3, the key, and how t3 sees t2 (reason.c).
 *
 * Without --all it stops after the first anomaly. */
#include <string.h>

#include "checkers/awdit/witness.h"
#include "history/read_consistency.h"

static bool keep(iso_awdit *a, iso_anomaly_kind kind) {
    iso_result *r = a->result;
    r->verdict = ISOLAB_VIOLATED;
    if ((a->question->all || r->n_anomalies == 0) && iso_result_has_room(r, a->question->limit)) {
        return true;
    }
    r->seen[kind]++;
    return false;
}

/* ---- read consistency ---- */

static void offence(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    static const uint8_t anomaly[ISO_INT_KINDS] = {[ISO_INT_THIN_AIR] = ISO_A_THIN_AIR,
                                                   [ISO_INT_ABORTED] = ISO_A_ABORTED_READ,
                                                   [ISO_INT_FUTURE] = ISO_A_FUTURE_READ,
                                                   [ISO_INT_NOT_OWN] = ISO_A_NOT_MY_OWN_WRITE,
                                                   [ISO_INT_NOT_LAST_OWN] = ISO_A_NOT_MY_LAST_WRITE,
                                                   [ISO_INT_NOT_LAST] = ISO_A_INTERMEDIATE_READ};
    iso_awdit *a = arg;
    a->dropped[read_op >> 6] |= (uint64_t)1 << (read_op & 63);
    if (keep(a, (iso_anomaly_kind)anomaly[kind])) {
        iso_result_anomaly(a->result, (iso_anomaly){.kind = anomaly[kind], .op = read_op, .other_op = other_op});
    }
}

static void make_dropped(iso_awdit *a) {
    if (a->dropped == NULL) {
        a->dropped = ISO_ZNEW(a->pool, uint64_t, (size_t)a->h->n_ops / 64 + 1);
    }
}

void iso_awdit_report_reads(iso_awdit *a) {
    make_dropped(a);
    if (iso_check_int(a->h, a->pool, offence, a) == 0) {
        iso_throw(a->pool->env, ISOLAB_E_INTERNAL, "awdit found a read that offends, but not which one");
    }
}

uint32_t iso_awdit_source(const iso_awdit *a, uint32_t o) {
    const isolab_history *h = a->h;
    uint32_t w = h->op_writer[o];
    if (h->op_kind[o] != ISO_READ || (a->dropped != NULL && (a->dropped[o >> 6] >> (o & 63) & 1))) {
        return ISO_NONE;
    }
    if (w >= h->n_ops) {
        return w;
    }
    uint32_t t = h->op_txn[w];
    return t == h->op_txn[o] || !iso_awdit_in(a, t) ? ISO_NONE : t;
}

bool iso_awdit_report_unrepeatable(iso_awdit *a, uint32_t first, uint32_t end) {
    const isolab_history *h = a->h;
    bool any = false;
    uint32_t *before =
        ISO_ZNEW(a->pool, uint32_t, h->n_keys); /* 1 + the first read of the key from another transaction */
    for (uint32_t t = first; t < end && (!any || a->question->all); t++) {
        iso_tick(a->pool->env);
        bool mine = false;
        for (uint32_t o = h->txn_op[t], last = iso_awdit_in(a, t) ? h->txn_op[t + 1] : o; o < last; o++) {
            uint32_t source = h->op_kind[o] == ISO_READ ? iso_awdit_source(a, o) : ISO_NONE, b = before[h->op_key[o]];
            if (source == ISO_NONE) {
                continue;
            }
            if (b <= h->txn_op[t]) {
                before[h->op_key[o]] = o + 1;
            } else if (iso_awdit_source(a, b - 1) != source) {
                make_dropped(a);
                a->dropped[o >> 6] |= (uint64_t)1 << (o & 63);
                if (!mine && keep(a, ISO_A_NON_REPEATABLE_READ)) {
                    iso_result_anomaly(a->result,
                                       (iso_anomaly){.kind = ISO_A_NON_REPEATABLE_READ, .op = o, .other_op = b - 1});
                }
                mine = true;
            }
        }
        any |= mine;
    }
    iso_free(a->pool, before);
    return any;
}

/* ---- cycles ---- */

/* Returns Plume's name of a cycle (plume.txt, table 1): with one inferred edge t2 -> t1 the remaining path is t1 CO t2;
 * otherwise CM. */
static iso_anomaly_kind classify(uint32_t inferred, iso_awdit_grade worst) {
    static const uint8_t by_co[] = {ISO_A_NON_MONO_READ_CO, ISO_A_FRACTURED_READ_CO, ISO_A_CO_CONFLICT_CM};
    static const uint8_t by_cm[] = {ISO_A_NON_MONO_READ_CM, ISO_A_FRACTURED_READ_CM, ISO_A_CONFLICT_CM};
    return (iso_anomaly_kind)(inferred == 0 ? ISO_A_CYCLIC_CO : inferred == 1 ? by_co[worst] : by_cm[worst]);
}

/* Reports the current cycle as an anomaly: first its premises, then its edges without gaps. */
static void report_cycle(iso_awdit_witness *w) {
    iso_awdit *a = w->a;
    uint32_t n = w->n_cycle, inferred = 0;
    iso_edge *edges = ISO_NEW(a->pool, iso_edge, n);
    iso_awdit_grade worst = ISO_AWDIT_MONO;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = w->cycle[i].edge;
        if (e == ISO_AWDIT_SO || e < w->n_causal) {
            edges[i] = iso_awdit_plain(w, &w->cycle[i]);
            continue;
        }
        iso_awdit_grade how;
        edges[i] = iso_awdit_justify(w, e, &how);
        worst = how > worst ? how : worst;
        inferred++;
    }
    iso_anomaly anomaly = {.kind = (uint8_t)classify(inferred, worst),
                           .op = ISO_NONE,
                           .other_op = ISO_NONE,
                           .cycle = a->result->n_edges,
                           .n_cycle = n};
    for (uint32_t i = 0; i < n; i++) {
        iso_result_edge(a->result, edges[i]);
    }
    iso_result_anomaly(a->result, anomaly);
    iso_free(a->pool, edges);
}

/* Reports one cycle for each component that contains a seed, which is an edge of [first, end). Skips the components
 * marked in `skip`. */
static bool report_components(iso_awdit_witness *w, uint32_t first, uint32_t end, iso_anomaly_kind kind,
                              const uint8_t *skip) {
    iso_awdit *a = w->a;
    uint32_t n = 0;
    uint32_t *head = ISO_NEW_NONE(a->pool, w->n_nodes); /* by component: its last seed */
    uint32_t *next = ISO_NEW(a->pool, uint32_t, end - first), *seeds = ISO_NEW(a->pool, uint32_t, end - first);
    for (uint32_t e = end; e-- > first;) {
        uint32_t c = w->component[w->from[e]];
        if (c == w->component[w->to[e]] && (skip == NULL || !skip[c])) {
            next[e - first] = head[c];
            head[c] = e;
        }
    }
    bool any = false;
    for (uint32_t v = 0; v < w->n_nodes; v++) {
        uint32_t c = w->component[v];
        if (head[c] == ISO_NONE) {
            continue;
        }
        any = true;
        for (n = 0; head[c] != ISO_NONE; head[c] = next[head[c] - first]) {
            seeds[n++] = head[c];
        }
        if (keep(a, kind)) {
            iso_awdit_find_cycle(w, seeds, n);
            report_cycle(w);
        }
    }
    iso_free(a->pool, seeds);
    iso_free(a->pool, next);
    iso_free(a->pool, head);
    return any;
}

bool iso_awdit_report_causality(iso_awdit *a) {
    iso_awdit_witness w = {.a = a};
    iso_awdit_build(&w, false);
    /* a cycle of so and wr has a wr edge, since sessions are orders */
    bool any = report_components(&w, w.n_so, w.n_causal, ISO_A_CYCLIC_CO, NULL);
    iso_awdit_demolish(&w);
    return any;
}

/* Marks the components with a cycle of so and wr, which were reported. */
static uint8_t *with_causal_cycle(iso_awdit_witness *w) {
    iso_awdit *a = w->a;
    iso_digraph causal = iso_digraph_build(a->pool, w->n_nodes, w->from, w->to, w->n_causal, false);
    uint32_t *component = ISO_NEW(a->pool, uint32_t, w->n_nodes);
    iso_digraph_components(&causal, a->pool, component);
    uint8_t *skip = ISO_ZNEW(a->pool, uint8_t, w->n_nodes);
    for (uint32_t e = w->n_so; e < w->n_causal; e++) {
        if (component[w->from[e]] == component[w->to[e]]) {
            skip[w->component[w->from[e]]] = 1;
        }
    }
    iso_free(a->pool, component);
    iso_digraph_free(a->pool, &causal);
    return skip;
}

void iso_awdit_report_cycles(iso_awdit *a) {
    if (a->edges.n_nodes > 0) { /* infer again, only between transactions, however many edges that needs */
        a->result->verdict = ISOLAB_VIOLATED;
        a->plain = true;
        a->edges.n = a->edges.n_nodes = 0;
        iso_awdit_rc(a);
    }
    iso_awdit_witness w = {.a = a};
    iso_awdit_build(&w, true);
    if (iso_awdit_complete(&w)) {
        iso_awdit_demolish(&w);
        w = (iso_awdit_witness){.a = a};
        iso_awdit_build(&w, true);
    }
    uint8_t *skip = with_causal_cycle(&w);
    iso_awdit_grade usual = !iso_level_has(a->level, ISO_SEES_READ) ? ISO_AWDIT_MONO
                            : a->level == ISO_RA                    ? ISO_AWDIT_ATOMIC
                                                 : ISO_AWDIT_CAUSAL; /* for edges that were not examined */
    report_components(&w, w.n_causal, w.n_edges, classify(2, usual), skip);
    iso_free(a->pool, skip);
    iso_awdit_demolish(&w);
}
