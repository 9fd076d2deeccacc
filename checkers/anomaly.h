/* What an anomaly is called: by the kind of an offending read, or by the edges of a cycle. Shared words, no
 * algorithm of any checker. */
#ifndef ISOLAB_CHECKERS_ANOMALY_H
#define ISOLAB_CHECKERS_ANOMALY_H

#include "checkers/result.h"
#include "history/read_consistency.h"

iso_anomaly_kind iso_anomaly_of_int(iso_int_kind kind);

/* The name of a cycle, from its edges (each begins where the one before ends) and the history.
 *
 *   real-time edges: real-time-violation
 *   no rw edge: write-cycle (G0) where all are ww, else cyclic-causality (G1c)
 *   one rw edge: lost-update (two transactions that read one version of a key and write the key),
 *     read-skew (wr against rw: part of the other transaction was seen), else single-anti-dependency-cycle
 *   several rw edges: write-skew (two transactions, two rw), long-fork (rw never next to rw, two of them, with
 *     wr and no ww between), else anti-dependency-cycle (G2-item)
 *
 * An axiom edge t2 -> t1 counts as what makes it hold: it closes a cycle through the reader. */
iso_anomaly_kind iso_anomaly_of_cycle(const isolab_history *h, const iso_edge *edges, uint32_t n);

/* How bad a cycle is: what is worse is forbidden by weaker levels (ser 1, si 2, pc 3, ra 5, g1 6).
 * Where each of several cases ends in a cycle, the history shows surely no more than the least of them. */
unsigned iso_anomaly_badness(const isolab_history *h, const iso_edge *edges, uint32_t n);

#endif
