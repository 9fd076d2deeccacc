/* Stage `beam`: a serial order of a history of many sessions whose transactions read much, by a beam. There,
 * a transaction whose reads all return what its keys hold is hardly ever in the wrong place: by chance all its reads
 * would agree in hardly any state. So the history is executed, and only transactions whose reads agree (ready ones) may
 * be next. What remains open is mostly which one of a few ready transactions is first, and a wrong choice is seen soon:
 * the transaction that should have been first is no longer ready, and those after it never are.
 *
 * A state is a set of executed transactions and what each key holds. The beam has the best states after the same number
 * of transactions. The weight of a transaction is how surprising it is that its reads agree: the logarithm of how much
 * likelier they agree in its place than by chance. The score of a state is the weight of the transactions that are
 * ready, a part of the weight if one read is stale, less the weight of transactions that were ready and are no longer,
 * and a part of the weight of the executed ones. If no transaction is ready in any state, the beam goes back, farther
 * each time, and continues with twice as many states. If it ends with few transactions left, its order is the draft
 * with which annealing begins.
 *
 * A step takes time in proportion to the sessions, for each state and each of its ready transactions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/anneal/anneal.h"

/* Numbers of states: at first, and the limit after which the beam gives up. */
#define NARROW 32
#define WIDE 1024

/* Steps between two beams that are kept, so that the search can go back to them. */
#define STRETCH 32
#define KEPT 64         /* number of kept beams */
#define KEPT_STATES 128 /* states of a kept beam */

/* Score factors of the weight of a transaction: one read is stale; executed; was ready and is no longer. */
#define NEARLY 0.1
#define DONE 0.2
#define LATE 1

/* Limit of the next transactions that the search tries, in all. */
#define EFFORT (UINT64_C(1) << 32)

typedef struct access {
    uint32_t key, version;
} access;

typedef struct state {
    uint32_t *held; /* by key: the version that it holds */
    uint32_t *next; /* by session: its next transaction; ISO_NONE: none */
    uint8_t *ready; /* by session: its next transaction is ready, or was in an earlier state */
    uint32_t last;  /* the number of the step that led here; ISO_NONE: none */
    double earned;  /* what the executed transactions add to the score */
    uint64_t hash;  /* of the executed transactions and of what the keys hold */
} state;

typedef struct states {
    state *at;
    uint32_t n, room;
} states;

/* A state that may follow: after state `from`, the next transaction of a session is executed. */
typedef struct child {
    double score;
    uint64_t hash;
    uint32_t from, session;
} child;

typedef struct step {
    uint32_t txn, before; /* before: the number of the step before; ISO_NONE: none */
} step;

typedef struct beam {
    iso_annealing *of;
    const isolab_history *h;
    iso_pool pool;
    uint32_t *read_first, *write_first; /* by transaction: its reads from others, and its last writes */
    access *read, *write;
    access *probe;           /* by transaction: its rarest read */
    double *weight;          /* by transaction */
    uint32_t *after, *first; /* by transaction, the next one of its session (ISO_NONE: none); by session, the first */
    uint32_t n, n_sessions;  /* included transactions, and their sessions */
    states now, then;        /* the beam, and the next one */
    states kept[KEPT];       /* the beam after stretch i is kept[i % KEPT] */
    uint32_t *ready, *old;   /* sessions with ready transactions; what keys held before a transaction */
    uint32_t depth, width;   /* executed transactions; limit of states */
    uint32_t end, ends;      /* where the beam has ended last, and how often it has since it was narrow */
    step *steps;
    child *children;
    uint32_t n_steps, steps_room, n_children, children_room;
    uint64_t looks;
    double surprise; /* the sum of the weights */
    bool impossible, found;
} beam;

/* Lists the reads from other transactions and the last writes of transaction t. */
static void list_accesses(beam *b, uint32_t t) {
    const isolab_history *h = b->h;
    uint32_t r = b->read_first[t], w = b->write_first[t], p;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        access a = {h->op_key[o], h->op_version[o]};
        for (p = b->write_first[t]; p < w && b->write[p].key != a.key; p++) {
        }
        if (h->op_kind[o] == ISO_WRITE) {
            b->write[p] = a;
            w += p == w;
        } else if (p < w) {
            b->impossible |= b->write[p].version != a.version;
        } else {
            b->read[r++] = a;
        }
    }
    b->read_first[t + 1] = r;
    b->write_first[t + 1] = w;
}

/* Weighs the transactions: a read of a version agrees by chance as often as the version is among the writes of its
 * key. */
static void weigh(beam *b) {
    const isolab_history *h = b->h;
    uint32_t *writers = ISO_NEW(&b->pool, uint32_t, h->n_versions), *of_key = ISO_ZNEW(&b->pool, uint32_t, h->n_keys);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        writers[v] = 1;
        of_key[h->version_key[v]]++;
    }
    for (uint32_t i = 0; i < b->write_first[h->n_txns]; i++) {
        writers[b->write[i].version]++;
        of_key[b->write[i].key]++;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        b->probe[t] = (access){h->n_keys, 0};
        double unlikely = 1.0 / b->n_sessions, rarest = 0;
        for (uint32_t i = b->read_first[t]; i < b->read_first[t + 1]; i++) {
            double rare = (double)of_key[b->read[i].key] / writers[b->read[i].version];
            b->probe[t] = rare > rarest ? b->read[i] : b->probe[t];
            rarest = rare > rarest ? rare : rarest;
            unlikely *= rare;
        }
        b->weight[t] = log1p(unlikely);
        b->surprise += b->read_first[t + 1] > b->read_first[t] ? b->weight[t] : 0;
    }
}

/* Makes room for n states. */
static void make_room(beam *b, states *s, uint32_t n) {
    if (n > s->room) {
        s->at = iso_resize(&b->pool, s->at, n, sizeof *s->at);
    }
    for (; s->room < n; s->room++) {
        s->at[s->room] = (state){.held = ISO_ZNEW(&b->pool, uint32_t, b->h->n_keys + 1), /* the last one stays 0 */
                                 .next = ISO_NEW(&b->pool, uint32_t, b->n_sessions),
                                 .ready = ISO_NEW(&b->pool, uint8_t, b->n_sessions)};
    }
}

static void copy_state(const beam *b, state *to, const state *from) {
    memcpy(to->held, from->held, b->h->n_keys * sizeof *to->held);
    memcpy(to->next, from->next, b->n_sessions * sizeof *to->next);
    memcpy(to->ready, from->ready, b->n_sessions);
    to->last = from->last;
    to->hash = from->hash;
    to->earned = from->earned;
}

static void copy_states(beam *b, states *to, const states *from, uint32_t most) {
    to->n = from->n < most ? from->n : most;
    make_room(b, to, to->n);
    for (uint32_t i = 0; i < to->n; i++) {
        copy_state(b, &to->at[i], &from->at[i]);
    }
}

static void begin(beam *b) {
    const isolab_history *h = b->h;
    uint32_t last = ISO_NONE;
    b->read_first = ISO_ZNEW(&b->pool, uint32_t, (size_t)h->n_txns + 1);
    b->write_first = ISO_ZNEW(&b->pool, uint32_t, (size_t)h->n_txns + 1);
    b->read = ISO_NEW(&b->pool, access, h->n_ops);
    b->write = ISO_NEW(&b->pool, access, h->n_ops);
    b->probe = ISO_NEW(&b->pool, access, h->n_txns);
    b->weight = ISO_NEW(&b->pool, double, h->n_txns);
    b->after = ISO_NEW_NONE(&b->pool, h->n_txns);
    b->first = ISO_NEW(&b->pool, uint32_t, h->n_txns);
    b->ready = ISO_NEW(&b->pool, uint32_t, h->n_txns);
    b->old = ISO_NEW(&b->pool, uint32_t, h->n_keys);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick_steps(b->pool.env, h->txn_op[t + 1] - h->txn_op[t] + 1);
        b->read_first[t + 1] = b->read_first[t];
        b->write_first[t + 1] = b->write_first[t];
        if (h->txn_counts[t] != ISO_INCLUDED) {
            continue;
        }
        list_accesses(b, t);
        if (last != ISO_NONE && b->of->sessions && h->txn_session[last] == h->txn_session[t]) {
            b->after[last] = t;
        } else {
            b->first[b->n_sessions++] = t;
        }
        last = t;
        b->n++;
    }
    weigh(b);
    make_room(b, &b->now, 1);
    state *s = b->now.at;
    memset(s->held, 0xff, h->n_keys * sizeof *s->held);
    memset(s->ready, 0, b->n_sessions);
    memcpy(s->next, b->first, b->n_sessions * sizeof *s->next);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_initial(h, v)) {
            s->held[h->version_key[v]] = v;
        }
    }
    s->last = ISO_NONE;
    s->earned = 0;
    s->hash = 0;
    b->now.n = 1;
}

/* Returns the number of stale reads of a transaction; 2: two or more, or its rarest one. */
static inline uint32_t stale_reads(const beam *b, const state *s, uint32_t t) {
    uint32_t stale = 0;
    if (s->held[b->probe[t].key] != b->probe[t].version) {
        return 2;
    }
    for (uint32_t i = b->read_first[t]; stale < 2 && i < b->read_first[t + 1]; i++) {
        stale += s->held[b->read[i].key] != b->read[i].version;
    }
    return stale;
}

static double score(beam *b, const state *s) {
    double sum = 0;
    for (uint32_t i = 0; i < b->n_sessions; i++) {
        uint32_t t = s->next[i], stale = t == ISO_NONE ? 2 : stale_reads(b, s, t);
        if (t != ISO_NONE && (stale < 2 || s->ready[i])) {
            sum += b->weight[t] * (stale == 0 ? 1 : (stale == 1 ? NEARLY : 0) - (s->ready[i] ? LATE : 0));
        }
    }
    b->looks += b->n_sessions;
    iso_tick_steps(b->pool.env, b->n_sessions / 256 + 1);
    return sum;
}

/* Adds the state after the next transaction of a session to the children. */
static void add_child(beam *b, uint32_t from, uint32_t session) {
    state *s = &b->now.at[from];
    uint32_t t = s->next[session], first = b->write_first[t], n = b->write_first[t + 1] - first;
    uint64_t hash = s->hash + iso_mix(t);
    for (uint32_t i = 0; i < n; i++) {
        access a = b->write[first + i];
        b->old[i] = s->held[a.key];
        s->held[a.key] = a.version;
        hash += iso_mix2(a.key, a.version) - iso_mix2(a.key, b->old[i]);
    }
    s->next[session] = b->after[t];
    s->ready[session] = 0;
    ISO_GROW(&b->pool, b->children, b->n_children, b->children_room);
    b->children[b->n_children++] = (child){score(b, s) + s->earned + DONE * b->weight[t], hash, from, session};
    for (uint32_t i = 0; i < n; i++) {
        s->held[b->write[first + i].key] = b->old[i];
    }
    s->next[session] = t;
    s->ready[session] = 1;
}

/* Adds the children of a state: only one if a ready transaction does not write, because this choice is never wrong. */
static void expand(beam *b, uint32_t from) {
    state *s = &b->now.at[from];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_sessions; i++) {
        uint32_t t = s->next[i];
        if (t == ISO_NONE || stale_reads(b, s, t) > 0) {
            continue;
        }
        s->ready[i] = 1;
        b->ready[n++] = i;
        if (b->write_first[t] == b->write_first[t + 1]) {
            b->ready[0] = i;
            n = 1;
            break;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        add_child(b, from, b->ready[i]);
    }
}

static int by_hash(const void *a, const void *b) {
    const child *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : (x->score < y->score) - (x->score > y->score);
}

static int by_score(const void *a, const void *b) {
    const child *x = a, *y = b;
    return x->score != y->score ? (x->score > y->score ? -1 : 1) : (x->hash > y->hash) - (x->hash < y->hash);
}

/* Makes the next beam of the best children, of equal states only one. */
static void select_best(beam *b) {
    uint32_t n = 0;
    qsort(b->children, b->n_children, sizeof *b->children, by_hash);
    for (uint32_t i = 0; i < b->n_children; i++) {
        if (i == 0 || b->children[i].hash != b->children[n - 1].hash) {
            b->children[n++] = b->children[i];
        }
    }
    qsort(b->children, n, sizeof *b->children, by_score);
    b->then.n = n < b->width ? n : b->width;
    make_room(b, &b->then, b->then.n);
    for (uint32_t i = 0; i < b->then.n; i++) {
        const child *c = &b->children[i];
        state *s = &b->then.at[i];
        copy_state(b, s, &b->now.at[c->from]);
        uint32_t t = s->next[c->session];
        for (uint32_t w = b->write_first[t]; w < b->write_first[t + 1]; w++) {
            s->held[b->write[w].key] = b->write[w].version;
        }
        s->next[c->session] = b->after[t];
        s->ready[c->session] = 0;
        s->hash = c->hash;
        s->earned += DONE * b->weight[t];
        ISO_GROW(&b->pool, b->steps, b->n_steps, b->steps_room);
        b->steps[b->n_steps] = (step){t, s->last};
        s->last = b->n_steps++;
    }
    states now = b->now;
    b->now = b->then;
    b->then = now;
}

/* Goes back to a kept beam, farther each time, to continue with more states. Returns false if the beam gives up. */
static bool go_back(beam *b) {
    b->end = b->depth > b->end ? b->depth : b->end;
    b->width *= 2;
    b->ends++;
    uint32_t last = b->end / STRETCH, back = b->ends * b->ends;
    uint32_t stretch = back < last ? last - back : 0;
    if (b->width > WIDE || stretch + KEPT <= last) {
        return false;
    }
    copy_states(b, &b->now, &b->kept[stretch % KEPT], UINT32_MAX);
    b->depth = stretch * STRETCH;
    return true;
}

/* Writes the order of the best state, with the remaining transactions last, to the result if no read is stale, else as
 * the draft for annealing. */
static void write_order(beam *b) {
    const state *s = &b->now.at[0];
    uint32_t *order = ISO_NEW(b->of->pool, uint32_t, b->n), i = b->depth, n = b->depth;
    for (uint32_t at = s->last; at != ISO_NONE; at = b->steps[at].before) {
        order[--i] = b->steps[at].txn;
    }
    for (i = 0; i < b->n_sessions; i++) {
        for (uint32_t t = s->next[i]; t != ISO_NONE; t = b->after[t]) {
            order[n++] = t;
        }
    }
    b->found = n > 0 && iso_anneal_give_parts(b->of, &b->pool, order, n, 1);
    b->of->draft = order;
}

static void find_beam(void *arg) {
    beam *b = arg;
    begin(b);
    b->width = NARROW;
    while (b->depth < b->n && !b->impossible && b->surprise > b->n && b->looks < EFFORT) {
        if (b->depth % STRETCH == 0) {
            copy_states(b, &b->kept[b->depth / STRETCH % KEPT], &b->now, KEPT_STATES);
        }
        b->n_children = 0;
        for (uint32_t i = 0; i < b->now.n; i++) {
            expand(b, i);
        }
        if (b->n_children > 0) {
            select_best(b);
            b->depth++;
            if (b->depth > b->end && b->depth % STRETCH == 0 && b->width > NARROW) {
                b->width /= 2;
                b->ends -= b->ends > 0;
            }
        } else if (!go_back(b)) {
            break;
        }
    }
    if (!b->impossible && b->depth > b->n / 10 * 9) {
        write_order(b);
    }
}

bool iso_anneal_beam(iso_annealing *s) {
    beam b = {.of = s, .h = s->h};
    iso_pool_init(&b.pool, s->pool->env);
    iso_guard_pool(&b.pool, find_beam, &b);
    iso_result_counter(s->result, "beam", b.end > b.depth ? b.end : b.depth);
    return b.found;
}
