/* The first pass over a Jepsen log: events, and pairs of them. See elle_reading.h. */
#include "formats/elle_reading.h"

#include <string.h>

/* Workloads whose operations are not read, by their :f. */
static const struct {
    const char *f, *workload;
} strange[] = {
    {"transfer", ELLE_LOG_BANK},
    {"add", "a set or counter log (:add, :read)"},
    {"remove", ELLE_LOG_SET},
    {"enqueue", ELLE_LOG_QUEUE},
    {"dequeue", ELLE_LOG_QUEUE},
    {"drain", ELLE_LOG_QUEUE},
    {"inc", "a counter log (:inc, :read)"},
    {"insert", "a log of predicates (:insert)"},
};

void iso_elle_push(iso_elle_lexer *l, unsigned char close) {
    uint32_t top = l->frame == NULL ? 0 : l->depth + 1;
    if (top == ISO_ID_MAX) {
        iso_scan_fail(&l->s, l->s.at, "expected fewer than %u forms inside each other, found more", ISO_ID_MAX);
    }
    ISO_GROW(l->s.pool, l->frame, top, l->room);
    l->frame[top] = (iso_elle_frame){.open = l->s.at, .close = close};
    l->depth = top;
}

void iso_elle_lexer_init(iso_elle_lexer *l, const iso_source *source,
                         void (*next)(iso_elle_lexer *, iso_elle_token *)) {
    *l = (iso_elle_lexer){.next = next};
    iso_scan_init(&l->s, source);
    iso_elle_push(l, 0);
}

iso_elle_token iso_elle_next(elle_reading *r) {
    iso_elle_token t = {.kind = ELLE_END};
    r->l.next(&r->l, &t);
    return t;
}

static bool is_opening(iso_elle_token t) { return t.kind == ELLE_OPEN || t.kind == ELLE_MAP || t.kind == ELLE_SET; }

bool iso_elle_is_word(iso_elle_token t) { return t.kind == ELLE_KEYWORD || t.kind == ELLE_STRING; }

/* Skips the rest of the form that t began */
static void skip_form(elle_reading *r, iso_elle_token t) {
    if (is_opening(t)) {
        uint32_t outside = r->l.depth - 1;
        do {
            t = iso_elle_next(r);
        } while (t.kind != ELLE_CLOSE || r->l.depth > outside);
    }
}

/* Returns the kind of a form after its '['. */
static uint8_t shape_of_vector(elle_reading *r) {
    uint8_t shape = ELLE_SHAPE_PAIR;
    unsigned n = 0;
    for (iso_elle_token t = iso_elle_next(r); t.kind != ELLE_CLOSE; t = iso_elle_next(r), n++) {
        bool one = t.kind == ELLE_NIL || t.kind == ELLE_INTEGER || iso_elle_is_word(t);
        shape = one && n < 2                                                ? shape
                : t.kind == ELLE_OPEN && n == 1 && shape == ELLE_SHAPE_PAIR ? ELLE_SHAPE_KEYED
                                                                            : ELLE_SHAPE_OTHER;
        skip_form(r, t);
    }
    return n == 2 ? shape : ELLE_SHAPE_OTHER;
}

uint8_t iso_elle_shape(elle_reading *r, iso_elle_token t) {
    if (t.kind == ELLE_OPEN) {
        return shape_of_vector(r);
    }
    skip_form(r, t);
    bool one = t.kind == ELLE_INTEGER || t.kind == ELLE_OTHER || iso_elle_is_word(t);
    return t.kind == ELLE_NIL ? ELLE_SHAPE_NIL : one ? ELLE_SHAPE_ONE : ELLE_SHAPE_OTHER;
}

_Noreturn void iso_elle_expected(const elle_reading *r, iso_elle_token t, const char *what) {
    iso_scan_expected(&r->l.s, t.at, what);
}

unsigned iso_elle_find(iso_text word, const char *const *words, unsigned n) {
    unsigned i = 0;
    while (i < n && !iso_text_is(word, words[i])) {
        i++;
    }
    return i;
}

uint32_t iso_elle_process(elle_reading *r, iso_atom number) {
    if (r->by_number.slot == NULL) {
        iso_index_init(&r->by_number, r->pool, 0);
    }
    uint64_t hash = iso_mix(number.bits);
    for (uint32_t at, p = iso_index_first(&r->by_number, hash, &at); p != UINT32_MAX;
         p = iso_index_next(&r->by_number, hash, &at)) {
        if (iso_atom_equal(r->processes[p].number, number)) {
            return p;
        }
    }
    uint32_t p = r->n_processes;
    ISO_GROW(r->pool, r->processes, p, r->processes_room);
    r->processes[p] = (elle_process){number, ISO_NONE};
    r->n_processes++;
    iso_index_add(&r->by_number, hash, p);
    return p;
}

static int64_t read_number(elle_reading *r, iso_elle_token t, const char *what) {
    if (t.kind == ELLE_NIL) {
        return ELLE_NO_NUMBER;
    }
    if (t.kind != ELLE_INTEGER || t.integer.kind == ISO_ATOM_UINT || (int64_t)t.integer.bits == ELLE_NO_NUMBER) {
        iso_elle_expected(r, t, what);
    }
    return (int64_t)t.integer.bits;
}

/* The other fields of a map, besides its event. */
typedef struct fields {
    iso_elle_token type, process, f;
    unsigned seen; /* bit by field */
    bool nemesis;  /* its process is the nemesis */
} fields;

const char *const iso_elle_fields[ELLE_FIELDS] = {"type", "process", "f", "value", "key", "time", "index"};

static void read_field(elle_reading *r, iso_elle_token name, elle_event *e, fields *of) {
    static const char *const types[] = {"invoke", "ok", "fail", "info"};
    unsigned field = iso_elle_is_word(name) ? iso_elle_find(name.text, iso_elle_fields, ELLE_FIELDS) : ELLE_FIELDS;
    if (field < ELLE_FIELDS && of->seen >> field & 1) {
        iso_scan_fail(&r->l.s, name.at, "expected one %s in an operation, found two", iso_elle_fields[field]);
    }
    of->seen |= 1u << field;
    skip_form(r, name);
    iso_elle_token t = iso_elle_next(r);
    switch (field) {
    case ELLE_FIELD_TYPE:
        of->type = t;
        e->type = (uint8_t)(iso_elle_is_word(t) ? iso_elle_find(t.text, types, 4) : 4);
        break;
    case ELLE_FIELD_PROCESS:
        of->process = t;
        of->nemesis = iso_elle_is_word(t) && iso_text_is(t.text, "nemesis");
        e->process = t.kind == ELLE_INTEGER ? iso_elle_process(r, t.integer) : ISO_NONE;
        break;
    case ELLE_FIELD_F:
        of->f = t;
        break;
    case ELLE_FIELD_VALUE:
        e->value = t.kind == ELLE_NIL ? NULL : t.at;
        e->shape = iso_elle_shape(r, t);
        return;
    case ELLE_FIELD_KEY:
        e->key = t.kind == ELLE_NIL ? NULL : t.at;
        break;
    case ELLE_FIELD_TIME:
        e->time = read_number(r, t, "an integer as :time");
        e->time = e->time == -1 ? ELLE_NO_NUMBER : e->time; /* Jepsen and isolab write -1 for "not known" */
        break;
    case ELLE_FIELD_INDEX:
        e->index = read_number(r, t, "an integer as :index");
        break;
    }
    skip_form(r, t);
}

static void pair_up(elle_reading *r, uint32_t number) {
    const elle_event *e = &r->events[number];
    uint32_t *open = e->process == ISO_NONE ? &r->open : &r->processes[e->process].open;
    if (e->type != ELLE_INVOKE && *open != ISO_NONE) {
        r->pairs[*open].completed = number;
        *open = ISO_NONE;
        return;
    }
    if (*open != ISO_NONE) {
        iso_scan_fail(&r->l.s, e->at, "expected the completion of what %s invoked before, found another invocation",
                      e->process == ISO_NONE ? "an operation without :process" : "this process");
    }
    ISO_GROW(r->pool, r->pairs, r->n_pairs, r->pairs_room);
    bool invoked = e->type == ELLE_INVOKE; /* otherwise its invocation is missing */
    r->pairs[r->n_pairs] = (elle_pair){e->process, invoked ? number : ISO_NONE, invoked ? ISO_NONE : number};
    *open = invoked ? r->n_pairs : ISO_NONE;
    r->n_pairs++;
}

void iso_elle_add_event(elle_reading *r, const elle_event *e) {
    if (r->n_events == ISO_ID_MAX) {
        iso_throw(r->pool->env, ISOLAB_E_INPUT, "more than %u operations: a history cannot hold them", ISO_ID_MAX);
    }
    ISO_GROW(r->pool, r->events, r->n_events, r->events_room);
    r->events[r->n_events++] = *e;
    pair_up(r, r->n_events - 1);
}

_Noreturn void iso_elle_refuse_workload(const elle_reading *r, const unsigned char *at, const char *expected,
                                        const char *found, size_t length, const char *workload) {
    iso_scan_fail(&r->l.s, at,
                  "expected %s, found `%.*s`%s%s; isolab reads registers (:read, :write, :cas), strings (:get, :put, "
                  ":append), and transactions, such as "
                  ":f :txn, :value [[:r x 1] [:w y 2]]",
                  expected, (int)(length < 40 ? length : 40), found, workload != NULL ? ": " : "",
                  workload != NULL ? workload : "");
}

const char *iso_elle_f_name(uint8_t f) {
    static const char *const names[] = {"none", ":txn", ":read", ":write",   ":append",
                                        ":get", ":put", ":cas",  ":acquire", ":release"};
    return names[f];
}

uint8_t iso_elle_known_f(iso_text f) {
    static const char *const fs[] = {"txn", "read", "r",   "write",   "w",      "append",
                                     "get", "put",  "cas", "acquire", "release"};
    static const uint8_t kinds[] = {ELLE_F_TXN, ELLE_F_READ, ELLE_F_READ, ELLE_F_WRITE,   ELLE_F_WRITE,  ELLE_F_APPEND,
                                    ELLE_F_GET, ELLE_F_PUT,  ELLE_F_CAS,  ELLE_F_ACQUIRE, ELLE_F_RELEASE};
    enum { KNOWN = sizeof fs / sizeof *fs };
    unsigned known = iso_elle_find(f, fs, KNOWN);
    return known < KNOWN ? kinds[known] : ELLE_F_NONE;
}

uint8_t iso_elle_f(const elle_reading *r, iso_elle_token f) {
    if (f.kind == ELLE_NIL || f.kind == ELLE_END) { /* END: there was no field */
        return ELLE_F_NONE;
    }
    if (!iso_elle_is_word(f)) {
        iso_elle_expected(r, f, "txn, read, write, append or cas as :f");
    }
    uint8_t known = iso_elle_known_f(f.text);
    if (known != ELLE_F_NONE) {
        return known;
    }
    size_t i = 0, n = sizeof strange / sizeof *strange;
    while (i < n && !iso_text_is(f.text, strange[i].f)) {
        i++;
    }
    iso_elle_refuse_workload(r, f.at, "txn, read, write, append or cas as :f", f.text.bytes, f.text.length,
                             i < n ? strange[i].workload : NULL);
}

static void read_event(elle_reading *r, iso_elle_token map) {
    if (map.kind != ELLE_MAP) {
        iso_elle_expected(r, map, "a map (an operation)");
    }
    elle_event e = {.at = map.at, .time = ELLE_NO_NUMBER, .index = ELLE_NO_NUMBER, .process = ISO_NONE, .type = 4};
    fields of = {.seen = 0};
    for (iso_elle_token t = iso_elle_next(r); t.kind != ELLE_CLOSE; t = iso_elle_next(r)) {
        read_field(r, t, &e, &of);
    }
    bool has_process = (of.seen >> ELLE_FIELD_PROCESS & 1) && of.process.kind != ELLE_NIL;
    if (of.nemesis || (has_process && e.process == ISO_NONE && e.type == ELLE_INFO)) {
        return; /* faults, and other operations that are not a client's, are not in the history */
    }
    if (has_process && e.process == ISO_NONE) {
        iso_elle_expected(r, of.process, "an integer (or nemesis) as :process");
    }
    if (!(of.seen >> ELLE_FIELD_TYPE & 1)) {
        iso_scan_fail(&r->l.s, e.at, "expected a :type in this operation, found none");
    }
    if (e.type == 4) {
        iso_elle_expected(r, of.type, "invoke, ok, fail or info as :type");
    }
    e.f = iso_elle_f(r, of.f);
    r->has_time |= of.seen >> ELLE_FIELD_TIME & 1;
    iso_elle_add_event(r, &e);
}

/* Returns the next token after maps of the usual form. */
static iso_elle_token next_map(elle_reading *r) {
    do {
        iso_tick(r->pool->env);
    } while (r->quick && iso_elle_quick_event(r));
    return iso_elle_next(r);
}

void iso_elle_read_maps(elle_reading *r) {
    iso_elle_token t = next_map(r);
    if (t.kind == ELLE_END && r->n_events == 0) {
        iso_elle_expected(r, t, "operations");
    }
    for (; t.kind != ELLE_END; t = next_map(r)) {
        if (t.kind != ELLE_OPEN) {
            read_event(r, t);
            continue;
        }
        for (t = next_map(r); t.kind != ELLE_CLOSE; t = next_map(r)) {
            read_event(r, t);
        }
    }
}
