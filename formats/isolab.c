/* isolab text, for people and tests. It holds every history (docs/formats.md):
 *
 *     # about: graph c5 40; nodes 40      (about.h; every other comment is ignored)
 *     initial 0
 *     session A
 *     t1 commit @1..9: r x nil, w x 3
 *     maybe: append l 1, rl l [1 2]     # no name, outcome unknown
 *     t3 commit: r x not 3              # it returned another value than 3
 */
#define _GNU_SOURCE
#include <string.h>

#include "formats/json.h"
#include "formats/text.h"
#include "history/about.h"
#include "history/initial.h"

static bool starts_word(unsigned char c) { return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == ':'; }

static bool continues_word(unsigned char c) {
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || iso_is_digit(c) || c == '_' || c == '.' || c == '/' || c == '-';
}

static iso_text scan_word(iso_scan *s, const char *what) {
    const unsigned char *from = s->at;
    if (!starts_word(*from)) {
        iso_scan_expected(s, from, what);
    }
    do {
        s->at++;
    } while (continues_word(*s->at));
    return (iso_text){(const char *)from, (size_t)(s->at - from)};
}

static void space(iso_scan *s) {
    while (iso_is_space(*s->at)) {
        s->at++;
    }
}

static bool at_line_end(const iso_scan *s) {
    unsigned char c = *s->at;
    return c == '\n' || c == '#' || (c == '\r' && s->at[1] == '\n') || s->at >= s->end;
}

/* Returns whether a word is reserved in places where an atom may be. */
static bool is_reserved(iso_text t) {
    return iso_text_is(t, "nil") || iso_text_is(t, "commit") || iso_text_is(t, "abort") || iso_text_is(t, "maybe") ||
           iso_text_is(t, "session") || iso_text_is(t, "initial") || iso_text_is(t, "not");
}

static iso_atom scan_atom(iso_scan *s, iso_builder *b, bool nil, const char *what) {
    if (*s->at == '-' || iso_is_digit(*s->at)) {
        const unsigned char *from = s->at;
        iso_scan_no_other(s, what);
        iso_atom a = iso_scan_integer(s, what);
        if (starts_word(*s->at) && *s->at != ':') {
            iso_scan_fail(s, from, "expected %s, found a number that runs into a word (quote it)", what);
        }
        return a;
    }
    if (*s->at == '"') {
        iso_text t = iso_json_string(s, what, true);
        return iso_builder_string(b, t.bytes, t.length);
    }
    const unsigned char *from = s->at;
    iso_text t = scan_word(s, what);
    if (nil && iso_text_is(t, "nil")) {
        return iso_atom_nil();
    }
    if (is_reserved(t)) {
        iso_scan_expected(s, from, what);
    }
    return iso_builder_string(b, t.bytes, t.length);
}

static void gap(iso_scan *s, const char *what) {
    if (!iso_is_space(*s->at)) {
        iso_scan_expected(s, s->at, what);
    }
    space(s);
}

/* Reads the result of a read: a value, or `not` and a value that it did not return. */
static iso_atom scan_read_value(iso_scan *s, iso_builder *b) {
    static const char what[] = "a value (nil, an integer, a word or a string)";
    bool negation = memcmp(s->at, "not", 3) == 0 && !continues_word(s->at[3]);
    if (negation) {
        s->at += 3;
        gap(s, "a space and a value");
    }
    iso_atom value = scan_atom(s, b, true, what);
    return negation ? iso_atom_not(value) : value;
}

typedef struct elements {
    iso_atom *at;
    size_t n, room;
} elements;

static void scan_list(iso_scan *s, iso_builder *b, elements *list) {
    if (*s->at != '[') {
        iso_scan_expected(s, s->at, "'[' and the elements of a list");
    }
    s->at++;
    list->n = 0;
    for (space(s); *s->at != ']'; space(s)) {
        ISO_GROW(s->pool, list->at, list->n, list->room);
        list->at[list->n++] = scan_atom(s, b, false, "an element or ']'");
        if (*s->at != ']') {
            gap(s, "a space or ']'");
        }
    }
    s->at++;
}

static void scan_op(iso_scan *s, iso_builder *b, uint32_t txn, elements *list) {
    static const char what[] = "an operation (r, w, append or rl)";
    const unsigned char *from = s->at;
    iso_text verb = scan_word(s, what);
    iso_op_kind kind = iso_text_is(verb, "r")        ? ISO_READ
                       : iso_text_is(verb, "w")      ? ISO_WRITE
                       : iso_text_is(verb, "append") ? ISO_APPEND
                                                     : ISO_LIST_READ;
    if (kind == ISO_LIST_READ && !iso_text_is(verb, "rl")) {
        iso_scan_expected(s, from, what);
    }
    gap(s, "a space and a key");
    uint32_t key = iso_builder_key(b, scan_atom(s, b, false, "a key (an integer, a word or a string)"));
    gap(s, "a space and a value");
    if (kind == ISO_LIST_READ) {
        scan_list(s, b, list);
        iso_builder_list_read(b, txn, key, list->at, list->n);
    } else if (kind == ISO_APPEND) {
        iso_builder_op(b, txn, kind, key, scan_atom(s, b, false, "an element (an integer, a word or a string)"));
    } else if (kind == ISO_READ) {
        iso_builder_op(b, txn, kind, key, scan_read_value(s, b));
    } else {
        iso_builder_op(b, txn, kind, key, scan_atom(s, b, true, "a value (nil, an integer, a word or a string)"));
    }
}

static void scan_times(iso_scan *s, iso_builder *b, uint32_t txn) {
    const unsigned char *from = s->at++;
    int64_t start = ISO_NO_TIME, end = ISO_NO_TIME;
    if (*s->at != '.') {
        start = iso_scan_instant(s);
    }
    if (s->at[0] != '.' || s->at[1] != '.') {
        iso_scan_expected(s, s->at, "'..' between start and end");
    }
    s->at += 2;
    if (*s->at == '-' || iso_is_digit(*s->at)) {
        end = iso_scan_instant(s);
    }
    iso_scan_times(s, from, b, txn, start, end);
}

/* Reads the rest of a transaction after its status. */
static void scan_txn(iso_scan *s, iso_builder *b, uint32_t txn, elements *list) {
    space(s);
    if (*s->at == '@') {
        scan_times(s, b, txn);
        space(s);
    }
    if (*s->at != ':') {
        iso_scan_expected(s, s->at, "':' before the operations");
    }
    s->at++;
    space(s);
    while (!at_line_end(s)) {
        iso_tick(s->pool->env);
        scan_op(s, b, txn, list);
        space(s);
        if (*s->at == ',') {
            s->at++;
            space(s);
            if (at_line_end(s)) {
                iso_scan_expected(s, s->at, "an operation after ','");
            }
        } else if (!at_line_end(s)) {
            iso_scan_expected(s, s->at, "',' or the end of the line");
        }
    }
}

static int status_of(iso_text t) {
    return iso_text_is(t, "commit")  ? ISO_COMMITTED
           : iso_text_is(t, "abort") ? ISO_ABORTED
           : iso_text_is(t, "maybe") ? ISO_INDETERMINATE
                                     : -1;
}

typedef struct reading {
    iso_builder *b;
    uint32_t session; /* ISO_NONE: none yet */
    bool begun;       /* a line was read, so `initial` is no longer allowed */
    uint64_t line;
    elements list;
} reading;

/* Reads `initial-transaction no` after its first word, which may also be the name of a transaction. */
static bool scan_ordinary(iso_scan *s, reading *r) {
    const unsigned char *at = s->at;
    space(s);
    if (s->at > at && s->at[0] == 'n' && s->at[1] == 'o' && !continues_word(s->at[2])) {
        s->at += 2;
        iso_builder_ordinary(r->b);
        return true;
    }
    s->at = at;
    return false;
}

static void scan_line(iso_scan *s, reading *r) {
    const unsigned char *from = s->at;
    iso_text word = starts_word(*from) ? scan_word(s, "") : (iso_text){"", 0};
    if (iso_text_is(word, "initial-transaction") && scan_ordinary(s, r)) {
        if (r->session != ISO_NONE) {
            iso_scan_fail(s, from, "expected `initial-transaction no` before the first session, found it later");
        }
        return;
    }
    if (iso_text_is(word, "initial")) {
        if (r->begun) {
            iso_scan_fail(s, from, "expected `initial` once and before everything else, found it later");
        }
        r->begun = true;
        gap(s, "a space and the initial value");
        iso_builder_initial(r->b, scan_atom(s, r->b, false, "the initial value (an integer, a word or a string)"));
        return;
    }
    r->begun = true;
    if (iso_text_is(word, "session")) {
        space(s);
        r->session =
            iso_builder_session(r->b, at_line_end(s) ? iso_atom_nil() : scan_atom(s, r->b, false, "a session's name"));
        return;
    }
    int status = status_of(word);
    iso_atom name = iso_atom_nil();
    if (status < 0) {
        s->at = from;
        name = scan_atom(s, r->b, false, "`session`, or a transaction's name or status");
        gap(s, "a space and a status (commit, abort or maybe)");
        const unsigned char *at = s->at;
        status = status_of(scan_word(s, "a status (commit, abort or maybe)"));
        if (status < 0) {
            iso_scan_expected(s, at, "a status (commit, abort or maybe)");
        }
    }
    if (r->session == ISO_NONE) {
        iso_scan_fail(s, from, "expected `session` before the first transaction, found a transaction");
    }
    uint32_t txn = iso_builder_txn(r->b, r->session, name, (iso_status)status);
    iso_builder_place(r->b, txn, r->line, -1);
    scan_txn(s, r->b, txn, &r->list);
}

/* Reads a comment before the first session. */
static void scan_about(iso_scan *s, reading *r) {
    static const char mark[] = "# about: ";
    const unsigned char *at = s->at, *end = memchr(at, '\n', (size_t)(s->end - at));
    end = end == NULL ? s->end : end;
    end -= end > at && end[-1] == '\r';
    if (r->session == ISO_NONE && (size_t)(end - at) >= sizeof mark && memcmp(at, mark, sizeof mark - 1) == 0) {
        at += sizeof mark - 1;
        iso_builder_about(r->b, (const char *)at, (size_t)(end - at));
    }
}

static isolab_history *read_isolab(iso_source *source) {
    iso_scan s;
    iso_scan_init(&s, source);
    reading r = {.b = iso_source_builder(source), .session = ISO_NONE};
    while (s.at < s.end) {
        iso_tick(source->pool->env);
        r.line++;
        space(&s);
        scan_about(&s, &r);
        if (!at_line_end(&s)) {
            scan_line(&s, &r);
            space(&s);
            if (!at_line_end(&s)) {
                iso_scan_expected(&s, s.at, "the end of the line");
            }
        }
        const unsigned char *newline = memchr(s.at, '\n', (size_t)(s.end - s.at));
        s.at = newline == NULL ? s.end : newline + 1;
    }
    return iso_builder_finish(r.b);
}

/* Returns the end of the word, number or string at p; p itself: there is none. */
static const unsigned char *atom_end(const unsigned char *p) {
    if (*p == '"') {
        do {
            p += *p == '\\' && p[1] != '\0' ? 2 : 1;
        } while (*p != '"' && *p != '\n' && *p != '\0');
        return p + (*p == '"');
    }
    while (*p == '-' || continues_word(*p) || *p == ':') {
        p++;
    }
    return p;
}

/* Returns how surely a line is `session`, `session NAME`, `initial VALUE` or `initial-transaction no`. */
static int line_score(const unsigned char *p) {
    const unsigned char *end = atom_end(p);
    size_t n = (size_t)(end - p);
    bool session = n == 7 && memcmp(p, "session", 7) == 0;
    bool initial = (n == 7 && memcmp(p, "initial", 7) == 0) || (n == 19 && memcmp(p, "initial-transaction", 19) == 0);
    if (!session && !(initial && iso_is_space(*end))) {
        return 0;
    }
    iso_scan s = {.at = end};
    space(&s);
    bool spaced = s.at > end;
    s.at = spaced ? atom_end(s.at) : s.at;
    space(&s);
    bool ends = *s.at == '\0' || *s.at == '\n' || *s.at == '\r' || *s.at == '#';
    return ends ? 95 : spaced ? 60 : 0;
}

/* The first line that is not empty or a comment decides; a file with only comments begins with `# isolab`. */
static int detect_isolab(const iso_source *source) {
    const unsigned char *p = source->bytes, *end = p + source->size;
    bool named = source->size >= 8 && memcmp(p, "# isolab", 8) == 0;
    while (p != NULL && p < end) {
        while (iso_is_space(*p) || *p == '\n' || *p == '\r') {
            p++;
        }
        if (*p != '#') {
            break;
        }
        p = memchr(p, '\n', (size_t)(end - p));
    }
    int score = p != NULL && p < end ? line_score(p) : 0;
    return score > 0 || !named ? score : 90;
}

static void survey_nothing(const isolab_history *h, iso_losses *losses) {
    (void)h;
    (void)losses;
}

static void put_atom(FILE *out, const isolab_history *h, iso_atom atom) {
    if (atom.kind == ISO_ATOM_NIL) {
        iso_put_text(out, "nil");
        return;
    }
    if (atom.kind != ISO_ATOM_STRING) {
        iso_put_integer(out, atom);
        return;
    }
    iso_text t;
    uint64_t length;
    t.bytes = iso_string(h, atom.bits, &length);
    t.length = length;
    bool plain = length > 0 && starts_word((unsigned char)t.bytes[0]) && !is_reserved(t);
    for (size_t i = 1; plain && i < length; i++) {
        plain = continues_word((unsigned char)t.bytes[i]);
    }
    if (plain) {
        fwrite_unlocked(t.bytes, 1, length, out);
    } else {
        iso_json_put_string(out, t.bytes, length, true);
    }
}

/* Writes the whole operation, with complete lists. */
static void put_op(FILE *out, const isolab_history *h, uint32_t op) {
    static const char *const verb[] = {"r ", "w ", "append ", "rl "};
    iso_put_text(out, verb[h->op_kind[op]]);
    put_atom(out, h, h->key_name[h->op_key[op]]);
    putc_unlocked(' ', out);
    if (h->op_kind[op] != ISO_LIST_READ) {
        iso_atom value = iso_version_value(h, h->op_version[op]);
        iso_put_text(out, iso_atom_is_not(value) ? "not " : "");
        put_atom(out, h, iso_atom_excluded(value));
        return;
    }
    putc_unlocked('[', out);
    uint32_t l = h->op_version[op];
    for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
        if (e > h->list_first[l]) {
            putc_unlocked(' ', out);
        }
        put_atom(out, h, iso_version_value(h, h->list_version[e]));
    }
    putc_unlocked(']', out);
}

void iso_put_txn(FILE *out, const isolab_history *h, uint32_t t) {
    static const char *const status[] = {"commit", "abort", "maybe"};
    iso_atom name = iso_txn_name(h, t);
    if (name.kind != ISO_ATOM_NIL) {
        put_atom(out, h, name);
        putc_unlocked(' ', out);
    }
    iso_put_text(out, status[h->txn_status[t]]);
    if (h->txn_start != NULL && (h->txn_start[t] != ISO_NO_TIME || h->txn_end[t] != ISO_NO_TIME)) {
        iso_put_text(out, " @");
        if (h->txn_start[t] != ISO_NO_TIME) {
            iso_put_integer(out, iso_atom_int(h->txn_start[t]));
        }
        iso_put_text(out, "..");
        if (h->txn_end[t] != ISO_NO_TIME) {
            iso_put_integer(out, iso_atom_int(h->txn_end[t]));
        }
    }
    putc_unlocked(':', out);
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        iso_put_text(out, o > h->txn_op[t] ? ", " : " ");
        put_op(out, h, o);
    }
}

static void write_isolab(const isolab_history *h, iso_sink *sink) {
    FILE *out = sink->out;
    if (h->n_sessions == 0) {
        iso_put_text(out, "# isolab: a history without sessions\n");
    }
    if (h->about != NULL) {
        iso_put_text(out, "# about: ");
        iso_put_text(out, h->about);
        putc_unlocked('\n', out);
    }
    if (h->initial.kind != ISO_ATOM_NIL) {
        iso_put_text(out, "initial ");
        put_atom(out, h, h->initial);
        putc_unlocked('\n', out);
    }
    if (iso_initial_begins(h, h->initial)) {
        iso_put_text(out, "initial-transaction no\n");
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_put_text(out, "session");
        if (h->session_name[s].kind != ISO_ATOM_NIL) {
            putc_unlocked(' ', out);
            put_atom(out, h, h->session_name[s]);
        }
        putc_unlocked('\n', out);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(sink->pool->env);
            iso_put_txn(out, h, t);
            putc_unlocked('\n', out);
        }
    }
}

const iso_format iso_format_isolab = {
    .name = "isolab",
    .summary = "text for people: `session A`, then `t1 commit @1..9: r x nil, w x 3`",
    .extensions = ".isolab",
    .flags = ISO_FORMAT_NEGATIONS,
    .detect = detect_isolab,
    .read = read_isolab,
    .survey = survey_nothing,
    .write = write_isolab,
};
