/* Evidence about times. See evidence.h. */
#include "base/clones.h"
#include "base/sort.h"
#include "checkers/evidence.h"

/* Number of transactions, the first of every session, whose pairs are counted before the whole history is read. */
enum { SAMPLE = 1 << 11 };

/* Number of transactions in the order of time after which the count ends with a lower bound. */
enum { ENOUGH = 1 << 12 };

static bool has(const int64_t *time, uint32_t t) { return time != NULL && time[t] != ISO_NO_TIME; }

/* Returns the number of overlapping pairs among the first `most` transactions of every session: for each start, the
 * earlier starts whose transactions have not ended. */
static uint64_t count_overlaps(iso_pool *pool, const isolab_history *h, uint32_t most) {
    int64_t *start = ISO_NEW(pool, int64_t, h->n_txns), *end = ISO_NEW(pool, int64_t, h->n_txns);
    uint32_t n = 0, ended = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t room = most;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && room > 0; t++) {
            if (h->txn_counts[t] != ISO_EXCLUDED && has(h->txn_start, t) && has(h->txn_end, t)) {
                start[n] = h->txn_start[t];
                end[n++] = h->txn_end[t];
                room--;
            }
        }
    }
    const uint32_t *by_start = iso_sorted_by(pool, start, n), *by_end = iso_sorted_by(pool, end, n);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (end[by_end[ended]] < start[by_start[i]]) {
            ended++;
        }
        pairs += i - ended;
    }
    iso_free(pool, start);
    iso_free(pool, end);
    return pairs;
}

static void find_overlaps(iso_evidence *e, iso_pool *pool, const isolab_history *h) {
    uint32_t each = h->n_sessions < SAMPLE ? SAMPLE / h->n_sessions : 1;
    if (h->n_txns > SAMPLE && each > 0) {
        e->overlaps = count_overlaps(pool, h, each);
    }
    e->overlaps_exact = e->overlaps == 0;
    if (e->overlaps_exact) {
        e->overlaps = count_overlaps(pool, h, UINT32_MAX);
    }
}

/* The earliest end among the transactions of a session, and the earliest one in another session. */
typedef struct earliest {
    int64_t least, second;
    uint32_t session;
} earliest;

static void note_end(earliest *e, uint32_t session, int64_t end) {
    if (session == e->session) {
        e->least = end < e->least ? end : e->least;
    } else if (end < e->least) {
        *e = (earliest){end, e->least, session};
    } else {
        e->second = end < e->second ? end : e->second;
    }
}

/* Returns the number of transactions that are after another one in real time: one of another session, or a later one of
 * their session. keys: only after one that accesses a common key. The ends of the later transactions of a session are
 * noted going back. */
static uint64_t count_ordered(iso_pool *pool, const isolab_history *h, bool keys) {
    uint32_t n_keys = keys ? h->n_keys : 1;
    earliest *of = ISO_NEW(pool, earliest, n_keys), *later = ISO_NEW(pool, earliest, n_keys);
    for (uint32_t x = 0; x < n_keys; x++) {
        of[x] = later[x] = (earliest){INT64_MAX, INT64_MAX, ISO_NONE};
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool noted = h->txn_counts[t] != ISO_EXCLUDED && has(h->txn_end, t);
        uint32_t from = keys ? h->txn_op[t] : 0, to = !noted ? from : keys ? h->txn_op[t + 1] : 1;
        iso_tick(pool->env);
        for (uint32_t o = from; o < to; o++) {
            note_end(&of[keys ? h->op_key[o] : 0], h->txn_session[t], h->txn_end[t]);
        }
    }
    uint64_t n = 0;
    for (uint32_t t = h->n_txns; t-- > 0 && n < ENOUGH;) {
        uint32_t s = h->txn_session[t], counted = h->txn_counts[t] != ISO_EXCLUDED;
        uint32_t from = keys ? h->txn_op[t] : 0, to = !counted ? from : keys ? h->txn_op[t + 1] : 1;
        int64_t start = has(h->txn_start, t) ? h->txn_start[t] : INT64_MIN, end = h->txn_end[t];
        bool after = false;
        iso_tick(pool->env);
        for (uint32_t o = from; o < to && !after; o++) {
            const earliest *e = &of[keys ? h->op_key[o] : 0], *l = &later[keys ? h->op_key[o] : 0];
            after = (e->session == s ? e->second : e->least) < start || (l->session == s && l->least < start);
        }
        for (uint32_t o = from; o < to && end != ISO_NO_TIME; o++) {
            earliest *l = &later[keys ? h->op_key[o] : 0];
            l->least = l->session == s && l->least < end ? l->least : end;
            l->session = s;
        }
        n += after;
    }
    iso_free(pool, of);
    iso_free(pool, later);
    return n;
}

/* Returns the number of included transactions. Without a branch: this takes most of the time. */
ISO_VECTOR static uint32_t count_included(const uint8_t *counts, uint32_t n) {
    uint32_t in = 0;
    for (uint32_t t = 0; t < n; t++) {
        in += counts[t] != ISO_EXCLUDED;
    }
    return in;
}

void iso_evidence_in_time(iso_evidence *e, iso_pool *scratch, const isolab_history *h) {
    uint32_t in = count_included(h->txn_counts, h->n_txns), known = 0, half = 0;
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns; t++) {
        uint32_t start = has(h->txn_start, t), end = has(h->txn_end, t);
        known += (h->txn_counts[t] != ISO_EXCLUDED) & (start | end);
        half += (h->txn_counts[t] != ISO_EXCLUDED) & (start ^ end);
    }
    e->transactions = in;
    e->half_timed = half;
    e->untimed = in - known;
    e->overlaps_exact = true;
    if (e->untimed + e->half_timed < e->transactions) {
        find_overlaps(e, scratch, h);
    }
    for (int l = 0; l < iso_n_levels && h->txn_start != NULL; l++) {
        if ((e->counted & ISO_LEVEL_BIT(l)) && iso_level_is_timed(l)) {
            e->cases[l] = count_ordered(scratch, h, !iso_level_has(l, ISO_TIME_ALL));
            e->exact &= e->cases[l] < ENOUGH ? ~(iso_levels)0 : ~ISO_LEVEL_BIT(l);
        }
    }
}
