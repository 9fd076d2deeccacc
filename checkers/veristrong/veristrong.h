/* `veristrong`: ser and si by hyper-polygraphs (veristrong.txt). The files, in the order in which a history passes:
 *
 *   veristrong.c  the stages in order; the descriptor
 *   graph.c       the hyper-polygraph: known edges, candidates of reads, pairs of writers
 *   prune.c       alternatives that would close a cycle with known edges are out; their opposites are known
 *   encode.c      the undecided alternatives as variables and arcs of the solver (graph/solver.h, graph/acyclic.h)
 *   lazy.c        the same formula for CaDiCaL, as an ablation
 *   why.c         the premises of a fact, found again when they are needed
 *   cycle.c       a violation as a cycle for people
 *   proof.c       a violation as a clausal proof
 *
 * Vertices are the included and optional transactions. The initial transaction is not a vertex, since it is before all
 * others. The graph has *points*: for ser one for each vertex; for si two, the start 2 v and the commit 2 v + 1 of v,
 * so that the induced SI graph of definition A.1 is acyclic exactly if this graph is (graph/acyclic.h has the proof).
 * What is known is a list of *facts*, in the order in which they were found: edges of the known graph, and candidates
 * that are out. Every fact follows from earlier facts; proofs consist of these steps. */
#ifndef ISOLAB_CHECKERS_VERISTRONG_VERISTRONG_H
#define ISOLAB_CHECKERS_VERISTRONG_VERISTRONG_H

#include "base/buckets.h"
#include "base/index.h"
#include "checkers/checker.h"
#include "graph/acyclic.h"

#define VS_INIT (UINT32_MAX - 1) /* the initial transaction in place of a vertex */

/* A read of one value of one key from other transactions. Several reads of one transaction may share one. */
typedef struct iso_vs_read {
    uint32_t vertex, key, op; /* op: the first operation of them */
    uint32_t first, end;      /* candidates [first, end) */
    uint32_t left;            /* number of candidates that are not out; 1: the writer is known */
} iso_vs_read;

/* A transaction from which such a read may have read. */
typedef struct iso_vs_candidate {
    uint32_t read, op; /* op: the write, or ISO_INIT */
    uint32_t writer;   /* the number of its write entry, or VS_INIT */
    bool out, known;
    uint32_t var; /* its variable in the solver; ISO_NONE: known or out */
} iso_vs_candidate;

/* VS_STEP and VS_FACT occur only as tags of arcs of the solver's graph: from a start to its commit, and the edge of a
 * fact. */
typedef enum { VS_SO, VS_WR, VS_WW, VS_RW, VS_OUT, VS_STEP, VS_FACT } iso_vs_kind;

typedef struct iso_vs_entry_pair {
    uint32_t i, j;
} iso_vs_entry_pair;

typedef struct iso_vs_fact {
    uint32_t from, to; /* vertices, for an edge */
    uint8_t kind;
    bool by_dependency; /* WW, OUT: the excluded alternative is excluded by its own dependency edge */
    uint32_t a;         /* WW: key; WR, OUT: candidate; RW: candidate of the read */
    uint32_t b;         /* WW, not by_dependency: the candidate whose anti-dependency excludes the opposite; OUT, not
                         * by_dependency: the entry that the reader would be before */
} iso_vs_fact;

typedef struct iso_vs_proof iso_vs_proof;

typedef struct iso_vs_what {
    uint32_t kind, id; /* VS_WW; VS_WR and the candidate; VS_SO and the included vertex */
} iso_vs_what;

typedef struct vs {
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    iso_pool *pool;
    iso_env *env;
    bool si, sessions;
    bool prune, polarity; /* ablations P and H */
    unsigned width;       /* of encoded cycles, ablation C: 1 encodes none */

    uint32_t n, points;
    uint32_t *txn, *vertex; /* by vertex: its transaction; by transaction: its vertex, or ISO_NONE */
    uint32_t *part;         /* by vertex: the solver variable that it is included; ISO_NONE: it certainly is */
    bool any_open;

    /* write entries: pairs (key, vertex), by key, then by vertex */
    uint32_t *entry_first; /* n_keys + 1 entries */
    uint32_t *entry_vertex, *entry_key;
    uint32_t n_entries;
    iso_vs_read *reads;
    uint32_t n_reads, reads_room;
    iso_vs_candidate *candidates;
    uint32_t n_candidates, candidates_room;
    uint32_t *of_entry_first, *of_entry; /* candidates by write entry */
    uint32_t *of_init, n_of_init;        /* candidates of the initial transaction */
    uint32_t *op_read; /* by operation: its read; ISO_NONE: it is not a read, or it read an own write */

    /* WW constraints: the pair (i, j), i < j, of entries of key k has the number pair_first[k] + j' (j' - 1) / 2 + i',
     * where i' and j' count from the key's first entry */
    uint64_t *pair_first;     /* n_keys + 1 entries */
    uint8_t *pair;            /* VS_OPEN, or which entry is first */
    uint64_t n_pairs, n_open; /* n_open: number of undecided pairs */

    iso_vs_fact *facts;
    uint32_t n_facts, facts_room;
    uint32_t *cycle, n_cycle; /* facts (edges) that form a cycle; n_cycle 0: none found */
    uint32_t dead_read;       /* a read whose candidates are all out; ISO_NONE: none */

    /* the known graph of the last pass: facts by their first point, and reachability */
    uint32_t *out_first, *out_fact;
    uint32_t words;
    uint64_t *reach;       /* a row for each point; row p has p itself and all points that it reaches */
    uint32_t *topological; /* all points, last ones first */

    iso_solver *solver;
    iso_acyclic *graph;
    iso_vs_entry_pair *var_entry; /* by WW variable, from first_order_var on */
    uint32_t first_order_var;
    uint64_t cycle_clauses;
    bool cycles_complete;
    uint32_t *certain, n_certain; /* arcs of the cycle that ended the search */
    iso_vs_what *var_what;        /* by variable; only for a proof */
    uint32_t var_what_room;
    bool want_proof, certified; /* certified: the reported edges prove the violation by themselves */
    iso_vs_proof *proof;
    bool lazily;        /* solve by CaDiCaL, adding cycle clauses as needed */
    iso_lits formula;   /* for CaDiCaL: all clauses, each ended by ISO_LIT_NONE */
    uint64_t widths[5]; /* number of conflicts by their number of variables: 1, 2, 3, 4, and 5 or more */
} vs;

enum { VS_OPEN, VS_FORWARD, VS_BACKWARD };

/* Return the points of an edge: a dependency (so, wr, ww) or an anti-dependency (rw). */
static inline uint32_t iso_vs_from(const vs *s, uint32_t v, bool rw) { return s->si ? 2 * v + !rw : v; }
static inline uint32_t iso_vs_to(const vs *s, uint32_t v, bool rw) { return s->si ? 2 * v + rw : v; }
static inline uint32_t iso_vs_fact_from(const vs *s, const iso_vs_fact *f) {
    return iso_vs_from(s, f->from, f->kind == VS_RW);
}
static inline uint32_t iso_vs_fact_to(const vs *s, const iso_vs_fact *f) {
    return iso_vs_to(s, f->to, f->kind == VS_RW);
}

/* Returns whether the edge u -> v would close a cycle of the known graph. Call it after iso_vs_reach(). */
static inline bool iso_vs_closes(const vs *s, uint32_t u, uint32_t v, bool rw) {
    uint32_t from = iso_vs_to(s, v, rw), to = iso_vs_from(s, u, rw);
    return s->reach[(size_t)from * s->words + to / 64] >> (to % 64) & 1;
}

static inline uint64_t iso_vs_pair(const vs *s, uint32_t key, uint32_t i, uint32_t j) { /* entries, i < j */
    uint64_t low = i - s->entry_first[key], high = j - s->entry_first[key];
    return s->pair_first[key] + high * (high - 1) / 2 + low;
}

/* graph.c: algorithm 4. Returns false if some read offends; it is then reported. */
bool iso_vs_construct(vs *s);
/* prune.c: algorithm 5 (or, without it, only the known graph). Returns false if the history is refuted; cycle or
 * dead_read is then set. */
bool iso_vs_prune(vs *s);
uint32_t iso_vs_add_fact(vs *s, iso_vs_fact fact);
void iso_vs_know_candidate(vs *s, uint32_t candidate); /* the read certainly reads from it: its edges become facts */
/* Returns whether T, entry i, is known to come before S, entry j, of the same key. */
bool iso_vs_known_before(const vs *s, uint32_t i, uint32_t j);
/* encode.c: algorithms 7 and 2. Returns false if the clauses alone refute the history. */
bool iso_vs_encode(vs *s);
bool iso_vs_solve_lazily(vs *s); /* lazy.c */
/* why.c: the premises of a fact are earlier facts: first (for ww, rw by a path, out) a path of n_path facts, then
 * others. */
typedef struct iso_vs_premises {
    uint32_t *at, n, n_path, room;
} iso_vs_premises;

typedef struct iso_vs_why {
    vs *s;
    void (*say)(void *arg, uint32_t fact); /* called once for each fact, after its premises */
    void *arg;
    iso_vs_premises *of; /* by fact */
    uint8_t *state;      /* by fact: 0 not visited, 1 on the stack, 2 done */
    uint32_t *out_fact;  /* by candidate: the fact that it is out */
    iso_index orders;    /* WW facts by their entries */
    uint32_t *stack, n_stack, stack_room;
    uint32_t *queue, *by, *seen, stamp; /* of path searches, by point; by: a fact, or ISO_NONE from a start to its
                                         * commit */
} iso_vs_why;

iso_vs_why *iso_vs_why_new(vs *s, void (*say)(void *arg, uint32_t fact), void *arg); /* call it after pruning */
void iso_vs_explain(iso_vs_why *p, uint32_t fact);
/* Add premises to x: the facts that a candidate is the only remaining one; that entry i is before entry j (a fact, or a
 * path that starts at *first). */
void iso_vs_need_choice(iso_vs_why *p, iso_vs_premises *x, uint32_t candidate);
void iso_vs_need_order(iso_vs_why *p, iso_vs_premises *x, uint32_t i, uint32_t j, uint32_t limit, uint32_t *first);
/* Returns the fact that entry i is before entry j; ISO_NONE: a path shows it. */
uint32_t iso_vs_order_fact(const iso_vs_why *p, uint32_t i, uint32_t j);
uint32_t iso_vs_write_of(const vs *s, uint32_t entry);                /* the write operation of an entry */
uint32_t iso_vs_entry_of(const vs *s, uint32_t key, uint32_t vertex); /* the vertex must write the key */
/* Returns whether the reader is committed and only one write is possible. */
bool iso_vs_sure(const vs *s, const iso_vs_read *r);
/* cycle.c: reports the cycle with which pruning or the search ended, with the known reasons of its edges. Returns
 * whether these edges are a certificate by themselves. */
bool iso_vs_report_cycle(vs *s);
/* proof.c: a second run, with want_proof, writes a proof. */
void iso_vs_index_facts(vs *s);
iso_vs_proof *iso_vs_proof_new(vs *s); /* call it after pruning */
void iso_vs_proof_pruned(iso_vs_proof *p);
void iso_vs_proof_read(iso_vs_proof *p, uint32_t read);
void iso_vs_proof_one(iso_vs_proof *p, uint32_t candidate, uint32_t other);
void iso_vs_proof_cycle(iso_vs_proof *p, const iso_acyclic *g, const uint32_t *arcs, uint32_t n);
void iso_vs_proof_learnt(iso_vs_proof *p, const iso_lit *literals, uint32_t n);
void iso_vs_proof_end(iso_vs_proof *p);

#endif
