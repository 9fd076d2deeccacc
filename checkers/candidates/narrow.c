/* Infers edges that hold for every choice. See candidates.h.
 *
 * Known edges are session order, reads with one remaining writer, and the instances of the axiom that follow from
 * these. Clocks have the transactions known to come before a transaction. A writer is ruled out if its reader is known
 * to come before it, or if the reader sees another writer of the key that is known to come after it. A read with one
 * remaining writer is from it, so more edges are known, and so on. The results of a sweep over all reads count from the
 * next sweep on. */
#include <string.h>

#include "checkers/candidates/candidates.h"

#define CLOCK_BYTES ((uint64_t)512 << 20) /* if clocks would take more memory, nothing is narrowed */
#define SWEEPS 16                         /* limit of sweeps */
#define WORTH 50                          /* a sweep that settles fewer than one ambiguous read in 50 is the last one */
#define LISTED 64                         /* remaining writers are listed only up to this number */

/* A writer of the key that the reader sees, and the step to the reader (cc: not known). */
typedef struct sight {
    uint32_t txn, before; /* before: the next entry in the list of this key and reader */
    iso_proof_step step;
} sight;

typedef struct narrow {
    cand *c;
    cand_search *s;
    uint32_t *own;             /* by key: 1 + the last writer of it in the session so far */
    uint32_t *of_key, *reader; /* by key: its last sight, valid if reader is the current reader plus 1 */
    uint32_t *keys, n_keys;    /* the keys that the current reader reads from other transactions */
    sight *sights, *seen;      /* all of the current reader; of the current key, without those known to come before
                                * another */
    uint32_t n_sights, sights_room, n_seen, seen_room;
    uint32_t sweep;
    uint64_t settled, ambiguous;
} narrow;

/* ---- clocks ---- */

static uint32_t *row(const cand *c, uint32_t *rows, uint32_t t) { return rows + (size_t)t * c->n_chains; }

static void make_row(cand *c, uint32_t *rows, uint32_t t, bool axioms) {
    uint32_t *mine = row(c, rows, t);
    if (c->before[t] != ISO_NONE) {
        memcpy(mine, row(c, rows, c->before[t]), c->n_chains * sizeof *mine);
    } else {
        memset(mine, 0, c->n_chains * sizeof *mine);
    }
    if (!cand_in(c, t)) { /* its reads need not have happened */
        return;
    }
    for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
        if (c->reads[i].writer < ISO_MANY) {
            cand_join(mine, row(c, rows, c->h->op_txn[c->reads[i].writer]), c->n_chains);
        }
    }
    for (uint32_t a = axioms ? c->known_before[t] : ISO_NONE; a != ISO_NONE; a = c->axioms[a].next) {
        cand_join(mine, row(c, rows, c->axioms[a].t2), c->n_chains);
    }
    mine[c->chain[t]] = c->rank[t];
}

static void make_rows(cand *c) {
    for (uint32_t i = 0; i < c->n_order; i++) {
        iso_tick(c->pool->env);
        make_row(c, c->known, c->order[i], true);
        if (c->causal != NULL) {
            make_row(c, c->causal, c->order[i], false);
        }
    }
    for (uint32_t t = 0; t < c->h->n_txns; t++) {
        if (c->h->txn_counts[t] == ISO_OPTIONAL) {
            make_row(c, c->known, t, false);
        }
    }
}

/* ---- what a reader sees ---- */

/* Adds a sight, and keeps only those not known to come before another one. */
static void keep_last(narrow *x, sight s) {
    const cand *c = x->c;
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->n_seen; i++) {
        if (cand_shows(c, c->known, x->seen[i].txn, s.txn)) {
            return;
        }
    }
    for (uint32_t i = 0; i < x->n_seen; i++) {
        if (!cand_shows(c, c->known, s.txn, x->seen[i].txn)) {
            x->seen[n++] = x->seen[i];
        }
    }
    ISO_GROW(c->pool, x->seen, n, x->seen_room);
    x->seen[n] = s;
    x->n_seen = n + 1;
}

/* cc: adds the last writer of each chain that happened before the reader. */
static void see_causally(narrow *x, uint32_t t3, uint32_t key) {
    const cand *c = x->c;
    const uint32_t *clock = row(c, c->causal, t3);
    for (uint32_t g = c->group_first[key]; g < c->group_first[key + 1] && cand_in(c, c->writer[c->group[g]]); g++) {
        iso_tick(c->pool->env);
        const uint32_t *writer = c->writer + c->group[g];
        uint32_t chain = c->chain[writer[0]], rank = clock[chain] + (chain != c->chain[t3]);
        uint32_t n = c->rank[writer[0]] < rank ? iso_cand_below(c, writer, c->group[g + 1] - c->group[g], rank) : 0;
        if (n > 0) {
            keep_last(x, (sight){.txn = writer[n - 1]});
        }
    }
}

static void begin_reader(narrow *x, uint32_t t3) {
    const cand *c = x->c;
    x->n_keys = x->n_sights = 0;
    for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
        uint32_t key = c->reads[i].key;
        if (x->reader[key] != t3 + 1) {
            x->reader[key] = t3 + 1;
            x->of_key[key] = ISO_NONE;
            x->keys[x->n_keys++] = key;
        }
    }
}

static void sight_key(narrow *x, uint32_t key, uint32_t t2, iso_proof_step step) {
    ISO_GROW(x->c->pool, x->sights, x->n_sights, x->sights_room);
    x->sights[x->n_sights] = (sight){t2, x->of_key[key], step};
    x->of_key[key] = x->n_sights++;
}

/* Adds what the reader sees by this read: the writes of its writer, if that is known. */
static void sight_read(narrow *x, uint32_t t3, uint32_t read) {
    const cand *c = x->c;
    uint32_t w = c->reads[read].writer, except = c->level == ISO_RC_PLUME ? c->reads[read].key : ISO_NONE;
    iso_proof_step step = {ISO_STEP_WR, c->reads[read].op, w};
    if (w >= ISO_MANY) {
        return;
    }
    uint32_t t2 = c->h->op_txn[w], first = c->write_first[t2], end = c->write_first[t2 + 1];
    if (end - first <= 8 * (uint64_t)x->n_keys) {
        for (uint32_t i = first; i < end; i++) {
            if (x->reader[c->write_key[i]] == t3 + 1 && c->write_key[i] != except) {
                sight_key(x, c->write_key[i], t2, step);
            }
        }
        return;
    }
    for (uint32_t i = 0; i < x->n_keys; i++) {
        if (x->keys[i] != except && iso_cand_writes(c, t2, x->keys[i])) {
            sight_key(x, x->keys[i], t2, step);
        }
    }
}

static void sight_session(narrow *x, uint32_t t3) {
    const cand *c = x->c;
    for (uint32_t i = 0; i < x->n_keys; i++) {
        uint32_t t2 = x->own[x->keys[i]] - 1;
        if (x->own[x->keys[i]] != 0 && c->h->txn_session[t2] == c->h->txn_session[t3]) {
            sight_key(x, x->keys[i], t2, (iso_proof_step){ISO_STEP_SO, t3, 0});
        }
    }
}

/* Fills in `seen`. */
static void see(narrow *x, uint32_t t3, uint32_t key) {
    x->n_seen = 0;
    if (x->c->level == ISO_CC) {
        see_causally(x, t3, key);
        return;
    }
    for (uint32_t i = x->of_key[key]; i != ISO_NONE; i = x->sights[i].before) {
        keep_last(x, x->sights[i]);
    }
}

/* ---- inference ---- */

/* Returns how many transactions of a chain are known to come before a transaction that the reader sees. */
static uint32_t bound(const narrow *x, uint32_t chain) {
    const cand *c = x->c;
    uint32_t most = 0;
    for (uint32_t i = 0; i < x->n_seen; i++) {
        uint32_t t2 = x->seen[i].txn, n = row(c, c->known, t2)[chain] - (c->chain[t2] == chain);
        most = n > most ? n : most;
    }
    return most;
}

/* An optional transaction is known to come only before the next one of its session. */
static bool overwritten(const narrow *x, uint32_t t1) {
    const cand *c = x->c;
    uint32_t t = cand_in(c, t1) ? t1 : c->after[t1];
    bool overtaken = t != ISO_NONE && c->rank[t] <= bound(x, c->chain[t]);
    for (uint32_t i = 0; i < x->n_seen && t != t1; i++) {
        overtaken |= x->seen[i].txn == t;
    }
    return overtaken;
}

/* Updates the remaining writers of a read that has a list of them. */
static void filter(narrow *x, uint32_t t3, cand_read *r) {
    const cand *c = x->c;
    uint32_t *left = c->left_op + r->first_left, n = 0;
    for (uint32_t i = 0; i < r->n_left; i++) {
        uint32_t t1 = cand_txn(c, left[i]);
        if (t1 == ISO_INIT ? x->n_seen == 0 : !cand_shows(c, c->known, t1, t3) && !overwritten(x, t1)) {
            left[n++] = left[i];
        }
    }
    r->n_left = n;
}

static void leave(cand *c, uint32_t w) {
    ISO_GROW(c->pool, c->left_op, c->n_left, c->left_room);
    c->left_op[c->n_left++] = w;
}

/* Lists the remaining writers of a read without a list: of each chain those from the first that is not overwritten to
 * the last that does not come too late. */
static void list(narrow *x, uint32_t t3, cand_read *r) {
    cand *c = x->c;
    const isolab_history *h = c->h;
    const uint32_t *op = c->final_op + c->final_first[r->version];
    uint32_t n = c->final_first[r->version + 1] - c->final_first[r->version], first = c->n_left;
    uint32_t chain = ISO_NONE, least = 0, ended = ISO_NONE;
    for (uint32_t i = 0; i < n && c->n_left - first <= LISTED; i++) {
        uint32_t t1 = h->op_txn[op[i]];
        if (c->chain[t1] == ended) {
            continue;
        }
        if (cand_in(c, t1) && c->chain[t1] != chain) {
            chain = c->chain[t1];
            least = bound(x, chain) + 1;
        }
        if (cand_shows(c, c->known, t1, t3)) {
            ended = c->chain[t1];
        } else if (cand_in(c, t1) ? c->rank[t1] >= least : !overwritten(x, t1)) {
            leave(c, op[i]);
        }
    }
    if (iso_version_is_initial(h, r->version) && x->n_seen == 0) {
        leave(c, ISO_INIT);
    }
    if (c->n_left - first > LISTED) {
        c->n_left = first;
    } else {
        r->first_left = first;
        r->n_left = c->n_left - first;
    }
}

static void infer(narrow *x, uint32_t read) {
    cand *c = x->c;
    uint32_t w = c->reads[read].writer, t1 = cand_txn(c, w);
    for (uint32_t i = 0; i < x->n_seen; i++) {
        const sight *s = &x->seen[i];
        if (s->txn == t1 || (t1 != ISO_INIT && cand_shows(c, c->known, t1, s->txn))) {
            continue;
        }
        ISO_GROW(c->pool, c->axioms, c->n_axioms, c->axioms_room);
        cand_axiom *a = &c->axioms[c->n_axioms];
        *a = (cand_axiom){
            .t2 = s->txn, .read = read, .write = w, .first_step = c->n_steps, .sweep = x->sweep, .next = ISO_NONE};
        if (c->level != ISO_CC) {
            ISO_GROW(c->pool, c->steps, c->n_steps, c->steps_room);
            c->steps[c->n_steps++] = s->step;
            a->n_steps = 1;
        }
        if (t1 != ISO_INIT) {
            a->next = c->known_before[t1];
            c->known_before[t1] = c->n_axioms;
        }
        iso_cand_infer(x->s, c->n_axioms++);
    }
}

static void narrow_read(narrow *x, uint32_t t3, uint32_t read) {
    cand *c = x->c;
    cand_read *r = &c->reads[read];
    if (r->writer == ISO_NONE) {
        return;
    }
    see(x, t3, r->key);
    if (r->writer != ISO_MANY) {
        infer(x, read);
        return;
    }
    (r->first_left != ISO_NONE ? filter : list)(x, t3, r);
    x->ambiguous++;
    if (r->first_left == ISO_NONE || r->n_left > 1) {
        return;
    }
    uint32_t w = r->n_left == 0 ? ISO_NONE : c->left_op[r->first_left];
    if (w == ISO_NONE) {
        iso_cand_miss_choice(x->s, read);
    } else if (w == ISO_INIT || cand_in(c, cand_txn(c, w))) {
        r->writer = w;
        r->settled = x->sweep;
        x->settled++;
        iso_cand_settle(x->s, read);
    }
}

static void narrow_reader(narrow *x, uint32_t t3) {
    const cand *c = x->c;
    begin_reader(x, t3);
    if (c->level == ISO_RA) {
        sight_session(x, t3);
        for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
            sight_read(x, t3, i);
        }
    }
    for (uint32_t i = c->read_first[t3]; i < c->read_first[t3 + 1]; i++) {
        uint32_t settled = c->reads[i].settled;
        narrow_read(x, t3, i);
        if (iso_level_has(c->level, ISO_SEES_OTHER_KEY) && !iso_level_has(c->level, ISO_SEES_READ) &&
            settled == c->reads[i].settled) {
            sight_read(x, t3, i);
        }
    }
}

static void sweep(narrow *x) {
    cand *c = x->c;
    const isolab_history *h = c->h;
    x->sweep = ++c->sweeps;
    x->settled = x->ambiguous = 0;
    make_rows(c);
    memset(x->own, 0, h->n_keys * sizeof *x->own);
    memset(x->reader, 0, h->n_keys * sizeof *x->reader);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (!cand_in(c, t)) {
            continue;
        }
        iso_tick(c->pool->env);
        narrow_reader(x, t);
        for (uint32_t i = c->write_first[t]; i < c->write_first[t + 1]; i++) {
            x->own[c->write_key[i]] = t + 1;
        }
    }
}

/* ---- all of it ---- */

/* Returns whether the clocks fit into memory. */
static bool make_room(cand *c) {
    const iso_limits *limits = c->pool->env->limits;
    uint64_t bytes = (uint64_t)c->h->n_txns * c->n_chains * sizeof *c->known * (c->level == ISO_CC ? 2 : 1);
    uint64_t used = atomic_load(&limits->used);
    if (bytes > CLOCK_BYTES || (limits->memory != 0 && used + 2 * bytes > limits->memory)) {
        return false;
    }
    c->known = ISO_NEW(c->pool, uint32_t, (size_t)c->h->n_txns * c->n_chains);
    c->causal = c->level == ISO_CC ? ISO_NEW(c->pool, uint32_t, (size_t)c->h->n_txns * c->n_chains) : NULL;
    return true;
}

bool iso_cand_narrow(cand *c, cand_search *s) {
    const isolab_history *h = c->h;
    narrow x = {.c = c, .s = s};
    bool good = iso_cand_search(s);
    if (!good || !make_room(c)) {
        return good;
    }
    c->known_before = ISO_NEW_NONE(c->pool, h->n_txns);
    x.own = ISO_NEW(c->pool, uint32_t, h->n_keys);
    x.reader = ISO_NEW(c->pool, uint32_t, h->n_keys);
    x.of_key = ISO_NEW(c->pool, uint32_t, h->n_keys);
    x.keys = ISO_NEW(c->pool, uint32_t, h->n_keys);
    do {
        sweep(&x);
        good = iso_cand_search(s);
    } while (good && x.sweep < SWEEPS && x.settled > 0 && x.settled * WORTH >= x.ambiguous);
    void *blocks[] = {x.own, x.reader, x.of_key, x.keys, x.sights, x.seen};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(c->pool, blocks[i]);
    }
    return good;
}
