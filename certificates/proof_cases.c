/* Describes what a clausal proof shows, for people: the case that breaks only the strongest level (anomaly.h).
 *
 * A case is a cycle of points that the proof needs. Every step of the cycle is an edge because a rule says so. If
 * several rules say so, the proof does not tell which one, and the mildest is taken. A cycle of two points has no line
 * of its own, since one atom orders both: then one rule orders them one way and another rule the other way. In every
 * order of versions and every choice of writers one of these cases occurs, so a name taken from the mildest does not
 * exaggerate. */
#include <string.h>

#include "certificates/proof_lines.h"
#include "checkers/anomaly.h"

/* Returns the edge that a literal of a rule stands for; for an axiom, without its premises. */
static iso_edge edge_of_literal(const iso_proof *p, const line *l, int literal) {
    const isolab_history *h = p->h;
    const entry *e = &p->atoms[(literal < 0 ? -literal : literal) - 1];
    uint32_t from = literal < 0 ? e->b : e->a, to = literal < 0 ? e->a : e->b;
    iso_edge out = iso_edge_of(ISO_EDGE_SO, p->two ? from / 2 : from, p->two ? to / 2 : to);
    switch (l->kind) {
    case RT:
        out = iso_edge_in_time(h, out.from, out.to, p->pool);
        break;
    case LIST:
        out.kind = ISO_EDGE_LIST;
        out.reader_op = l->a;
        out.key = h->op_key[l->a];
        break;
    case WR:
        out.kind = ISO_EDGE_WR;
        out.op_from = l->b;
        out.op_to = l->a;
        out.key = h->op_key[l->a];
        break;
    case WW:
        out.kind = ISO_EDGE_WW;
        out.op_from = h->op_txn[l->a] == out.from ? l->a : l->b;
        out.op_to = h->op_txn[l->a] == out.from ? l->b : l->a;
        out.key = h->op_key[l->a];
        break;
    case RW:
        out.kind = h->op_txn[l->a] == out.from ? ISO_EDGE_RW : ISO_EDGE_WW;
        out.op_from = out.kind == ISO_EDGE_RW ? l->a : l->c;
        out.op_to = out.kind == ISO_EDGE_RW ? l->c : l->b;
        out.key = h->op_key[l->a];
        break;
    case AXIOM:
        out.kind = ISO_EDGE_AXIOM;
        out.reader_op = p->points[l->a];
        out.key = h->op_key[out.reader_op];
        break;
    default:
        break;
    }
    return out;
}

/* Ranks the rules for one literal: the smallest rank is taken. Session order and real time, which always hold, rank
 * first; rules that the proof does not need, last. */
enum { NOT_NEEDED = 8 };
static unsigned rank(const iso_edge *e, bool needed) {
    static const unsigned of[ISO_EDGE_KINDS] = {
        [ISO_EDGE_SO] = 1,   [ISO_EDGE_RT] = 2, [ISO_EDGE_RW] = 3,   [ISO_EDGE_WW] = 4,
        [ISO_EDGE_LIST] = 4, [ISO_EDGE_WR] = 5, [ISO_EDGE_AXIOM] = 6};
    return of[e->kind] + (needed ? 0 : NOT_NEEDED);
}

/* A case, and how weak the levels are that it breaks: the less, the milder. */
typedef struct one_case {
    iso_edge *edges;
    uint32_t n;
    unsigned harm;
} one_case;

enum { KEPT = 1 + ISO_OTHER_CASES };

typedef struct cases {
    iso_proof *p;
    uint32_t *line;  /* by atom and direction: 1 + the rule that gives it */
    uint8_t *ranked; /* by atom and direction: the rank of that rule */
    iso_edge *edges;
    uint32_t n, edges_room, n_cases;
    one_case kept[KEPT]; /* the mildest cases, the mildest first; n 0: none */
} cases;

static uint32_t way_of(int literal) {
    return literal < 0 ? 2 * (uint32_t)(-literal - 1) + 1 : 2 * (uint32_t)(literal - 1);
}

/* Returns the edge of a line and literal; an axiom has the number of its line as its premise. */
static iso_edge edge_of(const iso_proof *p, uint32_t at, int literal) {
    iso_edge e = edge_of_literal(p, &p->lines[at], literal);
    e.premise = e.kind == ISO_EDGE_AXIOM ? at : 0;
    return e;
}

/* In a proof of commits, only the last literal of a line is what its rule says. */
static void find_rules(cases *c) {
    const iso_proof *p = c->p;
    c->line = ISO_ZNEW(p->pool, uint32_t, 2 * (size_t)p->n_atoms);
    c->ranked = ISO_NEW(p->pool, uint8_t, 2 * (size_t)p->n_atoms);
    for (uint32_t i = 0; i < p->n_lines; i++) {
        uint32_t kind = p->lines[i].kind, end = p->first[i + 1], k = p->first[i];
        bool rule = p->commits ? kind == SO || kind == WR || kind == AXIOM : kind < CYCLE;
        for (k = p->commits && k < end ? end - 1 : k; rule && k < end; k++) {
            uint32_t at = way_of(p->literals[k]);
            if (p->atoms[at / 2].kind != BEFORE + 1) {
                continue;
            }
            iso_edge e = edge_of(p, i, p->literals[k]);
            unsigned r = rank(&e, p->needed[i]);
            if (c->line[at] == 0 || r < c->ranked[at]) {
                c->line[at] = i + 1;
                c->ranked[at] = (uint8_t)r;
            }
        }
    }
}

static void add_edge(cases *c, iso_edge e) {
    ISO_GROW(c->p->pool, c->edges, c->n, c->edges_room);
    c->edges[c->n++] = e;
}

/* Adds the edge of a literal. Returns false if it stands for no edge. */
static bool add_literal(cases *c, int l) {
    uint32_t rule = c->line[way_of(l)];
    if (rule > 0) {
        add_edge(c, edge_of(c->p, rule - 1, l));
    }
    return rule > 0;
}

/* Returns whether two cases are one cycle, which may begin at another edge. */
static bool same_case(const one_case *a, const iso_edge *edges, uint32_t n) {
    uint32_t same = 0;
    for (uint32_t i = 0; i < n && a->n == n; i++) {
        const iso_edge *e = &edges[i], *x = a->edges, *end = x + n;
        while (x < end && (x->from != e->from || x->to != e->to || x->kind != e->kind || x->op_from != e->op_from)) {
            x++;
        }
        same += x < end;
    }
    return same == n;
}

static void end_case(cases *c, bool whole) {
    iso_pool *pool = c->p->pool;
    one_case x = {c->edges, whole ? c->n : 0, 0};
    uint32_t at = 0;
    c->n = 0;
    c->n_cases++;
    if (x.n == 0) {
        return;
    }
    x.harm = c->p->commits ? iso_proof_commits_harm(c->p, x.edges, x.n)
                           : (unsigned)(ISO_NO_LEVEL - iso_anomaly_breaks(c->p->h, x.edges, x.n));
    while (at < KEPT && c->kept[at].n > 0 &&
           (c->kept[at].harm < x.harm || (c->kept[at].harm == x.harm && c->kept[at].n <= x.n))) {
        if (same_case(&c->kept[at++], x.edges, x.n)) {
            return;
        }
    }
    if (at < KEPT) {
        iso_free(pool, c->kept[KEPT - 1].edges);
        memmove(&c->kept[at + 1], &c->kept[at], (KEPT - 1 - at) * sizeof *c->kept);
        x.edges = memcpy(ISO_NEW(pool, iso_edge, x.n), x.edges, x.n * sizeof *x.edges);
        c->kept[at] = x;
    }
}

static void find_cases(cases *c) {
    const iso_proof *p = c->p;
    for (uint32_t i = 0; i < p->n_lines; i++) {
        const line *l = &p->lines[i];
        bool whole = true; /* the clause of a cycle has the negations of its steps */
        for (uint32_t k = p->first[i]; l->kind == CYCLE && p->needed[i] && k < p->first[i + 1]; k++) {
            whole = whole && add_literal(c, -p->literals[k]);
        }
        if (l->kind == CYCLE && p->needed[i]) {
            end_case(c, whole);
        } else if (l->kind == AXIOM && p->needed[i] && p->points[l->a + 1] == ISO_INIT) {
            iso_edge e = iso_edge_of_axiom(p->h, p->points[l->a + 2], ISO_INIT, p->points[l->a]);
            e.premise = i;
            add_edge(c, e);
            add_edge(c, iso_edge_of(ISO_EDGE_SO, ISO_INIT, e.from));
            end_case(c, true);
        }
    }
    for (uint32_t a = 0; a < p->n_atoms; a++) { /* a cycle of two needs no line: one atom orders both ways */
        if (c->line[2 * a] > 0 && c->line[2 * a + 1] > 0 && c->ranked[2 * a] < NOT_NEEDED &&
            c->ranked[2 * a + 1] < NOT_NEEDED) {
            end_case(c, add_literal(c, (int)a + 1) && add_literal(c, -(int)a - 1));
        }
    }
}

/* Adds the cycle of a case to the result. */
static iso_span cycle_of(const iso_proof *p, const one_case *x, iso_result *result) {
    for (uint32_t i = 0; i < x->n && p->commits; i++) {
        iso_edge *e = &x->edges[i];
        *e = e->kind == ISO_EDGE_AXIOM ? iso_proof_axiom_edge(p, &p->lines[e->premise], result) : *e;
    }
    iso_span span = {result->n_edges, x->n};
    for (uint32_t i = 0; i < x->n; i++) {
        iso_result_edge(result, x->edges[i]);
    }
    return span;
}

/* Names the anomaly of a read, of an included transaction, that could not have got its value from any transaction by
 * INT: by the writer whose offence is mildest. */
static iso_anomaly name_read(const isolab_history *h, uint32_t read) {
    uint32_t n, t = h->op_txn[read], own = iso_write_before(h, read);
    const uint32_t *writers = iso_writers(h, h->op_version[read], &n);
    iso_anomaly a = {.kind = ISO_A_THIN_AIR, .op = read, .other_op = ISO_NONE};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t w = writers[i], u = h->op_txn[w], other = w;
        uint8_t kind = ISO_A_ABORTED_READ;
        if (u == t) {
            kind = w > read ? ISO_A_FUTURE_READ : ISO_A_NOT_MY_LAST_WRITE;
            other = w > read ? w : own;
        } else if (h->txn_status[u] != ISO_ABORTED) {
            kind = own != ISO_NONE ? ISO_A_NOT_MY_OWN_WRITE : ISO_A_INTERMEDIATE_READ;
            other = own != ISO_NONE ? own : iso_write_after(h, w);
        }
        if (i == 0 || kind > a.kind) {
            a.kind = kind;
            a.other_op = other;
        }
    }
    if (own != ISO_NONE && (n == 0 || iso_version_is_initial(h, h->op_version[read]))) {
        a.kind = ISO_A_NOT_MY_OWN_WRITE;
        a.other_op = own;
    }
    return a;
}

/* Does the same for a list read: by its worst element, or by missing own appends. */
static iso_anomaly name_list_read(const isolab_history *h, uint32_t read) {
    uint32_t list = h->op_version[read], t = h->op_txn[read], key = h->op_key[read], own = read;
    uint32_t first = h->list_first[list], end = h->list_first[list + 1];
    iso_anomaly a = {.kind = ISO_A_KINDS, .op = read, .other_op = ISO_NONE};
    for (; own-- > h->txn_op[t];) {
        if (!iso_is_write(h->op_kind[own]) || h->op_key[own] != key) {
            continue;
        }
        if (end == first || h->list_version[end - 1] != h->op_version[own]) {
            a.kind = ISO_A_NOT_MY_OWN_WRITE;
            a.other_op = own;
            break;
        }
        end--;
    }
    for (uint32_t e = first; e < end; e++) {
        uint32_t w = h->version_writer[h->list_version[e]], u = w < h->n_ops ? h->op_txn[w] : ISO_NONE,
                 later = ISO_NONE;
        uint8_t kind = ISO_A_KINDS;
        for (uint32_t o = u == ISO_NONE ? 0 : w + 1; u != ISO_NONE && o < h->txn_op[u + 1]; o++) {
            later = iso_is_write(h->op_kind[o]) && h->op_key[o] == key ? o : later;
        }
        if (u == ISO_NONE) {
            kind = ISO_A_THIN_AIR;
        } else if (u == t) {
            kind = w > read ? ISO_A_FUTURE_READ : ISO_A_NOT_MY_LAST_WRITE;
        } else if (h->txn_status[u] == ISO_ABORTED) {
            kind = ISO_A_ABORTED_READ;
        } else if (e + 1 == end && later != ISO_NONE) {
            kind = ISO_A_INTERMEDIATE_READ;
        }
        if (kind < a.kind) {
            a.kind = kind;
            a.other_op = kind == ISO_A_THIN_AIR ? ISO_NONE : kind == ISO_A_INTERMEDIATE_READ ? later : w;
        }
    }
    return a;
}

/* Names the anomaly of a list read that shows an append twice, or only a part of its transaction's appends. */
static iso_anomaly name_torn(const isolab_history *h, uint32_t read, uint32_t append) {
    uint32_t list = h->op_version[read], seen = 0;
    for (uint32_t e = h->list_first[list]; e < h->list_first[list + 1]; e++) {
        seen += h->list_version[e] == h->op_version[append];
    }
    return (iso_anomaly){
        .kind = seen > 1 ? ISO_A_DUPLICATE_APPEND : ISO_A_LOST_ELEMENT, .op = read, .other_op = append};
}

/* Finds a line that rules out a read in every order. Returns false if the line does not. */
static bool name_line(const iso_proof *p, const line *l, iso_anomaly *found) {
    uint32_t at = 0;
    if (l->kind == TORN) {
        *found = name_torn(p->h, l->a, l->b);
    } else if (l->kind == CHOICE && l->b == 1) {
        *found = name_list_read(p->h, l->a);
    } else if (l->kind == CHOICE && iso_proof_next(p, l->a, &at) == ISO_NONE) {
        *found = name_read(p->h, l->a);
    } else {
        return false;
    }
    return found->kind != ISO_A_KINDS;
}

static iso_level breaks(const iso_anomaly *a) { return iso_anomaly_get((iso_anomaly_kind)a->kind)->breaks; }

/* Returns the read that a rule of a line is about; ISO_NONE: none. */
static uint32_t read_of(const iso_proof *p, const line *l) {
    switch (l->kind) {
    case WR:
    case RW:
    case CHOICE:
    case LIST:
    case SHOWN:
    case DIFFER:
    case TORN:
        return l->a;
    case AXIOM:
    case STATE:
    case CUT:
        return p->points[l->a];
    default:
        return ISO_NONE;
    }
}

void iso_proof_name_reads(const iso_proof *p, iso_anomaly *anomaly) {
    uint32_t *uses = ISO_ZNEW(p->pool, uint32_t, p->h->n_ops);
    anomaly->n_reads = 0;
    for (uint32_t i = 0; i < p->n_lines; i++) {
        uint32_t read = p->needed[i] ? read_of(p, &p->lines[i]) : ISO_NONE;
        anomaly->n_reads += read != ISO_NONE && uses[read]++ == 0;
    }
    for (uint32_t i = 0; i < ISO_READS_NAMED && i < anomaly->n_reads; i++) {
        uint32_t most = 0;
        for (uint32_t o = 0; o < p->h->n_ops; o++) {
            most = uses[o] > uses[most] ? o : most;
        }
        anomaly->reads[i] = most;
        uses[most] = 0;
    }
    iso_free(p->pool, uses);
}

void iso_proof_anomaly(iso_proof *p, iso_result *result) {
    cases c = {.p = p};
    const one_case *best = &c.kept[0];
    iso_anomaly found = {.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE};
    find_rules(&c);
    find_cases(&c);
    if (best->n > 0) {
        found.kind = (uint8_t)(p->commits ? iso_proof_commits_name(best->edges, best->n, best->harm)
                                          : iso_anomaly_of_cycle(p->h, best->edges, best->n, NULL));
        found.n_cases = c.n_cases;
        iso_span cycle = cycle_of(p, best, result);
        found.cycle = cycle.first;
        found.n_cycle = cycle.n;
        for (uint32_t k = 1; k < KEPT; k++) {
            found.other[k - 1] = cycle_of(p, &c.kept[k], result);
        }
    }
    for (uint32_t i = 0; best->n == 0 && i < p->n_lines; i++) {
        iso_anomaly one;
        if (p->needed[i] && name_line(p, &p->lines[i], &one) &&
            (found.kind == ISO_A_NO_ORDER || breaks(&one) > breaks(&found))) {
            found = one;
        }
    }
    if (found.kind == ISO_A_NO_ORDER) {
        iso_proof_name_reads(p, &found);
    }
    iso_result_anomaly(result, found);
}
