/* Every instance of each of Plume's 14 patterns by its formula (plume.txt, table 1), and the literal axiom of rc
 * (awdit.txt, definition 2.4), without optimisation: all triples of transactions, closures by bit matrix.
 *
 * docs/levels.md defines an instance, and how the ambiguous parts of the table are read. In short: reads that offend
 * against INT count under (a) to (f) and for no other pattern except (j). A triple t1, t2, t3 with its key is one
 * instance. It counts under every pattern that it matches, and is reported under the most special ones.
 *
 * O(n^3 / 64) for the closures, O(reads * writers of a key * reads of a transaction) for the instances. */
#include "checkers/naive/naive.h"

/* One anomaly is enough unless all are asked for. */
static bool enough(const iso_naive *v) { return v->result->verdict == ISOLAB_VIOLATED && !v->question->all; }

/* Counts an instance. Returns whether it should be kept. */
static bool keep(iso_naive *v, iso_anomaly_kind kind) {
    if (iso_result_has_room(v->result, v->question->limit)) {
        return true;
    }
    v->result->seen[kind]++;
    return false;
}

static void report_read(iso_naive *v, int tap, uint32_t op, uint32_t other) {
    if ((v->patterns & ISO_TAP_BIT(tap)) != 0 && !enough(v) && keep(v, (iso_anomaly_kind)tap)) {
        iso_result_anomaly(v->result, (iso_anomaly){.kind = (uint8_t)tap, .op = op, .other_op = other});
    }
}

static void find_nodes(iso_naive *v) {
    const isolab_history *h = v->h;
    v->txn = ISO_NEW(v->pool, uint32_t, (size_t)h->n_txns + 1);
    v->node = ISO_NEW(v->pool, uint32_t, h->n_txns);
    v->txn[0] = ISO_INIT;
    v->n = 1;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        v->node[t] = h->txn_counts[t] == ISO_INCLUDED ? v->n : ISO_NONE;
        if (h->txn_counts[t] == ISO_INCLUDED) {
            v->txn[v->n++] = t;
        }
    }
    v->words = (size_t)v->n / 64 + 1;
    v->parent = ISO_NEW(v->pool, uint32_t, v->n);
    v->queue = ISO_NEW(v->pool, uint32_t, (size_t)v->n + 1);
}

/* Lists the nodes that write each key: a counting sort that drops repeated writes. */
static void find_writers(iso_naive *v) {
    const isolab_history *h = v->h;
    uint32_t *last = ISO_ZNEW(v->pool, uint32_t, h->n_keys);
    iso_buckets rows = iso_buckets_new(v->pool, h->n_keys);
    v->writer_of = rows.first;
    v->writers = ISO_NEW(v->pool, uint32_t, h->n_ops);
    for (int round = 0; round < 2; round++) { /* count, then place */
        for (uint32_t k = 0; k < h->n_keys; k++) {
            last[k] = 0;
        }
        for (uint32_t t = 1; t < v->n; t++) {
            for (uint32_t o = h->txn_op[v->txn[t]]; o < h->txn_op[v->txn[t] + 1]; o++) {
                uint32_t k = h->op_key[o];
                if (iso_is_write(h->op_kind[o]) && last[k] != t) {
                    last[k] = t;
                    if (round == 0) {
                        iso_buckets_count(&rows, k);
                    } else {
                        v->writers[iso_buckets_place(&rows, k)] = t;
                    }
                }
            }
        }
        if (round == 0) {
            iso_buckets_sum(&rows);
        }
    }
    iso_free(v->pool, last);
}

/* (a) to (f): how a read offends; ISO_TAPS: it does not. own: the latest own write of the key before it. final: by
 * operation, the last write of its transaction and key. */
static int judge(const iso_naive *v, uint32_t op, uint32_t own, const uint32_t *final, uint32_t *other) {
    const isolab_history *h = v->h;
    uint32_t w = h->op_writer[op];
    *other = w;
    if (w == ISO_NONE) {
        return ISO_TAP_A;
    }
    if (w != ISO_INIT && h->op_txn[w] == h->op_txn[op]) {
        *other = w > op ? w : own;
        return w > op ? ISO_TAP_C : w != own ? ISO_TAP_E : ISO_TAPS;
    }
    if (w != ISO_INIT && v->node[h->op_txn[w]] == ISO_NONE) {
        return ISO_TAP_B;
    }
    if (own != ISO_NONE) {
        *other = own;
        return ISO_TAP_D;
    }
    if (w != ISO_INIT && final[w] != w) {
        *other = final[w];
        return ISO_TAP_F;
    }
    return ISO_TAPS;
}

/* Visits all reads: counts the reads that offend, and collects the others that read from other transactions. */
static void find_reads(iso_naive *v) {
    const isolab_history *h = v->h;
    uint32_t *own = ISO_ZNEW(v->pool, uint32_t, h->n_keys); /* plus 1; a write of an earlier transaction means none */
    uint32_t *final = ISO_NEW(v->pool, uint32_t, h->n_ops);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t o = h->txn_op[t + 1]; o-- > h->txn_op[t];) {
            uint32_t k = h->op_key[o];
            if (iso_is_write(h->op_kind[o])) {
                own[k] = own[k] > h->txn_op[t] ? own[k] : o + 1;
                final[o] = own[k] - 1;
            }
        }
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        own[k] = 0;
    }
    v->read_of = ISO_NEW(v->pool, uint32_t, (size_t)v->n + 1);
    v->reads = ISO_NEW(v->pool, iso_naive_read, h->n_ops);
    uint32_t n = 0;
    v->read_of[0] = v->read_of[1] = 0;
    for (uint32_t t = 1; t < v->n; t++) {
        uint32_t first = h->txn_op[v->txn[t]];
        for (uint32_t o = first; o < h->txn_op[v->txn[t] + 1]; o++) {
            uint32_t k = h->op_key[o], other;
            iso_tick(v->pool->env);
            if (iso_is_write(h->op_kind[o])) {
                own[k] = o + 1;
                continue;
            }
            int tap = judge(v, o, own[k] > first ? own[k] - 1 : ISO_NONE, final, &other);
            if (tap != ISO_TAPS) {
                report_read(v, tap, o, other);
            } else if (h->op_writer[o] == ISO_INIT || h->op_txn[h->op_writer[o]] != v->txn[t]) {
                uint32_t from = h->op_writer[o] == ISO_INIT ? 0 : v->node[h->op_txn[h->op_writer[o]]];
                v->reads[n++] = (iso_naive_read){.op = o, .key = k, .from = from};
            }
        }
        v->read_of[t + 1] = n;
    }
    iso_free(v->pool, own);
    iso_free(v->pool, final);
}

/* Returns the transaction that op reads from if it is another included transaction; else ISO_NONE. */
static uint32_t other_writer(const iso_naive *v, uint32_t op) {
    const isolab_history *h = v->h;
    uint32_t w = h->op_writer[op];
    if (iso_is_write(h->op_kind[op]) || w == ISO_NONE) {
        return ISO_NONE;
    }
    if (w == ISO_INIT) {
        return 0;
    }
    return h->op_txn[w] == h->op_txn[op] ? ISO_NONE : v->node[h->op_txn[w]];
}

/* (j): each pair of other transactions from which a transaction reads a key, once. Offending reads also count. */
static void find_non_repeatable_reads(iso_naive *v) {
    const isolab_history *h = v->h;
    for (uint32_t t = 1; t < v->n; t++) {
        uint32_t first = h->txn_op[v->txn[t]], end = h->txn_op[v->txn[t] + 1];
        for (uint32_t r2 = first; r2 < end; r2++) {
            uint32_t t2 = other_writer(v, r2);
            for (uint32_t r1 = first; t2 != ISO_NONE && r1 < r2; r1++) {
                uint32_t t1 = other_writer(v, r1);
                iso_tick(v->pool->env);
                if (t1 == ISO_NONE || t1 == t2 || h->op_key[r1] != h->op_key[r2]) {
                    continue;
                }
                bool again = false; /* the same two writers as before: only the first reads of each pair are reported */
                for (uint32_t r = first; r < r2; r++) {
                    iso_tick(v->pool->env);
                    again |= h->op_key[r] == h->op_key[r2] &&
                             ((r < r1 && other_writer(v, r) == t1) || other_writer(v, r) == t2);
                }
                if (!again) {
                    report_read(v, ISO_TAP_J, r2, r1);
                }
            }
        }
    }
}

/* (g): each strongly connected component of so|wr, reported by its first node. */
static void find_cycles(iso_naive *v) {
    for (uint32_t t = 1; t < v->n && !enough(v); t++) {
        bool first = iso_naive_has(v, v->co, t, t);
        for (uint32_t u = 1; first && u < t; u++) {
            iso_tick(v->pool->env);
            first = !iso_naive_has(v, v->co, t, u) || !iso_naive_has(v, v->co, u, t);
        }
        if (first && keep(v, ISO_A_CYCLIC_CO)) {
            iso_naive_report_cycle(v, t);
        }
    }
}

static void find_facts(iso_naive *v) {
    v->facts = ISO_NEW(v->pool, iso_naive_fact, v->read_of[v->n]);
    for (uint32_t t = 1; t < v->n; t++) {
        uint32_t first = v->n_facts;
        for (uint32_t r = v->read_of[t]; r < v->read_of[t + 1]; r++) {
            const iso_naive_read *read = &v->reads[r];
            uint32_t f = first;
            while (f < v->n_facts && (v->facts[f].t1 != read->from || v->facts[f].key != read->key)) {
                iso_tick(v->pool->env);
                f++;
            }
            v->n_facts += f == v->n_facts;
            v->facts[f] = (iso_naive_fact){.t1 = read->from, .t3 = t, .key = read->key, .op = read->op};
        }
    }
}

/* Returns whether t3 also reads the fact's key from t2. Then the triple is a case of (j). */
static bool repeats(const iso_naive *v, uint32_t t2, const iso_naive_fact *fact) {
    for (uint32_t r = v->read_of[fact->t3]; r < v->read_of[fact->t3 + 1]; r++) {
        iso_tick(v->pool->env);
        if (v->reads[r].from == t2 && v->reads[r].key == fact->key) {
            return true;
        }
    }
    return false;
}

/* Returns the requested patterns that a triple matches. */
static uint32_t match(const iso_naive *v, uint32_t t2, const iso_naive_fact *fact) {
    static const struct {
        uint8_t co, cm;
        iso_sees by;
    } pairs[3] = {{ISO_TAP_H, ISO_TAP_I, ISO_SEES_MONO},
                  {ISO_TAP_K, ISO_TAP_L, ISO_SEES_ATOMIC},
                  {ISO_TAP_M, ISO_TAP_N, ISO_SEES_CAUSAL}};
    uint32_t all = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t asked = v->patterns & (ISO_TAP_BIT(pairs[i].co) | ISO_TAP_BIT(pairs[i].cm));
        if (asked == 0 || !iso_naive_sees(v, pairs[i].by, t2, fact)) {
            continue;
        }
        if (iso_naive_has(v, v->co, fact->t1, t2)) {
            all |= ISO_TAP_BIT(pairs[i].co);
        }
        if (v->cm[i].closure != NULL && iso_naive_has(v, v->cm[i].closure, fact->t1, t2)) {
            all |= ISO_TAP_BIT(pairs[i].cm);
        }
        all &= v->patterns;
    }
    return all;
}

/* Returns the matched patterns of which no requested special case is matched. */
static uint32_t most_special(const iso_naive *v, uint32_t matched, uint32_t t2, const iso_naive_fact *fact) {
    uint32_t left = 0;
    for (int tap = ISO_TAP_H; tap < ISO_TAPS; tap++) {
        left |= (matched & ISO_TAP_BIT(tap)) != 0 && (matched & iso_taps_special[tap]) == 0 ? ISO_TAP_BIT(tap) : 0;
    }
    bool in_j = (v->patterns & ISO_TAP_BIT(ISO_TAP_J)) != 0 &&
                (left & (ISO_TAP_BIT(ISO_TAP_M) | ISO_TAP_BIT(ISO_TAP_N))) != 0 && repeats(v, t2, fact);
    return in_j ? left & ~(ISO_TAP_BIT(ISO_TAP_M) | ISO_TAP_BIT(ISO_TAP_N)) : left;
}

/* (h), (i), (k) to (n): every t1 -wr_x-> t3 with every other writer t2 of x. */
static void find_triples(iso_naive *v) {
    static const iso_sees sees[ISO_TAPS] = {
        [ISO_TAP_H] = ISO_SEES_MONO,   [ISO_TAP_I] = ISO_SEES_MONO,   [ISO_TAP_K] = ISO_SEES_ATOMIC,
        [ISO_TAP_L] = ISO_SEES_ATOMIC, [ISO_TAP_M] = ISO_SEES_CAUSAL, [ISO_TAP_N] = ISO_SEES_CAUSAL,
    };
    for (uint32_t f = 0; f < v->n_facts; f++) {
        const iso_naive_fact *fact = &v->facts[f];
        for (uint32_t w = v->writer_of[fact->key]; w < v->writer_of[fact->key + 1] && !enough(v); w++) {
            uint32_t t2 = v->writers[w];
            iso_tick(v->pool->env);
            if (t2 == fact->t1 || t2 == fact->t3) {
                continue;
            }
            uint32_t matched = match(v, t2, fact), told = most_special(v, matched, t2, fact);
            for (int tap = ISO_TAP_H; tap < ISO_TAPS; tap++) {
                if ((matched & ISO_TAP_BIT(tap)) == 0) {
                    continue;
                }
                if ((told & ISO_TAP_BIT(tap)) == 0 || enough(v)) {
                    v->result->seen[tap]++;
                    continue;
                }
                if (!keep(v, (iso_anomaly_kind)tap)) {
                    continue;
                }
                const iso_naive_cm *cm = tap == ISO_TAP_I   ? &v->cm[0]
                                         : tap == ISO_TAP_L ? &v->cm[1]
                                         : tap == ISO_TAP_N ? &v->cm[2]
                                                            : NULL;
                iso_naive_report(v, (iso_anomaly_kind)tap, cm, t2, fact, sees[tap]);
            }
        }
    }
}

static void run_naive(const iso_checker *self, const isolab_history *h, const iso_question *question,
                      iso_result *result) {
    (void)self;
    uint32_t patterns = question->patterns == 0 ? iso_taps_of(question->level) : question->patterns;
    iso_naive naive = {.pool = result->pool,
                       .h = h,
                       .question = question,
                       .result = result,
                       .patterns = patterns,
                       .any_key = question->level == ISO_RC};
    iso_naive *v = &naive;
    find_nodes(v);
    find_reads(v);
    if ((patterns & ISO_TAP_BIT(ISO_TAP_J)) != 0) {
        find_non_repeatable_reads(v);
    }
    if ((patterns & ~(ISO_TAPS_UP_TO(ISO_TAP_F) | ISO_TAP_BIT(ISO_TAP_J))) != 0 && !enough(v)) {
        iso_naive_relate(v);
        find_writers(v);
        find_facts(v);
        if ((patterns & ISO_TAP_BIT(ISO_TAP_G)) != 0) {
            find_cycles(v);
        }
        static const int taps[3] = {ISO_TAP_I, ISO_TAP_L, ISO_TAP_N};
        static const iso_sees by[3] = {ISO_SEES_MONO, ISO_SEES_DIRECT, ISO_SEES_CAUSAL};
        for (int i = 0; i < 3 && !enough(v); i++) {
            if ((patterns & ISO_TAP_BIT(taps[i])) != 0) {
                iso_naive_commit(v, &v->cm[i], by[i]);
            }
        }
        find_triples(v);
        if (result->verdict != ISOLAB_VIOLATED && question->patterns == 0) {
            const uint64_t *cm = v->cm[question->level == ISO_CC ? 2 : question->level == ISO_RA ? 1 : 0].closure;
            iso_naive_give_order(v, question->level == ISO_G1 ? v->co : cm);
        }
        iso_naive_free(v);
    }
    iso_result_conclude(result);
}

const iso_checker iso_checker_naive = {
    .name = "naive",
    .summary = "every instance of Plume's patterns by its formula, closures by bit matrix",
    .complexity = "O(n^3)",
    .paper = "plume.txt, tables 1 and 2; awdit.txt, definition 2.4",
    .levels = ISO_WEAK_LEVELS,
    .can = ISO_CAN_ALL | ISO_CAN_PATTERNS | ISO_CAN_EVERY,
    .most_txns = 5000,
    .run = run_naive,
};
