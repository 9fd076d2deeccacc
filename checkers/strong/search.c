/* The search over what is open. See search.h.
 *
 * All events are vertices, and session order and reads-from permanent arcs. A walk along an order of the events shows
 * which constraints it does not meet: a read is wrong when its key was last written by another one than it read
 * from; for si a writer must not start while another one of the key has started and not committed. These become
 * clauses, the solver mends the order, and so on until none is left. */
#include <string.h>

#include "checkers/strong/hints.h"
#include "checkers/strong/lists.h"
#include "checkers/strong/proof.h"
#include "checkers/strong/replay.h"
#include "checkers/strong/solver.h"
#include "checkers/strong/window.h"

/* Constraints that one read contributes to a round: more of them make fewer, longer rounds. */
#define AT_ONCE 4

/* Events to look ahead where memory is the delay. */
#define AHEAD 8

typedef struct search {
    strong_open *p;
    strong_model *m;
    const strong_rest *rest; /* what saturation tells; NULL: there was none */
    strong_solver s;
    uint32_t *choice;    /* by open read: the number of its first choice; ISO_NONE: the order explains it so far */
    uint32_t *open_read; /* by transaction: its first open read */
    uint32_t first_part; /* number of the choice that the first one who may take part does */
    uint32_t *event;     /* by vertex */
    uint32_t *at;        /* the vertices in the order, at the last walk */
    uint32_t *last;      /* by key, in a walk along the order: the slot that wrote it last; ISO_NONE: none has */
    uint32_t *before;    /* by slot: the one that wrote its key before it */
    uint32_t *active;    /* si, by key: the slot of a writer that has started, and not committed; ISO_NONE */
    uint32_t *new_clause, n_new, new_room;
} search;

static void end_clause(search *z) {
    iso_strong_open_clause(z->p);
    ISO_GROW(z->p->pool, z->new_clause, z->n_new, z->new_room);
    z->new_clause[z->n_new++] = z->p->n_clauses - 1;
}

/* t3 reads from w1 (under a choice, or ISO_NONE): w2 is before w1, or behind t3. */
static void meet(search *z, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2, uint32_t choice) {
    strong_ways w = iso_strong_ways_of_read(z->m, op, t3, w1 == ISO_INIT ? w2 : w1, w2);
    if (choice != ISO_NONE) {
        iso_strong_open_literal(z->p, 2 * choice + 1);
    }
    if (w1 != ISO_INIT) {
        iso_strong_open_literal(z->p, 2 * iso_strong_open_edge(z->p, w.a));
    }
    iso_strong_open_literal(z->p, 2 * iso_strong_open_edge(z->p, w.b));
    z->p->next_why = (strong_hint){op, w1, w2};
    end_clause(z);
    iso_strong_proof_read(z->p->proof, op, w1, w2);
}

/* t3 reads from w1 (under a choice, or ISO_NONE): clauses for the last writers that are between, of which w2 is the
 * latest. Under a choice, those of the value that is read may be there: the read is then from the last of them
 * (iso_strong_settle_reads). */
__attribute__((noinline)) static void look_back(search *z, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2,
                                                uint32_t choice) {
    uint32_t until = w1 == ISO_INIT ? ISO_NONE : w1;
    for (uint32_t found = 0; w2 != until && w2 != ISO_NONE && found < AT_ONCE; w2 = z->before[w2]) {
        if (choice == ISO_NONE || !strong_same_value(z->m, op, w2)) {
            meet(z, op, t3, w1, w2, choice);
            found++;
        }
    }
}

/* Of two writers one commits before the other one starts. */
static void separate(search *z, uint32_t w1, uint32_t w2) {
    const strong_model *m = z->m;
    uint32_t t1 = m->write_txn[w1], t2 = m->write_txn[w2];
    strong_edge forth = {.from = strong_commit(m, t1), .to = strong_start(m, t2), .op = ISO_NONE, .slot = w2,
                         .kind = ISO_EDGE_WW};
    strong_edge back = {.from = strong_commit(m, t2), .to = strong_start(m, t1), .op = ISO_NONE, .slot = w1,
                        .kind = ISO_EDGE_WW};
    iso_strong_open_literal(z->p, 2 * iso_strong_open_edge(z->p, forth));
    iso_strong_open_literal(z->p, 2 * iso_strong_open_edge(z->p, back));
    z->p->next_why = (strong_hint){ISO_NONE, w1, w2};
    end_clause(z);
    iso_strong_proof_writers(z->p->proof, w1, w2);
}

static uint32_t part_of(const search *z, uint32_t t) { return z->first_part + (t - z->m->n_sure); }

static bool takes_part(const search *z, uint32_t t) {
    return t < z->m->n_sure || iso_solver_value(z->s.solver, iso_lit_of(z->s.var[part_of(z, t)], false)) > 0;
}

/* What follows where one who may take part does: those after it in its session, and in real time. That it comes after
 * others holds anyway, since it may stand last. */
static void begin_parts(search *z, bool sessions) {
    const strong_model *m = z->m;
    const isolab_history *h = m->h;
    z->first_part = z->p->n_edges;
    for (uint32_t t = m->n_sure; t < m->n_txns; t++) {
        iso_strong_open_choice(z->p, (strong_edge){.from = t, .op = ISO_NONE, .slot = ISO_NONE, .kind = ISO_EDGE_KINDS});
    }
    for (uint32_t t = m->n_sure; t < m->n_txns; t++) {
        uint32_t part = part_of(z, t), number = m->txn[t], s = h->txn_session[number];
        iso_lit in = iso_lit_of(iso_strong_solver_know(&z->s, part), false);
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
static void begin_choice(search *z, uint32_t i) {
    const strong_model *m = z->m;
    uint32_t t3 = m->dense[m->h->op_txn[m->open_op[i]]];
    z->choice[i] = z->p->n_edges;
    for (uint32_t j = m->open_first[i]; j < strong_open_end(m, i); j++) {
        uint32_t w1 = m->open_slot[j], from = w1 == ISO_INIT ? ISO_NONE : strong_commit(m, m->write_txn[w1]);
        iso_strong_open_choice(z->p, (strong_edge){.from = from, .to = strong_start(m, t3), .slot = w1, .op = m->open_op[i],
                                               .kind = ISO_EDGE_KINDS});
    }
    uint32_t end = z->p->n_edges;
    if (t3 >= m->n_sure) {
        iso_strong_open_literal(z->p, 2 * part_of(z, t3) + 1);
    }
    for (uint32_t c = z->choice[i]; c < end; c++) {
        iso_strong_open_literal(z->p, 2 * c);
    }
    end_clause(z);
    iso_strong_proof_choice(z->p->proof, m->open_op[i], end > z->choice[i]);
    for (uint32_t c = z->choice[i]; c < end; c++) {
        uint32_t w1 = z->p->edge[c].slot;
        if (w1 == ISO_INIT) {
            continue;
        }
        strong_edge reads = {.from = strong_commit(m, m->write_txn[w1]), .to = strong_start(m, t3),
                             .op = m->open_op[i], .slot = w1, .kind = ISO_EDGE_WR};
        uint32_t e = iso_strong_open_edge(z->p, reads);
        iso_strong_open_literal(z->p, 2 * c + 1);
        iso_strong_open_literal(z->p, 2 * e);
        end_clause(z);
        iso_strong_proof_wr(z->p->proof, m->open_op[i], w1);
        if (m->write_txn[w1] >= m->n_sure) {
            iso_strong_open_literal(z->p, 2 * c + 1);
            iso_strong_open_literal(z->p, 2 * part_of(z, m->write_txn[w1]));
            end_clause(z);
            iso_strong_proof_part(z->p->proof, m->open_op[i], w1);
        }
    }
}

/* Those that count from the start: of transactions that may take part, and of the hints. The others begin
 * when the order does not explain them. */
static void begin_choices(search *z) {
    const strong_model *m = z->m;
    const isolab_history *h = m->h;
    z->choice = ISO_NEW(z->p->pool, uint32_t, m->n_open);
    z->open_read = iso_strong_open_reads(m, z->p->pool);
    for (uint32_t i = 0; i < m->n_open; i++) {
        uint32_t op = m->open_op[i];
        z->choice[i] = ISO_NONE;
        if (z->p->hints != NULL ? z->p->hints->choices[op] != 0 : m->dense[h->op_txn[op]] >= m->n_sure) {
            begin_choice(z, i);
        }
    }
}

/* An open read that the order does not explain: from the last writer before it, or from the one that the last model
 * chose. */
static void look_at_open(search *z, uint32_t i, uint32_t w) {
    const strong_model *m = z->m;
    uint32_t op = m->open_op[i];
    if (z->choice[i] == ISO_NONE) {
        begin_choice(z, i);
        return;
    }
    for (uint32_t j = m->open_first[i]; j < strong_open_end(m, i); j++) {
        uint32_t c = z->choice[i] + (j - m->open_first[i]);
        if (iso_solver_value(z->s.solver, iso_lit_of(z->s.var[c], false)) > 0) {
            look_back(z, op, m->dense[m->h->op_txn[op]], m->open_slot[j], w, c);
        }
    }
}

/* A start: si alone looks at writers that are active, too. */
static void start_writers(search *z, uint32_t t) {
    const strong_model *m = z->m;
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        uint32_t *active = &z->active[m->write_key[w]];
        if (*active != ISO_NONE) {
            separate(z, *active, w);
        }
        *active = w;
    }
}

static void end_writers(search *z, uint32_t t) {
    const strong_model *m = z->m;
    for (uint32_t w = m->write_first[t]; w < m->write_first[t + 1]; w++) {
        uint32_t *active = &z->active[m->write_key[w]];
        *active = *active == w ? ISO_NONE : *active;
    }
}

/* Executes the order: constraints that it does not meet become clauses. Ends when there are too many of them. What is
 * read for every operation is at hand in local variables, and for these to find registers nothing is inlined. */
__attribute__((noinline)) static void walk(search *z) {
    const strong_model *m = z->m;
    iso_env *env = z->p->pool->env;
    const uint32_t *at = z->at, *event_of = z->event, *open_read = z->open_read;
    const uint32_t *read_first = m->read_first, *read_key = m->read_key, *read_slot = m->read_slot;
    const uint32_t *write_first = m->write_first, *write_key = m->write_key;
    uint32_t *last = z->last, *before = z->before, n = m->n * m->per_txn, n_txns = m->n_txns, n_sure = m->n_sure;
    bool two = m->per_txn == 2, si = m->level == ISO_SI;
    uint64_t most = iso_strong_open_most(z->p);
    iso_acyclic_vertices(z->s.graph, z->at);
    memset(last, 0xff, (size_t)m->h->n_keys * sizeof *last);
    if (si) {
        memset(z->active, 0xff, (size_t)m->h->n_keys * sizeof *z->active);
    }
    for (uint32_t i = 0; i < n && z->n_new <= most; i++) {
        uint32_t event = event_of[at[i]], t = event >> two;
        iso_tick(env);
        if (i + AHEAD < n) { /* sessions take turns: what comes next lies elsewhere */
            uint32_t next = event_of[at[i + AHEAD]] >> two;
            __builtin_prefetch(&read_key[read_first[next]]);
            __builtin_prefetch(&read_slot[read_first[next]]);
            __builtin_prefetch(&write_key[write_first[next]]);
        }
        if (t >= n_sure && (t >= n_txns || !takes_part(z, t))) {
            continue;
        }
        if (!two || event % 2 == 0) {
            for (uint32_t r = read_first[t], end = read_first[t + 1]; r < end; r++) {
                uint32_t w1 = read_slot[r], w2 = last[read_key[r]];
                if (w2 != (w1 == ISO_INIT ? ISO_NONE : w1)) {
                    look_back(z, m->read_op[r], t, w1, w2, ISO_NONE);
                }
            }
            for (uint32_t k = open_read[t], end = open_read[t + 1]; k < end; k++) {
                uint32_t op = m->open_op[k], w = last[m->h->op_key[op]];
                if (m->writer[op] == ISO_MANY && !strong_reads_value(m, op, w)) { /* else its writer is known */
                    look_at_open(z, k, w);
                }
            }
            if (si) {
                start_writers(z, t);
            }
        }
        if (!two || event % 2 == 1) {
            for (uint32_t w = write_first[t], end = write_first[t + 1]; w < end; w++) {
                uint32_t x = write_key[w];
                before[w] = last[x];
                last[x] = w;
            }
            if (si) {
                end_writers(z, t);
            }
        }
    }
}

/* Where t takes part, commits: from its list read, or behind what that shows. */
static void list_arc(search *z, uint32_t read, uint32_t from, uint32_t to, iso_lit in) {
    strong_edge edge = {.from = strong_commit(z->m, from), .to = strong_written(z->m, to), .op = read, .slot = ISO_NONE,
                        .kind = ISO_EDGE_LIST};
    uint32_t tag = iso_strong_open_choice(z->p, edge); /* is no variable: it says what the arc is */
    iso_acyclic_arc(z->s.graph, (iso_arc){z->s.vertex[edge.from], z->s.vertex[edge.to], in, ISO_LIT_TRUE, tag});
}

/* What a list read of one who may take part shows: those whose appends it shows take part, in this order,
 * before all other writers of the list. */
static void begin_list_read(search *z, uint32_t read, uint32_t t, uint8_t *shown) {
    const strong_model *m = z->m;
    const isolab_history *h = m->h;
    uint32_t part = part_of(z, t), before = ISO_NONE, x = h->op_key[read];
    iso_lit in = iso_lit_of(iso_strong_solver_know(&z->s, part), false);
    strong_list_part p;
    if (!iso_strong_list_judge(h, read, &p)) {
        return; /* it has no writer: begin_choices() knows */
    }
    if (p.torn != ISO_NONE) {
        iso_strong_open_literal(z->p, 2 * part + 1);
        end_clause(z);
        iso_strong_proof_torn(z->p->proof, read, p.torn);
        return;
    }
    for (uint32_t e = 0; e < p.length; e++) {
        uint32_t u = m->dense[h->op_txn[h->version_writer[h->list_version[p.first + e]]]];
        if (u == before) {
            continue;
        }
        if (u >= m->n_sure) {
            iso_strong_open_literal(z->p, 2 * part + 1);
            iso_strong_open_literal(z->p, 2 * part_of(z, u));
            end_clause(z);
            iso_strong_proof_shown(z->p->proof, read, e);
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

static void begin_lists(search *z) {
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

static void take_parts(const search *z) {
    for (uint32_t t = z->m->n_sure; t < z->m->n_txns; t++) {
        z->m->absent[t] = !takes_part(z, t);
    }
}

typedef struct arcs {
    const uint32_t *vertex;
    const uint8_t *needless; /* by inferred edge; NULL: none is known to be */
    uint32_t *end, *tag, n;
} arcs;

static void add_arc(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    arcs *a = arg;
    if (edge != ISO_NONE && a->needless != NULL && a->needless[edge]) {
        return;
    }
    if (a->tag != NULL) {
        a->tag[a->n] = iso_strong_arc_tag(read, edge);
    }
    a->end[a->n++] = a->vertex[to];
}

/* What is known: from and to the session's next event, from reads, from instants and to them, and inferred edges. */
static void lay_arcs(const search *z, const strong_order *o) {
    const strong_model *m = z->m;
    iso_pool *pool = z->p->pool;
    uint64_t most = (uint64_t)o->n + m->read_first[m->n] + (m->end == NULL ? 0 : 2 * (uint64_t)m->n_txns) + o->n_edges;
    if (most > UINT32_MAX / 2) {
        iso_throw(pool->env, ISOLAB_E_LIMIT, "the search takes at most %u known edges", UINT32_MAX / 2);
    }
    arcs a = {z->s.vertex, z->rest == NULL ? NULL : z->rest->needless, NULL, NULL, 0};
    uint32_t *first = ISO_NEW(pool, uint32_t, (size_t)o->n + 1);
    a.end = ISO_NEW(pool, uint32_t, most);
    a.tag = z->p->proof == NULL ? NULL : ISO_NEW(pool, uint32_t, most);
    for (uint32_t v = 0; v < o->n; v++) {
        first[v] = a.n;
        strong_each_out(o, z->event[v], add_arc, &a);
    }
    first[o->n] = a.n;
    iso_acyclic_lay(z->s.graph, first, a.end, a.tag);
}

/* The constraints of the hints. */
static void begin_hints(search *z) {
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

static void begin_rest(search *z) {
    for (uint32_t i = 0; i < z->rest->open.n; i++) {
        const strong_hint *x = &z->rest->open.at[i];
        if (x->op == ISO_NONE) {
            separate(z, x->w1, x->w2);
        } else {
            meet(z, x->op, z->m->dense[z->m->h->op_txn[x->op]], x->w1, x->w2, ISO_NONE);
        }
    }
}

static uint32_t put_parts(const strong_model *m, uint32_t first, const uint32_t *next, uint32_t *by_rank, uint32_t n) {
    for (uint32_t t = first; t != ISO_NONE; t = next[t]) {
        for (uint32_t e = strong_start(m, t); e <= strong_commit(m, t); e++) {
            by_rank[n++] = e;
        }
    }
    return n;
}

/* Those who may take part go next to those before them in their sessions: a replay knows nothing of this, and to move
 * each of them there afterwards is far. */
static void place_parts(const strong_model *m, iso_pool *pool, uint32_t *by_rank, uint32_t n_events) {
    const isolab_history *h = m->h;
    uint32_t *after = ISO_NEW(pool, uint32_t, (size_t)m->n_sure + 1); /* the first one of each; of nobody: at n_sure */
    uint32_t *next = ISO_NEW(pool, uint32_t, m->n_txns), *old = ISO_NEW(pool, uint32_t, n_events), n;
    memset(after, 0xff, ((size_t)m->n_sure + 1) * sizeof *after);
    memcpy(old, by_rank, n_events * sizeof *old);
    for (uint32_t s = h->n_sessions; s-- > 0;) {
        uint32_t first = ISO_NONE, last = ISO_NONE; /* since the last one who surely does */
        for (uint32_t u = h->session_txn[s + 1]; u-- > h->session_txn[s];) {
            if (h->txn_counts[u] == ISO_IN) {
                after[m->dense[u]] = first;
                first = last = ISO_NONE;
            } else if (h->txn_counts[u] == ISO_OPEN) {
                last = last == ISO_NONE ? m->dense[u] : last;
                next[m->dense[u]] = first;
                first = m->dense[u];
            }
        }
        if (first != ISO_NONE) {
            next[last] = after[m->n_sure];
            after[m->n_sure] = first;
        }
    }
    n = put_parts(m, after[m->n_sure], next, by_rank, 0);
    for (uint32_t i = 0; i < n_events; i++) {
        uint32_t t = strong_txn(m, old[i]);
        if (t < m->n_sure || t >= m->n_txns) {
            by_rank[n++] = old[i];
        }
        if (t < m->n_sure && old[i] == strong_commit(m, t)) {
            n = put_parts(m, after[t], next, by_rank, n);
        }
    }
    iso_free(pool, after);
    iso_free(pool, next);
    iso_free(pool, old);
}

/* The first order, and its vertices in the graph. False: the known edges have a cycle. */
static bool begin_order(search *z, const strong *s, uint32_t *vertex) {
    const strong_order *o = &s->order;
    iso_pool *pool = z->p->pool;
    z->event = ISO_NEW(pool, uint32_t, o->n);
    if ((z->rest == NULL || !iso_strong_order_by(o, pool, z->rest->when, z->event)) &&
        !iso_strong_replay(o, pool, z->event)) {
        return false;
    }
    if (s->sessions && z->m->n_txns > z->m->n_sure) {
        place_parts(z->m, pool, z->event, o->n);
    }
    for (uint32_t i = 0; i < o->n; i++) { /* numbered in the first order */
        vertex[z->event[i]] = i;
    }
    iso_strong_solver_init(&z->s, z->p, vertex, o->n);
    iso_strong_proof_follow(z->p->proof, &z->s, z->event);
    lay_arcs(z, o);
    return true;
}

static strong_answer repair(search *z) {
    strong_open *p = z->p;
    strong_answer answer = iso_acyclic_ready(z->s.graph) ? STRONG_FOUND : STRONG_NONE;
    for (bool any = true; answer == STRONG_FOUND && any;) {
        if (z->n_new > 0) {
            answer = iso_strong_solver_solve(&z->s, z->new_clause, z->n_new);
        }
        p->tried += z->n_new;
        z->n_new = 0;
        if (p->hints != NULL) {
            break;
        }
        if (answer == STRONG_FOUND) {
            walk(z);
            answer = iso_strong_open_hopeful(p, z->n_new, z->m->n * z->m->per_txn) ? STRONG_FOUND : STRONG_GAVE_UP;
        }
        any = z->n_new > 0;
        p->rounds++;
    }
    iso_solver_counts counts = iso_solver_counters(z->s.solver);
    p->conflicts = counts.conflicts;
    p->decisions = counts.decisions;
    return answer;
}

strong_answer iso_strong_find_order(strong *s, strong_open *p, uint32_t **by_rank) {
    iso_pool *pool = p->pool;
    strong_model *m = &s->model;
    search z = {.p = p, .m = m, .rest = s->rest.when == NULL ? NULL : &s->rest};
    uint32_t n = s->order.n, *vertex = ISO_NEW(pool, uint32_t, n);
    if (!begin_order(&z, s, vertex)) {
        return STRONG_NONE;
    }
    z.at = ISO_NEW(pool, uint32_t, n);
    z.last = ISO_NEW(pool, uint32_t, m->h->n_keys);
    z.active = ISO_NEW(pool, uint32_t, m->h->n_keys);
    z.before = ISO_NEW(pool, uint32_t, m->write_first[m->n]);
    begin_parts(&z, s->sessions);
    begin_choices(&z);
    begin_lists(&z);
    if (p->hints != NULL) {
        begin_hints(&z);
    }
    if (z.rest != NULL) {
        begin_rest(&z);
    }
    strong_answer answer = repair(&z);
    if (answer == STRONG_FOUND) {
        take_parts(&z);
        *by_rank = vertex; /* the solver is done with them */
        iso_acyclic_vertices(z.s.graph, z.at);
        for (uint32_t i = 0; i < n; i++) {
            (*by_rank)[i] = z.event[z.at[i]];
        }
    }
    return answer;
}

/* Conflicts until a serial order is given up, besides one for each event. */
#define ATTEMPT_CONFLICTS 20000

isolab_verdict iso_strong_search(strong *s) {
    strong_open open;
    uint32_t *by_rank;
    iso_strong_open_init(&open, s->pool, s->options->stay);
    open.budget = s->attempt ? ATTEMPT_CONFLICTS + s->order.n : 0;
    strong_answer answer = iso_strong_find_order(s, &open, &by_rank);
    if (!s->attempt) {
        iso_result_counter(s->result, "rounds", s->order.rounds + open.rounds);
        iso_result_counter(s->result, "visits", s->order.visits);
        iso_result_counter(s->result, "inferred-edges", s->order.n_edges);
    }
    if (!s->attempt || answer == STRONG_FOUND) {
        iso_strong_open_count(&open, s->result);
    }
    if (answer == STRONG_FOUND) {
        iso_strong_write_order(s, by_rank);
        return ISOLAB_SATISFIED;
    }
    if (answer == STRONG_GAVE_UP) {
        return ISOLAB_UNKNOWN;
    }
    return s->attempt ? ISOLAB_VIOLATED
                      : iso_strong_refuted(s, iso_strong_hints_of_search(&s->order, open.why, open.n_clauses, s->pool));
}
