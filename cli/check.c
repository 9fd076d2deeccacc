/* `isolab check`: does a history satisfy a level, and if no level is named, which ones (the ladder)?
 *
 * One history is one job under its own guard with its own pool, so that a malformed or too large file leaves
 * the others alone. The exit status is the greatest of all files: 0 satisfied < 1 violated < 2 unknown <
 * 65 malformed input < 70 internal error < 74 reading or writing failed.
 */
#include <string.h>

#include "base/digest.h"
#include "base/print.h"
#include "certificates/certificate.h"
#include "cli/answer.h"
#include "cli/ci.h"
#include "cli/command.h"
#include "cli/foreign.h"
#include "cli/heap.h"
#include "cli/limits.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "explain/anomaly_json.h"
#include "history/clock.h"
#include "history/initial.h"
#include "history/suspect.h"

typedef struct values {
    iso_cli_reading reading;
    const char *level, *checker, *adapters, *patterns, *options, *dimacs, *certificate, *dot, *svg, *picture, *junit,
        *sarif;
    bool json, no_digest, all, count, no_session_order, draw, require_evidence;
    uint64_t limit, threads;
} values;

typedef struct job {
    iso_cli *cli;
    const values *v;
    const char *path;
    iso_whom whom;
    const iso_checker *checker;
    iso_request request; /* without its level, which is that of --level */
    bool ladder;         /* several levels */
    iso_levels levels;   /* those of the ladder */
    iso_levels told;     /* of the ladder: violated levels whose anomalies no weaker level has */

    iso_pool pool; /* for one history */
    isolab_history *h;
    int64_t load_ns;
    char sha[65];
    iso_asking ask;
    bool certified;        /* the certificate was written */
    iso_suspects suspects; /* where a level is violated: mistakes of the test */
    iso_pictures pictures; /* for all histories */
    iso_ci ci;
    int status;
} job;

static uint64_t shown(const job *j) { return !j->v->all ? 1 : j->v->limit != 0 ? j->v->limit : UINT64_MAX; }

static void json_head(iso_json *json, const job *j) {
    iso_json_open(json, NULL, '{');
    iso_json_count(json, "schema", ISO_JSON_SCHEMA);
    iso_json_text(json, "file", j->path);
    iso_json_text(json, "sha256", j->sha[0] != '\0' ? j->sha : NULL);
    iso_json_text(json, "version", ISOLAB_VERSION);
    if (j->h != NULL) {
        iso_cli_json_initial(json, j->h);
    }
}

/* Prints the evidence for all satisfied levels. */
static void json_evidence(iso_json *json, const job *j) {
    const iso_evidence *e = &j->ask.evidence;
    if (!j->ask.weighed) {
        return;
    }
    iso_json_open(json, "rests_on", '{');
    iso_json_count(json, "operations", e->operations);
    iso_json_count(json, "reads", e->reads);
    iso_json_count(json, "reads_from_other_sessions", e->reads_elsewhere);
    iso_json_count(json, "keys_with_several_writers", e->shared_keys);
    iso_json_flag(json, "exact", e->all_counted);
    iso_json_count(json, "transactions", e->transactions);
    iso_json_count(json, "transactions_without_times", e->untimed);
    iso_json_count(json, "transactions_with_one_time", e->half_timed);
    iso_json_count(json, "overlapping_pairs", e->overlaps);
    iso_json_flag(json, "overlapping_pairs_exact", e->overlaps_exact);
    iso_json_close(json, '}');
}

/* If a level that real time concerns is asked about: finds times that contradict sessions. */
static iso_clock clock_of(const job *j) {
    iso_levels timed = ISO_LEVEL_BIT(ISO_SSER) | ISO_LEVEL_BIT(ISO_LSER);
    bool asked = j->ladder ? (j->levels & timed) != 0 : iso_level_is_timed(j->request.level);
    return asked ? iso_clock_of(j->h) : (iso_clock){0, 0, ISO_NONE, ISO_NONE};
}

static void json_clock(iso_json *json, const job *j) {
    iso_clock c = clock_of(j);
    if (c.places > 0) {
        iso_cli_json_clock(json, j->h, &c);
    }
}

static void print_clock(const job *j) {
    char text[ISO_CLOCK_SIZE];
    iso_clock c = clock_of(j);
    if (c.places > 0) {
        iso_say(stdout, "  suspect the times: %s\n", iso_clock_text(j->h, &c, text));
    }
}

static void print_suspects(const job *j) {
    char text[ISO_SUSPECT_SIZE];
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        if (j->suspects.of[k].places > 0) {
            iso_say(stdout, "  suspect the test: %s: %s\n",
                    iso_suspect_text(j->h, &j->suspects, (iso_suspect_kind)k, text),
                    iso_suspect_advice((iso_suspect_kind)k));
        }
    }
}

static void print_evidence(const job *j, const iso_answer *one) {
    char text[512];
    if (one != NULL && one->weight != ISO_UNWEIGHED && one->result.verdict == ISOLAB_SATISFIED) {
        iso_say(stdout, "  evidence of %s: %s\n", iso_level_get(one->level)->name, iso_evidence_of(one->level));
    }
    if (j->ask.weighed) {
        iso_say(stdout, "  rests on %s\n", iso_evidence_text(&j->ask.evidence, text, sizeof text));
    }
}

static void json_answer(iso_json *json, const job *j, const iso_answer *a) {
    iso_json_open(json, NULL, '{');
    iso_answer_json(json, j->h, a, shown(j), j->load_ns);
    iso_json_close(json, '}');
}

static void json_levels(iso_json *json, const char *name, iso_levels levels) {
    iso_json_open(json, name, '[');
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_json_text(json, NULL, iso_level_get((iso_level)l)->name);
        }
    }
    iso_json_close(json, ']');
}

/* Prints the answers, the strongest level first; of several answers about a level, the one that counts first. */
static void json_rungs(iso_json *json, const job *j, const iso_ladder *ladder) {
    iso_json_open(json, "ladder", '[');
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        if (ladder->rung[l] == NULL) {
            continue;
        }
        json_answer(json, j, ladder->rung[l]);
        for (size_t i = 0; i < j->ask.n_answers && j->whom == ISO_WHOM_EVERY; i++) {
            if ((int)j->ask.answers[i].level == l && &j->ask.answers[i] != ladder->rung[l]) {
                json_answer(json, j, &j->ask.answers[i]);
            }
        }
    }
    iso_json_close(json, ']');
}

static void print_ladder_json(const job *j, const iso_ladder *ladder) {
    iso_json json = {.out = stdout};
    json_head(&json, j);
    iso_json_text(&json, "level", NULL);
    iso_json_text(&json, "verdict", iso_verdict_text(ladder->verdict));
    if (ladder->strongest == 0 && ladder->unknown != 0) {
        iso_json_text(&json, "strongest", NULL);
    } else {
        json_levels(&json, "strongest", ladder->strongest);
    }
    json_levels(&json, "unknown", ladder->unknown);
    json_levels(&json, "broken_first", ladder->broken_first);
    json_evidence(&json, j);
    json_clock(&json, j);
    iso_cli_json_suspects(&json, j->h, &j->suspects);
    if (j->whom == ISO_WHOM_EVERY) {
        iso_json_flag(&json, "agree", !j->ask.disagree);
    }
    iso_json_count(&json, "peak_memory", atomic_load(&j->cli->env.limits->peak));
    json_rungs(&json, j, ladder);
    iso_json_close(&json, '}');
    iso_json_end(&json);
}

/* With -c all: prints the level, and the checkers that gave the same answer. */
static void print_agreement(const job *j, const iso_answer *counts) {
    const iso_level_info *level = iso_level_get(counts->level);
    iso_say(stdout, "%s %s (%s)", iso_verdict_text(counts->result.verdict), level->name, level->title);
    const char *before = ": ";
    for (size_t i = 0; i < j->ask.n_answers; i++) {
        const iso_answer *a = &j->ask.answers[i];
        if (a->level == counts->level && a->checker != NULL && a->result.verdict == counts->result.verdict) {
            iso_say(stdout, "%s%s", before, a->checker->name);
            before = ", ";
        }
    }
    iso_answer_evidence(stdout, counts);
    iso_say(stdout, "\n");
}

/* Draws the anomalies of the broken levels, or without a ladder those of the answer that counts. */
static void show_pictures(job *j, const iso_ladder *ladder, const iso_answer *one) {
    unsigned before = j->pictures.n;
    j->pictures.draw = j->v->draw;
    if (!j->pictures.draw && j->v->dot == NULL && j->v->svg == NULL && j->v->picture == NULL) {
        return;
    }
    for (int l = 0; one == NULL && l < ISO_LEVELS; l++) {
        if (j->told & ISO_LEVEL_BIT(l)) {
            iso_picture_answer(j->cli, &j->pictures, j->h, ladder->rung[l], shown(j));
        }
    }
    if (one != NULL) {
        iso_picture_answer(j->cli, &j->pictures, j->h, one, shown(j));
    }
    if (j->pictures.n == before && (one != NULL ? one->result.verdict : ladder->verdict) == ISOLAB_VIOLATED) {
        iso_say(stderr, "isolab: %s: no picture: the violation was found without a cycle or a read to show\n", j->path);
    }
}

static void print_levels(const char *before, iso_levels levels) {
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_say(stdout, "%s%s", before, iso_level_get((iso_level)l)->name);
            before = ", ";
        }
    }
}

/* Prints the strongest levels, and the unknown ones, which may be stronger. */
static void print_strongest(const iso_ladder *ladder) {
    iso_levels not_asked = 0;
    for (int l = 0; l < ISO_LEVELS; l++) {
        not_asked |= ladder->rung[l] != NULL && ladder->rung[l]->not_asked != ISO_ASKED ? ISO_LEVEL_BIT(l) : 0;
    }
    not_asked &= ladder->unknown;
    iso_say(stdout, "  strongest satisfied: ");
    print_levels("", ladder->strongest);
    iso_say(stdout, "%s", ladder->strongest != 0 ? "" : ladder->unknown != 0 ? "not known" : "none");
    print_levels("; not asked: ", not_asked);
    print_levels("; no answer: ", ladder->unknown & ~not_asked);
    iso_say(stdout, "\n");
}

/* Prints a line if a transaction was taken as the initial one. */
static void print_initial(const job *j, const char *before) {
    char text[ISO_TAKEN_SIZE];
    if (j->h->taken.n_txns != 0) {
        iso_say(stdout, "%s%s%s\n", before, before[0] == ' ' ? "" : ": ", iso_taken_text(j->h, text));
    }
}

static void print_ladder(const job *j, const iso_ladder *ladder) {
    iso_say(stdout, "%s\n", j->path);
    print_initial(j, "  ");
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        const iso_answer *a = ladder->rung[l];
        if (a == NULL) {
            continue;
        }
        isolab_verdict verdict = a->result.verdict;
        iso_say(stdout, "  %-3s ",
                verdict == ISOLAB_SATISFIED  ? "yes"
                : verdict == ISOLAB_VIOLATED ? "NO"
                : a->not_asked == ISO_ASKED  ? "?"
                                             : "-");
        if (j->whom == ISO_WHOM_EVERY && verdict != ISOLAB_UNKNOWN) {
            print_agreement(j, a);
        } else {
            iso_answer_line(stdout, a);
        }
    }
    print_strongest(ladder);
    print_evidence(j, NULL);
    print_clock(j);
    print_suspects(j);
    for (int l = 0; l < ISO_LEVELS; l++) {
        if (j->told & ISO_LEVEL_BIT(l)) {
            iso_say(stdout, "  what breaks %s:\n", iso_level_get((iso_level)l)->name);
            iso_answer_anomalies(stdout, j->h, ladder->rung[l], shown(j));
        }
    }
}

static void print_one_json(const job *j, const iso_answer *a) {
    iso_json json = {.out = stdout};
    json_head(&json, j);
    iso_answer_json(&json, j->h, a, shown(j), j->load_ns);
    json_evidence(&json, j);
    json_clock(&json, j);
    iso_cli_json_suspects(&json, j->h, &j->suspects);
    iso_json_text(&json, "certificate", j->certified ? j->v->certificate : NULL);
    if (j->whom == ISO_WHOM_EVERY) {
        iso_json_flag(&json, "agree", !j->ask.disagree);
        iso_json_open(&json, "answers", '[');
        for (size_t i = 0; i < j->ask.n_answers; i++) {
            json_answer(&json, j, &j->ask.answers[i]);
        }
        iso_json_close(&json, ']');
    }
    iso_json_close(&json, '}');
    iso_json_end(&json);
}

static void print_one(const job *j, const iso_answer *a) {
    if (j->v->json) {
        print_one_json(j, a);
        return;
    }
    print_initial(j, j->path);
    for (size_t i = 0; i < j->ask.n_answers; i++) {
        iso_say(stdout, "%s: ", j->path);
        iso_answer_line(stdout, &j->ask.answers[i]);
    }
    print_evidence(j, a);
    print_clock(j);
    print_suspects(j);
    iso_answer_anomalies(stdout, j->h, a, shown(j));
}

/* Prints the answer about a history that could not be loaded within the limits. */
static void print_unloaded(const job *j, const char *reason, iso_limit limit) {
    const char *level = j->ladder ? NULL : iso_level_get(j->request.level)->name;
    if (!j->v->json) {
        iso_say(stdout, "%s: unknown%s%s: %s\n", j->path, level != NULL ? " " : "", level != NULL ? level : "", reason);
        return;
    }
    iso_json json = {.out = stdout};
    json_head(&json, j);
    iso_json_text(&json, "level", level);
    iso_json_text(&json, "checker", NULL);
    iso_json_text(&json, "verdict", "unknown");
    iso_json_text(&json, "reason", reason);
    iso_json_text(&json, "reason_code", iso_reason_name(iso_reason_of_limit(limit)));
    iso_json_count(&json, "peak_memory", atomic_load(&j->cli->env.limits->peak));
    iso_json_close(&json, '}');
    iso_json_end(&json);
}

/* Names options that no checker supported. */
static void say_ignored(const job *j) {
    bool threads = false, asked = false;
    for (size_t i = 0; i < j->ask.n_answers; i++) {
        const iso_checker *c = j->ask.answers[i].checker;
        asked |= c != NULL;
        threads |= c != NULL && (c->can & ISO_CAN_THREADS);
    }
    if (j->v->threads > 1 && asked && !threads) {
        iso_say(stderr, "isolab: %s: --threads has no effect: no checker that was asked uses more than one\n", j->path);
    }
    const char *options = j->v->options;
    iso_pair pair;
    while (iso_pair_next(&options, &pair)) {
        bool used = !asked;
        for (size_t i = 0; i < j->ask.n_answers && !used; i++) {
            const iso_checker *c = j->ask.answers[i].checker;
            used = c != NULL && iso_option_find(c->options, pair.name, pair.name_size) != NULL;
        }
        if (!used) {
            iso_say(stderr, "isolab: %s: --option %.*s has no effect: no checker that was asked has it\n", j->path,
                    (int)pair.name_size, pair.name);
        }
    }
}

static void certify(job *j, const iso_answer *a) {
    j->certified =
        a->checker != NULL && iso_certificate_save(&j->pool, j->h, &j->request, &a->result, j->v->certificate);
    if (!j->certified && a->result.verdict != ISOLAB_UNKNOWN) {
        iso_say(stderr, "isolab: %s: checker %s gave no certificate for this verdict\n", j->path, a->checker->name);
    }
}

/* Writes the answers for continuous integration, the weakest level first. */
static void tell_ci(job *j, const iso_ladder *ladder, const iso_answer *one) {
    const iso_answer *answer[ISO_LEVELS] = {one};
    size_t n = one != NULL;
    for (int l = 0; one == NULL && l < ISO_LEVELS; l++) {
        if (ladder->rung[l] != NULL) {
            answer[n++] = ladder->rung[l];
        }
    }
    iso_ci_history(&j->ci, j->path, j->h, answer, n, shown(j));
}

static void check_one(void *arg) {
    job *j = arg;
    if (j->v->json && !j->v->no_digest) {
        iso_digest(&j->cli->env, j->path, j->sha);
    }
    int64_t since = iso_now();
    iso_heap_prepare(j->cli, j->path);
    j->h = iso_cli_load(j->cli, &j->pool, j->path, &j->v->reading);
    j->load_ns = iso_now() - since;
    iso_asking_init(&j->ask, &j->pool, j->h, &j->request);
    j->ask.whom = j->whom;
    j->ask.checker = j->checker;
    j->ask.answered = iso_limits_repay;
    j->ask.weigh = true;
    j->ask.demand = j->v->require_evidence;
    iso_ladder ladder = {.verdict = ISOLAB_UNKNOWN};
    const iso_answer *one = NULL;
    if (j->ladder) {
        j->ask.explain = true;
        ladder = iso_ladder_climb(&j->ask, j->levels);
        j->told = iso_levels_to_tell(j->h, &ladder);
    } else {
        one = iso_ask(&j->ask, j->request.level);
    }
    iso_limits_apply(j->cli, false); /* known answers are printed without limits */
    iso_clear_progress();
    iso_cli_doubt_initial(j->cli, j->h, j->path, &j->v->reading);
    j->status = (int)(one != NULL ? one->result.verdict : ladder.verdict);
    j->suspects = (iso_suspects){.n = 0};
    if (j->status == ISOLAB_VIOLATED) {
        j->suspects = iso_find_suspects(&j->pool, j->h);
    }
    if (j->ladder) {
        (j->v->json ? print_ladder_json : print_ladder)(j, &ladder);
    } else {
        if (j->v->certificate != NULL) {
            certify(j, one);
        }
        print_one(j, one);
    }
    show_pictures(j, &ladder, one);
    tell_ci(j, &ladder, one);
    say_ignored(j);
    if (j->ask.disagree) {
        iso_say(stderr, "isolab: %s: the checkers disagree\n", j->path);
        j->status = ISOLAB_E_INTERNAL;
    }
}

static int check_file(job *j, const char *path) {
    iso_env *env = &j->cli->env;
    j->path = path;
    j->h = NULL;
    j->ask = (iso_asking){.n_answers = 0};
    j->sha[0] = '\0';
    iso_pool_init(&j->pool, env);
    iso_limits_apply(j->cli, true);
    atomic_store(&env->limits->peak, atomic_load(&env->limits->used));
    int code = iso_guard(env, check_one, j);
    iso_limits_apply(j->cli, false);
    iso_clear_progress();
    if (code == ISOLAB_E_LIMIT) {
        print_unloaded(j, env->error.message, env->limit);
    } else if (code != ISOLAB_OK) {
        if (env->error.file[0] == '\0') {
            snprintf(env->error.file, sizeof env->error.file, "%s", path);
        }
        iso_print_error(&env->error);
    }
    if (code != ISOLAB_OK) {
        iso_ci_failed(&j->ci, path, &env->error);
    }
    iso_pool_free(&j->pool);
    iso_pool_free(&j->cli->item);
    return code != ISOLAB_OK ? code : j->status;
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

static int run(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    bool several = v->level != NULL && strchr(v->level, ',') != NULL;
    job j = {.cli = cli, .v = v, .ladder = v->level == NULL || several};
    j.levels = several ? parse_levels(cli, v->level) : ISO_ALL_LEVELS;
    for (const char *const *one =
             (const char *const[]){"patterns", "count", "certificate", "dimacs", "no-session-order", NULL};
         *one != NULL; one++) {
        iso_cli_refuse(cli, several, *one, "needs a single level");
    }
    j.whom = strcmp(v->checker, "auto") == 0  ? ISO_WHOM_AUTO
             : strcmp(v->checker, "all") == 0 ? ISO_WHOM_EVERY
                                              : ISO_WHOM_ONE;
    bool foreign = iso_cli_foreign_name(v->checker) != NULL;
    iso_cli_refuse(cli, !foreign, "adapters", "is for checkers that are programs: --checker ext:NAME");
    j.checker = foreign                  ? iso_cli_foreign(cli, v->checker, v->adapters)
                : j.whom == ISO_WHOM_ONE ? iso_cli_checker(cli, v->checker)
                                         : NULL;
    iso_cli_format(cli, v->reading.format); /* must exist */
    iso_cli_refuse(cli, n > 1, "certificate", "needs a single history");
    iso_cli_refuse(cli, n > 1, "dimacs", "needs a single history");
    char why[256];
    if (iso_options_wrong(v->options, j.checker, why, sizeof why) != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--option %s; `isolab list checkers` has them", why);
    }
    iso_pictures_know(cli, v->picture);
    j.pictures = (iso_pictures){.dot = v->dot, .svg = v->svg, .any = v->picture};
    j.request = (iso_request){
        .level = j.ladder ? ISO_INT : iso_cli_level(cli, v->level),
        .no_session_order = v->no_session_order,
        .all = v->all,
        .count = v->count,
        .certificate = v->certificate != NULL,
        .limit = v->all ? v->limit : 1,
        .patterns = v->patterns != NULL ? parse_patterns(cli, v->patterns) : 0,
        .threads = (unsigned)v->threads,
        .options = v->options,
        .dimacs = v->dimacs,
    };
    if (!j.ladder && iso_request_wrong(&j.request, j.checker, why, sizeof why) != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "%s", why);
    }
    iso_ci_begin(&j.ci, &cli->env, v->junit, v->sarif);
    int status = 0;
    for (int i = 0; i < n && !atomic_load(&cli->env.limits->interrupted) && !iso_output_failed(); i++) {
        int one = check_file(&j, operands[i]);
        status = one > status ? one : status;
    }
    iso_ci_end(&j.ci);
    iso_cli_foreign_end();
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
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_LIST("level", NULL,
                      "the level to check, or several (ra,si,ser); without it, the ladder of all levels is shown"),
             .argument = "LEVEL", .letter = 'l', .of = ISO_OF_LEVELS, ISO_TO(values, level)},
            {ISO_TEXT("checker", "auto",
                      "checker: auto takes the first that prefers the level, all runs every capable checker and "
                      "compares; --timeout holds for each checker; ext:NAME is a foreign one"),
             .letter = 'c', .of = ISO_OF_CHECKERS, .words = "auto all", ISO_TO(values, checker)},
            {ISO_TEXT("adapters", NULL, "published and own checkers described in FILE (else in $ISOLAB_ADAPTERS)"),
             .of = ISO_OF_FILES, ISO_TO(values, adapters)},
            ISO_READING_OPTIONS(values, reading),
            {ISO_FLAG("json", "no", "print one JSON object for each history"), ISO_TO(values, json)},
            {ISO_FLAG("no-digest", "no", "with --json, do not compute the SHA-256 of the file"),
             ISO_TO(values, no_digest)},
            {ISO_FLAG("all", "no", "find all anomalies, not only the first"), ISO_TO(values, all)},
            {ISO_COUNT("limit", "10000", 0, ISO_ANY,
                       "with --all, show N anomalies at most (0: all); some checkers continue counting"),
             ISO_TO(values, limit)},
            {ISO_LIST("patterns", NULL, "with --level, search only for these Plume patterns, such as TAP-k or a,k,n"),
             ISO_TO(values, patterns)},
            {ISO_FLAG("draw", "no", "draw the anomalies as text"), ISO_TO(values, draw)},
            {ISO_TEXT("dot", NULL, "write a picture of the anomaly for Graphviz; the second anomaly to FILE-2"),
             .of = ISO_OF_OUTPUTS, ISO_TO(values, dot)},
            {ISO_TEXT("svg", NULL, "the same as SVG, with a caption"), .of = ISO_OF_OUTPUTS, ISO_TO(values, svg)},
            {ISO_TEXT("picture", NULL,
                      "the same in the format of the extension: .svg .tex (TikZ) .dot .mmd (Mermaid) .md (Markdown)"),
             .of = ISO_OF_OUTPUTS, ISO_TO(values, picture)},
            {ISO_TEXT("junit", NULL, "also write JUnit XML: violations are failures of a continuous-integration page"),
             .of = ISO_OF_OUTPUTS, ISO_TO(values, junit)},
            {ISO_TEXT("sarif", NULL, "also write SARIF: anomalies at the lines of their transactions"),
             .of = ISO_OF_OUTPUTS, ISO_TO(values, sarif)},
            {ISO_FLAG("count", "no", "with --level, count the commit orders that satisfy it"), ISO_TO(values, count)},
            {ISO_TEXT("certificate", NULL, "write a proof of the verdict for isolab-verify"), .of = ISO_OF_OUTPUTS,
             ISO_TO(values, certificate)},
            {ISO_COUNT("threads", "1", 1, 4096, "use N threads if the checker can"), ISO_TO(values, threads)},
            {ISO_FLAG("no-session-order", "no", "si and ser without session order"), ISO_TO(values, no_session_order)},
            {ISO_FLAG("require-evidence", "no", "a satisfied level that could not have been violated is unknown"),
             ISO_TO(values, require_evidence)},
            {ISO_LIST("option", NULL, "an option of the checker; `isolab list checkers` shows them"),
             .argument = "NAME=VALUE", ISO_TO(values, options)},
            {ISO_TEXT("dimacs", NULL, "with --level, write the formula (for checkers that make one)"),
             .of = ISO_OF_OUTPUTS, ISO_TO(values, dimacs)},
            ISO_END},
    .needs = (const iso_need[]){{"no-digest", "json", NULL},
                                {"limit", "all", NULL},
                                {"patterns", "level", "count dimacs"},
                                {"count", "level", "dimacs"},
                                {"certificate", "level", NULL},
                                {"dimacs", "level", NULL},
                                {"no-session-order", "level", NULL},
                                {"draw", NULL, "json"},
                                {"require-evidence", NULL, "patterns"},
                                {NULL, NULL, NULL}},
    .details = "FILE is a history in any format of `isolab list formats`, a folder for formats of folders, or - "
               "for "
               "standard input; zstd is decompressed. With several files the exit status is the greatest "
               "one. --timeout and --memory hold for each history separately.",
    .examples = "isolab check history.txt\n"
                "isolab check -l ra history.txt\n"
                "isolab check -l cc --certificate proof.txt history.txt; isolab-verify history.txt proof.txt\n"
                "isolab check -l ser -c all --timeout 60 --json *.edn\n"
                "zstdcat history.plume.zst | isolab check -l cc --all --limit 10 -",
    .run = run,
};
