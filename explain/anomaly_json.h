/* An anomaly as JSON (docs/json.md): what happened, the transactions with their places in the input, and the steps of
 * the proof. */
#ifndef ISOLAB_EXPLAIN_ANOMALY_JSON_H
#define ISOLAB_EXPLAIN_ANOMALY_JSON_H

#include "base/json.h"
#include "checkers/result.h"

/* The version of the schema of docs/json.md. It is increased if a member is removed or changes its meaning, and kept if
 * a member is added. */
#define ISO_JSON_SCHEMA 2

void iso_anomaly_json(iso_json *j, const isolab_history *h, const iso_result *result, const iso_anomaly *anomaly);

#endif
