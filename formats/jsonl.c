/* JSON lines, the recommended interchange format: one transaction in each line, or an array of them (docs/formats.md):
 *
 *     {"session":0,"id":"t17","status":"committed","start":1,"end":9,"ops":[["r","x",null],["w","x",3]]}
 *
 * {"not":3} in place of the result of a read says that it was another value.
 *
 * A note is something that happened beside the transactions: {"note":"a node was killed","start":4,"end":7}.
 *
 * A recorder that may be killed says in its header {"isolab":1,"recording":"begun"}, and ends the file with the line
 * {"recording":"ended"}. Without this line the history is torn (torn.h), and a last line without its newline is a cut
 * one, which is not read. "unique" instead of "begun": and no value of a key is written twice.
 *
 * A header may come first: {"isolab":1,"about":"nodes 40","initial":0,"initial_transaction":false,"sessions":[0,1]}:
 * what the history says about itself (about.h), a value that means initial besides null, that the first transaction is
 * not the initial one, and the order of the sessions (needed only if one is empty). That of a recording has
 * "database", "version" and "level", which become pairs of its line. */
#define _GNU_SOURCE
#include <string.h>

#include "formats/json.h"
#include "formats/survey.h"
#include "history/about.h"
#include "history/initial.h"

typedef struct elements {
    iso_atom *at;
    size_t n, room;
} elements;

typedef struct reading {
    iso_scan s;
    iso_builder *b;
    elements list;
    bool begun;                    /* a line was read, so a header is no longer allowed */
    bool recording, ended, unique; /* as the header and the end mark say */
    uint64_t line;
    const unsigned char *counted;   /* of an array: the lines up to here are counted */
    char about[ISO_ABOUT_MOST + 1]; /* of the header, as a line of pairs */
    size_t n_about;
} reading;

/* One object, parsed member by member. */
typedef struct line {
    const unsigned char *from;
    bool has_session, has_id, has_status, has_start, has_end, has_ops, has_header, has_initial, has_sessions,
        has_ordinary, has_about, has_note, has_database, has_version, has_level, has_recording, ordinary, begun, ended,
        unique;
    uint32_t session;
    iso_atom id, initial, note;
    iso_status status;
    int64_t start, end;
    const unsigned char *start_at, *later_ops; /* ops before the session are read again at the end */
    uint32_t txn;
} line;

static void read_list(reading *r) {
    iso_scan *s = &r->s;
    iso_json_expect(s, '[', "'[' and the elements of a list");
    r->list.n = 0;
    if (iso_json_space(s) == ']') {
        s->at++;
        return;
    }
    do {
        iso_json_space(s);
        ISO_GROW(s->pool, r->list.at, r->list.n, r->list.room);
        r->list.at[r->list.n++] = iso_json_atom(s, r->b, false, "an element (an integer or a string)");
    } while (iso_json_more(s, ']'));
}

/* Reads an integer of at most 18 digits, in its plain form and without a sign, that ends with a given byte. NULL: it
 * has another form. */
static inline const unsigned char *quick_integer(const unsigned char *p, unsigned char after, iso_atom *out) {
    const unsigned char *from = p;
    uint64_t n = 0;
    for (unsigned digit; (digit = (unsigned)*p - '0') < 10; p++) {
        n = 10 * n + digit;
    }
    if (p == from || p - from > 18 || *p != after || (*from == '0' && p - from > 1)) {
        return NULL;
    }
    *out = iso_atom_int((int64_t)n);
    return p + 1;
}

/* Reads the form of most operations, without space: ["w",17,3]. Returns false, and consumes nothing, for any other form
 * or malformed input. */
static inline bool quick_op(reading *r, uint32_t txn) {
    const unsigned char *p = r->s.at;
    iso_atom key, value;
    if (p[0] != '[' || p[1] != '"' || (p[2] != 'r' && p[2] != 'w') || p[3] != '"' || p[4] != ',') {
        return false;
    }
    iso_op_kind kind = p[2] == 'r' ? ISO_READ : ISO_WRITE;
    if ((p = quick_integer(p + 5, ',', &key)) == NULL) {
        return false;
    }
    if (p[0] == 'n' && p[1] == 'u' && p[2] == 'l' && p[3] == 'l' && p[4] == ']') {
        value = iso_atom_nil();
        p += 5;
    } else if ((p = quick_integer(p, ']', &value)) == NULL) {
        return false;
    }
    r->s.at = p;
    iso_builder_op(r->b, txn, kind, iso_builder_key(r->b, key), value);
    return true;
}

/* Reads the result of a read: a value, or {"not":VALUE}. */
static iso_atom read_returned(reading *r) {
    static const char what[] = "a value (null, an integer or a string)";
    iso_scan *s = &r->s;
    if (*s->at != '{') {
        return iso_json_atom(s, r->b, true, what);
    }
    s->at++;
    iso_json_space(s);
    const unsigned char *from = s->at;
    if (!iso_text_is(iso_json_string(s, "\"not\"", false), "not")) {
        iso_scan_expected(s, from, "\"not\"");
    }
    iso_json_expect(s, ':', "':' and a value");
    iso_json_space(s);
    iso_atom value = iso_json_atom(s, r->b, true, what);
    iso_json_expect(s, '}', "'}' after the value");
    return iso_atom_not(value);
}

/* Names of operations. The first ones are those of iso_op_kind. */
enum { INCREMENT = ISO_LIST_READ + 1, DELETE };

static unsigned read_verb(iso_scan *s) {
    static const char *const verbs[] = {"r", "w", "append", "rl", "inc", "del", "delete"};
    const unsigned char *from = s->at;
    iso_text verb = iso_json_string(s, "an operation's name in quotes", false);
    for (unsigned i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (iso_text_is(verb, verbs[i])) {
            return i < DELETE ? i : DELETE;
        }
    }
    iso_scan_expected(s, from, "\"r\", \"w\", \"append\", \"rl\", \"inc\" or \"del\"");
}

/* An increment whose result is known is a read of the value before and a write of the value after. */
static void read_increment(reading *r, uint32_t txn, uint32_t key, const unsigned char *from) {
    iso_scan *s = &r->s;
    int64_t by = iso_scan_signed(s, "a number to add"), before;
    if (iso_json_space(s) != ',') {
        iso_scan_fail(s, from,
                      "expected the value after the increment, [\"inc\",KEY,%lld,RESULT], found none: without it "
                      "which value was read is not known",
                      (long long)by);
    }
    s->at++;
    iso_json_space(s);
    const unsigned char *at = s->at;
    int64_t after = iso_scan_signed(s, "the value after the increment (an integer)");
    if (__builtin_sub_overflow(after, by, &before)) {
        iso_scan_fail(s, at, "expected a value before the increment of 64 signed bits, found one that does not fit");
    }
    iso_builder_op(r->b, txn, ISO_READ, key, iso_atom_int(before));
    iso_builder_op(r->b, txn, ISO_WRITE, key, iso_atom_int(after));
}

static void read_op(reading *r, uint32_t txn) {
    iso_scan *s = &r->s;
    if (quick_op(r, txn)) {
        return;
    }
    iso_json_expect(s, '[', "'[' and an operation");
    iso_json_space(s);
    const unsigned char *from = s->at;
    unsigned verb = read_verb(s);
    iso_json_expect(s, ',', "',' and a key");
    iso_json_space(s);
    uint32_t key = iso_builder_key(r->b, iso_json_atom(s, r->b, false, "a key (an integer or a string)"));
    if (verb == DELETE) {
        iso_builder_op(r->b, txn, ISO_WRITE, key, iso_atom_nil());
    } else {
        iso_json_expect(s, ',', "',' and a value");
        iso_json_space(s);
    }
    if (verb == INCREMENT) {
        read_increment(r, txn, key, from);
    } else if (verb == ISO_LIST_READ) {
        read_list(r);
        iso_builder_list_read(r->b, txn, key, r->list.at, r->list.n);
    } else if (verb == ISO_APPEND) {
        iso_builder_op(r->b, txn, ISO_APPEND, key,
                       iso_json_atom(s, r->b, false, "an element (an integer or a string)"));
    } else if (verb == ISO_READ) {
        iso_builder_op(r->b, txn, ISO_READ, key, read_returned(r));
    } else if (verb == ISO_WRITE) {
        iso_builder_op(r->b, txn, ISO_WRITE, key,
                       iso_json_atom(s, r->b, true, "a value (null, an integer or a string)"));
    }
    iso_json_expect(s, ']', "']' after an operation");
}

static void read_ops(reading *r, uint32_t txn) {
    iso_scan *s = &r->s;
    iso_json_expect(s, '[', "'[' and the operations");
    if (iso_json_space(s) == ']') {
        s->at++;
        return;
    }
    do {
        iso_tick(s->pool->env);
        iso_json_space(s);
        read_op(r, txn);
    } while (iso_json_more(s, ']'));
}

static void once(reading *r, bool *seen, const unsigned char *from, const char *name) {
    if (*seen) {
        iso_scan_fail(&r->s, from, "expected one member \"%s\", found two", name);
    }
    *seen = true;
}

static int64_t read_instant(iso_scan *s) { return iso_json_word(s, "null") ? ISO_NO_TIME : iso_scan_instant(s); }

static iso_status read_status(iso_scan *s) {
    static const char *const name[] = {"committed", "aborted", "indeterminate"};
    static const char what[] = "\"committed\", \"aborted\" or \"indeterminate\"";
    const unsigned char *from = s->at;
    iso_text t = iso_json_string(s, what, false);
    for (int i = 0; i < 3; i++) {
        if (iso_text_is(t, name[i])) {
            return (iso_status)i;
        }
    }
    iso_scan_expected(s, from, what);
}

static void read_sessions(reading *r) {
    iso_scan *s = &r->s;
    iso_json_expect(s, '[', "'[' and the sessions");
    if (iso_json_space(s) == ']') {
        s->at++;
        return;
    }
    do {
        iso_json_space(s);
        iso_builder_session(r->b, iso_json_atom(s, r->b, false, "a session (an integer or a string)"));
    } while (iso_json_more(s, ']'));
}

enum { SESSION, ID, STATUS, START, END, OPS, HEADER, INITIAL, SESSIONS, ORDINARY, NOTE, RECORDING };
enum { ABOUT = RECORDING + 1, DATABASE, VERSION, LEVEL, MEMBERS }; /* what a header says about the history */

/* Reads the name of a member, which may occur once in the line; MEMBERS: unknown, to be ignored. */
static int read_name(reading *r, line *l) {
    iso_scan *s = &r->s;
    iso_json_space(s);
    const unsigned char *from = s->at;
    iso_text name = iso_json_string(s, "a member's name in quotes", false);
    static const char *const names[MEMBERS] = {"session", "id",        "status",  "start",    "end",
                                               "ops",     "isolab",    "initial", "sessions", "initial_transaction",
                                               "note",    "recording", "about",   "database", "version",
                                               "level"};
    int member = 0;
    while (member < MEMBERS && !iso_text_is(name, names[member])) {
        member++;
    }
    bool *const seen[MEMBERS] = {&l->has_session,  &l->has_id,       &l->has_status,  &l->has_start,
                                 &l->has_end,      &l->has_ops,      &l->has_header,  &l->has_initial,
                                 &l->has_sessions, &l->has_ordinary, &l->has_note,    &l->has_recording,
                                 &l->has_about,    &l->has_database, &l->has_version, &l->has_level};
    if (member < MEMBERS) {
        once(r, seen[member], from, names[member]);
    }
    iso_json_expect(s, ':', "':'");
    iso_json_space(s);
    return member;
}

/* Reads what the header says about the history: its line, or a text that becomes a pair. Skips any other member. */
static void read_about(reading *r, const line *l, int member) {
    static const char *const names[] = {"", "database ", "version ", "level ", ""};
    const char *name = names[member - ABOUT];
    if (member == MEMBERS || !l->has_header || (member != ABOUT && *r->s.at != '"')) {
        iso_json_skip(&r->s);
        return;
    }
    iso_text text = iso_json_string(&r->s, "a line about the history", false);
    size_t n = strlen(name), gap = r->n_about > 0 ? 2 : 0;
    if (r->n_about + gap + n + text.length > ISO_ABOUT_MOST) {
        return; /* as for any line that is too long (about.h) */
    }
    memcpy(r->about + r->n_about, "; ", gap);
    memcpy(r->about + r->n_about + gap, name, n);
    memcpy(r->about + r->n_about + gap + n, text.bytes, text.length);
    r->n_about += gap + n + text.length;
}

static void read_ordinary(iso_scan *s, line *l) {
    if (!l->has_header) {
        iso_json_skip(s);
    } else if (iso_json_word(s, "false")) {
        l->ordinary = true;
    } else {
        iso_scan_expected(s, s->at, "false");
    }
}

static void read_recording(iso_scan *s, line *l) {
    l->unique = iso_json_word(s, "\"unique\"");
    l->begun = l->unique || iso_json_word(s, "\"begun\"");
    l->ended = !l->begun && iso_json_word(s, "\"ended\"");
    if (!l->begun && !l->ended) { /* in a transaction it is one of the ignored members */
        iso_json_skip(s);
    }
}

static void read_member(reading *r, line *l) {
    iso_scan *s = &r->s;
    int member = read_name(r, l);
    switch (member) {
    case SESSION:
        l->session = iso_builder_session(r->b, iso_json_atom(s, r->b, false, "a session (an integer or a string)"));
        break;
    case ID:
        l->id = iso_json_atom(s, r->b, true, "an id (null, an integer or a string)");
        break;
    case STATUS:
        l->status = read_status(s);
        break;
    case START:
        l->start_at = s->at;
        l->start = read_instant(s);
        break;
    case END:
        l->end = read_instant(s);
        break;
    case OPS:
        if (l->has_session) {
            l->txn = iso_builder_txn(r->b, l->session, iso_atom_nil(), ISO_COMMITTED);
            read_ops(r, l->txn);
        } else {
            l->later_ops = s->at;
            iso_json_skip(s);
        }
        break;
    case HEADER: {
        const unsigned char *at = s->at;
        iso_atom version = iso_scan_integer(s, "the version of the format (1)");
        if (version.bits != 1) {
            iso_scan_expected(s, at, "version 1 of the format");
        }
        break;
    }
    case INITIAL:
        l->initial = iso_json_atom(s, r->b, true, "the initial value (null, an integer or a string)");
        break;
    case ORDINARY:
        read_ordinary(s, l);
        break;
    case NOTE:
        if (l->has_session) { /* in a transaction it is one of the ignored members */
            iso_json_skip(s);
        } else {
            l->note = iso_json_atom(s, r->b, false, "a note (a string)");
        }
        break;
    case RECORDING:
        read_recording(s, l);
        break;
    case SESSIONS:
        if (!l->has_header) { /* in a transaction it is one of the ignored members */
            iso_json_skip(s);
        } else {
            read_sessions(r);
        }
        break;
    default:
        read_about(r, l, member);
    }
}

static void finish_line(reading *r, line *l) {
    iso_scan *s = &r->s;
    if (l->has_header) {
        if (r->begun) {
            iso_scan_fail(s, l->from, "expected the header in the first line, found it later");
        }
        if (l->has_ops || l->has_session) {
            iso_scan_fail(s, l->from, "expected a header or a transaction, found both in one object");
        }
        r->recording = l->begun;
        r->unique = l->unique;
        iso_builder_initial(r->b, l->initial);
        iso_builder_about(r->b, r->about, r->n_about);
        if (l->ordinary) {
            iso_builder_ordinary(r->b);
        }
        return;
    }
    if (l->has_note && !l->has_session && !l->has_ops) {
        if (l->start != ISO_NO_TIME && l->end != ISO_NO_TIME && l->end < l->start) {
            iso_scan_fail(s, l->start_at, "expected an end that is not before the start of the note");
        }
        iso_builder_note(r->b, l->note, l->start, l->end);
        return;
    }
    r->ended = l->ended && !l->has_session && !l->has_ops;
    if (r->ended) {
        return;
    }
    if (!l->has_session || !l->has_ops) {
        iso_scan_fail(s, l->from, "expected a member \"%s\", found none", l->has_session ? "ops" : "session");
    }
    if (l->later_ops != NULL) {
        const unsigned char *after = s->at;
        l->txn = iso_builder_txn(r->b, l->session, iso_atom_nil(), ISO_COMMITTED);
        s->at = l->later_ops;
        read_ops(r, l->txn);
        s->at = after;
    }
    iso_builder_place(r->b, l->txn, r->line, -1);
    iso_builder_status(r->b, l->txn, l->status);
    iso_builder_name(r->b, l->txn, l->id);
    if (l->start != ISO_NO_TIME || l->end != ISO_NO_TIME) {
        iso_scan_times(s, l->start_at, r->b, l->txn, l->start, l->end);
    }
}

static void read_line(reading *r) {
    iso_scan *s = &r->s;
    if (r->ended) {
        iso_scan_fail(s, s->at, "expected no line after the end mark of the recording, found another");
    }
    line l = {.from = s->at, .start = ISO_NO_TIME, .end = ISO_NO_TIME, .status = ISO_COMMITTED};
    iso_json_expect(s, '{', "'{' and a transaction");
    if (iso_json_space(s) == '}') {
        s->at++;
    } else {
        do {
            read_member(r, &l);
        } while (iso_json_more(s, '}'));
    }
    finish_line(r, &l);
    r->begun = true;
}

/* Returns whether the rest of a recording is a line that was cut: it lacks its newline. */
static bool is_cut(const reading *r) {
    static const char mark[] = "{\"recording\":\"ended\"}";
    size_t n = (size_t)(r->s.end - r->s.at);
    return r->recording && memchr(r->s.at, '\n', n) == NULL && (n != sizeof mark - 1 || memcmp(r->s.at, mark, n) != 0);
}

/* Reads an element of an array of transactions, which may be on any lines. */
static void read_element(void *arg) {
    reading *r = arg;
    for (; r->counted < r->s.at; r->counted++) {
        r->line += *r->counted == '\n';
    }
    read_line(r);
}

static void read_lines(reading *r) {
    iso_scan *s = &r->s;
    s->one_line = true;
    while (s->at < s->end && !is_cut(r)) {
        iso_tick(s->pool->env);
        r->line++;
        unsigned char c = iso_json_space(s);
        if (c != '\n' && c != '\r' && s->at < s->end) {
            read_line(r);
            c = iso_json_space(s);
        }
        if (c == '\r' && s->at[1] == '\n') {
            c = *++s->at;
        }
        if (s->at < s->end && c != '\n') {
            iso_scan_expected(s, s->at, "the end of the line");
        }
        s->at += s->at < s->end;
    }
}

static isolab_history *read_jsonl(iso_source *source) {
    reading r = {.b = iso_source_builder(source), .counted = source->bytes};
    iso_scan_init(&r.s, source);
    if (iso_json_space(&r.s) == '[') {
        r.line = 1;
        iso_json_elements(&r.s, "'['", read_element, &r);
        if (iso_json_space(&r.s), r.s.at < r.s.end) {
            iso_scan_expected(&r.s, r.s.at, "the end of the file after the array");
        }
    } else {
        r.s.at = r.s.first;
        read_lines(&r);
    }
    if (r.recording && !r.ended) {
        iso_builder_torn(r.b, r.unique ? ISO_TORN_UNIQUE : ISO_TORN);
    }
    return iso_builder_finish(r.b);
}

/* The words of a transaction or header in the first line (of an array: in the first bytes), which Elle's and dbcop's
 * JSON do not have. */
static int detect_jsonl(const iso_source *source) {
    iso_scan s;
    iso_scan_init(&s, source);
    bool array = iso_json_space(&s) == '[';
    s.at += array;
    if (iso_json_space(&s) != '{') {
        return 0;
    }
    const char *p = (const char *)s.at;
    size_t n = (size_t)(s.end - s.at);
    const char *newline = array ? NULL : memchr(p, '\n', n);
    n = newline == NULL ? n : (size_t)(newline - p);
    n = n < 65536 ? n : 65536;
    bool ops = memmem(p, n, "\"ops\"", 5) != NULL, session = memmem(p, n, "\"session\"", 9) != NULL;
    bool header = memmem(p, n, "\"isolab\"", 8) != NULL;
    return header || (ops && session) ? 95 : array ? 0 : ops || session ? 60 : 5;
}

static void survey_jsonl(const isolab_history *h, iso_losses *losses) {
    losses->count[ISO_LOSS_STRINGS] += iso_count_bad_text(h);
}

static void put_value(FILE *out, const isolab_history *h, uint32_t op) {
    if (h->op_kind[op] != ISO_LIST_READ) {
        /* a write of the initial value is written by its number, if it has one */
        iso_atom value = iso_version_value(h, h->op_version[op]);
        bool written = value.kind == ISO_ATOM_NIL && h->op_kind[op] == ISO_WRITE;
        iso_put_text(out, iso_atom_is_not(value) ? "{\"not\":" : "");
        iso_json_put_atom(out, h, written ? h->initial : iso_atom_excluded(value));
        iso_put_text(out, iso_atom_is_not(value) ? "}" : "");
        return;
    }
    putc_unlocked('[', out);
    uint32_t l = h->op_version[op];
    for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
        if (e > h->list_first[l]) {
            putc_unlocked(',', out);
        }
        iso_json_put_atom(out, h, iso_version_value(h, h->list_version[e]));
    }
    putc_unlocked(']', out);
}

static void put_txn(FILE *out, const isolab_history *h, uint32_t t, uint64_t base) {
    static const char *const status[] = {"committed", "aborted", "indeterminate"};
    static const char *const verb[] = {"[\"r\",", "[\"w\",", "[\"append\",", "[\"rl\","};
    iso_put_text(out, "{\"session\":");
    iso_json_put_atom(out, h, iso_session_label(h, h->txn_session[t], base));
    iso_atom name = iso_txn_name(h, t);
    if (name.kind != ISO_ATOM_NIL) {
        iso_put_text(out, ",\"id\":");
        iso_json_put_atom(out, h, name);
    }
    iso_put_text(out, ",\"status\":\"");
    iso_put_text(out, status[h->txn_status[t]]);
    putc_unlocked('"', out);
    if (h->txn_start != NULL && h->txn_start[t] != ISO_NO_TIME) {
        iso_put_text(out, ",\"start\":");
        iso_put_integer(out, iso_atom_int(h->txn_start[t]));
    }
    if (h->txn_end != NULL && h->txn_end[t] != ISO_NO_TIME) {
        iso_put_text(out, ",\"end\":");
        iso_put_integer(out, iso_atom_int(h->txn_end[t]));
    }
    iso_put_text(out, ",\"ops\":[");
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (o > h->txn_op[t]) {
            putc_unlocked(',', out);
        }
        iso_put_text(out, verb[h->op_kind[o]]);
        iso_json_put_atom(out, h, h->key_name[h->op_key[o]]);
        putc_unlocked(',', out);
        put_value(out, h, o);
        putc_unlocked(']', out);
    }
    iso_put_text(out, "]}\n");
}

/* Writes the header only if it is needed: a line about the history, a written initial value, a first transaction that
 * writes nothing else, an empty session, or a history without transactions. */
static void put_header(FILE *out, const isolab_history *h, uint64_t base) {
    bool initial = h->initial.kind != ISO_ATOM_NIL && iso_writes_initial(h), empty = false,
         ordinary = iso_initial_begins(h, h->initial);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        empty |= iso_session_is_empty(h, s);
    }
    if (!initial && !empty && !ordinary && h->about == NULL && h->n_txns > 0) {
        return;
    }
    iso_put_text(out, "{\"isolab\":1");
    if (h->about != NULL) {
        iso_put_text(out, ",\"about\":");
        iso_json_put_string(out, h->about, strlen(h->about), false);
    }
    if (initial) {
        iso_put_text(out, ",\"initial\":");
        iso_json_put_atom(out, h, h->initial);
    }
    iso_put_text(out, ordinary ? ",\"initial_transaction\":false" : "");
    for (uint32_t s = 0; empty && s < h->n_sessions; s++) {
        iso_put_text(out, s == 0 ? ",\"sessions\":[" : ",");
        iso_json_put_atom(out, h, iso_session_label(h, s, base));
    }
    iso_put_text(out, empty ? "]}\n" : "}\n");
}

static void put_note(FILE *out, const isolab_history *h, const iso_note *note) {
    iso_put_text(out, "{\"note\":");
    iso_json_put_atom(out, h, note->text);
    if (note->start != ISO_NO_TIME) {
        iso_put_text(out, ",\"start\":");
        iso_put_integer(out, iso_atom_int(note->start));
    }
    if (note->end != ISO_NO_TIME) {
        iso_put_text(out, ",\"end\":");
        iso_put_integer(out, iso_atom_int(note->end));
    }
    iso_put_text(out, "}\n");
}

static void write_jsonl(const isolab_history *h, iso_sink *sink) {
    uint64_t base = iso_session_base(h);
    put_header(sink->out, h, base);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        iso_tick(sink->pool->env);
        put_txn(sink->out, h, t, base);
    }
    for (uint32_t i = 0; i < h->n_notes; i++) {
        put_note(sink->out, h, &h->notes[i]);
    }
}

const iso_format iso_format_jsonl = {
    .name = "jsonl",
    .summary = "JSON lines, the recommended interchange: one transaction a line",
    .extensions = ".jsonl .ndjson",
    .flags = ISO_FORMAT_NEGATIONS | ISO_FORMAT_NOTES,
    .detect = detect_jsonl,
    .read = read_jsonl,
    .survey = survey_jsonl,
    .write = write_jsonl,
};
