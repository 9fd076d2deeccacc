/* How `check` prints what is known of a level. */
#ifndef ISOLAB_CLI_ANSWER_H
#define ISOLAB_CLI_ANSWER_H

#include "base/json.h"
#include "checkers/ladder.h"

const char *iso_verdict_text(isolab_verdict verdict);

/* For people: the verdict's line, then the anomalies (most: how many of them). */
void iso_answer_line(FILE *out, const iso_answer *answer);
void iso_answer_evidence(FILE *out, const iso_answer *answer); /* `; evidence 12`, where there may be some */
void iso_answer_anomalies(FILE *out, const isolab_history *h, const iso_answer *answer, uint64_t most);

/* The members `level` ... `counters` of a JSON object that is open. load_ns is what reading the history took. */
void iso_answer_json(iso_json *j, const isolab_history *h, const iso_answer *answer, uint64_t most, int64_t load_ns);

#endif
