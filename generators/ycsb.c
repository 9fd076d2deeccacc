/* General transactions like those of YCSB: independent reads and writes, their shares, the choice of keys, and the
 * share of keys with repeated values. The named mixes are those of two papers: plume.txt section 5.1 (GeneralRH,
 * GeneralRW, GeneralWH: 16k transactions of 20 operations, unique values) and veristrong.txt section 7.1 (RH, BL, WH,
 * HD: repeated values by Zipf's law over N values). */
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct settings {
    uint64_t ops;
    double reads, duplicates;
    iso_distribution keys, values;
} settings;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const settings *s = state;
    (void)session;
    for (uint64_t i = 0; i < s->ops; i++) {
        uint32_t key = (uint32_t)iso_draw(&s->keys, rng);
        if (gsl_ran_bernoulli(ISO_GSL(rng), s->reads)) {
            iso_program_read(program, key);
            continue;
        }
        /* each key either has repeated values or unique ones */
        bool duplicate = (double)(iso_mix(key + 1) >> 11) * 0x1p-53 < s->duplicates;
        iso_program_op(program, ISO_WRITE, key, duplicate ? 1 + (int64_t)iso_draw(&s->values, rng) : ISO_FRESH);
    }
}

/* The values of each mix, in the order of fields[]. */
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

static void workload(iso_args *args, iso_workload *out) {
    bool theta = iso_arg_given(args, "theta"), values = iso_arg_given(args, "values"); /* and not by a mix */
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        for (size_t f = 0; iso_arg_is(args, "mix", mixes[i].name) && f < FIELDS; f++) {
            iso_args_default(args, fields[f], mixes[i].value[f]);
        }
    }
    settings *s = ISO_NEW(args->pool, settings, 1);
    *s = (settings){.ops = iso_arg_count(args, "ops"),
                    .reads = iso_arg_real(args, "reads"),
                    .duplicates = iso_arg_real(args, "duplicates")};
    iso_args_refuse(args, theta && s->duplicates == 0, "theta", "needs --duplicates");
    iso_args_refuse(args, values && s->duplicates == 0, "values", "needs --duplicates");
    iso_distribution_refuse(args);
    uint64_t n_keys = iso_arg_count(args, "keys"), n_values = iso_arg_count(args, "values");
    iso_distribution_init(&s->keys, args->pool, iso_arg_text(args, "distribution"), n_keys, iso_arg_real(args, "skew"));
    iso_distribution_init(&s->values, args->pool, "zipfian", n_values, iso_arg_real(args, "theta"));
    *out = (iso_workload){
        .n_keys = n_keys, .reserved = (int64_t)n_values, .repeats = s->duplicates > 0, .state = s, .next = next};
}

static const iso_option options[] = {
    {ISO_WORD("mix", "none", "none RH BL WH HD GeneralRH GeneralRW GeneralWH",
              "named set of defaults for the other options")},
    {ISO_COUNT("sessions", "25", 1, 1 << 20, "clients, one session each")},
    {ISO_COUNT("txns", "5000", 0, 1e9, "transactions in all, retries not counted")},
    {ISO_COUNT("ops", "20", 0, 1e8, "operations of a transaction")},
    {ISO_COUNT("keys", "10000", 1, 1e8, "keys")},
    {ISO_REAL("reads", "0.5", 0, 1, "share of operations that read")},
    {ISO_WORD("distribution", "uniform", ISO_DISTRIBUTIONS, "how keys are chosen")},
    {ISO_REAL("skew", "0.99", 0, 10, "exponent of zipfian and exponential keys")},
    {ISO_REAL("duplicates", "0", 0, 1, "share of keys whose values repeat")},
    {ISO_REAL("theta", "0.5", 0, 10, "exponent of repeated values: how unevenly they repeat")},
    {ISO_COUNT("values", "100", 1, 1e8, "number N of values that repeat")},
    ISO_END};

const iso_generator iso_generator_ycsb = {
    .name = "ycsb",
    .summary = "general transactions: share of reads, skewed keys, repeated values; named mixes",
    .paper = "plume.txt section 5.1, veristrong.txt section 7.1",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
