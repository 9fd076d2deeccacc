/* The JSON of newer dbcop: the array of sessions, or an object whose member `data` is that array. A session is an array
 * of `{"events":[...],"committed":true}`, an event `{"Read":{"variable":1,"version":null}}` or
 * `{"Write":{"variable":1,"version":2}}`, or shorter `["r",1,null]` or `["w",1,2]`. dbcop_initial.h describes the
 * initial value. Unknown members are skipped. */
#define _GNU_SOURCE
#include <string.h>

#include "formats/dbcop_initial.h"
#include "formats/json.h"

typedef struct reading {
    iso_scan s;
    iso_builder *b;
    uint32_t txn; /* the current transaction */
} reading;

/* A function of this reader for each element or member. */
typedef struct call {
    reading *r;
    void (*element)(reading *, void *);
    bool (*member)(reading *, iso_text, void *);
    void *arg;
} call;

static void call_element(void *arg) {
    const call *c = arg;
    c->element(c->r, c->arg);
}

static bool call_member(void *arg, iso_text name) {
    const call *c = arg;
    return c->member(c->r, name, c->arg);
}

static void for_elements(reading *r, const char *what, void (*each)(reading *, void *), void *arg) {
    iso_json_elements(&r->s, what, call_element, &(call){.r = r, .element = each, .arg = arg});
}

static void for_members(reading *r, const char *what, bool (*each)(reading *, iso_text, void *), void *arg) {
    iso_json_members(&r->s, what, call_member, &(call){.r = r, .member = each, .arg = arg});
}

static iso_atom read_variable(reading *r) { return iso_scan_integer(&r->s, "a variable (an integer)"); }

static iso_atom read_version(reading *r, iso_op_kind kind) {
    if (kind == ISO_READ && iso_json_word(&r->s, "null")) {
        return iso_atom_nil();
    }
    return iso_scan_integer(&r->s, kind == ISO_READ ? "a version (null or an integer)" : "a version (an integer)");
}

static void add_op(reading *r, iso_op_kind kind, iso_atom variable, iso_atom version) {
    iso_builder_op(r->b, r->txn, kind, iso_builder_key(r->b, variable), version);
}

typedef struct cell {
    iso_op_kind kind;
    iso_atom key, value;
    bool has_key, has_value;
} cell;

static bool read_cell(reading *r, iso_text name, void *arg) {
    cell *c = arg;
    if (iso_text_is(name, "variable")) {
        iso_json_once(&r->s, &c->has_key, "member \"variable\"");
        c->key = read_variable(r);
        return true;
    }
    if (iso_text_is(name, "version")) {
        iso_json_once(&r->s, &c->has_value, "member \"version\"");
        c->value = read_version(r, c->kind);
        return true;
    }
    return false;
}

static bool read_event_member(reading *r, iso_text name, void *arg) {
    bool read = iso_text_is(name, "Read");
    if (!read && !iso_text_is(name, "Write")) {
        return false;
    }
    iso_json_once(&r->s, arg, "of \"Read\" and \"Write\" in an event");
    cell c = {.kind = read ? ISO_READ : ISO_WRITE};
    const unsigned char *from = r->s.at;
    for_members(r, "'{' and a variable", read_cell, &c);
    if (!c.has_key || !c.has_value) {
        iso_scan_fail(&r->s, from, "expected a member \"%s\", found none", c.has_key ? "version" : "variable");
    }
    add_op(r, c.kind, c.key, c.value);
    return true;
}

static void read_short_event(reading *r) {
    iso_scan *s = &r->s;
    iso_json_expect(s, '[', "'['");
    iso_json_space(s);
    const unsigned char *from = s->at;
    iso_text verb = iso_json_string(s, "\"r\" or \"w\"", false);
    iso_op_kind kind = iso_text_is(verb, "r") ? ISO_READ : ISO_WRITE;
    if (kind == ISO_WRITE && !iso_text_is(verb, "w")) {
        iso_scan_expected(s, from, "\"r\" or \"w\"");
    }
    iso_json_expect(s, ',', "','");
    iso_json_space(s);
    iso_atom variable = read_variable(r);
    iso_json_expect(s, ',', "','");
    iso_json_space(s);
    add_op(r, kind, variable, read_version(r, kind));
    iso_json_expect(s, ']', "']'");
}

static void read_event(reading *r, void *arg) {
    (void)arg;
    bool seen = false;
    const unsigned char *from = r->s.at;
    if (*from == '[') {
        read_short_event(r);
        return;
    }
    for_members(r, "'{' and an event, or '['", read_event_member, &seen);
    if (!seen) {
        iso_scan_fail(&r->s, from, "expected a member \"Read\" or \"Write\", found none");
    }
}

typedef struct txn {
    bool has_events, has_committed, committed;
} txn;

static bool read_txn_member(reading *r, iso_text name, void *arg) {
    txn *t = arg;
    if (iso_text_is(name, "events")) {
        iso_json_once(&r->s, &t->has_events, "member \"events\"");
        for_elements(r, "'[' and the events", read_event, NULL);
        return true;
    }
    if (iso_text_is(name, "committed")) {
        iso_json_once(&r->s, &t->has_committed, "member \"committed\"");
        t->committed = iso_json_word(&r->s, "true");
        if (!t->committed && !iso_json_word(&r->s, "false")) {
            iso_scan_expected(&r->s, r->s.at, "true or false");
        }
        return true;
    }
    return false;
}

static void read_txn(reading *r, void *arg) {
    const uint32_t *session = arg;
    txn t = {false, false, false};
    const unsigned char *from = r->s.at;
    r->txn = iso_builder_txn(r->b, *session, iso_atom_nil(), ISO_COMMITTED);
    for_members(r, "'{' and a transaction", read_txn_member, &t);
    if (!t.has_events || !t.has_committed) {
        iso_scan_fail(&r->s, from, "expected a member \"%s\", found none", t.has_events ? "committed" : "events");
    }
    iso_builder_status(r->b, r->txn, t.committed ? ISO_COMMITTED : ISO_ABORTED);
}

static void read_session(reading *r, void *arg) {
    (void)arg;
    uint32_t session = iso_builder_session(r->b, iso_atom_nil());
    for_elements(r, "'[' and the transactions of a session", read_txn, &session);
}

static bool read_top_member(reading *r, iso_text name, void *arg) {
    if (!iso_text_is(name, "data")) {
        return false;
    }
    iso_json_once(&r->s, arg, "member \"data\"");
    for_elements(r, "'[' and the sessions", read_session, NULL);
    return true;
}

static isolab_history *read_dbcop_json(iso_source *source) {
    reading r = {.b = iso_source_builder(source)};
    iso_builder_custom(r.b, iso_atom_int(0));
    iso_scan_init(&r.s, source);
    if (iso_json_space(&r.s) == '{') {
        bool seen = false;
        const unsigned char *from = r.s.at;
        for_members(&r, "'{'", read_top_member, &seen);
        if (!seen) {
            iso_scan_fail(&r.s, from, "expected a member \"data\", found none");
        }
    } else {
        for_elements(&r, "'[' and the sessions, or '{'", read_session, NULL);
    }
    iso_json_space(&r.s);
    if (r.s.at < r.s.end) {
        iso_scan_expected(&r.s, r.s.at, "the end of the file");
    }
    iso_dbcop_settle(source->pool, r.b);
    return iso_builder_finish(r.b);
}

/* `[[` or `[]`, or an object with `data`; the words of a transaction make it certain. */
static int detect_dbcop_json(const iso_source *source) {
    const char *p = (const char *)source->bytes, *end = p + source->size;
    char mark[2] = {0, 0};
    size_t marks = 0;
    while (p < end && marks < 2) {
        bool blank = *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';
        if (!blank) {
            mark[marks++] = *p;
        }
        p++;
    }
    size_t n = source->size < 65536 ? source->size : 65536;
    bool events = memmem(source->bytes, n, "\"events\"", 8) != NULL;
    if (mark[0] == '[' && (mark[1] == '[' || mark[1] == ']')) {
        return events ? 90 : 40;
    }
    bool data = mark[0] == '{' && memmem(source->bytes, n, "\"data\"", 6) != NULL;
    return data ? (events ? 90 : 50) : 0;
}

static void survey_dbcop_json(const isolab_history *h, iso_losses *losses) { iso_dbcop_survey(h, INT64_MIN, losses); }

static void put_event(FILE *out, const iso_numbers *n, uint32_t o) {
    const isolab_history *h = n->h;
    iso_put_text(out, h->op_kind[o] == ISO_READ ? "{\"Read\":{\"variable\":" : "{\"Write\":{\"variable\":");
    iso_put_integer(out, iso_number_of_key(n, h->op_key[o]));
    iso_put_text(out, ",\"version\":");
    iso_atom value = iso_dbcop_version(n, o);
    if (value.kind == ISO_ATOM_NIL) {
        iso_put_text(out, "null");
    } else {
        iso_put_integer(out, value);
    }
    iso_put_text(out, "}}");
}

static void write_dbcop_json(const isolab_history *h, iso_sink *sink) {
    FILE *out = sink->out;
    iso_numbers n;
    iso_dbcop_numbers(&n, h, INT64_MIN);
    /* dbcop's own program takes nothing else than the object, with parameters and dates, which it does not use. */
    iso_put_text(out, "{\"params\":{\"id\":0,\"n_node\":0,\"n_variable\":0,\"n_transaction\":0,\"n_event\":0},"
                      "\"info\":\"\",\"start\":\"1970-01-01T00:00:00+00:00\","
                      "\"end\":\"1970-01-01T00:00:00+00:00\",\"data\":[");
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_put_text(out, s == 0 ? "\n[" : ",\n[");
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(sink->pool->env);
            iso_put_text(out, t == h->session_txn[s] ? "\n{\"events\":[" : ",\n{\"events\":[");
            bool first = true;
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (!iso_is_list_op(h->op_kind[o])) {
                    iso_put_text(out, first ? "" : ",");
                    put_event(out, &n, o);
                    first = false;
                }
            }
            iso_put_text(out, h->txn_counts[t] == ISO_EXCLUDED ? "],\"committed\":false}" : "],\"committed\":true}");
        }
        putc_unlocked(']', out);
    }
    iso_put_text(out, "]}\n");
}

const iso_format iso_format_dbcop_json = {
    .name = "dbcop-json",
    .summary = "the JSON of newer dbcop: sessions of {\"events\":[...],\"committed\":true}; null is initial, as is 0 "
               "unless written",
    .extensions = ".json",
    .detect = detect_dbcop_json,
    .read = read_dbcop_json,
    .survey = survey_dbcop_json,
    .write = write_dbcop_json,
};
