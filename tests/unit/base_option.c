/* base/option.h and base/args.h: what texts mean, what is refused and how, and values that are kept by name. */
#include "base/args.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

typedef struct values {
    bool flag, fixed;
    uint64_t count, large, size;
    double share;
    int64_t time;
    const char *word, *text;
} values;

static const iso_option table[] = {{ISO_FLAG("flag", "yes", "on or off"), ISO_TO(values, flag)},
                                   {ISO_FLAG("fixed", "yes", "always on"), .words = "yes", ISO_TO(values, fixed)},
                                   {ISO_COUNT("count", "7", 1, 100, "a small number"), ISO_TO(values, count)},
                                   {ISO_COUNT("large", NULL, 2, ISO_ANY, "a number"), ISO_TO(values, large)},
                                   {ISO_SIZE("size", "1K", 1, "bytes"), ISO_TO(values, size)},
                                   {ISO_REAL("share", "50%", 0, 1, "a share"), ISO_TO(values, share)},
                                   {ISO_SECONDS("time", NULL, "a time"), ISO_TO(values, time)},
                                   {ISO_WORD("word", "b", "a b cd", "a word"), ISO_TO(values, word)},
                                   {ISO_TEXT("text", "", "anything"), ISO_TO(values, text)},
                                   ISO_END};

static const iso_option *row(const char *name) { return iso_option_find(table, name, strlen(name)); }

static void numbers(void) {
    static const struct {
        const char *text;
        uint64_t count; /* 0: it is none */
    } counts[] = {{"1", 1},
                  {"18446744073709551615", UINT64_MAX},
                  {"1e6", 1000000},
                  {"10k", 10000},
                  {"2M", 2000000},
                  {"1.5k", 1500},
                  {"18446744073709551616", 0},
                  {"", 0},
                  {"-1", 0},
                  {"+1", 0},
                  {" 1", 0},
                  {"1 ", 0},
                  {"1.5", 0},
                  {"0x10", 0},
                  {"1e", 0},
                  {"1kk", 0},
                  {"1e30", 0},
                  {"nan", 0},
                  {"many", 0}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t n = 0;
        bool good = iso_count_of(counts[i].text, &n);
        ok(good == (counts[i].count != 0) && n == counts[i].count, "\"%s\" as a whole number", counts[i].text);
    }
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: it is none */
    } sizes[] = {{"1", 1},         {"2K", 2048},    {"2k", 2048},
                 {"3M", 3 << 20},  {"1G", 1 << 30}, {"16777215T", 0xffffffull << 40},
                 {"16777216T", 0}, {"1Q", 0},       {"1KB", 0},
                 {"", 0},          {"-1", 0},       {"1.5G", 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t n = 0;
        bool good = iso_bytes_of(sizes[i].text, &n);
        ok(good == (sizes[i].bytes != 0) && n == sizes[i].bytes, "\"%s\" as a size", sizes[i].text);
    }
    double x = 0;
    ok(iso_real_of("0.25", &x) && x == 0.25 && iso_real_of("25%", &x) && x == 0.25, "0.25 and 25%% are the same share");
    ok(!iso_real_of("inf", &x) && !iso_real_of("nan", &x) && !iso_real_of("", &x) && !iso_real_of("1%%", &x) &&
           x == 0.25,
       "what is no number leaves the value as it was");
    int64_t ns = 0;
    ok(iso_seconds_of("1.5", &ns) && ns >= 1500000000 && ns < 1500000010, "a number without a unit is seconds");
    ok(iso_seconds_of("30s", &ns) && ns / 1000000000 == 30, "30s is thirty seconds");
    ok(iso_seconds_of("5m", &ns) && ns / 1000000000 == 300, "5m is five minutes");
    ok(iso_seconds_of("0.5h", &ns) && ns / 1000000000 == 1800, "0.5h is half an hour");
    ok(iso_seconds_of("250ms", &ns) && ns / 1000000 == 250, "250ms is a quarter of a second");
    ok(!iso_seconds_of("0", &ns) && !iso_seconds_of("-1", &ns) && !iso_seconds_of("nan", &ns) &&
           !iso_seconds_of("1 s", &ns) && !iso_seconds_of("1e10", &ns) && !iso_seconds_of("1e9m", &ns) &&
           !iso_seconds_of("s", &ns) && !iso_seconds_of("5x", &ns),
       "what is no time");
}

/* A refused value changes nothing, and the message says what was expected. */
static void refusals(void) {
    static const struct {
        const char *name, *text, *why;
    } wrong[] = {
        {"flag", "maybe", "expected yes or no, found \"maybe\""},
        {"fixed", "no", "expected yes, found \"no\""},
        {"count", "0", "expected a whole number from 1 to 100, found \"0\""},
        {"count", "101", "expected a whole number from 1 to 100, found \"101\""},
        {"large", "1", "expected a whole number of at least 2, found \"1\""},
        {"size", "0", "expected a size such as 512M, found \"0\""},
        {"share", "1.01", "expected a number from 0 to 1, found \"1.01\""},
        {"time", "soon", "expected a time such as 30, 30s, 5m or 1h, found \"soon\""},
        {"word", "c", "expected one of a b cd, found \"c\""},
        {"word", "", "expected one of a b cd, found \"\""},
        {"word", "a b", "expected one of a b cd, found \"a b\""},
    };
    values v = {.time = 0}, before;
    iso_option_defaults(table, &v);
    memcpy(&before, &v, sizeof v);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char why[128];
        ok(!iso_option_set(row(wrong[i].name), wrong[i].text, &v, why, sizeof why), "%s is not %s", wrong[i].name,
           wrong[i].text);
        is(why, wrong[i].why, "and the message says so");
    }
    ok(memcmp(&v, &before, sizeof v) == 0, "nothing has changed");
}

static void read_pairs(void *arg) {
    void **a = arg;
    iso_options_read(a[0], table, a[1], a[2]);
}

static void fields(iso_env *env) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    values v = {.large = 99, .time = 5};
    char given[] = "flag=no,count=1e2,word=cd,other=1,text=x=y,size=2M";
    ok(iso_guard(env, read_pairs, (void *[]){&pool, given, &v}) == ISOLAB_OK, "pairs are read");
    memset(given, '!', sizeof given - 1);
    ok(!v.flag && v.fixed && v.count == 100 && v.size == 2 << 20, "values that were given");
    ok(strcmp(v.word, "cd") == 0 && strcmp(v.text, "x=y") == 0, "texts are copies");
    ok(v.share == 0.5, "defaults of the others");
    ok(v.large == 99 && v.time == 5, "and what has no default is as it was");
    ok(iso_guard(env, read_pairs, (void *[]){&pool, "count", &v}) == ISOLAB_E_USAGE, "a pair without a value");
    is(env->error.message, "option count: expected a whole number from 1 to 100, found \"\"",
       "an empty number is refused");
    iso_pool_free(&pool);
}

static void descriptions(void) {
    char buffer[128];
    static const char *const values_of[] = {"yes|no", "yes", "1..100", "2..", "", "0..1", "", "a|b|cd", ""};
    static const char *const notes[] = {"",
                                        "",
                                        " (default: 7; 1..100)",
                                        " (2..)",
                                        " (default: 1K)",
                                        " (default: 50%; 0..1)",
                                        "",
                                        " (default: b)",
                                        " (default: none)"};
    static const char *const arguments[] = {NULL, NULL, "N", "N", "SIZE", "X", "S", "WORD", "TEXT"};
    for (size_t i = 0; table[i].name != NULL; i++) {
        is(iso_option_values(&table[i], buffer, sizeof buffer), values_of[i], "what %s takes", table[i].name);
        is(iso_option_note(&table[i], true, buffer, sizeof buffer), notes[i], "what help says of %s", table[i].name);
        const char *argument = iso_option_argument(&table[i]);
        is(argument != NULL ? argument : "", arguments[i] != NULL ? arguments[i] : "", "and calls it");
    }
    is(iso_option_note(&table[0], false, buffer, sizeof buffer), " (default: yes)", "the default of a flag in a list");
}

static const iso_option hiding[] = {{ISO_COUNT("count", "3", 0, 5, "hides the other")}, ISO_END};

static void set_count(void *arg) { iso_args_set(arg, "count", "6"); }
static void set_nothing(void *arg) { iso_args_set(arg, "nothing", "6"); }
static void refuse_unread(void *arg) { iso_args_refuse_unread(arg); }

static void count_names(void *arg, const iso_option *o) {
    (void)o;
    ++*(int *)arg;
}

static void by_name(iso_env *env) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    iso_args args;
    iso_args_init(&args, &pool, "thing", (const iso_option *const[]){hiding, table, NULL, NULL});
    args.strict = true;
    int n = 0;
    iso_args_each(&args, count_names, &n);
    cmp_ok(n, "==", 9, "an option that is hidden is not shown");
    cmp_ok((int64_t)iso_arg_count(&args, "count"), "==", 3, "a hidden option can be read, with its default");
    ok(iso_guard(env, set_count, &args) == ISOLAB_E_USAGE, "its range is not that of the other");
    is(env->error.message, "--count: expected a whole number from 0 to 5, found \"6\"", "as the message says");
    ok(iso_guard(env, set_nothing, &args) == ISOLAB_E_USAGE, "a name that is in no table");
    is(env->error.message, "--nothing: thing has no such option", "an option that does not exist is refused");
    iso_args_set(&args, "share", "25%");
    iso_args_default(&args, "share", "1");
    iso_args_default(&args, "word", "a");
    ok(iso_guard(env, refuse_unread, &args) == ISOLAB_E_USAGE, "a value that no one asks for");
    is(env->error.message, "--share has no effect on what the other options of thing ask for",
       "an option without effect is refused");
    ok(iso_arg_real(&args, "share") == 0.25, "a default does not replace it");
    ok(iso_arg_is(&args, "word", "a"), "but the default of the table");
    ok(iso_guard(env, refuse_unread, &args) == ISOLAB_OK, "then all is read");
    iso_pool_free(&pool);
}

int main(void) {
    iso_env env;
    iso_env_init(&env);
    numbers();
    refusals();
    fields(&env);
    descriptions();
    by_name(&env);
    return done_testing();
}
