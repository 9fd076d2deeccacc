/* PostgreSQL by libpq: a table of the run with a row for each key. Lists are texts of numbers, to which
 * SQL appends.
 *
 * What its levels promise: https://www.postgresql.org/docs/15/transaction-iso.html. Read uncommitted is read committed
 * there. Repeatable read is snapshot isolation. */
#include "collectors/collector.h"

#if __has_include(<postgresql/libpq-fe.h>)

#include <inttypes.h>
#include <postgresql/libpq-fe.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "collectors/load.h"
#include "collectors/server.h"
#include "collectors/sql.h"

#define FUNCTIONS(F)                                                                                                   \
    F(PQconnectdb)                                                                                                     \
    F(PQerrorMessage)                                                                                                  \
    F(PQstatus)                                                                                                        \
    F(PQfinish)                                                                                                        \
    F(PQexec)                                                                                                          \
    F(PQprepare)                                                                                                       \
    F(PQexecPrepared)                                                                                                  \
    F(PQresultStatus)                                                                                                  \
    F(PQresultErrorField)                                                                                              \
    F(PQcmdStatus)                                                                                                     \
    F(PQntuples)                                                                                                       \
    F(PQgetisnull)                                                                                                     \
    F(PQgetvalue)                                                                                                      \
    F(PQclear)                                                                                                         \
    F(PQsocket)                                                                                                        \
    F(PQparameterStatus)                                                                                               \
    F(PQping)                                                                                                          \
    F(PQsetNoticeReceiver)
ISO_LIBRARY(pq, "libpq.so.5 libpq.so", FUNCTIONS)

typedef struct database {
    char *where;  /* how libpq connects */
    PGconn *conn; /* of the thread that opened it */
    bool made;    /* the table */
} database;

typedef struct connection {
    PGconn *conn;
} connection;

static void say_nothing(void *arg, const PGresult *result) {
    (void)arg;
    (void)result;
}

/* ---- the database ---- */

/* The words of libpq about its last error, as one line. */
static const char *error_of(const PGconn *conn, char line[200]) {
    size_t n = 0;
    for (const char *p = pq.PQerrorMessage(conn); *p != '\0' && n < 199; p++) {
        bool space = *p == '\n' || *p == '\t' || *p == ' ';
        if (!space || (n > 0 && line[n - 1] != ' ')) {
            line[n++] = space ? ' ' : *p;
        }
    }
    line[n > 0 && line[n - 1] == ' ' ? n - 1 : n] = '\0';
    return line;
}

__attribute__((format(printf, 2, 3))) static void run_sql(iso_database *db, const char *format, ...) {
    database *d = db->state;
    char sql[ISO_SQL_ROOM];
    va_list list;
    va_start(list, format);
    vsnprintf(sql, sizeof sql, format, list);
    va_end(list);
    PGresult *r = pq.PQexec(d->conn, sql);
    ExecStatusType status = pq.PQresultStatus(r);
    pq.PQclear(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        char line[200];
        iso_throw(db->pool->env, ISOLAB_E_IO, "PostgreSQL: %s: %s", sql, error_of(d->conn, line));
    }
}

static void open_database(iso_database *db) {
    database *d = db->state;
    if (d->where == NULL) {
        const char *given = iso_arg_text(db->args, "dsn");
        d->where = iso_copy_text(db->pool, given, strlen(given));
    }
    d->conn = pq.PQconnectdb(d->where);
    if (pq.PQstatus(d->conn) != CONNECTION_OK) {
        char line[200];
        iso_throw(db->pool->env, ISOLAB_E_IO, "PostgreSQL: %s (--spawn starts a private server)",
                  error_of(d->conn, line));
    }
    pq.PQsetNoticeReceiver(d->conn, say_nothing, NULL);
    const char *version = pq.PQparameterStatus(d->conn, "server_version");
    snprintf(db->version, sizeof db->version, "%.*s", (int)strcspn(version, " "), version);
    char sql[ISO_SQL_ROOM];
    run_sql(db, "%s", iso_sql_fill(sql, db->collector->sql->create[db->lists], db->table, NULL, NULL));
    d->made = true;
    run_sql(db, "INSERT INTO %s SELECT k, NULL FROM generate_series(0, %" PRIu64 " - 1) k", db->table, db->n_keys);
    run_sql(db, "ANALYZE %s", db->table);
}

static void close_database(iso_database *db) {
    database *d = db->state;
    if (d->made && pq.PQstatus(d->conn) == CONNECTION_OK) {
        char sql[64];
        snprintf(sql, sizeof sql, "DROP TABLE %s", db->table);
        pq.PQclear(pq.PQexec(d->conn, sql));
    }
    d->made = false;
    if (d->conn != NULL) {
        pq.PQfinish(d->conn);
    }
    d->conn = NULL;
}

static bool answers(void *db) {
    const database *d = ((const iso_database *)db)->state;
    return pq.PQping(d->where) == PQPING_OK;
}

static void spawn(iso_database *db) {
    database *d = db->state;
    iso_pool *pool = db->pool;
    static const char places[] = "/usr/lib/postgresql/*/bin", package[] = "postgresql";
    const char *initdb = iso_server_program(pool, "initdb", places, package);
    const char *postgres = iso_server_program(pool, "postgres", places, package);
    iso_server *s = db->server = iso_server_new(pool, "postgres", "postgres", db->place);
    const char *data = iso_server_path(s, "data");
    const char *port = iso_format_text(pool, "%u", iso_server_port(s));
    iso_server_run(s, (const char *[]){initdb, "-D", data, "-A", "trust", "-U", "isolab", "--no-sync", NULL});
    /* The end of a process loses no write that the system has taken, so only a database that must be durable waits for
     * the disk. */
    const char *words[] = {postgres, "-D",
                           data,     "-p",
                           port,     "-k",
                           "", /* no socket: its path may not be long */
                           "-c",     "listen_addresses=127.0.0.1",
                           "-c",     "max_connections=1000",
                           "-c",     db->durable ? "fsync=on" : "fsync=off",
                           NULL};
    d->where = iso_format_text(pool, "host=127.0.0.1 port=%s user=isolab dbname=postgres", port);
    iso_server_await(s, iso_server_start(s, words, SIGQUIT), answers, db, "PostgreSQL");
}

static void reach(const iso_database *db, const char *argv[ISO_REACH]) {
    const database *d = db->state;
    argv[0] = "--dsn";
    argv[1] = d->where;
    argv[2] = NULL;
}

/* ---- a connection ---- */

/* Says what an unsuccessful answer means, and rolls back. Class 40: the transaction was rolled back for a conflict;
 * 55P03 and 57014: a lock or an answer took too long. */
static iso_did failed(iso_connection *c, PGresult *r) {
    connection *l = c->state;
    const char *state = pq.PQresultErrorField(r, PG_DIAG_SQLSTATE);
    bool conflict = state != NULL && strncmp(state, "40", 2) == 0 && strcmp(state, "40003") != 0;
    bool late = state != NULL && (strcmp(state, "55P03") == 0 || strcmp(state, "57014") == 0);
    iso_because(c, ISO_DONE, "%s", pq.PQerrorMessage(l->conn));
    pq.PQclear(r);
    if (pq.PQstatus(l->conn) != CONNECTION_OK || (state != NULL && strcmp(state, "40003") == 0)) {
        return ISO_LOST;
    }
    if (!conflict && !late) {
        return ISO_FAILED;
    }
    pq.PQclear(pq.PQexec(l->conn, "ROLLBACK"));
    return pq.PQstatus(l->conn) == CONNECTION_OK ? ISO_REFUSED : ISO_LOST;
}

static iso_did done(iso_connection *c, PGresult *r) {
    ExecStatusType status = pq.PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        return failed(c, r);
    }
    pq.PQclear(r);
    return ISO_DONE;
}

static iso_did command(iso_connection *c, const char *sql) {
    connection *l = c->state;
    return done(c, pq.PQexec(l->conn, sql));
}

static iso_did connect_session(iso_connection *c) {
    connection *l = c->state;
    const database *d = c->db->state;
    l->conn = pq.PQconnectdb(d->where);
    if (pq.PQstatus(l->conn) != CONNECTION_OK) {
        return iso_because(c, ISO_LOST, "%s", pq.PQerrorMessage(l->conn));
    }
    pq.PQsetNoticeReceiver(l->conn, say_nothing, NULL);
    char wait[64];
    snprintf(wait, sizeof wait, "SET lock_timeout = %" PRIu64, iso_arg_count(c->db->args, "lock-wait"));
    if (command(c, wait) != ISO_DONE) {
        return ISO_FAILED;
    }
    const iso_sql *s = c->db->collector->sql;
    char sql[ISO_SQL_ROOM];
    iso_sql_fill(sql, s->read, c->db->table, "$1::bigint", NULL);
    iso_did did = done(c, pq.PQprepare(l->conn, "r", sql, 1, NULL));
    iso_sql_fill(sql, s->change[c->db->lists], c->db->table, "$1::bigint", "$2::bigint");
    return did == ISO_DONE ? done(c, pq.PQprepare(l->conn, "w", sql, 2, NULL)) : did;
}

static void disconnect(iso_connection *c) {
    connection *l = c->state;
    if (l->conn != NULL) {
        pq.PQfinish(l->conn);
    }
    l->conn = NULL;
}

static iso_did begin(iso_connection *c) { return command(c, iso_sql_at(c->db)->begin); }

static PGresult *ask(iso_connection *c, const char *statement, uint32_t key, int64_t value) {
    connection *l = c->state;
    char k[16], v[24];
    snprintf(k, sizeof k, "%" PRIu32, key);
    snprintf(v, sizeof v, "%" PRId64, value);
    return pq.PQexecPrepared(l->conn, statement, *statement == 'r' ? 1 : 2, (const char *[]){k, v}, NULL, NULL, 0);
}

/* Puts the answer to a read into the cell. */
static iso_did read_cell(iso_connection *c, uint32_t key, iso_cell *cell) {
    PGresult *r = ask(c, "r", key, 0);
    if (pq.PQresultStatus(r) != PGRES_TUPLES_OK) {
        return failed(c, r);
    }
    bool nothing = pq.PQntuples(r) == 0 || pq.PQgetisnull(r, 0, 0);
    cell->n = 0;
    if (!c->db->lists) {
        cell->value = nothing ? ISO_NO_VALUE : strtoll(pq.PQgetvalue(r, 0, 0), NULL, 10);
    } else if (!nothing) {
        iso_cell_parse(c, cell, pq.PQgetvalue(r, 0, 0));
    }
    pq.PQclear(r);
    return ISO_DONE;
}

/* Writes or appends. */
static iso_did change(iso_connection *c, uint32_t key, int64_t value) { return done(c, ask(c, "w", key, value)); }

/* A COMMIT of a transaction that failed before is answered by ROLLBACK. */
static iso_did commit(iso_connection *c) {
    connection *l = c->state;
    PGresult *r = pq.PQexec(l->conn, "COMMIT");
    bool rolled_back = pq.PQresultStatus(r) == PGRES_COMMAND_OK && strcmp(pq.PQcmdStatus(r), "ROLLBACK") == 0;
    iso_did did = done(c, r);
    return rolled_back ? iso_because(c, ISO_REFUSED, "COMMIT was answered by ROLLBACK") : did;
}

static iso_did give_up(iso_connection *c) { return command(c, "ROLLBACK"); }

/* Closes the connection under a thread that waits for an answer. */
static void cancel(iso_connection *c) {
    connection *l = c->state;
    if (l->conn != NULL && pq.PQsocket(l->conn) >= 0) {
        shutdown(pq.PQsocket(l->conn), SHUT_RDWR);
    }
}

#endif

static const iso_offer levels[] = {
    {"read-committed", "rc", "the default; each statement sees what was committed before it"},
    {"repeatable-read", "si", "one snapshot for all statements, and the first of two writers wins"},
    {"serializable", "ser", "the same, with serializable snapshot isolation"},
    {NULL, NULL, NULL}};

#if __has_include(<postgresql/libpq-fe.h>)
static const iso_sql_level sql_levels[] = {
    {.name = "read-committed", .begin = "BEGIN ISOLATION LEVEL READ COMMITTED"},
    {.name = "repeatable-read", .begin = "BEGIN ISOLATION LEVEL REPEATABLE READ"},
    {.name = "serializable", .begin = "BEGIN ISOLATION LEVEL SERIALIZABLE"}};

static const iso_sql statements = {
    .client = "psql -f ",
    .pause = "\\! sleep ",
    .create = {"CREATE TABLE $T (k bigint PRIMARY KEY, v bigint)", "CREATE TABLE $T (k bigint PRIMARY KEY, v text)"},
    .row = "INSERT INTO $T VALUES ($K, NULL)",
    .read = "SELECT v FROM $T WHERE k = $K",
    .change = {"UPDATE $T SET v = $V WHERE k = $K",
               "UPDATE $T SET v = coalesce(v, '') || ($V)::text || ' ' WHERE k = $K"},
    .levels = sql_levels};
#endif

static const iso_option options[] = {
    {ISO_TEXT("dsn", "",
              "connection string of libpq: \"host=127.0.0.1 dbname=test\"; the run makes a table of its own")},
    ISO_END};

const iso_collector iso_collector_postgres = {
    .name = "postgres",
    .title = "PostgreSQL",
    .summary = "by libpq; read committed, snapshots, serializable",
    .package = "libpq-dev libpq5",
    .server = "postgresql",
    .levels = levels,
    .options = options,
    .lists = true,
#if __has_include(<postgresql/libpq-fe.h>)
    .sql = &statements,
    ISO_COLLECTOR_USUAL,
    .load = pq_load,
    .spawn = spawn,
    .reach = reach,
    .faults = "kill pause",
    .answers = answers,
    .read = read_cell,
    .write = change,
    .read_list = read_cell,
    .append = change,
    .cancel = cancel,
#endif
};
