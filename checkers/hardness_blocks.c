/* Biconnected components of the graph that joins two sessions with a common key. See hardness.h.
 *
 * A key of s sessions would make s (s - 1) / 2 edges. So the search runs on the graph of sessions and keys, where the
 * key is a node, and all components that meet at a key are one: a key is no session that one could take away. */
#include "checkers/hardness.h"

#include "base/buckets.h"

typedef struct search {
    iso_pool *pool;
    uint32_t n, n_sessions;
    uint32_t *first, *to;             /* neighbours, sessions before keys */
    uint32_t *number, *low, *at, *up; /* Tarjan: number 0: not reached; at: the next edge; up: the parent */
    uint32_t *stack, n_stack;         /* nodes whose component is not known yet */
    uint32_t *block, n_blocks;        /* block of a key; blocks form trees (union) */
} search;

static uint32_t top(uint32_t *block, uint32_t b) {
    while (block[b] != b) {
        block[b] = block[block[b]];
        b = block[b];
    }
    return b;
}

/* Makes the list of different pairs of session and key, from both sides. */
static void build(search *s, const isolab_history *h) {
    uint32_t *last = ISO_NEW(s->pool, uint32_t, h->n_keys);
    iso_buckets rows = iso_buckets_new(s->pool, s->n);
    for (int fill = 0; fill < 2; fill++) {
        iso_fill_none(last, h->n_keys);
        s->to = fill == 1 ? ISO_NEW(s->pool, uint32_t, iso_buckets_sum(&rows)) : NULL;
        for (uint32_t o = 0; o < h->n_ops; o++) {
            iso_tick(s->pool->env);
            uint32_t session = h->txn_session[h->op_txn[o]], k = h->op_key[o], node = s->n_sessions + k;
            if (h->txn_counts[h->op_txn[o]] != ISO_INCLUDED || last[k] == session) {
                continue;
            }
            last[k] = session;
            if (fill == 0) {
                iso_buckets_count(&rows, session);
                iso_buckets_count(&rows, node);
            } else {
                s->to[iso_buckets_place(&rows, session)] = node;
                s->to[iso_buckets_place(&rows, node)] = session;
            }
        }
    }
    s->first = rows.first;
    iso_free(s->pool, last);
}

/* A component ends at an edge from parent to child from which nothing leads above the parent: it is the nodes that are
 * on the stack above the child, and the parent. */
static void close_component(search *s, uint32_t parent, uint32_t child) {
    uint32_t block = s->n_blocks++;
    s->block[block] = block;
    uint32_t a;
    do {
        a = s->stack[--s->n_stack];
        if (a >= s->n_sessions) { /* a key belongs to the blocks where it is a child or a parent: all become one */
            uint32_t *own = &s->up[s->n + a];
            *own = *own == ISO_NONE ? block : *own;
            s->block[top(s->block, *own)] = top(s->block, block);
        }
    } while (a != child);
    if (parent >= s->n_sessions) {
        uint32_t *own = &s->up[s->n + parent];
        *own = *own == ISO_NONE ? block : *own;
        s->block[top(s->block, *own)] = top(s->block, block);
    }
}

static void visit(search *s, uint32_t root) {
    uint32_t time = 1, a = root;
    s->up[a] = ISO_NONE;
    s->number[a] = s->low[a] = time;
    s->stack[s->n_stack++] = a;
    for (;;) {
        iso_tick(s->pool->env);
        if (s->at[a] < s->first[a + 1]) {
            uint32_t b = s->to[s->at[a]++];
            if (s->number[b] == 0) {
                s->up[b] = a;
                s->number[b] = s->low[b] = ++time;
                s->stack[s->n_stack++] = b;
                a = b;
            } else if (b != s->up[a] && s->number[b] < s->low[a]) {
                s->low[a] = s->number[b];
            }
            continue;
        }
        uint32_t parent = s->up[a];
        if (parent == ISO_NONE) {
            s->n_stack = 0;
            return;
        }
        if (s->low[a] >= s->number[parent]) {
            close_component(s, parent, a);
        }
        s->low[parent] = s->low[a] < s->low[parent] ? s->low[a] : s->low[parent];
        a = parent;
    }
}

/* Counts the sessions of each block: a session belongs to the blocks of its keys. */
static void count(search *s, iso_hardness *out) {
    uint32_t *size = ISO_ZNEW(s->pool, uint32_t, (size_t)s->n_blocks + 1);
    uint32_t *last = ISO_NEW_NONE(s->pool, (size_t)s->n_blocks + 1);
    for (uint32_t session = 0; session < s->n_sessions; session++) {
        bool any = s->first[session] < s->first[session + 1];
        out->largest_block = any && out->largest_block == 0 ? 1 : out->largest_block;
        for (uint32_t i = s->first[session]; i < s->first[session + 1]; i++) {
            uint32_t b = top(s->block, s->up[s->n + s->to[i]]);
            if (last[b] != session) {
                last[b] = session;
                size[b]++;
                out->blocks += size[b] == 2;
                out->largest_block = size[b] > out->largest_block ? size[b] : out->largest_block;
            }
        }
    }
    iso_free(s->pool, size);
    iso_free(s->pool, last);
}

void iso_hardness_blocks(const isolab_history *h, iso_pool *scratch, iso_hardness *out) {
    search s = {.pool = scratch, .n = h->n_sessions + h->n_keys, .n_sessions = h->n_sessions};
    build(&s, h);
    s.number = ISO_ZNEW(scratch, uint32_t, s.n);
    s.low = ISO_NEW(scratch, uint32_t, s.n);
    s.at = ISO_NEW(scratch, uint32_t, s.n);
    s.up = ISO_NEW_NONE(scratch, 2 * (size_t)s.n); /* after the parents: the block of each key */
    s.stack = ISO_NEW(scratch, uint32_t, s.n);
    s.block = ISO_NEW(scratch, uint32_t, s.n + 1);
    for (uint32_t a = 0; a < s.n; a++) {
        s.at[a] = s.first[a];
    }
    for (uint32_t a = 0; a < s.n; a++) {
        if (s.number[a] == 0) {
            visit(&s, a);
        }
    }
    count(&s, out);
    uint32_t *all[] = {s.first, s.to, s.number, s.low, s.at, s.up, s.stack, s.block};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        iso_free(scratch, all[i]);
    }
}
