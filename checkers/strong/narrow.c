/* Reads of repeated values: rules out writers by the known order. See order.h. */
#include "base/clones.h"
#include "checkers/strong/order.h"

#include <string.h>

/* What is known of the time before a read of a key: the last writer of the key in each chain (if an earlier writer is
 * between a possible writer and the read, the last one is between them, too), and by chain, how many of its events are
 * before any of these writers. It is computed once for a read, since many possible writers are tested. */
typedef struct past {
    const strong_order *o;
    uint32_t read;           /* the ambiguous read; ISO_NONE: none */
    strong_count start;      /* its place in its chain */
    uint32_t chain;          /* its chain */
    uint32_t *last, n;       /* slots */
    strong_count *most, *of; /* by chain: the largest entry of the last writers' clocks, and the index in `last` of the
                              * writer that has it */
} past;

/* Joins the clock of last writer number `n`. */
ISO_VECTOR static void take(strong_count *restrict most, strong_count *restrict of, const strong_count *restrict row,
                            strong_count number, uint32_t stride) {
    for (uint32_t i = 0; i < stride; i++) {
        of[i] = row[i] > most[i] ? number : of[i];
        most[i] = row[i] > most[i] ? row[i] : most[i];
    }
}

static void look_back(past *p, uint32_t i) {
    const strong_order *o = p->o;
    const strong_model *m = o->m;
    uint32_t op = m->ambiguous_op[i], x = m->h->op_key[op], t3 = m->dense[m->h->op_txn[op]];
    const strong_count *row = strong_row(o, strong_start(m, t3));
    p->read = i;
    p->start = o->at[strong_start(m, t3)].place;
    p->chain = m->chain[t3];
    p->n = 0;
    memset(p->most, 0, o->stride * sizeof *p->most);
    for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
        uint32_t at = iso_strong_last_in_group(m, g, row[m->group_chain[g]] / m->per_txn);
        if (at != ISO_NONE && m->key_txn[at] != t3) {
            take(p->most, p->of, strong_row(o, strong_written(m, m->key_txn[at])), (strong_count)p->n, o->stride);
            p->last[p->n++] = m->key_slot[at];
        }
    }
}

static bool possible(void *arg, uint32_t i, uint32_t w1, uint32_t *by) {
    past *p = arg;
    const strong_order *o = p->o;
    if (p->read != i) {
        look_back(p, i);
    }
    if (w1 == ISO_INIT) {
        *by = p->n == 0 ? ISO_NONE : p->last[0];
        return p->n == 0;
    }
    uint32_t commit = strong_commit(o->m, o->m->write_txn[w1]);
    strong_point at = o->at[commit];
    if (p->most[at.chain] > at.place) { /* never its own clock */
        *by = p->last[p->of[at.chain]];
        return false;
    }
    return strong_row(o, commit)[p->chain] <= p->start;
}

static void begin(strong_model *m) {
    uint32_t slots = m->candidate_first[m->n_ambiguous];
    m->argued = ISO_ZNEW(m->pool, uint32_t, m->h->n_ops);
    m->ruled_out_by = ISO_NEW(m->pool, uint32_t, slots);
    m->ruled_out_round = ISO_NEW(m->pool, uint32_t, slots);
    m->candidate_end = ISO_NEW(m->pool, uint32_t, m->n_ambiguous);
    memcpy(m->candidate_end, m->candidate_first + 1, m->n_ambiguous * sizeof *m->candidate_end);
}

/* Rules out candidates of ambiguous read i. Returns whether only one is possible, and it is included. */
static bool narrow(strong_model *m, uint32_t i, strong_possible_fn *fn, void *arg) {
    uint32_t first = m->candidate_first[i], end = m->candidate_end[i], op = m->ambiguous_op[i];
    for (uint32_t j = first; j < end;) {
        uint32_t w1 = m->candidate[j], by = ISO_NONE;
        if (fn(arg, i, w1, &by)) {
            j++;
            continue;
        }
        m->candidate[j] = m->candidate[--end];
        m->candidate[end] = w1;
        m->ruled_out_by[end] = by;
        m->ruled_out_round[end] = m->n_rounds;
    }
    m->candidate_end[i] = end;
    uint32_t only = end == first + 1 ? m->candidate[first] : ISO_NONE;
    if (end != first + 1 || (only != ISO_INIT && m->write_txn[only] >= m->n_included)) {
        return false;
    }
    m->writer[op] = only == ISO_INIT ? ISO_INIT : m->slot_op[only];
    m->argued[op] = m->n_rounds + 1;
    return true;
}

uint32_t iso_strong_narrow_reads(strong_order *o, strong_model *m, uint32_t *reads, uint32_t n, strong_possible_fn *fn,
                                 void *arg) {
    uint32_t resolved = 0;
    if (n > 0 && m->candidate_end == NULL) {
        begin(m);
    }
    for (uint32_t k = 0; k < n; k++) {
        iso_tick(o->pool->env);
        uint32_t i = reads[k];
        if (m->writer[m->ambiguous_op[i]] == ISO_MANY && narrow(m, i, fn, arg)) {
            reads[k] = reads[resolved];
            reads[resolved++] = i;
        }
    }
    ISO_GROW(m->pool, m->round_edges, m->n_rounds, m->rounds_room);
    m->round_edges[m->n_rounds++] = o->n_edges;
    if (resolved > 0) {
        iso_strong_model_reads(m);
    }
    return resolved;
}

uint32_t iso_strong_resolved_read(const strong_model *m, uint32_t i) {
    uint32_t op = m->ambiguous_op[i], writer = m->writer[op];
    return iso_strong_find_read(m, m->dense[m->h->op_txn[op]], writer == ISO_INIT ? ISO_INIT : m->op_slot[writer],
                                m->h->op_key[op]);
}

bool iso_strong_narrow(strong_order *o, strong_model *m) {
    uint32_t *reads = ISO_NEW(o->pool, uint32_t, m->n_ambiguous);
    for (uint32_t i = 0; i < m->n_ambiguous; i++) {
        reads[i] = i;
    }
    past p = {.o = o, .read = ISO_NONE, .last = ISO_NEW(o->pool, uint32_t, m->k)};
    p.most = ISO_NEW(o->pool, strong_count, o->stride);
    p.of = ISO_NEW(o->pool, strong_count, o->stride);
    uint32_t n = iso_strong_narrow_reads(o, m, reads, m->n_ambiguous, possible, &p);
    if (n > 0) {
        iso_strong_rules_reads(&o->rules, o->pool);
    }
    for (uint32_t i = 0; i < n; i++) {
        iso_strong_order_resolved(o, iso_strong_resolved_read(m, reads[i]));
    }
    iso_free(o->pool, p.last);
    iso_free(o->pool, p.most);
    iso_free(o->pool, p.of);
    iso_free(o->pool, reads);
    return n > 0;
}

uint32_t *iso_strong_settle_reads(const strong_model *m, const uint32_t *by_rank, uint32_t n_events, iso_pool *pool) {
    const isolab_history *h = m->h;
    uint32_t *from = ISO_NEW_NONE(pool, h->n_ops);
    uint32_t *last = ISO_NEW_NONE(m->pool, h->n_keys); /* by key: its last write, of the transactions that committed */
    uint32_t *own = ISO_NEW_NONE(m->pool, h->n_keys);  /* by key: the last write of a transaction that reads */
    for (uint32_t e = 0; e < n_events; e++) {
        uint32_t t = strong_txn(m, by_rank[e]);
        if (t >= m->n_txns || (m->excluded != NULL && m->excluded[t])) {
            continue;
        }
        uint32_t first = h->txn_op[m->txn[t]], end = h->txn_op[m->txn[t] + 1];
        for (uint32_t o = first; by_rank[e] == strong_start(m, t) && o < end; o++) {
            uint32_t key = h->op_key[o], version = h->op_version[o];
            bool after_own = own[key] != ISO_NONE && own[key] >= first && own[key] < end;
            if (iso_is_write(h->op_kind[o])) {
                own[key] = o;
            } else if (h->op_kind[o] == ISO_READ && h->op_writer[o] == ISO_MANY) {
                uint32_t w = after_own ? own[key] : last[key];
                from[o] = w == ISO_NONE ? ISO_INIT : w;
                if (w == ISO_NONE ? !iso_version_is_initial(h, version)
                                  : !iso_version_covers(h, version, h->op_version[w])) {
                    iso_throw(m->pool->env, ISOLAB_E_INTERNAL, "strong: the order found does not explain operation %u",
                              o);
                }
            }
        }
        for (uint32_t w = m->write_first[t]; by_rank[e] == strong_commit(m, t) && w < m->write_first[t + 1]; w++) {
            last[m->write_key[w]] = m->slot_op[w];
        }
    }
    iso_free(m->pool, last);
    iso_free(m->pool, own);
    return from;
}
