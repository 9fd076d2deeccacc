/* A database to begin with, and how it is recorded: an array in the memory of this process. It is deterministic: what
 * it answers depends only on the order of the calls. To make another one of it:
 *
 *     sed 's/skeleton/mine/g' examples/skeleton_collector.c >collectors/mine.c
 *     echo 'COLLECTOR(mine)' >>collectors/collectors.def
 *     make && build/isolab collect mine -w mini -o h.jsonl && build/isolab check h.jsonl
 *     build/isolab matrix mine
 *
 * A transaction reads committed values, and keeps its own writes until it commits. At serializable the commit is
 * refused if a value that it read is not the newest one any more. A collector of a database with a library or a server
 * needs more: collectors/lmdb.c, collectors/postgres.c. */
#include <pthread.h>
#include <stdio.h>

#include "collectors/collector.h"

static const iso_offer levels[] = {
    {"serializable", "sser", "the default: a commit is refused if a value that was read has changed"},
    {"read-committed", "rc", "reads return committed values, and no commit is refused"},
    {NULL, NULL, NULL}};

typedef struct stored {
    int64_t value;
    uint64_t changes; /* number of commits that wrote it */
} stored;

typedef struct database {
    pthread_mutex_t lock;
    stored *keys; /* NULL: not open */
} database;

/* A read of a stored value, or a write. */
typedef struct step {
    uint32_t key;
    bool writes;
    stored what; /* of a write: the value */
} step;

typedef struct connection {
    step *steps; /* of the running transaction */
    uint32_t n, room;
} connection;

static void open_database(iso_database *db) {
    database *d = db->state;
    snprintf(db->version, sizeof db->version, "1");
    pthread_mutex_init(&d->lock, NULL);
    d->keys = ISO_ZNEW(db->pool, stored, db->n_keys); /* the pool ends the work at the limit of memory */
    for (uint64_t k = 0; k < db->n_keys; k++) {
        d->keys[k].value = ISO_NO_VALUE;
    }
}

static void close_database(iso_database *db) {
    database *d = db->state;
    if (d->keys != NULL) {
        pthread_mutex_destroy(&d->lock);
    }
}

static iso_did connect_session(iso_connection *c) {
    (void)c;
    return ISO_DONE; /* a database that does not answer: ISO_LOST, and the driver tries again */
}

static void disconnect(iso_connection *c) { (void)c; }

static iso_did begin(iso_connection *c) {
    ((connection *)c->state)->n = 0;
    return ISO_DONE;
}

static void note(iso_connection *c, step s) {
    connection *m = c->state;
    ISO_GROW(c->pool, m->steps, m->n, m->room);
    m->steps[m->n++] = s;
}

static iso_did read_key(iso_connection *c, uint32_t key, iso_cell *cell) {
    database *d = c->db->state;
    connection *m = c->state;
    for (uint32_t i = m->n; i-- > 0;) {
        if (m->steps[i].writes && m->steps[i].key == key) {
            cell->value = m->steps[i].what.value;
            return ISO_DONE;
        }
    }
    pthread_mutex_lock(&d->lock);
    stored now = d->keys[key];
    pthread_mutex_unlock(&d->lock);
    note(c, (step){.key = key, .what = now});
    cell->value = now.value;
    return ISO_DONE;
}

static iso_did write_key(iso_connection *c, uint32_t key, int64_t value) {
    note(c, (step){.key = key, .writes = true, .what = {.value = value}});
    return ISO_DONE;
}

static iso_did commit(iso_connection *c) {
    database *d = c->db->state;
    const connection *m = c->state;
    bool good = true;
    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; i < m->n && iso_at_level(c->db, "serializable"); i++) {
        const step *s = &m->steps[i];
        good &= s->writes || s->what.changes == d->keys[s->key].changes;
    }
    for (uint32_t i = 0; i < m->n && good; i++) {
        const step *s = &m->steps[i];
        if (s->writes) {
            d->keys[s->key] = (stored){s->what.value, d->keys[s->key].changes + 1};
        }
    }
    pthread_mutex_unlock(&d->lock);
    return good ? ISO_DONE : iso_because(c, ISO_REFUSED, "a value that was read has changed");
}

static iso_did give_up(iso_connection *c) { return begin(c); }

const iso_collector iso_collector_skeleton = {
    .name = "skeleton",
    .title = "Skeleton",
    .summary = "an array in memory; commits that read old values are refused",
    .levels = levels,
    ISO_COLLECTOR_USUAL,
    .read = read_key,
    .write = write_key,
};
