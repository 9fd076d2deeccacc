/* Makes scripts out of a small history: orders of its steps in which its reads could return what they returned.
 *
 * Values come first: a search places the steps one by one, and a read only where it would return its value, in a
 * database that shows each read what is committed, or a snapshot, or what is written. Where that cannot be (the anomaly
 * is such a read), as few reads as possible are placed elsewhere. What the values leave open is decided by one of three
 * preferences: transactions overlap as much as they can, which anomalies of reads need; or as little as they can, so
 * that writers do not refuse each other; or their times, which also decide what these leave open. No one of these
 * reproduces every anomaly on every database, so all orders that differ become scripts, to be played in turn. */
#include <ctype.h>
#include <string.h>

#include "base/print.h"
#include "collectors/collector.h"
#include "collectors/script.h"

enum { STEPS = 4096, WORK = 1 << 24, MISFITS = 3 };

/* A step of the history: operation op of transaction txn, or its begin or end (op: ISO_NONE). */
typedef struct event {
    uint32_t txn, op, session;
    iso_step_kind kind;
    int64_t at;
} event;

/* What a read returns, beside the transaction's own writes. */
typedef enum { COMMITTED, SNAPSHOT, WRITTEN, VIEWS } view;
/* What decides the order where values do not. */
typedef enum { OVERLAP, APART, TIMES, PREFERENCES } preference;

/* The sessions that can go on at a place of the order, best first. */
typedef struct place {
    uint8_t session[ISO_SCRIPT_SESSIONS], n, tried;
    uint32_t misfits; /* reads before that do not fit */
} place;

typedef struct deriving {
    iso_pool *pool;
    const isolab_history *h;
    iso_script *s;         /* names, and the steps session by session */
    event *events, *order; /* session by session, in program order; as they are placed */
    place *places;
    uint32_t n, placed;
    uint32_t *first, *next; /* by session: its events, and the one to come */
    view view;
    preference preference;
    int64_t work; /* of a search: steps that it may still look at */
} deriving;

/* ---- names and values ---- */

/* Returns a name that a script can have: the atom's own, or else a letter with its number. */
static const char *name_of(const deriving *d, iso_atom a, char letter, uint32_t number) {
    iso_printer p = {.pool = d->pool};
    bool good = a.kind == ISO_ATOM_STRING;
    if (a.kind == ISO_ATOM_INT || a.kind == ISO_ATOM_UINT) {
        iso_print(&p, "%c%lld", letter, (long long)a.bits);
        return iso_printed(&p);
    }
    if (good) {
        const char *text = d->h->string_bytes + d->h->string_first[a.bits];
        good = *text != '\0' && strlen(text) < 32 && strcmp(text, "setup") != 0 && strcmp(text, "forbids") != 0 &&
               strcmp(text, "script") != 0;
        for (const char *c = text; *c != '\0'; c++) {
            good &= isalnum((unsigned char)*c) || *c == '_' || *c == '-' || *c == '.' || *c == '/';
        }
        iso_print(&p, "%s", text);
    }
    if (!good) {
        p = (iso_printer){.pool = d->pool};
        iso_print(&p, "%c%u", letter, number);
    }
    return iso_printed(&p);
}

static void add_names(deriving *d) {
    const isolab_history *h = d->h;
    iso_script *s = d->s;
    if (h->n_sessions > ISO_SCRIPT_SESSIONS || h->n_keys > ISO_SCRIPT_KEYS ||
        h->n_ops + 2 * (uint64_t)h->n_txns > STEPS) {
        iso_throw(d->pool->env, ISOLAB_E_USAGE,
                  "the history is too large for a script (%d sessions, %d keys, %d steps at most): make it small by "
                  "`isolab shrink --slice`",
                  ISO_SCRIPT_SESSIONS, ISO_SCRIPT_KEYS, STEPS);
    }
    for (uint32_t i = 0; i < h->n_sessions; i++) {
        s->session[i] = name_of(d, h->session_name[i], 's', i);
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        s->key[k] = name_of(d, h->key_name[k], 'k', k);
        s->initial[k] = ISO_NO_VALUE;
        s->lists |= h->key_is_list[k] != 0;
    }
    s->n_sessions = h->n_sessions;
    s->n_keys = h->n_keys;
    for (uint32_t k = 0; k < h->n_keys && s->lists; k++) {
        if (h->key_is_list[k] == 0) {
            iso_throw(d->pool->env, ISOLAB_E_USAGE,
                      "the history has lists and registers: a script has only one of them");
        }
    }
}

/* Values stay what they are if they are numbers that a database can hold; else each gets a number of its own. */
static int64_t value_of(const deriving *d, uint32_t version) {
    const isolab_history *h = d->h;
    iso_atom a = iso_version_value(h, version);
    return a.kind == ISO_ATOM_INT && (int64_t)a.bits != ISO_NO_VALUE ? (int64_t)a.bits : 1000000 + (int64_t)version;
}

/* ---- events ---- */

static void add_event(deriving *d, uint32_t txn, uint32_t op, iso_step_kind kind, int64_t at) {
    d->events[d->n++] = (event){txn, op, d->h->txn_session[txn], kind, at};
}

static iso_step_kind kind_of(const isolab_history *h, uint32_t op) {
    return h->op_kind[op] == ISO_WRITE    ? ISO_STEP_WRITE
           : h->op_kind[op] == ISO_APPEND ? ISO_STEP_APPEND
                                          : ISO_STEP_READ;
}

static void add_events(deriving *d) {
    const isolab_history *h = d->h;
    size_t n = h->n_ops + 2 * (size_t)h->n_txns;
    d->events = ISO_NEW(d->pool, event, n);
    d->order = ISO_NEW(d->pool, event, n);
    d->places = ISO_ZNEW(d->pool, place, n + 1);
    d->next = ISO_NEW(d->pool, uint32_t, h->n_sessions);
    d->first = ISO_NEW(d->pool, uint32_t, h->n_sessions + 1);
    for (uint32_t session = 0; session < h->n_sessions; session++) {
        d->first[session] = d->n;
        for (uint32_t t = h->session_txn[session]; t < h->session_txn[session + 1]; t++) {
            int64_t start = h->has_times ? h->txn_start[t] : 0, end = h->has_times ? h->txn_end[t] : 0;
            uint32_t ops = h->txn_op[t + 1] - h->txn_op[t];
            add_event(d, t, ISO_NONE, ISO_STEP_BEGIN, start);
            for (uint32_t i = 0; i < ops; i++) {
                uint32_t op = h->txn_op[t] + i;
                add_event(d, t, op, kind_of(h, op), start + (int64_t)((double)(end - start) * (i + 1) / (ops + 1)));
            }
            add_event(d, t, ISO_NONE, h->txn_status[t] == ISO_ABORTED ? ISO_STEP_ABORT : ISO_STEP_COMMIT, end);
        }
    }
    d->first[h->n_sessions] = d->n;
}

static bool has_all_times(const isolab_history *h) {
    bool all = h->has_times;
    for (uint32_t t = 0; t < h->n_txns && all; t++) {
        all = h->txn_start[t] != ISO_NO_TIME && h->txn_end[t] != ISO_NO_TIME;
    }
    return all;
}

/* ---- values ---- */

/* The last version of a key that a transaction wrote before an operation; ISO_NONE: none. */
static uint32_t last_write(const isolab_history *h, uint32_t txn, uint32_t before, uint32_t key) {
    for (uint32_t o = before; o > h->txn_op[txn]; o--) {
        if (h->op_key[o - 1] == key && iso_is_write(h->op_kind[o - 1])) {
            return h->op_version[o - 1];
        }
    }
    return ISO_NONE;
}

/* Does a placed transaction abort before the next place? */
static bool has_aborted(deriving *d, uint32_t txn) {
    bool yes = false;
    d->work -= d->placed;
    for (uint32_t i = 0; i < d->placed; i++) {
        yes |= d->order[i].txn == txn && d->order[i].kind == ISO_STEP_ABORT;
    }
    return yes;
}

/* The version that others than a transaction show a read of it at the next place; ISO_NONE: the initial one. */
static uint32_t shown(deriving *d, uint32_t txn, uint32_t key) {
    const isolab_history *h = d->h;
    uint32_t end = d->placed;
    d->work -= d->placed;
    for (uint32_t i = 0; i < d->placed && d->view == SNAPSHOT && end == d->placed; i++) {
        end = d->order[i].txn == txn ? i : end;
    }
    for (uint32_t i = end; i > 0; i--) {
        const event *e = &d->order[i - 1];
        uint32_t version = ISO_NONE;
        if (d->view != WRITTEN && e->kind == ISO_STEP_COMMIT) {
            version = last_write(h, e->txn, h->txn_op[e->txn + 1], key);
        } else if (d->view == WRITTEN && e->op != ISO_NONE && iso_is_write(h->op_kind[e->op]) &&
                   h->op_key[e->op] == key && !has_aborted(d, e->txn)) {
            version = h->op_version[e->op];
        }
        if (version != ISO_NONE) {
            return version;
        }
    }
    return ISO_NONE;
}

/* The version that a read returned; of a list the last element's, or ISO_NONE for the initial value. */
static uint32_t returned(const isolab_history *h, uint32_t op) {
    uint32_t version = h->op_version[op];
    if (h->op_kind[op] == ISO_LIST_READ) {
        uint32_t end = h->list_first[version + 1];
        return end == h->list_first[version] ? ISO_NONE : h->list_version[end - 1];
    }
    return iso_version_is_initial(h, version) ? ISO_NONE : version;
}

/* Would a read at the next place return what it returned? */
static bool fits(deriving *d, const event *e) {
    uint32_t own = last_write(d->h, e->txn, e->op, d->h->op_key[e->op]);
    return (own != ISO_NONE ? own : shown(d, e->txn, d->h->op_key[e->op])) == returned(d->h, e->op);
}

/* ---- the search ---- */

/* How well an event comes next; less is better. */
static int64_t badness(const deriving *d, const event *e) {
    static const int64_t kinds[] = {[ISO_STEP_READ] = 0,   [ISO_STEP_BEGIN] = 1,  [ISO_STEP_WRITE] = 2,
                                    [ISO_STEP_APPEND] = 2, [ISO_STEP_COMMIT] = 3, [ISO_STEP_ABORT] = 3};
    const event *last = d->placed > 0 ? &d->order[d->placed - 1] : NULL;
    return d->preference == TIMES   ? e->at
           : d->preference == APART ? (last == NULL || last->session != e->session)
                                    : kinds[e->kind];
}

static bool precedes(const int64_t a[3], const int64_t b[3]) {
    return a[0] != b[0] ? a[0] < b[0] : a[1] != b[1] ? a[1] < b[1] : a[2] < b[2];
}

/* Finds the sessions that can go on at the next place. A transaction's begin and its first operation are neighbours, so
 * that its snapshot is the same whichever of them takes it. */
static void find_sessions(deriving *d) {
    place *p = &d->places[d->placed];
    int64_t key[ISO_SCRIPT_SESSIONS][3]; /* of the sessions, in the order of their weight */
    p->n = p->tried = 0;
    const event *last = d->placed > 0 ? &d->order[d->placed - 1] : NULL;
    for (uint32_t s = 0; s < d->h->n_sessions; s++) {
        const event *e = &d->events[d->next[s]];
        if (d->next[s] == d->first[s + 1] || (last != NULL && last->kind == ISO_STEP_BEGIN && last->session != s)) {
            continue;
        }
        int64_t mine[3] = {e->kind == ISO_STEP_READ && !fits(d, e), badness(d, e), e->at};
        uint8_t i = p->n++;
        for (; i > 0 && precedes(mine, key[i - 1]); i--) {
            memcpy(key[i], key[i - 1], sizeof mine);
            p->session[i] = p->session[i - 1];
        }
        memcpy(key[i], mine, sizeof mine);
        p->session[i] = (uint8_t)s;
    }
}

/* Places all events with a limited number of reads that do not fit. Returns whether it found an order in time. */
static bool place_all(deriving *d, uint32_t misfits) {
    d->work = misfits < d->n ? WORK : INT64_MAX; /* where all may misfit, the first order is right */
    memcpy(d->next, d->first, d->h->n_sessions * sizeof *d->next);
    d->placed = 0;
    find_sessions(d);
    while (d->placed < d->n) {
        place *p = &d->places[d->placed];
        if (p->tried == p->n) {
            if (d->placed == 0) {
                return false;
            }
            d->next[d->order[--d->placed].session]--;
            continue;
        }
        const event *e = &d->events[d->next[p->session[p->tried++]]];
        uint32_t m = p->misfits + (e->kind == ISO_STEP_READ && !fits(d, e));
        iso_tick(d->pool->env);
        if (d->work < 0) {
            return false;
        }
        if (m <= misfits) {
            d->order[d->placed++] = *e;
            d->next[e->session]++;
            d->places[d->placed].misfits = m;
            find_sessions(d);
        }
    }
    return true;
}

/* ---- scripts ---- */

/* Adds the order as a script to a list, unless it is there. */
static void add_script(const deriving *d, iso_script **list) {
    const isolab_history *h = d->h;
    iso_script *s = ISO_NEW(d->pool, iso_script, 1);
    *s = *d->s;
    s->steps = ISO_ZNEW(d->pool, iso_step, d->n);
    for (uint32_t i = 0; i < d->n; i++) {
        const event *e = &d->order[i];
        iso_step *step = &s->steps[s->n++];
        *step = (iso_step){.kind = e->kind, .session = e->session};
        if (e->op != ISO_NONE) {
            step->key = h->op_key[e->op];
            step->value = step->kind == ISO_STEP_READ ? 0 : value_of(d, h->op_version[e->op]);
        }
    }
    for (; *list != NULL; list = &(*list)->next) {
        bool same = true;
        for (uint32_t i = 0; i < d->n && same; i++) {
            same = (*list)->steps[i].session == s->steps[i].session;
        }
        if (same) {
            return;
        }
    }
    *list = s;
}

/* Adds the orders of all views and preferences. */
static void add_scripts(deriving *d, uint32_t misfits, iso_script **list) {
    for (d->view = 0; d->view < VIEWS; d->view++) {
        for (d->preference = 0; d->preference < PREFERENCES; d->preference++) {
            if ((d->preference != TIMES || has_all_times(d->h)) && place_all(d, misfits)) {
                add_script(d, list);
            }
        }
    }
}

iso_script *iso_script_of(iso_pool *pool, const isolab_history *h) {
    deriving d = {.pool = pool, .h = h, .s = ISO_ZNEW(pool, iso_script, 1)};
    iso_script *list = NULL;
    d.s->name = "recorded";
    d.s->forbids = ISO_NO_LEVEL;
    add_names(&d);
    if (h->n_txns == 0) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "the history has no transactions");
    }
    add_events(&d);
    for (uint32_t misfits = 0; misfits <= MISFITS; misfits++) {
        add_scripts(&d, misfits, &list);
    }
    if (list == NULL) {
        add_scripts(&d, d.n, &list);
    }
    return list;
}
