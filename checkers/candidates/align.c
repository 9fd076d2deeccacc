/* Aligns sessions: a better first order where values say little. See candidates.h.
 *
 * If a key has few values, an executed order soon loses its way: nearly every value has been written before, so no
 * session has to wait for another one. But a read still says something: its value is probably the last one that was
 * written. So each session in turn is laid along the others, as a text along its translation: each of its transactions
 * is shifted in time, by one of a few shifts, so that the session's reads, and the next reads of what it writes, are
 * least often stale. Neighbours shift alike, or it costs; the cheapest way through all transactions of the session is
 * found by dynamic programming. Sweeps over all sessions take smaller and smaller steps. At last reads that miss a
 * writer, and so break the level, cost most (align_cost.c).
 *
 * 10,000 transactions of 20 sessions, on 1,000 keys of two values: the executed order has 9,700 stale reads of 40,000,
 * the order of a store of level cc 700, the aligned one 600 to 900. */
#include <string.h>

#include "base/buckets.h"
#include "base/sort.h"
#include "checkers/candidates/align.h"

#define FEW_VALUES 12            /* at most this many values for each key */
#define MANY_EVENTS 512          /* with more events for each key, sessions are not aligned: that would take long */
#define LONG ((uint32_t)1 << 20) /* nor with more transactions in a session, whose costs would take much memory */
#define BEND 6                   /* neighbours differ by at most this many shifts */
#define LEAST 2048               /* steps are those of at least this many transactions */
#define STIFF 0.1F               /* cost of a bend by a place for each session, in stale reads */
#define SOME 0.2F                /* what a stale read costs where a read that misses costs 1 */
#define ROUNDS 3                 /* limit of rounds, until at most FEW_LEFT reads miss a writer */
#define FEW_LEFT 16

static uint32_t longest_session(const isolab_history *h) {
    uint32_t longest = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t n = h->session_txn[s + 1] - h->session_txn[s];
        longest = n > longest ? n : longest;
    }
    return longest;
}

bool iso_cand_says_little(const cand *c) {
    const isolab_history *h = c->h;
    uint32_t ambiguous = 0;
    for (uint32_t i = 0; i < c->n_reads; i++) {
        ambiguous += c->reads[i].writer == ISO_MANY;
    }
    uint64_t events = c->n_reads + (uint64_t)c->write_first[h->n_txns];
    return h->n_sessions > 1 && ambiguous >= c->n_reads / 2 && h->n_versions <= FEW_VALUES * (uint64_t)h->n_keys &&
           events <= MANY_EVENTS * (uint64_t)h->n_keys && longest_session(h) <= LONG;
}

/* ---- events ---- */

static bool is_before(const align *x, const align_event *a, const align_event *b) {
    int32_t ta = x->time[a->txn], tb = x->time[b->txn];
    return ta != tb ? ta < tb : a->txn != b->txn ? a->txn < b->txn : a->writes < b->writes;
}

/* The events of the key are nearly sorted. */
static void sort_events(align *x, uint32_t key) {
    for (uint32_t i = x->event_first[key] + 1; i < x->event_first[key + 1]; i++) {
        align_event e = x->event[i];
        uint32_t at = i;
        for (; at > x->event_first[key] && is_before(x, &e, &x->event[at - 1]); at--) {
            x->event[at] = x->event[at - 1];
        }
        x->event[at] = e;
    }
}

static void list_events(align *x) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    iso_buckets keys = iso_buckets_new(c->pool, h->n_keys);
    x->event = ISO_NEW(c->pool, align_event, c->n_reads + (size_t)c->write_first[h->n_txns]);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < c->n_order; i++) {
            uint32_t t = c->order[i];
            for (uint32_t r = c->read_first[t]; r < c->read_first[t + 1]; r++) {
                if (turn == 0) {
                    iso_buckets_count(&keys, c->reads[r].key);
                } else {
                    x->event[iso_buckets_place(&keys, c->reads[r].key)] = (align_event){t, c->reads[r].version, false};
                }
            }
            for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) {
                if (turn == 0) {
                    iso_buckets_count(&keys, c->write_key[w]);
                } else {
                    x->event[iso_buckets_place(&keys, c->write_key[w])] =
                        (align_event){t, h->op_version[c->write_op[w]], true};
                }
            }
        }
        if (turn == 0) {
            iso_buckets_sum(&keys);
        }
    }
    x->event_first = keys.first;
}

/* Finds for each read the last write of its key before it in its session. */
static void list_reads(align *x) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    uint32_t *last = ISO_ZNEW(c->pool, uint32_t, h->n_keys); /* by key: 1 + its last write in the order of sessions */
    uint32_t *version = ISO_NEW(c->pool, uint32_t, c->n_reads);
    x->reader = ISO_NEW(c->pool, uint32_t, c->n_reads);
    x->own = ISO_NEW_NONE(c->pool, c->n_reads);
    x->only = ISO_NEW(c->pool, uint32_t, c->n_reads);
    x->own_same = ISO_ZNEW(c->pool, bool, c->n_reads);
    x->fits = ISO_ZNEW(c->pool, uint8_t, c->n_reads);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
            const cand_read *r = &c->reads[i];
            uint32_t w = last[r->key] - 1;
            version[i] = r->version;
            x->reader[i] = t;
            if (last[r->key] != 0 && h->txn_session[h->op_txn[w]] == h->txn_session[t]) {
                x->own[i] = h->op_txn[w];
                x->own_same[i] = h->op_version[w] == r->version;
            }
            bool initial = x->own[i] == ISO_NONE && iso_version_is_initial(h, r->version);
            if (r->writer == ISO_NONE || x->own_same[i] || initial) {
                x->fits[i] = ALIGN_NO_MATTER;
            }
        }
        for (uint32_t w = c->write_first[t]; c->place[t] != 0 && w < c->write_first[t + 1]; w++) {
            last[c->write_key[w]] = c->write_op[w] + 1;
        }
    }
    x->reads = iso_sorted_into(c->pool, version, c->n_reads, h->n_versions, &x->reads_first);
    iso_free(c->pool, last);
    iso_free(c->pool, version);
}

/* ---- one session ---- */

/* Adds to the cost of each shift of transaction i that of the cheapest path to it. */
static void extend(align *x, uint32_t i) {
    const float *before = x->cost + (size_t)(i - 1) * ALIGN_SHIFTS;
    float *cost = x->cost + (size_t)i * ALIGN_SHIFTS, bend = x->bend * (float)x->step;
    uint8_t *from = x->from + (size_t)i * ALIGN_SHIFTS;
    for (uint32_t k = 0; k < ALIGN_SHIFTS; k++) {
        uint32_t end = k + 2 < ALIGN_SHIFTS ? k + 2 : ALIGN_SHIFTS; /* a session may shrink by a step at most */
        float least = before[k];
        from[k] = (uint8_t)k;
        for (uint32_t j = k < BEND ? 0 : k - BEND; j < end; j++) {
            float sum = before[j] + bend * (float)(j < k ? k - j : j - k);
            if (sum < least) {
                least = sum;
                from[k] = (uint8_t)j;
            }
        }
        cost[k] += least;
    }
}

static void list_costs(align *x, uint32_t session) {
    const isolab_history *h = x->c->h;
    x->n_txns = 0;
    for (uint32_t t = h->session_txn[session]; t < h->session_txn[session + 1]; t++) {
        if (x->c->place[t] != 0) {
            float *cost = x->cost + (size_t)x->n_txns * ALIGN_SHIFTS;
            memset(cost, 0, ALIGN_SHIFTS * sizeof *cost);
            iso_cand_align_stale(x, t, cost);
            if (x->has_goal) {
                iso_cand_align_goal(x, t, cost);
            }
            x->txn[x->n_txns++] = t;
        }
    }
}

static void shift_along(align *x) {
    const float *cost = x->cost + (size_t)(x->n_txns - 1) * ALIGN_SHIFTS;
    uint32_t best = ALIGN_HALF;
    for (uint32_t k = 0; k < ALIGN_SHIFTS; k++) {
        best = cost[k] < cost[best] ? k : best;
    }
    for (uint32_t i = x->n_txns; i-- > 0;) {
        x->time[x->txn[i]] += ((int32_t)best - ALIGN_HALF) * x->step;
        best = x->from[(size_t)i * ALIGN_SHIFTS + best];
    }
    for (uint32_t i = 1; i < x->n_txns; i++) {
        int32_t least = x->time[x->txn[i - 1]] + 1;
        x->time[x->txn[i]] = x->time[x->txn[i]] < least ? least : x->time[x->txn[i]];
    }
}

/* Returns whether this is the first call for an item since the last session was shifted. */
static bool is_new(const align *x, uint32_t *stamp, uint32_t item) {
    bool fresh = stamp[item] != x->n_shifted;
    stamp[item] = x->n_shifted;
    return fresh;
}

static void recount_version(align *x, uint32_t version) {
    for (uint32_t i = x->reads_first[version]; i < x->reads_first[version + 1]; i++) {
        iso_cand_align_recount(x, x->reads[i]);
    }
}

/* Brings lists up to date after a session was shifted. */
static void update(align *x) {
    const cand *c = x->c;
    x->n_shifted++;
    for (uint32_t i = 0; i < x->n_txns; i++) {
        uint32_t t = x->txn[i];
        for (uint32_t r = c->read_first[t]; r < c->read_first[t + 1]; r++) {
            if (is_new(x, x->key_stamp, c->reads[r].key)) {
                sort_events(x, c->reads[r].key);
            }
            if (x->has_goal) {
                iso_cand_align_recount(x, r);
            }
        }
        for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) {
            uint32_t version = c->h->op_version[c->write_op[w]];
            if (is_new(x, x->key_stamp, c->write_key[w])) {
                sort_events(x, c->write_key[w]);
            }
            if (x->has_goal && is_new(x, x->version_stamp, version)) {
                recount_version(x, version);
            }
        }
    }
}

static void shift_session(align *x, uint32_t session) {
    iso_tick(x->c->pool->env);
    list_costs(x, session);
    for (uint32_t i = 1; i < x->n_txns; i++) {
        extend(x, i);
    }
    if (x->n_txns > 0) {
        shift_along(x);
        update(x);
    }
}

/* ---- all sessions ---- */

/* The transactions get the places of their times. */
static void settle(align *x) {
    cand *c = x->c;
    int64_t *time = ISO_NEW(c->pool, int64_t, c->n_order);
    uint32_t *txn = ISO_NEW(c->pool, uint32_t, c->n_order), n = 0;
    for (uint32_t t = 0; t < c->h->n_txns; t++) {
        if (c->place[t] != 0) {
            txn[n] = t;
            time[n++] = x->time[t];
        }
    }
    uint32_t *sorted = iso_sorted_by(c->pool, time, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = txn[sorted[i]];
        c->order[i] = t;
        c->place[t] = i + 1;
        x->time[t] = (int32_t)(ALIGN_UNIT * (i + 1));
    }
    void *blocks[] = {time, txn, sorted};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}

/* step: in places. */
static void sweep(align *x, uint32_t step) {
    x->step = (int32_t)(ALIGN_UNIT * step);
    for (uint32_t s = 0; s < x->c->h->n_sessions; s++) {
        shift_session(x, s);
    }
    settle(x);
}

/* Returns how many reads miss a writer. */
static uint32_t misses(align *x) {
    uint32_t n = 0;
    for (uint32_t r = 0; r < x->c->n_reads; r++) {
        iso_cand_align_recount(x, r);
        n += x->fits[r] == ALIGN_NONE;
    }
    return n;
}

/* goal: a read that misses a writer costs 1. */
static void set_costs(align *x, float stale, bool goal) {
    x->stale = stale;
    x->bend = stale * STIFF / (float)x->c->h->n_sessions / ALIGN_UNIT;
    x->has_goal = goal;
}

/* Returns how many reads miss a writer afterwards. */
static uint32_t approach(align *x, uint32_t n, float stale) {
    uint32_t left = misses(x);
    set_costs(x, stale, true);
    for (uint32_t step = n / 512; step > 0 && left > 0; step /= 2) {
        sweep(x, step);
        left = misses(x);
    }
    return left;
}

static void align_sessions(align *x) {
    uint32_t n = x->c->n_order > LEAST ? x->c->n_order : LEAST, left = UINT32_MAX;
    set_costs(x, 1, false);
    for (uint32_t step = n / 256; step > n / 2048; step /= 2) {
        sweep(x, step);
        sweep(x, step);
    }
    for (uint32_t round = 0; round < ROUNDS && left > FEW_LEFT; round++) {
        set_costs(x, 1, false);
        for (uint32_t step = n / 128; step > 1; step /= 2) {
            sweep(x, step);
        }
        approach(x, n, SOME);
        left = approach(x, n, SOME / 2);
    }
}

void iso_cand_align(cand *c) {
    const isolab_history *h = c->h;
    align x = {.c = c};
    uint32_t longest = longest_session(h);
    x.time = ISO_ZNEW(c->pool, int32_t, h->n_txns);
    x.txn = ISO_NEW(c->pool, uint32_t, longest);
    x.cost = ISO_NEW(c->pool, float, (size_t)longest *ALIGN_SHIFTS);
    x.from = ISO_NEW(c->pool, uint8_t, (size_t)longest * ALIGN_SHIFTS);
    for (uint32_t i = 0; i < c->n_order; i++) {
        x.time[c->order[i]] = (int32_t)(ALIGN_UNIT * (i + 1));
    }
    x.key_stamp = ISO_ZNEW(c->pool, uint32_t, h->n_keys);
    x.version_stamp = ISO_ZNEW(c->pool, uint32_t, h->n_versions);
    list_events(&x);
    list_reads(&x);
    align_sessions(&x);
    void *blocks[] = {x.time,          x.event_first, x.event, x.reader,      x.own, x.only, x.own_same, x.key_stamp,
                      x.version_stamp, x.fits,        x.reads, x.reads_first, x.txn, x.cost, x.from};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}
