/* What one checker answered for one level, and how `check` prints it. */
#ifndef ISOLAB_CLI_ANSWER_H
#define ISOLAB_CLI_ANSWER_H

#include "checkers/checker.h"
#include "base/json.h"

typedef struct iso_answer {
    iso_level level;
    const iso_checker *checker; /* NULL: none could, or it follows from another level */
    iso_level implied_by;       /* ISO_LEVELS: no, a checker was run */
    uint32_t patterns;          /* nothing else was asked: the verdict is not that of the level; 0: all of it was */
    iso_pool pool;              /* of the result */
    iso_result result;
    int64_t load_ns, ns;
    uint64_t held; /* bytes in use when it began: the history */
    uint64_t peak; /* most bytes in use while it ran, the history included */
} iso_answer;

const char *iso_verdict_text(isolab_verdict verdict);

/* For people: the verdict's line, then the anomalies (most: how many of them). */
void iso_answer_line(FILE *out, const iso_answer *answer);
void iso_answer_anomalies(FILE *out, const isolab_history *h, const iso_answer *answer, uint64_t most);

/* The members `level` ... `counters` of a JSON object that is open. */
void iso_answer_json(iso_json *j, const isolab_history *h, const iso_answer *answer, uint64_t most);

#endif
