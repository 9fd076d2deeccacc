/* The join of reads with writes. See resolve.h. */
#include "history/resolve.h"

#include <string.h>

#include "base/hash.h"

/* Versions found so far, by (key, value): open addressing over version numbers. */
typedef struct join {
    isolab_history *h;
    uint32_t *slot;
    uint64_t mask;
    uint32_t room; /* of the version arrays */
} join;

static uint64_t hash_version(uint32_t key, uint8_t kind, uint64_t bits) {
    return iso_mix2(bits + kind, key);
}

static void grow_slots(join *j) {
    isolab_history *h = j->h;
    iso_free(h->pool, j->slot);
    uint64_t room = 2 * (j->mask + 1);
    j->slot = ISO_NEW(h->pool, uint32_t, room);
    memset(j->slot, 0xff, room * sizeof *j->slot);
    j->mask = room - 1;
    for (uint32_t v = 0; v < h->n_versions; v++) {
        uint64_t at = hash_version(h->version_key[v], h->version_kind[v], h->version_bits[v]) & j->mask;
        while (j->slot[at] != ISO_NONE) {
            at = (at + 1) & j->mask;
        }
        j->slot[at] = v;
    }
}

static uint32_t version_of(join *j, uint32_t key, iso_atom value) {
    isolab_history *h = j->h;
    uint64_t at = hash_version(key, value.kind, value.bits) & j->mask;
    for (uint32_t v; (v = j->slot[at]) != ISO_NONE; at = (at + 1) & j->mask) {
        if (h->version_key[v] == key && h->version_bits[v] == value.bits && h->version_kind[v] == value.kind) {
            return v;
        }
    }
    uint32_t v = h->n_versions;
    if (v == j->room) {
        j->room = j->room < 16 ? 64 : 2 * j->room;
        h->version_key = iso_resize(h->pool, h->version_key, j->room, sizeof *h->version_key);
        h->version_kind = iso_resize(h->pool, h->version_kind, j->room, sizeof *h->version_kind);
        h->version_bits = iso_resize(h->pool, h->version_bits, j->room, sizeof *h->version_bits);
        h->version_writer = iso_resize(h->pool, h->version_writer, j->room, sizeof *h->version_writer);
    }
    if (v >= ISO_ID_MAX) {
        iso_throw(h->pool->env, ISOLAB_E_INPUT, "more than %u distinct values: a history cannot hold them",
                  ISO_ID_MAX);
    }
    h->version_key[v] = key;
    h->version_kind[v] = value.kind;
    h->version_bits[v] = value.bits;
    h->version_writer[v] = value.kind == ISO_ATOM_NIL ? ISO_INIT : ISO_NONE;
    h->n_versions++;
    j->slot[at] = v;
    if (2 * (uint64_t)h->n_versions > j->mask) {
        grow_slots(j);
    }
    return v;
}

/* Makes reads of nil from lists list reads, which share one empty list behind the others. */
static void empty_nil_lists(isolab_history *h, const iso_values *values) {
    uint32_t empty = ISO_NONE;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] != ISO_READ || !h->key_is_list[h->op_key[o]]) {
            continue;
        }
        if (empty == ISO_NONE) {
            empty = h->n_lists++;
            h->list_first = iso_resize(h->pool, h->list_first, (size_t)h->n_lists + 1, sizeof *h->list_first);
            h->list_first[h->n_lists] = h->list_first[empty];
        }
        h->op_kind[o] = ISO_LIST_READ;
        values->bits[o] = empty;
    }
}

/* A key is a register or a list, never both. Reading nil fits both: of a list it is a read of the empty list. A key
 * of which only nil was read is a list where all other keys are. */
static void classify_keys(isolab_history *h, const iso_values *values) {
    enum { REGISTER = 1, LIST = 2 };
    h->key_is_list = ISO_ZNEW(h->pool, uint8_t, h->n_keys);
    uint8_t *seen = ISO_ZNEW(h->pool, uint8_t, h->n_keys), any = 0;
    bool nils = false;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t key = h->op_key[o];
        bool list = h->op_kind[o] == ISO_APPEND || h->op_kind[o] == ISO_LIST_READ;
        if (h->op_kind[o] == ISO_READ && values->kind[o] == ISO_ATOM_NIL) {
            nils = true;
            continue;
        }
        seen[key] |= list ? LIST : REGISTER;
        any |= seen[key];
        if (seen[key] == (REGISTER | LIST)) {
            char name[ISO_NAME_SIZE];
            iso_throw(h->pool->env, ISOLAB_E_INPUT,
                      "key %s is used both as a register and as a list: expected one of the two",
                      iso_key_text(h, key, name));
        }
        h->key_is_list[key] = list;
    }
    h->has_lists = any & LIST;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        h->key_is_list[k] |= any == LIST && seen[k] == 0;
    }
    iso_free(h->pool, seen);
    if (h->has_lists && nils) {
        empty_nil_lists(h, values);
    }
}

static void add_writer(isolab_history *h, uint32_t version, uint32_t op) {
    uint32_t before = h->version_writer[version];
    if (before == ISO_NONE) {
        h->version_writer[version] = op;
        return;
    }
    if (h->unique) {
        h->unique = false;
        h->twin_a = before;
        h->twin_b = op;
    }
    h->version_writer[version] = ISO_MANY;
}

static void list_writers(isolab_history *h) {
    h->writers_first = ISO_ZNEW(h->pool, uint32_t, (size_t)h->n_versions + 1);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o])) {
            h->writers_first[h->op_version[o] + 1]++;
        }
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        h->writers_first[v + 1] += h->writers_first[v];
    }
    h->writers_op = ISO_NEW(h->pool, uint32_t, h->writers_first[h->n_versions]);
    uint32_t *next = ISO_NEW(h->pool, uint32_t, h->n_versions);
    memcpy(next, h->writers_first, (size_t)h->n_versions * sizeof *next);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o])) {
            h->writers_op[next[h->op_version[o]]++] = o;
        }
    }
    iso_free(h->pool, next);
}

/* Marks the indeterminate writer of one read of a transaction that takes part (or may). */
static void observe(isolab_history *h, uint32_t reader, uint32_t write, bool certain, uint32_t *stack,
                    uint32_t *top) {
    uint32_t t = h->op_txn[write];
    if (t == reader || h->txn_status[t] != ISO_INDETERMINATE) {
        return;
    }
    uint8_t to = certain && h->txn_counts[reader] == ISO_IN ? ISO_IN : ISO_OPEN;
    if (h->txn_counts[t] == to || h->txn_counts[t] == ISO_IN) {
        return;
    }
    h->txn_counts[t] = to;
    stack[(*top)++] = t;
}

static void observe_version(isolab_history *h, uint32_t reader, uint32_t version, uint32_t *stack,
                            uint32_t *top) {
    uint32_t n;
    const uint32_t *writers = iso_writers(h, version, &n);
    bool certain = n == 1 && !iso_version_is_initial(h, version);
    for (uint32_t i = 0; i < n; i++) {
        observe(h, reader, writers[i], certain, stack, top);
    }
}

/* Which transactions take part: a graph search from the committed ones along reads-from. A transaction is
 * pushed at most twice (as OPEN, then as IN). */
static void settle(isolab_history *h) {
    h->txn_counts = ISO_NEW(h->pool, uint8_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        h->txn_counts[t] = h->txn_status[t] == ISO_COMMITTED ? ISO_IN : ISO_OUT;
    }
    if (h->n_indeterminate == 0) {
        return;
    }
    uint32_t *stack = ISO_NEW(h->pool, uint32_t, (size_t)h->n_committed + 2 * (size_t)h->n_indeterminate);
    uint32_t top = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_IN) {
            stack[top++] = t;
        }
    }
    while (top > 0) {
        uint32_t t = stack[--top];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (h->op_kind[o] == ISO_READ) {
                observe_version(h, t, h->op_version[o], stack, &top);
            } else if (h->op_kind[o] == ISO_LIST_READ) {
                uint32_t l = h->op_version[o];
                for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
                    observe_version(h, t, h->list_version[e], stack, &top);
                }
            }
        }
    }
    iso_free(h->pool, stack);
}

void iso_resolve(isolab_history *h, const iso_values *values) {
    iso_env *env = h->pool->env;
    classify_keys(h, values);
    join j = {.h = h, .mask = 1023};
    j.slot = ISO_NEW(h->pool, uint32_t, j.mask + 1);
    memset(j.slot, 0xff, (j.mask + 1) * sizeof *j.slot);
    h->unique = true;
    h->twin_a = h->twin_b = ISO_NONE;
    h->op_version = ISO_NEW(h->pool, uint32_t, h->n_ops);
    h->list_version = ISO_NEW(h->pool, uint32_t, h->list_first[h->n_lists]);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        iso_tick(env);
        uint32_t key = h->op_key[o];
        if (h->op_kind[o] == ISO_LIST_READ) {
            uint32_t l = (uint32_t)values->bits[o];
            h->op_version[o] = l;
            for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
                h->list_version[e] = version_of(&j, key, values->element[e]);
            }
            continue;
        }
        h->op_version[o] = version_of(&j, key, (iso_atom){values->bits[o], values->kind[o]});
        if (iso_is_write(h->op_kind[o])) {
            add_writer(h, h->op_version[o], o);
        }
    }
    iso_free(h->pool, j.slot);
    if (!h->unique) {
        list_writers(h);
    }
    h->op_writer = ISO_NEW(h->pool, uint32_t, h->n_ops);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_READ) {
            h->op_writer[o] = h->version_writer[h->op_version[o]];
        } else if (h->op_kind[o] == ISO_LIST_READ) {
            uint32_t l = h->op_version[o];
            h->op_writer[o] = h->list_first[l] == h->list_first[l + 1]
                                  ? ISO_INIT
                                  : h->version_writer[h->list_version[h->list_first[l + 1] - 1]];
        } else {
            h->op_writer[o] = ISO_NONE;
        }
    }
    settle(h);
}
