/* `isolab stats`: counts the contents of a history. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/print.h"
#include "checkers/hardness.h"
#include "cli/command.h"
#include "cli/load.h"
#include "history/about.h"
#include "history/initial.h"
#include "history/read_consistency.h"
#include "history/suspect.h"

typedef struct values {
    iso_cli_reading reading;
    bool json, hardness;
} values;

typedef struct counts {
    const iso_hardness *hardness; /* NULL: not asked for */
    uint64_t kind[4];             /* by iso_op_kind */
    uint64_t empty, counted, initial_reads, thin_air;
    uint64_t offences[ISO_INT_KINDS];
    uint32_t quantile[5]; /* operations of a transaction: minimum, quartiles, maximum */
    int64_t first, last;  /* times */
    uint64_t timed;
    uint64_t peak;
    iso_suspects suspects;
} counts;

static void offence(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    counts *c = arg;
    (void)read_op, (void)other_op;
    c->offences[kind]++;
}

/* Computes quantiles by counting: the numbers of operations are small, and few different ones occur. O(n). */
static void quantiles(iso_pool *pool, const isolab_history *h, uint32_t out[5]) {
    uint32_t most = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = h->txn_op[t + 1] - h->txn_op[t];
        most = n > most ? n : most;
    }
    uint64_t *of_size = ISO_ZNEW(pool, uint64_t, (size_t)most + 1);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        of_size[h->txn_op[t + 1] - h->txn_op[t]]++;
    }
    for (int q = 0; q < 5; q++) { /* the smallest size that at least `rank` transactions do not exceed */
        uint64_t rank = h->n_txns == 0 ? 0 : 1 + (uint64_t)q * (h->n_txns - 1) / 4, sum = 0;
        for (uint32_t size = 0; size <= most; size++) {
            sum += of_size[size];
            out[q] = size;
            if (sum >= rank) {
                break;
            }
        }
    }
    iso_free(pool, of_size);
}

static void count(iso_pool *pool, const isolab_history *h, counts *c) {
    for (uint32_t op = 0; op < h->n_ops; op++) {
        c->kind[h->op_kind[op]]++;
        if (!iso_is_write(h->op_kind[op])) {
            c->initial_reads += h->op_writer[op] == ISO_INIT;
            c->thin_air += h->op_writer[op] == ISO_NONE;
        }
    }
    c->first = INT64_MAX;
    c->last = INT64_MIN;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        c->empty += h->txn_op[t] == h->txn_op[t + 1];
        c->counted += h->txn_status[t] == ISO_INDETERMINATE && h->txn_counts[t] == ISO_INCLUDED;
        for (int end = 0; end < 2 && h->txn_start != NULL; end++) {
            int64_t at = end ? h->txn_end[t] : h->txn_start[t];
            if (at != ISO_NO_TIME) {
                c->timed++;
                c->first = at < c->first ? at : c->first;
                c->last = at > c->last ? at : c->last;
            }
        }
    }
    quantiles(pool, h, c->quantile);
    c->peak = atomic_load(&pool->env->limits->peak); /* while loading */
    iso_check_int(h, pool, offence, c);
    c->suspects = iso_find_suspects(pool, h);
}

/* In words; in the order of iso_int_kind. */
static const char *const offence_text[ISO_INT_KINDS] = {
    "thin-air reads",     "aborted reads", "future reads", "reads past own writes", "reads of stale own writes",
    "intermediate reads",
};
static const char *const offence_name[ISO_INT_KINDS] = {
    "thin_air", "aborted", "future", "not_own", "not_last_own", "intermediate",
};

static void twins(const isolab_history *h, char *op, size_t size, char a[ISO_NAME_SIZE], char b[ISO_NAME_SIZE]) {
    iso_op_text(h, h->twin_b, op, size);
    iso_txn_text(h, h->twin_a == ISO_INIT ? ISO_INIT : h->op_txn[h->twin_a], a);
    iso_txn_text(h, h->op_txn[h->twin_b], b);
}

static uint64_t negations(const isolab_history *h) {
    uint64_t n = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        n += iso_op_is_negation(h, o);
    }
    return n;
}

static double per(uint64_t bytes, uint64_t n) { return n == 0 ? 0 : (double)bytes / (double)n; }

/* What the history says about itself, as members of an object. */
static void json_about(iso_json *j, const isolab_history *h) {
    const char *line = h->about;
    iso_json_open(j, "about", '{');
    for (iso_about a; iso_about_next(&line, &a);) {
        char name[64], value[ISO_ABOUT_MOST + 1];
        snprintf(name, sizeof name, "%.*s", (int)a.name_size, a.name);
        if (a.name_size >= sizeof name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0') {
            continue;
        }
        snprintf(value, sizeof value, "%.*s", (int)a.value_size, a.value);
        if (a.number) {
            iso_json_count(j, name, strtoull(value, NULL, 10));
        } else {
            iso_json_text(j, name, value);
        }
    }
    iso_json_close(j, '}');
}

/* The numbers of hardness.h, by their names in JSON, where they are axes of `plot`. */
static void json_hardness(iso_json *j, const iso_hardness *w) {
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"sessions", w->sessions},
                   {"width_least", w->width_least},
                   {"width_most", w->width_most},
                   {"depth", w->depth},
                   {"heavy", w->heavy},
                   {"pair_work", w->work},
                   {"blocks", w->blocks},
                   {"largest_block", w->largest_block},
                   {"largest_component", w->largest_component},
                   {"open_pairs", w->open_pairs},
                   {"ambiguous_reads", w->ambiguous}};
    iso_json_open(j, "hardness", '{');
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].value != ISO_HARDNESS_UNKNOWN) {
            iso_json_count(j, numbers[i].name, numbers[i].value);
        }
    }
    iso_json_real(j, "duplicate_factor", w->duplicates);
    iso_json_close(j, '}');
}

static void print_hardness(const iso_hardness *w) {
    iso_say(stdout, "  hardness       %" PRIu64 " sessions; so|wr: ", w->sessions);
    if (w->depth == ISO_HARDNESS_UNKNOWN) {
        iso_say(stdout, "a cycle, its largest component has %" PRIu64 " transactions\n", w->largest_component);
    } else {
        iso_say(stdout, "width %" PRIu64 " to %" PRIu64 ", depth %" PRIu64 "\n", w->width_least, w->width_most,
                w->depth);
    }
    iso_say(stdout,
            "                 %" PRIu64 " heavy transactions; predicted work W %" PRIu64
            " (writes or reads of wr pairs)\n",
            w->heavy, w->work);
    iso_say(stdout, "                 %" PRIu64 " blocks of sessions with common keys, the largest of %" PRIu64 "\n",
            w->blocks, w->largest_block);
    if (w->open_pairs != ISO_HARDNESS_UNKNOWN) {
        iso_say(stdout, "                 %" PRIu64 " pairs of writers of a key in no order after saturation\n",
                w->open_pairs);
    } else {
        iso_say(stdout,
                "                 pairs of writers without an order were not counted: more than %d transactions, "
                "too many steps, or a cycle\n",
                ISO_HARDNESS_TXNS);
    }
    iso_say(stdout, "                 %.3g writes a value; %" PRIu64 " reads with several possible writers\n",
            w->duplicates, w->ambiguous);
}

static void print_json(const isolab_history *h, const counts *c, const char *path) {
    iso_json j = {.out = stdout};
    iso_json_open(&j, NULL, '{');
    iso_json_text(&j, "file", path);
    iso_json_count(&j, "sessions", h->n_sessions);
    iso_json_count(&j, "transactions", h->n_txns);
    iso_json_count(&j, "committed", h->n_committed);
    iso_json_count(&j, "aborted", h->n_aborted);
    iso_json_count(&j, "indeterminate", h->n_indeterminate);
    iso_json_count(&j, "indeterminate_counted", c->counted);
    iso_json_count(&j, "empty", c->empty);
    iso_json_count(&j, "operations", h->n_ops);
    iso_json_count(&j, "reads", c->kind[ISO_READ]);
    iso_json_count(&j, "writes", c->kind[ISO_WRITE]);
    iso_json_count(&j, "appends", c->kind[ISO_APPEND]);
    iso_json_count(&j, "list_reads", c->kind[ISO_LIST_READ]);
    iso_json_count(&j, "initial_reads", c->initial_reads);
    iso_json_open(&j, "operations_per_transaction", '[');
    for (int q = 0; q < 5; q++) {
        iso_json_count(&j, NULL, c->quantile[q]);
    }
    iso_json_close(&j, ']');
    iso_json_count(&j, "keys", h->n_keys);
    iso_json_count(&j, "values", h->n_versions);
    iso_json_flag(&j, "unique_values", h->twin_b == ISO_NONE);
    if (h->twin_b != ISO_NONE) {
        char op[256], a[ISO_NAME_SIZE], b[ISO_NAME_SIZE];
        twins(h, op, sizeof op, a, b);
        iso_json_open(&j, "duplicate", '{');
        iso_json_text(&j, "write", op);
        iso_json_text(&j, "first_writer", a);
        iso_json_text(&j, "second_writer", b);
        iso_json_close(&j, '}');
    }
    iso_json_count(&j, "negations", negations(h));
    iso_cli_json_read(&j, h);
    if (h->about != NULL) {
        json_about(&j, h);
    }
    iso_json_flag(&j, "times", h->has_times);
    iso_clock clock = iso_clock_of(h);
    if (clock.places > 0) {
        iso_cli_json_clock(&j, h, &clock);
    }
    iso_cli_json_suspects(&j, h, &c->suspects);
    iso_json_count(&j, "notes", h->n_notes);
    iso_json_open(&j, "offending_reads", '{');
    for (int k = 0; k < ISO_INT_KINDS; k++) {
        iso_json_count(&j, offence_name[k], c->offences[k]);
    }
    iso_json_close(&j, '}');
    if (c->hardness != NULL) {
        json_hardness(&j, c->hardness);
    }
    iso_json_open(&j, "bytes", '{');
    iso_json_real(&j, "per_operation", per(iso_history_op_bytes(h), h->n_ops));
    iso_json_real(&j, "per_transaction", per(iso_history_txn_bytes(h), h->n_txns));
    iso_json_count(&j, "peak", c->peak);
    iso_json_close(&j, '}');
    iso_json_close(&j, '}');
    iso_json_end(&j);
}

static void print(const isolab_history *h, const counts *c, const char *path) {
    uint64_t reads = c->kind[ISO_READ] + c->kind[ISO_LIST_READ];
    iso_say(stdout, "%s\n", path);
    iso_say(stdout, "  sessions       %u\n", h->n_sessions);
    iso_say(stdout, "  transactions   %u: %u committed, %u aborted, %u indeterminate (%" PRIu64 " of them count)",
            h->n_txns, h->n_committed, h->n_aborted, h->n_indeterminate, c->counted);
    iso_say(stdout, "%s\n", c->empty == 0 ? "" : "; some are empty");
    iso_say(stdout,
            "  operations     %u: %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64 " appends, %" PRIu64 " list reads\n",
            h->n_ops, c->kind[ISO_READ], c->kind[ISO_WRITE], c->kind[ISO_APPEND], c->kind[ISO_LIST_READ]);
    iso_say(stdout, "  a transaction  %u to %u operations; quartiles %u, %u, %u\n", c->quantile[0], c->quantile[4],
            c->quantile[1], c->quantile[2], c->quantile[3]);
    iso_say(stdout, "  reads          %.1f %% of the operations; %" PRIu64 " of the initial value\n",
            h->n_ops == 0 ? 0 : 100 * (double)reads / h->n_ops, c->initial_reads);
    if (h->version_not != NULL) {
        iso_say(stdout, "                 %" PRIu64 " of which only is known what they did not return\n", negations(h));
    }
    iso_say(stdout, "  keys           %u, with %u values\n", h->n_keys, h->n_versions);
    if (h->twin_b == ISO_NONE) {
        iso_say(stdout, "  values         unique: no value of a key is written twice by transactions that count\n");
    } else {
        char op[256], a[ISO_NAME_SIZE], b[ISO_NAME_SIZE];
        twins(h, op, sizeof op, a, b);
        iso_say(stdout, "  values         not unique: `%s` is written by both %s and %s\n", op, a, b);
    }
    char taken[ISO_TAKEN_SIZE];
    if (iso_taken_text(h, taken)[0] != '\0') {
        iso_say(stdout, "  read as        %s\n", taken);
    }
    if (c->timed != 0) {
        iso_say(stdout, "  times          %" PRIu64 " instants over %.6g s\n", c->timed,
                ((double)c->last - (double)c->first) / 1e9);
    } else {
        iso_say(stdout, "  times          none\n");
    }
    if (h->about != NULL) {
        iso_say(stdout, "  about          %s\n", h->about);
    }
    iso_clock clock = iso_clock_of(h);
    if (clock.places > 0) {
        char text[ISO_CLOCK_SIZE];
        iso_say(stdout, "  clock          %s\n", iso_clock_text(h, &clock, text));
    }
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        char text[ISO_SUSPECT_SIZE];
        if (c->suspects.of[k].places > 0) {
            iso_say(stdout, "  suspect        %s: %s\n", iso_suspect_text(h, &c->suspects, (iso_suspect_kind)k, text),
                    iso_suspect_advice((iso_suspect_kind)k));
        }
    }
    if (h->n_notes > 0) {
        iso_say(stdout, "  notes          %u\n", h->n_notes);
    }
    const char *before = "  offending reads";
    for (int k = 0; k < ISO_INT_KINDS; k++) {
        if (c->offences[k] != 0) {
            iso_say(stdout, "%s %" PRIu64 " %s", before, c->offences[k], offence_text[k]);
            before = ",";
        }
    }
    iso_say(stdout, "%s\n", before[0] == ',' ? "" : "  offending reads none: read consistency (int) holds");
    if (c->hardness != NULL) {
        print_hardness(c->hardness);
    }
    iso_say(stdout, "  memory         %.1f bytes an operation, %.1f a transaction; most while loading %.1f MiB\n",
            per(iso_history_op_bytes(h), h->n_ops), per(iso_history_txn_bytes(h), h->n_txns),
            (double)c->peak / 1048576);
}

static int run_stats(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    for (int i = 0; i < n; i++) {
        counts c = {.peak = 0};
        atomic_store(&cli->env.limits->peak, atomic_load(&cli->env.limits->used));
        const isolab_history *h = iso_cli_load(cli, &cli->item, operands[i], &v->reading);
        count(&cli->item, h, &c);
        iso_hardness hardness;
        if (v->hardness) {
            hardness = iso_hardness_of(h, &cli->item);
            c.hardness = &hardness;
        }
        iso_clear_progress();
        iso_cli_doubt(cli, h, operands[i], &v->reading);
        (v->json ? print_json : print)(h, &c, operands[i]);
        iso_pool_free(&cli->item);
    }
    return ISOLAB_OK;
}

const iso_command iso_command_stats = {
    .summary = "counts what histories contain, and their memory",
    .operands = "FILE...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){ISO_READING_OPTIONS(values, reading),
                             {ISO_FLAG("json", "no", "print one JSON object for each history"), ISO_TO(values, json)},
                             {ISO_FLAG("hardness", "no", "also what predicts the time of checkers (docs/hardness.md)"),
                              ISO_TO(values, hardness)},
                             ISO_END},
    .examples = "isolab stats history.txt\nisolab stats --json *.ilb",
    .run = run_stats,
};
