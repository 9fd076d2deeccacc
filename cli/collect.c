/* `isolab collect`: runs a workload on a database and records what its clients saw. The options are those of the named
 * database and workload. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/print.h"
#include "cli/collecting.h"
#include "cli/command.h"
#include "cli/lists.h"
#include "collectors/drive.h"

typedef struct values {
    iso_collecting by;
    const char *workload, *output;
    bool json;
} values;

const iso_collector *iso_cli_collector(iso_cli *cli, const char *name) {
    const iso_collector *k = iso_collector_find(name);
    if (k == NULL) {
        char hint[128];
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no database \"%s\"%s", name,
                  iso_did_you_mean(name, ISO_OF_DATABASES, NULL, hint));
    }
    return k;
}

static const iso_generator *find_workload(iso_cli *cli, const char *name) {
    const iso_generator *g = iso_generator_find(name);
    char hint[128];
    if (g == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no workload \"%s\"%s", name,
                  iso_did_you_mean(name, ISO_OF_GENERATORS, NULL, hint));
    }
    if (g->workload == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "generator %s makes histories, not requests for a database", name);
    }
    return g;
}

/* Returns the argument of --workload; NULL: it is not given. */
static const char *workload_name(int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        if ((strcmp(argv[i], "--workload") == 0 || strcmp(argv[i], "-w") == 0) && i + 1 < argc) {
            return argv[i + 1];
        }
        if (strncmp(argv[i], "--workload=", 11) == 0) {
            return argv[i] + 11;
        }
        if (strncmp(argv[i], "-w", 2) == 0 && argv[i][2] != '\0') {
            return argv[i] + 2;
        }
    }
    return NULL;
}

/* Returns a table of options with the defaults of a recording: few keys, some transactions that are given up, and
 * pauses in a database that answers at once, so that transactions meet each other. */
static const iso_option *with_conflicts(iso_pool *pool, const iso_option *table, const iso_collector *k) {
    size_t n = 0;
    while (table[n].name != NULL) {
        n++;
    }
    iso_option *copy = ISO_NEW(pool, iso_option, n + 1);
    memcpy(copy, table, (n + 1) * sizeof *copy);
    for (iso_option *o = copy; o->name != NULL; o++) {
        o->initial = strcmp(o->name, "keys") == 0                          ? "10"
                     : strcmp(o->name, "aborts") == 0                      ? "0.05"
                     : strcmp(o->name, "pause") == 0 && iso_is_embedded(k) ? "5"
                                                                           : o->initial;
    }
    return copy;
}

/* The refine function of such a command: its options are those of the database and the workload that its arguments
 * name. */
static const iso_command *refine_collecting(iso_cli *cli, const iso_command *command, int argc, char **argv) {
    const char *database = iso_cli_first_word(argc, argv), *workload = workload_name(argc, argv);
    iso_collecting by = {.collector = database != NULL ? iso_cli_collector(cli, database) : iso_collectors[0],
                         .workload = find_workload(cli, workload != NULL ? workload : ISO_USUAL_WORKLOAD)};
    const iso_option *tables[ISO_ARG_TABLES] = {with_conflicts(&cli->pool, by.workload->options, by.collector),
                                                with_conflicts(&cli->pool, iso_drive_options, by.collector),
                                                by.collector->options, NULL};
    by.args = ISO_NEW(&cli->pool, iso_args, 1);
    iso_args_init(by.args, &cli->pool, by.collector->name, tables);
    iso_command *c = iso_command_with(cli, command, by.args);
    iso_printer details = {.pool = &cli->pool};
    iso_print(
        &details,
        "The options below are those of %s (%s) and of the workload %s (%s). Name another database or workload to see "
        "its own; `isolab list databases` and `isolab list generators` have them all.",
        by.collector->title, by.collector->summary, by.workload->name, by.workload->summary);
    c->details = iso_printed(&details);
    iso_collecting *defaults = iso_zalloc(&cli->pool, 1, command->size);
    *defaults = by;
    c->defaults = defaults;
    return c;
}

typedef struct recorder {
    iso_database db;
    iso_driving driving;
} recorder;

static void drive(void *arg) {
    recorder *r = arg;
    iso_drive(&r->db, &r->driving);
}

typedef struct summary {
    double seconds; /* in which the workload ran, without the start and the end of the database */
    uint64_t all, committed, aborted, refused, indeterminate; /* transactions */
} summary;

static summary summary_of(const recorder *r) {
    const iso_tally *t = &r->driving.tally;
    summary s = {.seconds = 1e-9 * (double)r->driving.elapsed,
                 .committed = atomic_load(&t->committed),
                 .aborted = atomic_load(&t->aborted),
                 .refused = atomic_load(&t->refused),
                 .indeterminate = atomic_load(&t->indeterminate)};
    s.all = s.committed + s.aborted + s.indeterminate;
    return s;
}

/* What to know about a violation before the database is blamed; NULL: nothing. */
static const char *warning(const recorder *r) {
    return iso_forgets(&r->db) ? "--faults kill without --durable: the server may lose commits that it answered, so a "
                                 "violation may come from this configuration; record again with --durable"
                               : NULL;
}

static void print_summary(const recorder *r) {
    summary s = summary_of(r);
    iso_clear_progress();
    iso_say(stderr, "%s %s at %s: %" PRIu64 " transactions in %.3f s", r->db.collector->title, r->db.version,
            r->db.level->name, s.all, s.seconds);
    iso_say(stderr,
            " (%.0f a second): %" PRIu64 " committed, %" PRIu64 " aborted (the database refused %" PRIu64 "), %" PRIu64
            " indeterminate\n",
            (double)s.all / (s.seconds + 1e-9), s.committed, s.aborted, s.refused, s.indeterminate);
    if (warning(r) != NULL) {
        iso_say(stderr, "isolab: %s\n", warning(r));
    }
}

static void print_json(const recorder *r) {
    summary s = summary_of(r);
    iso_json j = {.out = stdout};
    iso_json_open(&j, NULL, '{');
    iso_json_text(&j, "database", r->db.collector->name);
    iso_json_text(&j, "version", r->db.version);
    iso_json_text(&j, "level", r->db.level->name);
    iso_json_real(&j, "seconds", s.seconds);
    iso_json_count(&j, "transactions", s.all);
    iso_json_count(&j, "committed", s.committed);
    iso_json_count(&j, "aborted", s.aborted);
    iso_json_count(&j, "refused", s.refused);
    iso_json_count(&j, "indeterminate", s.indeterminate);
    iso_json_text(&j, "warning", warning(r));
    iso_json_close(&j, '}');
    iso_json_end(&j);
}

static int run_collect(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    if (n == 0) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "which database? One of `isolab list databases`");
    }
    if (iso_cli_collector(cli, operands[0]) != v->by.collector) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "the database's name comes before its options: %s %s ...", cli->command,
                  operands[0]);
    }
    const char *output = v->output != NULL ? v->output : "-";
    size_t size = strlen(output);
    if (strcmp(output, "-") != 0 && (size < 6 || strcmp(output + size - 6, ".jsonl") != 0)) {
        iso_throw(
            &cli->env, ISOLAB_E_USAGE,
            "a history is written as it happens, as JSON lines: name it *.jsonl, and `isolab convert` it afterwards");
    }
    iso_cli_refuse(cli, strcmp(output, "-") == 0, "json",
                   "prints to standard output, where the history would go: give -o FILE");
    iso_workload workload = {0};
    v->by.workload->workload(v->by.args, &workload);
    recorder r = {.driving = {.workload = &workload, .args = v->by.args, .output = output}};
    iso_database_init(&r.db, v->by.collector, v->by.args, &workload);
    iso_with_database(&r.db, drive, &r);
    if (v->json) {
        print_json(&r);
    } else {
        print_summary(&r);
    }
    return r.driving.interrupted ? ISOLAB_E_LIMIT : ISOLAB_OK;
}

static void list_levels(iso_json *j, const iso_collector *k) {
    for (const iso_offer *o = k->levels; o->name != NULL; o++) {
        if (j == NULL) {
            iso_say(stdout, "%15s%-22s promises %-5s %s\n", "", o->name, o->promises, o->meaning);
            continue;
        }
        iso_json_open(j, NULL, '{');
        iso_json_text(j, "name", o->name);
        iso_json_text(j, "promises", o->promises);
        iso_json_text(j, "meaning", o->meaning);
        iso_json_close(j, '}');
    }
}

void iso_list_databases(iso_json *j) {
    for (size_t i = 0; iso_collectors[i] != NULL; i++) {
        const iso_collector *k = iso_collectors[i];
        char buffer[256];
        const char *missing = iso_collector_missing(k, buffer);
        if (j == NULL) {
            iso_say(stdout, "%-14s %s: %s%s\n", k->name, k->title, k->summary, k->lists ? "" : "; no lists");
            if (missing != NULL) {
                iso_say(stdout, "%15snot available: %s\n", "", missing);
            }
            list_levels(NULL, k);
            iso_list_options(NULL, "--", k->options);
            continue;
        }
        iso_json_open(j, NULL, '{');
        iso_json_text(j, "name", k->name);
        iso_json_text(j, "title", k->title);
        iso_json_text(j, "summary", k->summary);
        iso_json_text(j, "package", k->package);
        iso_json_text(j, "server", k->server);
        iso_json_text(j, "missing", missing);
        iso_json_flag(j, "lists", k->lists);
        iso_json_open(j, "levels", '[');
        list_levels(j, k);
        iso_json_close(j, ']');
        iso_json_open(j, "options", '[');
        iso_list_options(j, "--", k->options);
        iso_json_close(j, ']');
        iso_json_close(j, '}');
    }
    if (j == NULL) {
        iso_say(stdout, "\nEvery recording:\n");
        iso_list_options(NULL, "--", iso_drive_options);
    }
}

const iso_command iso_command_collect = {
    .summary = "runs a workload on a database and records what its clients saw",
    .operands = "DATABASE",
    .least = 0,
    .most = 1,
    .of = ISO_OF_DATABASES,
    .size = sizeof(values),
    .details =
        "Each database has its own levels and options: `isolab collect DATABASE --help` and `isolab list databases` "
        "tell them.",
    .options =
        (const iso_option[]){{ISO_TEXT("workload", ISO_USUAL_WORKLOAD, "workload: the transactions of the clients"),
                              .letter = 'w', .of = ISO_OF_GENERATORS, ISO_TO(values, workload)},
                             {ISO_TEXT("output", NULL, "write to this file (*.jsonl) instead of standard output"),
                              .letter = 'o', .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
                             {ISO_FLAG("json", "no", "print the summary as JSON"), ISO_TO(values, json)},
                             ISO_END},
    .examples = "isolab collect sqlite --level wal -o wal.jsonl && isolab check wal.jsonl\n"
                "isolab collect sqlite --level read-uncommitted --workload mini --keys 20 --aborts 0.2 -o dirty.jsonl\n"
                "isolab collect sqlite -w list-append --sessions 16 --txns 1M --seconds 30 -o lists.jsonl",
    .run = run_collect,
    .refine = refine_collecting,
};
