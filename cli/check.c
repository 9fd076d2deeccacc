/* `isolab check`: does a history satisfy a level, and if no level is named, which ones (the ladder)?
 *
 * Each history has its own guard and its own pool, so that a malformed or too large file leaves the others alone. The
 * exit status is the greatest of all files: 0 satisfied < 1 violated < 2 unknown < 65 malformed input < 70 internal
 * error < 74 reading or writing failed. */
#include "cli/check.h"

#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "base/print.h"
#include "certificates/certificate.h"
#include "cli/heap.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "experiments/asking/party.h"

/* Draws the anomalies of the broken levels, or without a ladder those of the answer that counts. */
static void show_pictures(iso_file_check *f, const iso_ladder *ladder, const iso_answer *one) {
    unsigned before = f->pictures.n;
    f->pictures.draw = f->v->draw;
    if (!f->pictures.draw && f->v->svg == NULL && f->v->picture == NULL) {
        return;
    }
    for (int l = 0; one == NULL && l < iso_n_levels; l++) {
        if (f->told & ISO_LEVEL_BIT(l)) {
            iso_picture_answer(f->cli, &f->pictures, f->h, ladder->rung[l], iso_check_shown(f));
        }
    }
    if (one != NULL) {
        iso_picture_answer(f->cli, &f->pictures, f->h, one, iso_check_shown(f));
    }
    if (f->pictures.n == before && (one != NULL ? one->result.verdict : ladder->verdict) == ISOLAB_VIOLATED) {
        iso_say(stderr, "isolab: %s: no picture: the violation was found without a cycle or a read to show\n", f->path);
    }
}

/* Names options that no checker supported. */
static void say_ignored(const iso_file_check *f) {
    bool threads = false, asked = false;
    for (size_t i = 0; i < f->asker.n_answers; i++) {
        const iso_checker *c = f->asker.answers[i].checker;
        asked |= c != NULL;
        threads |= c != NULL && (c->can & ISO_CAN_THREADS);
    }
    if (f->v->reading.threads > 1 && asked && !threads) {
        iso_say(stderr,
                "isolab: %s: --threads has no effect on the check: no checker that was asked uses more than one\n",
                f->path);
    }
    const char *options = f->v->options;
    iso_pair pair;
    while (iso_pair_next(&options, &pair)) {
        bool used = !asked;
        for (size_t i = 0; i < f->asker.n_answers && !used; i++) {
            const iso_checker *c = f->asker.answers[i].checker;
            used = c != NULL && iso_option_find(c->options, pair.name, pair.name_size) != NULL;
        }
        if (!used) {
            iso_say(stderr, "isolab: %s: --option %.*s has no effect: no checker that was asked has it\n", f->path,
                    (int)pair.name_size, pair.name);
        }
    }
}

/* Writes the certificate of the verdict; with --all that of each anomaly, the second one to FILE-2. */
static void certify(iso_file_check *f, const iso_answer *a) {
    const iso_result *r = &a->result;
    bool each = f->v->all && r->verdict == ISOLAB_VIOLATED;
    uint64_t most = each ? iso_check_shown(f) : 1;
    uint32_t lacking = 0;
    for (uint32_t i = 0; a->checker != NULL && i < (each ? r->n_anomalies : 1) && i < most; i++) {
        const char *path = iso_numbered_name(&f->pool, f->v->certificate, i + 1);
        bool saved = iso_certificate_save(&f->pool, f->h, &f->question, r, each ? i : ISO_NONE, path);
        f->certified |= saved && i == 0;
        lacking += !saved && i > 0;
    }
    if (!f->certified && r->verdict != ISOLAB_UNKNOWN) {
        iso_say(stderr, "isolab: %s: checker %s gave no certificate for %s%s%s\n", f->path, a->checker->name,
                each ? "the first anomaly" : "this verdict", r->reason[0] != '\0' ? ": " : "", r->reason);
    }
    if (lacking > 0) {
        iso_say(stderr, "isolab: %s: %u of the other anomalies have no certificate\n", f->path, lacking);
    }
}

/* Writes the answers for continuous integration, the weakest level first. */
static void tell_ci(iso_file_check *f, const iso_ladder *ladder, const iso_answer *one) {
    const iso_answer *answer[ISO_MOST_LEVELS] = {one};
    size_t n = one != NULL;
    for (int l = 0; one == NULL && l < iso_n_levels; l++) {
        if (ladder->rung[l] != NULL) {
            answer[n++] = ladder->rung[l];
        }
    }
    iso_ci_history(&f->ci, f->path, f->h, answer, n, iso_check_shown(f));
}

/* Whether anomalies are printed when they are found instead of kept: where very many may be shown, and nothing needs
 * two of them at once. */
static bool streams(const iso_file_check *f) {
    enum { KEPT = 10000 }; /* the default of --limit */
    const iso_check_values *v = f->v;
    bool kept = v->certificate != NULL || v->draw || v->svg != NULL || v->picture != NULL || v->junit != NULL ||
                v->sarif != NULL;
    return v->all && !f->ladder && f->whom != ISO_WHOM_EVERY && !kept && (v->limit == 0 || v->limit > KEPT);
}

/* Says how much --memory would do, where that is known and more than now. */
static void advise(iso_file_check *f) {
    uint64_t enough = iso_limits_enough(f->path, f->h);
    if (f->cli->memory != 0 && enough > f->cli->memory) {
        f->enough = enough;
        iso_say(stderr, "isolab: %s: memory limit reached; about %" PRIu64 " MB would do: --memory %" PRIu64 "M\n",
                f->path, enough >> 20, enough >> 20);
    }
}

/* Does memory end an answer about a weak level, which takes memory in proportion to the history? */
static bool lacked_memory(const iso_file_check *f) {
    bool lacked = false;
    for (size_t i = 0; i < f->asker.n_answers; i++) {
        const iso_answer *a = &f->asker.answers[i];
        lacked |= a->result.reason_code == ISO_REASON_MEMORY && (ISO_WEAK_LEVELS & ISO_LEVEL_BIT(a->level));
    }
    return lacked && f->h->unique;
}

static void load_and_check(void *arg) {
    iso_file_check *f = arg;
    if (f->v->json && !f->v->no_digest) {
        iso_digest(&f->cli->env, f->path, f->sha);
    }
    int64_t since = iso_now();
    iso_heap_prepare(f->cli, f->path);
    f->h = iso_cli_load(f->cli, &f->pool, f->path, &f->v->reading);
    f->load_ns = iso_now() - since;
    iso_asker_init(&f->asker, &f->pool, f->h, &f->question);
    f->asker.whom = f->whom;
    f->asker.checker = f->checker;
    f->asker.answered = iso_limits_repay;
    f->asker.weigh = true;
    f->asker.demand = f->v->require_evidence;
    iso_ladder ladder = {.verdict = ISOLAB_UNKNOWN};
    const iso_answer *one = NULL;
    if (f->ladder) {
        f->asker.explain = true;
        ladder = iso_ladder_climb(&f->asker, f->levels);
        f->told = iso_levels_to_tell(f->h, &ladder);
    } else {
        one = iso_ask(&f->asker, f->question.level);
    }
    iso_limits_apply(f->cli, false); /* known answers are printed without limits */
    iso_clear_progress();
    iso_cli_doubt(f->cli, f->h, f->path, &f->v->reading);
    if (one != NULL ? one->result.reason_code == ISO_REASON_TIME : ladder.unknown != 0) {
        iso_cli_tell_repeated(f->h, f->path);
    }
    f->status = (int)(one != NULL ? one->result.verdict : ladder.verdict);
    if (lacked_memory(f)) {
        advise(f);
    }
    f->suspects = (iso_suspects){.n = 0};
    if (f->status == ISOLAB_VIOLATED) {
        f->suspects = iso_find_suspects(&f->pool, f->h);
    }
    if (one != NULL && f->v->certificate != NULL) {
        certify(f, one);
    }
    iso_check_width(f);
    if (f->ladder) {
        (f->v->json ? iso_check_ladder_json : iso_check_ladder)(f, &ladder);
    } else {
        iso_check_answer(f, one);
    }
    iso_print_width(0);
    show_pictures(f, &ladder, one);
    tell_ci(f, &ladder, one);
    say_ignored(f);
    if (f->asker.disagree) {
        iso_say(stderr, "isolab: %s: the checkers disagree\n", f->path);
        f->status = ISOLAB_E_INTERNAL;
    }
}

static int check_file(iso_file_check *f, const char *path) {
    iso_env *env = &f->cli->env;
    f->path = path;
    f->h = NULL;
    f->begun = false;
    f->enough = 0;
    f->json = (iso_json){.out = stdout};
    f->asker = (iso_asker){.n_answers = 0};
    f->sha[0] = '\0';
    iso_pool_init(&f->pool, env);
    iso_limits_apply(f->cli, true);
    atomic_store(&env->limits->peak, atomic_load(&env->limits->used));
    int code = iso_guard(env, load_and_check, f);
    iso_print_width(0);
    iso_limits_apply(f->cli, false);
    iso_clear_progress();
    if (code == ISOLAB_E_LIMIT) {
        if (env->limit == ISO_LIMIT_MEMORY) {
            advise(f);
        }
        iso_check_unloaded(f, env->error.message, env->limit);
    } else if (code != ISOLAB_OK) {
        if (env->error.file[0] == '\0') {
            snprintf(env->error.file, sizeof env->error.file, "%s", path);
        }
        iso_print_error(&env->error);
    }
    if (code != ISOLAB_OK) {
        iso_ci_failed(&f->ci, path, &env->error);
    }
    iso_pool_free(&f->pool);
    iso_pool_free(&f->cli->item);
    return code != ISOLAB_OK ? code : f->status;
}

/* Parses `ra,si,ser`. */
static iso_levels parse_levels(iso_cli *cli, const char *text) {
    iso_levels levels = 0;
    while (*text != '\0') {
        char name[64];
        size_t n = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        levels |= ISO_LEVEL_BIT(iso_cli_level(cli, name));
        text += n + (text[n] == ',');
    }
    return levels;
}

/* Parses `TAP-a,TAP-k` or `a,k` as bits. */
static uint32_t parse_patterns(iso_cli *cli, const char *text) {
    uint32_t bits = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        const char *name = n > 4 && strncasecmp(text, "tap-", 4) == 0 ? text + 4 : text;
        char letter = (char)(*name | 0x20);
        if (name + 1 != text + n || letter < 'a' || letter > 'n') {
            iso_throw(&cli->env, ISOLAB_E_USAGE,
                      "--patterns: expected letters from a to n such as a,k or TAP-k, found "
                      "\"%.*s\"",
                      (int)n, text);
        }
        bits |= (uint32_t)1 << (letter - 'a');
        text += n + (text[n] == ',');
    }
    return bits;
}

/* Returns the checker that is asked; NULL: `whom` says which ones. */
static const iso_checker *checker_of(iso_cli *cli, const iso_check_values *v, iso_whom whom) {
    if (iso_adapter_name(v->checker) != NULL) {
        iso_adapters *adapters = ISO_NEW(&cli->pool, iso_adapters, 1);
        iso_adapters_load(adapters, &cli->pool, v->adapters);
        return iso_party_as_checker(&cli->pool, adapters, v->checker, cli->memory);
    }
    return whom == ISO_WHOM_ONE ? iso_cli_checker(cli, v->checker) : NULL;
}

static int run_check(iso_cli *cli, const void *given, int n, char **operands) {
    const iso_check_values *v = given;
    bool several = v->level != NULL && strchr(v->level, ',') != NULL;
    iso_file_check f = {.cli = cli, .v = v, .ladder = v->level == NULL || several};
    f.levels = several ? parse_levels(cli, v->level) : ISO_ALL_LEVELS;
    for (const char *const *one =
             (const char *const[]){"patterns", "count", "certificate", "dimacs", "no-session-order", NULL};
         *one != NULL; one++) {
        iso_cli_refuse(cli, several, *one, "needs a single level");
    }
    f.whom = strcmp(v->checker, "auto") == 0  ? ISO_WHOM_AUTO
             : strcmp(v->checker, "all") == 0 ? ISO_WHOM_EVERY
                                              : ISO_WHOM_ONE;
    iso_cli_refuse(cli, iso_adapter_name(v->checker) == NULL, "adapters",
                   "is for checkers that are programs: --checker ext:NAME");
    f.checker = checker_of(cli, v, f.whom);
    iso_cli_format(cli, v->reading.format); /* must exist */
    iso_cli_refuse(cli, n > 1, "certificate", "needs a single history");
    iso_cli_refuse(cli, n > 1, "dimacs", "needs a single history");
    char why[256];
    if (iso_options_wrong(v->options, f.checker, why, sizeof why) != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--option %s; `isolab list checkers` has them", why);
    }
    iso_pictures_know(cli, v->picture);
    f.pictures = (iso_pictures){.svg = v->svg, .any = v->picture};
    f.question = (iso_question){
        .level = f.ladder ? ISO_INT : iso_cli_level(cli, v->level),
        .no_session_order = v->no_session_order,
        .all = v->all,
        .count = v->count,
        .certificate = v->certificate != NULL,
        .limit = v->all ? v->limit : 1,
        .patterns = v->patterns != NULL ? parse_patterns(cli, v->patterns) : 0,
        .threads = (unsigned)v->reading.threads,
        .options = v->options,
        .dimacs = v->dimacs,
    };
    if (streams(&f)) {
        f.question.taker = iso_check_found;
        f.question.taker_arg = &f;
    }
    if (!f.ladder && iso_question_wrong(&f.question, f.checker, why, sizeof why) != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "%s", why);
    }
    iso_ci_begin(&f.ci, &cli->env, v->junit, v->sarif);
    int status = 0;
    for (int i = 0; i < n && !atomic_load(&cli->env.limits->interrupted) && !iso_output_failed(); i++) {
        int one = check_file(&f, operands[i]);
        status = one > status ? one : status;
    }
    iso_ci_end(&f.ci);
    iso_party_checker_end(f.checker);
    if (atomic_load(&cli->env.limits->interrupted) && status < ISOLAB_E_LIMIT) {
        status = ISOLAB_E_LIMIT;
    }
    return status;
}

const iso_command iso_command_check = {
    .summary = "says whether histories satisfy an isolation level, and if not, why",
    .operands = "FILE...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(iso_check_values),
    .options =
        (const iso_option[]){
            {ISO_LIST("level", NULL,
                      "the level to check, or several (ra,si,ser); without it, the ladder of all levels is shown"),
             .argument = "LEVEL", .letter = 'l', .of = ISO_OF_LEVELS, ISO_TO(iso_check_values, level)},
            {ISO_TEXT("checker", "auto",
                      "checker: auto takes the first that prefers the level, all runs every capable checker and "
                      "compares; --timeout holds for each checker; ext:NAME is a program"),
             .letter = 'c', .of = ISO_OF_CHECKERS, .words = "auto all", ISO_TO(iso_check_values, checker)},
            {ISO_TEXT("adapters", NULL, "published and own checkers described in FILE (else in $ISOLAB_ADAPTERS)"),
             .of = ISO_OF_FILES, ISO_TO(iso_check_values, adapters)},
            ISO_READING_OPTIONS(iso_check_values, reading),
            {ISO_FLAG("json", "no", "print one JSON object for each history"), ISO_TO(iso_check_values, json)},
            {ISO_FLAG("brief", "no",
                      "print a line for each level and one anomaly, without times, evidence and reasons"),
             ISO_TO(iso_check_values, brief)},
            {ISO_FLAG("no-digest", "no", "with --json, do not compute the SHA-256 of the file"),
             ISO_TO(iso_check_values, no_digest)},
            {ISO_FLAG("all", "no", "find all anomalies, not only the first"), ISO_TO(iso_check_values, all)},
            {ISO_COUNT("limit", "10000", 0, ISO_ANY,
                       "with --all, show N anomalies at most (0: all); some checkers continue counting"),
             ISO_TO(iso_check_values, limit)},
            {ISO_LIST("patterns", NULL, "with --level, search only for these Plume patterns, such as TAP-k or a,k,n"),
             ISO_TO(iso_check_values, patterns)},
            {ISO_FLAG("draw", "no", "draw the anomalies as text"), ISO_TO(iso_check_values, draw)},
            {ISO_TEXT("svg", NULL,
                      "write a picture of the anomaly as SVG, with a caption; the second anomaly to FILE-2"),
             .of = ISO_OF_OUTPUTS, ISO_TO(iso_check_values, svg)},
            {ISO_TEXT("picture", NULL,
                      "the same in the format of the extension: .svg, .pdf (by rsvg-convert) or .tex (TikZ)"),
             .of = ISO_OF_OUTPUTS, ISO_TO(iso_check_values, picture)},
            {ISO_TEXT("junit", NULL, "also write JUnit XML: violations are failures of a continuous-integration page"),
             .of = ISO_OF_OUTPUTS, ISO_TO(iso_check_values, junit)},
            {ISO_TEXT("sarif", NULL, "also write SARIF: anomalies at the lines of their transactions"),
             .of = ISO_OF_OUTPUTS, ISO_TO(iso_check_values, sarif)},
            {ISO_FLAG("count", "no", "with --level, count the commit orders that satisfy it"),
             ISO_TO(iso_check_values, count)},
            {ISO_TEXT(
                 "certificate", NULL,
                 "write a proof of the verdict for isolab-verify; with --all of each anomaly, the second to FILE-2"),
             .of = ISO_OF_OUTPUTS, ISO_TO(iso_check_values, certificate)},
            {ISO_COUNT("threads", "1", 1, 4096, "read with N threads, and check with them if the checker can"),
             ISO_TO(iso_check_values, reading.threads)},
            {ISO_FLAG("no-session-order", "no", "si and ser without session order"),
             ISO_TO(iso_check_values, no_session_order)},
            {ISO_FLAG("require-evidence", "no", "a satisfied level that could not have been violated is unknown"),
             ISO_TO(iso_check_values, require_evidence)},
            {ISO_LIST("option", NULL, "an option of the checker; `isolab list checkers` shows them"),
             .argument = "NAME=VALUE", ISO_TO(iso_check_values, options)},
            {ISO_TEXT("dimacs", NULL, "with --level, write the formula (for checkers that make one)"),
             .of = ISO_OF_OUTPUTS, ISO_TO(iso_check_values, dimacs)},
            ISO_END},
    .needs = (const iso_need[]){{"no-digest", "json", NULL},
                                {"limit", "all", NULL},
                                {"patterns", "level", "count dimacs"},
                                {"count", "level", "dimacs"},
                                {"certificate", "level", NULL},
                                {"dimacs", "level", NULL},
                                {"no-session-order", "level", NULL},
                                {"draw", NULL, "json"},
                                {"brief", NULL, "json all patterns"},
                                {"require-evidence", NULL, "patterns"},
                                {NULL, NULL, NULL}},
    .details =
        "FILE is a history in any format of `isolab list formats`, a folder for formats of folders, or "
        "- for standard input; gzip, xz and zstd are decompressed. With several files the exit status is the greatest "
        "one. --timeout and --memory hold for each history separately. On a terminal, and with --draw, "
        "lines are broken at the width of the window or at $COLUMNS; else each sentence has one line.",
    .examples = "isolab check history.txt\n"
                "isolab check -l ra history.txt\n"
                "isolab check -l cc --certificate proof.txt history.txt; isolab-verify history.txt proof.txt\n"
                "isolab check -l ser -c all --timeout 60 --json *.edn\n"
                "isolab check -l cc --all --limit 10 history.plume.gz",
    .run = run_check,
};
