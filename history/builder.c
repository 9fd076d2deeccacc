/* Collects the operations of a history in the order of the input, then puts them in the order of history.h
 * and has them resolved (resolve.h). Everything is linear but for the hash tables of names. */
#include "history/builder.h"

#include <string.h>

#include "base/hash.h"
#include "history/resolve.h"

/* An open-addressing set of 32-bit numbers; what they stand for is known to the caller. */
typedef struct table {
    uint32_t *slot; /* ISO_NONE: free */
    uint32_t mask;
    uint32_t used;
} table;

struct iso_builder {
    iso_pool *pool;
    isolab_history *h;

    /* names */
    table strings, keys, sessions;
    uint32_t n_strings, strings_room;
    uint64_t string_bytes_used, string_bytes_room;
    uint32_t keys_room, sessions_room;

    /* transactions, in the order in which they were made */
    uint32_t n_txns, txns_room;
    uint32_t *txn_session;
    uint8_t *txn_status;
    iso_atom *txn_name;
    int64_t *txn_start, *txn_end;
    uint32_t times_room;
    bool has_names, has_times;

    /* operations, in the order in which they were added */
    uint64_t n_ops, ops_room;
    uint32_t *op_txn, *op_key;
    uint8_t *op_kind, *op_value_kind;
    uint64_t *op_value_bits; /* ISO_LIST_READ: the number of the list */
    bool in_order;           /* so far op_txn never decreased */

    /* elements of lists that were read */
    uint32_t lists_room;
    uint64_t n_elements, elements_room;
    iso_atom *element;
};

static void table_init(iso_pool *pool, table *t, uint32_t room) {
    t->slot = ISO_NEW(pool, uint32_t, room);
    memset(t->slot, 0xff, (size_t)room * sizeof *t->slot);
    t->mask = room - 1;
    t->used = 0;
}

iso_builder *iso_builder_new(iso_pool *pool) {
    iso_builder *b = ISO_ZNEW(pool, iso_builder, 1);
    b->pool = pool;
    b->h = ISO_ZNEW(pool, isolab_history, 1);
    b->h->pool = pool;
    b->in_order = true;
    table_init(pool, &b->strings, 64);
    table_init(pool, &b->keys, 64);
    table_init(pool, &b->sessions, 64);
    return b;
}

void iso_builder_initial(iso_builder *b, iso_atom value) { b->h->initial = value; }

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

/* Doubles a table; hash_of(b, number) gives the hash of an entry. */
static void table_grow(iso_builder *b, table *t, uint64_t (*hash_of)(const iso_builder *, uint32_t)) {
    table old = *t;
    table_init(b->pool, t, 2 * (old.mask + 1));
    for (uint32_t i = 0; i <= old.mask; i++) {
        if (old.slot[i] != ISO_NONE) {
            uint64_t at = hash_of(b, old.slot[i]) & t->mask;
            while (t->slot[at] != ISO_NONE) {
                at = (at + 1) & t->mask;
            }
            t->slot[at] = old.slot[i];
        }
    }
    t->used = old.used;
    iso_free(b->pool, old.slot);
}

static uint64_t hash_of_string(const iso_builder *b, uint32_t i) {
    const isolab_history *h = b->h;
    return hash_bytes(h->string_bytes + h->string_first[i], h->string_first[i + 1] - h->string_first[i] - 1);
}

static uint64_t hash_of_key(const iso_builder *b, uint32_t i) { return hash_atom(b->h->key_name[i]); }

static uint64_t hash_of_session(const iso_builder *b, uint32_t i) {
    return hash_atom(b->h->session_name[i]);
}

iso_atom iso_builder_string(iso_builder *b, const char *bytes, size_t length) {
    isolab_history *h = b->h;
    uint64_t at = hash_bytes(bytes, length) & b->strings.mask;
    for (uint32_t i; (i = b->strings.slot[at]) != ISO_NONE; at = (at + 1) & b->strings.mask) {
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
    b->strings.slot[at] = number;
    if (2 * ++b->strings.used > b->strings.mask) {
        table_grow(b, &b->strings, hash_of_string);
    }
    return iso_atom_string(number);
}

uint32_t iso_builder_key(iso_builder *b, iso_atom name) {
    isolab_history *h = b->h;
    uint64_t at = hash_atom(name) & b->keys.mask;
    for (uint32_t i; (i = b->keys.slot[at]) != ISO_NONE; at = (at + 1) & b->keys.mask) {
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
    b->keys.slot[at] = number;
    if (2 * ++b->keys.used > b->keys.mask) {
        table_grow(b, &b->keys, hash_of_key);
    }
    return number;
}

uint32_t iso_builder_session(iso_builder *b, iso_atom name) {
    isolab_history *h = b->h;
    uint64_t at = hash_atom(name) & b->sessions.mask;
    if (name.kind != ISO_ATOM_NIL) {
        for (uint32_t i; (i = b->sessions.slot[at]) != ISO_NONE; at = (at + 1) & b->sessions.mask) {
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
        b->sessions.slot[at] = number;
        if (2 * ++b->sessions.used > b->sessions.mask) {
            table_grow(b, &b->sessions, hash_of_session);
        }
    }
    return number;
}

uint32_t iso_builder_txn(iso_builder *b, uint32_t session, iso_atom name, iso_status status) {
    if (b->n_txns >= ISO_ID_MAX) {
        too_many(b, "transactions");
    }
    if (b->n_txns == b->txns_room) {
        b->txns_room = b->txns_room < 16 ? 32 : 2 * b->txns_room;
        b->txn_session = iso_resize(b->pool, b->txn_session, b->txns_room, sizeof *b->txn_session);
        b->txn_status = iso_resize(b->pool, b->txn_status, b->txns_room, sizeof *b->txn_status);
        b->txn_name = iso_resize(b->pool, b->txn_name, b->txns_room, sizeof *b->txn_name);
    }
    uint32_t txn = b->n_txns++;
    b->txn_session[txn] = session;
    b->txn_status[txn] = (uint8_t)status;
    b->txn_name[txn] = name;
    b->has_names |= name.kind != ISO_ATOM_NIL;
    return txn;
}

void iso_builder_status(iso_builder *b, uint32_t txn, iso_status status) {
    b->txn_status[txn] = (uint8_t)status;
}

void iso_builder_times(iso_builder *b, uint32_t txn, int64_t start, int64_t end) {
    if (start != ISO_NO_TIME && end != ISO_NO_TIME && end < start) {
        iso_throw(b->pool->env, ISOLAB_E_INPUT,
                  "expected a transaction's end that is not before its start, found start %lld and end %lld",
                  (long long)start, (long long)end);
    }
    if (b->times_room <= txn) {
        uint32_t room = b->txns_room;
        b->txn_start = iso_resize(b->pool, b->txn_start, room, sizeof *b->txn_start);
        b->txn_end = iso_resize(b->pool, b->txn_end, room, sizeof *b->txn_end);
        for (uint32_t t = b->times_room; t < room; t++) {
            b->txn_start[t] = b->txn_end[t] = ISO_NO_TIME;
        }
        b->times_room = room;
    }
    b->txn_start[txn] = start;
    b->txn_end[txn] = end;
    b->has_times |= start != ISO_NO_TIME || end != ISO_NO_TIME;
}

static void grow_ops(iso_builder *b) {
    if (b->n_ops >= ISO_ID_MAX) {
        too_many(b, "operations");
    }
    b->ops_room = b->ops_room < 16 ? 64 : 2 * b->ops_room;
    b->op_txn = iso_resize(b->pool, b->op_txn, b->ops_room, sizeof *b->op_txn);
    b->op_key = iso_resize(b->pool, b->op_key, b->ops_room, sizeof *b->op_key);
    b->op_kind = iso_resize(b->pool, b->op_kind, b->ops_room, sizeof *b->op_kind);
    b->op_value_kind = iso_resize(b->pool, b->op_value_kind, b->ops_room, sizeof *b->op_value_kind);
    b->op_value_bits = iso_resize(b->pool, b->op_value_bits, b->ops_room, sizeof *b->op_value_bits);
}

/* The initial value of a list is the empty list, whatever the initial value of registers is. */
static iso_atom canonical(const iso_builder *b, iso_op_kind kind, iso_atom value) {
    return kind != ISO_APPEND && value.kind != ISO_ATOM_NIL && iso_atom_equal(value, b->h->initial) ? iso_atom_nil() : value;
}

static _Noreturn void nil_element(iso_builder *b) {
    iso_throw(b->pool->env, ISOLAB_E_INPUT, "expected a value as the element of a list, found nil");
}

void iso_builder_op(iso_builder *b, uint32_t txn, iso_op_kind kind, uint32_t key, iso_atom value) {
    uint64_t i = b->n_ops;
    if (i == b->ops_room) {
        grow_ops(b);
    }
    if (kind == ISO_APPEND && value.kind == ISO_ATOM_NIL) {
        nil_element(b);
    }
    b->in_order &= i == 0 || b->op_txn[i - 1] <= txn;
    value = canonical(b, kind, value);
    b->op_txn[i] = txn;
    b->op_key[i] = key;
    b->op_kind[i] = (uint8_t)kind;
    b->op_value_kind[i] = value.kind;
    b->op_value_bits[i] = value.bits;
    b->n_ops = i + 1;
}

void iso_builder_list_read(iso_builder *b, uint32_t txn, uint32_t key, const iso_atom *elements, size_t n) {
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
    for (size_t i = 0; i < n; i++) {
        if (elements[i].kind == ISO_ATOM_NIL) {
            nil_element(b);
        }
        ISO_GROW(b->pool, b->element, b->n_elements, b->elements_room);
        b->element[b->n_elements++] = elements[i];
    }
    iso_builder_op(b, txn, ISO_LIST_READ, key, iso_atom_nil());
    b->op_value_bits[b->n_ops - 1] = h->n_lists;
    h->list_first[++h->n_lists] = (uint32_t)b->n_elements;
}

uint64_t iso_builder_op_count(const iso_builder *b) { return b->n_ops; }

uint32_t iso_builder_session_of(const iso_builder *b, uint32_t txn) { return b->txn_session[txn]; }

uint64_t iso_builder_first_op(const iso_builder *b, uint32_t txn) {
    uint64_t i = 0;
    while (i < b->n_ops && b->op_txn[i] != txn) {
        i++;
    }
    return i;
}

/* new_txn[old] = the number of history.h: session by session, in the order of the input. */
static uint32_t *order_txns(iso_builder *b, iso_pool *scratch) {
    isolab_history *h = b->h;
    uint32_t n = b->n_txns;
    h->session_txn = ISO_ZNEW(b->pool, uint32_t, (size_t)h->n_sessions + 1);
    for (uint32_t t = 0; t < n; t++) {
        h->session_txn[b->txn_session[t] + 1]++;
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        h->session_txn[s + 1] += h->session_txn[s];
    }
    uint32_t *next = ISO_NEW(scratch, uint32_t, (size_t)h->n_sessions + 1);
    memcpy(next, h->session_txn, ((size_t)h->n_sessions + 1) * sizeof *next);
    uint32_t *new_txn = ISO_NEW(scratch, uint32_t, n);
    for (uint32_t t = 0; t < n; t++) {
        new_txn[t] = next[b->txn_session[t]]++;
    }
    return new_txn;
}

static void place_txns(iso_builder *b, const uint32_t *new_txn) {
    isolab_history *h = b->h;
    uint32_t n = h->n_txns = b->n_txns;
    h->txn_session = ISO_NEW(b->pool, uint32_t, n);
    h->txn_status = ISO_NEW(b->pool, uint8_t, n);
    if (b->has_names) {
        h->txn_name_kind = ISO_NEW(b->pool, uint8_t, n);
        h->txn_name_bits = ISO_NEW(b->pool, uint64_t, n);
    }
    if (b->has_times) {
        h->txn_start = ISO_NEW(b->pool, int64_t, n);
        h->txn_end = ISO_NEW(b->pool, int64_t, n);
        h->has_times = true;
    }
    uint32_t count[3] = {0, 0, 0};
    for (uint32_t t = 0; t < n; t++) {
        uint32_t to = new_txn[t];
        h->txn_session[to] = b->txn_session[t];
        h->txn_status[to] = b->txn_status[t];
        count[b->txn_status[t]]++;
        if (b->has_names) {
            h->txn_name_kind[to] = b->txn_name[t].kind;
            h->txn_name_bits[to] = b->txn_name[t].bits;
        }
        if (b->has_times) {
            h->txn_start[to] = t < b->times_room ? b->txn_start[t] : ISO_NO_TIME;
            h->txn_end[to] = t < b->times_room ? b->txn_end[t] : ISO_NO_TIME;
        }
    }
    h->n_committed = count[ISO_COMMITTED];
    h->n_aborted = count[ISO_ABORTED];
    h->n_indeterminate = count[ISO_INDETERMINATE];
}

/* Operations by transaction, stable: a counting sort over the columns of the builder. The values go to
 * columns of scratch, for the join. */
static void place_ops(iso_builder *b, const uint32_t *new_txn, iso_pool *scratch, iso_values *values) {
    isolab_history *h = b->h;
    uint32_t n = h->n_ops = (uint32_t)b->n_ops;
    h->txn_op = ISO_ZNEW(b->pool, uint32_t, (size_t)h->n_txns + 1);
    for (uint32_t i = 0; i < n; i++) {
        h->txn_op[new_txn[b->op_txn[i]] + 1]++;
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        h->txn_op[t + 1] += h->txn_op[t];
    }
    bool identity = b->in_order;
    for (uint32_t t = 0; identity && t < h->n_txns; t++) {
        identity = new_txn[t] == t;
    }
    if (identity) {
        h->op_txn = b->op_txn;
        h->op_key = b->op_key;
        h->op_kind = b->op_kind;
        values->kind = b->op_value_kind;
        values->bits = b->op_value_bits;
        return;
    }
    h->op_txn = ISO_NEW(b->pool, uint32_t, n);
    h->op_key = ISO_NEW(b->pool, uint32_t, n);
    h->op_kind = ISO_NEW(b->pool, uint8_t, n);
    values->kind = ISO_NEW(scratch, uint8_t, n);
    values->bits = ISO_NEW(scratch, uint64_t, n);
    uint32_t *next = ISO_NEW(scratch, uint32_t, h->n_txns);
    memcpy(next, h->txn_op, h->n_txns * sizeof *next);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t txn = new_txn[b->op_txn[i]];
        uint32_t to = next[txn]++;
        h->op_txn[to] = txn;
        h->op_key[to] = b->op_key[i];
        h->op_kind[to] = b->op_kind[i];
        values->kind[to] = b->op_value_kind[i];
        values->bits[to] = b->op_value_bits[i];
    }
    iso_free(b->pool, b->op_txn);
    iso_free(b->pool, b->op_key);
    iso_free(b->pool, b->op_kind);
    iso_free(b->pool, b->op_value_kind);
    iso_free(b->pool, b->op_value_bits);
    b->op_value_kind = NULL;
    b->op_value_bits = NULL;
}

isolab_history *iso_builder_finish(iso_builder *b) {
    isolab_history *h = b->h;
    iso_pool *scratch = b->pool; /* freed below; after a throw, by the pool's owner */
    h->n_strings = b->n_strings;
    h->has_strings = b->n_strings > 0;
    uint32_t *new_txn = order_txns(b, scratch);
    place_txns(b, new_txn);
    iso_values values = {.element = b->element};
    place_ops(b, new_txn, scratch, &values);
    iso_free(scratch, new_txn);
    iso_free(b->pool, b->strings.slot);
    iso_free(b->pool, b->keys.slot);
    iso_free(b->pool, b->sessions.slot);
    iso_free(b->pool, b->txn_session);
    iso_free(b->pool, b->txn_status);
    iso_free(b->pool, b->txn_name);
    iso_free(b->pool, b->txn_start);
    iso_free(b->pool, b->txn_end);
    if (h->list_first == NULL) {
        h->list_first = ISO_ZNEW(b->pool, uint32_t, 1);
    }
    iso_resolve(h, &values);
    iso_free(b->pool, values.kind);
    iso_free(b->pool, values.bits);
    iso_free(b->pool, b->element);
    iso_free(b->pool, b);
    return h;
}
