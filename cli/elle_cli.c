/* `isolab elle-cli`: takes the options of elle-cli and answers as it does, a line for each file: its name, a tab, and
 * true, false or unknown. A pipeline that calls elle-cli changes one word. */
#include <string.h>

#include "base/print.h"
#include "checkers/checker.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "formats/format.h"

typedef struct values {
    const char *model, *format, *models, *anomalies, *directory, *plot;
    int64_t search;
    bool verbose;
} values;

/* Elle's consistency models. Without `strong-session` the order of sessions does not count. */
static const struct {
    const char *name;
    iso_level level;
    bool no_session_order;
} known[] = {{"strict-serializable", ISO_SSER, false},
             {"strong-serializable", ISO_SSER, false},
             {"strong-session-serializable", ISO_SER, false},
             {"serializable", ISO_SER, true},
             {"strong-session-snapshot-isolation", ISO_SI, false},
             {"snapshot-isolation", ISO_SI, true},
             {"prefix", ISO_PC, false},
             {"causal-cerone", ISO_CC, false},
             {"read-atomic", ISO_RA, false},
             {"read-committed", ISO_G1, false}};
enum { KNOWN = sizeof known / sizeof *known };

enum { EXCEPTION = 255 };

typedef struct file_check {
    iso_cli *cli;
    const values *v;
    const char *path;
    iso_pool pool;
    isolab_verdict verdict;
} file_check;

static size_t model_of(const char *name, size_t n) {
    size_t i = 0;
    while (i < KNOWN && (strlen(known[i].name) != n || memcmp(known[i].name, name, n) != 0)) {
        i++;
    }
    return i;
}

/* A history is true if it satisfies all models, false if it violates one. */
static void judge(void *arg) {
    file_check *f = arg;
    const iso_format *format = strcmp(f->v->format, "edn") == 0    ? iso_format_find("elle")
                               : strcmp(f->v->format, "json") == 0 ? iso_format_find("elle-json")
                                                                   : NULL;
    isolab_history *h = iso_load(&f->pool, f->path, format);
    bool unknown = false, violated = false;
    for (const char *at = f->v->models; *at != '\0' && !violated;) {
        size_t n = strcspn(at, ","), m = model_of(at, n);
        char why[512];
        iso_result r;
        iso_question question = {
            .level = known[m].level, .no_session_order = known[m].no_session_order, .limit = 1, .threads = 1};
        iso_result_init(&r, &f->pool);
        const iso_checker *checker = iso_checker_auto(h, &question);
        if (checker != NULL) {
            iso_check(checker, h, &question, &r);
        } else {
            iso_result_reason(&r, ISO_REASON_REFUSED, "%s", iso_why_no_checker(h, &question, why, sizeof why));
        }
        violated |= r.verdict == ISOLAB_VIOLATED;
        unknown |= r.verdict == ISOLAB_UNKNOWN;
        if (f->v->verbose) {
            iso_say(stderr, "isolab: %s: %s: %s%s%s\n", f->path, known[m].name,
                    r.verdict == ISOLAB_VIOLATED    ? "violated"
                    : r.verdict == ISOLAB_SATISFIED ? "satisfied"
                                                    : "unknown",
                    r.n_anomalies > 0 ? ": " : "",
                    r.n_anomalies > 0 ? iso_anomaly_get((iso_anomaly_kind)r.anomalies[0].kind)->name : r.reason);
        }
        at += n + (at[n] == ',');
    }
    f->verdict = violated ? ISOLAB_VIOLATED : unknown ? ISOLAB_UNKNOWN : ISOLAB_SATISFIED;
}

static void must_know(iso_cli *cli, const values *v) {
    for (const char *at = v->models; *at != '\0';) {
        size_t n = strcspn(at, ",");
        if (model_of(at, n) == KNOWN) {
            iso_throw(&cli->env, ISOLAB_E_USAGE,
                      "--consistency-models: isolab does not check \"%.*s\"; it checks strict-serializable, "
                      "strong-session-serializable, serializable, strong-session-snapshot-isolation, "
                      "snapshot-isolation, prefix, "
                      "causal-cerone, read-atomic and read-committed",
                      (int)n, at);
        }
        at += n + (at[n] == ',');
    }
    if (v->anomalies != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "--anomalies: isolab checks consistency models; name one by --consistency-models");
    }
}

static int run_elle_cli(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    int status = 0;
    must_know(cli, v);
    for (int i = 0; i < n && !atomic_load(&cli->env.limits->interrupted); i++) {
        file_check f = {.cli = cli, .v = v, .path = operands[i], .verdict = ISOLAB_UNKNOWN};
        iso_pool_init(&f.pool, &cli->env);
        iso_limits_apply(cli, true);
        int code = iso_guard_until(
            &cli->env, v->search > 0 ? iso_sooner(&cli->env, iso_now() + v->search) : cli->env.limits->deadline, judge,
            &f);
        iso_limits_apply(cli, false);
        iso_clear_progress();
        iso_pool_free(&f.pool);
        if (code != ISOLAB_OK && code != ISOLAB_E_LIMIT) {
            iso_print_error(&cli->env.error);
            status = EXCEPTION;
            continue;
        }
        iso_say(stdout, "%s", operands[i]);
        iso_print_markup(&(iso_printer){.out = stdout}, ISO_MARKUP("\t"));
        iso_say(stdout, "%s\n",
                f.verdict == ISOLAB_SATISFIED  ? "true"
                : f.verdict == ISOLAB_VIOLATED ? "false"
                                               : "unknown");
        status = f.verdict == ISOLAB_VIOLATED && status == 0 ? 1 : status;
    }
    return status;
}

const iso_command iso_command_elle_cli = {
    .summary = "answers as elle-cli does: the same options, a line for each file",
    .operands = "FILE...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_WORD("model", "list-append", "list-append rw-register",
                      "the kind of history; isolab finds it by itself"),
             .letter = 'm', ISO_TO(values, model)},
            {ISO_WORD("format", "auto", "auto edn json", "the format of the files"), .letter = 'f',
             ISO_TO(values, format)},
            {ISO_LIST("consistency-models", "strict-serializable", "the models that must hold, by Elle's names"),
             .letter = 'c', ISO_TO(values, models)},
            {ISO_LIST("anomalies", NULL, "refused: isolab checks models"), .letter = 'a', ISO_TO(values, anomalies)},
            {ISO_TEXT("directory", NULL, "ignored: isolab report writes pages"), .letter = 'd',
             ISO_TO(values, directory)},
            {ISO_TEXT("plot-format", NULL, "ignored"), .letter = 'p', ISO_TO(values, plot)},
            {ISO_SECONDS("cycle-search-timeout", NULL, "end the search in each file after this time"), .letter = 's',
             ISO_TO(values, search)},
            {ISO_FLAG("verbose", "no", "tell each model's verdict on standard error"), .letter = 'v',
             ISO_TO(values, verbose)},
            ISO_END},
    .details =
        "Exit status: 0, 1 if a file is false, 255 if one could not be read. elle-cli's read-committed is Adya's PL-2 "
        "(g1); its "
        "serializable and snapshot-isolation do not count the order of sessions, which strong-session-serializable and "
        "strong-session-snapshot-isolation do.",
    .examples = "isolab elle-cli -m list-append -c serializable history.edn\n"
                "isolab elle-cli -m rw-register -f json -c snapshot-isolation *.json",
    .run = run_elle_cli,
};
