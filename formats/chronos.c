/* The JSON of Chronos (TimeKiller): an array of transactions with the times of a database's clock.
 *
 *     {"sid": 1, "tid": 7, "sts": {"p": 10, "l": 0}, "cts": {"p": 12, "l": 0}, "ops": [{"t": "w", "k": 1, "v": 2}]}
 *
 * sts is the start and cts the commit, each a physical time (an integer, or text of digits) and a logical one, which
 * decides between equal physical ones. If a logical time is not 0, the times of the history are the places in the order
 * of all times, from 0. A transaction may lack times, and tid. `r` or `read` reads, `w` or `write` writes; null reads
 * the initial value, and so does 0 unless it is written (dbcop_initial.h). Sessions are in the order of their first
 * transactions. Lists (`a`) are not read. Other members are skipped. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/dbcop_initial.h"
#include "formats/json.h"

typedef struct instant {
    int64_t physical, logical;
    bool known;
} instant;

typedef struct timed {
    uint32_t txn;
    instant start, end;
} timed;

typedef struct reading {
    iso_scan s;
    iso_builder *b;
    timed *timed;
    uint32_t n_timed, room;
    bool logical; /* a logical time is not 0 */
    /* of the current transaction */
    iso_atom session, name;
    instant start, end, *clock; /* clock: one of them, which is being read */
    const unsigned char *ops;   /* NULL: no such member yet */
    bool has_session, has_name, has_start, has_end, has_ops, has_physical, has_logical;
    uint32_t txn;
    /* of the current operation */
    const unsigned char *value;
    iso_atom key;
    iso_op_kind kind;
    bool has_kind, has_key, has_value;
} reading;

/* Reads an integer of a clock, which may be in quotes. */
static int64_t read_instant(reading *r) {
    iso_scan *s = &r->s;
    bool quoted = *s->at == '"';
    s->at += quoted;
    int64_t time = iso_scan_instant(s);
    if (quoted && *s->at++ != '"') {
        iso_scan_expected(s, s->at - 1, "'\"' after the digits");
    }
    return time;
}

static bool read_clock_member(void *arg, iso_text name) {
    reading *r = arg;
    if (iso_text_is(name, "p")) {
        iso_json_once(&r->s, &r->has_physical, "member \"p\"");
        r->clock->physical = read_instant(r);
        return true;
    }
    if (iso_text_is(name, "l")) {
        iso_json_once(&r->s, &r->has_logical, "member \"l\"");
        r->clock->logical = read_instant(r);
        r->logical |= r->clock->logical != 0;
        return true;
    }
    return false;
}

static void read_clock(reading *r, instant *clock) {
    const unsigned char *from = r->s.at;
    *clock = (instant){.known = true};
    r->clock = clock;
    r->has_physical = r->has_logical = false;
    iso_json_members(&r->s, "'{' and a time", read_clock_member, r);
    if (!r->has_physical) {
        iso_scan_fail(&r->s, from, "expected a member \"p\", found none");
    }
}

static iso_op_kind read_kind(reading *r) {
    const unsigned char *from = r->s.at;
    iso_text word = iso_json_string(&r->s, "\"r\" or \"w\"", false);
    if (iso_text_is(word, "r") || iso_text_is(word, "read")) {
        return ISO_READ;
    }
    if (iso_text_is(word, "a") || iso_text_is(word, "append")) {
        iso_scan_fail(&r->s, from, "expected \"r\" or \"w\", found an append: lists of this format are not read");
    }
    if (!iso_text_is(word, "w") && !iso_text_is(word, "write")) {
        iso_scan_expected(&r->s, from, "\"r\" or \"w\"");
    }
    return ISO_WRITE;
}

static bool read_op_member(void *arg, iso_text name) {
    reading *r = arg;
    if (iso_text_is(name, "t")) {
        iso_json_once(&r->s, &r->has_kind, "member \"t\"");
        r->kind = read_kind(r);
        return true;
    }
    if (iso_text_is(name, "k")) {
        iso_json_once(&r->s, &r->has_key, "member \"k\"");
        r->key = iso_scan_integer(&r->s, "a key (an integer)");
        return true;
    }
    if (iso_text_is(name, "v")) {
        iso_json_once(&r->s, &r->has_value, "member \"v\"");
        r->value = r->s.at;
    }
    return false;
}

/* The kind decides what the value may be, and may come after it. */
static void read_op(void *arg) {
    reading *r = arg;
    iso_scan *s = &r->s;
    const unsigned char *from = s->at;
    r->has_kind = r->has_key = r->has_value = false;
    iso_json_members(s, "'{' and an operation", read_op_member, r);
    if (!r->has_kind || !r->has_key || !r->has_value) {
        iso_scan_fail(s, from, "expected a member \"%s\", found none", !r->has_kind ? "t" : !r->has_key ? "k" : "v");
    }
    const unsigned char *after = s->at;
    s->at = r->value;
    bool nil = r->kind == ISO_READ && iso_json_word(s, "null");
    iso_atom value =
        nil ? iso_atom_nil()
            : iso_scan_integer(s, r->kind == ISO_READ ? "a value (null or an integer)" : "a value (an integer)");
    s->at = after;
    iso_builder_op(r->b, r->txn, r->kind, iso_builder_key(r->b, r->key), value);
}

static bool read_txn_member(void *arg, iso_text name) {
    reading *r = arg;
    iso_scan *s = &r->s;
    if (iso_text_is(name, "sid")) {
        iso_json_once(s, &r->has_session, "member \"sid\"");
        r->session = iso_json_atom(s, r->b, false, "a session (an integer or a string)");
        return true;
    }
    if (iso_text_is(name, "tid")) {
        iso_json_once(s, &r->has_name, "member \"tid\"");
        r->name = iso_json_atom(s, r->b, false, "a transaction's name (an integer or a string)");
        return true;
    }
    if (iso_text_is(name, "sts")) {
        iso_json_once(s, &r->has_start, "member \"sts\"");
        read_clock(r, &r->start);
        return true;
    }
    if (iso_text_is(name, "cts")) {
        iso_json_once(s, &r->has_end, "member \"cts\"");
        read_clock(r, &r->end);
        return true;
    }
    if (iso_text_is(name, "ops")) {
        iso_json_once(s, &r->has_ops, "member \"ops\"");
        r->ops = s->at;
    }
    return false;
}

static int compare_instants(const instant *a, const instant *b) {
    return a->physical != b->physical ? (a->physical < b->physical ? -1 : 1)
                                      : (a->logical > b->logical) - (a->logical < b->logical);
}

static void read_txn(void *arg) {
    reading *r = arg;
    iso_scan *s = &r->s;
    const unsigned char *from = s->at;
    r->has_session = r->has_name = r->has_start = r->has_end = r->has_ops = false;
    r->start = r->end = (instant){.known = false};
    r->name = iso_atom_nil();
    iso_json_members(s, "'{' and a transaction", read_txn_member, r);
    if (!r->has_session || !r->has_ops) {
        iso_scan_fail(s, from, "expected a member \"%s\", found none", r->has_session ? "ops" : "sid");
    }
    if (r->start.known && r->end.known && compare_instants(&r->end, &r->start) < 0) {
        iso_scan_fail(s, from, "expected a commit that is not before the start: a clock ran backwards");
    }
    const unsigned char *after = s->at;
    r->txn = iso_builder_txn(r->b, iso_builder_session(r->b, r->session), r->name, ISO_COMMITTED);
    ISO_GROW(s->pool, r->timed, r->n_timed, r->room);
    r->timed[r->n_timed++] = (timed){r->txn, r->start, r->end};
    s->at = r->ops;
    iso_json_elements(s, "'[' and the operations", read_op, r);
    s->at = after;
}

static int by_time(const void *a, const void *b) {
    const instant *const *one = a, *const *other = b;
    return compare_instants(*one, *other);
}

/* Replaces times by their places in the order of all times. Equal ones have one place. */
static void rank(reading *r) {
    instant **all = ISO_NEW(r->s.pool, instant *, 2 * (size_t)r->n_timed + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < r->n_timed; i++) {
        instant *both[] = {&r->timed[i].start, &r->timed[i].end};
        for (int k = 0; k < 2; k++) {
            if (both[k]->known) {
                all[n++] = both[k];
            }
        }
    }
    qsort(all, n, sizeof *all, by_time);
    int64_t place = 0;
    instant last = {.known = false};
    for (size_t i = 0; i < n; i++) {
        place += last.known && compare_instants(&last, all[i]) != 0;
        last = *all[i];
        *all[i] = (instant){place, 0, true};
    }
    iso_free(r->s.pool, all);
}

static void set_times(reading *r) {
    if (r->logical) {
        rank(r);
    }
    for (uint32_t i = 0; i < r->n_timed; i++) {
        const timed *t = &r->timed[i];
        if (t->start.known || t->end.known) {
            iso_builder_times(r->b, t->txn, t->start.known ? t->start.physical : ISO_NO_TIME,
                              t->end.known ? t->end.physical : ISO_NO_TIME);
        }
    }
    iso_free(r->s.pool, r->timed);
}

static isolab_history *read_chronos(iso_source *source) {
    reading r = {.b = iso_source_builder(source)};
    iso_builder_custom(r.b, iso_atom_int(0));
    iso_scan_init(&r.s, source);
    iso_json_space(&r.s);
    iso_json_elements(&r.s, "'[' and the transactions", read_txn, &r);
    iso_json_space(&r.s);
    if (r.s.at < r.s.end) {
        iso_scan_expected(&r.s, r.s.at, "the end of the file");
    }
    set_times(&r);
    iso_dbcop_settle(source->pool, r.b);
    return iso_builder_finish(r.b);
}

static int detect_chronos(const iso_source *source) {
    size_t n = source->size < 65536 ? source->size : 65536, at = 0;
    const char *text = (const char *)source->bytes;
    while (at < n && strchr(" \t\r\n", text[at]) != NULL) {
        at++;
    }
    bool both = memmem(text, n, "\"sid\"", 5) != NULL && memmem(text, n, "\"ops\"", 5) != NULL;
    return at < n && text[at] == '[' && both ? 90 : 0;
}

static void survey_chronos(const isolab_history *h, iso_losses *losses) {
    iso_numbers n;
    iso_dbcop_numbers(&n, h, INT64_MIN);
    iso_losses_add(losses, &n.losses);
    uint64_t *count = losses->count;
    count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    count[ISO_LOSS_ABORTED] += h->n_aborted;
    count[ISO_LOSS_INDETERMINATE] += h->n_indeterminate;
    count[ISO_LOSS_STRINGS] += iso_count_bad_text(h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        bool empty = true;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            empty &= h->txn_counts[t] == ISO_EXCLUDED;
        }
        count[ISO_LOSS_EMPTY] += empty;
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        count[ISO_LOSS_INITIAL] += h->op_kind[o] == ISO_WRITE && iso_version_is_initial(h, h->op_version[o]);
    }
}

static void put_time(FILE *out, const char *name, const int64_t *times, uint32_t t) {
    if (times != NULL && times[t] != ISO_NO_TIME) {
        iso_put_text(out, name);
        iso_put_integer(out, iso_atom_int(times[t]));
        iso_put_text(out, ", \"l\": 0}");
    }
}

static void put_op(FILE *out, const iso_numbers *n, uint32_t o) {
    iso_put_text(out, n->h->op_kind[o] == ISO_READ ? "{\"t\": \"r\", \"k\": " : "{\"t\": \"w\", \"k\": ");
    iso_put_integer(out, iso_number_of_key(n, n->h->op_key[o]));
    iso_put_text(out, ", \"v\": ");
    iso_atom value = iso_dbcop_version(n, o);
    if (value.kind == ISO_ATOM_NIL) {
        iso_put_text(out, "null}");
    } else {
        iso_put_integer(out, value);
        putc_unlocked('}', out);
    }
}

static void put_txn(FILE *out, const iso_numbers *n, uint32_t t, uint64_t base) {
    const isolab_history *h = n->h;
    iso_atom name = h->txn_name_kind != NULL ? iso_txn_name(h, t) : iso_atom_uint(t);
    bool first = true;
    iso_put_text(out, "{\"sid\": ");
    iso_json_put_atom(out, h, iso_session_label(h, h->txn_session[t], base));
    if (name.kind != ISO_ATOM_NIL) {
        iso_put_text(out, ", \"tid\": ");
        iso_json_put_atom(out, h, name);
    }
    put_time(out, ", \"sts\": {\"p\": ", h->txn_start, t);
    put_time(out, ", \"cts\": {\"p\": ", h->txn_end, t);
    iso_put_text(out, ", \"ops\": [");
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (!iso_is_list_op(h->op_kind[o])) {
            iso_put_text(out, first ? "" : ", ");
            put_op(out, n, o);
            first = false;
        }
    }
    iso_put_text(out, "]}");
}

static void write_chronos(const isolab_history *h, iso_sink *sink) {
    uint64_t base = iso_session_base(h);
    bool first = true;
    iso_numbers n;
    iso_dbcop_numbers(&n, h, INT64_MIN);
    putc_unlocked('[', sink->out);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(sink->pool->env);
        if (h->txn_counts[t] != ISO_EXCLUDED) {
            iso_put_text(sink->out, first ? "\n" : ",\n");
            put_txn(sink->out, &n, t, base);
            first = false;
        }
    }
    iso_put_text(sink->out, "\n]\n");
}

const iso_format iso_format_chronos = {
    .name = "chronos",
    .summary = "the JSON of Chronos, with the times of the database's clock; null is initial, as is 0 unless written",
    .extensions = ".chronos .json",
    .detect = detect_chronos,
    .read = read_chronos,
    .survey = survey_chronos,
    .write = write_chronos,
};
