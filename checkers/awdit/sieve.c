/* rc, ra and cc of heavy transactions: looks for inferred edges that lead back in an order.
 *
 * Take any order that contains so and wr. If no inferred edge leads back in it, from a later transaction to an earlier
 * one, it is a commit order, and the edges that lead forward need not be found. An edge t2 -> t1, because t3 reads x,
 * leads back only if t3 sees t2, t2 writes x, and a transaction reads x from one that is before t2 in the order. So
 * each writer t2 gets a list of only these keys x. If all readers of a key read it from one transaction, this is about
 * half of the keys; a key with a single writer is in no list. t3 passes if it reads a key of the list of a transaction
 * that it sees. Readers are compared in groups: each key has a mask of the readers of the group that read it, and one
 * walk over a writer's list, without a branch, compares the list with all readers of the group that see the writer.
 *
 * A reader that passes is looked at exactly, by the algorithm of the level. If one of its edges leads back, and with
 * the other edges of the same reader there is a cycle, the level is violated: both edges between two writers that a
 * reader of a triangle sees are such a cycle. If there is no cycle, the sieve gives up, and all edges are inferred as
 * usual.
 *
 * Before all that, some readers are looked at without a sieve: in many violated histories their edges have a cycle, and
 * if they have edges without a cycle, so have many other readers, and the sieve would not help. */
#include "checkers/awdit/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/clones.h"
#include "graph/digraph.h"

enum {
    TOGETHER = 8,      /* lists are filled up to multiples of this length */
    AHEAD = 4,         /* number of writers by which lists are prefetched */
    MOST_AHEAD = 512,  /* bytes of a list that are prefetched */
    MOST_READERS = 16, /* limit of the readers that pass and have no edge that leads back */
    SAMPLE = 64,       /* number of readers that are looked at before */
    SAMPLE_STEPS = 32, /* their steps: one for this many operations of the history */
    FIRST_STEPS = 4,   /* the same for the first of them */
    DENSE = 4096       /* keys with masks of 64 readers, which then take a part of the nearest cache */
};

/* The smallest and the largest of some numbers; none: least is larger than most. */
typedef struct range {
    uint32_t least, most;
} range;

/* Stretches a range to include another one. */
static inline void stretch(range *r, range other) {
    r->least = other.least < r->least ? other.least : r->least;
    r->most = other.most > r->most ? other.most : r->most;
}

static inline bool meet(range a, range b) { return (a.least <= b.most) & (b.least <= a.most); }

/* The list of a transaction: n numbers from writes[first * TOGETHER] on, and their range. */
typedef struct writer {
    range written;
    uint32_t first, n;
} writer;

typedef struct sieve {
    iso_awdit *a;
    const iso_awdit_seen *seen; /* NULL: each transaction sees the ones from which it reads */
    uint32_t *place;            /* by transaction: 1 + its place in the order */
    iso_awdit_numbers *numbers;
    uint32_t n_numbers;
    uint32_t *earliest; /* by number: the smallest place of a transaction from which the key is read */
    void *reads;        /* the numbers that transaction t reads are reads[reads_first[t] .. reads_first[t + 1]) */
    uint32_t *reads_first;
    range *read; /* by transaction: the range of these numbers */
    void *writes;
    writer *writer;        /* by transaction */
    unsigned at_once;      /* number of readers of a group */
    bool sorted;           /* the lists are sorted, so that they can be searched */
    uint32_t from, passed; /* readers before the first one are not looked at; the first one that passes */
} sieve;

/* Returns whether numbers fit into 16 bits. */
static inline bool is_narrow(const sieve *s) { return s->n_numbers < UINT16_MAX; }

/* Returns the n transactions that t3 sees; ISO_INIT may be among them, and some more than once. */
static inline const uint32_t *seen_by(const sieve *s, uint32_t t3, size_t *n) {
    if (s->seen != NULL) {
        *n = s->seen->end[t3] - s->seen->first[t3];
        return s->seen->txn + s->seen->first[t3];
    }
    *n = s->a->reads_end[t3] - s->a->h->txn_op[t3];
    return s->a->source + s->a->h->txn_op[t3];
}

/* Keeps the first reader of all parts. */
static void note_reader(iso_awdit_part *p, uint32_t t3) {
    uint32_t *passed = &((sieve *)p->arg)->passed, first = __atomic_load_n(passed, __ATOMIC_RELAXED);
    while (t3 < first && !__atomic_compare_exchange_n(passed, &first, t3, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    p->good = false;
}

/* ra: looks at the edges from earlier transactions of the session, as ra.c infers them, and keeps the first reader with
 * one that leads back. */
static void sessions_part(iso_awdit_part *p) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    const sieve *all = p->arg;
    uint32_t *last = NULL;
    for (uint32_t s = p->first; s < p->end && p->good; s++) {
        uint32_t first = h->session_txn[s], end = h->session_txn[s + 1];
        if (end - first < 2) {
            continue;
        }
        last = last == NULL ? ISO_NEW_NONE(p->pool, h->n_keys) : last;
        for (uint32_t t3 = first; t3 < end && p->good; t3++) {
            bool back = false;
            iso_tick(p->pool->env);
            for (uint32_t i = h->txn_op[t3]; i < a->reads_end[t3]; i++) {
                uint32_t t1 = a->source[i], t2 = last[a->key[i]];
                back |=
                    t2 != ISO_NONE && t2 >= first && t2 != t1 && (t1 == ISO_INIT || all->place[t1] < all->place[t2]);
            }
            for (uint32_t i = a->writes_first[t3]; i < h->txn_op[t3 + 1]; i++) {
                last[a->key[i]] = t3;
            }
            if (back && t3 >= all->from) {
                note_reader(p, t3);
            }
        }
    }
    iso_free(p->pool, last);
}

#define NUMBER uint16_t
#define NAME(x) x##_16
#include "checkers/awdit/sieve_list.inc"
#undef NAME
#define MASK uint8_t
#define NAME(x) x##_16_8
#include "checkers/awdit/sieve.inc"
#undef MASK
#undef NAME
#define MASK uint64_t
#define NAME(x) x##_16_64
#include "checkers/awdit/sieve.inc"
#undef NUMBER
#undef MASK
#undef NAME
#define NUMBER uint32_t
#define NAME(x) x##_32
#include "checkers/awdit/sieve_list.inc"
#undef NAME
#define MASK uint8_t
#define NAME(x) x##_32_8
#include "checkers/awdit/sieve.inc"

/* ---- exactly ---- */

/* Infers the edges of n readers, one by one. Returns false if their reads are not repeatable. */
static bool infer(iso_awdit *a, const iso_awdit_seen *seen, const uint32_t *readers, uint32_t n) {
    return a->level == ISO_RC ? iso_awdit_rc_readers(a, readers, n) : iso_awdit_ra_readers(a, seen, readers, n);
}

static void forget_edges(iso_awdit *a) {
    a->edges.n = 0;
    a->edges.into_initial = false;
}

/* Returns whether the inferred edges alone have a cycle, or one leads to the initial transaction. */
static bool have_cycle(iso_awdit *a) {
    if (a->edges.into_initial || a->edges.n == 0) {
        return a->edges.into_initial;
    }
    uint32_t n = a->h->n_txns, *order = ISO_NEW(a->pool, uint32_t, n);
    iso_digraph g = iso_digraph_build(a->pool, n, a->edges.from, a->edges.to, a->edges.n, false);
    bool cycle = !iso_digraph_order(&g, a->pool, order);
    iso_digraph_free(a->pool, &g);
    iso_free(a->pool, order);
    return cycle;
}

static bool lead_back(const sieve *s) {
    const iso_awdit_edges *e = &s->a->edges;
    bool back = e->into_initial;
    for (uint32_t i = 0; i < e->n && !back; i++) {
        back = s->place[e->to[i]] < s->place[e->from[i]];
    }
    return back;
}

/* ---- the sample ---- */

/* Returns the steps for looking at a reader exactly: the keys that the transactions write from which it reads. */
static uint64_t steps_of(const iso_awdit *a, uint32_t t3) {
    uint64_t steps = 1;
    for (uint32_t i = a->h->txn_op[t3]; i < a->reads_end[t3]; i++) {
        uint32_t t = a->source[i];
        steps += t != ISO_INIT ? a->h->txn_op[t + 1] - a->writes_first[t] : 0;
    }
    return steps;
}

iso_awdit_answer iso_awdit_sample(iso_awdit *a) {
    const isolab_history *h = a->h;
    uint32_t readers[SAMPLE], n = 0, least = a->bits == ISO_AWDIT_ALWAYS ? 1 : ISO_AWDIT_HEAVY, t3 = 0;
    uint64_t left = h->n_ops / SAMPLE_STEPS;
    for (uint64_t i = 0; i < SAMPLE; i++) {
        uint32_t goal = (uint32_t)((2 * i + 1) * h->n_txns / (2 * SAMPLE));
        for (t3 = t3 < goal ? goal : t3; t3 < h->n_txns && a->reads_end[t3] - h->txn_op[t3] < least; t3++) {
        }
        uint64_t steps = t3 < h->n_txns ? steps_of(a, t3) : 0;
        if (steps > 0 && (steps <= left || (n == 0 && steps <= h->n_ops / FIRST_STEPS))) {
            readers[n++] = t3++;
            left -= steps < left ? steps : left;
        }
    }
    bool good = infer(a, &(iso_awdit_seen){.rows = NULL}, readers, n), none = good && a->edges.n == 0;
    if (good && have_cycle(a)) {
        return ISO_AWDIT_EDGES;
    }
    forget_edges(a);
    return none ? ISO_AWDIT_FOUND : ISO_AWDIT_GAVE_UP;
}

/* ---- the sieve ---- */

/* Returns the place of the earliest source of key x; one after all places if no transaction reads it. */
static inline uint32_t row_of(const sieve *s, uint32_t x) {
    return s->earliest[x] != ISO_NONE ? s->earliest[x] : s->a->n_order + 1;
}

static void find_places(sieve *s, const uint32_t *order) {
    s->place = ISO_ZNEW(s->a->pool, uint32_t, s->a->h->n_txns);
    for (uint32_t i = 0; i < s->a->n_order; i++) {
        s->place[order[i]] = i + 1;
    }
}

/* Returns new numbers, by which keys are in the order of their earliest sources: then the range of a writer's list
 * often does not meet the range of a reader. */
static uint32_t *renumber(const sieve *s) {
    iso_buckets rows = iso_buckets_new(s->a->pool, s->a->n_order + 2);
    uint32_t *number = ISO_NEW(s->a->pool, uint32_t, s->n_numbers);
    for (uint32_t x = 0; x < s->n_numbers; x++) {
        iso_buckets_count(&rows, row_of(s, x));
    }
    iso_buckets_sum(&rows);
    for (uint32_t x = 0; x < s->n_numbers; x++) {
        number[x] = iso_buckets_place(&rows, row_of(s, x));
    }
    iso_free(s->a->pool, rows.first);
    return number;
}

/* Adds the n transactions that t3 sees to a set; met[t]: 1 + the last set that has t. Returns how many were not in
 * it. */
static uint32_t count_new(const sieve *s, uint32_t t3, uint32_t set, uint32_t *met) {
    size_t n, n_new = 0;
    const uint32_t *seen = seen_by(s, t3, &n);
    for (size_t i = 0; i < n; i++) {
        if (seen[i] != ISO_INIT) {
            n_new += met[seen[i]] != set + 1;
            met[seen[i]] = set + 1;
        }
    }
    return (uint32_t)n_new;
}

/* Returns whether groups of 64 readers save walks: whether a sample of 64 sees less than half as many different
 * transactions as its groups of 8, one by one. */
static bool see_same(const sieve *s) {
    const isolab_history *h = s->a->h;
    uint64_t by_8 = 0, by_64 = 0;
    uint32_t *met = ISO_ZNEW(s->a->pool, uint32_t, h->n_txns), middle = 0, n = 0;
    while (middle < h->n_txns && s->reads_first[middle] < s->reads_first[h->n_txns] / 2) {
        middle++;
    }
    for (uint32_t t3 = middle; t3 < h->n_txns && n < 64; t3++) {
        if (s->reads_first[t3] < s->reads_first[t3 + 1]) {
            by_8 += count_new(s, t3, 1 + n++ / 8, met);
        }
    }
    memset(met, 0, h->n_txns * sizeof *met);
    for (uint32_t t3 = middle, i = 0; t3 < h->n_txns && i < n; t3++) {
        if (s->reads_first[t3] < s->reads_first[t3 + 1]) {
            by_64 += count_new(s, t3, 0, met);
            i++;
        }
    }
    iso_free(s->a->pool, met);
    return by_8 > 2 * by_64;
}

static void make(sieve *s) {
    iso_awdit *a = s->a;
    const isolab_history *h = a->h;
    s->sorted = iso_awdit_searches(a, 0);
    s->numbers = iso_awdit_find_numbers(a, &s->n_numbers);
    uint64_t n_reads = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        n_reads += a->reads_end[t] - h->txn_op[t];
    }
    bool narrow = is_narrow(s);
    size_t width = narrow ? sizeof(uint16_t) : sizeof(uint32_t);
    s->earliest = ISO_NEW_NONE(a->pool, s->n_numbers);
    s->reads = iso_alloc(a->pool, n_reads, width);
    s->reads_first = ISO_NEW(a->pool, uint32_t, (size_t)h->n_txns + 1);
    s->read = ISO_NEW(a->pool, range, h->n_txns);
    s->writes = iso_alloc(a->pool, h->n_ops - n_reads + (uint64_t)TOGETHER * h->n_txns, width);
    s->writer = ISO_NEW(a->pool, writer, h->n_txns);
    (narrow ? list_reads_16 : list_reads_32)(s);
    uint32_t *renumbered = renumber(s);
    (narrow ? renumber_reads_16 : renumber_reads_32)(s, renumbered);
    (narrow ? list_writes_16 : list_writes_32)(s, renumbered);
    if (s->sorted) {
        (narrow ? sort_writes_16 : sort_writes_32)(s);
    }
    iso_free(a->pool, renumbered);
    s->at_once = narrow && (s->n_numbers <= DENSE || see_same(s)) ? 64 : 8;
}

static void free_sieve(sieve *s) {
    void *arrays[] = {s->place, s->numbers, s->earliest, s->reads, s->reads_first, s->read, s->writes, s->writer};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(s->a->pool, arrays[i]);
    }
}

/* Returns the first reader, from s->from on, that passes; ISO_NONE: none. */
static uint32_t next_reader(sieve *s) {
    iso_awdit_work *work = !is_narrow(s) ? sieve_part_32_8 : s->at_once == 64 ? sieve_part_16_64 : sieve_part_16_8;
    s->passed = ISO_NONE;
    if (s->a->level == ISO_RA) {
        iso_awdit_by_session(s->a, sessions_part, s);
    }
    iso_awdit_by_session(s->a, work, s);
    return s->passed;
}

static iso_awdit_answer search(sieve *s) {
    iso_awdit *a = s->a;
    for (uint32_t n = 0; n < MOST_READERS; n++) {
        uint32_t t3 = next_reader(s);
        if (t3 == ISO_NONE) {
            return ISO_AWDIT_FOUND;
        }
        if (!infer(a, s->seen, &t3, 1)) {
            break;
        }
        if (lead_back(s)) {
            if (have_cycle(a) || !iso_awdit_sort(a, true, NULL)) {
                return ISO_AWDIT_EDGES;
            }
            break;
        }
        forget_edges(a);
        s->from = t3 + 1;
    }
    forget_edges(a);
    return ISO_AWDIT_GAVE_UP;
}

iso_awdit_answer iso_awdit_sieve(iso_awdit *a, const uint32_t *order, const iso_awdit_seen *seen) {
    sieve s = {.a = a, .seen = seen};
    find_places(&s, order);
    make(&s);
    iso_awdit_answer answer = search(&s);
    iso_result_counter(a->result, "keys of the sieve", s.n_numbers);
    iso_result_counter(a->result, "readers at once", s.at_once);
    free_sieve(&s);
    return answer;
}
