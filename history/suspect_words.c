/* Mistakes of tests in words. See suspect.h. */
#include <inttypes.h>
#include <stdio.h>

#include "history/suspect.h"

static const struct {
    const char *name, *places, *advice;
} words[ISO_SUSPECTS] = {
    [ISO_SUSPECT_REPEATED] =
        {"repeated-value", "repeated values",
         "give each write a new number, also when a transaction is tried again, and no two clients "
         "the same counter"},
    [ISO_SUSPECT_LEFT_OVER] = {"left-over-value", "such keys",
                               "begin with an empty database, log the transaction that fills it, log the lines of all "
                               "clients, or say --initial unwritten: the database was filled before"},
    [ISO_SUSPECT_EARLY] = {"read-before-write", "such reads",
                           "begin with an empty database, let no value of an earlier run come back, and take all times "
                           "from one clock"},
    [ISO_SUSPECT_TIMEOUT] = {"timeout-as-abort", "such transactions",
                             "log a commit without an answer as indeterminate, not as aborted"},
    [ISO_SUSPECT_HALF] = {"half-transaction", "such transactions",
                          "look for autocommit, and for statements of one transaction on two connections"},
    [ISO_SUSPECT_SHARED] = {"shared-session", "such transactions",
                            "give each client that runs on its own a session of its own"},
    [ISO_SUSPECT_SPLIT] = {"split-client", "such pairs of sessions",
                           "log what one client does under one session, and let clients run at the same time"},
    [ISO_SUSPECT_FORGETS] = {"lost-commits", "kills", "record again with --durable"},
};

const char *iso_suspect_name(iso_suspect_kind kind) { return words[kind].name; }

const char *iso_suspect_advice(iso_suspect_kind kind) { return words[kind].advice; }

static const char *session_text(const isolab_history *h, uint32_t t, char buffer[ISO_NAME_SIZE]) {
    uint32_t s = h->txn_session[t];
    if (h->session_name[s].kind != ISO_ATOM_NIL) {
        return iso_atom_text(h, h->session_name[s], buffer);
    }
    snprintf(buffer, ISO_NAME_SIZE, "%" PRIu32, s);
    return buffer;
}

const char *iso_suspect_text(const isolab_history *h, const iso_suspects *found, iso_suspect_kind kind,
                             char buffer[ISO_SUSPECT_SIZE]) {
    const iso_suspicion *s = &found->of[kind];
    char a[ISO_NAME_SIZE] = "", b[ISO_NAME_SIZE] = "", key[ISO_NAME_SIZE] = "", session[ISO_NAME_SIZE] = "", more[80];
    if (s->places == 0) {
        snprintf(buffer, ISO_SUSPECT_SIZE, "no sign of %s", iso_suspect_name(kind));
        return buffer;
    }
    if (s->a != ISO_NONE) {
        iso_txn_text(h, s->a, a);
        session_text(h, s->a, session);
    }
    if (s->b != ISO_NONE) {
        iso_txn_text(h, s->b, b);
    }
    if (s->key != ISO_NONE) {
        iso_key_text(h, s->key, key);
    }
    more[0] = '\0';
    if (s->places > 1) {
        snprintf(more, sizeof more, " (the first of %" PRIu64 " %s)", s->places, words[kind].places);
    }
    switch (kind) {
    case ISO_SUSPECT_REPEATED:
        snprintf(buffer, ISO_SUSPECT_SIZE, "%s and %s write the same value of key %s, where most values are unique%s",
                 a, b, key, more);
        break;
    case ISO_SUSPECT_LEFT_OVER:
        snprintf(buffer, ISO_SUSPECT_SIZE,
                 "%s reads a value of key %s that no transaction wrote, and no transaction saw that key empty%s", a,
                 key, more);
        break;
    case ISO_SUSPECT_EARLY:
        snprintf(buffer, ISO_SUSPECT_SIZE, "%s had ended before %s began, and reads its value of key %s%s", a, b, key,
                 more);
        break;
    case ISO_SUSPECT_TIMEOUT:
        snprintf(buffer, ISO_SUSPECT_SIZE,
                 "%s is logged as aborted, and %s, which began later, reads its value of key %s%s", a, b, key, more);
        break;
    case ISO_SUSPECT_HALF:
        snprintf(
            buffer, ISO_SUSPECT_SIZE,
            "%s is half there: %s, which began later, reads one of its values, and nothing ever reads its value of "
            "key %s%s",
            a, b, key, more);
        break;
    case ISO_SUSPECT_SHARED:
        snprintf(buffer, ISO_SUSPECT_SIZE, "in session %s, %s began before %s had ended%s", session, b, a, more);
        break;
    case ISO_SUSPECT_FORGETS:
        snprintf(buffer, ISO_SUSPECT_SIZE,
                 "the server was killed, and was recorded without --durable: it may lose commits that it answered%s",
                 more);
        break;
    default: {
        char other[ISO_NAME_SIZE];
        snprintf(buffer, ISO_SUSPECT_SIZE,
                 "the transactions of sessions %s and %s take turns and never overlap, as if one client made both%s",
                 session, session_text(h, s->b, other), more);
    }
    }
    return buffer;
}
