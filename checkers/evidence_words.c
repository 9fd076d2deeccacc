/* Evidence in words. See evidence.h. */
#include <inttypes.h>
#include <stdio.h>

#include "checkers/evidence.h"

/* The first row whose rules a level has. */
static const struct {
    iso_rules rules;
    const char *cases;
} words[] = {
    {ISO_TIME_ALL, "transactions that began after one of another session had ended"},
    {ISO_TIME_KEYS, "transactions that began after one of another session that accesses a key of theirs had ended"},
    {ISO_SEES_BEFORE, "reads of a key with another of its writers that may come before"},
    {ISO_SEES_PREFIX, "reads of a key with another of its writers that may be in the snapshot"},
    {ISO_SEES_CAUSE, "reads of a key with another of its writers in the causal past"},
    {ISO_SEES_READ | ISO_SEES_SESSION,
     "reads of a key with another of its writers read from, or earlier in the session"},
    {ISO_SEES_SESSION, "reads of a key with another of its writers that the level shows them"},
    {ISO_SEES_READ, "reads of a key with another of its writers read from"},
    {ISO_SEES_READ_BEFORE, "reads of a key after a read from another of its writers"},
    {ISO_SEES_OTHER_KEY, "reads of a key after a read of another key from another of its writers"},
    {ISO_RULE_ORDER, "reads from other transactions"},
    {ISO_RULE_INT, "reads"},
    {ISO_RULE_CUT, "second reads of a key by one transaction"},
};

const char *iso_evidence_of(iso_level level) {
    size_t i = 0;
    while (!iso_level_has(level, words[i].rules)) {
        i++;
    }
    return words[i].cases;
}

typedef struct text {
    char *at;
    size_t left;
} text;

static void skip_printed(text *t, int n) {
    size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += used;
    t->left -= used;
}

/* `at least 3 reads`. */
static void add_count(text *t, const char *before, bool exact, uint64_t n, const char *what, const char *rest) {
    skip_printed(t, snprintf(t->at, t->left, "%s%s%" PRIu64 " %s%s%s", before, exact || n == 0 ? "" : "at least ", n,
                             what, n == 1 && exact ? "" : "s", rest));
}

static void add_times(text *t, const iso_evidence *e) {
    if (e->untimed == e->transactions) {
        skip_printed(t, snprintf(t->at, t->left, "; no times"));
        return;
    }
    add_count(t, "; ", e->overlaps_exact, e->overlaps, "pair", " of transactions that overlapped in time");
    if (e->untimed > 0) {
        skip_printed(t, snprintf(t->at, t->left, "; %" PRIu32 " of %" PRIu32 " transactions without times", e->untimed,
                                 e->transactions));
    }
    if (e->half_timed > 0) {
        skip_printed(t,
                     snprintf(t->at, t->left, "; %" PRIu32 " of %" PRIu32 " transactions with a start or an end alone",
                              e->half_timed, e->transactions));
    }
}

const char *iso_evidence_text(const iso_evidence *e, char *buffer, size_t size) {
    text t = {buffer, size};
    if (e->operations == 0) {
        snprintf(buffer, size, "no operations: every level holds vacuously");
        return buffer;
    }
    add_count(&t, "", e->all_counted, e->reads, "read", ", ");
    skip_printed(&t, snprintf(t.at, t.left, "%s%" PRIu64 " from other sessions",
                              e->all_counted || e->none_elsewhere ? "" : "at least ", e->reads_elsewhere));
    add_count(&t, "; ", e->all_counted, e->shared_keys, "key", " with several writers");
    add_times(&t, e);
    return buffer;
}
