/* `isolab referee`: runs several checkers on the same histories; finds, shrinks and explains disagreements. */
#define _GNU_SOURCE
#include "experiments/referee/referee.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/command.h"

typedef struct values {
    const char *checkers, *levels, *out, *adapters, *adapter, *exhaustive, *format, *verdicts;
    uint64_t seed, count, reports, mutants, txns, ops, keys, sessions, batch, jobs, run_memory;
    int64_t run_timeout, progress;
    bool random, resume, json, no_session_order;
} values;

extern const iso_command iso_command_referee;

/* Returns the next word of a list separated by commas; NULL at its end. */
static char *next_word(char **rest) {
    for (char *word; (word = strsep(rest, ",")) != NULL;) {
        if (*word != '\0') {
            return word;
        }
    }
    return NULL;
}

static char *copy_of(iso_pool *pool, const char *text) { return iso_copy_text(pool, text, strlen(text)); }

/* Adds the levels; `all` is every level that two parties answer. */
static void add_levels(iso_cli *cli, iso_referee *r, const values *v) {
    char *rest = copy_of(&cli->pool, v->levels);
    for (char *word; (word = next_word(&rest)) != NULL;) {
        iso_level only = strcmp(word, "all") == 0 ? ISO_NO_LEVEL : iso_cli_level(cli, word);
        iso_referee_levels(r, only, v->no_session_order);
    }
    if (r->n_questions == 0) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--level: no level that two of the checkers answer");
    }
}

static void add_parties(iso_cli *cli, iso_referee *r, const iso_adapters *adapters, const values *v) {
    char *rest = copy_of(&cli->pool, v->checkers);
    for (char *word; (word = next_word(&rest)) != NULL;) {
        if (v->verdicts != NULL && !iso_cli_given(cli, "checkers")) {
            iso_referee_party(r, adapters, "auto"); /* files may be too large for the slow ones */
        } else if (strcmp(word, "all") == 0) {
            for (size_t i = 0; iso_checkers[i] != NULL; i++) {
                iso_referee_party(r, adapters, iso_checkers[i]->name);
            }
        } else {
            iso_referee_party(r, adapters, word);
        }
    }
    char *tables = copy_of(&cli->pool, v->verdicts != NULL ? v->verdicts : ""),
         *levels = copy_of(&cli->pool, v->levels);
    const char *first = next_word(&levels);
    bool one = first != NULL && strcmp(first, "all") != 0 && next_word(&levels) == NULL;
    for (char *word; (word = next_word(&tables)) != NULL;) {
        iso_recorded_read(&cli->pool, word, one ? iso_cli_level(cli, first) : ISO_NO_LEVEL, &r->options.files, r->party,
                          &r->n_parties);
    }
    if (r->n_parties < 2) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--checkers: at least two, such as awdit,naive,ext:plume");
    }
}

static void read_exhaustive(iso_cli *cli, iso_referee *r, const char *text) {
    static const unsigned most[3] = {5, 3, 3};
    char rest;
    bool good = sscanf(text, "%u,%u,%u%c", &r->options.exhaustive[0], &r->options.exhaustive[1],
                       &r->options.exhaustive[2], &rest) == 3;
    for (int i = 0; good && i < 3; i++) {
        good = r->options.exhaustive[i] > 0 && r->options.exhaustive[i] <= most[i];
    }
    if (!good) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "--exhaustive: expected TRANSACTIONS,OPERATIONS,KEYS up to 5,3,3; found \"%s\"", text);
    }
}

/* Paths, or NAME=PATH, separated by commas, with paths that mean the same in every folder. A name without a slash after
 * the `=` is looked for on the PATH. */
static const char *absolute_list(iso_pool *pool, const char *text, bool named) {
    char *rest = copy_of(pool, text);
    iso_printer out = {.pool = pool};
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        char *path = named ? strchr(word, '=') : NULL;
        bool is_path = named ? path != NULL && strchr(path, '/') != NULL : *word != '\0';
        if (path != NULL) {
            *path++ = '\0';
        }
        iso_print(&out, "%s%s%s%s", out.size > 0 ? "," : "", path != NULL ? word : "", path != NULL ? "=" : "",
                  is_path        ? iso_absolute_path(pool, path != NULL ? path : word)
                  : path != NULL ? path
                                 : word);
    }
    return iso_printed(&out);
}

/* An option that was given, as a word of a command. */
static void put_option(iso_pool *pool, iso_printer *out, const iso_option *o, const values *v) {
    const char *field = (const char *)v + o->offset;
    switch (o->kind) {
    case ISO_IS_FLAG:
        iso_print(out, " --%s", o->name);
        break;
    case ISO_IS_COUNT:
    case ISO_IS_SIZE:
        iso_print(out, " --%s %" PRIu64, o->name, *(const uint64_t *)(const void *)field);
        break;
    case ISO_IS_REAL:
        iso_print(out, " --%s %.17g", o->name, *(const double *)(const void *)field);
        break;
    case ISO_IS_SECONDS:
        iso_print(out, " --%s %.9g", o->name, (double)*(const int64_t *)(const void *)field / 1e9);
        break;
    case ISO_IS_TEXT:
    case ISO_IS_LIST: {
        const char *text = *(const char *const *)(const void *)field;
        text = strcmp(o->name, "adapters") == 0   ? iso_absolute_path(pool, text)
               : strcmp(o->name, "adapter") == 0  ? absolute_list(pool, text, true)
               : strcmp(o->name, "verdicts") == 0 ? absolute_list(pool, text, false)
                                                  : text;
        iso_print(out, " --%s %s", o->name, text);
    }
    }
}

/* The command that finds the same again, for the reports: all that was given, except where and how results are
 * written. */
static const char *command_text(iso_cli *cli, const values *v, int n, char **operands) {
    static const char *const elsewhere[] = {"checkers", "level", "seed", "out", "resume", "json", "progress"};
    iso_printer out = {.pool = &cli->pool, .target = ISO_SHELL};
    bool recorded_alone = v->verdicts != NULL && !iso_cli_given(cli, "checkers"); /* then `auto` is the other party */
    iso_print(&out, "isolab referee");
    if (!recorded_alone) {
        iso_print(&out, " --checkers %s", v->checkers);
    }
    iso_print(&out, " -l %s --seed %" PRIu64, v->levels, v->seed);
    for (const iso_option *o = iso_command_referee.options; o->name != NULL; o++) {
        bool told = !iso_cli_given(cli, o->name);
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
            told |= strcmp(o->name, elsewhere[i]) == 0;
        }
        if (!told) {
            put_option(&cli->pool, &out, o, v);
        }
    }
    const char *adapters = getenv("ISOLAB_ADAPTERS");
    if (v->adapters == NULL && adapters != NULL && *adapters != '\0') {
        iso_print(&out, " --adapters %s", iso_absolute_path(&cli->pool, adapters));
    }
    for (int i = 0; i < n; i++) {
        iso_print(&out, " %s", iso_absolute_path(&cli->pool, operands[i]));
    }
    return iso_printed(&out);
}

/* Refuses options that have no effect on the chosen checkers and histories. */
static void refuse_ignored(iso_cli *cli, const iso_referee *r) {
    static const char *const of_random[] = {"txns", "ops", "keys", "sessions"};
    static const char *const of_foreign[] = {"adapters", "adapter", "run-memory", "batch", "jobs"};
    bool sessionless = false;
    for (size_t i = 0; i < sizeof of_random / sizeof *of_random; i++) {
        iso_cli_refuse(cli, !r->options.random, of_random[i], "is for random histories: --random");
    }
    for (size_t i = 0; i < sizeof of_foreign / sizeof *of_foreign; i++) {
        iso_cli_refuse(cli, r->n_foreign == 0, of_foreign[i], "is for published checkers: --checkers ...,ext:NAME");
    }
    for (unsigned i = 0; i < r->n_questions; i++) {
        sessionless |= r->questions[i].no_session_order;
    }
    iso_cli_refuse(cli, !sessionless, "no-session-order", "is for si and ser: --level si,ser");
    iso_cli_refuse(cli, r->options.files.n == 0, "mutants", "needs a FILE");
    iso_cli_refuse(cli, r->options.files.n == 0, "format", "needs a FILE");
    iso_cli_refuse(cli, !r->options.random && r->options.mutants == 0, "seed",
                   "is for what is random: --random or --mutants");
}

static int run_referee(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    iso_adapters adapters;
    iso_adapters_load(&adapters, &cli->pool, v->adapters);
    iso_adapters_place(&adapters, v->adapter);
    iso_referee *r = ISO_ZNEW(&cli->pool, iso_referee, 1);
    *r = (iso_referee){.env = &cli->env,
                       .pool = &cli->pool,
                       .options = {.out = v->out,
                                   .seed = v->seed,
                                   .reports = v->reports,
                                   .mutants = v->mutants,
                                   .resume = v->resume,
                                   .run_timeout = v->run_timeout,
                                   .small_timeout = iso_cli_given(cli, "run-timeout") ? 0 : 1000000000,
                                   .tell_every = isatty(STDERR_FILENO) ? 0 : v->progress,
                                   .run_memory = v->run_memory,
                                   .random = v->random,
                                   .count = v->count,
                                   .batch = v->batch,
                                   .at_once = (unsigned)v->jobs,
                                   .shape = {.txns = (unsigned)v->txns,
                                             .ops = (unsigned)v->ops,
                                             .keys = (unsigned)v->keys,
                                             .sessions = (unsigned)v->sessions},
                                   .files = {.format = iso_cli_format(cli, v->format)}}};
    r->options.command = command_text(cli, v, n, operands);
    const iso_format *format = r->options.files.format;
    r->options.files = iso_history_files_of(&cli->pool, (const char *const *)operands, (unsigned)n);
    r->options.files.format = format;
    add_parties(cli, r, &adapters, v);
    add_levels(cli, r, v);
    if (v->exhaustive != NULL) {
        read_exhaustive(cli, r, v->exhaustive);
    }
    iso_referee_defaults(r, cli->timeout > 0);
    refuse_ignored(cli, r);
    uint64_t disagreements = iso_referee_run(r);
    iso_clear_progress();
    if (v->json) {
        iso_referee_json(r, stdout);
    } else {
        iso_referee_summary(r, stdout);
    }
    bool unasked = r->outcome.ended_early && !r->random_only; /* histories that were named or listed */
    return r->outcome.unreadable > 0                ? ISOLAB_E_INPUT
           : disagreements > 0                      ? ISOLAB_VIOLATED
           : unasked || iso_referee_silent(r, NULL) ? ISOLAB_UNKNOWN
                                                    : ISOLAB_OK;
}

const iso_command iso_command_referee = {
    .summary = "asks several checkers about many histories, and explains their disagreements",
    .operands = "[FILE...]",
    .least = 0,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_TEXT("checkers", "all",
                      "checkers by name, published ones as ext:NAME, separated by commas (all: isolab's own)"),
             .letter = 'c', .argument = "LIST", ISO_TO(values, checkers)},
            {ISO_LIST("level", "all", "levels, separated by commas (all: each that two of the checkers answer)"),
             .letter = 'l', .of = ISO_OF_LEVELS, .words = "all", ISO_TO(values, levels)},
            {ISO_TEXT("out", "referee", "folder for the reports"), .argument = "DIR", .of = ISO_OF_FILES,
             ISO_TO(values, out)},
            {ISO_FLAG("random", "no",
                      "random histories: small ones, mutants, and runs of the simulated store with bugs"),
             ISO_TO(values, random)},
            {ISO_TEXT("exhaustive", NULL, "all histories of up to T transactions of up to O operations on K keys"),
             .argument = "T,O,K", ISO_TO(values, exhaustive)},
            {ISO_COUNT("mutants", NULL, 0, ISO_ANY, "also N mutants of each FILE"), ISO_TO(values, mutants)},
            {ISO_COUNT("seed", "1", 0, ISO_ANY, "seed of all random choices"), ISO_TO(values, seed)},
            {ISO_COUNT(
                 "count", NULL, 0, ISO_ANY,
                 "N histories in all (random ones: 200000, with published checkers 2000, with --timeout no limit)"),
             ISO_TO(values, count)},
            {ISO_COUNT("txns", NULL, 0, 100000, "random histories of up to N transactions, instead of a mix"),
             ISO_TO(values, txns)},
            {ISO_COUNT("ops", NULL, 0, 10000, "of up to N operations each"), ISO_TO(values, ops)},
            {ISO_COUNT("keys", NULL, 0, ISO_ANY, "on up to N keys"), ISO_TO(values, keys)},
            {ISO_COUNT("sessions", NULL, 0, ISO_ANY, "in up to N sessions"), ISO_TO(values, sessions)},
            {ISO_FLAG("no-session-order", "no", "ask si and ser also without session order"),
             ISO_TO(values, no_session_order)},
            {ISO_TEXT("adapters", NULL, "published checkers described in FILE (else in $ISOLAB_ADAPTERS)"),
             .of = ISO_OF_FILES, ISO_TO(values, adapters)},
            {ISO_LIST("adapter", NULL, "the program of a known adapter is at PATH"), .argument = "NAME=PATH",
             ISO_TO(values, adapter)},
            {ISO_LIST("verdicts", NULL,
                      "recorded verdicts: a TSV of file, level, verdict, and if known seconds, format and source. Each "
                      "source is a party; without FILE its files are the histories, and without --checkers isolab's "
                      "default checkers answer"),
             .argument = "TABLE", .of = ISO_OF_FILES, ISO_TO(values, verdicts)},
            {ISO_SECONDS("run-timeout", "10",
                         "one answer may take S seconds (1 about a small history, of a program that stays)"),
             ISO_TO(values, run_timeout)},
            {ISO_SIZE("run-memory", "2G", 1, "a published program may use SIZE bytes"), ISO_TO(values, run_memory)},
            {ISO_COUNT("batch", NULL, 1, 4096,
                       "with published checkers: up to N histories at a time (64; 1024 if all of them stay)"),
             ISO_TO(values, batch)},
            {ISO_COUNT("jobs", NULL, 0, ISO_ANY, "run N published programs at once (as many as processors)"),
             .letter = 'j', ISO_TO(values, jobs)},
            {ISO_COUNT("reports", "2", 0, 1e6, "at most N reports of disagreements of one kind"),
             ISO_TO(values, reports)},
            {ISO_SECONDS("progress", "60",
                         "where standard error is no terminal: a line of counts there every S seconds"),
             ISO_TO(values, progress)},
            {ISO_FLAG("resume", "no", "continue where the run that wrote DIR ended"), ISO_TO(values, resume)},
            {ISO_TEXT("format", NULL, "read FILEs as this format"), .of = ISO_OF_FORMATS, ISO_TO(values, format)},
            {ISO_FLAG("json", "no", "print the summary as JSON"), ISO_TO(values, json)},
            ISO_END},
    .details = "Every disagreement is confirmed, shrunk to a smallest history, decided by the definition, and "
               "written as a folder of DIR that can be sent as it is. A crash, and an answer that cannot be "
               "read, is a disagreement too. The exit status is 0 when all parties agreed, 1 when some "
               "disagreed, and else 2 when a limit or an interrupt came before all FILEs and all small "
               "histories were asked about, when nothing was compared, or when no answer of one of the "
               "published checkers was compared. Random histories may end by --timeout or an interrupt. What "
               "was found is kept.",
    .examples = "isolab referee --checkers awdit,naive,ext:plume -l ra --random --seed 7 --out found\n"
                "isolab referee --checkers all -l all --exhaustive 3,2,2 --out found\n"
                "isolab referee --checkers brute,ext:mine --adapters my.adapters -l ser --timeout 600 --out found\n"
                "isolab referee --checkers strong,ext:veristrong --adapter veristrong=/opt/checker -l ser,si \\\n"
                "    --mutants 100 histories/*.jsonl --out found",
    .run = run_referee,
};
