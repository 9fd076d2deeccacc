/* See matrix.h.
 *
 * Each recording is a process of its own (`isolab collect`): a database library that crashes or hangs ends one run, not
 * the matrix. The smallest counterexamples come from `isolab shrink`, their proofs from `isolab check`, and
 * isolab-verify has confirmed each; `isolab replay` has tried to show each again. */
#include "collectors/matrix.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "checkers/ladder.h"
#include "collectors/database.h"
#include "collectors/drive.h"
#include "formats/format.h"
#include "shrink/shrink.h"

typedef struct matrix_state {
    const iso_matrix_plan *plan;
    iso_matrix *m;
    iso_pool *pool, item;         /* item: of one recording */
    const char *isolab, *verify;  /* programs */
    const char *temporary;        /* a folder */
    const char *reach[ISO_REACH]; /* options by which the recordings reach a private server */
} matrix_state;

static const char *text(iso_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *text(iso_pool *pool, const char *format, ...) {
    va_list list;
    char *to = iso_alloc(pool, 4200, 1);
    va_start(list, format);
    vsnprintf(to, 4200, format, list);
    va_end(list);
    return to;
}

/* Runs a program. Returns its exit status; -1: it did not end by itself. */
static int call(matrix_state *state, const char *const *argv, iso_job *done) {
    *done = (iso_job){.argv = argv, .timeout = state->plan->each > 0 ? 2 * state->plan->each : (int64_t)120e9};
    iso_run_jobs(&state->item, done, 1, 1);
    return done->end == ISO_JOB_EXITED ? done->code : -1;
}

/* The workloads of the runs, in turn, as `collect` takes them: each shows other anomalies. Those of lists are for
 * databases that have lists; repeated values show reads of a wrong writer of the right value; single calls show stale
 * snapshots that break no other order. */
static const char *const workloads[ISO_MATRIX_WORKLOADS] = {
    "mini --keys 8 --pause 0",
    "list-append --keys 5 --pause 0",
    "random --keys 6 --pause 0",
    "mini --keys 40 --pause 20",
    "random --keys 200 --pause 20",
    "list-append --keys 10 --pause 20",
    "registers --keys 10 --writes 0.5 --pause 0",
    "ycsb --keys 5 --ops 4 --duplicates 1 --values 2 --pause 0"};

/* The last line that a program said, without the hint after a wrong use. */
static const char *last_line(iso_pool *pool, char *said) {
    const char *hint = strstr(said, "\nTry `");
    size_t n = hint != NULL ? (size_t)(hint - said) : strlen(said);
    said[n] = '\0';
    while (n > 0 && (said[n - 1] == '\n' || said[n - 1] == ' ')) {
        said[--n] = '\0';
    }
    char *at = strrchr(said, '\n');
    at = at != NULL ? at + 1 : said;
    at = strncmp(at, "isolab: ", 8) == 0 ? at + 8 : at;
    return iso_copy_text(pool, at, strlen(at));
}

/* The version, from what `collect` says: `SQLite 3.40.1 at wal: ...`. */
static void note_version(iso_matrix_row *row, const char *said) {
    size_t n = strlen(row->collector->title);
    const char *at = strstr(said, row->collector->title), *to = at != NULL ? strstr(at, " at ") : NULL;
    if (to != NULL && to > at + n) {
        snprintf(row->version, sizeof row->version, "%.*s", (int)(to - at - (ptrdiff_t)n - 1), at + n + 1);
    }
}

/* Splits words at single spaces into argv, from n on. Returns the number of words then. */
static size_t add_words(iso_pool *pool, const char **argv, size_t n, const char *words) {
    for (char *at = iso_copy_text(pool, words, strlen(words)); at != NULL; n++) {
        argv[n] = strsep(&at, " ");
    }
    return n;
}

/* Records one run. Returns its file; NULL: it failed. */
static const char *record(matrix_state *state, iso_matrix_row *row, uint32_t run) {
    enum { WORDS = 32 };
    iso_pool *item = &state->item;
    size_t p = run % ISO_MATRIX_WORKLOADS, n = 0;
    while (strncmp(workloads[p], "list", 4) == 0 && !row->collector->lists) {
        p = (p + 1) % ISO_MATRIX_WORKLOADS;
    }
    const char *path = text(item, "%s/history.jsonl", state->temporary), *argv[WORDS + ISO_REACH] = {state->isolab};
    n = add_words(item, argv, 1,
                  text(item,
                       "collect %s --level %s --sessions %" PRIu64 " --txns %" PRIu64
                       " --seed %u --aborts 0.1 --retries 3 --workload %s --output",
                       row->collector->name, row->level->name, state->plan->sessions, state->plan->txns, run + 1,
                       workloads[p]));
    argv[n++] = path;
    memcpy(argv + n, state->reach, sizeof state->reach);
    iso_job done;
    int status = call(state, argv, &done);
    row->runs++;
    if (status == ISOLAB_OK) {
        note_version(row, done.err);
        row->runs_of[p]++;
        row->workload[p] = workloads[p];
        return path;
    }
    row->failed++;
    row->why = status >= 0                     ? last_line(state->pool, done.err)
               : done.end == ISO_JOB_SIGNALLED ? text(state->pool, "the recording ended with signal %d", done.code)
                                               : "the recording did not end in time";
    return NULL;
}

/* Notes whether the database does again what a history shows. */
static void replay(matrix_state *state, const iso_matrix_row *row, iso_matrix_cell *c, const char *level,
                   const char *history) {
    enum { WORDS = 16 };
    iso_pool *item = &state->item;
    const char *argv[WORDS + ISO_REACH] = {state->isolab};
    size_t n = add_words(
        item, argv, 1,
        text(item, "replay %s --level %s --check %s --times 9", row->collector->name, row->level->name, level));
    argv[n++] = history;
    memcpy(argv + n, state->reach, sizeof state->reach);
    iso_job done;
    int status = call(state, argv, &done);
    c->replays = status == ISOLAB_VIOLATED;
    c->unplayed = c->replays || status == ISOLAB_OK ? NULL
                  : status < 0                      ? "the replay did not end in time"
                                                    : last_line(state->pool, done.err);
}

/* A counterexample that cannot be shown again may lack its cause: other transactions at the same time. Keeps it with
 * them if that can be shown again. */
static void widen(matrix_state *state, const iso_matrix_row *row, iso_matrix_cell *c, const char *level,
                  const isolab_history *h) {
    iso_pool *pool = state->pool, *item = &state->item;
    const isolab_history *wide = iso_with_company(item, h, iso_load(item, c->counterexample, NULL));
    const char *path =
        text(pool, "%s/%s-%s-%s-wide.jsonl", state->plan->folder, row->collector->name, row->level->name, level);
    if (wide == NULL) {
        return;
    }
    iso_save(item, wide, path, iso_format_find("jsonl"));
    replay(state, row, c, level, path);
    if (c->replays) {
        c->counterexample = path;
    } else {
        unlink(path);
    }
}

/* Makes the smallest counterexample of a level from a recording, and its proof. */
static void keep(matrix_state *state, iso_matrix_row *row, iso_level level, const char *history,
                 const isolab_history *h) {
    iso_pool *pool = state->pool;
    iso_matrix_cell *c = &row->cell[level];
    const char *name = iso_level_get(level)->name;
    const char *smallest =
        text(pool, "%s/%s-%s-%s.jsonl", state->plan->folder, row->collector->name, row->level->name, name);
    const char *proof =
        text(pool, "%s/%s-%s-%s.proof", state->plan->folder, row->collector->name, row->level->name, name);
    iso_job done;
    if (mkdir(state->plan->folder, 0777) != 0 && errno != EEXIST) {
        iso_throw_file(state->pool->env, ISOLAB_E_IO, state->plan->folder, "%s", strerror(errno));
    }
    if (call(state,
             (const char *const[]){state->isolab, "shrink", "--slice", "--level", name, "--output", smallest, history,
                                   NULL},
             &done) != 0) {
        return;
    }
    c->counterexample = smallest;
    replay(state, row, c, name, smallest);
    if (!c->replays && c->unplayed == NULL) {
        widen(state, row, c, name, h);
    }
    smallest = c->counterexample;
    c->txns = iso_load(&state->item, smallest, NULL)->n_txns;
    if (call(state,
             (const char *const[]){state->isolab, "check", "--level", name, "--certificate", proof, smallest, NULL},
             &done) == ISOLAB_VIOLATED &&
        call(state, (const char *const[]){state->verify, smallest, proof, NULL}, &done) == 0) {
        c->proof = proof;
    }
}

isolab_verdict iso_matrix_verdict(const iso_matrix_cell *c) {
    return c->violated > 0 ? ISOLAB_VIOLATED : c->satisfied > 0 ? ISOLAB_SATISFIED : ISOLAB_UNKNOWN;
}

bool iso_matrix_promised(const iso_matrix_row *row, iso_level level) {
    iso_level promised = iso_level_find(row->level->promises, NULL);
    return promised != ISO_NO_LEVEL && (promised == level || iso_level_implies(promised, level));
}

typedef struct question {
    matrix_state *state;
    iso_matrix_row *row;
    const isolab_history *h;
    iso_ladder ladder;
} question;

static void climb(void *arg) {
    question *q = arg;
    iso_asker *asker = ISO_NEW(&q->state->item, iso_asker, 1);
    iso_asker_init(asker, &q->state->item, q->h, &(const iso_question){.limit = 1});
    asker->weigh = true;
    asker->answered = q->state->plan->answered;
    q->ladder = iso_ladder_climb(asker, ISO_ALL_LEVELS);
}

static const char *anomaly_of(const iso_answer *a) {
    return a->result.n_anomalies > 0 ? iso_anomaly_get(a->result.anomalies[0].kind)->name : NULL;
}

/* Adds the answers about one recording to its row. */
static void count(matrix_state *state, iso_matrix_row *row, const char *path) {
    question q = {.state = state, .row = row, .h = iso_load(&state->item, path, NULL)};
    iso_env *env = state->pool->env;
    row->committed += q.h->n_committed;
    if (iso_guard_until(env, iso_sooner(env, iso_now() + state->plan->each), climb, &q) != ISOLAB_OK) {
        if (env->error.code != ISOLAB_E_LIMIT || iso_over(env->limits) != ISO_LIMIT_NONE) {
            iso_rethrow(env);
        }
        for (int l = 0; l < iso_n_levels; l++) {
            row->cell[l].unknown++;
        }
        return;
    }
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_answer *a = q.ladder.rung[l];
        iso_matrix_cell *c = &row->cell[l];
        c->satisfied += a->result.verdict == ISOLAB_SATISFIED;
        c->violated += a->result.verdict == ISOLAB_VIOLATED;
        c->unknown += a->result.verdict == ISOLAB_UNKNOWN;
        c->evidence += a->result.verdict == ISOLAB_SATISFIED && a->weight != ISO_UNWEIGHED ? a->cases : 0;
        bool first = (q.ladder.broken_first & ISO_LEVEL_BIT(l)) != 0;
        if (first && c->counterexample == NULL) {
            c->anomaly = anomaly_of(a);
            keep(state, row, (iso_level)l, path, q.h);
        }
    }
}

/* A violated level without a counterexample of its own has that of the weakest violated level that it implies. */
static void attribute(iso_matrix_row *row) {
    for (int l = 0; l < iso_n_levels; l++) {
        iso_matrix_cell *c = &row->cell[l];
        c->because = (iso_level)l;
        for (int w = 0; c->counterexample == NULL && w < l; w++) {
            if (row->cell[w].violated > 0 && row->cell[w].counterexample != NULL &&
                iso_level_implies((iso_level)l, (iso_level)w)) {
                c->because = (iso_level)w;
                break;
            }
        }
    }
}

static void measure(matrix_state *state, iso_matrix_row *row) {
    char buffer[256], phase[128];
    const char *missing = iso_collector_missing(row->collector, buffer);
    if (missing != NULL) {
        row->why = iso_copy_text(state->pool, missing, strlen(missing));
        return;
    }
    for (uint32_t run = 0; run < state->plan->runs && !state->plan->stopped(); run++) {
        snprintf(phase, sizeof phase, "%s at %s, run %u", row->collector->title, row->level->name, run + 1);
        iso_progress(state->pool->env, phase, 0, 0);
        const char *path = record(state, row, run);
        if (path != NULL) {
            count(state, row, path);
        }
        iso_pool_free(&state->item);
    }
    attribute(row);
}

void iso_matrix_add(iso_matrix *m, iso_pool *pool, const iso_collector *k, const iso_offer *level) {
    for (const iso_offer *o = k->levels; o->name != NULL; o++) {
        if (level == NULL || level == o) {
            ISO_GROW(pool, m->row, m->n, m->room);
            m->row[m->n++] = (iso_matrix_row){.collector = k, .level = o};
        }
    }
}

/* Rows of one database. */
typedef struct group {
    matrix_state *state;
    uint32_t from, to;
    iso_database db;
} group;

static void measure_rows(void *arg) {
    group *g = arg;
    matrix_state *state = g->state;
    if (g->db.collector != NULL) {
        g->db.collector->reach(&g->db, state->reach);
    }
    for (uint32_t i = g->from; i < g->to; i++) {
        measure(state, &state->m->row[i]);
    }
}

/* Starts a private server for the rows. */
static void measure_spawned(void *arg) {
    group *g = arg;
    matrix_state *state = g->state;
    const iso_collector *k = state->m->row[g->from].collector;
    const iso_option *tables[ISO_ARG_TABLES] = {iso_drive_options, k->options, NULL};
    iso_args *args = ISO_NEW(state->pool, iso_args, 1);
    iso_args_init(args, state->pool, k->name, tables);
    iso_args_set(args, "spawn", "yes");
    iso_database_init(&g->db, k, args, &(iso_workload){.n_keys = 1});
    iso_with_server(&g->db, measure_rows, g);
}

/* Measures all rows. A server that cannot be started is the reason why its rows are empty. */
static void work(void *arg) {
    matrix_state *state = arg;
    for (uint32_t from = 0, to; from < state->m->n; from = to) {
        const iso_collector *k = state->m->row[from].collector;
        for (to = from + 1; to < state->m->n && state->m->row[to].collector == k; to++) {
        }
        group g = {.state = state, .from = from, .to = to};
        iso_env *env = state->pool->env;
        char buffer[256];
        if (!state->plan->spawn || k->spawn == NULL || iso_collector_missing(k, buffer) != NULL) {
            measure_rows(&g);
        } else if (iso_guard(env, measure_spawned, &g) != ISOLAB_OK) {
            if (env->error.code == ISOLAB_E_LIMIT) {
                iso_rethrow(env);
            }
            for (uint32_t i = from; i < to; i++) {
                state->m->row[i].why = iso_copy_text(state->pool, env->error.message, strlen(env->error.message));
            }
        }
        state->reach[0] = NULL;
    }
}

int iso_matrix_measure(iso_pool *pool, const iso_matrix_plan *plan, iso_matrix *m) {
    matrix_state state = {.plan = plan, .m = m, .pool = pool, .isolab = iso_own_program(pool)};
    const char *slash = strrchr(state.isolab, '/');
    state.verify = text(pool, "%.*s/isolab-verify", (int)(slash - state.isolab), state.isolab);
    state.temporary = iso_temporary_folder(pool, "matrix", NULL);
    iso_pool_init(&state.item, pool->env);
    int code = iso_guard(pool->env, work, &state);
    iso_pool_free(&state.item);
    iso_remove_folder(state.temporary);
    if (code != ISOLAB_OK && code != ISOLAB_E_LIMIT) {
        iso_rethrow(pool->env);
    }
    return code;
}
