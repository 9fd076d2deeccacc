/* `isolab run`: generates histories and checks them, until one violates its level. What `generate` and `check` do one
 * after the other, without a file between them. */
#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/generating.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/save.h"

typedef struct values {
    iso_generating by;
    const char *check, *checker, *output, *to;
    uint64_t rounds;
    bool lossy;
} values;

typedef struct rounds {
    iso_cli *cli;
    const values *v;
    const iso_format *format;
    iso_level level;
    const iso_checker *checker; /* NULL: auto */
    uint64_t satisfied, unknown;
    uint64_t seed; /* of the first round */
} rounds;

/* The level that is asked about: --check, or else that which the store is to deliver. */
static iso_level level_of(iso_cli *cli, const values *v) {
    if (v->check == NULL && iso_args_find(v->by.args, "level") == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "generator %s delivers no level: say which to check by --check",
                  v->by.generator->name);
    }
    return iso_cli_level(cli, v->check != NULL ? v->check : iso_arg_text(v->by.args, "level"));
}

static isolab_history *make(rounds *r, iso_pool *pool, uint64_t round) {
    iso_args *args = r->v->by.args;
    char text[24];
    if (round > 0) {
        snprintf(text, sizeof text, "%" PRIu64, r->seed + round);
        iso_args_set(args, "seed", text);
    }
    iso_builder *b = iso_builder_new(pool);
    args->pool = pool;
    iso_generator_run(r->v->by.generator, args, b);
    return iso_builder_finish(b);
}

static void say_answer(const rounds *r, const isolab_history *h, const iso_answer *answer, uint64_t round) {
    iso_clear_progress();
    iso_say(stdout, "seed %" PRIu64 ": ", r->seed + round);
    iso_answer_line(stdout, answer);
    if (answer->result.verdict == ISOLAB_VIOLATED) {
        iso_answer_anomalies(stdout, h, answer, 1);
    }
}

/* Makes one history and asks about it. True: that was the last one. */
static bool round_of(rounds *r, iso_pool *pool, uint64_t round) {
    iso_asker asker;
    iso_progress(&r->cli->env, "histories", round, r->v->rounds);
    isolab_history *h = make(r, pool, round);
    iso_asker_init(&asker, pool, h, &(const iso_question){.level = r->level, .limit = 1});
    asker.whom = r->checker != NULL ? ISO_WHOM_ONE : ISO_WHOM_AUTO;
    asker.checker = r->checker;
    asker.answered = iso_limits_repay;
    const iso_answer *answer = iso_ask(&asker, r->level);
    isolab_verdict verdict = answer->result.verdict;
    r->satisfied += verdict == ISOLAB_SATISFIED;
    r->unknown += verdict == ISOLAB_UNKNOWN;
    bool last = verdict == ISOLAB_VIOLATED || round + 1 == r->v->rounds;
    if (last && r->v->output != NULL) {
        iso_cli_save(r->cli, pool, h, r->v->output, r->format, r->v->lossy);
    }
    if (last || verdict == ISOLAB_UNKNOWN) {
        say_answer(r, h, answer, round);
    }
    return last;
}

static int run_until_violated(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    iso_generating_named(cli, &v->by, n, operands);
    rounds r = {.cli = cli, .v = v, .level = level_of(cli, v)};
    r.checker = strcmp(v->checker, "auto") == 0 ? NULL : iso_cli_checker(cli, v->checker);
    r.format = v->output != NULL ? iso_cli_format_for(cli, v->to, v->output) : NULL;
    r.seed = iso_arg_count(v->by.args, "seed");
    if (iso_level_is_timed(r.level) && iso_args_find(v->by.args, "times") != NULL) {
        iso_args_default(v->by.args, "times", "yes");
    }
    bool last = false;
    uint64_t round = 0;
    for (; !last && !iso_output_failed(); round++) {
        last = round_of(&r, &cli->item, round);
        iso_pool_free(&cli->item);
    }
    if (v->rounds > 1) {
        iso_say(stdout, "%" PRIu64 " histor%s: %" PRIu64 " satisfied %s", round, round == 1 ? "y" : "ies", r.satisfied,
                iso_level_get(r.level)->name);
        iso_say(stdout, ", %" PRIu64 " violated it, %" PRIu64 " unknown\n", round - r.satisfied - r.unknown, r.unknown);
    }
    return (int)(r.satisfied + r.unknown < round ? ISOLAB_VIOLATED : r.unknown > 0 ? ISOLAB_UNKNOWN : ISOLAB_SATISFIED);
}

const iso_command iso_command_run = {
    .summary = "generates histories and checks them, until one violates its level",
    .operands = "[GENERATOR]",
    .least = 0,
    .most = 1,
    .of = ISO_OF_GENERATORS,
    .size = sizeof(values),
    .details = "What `generate` and `check` do, in one process and without a file between them. Each generator has "
               "options of its "
               "own: `isolab run GENERATOR --help` and `isolab list generators` tell them.",
    .options =
        (const iso_option[]){{ISO_TEXT("check", NULL, "the level to check; by default the one that the store delivers"),
                              .of = ISO_OF_LEVELS, ISO_TO(values, check)},
                             {ISO_TEXT("checker", "auto", "who checks"), .letter = 'c', .of = ISO_OF_CHECKERS,
                              .words = "auto", ISO_TO(values, checker)},
                             {ISO_COUNT("rounds", "1", 1, ISO_ANY, "histories at most, each with the next seed"),
                              ISO_TO(values, rounds)},
                             {ISO_TEXT("output", NULL, "keep the first violated history there, or else the last one"),
                              .letter = 'o', .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
                             {ISO_TEXT("to", NULL, "write this format instead of the one of FILE's extension"),
                              .of = ISO_OF_FORMATS, ISO_TO(values, to)},
                             {ISO_FLAG("lossy", "no", "leave out what the format cannot hold"), ISO_TO(values, lossy)},
                             ISO_END},
    .needs = (const iso_need[]){{"to", "output", NULL}, {"lossy", "output", NULL}, {NULL, NULL, NULL}},
    .examples = "isolab run mini --level sser --txns 1M --sessions 50\n"
                "isolab run mini --level ser --rounds 100 --check sser -o stale.jsonl\n"
                "isolab run registers --level sser --bug clock-skew -o skewed.jsonl",
    .run = run_until_violated,
    .refine = iso_generating_refine,
};
