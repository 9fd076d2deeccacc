/* `polygraph`: baselines in the manner of four published checkers that cannot be had or start slowly, written from
 * their papers: a polygraph of known edges and constraints, reduced as each paper says, and decided by CDCL modulo
 * acyclicity (graph/acyclic.h) where the papers use MonoSAT.
 *
 * | like     | level | constraints               | graph                   | before the solver   |
 * |----------|-------|---------------------------|-------------------------|---------------------|
 * | tcc-mono | cc    | pairs of writers of a key | transactions            | unit clauses        |
 * | cobra    | ser   | pairs of chains of a key  | transactions            | pruning             |
 * | polysi   | si    | pairs of writers          | induced: D and D ; RW   | pruning             |
 * | viper    | si    | pairs of chains           | begins and commits      | guesses by distance |
 *
 * A chain is a run of read-modify-writes (model.c).
 *
 * All four require unique values, so writers are known, and their constraints are pairs of sets of edges, of which one
 * must hold (PolySI's generalised constraints). None of them guides the solver or encodes cycles, as `veristrong` does.
 *
 * Parts: model.c makes the known edges and the constraints, prune.c is pruning by reachability, encode.c gives the rest
 * to the solver. A violation is reported without a cycle. */
#ifndef ISOLAB_CHECKERS_POLYGRAPH_POLYGRAPH_H
#define ISOLAB_CHECKERS_POLYGRAPH_POLYGRAPH_H

#include "checkers/checker.h"
#include "graph/digraph.h"

typedef enum { PG_TCC_MONO, PG_COBRA, PG_POLYSI, PG_VIPER } iso_pg_like;

typedef struct iso_pg_edge {
    uint32_t from, to; /* vertices */
    bool rw;           /* an anti-dependency; else a dependency */
} iso_pg_edge;

enum { PG_FORWARD, PG_BACKWARD, PG_UNDECIDED };

/* Either all edges [first, middle) or all edges [middle, end) hold. */
typedef struct iso_pg_constraint {
    uint32_t first, middle, end;
    uint32_t a, b; /* the entries: the last of one chain is before the first of the other. tcc-mono: the writers */
    uint8_t side;  /* PG_FORWARD: a is before b */
} iso_pg_constraint;

/* Vertex 0 is the initial transaction, which writes every key; the others are the included transactions. */
typedef struct iso_pg {
    const isolab_history *h;
    iso_result *result;
    iso_pool *pool;
    iso_env *env;
    iso_pg_like like;
    bool si, chains;
    uint32_t n, points; /* si: point 2 v is the begin of v, 2 v + 1 its commit */
    uint32_t *txn;

    /* entries: pairs (key, writer), by key; the first of each key is the initial transaction's */
    uint32_t *entry_first, *entry_vertex; /* entry_first: n_keys + 1 */
    uint32_t n_entries;
    uint32_t *next;                   /* by entry: the next of its chain, or ISO_NONE */
    uint8_t *follows;                 /* by entry: whether it is the next of another one */
    uint32_t *reader_first, *readers; /* vertices that read from each entry */
    bool torn; /* a transaction read two versions of a key, or two transactions overwrote one version: no level holds */

    iso_pg_edge *known;
    uint32_t n_known, known_room;
    iso_pg_edge *edges; /* of constraints */
    uint32_t n_edges, edges_room;
    iso_pg_constraint *constraints;
    uint32_t n_constraints, constraints_room, n_undecided;

    iso_digraph graph; /* of points, by the known edges; its last topological order, and reachability as rows of bits */
    uint32_t *order;
    uint64_t *reach;
    uint32_t words;
} iso_pg;

static inline uint32_t iso_pg_from(const iso_pg *p, uint32_t v, bool rw) { return p->si ? 2 * v + !rw : v; }
static inline uint32_t iso_pg_to(const iso_pg *p, uint32_t v, bool rw) { return p->si ? 2 * v + rw : v; }

/* Returns whether point a is point b or reaches it. Call it after iso_pg_reach(). */
static inline bool iso_pg_reaches(const iso_pg *p, uint32_t a, uint32_t b) {
    return p->reach[(size_t)a * p->words + b / 64] >> (b % 64) & 1;
}

/* model.c. Call it when read consistency holds. */
void iso_pg_construct(iso_pg *p);
void iso_pg_know(iso_pg *p, uint32_t first, uint32_t end); /* edges [first, end) of constraints become known */

/* prune.c. Return false if the known edges form a cycle, or both sides of a constraint would. */
bool iso_pg_sort(iso_pg *p);  /* sets order */
void iso_pg_reach(iso_pg *p); /* sets reach, after iso_pg_sort() */
bool iso_pg_prune(iso_pg *p);

/* encode.c. Returns whether the constraints can be satisfied; then sets the result's order. */
bool iso_pg_solve(iso_pg *p);

#endif
