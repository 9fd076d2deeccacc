/* Names and sizes of a history. See history.h. */
#include "history/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

uint64_t iso_history_op_bytes(const isolab_history *h) {
    uint64_t per_op =
        sizeof *h->op_kind + sizeof *h->op_key + sizeof *h->op_version + sizeof *h->op_txn + sizeof *h->op_writer;
    uint64_t per_version =
        sizeof *h->version_key + sizeof *h->version_kind + sizeof *h->version_bits + sizeof *h->version_writer;
    uint64_t lists = h->n_lists == 0 ? 0 : 4 * ((uint64_t)h->n_lists + 1 + h->list_first[h->n_lists]);
    uint64_t writers =
        h->writers_first == NULL ? 0 : 4 * ((uint64_t)h->n_versions + 4 + h->writers_first[h->n_versions]);
    return h->n_ops * per_op + h->n_versions * per_version + lists + writers;
}

uint64_t iso_history_txn_bytes(const isolab_history *h) {
    uint64_t per_txn = sizeof *h->txn_op + sizeof *h->txn_session + sizeof *h->txn_status + sizeof *h->txn_counts;
    if (h->txn_name_kind != NULL) {
        per_txn += sizeof *h->txn_name_kind + sizeof *h->txn_name_bits;
    }
    if (h->txn_start != NULL) {
        per_txn += sizeof *h->txn_start + sizeof *h->txn_end;
    }
    return h->n_txns * per_txn;
}

const char *iso_atom_text(const isolab_history *h, iso_atom atom, char buffer[ISO_NAME_SIZE]) {
    if (iso_atom_is_not(atom)) {
        char value[ISO_NAME_SIZE];
        iso_atom_text(h, iso_atom_excluded(atom), value);
        snprintf(buffer, ISO_NAME_SIZE, "not %.*s", ISO_NAME_SIZE - 5, value);
        return buffer;
    }
    switch (atom.kind) {
    case ISO_ATOM_INT:
        snprintf(buffer, ISO_NAME_SIZE, "%" PRId64, (int64_t)atom.bits);
        break;
    case ISO_ATOM_UINT:
        snprintf(buffer, ISO_NAME_SIZE, "%" PRIu64, atom.bits);
        break;
    case ISO_ATOM_STRING: { /* a name never breaks a line or a terminal */
        uint64_t length;
        if (!iso_utf8_shown(buffer, ISO_NAME_SIZE - 3, iso_string(h, atom.bits, &length))) {
            memcpy(buffer + strlen(buffer), "...", 4);
        }
        break;
    }
    default:
        snprintf(buffer, ISO_NAME_SIZE, "nil");
    }
    return buffer;
}

const char *iso_txn_text(const isolab_history *h, uint32_t txn, char buffer[ISO_NAME_SIZE]) {
    if (txn == ISO_INIT) {
        snprintf(buffer, ISO_NAME_SIZE, "init");
        return buffer;
    }
    iso_atom name = iso_txn_name(h, txn);
    if (name.kind == ISO_ATOM_NIL) {
        snprintf(buffer, ISO_NAME_SIZE, "t%" PRIu32, txn);
        return buffer;
    }
    return iso_atom_text(h, name, buffer);
}

const char *iso_key_text(const isolab_history *h, uint32_t key, char buffer[ISO_NAME_SIZE]) {
    return iso_atom_text(h, h->key_name[key], buffer);
}

const char *iso_op_text(const isolab_history *h, uint32_t op, char *buffer, size_t size) {
    static const char *const verb[] = {"r", "w", "append", "rl"};
    char key[ISO_NAME_SIZE], value[ISO_NAME_SIZE];
    iso_key_text(h, h->op_key[op], key);
    uint8_t kind = h->op_kind[op];
    if (kind != ISO_LIST_READ) {
        snprintf(buffer, size, "%s %s %s", verb[kind], key,
                 iso_atom_text(h, iso_version_value(h, h->op_version[op]), value));
        return buffer;
    }
    uint32_t first = h->list_first[h->op_version[op]], end = h->list_first[h->op_version[op] + 1];
    int used = snprintf(buffer, size, "rl %s [", key);
    for (uint32_t e = first; e < end && used > 0 && (size_t)used < size; e++) {
        if (e > first + 1 && end - e > 2) { /* print the first two elements, then the last two */
            used += snprintf(buffer + used, size - (size_t)used, " ...");
            e = end - 2;
        }
        if ((size_t)used < size) {
            used += snprintf(buffer + used, size - (size_t)used, "%s%s", e == first ? "" : " ",
                             iso_atom_text(h, iso_version_value(h, h->list_version[e]), value));
        }
    }
    if (used > 0 && (size_t)used < size) {
        snprintf(buffer + used, size - (size_t)used, "]");
    }
    return buffer;
}

void iso_open_ends(isolab_history *h) {
    for (uint32_t t = 0; h->n_indeterminate > 0 && h->txn_end != NULL && t < h->n_txns; t++) {
        if (h->txn_status[t] == ISO_INDETERMINATE) {
            h->txn_end[t] = ISO_NO_TIME;
        }
    }
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Number of pairs of operations that are compared without sorting. */
#define FEW_PAIRS 256

uint32_t iso_common_key(const isolab_history *h, uint32_t t, uint32_t s, iso_pool *scratch) {
    const uint32_t *a = h->op_key + h->txn_op[t], *b = h->op_key + h->txn_op[s];
    uint32_t n = h->txn_op[t + 1] - h->txn_op[t], m = h->txn_op[s + 1] - h->txn_op[s], found = ISO_NONE;
    if ((uint64_t)n * m <= FEW_PAIRS) {
        for (uint32_t i = 0; i < n * m && found == ISO_NONE; i++) {
            found = a[i / m] == b[i % m] ? a[i / m] : ISO_NONE;
        }
        return found;
    }
    const uint32_t *longer = n < m ? b : a;
    uint32_t few = n < m ? n : m, many = n < m ? m : n, *sorted = ISO_NEW(scratch, uint32_t, few);
    memcpy(sorted, n < m ? a : b, few * sizeof *sorted);
    qsort(sorted, few, sizeof *sorted, by_number);
    for (uint32_t i = 0; i < many && found == ISO_NONE; i++) {
        found = bsearch(&longer[i], sorted, few, sizeof *sorted, by_number) != NULL ? longer[i] : ISO_NONE;
    }
    iso_free(scratch, sorted);
    return found;
}
