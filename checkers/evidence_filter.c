/* Finding transactions without cases quickly. See evidence.h.
 *
 * A read of x is contested if x has a writer that is neither the reader nor certainly the transaction that it reads
 * from. A transaction without a contested read has no case of any level from rc-plume to ser. To decide that, one
 * number for each key is enough: its only writer. */
#include "base/clones.h"
#include "checkers/evidence.h"

/* Limits are tested once for this many versions. */
enum { BLOCK = 4096 };

void iso_evidence_filter_init(iso_evidence_filter *f, iso_pool *pool, const isolab_history *h) {
    *f = (iso_evidence_filter){.h = h, .pool = pool};
}

/* Returns the only writer of a key after t writes it, too. */
static inline uint32_t only_writer(uint32_t before, uint32_t t) {
    return ((before == 0) | (before == t + 1)) ? t + 1 : ISO_MANY;
}

ISO_VECTOR static uint32_t count_shared(const uint32_t *writer, uint32_t n_keys) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_keys; k++) {
        n += writer[k] == ISO_MANY;
    }
    return n;
}

/* Computes the only writer of every key. With unique values each write has a version of its own, and there are fewer
 * versions than operations. */
static void find_writers(iso_evidence_filter *f) {
    const isolab_history *h = f->h;
    const uint32_t *version_writer = h->version_writer, *version_key = h->version_key, *op_txn = h->op_txn;
    const uint8_t *counts = h->txn_counts;
    uint32_t *writer = ISO_ZNEW(f->pool, uint32_t, h->n_keys), n_ops = h->n_ops;
    for (uint32_t begin = 0, n = h->unique ? h->n_versions : 0; begin < n; begin += BLOCK) {
        iso_tick(f->pool->env);
        for (uint32_t v = begin, end = n - begin < BLOCK ? n : begin + BLOCK; v < end; v++) {
            uint32_t o = version_writer[v], t = o < n_ops ? op_txn[o] : 0, k = version_key[v];
            if (o < n_ops && counts[t] != ISO_EXCLUDED) {
                writer[k] = only_writer(writer[k], t);
            }
        }
    }
    for (uint32_t t = 0, n = h->unique ? 0 : h->n_txns; t < n; t++) {
        iso_tick(f->pool->env);
        for (uint32_t o = h->txn_op[t]; counts[t] != ISO_EXCLUDED && o < h->txn_op[t + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                writer[h->op_key[o]] = only_writer(writer[h->op_key[o]], t);
            }
        }
    }
    f->writer = writer;
    f->n_shared = count_shared(writer, h->n_keys);
}

uint32_t iso_evidence_shared_keys(iso_evidence_filter *f) {
    if (f->writer == NULL) {
        find_writers(f);
    }
    return f->n_shared;
}

bool iso_evidence_contested(iso_evidence_filter *f, uint32_t t) {
    if (f->writer == NULL) {
        find_writers(f);
    }
    const isolab_history *h = f->h;
    const uint32_t *key = h->op_key, *read_from = h->op_writer, *txn = h->op_txn, *only = f->writer;
    const uint8_t *kind = h->op_kind;
    uint32_t end = h->txn_op[t + 1], n_ops = h->n_ops;
    bool contested = false;
    for (uint32_t o = h->txn_op[t]; o < end && !contested; o++) {
        if (!iso_is_write(kind[o])) {
            uint32_t writer = only[key[o]], from = read_from[o];
            bool sure = from < n_ops && txn[from] + 1 == writer && kind[o] == ISO_READ;
            contested = !sure && writer != 0 && writer != t + 1;
        }
    }
    return contested;
}

bool iso_evidence_session_contested(iso_evidence_filter *f, uint32_t s) {
    const isolab_history *h = f->h;
    bool contested = false;
    for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1] && !contested; t++) {
        contested = h->txn_counts[t] != ISO_EXCLUDED && iso_evidence_contested(f, t);
    }
    iso_tick(f->pool->env);
    return contested;
}

/* Returns whether t reads from another session. In lists with repeated elements such a read may be missed. */
static bool reads_elsewhere(const isolab_history *h, uint32_t t) {
    bool elsewhere = false;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && !elsewhere; o++) {
        uint32_t from = h->op_writer[o];
        if (h->op_kind[o] == ISO_LIST_READ) { /* the last element that is not the reader's own */
            uint32_t first = h->list_first[h->op_version[o]], end = h->list_first[h->op_version[o] + 1];
            do {
                from = end > first ? h->version_writer[h->list_version[--end]] : ISO_INIT;
            } while (from < h->n_ops && h->op_txn[from] == t);
        }
        bool vague = from == ISO_MANY && h->op_kind[o] == ISO_READ;
        elsewhere = !iso_is_write(h->op_kind[o]) &&
                    (vague || (from < h->n_ops && h->txn_session[h->op_txn[from]] != h->txn_session[t]));
    }
    return elsewhere;
}

uint64_t iso_evidence_reads(const iso_evidence_filter *f, bool *elsewhere) {
    const isolab_history *h = f->h;
    uint64_t reads = 0;
    *elsewhere = false;
    for (uint32_t t = 0; t < h->n_txns && !*elsewhere; t++) {
        for (uint32_t o = h->txn_op[t]; h->txn_counts[t] != ISO_EXCLUDED && o < h->txn_op[t + 1]; o++) {
            reads += !iso_is_write(h->op_kind[o]);
        }
        *elsewhere = h->txn_counts[t] != ISO_EXCLUDED && reads_elsewhere(h, t);
        iso_tick(f->pool->env);
    }
    return reads;
}

uint64_t iso_evidence_operations(const isolab_history *h) {
    uint64_t n = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        n += h->txn_counts[t] != ISO_EXCLUDED ? h->txn_op[t + 1] - h->txn_op[t] : 0;
    }
    return n;
}

bool iso_evidence_may_have(iso_evidence_filter *f, uint32_t t, iso_levels levels, bool thoroughly) {
    enum { PAIRS = ISO_LEVEL_BIT(ISO_RC_PLUME) | ISO_LEVEL_BIT(ISO_RC) };
    const isolab_history *h = f->h;
    uint32_t reads = 0, real = 0, end = h->txn_op[t + 1];
    for (uint32_t o = h->txn_op[t]; o < end; o++) {
        if (!iso_is_write(h->op_kind[o])) {
            reads++;
            real += h->op_writer[o] != ISO_INIT;
        }
    }
    return ((levels & ISO_LEVEL_BIT(ISO_INT)) && reads > 0) || ((levels & ISO_LEVEL_BIT(ISO_CI)) && reads > 1) ||
           ((levels & ISO_LEVEL_BIT(ISO_G1)) && real > 0) ||
           ((levels & PAIRS) && reads > 1 && real > 0 && (!thoroughly || iso_evidence_contested(f, t)));
}
