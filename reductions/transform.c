/* Transformations of histories. See transform.h. */
#include "reductions/transform.h"

#include <inttypes.h>
#include <string.h>

#include "base/buckets.h"
#include "base/option.h"
#include "base/print.h"
#include "checkers/checker.h"
#include "history/about.h"
#include "history/copy.h"

typedef struct change {
    iso_pool *pool;
    const isolab_history *h;
    iso_builder *b;
    iso_rng *rng;
    uint64_t n;
    iso_levels kept;
    iso_atom *key;   /* new names of keys; NULL: as they are */
    iso_atom *value; /* by version, negations included; NULL: as they are */
} change;

/* Returns the numbers 0 .. n-1 in random order. */
static uint32_t *random_order(change *c, uint32_t n) {
    uint32_t *order = ISO_NEW(c->pool, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)iso_random_below(c->rng, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static iso_atom value_of(const change *c, uint32_t version) {
    return c->value == NULL ? iso_version_value(c->h, version) : c->value[version];
}

static void put_ops(change *c, uint32_t to, uint32_t from, uint32_t end) {
    const isolab_history *h = c->h;
    for (uint32_t o = from; o < end; o++) {
        iso_tick(c->pool->env);
        uint32_t k = h->op_key[o], key = iso_builder_key(c->b, c->key == NULL ? h->key_name[k] : c->key[k]);
        uint32_t v = h->op_version[o];
        if (h->op_kind[o] != ISO_LIST_READ) {
            iso_builder_op(c->b, to, (iso_op_kind)h->op_kind[o], key, value_of(c, v));
            continue;
        }
        uint32_t n = h->list_first[v + 1] - h->list_first[v];
        iso_atom *element = ISO_NEW(c->pool, iso_atom, n);
        for (uint32_t e = 0; e < n; e++) {
            element[e] = value_of(c, h->list_version[h->list_first[v] + e]);
        }
        iso_builder_list_read(c->b, to, key, element, n);
        iso_free(c->pool, element);
    }
}

static uint32_t put_txn(change *c, uint32_t session, uint32_t t) {
    uint32_t to = iso_copy_txn(c->b, session, c->h, t);
    put_ops(c, to, c->h->txn_op[t], c->h->txn_op[t + 1]);
    return to;
}

static void put_session(change *c, uint32_t s) {
    uint32_t session = iso_builder_session(c->b, c->h->session_name[s]);
    for (uint32_t t = c->h->session_txn[s]; t < c->h->session_txn[s + 1]; t++) {
        put_txn(c, session, t);
    }
}

/* Returns n names of keys that the history does not have: the smallest numbers. */
static iso_atom *fresh_keys(change *c, uint64_t n) {
    const isolab_history *h = c->h;
    iso_atom *fresh = ISO_NEW(c->pool, iso_atom, n);
    bool *taken = ISO_ZNEW(c->pool, bool, n + h->n_keys);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        if (h->key_name[k].kind == ISO_ATOM_INT && h->key_name[k].bits < n + h->n_keys) {
            taken[h->key_name[k].bits] = true;
        }
    }
    for (uint64_t i = 0, name = 0; i < n; name++) {
        if (!taken[name]) {
            fresh[i++] = iso_atom_uint(name);
        }
    }
    iso_free(c->pool, taken);
    return fresh;
}

static void apply_shuffle(change *c) {
    iso_copy_names(c->b, c->h);
    uint32_t *order = random_order(c, c->h->n_sessions);
    for (uint32_t s = 0; s < c->h->n_sessions; s++) {
        put_session(c, order[s]);
    }
}

static void apply_relabel(change *c) {
    const isolab_history *h = c->h;
    uint32_t *key = random_order(c, h->n_keys), *value = random_order(c, h->n_versions);
    c->key = ISO_NEW(c->pool, iso_atom, h->n_keys);
    c->value = ISO_NEW(c->pool, iso_atom, h->n_versions);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        c->key[k] = iso_atom_uint(key[k]);
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        bool nil = h->version_kind[v] == ISO_ATOM_NIL;
        c->value[v] = nil ? iso_atom_nil() : iso_atom_uint((uint64_t)value[v] + 1);
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_version_is_negation(h, v)) {
            uint32_t other = h->version_not[v];
            bool nil = h->version_kind[v] == (ISO_ATOM_NIL | ISO_ATOM_NOT);
            c->value[v] = iso_atom_not(nil ? iso_atom_nil() : other != ISO_NONE ? c->value[other] : c->value[v]);
        }
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(c->b, iso_atom_nil());
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t to = iso_builder_txn(c->b, session, iso_atom_nil(), (iso_status)h->txn_status[t]);
            if (h->txn_start != NULL) {
                iso_builder_times(c->b, to, h->txn_start[t], h->txn_end[t]);
            }
            put_ops(c, to, h->txn_op[t], h->txn_op[t + 1]);
        }
    }
}

/* A value that no read returned, and that no negation names, decides nothing: which transaction wrote the key does. */
static void apply_repeat(change *c) {
    const isolab_history *h = c->h;
    bool *named = ISO_ZNEW(c->pool, bool, h->n_versions);
    uint32_t *first = ISO_NEW_NONE(c->pool, h->n_keys);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ) {
            named[h->op_version[o]] = true;
        }
    }
    c->value = ISO_NEW(c->pool, iso_atom, h->n_versions);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        c->value[v] = iso_version_value(h, v);
        if (h->version_not != NULL && h->version_not[v] != ISO_NONE) {
            named[h->version_not[v]] = true;
        }
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        uint32_t k = h->version_key[v];
        if (!named[v] && !h->key_is_list[k] && h->version_kind[v] != ISO_ATOM_NIL) {
            first[k] = first[k] == ISO_NONE ? v : first[k];
            c->value[v] = c->value[first[k]];
        }
    }
    iso_copy_names(c->b, h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        put_session(c, s);
    }
}

static void apply_pad(change *c) {
    const isolab_history *h = c->h;
    if (c->n > ISO_ID_MAX || c->n + h->n_keys + h->n_txns > ISO_ID_MAX) {
        iso_throw(c->pool->env, ISOLAB_E_LIMIT, "pad: a history has at most %u keys", ISO_ID_MAX);
    }
    iso_atom *key = fresh_keys(c, c->n);
    uint32_t places =
        h->n_txns + h->n_sessions + 1; /* after each transaction, at the beginning of each session, or new */
    uint32_t *count = ISO_ZNEW(c->pool, uint32_t, places);
    for (uint64_t i = 0; i < c->n; i++) {
        count[iso_random_below(c->rng, places)]++;
    }
    iso_copy_names(c->b, h);
    uint64_t made = 0;
    for (uint32_t s = 0, place = 0; s <= h->n_sessions; s++) {
        bool old = s < h->n_sessions;
        uint32_t t = old ? h->session_txn[s] : 0, end = old ? h->session_txn[s + 1] : 0;
        uint32_t session =
            old || count[place] > 0 ? iso_builder_session(c->b, old ? h->session_name[s] : iso_atom_nil()) : ISO_NONE;
        for (;; t++) {
            for (uint32_t i = 0; i < count[place]; i++, made++) {
                uint32_t to = iso_builder_txn(c->b, session, iso_atom_nil(), ISO_COMMITTED);
                uint32_t own = iso_builder_key(c->b, key[made]);
                iso_builder_op(c->b, to, ISO_WRITE, own, iso_atom_uint(made + 1));
                iso_builder_op(c->b, to, ISO_READ, own, iso_atom_uint(made + 1));
            }
            place++;
            if (t == end) {
                break;
            }
            put_txn(c, session, t);
        }
    }
}

static void apply_split(change *c) {
    const isolab_history *h = c->h;
    iso_atom *name = fresh_keys(c, 1);
    uint32_t *order = random_order(c, h->n_txns);
    bool *cut = ISO_ZNEW(c->pool, bool, h->n_txns);
    uint64_t cuts = 0;
    for (uint32_t i = 0; i < h->n_txns && (c->n == 0 || cuts < c->n); i++) {
        uint32_t t = order[i];
        cut[t] = h->txn_status[t] == ISO_COMMITTED && h->txn_op[t + 1] - h->txn_op[t] >= 2;
        cuts += cut[t];
    }
    iso_copy_names(c->b, h);
    uint32_t lock = iso_builder_key(c->b, name[0]);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(c->b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t first = h->txn_op[t], end = h->txn_op[t + 1];
            uint32_t middle = cut[t] ? first + 1 + (uint32_t)iso_random_below(c->rng, end - first - 1) : end;
            uint32_t to = iso_builder_txn(c->b, session, iso_txn_name(h, t), (iso_status)h->txn_status[t]);
            iso_builder_op(c->b, to, ISO_WRITE, lock, iso_atom_uint((uint64_t)t + 1));
            put_ops(c, to, first, middle);
            if (cut[t]) {
                to = iso_builder_txn(c->b, session, iso_atom_nil(), ISO_COMMITTED);
                iso_builder_op(c->b, to, ISO_READ, lock, iso_atom_uint((uint64_t)t + 1));
                put_ops(c, to, middle, end);
            }
        }
    }
    c->kept = ISO_LEVEL_BIT(ISO_SER);
}

/* Finds a commit order of the strongest of some levels, or leaves none. Returns whether it may stand for all levels. */
static bool find_order(change *c, iso_result *result) {
    static const iso_level levels[] = {ISO_SSER, ISO_LSER, ISO_SER, ISO_RC, ISO_RC_PLUME, ISO_G1};
    const isolab_history *h = c->h;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        iso_question question = {.level = levels[i], .certificate = true, .limit = 1};
        const iso_checker *checker = iso_checker_auto(h, &question);
        iso_result_init(result, c->pool);
        if (checker != NULL && !(iso_level_is_timed(levels[i]) && !h->has_times)) {
            iso_check(checker, h, &question, result);
            if (result->verdict == ISOLAB_UNKNOWN) {
                iso_throw(c->pool->env, ISOLAB_E_LIMIT, "merge needs a commit order: %s", result->reason);
            }
            if (result->verdict == ISOLAB_SATISFIED) {
                return iso_level_has(levels[i], ISO_SEES_BEFORE);
            }
        }
    }
    result->n_order = 0;
    return true; /* g1 is violated, and so is every level that knows sessions */
}

/* A transaction without a place in the order follows its predecessor in the session. */
static void apply_merge(change *c) {
    const isolab_history *h = c->h;
    iso_result result;
    if (c->n == 0) {
        iso_throw(c->pool->env, ISOLAB_E_USAGE, "merge: expected at least 1 session");
    }
    if (!find_order(c, &result)) {
        c->kept &= ISO_LEVEL_BIT(ISO_INT) | ISO_LEVEL_BIT(ISO_CI) | ISO_LEVEL_BIT(ISO_G1) |
                   ISO_LEVEL_BIT(ISO_RC_PLUME) | ISO_LEVEL_BIT(ISO_RC) | ISO_LEVEL_BIT(ISO_SER) |
                   ISO_LEVEL_BIT(ISO_LSER) | ISO_LEVEL_BIT(ISO_SSER);
    }
    uint32_t *place = ISO_NEW_NONE(c->pool, h->n_txns);
    for (uint32_t i = 0; i < result.n_order; i++) {
        if (result.order[i] < h->n_txns) {
            place[result.order[i]] = i + 1;
        }
    }
    uint32_t n = (uint32_t)(c->n < h->n_sessions ? c->n : h->n_sessions);
    iso_buckets rows = iso_buckets_new(c->pool, result.n_order + 1);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool begins = t == h->session_txn[h->txn_session[t]];
        place[t] = place[t] != ISO_NONE ? place[t] : begins ? 0 : place[t - 1];
        iso_buckets_count(&rows, place[t]);
    }
    iso_buckets_sum(&rows);
    uint32_t *sorted = ISO_NEW(c->pool, uint32_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) { /* stable, so sessions keep their order */
        sorted[iso_buckets_place(&rows, place[t])] = t;
    }
    uint32_t *group = random_order(c, h->n_sessions), *session = ISO_NEW(c->pool, uint32_t, n);
    iso_copy_names(c->b, h);
    for (uint32_t s = 0; s < n && h->n_sessions > 0; s++) {
        session[s] = iso_builder_session(c->b, iso_atom_nil());
    }
    for (uint32_t i = 0; i < h->n_txns; i++) {
        put_txn(c, session[group[h->txn_session[sorted[i]]] % n], sorted[i]);
    }
}

const iso_transform iso_transforms[] = {
#define TRANSFORM(name, number, keeps, summary) {#name, keeps, summary, number},
#include "reductions/transform.def"
#undef TRANSFORM
    {.name = NULL}};

static void (*const apply[])(change *c) = {
#define TRANSFORM(name, number, keeps, summary) apply_##name,
#include "reductions/transform.def"
#undef TRANSFORM
};

static size_t named(iso_env *env, const iso_pair *word) {
    for (size_t i = 0; iso_transforms[i].name != NULL; i++) {
        if (strlen(iso_transforms[i].name) == word->name_size &&
            memcmp(iso_transforms[i].name, word->name, word->name_size) == 0) {
            return i;
        }
    }
    iso_throw(env, ISOLAB_E_USAGE, "there is no transformation \"%.*s\": expected %s", (int)word->name_size, word->name,
              "shuffle, relabel, repeat, pad, split or merge");
}

static void set_number(change *c, const iso_transform *t, const iso_pair *word) {
    char number[32];
    bool given = word->value > word->name + word->name_size; /* there is a `=` */
    snprintf(number, sizeof number, "%.*s", (int)word->value_size, word->value);
    if (given && t->number == ISO_NO_NUMBER) {
        iso_throw(c->pool->env, ISOLAB_E_USAGE, "%s takes no number, found \"%s\"", t->name, number);
    }
    if (given && (word->value_size >= sizeof number || !iso_count_of(number, &c->n))) {
        iso_throw(c->pool->env, ISOLAB_E_USAGE, "%s: expected a number, found \"%.*s\"", t->name, (int)word->value_size,
                  word->value);
    }
}

static void describe(const isolab_history *h, iso_builder *b, iso_pool *pool, const char *words, uint64_t seed) {
    iso_printer line = {.target = ISO_PLAIN, .pool = pool};
    if (h->about != NULL) {
        iso_print(&line, "%s; ", h->about);
    }
    iso_print(&line, "transformed %s --seed %" PRIu64, words, seed);
    iso_builder_about(b, iso_printed(&line), line.size);
}

isolab_history *iso_transform_all(iso_pool *pool, const isolab_history *h, const char *words, uint64_t seed,
                                  iso_levels *kept) {
    iso_rng rng = {seed};
    const isolab_history *now = h;
    const char *rest = words;
    isolab_history *made = NULL;
    *kept = ISO_ALL_LEVELS;
    for (iso_pair word; iso_pair_next(&rest, &word);) {
        size_t i = named(pool->env, &word);
        change c = {.pool = pool,
                    .h = now,
                    .b = iso_builder_new(pool),
                    .rng = &rng,
                    .n = iso_transforms[i].number,
                    .kept = *kept};
        set_number(&c, &iso_transforms[i], &word);
        apply[i](&c);
        *kept &= c.kept;
        describe(h, c.b, pool, words, seed);
        now = made = iso_builder_finish(c.b);
    }
    return made != NULL ? made : iso_copy(pool, h);
}
