/* MariaDB by libmariadb: an InnoDB table of the run with a row for each key. Lists are texts of
 * numbers, to which SQL appends.
 *
 * What its levels promise: https://mariadb.com/kb/en/set-transaction/. Repeatable read reads from a snapshot, but
 * writes to the latest version, so it loses updates; with innodb_snapshot_isolation a write to a version after the
 * snapshot is refused. */
#include "collectors/mariadb.h"

#if __has_include(<mariadb/mysql.h>)

#include <inttypes.h>
#include <mariadb/errmsg.h>
#include <mariadb/mysql.h>
#include <mariadb/mysqld_error.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "collectors/load.h"

#define FUNCTIONS(F)                                                                                                   \
    F(mysql_server_init)                                                                                               \
    F(mysql_init)                                                                                                      \
    F(mysql_optionsv)                                                                                                  \
    F(mysql_real_connect)                                                                                              \
    F(mysql_close)                                                                                                     \
    F(mysql_real_query)                                                                                                \
    F(mysql_store_result)                                                                                              \
    F(mysql_fetch_row)                                                                                                 \
    F(mysql_free_result)                                                                                               \
    F(mysql_errno)                                                                                                     \
    F(mysql_error)                                                                                                     \
    F(mysql_get_socket)                                                                                                \
    F(mysql_get_server_info)
ISO_LIBRARY(maria, "libmariadb.so.3 libmariadb.so", FUNCTIONS)

/* A connection is one pointer, to libmariadb's MYSQL. */
typedef MYSQL *connection;

bool iso_mariadb_load(char why[256]) { return maria_load(why); }

static bool run_sql(MYSQL *conn, const char *sql) { return maria.mysql_real_query(conn, sql, strlen(sql)) == 0; }

static MYSQL *join(const iso_mariadb *d, unsigned node) {
    MYSQL *conn = maria.mysql_init(NULL);
    unsigned seconds = 10, answer = 60;
    maria.mysql_optionsv(conn, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    maria.mysql_optionsv(conn, MYSQL_OPT_READ_TIMEOUT, &answer);
    maria.mysql_real_connect(conn, d->host, d->user, d->password, d->database, d->port[node], NULL, 0);
    return conn;
}

int64_t iso_mariadb_number(const iso_mariadb *d, unsigned node, const char *sql, unsigned column) {
    MYSQL *conn = join(d, node);
    int64_t number = -1;
    bool waits = d->nodes == 1 || run_sql(conn, "SET SESSION wsrep_sync_wait = 15");
    if (maria.mysql_errno(conn) == 0 && waits && run_sql(conn, sql)) {
        MYSQL_RES *r = maria.mysql_store_result(conn);
        MYSQL_ROW row = r != NULL ? maria.mysql_fetch_row(r) : NULL;
        number = row != NULL && row[column] != NULL ? strtoll(row[column], NULL, 10) : -1;
        if (r != NULL) {
            maria.mysql_free_result(r);
        }
    }
    maria.mysql_close(conn);
    return number;
}

/* ---- the database ---- */

static void must(iso_database *db, const char *sql) {
    iso_mariadb *d = db->state;
    if (!run_sql(d->conn, sql)) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "%s: %s: %.200s", db->collector->title, sql, maria.mysql_error(d->conn));
    }
}

/* Waits until all nodes of a cluster have the empty table: a node applies the commits of other nodes some time
 * later. */
static void await_nodes(iso_database *db) {
    const iso_mariadb *d = db->state;
    int64_t until = iso_now() + INT64_C(20000000000);
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM %s WHERE v IS NULL", db->table);
    for (unsigned node = 1; node < d->nodes; node++) {
        while (iso_mariadb_number(d, node, sql, 0) != (int64_t)db->n_keys) {
            if (iso_now() > until) {
                iso_throw(db->pool->env, ISOLAB_E_IO, "%s: node %u does not get what node 0 writes",
                          db->collector->title, node);
            }
            iso_tick(db->pool->env);
        }
    }
}

/* Adds the keys, without values. */
static void fill(iso_database *db) {
    enum { ROWS = 200 };
    char sql[64 + 24 * ROWS];
    for (uint64_t k = 0; k < db->n_keys;) {
        int n = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES ", db->table);
        for (uint64_t end = k + ROWS < db->n_keys ? k + ROWS : db->n_keys; k < end; k++) {
            n += snprintf(sql + n, sizeof sql - (size_t)n, "(%" PRIu64 ", NULL),", k);
        }
        sql[n - 1] = '\0';
        must(db, sql);
    }
    await_nodes(db);
}

void iso_mariadb_open(iso_database *db) {
    iso_mariadb *d = db->state;
    if (db->server == NULL) {
        d->host = iso_arg_text(db->args, "host");
        d->user = iso_arg_text(db->args, "user");
        d->database = iso_arg_text(db->args, "database");
        d->password = getenv("MYSQL_PWD");
    }
    maria.mysql_server_init(0, NULL, NULL);
    d->conn = join(d, 0);
    if (maria.mysql_errno(d->conn) != 0) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "%s: %.200s", db->collector->title, maria.mysql_error(d->conn));
    }
    const char *version = maria.mysql_get_server_info(d->conn);
    snprintf(db->version, sizeof db->version, "%.*s", (int)strcspn(version, "-"), version);
    char sql[ISO_SQL_ROOM];
    must(db, iso_sql_fill(sql, db->collector->sql->create[db->lists], db->table, NULL, NULL));
    d->made = true;
    fill(db);
}

void iso_mariadb_close(iso_database *db) {
    iso_mariadb *d = db->state;
    if (d->made) {
        char sql[64];
        snprintf(sql, sizeof sql, "DROP TABLE %s", db->table);
        run_sql(d->conn, sql);
    }
    if (d->conn != NULL) {
        maria.mysql_close(d->conn);
    }
    d->conn = NULL;
    d->made = false;
}

/* ---- a server of one's own ---- */

void iso_mariadb_install(iso_database *db, const char *folder) {
    const char *data = iso_format_text(db->pool, "--datadir=%s", iso_server_path(db->server, folder));
    const char *program = iso_server_program(db->pool, "mariadb-install-db", NULL, "mariadb-server");
    iso_server_run(db->server,
                   (const char *[]){program, "--no-defaults", "--auth-root-authentication-method=normal", data, NULL});
}

typedef struct probe {
    const iso_mariadb *d;
    unsigned node;
} probe;

static bool answers(void *arg) {
    const probe *p = arg;
    return iso_mariadb_number(p->d, p->node, "SELECT 1", 0) == 1;
}

void iso_mariadb_start(iso_database *db, unsigned node, const char *folder, const char *const *more) {
    enum { MOST = 48 };
    iso_mariadb *d = db->state;
    iso_pool *pool = db->pool;
    const char **argv = ISO_NEW(pool, const char *, MOST);
    const char *in = iso_server_path(db->server, folder);
    unsigned n = 0;
    argv[n++] = iso_server_program(pool, "mariadbd", "/usr/sbin", "mariadb-server");
    argv[n++] = "--no-defaults";
    argv[n++] = iso_format_text(pool, "--datadir=%s", in);
    argv[n++] = iso_format_text(pool, "--port=%u", d->port[node]);
    argv[n++] = iso_format_text(pool, "--socket=%s.socket", in);
    argv[n++] = iso_format_text(pool, "--pid-file=%s.pid", in);
    argv[n++] = "--bind-address=127.0.0.1";
    argv[n++] = "--skip-name-resolve";
    argv[n++] = "--innodb-buffer-pool-size=64M";
    argv[n++] = "--max-connections=1000";
    argv[n++] = db->durable ? "--innodb-flush-log-at-trx-commit=1" : "--innodb-flush-log-at-trx-commit=0";
    for (size_t i = 0; more[i] != NULL && n < MOST - 1; i++) {
        argv[n++] = more[i];
    }
    argv[n] = NULL;
    probe p = {d, node};
    iso_server_await(db->server, iso_server_start(db->server, argv, SIGKILL), answers, &p, db->collector->title);
}

void iso_mariadb_fault(iso_database *db, const char *what, unsigned node) {
    const iso_mariadb *d = db->state;
    probe p = {d, node};
    iso_server_fault(db->server, node, what, answers, &p, db->collector->title);
}

void iso_mariadb_reach(const iso_database *db, const char *ports, const char *argv[ISO_REACH]) {
    const iso_mariadb *d = db->state;
    char list[8 * ISO_MARIADB_NODES];
    int n = 0;
    for (unsigned i = 0; i < d->nodes; i++) {
        n += snprintf(list + n, sizeof list - (size_t)n, "%s%u", i == 0 ? "" : ",", d->port[i]);
    }
    const char *words[] = {
        ports, iso_copy_text(db->pool, list, strlen(list)), "--user", d->user, "--database", d->database, NULL};
    memcpy(argv, words, sizeof words);
}

static void reach(const iso_database *db, const char *argv[ISO_REACH]) { iso_mariadb_reach(db, "--port", argv); }

static void fault(iso_database *db, const char *what, uint64_t which) {
    (void)which;
    iso_mariadb_fault(db, what, 0);
}

static void spawn(iso_database *db) {
    iso_mariadb *d = db->state;
    db->server = iso_server_new(db->pool, "mariadb", "mysql", db->place);
    d->host = "127.0.0.1";
    d->user = "root";
    d->database = "test";
    d->nodes = 1;
    d->port[0] = iso_server_port(db->server);
    iso_mariadb_install(db, "data");
    iso_mariadb_start(db, 0, "data", (const char *[]){NULL});
}

static void open_one(iso_database *db) {
    iso_mariadb *d = db->state;
    if (db->server == NULL) {
        d->nodes = 1;
        d->port[0] = (unsigned)iso_arg_count(db->args, "port");
    }
    iso_mariadb_open(db);
}

/* ---- a connection ---- */

/* Returns the outcome that an error stands for, after a rollback. */
static iso_did failed(iso_connection *c) {
    connection *l = c->state;
    unsigned code = maria.mysql_errno(*l);
    iso_because(c, ISO_DONE, "%s", maria.mysql_error(*l));
    switch (code) {
    case ER_LOCK_DEADLOCK:
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD: /* innodb_snapshot_isolation: the row has changed since the snapshot */
    case ER_QUERY_INTERRUPTED:
        return run_sql(*l, "ROLLBACK") ? ISO_REFUSED : ISO_LOST;
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_CONN_HOST_ERROR:
    case CR_CONNECTION_ERROR:
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_ERROR_DURING_COMMIT:
    case ER_UNKNOWN_COM_ERROR: /* a node of a cluster that is not ready */
        return ISO_LOST;
    default:
        return ISO_FAILED;
    }
}

static iso_did command(iso_connection *c, const char *sql) {
    connection *l = c->state;
    return run_sql(*l, sql) ? ISO_DONE : failed(c);
}

iso_did iso_mariadb_connect(iso_connection *c) {
    connection *l = c->state;
    const iso_mariadb *d = c->db->state;
    *l = join(d, c->session % d->nodes);
    if (maria.mysql_errno(*l) != 0) {
        return iso_because(c, ISO_LOST, "%s", maria.mysql_error(*l));
    }
    char wait[64]; /* whole seconds; 0 is not to wait */
    snprintf(wait, sizeof wait, "SET SESSION innodb_lock_wait_timeout = %" PRIu64,
             (iso_arg_count(c->db->args, "lock-wait") + 999) / 1000);
    iso_did did = command(c, wait);
    const char *const *setting = iso_sql_at(c->db)->settings;
    for (int i = 0; did == ISO_DONE && i < ISO_SQL_SETTINGS && setting[i] != NULL; i++) {
        did = command(c, setting[i]);
    }
    return did;
}

void iso_mariadb_disconnect(iso_connection *c) {
    connection *l = c->state;
    if (*l != NULL) {
        maria.mysql_close(*l);
    }
    *l = NULL;
}

iso_did iso_mariadb_begin(iso_connection *c) { return command(c, iso_sql_at(c->db)->begin); }

/* Runs a statement about a key. */
static iso_did about_key(iso_connection *c, const char *statement, uint32_t key, int64_t value) {
    char k[16], v[24], sql[ISO_SQL_ROOM];
    snprintf(k, sizeof k, "%" PRIu32, key);
    snprintf(v, sizeof v, "%" PRId64, value);
    return command(c, iso_sql_fill(sql, statement, c->db->table, k, v));
}

iso_did iso_mariadb_read(iso_connection *c, uint32_t key, iso_cell *cell) {
    connection *l = c->state;
    iso_did did = about_key(c, c->db->collector->sql->read, key, 0);
    if (did != ISO_DONE) {
        return did;
    }
    MYSQL_RES *r = maria.mysql_store_result(*l);
    if (r == NULL) {
        return failed(c);
    }
    MYSQL_ROW row = maria.mysql_fetch_row(r);
    const char *text = row != NULL ? row[0] : NULL;
    cell->n = 0;
    if (!c->db->lists) {
        cell->value = text == NULL ? ISO_NO_VALUE : strtoll(text, NULL, 10);
    } else if (text != NULL) {
        iso_cell_parse(c, cell, text);
    }
    maria.mysql_free_result(r);
    return ISO_DONE;
}

/* Writes or appends. */
iso_did iso_mariadb_change(iso_connection *c, uint32_t key, int64_t value) {
    return about_key(c, c->db->collector->sql->change[c->db->lists], key, value);
}

iso_did iso_mariadb_commit(iso_connection *c) { return command(c, "COMMIT"); }
iso_did iso_mariadb_abort(iso_connection *c) { return command(c, "ROLLBACK"); }

/* Closes the connection under a thread that waits for an answer. */
void iso_mariadb_cancel(iso_connection *c) {
    connection *l = c->state;
    if (*l != NULL) {
        shutdown((int)maria.mysql_get_socket(*l), SHUT_RDWR);
    }
}

#endif

static const iso_offer levels[] = {
    {"repeatable-read", "pc", "the default; reads from a snapshot, writes to the latest version"},
    {"read-uncommitted", "none", "reads what is not committed"},
    {"read-committed", "rc", "each statement sees what was committed before it"},
    {"snapshot", "si", "repeatable read with innodb_snapshot_isolation: the first of two writers wins"},
    {"serializable", "ser", "reads lock what they read"},
    {NULL, NULL, NULL}};

#if __has_include(<mariadb/mysql.h>)
static const iso_sql_level sql_levels[] = {
    {.name = "repeatable-read", .settings = {ISO_MARIADB_LEVEL("REPEATABLE READ")}, ISO_MARIADB_BEGIN},
    {.name = "read-uncommitted", .settings = {ISO_MARIADB_LEVEL("READ UNCOMMITTED")}, ISO_MARIADB_BEGIN},
    {.name = "read-committed", .settings = {ISO_MARIADB_LEVEL("READ COMMITTED")}, ISO_MARIADB_BEGIN},
    {.name = "snapshot",
     .settings = {ISO_MARIADB_LEVEL("REPEATABLE READ"), "SET SESSION innodb_snapshot_isolation = ON"},
     ISO_MARIADB_BEGIN},
    {.name = "serializable", .settings = {ISO_MARIADB_LEVEL("SERIALIZABLE")}, ISO_MARIADB_BEGIN}};

static const iso_sql statements = {ISO_MARIADB_SQL, .levels = sql_levels};
#endif

static const iso_option options[] = {
    ISO_MARIADB_OPTIONS, {ISO_COUNT("port", "3306", 1, 65535, "the server's port")}, ISO_END};

const iso_collector iso_collector_mariadb = {
    .name = "mariadb",
    .title = "MariaDB",
    .summary = "InnoDB, by libmariadb; all its levels, and snapshot isolation",
    .package = "libmariadb-dev libmariadb3",
    .server = "mariadb-server",
    .levels = levels,
    .options = options,
    .lists = true,
    .forgets = true,
#if __has_include(<mariadb/mysql.h>)
    .sql = &statements,
    .load = maria_load,
    .open = open_one,
    .spawn = spawn,
    .reach = reach,
    .faults = "kill pause",
    .fault = fault,
    ISO_MARIADB_FUNCTIONS,
#endif
};
