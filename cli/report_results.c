/* A page about a file of results: what was asked, where checkers disagree, pictures of times and memory, and a table of
 * all answers that can be sorted and searched. See report.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "cli/page.h"
#include "cli/report.h"
#include "cli/report_plots.h"
#include "experiments/figures/cells.h"
#include "experiments/figures/statistics.h"

enum { ROWS = 20000, POINTS = 4000, DISAGREEMENTS = 1000 };

typedef struct page {
    iso_pool *pool;
    iso_printer *out;
    const char *path, *label;
    iso_results *results;
    iso_cells cells;
    const char **checker; /* the names, in the order of the table */
    unsigned n_checkers;
    double *time, *memory; /* by cell: medians, ms and MiB; NaN: none */
} page;

static unsigned checker_of(page *p, const char *name) {
    for (unsigned i = 0; i < p->n_checkers; i++) {
        if (strcmp(p->checker[i], name) == 0) {
            return i;
        }
    }
    p->checker[p->n_checkers] = name;
    return p->n_checkers++;
}

static bool has_verdict(const iso_cell *c) {
    return c->verdict != NULL && (strcmp(c->verdict, "satisfied") == 0 || strcmp(c->verdict, "violated") == 0);
}

static bool same_question(const iso_cell *a, const iso_cell *b) {
    return strcmp(a->history, b->history) == 0 && strcmp(a->level, b->level) == 0 && strcmp(a->source, b->source) == 0;
}

static void load(page *p) {
    p->results = iso_results_open(p->pool, p->path, ISO_RESULTS_READ);
    p->cells = iso_cells_load(p->pool, p->results, &(const iso_filter){.label = p->label});
    size_t n = p->cells.n;
    p->checker = ISO_NEW(p->pool, const char *, n + 1);
    p->time = ISO_NEW(p->pool, double, n + 1);
    p->memory = ISO_NEW(p->pool, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        const iso_cell *c = &p->cells.at[i];
        checker_of(p, c->checker);
        p->time[i] = c->n > 0 ? iso_stat_quantile(p->pool, c->wall, c->n, 0.5) : NAN;
        p->memory[i] = c->n > 0 ? iso_stat_quantile(p->pool, c->peak, c->n, 0.5) : NAN;
    }
}

static void say_text(page *p, sqlite3_stmt *s, int column) {
    const unsigned char *text = sqlite3_column_text(s, column);
    iso_print(p->out, "<td>%s</td>", text != NULL ? (const char *)text : "");
}

/* All environments of the file, the newest first. */
static void environments(page *p) {
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(iso_results_db(p->results),
                           "SELECT label, version, commit_id, compiler, flags, host, cpu, cores, memory / 1048576, "
                           "kernel, governor, first_used, (SELECT count(*) FROM run WHERE environment = e.id) "
                           "FROM environment e ORDER BY id DESC",
                           -1, &s, NULL) != SQLITE_OK) {
        iso_results_throw(p->results);
    }
    iso_print(p->out, "<h2 id=\"environment\">Where it was measured</h2>\n<div class=\"wide\"><table><tr>"
                      "<th>label</th><th>isolab</th><th>commit</th><th>compiler</th><th>flags</th><th>host</th>"
                      "<th>processor</th><th>cores</th><th>memory, MiB</th><th>kernel</th><th>governor</th><th>first "
                      "used</th><th>runs</th></tr>\n");
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        iso_print(p->out, "<tr>");
        for (int i = 0; i < 13; i++) {
            say_text(p, s, i);
        }
        iso_print(p->out, "</tr>\n");
    }
    sqlite3_finalize(s);
    if (code != SQLITE_DONE) {
        iso_results_throw(p->results);
    }
    iso_print(p->out, "</table></div>\n");
}

static void summary(page *p) {
    static const char *const states[] = {"ok", "wrong", "timeout", "memory", "crash", "unsupported", "refused"};
    enum { STATES = sizeof states / sizeof *states };
    iso_print(p->out, "<h2 id=\"checkers\">Checkers</h2>\n<div class=\"wide\"><table class=\"sortable\"><thead><tr>"
                      "<th>checker</th>");
    for (int k = 0; k < STATES; k++) {
        iso_print(p->out, "<th>%s</th>", states[k]);
    }
    iso_print(p->out, "<th>median time, ms</th><th>median memory, MiB</th></tr></thead><tbody>\n");
    double *time = ISO_NEW(p->pool, double, p->cells.n + 1), *memory = ISO_NEW(p->pool, double, p->cells.n + 1);
    for (unsigned c = 0; c < p->n_checkers; c++) {
        size_t count[STATES] = {0}, n = 0;
        for (size_t i = 0; i < p->cells.n; i++) {
            const iso_cell *cell = &p->cells.at[i];
            for (int k = 0; k < STATES && strcmp(cell->checker, p->checker[c]) == 0; k++) {
                count[k] += strcmp(cell->state, states[k]) == 0;
            }
            if (strcmp(cell->checker, p->checker[c]) == 0 && !isnan(p->time[i])) {
                time[n] = p->time[i];
                memory[n++] = p->memory[i];
            }
        }
        iso_print(p->out, "<tr><td>%s</td>", p->checker[c]);
        for (int k = 0; k < STATES; k++) {
            bool bad = k > 0 && k < 5 && count[k] > 0;
            iso_print(p->out, "<td data-value=\"%zu\"%s>%zu</td>", count[k], bad ? " class=\"no\"" : "", count[k]);
        }
        if (n > 0) {
            double t = iso_stat_quantile(p->pool, time, n, 0.5), m = iso_stat_quantile(p->pool, memory, n, 0.5);
            iso_print(p->out, "<td data-value=\"%g\">%.3g</td><td data-value=\"%g\">%.3g</td></tr>\n", t, t, m, m);
        } else {
            iso_print(p->out, "<td></td><td></td></tr>\n");
        }
    }
    iso_print(p->out, "</tbody></table></div>\n");
}

/* Prints the cells [first, end) of one question if their verdicts contradict each other or what the suite expects. */
static bool disagreement(page *p, size_t first, size_t end) {
    bool satisfied = false, violated = false, wrong = false;
    for (size_t i = first; i < end; i++) {
        const iso_cell *c = &p->cells.at[i];
        satisfied |= has_verdict(c) && strcmp(c->verdict, "satisfied") == 0;
        violated |= has_verdict(c) && strcmp(c->verdict, "violated") == 0;
        wrong |= strcmp(c->state, "wrong") == 0;
    }
    if (!wrong && !(satisfied && violated)) {
        return false;
    }
    const iso_cell *one = &p->cells.at[first];
    iso_print(p->out, "<li><b>%s</b> at %s", one->history, one->level);
    if (one->expected != NULL) {
        iso_print(p->out, " (expected: %s)", one->expected);
    }
    for (size_t i = first; i < end; i++) {
        const iso_cell *c = &p->cells.at[i];
        iso_print(p->out, "%s <a href=\"#c%zu\">%s</a> %s", i == first ? ":" : ",", i + 1, c->checker,
                  c->verdict != NULL ? c->verdict : c->state);
    }
    iso_print(p->out, "</li>\n");
    return true;
}

static size_t end_of_question(const page *p, size_t first) {
    size_t end = first + 1;
    while (end < p->cells.n && same_question(&p->cells.at[first], &p->cells.at[end])) {
        end++;
    }
    return end;
}

static void disagreements(page *p) {
    size_t n = 0, questions = 0;
    iso_print(p->out, "<h2 id=\"disagreements\">Disagreements</h2>\n<ul>\n");
    for (size_t first = 0, end; first < p->cells.n && n < DISAGREEMENTS; first = end, questions++) {
        end = end_of_question(p, first);
        n += disagreement(p, first, end);
    }
    iso_print(p->out, "</ul>\n");
    if (n == 0) {
        iso_print(p->out,
                  "<p>None: all verdicts about one question are the same, and as expected where that is known.</p>\n");
    } else if (n == DISAGREEMENTS) {
        iso_print(p->out, "<p>These are the first %zu.</p>\n", n);
    }
}

static int by_time(const void *a, const void *b) {
    const iso_plot_point *x = a, *y = b;
    return x->series != y->series ? (x->series > y->series) - (x->series < y->series) : (x->y > y->y) - (x->y < y->y);
}

static iso_plot_point *points(page *p, const double *measure, size_t *n) {
    iso_plot_point *point = ISO_NEW(p->pool, iso_plot_point, p->cells.n + 1);
    size_t step = 1 + p->cells.n / POINTS;
    *n = 0;
    for (size_t i = 0; i < p->cells.n; i += step) {
        const iso_cell *c = &p->cells.at[i];
        if (isnan(measure[i])) {
            continue;
        }
        iso_printer says = {.pool = p->pool}; /* plain text: the page escapes it */
        iso_print(&says, "%s, %s, %s: %.4g", c->history, c->level, c->checker, measure[i]);
        point[(*n)++] = (iso_plot_point){c->operations, measure[i], checker_of(p, c->checker), iso_printed(&says)};
    }
    return point;
}

static void plots(page *p) {
    iso_plot plot = {.series = p->checker, .n_series = p->n_checkers};
    iso_print(p->out, "<h2 id=\"plots\">Pictures</h2>\n<div class=\"plots\">\n");
    plot.title = "Time";
    plot.x = "operations of the history";
    plot.y = "time, ms";
    plot.point = points(p, p->time, &plot.n);
    iso_plot_draw(p->out, &plot);
    plot.title = "Memory";
    plot.y = "memory, MiB";
    plot.point = points(p, p->memory, &plot.n);
    iso_plot_draw(p->out, &plot);
    plot.title = "Questions answered, each within its time";
    plot.x = "questions, the quickest first";
    plot.y = "time, ms";
    plot.lines = plot.x_counts = true;
    plot.point = points(p, p->time, &plot.n);
    qsort(plot.point, plot.n, sizeof *plot.point, by_time);
    for (size_t i = 0, nth = 0; i < plot.n; i++) {
        nth = i > 0 && plot.point[i - 1].series == plot.point[i].series ? nth + 1 : 1;
        plot.point[i].x = (double)nth;
    }
    iso_plot_draw(p->out, &plot);
    iso_print(p->out, "</div>\n");
    if (p->cells.n > POINTS) {
        iso_print(p->out, "<p class=\"muted\">One of %zu answers is drawn.</p>\n", 1 + p->cells.n / POINTS);
    }
}

static void number(page *p, double value) {
    if (isfinite(value) && value == floor(value)) {
        iso_print(p->out, "<td data-value=\"%.17g\">%.0f</td>", value, value);
    } else if (isfinite(value)) {
        iso_print(p->out, "<td data-value=\"%.9g\">%.4g</td>", value, value);
    } else {
        iso_print(p->out, "<td></td>");
    }
}

static void table(page *p) {
    iso_print(p->out,
              "<h2 id=\"answers\">Answers</h2>\n<p class=\"muted\">Times and memory are medians of the runs. Click a "
              "heading to sort.</p>\n<p class=\"filter\" hidden><label>Show only rows with: <input type=\"search\" "
              "size=\"30\" autocomplete=\"off\"></label> <span class=\"muted\" aria-live=\"polite\"></span></p>\n"
              "<div class=\"wide\"><table class=\"sortable filtered\"><thead><tr><th>history</th><th>family</th>"
              "<th>operations</th><th>level</th><th>checker</th><th>state</th><th>verdict</th><th>expected</th>"
              "<th>runs</th><th>time, ms</th><th>memory, MiB</th><th>reason</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < p->cells.n && i < ROWS; i++) {
        const iso_cell *c = &p->cells.at[i];
        bool bad = strcmp(c->state, "wrong") == 0, good = strcmp(c->state, "ok") == 0;
        const char *class = c->verdict == NULL                     ? "maybe"
                            : strcmp(c->verdict, "satisfied") == 0 ? "yes"
                            : strcmp(c->verdict, "violated") == 0  ? "no"
                                                                   : "maybe";
        iso_print(p->out, "<tr id=\"c%zu\"><td>%s</td><td>%s</td>", i + 1, c->history, c->family);
        number(p, c->operations);
        iso_print(p->out, "<td>%s</td><td>%s</td><td class=\"%s\">%s</td><td class=\"%s\">%s</td><td>%s</td>", c->level,
                  c->checker,
                  bad    ? "no"
                  : good ? ""
                         : "maybe",
                  c->state, class, c->verdict != NULL ? c->verdict : "", c->expected != NULL ? c->expected : "");
        number(p, (double)c->n);
        number(p, p->time[i]);
        number(p, p->memory[i]);
        iso_print(p->out, "<td>%s</td></tr>\n", c->reason != NULL ? c->reason : "");
    }
    iso_print(p->out, "</tbody></table></div>\n");
    if (p->cells.n > ROWS) {
        iso_print(
            p->out,
            "<p>These are the first %d of %zu answers; <span class=\"mono\">isolab plot table</span> has all.</p>\n",
            ROWS, p->cells.n);
    }
}

static void write_page(page *p) {
    iso_page_begin(p->out, p->path);
    iso_print(p->out,
              "<nav class=\"top\"><a href=\"#checkers\">Checkers</a><a href=\"#disagreements\">Disagreements</a><a "
              "href=\"#plots\">Pictures</a><a href=\"#answers\">Answers</a><a href=\"#environment\">Environment</a>"
              "<button id=\"theme\" hidden></button></nav>\n<h1>%s</h1>\n",
              p->path);
    size_t questions = 0;
    for (size_t first = 0; first < p->cells.n; first = end_of_question(p, first)) {
        questions++;
    }
    iso_print(p->out,
              "<p>%zu answers of %u checkers to %zu questions (a history and a level). Measured by %s. Made by isolab "
              "%s.</p>\n",
              p->cells.n, p->n_checkers, questions, p->cells.about != NULL ? p->cells.about : "no environment",
              ISOLAB_VERSION);
    summary(p);
    disagreements(p);
    plots(p);
    table(p);
    environments(p);
    iso_page_end(p->out);
}

typedef struct report_state {
    iso_cli *cli;
    const char *output;
    page page;
} report_state;

static void make(void *arg) {
    report_state *state = arg;
    load(&state->page);
    iso_printer out = {.out = iso_output_open(&state->cli->env, state->output), .target = ISO_HTML};
    state->page.out = &out;
    write_page(&state->page);
    iso_output_close(&state->cli->env, out.out);
}

void iso_report_results(iso_cli *cli, const char *path, const char *label, const char *output) {
    report_state state = {.cli = cli, .output = output, .page = {.pool = &cli->pool, .path = path, .label = label}};
    int code = iso_guard(&cli->env, make, &state);
    iso_results_close(state.page.results);
    if (code != ISOLAB_OK) {
        iso_rethrow(&cli->env);
    }
}

bool iso_is_results(const char *path) {
    static const char magic[16] = "SQLite format 3";
    char begin[sizeof magic] = "";
    struct stat about; /* what is read of a pipe is gone, so only files are looked into */
    FILE *in = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    size_t n = in != NULL ? fread(begin, 1, sizeof begin, in) : 0;
    if (in != NULL) {
        fclose(in);
    }
    return n == sizeof begin && memcmp(begin, magic, sizeof magic) == 0;
}
