/* Stage `execute`: a serial order of a history, without any model of it. An order is guessed, executed (execution.h),
 * and repaired where reads were wrong, until none is. Histories of stores that keep their promises are explained so,
 * in linear time except for what is repaired. An order that is found is one of ser, pc and si.
 *
 * A wrong read of t3 from t1 makes a clause with each of the last writers t2 between: t2 is before t1, or behind t3
 * (the polygraph). Of a read whose value several transactions wrote it is chosen first whom it is from; then only
 * writers of other values must not come between. The solver repairs the order (solver.h) so that all clauses
 * are met, which breaks other reads; an execution in the new order finds them, and so on. Each round leaves about a
 * tenth of what the last one did.
 */
#include <string.h>

#include "base/hash.h"
#include "checkers/strong/execution.h"
#include "checkers/strong/solver.h"

/* Constraints that one read contributes to a round: more of them make fewer, longer rounds. */
#define AT_ONCE 4

typedef struct serial {
    const strong *of;
    const isolab_history *h;
    iso_result *result;
    iso_pool pool;
    strong_execution x;
    strong_open open;
    strong_solver s;
    uint32_t *chosen, n_chosen, chosen_room; /* hash table by read: its first choice; ISO_NONE: an empty slot */
    uint32_t *clause, n_clauses, clause_room; /* that the solver does not know yet */
    bool found;
} serial;

static void end_clause(serial *z) {
    iso_strong_open_clause(&z->open);
    ISO_GROW(&z->pool, z->clause, z->n_clauses, z->clause_room);
    z->clause[z->n_clauses++] = z->open.n_clauses - 1;
}

static uint32_t edge(serial *z, uint32_t from, uint32_t to, uint8_t kind) {
    strong_edge e = {.from = from, .to = to, .op = ISO_NONE, .slot = ISO_NONE, .kind = kind};
    return iso_strong_open_edge(&z->open, e);
}

/* A wrong read from t1 (ISO_NONE: of the initial value), perhaps under a choice: a clause for each of the last writers
 * of its key between. Under a choice, those of the value that is read may be there. False: its own transaction is
 * between. */
static bool look_back(serial *z, uint32_t read, uint32_t t1, uint32_t choice) {
    const strong_execution *x = &z->x;
    uint32_t t3 = z->h->op_txn[read], found = 0, last = ISO_NONE; /* last: the transaction before */
    for (uint32_t w2 = x->before[read]; w2 != ISO_NONE && found < AT_ONCE; w2 = x->before[w2]) {
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
        uint32_t known = z->open.n_edges, a = t1 != ISO_NONE ? edge(z, t2, t1, ISO_EDGE_AXIOM) : ISO_NONE;
        if (z->open.rounds == 0 && choice == ISO_NONE && a < known && a != ISO_NONE) {
            continue; /* what mends another read of t1 probably mends this one; else it is wrong again */
        }
        if (choice != ISO_NONE) {
            iso_strong_open_literal(&z->open, 2 * choice + 1);
        }
        if (t1 != ISO_NONE) {
            iso_strong_open_literal(&z->open, 2 * a);
        }
        iso_strong_open_literal(&z->open, 2 * edge(z, t3, t2, ISO_EDGE_RW));
        end_clause(z);
    }
    return true;
}

/* The slot of a read in the table of choices. */
static uint32_t *choice_of(const serial *z, uint32_t read) {
    uint32_t mask = z->chosen_room - 1, at = (uint32_t)iso_mix(read) & mask;
    while (z->chosen[at] != ISO_NONE && z->open.edge[z->chosen[at]].op != read) {
        at = (at + 1) & mask;
    }
    return &z->chosen[at];
}

/* Makes room for one more; at most half of the slots are used. */
static void grow_chosen(serial *z) {
    if (2 * z->n_chosen < z->chosen_room) {
        return;
    }
    uint32_t *old = z->chosen, room = z->chosen_room;
    z->chosen_room = room == 0 ? 64 : 2 * room;
    z->chosen = ISO_NEW(&z->pool, uint32_t, z->chosen_room);
    memset(z->chosen, 0xff, z->chosen_room * sizeof *z->chosen);
    for (uint32_t i = 0; i < room; i++) {
        if (old[i] != ISO_NONE) {
            *choice_of(z, z->open.edge[old[i]].op) = old[i];
        }
    }
    iso_free(&z->pool, old);
}

/* May another transaction read this write? It is the last one of its key there. */
static bool is_final(const isolab_history *h, uint32_t w) {
    for (uint32_t o = w + 1; o < h->txn_op[h->op_txn[w] + 1]; o++) {
        if (h->op_kind[o] == ISO_WRITE && h->op_key[o] == h->op_key[w]) {
            return false;
        }
    }
    return true;
}

/* A read has one of the writers of its value, and comes after it. False: nobody can be. */
static bool begin_choice(serial *z, uint32_t read) {
    const isolab_history *h = z->h;
    uint32_t t3 = h->op_txn[read], version = h->op_version[read], first = z->open.n_edges, n;
    const uint32_t *writer = iso_writers(h, version, &n);
    strong_edge choice = {.from = ISO_NONE, .to = t3, .op = read, .slot = ISO_INIT, .kind = ISO_EDGE_KINDS};
    if (iso_version_is_initial(h, version)) {
        iso_strong_open_choice(&z->open, choice);
    }
    for (uint32_t i = 0; i < n; i++) {
        choice.from = h->op_txn[writer[i]];
        choice.slot = writer[i];
        if (choice.from != t3 && h->txn_counts[choice.from] == ISO_IN && is_final(h, writer[i])) {
            iso_strong_open_choice(&z->open, choice);
        }
    }
    uint32_t end = z->open.n_edges;
    for (uint32_t c = first; c < end; c++) {
        iso_strong_open_literal(&z->open, 2 * c);
    }
    end_clause(z);
    for (uint32_t c = first; c < end; c++) {
        uint32_t from = z->open.edge[c].from;
        if (from != ISO_NONE) {
            iso_strong_open_literal(&z->open, 2 * c + 1);
            iso_strong_open_literal(&z->open, 2 * edge(z, from, t3, ISO_EDGE_WR));
            end_clause(z);
        }
    }
    if (end > first) {
        *choice_of(z, read) = first;
        z->n_chosen++;
    }
    return end > first;
}

/* A wrong read with several possible writers. */
static bool look_at_choice(serial *z, uint32_t read) {
    grow_chosen(z);
    uint32_t c = *choice_of(z, read);
    if (c == ISO_NONE) {
        return begin_choice(z, read);
    }
    for (; c < z->open.n_edges && z->open.edge[c].kind == ISO_EDGE_KINDS && z->open.edge[c].op == read; c++) {
        if (iso_solver_value(z->s.solver, iso_lit_of(z->s.var[c], false)) > 0 &&
            !look_back(z, read, z->open.edge[c].from, c)) {
            return false;
        }
    }
    return true;
}

/* Clauses of the wrong reads. False: one of them is wrong in every order. */
static bool take_wrong(serial *z) {
    const isolab_history *h = z->h;
    bool open = true;
    z->n_clauses = 0;
    for (uint32_t i = 0; open && i < z->x.n_wrong; i++) {
        uint32_t read = z->x.wrong[i], writer = h->op_writer[read];
        open = writer == ISO_MANY ? look_at_choice(z, read)
                                  : look_back(z, read, writer < h->n_ops ? h->op_txn[writer] : ISO_NONE, ISO_NONE);
    }
    return open && z->n_clauses > 0;
}

/* Literals that the graph implies are worth what it costs to find them where there are conflicts: one for so many
 * constraints. */
#define CONSTRAINTS_A_CONFLICT 32

static strong_answer solve(serial *z) {
    bool imply = iso_solver_counters(z->s.solver).conflicts * CONSTRAINTS_A_CONFLICT > z->open.tried;
    iso_acyclic_options(z->s.graph, imply, true);
    z->open.tried += z->n_clauses;
    z->open.rounds++;
    return iso_strong_solver_solve(&z->s, z->clause, z->n_clauses);
}

/* Mends the first order: the places of transactions in it, as they now follow each other; NULL: it was given up. */
static uint32_t *mend(serial *z) {
    strong_execution *x = &z->x;
    iso_strong_solver_init(&z->s, &z->open, x->place, x->n);
    iso_acyclic_lay_incoming(z->s.graph, x->after_first, x->after);
    uint32_t *at = ISO_NEW(&z->pool, uint32_t, x->n);
    bool open = iso_acyclic_ready(z->s.graph);
    while (open && x->n_wrong > 0) {
        open = take_wrong(z) && iso_strong_open_hopeful(&z->open, x->n_wrong, x->n) && solve(z) == STRONG_FOUND;
        if (open) {
            x->most = iso_strong_open_most(&z->open);
            iso_acyclic_vertices(z->s.graph, at);
            iso_strong_execution_run(x, at);
        }
    }
    iso_solver_counts counts = iso_solver_counters(z->s.solver);
    z->open.conflicts = counts.conflicts;
    z->open.decisions = counts.decisions;
    return open ? at : NULL;
}

/* The order (at: as in mend(); NULL: the first one), and the writers that reads of several writers' values had. A right
 * read is from the write that was last of its key. */
static void write_order(const serial *z, const uint32_t *at) {
    const isolab_history *h = z->h;
    const strong_execution *x = &z->x;
    iso_result *result = z->result;
    result->n_order = x->n;
    result->order = ISO_NEW(result->pool, uint32_t, x->n);
    if (!h->unique) {
        result->read_from = ISO_NEW(result->pool, uint32_t, h->n_ops);
        memset(result->read_from, 0xff, (size_t)h->n_ops * sizeof *result->read_from);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t t = result->order[i] = x->txn[at == NULL ? i : at[i]];
        for (uint32_t o = h->txn_op[t]; !h->unique && o < h->txn_op[t + 1]; o++) {
            if (h->op_writer[o] == ISO_MANY) {
                result->read_from[o] = x->before[o] == ISO_NONE ? ISO_INIT : x->before[o];
            }
        }
    }
}

static void look(void *arg) {
    serial *z = arg;
    const strong *s = z->of;
    iso_strong_open_init(&z->open, &z->pool, s->options->stay);
    iso_strong_open_give_up_early(&z->open, s->h->n_txns);
    iso_strong_execution_init(&z->x, &z->pool, s->h, s->sessions);
    z->x.most = iso_strong_open_most(&z->open);
    if (!iso_strong_execution_first(&z->x)) {
        return;
    }
    const uint32_t *at = NULL;
    if (z->x.n_wrong > 0 && (at = mend(z)) == NULL) {
        return;
    }
    z->found = true;
    iso_strong_open_count(&z->open, s->result);
    if (s->request->certificate) {
        write_order(z, at);
    }
}

isolab_verdict iso_strong_execute(strong *s) {
    if (s->level == ISO_SSER || !iso_strong_executable(s->h) ||
        (s->level != ISO_SER && !iso_strong_wanted(s, "serial"))) {
        return ISOLAB_UNKNOWN;
    }
    serial z = {.of = s, .h = s->h, .result = s->result};
    iso_pool_init(&z.pool, s->pool->env);
    iso_guard_pool(&z.pool, look, &z);
    s->executed = true;
    return z.found ? ISOLAB_SATISFIED : ISOLAB_UNKNOWN;
}
