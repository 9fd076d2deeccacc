/* C-Twitter, the clone of Twitter that Cobra's authors use: users tweet, follow and unfollow, and read timelines;
 * popularity follows Zipf's law. Rows are keys (docs/generators.md): for each user a profile, the number of the last
 * tweet, a ring of tweets, and slots for the users that this user follows.
 *
 * A follow slot holds 1 or 0, which many transactions write: the natural repeated values of veristrong.txt section 7.1.
 * With --duplicates no every write has a unique value. */
#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

enum { TWEETS = 16, SLOTS = 32, SHOWN = 5 };

typedef struct tables {
    iso_distribution users;
    uint64_t n;
    uint64_t profile, last, tweet, follow; /* the first key of each table */
    uint32_t *posted;                      /* by user: number of tweets so far */
    bool duplicates;
} tables;

static void tweet(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_draw(&t->users, rng);
    iso_program_read(p, (uint32_t)(t->profile + user));
    iso_program_update(p, (uint32_t)(t->last + user));
    iso_program_write(p, (uint32_t)(t->tweet + user * TWEETS + t->posted[user]++ % TWEETS));
}

static void follow(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_random_below(rng, t->n), other = iso_draw(&t->users, rng);
    uint32_t slot = (uint32_t)(t->follow + user * SLOTS + other % SLOTS);
    iso_program_read(p, (uint32_t)(t->profile + other));
    iso_program_read(p, slot);
    iso_program_op(p, ISO_WRITE, slot, t->duplicates ? (int64_t)iso_random_below(rng, 2) : ISO_FRESH);
    iso_program_update(p, (uint32_t)(t->profile + user)); /* the profile has the number of followed users */
}

static void timeline(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_random_below(rng, t->n);
    for (uint64_t i = 0; i < SHOWN; i++) {
        uint64_t other = iso_draw(&t->users, rng);
        iso_program_read(p, (uint32_t)(t->follow + user * SLOTS + other % SLOTS));
        iso_program_read(p, (uint32_t)(t->last + other));
        uint32_t posted = t->posted[other];
        iso_program_read(p, (uint32_t)(t->tweet + other * TWEETS + (posted > 0 ? posted - 1 : 0) % TWEETS));
    }
}

static void show(tables *t, iso_rng *rng, iso_program *p) {
    uint64_t user = iso_draw(&t->users, rng);
    iso_program_read(p, (uint32_t)(t->profile + user));
    for (uint64_t i = 0; i < SHOWN; i++) {
        iso_program_read(p, (uint32_t)(t->follow + user * SLOTS + iso_random_below(rng, SLOTS)));
    }
}

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *p) {
    tables *t = state;
    (void)session;
    uint64_t kind = iso_random_below(rng, 100);
    if (kind < 30) {
        tweet(t, rng, p);
    } else if (kind < 50) {
        follow(t, rng, p);
    } else if (kind < 80) {
        timeline(t, rng, p);
    } else {
        show(t, rng, p);
    }
}

static void workload(iso_args *args, iso_workload *out) {
    tables *t = ISO_NEW(args->pool, tables, 1);
    *t = (tables){.n = iso_arg_count(args, "users"), .duplicates = iso_arg_is(args, "duplicates", "yes")};
    iso_distribution_init(&t->users, args->pool, "zipfian", t->n, iso_arg_real(args, "skew"));
    t->profile = 0;
    t->last = t->n;
    t->tweet = 2 * t->n;
    t->follow = (2 + TWEETS) * t->n;
    t->posted = ISO_ZNEW(args->pool, uint32_t, t->n);
    *out = (iso_workload){
        .n_keys = (2 + TWEETS + SLOTS) * t->n, .reserved = 1, .repeats = t->duplicates, .state = t, .next = next};
}

static const iso_option options[] = {
    {ISO_COUNT("sessions", "20", 1, 1 << 20, "clients, one session each")},
    {ISO_COUNT("txns", "10000", 0, 1e9, "transactions in all, retries not counted")},
    {ISO_COUNT("users", "1000", 1, 1e7, "users")},
    {ISO_REAL("skew", "0.99", 0, 10, "exponent of the users' popularity")},
    {ISO_WORD("duplicates", "no", "no yes", "follow slots hold 1 or 0 instead of unique values")},
    ISO_END};

const iso_generator iso_generator_twitter = {
    .name = "twitter",
    .summary = "C-Twitter: tweets, follows, timelines of users by Zipf's law",
    .paper = "awdit.txt section 5, veristrong.txt section 7.1",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
