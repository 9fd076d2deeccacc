/* The axioms of the levels (docs/levels.md), instance by instance. See sat.h.
 *
 * Every axiom has the form: if t3 reads x from t1, t2 writes x, and t3 sees t2 in some way, then t2 co t1. For the
 * order and the writers of a model, each violated instance becomes a clause: one of the choices that it depends on is
 * false, or one of the orders by which t3 sees t2 is false, or t2 is before t1. */
#include <string.h>

#include "base/bisect.h"
#include "checkers/sat/sat.h"

/* Adds an instance whose premises are already in the clause. steps: how t3 sees t2, for a certificate. Returns the
 * number of added clauses. */
static uint64_t instance(sat *s, const iso_sat_read *r, uint32_t t2, const iso_proof_step *steps, uint32_t n) {
    if (s->proof != NULL) {
        iso_proof_axiom(s->proof, r->op, s->choices[r->chosen].op, s->txn[t2], steps, n);
    }
    iso_sat_add(s, -s->choices[r->chosen].literal);
    iso_sat_add(s, -s->part[t2]);
    iso_sat_add(s, iso_sat_before(s, t2, s->choices[r->chosen].vertex));
    iso_sat_end(s);
    return 1;
}

/* Steps for a certificate. */
static iso_proof_step by_session(const sat *s, uint32_t to) { return (iso_proof_step){ISO_STEP_SO, s->txn[to], 0}; }
static iso_proof_step by_order(const sat *s, uint32_t to) { return (iso_proof_step){ISO_STEP_CO, s->txn[to], 0}; }
static iso_proof_step by_read(const sat *s, const iso_sat_read *r) {
    return (iso_proof_step){ISO_STEP_WR, r->op, s->choices[r->chosen].op};
}

/* Returns whether the model already has t2 before t1. */
static bool holds(const sat *s, uint32_t t2, uint32_t t1) {
    return t1 != SAT_INIT && s->position[t2] < s->position[t1];
}

/* Returns whether the read's writer in the model is another transaction, *t1. INT deals with other reads. */
static bool from_other(const sat *s, const iso_sat_read *r, uint32_t v, uint32_t *t1) {
    if (r->chosen == ISO_NONE) {
        return false;
    }
    *t1 = s->choices[r->chosen].vertex;
    return *t1 != v;
}

static bool writes(const sat *s, uint32_t v, uint32_t key) {
    uint32_t end = s->writer_first[key + 1], at = ISO_BISECT(i, s->writer_first[key], end, s->writer[i] < v);
    return at < end && s->writer[at] == v;
}

static bool session_before(const sat *s, uint32_t a, uint32_t b) {
    return s->sessions && a < b && s->h->txn_session[s->txn[a]] == s->h->txn_session[s->txn[b]];
}

/* Adds an instance if the model violates it: v sees t2 by a read r, which took a value from t2, and read rx of v took
 * from t1 a value of a key that t2 also writes. Returns the number of added clauses. */
static uint64_t seen_by(sat *s, uint32_t v, const iso_sat_read *r, const iso_sat_read *rx, uint32_t t1) {
    uint32_t t2;
    if (!from_other(s, r, v, &t2) || t2 == SAT_INIT || t2 == t1 || holds(s, t2, t1) || !writes(s, t2, rx->key)) {
        return 0;
    }
    iso_sat_add(s, -s->choices[r->chosen].literal);
    iso_proof_step way = by_read(s, r);
    return instance(s, rx, t2, &way, 1);
}

/* Returns whether a read of rx's transaction makes visible what it read from, when rx reads. */
static bool makes_visible(const sat *s, const iso_sat_read *r, const iso_sat_read *rx) {
    return (s->rules & ISO_SEES_READ) ||
           (r < rx && ((s->rules & ISO_SEES_READ_BEFORE) || ((s->rules & ISO_SEES_OTHER_KEY) && r->key != rx->key)));
}

/* t2 so t3, and t2 wr t3 (by which reads, the rules say). Also the part of pc in which t2 = t4. */
static uint64_t direct(sat *s, uint32_t v) {
    uint64_t added = 0;
    uint32_t t1, t2;
    for (uint32_t i = s->read_first[v]; i < s->read_first[v + 1]; i++) {
        const iso_sat_read *rx = &s->reads[i];
        if (!from_other(s, rx, v, &t1)) {
            continue;
        }
        for (uint32_t w = s->writer_first[rx->key]; (s->rules & ISO_SEES_SESSION) && w < s->writer_first[rx->key + 1];
             w++) {
            iso_tick(s->env);
            t2 = s->writer[w];
            if (t2 != t1 && session_before(s, t2, v) && iso_sat_included(s, t2) && !holds(s, t2, t1)) {
                iso_proof_step way = by_session(s, v);
                added += instance(s, rx, t2, &way, 1);
            }
        }
        for (uint32_t j = s->read_first[v]; j < s->read_first[v + 1]; j++) {
            iso_tick(s->env);
            added += makes_visible(s, &s->reads[j], rx) ? seen_by(s, v, &s->reads[j], rx, t1) : 0;
        }
    }
    return added;
}

/* Causes: t2 (so|wr)+ t3. A search backwards from t3; its tree gives the choices that each path depends on. */
typedef struct past {
    uint32_t *queue, n_queue;
    uint32_t *next;    /* towards t3; ISO_NONE: not reached */
    uint32_t *through; /* the read on which the step depends; ISO_NONE: session order */
    iso_proof_step *way;
    uint32_t way_room;
} past;

static void reach(past *p, uint32_t u, uint32_t next, uint32_t through) {
    if (p->next[u] == ISO_NONE) {
        p->next[u] = next;
        p->through[u] = through;
        p->queue[p->n_queue++] = u;
    }
}

static uint64_t causal(sat *s, uint32_t v, past *p) {
    uint64_t added = 0;
    uint32_t t1;
    for (uint32_t i = 0; i < p->n_queue; i++) {
        p->next[p->queue[i]] = ISO_NONE;
    }
    p->n_queue = 0;
    reach(p, v, v, ISO_NONE);
    for (uint32_t i = 0; i < p->n_queue; i++) {
        uint32_t u = p->queue[i];
        iso_tick(s->env);
        /* the nearest included predecessor reaches the earlier ones */
        for (uint32_t w = u; w > 0 && session_before(s, w - 1, u);) {
            w--;
            if (iso_sat_included(s, w)) {
                reach(p, w, u, ISO_NONE);
                break;
            }
        }
        for (uint32_t j = s->read_first[u]; j < s->read_first[u + 1]; j++) {
            if (from_other(s, &s->reads[j], u, &t1) && t1 != SAT_INIT) {
                reach(p, t1, u, j);
            }
        }
    }
    for (uint32_t i = s->read_first[v]; i < s->read_first[v + 1]; i++) {
        const iso_sat_read *rx = &s->reads[i];
        if (!from_other(s, rx, v, &t1)) {
            continue;
        }
        for (uint32_t w = s->writer_first[rx->key]; w < s->writer_first[rx->key + 1]; w++) {
            uint32_t t2 = s->writer[w];
            if (t2 == t1 || t2 == v || p->next[t2] == ISO_NONE || holds(s, t2, t1)) {
                continue;
            }
            uint32_t n = 0;
            for (uint32_t u = t2; u != v; u = p->next[u]) {
                ISO_GROW(s->pool, p->way, n, p->way_room);
                p->way[n++] =
                    p->through[u] == ISO_NONE ? by_session(s, p->next[u]) : by_read(s, &s->reads[p->through[u]]);
                if (p->through[u] != ISO_NONE) {
                    iso_sat_add(s, -s->choices[s->reads[p->through[u]].chosen].literal);
                }
                iso_sat_add(s, -s->part[u]);
            }
            added += instance(s, rx, t2, p->way, n);
        }
    }
    return added;
}

/* Adds instances for all t2 that write x, are not before t1, and are not after t4. `why` has the literals of the
 * premises, and last is the step from t4 to t3. */
static uint64_t up_to(sat *s, const iso_sat_read *rx, uint32_t v, uint32_t t1, uint32_t t4, const int *why,
                      uint32_t n_why, iso_proof_step last) {
    uint64_t added = 0;
    for (uint32_t w = s->writer_first[rx->key]; w < s->writer_first[rx->key + 1]; w++) {
        iso_tick(s->env);
        uint32_t t2 = s->writer[w];
        if (t2 == t1 || t2 == v || s->position[t2] > s->position[t4] || holds(s, t2, t1) || !iso_sat_included(s, t2)) {
            continue;
        }
        for (uint32_t i = 0; i < n_why; i++) {
            iso_sat_add(s, -why[i]);
        }
        iso_sat_add(s, t2 == t4 ? SAT_FALSE : iso_sat_before(s, t4, t2));
        iso_proof_step way[2] = {by_order(s, t4), last};
        added += t2 == t4 ? instance(s, rx, t2, &last, 1) : instance(s, rx, t2, way, 2);
    }
    return added;
}

/* Prefix: t2 co* t4, t4 (so|wr) t3. The latest t4 is enough. */
static uint64_t prefix(sat *s, uint32_t v) {
    uint64_t added = 0;
    uint32_t t1, t4, latest = SAT_INIT, through = ISO_NONE;
    for (uint32_t w = v; w > 0 && session_before(s, w - 1, v) && latest == SAT_INIT;) {
        w--;
        latest = iso_sat_included(s, w) ? w : SAT_INIT;
    }
    for (uint32_t i = s->read_first[v]; i < s->read_first[v + 1]; i++) {
        if (from_other(s, &s->reads[i], v, &t4) && t4 != SAT_INIT &&
            (latest == SAT_INIT || s->position[t4] > s->position[latest])) {
            latest = t4;
            through = i;
        }
    }
    for (uint32_t i = s->read_first[v]; latest != SAT_INIT && i < s->read_first[v + 1]; i++) {
        int why[3] = {through == ISO_NONE ? SAT_TRUE : s->choices[s->reads[through].chosen].literal, s->part[latest],
                      s->part[v]};
        if (from_other(s, &s->reads[i], v, &t1)) {
            iso_proof_step last = through == ISO_NONE ? by_session(s, v) : by_read(s, &s->reads[through]);
            added += up_to(s, &s->reads[i], v, t1, latest, why, 3, last);
        }
    }
    return added;
}

/* Conflict: t3 and t4 write y, t2 co* t4, t4 co t3. Again the latest t4 is enough. */
static uint64_t conflicts(sat *s, uint32_t v) {
    const isolab_history *h = s->h;
    uint64_t added = 0;
    uint32_t t1, latest = SAT_INIT, mine = ISO_NONE;
    for (uint32_t o = h->txn_op[s->txn[v]]; o < h->txn_op[s->txn[v] + 1]; o++) {
        for (uint32_t w = s->writer_first[h->op_key[o]];
             iso_is_write(h->op_kind[o]) && w < s->writer_first[h->op_key[o] + 1]; w++) {
            iso_tick(s->env);
            uint32_t t4 = s->writer[w];
            if (t4 != v && s->position[t4] < s->position[v] && iso_sat_included(s, t4) &&
                (latest == SAT_INIT || s->position[t4] > s->position[latest])) {
                latest = t4;
                mine = o;
            }
        }
    }
    iso_proof_step last = {ISO_STEP_WW, ISO_NONE, mine};
    for (uint32_t o = latest == SAT_INIT ? 0 : h->txn_op[s->txn[latest]]; last.a == ISO_NONE && latest != SAT_INIT;
         o++) {
        last.a = iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[mine] ? o : ISO_NONE;
    }
    for (uint32_t i = s->read_first[v]; latest != SAT_INIT && i < s->read_first[v + 1]; i++) {
        int why[3] = {iso_sat_before(s, latest, v), s->part[latest], s->part[v]};
        if (from_other(s, &s->reads[i], v, &t1)) {
            added += up_to(s, &s->reads[i], v, t1, latest, why, 3, last);
        }
    }
    return added;
}

/* Before: t2 co t3. */
static uint64_t serial(sat *s, uint32_t v) {
    uint64_t added = 0;
    uint32_t t1;
    for (uint32_t i = s->read_first[v]; i < s->read_first[v + 1]; i++) {
        const iso_sat_read *rx = &s->reads[i];
        if (!from_other(s, rx, v, &t1)) {
            continue;
        }
        for (uint32_t w = s->writer_first[rx->key]; w < s->writer_first[rx->key + 1]; w++) {
            iso_tick(s->env);
            uint32_t t2 = s->writer[w];
            if (t2 != t1 && t2 != v && s->position[t2] < s->position[v] && !holds(s, t2, t1) &&
                iso_sat_included(s, t2)) {
                iso_sat_add(s, iso_sat_before(s, v, t2));
                iso_proof_step way = by_order(s, v);
                added += instance(s, rx, t2, &way, 1);
            }
        }
    }
    return added;
}

uint64_t iso_sat_axioms(sat *s) {
    bool causes = (s->rules & ISO_SEES_CAUSE) && !(s->rules & ISO_SEES_PREFIX); /* else a prefix has all causes */
    uint64_t added = 0;
    past p = {0};
    if (causes) {
        p.queue = ISO_NEW(s->pool, uint32_t, s->n);
        p.next = ISO_NEW_NONE(s->pool, s->n);
        p.through = ISO_NEW(s->pool, uint32_t, s->n);
    }
    for (uint32_t v = 0; v < s->n; v++) {
        if (!iso_sat_included(s, v)) {
            continue;
        }
        if (s->rules & ISO_SEES_BEFORE) {
            added += serial(s, v);
            continue;
        }
        added += s->rules & ISO_SEES_CONFLICT ? conflicts(s, v) : 0;
        added += s->rules & ISO_SEES_PREFIX ? prefix(s, v) : causes ? causal(s, v, &p) : direct(s, v);
    }
    iso_free(s->pool, p.queue);
    iso_free(s->pool, p.next);
    iso_free(s->pool, p.through);
    iso_free(s->pool, p.way);
    return added;
}
