/* Random transactions: every operation is a read or a write of a key, each chosen uniformly. */
#include "base/random.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct settings {
    uint64_t keys, ops;
    double reads;
} settings;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const settings *s = state;
    (void)session;
    for (uint64_t i = 0; i < s->ops; i++) {
        uint32_t key = (uint32_t)iso_random_below(rng, s->keys);
        if (iso_random_unit(rng) < s->reads) {
            iso_program_read(program, key);
        } else {
            iso_program_write(program, key);
        }
    }
}

static void workload(iso_args *args, iso_workload *out) {
    settings *s = ISO_NEW(args->pool, settings, 1);
    *s = (settings){iso_arg_count(args, "keys"), iso_arg_count(args, "ops"), iso_arg_real(args, "reads")};
    *out = (iso_workload){.n_keys = s->keys, .state = s, .next = next};
}

static const iso_option options[] = {{ISO_COUNT("ops", "8", 0, 1e8, "operations of a transaction")},
                                     {ISO_COUNT("keys", "1000", 1, 1e8, "keys")},
                                     {ISO_REAL("reads", "0.5", 0, 1, "share of operations that read")},
                                     ISO_END};

const iso_generator iso_generator_random = {
    .name = "random",
    .summary = "reads and writes of keys chosen uniformly",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
