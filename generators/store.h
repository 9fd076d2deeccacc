/* The simulated store: many clients, interleaved step by step, on a multi-version store that provides exactly one
 * isolation level and can have bugs. It is deterministic: the seed decides everything.
 *
 * A workload gives the requests of each client; the store answers them and records the history as the clients saw it.
 * Transactions are interactive only in form: a workload knows all operations of a transaction before it runs, so a
 * store with snapshots may read all of them at one moment.
 *
 *   sser  one copy; reads are validated at the commit, so the commit is the moment of the transaction
 *   lser  as ser, with timestamps in the order of real time among the transactions that access a key
 *   ser   one copy, timestamps from clocks that lag by session: serial by timestamp, not by real time
 *   si    one copy; a snapshot at the begin, and the first committer of a key wins
 *   pc    as si without the test of writes: updates get lost, snapshots are prefixes
 *   cc    replicas that deliver transactions causally; the last writer wins; clients stay at their replica
 *   ra    replicas that deliver whole transactions in any order
 *   rc    one copy; every read returns the version that is committed at its own moment */
#ifndef ISOLAB_GENERATORS_STORE_H
#define ISOLAB_GENERATORS_STORE_H

#include "base/args.h"
#include "base/random.h"
#include "history/builder.h"

#define ISO_FRESH INT64_MIN /* as the value of a write: a new value */

/* The requests of a client, in program order. */
typedef struct iso_intent {
    int64_t value; /* for writes and appends */
    uint32_t key;  /* below the workload's n_keys */
    uint8_t kind;  /* iso_op_kind */
} iso_intent;

typedef struct iso_program {
    iso_pool *pool;
    iso_intent *op;
    uint32_t n, room;
} iso_program;

static inline void iso_ask(iso_program *p, iso_op_kind kind, uint32_t key, int64_t value) {
    iso_tick(p->pool->env);
    ISO_GROW(p->pool, p->op, p->n, p->room);
    p->op[p->n++] = (iso_intent){value, key, (uint8_t)kind};
}
static inline void iso_ask_read(iso_program *p, uint32_t key) { iso_ask(p, ISO_READ, key, 0); }
static inline void iso_ask_write(iso_program *p, uint32_t key) { iso_ask(p, ISO_WRITE, key, ISO_FRESH); }
static inline void iso_ask_update(iso_program *p, uint32_t key) {
    iso_ask_read(p, key);
    iso_ask_write(p, key);
}

typedef struct iso_workload {
    uint64_t n_keys;
    int64_t reserved; /* values up to this one belong to the workload; new values are larger */
    bool lists;       /* it appends to lists and reads them: only for stores of one copy */
    bool updates;     /* a write of a key always follows a read of it; in scripts of bugs, too */
    void *state;
    /* Fills an empty program with the next transaction of a session. */
    void (*next)(void *state, uint32_t session, iso_rng *rng, iso_program *program);
} iso_workload;

/* Options: sessions, transactions, level, seed, aborts, times, bugs. */
extern const iso_option iso_store_options[];

/* Runs a workload and records it. */
void iso_store_run(const iso_args *args, const iso_workload *workload, iso_builder *b);

/* A bug of the store: see bugs.def. */
typedef struct iso_bug {
    const char *name;
    const char *keeps;   /* the strongest level that the bug alone leaves satisfied, or `none` */
    const char *breaks;  /* a level that it violates */
    const char *anomaly; /* the name of the anomaly that it shows (checkers/result.h) */
    const char *script;
    const char *meaning; /* one phrase */
    bool lists;          /* for workloads of lists; else for registers */
} iso_bug;

extern const iso_bug iso_bugs[]; /* ended by a NULL name; some names exist for both kinds of workload */

#endif
