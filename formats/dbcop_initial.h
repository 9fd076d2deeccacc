/* The initial value in the files of newer dbcop, its JSON and its text. null (there `?`) reads it, and so does 0 where
 * no transaction, committed or not, writes 0 to the variable. It can be read and not written. */
#ifndef ISOLAB_FORMATS_DBCOP_INITIAL_H
#define ISOLAB_FORMATS_DBCOP_INITIAL_H

#include "formats/survey.h"

/* After the last operation: turns such reads of 0 into reads of the initial value. Linear. */
void iso_dbcop_settle(iso_pool *pool, iso_builder *b);

/* Writing. Integers stay from min on. Every 0 becomes a fresh number where a 0 is read that no transaction wrote, or the
 * first transaction writes nothing else. */
void iso_dbcop_numbers(iso_numbers *n, const isolab_history *h, int64_t min);
/* The version of an operation, nil for a read of the initial value. A write of it becomes one of a fresh number: who
 * read it reads null still. */
iso_atom iso_dbcop_version(const iso_numbers *n, uint32_t op);
void iso_dbcop_survey(const isolab_history *h, int64_t min, iso_losses *losses); /* adds to them */

#endif
