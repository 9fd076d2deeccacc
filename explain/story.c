/* What happened, as a person would say it: the sentences before the proof. See words.h. */
#include "explain/telling.h"

const char *iso_word_anomaly(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                             char buffer[ISO_SENTENCE_SIZE]) {
    iso_story s = {.h = h, .result = result, .a = a, .text = buffer};
    buffer[0] = '\0';
    if (a->n_cycle == 0) {
        iso_tell_read(&s);
    } else {
        iso_tell_cycle(&s);
    }
    return buffer;
}

/* ---- the proof ---- */

static iso_chain chain_of(const iso_result *r, const iso_anomaly *a) {
    return (iso_chain){.pool = r->pool, .edges = r->edges, .n_edges = r->n_edges, .first = a->cycle, .n = a->n_cycle};
}

const char *iso_word_cycle(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                           char buffer[ISO_SENTENCE_SIZE]) {
    iso_chain chain = chain_of(result, a);
    buffer[0] = '\0';
    return a->n_cycle == 0 ? buffer : iso_word_chain(h, &chain, buffer);
}

void iso_each_step(const isolab_history *h, const iso_result *result, const iso_anomaly *a, iso_step_told *each,
                   void *arg) {
    iso_chain chain = chain_of(result, a);
    iso_chain_steps(h, &chain, each, arg);
}

uint32_t *iso_anomaly_cast(iso_pool *pool, const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                           uint32_t *n) {
    iso_chain chain = chain_of(result, a);
    return iso_chain_cast(pool, h, &chain, a->op, a->other_op, n);
}

uint32_t iso_anomaly_txns(const isolab_history *h, const iso_result *result, const iso_anomaly *a, uint32_t *txns,
                          uint32_t room) {
    uint32_t n = 0;
    if (a->n_cycle > 0) {
        for (uint32_t i = 0; i < a->n_cycle; i++) {
            if (n < room) {
                txns[n] = result->edges[a->cycle + i].from;
            }
            n++;
        }
        return n;
    }
    uint32_t ops[2] = {a->op, a->other_op}, last = ISO_NONE;
    for (int i = 0; i < 2; i++) {
        if (ops[i] < h->n_ops && h->op_txn[ops[i]] != last) {
            last = h->op_txn[ops[i]];
            if (n < room) {
                txns[n] = last;
            }
            n++;
        }
    }
    return n;
}
