/* Certificates of violations. See sat.h.
 *
 * Every clause that CaDiCaL was given, except transitivity, is an instance of a rule of docs/certificates.md, and is
 * recorded as such (iso_proof in the other files). CaDiCaL's own proof cannot be used by a verifier of unit propagation
 * (docs/solver.md), but its verdict says that these finitely many instances contradict each other. They are solved
 * again by a solver that logs its learnt clauses, and clauses that are not needed are left out. */
#include <inttypes.h>
#include <stdio.h>

#include "checkers/sat/sat.h"

/* The fixed order between transactions that are certainly included is the closure of session order, real time, and the
 * reads with one writer, which reads.c adds. */
void iso_sat_proof_start(sat *s) {
    const isolab_history *h = s->h;
    uint32_t last = ISO_NONE;
    for (uint32_t v = 0; v < s->n; v++) {
        if (s->part[v] != SAT_TRUE) {
            continue;
        }
        if (s->sessions && last != ISO_NONE && h->txn_session[last] == h->txn_session[s->txn[v]]) {
            iso_proof_so(s->proof, last, s->txn[v]);
        }
        last = s->txn[v];
        if (!(s->rules & ISO_TIME_KEYS) || h->txn_start == NULL) {
            continue;
        }
        /* sser: if a transaction ended before the latest start among the transactions that ended before v began, these
         * two rules put it before v. */
        int64_t latest = ISO_NO_TIME;
        for (int turn = 0; turn < 2; turn++) {
            for (uint32_t u = 0; u < s->n; u++) {
                iso_tick(s->env);
                uint32_t t = s->txn[u];
                if (s->part[u] != SAT_TRUE || !iso_sat_in_time(s, t, s->txn[v])) {
                    continue;
                }
                if (turn == 0) {
                    latest = !(s->rules & ISO_TIME_ALL) ? ISO_NO_TIME
                             : h->txn_start[t] > latest ? h->txn_start[t]
                                                        : latest;
                } else if (h->txn_end[t] >= latest) {
                    iso_proof_rt(s->proof, t, s->txn[v]);
                }
            }
        }
    }
}

void iso_sat_proof_end(sat *s) {
    int64_t since = iso_now();
    switch (iso_proof_solve(s->proof, s->proof_conflicts)) {
    case ISO_SOLVER_UNSAT:
        iso_proof_lemma(s->proof, NULL, 0);
        iso_proof_give(s->proof, s->result);
        iso_proof_name_reads(s->proof, &s->result->anomalies[s->result->n_anomalies - 1]);
        break;
    case ISO_SOLVER_SAT:
        iso_throw(s->env, ISOLAB_E_INTERNAL, "sat: two answers to one question");
    case ISO_SOLVER_UNKNOWN: /* the verdict is violated nevertheless */
        iso_result_reason(s->result, ISO_REASON_EFFORT, "no proof was found (--option proof-conflicts=%" PRIu64 ")",
                          s->proof_conflicts);
        break;
    }
    iso_result_phase(s->result, "proof", since);
}
