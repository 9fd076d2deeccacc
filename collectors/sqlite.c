/* SQLite: one file with one table, a row for each key. Lists are texts of numbers, to which SQL appends.
 *
 * `rollback` and `wal` are the two kinds of journal; both promise serializable transactions
 * (https://sqlite.org/isolation.html). `read-uncommitted` is the only weaker level: connections of one process that
 * share a cache, and do not lock what they read (https://sqlite.org/sharedcache.html). Transactions begin as readers
 * (BEGIN DEFERRED) and become writers at their first write, which is refused if another one wrote in between. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectors/sql.h"

typedef struct database {
    sqlite3 *db; /* keeps a shared cache, and the write-ahead log, in existence */
    char path[4200];
} database;

enum { BEGIN, COMMIT, ROLLBACK, READ, WRITE, READ_LIST, APPEND, STATEMENTS };

static const iso_sql_level sql_levels[] = {
    {.name = "rollback", .once = "PRAGMA journal_mode = DELETE", .begin = "BEGIN"},
    {.name = "wal", .once = "PRAGMA journal_mode = WAL", .begin = "BEGIN"},
    {.name = "read-uncommitted",
     .once = "PRAGMA journal_mode = DELETE",
     .settings = {"PRAGMA read_uncommitted = 1"},
     .begin = "BEGIN",
     .unshown = "connections of one process share a cache, which clients of several processes cannot"}};

static const iso_sql statements = {
    .client = "sqlite3 replay.db -cmd '.timeout 5000' < ",
    .pause = ".shell sleep ",
    .create = {"CREATE TABLE $T (k INTEGER PRIMARY KEY, v)", "CREATE TABLE $T (k INTEGER PRIMARY KEY, v)"},
    .read = "SELECT v FROM $T WHERE k = $K",
    .change = {"INSERT INTO $T VALUES ($K, $V) ON CONFLICT (k) DO UPDATE SET v = $V",
               "INSERT INTO $T VALUES ($K, $V || ' ') ON CONFLICT (k) DO UPDATE SET v = v || $V || ' '"},
    .levels = sql_levels};

static const char *const sql[STATEMENTS] = {[BEGIN] = "BEGIN", [COMMIT] = "COMMIT", [ROLLBACK] = "ROLLBACK"};

typedef struct connection {
    sqlite3 *db;
    sqlite3_stmt *statement[STATEMENTS];
} connection;

/* Waits for a lock: SQLite calls it again until it returns 0. n: calls so far. */
static int wait_for_lock(void *arg, int n) {
    enum { PAUSE_MS = 2 };
    const iso_database *db = arg;
    bool more = (uint64_t)n * PAUSE_MS < iso_arg_count(db->args, "lock-wait");
    if (more) {
        nanosleep(&(const struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    }
    return more && iso_over(db->pool->env->limits) == ISO_LIMIT_NONE;
}

static int open_file(iso_database *db, sqlite3 **to) {
    const database *d = db->state;
    int shared = iso_at_level(db, "read-uncommitted") ? SQLITE_OPEN_SHAREDCACHE : SQLITE_OPEN_PRIVATECACHE;
    int code = sqlite3_open_v2(
        d->path, to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | shared,
        NULL);
    if (code == SQLITE_OK) {
        sqlite3_busy_handler(*to, wait_for_lock, db);
        const char *setting = iso_sql_at(db)->settings[0];
        code = setting == NULL ? SQLITE_OK : sqlite3_exec(*to, setting, NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        code =
            sqlite3_exec(*to, db->durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    }
    return code;
}

static void run_sql(iso_database *db, const char *text) {
    database *d = db->state;
    if (sqlite3_exec(d->db, text, NULL, NULL, NULL) != SQLITE_OK) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "SQLite: %s: %s", text, sqlite3_errmsg(d->db));
    }
}

static void open_database(iso_database *db) {
    database *d = db->state;
    snprintf(d->path, sizeof d->path, "%s/db", db->folder);
    snprintf(db->version, sizeof db->version, "%s", sqlite3_libversion());
    if (open_file(db, &d->db) != SQLITE_OK) {
        iso_throw_file(db->pool->env, ISOLAB_E_IO, d->path, "SQLite: %s", sqlite3_errmsg(d->db));
    }
    char text[ISO_SQL_ROOM];
    run_sql(db, iso_sql_at(db)->once);
    run_sql(db, iso_sql_fill(text, statements.create[0], "t", NULL, NULL));
}

static void close_database(iso_database *db) {
    database *d = db->state;
    sqlite3_close(d->db);
    d->db = NULL;
}

/* What an error means: a conflict is refused, and its transaction rolled back; nothing else is expected. */
static iso_did failed(iso_connection *c, int code) {
    connection *l = c->state;
    int kind = code & 0xff;
    iso_because(c, ISO_DONE, "%s", sqlite3_errmsg(l->db));
    if (kind != SQLITE_BUSY && kind != SQLITE_LOCKED && kind != SQLITE_INTERRUPT) {
        return ISO_FAILED;
    }
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_reset(l->statement[i]);
    }
    if (!sqlite3_get_autocommit(l->db) && sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK) {
        return iso_because(c, ISO_FAILED, "%s", sqlite3_errmsg(l->db));
    }
    return ISO_REFUSED;
}

static iso_did connect_session(iso_connection *c) {
    connection *l = c->state;
    int code = open_file(c->db, &l->db);
    for (int i = 0; code == SQLITE_OK && i < STATEMENTS; i++) {
        char text[ISO_SQL_ROOM];
        const char *s = i == WRITE || i == APPEND ? statements.change[i == APPEND]
                        : sql[i] == NULL          ? statements.read
                                                  : sql[i];
        code = sqlite3_prepare_v3(l->db, iso_sql_fill(text, s, "t", "?1", "?2"), -1, SQLITE_PREPARE_PERSISTENT,
                                  &l->statement[i], NULL);
    }
    bool busy = (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED; /* it reads the schema */
    return code == SQLITE_OK ? ISO_DONE : iso_because(c, busy ? ISO_LOST : ISO_FAILED, "%s", sqlite3_errmsg(l->db));
}

static void disconnect(iso_connection *c) {
    connection *l = c->state;
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(l->statement[i]);
    }
    sqlite3_close(l->db);
    memset(l, 0, sizeof *l);
}

/* Runs a statement without rows. */
static iso_did step(iso_connection *c, int which) {
    connection *l = c->state;
    int code = sqlite3_step(l->statement[which]);
    int ended = sqlite3_reset(l->statement[which]);
    return code == SQLITE_DONE ? ISO_DONE : failed(c, ended);
}

static iso_did begin(iso_connection *c) { return step(c, BEGIN); }
static iso_did commit(iso_connection *c) { return step(c, COMMIT); }
static iso_did give_up(iso_connection *c) { return step(c, ROLLBACK); }

static iso_did change(iso_connection *c, int which, uint32_t key, int64_t value) {
    connection *l = c->state;
    sqlite3_bind_int64(l->statement[which], 1, key);
    sqlite3_bind_int64(l->statement[which], 2, value);
    return step(c, which);
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) { return change(c, WRITE, key, value); }
static iso_did append(iso_connection *c, uint32_t key, int64_t value) { return change(c, APPEND, key, value); }

static iso_did read_value(iso_connection *c, uint32_t key, iso_cell *cell) {
    connection *l = c->state;
    sqlite3_stmt *s = l->statement[READ];
    sqlite3_bind_int64(s, 1, key);
    int code = sqlite3_step(s);
    cell->value = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : ISO_NO_VALUE;
    int ended = sqlite3_reset(s);
    return code == SQLITE_ROW || code == SQLITE_DONE ? ISO_DONE : failed(c, ended);
}

static iso_did read_list(iso_connection *c, uint32_t key, iso_cell *cell) {
    connection *l = c->state;
    sqlite3_stmt *s = l->statement[READ_LIST];
    sqlite3_bind_int64(s, 1, key);
    int code = sqlite3_step(s);
    cell->n = 0;
    if (code == SQLITE_ROW) {
        const char *at = (const char *)sqlite3_column_text(s, 0);
        for (char *end; at != NULL && *at != '\0'; at = end) {
            int64_t value = strtoll(at, &end, 10);
            end += *end == ' ';
            iso_cell_add(c, cell, value);
        }
    }
    int ended = sqlite3_reset(s);
    return code == SQLITE_ROW || code == SQLITE_DONE ? ISO_DONE : failed(c, ended);
}

static void cancel(iso_connection *c) {
    connection *l = c->state;
    sqlite3_interrupt(l->db);
}

static const iso_offer levels[] = {
    {"rollback", "ser", "journal_mode = DELETE; \"all transactions in SQLite show serializable isolation\""},
    {"wal", "ser", "journal_mode = WAL; readers see a snapshot, and writers are alone"},
    {"read-uncommitted", "none", "a shared cache and PRAGMA read_uncommitted; readers lock nothing"},
    {NULL, NULL, NULL}};

const iso_collector iso_collector_sqlite = {
    .name = "sqlite",
    .title = "SQLite",
    .summary = "one file; rollback journal, write-ahead log, or a shared cache without locks of readers",
    .package = "libsqlite3-dev",
    .levels = levels,
    .sql = &statements,
    .lists = true,
    ISO_COLLECTOR_USUAL,
    .read = read_value,
    .write = write_value,
    .read_list = read_list,
    .append = append,
    .cancel = cancel,
};
