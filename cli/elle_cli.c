/* `isolab elle-cli`: takes the options of elle-cli and answers as it does about its models list-append, rw-register,
 * cas-register and mutex, a line for each file: its name, a tab, and
 * true, false or unknown. A pipeline that calls elle-cli changes one word. */
#include <string.h>

#include "base/print.h"
#include "checkers/checker.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "formats/format.h"
#include "history/copy.h"

typedef struct values {
    const char *model, *format, *models, *anomalies;
    const char *ignored; /* what is for pictures, and for models that isolab has not */
    uint64_t search;     /* ms; 0: no limit */
    bool verbose, ignored_flag;
} values;

/* A level, or the same level of a history without sessions. ISO_NO_LEVEL: none. */
typedef struct asked {
    iso_level level;
    bool sessions;
} asked;

/* Elle's consistency models, with the names of Adya's levels. A model holds if `holds_if` is satisfied, and is broken
 * if `needs` is violated; where the two are one, it is this level. Only models of strong sessions count the order of
 * sessions. Adya's PL-2.99 is PL-3 except for predicates, which no history has. */
static const struct model {
    const char *names;
    asked holds_if, needs;
} known[] = {{"strict-serializable strong-serializable PL-SS", {ISO_SSER, true}, {ISO_SSER, true}},
             {"strong-session-serializable", {ISO_SER, true}, {ISO_SER, true}},
             {"serializable conflict-serializable view-serializable repeatable-read PL-3 PL-2.99",
              {ISO_SER, false},
              {ISO_SER, false}},
             {"strong-snapshot-isolation", {ISO_SSER, true}, {ISO_SI, true}},
             {"strong-session-snapshot-isolation", {ISO_SI, true}, {ISO_SI, true}},
             {"snapshot-isolation PL-SI", {ISO_SI, false}, {ISO_SI, false}},
             {"parallel-snapshot-isolation", {ISO_SI, false}, {ISO_CC, false}},
             {"prefix", {ISO_PC, false}, {ISO_PC, false}},
             {"causal-cerone", {ISO_CC, false}, {ISO_CC, false}},
             {"update-atomic", {ISO_SI, false}, {ISO_RA, false}},
             {"read-atomic", {ISO_RA, false}, {ISO_RA, false}},
             {"update-serializable PL-3U", {ISO_SER, false}, {ISO_G1, false}},
             {"forward-consistent-view PL-FCV consistent-view PL-2+ cursor-stability PL-CS monotonic-view PL-2L "
              "monotonic-snapshot-read PL-MSR",
              {ISO_SI, false},
              {ISO_G1, false}},
             {"monotonic-atomic-view", {ISO_RA, false}, {ISO_G1, false}},
             {"strong-read-committed strong-PL-2", {ISO_SSER, true}, {ISO_G1, true}},
             {"strong-session-read-committed strong-session-PL-2", {ISO_G1, true}, {ISO_G1, true}},
             {"read-committed PL-2", {ISO_G1, false}, {ISO_G1, false}},
             {"read-uncommitted PL-1", {ISO_G1, false}, {ISO_NO_LEVEL, false}}};
enum { KNOWN = sizeof known / sizeof *known };

enum { EXCEPTION = 255 };

typedef struct file_check {
    iso_cli *cli;
    const values *v;
    const char *path;
    iso_pool pool;
    isolab_history *h, *apart; /* apart: with a session for each transaction; NULL: not made yet */
    isolab_verdict verdict;
    int anomaly; /* the first one of the last answer; -1: none */
} file_check;

/* Returns whether a name is one of several that are separated by spaces. */
static bool is_among(const char *names, const char *name, size_t n) {
    for (const char *at = names; *at != '\0';) {
        size_t m = strcspn(at, " ");
        if (m == n && memcmp(at, name, n) == 0) {
            return true;
        }
        at += m + (at[m] == ' ');
    }
    return false;
}

static const struct model *model_of(const char *name, size_t n) {
    for (size_t i = 0; i < KNOWN; i++) {
        if (is_among(known[i].names, name, n)) {
            return &known[i];
        }
    }
    return NULL;
}

/* Whether the model is about calls of a register or a mutex, which Knossos checks for linearizability. */
static bool is_of_calls(const values *v) { return is_among("cas-register mutex", v->model, strlen(v->model)); }

static isolab_history *without_sessions(iso_pool *pool, const isolab_history *h) {
    iso_builder *b = iso_builder_new(pool);
    iso_copy_names(b, h);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t txn = iso_copy_txn(b, iso_builder_session(b, iso_atom_nil()), h, t);
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            iso_copy_op(pool, b, txn, h, o, o);
        }
    }
    return iso_builder_finish(b);
}

static isolab_verdict ask_one(file_check *f, const isolab_history *h, iso_question question, const char *model) {
    char why[512];
    iso_result r;
    iso_result_init(&r, &f->pool);
    const iso_checker *checker = iso_checker_auto(h, &question);
    if (checker != NULL) {
        iso_check(checker, h, &question, &r);
    } else {
        iso_result_reason(&r, ISO_REASON_REFUSED, "%s", iso_why_no_checker(h, &question, why, sizeof why));
    }
    if (f->v->verbose) {
        iso_say(stderr, "isolab: %s: %s, by %s%s: %s%s%s\n", f->path, model, iso_level_get(question.level)->name,
                question.no_session_order || h == f->apart ? " without the order of sessions" : "",
                iso_verdict_text(r.verdict), r.n_anomalies > 0 ? ": " : "",
                r.n_anomalies > 0 ? iso_anomaly_get((iso_anomaly_kind)r.anomalies[0].kind)->name : r.reason);
    }
    f->anomaly = r.n_anomalies > 0 ? r.anomalies[0].kind : -1;
    return r.verdict;
}

/* A history that satisfies a level with sessions satisfies it without, so the copy is seldom needed. */
static isolab_verdict ask(file_check *f, asked what, const char *model) {
    bool own = what.level == ISO_SI || what.level == ISO_SER; /* these have a variant without sessions */
    iso_question question = {.level = what.level, .no_session_order = own && !what.sessions, .limit = 1, .threads = 1};
    isolab_verdict v = ask_one(f, f->h, question, model);
    if (v == ISOLAB_SATISFIED || what.sessions || own) {
        return v;
    }
    f->apart = f->apart != NULL ? f->apart : without_sessions(&f->pool, f->h);
    return ask_one(f, f->apart, question, model);
}

/* Below read committed only the order of writes counts, which the values of registers do not show. */
static isolab_verdict judge_model(file_check *f, const struct model *m, const char *name) {
    if (m->needs.level == ISO_NO_LEVEL && !f->h->has_lists) {
        return ISOLAB_SATISFIED;
    }
    isolab_verdict v = ask(f, m->holds_if, name);
    bool same = m->needs.level == m->holds_if.level && m->needs.sessions == m->holds_if.sessions;
    if (v == ISOLAB_SATISFIED || same) {
        return v;
    }
    if (m->needs.level == ISO_NO_LEVEL ? f->anomaly == ISO_A_G0 : ask(f, m->needs, name) == ISOLAB_VIOLATED) {
        return ISOLAB_VIOLATED;
    }
    iso_say(stderr,
            "isolab: %s: unknown: isolab has no level of its own for %s: it follows from %s, which is %s%s%s%s\n",
            f->path, name, iso_level_get(m->holds_if.level)->name, iso_verdict_text(v),
            m->needs.level == ISO_NO_LEVEL ? "" : ", and needs ",
            m->needs.level == ISO_NO_LEVEL ? "" : iso_level_get(m->needs.level)->name,
            m->needs.level == ISO_NO_LEVEL ? "" : ", which is not violated");
    return ISOLAB_UNKNOWN;
}

/* A history is true if it satisfies all models, false if it violates one. */
static void judge(void *arg) {
    file_check *f = arg;
    const values *v = f->v;
    bool calls = is_of_calls(v);
    const iso_format *format = strcmp(v->format, "edn") == 0    ? iso_format_find(calls ? "elle-registers" : "elle")
                               : strcmp(v->format, "json") == 0 ? iso_format_find("elle-json")
                                                                : NULL;
    f->h = iso_load(&f->pool, f->path, format);
    bool unknown = false, violated = false;
    for (const char *at = calls ? "strict-serializable" : v->models; *at != '\0' && !violated;) {
        size_t n = strcspn(at, ",");
        isolab_verdict verdict = judge_model(f, model_of(at, n), iso_copy_text(&f->pool, at, n));
        violated |= verdict == ISOLAB_VIOLATED;
        unknown |= verdict == ISOLAB_UNKNOWN;
        at += n + (at[n] == ',');
    }
    f->verdict = violated ? ISOLAB_VIOLATED : unknown ? ISOLAB_UNKNOWN : ISOLAB_SATISFIED;
}

static void must_know(iso_cli *cli, const values *v) {
    static const char others[] = "bank long-fork counter set set-full comments sequential";
    if (is_among(others, v->model, strlen(v->model))) {
        iso_throw(
            &cli->env, ISOLAB_E_USAGE,
            "--model %s: isolab checks transactions that read and write keys, and has no model of that kind; it has "
            "list-append, rw-register, cas-register and mutex",
            v->model);
    }
    for (const char *at = v->models; *at != '\0';) {
        size_t n = strcspn(at, ",");
        if (model_of(at, n) == NULL) {
            iso_throw(&cli->env, ISOLAB_E_USAGE,
                      "--consistency-models: isolab does not check \"%.*s\"; it checks strict-serializable, "
                      "strong-session-serializable, serializable, repeatable-read, strong-session-snapshot-isolation, "
                      "snapshot-isolation, prefix, causal-cerone, read-atomic and read-committed, and answers about "
                      "weaker and stronger ones where these decide",
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
        int code = iso_guard_until(&cli->env,
                                   v->search > 0 ? iso_sooner(&cli->env, iso_now() + (int64_t)v->search * 1000000)
                                                 : cli->env.limits->deadline,
                                   judge, &f);
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

#define IGNORED(name, c)                                                                                               \
    { ISO_TEXT(name, NULL, "ignored"), .letter = (c), ISO_TO(values, ignored) }

const iso_command iso_command_elle_cli = {
    .summary = "answers as elle-cli does about four of its models: a line for each file",
    .operands = "FILE...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_WORD("model", "list-append",
                      "list-append rw-register cas-register mutex bank long-fork counter set set-full comments "
                      "sequential",
                      "the kind of history, which isolab finds by itself; cas-register and mutex: is it linearizable? "
                      "The kinds after them are refused"),
             .letter = 'm', .argument = "MODEL", ISO_TO(values, model)},
            {ISO_WORD("format", "auto", "auto edn json", "the format of the files"), .letter = 'f',
             ISO_TO(values, format)},
            {ISO_LIST("consistency-models", "strict-serializable", "the models that must hold, by Elle's names"),
             .letter = 'c', ISO_TO(values, models)},
            {ISO_LIST("anomalies", NULL, "refused: isolab checks models"), .letter = 'a', ISO_TO(values, anomalies)},
            {ISO_COUNT("cycle-search-timeout", NULL, 0, 1000000000, "end the search in each file after this time"),
             .letter = 's', .argument = "MILLISECONDS", ISO_TO(values, search)},
            IGNORED("directory", 'd'),
            IGNORED("plot-format", 'p'),
            IGNORED("plot-timeout", 't'),
            IGNORED("max-plot-bytes", 'b'),
            IGNORED("group-size", 'g'),
            IGNORED("max-transfer", 0),
            IGNORED("total-amount", 'o'),
            {ISO_FLAG("allow-negative-balances", "no", "ignored"), .letter = 'n', ISO_TO(values, ignored_flag)},
            {ISO_FLAG("verbose", "no", "tell each model's verdict on standard error"), .letter = 'v',
             ISO_TO(values, verbose)},
            ISO_END},
    .details = "Exit status: 0, 1 if a file is false, 255 if one could not be read. elle-cli's read-committed "
               "is Adya's PL-2 (g1). Only its models of strong sessions, and the strong ones, count the order of "
               "sessions. Where isolab has no level for a model, stronger and weaker ones may decide; otherwise the "
               "answer is unknown, and standard error says why.",
    .examples = "isolab elle-cli -m list-append -c serializable history.edn\n"
                "isolab elle-cli -m rw-register -f json -c snapshot-isolation *.json",
    .run = run_elle_cli,
};
