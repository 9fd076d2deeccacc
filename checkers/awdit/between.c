/* cc without clocks, by guessed orders: for histories with many sessions, where the clocks of cc.c take n k steps.
 *
 * Take any order of the transactions that contains so, wr and the edges inferred so far. A read of x by t3 from t1
 * needs an edge t2 -> t1 only if t2, a writer of x, is between t1 and t3 in that order: a writer before t1 is where the
 * edge would put it, and a writer after t3 does not happen before t3. So the order says which writers are *suspects*,
 * and it remains to find the suspects that happen before their t3. If there is none, the order is a commit order of cc.
 * Otherwise their edges are inferred, and the next order contains them. If it cannot (a cycle), cc is violated.
 *
 * A good guess leaves few suspects, near their t3 (guess.c). Whether they happen before t3 is decided for many suspects
 * at once: each has a bit, and rows of bits move along the order from the first suspect to the last t3. Near and far
 * suspects are handled apart, so that the rows of a window stay in the cache. A suspect that does not happen before t3
 * is remembered, and never asked again.
 *
 * The budget of steps is linear in the history. If it is used up, the clocks decide. */
#include <string.h>

#include "base/buckets.h"
#include "base/clones.h"
#include "base/hash.h"
#include "checkers/awdit/guess.h"

enum {
    ROUNDS = 64,
    MOST_STEPS = 64, /* budget, for each transaction; lower with few sessions, whose clocks take few steps */
    WALK = 8,        /* limit of the writers between t1 and t3, for each transaction: beyond it the guess is bad */
    WORDS = 8,       /* of a row: it has a bit for each of 512 suspects */
    NEAR = 4096      /* transactions between a near suspect and t3; each other class has four times as many */
};

typedef struct row {
    uint64_t word[WORDS];
} row;

/* The places in the order of t2 and t3; t1. */
typedef struct suspicion {
    uint32_t t2, t3, t1;
} suspicion;

typedef struct between {
    iso_awdit *a;
    iso_awdit_guess g;
    uint32_t *last, *before; /* by key: its last write so far; by write: the write of its key before it */
    /* By place: the places of the transactions directly before it in so and wr, in [first[place], first[place + 1]). */
    uint32_t *first, *direct;
    suspicion *suspicions;
    uint32_t n_suspicions, room;
    row *rows;
    uint32_t rows_room;
    uint64_t *cleared; /* a hash table of pairs t2, t3 where t2 does not happen before t3 */
    uint64_t mask, n_cleared;
    uint64_t steps, most;
} between;

/* ---- pairs ---- */

/* A set of pairs of transactions. The pairs stand in the table itself: base/index.h would read one place more for each
 * pair that is asked for. */

#define NO_PAIR UINT64_MAX

static inline uint64_t pair_of(uint32_t t2, uint32_t t3) { return (uint64_t)t2 << 32 | t3; }

/* Returns the slot of a pair, or the free slot where it belongs. */
static inline uint64_t *slot_of(const between *b, uint64_t pair) {
    uint64_t at = iso_mix(pair) & b->mask;
    while (b->cleared[at] != NO_PAIR && b->cleared[at] != pair) {
        at = (at + 1) & b->mask;
    }
    return &b->cleared[at];
}

static void make_table(between *b, uint64_t room) {
    b->cleared = ISO_NEW(b->a->pool, uint64_t, room);
    memset(b->cleared, 0xff, room * sizeof *b->cleared);
    b->mask = room - 1;
}

static void clear(between *b, uint64_t pair) {
    if (b->n_cleared > b->mask / 2) {
        uint64_t *old = b->cleared, room = b->mask + 1;
        make_table(b, 2 * room);
        for (uint64_t i = 0; i < room; i++) {
            if (old[i] != NO_PAIR) {
                *slot_of(b, old[i]) = old[i];
            }
        }
        iso_free(b->a->pool, old);
    }
    uint64_t *slot = slot_of(b, pair);
    b->n_cleared += *slot == NO_PAIR;
    *slot = pair;
}

/* ---- suspects ---- */

static inline void suspect(between *b, uint32_t t2, uint32_t t3, uint32_t t1) {
    if (iso_awdit_may_precede(&b->g, t2, t3) && *slot_of(b, pair_of(t2, t3)) == NO_PAIR) {
        ISO_GROW(b->a->pool, b->suspicions, b->n_suspicions, b->room);
        b->suspicions[b->n_suspicions++] = (suspicion){b->g.place[t2], b->g.place[t3], t1};
    }
}

/* Visits the transactions in the order. Returns false if the budget is used up. */
static bool find_suspects(between *b) {
    iso_awdit *a = b->a;
    const isolab_history *h = a->h;
    uint32_t n = 0;
    uint64_t left = (uint64_t)WALK * h->n_txns;
    b->n_suspicions = 0;
    iso_fill_none(b->last, h->n_keys);
    for (uint32_t i = 0; i < a->n_order && left > 0; i++) {
        uint32_t t3 = b->g.order[i], previous = iso_awdit_previous(a, t3);
        iso_tick(a->pool->env);
        b->first[i] = n;
        if (previous != ISO_NONE) {
            b->direct[n++] = b->g.place[previous];
        }
        for (uint32_t r = h->txn_op[t3]; r < a->reads_end[t3]; r++) {
            uint32_t w = b->last[a->key[r]], t1 = a->source[r];
            if (t1 != ISO_INIT && (r == h->txn_op[t3] || t1 != a->source[r - 1])) {
                b->direct[n++] = b->g.place[t1];
            }
            for (; w != ISO_NONE && h->op_txn[w] != t1 && left > 0; w = b->before[w], left--) {
                suspect(b, h->op_txn[w], t3, t1);
            }
        }
        for (uint32_t w = a->writes_first[t3]; w < h->txn_op[t3 + 1]; w++) {
            b->before[w] = b->last[a->key[w]];
            b->last[a->key[w]] = w;
        }
    }
    b->first[a->n_order] = n;
    return left > 0;
}

/* Sorts the suspicions by the place of t2. */
static void sort_suspicions(between *b) {
    uint32_t n = b->n_suspicions;
    iso_buckets rows = iso_buckets_new(b->a->pool, b->a->n_order);
    suspicion *sorted = ISO_NEW(b->a->pool, suspicion, n);
    for (uint32_t i = 0; i < n; i++) {
        iso_buckets_count(&rows, b->suspicions[i].t2);
    }
    iso_buckets_sum(&rows);
    for (uint32_t i = 0; i < n; i++) {
        sorted[iso_buckets_place(&rows, b->suspicions[i].t2)] = b->suspicions[i];
    }
    iso_free(b->a->pool, rows.first);
    iso_free(b->a->pool, b->suspicions);
    b->suspicions = sorted;
    b->room = n;
}

/* ---- rows ---- */

/* Moves the bits of the suspects, whose places ascend, along the order from place low to place high. */
ISO_VECTOR static void move_bits(between *b, const uint32_t *suspects, uint32_t n, uint32_t low, uint32_t high) {
    uint32_t next = 0;
    for (uint32_t i = low; i <= high; i++) {
        row own = {{0}};
        for (uint32_t d = b->first[i]; d < b->first[i + 1]; d++) {
            if (b->direct[d] >= low) {
                const row *from = &b->rows[b->direct[d] - low];
                for (unsigned w = 0; w < WORDS; w++) {
                    own.word[w] |= from->word[w];
                }
            }
        }
        if (next < n && suspects[next] == i) {
            own.word[next / 64] |= (uint64_t)1 << next % 64;
            next++;
        }
        b->rows[i - low] = own;
    }
}

typedef struct window {
    uint32_t least, most; /* of the distances between suspects and t3; the others are in other classes */
    uint32_t first, end;  /* suspicions */
    uint32_t suspects[64 * WORDS], n;
    uint32_t low, high; /* places */
} window;

static inline bool in_class(const window *w, suspicion s) { return s.t3 - s.t2 > w->least && s.t3 - s.t2 <= w->most; }

/* Collects suspects up to a row's bits, from suspicion `end` on. */
static void next_window(const between *b, window *w) {
    w->first = w->end;
    w->n = w->low = w->high = 0;
    for (; w->end < b->n_suspicions; w->end++) {
        suspicion s = b->suspicions[w->end];
        if (!in_class(w, s)) {
            continue;
        }
        if (w->n == 0 || w->suspects[w->n - 1] != s.t2) {
            if (w->n == 64 * WORDS || (w->n > 0 && s.t2 > w->high)) {
                return;
            }
            w->suspects[w->n++] = s.t2;
        }
        w->low = w->suspects[0];
        w->high = s.t3 > w->high ? s.t3 : w->high;
    }
}

/* Infers the edges of the suspects of a window that happen before t3. */
static void judge(between *b, const window *w) {
    uint32_t size = w->high - w->low + 1, bit = 0;
    if (size > b->rows_room) {
        iso_free(b->a->pool, b->rows);
        b->rows = ISO_NEW(b->a->pool, row, size);
        b->rows_room = size;
    }
    move_bits(b, w->suspects, w->n, w->low, w->high);
    for (uint32_t i = w->first; i < w->end; i++) {
        suspicion s = b->suspicions[i];
        if (!in_class(w, s)) {
            continue;
        }
        bit += w->suspects[bit] != s.t2;
        uint32_t t2 = b->g.order[s.t2], t3 = b->g.order[s.t3];
        if (b->rows[s.t3 - w->low].word[bit / 64] >> bit % 64 & 1) {
            iso_awdit_edge(&b->a->edges, t2, s.t1);
        } else {
            clear(b, pair_of(t2, t3));
        }
    }
}

/* Judges all suspicions. Returns false if the budget is used up. */
static bool judge_all(between *b) {
    uint64_t least = 0, most = NEAR;
    sort_suspicions(b);
    for (; least < b->a->n_order; least = most, most *= 4) {
        window w = {.least = (uint32_t)least, .most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX};
        for (next_window(b, &w); w.n > 0; next_window(b, &w)) {
            uint32_t size = w.high - w.low + 1;
            b->steps += size;
            if (b->steps > b->most) {
                return false;
            }
            iso_tick_steps(b->a->pool->env, size / 16 + 1);
            judge(b, &w);
        }
    }
    return true;
}

static void start(between *b, uint32_t *order) {
    iso_awdit *a = b->a;
    const isolab_history *h = a->h;
    uint64_t each = h->n_sessions / 16 + 4;
    b->most = (each < MOST_STEPS ? each : MOST_STEPS) * h->n_txns;
    iso_awdit_begin_guess(&b->g, a, order);
    b->last = ISO_NEW(a->pool, uint32_t, h->n_keys);
    b->before = ISO_NEW(a->pool, uint32_t, h->n_ops);
    b->first = ISO_NEW(a->pool, uint32_t, (size_t)h->n_txns + 1);
    b->direct = ISO_NEW(a->pool, uint32_t, (size_t)h->n_txns + h->n_ops);
    make_table(b, 1024);
}

static iso_awdit_answer search(between *b, uint64_t *rounds, uint64_t *suspects) {
    iso_awdit *a = b->a;
    for (*rounds = *suspects = 0; *rounds < ROUNDS;) {
        uint32_t n_edges = a->edges.n;
        if (!iso_awdit_next_guess(&b->g)) {
            return ISO_AWDIT_EDGES;
        }
        ++*rounds;
        if (!find_suspects(b) || !judge_all(b)) {
            break;
        }
        *suspects += b->n_suspicions;
        if (a->edges.n == n_edges) {
            return ISO_AWDIT_FOUND;
        }
    }
    a->edges.n = 0;
    a->edges.into_initial = false;
    return ISO_AWDIT_GAVE_UP;
}

iso_awdit_answer iso_awdit_cc_between(iso_awdit *a, uint32_t *order) {
    between b = {.a = a};
    uint64_t rounds, suspects;
    start(&b, order);
    iso_awdit_answer answer = search(&b, &rounds, &suspects);
    iso_awdit_end_guess(&b.g);
    void *arrays[] = {b.last, b.before, b.first, b.direct, b.suspicions, b.rows, b.cleared};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(a->pool, arrays[i]);
    }
    iso_result_counter(a->result, "guessed orders", rounds);
    iso_result_counter(a->result, "suspects", suspects);
    return answer;
}
