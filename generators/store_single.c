/* Stores of one copy: sser, lser, ser, si, pc, rc. See store.h.
 *
 * - sser: when the transaction commits, every key read must still have the version seen. So the whole transaction could
 *   have happened at the commit.
 * - ser: multi-version timestamp ordering. A transaction takes its timestamp when it begins, from its session's clock,
 *   which lags (unless the transaction updates a key that it reads, since a stale value would only make it abort). It
 *   reads the latest versions up to the timestamp, and marks them as read. Its writes go between versions by timestamp,
 *   unless the previous version was read later. Then the transaction moves to a current timestamp, if the versions that
 *   it read are still current; otherwise it aborts. The order of timestamps is a serial order, and contains session
 *   order since a session's timestamps grow.
 * - lser: the same. In addition, the timestamp is above the timestamps of all transactions that accessed a key of it
 *   and had committed when it began. So the order of timestamps contains real time for each key, but transactions
 *   without a common key may be out of order.
 * - si: a transaction aborts if a key that it writes was written since its begin.
 * - pc: no transaction aborts. rc: no transaction aborts, and reads are made one by one. */
#include "generators/store_internal.h"

/* Returns a new timestamp. The client's number makes timestamps unique (ser, lser). */
static uint64_t new_timestamp(iso_store *s, iso_client *c, uint32_t client) {
    uint64_t lag = c->attempts > 1 || c->updates ? 0 : c->lag; /* a conflict corrects the clock */
    uint64_t clock = ++s->commits > lag ? s->commits - lag : 1;
    uint64_t latest = c->latest;
    for (uint32_t i = 0; s->touched != NULL && i < c->program.n; i++) {
        uint64_t touched = s->touched[c->program.op[i].key];
        latest = touched > latest ? touched : latest;
    }
    uint64_t least = latest / s->n_clients + 1;
    c->latest = (clock > least ? clock : least) * s->n_clients + client;
    return c->latest;
}

void iso_single_begin(iso_store *s, uint32_t client) {
    iso_client *c = &s->client[client];
    c->snapshot = iso_store_stamped(s) ? new_timestamp(s, c, client) : s->commits;
}

/* Returns the latest version up to a timestamp. Clocks lag little, so it is near the end of the chain. */
static uint32_t version_before(const iso_store *s, uint32_t key, uint64_t timestamp) {
    uint32_t v = s->current[key];
    while (s->at[v] > timestamp) {
        v = s->prev[v];
    }
    return v;
}

uint32_t iso_single_read(iso_store *s, iso_client *c, uint32_t key) {
    if (!iso_store_stamped(s)) {
        return s->current[key];
    }
    uint32_t v = version_before(s, key, c->snapshot);
    if (s->read_at[v] < c->snapshot) {
        s->read_at[v] = c->snapshot;
    }
    return v;
}

/* Returns whether this operation lets its transaction commit. */
static bool valid(const iso_store *s, const iso_client *c, const iso_intent *op, const iso_trace *t) {
    if (op->kind == ISO_LIST_READ && t->own != ISO_NONE && s->current[op->key] != t->seen) {
        return false; /* its own elements would not follow the elements that it saw */
    }
    switch (s->level) {
    case ISO_SSER:
        return t->seen == ISO_NONE || s->current[op->key] == t->seen;
    case ISO_SER:
    case ISO_LSER:
        if (!t->last) {
            return true;
        }
        uint32_t before = version_before(s, op->key, c->snapshot);
        /* an element in the middle of a list would change the lists to which later elements were appended */
        return s->read_at[before] <= c->snapshot && (op->kind != ISO_APPEND || before == s->current[op->key]);
    case ISO_SI:
        return !t->last || s->at[s->current[op->key]] <= c->snapshot;
    default:
        return true;
    }
}

/* Inserts a version into its key's chain: at the end, or (ser, lser) by its timestamp. */
static void insert(iso_store *s, uint32_t key, int64_t value, uint64_t at) {
    uint32_t after = ISO_NONE, before = s->current[key];
    while (s->at[before] > at) {
        after = before;
        before = s->prev[before];
    }
    uint32_t v = iso_store_version(s, key, value, at, before);
    if (after == ISO_NONE) {
        s->current[key] = v;
    } else {
        s->prev[after] = v;
    }
}

static bool all_valid(const iso_store *s, const iso_client *c) {
    for (uint32_t i = 0; i < c->program.n; i++) {
        if (!valid(s, c, &c->program.op[i], &c->trace[i])) {
            return false;
        }
    }
    return true;
}

/* ser, lser: moves to a later timestamp at which every read returns the same. Returns whether that is possible. */
static bool move_to_now(iso_store *s, iso_client *c, uint32_t client) {
    const iso_program *p = &c->program;
    c->attempts++; /* from now on its clock does not lag */
    uint64_t now = new_timestamp(s, c, client);
    c->attempts--;
    for (uint32_t i = 0; i < p->n; i++) {
        if (c->trace[i].seen != ISO_NONE && version_before(s, p->op[i].key, now) != c->trace[i].seen) {
            return false;
        }
    }
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t seen = c->trace[i].seen;
        if (seen != ISO_NONE && s->read_at[seen] < now) {
            s->read_at[seen] = now;
        }
    }
    c->snapshot = now;
    return all_valid(s, c);
}

bool iso_single_commit(iso_store *s, uint32_t client) {
    iso_client *c = &s->client[client];
    const iso_program *p = &c->program;
    if (!all_valid(s, c) && (!iso_store_stamped(s) || !move_to_now(s, c, client))) {
        return false;
    }
    uint64_t at = iso_store_stamped(s) ? c->snapshot : ++s->commits;
    for (uint32_t i = 0; i < p->n; i++) {
        if (c->trace[i].last) {
            insert(s, p->op[i].key, c->trace[i].value, at);
        }
        if (s->touched != NULL) {
            uint64_t *touched = &s->touched[p->op[i].key];
            *touched = at > *touched ? at : *touched;
        }
    }
    return true;
}
