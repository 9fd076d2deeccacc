/* etcd by the HTTP gateway of its version 3. A register is the key `NAME/N`, with the name of the run.
 *
 * A transaction of etcd is one request: conditions and writes. The client reads first, holds writes back, and makes its
 * commit conditional on what it read, as etcd's own client does
 * (https://pkg.go.dev/go.etcd.io/etcd/client/v3/concurrency): `serializable` reads at the revision of its first
 * read, `repeatable-read` reads the latest revision each time, and both commit only if no key that they read has
 * changed; `read-committed` commits without conditions. What etcd promises:
 * https://etcd.io/docs/v3.4/learning/api_guarantees/. */
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "collectors/collector.h"
#include "collectors/http.h"
#include "collectors/server.h"

enum { SECONDS = 60, NAME = 32 };

typedef struct database {
    const char *host;
    unsigned port;
    iso_http http; /* of the thread that opened it */
} database;

/* A key that the transaction read or wrote. */
typedef struct used {
    uint32_t key;
    bool is_read, is_written;
    int64_t revision; /* of its last change when it was read; 0: it did not exist */
    int64_t read, written;
} used;

typedef struct connection {
    iso_http http;
    used *keys;
    uint32_t n, room;
    int64_t revision; /* of the first read; 0: none yet */
    char *text;       /* a request that is being written */
    size_t size, text_room;
} connection;

/* ---- base64 ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes the base64 of a short text. */
static const char *encode(const char *text, char to[2 * NAME]) {
    size_t n = strlen(text), at = 0;
    for (size_t i = 0; i < n; i += 3) {
        unsigned b = (unsigned)(unsigned char)text[i] << 16;
        b |= i + 1 < n ? (unsigned)(unsigned char)text[i + 1] << 8 : 0;
        b |= i + 2 < n ? (unsigned)(unsigned char)text[i + 2] : 0;
        to[at++] = digits[b >> 18 & 63];
        to[at++] = digits[b >> 12 & 63];
        to[at++] = i + 1 < n ? digits[b >> 6 & 63] : '=';
        to[at++] = i + 2 < n ? digits[b & 63] : '=';
    }
    to[at] = '\0';
    return to;
}

/* Returns the number whose decimal text a base64 text has. */
static int64_t decode(const char *text) {
    char out[NAME + 3];
    size_t at = 0;
    unsigned b = 0, bits = 0;
    for (const char *p = text; *p != '\0' && *p != '=' && at < NAME; p++) {
        const char *d = strchr(digits, *p);
        b = b << 6 | (unsigned)(d == NULL ? 0 : d - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[at++] = (char)(b >> bits & 255);
        }
    }
    out[at] = '\0';
    return strtoll(out, NULL, 10);
}

static const char *name_of(const iso_connection *c, uint32_t key, char to[2 * NAME]) {
    char name[NAME];
    snprintf(name, sizeof name, "%s/%" PRIu32, c->db->table, key);
    return encode(name, to);
}

/* ---- requests ---- */

/* Returns the reason why a request failed: etcd's message in its answer, or why there is no answer (status 0). */
static const char *message_of(const iso_http *h, int status, char buffer[200]) {
    json_t *root = status == 0 ? NULL : json_loads(h->body, 0, NULL);
    const char *said = json_string_value(json_object_get(root, "error"));
    snprintf(buffer, 200, "%s", status == 0 ? h->why : said != NULL ? said : h->body);
    json_decref(root);
    return buffer;
}

static int64_t number(const json_t *o, const char *name) {
    const char *text = json_string_value(json_object_get(o, name));
    return text == NULL ? 0 : strtoll(text, NULL, 10);
}

/* Sends a request. Returns its answer, which the caller releases; NULL: there is none, and *did is the outcome. A
 * server without a leader, or at its time limit, may have done the request. */
static json_t *ask(iso_connection *c, const char *path, const char *request, iso_did *did) {
    connection *l = c->state;
    char said[200];
    int status = iso_http_post(&l->http, path, request);
    json_t *root = status == 200 ? json_loads(l->http.body, 0, NULL) : NULL;
    *did = ISO_DONE;
    if (root == NULL) {
        bool lost = status == 0 || status == 200 || status >= 500 || status == 408;
        *did = iso_because(c, lost ? ISO_LOST : ISO_FAILED, "%s", message_of(&l->http, status, said));
    }
    return root;
}

/* ---- the database ---- */

static void must(iso_database *db, const char *path, const char *request) {
    database *d = db->state;
    char said[200];
    int status = iso_http_post(&d->http, path, request);
    if (status != 200) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "etcd: %s", message_of(&d->http, status, said));
    }
}

static void open_database(iso_database *db) {
    database *d = db->state;
    if (db->server == NULL) {
        d->host = iso_arg_text(db->args, "host");
        d->port = (unsigned)iso_arg_count(db->args, "port");
    }
    if (!iso_http_connect(&d->http, db->pool, d->host, d->port, SECONDS)) {
        iso_throw(db->pool->env, ISOLAB_E_IO, "etcd at %s:%u: %s", d->host, d->port, d->http.why);
    }
    must(db, "/v3/maintenance/status", "{}");
    json_t *root = json_loads(d->http.body, 0, NULL);
    const char *version = json_string_value(json_object_get(root, "version"));
    snprintf(db->version, sizeof db->version, "%s", version != NULL ? version : "?");
    json_decref(root);
}

/* Removes the keys of the run: from `NAME/` up to the next name, `NAME0`. */
static void close_database(iso_database *db) {
    database *d = db->state;
    char name[NAME], from[2 * NAME], to[2 * NAME], request[5 * NAME];
    snprintf(name, sizeof name, "%s/", db->table);
    encode(name, from);
    snprintf(name, sizeof name, "%s0", db->table);
    snprintf(request, sizeof request, "{\"key\":\"%s\",\"range_end\":\"%s\"}", from, encode(name, to));
    if (d->http.pool != NULL && d->http.fd >= 0) {
        iso_http_post(&d->http, "/v3/kv/deleterange", request);
    }
    iso_http_close(&d->http);
}

static bool answers(void *arg) {
    iso_database *db = arg;
    database *d = db->state;
    iso_http h;
    bool yes = iso_http_connect(&h, db->pool, d->host, d->port, 5) &&
               iso_http_post(&h, "/v3/kv/range", "{\"key\":\"YQ==\"}") == 200;
    iso_http_close(&h);
    return yes;
}

static void spawn(iso_database *db) {
    database *d = db->state;
    iso_pool *pool = db->pool;
    const char *program = iso_server_program(pool, "etcd", NULL, "etcd-server");
    iso_server *s = db->server = iso_server_new(pool, "etcd", "etcd", db->place);
    char *clients = iso_alloc(pool, 64, 1), *peers = iso_alloc(pool, 64, 1), *cluster = iso_alloc(pool, 80, 1);
    d->host = "127.0.0.1";
    d->port = iso_server_port(s);
    snprintf(clients, 64, "http://127.0.0.1:%u", d->port);
    snprintf(peers, 64, "http://127.0.0.1:%u", iso_server_port(s));
    snprintf(cluster, 80, "one=%s", peers);
    const char *words[] = {program,
                           "--name",
                           "one",
                           "--data-dir",
                           iso_server_path(s, "data"),
                           "--listen-client-urls",
                           clients,
                           "--advertise-client-urls",
                           clients,
                           "--listen-peer-urls",
                           peers,
                           "--initial-advertise-peer-urls",
                           peers,
                           "--initial-cluster",
                           cluster,
                           NULL};
    iso_server_await(s, iso_server_start(s, words, SIGTERM), answers, db, "etcd");
}

static void reach(const iso_database *db, const char *argv[ISO_REACH]) {
    const database *d = db->state;
    iso_reach_port(db, d->port, argv);
}

/* ---- a connection ---- */

static iso_did connect_session(iso_connection *c) {
    connection *l = c->state;
    const database *d = c->db->state;
    return iso_http_connect(&l->http, c->pool, d->host, d->port, SECONDS) ? ISO_DONE
                                                                          : iso_because(c, ISO_LOST, "%s", l->http.why);
}

static void disconnect(iso_connection *c) {
    connection *l = c->state;
    iso_http_close(&l->http);
    *l = (connection){.n = 0};
}

static iso_did begin(iso_connection *c) {
    connection *l = c->state;
    l->n = 0;
    l->revision = 0;
    return ISO_DONE;
}

/* Returns the transaction's entry of a key, which it adds if it is missing. */
static used *entry(iso_connection *c, uint32_t key) {
    connection *l = c->state;
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->keys[i].key == key) {
            return &l->keys[i];
        }
    }
    ISO_GROW(c->pool, l->keys, l->n, l->room);
    l->keys[l->n] = (used){.key = key};
    return &l->keys[l->n++];
}

static iso_did read_value(iso_connection *c, uint32_t key, iso_cell *cell) {
    connection *l = c->state;
    used *u = entry(c, key);
    bool again = u->is_read && !iso_at_level(c->db, "read-committed");
    if (u->is_written || again) {
        cell->value = u->is_written ? u->written : u->read;
        return ISO_DONE;
    }
    char name[2 * NAME], request[4 * NAME];
    int64_t at = iso_at_level(c->db, "serializable") ? l->revision : 0; /* 0: the latest */
    snprintf(request, sizeof request, "{\"key\":\"%s\",\"revision\":\"%" PRId64 "\"}", name_of(c, key, name), at);
    iso_did did;
    json_t *root = ask(c, "/v3/kv/range", request, &did);
    if (root == NULL) {
        return did;
    }
    l->revision = l->revision != 0 ? l->revision : number(json_object_get(root, "header"), "revision");
    const json_t *kv = json_array_get(json_object_get(root, "kvs"), 0);
    const char *value = json_string_value(json_object_get(kv, "value"));
    u->is_read = true;
    u->revision = number(kv, "mod_revision");
    u->read = cell->value = value == NULL ? ISO_NO_VALUE : decode(value);
    json_decref(root);
    return ISO_DONE;
}

static iso_did write_value(iso_connection *c, uint32_t key, int64_t value) {
    used *u = entry(c, key);
    u->is_written = true;
    u->written = value;
    return ISO_DONE;
}

/* Adds to the request. */
static void add_text(iso_connection *c, const char *text) {
    connection *l = c->state;
    size_t n = strlen(text);
    while (l->size + n + 1 > l->text_room) {
        ISO_GROW(c->pool, l->text, l->text_room, l->text_room);
    }
    memcpy(l->text + l->size, text, n + 1);
    l->size += n;
}

static void write_request(iso_connection *c) {
    connection *l = c->state;
    char name[2 * NAME], number[NAME], value[2 * NAME], one[8 * NAME];
    const char *comma = "";
    l->size = 0;
    add_text(c, "{\"compare\":[");
    for (uint32_t i = 0; i < l->n && !iso_at_level(c->db, "read-committed"); i++) {
        if (l->keys[i].is_read) {
            snprintf(one, sizeof one,
                     "%s{\"key\":\"%s\",\"target\":\"MOD\",\"result\":\"EQUAL\",\"mod_revision\":\"%" PRId64 "\"}",
                     comma, name_of(c, l->keys[i].key, name), l->keys[i].revision);
            add_text(c, one);
            comma = ",";
        }
    }
    add_text(c, "],\"success\":[");
    comma = "";
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->keys[i].is_written) {
            snprintf(number, sizeof number, "%" PRId64, l->keys[i].written);
            snprintf(one, sizeof one, "%s{\"request_put\":{\"key\":\"%s\",\"value\":\"%s\"}}", comma,
                     name_of(c, l->keys[i].key, name), encode(number, value));
            add_text(c, one);
            comma = ",";
        }
    }
    add_text(c, "]}");
}

static iso_did commit(iso_connection *c) {
    connection *l = c->state;
    iso_did did;
    write_request(c);
    json_t *root = ask(c, "/v3/kv/txn", l->text, &did);
    if (root == NULL) {
        return did;
    }
    bool succeeded = json_is_true(json_object_get(root, "succeeded"));
    json_decref(root);
    return succeeded ? ISO_DONE : iso_because(c, ISO_REFUSED, "a key that was read has changed");
}

static iso_did give_up(iso_connection *c) {
    (void)c;
    return ISO_DONE;
}

/* Closes the connection under a thread that waits for an answer. */
static void cancel(iso_connection *c) {
    connection *l = c->state;
    if (l->http.pool != NULL && l->http.fd >= 0) {
        shutdown(l->http.fd, SHUT_RDWR);
    }
}

static const iso_offer levels[] = {
    {"serializable", "sser", "reads at one revision, and a commit on the condition that they are the latest"},
    {"repeatable-read", "ser", "reads of the latest revision, and a commit on the same condition"},
    {"read-committed", "rc", "reads of the latest revision, and a commit without a condition"},
    {NULL, NULL, NULL}};

static const iso_option options[] = {{ISO_TEXT("host", "127.0.0.1", "where the server runs")},
                                     {ISO_COUNT("port", "2379", 1, 65535, "the server's port for clients")},
                                     ISO_END};

const iso_collector iso_collector_etcd = {
    .name = "etcd",
    .title = "etcd",
    .summary = "transactions with conditions, by its HTTP gateway",
    .server = "etcd-server",
    .levels = levels,
    .options = options,
    ISO_COLLECTOR_USUAL,
    .spawn = spawn,
    .reach = reach,
    .faults = "kill pause",
    .answers = answers,
    .read = read_value,
    .write = write_value,
    .cancel = cancel,
};
