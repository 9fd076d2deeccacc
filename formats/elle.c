/* From Jepsen's operations to transactions. See elle.h.
 *
 * Two passes. The first reads every map except its :value, and pairs invocations with completions by process.
 * Then it is known which processes there are, so that sessions are numbered in their order, and which clock
 * the history has; the second pass reads the values, session by session. Linear except sorting the processes. */
#define _GNU_SOURCE
#include "formats/elle.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define NO_NUMBER INT64_MIN

enum { INVOKE, OK, FAIL, INFO };
enum { F_NONE, F_TXN, F_READ, F_WRITE, F_APPEND };

/* Workloads whose operations are none of transactions, by their :f. */
static const struct {
    const char *f, *workload;
} strange[] = {
#define REGISTER "a register log (:read, :write, :cas), as Knossos checks"
#define MUTEX "a mutex log (:acquire, :release), as Knossos checks"
#define BANK "a bank log (:read, :transfer)"
#define SET "a set log (:add, :read)"
#define QUEUE "a queue log (:enqueue, :dequeue, :drain)"
    {"cas", REGISTER},
    {"acquire", MUTEX},
    {"release", MUTEX},
    {"transfer", BANK},
    {"add", "a set or counter log (:add, :read)"},
    {"remove", SET},
    {"enqueue", QUEUE},
    {"dequeue", QUEUE},
    {"drain", QUEUE},
    {"inc", "a counter log (:inc, :read)"},
    {"insert", "a log of predicates (:insert)"},
};

/* One map of the log. */
typedef struct event {
    const unsigned char *at, *value; /* value: NULL for nil or none */
    int64_t time, index;             /* NO_NUMBER: none */
    uint32_t process;                /* ISO_NONE: the map has none */
    uint8_t type, f;
} event;

/* An invocation and its completion: events, ISO_NONE for the one that is missing. */
typedef struct pair {
    uint32_t process, invoked, completed;
} pair;

typedef struct process {
    iso_atom number;
    uint32_t open; /* its pair that waits for a completion; ISO_NONE */
} process;

enum { CLOCK_TIME, CLOCK_INDEX, CLOCK_PLACE };

typedef struct reading {
    iso_elle_lexer l;
    iso_pool *pool;
    iso_builder *b;

    event *events;
    uint32_t n_events, events_room;
    pair *pairs;
    uint32_t n_pairs, pairs_room;
    process *processes;
    uint32_t n_processes, processes_room;
    uint32_t *slots; /* processes by number */
    uint32_t mask;
    uint32_t open;     /* the open pair without a process */
    const pair *first; /* of the log; NULL: not known yet */
    bool has_time;
    int clock;

    uint8_t *key_use; /* by key: 0 not known, else ISO_WRITE + 1 or ISO_APPEND + 1 */
    uint32_t keys_room;
    iso_atom *element;
    size_t elements_room;
} reading;

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
    if (source->size >= 3 && memcmp(source->bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        l->s.at += 3;
    }
    iso_elle_push(l, 0);
}

static iso_elle_token next(reading *r) {
    iso_elle_token t = {.kind = ELLE_END};
    r->l.next(&r->l, &t);
    return t;
}

static bool is_opening(iso_elle_token t) { return t.kind == ELLE_OPEN || t.kind == ELLE_MAP || t.kind == ELLE_SET; }

static bool is_word(iso_elle_token t) { return t.kind == ELLE_KEYWORD || t.kind == ELLE_STRING; }

/* The rest of the form that t began. */
static void skip_form(reading *r, iso_elle_token t) {
    if (is_opening(t)) {
        uint32_t outside = r->l.depth - 1;
        do {
            t = next(r);
        } while (t.kind != ELLE_CLOSE || r->l.depth > outside);
    }
}

static _Noreturn void expected(const reading *r, iso_elle_token t, const char *what) {
    iso_scan_expected(&r->l.s, t.at, what);
}

/* The place of word in words, their number if it is not there. */
static unsigned find(iso_text word, const char *const *words, unsigned n) {
    unsigned i = 0;
    while (i < n && !iso_text_is(word, words[i])) {
        i++;
    }
    return i;
}

/* ---- the first pass ---- */

static uint32_t process_of(reading *r, iso_atom number) {
    if (2 * (uint64_t)r->n_processes >= r->mask) {
        iso_free(r->pool, r->slots);
        size_t room = r->mask == 0 ? 64 : 2 * ((size_t)r->mask + 1);
        r->slots = ISO_NEW_NONE(r->pool, room);
        r->mask = (uint32_t)(room - 1);
        for (uint32_t p = 0; p < r->n_processes; p++) {
            uint32_t at = (uint32_t)iso_mix(r->processes[p].number.bits) & r->mask;
            while (r->slots[at] != ISO_NONE) {
                at = (at + 1) & r->mask;
            }
            r->slots[at] = p;
        }
    }
    uint32_t at = (uint32_t)iso_mix(number.bits) & r->mask;
    for (uint32_t p; (p = r->slots[at]) != ISO_NONE; at = (at + 1) & r->mask) {
        if (iso_atom_equal(r->processes[p].number, number)) {
            return p;
        }
    }
    uint32_t p = r->n_processes;
    ISO_GROW(r->pool, r->processes, p, r->processes_room);
    r->processes[p] = (process){number, ISO_NONE};
    r->n_processes++;
    r->slots[at] = p;
    return p;
}

static int64_t read_number(reading *r, iso_elle_token t, const char *what) {
    if (t.kind == ELLE_NIL) {
        return NO_NUMBER;
    }
    if (t.kind != ELLE_INTEGER || t.integer.kind == ISO_ATOM_UINT || (int64_t)t.integer.bits == NO_NUMBER) {
        expected(r, t, what);
    }
    return (int64_t)t.integer.bits;
}

/* What a map said besides its event. */
typedef struct fields {
    iso_elle_token type, process, f;
    unsigned seen; /* bit by field */
    bool nemesis;  /* its process is called so */
} fields;

enum { TYPE, PROCESS, F, VALUE, TIME, INDEX, FIELDS };

static void read_field(reading *r, iso_elle_token name, event *e, fields *of) {
    static const char *const names[FIELDS] = {"type", "process", "f", "value", "time", "index"};
    static const char *const types[] = {"invoke", "ok", "fail", "info"};
    unsigned field = is_word(name) ? find(name.text, names, FIELDS) : FIELDS;
    if (field < FIELDS && of->seen >> field & 1) {
        iso_scan_fail(&r->l.s, name.at, "expected one %s in an operation, found two", names[field]);
    }
    of->seen |= 1u << field;
    skip_form(r, name);
    iso_elle_token t = next(r);
    switch (field) {
    case TYPE:
        of->type = t;
        e->type = (uint8_t)(is_word(t) ? find(t.text, types, 4) : 4);
        break;
    case PROCESS:
        of->process = t;
        of->nemesis = is_word(t) && iso_text_is(t.text, "nemesis");
        e->process = t.kind == ELLE_INTEGER ? process_of(r, t.integer) : ISO_NONE;
        break;
    case F:
        of->f = t;
        break;
    case VALUE:
        e->value = t.kind == ELLE_NIL ? NULL : t.at;
        break;
    case TIME:
        e->time = read_number(r, t, "an integer as :time");
        e->time = e->time == -1 ? NO_NUMBER : e->time; /* Jepsen's, and so our, "not known" */
        break;
    case INDEX:
        e->index = read_number(r, t, "an integer as :index");
        break;
    }
    skip_form(r, t);
}

static void pair_up(reading *r, uint32_t number) {
    const event *e = &r->events[number];
    uint32_t *open = e->process == ISO_NONE ? &r->open : &r->processes[e->process].open;
    if (e->type != INVOKE && *open != ISO_NONE) {
        r->pairs[*open].completed = number;
        *open = ISO_NONE;
        return;
    }
    if (*open != ISO_NONE) {
        iso_scan_fail(&r->l.s, e->at, "expected the completion of what %s invoked before, found another invocation",
                      e->process == ISO_NONE ? "an operation without :process" : "this process");
    }
    ISO_GROW(r->pool, r->pairs, r->n_pairs, r->pairs_room);
    bool invoked = e->type == INVOKE; /* else its invocation is missing */
    r->pairs[r->n_pairs] = (pair){e->process, invoked ? number : ISO_NONE, invoked ? ISO_NONE : number};
    *open = invoked ? r->n_pairs : ISO_NONE;
    r->n_pairs++;
}

/* What a log holds whose operations are no transactions, and what isolab reads instead. */
static _Noreturn void refuse_workload(const reading *r, const unsigned char *at, const char *expected,
                                      const char *found, size_t length, const char *workload) {
    iso_scan_fail(
        &r->l.s, at,
        "expected %s, found `%.*s`%s%s; isolab reads transactions, such as :f :txn, :value [[:r x 1] [:w y 2]]",
        expected, (int)(length < 40 ? length : 40), found, workload != NULL ? ": " : "",
        workload != NULL ? workload : "");
}

static uint8_t f_of(const reading *r, iso_elle_token f) {
    static const char *const fs[] = {"txn", "read", "r", "write", "w", "append"};
    static const uint8_t kinds[] = {F_TXN, F_READ, F_READ, F_WRITE, F_WRITE, F_APPEND};
    if (f.kind == ELLE_NIL || f.kind == ELLE_END) { /* END: there was none */
        return F_NONE;
    }
    if (!is_word(f)) {
        expected(r, f, "txn, read, write or append as :f");
    }
    unsigned known = find(f.text, fs, 6);
    if (known < 6) {
        return kinds[known];
    }
    size_t i = 0, n = sizeof strange / sizeof *strange;
    while (i < n && !iso_text_is(f.text, strange[i].f)) {
        i++;
    }
    refuse_workload(r, f.at, "txn, read, write or append as :f", f.text.bytes, f.text.length,
                    i < n ? strange[i].workload : NULL);
}

static void read_event(reading *r, iso_elle_token map) {
    if (map.kind != ELLE_MAP) {
        expected(r, map, "a map (an operation)");
    }
    event e = {.at = map.at, .time = NO_NUMBER, .index = NO_NUMBER, .process = ISO_NONE, .type = 4};
    fields of = {.seen = 0};
    for (iso_elle_token t = next(r); t.kind != ELLE_CLOSE; t = next(r)) {
        read_field(r, t, &e, &of);
    }
    bool has_process = (of.seen >> PROCESS & 1) && of.process.kind != ELLE_NIL;
    if (of.nemesis || (has_process && e.process == ISO_NONE && e.type == INFO)) {
        return; /* faults, and what else is no client, happen outside of the history */
    }
    if (has_process && e.process == ISO_NONE) {
        expected(r, of.process, "an integer (or nemesis) as :process");
    }
    if (!(of.seen >> TYPE & 1)) {
        iso_scan_fail(&r->l.s, e.at, "expected a :type in this operation, found none");
    }
    if (e.type == 4) {
        expected(r, of.type, "invoke, ok, fail or info as :type");
    }
    if (r->n_events == ISO_ID_MAX) {
        iso_throw(r->pool->env, ISOLAB_E_INPUT, "more than %u operations: a history cannot hold them", ISO_ID_MAX);
    }
    e.f = f_of(r, of.f);
    r->has_time |= of.seen >> TIME & 1;
    ISO_GROW(r->pool, r->events, r->n_events, r->events_room);
    r->events[r->n_events++] = e;
    pair_up(r, r->n_events - 1);
}

static void read_events(reading *r) {
    iso_elle_token t = next(r);
    if (t.kind == ELLE_END) {
        expected(r, t, "operations");
    }
    for (; t.kind != ELLE_END; t = next(r)) {
        iso_tick(r->pool->env);
        if (t.kind != ELLE_OPEN) {
            read_event(r, t);
            continue;
        }
        for (t = next(r); t.kind != ELLE_CLOSE; t = next(r)) {
            iso_tick(r->pool->env);
            read_event(r, t);
        }
    }
}

/* ---- between the passes ---- */

static int compare_indices(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* An order only if every event has one of its own and no completion comes before its invocation. */
static bool indices_order(reading *r) {
    bool ascending = true;
    for (uint32_t e = 0; e < r->n_events; e++) {
        if (r->events[e].index == NO_NUMBER) {
            return false;
        }
        ascending &= e == 0 || r->events[e - 1].index < r->events[e].index;
    }
    if (ascending) {
        return true;
    }
    int64_t *all = ISO_NEW(r->pool, int64_t, r->n_events);
    for (uint32_t e = 0; e < r->n_events; e++) {
        all[e] = r->events[e].index;
    }
    qsort(all, r->n_events, sizeof *all, compare_indices);
    bool good = true;
    for (uint32_t e = 1; e < r->n_events; e++) {
        good &= all[e - 1] < all[e];
    }
    iso_free(r->pool, all);
    for (uint32_t p = 0; p < r->n_pairs; p++) {
        uint32_t from = r->pairs[p].invoked, to = r->pairs[p].completed;
        good &= from == ISO_NONE || to == ISO_NONE || r->events[from].index < r->events[to].index;
    }
    return good;
}

static int64_t instant(const reading *r, uint32_t number) {
    if (number == ISO_NONE) {
        return ISO_NO_TIME;
    }
    const event *e = &r->events[number];
    int64_t at = r->clock == CLOCK_TIME ? e->time : r->clock == CLOCK_INDEX ? e->index : (int64_t)number;
    return at == NO_NUMBER ? ISO_NO_TIME : at;
}

static bool number_below(iso_atom a, iso_atom b) {
    bool a_big = a.kind == ISO_ATOM_UINT, b_big = b.kind == ISO_ATOM_UINT;
    return a_big != b_big ? b_big : a_big ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
}

static int compare_processes(const void *a, const void *b, void *arg) {
    const reading *r = arg;
    iso_atom x = r->processes[*(const uint32_t *)a].number, y = r->processes[*(const uint32_t *)b].number;
    return number_below(y, x) - number_below(x, y);
}

/* ---- the second pass ---- */

static iso_atom value_of(reading *r, iso_elle_token t, const char *what) {
    if (t.kind == ELLE_INTEGER) {
        return t.integer;
    }
    if (!is_word(t)) {
        expected(r, t, what);
    }
    bool colon = t.kind == ELLE_KEYWORD; /* a keyword's text is in the input, after its colon */
    return iso_builder_string(r->b, t.text.bytes - colon, t.text.length + colon);
}

/* One key is a register or a list, never both. */
static void use_key(reading *r, uint32_t key, iso_elle_token t, iso_op_kind as) {
    while (key >= r->keys_room) {
        uint32_t room = r->keys_room < 64 ? 64 : 2 * r->keys_room;
        r->key_use = iso_resize(r->pool, r->key_use, room, 1);
        memset(r->key_use + r->keys_room, 0, room - r->keys_room);
        r->keys_room = room;
    }
    if (r->key_use[key] != 0 && r->key_use[key] != as + 1) {
        iso_scan_fail(&r->l.s, t.at, "expected an operation on a %s like those on this key before, found one on a %s",
                      as == ISO_APPEND ? "register" : "list", as == ISO_APPEND ? "list" : "register");
    }
    r->key_use[key] = (uint8_t)(as + 1);
}

/* After the '[' of a list that was read, to its end. */
static size_t read_elements(reading *r) {
    size_t n = 0;
    for (iso_elle_token t = next(r); t.kind != ELLE_CLOSE; t = next(r)) {
        ISO_GROW(r->pool, r->element, n, r->elements_room);
        r->element[n++] = value_of(r, t, "an element (an integer, string or keyword)");
    }
    return n;
}

/* What is known of the operations of one transaction. */
typedef struct knowledge {
    uint32_t txn;
    bool reads; /* the results of reads were seen: not in invocations */
    bool nils;  /* nil is a result: only in completions by :ok, else it means not known */
} knowledge;

/* After the key of a read, to the end of the operation. */
static void read_result(reading *r, const knowledge *of, iso_elle_token at, uint32_t key) {
    iso_elle_token t = next(r);
    if (t.kind == ELLE_OPEN) {
        use_key(r, key, at, ISO_APPEND);
        size_t n = read_elements(r);
        if (of->reads) {
            iso_builder_list_read(r->b, of->txn, key, r->element, n);
        }
    } else if (t.kind == ELLE_NIL || t.kind == ELLE_CLOSE) {
        if (of->nils) { /* the builder makes it an empty list where the key is one */
            iso_builder_op(r->b, of->txn, ISO_READ, key, iso_atom_nil());
        }
        if (t.kind == ELLE_CLOSE) {
            return;
        }
    } else {
        use_key(r, key, at, ISO_WRITE);
        iso_atom value = value_of(r, t, "what was read (nil, an integer, string, keyword, or a vector of them)");
        if (of->reads) {
            iso_builder_op(r->b, of->txn, ISO_READ, key, value);
        }
    }
    t = next(r);
    if (t.kind != ELLE_CLOSE) {
        expected(r, t, "the end of the operation");
    }
}

/* `key value]` of an operation that begins at `at`; first is the token of the key. */
static void read_operation(reading *r, const knowledge *of, iso_elle_token at, iso_elle_token first, uint8_t f) {
    uint32_t key = iso_builder_key(r->b, value_of(r, first, "a key (an integer, string or keyword)"));
    if (f == F_READ) {
        read_result(r, of, at, key);
        return;
    }
    iso_elle_token t = next(r);
    iso_op_kind kind = f == F_WRITE ? ISO_WRITE : ISO_APPEND;
    use_key(r, key, at, kind);
    bool initial = t.kind == ELLE_NIL && kind == ISO_WRITE;
    iso_builder_op(r->b, of->txn, kind, key,
                   initial ? iso_atom_nil() : value_of(r, t, "what is written (an integer, string or keyword)"));
    t = next(r);
    if (t.kind != ELLE_CLOSE) {
        expected(r, t, "the end of the operation");
    }
}

static void read_micro_operation(reading *r, const knowledge *of, iso_elle_token t) {
    static const char *const names[] = {"r", "w", "append", "read", "write"};
    static const uint8_t f[] = {F_READ, F_WRITE, F_APPEND, F_READ, F_WRITE};
    if (t.kind != ELLE_OPEN) {
        expected(r, t, "an operation such as [:r key value]");
    }
    iso_elle_token name = next(r);
    unsigned which = is_word(name) ? find(name.text, names, 5) : 5;
    if (which == 5) {
        expected(r, name, "r, w or append");
    }
    read_operation(r, of, t, next(r), f[which]);
}

/* Of an operation that is no transaction, and whose value is not [key value]. */
static _Noreturn void refuse_value(const reading *r, iso_elle_token t) {
    const char *workload = t.kind == ELLE_MAP ? BANK : t.kind == ELLE_SET ? SET : REGISTER;
    const unsigned char *end = t.at;
    while (end < r->l.s.end && end - t.at < 24 && *end > ' ' && *end != ',' && *end != '}') {
        end++;
    }
    refuse_workload(r, t.at, "[key value] as :value", (const char *)t.at, (size_t)(end - t.at), workload);
}

/* The :value of an event: a sequence of operations, or key and value of a single one. */
static void read_value(reading *r, const event *e, const knowledge *of) {
    r->l.depth = 0;
    r->l.hidden = 0;
    r->l.frame[0] = (iso_elle_frame){.open = e->value};
    r->l.s.at = e->value;
    iso_elle_token t = next(r);
    bool transaction = e->f == F_NONE || e->f == F_TXN;
    if (t.kind != ELLE_OPEN && transaction) {
        expected(r, t, "a vector of operations as :value");
    }
    if (t.kind != ELLE_OPEN) {
        refuse_value(r, t);
    }
    iso_elle_token first = next(r);
    bool single = !transaction && first.kind != ELLE_OPEN;
    if (single) {
        read_operation(r, of, t, first, e->f);
        return;
    }
    for (; first.kind != ELLE_CLOSE; first = next(r)) {
        read_micro_operation(r, of, first);
    }
}

/* Remembers the transaction of the pair that was invoked first, of the pairs that have operations and did not fail. */
static void note_first(reading *r, const pair *p, uint32_t txn, bool counts) {
    if (counts && (r->first == NULL || p < r->first)) {
        r->first = p;
        iso_builder_first(r->b, txn, false);
    }
}

/* Neither the invocation nor the completion says what was done. */
static void without_value(const reading *r, const event *e, iso_status status) {
    if (e->f != F_NONE && e->f != F_TXN) {
        refuse_workload(r, e->at, "[key value] as :value", "nil", 3, REGISTER);
    }
    if (status == ISO_COMMITTED) {
        iso_scan_fail(&r->l.s, e->at, "expected a vector of operations as :value, found nil");
    }
}

static iso_status emit(reading *r, const pair *p, uint32_t session) {
    static const iso_status of[] = {ISO_INDETERMINATE, ISO_COMMITTED, ISO_ABORTED, ISO_INDETERMINATE};
    const event *invoked = p->invoked == ISO_NONE ? NULL : &r->events[p->invoked];
    const event *completed = p->completed == ISO_NONE ? NULL : &r->events[p->completed];
    iso_status status = completed == NULL ? ISO_INDETERMINATE : of[completed->type];
    uint32_t txn = iso_builder_txn(r->b, session, iso_atom_nil(), status);
    uint64_t n_ops = iso_builder_op_count(r->b);
    knowledge k = {.txn = txn, .reads = true, .nils = status == ISO_COMMITTED};
    if (completed != NULL && completed->value != NULL) {
        read_value(r, completed, &k);
    } else if (invoked != NULL && invoked->value != NULL) {
        k.reads = k.nils = false;
        read_value(r, invoked, &k);
    } else {
        without_value(r, completed != NULL ? completed : invoked, status);
    }
    note_first(r, p, txn, status != ISO_ABORTED && iso_builder_op_count(r->b) > n_ops);
    /* one that may still happen after its :info has no end */
    int64_t start = instant(r, p->invoked);
    int64_t end = status == ISO_INDETERMINATE ? ISO_NO_TIME : instant(r, p->completed);
    if (start != ISO_NO_TIME && end != ISO_NO_TIME && end < start) {
        iso_scan_fail(&r->l.s, completed->at,
                      "expected a :time that is not before the invocation's, found an earlier one");
    }
    iso_builder_times(r->b, txn, start, end);
    return status;
}

/* Sessions in the order of their processes' numbers; then each transaction without a process for itself. */
static void emit_all(reading *r) {
    uint32_t *order = ISO_NEW(r->pool, uint32_t, r->n_processes);
    uint32_t *first = ISO_ZNEW(r->pool, uint32_t, (size_t)r->n_processes + 1);
    uint32_t *sorted = ISO_NEW(r->pool, uint32_t, r->n_pairs);
    for (uint32_t p = 0; p < r->n_processes; p++) {
        order[p] = p;
    }
    qsort_r(order, r->n_processes, sizeof *order, compare_processes, r);
    for (uint32_t i = 0; i < r->n_pairs; i++) {
        if (r->pairs[i].process != ISO_NONE) {
            first[r->pairs[i].process]++;
        }
    }
    uint32_t sum = 0;
    for (uint32_t p = 0; p < r->n_processes; p++) {
        sum += first[p];
        first[p] = sum - first[p];
    }
    first[r->n_processes] = sum;
    for (uint32_t i = 0; i < r->n_pairs; i++) { /* afterwards first[p] is the end of p */
        if (r->pairs[i].process != ISO_NONE) {
            sorted[first[r->pairs[i].process]++] = i;
        }
    }
    for (uint32_t i = 0; i < r->n_processes; i++) {
        uint32_t p = order[i], session = ISO_NONE;
        iso_atom name = r->processes[p].number;
        for (uint32_t at = p == 0 ? 0 : first[p - 1]; at < first[p]; at++) {
            iso_tick(r->pool->env);
            if (session == ISO_NONE) {
                session = iso_builder_session(r->b, name);
                name = iso_atom_nil();
            }
            if (emit(r, &r->pairs[sorted[at]], session) == ISO_INDETERMINATE) {
                session = ISO_NONE; /* what comes after it is of another session */
            }
        }
    }
    for (uint32_t i = 0; i < r->n_pairs; i++) {
        if (r->pairs[i].process == ISO_NONE) {
            emit(r, &r->pairs[i], iso_builder_session(r->b, iso_atom_nil()));
        }
    }
    iso_free(r->pool, order);
    iso_free(r->pool, first);
    iso_free(r->pool, sorted);
}

isolab_history *iso_elle_read(iso_source *source, void (*next_token)(iso_elle_lexer *, iso_elle_token *)) {
    reading r = {.pool = source->pool, .open = ISO_NONE};
    iso_elle_lexer_init(&r.l, source, next_token);
    read_events(&r);
    r.clock = r.has_time ? CLOCK_TIME : indices_order(&r) ? CLOCK_INDEX : CLOCK_PLACE;
    r.b = iso_source_builder(source);
    emit_all(&r);
    iso_free(r.pool, r.events);
    iso_free(r.pool, r.pairs);
    iso_free(r.pool, r.processes);
    iso_free(r.pool, r.slots);
    iso_free(r.pool, r.key_use);
    iso_free(r.pool, r.element);
    iso_free(r.pool, r.l.frame);
    iso_free(r.pool, r.l.s.text);
    return iso_builder_finish(r.b);
}
