/* A database from its opening to its end. */
#ifndef ISOLAB_COLLECTORS_DATABASE_H
#define ISOLAB_COLLECTORS_DATABASE_H

#include "collectors/collector.h"
#include "generators/workload.h"

/* Finds the level and the other values of a database in its args. Throws ISOLAB_E_USAGE for a level that it does not
 * have, and for lists where it has none. */
void iso_database_init(iso_database *db, const iso_collector *collector, iso_args *args, const iso_workload *workload);

/* Makes the folder of a database (a temporary one, or that of --folder), starts its server if there is --spawn, calls
 * fn(arg), and ends and removes both, also after an error, which is thrown again. */
void iso_with_server(iso_database *db, void (*fn)(void *), void *arg);

/* Inside of iso_with_server(): opens the database at db->level, empties it, calls fn(arg) and closes it. */
void iso_with_open(iso_database *db, void (*fn)(void *), void *arg);

/* Both. Opens a database in a temporary folder (or the one of --folder), calls fn(arg), closes it and removes the
 * folder, also after an error, which is thrown again. */
void iso_with_database(iso_database *db, void (*fn)(void *), void *arg);

/* Does harm to the private server; see `fault` in collector.h. */
void iso_harm(iso_database *db, const char *fault, uint64_t which);

#endif
