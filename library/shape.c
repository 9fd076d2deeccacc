/* The public interface: an anomaly as transactions and edges. See include/isolab.h. */
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
