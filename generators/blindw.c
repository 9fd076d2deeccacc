/* BlindW, Cobra's benchmark: transactions of eight operations that either only read or only write, so that reads show
 * little about the order of writes. In RW half of the transactions are readers, in RM nine in ten (veristrong.txt
 * section 7.2). */
#include <string.h>

#include "base/random.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct settings {
    uint64_t keys, ops;
    double readers;
} settings;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const settings *s = state;
    (void)session;
    bool reader = iso_random_unit(rng) < s->readers;
    for (uint64_t i = 0; i < s->ops; i++) {
        uint32_t key = (uint32_t)iso_random_below(rng, s->keys);
        if (reader) {
            iso_program_read(program, key);
        } else {
            iso_program_write(program, key);
        }
    }
}

static void workload(iso_args *args, iso_workload *out) {
    iso_args_default(args, "readers", iso_arg_is(args, "mix", "RM") ? "0.9" : "0.5");
    settings *s = ISO_NEW(args->pool, settings, 1);
    *s = (settings){iso_arg_count(args, "keys"), iso_arg_count(args, "ops"), iso_arg_real(args, "readers")};
    *out = (iso_workload){.n_keys = s->keys, .state = s, .next = next};
}

static const iso_option options[] = {
    {ISO_WORD("mix", "RW", "RW RM", "half of the transactions read (RW), or nine in ten (RM)")},
    {ISO_COUNT("sessions", "24", 1, 1 << 20, "clients, one session each")},
    {ISO_COUNT("txns", "10000", 0, 1e9, "transactions in all, retries not counted")},
    {ISO_COUNT("ops", "8", 0, 1e8, "operations of a transaction")},
    {ISO_COUNT("keys", "10000", 1, 1e8, "keys")},
    {ISO_REAL("readers", "0.5", 0, 1, "share of transactions that only read; else the mix's")},
    ISO_END};

const iso_generator iso_generator_blindw = {
    .name = "blindw",
    .summary = "BlindW-RW and BlindW-RM: read-only and write-only transactions",
    .paper = "veristrong.txt section 7.2",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
