/* `isolab report`: a page about one history, or an index of several and a page for each (report/), or a
 * page about a file of results. */
#include "report/report.h"

#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/load.h"
#include "cli/output.h"
#include "experiments/figures/results_page.h"

typedef struct values {
    iso_cli_reading reading;
    const char *output, *label;
    uint64_t limit, each;
} values;

/* ---- several histories ---- */

/* Returns the name of the page of history n: for `a/b.html` it is `a/b-3.html`. */
static const char *page_name(iso_pool *pool, const char *index, int n) {
    iso_printer text = {.pool = pool};
    const char *slash = strrchr(index, '/'), *dot = strrchr(slash != NULL ? slash : index, '.');
    dot = dot != NULL ? dot : index + strlen(index);
    iso_print(&text, "%.*s-%d%s", (int)(dot - index), index, n, *dot != '\0' ? dot : ".html");
    return iso_printed(&text);
}

typedef struct one {
    iso_cli *cli;
    const values *v;
    const char *path, *output;
    iso_pool pool;
    iso_report_row *row;
} one;

static void report_one(void *arg) {
    one *o = arg;
    iso_report *r = ISO_ZNEW(&o->pool, iso_report, 1);
    *r = (iso_report){
        .pool = &o->pool, .path = o->path, .limit = o->v->limit, .each = o->v->each, .answered = iso_limits_repay};
    r->h = iso_cli_load(o->cli, &o->pool, o->path, &o->v->reading);
    iso_cli_doubt(o->cli, r->h, o->path, &o->v->reading);
    iso_report_ask(r);
    iso_limits_apply(o->cli, false); /* known answers are printed without limits */
    iso_clear_progress();
    FILE *out = iso_output_open(&o->cli->env, o->output);
    iso_report_write(r, out);
    iso_output_close(&o->cli->env, out);
    iso_report_sum_up(r, &o->cli->pool, o->row);
}

/* Makes a page under its own guard, so that a malformed file leaves the others alone. */
static int report_file(one *o) {
    iso_env *env = &o->cli->env;
    iso_pool_init(&o->pool, env);
    iso_limits_apply(o->cli, true);
    int code = iso_guard(env, report_one, o);
    iso_limits_apply(o->cli, false);
    iso_clear_progress();
    iso_pool_free(&o->pool);
    if (code != ISOLAB_OK) {
        if (env->error.file[0] == '\0') {
            snprintf(env->error.file, sizeof env->error.file, "%s", o->path);
        }
        iso_print_error(&env->error);
    }
    return code;
}

static int run_report(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    bool index = n > 1;
    int status = ISOLAB_OK;
    for (int i = 0; i < n; i++) {
        bool results = iso_is_results(operands[i]);
        if (results && index) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "%s is a file of results, which has a page of its own: name it alone",
                      operands[i]);
        } else if (results) {
            static const char *const others[] = {"format", "initial", "truncated", "initial-transaction",
                                                 "limit",  "each"};
            for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
                iso_cli_refuse(cli, true, others[k], "is for histories, and not for a file of results");
            }
            FILE *out = iso_output_open(&cli->env, v->output);
            iso_results_page(&cli->pool, operands[i], v->label, out);
            iso_output_close(&cli->env, out);
            return ISOLAB_OK;
        }
    }
    iso_cli_refuse(cli, true, "label", "is for a file of results");
    if (index && (v->output == NULL || strcmp(v->output, "-") == 0)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "several histories need --output FILE: an index, and a page for each beside it");
    }
    iso_report_row *rows = ISO_ZNEW(&cli->pool, iso_report_row, (size_t)n);
    for (int i = 0; i < n && !atomic_load(&cli->env.limits->interrupted); i++) {
        const char *output = index ? page_name(&cli->pool, v->output, i + 1) : v->output;
        one o = {.cli = cli, .v = v, .path = operands[i], .output = output, .row = &rows[i]};
        rows[i] = (iso_report_row){.path = operands[i], .verdict = ISOLAB_UNKNOWN};
        int code = report_file(&o);
        rows[i].page = code == ISOLAB_OK && index ? iso_base_name(output) : NULL;
        if (code != ISOLAB_OK) {
            iso_printer why = {.pool = &cli->pool};
            iso_print(&why, "%s", cli->env.error.message);
            rows[i].strongest = iso_printed(&why);
        }
        status = code > status ? code : status;
    }
    if (index) {
        iso_printer page = {.out = iso_output_open(&cli->env, v->output), .target = ISO_HTML};
        iso_report_index(&page, rows, (uint32_t)n);
        iso_output_close(&cli->env, page.out);
    }
    return atomic_load(&cli->env.limits->interrupted) ? ISOLAB_E_LIMIT : status;
}

const iso_command iso_command_report = {
    .summary = "writes a page about histories or results: levels, anomalies as pictures and proofs, search",
    .operands = "FILE...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_TEXT("output", NULL, "write to this file instead of standard output"), .letter = 'o',
             .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
            ISO_READING_OPTIONS(values, reading),
            {ISO_COUNT("limit", "1000", 0, ISO_ANY, "choose pictures among the first N anomalies"),
             ISO_TO(values, limit)},
            {ISO_COUNT("each", "3", 0, ISO_ANY, "limit of pictures for each kind of anomaly"), ISO_TO(values, each)},
            {ISO_TEXT("label", NULL,
                      "of a file of results: the runs of this label, commit or program (else the newest)"),
             ISO_TO(values, label)},
            ISO_END},
    .details =
        "The page stands alone: it needs no server, no network and no other file. With several histories the output is "
        "an index, and their pages are beside it: page-1.html, page-2.html ... FILE may also be a file of results of "
        "`bench`: the page has its answers as tables, disagreements and pictures.",
    .examples = "isolab report -o page.html history.txt\n"
                "isolab report -o index.html runs/*.jsonl\n"
                "isolab report -o results.html smoke.sqlite\n"
                "isolab report --timeout 1m history.jsonl >page.html",
    .run = run_report,
};
