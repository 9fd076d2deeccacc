/* Walks along an order: chooses a writer for each read, and finds the violated instances of the axiom. See
 * candidates.h.
 *
 * Among several writers before a reader, it chooses the oldest one that is not overwritten by a writer that the reader
 * sees: an older writer requires less, and stays before its reader when the order changes. rc, rc-plume and ra depend
 * on the transactions that a reader sees: among the writers of a key that it reads, the last one counts. */
#include <string.h>

#include "base/bisect.h"
#include "checkers/candidates/candidates.h"

/* Limit of passes over the choices of a transaction: each choice may show a transaction that other choices must not be
 * older than. */
#define PASSES 4

/* The last transaction in the order that is seen and writes a key, and how it is seen. */
typedef struct seen {
    uint32_t stamp, txn, place;
    iso_proof_step way;
} seen;

typedef struct walk {
    cand *c;
    cand_search *s;
    seen *seen; /* by key */
    uint32_t stamp;
    uint32_t *reader;       /* by key: 1 + the transaction, if the current one, that reads it from other transactions */
    uint32_t *keys, n_keys; /* the keys that the current transaction reads from others */
    uint32_t *own; /* by read (ra): the last writer of its key before its transaction in the session; ISO_NONE: none */
} walk;

/* ---- choices ---- */

/* Returns the candidate that the solver chose; of several, the last one. */
static uint32_t solved(const cand *c, const cand_search *s, uint32_t read) {
    uint32_t at = 0, best = ISO_NONE;
    for (uint32_t k = 0, w; (w = iso_cand_next(c, &c->reads[read], &at)) != ISO_NONE; k++) {
        if (iso_cand_took(s, read, k) && (best == ISO_NONE || cand_place_of(c, w) > cand_place_of(c, best))) {
            best = w;
        }
    }
    return best;
}

bool iso_cand_is_free(const cand *c, const cand_search *s, uint32_t read) {
    return c->reads[read].writer == ISO_MANY && !iso_cand_asked(s, read);
}

uint32_t iso_cand_fixed(const cand *c, const cand_search *s, uint32_t read) {
    return c->reads[read].writer != ISO_MANY ? c->reads[read].writer : solved(c, s, read);
}

/* Returns whether one writer is a better choice than another; both are before the reader. */
static bool better(uint32_t place, uint32_t than, uint32_t least) {
    return than >= least ? place >= least && place < than : place > than;
}

static uint32_t choose_left(const cand *c, const cand_read *r, uint32_t least) {
    uint32_t best = ISO_NONE, here = c->place[c->h->op_txn[r->op]];
    for (uint32_t i = 0; i < r->n_left; i++) {
        uint32_t w = c->left_op[r->first_left + i], place = cand_place_of(c, w);
        bool before = w == ISO_INIT || (place > 0 && place < here);
        if (before && (best == ISO_NONE || better(place, cand_place_of(c, best), least))) {
            best = w;
        }
    }
    return best;
}

uint32_t iso_cand_choose(const cand *c, uint32_t read, uint32_t least) {
    const cand_read *r = &c->reads[read];
    const uint32_t *op = c->done_op + c->final_first[r->version];
    uint32_t n = c->n_done[r->version];
    if (r->first_left != ISO_NONE) {
        return choose_left(c, r, least);
    }
    if (iso_version_is_initial(c->h, r->version) && (least == 0 || n == 0)) {
        return ISO_INIT;
    }
    uint32_t at = ISO_BISECT(i, 0, n, cand_place_of(c, op[i]) < least);
    return n == 0 ? ISO_NONE : op[at < n ? at : n - 1];
}

void iso_cand_done(cand *c, uint32_t t) {
    for (uint32_t i = c->write_first[t]; i < c->write_first[t + 1]; i++) {
        uint32_t v = c->h->op_version[c->write_op[i]];
        c->done_op[c->final_first[v] + c->n_done[v]++] = c->write_op[i];
    }
}

/* ---- what a reader sees ---- */

static void see_key(walk *x, uint32_t t2, uint32_t key, iso_proof_step way) {
    seen *k = &x->seen[key];
    uint32_t place = x->c->place[t2];
    if (k->stamp != x->stamp || place > k->place) {
        *k = (seen){x->stamp, t2, place, way};
    }
}

/* Adds t2 as seen for all keys that it writes and t3 reads. except: a key that does not count; ISO_NONE: none. */
static void see(walk *x, uint32_t t3, uint32_t t2, iso_proof_step way, uint32_t except) {
    const cand *c = x->c;
    uint32_t first = c->write_first[t2], end = c->write_first[t2 + 1];
    if (end - first <= 8 * (uint64_t)x->n_keys) {
        for (uint32_t i = first; i < end; i++) {
            if (x->reader[c->write_key[i]] == t3 + 1 && c->write_key[i] != except) {
                see_key(x, t2, c->write_key[i], way);
            }
        }
        return;
    }
    for (uint32_t i = 0; i < x->n_keys; i++) {
        if (x->keys[i] != except && iso_cand_writes(c, t2, x->keys[i])) {
            see_key(x, t2, x->keys[i], way);
        }
    }
}

static void see_read(walk *x, uint32_t t3, uint32_t read) {
    const cand *c = x->c;
    uint32_t w = c->chosen[read], except = c->level == ISO_RC_PLUME ? c->reads[read].key : ISO_NONE;
    if (w < ISO_MANY && c->level != ISO_G1) {
        see(x, t3, c->h->op_txn[w], (iso_proof_step){ISO_STEP_WR, c->reads[read].op, w}, except);
    }
}

/* Returns the place of the last writer that is seen; 0: none. */
static uint32_t least(const walk *x, uint32_t read) {
    const seen *k = &x->seen[x->c->reads[read].key];
    return k->stamp == x->stamp ? k->place : 0;
}

static void judge(walk *x, uint32_t read) {
    const cand *c = x->c;
    uint32_t w = c->chosen[read];
    if (w == ISO_NONE) {
        iso_cand_miss_choice(x->s, read);
    } else if (least(x, read) > cand_place_of(c, w)) {
        const seen *k = &x->seen[c->reads[read].key];
        iso_cand_miss_axiom(x->s, read, k->txn, &k->way, 1);
    }
}

/* rc, rc-plume, g1: only earlier reads count. */
static void read_in_turn(walk *x, uint32_t t3) {
    cand *c = x->c;
    x->stamp++;
    for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
        c->chosen[i] = iso_cand_is_free(c, x->s, i) ? iso_cand_choose(c, i, least(x, i)) : iso_cand_fixed(c, x->s, i);
        judge(x, i);
        see_read(x, t3, i);
    }
}

static void see_session(walk *x, uint32_t t3) {
    const cand *c = x->c;
    x->stamp++;
    for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
        if (x->own[i] != ISO_NONE) {
            see_key(x, x->own[i], c->reads[i].key, (iso_proof_step){ISO_STEP_SO, t3, 0});
        }
    }
}

/* ra: all reads count. */
static void read_at_once(walk *x, uint32_t t3) {
    cand *c = x->c;
    uint32_t first = c->read_first[t3], end = c->read_first[t3 + 1];
    bool changed = true;
    see_session(x, t3);
    for (uint32_t i = first; i < end; i++) {
        c->chosen[i] = iso_cand_is_free(c, x->s, i) ? ISO_NONE : iso_cand_fixed(c, x->s, i);
        see_read(x, t3, i);
    }
    for (uint32_t pass = 0; changed && pass < PASSES; pass++) {
        changed = false;
        for (uint32_t i = first; i < end; i++) {
            uint32_t w = c->chosen[i];
            if (iso_cand_is_free(c, x->s, i) && (w == ISO_NONE || cand_place_of(c, w) < least(x, i))) {
                c->chosen[i] = iso_cand_choose(c, i, least(x, i));
                changed |= w != c->chosen[i];
                see_read(x, t3, i);
            }
        }
    }
    see_session(x, t3);
    for (uint32_t i = first; i < end; i++) {
        see_read(x, t3, i);
    }
    for (uint32_t i = first; i < end; i++) {
        judge(x, i);
    }
}

static void list_keys(walk *x, uint32_t t3) {
    const cand *c = x->c;
    x->n_keys = 0;
    for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
        uint32_t key = c->reads[i].key;
        if (x->reader[key] != t3 + 1) {
            x->reader[key] = t3 + 1;
            x->keys[x->n_keys++] = key;
        }
    }
}

/* ---- all of it ---- */

/* Checks that included transactions are in the order of their session. */
static void walk_sessions(cand *c, cand_search *s) {
    const isolab_history *h = c->h;
    for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
        if (c->place[t] == 0) {
            continue;
        }
        if (before == ISO_NONE || h->txn_session[before] != h->txn_session[t]) {
            before = t;
        } else if (c->place[before] > c->place[t]) {
            iso_cand_miss_session(s, before, t);
        } else {
            before = t;
        }
    }
}

static void find_own(walk *x) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    uint32_t *last = ISO_ZNEW(c->pool, uint32_t, h->n_keys); /* by key: 1 + its writer */
    x->own = ISO_NEW(c->pool, uint32_t, c->n_reads);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
            uint32_t t2 = last[c->reads[i].key];
            x->own[i] = t2 != 0 && h->txn_session[t2 - 1] == h->txn_session[t] ? t2 - 1 : ISO_NONE;
        }
        for (uint32_t i = c->write_first[t]; c->place[t] != 0 && i < c->write_first[t + 1]; i++) {
            last[c->write_key[i]] = t + 1;
        }
    }
    iso_free(c->pool, last);
}

static void walk_readers(cand *c, cand_search *s) {
    const isolab_history *h = c->h;
    walk x = {.c = c, .s = s};
    x.seen = ISO_ZNEW(c->pool, seen, h->n_keys);
    x.reader = ISO_ZNEW(c->pool, uint32_t, h->n_keys);
    x.keys = ISO_NEW(c->pool, uint32_t, h->n_keys);
    if (c->level == ISO_RA) {
        find_own(&x);
    }
    for (uint32_t i = 0; i < c->n_order; i++) {
        iso_tick(c->pool->env);
        list_keys(&x, c->order[i]);
        (c->level == ISO_RA ? read_at_once : read_in_turn)(&x, c->order[i]);
        iso_cand_done(c, c->order[i]);
    }
    void *blocks[] = {x.seen, x.reader, x.keys, x.own};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}

void iso_cand_walk(cand *c, cand_search *s) {
    uint64_t missed = iso_cand_missed(s);
    iso_fill_none(c->chosen, c->n_reads);
    memset(c->n_done, 0, c->h->n_versions * sizeof *c->n_done);
    walk_sessions(c, s);
    if (c->level != ISO_CC) {
        walk_readers(c, s);
    } else if (missed == iso_cand_missed(s)) { /* otherwise clocks would include transactions that come later */
        iso_cand_walk_causal(c, s);
    }
}
