/* `isolab matrix`: which levels of databases hold in truth (collectors/matrix.h). */
#include <string.h>

#include "cli/collecting.h"
#include "cli/limits.h"
#include "cli/matrix_print.h"
#include "cli/output.h"

typedef struct values {
    iso_matrix_plan plan;
    const char *to, *output;
    bool details;
} values;

/* Adds the rows of `DATABASE` or `DATABASE:LEVEL`. */
static void add_rows(iso_cli *cli, iso_matrix *m, const char *operand) {
    size_t n = strcspn(operand, ":");
    const iso_collector *k = iso_cli_collector(cli, iso_copy_text(&cli->pool, operand, n));
    if (operand[n] == ':' && iso_offer_find(k, operand + n + 1) == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "%s has no level \"%s\"; see `isolab list databases`", k->title,
                  operand + n + 1);
    }
    if (k->needs != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "%s has no levels to compare, and needs --%s: record by `isolab collect %s --%s ...`, and `isolab "
                  "check` the history",
                  k->name, k->needs, k->name, k->needs);
    }
    iso_matrix_add(m, &cli->pool, k, operand[n] == ':' ? iso_offer_find(k, operand + n + 1) : NULL);
}

static int run_matrix(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    iso_matrix m = {.n = 0};
    for (int i = 0; i < n; i++) {
        add_rows(cli, &m, operands[i]);
    }
    FILE *out = iso_output_open(&cli->env, v->output);
    iso_matrix_plan plan = v->plan;
    plan.answered = iso_limits_repay;
    plan.stopped = iso_output_failed;
    int code = iso_matrix_measure(&cli->pool, &plan, &m);
    iso_clear_progress();
    iso_limits_apply(cli, false); /* what is known is printed */
    iso_target target = strcmp(v->to, "html") == 0       ? ISO_HTML
                        : strcmp(v->to, "latex") == 0    ? ISO_LATEX
                        : strcmp(v->to, "markdown") == 0 ? ISO_MARKDOWN
                                                         : ISO_PLAIN;
    if (strcmp(v->to, "json") == 0) {
        iso_matrix_json(out, &m);
    } else {
        iso_matrix_print(&cli->pool, out, target, &m, v->details);
    }
    iso_output_close(&cli->env, out);
    bool broken = false, unknown = code != ISOLAB_OK;
    for (uint32_t i = 0; i < m.n; i++) {
        unknown |= m.row[i].runs == m.row[i].failed;
        for (int l = 0; l < iso_n_levels; l++) {
            broken |= m.row[i].cell[l].violated > 0 && iso_matrix_promised(&m.row[i], (iso_level)l);
        }
    }
    return broken ? (int)ISOLAB_VIOLATED : unknown ? (int)ISOLAB_UNKNOWN : ISOLAB_OK;
}

const iso_command iso_command_matrix = {
    .summary = "records databases at each of their levels and shows which levels hold in truth",
    .operands = "DATABASE[:LEVEL]...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_DATABASES,
    .size = sizeof(values),
    .details = "A cell is `yes` (no run violated it, and some could have), `(yes)` (nothing in the runs could "
               "have violated it), `NO 2/8` (violated in two of eight runs; with `!`: the database's "
               "documentation promises it), or `?`; `yes?` if some runs were not decided. `yes` rests on the runs of "
               "its row, and --details says on what each. Exit status 1: a promise is broken.",
    .options =
        (const iso_option[]){
            {ISO_COUNT("runs", "8", 1, 1e6, "recordings of each level, with eight workloads in turn"),
             ISO_TO(values, plan.runs)},
            {ISO_COUNT("txns", "2000", 1, 1e9, "transactions of a recording"), ISO_TO(values, plan.txns)},
            {ISO_COUNT("sessions", "8", 1, 4096, "clients"), ISO_TO(values, plan.sessions)},
            {ISO_FLAG("spawn", "no", "start a private server of each database that has one"),
             ISO_TO(values, plan.spawn)},
            {ISO_FLAG("details", "no", "also list the workloads, and what each satisfied cell rests on"),
             ISO_TO(values, details)},
            {ISO_SECONDS("each", "30", "time for the questions about one recording"), ISO_TO(values, plan.each)},
            {ISO_TEXT("folder", "matrix", "the folder for counterexamples and proofs"), .of = ISO_OF_OUTPUTS,
             ISO_TO(values, plan.folder)},
            {ISO_WORD("to", "text", "text json latex html markdown", "form of the table"), ISO_TO(values, to)},
            {ISO_TEXT("output", NULL, "write to this file instead of standard output"), .letter = 'o',
             .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
            ISO_END},
    .examples =
        "isolab matrix sqlite rocksdb\nisolab matrix rocksdb:pessimistic-snapshot --runs 20 --to html -o matrix.html",
    .run = run_matrix,
};
