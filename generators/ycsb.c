/* General transactions in the manner of YCSB: independent reads and writes, their share, the choice of keys, and
 * how many keys get values that were written before. The named mixes are those of two papers:
 * plume.txt section 5.1 (GeneralRH, GeneralRW, GeneralWH: 16k transactions of 20 operations, unique values)
 * and veristrong.txt section 7.1 (RH, BL, WH, HD: duplicate values by Zipf's law over N values). */
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct work {
    uint64_t ops;
    double reads, duplicates;
    iso_distribution keys, values;
} work;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const work *w = state;
    (void)session;
    for (uint64_t i = 0; i < w->ops; i++) {
        uint32_t key = (uint32_t)iso_draw(&w->keys, rng);
        if (gsl_ran_bernoulli(ISO_GSL(rng), w->reads)) {
            iso_ask_read(program, key);
            continue;
        }
        /* whether a key has duplicate values is a property of the key */
        bool duplicate = (double)(iso_mix(key + 1) >> 11) * 0x1p-53 < w->duplicates;
        iso_ask(program, ISO_WRITE, key, duplicate ? 1 + (int64_t)iso_draw(&w->values, rng) : ISO_FRESH);
    }
}

/* The values that a mix stands for, in the order of fields[]. */
static const char *const fields[] = {"sessions", "txns", "ops", "keys", "reads", "duplicates", "theta", "values"};
#define FIELDS (sizeof fields / sizeof *fields)
static const struct {
    const char *name, *value[FIELDS];
} mixes[] = {
    {"RH", {"20", "10000", "8", "5000", "0.95", "0.5", "0.5", "100"}},
    {"BL", {"20", "10000", "8", "5000", "0.5", "0.5", "0.5", "100"}},
    {"WH", {"20", "10000", "8", "5000", "0.3", "0.5", "0.5", "100"}},
    {"HD", {"20", "10000", "8", "5000", "0.5", "0.5", "1.5", "100"}},
    {"GeneralRH", {"25", "16000", "20", "10000", "0.95", "0", "0.5", "100"}},
    {"GeneralRW", {"25", "16000", "20", "10000", "0.5", "0", "0.5", "100"}},
    {"GeneralWH", {"25", "16000", "20", "10000", "0.3", "0", "0.5", "100"}},
};

static void run(iso_args *args, iso_builder *b) {
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        for (size_t f = 0; iso_arg_is(args, "mix", mixes[i].name) && f < FIELDS; f++) {
            iso_args_default(args, fields[f], mixes[i].value[f]);
        }
    }
    work w = {.ops = iso_arg_int(args, "ops"),
              .reads = iso_arg_real(args, "reads"),
              .duplicates = iso_arg_real(args, "duplicates")};
    iso_args_refuse(args, w.duplicates == 0, "theta", "needs --duplicates");
    iso_args_refuse(args, w.duplicates == 0, "values", "needs --duplicates");
    iso_distribution_refuse(args);
    uint64_t n_keys = iso_arg_int(args, "keys"), n_values = iso_arg_int(args, "values");
    iso_distribution_init(&w.keys, args->pool, iso_arg_text(args, "distribution"), n_keys, iso_arg_real(args, "skew"));
    iso_distribution_init(&w.values, args->pool, "zipfian", n_values, iso_arg_real(args, "theta"));
    iso_store_run(args, &(iso_workload){.n_keys = n_keys, .reserved = (int64_t)n_values, .state = &w, .next = next}, b);
}

static const iso_param params[] = {
    {"mix", ISO_PARAM_WORD, "none", 0, 0, "none RH BL WH HD GeneralRH GeneralRW GeneralWH",
     "named set of defaults for the others"},
    {"sessions", ISO_PARAM_INT, "25", 1, 1 << 20, NULL, "clients, one session each"},
    {"txns", ISO_PARAM_INT, "5000", 0, 1e9, NULL, "transactions in all, retries not counted"},
    {"ops", ISO_PARAM_INT, "20", 0, 1e8, NULL, "operations of a transaction"},
    {"keys", ISO_PARAM_INT, "10000", 1, 1e8, NULL, "keys"},
    {"reads", ISO_PARAM_REAL, "0.5", 0, 1, NULL, "share of operations that read"},
    {"distribution", ISO_PARAM_WORD, "uniform", 0, 0, ISO_DISTRIBUTIONS, "how keys are chosen"},
    {"skew", ISO_PARAM_REAL, "0.99", 0, 10, NULL, "exponent of zipfian and exponential keys"},
    {"duplicates", ISO_PARAM_REAL, "0", 0, 1, NULL, "share of keys whose values repeat"},
    {"theta", ISO_PARAM_REAL, "0.5", 0, 10, NULL, "exponent of repeated values: how unevenly they repeat"},
    {"values", ISO_PARAM_INT, "100", 1, 1e8, NULL, "number N of values that repeat"},
    {NULL, ISO_PARAM_INT, NULL, 0, 0, NULL, NULL}};

const iso_generator iso_generator_ycsb = {
    .name = "ycsb",
    .summary = "general transactions: share of reads, skewed keys, duplicate values; named mixes",
    .paper = "plume.txt section 5.1, veristrong.txt section 7.1",
    .params = params,
    .common = iso_store_params,
    .run = run,
};
