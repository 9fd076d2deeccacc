/* The axioms of the levels (docs/levels.md), tested on one commit order after another.
 *
 * All axioms have one form: for every t1 -wr_x-> t3 and every t2 != t1 that writes x, if t3 *sees* t2 then t2 co t1.
 * They differ in what t3 sees, by the rules of the level (history/level.h):
 *
 *   read before (other key)   the transactions that t3 read from before the read of x (by reads of other keys)
 *   read, session             t2 wr t3; t2 so t3
 *   cause                     t2 (so|wr)+ t3
 *   prefix                    t2 co*;(so|wr) t3
 *   conflict                  t2 co* t4 where t4 co t3 and both write some key y
 *   before                    t2 co t3
 *
 * Every transaction that t3 sees is before t3 in co, because co contains so|wr, and so is t1. So whether t3's instances
 * of the axiom hold depends only on the transactions before t3. The search places the transactions one after the other,
 * and tests each one when it is placed. This leaves out only orders that violate the axiom, and tests each instance
 * once. The same holds for rule 1 of docs/lists.md. */
#include "checkers/brute/brute.h"

typedef struct search {
    iso_brute *b;
    iso_nodes before[ISO_BRUTE_NODES]; /* by placed node: the nodes before it */
    bool (*found)(iso_brute *b, void *arg);
    void *arg;
    unsigned total;
} search;

/* Returns co* of a set: its nodes and all nodes before them. */
static iso_nodes down(const search *s, iso_nodes set) {
    iso_nodes all = set;
    for (; set != 0; set &= set - 1) {
        all |= s->before[__builtin_ctz(set)];
    }
    return all;
}

/* Returns the nodes that t3 sees whatever it reads; iso_brute_fact.seen has what depends on the read. */
static iso_nodes seen_by(const search *s, unsigned t3) {
    const iso_brute *b = s->b;
    if (b->rules & ISO_SEES_BEFORE) {
        return s->before[t3];
    }
    iso_nodes seen =
        (b->rules & ISO_SEES_READ ? b->read_from[t3] : 0) | (b->rules & ISO_SEES_SESSION ? b->so[t3] & b->members : 0);
    seen |= b->rules & ISO_SEES_CAUSE ? b->before_causal[t3] : 0;
    seen |= b->rules & ISO_SEES_PREFIX ? down(s, seen) : 0;
    return seen | (b->rules & ISO_SEES_CONFLICT ? down(s, s->before[t3] & b->rivals[t3]) : 0);
}

static bool axiom_holds(const search *s, unsigned t3) {
    const iso_brute *b = s->b;
    iso_nodes seen = seen_by(s, t3);
    for (uint32_t f = b->fact_of[t3]; f < b->fact_of[t3 + 1]; f++) {
        const iso_brute_fact *fact = &b->facts[f];
        iso_nodes t2 = (seen | fact->seen) & fact->writers;
        if ((t2 & ~s->before[fact->t1]) != 0) {
            return false;
        }
        if (fact->list != NULL && !iso_brute_list_fits(b, fact->list, fact->t1)) {
            return false;
        }
    }
    return true;
}

/* Returns the transactions that real time puts before t. */
static iso_nodes before_in_time(const iso_brute *b, unsigned t) {
    return b->rules & ISO_TIME_ALL ? b->rt[t] : b->rules & ISO_TIME_KEYS ? b->rt_key[t] : 0;
}

/* Places one more transaction in every possible way. The recursion is at most ISO_BRUTE_TXNS deep. */
static bool extend(search *s, iso_nodes placed, unsigned n_placed) {
    iso_brute *b = s->b;
    if (n_placed == s->total) {
        return s->found(b, s->arg);
    }
    iso_tick(b->pool->env);
    for (iso_nodes left = b->members & ~placed; left != 0; left &= left - 1) {
        unsigned t = (unsigned)__builtin_ctz(left);
        iso_nodes first = b->before_direct[t] | (before_in_time(b, t) & b->members);
        if ((first & ~placed) != 0) {
            continue;
        }
        s->before[t] = placed;
        if (!axiom_holds(s, t)) {
            continue;
        }
        b->order[n_placed] = (uint8_t)t;
        if (extend(s, placed | iso_node(t), n_placed + 1)) {
            return true;
        }
    }
    return false;
}

bool iso_brute_orders(iso_brute *b, bool (*found)(iso_brute *b, void *arg), void *arg) {
    search s = {.b = b, .found = found, .arg = arg, .total = (unsigned)__builtin_popcount(b->members)};
    b->order[0] = 0; /* the initial transaction comes first */
    s.before[0] = 0;
    return extend(&s, iso_node(0), 1);
}
