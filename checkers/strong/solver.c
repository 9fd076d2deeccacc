/* See solver.h. */
#include "checkers/strong/solver.h"

#include <string.h>

#include "base/assert.h"

/* Least number of conflicts between restarts. A restart undoes decisions everywhere because of some conflicts in one
 * place. */
#define PATIENCE 1000

/* Conflicts of the first turn, plus one for each vertex; each further turn is half as long again. Repairs are fast
 * if conflicts are nearly independent, and slow if few events contradict each other in very many ways: then the solver
 * decides better by activity, as usual, with frequent restarts. So the two take turns. */
#define TURN 5000

/* Limit of atoms, so that twice their number fits a literal, also of the solver. */
#define MOST_ATOMS (ISO_ID_MAX / 4)

/* ---- clauses ---- */

void iso_strong_clauses_init(strong_clauses *c, iso_pool *pool) {
    memset(c, 0, sizeof *c);
    c->pool = pool;
    c->first = ISO_ZNEW(pool, uint32_t, 32);
    c->first_room = 32;
    iso_index_init(&c->edges, pool, 512);
}

uint32_t iso_strong_atom(strong_clauses *c, strong_atom atom) {
    if (c->n_atoms >= MOST_ATOMS) {
        iso_throw(c->pool->env, ISOLAB_E_LIMIT, "more than %u undecided edges", MOST_ATOMS);
    }
    ISO_GROW(c->pool, c->atom, c->n_atoms, c->atoms_room);
    c->atom[c->n_atoms] = atom;
    return c->n_atoms++;
}

/* Returns the class of an edge: wr, rw and ww edges between the same events are different, so that cycles can be
 * named. */
static unsigned edge_class(uint8_t edge) { return edge == ISO_EDGE_WR ? 0 : edge == ISO_EDGE_RW ? 1 : 2; }

uint32_t iso_strong_edge(strong_clauses *c, strong_atom edge) {
    iso_assert(edge.from != edge.to);
    uint64_t hash = iso_mix2(edge.from, edge.to);
    uint32_t at, a = iso_index_first(&c->edges, hash, &at);
    for (; a != UINT32_MAX; a = iso_index_next(&c->edges, hash, &at)) {
        const strong_atom *there = &c->atom[a];
        if (there->from == edge.from && there->to == edge.to && edge_class(there->edge) == edge_class(edge.edge)) {
            return a;
        }
    }
    a = iso_strong_atom(c, edge);
    iso_index_add(&c->edges, hash, a);
    return a;
}

void iso_strong_literal(strong_clauses *c, strong_literal literal) {
    iso_assert(strong_atom_of(literal) < c->n_atoms);
    ISO_GROW(c->pool, c->literal, c->n_literals, c->literals_room);
    c->literal[c->n_literals++] = literal;
}

uint32_t iso_strong_clause(strong_clauses *c, strong_hint why) {
    ISO_GROW(c->pool, c->first, c->n + 1, c->first_room);
    ISO_GROW(c->pool, c->why, c->n, c->why_room);
    c->why[c->n] = why;
    c->first[++c->n] = c->n_literals;
    iso_assert(c->first[c->n - 1] <= c->first[c->n]);
    return c->n - 1;
}

static uint32_t link_to(strong_solver *s, uint32_t what, uint32_t next, uint32_t other) {
    ISO_GROW(s->clauses->pool, s->link, s->n_links, s->links_room);
    s->link[s->n_links] = (struct strong_link){what, next, other};
    return s->n_links++;
}

uint32_t iso_strong_solver_know(strong_solver *s, uint32_t e) {
    iso_assert(e < s->clauses->n_atoms);
    while (s->n_var <= e) {
        ISO_GROW(s->clauses->pool, s->var, s->n_var, s->var_room);
        ISO_GROW(s->clauses->pool, s->clauses_of, s->n_var, s->clauses_of_room);
        ISO_GROW(s->clauses->pool, s->agrees, s->n_var, s->agrees_room);
        s->agrees[s->n_var] = 0;
        s->clauses_of[s->n_var] = ISO_NONE;
        s->var[s->n_var++] = ISO_NONE;
    }
    if (s->var[e] != ISO_NONE) {
        return s->var[e];
    }
    const strong_atom *edge = &s->clauses->atom[e];
    s->var[e] = iso_solver_var(s->solver);
    ISO_GROW(s->clauses->pool, s->of_var, s->var[e], s->of_var_room);
    s->of_var[s->var[e]] = e;
    if (edge->kind == STRONG_EDGE) {
        iso_acyclic_arc(s->graph, (iso_arc){s->vertex[edge->from], s->vertex[edge->to], iso_lit_of(s->var[e], false),
                                            ISO_LIT_TRUE, e});
        uint32_t from = s->vertex[edge->from], to = s->vertex[edge->to];
        s->edges_of[from] = link_to(s, e, s->edges_of[from], 2 * to + 1);
        s->edges_of[to] = link_to(s, e, s->edges_of[to], 2 * from);
    }
    return s->var[e];
}

/* ---- repair: only clauses that the order does not meet are decided ---- */

/* Returns the distance between the events of an edge that the order does not meet, or between the writer of a choice
 * and its reader: the nearest is tried first. A writer after its reader comes last. */
static uint64_t distance(const strong_solver *s, const strong_atom *e) {
    bool choice = e->kind == STRONG_CHOICE;
    if (e->kind == STRONG_INCLUDED ||
        (choice && (e->slot == ISO_INIT || s->vertex[e->from] == ISO_NONE || s->vertex[e->to] == ISO_NONE))) {
        return UINT64_MAX / 2;
    }
    uint64_t a = s->position[s->vertex[e->from]], b = s->position[s->vertex[e->to]];
    return !choice ? a - b : a < b ? b - a : UINT64_MAX / 2 + (a - b) / 2;
}

/* Returns where a clause begins in the order. The earliest clause comes first: then decisions follow the order, and a
 * conflict undoes only nearby decisions. Choices that are not made come last. */
static uint64_t place(const strong_solver *s, uint32_t clause) {
    const strong_clauses *p = s->clauses;
    uint64_t first = UINT64_MAX;
    for (uint32_t i = p->first[clause]; i < p->first[clause + 1]; i++) {
        const strong_atom *e = &p->atom[strong_atom_of(p->literal[i])];
        if (e->kind == STRONG_EDGE) {
            uint64_t at = iso_acyclic_position(s->graph, s->vertex[e->from]);
            first = at < first ? at : first;
        }
    }
    return first;
}

static bool is_earlier(const void *place, uint32_t a, uint32_t b) {
    const uint64_t *of = place;
    return of[a] < of[b];
}

static void put(strong_solver *s, uint32_t clause) {
    iso_assert(clause < s->clauses->n);
    if (!s->waits[clause]) {
        s->waits[clause] = 1;
        s->place[clause] = place(s, clause);
        iso_heap_push(&s->unmet, clause, is_earlier, s->place);
    }
}

static void watch(strong_solver *s, uint32_t clause) {
    const strong_clauses *p = s->clauses;
    while (s->waits_room <= clause) {
        uint32_t room = s->waits_room;
        ISO_GROW(p->pool, s->waits, room, s->waits_room);
        s->place = iso_resize(p->pool, s->place, s->waits_room, sizeof *s->place);
        memset(s->waits + room, 0, s->waits_room - room);
    }
    bool chooses = false;
    for (uint32_t i = p->first[clause]; i < p->first[clause + 1]; i++) {
        uint32_t e = strong_atom_of(p->literal[i]);
        if (p->atom[e].kind != STRONG_EDGE) {
            chooses = true;
        } else {
            s->clauses_of[e] = link_to(s, clause, s->clauses_of[e], ISO_NONE);
            s->agrees[e] = s->position[s->vertex[p->atom[e].from]] < s->position[s->vertex[p->atom[e].to]];
        }
    }
    if (chooses) {
        ISO_GROW(p->pool, s->choosing, s->n_choosing, s->choosing_room);
        s->choosing[s->n_choosing++] = clause;
    }
    put(s, clause);
}

/* Returns whether a choice of the solver holds. A choice without a value is not made. */
static bool chosen(const strong_solver *s, uint32_t literal) {
    return (iso_solver_value(s->solver, iso_lit_of(s->var[strong_atom_of(literal)], false)) > 0) ==
           !strong_negated(literal);
}

/* Returns whether the order, or a choice that was made, meets a clause of the solver. */
static bool met(const strong_solver *s, uint32_t clause) {
    const strong_clauses *p = s->clauses;
    for (uint32_t i = p->first[clause]; i < p->first[clause + 1]; i++) {
        uint32_t e = strong_atom_of(p->literal[i]);
        if (p->atom[e].kind == STRONG_EDGE ? s->agrees[e] : chosen(s, p->literal[i])) {
            return true;
        }
    }
    return false;
}

static void moved(void *arg, const uint32_t *vertices, uint32_t n) {
    strong_solver *s = arg;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t here = s->position[vertices[i]];
        for (uint32_t l = s->edges_of[vertices[i]]; l != ISO_NONE; l = s->link[l].next) {
            uint32_t e = s->link[l].what, other = s->link[l].other;
            bool agrees = (here < s->position[other / 2]) == other % 2;
            if (agrees == s->agrees[e]) {
                continue;
            }
            s->agrees[e] = agrees;
            for (uint32_t k = agrees ? ISO_NONE : s->clauses_of[e]; k != ISO_NONE; k = s->link[k].next) {
                if (!s->waits[s->link[k].what] && !met(s, s->link[k].what)) {
                    put(s, s->link[k].what);
                }
            }
        }
    }
}

/* Returns a literal without a value that would meet the clause. It exists, since propagation found no conflict. */
static iso_lit best_way(const strong_solver *s, uint32_t clause) {
    const strong_clauses *p = s->clauses;
    iso_lit best = ISO_LIT_NONE;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = p->first[clause]; i < p->first[clause + 1]; i++) {
        iso_lit l = iso_lit_of(s->var[strong_atom_of(p->literal[i])], strong_negated(p->literal[i]));
        uint64_t far = distance(s, &p->atom[strong_atom_of(p->literal[i])]);
        if (iso_solver_value(s->solver, l) == 0 && far < least) {
            least = far;
            best = l;
        }
    }
    return best;
}

static bool is_exhausted(const strong_solver *s) {
    return s->limits->visits != 0 && iso_acyclic_counters(s->graph).visited > s->limits->visits;
}

static iso_lit decide(void *arg) {
    strong_solver *s = arg;
    if (is_exhausted(s)) {
        return ISO_LIT_NONE;
    }
    for (int turn = 0; turn < 2; turn++) {
        while (s->unmet.n > 0) {
            iso_tick_steps(s->clauses->pool->env, 8); /* a move of very many events lets very many clauses wait */
            if (!met(s, s->unmet.item[0])) {
                return best_way(s, s->unmet.item[0]);
            }
            s->waits[iso_heap_pop(&s->unmet, is_earlier, s->place)] = 0;
        }
        for (uint32_t i = 0; turn == 0 && i < s->n_choosing; i++) {
            if (!met(s, s->choosing[i])) {
                put(s, s->choosing[i]);
            }
        }
    }
    return ISO_LIT_NONE;
}

static void take_turn(strong_solver *s, bool repair) {
    s->repairs = repair;
    iso_solver_decider(s->solver, repair ? decide : NULL, s);
    iso_solver_patience(s->solver, repair ? PATIENCE : ISO_SOLVER_PATIENCE);
}

void iso_strong_solver_init(strong_solver *s, const strong_clauses *clauses, const strong_limits *limits,
                            const uint32_t *vertex, uint32_t n_vertices) {
    memset(s, 0, sizeof *s);
    s->clauses = clauses;
    s->limits = limits;
    s->vertex = vertex;
    s->n_vertices = n_vertices;
    s->unmet.pool = clauses->pool;
    s->solver = iso_solver_new(clauses->pool);
    s->graph = iso_acyclic_new(clauses->pool, s->solver, n_vertices);
    iso_acyclic_options(s->graph, true, true);
    s->edges_of = ISO_NEW_NONE(clauses->pool, n_vertices);
    s->position = iso_acyclic_positions(s->graph);
    iso_acyclic_on_move(s->graph, moved, s);
    iso_solver_stay(s->solver, 1); /* a conflict that would undo more than one decision undoes only the last one */
    s->turn = s->turn_ends = TURN + (uint64_t)n_vertices;
    take_turn(s, true);
}

static bool add_clauses(strong_solver *s, const uint32_t *clause, uint32_t n) {
    const strong_clauses *p = s->clauses;
    uint32_t *literal = NULL, room = 0;
    bool consistent = true;
    for (uint32_t j = 0; consistent && j < n; j++) {
        iso_tick(p->pool->env);
        uint32_t size = 0;
        for (uint32_t i = p->first[clause[j]]; i < p->first[clause[j] + 1]; i++) {
            ISO_GROW(p->pool, literal, size, room);
            uint32_t l = p->literal[i];
            literal[size++] = iso_lit_of(s->var[strong_atom_of(l)], strong_negated(l));
        }
        watch(s, clause[j]);
        consistent = iso_solver_clause(s->solver, literal, size);
    }
    iso_free(p->pool, literal);
    return consistent;
}

/* When decide() is near its limit of visits it leaves clauses unmet, so the solver's model is not an answer. */
static strong_answer answer_of(const strong_solver *s, iso_solver_answer answer) {
    if (answer == ISO_SOLVER_UNKNOWN || (answer == ISO_SOLVER_SAT && is_exhausted(s))) {
        return STRONG_GAVE_UP;
    }
    return answer == ISO_SOLVER_SAT ? STRONG_FOUND : STRONG_NONE;
}

/* Solves with a conflict limit that is too small for turns. */
static strong_answer solve_within(strong_solver *s, uint64_t conflicts) {
    uint64_t done = iso_solver_counters(s->solver).conflicts;
    return done >= conflicts ? STRONG_GAVE_UP : answer_of(s, iso_solver_solve(s->solver, conflicts - done));
}

static strong_answer solve(strong_solver *s) {
    for (;;) {
        uint64_t done = iso_solver_counters(s->solver).conflicts;
        if (done < s->turn_ends) {
            iso_solver_answer answer = iso_solver_solve(s->solver, s->turn_ends - done);
            if (answer != ISO_SOLVER_UNKNOWN) {
                return answer_of(s, answer);
            }
        }
        s->turn += s->turn / 2;
        s->turn_ends += s->turn;
        take_turn(s, !s->repairs);
    }
}

strong_answer iso_strong_solver_solve(strong_solver *s, const uint32_t *clause, uint32_t n) {
    const strong_clauses *p = s->clauses;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = p->first[clause[j]]; i < p->first[clause[j] + 1]; i++) {
            iso_strong_solver_know(s, strong_atom_of(p->literal[i]));
        }
    }
    if (!iso_acyclic_ready(s->graph) || !add_clauses(s, clause, n)) {
        return STRONG_NONE;
    }
    return s->limits->conflicts != 0 ? solve_within(s, s->limits->conflicts) : solve(s);
}
