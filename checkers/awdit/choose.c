/* cc by clocks (cc.c) or by guessed orders (between.c)? The estimate of both counts steps: an access to an entry of a
 * clock, or to a vector of bits.
 *
 * Clocks: each transaction and each read joins a row, which has an entry for each session that writes; then each read
 * of a key asks each of the key's sessions about its first writer. Guesses: each order visits each operation a few
 * times, whatever the number of sessions. So clocks win if there are few sessions, or few writers of a key, or if
 * sessions have one writer each, whose entries are bits. */
#include "checkers/awdit/cc.h"

enum {
    VECTOR = 256,     /* bits that are joined in one step */
    JOINED = 4,       /* short sessions become a quarter as many chains, or fewer */
    ASKED = 2,        /* steps for each session of the key of a read */
    INDEXED = 20,     /* steps of clocks for each operation: the index of writers and reads */
    ORDERS = 6,       /* usual number of guessed orders */
    VISITED = 10,     /* steps of an order for each operation */
    FEW_SESSIONS = 64 /* up to this number clocks are as fast, and threads divide them */
};

typedef struct sessions {
    uint8_t *single; /* by session: it has one writer */
    uint32_t n_single;
    uint64_t bits; /* of a row of clocks */
} sessions;

static sessions measure(const iso_awdit *a) {
    const isolab_history *h = a->h;
    sessions x = {.single = ISO_ZNEW(a->pool, uint8_t, h->n_sessions)};
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t writers = 0;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            writers += iso_awdit_in(a, t) && a->writes_first[t] < h->txn_op[t + 1];
        }
        x.single[s] = writers == 1;
        x.n_single += writers == 1;
        x.bits += writers == 0 ? 0 : iso_awdit_entry_bits(a, writers, h->session_txn[s + 1] - h->session_txn[s]);
    }
    x.bits /= h->n_txns / ISO_AWDIT_LONG < h->n_sessions ? JOINED : 1;
    return x;
}

/* Returns the number of questions "does the session's first writer of the key happen before the reader?". Sessions with
 * one writer are asked together, as the bits of a row. */
static uint64_t questions(const iso_awdit *a, const sessions *x) {
    const isolab_history *h = a->h;
    uint32_t *last = ISO_NEW_NONE(a->pool, h->n_keys), *several = ISO_ZNEW(a->pool, uint32_t, h->n_keys);
    uint32_t *single = ISO_ZNEW(a->pool, uint32_t, h->n_keys), together = x->n_single / VECTOR + 1;
    uint64_t n = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) { /* session by session */
        uint32_t s = h->txn_session[t], *count = x->single[s] ? single : several;
        for (uint32_t w = a->writes_first[t]; iso_awdit_in(a, t) && w < h->txn_op[t + 1]; w++) {
            count[a->key[w]] += last[a->key[w]] != s;
            last[a->key[w]] = s;
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t r = h->txn_op[t]; iso_awdit_in(a, t) && r < a->reads_end[t]; r++) {
            uint32_t key = a->key[r];
            n += several[key] + (single[key] < together ? single[key] : together);
        }
    }
    iso_free(a->pool, last);
    iso_free(a->pool, several);
    iso_free(a->pool, single);
    return n;
}

bool iso_awdit_choose_guesses(const iso_awdit *a) {
    const isolab_history *h = a->h;
    if (!a->bits || a->way != ISO_AWDIT_ESTIMATE) { /* the paper compares clocks */
        return a->bits && a->way == ISO_AWDIT_GUESSES;
    }
    if (h->n_sessions <= FEW_SESSIONS) {
        return false;
    }
    uint64_t reads = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        reads += iso_awdit_in(a, t) ? a->reads_end[t] - h->txn_op[t] : 0;
    }
    sessions x = measure(a);
    uint64_t joined = (h->n_txns + reads) * (x.bits / VECTOR + 1), asked = ASKED * questions(a, &x);
    iso_free(a->pool, x.single);
    uint64_t clocks = joined + asked + (uint64_t)INDEXED * h->n_ops;
    return clocks > (uint64_t)ORDERS * VISITED * h->n_ops;
}
