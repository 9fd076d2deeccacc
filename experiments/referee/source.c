/* The sources of the referee's histories. See referee.h.
 *
 * Histories are numbered in one order: the files and their mutants, then all small histories, then random ones; so a
 * run can continue where another one ended. The seed and the number determine a history, independently of earlier
 * ones. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/print.h"
#include "base/random.h"
#include "experiments/referee/run.h"
#include "generators/enumerate.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct source {
    iso_referee *r;
    iso_pool *pool;
    iso_source_fn *fn;
    void *arg;
    uint64_t number, left; /* left: number of histories that may still be given */
    bool stopped;
} source;

/* --- random ones --- */

/* Runs the simulated store, usually with a bug. */
static isolab_history *from_store(iso_pool *pool, uint64_t seed) {
    static const char *const levels[] = {"sser", "lser", "ser", "si", "pc", "cc", "ra", "rc"};
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
    iso_generator_run(g, &args, b);
    return iso_builder_finish(b);
}

static iso_small_shape shape_of(const iso_referee *r, iso_rng *rng) {
    iso_small_shape shape = r->options.shape;
    if (shape.txns == 0 &&
        iso_random_below(rng, 2) == 0) { /* few long transactions, which read few keys again and again */
        shape.txns = 2 + (unsigned)iso_random_below(rng, 3);
        shape.ops = 4 + (unsigned)iso_random_below(rng, 5);
        shape.keys = 1 + (unsigned)iso_random_below(rng, 3);
        shape.sessions = 1 + (unsigned)iso_random_below(rng, 3);
        shape.apart = iso_random_below(rng, 4) != 0;
    } else if (shape.txns == 0 && iso_random_below(rng, 5) == 0) { /* many sessions, long ones, many keys */
        shape.txns = 8 + (unsigned)iso_random_below(rng, 9);
        shape.ops = 1 + (unsigned)iso_random_below(rng, 4);
        shape.keys = iso_random_below(rng, 3) == 0 ? 12 : 2 + (unsigned)iso_random_below(rng, 4);
        shape.sessions = iso_random_below(rng, 2) == 0 ? 8 : 3;
    } else if (shape.txns == 0 && iso_random_below(rng, 4) == 0) { /* many short sessions */
        shape.txns = 8 + (unsigned)iso_random_below(rng, 5);
        shape.ops = 1 + (unsigned)iso_random_below(rng, 3);
        shape.keys = 1 + (unsigned)iso_random_below(rng, 3);
        shape.sessions = 5 + (unsigned)iso_random_below(rng, 3);
    } else if (shape.txns == 0) { /* small ones find most, fastest; the store makes larger ones */
        static const unsigned char txns[] = {3, 4, 4, 5, 5, 6, 7, 8, 9};
        shape.txns = txns[iso_random_below(rng, sizeof txns)];
        shape.ops = 2 + (unsigned)iso_random_below(rng, 3);
        shape.keys = 1 + (unsigned)iso_random_below(rng, 4);
        shape.sessions = 2 + (unsigned)iso_random_below(rng, 4);
    }
    shape.apart |= iso_random_below(rng, 6) == 0;
    shape.empty = iso_random_below(rng, 3) == 0;
    shape.aborted = iso_random_below(rng, 3) == 0;
    shape.indeterminate = iso_random_below(rng, 4) == 0;
    shape.wild = iso_random_below(rng, 4) == 0;
    shape.duplicates = r->duplicates && iso_random_below(rng, 6) == 0;
    shape.lists = r->lists && iso_random_below(rng, 6) == 0;
    for (unsigned i = 0; i < r->n_questions; i++) {
        shape.times |= iso_level_is_timed(r->questions[i].level);
        shape.all_times |=
            r->n_foreign > 0 && iso_level_is_timed(r->questions[i].level) && iso_random_below(rng, 8) != 0;
    }
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_adapter *adapter = iso_party_adapter(&r->party[i]);
        uint32_t cannot = adapter != NULL ? iso_adapter_cannot(adapter) : 0;
        bool by_times = (cannot & ISO_TRAIT_BIT(ISO_TRAIT_UNTIMED)) != 0;
        shape.only_lists |= adapter != NULL && iso_adapter_is(adapter->lists, "only") && iso_random_below(rng, 8) != 0;
        shape.times |= by_times;
        shape.all_times |= by_times && iso_random_below(rng, 8) != 0;
        shape.calls |= (cannot & ISO_TRAIT_BIT(ISO_TRAIT_CALLS)) != 0 && iso_random_below(rng, 8) != 0;
        shape.mini |= (cannot & ISO_TRAIT_BIT(ISO_TRAIT_BLIND_WRITES)) != 0 && iso_random_below(rng, 8) != 0;
    }
    shape.empty &= !shape.calls;
    return shape;
}

iso_draft *iso_random_candidate(const iso_referee *r, iso_pool *pool, uint64_t seed) {
    iso_rng rng = {iso_mix(seed)};
    iso_small_shape shape = shape_of(r, &rng);
    uint64_t own = iso_random(&rng) >> 1;
    iso_draft *d = iso_random_draft(pool, own, &shape, ISO_MORE_OPS);
    if (iso_random_below(&rng, shape.calls ? 32 : 4) == 0) {
        iso_mutate(d, own);
    }
    return d;
}

const isolab_history *iso_random_history(const iso_referee *r, iso_steering *s, iso_pool *pool, iso_origin *origin,
                                         uint32_t *features) {
    iso_rng rng = {iso_mix2(r->options.seed, origin->number)};
    uint64_t seed = iso_random(&rng) >> 1;
    bool store = iso_random_below(&rng, 32) == 0 && r->options.shape.txns == 0;
    origin->kind = store ? ISO_FROM_STORE : ISO_FROM_RANDOM;
    const isolab_history *h = store ? from_store(pool, seed) : iso_steered(r, s, pool, origin->number);
    *features = iso_features(h);
    return h;
}

/* Reads the clock for every history, since asking about one may take long. */
static void tick(iso_referee *r) {
    r->env->countdown = 0;
    iso_tick(r->env);
}

/* Gives a history to the callback, up to the limit of histories of all sources together. Returns false at its end. */
static bool hand_on(source *s, const isolab_history *h, const iso_origin *origin) {
    s->stopped = !s->fn(s->arg, h, origin) || --s->left == 0;
    return !s->stopped;
}

static bool give(source *s, const isolab_history *h, const iso_origin *origin) {
    hand_on(s, h, origin);
    iso_pool_free(s->pool);
    return !s->stopped;
}

typedef struct loading {
    source *s;
    unsigned file;
    isolab_history *h;
} loading;

static void load(void *arg) {
    loading *l = arg;
    iso_referee *r = l->s->r;
    const iso_format *own = r->options.files.formats != NULL ? r->options.files.formats[l->file] : NULL;
    l->h = iso_load(l->s->pool, r->options.files.list[l->file], own != NULL ? own : r->options.files.format);
}

/* Returns the history of a file. NULL: the file cannot be read; a message says so, and the run continues. */
static isolab_history *load_file(source *s, unsigned file) {
    iso_referee *r = s->r;
    loading l = {s, file, NULL};
    int code = iso_guard(r->env, load, &l);
    if (code == ISOLAB_OK) {
        return l.h;
    } else if (code != ISOLAB_E_INPUT) {
        iso_rethrow(r->env);
    }
    const isolab_error *e = &r->env->error;
    char place[64] = "";
    if (e->line != 0) {
        snprintf(place, sizeof place, "line %" PRIu64 ": ", e->line);
    } else if (e->offset != ISOLAB_NO_OFFSET) {
        snprintf(place, sizeof place, "byte %" PRIu64 ": ", e->offset);
    }
    iso_say(stderr, "isolab: %s: %s%s (skipped)\n", r->options.files.list[file], place, e->message);
    iso_pool_free(s->pool);
    r->outcome.unreadable++;
    return NULL;
}

static void give_files(source *s) {
    iso_referee *r = s->r;
    for (unsigned f = 0; f < r->options.files.n && !s->stopped; f++) {
        for (uint64_t m = 0; m <= r->options.mutants && !s->stopped; m++) {
            iso_origin origin = {m == 0 ? ISO_FROM_FILE : ISO_FROM_MUTANT, s->number++, r->options.seed,
                                 r->options.files.list[f], f};
            if (origin.number < r->outcome.next) {
                continue;
            }
            tick(r);
            isolab_history *h = load_file(s, f);
            if (h == NULL) { /* it has no mutants either */
                s->number += r->options.mutants - m;
                break;
            }
            h = m > 0 ? iso_mutant(s->pool, h, iso_mix2(r->options.seed, origin.number)) : h;
            give(s, h, &origin);
        }
    }
}

static bool give_enumerated(void *arg, const isolab_history *h) {
    source *s = arg;
    iso_origin origin = {ISO_FROM_ALL, s->number++, 0, NULL, 0};
    if (origin.number < s->r->outcome.next) {
        return true;
    }
    tick(s->r);
    return hand_on(s, h, &origin);
}

void iso_referee_source(iso_referee *r, iso_pool *pool, iso_source_fn *fn, void *arg) {
    source s = {.r = r, .pool = pool, .fn = fn, .arg = arg, .left = UINT64_MAX};
    if (r->options.count > 0) { /* of the whole run, including its earlier parts */
        s.left = r->options.count > r->outcome.next ? r->options.count - r->outcome.next : 0;
        s.stopped = s.left == 0;
    }
    give_files(&s);
    if (r->options.exhaustive[0] > 0 && !s.stopped) {
        iso_enumeration what = {
            .txns = r->options.exhaustive[0], .ops = r->options.exhaustive[1], .keys = r->options.exhaustive[2]};
        iso_enumerate(pool, &what, give_enumerated, &s);
    }
    r->random_only = r->options.random;
    r->random_next = s.number < r->outcome.next ? r->outcome.next : s.number;
    if (r->options.random && !s.stopped && sysconf(_SC_NPROCESSORS_ONLN) > 1) {
        iso_ahead_begin(r, r->options.batch > 128 ? 2 * r->options.batch : 256);
    }
    while (r->options.random && !s.stopped) {
        iso_origin origin;
        tick(r);
        const isolab_history *h = iso_ahead_take(r, pool, &origin);
        give(&s, h, &origin);
    }
}
