/* See bench.h. */
#include "experiments/runner/bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/sha256.h"
#include "experiments/runner/door.h"
#include "experiments/runner/prove.h"

/* One question (history, level, checker) with all its repetitions. */
typedef struct group {
    iso_suite_question question;
    char key[65];
    int64_t history;
    const char *expected;
    unsigned from, repeat;
    bool other; /* a question to the other program */
    double sum; /* ms of the n finished runs */
    unsigned n;
    bool warm;           /* this process has already run it */
    const char *verdict; /* of its last run; NULL: none */
    double start_up;     /* ms of a published checker; 0: not measured yet, negative: not known */
    bool given_up;       /* it timed out or was refused, so it is not tried again */
} group;

typedef struct runner {
    const iso_bench *bench;
    iso_results *results;
    iso_bench_summary *summary;
    int64_t environment[2]; /* of the program, and of the other program */
    group *groups;
    size_t n, room;
    size_t done, planned;
    int64_t shown;
} runner;

static bool is_published(const group *g) { return iso_adapter_name(g->question.contender->words.at[0]) != NULL; }

/* Returns the time limit of a run of the group in seconds. */
static double timeout_of(const group *g) {
    const iso_suite_settings *s = &g->question.instance->block->settings;
    return s->published_timeout > 0 && is_published(g) ? s->published_timeout : s->timeout;
}

/* Sets the key that decides whether two runs are the same. */
static void make_key(const iso_suite *suite, group *g) {
    const iso_suite_settings *s = &g->question.instance->block->settings;
    char limits[128];
    iso_sha256 sha;
    snprintf(limits, sizeof limits, "%.9g %" PRIu64 " %lu", timeout_of(g), s->memory, s->threads);
    const char *const words[] = {suite->name,       g->question.instance->name,   g->question.instance->sha256,
                                 g->question.level, g->question.contender->label, limits};
    iso_sha256_init(&sha);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        iso_sha256_add(&sha, words[i], strlen(words[i]) + 1);
    }
    for (size_t w = 0; w < g->question.contender->words.n; w++) {
        const char *word = g->question.contender->words.at[w];
        iso_sha256_add(&sha, word, strlen(word) + 1);
    }
    iso_sha256_hex(&sha, g->key);
}

static const iso_contender *contender_of(iso_pool *pool, const iso_suite *suite, const char *label) {
    for (size_t i = 0; i < suite->n_contenders; i++) {
        if (strcmp(suite->contenders[i].label, label) == 0) {
            return &suite->contenders[i];
        }
    }
    iso_contender *plain = ISO_ZNEW(pool, iso_contender, 1);
    plain->label = label;
    plain->words.at = ISO_ZNEW(pool, const char *, 2);
    plain->words.at[0] = label;
    plain->words.n = 1;
    return plain;
}

/* Returns the first repetition that is wanted; 0: none. */
static unsigned wanted_from(const iso_bench *b, const char *history, const char *level, const char *checker) {
    for (size_t i = 0; i < b->n_only; i++) {
        const iso_question_name *o = &b->only[i];
        if (strcmp(o->history, history) == 0 && strcmp(o->level, level) == 0 && strcmp(o->checker, checker) == 0) {
            return o->from;
        }
    }
    return b->only == NULL;
}

/* Makes all groups, in the order of the suite. */
static void plan(runner *r, iso_instances *all) {
    const iso_bench *b = r->bench;
    iso_pool *pool = b->lab->pool;
    for (size_t i = 0; i < all->n; i++) {
        const iso_suite_settings *s = &all->at[i].block->settings;
        for (size_t l = 0; l < s->levels.n; l++) {
            for (size_t c = 0; c < s->checkers.n; c++) {
                unsigned from = wanted_from(b, all->at[i].name, s->levels.at[l], s->checkers.at[c]);
                if (from == 0) {
                    continue;
                }
                for (int side = 0; side < (b->other != NULL ? 2 : 1); side++) {
                    ISO_GROW(pool, r->groups, r->n, r->room);
                    group *g = &r->groups[r->n++];
                    *g = (group){.question = {side == 0 ? b->lab : b->other, &all->at[i], s->levels.at[l],
                                              contender_of(pool, b->suite, s->checkers.at[c]), NULL},
                                 .other = side == 1,
                                 .from = from};
                    g->repeat = b->repeat != 0                                ? b->repeat
                                : s->published_repeat != 0 && is_published(g) ? (unsigned)s->published_repeat
                                                                              : (unsigned)s->repeat;
                    g->expected = iso_instance_expected(b->lab, b->suite, &all->at[i], g->question.level);
                    r->planned += g->repeat < from ? 0 : g->repeat - from + 1;
                }
            }
        }
    }
}

/* Estimates the time of a run of the group: from its earlier runs, else per operation from those of the same checker
 * and level, else from all runs. An unknown time is bounded by the group's timeout. */
static double guess(const runner *r, const group *g, double all_ms, double all_n) {
    double most = timeout_of(g) * 1e3;
    if (g->n > 0) {
        return fmin(most, g->sum / g->n);
    }
    double ms = 0, operations = 0, n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const group *o = &r->groups[i];
        if (o->n > 0 && strcmp(o->question.level, g->question.level) == 0 &&
            strcmp(o->question.contender->label, g->question.contender->label) == 0) {
            ms += o->sum / o->n;
            operations += (double)o->question.instance->operations;
            n++;
        }
    }
    if (operations > 0 && g->question.instance->operations == 0) { /* the history is not made yet */
        return fmin(most, ms / n);
    }
    if (operations > 0) {
        return fmin(most, fmax(5, ms / operations * (double)g->question.instance->operations));
    }
    return fmin(most, all_n > 0 ? all_ms / all_n : most);
}

static void show_time(FILE *out, double ms) {
    double s = ms / 1e3;
    if (s < 90) {
        iso_say(out, "%.0f s", s);
    } else if (s < 5400) {
        iso_say(out, "%.0f min", s / 60);
    } else {
        iso_say(out, "%.1f h", s / 3600);
    }
}

/* Shows, at most five times a second: finished runs, the current run, the estimated and the longest possible remaining
 * time. The terminal must not wrap meanwhile, since a part of a wrapped line would stay. */
static void show(runner *r, const group *now, unsigned repetition) {
    FILE *out = r->bench->progress;
    int64_t t = iso_now();
    if (out == NULL || t - r->shown < 200000000) {
        return;
    }
    r->shown = t;
    double all_ms = 0, all_n = 0, left = 0, most = 0;
    for (size_t i = 0; i < r->n; i++) {
        all_ms += r->groups[i].sum;
        all_n += r->groups[i].n;
    }
    for (size_t i = 0; i < r->n; i++) {
        const group *g = &r->groups[i];
        unsigned from = g < now ? repetition : repetition - 1;
        from = from < g->from - 1 ? g->from - 1 : from;
        unsigned runs = g->given_up || g->repeat < from ? 0 : g->repeat - from;
        left += runs * guess(r, g, all_ms, all_n);
        most += runs * timeout_of(g) * 1e3;
    }
    iso_say(out, "\r\033[K\033[?7l%s: %zu of %zu runs; %.40s %s %.30s; about ", r->bench->suite->name, r->done,
            r->planned, now->question.instance->name, now->question.level, now->question.contender->label);
    show_time(out, left);
    iso_say(out, " left, at most ");
    show_time(out, most);
    iso_say(out, "\033[?7h\r");
    fflush(out);
}

static void note(runner *r, const group *g, const iso_run *run) {
    iso_bench_summary *s = r->summary;
    if (s->notes < ISO_BENCH_NOTES) {
        s->note[s->notes] = iso_format_text(r->bench->lab->pool, "%s: %s %s %s: %s", iso_run_state_name(run->state),
                                            g->question.instance->name, g->question.level, g->question.contender->label,
                                            run->state == ISO_RUN_WRONG
                                                ? iso_format_text(r->bench->lab->pool, "said %s, expected %s",
                                                                  run->verdict != NULL ? run->verdict : "nothing",
                                                                  run->expected != NULL ? run->expected : "nothing")
                                            : run->reason != NULL ? run->reason
                                                                  : "");
    }
    s->notes++;
}

static void count(runner *r, const group *g, const iso_run *run) {
    r->summary->state[run->state]++;
    r->summary->runs++;
    if (run->repetition == 1 && (run->state == ISO_RUN_WRONG || run->state == ISO_RUN_CRASH)) {
        note(r, g, run);
    }
}

/* Counts a run that the results already contain. */
static void take_over(runner *r, const group *g, unsigned repetition, iso_run before) {
    before.repetition = repetition;
    before.expected = g->expected;
    before.reason = "as found before";
    r->summary->before++;
    count(r, g, &before);
}

static bool gives_up(iso_run_state state) { return state != ISO_RUN_OK && state != ISO_RUN_WRONG; }

static const char *command_of(iso_pool *pool, const iso_job *job) {
    const char *text = iso_base_name(job->argv[0]);
    for (size_t i = 1; job->argv[i] != NULL; i++) {
        text = iso_format_text(pool, "%s %s", text, iso_shell_word(pool, job->argv[i]));
    }
    return text;
}

/* Returns the phases of a published checker's run, with its start-up, which is measured once for each tool and
 * level. */
static const char *with_start_up(runner *r, iso_pool *pool, group *g, const char *phases) {
    for (size_t i = 0; g->start_up == 0 && i < r->n; i++) {
        const group *other = &r->groups[i];
        bool same = other->question.foreign != NULL &&
                    other->question.foreign->tool.adapter == g->question.foreign->tool.adapter &&
                    strcmp(other->question.level, g->question.level) == 0;
        g->start_up = same ? other->start_up : 0;
    }
    g->start_up = g->start_up != 0 ? g->start_up : iso_door_start_up(&g->question);
    return g->start_up > 0 ? iso_phases_with(pool, phases, "start-up", g->start_up) : phases;
}

static void run_once(runner *r, iso_pool *pool, group *g, unsigned repetition) {
    iso_run run = {.state = ISO_RUN_OK};
    if (iso_results_has(r->results, r->environment[g->other], g->key, repetition, &run)) {
        take_over(r, g, repetition, run);
    } else {
        const iso_suite_settings *s = &g->question.instance->block->settings;
        run = (iso_run){.suite = r->bench->suite->name,
                        .level = g->question.level,
                        .checker = g->question.contender->label,
                        .repetition = repetition,
                        .expected = g->expected};
        iso_job job = {.argv = NULL};
        const char *refused = g->question.foreign != NULL ? g->question.foreign->refused : NULL;
        for (unsigned long w = g->warm ? 0 : s->warmup; refused == NULL; w--) {
            job = iso_door_job(pool, &g->question);
            run.load = iso_environment_load();
            iso_run_jobs(pool, &job, 1, 1);
            if (w == 0) {
                break;
            }
        }
        g->warm = true;
        if (refused == NULL) {
            iso_door_judge(pool, &g->question, &job, &run);
            run.phases = g->question.foreign != NULL ? with_start_up(r, pool, g, run.phases) : run.phases;
            run.command = command_of(pool, &job);
        } else {
            run.state = g->question.foreign->tool.path == NULL ? ISO_RUN_ABSENT : ISO_RUN_UNSUPPORTED;
            run.reason = refused;
        }
        iso_results_add(r->results, r->environment[g->other], g->history, g->key, &run);
        r->summary->now++;
        count(r, g, &run);
    }
    g->sum += run.wall_ms;
    g->n++;
    g->verdict = iso_verdict_word(run.verdict);
    g->given_up = gives_up(run.state);
    r->done++;
}

typedef struct step {
    runner *r;
    iso_pool *pool; /* for one run */
    group *g;
    unsigned repetition;
} step;

static void guarded_step(void *arg) {
    step *s = arg;
    run_once(s->r, s->pool, s->g, s->repetition);
}

static void one(runner *r, group *g, unsigned repetition) {
    iso_pool pool;
    iso_pool_init(&pool, r->bench->lab->pool->env);
    step s = {r, &pool, g, repetition};
    iso_guard_pool(&pool, guarded_step, &s);
}

static bool of_one_history(const runner *r, size_t i, size_t k) {
    return r->groups[i].question.instance == r->groups[k].question.instance;
}

static size_t histories_of(const runner *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        n += i == 0 || !of_one_history(r, i - 1, i);
    }
    return n;
}

/* Proves the verdicts that have no proof so far. */
static void guarded_proof(void *arg) {
    step *s = arg;
    const group *g = s->g;
    iso_prove(s->pool, s->r->results, &g->question, s->r->environment[g->other], g->history, g->verdict);
}

static void prove_groups(runner *r, size_t from, size_t end) {
    FILE *out = r->bench->progress;
    for (size_t i = from; i < end; i++) {
        group *g = &r->groups[i];
        if (g->verdict == NULL || g->other || g->question.instance->block->settings.unproved ||
            !iso_prove_can(&g->question)) {
            continue;
        }
        if (out != NULL) {
            iso_say(out, "\r\033[K\033[?7l%s: certificate %zu of %zu: %.60s %s\033[?7h\r", r->bench->suite->name, i + 1,
                    r->n, g->question.instance->name, g->question.level);
        }
        iso_pool pool;
        iso_pool_init(&pool, r->bench->lab->pool->env);
        step s = {r, &pool, g, 0};
        iso_guard_pool(&pool, guarded_proof, &s);
    }
}

/* Leaves out a group of a history that could not be recorded or read, and says so once. */
static void leave_out(runner *r, group *g, bool first) {
    r->planned -= g->repeat < g->from ? 0 : g->repeat - g->from + 1;
    r->summary->left_out += g->repeat;
    g->repeat = 0;
    iso_bench_summary *s = r->summary;
    if (first) {
        iso_results_leave_out(r->results, r->environment[g->other], r->bench->suite->name, g->question.instance->name);
        s->histories--;
        if (s->notes < ISO_BENCH_NOTES) {
            s->note[s->notes] = iso_format_text(r->bench->lab->pool, "left out: %s: %s", g->question.instance->name,
                                                g->question.instance->absent);
        }
        s->notes++;
    }
}

/* Returns the instance of a group, not const. */
static iso_instance *instance_of(iso_instances *all, const group *g) {
    return &all->at[g->question.instance - all->at];
}

/* Makes the history of a group, just before its first run: so the first results of a long suite come soon, and a limit
 * of the whole suite leaves whole cells. */
static void prepare(runner *r, iso_instances *all, size_t i) {
    const iso_bench *b = r->bench;
    group *g = &r->groups[i];
    bool first = i == 0 || g->question.instance != g[-1].question.instance;
    if (first && b->progress != NULL) {
        iso_say(b->progress, "\r\033[K\033[?7l%s: making %.60s\033[?7h\r", b->suite->name, g->question.instance->name);
    }
    iso_instance *instance = instance_of(all, g);
    if (instance->absent == NULL) {
        iso_instance_prepare(b->lab, instance);
        r->summary->unreadable += instance->absent != NULL && instance->block->source == ISO_FROM_FILES;
    }
    if (g->question.instance->absent != NULL) {
        leave_out(r, g, first);
        return;
    }
    make_key(b->suite, g);
    const char *foreign = iso_adapter_name(g->question.contender->words.at[0]);
    if (foreign != NULL) {
        g->question.foreign = iso_foreign_prepare(b->lab, g->question.instance, foreign, g->question.level);
    }
    g->history = first ? iso_results_history(r->results, g->question.instance) : g[-1].history;
}

void iso_bench_forget_absent(const iso_lab *lab, iso_results *results) {
    for (size_t i = 0; i < lab->adapters->n; i++) {
        const iso_adapter *adapter = &lab->adapters->list[i];
        if (iso_adapter_program(lab->pool, adapter) != NULL) {
            iso_results_forget(results, iso_foreign_absence(lab->pool, adapter));
        }
    }
}

/* Measures one run of a group, unless it is in the results or was given up. */
static void turn(runner *r, iso_instances *all, size_t i, unsigned repetition) {
    group *g = &r->groups[i];
    r->summary->missing = r->planned - r->done;
    if (repetition == 1) {
        prepare(r, all, i);
    }
    if (repetition >= g->from && repetition <= g->repeat && g->given_up) {
        r->summary->left_out++;
        r->done++;
    } else if (repetition >= g->from && repetition <= g->repeat) {
        show(r, g, repetition);
        one(r, g, repetition);
    }
    r->summary->missing = r->planned - r->done;
}

/* Writes what is planned into the results, for each program. */
static void write_plan(runner *r) {
    const iso_bench *b = r->bench;
    iso_planned *planned = ISO_NEW(b->lab->pool, iso_planned, r->n);
    for (int side = 0; side < (b->other != NULL ? 2 : 1); side++) {
        const char *program = side == 0 ? b->lab->program : b->other->program;
        iso_environment environment = iso_environment_now(b->lab->pool, program, strcmp(program, b->lab->own) == 0);
        r->environment[side] = iso_results_environment(r->results, &environment, b->label);
        size_t n = 0;
        for (size_t i = 0; i < r->n; i++) {
            const group *g = &r->groups[i];
            if (g->other == (side == 1)) {
                planned[n++] = (iso_planned){g->question.instance->name, g->question.instance->family,
                                             g->question.level, g->question.contender->label, g->repeat};
            }
        }
        iso_results_plan(r->results, r->environment[side], b->suite->name, planned, n);
    }
    iso_free(b->lab->pool, planned);
}

void iso_bench_write_plan(const iso_bench *b, iso_results *results) {
    runner r = {.bench = b, .results = results};
    iso_instances all = iso_instances_of(b->lab, b->suite);
    plan(&r, &all);
    write_plan(&r);
}

void iso_bench_run(const iso_bench *b, iso_results *results, iso_bench_summary *summary) {
    const iso_lab *lab = b->lab;
    runner r = {.bench = b, .results = results, .summary = summary};
    *summary = (iso_bench_summary){.histories = 0};
    iso_instances all = iso_instances_of(lab, b->suite);
    plan(&r, &all);
    write_plan(&r);
    iso_bench_forget_absent(lab, results);
    summary->histories = histories_of(&r);
    if (b->only != NULL && r.n != b->n_only) {
        iso_throw(lab->pool->env, ISOLAB_E_INPUT, "%zu of %zu questions are not in the suite (any more)",
                  b->n_only - r.n, b->n_only);
    }
    unsigned most = 0;
    for (size_t i = 0; i < r.n; i++) {
        most = r.groups[i].repeat > most ? r.groups[i].repeat : most;
    }
    for (unsigned repetition = 1; repetition <= most; repetition++) {
        for (size_t i = 0, first = 0; i < r.n; i++) {
            first = of_one_history(&r, first, i) ? first : i;
            turn(&r, &all, i, repetition);
            if (repetition == 1 && (i + 1 == r.n || !of_one_history(&r, i, i + 1))) {
                prove_groups(&r, first, i + 1); /* now, so that a limit of the whole suite takes no proofs */
            }
        }
    }
    prove_groups(&r, 0, r.n);
}

size_t iso_bench_look(const iso_bench *b, iso_results *results, iso_bench_summary *summary,
                      iso_missing_question **missing_questions) {
    const iso_lab *lab = b->lab;
    runner r = {.bench = b, .results = results, .summary = summary};
    *summary = (iso_bench_summary){.histories = 0};
    iso_instances all = iso_instances_of(lab, b->suite);
    plan(&r, &all);
    summary->histories = histories_of(&r);
    *missing_questions = ISO_NEW(lab->pool, iso_missing_question, r.n);
    size_t n = 0;
    for (size_t i = 0; i < r.n; i++) {
        group *g = &r.groups[i];
        const iso_suite_settings *s = &g->question.instance->block->settings;
        bool known = results != NULL && iso_instance_known(lab, instance_of(&all, g));
        unsigned missing = 0, from = 0;
        if (known) {
            make_key(b->suite, g);
        }
        for (unsigned repetition = 1; repetition <= g->repeat; repetition++) {
            iso_run run = {.state = ISO_RUN_OK};
            if (g->given_up) {
                summary->left_out++;
            } else if (known && iso_results_has(results, 0, g->key, repetition, &run)) {
                take_over(&r, g, repetition, run);
                g->given_up = gives_up(run.state);
            } else {
                from = missing++ == 0 ? repetition : from;
            }
        }
        summary->missing += missing;
        if (missing > 0) {
            (*missing_questions)[n++] = (iso_missing_question){
                {g->question.instance->name, g->question.level, g->question.contender->label, from},
                (missing + (double)s->warmup) * (timeout_of(g) + 5),
                s->memory,
                (unsigned)s->threads};
        }
    }
    return n;
}

void iso_bench_plan(const iso_bench *b, FILE *out) {
    runner r = {.bench = b};
    iso_instances all = iso_instances_of(b->lab, b->suite);
    plan(&r, &all);
    for (size_t i = 0; i < r.n; i++) {
        const group *g = &r.groups[i];
        iso_say(out, "%s\t%s\t%s\t%u times\t%s\n", g->question.instance->name, g->question.level,
                g->question.contender->label, g->repeat, g->question.instance->source);
    }
    iso_say(out, "%zu histories, %zu questions, %zu runs\n", all.n, r.n, r.planned);
}

void iso_bench_freeze(const iso_bench *b, FILE *out) {
    iso_instances all = iso_instances_of(b->lab, b->suite);
    for (size_t i = 0; i < all.n; i++) {
        iso_instance_prepare(b->lab, &all.at[i]);
        iso_say(out, "%s\t%s\n", all.at[i].name, all.at[i].sha256);
    }
}
