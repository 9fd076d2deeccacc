/* The search over interleavings. A state has the progress of each process and the contents of the memory; each state is
 * visited once, in the order in which states are found. See vsc.h. */
#include <string.h>

#include "base/index.h"
#include "reductions/vsc.h"

enum { MOST_PROCESSES = 16, MOST_LOCATIONS = 16, MOST_STATES = 4000000 };

typedef struct state {
    uint16_t at[MOST_PROCESSES];      /* number of operations done */
    uint16_t written[MOST_LOCATIONS]; /* 1 + the last write, an operation; 0: none */
} state;

typedef struct search {
    iso_pool *pool;
    const iso_trace_ops *t;
    bool real_time;
    state *seen;      /* in the order in which they were found; also the queue of states to visit */
    uint32_t *parent; /* the state from which each one was found */
    uint32_t n, room, parent_room;
    iso_index index; /* of seen */
} search;

static uint64_t hash_of(const state *s) {
    uint64_t word[sizeof(state) / 8], h = 0;
    memcpy(word, s, sizeof *s);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        h = iso_mix2(h, word[i]);
    }
    return h;
}

static void visit(search *s, const state *what, uint32_t parent) {
    uint64_t hash = hash_of(what);
    for (uint32_t at, i = iso_index_first(&s->index, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&s->index, hash, &at)) {
        if (memcmp(&s->seen[i], what, sizeof *what) == 0) {
            return;
        }
    }
    iso_index_add(&s->index, hash, s->n);
    ISO_GROW(s->pool, s->seen, s->n, s->room);
    ISO_GROW(s->pool, s->parent, s->n, s->parent_room);
    s->seen[s->n] = *what;
    s->parent[s->n++] = parent;
}

/* Returns whether the next operation of process p may come next. */
static bool possible(const search *s, const state *from, uint32_t p) {
    const iso_trace_ops *t = s->t;
    const iso_trace_op *op = &t->op[t->first[p] + from->at[p]];
    if (op->kind == ISO_READ || op->update) {
        uint16_t writer = from->written[op->location];
        if ((op->update ? op->old : op->value) != (writer == 0 ? 0 : t->op[writer - 1].value)) {
            return false;
        }
    }
    for (uint32_t q = 0; s->real_time && q < t->n_processes; q++) {
        for (uint32_t i = t->first[q] + from->at[q]; i < t->first[q + 1]; i++) {
            if (&t->op[i] != op && t->op[i].end < op->start) {
                return false; /* it ended before this one began, and is not done yet */
            }
        }
    }
    return true;
}

/* Follows the parents back from the last state: the process that has advanced did the operation. */
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
    iso_index_init(&s.index, scratch, 2048);
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
    iso_index_free(&s.index);
    return answer;
}
