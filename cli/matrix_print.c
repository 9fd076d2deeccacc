/* See matrix_print.h. */
#include "cli/matrix_print.h"

#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "checkers/result.h"
#include "report/page.h"

/* `yes`, `NO 3/5`, `?`; a `!` marks what is promised and violated. */
static const char *cell_text(const iso_matrix_row *row, iso_level level, char buffer[48]) {
    const iso_matrix_cell *c = &row->cell[level];
    switch (iso_matrix_verdict(c)) {
    case ISOLAB_SATISFIED:
        return c->unknown > 0 ? "yes?" : c->evidence > 0 ? "yes" : "(yes)";
    case ISOLAB_VIOLATED:
        snprintf(buffer, 48, "NO %u/%u%s", c->violated, c->satisfied + c->violated + c->unknown,
                 iso_matrix_promised(row, level) ? "!" : "");
        return buffer;
    default:
        return "?";
    }
}

/* What differs between the targets: the markup around the parts of a table. */
typedef struct style {
    iso_target target;
    iso_markup begin, end, row, row_end, first, next, cell_end, table_end, item, item_end;
} style;

static const style styles[] = {
    {ISO_HTML,
     {"<h1>Isolation matrix</h1>\n<div class=\"wide\"><table>\n"},
     {"</ul>\n"},
     {"<tr>"},
     {"</tr>\n"},
     {"<td>"},
     {"<td>"},
     {"</td>"},
     {"</table></div>\n<ul>\n"},
     {"<li>"},
     {"</li>\n"}},
    {ISO_LATEX,
     {"\\begin{tabular}{lll*{12}{c}}\n"},
     {""},
     {""},
     {" \\\\\n"},
     {""},
     {" & "},
     {""},
     {"\\end{tabular}\n"},
     {"% "},
     {"\n"}},
    {ISO_MARKDOWN, {""}, {""}, {"|"}, {"\n"}, {" "}, {" "}, {" |"}, {"\n"}, {"- "}, {"\n"}},
};

static void put_cell(iso_printer *p, const style *s, bool first, int width, const char *text) {
    if (s == NULL) {
        iso_print(p, "%s%-*s", first ? "" : " ", width, text);
        return;
    }
    iso_print_markup(p, first ? s->first : s->next);
    iso_print(p, "%s", text);
    iso_print_markup(p, s->cell_end);
}

static void put_markup(iso_printer *p, const style *s, size_t offset) {
    if (s != NULL) {
        iso_print_markup(p, *(const iso_markup *)((const char *)s + offset));
    }
}
#define PUT(part) put_markup(p, s, offsetof(style, part))

static void put_row_end(iso_printer *p, const style *s) {
    PUT(row_end);
    if (s == NULL) {
        iso_print(p, "\n");
    }
}

static void begin_item(iso_printer *p, const style *s) {
    PUT(item);
    if (s == NULL) {
        iso_print(p, "  ");
    }
}

static void end_item(iso_printer *p, const style *s) {
    PUT(item_end);
    if (s == NULL) {
        iso_print(p, "\n");
    }
}

static void put_head(iso_printer *p, const style *s) {
    PUT(row);
    put_cell(p, s, true, 38, "database and level");
    put_cell(p, s, false, 8, "promises");
    put_cell(p, s, false, 8, "runs");
    for (int l = iso_n_levels; l-- > 0;) {
        put_cell(p, s, false, 9, iso_level_get((iso_level)l)->name);
    }
    put_row_end(p, s);
    if (p->target == ISO_MARKDOWN) {
        for (int i = 0; i < iso_n_levels + 3; i++) {
            iso_print(p, "|---");
        }
        iso_print(p, "|\n");
    }
}

/* Returns the number of different workloads that were recorded. */
static unsigned workloads_of(const iso_matrix_row *row) {
    unsigned n = 0;
    for (int i = 0; i < ISO_MATRIX_WORKLOADS; i++) {
        n += row->runs_of[i] > 0;
    }
    return n;
}

static void put_row(iso_printer *p, const style *s, const iso_matrix_row *row) {
    char name[160], text[48];
    snprintf(name, sizeof name, "%s %s%s%s", row->collector->title, row->version, row->version[0] != '\0' ? ", " : "",
             row->level->name);
    PUT(row);
    put_cell(p, s, true, 38, name);
    put_cell(p, s, false, 8, row->level->promises);
    snprintf(text, sizeof text, "%u (%u)", row->runs - row->failed, workloads_of(row));
    put_cell(p, s, false, 8, text);
    for (int l = iso_n_levels; l-- > 0;) {
        put_cell(p, s, false, 9, cell_text(row, (iso_level)l, text));
    }
    put_row_end(p, s);
}

/* The violated levels of a row that imply no other violated level, each with its counterexample. */
static void put_violations(iso_printer *p, const style *s, const iso_matrix_row *row) {
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_matrix_cell *c = &row->cell[l];
        if (c->violated == 0 || c->because != (iso_level)l) {
            continue;
        }
        begin_item(p, s);
        iso_print(p, "%s at %s violates %s in %u of %u runs", row->collector->title, row->level->name,
                  iso_level_get((iso_level)l)->name, c->violated, row->runs - row->failed);
        if (iso_matrix_promised(row, (iso_level)l)) {
            iso_print(p, ", which it promises");
        }
        iso_print(p, ": %s", c->anomaly != NULL ? c->anomaly : "an anomaly");
        if (c->counterexample != NULL) {
            iso_print(p, "; %u transaction%s%s: %s", c->txns, c->txns == 1 ? "" : "s",
                      c->replays            ? ", shown again by `isolab replay`"
                      : c->unplayed == NULL ? ", not shown again by `isolab replay`"
                                            : ", which could not be played again",
                      c->counterexample);
            if (c->unplayed != NULL) {
                iso_print(p, " (%s)", c->unplayed);
            }
        }
        if (c->proof != NULL) {
            iso_print(p, ", verified proof: %s", c->proof);
        }
        end_item(p, s);
    }
    if (row->why != NULL) {
        begin_item(p, s);
        iso_print(p, "%s at %s: %u of %u recordings failed: %s", row->collector->title, row->level->name, row->failed,
                  row->runs, row->why);
        end_item(p, s);
    }
}

/* What the satisfied cells of a row rest on. */
static void put_details(iso_printer *p, const style *s, const iso_matrix_row *row) {
    begin_item(p, s);
    iso_print(p, "%s at %s: %llu transactions committed, in", row->collector->title, row->level->name,
              (unsigned long long)row->committed);
    for (int i = 0, first = 1; i < ISO_MATRIX_WORKLOADS; i++) {
        if (row->runs_of[i] > 0) {
            iso_print(p, "%s %u of `%s`", first ? "" : ",", row->runs_of[i], row->workload[i]);
            first = 0;
        }
    }
    end_item(p, s);
    for (int l = iso_n_levels; l-- > 0;) {
        const iso_matrix_cell *c = &row->cell[l];
        if (iso_matrix_verdict(c) == ISOLAB_SATISFIED) {
            begin_item(p, s);
            iso_print(p, "%s at %s satisfies %s in %u of %u runs; at least %llu cases could have violated it",
                      row->collector->title, row->level->name, iso_level_get((iso_level)l)->name, c->satisfied,
                      row->runs - row->failed, (unsigned long long)c->evidence);
            end_item(p, s);
        }
    }
}

void iso_matrix_print(iso_pool *pool, FILE *out, iso_target target, const iso_matrix *m, bool details) {
    iso_printer printer = {.out = out, .target = target, .pool = pool}, *p = &printer;
    const style *s = NULL;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        s = styles[i].target == target ? &styles[i] : s;
    }
    if (target == ISO_HTML) {
        iso_page_begin(p, "isolation matrix", NULL);
    }
    PUT(begin);
    put_head(p, s);
    for (uint32_t i = 0; i < m->n; i++) {
        put_row(p, s, &m->row[i]);
    }
    PUT(table_end);
    if (s == NULL) {
        iso_print(p, "\n");
    }
    for (uint32_t i = 0; i < m->n; i++) {
        put_violations(p, s, &m->row[i]);
        if (details) {
            put_details(p, s, &m->row[i]);
        }
    }
    begin_item(p, s);
    iso_print(p, "runs: recordings, and in brackets how many workloads they had; `yes` rests on no more than these");
    end_item(p, s);
    PUT(end);
    if (target == ISO_HTML) {
        iso_page_end(p);
    }
}

static void json_cell(iso_json *j, const iso_matrix_row *row, iso_level level) {
    const iso_matrix_cell *c = &row->cell[level];
    iso_json_open(j, iso_level_get(level)->name, '{');
    iso_json_text(j, "verdict", iso_verdict_text(iso_matrix_verdict(c)));
    iso_json_flag(j, "promised", iso_matrix_promised(row, level));
    iso_json_count(j, "satisfied", c->satisfied);
    iso_json_count(j, "violated", c->violated);
    iso_json_count(j, "unknown", c->unknown);
    iso_json_count(j, "evidence", c->evidence);
    if (c->violated > 0) {
        const iso_matrix_cell *from = &row->cell[c->because];
        iso_json_text(j, "follows_from", c->because == level ? NULL : iso_level_get(c->because)->name);
        iso_json_text(j, "anomaly", from->anomaly);
        iso_json_text(j, "counterexample", from->counterexample);
        iso_json_text(j, "proof", from->proof);
        iso_json_flag(j, "replays", from->replays);
        iso_json_text(j, "unplayed", from->unplayed);
        iso_json_count(j, "transactions", from->txns);
    }
    iso_json_close(j, '}');
}

void iso_matrix_json(FILE *out, const iso_matrix *m) {
    iso_json j = {.out = out};
    iso_json_open(&j, NULL, '[');
    for (uint32_t i = 0; i < m->n; i++) {
        const iso_matrix_row *row = &m->row[i];
        iso_json_open(&j, NULL, '{');
        iso_json_text(&j, "database", row->collector->name);
        iso_json_text(&j, "title", row->collector->title);
        iso_json_text(&j, "version", row->version);
        iso_json_text(&j, "level", row->level->name);
        iso_json_text(&j, "promises", row->level->promises);
        iso_json_count(&j, "runs", row->runs);
        iso_json_count(&j, "failed", row->failed);
        iso_json_count(&j, "committed", row->committed);
        iso_json_text(&j, "error", row->why);
        iso_json_open(&j, "workloads", '{'); /* and the number of their runs */
        for (int w = 0; w < ISO_MATRIX_WORKLOADS; w++) {
            if (row->runs_of[w] > 0) {
                iso_json_count(&j, row->workload[w], row->runs_of[w]);
            }
        }
        iso_json_close(&j, '}');
        iso_json_open(&j, "levels", '{');
        for (int l = iso_n_levels; l-- > 0;) {
            json_cell(&j, row, (iso_level)l);
        }
        iso_json_close(&j, '}');
        iso_json_close(&j, '}');
    }
    iso_json_close(&j, ']');
    iso_json_end(&j);
}
