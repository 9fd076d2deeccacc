/* Redis by hiredis. A register is a string, a list a list of Redis. Keys begin with the name of the run, and
 * are removed at its end.
 *
 * A transaction is MULTI ... EXEC (https://redis.io/docs/latest/develop/interact/transactions/): commands that run
 * without others between them. Reads before MULTI are watched: EXEC does nothing if one of their keys has changed. The
 * client holds writes back until EXEC, and reads of its own writes are answered by itself. */
#include "collectors/collector.h"

#if __has_include(<hiredis/hiredis.h>)

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "collectors/load.h"
#include "collectors/server.h"

#define FUNCTIONS(F)                                                                                                   \
    F(redisConnectWithTimeout)                                                                                         \
    F(redisSetTimeout)                                                                                                 \
    F(redisCommand)                                                                                                    \
    F(redisAppendCommand)                                                                                              \
    F(redisGetReply)                                                                                                   \
    F(freeReplyObject)                                                                                                 \
    F(redisFree)
ISO_LIBRARY(redis, "libhiredis.so.0.14 libhiredis.so.1.1.0 libhiredis.so", FUNCTIONS)

typedef struct database {
    unsigned port;
    redisContext *context; /* of the thread that opened it */
} database;

typedef struct change {
    uint32_t key;
    int64_t value;
} change;

typedef struct pending {
    uint32_t key;
    iso_cell *cell;
} pending;

typedef struct connection {
    redisContext *context;
    change *writes; /* of the running transaction, in program order */
    uint32_t n, room;
    pending *reads; /* level `queued`: cells that EXEC fills in */
    uint32_t n_reads, reads_room;
    uint32_t *order; /* level `queued`: the commands in program order: a write is 2i, a read 2i + 1 */
    uint32_t n_order, order_room;
} connection;

static redisContext *join(const iso_database *db) {
    const database *d = db->state;
    const char *host = db->server != NULL ? "127.0.0.1" : iso_arg_text(db->args, "host");
    redisContext *context = redis.redisConnectWithTimeout(host, (int)d->port, (struct timeval){.tv_sec = 10});
    if (context != NULL && context->err == 0) {
        redis.redisSetTimeout(context, (struct timeval){.tv_sec = 60});
    }
    return context;
}

static const char *error_of(const redisContext *context) { return context == NULL ? "no memory" : context->errstr; }

/* ---- the database ---- */

static redisReply *must(iso_database *db, redisReply *r) {
    database *d = db->state;
    if (r == NULL || r->type == REDIS_REPLY_ERROR) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "Redis: %.200s", r == NULL ? error_of(d->context) : r->str);
    }
    return r;
}

static void note_version(iso_database *db) {
    database *d = db->state;
    redisReply *r = must(db, redis.redisCommand(d->context, "INFO server"));
    const char *at = r->str != NULL ? strstr(r->str, "redis_version:") : NULL;
    if (at != NULL) {
        at += strlen("redis_version:");
        snprintf(db->version, sizeof db->version, "%.*s", (int)strcspn(at, "\r\n"), at);
    }
    redis.freeReplyObject(r);
}

static void open_database(iso_database *db) {
    database *d = db->state;
    d->port = db->server != NULL ? d->port : (unsigned)iso_arg_count(db->args, "port");
    d->context = join(db);
    if (d->context == NULL || d->context->err != 0) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "Redis: %.200s", error_of(d->context));
    }
    note_version(db);
}

static void close_database(iso_database *db) {
    database *d = db->state;
    if (d->context != NULL) {
        for (uint64_t k = 0; k < db->n_keys && d->context->err == 0; k++) {
            redisReply *r = redis.redisCommand(d->context, "DEL %s:%" PRIu64, db->table, k);
            if (r != NULL) {
                redis.freeReplyObject(r);
            }
        }
        redis.redisFree(d->context);
    }
    d->context = NULL;
}

static bool answers(void *db) {
    redisContext *context = join(db);
    redisReply *r = context != NULL && context->err == 0 ? redis.redisCommand(context, "PING") : NULL;
    bool yes = r != NULL && r->type == REDIS_REPLY_STATUS;
    if (r != NULL) {
        redis.freeReplyObject(r);
    }
    if (context != NULL) {
        redis.redisFree(context);
    }
    return yes;
}

static void spawn(iso_database *db) {
    database *d = db->state;
    iso_pool *pool = db->pool;
    const char *program = iso_server_program(pool, "redis-server", NULL, "redis-server");
    iso_server *s = db->server = iso_server_new(pool, "redis", "redis", db->place);
    d->port = iso_server_port(s);
    const char *port = iso_format_text(pool, "%u", d->port);
    const char *words[] = {program,
                           "--port",
                           port,
                           "--bind",
                           "127.0.0.1",
                           "--save",
                           "",
                           "--dir",
                           iso_server_folder(s),
                           "--appendonly",
                           db->durable ? "yes" : "no",
                           "--appendfsync",
                           "always",
                           NULL};
    iso_server_await(s, iso_server_start(s, words, SIGKILL), answers, db, "Redis");
}

static void reach(const iso_database *db, const char *argv[ISO_REACH]) {
    const database *d = db->state;
    iso_reach_port(db, d->port, argv);
}

/* ---- a connection ---- */

static iso_did connect_session(iso_connection *c) {
    connection *l = c->state;
    l->context = join(c->db);
    return l->context != NULL && l->context->err == 0 ? ISO_DONE : iso_because(c, ISO_LOST, "%s", error_of(l->context));
}

static void disconnect(iso_connection *c) {
    connection *l = c->state;
    if (l->context != NULL) {
        redis.redisFree(l->context);
    }
    *l = (connection){.context = NULL};
}

/* Returns the next reply, NULL with *did set: there is none. */
static redisReply *reply(iso_connection *c, iso_did *did) {
    connection *l = c->state;
    void *r = NULL;
    if (redis.redisGetReply(l->context, &r) != REDIS_OK || r == NULL) {
        *did = iso_because(c, ISO_LOST, "%s", error_of(l->context));
        return NULL;
    }
    redisReply *answer = r;
    if (answer->type == REDIS_REPLY_ERROR) {
        bool starts = strncmp(answer->str, "LOADING", 7) == 0; /* it reads its file after a restart */
        *did = iso_because(c, starts ? ISO_LOST : ISO_FAILED, "%s", answer->str);
        redis.freeReplyObject(answer);
        return NULL;
    }
    *did = ISO_DONE;
    return answer;
}

/* Takes n replies that say no more than that a command was accepted. */
static iso_did accept_all(iso_connection *c, uint32_t n) {
    iso_did did = ISO_DONE;
    for (uint32_t i = 0; i < n && did != ISO_LOST; i++) {
        iso_did one;
        redisReply *r = reply(c, &one);
        did = did == ISO_DONE || one == ISO_LOST ? one : did;
        if (r != NULL) {
            redis.freeReplyObject(r);
        }
    }
    return did;
}

static iso_did begin(iso_connection *c) {
    connection *l = c->state;
    l->n = l->n_reads = l->n_order = 0;
    return ISO_DONE;
}

/* Puts what Redis has of a key into a cell. */
static void fill(iso_connection *c, iso_cell *cell, const redisReply *r) {
    cell->n = 0;
    cell->value = r->type == REDIS_REPLY_STRING ? strtoll(r->str, NULL, 10) : ISO_NO_VALUE;
    for (size_t i = 0; r->type == REDIS_REPLY_ARRAY && i < r->elements; i++) {
        iso_cell_add(c, cell, strtoll(r->element[i]->str, NULL, 10));
    }
}

/* Adds to a cell what the transaction itself has written. */
static void add_own(iso_connection *c, uint32_t key, iso_cell *cell) {
    const connection *l = c->state;
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->writes[i].key == key && c->db->lists) {
            iso_cell_add(c, cell, l->writes[i].value);
        } else if (l->writes[i].key == key) {
            cell->value = l->writes[i].value;
        }
    }
}

static void ask(iso_connection *c, uint32_t key) {
    connection *l = c->state;
    redis.redisAppendCommand(l->context, c->db->lists ? "LRANGE %s:%" PRIu32 " 0 -1" : "GET %s:%" PRIu32, c->db->table,
                             key);
}

static iso_did read_cell(iso_connection *c, uint32_t key, iso_cell *cell) {
    connection *l = c->state;
    iso_did did = ISO_DONE;
    if (iso_at_level(c->db, "queued")) {
        ISO_GROW(c->pool, l->order, l->n_order, l->order_room);
        l->order[l->n_order++] = 2 * l->n_reads + 1;
        ISO_GROW(c->pool, l->reads, l->n_reads, l->reads_room);
        l->reads[l->n_reads++] = (pending){key, cell};
        return did;
    }
    if (iso_at_level(c->db, "watch")) {
        redis.redisAppendCommand(l->context, "WATCH %s:%" PRIu32, c->db->table, key);
        ask(c, key);
        did = accept_all(c, 1);
    } else {
        ask(c, key);
    }
    redisReply *r = did == ISO_DONE ? reply(c, &did) : NULL;
    if (r != NULL) {
        fill(c, cell, r);
        redis.freeReplyObject(r);
        add_own(c, key, cell);
    }
    return did;
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) {
    connection *l = c->state;
    ISO_GROW(c->pool, l->order, l->n_order, l->order_room);
    l->order[l->n_order++] = 2 * l->n;
    ISO_GROW(c->pool, l->writes, l->n, l->room);
    l->writes[l->n++] = (change){key, value};
    return ISO_DONE;
}

static void send_write(iso_connection *c, const change *w) {
    connection *l = c->state;
    redis.redisAppendCommand(l->context, c->db->lists ? "RPUSH %s:%" PRIu32 " %" PRId64 : "SET %s:%" PRIu32 " %" PRId64,
                             c->db->table, w->key, w->value);
}

/* Fills in the cells of reads that were queued. Replies of EXEC are in the order of the commands. */
static iso_did fill_queued(iso_connection *c, const redisReply *r) {
    const connection *l = c->state;
    for (uint32_t i = 0; i < l->n_order; i++) {
        if (r->element[i]->type == REDIS_REPLY_ERROR) {
            return iso_because(c, ISO_FAILED, "%s", r->element[i]->str);
        }
        if (l->order[i] % 2 == 1) {
            fill(c, l->reads[l->order[i] / 2].cell, r->element[i]);
        }
    }
    return ISO_DONE;
}

/* Sends MULTI, the commands and EXEC at once. */
static iso_did commit(iso_connection *c) {
    connection *l = c->state;
    iso_did did;
    redis.redisAppendCommand(l->context, "MULTI");
    for (uint32_t i = 0; i < l->n_order; i++) {
        if (l->order[i] % 2 == 1) {
            ask(c, l->reads[l->order[i] / 2].key);
        } else {
            send_write(c, &l->writes[l->order[i] / 2]);
        }
    }
    redis.redisAppendCommand(l->context, "EXEC");
    did = accept_all(c, l->n_order + 1);
    redisReply *r = did == ISO_LOST ? NULL : reply(c, &did);
    if (r == NULL) {
        return did;
    }
    if (r->type == REDIS_REPLY_NIL) {
        did = iso_because(c, ISO_REFUSED, "EXEC: a watched key has changed");
    } else if (r->type != REDIS_REPLY_ARRAY || r->elements != l->n_order) {
        did = iso_because(c, ISO_FAILED, "EXEC: an unexpected answer");
    } else {
        did = fill_queued(c, r);
    }
    redis.freeReplyObject(r);
    return did;
}

static iso_did give_up(iso_connection *c) {
    connection *l = c->state;
    if (!iso_at_level(c->db, "watch")) {
        return ISO_DONE;
    }
    redis.redisAppendCommand(l->context, "UNWATCH");
    return accept_all(c, 1);
}

/* Closes the connection under a thread that waits for an answer. */
static void cancel(iso_connection *c) {
    connection *l = c->state;
    if (l->context != NULL && l->context->fd >= 0) {
        shutdown(l->context->fd, SHUT_RDWR);
    }
}

#endif

static const iso_offer levels[] = {
    {"watch", "sser", "reads are watched before MULTI: optimistic concurrency control"},
    {"queued", "sser", "reads and writes are queued between MULTI and EXEC, which run alone"},
    {"unwatched", "none", "reads come before MULTI, and nothing watches them"},
    {NULL, NULL, NULL}};

static const iso_option options[] = {{ISO_TEXT("host", "127.0.0.1", "where the server runs")},
                                     {ISO_COUNT("port", "6379", 1, 65535, "the server's port")},
                                     ISO_END};

const iso_collector iso_collector_redis = {
    .name = "redis",
    .title = "Redis",
    .summary = "MULTI and EXEC, with and without WATCH, by hiredis",
    .package = "libhiredis-dev libhiredis0.14",
    .server = "redis-server",
    .levels = levels,
    .options = options,
    .lists = true,
    .forgets = true,
#if __has_include(<hiredis/hiredis.h>)
    ISO_COLLECTOR_USUAL,
    .load = redis_load,
    .spawn = spawn,
    .reach = reach,
    .faults = "kill pause",
    .answers = answers,
    .read = read_cell,
    .write = write_value,
    .read_list = read_cell,
    .append = write_value,
    .cancel = cancel,
#endif
};
