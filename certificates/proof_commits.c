/* Describes what a proof of commits shows, for people: the case that breaks only the strongest level.
 *
 * A case is a cycle of session order, reads and instances of the axiom that the proof needs. In every choice of writers
 * one of the cases occurs, so a name taken from the mildest does not exaggerate. The names are Plume's (plume.txt,
 * table 1). */
#include <string.h>

#include "certificates/proof_lines.h"

/* How a transaction sees another one in an axiom's line. MONO: by an earlier read of another key (rc: of any key);
 * ATOMIC: directly; CAUSAL: by a path. */
typedef enum { MONO, ATOMIC, CAUSAL } grade;

/* The lines of a case, and how much it breaks: 2 minus its grade; 3: no axiom. */
typedef struct one_case {
    uint32_t *lines, n;
    unsigned badness;
} one_case;

enum { KEPT = 1 + ISO_OTHER_CASES };

typedef struct cases {
    iso_proof *p;
    uint32_t *rule;         /* by atom and direction: 1 + the line that gives it */
    uint32_t *lines;        /* of the current case */
    uint32_t n, room, n_cases;
    one_case kept[KEPT]; /* the best cases, the best first; n 0: none */
} cases;

static uint32_t way_of(int literal) {
    return literal < 0 ? 2 * (uint32_t)(-literal - 1) + 1 : 2 * (uint32_t)(literal - 1);
}

static grade grade_of(const iso_proof *p, const line *l) {
    const isolab_history *h = p->h;
    const uint32_t *words = p->points + l->a;
    uint32_t read = words[0], seen = words[4];
    if (l->b - l->a > 3 + (words[3] == WORD_WR ? 3u : 2u)) {
        return CAUSAL;
    }
    bool mono = words[3] == WORD_WR && seen < read && (p->level == ISO_RC || h->op_key[seen] != h->op_key[read]);
    return mono ? MONO : ATOMIC;
}

/* Finds the rules that order two transactions; for an axiom, only by its last literal. Needed rules are preferred. */
static void find_rules(cases *c) {
    const iso_proof *p = c->p;
    c->rule = ISO_ZNEW(p->pool, uint32_t, 2 * (size_t)p->n_atoms);
    for (uint32_t i = 0; i < p->n_lines; i++) {
        uint32_t kind = p->lines[i].kind, first = p->first[i], end = p->first[i + 1];
        if (end == first || (kind != SO && kind != WR && kind != AXIOM)) {
            continue;
        }
        int l = p->literals[end - 1];
        uint32_t at = way_of(l);
        if (p->atoms[at / 2].kind == BEFORE + 1 &&
            (c->rule[at] == 0 || (p->needed[i] && !p->needed[c->rule[at] - 1]))) {
            c->rule[at] = i + 1;
        }
    }
}

static bool add_literal(cases *c, int literal) {
    uint32_t rule = c->rule[way_of(literal)];
    if (rule != 0) {
        ISO_GROW(c->p->pool, c->lines, c->n, c->room);
        c->lines[c->n++] = rule - 1;
    }
    return rule != 0;
}

/* Ends a case. The better case is the one that breaks only a stronger level; among these, the shorter one. */
static void end_case(cases *c, bool whole) {
    unsigned badness = 3;
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const line *l = &c->p->lines[c->lines[i]];
        if (l->kind == AXIOM) {
            unsigned b = (unsigned)(CAUSAL - grade_of(c->p, l));
            badness = badness == 3 || b < badness ? b : badness;
        }
    }
    c->n_cases++;
    while (at < KEPT && c->kept[at].n > 0 &&
           !(badness < c->kept[at].badness || (badness == c->kept[at].badness && c->n < c->kept[at].n))) {
        at++;
    }
    if (whole && c->n > 0 && at < KEPT) {
        iso_free(c->p->pool, c->kept[KEPT - 1].lines);
        memmove(&c->kept[at + 1], &c->kept[at], (KEPT - 1 - at) * sizeof *c->kept);
        c->kept[at] = (one_case){ISO_NEW(c->p->pool, uint32_t, c->n), c->n, badness};
        memcpy(c->kept[at].lines, c->lines, c->n * sizeof *c->lines);
    }
    c->n = 0;
}

static void find_cases(cases *c) {
    const iso_proof *p = c->p;
    for (uint32_t i = 0; i < p->n_lines; i++) {
        bool whole = true; /* the clause of a cycle has the negations of its steps */
        for (uint32_t k = p->first[i]; p->lines[i].kind == CYCLE && p->needed[i] && k < p->first[i + 1]; k++) {
            whole = whole && add_literal(c, -p->literals[k]);
        }
        if (p->lines[i].kind == CYCLE && p->needed[i]) {
            end_case(c, whole);
        }
        if (p->lines[i].kind == AXIOM && p->needed[i] && p->points[p->lines[i].a + 1] == ISO_INIT) {
            ISO_GROW(p->pool, c->lines, c->n, c->room);
            c->lines[c->n++] = i;
            end_case(c, true);
        }
    }
    for (uint32_t a = 0; a < p->n_atoms; a++) { /* a cycle of two needs no line: one atom orders both ways */
        uint32_t one = c->rule[2 * a], other = c->rule[2 * a + 1];
        if (one != 0 && other != 0 && p->needed[one - 1] && p->needed[other - 1]) {
            end_case(c, add_literal(c, (int)a + 1) && add_literal(c, -(int)a - 1));
        }
    }
}

/* Adds the steps of an axiom to the result. Returns its edge. */
static iso_edge axiom_edge(const iso_proof *p, const line *l, iso_result *result) {
    const isolab_history *h = p->h;
    const uint32_t *words = p->points + l->a, n = l->b - l->a;
    iso_edge e = iso_edge_of_axiom(h, words[2], words[1] == ISO_INIT ? ISO_INIT : h->op_txn[words[1]], words[0]);
    e.premise = result->n_edges;
    uint32_t at = words[2];
    for (uint32_t i = 3; i < n; e.n_premise++) {
        bool read = words[i] == WORD_WR;
        if (!read && e.n_premise > 0 &&
            result->edges[result->n_edges - 1].kind == ISO_EDGE_SO) { /* continue in the session */
            at = result->edges[--result->n_edges].from;
            e.n_premise--;
        }
        iso_edge step =
            read ? iso_edge_of_read(h, at, words[i + 2], words[i + 1]) : iso_edge_of(ISO_EDGE_SO, at, words[i + 1]);
        iso_result_edge(result, step);
        at = step.to;
        i += read ? 3 : 2;
    }
    return e;
}

/* Returns the name: with a single axiom edge t2 -> t1, the remaining path is t1 CO t2; otherwise CM. */
static iso_anomaly_kind name(const iso_proof *p, const one_case *x) {
    static const uint8_t by_co[] = {ISO_A_NON_MONO_READ_CO, ISO_A_FRACTURED_READ_CO, ISO_A_CO_CONFLICT_CM};
    static const uint8_t by_cm[] = {ISO_A_NON_MONO_READ_CM, ISO_A_FRACTURED_READ_CM, ISO_A_CONFLICT_CM};
    uint32_t axioms = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        axioms += p->lines[x->lines[i]].kind == AXIOM;
    }
    return (iso_anomaly_kind)(axioms == 0   ? ISO_A_CYCLIC_CO
                              : axioms == 1 ? by_co[CAUSAL - x->badness]
                                            : by_cm[CAUSAL - x->badness]);
}

/* Adds the cycle of a case to the result. */
static iso_span cycle_of(const iso_proof *p, const one_case *x, iso_result *result) {
    iso_edge *edges = ISO_NEW(p->pool, iso_edge, (size_t)x->n + 1);
    uint32_t n = x->n;
    for (uint32_t i = 0; i < n; i++) {
        const line *l = &p->lines[x->lines[i]];
        edges[i] = l->kind == AXIOM ? axiom_edge(p, l, result)
                                    : iso_proof_edge(p, l, p->literals[p->first[x->lines[i] + 1] - 1]);
    }
    if (n > 0 && edges[0].to == ISO_INIT) {
        edges[n++] = iso_edge_of(ISO_EDGE_SO, ISO_INIT, edges[0].from);
    }
    iso_span span = {result->n_edges, n};
    for (uint32_t i = 0; i < n; i++) {
        iso_result_edge(result, edges[i]);
    }
    return span;
}

bool iso_proof_commits_anomaly(iso_proof *p, iso_result *result) {
    cases c = {.p = p};
    find_rules(&c);
    find_cases(&c);
    if (c.kept[0].n == 0) {
        return false;
    }
    iso_anomaly found = {
        .kind = (uint8_t)name(p, &c.kept[0]), .op = ISO_NONE, .other_op = ISO_NONE, .n_cases = c.n_cases};
    iso_span cycle = cycle_of(p, &c.kept[0], result);
    found.cycle = cycle.first;
    found.n_cycle = cycle.n;
    for (uint32_t k = 1; k < KEPT; k++) {
        found.other[k - 1] = cycle_of(p, &c.kept[k], result);
    }
    iso_result_anomaly(result, found);
    return true;
}
