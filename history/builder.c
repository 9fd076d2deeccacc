/* Collects the operations of a history in the order of the input, then sorts them into the order of history.h and
 * resolves them (resolve.h). Linear, except for the hash tables of names. */
#include "history/builder.h"

#include <string.h>

#include "base/assert.h"
#include "base/index.h"
#include "base/parts.h"
#include "history/about.h"
#include "history/initial.h"
#include "history/invariants.h"
#include "history/resolve.h"

enum { BLOCK = 4096 }; /* operations between two tests of the limits */

struct iso_builder {
    iso_pool *pool;
    isolab_history *h;

    /* names */
    iso_index strings, keys, sessions;
    uint32_t n_strings, strings_room;
    uint64_t string_bytes_used, string_bytes_room;
    uint32_t keys_room, sessions_room;

    /* transactions, in the order in which they were added */
    uint32_t n_txns, txns_room;
    uint32_t *txn_session;
    uint8_t *txn_status;
    uint8_t *txn_name_kind;
    uint64_t *txn_name_bits;
    int64_t *txn_start, *txn_end;
    uint32_t times_room;
    uint32_t *txn_line, *txn_index;
    uint32_t lines_room, indices_room;
    bool has_names, has_times;

    /* operations, in the order in which they were added */
    iso_op_columns ops;

    /* the initial transaction (initial.h) */
    iso_reading reading;
    bool reads; /* iso_builder_reading() was called */
    uint32_t first;
    bool forced;

    uint32_t notes_room;

    /* elements of list reads */
    uint32_t lists_room;
    uint64_t n_elements, elements_room;
    iso_atom *element;
};

iso_builder *iso_builder_new(iso_pool *pool) {
    iso_builder *b = ISO_ZNEW(pool, iso_builder, 1);
    b->pool = pool;
    b->h = ISO_ZNEW(pool, isolab_history, 1);
    b->h->pool = pool;
    b->h->first_txn = b->first = ISO_NONE;
    iso_index_init(&b->strings, pool, 32);
    iso_index_init(&b->keys, pool, 32);
    iso_index_init(&b->sessions, pool, 32);
    return b;
}

void iso_builder_initial(iso_builder *b, iso_atom value) { b->h->initial = value; }

void iso_builder_reading(iso_builder *b, const iso_reading *how) {
    b->reading = *how;
    b->reads = true;
}

unsigned iso_reading_threads(const iso_reading *how, uint64_t size) {
    enum { GRAIN = 1 << 18 };
    uint64_t most = how == NULL ? 1 : size / (how->grain != 0 ? how->grain : GRAIN);
    return most < 2 || how->threads < 2 ? 1 : how->threads < most ? how->threads : (unsigned)most;
}

void iso_builder_custom(iso_builder *b, iso_atom value) { b->h->custom = value; }

void iso_builder_first(iso_builder *b, uint32_t txn, bool forced) {
    b->first = txn;
    b->forced = forced;
}

void iso_builder_ordinary(iso_builder *b) {
    if (b->reading.rule == ISO_INITIAL_AUTO) {
        b->reading.rule = ISO_INITIAL_NO;
    }
}

void iso_builder_torn(iso_builder *b, iso_torn torn) { b->h->torn = (uint8_t)torn; }

void iso_builder_about(iso_builder *b, const char *line, size_t n) { iso_history_about(b->h, line, n); }

static _Noreturn void too_many(iso_builder *b, const char *what) {
    iso_throw(b->pool->env, ISOLAB_E_INPUT, "more than %u %s: a history cannot hold them", ISO_ID_MAX, what);
}

static uint64_t hash_atom(iso_atom a) { return iso_mix(a.bits + a.kind); }

static uint64_t hash_bytes(const char *bytes, size_t length) {
    uint64_t hash = length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = iso_mix(hash ^ word);
        bytes += 8;
        length -= 8;
    }
    uint64_t word = 0;
    memcpy(&word, bytes, length);
    return iso_mix(hash ^ word);
}

iso_atom iso_builder_string(iso_builder *b, const char *bytes, size_t length) {
    isolab_history *h = b->h;
    uint64_t hash = hash_bytes(bytes, length);
    for (uint32_t at, i = iso_index_first(&b->strings, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&b->strings, hash, &at)) {
        if (h->string_first[i + 1] - h->string_first[i] - 1 == length &&
            memcmp(h->string_bytes + h->string_first[i], bytes, length) == 0) {
            return iso_atom_string(i);
        }
    }
    if (b->n_strings >= ISO_ID_MAX) {
        too_many(b, "strings");
    }
    uint32_t number = b->n_strings++;
    if (number + 2 > b->strings_room) {
        b->strings_room = b->strings_room < 16 ? 32 : 2 * b->strings_room;
        h->string_first = iso_resize(b->pool, h->string_first, b->strings_room, sizeof(uint64_t));
        h->string_first[0] = 0;
    }
    while (b->string_bytes_used + length + 1 > b->string_bytes_room) {
        b->string_bytes_room = b->string_bytes_room < 256 ? 512 : 2 * b->string_bytes_room;
        h->string_bytes = iso_resize(b->pool, h->string_bytes, b->string_bytes_room, 1);
    }
    memcpy(h->string_bytes + b->string_bytes_used, bytes, length);
    h->string_bytes[b->string_bytes_used + length] = '\0';
    b->string_bytes_used += length + 1;
    h->string_first[number + 1] = b->string_bytes_used;
    iso_index_add(&b->strings, hash, number);
    return iso_atom_string(number);
}

uint32_t iso_builder_key(iso_builder *b, iso_atom name) {
    isolab_history *h = b->h;
    uint64_t hash = hash_atom(name);
    for (uint32_t at, i = iso_index_first(&b->keys, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&b->keys, hash, &at)) {
        if (iso_atom_equal(h->key_name[i], name)) {
            return i;
        }
    }
    if (h->n_keys >= ISO_ID_MAX) {
        too_many(b, "keys");
    }
    uint32_t number = h->n_keys;
    ISO_GROW(b->pool, h->key_name, number, b->keys_room);
    h->key_name[number] = name;
    h->n_keys++;
    iso_index_add(&b->keys, hash, number);
    return number;
}

uint32_t iso_builder_session(iso_builder *b, iso_atom name) {
    isolab_history *h = b->h;
    uint64_t hash = hash_atom(name);
    if (name.kind != ISO_ATOM_NIL) {
        for (uint32_t at, i = iso_index_first(&b->sessions, hash, &at); i != UINT32_MAX;
             i = iso_index_next(&b->sessions, hash, &at)) {
            if (iso_atom_equal(h->session_name[i], name)) {
                return i;
            }
        }
    }
    if (h->n_sessions >= ISO_ID_MAX) {
        too_many(b, "sessions");
    }
    uint32_t number = h->n_sessions;
    ISO_GROW(b->pool, h->session_name, number, b->sessions_room);
    h->session_name[number] = name;
    h->n_sessions++;
    if (name.kind != ISO_ATOM_NIL) {
        iso_index_add(&b->sessions, hash, number);
    }
    return number;
}

uint32_t iso_builder_txn(iso_builder *b, uint32_t session, iso_atom name, iso_status status) {
    iso_assert(session < b->h->n_sessions && status <= ISO_INDETERMINATE);
    if (b->n_txns >= ISO_ID_MAX) {
        too_many(b, "transactions");
    }
    if (b->n_txns == b->txns_room) {
        uint32_t room = b->txns_room = b->txns_room < 16 ? 32 : 2 * b->txns_room;
        b->txn_session = iso_resize(b->pool, b->txn_session, room, sizeof *b->txn_session);
        b->txn_status = iso_resize(b->pool, b->txn_status, room, sizeof *b->txn_status);
        b->txn_name_kind = iso_resize(b->pool, b->txn_name_kind, room, sizeof *b->txn_name_kind);
        b->txn_name_bits = iso_resize(b->pool, b->txn_name_bits, room, sizeof *b->txn_name_bits);
    }
    uint32_t txn = b->n_txns++;
    b->txn_session[txn] = session;
    b->txn_status[txn] = (uint8_t)status;
    b->txn_name_kind[txn] = name.kind;
    b->txn_name_bits[txn] = name.bits;
    b->has_names |= name.kind != ISO_ATOM_NIL;
    return txn;
}

void iso_builder_status(iso_builder *b, uint32_t txn, iso_status status) { b->txn_status[txn] = (uint8_t)status; }

void iso_builder_name(iso_builder *b, uint32_t txn, iso_atom name) {
    iso_assert(txn < b->n_txns);
    b->txn_name_kind[txn] = name.kind;
    b->txn_name_bits[txn] = name.bits;
    b->has_names |= name.kind != ISO_ATOM_NIL;
}

void iso_builder_note(iso_builder *b, iso_atom text, int64_t start, int64_t end) {
    if (start != ISO_NO_TIME && end != ISO_NO_TIME && end < start) {
        iso_throw(b->pool->env, ISOLAB_E_INPUT, "a note ends before it starts");
    }
    ISO_GROW(b->pool, b->h->notes, b->h->n_notes, b->notes_room);
    b->h->notes[b->h->n_notes++] = (iso_note){start, end, text};
}

/* Makes the arrays of times as long as the arrays of transactions. */
static void grow_times(iso_builder *b) {
    uint32_t room = b->txns_room;
    b->txn_start = iso_resize(b->pool, b->txn_start, room, sizeof *b->txn_start);
    b->txn_end = iso_resize(b->pool, b->txn_end, room, sizeof *b->txn_end);
    for (uint32_t t = b->times_room; t < room; t++) {
        b->txn_start[t] = b->txn_end[t] = ISO_NO_TIME;
    }
    b->times_room = room;
}

void iso_builder_times(iso_builder *b, uint32_t txn, int64_t start, int64_t end) {
    iso_assert(txn < b->n_txns);
    if (start != ISO_NO_TIME && end != ISO_NO_TIME && end < start) {
        iso_throw(
            b->pool->env, ISOLAB_E_INPUT,
            "expected a transaction's end that is not before its start, found start %lld and end %lld: a clock ran "
            "backwards",
            (long long)start, (long long)end);
    }
    if (b->times_room <= txn) {
        grow_times(b);
    }
    b->txn_start[txn] = start;
    b->txn_end[txn] = end;
    b->has_times |= start != ISO_NO_TIME || end != ISO_NO_TIME;
}

void iso_builder_time_unit(iso_builder *b, iso_time_unit unit) { b->h->time_unit = (uint8_t)unit; }

/* Makes a column of places as long as the arrays of transactions. */
static void grow_places(iso_builder *b, uint32_t **column, uint32_t *room) {
    *column = iso_resize(b->pool, *column, b->txns_room, sizeof **column);
    iso_fill_none(*column + *room, b->txns_room - *room);
    *room = b->txns_room;
}

void iso_builder_place(iso_builder *b, uint32_t txn, uint64_t line, int64_t index) {
    iso_assert(txn < b->n_txns);
    if (line < ISO_ID_MAX) {
        if (b->lines_room <= txn) {
            grow_places(b, &b->txn_line, &b->lines_room);
        }
        b->txn_line[txn] = (uint32_t)line;
    }
    if (index >= 0 && index < ISO_ID_MAX) {
        if (b->indices_room <= txn) {
            grow_places(b, &b->txn_index, &b->indices_room);
        }
        b->txn_index[txn] = (uint32_t)index;
    }
}

iso_op_columns *iso_builder_room(iso_builder *b, uint64_t more) {
    iso_op_columns *c = &b->ops;
    if (c->n >= ISO_ID_MAX || more > ISO_ID_MAX - c->n) {
        if (c->n == ISO_ID_MAX) {
            too_many(b, "operations");
        }
        more = ISO_ID_MAX - c->n;
    }
    if (c->room - c->n < more) {
        uint64_t room = c->room < 16 ? 64 : 2 * c->room;
        room = c->n + more > room ? c->n + more : room;
        c->txn = iso_resize(b->pool, c->txn, room, sizeof *c->txn);
        c->key = iso_resize(b->pool, c->key, room, sizeof *c->key);
        c->kind = iso_resize(b->pool, c->kind, room, sizeof *c->kind);
        c->value_kind = iso_resize(b->pool, c->value_kind, room, sizeof *c->value_kind);
        c->value_bits = iso_resize(b->pool, c->value_bits, room, sizeof *c->value_bits);
        c->room = room;
    }
    return c;
}

/* Returns a value in its stored form. The initial value of a list is always the empty list, whatever the initial value
 * of registers is. */
static iso_atom canonical(const iso_builder *b, iso_op_kind kind, iso_atom value) {
    if (kind == ISO_APPEND || b->h->initial.kind == ISO_ATOM_NIL) {
        return value;
    }
    return iso_atom_equal(value, b->h->initial)                 ? iso_atom_nil()
           : iso_atom_equal(value, iso_atom_not(b->h->initial)) ? iso_atom_not(iso_atom_nil())
                                                                : value;
}

static _Noreturn void nil_element(iso_builder *b) {
    iso_throw(b->pool->env, ISOLAB_E_INPUT, "expected a value as the element of a list, found nil");
}

void iso_builder_op(iso_builder *b, uint32_t txn, iso_op_kind kind, uint32_t key, iso_atom value) {
    iso_assert(txn < b->n_txns && key < b->h->n_keys);
    iso_op_columns *c = b->ops.n < b->ops.room ? &b->ops : iso_builder_room(b, 1);
    if (kind == ISO_APPEND && value.kind == ISO_ATOM_NIL) {
        nil_element(b);
    }
    value = canonical(b, kind, value);
    c->txn[c->n] = txn;
    c->key[c->n] = key;
    c->kind[c->n] = (uint8_t)kind;
    c->value_kind[c->n] = value.kind;
    c->value_bits[c->n] = value.bits;
    c->n++;
}

void iso_builder_list_read(iso_builder *b, uint32_t txn, uint32_t key, const iso_atom *elements, size_t n) {
    iso_assert(txn < b->n_txns && key < b->h->n_keys);
    isolab_history *h = b->h;
    if (h->n_lists >= ISO_ID_MAX) {
        too_many(b, "lists");
    }
    if (n > ISO_ID_MAX - b->n_elements) {
        too_many(b, "list elements");
    }
    if (h->n_lists + 1 >= b->lists_room) {
        b->lists_room = b->lists_room < 16 ? 32 : 2 * b->lists_room;
        h->list_first = iso_resize(b->pool, h->list_first, b->lists_room, sizeof *h->list_first);
        h->list_first[0] = 0;
    }
    if (n > b->elements_room - b->n_elements) {
        b->elements_room = 2 * b->elements_room + n;
        b->element = iso_resize(b->pool, b->element, b->elements_room, sizeof *b->element);
    }
    for (size_t i = 0; i < n; i++) {
        if (elements[i].kind == ISO_ATOM_NIL) {
            nil_element(b);
        }
        b->element[b->n_elements + i] = elements[i];
    }
    b->n_elements += n;
    iso_builder_op(b, txn, ISO_LIST_READ, key, iso_atom_nil());
    b->ops.value_bits[b->ops.n - 1] = h->n_lists;
    h->list_first[++h->n_lists] = (uint32_t)b->n_elements;
}

uint64_t iso_builder_op_count(const iso_builder *b) { return b->ops.n; }

uint32_t iso_builder_txn_count(const iso_builder *b) { return b->n_txns; }
uint32_t iso_builder_key_count(const iso_builder *b) { return b->h->n_keys; }
iso_atom iso_builder_key_name(const iso_builder *b, uint32_t key) { return b->h->key_name[key]; }
iso_atom iso_builder_session_name(const iso_builder *b, uint32_t session) { return b->h->session_name[session]; }

iso_atom iso_builder_txn_name(const iso_builder *b, uint32_t txn) {
    iso_assert(txn < b->n_txns);
    return (iso_atom){b->txn_name_bits[txn], b->txn_name_kind[txn]};
}

uint32_t iso_builder_txn_line(const iso_builder *b, uint32_t txn) {
    return txn < b->lines_room ? b->txn_line[txn] : ISO_NONE;
}

uint32_t iso_builder_session_of(const iso_builder *b, uint32_t txn) { return b->txn_session[txn]; }

/* Appends `n` operations of a piece, from its operation `from` on, at a place. */
static void append_ops(const iso_op_columns *to, uint64_t at, const iso_builder_piece *piece, uint64_t from,
                       uint64_t n) {
    const iso_op_columns *c = &piece->b->ops;
    for (uint64_t i = 0; i < n; i++) {
        to->txn[at + i] = piece->txn[c->txn[from + i]];
        to->key[at + i] = piece->key[c->key[from + i]];
    }
    memcpy(to->kind + at, c->kind + from, n);
    memcpy(to->value_kind + at, c->value_kind + from, n);
    memcpy(to->value_bits + at, c->value_bits + from, n * sizeof *c->value_bits);
}

typedef struct appending {
    iso_op_columns *to;
    const iso_builder_piece *pieces;
    unsigned n_pieces;
    uint64_t n_ops;
} appending;

/* Appends one part of all operations of the pieces. */
static void append_part(iso_part *part) {
    const appending *x = part->arg;
    uint64_t begin = iso_part_from(part, x->n_ops), end = iso_part_end(part, x->n_ops), first = 0;
    for (unsigned p = 0; p < x->n_pieces; first += x->pieces[p++].b->ops.n) {
        uint64_t last = first + x->pieces[p].b->ops.n;
        uint64_t from = begin > first ? begin : first, to = end < last ? end : last;
        for (uint64_t n; from < to; from += n) {
            iso_tick(part->pool->env);
            n = to - from < BLOCK ? to - from : BLOCK;
            append_ops(x->to, x->to->n + from, &x->pieces[p], from - first, n);
        }
    }
}

void iso_builder_append(iso_builder *b, const iso_builder_piece *pieces, unsigned n_pieces, unsigned threads) {
    appending x = {.pieces = pieces, .n_pieces = n_pieces};
    for (unsigned p = 0; p < n_pieces; p++) {
        x.n_ops += pieces[p].b->ops.n;
    }
    x.to = iso_builder_room(b, x.n_ops);
    if (x.to->room - x.to->n < x.n_ops) {
        too_many(b, "operations");
    }
    iso_parts(b->pool, threads, append_part, &x);
    x.to->n += x.n_ops;
}

/* Returns new_txn: new_txn[old] is the transaction's number in history.h, session by session. NULL: the numbers
 * stay. */
static uint32_t *order_txns(iso_builder *b) {
    isolab_history *h = b->h;
    uint32_t n = b->n_txns;
    bool in_order = true;
    h->session_txn = ISO_ZNEW(b->pool, uint32_t, (size_t)h->n_sessions + 1);
    for (uint32_t t = 0; t < n; t++) {
        h->session_txn[b->txn_session[t] + 1]++;
        in_order &= t == 0 || b->txn_session[t - 1] <= b->txn_session[t];
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        h->session_txn[s + 1] += h->session_txn[s];
    }
    if (in_order) {
        return NULL;
    }
    uint32_t *next = ISO_NEW(b->pool, uint32_t, (size_t)h->n_sessions + 1);
    memcpy(next, h->session_txn, ((size_t)h->n_sessions + 1) * sizeof *next);
    uint32_t *new_txn = ISO_NEW(b->pool, uint32_t, n);
    for (uint32_t t = 0; t < n; t++) {
        new_txn[t] = next[b->txn_session[t]]++;
    }
    iso_free(b->pool, next);
    return new_txn;
}

/* Sorts a column by the new numbers, in place or into a new block (then the old one is freed). */
#define REORDER(b, column, new_txn)                                                                                    \
    do {                                                                                                               \
        if ((new_txn) == NULL) {                                                                                       \
            (column) = iso_resize((b)->pool, (column), (b)->n_txns, sizeof *(column));                                 \
        } else {                                                                                                       \
            __typeof__(column) reordered = iso_alloc((b)->pool, (b)->n_txns, sizeof *(column));                        \
            for (uint32_t t = 0; t < (b)->n_txns; t++) {                                                               \
                reordered[(new_txn)[t]] = (column)[t];                                                                 \
            }                                                                                                          \
            iso_free((b)->pool, (column));                                                                             \
            (column) = reordered;                                                                                      \
        }                                                                                                              \
    } while (0)

static void place_txns(iso_builder *b, const uint32_t *new_txn) {
    isolab_history *h = b->h;
    uint32_t count[3] = {0, 0, 0};
    for (uint32_t t = 0; t < b->n_txns; t++) {
        count[b->txn_status[t]]++;
    }
    h->n_txns = b->n_txns;
    h->n_committed = count[ISO_COMMITTED];
    h->n_aborted = count[ISO_ABORTED];
    h->n_indeterminate = count[ISO_INDETERMINATE];
    REORDER(b, b->txn_session, new_txn);
    REORDER(b, b->txn_status, new_txn);
    h->txn_session = b->txn_session;
    h->txn_status = b->txn_status;
    if (b->has_names) {
        REORDER(b, b->txn_name_kind, new_txn);
        REORDER(b, b->txn_name_bits, new_txn);
        h->txn_name_kind = b->txn_name_kind;
        h->txn_name_bits = b->txn_name_bits;
    } else {
        iso_free(b->pool, b->txn_name_kind);
        iso_free(b->pool, b->txn_name_bits);
    }
    if (b->txn_line != NULL) {
        REORDER(b, b->txn_line, new_txn);
        h->txn_line = b->txn_line;
    }
    if (b->txn_index != NULL) {
        REORDER(b, b->txn_index, new_txn);
        h->txn_index = b->txn_index;
    }
    if (b->has_times) {
        REORDER(b, b->txn_start, new_txn);
        REORDER(b, b->txn_end, new_txn);
        h->txn_start = b->txn_start;
        h->txn_end = b->txn_end;
        h->has_times = true;
        iso_open_ends(h);
    } else {
        iso_free(b->pool, b->txn_start);
        iso_free(b->pool, b->txn_end);
    }
}

/* What the threads share that put operations in order. Each has a part of the operations. */
typedef struct ordering {
    iso_builder *b;
    const uint32_t *new_txn; /* NULL: the numbers stay */
    iso_op_columns from;
    uint32_t **count; /* by part, by transaction: number of the operations in that part */
    bool moved;       /* they are not in order */
} ordering;

/* Counts the operations of each transaction in a part. Inputs have runs of operations of one transaction, so this
 * counts runs. */
static void count_part(iso_part *part) {
    ordering *x = part->arg;
    const uint32_t *txn = x->from.txn;
    uint32_t n = (uint32_t)iso_part_end(part, x->from.n);
    uint32_t *count = x->count[part->number] = ISO_ZNEW(part->pool, uint32_t, x->b->n_txns);
    bool in_place = x->new_txn == NULL;
    for (uint32_t i = (uint32_t)iso_part_from(part, x->from.n), end; i < n; i = end) {
        iso_tick(part->pool->env);
        for (end = i + 1; end < n && txn[end] == txn[i]; end++) {
        }
        in_place &= i == 0 || txn[i - 1] <= txn[i];
        count[x->new_txn == NULL ? txn[i] : x->new_txn[txn[i]]] += end - i;
    }
    if (!in_place) {
        __atomic_store_n(&x->moved, true, __ATOMIC_RELAXED);
    }
}

static void sum_counts(const ordering *x, unsigned n_parts) {
    isolab_history *h = x->b->h;
    h->txn_op = ISO_NEW(x->b->pool, uint32_t, (size_t)h->n_txns + 1);
    uint32_t sum = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        h->txn_op[t] = sum;
        for (unsigned p = 0; p < n_parts; p++) {
            sum += x->count[p][t];
        }
    }
    h->txn_op[h->n_txns] = sum;
}

/* Puts the operations of a part where their transactions are, after those of the parts before. */
static void sort_part(iso_part *part) {
    const ordering *x = part->arg;
    iso_op_columns from = x->from, *to = &x->b->ops;
    uint32_t n = (uint32_t)iso_part_end(part, from.n), *next = ISO_NEW(part->pool, uint32_t, x->b->n_txns);
    memcpy(next, x->b->h->txn_op, x->b->n_txns * sizeof *next);
    for (unsigned p = 0; p < part->number; p++) {
        for (uint32_t t = 0; t < x->b->n_txns; t++) {
            next[t] += x->count[p][t];
        }
    }
    for (uint32_t i = (uint32_t)iso_part_from(part, from.n); i < n;) {
        iso_tick(part->pool->env);
        uint32_t old = from.txn[i], txn = x->new_txn == NULL ? old : x->new_txn[old], at = next[txn];
        for (; i < n && from.txn[i] == old; i++, at++) {
            to->txn[at] = txn;
            to->key[at] = from.key[i];
            to->kind[at] = from.kind[i];
            to->value_kind[at] = from.value_kind[i];
            to->value_bits[at] = from.value_bits[i];
        }
        next[txn] = at;
    }
    iso_free(part->pool, next);
}

/* Sorts operations by transaction; stable. A counting sort of runs. */
static void sort_ops(ordering *x, unsigned threads) {
    iso_pool *pool = x->b->pool;
    iso_op_columns from = x->from, *to = &x->b->ops;
    to->room = from.n;
    to->txn = ISO_NEW(pool, uint32_t, to->room);
    to->key = ISO_NEW(pool, uint32_t, to->room);
    to->kind = ISO_NEW(pool, uint8_t, to->room);
    to->value_kind = ISO_NEW(pool, uint8_t, to->room);
    to->value_bits = ISO_NEW(pool, uint64_t, to->room);
    iso_parts(pool, threads, sort_part, x);
    iso_free(pool, from.txn);
    iso_free(pool, from.key);
    iso_free(pool, from.kind);
    iso_free(pool, from.value_kind);
    iso_free(pool, from.value_bits);
}

static void place_ops(iso_builder *b, const uint32_t *new_txn, unsigned threads) {
    isolab_history *h = b->h;
    ordering x = {.b = b, .new_txn = new_txn, .from = b->ops, .count = ISO_NEW(b->pool, uint32_t *, threads)};
    h->n_ops = (uint32_t)b->ops.n;
    iso_part *parts = iso_parts_run(b->pool, threads, count_part, &x);
    sum_counts(&x, threads);
    if (x.moved) {
        sort_ops(&x, threads);
    }
    iso_free(b->pool, x.count[0]);
    iso_free(b->pool, x.count);
    iso_parts_free(b->pool, parts);
    h->op_txn = iso_resize(b->pool, b->ops.txn, h->n_ops, sizeof *h->op_txn);
    h->op_key = iso_resize(b->pool, b->ops.key, h->n_ops, sizeof *h->op_key);
    h->op_kind = iso_resize(b->pool, b->ops.kind, h->n_ops, sizeof *h->op_kind);
}

/* Makes all columns of transactions equally long: the last transactions may have no times or places. */
static void fill_columns(iso_builder *b) {
    if (b->has_times && b->times_room < b->txns_room) {
        grow_times(b);
    }
    if (b->txn_line != NULL && b->lines_room < b->txns_room) {
        grow_places(b, &b->txn_line, &b->lines_room);
    }
    if (b->txn_index != NULL && b->indices_room < b->txns_room) {
        grow_places(b, &b->txn_index, &b->indices_room);
    }
}

static void take_initial(iso_builder *b) {
    iso_unordered u = {
        .pool = b->pool,
        .h = b->h,
        .b = b,
        .how = &b->reading,
        .ops = &b->ops,
        .n_txns = b->n_txns,
        .txn_session = b->txn_session,
        .txn_status = b->txn_status,
        .txn_name_kind = b->txn_name_kind,
        .txn_name_bits = b->txn_name_bits,
        .txn_start = b->has_times ? b->txn_start : NULL,
        .txn_end = b->has_times ? b->txn_end : NULL,
        .txn_line = b->txn_line,
        .txn_index = b->txn_index,
        .n_strings = b->n_strings,
        .first = b->first,
        .forced = b->forced,
    };
    iso_initial_take(&u);
    bool taken = u.n_txns < b->n_txns;
    b->n_txns = u.n_txns;
    if (taken) { /* the initial transaction may have been the only one with a name or times */
        b->has_names = b->has_times = false;
    }
    for (uint32_t t = 0; taken && t < b->n_txns; t++) {
        b->has_names |= b->txn_name_kind[t] != ISO_ATOM_NIL;
        b->has_times |= u.txn_start != NULL && (u.txn_start[t] != ISO_NO_TIME || u.txn_end[t] != ISO_NO_TIME);
    }
}

isolab_history *iso_builder_finish(iso_builder *b) {
    isolab_history *h = b->h;
    fill_columns(b);
    if (b->reads) {
        take_initial(b);
    }
    h->n_strings = b->n_strings;
    h->has_strings = b->n_strings > 0;
    unsigned threads = iso_reading_threads(&b->reading, b->ops.n);
    uint32_t *new_txn = order_txns(b);
    place_txns(b, new_txn);
    place_ops(b, new_txn, threads);
    if (h->first_txn != ISO_NONE && new_txn != NULL) {
        h->first_txn = new_txn[h->first_txn];
    }
    iso_free(b->pool, new_txn);
    iso_free(b->pool, b->strings.slot);
    iso_free(b->pool, b->keys.slot);
    iso_free(b->pool, b->sessions.slot);
    if (h->list_first == NULL) {
        h->list_first = ISO_ZNEW(b->pool, uint32_t, 1);
    }
    iso_values values = {b->ops.value_kind, b->ops.value_bits, b->element, threads};
    iso_resolve(h, &values);
    iso_free(b->pool, b->ops.value_kind);
    iso_free(b->pool, b->ops.value_bits);
    iso_free(b->pool, b->element);
    iso_free(b->pool, b);
    iso_history_names(h);
    iso_history_check(h);
    return h;
}
