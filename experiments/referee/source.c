/* Where the referee's histories come from. See referee.h.
 *
 * They are numbered in one order: the files and their mutants, then all small ones, then the random ones; so a run
 * can go on where another one ended. A number and the seed give the history, whatever came before it. */
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "experiments/referee/referee.h"
#include "generators/enumerate.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct source {
    iso_referee *r;
    iso_pool *pool;
    iso_source_fn *fn;
    void *arg;
    uint64_t number, left; /* left: histories that may still be given */
    bool stopped;
} source;

/* --- mutants --- */

typedef struct draft {
    uint32_t n_txns, n_ops;
    uint32_t *session; /* by transaction, which are in their order within sessions */
    uint8_t *status;
    uint32_t *txn, *key, *version; /* by operation, in order; version of a list read: the list */
    uint8_t *kind;
    bool *out;
} draft;

static draft draft_of(iso_pool *pool, const isolab_history *h) {
    draft d = {.n_txns = h->n_txns, .n_ops = h->n_ops};
    d.session = ISO_NEW(pool, uint32_t, h->n_txns);
    d.status = ISO_NEW(pool, uint8_t, h->n_txns);
    d.txn = ISO_NEW(pool, uint32_t, h->n_ops);
    d.key = ISO_NEW(pool, uint32_t, h->n_ops);
    d.version = ISO_NEW(pool, uint32_t, h->n_ops);
    d.kind = ISO_NEW(pool, uint8_t, h->n_ops);
    d.out = ISO_ZNEW(pool, bool, h->n_ops);
    memcpy(d.session, h->txn_session, h->n_txns * sizeof *d.session);
    memcpy(d.status, h->txn_status, h->n_txns);
    memcpy(d.txn, h->op_txn, h->n_ops * sizeof *d.txn);
    memcpy(d.key, h->op_key, h->n_ops * sizeof *d.key);
    memcpy(d.version, h->op_version, h->n_ops * sizeof *d.version);
    memcpy(d.kind, h->op_kind, h->n_ops);
    return d;
}

static isolab_history *history_of(iso_pool *pool, const isolab_history *h, const draft *d) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t *txn = ISO_NEW(pool, uint32_t, d->n_txns);
    for (uint32_t t = 0; t < d->n_txns; t++) {
        uint32_t session = iso_builder_session(b, iso_atom_uint(d->session[t]));
        txn[t] = iso_builder_txn(b, session, iso_atom_nil(), (iso_status)d->status[t]);
        if (h->txn_start != NULL) {
            iso_builder_times(b, txn[t], h->txn_start[t], h->txn_end[t]);
        }
    }
    for (uint32_t o = 0; o < d->n_ops; o++) {
        if (d->out[o]) {
            continue;
        }
        uint32_t key = iso_builder_key(b, iso_atom_uint((uint64_t)d->key[o] + 1)), v = d->version[o];
        if (d->kind[o] != ISO_LIST_READ) {
            iso_atom value = iso_version_is_initial(h, v) ? iso_atom_nil() : iso_atom_uint((uint64_t)v + 1);
            iso_builder_op(b, txn[d->txn[o]], (iso_op_kind)d->kind[o], key, value);
            continue;
        }
        uint32_t first = h->list_first[v], n = h->list_first[v + 1] - first;
        iso_atom *element = ISO_NEW(pool, iso_atom, n);
        for (uint32_t e = 0; e < n; e++) {
            element[e] = iso_atom_uint((uint64_t)h->list_version[first + e] + 1);
        }
        iso_builder_list_read(b, txn[d->txn[o]], key, element, n);
    }
    return iso_builder_finish(b);
}

/* One small change. */
static void mutate(const isolab_history *h, draft *d, iso_rng *rng) {
    uint32_t o = (uint32_t)iso_random_below(rng, d->n_ops), t = (uint32_t)iso_random_below(rng, d->n_txns);
    switch (iso_random_below(rng, 8)) {
    case 0: /* a transaction aborts, or does not */
        d->status[t] = d->status[t] == ISO_COMMITTED ? ISO_ABORTED : ISO_COMMITTED;
        break;
    case 1: /* it moves to another session, in time where it was */
        d->session[t] = (uint32_t)iso_random_below(rng, h->n_sessions + 1);
        break;
    case 2: /* an operation is lost */
        d->out[o] = true;
        break;
    case 3: /* two neighbours of one transaction change places */
        if (o + 1 < d->n_ops && d->txn[o] == d->txn[o + 1]) {
            draft old = *d;
            uint32_t key = old.key[o], version = old.version[o];
            uint8_t kind = old.kind[o];
            d->key[o] = d->key[o + 1];
            d->version[o] = d->version[o + 1];
            d->kind[o] = d->kind[o + 1];
            d->key[o + 1] = key;
            d->version[o + 1] = version;
            d->kind[o + 1] = kind;
        }
        break;
    default: /* a read reads another value of its key, or the initial one */
        for (uint32_t tries = 0; tries < 20; tries++, o = (uint32_t)iso_random_below(rng, d->n_ops)) {
            uint32_t v = (uint32_t)iso_random_below(rng, h->n_versions);
            if (d->kind[o] == ISO_READ && h->version_key[v] == d->key[o] && v != d->version[o]) {
                d->version[o] = v;
                break;
            }
        }
    }
}

isolab_history *iso_mutant(iso_pool *pool, const isolab_history *h, uint64_t seed) {
    draft d = draft_of(pool, h);
    iso_rng rng = {iso_mix(seed)};
    for (uint64_t n = 1 + iso_random_below(&rng, 3); n > 0 && d.n_ops > 0; n--) {
        mutate(h, &d, &rng);
    }
    return history_of(pool, h, &d);
}

/* --- random ones --- */

/* A run of the simulated store, usually with a bug. */
static isolab_history *from_store(iso_pool *pool, uint64_t seed) {
    static const char *const levels[] = {"sser", "ser", "si", "pc", "cc", "ra", "rc"};
    static const char *const generators[] = {"random", "random", "random", "ycsb", "blindw", "mini"};
    iso_rng rng = {iso_mix(seed)};
    const iso_generator *g = iso_generator_find(generators[iso_random_below(&rng, 6)]);
    iso_args args;
    char txns[16], sessions[16], keys[16], number[24];
    iso_generator_args(g, pool, &args);
    snprintf(txns, sizeof txns, "%u", 6 + (unsigned)iso_random_below(&rng, 30));
    snprintf(sessions, sizeof sessions, "%u", 6 + (unsigned)iso_random_below(&rng, 4));
    snprintf(keys, sizeof keys, "%u", 6 + (unsigned)iso_random_below(&rng, 8));
    snprintf(number, sizeof number, "%llu", (unsigned long long)(seed >> 2));
    iso_args_set(&args, "txns", txns);
    iso_args_set(&args, "sessions", sessions);
    iso_args_set(&args, "seed", number);
    iso_args_set(&args, "level", levels[iso_random_below(&rng, 7)]);
    iso_args_set(&args, "lag", "4");
    if (iso_args_find(&args, "keys") != NULL) {
        iso_args_set(&args, "keys", keys);
    }
    if (iso_args_find(&args, "ops") != NULL) {
        iso_args_set(&args, "ops", iso_random_below(&rng, 2) == 0 ? "2" : "4");
    }
    if (iso_random_below(&rng, 4) != 0) {
        size_t n = 0;
        while (iso_bugs[n].name != NULL && !iso_bugs[n].lists) {
            n++;
        }
        iso_args_set(&args, "bug", iso_bugs[iso_random_below(&rng, n)].name);
        iso_args_set(&args, "bug-rate", "0.1");
    }
    iso_builder *b = iso_builder_new(pool);
    g->run(&args, b);
    return iso_builder_finish(b);
}

static iso_small_shape shape_of(const iso_referee *r, iso_rng *rng) {
    iso_small_shape shape = r->shape;
    if (shape.txns == 0) { /* small ones find most, fastest; the store makes larger ones */
        static const unsigned char txns[] = {3, 4, 4, 5, 5, 6, 7, 8, 9};
        shape.txns = txns[iso_random_below(rng, sizeof txns)];
        shape.ops = 2 + (unsigned)iso_random_below(rng, 3);
        shape.keys = 1 + (unsigned)iso_random_below(rng, 4);
        shape.sessions = 2 + (unsigned)iso_random_below(rng, 4);
    }
    shape.aborted = iso_random_below(rng, 3) == 0;
    shape.indeterminate = iso_random_below(rng, 4) == 0;
    shape.wild = iso_random_below(rng, 4) == 0;
    shape.duplicates = r->duplicates && iso_random_below(rng, 6) == 0;
    shape.lists = r->lists && iso_random_below(rng, 6) == 0;
    for (unsigned i = 0; i < r->n_asks; i++) {
        shape.times |= r->ask[i].level == ISO_SSER;
    }
    return shape;
}

static isolab_history *random_one(iso_referee *r, iso_pool *pool, iso_origin *origin) {
    iso_rng rng = {iso_mix2(r->seed, origin->number)};
    uint64_t seed = iso_random(&rng) >> 1, luck = iso_random_below(&rng, 32);
    origin->seed = r->seed;
    if (luck == 0 && r->shape.txns == 0) {
        origin->kind = ISO_FROM_STORE;
        return from_store(pool, seed);
    }
    iso_small_shape shape = shape_of(r, &rng);
    isolab_history *h = iso_random_small(pool, seed, &shape);
    origin->kind = luck < 6 ? ISO_FROM_MUTANT : ISO_FROM_RANDOM;
    return luck < 6 ? iso_mutant(pool, h, seed) : h;
}

/* The clock is read for every history: what follows may be long. */
static void tick(iso_referee *r) {
    r->env->countdown = 0;
    iso_tick(r->env);
}

/* Whatever comes from all sources together is limited. */
static bool hand_on(source *s, const isolab_history *h, const iso_origin *origin) {
    s->stopped = !s->fn(s->arg, h, origin) || --s->left == 0;
    return !s->stopped;
}

static bool give(source *s, const isolab_history *h, const iso_origin *origin) {
    hand_on(s, h, origin);
    iso_pool_free(s->pool);
    return !s->stopped;
}

static void give_files(source *s) {
    iso_referee *r = s->r;
    for (unsigned f = 0; f < r->n_files && !s->stopped; f++) {
        for (uint64_t m = 0; m <= r->mutants && !s->stopped; m++) {
            iso_origin origin = {m == 0 ? ISO_FROM_FILE : ISO_FROM_MUTANT, s->number++, r->seed, r->files[f]};
            if (origin.number < r->next) {
                continue;
            }
            tick(r);
            isolab_history *h = iso_load(s->pool, r->files[f], r->file_format);
            h = m > 0 ? iso_mutant(s->pool, h, iso_mix2(r->seed, origin.number)) : h;
            give(s, h, &origin);
        }
    }
}

static bool give_enumerated(void *arg, const isolab_history *h) {
    source *s = arg;
    iso_origin origin = {ISO_FROM_ALL, s->number++, 0, NULL};
    if (origin.number < s->r->next) {
        return true;
    }
    tick(s->r);
    return hand_on(s, h, &origin);
}

void iso_referee_source(iso_referee *r, iso_pool *pool, iso_source_fn *fn, void *arg) {
    source s = {.r = r, .pool = pool, .fn = fn, .arg = arg, .left = UINT64_MAX};
    if (r->count > 0) { /* of the whole run, what went before included */
        s.left = r->count > r->next ? r->count - r->next : 0;
        s.stopped = s.left == 0;
    }
    give_files(&s);
    if (r->exhaustive[0] > 0 && !s.stopped) {
        iso_enumeration what = {.txns = r->exhaustive[0], .ops = r->exhaustive[1], .keys = r->exhaustive[2]};
        iso_enumerate(pool, &what, give_enumerated, &s);
    }
    s.number = s.number < r->next ? r->next : s.number;
    while (r->random && !s.stopped) {
        iso_origin origin = {ISO_FROM_RANDOM, s.number++, r->seed, NULL};
        tick(r);
        isolab_history *h = random_one(r, pool, &origin);
        give(&s, h, &origin);
    }
}
