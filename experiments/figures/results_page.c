/* See results_page.h. */
#include "experiments/figures/results_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiments/figures/gnuplot.h"
#include "experiments/figures/statistics.h"
#include "report/page.h"

enum { ROWS = 20000, DISAGREEMENTS = 1000 };

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
    iso_print(p->out, "<h2 id=\"checkers\">Checkers</h2>\n<div class=\"wide\"><table class=\"sortable\"><thead><tr>"
                      "<th>checker</th>");
    for (int k = 0; k < ISO_CELL_CLASSES; k++) {
        iso_print(p->out, "<th>%s</th>", iso_cell_class_name((iso_cell_class)k));
    }
    iso_print(p->out, "<th>median time, ms</th><th>median memory, MiB</th></tr></thead><tbody>\n");
    double *time = ISO_NEW(p->pool, double, p->cells.n + 1), *memory = ISO_NEW(p->pool, double, p->cells.n + 1);
    for (unsigned c = 0; c < p->n_checkers; c++) {
        size_t count[ISO_CELL_CLASSES] = {0}, n = 0;
        for (size_t i = 0; i < p->cells.n; i++) {
            const iso_cell *cell = &p->cells.at[i];
            count[cell->class] += strcmp(cell->checker, p->checker[c]) == 0;
            if (strcmp(cell->checker, p->checker[c]) == 0 && !isnan(p->time[i])) {
                time[n] = p->time[i];
                memory[n++] = p->memory[i];
            }
        }
        iso_print(p->out, "<tr><td>%s</td>", p->checker[c]);
        for (int k = 0; k < ISO_CELL_CLASSES; k++) {
            bool bad = k >= ISO_CELL_WRONG && k <= ISO_CELL_CRASH && count[k] > 0;
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

/* Prints the cells [first, end) of one question if a verdict is wrong, or contradicts another one. */
static bool disagreement(page *p, size_t first, size_t end) {
    bool found = false;
    for (size_t i = first; i < end; i++) {
        found |= p->cells.at[i].class == ISO_CELL_WRONG || p->cells.at[i].class == ISO_CELL_DISPUTED;
    }
    if (!found) {
        return false;
    }
    const iso_cell *one = &p->cells.at[first];
    iso_print(p->out, "<li><b>%s</b> at %s", one->history, one->level);
    if (one->expected != NULL) {
        iso_print(p->out, " (expected: %s)", one->expected);
    }
    const char *gap = ":";
    for (size_t i = first; i < end; i++) {
        const iso_cell *c = &p->cells.at[i];
        if (c->verdict != NULL) {
            iso_print(p->out, "%s <a href=\"#c%zu\">%s</a> %s%s", gap, i + 1, c->checker, c->verdict,
                      c->class == ISO_CELL_WRONG ? " (wrong)" : "");
            gap = ",";
        }
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

/* Draws a figure into the page. */
static void picture(page *p, const iso_cells *cells, const char *name, const char *title, const char *y) {
    const iso_figure_kind *kind = iso_figure_kinds;
    while (strcmp(kind->name, name) != 0) {
        kind++;
    }
    iso_figure_spec spec = {.pool = p->pool, .cells = cells, .x = "operations", .y = y, .pooled = true};
    iso_figure figure = {.data = ISO_MARKUP("")};
    kind->make(&spec, &figure);
    size_t size;
    const char *svg = strstr(iso_gnuplot_draw(p->pool, kind->name, &figure, "svg", &size), "<svg");
    iso_print(p->out, "<figure><figcaption>%s</figcaption>\n", title);
    iso_print_markup(p->out, (iso_markup){svg != NULL ? svg : ""});
    iso_print(p->out, "</figure>\n");
}

static void pictures(page *p) {
    bool counts = false;
    iso_cells drawn = p->cells;
    drawn.at = ISO_NEW(p->pool, iso_cell, drawn.n + 1);
    for (size_t i = 0; i < drawn.n; i++) {
        drawn.at[i] = p->cells.at[i];
        counts |= drawn.at[i].n > 0;
    }
    iso_cells_leave_out(p->pool, &drawn);
    iso_print(p->out, "<h2 id=\"plots\">Pictures</h2>\n");
    if (!counts) {
        iso_print(p->out, "<p>None: no answer counts.</p>\n");
    } else if (!iso_gnuplot_is_there(p->pool)) {
        iso_print(p->out, "<p>None: gnuplot is not installed (<span class=\"mono\">tools/install-deps.sh "
                          "pictures</span>).</p>\n");
    } else {
        iso_print(p->out,
                  "<p class=\"muted\">Only answers that count are drawn%s%s. Medians; the marks have intervals of "
                  "95 %%.</p>\n<div class=\"plots\">\n",
                  *p->cells.marks != '\0' ? ", not these: " : "", p->cells.marks);
        picture(p, &drawn, "line", "Time by operations of the history", "wall");
        picture(p, &drawn, "line", "Memory by operations of the history", "peak");
        picture(p, &drawn, "quantile", "Questions answered, each within its time", "wall");
        iso_print(p->out, "</div>\n");
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
              "<th>operations</th><th>level</th><th>checker</th><th>answer</th><th>verdict</th><th>expected</th>"
              "<th>runs</th><th>time, ms</th><th>memory, MiB</th><th>reason</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < p->cells.n && i < ROWS; i++) {
        const iso_cell *c = &p->cells.at[i];
        bool good = iso_cell_counts(c), bad = !good && c->verdict != NULL;
        const char *class = !good ? "no" : strcmp(c->verdict, "satisfied") == 0 ? "yes" : "no";
        iso_print(p->out, "<tr id=\"c%zu\"><td>%s</td><td>%s</td>", i + 1, c->history, c->family);
        number(p, c->operations);
        iso_print(p->out, "<td>%s</td><td>%s</td><td class=\"%s\">%s</td><td class=\"%s\">%s</td><td>%s</td>", c->level,
                  c->checker,
                  bad    ? "no"
                  : good ? ""
                         : "maybe",
                  iso_cell_class_name(c->class), class, c->verdict != NULL ? c->verdict : "",
                  c->expected != NULL ? c->expected : "");
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
    iso_page_begin(p->out, p->path,
                   (const iso_page_link[]){{"checkers", "Checkers"},
                                           {"disagreements", "Disagreements"},
                                           {"plots", "Pictures"},
                                           {"answers", "Answers"},
                                           {"environment", "Environment"},
                                           {NULL, NULL}});
    iso_print(p->out, "<h1>%s</h1>\n", p->path);
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
    pictures(p);
    table(p);
    environments(p);
    iso_page_end(p->out);
}

static void make(void *arg) {
    page *p = arg;
    load(p);
    write_page(p);
}

void iso_results_page(iso_pool *pool, const char *path, const char *label, FILE *out) {
    iso_printer printer = {.out = out, .target = ISO_HTML};
    page p = {.pool = pool, .out = &printer, .path = path, .label = label};
    int code = iso_guard(pool->env, make, &p);
    iso_results_close(p.results);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
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
