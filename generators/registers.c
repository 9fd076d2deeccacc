/* Registers with compare-and-set, as key-value stores and tests of linearizability have them: every transaction is one
 * operation of one key. A compare-and-set that succeeds is a read and a write. (What one that fails shows is that the
 * value was another one; the simulated store knows what it reads, so that its clients never compare with a wrong
 * value.) Without plain writes these are mini-transactions. */
#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct settings {
    iso_distribution keys;
    uint64_t values;
    double reads, writes;
} settings;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const settings *s = state;
    (void)session;
    uint32_t key = (uint32_t)iso_draw(&s->keys, rng);
    double kind = iso_random_unit(rng);
    bool read = kind < s->reads, write = !read && kind < s->reads + s->writes;
    if (!write) {
        iso_program_read(program, key);
    }
    if (!read) {
        iso_program_op(program, ISO_WRITE, key,
                       s->values == 0 ? ISO_FRESH : 1 + (int64_t)iso_random_below(rng, s->values));
    }
}

static void workload(iso_args *args, iso_workload *out) {
    settings *s = ISO_NEW(args->pool, settings, 1);
    *s = (settings){.values = iso_arg_count(args, "values"),
                    .reads = iso_arg_real(args, "reads"),
                    .writes = iso_arg_real(args, "writes")};
    if (s->reads + s->writes > 1) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--reads and --writes are shares of one whole: together at most 1");
    }
    iso_distribution_refuse(args);
    iso_distribution_init(&s->keys, args->pool, iso_arg_text(args, "distribution"), iso_arg_count(args, "keys"),
                          iso_arg_real(args, "skew"));
    *out = (iso_workload){.n_keys = s->keys.n,
                          .reserved = (int64_t)s->values,
                          .repeats = s->values > 0,
                          .updates = s->writes <= 0,
                          .state = s,
                          .next = next};
}

static const iso_option options[] = {
    {ISO_COUNT("keys", "10", 1, 1e8, "registers")},
    {ISO_REAL("reads", "0.5", 0, 1, "share of transactions that read")},
    {ISO_REAL("writes", "0", 0, 1, "share of plain writes; the rest is compare-and-set")},
    {ISO_WORD("distribution", "uniform", ISO_DISTRIBUTIONS, "how keys are chosen")},
    {ISO_REAL("skew", "0.99", 0, 10, "exponent of zipfian and exponential keys")},
    {ISO_COUNT("values", "0", 0, 1e9, "values that repeat; 0: all values are unique")},
    ISO_END};

const iso_generator iso_generator_registers = {
    .name = "registers",
    .summary = "registers: a read, a write or a compare-and-set of one key is a transaction",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
