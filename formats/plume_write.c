/* Writes Plume text. Names that it cannot hold become numbers, other losses are left out, and both are counted. See
 * plume.c. */
#include <stdio.h>
#include <string.h>

#include "base/index.h"
#include "formats/plume.h"
#include "history/initial.h"

/* How the names of a history are written: unchanged, or by number if necessary. */
typedef struct naming {
    bool keys, values, sessions, txns; /* unchanged */
} naming;

static bool is_unsigned(iso_atom a) {
    return a.kind == ISO_ATOM_UINT || (a.kind == ISO_ATOM_INT && (int64_t)a.bits >= 0);
}

static bool is_written_op(const isolab_history *h, uint32_t op) {
    return h->op_kind[op] == ISO_READ || h->op_kind[op] == ISO_WRITE;
}

static bool is_aborted(const isolab_history *h, uint32_t t) { return h->txn_counts[t] == ISO_EXCLUDED; }

static uint32_t count_written_ops(const isolab_history *h, uint32_t t) {
    uint32_t n = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        n += is_written_op(h, o);
    }
    return n;
}

static void count_misfit(iso_atom a, iso_losses *losses) {
    if (a.kind == ISO_ATOM_STRING) {
        losses->count[ISO_LOSS_STRINGS]++;
    } else if (!is_unsigned(a)) {
        losses->count[ISO_LOSS_RANGE]++;
    }
}

/* Returns whether every written transaction has a different id, other than -1. */
static bool ids_are_usable(const isolab_history *h, iso_pool *pool) {
    iso_index ids;
    iso_index_init(&ids, pool, h->n_txns);
    bool usable = h->txn_name_kind != NULL;
    for (uint32_t t = 0; usable && t < h->n_txns; t++) {
        if (is_aborted(h, t)) {
            continue;
        }
        iso_atom name = iso_txn_name(h, t);
        usable = name.kind == ISO_ATOM_INT && (int64_t)name.bits != -1;
        uint64_t hash = iso_mix(name.bits);
        uint32_t at, other = iso_index_first(&ids, hash, &at);
        for (; usable && other != ISO_NONE; other = iso_index_next(&ids, hash, &at)) {
            usable = h->txn_name_bits[other] != name.bits;
        }
        iso_index_add(&ids, hash, t);
    }
    iso_index_free(&ids);
    return usable;
}

static naming survey_names(const isolab_history *h, iso_pool *pool, iso_losses *losses) {
    naming n = {true, true, true, ids_are_usable(h, pool)};
    for (uint32_t k = 0; k < h->n_keys; k++) {
        n.keys &= is_unsigned(h->key_name[k]);
        count_misfit(h->key_name[k], losses);
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        iso_atom value = iso_version_value(h, v);
        if (value.kind != ISO_ATOM_NIL && !h->key_is_list[h->version_key[v]]) {
            bool zero = value.kind == ISO_ATOM_INT && value.bits == 0; /* would be read as initial */
            n.values &= is_unsigned(value) && !zero;
            count_misfit(value, losses);
            losses->count[ISO_LOSS_RANGE] += zero;
        }
    }
    bool unnamed = false;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        n.sessions &= is_unsigned(h->session_name[s]);
        unnamed |= h->session_name[s].kind == ISO_ATOM_NIL;
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        losses->count[ISO_LOSS_NAMES] +=
            h->session_name[s].kind != ISO_ATOM_NIL && (unnamed || !is_unsigned(h->session_name[s]));
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        losses->count[ISO_LOSS_NAMES] += iso_txn_name(h, t).kind != ISO_ATOM_NIL && (!n.txns || is_aborted(h, t));
    }
    return n;
}

void iso_plume_survey(const isolab_history *h, iso_losses *losses) {
    survey_names(h, h->pool, losses);
    losses->count[ISO_LOSS_INITIAL] += iso_initial_begins_registers(h, iso_atom_int(0));
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        bool empty = true, after_aborted = false;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t n = count_written_ops(h, t);
            losses->count[ISO_LOSS_EMPTY] += n == 0;
            losses->count[ISO_LOSS_LISTS] += h->txn_op[t + 1] - h->txn_op[t] - n;
            losses->count[ISO_LOSS_INDETERMINATE] += h->txn_status[t] == ISO_INDETERMINATE;
            losses->count[ISO_LOSS_TIMES] +=
                h->txn_start != NULL && (h->txn_start[t] != ISO_NO_TIME || h->txn_end[t] != ISO_NO_TIME);
            if (n > 0) { /* neighbours in a session become one transaction */
                losses->count[ISO_LOSS_ABORTED] += after_aborted && is_aborted(h, t);
                after_aborted = is_aborted(h, t);
                empty = false;
            }
        }
        losses->count[ISO_LOSS_EMPTY] += empty && h->session_txn[s] == h->session_txn[s + 1];
    }
}

static char *put_number(char *at, uint64_t n) {
    char digits[20];
    unsigned used = 0;
    do {
        digits[used++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (used > 0) {
        *at++ = digits[--used];
    }
    return at;
}

static char *put_signed(char *at, int64_t n) {
    if (n < 0) {
        *at++ = '-';
    }
    return put_number(at, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void iso_plume_write(const isolab_history *h, iso_sink *sink) {
    iso_losses unused = {{0}};
    naming n = survey_names(h, sink->pool, &unused);
    char buffer[1 << 16], *at = buffer;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        iso_tick(sink->pool->env);
        if (!is_written_op(h, o)) {
            continue;
        }
        uint32_t t = h->op_txn[o], s = h->txn_session[t], k = h->op_key[o], v = h->op_version[o];
        *at++ = h->op_kind[o] == ISO_READ ? 'r' : 'w';
        *at++ = '(';
        at = put_number(at, n.keys ? h->key_name[k].bits : k);
        *at++ = ',';
        at = put_number(at, iso_version_is_initial(h, v) ? 0 : n.values ? h->version_bits[v] : (uint64_t)v + 1);
        *at++ = ',';
        at = put_number(at, n.sessions ? h->session_name[s].bits : s);
        *at++ = ',';
        at = put_signed(at, is_aborted(h, t) ? -1 : n.txns ? (int64_t)h->txn_name_bits[t] : (int64_t)t);
        *at++ = ')';
        *at++ = '\n';
        if (buffer + sizeof buffer - at < 128) {
            fwrite(buffer, 1, (size_t)(at - buffer), sink->out); /* errors stay in the stream */
            at = buffer;
        }
    }
    fwrite(buffer, 1, (size_t)(at - buffer), sink->out);
}
