/* dbcop's text for people (`.hist`): a transaction is `[x:=1 y==2 z==?]`, followed by `!` if it did not commit; a line
 * of dashes ends a session, and `//` at the beginning of a line is a comment. `x==?` reads the initial value, and so
 * does `x==0` if no transaction wrote 0 to x. Names are letters, digits and underscores; versions are integers from
 * 0. */
#include <string.h>

#include "formats/dbcop_initial.h"
#include "formats/scan.h"

typedef struct reading {
    iso_scan s;
    iso_builder *b;
} reading;

static bool in_name(unsigned char c) { return iso_is_digit(c) || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

/* Returns whether a name is an integer of 64 bits in its decimal form. */
static bool is_number(const char *name, size_t n, uint64_t *value) {
    bool fits = n == 1 || (n > 1 && name[0] != '0');
    *value = 0;
    for (size_t i = 0; i < n && fits; i++) {
        fits = iso_is_digit((unsigned char)name[i]) && !__builtin_mul_overflow(*value, 10u, value) &&
               !__builtin_add_overflow(*value, (uint64_t)(name[i] - '0'), value);
    }
    return fits;
}

static void space(iso_scan *s) {
    while (iso_is_space(*s->at)) {
        s->at++;
    }
}

static uint32_t read_key(reading *r) {
    iso_scan *s = &r->s;
    const unsigned char *from = s->at;
    while (in_name(*s->at) || *s->at >= 0x80) {
        unsigned n = in_name(*s->at) ? 1 : iso_utf8_length(s->at, s->end);
        if (n == 0) {
            iso_scan_fail(s, s->at, "expected a character of a name, found bytes that are not UTF-8");
        }
        s->at += n;
    }
    if (s->at == from) {
        iso_scan_expected(s, from, "a variable (letters, digits, _)");
    }
    uint64_t number;
    size_t n = (size_t)(s->at - from);
    iso_atom name = is_number((const char *)from, n, &number) ? iso_atom_uint(number)
                                                              : iso_builder_string(r->b, (const char *)from, n);
    return iso_builder_key(r->b, name);
}

static iso_atom read_version(iso_scan *s, const char *what) {
    if (!iso_is_digit(*s->at)) {
        iso_scan_expected(s, s->at, what);
    }
    return iso_scan_integer(s, what);
}

static void read_event(reading *r, uint32_t txn) {
    iso_scan *s = &r->s;
    uint32_t key = read_key(r);
    bool write = s->at[0] == ':';
    if ((!write && s->at[0] != '=') || s->at[1] != '=') {
        iso_scan_expected(s, s->at, "':=' or '=='");
    }
    s->at += 2;
    iso_atom value = iso_atom_nil();
    if (!write && *s->at == '?') {
        s->at++;
    } else {
        value = read_version(s, write ? "a version (an integer from 0)" : "a version (an integer from 0, or '?')");
    }
    iso_builder_op(r->b, txn, write ? ISO_WRITE : ISO_READ, key, value);
}

static void read_txn(reading *r, uint32_t session) {
    iso_scan *s = &r->s;
    uint32_t txn = iso_builder_txn(r->b, session, iso_atom_nil(), ISO_COMMITTED);
    s->at++;
    for (bool more = true; more;) {
        space(s);
        read_event(r, txn);
        more = iso_is_space(*s->at);
        space(s);
        more = more && *s->at != ']';
    }
    if (*s->at != ']') {
        iso_scan_expected(s, s->at, "a space or ']'");
    }
    s->at++;
    if (*s->at == '!') {
        s->at++;
        iso_builder_status(r->b, txn, ISO_ABORTED);
    }
}

static isolab_history *read_dbcop_hist(iso_source *source) {
    reading r = {.b = iso_source_builder(source)};
    iso_builder_custom(r.b, iso_atom_int(0));
    iso_scan *s = &r.s;
    iso_scan_init(s, source);
    uint32_t session = ISO_NONE; /* the current session, which begins with its first transaction or with the dashes
                                  * before it */
    while (s->at < s->end) {
        iso_tick(source->pool->env);
        space(s);
        if (s->at[0] == '/' && s->at[1] == '/') {
            const unsigned char *end = memchr(s->at, '\n', (size_t)(s->end - s->at));
            s->at = end == NULL ? s->end : end;
        } else if (*s->at == '-') {
            session = session == ISO_NONE ? iso_builder_session(r.b, iso_atom_nil()) : session;
            session = iso_builder_session(r.b, iso_atom_nil());
            while (*s->at == '-') {
                s->at++;
            }
        } else {
            while (*s->at == '[') {
                session = session == ISO_NONE ? iso_builder_session(r.b, iso_atom_nil()) : session;
                read_txn(&r, session);
                space(s);
            }
        }
        space(s);
        if (s->at[0] == '\r' && s->at[1] == '\n') {
            s->at++;
        }
        if (s->at < s->end && *s->at != '\n') {
            iso_scan_expected(s, s->at, "a transaction ('['), a line of '-', a comment ('//') or the end of the line");
        }
        s->at += s->at < s->end;
    }
    iso_dbcop_settle(source->pool, r.b);
    return iso_builder_finish(r.b);
}

/* The first transaction identifies the format. */
static int detect_dbcop_hist(const iso_source *source) {
    const unsigned char *p = source->bytes, *end = p + (source->size < 65536 ? source->size : 65536);
    while (p < end && *p != '[') {
        bool comment = p[0] == '/' && p[1] == '/';
        if (!comment && !iso_is_space(*p) && *p != '-' && *p != '\n' && *p != '\r') {
            return 0;
        }
        const unsigned char *line = comment ? memchr(p, '\n', (size_t)(end - p)) : p + 1;
        p = line == NULL ? end : line;
    }
    p += p < end;
    while (p < end && iso_is_space(*p)) {
        p++;
    }
    const unsigned char *name = p;
    while (p < end && (in_name(*p) || *p >= 0x80)) {
        p++;
    }
    return p > name && p < end && (*p == ':' || *p == '=') && p[1] == '=' ? 95 : 0;
}

/* Returns whether a string key can be written unchanged. */
static bool is_name(const isolab_history *h, uint32_t key) {
    iso_atom a = h->key_name[key];
    if (a.kind != ISO_ATOM_STRING) {
        return false;
    }
    uint64_t n, number;
    const char *name = iso_string(h, a.bits, &n);
    bool good = n > 0 && !is_number(name, (size_t)n, &number);
    for (uint64_t i = 0; i < n && good; i++) {
        good = in_name((unsigned char)name[i]);
    }
    return good;
}

static void survey_dbcop_hist(const isolab_history *h, iso_losses *losses) {
    iso_dbcop_survey(h, 0, losses);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        losses->count[ISO_LOSS_STRINGS] -= !h->key_is_list[k] && is_name(h, k);
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        losses->count[ISO_LOSS_EMPTY] += h->txn_op[t] == h->txn_op[t + 1];
    }
    losses->count[ISO_LOSS_EMPTY] += h->n_sessions == 1 && iso_session_is_empty(h, 0);
}

static void put_event(FILE *out, const iso_numbers *n, uint32_t o) {
    const isolab_history *h = n->h;
    uint32_t key = h->op_key[o];
    if (is_name(h, key)) {
        iso_put_text(out, iso_string(h, h->key_name[key].bits, NULL));
    } else {
        iso_put_integer(out, iso_number_of_key(n, key));
    }
    iso_put_text(out, h->op_kind[o] == ISO_READ ? "==" : ":=");
    iso_atom value = iso_dbcop_version(n, o);
    if (value.kind == ISO_ATOM_NIL) {
        iso_put_text(out, "?");
    } else {
        iso_put_integer(out, value);
    }
}

static void write_dbcop_hist(const isolab_history *h, iso_sink *sink) {
    FILE *out = sink->out;
    iso_numbers n;
    iso_dbcop_numbers(&n, h, 0);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_put_text(out, s == 0 ? "" : "---\n");
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(sink->pool->env);
            bool any = false;
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (!iso_is_list_op(h->op_kind[o])) {
                    iso_put_text(out, any ? " " : "[");
                    put_event(out, &n, o);
                    any = true;
                }
            }
            if (any) {
                iso_put_text(out, h->txn_counts[t] == ISO_EXCLUDED ? "]!\n" : "]\n");
            }
        }
    }
}

const iso_format iso_format_dbcop_hist = {
    .name = "dbcop-hist",
    .summary = "dbcop's text: `[x:=1 y==2 z==?]` a transaction, `!` after it: not committed, `---` ends a session",
    .extensions = ".hist",
    .detect = detect_dbcop_hist,
    .read = read_dbcop_hist,
    .survey = survey_dbcop_hist,
    .write = write_dbcop_hist,
};
