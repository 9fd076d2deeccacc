/* The definitions of docs/levels.md, applied literally: every other checker is compared with this one.
 *
 * INT is tested clause by clause (reads.c), the axioms on every commit order (order.c). With repeated values both are
 * tested for every choice of the write that each read read from. Such a choice also determines which indeterminate
 * transactions are included: the transactions that an included one reads from, directly or through others. List reads
 * follow docs/lists.md (lists.c). It takes at most ISO_BRUTE_TXNS transactions, and its only optimisation is to leave
 * an order as soon as it violates the axiom: O(n!) orders for each choice.
 *
 * --count: the number of commit orders that satisfy the level. With repeated values an order counts once if it
 * satisfies the level for some choice. */
#include "checkers/brute/brute.h"

#include <gmp.h>
#include <string.h>

#include "base/index.h"

/* The commit orders found so far. */
typedef struct order_tally {
    mp_limb_t count[2];
    iso_index index; /* only with repeated values: of the orders, four bits a node */
    uint64_t *order;
    uint32_t room;
} order_tally;

static void set_up(iso_brute *b) {
    const isolab_history *h = b->h;
    b->node = ISO_NEW(b->pool, uint8_t, h->n_txns);
    b->key_writers = ISO_NEW(b->pool, iso_nodes, h->n_keys);
    b->n = 1;
    b->txn[0] = ISO_INIT;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        b->node[t] = ISO_BRUTE_NODES;
        if (h->txn_counts[t] != ISO_EXCLUDED) {
            *(h->txn_counts[t] == ISO_INCLUDED ? &b->in : &b->optional) |= iso_node(b->n);
            b->node[t] = (uint8_t)b->n;
            b->txn[b->n++] = t;
        }
    }
    for (uint32_t k = 0; k < h->n_keys; k++) {
        b->key_writers[k] = iso_node(0);
    }
    for (unsigned t = 1; t < b->n; t++) {
        for (uint32_t o = h->txn_op[b->txn[t]]; o < h->txn_op[b->txn[t] + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                b->key_writers[h->op_key[o]] |= iso_node(t);
            }
        }
    }
    for (unsigned t = 1; t < b->n; t++) {
        b->so[t] = iso_node(0);
        b->rt[t] = b->rt_key[t] = b->rivals[t] = 0;
        for (unsigned u = 1; u < b->n; u++) {
            if (u < t && h->txn_session[b->txn[u]] == h->txn_session[b->txn[t]] && !b->question->no_session_order) {
                b->so[t] |= iso_node(u);
            }
            if (iso_before_in_time(h, b->txn[u], b->txn[t])) {
                b->rt[t] |= iso_node(u);
                bool meets = iso_common_key(h, b->txn[u], b->txn[t], b->pool) != ISO_NONE;
                b->rt_key[t] |= meets ? iso_node(u) : 0;
            }
        }
        for (uint32_t o = h->txn_op[b->txn[t]]; o < h->txn_op[b->txn[t] + 1]; o++) {
            if (iso_is_write(h->op_kind[o])) {
                b->rivals[t] |= b->key_writers[h->op_key[o]] & ~iso_node(t) & ~iso_node(0);
            }
        }
    }
}

static const iso_brute_candidate *picked(const iso_brute *b, const iso_brute_read *read) {
    return &b->candidates[read->first + read->pick];
}

static bool has(iso_nodes set, unsigned node) { return node < ISO_BRUTE_NODES && (set >> node & 1) != 0; }

/* Returns whether this candidate may be picked with these members. An excluded writer may be picked only for ci, which
 * does not require INT. */
static bool possible(const iso_brute *b, const iso_brute_read *read, uint32_t pick) {
    uint8_t node = b->candidates[read->first + pick].node;
    return node == ISO_BRUTE_NODES || has(b->members, node);
}

/* Returns the first possible pick of a read at or after `pick`; read->n if there is none. */
static uint32_t possible_from(const iso_brute *b, const iso_brute_read *read, uint32_t pick) {
    while (pick < read->n && !possible(b, read, pick)) {
        pick++;
    }
    return pick;
}

static bool first_choice(iso_brute *b) {
    for (uint32_t r = 0; r < b->n_reads; r++) {
        if (has(b->members, b->reads[r].node)) {
            b->reads[r].pick = possible_from(b, &b->reads[r], 0);
            if (b->reads[r].pick == b->reads[r].n) {
                return false;
            }
        }
    }
    return true;
}

/* Makes the next choice, like a counter whose first read changes fastest. Returns false after the last one. */
static bool next_choice(iso_brute *b) {
    for (uint32_t r = 0; r < b->n_reads; r++) {
        iso_brute_read *read = &b->reads[r];
        if (!has(b->members, read->node)) {
            continue;
        }
        read->pick = possible_from(b, read, read->pick + 1);
        if (read->pick < read->n) {
            return true;
        }
        read->pick = possible_from(b, read, 0);
    }
    return false;
}

/* Returns the transaction that a read reads from; for a list, all that may have written an element of it. */
static iso_nodes observed_by(const iso_brute *b, const iso_brute_read *read) {
    uint8_t writer = picked(b, read)->node;
    iso_nodes observed = writer < ISO_BRUTE_NODES ? iso_node(writer) : 0;
    for (uint32_t e = 0; read->is_list && e < read->n_external; e++) {
        uint32_t n;
        const uint32_t *writers = iso_writers(b->h, read->external[e], &n);
        for (uint32_t i = 0; i < n; i++) {
            uint8_t node = b->node[b->h->op_txn[writers[i]]];
            observed |= node < ISO_BRUTE_NODES ? iso_node(node) : 0;
        }
    }
    return observed;
}

/* Returns whether every member is committed, or an included transaction reads from it, directly or through others. */
static bool members_are_observed(const iso_brute *b) {
    if ((b->members & b->optional) == 0) {
        return true;
    }
    iso_nodes observed = b->in, last;
    do {
        last = observed;
        for (uint32_t r = 0; r < b->n_reads; r++) {
            if (has(observed, b->reads[r].node) && has(b->members, b->reads[r].node)) {
                observed |= observed_by(b, &b->reads[r]);
            }
        }
    } while (observed != last);
    return (b->members & ~observed & ~iso_node(0)) == 0;
}

/* Returns whether cut isolation is tested by itself: where t3 sees all that it reads from, the axiom implies it. */
static bool cuts(const iso_brute *b) { return (b->rules & ISO_RULE_CUT) != 0 && (b->rules & ISO_SEES_READ) == 0; }

/* plume.txt, definition 3: returns whether no transaction reads two values of one key from two other transactions. */
static bool cut_isolation_holds(const iso_brute *b, uint32_t *one, uint32_t *two) {
    const isolab_history *h = b->h;
    for (uint32_t i = 0; i < b->n_reads; i++) {
        iso_tick(b->pool->env);
        for (uint32_t j = i + 1; j < b->read_of[b->reads[i].node + 1]; j++) {
            const iso_brute_read *r1 = &b->reads[i], *r2 = &b->reads[j];
            if (!has(b->members, r1->node) || r1->key != r2->key) {
                continue;
            }
            if (r1->is_list) {
                if (iso_brute_lists_differ(h, r1, r2)) {
                    *one = r1->op;
                    *two = r2->op;
                    return false;
                }
                continue;
            }
            uint8_t t = r1->node, t1 = picked(b, r1)->node, t2 = picked(b, r2)->node;
            if (t1 != t2 && t1 != t && t2 != t && t1 != ISO_BRUTE_NODES && t2 != ISO_BRUTE_NODES &&
                h->op_version[r1->op] != h->op_version[r2->op]) {
                *one = r1->op;
                *two = r2->op;
                return false;
            }
        }
    }
    return true;
}

/* Returns what t3 sees by the reads before read r. so_far: the transactions from which t3 had read before r. */
static iso_nodes seen_before(const iso_brute *b, uint32_t r, iso_nodes so_far) {
    if (b->rules & ISO_SEES_READ_BEFORE) {
        return so_far;
    }
    if (!(b->rules & ISO_SEES_OTHER_KEY)) {
        return 0;
    }
    iso_nodes seen = 0;
    for (uint32_t e = b->read_of[b->reads[r].node]; e < r && seen != so_far; e++) {
        iso_tick(b->pool->env);
        if (b->reads[e].key != b->reads[r].key) {
            seen |= iso_node(picked(b, &b->reads[e])->node);
        }
    }
    return seen;
}

/* Computes so|wr, its transitive closure, and every t1 -wr_x-> t3 of the choice. */
static void relate(iso_brute *b) {
    uint32_t n_facts = 0;
    b->before_direct[0] = b->before_causal[0] = 0;
    b->fact_of[0] = b->fact_of[1] = 0;
    for (unsigned t3 = 1; t3 < b->n; t3++) {
        bool included = has(b->members, t3);
        iso_nodes so_far = 0;
        b->read_from[t3] = 0;
        for (uint32_t r = b->read_of[t3]; included && r < b->read_of[t3 + 1]; r++) {
            iso_tick(b->pool->env);
            unsigned t1 = picked(b, &b->reads[r])->node;
            if (t1 != t3) {
                iso_nodes writers = b->key_writers[b->reads[r].key] & b->members;
                b->facts[n_facts++] = (iso_brute_fact){.t1 = (uint8_t)t1,
                                                       .t3 = (uint8_t)t3,
                                                       .writers = writers & ~iso_node(t1) & ~iso_node(t3),
                                                       .seen = seen_before(b, r, so_far),
                                                       .list = b->reads[r].is_list ? &b->reads[r] : NULL};
                b->read_from[t3] |= iso_node(t1);
            }
            so_far |= iso_node(t1);
        }
        b->before_causal[t3] = b->before_direct[t3] = included ? (b->so[t3] & b->members) | b->read_from[t3] : 0;
        b->fact_of[t3 + 1] = n_facts;
    }
    for (unsigned via = 1; via < b->n; via++) { /* Warshall */
        for (unsigned t = 1; t < b->n; t++) {
            b->before_causal[t] |= has(b->before_causal[t], via) ? b->before_causal[via] : 0;
        }
    }
}

static bool new_order(iso_brute *b, order_tally *tally) {
    uint64_t code = 0;
    for (int i = __builtin_popcount(b->members); --i > 0;) {
        code = code << 4 | b->order[i];
    }
    uint64_t hash = iso_mix(code);
    for (uint32_t at, i = iso_index_first(&tally->index, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&tally->index, hash, &at)) {
        if (tally->order[i] == code) {
            return false;
        }
    }
    uint32_t number = tally->index.n;
    ISO_GROW(b->pool, tally->order, number, tally->room);
    tally->order[number] = code;
    iso_index_add(&tally->index, hash, number);
    return true;
}

static void keep_read_from(iso_brute *b) {
    const isolab_history *h = b->h;
    if (h->unique) {
        return;
    }
    uint32_t *from = b->result->read_from = ISO_NEW(b->result->pool, uint32_t, h->n_ops);
    memcpy(from, h->op_writer, h->n_ops * sizeof *from);
    for (uint32_t r = 0; r < b->n_reads; r++) {
        from[b->reads[r].op] = has(b->members, b->reads[r].node) ? picked(b, &b->reads[r])->op : ISO_NONE;
    }
}

/* int and ci have no commit order: the order in the certificate only says which transactions are included. */
static void keep_members(iso_brute *b) {
    iso_result *result = b->result;
    result->n_order = 0;
    result->order = ISO_NEW(result->pool, uint32_t, b->n);
    for (unsigned node = 1; node < b->n; node++) {
        if (has(b->members, (uint8_t)node)) {
            result->order[result->n_order++] = b->txn[node];
        }
    }
    keep_read_from(b);
}

/* Keeps the first order as the certificate. Returns whether the search may stop; it goes on if orders are counted. */
static bool found_order(iso_brute *b, void *arg) {
    order_tally *tally = arg;
    iso_result *result = b->result;
    if (result->order == NULL) {
        result->n_order = (uint32_t)__builtin_popcount(b->members) - 1;
        result->order = ISO_NEW(result->pool, uint32_t, result->n_order);
        for (uint32_t i = 0; i < result->n_order; i++) {
            result->order[i] = b->txn[b->order[i + 1]];
        }
        keep_read_from(b);
    }
    if (!b->question->count) {
        return true;
    }
    if (b->h->unique || new_order(b, tally)) {
        mpn_add_1(tally->count, tally->count, 2, 1);
    }
    return false;
}

/* INT (b) for lists: returns whether every element that a member shows of other transactions was appended by a member.
 * (From g1 up, rule 1 implies it.) */
static bool elements_are_members(const iso_brute *b) {
    const isolab_history *h = b->h;
    for (uint32_t i = 0; i < b->n_reads; i++) {
        const iso_brute_read *r = &b->reads[i];
        for (uint32_t e = 0; r->is_list && has(b->members, r->node) && e < r->n_external; e++) {
            uint32_t n;
            const uint32_t *writers = iso_writers(h, r->external[e], &n);
            bool found = false;
            for (uint32_t w = 0; w < n; w++) {
                uint8_t node = b->node[h->op_txn[writers[w]]];
                found |= node != r->node && node != ISO_BRUTE_NODES && has(b->members, node);
            }
            if (!found) {
                return false;
            }
        }
    }
    return true;
}

/* ci does not require list reads to be consistent. But an element that only one transaction appended was read from that
 * transaction, which is therefore included, unless it aborted. */
static bool only_appenders_are_members(const iso_brute *b) {
    const isolab_history *h = b->h;
    for (uint32_t i = 0; i < b->n_reads; i++) {
        const iso_brute_read *r = &b->reads[i];
        for (uint32_t e = 0; r->is_list && has(b->members, r->node) && e < r->n_external; e++) {
            uint32_t n;
            const uint32_t *writers = iso_writers(h, r->external[e], &n);
            uint8_t node = n == 1 ? b->node[h->op_txn[writers[0]]] : ISO_BRUTE_NODES;
            if (node != ISO_BRUTE_NODES && !has(b->members, node)) {
                return false;
            }
        }
    }
    return true;
}

/* Returns whether this choice satisfies the level. If orders are counted, it visits all of them. */
static bool choice_is_good(iso_brute *b, order_tally *tally) {
    uint32_t one, two;
    if (cuts(b) && !cut_isolation_holds(b, &one, &two)) {
        return false;
    }
    if (b->rules & ISO_RULE_ORDER) {
        relate(b);
        return iso_brute_orders(b, found_order, tally);
    }
    if (!(b->rules & ISO_RULE_INT ? elements_are_members : only_appenders_are_members)(b)) {
        return false; /* candidates satisfy the rest of INT */
    }
    keep_members(b);
    return true;
}

/* Tries choices until one satisfies the level. */
static bool try_choices(iso_brute *b, order_tally *tally) {
    iso_nodes some = 0; /* a subset of the optional transactions */
    do {
        b->members = iso_node(0) | b->in | some;
        if (first_choice(b)) {
            do {
                iso_tick(b->pool->env);
                if (members_are_observed(b) && choice_is_good(b, tally)) {
                    return true;
                }
            } while (next_choice(b));
        }
        some = (some - b->optional) & b->optional;
    } while (some != 0);
    return false;
}

static uint32_t edge_between(iso_brute *b, unsigned from, unsigned to) {
    iso_edge edge = iso_edge_of(ISO_EDGE_SO, b->txn[from], b->txn[to]);
    if (!has(b->so[to], from)) {
        for (uint32_t r = b->read_of[to]; r < b->read_of[to + 1]; r++) {
            if (picked(b, &b->reads[r])->node == from) {
                edge = iso_edge_of_read(b->h, b->txn[from], picked(b, &b->reads[r])->op, b->reads[r].op);
            }
        }
    }
    return iso_result_edge(b->result, edge);
}

/* Reports a shortest cycle of so|wr through one node. */
static void report_cycle(iso_brute *b, unsigned start) {
    uint8_t next[ISO_BRUTE_NODES]; /* the next node on a shortest path to start */
    iso_nodes reached = 0, front = iso_node(start);
    while (!has(reached, start)) {
        iso_nodes to = front;
        front = 0;
        for (; to != 0; to &= to - 1) {
            unsigned v = (unsigned)__builtin_ctz(to);
            for (iso_nodes from = b->before_direct[v] & ~reached; from != 0; from &= from - 1) {
                next[__builtin_ctz(from)] = (uint8_t)v;
                front |= from & -from;
            }
            reached |= front;
        }
    }
    iso_anomaly cycle = {.kind = ISO_A_CYCLIC_CO, .op = ISO_NONE, .other_op = ISO_NONE, .cycle = b->result->n_edges};
    unsigned at = start;
    do {
        edge_between(b, at, next[at]);
        cycle.n_cycle++;
        at = next[at];
    } while (at != start);
    iso_result_anomaly(b->result, cycle);
}

/* Reports why no choice satisfies the level. If there are several choices, each fails for its own reason, so nothing is
 * reported. */
static void report_failure(iso_brute *b) {
    iso_anomaly anomaly = {.kind = ISO_A_NO_ORDER, .op = ISO_NONE, .other_op = ISO_NONE};
    if (b->h->unique && cuts(b) && !cut_isolation_holds(b, &anomaly.other_op, &anomaly.op)) {
        anomaly.kind = ISO_A_NON_REPEATABLE_READ;
    } else if (b->h->unique) {
        for (unsigned t = 1; t < b->n; t++) {
            if (has(b->before_causal[t], t)) {
                report_cycle(b, t);
                return;
            }
        }
    }
    iso_result_anomaly(b->result, anomaly);
}

static void keep_count(iso_brute *b, order_tally *tally) {
    mp_size_t limbs = tally->count[1] != 0 ? 2 : tally->count[0] != 0 ? 1 : 0;
    unsigned char digits[64] = {0};
    size_t n = limbs == 0 ? 1 : mpn_get_str(digits, 10, tally->count, limbs);
    b->result->witnesses = ISO_ZNEW(b->result->pool, char, n + 1);
    for (size_t i = 0; i < n; i++) {
        b->result->witnesses[i] = (char)('0' + digits[i]);
    }
}

static void run_brute(const iso_checker *self, const isolab_history *h, const iso_question *question,
                      iso_result *result) {
    (void)self;
    iso_brute b = {.pool = result->pool,
                   .h = h,
                   .question = question,
                   .result = result,
                   .rules = iso_level_get(question->level)->rules};
    order_tally tally = {.count = {0, 0}};
    iso_index_init(&tally.index, b.pool, 0);
    set_up(&b);
    iso_brute_find_reads(&b);
    bool read_well = result->verdict != ISOLAB_VIOLATED;
    if (read_well && !try_choices(&b, &tally) && result->order == NULL) {
        report_failure(&b);
    }
    iso_result_conclude(result);
    if (question->count) {
        keep_count(&b, &tally);
    }
    iso_free(b.pool, tally.order);
    iso_index_free(&tally.index);
    iso_free(b.pool, b.node);
    iso_free(b.pool, b.key_writers);
    iso_free(b.pool, b.candidates);
    iso_free(b.pool, b.reads);
    iso_free(b.pool, b.facts);
}

const iso_checker iso_checker_brute = {
    .name = "brute",
    .summary = "the definitions, enumerated literally: the ground truth for small histories",
    .complexity = "O(n!)",
    .paper = "awdit.txt, definitions 2.3 to 2.8; plume.txt, definitions 3 and 4",
    .rules = ISO_RULES_SSER,
    .can = ISO_CAN_DUPLICATES | ISO_CAN_NEGATIONS | ISO_CAN_LISTS | ISO_CAN_TWIN_ELEMENTS | ISO_CAN_NO_SESSIONS |
           ISO_CAN_COUNT,
    .most_txns = ISO_BRUTE_TXNS,
    .run = run_brute,
};
