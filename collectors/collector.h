/* Collectors: databases that can be recorded. A collector is one file with one descriptor and one line in
 * collectors.def. It translates a few calls (begin, read, write, append, commit, ...) for one database; the driver
 * (drive.h) makes the calls from many threads and records what they returned.
 *
 * To add one: write collectors/NAME.c that defines `const iso_collector iso_collector_NAME`, and add `COLLECTOR(NAME)`
 * to collectors.def. Help, lists, completion and the matrix come from the table. collectors/lmdb.c is short and
 * complete.
 *
 * A library is loaded when its database is opened (load.h), so that no other run pays for it. Its headers are needed to
 * build its collector: where they are absent (`__has_include`), the descriptor has no open() and names the package.
 *
 * Keys are numbers below db->n_keys, values are integers, ISO_NO_VALUE stands for a key without a value. A list is an
 * array of integers. A collector stores them as its database likes best: a row of a table, eight bytes.
 *
 * Threads. A database is opened and closed by one thread. Each session then has a thread, a connection and a
 * pool of its own, and calls the functions of its connection one after the other. Only cancel() comes from another
 * thread. */
#ifndef ISOLAB_COLLECTORS_COLLECTOR_H
#define ISOLAB_COLLECTORS_COLLECTOR_H

#include <string.h>

#include "base/args.h"

#define ISO_NO_VALUE INT64_MIN

enum { ISO_REACH = 12 }; /* words of options, at most, with the NULL at their end */

/* What became of a call. */
typedef enum {
    ISO_DONE,    /* it did what was asked; of commit: the transaction committed */
    ISO_REFUSED, /* the database aborted the transaction (a conflict, a deadlock, a lock that was not free in time): it
                    has no effect, for certain. The collector has rolled it back; the connection can begin another */
    ISO_LOST,    /* no answer: a lost connection, a timeout. A transaction whose commit() was called is then
                    indeterminate; one that was not yet asked to commit is aborted. The driver connects again */
    ISO_FAILED   /* no call can succeed any more (a wrong password, a full disk, no such table): the run ends. A
                    transaction in commit() is indeterminate */
} iso_did;

/* A level that can be configured. */
typedef struct iso_offer {
    const char *name;     /* a word, the database's own: `repeatable-read` */
    const char *promises; /* the strongest level of isolab that the database's documentation promises; `none` */
    const char *meaning;  /* one phrase: how it is configured, and where the documentation says what it promises */
} iso_offer;

struct iso_collector;

typedef struct iso_database {
    const struct iso_collector *collector;
    const iso_offer *level;
    const iso_args *args; /* values of the collector's options, and of the driver's */
    iso_pool *pool;       /* of the thread that opened it */
    const char *home;     /* the private folder of the run, with `folder` in it */
    const char *folder;   /* an empty folder for files, which is removed after close() */
    char table[24];       /* a name that no other run has: `isolab_4f0c81d2e9a7`, of what the run makes on a server */
    uint64_t n_keys, n_sessions; /* n_sessions: connections at once, at most */
    bool lists;                  /* the keys are lists: append() and read_list() instead of write() and read() */
    const char *place;           /* of --folder: where the folders of the run are; NULL: $TMPDIR or /tmp */
    bool on_disk;                /* the data are in files: it is durable, or `place` is given */
    bool durable;                /* a commit must survive a crash; else it may be as fast as the database allows */
    uint32_t plays;              /* scripts that were played on it (play.h) */
    char version[64];            /* set by open(): `3.40.1` */
    struct iso_server *server;   /* of --spawn (server.h), made by spawn(); NULL: none */
    void *state;                 /* the collector's, database_size zero bytes at first */
} iso_database;

/* Returns whether the database runs at the level of this name. */
static inline bool iso_at_level(const iso_database *db, const char *name) { return strcmp(db->level->name, name) == 0; }

/* The result of a read. */
typedef struct iso_cell {
    int64_t value; /* of a register; ISO_NO_VALUE: none */
    int64_t *list; /* of a list: n elements, in the connection's pool */
    uint32_t n, room;
} iso_cell;

typedef struct iso_connection {
    iso_database *db;
    iso_pool *pool; /* of the session's thread; it lives as long as the connection */
    uint32_t session;
    bool only_reads; /* the next transaction, or the running one, will not write */
    char why[256];   /* the database's own words for the last answer that was not ISO_DONE */
    void *state;     /* the collector's, connection_size zero bytes at first */
} iso_connection;

typedef struct iso_collector {
    const char *name;          /* a word: `sqlite` */
    const char *title;         /* `SQLite` */
    const char *summary;       /* one phrase */
    const char *package;       /* Debian packages that bring library and headers; NULL: none is needed */
    const char *server;        /* Debian package of the server for --spawn; NULL: embedded */
    const iso_offer *levels;   /* ended by a NULL name; the first is the default */
    const iso_option *options; /* its own, by name in db->args; NULL: none */
    const struct iso_sql *sql; /* its statements (sql.h); NULL: no SQL */
    bool lists;                /* it has append() and read_list() */
    bool forgets;              /* a killed server has lost commits, unless they must be durable */
    bool late;                 /* reads are answered by commit(): an aborted transaction has read nothing */
    bool whole;                /* a transaction reaches the database as a whole, by commit(): it takes no steps */
    const char *needs;         /* the option without which it cannot run; NULL: none */
    size_t database_size, connection_size;

    /* Loads the library (load.h); false: writes why not. NULL: there is nothing to load. */
    bool (*load)(char why[256]);
    /* Open a database whose keys have no values, and close it: in db->folder, which is empty, or under the name
     * db->table on a server, where close() removes it and no other name is touched. open() throws; after an error
     * close() is called, with what open() has filled in. NULL open: the collector was built without the headers of its
     * library. */
    void (*open)(iso_database *db);
    void (*close)(iso_database *db);
    /* Starts a private server in db->folder, and notes in db->state how open() reaches it. It throws. The
     * server ends after the run, also after an error. NULL: embedded. */
    void (*spawn)(iso_database *db);
    bool (*answers)(void *db); /* whether the private server answers; NULL: fault() asks by itself */
    /* Fills in the options by which another process reaches the private server: `--port`, `4711`, ..., NULL. */
    void (*reach)(const iso_database *db, const char *argv[ISO_REACH]);

    iso_did (*connect)(iso_connection *c);
    void (*disconnect)(iso_connection *c); /* also after a connect() or a call that did not succeed */

    /* A transaction. begin() takes db->level. read() and read_list() may fill in the cell as late as in commit(): it
     * stays where it is until the transaction has ended. abort() is called for a running transaction that the client
     * gives up. */
    iso_did (*begin)(iso_connection *c);
    iso_did (*read)(iso_connection *c, uint32_t key, iso_cell *cell);
    iso_did (*write)(iso_connection *c, uint32_t key, int64_t value);
    iso_did (*read_list)(iso_connection *c, uint32_t key, iso_cell *cell);
    iso_did (*append)(iso_connection *c, uint32_t key, int64_t value);
    iso_did (*commit)(iso_connection *c);
    iso_did (*abort)(iso_connection *c);

    /* Does harm to a private server: one of the words of `faults` (separated by spaces; NULL: none). which: a random
     * number, for a database of several servers. It returns when the harm is over, as after a restart, and throws if it
     * does not end. NULL: those of iso_server_fault(), to the only program. */
    const char *faults;
    void (*fault)(iso_database *db, const char *fault, uint64_t which);

    /* Ends the call that another thread makes on this connection, soon: after Ctrl-C. NULL: calls end by themselves. */
    void (*cancel)(iso_connection *c);
} iso_collector;

/* The members that a collector of registers usually has: its types and functions have these names. */
#define ISO_COLLECTOR_USUAL                                                                                            \
    .database_size = sizeof(database), .connection_size = sizeof(connection), .open = open_database,                   \
    .close = close_database, .connect = connect_session, .disconnect = disconnect, .begin = begin, .commit = commit,   \
    .abort = give_up

extern const iso_collector *const iso_collectors[]; /* in the order of collectors.def, ended by NULL */

const iso_collector *iso_collector_find(const char *name); /* NULL: no collector has this name */

/* Returns whether the database runs in the process that calls it. */
static inline bool iso_is_embedded(const iso_collector *k) { return k->server == NULL && !k->whole; }

/* Returns the level of a name, also in the spelling of SQL, `REPEATABLE READ`; NULL: the collector has none. */
const iso_offer *iso_offer_find(const iso_collector *collector, const char *name);

/* Returns the level at which a history was recorded, and its collector, by what the history says about itself:
 * `database SQLite; level wal` (a database is named by title or name). NULL: it does not say this. */
const iso_offer *iso_offer_recorded(const char *about, const iso_collector **collector);

/* Returns why the collector cannot run here, in one phrase with the package to install; NULL: it can. It loads the
 * library. */
const char *iso_collector_missing(const iso_collector *collector, char buffer[256]);

/* Notes why a call did not succeed, in one line, and returns `did`. */
iso_did iso_because(iso_connection *c, iso_did did, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds an element to a cell's list. */
static inline void iso_cell_add(iso_connection *c, iso_cell *cell, int64_t value) {
    ISO_GROW(c->pool, cell->list, cell->n, cell->room);
    cell->list[cell->n++] = value;
}

/* Sets a cell's list to the numbers of a text, each with a space after it, as collectors of SQL keep it. */
void iso_cell_parse(iso_connection *c, iso_cell *cell, const char *text);

/* Fills in `--port N`, for reach(). */
void iso_reach_port(const iso_database *db, unsigned port, const char *argv[ISO_REACH]);

#endif
