/* How `check` prints the answer about a level. */
#ifndef ISOLAB_CLI_ANSWER_H
#define ISOLAB_CLI_ANSWER_H

#include "base/json.h"
#include "base/print.h"
#include "checkers/ladder.h"
#include "report/answers.h"

/* Prints for people: the line of the verdict, then the anomalies (most: their limit). */
void iso_answer_line(FILE *out, const iso_answer *answer);
void iso_answer_evidence(FILE *out, const iso_answer *answer); /* prints `; evidence 12`, if there is any */
void iso_answer_anomaly(FILE *out, const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly);
void iso_answer_anomalies(FILE *out, const isolab_history *h, const iso_answer *answer, uint64_t most);

/* Prints the members `level` ... `counters` of an open JSON object. load_ns: time of reading the history. */
void iso_answer_json(iso_json *j, const isolab_history *h, const iso_answer *answer, uint64_t most, int64_t load_ns);

#endif
