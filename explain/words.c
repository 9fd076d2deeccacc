/* Names, operations and places in words. See words.h; steps.c has the sentences of proofs, story.c the stories of
 * anomalies. */
#include "explain/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- transactions ---- */

const char *iso_word_session(const isolab_history *h, uint32_t session, char buffer[ISO_NAME_SIZE]) {
    iso_atom name = h->session_name[session];
    if (name.kind == ISO_ATOM_NIL) {
        snprintf(buffer, ISO_NAME_SIZE, "%" PRIu32, session);
        return buffer;
    }
    return iso_atom_text(h, name, buffer);
}

/* Returns whether another transaction of its session has the same id. */
static bool repeats_in_session(const isolab_history *h, uint32_t txn) {
    uint32_t s = h->txn_session[txn], t = h->session_txn[s];
    while (t < h->session_txn[s + 1] && (t == txn || !iso_atom_equal(iso_txn_name(h, t), iso_txn_name(h, txn)))) {
        t++;
    }
    return t < h->session_txn[s + 1];
}

const char *iso_word_txn(const isolab_history *h, uint32_t txn, char buffer[ISO_WORD_SIZE]) {
    char name[ISO_NAME_SIZE], session[ISO_NAME_SIZE];
    if (txn == ISO_INIT) {
        snprintf(buffer, ISO_WORD_SIZE, "the initial transaction");
    } else if (txn >= h->n_txns) {
        snprintf(buffer, ISO_WORD_SIZE, "no transaction");
    } else {
        uint8_t kind = iso_txn_name(h, txn).kind;
        bool number = kind == ISO_ATOM_INT || kind == ISO_ATOM_UINT, again = h->names_repeat && kind != ISO_ATOM_NIL;
        snprintf(buffer, ISO_WORD_SIZE, "%s%s%s%s", number ? "transaction " : "", iso_txn_text(h, txn, name),
                 again ? " of session " : "", again ? iso_word_session(h, h->txn_session[txn], session) : "");
        if (again && repeats_in_session(h, txn)) {
            size_t n = strlen(buffer);
            snprintf(buffer + n, ISO_WORD_SIZE - n, " (no. %" PRIu32 " in it)",
                     txn - h->session_txn[h->txn_session[txn]] + 1);
        }
    }
    return buffer;
}

const char *iso_word_span(uint64_t ns, char buffer[ISO_SPAN_SIZE]) {
    static const struct {
        double most, unit;
        const char *name;
    } units[] = {{1e3, 1, "ns"},        {1e6, 1e3, "us"},        {1e9, 1e6, "ms"},           {120e9, 1e9, "s"},
                 {7200e9, 60e9, "min"}, {172800e9, 3600e9, "h"}, {INFINITY, 86400e9, "days"}};
    size_t i = 0;
    while ((double)ns >= units[i].most) {
        i++;
    }
    double n = (double)ns / units[i].unit; /* three digits, but not `1e+03` */
    snprintf(buffer, ISO_SPAN_SIZE, n < 999.5 ? "%.3g %s" : "%.0f %s", n, units[i].name);
    return buffer;
}

/* Writes `; 1.2 s long (from 100 to 200)`. */
static void add_times(const isolab_history *h, uint32_t txn, char *buffer, size_t size) {
    int64_t start = h->txn_start[txn], end = h->txn_end[txn];
    const char *what = h->time_unit == ISO_TIME_INDEX ? ":index " : h->time_unit == ISO_TIME_PLACE ? "event " : "";
    char span[ISO_SPAN_SIZE];
    if (start != ISO_NO_TIME && end != ISO_NO_TIME) {
        bool ns = h->time_unit == ISO_TIME_NS;
        snprintf(buffer, size, "; from %s%" PRId64 " to %" PRId64 "%s%s%s", what, start, end, ns ? ", " : "",
                 ns ? iso_word_span((uint64_t)end - (uint64_t)start, span) : "", ns ? " long" : "");
    } else if (start != ISO_NO_TIME) {
        snprintf(buffer, size, "; from %s%" PRId64 " on", what, start);
    } else if (end != ISO_NO_TIME) {
        snprintf(buffer, size, "; until %s%" PRId64, what, end);
    }
}

const char *iso_word_place(const isolab_history *h, uint32_t txn, char buffer[ISO_PLACE_SIZE]) {
    char session[ISO_NAME_SIZE];
    if (txn >= h->n_txns) {
        snprintf(buffer, ISO_PLACE_SIZE, "before all sessions");
        return buffer;
    }
    uint32_t s = h->txn_session[txn], line = h->txn_line != NULL ? h->txn_line[txn] : ISO_NONE;
    uint32_t index = h->txn_index != NULL ? h->txn_index[txn] : ISO_NONE, number = txn - h->session_txn[s] + 1;
    size_t used = 0;
#define ADD(...) used += (size_t)snprintf(buffer + used, ISO_PLACE_SIZE - used, __VA_ARGS__)
    if (line != ISO_NONE) {
        ADD("line %" PRIu32 ", ", line);
    }
    if (index != ISO_NONE) {
        ADD(":index %" PRIu32 ", ", index);
    }
    ADD("%s %s, no. %" PRIu32 " in it",
        index != ISO_NONE && h->session_name[s].kind != ISO_ATOM_NIL ? "process" : "session",
        iso_word_session(h, s, session), number);
    if (h->txn_status[txn] != ISO_COMMITTED) {
        ADD("%s", h->txn_status[txn] == ISO_ABORTED ? "; aborted" : "; not known whether it committed");
    }
#undef ADD
    if (h->txn_start != NULL) {
        add_times(h, txn, buffer + used, ISO_PLACE_SIZE - used);
    }
    return buffer;
}

/* ---- operations ---- */

/* Returns `x`, or `key 5` if the name is a number. */
const char *iso_word_key(const isolab_history *h, uint32_t key, char buffer[ISO_WORD_SIZE]) {
    char name[ISO_NAME_SIZE];
    if (key >= h->n_keys) {
        snprintf(buffer, ISO_WORD_SIZE, "a key");
        return buffer;
    }
    uint8_t kind = h->key_name[key].kind;
    snprintf(buffer, ISO_WORD_SIZE, "%s%s", kind == ISO_ATOM_STRING ? "" : "key ", iso_key_text(h, key, name));
    return buffer;
}

/* Writes the elements of a list: the first and the last two, and those around two positions. */
static void word_list(const isolab_history *h, uint32_t op, uint32_t one, uint32_t two, char *buffer, size_t size) {
    uint32_t first = h->list_first[h->op_version[op]], n = h->list_first[h->op_version[op] + 1] - first;
    uint32_t at[4] = {0, n > 0 ? n - 1 : 0, one < n ? one : 0, two < n ? two : 0};
    size_t used = (size_t)snprintf(buffer, size, "[");
    bool gap = false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t near = UINT32_MAX, next = n;
        for (int k = 0; k < 4; k++) {
            uint32_t distance = i > at[k] ? i - at[k] : at[k] - i;
            near = distance < near ? distance : near;
            next = at[k] > i && at[k] < next ? at[k] : next;
        }
        if (near > 1 && n > 8) {
            gap = true;
            i = next > i + 2 ? next - 2 : i;
            continue;
        }
        char value[ISO_NAME_SIZE];
        iso_atom_text(h, iso_version_value(h, h->list_version[first + i]), value);
        if (used + strlen(value) + 12 > size) {
            used += (size_t)snprintf(buffer + used, size - used, " ...");
            break;
        }
        used += (size_t)snprintf(buffer + used, size - used, "%s%s%s", i > 0 ? " " : "", gap ? "... " : "", value);
        gap = false;
    }
    snprintf(buffer + used, size - used, "]");
}

static const char *word_op(const isolab_history *h, uint32_t op, const char *const verb[3], uint32_t one, uint32_t two,
                           char *buffer, size_t size) {
    char key[ISO_WORD_SIZE], value[ISO_NAME_SIZE], list[300];
    if (op >= h->n_ops) {
        snprintf(buffer, size, "does something");
        return buffer;
    }
    iso_word_key(h, h->op_key[op], key);
    if (h->op_kind[op] == ISO_LIST_READ) {
        word_list(h, op, one, two, list, sizeof list);
        snprintf(buffer, size, "%s %s = %s", verb[0], key, list);
        return buffer;
    }
    iso_atom_text(h, iso_version_value(h, h->op_version[op]), value);
    if (h->op_kind[op] == ISO_APPEND) {
        snprintf(buffer, size, "%s %s to %s", verb[2], value, key);
    } else {
        snprintf(buffer, size, "%s %s = %s", verb[h->op_kind[op] == ISO_READ ? 0 : 1], key, value);
    }
    return buffer;
}

const char *iso_word_op_at(const isolab_history *h, uint32_t op, uint32_t one, uint32_t two, char *buffer,
                           size_t size) {
    static const char *const verb[3] = {"reads", "writes", "appends"};
    return word_op(h, op, verb, one, two, buffer, size);
}

const char *iso_word_op(const isolab_history *h, uint32_t op, char *buffer, size_t size) {
    return iso_word_op_at(h, op, ISO_NONE, ISO_NONE, buffer, size);
}

const char *iso_word_did(const isolab_history *h, uint32_t op, uint32_t one, uint32_t two, char *buffer, size_t size) {
    static const char *const verb[3] = {"read", "wrote", "appended"};
    return word_op(h, op, verb, one, two, buffer, size);
}

uint32_t iso_last_write(const isolab_history *h, uint32_t txn, uint32_t key) {
    for (uint32_t o = txn < h->n_txns ? h->txn_op[txn + 1] : 0; txn < h->n_txns && o-- > h->txn_op[txn];) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == key) {
            return o;
        }
    }
    return ISO_NONE;
}

uint32_t iso_writer_txn(const isolab_history *h, uint32_t read_op) {
    uint32_t w = read_op < h->n_ops ? h->op_writer[read_op] : ISO_NONE;
    return w < h->n_ops ? h->op_txn[w] : w == ISO_INIT ? ISO_INIT : ISO_NONE;
}

uint32_t iso_element_of(const isolab_history *h, uint32_t read_op, uint32_t txn, uint32_t from) {
    if (read_op >= h->n_ops || h->op_kind[read_op] != ISO_LIST_READ) {
        return ISO_NONE;
    }
    uint32_t list = h->op_version[read_op], first = h->list_first[list];
    for (uint32_t i = first + from; i < h->list_first[list + 1]; i++) {
        uint32_t n;
        const uint32_t *writer = iso_writers(h, h->list_version[i], &n);
        for (uint32_t w = 0; w < n; w++) {
            if (h->op_txn[writer[w]] == txn) {
                return i - first;
            }
        }
    }
    return ISO_NONE;
}
