/* The four session guarantees (Terry et al., "Session Guarantees for Weakly Consistent Replicated Data", 1994), as
 * names of cycles.
 *
 * A cycle of one anti-dependency says: t3 sees t2, and reads a version of x that t2 had overwritten. How t3 sees t2
 * tells which guarantee is broken. Below, t and t' are transactions between t2 and t3, and `so` is any number of steps
 * of one session:
 *
 *   read your writes      t2 so t3
 *   monotonic reads       t2 -wr_x-> t so t3: the session had read x from t2
 *   monotonic writes      t2 so t -wr-> t3: t3 reads the later write of a session, and misses the earlier one
 *   writes follow reads   t2 -wr_x-> t (so t') -wr-> t3: t3 reads a write of a session that had read x from t2
 *
 * A guarantee is broken only if so, wr, the order that list reads show, and further instances of the same guarantee
 * prove that the version that t3 read is older than that of t2. If it is proved in another way, the name of the pattern
 * stays. */
#ifndef ISOLAB_CHECKERS_GUARANTEE_H
#define ISOLAB_CHECKERS_GUARANTEE_H

#include "checkers/result.h"

/* If an anomaly of an answer about a level breaks a guarantee, gives it the guarantee's name, and counts it also under
 * that name. `pattern` keeps the name before. O(edges, and operations of their transactions). */
void iso_guarantee_names(const isolab_history *h, iso_result *result, iso_level level);

#endif
