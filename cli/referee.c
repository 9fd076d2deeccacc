/* `isolab referee`: histories through several checkers at once; who disagrees is found, shrunk and explained. */
#define _GNU_SOURCE
#include "experiments/referee/referee.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/print.h"
#include "cli/command.h"

typedef struct values {
    const char *checkers, *levels, *out, *adapters, *adapter, *exhaustive, *format;
    uint64_t seed, count, reports, mutants, txns, ops, keys, sessions, batch, jobs, run_memory;
    int64_t run_timeout;
    bool random, resume, json, no_session_order;
} values;

/* The words of a list that commas separate, one by one; NULL at its end. */
static char *next_word(char **rest) {
    for (char *word; (word = strsep(rest, ",")) != NULL;) {
        if (*word != '\0') {
            return word;
        }
    }
    return NULL;
}

static char *copy_of(iso_pool *pool, const char *text) {
    char *copy = iso_alloc(pool, strlen(text) + 1, 1);
    memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static void add_ask(iso_cli *cli, iso_referee *r, iso_level level, bool no_session_order) {
    for (unsigned i = 0; i < r->n_asks; i++) {
        if (r->ask[i].level == level && r->ask[i].no_session_order == no_session_order) {
            return;
        }
    }
    if (r->n_asks == ISO_QUESTIONS) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--level: more than %d questions", ISO_QUESTIONS);
    }
    r->ask[r->n_asks++] = (iso_query){.level = level, .no_session_order = no_session_order};
}

static bool answers(iso_pool *pool, const iso_party *p, iso_level level) {
    return p->checker != NULL ? (p->checker->levels & ISO_LEVEL_BIT(level)) != 0
                              : iso_adapter_level(pool, p->adapter, level) != NULL;
}

/* `all` is every level that two parties answer. */
static void add_levels(iso_cli *cli, iso_referee *r, const values *v) {
    char *rest = copy_of(&cli->pool, v->levels);
    for (char *word; (word = next_word(&rest)) != NULL;) {
        bool all = strcmp(word, "all") == 0;
        iso_level only = all ? ISO_LEVELS : iso_cli_level(cli, word);
        for (int l = 0; l < ISO_LEVELS; l++) {
            unsigned n = 0;
            bool without = v->no_session_order;
            for (unsigned i = 0; i < r->n_parties; i++) {
                const iso_party *p = &r->party[i];
                bool is = answers(&cli->pool, p, (iso_level)l);
                n += is;
                without |= is && p->adapter != NULL && iso_adapter_is(p->adapter->sessions, "no");
            }
            if (all ? n < 2 : l != (int)only) {
                continue;
            }
            add_ask(cli, r, (iso_level)l, false);
            if (without && (l == ISO_SI || l == ISO_SER)) {
                add_ask(cli, r, (iso_level)l, true);
            }
        }
    }
    if (r->n_asks == 0) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--level: no level that two of the checkers answer");
    }
}

static void add_parties(iso_cli *cli, iso_referee *r, const iso_adapters *adapters, const values *v) {
    char *rest = copy_of(&cli->pool, v->checkers);
    for (char *word; (word = next_word(&rest)) != NULL;) {
        if (strcmp(word, "all") == 0) {
            for (size_t i = 0; iso_checkers[i] != NULL; i++) {
                iso_referee_party(r, adapters, iso_checkers[i]->name);
            }
        } else {
            iso_referee_party(r, adapters, word);
        }
    }
    if (r->n_parties < 2) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--checkers: at least two, such as awdit,naive,ext:plume");
    }
}

static void read_exhaustive(iso_cli *cli, iso_referee *r, const char *text) {
    static const unsigned most[3] = {5, 3, 3};
    char rest;
    bool good = sscanf(text, "%u,%u,%u%c", &r->exhaustive[0], &r->exhaustive[1], &r->exhaustive[2], &rest) == 3;
    for (int i = 0; good && i < 3; i++) {
        good = r->exhaustive[i] > 0 && r->exhaustive[i] <= most[i];
    }
    if (!good) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "--exhaustive: expected TRANSACTIONS,OPERATIONS,KEYS up to 5,3,3; found \"%s\"", text);
    }
}

static void print_json(const iso_referee *r, const values *v) {
    char text[64];
    iso_json j = {.out = stdout};
    iso_json_open(&j, NULL, '{');
    iso_json_count(&j, "histories", r->histories);
    iso_json_count(&j, "comparisons", r->comparisons);
    iso_json_count(&j, "disagreements", r->disagreements);
    iso_json_count(&j, "reports", r->findings);
    iso_json_count(&j, "not_repeatable", r->not_repeatable);
    iso_json_count(&j, "next", r->next);
    iso_json_flag(&j, "ended_early", r->ended_early);
    iso_json_real(&j, "seconds", (double)(iso_now() - r->since) / 1e9);
    iso_json_text(&j, "out", v->out);
    iso_json_open(&j, "questions", '[');
    for (unsigned i = 0; i < r->n_asks; i++) {
        iso_json_open(&j, NULL, '{');
        iso_json_text(&j, "question", iso_query_text(&r->ask[i], text));
        iso_json_count(&j, "compared", r->ask[i].compared);
        iso_json_count(&j, "satisfied", r->ask[i].satisfied);
        iso_json_count(&j, "violated", r->ask[i].violated);
        iso_json_count(&j, "disagreed", r->ask[i].disagreed);
        iso_json_close(&j, '}');
    }
    iso_json_close(&j, ']');
    iso_json_open(&j, "checkers", '[');
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_party *p = &r->party[i];
        iso_json_open(&j, NULL, '{');
        iso_json_text(&j, "checker", p->name);
        iso_json_count(&j, "asked", p->asked);
        iso_json_count(&j, "satisfied", p->satisfied);
        iso_json_count(&j, "violated", p->violated);
        iso_json_count(&j, "unknown", p->unknown);
        iso_json_open(&j, "states", '{');
        for (int s = 0; s < ISO_STATES; s++) {
            iso_json_count(&j, iso_state_text[s], p->states[s]);
        }
        iso_json_close(&j, '}');
        iso_json_close(&j, '}');
    }
    iso_json_close(&j, ']');
    iso_json_close(&j, '}');
    iso_json_end(&j);
}

/* Words of the command line, for the reports. argv is gone by now, so from the values. */
static const char *command_text(iso_cli *cli, const values *v, int n, char **operands) {
    iso_printer out = {.pool = &cli->pool, .target = ISO_SHELL};
    iso_print(&out, "isolab referee --checkers %s -l %s --seed %" PRIu64, v->checkers, v->levels, v->seed);
    if (v->random) {
        iso_print(&out, " --random");
    }
    if (v->count > 0) {
        iso_print(&out, " --count %" PRIu64, v->count);
    }
    if (v->exhaustive != NULL) {
        iso_print(&out, " --exhaustive %s", v->exhaustive);
    }
    if (v->mutants > 0) {
        iso_print(&out, " --mutants %" PRIu64, v->mutants);
    }
    for (int i = 0; i < n; i++) {
        iso_print(&out, " %s", operands[i]);
    }
    return iso_printed(&out);
}

/* What the checkers and the histories that were asked for have no use for. */
static void refuse_ignored(iso_cli *cli, const iso_referee *r) {
    static const char *const of_random[] = {"txns", "ops", "keys", "sessions"};
    static const char *const of_foreign[] = {"adapters", "adapter", "run-memory", "batch", "jobs"};
    bool sessionless = false;
    for (size_t i = 0; i < sizeof of_random / sizeof *of_random; i++) {
        iso_cli_refuse(cli, !r->random, of_random[i], "is for random histories: --random");
    }
    for (size_t i = 0; i < sizeof of_foreign / sizeof *of_foreign; i++) {
        iso_cli_refuse(cli, r->n_foreign == 0, of_foreign[i], "is for foreign checkers: --checkers ...,ext:NAME");
    }
    for (unsigned i = 0; i < r->n_asks; i++) {
        sessionless |= r->ask[i].no_session_order;
    }
    iso_cli_refuse(cli, !sessionless, "no-session-order", "is for si and ser: --level si,ser");
    iso_cli_refuse(cli, r->n_files == 0, "mutants", "needs a FILE");
    iso_cli_refuse(cli, r->n_files == 0, "format", "needs a FILE");
    iso_cli_refuse(cli, !r->random && r->mutants == 0, "seed", "is for what is random: --random or --mutants");
}

static int run(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    iso_adapters adapters;
    iso_adapters_init(&adapters, &cli->pool);
    iso_adapters_read_default(&adapters);
    if (v->adapters != NULL) {
        iso_adapters_read(&adapters, v->adapters);
    }
    iso_adapters_place(&adapters, v->adapter);
    iso_referee *r = ISO_ZNEW(&cli->pool, iso_referee, 1);
    *r = (iso_referee){.env = &cli->env,
                       .pool = &cli->pool,
                       .out = v->out,
                       .seed = v->seed,
                       .reports = v->reports,
                       .mutants = v->mutants,
                       .batch = v->batch,
                       .resume = v->resume,
                       .run_timeout = v->run_timeout,
                       .run_memory = v->run_memory,
                       .files = (const char *const *)operands,
                       .n_files = (unsigned)n,
                       .file_format = iso_cli_format(cli, v->format)};
    r->command = command_text(cli, v, n, operands);
    add_parties(cli, r, &adapters, v);
    add_levels(cli, r, v);
    if (v->exhaustive != NULL) {
        read_exhaustive(cli, r, v->exhaustive);
    }
    r->random = v->random || (n == 0 && v->exhaustive == NULL);
    bool endless = r->random && cli->timeout == 0; /* files and small histories come to an end by themselves */
    r->count = v->count > 0 || !endless ? v->count : r->n_foreign > 0 ? 2000 : 200000;
    r->shape = (iso_small_shape){.txns = (unsigned)v->txns,
                                 .ops = (unsigned)v->ops,
                                 .keys = (unsigned)v->keys,
                                 .sessions = (unsigned)v->sessions};
    if (v->txns == 0 && (v->ops > 0 || v->keys > 0 || v->sessions > 0)) {
        r->shape.txns = 5;
    }
    r->shape.ops = r->shape.txns > 0 && v->ops == 0 ? 3 : r->shape.ops;
    r->shape.keys = r->shape.txns > 0 && v->keys == 0 ? 3 : r->shape.keys;
    r->shape.sessions = r->shape.txns > 0 && v->sessions == 0 ? 3 : r->shape.sessions;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    r->at_once = v->jobs > 0 ? (unsigned)v->jobs : cores > 0 ? (unsigned)cores : 1;
    if (v->batch == 0 || v->batch > 4096 || v->txns > 100000 || v->ops > 10000 || v->reports > 1000000) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--batch goes from 1 to 4096, --txns to 100000, --ops to 10000");
    }
    refuse_ignored(cli, r);
    uint64_t disagreements = iso_referee_run(r);
    iso_clear_progress();
    if (v->json) {
        print_json(r, v);
    } else {
        iso_referee_summary(r, stdout);
    }
    return disagreements > 0 ? 1 : ISOLAB_OK;
}

const iso_command iso_command_referee = {
    .summary = "asks several checkers about many histories, and explains who disagrees",
    .operands = "[FILE...]",
    .least = 0,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .defaults = &(const values){.checkers = "all",
                                .levels = "all",
                                .out = "referee",
                                .seed = 1,
                                .reports = 2,
                                .batch = 64,
                                .run_timeout = 10000000000,
                                .run_memory = (uint64_t)2 << 30},
    .options =
        (const iso_option[]){
            {'c', "checkers", "LIST",
             "checkers by name, foreign ones as ext:NAME, separated by commas (all: isolab's own)", ISO_TEXT,
             offsetof(values, checkers), ISO_OF_WORDS, NULL},
            {'l', "level", "LIST", "levels, separated by commas (all: each that two of the checkers answer)", ISO_TEXT,
             offsetof(values, levels), ISO_OF_LEVELS, "all"},
            {0, "out", "DIR", "the folder of reports (referee)", ISO_TEXT, offsetof(values, out), ISO_OF_FILES, NULL},
            {0, "random", NULL, "random histories: small ones, mutants, and runs of the simulated store with bugs",
             ISO_FLAG, offsetof(values, random), ISO_OF_WORDS, NULL},
            {0, "exhaustive", "T,O,K", "all histories of up to T transactions of up to O operations on K keys",
             ISO_TEXT, offsetof(values, exhaustive), ISO_OF_WORDS, NULL},
            {0, "mutants", "N", "also N mutants of each FILE", ISO_COUNT, offsetof(values, mutants), ISO_OF_WORDS,
             NULL},
            {0, "seed", "N", "of everything random (1)", ISO_COUNT, offsetof(values, seed), ISO_OF_WORDS, NULL},
            {0, "count", "N",
             "N histories in all (random ones: 200000, with foreign checkers 2000, with --timeout no limit)", ISO_COUNT,
             offsetof(values, count), ISO_OF_WORDS, NULL},
            {0, "txns", "N", "random histories of up to N transactions, instead of a mix", ISO_COUNT,
             offsetof(values, txns), ISO_OF_WORDS, NULL},
            {0, "ops", "N", "of up to N operations each", ISO_COUNT, offsetof(values, ops), ISO_OF_WORDS, NULL},
            {0, "keys", "N", "on up to N keys", ISO_COUNT, offsetof(values, keys), ISO_OF_WORDS, NULL},
            {0, "sessions", "N", "in up to N sessions", ISO_COUNT, offsetof(values, sessions), ISO_OF_WORDS, NULL},
            {0, "no-session-order", NULL, "ask si and ser also without session order", ISO_FLAG,
             offsetof(values, no_session_order), ISO_OF_WORDS, NULL},
            {0, "adapters", "FILE", "foreign checkers described in FILE (else in $ISOLAB_ADAPTERS)", ISO_TEXT,
             offsetof(values, adapters), ISO_OF_FILES, NULL},
            {0, "adapter", "NAME=PATH", "the program of a known adapter is at PATH", ISO_LIST,
             offsetof(values, adapter), ISO_OF_WORDS, NULL},
            {0, "run-timeout", "S", "one answer may take S seconds (10)", ISO_SECONDS, offsetof(values, run_timeout),
             ISO_OF_WORDS, NULL},
            {0, "run-memory", "SIZE", "a foreign program may use SIZE bytes (2G)", ISO_SIZE,
             offsetof(values, run_memory), ISO_OF_WORDS, NULL},
            {0, "batch", "N", "with foreign checkers: N histories at a time (64)", ISO_COUNT, offsetof(values, batch),
             ISO_OF_WORDS, NULL},
            {'j', "jobs", "N", "run N foreign programs at once (as many as processors)", ISO_COUNT,
             offsetof(values, jobs), ISO_OF_WORDS, NULL},
            {0, "reports", "N", "at most N reports of disagreements of one kind (2)", ISO_COUNT,
             offsetof(values, reports), ISO_OF_WORDS, NULL},
            {0, "resume", NULL, "go on where the run that wrote DIR ended", ISO_FLAG, offsetof(values, resume),
             ISO_OF_WORDS, NULL},
            {0, "format", "F", "read FILEs as this format", ISO_TEXT, offsetof(values, format), ISO_OF_FORMATS, NULL},
            {0, "json", NULL, "print the summary as JSON", ISO_FLAG, offsetof(values, json), ISO_OF_WORDS, NULL},
            ISO_END},
    .details = "Every disagreement is confirmed, shrunk to a smallest history, judged by the definition, and "
               "written as a folder "
               "of DIR that can be sent as it is. A crash, and an answer that cannot be read, is a "
               "disagreement too. The exit "
               "status is 0 when all parties agreed and 1 when some disagreed. An interrupt or --timeout ends "
               "the run and keeps "
               "what was found.",
    .examples = "isolab referee --checkers awdit,naive,ext:plume -l ra --random --seed 7 --out found\n"
                "isolab referee --checkers all -l all --exhaustive 3,2,2 --out found\n"
                "isolab referee --checkers brute,ext:mine --adapters my.adapters -l ser --timeout 600 --out found\n"
                "isolab referee --checkers strong,ext:veristrong --adapter veristrong=/opt/checker -l ser,si \\\n"
                "    --mutants 100 histories/*.jsonl --out found",
    .run = run,
};
