/* See anomaly_json.h. */
#include "explain/anomaly_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "explain/story.h"

enum { OPS_SHOWN = 200, VALUES_SHOWN = 200 };

static void json_name(iso_json *j, const isolab_history *h, const char *name, uint32_t txn) {
    char text[ISO_NAME_SIZE];
    iso_json_text(j, name, txn == ISO_INIT || txn < h->n_txns ? iso_txn_text(h, txn, text) : NULL);
}

/* Prints a number, or null if there is none. */
static void json_some(iso_json *j, const char *name, uint64_t value, bool some) {
    if (some) {
        iso_json_count(j, name, value);
    } else {
        iso_json_text(j, name, NULL);
    }
}

static void json_time(iso_json *j, const char *name, const int64_t *times, uint32_t txn) {
    char digits[24];
    if (times == NULL || times[txn] == ISO_NO_TIME) {
        iso_json_text(j, name, NULL);
        return;
    }
    snprintf(digits, sizeof digits, "%" PRId64, times[txn]);
    iso_json_number(j, name, digits);
}

/* An integer as a number, anything else as a string; nil is null. */
static void json_atom(iso_json *j, const char *name, const isolab_history *h, iso_atom atom) {
    char text[ISO_NAME_SIZE];
    if (atom.kind == ISO_ATOM_NIL) {
        iso_json_text(j, name, NULL);
    } else if (atom.kind == ISO_ATOM_STRING) {
        iso_json_text(j, name, iso_string(h, atom.bits, NULL));
    } else {
        bool number = atom.kind == ISO_ATOM_INT || atom.kind == ISO_ATOM_UINT;
        (number ? iso_json_number : iso_json_text)(j, name, iso_atom_text(h, atom, text));
    }
}

static void json_op(iso_json *j, const isolab_history *h, uint32_t op) {
    static const char *const kind[] = {"read", "write", "append", "read"};
    char text[512];
    iso_json_open(j, NULL, '{');
    iso_json_count(j, "number", op - h->txn_op[h->op_txn[op]] + 1);
    iso_json_text(j, "kind", kind[h->op_kind[op]]);
    json_atom(j, "key", h, h->key_name[h->op_key[op]]);
    if (h->op_kind[op] == ISO_LIST_READ) {
        uint32_t first = h->list_first[h->op_version[op]], n = h->list_first[h->op_version[op] + 1] - first;
        iso_json_open(j, "value", '[');
        for (uint32_t i = 0; i < n && i < VALUES_SHOWN; i++) {
            json_atom(j, NULL, h, iso_version_value(h, h->list_version[first + i]));
        }
        iso_json_close(j, ']');
        iso_json_count(j, "length", n);
    } else {
        json_atom(j, "value", h, iso_version_value(h, h->op_version[op]));
    }
    iso_json_text(j, "text", iso_word_op(h, op, text, sizeof text));
    iso_json_close(j, '}');
}

/* Prints a transaction as an object: its place in the input, and its operations (at most `most`; the member `left_out`
 * counts the others). */
static void put_txn(iso_json *j, const char *name, const isolab_history *h, uint32_t txn, uint32_t most) {
    static const char *const status[] = {"committed", "aborted", "indeterminate"};
    static const char *const unit[] = {"ns", "index", "place"};
    char text[ISO_NAME_SIZE], session[ISO_NAME_SIZE];
    iso_json_open(j, name, '{');
    iso_json_text(j, "name", iso_txn_text(h, txn, text));
    if (txn < h->n_txns) {
        uint32_t s = h->txn_session[txn], line = h->txn_line != NULL ? h->txn_line[txn] : ISO_NONE;
        uint32_t index = h->txn_index != NULL ? h->txn_index[txn] : ISO_NONE, n = h->txn_op[txn + 1] - h->txn_op[txn];
        json_atom(j, "id", h, iso_txn_name(h, txn));
        iso_json_text(j, "session", iso_word_session(h, s, session));
        iso_json_count(j, "session_number", s);
        iso_json_count(j, "number_in_session", txn - h->session_txn[s] + 1);
        iso_json_count(j, "number", txn);
        json_some(j, "line", line, line != ISO_NONE);
        json_some(j, "index", index, index != ISO_NONE);
        iso_json_text(j, "status", status[h->txn_status[txn]]);
        json_time(j, "start", h->txn_start, txn);
        json_time(j, "end", h->txn_end, txn);
        iso_json_text(j, "time_unit", h->txn_start != NULL ? unit[h->time_unit] : NULL);
        iso_json_open(j, "operations", '[');
        for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1] && o - h->txn_op[txn] < most; o++) {
            json_op(j, h, o);
        }
        iso_json_close(j, ']');
        iso_json_count(j, "left_out", n > most ? n - most : 0);
    }
    iso_json_close(j, '}');
}

typedef struct json_steps {
    iso_json *j;
    const isolab_history *h;
} json_steps;

/* Prints an operation of a step: its transaction and its number there. */
static void json_end(iso_json *j, const isolab_history *h, const char *name, uint32_t op) {
    json_some(j, name, op < h->n_ops ? op - h->txn_op[h->op_txn[op]] + 1 : 0, op < h->n_ops);
}

static void json_step(void *arg, const iso_word_step *step) {
    json_steps *s = arg;
    const iso_edge *e = step->edge;
    char key[ISO_NAME_SIZE];
    iso_json_open(s->j, NULL, '{');
    iso_json_text(s->j, "number", step->number);
    iso_json_text(s->j, "text", step->sentence);
    iso_json_count(s->j, "depth", step->depth);
    iso_json_text(s->j, "kind", iso_edge_name((iso_edge_kind)e->kind));
    json_name(s->j, s->h, "from", e->from);
    json_name(s->j, s->h, "to", e->to);
    json_some(s->j, "from_number", e->from, e->from < s->h->n_txns);
    json_some(s->j, "to_number", e->to, e->to < s->h->n_txns);
    json_end(s->j, s->h, "from_operation", e->op_from);
    json_end(s->j, s->h, "to_operation", e->op_to);
    iso_json_text(s->j, "key", e->key < s->h->n_keys ? iso_key_text(s->h, e->key, key) : NULL);
    iso_json_close(s->j, '}');
}

void iso_anomaly_json(iso_json *j, const isolab_history *h, const iso_result *r, const iso_anomaly *a) {
    char sentence[ISO_SENTENCE_SIZE];
    const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)a->kind);
    iso_json_open(j, NULL, '{');
    iso_json_text(j, "name", info->name);
    iso_json_text(j, "adya", info->adya);
    iso_json_text(j, "plume", iso_anomaly_plume(a));
    iso_json_text(j, "elle", info->elle != NULL ? info->elle : info->adya);
    iso_json_text(j, "guarantee", info->guarantee);
    iso_json_text(j, "meaning", info->meaning);
    iso_json_text(j, "text", iso_word_anomaly(h, r, a, sentence));
    iso_json_text(j, "cycle_text", a->n_cycle > 0 ? iso_word_cycle(h, r, a, sentence) : NULL);
    uint32_t room = a->n_cycle != 0 ? a->n_cycle : 2, *txns = ISO_NEW(r->pool, uint32_t, room);
    uint32_t n = iso_anomaly_txns(h, r, a, txns, room);
    iso_json_open(j, "cycle", '[');
    for (uint32_t i = 0; i < n && i < room; i++) {
        json_name(j, h, NULL, txns[i]);
    }
    iso_json_close(j, ']');
    iso_free(r->pool, txns);
    txns = iso_anomaly_cast(r->pool, h, r, a, &n);
    iso_json_open(j, "transactions", '[');
    for (uint32_t i = 0; i < n; i++) {
        put_txn(j, NULL, h, txns[i], OPS_SHOWN);
    }
    iso_json_close(j, ']');
    iso_free(r->pool, txns);
    iso_json_open(j, "steps", '[');
    iso_each_step(h, r, a, json_step, &(json_steps){j, h});
    iso_json_close(j, ']');
    iso_json_close(j, '}');
}
