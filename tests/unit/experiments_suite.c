/* Tests experiments/runner/suite.h. Suites: the settings that are read, and the message of every kind of mistake. */
#include "experiments/runner/suite.h"

#include <string.h>

#include "experiments/runner/instance.h"
#include "tests/tap.h"

typedef struct expansion {
    iso_pool *pool;
    const char *text, *scale;
    iso_suite *suite;
    iso_instances all;
} expansion;

static void parse(void *arg) {
    expansion *e = arg;
    iso_lab_table table = {NULL, NULL};
    iso_lab lab = {.pool = e->pool, .own = "isolab", .program = "isolab", .work = "work", .table = &table};
    e->suite = iso_suite_parse(e->pool, "name", ".", e->scale, e->text, strlen(e->text));
    e->all = iso_instances_of(&lab, e->suite);
}

static void wrong(iso_pool *pool, const char *text, unsigned line, const char *message) {
    expansion e = {.pool = pool, .text = text};
    int code = iso_guard(pool->env, parse, &e);
    cmp_ok(code, "==", ISOLAB_E_INPUT, "refused: %s", message);
    cmp_ok((int64_t)pool->env->error.line, "==", line, "the error names line %d of the suite", (int)line);
    like(pool->env->error.message, message, "the error of a wrong suite");
}

#define GOOD "levels: rc\ncheckers: awdit\n"

static void test_errors(iso_pool *pool) {
    wrong(pool, "", 1, "at least one `history:`");
    wrong(pool, "levels rc\n", 1, "KEY: VALUE");
    wrong(pool, "\nlevels: rc nonsense\n", 2, "nonsense");
    wrong(pool, "levels: repeatable-read\n", 1, "different levels in different databases");
    wrong(pool, "repeat: 0\n", 1, "from 1 to 1000, found \"0\"");
    wrong(pool, "repeat: -1\n", 1, "from 1 to 1000");
    wrong(pool, "repeat: 99999999999999999999\n", 1, "from 1 to 1000");
    wrong(pool, "timeout: soon\n", 1, "a time such as");
    wrong(pool, "timeout: 5x\n", 1, "a time such as");
    wrong(pool, "timeout: nan\n", 1, "a time such as");
    wrong(pool, "memory: 4Q\n", 1, "a size such as");
    wrong(pool, "memory: 99999999999999G\n", 1, "a size such as");
    wrong(pool, "expect: rc\n", 1, "satisfied or violated");
    wrong(pool, "expect: rc maybe\n", 1, "satisfied or violated");
    wrong(pool, "colour: blue\n", 1, "found \"colour\"");
    wrong(pool, "format:\n", 1, "a value after the colon");
    wrong(pool, "generate: random\n", 1, "`history:` before");
    wrong(pool, "vary: n 1\n", 1, "`history:` before");
    wrong(pool, "checker: x awdit\n", 1, "LABEL = CHECKER");
    wrong(pool, "checker: x = a\nchecker: x = b\n", 2, "not taken");
    wrong(pool, "history:\n", 1, "a name");
    wrong(pool, GOOD "history: a\n generate: random\nhistory: a\n reduce: sat\n", 5, "two histories called");
    wrong(pool, "published-repeat: 0\n", 1, "from 1 to 1000, found \"0\"");
    wrong(pool, "published-timeout: soon\n", 1, "a time such as");
    wrong(pool, GOOD "history: a\n# nothing\n", 3, "expected a line `files:`");
    wrong(pool, "history: a\n generate: random\n", 1, "expected a line `levels:`");
    wrong(pool, "levels: rc\nhistory: a\n generate: random\n", 2, "expected a line `checkers:`");
    wrong(pool, GOOD "history: a\n generate: random\n reduce: sat\n", 5, "one source");
    wrong(pool, GOOD "history: a\n generate: random {n}\n", 3, "nothing varies \\{n\\}");
    wrong(pool, GOOD "history: a\n generate: random\n vary: n,m 1,2 3\n", 5, "as many values as names");
    wrong(pool, GOOD "history: a\n generate: random\n vary: n 5..1\n", 5, "a range that goes up");
    wrong(pool, GOOD "history: a\n generate: random\n vary: n 1..999999999\n", 5, "a range that goes up");
    wrong(pool, GOOD "history: a\n generate: random\n vary: {} 1\n", 5, "a name of letters");
    wrong(pool, GOOD "history: a{n}\n generate: x\n vary: n 1 1\n", 3, "two histories called");
    wrong(pool, GOOD "history: a\n files: no-such-file-*\n", 3, "no file fits");
}

/* Blocks of one name are one family. */
static void test_family(iso_pool *pool) {
    expansion e = {.pool = pool,
                   .text = GOOD "history: a\n generate: random --txns {n}\n vary: n 1 2\n"
                                "history: a\n generate: random --txns {n}\n vary: n 3\n checkers: plume"};
    cmp_ok(iso_guard(pool->env, parse, &e), "==", ISOLAB_OK, "two blocks of one name");
    cmp_ok((int64_t)e.all.n, "==", 3, "have the histories of both");
    is(e.all.at[0].family, e.all.at[2].family, "and are one family");
    is(e.all.at[2].block->settings.checkers.at[0], "plume", "with settings of their own");
}

static void test_meaning(iso_pool *pool) {
    expansion e = {.pool = pool,
                   .text = "suite: all of it # a comment\n"
                           "levels: rc, PL-3\n"
                           "checkers: awdit plain\n"
                           "checker: plain = awdit --option x=1\n"
                           "timeout: 2m\nmemory: 3G\nrepeat: 7\n"
                           "\n"
                           "history: w-{n}\n"
                           "  generate: random --txns {n} --keys {k} --seed {seed}\n"
                           "  vary: n,k 1k,10 2k,20\n"
                           "  vary: seed 3..5\n"
                           "  repeat: 2\n"
                           "  expect: rc satisfied, ser violated\n"
                           "history: {shape}-{n}\n"
                           "  generate: random --txns {n}\n"
                           "  vary: shape wide deep\n"
                           "  vary: n 1 2\n"
                           "history: none\n"
                           "  files: no-such-file-*\n"
                           "  optional: yes\n"
                           "history: fixed#1\n"
                           "  reduce: triangle"};
    cmp_ok(iso_guard(pool->env, parse, &e), "==", ISOLAB_OK, "a whole suite");
    is(e.suite->title, "all of it", "a suite has its title");
    cmp_ok((int64_t)e.suite->n_blocks, "==", 4, "the suite has four blocks");
    const iso_suite_settings *s = &e.suite->blocks[0].settings;
    is(s->levels.at[1], "ser", "aliases of levels");
    is(e.suite->contenders[0].words.at[2], "x=1", "options of a contender");
    ok(s->timeout > 119.9 && s->timeout < 120.1 && s->memory == 3ull << 30, "limits with units");
    cmp_ok((int64_t)s->repeat, "==", 2, "a block has its own settings");
    cmp_ok((int64_t)e.suite->blocks[3].settings.repeat, "==", 7, "and leaves the repetitions of the others alone");
    cmp_ok((int64_t)e.all.n, "==", 11, "two times three histories, two times two, and one");
    cmp_ok((int64_t)e.all.skipped, "==", 1, "an optional one is skipped");
    is(e.all.at[0].name, "w-1k,k=10,seed=3", "the name says what varies");
    is(e.all.at[5].name, "w-2k,k=20,seed=5", "and the last");
    is(e.all.at[0].family, "w", "the family does not");
    is(e.all.at[5].parameters, "{\"n\":2000.0,\"k\":20.0,\"seed\":5.0}", "numbers as numbers");
    is(e.all.at[5].source, "generate random --txns 2k --keys 20 --seed 5", "the command is filled in");
    is(e.all.at[9].family, "deep", "a word at the begin belongs to the family");
    is(e.all.at[10].name, "fixed#1", "# inside a word is no comment");
}

static void test_scales(iso_pool *pool) {
    static const char text[] = GOOD "repeat: 5\n[smoke] repeat: 1\n"
                                    "history: a\n generate: random --txns {n} --seed {seed}\n"
                                    " [full] generate: random --txns {n} --ops 400 --seed {seed}\n"
                                    " vary: n 1k 2k\n vary: seed 1..2\n [smoke] vary: n 10\n [full] vary: n 1M 2M 4M\n"
                                    " certificates: no\n [full] certificates: yes\n";
    expansion plain = {.pool = pool, .text = text}, smoke = plain, full = plain;
    smoke.scale = "smoke";
    full.scale = "full";
    ok(iso_guard(pool->env, parse, &plain) == 0 && iso_guard(pool->env, parse, &smoke) == 0 &&
           iso_guard(pool->env, parse, &full) == 0,
       "a suite with scales");
    cmp_ok((int64_t)plain.all.n, "==", 4, "without a scale its lines are left out");
    cmp_ok((int64_t)smoke.all.n, "==", 2, "smoke replaces one variation");
    cmp_ok((int64_t)full.all.n, "==", 6, "full replaces it by a longer one");
    cmp_ok((int64_t)smoke.suite->blocks[0].settings.repeat, "==", 1, "a scale also replaces settings");
    cmp_ok((int64_t)full.suite->blocks[0].settings.repeat, "==", 5, "which others do not see");
    is(full.all.at[0].source, "generate random --txns 1M --ops 400 --seed 1", "and the source");
    ok(plain.suite->blocks[0].settings.unproved && !full.suite->blocks[0].settings.unproved,
       "a scale replaces the wish for certificates, too");
    wrong(pool, "[tiny] repeat: 1\n", 1, "\\[smoke\\], \\[paper\\] or \\[full\\], found");
    wrong(pool, "[smoke repeat: 1\n", 1, "\\[smoke\\]");
}

int main(void) {
    iso_env env;
    iso_pool pool;
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    test_errors(&pool);
    test_family(&pool);
    test_meaning(&pool);
    test_scales(&pool);
    iso_pool_free(&pool);
    return done_testing();
}
