/* Printing answers. See answer.h. */
#include "cli/answer.h"

#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "collectors/collector.h"
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

void iso_answer_rest(iso_printer *out, const iso_answer *a) {
    const char *level = iso_level_get(a->level)->name, *them = a->result.n_anomalies == 1 ? "it" : "them";
    if (a->result.n_anomalies == 1) {
        iso_print(out, "one anomaly.");
    } else {
        iso_print(out, "%u anomalies, each found in what the ones before it leave.", a->result.n_anomalies);
    }
    if (a->rest == ISO_REST_SATISFIED) {
        iso_print(out, " Without %s the history satisfies %s.", them, level);
    } else if (a->rest == ISO_REST_VIOLATED) {
        iso_print(out, " Without %s it still violates %s, but by no transactions that could be named.", them, level);
    } else {
        iso_print(out, " It is not known whether it satisfies %s without %s%s.", level, them,
                  a->rest == ISO_REST_LIMIT ? " (--limit)" : "");
    }
    iso_print(out, " Others that share transactions with %s may exist.", them);
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

iso_promise iso_promise_of(const isolab_history *h, const iso_answer *const rung[ISO_MOST_LEVELS]) {
    const iso_collector *collector;
    const iso_offer *offer = iso_offer_recorded(h->about, &collector);
    iso_promise p = {.level = offer != NULL ? iso_level_find(offer->promises, NULL) : ISO_NO_LEVEL};
    p.verdict = ISOLAB_UNKNOWN;
    for (int l = 0; l < iso_n_levels && p.level != ISO_NO_LEVEL; l++) {
        bool within = l == (int)p.level || iso_level_implies(p.level, (iso_level)l);
        bool beyond = l == (int)p.level || iso_level_implies((iso_level)l, p.level);
        isolab_verdict v = rung[l] != NULL && rung[l]->patterns == 0 ? rung[l]->result.verdict : ISOLAB_UNKNOWN;
        p.verdict = (v == ISOLAB_SATISFIED && beyond) || (v == ISOLAB_VIOLATED && within) ? v : p.verdict;
        p.within |= within ? ISO_LEVEL_BIT(l) : 0;
        p.database = collector->title;
        p.configured = offer->name;
    }
    p.text = p.verdict == ISOLAB_SATISFIED ? "kept" : p.verdict == ISOLAB_VIOLATED ? "BROKEN" : "not known";
    return p;
}

const char *iso_level_names(iso_pool *pool, iso_levels levels) {
    iso_printer text = {.pool = pool};
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (levels & ISO_LEVEL_BIT(l)) {
            iso_print(&text, "%s%s", text.size > 0 ? ", " : "", iso_level_get((iso_level)l)->name);
        }
    }
    return iso_printed(&text);
}

bool iso_are_among(const uint32_t *few, uint32_t n, const uint32_t *many, uint32_t n_many) {
    bool found = true;
    for (uint32_t i = 0; i < n && found; i++) {
        found = false;
        for (uint32_t k = 0; k < n_many && !found; k++) {
            found = few[i] == many[k];
        }
    }
    return found;
}

/* Returns whether two answers begin with the same anomaly: of one kind, and the transactions of one are among those of
 * the other. */
static bool same_first(const isolab_history *h, const iso_result *a, const iso_result *b) {
    enum { MOST = 64 };
    uint32_t one[MOST], two[MOST], n = iso_anomaly_txns(h, a, &a->anomalies[0], one, MOST);
    uint32_t m = iso_anomaly_txns(h, b, &b->anomalies[0], two, MOST);
    return a->anomalies[0].kind == b->anomalies[0].kind && n <= MOST && m <= MOST &&
           (n > m ? iso_are_among(two, m, one, n) : iso_are_among(one, n, two, m));
}

iso_levels iso_levels_to_tell(const isolab_history *h, const iso_ladder *ladder) {
    iso_levels tell = 0;
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_result *r = ladder->rung[l] != NULL ? &ladder->rung[l]->result : NULL;
        bool own = r != NULL && r->verdict == ISOLAB_VIOLATED &&
                   (r->n_anomalies > 0 || (ladder->broken_first & ISO_LEVEL_BIT(l)) != 0);
        for (int weaker = 0; weaker < l && own && r->n_anomalies > 0; weaker++) {
            const iso_result *w = (tell & ISO_LEVEL_BIT(weaker)) != 0 ? &ladder->rung[weaker]->result : NULL;
            own = w == NULL || w->n_anomalies == 0 || !same_first(h, r, w) ||
                  (ladder->rung[l]->rest != ISO_REST_UNSEARCHED && r->n_anomalies > w->n_anomalies);
        }
        tell |= own ? ISO_LEVEL_BIT(l) : 0;
    }
    return tell;
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
