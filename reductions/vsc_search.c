/* The search over interleavings: states are how far each process is and what memory holds; each is visited once,
 * in the order of their finding. See vsc.h. */
#include <string.h>

#include "base/hash.h"
#include "reductions/vsc.h"

enum { MOST_PROCESSES = 16, MOST_LOCATIONS = 16, MOST_STATES = 4000000 };

typedef struct state {
    uint16_t at[MOST_PROCESSES];      /* operations done */
    uint16_t written[MOST_LOCATIONS]; /* the last write, an operation plus one; 0: none */
} state;

typedef struct search {
    iso_pool *pool;
    const iso_trace_ops *t;
    bool real_time;
    state *seen;      /* in the order of their finding: also the queue of what is still to be looked at */
    uint32_t *parent; /* the state that each was found from */
    uint32_t n, room, parent_room;
    uint32_t *table, mask; /* hash table of numbers plus one */
} search;

static uint64_t hash_of(const state *s) {
    uint64_t word[sizeof(state) / 8], h = 0;
    memcpy(word, s, sizeof *s);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        h = iso_mix2(h, word[i]);
    }
    return h;
}

static void grow_table(search *s) {
    uint32_t size = s->mask == 0 ? 4096 : 2 * (s->mask + 1);
    iso_free(s->pool, s->table);
    s->table = ISO_ZNEW(s->pool, uint32_t, size);
    s->mask = size - 1;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t slot = hash_of(&s->seen[i]);
        while (s->table[slot & s->mask] != 0) {
            slot++;
        }
        s->table[slot & s->mask] = i + 1;
    }
}

static void visit(search *s, const state *what, uint32_t parent) {
    if (2 * (s->n + 1) > s->mask) {
        grow_table(s);
    }
    uint64_t slot = hash_of(what);
    for (; s->table[slot & s->mask] != 0; slot++) {
        if (memcmp(&s->seen[s->table[slot & s->mask] - 1], what, sizeof *what) == 0) {
            return;
        }
    }
    ISO_GROW(s->pool, s->seen, s->n, s->room);
    ISO_GROW(s->pool, s->parent, s->n, s->parent_room);
    s->seen[s->n] = *what;
    s->parent[s->n++] = parent;
    s->table[slot & s->mask] = s->n;
}

/* May the next operation of process p be the next of all? */
static bool possible(const search *s, const state *from, uint32_t p) {
    const iso_trace_ops *t = s->t;
    const iso_trace_op *op = &t->op[t->first[p] + from->at[p]];
    if (op->kind == ISO_READ) {
        uint16_t writer = from->written[op->location];
        if (op->value != (writer == 0 ? 0 : t->op[writer - 1].value)) {
            return false;
        }
    }
    for (uint32_t q = 0; s->real_time && q < t->n_processes; q++) {
        for (uint32_t i = t->first[q] + from->at[q]; i < t->first[q + 1]; i++) {
            if (&t->op[i] != op && t->op[i].end < op->start) {
                return false; /* it was over before this one began, and is not done yet */
            }
        }
    }
    return true;
}

/* Back from the last state: the process that is one further than in the state before did the operation. */
static void order_of(const search *s, uint32_t last, uint32_t *order) {
    const iso_trace_ops *t = s->t;
    for (uint32_t i = last, left = t->n_ops; left-- > 0; i = s->parent[i]) {
        const state *now = &s->seen[i], *before = &s->seen[s->parent[i]];
        uint32_t p = 0;
        while (now->at[p] == before->at[p]) {
            p++;
        }
        order[left] = t->first[p] + before->at[p];
    }
}

int iso_trace_search(const iso_trace_ops *t, bool real_time, iso_pool *scratch, uint32_t *order) {
    if (t->n_processes > MOST_PROCESSES || t->n_locations > MOST_LOCATIONS || t->n_ops > 1000) {
        return -1;
    }
    search s = {.pool = scratch, .t = t, .real_time = real_time};
    visit(&s, &(state){{0}, {0}}, 0);
    int answer = 0;
    for (uint32_t i = 0; i < s.n && answer == 0; i++) {
        iso_tick(scratch->env);
        state from = s.seen[i];
        uint32_t done = 0;
        for (uint32_t p = 0; p < t->n_processes; p++) {
            done += from.at[p];
            if (t->first[p] + from.at[p] == t->first[p + 1] || !possible(&s, &from, p)) {
                continue;
            }
            state to = from;
            const iso_trace_op *op = &t->op[t->first[p] + to.at[p]++];
            if (op->kind == ISO_WRITE) {
                to.written[op->location] = (uint16_t)(op - t->op + 1);
            }
            visit(&s, &to, i);
        }
        answer = done == t->n_ops ? 1 : s.n > MOST_STATES ? -1 : 0;
        if (answer == 1 && order != NULL) {
            order_of(&s, i, order);
        }
    }
    iso_free(scratch, s.parent);
    iso_free(scratch, s.seen);
    iso_free(scratch, s.table);
    return answer;
}
