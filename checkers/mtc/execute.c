/* The execution: a topological order of the dependency graph, which is not in memory (mtc.h). Each chain is followed
 * as far as possible. Its next transaction waits for one condition at a time: a version that it reads is current;
 * all other readers of a version that it overwrites have read it; every transaction that ended before its start is
 * done. For the first two conditions the chain is in the list of the version, in which all chains wait for the same
 * condition. O(n): a version wakes its chains when it becomes current and when at most MTC_READS of its reads
 * remain. */
#include "checkers/mtc/mtc.h"

/* Number of later transactions of the chain whose versions are prefetched. */
#define AHEAD 4

/* Number of transactions that are counted between two tests of the limits. */
#define BLOCK 1024

/* Counts reads, including reads of own writes, which are executed like the others. Without a branch on the kind. */
static void count_reads(mtc *m) {
    const isolab_history *h = m->h;
    bool all = h->n_aborted == 0 && h->n_indeterminate == 0;
    m->left = ISO_ZNEW(m->pool, uint32_t, (size_t)h->n_versions + 1);
    for (uint32_t t = 0, end; t < h->n_txns; t = end) {
        iso_tick(m->pool->env);
        end = all ? (h->n_txns - t > BLOCK ? t + BLOCK : h->n_txns) : t + 1;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[end] && mtc_in(m, t); o++) {
            m->left[h->op_kind[o] == ISO_READ ? h->op_version[o] : h->n_versions]++;
        }
        m->n_included += mtc_in(m, t) ? end - t : 0;
    }
}

static void begin_with_initial_values(mtc *m) {
    const isolab_history *h = m->h;
    m->current = ISO_NEW_NONE(m->pool, h->n_keys);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_initial(h, v)) {
            m->current[h->version_key[v]] = v;
        }
    }
}

void iso_mtc_prepare(mtc *m) {
    const isolab_history *h = m->h;
    m->n_chains = h->n_sessions;
    m->chain_txn = h->session_txn;
    if (m->question->no_session_order) {
        uint32_t *single = ISO_NEW(m->pool, uint32_t, (size_t)h->n_txns + 1);
        for (uint32_t t = 0; t <= h->n_txns; t++) {
            single[t] = t;
        }
        m->n_chains = h->n_txns;
        m->chain_txn = single;
    }
    m->next = ISO_NEW(m->pool, uint32_t, m->n_chains);
    m->ready = ISO_NEW(m->pool, uint32_t, m->n_chains);
    m->also = ISO_NEW(m->pool, uint32_t, m->n_chains);
    m->started = ISO_ZNEW(m->pool, uint8_t, m->n_chains);
    m->waiting = ISO_NEW(m->pool, uint32_t, h->n_versions);
    for (uint32_t c = 0; c < m->n_chains; c++) {
        m->next[c] = m->chain_txn[c];
    }
    for (uint32_t c = m->n_chains; c-- > 0;) {
        m->ready[m->n_ready++] = c;
    }
    begin_with_initial_values(m);
    count_reads(m);
}

static void wait_for(mtc *m, uint32_t version, uint32_t chain) {
    m->also[chain] = m->left[version] & MTC_WAITED ? m->waiting[version] : ISO_NONE;
    m->waiting[version] = chain;
    m->left[version] |= MTC_WAITED;
}

static void wake(mtc *m, uint32_t version) {
    m->left[version] &= ~MTC_WAITED;
    for (uint32_t c = m->waiting[version]; c != ISO_NONE; c = m->also[c]) {
        m->ready[m->n_ready++] = c;
    }
}

static void fetch(const mtc *m, uint32_t t) {
    const isolab_history *h = m->h;
    uint32_t far = t + AHEAD < h->n_txns ? t + AHEAD : t, op = h->txn_op[far];
    __builtin_prefetch(&h->op_version[op]);
    __builtin_prefetch(&h->op_key[op]);
    __builtin_prefetch(&h->op_kind[op]);
    if (m->clock != NULL) {
        __builtin_prefetch(&h->txn_start[far]);
    } else if (m->queues != NULL) {
        iso_mtc_queues_fetch(m, t);
    }
    mtc_fetch(h, m->left, t);
}

/* Returns whether the versions that a transaction reads are current. If not, its chain waits for one of them. */
static bool can_read(mtc *m, const mtc_txn *x, uint32_t chain) {
    const isolab_history *h = m->h;
    if (x->wrong) {
        return false;
    }
    for (uint32_t i = 0; i < x->n_reads; i++) {
        uint32_t version = h->op_version[x->read[i]];
        if (m->current[h->op_key[x->read[i]]] != version) {
            wait_for(m, version, chain);
            return false;
        }
    }
    return true;
}

/* Returns whether all other readers have read the versions that a transaction overwrites. own: its own reads are not
 * executed yet. */
static bool can_write(mtc *m, const mtc_txn *x, uint32_t chain, bool own) {
    const isolab_history *h = m->h;
    for (uint32_t i = 0; i < x->n_writes; i++) {
        uint32_t key = h->op_key[x->write[i]], version = m->current[key], reads = 0;
        for (uint32_t r = 0; r < x->n_reads; r++) {
            bool of_key = h->op_key[x->read[r]] == key;
            reads += own && of_key;
            if (of_key && h->op_version[x->read[r]] != version) {
                return false; /* si: another transaction has overwritten it since: Divergence */
            }
        }
        if ((m->left[version] & ~MTC_WAITED) != reads) {
            wait_for(m, version, chain);
            return false;
        }
    }
    return true;
}

static void read(mtc *m, uint32_t t) {
    const isolab_history *h = m->h;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t version = h->op_version[o];
        if (h->op_kind[o] == ISO_READ && --m->left[version] - MTC_WAITED <= MTC_READS) {
            wake(m, version);
        }
    }
}

static void commit(mtc *m, const mtc_txn *x, uint32_t t) {
    const isolab_history *h = m->h;
    for (uint32_t i = 0; i < x->n_writes; i++) {
        uint32_t version = h->op_version[x->write[i]];
        m->current[h->op_key[x->write[i]]] = version;
        if (m->left[version] & MTC_WAITED) {
            wake(m, version);
        }
    }
    if (m->order != NULL) {
        m->order[m->n_done] = t;
    }
    m->n_done++;
}

/* ser, lser, sser: executes the transaction at once. */
static bool execute_at_once(mtc *m, uint32_t c, uint32_t t) {
    if ((m->clock != NULL && !iso_mtc_clock_allows(m, c, t)) || (m->queues != NULL && !iso_mtc_queues_allow(m, c, t))) {
        return false;
    }
    mtc_txn x = mtc_look(m->h, t);
    if (!can_read(m, &x, c) || !can_write(m, &x, c, true)) {
        return false;
    }
    read(m, t);
    commit(m, &x, t);
    if (m->clock != NULL) {
        iso_mtc_clock_done(m, c, t);
    } else if (m->queues != NULL) {
        iso_mtc_queues_done(m, t);
    }
    return true;
}

/* si: executes the reads at its start, the writes at its commit. */
static bool execute_in_two(mtc *m, uint32_t c, uint32_t t) {
    mtc_txn x = mtc_look(m->h, t);
    if (!m->started[c]) {
        if (!can_read(m, &x, c)) {
            return false;
        }
        read(m, t);
        m->started[c] = true;
    }
    if (!can_write(m, &x, c, false)) {
        return false;
    }
    commit(m, &x, t);
    m->started[c] = false;
    return true;
}

static void execute_chain(mtc *m, uint32_t c) {
    uint32_t end = m->chain_txn[c + 1];
    for (uint32_t t = m->next[c]; t < end; t = ++m->next[c]) {
        iso_tick(m->pool->env);
        if (t + AHEAD < m->h->n_txns) {
            fetch(m, t + AHEAD);
        }
        if (mtc_in(m, t) && !(m->level == ISO_SI ? execute_in_two(m, c, t) : execute_at_once(m, c, t))) {
            return;
        }
    }
}

bool iso_mtc_execute(mtc *m) {
    do {
        while (m->n_ready > 0) {
            execute_chain(m, m->ready[--m->n_ready]);
        }
        if (m->clock != NULL) {
            iso_mtc_clock_wake(m);
        }
    } while (m->n_ready > 0);
    return m->n_done == m->n_included;
}
