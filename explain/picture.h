/* A counterexample as a picture: the transactions and operations of one anomaly, and the arrows between them, as svg.h
 * and draw.h draw them. All memory belongs to the given pool; its size depends on the anomaly, not on the history. */
#ifndef ISOLAB_EXPLAIN_PICTURE_H
#define ISOLAB_EXPLAIN_PICTURE_H

#include "checkers/result.h"
#include "explain/story.h"

/* Limit of arrows. Further ones are left out, premises before steps of the cycle. */
#define ISO_PICTURE_ARROWS 60

/* How a kind of arrow is named and drawn: arrows differ in form, not only in colour. */
typedef struct iso_arrow_kind {
    const char *label;   /* `inf` */
    const char *verb;    /* `must precede`: the words of a list of arrows */
    const char *meaning; /* the words of a legend */
    const char *colour;  /* the name of a colour of pictures (svg.h) */
    const char *dash;    /* the lengths of dashes and gaps, in pixels; "": a solid line */
    bool hollow;         /* its head is not filled */
    bool twice;          /* its line is double */
} iso_arrow_kind;
extern const iso_arrow_kind iso_arrow_kinds[ISO_EDGE_KINDS];

typedef struct iso_arrow {
    uint32_t from, to;            /* transactions; each may be ISO_INIT */
    uint32_t op_from, op_to;      /* the operations at its two ends; ISO_NONE: the transaction as a whole */
    uint32_t key;                 /* ISO_NONE: none */
    uint8_t kind;                 /* iso_edge_kind */
    bool in_cycle;                /* otherwise a premise, or the read of an axiom edge */
    char number[ISO_NUMBER_SIZE]; /* of its sentence; "": none */
} iso_arrow;

typedef struct iso_picture {
    const isolab_history *h;
    const iso_anomaly *anomaly;
    uint32_t *txn, n_txns;   /* from top to bottom: so and wr lead downwards, except on a cycle of so and wr */
    uint32_t *op, n_ops;     /* ascending, so in the order of transactions */
    uint8_t *wrong;          /* by index in op: the operation offends */
    uint32_t *lane, n_lanes; /* sessions, in the order of their first transaction in txn; init has no lane */
    iso_arrow *arrow;
    uint32_t n_arrows;
    uint32_t left_out;
} iso_picture;

iso_picture *iso_picture_make(iso_pool *pool, const isolab_history *h, const iso_result *result,
                              const iso_anomaly *anomaly);

/* Returns the label of an arrow, in a word or two: `so`, `wr x`, `x` ... */
const char *iso_arrow_text(const isolab_history *h, const iso_arrow *arrow, char *buffer, size_t size);

/* Returns whether the edge is inferred (dashed) and not observed. */
static inline bool iso_arrow_inferred(const iso_arrow *a) {
    return a->kind != ISO_EDGE_SO && a->kind != ISO_EDGE_WR && a->kind != ISO_EDGE_RT;
}

/* Returns the title, for example `fractured-read-co (Plume TAP-k, Adya G-single)`. */
const char *iso_picture_title(const iso_picture *p, char *buffer, size_t size);

/* Calls each(arg, depth, number, sentence) for the sentences of the picture in order: first, without a number, what
 * happened, then the steps. */
typedef void iso_telling(void *arg, unsigned depth, const char *number, const char *sentence);
void iso_picture_sentences(const iso_picture *p, const iso_result *result, iso_telling *each, void *arg);

#endif
