/* LMDB: one writer at a time, which waits for the one before, and readers of snapshots. Its only level is serializable.
 * A transaction says at its begin whether it will write. */
#include "collectors/collector.h"

static const iso_offer levels[] = {
    {"serializable", "sser", "the only one: one writer at a time, and readers see a snapshot"}, {NULL, NULL, NULL}};

#if __has_include(<lmdb.h>)

#include <lmdb.h>
#include <stdio.h>

#include "collectors/bytes.h"
#include "collectors/load.h"

/* clang-format off */
#define FUNCTIONS(F) \
    F(mdb_dbi_open) \
    F(mdb_env_close) \
    F(mdb_env_create) \
    F(mdb_env_open) \
    F(mdb_env_set_mapsize) \
    F(mdb_env_set_maxreaders) \
    F(mdb_get) \
    F(mdb_put) \
    F(mdb_strerror) \
    F(mdb_txn_abort) \
    F(mdb_txn_begin) \
    F(mdb_txn_commit) \
    F(mdb_version)
/* clang-format on */
ISO_LIBRARY(lmdb, "liblmdb.so.0 liblmdb.so", FUNCTIONS)

#define MAP_SIZE ((size_t)1 << 32) /* address space; the file grows as it is used */

typedef struct database {
    MDB_env *env;
    MDB_dbi table;
} database;

typedef struct connection {
    MDB_txn *txn;
    iso_cell list; /* scratch */
} connection;

static void check(iso_database *db, int code) {
    if (code != 0) {
        iso_throw_file(db->pool->env, ISOLAB_E_IO, db->folder, "LMDB: %s", lmdb.mdb_strerror(code));
    }
}

static void open_database(iso_database *db) {
    database *d = db->state;
    MDB_txn *txn;
    int major, minor, patch;
    lmdb.mdb_version(&major, &minor, &patch);
    snprintf(db->version, sizeof db->version, "%d.%d.%d", major, minor, patch);
    check(db, lmdb.mdb_env_create(&d->env));
    check(db, lmdb.mdb_env_set_mapsize(d->env, MAP_SIZE));
    check(db, lmdb.mdb_env_set_maxreaders(d->env, (unsigned)db->n_sessions + 8));
    check(db, lmdb.mdb_env_open(d->env, db->folder, MDB_NOTLS | (db->durable ? 0 : MDB_NOSYNC), 0600));
    check(db, lmdb.mdb_txn_begin(d->env, NULL, 0, &txn));
    int code = lmdb.mdb_dbi_open(txn, NULL, 0, &d->table);
    check(db, code == 0 ? lmdb.mdb_txn_commit(txn) : (lmdb.mdb_txn_abort(txn), code));
}

static void close_database(iso_database *db) {
    database *d = db->state;
    if (d->env != NULL) {
        lmdb.mdb_env_close(d->env);
    }
    d->env = NULL;
}

static iso_did connect_session(iso_connection *c) {
    (void)c;
    return ISO_DONE;
}

static void end(connection *l) {
    if (l->txn != NULL) {
        lmdb.mdb_txn_abort(l->txn);
    }
    l->txn = NULL;
}

static void disconnect(iso_connection *c) { end(c->state); }

/* Nothing is refused for a conflict, so every error is one that stays: a full disk, a full map. */
static iso_did answer(iso_connection *c, int code) {
    return code == 0 ? ISO_DONE : (end(c->state), iso_because(c, ISO_FAILED, "%s", lmdb.mdb_strerror(code)));
}

static iso_did begin(iso_connection *c) {
    database *d = c->db->state;
    connection *l = c->state;
    return answer(c, lmdb.mdb_txn_begin(d->env, NULL, c->only_reads ? MDB_RDONLY : 0, &l->txn));
}

static iso_did commit(iso_connection *c) {
    connection *l = c->state;
    MDB_txn *txn = l->txn;
    l->txn = NULL; /* it is freed in any case */
    return answer(c, lmdb.mdb_txn_commit(txn));
}

static iso_did give_up(iso_connection *c) {
    end(c->state);
    return ISO_DONE;
}

static iso_did read_key(iso_connection *c, uint32_t key, iso_cell *cell) {
    database *d = c->db->state;
    connection *l = c->state;
    unsigned char bytes[ISO_KEY_BYTES];
    iso_key_bytes(bytes, key);
    MDB_val k = {sizeof bytes, bytes}, v;
    int code = lmdb.mdb_get(l->txn, d->table, &k, &v);
    if (code == MDB_NOTFOUND) {
        return ISO_DONE;
    }
    if (code == 0) {
        iso_cell_from(c, cell, v.mv_data, v.mv_size);
    }
    return answer(c, code);
}

static iso_did put(iso_connection *c, uint32_t key, const int64_t *values, size_t n) {
    database *d = c->db->state;
    connection *l = c->state;
    unsigned char bytes[ISO_KEY_BYTES];
    iso_key_bytes(bytes, key);
    MDB_val k = {sizeof bytes, bytes}, v = {n * sizeof *values, (void *)(uintptr_t)values};
    return answer(c, lmdb.mdb_put(l->txn, d->table, &k, &v, 0));
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) { return put(c, key, &value, 1); }

static iso_did append(iso_connection *c, uint32_t key, int64_t value) {
    connection *l = c->state;
    l->list.n = 0;
    return iso_append_by_write(c, key, &l->list, read_key(c, key, &l->list), value, put);
}

#endif

const iso_collector iso_collector_lmdb = {
    .name = "lmdb",
    .title = "LMDB",
    .summary = "a memory-mapped tree; one writer, readers of snapshots",
    .package = "liblmdb-dev",
    .levels = levels,
    .lists = true,
#if __has_include(<lmdb.h>)
    ISO_COLLECTOR_USUAL,
    .load = lmdb_load,
    .read = read_key,
    .write = write_value,
    .read_list = read_key,
    .append = append,
#endif
};
