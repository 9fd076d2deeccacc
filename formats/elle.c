/* From Jepsen's operations to transactions: the work between the passes, and the second pass. See elle_reading.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "formats/elle_reading.h"

/* ---- between the passes ---- */

static int compare_indices(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns whether the indices are an order: every event has a different one, and no completion comes before its
 * invocation. */
static bool indices_order(elle_reading *r) {
    bool ascending = true;
    for (uint32_t e = 0; e < r->n_events; e++) {
        if (r->events[e].index == ELLE_NO_NUMBER) {
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

static int64_t instant(const elle_reading *r, uint32_t number) {
    if (number == ISO_NONE) {
        return ISO_NO_TIME;
    }
    const elle_event *e = &r->events[number];
    int64_t at = r->clock == ELLE_CLOCK_TIME ? e->time : r->clock == ELLE_CLOCK_INDEX ? e->index : (int64_t)number;
    return at == ELLE_NO_NUMBER ? ISO_NO_TIME : at;
}

static bool number_below(iso_atom a, iso_atom b) {
    bool a_big = a.kind == ISO_ATOM_UINT, b_big = b.kind == ISO_ATOM_UINT;
    return a_big != b_big ? b_big : a_big ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
}

static int compare_processes(const void *a, const void *b, void *arg) {
    const elle_reading *r = arg;
    iso_atom x = r->processes[*(const uint32_t *)a].number, y = r->processes[*(const uint32_t *)b].number;
    return number_below(y, x) - number_below(x, y);
}

/* ---- the second pass ---- */

iso_atom iso_elle_value(elle_reading *r, iso_elle_token t, const char *what) {
    if (t.kind == ELLE_INTEGER) {
        return t.integer;
    }
    if (!iso_elle_is_word(t)) {
        iso_elle_expected(r, t, what);
    }
    bool colon = t.kind == ELLE_KEYWORD; /* the text of a keyword is in the input, after its colon */
    return iso_builder_string(r->b, t.text.bytes - colon, t.text.length + colon);
}

void iso_elle_use_key(elle_reading *r, uint32_t key, const unsigned char *at, iso_op_kind as) {
    while (key >= r->keys_room) {
        uint32_t room = r->keys_room < 64 ? 64 : 2 * r->keys_room;
        r->key_use = iso_resize(r->pool, r->key_use, room, 1);
        memset(r->key_use + r->keys_room, 0, room - r->keys_room);
        r->keys_room = room;
    }
    if (r->key_use[key] != 0 && r->key_use[key] != as + 1) {
        iso_scan_fail(&r->l.s, at, "expected an operation on a %s like those on this key before, found one on a %s",
                      as == ISO_APPEND ? "register" : "list", as == ISO_APPEND ? "list" : "register");
    }
    r->key_use[key] = (uint8_t)(as + 1);
}

/* Reads the elements of a list read, from its '[' to its end. */
static size_t read_elements(elle_reading *r) {
    size_t n = 0;
    for (iso_elle_token t = iso_elle_next(r); t.kind != ELLE_CLOSE; t = iso_elle_next(r)) {
        ISO_GROW(r->pool, r->element, n, r->elements_room);
        r->element[n++] = iso_elle_value(r, t, "an element (an integer, string or keyword)");
    }
    return n;
}

/* Reads the result of a read, from its key to the end of the operation. */
static void read_result(elle_reading *r, const elle_knowledge *of, iso_elle_token at, uint32_t key) {
    iso_elle_token t = iso_elle_next(r);
    if (t.kind == ELLE_OPEN) {
        iso_elle_use_key(r, key, at.at, ISO_APPEND);
        size_t n = read_elements(r);
        if (of->reads) {
            iso_builder_list_read(r->b, of->txn, key, r->element, n);
        }
    } else if (t.kind == ELLE_NIL || t.kind == ELLE_CLOSE) {
        if (of->nils) { /* the builder turns it into an empty list if the key is a list */
            iso_builder_op(r->b, of->txn, ISO_READ, key, iso_atom_nil());
        }
        if (t.kind == ELLE_CLOSE) {
            return;
        }
    } else {
        iso_elle_use_key(r, key, at.at, ISO_WRITE);
        iso_atom value = iso_elle_value(r, t, "what was read (nil, an integer, string, keyword, or a vector of them)");
        if (of->reads) {
            iso_builder_op(r->b, of->txn, ISO_READ, key, value);
        }
    }
    t = iso_elle_next(r);
    if (t.kind != ELLE_CLOSE) {
        iso_elle_expected(r, t, "the end of the operation");
    }
}

/* Reads `key value]` of an operation that begins at `at`; first is the token of the key. */
static void read_operation(elle_reading *r, const elle_knowledge *of, iso_elle_token at, iso_elle_token first,
                           uint8_t f) {
    uint32_t key = iso_builder_key(r->b, iso_elle_value(r, first, "a key (an integer, string or keyword)"));
    if (f == ELLE_F_READ) {
        read_result(r, of, at, key);
        return;
    }
    iso_elle_token t = iso_elle_next(r);
    iso_op_kind kind = f == ELLE_F_WRITE ? ISO_WRITE : ISO_APPEND;
    iso_elle_use_key(r, key, at.at, kind);
    bool initial = t.kind == ELLE_NIL && kind == ISO_WRITE;
    iso_builder_op(r->b, of->txn, kind, key,
                   initial ? iso_atom_nil() : iso_elle_value(r, t, "what is written (an integer, string or keyword)"));
    t = iso_elle_next(r);
    if (t.kind != ELLE_CLOSE) {
        iso_elle_expected(r, t, "the end of the operation");
    }
}

static void read_micro_operation(elle_reading *r, const elle_knowledge *of, iso_elle_token t) {
    static const char *const names[] = {"r", "w", "append", "read", "write"};
    static const uint8_t f[] = {ELLE_F_READ, ELLE_F_WRITE, ELLE_F_APPEND, ELLE_F_READ, ELLE_F_WRITE};
    if (t.kind != ELLE_OPEN) {
        iso_elle_expected(r, t, "an operation such as [:r key value]");
    }
    iso_elle_token name = iso_elle_next(r);
    unsigned which = iso_elle_is_word(name) ? iso_elle_find(name.text, names, 5) : 5;
    if (which == 5) {
        iso_elle_expected(r, name, "r, w or append");
    }
    read_operation(r, of, t, iso_elle_next(r), f[which]);
}

/* Refuses the value of an operation that is not a transaction and whose value is not [key value]. */
static _Noreturn void refuse_value(const elle_reading *r, iso_elle_token t) {
    const char *workload = t.kind == ELLE_MAP ? ELLE_LOG_BANK : t.kind == ELLE_SET ? ELLE_LOG_SET : NULL;
    const unsigned char *end = t.at;
    while (end < r->l.s.end && end - t.at < 24 && *end > ' ' && *end != ',' && *end != '}') {
        end++;
    }
    iso_elle_refuse_workload(r, t.at, "[key value] as :value", (const char *)t.at, (size_t)(end - t.at), workload);
}

void iso_elle_begin_value(elle_reading *r, const elle_event *e) {
    r->l.depth = 0;
    r->l.hidden = 0;
    r->l.frame[0] = (iso_elle_frame){.open = e->value};
    r->l.s.at = e->value;
}

static void read_usual_operations(elle_reading *r, const elle_knowledge *of) {
    while (r->quick && iso_elle_quick_operation(r, of)) {
    }
}

/* Reads the :value of an event: a sequence of operations, or key and value of a single one. */
static void read_value(elle_reading *r, const elle_event *e, const elle_knowledge *of) {
    iso_elle_begin_value(r, e);
    iso_elle_token t = iso_elle_next(r);
    bool transaction = e->f == ELLE_F_NONE || e->f == ELLE_F_TXN;
    if (t.kind != ELLE_OPEN && transaction) {
        iso_elle_expected(r, t, "a vector of operations as :value");
    }
    if (t.kind != ELLE_OPEN) {
        refuse_value(r, t);
    }
    if (transaction) {
        read_usual_operations(r, of);
    }
    iso_elle_token first = iso_elle_next(r);
    bool single = !transaction && first.kind != ELLE_OPEN;
    if (single) {
        read_operation(r, of, t, first, e->f);
        return;
    }
    for (; first.kind != ELLE_CLOSE; first = iso_elle_next(r)) {
        read_micro_operation(r, of, first);
        read_usual_operations(r, of);
    }
}

/* Keeps the transaction whose invocation comes first, among the transactions that have operations and did not fail. */
static void note_first(elle_reading *r, const elle_pair *p, uint32_t txn, bool counts) {
    if (counts && (r->first == NULL || p < r->first)) {
        r->first = p;
        iso_builder_first(r->b, txn, false);
    }
}

/* Refuses an event without operations if its transaction is a committed one, or if the log is of another workload. */
static void without_value(const elle_reading *r, const elle_event *e, iso_status status) {
    if (e->f != ELLE_F_NONE && e->f != ELLE_F_TXN) {
        iso_elle_refuse_workload(r, e->at, "[key value] as :value", "nil", 3, NULL);
    }
    if (status == ISO_COMMITTED) {
        iso_scan_fail(&r->l.s, e->at, "expected a vector of operations as :value, found nil");
    }
}

/* Returns whether the value of a completion is the reason why it is not :ok, such as :timed-out, so that the operations
 * are those of the invocation. */
static bool is_error(const elle_event *completed, const elle_event *invoked) {
    return completed->type != ELLE_OK && completed->shape == ELLE_SHAPE_ONE && invoked != NULL &&
           invoked->value != NULL;
}

static iso_status emit(elle_reading *r, const elle_pair *p, uint32_t session) {
    static const iso_status of[] = {ISO_INDETERMINATE, ISO_COMMITTED, ISO_ABORTED, ISO_INDETERMINATE};
    const elle_event *invoked = p->invoked == ISO_NONE ? NULL : &r->events[p->invoked];
    const elle_event *completed = p->completed == ISO_NONE ? NULL : &r->events[p->completed];
    iso_status status = completed == NULL ? ISO_INDETERMINATE : of[completed->type];
    uint32_t txn = iso_builder_txn(r->b, session, iso_atom_nil(), status);
    const elle_event *shown = completed != NULL ? completed : invoked;
    iso_builder_place(r->b, txn, shown->line, shown->index);
    uint64_t n_ops = iso_builder_op_count(r->b);
    elle_knowledge k = {.txn = txn, .reads = true, .nils = status == ISO_COMMITTED};
    if (r->has_strings) {
        iso_elle_emit_string_call(r, p, txn);
    } else if (r->registers) {
        iso_elle_emit_call(r, p, txn, status);
    } else if (completed != NULL && completed->value != NULL && !is_error(completed, invoked)) {
        read_value(r, completed, &k);
    } else if (invoked != NULL && invoked->value != NULL) {
        k.reads = k.nils = false;
        read_value(r, invoked, &k);
    } else {
        without_value(r, completed != NULL ? completed : invoked, status);
    }
    note_first(r, p, txn, status != ISO_ABORTED && iso_builder_op_count(r->b) > n_ops);
    /* after an :info it may still take effect, so it has no end */
    int64_t start = instant(r, p->invoked);
    int64_t end = status == ISO_INDETERMINATE ? ISO_NO_TIME : instant(r, p->completed);
    if (start != ISO_NO_TIME && end != ISO_NO_TIME && end < start) {
        iso_scan_fail(
            &r->l.s, completed->at,
            "expected a :time that is not before the invocation's, found an earlier one: a clock ran backwards");
    }
    iso_builder_times(r->b, txn, start, end);
    return status;
}

/* Prefetches the events and values of the pairs that emit() reads next, since the values of a session are far from each
 * other in the input. Always inlined: gcc assumes that a function that only prefetches has no effect, and removes calls
 * of it. */
__attribute__((always_inline)) static inline void expect(const elle_reading *r, const uint32_t *sorted, uint32_t at,
                                                         uint32_t end) {
    enum { EVENTS = 16, VALUE = 8 }; /* pairs ahead */
    if (at + EVENTS < end) {
        const elle_pair *p = &r->pairs[sorted[at + EVENTS]];
        __builtin_prefetch(&r->events[p->invoked == ISO_NONE ? p->completed : p->invoked]);
        __builtin_prefetch(&r->events[p->completed == ISO_NONE ? p->invoked : p->completed]);
    }
    if (at + VALUE < end) {
        const elle_pair *p = &r->pairs[sorted[at + VALUE]];
        const unsigned char *value = r->events[p->completed == ISO_NONE ? p->invoked : p->completed].value;
        for (unsigned i = 0; i < 4 && value != NULL; i++) {
            __builtin_prefetch(value + 64 * i);
        }
    }
}

/* Adds sessions in the order of their processes' numbers, then each transaction without a process as a session. */
static void emit_all(elle_reading *r) {
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
            expect(r, sorted, at, first[p]);
            if (session == ISO_NONE) {
                session = iso_builder_session(r->b, name);
                name = iso_atom_nil();
            }
            if (emit(r, &r->pairs[sorted[at]], session) == ISO_INDETERMINATE) {
                session = ISO_NONE; /* the transactions after it belong to another session */
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

/* Events that are not in the order of the input have no lines. */
static void number_lines(elle_reading *r) {
    const unsigned char *at = r->l.s.first;
    uint64_t line = 1;
    for (uint32_t e = 0; e < r->n_events; e++) {
        const unsigned char *here = r->events[e].at;
        r->events[e].line = ISO_NONE;
        if (here < at) {
            continue;
        }
        for (const unsigned char *next; (next = memchr(at, '\n', (size_t)(here - at))) != NULL; at = next + 1) {
            line++;
        }
        r->events[e].line = line < ISO_ID_MAX ? (uint32_t)line : ISO_NONE;
    }
}

/* The strings of a log begin empty, and its other values are isolab's own. */
static void refuse_initial(const elle_reading *r, const iso_reading *how) {
    if (how != NULL && (how->initial != NULL || how->rule == ISO_INITIAL_YES)) {
        iso_throw(r->pool->env, ISOLAB_E_INPUT,
                  "this is %s: its strings begin empty, so it is read without an initial value or transaction",
                  ELLE_LOG_STRINGS);
    }
}

isolab_history *iso_elle_finish(elle_reading *r, iso_source *source) {
    static const iso_time_unit units[] = {
        [ELLE_CLOCK_TIME] = ISO_TIME_NS, [ELLE_CLOCK_INDEX] = ISO_TIME_INDEX, [ELLE_CLOCK_PLACE] = ISO_TIME_PLACE};
    number_lines(r);
    iso_elle_find_strings(r);
    iso_elle_find_registers(r);
    r->clock = r->registers || r->has_strings ? ELLE_CLOCK_PLACE
               : r->has_time                  ? ELLE_CLOCK_TIME
               : indices_order(r)             ? ELLE_CLOCK_INDEX
                                              : ELLE_CLOCK_PLACE;
    r->b = iso_source_builder(source);
    iso_builder_time_unit(r->b, units[r->clock]);
    if (r->has_strings) {
        refuse_initial(r, source->how);
        iso_elle_join_strings(r);
    }
    emit_all(r);
    iso_free(r->pool, r->events);
    iso_free(r->pool, r->pairs);
    iso_free(r->pool, r->processes);
    iso_free(r->pool, r->by_number.slot);
    iso_free(r->pool, r->key_use);
    iso_free(r->pool, r->element);
    iso_free(r->pool, r->l.frame);
    iso_free(r->pool, r->l.s.text);
    return iso_builder_finish(r->b);
}

isolab_history *iso_elle_read(iso_source *source, void (*next_token)(iso_elle_lexer *, iso_elle_token *),
                              unsigned told) {
    elle_reading r = {.pool = source->pool,
                      .open = ISO_NONE,
                      .observes = (told & ISO_ELLE_OBSERVES) != 0,
                      .registers = (told & ISO_ELLE_REGISTERS) != 0,
                      .quick = next_token == iso_elle_next_edn};
    iso_elle_lexer_init(&r.l, source, next_token);
    iso_elle_read_maps(&r);
    return iso_elle_finish(&r, source);
}
