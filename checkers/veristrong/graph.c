/* The hyper-polygraph of a history (veristrong.txt, definition 3.1, algorithm 4). See veristrong.h.
 *
 * O(operations + candidates), and one byte for each pair of writers of a key. Two differences from the paper do not
 * change the result: reads of the initial transaction get their anti-dependencies at once, since it comes first in
 * every version order; and a transaction has a constraint for each value of a key that it read, so that non-repeatable
 * reads need no rule of their own. */
#include <string.h>

#include "checkers/anomaly.h"
#include "checkers/veristrong/veristrong.h"

static void number_vertices(vs *s) {
    const isolab_history *h = s->h;
    s->vertex = ISO_NEW(s->pool, uint32_t, h->n_txns);
    s->txn = ISO_NEW(s->pool, uint32_t, h->n_txns);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        s->vertex[t] = h->txn_counts[t] == ISO_EXCLUDED ? ISO_NONE : s->n;
        if (s->vertex[t] != ISO_NONE) {
            s->any_open |= h->txn_counts[t] == ISO_OPTIONAL;
            s->txn[s->n++] = t;
        }
    }
    if (s->n >= UINT32_MAX / 4) {
        iso_throw(s->env, ISOLAB_E_LIMIT, "veristrong takes at most %u transactions", UINT32_MAX / 4);
    }
    s->points = s->si ? 2 * s->n : s->n;
}

/* Lists the entries by key. Returns, for each operation, the entry whose last write it is. */
static uint32_t *list_entries(vs *s) {
    const isolab_history *h = s->h;
    uint32_t *op_entry = ISO_NEW_NONE(s->pool, h->n_ops);
    uint32_t *last = ISO_NEW(s->pool, uint32_t, h->n_keys); /* by key: the last vertex that was met */
    iso_buckets rows = iso_buckets_new(s->pool, h->n_keys);
    s->entry_first = rows.first;
    for (int turn = 0; turn < 2; turn++) {
        iso_fill_none(last, h->n_keys);
        for (uint32_t v = 0; v < s->n; v++) {
            uint32_t t = s->txn[v];
            for (uint32_t o = h->txn_op[t + 1]; o-- > h->txn_op[t];) {
                uint32_t k = h->op_key[o];
                if (!iso_is_write(h->op_kind[o]) || last[k] == v) {
                    continue;
                }
                last[k] = v;
                if (turn == 0) {
                    iso_buckets_count(&rows, k);
                } else {
                    uint32_t e = iso_buckets_place(&rows, k);
                    s->entry_vertex[e] = v;
                    s->entry_key[e] = k;
                    op_entry[o] = e;
                }
            }
        }
        if (turn == 0) {
            s->n_entries = iso_buckets_sum(&rows);
            s->entry_vertex = ISO_NEW(s->pool, uint32_t, s->n_entries);
            s->entry_key = ISO_NEW(s->pool, uint32_t, s->n_entries);
        }
    }
    iso_free(s->pool, last);
    return op_entry;
}

static void add_candidate(vs *s, uint32_t op, uint32_t writer) {
    ISO_GROW(s->pool, s->candidates, s->n_candidates, s->candidates_room);
    s->candidates[s->n_candidates++] =
        (iso_vs_candidate){.read = s->n_reads, .op = op, .writer = writer, .var = ISO_NONE};
}

static void add_read(vs *s, uint32_t v, uint32_t op, const uint32_t *op_entry) {
    const isolab_history *h = s->h;
    ISO_GROW(s->pool, s->reads, s->n_reads, s->reads_room);
    iso_vs_read *r = &s->reads[s->n_reads];
    *r = (iso_vs_read){.vertex = v, .key = h->op_key[op], .op = op, .first = s->n_candidates};
    uint32_t n;
    const uint32_t *writers = iso_writers(h, h->op_version[op], &n);
    if (iso_version_is_initial(h, h->op_version[op])) {
        add_candidate(s, ISO_INIT, VS_INIT);
    }
    for (uint32_t i = 0; i < n; i++) {
        iso_tick(s->env);
        /* by INT, only the last write of another included or optional transaction can be read */
        if (op_entry[writers[i]] != ISO_NONE && s->entry_vertex[op_entry[writers[i]]] != v) {
            add_candidate(s, writers[i], op_entry[writers[i]]);
        }
    }
    r->end = s->n_candidates;
    r->left = r->end - r->first;
    s->n_reads++;
}

static void list_reads(vs *s, const uint32_t *op_entry) {
    const isolab_history *h = s->h;
    s->op_read = ISO_NEW_NONE(s->pool, h->n_ops);
    uint32_t *wrote = ISO_NEW_NONE(s->pool, h->n_keys);    /* by key: the last write that was met */
    uint32_t *seen = ISO_NEW_NONE(s->pool, h->n_versions); /* by version: the last read that was met */
    for (uint32_t v = 0; v < s->n; v++) {
        uint32_t t = s->txn[v];
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            iso_tick(s->env);
            uint32_t key = h->op_key[o], version = h->op_version[o];
            if (iso_is_write(h->op_kind[o])) {
                wrote[key] = o;
            } else if (wrote[key] == ISO_NONE || h->op_txn[wrote[key]] != t) {
                if (seen[version] == ISO_NONE || s->reads[seen[version]].vertex != v) {
                    seen[version] = s->n_reads;
                    add_read(s, v, o, op_entry);
                }
                s->op_read[o] = seen[version];
            } else if (h->op_version[wrote[key]] != version) {
                /* An offence. INT was tested before, so the transaction is optional. A read without candidates excludes
                 * it. */
                ISO_GROW(s->pool, s->reads, s->n_reads, s->reads_room);
                s->reads[s->n_reads++] =
                    (iso_vs_read){.vertex = v, .key = key, .op = o, .first = s->n_candidates, .end = s->n_candidates};
            }
        }
    }
    iso_free(s->pool, wrote);
    iso_free(s->pool, seen);
}

/* Lists the candidates by the entry that they read from. */
static void index_candidates(vs *s) {
    iso_buckets rows = iso_buckets_new(s->pool, s->n_entries);
    s->of_entry_first = rows.first;
    s->of_entry = ISO_NEW(s->pool, uint32_t, s->n_candidates);
    s->of_init = ISO_NEW(s->pool, uint32_t, s->n_reads);
    for (uint32_t c = 0; c < s->n_candidates; c++) {
        if (s->candidates[c].writer != VS_INIT) {
            iso_buckets_count(&rows, s->candidates[c].writer);
        } else {
            s->of_init[s->n_of_init++] = c;
        }
    }
    iso_buckets_sum(&rows);
    for (uint32_t c = 0; c < s->n_candidates; c++) {
        if (s->candidates[c].writer != VS_INIT) {
            s->of_entry[iso_buckets_place(&rows, s->candidates[c].writer)] = c;
        }
    }
}

static void list_pairs(vs *s) {
    const isolab_history *h = s->h;
    s->pair_first = ISO_NEW(s->pool, uint64_t, (size_t)h->n_keys + 1);
    for (uint32_t k = 0; k <= h->n_keys; k++) {
        s->pair_first[k] = s->n_pairs;
        if (k < h->n_keys) {
            uint64_t n = s->entry_first[k + 1] - s->entry_first[k];
            s->n_pairs += n * (n - (n > 0)) / 2;
        }
    }
    s->n_open = s->n_pairs;
    s->pair = ISO_ZNEW(s->pool, uint8_t, s->n_pairs);
}

/* Line 2 of algorithm 4. An optional transaction has no certain order except that it may come last. */
static void add_sessions(vs *s) {
    uint32_t last = ISO_NONE;
    for (uint32_t v = 0; v < s->n && s->sessions; v++) {
        if (s->part[v] != ISO_NONE) {
            continue;
        }
        if (last != ISO_NONE && s->h->txn_session[s->txn[last]] == s->h->txn_session[s->txn[v]]) {
            iso_vs_add_fact(s, (iso_vs_fact){.from = last, .to = v, .kind = VS_SO});
        }
        last = v;
    }
}

typedef struct report {
    iso_result *result;
} report;

static void offends(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    const report *r = arg;
    iso_result_anomaly(r->result,
                       (iso_anomaly){.kind = (uint8_t)iso_anomaly_of_int(kind), .op = read_op, .other_op = other_op});
}

bool iso_vs_construct(vs *s) {
    const isolab_history *h = s->h;
    if (iso_check_int(h, s->pool, offends, &(report){s->result}) > 0) {
        return false;
    }
    number_vertices(s);
    uint32_t *op_entry = list_entries(s);
    list_reads(s, op_entry);
    iso_free(s->pool, op_entry);
    index_candidates(s);
    list_pairs(s);
    s->part = ISO_NEW(s->pool, uint32_t, s->n);
    for (uint32_t v = 0; v < s->n; v++) { /* variable numbers are set later */
        s->part[v] = h->txn_counts[s->txn[v]] == ISO_INCLUDED ? ISO_NONE : 0;
    }
    add_sessions(s);
    for (uint32_t r = 0; r < s->n_reads; r++) { /* lines 4 and 5 */
        if (s->reads[r].left == 1 && s->part[s->reads[r].vertex] == ISO_NONE) {
            iso_vs_know_candidate(s, s->reads[r].first);
        }
    }
    return true;
}
