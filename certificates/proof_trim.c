/* Forward and backward unit propagation. See proof_trim.h.
 *
 * Watch lists are linked: watcher 2 c + i is literal i of clause c, and `next` is the next watcher of the same literal.
 * Clauses at or above `limit` are ignored. The limit only falls, so they are removed from a list when met. */
#include "certificates/proof_trim.h"

#include <string.h>

#define NOTHING UINT32_MAX

typedef struct trim {
    iso_pool *pool;
    const iso_clause_list *list;
    uint32_t limit;
    uint32_t *first, *literal; /* the clauses, each literal once; the first two literals are watched */
    uint32_t *head, *next;     /* the watch lists: by literal, and by watcher */
    int8_t *value;             /* by literal: 1 true, -1 false, 0 no value */
    uint32_t *reason, *place;  /* by variable: the clause that implied it, and its place on the trail */
    uint32_t *trail, n_trail, done;
    uint32_t *units, n_units; /* clauses with one literal */
    uint8_t *needed, *seen;   /* by clause; by variable */
    uint32_t *stack, n_stack;
} trim;

static uint32_t index_of(int literal) { return literal > 0 ? 2 * (uint32_t)literal : 2 * (uint32_t)-literal + 1; }

static void assign(trim *t, uint32_t l, uint32_t reason) {
    t->value[l] = 1;
    t->value[l ^ 1] = -1;
    t->reason[l / 2] = reason;
    t->place[l / 2] = t->n_trail;
    t->trail[t->n_trail++] = l;
}

static void undo(trim *t, uint32_t n) {
    while (t->n_trail > n) {
        uint32_t l = t->trail[--t->n_trail];
        t->value[l] = t->value[l ^ 1] = 0;
    }
    t->done = t->done < n ? t->done : n;
}

static void watch(trim *t, uint32_t c, uint32_t side) {
    uint32_t l = t->literal[t->first[c] + side];
    t->next[2 * c + side] = t->head[l];
    t->head[l] = 2 * c + side;
}

/* Returns a clause that is false, or NOTHING. */
static uint32_t propagate(trim *t) {
    while (t->done < t->n_trail) {
        uint32_t falsified = t->trail[t->done++] ^ 1, at = t->head[falsified], conflict = NOTHING;
        uint32_t *link = &t->head[falsified];
        for (; at != NOTHING && conflict == NOTHING; at = *link) {
            iso_tick(t->pool->env);
            uint32_t c = at / 2, side = at % 2, *l = t->literal + t->first[c];
            uint32_t n = t->first[c + 1] - t->first[c], other = l[1 - side], k = 2;
            if (c >= t->limit) {
                *link = t->next[at];
                continue;
            }
            while (t->value[other] <= 0 && k < n && t->value[l[k]] < 0) {
                k++;
            }
            if (t->value[other] <= 0 && k < n) {
                *link = t->next[at];
                l[side] = l[k];
                l[k] = falsified;
                watch(t, c, side);
                continue;
            }
            if (t->value[other] < 0) {
                conflict = c;
            } else if (t->value[other] == 0) {
                assign(t, other, c);
            }
            link = &t->next[at];
        }
        if (conflict != NOTHING) {
            return conflict;
        }
    }
    return NOTHING;
}

/* Returns whether a is a better literal to watch than b: not false, or else false since a later time. */
static bool better(const trim *t, uint32_t a, uint32_t b) {
    if (t->value[a] >= 0 || t->value[b] >= 0) {
        return t->value[a] >= 0 && t->value[b] < 0;
    }
    return t->place[a / 2] > t->place[b / 2];
}

/* Adds a clause. Returns a clause that is false, or NOTHING. */
static uint32_t take(trim *t, uint32_t c) {
    uint32_t *l = t->literal + t->first[c], n = t->first[c + 1] - t->first[c];
    for (uint32_t i = 0; i < 2 && i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            if (better(t, l[k], l[i])) {
                uint32_t swap = l[i];
                l[i] = l[k];
                l[k] = swap;
            }
        }
    }
    if (n == 1) {
        t->units[t->n_units++] = c;
    }
    for (uint32_t i = 0; n > 1 && i < 2; i++) {
        watch(t, c, i);
    }
    if (n == 0 || t->value[l[0]] < 0) {
        return c;
    }
    if ((n == 1 || t->value[l[1]] < 0) && t->value[l[0]] == 0) {
        assign(t, l[0], c);
        return propagate(t);
    }
    return NOTHING;
}

static void need(trim *t, uint32_t c) {
    if (c == NOTHING) {
        return;
    }
    t->needed[c] = 1;
    for (uint32_t i = t->first[c]; i < t->first[c + 1]; i++) {
        uint32_t v = t->literal[i] / 2;
        if (!t->seen[v] && t->value[2 * v] != 0) {
            t->seen[v] = 1;
            t->stack[t->n_stack++] = v;
        }
    }
}

/* Marks the clauses from which the false clause follows. */
static void need_all(trim *t, uint32_t conflict) {
    t->n_stack = 0;
    need(t, conflict);
    for (uint32_t at = 0; at < t->n_stack; at++) {
        need(t, t->reason[t->stack[at]]);
    }
    for (uint32_t i = 0; i < t->n_stack; i++) {
        t->seen[t->stack[i]] = 0;
    }
}

/* Undoes what clauses at or above limit have implied, and propagates again. */
static void fall_back(trim *t, uint32_t limit) {
    uint32_t keep = 0;
    t->limit = limit;
    while (keep < t->n_trail && t->reason[t->trail[keep] / 2] < limit) {
        keep++;
    }
    while (t->n_units > 0 && t->units[t->n_units - 1] >= limit) {
        t->n_units--;
    }
    if (keep == t->n_trail) {
        return;
    }
    undo(t, keep);
    for (uint32_t i = 0; i < t->n_units; i++) {
        uint32_t l = t->literal[t->first[t->units[i]]];
        if (t->value[l] == 0) {
            assign(t, l, t->units[i]);
        }
    }
    t->done = 0;
    propagate(t);
}

/* Returns whether a lemma follows from the clauses before it. Marks the clauses that it needs. */
static bool check(trim *t, uint32_t c) {
    fall_back(t, c);
    uint32_t before = t->n_trail, conflict = NOTHING;
    bool follows = false;
    for (uint32_t i = t->first[c]; i < t->first[c + 1] && !follows; i++) {
        uint32_t l = t->literal[i];
        if (t->value[l] > 0) {
            conflict = t->reason[l / 2];
            follows = true;
        } else if (t->value[l] == 0) {
            assign(t, l ^ 1, NOTHING);
        }
    }
    if (!follows) {
        conflict = propagate(t);
        follows = conflict != NOTHING;
    }
    if (follows) {
        need_all(t, conflict);
    }
    undo(t, before);
    return follows;
}

/* Copies the clauses, each literal once. Sets skip for a clause that is always true. */
static void copy(trim *t, const iso_clause_list *list, uint8_t *skip) {
    uint32_t *stamp = ISO_ZNEW(t->pool, uint32_t, 2 * (size_t)list->n_vars + 2), n = 0;
    for (uint32_t c = 0; c < list->n; c++) {
        t->first[c] = n;
        skip[c] = list->kind[c] == ISO_CLAUSE_TRUE;
        for (uint32_t i = list->first[c]; i < list->first[c + 1]; i++) {
            uint32_t l = index_of(list->literals[i]);
            skip[c] |= stamp[l ^ 1] == c + 1;
            if (stamp[l] != c + 1) {
                stamp[l] = c + 1;
                t->literal[n++] = l;
            }
        }
    }
    t->first[list->n] = n;
    iso_free(t->pool, stamp);
}

bool iso_proof_trim(iso_pool *pool, const iso_clause_list *list, uint8_t *needed) {
    trim t = {.pool = pool, .list = list, .limit = list->n, .needed = needed};
    size_t vars = (size_t)list->n_vars + 1;
    t.first = ISO_NEW(pool, uint32_t, (size_t)list->n + 1);
    t.literal = ISO_NEW(pool, uint32_t, list->first[list->n]);
    t.head = ISO_NEW_NONE(pool, 2 * vars);
    t.next = ISO_NEW(pool, uint32_t, 2 * (size_t)list->n);
    t.value = ISO_ZNEW(pool, int8_t, 2 * vars);
    t.reason = ISO_NEW(pool, uint32_t, vars);
    t.place = ISO_NEW(pool, uint32_t, vars);
    t.trail = ISO_NEW(pool, uint32_t, vars);
    t.units = ISO_NEW(pool, uint32_t, list->n);
    t.seen = ISO_ZNEW(pool, uint8_t, vars);
    t.stack = ISO_NEW(pool, uint32_t, vars);
    memset(needed, 0, list->n);
    uint8_t *skip = ISO_NEW(pool, uint8_t, list->n);
    copy(&t, list, skip);
    uint32_t conflict = NOTHING, c = 0;
    for (; c < list->n && conflict == NOTHING; c++) {
        if (!skip[c]) {
            conflict = take(&t, c);
        }
    }
    bool good = conflict != NOTHING;
    if (good) {
        need_all(&t, conflict);
    }
    while (good && c-- > 0) {
        if (needed[c] && list->kind[c] == ISO_CLAUSE_LEMMA) {
            good = check(&t, c);
        }
    }
    void *blocks[] = {t.first, t.literal, t.head,  t.next, t.value, t.reason,
                      t.place, t.trail,   t.units, t.seen, t.stack, skip};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(pool, blocks[i]);
    }
    return good;
}
