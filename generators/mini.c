/* Mini-transactions: at most two reads and two writes, and every write follows a read of the same key
 * (mtc-appendix.txt). These are all shapes, up to the names of the keys. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

/* r, R: read the first or the second key; w, W: write it. */
#define NAMES "r rR rw rwR rRw rRW rRwW rRWw rwRW"
static const char *const shapes[] = {"r", "rR", "rw", "rwR", "rRw", "rRW", "rRwW", "rRWw", "rwRW"};
#define SHAPES (sizeof shapes / sizeof *shapes)

typedef struct settings {
    iso_distribution keys;
    uint64_t values;
    double readers;
    double up_to[SHAPES]; /* --shapes: sum of the shares of a shape and all shapes before it; last one 0: not given */
} settings;

static const char *choose(const settings *s, iso_rng *rng) {
    if (s->up_to[SHAPES - 1] > 0) {
        double at = iso_random_unit(rng) * s->up_to[SHAPES - 1];
        size_t i = 0;
        while (i + 1 < SHAPES && at >= s->up_to[i]) {
            i++;
        }
        return shapes[i];
    }
    bool reader = iso_random_unit(rng) < s->readers;
    return shapes[reader ? iso_random_below(rng, 2) : 2 + iso_random_below(rng, SHAPES - 2)];
}

/* Parses shares such as `rw=3,rR=1`. */
static void read_shares(iso_args *args, settings *s) {
    const char *text = iso_arg_text(args, "shapes");
    double share[SHAPES] = {0}, sum = 0;
    iso_pair pair;
    while (iso_pair_next(&text, &pair)) {
        size_t i = 0;
        while (i < SHAPES &&
               (strlen(shapes[i]) != pair.name_size || strncmp(shapes[i], pair.name, pair.name_size) != 0)) {
            i++;
        }
        if (i == SHAPES) {
            iso_throw(args->pool->env, ISOLAB_E_USAGE, "--shapes: expected one of " NAMES ", found \"%.*s\"",
                      (int)pair.name_size, pair.name);
        }
        char value[32], why[128];
        snprintf(value, sizeof value, "%.*s", (int)pair.value_size, pair.value);
        static const iso_option number = {ISO_REAL("share", NULL, 0, 1e9, "a share")};
        if (!iso_option_set(&number, value, &share[i], why, sizeof why)) {
            iso_throw(args->pool->env, ISOLAB_E_USAGE, "--shapes: %s: %s", shapes[i], why);
        }
    }
    for (size_t i = 0; i < SHAPES; i++) {
        s->up_to[i] = sum += share[i];
    }
    if (sum <= 0) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--shapes: expected a share of more than 0, such as rw=3,rR=1");
    }
}

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const settings *s = state;
    (void)session;
    const char *shape = choose(s, rng);
    uint32_t first = (uint32_t)iso_draw(&s->keys, rng), second = (uint32_t)iso_draw(&s->keys, rng);
    if (second == first) {
        second = (uint32_t)((first + 1) % s->keys.n);
    }
    for (const char *op = shape; *op != '\0'; op++) {
        uint32_t key = *op == 'r' || *op == 'w' ? first : second;
        if (*op == 'r' || *op == 'R') {
            iso_program_read(program, key);
        } else {
            iso_program_op(program, ISO_WRITE, key,
                           s->values == 0 ? ISO_FRESH : 1 + (int64_t)iso_random_below(rng, s->values));
        }
    }
}

static void workload(iso_args *args, iso_workload *out) {
    settings *s = ISO_NEW(args->pool, settings, 1);
    *s = (settings){.values = iso_arg_count(args, "values"), .readers = iso_arg_real(args, "readers")};
    iso_distribution_refuse(args);
    iso_args_refuse(args, iso_arg_given(args, "shapes"), "readers", "is a share of shapes, which --shapes gives");
    if (iso_arg_given(args, "shapes")) {
        read_shares(args, s);
    }
    iso_distribution_init(&s->keys, args->pool, iso_arg_text(args, "distribution"), iso_arg_count(args, "keys"),
                          iso_arg_real(args, "skew"));
    *out = (iso_workload){.n_keys = s->keys.n,
                          .reserved = (int64_t)s->values,
                          .repeats = s->values > 0,
                          .updates = true,
                          .state = s,
                          .next = next};
}

static const iso_option options[] = {
    {ISO_COUNT("keys", "1000", 2, 1e8, "keys")},
    {ISO_REAL("readers", "0.3", 0, 1, "share of transactions that only read")},
    {ISO_LIST("shapes", NULL,
              "shares of " NAMES " (capitals are of a second key), such as rw=3,rR=1; by default all alike"),
     .argument = "SHAPE=SHARE"},
    {ISO_WORD("distribution", "uniform", ISO_DISTRIBUTIONS, "how keys are chosen")},
    {ISO_REAL("skew", "0.99", 0, 10, "exponent of zipfian and exponential keys")},
    {ISO_COUNT("values", "0", 0, 1e9, "values that repeat; 0: all values are unique")},
    ISO_END};

const iso_generator iso_generator_mini = {
    .name = "mini",
    .summary = "mini-transactions: at most two reads and two writes, each write after a read of its key",
    .paper = "mtc-appendix.txt",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
