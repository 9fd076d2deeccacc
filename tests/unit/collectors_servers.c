/* Tests collectors/collector.h: the collectors of servers, each with a private server: the values that a transaction
 * reads, and the outcome of its writes. A server that is not installed is skipped. The cluster takes half a minute to
 * start: ISOLAB_DEEP=1 or ISOLAB_ONLY=galera. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/drive.h"
#include "collectors/server.h"
#include "tests/tap.h"

static iso_env env;
static iso_pool pool;

typedef struct run {
    const iso_collector *collector;
    const iso_offer *level;
    bool lists;
    iso_database *db;
    iso_args args;
    iso_connection c[2];
} run;

static void prepare(run *r) {
    const iso_collector *k = r->collector;
    const iso_option *const tables[ISO_ARG_TABLES] = {iso_drive_options, k->options};
    iso_args_init(&r->args, &pool, k->name, tables);
    r->db = ISO_ZNEW(&pool, iso_database, 1);
    *r->db = (iso_database){
        .collector = k, .level = r->level, .args = &r->args, .pool = &pool, .n_keys = 300, .lists = r->lists};
    snprintf(r->db->table, sizeof r->db->table, "isolab_test");
    r->db->state = iso_zalloc(&pool, 1, k->database_size);
    for (uint32_t i = 0; i < 2; i++) {
        r->c[i] = (iso_connection){.db = r->db, .pool = &pool, .session = i};
        r->c[i].state = iso_zalloc(&pool, 1, k->connection_size);
    }
}

static void start(void *arg) {
    run *r = arg;
    r->collector->spawn(r->db);
}

static void open_it(void *arg) {
    run *r = arg;
    r->collector->open(r->db);
}

/* Reads a key: the value of a register, or the last element of a list with its length before the point: 2.7. */
static const char *value(run *r, int who, uint32_t key) {
    static char text[64];
    iso_cell cell = {.value = 12345, .n = 0};
    iso_connection *c = &r->c[who];
    iso_did did = r->lists ? r->collector->read_list(c, key, &cell) : r->collector->read(c, key, &cell);
    if (did != ISO_DONE) {
        snprintf(text, sizeof text, "%d: %s", did, c->why);
    } else if (r->lists) {
        snprintf(text, sizeof text, "%u.%lld", cell.n, cell.n == 0 ? 0 : (long long)cell.list[cell.n - 1]);
    } else {
        snprintf(text, sizeof text, cell.value == ISO_NO_VALUE ? "none" : "%lld", (long long)cell.value);
    }
    return text;
}

static iso_did change(run *r, int who, uint32_t key, int64_t v) {
    return r->lists ? r->collector->append(&r->c[who], key, v) : r->collector->write(&r->c[who], key, v);
}

static const char *expected(const run *r, const char *of_register, const char *of_list) {
    return r->lists ? of_list : of_register;
}

/* At a level at which reads are answered at once. */
static void test_transactions(run *r) {
    const iso_collector *k = r->collector;
    const char *kind = r->lists ? "lists" : "registers";
    ok(k->connect(&r->c[0]) == ISO_DONE && k->connect(&r->c[1]) == ISO_DONE, "%s: two connections", kind);
    ok(k->begin(&r->c[0]) == ISO_DONE, "%s: begin", kind);
    is(value(r, 0, 7), expected(r, "none", "0.0"), "%s: no key has a value", kind);
    ok(change(r, 0, 7, 41) == ISO_DONE, "%s: write", kind);
    is(value(r, 0, 7), expected(r, "41", "1.41"), "%s: it reads its own write", kind);
    ok(change(r, 0, 299, -5) == ISO_DONE && k->commit(&r->c[0]) == ISO_DONE, "%s: commit", kind);
    ok(k->begin(&r->c[1]) == ISO_DONE, "%s: another session begins", kind);
    if (strcmp(k->name, "galera") != 0) { /* its nodes may lag */
        is(value(r, 1, 7), expected(r, "41", "1.41"), "%s: and reads it", kind);
        is(value(r, 1, 299), expected(r, "-5", "1.-5"), "%s: and the other", kind);
    }
    iso_did wrote = change(r, 1, 7, 42);
    bool cluster =
        strcmp(k->name, "galera") == 0; /* a node that lags may refuse: the first write has not arrived there */
    ok((wrote == ISO_DONE && k->abort(&r->c[1]) == ISO_DONE) || (cluster && wrote == ISO_REFUSED), "%s: and gives up",
       kind);
    ok(k->begin(&r->c[0]) == ISO_DONE, "%s: begin again", kind);
    is(value(r, 0, 7), expected(r, "41", "1.41"), "%s: nothing is left of it", kind);
    ok(change(r, 0, 7, 43) == ISO_DONE, "%s: write once more", kind);
    is(value(r, 0, 7), expected(r, "43", "2.43"), "%s: which it reads", kind);
    ok(k->commit(&r->c[0]) == ISO_DONE, "%s: commit again", kind);
    k->disconnect(&r->c[0]);
    k->disconnect(&r->c[1]);
}

static void ask_at(run *r, const iso_offer *level, bool lists) {
    r->level = level;
    r->lists = lists;
    r->db->level = level;
    r->db->lists = lists;
    for (int i = 0; i < 2; i++) {
        memset(r->c[i].state, 0, r->collector->connection_size);
    }
    bool opened = iso_guard(&env, open_it, r) == ISOLAB_OK;
    ok(opened, "%s %s: %s", r->collector->name, level->name, opened ? r->db->version : env.error.message);
    if (opened && strcmp(level->name, "queued") != 0) {
        test_transactions(r);
    }
    r->collector->close(r->db);
}

static void test_server(const iso_collector *k) {
    char why[256];
    const char *missing = iso_collector_missing(k, why);
    if (missing != NULL || skip_unselected(k->name)) {
        skip(missing != NULL, 1, "%s: %s", k->name, missing) endskip;
        return;
    }
    run r = {.collector = k, .level = &k->levels[0]};
    prepare(&r);
    if (iso_guard(&env, start, &r) != ISOLAB_OK) {
        bool absent = env.error.code == ISOLAB_E_USAGE;
        skip(absent, 1, "%s: %s", k->name, env.error.message) fail("%s: %s", k->name, env.error.message);
        endskip;
    } else {
        for (const iso_offer *o = k->levels; o->name != NULL; o++) {
            ask_at(&r, o, false);
            if (k->lists) {
                ask_at(&r, o, true);
            }
        }
    }
    iso_server_end(r.db->server);
}

int main(void) {
    plan(NO_PLAN);
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    for (size_t i = 0; iso_collectors[i] != NULL; i++) {
        const iso_collector *k = iso_collectors[i];
        bool slow = strcmp(k->name, "galera") == 0;
        if (k->server != NULL && (!slow || getenv("ISOLAB_DEEP") != NULL || getenv("ISOLAB_ONLY") != NULL)) {
            test_server(k);
        }
    }
    iso_pool_free(&pool);
    return done_testing();
}
