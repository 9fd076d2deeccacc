/* The answer of a checker: a verdict, anomalies, a certificate, and what the run cost.
 *
 * Everything is in transaction and operation numbers of the history. All edges are in one array; the cycle of an
 * anomaly and the premises of an edge are ranges of it, so an edge may be a premise of others. The certificate file
 * (certificates/certificate.h) has the same structure as text. */
#ifndef ISOLAB_CHECKERS_RESULT_H
#define ISOLAB_CHECKERS_RESULT_H

#include "history/edge.h"
#include "history/history.h"
#include "history/level.h"

const char *iso_edge_name(iso_edge_kind kind); /* `so`, as in certificates and JSON */

/* The edge of a read from a transaction, by its write (ISO_NONE, ISO_INIT: the initial one). */
static inline iso_edge iso_edge_of_read(const isolab_history *h, uint32_t from, uint32_t write, uint32_t read) {
    iso_edge e = iso_edge_of(ISO_EDGE_WR, from, h->op_txn[read]);
    e.key = h->op_key[read];
    e.op_from = write;
    e.op_to = read;
    return e;
}

/* The edge of real time between two transactions. */
static inline iso_edge iso_edge_in_time(const isolab_history *h, uint32_t from, uint32_t to, iso_pool *scratch) {
    iso_edge e = iso_edge_of(ISO_EDGE_RT, from, to);
    e.key = iso_common_key(h, from, to, scratch);
    return e;
}

/* The edge t2 -> t1 of an axiom, by a read of t3, without its premise. */
static inline iso_edge iso_edge_of_axiom(const isolab_history *h, uint32_t t2, uint32_t t1, uint32_t read) {
    iso_edge e = iso_edge_of(ISO_EDGE_AXIOM, t2, t1);
    e.key = h->op_key[read];
    e.reader_op = read;
    return e;
}

/* The kinds of anomaly. One table (iso_anomaly_get) has their names in the field's several languages. */
typedef enum {
    ISO_A_THIN_AIR,            /* Plume TAP-a */
    ISO_A_ABORTED_READ,        /* TAP-b, G1a */
    ISO_A_FUTURE_READ,         /* TAP-c */
    ISO_A_NOT_MY_OWN_WRITE,    /* TAP-d */
    ISO_A_NOT_MY_LAST_WRITE,   /* TAP-e */
    ISO_A_INTERMEDIATE_READ,   /* TAP-f, G1b */
    ISO_A_CYCLIC_CO,           /* TAP-g, G1c */
    ISO_A_NON_MONO_READ_CO,    /* TAP-h */
    ISO_A_NON_MONO_READ_CM,    /* TAP-i */
    ISO_A_NON_REPEATABLE_READ, /* TAP-j */
    ISO_A_FRACTURED_READ_CO,   /* TAP-k */
    ISO_A_FRACTURED_READ_CM,   /* TAP-l */
    ISO_A_CO_CONFLICT_CM,      /* TAP-m */
    ISO_A_CONFLICT_CM,         /* TAP-n */
    ISO_A_G0,
    ISO_A_G_SINGLE,
    ISO_A_G_NONADJACENT,
    ISO_A_G2_ITEM,
    ISO_A_LOST_UPDATE,
    ISO_A_WRITE_SKEW,
    ISO_A_LONG_FORK,
    ISO_A_PREFIX, /* the versions that a transaction saw are not a prefix of any order */
    ISO_A_READ_SKEW,
    ISO_A_READ_YOUR_WRITES, /* the session guarantees: guarantee.h */
    ISO_A_MONOTONIC_READS,
    ISO_A_MONOTONIC_WRITES,
    ISO_A_WRITES_FOLLOW_READS,
    ISO_A_KEY_TIME,  /* a cycle with real-time edges, each between two transactions that access a common key */
    ISO_A_KEY_CLOCK, /* of so, wr and such real-time edges alone */
    ISO_A_REAL_TIME, /* a cycle with a real-time edge */
    ISO_A_CLOCK,     /* of so, wr and real-time edges alone */
    ISO_A_DUPLICATE_APPEND,
    ISO_A_INCOMPATIBLE_ORDER,
    ISO_A_LOST_ELEMENT,
    ISO_A_NO_ORDER, /* no commit order exists, as a search showed */
    ISO_A_KINDS
} iso_anomaly_kind;

/* Plume's patterns (plume.txt, table 1) are the first kinds, in its order. Sets of them are bits. */
enum {
    ISO_TAP_A = ISO_A_THIN_AIR,
    ISO_TAP_B = ISO_A_ABORTED_READ,
    ISO_TAP_C = ISO_A_FUTURE_READ,
    ISO_TAP_D = ISO_A_NOT_MY_OWN_WRITE,
    ISO_TAP_E = ISO_A_NOT_MY_LAST_WRITE,
    ISO_TAP_F = ISO_A_INTERMEDIATE_READ,
    ISO_TAP_G = ISO_A_CYCLIC_CO,
    ISO_TAP_H = ISO_A_NON_MONO_READ_CO,
    ISO_TAP_I = ISO_A_NON_MONO_READ_CM,
    ISO_TAP_J = ISO_A_NON_REPEATABLE_READ,
    ISO_TAP_K = ISO_A_FRACTURED_READ_CO,
    ISO_TAP_L = ISO_A_FRACTURED_READ_CM,
    ISO_TAP_M = ISO_A_CO_CONFLICT_CM,
    ISO_TAP_N = ISO_A_CONFLICT_CM,
    ISO_TAPS
};
#define ISO_TAP_BIT(tap) ((uint32_t)1 << (tap))
#define ISO_TAPS_UP_TO(tap) (ISO_TAP_BIT((tap) + 1) - 1)

uint32_t iso_taps_of(iso_level level); /* the patterns that a level forbids (plume.txt, table 2) */
/* By pattern: its special cases, as bits. A triple that matches one of them also matches the pattern. */
extern const uint32_t iso_taps_special[ISO_TAPS];

typedef struct iso_anomaly_info {
    const char *name;      /* `fractured-read-co` */
    const char *plume;     /* `TAP-k`; NULL */
    const char *adya;      /* `G1a`; NULL */
    const char *meaning;   /* one sentence */
    const char *elle;      /* Elle's `duplicate-elements`; NULL: as Adya's, or none */
    iso_level breaks;      /* the weakest level that forbids it, by itself; ISO_NO_LEVEL: no name of a kind */
    const char *guarantee; /* `read your writes`: the session guarantee that it breaks; NULL: none */
    const char *also;      /* more names that people type, separated by spaces; NULL: none */
    bool of_read;          /* one read is wrong whatever the order: the anomaly may name it, without a cycle */
} iso_anomaly_info;

const iso_anomaly_info *iso_anomaly_get(iso_anomaly_kind kind);

/* A clausal proof about the rest of a history (history/rest.h). */
typedef struct iso_part_proof {
    const char *text;
    size_t size;
    bool of_commits;
    const uint32_t *op; /* by operation of the rest: its number in the whole */
} iso_part_proof;

enum { ISO_OTHER_CASES = 2, ISO_READS_NAMED = 4 };

typedef struct iso_anomaly {
    uint8_t kind;
    uint32_t op, other_op;   /* read consistency: the read and the write that makes it wrong; else ISO_NONE */
    uint32_t cycle, n_cycle; /* edges [cycle, cycle + n_cycle), each beginning where the last one ended */
    uint8_t pattern;         /* where kind is a session guarantee: the kind that the same cycle has among all cycles */
    const iso_part_proof *proof; /* of an anomaly that was found in a rest; NULL: it has none of its own */
    /* If a clausal proof refutes several cases, the cycle is one of them. */
    uint32_t n_cases;                /* number of all cases; 0: not known */
    iso_span other[ISO_OTHER_CASES]; /* cycles of more of them; n 0: none */
    uint32_t n_reads;                /* n_cycle 0: number of the reads that the proof needs */
    uint32_t reads[ISO_READS_NAMED]; /* the most important of them */
} iso_anomaly;

/* Returns whether the anomaly has this name, in any terminology (iso_is_name()). */
bool iso_anomaly_is(iso_anomaly_kind kind, const char *name);
/* Returns, for a name that people know and that is no anomaly of a history, which anomalies are the nearest; NULL: none
 * is known. */
const char *iso_anomaly_nearest(const char *name);

/* Plume's name of its pattern, `TAP-k`; NULL: none. */
const char *iso_anomaly_plume(const iso_anomaly *anomaly);

typedef struct iso_phase {
    const char *name; /* of the result's pool, or a literal; `a: b` is a part of phase `a` */
    int64_t ns;
} iso_phase;

typedef struct iso_counter {
    const char *name; /* a literal */
    uint64_t value;
} iso_counter;

/* Why a result is unknown or incomplete: a code for programs, beside the sentence for people. */
typedef enum {
    ISO_REASON_NONE,
    ISO_REASON_TIME,
    ISO_REASON_MEMORY,
    ISO_REASON_INTERRUPTED,
    ISO_REASON_SIZE,     /* more items than the checker can number */
    ISO_REASON_EFFORT,   /* a bound on the search was reached */
    ISO_REASON_LEVEL,    /* the checker does not support the level */
    ISO_REASON_REFUSED,  /* the checker does not take this history or question */
    ISO_REASON_TIMES,    /* the history has no times, so real time orders nothing */
    ISO_REASON_EVIDENCE, /* the level is satisfied, but without evidence; or its evidence is not known */
    ISO_REASONS
} iso_reason;

const char *iso_verdict_text(isolab_verdict verdict); /* `satisfied` */
const char *iso_reason_name(iso_reason code);         /* a word: `time`; NULL for ISO_REASON_NONE */
iso_reason iso_reason_find(const char *name); /* ISO_REASON_NONE for NULL; ISO_REASONS: no reason has this name */
iso_reason iso_reason_of_limit(iso_limit limit);

struct iso_result;
/* Takes the one anomaly of a result, which is gone after the call. */
typedef void iso_taker(void *arg, const struct iso_result *result);

typedef struct iso_result {
    iso_pool *pool;
    iso_taker *taker; /* takes each anomaly instead of the result's keeping it; NULL: all are kept */
    void *taker_arg;
    uint64_t taken;  /* how many it has taken */
    iso_level level; /* of the question */
    isolab_verdict verdict;
    char reason[512]; /* unknown: why; violated: the limit that stopped the search for more anomalies, or empty;
                       * satisfied: a remark, or empty */
    iso_reason reason_code;

    iso_anomaly *anomalies;
    uint32_t n_anomalies, anomalies_room;
    uint64_t seen[ISO_A_KINDS]; /* number of instances found of each kind, including anomalies that were not kept */
    iso_edge *edges;
    uint32_t n_edges, edges_room;

    /* Satisfied: all included transactions in commit order, without ISO_INIT; NULL: not given. With repeated values
     * also the write that each ambiguous read read from. */
    uint32_t *order;
    uint32_t n_order;
    uint32_t *read_from; /* by operation; NULL: no ambiguous reads */

    /* Violated, as a search found: a clausal proof in the format of docs/certificates.md; NULL: none. */
    char *proof;
    size_t proof_size;
    bool proof_of_commits; /* it is a proof of commits, by the level's axiom */

    char *witnesses; /* --count: the exact number in decimal, or NULL */

    iso_phase running; /* the phase that began at ns, and becomes a phase also if a limit ends it; NULL name: none */
    iso_phase *phase;
    unsigned n_phases, phase_room;
    iso_counter *counter;
    unsigned n_counters, counter_room;
} iso_result;

void iso_result_init(iso_result *result, iso_pool *pool); /* the verdict is unknown until the checker sets it */
/* Call this after the whole history was checked: the verdict is satisfied unless an anomaly was found. */
void iso_result_conclude(iso_result *result);
uint32_t iso_result_edge(iso_result *result, iso_edge edge); /* appends an edge and returns its number */
/* Counts an anomaly and keeps it, or gives it to the taker, and then its edges are gone, too. The verdict is violated
 * from now on, even if a limit stops the search. Returns the anomaly's number. */
uint32_t iso_result_anomaly(iso_result *result, iso_anomaly anomaly);
/* Returns whether a limit (0: none) allows one more anomaly. */
static inline bool iso_result_has_room(const iso_result *result, uint64_t limit) {
    return limit == 0 || result->n_anomalies + result->taken < limit;
}
/* Sets the reason and its code. */
void iso_result_reason(iso_result *result, iso_reason code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void iso_result_phase(iso_result *result, const char *name,
                      int64_t since); /* since: iso_now() at the beginning of the phase */
void iso_result_counter(iso_result *result, const char *name, uint64_t value);

#endif
