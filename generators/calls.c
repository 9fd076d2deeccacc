/* Logs of calls, for linearizability: clients read, write and compare-and-set registers with few values, and some calls
 * stay open. A call takes effect between its start and its end. What makes such a log hard is how many calls overlap:
 * at every step one client starts a call, lets it take effect, or gets its answer, so that two thirds of them have one
 * open. */
#include "base/random.h"
#include "generators/generator.h"

typedef enum { IDLE, STARTED, DONE } phase;

typedef struct client {
    phase phase;
    uint32_t session, key;
    int64_t start;
    iso_op_kind kind; /* of a compare-and-set: ISO_APPEND */
    uint32_t old, now, new;
} client;

typedef struct settings {
    iso_builder *b;
    iso_rng rng;
    uint64_t keys, values;
    double reads, writes, open, wrong;
    uint32_t *value; /* by key; 0: the initial one */
} settings;

static uint32_t below(settings *s, uint64_t n) { return (uint32_t)iso_random_below(&s->rng, n); }
static bool chance(settings *s, double share) { return iso_random_unit(&s->rng) < share; }
static iso_atom atom(uint32_t value) { return value == 0 ? iso_atom_nil() : iso_atom_int(value); }

static void start(settings *s, client *c, int64_t now) {
    double kind = iso_random_unit(&s->rng);
    c->phase = STARTED;
    c->start = now;
    c->key = below(s, s->keys);
    c->kind = kind < s->reads ? ISO_READ : kind < s->reads + s->writes ? ISO_WRITE : ISO_APPEND;
    c->old = 1 + below(s, s->values);
    c->new = 1 + below(s, s->values);
}

/* The register answers; a wrong answer is of any value. */
static void take_effect(settings *s, client *c) {
    uint32_t *value = &s->value[c->key];
    c->phase = DONE;
    c->now = chance(s, s->wrong) ? 1 + below(s, s->values) : *value;
    if (c->kind == ISO_WRITE || (c->kind == ISO_APPEND && c->now == c->old)) {
        *value = c->new;
    }
}

/* Records a call; end ISO_NO_TIME: it stays open, and its client goes on as another one. */
static void record(settings *s, client *c, int64_t end) {
    bool open = end == ISO_NO_TIME;
    uint32_t key = iso_builder_key(s->b, iso_atom_int(c->key));
    uint32_t txn = iso_builder_txn(s->b, c->session, iso_atom_nil(), open ? ISO_INDETERMINATE : ISO_COMMITTED);
    iso_builder_times(s->b, txn, c->start, end);
    if (c->kind == ISO_READ && !open) {
        iso_builder_op(s->b, txn, ISO_READ, key, atom(c->now));
    } else if (c->kind == ISO_WRITE) {
        iso_builder_op(s->b, txn, ISO_WRITE, key, atom(c->new));
    } else if (c->kind == ISO_APPEND) {
        bool failed = !open && c->now != c->old;
        iso_builder_op(s->b, txn, ISO_READ, key, failed ? iso_atom_not(atom(c->old)) : atom(c->old));
        if (!failed) {
            iso_builder_op(s->b, txn, ISO_WRITE, key, atom(c->new));
        }
    }
    c->session = open ? iso_builder_session(s->b, iso_atom_nil()) : c->session;
    c->phase = IDLE;
}

static void step(settings *s, client *c, int64_t now, uint64_t *left) {
    if (c->phase == IDLE && *left > 0) {
        --*left;
        start(s, c, now);
    } else if (c->phase == STARTED && chance(s, s->open / 2)) { /* half of the open calls never take effect */
        record(s, c, ISO_NO_TIME);
    } else if (c->phase == STARTED) {
        take_effect(s, c);
    } else if (c->phase == DONE) {
        record(s, c, chance(s, s->open / 2) ? ISO_NO_TIME : now);
    }
}

static void make_calls(iso_args *args, iso_builder *b) {
    settings s = {.b = b,
                  .rng = {iso_arg_count(args, "seed")},
                  .keys = iso_arg_count(args, "keys"),
                  .values = iso_arg_count(args, "values"),
                  .reads = iso_arg_real(args, "reads"),
                  .writes = iso_arg_real(args, "writes"),
                  .open = iso_arg_real(args, "open"),
                  .wrong = iso_arg_real(args, "wrong")};
    if (s.reads + s.writes > 1) {
        iso_throw(args->pool->env, ISOLAB_E_USAGE, "--reads and --writes are shares of all calls, at most 1 together");
    }
    uint64_t n = iso_arg_count(args, "clients"), left = iso_arg_count(args, "txns");
    client *clients = ISO_ZNEW(args->pool, client, n);
    s.value = ISO_ZNEW(args->pool, uint32_t, s.keys);
    for (uint64_t i = 0; i < n; i++) {
        clients[i].session = iso_builder_session(b, iso_atom_nil());
    }
    int64_t now = 0;
    while (left > 0) {
        iso_tick(args->pool->env);
        step(&s, &clients[below(&s, n)], now++, &left);
    }
    for (uint64_t i = 0; i < n; i++) { /* the answers that are still to come */
        while (clients[i].phase != IDLE) {
            step(&s, &clients[i], now++, &left);
        }
    }
}

static const iso_option options[] = {
    {ISO_COUNT("txns", "1000", 0, 1e9, "calls")},
    {ISO_COUNT("clients", "10", 1, 1e6, "clients; two thirds of them have an open call at any time")},
    {ISO_COUNT("keys", "1", 1, 1e8, "registers")},
    {ISO_COUNT("values", "5", 1, 1e9, "values that are written")},
    {ISO_REAL("reads", "0.33", 0, 1, "share of calls that read")},
    {ISO_REAL("writes", "0.33", 0, 1, "share of calls that write; the others compare and set")},
    {ISO_REAL("open", "0", 0, 1, "share of calls that are never answered; half of them take effect")},
    {ISO_REAL("wrong", "0", 0, 1, "share of calls that the register answers by any value")},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "of everything random")},
    ISO_END};

const iso_generator iso_generator_calls = {
    .name = "calls",
    .summary = "logs of calls: reads, writes and compare-and-sets of registers, for linearizability",
    .options = options,
    .run = make_calls,
};
