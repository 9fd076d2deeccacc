/* The initial value in the files of newer dbcop, its JSON and its text. null (in the text `?`) reads it, and so does 0
 * if no transaction, committed or not, writes 0 to the variable. It can be read and not written. */
#ifndef ISOLAB_FORMATS_DBCOP_INITIAL_H
#define ISOLAB_FORMATS_DBCOP_INITIAL_H

#include "formats/survey.h"

/* Call this after the last operation: turns such reads of 0 into reads of the initial value. Linear. */
void iso_dbcop_settle(iso_pool *pool, iso_builder *b);

/* Writing. Integers from min on are unchanged. Every 0 becomes a new number if a 0 is read that no transaction wrote,
 * or if the first transaction writes only 0. */
void iso_dbcop_numbers(iso_numbers *n, const isolab_history *h, int64_t min);
/* Returns the version of an operation, or nil for a read of the initial value. A write of the initial value becomes a
 * write of a new number; its readers still read null. */
iso_atom iso_dbcop_version(const iso_numbers *n, uint32_t op);
void iso_dbcop_survey(const isolab_history *h, int64_t min, iso_losses *losses); /* adds to them */

#endif
