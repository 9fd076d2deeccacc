/* `isolab benchexec`: results of `bench` as BenchExec's XML, and its XML as results. */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/print.h"
#include "cli/command.h"
#include "experiments/figures/cells.h"
#include "experiments/runner/benchexec.h"

typedef struct values {
    const char *output, *label;
} values;

typedef struct exchange {
    iso_cli *cli;
    const values *v;
    int n;
    char **operands;
    iso_results *results;
} exchange;

static void write_xml(exchange *x) {
    iso_pool *pool = &x->cli->pool;
    if (x->n != 2) {
        iso_throw(&x->cli->env, ISOLAB_E_USAGE, "benchexec write: expected one file of results");
    }
    x->results = iso_results_open(pool, x->operands[1], ISO_RESULTS_READ);
    iso_cells cells = iso_cells_load(pool, x->results, &(const iso_filter){.label = x->v->label});
    iso_make_folders(pool, x->v->output);
    size_t n = cells.n > 0 ? iso_benchexec_write(pool, x->results, cells.at[0].environment, x->v->output) : 0;
    iso_say(stdout, "%zu files in %s: table-generator %s/*.results.xml\n", n, x->v->output, x->v->output);
}

static void read_xml(exchange *x) {
    iso_pool *pool = &x->cli->pool;
    bool made = access(x->v->output, F_OK) != 0;
    size_t total = 0;
    x->results = iso_results_open(pool, x->v->output, ISO_RESULTS_WRITE);
    for (int i = 1; i < x->n; i++) {
        size_t n =
            iso_benchexec_read(pool, x->results, x->operands[i], x->v->label != NULL ? x->v->label : "benchexec");
        iso_say(stdout, "%s: %zu runs\n", x->operands[i], n);
        total += n;
    }
    if (total == 0 && made) {
        unlink(x->v->output);
    }
}

static void exchange_results(void *arg) {
    exchange *x = arg;
    bool reads = strcmp(x->operands[0], "read") == 0;
    if (!reads && strcmp(x->operands[0], "write") != 0) {
        iso_throw(&x->cli->env, ISOLAB_E_USAGE, "benchexec: expected read or write, found \"%s\"", x->operands[0]);
    }
    if (x->v->output == NULL) {
        iso_throw(&x->cli->env, ISOLAB_E_USAGE, "benchexec %s: expected --output %s", x->operands[0],
                  reads ? "RESULTS, which takes the runs" : "DIR, which takes the files");
    }
    (reads ? read_xml : write_xml)(x);
}

static int run_benchexec(iso_cli *cli, const void *given, int n, char **operands) {
    exchange x = {.cli = cli, .v = given, .n = n, .operands = operands};
    int code = iso_guard(&cli->env, exchange_results, &x);
    iso_results_close(x.results);
    if (code != ISOLAB_OK) {
        iso_rethrow(&cli->env);
    }
    return ISOLAB_OK;
}

const iso_command iso_command_benchexec = {
    .summary = "exchanges results with BenchExec, as its XML",
    .operands = "read|write FILE...",
    .least = 2,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){{ISO_TEXT("output", NULL, "write: the folder of the XML; read: the file of results"),
                              .letter = 'o', .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
                             {ISO_TEXT("label", NULL,
                                       "write: results of this label, commit or program (default: "
                                       "the newest); read: the label that they get"),
                              .argument = "NAME", ISO_TO(values, label)},
                             ISO_END},
    .details =
        "write makes a file for each suite, checker and repetition, which BenchExec's table-generator reads. read "
        "adds the runs of result files to a file of results, for plot and claims.",
    .examples = "isolab benchexec write -o xml smoke.sqlite\n"
                "isolab benchexec read -o r.sqlite xml/smoke.awdit.1.results.xml",
    .run = run_benchexec,
};
