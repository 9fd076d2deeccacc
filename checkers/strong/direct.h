/* A short cycle of what a violated history shows directly, if there is one.
 *
 * Saturation finds some cycle, through edges that lean on edges that lean on edges. Most violated histories also have
 * one of session order, reads-from, and anti-dependencies that a single premise justifies: t3 read x from t1, and t2
 * is the one that read that version and wrote the next (or wrote x next in t1's session, or x was initial).
 * It is what a person wants to read first: a lost update, a write skew, a long fork. */
#ifndef ISOLAB_CHECKERS_STRONG_DIRECT_H
#define ISOLAB_CHECKERS_STRONG_DIRECT_H

#include "checkers/result.h"
#include "checkers/strong/model.h"

/* Reports the cycle with the fewest edges that are no session order, as far as a budget of steps allows. False:
 * there is none, and nothing is reported. Without a result nothing is reported either. */
bool iso_strong_direct(const strong_model *m, iso_result *result);

#endif
