/* Known mistakes of tests. See suspect.h. */
#include "history/suspect.h"

#include <stdlib.h>
#include <string.h>

#include "history/clock.h"
#include "history/resolve.h"

enum {
    VALUES_LEAST = 20,   /* least number of written values: with fewer, a repeated value is no mistake */
    REPEATED_SHARE = 10, /* if more than one value in this many repeats, repetition is intended */
    KEYS_LEAST = 2,      /* least number of keys that begin with a value of unknown origin */
    HALVES_LEAST = 2,    /* least number of half transactions: one alone may be an anomaly */
    WRITES_MOST = 64,    /* limit of the writes of a half transaction, which keeps the search linear */
    TURNS_LEAST = 8,     /* least number of transactions of each of two sessions that alternate */
    PARTNERS_MOST = 16,  /* limit of the sessions that are compared with one session */
};

typedef struct search {
    const isolab_history *h;
    iso_suspects *found;
    iso_pool *scratch;
    uint8_t *seen;     /* by write operation: some included transaction may have read it; NULL: not known yet */
    uint8_t *met;      /* by version: its writes are marked as seen */
    uint8_t *doubted;  /* by transaction: 1: counted as half; 2: counted as a timeout; 3: neither; 0: not known yet */
    uint32_t *read_at; /* by key: its last read in the transactions so far; ISO_NONE: none */
    uint32_t noted;    /* 1 + the last transaction whose reads are in read_at */
} search;

static void note(iso_suspects *found, iso_suspect_kind kind, uint32_t a, uint32_t b, uint32_t key) {
    iso_suspicion *s = &found->of[kind];
    if (s->places++ == 0) {
        s->a = a;
        s->b = b;
        s->key = key;
    }
}

/* Returns whether transaction T ended before R began, by their times or by their session. */
static bool over_before(const isolab_history *h, uint32_t t, uint32_t r) {
    return iso_before_in_time(h, t, r) || (h->txn_session[t] == h->txn_session[r] && t < r);
}

/* ---- values ---- */

static void find_repeated(const isolab_history *h, iso_suspects *found) {
    uint64_t written = 0, repeated = 0;
    if (h->twin_b == ISO_NONE || h->twin_a == ISO_INIT) {
        return;
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        uint32_t n = 0;
        if (!iso_version_is_negation(h, v)) {
            iso_writers(h, v, &n);
        }
        written += n > 0;
        repeated += n > 1;
    }
    if (written >= VALUES_LEAST && repeated <= written / REPEATED_SHARE) {
        note(found, ISO_SUSPECT_REPEATED, h->op_txn[h->twin_a], h->op_txn[h->twin_b], h->op_key[h->twin_a]);
        found->of[ISO_SUSPECT_REPEATED].places = repeated;
    }
}

/* Finds keys that no transaction saw empty, and whose first operation in some session read a value that no transaction
 * wrote. */
static void find_left_over(iso_pool *scratch, const isolab_history *h, iso_suspects *found) {
    if (!iso_any_unwritten(h)) {
        return;
    }
    uint32_t *session = ISO_NEW_NONE(scratch, h->n_keys), *reader = ISO_NEW_NONE(scratch, h->n_keys);
    uint8_t *empty = ISO_ZNEW(scratch, uint8_t, h->n_keys);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t k = h->op_key[o], t = h->op_txn[o];
        bool read = !iso_is_write(h->op_kind[o]) && !iso_op_is_negation(h, o);
        empty[k] |= read && h->op_writer[o] == ISO_INIT;
        if (read && h->op_writer[o] == ISO_NONE && h->txn_counts[t] == ISO_INCLUDED && reader[k] == ISO_NONE &&
            session[k] != h->txn_session[t]) {
            reader[k] = t;
        }
        session[k] = h->txn_session[t];
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        if (reader[k] != ISO_NONE && !empty[k]) {
            note(found, ISO_SUSPECT_LEFT_OVER, reader[k], ISO_NONE, k);
        }
    }
    if (found->of[ISO_SUSPECT_LEFT_OVER].places < KEYS_LEAST) {
        found->of[ISO_SUSPECT_LEFT_OVER].places = 0;
    }
    iso_free(scratch, empty);
    iso_free(scratch, reader);
    iso_free(scratch, session);
}

/* ---- reads ---- */

/* Marks all writes of a version, once. */
static void see(search *s, uint32_t version) {
    uint32_t n;
    const uint32_t *writers = iso_writers(s->h, version, &n);
    n = s->met[version] ? 0 : n;
    s->met[version] = 1;
    for (uint32_t i = 0; i < n; i++) {
        s->seen[writers[i]] = 1;
    }
}

static void find_seen(search *s) {
    const isolab_history *h = s->h;
    s->seen = ISO_ZNEW(s->scratch, uint8_t, h->n_ops);
    s->met = ISO_ZNEW(s->scratch, uint8_t, h->n_versions);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ && !iso_op_is_negation(h, o)) {
            see(s, h->op_version[o]);
        }
    }
    for (uint32_t i = 0; i < h->list_first[h->n_lists]; i++) {
        see(s, h->list_version[i]);
    }
}

/* Returns whether some included transaction may have read the value that operation `write` wrote. */
static bool is_seen(search *s, uint32_t write) {
    if (s->seen == NULL) {
        find_seen(s);
    }
    return s->seen[write];
}

/* Returns whether a read, which began after T ended, shows that the value that T wrote in `op` was missing: it returned
 * the value that the key had before. If it returned another value, that may have overwritten T's, also in lists, which
 * weak databases rewrite as a whole. */
static bool misses(const isolab_history *h, uint32_t read, uint32_t op) {
    uint32_t writer = h->op_writer[read], t = h->op_txn[op];
    if (iso_op_is_negation(h, read)) {
        return false;
    }
    if (writer >= ISO_MANY) {
        return writer == ISO_INIT;
    }
    uint32_t u = h->op_txn[writer];
    if (h->txn_session[u] == h->txn_session[t] && u < t) {
        return true;
    }
    for (uint32_t o = h->txn_op[t]; o < op; o++) { /* T had read the same value before it wrote another one */
        if (h->op_key[o] == h->op_key[op] && !iso_is_write(h->op_kind[o]) && h->op_writer[o] == writer) {
            return true;
        }
    }
    return false;
}

/* Returns whether no transaction read any write of T to a key. */
static bool never_read(search *s, uint32_t t, uint32_t key) {
    const isolab_history *h = s->h;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (h->op_key[o] == key && is_seen(s, o)) {
            return false;
        }
    }
    return true;
}

/* Notes the reads of a transaction in read_at. */
static void note_reads(search *s, uint32_t r) {
    const isolab_history *h = s->h;
    for (uint32_t o = h->txn_op[r]; s->noted != r + 1 && o < h->txn_op[r + 1]; o++) {
        if (!iso_is_write(h->op_kind[o])) {
            s->read_at[h->op_key[o]] = o;
        }
    }
    s->noted = r + 1;
}

/* R read from T, which ended before R began. Returns whether R misses another write of T, which no transaction read;
 * *key: the key of that write. */
static bool is_half(search *s, uint32_t t, uint32_t r, uint32_t *key) {
    const isolab_history *h = s->h;
    if (h->txn_op[t + 1] - h->txn_op[t] > WRITES_MOST) {
        return false;
    }
    note_reads(s, r);
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        uint32_t read = s->read_at[h->op_key[o]];
        if (iso_is_write(h->op_kind[o]) && read >= h->txn_op[r] && read != ISO_NONE && !is_seen(s, o) &&
            misses(h, read, o) && never_read(s, t, h->op_key[o])) {
            *key = h->op_key[o];
            return true;
        }
    }
    return false;
}

/* Returns whether the order of a write and of transaction r, which reads it, may be known. Without times only session
 * order shows it. Most reads need no other test, so the function is inlined. */
static inline bool is_telling(const isolab_history *h, uint32_t r, uint32_t write) {
    uint32_t t = write < ISO_MANY ? h->op_txn[write] : r;
    return t != r && (h->has_times || h->txn_session[t] == h->txn_session[r]);
}

/* Returns whether a transaction may miss a write of T: T is not long, and no transaction read one of its writes. */
static bool may_be_half(search *s, uint32_t t) {
    uint32_t o = s->h->txn_op[t], end = s->h->txn_op[t + 1];
    if (end - o > WRITES_MOST) {
        return false;
    }
    while (o < end && (!iso_is_write(s->h->op_kind[o]) || is_seen(s, o))) {
        o++;
    }
    return o < end;
}

/* Counts T, which ended before a transaction that reads from it began, if it is half or a timeout. */
static void doubt(search *s, uint32_t t, uint32_t read) {
    const isolab_history *h = s->h;
    uint32_t r = h->op_txn[read], missed;
    if (is_half(s, t, r, &missed)) {
        note(s->found, ISO_SUSPECT_HALF, t, r, missed);
        s->doubted[t] = 1;
    } else if (h->txn_status[t] == ISO_ABORTED) {
        note(s->found, ISO_SUSPECT_TIMEOUT, t, r, h->op_key[read]);
        s->doubted[t] = 2;
    } else if (!may_be_half(s, t)) {
        s->doubted[t] = 3;
    }
}

/* Counts what is suspicious about a read and the write that it returns. Nearly always nothing is, so the function is
 * inlined. */
static inline void look_at_pair(search *s, uint32_t read, uint32_t write) {
    const isolab_history *h = s->h;
    uint32_t r = h->op_txn[read], t = h->op_txn[write];
    if (iso_before_in_time(h, r, t) && h->txn_session[r] != h->txn_session[t]) { /* in one session the clock is wrong */
        note(s->found, ISO_SUSPECT_EARLY, r, t, h->op_key[read]);
    }
    if (s->doubted[t] == 0 && over_before(h, t, r)) {
        doubt(s, t, read);
    }
}

static void look_at_list(search *s, uint32_t read) {
    const isolab_history *h = s->h;
    uint32_t list = h->op_version[read];
    for (uint32_t i = h->list_first[list]; i < h->list_first[list + 1]; i++) {
        uint32_t write = h->version_writer[h->list_version[i]];
        if (is_telling(h, h->op_txn[read], write)) {
            look_at_pair(s, read, write);
        }
    }
}

static void find_in_reads(iso_pool *scratch, const isolab_history *h, iso_suspects *found) {
    search s = {.h = h, .found = found, .scratch = scratch};
    s.doubted = ISO_ZNEW(scratch, uint8_t, h->n_txns);
    s.read_at = ISO_NEW_NONE(scratch, h->n_keys);
    for (uint32_t r = 0; r < h->n_txns; r++) {
        uint32_t first = h->txn_op[r], end = h->txn_op[r + 1];
        if (h->txn_counts[r] != ISO_INCLUDED) {
            continue;
        }
        for (uint32_t o = first; o < end; o++) {
            if (h->op_kind[o] == ISO_LIST_READ) {
                look_at_list(&s, o);
            } else if (h->op_kind[o] == ISO_READ && is_telling(h, r, h->op_writer[o]) && !iso_op_is_negation(h, o)) {
                look_at_pair(&s, o, h->op_writer[o]);
            }
        }
    }
    if (found->of[ISO_SUSPECT_HALF].places < HALVES_LEAST) {
        found->of[ISO_SUSPECT_HALF].places = 0;
    }
    iso_free(scratch, s.read_at);
    iso_free(scratch, s.doubted);
    iso_free(scratch, s.met);
    iso_free(scratch, s.seen);
}

/* ---- sessions ---- */

static void find_shared(const isolab_history *h, iso_suspects *found) {
    iso_clock c = iso_clock_of(h);
    if (c.places > 0 && c.contradictions == 0) { /* with contradictions the clock is wrong */
        found->of[ISO_SUSPECT_SHARED] = (iso_suspicion){c.places, c.earlier, c.later, ISO_NONE};
    }
}

typedef struct turn {
    int64_t start; /* of the session's first transaction */
    uint32_t session;
} turn;

static int by_start(const void *a, const void *b) {
    const turn *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                : (x->session > y->session) - (x->session < y->session);
}

static uint32_t size_of(const isolab_history *h, uint32_t s) { return h->session_txn[s + 1] - h->session_txn[s]; }

/* Returns whether the transactions of two sessions alternate to the end, beginning with session a. */
static bool alternate(const isolab_history *h, uint32_t a, uint32_t b) {
    uint32_t n = size_of(h, a), m = size_of(h, b), t = h->session_txn[a], u = h->session_txn[b];
    if (n != m && n != m + 1) {
        return false;
    }
    for (uint32_t i = 0; i < m; i++) {
        if (!iso_before_in_time(h, t + i, u + i) || (i + 1 < n && !iso_before_in_time(h, u + i, t + i + 1))) {
            return false;
        }
    }
    return true;
}

static void find_split(iso_pool *scratch, const isolab_history *h, iso_suspects *found) {
    turn *order = ISO_NEW(scratch, turn, h->n_sessions);
    uint32_t n = 0;
    for (uint32_t s = 0; h->txn_start != NULL && s < h->n_sessions; s++) {
        int64_t start = size_of(h, s) >= TURNS_LEAST ? h->txn_start[h->session_txn[s]] : ISO_NO_TIME;
        if (start != ISO_NO_TIME) {
            order[n++] = (turn){start, s};
        }
    }
    if (n > 0) {
        qsort(order, n, sizeof *order, by_start);
    }
    uint32_t *partners = ISO_ZNEW(scratch, uint32_t, h->n_sessions),
             *partner = ISO_NEW(scratch, uint32_t, h->n_sessions);
    for (uint32_t i = 0; i < n; i++) {
        partner[order[i].session] = order[i].session; /* itself: no session that begins later is its partner */
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n && k <= i + PARTNERS_MOST; k++) {
            uint32_t a = order[i].session, b = order[k].session;
            if (alternate(h, a, b)) { /* a began first */
                partners[a]++;
                partners[b]++;
                partner[a] = b;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) { /* several partners: a schedule in which all sessions alternate */
        uint32_t a = order[i].session;
        if (partners[a] == 1 && partner[a] != a && partners[partner[a]] == 1) {
            note(found, ISO_SUSPECT_SPLIT, h->session_txn[a], h->session_txn[partner[a]], ISO_NONE);
        }
    }
    iso_free(scratch, partner);
    iso_free(scratch, partners);
    iso_free(scratch, order);
}

static void find_forgets(const isolab_history *h, iso_suspects *found) {
    static const char what[] = "kill";
    if (h->about == NULL || strstr(h->about, ISO_ABOUT_FORGETS) == NULL) {
        return;
    }
    for (uint32_t i = 0; i < h->n_notes; i++) {
        char text[ISO_NAME_SIZE];
        found->of[ISO_SUSPECT_FORGETS].places += strcmp(iso_atom_text(h, h->notes[i].text, text), what) == 0;
    }
}

iso_suspects iso_find_suspects(iso_pool *scratch, const isolab_history *h) {
    iso_suspects found = {.n = 0};
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        found.of[k] = (iso_suspicion){0, ISO_NONE, ISO_NONE, ISO_NONE};
    }
    find_repeated(h, &found);
    find_left_over(scratch, h, &found);
    find_in_reads(scratch, h, &found);
    find_shared(h, &found);
    find_split(scratch, h, &found);
    find_forgets(h, &found);
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        found.n += found.of[k].places > 0;
    }
    return found;
}
