/* Joining sessions to chains. See awdit_cc.h.
 *
 * In a topological order of so and wr, each session looks backward from its first transaction for a session
 * that has ended there and that nobody continues yet, and continues it. The search is breadth first and stops
 * after a few transactions, so this is O(n); it finds most of what there is where it matters, with many short
 * sessions. (Fewest chains would be a matching in the closure.) */
#include <string.h>

#include "checkers/awdit_cc.h"

#define LOOKED_AT 32

typedef struct joiner {
    const iso_awdit *a;
    uint32_t *last;  /* by session: its last transaction that takes part; ISO_NONE */
    uint32_t *next;  /* by session: the one that continues it; ISO_NONE */
    uint32_t queue[LOOKED_AT];
    uint32_t n_queue;
} joiner;

static void look(joiner *j, uint32_t t) {
    for (uint32_t i = 0; i < j->n_queue; i++) {
        if (j->queue[i] == t) {
            return;
        }
    }
    if (j->n_queue < LOOKED_AT) {
        j->queue[j->n_queue++] = t;
    }
}

/* A session to continue, that has ended before transaction t; ISO_NONE: not found. */
static uint32_t find_ended(joiner *j, uint32_t t) {
    const iso_awdit *a = j->a;
    const isolab_history *h = a->h;
    j->n_queue = 0;
    look(j, t);
    for (uint32_t head = 0; head < j->n_queue; head++) {
        uint32_t v = j->queue[head], s = h->txn_session[v];
        if (v != t && j->last[s] == v && j->next[s] == ISO_NONE) {
            return s;
        }
        for (uint32_t i = h->txn_op[v]; i < a->reads_end[v] && j->n_queue < LOOKED_AT; i++) {
            if (a->source[i] != ISO_INIT) {
                look(j, a->source[i]);
            }
        }
        for (uint32_t u = v; v != t && u-- > h->session_txn[s];) {
            if (iso_awdit_in(a, u)) {
                look(j, u);
                break;
            }
        }
    }
    return ISO_NONE;
}

/* Numbers the chains that begin with the sessions that continue none. */
static void number(const joiner *j, const uint8_t *continues, iso_awdit_chains *c) {
    const isolab_history *h = j->a->h;
    uint32_t n_sessions = 0;
    for (uint32_t first = 0; first < h->n_sessions; first++) {
        if (continues[first]) {
            continue;
        }
        c->size[c->n] = 0;
        for (uint32_t s = first; s != ISO_NONE; s = j->next[s]) {
            c->of[s] = c->n;
            c->shift[s] = c->size[c->n] + 1 - h->session_txn[s]; /* modulo 2^32 */
            c->size[c->n] += h->session_txn[s + 1] - h->session_txn[s];
            c->sessions[n_sessions++] = s;
        }
        c->n++;
    }
}

iso_awdit_chains iso_awdit_find_chains(const iso_awdit *a, const uint32_t *order) {
    const isolab_history *h = a->h;
    iso_awdit_chains c = {.n = 0};
    c.of = ISO_NEW(a->pool, uint32_t, h->n_sessions);
    c.shift = ISO_NEW(a->pool, uint32_t, h->n_sessions);
    c.size = ISO_NEW(a->pool, uint32_t, h->n_sessions);
    c.sessions = ISO_NEW(a->pool, uint32_t, h->n_sessions);
    joiner *j = ISO_NEW(a->pool, joiner, 1);
    j->a = a;
    j->last = ISO_NEW(a->pool, uint32_t, h->n_sessions);
    j->next = ISO_NEW(a->pool, uint32_t, h->n_sessions);
    memset(j->last, 0xff, h->n_sessions * sizeof *j->last);
    memset(j->next, 0xff, h->n_sessions * sizeof *j->next);
    uint8_t *begun = ISO_ZNEW(a->pool, uint8_t, h->n_sessions);
    uint8_t *continues = ISO_ZNEW(a->pool, uint8_t, h->n_sessions);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (iso_awdit_in(a, t)) {
            j->last[h->txn_session[t]] = t;
        }
    }
    for (uint32_t i = 0; i < a->n_order; i++) {
        iso_tick(a->pool->env);
        uint32_t s = h->txn_session[order[i]];
        if (!begun[s]) {
            begun[s] = 1;
            uint32_t ended = find_ended(j, order[i]);
            if (ended != ISO_NONE) {
                j->next[ended] = s;
                continues[s] = 1;
            }
        }
    }
    number(j, continues, &c);
    iso_free(a->pool, continues);
    iso_free(a->pool, begun);
    iso_free(a->pool, j->next);
    iso_free(a->pool, j->last);
    iso_free(a->pool, j);
    return c;
}

void iso_awdit_free_chains(const iso_awdit *a, iso_awdit_chains *c) {
    uint32_t *arrays[] = {c->of, c->shift, c->size, c->sessions};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(a->pool, arrays[i]);
    }
}
