/* Printing answers. See answer.h. */
#include "cli/answer.h"

#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "explain/words.h"

/* Limit of printed steps of one anomaly; --json has all of them. */
enum { STEPS_SHOWN = 60 };

const char *iso_verdict_text(isolab_verdict verdict) {
    return verdict == ISOLAB_SATISFIED ? "satisfied" : verdict == ISOLAB_VIOLATED ? "violated" : "unknown";
}

void iso_answer_evidence(FILE *out, const iso_answer *a) {
    if (a->weight != ISO_UNWEIGHED && a->cases > 0) {
        iso_say(out, "; evidence %s%" PRIu64, a->weight == ISO_AT_LEAST ? "at least " : "", a->cases);
    } else if (a->weight != ISO_UNWEIGHED && a->result.verdict == ISOLAB_SATISFIED) {
        iso_say(out, "; no evidence");
    }
}

void iso_answer_line(FILE *out, const iso_answer *a) {
    const iso_level_info *level = iso_level_get(a->level);
    if (a->not_asked != ISO_ASKED) {
        iso_say(out, "%s: not asked, %s\n", level->name, a->result.reason);
        return;
    }
    if (a->patterns == 0) {
        iso_say(out, "%s %s (%s)", iso_verdict_text(a->result.verdict), level->name, level->title);
    } else {
        iso_say(out, "%s, looking for nothing but", iso_verdict_text(a->result.verdict));
        for (int tap = 0; tap < ISO_TAPS; tap++) {
            if ((a->patterns >> tap & 1) != 0) {
                iso_say(out, "%s %s", a->patterns & (ISO_TAP_BIT(tap) - 1) ? "," : "",
                        iso_anomaly_get((iso_anomaly_kind)tap)->plume);
            }
        }
    }
    if (a->implied_by != ISO_LEVELS) {
        iso_say(out, ", follows from %s", iso_level_get(a->implied_by)->name);
    }
    if (a->checker != NULL) {
        iso_say(out, ", %s, %.3g ms", a->checker->name, (double)a->ns / 1e6);
    }
    if (a->result.verdict == ISOLAB_UNKNOWN) {
        iso_say(out, ": %s", a->result.reason);
    } else if (a->result.reason[0] != '\0') {
        iso_say(out, "; %s%s", a->result.verdict == ISOLAB_VIOLATED ? "not all of it: " : "", a->result.reason);
    }
    iso_answer_evidence(out, a);
    iso_say(out, "\n");
    if (a->result.witnesses != NULL) {
        iso_say(out, "  commit orders that witness it: %s\n", a->result.witnesses);
    }
}

typedef struct steps {
    FILE *out;
    unsigned shown, left_out, number;
} steps;

static void print_step(void *arg, unsigned depth, const iso_edge *edge, const char *sentence) {
    steps *s = arg;
    (void)edge;
    if (s->shown++ >= STEPS_SHOWN) {
        s->left_out++;
        return;
    }
    if (depth == 0) {
        iso_say(s->out, "    %u. %s.\n", ++s->number, sentence);
    } else {
        iso_say(s->out, "    %*sbecause %s.\n", (int)(3 * (depth < 8 ? depth : 8)), "", sentence);
    }
}

static void print_names(FILE *out, const iso_anomaly *a) {
    const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)a->kind);
    iso_say(out, "  %s", info->name);
    const char *by[4] = {"session ", "Plume ", "Adya ", "Elle "}, *gap = " (";
    const char *known[4] = {info->guarantee != NULL ? "guarantee" : NULL, iso_anomaly_plume(a), info->adya, info->elle};
    for (int i = 0; i < 4; i++) {
        if (known[i] != NULL) {
            iso_say(out, "%s%s%s", gap, by[i], known[i]);
            gap = ", ";
        }
    }
    iso_say(out, "%s", gap[0] == ',' ? ")" : "");
    iso_say(out, ": %s\n", info->meaning);
}

/* Says what the limit left out. Some checkers continue counting, others stop. */
static void print_rest(FILE *out, const iso_result *r) {
    uint64_t counted = 0;
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        counted += r->seen[kind];
    }
    if (counted == r->n_anomalies) {
        iso_say(out, "  ... these are the first %u (--limit); there may be more\n", r->n_anomalies);
        return;
    }
    iso_say(out, "  ... these are the first %u (--limit), of", r->n_anomalies);
    const char *gap = " ";
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        if (r->seen[kind] != 0) {
            iso_say(out, "%s%llu %s", gap, (unsigned long long)r->seen[kind],
                    iso_anomaly_get((iso_anomaly_kind)kind)->name);
            gap = ", ";
        }
    }
    iso_say(out, "\n");
}

/* Prints the levels at which some checker finds all anomalies. */
static void say_levels_of_all(FILE *out) {
    const char *gap = " ";
    for (int l = 0; l < ISO_LEVELS; l++) {
        for (size_t i = 0; iso_checkers[i] != NULL; i++) {
            if ((iso_checkers[i]->can & ISO_CAN_ALL) && (iso_checkers[i]->levels & ISO_LEVEL_BIT(l))) {
                iso_say(out, "%s%s", gap, iso_level_get((iso_level)l)->name);
                gap = ", ";
                break;
            }
        }
    }
}

void iso_answer_anomalies(FILE *out, const isolab_history *h, const iso_answer *a, uint64_t most) {
    char sentence[ISO_SENTENCE_SIZE];
    const iso_result *r = &a->result;
    for (uint32_t i = 0; i < r->n_anomalies && i < most; i++) {
        const iso_anomaly *anomaly = &r->anomalies[i];
        print_names(out, anomaly);
        iso_word_anomaly(h, r, anomaly, sentence);
        if (strcmp(sentence, iso_anomaly_get(anomaly->kind)->meaning) != 0) {
            iso_say(out, "    %s\n", sentence);
        }
        steps s = {out, 0, 0, 0};
        iso_each_step(h, r, anomaly, print_step, &s);
        if (s.left_out > 0) {
            iso_say(out, "    ... and %u more lines (--json has all of them)\n", s.left_out);
        }
    }
    if (a->first_only) {
        iso_say(out, "  ... this is the first one: checker %s looks for no more (for --all others do at",
                a->checker->name);
        say_levels_of_all(out);
        iso_say(out, ")\n");
    } else if (most > 1 && r->n_anomalies >= most) {
        print_rest(out, r);
    }
}

typedef struct json_steps {
    iso_json *j;
    const isolab_history *h;
} json_steps;

static void json_txn(iso_json *j, const isolab_history *h, const char *name, uint32_t txn) {
    char text[ISO_NAME_SIZE];
    iso_json_text(j, name, txn == ISO_INIT || txn < h->n_txns ? iso_txn_text(h, txn, text) : NULL);
}

static void json_step(void *arg, unsigned depth, const iso_edge *edge, const char *sentence) {
    json_steps *s = arg;
    char key[ISO_NAME_SIZE];
    iso_json_open(s->j, NULL, '{');
    iso_json_text(s->j, "text", sentence);
    iso_json_count(s->j, "depth", depth);
    iso_json_text(s->j, "kind", iso_edge_name((iso_edge_kind)edge->kind));
    json_txn(s->j, s->h, "from", edge->from);
    json_txn(s->j, s->h, "to", edge->to);
    iso_json_text(s->j, "key", edge->key < s->h->n_keys ? iso_key_text(s->h, edge->key, key) : NULL);
    iso_json_close(s->j, '}');
}

static void json_anomaly(iso_json *j, const isolab_history *h, const iso_result *r, const iso_anomaly *a) {
    char sentence[ISO_SENTENCE_SIZE];
    const iso_anomaly_info *info = iso_anomaly_get(a->kind);
    iso_json_open(j, NULL, '{');
    iso_json_text(j, "name", info->name);
    iso_json_text(j, "adya", info->adya);
    iso_json_text(j, "plume", iso_anomaly_plume(a));
    iso_json_text(j, "elle", info->elle != NULL ? info->elle : info->adya);
    iso_json_text(j, "guarantee", info->guarantee);
    iso_json_text(j, "text", iso_word_anomaly(h, r, a, sentence));
    iso_json_open(j, "transactions", '[');
    uint32_t n = a->n_cycle != 0 ? a->n_cycle : 2;
    uint32_t *txns = ISO_NEW(r->pool, uint32_t, n);
    n = iso_anomaly_txns(h, r, a, txns, n);
    for (uint32_t i = 0; i < n; i++) {
        json_txn(j, h, NULL, txns[i]);
    }
    iso_free(r->pool, txns);
    iso_json_close(j, ']');
    iso_json_open(j, "steps", '[');
    iso_each_step(h, r, a, json_step, &(json_steps){j, h});
    iso_json_close(j, ']');
    iso_json_close(j, '}');
}

void iso_answer_json(iso_json *j, const isolab_history *h, const iso_answer *a, uint64_t most, int64_t load_ns) {
    const iso_result *r = &a->result;
    iso_json_text(j, "level", iso_level_get(a->level)->name);
    if (a->patterns != 0) {
        iso_json_open(j, "patterns", '[');
        for (int tap = 0; tap < ISO_TAPS; tap++) {
            if ((a->patterns >> tap & 1) != 0) {
                iso_json_text(j, NULL, iso_anomaly_get((iso_anomaly_kind)tap)->plume);
            }
        }
        iso_json_close(j, ']');
    }
    iso_json_text(j, "checker", a->checker != NULL ? a->checker->name : NULL);
    iso_json_text(j, "verdict", iso_verdict_text(r->verdict));
    iso_json_text(j, "reason", r->reason[0] != '\0' ? r->reason : NULL);
    iso_json_text(j, "reason_code", iso_reason_name(r->reason_code));
    iso_json_flag(j, "asked", a->not_asked == ISO_ASKED);
    if (iso_level_is_timed(a->level)) {
        iso_json_flag(j, "times", !a->untimed);
    }
    if (a->implied_by != ISO_LEVELS) {
        iso_json_text(j, "follows_from", iso_level_get(a->implied_by)->name);
    }
    if (a->weight != ISO_UNWEIGHED) {
        iso_json_count(j, "evidence", a->cases);
        iso_json_flag(j, "evidence_exact", a->weight == ISO_EXACTLY);
    } else {
        iso_json_text(j, "evidence", NULL);
    }
    if (a->all) {
        iso_json_flag(j, "all", !a->first_only);
    }
    iso_json_open(j, "anomalies", '[');
    for (uint32_t i = 0; i < r->n_anomalies && i < most; i++) {
        json_anomaly(j, h, r, &r->anomalies[i]);
    }
    iso_json_close(j, ']');
    iso_json_open(j, "instances", '{');
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        if (r->seen[kind] != 0) {
            iso_json_count(j, iso_anomaly_get((iso_anomaly_kind)kind)->name, r->seen[kind]);
        }
    }
    iso_json_close(j, '}');
    iso_json_open(j, "levels_also_violated", '[');
    for (int l = 0; l < ISO_LEVELS && r->verdict == ISOLAB_VIOLATED && a->patterns == 0; l++) {
        if (iso_level_implies((iso_level)l, a->level)) {
            iso_json_text(j, NULL, iso_level_get((iso_level)l)->name);
        }
    }
    iso_json_close(j, ']');
    if (r->witnesses != NULL) {
        iso_json_number(j, "witnesses", r->witnesses);
    }
    iso_json_open(j, "milliseconds", '{');
    iso_json_real(j, "load", (double)load_ns / 1e6);
    for (unsigned i = 0; i < r->n_phases; i++) {
        iso_json_real(j, r->phase[i].name, (double)r->phase[i].ns / 1e6);
    }
    iso_json_real(j, "check", (double)a->ns / 1e6);
    iso_json_close(j, '}');
    iso_json_open(j, "counters", '{');
    for (unsigned i = 0; i < r->n_counters; i++) {
        iso_json_count(j, r->counter[i].name, r->counter[i].value);
    }
    iso_json_close(j, '}');
    iso_json_count(j, "history_memory", a->held);
    iso_json_count(j, "peak_memory", a->peak);
}
