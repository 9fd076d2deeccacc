/* Berkeley DB: a table whose pages are locked in two phases (degree 3), or until they are read (degree 2), or not at
 * all for readers (degree 1), or that keeps old versions of pages for snapshots. Everything stays in memory unless
 * commits must be durable or a folder is named.
 *
 * The table is hashed: with version 5.3.28, a conflict at the root of a B-tree at snapshot ends the process (in
 * __memp_fput, called by __bam_get_root), and values that grow, as lists do, can let all transactions at snapshot wait
 * for ever. */
#include "collectors/collector.h"

static const iso_offer levels[] = {
    {"serializable", "ser", "the default, degree 3: locks of two phases on pages"},
    {"snapshot", "si", "DB_TXN_SNAPSHOT and DB_MULTIVERSION: reads from old versions of pages"},
    {"read-committed", "g1", "DB_READ_COMMITTED, degree 2: read locks end after each read"},
    {"read-uncommitted", "none", "DB_READ_UNCOMMITTED, degree 1: readers see what is not committed"},
    {NULL, NULL, NULL}};

#if __has_include(<db.h>)

#include <sys/types.h>

#include <db.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "collectors/bytes.h"
#include "collectors/load.h"

#define FUNCTIONS(F) F(db_env_create) F(db_create) F(db_strerror) F(db_version)
ISO_LIBRARY(bdb, "libdb-5.3.so libdb.so", FUNCTIONS)

typedef struct database {
    DB_ENV *env;
    DB *table;
    uint32_t begin; /* flags of a transaction */
    pthread_t detector;
    bool detects;
    atomic_bool closes;
} database;

typedef struct connection {
    DB_TXN *txn;
    DBT value; /* its bytes belong to the connection's pool */
} connection;

static void check(iso_database *db, int code) {
    if (code != 0) {
        iso_throw_file(db->pool->env, ISOLAB_E_IO, db->folder, "Berkeley DB: %s", bdb.db_strerror(code));
    }
}

static void silent(const DB_ENV *env, const char *prefix, const char *message) {
    (void)env, (void)prefix, (void)message;
}

/* Ends waits for locks at their time limits. The library tests these limits only when a thread comes to wait, and sees
 * no deadlock of locks and latches: a new page needs the latch of the page of metadata while its transaction holds
 * locks, and at snapshot the holder of that latch can wait for these. Then all threads wait, and none comes. */
static void *detect(void *arg) {
    database *d = arg;
    while (!atomic_load(&d->closes)) {
        d->env->lock_detect(d->env, 0, DB_LOCK_EXPIRE, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return NULL;
}

static void open_environment(iso_database *db) {
    database *d = db->state;
    check(db, bdb.db_env_create(&d->env, 0));
    DB_ENV *env = d->env;
    env->set_errcall(env, silent); /* the codes say what happened */
    check(db, env->set_cachesize(env, 0, 256 << 20, 1));
    check(db, env->set_lk_detect(env, DB_LOCK_DEFAULT));
    check(db, env->set_lk_max_locks(env, 1 << 17));
    check(db, env->set_lk_max_objects(env, 1 << 17));
    check(db, env->set_lk_max_lockers(env, 1 << 14));
    check(db, env->set_tx_max(env, 1 << 13));
    check(db, env->set_timeout(env, (db_timeout_t)(1000 * iso_arg_count(db->args, "lock-wait")), DB_SET_LOCK_TIMEOUT));
    if (!db->on_disk) {
        check(db, env->set_lg_bsize(env, 256 << 20));
        check(db, env->log_set_config(env, DB_LOG_IN_MEMORY, 1));
    }
    check(db, env->open(env, db->folder,
                        DB_CREATE | DB_PRIVATE | DB_THREAD | DB_INIT_MPOOL | DB_INIT_LOCK | DB_INIT_LOG | DB_INIT_TXN,
                        0600));
}

static void open_database(iso_database *db) {
    database *d = db->state;
    const char *level = db->level->name;
    int major, minor, patch;
    uint32_t flags = DB_CREATE | DB_THREAD | DB_AUTO_COMMIT;
    bdb.db_version(&major, &minor, &patch);
    snprintf(db->version, sizeof db->version, "%d.%d.%d", major, minor, patch);
    if (strcmp(level, "snapshot") == 0) {
        flags |= DB_MULTIVERSION;
        d->begin = DB_TXN_SNAPSHOT;
    } else if (strcmp(level, "read-committed") == 0) {
        d->begin = DB_READ_COMMITTED;
    } else if (strcmp(level, "read-uncommitted") == 0) {
        flags |= DB_READ_UNCOMMITTED;
        d->begin = DB_READ_UNCOMMITTED;
    }
    open_environment(db);
    check(db, bdb.db_create(&d->table, d->env, 0));
    check(db, d->table->set_pagesize(d->table, 512)); /* locks are on pages: small ones, so that few keys share one */
    check(db, d->table->open(d->table, NULL, db->on_disk ? "t" : NULL, db->on_disk ? NULL : "t", DB_HASH, flags, 0600));
    d->detects = pthread_create(&d->detector, NULL, detect, d) == 0;
}

static void close_database(iso_database *db) {
    database *d = db->state;
    if (d->detects) {
        atomic_store(&d->closes, true);
        pthread_join(d->detector, NULL);
        d->detects = false;
    }
    if (d->table != NULL) {
        d->table->close(d->table, DB_NOSYNC);
    }
    if (d->env != NULL) {
        d->env->close(d->env, 0);
    }
    *d = (database){.env = NULL};
}

static iso_did connect_session(iso_connection *c) {
    (void)c;
    return ISO_DONE;
}

static iso_did give_up(iso_connection *c) {
    connection *l = c->state;
    if (l->txn != NULL) {
        l->txn->abort(l->txn);
    }
    l->txn = NULL;
    return ISO_DONE;
}

static void disconnect(iso_connection *c) { give_up(c); }

static iso_did answer(iso_connection *c, int code) {
    if (code == 0) {
        return ISO_DONE;
    }
    give_up(c);
    bool refused = code == DB_LOCK_DEADLOCK || code == DB_LOCK_NOTGRANTED;
    return iso_because(c, refused ? ISO_REFUSED : ISO_FAILED, "%s", bdb.db_strerror(code));
}

static iso_did begin(iso_connection *c) {
    database *d = c->db->state;
    connection *l = c->state;
    return answer(c, d->env->txn_begin(d->env, NULL, &l->txn, d->begin));
}

static iso_did commit(iso_connection *c) {
    connection *l = c->state;
    DB_TXN *txn = l->txn;
    l->txn = NULL; /* it is freed in any case */
    return answer(c, txn->commit(txn, c->db->durable ? DB_TXN_SYNC : DB_TXN_NOSYNC));
}

/* Reads into a buffer that grows until the value fits. */
static iso_did read_key(iso_connection *c, uint32_t key, iso_cell *cell) {
    database *d = c->db->state;
    connection *l = c->state;
    unsigned char bytes[ISO_KEY_BYTES];
    iso_key_bytes(bytes, key);
    DBT k = {.data = bytes, .size = sizeof bytes};
    l->value.flags = DB_DBT_USERMEM;
    int code;
    while ((code = d->table->get(d->table, l->txn, &k, &l->value, 0)) == DB_BUFFER_SMALL) {
        l->value.ulen = 2 * l->value.size;
        l->value.data = iso_resize(c->pool, l->value.data, l->value.ulen, 1);
    }
    if (code == DB_NOTFOUND) {
        return ISO_DONE;
    }
    if (code == 0) {
        iso_cell_from(c, cell, l->value.data, l->value.size);
    }
    return answer(c, code);
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) {
    database *d = c->db->state;
    connection *l = c->state;
    unsigned char bytes[ISO_KEY_BYTES];
    iso_key_bytes(bytes, key);
    DBT k = {.data = bytes, .size = sizeof bytes}, v = {.data = &value, .size = sizeof value};
    return answer(c, d->table->put(d->table, l->txn, &k, &v, 0));
}

#endif

const iso_collector iso_collector_berkeleydb = {
    .name = "berkeleydb",
    .title = "Berkeley DB",
    .summary = "a hash table with the three degrees of isolation, and snapshots",
    .package = "libdb5.3-dev",
    .levels = levels,
#if __has_include(<db.h>)
    ISO_COLLECTOR_USUAL,
    .load = bdb_load,
    .read = read_key,
    .write = write_value,
#endif
};
