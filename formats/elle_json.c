/* Jepsen's histories as JSON: one array of operations, or objects that follow each other (JSON lines). Keywords are
 * plain strings: {"index":1,"type":"ok","process":0,"f":"txn","value":[["append",3,1],["r",4,[2]]]}. */
#define _GNU_SOURCE
#include <string.h>

#include "formats/elle.h"

/* What may come next in a frame. */
enum { VALUE, FIRST_VALUE, FIRST_KEY, KEY, COLON, COMMA };

static iso_elle_frame *top(iso_elle_lexer *l) { return &l->frame[l->depth]; }

/* Ends a value or key in the innermost frame. */
static void end_value(iso_elle_lexer *l) {
    iso_elle_frame *f = top(l);
    if (f->close != 0) {
        f->state = f->state == KEY || f->state == FIRST_KEY ? COLON : COMMA;
    }
}

static void close_value(iso_elle_lexer *l) {
    l->s.at++;
    l->depth--;
    end_value(l);
}

static void skip_digits(iso_scan *s) {
    if (!iso_is_digit(*s->at)) {
        iso_scan_expected(s, s->at, "a digit");
    }
    while (iso_is_digit(*s->at)) {
        s->at++;
    }
}

static void read_number(iso_scan *s, iso_elle_token *t) {
    bool negative = *s->at == '-', fits = true;
    s->at += negative;
    const unsigned char *digits = s->at;
    skip_digits(s);
    if (*digits == '0' && s->at - digits > 1) {
        iso_scan_fail(s, digits, "expected a number, found a leading zero");
    }
    uint64_t n = 0;
    for (const unsigned char *p = digits; p < s->at; p++) {
        fits &= !__builtin_mul_overflow(n, 10u, &n) && !__builtin_add_overflow(n, (uint64_t)(*p - '0'), &n);
    }
    fits &= !negative || n <= (uint64_t)INT64_MAX + 1;
    if (*s->at == '.') {
        s->at++;
        skip_digits(s);
        fits = false;
    }
    if ((*s->at | 0x20) == 'e') {
        s->at++;
        s->at += *s->at == '+' || *s->at == '-';
        skip_digits(s);
        fits = false;
    }
    t->kind = fits ? ELLE_INTEGER : ELLE_OTHER;
    t->integer = negative ? iso_atom_int((int64_t)(0 - n)) : iso_atom_uint(n);
}

/* Skips a comma or colon that is required here. Returns false if something else may follow. */
static bool skip_separator(iso_elle_lexer *l, unsigned char c) {
    iso_elle_frame *f = top(l);
    bool map = f->close == '}';
    if (f->state == COLON) {
        if (c != ':') {
            iso_scan_expected(&l->s, l->s.at, "':'");
        }
        f->state = VALUE;
    } else if (f->state == COMMA) {
        if (c == f->close) {
            return false;
        }
        if (c != ',') {
            iso_scan_expected(&l->s, l->s.at, map ? "',' or '}'" : "',' or ']'");
        }
        f->state = map ? KEY : VALUE;
    } else {
        return false;
    }
    l->s.at++;
    return true;
}

static void next_json(iso_elle_lexer *l, iso_elle_token *t) {
    iso_scan *s = &l->s;
    unsigned char c;
    do {
        iso_tick(s->pool->env);
        c = iso_json_space(s);
    } while (skip_separator(l, c));
    t->at = s->at;
    iso_elle_frame *f = top(l);
    if (s->at >= s->end && f->close == 0) {
        t->kind = ELLE_END;
    } else if (c == f->close && f->close != 0 && f->state != VALUE && f->state != KEY) {
        close_value(l);
        t->kind = ELLE_CLOSE;
    } else if (c == '"') {
        t->kind = ELLE_STRING;
        t->text = iso_json_string(s, "a string", false);
        end_value(l);
    } else if (f->state == KEY || f->state == FIRST_KEY) {
        iso_scan_expected(s, s->at, "a member's name in quotes");
    } else if (c == '[' || c == '{') {
        iso_elle_push(l, c == '[' ? ']' : '}');
        top(l)->state = c == '[' ? FIRST_VALUE : FIRST_KEY;
        s->at++;
        t->kind = c == '[' ? ELLE_OPEN : ELLE_MAP;
    } else {
        if (c == '-' || iso_is_digit(c)) {
            read_number(s, t);
        } else if (iso_json_word(s, "null")) {
            t->kind = ELLE_NIL;
        } else if (iso_json_word(s, "true") || iso_json_word(s, "false")) {
            t->kind = ELLE_OTHER;
        } else {
            iso_scan_expected(s, s->at, "a JSON value");
        }
        end_value(l);
    }
}

static isolab_history *read_json(iso_source *source) { return iso_elle_read(source, next_json, 0); }

/* An object, or an array of objects, that begins with the members of an operation. */
static int detect_json(const iso_source *source) {
    iso_scan s = {.at = source->bytes, .end = source->bytes + source->size};
    unsigned char c = iso_json_space(&s);
    size_t n = (size_t)(s.end - s.at);
    n = n < 65536 ? n : 65536;
    bool type = (c == '{' || c == '[') && memmem(s.at, n, "\"type\"", 6) != NULL;
    bool words = type && (memmem(s.at, n, "\"value\"", 7) != NULL || memmem(s.at, n, "\"process\"", 9) != NULL);
    return words ? 90 : type ? 40 : 0;
}

static void survey_json(const isolab_history *h, iso_losses *losses) { iso_elle_survey(h, losses, ISO_ELLE_JSON); }
static void write_json(const isolab_history *h, iso_sink *sink) { iso_elle_write(h, sink, ISO_ELLE_JSON); }

const iso_format iso_format_elle_json = {
    .name = "elle-json",
    .summary = "the same as JSON: an array of operations, or one a line",
    .extensions = ".json",
    .detect = detect_json,
    .read = read_json,
    .survey = survey_json,
    .write = write_json,
};
