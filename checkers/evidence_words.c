/* Evidence in words. See evidence.h. */
#include <inttypes.h>
#include <stdio.h>

#include "checkers/evidence.h"

static const char *const cases[ISO_MOST_LEVELS] = {
    [ISO_INT] = "reads",
    [ISO_CI] = "second reads of a key by one transaction",
    [ISO_G1] = "reads from other transactions",
    [ISO_RC_PLUME] = "reads of a key after a read of another key from another of its writers",
    [ISO_RC] = "reads of a key after a read from another of its writers",
    [ISO_RA] = "reads of a key with another of its writers read from, or earlier in the session",
    [ISO_CC] = "reads of a key with another of its writers in the causal past",
    [ISO_PC] = "reads of a key with another of its writers that may be in the snapshot",
    [ISO_SI] = "reads of a key with another of its writers that may be in the snapshot",
    [ISO_SER] = "reads of a key with another of its writers that may come before",
    [ISO_LSER] = "transactions that began after one of another session that accesses a key of theirs had ended",
    [ISO_SSER] = "transactions that began after one of another session had ended",
};

const char *iso_evidence_of(iso_level level) {
    return cases[level] != NULL ? cases[level] : "reads of a key with another of its writers that the level shows them";
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
