/* `isolab shrink`: finds the smallest history that still shows an anomaly, or on which a command still has the same
 * result. */
#define _GNU_SOURCE
#include "shrink/shrink.h"

#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "base/process.h"
#include "checkers/ladder.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/save.h"
#include "collectors/collector.h"
#include "explain/story.h"
#include "history/about.h"
#include "shrink/edit.h"
#include "shrink/prefix.h"

typedef struct values {
    const char *level, *checker, *anomaly, *command, *match, *to, *output;
    iso_cli_reading reading;
    uint64_t status, tests;
    int64_t run_timeout;
    bool verify, verbose, keep_names, keep_sessions, slice, no_session_order;
} values;

#define ANY_STATUS UINT64_MAX
#define MOST_ANOMALIES 1000 /* limit of anomalies of a large history that are left out at once */

/* Where values repeat, a test may take much longer than the first look at the whole history did. It is given up, as if
 * the anomaly were gone, after this many times as long and this many ns more. */
#define TEST_FACTOR 4
#define TEST_TIME ((int64_t)2000000000)

typedef struct shrink_state {
    iso_cli *cli;
    const values *v;
    iso_pool pool;           /* for one test */
    iso_pool part[2], marks; /* for the part of the history in which the anomaly is searched for, and for the next
                              * part */
    int at;
    /* in-process */
    const iso_checker *checker; /* NULL: auto, chosen for each history */
    iso_question question;
    iso_anomaly_kind kind;    /* ISO_A_KINDS: any kind */
    bool all;                 /* ask for every anomaly, up to MOST_ANOMALIES */
    iso_levels keeps;         /* weaker levels that must be satisfied */
    int64_t test_time;        /* limit of a test, in ns; 0 = none */
    uint64_t tests, given_up; /* tests so far, and the ones that the limit ended */
    uint32_t smallest;        /* transactions of the smallest history that passed */
    int64_t next_line;        /* --verbose: when the next line of progress is due */
    char line[128];           /* of progress */
    /* by a command */
    const iso_format *told; /* the format in which the command gets the history */
    const char *shell;      /* the command with its braces replaced */
    char *folder, *file;
    regex_t *match; /* NULL: none */
    int status;     /* the exit status to keep; signals are 256 + the signal, time-outs 1024 */
} shrink_state;

static void answer(shrink_state *state, const isolab_history *h, iso_result *result, bool certificate) {
    iso_question question = state->question;
    const iso_checker *c = state->checker != NULL ? state->checker : iso_checker_auto(h, &question);
    question.certificate = certificate;
    /* In a small history few anomalies hide each other, so all are requested. */
    question.all = c != NULL && (h->n_txns <= 64 || state->all) && (c->can & ISO_CAN_ALL);
    question.limit = state->all ? MOST_ANOMALIES : 0;
    iso_result_init(result, &state->pool);
    if (c != NULL) {
        iso_check(c, h, &question, result);
    }
}

typedef struct timed_step {
    shrink_state *state;
    const isolab_history *h;
    iso_result *result;
    bool certificate;
    iso_levels levels; /* to climb */
} timed_step;

/* Takes a step within the time of a test, and throws if the user's limit ends it. */
static void take_step(timed_step *t, void (*step)(void *)) {
    iso_env *env = &t->state->cli->env;
    int64_t deadline = env->limits->deadline, own = t->state->test_time != 0 ? iso_now() + t->state->test_time : 0;
    bool user = own == 0 || (deadline != 0 && deadline < own);
    if (iso_guard_until(env, user ? deadline : own, step, t) != ISOLAB_OK) {
        iso_rethrow(env);
    }
    iso_tick_slow(env);
}

static void answer_step(void *arg) {
    timed_step *t = arg;
    answer(t->state, t->h, t->result, t->certificate);
}

static void answer_soon(shrink_state *state, const isolab_history *h, iso_result *result, bool certificate) {
    take_step(&(timed_step){state, h, result, certificate, 0}, answer_step);
}

/* Returns the same question at another level, for any checker of that level. */
static shrink_state at_level(const shrink_state *state, iso_level level) {
    shrink_state other = *state;
    other.checker = NULL;
    other.question = (iso_question){.level = level};
    iso_pool_init(&other.pool, state->pool.env);
    return other;
}

/* Returns whether the levels that the anomaly keeps are satisfied: a long fork must not become a fractured read. */
static bool keeps_levels(shrink_state *state, const isolab_history *h) {
    bool kept = true;
    for (int l = 0; l < iso_n_levels && kept; l++) {
        if (state->keeps & ISO_LEVEL_BIT(l)) {
            shrink_state other = at_level(state, (iso_level)l);
            iso_result result;
            answer_soon(&other, h, &result, false);
            kept = result.verdict != ISOLAB_VIOLATED;
            iso_pool_free(&other.pool);
        }
    }
    return kept;
}

/* Asks about levels; checker NULL: the default checker of each level. */
static iso_ladder climb(iso_asker *asking, iso_pool *pool, const isolab_history *h, const iso_checker *checker,
                        iso_levels levels) {
    iso_asker_init(asking, pool, h, &(const iso_question){.certificate = true, .limit = 1});
    asking->whom = checker != NULL ? ISO_WHOM_ONE : ISO_WHOM_AUTO;
    asking->checker = checker;
    return iso_ladder_climb(asking, levels);
}

/* Returns the levels below the requested one that an anomaly does not break by itself. */
static iso_levels kept_by(const shrink_state *state, iso_anomaly_kind kind) {
    iso_levels kept = iso_level_and_weaker(state->question.level) & ~ISO_LEVEL_BIT(state->question.level);
    iso_level breaks = kind == ISO_A_KINDS ? ISO_NO_LEVEL : iso_anomaly_get(kind)->breaks;
    for (int l = 0; l < iso_n_levels && breaks != ISO_NO_LEVEL; l++) {
        kept &= (iso_level_and_weaker((iso_level)l) & ISO_LEVEL_BIT(breaks)) ? ~ISO_LEVEL_BIT(l) : ~(iso_levels)0;
    }
    return kept;
}

static void climb_step(void *arg) {
    timed_step *t = arg;
    iso_asker asking;
    iso_pool pool;
    iso_pool_init(&pool, t->state->pool.env);
    t->levels = climb(&asking, &pool, t->h, NULL, t->levels).strongest;
    iso_pool_free(&pool);
}

/* Of these levels, the levels that h satisfies (NULL: all of them) must stay satisfied; levels that they imply need no
 * test. */
static void keep_levels(shrink_state *state, iso_levels levels, const isolab_history *h) {
    if (h != NULL) {
        timed_step t = {.state = state, .h = h, .levels = levels};
        take_step(&t, climb_step);
        levels = t.levels;
    }
    state->keeps = levels;
    for (int l = 0; l < iso_n_levels; l++) {
        if (levels & ISO_LEVEL_BIT(l)) {
            state->keeps &= ~iso_level_and_weaker((iso_level)l) | ISO_LEVEL_BIT(l);
        }
    }
}

/* Says which history is tested next, and how small the smallest one is. */
static void tell_test(shrink_state *state, const isolab_history *h) {
    iso_env *env = &state->cli->env;
    char smallest[48] = "";
    if (state->smallest != 0) {
        snprintf(smallest, sizeof smallest, "; the smallest so far has %u", state->smallest);
    }
    snprintf(state->line, sizeof state->line, "shrinking: test %" PRIu64 ", of %u transactions, %u operations%s",
             ++state->tests, h->n_txns, h->n_ops, smallest);
    iso_progress(env, state->line, 0, 0);
    if (state->v->verbose && iso_now() >= state->next_line) {
        iso_clear_progress();
        iso_say(stderr, "%s\n", state->line);
        state->next_line = iso_now() + 1000000000;
    }
}

static bool shows_anomaly(void *arg, const isolab_history *h) {
    shrink_state *state = arg;
    iso_env *env = &state->cli->env;
    iso_progress_fn *progress = env->progress;
    iso_result result;
    tell_test(state, h);
    env->progress = NULL; /* the line is about this test, not about its stages */
    answer_soon(state, h, &result, false);
    bool yes = result.verdict == ISOLAB_VIOLATED && (state->kind == ISO_A_KINDS || result.seen[state->kind] > 0);
    state->given_up += result.verdict == ISOLAB_UNKNOWN && result.reason_code == ISO_REASON_TIME;
    iso_pool_free(&state->pool);
    yes = yes && keeps_levels(state, h);
    env->progress = progress;
    state->smallest = yes ? h->n_txns : state->smallest;
    return yes;
}

static int run_command(shrink_state *state, const isolab_history *h, bool *matches) {
    const char *argv[] = {"/bin/sh", "-c", state->shell, "sh", state->file, NULL};
    iso_save(&state->pool, h, state->file, state->told);
    iso_job run = {.argv = argv, .timeout = state->v->run_timeout};
    iso_run_jobs(&state->pool, &run, 1, 1);
    if (run.end == ISO_JOB_NOT_STARTED) {
        iso_throw(&state->cli->env, ISOLAB_E_IO, "%s", run.why);
    }
    *matches = state->match == NULL || regexec(state->match, run.out, 0, NULL, 0) == 0 ||
               regexec(state->match, run.err, 0, NULL, 0) == 0;
    return run.end == ISO_JOB_EXITED ? run.code : run.end == ISO_JOB_SIGNALLED ? 256 + run.code : 1024;
}

static bool shows_status(void *arg, const isolab_history *h) {
    shrink_state *state = arg;
    bool matches;
    iso_losses losses;
    if (h->n_ops == 0 && state->told->read != NULL && iso_survey(h, state->told, &losses) > 0) {
        return false; /* in some formats an empty file is not a history */
    }
    if (state->v->level != NULL ? !shows_anomaly(state, h) : !keeps_levels(state, h)) {
        return false;
    }
    int status = run_command(state, h, &matches);
    iso_pool_free(&state->pool);
    return status == state->status && matches;
}

static void find_kind(shrink_state *state) {
    state->kind = ISO_A_KINDS;
    for (int k = 0; state->v->anomaly != NULL && k < ISO_A_KINDS && state->kind == ISO_A_KINDS; k++) {
        if (iso_anomaly_is((iso_anomaly_kind)k, state->v->anomaly)) {
            state->kind = (iso_anomaly_kind)k;
        }
    }
    if (state->v->anomaly != NULL && strcasecmp(state->v->anomaly, "any") != 0 && state->kind == ISO_A_KINDS) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "there is no anomaly \"%s\"", state->v->anomaly);
    }
}

/* The transactions of an anomaly, of its premises, and those whose reads these use. */
typedef struct marks {
    const isolab_history *h;
    uint8_t *hint;
} marks;

static void mark_edge(void *arg, const iso_word_step *step) {
    const marks *m = arg;
    const iso_edge *e = step->edge;
    uint32_t reader = e->reader_op < m->h->n_ops ? m->h->op_txn[e->reader_op] : ISO_NONE;
    const uint32_t txns[3] = {e->from, e->to, reader};
    for (int i = 0; i < 3; i++) {
        if (txns[i] < m->h->n_txns) {
            m->hint[txns[i]] = 1;
        }
    }
}

/* Returns whether an anomaly is a value that more transactions overwrote than wrote. */
static bool is_counted(const iso_anomaly *a) { return a->kind == ISO_A_LOST_UPDATE && a->n_cycle == 0; }

static void mark(const isolab_history *h, const iso_result *r, const iso_anomaly *a, uint8_t *hint) {
    const uint32_t ops[2] = {a->op, a->other_op};
    for (int i = 0; i < 2; i++) {
        if (ops[i] < h->n_ops) {
            hint[h->op_txn[ops[i]]] = 1;
        }
    }
    for (uint32_t o = 0; is_counted(a) && o < h->n_ops; o++) { /* all that read the value or wrote it are counted */
        hint[h->op_txn[o]] |= h->op_kind[o] != ISO_LIST_READ && h->op_version[o] == h->op_version[a->op];
    }
    iso_each_step(h, r, a, mark_edge, &(marks){h, hint});
}

/* Finds the weakest violated level, if no level is given. */
static void find_level(shrink_state *state, const isolab_history *h) {
    iso_asker asking;
    iso_ladder ladder = climb(&asking, &state->pool, h, state->checker, ISO_ALL_LEVELS);
    iso_pool_free(&state->pool);
    for (int l = 0; l < iso_n_levels; l++) {
        if (ladder.broken_first & ISO_LEVEL_BIT(l)) {
            state->question.level = l;
            return;
        }
    }
    iso_throw(&state->cli->env, ladder.unknown != 0 ? ISOLAB_E_LIMIT : ISOLAB_E_INPUT,
              ladder.unknown != 0 ? "no level is known to be violated, and some are not known"
                                  : "no level is violated, so there is nothing to keep");
}

/* Returns the first anomaly of the kind that is to be kept; NULL: none is reported. */
static const iso_anomaly *of_kind(const shrink_state *state, const iso_result *r) {
    for (uint32_t i = 0; i < r->n_anomalies; i++) {
        if (state->kind == ISO_A_KINDS || r->anomalies[i].kind == state->kind) {
            return &r->anomalies[i];
        }
    }
    return NULL;
}

/* Returns the history with only the marked transactions, or without them. */
static const isolab_history *part_of(shrink_state *state, const isolab_history *h, const uint8_t *marked, bool only) {
    iso_pool *pool = &state->part[1 - state->at];
    uint8_t *out = ISO_NEW(pool, uint8_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        out[t] = (marked[t] != 0) != only;
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_txn = out;
    e.slice = state->v->slice || !h->unique;
    return iso_edited(pool, h, &e);
}

static uint32_t last_marked(const isolab_history *h, const uint8_t *in) {
    uint32_t t = h->n_txns;
    while (t > 0 && !in[t - 1]) {
        t--;
    }
    return t > 0 ? t - 1 : ISO_NONE;
}

/* Marks a transaction of each anomaly by which h violates a level that must be kept; levels for which all anomalies are
 * reported come first. Returns false if there is none. */
static bool mark_unwanted(shrink_state *state, const isolab_history *h, iso_pool *pool, uint8_t *out) {
    iso_levels kept = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        kept |= (state->keeps & ISO_LEVEL_BIT(l)) ? iso_level_and_weaker((iso_level)l) : 0;
    }
    bool any = false;
    for (int l = 0; l < iso_n_levels && !any; l++) {
        if ((kept & ISO_LEVEL_BIT(l)) == 0) {
            continue;
        }
        shrink_state other = at_level(state, (iso_level)l);
        iso_result result;
        other.all = true;
        answer_soon(&other, h, &result, true);
        uint8_t *in = ISO_NEW(pool, uint8_t, h->n_txns);
        for (uint32_t i = 0; i < result.n_anomalies; i++) {
            memset(in, 0, h->n_txns);
            mark(h, &result, &result.anomalies[i], in);
            uint32_t last = last_marked(h, in);
            if (last != ISO_NONE) {
                out[last] = 1;
                any = true;
            }
        }
        iso_free(pool, in);
        iso_pool_free(&other.pool);
    }
    return any;
}

/* Returns whether a part of the history shows the anomaly, and keeps the levels. */
static bool shows(shrink_state *state, const isolab_history *h) {
    return state->shell != NULL ? shows_status(state, h) : shows_anomaly(state, h);
}

/* Makes a part of the history the current one. */
static void use_part(shrink_state *state, const isolab_history **h, const isolab_history *part, iso_result *result) {
    iso_pool_free(&state->part[state->at]);
    state->at = 1 - state->at;
    *h = part;
    iso_pool_free(&state->pool);
    answer(state, *h, result, true);
}

/* Searches for a part of the history in which the levels that the anomaly keeps hold. Its own transactions may be
 * enough. Otherwise the transactions of other anomalies are left out, and the rest is tested again (most checkers
 * report one anomaly of a large history). Sets *h to the part that shows it, and the result to the answer for it. */
static bool look_for(shrink_state *state, const isolab_history **h, iso_result *result) {
    enum { TIMES = 200 };
    for (int times = 0; times < TIMES && result->verdict == ISOLAB_VIOLATED; times++) {
        iso_pool_free(&state->marks);
        iso_tick(&state->cli->env);
        bool shown = result->seen[state->kind] > 0;
        const iso_anomaly *a = of_kind(state, result);
        a = a == NULL && result->n_anomalies > 0 ? &result->anomalies[0] : a;
        if (a == NULL) {
            return false;
        }
        uint8_t *in = ISO_ZNEW(&state->marks, uint8_t, (*h)->n_txns),
                *out = ISO_ZNEW(&state->marks, uint8_t, (*h)->n_txns);
        mark(*h, result, a, in);
        const isolab_history *alone = part_of(state, *h, in, true);
        if (shows(state, alone)) {
            use_part(state, h, alone, result);
            return true;
        }
        iso_pool_free(&state->part[1 - state->at]);
        bool unwanted = mark_unwanted(state, *h, &state->marks, out);
        if (shown && !unwanted && shows(state, *h)) {
            answer(state, *h, result, true);
            return true;
        }
        uint32_t last = last_marked(*h, in);
        if (!unwanted && last == ISO_NONE) {
            return false;
        } else if (!unwanted) {
            out[last] = 1;
        }
        use_part(state, h, part_of(state, *h, out, false), result);
    }
    return false;
}

/* Chooses the part of the history to shrink, and the anomaly to keep, together with the levels that it does not break,
 * if they hold in some part; else with the levels that hold where it is shown. Sets the answer for that part. */
static void choose(shrink_state *state, const isolab_history **h, iso_result *result) {
    const isolab_history *whole = *h;
    iso_levels kept = kept_by(state, state->kind);
    keep_levels(state, kept, NULL);
    if (look_for(state, h, result)) {
        return;
    }
    state->keeps = 0;
    use_part(state, h, whole, result);
    if (!look_for(state, h, result)) {
        iso_throw(&state->cli->env, ISOLAB_E_INPUT, "level %s is violated, but not by %s",
                  iso_level_get(state->question.level)->name, iso_anomaly_get(state->kind)->name);
    }
    keep_levels(state, kept, *h);
}

/* Where values repeat, searches for the shortest prefix that violates the level, too: at first by doubling its length,
 * then by bisection. Most of a long history comes after what is wrong in it, or has nothing to do with it, and a long
 * history of repeated values cannot be shrunk, since every test of a large part takes long. Sets *h and the answer. */
static void choose_prefix(shrink_state *state, const isolab_history **h, iso_result *result) {
    enum { SHORTEST = 32, PRECISION = 16 };
    uint32_t n, low = 0, high = SHORTEST;
    iso_anomaly_kind kind = state->kind;
    int64_t *instant = (*h)->unique ? NULL : iso_prefix_instants(&state->cli->pool, *h, &n);
    if (instant == NULL) {
        return;
    }
    state->kind = state->v->anomaly == NULL ? ISO_A_KINDS : kind;
    for (bool found = false; high < n && (!found || high - low > high / PRECISION);) {
        uint32_t length = found ? low + (high - low) / 2 : high;
        iso_pool *next = &state->part[1 - state->at];
        iso_pool_free(next);
        if (shows(state, iso_prefix(next, *h, instant[length - 1]))) {
            found = true;
            high = length;
        } else {
            low = length;
            high = found ? high : 2 * high;
        }
    }
    state->kind = kind;
    iso_pool_free(&state->part[1 - state->at]);
    if (high < n) {
        *h = iso_prefix(&state->cli->pool, *h, instant[high - 1]);
        iso_pool_free(&state->pool);
        answer(state, *h, result, true);
    }
}

/* Determines what to keep. Returns a hint for *h, which may have become smaller. */
static const uint8_t *first_look(shrink_state *state, const isolab_history **h) {
    const values *v = state->v;
    iso_env *env = &state->cli->env;
    if (v->level != NULL) {
        state->question.level = iso_cli_level(state->cli, v->level);
    } else {
        find_level(state, *h);
    }
    find_kind(state);
    iso_result result;
    int64_t since = iso_now();
    answer(state, *h, &result, true);
    if (result.verdict != ISOLAB_VIOLATED) {
        iso_throw(env, result.verdict == ISOLAB_UNKNOWN ? ISOLAB_E_LIMIT : ISOLAB_E_INPUT,
                  "level %s is %s: there is no anomaly to keep%s%.300s", iso_level_get(state->question.level)->name,
                  result.verdict == ISOLAB_SATISFIED ? "satisfied" : "not answered",
                  result.reason[0] != '\0' ? ": " : "", result.reason);
    }
    if (!(*h)->unique) {
        state->test_time = TEST_TIME + TEST_FACTOR * (iso_now() - since);
        choose_prefix(state, h, &result);
    }
    if (v->anomaly == NULL && result.n_anomalies > 0) {
        state->kind = (iso_anomaly_kind)result.anomalies[0].kind;
    }
    if (state->kind != ISO_A_KINDS) {
        choose(state, h, &result);
    }
    const iso_anomaly *shown = of_kind(state, &result);
    uint8_t *hint = NULL;
    if (shown != NULL) {
        hint = ISO_ZNEW(&state->cli->pool, uint8_t, (*h)->n_txns);
        mark(*h, &result, shown, hint);
    }
    iso_pool_free(&state->pool);
    return hint;
}

/* Does the same for a command: the transactions of the first anomaly at the weakest violated level, if any. */
static const uint8_t *look_for_command(shrink_state *state, const isolab_history **h) {
    if (state->v->level != NULL) {
        return first_look(state, h);
    }
    iso_asker asking;
    iso_ladder ladder = climb(&asking, &state->pool, *h, NULL, ISO_ALL_LEVELS);
    if (ladder.rung[ISO_INT]->result.verdict == ISOLAB_SATISFIED) {
        state->keeps = ISO_LEVEL_BIT(ISO_INT); /* no read may become a thin-air read */
    }
    uint8_t *hint = NULL;
    for (int l = 0; l < iso_n_levels && hint == NULL; l++) {
        const iso_result *r = &ladder.rung[l]->result;
        if (r->n_anomalies > 0) {
            hint = ISO_ZNEW(&state->cli->pool, uint8_t, (*h)->n_txns);
            mark(*h, r, &r->anomalies[0], hint);
            state->question.level = l;
        }
    }
    iso_pool_free(&state->pool);
    return hint;
}

/* Returns the format. A text file is isolab text here, since people read the result. */
static const iso_format *format_of(iso_cli *cli, const values *v) {
    size_t n = v->output == NULL ? 0 : strlen(v->output);
    bool text = v->to == NULL && n > 4 && strcmp(v->output + n - 4, ".txt") == 0;
    return text ? iso_format_find("isolab") : iso_cli_format_for(cli, v->to, v->output);
}

/* `{}` becomes "$1", the file as an argument, so that the shell never interprets a file name. */
static void prepare_command(shrink_state *state) {
    iso_cli *cli = state->cli;
    const char *text = state->v->command;
    size_t n = strlen(text);
    char *shell = iso_alloc(&cli->pool, 2 * n + 8, 1), *at = shell;
    bool named = false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '{' && text[i + 1] == '}') {
            memcpy(at, "\"$1\"", 4);
            at += 4;
            i++;
            named = true;
        } else {
            *at++ = text[i];
        }
    }
    memcpy(at, named ? "" : " \"$1\"", named ? 1 : 6);
    state->shell = shell;
    state->told = format_of(cli, state->v);
    if (state->told->write == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "format %s cannot be written", state->told->name);
    }
    if (state->v->match != NULL) {
        state->match = ISO_ZNEW(&cli->pool, regex_t, 1);
        if (regcomp(state->match, state->v->match, REG_EXTENDED | REG_NEWLINE | REG_NOSUB) != 0) {
            state->match = NULL;
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--match: \"%s\" is no regular expression", state->v->match);
        }
    }
    state->folder = iso_temporary_folder(&cli->pool, "shrink", NULL);
    state->file = iso_format_text(&cli->pool, "%s/history%.*s", state->folder,
                                  (int)strcspn(state->told->extensions, " "), state->told->extensions);
}

static void tell_steps(const iso_shrinking *s, const char *what) {
    iso_say(stderr, "%s", what);
    for (int k = 0; k < ISO_STEPS; k++) {
        if (s->tried[k] > 0) {
            iso_say(stderr, " %s %" PRIu64, iso_step_text[k], s->tried[k]);
        }
    }
    iso_say(stderr, " single steps tried\n");
}

static void summary(const shrink_state *state, const isolab_history *before, const iso_shrinking *s, double seconds) {
    const isolab_history *h = s->h;
    iso_clear_progress();
    iso_say(stderr,
            "shrunk: %u -> %u transactions, %u -> %u operations, %u -> %u sessions, %u -> %u keys; %" PRIu64
            " tests, %.3g s",
            before->n_txns, h->n_txns, before->n_ops, h->n_ops, before->n_sessions, h->n_sessions, before->n_keys,
            h->n_keys, s->tests, seconds);
    if (state->shell == NULL) {
        iso_say(stderr, "; keeps %s at level %s",
                state->kind == ISO_A_KINDS ? "any anomaly" : iso_anomaly_get(state->kind)->name,
                iso_level_get(state->question.level)->name);
    } else {
        iso_say(stderr, "; keeps %s %d",
                state->status < 256    ? "exit status"
                : state->status < 1024 ? "signal"
                                       : "time-out",
                state->status < 256    ? state->status
                : state->status < 1024 ? state->status - 256
                                       : 0);
    }
    if (state->given_up > 0) {
        iso_say(stderr, "; %" PRIu64 " tests were given up after %.3g s", state->given_up,
                (double)state->test_time / 1e9);
    }
    iso_say(stderr, "%s\n",
            s->unfinished         ? "; ended early, perhaps not minimal"
            : state->given_up > 0 ? "; perhaps not minimal"
                                  : "");
    if (!before->unique && state->shell == NULL && !state->v->slice) {
        iso_say(stderr,
                "values are repeated: the result violates the level by itself, but its reads may have taken their "
                "values from writes that are left out; --slice keeps all of these\n");
    }
    if (!s->unfinished && state->given_up == 0 && !state->v->verify) {
        tell_steps(s, "minimal:");
    }
}

static int verify(shrink_state *state, iso_shrinking *s) {
    char what[160];
    bool minimal = iso_shrink_is_minimal(&state->cli->env, s->h, s, what, sizeof what);
    iso_say(stderr, "%sminimal%s%s", minimal ? "" : "not ", minimal ? "" : ", ", minimal ? "" : what);
    tell_steps(s, ":");
    return minimal ? ISOLAB_OK : ISOLAB_UNKNOWN;
}

typedef struct file_shrinking {
    shrink_state *state;
    const char *path;
    int status;
} file_shrinking;

static void shrink(void *arg) {
    file_shrinking *f = arg;
    shrink_state *state = f->state;
    iso_cli *cli = state->cli;
    const values *v = state->v;
    const iso_format *format = format_of(cli, v);
    const isolab_history *h = iso_cli_load(cli, &cli->pool, f->path, &v->reading), *whole = h;
    iso_cli_tell_initial(cli, h, f->path, &v->reading);
    iso_cli_tell_repeated(h, f->path);
    const uint8_t *hint = NULL;
    int64_t since = iso_now();
    if (v->command != NULL) {
        bool matches;
        prepare_command(state);
        state->status = run_command(state, h, &matches);
        iso_pool_free(&state->pool);
        if (!matches || (v->status != ANY_STATUS && state->status != (int)v->status)) {
            iso_throw(&cli->env, ISOLAB_E_INPUT, "the command %s on the whole history",
                      matches ? "has another status" : "does not print what --match expects");
        }
        hint = look_for_command(state, &h);
    } else {
        hint = first_look(state, &h);
    }
    iso_shrinking s = {.test = state->shell != NULL ? shows_status : shows_anomaly,
                       .arg = state,
                       .most_tests = v->tests,
                       .keep_names = v->keep_names,
                       .keep_sessions = v->keep_sessions,
                       .slice = v->slice};
    iso_shrink(&cli->env, h, hint, &s);
    iso_end_time_limit(&cli->env); /* the best result is written */
    summary(state, whole, &s, (double)(iso_now() - since) / 1e9);
    isolab_history saved = *s.h;
    const iso_collector *collector;
    if (iso_offer_recorded(whole->about, &collector) != NULL) { /* what else a history says is true of all of it only */
        iso_history_about(&saved, whole->about, strlen(whole->about));
    }
    iso_cli_save(cli, &cli->pool, &saved, v->output, format, true);
    f->status = s.unfinished ? ISOLAB_UNKNOWN : ISOLAB_OK;
    if (v->verify) {
        int status = verify(state, &s);
        f->status = status > f->status ? status : f->status;
    }
    iso_shrink_free(&s);
}

static int run_shrink(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    (void)n;
    shrink_state state = {
        .cli = cli, .v = v, .question = {.no_session_order = v->no_session_order}, .kind = ISO_A_KINDS};
    bool alone = v->command != NULL && v->level == NULL;
    iso_cli_refuse(cli, alone, "checker", "with --command needs --level");
    iso_cli_refuse(cli, alone, "anomaly", "with --command needs --level");
    if (v->level != NULL) {
        char why[256];
        const iso_question question = {.level = iso_cli_level(cli, v->level), .no_session_order = v->no_session_order};
        if (iso_question_wrong(&question, NULL, why, sizeof why) != NULL) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "%s", why);
        }
    }
    state.checker = v->checker == NULL || strcmp(v->checker, "auto") == 0 ? NULL : iso_cli_checker(cli, v->checker);
    iso_pool *pools[] = {&state.pool, &state.part[0], &state.part[1], &state.marks};
    for (int i = 0; i < 4; i++) {
        iso_pool_init(pools[i], &cli->env);
    }
    file_shrinking f = {&state, operands[0], ISOLAB_OK};
    int code = iso_guard(&cli->env, shrink, &f);
    if (state.match != NULL) {
        regfree(state.match);
    }
    if (state.folder != NULL) {
        iso_remove_folder(state.folder);
    }
    for (int i = 0; i < 4; i++) {
        iso_pool_free(pools[i]);
    }
    if (code != ISOLAB_OK) {
        iso_rethrow(&cli->env);
    }
    return f.status;
}

const iso_command iso_command_shrink = {
    .summary = "finds the smallest history that still shows an anomaly",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .defaults = &(const values){.status = ANY_STATUS},
    .options =
        (const iso_option[]){
            {ISO_TEXT("level", NULL, "the level that stays violated (default: the weakest violated one)"),
             .letter = 'l', .of = ISO_OF_LEVELS, ISO_TO(values, level)},
            {ISO_TEXT("checker", NULL, "the checker, or auto"), .letter = 'c', .argument = "NAME",
             .of = ISO_OF_CHECKERS, .words = "auto", ISO_TO(values, checker)},
            {ISO_TEXT("anomaly", NULL, "keep this anomaly (default: the first reported one; any: only the verdict)"),
             .argument = "NAME", ISO_TO(values, anomaly)},
            {ISO_FLAG("no-session-order", "no", "si and ser without session order"), ISO_TO(values, no_session_order)},
            {ISO_TEXT("command", NULL,
                      "keep the exit status of this command, in which {} is the history's file (with --level: the "
                      "anomaly too)"),
             .argument = "CMD", ISO_TO(values, command)},
            {ISO_COUNT("status", NULL, 0, ISO_ANY, "with --command: the whole history must give this exit status"),
             ISO_TO(values, status)},
            {ISO_TEXT("match", NULL, "with --command: it must also print a matching line"), .argument = "REGEX",
             ISO_TO(values, match)},
            {ISO_SECONDS("run-timeout", "10", "with --command: end each run after S seconds"),
             ISO_TO(values, run_timeout)},
            {ISO_COUNT("tests", NULL, 0, ISO_ANY, "try at most N histories"), ISO_TO(values, tests)},
            {ISO_FLAG("slice", "no",
                      "only leave transactions and operations out: names, values and times stay as recorded"),
             ISO_TO(values, slice)},
            {ISO_FLAG("keep-sessions", "no", "never put one session after another"), ISO_TO(values, keep_sessions)},
            {ISO_FLAG("keep-names", "no", "leave names and the order of sessions as they are"),
             ISO_TO(values, keep_names)},
            {ISO_FLAG("verbose", "no", "print progress as lines on standard error, at most one a second"),
             ISO_TO(values, verbose)},
            {ISO_FLAG("verify", "no",
                      "at the end, try every single step again; report their number, and whether each of them loses "
                      "the anomaly"),
             ISO_TO(values, verify)},
            ISO_READING_OPTIONS(values, reading),
            {ISO_TEXT("to", NULL, "write this format, also for the command (a .txt is isolab text)"),
             .of = ISO_OF_FORMATS, ISO_TO(values, to)},
            {ISO_TEXT("output", NULL, "write to this file instead of standard output"), .letter = 'o',
             .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
            ISO_END},
    .needs = (const iso_need[]){{"no-session-order", "level", NULL},
                                {"status", "command", NULL},
                                {"match", "command", NULL},
                                {"run-timeout", "command", NULL},
                                {NULL, NULL, NULL}},
    .details = "Transactions, operations, sessions, keys, values, times and statuses are left out or made "
               "simpler until no single step keeps the anomaly; at the end everything gets canonical names. "
               "The steps are printed on standard error. If a limit ends the search early, the smallest "
               "history so far is written, and the exit status is 2.",
    .examples = "isolab shrink broken.jsonl\n"
                "isolab shrink -l ser -c strong --verify broken.jsonl -o small.txt\n"
                "isolab shrink --anomaly lost-update -l si big.ilb\n"
                "isolab shrink --command './my-checker --level rc {}' --status 134 --to plume crash.plume",
    .run = run_shrink,
};
