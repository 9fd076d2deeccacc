/* See enumerate.h.
 *
 * A *shape* is a history without its values read: the division of transactions into sessions, and the kind and key of
 * every operation. A shape is a word over the shapes of one transaction; an assignment of values to the reads of a
 * shape is a word over the writes. Of all words that are equal up to renaming, only the smallest is kept. A renaming is
 * a permutation of sessions of equal length together with one of keys: at most 5! * 3!. The renamings that do not
 * change a shape are computed once, so most assignments need no test. */
#include "generators/enumerate.h"

#include <string.h>

#include "history/builder.h"

#define TXNS ISO_ENUMERATE_TXNS
#define OPS ISO_ENUMERATE_OPS
#define KEYS ISO_ENUMERATE_KEYS
#define MOST_OPS 4 /* of one transaction; more than OPS only of mini-transactions */
#define MOST_CODES (2 * (6 + 36 + 216))
#define MOST_RENAMINGS (120 * 6)

/* The shape of one transaction. Its number in the table is its code. */
typedef struct txn_shape {
    uint8_t status, n;
    uint8_t kind[MOST_OPS], key[MOST_OPS];
} txn_shape;

typedef struct renaming {
    uint8_t txn[TXNS]; /* transaction i after renaming is transaction txn[i] before */
    uint8_t keys;      /* the number of the key permutation */
} renaming;

/* The value of a read: 0 is a value without a writer, 1 the initial value, 2 + o the value of write o. */
enum { THIN_AIR, INITIAL, WRITE };

typedef struct enumeration {
    iso_pool *pool;
    const iso_enumeration *what;
    iso_enumerate_fn *fn;
    void *arg;
    uint64_t count, n_shapes;

    txn_shape shape[MOST_CODES];
    uint32_t n_codes;
    uint16_t renamed[6][MOST_CODES];        /* by key permutation and code: the code of the renamed shape */
    uint8_t moved[6][MOST_CODES][MOST_OPS]; /* the same: the place of each operation in it, which is another one only in
                                               mini-transactions, whose operations are in the order of keys */
    uint32_t n_key_orders;

    uint32_t n_txns, n_sessions, length[TXNS]; /* lengths of the sessions, decreasing */
    renaming renamings[MOST_RENAMINGS];
    uint32_t n_renamings;

    uint16_t code[TXNS];
    uint32_t same[MOST_RENAMINGS], n_same; /* the renamings that do not change the shape */
    uint8_t base[TXNS + 1];                /* the first operation of each transaction */
    uint8_t reads[TXNS * MOST_OPS], n_reads;
    uint8_t value[TXNS * MOST_OPS];
} enumeration;

static const uint8_t key_orders[6][KEYS] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};

static uint16_t code_of(const enumeration *e, const txn_shape *shape) {
    uint16_t code = 0;
    while (memcmp(&e->shape[code], shape, sizeof *shape) != 0) {
        code++;
    }
    return code;
}

static void add_shape(enumeration *e, txn_shape shape, bool reads) {
    e->shape[e->n_codes++] = shape;
    if (e->what->aborted && !reads) {
        shape.status = ISO_ABORTED;
        e->shape[e->n_codes++] = shape;
    }
}

/* All shapes of a transaction: n operations are n digits, each a kind and a key. */
static void list_words(enumeration *e) {
    uint32_t digit = 2 * e->what->keys;
    for (uint8_t n = e->what->exactly ? (uint8_t)e->what->ops : 1; n <= e->what->ops; n++) {
        uint32_t words = n == 1 ? digit : n == 2 ? digit * digit : digit * digit * digit;
        for (uint32_t word = 0; word < words; word++) {
            txn_shape shape = {.status = ISO_COMMITTED, .n = n};
            bool reads = false;
            uint32_t rest = word;
            for (uint8_t i = 0; i < n; i++, rest /= digit) {
                shape.kind[i] = rest % 2 == 0 ? ISO_WRITE : ISO_READ;
                shape.key[i] = (uint8_t)(rest % digit / 2);
                reads |= shape.kind[i] == ISO_READ;
            }
            add_shape(e, shape, reads);
        }
    }
}

/* Mini-transactions: a word is a digit for each key, which is left alone, read, or read and written. */
static void list_minis(enumeration *e) {
    uint32_t words = e->what->keys == 1 ? 3 : e->what->keys == 2 ? 9 : 27;
    for (uint32_t word = 1; word < words; word++) {
        txn_shape shape = {.status = ISO_COMMITTED};
        uint32_t rest = word, n_keys = 0;
        for (uint8_t key = 0; key < e->what->keys; key++, rest /= 3) {
            n_keys += rest % 3 > 0;
            for (uint32_t i = 0; i < rest % 3 && n_keys <= 2; i++, shape.n++) {
                shape.kind[shape.n] = i == 0 ? ISO_READ : ISO_WRITE;
                shape.key[shape.n] = key;
            }
        }
        if (n_keys <= 2) {
            add_shape(e, shape, true);
        }
    }
}

/* Renames the keys of a shape. */
static void rename_keys(enumeration *e, uint32_t order, uint32_t code) {
    const txn_shape *old = &e->shape[code];
    txn_shape new = {.status = old->status};
    for (uint8_t key = 0; key < (e->what->mini ? e->what->keys : 1); key++) {
        for (uint8_t i = 0; i < old->n; i++) {
            uint8_t renamed = key_orders[order][old->key[i]];
            if (!e->what->mini || renamed == key) {
                e->moved[order][code][i] = new.n;
                new.kind[new.n] = old->kind[i];
                new.key[new.n++] = renamed;
            }
        }
    }
    e->renamed[order][code] = code_of(e, &new);
}

static void list_shapes(enumeration *e) {
    uint32_t n_keys = e->what->keys;
    e->n_key_orders = n_keys == 1 ? 1 : n_keys == 2 ? 2 : 6;
    if (e->what->mini) {
        list_minis(e);
    } else {
        list_words(e);
    }
    for (uint32_t order = 0; order < e->n_key_orders; order++) {
        for (uint32_t code = 0; code < e->n_codes; code++) {
            rename_keys(e, order, code);
        }
    }
}

/* Lists all permutations of sessions of equal lengths, each with all permutations of keys. */
static void list_renamings(enumeration *e) {
    uint32_t n = e->n_sessions, first[TXNS + 1] = {0};
    for (uint32_t s = 0; s < n; s++) {
        first[s + 1] = first[s] + e->length[s];
    }
    e->n_renamings = 0;
    uint32_t order[TXNS] = {0}, words = 1;
    for (uint32_t s = 0; s < n; s++) {
        words *= n;
    }
    for (uint32_t word = 0; word < words; word++) { /* of all words of sessions, few are permutations */
        uint32_t rest = word, used = 0;
        bool fits = true;
        for (uint32_t s = 0; s < n; s++, rest /= n) {
            order[s] = rest % n;
            fits &= (used >> order[s] & 1) == 0 && e->length[order[s]] == e->length[s];
            used |= (uint32_t)1 << order[s];
        }
        for (uint32_t keys = 0; fits && keys < e->n_key_orders; keys++) {
            renaming *r = &e->renamings[e->n_renamings++];
            r->keys = (uint8_t)keys;
            for (uint32_t s = 0; s < n; s++) {
                for (uint32_t i = 0; i < e->length[s]; i++) {
                    r->txn[first[s] + i] = (uint8_t)(first[order[s]] + i);
                }
            }
        }
    }
}

/* Returns whether the shape is the smallest of its renamings. Finds the renamings that do not change it. */
static bool shape_is_least(enumeration *e) {
    e->n_same = 0;
    for (uint32_t i = 0; i < e->n_renamings; i++) {
        const renaming *r = &e->renamings[i];
        int difference = 0;
        for (uint32_t t = 0; t < e->n_txns && difference == 0; t++) {
            difference = e->renamed[r->keys][e->code[r->txn[t]]] - e->code[t];
        }
        if (difference < 0) {
            return false;
        }
        if (difference == 0) {
            e->same[e->n_same++] = i;
        }
    }
    return true;
}

static bool values_are_least(const enumeration *e) {
    for (uint32_t i = 0; i < e->n_same; i++) {
        const renaming *r = &e->renamings[e->same[i]];
        uint8_t to[TXNS * MOST_OPS], value[TXNS * MOST_OPS]; /* to: the new number of an old operation */
        for (uint32_t t = 0; t < e->n_txns; t++) {
            uint32_t old = e->base[r->txn[t]];
            const uint8_t *place = e->moved[r->keys][e->code[r->txn[t]]];
            for (uint32_t op = 0; op < e->shape[e->code[t]].n; op++) {
                uint32_t o = e->base[t] + place[op];
                to[old + op] = (uint8_t)o;
                value[o] = e->value[old + op];
            }
        }
        for (uint32_t j = 0; j < e->n_reads; j++) {
            uint8_t v = value[e->reads[j]];
            int difference = (v < WRITE ? v : WRITE + to[v - WRITE]) - e->value[e->reads[j]];
            if (difference < 0) {
                return false;
            }
            if (difference > 0) {
                break;
            }
        }
    }
    return true;
}

static bool visit(enumeration *e) {
    iso_builder *b = iso_builder_new(e->pool);
    uint32_t key[KEYS], t = 0;
    for (uint32_t k = 0; k < e->what->keys; k++) {
        key[k] = iso_builder_key(b, iso_builder_string(b, &"xyz"[k], 1));
    }
    for (uint32_t s = 0; s < e->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, iso_atom_nil());
        for (uint32_t i = 0; i < e->length[s]; i++, t++) {
            const txn_shape *shape = &e->shape[e->code[t]];
            uint32_t txn = iso_builder_txn(b, session, iso_atom_nil(), (iso_status)shape->status);
            for (uint32_t o = 0; o < shape->n; o++) {
                uint32_t number = e->base[t] + o;
                uint8_t v = shape->kind[o] == ISO_WRITE ? (uint8_t)(WRITE + number) : e->value[number];
                iso_atom value = v == INITIAL    ? iso_atom_nil()
                                 : v == THIN_AIR ? iso_atom_int(99)
                                                 : iso_atom_int(v - WRITE + 1);
                iso_builder_op(b, txn, (iso_op_kind)shape->kind[o], key[shape->key[o]], value);
            }
        }
    }
    bool on = e->fn(e->arg, iso_builder_finish(b));
    iso_pool_free(e->pool);
    e->count++;
    return on;
}

static uint8_t kind_of(const enumeration *e, uint32_t o, uint8_t *key) {
    uint32_t t = 0;
    while (o >= e->base[t + 1]) {
        t++;
    }
    *key = e->shape[e->code[t]].key[o - e->base[t]];
    return e->shape[e->code[t]].kind[o - e->base[t]];
}

/* Returns whether a mini-transaction reads its own write. */
static bool reads_own(const enumeration *e) {
    bool own = false;
    for (uint32_t t = 0; t < e->n_txns && e->what->mini; t++) {
        for (uint32_t o = e->base[t]; o < e->base[t + 1]; o++) {
            own |= e->shape[e->code[t]].kind[o - e->base[t]] == ISO_READ && e->value[o] >= WRITE + e->base[t] &&
                   e->value[o] < WRITE + e->base[t + 1];
        }
    }
    return own;
}

/* Every assignment of values to the reads of the shape. */
static bool visit_shape(enumeration *e) {
    uint8_t choice[KEYS][TXNS * MOST_OPS + WRITE], n_choices[KEYS], at[TXNS * MOST_OPS] = {0}, key[TXNS * MOST_OPS];
    e->base[0] = 0;
    for (uint32_t t = 0; t < e->n_txns; t++) {
        e->base[t + 1] = (uint8_t)(e->base[t] + e->shape[e->code[t]].n);
    }
    for (uint32_t k = 0; k < e->what->keys; k++) {
        n_choices[k] = 0;
        if (!e->what->no_thin_air) {
            choice[k][n_choices[k]++] = THIN_AIR;
        }
        choice[k][n_choices[k]++] = INITIAL;
    }
    e->n_reads = 0;
    for (uint8_t o = 0; o < e->base[e->n_txns]; o++) {
        if (kind_of(e, o, &key[o]) == ISO_READ) {
            e->reads[e->n_reads++] = o;
        } else {
            choice[key[o]][n_choices[key[o]]++] = (uint8_t)(WRITE + o);
        }
    }
    for (uint32_t i = 0; i < e->n_reads; i++) {
        e->value[e->reads[i]] = choice[key[e->reads[i]]][0];
    }
    for (;;) {
        if (!reads_own(e) && values_are_least(e) && !visit(e)) {
            return false;
        }
        uint32_t i = 0;
        for (; i < e->n_reads; i++) {
            uint8_t o = e->reads[i];
            at[o] = (uint8_t)(at[o] + 1 == n_choices[key[o]] ? 0 : at[o] + 1);
            e->value[o] = choice[key[o]][at[o]];
            if (at[o] != 0) {
                break;
            }
        }
        if (i == e->n_reads) {
            return true;
        }
    }
}

static bool visit_split(enumeration *e) {
    list_renamings(e);
    memset(e->code, 0, sizeof e->code);
    for (;;) {
        bool mine = e->what->parts == 0 || e->n_shapes % e->what->parts == e->what->part;
        if (shape_is_least(e)) {
            e->n_shapes++;
            if (mine && !visit_shape(e)) {
                return false;
            }
        }
        uint32_t t = 0;
        while (t < e->n_txns && ++e->code[t] == e->n_codes) {
            e->code[t++] = 0;
        }
        if (t == e->n_txns) {
            return true;
        }
    }
}

/* Visits every division of n transactions into sessions: the partitions of n into decreasing parts. */
static bool visit_splits(enumeration *e) {
    e->n_sessions = 1;
    e->length[0] = e->n_txns;
    while (visit_split(e)) {
        uint32_t rest = 0;
        while (e->n_sessions > 0 && e->length[e->n_sessions - 1] == 1) {
            rest++;
            e->n_sessions--;
        }
        if (e->n_sessions == 0) {
            return true;
        }
        uint32_t most = --e->length[e->n_sessions - 1];
        for (rest++; rest > 0; rest -= e->length[e->n_sessions++]) {
            e->length[e->n_sessions] = rest < most ? rest : most;
        }
    }
    return false;
}

uint64_t iso_enumerate(iso_pool *pool, const iso_enumeration *what, iso_enumerate_fn *fn, void *arg) {
    if (what->txns > TXNS || what->ops > OPS || what->keys > KEYS || what->keys == 0) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "at most %d transactions, %d operations and %d keys can be enumerated",
                  TXNS, OPS, KEYS);
    }
    enumeration e = {.pool = pool, .what = what, .fn = fn, .arg = arg};
    list_shapes(&e);
    bool on = true;
    for (e.n_txns = what->exactly ? what->txns : 1; on && e.n_txns <= what->txns; e.n_txns++) {
        on = visit_splits(&e);
    }
    return e.count;
}
