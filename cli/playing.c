/* Playing scripts for commands. See playing.h. */
#include "cli/playing.h"

#include "base/print.h"
#include "cli/collecting.h"
#include "cli/limits.h"

static const iso_option play_options[] = {
    {ISO_TEXT("level", NULL, "isolation level, by the database's own name: see `isolab list databases`"),
     .letter = 'l'},
    {ISO_COUNT("lock-wait", "5000", 0, 1e6, "milliseconds that a transaction waits for a lock before it is refused")},
    {ISO_COUNT("wait", "200", 1, 1e6, "milliseconds after which an unanswered step waits, and the script goes on")},
    {ISO_FLAG("spawn", "no", "start a private server for the run, on a loopback port and in a temporary folder")},
    {ISO_FLAG("durable", "no", "a commit survives a crash; else it may be as fast as the database allows")},
    {ISO_TEXT(
         "folder", NULL,
         "make the folder of the database or its server in this one; embedded databases then use files, not memory"),
     .of = ISO_OF_OUTPUTS},
    ISO_END};

const iso_command *iso_playing_refine(iso_cli *cli, const iso_command *command, int argc, char **argv) {
    const char *name = iso_cli_first_word(argc, argv);
    iso_playing by = {.collector = name != NULL ? iso_cli_collector(cli, name) : iso_collectors[0]};
    const iso_option *tables[ISO_ARG_TABLES] = {play_options, by.collector->options, NULL};
    by.args = ISO_NEW(&cli->pool, iso_args, 1);
    iso_args_init(by.args, &cli->pool, by.collector->name, tables);
    iso_command *c = iso_command_with(cli, command, by.args);
    iso_playing *defaults = iso_zalloc(&cli->pool, 1, command->size);
    *defaults = by;
    c->defaults = defaults;
    return c;
}

void iso_playing_database(iso_cli *cli, const iso_playing *by, const char *operand, iso_database *db) {
    if (iso_cli_collector(cli, operand) != by->collector) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "the database's name comes before its options: %s %s ...", cli->command,
                  operand);
    }
    if (by->collector->whole) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "%s runs whole transactions; %s needs a client that takes steps",
                  by->collector->name, cli->command);
    }
    iso_database_init(db, by->collector, by->args, &(iso_workload){.n_keys = 1});
}

enum { APART = 16 }; /* plays until keys are used again */

typedef struct once {
    iso_database *db;
    const iso_script *s;
    uint32_t first_key;
    iso_pool *pool;
    iso_played *played;
} once;

static void play(void *arg) {
    const once *o = arg;
    iso_play(o->pool, o->db, o->s, o->first_key, (int64_t)iso_arg_count(o->db->args, "wait") * 1000000, o->played);
}

isolab_verdict iso_playing_once(iso_database *db, const iso_offer *offer, const iso_script *s, iso_level level,
                                iso_pool *pool, iso_played *played, const iso_answer **answer) {
    once o = {db, s, db->plays++ % APART * ISO_SCRIPT_KEYS, pool, played};
    iso_asker asker;
    db->level = offer;
    db->n_keys = o.first_key + s->n_keys;
    db->lists = s->lists;
    iso_with_open(db, play, &o);
    iso_asker_init(&asker, pool, played->history, &(const iso_question){.level = level, .limit = 1});
    asker.answered = iso_limits_repay;
    *answer = iso_ask(&asker, level);
    return (*answer)->result.verdict;
}
