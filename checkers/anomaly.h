/* What an anomaly is called: by the kind of an offending read, or by the edges of a cycle. Shared words, no
 * algorithm of any checker.
 *
 * The name of a cycle says which level it breaks (iso_anomaly_info.breaks, docs/levels.md). So it must hold in every
 * order of versions, and not just in the one that the cycle assumes: an edge that was inferred holds because the
 * opposite order closes another cycle, its premise. The cycle and these other ones are the *cases*; in every order one
 * of them is there. The case that breaks the strongest level only is what the history surely shows. */
#ifndef ISOLAB_CHECKERS_ANOMALY_H
#define ISOLAB_CHECKERS_ANOMALY_H

#include "checkers/result.h"
#include "history/read_consistency.h"

iso_anomaly_kind iso_anomaly_of_int(iso_int_kind kind);

/* The weakest level that forbids a cycle, if all its edges are there. Each edge begins where the one before ends;
 * `seen` below is so or wr, and ww any order of two writers of a key.
 *
 *   sser  with a real-time edge
 *   ser   with two rw edges side by side
 *   si    an rw edge follows a ww edge; or two transactions read one version of a key and both write the key
 *   pc    every rw edge follows a seen edge
 *   cc    one rw edge, all others seen
 *   ra    the same of two transactions
 *   g1    no rw edge */
iso_level iso_anomaly_breaks(const isolab_history *h, const iso_edge *edges, uint32_t n);

/* The name of such a cycle: one that breaks just this level. premises: the array that edges lean on; NULL: none. */
iso_anomaly_kind iso_anomaly_of_cycle(const isolab_history *h, const iso_edge *edges, uint32_t n,
                                      const iso_edge *premises);

/* Names a cycle of edges with premises. Where another case breaks a stronger level only (or is shorter), that one becomes
 * the cycle: its closing edge leans on what remains of the cycle before. All edges of the anomaly are those from `first` on, and
 * stay so. */
void iso_anomaly_settle(iso_result *result, const isolab_history *h, iso_level level, iso_anomaly *a, uint32_t first);

#endif
