/* Stage `execute`: finds a serial order of a history without building a model. It guesses an order, executes it
 * (execution.h), and repairs it as long as reads are stale. This explains histories of correct stores in linear time,
 * apart from the repairs. A serial order is an order of ser, pc and si.
 *
 * A stale read of t3 from t1 makes a clause with each of the last writers t2 between them: t2 is before t1, or after t3
 * (the polygraph). For an ambiguous read a writer is chosen first; then only writers of other values must not come
 * between. The solver repairs the order (solver.h) so that all clauses are met. This breaks other reads, which an
 * execution in the new order finds, and so on. Each round leaves about a tenth of the stale reads of the round
 * before. */
#include <string.h>

#include "checkers/strong/execution.h"
#include "checkers/strong/repair.h"

/* Literals that the graph implies are computed after there is one conflict for this many clauses. */
#define CLAUSES_A_CONFLICT 32

typedef struct serial {
    const strong *of;
    const isolab_history *h;
    iso_pool *pool;
    strong_execution x;
    strong_repair r;
    uint32_t *at;     /* the places of transactions in the first order, in the sequence of the last order */
    bool again;       /* the first order was repaired, so `at` is the last order */
    iso_index chosen; /* first choices, by read */
} serial;

/* Adds clauses for a stale read that reads from t1 (ISO_NONE: the initial value): one for each of the last writers of
 * its key between t1 and the read. Under a choice, other writers of the same value may be between. Returns false if the
 * read's own transaction is between. */
static bool look_back(serial *z, uint32_t read, uint32_t t1, uint32_t choice) {
    const strong_execution *x = &z->x;
    uint32_t t3 = z->h->op_txn[read], found = 0, last = ISO_NONE; /* last: the previous transaction */
    for (uint32_t w2 = x->before[read]; w2 != ISO_NONE && found < STRONG_AT_ONCE; w2 = x->before[w2]) {
        uint32_t t2 = z->h->op_txn[w2];
        if (t2 == t1 || t2 == t3) {
            return t2 == t1;
        }
        bool again = t2 == last;
        last = t2;
        if (again || (choice != ISO_NONE && z->h->op_version[w2] == z->h->op_version[read])) {
            continue;
        }
        found++;
        strong_atom a = {.from = t2, .to = t1, .op = ISO_NONE, .slot = ISO_NONE, .edge = ISO_EDGE_AXIOM};
        strong_atom b = {.from = t3, .to = t2, .op = ISO_NONE, .slot = ISO_NONE, .edge = ISO_EDGE_RW};
        uint32_t known = z->r.clauses.n_atoms;
        if (t1 != ISO_NONE && iso_strong_edge(&z->r.clauses, a) < known && z->r.rounds == 0 && choice == ISO_NONE) {
            continue; /* the repair of another read of t1 probably repairs this one; if not, it is stale again */
        }
        iso_strong_meet(&z->r, choice, t1 == ISO_NONE ? NULL : &a, &b, STRONG_NO_HINT);
    }
    return true;
}

/* Returns the first choice of a read; ISO_NONE: it has no choices yet. */
static uint32_t first_choice(const serial *z, uint32_t read) {
    uint32_t at, c = iso_index_first(&z->chosen, iso_mix(read), &at);
    while (c != UINT32_MAX && z->r.clauses.atom[c].op != read) {
        c = iso_index_next(&z->chosen, iso_mix(read), &at);
    }
    return c;
}

/* Makes the choices of a read: it reads from one of the writers of its value, and comes after it. Returns false if no
 * transaction can be the writer. */
static bool begin_choice(serial *z, uint32_t read) {
    const isolab_history *h = z->h;
    strong_clauses *clauses = &z->r.clauses;
    uint32_t t3 = h->op_txn[read], version = h->op_version[read], first = clauses->n_atoms, n;
    const uint32_t *writer = iso_writers(h, version, &n);
    strong_atom choice = {.from = ISO_NONE, .to = t3, .op = read, .slot = ISO_INIT, .kind = STRONG_CHOICE};
    if (iso_version_is_initial(h, version)) {
        iso_strong_atom(clauses, choice);
    }
    for (uint32_t i = 0; i < n; i++) {
        choice.from = h->op_txn[writer[i]];
        choice.slot = writer[i];
        bool last = iso_write_after(h, writer[i]) == ISO_NONE; /* other transactions do not see earlier writes */
        if (choice.from != t3 && h->txn_counts[choice.from] == ISO_INCLUDED && last) {
            iso_strong_atom(clauses, choice);
        }
    }
    uint32_t end = clauses->n_atoms;
    iso_strong_one_of(&z->r, ISO_NONE, first, end);
    for (uint32_t c = first; c < end; c++) {
        if (clauses->atom[c].slot != ISO_INIT) {
            iso_strong_choice_reads(&z->r, c);
        }
    }
    if (end > first) {
        iso_index_add(&z->chosen, iso_mix(read), first);
    }
    return end > first;
}

/* Handles a stale read with several possible writers. */
static bool look_at_choice(serial *z, uint32_t read) {
    uint32_t c = first_choice(z, read);
    if (c == ISO_NONE) {
        return begin_choice(z, read);
    }
    for (; c < z->r.clauses.n_atoms; c++) {
        strong_atom choice = z->r.clauses.atom[c];
        if (choice.kind != STRONG_CHOICE || choice.op != read) {
            break;
        }
        if (iso_strong_is_true(&z->r, c) && !look_back(z, read, choice.from, c)) {
            return false;
        }
    }
    return true;
}

/* Executes the order of the graph and makes clauses of stale reads. Returns STRONG_NONE if a read is stale in every
 * order. */
static strong_answer walk(void *arg, uint32_t *unmet) {
    serial *z = arg;
    const isolab_history *h = z->h;
    strong_execution *x = &z->x;
    if (z->again) {
        x->most = iso_strong_most_unmet(&z->r);
        iso_acyclic_vertices(z->r.solver.graph, z->at);
        iso_strong_execution_run(x, z->at);
    }
    z->again = true;
    bool possible = true;
    for (uint32_t i = 0; possible && i < x->n_stale; i++) {
        uint32_t read = x->stale[i], writer = h->op_writer[read];
        possible = writer == ISO_MANY ? look_at_choice(z, read)
                                      : look_back(z, read, writer < h->n_ops ? h->op_txn[writer] : ISO_NONE, ISO_NONE);
    }
    *unmet = x->n_stale;
    return possible ? STRONG_FOUND : STRONG_NONE;
}

/* Writes the order, and the writers of ambiguous reads: a read that is not stale is from the last write of its key. */
static void write_order(const serial *z) {
    const isolab_history *h = z->h;
    const strong_execution *x = &z->x;
    iso_result *result = z->of->result;
    result->n_order = x->n;
    result->order = ISO_NEW(result->pool, uint32_t, x->n);
    if (!h->unique) {
        result->read_from = ISO_NEW_NONE(result->pool, h->n_ops);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t t = result->order[i] = x->txn[z->at == NULL ? i : z->at[i]];
        for (uint32_t o = h->txn_op[t]; !h->unique && o < h->txn_op[t + 1]; o++) {
            if (h->op_writer[o] == ISO_MANY) {
                result->read_from[o] = x->before[o] == ISO_NONE ? ISO_INIT : x->before[o];
            }
        }
    }
}

static strong_answer repair(serial *z) {
    strong_execution *x = &z->x;
    z->at = ISO_NEW(z->pool, uint32_t, x->n);
    z->r.clauses_a_conflict = CLAUSES_A_CONFLICT;
    iso_strong_repair_begin(&z->r, x->place, x->n);
    iso_acyclic_lay_incoming(z->r.solver.graph, x->after_first, x->after);
    return iso_strong_repair(&z->r, walk, z);
}

static isolab_verdict find_execution(strong *s, iso_pool *pool) {
    serial z = {.of = s, .h = s->h, .pool = pool};
    iso_strong_repair_init(&z.r, pool);
    iso_index_init(&z.chosen, pool, 32);
    iso_strong_give_up_early(&z.r, s->h->n_txns);
    iso_strong_execution_init(&z.x, pool, s->h, s->sessions);
    z.x.most = iso_strong_most_unmet(&z.r);
    if (!iso_strong_execution_first(&z.x) || (z.x.n_stale > 0 && repair(&z) != STRONG_FOUND)) {
        return ISOLAB_UNKNOWN;
    }
    iso_strong_repair_count(&z.r, s->result);
    if (s->question->certificate) {
        write_order(&z);
    }
    return ISOLAB_SATISFIED;
}

isolab_verdict iso_strong_execute(strong *s) {
    if (iso_level_is_timed(s->level) || !iso_strong_executable(s->h)) {
        return ISOLAB_UNKNOWN;
    }
    s->executed = true;
    return iso_strong_with_pool(s, find_execution);
}
