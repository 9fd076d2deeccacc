/* Internal to the simulated store: what its files share. See store.h. */
#ifndef ISOLAB_GENERATORS_STORE_INTERNAL_H
#define ISOLAB_GENERATORS_STORE_INTERNAL_H

#include "base/random.h"
#include "generators/store.h"
#include "history/level.h"

/* The effect of one operation of a running transaction. */
typedef struct iso_trace {
    int64_t value; /* writes: the value written */
    uint32_t seen; /* reads: the version */
    uint32_t own;  /* reads: the transaction's own earlier write, an operation; ISO_NONE: none */
    bool last;     /* writes: it is the transaction's last write of the key */
} iso_trace;

typedef struct iso_client {
    iso_program program;
    iso_trace *trace;
    uint32_t trace_room;
    uint32_t at;       /* number of operations done */
    uint32_t attempts; /* of the current program */
    bool running;      /* between begin and end */
    bool updates;      /* it writes a key that it has read */
    uint64_t left;     /* number of remaining programs */
    uint64_t snapshot; /* si: number of commits seen; ser, lser: the timestamp */
    uint64_t latest;   /* ser, lser: the timestamp of the session's last transaction */
    uint64_t lag;      /* ser, lser: lag of the session's clock */
    int64_t start;
} iso_client;

/* The replicas of cc and ra: their contents, and the transactions on their way to them. */
typedef struct iso_replicas {
    uint32_t n;
    uint32_t *current; /* [replica * n_keys + key] */
    uint64_t *clock;   /* Lamport's */
    uint64_t lag;      /* average number of transactions on their way to a replica */
    /* the committed transactions; their versions are [version, version of the next one) */
    uint32_t *version, *origin, n_txns, txns_room;
    uint32_t origin_room;
    /* cc: how many transactions of each origin the replica had applied when a transaction committed, and the logs by
     * origin */
    uint32_t *needs;     /* [txn * n + origin] */
    uint32_t needs_room; /* transactions */
    uint32_t **log, *log_n, *log_room;
    uint32_t *applied; /* [replica * n + origin]: number of applied entries of the log */
    /* ra: transactions on their way, in any order; cc: only their number */
    uint32_t **waiting, *waiting_n, *waiting_room;
} iso_replicas;

typedef struct iso_store {
    iso_pool *pool;
    iso_builder *b;
    const iso_workload *workload;
    iso_rng rng;
    iso_level level;

    iso_client *client;
    uint32_t n_clients;
    uint32_t *session;                     /* the builder's numbers */
    uint32_t *key;                         /* the builder's numbers; ISO_NONE: not used yet */
    uint32_t *stamp;                       /* by key: scratch while a transaction is prepared */
    uint32_t *active, n_active, n_running; /* clients with remaining work; running ones come first */
    uint32_t *place;                       /* by client: its index in active */
    uint64_t overlap;

    /* versions; the first n_keys are the initial ones */
    uint32_t n_versions, versions_room;
    int64_t *value;
    uint64_t *at;      /* commit number or timestamp */
    uint32_t *prev;    /* the previous version of the same key; ISO_NONE: none */
    uint64_t *read_at; /* ser, lser: the latest timestamp that read it; else NULL */
    uint32_t value_room, at_room, prev_room, read_room;
    uint32_t *version_key, key_room;

    uint32_t *current; /* by key, stores of one copy */
    uint64_t *touched; /* by key, lser: the latest timestamp of a transaction that accessed it; else NULL */
    uint64_t commits;
    iso_replicas replicas;

    int64_t now;   /* ns */
    int64_t fresh; /* the last new value that was used */
    bool times, keep_aborted;
    bool preload;
    double aborts, unknown, bug_rate;
    uint64_t retries;
    const iso_bug *bug;
    uint64_t installing; /* between iso_store_install_begin and _end: the timestamp, and the first version */
    uint32_t first_installed;
    iso_atom *elements; /* scratch for recording a list */
    uint32_t elements_room;
} iso_store;

#define ISO_NIL_VALUE INT64_MIN

/* store.c */
uint32_t iso_store_version(iso_store *s, uint32_t key, int64_t value, uint64_t at, uint32_t prev);
uint32_t iso_store_key(iso_store *s, uint32_t key);
/* Records a read of a list: all elements up to a version (ISO_NONE: none), then n more. */
void iso_store_record_list(iso_store *s, uint32_t txn, uint32_t key, uint32_t version, const iso_atom *more,
                           uint32_t n_more);
void iso_store_stop(iso_store *s, uint32_t client); /* undoes the running attempt */
int64_t iso_store_pass(iso_store *s);               /* advances the time; returns it */
static inline bool iso_store_replicated(const iso_store *s) { return s->level == ISO_CC || s->level == ISO_RA; }
static inline bool iso_store_stamped(const iso_store *s) { return s->level == ISO_SER || s->level == ISO_LSER; }

uint64_t iso_store_next_timestamp(iso_store *s); /* ser, lser: returns a timestamp above all earlier ones */
void iso_store_settle(iso_store *s);             /* ser, lser: from now on no clock lags */
/* One transaction of a client outside of the workload: newer than all others, and at all replicas at once. */
void iso_store_install_begin(iso_store *s, uint32_t client);
void iso_store_install(iso_store *s, uint32_t key, int64_t value);
void iso_store_install_end(iso_store *s, uint32_t client);

/* store_single.c: stores of one copy */
void iso_single_begin(iso_store *s, uint32_t client);
uint32_t iso_single_read(iso_store *s, iso_client *c, uint32_t key);
bool iso_single_commit(iso_store *s, uint32_t client); /* false: it must abort */

/* store_replicas.c */
void iso_replicas_init(iso_store *s, uint32_t n, uint64_t lag);
uint32_t iso_replicas_read(const iso_store *s, uint32_t client, uint32_t key);
void iso_replicas_commit(iso_store *s, uint32_t client);
void iso_replicas_sync(iso_store *s); /* delivers all transactions that are on their way */
/* Publishes the versions made since `first` as one transaction that committed at a client's replica. */
void iso_replicas_publish(iso_store *s, uint32_t client, uint32_t first);
uint64_t iso_replicas_tick(iso_store *s, uint32_t client); /* returns the timestamp of a commit there */

/* store_bugs.c */
const iso_bug *iso_bug_find(const iso_store *s, const char *name); /* throws if the workload has no such bug */
void iso_bug_play(iso_store *s);
void iso_bug_check(const iso_store *s); /* throws ISOLAB_E_USAGE if the store is too small for its bug */

#endif
