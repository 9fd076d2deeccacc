/* Commands that play scripts on a database: `hermitage`, `replay`. Their values begin with an iso_playing. */
#ifndef ISOLAB_CLI_PLAYING_H
#define ISOLAB_CLI_PLAYING_H

#include "checkers/ladder.h"
#include "cli/command.h"
#include "collectors/database.h"
#include "collectors/play.h"

typedef struct iso_playing {
    const iso_collector *collector;
    iso_args *args; /* options of the database, and of playing */
} iso_playing;

/* The refine function of such a command: its options are those of the database that its first argument names. */
const iso_command *iso_playing_refine(iso_cli *cli, const iso_command *command, int argc, char **argv);

/* Prepares the database that `operand` names. */
void iso_playing_database(iso_cli *cli, const iso_playing *by, const char *operand, iso_database *db);

/* Plays a script at a level of a database whose server runs, in a pool of its own, and asks about the history. Returns
 * the verdict about `level`. */
isolab_verdict iso_playing_once(iso_database *db, const iso_offer *offer, const iso_script *s, iso_level level,
                                iso_pool *pool, iso_played *played, const iso_answer **answer);

#endif
