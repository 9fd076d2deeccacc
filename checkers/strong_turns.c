/* A first order for an execution: sessions take turns. See strong_execute.h. */
#include "checkers/strong_turns.h"

#include <string.h>

/* Operations to look ahead where memory is the delay. */
#define AHEAD 24

/* A key. Which one comes next cannot be foreseen: all that is asked of it lies together. */
typedef struct place {
    uint32_t version, write; /* what it holds, and the write; ISO_NONE */
    uint32_t left;           /* reads of that version still to come; 0 where it has several writers */
    uint32_t waiting;        /* the first session that waits for the key */
} place;

/* Sessions; each transaction is one where their order does not count. */
typedef struct turns {
    strong_execution *x;
    const isolab_history *h;
    place *key;
    uint32_t *readers;           /* by version: reads of it; 0 where it has several writers */
    uint32_t *next, *end;        /* by session: its transactions still to come. The first one is at hand */
    uint32_t *ready, head, tail; /* a ring of sessions whose transaction at hand may be tried, each once at most */
    uint32_t n_sessions;
    uint32_t *link;    /* by session: the next one that waits for the same */
    uint32_t *awaited; /* by transaction: the first session that waits for it to be executed */
    uint32_t *waited, w_head, w_tail; /* transactions that ever waited for a key, oldest first */
    uint8_t *has_waited;              /* by session: its transaction at hand has */
    bool impossible;
} turns;

static uint32_t session_of(const turns *r, uint32_t t) { return r->x->sessions ? r->h->txn_session[t] : t; }
static bool is_done(const turns *r, uint32_t t) { return t < r->next[session_of(r, t)]; }

static void push(turns *r, uint32_t s) {
    __builtin_prefetch(&r->x->access[r->h->txn_op[r->next[s]]]);
    r->ready[r->tail] = s;
    r->tail = r->tail == r->n_sessions ? 0 : r->tail + 1; /* one place more than sessions */
}

/* Those that wait, in one of the lists. */
static void wake(turns *r, uint32_t *first) {
    for (uint32_t s = *first, next; s != ISO_NONE; s = next) {
        next = r->link[s];
        push(r, s);
    }
    *first = ISO_NONE;
}

static void wait_in(turns *r, uint32_t s, uint32_t *first) {
    r->link[s] = *first;
    *first = s;
}

__attribute__((noinline)) static void count_readers(turns *r) {
    const isolab_history *h = r->h;
    const strong_access *access = r->x->access;
    uint32_t *readers = r->readers, last = h->n_ops - 1;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(r->x->pool->env);
        for (uint32_t o = h->txn_op[t], end = h->txn_counts[t] == ISO_IN ? h->txn_op[t + 1] : o; o < end; o++) {
            __builtin_prefetch(&readers[strong_version_of(access[last - o > AHEAD ? o + AHEAD : last])], 1);
            readers[strong_version_of(access[o])] += strong_writes(access[o]) ^ 1;
        }
    }
    for (uint32_t v = 0; !h->unique && v < h->n_versions; v++) {
        readers[v] = h->version_writer[v] == ISO_MANY ? 0 : readers[v];
    }
}

/* May operations [o, end) of a transaction be executed without harm? Nearly always one look tells. */
static bool are_free(const strong_access *access, const place *key, uint32_t o, uint32_t end) {
    uint32_t trouble = 0;
    for (; o < end; o++) {
        strong_access a = access[o];
        const place *p = &key[strong_key_of(a)];
        uint32_t writes = strong_writes(a);
        trouble |= (p->left & (0 - writes)) | ((p->version ^ strong_version_of(a)) & (writes - 1));
    }
    return trouble == 0;
}

/* The write of its key before a read, in the same transaction, whose operations begin at first; ISO_NONE. */
static uint32_t own_write(const strong_access *access, uint32_t read, uint32_t first) {
    for (uint32_t o = read; o-- > first;) {
        if (strong_writes(access[o]) && strong_key_of(access[o]) == strong_key_of(access[read])) {
            return o;
        }
    }
    return ISO_NONE;
}

/* A read of another version than its key holds: whom it must wait for (a transaction), or ISO_NONE. */
static uint32_t writer_to_come(turns *r, uint32_t t, uint32_t read) {
    uint32_t writer = r->h->op_writer[read];
    if (writer == ISO_INIT || writer == ISO_MANY) {
        return ISO_NONE;
    }
    uint32_t u = writer == ISO_NONE ? t : r->h->op_txn[writer];
    r->impossible |= u == t || r->h->txn_counts[u] != ISO_IN;
    return r->impossible || is_done(r, u) ? ISO_NONE : u;
}

/* Are there reads of what its key holds, which t would overwrite, in other transactions? */
static bool hurts(const turns *r, uint32_t t, const place *p) {
    uint32_t left = p->left;
    for (uint32_t o = r->h->txn_op[t]; left > 0 && o < r->h->txn_op[t + 1]; o++) {
        left -= strong_version_of(r->x->access[o]) == p->version && !strong_writes(r->x->access[o]);
    }
    return left > 0;
}

/* Whether the transaction at hand of a session may go on, each operation looked at; if not, it waits: for who wrote
 * what it reads, before all else. */
static bool look_closely(turns *r, uint32_t s) {
    const strong_access *access = r->x->access;
    uint32_t t = r->next[s], first = r->h->txn_op[t];
    place *blocked = NULL;
    for (uint32_t o = first; o < r->h->txn_op[t + 1]; o++) {
        place *p = &r->key[strong_key_of(access[o])];
        if (strong_writes(access[o])) {
            blocked = blocked == NULL && hurts(r, t, p) ? p : blocked;
            continue;
        }
        if (p->version == strong_version_of(access[o])) {
            continue;
        }
        uint32_t own = own_write(access, o, first);
        if (own != ISO_NONE) {
            r->impossible |= strong_version_of(access[own]) != strong_version_of(access[o]);
            continue;
        }
        uint32_t u = writer_to_come(r, t, o);
        if (u != ISO_NONE) {
            wait_in(r, s, &r->awaited[u]);
            return false;
        }
        blocked = r->h->op_writer[o] == ISO_MANY ? p : blocked;
    }
    if (blocked == NULL) {
        return true;
    }
    wait_in(r, s, &blocked->waiting);
    if (!r->has_waited[s]) {
        r->has_waited[s] = 1;
        r->waited[r->w_tail++] = t;
    }
    return false;
}

/* Its transaction at hand waits no longer for a key. */
static void stop_waiting(turns *r, uint32_t s) {
    uint32_t t = r->next[s];
    for (uint32_t o = r->h->txn_op[t]; o < r->h->txn_op[t + 1]; o++) {
        for (uint32_t *at = &r->key[strong_key_of(r->x->access[o])].waiting; *at != ISO_NONE; at = &r->link[*at]) {
            if (*at == s) {
                *at = r->link[s];
                return;
            }
        }
    }
}

/* The session that goes on; ISO_NONE: none can. */
static uint32_t choose(turns *r) {
    while (r->head != r->tail) {
        uint32_t s = r->ready[r->head];
        r->head = r->head == r->n_sessions ? 0 : r->head + 1;
        uint32_t t = r->next[s];
        if (are_free(r->x->access, r->key, r->h->txn_op[t], r->h->txn_op[t + 1]) || look_closely(r, s)) {
            return s;
        }
    }
    while (r->w_head < r->w_tail && is_done(r, r->waited[r->w_head])) {
        r->w_head++;
    }
    if (r->w_head == r->w_tail) {
        return ISO_NONE;
    }
    uint32_t s = session_of(r, r->waited[r->w_head]);
    stop_waiting(r, s);
    return s;
}

/* Executes operations [o, end) of a transaction, and wakes those who waited for a key. */
__attribute__((noinline)) static void execute(turns *r, uint32_t o, uint32_t end) {
    strong_execution *x = r->x;
    const strong_access *access = x->access;
    const uint32_t *readers = r->readers;
    uint32_t *before = x->before;
    place *key = r->key;
    for (; o < end; o++) {
        strong_access a = access[o];
        place *p = &key[strong_key_of(a)];
        uint32_t version = strong_version_of(a), writes = strong_writes(a), left = p->left;
        uint32_t same = p->version == version, all = readers[writes ? version : 0];
        before[o] = p->write;
        p->left = writes ? all : left - (same & (left != 0));
        p->write = writes ? o : p->write;
        if (!(same | writes)) {
            strong_note_wrong(x, o);
            continue;
        }
        p->version = version;
        if (p->waiting != ISO_NONE && (writes || left == 1)) {
            wake(r, &p->waiting);
        }
    }
}

static void skip_absent(turns *r, uint32_t s) {
    while (r->next[s] < r->end[s] && r->h->txn_counts[r->next[s]] != ISO_IN) {
        r->next[s]++;
    }
}

static void begin(turns *r) {
    const strong_execution *x = r->x;
    const isolab_history *h = r->h;
    iso_pool *pool = x->pool;
    r->n_sessions = x->sessions ? h->n_sessions : h->n_txns;
    r->key = ISO_NEW(pool, place, h->n_keys);
    r->readers = ISO_ZNEW(pool, uint32_t, h->n_versions);
    r->next = ISO_NEW(pool, uint32_t, r->n_sessions);
    r->end = ISO_NEW(pool, uint32_t, r->n_sessions);
    r->ready = ISO_NEW(pool, uint32_t, (size_t)r->n_sessions + 1);
    r->link = ISO_NEW(pool, uint32_t, r->n_sessions);
    r->has_waited = ISO_ZNEW(pool, uint8_t, r->n_sessions);
    r->awaited = ISO_NEW(pool, uint32_t, h->n_txns);
    memset(r->awaited, 0xff, (size_t)h->n_txns * sizeof *r->awaited);
    r->waited = ISO_NEW(pool, uint32_t, h->n_txns);
    count_readers(r);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        uint32_t v = x->initial[k];
        r->key[k] = (place){v, ISO_NONE, v == ISO_NONE ? 0 : r->readers[v], ISO_NONE};
    }
    for (uint32_t s = 0; s < r->n_sessions; s++) {
        r->next[s] = x->sessions ? h->session_txn[s] : s;
        r->end[s] = x->sessions ? h->session_txn[s + 1] : s + 1;
        skip_absent(r, s);
        if (r->next[s] < r->end[s]) {
            push(r, s);
        }
    }
}

bool strong_execute_first(strong_execution *x) {
    turns r = {.x = x, .h = x->h};
    begin(&r);
    for (uint32_t s; x->n_wrong <= x->most && !r.impossible && (s = choose(&r)) != ISO_NONE;) {
        uint32_t t = r.next[s];
        iso_tick(x->pool->env);
        x->txn[x->n++] = t;
        execute(&r, r.h->txn_op[t], r.h->txn_op[t + 1]);
        r.next[s]++;
        r.has_waited[s] = 0;
        skip_absent(&r, s);
        if (r.next[s] < r.end[s]) {
            push(&r, s);
        }
        wake(&r, &r.awaited[t]);
    }
    bool all = !r.impossible && x->n_wrong <= x->most;
    for (uint32_t s = 0; s < r.n_sessions; s++) {
        all = all && r.next[s] == r.end[s];
    }
    void *blocks[] = {r.key, r.readers, r.next, r.end, r.ready, r.link, r.has_waited, r.awaited, r.waited};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(x->pool, blocks[i]);
    }
    return all;
}
