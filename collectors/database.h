/* A database from its opening to its end. */
#ifndef ISOLAB_COLLECTORS_DATABASE_H
#define ISOLAB_COLLECTORS_DATABASE_H

#include "collectors/collector.h"
#include "generators/workload.h"

/* Finds the level and the other values of a database in its args. Throws ISOLAB_E_USAGE for a level that it does not
 * have, and for lists where it has none. */
void iso_database_init(iso_database *db, const iso_collector *collector, iso_args *args, const iso_workload *workload);

/* Opens a database in a temporary folder (or the one of --folder), calls fn(arg), closes it and removes the folder, also after an
 * error, which is thrown again. */
void iso_with_database(iso_database *db, void (*fn)(void *), void *arg);

#endif
