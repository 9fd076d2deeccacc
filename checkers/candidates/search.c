/* Gives the missed requirements of walks to the solver. See candidates.h.
 *
 * Variables say that a read took a write, that an optional transaction is included, and, where an instance depends on
 * more than two of these, that one transaction is before another. Arcs of the commit order carry them. Session order
 * and reads with one writer are arcs from the start. All other arcs and clauses are added when an order was found that
 * violates them. Everything used for a contradiction goes into the proof. */
#include <string.h>

#include "base/assert.h"
#include "base/buckets.h"

#include "checkers/candidates/candidates.h"

/* The order is a good guide if conflicts are nearly independent. Otherwise the solver decides better by activity. So
 * the two take turns: the first turn has TURN conflicts, and each further one half as many again. */
#define TURN 3000
#define STAY 10 /* decision levels: after a conflict, parts that do not concern it stay decided */

typedef struct variable {
    enum { TOOK, PART, BEFORE } kind;
    uint32_t a, b; /* TOOK: operations; PART: a transaction; BEFORE: two transactions */
} variable;

struct cand_search {
    cand *c;
    iso_pool *pool;
    iso_solver *solver;
    iso_acyclic *graph;
    iso_proof *proof;
    uint32_t *vertex, *txn; /* by transaction: its vertex; by vertex: its transaction */
    uint32_t n, n_known;    /* number of vertices; number of arcs from the start */
    uint32_t *took;         /* by read: the variable of its first candidate; ISO_NONE: the solver does not choose */
    uint32_t *part;         /* by transaction: its variable; ISO_NONE: none */
    variable *vars;
    int8_t *model; /* by variable: whether it is true in the last answer */
    uint32_t vars_room, n_model;
    iso_lits clause, premises;
    int *lemma;
    uint32_t lemma_room;
    bool contradiction; /* the given clauses cannot be satisfied */
    bool certain;       /* and no choice was needed */
    uint64_t missed;
    uint32_t *least; /* by read: the largest place of a transaction that the reader was found to see */
    bool guided;
    uint64_t turn, turn_ends;
    uint32_t *asked, n_asked, asked_room;    /* reads for which the solver chooses */
    uint32_t *unsure, n_unsure, unsure_room; /* reads of optional transactions */
    struct decision {
        iso_lit literal;
        uint32_t done; /* how many of `asked` had a writer before it */
    } * decisions;
    uint32_t n_decisions, decisions_room;
};

uint64_t iso_cand_missed(const cand_search *s) { return s->missed; }
bool iso_cand_asked(const cand_search *s, uint32_t read) { return s->took[read] != ISO_NONE; }
bool iso_cand_took(const cand_search *s, uint32_t read, uint32_t candidate) {
    uint32_t var = s->took[read] + candidate;
    return var < s->n_model && s->model[var];
}

static bool is_included(const cand_search *s, uint32_t t) {
    return cand_in(s->c, t) || (s->part[t] < s->n_model && s->model[s->part[t]]);
}

/* ---- variables and clauses ---- */

static iso_lit new_var(cand_search *s, variable v) {
    uint32_t var = iso_solver_var(s->solver);
    ISO_GROW(s->pool, s->vars, var, s->vars_room);
    s->vars[var] = v;
    return iso_lit_of(var, false);
}

static void end_clause(cand_search *s) {
    s->contradiction |= !iso_solver_clause(s->solver, s->clause.at, s->clause.n);
    s->clause.n = 0;
}

/* Returns the literal that a transaction is included; ISO_LIT_TRUE if it certainly is. */
static iso_lit part(cand_search *s, uint32_t t) {
    if (cand_in(s->c, t)) {
        return ISO_LIT_TRUE;
    }
    if (s->part[t] == ISO_NONE) {
        s->part[t] = iso_lit_var(new_var(s, (variable){PART, t, 0}));
    }
    return iso_lit_of(s->part[t], false);
}

static void arc(cand_search *s, uint32_t from, uint32_t to, iso_lit a, iso_lit b, uint32_t tag) {
    iso_assert(from != to && s->vertex[from] != ISO_NONE && s->vertex[to] != ISO_NONE);
    iso_acyclic_arc(s->graph, (iso_arc){s->vertex[from], s->vertex[to], a, b, tag});
}

/* Lets the solver choose the writer of a read: adds its variables, arcs and clauses. */
static void ask(cand_search *s, uint32_t read) {
    cand *c = s->c;
    const isolab_history *h = c->h;
    const cand_read *r = &c->reads[read];
    if (s->took[read] != ISO_NONE) {
        return;
    }
    uint32_t reader = h->op_txn[r->op], at = 0;
    iso_lit in = part(s, reader);
    iso_cand_claim_left(c, s->proof, read);
    s->took[read] = iso_solver_vars(s->solver);
    ISO_GROW(s->pool, s->asked, s->n_asked, s->asked_room);
    s->asked[s->n_asked++] = read;
    if (in != ISO_LIT_TRUE) {
        ISO_GROW(s->pool, s->unsure, s->n_unsure, s->unsure_room);
        s->unsure[s->n_unsure++] = read;
    }
    for (uint32_t w; (w = iso_cand_next(c, r, &at)) != ISO_NONE;) {
        new_var(s, (variable){TOOK, r->op, w});
    }
    at = 0;
    for (uint32_t w, var = s->took[read]; (w = iso_cand_next(c, r, &at)) != ISO_NONE; var++) {
        iso_tick(s->pool->env);
        if (w == ISO_INIT) {
            continue;
        }
        arc(s, h->op_txn[w], reader, iso_lit_of(var, false), ISO_LIT_TRUE, read);
        iso_lit writer = part(s, h->op_txn[w]);
        if (writer != ISO_LIT_TRUE) {
            iso_proof_part(s->proof, r->op, w);
            iso_lits_add(s->solver, &s->clause, iso_lit_of(var, true));
            iso_lits_add(s->solver, &s->clause, writer);
            end_clause(s);
        }
    }
    iso_proof_choice(s->proof, r->op);
    if (in != ISO_LIT_TRUE) {
        iso_lits_add(s->solver, &s->clause, iso_lit_not(in));
    }
    at = 0;
    for (uint32_t var = s->took[read]; iso_cand_next(c, r, &at) != ISO_NONE; var++) {
        iso_lits_add(s->solver, &s->clause, iso_lit_of(var, false));
    }
    end_clause(s);
}

/* ---- requirements ---- */

void iso_cand_settle(cand_search *s, uint32_t read) {
    iso_assert(s->c->reads[read].writer != ISO_MANY);
    const isolab_history *h = s->c->h;
    const cand_read *r = &s->c->reads[read];
    if (r->writer != ISO_INIT) {
        arc(s, h->op_txn[r->writer], h->op_txn[r->op], ISO_LIT_TRUE, ISO_LIT_TRUE, read);
    }
}

/* Adds the axiom, conditional on its premises. */
static void give_axiom(cand_search *s, uint32_t axiom) {
    iso_assert(axiom < s->c->n_axioms);
    cand *c = s->c;
    cand_axiom *a = &c->axioms[axiom];
    const iso_lit *p = s->premises.at;
    uint32_t n = s->premises.n, tag = c->n_reads + axiom, t1 = cand_txn(c, a->write);
    if (a->write != ISO_INIT && n <= 2) {
        arc(s, a->t2, t1, n > 0 ? p[0] : ISO_LIT_TRUE, n > 1 ? p[1] : ISO_LIT_TRUE, tag);
        return;
    }
    if (n == 0) { /* no transaction is before the initial one */
        s->contradiction = true;
        s->certain |= iso_cand_certain(c, a);
    }
    iso_cand_say_axiom(c, s->proof, a);
    for (uint32_t i = 0; i < n; i++) {
        iso_lits_add(s->solver, &s->clause, iso_lit_not(p[i]));
    }
    if (a->write != ISO_INIT) {
        iso_lit before = new_var(s, (variable){BEFORE, a->t2, t1});
        iso_lits_add(s->solver, &s->clause, before);
        arc(s, a->t2, t1, before, ISO_LIT_TRUE, tag);
    }
    end_clause(s);
}

void iso_cand_infer(cand_search *s, uint32_t axiom) {
    s->premises.n = 0;
    give_axiom(s, axiom);
}

void iso_cand_miss_choice(cand_search *s, uint32_t read) {
    s->missed++;
    ask(s, read);
}

void iso_cand_miss_session(cand_search *s, uint32_t t, uint32_t u) {
    s->missed++;
    arc(s, t, u, part(s, t), ISO_LIT_TRUE, ISO_NONE);
}

/* Adds a premise: the read reads from this write. */
static void depend_on_read(cand_search *s, uint32_t read, uint32_t write) {
    iso_assert(read < s->c->n_reads);
    uint32_t at = 0, var = s->took[read];
    if (s->c->reads[read].writer != ISO_MANY) {
        return;
    }
    while (iso_cand_next(s->c, &s->c->reads[read], &at) != write) {
        var++;
    }
    iso_lits_add(s->solver, &s->premises, iso_lit_of(var, false));
}

static void depend_on_part(cand_search *s, uint32_t t) {
    iso_lit l = part(s, t);
    if (l != ISO_LIT_TRUE) {
        iso_lits_add(s->solver, &s->premises, l);
    }
}

/* Adds the instance of the axiom for one of the writers of the read. */
static void miss(cand_search *s, uint32_t read, uint32_t write, uint32_t t2, uint32_t first_step) {
    cand *c = s->c;
    uint32_t at = t2, n = c->n_steps - first_step;
    s->premises.n = 0;
    depend_on_read(s, read, write);
    for (uint32_t i = 0; i < n; i++) {
        const iso_proof_step *step = &c->steps[first_step + i];
        if (step->kind == ISO_STEP_SO) {
            depend_on_part(s, at);
            at = step->a;
        } else {
            depend_on_read(s, iso_cand_read_of(c, step->a), step->b);
            at = c->h->op_txn[step->a];
        }
    }
    ISO_GROW(s->pool, c->axioms, c->n_axioms, c->axioms_room);
    c->axioms[c->n_axioms] = (cand_axiom){.t2 = t2,
                                          .read = read,
                                          .write = write,
                                          .first_step = first_step,
                                          .n_steps = n,
                                          .sweep = ISO_NONE,
                                          .next = ISO_NONE};
    give_axiom(s, c->n_axioms++);
}

void iso_cand_miss_axiom(cand_search *s, uint32_t read, uint32_t t2, const iso_proof_step *steps, uint32_t n) {
    cand *c = s->c;
    const cand_read *r = &c->reads[read];
    uint32_t first_step = c->n_steps, at = 0;
    s->missed++;
    for (uint32_t i = 0; i < n; i++) {
        ISO_GROW(s->pool, c->steps, c->n_steps, c->steps_room);
        c->steps[c->n_steps++] = steps[i];
        uint32_t seen = steps[i].kind == ISO_STEP_SO ? ISO_NONE : iso_cand_read_of(c, steps[i].a);
        if (seen != ISO_NONE && c->reads[seen].writer == ISO_MANY) {
            ask(s, seen);
        }
    }
    if (r->writer != ISO_MANY) {
        miss(s, read, r->writer, t2, first_step);
        return;
    }
    ask(s, read);
    s->least[read] = c->place[t2];
    for (uint32_t w;
         (w = iso_cand_next(c, r, &at)) != ISO_NONE;) { /* all writers for which the instance would be missed */
        if (cand_place_of(c, w) < c->place[t2]) {
            miss(s, read, w, t2, first_step);
        }
    }
}

/* ---- deciding ---- */

/* Returns how far the current order must change for a read to be from a writer with this place: 0 if the writer is
 * before the reader and not before the transactions that the reader was found to see. */
static uint32_t distance(uint32_t place, uint32_t here, uint32_t least) {
    return place > here ? place - here : place < least ? least - place : 0;
}

/* Returns the literal of the nearest writer that the solver has not ruled out; of several, the one that the last walk
 * chose, which is not older than what the reader sees, or else the oldest. ISO_LIT_NONE: one is chosen, or the reader
 * is not included. */
static iso_lit nearest(const cand_search *s, uint32_t read) {
    const cand *c = s->c;
    const cand_read *r = &c->reads[read];
    uint32_t reader = c->h->op_txn[r->op], at = 0, var = s->took[read], least = 0, oldest = 0;
    iso_lit best = ISO_LIT_NONE;
    if (!cand_in(c, reader) && iso_solver_value(s->solver, iso_lit_of(s->part[reader], false)) <= 0) {
        return ISO_LIT_NONE;
    }
    for (uint32_t w; (w = iso_cand_next(c, r, &at)) != ISO_NONE; var++) {
        iso_lit l = iso_lit_of(var, false);
        int value = iso_solver_value(s->solver, l);
        uint32_t place = cand_place_of(c, w), far = distance(place, c->place[reader], s->least[read]);
        if (value > 0) {
            return ISO_LIT_NONE;
        }
        place = w == c->chosen[read] ? 0 : place + 1;
        if (value == 0 && (best == ISO_LIT_NONE || far < least || (far == least && place < oldest))) {
            best = l;
            least = far;
            oldest = place;
        }
    }
    return best;
}

/* Decides only writers of reads: everything else follows from them, or is not needed. */
static iso_lit decide(void *arg) {
    cand_search *s = arg;
    uint32_t done = s->n_decisions > 0 ? s->decisions[s->n_decisions - 1].done : 0, n = s->n_decisions;
    for (; n > 0; n--) {
        const struct decision *d = &s->decisions[n - 1];
        if (iso_solver_value(s->solver, d->literal) > 0 && iso_solver_level(s->solver, iso_lit_var(d->literal)) == n) {
            break;
        }
        done = d->done;
    }
    s->n_decisions = n;
    iso_lit l = ISO_LIT_NONE;
    while (done < s->n_asked && (l = nearest(s, s->asked[done])) == ISO_LIT_NONE) {
        done++;
    }
    for (uint32_t i = 0; l == ISO_LIT_NONE && i < s->n_unsure; i++) { /* their readers may be included by now */
        l = nearest(s, s->unsure[i]);
    }
    if (l != ISO_LIT_NONE) {
        ISO_GROW(s->pool, s->decisions, s->n_decisions, s->decisions_room);
        s->decisions[s->n_decisions++] = (struct decision){l, done};
    }
    return l;
}

/* ---- searching ---- */

/* Adds the line for an arc to the proof. Returns whether the arc holds without a choice and without inference. */
static bool say_arc(cand_search *s, uint32_t e) {
    cand *c = s->c;
    iso_arc a = iso_acyclic_get(s->graph, e);
    bool certain = a.a == ISO_LIT_TRUE && a.b == ISO_LIT_TRUE;
    if (a.tag == ISO_NONE) {
        iso_proof_so(s->proof, s->txn[a.from], s->txn[a.to]);
        return certain;
    }
    if (a.tag >= c->n_reads) {
        cand_axiom *axiom = &c->axioms[a.tag - c->n_reads];
        iso_cand_say_axiom(c, s->proof, axiom);
        return certain && iso_cand_certain(c, axiom);
    }
    if (certain) {
        iso_cand_say_read(c, s->proof, a.tag);
        return c->reads[a.tag].settled == 0;
    }
    iso_proof_wr(s->proof, c->reads[a.tag].op, s->vars[iso_lit_var(a.a)].b);
    return false;
}

static void on_cycle(void *arg, const iso_acyclic *g, const uint32_t *arcs, uint32_t n, bool conflict) {
    cand_search *s = arg;
    bool certain = conflict;
    for (uint32_t i = 0; i < n; i++) {
        certain &= say_arc(s, arcs[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        iso_proof_cycle(s->proof, s->txn[iso_acyclic_get(g, arcs[i]).from]);
    }
    iso_proof_close(s->proof);
    s->certain |= certain;
}

static int in_proof(cand_search *s, iso_lit l) {
    const variable *v = &s->vars[iso_lit_var(l)];
    int literal = v->kind == TOOK   ? iso_proof_took(s->proof, v->a, v->b)
                  : v->kind == PART ? iso_proof_in(s->proof, v->a)
                                    : iso_proof_before(s->proof, v->a, v->b);
    return l & 1 ? -literal : literal;
}

static void on_learnt(void *arg, iso_log_kind kind, const iso_lit *literals, uint32_t n) {
    cand_search *s = arg;
    for (uint32_t i = 0; kind == ISO_LOG_LEARNT && i < n; i++) {
        ISO_GROW(s->pool, s->lemma, i, s->lemma_room);
        s->lemma[i] = in_proof(s, literals[i]);
    }
    if (kind == ISO_LOG_LEARNT) {
        iso_proof_lemma(s->proof, s->lemma, n);
    }
}

/* Counts an edge, and in the second turn, when the arrays exist, stores it. */
static void add_known_arc(iso_buckets *vertices, uint32_t from, uint32_t *end, uint32_t *tag, uint32_t to,
                          uint32_t why) {
    if (end == NULL) {
        iso_buckets_count(vertices, from);
        return;
    }
    uint32_t at = iso_buckets_place(vertices, from);
    end[at] = to;
    tag[at] = why;
}

/* Makes the arcs of session order and of reads with one writer, sorted by their first vertex. */
static void add_known_arcs(cand_search *s) {
    const cand *c = s->c;
    const isolab_history *h = c->h;
    iso_buckets vertices = iso_buckets_new(s->pool, s->n);
    uint32_t *end = NULL, *tag = NULL;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t t = 0, before = ISO_NONE; t < h->n_txns; t++) {
            if (!cand_in(c, t)) {
                continue;
            }
            if (before != ISO_NONE && h->txn_session[before] == h->txn_session[t]) {
                add_known_arc(&vertices, s->vertex[before], end, tag, s->vertex[t], ISO_NONE);
            }
            before = t;
            for (uint32_t i = c->read_first[t]; i < c->read_first[t + 1]; i++) {
                if (c->reads[i].writer < ISO_MANY) {
                    add_known_arc(&vertices, s->vertex[h->op_txn[c->reads[i].writer]], end, tag, s->vertex[t], i);
                }
            }
        }
        if (turn == 0) {
            uint32_t n = iso_buckets_sum(&vertices);
            end = ISO_NEW(s->pool, uint32_t, n);
            tag = ISO_NEW(s->pool, uint32_t, n);
        }
    }
    s->n_known = vertices.first[s->n];
    iso_acyclic_lay(s->graph, vertices.first, end, tag);
}

static void take_turn(cand_search *s, bool guided) {
    s->guided = guided;
    iso_solver_decider(s->solver, guided ? decide : NULL, s);
    iso_solver_stay(s->solver, guided ? STAY : 0);
}

cand_search *iso_cand_search_new(cand *c) {
    const isolab_history *h = c->h;
    cand_search *s = ISO_ZNEW(c->pool, cand_search, 1);
    s->c = c;
    s->pool = c->pool;
    s->n = c->n_order;
    s->txn = ISO_NEW(s->pool, uint32_t, s->n);
    s->vertex = ISO_NEW(s->pool, uint32_t, h->n_txns);
    s->part = ISO_NEW_NONE(s->pool, h->n_txns);
    s->took = ISO_NEW_NONE(s->pool, c->n_reads);
    s->least = ISO_ZNEW(s->pool, uint32_t, c->n_reads);
    for (uint32_t v = 0; v < s->n; v++) {
        s->txn[v] = c->order[v];
        s->vertex[c->order[v]] = v;
    }
    s->proof = iso_proof_commits(s->pool, h, c->level);
    s->solver = iso_solver_new(s->pool);
    s->graph = iso_acyclic_new(s->pool, s->solver, s->n);
    iso_acyclic_options(s->graph, true, false);
    iso_acyclic_on_cycle(s->graph, on_cycle, s);
    iso_solver_log(s->solver, on_learnt, s);
    s->turn = s->turn_ends = TURN;
    take_turn(s, true);
    add_known_arcs(s);
    return s;
}

/* Returns whether the given clauses can be satisfied. */
static bool solve(cand_search *s) {
    for (;;) {
        uint64_t done = iso_solver_counters(s->solver).conflicts;
        iso_solver_answer answer =
            done < s->turn_ends ? iso_solver_solve(s->solver, s->turn_ends - done) : ISO_SOLVER_UNKNOWN;
        if (answer != ISO_SOLVER_UNKNOWN) {
            return answer == ISO_SOLVER_SAT;
        }
        s->turn += s->turn / 2;
        s->turn_ends += s->turn;
        take_turn(s, !s->guided);
    }
}

static void read_model(cand_search *s) {
    s->n_model = iso_solver_vars(s->solver);
    s->model = iso_resize(s->pool, s->model, s->n_model, sizeof *s->model);
    for (uint32_t v = 0; v < s->n_model; v++) {
        s->model[v] = iso_solver_value(s->solver, iso_lit_of(v, false)) > 0;
    }
}

static void read_order(cand_search *s) {
    cand *c = s->c;
    uint32_t *vertices = ISO_NEW(s->pool, uint32_t, s->n);
    iso_acyclic_vertices(s->graph, vertices);
    c->n_order = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t t = s->txn[vertices[i]];
        c->place[t] = 0;
        if (is_included(s, t)) {
            c->order[c->n_order++] = t;
            c->place[t] = c->n_order;
        }
    }
    iso_free(s->pool, vertices);
}

static void refuse(cand_search *s) {
    cand *c = s->c;
    if (s->certain) {
        iso_cand_report_cycle(c);
        return;
    }
    iso_proof_lemma(s->proof, NULL, 0);
    iso_proof *p = iso_cand_prove_claims(c, s->proof);
    if (p == NULL) {
        iso_result_reason(c->result, ISO_REASON_EFFORT, "no proof was found");
        iso_result_anomaly(c->result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
        return;
    }
    iso_proof_give(p, c->result);
    iso_proof_anomaly(p, c->result);
}

bool iso_cand_search(cand_search *s) {
    iso_solver_undo(s->solver);
    if (s->contradiction || !iso_acyclic_ready(s->graph) || !solve(s)) {
        refuse(s);
        return false;
    }
    read_model(s);
    read_order(s);
    return true;
}

void iso_cand_search_tell(const cand_search *s) {
    iso_result *r = s->c->result;
    iso_solver_counts k = iso_solver_counters(s->solver);
    iso_result_counter(r, "missed", s->missed);
    iso_result_counter(r, "reads searched", s->n_asked);
    iso_result_counter(r, "instances", s->c->n_axioms);
    iso_result_counter(r, "decisions", k.decisions);
    iso_result_counter(r, "conflicts", k.conflicts);
}
