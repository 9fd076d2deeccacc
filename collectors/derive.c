/* Makes a script out of a small history: the order of steps in which its reads could have returned what they returned.
 *
 * With times, a transaction's steps are spread over its time. Without, the next step is chosen greedily: a read that
 * would return now what it returned, before the begin of a transaction, before a write or commit that hides no value
 * which is still to be read, before anything else. So transactions overlap as much as their reads allow, which is what
 * an anomaly needs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "collectors/collector.h"
#include "collectors/script.h"

enum { STEPS = 4096 };

/* A step of the history: operation op of transaction txn, or its begin or end (op: ISO_NONE). */
typedef struct event {
    uint32_t txn, op;
    iso_step_kind kind;
    int64_t at;
    uint32_t order; /* position in the history, which decides between equal instants */
} event;

typedef struct deriving {
    iso_pool *pool;
    const isolab_history *h;
    iso_script *s;
    event *events; /* session by session, in program order */
    uint32_t n;
    uint32_t *first, *next; /* by session: its events, and the one to come */
    uint32_t *shown;        /* by key: the version that others read */
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
    d->events[d->n] = (event){txn, op, kind, at, d->n};
    d->n++;
}

static iso_step_kind kind_of(const isolab_history *h, uint32_t op) {
    return h->op_kind[op] == ISO_WRITE    ? ISO_STEP_WRITE
           : h->op_kind[op] == ISO_APPEND ? ISO_STEP_APPEND
                                          : ISO_STEP_READ;
}

static void add_events(deriving *d) {
    const isolab_history *h = d->h;
    d->events = ISO_NEW(d->pool, event, h->n_ops + 2 * (size_t)h->n_txns);
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

static int by_time(const void *a, const void *b) {
    const event *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->order < y->order ? -1 : x->order > y->order;
}

/* ---- the order without times ---- */

/* The version that a read of the transaction would return now: its own last write of the key, or that which others
 * see. */
static uint32_t visible(const deriving *d, uint32_t txn, uint32_t op, uint32_t key) {
    const isolab_history *h = d->h;
    for (uint32_t o = op; o > h->txn_op[txn]; o--) {
        if (h->op_key[o - 1] == key && iso_is_write(h->op_kind[o - 1])) {
            return h->op_version[o - 1];
        }
    }
    return d->shown[key];
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

/* Does some other transaction still have to read the version of a key that it now sees, which a new version would
 * hide? */
static bool hides(const deriving *d, uint32_t txn, uint32_t key) {
    const isolab_history *h = d->h;
    for (uint32_t session = 0; session < h->n_sessions; session++) {
        for (uint32_t i = d->next[session]; i < d->first[session + 1]; i++) {
            const event *e = &d->events[i];
            if (e->txn != txn && e->kind == ISO_STEP_READ && h->op_key[e->op] == key &&
                returned(h, e->op) == d->shown[key]) {
                return true;
            }
        }
    }
    return false;
}

/* Would the end of a transaction hide a value that is still to be read? */
static bool end_hides(const deriving *d, const event *e) {
    const isolab_history *h = d->h;
    bool yes = false;
    for (uint32_t op = h->txn_op[e->txn]; e->kind == ISO_STEP_COMMIT && op < h->txn_op[e->txn + 1]; op++) {
        yes |= iso_is_write(h->op_kind[op]) && hides(d, e->txn, h->op_key[op]);
    }
    return yes;
}

/* How well an event fits as the next one; 0 is best. */
static unsigned misfit(const deriving *d, const event *e) {
    const isolab_history *h = d->h;
    switch (e->kind) {
    case ISO_STEP_READ:
        return visible(d, e->txn, e->op, h->op_key[e->op]) == returned(h, e->op) ? 0 : 5;
    case ISO_STEP_BEGIN:
        return 1;
    case ISO_STEP_WRITE:
    case ISO_STEP_APPEND:
        return 2;
    case ISO_STEP_COMMIT:
    case ISO_STEP_ABORT:
        return end_hides(d, e) ? 4 : 3;
    }
    return 5;
}

/* Shows the writes of a transaction that commits. */
static void take(deriving *d, const event *e) {
    const isolab_history *h = d->h;
    for (uint32_t op = h->txn_op[e->txn]; e->kind == ISO_STEP_COMMIT && op < h->txn_op[e->txn + 1]; op++) {
        if (iso_is_write(h->op_kind[op])) {
            d->shown[h->op_key[op]] = h->op_version[op];
        }
    }
}

static void order_greedily(deriving *d) {
    const isolab_history *h = d->h;
    event *ordered = ISO_NEW(d->pool, event, d->n);
    d->shown = ISO_NEW_NONE(d->pool, h->n_keys);
    d->next = ISO_NEW(d->pool, uint32_t, h->n_sessions);
    memcpy(d->next, d->first, h->n_sessions * sizeof *d->next);
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t best = ISO_NONE;
        unsigned worst = 100;
        for (uint32_t s = 0; s < h->n_sessions; s++) {
            if (d->next[s] < d->first[s + 1] && misfit(d, &d->events[d->next[s]]) < worst) {
                worst = misfit(d, &d->events[d->next[s]]);
                best = s;
            }
        }
        ordered[i] = d->events[d->next[best]++];
        take(d, &ordered[i]);
    }
    d->events = ordered;
}

iso_script *iso_script_of(iso_pool *pool, const isolab_history *h) {
    deriving d = {.pool = pool, .h = h, .s = ISO_ZNEW(pool, iso_script, 1)};
    d.s->name = "recorded";
    d.s->forbids = ISO_NO_LEVEL;
    add_names(&d);
    add_events(&d);
    if (has_all_times(h)) {
        qsort(d.events, d.n, sizeof *d.events, by_time);
    } else {
        order_greedily(&d);
    }
    d.s->steps = ISO_ZNEW(pool, iso_step, d.n);
    for (uint32_t i = 0; i < d.n; i++) {
        const event *e = &d.events[i];
        iso_step *step = &d.s->steps[d.s->n++];
        *step = (iso_step){.kind = e->kind, .session = h->txn_session[e->txn]};
        if (e->op != ISO_NONE) {
            step->key = h->op_key[e->op];
            step->value = step->kind == ISO_STEP_READ ? 0 : value_of(&d, h->op_version[e->op]);
        }
    }
    if (d.s->n == 0) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "the history has no transactions");
    }
    return d.s;
}
