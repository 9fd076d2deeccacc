/* Clausal proofs of what `strong` refutes by narrowing repeated values or by search (certificates/proof.h).
 *
 * The search (search.c) runs again over the history as it was read. Every clause that it gives to the solver, every
 * cycle of the theory and every learnt clause becomes a line; trimming keeps the lines that are needed. So a proof
 * needs no result of saturation.
 *
 * The reported anomaly is the mildest of the cases that fail (proof_cases.c). */
#include "checkers/strong/repair.h"

/* Tags of permanent arcs. */
#define READ 0x80000000u
#define EDGE 0x40000000u
#define NUMBER 0x3fffffffu

/* Limit, in seconds, of a proof that is only needed for the name of the anomaly. */
#define NAME_SECONDS 10

struct strong_proof {
    iso_pool *pool;
    const strong_model *m;
    const strong_order *o;
    const strong_solver *s;
    const uint32_t *event_of; /* by vertex */
    iso_proof *out;
    int *lemma;
    uint32_t lemma_room;
};

uint32_t iso_strong_arc_tag(uint32_t read, uint32_t edge) {
    return read != ISO_NONE ? READ | (read & NUMBER) : edge != ISO_NONE ? EDGE | (edge & NUMBER) : 0;
}

static uint32_t point(const strong_model *m, uint32_t event) {
    return m->txn[strong_txn(m, event)] * m->per_txn + event % m->per_txn;
}

/* Lines. */

void iso_strong_proof_rule(strong_proof *p, strong_rule *rule, uint32_t a, uint32_t b) {
    if (p != NULL) {
        rule(p->out, a, b);
    }
}

void iso_strong_proof_read(strong_proof *p, uint32_t op, uint32_t w1, uint32_t w2) {
    if (p != NULL) {
        iso_proof_rw(p->out, op, strong_write_of(p->m, w1), strong_write_of(p->m, w2));
    }
}

void iso_strong_proof_choice(strong_proof *p, uint32_t op, bool any) {
    if (p != NULL) {
        bool list = p->m->h->op_kind[op] == ISO_LIST_READ;
        (list && !any ? iso_proof_impossible : iso_proof_choice)(p->out, op);
    }
}

/* Cycles. */

/* Adds the lines of an arc that its clause has not added. */
static void say_arc(strong_proof *p, const iso_arc *a, uint32_t from, uint32_t to) {
    const strong_model *m = p->m;
    uint32_t t = strong_txn(m, from), u = strong_txn(m, to);
    if (a->a != ISO_LIT_TRUE) {
        const strong_atom *e = &p->s->clauses->atom[a->tag];
        if (e->kind == STRONG_INCLUDED) { /* if the transaction is included */
            iso_proof_so(p->out, m->txn[t], m->txn[u]);
        } else if (e->kind == STRONG_LABEL) { /* if its reader is included */
            iso_proof_list(p->out, e->op, m->txn[t], m->txn[u]);
        }
        return;
    }
    if (a->tag & READ) {
        uint32_t read = a->tag & NUMBER;
        iso_proof_wr(p->out, m->read_op[read], m->slot_op[m->read_slot[read]]);
    } else if (a->tag & EDGE) { /* before a search, only edges of lists and of real time are there */
        const strong_edge *e = &p->o->edge[a->tag & NUMBER];
        if (e->kind == ISO_EDGE_RT) {
            iso_proof_rt(p->out, m->txn[t], m->txn[u]);
        } else {
            iso_proof_list(p->out, e->op, m->txn[t], m->txn[u]);
        }
    } else if (t != u) {
        iso_proof_so(p->out, m->txn[t], m->txn[u]);
    }
}

/* Instants are not points: a path through them is real time from one transaction to another. */
static void on_cycle(void *arg, const iso_acyclic *g, const uint32_t *arcs, uint32_t n, bool conflict) {
    (void)conflict;
    strong_proof *p = arg;
    const strong_model *m = p->m;
    uint32_t begin = 0, ended = ISO_NONE;
    while (strong_txn(m, p->event_of[iso_acyclic_get(g, arcs[begin]).from]) >= m->n_txns) {
        begin++;
    }
    for (uint32_t i = 0; i < n; i++) {
        iso_arc a = iso_acyclic_get(g, arcs[(begin + i) % n]);
        uint32_t from = p->event_of[a.from], to = p->event_of[a.to];
        uint32_t t = strong_txn(m, from), u = strong_txn(m, to);
        if (u >= m->n_txns) {
            ended = t < m->n_txns ? t : ended;
        } else if (t >= m->n_txns) {
            iso_proof_rt(p->out, m->txn[ended], m->txn[u]);
        } else {
            say_arc(p, &a, from, to);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t event = p->event_of[iso_acyclic_get(g, arcs[(begin + i) % n]).from];
        if (strong_txn(m, event) < m->n_txns) {
            iso_proof_cycle(p->out, point(m, event));
        }
    }
    iso_proof_close(p->out);
}

static int literal(strong_proof *p, iso_lit l) {
    const strong_atom *e = &p->s->clauses->atom[p->s->of_var[iso_lit_var(l)]];
    int positive;
    if (e->kind == STRONG_EDGE) {
        positive = iso_proof_before(p->out, point(p->m, e->from), point(p->m, e->to));
    } else if (e->kind == STRONG_INCLUDED) {
        positive = iso_proof_in(p->out, p->m->txn[e->from]);
    } else {
        positive = iso_proof_took(p->out, e->op, strong_write_of(p->m, e->slot));
    }
    return l & 1 ? -positive : positive;
}

static void on_learnt(void *arg, iso_log_kind kind, const iso_lit *literals, uint32_t n) {
    strong_proof *p = arg;
    if (kind == ISO_LOG_LEARNT) {
        for (uint32_t i = 0; i < n; i++) {
            ISO_GROW(p->pool, p->lemma, i, p->lemma_room);
            p->lemma[i] = literal(p, literals[i]);
        }
        iso_proof_lemma(p->out, p->lemma, n);
    }
}

void iso_strong_proof_follow(strong_proof *p, strong_solver *s, const uint32_t *event_of) {
    if (p != NULL) {
        p->s = s;
        p->event_of = event_of;
        iso_acyclic_on_cycle(s->graph, on_cycle, p);
        iso_solver_log(s->solver, on_learnt, p);
    }
}

typedef struct proving {
    strong s; /* the history again, as it was read */
    const strong_hints *hints;
    iso_pool pool;
    bool done;
} proving;

static void prove(void *arg) {
    proving *x = arg;
    strong *s = &x->s;
    strong_repair r;
    uint32_t *by_rank;
    iso_strong_model(s);
    iso_strong_repair_init(&r, &x->pool);
    strong_proof p = {.pool = &x->pool, .m = &s->model, .o = &s->order};
    p.out = iso_proof_new(&x->pool, s->h, s->level);
    r.proof = &p;
    r.hints = x->hints;
    if (iso_strong_find_order(s, &r, &by_rank) != STRONG_NONE) {
        if (x->hints == NULL) {
            iso_throw(x->pool.env, ISOLAB_E_INTERNAL, "strong: two answers to one question");
        }
        return;
    }
    iso_proof_lemma(p.out, NULL, 0);
    iso_proof_give(p.out, s->result);
    iso_proof_anomaly(p.out, s->result);
    x->done = true;
}

/* If a limit is reached, there is an anomaly without a name, and no proof. */
void iso_strong_prove(const strong *s) {
    static const strong_child again = {"prove", 0};
    iso_env *env = s->pool->env;
    int64_t soon = s->question->certificate ? 0 : iso_now() + NAME_SECONDS * (int64_t)1000000000;
    proving x = {.done = false};
    int code = ISOLAB_OK;
    for (int turn = 0; turn < 2 && code == ISOLAB_OK && !x.done;
         turn++) { /* if the hints are not enough, use all constraints */
        x.s = iso_strong_again(s, s->level, &again);
        x.s.pool = &x.pool;
        x.hints = turn == 0 ? &s->hints : NULL;
        iso_pool_init(&x.pool, env);
        code = iso_guard_until(env, iso_sooner(env, soon), prove, &x);
        iso_pool_free(&x.pool);
    }
    if (code != ISOLAB_OK && (code != ISOLAB_E_LIMIT || atomic_load(&env->limits->interrupted) != 0)) {
        iso_rethrow(env);
    }
    if (!x.done) {
        iso_result_anomaly(s->result, (iso_anomaly){.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE});
    }
}
