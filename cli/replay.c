/* `isolab replay`: plays a script, or what a small history did, again and again on a database, and counts how often the
 * history that is recorded violates a level. `--print` shows the script, or the statements of SQL to attach to a bug
 * report. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/answer.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/playing.h"
#include "cli/save.h"
#include "collectors/sql.h"

typedef struct values {
    iso_playing by;
    iso_cli_reading reading;
    const char *check, *print, *output;
    uint64_t times;
} values;

typedef struct replay_state {
    iso_cli *cli;
    const values *v;
    iso_database db;
    const iso_script *first, *script; /* the orders of the steps, and the one to play */
    iso_level level;
    bool sql; /* print the play to show as SQL */
    uint64_t violated, waited, refused, played;
} replay_state;

/* ---- what to play ---- */

/* Returns the script of a file: its name ends in .script, or it is a history. */
static const iso_script *script_of(iso_cli *cli, const values *v, const char *path) {
    size_t n = strlen(path);
    if (n < 7 || strcmp(path + n - 7, ".script") != 0) {
        return iso_script_of(&cli->pool, iso_cli_load(cli, &cli->pool, path, &v->reading));
    }
    const iso_script *s = iso_script_read(&cli->pool, path);
    if (s->next != NULL) {
        iso_throw_file(&cli->env, ISOLAB_E_USAGE, path,
                       "more than one script: `isolab hermitage --scripts` plays them all");
    }
    return s;
}

static iso_level level_of(iso_cli *cli, const values *v, const iso_script *s) {
    if (v->check == NULL && s->forbids == ISO_NO_LEVEL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "say which level to check by --check, for instance --check si");
    }
    return v->check != NULL ? iso_cli_level(cli, v->check) : s->forbids;
}

/* ---- playing ---- */

/* Says what each step did, for the first play that violates the level, or the last one. */
static void print_steps(const replay_state *state, const iso_played *p) {
    const iso_script *s = state->script;
    for (uint32_t i = 0; i < s->n; i++) {
        const iso_step *step = &s->steps[i];
        const iso_played_step *r = &p->steps[i];
        iso_say(stdout, "  %-8s %s", s->session[step->session], iso_step_word(step->kind));
        if (step->kind == ISO_STEP_READ || step->kind == ISO_STEP_WRITE || step->kind == ISO_STEP_APPEND) {
            iso_say(stdout, " %s", s->key[step->key]);
        }
        if (step->kind == ISO_STEP_READ && r->end == ISO_PLAYED_DONE) {
            iso_played_print(stdout, s, &r->cell);
        }
        if (step->kind == ISO_STEP_WRITE || step->kind == ISO_STEP_APPEND) {
            iso_say(stdout, " %lld", (long long)step->value);
        }
        iso_say(stdout, "%s%s%s\n", r->waited ? "   (waited)" : "",
                r->end == ISO_PLAYED_SKIPPED   ? "   (skipped: the transaction had ended)"
                : r->end == ISO_PLAYED_REFUSED ? "   refused: "
                : r->end == ISO_PLAYED_LOST    ? "   lost: "
                                               : "",
                r->why);
    }
}

static void print_sql(const replay_state *state, const iso_played *played, isolab_verdict verdict) {
    char words[160];
    snprintf(words, sizeof words, "a play that %s %s%s%s",
             verdict == ISOLAB_VIOLATED    ? "violates"
             : verdict == ISOLAB_SATISFIED ? "satisfies"
                                           : "may violate",
             iso_level_get(state->level)->name, played->refused ? "; a transaction was refused" : "",
             played->waited ? "; a step waited" : "");
    iso_sql_print(stdout, &state->db, state->script, played, words);
}

/* Plays once: the order that violated the level in the play before, or else the next one. */
static void play_once(replay_state *state, uint64_t round) {
    iso_played played;
    const iso_answer *answer;
    iso_pool pool;
    iso_pool_init(&pool, &state->cli->env);
    isolab_verdict verdict =
        iso_playing_once(&state->db, state->db.level, state->script, state->level, &pool, &played, &answer);
    bool show =
        (verdict == ISOLAB_VIOLATED && state->violated == 0) || (state->violated == 0 && round + 1 == state->v->times);
    state->played++;
    state->violated += verdict == ISOLAB_VIOLATED;
    state->waited += played.waited;
    state->refused += played.refused;
    iso_clear_progress();
    if (show && state->sql) {
        print_sql(state, &played, verdict);
    } else if (show) {
        iso_say(stdout, "play %" PRIu64 ":\n", round + 1);
        print_steps(state, &played);
        iso_answer_line(stdout, answer);
        if (verdict == ISOLAB_VIOLATED) {
            iso_answer_anomalies(stdout, played.history, answer, 1);
        }
    }
    if (show && state->v->output != NULL) {
        iso_cli_save(state->cli, &pool, played.history, state->v->output,
                     iso_cli_format_for(state->cli, NULL, state->v->output), false);
    }
    iso_pool_free(&pool);
    if (verdict != ISOLAB_VIOLATED) {
        state->script = state->script->next != NULL ? state->script->next : state->first;
    }
}

static void play_all(void *arg) {
    replay_state *state = arg;
    for (uint64_t i = 0; i < state->v->times && !iso_output_failed() && !(state->sql && state->violated > 0); i++) {
        iso_progress(&state->cli->env, "plays", i, state->v->times);
        play_once(state, i);
    }
}

static int run_replay(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    replay_state state = {.cli = cli, .v = v};
    if (n < 2) {
        iso_throw(&cli->env, ISOLAB_E_USAGE,
                  "expected a database and a script or a history: isolab replay postgres lost.jsonl");
    }
    iso_playing_database(cli, &v->by, operands[0], &state.db);
    state.first = state.script = script_of(cli, v, operands[1]);
    if (state.script->lists && !state.db.collector->lists) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "%s has no lists", state.db.collector->title);
    }
    if (v->print != NULL && strcmp(v->print, "script") == 0) {
        iso_script_print(stdout, state.script);
        return ISOLAB_OK;
    }
    state.sql = v->print != NULL;
    const char *unshown = state.sql ? iso_sql_unshown(&state.db) : NULL;
    if (unshown != NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "no SQL can show %s at %s: %s", state.db.collector->title,
                  state.db.level->name, unshown);
    }
    state.level = level_of(cli, v, state.script);
    iso_with_server(&state.db, play_all, &state);
    iso_clear_progress();
    if (state.sql) {
        return state.violated > 0 ? ISOLAB_VIOLATED : ISOLAB_OK;
    }
    iso_say(stdout, "%s %s at %s: %" PRIu64 " of %" PRIu64 " plays violate %s", state.db.collector->title,
            state.db.version, state.db.level->name, state.violated, state.played, iso_level_get(state.level)->name);
    iso_say(stdout, "; in %" PRIu64 " a step waited, in %" PRIu64 " a transaction was refused\n", state.waited,
            state.refused);
    return state.violated > 0 ? ISOLAB_VIOLATED : ISOLAB_OK;
}

const iso_command iso_command_replay = {
    .summary = "plays a script, or what a small history did, again on a database",
    .operands = "DATABASE FILE",
    .least = 0,
    .most = 2,
    .of = ISO_OF_DATABASES,
    .size = sizeof(values),
    .details = "FILE is a script (*.script, docs/scripts.md) or a history, from which scripts are made: orders of its "
               "steps in which its reads could return their values. The plays take them in turn, and stay with one "
               "that violates the level.",
    .options =
        (const iso_option[]){
            {ISO_TEXT("check", NULL, "the level of isolab to check; by default the one that the script forbids"),
             .of = ISO_OF_LEVELS, ISO_TO(values, check)},
            {ISO_COUNT("times", "10", 1, 1e6, "number of plays"), .letter = 'n', ISO_TO(values, times)},
            {ISO_WORD("print", NULL, "script sql",
                      "print the script instead; or play, and print the first play that violates the level as SQL"),
             ISO_TO(values, print)},
            {ISO_TEXT("output", NULL, "write the history that is shown to this file"), .letter = 'o',
             .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
            ISO_READING_OPTIONS(values, reading),
            ISO_END},
    .examples = "isolab replay postgres --spawn lost-update.jsonl --level repeatable-read --check si\n"
                "isolab replay mariadb --spawn lost-update.jsonl --check si --print sql",
    .run = run_replay,
    .refine = iso_playing_refine,
};
