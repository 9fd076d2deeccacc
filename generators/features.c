/* See features.h. */
#include "generators/features.h"

#define TEXT(name, text) text,
const char *const iso_feature_text[ISO_FEATURES] = {ISO_EACH_FEATURE(TEXT)};
#undef TEXT

#define BIT(name) ISO_FEATURE_BIT(ISO_F_##name)

/* Returns the transaction that a read read from; ISO_NONE: the initial one, or none. */
static uint32_t writer_of(const isolab_history *h, uint32_t op) {
    uint32_t writer = h->op_kind[op] == ISO_READ ? h->op_writer[op] : ISO_NONE;
    return writer < h->n_ops ? h->op_txn[writer] : ISO_NONE;
}

static bool is_write_of(const isolab_history *h, uint32_t op, uint32_t key) {
    return iso_is_write(h->op_kind[op]) && h->op_key[op] == key;
}

static bool written_in(const isolab_history *h, uint32_t from, uint32_t to, uint32_t key) {
    while (from < to && !is_write_of(h, from, key)) {
        from++;
    }
    return from < to;
}

/* Returns the features of a read that depend on earlier operations of its transaction. */
static uint32_t reread(const isolab_history *h, uint32_t op) {
    uint32_t first = h->txn_op[h->op_txn[op]], writer = writer_of(h, op), features = 0;
    bool other = false, known = false;
    for (uint32_t o = op; o-- > first;) {
        if (h->op_kind[o] != ISO_READ) {
            continue;
        }
        uint32_t its = writer_of(h, o);
        if (h->op_key[o] == h->op_key[op]) {
            bool same = h->op_version[o] == h->op_version[op];
            features |= same ? BIT(REREAD_SAME) : BIT(REREAD_OTHER);
            features |= written_in(h, o + 1, op, h->op_key[op]) ? BIT(OWN_BETWEEN) : 0;
        } else if (its == writer && writer != ISO_NONE) {
            features |= BIT(TWO_KEYS_OF_ONE);
        }
        known |= its != ISO_NONE;
        other |= its != writer && its != ISO_NONE;
        features |= other && its == writer && writer != ISO_NONE ? BIT(BACK_TO_WRITER) : 0;
    }
    bool initial = iso_version_is_initial(h, h->op_version[op]);
    return features | (initial && known ? BIT(INITIAL_AFTER) : 0);
}

static uint32_t of_initial(const isolab_history *h, uint32_t op) {
    uint32_t t = h->op_txn[op], start = h->session_txn[h->txn_session[t]];
    uint32_t features = t > start ? BIT(INITIAL_LATER) : op == h->txn_op[t] ? BIT(INITIAL_FIRST) : 0;
    return features | (written_in(h, h->txn_op[start], h->txn_op[t], h->op_key[op]) ? BIT(INITIAL_LOST) : 0);
}

static uint32_t of_read(const isolab_history *h, uint32_t op) {
    uint32_t t = h->op_txn[op], writer = writer_of(h, op), features = reread(h, op);
    if (iso_version_is_initial(h, h->op_version[op])) {
        return features | of_initial(h, op);
    }
    if (writer == ISO_NONE) {
        return features | BIT(THIN_AIR);
    }
    uint32_t o = h->op_writer[op];
    features |=
        o + 1 < h->txn_op[writer + 1] && written_in(h, o + 1, h->txn_op[writer + 1], h->op_key[op]) && writer != t
            ? BIT(INTERMEDIATE_READ)
            : 0;
    features |= h->txn_status[writer] == ISO_ABORTED ? BIT(ABORTED_READ) : 0;
    features |= h->txn_status[writer] == ISO_INDETERMINATE ? BIT(INDETERMINATE_READ) : 0;
    if (writer == t) {
        return features | BIT(OWN_READ);
    }
    if (h->txn_session[writer] == h->txn_session[t] && writer < t) {
        features |= writer + 1 == t ? BIT(SESSION_NEXT) : BIT(SESSION_FAR);
    }
    for (uint32_t back = h->txn_op[writer]; back < h->txn_op[writer + 1]; back++) {
        features |= writer_of(h, back) == t ? BIT(READ_BACK) : 0;
    }
    return features;
}

static uint32_t of_write(const isolab_history *h, uint32_t op) {
    uint32_t features = 0;
    for (uint32_t o = h->txn_op[h->op_txn[op]]; o < op; o++) {
        if (h->op_key[o] == h->op_key[op]) {
            features |= !iso_is_write(h->op_kind[o])   ? BIT(READ_THEN_WRITE)
                        : h->op_kind[op] == ISO_APPEND ? BIT(REPEATED_APPEND)
                                                       : BIT(WRITTEN_TWICE);
        }
    }
    return features;
}

static uint32_t of_txn(const isolab_history *h, uint32_t t) {
    uint32_t features = h->txn_status[t] == ISO_ABORTED ? BIT(ABORTED) : 0, first = h->txn_op[t],
             end = h->txn_op[t + 1];
    bool reads = false, writes = false;
    if (h->txn_counts[t] == ISO_EXCLUDED) {
        return features;
    }
    for (uint32_t o = first; o < end; o++) {
        bool write = iso_is_write(h->op_kind[o]);
        *(write ? &writes : &reads) = true;
        features |= write ? of_write(h, o) : h->op_kind[o] == ISO_LIST_READ ? BIT(LIST) : of_read(h, o);
    }
    features |= end - first >= 5 ? BIT(LONG) : 0;
    return features | (reads && writes ? 0 : reads ? BIT(READ_ONLY) : writes ? BIT(WRITE_ONLY) : BIT(EMPTY));
}

/* Returns the features of pairs of reads in different transactions. */
static uint32_t of_readers(const isolab_history *h) {
    uint32_t features = 0;
    for (uint32_t a = 0; a < h->n_ops; a++) {
        uint32_t writer = writer_of(h, a);
        for (uint32_t b = a + 1; h->op_kind[a] == ISO_READ && b < h->n_ops; b++) {
            uint32_t ta = h->op_txn[a], tb = h->op_txn[b];
            if (h->op_kind[b] != ISO_READ || ta == tb) {
                continue;
            }
            features |=
                writer != ISO_NONE && writer_of(h, b) == writer && writer != ta && writer != tb ? BIT(TWO_READERS) : 0;
            features |= h->op_version[a] == h->op_version[b] &&
                                written_in(h, h->txn_op[ta], h->txn_op[ta + 1], h->op_key[a]) &&
                                written_in(h, h->txn_op[tb], h->txn_op[tb + 1], h->op_key[a])
                            ? BIT(SAME_VALUE_TWICE)
                            : 0;
        }
    }
    return features;
}

uint32_t iso_features(const isolab_history *h) {
    uint32_t features = h->n_sessions >= 5 ? BIT(MANY_SESSIONS) : 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        bool committed = false;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            features |= of_txn(h, t);
            committed |= h->txn_status[t] == ISO_COMMITTED;
            bool inner = t > h->session_txn[s] && t + 1 < h->session_txn[s + 1];
            bool idle = h->txn_status[t] != ISO_COMMITTED || h->txn_op[t] == h->txn_op[t + 1];
            features |= inner && idle ? BIT(BETWEEN) : 0;
        }
        features |= h->session_txn[s + 1] - h->session_txn[s] >= 5 ? BIT(LONG_SESSION) : 0;
        features |= !committed && h->session_txn[s] < h->session_txn[s + 1] ? BIT(UNCOMMITTED_SESSION) : 0;
    }
    return h->n_ops <= 256 ? features | of_readers(h) : features; /* quadratic */
}
