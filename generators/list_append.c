/* Appends to lists and reads of them, like Elle's workload: a few lists are in use at the same time, some more than
 * others, and a list with enough elements is replaced by a new one. */
#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

typedef struct settings {
    uint64_t longest, most, n_keys;
    double reads;
    iso_distribution choice;
    uint32_t *key;   /* by place: the list in use */
    uint32_t *given; /* by place: number of elements appended to it */
    uint32_t fresh_key;
} settings;

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *program) {
    settings *s = state;
    (void)session;
    uint64_t n = 1 + iso_random_below(rng, s->longest);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t place = iso_draw(&s->choice, rng);
        if (iso_random_unit(rng) < s->reads) {
            iso_program_op(program, ISO_LIST_READ, s->key[place], 0);
            continue;
        }
        iso_program_op(program, ISO_APPEND, s->key[place], ISO_FRESH);
        if (++s->given[place] == s->most && s->fresh_key < s->n_keys) {
            s->key[place] = s->fresh_key++;
            s->given[place] = 0;
        }
    }
}

static void workload(iso_args *args, iso_workload *out) {
    uint64_t in_use = iso_arg_count(args, "keys");
    settings *s = ISO_NEW(args->pool, settings, 1);
    *s = (settings){.longest = iso_arg_count(args, "ops"),
                    .most = iso_arg_count(args, "appends"),
                    .reads = iso_arg_real(args, "reads"),
                    .fresh_key = (uint32_t)in_use};
    s->n_keys = in_use + iso_arg_count(args, "txns") * s->longest / s->most; /* an upper bound */
    if (s->n_keys > UINT32_MAX / 4) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "too many lists: fewer --txns or more --appends");
    }
    iso_distribution_refuse(args);
    iso_distribution_init(&s->choice, args->pool, iso_arg_text(args, "distribution"), in_use,
                          iso_arg_real(args, "skew"));
    s->key = ISO_NEW(args->pool, uint32_t, in_use);
    s->given = ISO_ZNEW(args->pool, uint32_t, in_use);
    for (uint32_t k = 0; k < in_use; k++) {
        s->key[k] = k;
    }
    *out = (iso_workload){.n_keys = s->n_keys, .lists = true, .state = s, .next = next};
}

static const iso_option options[] = {
    {ISO_COUNT("ops", "4", 1, 1e6, "most operations of a transaction")},
    {ISO_COUNT("keys", "10", 1, 1e7, "lists in use at once")},
    {ISO_COUNT("appends", "32", 1, 1e6, "elements after which a list is replaced")},
    {ISO_REAL("reads", "0.5", 0, 1, "share of operations that read")},
    {ISO_WORD("distribution", "exponential", ISO_DISTRIBUTIONS, "how lists are chosen")},
    {ISO_REAL("skew", "0.5", 0, 10, "exponent of zipfian and exponential choice")},
    ISO_END};

const iso_generator iso_generator_list_append = {
    .name = "list-append",
    .summary = "appends to lists and reads of whole lists",
    .paper = "veristrong.txt section 8 (Elle)",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
