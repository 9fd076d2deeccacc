/* Pictures of anomalies for the options --draw, --svg FILE and --picture FILE. */
#ifndef ISOLAB_CLI_PICTURES_H
#define ISOLAB_CLI_PICTURES_H

#include "cli/answer.h"
#include "cli/command.h"

typedef struct iso_pictures {
    const char *svg; /* a file; NULL: none */
    const char *any; /* a file whose extension names the format; NULL: none */
    bool draw;       /* print it on standard output */
    unsigned n;      /* number of anomalies drawn so far: the second one's files are FILE-2, before the
                            * extension */
} iso_pictures;

/* Throws ISOLAB_E_USAGE if no format has the extension. */
void iso_pictures_know(iso_cli *cli, const char *path);

/* Draws the first `most` anomalies of an answer, one by one in cli->item. Throws ISOLAB_E_IO. */
void iso_picture_answer(iso_cli *cli, iso_pictures *where, const isolab_history *h, const iso_answer *answer,
                        uint64_t most);

#endif
