/* WiredTiger, the store of MongoDB: versions of rows. A transaction that writes over a version that it does not see is
 * refused at once; no call waits. It stays in memory unless commits must be durable or a folder is named. */
#include "collectors/collector.h"

static const iso_offer levels[] = {
    {"snapshot", "si", "isolation=snapshot: versions that were committed before the transaction started"},
    {"read-committed", "g1", "isolation=read-committed: each search takes a new snapshot"},
    {"read-uncommitted", "none", "isolation=read-uncommitted: the newest versions, committed or not"},
    {NULL, NULL, NULL}};

#if __has_include(<wiredtiger.h>)

#include <inttypes.h>
#include <stdio.h>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <wiredtiger.h>
#pragma GCC diagnostic pop

#include "collectors/bytes.h"
#include "collectors/load.h"

#define FUNCTIONS(F) F(wiredtiger_open) F(wiredtiger_strerror) F(wiredtiger_version)
ISO_LIBRARY(wt, "libwiredtiger.so.0 libwiredtiger.so", FUNCTIONS)

typedef struct database {
    WT_CONNECTION *store;
    char begin[64];
} database;

typedef struct connection {
    WT_SESSION *session;
    WT_CURSOR *cursor;
    bool running;
    iso_cell list; /* scratch */
} connection;

static void check(iso_database *db, int code) {
    if (code != 0) {
        iso_throw_file(db->pool->env, ISOLAB_E_IO, db->folder, "WiredTiger: %s", wt.wiredtiger_strerror(code));
    }
}

static int silent(WT_EVENT_HANDLER *handler, WT_SESSION *session, int code, const char *message) {
    (void)handler, (void)session, (void)code, (void)message;
    return 0;
}

static int silent_too(WT_EVENT_HANDLER *handler, WT_SESSION *session, const char *message) {
    return silent(handler, session, 0, message);
}

static WT_EVENT_HANDLER handler = {.handle_error = silent,
                                   .handle_message = silent_too}; /* the codes say what happened */

static int put_list(WT_CURSOR *cursor, uint32_t key, const int64_t *values, size_t n) {
    WT_ITEM item = {.data = values, .size = n * sizeof *values};
    cursor->set_key(cursor, (uint64_t)key);
    cursor->set_value(cursor, &item);
    return cursor->insert(cursor);
}

/* Makes the table. Lists exist from the beginning, so that an append can lock the one that it reads. */
static void make_table(iso_database *db, WT_SESSION *session) {
    WT_CURSOR *cursor;
    check(db, session->create(session, "table:t", "key_format=Q,value_format=u"));
    if (db->lists) {
        int code = session->open_cursor(session, "table:t", NULL, NULL, &cursor);
        for (uint32_t k = 0; code == 0 && k < db->n_keys; k++) {
            code = put_list(cursor, k, (const int64_t[]){0}, 0);
        }
        check(db, code);
    }
    check(db, session->close(session, NULL));
}

static void open_database(iso_database *db) {
    database *d = db->state;
    WT_SESSION *session;
    char config[256];
    int major, minor, patch;
    wt.wiredtiger_version(&major, &minor, &patch);
    snprintf(db->version, sizeof db->version, "%d.%d.%d", major, minor, patch);
    snprintf(config, sizeof config, "create,cache_size=512M,session_max=%" PRIu64 ",%s", db->n_sessions + 20,
             db->durable   ? "log=(enabled),transaction_sync=(enabled,method=fsync)"
             : db->on_disk ? "log=(enabled),transaction_sync=(enabled=false)"
                           : "in_memory=true");
    snprintf(d->begin, sizeof d->begin, "isolation=%s", db->level->name);
    check(db, wt.wiredtiger_open(db->folder, &handler, config, &d->store));
    check(db, d->store->open_session(d->store, NULL, NULL, &session));
    make_table(db, session);
}

static void close_database(iso_database *db) {
    database *d = db->state;
    if (d->store != NULL) {
        d->store->close(d->store, "leak_memory=false");
    }
    d->store = NULL;
}

static void roll_back(connection *l) {
    if (l->running) {
        l->session->rollback_transaction(l->session, NULL);
    }
    l->running = false;
}

/* no call waits, so no other refusal exists than WT_ROLLBACK */
static iso_did answer(iso_connection *c, int code) {
    if (code == 0) {
        return ISO_DONE;
    }
    roll_back(c->state);
    return iso_because(c, code == WT_ROLLBACK ? ISO_REFUSED : ISO_FAILED, "%s", wt.wiredtiger_strerror(code));
}

static iso_did connect_session(iso_connection *c) {
    database *d = c->db->state;
    connection *l = c->state;
    int code = d->store->open_session(d->store, NULL, NULL, &l->session);
    return answer(c, code != 0 ? code
                               : l->session->open_cursor(l->session, "table:t", NULL, "overwrite=true", &l->cursor));
}

static void disconnect(iso_connection *c) {
    connection *l = c->state;
    roll_back(l);
    if (l->session != NULL) {
        l->session->close(l->session, NULL);
    }
    memset(l, 0, sizeof *l);
}

static iso_did begin(iso_connection *c) {
    database *d = c->db->state;
    connection *l = c->state;
    int code = l->session->begin_transaction(l->session, d->begin);
    l->running = code == 0;
    return answer(c, code);
}

static iso_did commit(iso_connection *c) {
    connection *l = c->state;
    l->running = false; /* it has ended in any case */
    return answer(c, l->session->commit_transaction(l->session, NULL));
}

static iso_did give_up(iso_connection *c) {
    roll_back(c->state);
    return ISO_DONE;
}

static iso_did read_key(iso_connection *c, uint32_t key, iso_cell *cell) {
    connection *l = c->state;
    WT_ITEM item;
    l->cursor->set_key(l->cursor, (uint64_t)key);
    int code = l->cursor->search(l->cursor);
    if (code == 0 && (code = l->cursor->get_value(l->cursor, &item)) == 0) {
        iso_cell_from(c, cell, item.data, item.size);
    }
    l->cursor->reset(l->cursor); /* read committed: the next search sees what is committed until then */
    return code == WT_NOTFOUND ? ISO_DONE : answer(c, code);
}

static iso_did put(iso_connection *c, uint32_t key, const int64_t *values, size_t n) {
    connection *l = c->state;
    int code = put_list(l->cursor, key, values, n);
    l->cursor->reset(l->cursor);
    return answer(c, code);
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) { return put(c, key, &value, 1); }

static iso_did append(iso_connection *c, uint32_t key, int64_t value) {
    connection *l = c->state;
    l->list.n = 0;
    l->cursor->set_key(l->cursor, (uint64_t)key);
    int code = l->cursor->reserve(l->cursor); /* no other transaction appends in between */
    l->cursor->reset(l->cursor);
    return iso_append_by_write(c, key, &l->list, code == 0 ? read_key(c, key, &l->list) : answer(c, code), value, put);
}

#endif

const iso_collector iso_collector_wiredtiger = {
    .name = "wiredtiger",
    .title = "WiredTiger",
    .summary = "versions of rows; snapshots, read committed, read uncommitted",
    .package = "libwiredtiger-dev",
    .levels = levels,
    .lists = true,
#if __has_include(<wiredtiger.h>)
    ISO_COLLECTOR_USUAL,
    .load = wt_load,
    .read = read_key,
    .write = write_value,
    .read_list = read_key,
    .append = append,
#endif
};
