/* Copies histories with parts left out. See edit.h. */
#include <stdio.h>

#include "shrink/edit.h"

typedef struct copy {
    iso_pool *pool;
    const isolab_history *h;
    const iso_edit *e;
    iso_builder *b;
    uint8_t *gone; /* by version: a write of it is left out */
    bool renumber; /* values become the numbers of their versions, so that two keys can be merged */
} copy;

static bool is_out(const copy *c, uint32_t op) {
    const iso_edit *e = c->e;
    return (e->no_txn != NULL && e->no_txn[c->h->op_txn[op]]) || (e->no_op != NULL && e->no_op[op]) ||
           (e->no_key != ISO_NONE && c->h->op_key[op] == e->no_key) || op == e->fresh_op ||
           (e->nil_version != ISO_NONE && c->h->op_kind[op] == ISO_WRITE && c->h->op_version[op] == e->nil_version);
}

/* Returns whether writes of a version from which this transaction may have read are left out: all of them, or for a
 * slice any. A write that began after the transaction's end is none of them. */
static bool is_lost(const copy *c, uint32_t version, uint32_t reader) {
    const isolab_history *h = c->h;
    if (!c->gone[version]) {
        return false;
    }
    uint32_t n, kept = iso_version_is_initial(h, version), gone = 0;
    const uint32_t *writer = iso_writers(h, version, &n);
    for (uint32_t i = 0; i < n && (c->e->slice || kept == 0); i++) {
        uint32_t t = h->op_txn[writer[i]];
        bool out = is_out(c, writer[i]), may = !iso_before_in_time(h, reader, t);
        if (out && may && c->e->slice && h->txn_counts[t] != ISO_EXCLUDED) {
            return true;
        }
        gone += out;
        kept += !out && may;
    }
    return gone > 0 && kept == 0;
}

static iso_atom atom(copy *c, iso_atom a) {
    if (a.kind != ISO_ATOM_STRING) {
        return a;
    }
    uint64_t length;
    const char *bytes = iso_string(c->h, a.bits, &length);
    return iso_builder_string(c->b, bytes, (size_t)length);
}

static iso_atom value(copy *c, uint32_t version) {
    iso_atom a = iso_version_value(c->h, version);
    return a.kind == ISO_ATOM_NIL ? a : c->renumber ? iso_atom_uint((uint64_t)version + 1) : atom(c, a);
}

static uint32_t key(copy *c, uint32_t k) {
    return iso_builder_key(c->b, atom(c, c->h->key_name[k == c->e->key ? c->e->same_as : k]));
}

static void copy_list(copy *c, uint32_t txn, uint32_t op) {
    const isolab_history *h = c->h;
    uint32_t first = h->list_first[h->op_version[op]], n = h->list_first[h->op_version[op] + 1] - first, kept = 0;
    iso_atom *element = ISO_NEW(c->pool, iso_atom, n);
    bool slice = c->e->slice;
    for (uint32_t i = 0; i < n; i++) {
        bool out = (op == c->e->list_op && i == c->e->no_element) ||
                   ((slice || !c->e->orphans) && is_lost(c, h->list_version[first + i], h->op_txn[op]));
        if (!out) {
            element[kept++] = value(c, h->list_version[first + i]);
        }
    }
    if (!slice || kept == n) {
        iso_builder_list_read(c->b, txn, key(c, h->op_key[op]), element, kept);
    }
    iso_free(c->pool, element);
}

static void copy_op(copy *c, uint32_t txn, uint32_t op) {
    const isolab_history *h = c->h;
    if (op == c->e->fresh_op) {
        iso_builder_op(c->b, txn, (iso_op_kind)h->op_kind[op], key(c, h->op_key[op]),
                       iso_atom_uint((uint64_t)h->n_versions + 1));
    } else if (h->op_kind[op] == ISO_READ && h->op_version[op] == c->e->nil_version) {
        iso_builder_op(c->b, txn, ISO_READ, key(c, h->op_key[op]), iso_atom_nil());
    } else if (is_out(c, op) ||
               (h->op_kind[op] == ISO_READ && !c->e->orphans && is_lost(c, h->op_version[op], h->op_txn[op]))) {
        return;
    } else if (h->op_kind[op] == ISO_LIST_READ) {
        copy_list(c, txn, op);
    } else {
        iso_builder_op(c->b, txn, (iso_op_kind)h->op_kind[op], key(c, h->op_key[op]),
                       op == c->e->nil_op ? iso_atom_nil() : value(c, h->op_version[op]));
    }
}

/* Returns a name for an unnamed item: the number that messages show. */
static iso_atom numbered(copy *c, const char *before, uint32_t number) {
    char text[24];
    int n = snprintf(text, sizeof text, "%s%u", before, number + 1);
    return iso_builder_string(c->b, text, (size_t)n);
}

static void copy_session(copy *c, uint32_t s, uint32_t *session, iso_atom name) {
    const isolab_history *h = c->h;
    const iso_edit *e = c->e;
    for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
        iso_tick(c->pool->env);
        if (e->no_txn != NULL && e->no_txn[t]) {
            continue;
        }
        if (*session == ISO_NONE) { /* a session without transactions is left out */
            *session = iso_builder_session(c->b, name);
        }
        iso_status status = t == e->commit ? ISO_COMMITTED : (iso_status)h->txn_status[t];
        iso_atom id = atom(c, iso_txn_name(h, t));
        uint32_t txn =
            iso_builder_txn(c->b, *session, e->slice && id.kind == ISO_ATOM_NIL ? numbered(c, "t", t) : id, status);
        if (h->txn_start != NULL && !e->no_times && t != e->no_time) {
            iso_builder_times(c->b, txn, h->txn_start[t], h->txn_end[t]);
        }
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            copy_op(c, txn, op);
        }
    }
}

isolab_history *iso_edited(iso_pool *pool, const isolab_history *h, const iso_edit *e) {
    copy c = {pool,
              h,
              e,
              iso_builder_new(pool),
              ISO_ZNEW(pool, uint8_t, h->n_versions),
              e->key != ISO_NONE || e->fresh_op != ISO_NONE};
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o])) {
            c.gone[h->op_version[o]] |= is_out(&c, o);
        }
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        if (s == e->merge) {
            continue;
        }
        uint32_t session = ISO_NONE;
        iso_atom name = atom(&c, h->session_name[s]);
        name = e->slice && name.kind == ISO_ATOM_NIL ? numbered(&c, "s", s) : name;
        copy_session(&c, s, &session, name);
        if (s == e->follows) {
            copy_session(&c, e->merge, &session, name);
        }
    }
    iso_free(pool, c.gone);
    return iso_builder_finish(c.b);
}
