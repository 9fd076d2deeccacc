/* Recognises the initial transaction and removes it. See initial.h. */
#include "history/initial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "history/copy.h"

/* What a transaction of the input does. */
enum {
    NOTHING, /* it has no operations, or was aborted */
    LOADS,   /* it committed and writes initial values only */
    OTHER,
    TAKEN /* it is the initial one */
};

typedef struct taking {
    iso_unordered *u;
    uint8_t *does;    /* by transaction */
    uint32_t *loader; /* by key: the taken transaction that writes it; ISO_NONE: none */
    iso_atom *value;  /* by key: what that transaction writes */
    uint32_t first;
} taking;

static iso_atom value_at(const iso_op_columns *c, uint64_t i) { return (iso_atom){c->value_bits[i], c->value_kind[i]}; }

static bool on_register(const iso_op_columns *c, uint64_t i) {
    return c->kind[i] == ISO_READ || c->kind[i] == ISO_WRITE;
}

static bool is_custom(const isolab_history *h, iso_atom value) {
    return h->custom.kind != ISO_ATOM_NIL && iso_atom_equal(value, h->custom);
}

static bool is_initial(const isolab_history *h, iso_atom value) {
    return value.kind == ISO_ATOM_NIL || is_custom(h, value);
}

bool iso_initial_rule_of(const char *word, iso_initial_rule *rule) {
    static const char *const words[] = {
        [ISO_INITIAL_AUTO] = "auto", [ISO_INITIAL_NO] = "no", [ISO_INITIAL_YES] = "yes"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, words[i]) == 0) {
            *rule = (iso_initial_rule)i;
            return true;
        }
    }
    return false;
}

/* Returns a text as an integer if it has the form of one, else as a string. */
static iso_atom atom_of_text(iso_builder *b, const char *text) {
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    size_t n = strspn(digits, "0123456789");
    uint64_t value = 0;
    bool number = n > 0 && digits[n] == '\0' && (digits[0] != '0' || (n == 1 && !negative));
    for (size_t i = 0; number && i < n; i++) {
        number = !__builtin_mul_overflow(value, (uint64_t)10, &value) &&
                 !__builtin_add_overflow(value, (uint64_t)(digits[i] - '0'), &value);
    }
    if (!number || (negative && value > (uint64_t)INT64_MAX + 1)) {
        return iso_builder_string(b, text, strlen(text));
    }
    return negative ? iso_atom_int((int64_t)(0 - value)) : iso_atom_uint(value);
}

static void make_nil(iso_unordered *u, iso_atom value) {
    iso_op_columns *c = u->ops;
    for (uint64_t i = 0; i < c->n; i++) {
        if (on_register(c, i) && iso_atom_equal(iso_atom_excluded(value_at(c, i)), value)) {
            c->value_kind[i] = ISO_ATOM_NIL | (c->value_kind[i] & ISO_ATOM_NOT);
            c->value_bits[i] = 0;
        }
    }
    if (u->h->initial.kind == ISO_ATOM_NIL) {
        u->h->initial = value;
    }
}

static uint32_t first_of(const iso_unordered *u) {
    if (u->first != ISO_NONE) {
        return u->first;
    }
    const iso_op_columns *c = u->ops;
    for (uint64_t i = 0; i < c->n; i++) {
        if (u->txn_status[c->txn[i]] != ISO_ABORTED) {
            return c->txn[i];
        }
    }
    return ISO_NONE;
}

/* A quick test: returns false if the first operation already rules out an initial transaction. This covers most
 * histories. */
static bool may_load(const iso_unordered *u, uint32_t first) {
    const iso_op_columns *c = u->ops;
    bool has_value = u->h->initial.kind != ISO_ATOM_NIL || u->h->custom.kind != ISO_ATOM_NIL;
    if (!has_value || first == ISO_NONE || u->txn_status[first] != ISO_COMMITTED) {
        return false;
    }
    uint64_t i = 0;
    while (i < c->n && c->txn[i] != first) {
        i++;
    }
    return i < c->n && c->kind[i] == ISO_WRITE && is_initial(u->h, value_at(c, i));
}

static void classify(taking *k) {
    const iso_unordered *u = k->u;
    const iso_op_columns *c = u->ops;
    k->does = ISO_ZNEW(u->pool, uint8_t, u->n_txns);
    for (uint64_t i = 0; i < c->n; i++) {
        uint32_t t = c->txn[i];
        if (u->txn_status[t] == ISO_ABORTED) {
            continue;
        }
        bool loads = u->txn_status[t] == ISO_COMMITTED && c->kind[i] == ISO_WRITE && is_initial(u->h, value_at(c, i));
        k->does[t] = loads && k->does[t] != OTHER ? LOADS : OTHER;
    }
}

/* Marks the first transaction, and the transactions after it in its session as long as they load other keys. */
static void mark_session(taking *k) {
    const iso_unordered *u = k->u;
    bool begun = false;
    for (uint32_t t = 0; t < u->n_txns; t++) {
        if (u->txn_session[t] != u->txn_session[k->first] || k->does[t] == NOTHING) {
            continue;
        }
        if (k->does[t] != LOADS || (!begun && t != k->first)) {
            return;
        }
        k->does[t] = TAKEN;
        begun = true;
    }
}

/* Fills in loader and value. A later transaction that writes a key again is an ordinary one, as are all transactions
 * after it. */
static void find_loaders(taking *k) {
    const iso_unordered *u = k->u;
    const iso_op_columns *c = u->ops;
    uint32_t end = u->n_txns;
    k->loader = ISO_NEW_NONE(u->pool, u->h->n_keys);
    k->value = ISO_NEW(u->pool, iso_atom, u->h->n_keys);
    for (uint64_t i = 0; i < c->n; i++) {
        uint32_t t = c->txn[i], *loader = &k->loader[c->key[i]];
        if (k->does[t] != TAKEN) {
            continue;
        }
        if (*loader != ISO_NONE && *loader != t) {
            uint32_t later = *loader > t ? *loader : t;
            end = later < end ? later : end;
        }
        *loader = *loader < t ? *loader : t;
        k->value[c->key[i]] = value_at(c, i);
    }
    for (uint32_t t = end; t < u->n_txns; t++) {
        k->does[t] = k->does[t] == TAKEN ? LOADS : k->does[t];
    }
    for (uint32_t key = 0; key < u->h->n_keys; key++) {
        k->loader[key] = k->loader[key] < end ? k->loader[key] : ISO_NONE;
    }
}

/* Returns whether the customary value occurs with a key that no taken transaction wrote: then it is an ordinary
 * value. */
static bool custom_elsewhere(const taking *k) {
    const iso_unordered *u = k->u;
    const iso_op_columns *c = u->ops;
    bool elsewhere = false;
    for (uint64_t i = 0; i < c->n; i++) {
        elsewhere |= on_register(c, i) && k->loader[c->key[i]] == ISO_NONE &&
                     is_custom(u->h, iso_atom_excluded(value_at(c, i))) && u->txn_status[c->txn[i]] != ISO_ABORTED;
    }
    return elsewhere;
}

/* Returns whether another transaction ended before a taken one started. */
static bool too_late(const taking *k) {
    const iso_unordered *u = k->u;
    int64_t start = INT64_MIN;
    bool late = false;
    for (uint32_t t = 0; u->txn_start != NULL && t < u->n_txns; t++) {
        start = k->does[t] == TAKEN && u->txn_start[t] > start ? u->txn_start[t]
                                                               : start; /* ISO_NO_TIME is the smallest number */
    }
    for (uint32_t t = 0; u->txn_start != NULL && t < u->n_txns; t++) {
        late |= k->does[t] != TAKEN && u->txn_end[t] != ISO_NO_TIME && u->txn_end[t] < start;
    }
    return late;
}

/* Returns a value, used nowhere in the history, for reads of nil if nil is not the initial value. */
static iso_atom other_than_nil(iso_unordered *u) {
    if (u->h->initial.kind != ISO_ATOM_NIL) {
        return u->h->initial;
    }
    char text[64] = "nil";
    for (size_t n = 3; n < sizeof text - 1; n++) {
        iso_atom a = iso_builder_string(u->b, text, n);
        if (a.bits >= u->n_strings) {
            return a;
        }
        text[n] = '\'';
    }
    return iso_builder_string(u->b, text, sizeof text - 1);
}

/* Changes the values of loaded keys: the loaded value becomes nil, and nil becomes another value if the format's own
 * initial value was overwritten. */
static void change_values(const taking *k) {
    iso_unordered *u = k->u;
    iso_op_columns *c = u->ops;
    iso_atom other = iso_atom_nil();
    for (uint64_t i = 0; i < c->n; i++) {
        uint32_t key = c->key[i];
        iso_atom value = iso_atom_excluded(value_at(c, i));
        if (!on_register(c, i) || k->loader[key] == ISO_NONE) {
            continue;
        }
        if (iso_atom_equal(value, k->value[key])) {
            value = iso_atom_nil();
        } else if (value.kind == ISO_ATOM_NIL && !is_initial(u->h, k->value[key])) {
            value = other = other.kind == ISO_ATOM_NIL ? other_than_nil(u) : other;
        }
        c->value_kind[i] = value.kind | (c->value_kind[i] & ISO_ATOM_NOT);
        c->value_bits[i] = value.bits;
    }
    if (other.kind != ISO_ATOM_NIL) {
        u->h->initial = iso_atom_nil(); /* it is an ordinary value now */
    }
}

/* Removes the taken operations, and the keys that no other operation uses. */
static void remove_ops(const taking *k, const uint32_t *new_txn) {
    iso_unordered *u = k->u;
    iso_op_columns *c = u->ops;
    uint32_t *new_key = ISO_NEW_NONE(u->pool, u->h->n_keys), n_keys = 0;
    uint64_t n = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        if (k->does[c->txn[i]] == TAKEN) {
            continue;
        }
        new_key[c->key[i]] = 0;
        c->txn[n] = new_txn[c->txn[i]];
        c->key[n] = c->key[i];
        c->kind[n] = c->kind[i];
        c->value_kind[n] = c->value_kind[i];
        c->value_bits[n++] = c->value_bits[i];
    }
    c->n = n;
    for (uint32_t key = 0; key < u->h->n_keys; key++) {
        if (new_key[key] != ISO_NONE) {
            u->h->key_name[n_keys] = u->h->key_name[key];
            new_key[key] = n_keys++;
        }
    }
    for (uint64_t i = 0; i < n && n_keys < u->h->n_keys; i++) {
        c->key[i] = new_key[c->key[i]];
    }
    u->h->n_keys = n_keys;
    iso_free(u->pool, new_key);
}

/* Returns new_txn: new_txn[t] is the number of transaction t without the taken ones. */
static uint32_t *remove_txns(const taking *k) {
    iso_unordered *u = k->u;
    uint32_t *new_txn = ISO_NEW(u->pool, uint32_t, u->n_txns), n = 0;
    for (uint32_t t = 0; t < u->n_txns; t++) {
        new_txn[t] = n;
        if (k->does[t] == TAKEN) {
            continue;
        }
        u->txn_session[n] = u->txn_session[t];
        u->txn_status[n] = u->txn_status[t];
        u->txn_name_kind[n] = u->txn_name_kind[t];
        u->txn_name_bits[n] = u->txn_name_bits[t];
        if (u->txn_start != NULL) {
            u->txn_start[n] = u->txn_start[t];
            u->txn_end[n] = u->txn_end[t];
        }
        if (u->txn_line != NULL) {
            u->txn_line[n] = u->txn_line[t];
        }
        if (u->txn_index != NULL) {
            u->txn_index[n] = u->txn_index[t];
        }
        n++;
    }
    u->n_txns = n;
    return new_txn;
}

static void remove_session(iso_unordered *u, uint32_t session) {
    for (uint32_t t = 0; t < u->n_txns; t++) {
        if (u->txn_session[t] == session) {
            return; /* it has other transactions */
        }
    }
    for (uint32_t t = 0; t < u->n_txns; t++) {
        u->txn_session[t] -= u->txn_session[t] > session;
    }
    iso_atom *name = u->h->session_name;
    memmove(name + session, name + session + 1, (size_t)(u->h->n_sessions - session - 1) * sizeof *name);
    u->h->n_sessions--;
}

static void take_out(const taking *k) {
    iso_unordered *u = k->u;
    uint32_t session = u->txn_session[k->first];
    iso_taken *taken = &u->h->taken;
    taken->txn = (iso_atom){u->txn_name_bits[k->first], u->txn_name_kind[k->first]};
    taken->session = u->h->session_name[session];
    taken->number = ISO_NONE;
    for (uint32_t t = 0; t < u->n_txns; t++) {
        taken->n_txns += k->does[t] == TAKEN;
    }
    for (uint32_t key = 0; key < u->h->n_keys; key++) {
        taken->n_keys += k->loader[key] != ISO_NONE;
    }
    change_values(k);
    uint32_t *new_txn = remove_txns(k);
    remove_ops(k, new_txn);
    remove_session(u, session);
    iso_free(u->pool, new_txn);
    u->h->first_txn = ISO_NONE; /* not needed any more */
}

static void free_taking(const taking *k) {
    iso_free(k->u->pool, k->does);
    iso_free(k->u->pool, k->loader);
    iso_free(k->u->pool, k->value);
}

static void take_recognised(iso_unordered *u, uint32_t first) {
    taking k = {.u = u, .first = first};
    classify(&k);
    mark_session(&k);
    if (k.does[first] == TAKEN) {
        find_loaders(&k);
        if (!custom_elsewhere(&k) && !too_late(&k)) {
            take_out(&k);
        }
    }
    free_taking(&k);
}

/* Returns the first write of the version that operation i has; UINT32_MAX: there is none. */
static uint32_t find_write(const iso_op_columns *c, const iso_index *writes, uint64_t i, uint64_t *hash) {
    *hash = iso_mix2(c->key[i], iso_mix2(c->value_bits[i], c->value_kind[i]));
    uint32_t at, w = iso_index_first(writes, *hash, &at);
    while (w != UINT32_MAX && (c->key[w] != c->key[i] || !iso_atom_equal(value_at(c, w), value_at(c, i)))) {
        w = iso_index_next(writes, *hash, &at);
    }
    return w;
}

/* Makes the only value of a key that was read and not written the initial one. */
static void take_unwritten(iso_unordered *u) {
    taking k = {
        .u = u, .loader = ISO_NEW_NONE(u->pool, u->h->n_keys), .value = ISO_NEW(u->pool, iso_atom, u->h->n_keys)};
    enum { ONE, SEVERAL };
    const iso_op_columns *c = u->ops;
    iso_index writes;
    uint64_t hash;
    iso_index_init(&writes, u->pool, 0);
    for (uint64_t i = 0; i < c->n; i++) {
        if (c->kind[i] == ISO_WRITE && find_write(c, &writes, i, &hash) == UINT32_MAX) {
            iso_index_add(&writes, hash, (uint32_t)i);
        }
    }
    for (uint64_t i = 0; i < c->n; i++) {
        uint32_t *found = &k.loader[c->key[i]];
        iso_atom value = value_at(c, i);
        if (c->kind[i] == ISO_READ && u->txn_status[c->txn[i]] != ISO_ABORTED && value.kind != ISO_ATOM_NIL &&
            !iso_atom_is_not(value) && find_write(c, &writes, i, &hash) == UINT32_MAX) {
            *found = *found == ISO_NONE || (*found == ONE && iso_atom_equal(value, k.value[c->key[i]])) ? ONE : SEVERAL;
            k.value[c->key[i]] = value;
        }
    }
    iso_index_free(&writes);
    for (uint32_t key = 0; key < u->h->n_keys; key++) {
        k.loader[key] = k.loader[key] == SEVERAL ? ISO_NONE : k.loader[key];
        u->h->taken.n_unwritten += k.loader[key] == ONE;
    }
    change_values(&k);
    free_taking(&k);
}

static _Noreturn void refuse(iso_unordered *u, const char *why) {
    iso_throw(u->pool->env, ISOLAB_E_INPUT,
              "expected a first transaction that can be the initial one (--initial-transaction yes), found one that %s",
              why);
}

/* Takes the first transaction under --initial-transaction yes; it may write any values. */
static void take_forced(iso_unordered *u) {
    taking k = {.u = u, .first = u->first, .does = ISO_ZNEW(u->pool, uint8_t, u->n_txns)};
    const iso_op_columns *c = u->ops;
    if (u->txn_status[u->first] != ISO_COMMITTED) {
        refuse(u, "did not commit");
    }
    k.does[u->first] = TAKEN;
    find_loaders(&k);
    for (uint64_t i = 0; i < c->n; i++) {
        if (c->txn[i] == u->first && (c->kind[i] != ISO_WRITE || !iso_atom_equal(value_at(c, i), k.value[c->key[i]]))) {
            refuse(u, c->kind[i] != ISO_WRITE ? "does more than write registers" : "writes two values to one key");
        }
    }
    if (too_late(&k)) {
        refuse(u, "started after another one had ended");
    }
    take_out(&k);
    free_taking(&k);
}

void iso_initial_take(iso_unordered *u) {
    bool unwritten = u->how->initial != NULL && strcmp(u->how->initial, ISO_INITIAL_UNWRITTEN) == 0;
    if (u->how->initial != NULL && !unwritten) {
        make_nil(u, atom_of_text(u->b, u->how->initial));
    }
    uint32_t first = u->h->first_txn = first_of(u);
    if (u->forced) {
        take_forced(u);
    } else if (u->how->rule != ISO_INITIAL_NO && may_load(u, first)) {
        take_recognised(u, first);
    }
    /* with ISO_INITIAL_YES a transaction is taken at the latest when the history is read again */
    if (unwritten && (u->forced || u->how->rule != ISO_INITIAL_YES || u->h->taken.n_txns != 0)) {
        take_unwritten(u);
    }
}

/* ---- of finished histories ---- */

/* Returns whether a format that holds only registers leaves the operation out: it is of a list, or a negation. */
static bool left_out(const isolab_history *h, uint32_t o) {
    return h->op_kind[o] != ISO_WRITE && (h->op_kind[o] != ISO_READ || iso_version_is_negation(h, h->op_version[o]));
}

/* Returns whether the transaction only writes nil or value_too, and writes at least once. registers: without the
 * operations that left_out() names. */
static bool loads(const isolab_history *h, uint32_t t, iso_atom value_too, bool registers) {
    bool any = false, yes = h->txn_status[t] == ISO_COMMITTED;
    for (uint32_t o = h->txn_op[t]; yes && o < h->txn_op[t + 1]; o++) {
        if (registers && left_out(h, o)) {
            continue;
        }
        any = true;
        yes = h->op_kind[o] == ISO_WRITE; /* only a write has a version; a list read has a list */
        iso_atom value = yes ? iso_version_value(h, h->op_version[o]) : iso_atom_nil();
        yes = yes && (value.kind == ISO_ATOM_NIL || iso_atom_equal(value, value_too));
    }
    return any && yes;
}

static uint32_t first_txn(const isolab_history *h, bool registers) {
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && h->txn_status[t] != ISO_ABORTED; o++) {
            if (!registers || !left_out(h, o)) {
                return t;
            }
        }
    }
    return ISO_NONE;
}

static bool begins(const isolab_history *h, iso_atom initial, bool registers) {
    uint32_t t = first_txn(h, registers);
    return initial.kind != ISO_ATOM_NIL && t != ISO_NONE && loads(h, t, initial, registers);
}

uint32_t iso_initial_first(const isolab_history *h) { return first_txn(h, false); }

bool iso_initial_begins(const isolab_history *h, iso_atom initial) { return begins(h, initial, false); }

bool iso_initial_begins_registers(const isolab_history *h, iso_atom initial) { return begins(h, initial, true); }

/* Returns the only transaction of a session that has operations and was not aborted; ISO_NONE: there is not exactly
 * one. */
static uint32_t only_txn(const isolab_history *h, uint32_t session) {
    uint32_t only = ISO_NONE;
    for (uint32_t t = h->session_txn[session]; t < h->session_txn[session + 1]; t++) {
        if (h->txn_status[t] == ISO_ABORTED || h->txn_op[t] == h->txn_op[t + 1]) {
            continue;
        }
        if (only != ISO_NONE) {
            return ISO_NONE;
        }
        only = t;
    }
    return only;
}

/* Returns whether a transaction with as many writes as there are registers writes each key once. */
static bool writes_each_once(iso_pool *pool, const isolab_history *h, uint32_t t) {
    uint8_t *written = ISO_ZNEW(pool, uint8_t, h->n_keys);
    bool once = true;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        once &= !written[h->op_key[o]];
        written[h->op_key[o]] = true;
    }
    iso_free(pool, written);
    return once;
}

uint32_t iso_initial_alone(iso_pool *pool, const isolab_history *h) {
    uint32_t n_registers = 0;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        n_registers += !h->key_is_list[k];
    }
    bool has_value = h->initial.kind != ISO_ATOM_NIL || h->custom.kind != ISO_ATOM_NIL;
    for (uint32_t s = 0; has_value && n_registers > 1 && s < h->n_sessions; s++) {
        uint32_t t = only_txn(h, s);
        if (t != ISO_NONE && h->txn_op[t + 1] - h->txn_op[t] == n_registers && loads(h, t, h->custom, false) &&
            writes_each_once(pool, h, t)) {
            return t;
        }
    }
    return ISO_NONE;
}

/* Returns h read again as `how` says, with transaction `first` as the initial one; ISO_NONE: with none. */
static isolab_history *again(iso_pool *pool, const isolab_history *h, const iso_reading *how, uint32_t first) {
    iso_builder *b = iso_builder_new(pool);
    iso_builder_initial(b, h->initial);
    iso_builder_custom(b, h->custom);
    iso_builder_reading(b, how);
    iso_copy_all(pool, b, h); /* the transactions keep their numbers */
    if (first != ISO_NONE) {
        iso_builder_first(b, first, true);
    }
    isolab_history *made = iso_builder_finish(b);
    made->taken.number = first == h->first_txn ? ISO_NONE : first;
    return made;
}

isolab_history *iso_initial_settle(iso_pool *pool, isolab_history *h, const iso_reading *how, bool built) {
    if (!built && (how->initial != NULL || (how->rule != ISO_INITIAL_NO && iso_initial_begins(h, h->initial)))) {
        h = again(pool, h, how, ISO_NONE);
    }
    if (how->rule != ISO_INITIAL_YES || h->taken.n_txns != 0) {
        return h;
    }
    uint32_t first = iso_initial_alone(pool, h);
    first = first == ISO_NONE ? h->first_txn : first;
    if (first == ISO_NONE) {
        iso_throw(
            pool->env, ISOLAB_E_INPUT,
            "expected a transaction that can be the initial one (--initial-transaction yes), found no operations");
    }
    return again(pool, h, how, first);
}

const char *iso_taken_text(const isolab_history *h, char buffer[ISO_TAKEN_SIZE]) {
    const iso_taken *t = &h->taken;
    char name[ISO_NAME_SIZE], txn[ISO_NAME_SIZE + 16] = "the first transaction", session[ISO_NAME_SIZE];
    char of[ISO_NAME_SIZE + 16] = "", which[ISO_NAME_SIZE + 80];
    bool one = t->n_txns == 1;
    if (t->txn.kind != ISO_ATOM_NIL) {
        snprintf(txn, sizeof txn, "transaction %s", iso_atom_text(h, t->txn, name));
    } else if (t->number != ISO_NONE) {
        snprintf(txn, sizeof txn, "transaction t%u", t->number);
    }
    if (t->session.kind != ISO_ATOM_NIL) {
        snprintf(of, sizeof of, " of session %s", iso_atom_text(h, t->session, session));
    }
    snprintf(which, sizeof which, "%u transactions, from %s on,", t->n_txns, txn);
    size_t n = 0;
    buffer[0] = '\0';
    if (t->last_line != 0) {
        n += (size_t)snprintf(buffer, ISO_TAKEN_SIZE, "the input is cut off: it is judged up to line %" PRIu64,
                              t->last_line);
    }
    if (t->n_unwritten != 0) {
        n += (size_t)snprintf(buffer + n, ISO_TAKEN_SIZE - n,
                              "%svalues of %u key%s that no transaction wrote are taken as initial ones",
                              n == 0 ? "" : "; ", t->n_unwritten, t->n_unwritten == 1 ? "" : "s");
    }
    if (t->n_txns != 0) {
        snprintf(buffer + n, ISO_TAKEN_SIZE - n, "%s%s%s %s taken as the initial one: %s %u key%s", n == 0 ? "" : "; ",
                 one ? txn : which, of, one ? "is" : "are", one ? "it writes" : "they write", t->n_keys,
                 t->n_keys == 1 ? "" : "s");
    }
    return buffer;
}
