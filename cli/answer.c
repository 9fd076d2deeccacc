/* Printing answers. See answer.h. */
#include "cli/answer.h"

#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "explain/anomaly_json.h"
#include "explain/story.h"

/* Limit of printed steps of one anomaly; --json has all of them. */
enum { STEPS_SHOWN = 60, PLACES_SHOWN = 20 };

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
        iso_say(out, "%s for patterns", iso_verdict_text(a->result.verdict));
        for (int tap = 0; tap < ISO_TAPS; tap++) {
            if ((a->patterns >> tap & 1) != 0) {
                iso_say(out, "%s %s", a->patterns & (ISO_TAP_BIT(tap) - 1) ? "," : "",
                        iso_anomaly_get((iso_anomaly_kind)tap)->plume);
            }
        }
    }
    if (a->implied_by != ISO_NO_LEVEL) {
        iso_say(out, ", follows from %s", iso_level_get(a->implied_by)->name);
    }
    if (a->checker != NULL) {
        double ms = (double)a->ns / 1e6; /* three digits, but not `1.23e+03` */
        iso_say(out, ", %s, ", a->checker->name);
        if (ms < 999.5) {
            iso_say(out, "%.3g ms", ms);
        } else {
            iso_say(out, "%.0f ms", ms);
        }
    }
    if (a->result.verdict == ISOLAB_UNKNOWN) {
        iso_say(out, ": %s", a->result.reason);
    } else if (a->result.reason[0] != '\0') {
        iso_say(out, "; %s%s", a->result.verdict == ISOLAB_VIOLATED ? "incomplete: " : "", a->result.reason);
    }
    iso_answer_evidence(out, a);
    iso_say(out, "\n");
    if (a->result.witnesses != NULL) {
        iso_say(out, "  commit orders that witness it: %s\n", a->result.witnesses);
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

/* Says how many anomalies there are of each kind, and what the limit left out. Some checkers continue counting, others
 * stop. */
static void print_rest(FILE *out, const iso_result *r, uint64_t shown, uint64_t most) {
    uint64_t counted = 0;
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        counted += r->seen[kind];
    }
    if (shown >= most) {
        iso_say(out, "  ... these are the first %" PRIu64 " (--limit)", shown);
        if (counted == shown) {
            iso_say(out, "; there may be more\n");
            return;
        }
        iso_say(out, ", of");
    } else {
        iso_say(out, "  ... these are all %" PRIu64 ":", shown);
    }
    const char *gap = " ";
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        if (r->seen[kind] != 0) {
            iso_say(out, "%s%" PRIu64 " %s", gap, r->seen[kind], iso_anomaly_get((iso_anomaly_kind)kind)->name);
            gap = ", ";
        }
    }
    iso_say(out, "\n");
}

/* Prints the levels at which some checker finds all anomalies. */
static void say_levels_of_all(FILE *out) {
    const char *gap = " ";
    for (int l = 0; l < iso_n_levels; l++) {
        for (size_t i = 0; iso_checkers[i] != NULL; i++) {
            if ((iso_checkers[i]->can & ISO_CAN_ALL) && iso_checker_takes(iso_checkers[i], l)) {
                iso_say(out, "%s%s", gap, iso_level_get((iso_level)l)->name);
                gap = ", ";
                break;
            }
        }
    }
}

void iso_answer_anomaly(FILE *out, const isolab_history *h, const iso_result *r, const iso_anomaly *a) {
    print_names(out, a);
    iso_chain chain = iso_anomaly_chain(r, a);
    iso_say_chain(out, h, &chain, STEPS_SHOWN, PLACES_SHOWN);
}

void iso_answer_anomalies(FILE *out, const isolab_history *h, const iso_answer *a, uint64_t most) {
    const iso_result *r = &a->result;
    for (uint32_t i = 0; i < r->n_anomalies && i < most; i++) {
        iso_answer_anomaly(out, h, r, &r->anomalies[i]);
    }
    if (a->rest != ISO_REST_UNSEARCHED) {
        iso_say(out, "  ... ");
        iso_answer_rest(&(iso_printer){.out = out}, a);
        iso_say(out, "\n");
    } else if (a->first_only) {
        iso_say(out, "  ... this is the first one: checker %s looks for no more (others do at",
                a->checker != NULL ? a->checker->name : a->found_by->name);
        say_levels_of_all(out);
        iso_say(out, ")\n");
    } else if (r->taken > 0 || (most > 1 && r->n_anomalies >= most)) {
        print_rest(out, r, r->n_anomalies + r->taken, most);
    }
}

/* Prints the phases and numbers of the checker. */
static void json_cost(iso_json *j, const iso_answer *a, int64_t load_ns) {
    const iso_result *r = &a->result;
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
    if (a->found_by != NULL) {
        iso_json_text(j, "anomalies_found_by", a->found_by->name);
    }
    iso_json_text(j, "verdict", iso_verdict_text(r->verdict));
    iso_json_text(j, "reason", r->reason[0] != '\0' ? r->reason : NULL);
    iso_json_text(j, "reason_code", iso_reason_name(r->reason_code));
    iso_json_flag(j, "asked", a->not_asked == ISO_ASKED);
    if (iso_level_is_timed(a->level)) {
        iso_json_flag(j, "times", !a->untimed);
    }
    if (a->implied_by != ISO_NO_LEVEL) {
        iso_json_text(j, "follows_from", iso_level_get(a->implied_by)->name);
    }
    if (a->weight != ISO_UNWEIGHED) {
        iso_json_count(j, "evidence", a->cases);
        iso_json_flag(j, "evidence_exact", a->weight == ISO_EXACTLY);
    } else {
        iso_json_text(j, "evidence", NULL);
    }
    if (a->all) {
        iso_json_flag(j, "all", !a->first_only && a->rest == ISO_REST_UNSEARCHED);
    }
    if (a->rest != ISO_REST_UNSEARCHED) {
        iso_json_text(j, "rest", iso_rest_name(a->rest));
    }
    if (r->taken == 0) { /* else they were printed when they were found */
        iso_json_open(j, "anomalies", '[');
        for (uint32_t i = 0; i < r->n_anomalies && i < most; i++) {
            iso_anomaly_json(j, h, r, &r->anomalies[i]);
        }
        iso_json_close(j, ']');
    }
    iso_json_open(j, "instances", '{');
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        if (r->seen[kind] != 0) {
            iso_json_count(j, iso_anomaly_get((iso_anomaly_kind)kind)->name, r->seen[kind]);
        }
    }
    iso_json_close(j, '}');
    iso_json_open(j, "levels_also_violated", '[');
    for (int l = 0; l < iso_n_levels && r->verdict == ISOLAB_VIOLATED && a->patterns == 0; l++) {
        if (iso_level_implies((iso_level)l, a->level)) {
            iso_json_text(j, NULL, iso_level_get((iso_level)l)->name);
        }
    }
    iso_json_close(j, ']');
    if (r->witnesses != NULL) {
        iso_json_number(j, "witnesses", r->witnesses);
    }
    json_cost(j, a, load_ns);
    iso_json_count(j, "history_memory", a->held);
    iso_json_count(j, "peak_memory", a->peak);
}
