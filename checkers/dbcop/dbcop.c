/* The descriptor of dbcop, and the problem in dense arrays. See dbcop.h. */
#include "checkers/dbcop/dbcop.h"

#include <string.h>

#include "checkers/anomaly.h"
#include "history/read_consistency.h"

static void number_txns(iso_dbcop_problem *p, bool no_session_order) {
    const isolab_history *h = p->h;
    p->txn = ISO_NEW(p->pool, uint32_t, h->n_txns);
    p->dense = ISO_NEW(p->pool, uint32_t, h->n_txns);
    p->session = ISO_NEW(p->pool, uint32_t, h->n_txns);
    p->first = ISO_NEW(p->pool, uint32_t, (size_t)(no_session_order ? h->n_txns : h->n_sessions) + 1);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t before = p->n;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            p->dense[t] = h->txn_counts[t] == ISO_INCLUDED ? p->n : ISO_NONE;
            if (p->dense[t] == ISO_NONE) {
                continue;
            }
            if (p->n == before || no_session_order) {
                p->first[p->k++] = p->n;
            }
            p->session[p->n] = p->k - 1;
            p->txn[p->n++] = t;
        }
    }
    p->first[p->k] = p->n;
}

/* Collects the slots and reads, transaction by transaction. A second write of a key, or read of a value, by the same
 * transaction is recognised by a mark that the first one left. */
static void collect(iso_dbcop_problem *p) {
    const isolab_history *h = p->h;
    uint32_t *op_slot = ISO_NEW(p->pool, uint32_t, h->n_ops), *key_slot = ISO_NEW_NONE(p->pool, h->n_keys);
    p->slot_first = ISO_NEW(p->pool, uint32_t, (size_t)p->n + 1);
    p->slot_key = ISO_NEW(p->pool, uint32_t, h->n_ops);
    p->slot_txn = ISO_NEW(p->pool, uint32_t, h->n_ops);
    uint32_t slots = 0;
    for (uint32_t t = 0; t < p->n; t++) {
        p->slot_first[t] = slots;
        for (uint32_t o = h->txn_op[p->txn[t]]; o < h->txn_op[p->txn[t] + 1]; o++) {
            if (!iso_is_write(h->op_kind[o])) {
                continue;
            }
            uint32_t *slot = &key_slot[h->op_key[o]];
            if (*slot == ISO_NONE || *slot < p->slot_first[t]) {
                p->slot_key[slots] = h->op_key[o];
                p->slot_txn[slots] = t;
                *slot = slots++;
            }
            op_slot[o] = *slot;
        }
    }
    p->slot_first[p->n] = slots;
    size_t sources = (size_t)slots + h->n_keys;
    uint32_t *seen = ISO_NEW_NONE(p->pool, sources); /* by source: the last transaction that read from it */
    p->readers = ISO_ZNEW(p->pool, uint32_t, sources);
    p->read_first = ISO_NEW(p->pool, uint32_t, (size_t)p->n + 1);
    p->read_key = ISO_NEW(p->pool, uint32_t, h->n_ops);
    p->read_from = ISO_NEW(p->pool, uint32_t, h->n_ops);
    p->read_op = ISO_NEW(p->pool, uint32_t, h->n_ops);
    uint32_t reads = 0;
    for (uint32_t t = 0; t < p->n; t++) {
        p->read_first[t] = reads;
        for (uint32_t o = h->txn_op[p->txn[t]]; o < h->txn_op[p->txn[t] + 1]; o++) {
            uint32_t from = h->op_writer[o];
            if (h->op_kind[o] != ISO_READ || (from != ISO_INIT && h->op_txn[from] == p->txn[t])) {
                continue;
            }
            size_t source = from == ISO_INIT ? (size_t)slots + h->op_key[o] : op_slot[from];
            if (seen[source] != t) {
                seen[source] = t;
                p->readers[source]++;
                p->read_key[reads] = h->op_key[o];
                p->read_from[reads] = from == ISO_INIT ? ISO_INIT : op_slot[from];
                p->read_op[reads++] = o;
            }
        }
    }
    p->read_first[p->n] = reads;
    iso_free(p->pool, op_slot);
    iso_free(p->pool, key_slot);
    iso_free(p->pool, seen);
}

static void report_int(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    iso_result_anomaly(arg,
                       (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read_op, .other_op = other_op});
}

static void run_dbcop(const iso_checker *self, const isolab_history *h, const iso_question *question,
                      iso_result *result) {
    (void)self;
    if (iso_check_int(h, result->pool, report_int, result) > 0) {
        return;
    }
    iso_dbcop_problem p = {.h = h, .pool = result->pool, .level = question->level};
    number_txns(&p, question->no_session_order);
    collect(&p);
    if (!iso_level_has(question->level, ISO_SEES_PREFIX)) {
        iso_dbcop_saturate(&p, result, question->certificate);
    } else {
        iso_dbcop_search(&p, result, question->certificate);
    }
    iso_result_conclude(result);
}

const iso_checker iso_checker_dbcop = {
    .name = "dbcop",
    .summary = "saturation for weak levels, a search over prefixes of the sessions for strong ones",
    .complexity = "O(n^3) for rc, ra and cc; O(n^k) for k sessions",
    .paper = "Biswas and Enea 2019, as cited by awdit.txt and plume.txt",
    .levels = ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_RA) | ISO_LEVEL_BIT(ISO_CC) | ISO_LEVEL_BIT(ISO_PC) |
              ISO_LEVEL_BIT(ISO_SI) | ISO_LEVEL_BIT(ISO_SER) | ISO_LEVEL_BIT(ISO_SSER),
    .can = ISO_CAN_NO_SESSIONS,
    .run = run_dbcop,
};
