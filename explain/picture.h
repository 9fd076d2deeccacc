/* A counterexample as a picture: the transactions and operations of one anomaly, and the arrows between them. What
 * dot.h and draw.h draw. Everything is of the pool given, in proportion to the anomaly and not to the history. */
#ifndef ISOLAB_EXPLAIN_PICTURE_H
#define ISOLAB_EXPLAIN_PICTURE_H

#include "checkers/result.h"

/* More of them are left out, premises before the steps of the cycle. */
#define ISO_PICTURE_ARROWS 60

typedef struct iso_arrow {
    uint32_t from, to;       /* transactions; from may be ISO_INIT, to may be too */
    uint32_t op_from, op_to; /* the operations that it leads from and to; ISO_NONE: the transaction as a whole */
    uint32_t key;            /* ISO_NONE: none */
    uint8_t kind;            /* iso_edge_kind */
    bool in_cycle;           /* else a premise, or the read that an axiom is about */
    uint32_t step;           /* the number of its sentence, from 1; 0: it has none */
} iso_arrow;

typedef struct iso_picture {
    const isolab_history *h;
    const iso_anomaly *anomaly;
    uint32_t *txn, n_txns;   /* from top to bottom: so and wr lead downwards, but in a cycle of them */
    uint32_t *op, n_ops;     /* ascending, so transaction by transaction */
    uint8_t *wrong;          /* by place in op: the picture is about this operation */
    uint32_t *lane, n_lanes; /* sessions, in the order of their first transaction in txn; init has none */
    iso_arrow *arrow;
    uint32_t n_arrows;
    uint32_t left_out;
} iso_picture;

iso_picture *iso_picture_make(iso_pool *pool, const isolab_history *h, const iso_result *result,
                              const iso_anomaly *anomaly);

/* `so`, `wr x`, `x` ...: the arrow in a word or two. */
const char *iso_arrow_text(const isolab_history *h, const iso_arrow *arrow, char *buffer, size_t size);

/* Is it concluded (dashed) and not observed? */
static inline bool iso_arrow_inferred(const iso_arrow *a) {
    return a->kind != ISO_EDGE_SO && a->kind != ISO_EDGE_WR && a->kind != ISO_EDGE_RT;
}

/* `fractured-read-co (Plume TAP-k, Adya G-single)`. */
const char *iso_picture_title(const iso_picture *p, char *buffer, size_t size);

/* The sentences of the picture, in order: each(arg, number, sentence); the number is that of arrows' step, 0 for the
 * sentence that tells the anomaly. */
void iso_picture_sentences(iso_picture *p, const iso_result *result,
                           void (*each)(void *arg, unsigned number, const char *sentence), void *arg);

#endif
