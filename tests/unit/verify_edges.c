/* Edges of certificates (verify/edges.c): the verifier takes exactly the edges that docs/certificates.md allows. On
 * small histories, at every level: certificates grow by paths of edges that hold; every edge that these can be the
 * premises of is tried, and with any one of its numbers changed; and every row of edges as a cycle. */
#include <stdlib.h>

#include "base/random.h"
#include "tests/guarded.h"
#include "tests/reference.h"
#include "tests/trial.h"

#define MOST 48 /* edges of one certificate */

static iso_env env;

enum { SO, WR, RT, AXIOM, RW, WW, LIST, KINDS };
static const struct {
    const char *name;
    unsigned ops;
    bool premises;
} shape[KINDS] = {{"so", 0, false}, {"wr", 2, false}, {"rt", 0, false},  {"axiom", 3, true},
                  {"rw", 1, true},  {"ww", 2, true},  {"list", 1, false}};

typedef struct edge {
    unsigned kind;
    uint32_t field[7]; /* from, to, three operations, first, count */
} edge;
enum { FROM, TO, OP, FIRST = 5, COUNT };

/* A certificate while it grows. */
typedef struct world {
    reference r;
    const isolab_history *h;
    iso_rng rng;
    edge edges[MOST]; /* all of them hold */
    uint32_t n;
    edge known[256]; /* edges to choose from, which hold wherever their premises stand */
    uint32_t n_known;
    char text[MOST * 64 + 512]; /* the certificate up to the last edge */
    size_t used, head;
} world;

static uint64_t held_of[KINDS], n_cycles;

/* ---- what the document says ---- */

static bool sees(const world *w, const edge *e) {
    return e->kind == SO || e->kind == WR || (e->kind == WW && w->r.level == ISO_SI);
}

/* Edges [first, end): each begins where the one before ends. Below ser an rw follows an edge that makes its end see its
 * start; or begins the row where that is said. */
static bool is_row(const world *w, uint32_t first, uint32_t end, bool rw_may_begin) {
    for (uint32_t i = first; i < end; i++) {
        const edge *e = &w->edges[i];
        if (i > first && w->edges[i - 1].field[TO] != e->field[FROM]) {
            return false;
        }
        if (e->kind == RW && !ref_serial(&w->r) && !(i == first ? rw_may_begin : sees(w, &w->edges[i - 1]))) {
            return false;
        }
    }
    return first < end;
}

/* The premises are a row from one transaction to another. */
static bool leads(const world *w, const edge *e, uint32_t from, uint32_t to) {
    uint32_t first = e->field[FIRST], end = first + e->field[COUNT];
    return is_row(w, first, end, e->kind != AXIOM && w->r.level == ISO_SI) && w->edges[first].field[FROM] == from &&
           w->edges[end - 1].field[TO] == to && from != to;
}

static bool is_write_of(const world *w, uint32_t o, uint32_t t) {
    return o < w->h->n_ops && !ref_is_read(w->h, o) && w->h->op_txn[o] == t;
}

/* si: the row goes through a t4 that writes a key of t3, and is not the end. */
static bool through_a_conflict(const world *w, const edge *e, uint32_t t3) {
    uint32_t w4 = e->field[OP + 1], w3 = e->field[OP + 2], first = e->field[FIRST], end = first + e->field[COUNT];
    if (w->r.level != ISO_SI || w4 >= w->h->n_ops || !is_write_of(w, w4, w->h->op_txn[w4]) || !is_write_of(w, w3, t3) ||
        w->h->op_key[w4] != w->h->op_key[w3] || w->h->op_txn[w4] == t3) {
        return false;
    }
    for (uint32_t i = first; i < end; i++) {
        if (w->edges[i].field[FROM] == w->h->op_txn[w4] && is_row(w, i, end, false) &&
            (i == first || is_row(w, first, i, false))) {
            return true;
        }
    }
    return false;
}

static bool axiom_shows(const world *w, const edge *e, uint32_t t3) {
    const edge *first = &w->edges[e->field[FIRST]], *last = first + e->field[COUNT] - 1;
    uint32_t read = e->field[OP];
    bool weak = last->kind == SO || last->kind == WR;
    switch (w->r.level) {
    case ISO_RC_PLUME:
    case ISO_RC:
        return first == last && last->kind == WR && last->field[OP + 1] < read &&
               (w->r.level == ISO_RC || w->h->op_key[last->field[OP + 1]] != w->h->op_key[read]);
    case ISO_RA:
        return first == last && weak;
    case ISO_CC:
        for (const edge *i = first; i <= last; i++) {
            weak = weak && (i->kind == SO || i->kind == WR);
        }
        return weak;
    case ISO_PC:
        return weak;
    case ISO_SI:
        return weak || through_a_conflict(w, e, t3);
    case ISO_SER:
    case ISO_LSER:
    case ISO_SSER:
        return true;
    default:
        return false;
    }
}

static bool holds(const world *w, const edge *e) {
    const isolab_history *h = w->h;
    const reference *r = &w->r;
    uint32_t from = e->field[FROM], to = e->field[TO], read = e->field[e->kind == WR ? OP + 1 : OP];
    if (!ref_has_order(r) || from == to || !ref_part(r, from) || !ref_part(r, to)) {
        return false;
    }
    switch (e->kind) {
    case SO:
        return to != ISO_INIT &&
               (from == ISO_INIT || (r->sessions && from < to && h->txn_session[from] == h->txn_session[to]));
    case RT:
        return from != ISO_INIT && to != ISO_INIT && ref_in_time(r, from, to);
    case LIST:
        return read < h->n_ops && r->in[h->op_txn[read]] && ref_list_orders(r, read, from, to);
    case WW: {
        uint32_t a = e->field[OP], b = e->field[OP + 1];
        return ref_strong(r) && is_write_of(w, a, from) && is_write_of(w, b, to) && h->op_key[a] == h->op_key[b] &&
               leads(w, e, from, to);
    }
    default:
        break;
    }
    uint32_t source = read < h->n_ops ? ref_sure_write(r, read) : ISO_NONE, t1 = ref_txn_of(h, source);
    uint32_t t3 = read < h->n_ops ? h->op_txn[read] : ISO_NONE;
    if (source == ISO_NONE || t1 == t3) {
        return false;
    }
    switch (e->kind) {
    case WR:
        return t1 == from && t3 == to && e->field[OP] == (from == ISO_INIT ? ISO_NONE : source);
    case RW:
        return ref_strong(r) && t3 == from && to != ISO_INIT && ref_writes(h, to, h->op_key[read]) &&
               leads(w, e, t1, to);
    default:
        return r->level > ISO_G1 &&
               (r->level == ISO_SI || (e->field[OP + 1] == ISO_NONE && e->field[OP + 2] == ISO_NONE)) &&
               ref_part(r, t3) && t1 == to && ref_writes(h, from, h->op_key[read]) && leads(w, e, from, t3) &&
               axiom_shows(w, e, t3);
    }
}

/* Edges [first, end) are a row, and its first edge follows its last one in the same way. */
static bool is_cycle(const world *w, uint32_t first, uint32_t end) {
    const edge *last = &w->edges[end - 1];
    return is_row(w, first, end, sees(w, last)) && last->field[TO] == w->edges[first].field[FROM];
}

/* ---- what the verifier says ---- */

static size_t put_number(char *at, uint32_t x) {
    return (size_t)(x == ISO_NONE ? sprintf(at, " -") : x == ISO_INIT ? sprintf(at, " init") : sprintf(at, " %u", x));
}

static size_t put_edge(char *at, const edge *e) {
    size_t n = (size_t)sprintf(at, "%s", shape[e->kind].name);
    for (unsigned f = 0; f < COUNT + 1; f++) {
        if (f < OP + shape[e->kind].ops || (f >= FIRST && shape[e->kind].premises)) {
            n += put_number(at + n, e->field[f]);
        }
    }
    return n + (size_t)sprintf(at + n, "\n");
}

static const char *verdict_with(world *w, const char *more) {
    strcpy(w->text + w->used, more);
    return certificate_verdict(&env, w->h, w->text, w->used + strlen(more));
}

static void complain(world *w, bool expected, const char *verdict) {
    if (n_wrong++ < 3) {
        diag("seed %llu: this should %s, and the verifier says: %s\n%s", (unsigned long long)seed,
             expected ? "hold" : "be refused", verdict, w->text);
        iso_agree_print(&env, w->h);
    }
}

/* A single edge is no cycle: then every refusal but of that is one of the edge. */
static bool try_edge(world *w, const edge *e) {
    char more[160], refusal[96], passed[64];
    size_t n = put_edge(more, e);
    snprintf(more + n, sizeof more - n, "cycle %u 1\nend\n", w->n);
    snprintf(refusal, sizeof refusal, "edge %u does not follow at level %s", w->n, iso_level_get(w->r.level)->name);
    snprintf(passed, sizeof passed, "the edges from %u on are not a cycle", w->n);
    bool before = e->field[FIRST] <= w->n && e->field[COUNT] <= w->n - e->field[FIRST];
    bool early = !shape[e->kind].premises || before, expected = early && holds(w, e);
    const char *verdict = verdict_with(w, more);
    if (strcmp(verdict, expected ? passed : refusal) != 0 &&
        (early || strstr(verdict, "expected premises that come before the edge, found the end of the line") == NULL)) {
        complain(w, expected, verdict);
    }
    n_tried++;
    n_held += expected;
    held_of[e->kind] += expected;
    return expected;
}

static void try_cycle(world *w, uint32_t first, uint32_t count) {
    char more[64], refusal[64];
    snprintf(more, sizeof more, "cycle %u %u\nend\n", first, count);
    snprintf(refusal, sizeof refusal, "the edges from %u on are not a cycle", first);
    bool in = count > 0 && first <= w->n && count <= w->n - first, expected = in && is_cycle(w, first, first + count);
    const char *verdict = verdict_with(w, more);
    if (strcmp(verdict, expected ? "valid" : refusal) != 0 &&
        (in || strstr(verdict, "expected edges of this certificate in the cycle") == NULL)) {
        complain(w, expected, verdict);
    }
    n_cycles += expected;
}

/* The edge with each of its numbers changed, to anything that fits there. */
static void try_variants(world *w, const edge *e) {
    for (unsigned f = 0; f < COUNT + 1; f++) {
        bool used = f < OP + shape[e->kind].ops || (f >= FIRST && shape[e->kind].premises);
        uint32_t n = f < OP ? w->h->n_txns : f < FIRST ? w->h->n_ops : w->n + 2;
        edge other = *e;
        for (uint32_t i = 0; used && i <= n; i++) {
            other.field[f] = i < n ? i : f < OP ? ISO_INIT : f < FIRST ? ISO_NONE : n;
            try_edge(w, &other);
        }
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        edge other = *e;
        other.kind = kind;
        for (unsigned f = OP; f < FIRST; f++) {
            other.field[f] = f - OP < shape[kind].ops && f - OP >= shape[e->kind].ops ? ISO_NONE : other.field[f];
        }
        try_edge(w, &other);
    }
}

/* ---- growing ---- */

static uint32_t below(world *w, uint32_t n) { return (uint32_t)iso_random_below(&w->rng, n); }

static void add(world *w, const edge *e) {
    w->edges[w->n++] = *e;
    w->used += put_edge(w->text + w->used, e);
}

static void learn(world *w, const edge *e) {
    if (w->n_known < sizeof w->known / sizeof *w->known) {
        w->known[w->n_known++] = *e;
    }
}

/* Edges without premises. */
static void simple_edges(world *w) {
    uint32_t n = w->h->n_txns + 1;
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t from = i / n == n - 1 ? ISO_INIT : i / n, to = i % n == n - 1 ? ISO_INIT : i % n;
        edge e = {SO, {from, to, ISO_NONE, ISO_NONE, ISO_NONE, 0, 0}};
        for (e.kind = SO; e.kind <= RT; e.kind += RT - SO) {
            if (try_edge(w, &e)) {
                learn(w, &e);
            }
        }
        for (uint32_t o = 0; o < w->h->n_ops; o++) {
            uint32_t source = ref_sure_write(&w->r, o);
            e.kind = WR;
            e.field[OP] = source == ISO_INIT ? ISO_NONE : source;
            e.field[OP + 1] = o;
            if (try_edge(w, &e)) {
                learn(w, &e);
                try_variants(w, &e);
            }
            e.kind = LIST;
            e.field[OP] = o;
            if (try_edge(w, &e)) {
                learn(w, &e);
            }
        }
    }
}

/* A path of known edges; now and then it breaks. Returns where it begins. */
static uint32_t add_path(world *w) {
    uint32_t first = w->n, at = ISO_NONE;
    for (uint32_t length = 1 + below(w, 4); length > 0 && w->n < MOST - 1; length--) {
        edge found[256];
        uint32_t n = 0;
        bool anywhere = at == ISO_NONE || below(w, 12) == 0;
        for (uint32_t i = 0; i < w->n_known; i++) {
            if (anywhere || w->known[i].field[FROM] == at) {
                found[n++] = w->known[i];
            }
        }
        if (n == 0) {
            break;
        }
        const edge *e = &found[below(w, n)];
        add(w, e);
        at = e->field[TO];
    }
    return first;
}

static void try_with_premises(world *w, edge e) {
    if (try_edge(w, &e)) {
        learn(w, &e);
        if (below(w, 3) == 0) {
            try_variants(w, &e);
        }
    }
}

/* All edges that the path from an edge on can be the premises of. */
static void follow(world *w, uint32_t first) {
    const isolab_history *h = w->h;
    uint32_t from = w->edges[first].field[FROM], to = w->edges[w->n - 1].field[TO];
    edge e = {AXIOM, {from, to, ISO_NONE, ISO_NONE, ISO_NONE, first, w->n - first}};
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t source = ref_txn_of(h, ref_sure_write(&w->r, o)), t = h->op_txn[o];
        if (ref_is_read(h, o) && source != ISO_NONE && t == to) {
            e.kind = AXIOM;
            e.field[TO] = source;
            e.field[OP] = o;
            e.field[OP + 1] = e.field[OP + 2] = ISO_NONE;
            try_with_premises(w, e);
            for (uint32_t a = 0; w->r.level == ISO_SI && a < h->n_ops; a++) { /* through a writer of a key of t3 */
                for (uint32_t b = h->txn_op[t]; b < h->txn_op[t + 1]; b++) {
                    e.field[OP + 1] = a;
                    e.field[OP + 2] = b;
                    if (is_write_of(w, a, h->op_txn[a]) && is_write_of(w, b, t) && h->op_key[a] == h->op_key[b]) {
                        try_with_premises(w, e);
                    }
                }
            }
        }
        if (ref_is_read(h, o) && source == from) {
            e.kind = RW;
            e.field[FROM] = t;
            e.field[TO] = to;
            e.field[OP] = o;
            try_with_premises(w, e);
        }
        e.field[FROM] = from;
        e.field[TO] = to;
        for (uint32_t b = 0; t == from && b < h->n_ops; b++) {
            if (h->op_txn[b] == to && h->op_key[b] == h->op_key[o]) {
                e.kind = WW;
                e.field[OP] = o;
                e.field[OP + 1] = b;
                try_with_premises(w, e);
            }
        }
    }
}

static void try_world(const isolab_history *h, iso_level level, bool sessions, unsigned certificates) {
    static world w;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    memset(&w, 0, sizeof w);
    w.r = reference_of(h, level, sessions);
    w.h = h;
    w.rng = (iso_rng){seed * 1000 + (uint64_t)level};
    w.head = (size_t)sprintf(w.text, "%slevel %s\n%sviolated\n", claim_head(&pool, h), iso_level_get(level)->name,
                             sessions ? "" : "no-session-order\n");
    w.used = w.head;
    simple_edges(&w);
    for (uint32_t simple = w.n_known; certificates > 0; certificates--) {
        w.n_known = simple;
        w.n = 0;
        w.used = w.head;
        for (unsigned path = 0; path < 8 && w.n_known > 0 && w.n < MOST - 6; path++) {
            uint32_t first = add_path(&w);
            if (w.n > first) {
                follow(&w, first);
            }
        }
        for (uint32_t first = 0; first < w.n; first++) {
            for (uint32_t count = 0; count < 6; count++) {
                try_cycle(&w, first, count);
            }
        }
        try_cycle(&w, w.n, 1);
        try_cycle(&w, 0, w.n + 1);
        try_cycle(&w, w.n + 1, 0);
    }
    iso_pool_free(&pool);
}

static void try_levels(const isolab_history *h) {
    for (int level = ISO_INT; h->n_ops > 0 && level < iso_n_levels && n_wrong == 0; level++) {
        try_world(h, level, true, 2);
        if (level == ISO_SI || level == ISO_SER) {
            try_world(h, level, false, 1);
        }
    }
}

static void run(void *arg) {
    (void)arg;
    iso_small_shape plain = {
        .txns = 5, .ops = 3, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .times = true};
    iso_small_shape lists = plain, twice = plain, both = plain, wild = plain;
    lists.lists = both.lists = twice.duplicates = both.duplicates = wild.wild = wild.lists = true;
    try_written(&env, try_levels);
    try_shape(&env, try_levels, &plain, "registers", iso_agree_rounds(6, 12, 4000));
    try_shape(&env, try_levels, &twice, "repeated values", iso_agree_rounds(4, 12, 4000));
    try_shape(&env, try_levels, &lists, "lists", iso_agree_rounds(4, 12, 4000));
    try_shape(&env, try_levels, &both, "lists with repeated elements", iso_agree_rounds(4, 12, 4000));
    try_shape(&env, try_levels, &wild, "wild histories", iso_agree_rounds(4, 12, 4000));
    try_shape(&env, try_levels, NULL, "raw histories", iso_agree_rounds(4, 16, 4000));
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (!skip_unselected(shape[kind].name)) {
            ok(held_of[kind] > 0, "%s: %llu hold", shape[kind].name, (unsigned long long)held_of[kind]);
        }
    }
    ok(n_cycles > 0, "%llu cycles", (unsigned long long)n_cycles);
    diag("seed %llu", (unsigned long long)seed_or(1));
}

int main(void) { return run_guarded(&env, run); }
