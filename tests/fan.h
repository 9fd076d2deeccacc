/* Histories in which transactions read one key very often. */
#ifndef ISOLAB_TESTS_FAN_H
#define ISOLAB_TESTS_FAN_H

#include "base/random.h"
#include "history/builder.h"

/* Each of n writers writes x and a key of its own. Each reader has many reads of x and of the writers' own keys. A
 * reader that has read the own key of a writer mostly does not read the x of earlier writers. initial: some reads of x
 * return the initial value. */
static inline isolab_history *fan(iso_pool *pool, uint64_t seed, bool initial) {
    iso_builder *b = iso_builder_new(pool);
    iso_rng rng = {seed};
    uint64_t n = 20 + iso_random_below(&rng, 40), wild = 20 + iso_random_below(&rng, 400);
    uint32_t x = iso_builder_key(b, iso_atom_int(-1));
    for (uint64_t w = 0; w < n; w++) {
        uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
        iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int((int64_t)w));
        iso_builder_op(b, t, ISO_WRITE, iso_builder_key(b, iso_atom_int((int64_t)w)), iso_atom_int(1));
    }
    for (int r = 0; r < 3; r++) {
        uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
        uint64_t seen = 0, length = 17 + iso_random_below(&rng, 60);
        for (uint64_t i = 0; i < length; i++) {
            bool own = iso_random_below(&rng, 2) == 0;
            uint64_t w = own ? iso_random_below(&rng, seen + 3) : seen + iso_random_below(&rng, 6);
            w = iso_random_below(&rng, wild) == 0 ? iso_random_below(&rng, n) : w < n ? w : n - 1;
            seen = own && w > seen ? w : seen;
            bool nil = !own && initial && iso_random_below(&rng, length) == 0;
            iso_builder_op(b, t, ISO_READ, own ? iso_builder_key(b, iso_atom_int((int64_t)w)) : x,
                           nil ? iso_atom_nil() : iso_atom_int(own ? 1 : (int64_t)w));
        }
    }
    return iso_builder_finish(b);
}

#endif
