/* What a history says by the definitions of docs/levels.md and docs/lists.md, for tests: its *executions* at a level.
 * An execution is a set of included transactions, the write that each read took, and a commit order, all of which the
 * level allows. A history satisfies a level if it has an execution. This is written from the definitions and
 * shares no code with `brute`; it is slower. */
#ifndef ISOLAB_TESTS_EXECUTIONS_H
#define ISOLAB_TESTS_EXECUTIONS_H

#include "history/history.h"
#include "history/level.h"

#define EXECUTION_TXNS 7 /* at most */
#define EXECUTION_OPS 64

typedef struct execution {
    const isolab_history *h;
    iso_level level;
    bool sessions; /* session order counts */
    bool in[EXECUTION_TXNS];
    /* by read: the write that it returns; ISO_INIT; ISO_NONE: no write has its value (of a list at ci: not known) */
    uint32_t from[EXECUTION_OPS];
    uint32_t n, order[EXECUTION_TXNS]; /* the included transactions, first committed first; int and ci have no order */
    uint32_t place[EXECUTION_TXNS];    /* by transaction, from 1 */
    bool direct[EXECUTION_TXNS][EXECUTION_TXNS], causal[EXECUTION_TXNS][EXECUTION_TXNS]; /* so|wr, and its closure */
} execution;

/* Given in, from (of registers; at int of lists too) and order, works out the rest. Does the level allow it? */
bool execution_is_allowed(execution *x);

/* The transaction that a read took its value from; ISO_INIT; ISO_NONE. */
uint32_t execution_source(const execution *x, uint32_t read);

/* Returns whether t3 sees t2; both are included. rc, rc-plume: when it reads `read`. */
bool execution_sees(const execution *x, uint32_t t3, uint32_t t2, uint32_t read);

/* Goes to the next set of indeterminate transactions that are included besides the committed ones, the next choice of
 * writes, the next order. False: that was the last one, and the first one is set again. */
void execution_first_members(execution *x, const isolab_history *h);
bool execution_next_members(execution *x);
bool execution_first_choice(execution *x); /* false: some read has none */
bool execution_next_choice(execution *x);
void execution_first_order(execution *x);
bool execution_next_order(execution *x);

/* Calls found for every execution, in which the indeterminate transactions that are read from are included, and no
 * others, until it returns false. Returns how many there were. */
typedef bool execution_fn(void *arg, const execution *x);
uint64_t executions(const isolab_history *h, iso_level level, bool sessions, execution_fn *found, void *arg);

#endif
