/* Names and sizes of a history. See history.h. */
#include "history/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
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
    per_txn += h->txn_line != NULL ? sizeof *h->txn_line : 0;
    per_txn += h->txn_index != NULL ? sizeof *h->txn_index : 0;
    return h->n_txns * per_txn;
}

bool iso_writes_initial(const isolab_history *h) {
    bool any = false;
    for (uint32_t o = 0; o < h->n_ops && !any; o++) {
        any = iso_is_write(h->op_kind[o]) && iso_version_is_initial(h, h->op_version[o]);
    }
    return any;
}

/* ---- ids ---- */

/* Returns whether two of the ids of a kind of integers are equal: by a table of bits if they lie close together, else
 * by a table of ids. */
static bool integers_repeat(const isolab_history *h, iso_atom_kind kind) {
    uint64_t least = UINT64_MAX, most = 0, n = 0;
    bool ascending = true;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_name_kind[t] == kind) {
            uint64_t id = h->txn_name_bits[t] ^ (uint64_t)INT64_MIN; /* negative ids before the others */
            ascending &= n == 0 || id > most;
            least = id < least ? id : least;
            most = id > most ? id : most;
            n++;
        }
    }
    if (ascending || n < 2) {
        return false;
    }
    uint64_t range = most - least, room = 2;
    while (room < 2 * n) {
        room *= 2;
    }
    bool dense = range / 64 < n, repeat = false;
    /* A bit for each integer, or else the integers, plus 1, by their hash: base/index.h would need them in an array,
     * too. */
    uint64_t *table = ISO_ZNEW(h->pool, uint64_t, dense ? range / 64 + 1 : room);
    for (uint32_t t = 0; t < h->n_txns && !repeat; t++) {
        if (h->txn_name_kind[t] != kind) {
            continue;
        }
        uint64_t id = (h->txn_name_bits[t] ^ (uint64_t)INT64_MIN) - least, bit = (uint64_t)1 << id % 64;
        if (dense) {
            repeat = (table[id / 64] & bit) != 0;
            table[id / 64] |= bit;
            continue;
        }
        uint64_t at = iso_mix(id) & (room - 1);
        while (table[at] != 0 && table[at] != id + 1) {
            at = (at + 1) & (room - 1);
        }
        repeat = table[at] != 0 && id != UINT64_MAX;
        table[at] = id + 1;
    }
    iso_free(h->pool, table);
    return repeat;
}

static bool strings_repeat(const isolab_history *h) {
    uint64_t *table = ISO_ZNEW(h->pool, uint64_t, (uint64_t)h->n_strings / 64 + 1);
    bool repeat = false;
    for (uint32_t t = 0; t < h->n_txns && !repeat; t++) {
        if (h->txn_name_kind[t] == ISO_ATOM_STRING) {
            uint64_t id = h->txn_name_bits[t], bit = (uint64_t)1 << id % 64;
            repeat = (table[id / 64] & bit) != 0;
            table[id / 64] |= bit;
        }
    }
    iso_free(h->pool, table);
    return repeat;
}

/* Returns how many hashes an invented name must have to differ from this id: `t17` has none. */
static uint8_t hashes_of(const char *id) {
    size_t n = id[0] == 't' ? 1 : strspn(id, "#");
    bool looks = n > 0 && n < 8 && id[n] != '\0' && id[n + strspn(id + n, "0123456789")] == '\0';
    return !looks ? 0 : id[0] == 't' ? 1 : (uint8_t)(n + 1);
}

void iso_history_names(isolab_history *h) {
    h->names_repeat = false;
    h->name_hashes = 0;
    if (h->txn_name_kind == NULL) {
        return;
    }
    bool unnamed = false;
    for (uint32_t t = 0; t < h->n_txns && !unnamed; t++) {
        unnamed = h->txn_name_kind[t] == ISO_ATOM_NIL;
    }
    for (uint32_t t = 0; t < h->n_txns && unnamed && h->n_strings > 0; t++) {
        if (h->txn_name_kind[t] == ISO_ATOM_STRING) {
            uint8_t n = hashes_of(iso_string(h, h->txn_name_bits[t], NULL));
            h->name_hashes = n > h->name_hashes ? n : h->name_hashes;
        }
    }
    bool large =
        memchr(h->txn_name_kind, ISO_ATOM_UINT, h->n_txns) != NULL; /* above INT64_MAX, the bits of negative ones */
    h->names_repeat = integers_repeat(h, ISO_ATOM_INT) || (large && integers_repeat(h, ISO_ATOM_UINT)) ||
                      (h->n_strings > 0 && strings_repeat(h));
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
        static const char hashes[] = "########";
        int n = h->name_hashes < sizeof hashes ? h->name_hashes : (int)sizeof hashes - 1;
        snprintf(buffer, ISO_NAME_SIZE, "%.*s%s%" PRIu32, n, hashes, n == 0 ? "t" : "", txn);
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
    if ((size_t)used < size) {
        snprintf(buffer + used, size - (size_t)used, "]");
    }
    return buffer;
}

uint32_t iso_write_before(const isolab_history *h, uint32_t op) {
    for (uint32_t o = op, first = h->txn_op[h->op_txn[op]]; o-- > first;) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[op]) {
            return o;
        }
    }
    return ISO_NONE;
}

uint32_t iso_write_after(const isolab_history *h, uint32_t op) {
    for (uint32_t o = op + 1, end = h->txn_op[h->op_txn[op] + 1]; o < end; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[op]) {
            return o;
        }
    }
    return ISO_NONE;
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
