/* `isolab bench`: runs a suite of experiments into a file of results, or compares two sets of results. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/print.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/suite_rules.h"
#include "experiments/asking/adapters.h"
#include "experiments/figures/brief.h"
#include "experiments/figures/compare.h"
#include "experiments/runner/bench.h"
#include "experiments/runner/claim.h"
#include "experiments/runner/engine.h"
#include "experiments/runner/results_check.h"

typedef struct values {
    const char *output, *work, *program, *label, *measure, *level, *checker, *adapters, *engine, *hosts, *submit,
        *tasks, *against, *scale;
    uint64_t repeat, cpu, batch, throttle, task;
    bool compare, plan, freeze, merge, dry_run, wait;
} values;

/* Resources that must be closed when the work ends in any way. */
typedef struct bench_state {
    iso_cli *cli;
    const values *v;
    char **operands;
    iso_results *results, *other;
    iso_bench_summary summary;
    bool begun;
    bool wrong; /* an answer is wrong, which may be known only from a certificate */
    bool more;  /* the compared program is slower or has other answers */
    int n, status;
} bench_state;

/* Clears the line of progress of experiments/ before anything else is printed. */
static void clear_progress(const iso_cli *cli) {
    if (cli->env.progress != NULL) {
        iso_say(stderr, "\r\033[K");
    }
}

/* Returns the number of processors that a run of any block may need. */
static unsigned most_threads(const iso_suite *s) {
    unsigned most = 1;
    for (size_t b = 0; b < s->n_blocks; b++) {
        unsigned threads = (unsigned)s->blocks[b].settings.threads;
        most = threads > most ? threads : most;
    }
    return most;
}

/* Returns a path that other processes and machines understand; it need not exist. */
static const char *absolute(iso_cli *cli, const char *path) {
    char *folder = path[0] == '/' ? NULL : realpath(".", NULL);
    if (path[0] != '/' && folder == NULL) {
        iso_throw(&cli->env, ISOLAB_E_IO, "the current folder: %s", strerror(errno));
    }
    const char *whole = folder != NULL ? iso_format_text(&cli->pool, "%s/%s", folder, path) : path;
    free(folder);
    return whole;
}

static void by_engine(bench_state *state, iso_bench *bench, const char *suite, const char *output) {
    const values *v = state->v;
    const iso_engine_settings e = {.bench = bench,
                                   .suite = suite,
                                   .output = output,
                                   .submit = v->submit,
                                   .scale = v->scale,
                                   .batch = v->batch,
                                   .program = v->program != NULL ? bench->lab->program : NULL,
                                   .hosts = v->hosts != NULL ? absolute(state->cli, v->hosts) : NULL,
                                   .throttle = v->throttle,
                                   .repeat = v->repeat,
                                   .wait = v->wait,
                                   .dry = v->dry_run};
    if (v->hosts != NULL && access(v->hosts, R_OK) != 0) {
        iso_throw(&state->cli->env, ISOLAB_E_IO, "%s: %s", v->hosts, strerror(errno));
    }
    iso_engine_end end = iso_engine_run(&e, v->engine, &state->summary, stdout);
    if (v->dry_run) {
        iso_say(stdout, "%zu runs are missing, %zu are in the results\n", state->summary.missing,
                state->summary.before);
        return;
    }
    state->begun = true;
    clear_progress(state->cli);
    iso_say(stdout, "%s: results in %s\n", bench->suite->title, output);
    state->status = end == ISO_ENGINE_MISSING                 ? 2
                    : state->summary.state[ISO_RUN_WRONG] > 0 ? 1
                    : state->summary.state[ISO_RUN_CRASH] > 0 ? 2
                                                              : 0;
}

/* Compares two programs: A is the other program, B the measured one. same: the SHA-256 of both, if they are one
 * build. */
static void compare_programs(bench_state *state, const iso_bench *b, const char *same) {
    iso_pool *pool = &state->cli->pool;
    if (same != NULL) {
        iso_say(stdout,
                "both are the same build (sha256 %.12s): it was measured once, and there is nothing to compare\n",
                same);
        return;
    } else if (b->other == NULL) {
        return;
    }
    iso_cells side[2];
    for (int i = 0; i < 2; i++) {
        const char *program = i == 0 ? b->other->program : b->lab->program;
        iso_environment environment = iso_environment_now(pool, program, false);
        side[i] = iso_cells_load(pool, state->results,
                                 &(const iso_filter){.label = environment.program, .suite = b->suite->name});
    }
    state->more = iso_compare(pool, &side[0], &side[1], state->v->measure, stdout) > 0;
}

/* Prints what was measured: mean and deviation, ratio to the fastest, verdicts. */
static void print_brief(bench_state *state, const iso_bench *b, const char *output) {
    enum { MOST_ROWS = 40 };
    iso_pool *pool = &state->cli->pool;
    if (state->v->tasks != NULL || state->summary.runs == 0) { /* it has a part of the results, or there are none */
        return;
    }
    iso_environment environment = iso_environment_now(pool, b->lab->program, strcmp(b->lab->program, b->lab->own) == 0);
    const char *label = b->label[0] != '\0' ? b->label : environment.program;
    iso_cells cells =
        iso_cells_load(pool, state->results, &(const iso_filter){.label = label, .suite = b->suite->name});
    size_t left = cells.n > 0 ? iso_brief(pool, &cells, MOST_ROWS, stdout) : 0;
    const char *busy = iso_cells_busy(pool, &cells);
    if (*cells.marks != '\0') {
        iso_say(stdout, "%s: by what the suite expects, by a certificate, or by contradiction\n", cells.marks);
    }
    for (size_t i = 0; i < cells.n; i++) {
        state->wrong |= cells.at[i].class == ISO_CELL_WRONG;
    }
    if (busy != NULL) {
        iso_say(stdout, "measured on a busy machine: %s; times are longer than they need be\n", busy);
    }
    if (left > 0) {
        iso_say(stdout, "and %zu more rows: isolab plot table %s\n", left, output);
    }
}

/* The programs to run. */
typedef struct programs {
    const char *own, *measured, *against; /* against: NULL: none */
    const char *same;                     /* the SHA-256 of the last two, if they are one build, which is run only
                                           * once */
} programs;

static programs find_programs(iso_cli *cli, const values *v) {
    iso_pool *pool = &cli->pool;
    programs p = {.own = iso_own_program(pool)};
    p.measured = v->program != NULL ? iso_find_program(pool, v->program) : p.own;
    if (p.measured == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--program: there is no program %s", v->program);
    }
    p.against = v->against != NULL ? iso_find_program(pool, v->against) : NULL;
    if (v->against != NULL && p.against == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--against: there is no program %s", v->against);
    }
    char one[65] = "", other[65] = "";
    if (p.against != NULL) {
        iso_digest(&cli->env, p.measured, one);
        iso_digest(&cli->env, p.against, other);
    }
    p.same = p.against != NULL && strcmp(one, other) == 0 ? iso_format_text(pool, "%s", one) : NULL;
    return p;
}

/* Refuses options that the engine does not support. */
static void check_engine_options(iso_cli *cli, const values *v, bool engine) {
    static const char *const of_engines[] = {"dry-run", "wait", "batch", "throttle", "hosts", "submit"};
    for (size_t i = 0; i < sizeof of_engines / sizeof *of_engines; i++) {
        iso_cli_refuse(cli, !engine, of_engines[i], "needs --engine");
    }
    iso_cli_refuse(cli, strcmp(v->engine, "parallel") != 0, "hosts", "is for --engine parallel");
    iso_cli_refuse(cli, strcmp(v->engine, "slurm") != 0, "submit", "is for --engine slurm");
    iso_cli_refuse(cli, strcmp(v->engine, "slurm") != 0, "wait", "is for --engine slurm: others wait anyway");
    iso_cli_refuse(cli, engine, "cpu", "works without --engine: its tasks run where there is room");
    if (v->against != NULL && (engine || v->tasks != NULL)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "--against works without --engine: both programs run on one machine, in turns");
    }
}

/* Returns the file of results if --output does not name one: the part of a task, or a name made from the suite's. */
static const char *output_of(iso_pool *pool, const values *v, const iso_suite *suite) {
    return v->output != NULL  ? v->output
           : v->tasks != NULL ? iso_engine_part(pool, v->tasks, v->task)
                              : iso_format_text(pool, "%s.sqlite", suite->name);
}

/* From --adapters, by way of the environment, where the tasks of an engine find the file, too. */
static void read_adapters(iso_cli *cli, const values *v, iso_adapters *adapters) {
    if (v->adapters != NULL) {
        setenv("ISOLAB_ADAPTERS", absolute(cli, v->adapters), 1);
    }
    iso_adapters_load(adapters, &cli->pool, NULL);
}

/* Instead of the runs. */
static void show(const iso_bench *bench, bool freeze) {
    if (freeze) {
        iso_make_folders(bench->lab->pool, bench->lab->work);
        iso_bench_freeze(bench, stdout);
    } else {
        iso_bench_plan(bench, stdout);
    }
}

static void run_suite(bench_state *state) {
    iso_cli *cli = state->cli;
    const values *v = state->v;
    iso_pool *pool = &cli->pool;
    bool engine = strcmp(v->engine, "local") != 0;
    check_engine_options(cli, v, engine);
    const char *path = engine ? absolute(cli, state->operands[0]) : state->operands[0];
    iso_suite *suite = iso_suite_load(pool, path, v->scale);
    const char *output = output_of(pool, v, suite);
    output = engine ? absolute(cli, output) : output;
    iso_lab_table table = {NULL, NULL};
    iso_adapters adapters;
    read_adapters(cli, v, &adapters);
    const programs p = find_programs(cli, v);
    const char *work = v->work != NULL ? v->work : iso_format_text(pool, "%s.histories", output);
    iso_lab lab = {.pool = pool,
                   .own = p.own,
                   .program = engine ? absolute(cli, p.measured) : p.measured,
                   .table = &table,
                   .adapters = &adapters,
                   .work = engine ? absolute(cli, work) : work,
                   .freezing = v->freeze,
                   .cpu = (int)v->cpu};
    iso_lab other = lab;
    other.program = p.against;
    iso_bench bench = {.lab = &lab,
                       .suite = suite,
                       .label = v->label,
                       .repeat = (unsigned)v->repeat,
                       .progress = cli->env.progress != NULL ? stderr : NULL};
    bench.other = p.against != NULL && p.same == NULL ? &other : NULL;
    iso_cli_know_suite(cli, &lab, suite, v->plan || v->freeze);
    if (v->plan || v->freeze) {
        show(&bench, v->freeze);
        return;
    }
    if (v->cpu != UINT64_MAX && v->cpu > (uint64_t)iso_last_processor()) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--cpu: this machine has processors 0 to %d", iso_last_processor());
    }
    if (!v->dry_run) {
        iso_make_folders(pool, lab.work);
    }
    if (engine) {
        by_engine(state, &bench, path, output);
        return;
    }
    if (v->cpu == UINT64_MAX) {
        lab.cpu = iso_reserve_processors(most_threads(suite));
        other.cpu = lab.cpu = lab.cpu < 0 ? iso_reserve_processors(1) : lab.cpu;
    }
    state->results = iso_results_open(pool, output, v->tasks != NULL ? ISO_RESULTS_SHARED : ISO_RESULTS_WRITE);
    if (v->tasks != NULL) { /* a task ends when its engine has died */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        iso_engine_task(pool, v->tasks, v->task, &bench);
        iso_environment environment = iso_environment_now(pool, p.measured, p.measured == p.own);
        iso_results_any_machine(state->results, v->label, environment.program);
    }
    state->begun = true;
    iso_bench_run(&bench, state->results, &state->summary);
    clear_progress(state->cli);
    iso_say(stdout, "%s: results in %s\n", suite->title, output);
    print_brief(state, &bench, output);
    compare_programs(state, &bench, p.same);
    bool task = v->tasks != NULL; /* a task has done its work, whatever the checkers answered */
    state->status = task                                                                     ? 0
                    : state->summary.unreadable > 0                                          ? ISOLAB_E_INPUT
                    : state->summary.state[ISO_RUN_WRONG] > 0 || state->wrong || state->more ? 1
                    : state->summary.state[ISO_RUN_CRASH] > 0                                ? 2
                                                                                             : 0;
}

static void merge(bench_state *state, int n) {
    iso_pool *pool = &state->cli->pool;
    if (state->v->output == NULL) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE,
                  "--merge: expected --output FILE, which takes over the runs of the others");
    }
    bool made = access(state->v->output, F_OK) != 0; /* a file without runs is no output */
    state->results = iso_results_open(pool, state->v->output, ISO_RESULTS_WRITE);
    for (int i = 0; i < n; i++) {
        uint64_t added;
        if (iso_results_merge(state->results, state->operands[i], &added) != ISOLAB_OK) {
            iso_results_close(state->results);
            if (made) {
                unlink(state->v->output);
            }
            iso_rethrow(pool->env);
        }
        made &= added == 0;
        iso_say(stdout, "%s: %" PRIu64 " new runs\n", state->operands[i], added);
    }
}

/* Opens one side of a comparison: `FILE`, `FILE@LABEL`, or with --output only the label. */
static iso_cells side(bench_state *state, iso_results **results, const char *operand) {
    iso_pool *pool = &state->cli->pool;
    const char *at = strrchr(operand, '@'), *path = operand, *label = NULL;
    if (state->v->output != NULL) {
        path = state->v->output;
        label = operand;
    } else if (at != NULL) {
        path = iso_format_text(pool, "%.*s", (int)(at - operand), operand);
        label = at + 1;
    }
    *results = iso_results_open(pool, path, ISO_RESULTS_READ);
    return iso_cells_load(pool, *results,
                          &(const iso_filter){.label = label, .level = state->v->level, .checker = state->v->checker});
}

static void run_or_compare(void *arg) {
    bench_state *state = arg;
    if (state->v->merge) {
        merge(state, state->n);
        return;
    }
    if (!state->v->compare) {
        run_suite(state);
        return;
    }
    iso_cells a = side(state, &state->results, state->operands[0]), b = side(state, &state->other, state->operands[1]);
    state->status = iso_compare(&state->cli->pool, &a, &b, state->v->measure, stdout) > 0;
}

static void print_summary(const bench_state *state) {
    const iso_bench_summary *s = &state->summary;
    iso_say(stdout, "%zu histories, %zu runs: %zu now, %zu before", s->histories, s->runs, s->now, s->before);
    if (s->missing > 0) {
        iso_say(stdout, ", %zu missing", s->missing);
    }
    if (s->left_out > 0) {
        iso_say(stdout, ", %zu repetitions of what gave no verdict left out", s->left_out);
    }
    iso_say(stdout, "\n");
    for (int i = 0; i < ISO_RUN_STATES; i++) {
        iso_say(stdout, "%s%s %zu", i > 0 ? ", " : "", iso_run_state_name((iso_run_state)i), s->state[i]);
    }
    iso_say(stdout, "\n");
    for (size_t i = 0; i < s->notes && i < ISO_BENCH_NOTES; i++) {
        iso_say(stdout, "%s\n", s->note[i]);
    }
    if (s->notes > ISO_BENCH_NOTES) {
        iso_say(stdout, "and %zu more\n", s->notes - ISO_BENCH_NOTES);
    }
}

static int run_bench(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    if (!v->merge && n != (v->compare ? 2 : 1)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  v->compare ? "--compare: expected two sets of results" : "expected one SUITE");
    }
    if (strlen(v->label) > ISO_LONGEST_NAME) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--label: at most %d bytes", ISO_LONGEST_NAME);
    }
    bench_state state = {.cli = cli, .v = v, .operands = operands, .n = n};
    int code = iso_guard(&cli->env, run_or_compare, &state);
    clear_progress(cli);
    if (state.begun) {
        print_summary(&state);
    }
    iso_results_close(state.results);
    iso_results_close(state.other);
    if (code == ISOLAB_E_INPUT && cli->env.error.file[0] == '\0' && !v->compare) {
        snprintf(cli->env.error.file, sizeof cli->env.error.file, "%s", operands[0]);
    }
    if (code == ISOLAB_E_LIMIT && state.begun) {
        iso_say(stderr, "isolab: %s; the same command goes on from here\n", cli->env.error.message);
        return ISOLAB_E_LIMIT;
    }
    if (code != ISOLAB_OK) {
        iso_rethrow(&cli->env);
    }
    return state.status;
}

/* Options that are only for running a suite. */
#define OF_A_RUN                                                                                                       \
    "scale work program against adapters label repeat cpu engine batch throttle hosts submit wait dry-run tasks"

const iso_command iso_command_bench = {
    .summary = "runs a suite of experiments, or compares results",
    .operands = "SUITE | A B | PART...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .defaults = &(const values){.cpu = UINT64_MAX},
    .options =
        (const iso_option[]){
            {ISO_TEXT("output", NULL, "file of results (default: the suite's name with .sqlite)"), .letter = 'o',
             .of = ISO_OF_FILES, ISO_TO(values, output)},
            {ISO_TEXT("work", NULL, "where generated histories are kept (default: beside the results)"),
             .argument = "DIR", .of = ISO_OF_FILES, ISO_TO(values, work)},
            {ISO_TEXT("program", NULL, "measure this build of isolab instead of the running one"), .argument = "PATH",
             .of = ISO_OF_FILES, ISO_TO(values, program)},
            {ISO_TEXT("against", NULL, "also measure this build, in turns, and compare"), .argument = "PATH",
             .of = ISO_OF_FILES, ISO_TO(values, against)},
            {ISO_TEXT("adapters", NULL, "published and own checkers described in FILE (else in $ISOLAB_ADAPTERS)"),
             .of = ISO_OF_FILES, ISO_TO(values, adapters)},
            {ISO_TEXT("label", "", "name of these results, for --compare"), .argument = "NAME", ISO_TO(values, label)},
            {ISO_COUNT("repeat", NULL, 0, 1000, "number of repetitions (default: the suite's)"),
             ISO_TO(values, repeat)},
            {ISO_WORD("scale", NULL, iso_suite_scales, "take the suite's lines of this scale, too"), .argument = "NAME",
             ISO_TO(values, scale)},
            {ISO_COUNT("cpu", NULL, 0, ISO_ANY,
                       "pin runs to this processor (default: the last one that no other bench uses)"),
             ISO_TO(values, cpu)},
            {ISO_FLAG("plan", "no", "only show the runs"), ISO_TO(values, plan)},
            {ISO_FLAG("freeze", "no", "only make the histories, and print the table of a suite's line `frozen:`"),
             ISO_TO(values, freeze)},
            {ISO_WORD("engine", "local", "local parallel slurm",
                      "run by this process, by GNU parallel, or on a Slurm cluster"),
             .argument = "NAME", ISO_TO(values, engine)},
            {ISO_COUNT("batch", NULL, 0, ISO_ANY, "questions in a task of an engine (default: those of one history)"),
             ISO_TO(values, batch)},
            {ISO_COUNT("throttle", NULL, 0, ISO_ANY, "at most N tasks at once; with parallel on each machine"),
             ISO_TO(values, throttle)},
            {ISO_TEXT("hosts", NULL, "parallel: the machines, one [N/][USER@]HOST a line"), .of = ISO_OF_FILES,
             ISO_TO(values, hosts)},
            {ISO_TEXT("submit", NULL, "slurm: additional options for sbatch, such as --partition=NAME"),
             .argument = "OPTIONS", ISO_TO(values, submit)},
            {ISO_FLAG("wait", "no", "slurm: wait until all tasks have ended"), ISO_TO(values, wait)},
            {ISO_FLAG("dry-run", "no", "only show the tasks, and the engine's commands"), ISO_TO(values, dry_run)},
            {ISO_TEXT("tasks", NULL, "run as a task of an engine, with these files"), .argument = "DIR",
             .of = ISO_OF_FILES, ISO_TO(values, tasks)},
            {ISO_COUNT("task", NULL, 0, ISO_ANY, "the number of this task"), ISO_TO(values, task)},
            {ISO_FLAG("merge", "no", "add to --output the runs of the files PART... that it does not have"),
             ISO_TO(values, merge)},
            {ISO_FLAG("compare", "no",
                      "compare two sets of results: FILE or FILE@LABEL, or labels of the file --output"),
             ISO_TO(values, compare)},
            {ISO_WORD("measure", "wall", "wall cpu load check peak", "the measure for --compare"), .argument = "WHAT",
             ISO_TO(values, measure)},
            {ISO_LIST("level", NULL, "compare only these levels"), .letter = 'l', .of = ISO_OF_LEVELS,
             ISO_TO(values, level)},
            {ISO_LIST("checker", NULL, "compare only these checkers"), .letter = 'c', ISO_TO(values, checker)},
            ISO_END},
    .needs = (const iso_need[]){{"compare", NULL, "merge plan freeze " OF_A_RUN},
                                {"merge", NULL, "plan freeze measure " OF_A_RUN},
                                {"level", "compare", NULL},
                                {"checker", "compare", NULL},
                                {"measure", "compare against", NULL},
                                {"task", "tasks", NULL},
                                {"tasks", "task", NULL},
                                {NULL, NULL, NULL}},
    .details = "Each run is a pinned process, and a row in the file of results, written when the run ends. If "
               "the work is stopped, the same command continues where it stopped. A label, or the beginning of "
               "a commit or of the program's SHA-256, names a set of results. The exit status is 1 if a "
               "verdict was wrong, else 2 if a checker crashed; with --compare 1 if something got slower or "
               "answers otherwise.",
    .examples = "isolab bench experiments/suites/smoke.suite\n"
                "isolab bench --label before -o r.sqlite experiments/suites/weak.suite\n"
                "isolab bench --compare -o r.sqlite before after\n"
                "isolab bench --against ../old/build/isolab --repeat 10 experiments/suites/weak.suite\n"
                "isolab bench --compare old.sqlite new.sqlite@a1b2c3\n"
                "isolab bench --engine slurm --throttle 20 --wait -o r.sqlite experiments/suites/weak.suite\n"
                "isolab bench --engine parallel --hosts machines.txt -o r.sqlite experiments/suites/weak.suite",
    .run = run_bench,
};
