/* Mini-transactions: at most two reads and two writes, and every write follows a read of the same key
 * (mtc-appendix.txt). The shapes are all there are up to the names of the keys. */
#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

/* r, R: read the first, second key; w, W: write it. */
static const char *const shapes[] = {"r", "rR", "rw", "rwR", "rRw", "rRW", "rRwW", "rRWw", "rwRW"};
#define SHAPES (sizeof shapes / sizeof *shapes)

typedef struct work {
    iso_distribution keys;
    uint64_t values;
    double readers;
} work;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const work *w = state;
    (void)session;
    bool reader = iso_random_unit(rng) < w->readers;
    const char *shape = shapes[reader ? iso_random_below(rng, 2) : 2 + iso_random_below(rng, SHAPES - 2)];
    uint32_t first = (uint32_t)iso_draw(&w->keys, rng), second = (uint32_t)iso_draw(&w->keys, rng);
    if (second == first) {
        second = (uint32_t)((first + 1) % w->keys.n);
    }
    for (const char *op = shape; *op != '\0'; op++) {
        uint32_t key = *op == 'r' || *op == 'w' ? first : second;
        if (*op == 'r' || *op == 'R') {
            iso_ask_read(program, key);
        } else {
            iso_ask(program, ISO_WRITE, key,
                    w->values == 0 ? ISO_FRESH : 1 + (int64_t)iso_random_below(rng, w->values));
        }
    }
}

static void run(iso_args *args, iso_builder *b) {
    work w = {.values = iso_arg_int(args, "values"), .readers = iso_arg_real(args, "readers")};
    iso_distribution_refuse(args);
    iso_distribution_init(&w.keys, args->pool, iso_arg_text(args, "distribution"), iso_arg_int(args, "keys"),
                          iso_arg_real(args, "skew"));
    iso_workload workload = {.n_keys = w.keys.n, .reserved = (int64_t)w.values, .state = &w, .next = next};
    iso_store_run(args, &workload, b);
}

static const iso_param params[] = {
    {"keys", ISO_PARAM_INT, "1000", 2, 1e8, NULL, "keys"},
    {"readers", ISO_PARAM_REAL, "0.3", 0, 1, NULL, "share of transactions that only read"},
    {"distribution", ISO_PARAM_WORD, "uniform", 0, 0, ISO_DISTRIBUTIONS, "how keys are chosen"},
    {"skew", ISO_PARAM_REAL, "0.99", 0, 10, NULL, "exponent of zipfian and exponential keys"},
    {"values", ISO_PARAM_INT, "0", 0, 1e9, NULL, "values that repeat; 0: all values are unique"},
    {NULL, ISO_PARAM_INT, NULL, 0, 0, NULL, NULL}};

const iso_generator iso_generator_mini = {
    .name = "mini",
    .summary = "mini-transactions: at most two reads and two writes, each write after a read of its key",
    .paper = "mtc-appendix.txt",
    .params = params,
    .common = iso_store_params,
    .run = run,
};
