/* MariaDB with Galera: a cluster whose nodes certify each other's transactions. Session i uses node i modulo the number
 * of nodes.
 *
 * What it promises: https://galeracluster.com/library/documentation/isolation-levels.html. Between nodes it is snapshot
 * isolation at most. A node may lag; with wsrep_sync_wait it answers after it has caught up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectors/mariadb.h"

#if __has_include(<mariadb/mysql.h>)

#define PROVIDER "/usr/lib/galera/libgalera_smm.so"

/* Starts a node, which joins the nodes before it. base: the ports of the nodes for their own traffic. */
static void start_node(iso_database *db, unsigned node, const unsigned *base) {
    iso_pool *pool = db->pool;
    const char *more[16];
    unsigned n = 0;
    more[n++] = "--wsrep-on=ON";
    more[n++] = "--wsrep-provider=" PROVIDER;
    more[n++] = "--wsrep-sst-method=rsync";
    more[n++] = "--binlog-format=ROW";
    more[n++] = "--innodb-autoinc-lock-mode=2";
    more[n++] = "--wsrep-cluster-name=isolab";
    more[n++] = iso_format_text(pool, "--wsrep-node-address=127.0.0.1:%u", base[node]);
    more[n++] = iso_format_text(pool, "--wsrep-node-name=node%u", node);
    unsigned ist = iso_server_port(db->server), sst = iso_server_port(db->server);
    more[n++] = iso_format_text(pool,
                                "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%u;"
                                "ist.recv_addr=127.0.0.1:%u;gcache.size=16M",
                                base[node], ist);
    more[n++] = iso_format_text(pool, "--wsrep-sst-receive-address=127.0.0.1:%u", sst);
    more[n++] = node == 0 ? "--wsrep-cluster-address=gcomm://"
                          : iso_format_text(pool, "--wsrep-cluster-address=gcomm://127.0.0.1:%u", base[0]);
    more[n] = NULL;
    const char *folder = iso_format_text(pool, "node%u", node);
    iso_mariadb_install(db, folder);
    iso_mariadb_start(db, node, folder, more);
}

static void spawn(iso_database *db) {
    iso_mariadb *d = db->state;
    unsigned base[ISO_MARIADB_NODES];
    iso_server_program(db->pool, "libgalera_smm.so", "/usr/lib/galera", "galera-4");
    iso_server_program(db->pool, "rsync", NULL, "rsync");
    db->server = iso_server_new(db->pool, "galera", "mysql", db->place);
    d->host = "127.0.0.1";
    d->user = "root";
    d->database = "test";
    for (d->nodes = 0; d->nodes < ISO_MARIADB_NODES; d->nodes++) {
        d->port[d->nodes] = iso_server_port(db->server);
        base[d->nodes] = iso_server_port(db->server);
    }
    for (unsigned i = 0; i < d->nodes; i++) {
        start_node(db, i, base);
    }
    if (iso_mariadb_number(d, 0, "SHOW STATUS LIKE 'wsrep_cluster_size'", 1) != ISO_MARIADB_NODES) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "Galera: not all nodes have joined the cluster");
    }
}

/* The first node founded the cluster, and would found another one if it were started again. `isolate` cuts a node from
 * the others, without harm to its clients. */
static void fault(iso_database *db, const char *what, uint64_t which) {
    const iso_mariadb *d = db->state;
    unsigned node = 1 + (unsigned)(which % (d->nodes - 1));
    if (strcmp(what, "isolate") != 0) {
        iso_mariadb_fault(db, what, node);
        return;
    }
    iso_mariadb_number(d, node, "SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'", 0);
    nanosleep(&(struct timespec){.tv_sec = ISO_FAULT_PAUSE / 1000000000}, NULL);
    iso_mariadb_number(d, node, "SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'", 0);
}

static void reach(const iso_database *db, const char *argv[ISO_REACH]) { iso_mariadb_reach(db, "--ports", argv); }

/* Parses `3306,3307,3308`. */
static void open_cluster(iso_database *db) {
    iso_mariadb *d = db->state;
    const char *ports = iso_arg_text(db->args, "ports");
    d->nodes = db->server == NULL ? 0 : d->nodes; /* it may be opened again */
    for (char *end; db->server == NULL && *ports != '\0'; ports = end) {
        unsigned long port = strtoul(ports, &end, 10);
        if (end == ports || port == 0 || port > 65535 || d->nodes == ISO_MARIADB_NODES ||
            (*end != ',' && *end != '\0')) {
            iso_throw(db->pool->env, ISOLAB_E_USAGE, "--ports %s: expected up to %d ports separated by commas",
                      iso_arg_text(db->args, "ports"), ISO_MARIADB_NODES);
        }
        d->port[d->nodes++] = (unsigned)port;
        end += *end == ',';
    }
    iso_mariadb_open(db);
}

#endif

static const iso_offer levels[] = {
    {"repeatable-read", "si", "the default; the first of two writers wins, also between nodes"},
    {"read-committed", "rc", "each statement sees what its node has committed before it"},
    {"sync-wait", "si", "repeatable read with wsrep_sync_wait = 7: a node answers after it has caught up"},
    {NULL, NULL, NULL}};

#if __has_include(<mariadb/mysql.h>)
static const iso_sql_level sql_levels[] = {
    {.name = "repeatable-read", .settings = {ISO_MARIADB_LEVEL("REPEATABLE READ")}, ISO_MARIADB_BEGIN},
    {.name = "read-committed", .settings = {ISO_MARIADB_LEVEL("READ COMMITTED")}, ISO_MARIADB_BEGIN},
    {.name = "sync-wait",
     .settings = {ISO_MARIADB_LEVEL("REPEATABLE READ"), "SET SESSION wsrep_sync_wait = 7"},
     ISO_MARIADB_BEGIN}};

static const iso_sql statements = {ISO_MARIADB_SQL, .nodes = ISO_MARIADB_NODES, .levels = sql_levels};
#endif

static const iso_option options[] = {
    ISO_MARIADB_OPTIONS, {ISO_TEXT("ports", "3306", "the ports of the nodes, separated by commas")}, ISO_END};

const iso_collector iso_collector_galera = {
    .name = "galera",
    .title = "Galera",
    .summary = "a cluster of MariaDB; three nodes with --spawn",
    .package = "libmariadb-dev libmariadb3",
    .server = "mariadb-server galera-4 rsync",
    .levels = levels,
    .options = options,
    .lists = true,
#if __has_include(<mariadb/mysql.h>)
    .sql = &statements,
    .load = iso_mariadb_load,
    .open = open_cluster,
    .spawn = spawn,
    .reach = reach,
    .faults = "kill pause isolate",
    .fault = fault,
    ISO_MARIADB_FUNCTIONS,
#endif
};
