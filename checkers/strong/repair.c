/* See repair.h. */
#include "checkers/strong/repair.h"

#include <string.h>

#include "base/assert.h"

/* Limit of conflicts: CONFLICTS, and one more for each VERTICES_PER_CONFLICT vertices. */
#define CONFLICTS 128
#define VERTICES_PER_CONFLICT 16

/* Limit of vertices visited during reordering, for each vertex; chosen to match the cost of saturation with clocks. */
#define VISITS 120

/* Another round is always tried if at most FEW_UNMET constraints are unmet, and one more for each VERTICES_PER_UNMET
 * vertices. */
#define FEW_UNMET 64
#define VERTICES_PER_UNMET 64

void iso_strong_repair_init(strong_repair *r, iso_pool *pool) {
    memset(r, 0, sizeof *r);
    iso_strong_clauses_init(&r->clauses, pool);
}

void iso_strong_repair_begin(strong_repair *r, const uint32_t *vertex, uint32_t n_vertices) {
    iso_strong_solver_init(&r->solver, &r->clauses, &r->limits, vertex, n_vertices);
}

/* ---- giving up a guess ---- */

void iso_strong_give_up_early(strong_repair *r, uint32_t vertices) {
    r->limits.conflicts = CONFLICTS + vertices / VERTICES_PER_CONFLICT;
    r->limits.visits = VISITS * (uint64_t)vertices;
    r->limits.unmet = vertices / 4 * 3 + 1;
}

uint64_t iso_strong_most_unmet(const strong_repair *r) {
    return r->limits.unmet == 0 ? UINT64_MAX : r->limits.unmet + FEW_UNMET;
}

/* The first round should leave at most two thirds of the unmet constraints that it found, and each further round at
 * most two thirds of the limit of the round before. */
static bool is_hopeful(strong_repair *r, uint32_t unmet) {
    strong_limits *limits = &r->limits;
    if (limits->unmet == 0 || unmet <= FEW_UNMET + r->solver.n_vertices / VERTICES_PER_UNMET) {
        return true;
    }
    bool few_enough = unmet <= limits->unmet;
    limits->unmet = (r->rounds == 0 ? unmet : limits->unmet) / 3 * 2 + 1;
    return few_enough;
}

/* ---- the loop ---- */

static strong_answer solve(strong_repair *r) {
    iso_assert(r->n_added > 0);
    if (r->clauses_a_conflict > 0) {
        uint64_t conflicts = iso_solver_counters(r->solver.solver).conflicts;
        iso_acyclic_options(r->solver.graph, conflicts * r->clauses_a_conflict > r->tried, true);
    }
    r->tried += r->n_added;
    strong_answer answer = iso_strong_solver_solve(&r->solver, r->added, r->n_added);
    r->n_added = 0;
    return answer;
}

strong_answer iso_strong_repair(strong_repair *r, strong_walk *walk, void *arg) {
    strong_answer answer = iso_acyclic_ready(r->solver.graph) ? STRONG_FOUND : STRONG_NONE;
    for (uint32_t unmet = 1; answer == STRONG_FOUND && unmet > 0; r->rounds++) {
        if (r->n_added > 0) {
            answer = solve(r);
        }
        if (r->hints != NULL) {
            break;
        }
        if (answer == STRONG_FOUND) {
            answer = walk(arg, &unmet);
        }
        if (answer == STRONG_FOUND && unmet > 0 && (r->n_added == 0 || !is_hopeful(r, unmet))) {
            answer = STRONG_GAVE_UP;
        }
    }
    return answer;
}

/* ---- clauses ---- */

void iso_strong_end_clause(strong_repair *r, strong_hint why) {
    ISO_GROW(r->clauses.pool, r->added, r->n_added, r->added_room);
    r->added[r->n_added++] = iso_strong_clause(&r->clauses, why);
}

void iso_strong_meet(strong_repair *r, uint32_t unless, const strong_atom *a, const strong_atom *b, strong_hint why) {
    if (unless != ISO_NONE) {
        iso_strong_literal(&r->clauses, strong_no(unless));
    }
    if (a != NULL) {
        iso_strong_literal(&r->clauses, strong_yes(iso_strong_edge(&r->clauses, *a)));
    }
    iso_strong_literal(&r->clauses, strong_yes(iso_strong_edge(&r->clauses, *b)));
    iso_strong_end_clause(r, why);
}

void iso_strong_one_of(strong_repair *r, uint32_t where, uint32_t first, uint32_t end) {
    iso_assert(first <= end && end <= r->clauses.n_atoms);
    if (where != ISO_NONE) {
        iso_strong_literal(&r->clauses, strong_no(where));
    }
    for (uint32_t atom = first; atom < end; atom++) {
        iso_strong_literal(&r->clauses, strong_yes(atom));
    }
    iso_strong_end_clause(r, STRONG_NO_HINT);
}

void iso_strong_choice_reads(strong_repair *r, uint32_t choice) {
    iso_assert(r->clauses.atom[choice].kind == STRONG_CHOICE);
    strong_atom edge = r->clauses.atom[choice];
    edge.kind = STRONG_EDGE;
    edge.edge = ISO_EDGE_WR;
    uint32_t e = iso_strong_edge(&r->clauses, edge);
    iso_strong_literal(&r->clauses, strong_no(choice));
    iso_strong_literal(&r->clauses, strong_yes(e));
    iso_strong_end_clause(r, STRONG_NO_HINT);
}

bool iso_strong_is_true(const strong_repair *r, uint32_t atom) {
    iso_assert(atom < r->solver.n_var);
    return iso_solver_value(r->solver.solver, iso_lit_of(r->solver.var[atom], false)) > 0;
}

void iso_strong_repair_count(const strong_repair *r, iso_result *result) {
    iso_solver_counts counts = {0};
    if (r->solver.solver != NULL) {
        counts = iso_solver_counters(r->solver.solver);
    }
    iso_result_counter(result, "open-constraints", r->clauses.n);
    iso_result_counter(result, "tried-constraints", r->tried);
    iso_result_counter(result, "conflicts", counts.conflicts);
    iso_result_counter(result, "decisions", counts.decisions);
}
