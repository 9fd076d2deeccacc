/* TPC-C as key-value transactions: every row is a key, and a transaction reads and writes the rows that the benchmark's
 * five transactions use, in their mix (45 % new-order, 43 % payment, 4 % each of order-status, delivery and
 * stock-level). Contents are unique values. docs/generators.md has the tables.
 *
 * Order numbers come from the generator, as if every new order had succeeded; an order whose transaction finally aborts
 * leaves rows that were never written. Orders are stored in rings, so that old rows are used again. */
#include <string.h>

#include "base/random.h"
#include "generators/distribution.h"
#include "generators/generator.h"
#include "generators/store.h"

enum { DISTRICTS = 10, RING = 1000, LINES = 15 };

typedef struct work {
    uint64_t warehouses, customers, items;
    /* first key of each table */
    uint64_t warehouse, district, customer, stock, item, order, new_order, line, history, n_keys;
    uint64_t *next_order, *oldest; /* by district: number of the next order, and of the first one not delivered */
    uint64_t *last_of;             /* by customer: 1 + the number of the last order; 0: none */
    uint64_t payments, n_history;
} work;

/* The benchmark's uneven choice (its clause 2.1.6): some of the numbers below n are drawn more often. */
static uint64_t uneven(iso_rng *rng, uint64_t mask, uint64_t n) {
    return (iso_random_below(rng, mask + 1) | iso_random_below(rng, n)) % n;
}

static uint64_t order_row(uint64_t d, uint64_t number) { return d * RING + number % RING; }

static void read(iso_program *p, uint64_t key) { iso_program_read(p, (uint32_t)key); }
static void write(iso_program *p, uint64_t key) { iso_program_write(p, (uint32_t)key); }
static void update(iso_program *p, uint64_t key) { iso_program_update(p, (uint32_t)key); }

static uint64_t some_customer(const work *w, iso_rng *rng, uint64_t d) {
    return d * w->customers + uneven(rng, 1023, w->customers);
}

static void new_order(work *w, uint64_t house, uint64_t d, iso_rng *rng, iso_program *p) {
    uint64_t c = some_customer(w, rng, d), number = w->next_order[d]++, row;
    w->last_of[c] = number + 1;
    row = order_row(d, number);
    read(p, w->warehouse + house);
    update(p, w->district + d);
    read(p, w->customer + c);
    write(p, w->order + row);
    write(p, w->new_order + row);
    uint64_t n = 5 + iso_random_below(rng, LINES - 4);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t item = uneven(rng, 8191, w->items), from = house;
        if (w->warehouses > 1 && iso_random_below(rng, 100) == 0) {
            from = iso_random_below(rng, w->warehouses); /* a remote warehouse supplies it */
        }
        read(p, w->item + item);
        update(p, w->stock + from * w->items + item);
        write(p, w->line + row * LINES + i);
    }
}

static void payment(work *w, uint64_t house, uint64_t d, iso_rng *rng, iso_program *p) {
    uint64_t home = d;
    if (w->warehouses > 1 && iso_random_below(rng, 100) < 15) {
        home = iso_random_below(rng, w->warehouses * DISTRICTS);
    }
    update(p, w->warehouse + house);
    update(p, w->district + d);
    update(p, w->customer + some_customer(w, rng, home));
    write(p, w->history + w->payments++ % w->n_history);
}

static void order_status(work *w, uint64_t d, iso_rng *rng, iso_program *p) {
    uint64_t c = some_customer(w, rng, d);
    read(p, w->customer + c);
    if (w->last_of[c] > 0) {
        uint64_t row = order_row(d, w->last_of[c] - 1);
        read(p, w->order + row);
        for (uint64_t i = 0; i < 5; i++) {
            read(p, w->line + row * LINES + i);
        }
    }
}

static void delivery(work *w, uint64_t house, iso_rng *rng, iso_program *p) {
    read(p, w->warehouse + house);
    for (uint64_t i = 0; i < DISTRICTS; i++) {
        uint64_t d = house * DISTRICTS + i;
        if (w->oldest[d] == w->next_order[d]) {
            continue;
        }
        uint64_t row = order_row(d, w->oldest[d]++);
        update(p, w->new_order + row); /* removes it from the queue */
        update(p, w->order + row);
        for (uint64_t j = 0; j < 5; j++) {
            update(p, w->line + row * LINES + j);
        }
        update(p, w->customer + some_customer(w, rng, d));
    }
}

static void stock_level(work *w, uint64_t house, uint64_t d, iso_rng *rng, iso_program *p) {
    read(p, w->district + d);
    uint64_t n = w->next_order[d] < 20 ? w->next_order[d] : 20;
    for (uint64_t i = 1; i <= n; i++) {
        uint64_t row = order_row(d, w->next_order[d] - i);
        read(p, w->line + row * LINES);
        read(p, w->stock + house * w->items + uneven(rng, 8191, w->items));
    }
}

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *p) {
    work *w = state;
    uint64_t house = session % w->warehouses, d = house * DISTRICTS + iso_random_below(rng, DISTRICTS);
    uint64_t kind = iso_random_below(rng, 100);
    if (kind < 45) {
        new_order(w, house, d, rng, p);
    } else if (kind < 88) {
        payment(w, house, d, rng, p);
    } else if (kind < 92) {
        order_status(w, d, rng, p);
    } else if (kind < 96) {
        delivery(w, house, rng, p);
    } else {
        stock_level(w, house, d, rng, p);
    }
}

/* Returns the first key of a new table; tables are consecutive ranges of keys. */
static uint64_t table(work *w, uint64_t rows) {
    uint64_t first = w->n_keys;
    w->n_keys += rows;
    return first;
}

static void workload(iso_args *args, iso_workload *out) {
    work *w = ISO_NEW(args->pool, work, 1);
    *w = (work){.warehouses = iso_arg_count(args, "warehouses"),
                .customers = iso_arg_count(args, "customers"),
                .items = iso_arg_count(args, "items"),
                .n_history = 10000};
    uint64_t districts = w->warehouses * DISTRICTS;
    w->warehouse = table(w, w->warehouses);
    w->district = table(w, districts);
    w->customer = table(w, districts * w->customers);
    w->stock = table(w, w->warehouses * w->items);
    w->item = table(w, w->items);
    w->order = table(w, districts * RING);
    w->new_order = table(w, districts * RING);
    w->line = table(w, districts * RING * LINES);
    w->history = table(w, w->n_history);
    w->next_order = ISO_ZNEW(args->pool, uint64_t, districts);
    w->oldest = ISO_ZNEW(args->pool, uint64_t, districts);
    w->last_of = ISO_ZNEW(args->pool, uint64_t, districts * w->customers);
    *out = (iso_workload){.n_keys = w->n_keys, .state = w, .next = next};
}

static const iso_option options[] = {
    {ISO_COUNT("sessions", "20", 1, 1 << 20, "clients, one session each")},
    {ISO_COUNT("txns", "10000", 0, 1e9, "transactions in all, retries not counted")},
    {ISO_COUNT("warehouses", "1", 1, 1000, "warehouses, of ten districts each")},
    {ISO_COUNT("customers", "3000", 1, 100000, "customers of a district")},
    {ISO_COUNT("items", "10000", 1, 100000, "items, and rows of stock of a warehouse")},
    ISO_END};

const iso_generator iso_generator_tpcc = {
    .name = "tpcc",
    .summary = "TPC-C's five transactions, rows as keys",
    .paper = "plume.txt section 5.1, awdit.txt section 5",
    .options = options,
    .common = iso_store_options,
    .workload = workload,
};
