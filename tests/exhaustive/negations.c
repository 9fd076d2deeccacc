/* Reads of which only is known what they did not return, against their definition: a history satisfies a level exactly
 * where it does with some written or initial value of the key in the place of each of them. Both sides are asked of
 * brute, and only one of them knows reads that exclude a value. */
#include <inttypes.h>
#include <stdio.h>

#include "history/copy.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

enum { MOST = 3, VALUES = 16 };

static iso_env env;

/* One history, its negations, and the values that each may stand for. */
typedef struct puzzle {
    const isolab_history *h;
    uint32_t op[MOST], n, n_values[MOST], pick[MOST];
    iso_atom value[MOST][VALUES];
} puzzle;

static void add_value(puzzle *p, iso_atom value) {
    uint32_t i = p->n;
    bool known = iso_atom_equal(iso_atom_not(value), iso_version_value(p->h, p->h->op_version[p->op[i]]));
    for (uint32_t v = 0; v < p->n_values[i]; v++) {
        known |= iso_atom_equal(p->value[i][v], value);
    }
    if (!known && p->n_values[i] < VALUES) {
        p->value[i][p->n_values[i]++] = value;
    }
}

/* Returns false if it has no negation, too many, or a negation that no value meets. */
static bool set_up(puzzle *p, const isolab_history *h) {
    *p = (puzzle){.h = h};
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (!iso_op_is_negation(h, o)) {
            continue;
        }
        if (p->n == MOST) {
            return false;
        }
        p->op[p->n] = o;
        add_value(p, iso_atom_nil());
        for (uint32_t w = 0; w < h->n_ops; w++) {
            if (h->op_kind[w] == ISO_WRITE && h->op_key[w] == h->op_key[o]) {
                add_value(p, iso_version_value(h, h->op_version[w]));
            }
        }
        if (p->n_values[p->n++] == 0) {
            return false;
        }
    }
    return p->n > 0;
}

/* The history with the values picked. */
static isolab_history *substitute(const puzzle *p, iso_pool *pool) {
    const isolab_history *h = p->h;
    iso_builder *b = iso_builder_new(pool);
    iso_copy_names(b, h);
    for (uint32_t s = 0, i = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t txn = iso_copy_txn(b, session, h, t);
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (i < p->n && o == p->op[i]) {
                    iso_builder_op(b, txn, ISO_READ, h->op_key[o], p->value[i][p->pick[i]]);
                    i++;
                } else {
                    iso_copy_op(pool, b, txn, h, o, o);
                }
            }
        }
    }
    return iso_builder_finish(b);
}

static bool next_pick(puzzle *p) {
    uint32_t i = 0;
    while (i < p->n && ++p->pick[i] == p->n_values[i]) {
        p->pick[i++] = 0;
    }
    return i < p->n;
}

static iso_levels satisfied(iso_pool *pool, const isolab_history *h, iso_levels of) {
    iso_levels good = 0;
    for (int level = 0; level < iso_n_levels; level++) {
        iso_result result;
        iso_question question = {.level = level};
        iso_result_init(&result, pool);
        if (of & ISO_LEVEL_BIT(level)) {
            iso_check(iso_checker_find("brute"), h, &question, &result);
            good |= result.verdict == ISOLAB_SATISFIED ? ISO_LEVEL_BIT(level) : 0;
        }
    }
    return good;
}

static void compare(const char *what, iso_small_shape shape, uint64_t rounds) {
    uint64_t first = seed_or(1), compared = 0, wrong = 0, kept = 0, broken = 0;
    iso_levels all = ((iso_levels)1 << iso_n_levels) - 1;
    diag("%s: seed %" PRIu64, what, first);
    for (uint64_t i = 0; i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = iso_random_small(&pool, first + i, &shape);
        puzzle p;
        if (set_up(&p, h)) {
            iso_levels one = satisfied(&pool, h, all), other = 0;
            do {
                other |= satisfied(&pool, substitute(&p, &pool), all & ~other);
            } while (other != all && next_pick(&p));
            compared++;
            kept += one & ISO_LEVEL_BIT(ISO_SSER) ? 1 : 0;
            broken += one & ISO_LEVEL_BIT(ISO_INT) ? 0 : 1;
            if (one != other && wrong++ < 3) {
                diag("seed %" PRIu64 ": levels %x, by substitution %x", first + i, (unsigned)one, (unsigned)other);
                iso_agree_print(&env, h);
            }
        }
        iso_pool_free(&pool);
    }
    ok(wrong == 0 && compared > rounds / 4, "%s: %" PRIu64 " histories are what they are with values", what, compared);
    ok(kept > 0 && broken > 0, "%" PRIu64 " of them satisfy sser, %" PRIu64 " not even int", kept, broken);
}

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = iso_agree_rounds(1000, 15000, 300000);
    iso_small_shape shape = {.txns = 4, .ops = 3, .keys = 2, .sessions = 3, .times = true, .negations = true};
    compare("unique values", shape, rounds);
    shape.duplicates = shape.aborted = shape.indeterminate = true;
    compare("repeated values, aborted and indeterminate transactions", shape, rounds);
}

int main(void) { return run_guarded(&env, run); }
