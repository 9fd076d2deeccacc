/* The lines that Jepsen logs, one for each invocation or completion: process, type, function, value, and perhaps an
 * error.
 *
 *     INFO  jepsen.util - 3	:invoke	:cas	[0 4]
 *     3	:fail	:cas	[0 4]
 *
 * as in its own log, whose other lines are ignored, or alone, as in its history.txt. Values are EDN. They are read as
 * Porcupine reads its logs of etcd: as registers, for which a failed compare-and-set is an observation
 * (elle_registers.c). */
#define _GNU_SOURCE
#include <string.h>

#include "formats/elle_reading.h"

static const unsigned char *line_end(const unsigned char *at, const unsigned char *end) {
    const unsigned char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline == NULL ? end : newline;
}

static const unsigned char *after_space(const unsigned char *at) {
    while (iso_is_space(*at)) {
        at++;
    }
    return at;
}

/* Returns where a line describes a call; NULL: it does not. */
static const unsigned char *call_in(const unsigned char *at, const unsigned char *end) {
    static const char mark[] = "jepsen.util";
    const unsigned char *found = memmem(at, (size_t)(end - at), mark, sizeof mark - 1);
    if (found != NULL) {
        at = after_space(found + sizeof mark - 1);
        at = *at == '-' && iso_is_space(at[1]) ? after_space(at + 1) : at;
    }
    const unsigned char *word = at;
    while (word < end && (iso_is_digit(*word) || (word > at && !iso_is_space(*word)) || *word == ':')) {
        word++;
    }
    return word > at && word < end && *after_space(word) == ':' ? at : NULL;
}

/* Reads a keyword at the cursor, and the space before it. */
static iso_text keyword(iso_scan *s, const char *what) {
    s->at = after_space(s->at);
    const unsigned char *from = s->at;
    if (*from != ':') {
        iso_scan_expected(s, from, what);
    }
    while (*s->at > ' ') {
        s->at++;
    }
    return (iso_text){(const char *)from + 1, (size_t)(s->at - from - 1)};
}

static void read_value(elle_reading *r, elle_event *e, const unsigned char *end) {
    iso_scan *s = &r->l.s;
    s->at = e->value = after_space(s->at);
    if (s->at >= end || *s->at == '\r') {
        e->value = NULL;
        return;
    }
    iso_elle_begin_value(r, e);
    iso_elle_token t = iso_elle_next(r);
    e->shape = iso_elle_shape(r, t);
    e->value = t.kind == ELLE_NIL ? NULL : e->value;
    if (s->at > end) {
        iso_scan_fail(s, t.at, "expected a value that ends with its line, found one that goes on");
    }
}

/* Reads a line that has a process at its beginning or after a prefix. */
static void read_line(elle_reading *r, const unsigned char *at, const unsigned char *end) {
    static const char *const types[] = {"invoke", "ok", "fail", "info"};
    iso_scan *s = &r->l.s;
    s->at = at;
    if (*at == ':') { /* :nemesis is not a client */
        return;
    }
    elle_event e = {.at = at, .time = ELLE_NO_NUMBER, .index = ELLE_NO_NUMBER};
    iso_atom process = iso_scan_integer(s, "the number of a process");
    e.process = iso_elle_process(r, process);
    const unsigned char *from = after_space(s->at);
    e.type = (uint8_t)iso_elle_find(keyword(s, "invoke, ok, fail or info"), types, 4);
    if (e.type == 4) {
        iso_scan_expected(s, from, ":invoke, :ok, :fail or :info");
    }
    from = after_space(s->at);
    iso_text f = keyword(s, "a function such as :read");
    e.f = iso_elle_f(r, (iso_elle_token){.kind = ELLE_KEYWORD, .at = from, .text = f});
    read_value(r, &e, end);
    iso_elle_add_event(r, &e);
}

static isolab_history *read_log(iso_source *source) {
    elle_reading r = {.pool = source->pool, .open = ISO_NONE, .observes = true};
    iso_elle_lexer_init(&r.l, source, iso_elle_next_edn);
    const unsigned char *end = source->bytes + source->size;
    for (const unsigned char *at = source->bytes, *stop; at < end; at = stop + 1) {
        iso_tick(source->pool->env);
        stop = line_end(at, end);
        const unsigned char *call = call_in(at, stop);
        if (call != NULL) {
            read_line(&r, call, stop);
        }
    }
    return iso_elle_finish(&r, source);
}

/* Detects the format by the first lines that describe calls. */
static int detect_log(const iso_source *source) {
    static const char *const types[] = {":invoke", ":info", ":ok", ":fail"};
    const unsigned char *end = source->bytes + (source->size < 65536 ? source->size : 65536);
    bool colon = source->size > 0 && memchr(source->bytes, ':', (size_t)(end - source->bytes)) != NULL;
    for (const unsigned char *at = source->bytes, *stop; colon && at < end; at = stop + 1) {
        stop = line_end(at, end);
        const unsigned char *call = call_in(at, stop);
        for (int i = 0; call != NULL && i < 4; i++) {
            const unsigned char *type = memmem(call, (size_t)(stop - call), types[i], strlen(types[i]));
            if (type != NULL && type > call && iso_is_space(type[-1])) {
                return 85;
            }
        }
    }
    return 0;
}

const iso_format iso_format_jepsen_log = {
    .name = "jepsen-log",
    .summary = "lines of Jepsen's log, as Porcupine checks: `3 :invoke :cas [0 4]`",
    .extensions = ".log",
    .detect = detect_log,
    .read = read_log,
};
