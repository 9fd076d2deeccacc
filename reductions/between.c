/* Betweenness and non-betweenness to strong levels: n elements, and triples (a, c, b). Is there an order of the
 * elements in which no c is between its a and b (or, --kind between, in which every c is)?
 *
 * Element a becomes a transaction W_a, which writes a key of its own. A triple becomes a transaction that reads x from
 * W_a and y from W_b, where W_c writes x and y, too; each transaction is a session. W_c is not between W_a and the
 * reader, since the reader would have seen its x, and not between W_b and the reader. The reader is after W_a and W_b.
 * So W_c is not between W_a and W_b; and if it is not, the reader may come directly after the later of the two. All of
 * this is about commits of writers and snapshots of readers, so the history satisfies pc, si and ser, or none of them.
 *
 * c is between a and b if and only if neither a is between b and c, nor b between a and c: so a triple of betweenness
 * becomes two readers. Betweenness is NP-complete (Opatrny 1979), so non-betweenness is, and checking histories of
 * transactions that only write and transactions of two reads is.
 *
 * Random triples: --ratio triples for each element. With few triples nearly all instances have an order, with many
 * nearly none; the hard ones are between (docs/hardness.md). */
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/print.h"
#include "base/random.h"
#include "history/about.h"
#include "reductions/input.h"
#include "reductions/reduction.h"
#include "reductions/replay.h"
#include "reductions/sat.h"

enum { MOST_SOLVED = 80 }; /* elements that the formula, of n^3 clauses, is made for */

/* c must not be between a and b. */
typedef struct triple {
    uint32_t a, c, b;
} triple;

typedef struct problem {
    iso_pool *pool;
    uint32_t elements, given; /* given: the triples of the problem */
    triple *at;
    size_t n, room;
    bool between;
} problem;

static void add_triple(problem *u, uint32_t a, uint32_t c, uint32_t b) {
    ISO_GROW(u->pool, u->at, u->n, u->room);
    u->at[u->n++] = (triple){a, c, b};
}

static void constrain(problem *u, uint32_t a, uint32_t c, uint32_t b) {
    u->given++;
    if (u->between) {
        add_triple(u, b, a, c);
        add_triple(u, a, b, c);
    } else {
        add_triple(u, a, c, b);
    }
}

/* Reads one triple `a c b` in each line, of whole numbers; `#` begins a comment. */
static void load(problem *u, const char *path) {
    size_t size;
    char *text = iso_source_text(u->pool, path, 0, &size), *end = text + size;
    uint64_t line = 1;
    for (char *at = text; at < end; line++) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop == NULL ? end : stop;
        *stop = '\0';
        at[strcspn(at, "#")] = '\0';
        iso_tick(u->pool->env);
        uint32_t x[3] = {0};
        unsigned n = 0;
        char *from = at;
        for (at += strspn(at, " \t\r"); *at != '\0'; at += strspn(at, " \t\r")) {
            char *after;
            unsigned long long value = strtoull(at, &after, 10);
            if (after == at || *at == '-' || value > 1000000 || n > 2 ||
                (*after != '\0' && strchr(" \t\r", *after) == NULL)) {
                n = 4;
                break;
            }
            x[n++] = (uint32_t)value;
            at = after;
        }
        if (n > 0 && (n != 3 || x[0] == x[1] || x[1] == x[2] || x[0] == x[2])) {
            iso_input_bad(u->pool->env, path, line,
                          "expected three different numbers of at most 1000000, found `%.30s`", from);
        }
        for (unsigned i = 0; i < n; i++) {
            u->elements = x[i] < u->elements ? u->elements : x[i] + 1;
        }
        if (n > 0) {
            constrain(u, x[0], x[1], x[2]);
        }
        at = stop + 1;
    }
}

static void draw(problem *u, const iso_args *args) {
    iso_rng rng = {iso_arg_count(args, "seed")};
    uint32_t n = u->elements = (uint32_t)iso_arg_count(args, "elements");
    uint64_t triples = (uint64_t)(iso_arg_real(args, "ratio") * n + 0.5);
    for (uint64_t i = 0; i < triples && n >= 3; i++) {
        iso_tick(u->pool->env);
        uint32_t a = (uint32_t)iso_random_below(&rng, n), c = a, b = a;
        while (c == a) {
            c = (uint32_t)iso_random_below(&rng, n);
        }
        while (b == a || b == c) {
            b = (uint32_t)iso_random_below(&rng, n);
        }
        constrain(u, a, c, b);
    }
}

static uint32_t new_txn(iso_builder *b, uint32_t number) {
    return iso_builder_txn(b, iso_builder_session(b, iso_atom_uint(number)), iso_atom_nil(), ISO_COMMITTED);
}

static void write_op(iso_builder *b, uint32_t element, uint64_t key) {
    iso_builder_op(b, element, ISO_WRITE, iso_builder_key(b, iso_atom_uint(key)), iso_atom_uint((uint64_t)element + 1));
}

/* Elements are transactions 0 .. n - 1, in this order, and readers follow. Keys: an element's own one, so that no
 * transaction is empty, then two for each triple. */
static void history_of(iso_builder *b, const problem *u) {
    uint32_t n = u->elements;
    for (uint32_t a = 0; a < n; a++) {
        write_op(b, new_txn(b, a), a);
    }
    for (uint32_t i = 0; i < u->n; i++) {
        iso_tick(u->pool->env);
        uint64_t x = n + 2 * (uint64_t)i, y = x + 1;
        write_op(b, u->at[i].a, x);
        write_op(b, u->at[i].c, x);
        write_op(b, u->at[i].b, y);
        write_op(b, u->at[i].c, y);
        uint32_t reader = new_txn(b, n + i);
        for (unsigned k = 0; k < 2; k++) {
            iso_builder_op(b, reader, ISO_READ, iso_builder_key(b, iso_atom_uint(k == 0 ? x : y)),
                           iso_atom_uint((uint64_t)(k == 0 ? u->at[i].a : u->at[i].b) + 1));
        }
    }
}

static void build(iso_reduce *r, iso_builder *b) {
    problem *u = ISO_ZNEW(r->pool, problem, 1);
    r->state = u;
    u->pool = r->pool;
    r->level = iso_level_find(iso_arg_text(r->args, "level"), NULL);
    u->between = iso_arg_is(r->args, "kind", "between");
    const char *path = iso_arg_text(r->args, "triples");
    if (path[0] != '\0') {
        load(u, path);
    } else {
        draw(u, r->args);
    }
    if (u->elements + 6 * (uint64_t)u->n > ISO_ID_MAX) {
        iso_throw(r->pool->env, ISOLAB_E_LIMIT, "too many triples: a history has at most %u operations", ISO_ID_MAX);
    }
    iso_printer about = {.target = ISO_PLAIN, .pool = r->pool};
    iso_print(&about, "order %s; elements %u; triples %u", u->between ? "between" : "not-between", u->elements,
              u->given);
    iso_builder_about(b, iso_printed(&about), about.size);
    history_of(b, u);
}

/* place[a] is the place of an element in an order. */
static bool holds(const problem *u, const uint32_t *place) {
    for (uint32_t i = 0; i < u->n; i++) {
        uint32_t a = place[u->at[i].a], c = place[u->at[i].c], b = place[u->at[i].b];
        if ((a < c && c < b) || (b < c && c < a)) {
            return false;
        }
    }
    return true;
}

/* A formula: a variable for each pair, `a before b`; every three elements without a cycle. */
static int32_t before(uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    int32_t variable = (int32_t)(high * (high - 1) / 2 + low + 1);
    return a < b ? variable : -variable;
}

typedef struct clauses {
    iso_pool *pool;
    iso_cnf f;
    size_t first_room, literal_room;
} clauses;

static void clause(clauses *k, unsigned n, const int32_t *literal) {
    for (unsigned i = 0; i < n; i++) {
        ISO_GROW(k->pool, k->f.literal, k->f.n_literals, k->literal_room);
        k->f.literal[k->f.n_literals++] = literal[i];
    }
    k->f.n_clauses++;
    ISO_GROW(k->pool, k->f.first, k->f.n_clauses, k->first_room);
    k->f.first[k->f.n_clauses] = k->f.n_literals;
}

/* The problem's own solver, CaDiCaL: 1 and the places of the elements, 0, or -1 if there are too many elements. */
static int solve(const problem *u, iso_pool *pool, uint32_t *place) {
    uint32_t n = u->elements;
    if (n > MOST_SOLVED) {
        return -1;
    }
    clauses k = {.pool = pool, .f = {.n_vars = n * (n - (n > 0)) / 2}};
    ISO_GROW(pool, k.f.first, 0, k.first_room);
    k.f.first[0] = 0;
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            for (uint32_t c = 0; c < n; c++) {
                if (a != b && b != c && a != c) {
                    clause(&k, 3, (int32_t[]){-before(a, b), -before(b, c), before(a, c)});
                }
            }
        }
    }
    for (uint32_t i = 0; i < u->n; i++) {
        int32_t ac = before(u->at[i].a, u->at[i].c), cb = before(u->at[i].c, u->at[i].b);
        clause(&k, 2, (int32_t[]){-ac, -cb});
        clause(&k, 2, (int32_t[]){ac, cb});
    }
    bool *value = ISO_ZNEW(pool, bool, (size_t)k.f.n_vars + 1);
    if (!iso_cnf_solve(pool->env, &k.f, value)) {
        return 0;
    }
    for (uint32_t a = 0; a < n; a++) {
        place[a] = 0;
        for (uint32_t b = 0; b < n; b++) {
            int32_t literal = a == b ? 0 : before(b, a);
            place[a] += literal != 0 && value[abs(literal)] == (literal > 0);
        }
    }
    return 1;
}

/* Returns the place of transaction i: an element's own one, or that of the later of a triple's two writers. */
static uint32_t row_of(const problem *u, const uint32_t *place, uint32_t i) {
    if (i < u->elements) {
        return place[i];
    }
    uint32_t a = place[u->at[i - u->elements].a], b = place[u->at[i - u->elements].b];
    return a < b ? b : a;
}

/* The serial order: each reader directly after the later one of its writers. */
static void order_of(const problem *u, iso_pool *scratch, const uint32_t *place, uint32_t *order) {
    uint32_t n = u->elements + (uint32_t)u->n;
    iso_buckets rows = iso_buckets_new(scratch, u->elements);
    for (uint32_t i = 0; i < n; i++) {
        iso_buckets_count(&rows, row_of(u, place, i));
    }
    iso_buckets_sum(&rows);
    for (uint32_t i = 0; i < n; i++) { /* elements come first, also in their rows */
        order[iso_buckets_place(&rows, row_of(u, place, i))] = i;
    }
    iso_free(scratch, rows.first);
}

static void places_of(const problem *u, const uint32_t *order, uint32_t n, uint32_t *place) {
    for (uint32_t at = 0; at < n; at++) {
        if (order[at] < u->elements) {
            place[order[at]] = at;
        }
    }
}

static void print_order(const problem *u, const uint32_t *order, uint32_t n, FILE *out) {
    for (uint32_t at = 0; at < n; at++) {
        if (order[at] < u->elements) {
            iso_say(out, " %u", order[at]);
        }
    }
    iso_say(out, "\n");
}

static bool explain(iso_reduce *r, const isolab_history *h, FILE *out) {
    const problem *u = r->state;
    uint32_t *place = ISO_NEW(r->pool, uint32_t, (size_t)u->elements + 1);
    int solved = solve(u, r->pool, place);
    bool good = true;
    iso_say(out, "%u elements, %u triples (%s): %s\n", u->elements, u->given, u->between ? "between" : "not between",
            solved < 0    ? "too many elements for CaDiCaL"
            : solved == 1 ? "an order exists (CaDiCaL)"
                          : "no order (CaDiCaL)");
    if (solved == 1) {
        uint32_t *order = ISO_NEW(r->pool, uint32_t, h->n_txns);
        order_of(u, r->pool, place, order);
        good = holds(u, place) && iso_replay(h, r->pool, order, h->n_txns, false);
        iso_say(out, "CaDiCaL's order as a commit order: %s\n", good ? "a serial one" : "NOT a serial one");
    }
    iso_result result;
    isolab_verdict verdict = iso_reduce_ask(r, r->pool, h, r->level, &result);
    iso_say(out, "history: %u transactions, %u operations, level %s: %s\n", h->n_txns, h->n_ops,
            iso_level_get(r->level)->name, iso_verdict_text(verdict));
    good = good && (solved < 0 || (verdict == ISOLAB_SATISFIED) == (solved == 1));
    if (verdict == ISOLAB_SATISFIED && result.order != NULL) {
        places_of(u, result.order, result.n_order, place);
        bool right = holds(u, place);
        iso_say(out, "the commit order as an order of the elements (%s):", right ? "it holds" : "it does NOT hold");
        print_order(u, result.order, result.n_order, out);
        good = good && right;
    }
    return good;
}

static bool certify(iso_reduce *r, const isolab_history *h, iso_result *result) {
    const problem *u = r->state;
    uint32_t *place = ISO_NEW(r->pool, uint32_t, (size_t)u->elements + 1);
    if (solve(u, r->pool, place) != 1) {
        return false;
    }
    result->verdict = ISOLAB_SATISFIED;
    result->order = ISO_NEW(result->pool, uint32_t, h->n_txns);
    result->n_order = h->n_txns;
    order_of(u, r->pool, place, result->order);
    return true;
}

static void map(const iso_reduce *r, const isolab_history *h, FILE *out) {
    const problem *u = r->state;
    iso_printer json = {.out = out, .target = ISO_JSON};
    char name[ISO_NAME_SIZE];
    for (uint32_t x = 0; x < h->n_txns; x++) {
        const char *text = iso_txn_text(h, x, name);
        if (x < u->elements) {
            iso_print(&json, "{\"element\":%u,\"transaction\":%s}\n", x, text);
        } else {
            const triple *at = &u->at[x - u->elements];
            iso_print(&json, "{\"not_between\":[%u,%u,%u],\"transaction\":%s}\n", at->a, at->c, at->b, text);
        }
    }
}

static const iso_option options[] = {
    {ISO_TEXT("triples", "", "file with a triple `a c b` in each line; else random ones")},
    {ISO_WORD("kind", "not-between", "not-between between",
              "not-between: c must not be between a and b; between: c must be")},
    {ISO_COUNT("elements", "20", 0, 1e6, "elements of random triples")},
    {ISO_REAL("ratio", "2", 0, 1000, "random triples for each element")},
    {ISO_WORD("level", "ser", "ser si pc", "level that --explain asks for"), .of = ISO_OF_SOME_LEVELS, .letter = 'l'},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of the random triples")},
    ISO_END};

const iso_reduction iso_reduction_between = {
    .name = "between",
    .summary = "is there an order with no c between its a and b? As pc, si or ser; random ones have a threshold",
    .paper = "Opatrny 1979",
    .options = options,
    .build = build,
    .map = map,
    .explain = explain,
    .certify = certify,
};
