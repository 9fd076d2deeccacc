/* Workloads: what clients ask for, transaction by transaction, without a store. The simulated store (store.h) and real
 * databases (collectors/) run them. A workload knows all operations of a transaction before it runs. */
#ifndef ISOLAB_GENERATORS_WORKLOAD_H
#define ISOLAB_GENERATORS_WORKLOAD_H

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

static inline void iso_program_op(iso_program *p, iso_op_kind kind, uint32_t key, int64_t value) {
    iso_tick(p->pool->env);
    ISO_GROW(p->pool, p->op, p->n, p->room);
    p->op[p->n++] = (iso_intent){value, key, (uint8_t)kind};
}
static inline void iso_program_read(iso_program *p, uint32_t key) { iso_program_op(p, ISO_READ, key, 0); }
static inline void iso_program_write(iso_program *p, uint32_t key) { iso_program_op(p, ISO_WRITE, key, ISO_FRESH); }
static inline void iso_program_update(iso_program *p, uint32_t key) {
    iso_program_read(p, key);
    iso_program_write(p, key);
}

typedef struct iso_workload {
    uint64_t n_keys;
    int64_t reserved; /* values up to this one belong to the workload; new values are larger */
    bool repeats;     /* it writes values of its own choice, which may repeat */
    bool lists;       /* it appends to lists and reads them: only for stores of one copy */
    bool updates;     /* a write of a key always follows a read of it; in scripts of bugs, too */
    void *state;
    /* Fills an empty program with the next transaction of a session. One thread at a time may call it. */
    void (*next)(void *state, uint32_t session, iso_rng *rng, iso_program *program);
} iso_workload;

#endif
