/* What the cases of a proof of commits are: cycles of session order, reads and instances of the axiom that the proof
 * needs. Their names are Plume's (plume.txt, table 1). See proof_cases.c. */
#include "certificates/proof_lines.h"

/* How a transaction sees another one in an axiom's line. MONO: by an earlier read of another key (rc: of any key);
 * ATOMIC: directly; CAUSAL: by a path. */
typedef enum { MONO, ATOMIC, CAUSAL } grade;

static grade grade_of(const iso_proof *p, const line *l) {
    const isolab_history *h = p->h;
    const uint32_t *words = p->points + l->a;
    uint32_t read = words[0], seen = words[4];
    if (l->b - l->a > 3 + (words[3] == WORD_WR ? 3u : 2u)) {
        return CAUSAL;
    }
    bool mono = words[3] == WORD_WR && seen < read && (p->level == ISO_RC || h->op_key[seen] != h->op_key[read]);
    return mono ? MONO : ATOMIC;
}

unsigned iso_proof_commits_harm(const iso_proof *p, const iso_edge *edges, uint32_t n) {
    unsigned harm = 3;
    for (uint32_t i = 0; i < n; i++) {
        unsigned b =
            edges[i].kind == ISO_EDGE_AXIOM ? (unsigned)(CAUSAL - grade_of(p, &p->lines[edges[i].premise])) : 3;
        harm = b < harm ? b : harm;
    }
    return harm;
}

iso_anomaly_kind iso_proof_commits_name(const iso_edge *edges, uint32_t n, unsigned harm) {
    static const uint8_t by_co[] = {ISO_A_NON_MONO_READ_CO, ISO_A_FRACTURED_READ_CO, ISO_A_CO_CONFLICT_CM};
    static const uint8_t by_cm[] = {ISO_A_NON_MONO_READ_CM, ISO_A_FRACTURED_READ_CM, ISO_A_CONFLICT_CM};
    uint32_t axioms = 0; /* if one is t2 -> t1, the remaining path is t1 CO t2; otherwise CM */
    for (uint32_t i = 0; i < n; i++) {
        axioms += edges[i].kind == ISO_EDGE_AXIOM;
    }
    return (iso_anomaly_kind)(axioms == 0   ? ISO_A_CYCLIC_CO
                              : axioms == 1 ? by_co[CAUSAL - harm]
                                            : by_cm[CAUSAL - harm]);
}

iso_edge iso_proof_axiom_edge(const iso_proof *p, const line *l, iso_result *result) {
    const isolab_history *h = p->h;
    const uint32_t *words = p->points + l->a, n = l->b - l->a;
    iso_edge e = iso_edge_of_axiom(h, words[2], words[1] == ISO_INIT ? ISO_INIT : h->op_txn[words[1]], words[0]);
    e.premise = result->n_edges;
    uint32_t at = words[2];
    for (uint32_t i = 3; i < n; e.n_premise++) {
        bool read = words[i] == WORD_WR;
        if (!read && e.n_premise > 0 &&
            result->edges[result->n_edges - 1].kind == ISO_EDGE_SO) { /* continue in the session */
            at = result->edges[--result->n_edges].from;
            e.n_premise--;
        }
        iso_edge step =
            read ? iso_edge_of_read(h, at, words[i + 2], words[i + 1]) : iso_edge_of(ISO_EDGE_SO, at, words[i + 1]);
        iso_result_edge(result, step);
        at = step.to;
        i += read ? 3 : 2;
    }
    return e;
}
