/* Evidence about times. See evidence.h. */
#include <string.h>

#include "base/clones.h"
#include "checkers/evidence.h"

/* Number of transactions, the first of every session, whose pairs are counted before the whole history is read. */
enum { SAMPLE = 1 << 11 };

static bool has(const int64_t *time, uint32_t t) { return time != NULL && time[t] != ISO_NO_TIME; }

/* Radix sort by 8 bits at a time, or by 16 if there are many times. A digit that is equal in all times is skipped. */
static void sort(iso_pool *pool, int64_t *at, uint32_t n) {
    const unsigned bits = n < 1 << 16 ? 8 : 16;
    const uint32_t size = (uint32_t)1 << bits;
    int64_t *other = ISO_NEW(pool, int64_t, n), least = INT64_MAX, most = INT64_MIN;
    uint32_t *first = ISO_NEW(pool, uint32_t, size);
    for (uint32_t i = 0; i < n; i++) {
        least = at[i] < least ? at[i] : least;
        most = at[i] > most ? at[i] : most;
    }
    int64_t *from = at, *to = other;
    for (unsigned shift = 0; shift < 64 && n > 0 && (((uint64_t)most - (uint64_t)least) >> shift) > 0; shift += bits) {
        memset(first, 0, size * sizeof *first);
        for (uint32_t i = 0; i < n; i++) {
            first[((uint64_t)from[i] - (uint64_t)least) >> shift & (size - 1)]++;
        }
        for (uint32_t i = 0, sum = 0; i < size; i++) {
            uint32_t here = first[i];
            first[i] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < n; i++) {
            to[first[((uint64_t)from[i] - (uint64_t)least) >> shift & (size - 1)]++] = from[i];
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != at) {
        memcpy(at, from, n * sizeof *at);
    }
    iso_free(pool, first);
    iso_free(pool, other);
}

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
    sort(pool, start, n);
    sort(pool, end, n);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (end[ended] < start[i]) {
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

/* Returns the number of transactions that are after another one in real time: one of another session, or an earlier one
 * of their session. */
static uint64_t count_ordered(const isolab_history *h) {
    int64_t least = INT64_MAX, second = INT64_MAX; /* the earliest end, and the earliest end in another session */
    uint32_t first = ISO_NONE;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_EXCLUDED || !has(h->txn_end, t)) {
            continue;
        }
        int64_t end = h->txn_end[t];
        if (h->txn_session[t] == first) {
            least = end < least ? end : least;
        } else if (end < least) {
            second = least;
            least = end;
            first = h->txn_session[t];
        } else {
            second = end < second ? end : second;
        }
    }
    uint64_t n = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        int64_t others = s == first ? second : least, later = INT64_MAX;
        for (uint32_t t = h->session_txn[s + 1]; t-- > h->session_txn[s];) {
            if (h->txn_counts[t] == ISO_EXCLUDED) {
                continue;
            }
            n += has(h->txn_start, t) && (others < h->txn_start[t] || later < h->txn_start[t]);
            later = has(h->txn_end, t) && h->txn_end[t] < later ? h->txn_end[t] : later;
        }
    }
    return n;
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

/* lser: the same for transactions that access a common key. The ends of the later transactions of a session are noted
 * by key, too, going back. */
static uint64_t count_ordered_by_key(iso_pool *pool, const isolab_history *h) {
    earliest *of = ISO_NEW(pool, earliest, h->n_keys), *later = ISO_NEW(pool, earliest, h->n_keys);
    for (uint32_t x = 0; x < h->n_keys; x++) {
        of[x] = later[x] = (earliest){INT64_MAX, INT64_MAX, ISO_NONE};
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool noted = h->txn_counts[t] != ISO_EXCLUDED && has(h->txn_end, t);
        iso_tick(pool->env);
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && noted; o++) {
            note_end(&of[h->op_key[o]], h->txn_session[t], h->txn_end[t]);
        }
    }
    uint64_t n = 0;
    for (uint32_t t = h->n_txns; t-- > 0;) {
        uint32_t s = h->txn_session[t], counted = h->txn_counts[t] != ISO_EXCLUDED;
        uint32_t from = h->txn_op[t], to = counted ? h->txn_op[t + 1] : from;
        int64_t start = has(h->txn_start, t) ? h->txn_start[t] : INT64_MIN, end = h->txn_end[t];
        bool after = false;
        iso_tick(pool->env);
        for (uint32_t o = from; o < to && !after; o++) {
            const earliest *e = &of[h->op_key[o]], *l = &later[h->op_key[o]];
            after = (e->session == s ? e->second : e->least) < start || (l->session == s && l->least < start);
        }
        for (uint32_t o = from; o < to && end != ISO_NO_TIME; o++) {
            earliest *l = &later[h->op_key[o]];
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
    if (h->txn_start != NULL && (e->counted & ISO_LEVEL_BIT(ISO_SSER)) != 0) {
        e->cases[ISO_SSER] = count_ordered(h);
    }
    if (h->txn_start != NULL && (e->counted & ISO_LEVEL_BIT(ISO_LSER)) != 0) {
        e->cases[ISO_LSER] = count_ordered_by_key(scratch, h);
    }
    e->exact |= ISO_TIMED_LEVELS;
}
