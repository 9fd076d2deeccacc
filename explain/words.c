/* Sentences for anomalies. See words.h. */
#include "explain/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *iso_word_txn(const isolab_history *h, uint32_t txn, char buffer[ISO_WORD_SIZE]) {
    char name[ISO_NAME_SIZE];
    if (txn == ISO_INIT) {
        snprintf(buffer, ISO_WORD_SIZE, "the initial transaction");
    } else if (txn >= h->n_txns) {
        snprintf(buffer, ISO_WORD_SIZE, "no transaction");
    } else {
        uint8_t kind = iso_txn_name(h, txn).kind;
        bool number = kind == ISO_ATOM_INT || kind == ISO_ATOM_UINT;
        snprintf(buffer, ISO_WORD_SIZE, "%s%s", number ? "transaction " : "", iso_txn_text(h, txn, name));
    }
    return buffer;
}

/* Returns `x`, or `key 5` if the name is a number. */
static const char *word_key(const isolab_history *h, uint32_t key, char buffer[ISO_WORD_SIZE]) {
    char name[ISO_NAME_SIZE];
    if (key >= h->n_keys) {
        snprintf(buffer, ISO_WORD_SIZE, "a key");
        return buffer;
    }
    uint8_t kind = h->key_name[key].kind;
    snprintf(buffer, ISO_WORD_SIZE, "%s%s", kind == ISO_ATOM_STRING ? "" : "key ", iso_key_text(h, key, name));
    return buffer;
}

const char *iso_word_op(const isolab_history *h, uint32_t op, char *buffer, size_t size) {
    char key[ISO_WORD_SIZE], value[ISO_NAME_SIZE], text[300];
    if (op >= h->n_ops) {
        snprintf(buffer, size, "does something");
        return buffer;
    }
    word_key(h, h->op_key[op], key);
    if (h->op_kind[op] == ISO_LIST_READ) {
        const char *list = strrchr(iso_op_text(h, op, text, sizeof text), '[');
        snprintf(buffer, size, "reads %s = %s", key, list != NULL ? list : "[]");
        return buffer;
    }
    iso_atom_text(h, iso_version_value(h, h->op_version[op]), value);
    if (h->op_kind[op] == ISO_APPEND) {
        snprintf(buffer, size, "appends %s to %s", value, key);
    } else {
        snprintf(buffer, size, "%s %s = %s", h->op_kind[op] == ISO_READ ? "reads" : "writes", key, value);
    }
    return buffer;
}

static const char *word_session(const isolab_history *h, uint32_t session, char buffer[ISO_NAME_SIZE]) {
    iso_atom name = h->session_name[session];
    if (name.kind == ISO_ATOM_NIL) {
        snprintf(buffer, ISO_NAME_SIZE, "%" PRIu32, session);
        return buffer;
    }
    return iso_atom_text(h, name, buffer);
}

/* Returns the transaction that wrote the value of a read, if it is certain. */
static uint32_t writer_txn(const isolab_history *h, uint32_t read_op) {
    uint32_t w = read_op < h->n_ops ? h->op_writer[read_op] : ISO_NONE;
    return w < h->n_ops ? h->op_txn[w] : w == ISO_INIT ? ISO_INIT : ISO_NONE;
}

/* Returns whether a list read shows an element that the transaction appended. */
static bool shows(const isolab_history *h, uint32_t read_op, uint32_t txn) {
    if (read_op >= h->n_ops || h->op_kind[read_op] != ISO_LIST_READ) {
        return false;
    }
    uint32_t list = h->op_version[read_op];
    for (uint32_t i = h->list_first[list]; i < h->list_first[list + 1]; i++) {
        uint32_t n;
        const uint32_t *writer = iso_writers(h, h->list_version[i], &n);
        for (uint32_t w = 0; w < n; w++) {
            if (h->op_txn[writer[w]] == txn) {
                return true;
            }
        }
    }
    return false;
}

const char *iso_word_edge(const isolab_history *h, const iso_edge *e, char buffer[ISO_SENTENCE_SIZE]) {
    char from[ISO_WORD_SIZE], to[ISO_WORD_SIZE], third[ISO_WORD_SIZE], key[ISO_WORD_SIZE], op[512];
    const size_t size = ISO_SENTENCE_SIZE;
    iso_word_txn(h, e->from, from);
    iso_word_txn(h, e->to, to);
    word_key(h, e->key, key);
    switch ((iso_edge_kind)e->kind) {
    case ISO_EDGE_SO:
        if (e->from == ISO_INIT || e->to >= h->n_txns) {
            snprintf(buffer, size, "%s comes before every other one, so before %s", from, to);
        } else {
            char session[ISO_NAME_SIZE];
            snprintf(buffer, size, "%s comes before %s in session %s", from, to,
                     word_session(h, h->txn_session[e->to], session));
        }
        break;
    case ISO_EDGE_WR:
        snprintf(buffer, size, "%s comes before %s, which %s from it", from, to,
                 iso_word_op(h, e->op_to, op, sizeof op));
        break;
    case ISO_EDGE_RT:
        snprintf(buffer, size, "%s had ended before %s began", from, to);
        if (h->txn_end != NULL && e->from < h->n_txns && e->to < h->n_txns) {
            bool both = e->key < h->n_keys;
            snprintf(buffer, size, "%s had ended (%" PRId64 ") before %s began (%" PRId64 ")%s%s", from,
                     h->txn_end[e->from], to, h->txn_start[e->to], both ? ", and both access " : "", both ? key : "");
        }
        break;
    case ISO_EDGE_AXIOM: {
        uint32_t t3 = e->reader_op < h->n_ops ? h->op_txn[e->reader_op] : ISO_NONE;
        iso_word_txn(h, t3, third);
        snprintf(buffer, size, "%s must come before %s: %s comes before %s and writes %s, and yet %s %s from %s", from,
                 to, from, third, key, third, iso_word_op(h, e->reader_op, op, sizeof op), to);
        break;
    }
    case ISO_EDGE_RW:
        snprintf(buffer, size, "%s %s, which %s overwrites", from, iso_word_op(h, e->op_from, op, sizeof op), to);
        break;
    case ISO_EDGE_WW:
        snprintf(buffer, size, "%s comes before %s, and both write %s", from, to, key);
        break;
    case ISO_EDGE_LIST: {
        uint32_t t3 = e->reader_op < h->n_ops ? h->op_txn[e->reader_op] : ISO_NONE;
        iso_word_txn(h, t3, third);
        iso_word_op(h, e->reader_op, op, sizeof op);
        if (shows(h, e->reader_op, e->to)) {
            snprintf(buffer, size, "%s comes before %s: %s %s, where the element of %s stands before that of %s", from,
                     to, third, op, from, to);
        } else {
            snprintf(buffer, size,
                     "%s comes before %s: %s %s, which has the elements that %s appended and not those of %s", from, to,
                     third, op, from, to);
        }
        break;
    }
    default:
        snprintf(buffer, size, "%s comes before %s", from, to);
    }
    return buffer;
}

/* Writes a sentence about an offending read and the write that makes it an offence. */
static void word_read(const isolab_history *h, const iso_anomaly *a, char *buffer, size_t size) {
    char reader[ISO_WORD_SIZE], other[ISO_WORD_SIZE], read[400], write[400];
    if (a->op >= h->n_ops) {
        snprintf(buffer, size, "%s", iso_anomaly_get(a->kind)->meaning);
        return;
    }
    bool has_other = a->other_op < h->n_ops;
    uint32_t other_txn = has_other ? h->op_txn[a->other_op] : writer_txn(h, a->op);
    iso_word_txn(h, h->op_txn[a->op], reader);
    iso_word_txn(h, other_txn, other);
    iso_word_op(h, a->op, read, sizeof read);
    iso_word_op(h, has_other ? a->other_op : ISO_NONE, write, sizeof write);
    switch ((iso_anomaly_kind)a->kind) {
    case ISO_A_THIN_AIR:
        snprintf(buffer, size, "%s %s, but no transaction wrote that value.", reader, read);
        break;
    case ISO_A_ABORTED_READ:
        snprintf(buffer, size, "%s %s, which %s wrote, and %s did not commit.", reader, read, other, other);
        break;
    case ISO_A_FUTURE_READ:
        snprintf(buffer, size, "%s %s, and writes that value itself only later.", reader, read);
        break;
    case ISO_A_NOT_MY_OWN_WRITE:
        snprintf(buffer, size, "%s %s, though before that it %s itself.", reader, read, write);
        break;
    case ISO_A_NOT_MY_LAST_WRITE:
        snprintf(buffer, size, "%s %s, an earlier write of its own, though its latest one before %s.", reader, read,
                 write);
        break;
    case ISO_A_INTERMEDIATE_READ:
        snprintf(buffer, size, "%s %s from %s, but later in itself %s %s.", reader, read, other, other, write);
        break;
    default:
        if (has_other) {
            snprintf(buffer, size, "%s %s; %s %s.", reader, read, other, write);
        } else {
            snprintf(buffer, size, "%s %s.", reader, read);
        }
    }
}

uint32_t iso_anomaly_txns(const isolab_history *h, const iso_result *result, const iso_anomaly *a, uint32_t *txns,
                          uint32_t room) {
    uint32_t n = 0;
    if (a->n_cycle != 0) {
        for (uint32_t i = 0; i < a->n_cycle; i++) {
            if (n < room) {
                txns[n] = result->edges[a->cycle + i].from;
            }
            n++;
        }
        return n;
    }
    uint32_t ops[2] = {a->op, a->other_op}, last = ISO_NONE;
    for (int i = 0; i < 2; i++) {
        if (ops[i] < h->n_ops && h->op_txn[ops[i]] != last) {
            last = h->op_txn[ops[i]];
            if (n < room) {
                txns[n] = last;
            }
            n++;
        }
    }
    return n;
}

const char *iso_word_anomaly(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                             char buffer[ISO_SENTENCE_SIZE]) {
    if (a->n_cycle == 0) {
        word_read(h, a, buffer, ISO_SENTENCE_SIZE);
        return buffer;
    }
    enum { SHOWN = 6 };
    char name[ISO_WORD_SIZE];
    uint32_t txns[SHOWN];
    uint32_t n = iso_anomaly_txns(h, result, a, txns, SHOWN);
    int used = snprintf(buffer, ISO_SENTENCE_SIZE, "These form a cycle:");
    for (uint32_t i = 0; i < n && i < SHOWN; i++) {
        used += snprintf(buffer + used, ISO_SENTENCE_SIZE - (size_t)used, "%s %s", i == 0 ? "" : ",",
                         iso_word_txn(h, txns[i], name));
    }
    if (n > SHOWN) {
        snprintf(buffer + used, ISO_SENTENCE_SIZE - (size_t)used, ", and %" PRIu32 " more, then the first again.",
                 n - SHOWN);
    } else {
        snprintf(buffer + used, ISO_SENTENCE_SIZE - (size_t)used, ", then %s again.", iso_word_txn(h, txns[0], name));
    }
    return buffer;
}

typedef struct place {
    uint32_t edge, left; /* edges [edge, edge + left) still need a sentence */
} place;

void iso_each_step(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                   void (*each)(void *arg, unsigned depth, const iso_edge *edge, const char *sentence), void *arg) {
    char sentence[ISO_SENTENCE_SIZE];
    iso_pool *pool = result->pool;
    uint32_t room = 0, depth = 0;
    place *stack = NULL;
    uint8_t *told = ISO_ZNEW(pool, uint8_t, result->n_edges);
    ISO_GROW(pool, stack, depth, room);
    stack[depth++] = (place){a->cycle, a->n_cycle};
    while (depth > 0) {
        place *top = &stack[depth - 1];
        if (top->left == 0) {
            depth--;
            continue;
        }
        uint32_t number = top->edge++;
        top->left--;
        const iso_edge *e = &result->edges[number];
        each(arg, depth - 1, e, iso_word_edge(h, e, sentence));
        if (!told[number] && e->n_premise != 0) {
            ISO_GROW(pool, stack, depth, room);
            stack[depth++] = (place){e->premise, e->n_premise};
        }
        told[number] = 1;
    }
    iso_free(pool, stack);
    iso_free(pool, told);
}
