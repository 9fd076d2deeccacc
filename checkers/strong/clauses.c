/* See clauses.h. */
#include "checkers/strong/clauses.h"

#include <string.h>

/* Limit of atoms, so that twice their number fits a literal, also of the solver. */
#define MOST_ATOMS (ISO_ID_MAX / 4)

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
    ISO_GROW(c->pool, c->literal, c->n_literals, c->literals_room);
    c->literal[c->n_literals++] = literal;
}

uint32_t iso_strong_clause(strong_clauses *c, strong_hint why) {
    ISO_GROW(c->pool, c->first, c->n + 1, c->first_room);
    ISO_GROW(c->pool, c->why, c->n, c->why_room);
    c->why[c->n] = why;
    c->first[++c->n] = c->n_literals;
    return c->n - 1;
}
