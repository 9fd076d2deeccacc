/* What a checker answers: a verdict, anomalies, a certificate, and what the run cost.
 *
 * Everything is written in the transaction and operation numbers of the history. Edges live in one array;
 * an anomaly's cycle and an edge's premises are ranges of it, so that a justification can lean on others.
 * The certificate file (verify/certificate.h) is this structure as text.
 */
#ifndef ISOLAB_CHECKERS_RESULT_H
#define ISOLAB_CHECKERS_RESULT_H

#include "history/history.h"
#include "history/level.h"

/* Why one transaction comes before another in every commit order. */
typedef enum {
    ISO_EDGE_SO,    /* session order (also: the initial transaction before any other) */
    ISO_EDGE_WR,    /* op_from is the write, op_to the read */
    ISO_EDGE_RT,    /* real time: from.end < to.start */
    ISO_EDGE_AXIOM, /* the level's axiom: from = t2 and to = t1 write key, reader_op of t3 reads it from t1,
                      and the premise says why t2 is before t3 (rc: op of t3 before reader_op that reads t2) */
    ISO_EDGE_RW,    /* anti-dependency: op_from of `from` reads key from t1, `to` writes key, premise: t1 before `to` */
    ISO_EDGE_WW,    /* op_from and op_to write key, premise: why the other way round is impossible */
    ISO_EDGE_LIST,  /* a list read (reader_op) shows the elements of `from` before those of `to` */
    ISO_EDGE_KINDS
} iso_edge_kind;

typedef struct iso_edge {
    uint32_t from, to; /* transactions; from may be ISO_INIT */
    uint8_t kind;
    uint32_t key;                /* ISO_NONE where there is none */
    uint32_t op_from, op_to;     /* the operations that make the edge; ISO_NONE where there are none */
    uint32_t reader_op;          /* AXIOM, LIST: the read of t3 */
    uint32_t premise, n_premise; /* edges [premise, premise + n_premise): a path, from t2 to t3 for AXIOM */
} iso_edge;

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
    ISO_A_PREFIX, /* what a transaction saw is no prefix of any order */
    ISO_A_READ_SKEW,
    ISO_A_REAL_TIME, /* a cycle with a real-time edge */
    ISO_A_DUPLICATE_APPEND,
    ISO_A_INCOMPATIBLE_ORDER,
    ISO_A_LOST_ELEMENT,
    ISO_A_NO_ORDER, /* no commit order exists, shown by search */
    ISO_A_KINDS
} iso_anomaly_kind;

typedef struct iso_anomaly_info {
    const char *name;    /* `fractured-read-co` */
    const char *plume;   /* `TAP-k`; NULL */
    const char *adya;    /* `G1a`; NULL */
    const char *meaning; /* one sentence */
    const char *elle;    /* Elle's `duplicate-elements`; NULL: as Adya's, or none */
    iso_level breaks;    /* the weakest level that forbids it, by itself; ISO_LEVELS: no name of a kind */
} iso_anomaly_info;

const iso_anomaly_info *iso_anomaly_get(iso_anomaly_kind kind);

typedef struct iso_anomaly {
    uint8_t kind;
    uint32_t op, other_op;   /* read consistency: the read and the write that makes it wrong; else ISO_NONE */
    uint32_t cycle, n_cycle; /* edges [cycle, cycle + n_cycle), each beginning where the last one ended */
} iso_anomaly;

typedef struct iso_phase {
    const char *name; /* a literal */
    int64_t ns;
} iso_phase;

typedef struct iso_counter {
    const char *name; /* a literal */
    uint64_t value;
} iso_counter;

/* Why a result is unknown, or not all of it: for programs, beside the sentence for people. */
typedef enum {
    ISO_REASON_NONE,
    ISO_REASON_TIME,
    ISO_REASON_MEMORY,
    ISO_REASON_INTERRUPTED,
    ISO_REASON_SIZE,     /* more of something than the checker can number */
    ISO_REASON_EFFORT,   /* a bound on searching was reached */
    ISO_REASON_LEVEL,    /* the checker does not know the level */
    ISO_REASON_REFUSED,  /* the checker does not take this history or request */
    ISO_REASON_TIMES,    /* the history has no times, so real time orders nothing */
    ISO_REASON_EVIDENCE, /* it is satisfied, and could not have been violated; or that is not known */
    ISO_REASONS
} iso_reason;

const char *iso_reason_name(iso_reason code); /* one word: `time`; NULL for ISO_REASON_NONE */
iso_reason iso_reason_find(const char *name); /* ISO_REASON_NONE for NULL; ISO_REASONS: there is none of that name */
iso_reason iso_reason_of_limit(iso_limit limit);

typedef struct iso_result {
    iso_pool *pool;
    isolab_verdict verdict;
    char reason[512]; /* unknown: why; violated: the limit that ended the work before all was found, or empty;
                         satisfied: what must be said besides, or empty */
    iso_reason reason_code;

    iso_anomaly *anomalies;
    uint32_t n_anomalies, anomalies_room;
    uint64_t seen[ISO_A_KINDS]; /* instances found of each kind, also those not kept */
    iso_edge *edges;
    uint32_t n_edges, edges_room;

    /* Satisfied: all transactions that take part, in commit order (ISO_INIT left out); NULL: not given.
     * With duplicate values also, for each read that had a choice, the write it read from. */
    uint32_t *order;
    uint32_t n_order;
    uint32_t *read_from; /* by operation; NULL: no choices */

    /* Violated by search: a clausal proof in the format of docs/certificates.md; NULL: none. */
    char *proof;
    size_t proof_size;
    bool proof_of_commits; /* its order is that of commits, by the level's own axiom */

    char *witnesses; /* --count: the exact number in decimal; NULL */

    iso_phase *phase;
    unsigned n_phases, phase_room;
    iso_counter *counter;
    unsigned n_counters, counter_room;
} iso_result;

void iso_result_init(iso_result *result, iso_pool *pool); /* unknown: a checker says its verdict, each one */
/* All of the history was looked at: satisfied, unless something was found. */
void iso_result_conclude(iso_result *result);
uint32_t iso_result_edge(iso_result *result, iso_edge edge); /* appends; returns its number */
/* Counts an anomaly and keeps it (violated from now on, whatever limit ends the rest). Returns its number. */
uint32_t iso_result_anomaly(iso_result *result, iso_anomaly anomaly);
/* Fills in reason, and its code. */
void iso_result_reason(iso_result *result, iso_reason code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void iso_result_phase(iso_result *result, const char *name, int64_t since); /* since: iso_now() before it */
void iso_result_counter(iso_result *result, const char *name, uint64_t value);

#endif
