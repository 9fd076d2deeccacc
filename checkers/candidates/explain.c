/* Why a writer was ruled out, as lines of a proof. See candidates.h.
 *
 * Narrowing keeps only the sweep: a writer was ruled out by edges known before that sweep, which depend on earlier
 * sweeps. So the reasons are searched for afterwards, only for writers that the contradiction needs, and are written in
 * the order of the sweeps. */
#include <string.h>

#include "checkers/candidates/candidates.h"

#define STEPS ((uint64_t)1 << 27) /* limit of steps in searching for reasons; beyond it there is no proof */

typedef struct cand_explain explain;

/* Why one transaction comes before another: a read of the second one, an axiom, or (if both are ISO_NONE) session
 * order. */
typedef struct reason {
    uint32_t from, to, read, axiom;
} reason;

/* Why the read is not from this write: the reader is known to come before the writer (t2 is ISO_NONE), or it sees t2,
 * which is known to come after the writer. Reasons [first, first + n) lead from the earlier of the two transactions to
 * the later. */
typedef struct refutal {
    uint32_t read, write, sweep, t2, first_step, n_steps, first, n;
} refutal;

struct cand_explain {
    cand *c;
    uint64_t steps;

    /* a search */
    uint32_t *stamp, search, *now, *later, n_now, n_later;
    reason *towards; /* by transaction: how it leads to the end of the path */

    reason *reasons;
    refutal *refutals;
    uint32_t n_reasons, reasons_room, n_refutals, refutals_room;
    uint8_t *needed; /* by read: all writers except its own are refuted */
};

static explain *begin(cand *c) {
    uint32_t n = c->h->n_txns;
    if (c->explain == NULL) {
        explain *x = c->explain = ISO_ZNEW(c->pool, explain, 1);
        x->c = c;
        x->stamp = ISO_ZNEW(c->pool, uint32_t, n);
        x->now = ISO_NEW(c->pool, uint32_t, n);
        x->later = ISO_NEW(c->pool, uint32_t, n);
        x->towards = ISO_NEW(c->pool, reason, n);
        x->needed = ISO_ZNEW(c->pool, uint8_t, c->n_reads);
    }
    return c->explain;
}

/* ---- paths ---- */

/* Reaches a transaction by a reason. dear: the path through r needs a settled read, so a better path may exist. */
static void reach(explain *x, reason r, bool dear) {
    uint32_t waits = 2 * x->search, reached = waits + 1;
    x->steps++;
    if (x->stamp[r.from] == reached || (dear && x->stamp[r.from] == waits)) {
        return;
    }
    x->stamp[r.from] = dear ? waits : reached;
    x->towards[r.from] = r;
    if (dear) {
        x->later[x->n_later++] = r.from;
    } else {
        x->now[x->n_now++] = r.from;
    }
}

/* Visits the direct predecessors of u that, as the rows show, are `from` or come after it. */
static void step_back(explain *x, const uint32_t *rows, uint32_t u, uint32_t from, uint32_t sweep) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    bool same = h->txn_session[u] == h->txn_session[from] && from < u;
    uint32_t before = same ? from : c->before[u];
    if (before != ISO_NONE && cand_shows(c, rows, before, from)) {
        reach(x, (reason){before, u, ISO_NONE, ISO_NONE}, false);
    }
    for (uint32_t i = c->read_first[u]; i < c->read_first[u + 1]; i++) {
        uint32_t w = c->reads[i].writer;
        if (w < ISO_MANY && c->reads[i].settled < sweep && cand_shows(c, rows, h->op_txn[w], from)) {
            reach(x, (reason){h->op_txn[w], u, i, ISO_NONE}, c->reads[i].settled > 0);
        }
    }
    for (uint32_t a = rows == c->known ? c->known_before[u] : ISO_NONE; a != ISO_NONE; a = c->axioms[a].next) {
        if (c->axioms[a].sweep < sweep && cand_shows(c, rows, c->axioms[a].t2, from)) {
            reach(x, (reason){c->axioms[a].t2, u, ISO_NONE, a}, c->axioms[a].sweep > 1);
        }
    }
}

/* Adds reasons that lead from one transaction to another and were known before the sweep, with as few settled reads as
 * possible. Returns false if there are none. */
static bool find_way(explain *x, const uint32_t *rows, uint32_t from, uint32_t to, uint32_t sweep) {
    uint32_t head = 0;
    if (from == to) {
        return true;
    }
    if (!cand_shows(x->c, rows, to, from)) {
        return false;
    }
    x->search++;
    x->n_now = x->n_later = 0;
    x->stamp[to] = 2 * x->search + 1;
    x->now[x->n_now++] = to;
    while (x->stamp[from] != 2 * x->search + 1) {
        iso_tick(x->c->pool->env);
        if (head < x->n_now) {
            step_back(x, rows, x->now[head++], from, sweep);
            continue;
        }
        for (uint32_t i = 0; i < x->n_later; i++) {
            if (x->stamp[x->later[i]] == 2 * x->search) {
                x->stamp[x->later[i]]++;
                x->now[x->n_now++] = x->later[i];
            }
        }
        if (x->n_later == 0) {
            return false;
        }
        x->n_later = 0;
    }
    for (uint32_t u = from; u != to; u = x->towards[u].to) {
        ISO_GROW(x->c->pool, x->reasons, x->n_reasons, x->reasons_room);
        x->reasons[x->n_reasons++] = x->towards[u];
    }
    return true;
}

/* The same from t2 to t3, by session order and reads alone, as steps. Returns the number of steps; 0: none were
 * found. */
static uint32_t find_steps(explain *x, uint32_t t2, uint32_t t3, uint32_t sweep) {
    cand *c = x->c;
    uint32_t first = x->n_reasons;
    if (!find_way(x, c->causal, t2, t3, sweep)) {
        return 0;
    }
    uint32_t n = x->n_reasons - first;
    for (uint32_t i = first; i < x->n_reasons; i++) {
        const reason *r = &x->reasons[i];
        ISO_GROW(c->pool, c->steps, c->n_steps, c->steps_room);
        c->steps[c->n_steps++] = r->read == ISO_NONE
                                     ? (iso_proof_step){ISO_STEP_SO, r->to, 0}
                                     : (iso_proof_step){ISO_STEP_WR, c->reads[r->read].op, c->reads[r->read].writer};
    }
    x->n_reasons = first;
    return n;
}

static void complete(explain *x, cand_axiom *a) {
    cand *c = x->c;
    if (a->n_steps == 0) {
        a->first_step = c->n_steps;
        a->n_steps = find_steps(x, a->t2, c->h->op_txn[c->reads[a->read].op], a->sweep);
        if (a->n_steps == 0) {
            iso_throw(c->pool->env, ISOLAB_E_INTERNAL, "candidates cannot say why it inferred an edge");
        }
    }
}

void iso_cand_find_steps(cand *c, cand_axiom *a) { complete(begin(c), a); }

/* ---- writing ---- */

static void claim_others(cand *c, iso_proof *p, uint32_t read) {
    const cand_read *r = &c->reads[read];
    uint32_t at = 0;
    iso_proof_choice(p, r->op);
    for (uint32_t w; (w = iso_cand_next_of_all(c, r, &at)) != ISO_NONE;) {
        if (w != r->writer) {
            iso_proof_claim(p, -iso_proof_took(p, r->op, w));
        }
    }
}

static void say_settled(cand *c, iso_proof *p, uint32_t read) {
    cand_read *r = &c->reads[read];
    if (r->settled > 0 && !r->said) {
        r->said = true;
        claim_others(c, p, read);
    }
}

void iso_cand_say_read(cand *c, iso_proof *p, uint32_t read) {
    say_settled(c, p, read);
    iso_proof_wr(p, c->reads[read].op, c->reads[read].writer);
}

void iso_cand_say_axiom(cand *c, iso_proof *p, cand_axiom *a) {
    if (a->said) {
        return;
    }
    a->said = true;
    iso_cand_find_steps(c, a);
    say_settled(c, p, a->read);
    for (uint32_t i = 0; i < a->n_steps; i++) {
        const iso_proof_step *s = &c->steps[a->first_step + i];
        if (s->kind == ISO_STEP_WR) {
            say_settled(c, p, iso_cand_read_of(c, s->a));
        }
    }
    iso_proof_axiom(p, c->reads[a->read].op, a->write, a->t2, c->steps + a->first_step, a->n_steps);
}

void iso_cand_claim_left(cand *c, iso_proof *p, uint32_t read) {
    const cand_read *r = &c->reads[read];
    uint32_t at = 0, k = 0;
    for (uint32_t w; r->first_left != ISO_NONE && (w = iso_cand_next_of_all(c, r, &at)) != ISO_NONE;) {
        if (k < r->n_left && c->left_op[r->first_left + k] == w) { /* both lists have the same order */
            k++;
        } else {
            iso_proof_claim(p, -iso_proof_took(p, r->op, w));
        }
    }
}

/* ---- refuting ---- */

static void refute_others(explain *x, uint32_t read);

/* Collects what the reasons and steps from here on depend on. */
static void need(explain *x, uint32_t first_step, uint32_t first_reason) {
    cand *c = x->c;
    for (uint32_t i = first_reason; i < x->n_reasons; i++) {
        if (x->reasons[i].read != ISO_NONE) {
            refute_others(x, x->reasons[i].read);
        } else if (x->reasons[i].axiom != ISO_NONE) {
            cand_axiom *a = &c->axioms[x->reasons[i].axiom];
            complete(x, a);
            refute_others(x, a->read);
            for (uint32_t k = 0; k < a->n_steps; k++) {
                if (c->steps[a->first_step + k].kind == ISO_STEP_WR) {
                    refute_others(x, iso_cand_read_of(c, c->steps[a->first_step + k].a));
                }
            }
        }
    }
    for (uint32_t i = first_step; i < c->n_steps; i++) {
        if (c->steps[i].kind == ISO_STEP_WR) {
            refute_others(x, iso_cand_read_of(c, c->steps[i].a));
        }
    }
}

static void put(explain *x, uint32_t read, uint32_t write, uint32_t sweep) {
    ISO_GROW(x->c->pool, x->refutals, x->n_refutals, x->refutals_room);
    x->refutals[x->n_refutals++] = (refutal){.read = read, .write = write, .sweep = sweep, .t2 = ISO_NONE};
}

/* Refutes all other writers of a settled read. */
static void refute_others(explain *x, uint32_t read) {
    const cand_read *r = &x->c->reads[read];
    uint32_t at = 0;
    if (r->settled == 0 || x->needed[read]) {
        return;
    }
    x->needed[read] = 1;
    for (uint32_t w; (w = iso_cand_next_of_all(x->c, r, &at)) != ISO_NONE;) {
        if (w != r->writer) {
            put(x, read, w, r->settled);
        }
    }
}

/* Returns whether the reader is known to come before the writer. */
static bool comes_late(explain *x, refutal *f, uint32_t t3, uint32_t t1) {
    uint32_t to = cand_in(x->c, t1) ? t1 : x->c->before[t1];
    f->first = x->n_reasons;
    if (to == ISO_NONE || !find_way(x, x->c->known, t3, to, f->sweep)) {
        return false;
    }
    f->n = x->n_reasons - f->first;
    return true;
}

/* Returns whether the writer is known to come before t2, which the reader sees by these steps. */
static bool is_overwritten(explain *x, refutal *f, uint32_t t2) {
    const cand *c = x->c;
    uint32_t t1 = cand_txn(c, f->write), from = t1 == ISO_INIT || cand_in(c, t1) ? t1 : c->after[t1];
    f->first = x->n_reasons;
    if (t1 == t2 || from == ISO_NONE || (from != ISO_INIT && !find_way(x, c->known, from, t2, f->sweep))) {
        return false;
    }
    f->n = x->n_reasons - f->first;
    f->t2 = t2;
    return true;
}

static bool try_step(explain *x, refutal *f, uint32_t t2, iso_proof_step step) {
    cand *c = x->c;
    if (!is_overwritten(x, f, t2)) {
        return false;
    }
    f->first_step = c->n_steps;
    f->n_steps = 1;
    ISO_GROW(c->pool, c->steps, c->n_steps, c->steps_room);
    c->steps[c->n_steps++] = step;
    return true;
}

static bool overwritten_causally(explain *x, refutal *f, uint32_t t3) {
    cand *c = x->c;
    uint32_t key = c->reads[f->read].key, t1 = cand_txn(c, f->write);
    for (uint32_t i = c->n_order; i-- > 0;) {
        uint32_t t2 = c->order[i];
        x->steps++;
        if (t2 == t3 || t2 == t1 || !cand_in(c, t2) || !cand_shows(c, c->causal, t3, t2) ||
            (t1 != ISO_INIT && cand_in(c, t1) && !cand_shows(c, c->known, t2, t1)) || !iso_cand_writes(c, t2, key)) {
            continue;
        }
        uint32_t first = c->n_steps, n = find_steps(x, t2, t3, f->sweep);
        if (n > 0 && is_overwritten(x, f, t2)) {
            f->first_step = first;
            f->n_steps = n;
            return true;
        }
        c->n_steps = first;
    }
    return false;
}

static bool overwritten(explain *x, refutal *f, uint32_t t3) {
    const cand *c = x->c;
    const isolab_history *h = c->h;
    uint32_t key = c->reads[f->read].key, end = c->level == ISO_RA ? c->read_first[t3 + 1] : f->read;
    for (uint32_t t2 = t3; c->level == ISO_RA && t2-- > h->session_txn[h->txn_session[t3]];) {
        if (cand_in(c, t2) && iso_cand_writes(c, t2, key)) { /* the last writer of its chain; earlier ones show no
                                                              * more */
            if (try_step(x, f, t2, (iso_proof_step){ISO_STEP_SO, t3, 0})) {
                return true;
            }
            break;
        }
    }
    for (uint32_t i = c->read_first[t3]; i < end; i++) {
        const cand_read *r = &c->reads[i];
        bool counts = c->level != ISO_RC_PLUME || r->key != key;
        if (counts && r->writer < ISO_MANY && r->settled < f->sweep && iso_cand_writes(c, h->op_txn[r->writer], key) &&
            try_step(x, f, h->op_txn[r->writer], (iso_proof_step){ISO_STEP_WR, r->op, r->writer})) {
            return true;
        }
    }
    return false;
}

static void refute(explain *x, uint32_t i) {
    cand *c = x->c;
    refutal f = x->refutals[i];
    uint32_t t3 = c->h->op_txn[c->reads[f.read].op], first_step = c->n_steps, first_reason = x->n_reasons;
    bool found = f.write != ISO_INIT && comes_late(x, &f, t3, cand_txn(c, f.write));
    if (!found && !(c->level == ISO_CC ? overwritten_causally : overwritten)(x, &f, t3)) {
        iso_throw(c->pool->env, ISOLAB_E_INTERNAL, "candidates cannot say why it ruled out a writer");
    }
    x->refutals[i] = f;
    need(x, first_step, first_reason);
}

/* ---- all of it ---- */

static void say_reason(cand *c, iso_proof *p, const reason *r) {
    if (r->read != ISO_NONE) {
        iso_proof_wr(p, c->reads[r->read].op, c->reads[r->read].writer);
    } else if (r->axiom != ISO_NONE) {
        const cand_axiom *a = &c->axioms[r->axiom];
        iso_proof_axiom(p, c->reads[a->read].op, a->write, a->t2, c->steps + a->first_step, a->n_steps);
    } else {
        iso_proof_so(p, r->from, r->to);
    }
}

static void say_refutal(explain *x, iso_proof *p, const refutal *f) {
    cand *c = x->c;
    uint32_t read = c->reads[f->read].op, t1 = cand_txn(c, f->write);
    bool optional = t1 != ISO_INIT && !cand_in(c, t1);
    for (uint32_t i = 0; i < f->n; i++) {
        say_reason(c, p, &x->reasons[f->first + i]);
    }
    if (f->t2 == ISO_NONE) {
        iso_proof_wr(p, read, f->write);
    } else {
        iso_proof_axiom(p, read, f->write, f->t2, c->steps + f->first_step, f->n_steps);
    }
    if (optional && f->t2 == ISO_NONE) {
        iso_proof_so(p, c->before[t1], t1);
    } else if (optional) {
        iso_proof_part(p, read, f->write);
        iso_proof_so(p, t1, c->after[t1]);
    }
    if (t1 != ISO_INIT) {
        if (f->t2 != ISO_NONE) {
            iso_proof_cycle(p, t1);
        }
        for (uint32_t i = 0; i < f->n; i++) {
            iso_proof_cycle(p, x->reasons[f->first + i].from);
        }
        if (f->t2 == ISO_NONE && optional) {
            iso_proof_cycle(p, c->before[t1]);
        }
        iso_proof_cycle(p, f->t2 == ISO_NONE ? t1 : f->t2);
        iso_proof_close(p);
    }
    int lemma = -iso_proof_took(p, read, f->write);
    iso_proof_lemma(p, &lemma, 1);
}

static void claimed(void *arg, uint32_t read, uint32_t write) {
    explain *x = arg;
    uint32_t i = iso_cand_read_of(x->c, read);
    if (x->c->reads[i].settled > 0) {
        refute_others(x, i);
    } else {
        put(x, i, write, x->c->sweeps);
    }
}

iso_proof *iso_cand_prove_claims(cand *c, iso_proof *claiming) {
    explain *x = begin(c);
    iso_proof *p = iso_proof_commits(c->pool, c->h, c->level);
    x->steps = 0;
    iso_proof_claims(claiming, claimed, x);
    for (uint32_t i = 0; i < x->n_refutals; i++) {
        if (x->steps >= STEPS) {
            return NULL;
        }
        refute(x, i);
    }
    for (uint32_t i = 0; i < c->n_reads; i++) {
        if (x->needed[i]) {
            iso_proof_choice(p, c->reads[i].op);
        }
    }
    for (uint32_t sweep = 1; sweep <= c->sweeps; sweep++) {
        for (uint32_t i = 0; i < x->n_refutals; i++) {
            if (x->refutals[i].sweep == sweep) {
                say_refutal(x, p, &x->refutals[i]);
            }
        }
    }
    iso_proof_append(p, claiming);
    return p;
}
