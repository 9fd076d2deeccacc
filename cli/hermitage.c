/* `isolab hermitage`: plays schedules that each try for one anomaly at every level of a database, and prints the table
 * of levels and anomalies. A checker decides: the anomaly was allowed if the recorded history violates the level that
 * forbids it. */
#include <string.h>

#include "base/json.h"
#include "base/print.h"
#include "cli/answer.h"
#include "cli/output.h"
#include "cli/playing.h"
#include "cli/save.h"

typedef struct values {
    iso_playing by;
    const char *scripts, *keep;
    bool json;
} values;

/* A cell of the table. */
typedef struct cell {
    isolab_verdict verdict;
    bool promised;        /* the level promises that the anomaly does not happen */
    bool waited, refused; /* steps waited; a transaction was refused */
} cell;

typedef struct grid {
    iso_cli *cli;
    const values *v;
    iso_database db;
    const iso_script *scripts;
    cell *cells; /* by level, script by script */
    uint32_t n_levels, n_scripts;
    bool broken; /* a promise */
} grid;

/* Does a level of the database promise to forbid what the script tries? */
static bool promises(const iso_offer *offer, iso_level forbids) {
    iso_level promised = iso_level_find(offer->promises, NULL);
    return promised != ISO_NO_LEVEL && (promised == forbids || iso_level_implies(promised, forbids));
}

static void keep(grid *g, iso_pool *pool, const iso_offer *offer, const iso_script *s, const iso_played *played) {
    iso_printer path = {.pool = pool};
    iso_print(&path, "%s/%s-%s-%s.jsonl", g->v->keep, g->db.collector->name, offer->name, s->name);
    iso_cli_save(g->cli, pool, played->history, iso_printed(&path), iso_format_find("jsonl"), false);
}

/* Plays one script at one level. */
static void try(grid *g, const iso_offer *offer, const iso_script *s, cell *c) {
    iso_played played;
    const iso_answer *answer;
    iso_pool pool;
    iso_pool_init(&pool, &g->cli->env);
    c->promised = promises(offer, s->forbids);
    c->verdict = iso_playing_once(&g->db, offer, s, s->forbids, &pool, &played, &answer);
    c->waited = played.waited;
    c->refused = played.refused;
    g->broken |= c->promised && c->verdict != ISOLAB_SATISFIED;
    if (g->v->keep != NULL) {
        keep(g, &pool, offer, s, &played);
    }
    iso_pool_free(&pool);
}

static void play_all(void *arg) {
    grid *g = arg;
    const iso_offer *levels = g->db.collector->levels, *only = iso_arg_given(g->db.args, "level") ? g->db.level : NULL;
    uint32_t done = 0;
    for (uint32_t l = 0; l < g->n_levels; l++) {
        const iso_script *s = g->scripts;
        for (uint32_t i = 0; i < g->n_scripts; i++, s = s->next) {
            iso_progress(&g->cli->env, "scripts", done++, g->n_levels * g->n_scripts);
            try(g, only != NULL ? only : &levels[l], s, &g->cells[l * g->n_scripts + i]);
        }
    }
}

static const char *word_of(const cell *c) {
    return c->verdict == ISOLAB_VIOLATED  ? (c->promised ? "ALLOWED" : "allowed")
           : c->verdict == ISOLAB_UNKNOWN ? "unknown"
           : c->refused                   ? "refused"
           : c->waited                    ? "waited"
                                          : "prevented";
}

static const iso_offer *level_of(const grid *g, uint32_t l) {
    return iso_arg_given(g->db.args, "level") ? g->db.level : &g->db.collector->levels[l];
}

/* The width of a level's column. */
static int width_of(const grid *g, uint32_t l) {
    int n = (int)strlen(level_of(g, l)->name);
    return n > 14 ? n : 14;
}

static void print_table(const grid *g) {
    iso_say(stdout, "%s %s\n\n%-12s %-8s", g->db.collector->title, g->db.version, "anomaly", "forbids");
    for (uint32_t l = 0; l < g->n_levels; l++) {
        iso_say(stdout, " %-*s", width_of(g, l), level_of(g, l)->name);
    }
    iso_say(stdout, "\n%-12s %-8s", "", "");
    for (uint32_t l = 0; l < g->n_levels; l++) {
        iso_say(stdout, " promises %-*s", width_of(g, l) - 9, level_of(g, l)->promises);
    }
    const iso_script *s = g->scripts;
    for (uint32_t i = 0; i < g->n_scripts; i++, s = s->next) {
        iso_say(stdout, "\n%-12s %-8s", s->name, iso_level_get(s->forbids)->name);
        for (uint32_t l = 0; l < g->n_levels; l++) {
            iso_say(stdout, " %-*s", width_of(g, l), word_of(&g->cells[l * g->n_scripts + i]));
        }
    }
    iso_say(stdout, "\n\n");
    for (s = g->scripts; s != NULL; s = s->next) {
        iso_say(stdout, "%-12s %s\n", s->name, s->summary == NULL ? "" : s->summary);
    }
    iso_say(stdout,
            "\nallowed: the history that was recorded violates the level that forbids it (ALLOWED: against what the "
            "database promises);\nrefused: the database aborted a transaction; waited: a step waited for another "
            "transaction; prevented: neither\n");
}

static void print_json(const grid *g) {
    iso_json out = {.out = stdout};
    iso_json_open(&out, NULL, '{');
    iso_json_text(&out, "database", g->db.collector->name);
    iso_json_text(&out, "version", g->db.version);
    iso_json_open(&out, "cells", '[');
    for (uint32_t l = 0; l < g->n_levels; l++) {
        const iso_script *s = g->scripts;
        for (uint32_t i = 0; i < g->n_scripts; i++, s = s->next) {
            const cell *c = &g->cells[l * g->n_scripts + i];
            iso_json_open(&out, NULL, '{');
            iso_json_text(&out, "level", level_of(g, l)->name);
            iso_json_text(&out, "promises", level_of(g, l)->promises);
            iso_json_text(&out, "anomaly", s->name);
            iso_json_text(&out, "forbids", iso_level_get(s->forbids)->name);
            iso_json_text(&out, "verdict", iso_verdict_text(c->verdict));
            iso_json_flag(&out, "promised", c->promised);
            iso_json_flag(&out, "waited", c->waited);
            iso_json_flag(&out, "refused", c->refused);
            iso_json_close(&out, '}');
        }
    }
    iso_json_close(&out, ']');
    iso_json_close(&out, '}');
    iso_json_end(&out);
}

/* Reads the scripts of a file, or takes the ones of isolab. */
static const iso_script *scripts_of(iso_cli *cli, const char *path) {
    const iso_script *all =
        path == NULL ? iso_script_parse(&cli->pool, iso_schedules) : iso_script_read(&cli->pool, path);
    for (const iso_script *s = all; s != NULL; s = s->next) {
        if (s->forbids == ISO_NO_LEVEL) {
            iso_throw_file(&cli->env, ISOLAB_E_INPUT, path,
                           "script %s does not say which level forbids it: `forbids si`", s->name);
        }
    }
    return all;
}

static int run_hermitage(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    grid g = {.cli = cli, .v = v};
    if (n == 0) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "which database? One of `isolab list databases`");
    }
    iso_playing_database(cli, &v->by, operands[0], &g.db);
    g.scripts = scripts_of(cli, v->scripts);
    for (const iso_script *s = g.scripts; s != NULL; s = s->next) {
        g.n_scripts++;
    }
    for (const iso_offer *o = g.db.collector->levels; o->name != NULL; o++) {
        g.n_levels++;
    }
    g.n_levels = iso_arg_given(g.db.args, "level") ? 1 : g.n_levels;
    g.cells = ISO_ZNEW(&cli->pool, cell, (size_t)g.n_levels * g.n_scripts);
    iso_with_server(&g.db, play_all, &g);
    iso_clear_progress();
    if (v->json) {
        print_json(&g);
    } else {
        print_table(&g);
    }
    return g.broken ? ISOLAB_VIOLATED : ISOLAB_OK;
}

const iso_command iso_command_hermitage = {
    .summary = "plays schedules that try for anomalies at every level of a database",
    .operands = "DATABASE",
    .least = 0,
    .most = 1,
    .of = ISO_OF_DATABASES,
    .size = sizeof(values),
    .details = "--level selects one level of the database; without it, all are played. Each schedule tries for "
               "one anomaly; the history that was recorded is checked at the level that forbids the anomaly. "
               "Exit status 1: an anomaly was allowed that the database promises to prevent.",
    .options = (const iso_option[]){{ISO_TEXT("scripts", NULL, "play the scripts of this file (docs/scripts.md)"),
                                     .letter = 's', .of = ISO_OF_FILES, ISO_TO(values, scripts)},
                                    {ISO_TEXT("keep", NULL, "write the recorded histories into this folder"),
                                     .of = ISO_OF_OUTPUTS, ISO_TO(values, keep)},
                                    {ISO_FLAG("json", "no", "print JSON"), .letter = 'j', ISO_TO(values, json)},
                                    ISO_END},
    .examples = "isolab hermitage postgres --spawn\n"
                "isolab hermitage mariadb --spawn --level snapshot --keep histories",
    .run = run_hermitage,
    .refine = iso_playing_refine,
};
