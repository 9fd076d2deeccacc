/* Databases of SQL: the statements that a collector sends, so that a play can also be printed as scripts for the
 * database's own client (`isolab replay --print sql`). In a statement, $T stands for the table, $K for the key and $V
 * for the value: numbers, or parameters of a prepared statement. */
#ifndef ISOLAB_COLLECTORS_SQL_H
#define ISOLAB_COLLECTORS_SQL_H

#include "collectors/play.h"

enum { ISO_SQL_ROOM = 256, ISO_SQL_SETTINGS = 3 };

/* How a level is configured. */
typedef struct iso_sql_level {
    const char *name;                       /* of the iso_offer */
    const char *once;                       /* before the table is made; NULL: nothing */
    const char *settings[ISO_SQL_SETTINGS]; /* of a new session; NULL: no more */
    const char *begin;                      /* the first statement of a transaction */
    const char *unshown;                    /* why scripts of clients cannot show it; NULL: they can */
} iso_sql_level;

typedef struct iso_sql {
    const char *client;    /* how a file is run, with a space at the end: `psql -f ` */
    const char *pause;     /* makes the client wait half a second times the number that follows, without a statement */
    const char *create[2]; /* the table: of registers, of lists */
    const char *row;       /* adds a key without a value; NULL: keys need no row */
    const char *read;
    const char *change[2]; /* write; append */
    unsigned nodes;        /* session i connects to node i modulo nodes */
    const iso_sql_level *levels;
} iso_sql;

/* Returns how the level of an open database is configured. */
const iso_sql_level *iso_sql_at(const iso_database *db);

/* Writes a statement with its table, key and value in their places. Returns `to`. */
const char *iso_sql_fill(char to[ISO_SQL_ROOM], const char *statement, const char *table, const char *key,
                         const char *value);

/* Returns why a play on the database cannot be printed as SQL, in one phrase; NULL: it can. */
const char *iso_sql_unshown(const iso_database *db);

/* Prints a play as one text of several files: setup.sql, one file for each session, and end.sql. Comments say what each
 * statement answered. verdict: a phrase about the play. */
void iso_sql_print(FILE *out, const iso_database *db, const iso_script *s, const iso_played *p, const char *verdict);

#endif
