/* `isolab check`: does a history satisfy a level, and if no level is named, which ones (the ladder)?
 *
 * One history is one job under its own guard with its own pool, so that a malformed or too large file leaves
 * the others alone. The exit status is the greatest of all files: 0 satisfied < 1 violated < 2 unknown <
 * 65 malformed input < 70 internal error < 74 reading or writing failed.
 */
#include <string.h>

#include "certificates/certificate.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "base/digest.h"
#include "cli/heap.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/pictures.h"

typedef struct values {
    const char *level, *checker, *format, *patterns, *options, *dimacs, *certificate, *dot, *svg;
    bool json, no_digest, all, count, no_session_order, draw;
    uint64_t limit, threads, seed;
} values;

/* Which checkers answer. */
typedef enum { AUTO, EVERY, NAMED } choice;

typedef struct job {
    iso_cli *cli;
    const values *v;
    const char *path;
    choice choice;
    const iso_checker *checker;
    const iso_format *format;
    iso_request request; /* its level is filled in for each question */
    bool ladder;

    iso_pool pool; /* of one history */
    isolab_history *h;
    int64_t load_ns;
    char sha[65];
    iso_answer *answers;
    size_t n_answers;
    bool disagree;
    char phase[64]; /* what progress shows */
    bool certified; /* the certificate was written */
    iso_pictures pictures; /* of all histories */
    int status;
} job;

/* Asks one checker (NULL: none can, the reason says why). */
static iso_answer *ask(job *j, const iso_checker *checker, const char *why) {
    iso_limits *limits = j->cli->env.limits;
    iso_answer *a = &j->answers[j->n_answers++];
    *a = (iso_answer){.level = j->request.level, .checker = checker, .implied_by = ISO_LEVELS, .load_ns = j->load_ns,
                      .patterns = j->request.patterns};
    iso_pool_init(&a->pool, &j->cli->env);
    iso_result_init(&a->result, &a->pool);
    a->result.verdict = ISOLAB_UNKNOWN;
    if (checker == NULL) {
        iso_result_reason(&a->result, ISO_REASON_REFUSED, "%s", why);
        return a;
    }
    a->result.verdict = ISOLAB_SATISFIED;
    snprintf(j->phase, sizeof j->phase, "checking %s by %s", iso_level_get(a->level)->name, checker->name);
    iso_progress(&j->cli->env, j->phase, 0, 0);
    a->held = atomic_load(&limits->used);
    int64_t since = iso_now();
    iso_check(checker, j->h, &j->request, &a->result);
    a->ns = iso_now() - since;
    iso_limits_repay();
    a->peak = atomic_load(&limits->peak);
    return a;
}

/* Does an answer say more than that it searched in vain? */
static bool explains(const iso_answer *a) {
    return a->result.verdict == ISOLAB_VIOLATED && a->result.n_anomalies != 0 &&
           a->result.anomalies[0].kind != ISO_A_NO_ORDER;
}

/* Answers j->request.level; the answer that counts is the last one that is not unknown. */
static const iso_answer *answer(job *j) {
    char why[512];
    if (j->choice == NAMED) {
        return ask(j, j->checker, NULL);
    }
    if (j->choice == AUTO) {
        const iso_checker *checker = iso_checker_auto(j->h, &j->request);
        return ask(j, checker, checker == NULL ? iso_checker_nobody(j->h, &j->request, why, sizeof why) : NULL);
    }
    const iso_answer *best = NULL;
    for (size_t i = 0; iso_checkers[i] != NULL; i++) {
        if (iso_checker_refuses(iso_checkers[i], j->h, &j->request, why, sizeof why) != NULL) {
            continue;
        }
        const iso_answer *a = ask(j, iso_checkers[i], NULL);
        if (best == NULL || best->result.verdict == ISOLAB_UNKNOWN || (!explains(best) && explains(a))) {
            j->disagree |= best != NULL && best->result.verdict == ISOLAB_SATISFIED;
            best = a;
        } else if (a->result.verdict != ISOLAB_UNKNOWN && a->result.verdict != best->result.verdict) {
            j->disagree = true;
        }
    }
    return best != NULL ? best : ask(j, NULL, iso_checker_nobody(j->h, &j->request, why, sizeof why));
}

/* A level whose answer follows from that of another one. */
static const iso_answer *conclude(job *j, iso_level level, iso_level from, isolab_verdict verdict) {
    iso_answer *a = &j->answers[j->n_answers++];
    *a = (iso_answer){.level = level, .implied_by = from, .load_ns = j->load_ns};
    iso_pool_init(&a->pool, &j->cli->env);
    iso_result_init(&a->result, &a->pool);
    a->result.verdict = verdict;
    return a;
}

/* The answers that count, by level; NULL: not known yet. */
typedef const iso_answer *rungs[ISO_LEVELS];

static bool implies(int a, int b) { return a != b && (iso_level_get((iso_level)a)->implies & ISO_LEVEL_BIT(b)); }

/* What is known of a level by what was answered about others: a satisfied one satisfies all that it implies, a
 * violated one violates all that imply it, and without times strict serializability is serializability. */
static const iso_answer *infer(job *j, rungs rung, int level) {
    for (int l = 0; l < ISO_LEVELS; l++) {
        if (rung[l] == NULL || rung[l]->implied_by != ISO_LEVELS) {
            continue;
        }
        isolab_verdict verdict = rung[l]->result.verdict;
        if ((verdict == ISOLAB_SATISFIED && implies(l, level)) || (verdict == ISOLAB_VIOLATED && implies(level, l)) ||
            (verdict == ISOLAB_SATISFIED && level == ISO_SSER && l == ISO_SER && !j->h->has_times)) {
            return conclude(j, (iso_level)level, (iso_level)l, verdict);
        }
    }
    return NULL;
}

/* Asks for what does not follow: first for cc, since the weaker levels follow when it holds; then from the weakest
 * one up, so that what breaks is found at the weakest level that is broken; of the levels that are hard to decide
 * ser first, since most others follow. With a time limit every level may use half of what is left. With `-c all` every
 * level is asked, and answers that contradict each other's implications are a disagreement. */
static void climb(job *j, rungs rung) {
    static const iso_level order[ISO_LEVELS] = {ISO_CC, ISO_INT, ISO_CI, ISO_G1, ISO_RC_PLUME, ISO_RC,
                                                ISO_RA, ISO_SER, ISO_SI, ISO_PC, ISO_SSER};
    iso_limits *limits = j->cli->env.limits;
    int64_t deadline = limits->deadline;
    memset(rung, 0, sizeof(rungs));
    for (int i = 0; i < ISO_LEVELS; i++) {
        iso_level l = order[i];
        j->request.level = l;
        rung[l] = j->choice != EVERY ? infer(j, rung, l) : NULL;
        if (rung[l] == NULL) {
            int64_t now = iso_now();
            limits->deadline =
                deadline != 0 && now < deadline && i + 1 < ISO_LEVELS ? now + (deadline - now) / 2 : deadline;
            rung[l] = answer(j);
        }
    }
    limits->deadline = deadline;
    for (int l = 0; l < ISO_LEVELS; l++) { /* what was asked in vain may follow from what was asked later */
        if (rung[l]->result.verdict == ISOLAB_UNKNOWN) {
            const iso_answer *follows = infer(j, rung, l);
            rung[l] = follows != NULL ? follows : rung[l];
        }
        for (int below = 0; below < ISO_LEVELS; below++) {
            j->disagree |= implies(l, below) && rung[l]->result.verdict == ISOLAB_SATISFIED &&
                           rung[below]->result.verdict == ISOLAB_VIOLATED;
        }
    }
}

/* Is this level satisfied, and no level above it? */
static bool is_strongest(rungs rung, int level) {
    bool strongest = rung[level]->result.verdict == ISOLAB_SATISFIED;
    for (int above = level + 1; above < ISO_LEVELS; above++) {
        strongest &= !implies(above, level) || rung[above]->result.verdict != ISOLAB_SATISFIED;
    }
    return strongest;
}

/* Is this level violated, and no level below it? */
static bool is_broken_first(rungs rung, int level) {
    bool first = rung[level]->result.verdict == ISOLAB_VIOLATED;
    for (int below = 0; below < ISO_LEVELS; below++) {
        first &= !implies(level, below) || rung[below]->result.verdict != ISOLAB_VIOLATED;
    }
    return first;
}

static uint64_t shown(const job *j) { return !j->v->all ? 1 : j->v->limit != 0 ? j->v->limit : UINT64_MAX; }

static isolab_verdict worst(rungs rung) {
    isolab_verdict verdict = ISOLAB_SATISFIED;
    for (int l = 0; l < ISO_LEVELS; l++) {
        if (verdict != ISOLAB_VIOLATED && rung[l]->result.verdict != ISOLAB_SATISFIED) {
            verdict = rung[l]->result.verdict;
        }
    }
    return verdict;
}

static void json_head(iso_json *json, const job *j) {
    iso_json_open(json, NULL, '{');
    iso_json_text(json, "file", j->path);
    iso_json_text(json, "sha256", j->sha[0] != '\0' ? j->sha : NULL);
    iso_json_text(json, "version", ISOLAB_VERSION);
}

static void json_answers(iso_json *json, const job *j, const char *name) {
    iso_json_open(json, name, '[');
    for (size_t i = 0; i < j->n_answers; i++) {
        iso_json_open(json, NULL, '{');
        iso_answer_json(json, j->h, &j->answers[i], shown(j));
        iso_json_close(json, '}');
    }
    iso_json_close(json, ']');
}

static void print_ladder_json(const job *j, rungs rung) {
    iso_json json = {stdout, false};
    json_head(&json, j);
    iso_json_text(&json, "level", NULL);
    iso_json_text(&json, "verdict", iso_verdict_text(worst(rung)));
    iso_json_open(&json, "strongest", '[');
    for (int l = 0; l < ISO_LEVELS; l++) {
        if (is_strongest(rung, l)) {
            iso_json_text(&json, NULL, iso_level_get((iso_level)l)->name);
        }
    }
    iso_json_close(&json, ']');
    iso_json_open(&json, "broken_first", '[');
    for (int l = 0; l < ISO_LEVELS; l++) {
        if (is_broken_first(rung, l)) {
            iso_json_text(&json, NULL, iso_level_get((iso_level)l)->name);
        }
    }
    iso_json_close(&json, ']');
    if (j->choice == EVERY) {
        iso_json_flag(&json, "agree", !j->disagree);
    }
    iso_json_count(&json, "peak_memory", atomic_load(&j->cli->env.limits->peak));
    json_answers(&json, j, "ladder");
    iso_json_close(&json, '}');
    iso_json_end(&json);
}

/* Of -c all: the level, and who gave the same answer. */
static void print_agreement(const job *j, const iso_answer *counts) {
    const iso_level_info *level = iso_level_get(counts->level);
    printf("%s %s (%s)", iso_verdict_text(counts->result.verdict), level->name, level->title);
    const char *before = ": ";
    for (size_t i = 0; i < j->n_answers; i++) {
        const iso_answer *a = &j->answers[i];
        if (a->level == counts->level && a->checker != NULL && a->result.verdict == counts->result.verdict) {
            printf("%s%s", before, a->checker->name);
            before = ", ";
        }
    }
    putchar('\n');
}

/* Of what breaks a level, or without a ladder of the answer that counts. */
static void show_pictures(job *j, rungs rung, const iso_answer *one) {
    j->pictures.draw = j->v->draw && !j->v->json;
    if (!j->pictures.draw && j->v->dot == NULL && j->v->svg == NULL) {
        return;
    }
    for (int l = 0; one == NULL && l < ISO_LEVELS; l++) {
        if (is_broken_first(rung, l)) {
            iso_picture_answer(j->cli, &j->pictures, j->h, rung[l], shown(j));
        }
    }
    if (one != NULL) {
        iso_picture_answer(j->cli, &j->pictures, j->h, one, shown(j));
    }
}

static void print_ladder(const job *j, rungs rung) {
    printf("%s\n", j->path);
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        printf("  %-3s ", rung[l]->result.verdict == ISOLAB_SATISFIED  ? "yes"
                          : rung[l]->result.verdict == ISOLAB_VIOLATED ? "NO"
                                                                       : "?");
        if (j->choice == EVERY && rung[l]->result.verdict != ISOLAB_UNKNOWN) {
            print_agreement(j, rung[l]);
        } else {
            iso_answer_line(stdout, rung[l]);
        }
    }
    const char *before = "  strongest satisfied:";
    for (int l = ISO_LEVELS - 1; l >= 0; l--) {
        if (is_strongest(rung, l)) {
            printf("%s %s", before, iso_level_get((iso_level)l)->name);
            before = ",";
        }
    }
    printf("%s\n", before[0] == ',' ? "" : "  strongest satisfied: none");
    for (int l = 0; l < ISO_LEVELS; l++) {
        if (is_broken_first(rung, l)) {
            printf("  what breaks %s:\n", iso_level_get((iso_level)l)->name);
            iso_answer_anomalies(stdout, j->h, rung[l], shown(j));
        }
    }
}

static void print_one(const job *j, const iso_answer *a) {
    if (j->v->json) {
        iso_json json = {stdout, false};
        json_head(&json, j);
        iso_answer_json(&json, j->h, a, shown(j));
        iso_json_text(&json, "certificate", j->certified ? j->v->certificate : NULL);
        if (j->choice == EVERY) {
            iso_json_flag(&json, "agree", !j->disagree);
            json_answers(&json, j, "answers");
        }
        iso_json_close(&json, '}');
        iso_json_end(&json);
        return;
    }
    for (size_t i = 0; i < j->n_answers; i++) {
        printf("%s: ", j->path);
        iso_answer_line(stdout, &j->answers[i]);
    }
    iso_answer_anomalies(stdout, j->h, a, shown(j));
}

/* A history that could not be loaded within the limits. */
static void print_unloaded(const job *j, const char *reason, iso_limit limit) {
    const char *level = j->ladder ? NULL : iso_level_get(j->request.level)->name;
    if (!j->v->json) {
        printf("%s: unknown%s%s: %s\n", j->path, level != NULL ? " " : "", level != NULL ? level : "", reason);
        return;
    }
    iso_json json = {stdout, false};
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

static void certify(job *j, const iso_answer *a) {
    j->certified = a->checker != NULL &&
                   iso_certificate_save(&j->pool, j->h, &j->request, &a->result, j->v->certificate);
    if (!j->certified && a->result.verdict != ISOLAB_UNKNOWN) {
        fprintf(stderr, "isolab: %s: checker %s gave no certificate for this verdict\n", j->path, a->checker->name);
    }
}

static void check_one(void *arg) {
    job *j = arg;
    size_t n = 0;
    while (iso_checkers[n] != NULL) {
        n++;
    }
    j->answers = ISO_ZNEW(&j->pool, iso_answer, (n + 3) * ISO_LEVELS);
    if (j->v->json && !j->v->no_digest) {
        iso_digest(&j->cli->env, j->path, j->sha);
    }
    int64_t since = iso_now();
    iso_heap_prepare(j->cli, j->path);
    j->h = iso_load(&j->pool, j->path, j->format);
    j->load_ns = iso_now() - since;
    rungs rung;
    const iso_answer *one = NULL;
    if (j->ladder) {
        climb(j, rung);
    } else {
        one = answer(j);
    }
    iso_limits_apply(j->cli, false); /* what is known is told */
    iso_clear_progress();
    if (!j->ladder) {
        if (j->v->certificate != NULL) {
            certify(j, one);
        }
        print_one(j, one);
        j->status = (int)one->result.verdict;
    } else {
        (j->v->json ? print_ladder_json : print_ladder)(j, rung);
        j->status = (int)worst(rung);
    }
    show_pictures(j, rung, one);
    if (j->disagree) {
        fprintf(stderr, "isolab: %s: the checkers disagree\n", j->path);
        j->status = ISOLAB_E_INTERNAL;
    }
}

static int check_file(job *j, const char *path) {
    iso_env *env = &j->cli->env;
    j->path = path;
    j->h = NULL;
    j->n_answers = 0;
    j->disagree = false;
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
    for (size_t i = 0; i < j->n_answers; i++) {
        iso_pool_free(&j->answers[i].pool);
    }
    iso_pool_free(&j->pool);
    iso_pool_free(&j->cli->item);
    return code != ISOLAB_OK ? code : j->status;
}

/* `TAP-a,TAP-k` or `a,k` as bits. */
static uint32_t parse_patterns(iso_cli *cli, const char *text) {
    uint32_t bits = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        const char *name = n > 4 && strncasecmp(text, "tap-", 4) == 0 ? text + 4 : text;
        char letter = (char)(*name | 0x20);
        if (name + 1 != text + n || letter < 'a' || letter > 'n') {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--patterns: expected letters from a to n such as a,k or TAP-k, found "
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
    job j = {.cli = cli, .v = v, .ladder = v->level == NULL};
    j.choice = v->checker == NULL || strcmp(v->checker, "auto") == 0 ? AUTO
               : strcmp(v->checker, "all") == 0                      ? EVERY
                                                                     : NAMED;
    j.checker = j.choice == NAMED ? iso_cli_checker(cli, v->checker) : NULL;
    j.format = iso_cli_format(cli, v->format);
    if (v->certificate != NULL && (n > 1 || j.ladder)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--certificate needs %s", j.ladder ? "--level" : "a single history");
    }
    if (v->dimacs != NULL && n > 1) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--dimacs needs a single history");
    }
    if (j.ladder && (v->patterns != NULL || v->count || v->dimacs != NULL)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s needs --level",
                  v->patterns != NULL ? "patterns" : v->count ? "count" : "dimacs");
    }
    if (v->threads == 0 || v->threads > 4096) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--threads: expected a number from 1 to 4096, found %llu",
                  (unsigned long long)v->threads);
    }
    char why[256];
    if (iso_options_wrong(v->options, j.checker, why, sizeof why) != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--option: %s; `isolab list checkers` has them", why);
    }
    j.pictures = (iso_pictures){.dot = v->dot, .svg = v->svg};
    j.request = (iso_request){
        .level = j.ladder ? ISO_INT : iso_cli_level(cli, v->level),
        .no_session_order = v->no_session_order,
        .all = v->all,
        .count = v->count,
        .certificate = v->certificate != NULL,
        .limit = v->all ? v->limit : 1,
        .patterns = v->patterns != NULL ? parse_patterns(cli, v->patterns) : 0,
        .threads = (unsigned)v->threads,
        .seed = v->seed,
        .options = v->options,
        .dimacs = v->dimacs,
    };
    int status = 0;
    for (int i = 0; i < n && !atomic_load(&cli->env.limits->interrupted) && !iso_output_failed(); i++) {
        int one = check_file(&j, operands[i]);
        status = one > status ? one : status;
    }
    if (atomic_load(&cli->env.limits->interrupted) && status < ISOLAB_E_LIMIT) {
        status = ISOLAB_E_LIMIT;
    }
    return status;
}

#define FIELD(name) offsetof(values, name)

const iso_command iso_command_check = {
    .summary = "says whether histories satisfy an isolation level, and if not, why",
    .operands = "FILE...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .defaults = &(const values){.threads = 1, .seed = 1, .limit = 10000},
    .options =
        (const iso_option[]){
            {'l', "level", "LEVEL", "the level to check; without it, the ladder of all levels is shown",
             ISO_TEXT, FIELD(level), ISO_OF_LEVELS, NULL},
            {'c', "checker", "CHECKER",
             "who checks: auto takes the first that is made for the level, all runs every capable one and "
             "compares",
             ISO_TEXT, FIELD(checker), ISO_OF_CHECKERS, "auto all"},
            {0, "format", "F", "read the files as this format instead of detecting it", ISO_TEXT,
             FIELD(format), ISO_OF_FORMATS, NULL},
            {0, "json", NULL, "print one JSON object a history", ISO_FLAG, FIELD(json), ISO_OF_WORDS, NULL},
            {0, "no-digest", NULL, "with --json, do not compute the SHA-256 of the file", ISO_FLAG,
             FIELD(no_digest), ISO_OF_WORDS, NULL},
            {0, "all", NULL, "find all anomalies, not only the first", ISO_FLAG, FIELD(all), ISO_OF_WORDS,
             NULL},
            {0, "limit", "N",
             "with --all, show N anomalies at most (10000; 0: all); some checkers go on counting", ISO_COUNT,
             FIELD(limit), ISO_OF_WORDS, NULL},
            {0, "patterns", "LIST",
             "with --level, look for these Plume patterns and nothing else, such as TAP-k or a,k,n", ISO_LIST,
             FIELD(patterns), ISO_OF_WORDS, NULL},
            {0, "draw", NULL, "draw what is wrong, as text", ISO_FLAG, FIELD(draw), ISO_OF_WORDS, NULL},
            {0, "dot", "FILE",
             "write a picture of what is wrong there, for Graphviz; of the second anomaly as FILE-2",
             ISO_TEXT, FIELD(dot), ISO_OF_FILES, NULL},
            {0, "svg", "FILE", "the same as SVG, drawn by Graphviz", ISO_TEXT, FIELD(svg), ISO_OF_FILES,
             NULL},
            {0, "count", NULL, "with --level, count the commit orders that witness it", ISO_FLAG, FIELD(count),
             ISO_OF_WORDS, NULL},
            {0, "certificate", "FILE", "write the proof of the verdict there, for isolab-verify", ISO_TEXT,
             FIELD(certificate), ISO_OF_FILES, NULL},
            {0, "threads", "N", "use N threads where the checker can", ISO_COUNT, FIELD(threads),
             ISO_OF_WORDS, NULL},
            {0, "seed", "N", "seed of what is random in a checker", ISO_COUNT, FIELD(seed), ISO_OF_WORDS,
             NULL},
            {0, "no-session-order", NULL, "si and ser without session order", ISO_FLAG,
             FIELD(no_session_order), ISO_OF_WORDS, NULL},
            {0, "option", "NAME=VALUE",
             "an option of the checker itself, as `isolab list checkers` shows them", ISO_LIST,
             FIELD(options), ISO_OF_WORDS, NULL},
            {0, "dimacs", "FILE", "with --level, write the formula there (by a checker that makes one)", ISO_TEXT,
             FIELD(dimacs), ISO_OF_FILES, NULL},
            ISO_END},
    .details =
        "FILE is a history in any format of `isolab list formats`, a folder where the format is one, or - "
        "for "
        "standard input; zstd is unpacked. With several files the exit status is the worst: the greatest "
        "number. --timeout and --memory hold for each history by itself.",
    .examples =
        "isolab check history.txt\n"
        "isolab check -l ra history.txt\n"
        "isolab check -l cc --certificate proof.txt history.txt; isolab-verify history.txt proof.txt\n"
        "isolab check -l ser -c all --timeout 60 --json *.edn\n"
        "zstdcat history.plume.zst | isolab check -l cc --all --limit 10 -",
    .run = run,
};
