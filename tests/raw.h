/* Small random inputs of the builder, as plain records: a test computes by brute force which history the builder must
 * make of them. They have registers and lists, strings, nil and the initial value, duplicates, aborted and
 * indeterminate transactions, operations that interleave. */
#ifndef ISOLAB_TESTS_RAW_H
#define ISOLAB_TESTS_RAW_H

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "history/builder.h"
#include "tests/agree.h"

enum { RAW_TXNS = 12, RAW_OPS = 160, RAW_ELEMENTS = 5, RAW_KEYS = 4 };

typedef struct raw_op {
    uint32_t txn;
    iso_op_kind kind;
    uint32_t key;
    int value; /* see raw_value() */
    int element[RAW_ELEMENTS];
    unsigned n_elements;
} raw_op;

typedef struct raw_history {
    unsigned n_txns, n_ops, n_sessions;
    uint32_t session[RAW_TXNS];
    iso_status status[RAW_TXNS];
    raw_op op[RAW_OPS];
    bool zero_is_initial;
    unsigned shape; /* which family of values: 0 small, 1 strings, 2 huge, 3 spread, 4 mixed */
} raw_history;

/* What number v stands for: two numbers are the same value when their atoms are equal. -1 is nil. */
static iso_atom raw_value(iso_builder *b, const raw_history *r, int v) {
    char text[16];
    if (v < 0) {
        return iso_atom_nil();
    }
    switch (r->shape == 4 ? (unsigned)v % 4 : r->shape) {
    case 1: {
        int n = snprintf(text, sizeof text, "v%d", v);
        return iso_builder_string(b, text, (size_t)n);
    }
    case 2:
        return v == 0 ? iso_atom_int(0) : iso_atom_uint(UINT64_MAX - (uint64_t)v);
    case 3:
        return iso_atom_int((int64_t)v * (v % 2 == 0 ? 1000003 : -7777777777));
    default:
        return iso_atom_int(v);
    }
}

static iso_atom raw_key(iso_builder *b, const raw_history *r, uint32_t key) {
    char text[16];
    if (r->shape == 1 || (r->shape == 4 && key % 2 == 1)) {
        int n = snprintf(text, sizeof text, "k%u", (unsigned)key);
        return iso_builder_string(b, text, (size_t)n);
    }
    return r->shape == 2 ? iso_atom_uint((uint64_t)key << 62) : iso_atom_int((int64_t)key * 5);
}

/* Odd keys are lists when lists are asked for. One in 32 histories has long transactions. */
static inline void raw_random(raw_history *r, iso_rng *rng) {
    r->n_sessions = 1 + (unsigned)iso_random_below(rng, 4);
    bool is_long = iso_random_below(rng, 32) == 0;
    r->n_txns = 1 + (unsigned)iso_random_below(rng, is_long ? 2 : RAW_TXNS);
    r->n_ops = (unsigned)iso_random_below(rng, (is_long ? RAW_OPS : RAW_OPS / 4) + 1);
    r->zero_is_initial = iso_random_below(rng, 2) == 0;
    r->shape = (unsigned)iso_random_below(rng, 5);
    bool lists = iso_random_below(rng, 2) == 0, unique = iso_random_below(rng, 2) == 0;
    bool interleave = iso_random_below(rng, 3) == 0, all_commit = iso_random_below(rng, 2) == 0;
    unsigned keys = 1 + (unsigned)iso_random_below(rng, RAW_KEYS);
    int values = 1 + (int)iso_random_below(rng, is_long ? 60 : 12), counter = 0;
    for (unsigned t = 0; t < r->n_txns; t++) {
        r->session[t] = (uint32_t)iso_random_below(rng, r->n_sessions);
        uint64_t s = iso_random_below(rng, 6);
        r->status[t] = all_commit || s < 3 ? ISO_COMMITTED : s == 3 ? ISO_ABORTED : ISO_INDETERMINATE;
    }
    for (unsigned i = 0; i < r->n_ops; i++) {
        raw_op *o = &r->op[i];
        o->txn = interleave ? (uint32_t)iso_random_below(rng, r->n_txns) : i * r->n_txns / r->n_ops;
        o->key = (uint32_t)iso_random_below(rng, keys);
        bool list = lists && o->key % 2 == 1, write = iso_random_below(rng, 2) == 0;
        o->kind = list ? (write ? ISO_APPEND : ISO_LIST_READ) : write ? ISO_WRITE : ISO_READ;
        int low = iso_random_below(rng, 8) == 0 ? -1 : 0;
        o->value = low < 0 ? -1 : (int)iso_random_below(rng, (uint64_t)values);
        if (write && (unique || list)) {
            o->value = ++counter;
        }
        o->n_elements = 0;
        while (o->kind == ISO_LIST_READ && o->n_elements < RAW_ELEMENTS && iso_random_below(rng, 4) != 0) {
            int e = (int)iso_random_below(rng, (uint64_t)values);
            for (unsigned j = i; j-- > 0 && iso_random_below(rng, 3) != 0;) { /* mostly what was appended */
                if (r->op[j].kind == ISO_APPEND && r->op[j].key == o->key) {
                    e = r->op[j].value;
                    break;
                }
            }
            o->element[o->n_elements++] = e;
        }
    }
}

static inline isolab_history *raw_build(const raw_history *r, iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    if (r->zero_is_initial) {
        iso_builder_initial(b, raw_value(b, r, 0));
    }
    for (unsigned t = 0; t < r->n_txns; t++) {
        uint32_t s = iso_builder_session(b, iso_atom_int(r->session[t]));
        iso_builder_txn(b, s, iso_atom_int((int64_t)t), r->status[t]);
    }
    for (unsigned i = 0; i < r->n_ops; i++) {
        const raw_op *o = &r->op[i];
        uint32_t key = iso_builder_key(b, raw_key(b, r, o->key));
        if (o->kind == ISO_LIST_READ) {
            iso_atom element[RAW_ELEMENTS];
            for (unsigned e = 0; e < o->n_elements; e++) {
                element[e] = raw_value(b, r, o->element[e]);
            }
            iso_builder_list_read(b, o->txn, key, element, o->n_elements);
        } else {
            iso_builder_op(b, o->txn, o->kind, key, raw_value(b, r, o->value));
        }
    }
    return iso_builder_finish(b);
}

/* A history of at most this number of transactions, and of operations in all. */
static inline isolab_history *raw_small(iso_pool *pool, iso_rng *rng, unsigned txns, unsigned ops) {
    raw_history r;
    do {
        raw_random(&r, rng);
    } while (r.n_txns > txns || r.n_ops > ops);
    return raw_build(&r, pool);
}

static inline unsigned raw_rounds(unsigned quick, unsigned normal, unsigned deep) {
    return (unsigned)iso_agree_rounds(quick, normal, deep);
}

#endif
