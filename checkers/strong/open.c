/* Clauses of edges and choices, as the search makes them. See search.h. */
#include <string.h>

#include "base/hash.h"
#include "checkers/strong/search.h"

#define NO_EDGE UINT32_MAX

static void grow_table(strong_open *p) {
    iso_free(p->pool, p->slot);
    uint32_t room = p->mask == 0 ? 1024 : 2 * (p->mask + 1);
    p->slot = ISO_NEW(p->pool, uint32_t, room);
    memset(p->slot, 0xff, (size_t)room * sizeof *p->slot);
    p->mask = room - 1;
    for (uint32_t e = 0; e < p->n_edges; e++) {
        uint64_t at = iso_mix2(p->edge[e].from, p->edge[e].to) & p->mask;
        while (p->slot[at] != NO_EDGE) {
            at = (at + 1) & p->mask;
        }
        p->slot[at] = e;
    }
}

void iso_strong_open_count(const strong_open *p, iso_result *result) {
    iso_result_counter(result, "open-constraints", p->n_clauses);
    iso_result_counter(result, "tried-constraints", p->tried);
    iso_result_counter(result, "conflicts", p->conflicts);
    iso_result_counter(result, "decisions", p->decisions);
}

uint32_t iso_strong_open_choice(strong_open *p, strong_edge edge) {
    if (p->n_edges >= ISO_ID_MAX / 4) {
        iso_throw(p->pool->env, ISOLAB_E_LIMIT, "more than %u open edges", ISO_ID_MAX / 4);
    }
    ISO_GROW(p->pool, p->edge, p->n_edges, p->edges_room);
    p->edge[p->n_edges] = edge;
    return p->n_edges++;
}

/* Reads-from, anti-dependencies and orders of writers are not the same edge, so that cycles can be named. */
static unsigned sort(uint8_t kind) { return kind == ISO_EDGE_WR ? 0 : kind == ISO_EDGE_RW ? 1 : 2; }

/* The number of an edge. One that is there already keeps its first reason. */
uint32_t iso_strong_open_edge(strong_open *p, strong_edge edge) {
    if (2 * p->n_edges >= p->mask) {
        grow_table(p);
    }
    uint64_t at = iso_mix2(edge.from, edge.to) & p->mask;
    for (uint32_t e; (e = p->slot[at]) != NO_EDGE; at = (at + 1) & p->mask) {
        const strong_edge *there = &p->edge[e];
        if (there->from == edge.from && there->to == edge.to && there->kind != ISO_EDGE_KINDS &&
            sort(there->kind) == sort(edge.kind)) {
            return e;
        }
    }
    return p->slot[at] = iso_strong_open_choice(p, edge);
}

void iso_strong_open_literal(strong_open *p, uint32_t literal) {
    ISO_GROW(p->pool, p->literal, p->n_literals, p->literals_room);
    p->literal[p->n_literals++] = literal;
}

void iso_strong_open_clause(strong_open *p) {
    ISO_GROW(p->pool, p->clause, p->n_clauses + 1, p->clauses_room);
    ISO_GROW(p->pool, p->why, p->n_clauses, p->why_room);
    p->why[p->n_clauses] = p->next_why;
    p->next_why = (strong_hint){ISO_NONE, ISO_NONE, ISO_NONE};
    p->clause[++p->n_clauses] = p->n_literals;
}

strong_ways iso_strong_ways_of_read(const strong_model *m, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2) {
    uint32_t c2 = strong_commit(m, m->write_txn[w2]);
    return (strong_ways){
        {.from = c2, .to = strong_written(m, m->write_txn[w1]), .op = op, .slot = w2, .kind = ISO_EDGE_AXIOM},
        {.from = strong_start(m, t3), .to = c2, .op = op, .slot = w2, .kind = ISO_EDGE_RW}};
}

void iso_strong_open_init(strong_open *p, iso_pool *pool, uint32_t stay) {
    memset(p, 0, sizeof *p);
    p->stay = stay;
    p->pool = pool;
    p->clause = ISO_ZNEW(pool, uint32_t, 32);
    p->clauses_room = 32;
    p->next_why = (strong_hint){ISO_NONE, ISO_NONE, ISO_NONE};
    grow_table(p);
}

/* Conflicts until it is given up: so many, and one for so many events. */
#define CONFLICTS 128
#define EVENTS_A_CONFLICT 16

/* Events that it may look at where the order changes, for each one of the history: about what clocks cost. */
#define VISITS 120

void iso_strong_open_give_up_early(strong_open *p, uint32_t events) {
    p->budget = CONFLICTS + events / EVENTS_A_CONFLICT;
    p->most_visits = VISITS * (uint64_t)events;
    p->patience = events / 4 * 3 + 1; /* where more are not met, clocks are faster */
}

/* So few constraints that an order does not meet are always worth another round: these, and one for so many events. */
#define FEW 64
#define EVENTS_OF_FEW 64

uint64_t iso_strong_open_most(const strong_open *p) { return p->patience == 0 ? UINT64_MAX : p->patience + FEW; }

/* The first round should leave no more than two thirds of what it found, and each further one of what the one before it
 * might have left. */
bool iso_strong_open_hopeful(strong_open *p, uint32_t unmet, uint32_t events) {
    if (p->patience == 0 || unmet <= FEW + events / EVENTS_OF_FEW) {
        return true;
    }
    bool few_enough = unmet <= p->patience;
    p->patience = (p->rounds == 0 ? unmet : p->patience) / 3 * 2 + 1;
    return few_enough;
}
