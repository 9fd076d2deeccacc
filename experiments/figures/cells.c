/* See cells.h. */
#include "experiments/figures/cells.h"

#include <fnmatch.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "experiments/runner/foreign.h"
#include "experiments/runner/instance.h"
#include "history/level.h"

typedef struct loader {
    iso_pool *pool;
    iso_results *results;
    const iso_filter *filter;
    sqlite3_stmt *s;
    int64_t environment;
    iso_cells cells;
    size_t room;
} loader;

static const char *column(loader *l, int at) {
    const char *text = (const char *)sqlite3_column_text(l->s, at);
    return text != NULL ? iso_format_text(l->pool, "%s", text) : NULL;
}

static void prepare(loader *l, const char *sql) {
    sqlite3 *db = iso_results_db(l->results);
    if (sqlite3_prepare_v2(db, sql, -1, &l->s, NULL) != SQLITE_OK) {
        iso_results_throw(l->results);
    }
}

static bool in_list(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, word, n) == 0 && (at[n] == ',' || at[n] == '\0')) {
            return true;
        }
    }
    return list == NULL;
}

static bool fits(const char *pattern, const char *text) { return pattern == NULL || fnmatch(pattern, text, 0) == 0; }

/* Finds the newest environment that matches, and the environments of the same program and label on other machines,
 * since distributed work is one set of results. Returns the number of the newest one. */
static int64_t environment_of(loader *l) {
    const char *label = l->filter->label;
    prepare(l, "SELECT e.id, commit_id, cpu, cores, kernel, (SELECT count(DISTINCT host) FROM environment o WHERE"
               " o.label = e.label AND o.program = e.program AND EXISTS (SELECT 1 FROM run WHERE environment = "
               "o.id)),"
               " (SELECT count(DISTINCT cpu) FROM environment o WHERE o.label = e.label AND o.program = "
               "e.program AND"
               " EXISTS (SELECT 1 FROM run WHERE environment = o.id)), (SELECT avg(load) FROM run WHERE "
               "environment = e.id"
               " AND load >= 0), program FROM environment e WHERE EXISTS (SELECT 1 FROM run WHERE"
               " environment = e.id) AND (?1 IS NULL OR label = ?1 OR substr(commit_id, 1, length(?1)) = ?1 OR"
               " substr(program, 1, length(?1)) = ?1) ORDER BY (SELECT max(run.id) FROM run WHERE environment = "
               "e.id)"
               " DESC");
    sqlite3_bind_text(l->s, 1, label, -1, SQLITE_STATIC);
    int code = sqlite3_step(l->s);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        iso_results_throw(l->results);
    }
    if (code == SQLITE_DONE) {
        iso_throw(l->pool->env, ISOLAB_E_USAGE, "no results%s%s", label != NULL ? " of a commit or label " : "",
                  label != NULL ? label : "");
    }
    int64_t id = sqlite3_column_int64(l->s, 0);
    l->cells.load = sqlite3_column_type(l->s, 7) != SQLITE_NULL ? sqlite3_column_double(l->s, 7) : NAN;
    l->cells.program = column(l, 8);
    l->cells.cores = (unsigned)sqlite3_column_int(l->s, 3);
    int hosts = sqlite3_column_int(l->s, 5), kinds = sqlite3_column_int(l->s, 6);
    l->cells.about =
        iso_format_text(l->pool, "commit %s, %s, %d cores, %s", sqlite3_column_text(l->s, 1),
                        sqlite3_column_text(l->s, 2), sqlite3_column_int(l->s, 3), sqlite3_column_text(l->s, 4));
    if (hosts > 1) {
        l->cells.about = iso_format_text(l->pool, "%s, %d machines%s", l->cells.about, hosts,
                                         kinds > 1 ? " with different processors" : "");
    }
    sqlite3_finalize(l->s);
    l->s = NULL;
    return id;
}

static void append(iso_pool *pool, double **array, size_t n, double value) {
    double *more = (n & (n - 1)) == 0 ? iso_resize(pool, *array, n == 0 ? 1 : 2 * n, sizeof *more) : *array;
    more[n] = value;
    *array = more;
}

/* Returns the wall time of a published checker without the time of its start, in ms. The result is at least the sum of
 * the stages that the program prints, since the time of a start is measured less exactly; without stages at least
 * 1 ms. */
static double net_of(const json_t *phases, double wall) {
    double start = json_number_value(json_object_get(phases, "start-up")), stages = -start;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)phases, name, value) { stages += json_number_value(value); }
    return fmax(wall - start, fmin(wall, fmax(stages, 1)));
}

/* Adds phases; the sums are divided by the number of runs at the end. */
static void add_phases(loader *l, iso_cell *c, const char *text) {
    json_t *phases = text != NULL ? json_loads(text, 0, NULL) : NULL, *value;
    const char *name;
    const json_t *load = json_object_get(phases, "load"), *check = json_object_get(phases, "check");
    const json_t *start = json_object_get(phases, "start-up");
    append(l->pool, &c->load, c->n - 1, load != NULL ? json_number_value(load) : NAN);
    append(l->pool, &c->check, c->n - 1, check != NULL ? json_number_value(check) : NAN);
    double own = c->load[c->n - 1] + c->check[c->n - 1];
    double without_start = start != NULL ? net_of(phases, c->wall[c->n - 1]) : NAN;
    append(l->pool, &c->net, c->n - 1, isnan(own) ? without_start : own);
    json_object_foreach(phases, name, value) {
        size_t i = strstr(name, ": ") != NULL ? ISO_MOST_PHASES : 0; /* part of another phase */
        while (i < c->n_phases && strcmp(c->phase[i], name) != 0) {
            i++;
        }
        if (i == c->n_phases && i < ISO_MOST_PHASES) {
            c->phase[i] = iso_format_text(l->pool, "%s", name);
            c->phase_ms[c->n_phases++] = 0;
        }
        if (i < c->n_phases) {
            c->phase_ms[i] += json_number_value(value);
        }
    }
    json_decref(phases);
}

static bool continues(const iso_cell *c, loader *l) {
    const char *const has[] = {c->suite, c->history, c->level, c->checker, c->source};
    for (int i = 0; i < 5; i++) {
        const char *text = (const char *)sqlite3_column_text(l->s, i);
        if (text == NULL || strcmp(text, has[i]) != 0) {
            return false;
        }
    }
    return true;
}

static const char *const classes[ISO_CELL_CLASSES] = {"right",   "answered",      "wrong", "disputed",
                                                      "timeout", "out of memory", "crash", "unsupported",
                                                      "refused", "not installed"};

const char *iso_cell_class_name(iso_cell_class class) { return classes[class]; }

/* Returns the class of one run. truth: the right verdict; NULL: not known. */
static iso_cell_class class_of(const char *state, const char *verdict, const char *truth) {
    static const iso_cell_class of_state[ISO_RUN_STATES] = {
        [ISO_RUN_OK] = ISO_CELL_ANSWERED,     [ISO_RUN_WRONG] = ISO_CELL_WRONG,
        [ISO_RUN_TIMEOUT] = ISO_CELL_TIMEOUT, [ISO_RUN_MEMORY] = ISO_CELL_MEMORY,
        [ISO_RUN_CRASH] = ISO_CELL_CRASH,     [ISO_RUN_UNSUPPORTED] = ISO_CELL_UNSUPPORTED,
        [ISO_RUN_REFUSED] = ISO_CELL_REFUSED, [ISO_RUN_ABSENT] = ISO_CELL_ABSENT};
    iso_run_state found = ISO_RUN_CRASH;
    iso_run_state_find(state, &found);
    if (verdict == NULL) {
        return found == ISO_RUN_OK || found == ISO_RUN_WRONG ? ISO_CELL_CRASH : of_state[found];
    }
    bool wrong = found == ISO_RUN_WRONG || (truth != NULL && strcmp(verdict, truth) != 0);
    return wrong ? ISO_CELL_WRONG : truth != NULL ? ISO_CELL_RIGHT : ISO_CELL_ANSWERED;
}

static void add_run(loader *l) {
    iso_cell *c = l->cells.n > 0 ? &l->cells.at[l->cells.n - 1] : NULL;
    if (c == NULL || !continues(c, l)) {
        ISO_GROW(l->pool, l->cells.at, l->cells.n, l->room);
        c = &l->cells.at[l->cells.n++];
        *c = (iso_cell){.environment = l->environment,
                        .suite = column(l, 0),
                        .history = column(l, 1),
                        .level = column(l, 2),
                        .checker = column(l, 3),
                        .source = column(l, 4),
                        .family = column(l, 5),
                        .parameters = column(l, 6),
                        .bytes = sqlite3_column_double(l->s, 7),
                        .sessions = sqlite3_column_double(l->s, 8),
                        .transactions = sqlite3_column_double(l->s, 9),
                        .operations = sqlite3_column_double(l->s, 10),
                        .keys = sqlite3_column_double(l->s, 11)};
    }
    const char *verdict = column(l, 13);
    if (iso_cell_counts(c)) {
        bool changed = verdict != NULL && c->verdict != NULL && strcmp(verdict, c->verdict) != 0;
        c->verdict = verdict;
        c->expected = column(l, 14);
        c->reason = column(l, 15);
        c->class = class_of((const char *)sqlite3_column_text(l->s, 12), verdict,
                            c->expected != NULL ? c->expected : (const char *)sqlite3_column_text(l->s, 22));
        c->class = changed && iso_cell_counts(c) ? ISO_CELL_DISPUTED : c->class;
    }
    if (verdict != NULL) {
        size_t n = c->n++;
        append(l->pool, &c->wall, n, sqlite3_column_double(l->s, 16));
        append(l->pool, &c->cpu, n, sqlite3_column_double(l->s, 17) + sqlite3_column_double(l->s, 18));
        append(l->pool, &c->peak, n, sqlite3_column_double(l->s, 19) / 1024);
        if ((n & (n - 1)) == 0) {
            c->counters = iso_resize(l->pool, c->counters, n == 0 ? 1 : 2 * n, sizeof *c->counters);
        }
        c->counters[n] = column(l, 21);
        add_phases(l, c, (const char *)sqlite3_column_text(l->s, 20));
    }
}

/* A function for SQL that orders levels by strength. */
static void strength(sqlite3_context *context, int n, sqlite3_value **values) {
    const char *name = n > 0 ? (const char *)sqlite3_value_text(values[0]) : NULL, *why = NULL;
    sqlite3_result_int(context, name != NULL ? (int)iso_level_find(name, &why) : -1);
}

static bool selects(const iso_filter *f, const char *suite, const char *history, const char *level, const char *checker,
                    const char *family) {
    return fits(f->suite, suite) && fits(f->history, history) && in_list(f->level, level) &&
           in_list(f->checker, checker) && fits(f->family, family);
}

/* Returns whether the file has a table, which an older isolab did not write. */
static bool has_table(loader *l, const char *name) {
    prepare(l, "SELECT 1 FROM sqlite_schema WHERE name = ?");
    sqlite3_bind_text(l->s, 1, name, -1, SQLITE_STATIC);
    bool known = sqlite3_step(l->s) == SQLITE_ROW;
    sqlite3_finalize(l->s);
    l->s = NULL;
    return known;
}

/* Counts the planned runs that fit the filter, and the missing ones. A question without a verdict is not repeated. */
static void count_missing(loader *l) {
    if (!has_table(l, "planned")) {
        return;
    }
    prepare(l,
            "WITH mine AS (SELECT o.id FROM environment o JOIN environment e ON o.label = e.label AND o.program ="
            " e.program WHERE e.id = ?), done AS (SELECT suite, name, level, checker, count(DISTINCT repetition) AS n,"
            " max(state NOT IN ('ok', 'wrong')) AS ended FROM run JOIN history ON history.id = run.history WHERE"
            " environment IN mine GROUP BY 1, 2, 3, 4)"
            " SELECT p.suite, p.history, p.level, p.checker, p.family, min(p.repeat) * max(p.repeat) > 0,"
            " max(p.repeat), ifnull(max(d.n), 0), ifnull(max(d.ended), 0) FROM planned p LEFT JOIN done d ON d.suite ="
            " p.suite AND d.name = p.history AND d.level = p.level AND d.checker = p.checker WHERE p.environment IN"
            " mine GROUP BY 1, 2, 3, 4");
    sqlite3_bind_int64(l->s, 1, l->environment);
    int code;
    while ((code = sqlite3_step(l->s)) == SQLITE_ROW) {
        const char *text[5];
        for (int i = 0; i < 5; i++) {
            text[i] = (const char *)sqlite3_column_text(l->s, i);
        }
        if (sqlite3_column_int(l->s, 5) == 0 || !selects(l->filter, text[0], text[1], text[2], text[3], text[4])) {
            continue;
        }
        size_t planned = (size_t)sqlite3_column_int64(l->s, 6), made = (size_t)sqlite3_column_int64(l->s, 7);
        bool ended = sqlite3_column_int(l->s, 8) != 0;
        l->cells.planned += planned;
        l->cells.missing += ended || made >= planned ? 0 : planned - made;
        l->cells.unasked += made == 0;
    }
    if (code != SQLITE_DONE) {
        iso_results_throw(l->results);
    }
    if (l->cells.missing > 0) {
        l->cells.about = iso_format_text(l->pool, "%s; %zu of %zu runs were not measured", l->cells.about,
                                         l->cells.missing, l->cells.planned);
    }
}

static bool same_question(const iso_cell *a, const iso_cell *b) {
    return strcmp(a->history, b->history) == 0 && strcmp(a->level, b->level) == 0 && strcmp(a->suite, b->suite) == 0 &&
           strcmp(a->source, b->source) == 0;
}

/* Finds the answers that other checkers contradict. The cells of one question are neighbours. */
static void find_disputes(iso_cells *cells) {
    for (size_t first = 0, end; first < cells->n; first = end) {
        const char *one = NULL;
        bool disputed = false;
        for (end = first; end < cells->n && same_question(&cells->at[first], &cells->at[end]); end++) {
            const iso_cell *c = &cells->at[end];
            if (c->class == ISO_CELL_ANSWERED) {
                disputed |= one != NULL && strcmp(one, c->verdict) != 0;
                one = c->verdict;
            }
        }
        for (size_t i = first; i < end && disputed; i++) {
            iso_cell *c = &cells->at[i];
            c->class = c->class == ISO_CELL_ANSWERED ? ISO_CELL_DISPUTED : c->class;
        }
    }
}

const char *iso_cells_renamed(iso_pool *pool, const char *rename, const char *checker) {
    for (const char *at = rename; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        size_t n = strcspn(at, ","), old = strcspn(at, "=");
        if (old == 0 || old + 1 >= n) {
            iso_throw(pool->env, ISOLAB_E_USAGE, "--rename: expected CHECKER=NAME, found \"%.*s\"", (int)n, at);
        }
        if (strlen(checker) == old && strncmp(checker, at, old) == 0) {
            return iso_copy_text(pool, at + old + 1, n - old - 1);
        }
    }
    return checker;
}

/* Keeps the selected cells, and the measurements of the answers that count. */
static void finish(loader *l) {
    size_t kept = 0;
    for (size_t i = 0; i < l->cells.n; i++) {
        iso_cell *c = &l->cells.at[i];
        for (size_t p = 0; p < c->n_phases; p++) {
            c->phase_ms[p] /= (double)c->n;
        }
        c->n = iso_cell_counts(c) ? c->n : 0;
        if (selects(l->filter, c->suite, c->history, c->level, c->checker, c->family)) {
            l->cells.at[kept] = *c;
            l->cells.at[kept++].checker = iso_cells_renamed(l->pool, l->filter->rename, c->checker);
        }
    }
    l->cells.n = kept;
}

const char *iso_cells_mark(iso_pool *pool, const iso_cells *cells, const char *checker, const char *level,
                           const char *family) {
    size_t count[ISO_CELL_CLASSES] = {0};
    const char *mark = "";
    for (size_t i = 0; i < cells->n; i++) {
        const iso_cell *c = &cells->at[i];
        count[c->class] += strcmp(c->checker, checker) == 0 && (level == NULL || strcmp(c->level, level) == 0) &&
                           (family == NULL || strcmp(c->family, family) == 0);
    }
    for (int k = ISO_CELL_WRONG; k <= ISO_CELL_DISPUTED; k++) {
        if (count[k] > 0) {
            mark = iso_format_text(pool, "%s%s%zu %s", mark, *mark != '\0' ? ", " : "", count[k], classes[k]);
        }
    }
    return mark;
}

const char *iso_cells_busy(iso_pool *pool, const iso_cells *cells) {
    return cells->load > cells->cores ? iso_format_text(pool, "load %.1f on %u processors", cells->load, cells->cores)
                                      : NULL;
}

/* Adds to the captions which answers do not count, and that the machine was busy. */
static void add_marks(loader *l) {
    iso_cells *cells = &l->cells;
    cells->marks = "";
    for (size_t i = 0; i < cells->n; i++) {
        const char *checker = cells->at[i].checker;
        bool known = false;
        for (size_t k = 0; k < i && !known; k++) {
            known = strcmp(cells->at[k].checker, checker) == 0;
        }
        const char *mark = known ? "" : iso_cells_mark(l->pool, cells, checker, NULL, NULL);
        if (*mark != '\0') {
            cells->marks =
                iso_format_text(l->pool, "%s%s%s: %s", cells->marks, *cells->marks != '\0' ? "; " : "", checker, mark);
        }
    }
    const char *busy = iso_cells_busy(l->pool, cells);
    if (busy != NULL) {
        cells->about = iso_format_text(l->pool, "%s; measured on a busy machine: %s", cells->about, busy);
    }
    if (*cells->marks != '\0') {
        cells->about =
            iso_format_text(l->pool, "%s; %s, and only other answers are measured", cells->about, cells->marks);
    }
}

static void load(void *arg) {
    loader *l = arg;
    l->environment = environment_of(l);
    sqlite3_create_function(iso_results_db(l->results), "strength", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                            strength, NULL, NULL);
    /* A certificate proves a verdict, unless another one proves the contrary. */
    prepare(l, iso_format_text(
                   l->pool,
                   "SELECT suite, name, run.level, checker, source, family, parameters, bytes, sessions,"
                   " transactions, operations, keys, state, run.verdict, expected, reason, wall_ms, user_ms,"
                   " system_ms, peak_kib, phases, counters, proved.verdict FROM run JOIN history ON history.id"
                   " = run.history LEFT JOIN (%s) proved ON proved.history = run.history AND proved.level ="
                   " run.level WHERE environment IN (SELECT o.id FROM environment o JOIN environment e ON"
                   " o.label = e.label AND o.program = e.program WHERE e.id = ?) ORDER BY suite, history.id,"
                   " strength(run.level), run.level, checker, repetition",
                   has_table(l, "certificate") ? "SELECT history, level, min(verdict) AS verdict FROM certificate"
                                                 " WHERE reason IS NULL GROUP BY history, level HAVING"
                                                 " count(DISTINCT verdict) = 1"
                                               : "SELECT NULL AS history, NULL AS level, NULL AS verdict"));
    sqlite3_bind_int64(l->s, 1, l->environment);
    int code;
    while ((code = sqlite3_step(l->s)) == SQLITE_ROW) {
        iso_tick(l->pool->env);
        add_run(l);
    }
    if (code != SQLITE_DONE) {
        iso_results_throw(l->results);
    }
    sqlite3_finalize(l->s);
    l->s = NULL;
    count_missing(l);
    find_disputes(&l->cells);
    finish(l);
    add_marks(l);
}

iso_cells iso_cells_load(iso_pool *pool, iso_results *results, const iso_filter *filter) {
    loader l = {.pool = pool, .results = results, .filter = filter};
    int code = iso_guard(pool->env, load, &l);
    sqlite3_finalize(l.s);
    if (code != ISOLAB_OK) {
        iso_rethrow(pool->env);
    }
    return l.cells;
}

/* Removes the cells of checkers at levels that they do not answer: all cells of such a pair are `unsupported`. */
static void leave_out_levels(iso_cells *cells) {
    for (size_t i = 0; i < cells->n;) {
        const iso_cell first = cells->at[i];
        size_t kept = i;
        bool answers = false;
        for (size_t k = 0; k < cells->n && !answers; k++) {
            const iso_cell *c = &cells->at[k];
            answers = strcmp(c->checker, first.checker) == 0 && strcmp(c->level, first.level) == 0 &&
                      c->class != ISO_CELL_UNSUPPORTED && c->class != ISO_CELL_ABSENT;
        }
        for (size_t k = i; k < cells->n && !answers; k++) {
            const iso_cell *c = &cells->at[k];
            if (strcmp(c->checker, first.checker) != 0 || strcmp(c->level, first.level) != 0) {
                cells->at[kept++] = *c;
            }
        }
        cells->n = answers ? cells->n : kept;
        i += answers;
    }
}

const char *iso_cells_leave_out(iso_pool *pool, iso_cells *cells) {
    const char *why = "";
    for (size_t i = 0; i < cells->n;) {
        const iso_cell first = cells->at[i];
        bool asked = iso_adapter_name(first.checker) == NULL;
        for (size_t k = 0; k < cells->n && !asked; k++) {
            iso_cell_class class = cells->at[k].class;
            asked = strcmp(cells->at[k].checker, first.checker) == 0 && class != ISO_CELL_UNSUPPORTED &&
                    class != ISO_CELL_ABSENT;
        }
        if (asked) {
            i++;
            continue;
        }
        why =
            iso_format_text(pool, "%s%s: %s\n", why, first.checker, first.reason != NULL ? first.reason : "not asked");
        size_t kept = i;
        for (size_t k = i; k < cells->n; k++) {
            if (strcmp(cells->at[k].checker, first.checker) != 0) {
                cells->at[kept++] = cells->at[k];
            }
        }
        cells->n = kept;
    }
    leave_out_levels(cells);
    return why;
}

static const double *counted(iso_pool *pool, const iso_cell *c, const char *name) {
    double *values = ISO_NEW(pool, double, c->n);
    for (size_t i = 0; i < c->n; i++) {
        json_t *counters = c->counters[i] != NULL ? json_loads(c->counters[i], 0, NULL) : NULL;
        values[i] = json_number_value(json_object_get(counters, name));
        json_decref(counters);
    }
    return values;
}

/* Returns the wall times of the runs, each plus the time `before`, in ms. */
static const double *after(iso_pool *pool, const iso_cell *c, double before) {
    double *all = ISO_NEW(pool, double, c->n);
    for (size_t i = 0; i < c->n; i++) {
        all[i] = c->wall[i] + before;
    }
    return all;
}

static const double *constant(iso_pool *pool, const iso_cell *c, double value) {
    double *all = ISO_NEW(pool, double, c->n);
    for (size_t i = 0; i < c->n; i++) {
        all[i] = value;
    }
    return all;
}

const double *iso_cell_measure(iso_pool *pool, const iso_cell *c, const char *measure) {
    if (strcmp(measure, "wall") == 0) {
        return c->wall;
    }
    if (strcmp(measure, "total") == 0) {
        return after(pool, c, iso_cell_size(c, ISO_MADE_MS));
    }
    if (strcmp(measure, "served") == 0) {
        double ran = iso_cell_size(c, ISO_RAN_MS);
        return after(pool, c, isnan(ran) ? iso_cell_size(c, ISO_MADE_MS) : ran);
    }
    if (strcmp(measure, ISO_ABORTED_SHARE) == 0) {
        return constant(pool, c, iso_cell_size(c, ISO_ABORTED_SHARE));
    }
    if (strcmp(measure, "cpu") == 0) {
        return c->cpu;
    }
    if (strcmp(measure, "peak") == 0) {
        return c->peak;
    }
    if (strcmp(measure, "load") == 0) {
        return c->load;
    }
    if (strcmp(measure, "net") == 0) {
        return c->net;
    }
    if (strcmp(measure, "check") == 0) {
        return c->check;
    }
    if (strncmp(measure, ISO_COUNTER, sizeof ISO_COUNTER - 1) == 0) {
        return counted(pool, c, measure + sizeof ISO_COUNTER - 1);
    }
    iso_throw(pool->env, ISOLAB_E_USAGE,
              "expected wall, total, served, net, cpu, load, check, peak, aborted or counter:NAME, found \"%s\"",
              measure);
}

double iso_cell_size(const iso_cell *c, const char *what) {
    const struct {
        const char *name;
        double value;
    } own[] = {{"transactions", c->transactions},
               {"operations", c->operations},
               {"sessions", c->sessions},
               {"keys", c->keys},
               {"bytes", c->bytes}};
    json_t *parameters = json_loads(c->parameters, 0, NULL);
    const json_t *varied = json_object_get(parameters, what);
    double value = json_is_number(varied) ? json_number_value(varied) : NAN;
    json_decref(parameters);
    for (unsigned i = 0; i < sizeof own / sizeof own[0] && isnan(value); i++) {
        value = strcmp(own[i].name, what) == 0 ? own[i].value : value;
    }
    return value;
}

const char *iso_cells_parameters(iso_pool *pool, const iso_cells *cells) {
    const char *names = "", *last = NULL, *name;
    json_t *all = json_object(), *value;
    for (size_t i = 0; i < cells->n; i++) {
        const iso_cell *c = &cells->at[i];
        if (last != NULL && strcmp(last, c->parameters) == 0) {
            continue;
        }
        last = c->parameters;
        json_t *parameters = json_loads(last, 0, NULL);
        json_object_foreach(parameters, name, value) {
            if (json_is_number(value) && json_object_get(all, name) == NULL) {
                json_object_set_new(all, name, json_true());
                names = iso_format_text(pool, "%s %s", names, name);
            }
        }
        json_decref(parameters);
    }
    json_decref(all);
    return *names != '\0' ? iso_format_text(pool, ", or a varied parameter or number of the histories:%s", names) : "";
}
