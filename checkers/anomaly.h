/* The name of an anomaly: by the kind of an offending read, or by the edges of a cycle. It contains shared definitions
 * and no algorithm of any checker.
 *
 * The name of a cycle says which level it breaks (iso_anomaly_info.breaks, docs/levels.md). So the name must be right
 * for every order of versions, not only for the order that the cycle assumes. An inferred edge holds because the
 * opposite order closes another cycle, together with its premises. The cycle and these other cycles are the *cases*:
 * for every order of versions, one of them exists. The history certainly shows the case that breaks only the strongest
 * level. */
#ifndef ISOLAB_CHECKERS_ANOMALY_H
#define ISOLAB_CHECKERS_ANOMALY_H

#include "checkers/result.h"
#include "history/read_consistency.h"

iso_anomaly_kind iso_anomaly_of_int(iso_int_kind kind);

/* Returns the weakest level that forbids a cycle with these edges. Each edge begins where the one before ends. Below,
 * `seen` is so or wr, and ww is any order of two writers of a key.
 *
 *   sser  it has a real-time edge between transactions without a common key
 *   lser  it has a real-time edge
 *   ser   it has two adjacent rw edges
 *   si    an rw edge follows a ww edge; or two transactions read one version of a key and both write the key
 *   pc    every rw edge follows a seen edge
 *   cc    one rw edge; all other edges are seen
 *   ra    the same with two transactions
 *   g1    no rw edge */
iso_level iso_anomaly_breaks(const isolab_history *h, const iso_edge *edges, uint32_t n);

/* Returns the name of a cycle that breaks exactly the level above. premises: the array of the edges' premises; NULL:
 * none. */
iso_anomaly_kind iso_anomaly_of_cycle(const isolab_history *h, const iso_edge *edges, uint32_t n,
                                      const iso_edge *premises);

/* Names a cycle of edges with premises. If another case breaks only a stronger level (or is shorter), that case becomes
 * the cycle: its closing edge has the rest of the old cycle as its premises. All edges of the anomaly are those from
 * `first` on, before and after the call. */
void iso_anomaly_settle(iso_result *result, const isolab_history *h, iso_level level, iso_anomaly *a, uint32_t first);

#endif
