/* An edge: the reason why one transaction comes before another in every commit order. Checkers find edges, certificates
 * have them, and explanations tell them. */
#ifndef ISOLAB_HISTORY_EDGE_H
#define ISOLAB_HISTORY_EDGE_H

#include "history/history.h"

/* Kinds of edges. */
typedef enum {
    ISO_EDGE_SO,    /* session order; also from the initial transaction to any other */
    ISO_EDGE_WR,    /* op_from is the write, op_to the read */
    ISO_EDGE_RT,    /* real time: from.end < to.start; key is one that both access, or none */
    ISO_EDGE_AXIOM, /* the level's axiom: from = t2 and to = t1 write the key, reader_op of t3 reads it from t1, and the
                     * premise says why t2 is before t3 (rc: an operation of t3 before reader_op reads from t2) */
    ISO_EDGE_RW,    /* anti-dependency: op_from of `from` reads key from t1, `to` writes key, premise: t1 before `to` */
    ISO_EDGE_WW,    /* op_from and op_to write the key; premise: why the opposite order is impossible */
    ISO_EDGE_LIST,  /* a list read (reader_op) shows the elements of `from` before those of `to` */
    ISO_EDGE_KINDS
} iso_edge_kind;

typedef struct iso_edge {
    uint32_t from, to; /* transactions; from may be ISO_INIT */
    uint8_t kind;
    uint32_t key;                /* ISO_NONE: no key */
    uint32_t op_from, op_to;     /* the operations that make the edge; ISO_NONE: none */
    uint32_t reader_op;          /* AXIOM, LIST: the read of t3 */
    uint32_t premise, n_premise; /* edges [premise, premise + n_premise): a path; for AXIOM from t2 to t3 */
} iso_edge;

/* An edge of a kind without a key, operations and premises. */
static inline iso_edge iso_edge_of(iso_edge_kind kind, uint32_t from, uint32_t to) {
    return (iso_edge){.from = from,
                      .to = to,
                      .kind = (uint8_t)kind,
                      .key = ISO_NONE,
                      .op_from = ISO_NONE,
                      .op_to = ISO_NONE,
                      .reader_op = ISO_NONE};
}

/* Edges [first, first + n) of an array: a path or a cycle. */
typedef struct iso_span {
    uint32_t first, n;
} iso_span;

/* What an edge assumes, because neither the history nor premises show it. Then it holds only in one of several cases,
 * and only a clausal proof refutes them all. */
enum {
    ISO_ASSUMES_WRITER = 1, /* an ambiguous read read from one of its possible writers */
    ISO_ASSUMES_ORDER = 2,  /* one of two transactions comes first */
    ISO_ASSUMES_EFFECT = 4  /* an indeterminate transaction took effect */
};
unsigned iso_edge_assumes(const isolab_history *h, const iso_edge *edge); /* 0: nothing */

#endif
