/* The problem that `strong` solves, in dense arrays: the included transactions, their sessions as
 * chains, the keys each one writes, and the reads that constrain the order.
 *
 * Every transaction is one event (ser, sser) or two, its start and its commit (pc, si); a chain is a session's
 * events in order, or a part of them: long sessions are cut, so that a place in a chain takes 16 bits. Session
 * order and reads-from are commit < start. A commit order of the level is an order of the events with the
 * constraint, for each read of x by t3 from t1 and each other writer t2 of x,
 *     ser:  t2 < t1  or  t3 < t2                                   (the polygraph)
 *     pc:   commit(t2) < commit(t1)  or  start(t3) < commit(t2)    (t3 reads the prefix at its start)
 *     si:   commit(t2) < start(t1)   or  start(t3) < commit(t2),
 * and for si also, for any two writers t1, t2 of a key, commit(t1) < start(t2) or commit(t2) < start(t1).
 * That this is si: dependencies (SO, WR, WW) from T to U are commit(T) < start(U), anti-dependencies are
 * start(T) < commit(U), and a cycle of events is a cycle of (SO|WR|WW);RW? because the only way out of a commit
 * is a dependency.
 *
 * lists: a list read reads from the append that made the last element which its own transaction did not append, and
 * the longest read of each list gives the order of its writers, up to the first one that was not read.
 *
 * Optional transactions (ISO_OPEN) come last, each a chain of its own. Excluded ones are ordered last of all, so their
 * writes never constrain another transaction; what follows if one is included is conditional and belongs to the
 * search (optional.h).
 *
 * sser: the instants at which transactions end form one more chain, of events that read and write nothing, after the
 * others. A transaction is before its end, and an end before all that start later: O(n) edges for all of real time.
 */
#ifndef ISOLAB_CHECKERS_STRONG_MODEL_H
#define ISOLAB_CHECKERS_STRONG_MODEL_H

#include "history/history.h"
#include "history/level.h"
#include "history/lists.h"

/* The most events of a chain: a count of them, and one more, is a uint16_t. */
#define STRONG_CHAIN 65534u

typedef struct strong_model {
    const isolab_history *h;
    iso_pool *pool;
    iso_level level;  /* ISO_PC, ISO_SI, ISO_SER or ISO_SSER */
    unsigned per_txn; /* events of a transaction: 1 (ser, sser) or 2 (pc, si) */

    uint32_t n;          /* included and optional transactions, session by session, and then instants */
    uint32_t n_txns;     /* transactions alone */
    uint32_t *txn;       /* their numbers in the history; ISO_NONE: an instant */
    uint32_t *dense;     /* by number in the history; ISO_NONE: excluded */
    uint32_t n_included; /* transactions from here on, up to n_txns, are optional */
    uint8_t *excluded;   /* by transaction, after a search: it is optional and not included; NULL: none is optional */
    uint32_t k;          /* chains */
    uint32_t *chain;     /* by transaction */
    uint32_t *first;     /* k + 1: the first transaction of a chain */
    uint8_t *goes_on;    /* by chain: it continues the chain before it, of which it was cut */

    /* The keys that a transaction writes: slots [write_first[t], write_first[t+1]). slot_op is its last write of
     * the key, op_slot the slot of any write operation. */
    uint32_t *write_first, *write_key, *write_txn, *slot_op, *op_slot;
    uint32_t n_writes; /* write operations, of all transactions */

    const iso_lists *lists; /* what list reads show of the order of appends (docs/lists.md); NULL: there are no lists */
    /* By operation: the write that a read reads from, ISO_INIT, or ISO_MANY while that is not known. */
    uint32_t *writer;
    /* Ambiguous reads, and all reads of optional transactions, one a transaction and version: the operation, and the
     * slots (or ISO_INIT) that it may read from, [candidate_first[i], candidate_first[i+1]) of candidate, unless
     * they were ruled out since. Resolved ones stay, with their writer in place. */
    uint32_t n_ambiguous, *ambiguous_op, *candidate_first, *candidate;
    /* What iso_strong_narrow() found out, made when it begins (NULL before): by operation, that its writer follows
     * only from the order; by ambiguous read, where its candidates that are not ruled out end (they come first); of
     * the others, in which round one was ruled out, and by which writer in between (ISO_NONE: it comes after the
     * reader); in which round a read was resolved; and by round, how many edges there were. */
    uint8_t *argued;
    uint32_t *candidate_end, *ruled_out_round, *ruled_out_by, *resolved_round;
    uint32_t n_rounds, *round_edges, rounds_room;

    /* The distinct (key, writer) that it reads from others. read_slot is the slot read from, ISO_INIT for the
     * initial value; read_op the first such operation. */
    uint32_t *read_first, *read_key, *read_slot, *read_op, *read_txn;
    /* The reads of each slot: [slot_first[w], slot_first[w+1]) of slot_read. */
    uint32_t *slot_first, *slot_read;

    /* Up to n_groups only after iso_strong_model_index(); with lists, from the start. The reads of each key's initial
     * value. */
    uint32_t *init_first, *init_read;
    /* The slots that write a key in increasing order of transactions, so chain by chain, and the groups of
     * one chain in it. A group is [group_start[g], group_start[g+1]) of key_slot, of chain group_chain[g]. */
    uint32_t *key_first, *key_slot, *key_txn;
    uint32_t *key_group, *group_start, *group_chain;
    uint32_t n_groups;

    /* sser: the instant at which a transaction ends (ISO_NONE: not known), and the transactions that start after an
     * instant and before the next one, [after_first[i], after_first[i+1]) of after for instant n_txns + i. */
    uint32_t *end, *after_first, *after;
} strong_model;

static inline uint32_t strong_start(const strong_model *m, uint32_t t) { return t * m->per_txn; }
static inline uint32_t strong_commit(const strong_model *m, uint32_t t) { return t * m->per_txn + m->per_txn - 1; }

/* The transaction of an event. (A division would be most of the time of what asks.) */
static inline uint32_t strong_txn(const strong_model *m, uint32_t event) { return event >> (m->per_txn - 1); }

/* Is transaction t + 1 the next one after t in the same session (or the next instant)? */
static inline bool strong_next_follows(const strong_model *m, uint32_t t) {
    return t + 1 < m->n && (m->chain[t] == m->chain[t + 1] || m->goes_on[m->chain[t + 1]]);
}

/* The event of a writer before which another writer of the key must commit to come before it. */
static inline uint32_t strong_written(const strong_model *m, uint32_t t) {
    return m->level == ISO_PC ? strong_commit(m, t) : strong_start(m, t);
}

/* By transaction: its ambiguous reads, [first[t], first[t+1]). The caller frees it. */
uint32_t *iso_strong_ambiguous_reads(const strong_model *m, iso_pool *pool);

/* Where the candidates of ambiguous read i end, and the ruled out ones begin. */
static inline uint32_t strong_candidate_end(const strong_model *m, uint32_t i) {
    return m->candidate_end == NULL ? m->candidate_first[i + 1] : m->candidate_end[i];
}

/* Does the writer of a read follow only from the order? */
static inline bool strong_argued(const strong_model *m, uint32_t op) { return m->argued != NULL && m->argued[op]; }

/* Does slot w write the very value that operation op reads? (Elements of lists are unique.) */
static inline bool strong_same_value(const strong_model *m, uint32_t op, uint32_t w) {
    return m->h->op_kind[op] == ISO_READ && m->h->op_version[m->slot_op[w]] == m->h->op_version[op];
}

/* Would operation op, with slot w (or ISO_NONE: the initial value) last of its key, read what it read? */
static inline bool strong_reads_value(const strong_model *m, uint32_t op, uint32_t w) {
    return w == ISO_NONE ? iso_version_is_initial(m->h, m->h->op_version[op]) : strong_same_value(m, op, w);
}

/* INT must hold, and no element of a list be appended twice. report is told
 * where list reads contradict each other; then m->lists->n_faults is not 0, and the model of no use. */
void iso_strong_model_build(strong_model *m, iso_pool *pool, const isolab_history *h, iso_level level,
                            bool no_session_order, iso_list_report *report, void *arg);

/* By key: its writers and the readers of its initial value. A guess (guess.h) needs neither. */
void iso_strong_model_index(strong_model *m);

/* Collects the reads again, after some were resolved in writer. */
void iso_strong_model_reads(strong_model *m);

/* The read of transaction t from a slot (or ISO_INIT) by key: its number. It must exist. */
uint32_t iso_strong_find_read(const strong_model *m, uint32_t t, uint32_t slot, uint32_t key);

#endif
