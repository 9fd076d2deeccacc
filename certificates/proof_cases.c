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

iso_edge iso_proof_edge(const iso_proof *p, const line *l, int literal) {
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
 * first. */
static unsigned rank(const iso_edge *e, bool needed) {
    static const unsigned of[ISO_EDGE_KINDS] = {[ISO_EDGE_SO] = 1, [ISO_EDGE_RT] = 2,   [ISO_EDGE_RW] = 3,
                                                [ISO_EDGE_WW] = 4, [ISO_EDGE_LIST] = 4, [ISO_EDGE_WR] = 5};
    return of[e->kind] + (needed ? 0 : 5);
}

/* A case, and the level that it breaks. */
typedef struct one_case {
    iso_edge *edges;
    uint32_t n;
    iso_level breaks;
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

static void find_rules(cases *c) {
    const iso_proof *p = c->p;
    c->line = ISO_ZNEW(p->pool, uint32_t, 2 * (size_t)p->n_atoms);
    c->ranked = ISO_NEW(p->pool, uint8_t, 2 * (size_t)p->n_atoms);
    for (uint32_t i = 0; i < p->n_lines; i++) {
        for (uint32_t k = p->first[i]; p->lines[i].kind < CYCLE && k < p->first[i + 1]; k++) {
            int l = p->literals[k];
            uint32_t at = l < 0 ? 2 * (uint32_t)(-l - 1) + 1 : 2 * (uint32_t)(l - 1);
            if (p->atoms[at / 2].kind != BEFORE + 1) {
                continue;
            }
            iso_edge e = iso_proof_edge(p, &p->lines[i], l);
            unsigned r = rank(&e, p->needed[i]);
            if (c->line[at] == 0 || r < c->ranked[at]) {
                c->line[at] = i + 1;
                c->ranked[at] = (uint8_t)r;
            }
        }
    }
}

/* Adds the edge of a literal. Returns false if it stands for no edge. */
static bool add_edge(cases *c, int l) {
    uint32_t rule = c->line[l < 0 ? 2 * (uint32_t)(-l - 1) + 1 : 2 * (uint32_t)(l - 1)];
    if (rule > 0) {
        ISO_GROW(c->p->pool, c->edges, c->n, c->edges_room);
        c->edges[c->n++] = iso_proof_edge(c->p, &c->p->lines[rule - 1], l);
    }
    return rule > 0;
}

static bool same_edge(const iso_edge *a, const iso_edge *b) {
    return a->from == b->from && a->to == b->to && a->kind == b->kind && a->key == b->key && a->op_from == b->op_from;
}

/* Returns whether two cases are one cycle, which begins at another edge. */
static bool same_case(const one_case *a, const iso_edge *edges, uint32_t n) {
    uint32_t same = 0;
    for (uint32_t i = 0; i < n && a->n == n; i++) {
        uint32_t k = 0;
        while (k < n && !same_edge(&a->edges[k], &edges[i])) {
            k++;
        }
        same += k < n;
    }
    return n > 0 && same == n;
}

static bool is_milder(iso_level breaks, uint32_t n, const one_case *than) {
    return than->n == 0 || breaks > than->breaks || (breaks == than->breaks && n < than->n);
}

static void end_case(cases *c, bool whole) {
    iso_level breaks = whole && c->n > 0 ? iso_anomaly_breaks(c->p->h, c->edges, c->n) : ISO_LEVELS;
    uint32_t at = 0;
    c->n_cases++;
    while (breaks != ISO_LEVELS && at < KEPT && !is_milder(breaks, c->n, &c->kept[at])) {
        whole = whole && !same_case(&c->kept[at++], c->edges, c->n);
    }
    if (breaks != ISO_LEVELS && whole && at < KEPT) {
        iso_free(c->p->pool, c->kept[KEPT - 1].edges);
        memmove(&c->kept[at + 1], &c->kept[at], (KEPT - 1 - at) * sizeof *c->kept);
        c->kept[at] = (one_case){ISO_NEW(c->p->pool, iso_edge, c->n), c->n, breaks};
        memcpy(c->kept[at].edges, c->edges, c->n * sizeof *c->edges);
    }
    c->n = 0;
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
    if (p->commits && iso_proof_commits_anomaly(p, result)) {
        return;
    }
    find_rules(&c);
    for (uint32_t i = 0; i < p->n_lines; i++) {
        bool whole = true; /* the clause of a cycle has the negations of its steps */
        for (uint32_t k = p->first[i]; p->lines[i].kind == CYCLE && p->needed[i] && k < p->first[i + 1]; k++) {
            whole = whole && add_edge(&c, -p->literals[k]);
        }
        if (p->lines[i].kind == CYCLE && p->needed[i]) {
            end_case(&c, whole);
        }
    }
    for (uint32_t a = 0; a < p->n_atoms; a++) {
        if (c.line[2 * a] > 0 && c.line[2 * a + 1] > 0 && c.ranked[2 * a] <= 5 && c.ranked[2 * a + 1] <= 5) {
            end_case(&c, add_edge(&c, (int)a + 1) && add_edge(&c, -(int)a - 1));
        }
    }
    iso_anomaly found = {.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE};
    if (c.kept[0].n > 0) {
        found.kind = (uint8_t)iso_anomaly_of_cycle(p->h, c.kept[0].edges, c.kept[0].n, NULL);
        found.n_cases = c.n_cases;
    }
    for (uint32_t k = 0; k < KEPT; k++) {
        iso_span span = {result->n_edges, c.kept[k].n};
        for (uint32_t i = 0; i < span.n; i++) {
            iso_result_edge(result, c.kept[k].edges[i]);
        }
        if (k == 0) {
            found.cycle = span.first;
            found.n_cycle = span.n;
        } else {
            found.other[k - 1] = span;
        }
    }
    for (uint32_t i = 0; found.n_cycle == 0 && i < p->n_lines; i++) {
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
