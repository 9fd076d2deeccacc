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

typedef struct work {
    uint64_t users, items;
    iso_distribution popular;
    uint64_t profile, rating, row, quantity, highest, count, bid, comment; /* the first key of each table */
    uint64_t bids, comments;
    bool duplicates;
} work;

static void small(const work *w, iso_rng *rng, iso_program *p, uint64_t key, uint64_t n) {
    iso_program_read(p, (uint32_t)key);
    iso_program_op(p, ISO_WRITE, (uint32_t)key, w->duplicates ? (int64_t)iso_random_below(rng, n) : ISO_FRESH);
}

static void browse(work *w, iso_rng *rng, iso_program *p) {
    for (uint64_t i = 0; i < SHOWN; i++) {
        uint64_t item = iso_draw(&w->popular, rng);
        iso_program_read(p, (uint32_t)(w->row + item));
        iso_program_read(p, (uint32_t)(w->highest + item));
    }
}

static void view(work *w, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&w->popular, rng);
    iso_program_read(p, (uint32_t)(w->row + item));
    iso_program_read(p, (uint32_t)(w->quantity + item));
    iso_program_read(p, (uint32_t)(w->highest + item));
    iso_program_read(p, (uint32_t)(w->count + item));
    iso_program_read(p, (uint32_t)(w->profile + iso_random_below(rng, w->users))); /* its seller */
}

static void place_bid(work *w, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&w->popular, rng);
    iso_program_read(p, (uint32_t)(w->profile + iso_random_below(rng, w->users)));
    iso_program_read(p, (uint32_t)(w->row + item));
    iso_program_update(p, (uint32_t)(w->highest + item));
    iso_program_update(p, (uint32_t)(w->count + item));
    iso_program_write(p, (uint32_t)(w->bid + w->bids++ % RING));
}

static void buy(work *w, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&w->popular, rng);
    iso_program_read(p, (uint32_t)(w->row + item));
    small(w, rng, p, w->quantity + item, QUANTITIES);
    iso_program_write(p, (uint32_t)(w->bid + w->bids++ % RING));
}

static void rate(work *w, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_random_below(rng, w->users);
    iso_program_read(p, (uint32_t)(w->row + iso_draw(&w->popular, rng)));
    iso_program_read(p, (uint32_t)(w->profile + user));
    small(w, rng, p, w->rating + user, RATINGS);
    iso_program_write(p, (uint32_t)(w->comment + w->comments++ % RING));
}

static void sign_up(work *w, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_random_below(rng, w->users);
    iso_program_update(p, (uint32_t)(w->profile + user)); /* to test whether the name is free */
    iso_program_op(p, ISO_WRITE, (uint32_t)(w->rating + user), w->duplicates ? 0 : ISO_FRESH);
}

static void offer(work *w, iso_rng *rng, iso_program *p) {
    uint64_t item = iso_draw(&w->popular, rng);
    iso_program_read(p, (uint32_t)(w->profile + iso_random_below(rng, w->users)));
    iso_program_write(p, (uint32_t)(w->row + item));
    iso_program_op(p, ISO_WRITE, (uint32_t)(w->quantity + item),
                w->duplicates ? (int64_t)iso_random_below(rng, QUANTITIES) : ISO_FRESH);
}

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *p) {
    static const struct {
        uint64_t up_to; /* cumulative percentage */
        void (*ask)(work *w, iso_rng *rng, iso_program *p);
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
    work *w = ISO_NEW(args->pool, work, 1);
    *w = (work){.users = iso_arg_count(args, "users"),
                .items = iso_arg_count(args, "items"),
                .duplicates = iso_arg_is(args, "duplicates", "yes")};
    iso_distribution_init(&w->popular, args->pool, "zipfian", w->items, iso_arg_real(args, "skew"));
    w->rating = w->users;
    w->row = w->rating + w->users;
    w->quantity = w->row + w->items;
    w->highest = w->quantity + w->items;
    w->count = w->highest + w->items;
    w->bid = w->count + w->items;
    w->comment = w->bid + RING;
    *out = (iso_workload){.n_keys = w->comment + RING, .reserved = RATINGS, .state = w, .next = next};
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
