/* The lines of clausal proofs by docs/certificates.md: which lines are allowed about a history, and which clause each
 * line gives. It shares no code with the verifier, which is compared with it. */
#ifndef ISOLAB_TESTS_RULES_H
#define ISOLAB_TESTS_RULES_H

#include "base/random.h"
#include "tests/reference.h"

#define MOST 40 /* words of a line, literals of a clause */

enum { SO_, RT_, WR_, WW_, RW_, LIST_, SHOWN, TORN, CHOICE, ONE, PART, CYCLE, AXIOM, STATE, CUT, DIFFER, RULES };
extern const char *const rule_name[RULES];

/* Numbers: a transaction, an operation, a write or `init`, an element, a point. Words stand for themselves. */
enum { TXN, OP, WRITE, ELEMENT, POINT, STEP_SO, STEP_WR, STEP_CO, STEP_WW, WITHOUT };

typedef struct line {
    unsigned rule, n;
    struct {
        unsigned kind;
        uint32_t x;
    } at[MOST];
} line;

/* A literal: point a before point b, read a took b, or transaction a is included. */
typedef struct literal {
    enum { BEFORE, READS, IN } kind;
    uint32_t a, b;
    bool negated;
} literal;

typedef struct clause {
    literal at[MOST];
    unsigned n;
    bool is_true;
} clause;

typedef struct world {
    reference r;
    const isolab_history *h;
    iso_rng rng;
    bool commits, two, si; /* the kind of proof; two points a transaction, as for si */
    char head[256];
    char text[8192];
} world;

bool is_write(const world *w, uint32_t o);
bool is_list(const world *w, uint32_t o);

/* Returns whether the document allows the line, and what clause it gives. */
bool is_allowed(const world *w, const line *l, clause *c);

#endif
