/* Finding separators. See separate.h. */
#include "generators/separate.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "generators/enumerate.h"
#include "generators/generator.h"
#include "generators/store.h"

bool iso_separable(iso_level satisfied, iso_level violated) {
    return (iso_level_and_weaker(satisfied) & ISO_LEVEL_BIT(violated)) == 0;
}

/* The parts of a history that a copy leaves out, and the times of the copy. */
typedef struct edit {
    uint32_t no_txn, no_op;
    const int64_t *start, *end; /* NULL: the old times */
} edit;

static const edit as_it_is = {ISO_NONE, ISO_NONE, NULL, NULL};

static isolab_history *copy(iso_pool *pool, const isolab_history *h, const edit *e) {
    iso_builder *b = iso_builder_new(pool);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (t == e->no_txn) {
            continue;
        }
        uint32_t session = iso_builder_session(b, iso_atom_int(h->txn_session[t]));
        uint32_t txn = iso_builder_txn(b, session, iso_atom_nil(), (iso_status)h->txn_status[t]);
        if (e->start != NULL) {
            iso_builder_times(b, txn, e->start[t], e->end[t]);
        } else if (h->txn_start != NULL) {
            iso_builder_times(b, txn, h->txn_start[t], h->txn_end[t]);
        }
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            if (op != e->no_op) {
                iso_atom name = h->key_name[h->op_key[op]];
                iso_builder_op(b, txn, (iso_op_kind)h->op_kind[op],
                               iso_builder_key(b, name.kind == ISO_ATOM_STRING ? iso_atom_int(h->op_key[op]) : name),
                               iso_version_value(h, h->op_version[op]));
            }
        }
    }
    return iso_builder_finish(b);
}

/* Asks brute, which applies the definitions, if the history is small enough; otherwise the default checker. */
static isolab_verdict ask(iso_pool *scratch, const isolab_history *h, iso_level level) {
    iso_question question = {.level = level, .limit = 1};
    const iso_checker *c = iso_checker_find("brute");
    char why[512];
    if (c == NULL || h->n_txns > 9 || iso_checker_refuses(c, h, &question, why, sizeof why) != NULL) {
        c = iso_checker_auto(h, &question);
    }
    if (c == NULL) {
        iso_throw(scratch->env, ISOLAB_E_INTERNAL, "no checker takes a history of %u transactions at level %s",
                  h->n_txns, iso_level_get(level)->name);
    }
    iso_pool pool;
    iso_pool_init(&pool, scratch->env);
    iso_result result;
    iso_result_init(&result, &pool);
    iso_check(c, h, &question, &result);
    isolab_verdict verdict = result.verdict;
    iso_pool_free(&pool);
    return verdict;
}

typedef struct search {
    iso_pool *keep;
    const iso_levels *wanted;
    iso_levels asked; /* the levels of all wanted pairs */
    iso_separators *found;
    uint32_t n_txns; /* number of transactions of the current size */
} search;

static bool smaller(const isolab_history *h, const isolab_history *than) {
    return than == NULL || h->n_txns < than->n_txns || (h->n_txns == than->n_txns && h->n_ops < than->n_ops);
}

/* Stores a history whose satisfied levels are known for all pairs that it separates. */
static void note(search *s, const isolab_history *h, iso_levels satisfied, const edit *e) {
    isolab_history *kept = NULL;
    for (int a = 0; a < iso_n_levels; a++) {
        for (int b = 0; b < iso_n_levels; b++) {
            if ((s->wanted[a] & ISO_LEVEL_BIT(b)) == 0 || (satisfied & ISO_LEVEL_BIT(a)) == 0 ||
                (satisfied & ISO_LEVEL_BIT(b)) != 0 || !smaller(h, s->found->h[a][b])) {
                continue;
            }
            kept = kept == NULL ? copy(s->keep, h, e) : kept;
            s->found->h[a][b] = kept;
        }
    }
}

/* Returns the satisfied levels. A level is asked about only if all levels that it implies are satisfied. */
static iso_levels satisfied_levels(iso_pool *scratch, const isolab_history *h, iso_levels asked) {
    iso_levels satisfied = 0;
    for (int level = 0; level < iso_n_levels; level++) {
        iso_levels below = iso_level_and_weaker((iso_level)level) & ~ISO_LEVEL_BIT(level);
        bool possible = (below & asked & ~satisfied) == 0;
        if ((asked & ISO_LEVEL_BIT(level)) && possible && ask(scratch, h, (iso_level)level) == ISOLAB_SATISFIED) {
            satisfied |= ISO_LEVEL_BIT(level);
        }
    }
    return satisfied;
}

/* Returns whether two transactions of a history shall be ordered in time. Histories of three transactions need this
 * only to separate lser from sser, which histories of two do not separate. */
static bool is_worth_times(const search *s, const isolab_history *h) {
    const isolab_history *found = s->found->h[ISO_LSER][ISO_SSER];
    bool apart = h->n_sessions == h->n_txns;
    return apart &&
           (h->n_txns == 2 || (h->n_txns == 3 && (s->wanted[ISO_LSER] & ISO_LEVEL_BIT(ISO_SSER)) && smaller(h, found)));
}

/* Orders two transactions in time, in every way; a third one overlaps both. */
static void look_in_time(search *s, iso_pool *scratch, const isolab_history *h, iso_levels satisfied) {
    for (uint32_t first = 0; first < h->n_txns; first++) {
        for (uint32_t second = 0; second < h->n_txns; second++) {
            int64_t start[3], end[3];
            if (first == second) {
                continue;
            }
            for (uint32_t t = 0; t < h->n_txns; t++) {
                start[t] = t == second ? 4 : 1;
                end[t] = t == first ? 2 : 5;
            }
            edit e = {ISO_NONE, ISO_NONE, start, end};
            const isolab_history *timed = copy(scratch, h, &e);
            iso_levels without = satisfied & ~ISO_TIMED_LEVELS;
            if (ask(scratch, timed, ISO_SSER) == ISOLAB_VIOLATED) {
                bool by_key = ask(scratch, timed, ISO_LSER) == ISOLAB_VIOLATED;
                note(s, h, without | (by_key ? 0 : ISO_LEVEL_BIT(ISO_LSER)), &e);
            }
        }
    }
}

static bool test_history(void *arg, const isolab_history *h) {
    search *s = arg;
    if (h->n_txns != s->n_txns) {
        return true;
    }
    iso_tick(s->keep->env);
    s->found->histories++;
    iso_pool scratch;
    iso_pool_init(&scratch, s->keep->env);
    iso_levels satisfied = satisfied_levels(&scratch, h, s->asked);
    note(s, h, satisfied, &as_it_is);
    if ((satisfied & s->asked & ISO_TIMED_LEVELS) && is_worth_times(s, h)) {
        look_in_time(s, &scratch, h, satisfied);
    }
    iso_pool_free(&scratch);
    return true;
}

/* Returns whether every wanted pair is found, with at most this many operations. */
static bool all_found(const search *s, uint32_t n_ops) {
    for (int a = 0; a < iso_n_levels; a++) {
        for (int b = 0; b < iso_n_levels; b++) {
            if ((s->wanted[a] & ISO_LEVEL_BIT(b)) && iso_separable((iso_level)a, (iso_level)b) &&
                (s->found->h[a][b] == NULL ||
                 (s->found->h[a][b]->n_txns == s->n_txns && s->found->h[a][b]->n_ops > n_ops))) {
                return false;
            }
        }
    }
    return true;
}

void iso_separate(iso_pool *keep, const iso_levels wanted[ISO_MOST_LEVELS], iso_separators *found) {
    static const unsigned most_ops[] = {0, 3, 3, 2, 1};
    memset(found, 0, sizeof *found);
    search s = {.keep = keep, .wanted = wanted, .found = found};
    for (int a = 0; a < iso_n_levels; a++) {
        s.asked |= wanted[a] != 0 ? wanted[a] | ISO_LEVEL_BIT(a) : 0;
    }
    for (s.n_txns = 1; s.n_txns <= 4; s.n_txns++) {
        for (unsigned ops = 1; ops <= most_ops[s.n_txns]; ops++) {
            iso_pool pool;
            iso_pool_init(&pool, keep->env);
            iso_enumeration what = {.txns = s.n_txns, .ops = ops, .keys = 2};
            iso_enumerate(&pool, &what, test_history, &s);
            iso_pool_free(&pool);
            /* with a transaction of ops + 1 operations, a history has at least n_txns + ops */
            if (all_found(&s, s.n_txns + ops)) {
                return;
            }
        }
    }
}

static bool separates(iso_pool *scratch, const isolab_history *h, iso_level satisfied, iso_level violated) {
    return ask(scratch, h, violated) == ISOLAB_VIOLATED && ask(scratch, h, satisfied) == ISOLAB_SATISFIED;
}

/* Leaves out transactions and operations one by one, until none can be left out. */
static isolab_history *shrunk(iso_pool *keep, isolab_history *h, iso_level satisfied, iso_level violated) {
    bool again = true;
    while (again) {
        again = false;
        for (int by_op = 0; by_op < 2; by_op++) {
            for (uint32_t i = by_op ? h->n_ops : h->n_txns; i-- > 0;) {
                iso_tick(keep->env);
                edit e = {by_op ? ISO_NONE : i, by_op ? i : ISO_NONE, NULL, NULL};
                isolab_history *less = copy(keep, h, &e);
                if (separates(keep, less, satisfied, violated)) {
                    h = less;
                    again = true;
                }
            }
        }
    }
    return h;
}

/* Returns a bug that keeps the first level and breaks the second; NULL: none, so the store of the first level must
 * do. */
static const iso_bug *bug_between(iso_level satisfied, iso_level violated) {
    for (const iso_bug *bug = iso_bugs; bug->name != NULL && !bug->lists; bug++) {
        iso_level keeps = iso_level_find(bug->keeps, NULL), breaks = iso_level_find(bug->breaks, NULL);
        if (keeps != ISO_NO_LEVEL && (iso_level_and_weaker(keeps) & ISO_LEVEL_BIT(satisfied)) &&
            (iso_level_and_weaker(violated) & ISO_LEVEL_BIT(breaks))) {
            return bug;
        }
    }
    return NULL;
}

isolab_history *iso_separate_randomly(iso_pool *keep, iso_level satisfied, iso_level violated, uint64_t n_txns,
                                      uint64_t seed, uint64_t tries, bool shrink) {
    const iso_bug *bug = bug_between(satisfied, violated);
    iso_rng rng = {seed};
    for (uint64_t i = 0; i < tries; i++) {
        iso_pool pool;
        iso_pool_init(&pool, keep->env);
        iso_args args;
        char txns[32], keys[32], text[32], rate[32];
        iso_generator_args(iso_generator_find("random"), &pool, &args);
        snprintf(txns, sizeof txns, "%" PRIu64, n_txns);
        snprintf(keys, sizeof keys, "%" PRIu64, 6 + n_txns / 10);
        snprintf(text, sizeof text, "%" PRIu64, (iso_random(&rng) >> 1));
        snprintf(rate, sizeof rate, "%g", n_txns < 100 ? 0.2 : 0.01);
        iso_args_set(&args, "txns", txns);
        iso_args_set(&args, "keys", keys);
        iso_args_set(&args, "ops", "4");
        iso_args_set(&args, "seed", text);
        iso_args_set(&args, "times", iso_level_is_timed(violated) || iso_level_is_timed(satisfied) ? "yes" : "no");
        if (bug != NULL) {
            iso_args_set(&args, "level", "sser");
            iso_args_set(&args, "bug", bug->name);
            iso_args_set(&args, "bug-rate", rate);
        } else {
            iso_args_set(&args, "level", iso_level_get(satisfied)->name);
        }
        iso_builder *b = iso_builder_new(&pool);
        iso_generator_run(iso_generator_find("random"), &args, b);
        isolab_history *h = iso_builder_finish(b);
        isolab_history *found = NULL;
        if (separates(&pool, h, satisfied, violated)) {
            found = shrink ? shrunk(&pool, h, satisfied, violated) : h;
            found = copy(keep, found, &as_it_is);
        }
        iso_pool_free(&pool);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}
