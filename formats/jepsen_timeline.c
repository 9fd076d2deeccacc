/* Jepsen's timeline.html, a picture of a log of registers with a box for each call:
 *
 *     <div class="op ok" style="width:100;left:424;top:128;height:64" title="0 ms">12 :read 1</div>
 *
 * A row of the picture has height 16 and is one line of the log, so a box begins with its invocation and ends with its
 * completion; an open box has none. Values are EDN. The log is reconstructed and then read like other logs (elle.c). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "formats/elle_reading.h"

#define ROW 16

static const char closing[] = "</div>";

typedef struct half {
    int64_t row;
    elle_event e;
} half;

typedef struct boxes {
    half *at;
    size_t n, room;
} boxes;

static const unsigned char *find_text(const unsigned char *at, const unsigned char *end, const char *text) {
    return memmem(at, (size_t)(end - at), text, strlen(text));
}

/* Returns the number after a word in the style of a box. */
static int64_t style(elle_reading *r, const unsigned char *box, const unsigned char *end, const char *word) {
    iso_scan *s = &r->l.s;
    const unsigned char *at = find_text(box, end, word);
    if (at == NULL) {
        iso_scan_fail(s, box, "expected `%s` and a number in the style of this call, found none", word);
    }
    s->at = at + strlen(word);
    int64_t n = iso_scan_instant(s);
    if (n < 0) {
        iso_scan_fail(s, at, "expected a number from 0 on after `%s`, found %lld", word, (long long)n);
    }
    return n;
}

static void add_half(elle_reading *r, boxes *b, int64_t row, const elle_event *e) {
    ISO_GROW(r->pool, b->at, b->n, b->room);
    b->at[b->n++] = (half){row, *e};
}

/* Reads the text of a box: process, function and value. */
static void read_text(elle_reading *r, elle_event *e, const unsigned char *end) {
    iso_scan *s = &r->l.s;
    iso_elle_begin_value(r, &(elle_event){.value = e->at});
    iso_elle_token t = iso_elle_next(r);
    if (t.kind != ELLE_INTEGER) {
        iso_elle_expected(r, t, "the number of a process");
    }
    e->process = iso_elle_process(r, t.integer);
    e->f = iso_elle_f(r, iso_elle_next(r));
    while (iso_is_space(*s->at)) {
        s->at++;
    }
    t = s->at < end ? iso_elle_next(r) : (iso_elle_token){.kind = ELLE_NIL};
    e->value = t.kind == ELLE_NIL ? NULL : t.at;
    e->shape = iso_elle_shape(r, t);
    if (s->at > end) {
        iso_scan_fail(s, e->at, "expected a process, a function and a value before </div>, found text that goes on");
    }
}

/* Reads one box, from its class to its text. Returns where it ends. */
static const unsigned char *read_box(elle_reading *r, boxes *b, const unsigned char *type) {
    static const char *const types[] = {"ok\"", "fail\"", "info\"", "invoke\""};
    static const uint8_t kinds[] = {ELLE_OK, ELLE_FAIL, ELLE_INFO, ELLE_INFO};
    iso_scan *s = &r->l.s;
    unsigned i = 0;
    while (i < 4 && strncmp((const char *)type, types[i], strlen(types[i])) != 0) {
        i++;
    }
    if (i == 4) {
        iso_scan_expected(s, type, "ok, fail, info or invoke as the class of a call");
    }
    const unsigned char *tag = find_text(type, s->end, "\">"), *end = find_text(type, s->end, closing + 1);
    if (tag == NULL || end == NULL || tag > end) {
        iso_scan_expected(s, type, "a call: its tag, its text and </div>");
    }
    elle_event e = {.at = tag + 2, .time = ELLE_NO_NUMBER, .index = ELLE_NO_NUMBER};
    int64_t top = style(r, type, tag, "top:"), height = style(r, type, tag, "height:");
    read_text(r, &e, end);
    if (kinds[i] != ELLE_INFO) {
        e.type = kinds[i];
        add_half(r, b, top / ROW + height / ROW, &e);
    }
    e.type = ELLE_INVOKE;
    if (e.f == ELLE_F_READ) {
        e.value = NULL;
        e.shape = ELLE_SHAPE_NIL;
    }
    add_half(r, b, top / ROW, &e);
    return end;
}

/* Jepsen's pictures have no two events in one row; otherwise invocations come first. */
static int compare(const void *a, const void *b) {
    const half *x = a, *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    return x->e.type != y->e.type ? (x->e.type > y->e.type) - (x->e.type < y->e.type)
                                  : (x->e.at > y->e.at) - (x->e.at < y->e.at);
}

/* Copies the text, with a space instead of the '<' after a call, which EDN would take for a part of the value. */
static unsigned char *copy_text(const iso_source *source) {
    unsigned char *text = iso_alloc(source->pool, source->size + ISO_SOURCE_PADDING, 1), *end = text + source->size;
    memcpy(text, source->bytes, source->size + ISO_SOURCE_PADDING);
    for (unsigned char *at = text; (at = memmem(at, (size_t)(end - at), closing, sizeof closing - 1)) != NULL; at++) {
        *at = ' ';
    }
    return text;
}

static isolab_history *read_timeline(iso_source *source) {
    elle_reading r = {.pool = source->pool, .open = ISO_NONE};
    boxes b = {.n = 0};
    iso_source copy = *source;
    unsigned char *text = copy_text(source);
    copy.bytes = text;
    iso_elle_lexer_init(&r.l, &copy, iso_elle_next_edn);
    static const char box[] = "class=\"op ";
    const unsigned char *at = text, *end = text + source->size;
    while ((at = find_text(at, end, box)) != NULL) {
        iso_tick(source->pool->env);
        at = read_box(&r, &b, at + sizeof box - 1);
    }
    if (b.n > 0) {
        qsort(b.at, b.n, sizeof *b.at, compare);
    }
    for (size_t i = 0; i < b.n; i++) {
        iso_elle_add_event(&r, &b.at[i].e);
    }
    iso_free(r.pool, b.at);
    isolab_history *h = iso_elle_finish(&r, source);
    iso_free(source->pool, text);
    return h;
}

static int detect_timeline(const iso_source *source) {
    const unsigned char *end = source->bytes + (source->size < 65536 ? source->size : 65536);
    return source->size > 0 && *source->bytes == '<' && find_text(source->bytes, end, "class=\"op ") != NULL ? 85 : 0;
}

const iso_format iso_format_jepsen_timeline = {
    .name = "jepsen-timeline",
    .summary = "Jepsen's timeline.html of a log of registers",
    .extensions = ".html",
    .detect = detect_timeline,
    .read = read_timeline,
};
