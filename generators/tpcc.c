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

typedef struct tables {
    uint64_t warehouses, customers, items;
    /* first key of each table */
    uint64_t warehouse, district, customer, stock, item, order, new_order, line, history, n_keys;
    uint64_t *next_order, *oldest; /* by district: number of the next order, and of the first one not delivered */
    uint64_t *last_of;             /* by customer: 1 + the number of the last order; 0: none */
    uint64_t payments, n_history;
} tables;

/* The benchmark's uneven choice (its clause 2.1.6): some of the numbers below n are drawn more often. */
static uint64_t uneven(iso_rng *rng, uint64_t mask, uint64_t n) {
    return (iso_random_below(rng, mask + 1) | iso_random_below(rng, n)) % n;
}

static uint64_t order_row(uint64_t d, uint64_t number) { return d * RING + number % RING; }

static void read(iso_program *p, uint64_t key) { iso_program_read(p, (uint32_t)key); }
static void write(iso_program *p, uint64_t key) { iso_program_write(p, (uint32_t)key); }
static void update(iso_program *p, uint64_t key) { iso_program_update(p, (uint32_t)key); }

static uint64_t some_customer(const tables *t, iso_rng *rng, uint64_t d) {
    return d * t->customers + uneven(rng, 1023, t->customers);
}

static void new_order(tables *t, uint64_t house, uint64_t d, iso_rng *rng, iso_program *p) {
    uint64_t c = some_customer(t, rng, d), number = t->next_order[d]++, row;
    t->last_of[c] = number + 1;
    row = order_row(d, number);
    read(p, t->warehouse + house);
    update(p, t->district + d);
    read(p, t->customer + c);
    write(p, t->order + row);
    write(p, t->new_order + row);
    uint64_t n = 5 + iso_random_below(rng, LINES - 4);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t item = uneven(rng, 8191, t->items), from = house;
        if (t->warehouses > 1 && iso_random_below(rng, 100) == 0) {
            from = iso_random_below(rng, t->warehouses); /* a remote warehouse supplies it */
        }
        read(p, t->item + item);
        update(p, t->stock + from * t->items + item);
        write(p, t->line + row * LINES + i);
    }
}

static void payment(tables *t, uint64_t house, uint64_t d, iso_rng *rng, iso_program *p) {
    uint64_t home = d;
    if (t->warehouses > 1 && iso_random_below(rng, 100) < 15) {
        home = iso_random_below(rng, t->warehouses * DISTRICTS);
    }
    update(p, t->warehouse + house);
    update(p, t->district + d);
    update(p, t->customer + some_customer(t, rng, home));
    write(p, t->history + t->payments++ % t->n_history);
}

static void order_status(tables *t, uint64_t d, iso_rng *rng, iso_program *p) {
    uint64_t c = some_customer(t, rng, d);
    read(p, t->customer + c);
    if (t->last_of[c] > 0) {
        uint64_t row = order_row(d, t->last_of[c] - 1);
        read(p, t->order + row);
        for (uint64_t i = 0; i < 5; i++) {
            read(p, t->line + row * LINES + i);
        }
    }
}

static void delivery(tables *t, uint64_t house, iso_rng *rng, iso_program *p) {
    read(p, t->warehouse + house);
    for (uint64_t i = 0; i < DISTRICTS; i++) {
        uint64_t d = house * DISTRICTS + i;
        if (t->oldest[d] == t->next_order[d]) {
            continue;
        }
        uint64_t row = order_row(d, t->oldest[d]++);
        update(p, t->new_order + row); /* removes it from the queue */
        update(p, t->order + row);
        for (uint64_t j = 0; j < 5; j++) {
            update(p, t->line + row * LINES + j);
        }
        update(p, t->customer + some_customer(t, rng, d));
    }
}

static void stock_level(tables *t, uint64_t house, uint64_t d, iso_rng *rng, iso_program *p) {
    read(p, t->district + d);
    uint64_t n = t->next_order[d] < 20 ? t->next_order[d] : 20;
    for (uint64_t i = 1; i <= n; i++) {
        uint64_t row = order_row(d, t->next_order[d] - i);
        read(p, t->line + row * LINES);
        read(p, t->stock + house * t->items + uneven(rng, 8191, t->items));
    }
}

static void next(void *state, uint32_t session, iso_rng *rng, iso_program *p) {
    tables *t = state;
    uint64_t house = session % t->warehouses, d = house * DISTRICTS + iso_random_below(rng, DISTRICTS);
    uint64_t kind = iso_random_below(rng, 100);
    if (kind < 45) {
        new_order(t, house, d, rng, p);
    } else if (kind < 88) {
        payment(t, house, d, rng, p);
    } else if (kind < 92) {
        order_status(t, d, rng, p);
    } else if (kind < 96) {
        delivery(t, house, rng, p);
    } else {
        stock_level(t, house, d, rng, p);
    }
}

/* Returns the first key of a new table; tables are consecutive ranges of keys. */
static uint64_t table(tables *t, uint64_t rows) {
    uint64_t first = t->n_keys;
    t->n_keys += rows;
    return first;
}

static void workload(iso_args *args, iso_workload *out) {
    tables *t = ISO_NEW(args->pool, tables, 1);
    *t = (tables){.warehouses = iso_arg_count(args, "warehouses"),
                  .customers = iso_arg_count(args, "customers"),
                  .items = iso_arg_count(args, "items"),
                  .n_history = 10000};
    uint64_t districts = t->warehouses * DISTRICTS;
    t->warehouse = table(t, t->warehouses);
    t->district = table(t, districts);
    t->customer = table(t, districts * t->customers);
    t->stock = table(t, t->warehouses * t->items);
    t->item = table(t, t->items);
    t->order = table(t, districts * RING);
    t->new_order = table(t, districts * RING);
    t->line = table(t, districts * RING * LINES);
    t->history = table(t, t->n_history);
    t->next_order = ISO_ZNEW(args->pool, uint64_t, districts);
    t->oldest = ISO_ZNEW(args->pool, uint64_t, districts);
    t->last_of = ISO_ZNEW(args->pool, uint64_t, districts * t->customers);
    *out = (iso_workload){.n_keys = t->n_keys, .state = t, .next = next};
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
