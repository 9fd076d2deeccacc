/* C-RUBiS, an auction house: users browse, bid, buy, comment, register, and offer items. Rows are keys
 * (docs/generators.md): for a user the profile and the rating; for an item the row, the quantity, the highest bid and
 * the number of bids; bids and comments are rows of rings.
 *
 * Ratings and quantities are small numbers, which many transactions write: the natural repeated values of
 * veristrong.txt section 7.1. With --duplicates no every write has a unique value. */
#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

enum { RING = 100000, SHOWN = 8, RATINGS = 11, QUANTITIES = 10 };

typedef struct tables {
    uint64_t users, items;
    iso_distribution popular;
    uint64_t profile, rating, row, quantity, highest, count, bid, comment; /* the first key of each table */
    uint64_t bids, comments;
    bool duplicates;
} tables;

static void small(const tables *t, iso_rng *rng, iso_program *p, uint64_t key, uint64_t n) {
    iso_program_read(p, (uint32_t)key);
    iso_program_op(p, ISO_WRITE, (uint32_t)key, t->duplicates ? (int64_t)iso_random_below(rng, n) : ISO_FRESH);
}

static void browse(tables *t, iso_rng *rng, iso_program *p) {
    for (uint64_t i = 0; i < SHOWN; i++) {
        uint64_t item = iso_draw(&t->popular, rng);
        iso_program_read(p, (uint32_t)(t->row + item));
        iso_program_read(p, (uint32_t)(t->highest + item));
    }
}

static void view(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&t->popular, rng);
    iso_program_read(p, (uint32_t)(t->row + item));
    iso_program_read(p, (uint32_t)(t->quantity + item));
    iso_program_read(p, (uint32_t)(t->highest + item));
    iso_program_read(p, (uint32_t)(t->count + item));
    iso_program_read(p, (uint32_t)(t->profile + iso_random_below(rng, t->users))); /* its seller */
}

static void place_bid(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&t->popular, rng);
    iso_program_read(p, (uint32_t)(t->profile + iso_random_below(rng, t->users)));
    iso_program_read(p, (uint32_t)(t->row + item));
    iso_program_update(p, (uint32_t)(t->highest + item));
    iso_program_update(p, (uint32_t)(t->count + item));
    iso_program_write(p, (uint32_t)(t->bid + t->bids++ % RING));
}

static void buy(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&t->popular, rng);
    iso_program_read(p, (uint32_t)(t->row + item));
    small(t, rng, p, t->quantity + item, QUANTITIES);
    iso_program_write(p, (uint32_t)(t->bid + t->bids++ % RING));
}

static void rate(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_random_below(rng, t->users);
    iso_program_read(p, (uint32_t)(t->row + iso_draw(&t->popular, rng)));
    iso_program_read(p, (uint32_t)(t->profile + user));
    small(t, rng, p, t->rating + user, RATINGS);
    iso_program_write(p, (uint32_t)(t->comment + t->comments++ % RING));
}

static void sign_up(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_random_below(rng, t->users);
    iso_program_update(p, (uint32_t)(t->profile + user)); /* to test whether the name is free */
    iso_program_op(p, ISO_WRITE, (uint32_t)(t->rating + user), t->duplicates ? 0 : ISO_FRESH);
}

static void offer(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&t->popular, rng);
    iso_program_read(p, (uint32_t)(t->profile + iso_random_below(rng, t->users)));
    iso_program_write(p, (uint32_t)(t->row + item));
    iso_program_op(p, ISO_WRITE, (uint32_t)(t->quantity + item),
                   t->duplicates ? (int64_t)iso_random_below(rng, QUANTITIES) : ISO_FRESH);
}

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *p) {
    static const struct {
        uint64_t up_to; /* cumulative percentage */
        void (*ask)(tables *t, iso_rng *rng, iso_program *p);
    } mix[] = {{35, browse}, {60, view}, {80, place_bid}, {85, buy}, {92, rate}, {95, sign_up}, {100, offer}};
    (void)session;
    uint64_t percent = iso_random_below(rng, 100);
    size_t kind = 0;
    while (percent >= mix[kind].up_to) {
        kind++;
    }
    mix[kind].ask(state, rng, p);
}

static void workload(iso_args *args, iso_workload *out) {
    tables *t = ISO_NEW(args->pool, tables, 1);
    *t = (tables){.users = iso_arg_count(args, "users"),
                  .items = iso_arg_count(args, "items"),
                  .duplicates = iso_arg_is(args, "duplicates", "yes")};
    iso_distribution_init(&t->popular, args->pool, "zipfian", t->items, iso_arg_real(args, "skew"));
    t->rating = t->users;
    t->row = t->rating + t->users;
    t->quantity = t->row + t->items;
    t->highest = t->quantity + t->items;
    t->count = t->highest + t->items;
    t->bid = t->count + t->items;
    t->comment = t->bid + RING;
    *out = (iso_workload){
        .n_keys = t->comment + RING, .reserved = RATINGS, .repeats = t->duplicates, .state = t, .next = next};
}

static const iso_option options[] = {
    {ISO_COUNT("sessions", "20", 1, 1 << 20, "clients, one session each")},
    {ISO_COUNT("txns", "10000", 0, 1e9, "transactions in all, retries not counted")},
    {ISO_COUNT("users", "20000", 1, 1e7, "users")},
    {ISO_COUNT("items", "200000", 1, 1e7, "items")},
    {ISO_REAL("skew", "0.8", 0, 10, "exponent of the items' popularity")},
    {ISO_WORD("duplicates", "no", "no yes", "ratings and quantities repeat instead of unique values")},
    ISO_END};

const iso_generator iso_generator_rubis = {
    .name = "rubis",
    .summary = "C-RUBiS: an auction house",
    .paper = "plume.txt section 5.1, veristrong.txt section 7.1",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
