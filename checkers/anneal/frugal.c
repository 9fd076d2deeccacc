/* Stages `frugal` and `thrifty`: a serial order of a history of few keys whose values repeat, in many short sessions.
 * In such a history nearly every order of two transactions is possible, so edges say little; but the values that the
 * keys hold decide which transactions may be next.
 *
 * The history is executed: a transaction is ready if it is the next one of its session and every read returns what its
 * key holds. A ready transaction that does not write is executed at once, which is never a mistake. If all ready
 * transactions write, one of them must change the value of a key, and so end a chance of all reads that wait for the
 * old value. A value has as many chances as remaining transactions write it, and one more while its key holds it. The
 * transaction is chosen that increases a sum least: the sum of (waiting reads / chances)^2 over all values of the keys
 * that it writes. A transaction that would leave a value with waiting reads and no chance is never chosen.
 *
 * Stage `thrifty` compares more transactions. It also counts how many waiting
 * transactions that do not write become ready: with many values, two reads of one transaction rarely agree at the same
 * time, so each write should release such a reader.
 *
 * A step is never undone: if no transaction is ready, another attempt begins, and after the last one the stage decides
 * nothing. Each change of a key takes time in proportion to the reads that wait for the old or the new value, and each
 * choice compares a limited number of transactions; if more are ready, random ones. Further attempts compare fewer, so
 * that they make other choices. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/sort.h"
#include "checkers/anneal/anneal.h"

/* All attempts together execute at most this many times the transactions of the history. */
#define EFFORT 4

typedef struct frugal {
    const iso_annealing *of;
    const isolab_history *h;
    iso_pool pool;
    uint32_t *held;              /* by key: the version that it holds */
    uint32_t *first, *read;      /* by version: reads that wait for it, read[first[v] .. first[v] + waiting[v]) */
    uint32_t *place;             /* by operation: its index in `read` */
    uint32_t *waiting, *writers; /* by version: remaining reads from outside their transaction, and writers */
    uint32_t *missing;           /* by transaction: waiting reads of which the key holds another version */
    uint8_t *role, *writes;      /* by operation; by transaction: it writes */
    uint32_t *ready, n_ready;    /* writers that may be next */
    uint32_t *at;                /* by transaction: its place in ready; ISO_NONE: none */
    uint32_t *queue, n_queue;    /* readers that may be next */
    uint32_t *order, n, all;     /* the n executed transactions; the number of included transactions */
    iso_rng rng;
    uint32_t candidates;
    bool thrifty; /* prefers values that release readers */
    bool impossible, found;
} frugal;

/* Roles of operations: without relation to other transactions; a read from another transaction; the transaction's last
 * write of a key. */
enum { INSIDE, FROM_OUTSIDE, LAST_WRITE };

static uint32_t session_of(const frugal *f, uint32_t t) { return f->of->sessions ? f->h->txn_session[t] : t; }

/* Sets the roles of the operations of a transaction, and counts its reads and writes. */
static void prepare(frugal *f, uint32_t t) {
    const isolab_history *h = f->h;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t own = iso_write_before(h, o);
        if (h->op_kind[o] == ISO_READ) {
            f->role[o] = own == ISO_NONE ? FROM_OUTSIDE : INSIDE;
            f->impossible |= own != ISO_NONE && h->op_version[own] != h->op_version[o];
            f->waiting[h->op_version[o]] += own == ISO_NONE;
            continue;
        }
        if (own != ISO_NONE) {
            f->role[own] = INSIDE;
            f->writers[h->op_version[own]]--;
        }
        f->role[o] = LAST_WRITE;
        f->writers[h->op_version[o]]++;
        f->writes[t] = 1;
    }
    f->all++;
}

/* Makes a transaction ready if it is the next one of its session and its reads return the values that its keys hold.
 * at[t] is ISO_INIT as long as it is not the next one. */
static void offer(frugal *f, uint32_t t) {
    if (f->missing[t] > 0 || f->at[t] != ISO_NONE) {
        return;
    }
    f->at[t] = f->writes[t] ? f->n_ready : ISO_INIT;
    if (f->writes[t]) {
        f->ready[f->n_ready++] = t;
    } else {
        f->queue[f->n_queue++] = t;
    }
}

static void withdraw(frugal *f, uint32_t t) {
    if (f->at[t] < f->n_ready) {
        uint32_t last = f->ready[--f->n_ready];
        f->ready[f->at[t]] = last;
        f->at[last] = f->at[t];
        f->at[t] = ISO_NONE;
    }
}

static void hold(frugal *f, uint32_t key, uint32_t version) {
    uint32_t old = f->held[key];
    if (old == version) {
        return;
    }
    f->held[key] = version;
    for (uint32_t i = 0; old != ISO_NONE && i < f->waiting[old]; i++) {
        uint32_t t = f->h->op_txn[f->read[f->first[old] + i]];
        f->missing[t]++;
        withdraw(f, t);
    }
    for (uint32_t i = 0; i < f->waiting[version]; i++) {
        uint32_t t = f->h->op_txn[f->read[f->first[version] + i]];
        f->missing[t]--;
        offer(f, t);
    }
    iso_tick_steps(f->pool.env, f->waiting[version] + (old == ISO_NONE ? 0 : f->waiting[old]) + 1);
}

/* Removes a read that was executed from the waiting reads. */
static void forget(frugal *f, uint32_t o) {
    uint32_t v = f->h->op_version[o], last = f->read[f->first[v] + --f->waiting[v]];
    f->read[f->place[o]] = last;
    f->place[last] = f->place[o];
}

static void execute(frugal *f, uint32_t t) {
    const isolab_history *h = f->h;
    withdraw(f, t);
    f->at[t] = ISO_INIT;
    f->order[f->n++] = t;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (f->role[o] == FROM_OUTSIDE) {
            forget(f, o);
        }
    }
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (f->role[o] == LAST_WRITE) {
            f->writers[h->op_version[o]]--;
            hold(f, h->op_key[o], h->op_version[o]);
        }
    }
    uint32_t next = t + 1;
    while (next < h->n_txns && session_of(f, next) == session_of(f, t) && h->txn_counts[next] != ISO_INCLUDED) {
        next++;
    }
    if (next < h->n_txns && session_of(f, next) == session_of(f, t)) {
        f->at[next] = ISO_NONE;
        offer(f, next);
    }
}

static double danger(uint32_t waiting, uint32_t chances) {
    double share = (double)waiting / chances;
    return waiting == 0 ? 0 : chances == 0 ? INFINITY : share * share;
}

/* Returns how many transactions that do not write are ready as soon as their key holds this version. */
static uint32_t releases(const frugal *f, uint32_t version) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->waiting[version]; i++) {
        uint32_t t = f->h->op_txn[f->read[f->first[version] + i]];
        n += f->missing[t] == 1 && !f->writes[t] && f->at[t] == ISO_NONE;
    }
    return n;
}

/* Returns the increase of the sum if a ready transaction is executed. */
static double cost(const frugal *f, uint32_t t) {
    const isolab_history *h = f->h;
    double sum = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t key = h->op_key[o], old = f->held[key], reads = 0;
        if (f->role[o] != LAST_WRITE || old == ISO_NONE) {
            continue; /* what was a writer to come is now what the key holds: as many chances */
        }
        for (uint32_t p = h->txn_op[t]; p < o; p++) {
            reads += f->role[p] == FROM_OUTSIDE && h->op_key[p] == key;
        }
        sum += danger(f->waiting[old] - reads, f->writers[old]) - danger(f->waiting[old], f->writers[old] + 1);
        sum -= f->thrifty && old != h->op_version[o] ? releases(f, h->op_version[o]) : 0;
    }
    return sum;
}

/* Returns the ready transaction of least cost; ISO_NONE: each would leave a read without any chance. */
static uint32_t choose(frugal *f) {
    uint32_t best = ISO_NONE, n = f->n_ready < f->candidates ? f->n_ready : f->candidates;
    double least = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = n == f->n_ready ? i : (uint32_t)iso_random_below(&f->rng, f->n_ready);
        double now = cost(f, f->ready[at]);
        if (now < least) {
            least = now;
            best = f->ready[at];
        }
    }
    iso_tick_steps(f->pool.env, n + 1);
    return best;
}

static void begin(frugal *f) {
    const isolab_history *h = f->h;
    iso_pool *pool = &f->pool;
    f->held = ISO_NEW_NONE(pool, h->n_keys);
    f->waiting = ISO_ZNEW(pool, uint32_t, h->n_versions);
    f->writers = ISO_ZNEW(pool, uint32_t, h->n_versions);
    f->missing = ISO_ZNEW(pool, uint32_t, h->n_txns);
    f->role = ISO_ZNEW(pool, uint8_t, h->n_ops);
    f->writes = ISO_ZNEW(pool, uint8_t, h->n_txns);
    f->place = ISO_NEW(pool, uint32_t, h->n_ops);
    f->ready = ISO_NEW(pool, uint32_t, h->n_txns);
    f->queue = ISO_NEW(pool, uint32_t, h->n_txns);
    f->at = ISO_NEW(pool, uint32_t, h->n_txns);
    f->order = ISO_NEW(pool, uint32_t, h->n_txns);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_initial(h, v)) {
            f->held[h->version_key[v]] = v;
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(pool->env);
        f->at[t] = ISO_INIT;
        if (h->txn_counts[t] == ISO_INCLUDED) {
            prepare(f, t);
        }
    }
    uint32_t *version = ISO_NEW(pool, uint32_t, h->n_ops); /* of reads that wait */
    for (uint32_t o = 0; o < h->n_ops; o++) {
        bool waits = f->role[o] == FROM_OUTSIDE;
        version[o] = waits ? h->op_version[o] : ISO_NONE;
        f->missing[h->op_txn[o]] += waits && f->held[h->op_key[o]] != h->op_version[o];
    }
    f->read = iso_sorted_into(pool, version, h->n_ops, h->n_versions, &f->first);
    for (uint32_t i = 0; i < f->first[h->n_versions]; i++) {
        f->place[f->read[i]] = i;
    }
    iso_free(pool, version);
}

static void find_frugal(void *arg) {
    frugal *f = arg;
    const isolab_history *h = f->h;
    begin(f);
    uint32_t session = ISO_NONE;
    for (uint32_t t = 0; t < h->n_txns && !f->impossible; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED && session_of(f, t) != session) {
            session = session_of(f, t);
            f->at[t] = ISO_NONE;
            offer(f, t);
        }
    }
    while (!f->impossible && f->n < f->all) {
        uint32_t t = f->n_queue > 0 ? f->queue[--f->n_queue] : choose(f);
        if (t == ISO_NONE) {
            return;
        }
        if (f->missing[t] > 0) { /* the writer before has changed another key, too, after this reader was queued */
            f->at[t] = ISO_NONE;
        } else {
            execute(f, t);
        }
    }
    f->found = !f->impossible && iso_anneal_give_parts(f->of, &f->pool, f->order, f->n, 1);
}

bool iso_anneal_frugal(iso_annealing *s, iso_frugal_budget budget) {
    bool found = false, impossible = false;
    uint32_t attempts = 0;
    uint64_t executed = 0, effort = EFFORT * (uint64_t)s->h->n_txns;
    while (attempts < budget.attempts && executed < effort && !found && !impossible) {
        frugal f = {.of = s,
                    .h = s->h,
                    .rng = {attempts},
                    .candidates = budget.candidates >> attempts % 8,
                    .thrifty = budget.thrifty};
        iso_pool_init(&f.pool, s->pool->env);
        iso_guard_pool(&f.pool, find_frugal, &f);
        found = f.found;
        impossible = f.impossible;
        executed += f.n;
        attempts++;
    }
    iso_result_counter(s->result, budget.thrifty ? "thrifty" : "attempts", attempts);
    return found;
}
