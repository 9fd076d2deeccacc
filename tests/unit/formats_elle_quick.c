/* Tests formats/elle_quick.c. The quick readers must not change what is read: for every input, the reader of all of EDN
 * alone gives the same history, or the same error at the same place. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "base/random.h"
#include "formats/elle.h"
#include "tests/equal.h"
#include "tests/parse.h"
#include "tests/random_history.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "tests/tap.h"

extern const iso_format iso_format_elle;

/* Another function than iso_elle_next_edn(), so the quick readers are not asked. */
static void next_slowly(iso_elle_lexer *l, iso_elle_token *t) { iso_elle_next_edn(l, t); }
static isolab_history *read_slowly(iso_source *source) { return iso_elle_read(source, next_slowly, false); }
static const iso_format slow = {.name = "elle, slowly", .read = read_slowly};

static unsigned n_good, n_bad;

static bool same_places(const isolab_history *a, const isolab_history *b) {
    size_t n = a->n_txns * sizeof *a->txn_line;
    return (a->txn_line == NULL) == (b->txn_line == NULL) && (a->txn_index == NULL) == (b->txn_index == NULL) &&
           (a->txn_line == NULL || memcmp(a->txn_line, b->txn_line, n) == 0) &&
           (a->txn_index == NULL || memcmp(a->txn_index, b->txn_index, n) == 0) && a->first_txn == b->first_txn;
}

static bool same(iso_env *env, const char *bytes, size_t size) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    parsing quickly = {.pool = &pool, .format = &iso_format_elle, .bytes = bytes, .size = size}, slowly = quickly;
    slowly.format = &slow;
    int code = parse_bytes(&quickly);
    isolab_error first = env->error;
    int other = parse_bytes(&slowly);
    const isolab_error *second = &env->error;
    char difference[200] = "";
    bool equal = code == other;
    if (equal && code == ISOLAB_OK) {
        equal =
            iso_history_equal(quickly.h, slowly.h, difference, sizeof difference) && same_places(quickly.h, slowly.h);
        n_good++;
    } else if (equal) {
        equal =
            first.line == second->line && first.offset == second->offset && strcmp(first.message, second->message) == 0;
        n_bad++;
    }
    if (!equal) {
        diag("quickly: %d, line %" PRIu64 ", offset %" PRIu64 ", %s", code, first.line, first.offset, first.message);
        diag("slowly: %d, line %" PRIu64 ", offset %" PRIu64 ", %s; %s", other, second->line, second->offset,
             second->message, difference);
        diag("of: %.*s", (int)size, bytes);
    }
    iso_pool_free(&pool);
    return equal;
}

/* What is put into logs, at every place. */
static const char *const pieces[] = {
    "",
    " ",
    ",",
    "\n",
    "\t",
    "\f",
    "0",
    "00",
    "7",
    "123456789012345678",
    "-",
    "-1",
    "+5",
    "1.5",
    "12N",
    "nil",
    "nil ",
    "true",
    ":",
    ":k",
    ": ",
    "::",
    "[",
    "]",
    "[]",
    "[ ]",
    "[1 2]",
    "[[",
    "]]",
    "{",
    "}",
    "{}",
    "(",
    ")",
    "\"",
    "\"s\"",
    "\\",
    "\\a",
    "#",
    "#_",
    "#t ",
    "#{",
    ";",
    "; c\n",
    "\x7f",
    "\x80",
    "\xc3\xa9",
    "~",
    "'",
    "/",
    " :f ",
    " :f :r",
    ":type",
    ":type :ok",
    ":value [[:r 1 2]]",
    ":process 9 ",
    ":time 3 ",
    ":index ",
    ":error [:a \"b\"]",
    ":error :a ",
    ":value[[:w 9 9]]",
    "[:r 5 nil]",
    "[:append 6 :x]",
    "[:w :k 4]",
    "[:r 1]",
    "12345678",
    "99999999999999999999",
};

static const char *const logs[] = {
    "{:index 0, :type :invoke, :process 4, :time 13, :f :txn, :value [[:append 0 1] [:r 4 nil]]}\n"
    "{:index 1, :type :ok, :process 4, :time 4560, :f :txn, :value [[:append 0 1] [:r 4 [1 12345678 1234567890]]]}\n",
    "#jepsen.history.Op{:index 0, :time 12, :type :info, :process 1, :f :txn, :value [[:w :x 2] [:r y nil]]}\n"
    "#jepsen.history.Op{:index 1, :time 13, :type :ok, :process 0, :f :txn, :value [[:r :x 2] [:w :y nil]]}\n",
    "[{:type :ok, :f :read, :value [3 4], :process 1} {:type :fail, :f :write, :process 2, :value [3 nil]}]",
    "{:type :invoke, :f :write, :value 7, :process 0, :error :timed-out}\n{:process :nemesis, :type :info, :f :kill}\n"
    "{:type :info, :f :write, :value 7, :process 0, :error [\"no\" 3]}\n",
};

/* Every piece, put in or instead of a byte, at every place of every log. */
static void damage(iso_env *env) {
    static char text[1024];
    for (size_t l = 0; l < sizeof logs / sizeof *logs; l++) {
        size_t size = strlen(logs[l]), step = getenv("ISOLAB_QUICK") != NULL ? 3 : 1;
        bool good = same(env, logs[l], size);
        for (size_t at = 0; good && at <= size; at += step) {
            for (size_t i = 0; good && i < 2 * (sizeof pieces / sizeof *pieces); i++) {
                const char *piece = pieces[i / 2];
                size_t n = strlen(piece), from = at + (i % 2 && at < size);
                memcpy(text, logs[l], at);
                memcpy(text + at, piece, n);
                memcpy(text + at + n, logs[l] + from, size - from);
                good = same(env, text, size - from + at + n);
            }
        }
        for (size_t at = 0; good && at < size; at++) {
            good = same(env, logs[l], at);
        }
        ok(good, "log %zu: the same history or error for every piece at every place", l);
    }
}

/* Random histories as isolab writes them, changed at a few places. */
static void random_logs(iso_env *env) {
    iso_rng rng = {seed_of_run()};
    uint64_t seed = rng.state;
    unsigned rounds = raw_rounds(500, 4000, 1000000);
    bool good = true;
    for (unsigned i = 0; good && i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        isolab_history *h = i % 2 == 0 ? random_history(&pool, &rng, (unsigned)iso_random(&rng) & (HAS_NEGATIONS - 1))
                                       : raw_small(&pool, &rng, RAW_TXNS, RAW_OPS);
        char *text = NULL;
        size_t size = 0;
        iso_sink sink = {.pool = &pool, .path = "memory", .out = open_memstream(&text, &size)};
        iso_elle_write(h, &sink, ISO_ELLE_EDN);
        fclose(sink.out);
        good = same(env, text, size);
        for (unsigned change = 0; good && size > 0 && change < 4; change++) {
            const char *piece = pieces[iso_random_below(&rng, sizeof pieces / sizeof *pieces)];
            size_t at = iso_random_below(&rng, size), n = strlen(piece);
            text[at] = n > 0 ? piece[0] : (char)iso_random(&rng);
            good = same(env, text, size);
        }
        free(text);
        iso_pool_free(&pool);
    }
    ok(good, "%u random logs, ISOLAB_SEED=%" PRIu64, rounds, seed);
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    damage(&env);
    random_logs(&env);
    ok(n_good > 1000 && n_bad > 1000, "%u histories and %u errors were compared", n_good, n_bad);
    cmp_ok(env.limits->used, "==", 0, "all memory was given back");
    return done_testing();
}
