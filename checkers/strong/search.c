/* The search for an order of the model's events, and the walk along them that makes its clauses.
 *
 * A constraint is undecided if neither of its two edges is known or impossible: it is a clause of two edges. An
 * ambiguous read with several candidates is a clause of choices, each of which implies the constraints of the read.
 * Real histories leave few of both, and a clause is made only if an order does not meet it (repair.h).
 *
 * All events are vertices, and session order and write-read edges are permanent arcs. A walk along an order of the
 * events finds the constraints that it does not meet: a read is stale if its key was last written by another
 * transaction than the one it read from; for si a writer must not start while another writer of the key has started and
 * not committed. These become clauses, the solver repairs the order, and so on until a walk finds none. */
#include <string.h>

#include "checkers/strong/execution.h"
#include "checkers/strong/hints.h"
#include "checkers/strong/repair.h"

/* Conflict limit of the search for a reason why a history is violated that is known to be violated. */
#define REASON_CONFLICTS 1000

typedef struct search {
    strong_repair *r;
    strong_model *m;
    strong_optional optional;
    uint32_t *choice; /* by ambiguous read: the number of its first choice; ISO_NONE: the order explains it so far */
    uint32_t *event;  /* by vertex */
    uint32_t *at;     /* the vertices in the order of the last walk */
    uint32_t *last;   /* by key, during a walk: the last slot that wrote it; ISO_NONE: none */
    uint32_t *before; /* by slot: the previous slot that wrote its key */
    uint32_t *active; /* si, by key: the slot of a writer that has started, and not committed; ISO_NONE: none */
} search;

/* Adds the clause for a t3 that reads from w1: w2 is before w1, or after t3. choice: the clause holds only under it;
 * ISO_NONE: always. */
static void meet(search *z, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2, uint32_t choice) {
    const strong_model *m = z->m;
    uint32_t t1 = w1 == ISO_INIT ? ISO_INIT : m->write_txn[w1];
    strong_atom a = strong_edge_atom(strong_axiom_edge(m, op, t1, w2));
    strong_atom b = strong_edge_atom(strong_rw_edge(m, op, t3, w2));
    iso_strong_meet(z->r, choice, w1 == ISO_INIT ? NULL : &a, &b, (strong_hint){op, w1, w2});
    iso_strong_proof_read(z->r->proof, op, w1, w2);
}

/* Adds these clauses for the last writers between w1 and t3, of which w2 is the latest. Under a choice, writers of the
 * value that is read may be between: the read then reads from the last of them (iso_strong_settle_reads). */
__attribute__((noinline)) static void look_back(search *z, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2,
                                                uint32_t choice) {
    uint32_t until = w1 == ISO_INIT ? ISO_NONE : w1;
    for (uint32_t found = 0; w2 != until && w2 != ISO_NONE && found < STRONG_AT_ONCE; w2 = z->before[w2]) {
        if (choice == ISO_NONE || !strong_same_value(z->m, op, w2)) {
            meet(z, op, t3, w1, w2, choice);
            found++;
        }
    }
}

/* Adds the clause that one of two writers commits before the other one starts. */
static void separate(search *z, uint32_t w1, uint32_t w2) {
    const strong_model *m = z->m;
    strong_atom forth = strong_edge_atom(strong_ww_edge(m, w1, w2)), back = strong_edge_atom(strong_ww_edge(m, w2, w1));
    iso_strong_meet(z->r, ISO_NONE, &forth, &back, (strong_hint){ISO_NONE, w1, w2});
    iso_strong_proof_rule(z->r->proof, iso_proof_ww, m->slot_op[w1], m->slot_op[w2]);
}

static bool is_included(const search *z, uint32_t t) {
    return t < z->m->n_included || iso_strong_is_included(&z->optional, t);
}

/* Makes the choices of ambiguous read i of an included transaction: it has an included writer, and comes after it. */
static void begin_choice(search *z, uint32_t i) {
    const strong_model *m = z->m;
    strong_repair *r = z->r;
    uint32_t op = m->ambiguous_op[i], t3 = m->dense[m->h->op_txn[op]], first = r->clauses.n_atoms;
    z->choice[i] = first;
    for (uint32_t j = m->candidate_first[i]; j < strong_candidate_end(m, i); j++) {
        uint32_t w1 = m->candidate[j], from = w1 == ISO_INIT ? ISO_NONE : strong_commit(m, m->write_txn[w1]);
        iso_strong_atom(
            &r->clauses,
            (strong_atom){.from = from, .to = strong_start(m, t3), .slot = w1, .op = op, .kind = STRONG_CHOICE});
    }
    uint32_t end = r->clauses.n_atoms;
    iso_strong_one_of(r, t3 < m->n_included ? ISO_NONE : strong_inclusion(&z->optional, t3), first, end);
    iso_strong_proof_choice(r->proof, op, end > first);
    for (uint32_t c = first; c < end; c++) {
        uint32_t w1 = r->clauses.atom[c].slot;
        if (w1 == ISO_INIT) {
            continue;
        }
        iso_strong_choice_reads(r, c);
        iso_strong_proof_rule(r->proof, iso_proof_wr, op, m->slot_op[w1]);
        if (m->write_txn[w1] >= m->n_included) {
            uint32_t part = strong_inclusion(&z->optional, m->write_txn[w1]);
            iso_strong_one_of(r, c, part, part + 1);
            iso_strong_proof_rule(r->proof, iso_proof_part, op, m->slot_op[w1]);
        }
    }
}

/* Makes the choices that are needed from the start: for optional transactions, and for the hints. The choices of other
 * reads are made when the order does not explain the read. */
static void begin_choices(search *z) {
    const strong_model *m = z->m;
    const strong_hints *hints = z->r->hints;
    z->choice = ISO_NEW(z->r->clauses.pool, uint32_t, m->n_ambiguous);
    for (uint32_t i = 0; i < m->n_ambiguous; i++) {
        z->choice[i] = ISO_NONE;
        if (hints != NULL ? hints->choices[m->ambiguous_op[i]] : i >= m->ambiguous_first[m->n_included]) {
            begin_choice(z, i);
        }
    }
}

/* Handles an ambiguous read that did not return the value of w, the last writer before it: makes its choices, or, if it
 * has them, adds clauses for the writer that the last model chose. */
static void look_at_ambiguous(search *z, uint32_t i, uint32_t w) {
    const strong_model *m = z->m;
    uint32_t op = m->ambiguous_op[i];
    if (z->choice[i] == ISO_NONE) {
        begin_choice(z, i);
        return;
    }
    for (uint32_t j = m->candidate_first[i]; j < strong_candidate_end(m, i); j++) {
        uint32_t c = z->choice[i] + (j - m->candidate_first[i]);
        if (iso_strong_is_true(z->r, c)) {
            look_back(z, op, m->dense[m->h->op_txn[op]], m->candidate[j], w, c);
        }
    }
}

/* Visits a start: only si also tests for active writers. */
static void start_writers(search *z, uint32_t t) {
    const strong_model *m = z->m;
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        uint32_t *active = &z->active[m->write_key[w]];
        if (*active != ISO_NONE) {
            separate(z, *active, w);
        }
        *active = w;
    }
}

static void end_writers(search *z, uint32_t t) {
    const strong_model *m = z->m;
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        uint32_t *active = &z->active[m->write_key[w]];
        *active = *active == w ? ISO_NONE : *active;
    }
}

/* Executes the order and makes clauses of the constraints that it does not meet, up to a limit. Values that every
 * operation reads are in local variables, and nothing is inlined, so that these fit in registers. */
__attribute__((noinline)) static strong_answer walk(void *arg, uint32_t *unmet) {
    search *z = arg;
    const strong_model *m = z->m;
    iso_env *env = z->r->clauses.pool->env;
    const uint32_t *at = z->at, *event_of = z->event, *ambiguous_first = m->ambiguous_first;
    const uint32_t *read_first = m->read_first, *read_key = m->read_key, *read_slot = m->read_slot;
    const uint32_t *write_first = m->write_first, *write_key = m->write_key;
    uint32_t *last = z->last, *before = z->before, n = m->n * m->per_txn, n_txns = m->n_txns,
             n_included = m->n_included;
    bool two = m->per_txn == 2, si = m->level == ISO_SI;
    uint64_t most = iso_strong_most_unmet(z->r);
    iso_acyclic_vertices(z->r->solver.graph, z->at);
    iso_fill_none(last, m->h->n_keys);
    if (si) {
        iso_fill_none(z->active, m->h->n_keys);
    }
    for (uint32_t i = 0; i < n && z->r->n_added <= most; i++) {
        uint32_t event = event_of[at[i]], t = event >> two;
        iso_tick(env);
        if (i + STRONG_AHEAD < n) { /* sessions take turns, so the next event's memory is elsewhere */
            uint32_t next = event_of[at[i + STRONG_AHEAD]] >> two;
            __builtin_prefetch(&read_key[read_first[next]]);
            __builtin_prefetch(&read_slot[read_first[next]]);
            __builtin_prefetch(&write_key[write_first[next]]);
        }
        if (t >= n_included && (t >= n_txns || !is_included(z, t))) {
            continue;
        }
        if (!two || event % 2 == 0) {
            for (uint32_t r = read_first[t], end = read_first[t + 1]; r < end; r++) {
                uint32_t w1 = read_slot[r], w2 = last[read_key[r]];
                if (w2 != (w1 == ISO_INIT ? ISO_NONE : w1)) {
                    look_back(z, m->read_op[r], t, w1, w2, ISO_NONE);
                }
            }
            for (uint32_t k = ambiguous_first[t], end = ambiguous_first[t + 1]; k < end; k++) {
                uint32_t op = m->ambiguous_op[k], w = last[m->h->op_key[op]];
                if (m->writer[op] == ISO_MANY && !strong_reads_value(m, op, w)) { /* otherwise its writer is known */
                    look_at_ambiguous(z, k, w);
                }
            }
            if (si) {
                start_writers(z, t);
            }
        }
        if (!two || event % 2 == 1) {
            for (uint32_t w = write_first[t], end = write_first[t + 1]; w < end; w++) {
                uint32_t x = write_key[w];
                before[w] = last[x];
                last[x] = w;
            }
            if (si) {
                end_writers(z, t);
            }
        }
    }
    *unmet = z->r->n_added;
    return STRONG_FOUND;
}

/* Adds clauses of the constraints that the hints list. */
static void begin_constraints(search *z, const strong_hints *given) {
    const strong_model *m = z->m;
    for (uint32_t k = 0; k < given->n; k++) {
        const strong_hint *x = &given->at[k];
        if (x->op == ISO_NONE) {
            separate(z, x->w1, x->w2);
            continue;
        }
        uint32_t t3 = m->dense[m->h->op_txn[x->op]], choice = ISO_NONE;
        if (m->writer[x->op] == ISO_MANY) {
            uint32_t i = m->ambiguous_first[t3];
            while (m->ambiguous_op[i] != x->op) {
                i++;
            }
            choice = z->choice[i];
            for (uint32_t j = m->candidate_first[i]; m->candidate[j] != x->w1; j++) {
                choice++;
            }
        }
        meet(z, x->op, t3, x->w1, x->w2, choice);
    }
}

/* Makes the first order, and puts its vertices into the graph. Returns false if the known edges have a cycle. */
static bool begin_order(search *z, const strong *s, uint32_t *vertex) {
    const strong_order *o = &s->order;
    iso_pool *pool = z->r->clauses.pool;
    z->event = ISO_NEW(pool, uint32_t, o->n);
    if (!iso_strong_replay(o, pool->env, z->event)) {
        return false;
    }
    if (s->sessions && z->m->n_txns > z->m->n_included) {
        iso_strong_optional_place(z->m, pool, z->event, o->n);
    }
    for (uint32_t i = 0; i < o->n; i++) { /* numbered in the first order */
        vertex[z->event[i]] = i;
    }
    iso_strong_repair_begin(z->r, vertex, o->n);
    iso_strong_proof_follow(z->r->proof, &z->r->solver, z->event);
    strong_arcs a = iso_strong_arcs(o, pool, z->event, vertex, z->r->proof != NULL);
    iso_acyclic_lay(z->r->solver.graph, a.first, a.to, a.tag);
    return true;
}

/* Adds the clauses that are known from the start. */
static void begin_clauses(search *z, bool sessions) {
    iso_strong_optional_begin(&z->optional, z->r, z->m, sessions);
    begin_choices(z);
    iso_strong_optional_lists(&z->optional);
    if (z->r->hints != NULL) {
        begin_constraints(z, z->r->hints);
    }
}

strong_answer iso_strong_find_order(strong *s, strong_repair *r, uint32_t **by_rank) {
    iso_pool *pool = r->clauses.pool;
    strong_model *m = &s->model;
    search z = {.r = r, .m = m};
    uint32_t n = s->order.n, *vertex = ISO_NEW(pool, uint32_t, n);
    if (!begin_order(&z, s, vertex)) {
        return STRONG_NONE;
    }
    z.at = ISO_NEW(pool, uint32_t, n);
    z.last = ISO_NEW(pool, uint32_t, m->h->n_keys);
    z.active = ISO_NEW(pool, uint32_t, m->h->n_keys);
    z.before = ISO_NEW(pool, uint32_t, m->write_first[m->n]);
    begin_clauses(&z, s->sessions);
    strong_answer answer = iso_strong_repair(r, walk, &z);
    if (answer != STRONG_FOUND) {
        return answer;
    }
    for (uint32_t t = m->n_included; t < m->n_txns; t++) {
        m->excluded[t] = !is_included(&z, t);
    }
    *by_rank = vertex; /* the solver no longer needs them */
    iso_acyclic_vertices(r->solver.graph, z.at);
    for (uint32_t i = 0; i < n; i++) {
        (*by_rank)[i] = z.event[z.at[i]];
    }
    return STRONG_FOUND;
}

isolab_verdict iso_strong_search(strong *s) {
    strong_repair r;
    uint32_t *by_rank;
    iso_strong_repair_init(&r, s->pool);
    r.limits.conflicts = s->child != NULL                          ? s->child->conflicts + s->order.n
                         : s->decided && !s->question->certificate ? REASON_CONFLICTS
                                                                   : 0;
    strong_answer answer = iso_strong_find_order(s, &r, &by_rank);
    if (s->child == NULL) {
        iso_result_counter(s->result, "rounds", s->order.rounds + r.rounds);
        iso_result_counter(s->result, "visits", s->order.visits);
        iso_result_counter(s->result, "inferred-edges", s->order.n_edges);
    }
    if (s->child == NULL || answer == STRONG_FOUND) {
        iso_strong_repair_count(&r, s->result);
    }
    if (answer == STRONG_FOUND && s->decided) {
        iso_throw(s->pool->env, ISOLAB_E_INTERNAL, "strong: an order was found of a history that has none");
    }
    if (answer == STRONG_FOUND) {
        iso_strong_write_order(s, by_rank);
        return ISOLAB_SATISFIED;
    }
    if (answer == STRONG_GAVE_UP) {
        return s->decided ? iso_strong_without_reason(s) : ISOLAB_UNKNOWN;
    }
    return s->child != NULL
               ? ISOLAB_VIOLATED
               : iso_strong_refuted(s, iso_strong_hints_of_search(&s->order, r.clauses.why, r.clauses.n, s->pool));
}
