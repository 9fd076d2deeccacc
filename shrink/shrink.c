/* The search of the minimiser. See shrink.h. */
#include "shrink/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shrink/edit.h"

const char *const iso_step_text[ISO_STEPS] = {"transactions", "operations", "sessions", "keys",
                                              "values",       "elements",   "times",    "statuses"};

typedef struct shrinker {
    iso_env *env;
    iso_shrinking *s;
    const uint8_t *hint;
    bool dry; /* only test whether a step is possible */
    bool possible;
    char what[160];   /* the first possible step, in words */
    iso_pool scratch; /* of one pass: freed at its end, or by the guard's caller */
} shrinker;

/* Tries an edit, and keeps its result if the history passes the test. Returns whether it does. */
static bool attempt(shrinker *k, const iso_edit *e) {
    iso_shrinking *s = k->s;
    if (s->most_tests != 0 && s->tests >= s->most_tests) {
        iso_throw(k->env, ISOLAB_E_LIMIT, "%" PRIu64 " tests were not enough", s->most_tests);
    }
    iso_pool *pool = &s->pool[1 - s->at];
    iso_pool_free(pool);
    iso_edit edit = *e;
    edit.slice = s->slice;
    isolab_history *h = iso_edited(pool, s->h, &edit);
    s->tests++;
    bool yes = s->test(s->arg, h);
    if (yes && !k->dry) {
        s->kept++;
        s->h = h;
        s->at = 1 - s->at;
    }
    return yes;
}

/* Tries a single step and counts it. In a dry run, describes the first one that is possible. */
static bool step(shrinker *k, iso_step kind, const iso_edit *e, uint32_t number) {
    k->s->tried[kind]++;
    bool yes = attempt(k, e);
    if (yes && k->dry && !k->possible) {
        k->possible = true;
        snprintf(k->what, sizeof k->what, "%s: a step at number %u is possible", iso_step_text[kind], number);
    }
    return yes && !k->dry;
}

/* Leaves out pieces of n transactions or operations, then smaller ones, down to one. */
static bool pieces(shrinker *k, iso_step kind) {
    bool smaller = false;
    bool txns = kind == ISO_STEP_TXN;
    uint32_t n = txns ? k->s->h->n_txns : k->s->h->n_ops;
    uint8_t *out = ISO_ZNEW(&k->scratch, uint8_t, n);
    for (uint32_t size = k->dry ? 1 : (n + 1) / 2; size > 0; size /= 2) {
        for (uint32_t first = 0;;) {
            n = txns ? k->s->h->n_txns : k->s->h->n_ops;
            if (first >= n) {
                break;
            }
            uint32_t end = n - first < size ? n : first + size;
            memset(out + first, 1, end - first);
            iso_edit e = ISO_NO_EDIT;
            e.no_txn = txns ? out : NULL;
            e.no_op = txns ? NULL : out;
            bool yes = size == 1 ? step(k, kind, &e, first) : attempt(k, &e);
            if (!yes && size == 1 && !k->s->slice) {
                e.orphans = true;
                yes = step(k, kind, &e, first);
            }
            memset(out + first, 0, end - first);
            smaller |= yes;
            first = yes ? first : end; /* the next piece has moved here */
        }
    }
    iso_pool_free(&k->scratch);
    return smaller;
}

/* Returns whether a transaction of session b ended before one of session a began. Then b cannot be placed after a. */
static bool is_earlier(const isolab_history *h, uint32_t b, uint32_t a) {
    int64_t end = INT64_MAX, start = INT64_MIN;
    for (uint32_t t = h->session_txn[b]; h->txn_end != NULL && t < h->session_txn[b + 1]; t++) {
        end = h->txn_end[t] != ISO_NO_TIME && h->txn_end[t] < end ? h->txn_end[t] : end;
    }
    for (uint32_t t = h->session_txn[a]; h->txn_start != NULL && t < h->session_txn[a + 1]; t++) {
        start = h->txn_start[t] != ISO_NO_TIME && h->txn_start[t] > start ? h->txn_start[t] : start;
    }
    return end < start;
}

static bool merge_sessions(shrinker *k) {
    bool smaller = false;
    for (uint32_t a = 0; a < k->s->h->n_sessions; a++) {
        for (uint32_t b = 0; b < k->s->h->n_sessions;) {
            iso_edit e = ISO_NO_EDIT;
            e.merge = b;
            e.follows = a;
            bool yes = a != b && !is_earlier(k->s->h, b, a) && step(k, ISO_STEP_SESSION, &e, b);
            smaller |= yes;
            a -= (uint32_t)(yes && b < a);
            b += !yes;
        }
    }
    return smaller;
}

static bool fewer_keys(shrinker *k) {
    bool smaller = false;
    for (uint32_t key = 0; key < k->s->h->n_keys;) {
        iso_edit e = ISO_NO_EDIT;
        e.no_key = key;
        bool yes = step(k, ISO_STEP_KEY, &e, key);
        for (uint32_t other = 0; !yes && other < key; other++) {
            if (k->s->h->key_is_list[key] == k->s->h->key_is_list[other]) {
                e = ISO_NO_EDIT;
                e.key = key;
                e.same_as = other;
                yes = step(k, ISO_STEP_KEY, &e, key);
            }
        }
        smaller |= yes;
        key += !yes;
    }
    return smaller;
}

static bool simpler_values(shrinker *k) {
    bool smaller = false;
    for (uint32_t op = 0; op < k->s->h->n_ops; op++) {
        const isolab_history *h = k->s->h;
        iso_edit e = ISO_NO_EDIT;
        if (h->op_kind[op] == ISO_READ && !iso_version_is_initial(h, h->op_version[op])) {
            e.nil_version = h->op_version[op];
            bool yes = step(k, ISO_STEP_VALUE, &e, op);
            if (!yes) {
                e = ISO_NO_EDIT;
                e.nil_op = op;
                yes = step(k, ISO_STEP_VALUE, &e, op);
            }
            smaller |= yes;
        } else if (h->op_kind[op] == ISO_LIST_READ) {
            uint32_t list = h->op_version[op];
            for (uint32_t i = h->list_first[list + 1] - h->list_first[list]; i-- > 0;) {
                e.list_op = op;
                e.no_element = i;
                smaller |= step(k, ISO_STEP_ELEMENT, &e, op);
            }
        } else if (iso_is_write(h->op_kind[op]) && !h->unique) {
            uint32_t n;
            iso_writers(h, h->op_version[op], &n);
            if (n > 1 || iso_version_is_initial(h, h->op_version[op])) {
                e.fresh_op = op;
                smaller |= step(k, ISO_STEP_VALUE, &e, op);
            }
        }
    }
    return smaller;
}

static bool fewer_times(shrinker *k) {
    if (k->s->h->txn_start == NULL) {
        return false;
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_times = true;
    if (step(k, ISO_STEP_TIME, &e, 0)) {
        return true;
    }
    bool smaller = false;
    for (uint32_t t = 0; k->s->h->txn_start != NULL && t < k->s->h->n_txns; t++) {
        const isolab_history *h = k->s->h;
        if (h->txn_start[t] != ISO_NO_TIME || h->txn_end[t] != ISO_NO_TIME) {
            e = ISO_NO_EDIT;
            e.no_time = t;
            smaller |= step(k, ISO_STEP_TIME, &e, t);
        }
    }
    return smaller;
}

static bool plainer_statuses(shrinker *k) {
    bool smaller = false;
    for (uint32_t t = 0; t < k->s->h->n_txns; t++) {
        if (k->s->h->txn_status[t] == ISO_INDETERMINATE) {
            iso_edit e = ISO_NO_EDIT;
            e.commit = t;
            smaller |= step(k, ISO_STEP_STATUS, &e, t);
        }
    }
    return smaller;
}

/* Tries every step once. Sessions and keys are merged only when no other step helps, since merging adds orders and
 * conflicts that other steps would have to keep. */
static bool round_of_steps(shrinker *k) {
    memset(k->s->tried, 0, sizeof k->s->tried);
    bool smaller = pieces(k, ISO_STEP_TXN);
    smaller |= pieces(k, ISO_STEP_OP);
    if (k->s->slice) {
        return smaller;
    }
    smaller |= simpler_values(k);
    smaller |= fewer_times(k);
    smaller |= plainer_statuses(k);
    if (!smaller || k->dry) {
        smaller |= !k->s->keep_sessions && merge_sessions(k);
        smaller |= fewer_keys(k);
    }
    return smaller;
}

/* When no single step helps and the history is small: tries all pairs of transactions, then all pairs of operations.
 * The anomaly that the checker reports first may change with every step, so two steps together may help where each
 * alone does not. */
static bool pairs(shrinker *k, bool txns) {
    enum { MOST_TXNS = 16, MOST_OPS = 24 };
    uint32_t n = txns ? k->s->h->n_txns : k->s->h->n_ops;
    uint8_t out[MOST_OPS] = {0};
    if (n > (txns ? MOST_TXNS : MOST_OPS)) {
        return false;
    }
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            out[a] = out[b] = 1;
            iso_edit e = ISO_NO_EDIT;
            e.no_txn = txns ? out : NULL;
            e.no_op = txns ? NULL : out;
            if (attempt(k, &e)) {
                return true;
            }
            out[a] = out[b] = 0;
        }
    }
    return false;
}

/* Keeps only the transactions of the hint. As long as this history fails the test, adds the transactions that they read
 * from. */
static void follow_hint(shrinker *k) {
    const isolab_history *h = k->s->h;
    uint8_t *out = ISO_NEW(&k->scratch, uint8_t, h->n_txns);
    uint32_t kept = 0, before;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        out[t] = !k->hint[t];
        kept += k->hint[t] != 0;
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_txn = out;
    do {
        if (attempt(k, &e)) {
            break;
        }
        before = kept;
        for (uint32_t op = 0; op < h->n_ops; op++) { /* one step along reads; transactions added in this step are not
                                                      * followed */
            uint32_t w = h->op_writer[op];
            if (!out[h->op_txn[op]] && w < h->n_ops && out[h->op_txn[w]] == 1) {
                out[h->op_txn[w]] = 2;
            }
        }
        for (uint32_t t = 0; t < h->n_txns; t++) {
            kept += out[t] == 2;
            out[t] = out[t] == 1;
        }
    } while (kept > before && kept < h->n_txns / 2);
    iso_pool_free(&k->scratch);
}

static void canonical_names(shrinker *k) {
    iso_shrinking *s = k->s;
    iso_pool *pool = &s->pool[1 - s->at];
    iso_pool_free(pool);
    isolab_history *h = iso_canonical(pool, s->h);
    s->tests++;
    if (s->test(s->arg, h)) {
        s->h = h;
        s->at = 1 - s->at;
    }
}

static void search(void *arg) {
    shrinker *k = arg;
    if (k->hint != NULL) {
        follow_hint(k);
    }
    do {
        while (round_of_steps(k)) {
        }
    } while (pairs(k, true) || pairs(k, false));
    if (!k->s->keep_names && !k->s->slice) {
        canonical_names(k);
    }
}

static void begin(iso_env *env, const isolab_history *h, iso_shrinking *s) {
    iso_pool_init(&s->pool[0], env);
    iso_pool_init(&s->pool[1], env);
    s->h = h;
    s->at = 0;
    s->tests = s->kept = 0;
    s->unfinished = false;
}

void iso_shrink(iso_env *env, const isolab_history *h, const uint8_t *hint, iso_shrinking *s) {
    begin(env, h, s);
    shrinker k = {.env = env, .s = s, .hint = hint};
    iso_pool_init(&k.scratch, env);
    int code = iso_guard(env, search, &k);
    iso_pool_free(&k.scratch);
    if (code == ISOLAB_E_LIMIT) {
        s->unfinished = true;
    } else if (code != ISOLAB_OK) {
        iso_shrink_free(s);
        iso_rethrow(env);
    }
}

void iso_shrink_free(iso_shrinking *s) {
    iso_pool_free(&s->pool[0]);
    iso_pool_free(&s->pool[1]);
    s->h = NULL;
}

bool iso_shrink_is_minimal(iso_env *env, const isolab_history *h, iso_shrinking *s, char *what, size_t size) {
    iso_shrinking dry = {.test = s->test, .arg = s->arg, .keep_sessions = s->keep_sessions, .slice = s->slice};
    begin(env, h, &dry);
    shrinker k = {.env = env, .s = &dry, .dry = true};
    iso_pool_init(&k.scratch, env);
    round_of_steps(&k);
    memcpy(s->tried, dry.tried, sizeof s->tried);
    iso_shrink_free(&dry);
    snprintf(what, size, "%s", k.what);
    return !k.possible;
}
