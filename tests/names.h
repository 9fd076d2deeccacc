/* Whether the name of an anomaly is true, by definitions of its own: what each name says of the cycle that is shown,
 * and which level the anomaly alone breaks (docs/levels.md, "Names of anomalies"). */
#ifndef ISOLAB_TESTS_NAMES_H
#define ISOLAB_TESTS_NAMES_H

#include "checkers/checker.h"

/* An iso_agree_fn (agree.h) for every anomaly of `other`: the level that its name breaks is the one asked for or
 * weaker; brute refuses the history at that level; the edges have the shape that the name claims; and the
 * transactions that the anomaly speaks of break that level by themselves. */
bool iso_well_named(const isolab_history *h, const iso_question *question, const iso_result *one,
                    const iso_result *other, char *why, size_t size);

/* How often each name was judged. */
extern uint64_t iso_names_seen[ISO_A_KINDS];
void iso_names_report(void);

#endif
