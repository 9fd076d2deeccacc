/* Replicated stores: cc and ra. See store.h.
 *
 * Each client stays at one replica. A transaction reads its replica's state at its begin, commits there with a Lamport
 * timestamp, and is sent to the other replicas, which apply it as a whole: of two versions of a key the one with the
 * larger timestamp stays. So the order of timestamps is a commit order, and the two levels differ only in the order of
 * delivery:
 *
 * - cc: a transaction waits for all transactions that its replica had applied when it committed (a vector of counts).
 * - ra: in any order, so a transaction may arrive before one that it depends on. */
#include "base/random.h"
#include "generators/store_internal.h"

void iso_replicas_init(iso_store *s, uint32_t n, uint64_t lag) {
    iso_replicas *r = &s->replicas;
    uint32_t n_keys = (uint32_t)s->workload->n_keys;
    r->n = n;
    r->lag = lag;
    r->current = iso_alloc(s->pool, (size_t)n * n_keys, sizeof *r->current);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n_keys; k++) {
            r->current[(size_t)i * n_keys + k] = k;
        }
    }
    r->clock = ISO_ZNEW(s->pool, uint64_t, n);
    r->applied = ISO_ZNEW(s->pool, uint32_t, (size_t)n * n);
    r->log = ISO_ZNEW(s->pool, uint32_t *, n);
    r->log_n = ISO_ZNEW(s->pool, uint32_t, n);
    r->log_room = ISO_ZNEW(s->pool, uint32_t, n);
    r->waiting = ISO_ZNEW(s->pool, uint32_t *, n);
    r->waiting_n = ISO_ZNEW(s->pool, uint32_t, n);
    r->waiting_room = ISO_ZNEW(s->pool, uint32_t, n);
}

uint32_t iso_replicas_read(const iso_store *s, uint32_t client, uint32_t key) {
    return s->replicas.current[(size_t)(client % s->replicas.n) * s->workload->n_keys + key];
}

uint64_t iso_replicas_tick(iso_store *s, uint32_t client) {
    uint32_t home = client % s->replicas.n;
    return ++s->replicas.clock[home] * s->replicas.n + home;
}

static void apply(iso_store *s, uint32_t replica, uint32_t txn) {
    iso_replicas *r = &s->replicas;
    uint32_t end = txn + 1 < r->n_txns ? r->version[txn + 1] : s->n_versions;
    for (uint32_t v = r->version[txn]; v < end; v++) {
        uint32_t *current = &r->current[(size_t)replica * s->workload->n_keys + s->version_key[v]];
        if (s->at[*current] < s->at[v]) {
            *current = v;
        }
        uint64_t clock = s->at[v] / r->n;
        r->clock[replica] = r->clock[replica] < clock ? clock : r->clock[replica];
    }
}

/* cc: applies one deliverable transaction, which is one whose dependencies are all applied. The undelivered transaction
 * with the smallest timestamp is always deliverable. */
static void deliver_causally(iso_store *s, uint32_t replica) {
    iso_replicas *r = &s->replicas;
    uint32_t *applied = &r->applied[(size_t)replica * r->n];
    uint32_t first = (uint32_t)iso_random_below(&s->rng, r->n);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t origin = (first + i) % r->n;
        if (applied[origin] == r->log_n[origin]) {
            continue;
        }
        uint32_t txn = r->log[origin][applied[origin]];
        const uint32_t *needs = &r->needs[(size_t)txn * r->n];
        bool ready = true;
        for (uint32_t o = 0; o < r->n; o++) {
            ready = ready && needs[o] <= applied[o];
        }
        if (ready) {
            apply(s, replica, txn);
            applied[origin]++;
            r->waiting_n[replica]--;
            return;
        }
    }
}

/* ra: applies any transaction. */
static void deliver_anyhow(iso_store *s, uint32_t replica) {
    iso_replicas *r = &s->replicas;
    uint32_t *waiting = r->waiting[replica];
    uint32_t i = (uint32_t)iso_random_below(&s->rng, r->waiting_n[replica]);
    uint32_t txn = waiting[i];
    waiting[i] = waiting[--r->waiting_n[replica]];
    apply(s, replica, txn);
}

static void deliver_down_to(iso_store *s, uint32_t replica, uint64_t most) {
    while (s->replicas.waiting_n[replica] > most) {
        if (s->level == ISO_CC) {
            deliver_causally(s, replica);
        } else {
            deliver_anyhow(s, replica);
        }
    }
}

void iso_replicas_sync(iso_store *s) {
    for (uint32_t i = 0; i < s->replicas.n; i++) {
        deliver_down_to(s, i, 0);
    }
}

void iso_replicas_publish(iso_store *s, uint32_t client, uint32_t first) {
    iso_replicas *r = &s->replicas;
    uint32_t home = client % r->n, txn = r->n_txns++;
    ISO_GROW(s->pool, r->version, txn, r->txns_room);
    ISO_GROW(s->pool, r->origin, txn, r->origin_room);
    r->version[txn] = first;
    r->origin[txn] = home;
    apply(s, home, txn);
    if (s->level == ISO_CC) {
        if (txn >= r->needs_room) {
            r->needs_room = r->needs_room == 0 ? 1024 : 2 * r->needs_room;
            r->needs = iso_resize(s->pool, r->needs, (size_t)r->needs_room * r->n, sizeof *r->needs);
        }
        for (uint32_t o = 0; o < r->n; o++) {
            r->needs[(size_t)txn * r->n + o] = r->applied[(size_t)home * r->n + o];
        }
        ISO_GROW(s->pool, r->log[home], r->log_n[home], r->log_room[home]);
        r->log[home][r->log_n[home]++] = txn;
        r->applied[(size_t)home * r->n + home]++;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        if (i == home) {
            continue;
        }
        if (s->level == ISO_RA) {
            ISO_GROW(s->pool, r->waiting[i], r->waiting_n[i], r->waiting_room[i]);
            r->waiting[i][r->waiting_n[i]] = txn;
        }
        r->waiting_n[i]++;
        deliver_down_to(s, i, iso_random_below(&s->rng, 2 * r->lag + 1));
    }
}

void iso_replicas_commit(iso_store *s, uint32_t client) {
    const iso_client *c = &s->client[client];
    uint32_t first = s->n_versions;
    uint64_t at = iso_replicas_tick(s, client);
    for (uint32_t i = 0; i < c->program.n; i++) {
        if (c->trace[i].last) {
            iso_store_version(s, c->program.op[i].key, c->trace[i].value, at, ISO_NONE);
        }
    }
    if (s->n_versions > first) {
        iso_replicas_publish(s, client, first);
    }
}
