/* Tests checkers/mtc/mini.c: `mtc` refuses a history if and only if an included transaction is no mini-transaction: at
 * most two reads, at most two writes, and a read of its key before each write. It names the first such transaction and
 * what is wrong with it, and counts all of them if it is asked to. On random histories, and by hand. */
#include <stdio.h>
#include <string.h>

#include "checkers/mtc/mtc.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/claims.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;

enum { FINE, READS, WRITES, BLIND };

/* What the definition says of a transaction; *op: the operation that breaks it first. */
static int broken(const isolab_history *h, uint32_t t, uint32_t *op) {
    unsigned n[2] = {0, 0};
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        bool seen = false;
        for (uint32_t p = h->txn_op[t]; p < o; p++) {
            seen |= h->op_kind[p] == ISO_READ && h->op_key[p] == h->op_key[o];
        }
        *op = o;
        n[h->op_kind[o]]++;
        if (n[ISO_READ] == 3 || n[ISO_WRITE] == 3) {
            return n[ISO_READ] == 3 ? READS : WRITES;
        }
        if (h->op_kind[o] == ISO_WRITE && !seen) {
            return BLIND;
        }
    }
    return FINE;
}

/* What mtc should say. */
static const char *expected(const isolab_history *h, bool counted, char *text, size_t size) {
    static const char *const what[] = {"", "more than two reads", "more than two writes",
                                       "a write of a key that they did not read before"};
    unsigned n[4] = {0}, all = 0;
    size_t used = 0;
    for (uint32_t t = 0, op = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] != ISO_INCLUDED) {
            continue;
        }
        int rule = broken(h, t, &op);
        char name[ISO_NAME_SIZE], words[256];
        if (rule != FINE && n[READS] + n[WRITES] + n[BLIND] == 0) {
            iso_txn_text(h, t, name);
            iso_op_text(h, op, words, sizeof words);
            const char *begin = "checker mtc needs mini-transactions, but ";
            used =
                (size_t)(rule == BLIND
                             ? snprintf(text, size, "%s`%s` of %s writes a key that it did not read before", begin,
                                        words, name)
                             : snprintf(text, size, "%s%s has %s: `%s` is the third", begin, name, what[rule], words));
        }
        n[rule]++;
        all++;
    }
    if (used == 0) {
        return NULL;
    }
    if (counted) {
        used += (size_t)snprintf(text + used, size - used, "; %u of %u transactions are none", all - n[FINE], all);
        const char *before = ":";
        for (int i = READS; i <= BLIND; i++) {
            if (n[i] > 0) {
                used += (size_t)snprintf(text + used, size - used, "%s %u with %s", before, n[i], what[i]);
                before = ",";
            }
        }
    }
    return text;
}

static bool is_right(const isolab_history *h, bool *refused) {
    bool right = true;
    for (int i = 0; i < 4; i++) {
        static const char *const options[] = {NULL, "count=no", "count=yes", "chains=no,count=yes"};
        iso_question question = {.level = ISO_SER, .options = options[i]};
        char buffer[1024], text[1024];
        const char *said = iso_mtc_refuses(iso_checker_find("mtc"), h, &question, buffer, sizeof buffer);
        const char *should = expected(h, i >= 2, text, sizeof text);
        *refused = said != NULL;
        if ((said == NULL) != (should == NULL) || (said != NULL && strcmp(said, should) != 0)) {
            diag("mtc says %s\nexpected %s", said == NULL ? "nothing" : said, should == NULL ? "nothing" : should);
            right = false;
        }
    }
    return right;
}

static void on(const char *what, iso_small_shape shape, uint64_t rounds) {
    uint64_t first = seed_or(1), taken = 0, refusals = 0, wrong = 0;
    for (uint64_t seed = first; seed < first + rounds && wrong == 0; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        const isolab_history *h = iso_random_small(&pool, seed, &shape);
        bool refused;
        wrong += !is_right(h, &refused);
        refusals += refused;
        taken += !refused;
        if (wrong > 0) {
            diag("seed %llu", (unsigned long long)seed);
            iso_agree_print(&env, h);
        }
        iso_pool_free(&pool);
    }
    ok(wrong == 0 && taken > 0 && refusals > 0, "%s: %llu are taken, %llu refused, with the reason", what,
       (unsigned long long)taken, (unsigned long long)refusals);
}

/* The last operations of the last transaction, and transactions at the borders. */
static void by_hand(iso_pool *pool) {
    static const struct {
        const char *history;
        bool refused;
    } examples[] = {
        {"session\ncommit:\n", false},
        {"session\ncommit: r x nil, r y nil, w x 1, w y 1\n", false},
        {"session\ncommit: r x nil, w x 1, r y nil, w y 1\n", false},
        {"session\ncommit: r x nil, w x 1, w x 2\n", false},
        {"session\ncommit: r x nil, w x 1, w x 2, r x 2\n", false},
        {"session\ncommit: r x nil, w x 1, w x 2, w x 3\n", true},
        {"session\ncommit: r x nil, r x nil, r x nil\n", true},
        {"session\ncommit: r x nil, r x nil, r x nil, w x 1\n", true},
        {"session\ncommit: r x nil, r y nil, w x 1, w y 1, r x 1\n", true},
        {"session\ncommit: r x nil, w y 1\n", true},
        {"session\ncommit: w x 1, r x 1\n", true},
        {"session\ncommit: w x 1\n", true},
        {"session\nabort: w x 1\n", false},
        {"session\nmaybe: w x 1\n", false},
        {"session\nmaybe: w x 1\ncommit: r x 1\n", true},
        {"session\ncommit: r x nil, r y nil, w y 1\nsession\ncommit: r x nil\ncommit: r x nil, w z 1\n", true},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        bool refused;
        const char *first = strchr(examples[i].history, '\n') + 1;
        ok(is_right(history_of(pool, examples[i].history), &refused) && refused == examples[i].refused, "%s: %.*s",
           examples[i].refused ? "refused" : "taken", (int)strcspn(first, "\n"), first);
    }
}

/* An order is given only if it is asked for. */
static void orders(iso_pool *pool) {
    const isolab_history *h = history_of(pool, "session\ncommit: r x nil, w x 1, r y nil\nsession\ncommit: r x 1\n");
    for (int asked = 0; asked < 2; asked++) {
        iso_result r;
        iso_result_init(&r, pool);
        iso_check(iso_checker_find("mtc"), h, &(iso_question){.level = ISO_SER, .certificate = asked == 1}, &r);
        ok(r.verdict == ISOLAB_SATISFIED && (r.order != NULL) == asked && r.n_order == (asked == 1 ? 2 : 0),
           "an order that is %sasked for", asked == 1 ? "" : "not ");
    }
}

static void tests(void *pool) {
    orders(pool);
    uint64_t rounds = iso_agree_rounds(3000, 20000, 1000000);
    by_hand(pool);
    on("few operations", (iso_small_shape){.txns = 3, .ops = 4, .keys = 2, .sessions = 2, .aborted = true}, rounds);
    on("more operations",
       (iso_small_shape){.txns = 2, .ops = 6, .keys = 2, .sessions = 2, .indeterminate = true, .empty = true}, rounds);
}

int main(void) { return run_guarded(&env, tests); }
