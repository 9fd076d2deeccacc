/* A database from its opening to its end. */
#ifndef ISOLAB_COLLECTORS_DATABASE_H
#define ISOLAB_COLLECTORS_DATABASE_H

#include "collectors/collector.h"
#include "generators/workload.h"

/* Reads the level and the other values of a database from its args. Throws ISOLAB_E_USAGE if the database does not have
 * the level, or if the workload has lists and the database does not. */
void iso_database_init(iso_database *db, const iso_collector *collector, iso_args *args, const iso_workload *workload);

/* Makes the folder of a database (a temporary folder, or the one of --folder), starts its server if --spawn is given,
 * calls fn(arg), ends the server and removes the folder, also after an error, which is thrown again. */
void iso_with_server(iso_database *db, void (*fn)(void *), void *arg);

/* Inside of iso_with_server(): opens the database at db->level, empties it, calls fn(arg) and closes it. */
void iso_with_open(iso_database *db, void (*fn)(void *), void *arg);

/* The same as iso_with_server() with iso_with_open() in it. */
void iso_with_database(iso_database *db, void (*fn)(void *), void *arg);

/* Whether the faults of the run may let the server lose commits that it had answered: it is killed, and not durable. */
bool iso_forgets(const iso_database *db);

/* Does a fault to the private server; see `fault` in collector.h. */
void iso_database_fault(iso_database *db, const char *fault, uint64_t which);

#endif
