/* A workload to begin with: clients that often use the same key. To make another one of it:
 *
 *     sed 's/skeleton/mine/g' examples/skeleton_workload.c >generators/mine.c
 *     echo 'GENERATOR(mine)' >>generators/generators.def
 *     make && build/isolab generate mine --level si -o h.jsonl && build/isolab check h.jsonl
 *
 * The workload says what the clients ask for. The simulated store answers, or a database: `isolab collect sqlite -w
 * mine`. The options of the store (sessions, txns, level, ...) come with iso_store_options. */
#include "base/random.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct settings {
    uint64_t keys, ops;
    double hot, writes;
} settings;

/* Fills in the next transaction of a session. All chance comes from rng, so that a seed gives the same history. */
static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const settings *s = state;
    (void)session;
    for (uint64_t i = 0; i < s->ops; i++) {
        uint32_t key = iso_random_unit(rng) < s->hot ? 0 : (uint32_t)iso_random_below(rng, s->keys);
        if (iso_random_unit(rng) < s->writes) {
            iso_program_write(program, key); /* a new value, which the store or the driver chooses */
        } else {
            iso_program_read(program, key);
        }
    }
}

static void workload(iso_args *args, iso_workload *out) {
    settings *s = ISO_NEW(args->pool, settings, 1);
    *s = (settings){iso_arg_count(args, "keys"), iso_arg_count(args, "ops"), iso_arg_real(args, "hot"),
                    iso_arg_real(args, "writes")};
    *out = (iso_workload){.n_keys = s->keys, .state = s, .next = next};
}

static const iso_option options[] = {{ISO_COUNT("keys", "100", 1, 1e8, "keys")},
                                     {ISO_COUNT("ops", "4", 0, 1e8, "operations of a transaction")},
                                     {ISO_REAL("hot", "0.5", 0, 1, "share of operations on the first key")},
                                     {ISO_REAL("writes", "0.5", 0, 1, "share of operations that write")},
                                     ISO_END};

const iso_generator iso_generator_skeleton = {
    .name = "skeleton",
    .summary = "clients that often use the same key",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
