/* The reads of a history, the writes that each may have read from, and INT by its definition (docs/levels.md, awdit.txt
 * definition 2.3). Quadratic in the size of a transaction, since it compares every pair of operations. */
#include "checkers/brute/brute.h"

/* Returns another write of the read's key in the same transaction, strictly between two operations; ISO_NONE: none. It
 * is the last such write, so that a report names the value that should have been read. */
static uint32_t write_between(const isolab_history *h, uint32_t key, uint32_t after, uint32_t before) {
    for (uint32_t o = before; o-- > after + 1;) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == key) {
            return o;
        }
    }
    return ISO_NONE;
}

/* Returns the latest own write before the read; ISO_NONE: none. */
static uint32_t own_before(const isolab_history *h, uint32_t read) {
    uint32_t first = h->txn_op[h->op_txn[read]];
    for (uint32_t o = read; o-- > first;) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[read]) {
            return o;
        }
    }
    return ISO_NONE;
}

/* Returns the first clause of INT against which `w wr r` offends; ISO_A_KINDS: none. *other is the write that shows the
 * offence. */
static iso_anomaly_kind offence(const isolab_history *h, uint32_t w, uint32_t r, uint32_t *other) {
    uint32_t key = h->op_key[r], own = own_before(h, r);
    *other = w;
    if (w == ISO_NONE) { /* (a) */
        return ISO_A_THIN_AIR;
    }
    bool mine = w != ISO_INIT && h->op_txn[w] == h->op_txn[r];
    if (w != ISO_INIT && !mine && h->txn_counts[h->op_txn[w]] == ISO_EXCLUDED) { /* (b) */
        return ISO_A_ABORTED_READ;
    }
    if (mine && r < w) { /* (c): r po w */
        return ISO_A_FUTURE_READ;
    }
    if (!mine && own != ISO_NONE) { /* (d): the read is from another transaction, although w' po r for some own w' */
        *other = own;
        return ISO_A_NOT_MY_OWN_WRITE;
    }
    if (mine) { /* (e): w po w' and not r po w' */
        *other = write_between(h, key, w, r);
        return *other == ISO_NONE ? ISO_A_KINDS : ISO_A_NOT_MY_LAST_WRITE;
    }
    *other = w == ISO_INIT ? ISO_NONE : write_between(h, key, w, h->txn_op[h->op_txn[w] + 1]);
    return *other == ISO_NONE ? ISO_A_KINDS : ISO_A_INTERMEDIATE_READ;
}

static void report_read(iso_brute *b, iso_anomaly_kind kind, uint32_t read, uint32_t other) {
    iso_result *result = b->result;
    result->verdict = ISOLAB_VIOLATED;
    if (!iso_result_has_room(result, b->question->limit)) {
        result->seen[kind]++;
        return;
    }
    iso_result_anomaly(
        result,
        (iso_anomaly){.kind = (uint8_t)kind, .op = read, .other_op = kind == ISO_A_THIN_AIR ? ISO_NONE : other});
}

/* Adds the candidates of one read. */
static void find_candidates(iso_brute *b, iso_brute_read *read, uint32_t *n_candidates) {
    const isolab_history *h = b->h;
    bool any = !(b->rules & ISO_RULE_INT);
    uint32_t version = h->op_version[read->op];
    uint32_t n, one = ISO_NONE;
    const uint32_t *writers = iso_writers(h, version, &n);
    uint32_t initial = iso_version_is_initial(h, version);
    if (n + initial == 0) { /* no writer */
        writers = &one;
        n = 1;
    }
    iso_anomaly_kind mildest = ISO_A_THIN_AIR;
    uint32_t wrong = ISO_NONE;
    read->first = *n_candidates;
    for (uint32_t i = 0; i < n + initial; i++) {
        uint32_t w = i < initial ? ISO_INIT : writers[i - initial], other;
        iso_anomaly_kind kind = offence(h, w, read->op, &other);
        if (any || kind == ISO_A_KINDS) {
            uint8_t node = w == ISO_INIT ? 0 : w == ISO_NONE ? ISO_BRUTE_NODES : b->node[h->op_txn[w]];
            b->candidates[(*n_candidates)++] = (iso_brute_candidate){w, node};
        } else if (kind >= mildest) {
            mildest = kind;
            wrong = other;
        }
    }
    read->n = *n_candidates - read->first;
    if (read->n == 0 && h->txn_counts[b->txn[read->node]] == ISO_INCLUDED) {
        report_read(b, mildest, read->op, wrong);
    }
}

/* Adds the candidates of one list read: the transactions t1 that it may have read from, each by its append of the last
 * element of the external part. ci does not restrict them. */
static void find_list_candidates(iso_brute *b, iso_brute_read *read, uint32_t *n_candidates) {
    const isolab_history *h = b->h;
    uint32_t other = ISO_NONE;
    read->is_list = true;
    read->first = *n_candidates;
    iso_anomaly_kind kind = iso_brute_external_part(h, read, &other);
    if (!(b->rules & ISO_RULE_INT)) {
        b->candidates[(*n_candidates)++] = (iso_brute_candidate){ISO_NONE, ISO_BRUTE_NODES};
    } else if (kind != ISO_A_KINDS) {
        if (h->txn_counts[b->txn[read->node]] == ISO_INCLUDED) {
            report_read(b, kind, read->op, other);
        }
    } else if (read->n_external == 0) {
        b->candidates[(*n_candidates)++] = (iso_brute_candidate){ISO_INIT, 0};
    } else {
        uint32_t n;
        const uint32_t *writers = iso_writers(h, read->external[read->n_external - 1], &n);
        for (uint32_t i = 0; i < n; i++) {
            uint8_t node = b->node[h->op_txn[writers[i]]];
            if (node != read->node && node != ISO_BRUTE_NODES && iso_brute_is_last_append(h, writers[i], &other)) {
                b->candidates[(*n_candidates)++] = (iso_brute_candidate){writers[i], node};
            }
        }
    }
    read->n = *n_candidates - read->first;
}

static uint64_t most_candidates(const iso_brute *b, uint32_t *n_reads) {
    const isolab_history *h = b->h;
    uint64_t most = 0;
    *n_reads = 0;
    for (unsigned node = 1; node < b->n; node++) {
        for (uint32_t o = h->txn_op[b->txn[node]]; o < h->txn_op[b->txn[node] + 1]; o++) {
            if (!iso_is_write(h->op_kind[o])) {
                uint32_t l = h->op_version[o], n = 0;
                if (h->op_kind[o] == ISO_READ) {
                    iso_writers(h, l, &n);
                } else {
                    for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
                        uint32_t of_element;
                        iso_writers(h, h->list_version[e], &of_element);
                        n = of_element > n ? of_element : n;
                    }
                }
                most += n + 1;
                ++*n_reads;
            }
        }
    }
    return most;
}

void iso_brute_find_reads(iso_brute *b) {
    const isolab_history *h = b->h;
    b->candidates = ISO_NEW(b->pool, iso_brute_candidate, most_candidates(b, &b->n_reads));
    b->reads = ISO_NEW(b->pool, iso_brute_read, b->n_reads);
    b->facts = ISO_NEW(b->pool, iso_brute_fact, b->n_reads);
    uint32_t n_reads = 0, n_candidates = 0;
    b->read_of[0] = b->read_of[1] = 0;
    for (unsigned node = 1; node < b->n; node++) {
        for (uint32_t o = h->txn_op[b->txn[node]]; o < h->txn_op[b->txn[node] + 1]; o++) {
            iso_tick(b->pool->env);
            if (!iso_is_write(h->op_kind[o])) {
                iso_brute_read *read = &b->reads[n_reads++];
                *read = (iso_brute_read){.op = o, .key = h->op_key[o], .node = (uint8_t)node};
                (h->op_kind[o] == ISO_READ ? find_candidates : find_list_candidates)(b, read, &n_candidates);
            }
        }
        b->read_of[node + 1] = n_reads;
    }
}
