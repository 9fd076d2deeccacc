/* A violation: one read that offends by itself, or a cycle of edges.
 *
 * An edge A -> B says that A is before B in every commit order of the level. Its premises are earlier edges of the
 * certificate, so no argument is circular. A path of edges argues that its first transaction is before its last one.
 * There is one exception: below serializability an anti-dependency S -rw-> T says only that S does not see T. So there
 * it must follow an edge that makes S see its start (see sees()): S sees A and does not see T, so A is before T. */
#include "verify/verify.h"

/* ---- reads that offend by themselves ---- */

/* Returns whether read o may have got its value from write w (ISO_INIT: from the initial transaction) under INT. */
bool iso_verify_may_read(const iso_verifier *v, uint32_t o, uint32_t w) {
    const isolab_history *h = v->h;
    uint32_t t = h->op_txn[o], key = h->op_key[o], own = ISO_NONE;
    if (!iso_asks(v, ISO_RULE_INT)) {
        return true;
    }
    for (uint32_t i = h->txn_op[t]; i < o; i++) {
        iso_tick(v->pool->env);
        if (iso_is_write(h->op_kind[i]) && h->op_key[i] == key) {
            own = i;
        }
    }
    if (w == ISO_INIT || h->op_txn[w] != t) {
        if (own != ISO_NONE) {
            return false;
        }
    } else {
        return w == own;
    }
    if (w == ISO_INIT) {
        return true;
    }
    if (h->txn_status[h->op_txn[w]] == ISO_ABORTED) {
        return false;
    }
    for (uint32_t i = w + 1; i < h->txn_op[h->op_txn[w] + 1]; i++) {
        iso_tick(v->pool->env);
        if (iso_is_write(h->op_kind[i]) && h->op_key[i] == key) {
            return false;
        }
    }
    return true;
}

static void check_impossible_read(const iso_verifier *v, uint32_t o) {
    const isolab_history *h = v->h;
    uint32_t n, version = h->op_version[o];
    const uint32_t *writer = iso_writers(h, version, &n);
    bool possible = iso_version_is_initial(h, version) && iso_verify_may_read(v, o, ISO_INIT);
    for (uint32_t i = 0; i < n && !possible; i++) {
        possible = iso_verify_may_read(v, o, writer[i]);
    }
    if (possible) {
        iso_refuse(v, "read %u does not offend", o);
    }
}

/* Returns the write that a read certainly got its value from: the only one, or the only one that read consistency
 * allows. ISO_INIT: from the initial transaction. ISO_NONE: no write, or several possible ones. */
static uint32_t sure_write(const iso_verifier *v, uint32_t o) {
    const isolab_history *h = v->h;
    if (h->op_kind[o] != ISO_READ) {
        return h->op_kind[o] == ISO_LIST_READ ? iso_list_source(h, o) : ISO_NONE;
    }
    if (h->op_writer[o] != ISO_MANY) {
        return h->op_writer[o];
    }
    uint32_t n, version = h->op_version[o], sure = ISO_NONE;
    const uint32_t *writer = iso_writers(h, version, &n);
    if (iso_version_is_initial(h, version) && iso_verify_may_read(v, o, ISO_INIT)) {
        sure = ISO_INIT;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (iso_verify_may_read(v, o, writer[i])) {
            if (sure != ISO_NONE) {
                return ISO_NONE;
            }
            sure = writer[i];
        }
    }
    return sure;
}

static uint32_t sure_writer(const iso_verifier *v, uint32_t o) {
    uint32_t w = sure_write(v, o);
    return w < v->h->n_ops ? v->h->op_txn[w] : w;
}

/* Returns whether two reads of one key by one transaction returned different values, which no write of their own
 * transaction explains, at a level that requires read consistency and at which transactions are seen as wholes. Then
 * they read from two transactions, each of which would have to come before the other one. */
static bool read_two_values(const iso_verifier *v, uint32_t a, uint32_t b) {
    const isolab_history *h = v->h;
    if (!iso_asks(v, ISO_RULE_INT | ISO_RULE_CUT) || h->op_kind[a] != ISO_READ || h->op_kind[b] != ISO_READ ||
        iso_op_is_negation(h, a) || iso_op_is_negation(h, b) || h->op_version[a] == h->op_version[b]) {
        return false;
    }
    for (uint32_t o = h->txn_op[h->op_txn[a]]; o < a || o < b; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[a]) {
            return false;
        }
    }
    return true;
}

static void check_two_reads(const iso_verifier *v, uint32_t a, uint32_t b) {
    const isolab_history *h = v->h;
    if (b == ISO_NONE || h->op_txn[a] != h->op_txn[b] || h->op_key[a] != h->op_key[b]) {
        iso_refuse(v, "operations %u and %u are not two reads of one key in one transaction", a, b);
    }
    if (h->op_kind[b] == ISO_LIST_READ) { /* so the other read of its key is one, too */
        if (!iso_lists_differ(v, a, b)) {
            iso_refuse(v, "operations %u and %u show one list", a, b);
        }
        return;
    }
    if (read_two_values(v, a, b)) {
        return;
    }
    uint32_t from_a = sure_writer(v, a), from_b = sure_writer(v, b);
    bool part = (from_a == ISO_INIT || (from_a != ISO_NONE && v->in[from_a])) &&
                (from_b == ISO_INIT || (from_b != ISO_NONE && v->in[from_b]));
    if (!part || from_a == from_b || from_a == h->op_txn[a] || from_b == h->op_txn[a]) {
        iso_refuse(v, "operations %u and %u do not read from two different other transactions that are included", a, b);
    }
}

/* Checks that more transactions read the value of a read and then overwrote it than others can have written it. If two
 * of them read from one write, and both write the key, the later one sees the earlier one (si: since they write one
 * key), and yet reads what came before it. */
static void check_lost_update(const iso_verifier *v, uint32_t read) {
    const isolab_history *h = v->h;
    if (h->op_kind[read] != ISO_READ) {
        iso_refuse(v, "operation %u reads a list, and lost updates of lists are not counted", read);
    }
    uint32_t version = h->op_version[read], key = h->op_key[read];
    uint64_t updates = 0, writes = iso_version_is_initial(h, version);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool wrote = false, took = false, updated = false; /* the key; the value from another transaction; both */
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            bool write = iso_is_write(h->op_kind[o]);
            took |= !write && !wrote && h->op_version[o] == version && h->op_kind[o] == ISO_READ;
            wrote |= write && h->op_key[o] == key;
            updated |= wrote && took;
            writes += write && h->op_version[o] == version && h->txn_status[t] != ISO_ABORTED;
        }
        updates += updated && v->in[t];
    }
    if (updates <= writes || iso_version_is_negation(h, version)) {
        iso_refuse(v, "the value of read %u may have been written as often as it was overwritten", read);
    }
}

/* Returns whether the claimed kind fits; tested only if the value has one writer. */
static bool kind_fits(const iso_verifier *v, uint32_t o, uint32_t other) {
    const isolab_history *h = v->h;
    uint32_t w = h->op_writer[o], t = h->op_txn[o];
    offence_kind kind = v->claim->offence;
    if (w == ISO_MANY) {
        return kind <= OFFENCE_INTERMEDIATE;
    }
    if (w == ISO_NONE) {
        return kind == OFFENCE_THIN_AIR && other == ISO_NONE;
    }
    bool mine = w != ISO_INIT && h->op_txn[w] == t;
    bool other_is_write = other != ISO_NONE && iso_is_write(h->op_kind[other]) && h->op_key[other] == h->op_key[o];
    if (!other_is_write) {
        return false;
    }
    switch (kind) {
    case OFFENCE_ABORTED:
        return other == w && h->txn_status[h->op_txn[w]] == ISO_ABORTED;
    case OFFENCE_FUTURE:
        return mine && other == w && w > o;
    case OFFENCE_NOT_MY_OWN:
        return !mine && h->op_txn[other] == t && other < o;
    case OFFENCE_NOT_MY_LAST:
        return mine && w < other && other < o;
    case OFFENCE_INTERMEDIATE:
        return !mine && w != ISO_INIT && h->op_txn[other] == h->op_txn[w] && other > w;
    default:
        return false; /* a kind for lists, or no writer at all */
    }
}

void iso_verify_offence(const iso_verifier *v) {
    const iso_claim *c = v->claim;
    const isolab_history *h = v->h;
    uint32_t o = c->offence_op;
    if (iso_is_write(h->op_kind[o]) || !v->in[h->op_txn[o]]) {
        iso_refuse(v, "operation %u is not a read of an included transaction", o);
    }
    if (c->offence == OFFENCE_NON_REPEATABLE) {
        if (!iso_asks(v, ISO_RULE_CUT)) {
            iso_refuse(v, "level %s allows reads that are not repeatable", iso_level_get(c->level)->name);
        }
        check_two_reads(v, o, c->offence_other);
        return;
    }
    if (c->offence == OFFENCE_LOST_UPDATE) {
        if (!iso_asks(v, ISO_SEES_CONFLICT) || c->offence_other != ISO_NONE) {
            iso_refuse(v, "a lost update of level %s, by a count", iso_level_get(c->level)->name);
        }
        check_lost_update(v, o);
        return;
    }
    if (h->op_kind[o] == ISO_LIST_READ) {
        iso_verify_list_offence(v);
        return;
    }
    if (!iso_asks(v, ISO_RULE_INT)) {
        iso_refuse(v, "level %s does not ask for read consistency", iso_level_get(c->level)->name);
    }
    check_impossible_read(v, o);
    if (!kind_fits(v, o, c->offence_other)) {
        iso_refuse(v, "read %u offends, but not as the certificate says", o);
    }
}

/* ---- edges ---- */

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    if (t == ISO_INIT) {
        return true;
    }
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == key) {
            return true;
        }
    }
    return false;
}

static bool is_write_of(const isolab_history *h, uint32_t o, uint32_t t) {
    return o != ISO_NONE && h->op_txn[o] == t && iso_is_write(h->op_kind[o]);
}

/* Returns whether read o of transaction t3 certainly reads its key from t1 (any, if NULL), another transaction. */
static bool reads_from(const iso_verifier *v, uint32_t o, uint32_t t3, uint32_t t1) {
    const isolab_history *h = v->h;
    return o != ISO_NONE && !iso_is_write(h->op_kind[o]) && h->op_txn[o] == t3 && t1 != t3 && sure_writer(v, o) == t1;
}

/* Returns whether the edge's end sees its start. Where conflicts count, a transaction also sees the earlier writers of
 * its keys. */
static bool sees(const iso_verifier *v, const claim_edge *e) {
    return e->kind == CLAIM_SO || e->kind == CLAIM_WR || (e->kind == CLAIM_WW && iso_asks(v, ISO_SEES_CONFLICT));
}

/* Returns whether edges [first, first + n) are a path that argues `from before to`. If the two ends are different and
 * write one key, then under si the path may begin with an anti-dependency: if `to` were before `from`, `from` would see
 * `to` and everything before it. (A path that leads back to its start would say nothing, since no transaction is before
 * itself.) */
static bool is_row(const iso_verifier *v, uint32_t first, uint32_t n, bool ends_conflict) {
    const claim_edge *e = v->claim->edges + first;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && e[i].from != e[i - 1].to) {
            return false;
        }
        bool seen = i == 0 ? ends_conflict && iso_asks(v, ISO_SEES_CONFLICT) : sees(v, &e[i - 1]);
        if (e[i].kind == CLAIM_RW && !iso_asks(v, ISO_SEES_BEFORE) && !seen) {
            return false;
        }
    }
    return n > 0;
}

/* Returns whether the premises of an edge are a path between two different transactions. */
static bool leads(const iso_verifier *v, const claim_edge *e, uint32_t from, uint32_t to) {
    const claim_edge *premise = v->claim->edges + e->first;
    return from != to && is_row(v, e->first, e->count, e->kind != CLAIM_AXIOM) && premise[0].from == from &&
           premise[e->count - 1].to == to;
}

/* si: returns whether t3 and t4 write a key (by operations op[1] of t4 and op[2] of t3), t2 is t4 or before it, and t4
 * is before t3. */
static bool conflicts(const iso_verifier *v, const claim_edge *e, uint32_t t3) {
    const isolab_history *h = v->h;
    uint32_t a = e->op[1], b = e->op[2];
    if (!iso_asks_conflicts(v) || a == ISO_NONE || !is_write_of(h, a, h->op_txn[a]) || !is_write_of(h, b, t3) ||
        h->op_key[a] != h->op_key[b] || h->op_txn[a] == t3) {
        return false;
    }
    uint32_t t4 = h->op_txn[a];
    for (uint32_t i = 0; i < e->count; i++) { /* the part from t4 on is a path by itself unless it begins with rw */
        const claim_edge *premise = &v->claim->edges[e->first + i];
        if (premise->from == t4 && premise->kind != CLAIM_RW) {
            return true;
        }
    }
    return false;
}

/* Returns whether an axiom edge names two writes only where a rule asks for them: at si. */
static bool names_writes_rightly(const iso_verifier *v, const claim_edge *e) {
    return iso_asks_conflicts(v) || (e->op[1] == ISO_NONE && e->op[2] == ISO_NONE);
}

/* Returns whether t3 may see t2, by the premises of an axiom edge (docs/levels.md). e->op[0] is the read of t3 from
 * t1. */
static bool may_see(const iso_verifier *v, const claim_edge *e, uint32_t t3) {
    if (!leads(v, e, e->from, t3)) {
        return false;
    }
    const claim_edge *premise = v->claim->edges + e->first, *last = premise + e->count - 1;
    bool direct = (last->kind == CLAIM_SO && iso_asks(v, ISO_SEES_SESSION)) ||
                  (last->kind == CLAIM_WR && iso_asks_read(v, last->op[1], e->op[0]));
    bool weak = true;
    for (uint32_t i = 0; i < e->count; i++) {
        weak = weak && (premise[i].kind == CLAIM_WR || premise[i].kind == CLAIM_SO);
    }
    if (iso_asks(v, ISO_SEES_BEFORE) || conflicts(v, e, t3)) {
        return true;
    }
    return direct && (e->count == 1 || iso_asks(v, ISO_SEES_PREFIX) || (weak && iso_asks(v, ISO_SEES_CAUSE)));
}

static bool part(const iso_verifier *v, uint32_t txn) { return txn == ISO_INIT || v->in[txn]; }

bool iso_verify_in_time(const iso_verifier *v, uint32_t t, uint32_t u) {
    return iso_asks(v, ISO_TIME_KEYS) && iso_before_in_time(v->h, t, u) &&
           (iso_asks(v, ISO_TIME_ALL) || iso_common_key(v->h, t, u, v->pool) != ISO_NONE);
}

bool iso_verify_edge(const iso_verifier *v, const claim_edge *e) {
    const isolab_history *h = v->h;
    if (!iso_asks(v, ISO_RULE_ORDER) || e->from == e->to || !part(v, e->from) || !part(v, e->to)) {
        return false;
    }
    switch (e->kind) {
    case CLAIM_SO:
        return e->from == ISO_INIT ? e->to != ISO_INIT
                                   : v->sessions && e->to != ISO_INIT && e->from < e->to &&
                                         h->txn_session[e->from] == h->txn_session[e->to];
    case CLAIM_WR:
        return reads_from(v, e->op[1], e->to, e->from) &&
               e->op[0] == (e->from == ISO_INIT ? ISO_NONE : sure_write(v, e->op[1]));
    case CLAIM_RT:
        return e->from != ISO_INIT && e->to != ISO_INIT && iso_verify_in_time(v, e->from, e->to);
    case CLAIM_AXIOM: {
        uint32_t o = e->op[0];
        return o != ISO_NONE && names_writes_rightly(v, e) && reads_from(v, o, h->op_txn[o], e->to) &&
               writes(h, e->from, h->op_key[o]) && v->in[h->op_txn[o]] && may_see(v, e, h->op_txn[o]);
    }
    case CLAIM_RW: {
        uint32_t o = e->op[0], t1 = o != ISO_NONE ? sure_writer(v, o) : ISO_NONE;
        return iso_asks(v, ISO_SEES_PREFIX) && t1 != ISO_NONE && reads_from(v, o, e->from, t1) && e->to != ISO_INIT &&
               writes(h, e->to, h->op_key[o]) && leads(v, e, t1, e->to);
    }
    case CLAIM_WW:
        return iso_asks(v, ISO_SEES_PREFIX) && is_write_of(h, e->op[0], e->from) && is_write_of(h, e->op[1], e->to) &&
               h->op_key[e->op[0]] == h->op_key[e->op[1]] && leads(v, e, e->from, e->to);
    default: /* CLAIM_LIST */
        return e->op[0] != ISO_NONE && v->in[h->op_txn[e->op[0]]] && iso_list_orders(v, e->op[0], e->from, e->to);
    }
}

/* Returns whether the edges are a path that leads back to its start, which is impossible: no transaction is before
 * itself. A cycle can be read from any of its edges, so the last edge comes before the first. */
bool iso_verify_cycle(const iso_verifier *v, uint32_t first, uint32_t n) {
    const claim_edge *e = v->claim->edges + first;
    for (uint32_t i = 0; i < n; i++) {
        const claim_edge *before = &e[i == 0 ? n - 1 : i - 1];
        if (e[i].from != before->to || (e[i].kind == CLAIM_RW && !iso_asks(v, ISO_SEES_BEFORE) && !sees(v, before))) {
            return false;
        }
    }
    return n > 0;
}

void iso_verify_violation(const iso_verifier *v) {
    const iso_claim *c = v->claim;
    if (c->offence != OFFENCE_NONE) {
        iso_verify_offence(v);
        return;
    }
    for (uint32_t i = 0; i < c->n_edges; i++) {
        iso_tick_slow(v->pool->env); /* verifying one edge may take long */
        if (!iso_verify_edge(v, &c->edges[i])) {
            iso_refuse(v, "edge %u does not follow at level %s", i, iso_level_get(c->level)->name);
        }
    }
    if (c->proof != NULL) {
        iso_verify_proof(v);
    } else if (!iso_verify_cycle(v, c->cycle, c->n_cycle)) {
        iso_refuse(v, "the edges from %u on are not a cycle", c->cycle);
    }
}
