/* `isolab plot`: figures and tables from a file of results. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "cli/command.h"
#include "cli/output.h"
#include "experiments/figures/gnuplot.h"
#include "experiments/runner/lab.h"

typedef struct values {
    const char *output, *to, *x, *y, *over, *title, *level, *checker, *family, *history, *suite, *label, *cell, *rename;
    bool pool, interval, missing;
} values;

typedef struct plot_state {
    iso_cli *cli;
    const values *v;
    char **operands;
    iso_results *results;
} plot_state;

static const iso_figure_kind *kind_of(iso_cli *cli, const char *name) {
    char names[256] = "", hint[128];
    size_t used = 0;
    for (const iso_figure_kind *k = iso_figure_kinds; k->name != NULL; k++) {
        if (strcmp(k->name, name) == 0) {
            return k;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : " ", k->name);
    }
    iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no figure \"%s\"%s; there are: %s", name,
              iso_did_you_mean(name, ISO_OF_WORDS, names, hint), names);
}

/* Returns the output form: that of --to, else of the file's extension, else Markdown. */
static const char *form_of(plot_state *state, const iso_figure_kind *kind) {
    static const char known[] = "svg pdf png gp md tex csv";
    const char *dot = state->v->output != NULL ? strrchr(state->v->output, '.') : NULL;
    const char *form = state->v->to != NULL ? state->v->to : dot != NULL ? dot + 1 : "md";
    const char *at = strstr(known, form);
    size_t n = strlen(form);
    if (at == NULL || n < 2 || (at != known && at[-1] != ' ') || (at[n] != ' ' && at[n] != '\0')) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "expected one of %s, found \"%s\"", known, form);
    }
    bool drawn = iso_gnuplot_draws(form) || strcmp(form, "gp") == 0;
    if (drawn && !kind->drawn) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "%s is not drawn: write md, tex or csv", kind->name);
    }
    if (iso_gnuplot_draws(form) && state->v->output == NULL) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "a picture needs --output");
    }
    return form;
}

/* Prints one cell: as in the table, or with its interval and all digits. */
static void print_cell(plot_state *state, const iso_cells *cells, const iso_grid *grid) {
    const char *text = iso_grid_find(grid, state->v->cell);
    if (text == NULL || *text == '\0') {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "there is no cell \"%s\": expected ROW:COLUMN of the table",
                  state->v->cell);
    }
    iso_grid_cell cell;
    if (!state->v->interval) {
        iso_say(stdout, "%s\n", text);
    } else if (!iso_grid_measure(grid, state->v->cell, &cell)) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "cell \"%s\" is no number", state->v->cell);
    } else if (isnan(cell.low)) {
        iso_say(stdout, "%.9g\n", cell.value);
    } else {
        iso_say(stdout, "%.9g %.9g %.9g\n", cell.value, cell.low, cell.high);
    }
    if (state->v->missing) {
        iso_say(stdout, "%zu %zu %zu\n", cells->missing, cells->planned, cells->unasked);
    }
}

/* Returns the list of --checker with the names of --rename. */
static const char *renamed_list(plot_state *state) {
    iso_pool *pool = &state->cli->pool;
    const char *list = NULL;
    for (const char *at = state->v->checker; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        const char *name = iso_cells_renamed(pool, state->v->rename, iso_copy_text(pool, at, strcspn(at, ",")));
        list = list == NULL ? name : iso_format_text(pool, "%s,%s", list, name);
    }
    return list;
}

/* Returns the measure of a figure if --y names none. Exponents are of algorithms: the time to start a process would
 * hide them. */
static const char *usual_measure(const iso_figure_kind *kind, const iso_cells *cells) {
    bool all_tell = true; /* published checkers do not tell the time of checking */
    for (size_t i = 0; i < cells->n; i++) {
        all_tell &= cells->at[i].n == 0 || !isnan(cells->at[i].check[0]);
    }
    return strcmp(kind->name, "memory") == 0      ? "peak"
           : strcmp(kind->name, "exponents") != 0 ? "wall"
           : all_tell                             ? "check"
                                                  : "net";
}

static void plot(void *arg) {
    plot_state *state = arg;
    iso_pool *pool = &state->cli->pool;
    const values *v = state->v;
    const iso_figure_kind *kind = kind_of(state->cli, state->operands[0]);
    const char *form = form_of(state, kind);
    bool drawn = iso_gnuplot_draws(form) || strcmp(form, "gp") == 0;
    iso_cli_refuse(state->cli, !kind->x, "x", "is for line, exponents and table");
    iso_cli_refuse(state->cli, !kind->y, "y",
                   "is for figures of one measure, not for stages, memory, verdicts and matrix");
    iso_cli_refuse(state->cli, strcmp(kind->name, "mean") != 0, "over", "is for mean");
    iso_cli_refuse(state->cli, !kind->families, "pool", "is for figures that keep families apart");
    iso_cli_refuse(state->cli, !drawn, "title", "is for pictures");
    state->results = iso_results_open(pool, state->operands[1], ISO_RESULTS_READ);
    iso_filter filter = {.suite = v->suite,
                         .level = v->level,
                         .checker = v->checker,
                         .family = v->family,
                         .history = v->history,
                         .rename = v->rename,
                         .label = v->label};
    iso_cells cells = iso_cells_load(pool, state->results, &filter);
    const char *left_out = iso_cells_leave_out(pool, &cells);
    bool asked_for = v->cell != NULL && v->checker != NULL; /* by a claim about checkers that it names */
    if ((cells.n == 0 || asked_for) && *left_out != '\0') {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "no results: %.*s", (int)strcspn(left_out, "\n"), left_out);
    }
    iso_figure_spec spec = {.pool = pool,
                            .cells = &cells,
                            .x = v->x,
                            .over = v->over,
                            .title = v->title,
                            .pooled = v->pool,
                            .apart = kind->apart && !v->pool,
                            .checkers = renamed_list(state),
                            .y = v->y != NULL ? v->y : usual_measure(kind, &cells)};
    iso_figure figure = {.data = ISO_MARKUP("")};
    kind->make(&spec, &figure);
    if (v->cell != NULL) {
        print_cell(state, &cells, figure.grid);
        return;
    }
    for (const char *line = left_out; *line != '\0'; line = strchr(line, '\n') + 1) {
        iso_say(stderr, "isolab: left out: %.*s\n", (int)strcspn(line, "\n"), line);
    }
    iso_printer out = {.out = iso_output_open(&state->cli->env, v->output)};
    if (iso_gnuplot_draws(form)) {
        size_t size;
        const char *picture = iso_gnuplot_draw(pool, kind->name, &figure, form, &size);
        iso_file_bytes(out.out, picture, size);
    } else if (strcmp(form, "gp") == 0) {
        iso_print_markup(&out, iso_gnuplot_script(pool, kind->name, &figure));
    } else {
        iso_grid_write(figure.grid,
                       strcmp(form, "md") == 0    ? ISO_GRID_MARKDOWN
                       : strcmp(form, "tex") == 0 ? ISO_GRID_LATEX
                                                  : ISO_GRID_CSV,
                       out.out);
    }
    iso_output_close(&state->cli->env, out.out);
}

static int run_plot(iso_cli *cli, const void *given, int n, char **operands) {
    (void)n;
    plot_state state = {.cli = cli, .v = given, .operands = operands};
    int code = iso_guard(&cli->env, plot, &state);
    iso_results_close(state.results);
    if (code != ISOLAB_OK) {
        iso_rethrow(&cli->env);
    }
    return ISOLAB_OK;
}

const iso_command iso_command_plot = {
    .summary = "draws figures and tables from the results of bench",
    .operands = "FIGURE RESULTS",
    .least = 2,
    .most = 2,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_TEXT("output", NULL, "write to this file; its extension chooses the form"), .letter = 'o',
             .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
            {ISO_WORD("to", NULL, "svg pdf png gp md tex csv",
                      "write this form instead (a picture, its gnuplot script, or the numbers as a table)"),
             .argument = "F", ISO_TO(values, to)},
            {ISO_TEXT("x", "transactions",
                      "horizontal axis: transactions, operations, sessions, keys, bytes, a varied "
                      "parameter, or a number of stats --hardness"),
             .letter = 'x', .argument = "SIZE", ISO_TO(values, x)},
            {ISO_TEXT(
                 "y", NULL,
                 "the measure: wall (default; of exponents check, or net with published checkers), total (with the "
                 "time in which the history was made), served (with the time in "
                 "which a recording's workload ran), net (reading and checking; of a published checker: without its "
                 "start), cpu, load, check, peak, aborted (share of a recording's transactions), or counter:NAME of a "
                 "checker's counter"),
             .letter = 'y', .argument = "MEASURE", ISO_TO(values, y)},
            {ISO_TEXT("over", NULL, "mean: show the sum of the measure as a share of the sum of this one"),
             .argument = "MEASURE", ISO_TO(values, over)},
            {ISO_TEXT("title", NULL, "the figure's title"), ISO_TO(values, title)},
            {ISO_LIST("level", NULL, "only these levels"), .letter = 'l', .of = ISO_OF_LEVELS, ISO_TO(values, level)},
            {ISO_LIST("checker", NULL, "only these checkers, in this order"), .letter = 'c', ISO_TO(values, checker)},
            {ISO_LIST("rename", NULL, "show checkers by these names"), .argument = "CHECKER=NAME,...",
             ISO_TO(values, rename)},
            {ISO_TEXT("family", NULL, "only histories of these blocks of the suite"), .argument = "PATTERN",
             ISO_TO(values, family)},
            {ISO_TEXT("history", NULL, "only histories with these names"), .argument = "PATTERN",
             ISO_TO(values, history)},
            {ISO_TEXT("suite", NULL, "only results of these suites"), .argument = "PATTERN", ISO_TO(values, suite)},
            {ISO_TEXT("cell", NULL, "print only this cell of the table"), .argument = "ROW:COLUMN",
             ISO_TO(values, cell)},
            {ISO_FLAG("interval", "no", "print the cell, the low and the high end of its interval, with all digits"),
             ISO_TO(values, interval)},
            {ISO_FLAG("missing", "no",
                      "print on another line the numbers of missing and of planned runs, and of questions of which "
                      "all runs are missing"),
             ISO_TO(values, missing)},
            {ISO_FLAG("pool", "no", "join unlike families (blocks of the suite) in one series"), ISO_TO(values, pool)},
            {ISO_TEXT("label", NULL, "results of this label, commit or program (default: the newest)"),
             .argument = "NAME", ISO_TO(values, label)},
            ISO_END},
    .needs = (const iso_need[]){{"cell", NULL, "output to title rename"},
                                {"interval", "cell", NULL},
                                {"missing", "cell", NULL},
                                {NULL, NULL, NULL}},
    .details = "FIGURE is line, exponents, scatter, quantile, stages, memory, ablation, mean, table, verdicts, "
               "matrix or predictors. All but the last five can be drawn as svg, pdf or png, or written as the "
               "script of gnuplot that draws it; all can be written as Markdown, LaTeX or CSV.",
    .examples = "isolab plot line -c awdit --family scaling r.sqlite -o scaling.pdf\n"
                "isolab plot scatter -c plume,awdit r.sqlite -o speedup.svg\n"
                "isolab plot exponents -x operations r.sqlite --to csv",
    .run = run_plot,
};
