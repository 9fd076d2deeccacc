/* See story.h. */
#include "explain/story.h"

#include <stdio.h>

static iso_offence offence_of(iso_anomaly_kind kind) {
    static const iso_offence of[ISO_A_KINDS] = {[ISO_A_THIN_AIR] = ISO_OFFENCE_THIN_AIR,
                                                [ISO_A_ABORTED_READ] = ISO_OFFENCE_ABORTED,
                                                [ISO_A_FUTURE_READ] = ISO_OFFENCE_FUTURE,
                                                [ISO_A_NOT_MY_OWN_WRITE] = ISO_OFFENCE_NOT_OWN,
                                                [ISO_A_NOT_MY_LAST_WRITE] = ISO_OFFENCE_NOT_LAST_OWN,
                                                [ISO_A_INTERMEDIATE_READ] = ISO_OFFENCE_NOT_LAST,
                                                [ISO_A_NON_REPEATABLE_READ] = ISO_OFFENCE_UNREPEATABLE,
                                                [ISO_A_DUPLICATE_APPEND] = ISO_OFFENCE_DUPLICATE,
                                                [ISO_A_INCOMPATIBLE_ORDER] = ISO_OFFENCE_INCOMPATIBLE,
                                                [ISO_A_LOST_ELEMENT] = ISO_OFFENCE_LOST,
                                                [ISO_A_LOST_UPDATE] = ISO_OFFENCE_UPDATES};
    return of[kind];
}

iso_chain iso_anomaly_chain(const iso_result *r, const iso_anomaly *a) {
    return (iso_chain){.pool = r->pool,
                       .edges = r->edges,
                       .n_edges = r->n_edges,
                       .first = a->cycle,
                       .n = a->n_cycle,
                       .level = r->level,
                       .other = a->other,
                       .n_other = ISO_OTHER_CASES,
                       .n_cases = a->n_cases,
                       .reads = a->reads,
                       .n_named = a->n_reads < ISO_READS_NAMED ? a->n_reads : ISO_READS_NAMED,
                       .n_reads = a->n_reads,
                       .searched = a->kind == ISO_A_NO_ORDER,
                       .offence = a->n_cycle == 0 ? offence_of((iso_anomaly_kind)a->kind) : ISO_OFFENCE_NONE,
                       .op = a->op,
                       .other_op = a->other_op};
}

const char *iso_word_anomaly(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                             char buffer[ISO_SENTENCE_SIZE]) {
    iso_chain chain = iso_anomaly_chain(result, a);
    if (iso_word_happened(h, &chain, buffer)[0] == '\0') {
        snprintf(buffer, ISO_SENTENCE_SIZE, "%s", iso_anomaly_get((iso_anomaly_kind)a->kind)->meaning);
    }
    return buffer;
}

const char *iso_word_cycle(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                           char buffer[ISO_SENTENCE_SIZE]) {
    iso_chain chain = iso_anomaly_chain(result, a);
    buffer[0] = '\0';
    return a->n_cycle == 0 ? buffer : iso_word_chain(h, &chain, buffer);
}

void iso_each_step(const isolab_history *h, const iso_result *result, const iso_anomaly *a, iso_step_told *each,
                   void *arg) {
    iso_chain chain = iso_anomaly_chain(result, a);
    iso_chain_steps(h, &chain, each, arg);
}

uint32_t *iso_anomaly_cast(iso_pool *pool, const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                           uint32_t *n) {
    iso_chain chain = iso_anomaly_chain(result, a);
    return iso_chain_cast(pool, h, &chain, n);
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
