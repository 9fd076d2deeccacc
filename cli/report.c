/* `isolab report`: one static HTML file about one history, with pictures of its anomalies and no outside links. */
#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/load.h"
#include "cli/output.h"
#include "explain/dot.h"
#include "explain/draw.h"
#include "explain/words.h"
#include "history/clock.h"
#include "history/initial.h"

typedef struct values {
    iso_cli_reading reading;
    const char *output;
    uint64_t limit, each;
} values;

typedef struct report {
    iso_cli *cli;
    const values *v;
    const isolab_history *h;
    const char *path;
    iso_printer page;
    iso_asking ask, ask_patterns;
    iso_ladder ladder;
    const iso_answer *patterns; /* every instance of Plume's patterns, if a weak level is violated; else NULL */
    const char *no_svg;         /* why some or all pictures are only drawings; else NULL */
    bool no_graphviz;
} report;

static const iso_markup style = {
    "body{font:15px/1.45 system-ui,Helvetica,Arial,sans-serif;color:#222;max-width:1100px;margin:2em "
    "auto;padding:0 1em}\n"
    "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}table{border-collapse:collapse}\n"
    "td,th{text-align:left;padding:.25em .8em;border-bottom:1px solid #ddd;vertical-align:top}\n"
    ".yes{color:#1d7a3a;font-weight:bold}.no{color:#c0392b;font-weight:bold}.maybe{color:#9a6b00;font-weight:"
    "bold}\n"
    ".card{border:1px solid #ddd;border-radius:8px;padding:1em;margin:1em 0;overflow-x:auto}\n"
    "pre{line-height:1.15;font-size:13px}svg{max-width:100%;height:auto}code{background:#f4f4f4}\n"};

/* ---- asking ---- */

static isolab_verdict verdict_of(const report *r, iso_level level) { return r->ladder.rung[level]->result.verdict; }

static void ask(report *r) {
    iso_pool *pool = &r->cli->pool;
    iso_asking_init(&r->ask, pool, r->h, &(const iso_request){.limit = 1, .threads = 1});
    r->ask.answered = iso_limits_repay;
    r->ask.weigh = true;
    r->ladder = iso_ladder_climb(&r->ask, ISO_ALL_LEVELS);
    iso_asking_init(&r->ask_patterns, pool, r->h, &(const iso_request){.all = true, .limit = r->v->limit});
    r->ask_patterns.whom = ISO_WHOM_ONE;
    r->ask_patterns.checker = iso_checker_find("plume");
    if (verdict_of(r, ISO_CC) == ISOLAB_VIOLATED || verdict_of(r, ISO_CI) == ISOLAB_VIOLATED) {
        r->patterns = iso_ask(&r->ask_patterns, ISO_CC);
    }
}

/* ---- writing ---- */

/* The permissions of the page, in case that text could become markup: none. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

static void head(report *r) {
    const isolab_history *h = r->h;
    iso_print(&r->page,
              "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">"
              "<title>isolab: %s</title><style>\n",
              r->path);
    iso_print_markup(&r->page, style);
    iso_print(
        &r->page,
        "</style></head><body>\n<h1>%s</h1>\n<p>%u transactions (%u committed, %u aborted, %u indeterminate) of %u "
        "sessions, %u operations on %u keys. Made by isolab %s.</p>\n",
        r->path, h->n_txns, h->n_committed, h->n_aborted, h->n_indeterminate, h->n_sessions, h->n_ops, h->n_keys,
        ISOLAB_VERSION);
    if (h->taken.n_txns != 0) {
        char text[ISO_TAKEN_SIZE];
        iso_print(&r->page, "<p>Initial state: %s.</p>\n", iso_taken_text(h, text));
    }
}

/* Prints the evidence for a satisfied level. */
static void evidence(report *r, const iso_answer *a) {
    const char *before = a->result.reason[0] != '\0' ? "; " : "", *cases = iso_evidence_of(a->level);
    if (a->weight == ISO_UNWEIGHED) {
        return;
    }
    if (a->cases == 0) {
        iso_print(&r->page, "<br><i>No evidence: no %s%s%s.</i>", cases, before, a->result.reason);
    } else {
        iso_print(&r->page, "<br><i>Evidence: %s%" PRIu64 " %s%s%s.</i>", a->weight == ISO_AT_LEAST ? "at least " : "",
                  a->cases, cases, before, a->result.reason);
    }
}

static void levels(report *r) {
    iso_print(&r->page, "<h2>Isolation levels, the strongest first</h2>\n<table>\n");
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        const iso_answer *a = r->ladder.rung[l];
        const iso_level_info *info = iso_level_get((iso_level)l);
        isolab_verdict v = a->result.verdict;
        iso_print(&r->page, "<tr><td class=\"%s\">%s</td><td><b>%s</b> %s</td><td>%s",
                  v == ISOLAB_SATISFIED  ? "yes"
                  : v == ISOLAB_VIOLATED ? "no"
                                         : "maybe",
                  a->not_asked != ISO_ASKED ? "not asked" : iso_verdict_text(v), info->name, info->title,
                  info->meaning);
        if (v == ISOLAB_UNKNOWN) {
            iso_print(&r->page, " <i>%s.</i>", a->result.reason);
        } else if (a->implied_by != ISO_LEVELS) {
            iso_print(&r->page, " <i>Follows from %s.</i>", iso_level_get(a->implied_by)->name);
        }
        if (v == ISOLAB_SATISFIED) {
            evidence(r, a);
        }
        iso_print(&r->page, "</td></tr>\n");
    }
    iso_print(&r->page, "</table>\n");
    iso_clock clock = iso_clock_of(r->h);
    if (clock.places > 0) {
        char text[ISO_CLOCK_SIZE];
        iso_print(&r->page, "<p><b>Suspect the times:</b> %s.</p>\n", iso_clock_text(r->h, &clock, text));
    }
    if (r->ask.weighed) {
        char line[512];
        iso_print(&r->page, "<p>What is satisfied rests on %s.</p>\n",
                  iso_evidence_text(&r->ask.evidence, line, sizeof line));
    }
}

static void sentence(void *arg, unsigned depth, const char *number, const char *s) {
    report *r = arg;
    if (number[0] == '\0') {
        iso_print(&r->page, "<p>%s</p>\n", s);
    } else {
        iso_print(&r->page, "<div style=\"margin-left:%uem\">%s %s</div>\n", 2 * depth, number, s);
    }
}

/* Draws by Graphviz, or with characters if it is missing or fails. */
static void draw(report *r, iso_picture *p, const iso_result *result) {
    const char *why = r->no_svg;
    iso_markup svg = {NULL};
    if (!r->no_graphviz) {
        svg = iso_picture_svg(&r->cli->item, p, result, false, &why);
    }
    if (svg.text != NULL) {
        iso_print_markup(&r->page, svg);
        return;
    }
    r->no_svg = why;
    r->no_graphviz |= strcmp(why, ISO_NO_GRAPHVIZ) == 0;
    iso_print(&r->page, "<pre>");
    iso_picture_draw(&r->page, &r->cli->item, p);
    iso_print(&r->page, "</pre>");
}

static void card(report *r, const iso_result *result, const iso_anomaly *a) {
    char title[256];
    iso_pool *pool = &r->cli->item;
    iso_picture *p = iso_picture_make(pool, r->h, result, a);
    iso_print(&r->page, "<div class=\"card\"><h3>%s</h3>\n", iso_picture_title(p, title, sizeof title));
    iso_picture_sentences(p, result, sentence, r);
    draw(r, p, result);
    iso_print(&r->page, "</div>\n");
    iso_pool_free(pool);
}

static void counts(report *r, const iso_result *result) {
    iso_print(&r->page,
              "<h2>What is wrong</h2>\n<table><tr><th>instances</th><th>anomaly</th><th>Plume</th><th>Adya</th>"
              "<th>Elle</th><th></th></tr>\n");
    for (int k = 0; k < ISO_A_KINDS; k++) {
        const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)k);
        if (result->seen[k] != 0) {
            iso_print(&r->page,
                      "<tr><td>%" PRIu64 "</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                      result->seen[k], info->name, info->plume, info->adya,
                      info->elle != NULL ? info->elle : info->adya, info->meaning);
        }
    }
    iso_print(&r->page,
              "</table>\n<p>An instance counts under every pattern that it matches; it is shown under the most "
              "special one.</p>\n");
}

/* Prints some anomalies of each kind. */
static void cards(report *r, const iso_result *result) {
    uint64_t shown[ISO_A_KINDS] = {0};
    for (uint32_t i = 0; i < result->n_anomalies; i++) {
        const iso_anomaly *a = &result->anomalies[i];
        if (shown[a->kind]++ < r->v->each && (a->kind != ISO_A_NO_ORDER || a->n_cycle != 0)) {
            card(r, result, a);
        }
    }
}

static void body(report *r) {
    head(r);
    levels(r);
    const iso_result *counted =
        r->patterns != NULL && r->patterns->result.verdict == ISOLAB_VIOLATED ? &r->patterns->result : NULL;
    if (counted != NULL) {
        counts(r, counted);
    }
    iso_print(&r->page, "<h2>Pictures</h2>\n");
    if (counted != NULL) {
        cards(r, counted);
    }
    for (int l = 0; l < ISO_LEVELS && counted == NULL; l++) {
        cards(r, &r->ladder.rung[l]->result);
    }
    if (r->no_svg != NULL) {
        iso_print(&r->page, "<p>%s.</p>\n", r->no_svg);
    }
    iso_print(&r->page, "</body></html>\n");
}

static int run(iso_cli *cli, const void *given, int n, char **operands) {
    (void)n;
    report *r = ISO_ZNEW(&cli->pool, report, 1);
    *r = (report){.cli = cli, .v = given, .path = operands[0]};
    r->h = iso_cli_load(cli, &cli->pool, r->path, &r->v->reading);
    iso_cli_doubt_initial(cli, r->h, r->path, &r->v->reading);
    ask(r);
    cli->env.limits->deadline = 0; /* known answers are printed without limits */
    iso_clear_progress();
    r->page = (iso_printer){.out = iso_output_open(&cli->env, r->v->output), .target = ISO_HTML};
    body(r);
    iso_output_close(&cli->env, r->page.out);
    return atomic_load(&cli->env.limits->interrupted) ? ISOLAB_E_LIMIT : ISOLAB_OK;
}

const iso_command iso_command_report = {
    .summary = "writes an HTML page about a history, with pictures of its anomalies",
    .operands = "FILE",
    .least = 1,
    .most = 1,
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
            ISO_END},
    .details = "The page stands alone: no scripts, no links. Pictures are drawn by Graphviz; where it is "
               "missing they are "
               "text.",
    .examples = "isolab report -o page.html history.txt\n"
                "isolab report --timeout 60 history.jsonl >page.html",
    .run = run,
};
