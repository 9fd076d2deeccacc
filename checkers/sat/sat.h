/* `sat`: the definitions of docs/levels.md as clauses, solved by CaDiCaL. The files, in the order in which a history
 * passes:
 *
 *   sat.c      asks for a model, adds the clauses that it violates, and asks again; the descriptor
 *   reads.c    inclusion, and the write of each read: INT and cut isolation
 *   lists.c    the same for list reads (docs/lists.md)
 *   formula.c  clauses, and the commit order as variables
 *   axioms.c   the instances of the axioms that a model violates
 *   proof.c    the certificate of a violation
 *
 * Variables: the commit order of two transactions (made when first needed), the write that a read took, and whether an
 * optional transaction is included. All memory belongs to the pool of the run, except the solver, which sat.c releases.
 * No code is shared with another checker. */
#ifndef ISOLAB_CHECKERS_SAT_SAT_H
#define ISOLAB_CHECKERS_SAT_SAT_H

#include <ccadical.h>

#include "certificates/proof.h"
#include "checkers/checker.h"

/* Literals are those of DIMACS; these two are constants without a variable. */
#define SAT_TRUE INT32_MAX
#define SAT_FALSE (-INT32_MAX)

#define SAT_INIT UINT32_MAX /* the initial transaction in place of a vertex */

/* A possible write of a read. */
typedef struct iso_sat_choice {
    uint32_t op;     /* the write, or ISO_INIT */
    uint32_t vertex; /* its transaction, or SAT_INIT */
    int literal;     /* true if the read took it */
} iso_sat_choice;

typedef struct iso_sat_read {
    uint32_t op, key;
    uint32_t first, end; /* choices [first, end) */
    uint32_t chosen;     /* one of the choices, in the last model; ISO_NONE if the reader is excluded */
    bool is_list;
    uint32_t external, n_external; /* lists: the external part, in list_version */
} iso_sat_read;

typedef struct sat {
    const isolab_history *h;
    const iso_question *question;
    iso_result *result;
    iso_pool *pool;
    iso_env *env;
    iso_rules rules; /* of the level */
    bool sessions;   /* session order counts */

    /* vertices: the included and optional transactions */
    uint32_t n;
    uint32_t *txn;        /* by vertex */
    uint32_t *vertex;     /* by transaction; ISO_NONE: none */
    int *part;            /* by vertex: the literal that it is included */
    uint32_t *read_first; /* by vertex: its first read, in program order; n + 1 entries */
    iso_sat_read *reads;
    uint32_t n_reads;
    iso_sat_choice *choices;
    uint32_t n_choices;
    uint32_t *writer_first; /* by key: the vertices that write it, in increasing order */
    uint32_t *writer;

    /* the solver and its clauses */
    CCaDiCaL *solver;
    int n_vars;
    uint64_t vars_room; /* size of CaDiCaL's tables: doubled when a variable does not fit */
    int8_t *model;      /* by variable, in the last model: CaDiCaL forgets it when a clause is added */
    int *clause;        /* the clause under construction */
    uint32_t n_clause, clause_room;
    bool satisfied; /* the clause under construction has a true literal */
    int *log;       /* all clauses, zero-terminated, for --dimacs; NULL: not requested */
    size_t n_log, log_room;
    uint64_t n_clauses;
    uint64_t proof_conflicts; /* conflict limit of the search for a proof; 0 = none */
    iso_proof *proof;         /* the same clauses as rules of a certificate, except transitivity; NULL: not requested */

    /* the commit order */
    uint32_t words;             /* length of a row of bits */
    uint64_t *fixed;            /* n rows: the order that holds for every choice; transitive */
    int *pair;                  /* for u < v at v (v - 1) / 2 + u: the literal that u is before v; 0: not made yet */
    uint64_t *now;              /* n rows: the order in the last model */
    uint32_t *order, *position; /* the last order, and its inverse */
} sat;

/* formula.c: clauses and the commit order */
/* Returns whether the level puts transaction t before u because of real time. */
bool iso_sat_in_time(const sat *s, uint32_t t, uint32_t u);
int iso_sat_var(sat *s);
void iso_sat_add(sat *s, int literal);              /* adds a literal to the clause under construction */
void iso_sat_end(sat *s);                           /* gives the clause to the solver */
void iso_sat_order_start(sat *s);                   /* fixed order and first guess; call it before iso_sat_before() */
int iso_sat_before(sat *s, uint32_t u, uint32_t v); /* literal: u before v in the commit order */
void iso_sat_model(sat *s);                         /* stores the model that CaDiCaL found */
bool iso_sat_true(const sat *s, int literal);       /* in the last model; only for its variables */
/* Orders the vertices by the last model. If that is impossible, adds transitivity and returns false. */
bool iso_sat_order_model(sat *s);
void iso_sat_write_dimacs(sat *s);

/* reads.c: which transactions are included, and which write each read took */
void iso_sat_reads_start(sat *s);  /* fills vertices, reads and choices; reports offending reads */
void iso_sat_reads_encode(sat *s); /* call it after iso_sat_order_start() */
void iso_sat_reads_model(sat *s);  /* sets `chosen` from the last model */
/* Returns whether the level has a commit order. */
static inline bool iso_sat_orders(const sat *s) { return (s->rules & ISO_RULE_ORDER) != 0; }
static inline bool iso_sat_included(const sat *s, uint32_t v) { return iso_sat_true(s, s->part[v]); }

/* lists.c: fills the external part of a list read; returns how it offends (ISO_A_KINDS: it does not) */
iso_anomaly_kind iso_sat_list_judge(const sat *s, iso_sat_read *r, uint32_t *other);
bool iso_sat_list_may_read(const sat *s, const iso_sat_read *r,
                           uint32_t append); /* returns whether the last element may be from this append */
void iso_sat_list_encode(sat *s, uint32_t v, const iso_sat_read *r);
uint64_t iso_sat_lists(sat *s); /* adds clauses for the violations of rule 1 in the last model; returns their number */
bool iso_sat_lists_differ(const sat *s, const iso_sat_read *a, const iso_sat_read *b); /* for cut isolation */

/* proof.c: a certificate of a violation, if one is requested and the search finds it within its limit */
void iso_sat_proof_start(sat *s); /* adds the fixed order as rules */
void iso_sat_proof_end(sat *s);   /* searches for the proof; if it gives up, the result says so */

/* axioms.c: adds each instance of the level's axiom that the last model violates; returns their number */
uint64_t iso_sat_axioms(sat *s);

#endif
