/* The public interface: transactions and their operations, and an anomaly as transactions and edges. See
 * include/isolab.h. */
#include <stdlib.h>
#include <string.h>

#include "explain/story.h"
#include "library/library.h"

static const char *copy(iso_pool *pool, const char *text) { return iso_copy_text(pool, text, strlen(text)); }

static uint64_t number_of(const isolab_history *h, uint32_t txn) { return txn < h->n_txns ? txn : ISOLAB_INITIAL; }

static uint64_t place_in_txn(const isolab_history *h, uint32_t op) {
    return op < h->n_ops ? op - h->txn_op[h->op_txn[op]] + 1 : 0;
}

static isolab_value value_of(iso_pool *pool, const isolab_history *h, iso_atom atom) {
    char text[ISO_NAME_SIZE];
    switch (atom.kind) {
    case ISO_ATOM_NIL:
        return isolab_nil();
    case ISO_ATOM_INT:
        return isolab_int((int64_t)atom.bits);
    case ISO_ATOM_STRING:
        return isolab_text(iso_string(h, atom.bits, NULL));
    default: /* an integer that does not fit in a signed number */
        return isolab_text(copy(pool, iso_atom_text(h, atom, text)));
    }
}

static isolab_txn transaction(iso_pool *pool, const isolab_history *h, uint32_t t) {
    static const char *const unit[] = {[ISO_TIME_NS] = "ns", [ISO_TIME_INDEX] = "index", [ISO_TIME_PLACE] = "place"};
    static const isolab_status status[] = {
        [ISO_COMMITTED] = ISOLAB_COMMITTED, [ISO_ABORTED] = ISOLAB_ABORTED, [ISO_INDETERMINATE] = ISOLAB_INDETERMINATE};
    char text[ISO_NAME_SIZE];
    uint32_t s = h->txn_session[t], line = h->txn_line != NULL ? h->txn_line[t] : ISO_NONE;
    uint32_t index = h->txn_index != NULL ? h->txn_index[t] : ISO_NONE;
    return (isolab_txn){
        .number = t,
        .name = copy(pool, iso_txn_text(h, t, text)),
        .id = value_of(pool, h, iso_txn_name(h, t)),
        .session = copy(pool, iso_word_session(h, s, text)),
        .session_number = s,
        .number_in_session = t - h->session_txn[s] + 1,
        .line = line != ISO_NONE ? line : 0,
        .index = index != ISO_NONE ? index : ISOLAB_NO_INDEX,
        .status = status[h->txn_status[t]],
        .start = h->txn_start != NULL ? h->txn_start[t] : ISOLAB_NO_TIME,
        .end = h->txn_end != NULL ? h->txn_end[t] : ISOLAB_NO_TIME,
        .time_unit = h->txn_start != NULL || h->txn_end != NULL ? unit[h->time_unit] : NULL,
    };
}

struct isolab_reader {
    iso_env env;
    iso_pool pool; /* of the transaction and its operations */
    const isolab_history *h;
    uint32_t n_ops;
    isolab_txn txn;
    isolab_op *op;
};

static isolab_op operation(iso_pool *pool, const isolab_history *h, uint32_t o) {
    char text[256];
    uint32_t v = h->op_version[o];
    isolab_op op = {.kind = (isolab_kind)h->op_kind[o],
                    .key = value_of(pool, h, h->key_name[h->op_key[o]]),
                    .text = copy(pool, iso_op_text(h, o, text, sizeof text))};
    if (h->op_kind[o] != ISO_LIST_READ) {
        op.is_not = iso_op_is_negation(h, o);
        op.value = value_of(pool, h, iso_atom_excluded(iso_version_value(h, v)));
        return op;
    }
    op.n_elements = h->list_first[v + 1] - h->list_first[v];
    isolab_value *element = ISO_NEW(pool, isolab_value, op.n_elements);
    for (uint32_t i = 0; i < op.n_elements; i++) {
        element[i] = value_of(pool, h, iso_version_value(h, h->list_version[h->list_first[v] + i]));
    }
    op.elements = element;
    return op;
}

static void go_to_txn(void *arg) {
    isolab_reader *r = arg;
    uint32_t t = (uint32_t)r->txn.number, first = r->h->txn_op[t], n = r->h->txn_op[t + 1] - first;
    r->txn = transaction(&r->pool, r->h, t);
    r->op = ISO_NEW(&r->pool, isolab_op, n);
    for (uint32_t i = 0; i < n; i++) {
        r->op[i] = operation(&r->pool, r->h, first + i);
    }
    r->n_ops = n;
}

isolab_reader *isolab_reader_new(const isolab_history *h) {
    isolab_reader *r = calloc(1, sizeof *r);
    if (r != NULL) {
        r->h = h;
        iso_env_init(&r->env);
        iso_pool_init(&r->pool, &r->env);
    }
    return r;
}

const isolab_txn *isolab_reader_transaction(isolab_reader *r, uint64_t number) {
    iso_pool_free(&r->pool);
    r->n_ops = 0;
    r->txn.number = number;
    return number < r->h->n_txns && iso_guard(&r->env, go_to_txn, r) == ISOLAB_OK ? &r->txn : NULL;
}

const isolab_op *isolab_reader_operation(const isolab_reader *r, size_t number) {
    return number < r->n_ops ? &r->op[number] : NULL;
}

void isolab_reader_free(isolab_reader *r) {
    if (r != NULL) {
        iso_pool_free(&r->pool);
        free(r);
    }
}

typedef struct shaping {
    iso_pool *pool;
    const isolab_history *h;
    iso_shape *shape;
} shaping;

static void add_edge(void *arg, const iso_word_step *step) {
    shaping *s = arg;
    const iso_edge *e = step->edge;
    char from[ISO_NAME_SIZE], to[ISO_NAME_SIZE], key[ISO_NAME_SIZE];
    ISO_GROW(s->pool, s->shape->edge, s->shape->n_edges, s->shape->edges_room);
    s->shape->edge[s->shape->n_edges++] = (isolab_edge){
        .number = copy(s->pool, step->number),
        .depth = step->depth,
        .kind = iso_edge_name((iso_edge_kind)e->kind),
        .from = number_of(s->h, e->from),
        .to = number_of(s->h, e->to),
        .from_name = copy(s->pool, iso_txn_text(s->h, e->from, from)),
        .to_name = copy(s->pool, iso_txn_text(s->h, e->to, to)),
        .key = e->key < s->h->n_keys ? copy(s->pool, iso_key_text(s->h, e->key, key)) : NULL,
        .from_operation = place_in_txn(s->h, e->op_from),
        .to_operation = place_in_txn(s->h, e->op_to),
        .text = copy(s->pool, step->sentence),
    };
}

iso_shape iso_library_shape(iso_pool *pool, const isolab_history *h, const iso_result *result, const iso_anomaly *a) {
    iso_shape shape = {.n_txns = 0};
    uint32_t n, *cast = iso_anomaly_cast(pool, h, result, a, &n);
    shape.txn = ISO_NEW(pool, isolab_txn, n);
    shape.n_txns = n;
    for (uint32_t i = 0; i < n; i++) {
        shape.txn[i] = transaction(pool, h, cast[i]);
    }
    iso_free(pool, cast);
    iso_each_step(h, result, a, add_edge, &(shaping){pool, h, &shape});
    return shape;
}
