/* The search over prefixes of the sessions, for pc, si, ser and sser.
 *
 * A state is the number of events of each session that have happened. An event is a transaction (ser, sser), or its
 * start, which reads, and its commit, which writes (pc, si). A read must find the value that it returned, and a write
 * must not overwrite a value that another transaction still has to read. So the current values follow from the prefix
 * alone, and each prefix need be tried only once. For si a transaction holds the keys that it writes from its start to
 * its commit. There are O(n^k) prefixes; the memory and time limits end a search that is too large. */
#include <string.h>

#include "base/index.h"
#include "checkers/dbcop/dbcop.h"

/* The prefixes that were tried: rows of k numbers, found by hash. */
typedef struct prefixes {
    uint32_t *row;
    uint64_t room;
    iso_index index; /* of the rows */
} prefixes;

typedef struct search {
    const iso_dbcop_problem *p;
    unsigned per_txn; /* number of events of a transaction */
    uint32_t *done;   /* by session: number of events that have happened */
    uint64_t hash;
    uint32_t *current;  /* by key: the source of its current value: a slot, or slots + key for the initial value */
    uint32_t *left;     /* by source: number of transactions that still have to read it */
    uint32_t *holder;   /* si, by key: the transaction between start and commit that writes it */
    uint32_t *before;   /* by slot: the source that it overwrote, for undoing */
    int64_t *least_end; /* sser, by transaction: the earliest end among it and the later transactions of its session */
    prefixes tried;
} search;

static uint32_t source_of(const iso_dbcop_problem *p, uint32_t read) {
    return p->read_from[read] == ISO_INIT ? p->slot_first[p->n] + p->read_key[read] : p->read_from[read];
}

/* A session's part of the hash depends only on its number of events. */
static uint64_t hash_of(uint32_t session, uint32_t events) { return iso_mix2(session, events); }

/* Stores the current prefix. Returns false if it was tried before. */
static bool first_time(search *s) {
    prefixes *t = &s->tried;
    uint32_t k = s->p->k, at;
    for (uint32_t i = iso_index_first(&t->index, s->hash, &at); i != ISO_NONE;
         i = iso_index_next(&t->index, s->hash, &at)) {
        if (memcmp(t->row + (size_t)i * k, s->done, k * sizeof *s->done) == 0) {
            return false;
        }
    }
    uint32_t n = t->index.n;
    if (n == t->room) {
        t->room = t->room == 0 ? 256 : 2 * t->room;
        t->row = iso_resize(s->p->pool, t->row, t->room * k, sizeof *t->row);
    }
    memcpy(t->row + (size_t)n * k, s->done, k * sizeof *s->done);
    iso_index_add(&t->index, s->hash, n);
    return true;
}

static bool reads_fit(const search *s, uint32_t t) {
    const iso_dbcop_problem *p = s->p;
    for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        if (s->current[p->read_key[r]] != source_of(p, r)) {
            return false;
        }
    }
    return true;
}

/* Returns whether t may overwrite its keys: no other transaction still has to read their values. t itself reads before
 * it writes. */
static bool writes_fit(const search *s, uint32_t t) {
    const iso_dbcop_problem *p = s->p;
    for (uint32_t w = p->slot_first[t]; w < p->slot_first[t + 1]; w++) {
        uint32_t x = p->slot_key[w], left = s->left[s->current[x]];
        for (uint32_t r = p->read_first[t]; s->per_txn == 1 && left == 1 && r < p->read_first[t + 1]; r++) {
            left -= source_of(p, r) == s->current[x];
        }
        if (left != 0) {
            return false;
        }
    }
    return true;
}

static bool keys_free(const search *s, uint32_t t) {
    const iso_dbcop_problem *p = s->p;
    for (uint32_t w = p->slot_first[t]; w < p->slot_first[t + 1]; w++) {
        if (s->holder[p->slot_key[w]] != ISO_NONE) {
            return false;
        }
    }
    return true;
}

/* sser: returns whether every transaction that ended before t started has happened. */
static bool time_fits(const search *s, uint32_t t) {
    const iso_dbcop_problem *p = s->p;
    if (s->least_end == NULL || p->h->txn_start[p->txn[t]] == ISO_NO_TIME) {
        return true;
    }
    int64_t start = p->h->txn_start[p->txn[t]];
    for (uint32_t c = 0; c < p->k; c++) {
        uint32_t next = p->first[c] + s->done[c];
        next += next == t; /* t does not wait for itself */
        if (next < p->first[c + 1] && s->least_end[next] < start) {
            return false;
        }
    }
    return true;
}

/* Returns the transaction of the next event of a session, and whether the event is its start or its commit. */
static uint32_t next_of(const search *s, uint32_t session, bool *start, bool *commit) {
    uint32_t event = s->done[session];
    *start = s->per_txn == 1 || event % 2 == 0;
    *commit = s->per_txn == 1 || event % 2 == 1;
    return s->p->first[session] + event / s->per_txn;
}

static bool can_go_on(const search *s, uint32_t session) {
    bool start, commit;
    uint32_t t = next_of(s, session, &start, &commit);
    return t < s->p->first[session + 1] && (!start || (reads_fit(s, t) && time_fits(s, t))) &&
           (!commit || writes_fit(s, t)) && (!start || s->holder == NULL || keys_free(s, t));
}

/* Does one event, or undoes it exactly. */
static void step(search *s, uint32_t session, bool forwards) {
    const iso_dbcop_problem *p = s->p;
    uint32_t old = s->done[session];
    if (!forwards) {
        s->done[session]--;
    }
    bool start, commit;
    uint32_t t = next_of(s, session, &start, &commit);
    if (forwards && start) {
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            s->left[source_of(p, r)]--;
        }
    }
    for (uint32_t w = p->slot_first[t]; w < p->slot_first[t + 1]; w++) {
        uint32_t x = p->slot_key[w];
        if (commit && forwards) {
            s->before[w] = s->current[x];
            s->current[x] = w;
        } else if (commit) {
            s->current[x] = s->before[w];
        }
        if (s->holder != NULL) {
            s->holder[x] = start == forwards ? t : ISO_NONE;
        }
    }
    if (!forwards && start) {
        for (uint32_t r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
            s->left[source_of(p, r)]++;
        }
    }
    if (forwards) {
        s->done[session]++;
    }
    s->hash ^= hash_of(session, old) ^ hash_of(session, s->done[session]);
}

static void prepare(search *s) {
    const iso_dbcop_problem *p = s->p;
    const isolab_history *h = p->h;
    uint32_t slots = p->slot_first[p->n];
    s->per_txn = p->level == ISO_PC || p->level == ISO_SI ? 2 : 1;
    s->done = ISO_ZNEW(p->pool, uint32_t, p->k);
    s->current = ISO_NEW(p->pool, uint32_t, h->n_keys);
    s->left = ISO_NEW(p->pool, uint32_t, (size_t)slots + h->n_keys);
    s->before = ISO_NEW(p->pool, uint32_t, slots);
    memcpy(s->left, p->readers, ((size_t)slots + h->n_keys) * sizeof *s->left);
    for (uint32_t x = 0; x < h->n_keys; x++) {
        s->current[x] = slots + x;
    }
    if (p->level == ISO_SI) {
        s->holder = ISO_NEW_NONE(p->pool, h->n_keys);
    }
    if (p->level == ISO_SSER && h->txn_end != NULL) {
        s->least_end = ISO_NEW(p->pool, int64_t, p->n);
        for (uint32_t t = p->n; t-- > 0;) {
            int64_t end = h->txn_end[p->txn[t]];
            s->least_end[t] = end == ISO_NO_TIME ? INT64_MAX : end;
            if (t + 1 < p->first[p->session[t] + 1] && s->least_end[t + 1] < s->least_end[t]) {
                s->least_end[t] = s->least_end[t + 1];
            }
        }
    }
    for (uint32_t c = 0; c < p->k; c++) {
        s->hash ^= hash_of(c, 0);
    }
}

void iso_dbcop_search(const iso_dbcop_problem *p, iso_result *result, bool certificate) {
    search s = {.p = p};
    iso_index_init(&s.tried.index, p->pool, 0);
    prepare(&s);
    uint32_t events = p->n * s.per_txn, depth = 0, k = p->k;
    uint32_t *session = ISO_NEW(p->pool, uint32_t, (size_t)events + 1); /* by depth: the session that moved */
    uint32_t *next = ISO_NEW(p->pool, uint32_t, (size_t)events + 1);    /* by depth: the number of sessions tried */
    bool found = events == 0;
    next[0] = 0;
    while (!found) {
        bool moved = false;
        while (next[depth] < k && !moved) {
            iso_tick(p->pool->env);
            /* Start with the session after the one that moved last, so that the sessions advance evenly. */
            uint32_t c = ((depth == 0 ? 0 : session[depth - 1] + 1) + next[depth]++) % k;
            if (can_go_on(&s, c)) {
                step(&s, c, true);
                moved = first_time(&s);
                iso_tick_steps(p->pool->env, k / 1024 + 1); /* the state of each session is copied */
                if (moved) {
                    session[depth++] = c;
                    next[depth] = 0;
                } else {
                    step(&s, c, false);
                }
            }
        }
        found = depth == events;
        if (!moved && !found) {
            if (depth == 0) {
                break;
            }
            step(&s, session[--depth], false);
        }
    }
    iso_result_counter(result, "prefixes", s.tried.index.n);
    if (!found) {
        iso_result_anomaly(result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
        return;
    }
    if (certificate) {
        result->order = ISO_NEW(result->pool, uint32_t, p->n);
        memset(s.done, 0, k * sizeof *s.done);
        for (uint32_t i = 0; i < events; i++) {
            bool start, commit;
            uint32_t t = next_of(&s, session[i], &start, &commit);
            if (commit) {
                result->order[result->n_order++] = p->txn[t];
            }
            s.done[session[i]]++;
        }
    }
}
