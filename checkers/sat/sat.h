/* The parts of the checker `sat`: the definitions of docs/levels.md as clauses, solved by CaDiCaL.
 *
 * Variables: the commit order of two transactions (made when first asked for), the writer that a read took,
 * and whether an indeterminate transaction takes part. Everything is of the pool of the run, apart from the
 * solver, which sat.c releases. Nothing here is shared with another checker.
 */
#ifndef ISOLAB_CHECKERS_SAT_SAT_H
#define ISOLAB_CHECKERS_SAT_SAT_H

#include <ccadical.h>

#include "certificates/proof.h"
#include "checkers/checker.h"

/* Literals are those of DIMACS; these two stand for what is known without a variable. */
#define SAT_TRUE INT32_MAX
#define SAT_FALSE (-INT32_MAX)

#define SAT_INIT UINT32_MAX /* the initial transaction, where a vertex is expected */

/* One possible writer of a read. */
typedef struct iso_sat_choice {
    uint32_t op;     /* the write; ISO_INIT */
    uint32_t vertex; /* its transaction; SAT_INIT */
    int literal;     /* true where the read took it */
} iso_sat_choice;

typedef struct iso_sat_read {
    uint32_t op, key;
    uint32_t first, end; /* choices */
    uint32_t chosen;     /* of the last model: one of them; ISO_NONE where the reader takes no part */
    bool is_list;
    uint32_t external, n_external; /* lists: what it shows of others, in list_version */
} iso_sat_read;

typedef struct sat {
    const isolab_history *h;
    const iso_request *request;
    iso_result *result;
    iso_pool *pool;
    iso_env *env;
    iso_level level;
    bool sessions; /* the session order counts */

    /* vertices: the transactions that take part, or may */
    uint32_t n;
    uint32_t *txn;        /* by vertex */
    uint32_t *vertex;     /* by transaction; ISO_NONE */
    int *part;            /* by vertex: literal of taking part */
    uint32_t *read_first; /* n + 1: reads of a vertex, in program order */
    iso_sat_read *reads;
    uint32_t n_reads;
    iso_sat_choice *choices;
    uint32_t n_choices;
    uint32_t *writer_first; /* by key: vertices that write it, in increasing order */
    uint32_t *writer;

    /* the solver and what it was told */
    CCaDiCaL *solver;
    int n_vars;
    uint64_t vars_room; /* of CaDiCaL's tables: doubled when a variable does not fit */
    int8_t *model;      /* by variable, of the last model: CaDiCaL forgets it with the next clause */
    int *clause;        /* under construction */
    uint32_t n_clause, clause_room;
    bool satisfied; /* the clause under construction has a true literal */
    int *log;       /* all clauses, zero-terminated, for --dimacs; NULL: not asked for */
    size_t n_log, log_room;
    uint64_t n_clauses;
    uint64_t proof_conflicts; /* that the search for a proof may take; 0: any number */
    iso_proof *proof;         /* the same clauses as rules of a certificate, except transitivity; NULL: not asked for */

    /* the commit order */
    uint32_t words;             /* of a row of bits */
    uint64_t *fixed;            /* n rows: what is before what whatever is chosen; transitive */
    int *pair;                  /* for u < v at v (v - 1) / 2 + u: literal of u before v; 0: not asked for yet */
    uint64_t *now;              /* n rows: what the last model says */
    uint32_t *order, *position; /* the last order, and its inverse */
} sat;

/* iso_sat_formula.c: clauses and the commit order */
int iso_sat_var(sat *s);
void iso_sat_add(sat *s, int literal);              /* to the clause under construction */
void iso_sat_end(sat *s);                           /* hands the clause over */
void iso_sat_order_start(sat *s);                   /* fixed order and first guess; before any iso_sat_before() */
int iso_sat_before(sat *s, uint32_t u, uint32_t v); /* literal: u before v in the commit order */
void iso_sat_model(sat *s);                         /* keeps the model that CaDiCaL found */
bool iso_sat_true(const sat *s, int literal);       /* in the last model; for its variables only */
/* Orders the vertices as the last model says. Where it cannot, adds transitivity and returns false. */
bool iso_sat_order_model(sat *s);
void iso_sat_write_dimacs(sat *s);

/* iso_sat_reads.c: who takes part, and who wrote what was read */
void iso_sat_reads_start(sat *s);  /* fills vertices, reads and choices; reports offending reads */
void iso_sat_reads_encode(sat *s); /* after iso_sat_order_start() */
void iso_sat_reads_model(sat *s);  /* chosen, from the last model */
/* Is there a commit order at all? (int and ci ask for none.) */
static inline bool iso_sat_orders(const sat *s) { return s->level != ISO_CI && s->level != ISO_INT; }
static inline bool iso_sat_takes_part(const sat *s, uint32_t v) { return iso_sat_true(s, s->part[v]); }

/* iso_sat_lists.c: fills the external part of a list read, and says how it offends (ISO_A_KINDS: it does not) */
iso_anomaly_kind iso_sat_list_judge(const sat *s, iso_sat_read *r, uint32_t *other);
bool iso_sat_list_may_read(const sat *s, const iso_sat_read *r,
                           uint32_t append); /* the last element from this append? */
void iso_sat_list_encode(sat *s, uint32_t v, const iso_sat_read *r);
uint64_t iso_sat_lists(sat *s); /* adds what the last model breaks of rule 1; returns the number of clauses */
bool iso_sat_lists_differ(const sat *s, const iso_sat_read *a, const iso_sat_read *b); /* for ci */

/* iso_sat_proof.c: a certificate of a violation, where it is asked for and its search ends in time */
void iso_sat_proof_start(sat *s); /* the order that is fixed, as rules */
void iso_sat_proof_end(sat *s);   /* searches; where it gives up, the result says so */

/* iso_sat_axioms.c: adds each instance of the level's axiom that the last model breaks; returns their number */
uint64_t iso_sat_axioms(sat *s);

#endif
