/* RocksDB, by its C interface: transactions that lock what they write (TransactionDB) or that are tested when they
 * commit (OptimisticTransactionDB). Both read the newest committed value, or from a snapshot taken at the begin, or
 * "for update", which locks or tests the reads, too. */
#include "collectors/collector.h"

static const iso_offer levels[] = {
    {"pessimistic-snapshot", "si",
     "TransactionDB, set_snapshot: locks writes, reads from a snapshot, refuses to write over newer values"},
    {"pessimistic", "g1", "TransactionDB: locks writes; its documentation calls it read committed"},
    {"pessimistic-for-update", "ser", "TransactionDB, reads by GetForUpdate: locks of two phases"},
    {"optimistic-snapshot", "si", "OptimisticTransactionDB, set_snapshot: writes are tested when it commits"},
    {"optimistic", "g1", "OptimisticTransactionDB: its documentation calls it read committed"},
    {"optimistic-for-update", "ser",
     "OptimisticTransactionDB, reads by GetForUpdate: reads and writes are tested when it commits"},
    {NULL, NULL, NULL}};

#if __has_include(<rocksdb/c.h>)

#include <rocksdb/c.h>

#include "collectors/bytes.h"
#include "collectors/load.h"

/* clang-format off */
#define FUNCTIONS(F) \
    F(rocksdb_create_mem_env) \
    F(rocksdb_env_destroy) \
    F(rocksdb_free) \
    F(rocksdb_optimistictransaction_begin) \
    F(rocksdb_optimistictransaction_options_create) \
    F(rocksdb_optimistictransaction_options_destroy) \
    F(rocksdb_optimistictransaction_options_set_set_snapshot) \
    F(rocksdb_optimistictransactiondb_close) \
    F(rocksdb_optimistictransactiondb_open) \
    F(rocksdb_options_create) \
    F(rocksdb_options_destroy) \
    F(rocksdb_options_set_create_if_missing) \
    F(rocksdb_options_set_env) \
    F(rocksdb_options_set_max_write_buffer_size_to_maintain) \
    F(rocksdb_readoptions_create) \
    F(rocksdb_readoptions_destroy) \
    F(rocksdb_readoptions_set_snapshot) \
    F(rocksdb_transaction_begin) \
    F(rocksdb_transaction_commit) \
    F(rocksdb_transaction_destroy) \
    F(rocksdb_transaction_get) \
    F(rocksdb_transaction_get_for_update) \
    F(rocksdb_transaction_get_snapshot) \
    F(rocksdb_transaction_options_create) \
    F(rocksdb_transaction_options_destroy) \
    F(rocksdb_transaction_options_set_deadlock_detect) \
    F(rocksdb_transaction_options_set_lock_timeout) \
    F(rocksdb_transaction_options_set_set_snapshot) \
    F(rocksdb_transaction_put) \
    F(rocksdb_transaction_rollback) \
    F(rocksdb_transactiondb_close) \
    F(rocksdb_transactiondb_open) \
    F(rocksdb_transactiondb_options_create) \
    F(rocksdb_transactiondb_options_destroy) \
    F(rocksdb_writeoptions_create) \
    F(rocksdb_writeoptions_destroy) \
    F(rocksdb_writeoptions_set_sync)
/* clang-format on */
ISO_LIBRARY(rocks, "librocksdb.so.7.8 librocksdb.so", FUNCTIONS)

typedef struct database {
    rocksdb_options_t *options;
    rocksdb_env_t *memory;
    rocksdb_writeoptions_t *write;
    rocksdb_transactiondb_options_t *locking_options;
    rocksdb_transaction_options_t *pessimistic;
    rocksdb_optimistictransaction_options_t *optimistic;
    rocksdb_transactiondb_t *locking; /* one of the two */
    rocksdb_optimistictransactiondb_t *testing;
    bool snapshot, for_update;
} database;

typedef struct connection {
    rocksdb_transaction_t *txn;
    rocksdb_readoptions_t *read;
    const rocksdb_snapshot_t *snapshot;
    bool running;
    iso_cell list; /* scratch */
} connection;

static void open_database(iso_database *db) {
    database *d = db->state;
    char *error = NULL;
    const char *level = db->level->name;
    iso_library_version((void *)(uintptr_t)rocks.rocksdb_free, db->version);
    d->snapshot = strstr(level, "-snapshot") != NULL;
    d->for_update = strstr(level, "-for-update") != NULL;
    d->options = rocks.rocksdb_options_create();
    rocks.rocksdb_options_set_create_if_missing(d->options, 1);
    rocks.rocksdb_options_set_max_write_buffer_size_to_maintain(d->options,
                                                                64 << 20); /* what tests at a commit look at */
    if (!db->on_disk) {
        d->memory = rocks.rocksdb_create_mem_env();
        rocks.rocksdb_options_set_env(d->options, d->memory);
    }
    d->write = rocks.rocksdb_writeoptions_create();
    rocks.rocksdb_writeoptions_set_sync(d->write, db->durable);
    if (strncmp(level, "pessimistic", 11) == 0) {
        d->locking_options = rocks.rocksdb_transactiondb_options_create();
        d->pessimistic = rocks.rocksdb_transaction_options_create();
        rocks.rocksdb_transaction_options_set_set_snapshot(d->pessimistic, d->snapshot);
        rocks.rocksdb_transaction_options_set_deadlock_detect(d->pessimistic, 1);
        rocks.rocksdb_transaction_options_set_lock_timeout(d->pessimistic,
                                                           (int64_t)iso_arg_count(db->args, "lock-wait"));
        d->locking = rocks.rocksdb_transactiondb_open(d->options, d->locking_options, db->folder, &error);
    } else {
        d->optimistic = rocks.rocksdb_optimistictransaction_options_create();
        rocks.rocksdb_optimistictransaction_options_set_set_snapshot(d->optimistic, d->snapshot);
        d->testing = rocks.rocksdb_optimistictransactiondb_open(d->options, db->folder, &error);
    }
    if (error != NULL) {
        iso_throw_file(db->pool->env, ISOLAB_E_IO, db->folder, "RocksDB: %s", error);
    }
}

#define RELEASE(member, function)                                                                                      \
    do {                                                                                                               \
        if (d->member != NULL) {                                                                                       \
            rocks.function(d->member);                                                                                 \
            d->member = NULL;                                                                                          \
        }                                                                                                              \
    } while (0)

static void close_database(iso_database *db) {
    database *d = db->state;
    RELEASE(locking, rocksdb_transactiondb_close);
    RELEASE(testing, rocksdb_optimistictransactiondb_close);
    RELEASE(pessimistic, rocksdb_transaction_options_destroy);
    RELEASE(optimistic, rocksdb_optimistictransaction_options_destroy);
    RELEASE(locking_options, rocksdb_transactiondb_options_destroy);
    RELEASE(write, rocksdb_writeoptions_destroy);
    RELEASE(options, rocksdb_options_destroy);
    RELEASE(memory, rocksdb_env_destroy);
}

static iso_did connect_session(iso_connection *c) {
    connection *l = c->state;
    l->read = rocks.rocksdb_readoptions_create();
    return ISO_DONE;
}

static void release_snapshot(connection *l) {
    if (l->snapshot != NULL) {
        rocks.rocksdb_readoptions_set_snapshot(l->read, NULL);
        rocks.rocksdb_free((void *)(uintptr_t)l->snapshot);
    }
    l->snapshot = NULL;
}

static void roll_back(connection *l) {
    char *error = NULL;
    release_snapshot(l);
    if (l->running) {
        rocks.rocksdb_transaction_rollback(l->txn, &error);
        rocks.rocksdb_free(error);
    }
    l->running = false;
}

static void disconnect(iso_connection *c) {
    connection *l = c->state;
    roll_back(l);
    if (l->txn != NULL) {
        rocks.rocksdb_transaction_destroy(l->txn);
    }
    rocks.rocksdb_readoptions_destroy(l->read);
    memset(l, 0, sizeof *l);
}

/* Conflicts, deadlocks, and locks that were not free in time are busy, timed out, or to be tried again. */
static iso_did answer(iso_connection *c, char *error) {
    static const char *const refusals[] = {"Resource busy", "Operation timed out", "Operation failed. Try again"};
    if (error == NULL) {
        return ISO_DONE;
    }
    iso_because(c, ISO_DONE, "%s", error);
    rocks.rocksdb_free(error);
    roll_back(c->state);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (strncmp(c->why, refusals[i], strlen(refusals[i])) == 0) {
            return ISO_REFUSED;
        }
    }
    return ISO_FAILED;
}

static iso_did begin(iso_connection *c) {
    database *d = c->db->state;
    connection *l = c->state;
    l->txn = d->locking != NULL
                 ? rocks.rocksdb_transaction_begin(d->locking, d->write, d->pessimistic, l->txn)
                 : rocks.rocksdb_optimistictransaction_begin(d->testing, d->write, d->optimistic, l->txn);
    l->running = true;
    if (d->snapshot) {
        l->snapshot = rocks.rocksdb_transaction_get_snapshot(l->txn);
        rocks.rocksdb_readoptions_set_snapshot(l->read, l->snapshot);
    }
    return ISO_DONE;
}

static iso_did commit(iso_connection *c) {
    connection *l = c->state;
    char *error = NULL;
    rocks.rocksdb_transaction_commit(l->txn, &error);
    iso_did did = answer(c, error);
    if (did == ISO_DONE) {
        release_snapshot(l);
        l->running = false;
    }
    return did;
}

static iso_did give_up(iso_connection *c) {
    roll_back(c->state);
    return ISO_DONE;
}

/* Reads a key; with `lock`, for update: locked, or tested at the commit. */
static iso_did get(iso_connection *c, uint32_t key, iso_cell *cell, bool lock, bool exclusive) {
    connection *l = c->state;
    unsigned char bytes[ISO_KEY_BYTES];
    char *error = NULL;
    size_t size = 0;
    iso_key_bytes(bytes, key);
    char *value = lock ? rocks.rocksdb_transaction_get_for_update(l->txn, l->read, (char *)bytes, sizeof bytes, &size,
                                                                  exclusive, &error)
                       : rocks.rocksdb_transaction_get(l->txn, l->read, (char *)bytes, sizeof bytes, &size, &error);
    if (value != NULL) {
        iso_cell_from(c, cell, value, size);
        rocks.rocksdb_free(value);
    }
    return answer(c, error);
}

static iso_did read_key(iso_connection *c, uint32_t key, iso_cell *cell) {
    const database *d = c->db->state;
    return get(c, key, cell, d->for_update, !c->only_reads);
}

static iso_did put(iso_connection *c, uint32_t key, const int64_t *values, size_t n) {
    connection *l = c->state;
    unsigned char bytes[ISO_KEY_BYTES];
    char *error = NULL;
    iso_key_bytes(bytes, key);
    rocks.rocksdb_transaction_put(l->txn, (char *)bytes, sizeof bytes, (const char *)values, n * sizeof *values,
                                  &error);
    return answer(c, error);
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) { return put(c, key, &value, 1); }

static iso_did append(iso_connection *c, uint32_t key, int64_t value) {
    connection *l = c->state;
    l->list.n = 0;
    iso_did did = get(c, key, &l->list, true, true); /* no other transaction appends in between */
    return iso_append_by_write(c, key, &l->list, did, value, put);
}

#endif

const iso_collector iso_collector_rocksdb = {
    .name = "rocksdb",
    .title = "RocksDB",
    .summary = "pessimistic and optimistic transactions, with and without snapshots",
    .package = "librocksdb-dev",
    .levels = levels,
    .lists = true,
#if __has_include(<rocksdb/c.h>)
    ISO_COLLECTOR_USUAL,
    .load = rocks_load,
    .read = read_key,
    .write = write_value,
    .read_list = read_key,
    .append = append,
#endif
};
