/* Memory models to isolation (mtc-appendix.txt theorems 9 and 10): a trace of single reads and writes, with repeated
 * values, as a history of transactions of one operation each.
 *
 *   sc   sequential consistency (verifying it is VSC, NP-complete: Gibbons and Korach) is ser
 *   lin  linearizability is sser: an operation's times become those of its transaction
 *
 * Operation i of the trace is transaction i of the history, so a commit order is an interleaving and an interleaving is
 * a commit order, without translation.
 *
 * A trace is a text with one process in each line, operations separated by commas: `w x 1, r y 0 @5..9`; `u x 1 2` is
 * an update, which reads 1 and writes 2 in one instant. Traces of updates and reads become mini-transactions; plain
 * writes do not, so the theorems need traces of updates alone ("read&write operations"), which are as hard.
 * `@start..end` is required for lin; the initial value is 0; `#` begins a comment. Without a file, a random machine
 * makes a trace: each process has a store buffer, from which its writes reach the memory late, so that some traces are
 * sequentially consistent and some are not. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/random.h"
#include "reductions/input.h"
#include "reductions/reduction.h"
#include "reductions/replay.h"
#include "reductions/vsc.h"

typedef struct growing {
    iso_pool *pool;
    iso_trace_ops t;
    size_t op_room, first_room, name_room;
} growing;

static void add_op(growing *g, iso_trace_op op) {
    ISO_GROW(g->pool, g->t.op, g->t.n_ops, g->op_room);
    g->t.op[g->t.n_ops++] = op;
    g->t.first[g->t.n_processes] = g->t.n_ops;
}

/* first[] always has n_processes + 1 elements, even before the first process. */
static void next_process(growing *g) {
    if (g->t.n_processes == 0) {
        ISO_GROW(g->pool, g->t.first, 0, g->first_room);
        g->t.first[0] = 0;
    }
    uint32_t n = ++g->t.n_processes;
    ISO_GROW(g->pool, g->t.first, n, g->first_room);
    g->t.first[n] = g->t.n_ops;
}

/* Parses `w NAME VALUE`, `r NAME VALUE` or `u NAME OLD NEW`. Returns the number of bytes. */
static int parse_words(iso_env *env, const char *path, uint64_t line, const char *text, char location[65],
                       iso_trace_op *op) {
    char kind[8], value[2][33];
    int used = 0, words = sscanf(text, " %7s %64s %32s %n", kind, location, value[0], &used);
    op->update = words == 3 && strcmp(kind, "u") == 0;
    if (op->update) {
        words = sscanf(text, " %7s %64s %32s %32s %n", kind, location, value[0], value[1], &used);
    }
    if (words < (op->update ? 4 : 3) || kind[1] != '\0' || strchr("rwu", kind[0]) == NULL) {
        iso_input_bad(env, path, line,
                      "expected `r LOCATION VALUE`, `w LOCATION VALUE` or `u LOCATION OLD NEW`, found `%.40s`", text);
    }
    if (strlen(location) > 63) {
        iso_input_bad(env, path, line, "expected a name of at most 63 bytes, found `%.40s...`", location);
    }
    op->kind = kind[0] == 'r' ? ISO_READ : ISO_WRITE;
    for (int i = 0; i <= op->update; i++) {
        char *end;
        errno = 0;
        op->old = op->value; /* the first of two values */
        op->value = strtoll(value[i], &end, 10);
        if (*end != '\0' || errno != 0) {
            iso_input_bad(env, path, line, "expected a whole number of 64 bits as the value, found `%s`", value[i]);
        }
    }
    return used;
}

/* Parses an operation, then optionally `@START..END`. */
static void parse_op(growing *g, iso_builder *names, const char *path, uint64_t line, char *text) {
    iso_env *env = g->pool->env;
    char location[65];
    iso_trace_op op = {.start = ISO_NO_TIME, .end = ISO_NO_TIME};
    int used = parse_words(env, path, line, text, location, &op);
    long long from, to;
    int rest = 0;
    if (text[used] != '\0') {
        if (sscanf(text + used, " @%18lld..%18lld %n", &from, &to, &rest) < 2 || text[used + rest] != '\0' ||
            rest == 0 || to < from) {
            iso_input_bad(env, path, line, "expected `@START..END`, found `%.40s`", text + used);
        }
        op.start = from;
        op.end = to;
    }
    op.location = iso_builder_key(names, iso_builder_string(names, location, strlen(location)));
    if (op.location == g->t.n_locations) {
        char *copy = iso_alloc(g->pool, sizeof location, 1);
        strcpy(copy, location);
        ISO_GROW(g->pool, g->t.name, g->t.n_locations, g->name_room);
        g->t.name[g->t.n_locations++] = copy;
    }
    add_op(g, op);
}

static iso_trace_ops load_trace(iso_pool *pool, const char *path) {
    size_t size;
    char *at = iso_source_text(pool, path, 0, &size), *end = at + size;
    growing g = {.pool = pool};
    iso_builder *names = iso_builder_new(pool); /* only to number the locations */
    for (uint64_t line = 1; at < end; line++) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop == NULL ? end : stop;
        *stop = '\0';
        if (strlen(at) != (size_t)(stop - at)) {
            iso_input_bad(pool->env, path, line, "expected text, found a zero byte");
        }
        at[strcspn(at, "#\r")] = '\0';
        if (at[strspn(at, " \t")] != '\0') {
            next_process(&g);
            char *rest = NULL;
            for (char *op = strtok_r(at, ",", &rest); op != NULL; op = strtok_r(NULL, ",", &rest)) {
                parse_op(&g, names, path, line, op);
                iso_tick(pool->env);
            }
        }
        at = stop + 1;
    }
    if (g.t.n_ops == 0) {
        iso_input_bad(pool->env, path, 0, "expected operations such as `w x 1, r x 1`, one line a process, found none");
    }
    return g.t;
}

enum { BUFFER = 4 };

/* A process of the random machine. */
typedef struct core {
    iso_trace_op *op; /* its operations so far */
    uint32_t done;
    uint32_t location[BUFFER];
    int64_t value[BUFFER];
    uint32_t waiting;
} core;

static void flush_one(core *c, int64_t *memory) {
    memory[c->location[0]] = c->value[0];
    c->waiting--;
    memmove(c->location, c->location + 1, c->waiting * sizeof *c->location);
    memmove(c->value, c->value + 1, c->waiting * sizeof *c->value);
}

static int64_t read_location(const core *c, const int64_t *memory, uint32_t location) {
    for (uint32_t i = c->waiting; i-- > 0;) {
        if (c->location[i] == location) {
            return c->value[i];
        }
    }
    return memory[location];
}

iso_trace_ops iso_trace_random(iso_pool *pool, const iso_trace_shape *shape, iso_rng *rng) {
    growing g = {.pool = pool};
    core *cores = ISO_ZNEW(pool, core, shape->processes);
    int64_t *memory = ISO_ZNEW(pool, int64_t, shape->locations), now = 0;
    iso_trace_op *all = iso_alloc(pool, (size_t)shape->processes * shape->ops, sizeof *all);
    for (uint32_t p = 0; p < shape->processes; p++) {
        cores[p].op = all + (size_t)p * shape->ops;
    }
    for (uint64_t left = (uint64_t)shape->processes * shape->ops; left > 0;) {
        iso_tick(pool->env);
        core *c = &cores[iso_random_below(rng, shape->processes)];
        if (c->waiting == BUFFER || (c->waiting > 0 && iso_random_unit(rng) >= shape->delay)) {
            flush_one(c, memory);
        }
        if (c->done == shape->ops) {
            continue;
        }
        iso_trace_op op = {.location = (uint32_t)iso_random_below(rng, shape->locations)};
        op.start = now + 1;
        now += 1 + (int64_t)iso_random_below(rng, 10);
        op.end = now;
        if (iso_random_unit(rng) < shape->reads) {
            op.kind = ISO_READ;
            op.value = read_location(c, memory, op.location);
        } else {
            op.kind = ISO_WRITE;
            op.update = shape->updates > 0 && iso_random_unit(rng) < shape->updates;
            op.old = op.update ? read_location(c, memory, op.location) : 0;
            op.value = 1 + (int64_t)iso_random_below(rng, shape->values);
            if (c->waiting == BUFFER || shape->delay <= 0) {
                memory[op.location] = op.value;
            } else {
                c->location[c->waiting] = op.location;
                c->value[c->waiting++] = op.value;
            }
        }
        c->op[c->done++] = op;
        left--;
    }
    for (uint32_t p = 0; p < shape->processes; p++) {
        next_process(&g);
        for (uint32_t i = 0; i < cores[p].done; i++) {
            add_op(&g, cores[p].op[i]);
        }
    }
    g.t.n_locations = shape->locations;
    return g.t;
}

/* Returns the key of a location. A name that is a whole number stays a number, for formats that have only numbers. */
static iso_atom location_atom(const iso_trace_ops *t, uint32_t location, iso_builder *b) {
    if (t->name == NULL) {
        return iso_atom_int(location);
    }
    const char *name = t->name[location];
    size_t n = strlen(name);
    if (strspn(name, "0123456789") == n && n <= 18 && (name[0] != '0' || n == 1)) {
        return iso_atom_int(strtoll(name, NULL, 10));
    }
    return iso_builder_string(b, name, n);
}

void iso_trace_build(const iso_trace_ops *t, bool times, iso_env *env, iso_builder *b) {
    iso_builder_initial(b, iso_atom_int(0));
    for (uint32_t p = 0; p < t->n_processes; p++) {
        uint32_t session = iso_builder_session(b, iso_atom_int(p));
        for (uint32_t i = t->first[p]; i < t->first[p + 1]; i++) {
            const iso_trace_op *op = &t->op[i];
            iso_tick(env);
            uint32_t txn = iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
            uint32_t key = iso_builder_key(b, location_atom(t, op->location, b));
            if (op->update) {
                iso_builder_op(b, txn, ISO_READ, key, iso_atom_int(op->old));
            }
            iso_builder_op(b, txn, (iso_op_kind)op->kind, key, iso_atom_int(op->value));
            if (times) {
                if (op->start == ISO_NO_TIME) {
                    iso_throw(env, ISOLAB_E_USAGE, "linearizability needs `@START..END` on every operation");
                }
                iso_builder_times(b, txn, op->start, op->end);
            }
        }
    }
}

static void build(iso_reduce *r, iso_builder *b) {
    iso_args *args = r->args;
    iso_trace_ops *t = ISO_ZNEW(r->pool, iso_trace_ops, 1);
    r->state = t;
    bool lin = iso_arg_is(args, "model", "lin");
    r->level = lin ? ISO_SSER : ISO_SER;
    const char *path = iso_arg_text(args, "trace");
    if (path[0] != '\0') {
        *t = load_trace(r->pool, path);
    } else {
        iso_trace_shape shape = {(uint32_t)iso_arg_count(args, "processes"),
                                 (uint32_t)iso_arg_count(args, "ops"),
                                 (uint32_t)iso_arg_count(args, "locations"),
                                 (uint32_t)iso_arg_count(args, "values"),
                                 iso_arg_real(args, "reads"),
                                 iso_arg_real(args, "updates"),
                                 iso_arg_real(args, "delay")};
        iso_rng rng = {iso_arg_count(args, "seed")};
        *t = iso_trace_random(r->pool, &shape, &rng);
    }
    iso_trace_build(t, lin, r->pool->env, b);
}

static void map(const iso_reduce *r, const isolab_history *h, FILE *out) {
    const iso_trace_ops *t = r->state;
    iso_printer json = {.out = out, .target = ISO_JSON};
    char name[ISO_NAME_SIZE];
    for (uint32_t p = 0; p < t->n_processes; p++) {
        for (uint32_t i = t->first[p]; i < t->first[p + 1]; i++) {
            iso_print(&json, "{\"process\":%u,\"operation\":%u,\"transaction\":%s}\n", p, i - t->first[p],
                      iso_txn_text(h, i, name));
        }
    }
}

static void print_op(const iso_trace_ops *t, const isolab_history *h, uint32_t i, FILE *out) {
    char text[ISO_NAME_SIZE];
    const iso_trace_op *op = &t->op[i];
    const char *key = iso_key_text(h, h->op_key[h->txn_op[i]], text);
    iso_say(out, "process %u: ", h->txn_session[i]);
    if (op->update) {
        iso_say(out, "u %s %lld %lld", key, (long long)op->old, (long long)op->value);
    } else {
        iso_say(out, "%c %s %lld", op->kind == ISO_READ ? 'r' : 'w', key, (long long)op->value);
    }
}

enum { MOST_PRINTED = 1000 };

static void print_order(const iso_trace_ops *t, const isolab_history *h, const uint32_t *order, uint32_t n, FILE *out) {
    for (uint32_t i = 0; i < n && i < MOST_PRINTED; i++) {
        iso_say(out, "  ");
        print_op(t, h, order[i], out);
        iso_say(out, "\n");
    }
    if (n > MOST_PRINTED) {
        iso_say(out, "  and %u more\n", n - MOST_PRINTED);
    }
}

/* Prints the cycle of the first anomaly that has one, as operations each of which must come before the next. */
static void print_cycle(const iso_trace_ops *t, const isolab_history *h, const iso_result *result, FILE *out) {
    for (uint32_t a = 0; a < result->n_anomalies; a++) {
        const iso_anomaly *anomaly = &result->anomalies[a];
        if (anomaly->n_cycle == 0 || anomaly->n_cycle > MOST_PRINTED) {
            continue;
        }
        iso_say(out, "the violation as operations, each of which must come before the next:\n");
        for (uint32_t i = anomaly->cycle; i < anomaly->cycle + anomaly->n_cycle; i++) {
            uint32_t txn = result->edges[i].from;
            iso_say(out, "  ");
            if (txn < h->n_txns) {
                print_op(t, h, txn, out);
            } else {
                iso_say(out, "the initial values");
            }
            iso_say(out, "\n");
        }
        return;
    }
}

static bool explain(iso_reduce *r, const isolab_history *h, FILE *out) {
    const iso_trace_ops *t = r->state;
    bool lin = r->level == ISO_SSER, good = true;
    iso_say(out, "trace: %u processes, %u operations\n", t->n_processes, t->n_ops);
    iso_result result;
    isolab_verdict verdict = iso_reduce_ask(r, r->pool, h, r->level, &result);
    iso_say(out, "history at level %s: %s, so the trace is %s%s\n", iso_level_get(r->level)->name,
            iso_verdict_text(verdict), verdict == ISOLAB_SATISFIED ? "" : "not ",
            lin ? "linearizable" : "sequentially consistent");
    uint32_t *found_order = ISO_NEW(r->pool, uint32_t, h->n_txns);
    int found = iso_trace_search(t, lin, r->pool, found_order);
    if (found >= 0) {
        good = (verdict == ISOLAB_SATISFIED) == (found == 1);
        iso_say(out, "a search over interleavings %s\n", good ? "says the same" : "says the OPPOSITE");
    }
    if (found == 1) {
        bool serial = iso_replay(h, r->pool, found_order, t->n_ops, lin);
        iso_say(out, "the interleaving that it found as a commit order: %s\n",
                serial ? "a serial one" : "NOT a serial one");
        good = good && serial;
    }
    if (verdict == ISOLAB_SATISFIED && result.order != NULL) {
        bool serial = iso_replay(h, r->pool, result.order, result.n_order, lin);
        iso_say(out, "the commit order as an interleaving (%s):\n", serial ? "it explains the trace" : "it does NOT");
        good = good && serial;
        print_order(t, h, result.order, result.n_order, out);
    } else if (verdict == ISOLAB_VIOLATED) {
        print_cycle(t, h, &result, out);
    }
    return good;
}

/* An interleaving is a serial order; each read takes the latest write. */
static bool certify(iso_reduce *r, const isolab_history *h, iso_result *result) {
    const iso_trace_ops *t = r->state;
    result->order = ISO_NEW(result->pool, uint32_t, h->n_txns);
    if (iso_trace_search(t, r->level == ISO_SSER, r->pool, result->order) != 1) {
        return false;
    }
    result->verdict = ISOLAB_SATISFIED;
    result->n_order = h->n_txns;
    result->read_from = iso_replay_reads(h, result->pool, result->order, result->n_order);
    return true;
}

static const iso_option options[] = {
    {ISO_TEXT("trace", "", "file of the trace; else a random one")},
    {ISO_WORD("model", "sc", "sc lin", "sequential consistency (ser) or linearizability (sser)")},
    {ISO_COUNT("processes", "3", 1, 1e6, "processes of a random trace")},
    {ISO_COUNT("ops", "6", 1, 1e8, "operations of a process")},
    {ISO_COUNT("locations", "2", 1, 1e8, "memory locations")},
    {ISO_COUNT("values", "2", 1, 1e9, "values that are written, besides the initial 0")},
    {ISO_REAL("reads", "0.5", 0, 1, "share of reads")},
    {ISO_REAL("updates", "0", 0, 1,
              "share of updates (read and write in one step, a mini-transaction) among the other operations")},
    {ISO_REAL("delay", "0.5", 0, 0.99, "chance that a write stays in its buffer at a step")},
    {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of the random trace")},
    ISO_END};

const iso_reduction iso_reduction_vsc = {
    .name = "vsc",
    .summary = "is a memory trace sequentially consistent, or linearizable? As ser or sser of a history",
    .paper = "mtc-appendix.txt theorems 9 and 10",
    .options = options,
    .build = build,
    .map = map,
    .explain = explain,
    .certify = certify,
};
