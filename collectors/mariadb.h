/* What the collectors of MariaDB and of its cluster share: each connection is one to a node. */
#ifndef ISOLAB_COLLECTORS_MARIADB_H
#define ISOLAB_COLLECTORS_MARIADB_H

#include "collectors/collector.h"
#include "collectors/server.h"
#include "collectors/sql.h"

enum { ISO_MARIADB_NODES = 3 };

/* The programs of a private server are the nodes in order. */
typedef struct iso_mariadb {
    const char *host, *user, *password, *database;
    unsigned nodes, port[ISO_MARIADB_NODES]; /* session i connects to node i modulo nodes */
    void *conn;                              /* of the thread that opened it */
    bool made;                               /* the table */
} iso_mariadb;

bool iso_mariadb_load(char why[256]);
void iso_mariadb_open(iso_database *db);
void iso_mariadb_close(iso_database *db);
iso_did iso_mariadb_connect(iso_connection *c);
void iso_mariadb_disconnect(iso_connection *c);
iso_did iso_mariadb_begin(iso_connection *c);
iso_did iso_mariadb_read(iso_connection *c, uint32_t key, iso_cell *cell);
iso_did iso_mariadb_change(iso_connection *c, uint32_t key, int64_t value);
iso_did iso_mariadb_commit(iso_connection *c);
iso_did iso_mariadb_abort(iso_connection *c);
void iso_mariadb_cancel(iso_connection *c);

/* Makes the files of a node in a folder of its server. */
void iso_mariadb_install(iso_database *db, const char *folder);

/* Starts a node with further arguments (ended by NULL) and waits until it answers. */
void iso_mariadb_start(iso_database *db, unsigned node, const char *folder, const char *const *more);

/* Kills or pauses the program of a node. */
void iso_mariadb_fault(iso_database *db, const char *what, unsigned node);

/* The options by which another process reaches the nodes. ports: the option that takes them. */
void iso_mariadb_reach(const iso_database *db, const char *ports, const char *argv[ISO_REACH]);

/* Runs a statement on a node, which in a cluster first applies what the others have committed. Returns a whole number
 * that it answers; negative: it fails, or answers none. */
int64_t iso_mariadb_number(const iso_mariadb *d, unsigned node, const char *sql, unsigned column);

/* The statements of both, except levels and nodes. A client of the server's programs goes on after an error. */
#define ISO_MARIADB_SQL                                                                                                \
    .client = "mariadb --force test < ", .pause = "\\! sleep ",                                                        \
    .create = {"CREATE TABLE $T (k BIGINT PRIMARY KEY, v BIGINT) ENGINE = InnoDB",                                     \
               "CREATE TABLE $T (k BIGINT PRIMARY KEY, v MEDIUMTEXT) ENGINE = InnoDB"},                                \
    .row = "INSERT INTO $T VALUES ($K, NULL)", .read = "SELECT v FROM $T WHERE k = $K",                                \
    .change = {"UPDATE $T SET v = $V WHERE k = $K", "UPDATE $T SET v = CONCAT(COALESCE(v, ''), '$V ') WHERE k = $K"}

#define ISO_MARIADB_LEVEL(level) "SET SESSION TRANSACTION ISOLATION LEVEL " level
#define ISO_MARIADB_BEGIN .begin = "START TRANSACTION"

/* The options by which both find a server that runs. */
#define ISO_MARIADB_OPTIONS                                                                                            \
    {ISO_TEXT("host", "127.0.0.1", "where the server runs")}, {ISO_TEXT("user", "root", "the account there")}, {       \
        ISO_TEXT("database", "test", "where the run makes a table of its own; the password is $MYSQL_PWD")             \
    }

/* What the descriptors of both share. */
#define ISO_MARIADB_FUNCTIONS                                                                                          \
    .database_size = sizeof(iso_mariadb), .connection_size = sizeof(void *), .close = iso_mariadb_close,               \
    .connect = iso_mariadb_connect, .disconnect = iso_mariadb_disconnect, .begin = iso_mariadb_begin,                  \
    .read = iso_mariadb_read, .write = iso_mariadb_change, .read_list = iso_mariadb_read,                              \
    .append = iso_mariadb_change, .commit = iso_mariadb_commit, .abort = iso_mariadb_abort,                            \
    .cancel = iso_mariadb_cancel

#endif
