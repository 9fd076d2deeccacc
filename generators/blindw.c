/* BlindW, Cobra's benchmark: transactions of eight operations that either only read or only write, so that
 * nothing is known of the order of writes. RW has as many of one kind as of the other, RM nine readers to
 * one writer (veristrong.txt section 7.2). */
#include <string.h>

#include "base/random.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct work {
    uint64_t keys, ops;
    double readers;
} work;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    const work *w = state;
    (void)session;
    bool reader = iso_random_unit(rng) < w->readers;
    for (uint64_t i = 0; i < w->ops; i++) {
        uint32_t key = (uint32_t)iso_random_below(rng, w->keys);
        if (reader) {
            iso_ask_read(program, key);
        } else {
            iso_ask_write(program, key);
        }
    }
}

static void run(iso_args *args, iso_builder *b) {
    iso_args_default(args, "readers", iso_arg_is(args, "mix", "RM") ? "0.9" : "0.5");
    work w = {iso_arg_int(args, "keys"), iso_arg_int(args, "ops"), iso_arg_real(args, "readers")};
    iso_store_run(args, &(iso_workload){.n_keys = w.keys, .state = &w, .next = next}, b);
}

static const iso_param params[] = {
    {"mix", ISO_PARAM_WORD, "RW", 0, 0, "RW RM", "half of the transactions read (RW), or nine in ten (RM)"},
    {"sessions", ISO_PARAM_INT, "24", 1, 1 << 20, NULL, "clients, one session each"},
    {"txns", ISO_PARAM_INT, "10000", 0, 1e9, NULL, "transactions in all, retries not counted"},
    {"ops", ISO_PARAM_INT, "8", 0, 1e8, NULL, "operations of a transaction"},
    {"keys", ISO_PARAM_INT, "10000", 1, 1e8, NULL, "keys"},
    {"readers", ISO_PARAM_REAL, "0.5", 0, 1, NULL, "share of transactions that only read; else the mix's"},
    {NULL, ISO_PARAM_INT, NULL, 0, 0, NULL, NULL}};

const iso_generator iso_generator_blindw = {
    .name = "blindw",
    .summary = "BlindW-RW and BlindW-RM: read-only and write-only transactions",
    .paper = "veristrong.txt section 7.2",
    .params = params,
    .common = iso_store_params,
    .run = run,
};
