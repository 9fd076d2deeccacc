/* See guess.h. */
#include "checkers/awdit/guess.h"

#include <string.h>

#include "base/buckets.h"
#include "graph/digraph.h"

/* The estimates are made again when more than one in AGAIN transactions got an inferred edge; otherwise the last guess
 * only moves the transactions that it must move. */
enum { AGAIN = 64 };

void iso_awdit_begin_guess(iso_awdit_guess *g, iso_awdit *a, uint32_t *order) {
    uint32_t n = a->h->n_txns;
    *g = (iso_awdit_guess){.a = a, .order = order};
    uint32_t **arrays[] = {&g->place, &g->to, &g->from, &g->when};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = ISO_NEW(a->pool, uint32_t, n);
    }
}

void iso_awdit_end_guess(iso_awdit_guess *g) {
    uint32_t *arrays[] = {g->place, g->to, g->from, g->when};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(g->a->pool, arrays[i]);
    }
}

static inline uint32_t more(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Returns 1 more than the largest number of the transactions directly before t; 0: there is none. inferred: the
 * inferred edges, backwards. */
static uint32_t after_direct(const iso_awdit_guess *g, const iso_digraph *inferred, const uint32_t *number,
                             uint32_t t) {
    const iso_awdit *a = g->a;
    uint32_t p = iso_awdit_previous(a, t), n = p == ISO_NONE ? 0 : number[p] + 1;
    for (uint32_t r = a->h->txn_op[t]; r < a->reads_end[t]; r++) {
        n = a->source[r] == ISO_INIT ? n : more(n, number[a->source[r]] + 1);
    }
    for (uint32_t i = inferred->first[t]; i < inferred->first[t + 1]; i++) {
        n = more(n, number[inferred->to[i]] + 1);
    }
    return n;
}

/* Makes the number of each transaction directly before t larger than the number of t. */
static void raise_direct(const iso_awdit_guess *g, const iso_digraph *inferred, uint32_t *number, uint32_t t) {
    const iso_awdit *a = g->a;
    uint32_t p = iso_awdit_previous(a, t), least = number[t] + 1;
    if (p != ISO_NONE) {
        number[p] = more(number[p], least);
    }
    for (uint32_t r = a->h->txn_op[t]; r < a->reads_end[t]; r++) {
        if (a->source[r] != ISO_INIT) {
            number[a->source[r]] = more(number[a->source[r]], least);
        }
    }
    for (uint32_t i = inferred->first[t]; i < inferred->first[t + 1]; i++) {
        number[inferred->to[i]] = more(number[inferred->to[i]], least);
    }
}

/* Sets the longest paths. Returns the longest of all. */
static uint32_t find_paths(const iso_awdit_guess *g, const iso_digraph *inferred) {
    const iso_awdit *a = g->a;
    uint32_t longest = 0;
    memset(g->from, 0, a->h->n_txns * sizeof *g->from);
    for (uint32_t i = 0; i < a->n_order; i++) {
        iso_tick(a->pool->env);
        uint32_t t = g->order[i];
        g->to[t] = after_direct(g, inferred, g->to, t);
        longest = more(longest, g->to[t]);
    }
    for (uint32_t i = a->n_order; i-- > 0;) {
        iso_tick(a->pool->env);
        raise_direct(g, inferred, g->from, g->order[i]);
    }
    return longest;
}

/* Returns the median of the places between the earliest and the latest place of a transaction. */
static uint32_t median_slack(const iso_awdit_guess *g, uint32_t longest) {
    const iso_awdit *a = g->a;
    uint32_t *count = ISO_ZNEW(a->pool, uint32_t, (size_t)longest + 1), sum = 0, slack = 0;
    for (uint32_t i = 0; i < a->n_order; i++) {
        count[longest - g->from[g->order[i]] - g->to[g->order[i]]]++;
    }
    while (slack < longest && (sum += count[slack]) < a->n_order / 2) {
        slack++;
    }
    iso_free(a->pool, count);
    return slack;
}

static bool reads_from_another(const iso_awdit *a, uint32_t t) {
    for (uint32_t r = a->h->txn_op[t]; r < a->reads_end[t]; r++) {
        if (a->source[r] != ISO_INIT) {
            return true;
        }
    }
    return false;
}

/* Makes the first guess: `when` counts half places. */
static void estimate(iso_awdit_guess *g, const iso_digraph *inferred) {
    const iso_awdit *a = g->a;
    uint32_t longest = find_paths(g, inferred), slack = median_slack(g, longest);
    for (uint32_t i = 0; i < a->n_order; i++) {
        uint32_t t = g->order[i], earliest = g->to[t], latest = longest - g->from[t];
        g->when[t] = latest - earliest <= 2 * slack ? earliest + latest
                     : reads_from_another(a, t)     ? 2 * earliest + slack
                                                    : 2 * latest - slack;
    }
}

/* Sorts the order by `when`, whose numbers are below `end`. */
static void sort_by_guess(iso_awdit_guess *g, uint32_t end) {
    iso_awdit *a = g->a;
    uint32_t *sorted = g->place;
    iso_buckets rows = iso_buckets_new(a->pool, end);
    for (uint32_t i = 0; i < a->n_order; i++) {
        iso_buckets_count(&rows, g->when[g->order[i]]);
    }
    iso_buckets_sum(&rows);
    for (uint32_t i = 0; i < a->n_order; i++) {
        sorted[iso_buckets_place(&rows, g->when[g->order[i]])] = g->order[i];
    }
    memcpy(g->order, sorted, a->n_order * sizeof *sorted);
    for (uint32_t i = 0; i < a->n_order; i++) {
        g->place[g->order[i]] = i;
    }
    iso_free(a->pool, rows.first);
}

bool iso_awdit_next_guess(iso_awdit_guess *g) {
    iso_awdit *a = g->a;
    if (!iso_awdit_sort(a, true, g->order)) {
        return false;
    }
    iso_digraph inferred = iso_digraph_build(a->pool, a->h->n_txns, a->edges.to, a->edges.from, a->edges.n, false);
    if (!g->estimated || a->edges.n - g->n_edges > a->h->n_txns / AGAIN) {
        estimate(g, &inferred);
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i < a->n_order; i++) {
        uint32_t t = g->order[i];
        iso_tick(a->pool->env);
        g->when[t] = more(g->when[t], after_direct(g, &inferred, g->when, t));
        end = more(end, g->when[t] + 1);
    }
    iso_digraph_free(a->pool, &inferred);
    sort_by_guess(g, end);
    g->estimated = true;
    g->n_edges = a->edges.n;
    return true;
}
