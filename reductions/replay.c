/* Runs transactions one by one. See replay.h. */
#include "reductions/replay.h"

static bool runs(const isolab_history *h, iso_pool *scratch, const uint32_t *order, uint32_t n) {
    uint32_t *current =
        ISO_NEW(scratch, uint32_t, h->n_keys); /* by key: its current version; ISO_NONE: the initial one */
    for (uint32_t k = 0; k < h->n_keys; k++) {
        current[k] = ISO_NONE;
    }
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t op = h->txn_op[order[i]]; op < h->txn_op[order[i] + 1]; op++) {
            uint32_t version = h->op_version[op], *now = &current[h->op_key[op]];
            if (iso_is_write(h->op_kind[op])) {
                *now = iso_version_is_initial(h, version) ? ISO_NONE : version;
            } else {
                good = good && (iso_version_is_initial(h, version) ? *now == ISO_NONE : *now == version);
            }
        }
    }
    iso_free(scratch, current);
    return good;
}

bool iso_replay(const isolab_history *h, iso_pool *scratch, const uint32_t *order, uint32_t n, bool real_time) {
    uint32_t *next = ISO_NEW(scratch, uint32_t, h->n_sessions); /* by session: its next transaction */
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        next[s] = h->session_txn[s];
    }
    bool good = n == h->n_txns;
    for (uint32_t i = 0; good && i < n; i++) {
        good = order[i] < h->n_txns && next[h->txn_session[order[i]]]++ == order[i];
    }
    iso_free(scratch, next);
    int64_t first_end = INT64_MAX; /* the earliest end among the later transactions of the order */
    for (uint32_t i = n; good && real_time && h->txn_start != NULL && i-- > 0;) {
        int64_t start = h->txn_start[order[i]], end = h->txn_end[order[i]];
        good = start == ISO_NO_TIME || first_end >= start;
        first_end = end != ISO_NO_TIME && end < first_end ? end : first_end;
    }
    return good && runs(h, scratch, order, n);
}

uint32_t *iso_replay_reads(const isolab_history *h, iso_pool *pool, const uint32_t *order, uint32_t n) {
    uint32_t *latest = ISO_NEW(pool, uint32_t, h->n_keys), *from = ISO_NEW(pool, uint32_t, h->n_ops);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        latest[k] = ISO_INIT;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t op = h->txn_op[order[i]]; op < h->txn_op[order[i] + 1]; op++) {
            from[op] = latest[h->op_key[op]];
            if (iso_is_write(h->op_kind[op])) {
                latest[h->op_key[op]] = op;
            }
        }
    }
    iso_free(pool, latest);
    return from;
}
