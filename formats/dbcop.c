/* The history.bincode of older dbcop and of PolySI: little endian, 64-bit counts. Value 0 is initial. An event without
 * success did not happen, a transaction without success was aborted. The parameters at the beginning are skipped, since
 * they may be wrong. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "formats/survey.h"
#include "history/initial.h"

typedef struct cursor {
    iso_env *env;
    const unsigned char *first, *at, *end;
} cursor;

/* The begin and end of a written history, which are not known. dbcop accepts only dates as in RFC 3339 (its chrono
 * refuses the empty text). */
#define RUN "1970-01-01T00:00:00+00:00"

enum { EVENT = 1 + 8 + 8 + 1, TXN = 8 + 1, SESSION = 8, PARAMETERS = 5 * 8 }; /* least bytes of each */

static void need(const cursor *c, uint64_t bytes, const char *what) {
    if ((uint64_t)(c->end - c->at) < bytes) {
        iso_throw_input(c->env, 0, (uint64_t)(c->at - c->first),
                        "expected %s (%" PRIu64 " bytes), found the end of the file after %zu", what, bytes,
                        (size_t)(c->end - c->at));
    }
}

static int64_t take_i64(cursor *c, const char *what) {
    need(c, 8, what);
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--) {
        n = n << 8 | c->at[i];
    }
    c->at += 8;
    return (int64_t)n;
}

static bool take_bool(cursor *c, const char *what) {
    need(c, 1, what);
    if (*c->at > 1) {
        iso_throw_input(c->env, 0, (uint64_t)(c->at - c->first), "expected %s (0 or 1), found %u", what, *c->at);
    }
    return *c->at++ == 1;
}

/* Reads a count of items that each take at least some bytes, so that a false count is found before memory is
 * allocated. */
static uint64_t take_count(cursor *c, const char *what, uint64_t bytes_each) {
    int64_t n = take_i64(c, what);
    uint64_t left = (uint64_t)(c->end - c->at);
    if (n < 0 || (uint64_t)n > left / bytes_each) {
        iso_throw_input(c->env, 0, (uint64_t)(c->at - c->first) - 8,
                        "expected %s that fits into the %" PRIu64 " bytes left, found %" PRId64, what, left, n);
    }
    return (uint64_t)n;
}

static void take_txn(cursor *c, iso_builder *b, uint32_t session) {
    uint32_t txn = iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
    for (uint64_t n = take_count(c, "a count of events", EVENT); n > 0; n--) {
        iso_tick(c->env);
        bool write = take_bool(c, "the kind of an event");
        int64_t key = take_i64(c, "a key"), value = take_i64(c, "a value");
        if (take_bool(c, "the success of an event")) {
            iso_builder_op(b, txn, write ? ISO_WRITE : ISO_READ, iso_builder_key(b, iso_atom_int(key)),
                           iso_atom_int(value));
        }
    }
    if (!take_bool(c, "the success of a transaction")) {
        iso_builder_status(b, txn, ISO_ABORTED);
    }
}

static void take_texts(cursor *c) {
    static const char *const what[] = {"the length of the info", "the length of the start time",
                                       "the length of the end time"};
    for (int i = 0; i < 3; i++) {
        c->at += take_count(c, what[i], 1);
    }
}

static isolab_history *read_dbcop(iso_source *source) {
    cursor c = {source->pool->env, source->bytes, source->bytes, source->bytes + source->size};
    iso_builder *b = iso_source_builder(source);
    iso_builder_initial(b, iso_atom_int(0));
    need(&c, PARAMETERS, "the parameters");
    c.at += PARAMETERS;
    take_texts(&c);
    for (uint64_t n = take_count(&c, "a count of sessions", SESSION); n > 0; n--) {
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (uint64_t m = take_count(&c, "a count of transactions", TXN); m > 0; m--) {
            iso_tick(c.env);
            take_txn(&c, b, session);
        }
    }
    if (c.at < c.end) {
        iso_throw_input(c.env, 0, (uint64_t)(c.at - c.first), "expected the end of the file, found %zu more bytes",
                        (size_t)(c.end - c.at));
    }
    return iso_builder_finish(b);
}

/* There is no magic number: the three texts must have lengths that fit, and a count of sessions must follow. */
static int detect_dbcop(const iso_source *source) {
    const unsigned char *p = source->bytes;
    uint64_t size = source->size, at = PARAMETERS;
    for (int i = 0; i < 4; i++) {
        if (size < 8 || at > size - 8) {
            return 0;
        }
        uint64_t n = 0;
        for (int k = 7; k >= 0; k--) {
            n = n << 8 | p[at + (uint64_t)k];
        }
        at += 8;
        if (n > (size - at) / (i < 3 ? 1 : SESSION)) {
            return 0;
        }
        at += i < 3 ? n : 0;
    }
    return 70;
}

static void survey_dbcop(const isolab_history *h, iso_losses *losses) {
    iso_numbers n;
    iso_numbers_init(&n, h, INT64_MIN, INT64_MAX, iso_atom_int(0));
    iso_losses_add(losses, &n.losses);
    losses->count[ISO_LOSS_INITIAL] += iso_initial_begins_registers(h, iso_atom_int(0));
    losses->count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    losses->count[ISO_LOSS_INDETERMINATE] += h->n_indeterminate;
    losses->count[ISO_LOSS_TIMES] += iso_count_timed(h);
    losses->count[ISO_LOSS_NAMES] += iso_count_named_txns(h) + iso_count_named_sessions(h);
}

static void put_i64(FILE *out, uint64_t n) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(n >> 8 * i);
    }
    fwrite_unlocked(bytes, 1, 8, out);
}

static void put_text(FILE *out, const char *text) {
    size_t length = strlen(text);
    put_i64(out, length);
    fwrite_unlocked(text, 1, length, out);
}

static void put_txn(FILE *out, const iso_numbers *n, uint32_t t) {
    const isolab_history *h = n->h;
    uint64_t events = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        events += !iso_is_list_op(h->op_kind[o]);
    }
    put_i64(out, events);
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (!iso_is_list_op(h->op_kind[o])) {
            putc_unlocked(h->op_kind[o] == ISO_WRITE, out);
            put_i64(out, iso_number_of_key(n, h->op_key[o]).bits);
            put_i64(out, iso_number_of_version(n, h->op_version[o]).bits);
            putc_unlocked(1, out);
        }
    }
    putc_unlocked(h->txn_counts[t] != ISO_EXCLUDED, out);
}

static void write_dbcop(const isolab_history *h, iso_sink *sink) {
    FILE *out = sink->out;
    iso_numbers n;
    iso_numbers_init(&n, h, INT64_MIN, INT64_MAX, iso_atom_int(0));
    uint32_t txns = 0, events = 0; /* the largest numbers in a session and in a transaction */
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t m = h->session_txn[s + 1] - h->session_txn[s];
        txns = m > txns ? m : txns;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t m = h->txn_op[t + 1] - h->txn_op[t];
        events = m > events ? m : events;
    }
    const uint64_t parameters[] = {0, h->n_sessions, h->n_keys, txns, events};
    for (int i = 0; i < 5; i++) {
        put_i64(out, parameters[i]);
    }
    put_text(out, "isolab");
    put_text(out, RUN); /* start and end of the run, not of transactions */
    put_text(out, RUN);
    put_i64(out, h->n_sessions);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        put_i64(out, h->session_txn[s + 1] - h->session_txn[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(sink->pool->env);
            put_txn(out, &n, t);
        }
    }
}

const iso_format iso_format_dbcop = {
    .name = "dbcop",
    .summary = "the history.bincode of older dbcop and of PolySI; value 0 is initial",
    .extensions = ".bincode",
    .flags = ISO_FORMAT_BINARY,
    .detect = detect_dbcop,
    .read = read_dbcop,
    .survey = survey_dbcop,
    .write = write_dbcop,
};
