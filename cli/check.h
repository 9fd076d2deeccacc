/* One run of `isolab check`: what was asked (check.c), and what is printed about one history (check_print.c). */
#ifndef ISOLAB_CLI_CHECK_H
#define ISOLAB_CLI_CHECK_H

#include "cli/answer.h"
#include "cli/ci.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/pictures.h"
#include "history/suspect.h"

typedef struct iso_check_values {
    iso_cli_reading reading;
    const char *level, *checker, *adapters, *patterns, *options, *dimacs, *certificate, *svg, *picture, *junit, *sarif;
    bool json, no_digest, all, count, no_session_order, draw, require_evidence, brief;
    uint64_t limit;
} iso_check_values;

typedef struct iso_file_check {
    iso_cli *cli;
    const iso_check_values *v;
    const char *path;
    iso_whom whom;
    const iso_checker *checker;
    iso_question question; /* without its level, which is that of --level */
    bool ladder;           /* several levels */
    iso_levels levels;     /* the levels of the ladder */
    iso_levels told;       /* of the ladder: violated levels whose anomalies no weaker level has */

    iso_pool pool; /* for one history */
    isolab_history *h;
    int64_t load_ns;
    uint64_t enough; /* bytes of --memory that would do; 0: not known, or a limit of memory did not matter */
    char sha[65];
    iso_asker asker;
    bool certified;        /* the certificate was written */
    iso_suspects suspects; /* where a level is violated: mistakes of the test */
    iso_pictures pictures; /* for all histories */
    iso_ci ci;
    bool begun;    /* an anomaly was printed when it was found */
    iso_json json; /* the object of this history */
    int status;
} iso_file_check;

uint64_t iso_check_shown(const iso_file_check *f); /* how many anomalies of an answer are shown */

void iso_check_width(const iso_file_check *f); /* sets the width of lines */

/* Print the ladder, as text or JSON, and the answers about one level. */
void iso_check_ladder(const iso_file_check *f, const iso_ladder *ladder);
void iso_check_ladder_json(const iso_file_check *f, const iso_ladder *ladder);
void iso_check_answer(iso_file_check *f, const iso_answer *a);
/* Prints the anomaly of a result, and before the first anomaly the beginning of the answer. An iso_taker; file: the
 * iso_file_check. */
void iso_check_found(void *file, const iso_result *result);
/* Prints the answer about a history that could not be loaded within the limits. */
void iso_check_unloaded(const iso_file_check *f, const char *reason, iso_limit limit);

#endif
