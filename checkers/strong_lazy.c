/* The search without clocks. See strong_search.h.
 *
 * All events are vertices, and session order and reads-from permanent arcs. Given an order of the events, the
 * writers of a key in the order of their commits show which constraints it does not meet: a read is wrong when the
 * writer behind the one read from commits before the reader starts; for si two neighbours must not overlap.
 * These become clauses, the solver mends the order, and so on until none is left. */
#include <stdlib.h>
#include <string.h>

#include "checkers/strong_hints.h"
#include "checkers/strong_lists.h"
#include "checkers/strong_proof.h"
#include "checkers/strong_replay.h"
#include "checkers/strong_solver.h"
#include "checkers/strong_window.h"

/* Constraints that one read contributes to a round: more of them make fewer, longer rounds. */
#define AT_ONCE 4

typedef struct lazy {
    strong_open *p;
    strong_model *m;
    strong_solver s;
    uint32_t *choice; /* by open read: the number of its first choice; ISO_NONE: the order explains it so far */
    uint32_t *open_first, *open_read; /* by key: its open reads */
    uint32_t first_part; /* number of the choice that the first one who may take part does */
    uint64_t *sorted; /* the writers of a key: position of the commit, and slot */
    uint32_t *new_clause, n_new, new_room;
} lazy;

static uint32_t position(const lazy *z, uint32_t event) { return iso_acyclic_position(z->s.graph, z->s.vertex[event]); }

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void end_clause(lazy *z) {
    strong_open_clause(z->p);
    ISO_GROW(z->p->pool, z->new_clause, z->n_new, z->new_room);
    z->new_clause[z->n_new++] = z->p->n_clauses - 1;
}

static uint32_t sort_writers(lazy *z, uint32_t x) {
    const strong_model *m = z->m;
    uint32_t n = 0;
    for (uint32_t i = m->key_first[x]; i < m->key_first[x + 1]; i++) {
        z->sorted[n++] = (uint64_t)position(z, strong_commit(m, m->key_txn[i])) << 32 | m->key_slot[i];
    }
    qsort(z->sorted, n, sizeof *z->sorted, by_number);
    return n;
}

/* The place behind slot w1 among the sorted writers; ISO_INIT: the beginning. */
static uint32_t behind(const lazy *z, uint32_t n, uint32_t w1) {
    if (w1 == ISO_INIT) {
        return 0;
    }
    uint64_t key = (uint64_t)position(z, strong_commit(z->m, z->m->write_txn[w1])) << 32 | w1;
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (z->sorted[middle] <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* t3 reads from w1 (under a choice, or ISO_NONE): w2 is before w1, or behind t3. */
static void meet(lazy *z, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2, uint32_t choice) {
    strong_ways w = strong_ways_of_read(z->m, op, t3, w1 == ISO_INIT ? w2 : w1, w2);
    if (choice != ISO_NONE) {
        strong_open_literal(z->p, 2 * choice + 1);
    }
    if (w1 != ISO_INIT) {
        strong_open_literal(z->p, 2 * strong_open_edge(z->p, w.a));
    }
    strong_open_literal(z->p, 2 * strong_open_edge(z->p, w.b));
    z->p->next_why = (strong_hint){op, w1, w2};
    end_clause(z);
    strong_proof_read(z->p->proof, op, w1, w2);
}

/* t3 reads from w1 (under a choice, or ISO_NONE): clauses for the writers that are between. Under a choice, those of
 * the value that is read may be there: the read is then from the last of them (strong_settle_reads). */
static void look_at_read(lazy *z, uint32_t n, uint32_t op, uint32_t t3, uint32_t w1, uint32_t choice) {
    const strong_model *m = z->m;
    uint32_t start = position(z, strong_start(m, t3)), found = 0;
    for (uint32_t i = behind(z, n, w1); i < n && z->sorted[i] >> 32 < start && found < AT_ONCE; i++) {
        uint32_t w2 = (uint32_t)z->sorted[i];
        if (m->write_txn[w2] == t3 || (choice != ISO_NONE && strong_same_value(m, op, w2))) {
            continue;
        }
        meet(z, op, t3, w1, w2, choice);
        found++;
    }
}

/* Of two writers one commits before the other one starts. */
static void separate(lazy *z, uint32_t w1, uint32_t w2) {
    const strong_model *m = z->m;
    uint32_t t1 = m->write_txn[w1], t2 = m->write_txn[w2];
    strong_edge forth = {.from = strong_commit(m, t1), .to = strong_start(m, t2), .op = ISO_NONE, .slot = w2,
                         .kind = ISO_EDGE_WW};
    strong_edge back = {.from = strong_commit(m, t2), .to = strong_start(m, t1), .op = ISO_NONE, .slot = w1,
                        .kind = ISO_EDGE_WW};
    strong_open_literal(z->p, 2 * strong_open_edge(z->p, forth));
    strong_open_literal(z->p, 2 * strong_open_edge(z->p, back));
    z->p->next_why = (strong_hint){ISO_NONE, w1, w2};
    end_clause(z);
    strong_proof_writers(z->p->proof, w1, w2);
}

/* si: neighbours in the order of commits. */
static void look_at_writers(lazy *z, uint32_t n) {
    const strong_model *m = z->m;
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t w1 = (uint32_t)z->sorted[i], w2 = (uint32_t)z->sorted[i + 1];
        if (position(z, strong_start(m, m->write_txn[w2])) <= z->sorted[i] >> 32) {
            separate(z, w1, w2);
        }
    }
}

static uint32_t part_of(const lazy *z, uint32_t t) { return z->first_part + (t - z->m->n_sure); }

static bool takes_part(const lazy *z, uint32_t t) {
    return t < z->m->n_sure || iso_solver_value(z->s.solver, iso_lit_of(z->s.var[part_of(z, t)], false)) > 0;
}

/* What follows where one who may take part does: those after it in its session, and in real time. That it comes after
 * others holds anyway, since it may stand last. */
static void begin_parts(lazy *z, bool sessions) {
    const strong_model *m = z->m;
    const isolab_history *h = m->h;
    z->first_part = z->p->n_edges;
    for (uint32_t t = m->n_sure; t < m->n_txns; t++) {
        strong_open_choice(z->p, (strong_edge){.from = t, .op = ISO_NONE, .slot = ISO_NONE, .kind = ISO_EDGE_KINDS});
    }
    for (uint32_t t = m->n_sure; t < m->n_txns; t++) {
        uint32_t part = part_of(z, t), number = m->txn[t], s = h->txn_session[number];
        iso_lit in = iso_lit_of(strong_solver_know(&z->s, part), false);
        uint32_t start = z->s.vertex[strong_start(m, t)], commit = z->s.vertex[strong_commit(m, t)];
        if (m->end != NULL && m->end[t] != ISO_NONE) {
            iso_acyclic_arc(z->s.graph, (iso_arc){commit, z->s.vertex[m->end[t]], in, ISO_LIT_TRUE, part});
        }
        for (uint32_t u = number; sessions && u-- > h->session_txn[s];) {
            if (h->txn_counts[u] == ISO_IN) {
                uint32_t from = z->s.vertex[strong_commit(m, m->dense[u])];
                iso_acyclic_arc(z->s.graph, (iso_arc){from, start, ISO_LIT_TRUE, ISO_LIT_TRUE, 0});
                break;
            }
        }
        for (uint32_t u = number + 1; sessions && u < h->session_txn[s + 1]; u++) {
            if (m->dense[u] != ISO_NONE) {
                uint32_t to = z->s.vertex[strong_start(m, m->dense[u])];
                iso_acyclic_arc(z->s.graph, (iso_arc){commit, to, in, ISO_LIT_TRUE, part});
            }
            if (h->txn_counts[u] == ISO_IN) {
                break;
            }
        }
    }
}

/* Open read i of a transaction that takes part has a writer who does, and comes after it. */
static void begin_choice(lazy *z, uint32_t i) {
    const strong_model *m = z->m;
    z->choice[i] = z->p->n_edges;
    for (uint32_t j = m->open_first[i]; j < m->open_first[i + 1]; j++) {
        strong_open_choice(z->p, (strong_edge){.from = i, .slot = m->open_slot[j], .op = m->open_op[i],
                                               .kind = ISO_EDGE_KINDS});
    }
    uint32_t end = z->p->n_edges;
    uint32_t t3 = m->dense[m->h->op_txn[m->open_op[i]]];
    if (t3 >= m->n_sure) {
        strong_open_literal(z->p, 2 * part_of(z, t3) + 1);
    }
    for (uint32_t c = z->choice[i]; c < end; c++) {
        strong_open_literal(z->p, 2 * c);
    }
    end_clause(z);
    strong_proof_choice(z->p->proof, m->open_op[i], end > z->choice[i]);
    for (uint32_t c = z->choice[i]; c < end; c++) {
        uint32_t w1 = z->p->edge[c].slot;
        if (w1 == ISO_INIT) {
            continue;
        }
        strong_edge reads = {.from = strong_commit(m, m->write_txn[w1]), .to = strong_start(m, t3),
                             .op = m->open_op[i], .slot = w1, .kind = ISO_EDGE_WR};
        uint32_t e = strong_open_edge(z->p, reads);
        strong_open_literal(z->p, 2 * c + 1);
        strong_open_literal(z->p, 2 * e);
        end_clause(z);
        strong_proof_wr(z->p->proof, m->open_op[i], w1);
        if (m->write_txn[w1] >= m->n_sure) {
            strong_open_literal(z->p, 2 * c + 1);
            strong_open_literal(z->p, 2 * part_of(z, m->write_txn[w1]));
            end_clause(z);
            strong_proof_part(z->p->proof, m->open_op[i], w1);
        }
    }
}

/* Those that count from the start: of transactions that may take part, and of the hints. The others begin
 * when the order does not explain them. */
static void begin_choices(lazy *z) {
    const strong_model *m = z->m;
    const isolab_history *h = m->h;
    iso_pool *pool = z->p->pool;
    z->choice = ISO_NEW(pool, uint32_t, m->n_open);
    z->open_read = ISO_NEW(pool, uint32_t, m->n_open);
    z->open_first = ISO_ZNEW(pool, uint32_t, (size_t)h->n_keys + 2); /* of key x at x + 1, while it is filled */
    for (uint32_t i = 0; i < m->n_open; i++) {
        z->choice[i] = ISO_NONE;
        z->open_first[h->op_key[m->open_op[i]] + 2]++;
    }
    for (uint32_t x = 0; x < h->n_keys; x++) {
        z->open_first[x + 2] += z->open_first[x + 1];
    }
    for (uint32_t i = 0; i < m->n_open; i++) {
        uint32_t op = m->open_op[i];
        z->open_read[z->open_first[h->op_key[op] + 1]++] = i;
        if (z->p->hints != NULL ? z->p->hints->choices[op] != 0 : m->dense[h->op_txn[op]] >= m->n_sure) {
            begin_choice(z, i);
        }
    }
}

/* Does the order explain open read i? It is from the last writer before it of those who take part. */
static bool explained(const lazy *z, uint32_t n, uint32_t i) {
    const strong_model *m = z->m;
    uint32_t op = m->open_op[i], t3 = m->dense[m->h->op_txn[op]];
    uint32_t start = position(z, strong_start(m, t3)), low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (z->sorted[middle] >> 32 < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > 0 && !takes_part(z, m->write_txn[(uint32_t)z->sorted[low - 1]])) {
        low--;
    }
    return low == 0 ? iso_version_is_initial(m->h, m->h->op_version[op])
                    : strong_same_value(m, op, (uint32_t)z->sorted[low - 1]);
}

/* An open read, from the writer that the last model chose. */
static void look_at_open(lazy *z, uint32_t n, uint32_t i) {
    const strong_model *m = z->m;
    uint32_t op = m->open_op[i];
    if (z->choice[i] == ISO_NONE) {
        if (!explained(z, n, i)) {
            begin_choice(z, i);
        }
        return;
    }
    for (uint32_t j = m->open_first[i]; j < m->open_first[i + 1]; j++) {
        uint32_t c = z->choice[i] + (j - m->open_first[i]);
        if (iso_solver_value(z->s.solver, iso_lit_of(z->s.var[c], false)) > 0) {
            look_at_read(z, n, op, m->dense[m->h->op_txn[op]], m->open_slot[j], c);
        }
    }
}

static void look_at_key(lazy *z, uint32_t x) {
    const strong_model *m = z->m;
    uint32_t n = sort_writers(z, x);
    for (uint32_t i = m->init_first[x]; i < m->init_first[x + 1]; i++) {
        uint32_t read = m->init_read[i];
        look_at_read(z, n, m->read_op[read], m->read_txn[read], ISO_INIT, ISO_NONE);
    }
    for (uint32_t i = m->key_first[x]; i < m->key_first[x + 1]; i++) {
        uint32_t w1 = m->key_slot[i];
        for (uint32_t j = m->slot_first[w1]; j < m->slot_first[w1 + 1]; j++) {
            uint32_t read = m->slot_read[j];
            look_at_read(z, n, m->read_op[read], m->read_txn[read], w1, ISO_NONE);
        }
    }
    for (uint32_t i = z->open_first[x]; i < z->open_first[x + 1]; i++) {
        look_at_open(z, n, z->open_read[i]);
    }
    if (m->level == ISO_SI) {
        look_at_writers(z, n);
    }
}

/* Where t takes part, commits: from its list read, or behind what that shows. */
static void list_arc(lazy *z, uint32_t read, uint32_t from, uint32_t to, iso_lit in) {
    strong_edge edge = {.from = strong_commit(z->m, from), .to = strong_written(z->m, to), .op = read, .slot = ISO_NONE,
                        .kind = ISO_EDGE_LIST};
    uint32_t tag = strong_open_choice(z->p, edge); /* is no variable: it says what the arc is */
    iso_acyclic_arc(z->s.graph, (iso_arc){z->s.vertex[edge.from], z->s.vertex[edge.to], in, ISO_LIT_TRUE, tag});
}

/* What a list read of one who may take part shows: those whose appends it shows take part, in this order,
 * before all other writers of the list. */
static void begin_list_read(lazy *z, uint32_t read, uint32_t t, uint8_t *shown) {
    const strong_model *m = z->m;
    const isolab_history *h = m->h;
    uint32_t part = part_of(z, t), before = ISO_NONE, x = h->op_key[read];
    iso_lit in = iso_lit_of(strong_solver_know(&z->s, part), false);
    strong_list_part p;
    if (!strong_list_judge(h, read, &p)) {
        return; /* it has no writer: begin_choices() knows */
    }
    if (p.torn != ISO_NONE) {
        strong_open_literal(z->p, 2 * part + 1);
        end_clause(z);
        strong_proof_torn(z->p->proof, read, p.torn);
        return;
    }
    for (uint32_t e = 0; e < p.length; e++) {
        uint32_t u = m->dense[h->op_txn[h->version_writer[h->list_version[p.first + e]]]];
        if (u == before) {
            continue;
        }
        if (u >= m->n_sure) {
            strong_open_literal(z->p, 2 * part + 1);
            strong_open_literal(z->p, 2 * part_of(z, u));
            end_clause(z);
            strong_proof_shown(z->p->proof, read, e);
        }
        if (before != ISO_NONE) {
            list_arc(z, read, before, u, in);
        }
        shown[u] = 1;
        before = u;
    }
    for (uint32_t i = m->key_first[x]; before != ISO_NONE && i < m->key_first[x + 1]; i++) {
        if (!shown[m->key_txn[i]] && m->key_txn[i] != t) {
            list_arc(z, read, before, m->key_txn[i], in);
        }
    }
    for (uint32_t e = 0; e < p.length; e++) {
        shown[m->dense[h->op_txn[h->version_writer[h->list_version[p.first + e]]]]] = 0;
    }
}

static void begin_lists(lazy *z) {
    const strong_model *m = z->m;
    const isolab_history *h = m->h;
    uint8_t *shown = ISO_ZNEW(z->p->pool, uint8_t, m->n_txns);
    for (uint32_t t = m->n_sure; t < m->n_txns; t++) {
        for (uint32_t o = h->txn_op[m->txn[t]]; o < h->txn_op[m->txn[t] + 1]; o++) {
            if (h->op_kind[o] == ISO_LIST_READ) {
                begin_list_read(z, o, t, shown);
            }
        }
    }
    iso_free(z->p->pool, shown);
}

static void take_parts(const lazy *z) {
    for (uint32_t t = z->m->n_sure; t < z->m->n_txns; t++) {
        z->m->absent[t] = !takes_part(z, t);
    }
}

typedef struct arcs {
    iso_acyclic *graph;
    const uint32_t *vertex;
    const strong_rest *rest;
    uint32_t from;
} arcs;

static void add_arc(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    arcs *a = arg;
    if (edge != ISO_NONE && a->rest != NULL && a->rest->needless[edge]) {
        return;
    }
    iso_acyclic_arc(a->graph, (iso_arc){a->vertex[a->from], a->vertex[to], ISO_LIT_TRUE, ISO_LIT_TRUE,
                                        strong_arc_tag(read, edge)});
}

/* The constraints of the hints. */
static void begin_hints(lazy *z) {
    const strong_model *m = z->m;
    const strong_hints *hints = z->p->hints;
    uint32_t *open_of = ISO_NEW(z->p->pool, uint32_t, m->h->n_ops);
    for (uint32_t i = 0; i < m->n_open; i++) {
        open_of[m->open_op[i]] = i;
    }
    for (uint32_t k = 0; k < hints->n; k++) {
        const strong_hint *x = &hints->at[k];
        if (x->op == ISO_NONE) {
            separate(z, x->w1, x->w2);
            continue;
        }
        uint32_t choice = ISO_NONE;
        if (m->writer[x->op] == ISO_MANY) {
            uint32_t i = open_of[x->op], j = m->open_first[i];
            while (m->open_slot[j] != x->w1) {
                j++;
            }
            choice = z->choice[i] + (j - m->open_first[i]);
        }
        meet(z, x->op, m->dense[m->h->op_txn[x->op]], x->w1, x->w2, choice);
    }
    iso_free(z->p->pool, open_of);
}

static void begin_rest(lazy *z) {
    for (uint32_t i = 0; i < z->p->rest->open.n; i++) {
        const strong_hint *x = &z->p->rest->open.at[i];
        if (x->op == ISO_NONE) {
            separate(z, x->w1, x->w2);
        } else {
            meet(z, x->op, z->m->dense[z->m->h->op_txn[x->op]], x->w1, x->w2, ISO_NONE);
        }
    }
}

uint32_t *strong_search_lazily(strong_open *p, const strong_order *o, strong_model *m, bool sessions) {
    iso_pool *pool = p->pool;
    lazy z = {.p = p, .m = m};
    uint32_t most = 0, forced, *by_rank = ISO_NEW(pool, uint32_t, o->n), *vertex = ISO_NEW(pool, uint32_t, o->n);
    if (p->rest == NULL || !strong_order_by(o, pool, p->rest->when, by_rank)) {
        strong_replay(o, pool, by_rank, &forced);
    }
    for (uint32_t i = 0; i < o->n; i++) { /* numbered in the order of the replay, which is the first one */
        vertex[by_rank[i]] = i;
    }
    strong_solver_init(&z.s, p, m, vertex, o->n);
    strong_proof_follow(p->proof, &z.s, by_rank);
    arcs a = {z.s.graph, vertex, p->rest, 0};
    for (uint32_t v = 0; v < o->n; v++) {
        a.from = v;
        strong_each_out(o, v, add_arc, &a);
    }
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        uint32_t writers = m->key_first[x + 1] - m->key_first[x];
        most = writers > most ? writers : most;
    }
    z.sorted = ISO_NEW(pool, uint64_t, most);
    begin_parts(&z, sessions);
    begin_choices(&z);
    begin_lists(&z);
    if (p->hints != NULL) {
        begin_hints(&z);
    }
    if (p->rest != NULL) {
        begin_rest(&z);
    }
    bool open = iso_acyclic_ready(z.s.graph);
    for (bool any = true; open && any;) {
        open = z.n_new == 0 || strong_solver_solve(&z.s, z.new_clause, z.n_new);
        p->tried += z.n_new;
        z.n_new = 0;
        if (p->hints != NULL) {
            break;
        }
        for (uint32_t x = 0; open && x < m->h->n_keys; x++) {
            iso_tick(pool->env);
            look_at_key(&z, x);
        }
        any = z.n_new > 0;
        p->rounds++;
    }
    iso_solver_counts counts = iso_solver_counters(z.s.solver);
    p->conflicts = counts.conflicts;
    p->decisions = counts.decisions;
    if (!open) {
        uint8_t *active = ISO_NEW(pool, uint8_t, p->n_clauses);
        memset(active, 1, p->n_clauses);
        p->active = active;
        return NULL;
    }
    for (uint32_t v = 0; v < o->n; v++) {
        by_rank[position(&z, v)] = v;
    }
    take_parts(&z);
    return by_rank;
}
