/* Which transactions are included, and which write each read took: INT and cut isolation as clauses. See sat.h.
 *
 * Every read of an included transaction takes one of its possible writes: for INT the writes that awdit.txt definition
 * 2.3 allows, (a) to (e); for cut isolation all writes of the value. The writer is included and, except at ci and int,
 * comes before the reader. */
#include "base/buckets.h"
#include "checkers/sat/sat.h"

static void number_vertices(sat *s) {
    const isolab_history *h = s->h;
    s->vertex = ISO_NEW(s->pool, uint32_t, h->n_txns);
    s->txn = ISO_NEW(s->pool, uint32_t, h->n_txns);
    s->part = ISO_NEW(s->pool, int, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        s->vertex[t] = ISO_NONE;
        if (h->txn_counts[t] != ISO_EXCLUDED) {
            s->vertex[t] = s->n;
            s->txn[s->n] = t;
            s->part[s->n++] = h->txn_counts[t] == ISO_INCLUDED ? SAT_TRUE : iso_sat_var(s);
        }
    }
}

static void list_writers(sat *s) {
    const isolab_history *h = s->h;
    iso_buckets rows = iso_buckets_new(s->pool, h->n_keys);
    s->writer_first = rows.first;
    uint32_t *last = ISO_NEW(s->pool, uint32_t, h->n_keys); /* by key: the last vertex that was counted */
    for (int turn = 0; turn < 2; turn++) {
        iso_fill_none(last, h->n_keys);
        for (uint32_t v = 0; v < s->n; v++) {
            for (uint32_t o = h->txn_op[s->txn[v]]; o < h->txn_op[s->txn[v] + 1]; o++) {
                uint32_t k = h->op_key[o];
                if (iso_is_write(h->op_kind[o]) && last[k] != v) {
                    last[k] = v;
                    if (turn == 0) {
                        iso_buckets_count(&rows, k);
                    } else {
                        s->writer[iso_buckets_place(&rows, k)] = v;
                    }
                }
            }
        }
        if (turn == 0) {
            s->writer = ISO_NEW(s->pool, uint32_t, iso_buckets_sum(&rows));
        }
    }
    iso_free(s->pool, last);
}

/* Returns how the read offends if it takes this write; ISO_A_KINDS: it does not. *other: the write that shows the
 * offence. */
static iso_anomaly_kind offence(const sat *s, uint32_t read, uint32_t write, uint32_t own, uint32_t *other) {
    const isolab_history *h = s->h;
    *other = own;
    if (write == ISO_INIT) {
        return own == ISO_NONE ? ISO_A_KINDS : ISO_A_NOT_MY_OWN_WRITE;
    }
    if (h->op_txn[write] == h->op_txn[read]) {
        *other = write > read ? write : own;
        return write == own ? ISO_A_KINDS : write > read ? ISO_A_FUTURE_READ : ISO_A_NOT_MY_LAST_WRITE;
    }
    if (own != ISO_NONE) {
        return ISO_A_NOT_MY_OWN_WRITE;
    }
    if (s->vertex[h->op_txn[write]] == ISO_NONE) {
        *other = write;
        return ISO_A_ABORTED_READ;
    }
    *other = iso_write_after(h, write);
    return *other == ISO_NONE ? ISO_A_KINDS : ISO_A_INTERMEDIATE_READ;
}

static void add_choice(sat *s, uint32_t op, uint32_t *room) {
    ISO_GROW(s->pool, s->choices, s->n_choices, *room);
    uint32_t vertex = op == ISO_INIT ? SAT_INIT : s->vertex[s->h->op_txn[op]];
    s->choices[s->n_choices++] = (iso_sat_choice){.op = op, .vertex = vertex};
}

static void add_read(sat *s, uint32_t v, uint32_t op, uint32_t *room) {
    const isolab_history *h = s->h;
    iso_sat_read *r = &s->reads[s->n_reads++];
    *r = (iso_sat_read){.op = op, .key = h->op_key[op], .first = s->n_choices, .chosen = ISO_NONE};
    uint32_t version = h->op_version[op], own = iso_write_before(h, op), n, other, first_other = ISO_NONE;
    iso_anomaly_kind first = ISO_A_THIN_AIR;
    const uint32_t *writers = iso_writers(h, version, &n);
    uint32_t all = n + iso_version_is_initial(h, version);
    for (uint32_t i = 0; i < all; i++) {
        iso_tick(s->env);
        uint32_t w = i == n ? ISO_INIT : writers[i];
        iso_anomaly_kind kind = offence(s, op, w, own, &other);
        if (kind == ISO_A_KINDS || !(s->rules & ISO_RULE_INT)) {
            add_choice(s, w, room);
        } else if (i == 0) {
            first = kind;
            first_other = other;
        }
    }
    r->end = s->n_choices;
    if (r->first == r->end && s->part[v] == SAT_TRUE && (s->rules & ISO_RULE_INT)) {
        iso_result_anomaly(s->result, (iso_anomaly){.kind = (uint8_t)first, .op = op, .other_op = first_other});
    }
    /* Literals: constant if there is only one choice. */
    for (uint32_t c = r->first; c < r->end; c++) {
        s->choices[c].literal = r->end - r->first == 1 ? s->part[v] : iso_sat_var(s);
    }
}

/* A list read reads from the transaction of the last element of its external part. */
static void add_list_read(sat *s, uint32_t v, uint32_t op, uint32_t *room) {
    const isolab_history *h = s->h;
    iso_sat_read *r = &s->reads[s->n_reads++];
    *r = (iso_sat_read){.op = op, .key = h->op_key[op], .first = s->n_choices, .end = s->n_choices, .chosen = ISO_NONE};
    uint32_t other = ISO_NONE, n;
    iso_anomaly_kind kind = iso_sat_list_judge(s, r, &other);
    if (!(s->rules & ISO_RULE_INT)) {
        return;
    }
    if (kind != ISO_A_KINDS) {
        if (s->part[v] == SAT_TRUE) {
            iso_result_anomaly(s->result, (iso_anomaly){.kind = (uint8_t)kind, .op = op, .other_op = other});
        }
        return;
    }
    if (r->n_external == 0) {
        add_choice(s, ISO_INIT, room);
    } else {
        const uint32_t *writers = iso_writers(h, h->list_version[r->external + r->n_external - 1], &n);
        for (uint32_t i = 0; i < n; i++) {
            if (iso_sat_list_may_read(s, r, writers[i])) {
                add_choice(s, writers[i], room);
            }
        }
    }
    r->end = s->n_choices;
    for (uint32_t c = r->first; c < r->end; c++) {
        s->choices[c].literal = r->end - r->first == 1 ? s->part[v] : iso_sat_var(s);
    }
}

void iso_sat_reads_start(sat *s) {
    const isolab_history *h = s->h;
    uint32_t room = 0;
    number_vertices(s);
    list_writers(s);
    s->read_first = ISO_NEW(s->pool, uint32_t, (size_t)s->n + 1);
    s->reads = ISO_NEW(s->pool, iso_sat_read, h->n_ops);
    for (uint32_t v = 0; v < s->n; v++) {
        s->read_first[v] = s->n_reads;
        for (uint32_t o = h->txn_op[s->txn[v]]; o < h->txn_op[s->txn[v] + 1]; o++) {
            if (h->op_kind[o] == ISO_READ) {
                add_read(s, v, o, &room);
            } else if (h->op_kind[o] == ISO_LIST_READ) {
                add_list_read(s, v, o, &room);
            }
        }
    }
    s->read_first[s->n] = s->n_reads;
}

static bool aborted_choice(const iso_sat_choice *c) { return c->vertex == ISO_NONE && c->op != ISO_INIT; }

/* plume.txt definition 3: no two reads of a key take different values from two other included transactions. */
static void encode_cut(sat *s, uint32_t v) {
    const isolab_history *h = s->h;
    for (uint32_t a = s->read_first[v]; a < s->read_first[v + 1]; a++) {
        for (uint32_t b = a + 1; b < s->read_first[v + 1]; b++) {
            const iso_sat_read *x = &s->reads[a], *y = &s->reads[b];
            if (x->key != y->key || h->op_version[x->op] == h->op_version[y->op]) {
                continue;
            }
            if (x->is_list) {
                if (iso_sat_lists_differ(s, x, y)) {
                    iso_sat_add(s, -s->part[v]);
                    iso_sat_end(s);
                    if (s->proof != NULL) {
                        iso_proof_differ(s->proof, x->op, y->op);
                    }
                }
                continue;
            }
            for (uint32_t c = x->first; c < x->end; c++) {
                for (uint32_t d = y->first; d < y->end; d++) {
                    iso_tick(s->env);
                    const iso_sat_choice *from = &s->choices[c], *also = &s->choices[d];
                    uint32_t t = from->op == ISO_INIT ? ISO_INIT : h->op_txn[from->op];
                    uint32_t u = also->op == ISO_INIT ? ISO_INIT : h->op_txn[also->op];
                    if (t != u && t != s->txn[v] && u != s->txn[v] && !aborted_choice(from) && !aborted_choice(also)) {
                        iso_sat_add(s, -from->literal);
                        iso_sat_add(s, -also->literal);
                        iso_sat_end(s);
                        if (s->proof != NULL) {
                            iso_proof_cut(s->proof, x->op, from->op, y->op, also->op);
                        }
                    }
                }
            }
        }
    }
}

void iso_sat_reads_encode(sat *s) {
    for (uint32_t v = 0; v < s->n; v++) {
        for (uint32_t i = s->read_first[v]; i < s->read_first[v + 1]; i++) {
            iso_tick(s->env);
            const iso_sat_read *r = &s->reads[i];
            if ((s->rules & ISO_RULE_INT) || r->first < r->end) { /* it takes some write, if the reader is included */
                iso_sat_add(s, -s->part[v]);
                for (uint32_t c = r->first; c < r->end; c++) {
                    iso_sat_add(s, s->choices[c].literal);
                }
                iso_sat_end(s);
                if (s->proof != NULL) {
                    (r->is_list && r->first == r->end ? iso_proof_impossible : iso_proof_choice)(s->proof, r->op);
                }
            }
            if (r->is_list) {
                iso_sat_list_encode(s, v, r);
            }
            for (uint32_t c = r->first; c < r->end; c++) {
                const iso_sat_choice *choice = &s->choices[c];
                if (choice->op == ISO_INIT || choice->vertex == v || aborted_choice(choice)) {
                    continue;
                }
                iso_sat_add(s, -choice->literal); /* the writer is included */
                iso_sat_add(s, s->part[choice->vertex]);
                iso_sat_end(s);
                if (s->proof != NULL) {
                    iso_proof_part(s->proof, r->op, choice->op);
                }
                if (iso_sat_orders(s)) { /* and comes before the reader */
                    iso_sat_add(s, -choice->literal);
                    iso_sat_add(s, iso_sat_before(s, choice->vertex, v));
                    iso_sat_end(s);
                    if (s->proof != NULL) {
                        iso_proof_wr(s->proof, r->op, choice->op);
                    }
                }
            }
        }
        if ((s->rules & ISO_RULE_CUT) && !(s->rules & ISO_SEES_READ)) { /* else the axiom implies it */
            encode_cut(s, v);
        }
    }
}

void iso_sat_reads_model(sat *s) {
    for (uint32_t v = 0; v < s->n; v++) {
        bool in = iso_sat_included(s, v);
        for (uint32_t i = s->read_first[v]; i < s->read_first[v + 1]; i++) {
            iso_sat_read *r = &s->reads[i];
            r->chosen = ISO_NONE;
            for (uint32_t c = r->first; in && c < r->end && r->chosen == ISO_NONE; c++) {
                r->chosen = iso_sat_true(s, s->choices[c].literal) ? c : ISO_NONE;
            }
        }
    }
}
