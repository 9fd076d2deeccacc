/* See execution.h. turns.c finds the first order.
 *
 * The processor cannot predict whether an operation is a read or a write. So loops over operations have no branch on
 * the kind: each operation is treated as both, and masks select the right result (a compiler may turn a choice between
 * two values into a branch). Separate arrays for reads and writes would need fewer instructions, but take longer,
 * because the end of a transaction's list of each is also unpredictable. */
#include "checkers/strong/execution.h"

#include <string.h>

#include "base/assert.h"

/* Limit of operations and of transactions, so that sums, and counters with a flag, fit in 32 bits. */
#define MOST (UINT32_MAX / 4)

/* Limit of operations of a transaction: some operations search their whole transaction. */
#define LONGEST 512

bool iso_strong_executable(const isolab_history *h) {
    uint32_t longest = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t ops = h->txn_op[t + 1] - h->txn_op[t];
        longest = ops > longest ? ops : longest;
    }
    return !h->has_lists && h->version_not == NULL && h->n_ops <= MOST && h->n_txns <= MOST && longest <= LONGEST &&
           (h->n_indeterminate == 0 || memchr(h->txn_counts, ISO_OPTIONAL, h->n_txns) == NULL);
}

void iso_strong_execution_init(strong_execution *x, iso_pool *pool, const isolab_history *h, bool sessions) {
    memset(x, 0, sizeof *x);
    x->h = h;
    x->pool = pool;
    x->sessions = sessions;
    x->most = UINT64_MAX;
    x->txn = ISO_NEW(pool, uint32_t, h->n_txns);
    x->place = ISO_NEW_NONE(pool, h->n_txns);
    x->after_first = ISO_NEW(pool, uint32_t, (size_t)h->n_txns + 1);
    x->before = ISO_NEW(pool, uint32_t, h->n_ops);
    x->initial = ISO_NEW_NONE(pool, h->n_keys);
    const uint8_t *kind = h->version_kind, *end = kind + h->n_versions;
    for (const uint8_t *at = kind; at < end && (at = memchr(at, ISO_ATOM_NIL, (size_t)(end - at))) != NULL; at++) {
        x->initial[h->version_key[at - kind]] = (uint32_t)(at - kind);
    }
}

/* The content of a key: the version, plus 2^32 times the write; ISO_NONE: the initial version, or none that occurs in
 * the history. */
typedef uint64_t content;

static content content_of(uint32_t version, uint32_t write) { return version | (uint64_t)write << 32; }
static uint32_t version_in(content c) { return (uint32_t)c; }
static uint32_t write_in(content c) { return (uint32_t)(c >> 32); }

static content *initial_contents(const strong_execution *x) {
    content *key = ISO_NEW(x->pool, content, x->h->n_keys);
    for (uint32_t k = 0; k < x->h->n_keys; k++) {
        key[k] = content_of(x->initial[k], ISO_NONE);
    }
    return key;
}

void iso_strong_note_stale(strong_execution *x, uint32_t read) {
    iso_assert(read < x->h->n_ops && !iso_is_write(x->h->op_kind[read]));
    ISO_GROW(x->pool, x->stale, x->n_stale, x->stale_room);
    x->stale[x->n_stale++] = read;
}

/* Records the stale reads of operations [o, end), by the writes before them. */
static void note_stale_reads(strong_execution *x, uint32_t o, uint32_t end) {
    const isolab_history *h = x->h;
    for (; o < end; o++) {
        uint32_t version = h->op_version[o], last = x->before[o];
        if (h->op_kind[o] == ISO_READ &&
            (last == ISO_NONE ? !iso_version_is_initial(h, version) : h->op_version[last] != version)) {
            iso_strong_note_stale(x, o);
        }
    }
}

/* Executes operations [o, end). Returns whether a read was stale. */
static inline bool execute_ops(const uint32_t *op_key, const uint32_t *op_version, const uint8_t *op_kind, content *key,
                               uint32_t *before, uint32_t o, uint32_t end) {
    uint32_t bad = 0;
    for (; o < end; o++) {
        content *c = &key[op_key[o]], old = *c;
        uint32_t version = op_version[o], writes = op_kind[o];
        content own = content_of(version, o), mask = 0 - (uint64_t)writes;
        before[o] = write_in(old);
        bad |= (version_in(old) ^ version) & (writes - 1);
        *c = old ^ ((old ^ own) & mask);
    }
    return bad != 0;
}

__attribute__((noinline)) void iso_strong_execution_run(strong_execution *x, const uint32_t *at) {
    const isolab_history *h = x->h;
    const uint32_t *txn = x->txn, *txn_op = h->txn_op, *op_key = h->op_key, *op_version = h->op_version;
    const uint8_t *op_kind = h->op_kind;
    uint32_t *before = x->before, n = x->n;
    content *key = initial_contents(x);
    x->n_stale = 0;
    for (uint32_t i = 0; i < n && x->n_stale <= x->most; i++) {
        uint32_t o = txn_op[txn[at[i]]], end = txn_op[txn[at[i]] + 1];
        uint32_t next = txn_op[txn[at[i + STRONG_AHEAD < n ? i + STRONG_AHEAD : i]]];
        iso_tick(x->pool->env);
        __builtin_prefetch(&op_key[next]); /* sessions take turns, so the next transaction's memory is elsewhere */
        __builtin_prefetch(&op_version[next]);
        __builtin_prefetch(&op_kind[next]);
        __builtin_prefetch(&before[next], 1);
        if (execute_ops(op_key, op_version, op_kind, key, before, o, end)) {
            note_stale_reads(x, o, end);
        }
    }
    iso_free(x->pool, key);
}
