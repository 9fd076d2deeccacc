/* The problem that `strong` solves, in dense arrays: the included transactions, their sessions as chains, the keys that
 * each one writes, and the reads that constrain the order.
 *
 * Every transaction is one event (ser, lser, sser) or two, its start and its commit (pc, si). A chain has a session's
 * events in order, or a part of them: long sessions are split, so that a place in a chain takes 16 bits. Session order
 * and write-read edges are commit < start. A commit order of the level is an order of the events with the constraint,
 * for each read of x by t3 from t1 and each other writer t2 of x,
 *     ser:  t2 < t1  or  t3 < t2                                   (the polygraph)
 *     pc:   commit(t2) < commit(t1)  or  start(t3) < commit(t2)    (t3 reads the prefix at its start)
 *     si:   commit(t2) < start(t1)   or  start(t3) < commit(t2),
 * and for si also, for any two writers t1, t2 of a key, commit(t1) < start(t2) or commit(t2) < start(t1). This is si
 * because dependencies (SO, WR, WW) from T to U are commit(T) < start(U), anti-dependencies are start(T) < commit(U),
 * and a cycle of events is a cycle of (SO|WR|WW);RW?, since every edge that leaves a commit is a dependency.
 *
 * Lists: a list read reads from the append of its last external element, and the longest read of each list gives the
 * order of its writers, up to the first one that was not read.
 *
 * Optional transactions (ISO_OPTIONAL) come last, each a chain of its own. Excluded transactions are ordered last, so
 * their writes never constrain another transaction. What follows if one is included is conditional and belongs to the
 * search (optional.c).
 *
 * sser, and other levels with real time: the instants at which transactions end form another chain, of events that read
 * and write nothing, after the other chains. A transaction is before its end, and an end is before all transactions
 * that start later: O(n) edges for the whole of real time. */
#ifndef ISOLAB_CHECKERS_STRONG_MODEL_H
#define ISOLAB_CHECKERS_STRONG_MODEL_H

#include "history/history.h"
#include "history/level.h"
#include "history/lists.h"

/* Limit of the events of a chain: their number, plus one, is a uint16_t. */
#define STRONG_CHAIN 65534u

/* A part of a history of calls that has no order (linear/linear.h): what the transactions that start at this time or
 * before read of this key. Other reads are not needed to show that, and the model leaves them out. */
typedef struct strong_part {
    uint32_t key;
    int64_t until;
} strong_part;

typedef struct strong_model {
    const isolab_history *h;
    iso_pool *pool;
    iso_level level;  /* ISO_PC, ISO_SI, ISO_SER, ISO_LSER or ISO_SSER */
    bool timed;       /* real time counts: at sser, and where stage `timed` asks for more than the level */
    unsigned per_txn; /* events of a transaction: 1 (ser, lser, sser) or 2 (pc, si) */

    uint32_t n;          /* included and optional transactions, session by session, and then instants */
    uint32_t n_txns;     /* without instants */
    uint32_t *txn;       /* their numbers in the history; ISO_NONE: an instant */
    uint32_t *dense;     /* by number in the history; ISO_NONE: excluded */
    uint32_t n_included; /* transactions from this one to n_txns are optional */
    uint8_t *excluded;   /* by transaction, after a search: it is optional and excluded; NULL: none is optional */
    uint32_t k;          /* number of chains */
    uint32_t *chain;     /* by transaction */
    uint32_t *first;     /* k + 1 entries: the first transaction of a chain */
    uint8_t *goes_on;    /* by chain: it continues the previous chain, of the same session */

    /* The keys that a transaction writes: slots [write_first[t], write_first[t+1]). slot_op is its last write of the
     * key, op_slot the slot of any write operation. */
    uint32_t *write_first, *write_key, *write_txn, *slot_op, *op_slot;
    uint32_t n_writes; /* number of write operations of all transactions */

    const iso_lists *lists; /* the order of appends that list reads show (docs/lists.md); NULL: there are no lists */
    /* By operation: the write that a read reads from, ISO_INIT, or ISO_MANY while it is not known. */
    uint32_t *writer;
    /* Ambiguous reads, and all reads of optional transactions, one for each transaction and version: the operation, and
     * the slots (or ISO_INIT) that it may read from, [candidate_first[i], candidate_first[i+1]) of candidate, except
     * those ruled out later. Resolved reads stay, with their writer in place. */
    uint32_t n_ambiguous, *ambiguous_op, *candidate_first, *candidate;
    uint32_t *ambiguous_first; /* by transaction: its ambiguous reads, [ambiguous_first[t], ambiguous_first[t+1]) */
    /* The results of iso_strong_narrow(), made when it begins (NULL before). argued: by operation, 1 + the round in
     * which its writer followed only from the order (0: it is known otherwise). candidate_end: by ambiguous read, where
     * its remaining candidates end (they come first). For the other candidates, the round in which each was ruled out,
     * and the writer in between that did so (ISO_NONE: it comes after the reader). By round, the number of edges. */
    uint32_t *argued, *candidate_end, *ruled_out_round, *ruled_out_by;
    uint32_t n_rounds, *round_edges, rounds_room;

    /* The distinct pairs (key, writer) that it reads from other transactions. read_slot is the slot read from, ISO_INIT
     * for the initial value; read_op is the first such operation. */
    uint32_t *read_first, *read_key, *read_slot, *read_op, *read_txn;
    /* The reads of each slot: [slot_first[w], slot_first[w+1]) of slot_read. */
    uint32_t *slot_first, *slot_read;

    /* The fields up to n_groups are set by iso_strong_model_index(); with lists, from the start. The reads of each
     * key's initial value. */
    uint32_t *init_first, *init_read;
    /* The slots that write a key in increasing order of transactions, so chain by chain, and their groups, one for each
     * chain. A group is [group_start[g], group_start[g+1]) of key_slot, of chain group_chain[g]. */
    uint32_t *key_first, *key_slot, *key_txn;
    uint32_t *key_group, *group_start, *group_chain;
    uint32_t n_groups;

    /* timed: the instant at which a transaction ends (ISO_NONE: not known), and the transactions that start after an
     * instant and before the next one, [after_first[i], after_first[i+1]) of after for instant n_txns + i. */
    uint32_t *end, *after_first, *after;
} strong_model;

static inline uint32_t strong_start(const strong_model *m, uint32_t t) { return t * m->per_txn; }
static inline uint32_t strong_commit(const strong_model *m, uint32_t t) { return t * m->per_txn + m->per_txn - 1; }

/* Returns the transaction of an event, without a division, which would dominate the time of its callers. */
static inline uint32_t strong_txn(const strong_model *m, uint32_t event) { return event >> (m->per_txn - 1); }

/* Returns whether transaction t + 1 is the next one after t in the same session (or the next instant). */
static inline bool strong_next_follows(const strong_model *m, uint32_t t) {
    return t + 1 < m->n && (m->chain[t] == m->chain[t + 1] || m->goes_on[m->chain[t + 1]]);
}

/* Returns the event of a writer before which another writer of the key must commit to come before it. */
static inline uint32_t strong_written(const strong_model *m, uint32_t t) {
    return m->level == ISO_PC ? strong_commit(m, t) : strong_start(m, t);
}

/* Returns the operation of a slot; ISO_INIT stays what it is. */
static inline uint32_t strong_write_of(const strong_model *m, uint32_t slot) {
    return slot == ISO_INIT ? ISO_INIT : m->slot_op[slot];
}

/* Returns where the remaining candidates of ambiguous read i end, and the ruled-out ones begin. */
static inline uint32_t strong_candidate_end(const strong_model *m, uint32_t i) {
    return m->candidate_end == NULL ? m->candidate_first[i + 1] : m->candidate_end[i];
}

/* Returns 1 + the round in which the writer of a read followed only from the order; 0: it is known otherwise. */
static inline uint32_t strong_argued(const strong_model *m, uint32_t op) {
    return m->argued == NULL ? 0 : m->argued[op];
}

/* Returns whether slot w, of the same key, writes a value that operation op may have read. (Elements of lists are
 * unique.) */
static inline bool strong_same_value(const strong_model *m, uint32_t op, uint32_t w) {
    return m->h->op_kind[op] == ISO_READ &&
           iso_version_covers(m->h, m->h->op_version[op], m->h->op_version[m->slot_op[w]]);
}

/* Returns whether operation op would read its value if slot w (or ISO_NONE: the initial value) were the last write of
 * its key. */
static inline bool strong_reads_value(const strong_model *m, uint32_t op, uint32_t w) {
    return w == ISO_NONE ? iso_version_is_initial(m->h, m->h->op_version[op]) : strong_same_value(m, op, w);
}

/* Builds the model of the history. INT must hold, and no element of a list may be appended twice. report receives
 * contradictions between list reads; m->lists->n_faults is then not 0, and the model cannot be used. */
void iso_strong_model_build(strong_model *m, iso_pool *pool, const isolab_history *h, iso_level level, bool timed,
                            bool no_session_order, iso_list_report *report, void *arg);

/* Leaves out the reads that are not of a part. */
void iso_strong_model_restrict(strong_model *m, const strong_part *part);

/* Lists, by key, its writers and the readers of its initial value. A guess (guess.c) needs neither. */
void iso_strong_model_index(strong_model *m);

/* Collects the reads again, after some writers were resolved. */
void iso_strong_model_reads(strong_model *m);

/* Returns the number of the read of transaction t from a slot (or ISO_INIT) by key. It must exist. */
uint32_t iso_strong_find_read(const strong_model *m, uint32_t t, uint32_t slot, uint32_t key);

/* Return the last write of a key in a transaction, as slot and as operation; ISO_NONE: none. */
uint32_t iso_strong_slot_of(const strong_model *m, uint32_t t, uint32_t key);
uint32_t iso_strong_write_of(const strong_model *m, uint32_t t, uint32_t key);

#endif
