/* `isolab report`: a page about one history, or an index of several and a page for each. It stands alone: no outside links,
 * one script of its own (page.h). Text, pictures and tables are in the page itself; the script steps through proofs and
 * searches. */
#include "cli/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "checkers/further.h"
#include "cli/limits.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/page.h"
#include "explain/story.h"
#include "history/clock.h"
#include "history/initial.h"
#include "history/suspect.h"

/* A page can search all transactions of a history with at most OPS_OF_PAGE operations, else those near its anomalies; it shows at
 * most OPS_OF_TXN operations of each. */
enum { OPS_OF_PAGE = 40000, OPS_OF_TXN = 60 };

typedef struct values {
    iso_cli_reading reading;
    const char *output, *label;
    uint64_t limit, each;
} values;

/* ---- asking ---- */

static isolab_verdict verdict_of(const iso_report *r, iso_level level) { return r->ladder.rung[level]->result.verdict; }

/* Of a level without patterns: finds more anomalies, each in what the ones before it leave. */
static void find_further(iso_report *r, iso_level level) {
    iso_answer *a = &r->ask.answers[r->ladder.rung[level] - r->ask.answers];
    r->ask.request.level = level;
    r->ask.request.limit = r->limit;
    iso_find_further(&r->ask, a);
}

static void ask(iso_report *r) {
    iso_asking_init(&r->ask, r->pool, r->h, &(const iso_request){.limit = 1, .threads = 1});
    r->ask.answered = iso_limits_repay;
    r->ask.weigh = true;
    r->ask.explain = true;
    r->ladder = iso_ladder_climb(&r->ask, ISO_ALL_LEVELS);
    iso_levels told = iso_levels_to_tell(r->h, &r->ladder) | ISO_LEVEL_BIT(ISO_SER);
    for (iso_level l = ISO_PC; l < ISO_LEVELS; l++) { /* ser has more than a weaker level with the same first one */
        if ((told & ISO_LEVEL_BIT(l)) && r->ladder.rung[l]->result.n_anomalies > 0) {
            find_further(r, l);
        }
    }
    iso_asking_init(&r->ask_patterns, r->pool, r->h, &(const iso_request){.all = true, .limit = r->limit});
    r->ask_patterns.whom = ISO_WHOM_ONE;
    r->ask_patterns.checker = iso_checker_find("plume");
    if (verdict_of(r, ISO_CC) == ISOLAB_VIOLATED || verdict_of(r, ISO_CI) == ISOLAB_VIOLATED) {
        r->patterns = iso_ask(&r->ask_patterns, ISO_CC);
    }
}

static bool same_members(const iso_card *a, const iso_card *b) {
    for (uint32_t i = 0; i < a->n_cast; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b->n_cast && !found; k++) {
            found = a->cast[i] == b->cast[k];
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static void add_card(iso_report *r, const iso_result *result, const iso_anomaly *a, iso_levels levels) {
    if (a->kind == ISO_A_NO_ORDER && a->n_cycle == 0) {
        return; /* an unsuccessful search has no picture */
    }
    iso_card c = {.result = result, .anomaly = a, .levels = levels};
    c.cast = iso_anomaly_cast(r->pool, r->h, result, a, &c.n_cast);
    for (uint32_t i = 0; i < r->n_cards; i++) {
        const iso_card *b = &r->card[i];
        if (b->anomaly->kind == a->kind && b->n_cast == c.n_cast && same_members(b, &c)) {
            return;
        }
    }
    for (uint32_t i = 0; i < c.n_cast; i++) {
        r->near[c.cast[i]] = 1;
    }
    ISO_GROW(r->pool, r->card, r->n_cards, r->cards_room);
    r->card[r->n_cards++] = c;
}

/* The first anomaly of each violated level, and further ones of levels without patterns; then some of each pattern. */
static void choose_cards(iso_report *r) {
    iso_levels told = iso_levels_to_tell(r->h, &r->ladder);
    uint64_t shown[ISO_A_KINDS] = {0};
    r->near = ISO_ZNEW(r->pool, uint8_t, r->h->n_txns);
    for (int l = 0; l < ISO_LEVELS; l++) {
        const iso_result *result = &r->ladder.rung[l]->result;
        for (uint32_t i = 0; (told & ISO_LEVEL_BIT(l)) && i < result->n_anomalies; i++) {
            const iso_anomaly *a = &result->anomalies[i];
            if (i == 0 || shown[a->kind] < r->each) {
                add_card(r, result, a, ISO_LEVEL_BIT(l));
                shown[a->kind]++;
            }
        }
    }
    for (uint32_t i = 0; r->patterns != NULL && i < r->patterns->result.n_anomalies; i++) {
        const iso_anomaly *a = &r->patterns->result.anomalies[i];
        if (shown[a->kind]++ < r->each) {
            add_card(r, &r->patterns->result, a, 0);
        }
    }
}

/* ---- writing ---- */

/* The answer in one line. */
static void verdict(iso_report *r) {
    bool some = false;
    iso_print(&r->page, "<p class=\"verdict\">");
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        if (r->ladder.strongest & ISO_LEVEL_BIT(l)) {
            const iso_level_info *info = iso_level_get((iso_level)l);
            iso_print(&r->page, "%s <b>%s</b> (%s)",
                      some ? " and" : "The strongest level that this history satisfies is", info->name, info->title);
            some = true;
        }
    }
    iso_print(&r->page, "%s.", some ? "" : "No level is known to be satisfied");
    if (r->n_cards > 0) {
        iso_print(&r->page, " <a href=\"#anomalies\">What went wrong?</a>");
    }
    iso_print(&r->page, "</p>\n");
}

void iso_report_head(iso_report *r) {
    const isolab_history *h = r->h;
    iso_page_begin(&r->page, r->path);
    iso_print(&r->page,
              "<nav class=\"top\"><a href=\"#levels\">Levels</a><a href=\"#time\">Time line</a><a "
              "href=\"#anomalies\">What went "
              "wrong</a><a href=\"#search\">Search</a><button id=\"theme\" hidden>Light or dark</button></nav>\n"
              "<h1>%s</h1>\n<p>%u transactions (%u committed, %u aborted, %u indeterminate) of %u "
              "sessions, %u operations on %u keys. Made by isolab %s.</p>\n",
              r->path, h->n_txns, h->n_committed, h->n_aborted, h->n_indeterminate, h->n_sessions, h->n_ops, h->n_keys,
              ISOLAB_VERSION);
    verdict(r);
    if (h->taken.n_txns != 0) {
        char text[ISO_TAKEN_SIZE];
        iso_print(&r->page, "<p>Initial state: %s.</p>\n", iso_taken_text(h, text));
    }
}

/* Prints the evidence for a satisfied level. */
static void evidence(iso_report *r, const iso_answer *a) {
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

/* Links the card that shows why a level is violated. */
static void link_card(iso_report *r, int level) {
    for (uint32_t i = 0; i < r->n_cards; i++) {
        if (r->card[i].levels & ISO_LEVEL_BIT(level)) {
            iso_print(&r->page, " <a href=\"#a%u\">%s</a>", i + 1,
                      iso_anomaly_get((iso_anomaly_kind)r->card[i].anomaly->kind)->name);
        }
    }
}

static void level_row(iso_report *r, int l) {
    const iso_answer *a = r->ladder.rung[l];
    const iso_level_info *info = iso_level_get((iso_level)l);
    isolab_verdict v = a->result.verdict;
    iso_print(&r->page, "<tr><td class=\"%s\">%s</td><td><b>%s</b> %s</td><td>%s",
              v == ISOLAB_SATISFIED  ? "yes"
              : v == ISOLAB_VIOLATED ? "no"
                                     : "maybe",
              a->not_asked != ISO_ASKED ? "not asked" : iso_verdict_text(v), info->name, info->title, info->meaning);
    if (v == ISOLAB_UNKNOWN) {
        iso_print(&r->page, " <i>%s.</i>", a->result.reason);
    } else if (a->implied_by != ISO_LEVELS) {
        iso_print(&r->page, " <i>Follows from %s.</i>", iso_level_get(a->implied_by)->name);
    }
    if (v == ISOLAB_SATISFIED) {
        evidence(r, a);
    } else if (v == ISOLAB_VIOLATED) {
        link_card(r, l);
    }
    iso_print(&r->page, "</td></tr>\n");
}

static void suspects(iso_report *r) {
    char text[ISO_SUSPECT_SIZE];
    iso_suspects s = iso_find_suspects(r->pool, r->h);
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        if (s.of[k].places > 0) {
            iso_print(&r->page, "<p><b>Suspect the test:</b> %s: %s.</p>\n",
                      iso_suspect_text(r->h, &s, (iso_suspect_kind)k, text), iso_suspect_advice((iso_suspect_kind)k));
        }
    }
}

void iso_report_levels(iso_report *r) {
    iso_print(&r->page, "<h2 id=\"levels\">Isolation levels, the strongest first</h2>\n<div class=\"wide\"><table>\n");
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        level_row(r, l);
    }
    iso_print(&r->page, "</table></div>\n");
    iso_clock clock = iso_clock_of(r->h);
    if (clock.places > 0) {
        char text[ISO_CLOCK_SIZE];
        iso_print(&r->page, "<p><b>Suspect the times:</b> %s.</p>\n", iso_clock_text(r->h, &clock, text));
    }
    if (r->ladder.verdict == ISOLAB_VIOLATED) {
        suspects(r);
    }
    if (r->ask.weighed) {
        char line[512];
        iso_print(&r->page, "<p>What is satisfied rests on %s.</p>\n",
                  iso_evidence_text(&r->ask.evidence, line, sizeof line));
    }
}

static void counts(iso_report *r) {
    const iso_result *result = r->patterns != NULL ? &r->patterns->result : NULL;
    if (result == NULL || result->verdict != ISOLAB_VIOLATED) {
        return;
    }
    iso_print(&r->page, "<h2>How often</h2>\n<div class=\"wide\"><table "
                        "class=\"sortable\"><thead><tr><th>instances</th><th>anomaly</th><th>Plume</th><th>Adya</th>"
                        "<th>Elle</th><th>meaning</th></tr></thead><tbody>\n");
    for (int k = 0; k < ISO_A_KINDS; k++) {
        const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)k);
        if (result->seen[k] != 0) {
            iso_print(&r->page,
                      "<tr><td data-value=\"%" PRIu64 "\">%" PRIu64
                      "</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                      result->seen[k], result->seen[k], info->name, info->plume, info->adya,
                      info->elle != NULL ? info->elle : info->adya, info->meaning);
        }
    }
    iso_print(
        &r->page,
        "</tbody></table></div>\n<p>An instance counts under every pattern that it matches; it is shown under the most "
        "special one.</p>\n");
}

static void json_some(iso_json *j, uint64_t value, bool some) {
    if (some) {
        iso_json_count(j, NULL, value);
    } else {
        iso_json_text(j, NULL, NULL);
    }
}

/* One transaction as an array, in the order that page.js knows. */
static void json_txn(iso_json *j, const isolab_history *h, uint32_t t) {
    char text[512], digits[24];
    uint32_t s = h->txn_session[t], line = h->txn_line != NULL ? h->txn_line[t] : ISO_NONE;
    uint32_t index = h->txn_index != NULL ? h->txn_index[t] : ISO_NONE;
    const int64_t *times[2] = {h->txn_start, h->txn_end};
    iso_json_open(j, NULL, '[');
    iso_json_count(j, NULL, t);
    iso_json_text(j, NULL, iso_txn_text(h, t, text));
    iso_json_text(j, NULL, iso_word_session(h, s, text));
    iso_json_count(j, NULL, t - h->session_txn[s] + 1);
    json_some(j, line, line != ISO_NONE);
    json_some(j, index, index != ISO_NONE);
    for (int i = 0; i < 2; i++) {
        snprintf(digits, sizeof digits, "%" PRId64, times[i] != NULL ? times[i][t] : 0);
        iso_json_text(j, NULL, times[i] != NULL && times[i][t] != ISO_NO_TIME ? digits : NULL);
    }
    iso_json_count(j, NULL, h->txn_status[t]);
    iso_json_open(j, NULL, '[');
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && o - h->txn_op[t] < OPS_OF_TXN; o++) {
        iso_json_text(j, NULL, iso_word_op(h, o, text, sizeof text));
    }
    iso_json_close(j, ']');
    iso_json_close(j, ']');
}

void iso_report_search(iso_report *r) {
    const isolab_history *h = r->h;
    bool all = h->n_ops <= OPS_OF_PAGE && h->n_txns <= OPS_OF_PAGE;
    uint32_t n = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        n += all || r->near[t];
    }
    iso_print(
        &r->page,
        "<section id=\"search\" hidden><h2>Search</h2>\n<p><label for=\"query\">Transaction, session, key, value, "
        "line: </label>"
        "<input id=\"query\" type=\"search\" size=\"30\" autocomplete=\"off\"> <span id=\"found\" class=\"muted\" "
        "aria-live=\"polite\"></span></p>\n<p class=\"muted\">The page has %s%u of %u transactions%s.</p>\n"
        "<div id=\"results\" class=\"wide\"></div></section>\n",
        all ? "all " : "", n, h->n_txns, all ? "" : ": those of the anomalies and near them");
    iso_print(&r->page, "<script type=\"application/json\" id=\"data\">");
    iso_json j = {.out = r->page.out, .page = true};
    iso_json_open(&j, NULL, '{');
    iso_json_open(&j, "transactions", '[');
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (all || r->near[t]) {
            json_txn(&j, h, t);
        }
    }
    iso_json_close(&j, ']');
    iso_json_close(&j, '}');
    iso_print(&r->page, "</script>\n");
}

static void write_page(iso_report *r, const char *output) {
    choose_cards(r);
    r->page = (iso_printer){.out = iso_output_open(&r->cli->env, output), .target = ISO_HTML};
    iso_report_head(r);
    iso_report_levels(r);
    iso_report_time(r);
    iso_report_cards(r);
    counts(r);
    iso_report_search(r);
    iso_page_end(&r->page);
    iso_output_close(&r->cli->env, r->page.out);
}

/* ---- several histories ---- */

/* Returns the name of the page of history n: for `a/b.html` it is `a/b-3.html`. */
static const char *page_name(iso_pool *pool, const char *index, int n) {
    size_t size = strlen(index) + 24;
    char *text = ISO_NEW(pool, char, size);
    const char *slash = strrchr(index, '/'), *dot = strrchr(slash != NULL ? slash : index, '.');
    int stem = dot != NULL ? (int)(dot - index) : (int)strlen(index);
    snprintf(text, size, "%.*s-%d%s", stem, index, n, dot != NULL ? dot : ".html");
    return text;
}

typedef struct one {
    iso_cli *cli;
    const values *v;
    const char *path, *output;
    iso_pool pool;
    iso_report_row *row;
} one;

static const char *names_of(iso_pool *pool, iso_levels levels) {
    iso_printer text = {.pool = pool};
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_print(&text, "%s%s", text.size > 0 ? ", " : "", iso_level_get((iso_level)l)->name);
        }
    }
    return iso_printed(&text);
}

static const char *anomalies_of(iso_pool *pool, const iso_report *r) {
    iso_printer text = {.pool = pool};
    bool told[ISO_A_KINDS] = {false};
    for (uint32_t i = 0; i < r->n_cards; i++) {
        if (!told[r->card[i].anomaly->kind]) {
            told[r->card[i].anomaly->kind] = true;
            iso_print(&text, "%s%s", text.size > 0 ? ", " : "",
                      iso_anomaly_get((iso_anomaly_kind)r->card[i].anomaly->kind)->name);
        }
    }
    return iso_printed(&text);
}

static void report_one(void *arg) {
    one *o = arg;
    iso_report *r = ISO_ZNEW(&o->pool, iso_report, 1);
    *r = (iso_report){.cli = o->cli, .pool = &o->pool, .path = o->path, .limit = o->v->limit, .each = o->v->each};
    r->h = iso_cli_load(o->cli, &o->pool, o->path, &o->v->reading);
    iso_cli_doubt_initial(o->cli, r->h, o->path, &o->v->reading);
    ask(r);
    iso_limits_apply(o->cli, false); /* known answers are printed without limits */
    iso_clear_progress();
    write_page(r, o->output);
    o->row->verdict = r->ladder.verdict;
    o->row->strongest = r->ladder.strongest != 0 ? names_of(&o->cli->pool, r->ladder.strongest) : "none";
    o->row->anomalies = anomalies_of(&o->cli->pool, r);
    o->row->transactions = r->h->n_txns;
    o->row->operations = r->h->n_ops;
    o->row->sessions = r->h->n_sessions;
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

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int run(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    bool index = n > 1;
    int status = ISOLAB_OK;
    for (int i = 0; i < n; i++) {
        bool results = iso_is_results(operands[i]);
        if (results && index) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "%s is a file of results, which has a page of its own: name it alone",
                      operands[i]);
        } else if (results) {
            static const char *const others[] = {"format", "initial", "initial-transaction", "limit", "each"};
            for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
                iso_cli_refuse(cli, true, others[k], "is for histories, and not for a file of results");
            }
            iso_report_results(cli, operands[i], v->label, v->output);
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
        rows[i].page = code == ISOLAB_OK && index ? base_name(output) : NULL;
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
    .run = run,
};
