/* Along an order: a writer for each read, and what the level misses then. See candidates.h.
 *
 * A read that may be from several is from the last of them before it. Whom a transaction sees is what rc, rc-plume and ra ask
 * for: of those who write a key that it reads, the last one counts. */
#include <string.h>

#include "checkers/candidates/candidates.h"

/* The candidate that the solver chose: of several, the last one. */
static uint32_t chosen_by(const cand *c, const cand_search *s, uint32_t read) {
    uint32_t at = 0, best = ISO_NONE;
    for (uint32_t k = 0, w; (w = iso_cand_next(c, &c->reads[read], &at)) != ISO_NONE; k++) {
        if (iso_cand_took(s, read, k) && (best == ISO_NONE || cand_place_of(c, w) > cand_place_of(c, best))) {
            best = w;
        }
    }
    return best;
}

/* The last of the writers that are left which is before the reader. */
static uint32_t last_left(const cand *c, const cand_read *r) {
    uint32_t best = ISO_NONE, here = c->place[c->h->op_txn[r->op]];
    for (uint32_t i = 0; i < r->n_left; i++) {
        uint32_t w = c->left_op[r->first_left + i], place = cand_place_of(c, w);
        bool before = w == ISO_INIT || (place > 0 && place < here);
        if (before && (best == ISO_NONE || place > cand_place_of(c, best))) {
            best = w;
        }
    }
    return best;
}

/* latest: by version, the write that is the last one so far. */
static void choose(cand *c, cand_search *s, uint32_t read, const uint32_t *latest) {
    const cand_read *r = &c->reads[read];
    uint32_t w = r->writer;
    if (w == ISO_MANY && iso_cand_asked(s, read)) {
        w = chosen_by(c, s, read);
    } else if (w == ISO_MANY && r->first_left != ISO_NONE) {
        w = last_left(c, r);
    } else if (w == ISO_MANY) {
        w = latest[r->version];
        w = w == ISO_NONE && iso_version_is_initial(c->h, r->version) ? ISO_INIT : w;
    }
    c->chosen[read] = w;
    if (w == ISO_NONE) {
        iso_cand_miss_choice(s, read);
    }
}

static void choose_all(cand *c, cand_search *s) {
    const isolab_history *h = c->h;
    uint32_t *latest = ISO_NEW(c->pool, uint32_t, h->n_versions);
    memset(latest, 0xff, h->n_versions * sizeof *latest);
    memset(c->chosen, 0xff, c->n_reads * sizeof *c->chosen);
    for (uint32_t i = 0; i < c->n_order; i++) {
        uint32_t t = c->order[i];
        iso_tick(c->pool->env);
        for (uint32_t r = c->read_first[t]; r < c->read_first[t + 1]; r++) {
            choose(c, s, r, latest);
        }
        for (uint32_t w = c->write_first[t]; w < c->write_first[t + 1]; w++) {
            latest[h->op_version[c->write_op[w]]] = c->write_op[w];
        }
    }
    iso_free(c->pool, latest);
}

/* Transactions that take part are in the order of their session. */
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

/* Who is seen that writes a key: the last of them in the order, and how. */
typedef struct seen {
    uint32_t stamp; /* of the reader, plus 1 */
    uint32_t txn, place;
    iso_proof_step way;
} seen;

typedef struct view {
    cand *c;
    cand_search *s;
    seen *seen;     /* by key */
    uint32_t *wanted; /* by key: the reader that reads it from others, plus 1 */
    uint32_t *keys, n_keys; /* that it reads from others */
    uint32_t *own;  /* by key: its last writer of the session so far, plus 1 */
} view;

static void see_key(view *v, uint32_t t3, uint32_t t2, uint32_t key, iso_proof_step way) {
    seen *x = &v->seen[key];
    uint32_t place = v->c->place[t2];
    if (x->stamp != t3 + 1 || place > x->place) {
        *x = (seen){t3 + 1, t2, place, way};
    }
}

/* All keys that t2 writes and t3 reads. except: ISO_NONE, or one that does not count. */
static void see(view *v, uint32_t t3, uint32_t t2, iso_proof_step way, uint32_t except) {
    const cand *c = v->c;
    uint32_t first = c->write_first[t2], end = c->write_first[t2 + 1];
    if (end - first <= 8 * (uint64_t)v->n_keys) {
        for (uint32_t i = first; i < end; i++) {
            if (v->wanted[c->write_key[i]] == t3 + 1 && c->write_key[i] != except) {
                see_key(v, t3, t2, c->write_key[i], way);
            }
        }
        return;
    }
    for (uint32_t i = 0; i < v->n_keys; i++) {
        if (v->keys[i] != except && iso_cand_writes(c, t2, v->keys[i])) {
            see_key(v, t3, t2, v->keys[i], way);
        }
    }
}

/* Does the read miss what is seen of its key? */
static void judge(view *v, uint32_t t3, uint32_t read) {
    const cand *c = v->c;
    const seen *x = &v->seen[c->reads[read].key];
    uint32_t w = c->chosen[read];
    if (w != ISO_NONE && x->stamp == t3 + 1 && x->place > cand_place_of(c, w)) {
        iso_cand_miss_axiom(v->s, read, x->txn, &x->way, 1);
    }
}

static void see_read(view *v, uint32_t t3, uint32_t read, uint32_t except) {
    const cand *c = v->c;
    uint32_t w = c->chosen[read];
    if (w < ISO_MANY) {
        see(v, t3, c->h->op_txn[w], (iso_proof_step){ISO_STEP_WR, c->reads[read].op, w}, except);
    }
}

static void walk_reader(view *v, uint32_t t3) {
    cand *c = v->c;
    uint32_t first = c->read_first[t3], end = c->read_first[t3 + 1], session = c->h->txn_session[t3];
    v->n_keys = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t key = c->reads[i].key;
        if (v->wanted[key] != t3 + 1) {
            v->wanted[key] = t3 + 1;
            v->keys[v->n_keys++] = key;
        }
    }
    if (c->level < ISO_RA) {
        for (uint32_t i = first; i < end; i++) {
            judge(v, t3, i);
            see_read(v, t3, i, c->level == ISO_RC_PLUME ? c->reads[i].key : ISO_NONE);
        }
        return;
    }
    for (uint32_t i = 0; i < v->n_keys; i++) {
        uint32_t t2 = v->own[v->keys[i]] - 1;
        if (v->own[v->keys[i]] != 0 && c->h->txn_session[t2] == session) {
            see_key(v, t3, t2, v->keys[i], (iso_proof_step){ISO_STEP_SO, t3, 0});
        }
    }
    for (uint32_t i = first; i < end; i++) {
        see_read(v, t3, i, ISO_NONE);
    }
    for (uint32_t i = first; i < end; i++) {
        judge(v, t3, i);
    }
}

static void walk_views(cand *c, cand_search *s) {
    const isolab_history *h = c->h;
    view v = {.c = c, .s = s};
    uint32_t most = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = c->read_first[t + 1] - c->read_first[t];
        most = n > most ? n : most;
    }
    v.seen = ISO_ZNEW(c->pool, seen, h->n_keys);
    v.wanted = ISO_ZNEW(c->pool, uint32_t, h->n_keys);
    v.own = ISO_ZNEW(c->pool, uint32_t, h->n_keys);
    v.keys = ISO_NEW(c->pool, uint32_t, most);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (c->place[t] == 0) {
            continue;
        }
        iso_tick(c->pool->env);
        walk_reader(&v, t);
        for (uint32_t i = c->write_first[t]; i < c->write_first[t + 1]; i++) {
            v.own[c->write_key[i]] = t + 1;
        }
    }
    void *blocks[] = {v.seen, v.wanted, v.own, v.keys};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
}

void iso_cand_walk(cand *c, cand_search *s) {
    choose_all(c, s);
    uint64_t missed = iso_cand_missed(s);
    walk_sessions(c, s);
    if (c->level == ISO_CC && missed == iso_cand_missed(s)) {
        iso_cand_walk_causal(c, s);
    } else if (c->level != ISO_G1) {
        walk_views(c, s);
    }
}
