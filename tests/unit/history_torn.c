/* Tests history/torn.h and the end mark of JSON lines: a recording that is cut anywhere violates no level that the
 * whole recording satisfies, for random histories of all kinds, by brute. The lines of a session are in its order, and
 * the lines of different sessions in any order, as a recorder writes them. */
#define _GNU_SOURCE
#include "history/torn.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "formats/format.h"
#include "generators/random_small.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static iso_env env;
static const char mark[] = "{\"recording\":\"ended\"}\n";

typedef struct counts {
    uint64_t cuts, false_ones, needed, violated, wrong_ends, unread;
} counts;

/* Writes the lines of a history as a recorder does, with its end mark. Returns the size of the first line. */
static size_t write_recording(iso_pool *pool, const isolab_history *h, iso_rng *rng, char **text, size_t *size) {
    size_t n;
    char *all = iso_save_text(pool, h, iso_format_find("jsonl"), &n), *at = all;
    char **line = ISO_NEW(pool, char *, h->n_txns);
    if (strncmp(all, "{\"isolab\"", 9) == 0) {
        at = strchr(all, '\n') + 1;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        line[t] = at;
        at = strchr(at, '\n') + 1;
    }
    uint32_t *next = ISO_NEW(pool, uint32_t, h->n_sessions), rest = h->n_txns;
    memcpy(next, h->session_txn, h->n_sessions * sizeof *next);
    char *out = *text = iso_alloc(pool, n + 300, 1);
    out += sprintf(out, "{\"isolab\":1,\"recording\":\"%s\",\"initial_transaction\":false}\n",
                   h->twin_b == ISO_NONE ? "unique" : "begun");
    size_t head = (size_t)(out - *text);
    while (rest > 0) {
        uint32_t s = (uint32_t)iso_random_below(rng, h->n_sessions);
        if (next[s] < h->session_txn[s + 1]) {
            const char *from = line[next[s]++];
            size_t length = (size_t)(strchr(from, '\n') + 1 - from);
            memcpy(out, from, length);
            out += length;
            rest--;
        }
    }
    memcpy(out, mark, sizeof mark);
    *size = (size_t)(out - *text) + sizeof mark - 1;
    return head;
}

typedef struct loading {
    iso_pool *pool;
    const char *text;
    size_t size;
    const isolab_history *h;
} loading;

static void load(void *arg) {
    loading *l = arg;
    l->h = iso_load_bytes(l->pool, l->text, l->size, iso_format_find("jsonl"));
}

static isolab_verdict verdict(const isolab_history *h, iso_level level) {
    iso_result result = {.verdict = ISOLAB_UNKNOWN};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    result.pool = &pool;
    iso_question question = {.level = level, .limit = 1};
    iso_check(iso_checker_find("brute"), h, &question, &result);
    isolab_verdict v = result.verdict;
    iso_pool_free(&pool);
    return v;
}

/* Compares a cut recording with the whole one at every level. */
static void compare(iso_pool *pool, const isolab_verdict *whole, const char *text, size_t size, counts *c) {
    loading cut = {pool, text, size, NULL};
    if (iso_guard(&env, load, &cut) != ISOLAB_OK) {
        c->unread++;
        return;
    }
    /* The same lines with an end mark: what the rule is for. */
    const char *last = memrchr(text, '\n', size);
    size_t lines = (size_t)(last + 1 - text);
    char *ended = iso_alloc(pool, lines + sizeof mark, 1);
    memcpy(ended, text, lines);
    memcpy(ended + lines, mark, sizeof mark);
    loading judged = {pool, ended, lines + sizeof mark - 1, NULL};
    load(&judged);
    c->cuts++;
    c->wrong_ends += cut.h->torn == ISO_WHOLE || judged.h->torn != ISO_WHOLE || judged.h->n_txns != cut.h->n_txns ||
                     judged.h->n_ops != cut.h->n_ops + cut.h->torn_reads;
    for (int l = 0; l < iso_n_levels; l++) {
        isolab_verdict v = verdict(cut.h, (iso_level)l);
        c->violated += v == ISOLAB_VIOLATED && whole[l] == ISOLAB_VIOLATED;
        if (whole[l] == ISOLAB_SATISFIED && v != ISOLAB_SATISFIED) {
            c->false_ones++;
            diag("level %s is satisfied by the whole and not by the first %zu bytes:\n%s", iso_level_get(l)->name, size,
                 text);
        }
        c->needed += whole[l] == ISOLAB_SATISFIED && verdict(judged.h, (iso_level)l) == ISOLAB_VIOLATED;
    }
}

static void try_one(uint64_t seed, counts *c) {
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_rng rng = {seed};
    iso_small_shape shape = {.txns = 5,
                             .ops = 4,
                             .keys = 3,
                             .sessions = 3,
                             .aborted = true,
                             .indeterminate = true,
                             .times = seed % 2 == 0,
                             .lists = seed % 3 == 0,
                             .duplicates = seed % 5 < 2,
                             .negations = seed % 7 == 1};
    const isolab_history *h = iso_random_small(&pool, seed, &shape);
    char *text;
    size_t size, head = write_recording(&pool, h, &rng, &text, &size);
    loading whole = {&pool, text, size, NULL};
    load(&whole);
    isolab_verdict of[ISO_MOST_LEVELS];
    for (int l = 0; l < iso_n_levels; l++) {
        of[l] = verdict(whole.h, (iso_level)l);
    }
    c->wrong_ends += whole.h->torn != ISO_WHOLE;
    loading bare = {&pool, text, size - 1, NULL}; /* the end mark without its newline is whole */
    load(&bare);
    c->wrong_ends += bare.h->torn != ISO_WHOLE;
    for (size_t n = head; n < size - sizeof mark + 1; n++) {
        if (text[n - 1] == '\n' || iso_random_below(&rng, 40) == 0) {
            char *prefix = iso_copy_text(&pool, text, n);
            compare(&pool, of, prefix, n, c);
        }
    }
    iso_pool_free(&pool);
}

static void tests(void *pool) {
    (void)pool;
    uint64_t rounds = iso_agree_rounds(150, 1000, 20000), first = seed_or(1);
    counts c = {0};
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        try_one(seed, &c);
    }
    diag("seed %llu: %llu cuts, %llu verdicts by the cut alone, %llu violations found nevertheless",
         (unsigned long long)first, (unsigned long long)c.cuts, (unsigned long long)c.needed,
         (unsigned long long)c.violated);
    ok(c.false_ones == 0 && c.cuts > 0, "no cut violates a level that the whole recording satisfies");
    ok(c.needed > 0, "without the rule some would");
    ok(c.violated > 0, "violations of the rest are still found");
    ok(c.wrong_ends == 0, "torn is exactly what lacks the end mark");
    ok(c.unread == 0, "a cut line is no malformed input");
}

int main(void) { return run_guarded(&env, tests); }
