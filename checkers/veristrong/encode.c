/* Encodes the alternatives that pruning did not decide (veristrong.txt, algorithms 7 and 2). See veristrong.h.
 *
 * One variable for each undecided pair of writers (true: the first entry comes first; the paper has two variables that
 * exclude each other) and one for each undecided candidate. Arcs carry the literals that they depend on, so that the
 * theory does the work of algorithm 8 (deriving RW edges). Arcs that the known graph implies are left out. */
#include <string.h>

#include "checkers/veristrong/veristrong.h"

/* Adds a variable. Its meaning matters only for proofs. */
static uint32_t variable(vs *s, uint32_t kind, uint32_t id) {
    uint32_t var = iso_solver_var(s->solver);
    if (s->proof != NULL) {
        ISO_GROW(s->pool, s->var_what, var, s->var_what_room);
        s->var_what[var] = (iso_vs_what){kind, id};
    }
    return var;
}

/* Adds a clause to the solver, and stores it if CaDiCaL needs it. */
static void give(vs *s, const iso_lit *literals, uint32_t n) {
    iso_solver_clause(s->solver, literals, n);
    for (uint32_t i = 0; s->lazily && i <= n; i++) {
        iso_lits_add(s->solver, &s->formula, i < n ? literals[i] : ISO_LIT_NONE);
    }
}

static bool reaches(const vs *s, uint32_t p, uint32_t q) {
    return s->reach != NULL && (s->reach[(size_t)p * s->words + q / 64] >> (q % 64) & 1);
}

static uint32_t tag(iso_vs_kind kind, uint32_t id) { return (uint32_t)kind << 29 | id; }

/* Declares the arc u -> v with one or two literals. */
static void arc(vs *s, uint32_t u, uint32_t v, iso_vs_kind kind, uint32_t id, iso_lit a, iso_lit b) {
    uint32_t from = iso_vs_from(s, u, kind == VS_RW), to = iso_vs_to(s, v, kind == VS_RW);
    if (reaches(s, from, to)) {
        return;
    }
    if (b != ISO_LIT_TRUE && s->width > 1 && reaches(s, to, from)) {
        iso_lit both[2] = {iso_lit_not(a), iso_lit_not(b)}; /* figure 9b: a derived RW cycle */
        give(s, both, 2);
        s->cycle_clauses++;
        return;
    }
    iso_acyclic_arc(s->graph, (iso_arc){from, to, a, b, tag(kind, id)});
}

static void encode_facts(vs *s) {
    for (uint32_t v = 0; s->si && v < s->n; v++) {
        iso_acyclic_arc(s->graph, (iso_arc){2 * v, 2 * v + 1, ISO_LIT_TRUE, ISO_LIT_TRUE, tag(VS_STEP, v)});
    }
    for (uint32_t f = 0; f < s->n_facts; f++) {
        if (s->facts[f].kind != VS_OUT) {
            iso_acyclic_arc(s->graph, (iso_arc){iso_vs_fact_from(s, &s->facts[f]), iso_vs_fact_to(s, &s->facts[f]),
                                                ISO_LIT_TRUE, ISO_LIT_TRUE, tag(VS_FACT, f)});
        }
    }
}

/* Encodes an optional transaction: its place in the session counts if it is included. If it is excluded, it can come
 * last, since the only arcs from it are these and those to its readers. */
static void encode_open(vs *s) {
    const isolab_history *h = s->h;
    for (uint32_t v = 0; v < s->n; v++) {
        if (s->part[v] != ISO_NONE) {
            s->part[v] = variable(s, VS_SO, v);
        }
    }
    for (uint32_t v = 0; s->sessions && v < s->n; v++) {
        bool go_on = true;
        for (uint32_t u = v + 1; go_on && u < s->n && h->txn_session[s->txn[u]] == h->txn_session[s->txn[v]]; u++) {
            if (s->part[v] != ISO_NONE || s->part[u] != ISO_NONE) {
                iso_lit label = s->part[v] == ISO_NONE ? ISO_LIT_TRUE : iso_lit_of(s->part[v], false);
                iso_acyclic_arc(s->graph, (iso_arc){iso_vs_from(s, v, false), iso_vs_to(s, u, false), label,
                                                    ISO_LIT_TRUE, tag(VS_SO, v)});
            }
            go_on = s->part[u] != ISO_NONE;
        }
    }
}

static iso_lit candidate_literal(const vs *s, uint32_t c) {
    return s->candidates[c].known ? ISO_LIT_TRUE : iso_lit_of(s->candidates[c].var, false);
}

/* WR constraints: exactly one candidate, and its writer is included. */
static void encode_reads(vs *s) {
    iso_lits clause = {0};
    for (uint32_t i = 0; i < s->n_reads; i++) {
        const iso_vs_read *r = &s->reads[i];
        clause.n = 0;
        if (s->proof != NULL) {
            iso_vs_proof_read(s->proof, i);
        }
        for (uint32_t c = r->first; c < r->end; c++) {
            iso_vs_candidate *candidate = &s->candidates[c];
            iso_tick(s->env);
            if (candidate->out) {
                continue;
            }
            uint32_t writer = candidate->writer == VS_INIT ? ISO_NONE : s->entry_vertex[candidate->writer];
            if (candidate->known) {
                if (writer != ISO_NONE && s->part[writer] != ISO_NONE) {
                    iso_lit in = iso_lit_of(s->part[writer], false);
                    give(s, &in, 1);
                }
                continue;
            }
            candidate->var = variable(s, VS_WR, c);
            iso_lits_add(s->solver, &clause, iso_lit_of(candidate->var, false));
            if (writer != ISO_NONE) {
                arc(s, writer, r->vertex, VS_WR, c, iso_lit_of(candidate->var, false), ISO_LIT_TRUE);
                if (s->part[writer] != ISO_NONE) {
                    iso_lit in[2] = {iso_lit_of(candidate->var, true), iso_lit_of(s->part[writer], false)};
                    give(s, in, 2);
                }
            }
        }
        bool indeterminate = s->part[r->vertex] != ISO_NONE;
        if (clause.n == 0 && !indeterminate) {
            continue; /* already known */
        }
        uint32_t n = clause.n;
        if (indeterminate) {
            iso_lits_add(s->solver, &clause, iso_lit_of(s->part[r->vertex], true));
        }
        give(s, clause.at, clause.n);
        for (uint32_t a = 0; n <= 64 && a < n; a++) {
            for (uint32_t b = 0; b < a; b++) {
                iso_lit two[2] = {iso_lit_not(clause.at[a]), iso_lit_not(clause.at[b])};
                if (s->proof != NULL) {
                    iso_vs_proof_one(s->proof, s->var_what[iso_lit_var(clause.at[a])].id,
                                     s->var_what[iso_lit_var(clause.at[b])].id);
                }
                give(s, two, 2);
            }
        }
    }
    iso_free(s->pool, clause.at);
}

/* Adds the anti-dependencies of entry i's candidates against entry j; `before` is the literal that i is before j. */
static void encode_readers(vs *s, uint32_t i, uint32_t j, iso_lit before) {
    for (uint32_t k = s->of_entry_first[i]; k < s->of_entry_first[i + 1]; k++) {
        uint32_t c = s->of_entry[k], reader = s->reads[s->candidates[c].read].vertex;
        iso_tick(s->env);
        if (!s->candidates[c].out && reader != s->entry_vertex[j]) {
            iso_lit wr = candidate_literal(s, c);
            bool swap = before == ISO_LIT_TRUE;
            if (before != ISO_LIT_TRUE || wr != ISO_LIT_TRUE) { /* otherwise it is a fact */
                arc(s, reader, s->entry_vertex[j], VS_RW, c, swap ? wr : before, swap ? before : wr);
            }
        }
    }
}

static void encode_orders(vs *s) {
    s->var_entry = ISO_NEW(s->pool, iso_vs_entry_pair, s->n_open);
    s->first_order_var = iso_solver_vars(s->solver);
    for (uint32_t k = 0; k < s->h->n_keys; k++) {
        for (uint32_t j = s->entry_first[k]; j < s->entry_first[k + 1]; j++) {
            for (uint32_t i = s->entry_first[k]; i < j; i++) {
                iso_tick(s->env);
                switch (s->pair[iso_vs_pair(s, k, i, j)]) {
                case VS_FORWARD:
                    encode_readers(s, i, j, ISO_LIT_TRUE);
                    break;
                case VS_BACKWARD:
                    encode_readers(s, j, i, ISO_LIT_TRUE);
                    break;
                default: {
                    uint32_t var = variable(s, VS_WW, 0), u = s->entry_vertex[i], v = s->entry_vertex[j];
                    s->var_entry[var - s->first_order_var] = (iso_vs_entry_pair){i, j};
                    arc(s, u, v, VS_WW, var, iso_lit_of(var, false), ISO_LIT_TRUE);
                    arc(s, v, u, VS_WW, var, iso_lit_of(var, true), ISO_LIT_TRUE);
                    encode_readers(s, i, j, iso_lit_of(var, false));
                    encode_readers(s, j, i, iso_lit_of(var, true));
                }
                }
            }
        }
    }
    for (uint32_t x = 0; x < s->n_of_init; x++) {
        uint32_t c = s->of_init[x];
        const iso_vs_read *r = &s->reads[s->candidates[c].read];
        for (uint32_t e = s->entry_first[r->key]; e < s->entry_first[r->key + 1]; e++) {
            if (!s->candidates[c].known && !s->candidates[c].out && s->entry_vertex[e] != r->vertex) {
                arc(s, r->vertex, s->entry_vertex[e], VS_RW, c, candidate_literal(s, c), ISO_LIT_TRUE);
            }
        }
    }
}

/* Cycles with up to `width` literals, of arcs joined by known paths (algorithm 2, figure 9a, for any width): from each
 * arc, a depth-first search over arcs of higher places, with at most `width` arcs. A budget limits the search. */
typedef struct cycles {
    vs *s;
    uint32_t *first; /* arcs sorted by their first point: those of p are [first[p], first[p + 1]) */
    iso_arc *arcs;
    uint64_t *begins; /* bits: the points where arcs start */
    uint64_t *home;   /* bits: the points from which the start of the cycle is reachable */
    uint32_t start;
    iso_lit literal[8];
    uint64_t budget;
} cycles;

static unsigned with(cycles *c, unsigned n, iso_lit l) {
    for (unsigned i = 0; i < n; i++) {
        if (l == ISO_LIT_TRUE || c->literal[i] == l) {
            return n;
        }
    }
    c->literal[n] = l;
    return l == ISO_LIT_TRUE ? n : n + 1;
}

static bool contradicts(const cycles *c, unsigned n, iso_lit l) {
    for (unsigned i = 0; i < n; i++) {
        if (l != ISO_LIT_TRUE && c->literal[i] == iso_lit_not(l)) {
            return true;
        }
    }
    return false;
}

static void extend(cycles *c, uint32_t point, unsigned n, unsigned arcs);

/* Extends the path by an arc. */
static void extend_by(cycles *c, const iso_arc *a, unsigned n, unsigned arcs) {
    vs *s = c->s;
    bool closes = c->home[a->to / 64] >> (a->to % 64) & 1;
    if ((!closes && arcs + 1 >= s->width) || contradicts(c, n, a->a) || contradicts(c, n, a->b)) {
        return;
    }
    unsigned m = with(c, n, a->a);
    if (contradicts(c, m, a->b)) {
        return;
    }
    m = with(c, m, a->b);
    if (m > s->width) {
        return;
    }
    if (closes) {
        iso_lit clause[8];
        for (unsigned i = 0; i < m; i++) {
            clause[i] = iso_lit_not(c->literal[i]);
        }
        give(s, clause, m);
        s->cycle_clauses++;
    } else {
        extend(c, a->to, m, arcs + 1);
    }
}

static void extend(cycles *c, uint32_t point, unsigned n, unsigned arcs) {
    const vs *s = c->s;
    const uint64_t *row = s->reach + (size_t)point * s->words;
    for (uint32_t w = 0; w < s->words; w++) {
        for (uint64_t bits = row[w] & c->begins[w]; bits != 0 && c->budget > 0; bits &= bits - 1) {
            uint32_t p = w * 64 + (uint32_t)__builtin_ctzll(bits), end = c->first[p + 1];
            uint32_t k = c->first[p] > c->start ? c->first[p] : c->start + 1;
            for (; k < end && c->budget > 0; k++) {
                iso_tick(s->env);
                c->budget--;
                extend_by(c, &c->arcs[k], n, arcs);
            }
        }
    }
}

/* Finds the points from which p is reachable. */
static void find_home(cycles *c, uint32_t p) {
    const vs *s = c->s;
    memset(c->home, 0, s->words * sizeof *c->home);
    for (uint32_t q = 0; q < s->points; q++) {
        c->home[q / 64] |= (uint64_t)reaches(s, q, p) << (q % 64);
    }
}

static void encode_cycles(vs *s, uint32_t first_arc) {
    uint32_t end = iso_acyclic_arcs(s->graph), n_arcs = end - first_arc;
    cycles c = {.s = s, .budget = 100000000};
    iso_buckets rows = iso_buckets_new(s->pool, s->points);
    c.arcs = ISO_NEW(s->pool, iso_arc, n_arcs);
    c.begins = ISO_ZNEW(s->pool, uint64_t, s->words);
    c.home = ISO_NEW(s->pool, uint64_t, s->words);
    for (uint32_t e = first_arc; e < end; e++) {
        uint32_t p = iso_acyclic_get(s->graph, e).from;
        iso_buckets_count(&rows, p);
        c.begins[p / 64] |= (uint64_t)1 << (p % 64);
    }
    iso_buckets_sum(&rows);
    c.first = rows.first;
    for (uint32_t e = first_arc; e < end; e++) {
        iso_arc a = iso_acyclic_get(s->graph, e);
        c.arcs[iso_buckets_place(&rows, a.from)] = a;
    }
    for (c.start = 0; c.start < n_arcs && c.budget > 0; c.start++) {
        const iso_arc *a = &c.arcs[c.start];
        if (c.start == 0 || a->from != c.arcs[c.start - 1].from) {
            find_home(&c, a->from);
        }
        unsigned n = with(&c, with(&c, 0, a->a), a->b);
        if (n <= s->width) {
            extend(&c, a->to, n, 1);
        }
    }
    s->cycles_complete = c.budget > 0;
    iso_free(s->pool, c.first);
    iso_free(s->pool, c.arcs);
    iso_free(s->pool, c.begins);
    iso_free(s->pool, c.home);
}

static void on_learnt(void *arg, iso_log_kind kind, const iso_lit *literals, uint32_t n) {
    if (kind == ISO_LOG_LEARNT) {
        iso_vs_proof_learnt(arg, literals, n);
    }
}

/* A conflict whose literals all hold at level 0 is the last one: every other case has failed already. */
static void keep_certain(vs *s, const iso_acyclic *g, const uint32_t *arcs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        iso_arc a = iso_acyclic_get(g, arcs[i]);
        if ((a.a != ISO_LIT_TRUE && iso_solver_level(s->solver, iso_lit_var(a.a)) > 0) ||
            (a.b != ISO_LIT_TRUE && iso_solver_level(s->solver, iso_lit_var(a.b)) > 0)) {
            return;
        }
    }
    s->certain = ISO_NEW(s->pool, uint32_t, n);
    memcpy(s->certain, arcs, n * sizeof *arcs);
    s->n_certain = n;
}

/* Counts the width of a conflict: its number of different WW and WR variables. */
static void on_cycle(void *arg, const iso_acyclic *g, const uint32_t *arcs, uint32_t n, bool conflict) {
    vs *s = arg;
    if (s->proof != NULL) {
        iso_vs_proof_cycle(s->proof, g, arcs, n);
    }
    uint32_t seen[6], width = 0;
    if (conflict) {
        keep_certain(s, g, arcs, n);
    }
    for (uint32_t i = 0; conflict && i < n && width < 6; i++) {
        iso_arc a = iso_acyclic_get(g, arcs[i]);
        iso_lit label[2] = {a.a, a.b};
        for (int k = 0; k < 2; k++) {
            uint32_t x = 0;
            while (label[k] != ISO_LIT_TRUE && x < width && seen[x] != iso_lit_var(label[k])) {
                x++;
            }
            if (label[k] != ISO_LIT_TRUE && x == width && width < 6) {
                seen[width++] = iso_lit_var(label[k]);
            }
        }
    }
    if (conflict && width > 0) {
        s->widths[width < 5 ? width - 1 : 4]++;
    }
}

bool iso_vs_encode(vs *s) {
    s->solver = iso_solver_new(s->pool);
    s->graph = iso_acyclic_new(s->pool, s->solver, s->points);
    iso_acyclic_options(s->graph, true, s->polarity);
    iso_acyclic_on_cycle(s->graph, on_cycle, s);
    if (s->proof != NULL) {
        iso_solver_log(s->solver, on_learnt, s->proof);
    }
    encode_facts(s);
    uint32_t first_arc = iso_acyclic_arcs(s->graph);
    if (s->any_open) {
        encode_open(s);
    }
    encode_reads(s);
    encode_orders(s);
    if (s->width > 1) {
        encode_cycles(s, first_arc);
    }
    return iso_acyclic_ready(s->graph);
}
