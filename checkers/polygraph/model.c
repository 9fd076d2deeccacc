/* The known edges and the constraints of a history. See polygraph.h.
 *
 * A transaction that reads a key and writes it comes next after the writer that it read from, in every order that
 * satisfies si or ser. So the writers of a key form chains, and a chain comes as a whole before or after another one
 * (Cobra's combining of writes, which Viper also has). The number of constraints is quadratic in the chains of a
 * key. */
#include "base/buckets.h"
#include "checkers/polygraph/polygraph.h"

static void know(iso_pg *p, uint32_t from, uint32_t to, bool rw) {
    ISO_GROW(p->pool, p->known, p->n_known, p->known_room);
    p->known[p->n_known++] = (iso_pg_edge){from, to, rw};
}

void iso_pg_know(iso_pg *p, uint32_t first, uint32_t end) {
    for (uint32_t e = first; e < end; e++) {
        know(p, p->edges[e].from, p->edges[e].to, p->edges[e].rw);
    }
}

/* Numbers the vertices, and adds the session order. */
static void number_vertices(iso_pg *p) {
    const isolab_history *h = p->h;
    p->txn = ISO_NEW(p->pool, uint32_t, (size_t)h->n_txns + 1);
    p->txn[0] = ISO_INIT;
    p->n = 1;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t last = 0;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            if (h->txn_counts[t] == ISO_INCLUDED) {
                know(p, last, p->n, false);
                last = p->n;
                p->txn[p->n++] = t;
            }
        }
    }
    p->points = p->si ? 2 * p->n : p->n;
}

/* Lists the writers of each key. Returns, for each operation, the entry whose last write it is. */
static uint32_t *list_entries(iso_pg *p) {
    const isolab_history *h = p->h;
    uint32_t *op_entry = ISO_NEW_NONE(p->pool, h->n_ops), *last = ISO_NEW(p->pool, uint32_t, h->n_keys);
    iso_buckets rows = iso_buckets_new(p->pool, h->n_keys);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        iso_buckets_count(&rows, k);
    }
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t k = 0; k < h->n_keys && turn == 1; k++) {
            p->entry_vertex[iso_buckets_place(&rows, k)] = 0;
        }
        iso_fill_none(last, h->n_keys);
        for (uint32_t v = 1; v < p->n; v++) {
            for (uint32_t t = p->txn[v], o = h->txn_op[t + 1]; o-- > h->txn_op[t];) {
                iso_tick(p->env);
                uint32_t k = h->op_key[o];
                if (iso_is_write(h->op_kind[o]) && last[k] != v) {
                    last[k] = v;
                    if (turn == 0) {
                        iso_buckets_count(&rows, k);
                    } else {
                        op_entry[o] = iso_buckets_place(&rows, k);
                        p->entry_vertex[op_entry[o]] = v;
                    }
                }
            }
        }
        if (turn == 0) {
            p->n_entries = iso_buckets_sum(&rows);
            p->entry_vertex = ISO_NEW(p->pool, uint32_t, p->n_entries);
        }
    }
    p->entry_first = rows.first;
    iso_free(p->pool, last);
    return op_entry;
}

/* The entry from which operation o read, if it is the first such read of its transaction; else ISO_NONE. */
typedef struct sources {
    uint32_t *from;   /* by operation */
    uint32_t *latest; /* by key: the last such read that was met */
} sources;

static uint32_t source_of(iso_pg *p, const uint32_t *op_entry, sources *s, uint32_t o) {
    const isolab_history *h = p->h;
    uint32_t w = h->op_writer[o], k = h->op_key[o], t = h->op_txn[o];
    if (h->op_kind[o] != ISO_READ || (w != ISO_INIT && h->op_txn[w] == t)) {
        return ISO_NONE;
    }
    uint32_t entry = w == ISO_INIT ? p->entry_first[k] : op_entry[w], before = s->latest[k];
    if (before != ISO_NONE && h->op_txn[before] == t) {
        p->torn |= s->from[before] != entry;
        return ISO_NONE;
    }
    s->latest[k] = o;
    return entry;
}

/* Adds the write-read edges, and lists the readers of each entry. */
static void list_reads(iso_pg *p, const uint32_t *op_entry) {
    const isolab_history *h = p->h;
    sources s = {ISO_NEW_NONE(p->pool, h->n_ops), ISO_NEW_NONE(p->pool, h->n_keys)};
    iso_buckets rows = iso_buckets_new(p->pool, p->n_entries);
    for (uint32_t v = 1; v < p->n; v++) {
        for (uint32_t o = h->txn_op[p->txn[v]]; o < h->txn_op[p->txn[v] + 1]; o++) {
            iso_tick(p->env);
            s.from[o] = source_of(p, op_entry, &s, o);
            if (s.from[o] != ISO_NONE) {
                know(p, p->entry_vertex[s.from[o]], v, false);
                iso_buckets_count(&rows, s.from[o]);
            }
        }
    }
    p->readers = ISO_NEW(p->pool, uint32_t, iso_buckets_sum(&rows));
    for (uint32_t v = 1; v < p->n; v++) {
        for (uint32_t o = h->txn_op[p->txn[v]]; o < h->txn_op[p->txn[v] + 1]; o++) {
            if (s.from[o] != ISO_NONE) {
                p->readers[iso_buckets_place(&rows, s.from[o])] = v;
            }
        }
    }
    p->reader_first = rows.first;
    iso_free(p->pool, s.from);
    iso_free(p->pool, s.latest);
}

/* Joins the entries of each key to chains: a reader of an entry that is a writer of the key follows it. */
static void join_chains(iso_pg *p) {
    p->next = ISO_NEW_NONE(p->pool, p->n_entries);
    p->follows = ISO_ZNEW(p->pool, uint8_t, p->n_entries);
    uint32_t *own = ISO_NEW_NONE(p->pool, p->n); /* by vertex: its entry of this key */
    for (uint32_t k = 0; k < p->h->n_keys && p->chains; k++) {
        for (uint32_t e = p->entry_first[k]; e < p->entry_first[k + 1]; e++) {
            own[p->entry_vertex[e]] = e;
        }
        for (uint32_t e = p->entry_first[k]; e < p->entry_first[k + 1]; e++) {
            for (uint32_t i = p->reader_first[e]; i < p->reader_first[e + 1]; i++) {
                uint32_t n = own[p->readers[i]];
                if (n != ISO_NONE && n >= p->entry_first[k]) {
                    p->torn |= p->next[e] != ISO_NONE;
                    p->next[e] = n;
                    p->follows[n] = 1;
                }
            }
        }
    }
    iso_free(p->pool, own);
}

/* Adds the edges of: entry `last` is followed by entry `first`. */
static void add_side(iso_pg *p, uint32_t last, uint32_t first) {
    uint32_t to = p->entry_vertex[first], before = p->n_edges;
    for (uint32_t i = p->reader_first[last]; i < p->reader_first[last + 1] && p->like != PG_TCC_MONO; i++) {
        if (p->readers[i] != to) {
            ISO_GROW(p->pool, p->edges, p->n_edges, p->edges_room);
            p->edges[p->n_edges++] = (iso_pg_edge){p->readers[i], to, true};
        }
    }
    if (p->like != PG_COBRA || p->n_edges == before) { /* ser: a path through the readers says the same */
        ISO_GROW(p->pool, p->edges, p->n_edges, p->edges_room);
        p->edges[p->n_edges++] = (iso_pg_edge){p->entry_vertex[last], to, false};
    }
}

/* Makes the constraints of a key from its chains, given by their first and last entries. That of the initial
 * transaction is before the others. */
static void constrain(iso_pg *p, const uint32_t *first, const uint32_t *last, uint32_t n) {
    for (uint32_t j = 1; j < n; j++) {
        for (uint32_t i = 0; i < j; i++) {
            iso_tick(p->env);
            iso_pg_constraint c = {.first = p->n_edges, .a = last[i], .b = last[j], .side = PG_UNDECIDED};
            add_side(p, last[i], first[j]);
            c.middle = c.end = p->n_edges;
            if (i == 0) {
                iso_pg_know(p, c.first, c.end);
                c.side = PG_FORWARD;
            } else {
                add_side(p, last[j], first[i]);
                c.end = p->n_edges;
                p->n_undecided++;
            }
            ISO_GROW(p->pool, p->constraints, p->n_constraints, p->constraints_room);
            p->constraints[p->n_constraints++] = c;
        }
    }
}

/* Follows the chains, and adds the anti-dependencies inside them. A chain without a first entry is a cycle of
 * write-read edges, which are known. */
static void add_constraints(iso_pg *p) {
    uint32_t *first = ISO_NEW(p->pool, uint32_t, p->n_entries), *last = ISO_NEW(p->pool, uint32_t, p->n_entries);
    for (uint32_t k = 0; k < p->h->n_keys; k++) {
        uint32_t n = 0;
        for (uint32_t e = p->entry_first[k]; e < p->entry_first[k + 1]; e++) {
            if (p->follows[e] != 0) {
                continue;
            }
            uint32_t at = e;
            for (; p->next[at] != ISO_NONE; at = p->next[at]) {
                uint32_t to = p->entry_vertex[p->next[at]];
                for (uint32_t i = p->reader_first[at]; i < p->reader_first[at + 1]; i++) {
                    if (p->readers[i] != to) {
                        know(p, p->readers[i], to, true);
                    }
                }
            }
            first[n] = e;
            last[n++] = at;
        }
        constrain(p, first, last, n);
    }
    iso_free(p->pool, first);
    iso_free(p->pool, last);
}

void iso_pg_construct(iso_pg *p) {
    number_vertices(p);
    uint32_t *op_entry = list_entries(p);
    list_reads(p, op_entry);
    iso_free(p->pool, op_entry);
    join_chains(p);
    if (!p->torn) { /* a chain has no branches */
        add_constraints(p);
    }
    iso_result_counter(p->result, "transactions", p->n - 1);
    iso_result_counter(p->result, "known edges", p->n_known);
    iso_result_counter(p->result, "constraints", p->n_undecided);
}
