/* Filling in results, and the table of anomalies. See result.h. */
#include "checkers/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

void iso_result_init(iso_result *result, iso_pool *pool) {
    memset(result, 0, sizeof *result);
    result->verdict = ISOLAB_UNKNOWN;
    result->pool = pool;
}

void iso_result_conclude(iso_result *result) {
    if (result->verdict == ISOLAB_UNKNOWN) {
        result->verdict = ISOLAB_SATISFIED;
    }
}

uint32_t iso_result_edge(iso_result *result, iso_edge edge) {
    iso_assert(edge.kind < ISO_EDGE_KINDS);
    ISO_GROW(result->pool, result->edges, result->n_edges, result->edges_room);
    result->edges[result->n_edges] = edge;
    return result->n_edges++;
}

/* Asserts that each edge of a cycle begins where the last one ended. */
static void check_cycle(const iso_result *result, const iso_anomaly *a) {
    iso_assert(a->cycle + a->n_cycle <= result->n_edges);
    for (uint32_t i = 0; i < a->n_cycle; i++) {
        const iso_edge *e = &result->edges[a->cycle + i], *next = &result->edges[a->cycle + (i + 1) % a->n_cycle];
        iso_assert(e->to == next->from);
    }
}

uint32_t iso_result_anomaly(iso_result *result, iso_anomaly anomaly) {
    check_cycle(result, &anomaly);
    iso_assert(anomaly.kind < ISO_A_KINDS);
    result->verdict = ISOLAB_VIOLATED;
    result->seen[anomaly.kind]++;
    ISO_GROW(result->pool, result->anomalies, result->n_anomalies, result->anomalies_room);
    result->anomalies[result->n_anomalies++] = anomaly;
    if (result->taker != NULL) {
        result->taker(result->taker_arg, result);
        result->taken++;
        result->n_anomalies = result->n_edges = 0;
        return 0;
    }
    return result->n_anomalies - 1;
}

void iso_result_phase(iso_result *result, const char *name, int64_t since) {
    int64_t ns = iso_now() - since;
    ISO_GROW(result->pool, result->phase, result->n_phases, result->phase_room);
    result->phase[result->n_phases++] = (iso_phase){name, ns};
}

void iso_result_counter(iso_result *result, const char *name, uint64_t value) {
    ISO_GROW(result->pool, result->counter, result->n_counters, result->counter_room);
    result->counter[result->n_counters++] = (iso_counter){name, value};
}

void iso_result_reason(iso_result *result, iso_reason code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(result->reason, sizeof result->reason, format, args);
    va_end(args);
    result->reason_code = code;
}

static const char *const reasons[ISO_REASONS] = {
    [ISO_REASON_TIME] = "time",       [ISO_REASON_MEMORY] = "memory", [ISO_REASON_INTERRUPTED] = "interrupted",
    [ISO_REASON_SIZE] = "size",       [ISO_REASON_EFFORT] = "effort", [ISO_REASON_LEVEL] = "level",
    [ISO_REASON_REFUSED] = "refused", [ISO_REASON_TIMES] = "times",   [ISO_REASON_EVIDENCE] = "evidence"};

const char *iso_verdict_text(isolab_verdict verdict) {
    return verdict == ISOLAB_SATISFIED ? "satisfied" : verdict == ISOLAB_VIOLATED ? "violated" : "unknown";
}

const char *iso_reason_name(iso_reason code) { return reasons[code]; }

iso_reason iso_reason_find(const char *name) {
    int code = ISO_REASON_NONE;
    while (name != NULL && ++code < ISO_REASONS && strcmp(reasons[code], name) != 0) {
    }
    return (iso_reason)code;
}

iso_reason iso_reason_of_limit(iso_limit limit) {
    switch (limit) {
    case ISO_LIMIT_TIME:
        return ISO_REASON_TIME;
    case ISO_LIMIT_MEMORY:
        return ISO_REASON_MEMORY;
    case ISO_LIMIT_INTERRUPT:
        return ISO_REASON_INTERRUPTED;
    case ISO_LIMIT_SIZE:
        return ISO_REASON_SIZE;
    case ISO_LIMIT_NONE:
        break;
    }
    return ISO_REASON_NONE;
}

const char *iso_edge_name(iso_edge_kind kind) {
    iso_assert(kind < ISO_EDGE_KINDS);
    static const char *const name[ISO_EDGE_KINDS] = {
        [ISO_EDGE_SO] = "so", [ISO_EDGE_WR] = "wr", [ISO_EDGE_RT] = "rt",    [ISO_EDGE_AXIOM] = "axiom",
        [ISO_EDGE_RW] = "rw", [ISO_EDGE_WW] = "ww", [ISO_EDGE_LIST] = "list"};
    return name[kind];
}

const uint32_t iso_taps_special[ISO_TAPS] = {
    [ISO_TAP_I] = ISO_TAP_BIT(ISO_TAP_H),
    [ISO_TAP_K] = ISO_TAP_BIT(ISO_TAP_H),
    [ISO_TAP_L] = ISO_TAP_BIT(ISO_TAP_H) | ISO_TAP_BIT(ISO_TAP_I) | ISO_TAP_BIT(ISO_TAP_K),
    [ISO_TAP_M] = ISO_TAP_BIT(ISO_TAP_H) | ISO_TAP_BIT(ISO_TAP_K),
    [ISO_TAP_N] = ISO_TAP_BIT(ISO_TAP_H) | ISO_TAP_BIT(ISO_TAP_I) | ISO_TAP_BIT(ISO_TAP_K) | ISO_TAP_BIT(ISO_TAP_L) |
                  ISO_TAP_BIT(ISO_TAP_M),
};

/* rc is rc-plume with y = x allowed. */
uint32_t iso_taps_of(iso_level level) {
    static const struct {
        iso_rules rules;
        uint32_t taps;
    } of[] = {{ISO_RULES_RA | ISO_SEES_CAUSE, ISO_TAPS_UP_TO(ISO_TAP_N)},
              {ISO_RULES_RA, ISO_TAPS_UP_TO(ISO_TAP_L)},
              {ISO_RULES_G1 | ISO_SEES_OTHER_KEY, ISO_TAPS_UP_TO(ISO_TAP_I)},
              {ISO_RULES_G1, ISO_TAPS_UP_TO(ISO_TAP_G)},
              {ISO_RULE_INT, ISO_TAPS_UP_TO(ISO_TAP_F)}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (iso_level_has(level, of[i].rules)) {
            return of[i].taps;
        }
    }
    return ISO_TAP_BIT(ISO_TAP_J);
}

static const iso_anomaly_info table[ISO_A_KINDS] = {
    [ISO_A_THIN_AIR] = {"thin-air-read", "TAP-a", NULL, "A read returned a value that no transaction wrote.", NULL,
                        .breaks = ISO_INT, .of_read = true},
    [ISO_A_ABORTED_READ] = {"aborted-read", "TAP-b", "G1a", "A committed transaction read a value of an aborted one.",
                            NULL, .breaks = ISO_INT, .of_read = true, .also = "dirty-read dirty-reads p1 a1"},
    [ISO_A_FUTURE_READ] = {"future-read", "TAP-c", NULL, "A transaction read what it wrote itself only later.",
                           "internal", .breaks = ISO_INT, .of_read = true},
    [ISO_A_NOT_MY_OWN_WRITE] = {"not-my-own-write", "TAP-d", NULL,
                                "A transaction had written the key, and read another transaction's value.", "internal",
                                .breaks = ISO_INT, .of_read = true},
    [ISO_A_NOT_MY_LAST_WRITE] = {"not-my-last-write", "TAP-e", NULL,
                                 "A transaction read its own write, but not its latest one before.", "internal",
                                 .breaks = ISO_INT, .of_read = true},
    [ISO_A_INTERMEDIATE_READ] = {"intermediate-read", "TAP-f", "G1b",
                                 "A read returned a value that its writer overwrote itself.", NULL, .breaks = ISO_INT,
                                 .of_read = true, .also = "dirty-read dirty-reads"},
    [ISO_A_CYCLIC_CO] = {"cyclic-causality", "TAP-g", "G1c",
                         "Session order and reads-from form a cycle (of lists, with the order that reads show).", NULL,
                         .breaks = ISO_G1, .also = "circular-information-flow"},
    [ISO_A_NON_MONO_READ_CO] = {"non-monotonic-read-co", "TAP-h", "G-single",
                                "A transaction read from one writer, then from a causally earlier one.", NULL,
                                .breaks = ISO_RC},
    [ISO_A_NON_MONO_READ_CM] = {"non-monotonic-read-cm", "TAP-i", NULL,
                                "A transaction read from one writer, then from one committed earlier.", NULL,
                                .breaks = ISO_RC},
    [ISO_A_NON_REPEATABLE_READ] = {"non-repeatable-read", "TAP-j", "G-single",
                                   "A transaction read two values of one key from other transactions.", "internal",
                                   .breaks = ISO_CI, .of_read = true, .also = "unrepeatable-read fuzzy-read p2 a2"},
    [ISO_A_FRACTURED_READ_CO] = {"fractured-read-co", "TAP-k", "G-single",
                                 "A transaction saw part of another one, and a causally older value.", NULL,
                                 .breaks = ISO_RA, .also = "fractured-read fractured-reads"},
    [ISO_A_FRACTURED_READ_CM] = {"fractured-read-cm", "TAP-l", NULL,
                                 "A transaction saw part of another one, and an older committed value.", NULL,
                                 .breaks = ISO_RA, .also = "fractured-read fractured-reads"},
    [ISO_A_CO_CONFLICT_CM] = {"causal-conflict-co", "TAP-m", "G-single",
                              "A transaction missed a write that causally precedes it.", NULL, .breaks = ISO_CC,
                              .also = "causality-violation"},
    [ISO_A_CONFLICT_CM] = {"causal-conflict-cm", "TAP-n", NULL,
                           "Causality forces two writes of a key into both orders.", NULL, .breaks = ISO_CC},
    [ISO_A_G0] = {"write-cycle", NULL, "G0", "Writes follow each other in a cycle.", NULL, .breaks = ISO_G1,
                  .also = "dirty-write dirty-writes p0"},
    [ISO_A_G_SINGLE] = {"single-anti-dependency-cycle", NULL, "G-single", "A cycle with exactly one anti-dependency.",
                        NULL, .breaks = ISO_SI},
    [ISO_A_G_NONADJACENT] = {"nonadjacent-anti-dependency-cycle", NULL, NULL,
                             "A cycle with several anti-dependencies, none of which follows another.", "G-nonadjacent",
                             .breaks = ISO_SI},
    [ISO_A_G2_ITEM] = {"anti-dependency-cycle", NULL, "G2-item", "A cycle with several anti-dependencies.", NULL,
                       .breaks = ISO_SER, .also = "read-only-anomaly read-only-transaction-anomaly"},
    [ISO_A_LOST_UPDATE] = {"lost-update", NULL, "G-single",
                           "Two transactions read one version of a key and both wrote it.", "lost-update",
                           .breaks = ISO_SI, .of_read = true, .also = "lost-updates p4"},
    [ISO_A_WRITE_SKEW] = {"write-skew", NULL, "G2-item", "Two transactions each read what the other one overwrote.",
                          NULL, .breaks = ISO_SER, .also = "a5b"},
    [ISO_A_LONG_FORK] = {"long-fork", NULL, "G2-item", "Two transactions saw two writes in opposite orders.", NULL,
                         .breaks = ISO_PC},
    [ISO_A_PREFIX] = {"prefix-violation", NULL, NULL,
                      "A transaction saw a write and missed an earlier one: it read from no prefix of any order.", NULL,
                      .breaks = ISO_PC},
    [ISO_A_READ_SKEW] = {"read-skew", NULL, "G-single", "A transaction saw part of another one.", NULL,
                         .breaks = ISO_RA, .also = "a5a"},
    [ISO_A_READ_YOUR_WRITES] = {"read-your-writes", NULL, "G-single", "A session missed a write of its own.",
                                "G-single-item-process", .breaks = ISO_RA, .guarantee = "read your writes",
                                .also = "read-my-writes ryw"},
    [ISO_A_MONOTONIC_READS] = {"monotonic-reads", NULL, "G-single",
                               "A session read a value, and later an older value of the same key.",
                               "G-single-item-process", .breaks = ISO_CC, .guarantee = "monotonic reads"},
    [ISO_A_MONOTONIC_WRITES] = {"monotonic-writes", NULL, "G-single",
                                "A transaction saw a write of a session, and missed an earlier write of that session.",
                                "G-single-item-process", .breaks = ISO_CC, .guarantee = "monotonic writes"},
    [ISO_A_WRITES_FOLLOW_READS] = {"writes-follow-reads", NULL, "G-single",
                                   "A transaction saw a write of a session, and missed what that session had read.",
                                   "G-single-item", .breaks = ISO_CC, .guarantee = "writes follow reads"},
    [ISO_A_KEY_TIME] = {"linearizability-violation", NULL, NULL,
                        "A transaction that began after another one's end, and accesses a key of it, comes before it.",
                        NULL, .breaks = ISO_LSER, .also = "stale-read stale-reads"},
    [ISO_A_KEY_CLOCK] = {"key-clock-contradiction", NULL, NULL,
                         "By its times a transaction was over before another one of its key began that it follows in "
                         "its session, or reads from: suspect the clock.",
                         NULL, .breaks = ISO_LSER},
    [ISO_A_REAL_TIME] = {"real-time-violation", NULL, NULL,
                         "A transaction that began after another one's end comes before it.", NULL, .breaks = ISO_SSER,
                         .also = "stale-read stale-reads"},
    [ISO_A_CLOCK] = {"clock-contradiction", NULL, NULL,
                     "By its times a transaction was over before another one began that it follows in its session, or "
                     "reads from: suspect the clock.",
                     NULL, .breaks = ISO_SSER},
    [ISO_A_DUPLICATE_APPEND] = {"duplicate-append", NULL, NULL, "A list shows one element twice.", "duplicate-elements",
                                .breaks = ISO_G1, .of_read = true},
    [ISO_A_INCOMPATIBLE_ORDER] = {"incompatible-order", NULL, NULL,
                                  "Two reads of a list disagree on the order of its elements.", "incompatible-order",
                                  .breaks = ISO_G1, .of_read = true},
    [ISO_A_LOST_ELEMENT] = {"lost-element", NULL, NULL, "A list lacks an element that it must contain.", NULL,
                            .breaks = ISO_G1, .of_read = true},
    [ISO_A_NO_ORDER] = {"no-commit-order", NULL, NULL, "Every commit order was tried or refuted.", NULL,
                        .breaks = ISO_NO_LEVEL},
};

const iso_anomaly_info *iso_anomaly_get(iso_anomaly_kind kind) { return &table[kind]; }

static bool is_one_of(const char *names, const char *name) {
    while (names != NULL && *names != '\0') {
        size_t n = strcspn(names, " ");
        if (iso_is_name(name, names, n)) {
            return true;
        }
        names += n + (names[n] == ' ');
    }
    return false;
}

bool iso_anomaly_is(iso_anomaly_kind kind, const char *name) {
    const iso_anomaly_info *info = &table[kind];
    return is_one_of(info->name, name) || is_one_of(info->plume, name) || is_one_of(info->adya, name) ||
           is_one_of(info->elle, name) || is_one_of(info->also, name);
}

const char *iso_anomaly_nearest(const char *name) {
    static const char *const nearest[][2] = {
        {"phantom phantoms phantom-read phantom-reads p3 a3",
         "it needs a read by predicate, which histories do not have; the nearest are write-skew and "
         "anti-dependency-cycle"},
        {"g2", "it needs a read by predicate, which histories do not have; the nearest are those of G2-item"},
        {"serialization-anomaly", "it is any anomaly that breaks ser: say write-skew, or anti-dependency-cycle"},
        {"stale-snapshot non-prefix", "the nearest are prefix-violation and real-time-violation"},
    };
    for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++) {
        if (is_one_of(nearest[i][0], name)) {
            return nearest[i][1];
        }
    }
    return NULL;
}

const char *iso_anomaly_plume(const iso_anomaly *a) {
    return table[table[a->kind].guarantee != NULL ? a->pattern : a->kind].plume;
}
