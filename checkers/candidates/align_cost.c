/* What it costs to shift a transaction in time. See align.c.
 *
 * Two things cost. A read is *stale* if the last write before it by the order wrote another value: a store that is late
 * makes some of them, a wrong order many. A read *misses* if no other session wrote its value between the reader's own
 * last write of the key and the read: ra and cc forbid that. The session's own writes shift together with a
 * transaction. */
#include "base/bisect.h"
#include "checkers/candidates/align.h"

static bool is_other(const align *x, uint32_t u, uint32_t t) {
    return x->c->h->txn_session[u] != x->c->h->txn_session[t];
}

/* Returns the first event of the key at this time or later. */
static uint32_t first_from(const align *x, uint32_t key, int32_t time) {
    return ISO_BISECT(e, x->event_first[key], x->event_first[key + 1], x->time[x->event[e].txn] < time);
}

/* ---- stale reads ---- */

static void cost_of_read(const align *x, uint32_t t, uint32_t read, float *cost) {
    const cand_read *r = &x->c->reads[read];
    const align_event *e = x->event;
    uint32_t own = x->own[read], end = x->event_first[r->key + 1];
    int32_t time = x->time[t] - ALIGN_HALF * x->step, written = INT32_MIN;
    uint32_t at = first_from(x, r->key, time);
    int32_t back = own == ISO_NONE ? 0 : x->time[t] - x->time[own];
    bool same = iso_version_is_initial(x->c->h, r->version);
    for (uint32_t i = at; i-- > x->event_first[r->key];) {
        if (e[i].writes && is_other(x, e[i].txn, t)) {
            same = e[i].version == r->version;
            written = x->time[e[i].txn];
            break;
        }
    }
    for (uint32_t i = 0; i < ALIGN_SHIFTS; i++, time += x->step) {
        for (; at < end && x->time[e[at].txn] < time; at++) {
            if (e[at].writes && is_other(x, e[at].txn, t)) {
                same = e[at].version == r->version;
                written = x->time[e[at].txn];
            }
        }
        bool fresh = own != ISO_NONE && time - back > written ? x->own_same[read] : same;
        cost[i] += fresh ? 0 : x->stale;
    }
}

/* The next read of the key, if no other write comes first, is stale if it returns another value. */
static void cost_of_write(const align *x, uint32_t t, uint32_t key, uint32_t version, float *cost) {
    const align_event *e = x->event;
    int32_t time = x->time[t] - ALIGN_HALF * x->step;
    uint32_t at = first_from(x, key, time), end = x->event_first[key + 1];
    for (uint32_t i = 0; i < ALIGN_SHIFTS; i++, time += x->step) {
        while (at < end && (x->time[e[at].txn] < time || !is_other(x, e[at].txn, t))) {
            at++;
        }
        bool hurts = at < end && !e[at].writes && e[at].version != version;
        cost[i] += hurts ? x->stale : 0;
    }
}

void iso_cand_align_stale(const align *x, uint32_t t, float cost[ALIGN_SHIFTS]) {
    const cand *c = x->c;
    for (uint32_t r = c->read_first[t]; r < c->read_first[t + 1]; r++) {
        cost_of_read(x, t, r, cost);
    }
    for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) {
        cost_of_write(x, t, c->write_key[w], c->h->op_version[c->write_op[w]], cost);
    }
}

/* ---- reads that miss ---- */

void iso_cand_align_recount(align *x, uint32_t read) {
    const cand *c = x->c;
    uint32_t version = c->reads[read].version, t = x->reader[read], own = x->own[read];
    int32_t low = own == ISO_NONE ? INT32_MIN : x->time[own];
    if (x->fits[read] == ALIGN_NO_MATTER) {
        return;
    }
    x->fits[read] = ALIGN_NONE;
    for (uint32_t i = c->final_first[version]; i < c->final_first[version + 1] && x->fits[read] < ALIGN_MORE; i++) {
        uint32_t u = c->h->op_txn[c->final_op[i]];
        if (x->time[u] > low && x->time[u] < x->time[t] && is_other(x, u, t)) {
            x->fits[read]++;
            x->only[read] = u;
        }
    }
}

/* Adds to the shifts after which the time is not between two others. */
static void cost_outside(const align *x, uint32_t t, int32_t low, int32_t high, float *cost) {
    int32_t time = x->time[t] - ALIGN_HALF * x->step;
    for (uint32_t i = 0; i < ALIGN_SHIFTS; i++, time += x->step) {
        cost[i] += time > low && time < high ? 0 : 1;
    }
}

static void cost_of_missing(const align *x, uint32_t t, uint32_t read, float *cost) {
    const cand *c = x->c;
    uint32_t version = c->reads[read].version, own = x->own[read];
    int64_t first = (int64_t)x->time[t] - ALIGN_HALF * (int64_t)x->step;
    int64_t back = own == ISO_NONE ? INT32_MAX : x->time[t] - x->time[own];
    uint64_t good = 0; /* a bit for each shift */
    for (uint32_t i = c->final_first[version]; i < c->final_first[version + 1]; i++) {
        uint32_t u = c->h->op_txn[c->final_op[i]];
        int64_t low = x->time[u] - first,
                high = low + back - 1; /* the reader's time from `first` must be in (low, high] */
        if (is_other(x, u, t) && high >= 0 && low < (ALIGN_SHIFTS - 1) * (int64_t)x->step) {
            int64_t from = low < 0 ? 0 : low / x->step + 1, to = high / x->step;
            to = to < ALIGN_SHIFTS ? to : ALIGN_SHIFTS - 1;
            good |= from <= to ? ((uint64_t)2 << to) - ((uint64_t)1 << from) : 0;
        }
    }
    for (uint32_t i = 0; i < ALIGN_SHIFTS; i++) {
        cost[i] += good >> i & 1 ? 0 : 1;
    }
}

void iso_cand_align_goal(const align *x, uint32_t t, float cost[ALIGN_SHIFTS]) {
    const cand *c = x->c;
    for (uint32_t r = c->read_first[t]; r < c->read_first[t + 1]; r++) {
        if (x->fits[r] != ALIGN_NO_MATTER) {
            cost_of_missing(x, t, r, cost);
        }
    }
    for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) { /* reads that need this write */
        uint32_t version = c->h->op_version[c->write_op[w]];
        for (uint32_t i = x->reads_first[version]; i < x->reads_first[version + 1]; i++) {
            uint32_t r = x->reads[i], own = x->own[r];
            bool needs = x->fits[r] == ALIGN_NONE || (x->fits[r] == ALIGN_ONE && x->only[r] == t);
            if (needs && is_other(x, x->reader[r], t)) {
                cost_outside(x, t, own == ISO_NONE ? INT32_MIN : x->time[own], x->time[x->reader[r]], cost);
            }
        }
    }
}
