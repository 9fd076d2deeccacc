/* Causal order: a CO b if a reaches b in so|wr. For each transaction t and each session the table has the last
 * transaction that reaches t, or is t; the earlier ones of the session reach t through it.
 *
 * - plume: a tree clock moves along each session (graph/tree_clock.h). Transactions are taken in an order of so|wr, so
 *   that each clock is complete before it is passed on; the paper takes them in the order of the input and updates the
 *   successors again. The times of the clocks are the rows of the table; the links of a transaction are kept only as
 *   long as readers of other sessions need them.
 * - plume-vc: the same with plain vectors. If a table for all sessions would be too large, both work on blocks of
 *   sessions with plain vectors, as often as needed.
 * - plume-dfs: keeps nothing; every question is a search of the graph.
 *
 * All transactions on a cycle of so|wr are reached by the same transactions: they share one clock, so no join can
 * loop. */
#include <string.h>

#include "checkers/plume/plume.h"

#define TABLE_BYTES ((uint64_t)2 << 30) /* limit of the table; it is also at most half of the memory limit */

uint32_t iso_plume_columns(const iso_plume *p) {
    uint64_t half = p->pool->env->limits->memory / 2, most = half != 0 && half < TABLE_BYTES ? half : TABLE_BYTES;
    uint64_t n = most / sizeof(uint32_t) / ((uint64_t)p->h->n_txns + 1);
    return n < 16 ? 16 : n > p->h->n_sessions ? p->h->n_sessions : (uint32_t)n;
}

/* Returns the included transaction before t in its session; ISO_NONE: none. */
static uint32_t before(const iso_plume *p, uint32_t t) {
    uint32_t first = p->h->session_txn[p->h->txn_session[t]];
    while (t > first) {
        if (iso_plume_in(p, --t)) {
            return t;
        }
    }
    return ISO_NONE;
}

/* Returns the number of transactions order[i ...] in the same component as order[i]. */
static uint32_t members(const iso_plume *p, uint32_t i) {
    uint32_t n = 1;
    if (p->component != NULL) {
        while (i + n < p->n_order && p->component[p->order[i + n]] == p->component[p->order[i]]) {
            n++;
        }
    }
    return n;
}

static void join(uint32_t *into, const uint32_t *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        into[i] = into[i] > from[i] ? into[i] : from[i];
    }
}

/* Computes the clock of one component, order[i .. i + n), and writes it to the row of each transaction. */
static void vector_of(iso_plume *p, uint32_t *clock, uint32_t low, uint32_t width, uint32_t i, uint32_t n) {
    const isolab_history *h = p->h;
    uint32_t *row = clock + (size_t)p->order[i] * width;
    bool fresh = true;
    for (uint32_t m = i; m < i + n; m++) {
        uint32_t t = p->order[m], b = before(p, t);
        if (b != ISO_NONE && (n == 1 || p->component[b] != p->component[t])) {
            if (fresh) {
                memcpy(row, clock + (size_t)b * width, width * sizeof *row);
                fresh = false;
            } else {
                join(row, clock + (size_t)b * width, width);
            }
        }
    }
    if (fresh) {
        memset(row, 0, width * sizeof *row);
    }
    for (uint32_t m = i; m < i + n; m++) {
        uint32_t t = p->order[m];
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            uint32_t from = p->read_from[r];
            if (from == ISO_INIT || (n > 1 && p->component[from] == p->component[t])) {
                continue;
            }
            uint32_t column = h->txn_session[from] - low;
            p->count.comparisons++;
            if (column >= width || row[column] <= from) {
                join(row, clock + (size_t)from * width, width);
                p->count.join.joins++;
                p->count.join.looked += width;
            }
        }
    }
    for (uint32_t m = i; m < i + n; m++) {
        uint32_t column = h->txn_session[p->order[m]] - low;
        if (column < width) {
            row[column] = p->order[m] + 1; /* ascending within a session */
        }
    }
    for (uint32_t m = i + 1; m < i + n; m++) {
        memcpy(clock + (size_t)p->order[m] * width, row, width * sizeof *row);
    }
}

void iso_plume_vectors(iso_plume *p, uint32_t *clock, uint32_t low, uint32_t high) {
    for (uint32_t i = 0, n; i < p->n_order; i += n) {
        n = members(p, i);
        iso_tick(p->pool->env);
        vector_of(p, clock, low, high - low, i, n);
    }
}

/* ---- tree clocks ---- */

typedef struct forest {
    iso_plume *p;
    uint32_t k;
    iso_tree_clock *running; /* by session */
    iso_tree_link **links;   /* by transaction: its links as long as they are needed, or NULL */
    uint32_t *readers;       /* by transaction: number of later reads from it by other sessions */
    iso_tree_link **spare;
    uint32_t n_spare, spare_room;
    uint32_t *queue;
} forest;

static iso_tree_link *take_links(forest *f) {
    return f->n_spare > 0 ? f->spare[--f->n_spare] : ISO_NEW(f->p->pool, iso_tree_link, f->k);
}

static void give_links(forest *f, iso_tree_link *links) {
    ISO_GROW(f->p->pool, f->spare, f->n_spare, f->spare_room);
    f->spare[f->n_spare++] = links;
}

static iso_tree_clock clock_of(const forest *f, uint32_t t, iso_tree_link *links) {
    return (iso_tree_clock){
        .k = f->k, .root = f->p->h->txn_session[t], .time = f->p->clock + (size_t)t * f->k, .link = links};
}

static bool of_others(const iso_plume *p, uint32_t r, uint32_t t) {
    return p->read_from[r] != ISO_INIT && p->h->txn_session[p->read_from[r]] != p->h->txn_session[t];
}

/* Returns the session's clock before t, with t's own row as its times. */
static iso_tree_clock *advance(forest *f, uint32_t t) {
    const isolab_history *h = f->p->h;
    uint32_t s = h->txn_session[t], b = before(f->p, t), *row = f->p->clock + (size_t)t * f->k;
    iso_tree_clock *c = &f->running[s];
    if (b == ISO_NONE) {
        iso_tree_clock_init(c, f->k, s, row, take_links(f));
    } else {
        memcpy(row, f->p->clock + (size_t)b * f->k, f->k * sizeof *row);
        c->time = row;
    }
    return c;
}

/* Keeps the links that readers of t will need, and the session's clock only if the session goes on. */
static void settle(forest *f, uint32_t t, bool last) {
    iso_tree_clock *c = &f->running[f->p->h->txn_session[t]];
    if (f->readers[t] > 0) {
        f->links[t] = take_links(f);
        iso_tree_clock copy = clock_of(f, t, f->links[t]);
        iso_tree_clock_copy(&copy, c);
    }
    if (last) {
        give_links(f, c->link);
    }
}

static void release(forest *f, uint32_t from) {
    if (--f->readers[from] == 0) {
        give_links(f, f->links[from]);
        f->links[from] = NULL;
    }
}

static bool is_last(const iso_plume *p, uint32_t t) {
    uint32_t end = p->h->session_txn[p->h->txn_session[t] + 1];
    while (++t < end && !iso_plume_in(p, t)) {
    }
    return t == end;
}

static void tree_of(forest *f, uint32_t t) {
    iso_plume *p = f->p;
    iso_tree_clock *c = advance(f, t);
    iso_tree_clock_tick(c, t + 1);
    for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        if (!of_others(p, r, t)) {
            continue;
        }
        uint32_t from = p->read_from[r];
        p->count.comparisons++;
        if (c->time[p->h->txn_session[from]] <= from) {
            iso_tree_clock source = clock_of(f, from, f->links[from]);
            iso_tree_clock_join(c, &source, f->queue, &p->count.join);
        }
        release(f, from);
    }
    settle(f, t, is_last(p, t));
}

/* For a cycle: computes the times as vectors; then each session has learnt all of them just now. */
static void trees_of_cycle(forest *f, uint32_t i, uint32_t n) {
    iso_plume *p = f->p;
    vector_of(p, p->clock, 0, f->k, i, n);
    for (uint32_t m = i; m < i + n; m++) {
        uint32_t t = p->order[m], s = p->h->txn_session[t], b = before(p, t);
        iso_tree_clock *c = &f->running[s];
        if (b == ISO_NONE) {
            *c = clock_of(f, t, take_links(f));
        }
        c->time = p->clock + (size_t)t * f->k;
        iso_tree_clock_flatten(c);
        settle(f, t, is_last(p, t));
    }
    for (uint32_t m = i; m < i + n; m++) {
        uint32_t t = p->order[m];
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            if (of_others(p, r, t)) {
                release(f, p->read_from[r]);
            }
        }
    }
}

static void grow_trees(iso_plume *p) {
    const isolab_history *h = p->h;
    forest f = {.p = p, .k = h->n_sessions};
    f.running = ISO_ZNEW(p->pool, iso_tree_clock, h->n_sessions);
    f.links = ISO_ZNEW(p->pool, iso_tree_link *, h->n_txns);
    f.readers = ISO_ZNEW(p->pool, uint32_t, h->n_txns);
    f.queue = ISO_NEW(p->pool, uint32_t, (size_t)h->n_sessions + 1);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            if (of_others(p, r, t)) {
                f.readers[p->read_from[r]]++;
            }
        }
    }
    for (uint32_t i = 0, n; i < p->n_order; i += n) {
        n = members(p, i);
        iso_tick(p->pool->env);
        if (n == 1) {
            tree_of(&f, p->order[i]);
        } else {
            trees_of_cycle(&f, i, n);
        }
    }
    while (f.n_spare > 0) {
        iso_free(p->pool, f.spare[--f.n_spare]);
    }
    void *arrays[] = {f.running, f.links, f.readers, f.queue, f.spare};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(p->pool, arrays[i]);
    }
}

bool iso_plume_clocks(iso_plume *p) {
    const isolab_history *h = p->h;
    if (p->clock == NULL && p->mode != ISO_PLUME_SEARCH && iso_plume_columns(p) >= h->n_sessions) {
        p->clock = ISO_NEW(p->pool, uint32_t, (size_t)h->n_txns * h->n_sessions);
        if (p->mode == ISO_PLUME_TREE && h->n_sessions <= ISO_TREE_MOST) {
            grow_trees(p);
        } else {
            iso_plume_vectors(p, p->clock, 0, h->n_sessions);
        }
    }
    return p->clock != NULL;
}

/* ---- search ---- */

typedef struct search {
    iso_plume *p;
    uint32_t target, depth;
} search;

/* Marks u as reached. Returns false if u is the target. */
static bool meet(search *s, uint32_t u) {
    iso_plume *p = s->p;
    if (u < p->h->n_txns && p->stamp[u] != p->search) {
        p->stamp[u] = p->search;
        p->queue[s->depth++] = u;
    }
    return u != s->target;
}

/* Searches backwards for every transaction that reaches t, or is t, until it meets the target (ISO_NONE: no target).
 * row: 1 + the last such transaction of each session; NULL: not needed. Returns whether it met the target. */
static bool go_back(iso_plume *p, uint32_t t, uint32_t target, uint32_t *row) {
    search s = {.p = p, .target = target};
    p->search++;
    p->count.traversals++;
    meet(&s, t);
    while (s.depth > 0) {
        uint32_t v = p->queue[--s.depth], b = before(p, v);
        iso_tick(p->pool->env);
        p->count.visited++;
        if (row != NULL && row[p->h->txn_session[v]] <= v) {
            row[p->h->txn_session[v]] = v + 1;
        }
        if (b != ISO_NONE && !meet(&s, b)) {
            return true;
        }
        for (uint32_t r = p->read_first[v]; r < p->read_first[v + 1]; r++) {
            if (p->read_from[r] != ISO_INIT && !meet(&s, p->read_from[r])) {
                return true;
            }
        }
    }
    return false;
}

void iso_plume_search(iso_plume *p, uint32_t t, uint32_t *row) {
    memset(row, 0, p->h->n_sessions * sizeof *row);
    go_back(p, t, ISO_NONE, row);
}

bool iso_plume_before(iso_plume *p, uint32_t a, uint32_t b) {
    if (a == ISO_INIT) {
        return true;
    }
    if (p->clock != NULL) {
        p->count.comparisons++;
        return p->clock[(size_t)b * p->h->n_sessions + p->h->txn_session[a]] > a;
    }
    return iso_plume_so(p, a, b) || go_back(p, b, a, NULL);
}
