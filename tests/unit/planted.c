/* Tests experiments/referee/steer.c and source.c: the referee's random histories find mistakes of checkers that they
 * were not made for. Each plant below is a checker that is right, except that it first overlooks something in the
 * history. A hit is a history about which the plant and the checker disagree.
 *
 * A referee with a tool that is started for each question asks about 260 histories a second, which is about 15,000 in a
 * minute: each plant must have a hit among the first 15,000. ISOLAB_ONLY=NAME runs one plant. ISOLAB_MEAN=N takes N
 * seeds and tells the mean number of the first hit. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/checker.h"
#include "experiments/referee/run.h"
#include "tests/agree.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { A_MINUTE = 15000, MOST_OPS = 120, MOST_TXNS = 60 };

/* What a plant sees of a history. */
typedef struct view {
    const isolab_history *h;
    bool overlooked[MOST_OPS];   /* operations */
    uint8_t status[MOST_TXNS];   /* of transactions */
    uint32_t session[MOST_TXNS]; /* a transaction of another session than the one before begins a session */
    uint32_t version[MOST_OPS];  /* that an operation has */
} view;

typedef void plant_fn(view *v);

static uint32_t first_of(const isolab_history *h, uint32_t t) { return h->session_txn[h->txn_session[t]]; }

static uint32_t writer_of(const isolab_history *h, uint32_t op) {
    uint32_t writer = h->op_kind[op] == ISO_READ || h->op_kind[op] == ISO_LIST_READ ? h->op_writer[op] : ISO_NONE;
    return writer < h->n_ops ? h->op_txn[writer] : ISO_NONE;
}

static bool is_read(const isolab_history *h, uint32_t op) { return !iso_is_write(h->op_kind[op]); }

/* How many operations before this one in its transaction are of a kind and key (ISO_NONE: of any key). */
static uint32_t before(const isolab_history *h, uint32_t op, bool read, uint32_t key) {
    uint32_t n = 0;
    for (uint32_t o = h->txn_op[h->op_txn[op]]; o < op; o++) {
        n += is_read(h, o) == read && (key == ISO_NONE || h->op_key[o] == key);
    }
    return n;
}

/* Cuts the session before a transaction. */
static void cut(view *v, uint32_t t) {
    uint32_t end = v->h->session_txn[v->h->txn_session[t] + 1];
    for (uint32_t u = t; u < end; u++) {
        v->session[u] += 100;
    }
}

/* --- the plants --- */

static void long_reads(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t t = v->h->op_txn[o];
        v->overlooked[o] = is_read(v->h, o) && v->h->txn_op[t + 1] - v->h->txn_op[t] > 6;
    }
}

static void fourth_read(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = is_read(v->h, o) && before(v->h, o, true, ISO_NONE) >= 3;
    }
}

static void read_again(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = is_read(v->h, o) && before(v->h, o, true, v->h->op_key[o]) > 0;
    }
}

static void own_read(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = is_read(v->h, o) && before(v->h, o, false, v->h->op_key[o]) > 1;
    }
}

static void second_append(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = v->h->op_kind[o] == ISO_LIST_READ && before(v->h, o, false, v->h->op_key[o]) > 0;
    }
}

static void initial_of_writer(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = v->h->op_kind[o] == ISO_READ && iso_version_is_initial(v->h, v->h->op_version[o]) &&
                           before(v->h, o, true, ISO_NONE) > 0;
    }
}

static void empty_between(view *v) {
    for (uint32_t t = 1; t < v->h->n_txns; t++) {
        if (t > first_of(v->h, t) && v->h->txn_op[t] == v->h->txn_op[t - 1] && t - 1 > first_of(v->h, t)) {
            cut(v, t);
        }
    }
}

static void fifth_txn(view *v) {
    for (uint32_t t = 0; t < v->h->n_txns; t++) {
        if (t == first_of(v->h, t) + 4) {
            cut(v, t);
        }
    }
}

static void after_aborted(view *v) {
    for (uint32_t t = 1; t < v->h->n_txns; t++) {
        if (t > first_of(v->h, t) && v->h->txn_status[t - 1] == ISO_ABORTED) {
            cut(v, t);
        }
    }
}

static void fifth_session(view *v) {
    for (uint32_t t = 0; t < v->h->n_txns; t++) {
        if (v->h->txn_session[t] >= 4 && t > first_of(v->h, t)) {
            cut(v, t);
        }
    }
}

static void indeterminate(view *v) {
    for (uint32_t t = 0; t < v->h->n_txns; t++) {
        v->status[t] = v->status[t] == ISO_INDETERMINATE ? ISO_COMMITTED : v->status[t];
    }
}

static void third_reader(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t others = 0;
        for (uint32_t b = 0; b < o; b++) {
            others += v->h->op_kind[b] == ISO_READ && v->h->op_version[b] == v->h->op_version[o] &&
                      v->h->op_txn[b] != v->h->op_txn[o];
        }
        v->overlooked[o] = v->h->op_kind[o] == ISO_READ && others >= 3;
    }
}

static void intermediate_near(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t w = h->op_kind[o] == ISO_READ ? writer_of(h, o) : ISO_NONE;
        bool later = false;
        for (uint32_t b = w != ISO_NONE ? h->op_writer[o] + 1 : 0; w != ISO_NONE && b < h->txn_op[w + 1]; b++) {
            later |= iso_is_write(h->op_kind[b]) && h->op_key[b] == h->op_key[o];
        }
        v->overlooked[o] = later && w != h->op_txn[o] && h->txn_session[w] == h->txn_session[h->op_txn[o]];
    }
}

static void far_in_session(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t w = writer_of(v->h, o), t = v->h->op_txn[o];
        v->overlooked[o] =
            w != ISO_NONE && w != t && (v->h->txn_session[w] != v->h->txn_session[t] ? false : w + 3 <= t || w > t);
    }
}

static void back_to_writer(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t w = writer_of(v->h, o), other = 0, again = 0;
        for (uint32_t b = o; w != ISO_NONE && b-- > v->h->txn_op[v->h->op_txn[o]];) {
            uint32_t its = writer_of(v->h, b);
            other += its != ISO_NONE && its != w;
            again += other > 0 && its == w;
        }
        v->overlooked[o] = again > 0 && v->h->op_kind[o] == ISO_READ;
    }
}

static void fourth_key(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = is_read(v->h, o) && v->h->op_key[o] >= 3;
    }
}

static void read_only_last(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool writes = false;
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            writes |= !is_read(h, o);
        }
        bool last = t + 1 == h->session_txn[h->txn_session[t] + 1];
        for (uint32_t o = h->txn_op[t]; !writes && last && o < h->txn_op[t + 1]; o++) {
            v->overlooked[o] = o > h->txn_op[t];
        }
    }
}

static void twice_read(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops;
         o++) { /* of a value, and later a key of the same writer with an own write of it */
        v->overlooked[o] =
            h->op_kind[o] == ISO_READ && before(h, o, false, h->op_key[o]) == 0 && before(h, o, false, ISO_NONE) > 1;
    }
}

static void ninth_txn(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = is_read(v->h, o) && v->h->op_txn[o] >= 8;
    }
}

static void seventh_key(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = is_read(v->h, o) && v->h->op_key[o] >= 6;
    }
}

static void from_indeterminate(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t w = writer_of(v->h, o);
        v->overlooked[o] = w != ISO_NONE && w != v->h->op_txn[o] && v->h->txn_status[w] == ISO_INDETERMINATE;
    }
}

static void known_in_session(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t t = v->h->op_txn[o];
        for (uint32_t b = v->h->txn_op[first_of(v->h, t)]; b < v->h->txn_op[t]; b++) {
            v->overlooked[o] |= v->h->op_kind[o] == ISO_READ && is_read(v->h, b) &&
                                v->h->op_version[b] == v->h->op_version[o] && v->h->op_key[b] == v->h->op_key[o];
        }
    }
}

static void third_write(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t w = h->op_kind[o] == ISO_READ ? writer_of(h, o) : ISO_NONE;
        v->overlooked[o] = w != ISO_NONE && w != h->op_txn[o] && before(h, h->op_writer[o], false, ISO_NONE) >= 2;
    }
}

static void long_lists(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t list = v->h->op_version[o];
        v->overlooked[o] =
            v->h->op_kind[o] == ISO_LIST_READ && v->h->list_first[list + 1] - v->h->list_first[list] >= 3;
    }
}

static void aborted_and_later(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) { /* a read from before an aborted transaction of the same session */
        uint32_t w = h->op_kind[o] == ISO_READ ? writer_of(h, o) : ISO_NONE, t = h->op_txn[o];
        for (uint32_t u = w; w != ISO_NONE && h->txn_session[w] == h->txn_session[t] && u < t; u++) {
            v->overlooked[o] |= h->txn_status[u] == ISO_ABORTED && u > w;
        }
    }
}

static void own_after_other(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) { /* a key that was read before it was written */
        uint32_t t = h->op_txn[o];
        bool other = false, own = false;
        for (uint32_t b = h->txn_op[t]; b < o; b++) {
            bool same = h->op_key[b] == h->op_key[o];
            own |= same && other && !is_read(h, b);
            other |= same && is_read(h, b) && writer_of(h, b) != t;
        }
        v->overlooked[o] = h->op_kind[o] == ISO_READ && own;
    }
}

static void indeterminate_aborted(view *v) {
    for (uint32_t t = 0; t < v->h->n_txns; t++) {
        v->status[t] = v->status[t] == ISO_INDETERMINATE ? ISO_ABORTED : v->status[t];
    }
}

static void third_initial(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        v->overlooked[o] = h->op_kind[o] == ISO_READ && iso_version_is_initial(h, h->op_version[o]) &&
                           o == h->txn_op[h->op_txn[o]] + 2;
    }
}

static void third_of_both(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        v->overlooked[o] = is_read(h, o) && h->op_key[o] == 2 && h->txn_session[h->op_txn[o]] == 2;
    }
}

static void gap(view *v) {
    for (uint32_t t = 2; t < v->h->n_txns; t++) { /* a transaction that only reads hides those before it */
        bool writes = false;
        for (uint32_t o = v->h->txn_op[t - 1]; o < v->h->txn_op[t]; o++) {
            writes |= !is_read(v->h, o);
        }
        if (!writes && t - 1 > first_of(v->h, t)) {
            cut(v, t);
        }
    }
}

static void two_writers(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) { /* the third writer from which a transaction reads */
        uint32_t t = h->op_txn[o], w = writer_of(h, o), seen[2] = {ISO_NONE, ISO_NONE};
        for (uint32_t b = h->txn_op[t]; w != ISO_NONE && b < o; b++) {
            uint32_t its = writer_of(h, b);
            if (its != ISO_NONE && its != seen[0] && seen[1] == ISO_NONE) {
                seen[seen[0] != ISO_NONE] = its;
            }
        }
        v->overlooked[o] = seen[1] != ISO_NONE && w != seen[0] && w != seen[1] && h->op_kind[o] == ISO_READ;
    }
}

static void last_of_other(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t w = writer_of(h, o), t = h->op_txn[o];
        v->overlooked[o] = w != ISO_NONE && h->txn_session[w] != h->txn_session[t] && w > first_of(h, w) &&
                           w + 1 == h->session_txn[h->txn_session[w] + 1];
    }
}

/* --- the kinds that published checkers had (docs/findings.md) --- */

static void future_read(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        v->overlooked[o] = writer_of(h, o) == h->op_txn[o] && h->op_kind[o] == ISO_READ && h->op_writer[o] > o;
    }
}

static void after_own_write(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = is_read(v->h, o) && before(v->h, o, false, v->h->op_key[o]) > 0;
    }
}

static void intermediate(view *v) {
    const isolab_history *h = v->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t w = h->op_kind[o] == ISO_READ ? writer_of(h, o) : ISO_NONE;
        for (uint32_t later = w != ISO_NONE && w != h->op_txn[o] ? h->op_writer[o] + 1 : h->n_ops;
             later < h->n_ops && h->op_txn[later] == w; later++) {
            v->overlooked[o] |= !is_read(h, later) && h->op_key[later] == h->op_key[o];
        }
    }
}

static void any_initial(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        v->overlooked[o] = v->h->op_kind[o] == ISO_READ && iso_version_is_initial(v->h, v->h->op_version[o]);
    }
}

static void aborted(view *v) {
    for (uint32_t t = 0; t < v->h->n_txns; t++) {
        v->status[t] = v->status[t] == ISO_ABORTED ? ISO_COMMITTED : v->status[t];
    }
}

static void second_write(view *v) {
    for (uint32_t o = 0; o < v->h->n_ops; o++) {
        uint32_t key = v->h->op_key[o];
        v->overlooked[o] = !is_read(v->h, o) && before(v->h, o, false, key) > 0 && before(v->h, o, true, key) > 0;
    }
}

typedef struct plant {
    const char *name, *text;
    plant_fn *fn;
    iso_levels levels;
    bool lists;
} plant;

#define L(level) ISO_LEVEL_BIT(ISO_##level)
#define USUAL (L(RC) | L(RA) | L(CC) | L(SI) | L(SER))

static const plant plants[] = {
    {"long-reads", "overlooks the reads of transactions of more than six operations", long_reads, USUAL, false},
    {"fourth-read", "overlooks the fourth read of a transaction", fourth_read, USUAL, false},
    {"read-again", "overlooks that a key is read again", read_again, USUAL, false},
    {"own-read", "overlooks a read of a key that its transaction wrote twice", own_read, USUAL, false},
    {"second-append", "overlooks a list that its transaction appended to", second_append, L(SI) | L(SER), true},
    {"initial", "overlooks a read of an initial value after another read", initial_of_writer, USUAL, false},
    {"empty-between", "loses the order of a session at a transaction without operations", empty_between,
     L(RA) | L(CC) | L(SI) | L(SER), false},
    {"fifth-transaction", "loses the order of a session before its fifth transaction", fifth_txn,
     L(RA) | L(CC) | L(SI) | L(SER), false},
    {"after-aborted", "loses the order of a session at an aborted transaction", after_aborted,
     L(RA) | L(CC) | L(SI) | L(SER), false},
    {"fifth-session", "does not know the order of a fifth session", fifth_session, L(RA) | L(CC) | L(SI) | L(SER),
     false},
    {"indeterminate", "takes indeterminate transactions as committed", indeterminate, L(RC) | L(CC) | L(SI) | L(SER),
     false},
    {"third-reader", "overlooks the fourth reader of a value", third_reader, USUAL, false},
    {"intermediate-near", "overlooks a read of an intermediate value of its own session", intermediate_near, USUAL,
     false},
    {"far-in-session", "overlooks a read from its own session at a distance of three, or of what comes later",
     far_in_session, USUAL, false},
    {"back-to-writer", "overlooks a read of one writer after a read of it and of another one", back_to_writer, USUAL,
     false},
    {"fourth-key", "overlooks the reads of a fourth key", fourth_key, USUAL, false},
    {"read-only-last", "takes only one read of a session's last transaction, if it only reads", read_only_last, USUAL,
     false},
    {"after-two-writes", "overlooks reads after two writes of other keys", twice_read, USUAL, false},
    {"ninth-transaction", "overlooks the reads of a ninth transaction", ninth_txn, USUAL, false},
    {"seventh-key", "overlooks the reads of a seventh key", seventh_key, USUAL, false},
    {"from-indeterminate", "overlooks reads from indeterminate transactions", from_indeterminate, USUAL, false},
    {"known-in-session", "overlooks a read of what its session read before", known_in_session, USUAL, false},
    {"third-write", "overlooks reads of a transaction's third write", third_write, USUAL, false},
    {"long-lists", "overlooks lists of three elements and more", long_lists, L(SI) | L(SER), true},
    {"aborted-and-later", "overlooks a read from its session across an aborted transaction", aborted_and_later, USUAL,
     false},
    {"own-after-other", "overlooks reads of own writes of a key that the transaction read before", own_after_other,
     USUAL, false},
    {"indeterminate-aborted", "takes indeterminate transactions as aborted", indeterminate_aborted, USUAL, false},
    {"third-initial", "overlooks a read of an initial value as the third operation of a transaction", third_initial,
     USUAL, false},
    {"third-of-both", "overlooks the reads of a third key in a third session", third_of_both, USUAL, false},
    {"gap", "loses the order of a session at a transaction that only reads", gap, L(RA) | L(CC) | L(SI) | L(SER),
     false},
    {"two-writers", "overlooks reads from a third writer in one transaction", two_writers, USUAL, false},
    {"last-of-other", "overlooks reads from the last transaction of another session", last_of_other, USUAL, false},
    {"future-read", "overlooks a read of what its transaction writes later", future_read, USUAL, false},
    {"after-own-write", "overlooks reads of keys that their transaction wrote", after_own_write, USUAL, false},
    {"intermediate", "overlooks reads of values that their writer overwrote", intermediate, USUAL, false},
    {"any-initial", "overlooks reads of initial values", any_initial, USUAL, false},
    {"aborted", "takes aborted transactions as committed", aborted, USUAL, false},
    {"second-write", "overlooks a second write of a key that its transaction read", second_write, USUAL, false},
};

/* --- asking --- */

static iso_env env;
static iso_pool pool;

static isolab_history *seen(iso_pool *scratch, const view *v) {
    const isolab_history *h = v->h;
    iso_builder *b = iso_builder_new(scratch);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t session = iso_builder_session(b, iso_atom_uint(v->session[t]));
        uint32_t txn = iso_builder_txn(b, session, iso_atom_nil(), (iso_status)v->status[t]);
        if (h->txn_start != NULL) {
            iso_builder_times(b, txn, h->txn_start[t], h->txn_end[t]);
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (v->overlooked[o]) {
                continue;
            }
            uint32_t key = iso_builder_key(b, iso_atom_uint(h->op_key[o])), n = 0;
            if (h->op_kind[o] != ISO_LIST_READ) {
                iso_builder_op(b, txn, (iso_op_kind)h->op_kind[o], key, iso_version_value(h, h->op_version[o]));
                continue;
            }
            iso_atom element[MOST_OPS];
            for (uint32_t e = h->list_first[h->op_version[o]]; e < h->list_first[h->op_version[o] + 1]; e++) {
                element[n++] = iso_version_value(h, h->list_version[e]);
            }
            iso_builder_list_read(b, txn, key, element, n);
        }
    }
    return iso_builder_finish(b);
}

/* Returns the answer of a checker. */
static char ask(iso_pool *scratch, const isolab_history *h, iso_level level) {
    iso_question question = {.level = level};
    char sign = '?';
    const iso_checker *c = h->n_ops > 0 ? iso_checker_auto(h, &question) : NULL;
    if (c != NULL) {
        iso_result result;
        iso_result_init(&result, scratch);
        iso_check(c, h, &question, &result);
        sign = result.verdict == ISOLAB_SATISFIED ? 'S' : result.verdict == ISOLAB_VIOLATED ? 'V' : '?';
    }
    return sign;
}

/* Returns whether the plant is wrong about the history. said: the answer of the checker, and that of the plant. */
static bool is_hit(iso_pool *scratch, const plant *p, const isolab_history *h, iso_level level, char said[2]) {
    said[0] = said[1] = ask(scratch, h, level);
    if (h->n_ops == 0 || h->n_ops > MOST_OPS || h->n_txns > MOST_TXNS || h->n_strings > 0) {
        return false;
    }
    view v = {.h = h};
    memcpy(v.session, h->txn_session, h->n_txns * sizeof *v.session);
    memcpy(v.status, h->txn_status, h->n_txns);
    p->fn(&v);
    bool differs = memcmp(v.session, h->txn_session, h->n_txns * sizeof *v.session) != 0 ||
                   memcmp(v.status, h->txn_status, h->n_txns) != 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        differs |= v.overlooked[o];
    }
    if (differs) {
        said[1] = ask(scratch, seen(scratch, &v), level);
    }
    return said[0] != said[1] && said[0] != '?' && said[1] != '?';
}

/* Returns the number of the history that a plant is wrong about, from 1; 0: none of the first n. */
static uint64_t first_hit(const plant *p, iso_level level, uint64_t seed, uint64_t n) {
    iso_referee *r = ISO_ZNEW(&pool, iso_referee, 1);
    *r = (iso_referee){.env = &env, .pool = &pool, .n_foreign = 1, .n_questions = 1, .n_parties = 2, .lists = p->lists};
    r->questions[0].level = level;
    r->options.seed = seed;
    iso_pool scratch;
    iso_pool_init(&scratch, &env);
    iso_pool_init(&r->steering.pool, &env);
    uint64_t hit = 0;
    for (uint64_t i = 0; i < n && hit == 0; i++) {
        const isolab_history *h = iso_steered(r, &r->steering, &scratch, i);
        char said[2];
        hit = is_hit(&scratch, p, h, level, said) ? i + 1 : 0;
        iso_pool_free(&scratch);
    }
    iso_pool_free(&r->steering.pool);
    return hit;
}

static void tell_mean(const plant *p, iso_level level, uint64_t seed, uint64_t n) {
    double sum = 0;
    if (n == 0) {
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t hit = first_hit(p, level, iso_mix2(seed, i) >> 1, A_MINUTE);
        sum += (double)(hit > 0 ? hit : A_MINUTE);
    }
    diag("mean %.0f %s %s", sum / (double)n, p->name, iso_level_get(level)->name);
}

static void test(void *arg) {
    (void)arg;
    uint64_t seed = seed_or(1);
    const char *mean = getenv("ISOLAB_MEAN");
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        for (int level = 0; level < iso_n_levels; level++) {
            const char *only = getenv("ISOLAB_ONLY");
            if ((plants[i].levels & ISO_LEVEL_BIT(level)) == 0 || (only != NULL && strcmp(only, plants[i].name) != 0)) {
                continue;
            }
            uint64_t hit = first_hit(&plants[i], (iso_level)level, seed, A_MINUTE);
            tell_mean(&plants[i], (iso_level)level, seed, mean != NULL ? strtoull(mean, NULL, 10) : 0);
            ok(hit > 0, "%s at %s: a checker that %s is found (history %llu of seed %llu)", plants[i].name,
               iso_level_get((iso_level)level)->name, plants[i].text, (unsigned long long)hit,
               (unsigned long long)seed);
        }
    }
}

int main(void) {
    iso_env_init(&env);
    iso_pool_init(&pool, &env);
    if (iso_guard(&env, test, NULL) != ISOLAB_OK) {
        fail("thrown: %s", env.error.message);
    }
    iso_pool_free(&pool);
    return done_testing();
}
