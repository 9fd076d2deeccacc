/* Clausal proofs that no order exists (docs/certificates.md).
 *
 * A proof of commits (`proof commits`) works for any level: its points are the transactions, and it supposes that their
 * commit order satisfies the axiom of the level (axiom.c). The other proofs are for pc and stronger levels.
 *
 * A proof works by contradiction: suppose there is an order of *points* that satisfies the level. For ser, lser and
 * sser a point is a transaction, and the order is the commit order. For si each transaction has two points, its start
 * and its commit: by veristrong.txt theorem A.2 some version order makes (SO|WR|WW);RW? acyclic, and then starts and
 * commits can be ordered so that a dependency leads from a commit to a start, an anti-dependency from a start to a
 * commit, and every start comes before its commit. For pc the commits are in commit order, and each start is directly
 * after the last commit from which so or wr leads to the transaction: the transaction sees exactly what commits before
 * its start. Excluded transactions come last.
 *
 * Atoms say that a point is before another, that a read (of an included transaction) took a write, or that an
 * indeterminate transaction is included. Every line adds a clause: a rule, which this file derives from the history by
 * itself, or a lemma, which must follow from the lines before it by unit propagation. A proof is valid if it ends in a
 * contradiction. */
#include <inttypes.h>
#include <string.h>

#include "verify/proof.h"

#define ALWAYS PROOF_ALWAYS

/* Parsing. */

_Noreturn void iso_clausal_bad(const proof *p, const char *expected) {
    iso_throw_input(p->v->pool->env, p->line, ISOLAB_NO_OFFSET, "expected %s in the proof", expected);
}

bool iso_clausal_take(proof *p, const char *word) {
    size_t n = strlen(word);
    if (strncmp(p->at, word, n) != 0 || (p->at[n] != ' ' && p->at[n] != '\n')) {
        return false;
    }
    p->at += n;
    return true;
}

static void take_space(proof *p) {
    if (*p->at != ' ') {
        iso_clausal_bad(p, "a space and a further word");
    }
    p->at++;
}

static uint32_t digits(proof *p, uint32_t below, const char *what) {
    uint64_t x = 0;
    const char *first = p->at;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
        x = x > UINT32_MAX ? x : 10 * x + (uint64_t)(*p->at - '0');
    }
    if (p->at == first || x >= below || (*first == '0' && p->at - first > 1)) {
        iso_clausal_bad(p, what);
    }
    return (uint32_t)x;
}

uint32_t iso_clausal_txn(proof *p) {
    take_space(p);
    return digits(p, p->h->n_txns, "a transaction of the history");
}

uint32_t iso_clausal_operation(proof *p) {
    take_space(p);
    return digits(p, p->h->n_ops, "an operation of the history");
}

/* Parses a write, or `init`. */
uint32_t iso_clausal_writer(proof *p) {
    take_space(p);
    return iso_clausal_take(p, "init") ? ISO_INIT : digits(p, p->h->n_ops, "an operation of the history");
}

uint32_t iso_clausal_list_read(proof *p) {
    uint32_t read = iso_clausal_operation(p);
    if (p->h->op_kind[read] != ISO_LIST_READ) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": operation %u is not a list read", p->line, read);
    }
    return read;
}

static uint32_t point(proof *p) {
    take_space(p);
    bool commit = *p->at == 'c';
    if (p->two) {
        if (*p->at != 's' && !commit) {
            iso_clausal_bad(p, "s or c and a transaction");
        }
        p->at++;
    }
    uint32_t t = digits(p, p->h->n_txns, "a transaction of the history");
    return p->two ? 2 * t + commit : t;
}

/* Atoms and clauses. */

static int variable(proof *p, uint32_t kind, uint32_t a, uint32_t b) {
    uint64_t hash = iso_mix2(iso_mix2(a, b), kind);
    for (uint32_t at, i = iso_index_first(&p->index, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&p->index, hash, &at)) {
        if (p->atoms[i].kind == kind && p->atoms[i].a == a && p->atoms[i].b == b) {
            return p->atoms[i].var;
        }
    }
    uint32_t number = p->index.n;
    ISO_GROW(p->v->pool, p->atoms, number, p->atoms_room);
    p->atoms[number] = (atom){kind, a, b, iso_clauses_var(p->clauses)};
    iso_index_add(&p->index, hash, number);
    return p->atoms[number].var;
}

/* Returns the literal that point a is before point b; the two are different. */
int iso_clausal_before(proof *p, uint32_t a, uint32_t b) {
    if (p->two && a / 2 == b / 2) {
        return a < b ? ALWAYS : -ALWAYS;
    }
    return a < b ? variable(p, BEFORE, a, b) : -variable(p, BEFORE, b, a);
}

/* Returns the literal that t is before u by a dependency (so, wr, ww) or an anti-dependency. */
static int depends(proof *p, uint32_t t, uint32_t u) {
    return p->two ? iso_clausal_before(p, 2 * t + 1, 2 * u) : iso_clausal_before(p, t, u);
}

/* Returns the literal that u's version follows t's: for pc by the order of commits, for si as a dependency. */
static int precedes(proof *p, uint32_t t, uint32_t u) {
    return p->two && !p->si ? iso_clausal_before(p, 2 * t + 1, 2 * u + 1) : depends(p, t, u);
}

static int anti_depends(proof *p, uint32_t t, uint32_t u) {
    return p->two ? iso_clausal_before(p, 2 * t, 2 * u + 1) : iso_clausal_before(p, t, u);
}

/* Adds a literal that is known to be true as a clause of its own. */
static int surely(proof *p, int literal, bool known) {
    if (known) {
        iso_clauses_add(p->clauses, &literal, 1);
    }
    return literal;
}

int iso_clausal_included(proof *p, uint32_t t) {
    switch (p->h->txn_status[t]) {
    case ISO_COMMITTED:
        return ALWAYS;
    case ISO_ABORTED:
        iso_refuse(p->v, "proof, line %" PRIu64 ": transaction %u is aborted", p->line, t);
    default:
        return surely(p, variable(p, TAKES_PART, t, 0), p->v->in[t]);
    }
}

void iso_clausal_add(proof *p, int literal) {
    ISO_GROW(p->v->pool, p->clause, p->n_clause, p->clause_room);
    if (literal != -ALWAYS) {
        p->clause[p->n_clause++] = literal;
    }
}

void iso_clausal_believe(proof *p) {
    for (uint32_t i = 0; i < p->n_clause; i++) {
        if (p->clause[i] == ALWAYS) {
            return;
        }
    }
    iso_clauses_add(p->clauses, p->clause, p->n_clause);
}

/* Adds the literals of the writes that a read may have taken (for a list: the writes of its last external element). *n:
 * their number. Returns whether w is one of them. */
static bool possible(proof *p, uint32_t read, uint32_t w, uint32_t *n, bool list) {
    const isolab_history *h = p->h;
    bool is_list = h->op_kind[read] == ISO_LIST_READ, found = false;
    uint32_t n_writers = 0, version = is_list ? iso_list_last(h, read) : h->op_version[read];
    const uint32_t *writers = version == ISO_NONE ? NULL : iso_writers(h, version, &n_writers);
    uint32_t all = n_writers + (is_list || iso_version_is_initial(h, version));
    *n = 0;
    for (uint32_t i = 0; i < all; i++) {
        iso_tick(p->v->pool->env);
        uint32_t o = i == n_writers ? ISO_INIT : writers[i];
        if (is_list && !iso_asks(p->v, ISO_RULE_INT)) { /* lists are compared, not their writers */
            continue;
        }
        if (is_list ? iso_list_may_read(p->v, read, o) : iso_verify_may_read(p->v, read, o)) {
            ++*n;
            found |= o == w;
            if (list) {
                iso_clausal_add(p, variable(p, READS, read, o));
            }
        }
    }
    return found;
}

/* Returns the literal that the read took the write. It is true, without an atom, if a committed reader could take no
 * other write. */
int iso_clausal_took(proof *p, uint32_t read, uint32_t w) {
    uint32_t n = 0, t = p->h->op_txn[read];
    bool can = !iso_is_write(p->h->op_kind[read]) && possible(p, read, w, &n, false);
    if (!can) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": operation %u cannot have read from that write", p->line, read);
    }
    if (n == 1 && p->h->txn_status[t] == ISO_COMMITTED) {
        return ALWAYS;
    }
    return surely(p, variable(p, READS, read, w), n == 1 && p->v->in[t]);
}

/* The rules. */

/* Refuses rules of the commit order at levels without one. */
static void needs_order(proof *p) {
    if (!iso_asks(p->v, ISO_RULE_ORDER)) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": the level asks for no order", p->line);
    }
}

static void rule_so(proof *p, bool real_time) {
    const isolab_history *h = p->h;
    needs_order(p);
    uint32_t t = iso_clausal_txn(p), u = iso_clausal_txn(p);
    bool holds =
        real_time ? iso_verify_in_time(p->v, t, u) : p->v->sessions && t < u && h->txn_session[t] == h->txn_session[u];
    if (!holds || t == u) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": transaction %u does not come before %u", p->line, t, u);
    }
    iso_clausal_add(p, -iso_clausal_included(p, t));
    iso_clausal_included(p, u); /* refuses an aborted transaction */
    iso_clausal_add(p, depends(p, t, u));
    iso_clausal_believe(p);
}

/* The write that was taken comes before its reader. */
static void rule_wr(proof *p) {
    needs_order(p);
    uint32_t read = iso_clausal_operation(p), w = iso_clausal_operation(p);
    uint32_t t = p->h->op_txn[w], reader = p->h->op_txn[read];
    iso_clausal_add(p, -iso_clausal_took(p, read, w));
    iso_clausal_add(p, t == reader ? ALWAYS : depends(p, t, reader)); /* a read of an own write gives no order */
    iso_clausal_believe(p);
}

/* Of two writers of a key, one comes first. (For ser this is already known.) */
static void rule_ww(proof *p) {
    const isolab_history *h = p->h;
    uint32_t a = iso_clausal_operation(p), b = iso_clausal_operation(p);
    if (!iso_is_write(h->op_kind[a]) || !iso_is_write(h->op_kind[b]) || h->op_key[a] != h->op_key[b] ||
        h->op_txn[a] == h->op_txn[b] || !iso_asks(p->v, ISO_SEES_CONFLICT) || p->v->claim->commits) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": %u and %u do not write one key, or the level has no rule for that",
                   p->line, a, b);
    }
    iso_clausal_included(p, h->op_txn[a]);
    iso_clausal_included(p, h->op_txn[b]);
    iso_clausal_add(p, depends(p, h->op_txn[a], h->op_txn[b]));
    iso_clausal_add(p, depends(p, h->op_txn[b], h->op_txn[a]));
    iso_clausal_believe(p);
}

/* If t3 took x from t1, another writer t2 of x is before t1 or after t3. */
static void rule_rw(proof *p) {
    const isolab_history *h = p->h;
    if (!p->two && !iso_asks(p->v, ISO_SEES_BEFORE)) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": at this level commits have no rule for that", p->line);
    }
    uint32_t read = iso_clausal_operation(p), w = iso_clausal_writer(p), other = iso_clausal_operation(p);
    uint32_t t1 = w == ISO_INIT ? ISO_INIT : h->op_txn[w], t2 = h->op_txn[other], t3 = h->op_txn[read];
    if (!iso_is_write(h->op_kind[other]) || h->op_key[other] != h->op_key[read] || t1 == t2 || t2 == t3 || t1 == t3) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": %u, %u and %u are not a read and two writers of its key", p->line,
                   read, w, other);
    }
    iso_clausal_included(p, t2);
    iso_clausal_add(p, -iso_clausal_took(p, read, w));
    if (t1 != ISO_INIT) {
        iso_clausal_add(p, precedes(p, t2, t1));
    }
    iso_clausal_add(p, anti_depends(p, t3, t2));
    iso_clausal_believe(p);
}

/* A list read shows one transaction's appends before those of another. */
static void rule_list(proof *p) {
    uint32_t read = iso_clausal_operation(p), t = iso_clausal_txn(p), u = iso_clausal_txn(p);
    if (!iso_list_orders(p->v, read, t, u)) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": read %u does not show %u before %u", p->line, read, t, u);
    }
    iso_clausal_add(p, -iso_clausal_included(p, p->h->op_txn[read]));
    iso_clausal_included(p, t);
    iso_clausal_included(p, u);
    iso_clausal_add(p, precedes(p, t, u));
    iso_clausal_believe(p);
}

/* Returns whether an element of the external part must have been appended by another included transaction. Without
 * INT there are no rules for the contents of lists. Then only this is certain: if an element has a single writer, and
 * it did not abort, then it is included. */
static bool is_shown(const proof *p, uint32_t read, uint32_t e) {
    const isolab_history *h = p->h;
    uint32_t length, first = h->list_first[h->op_version[read]];
    if (iso_asks(p->v, ISO_RULE_INT)) {
        return iso_list_external(h, read, &length) && e < length;
    }
    bool there = e < h->list_first[h->op_version[read] + 1] - first;
    uint32_t w = there ? h->version_writer[h->list_version[first + e]] : ISO_NONE;
    return w < h->n_ops && h->op_txn[w] != h->op_txn[read] && h->txn_status[h->op_txn[w]] != ISO_ABORTED;
}

static void rule_shown(proof *p) {
    const isolab_history *h = p->h;
    uint32_t read = iso_clausal_list_read(p), n;
    take_space(p);
    uint32_t e = digits(p, UINT32_MAX, "the number of an element");
    if (!is_shown(p, read, e)) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": not an element of another transaction that the read shows", p->line);
    }
    iso_clausal_add(p, -iso_clausal_included(p, h->op_txn[read]));
    const uint32_t *writers = iso_writers(h, h->list_version[h->list_first[h->op_version[read]] + e], &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = h->op_txn[writers[i]];
        if (t != h->op_txn[read] && h->txn_status[t] != ISO_ABORTED) {
            iso_clausal_add(p, iso_clausal_included(p, t));
        }
    }
    iso_clausal_believe(p);
}

/* A list read shows an append of a transaction, but not all of its appends together, or shows one twice. */
static void rule_torn(proof *p) {
    uint32_t read = iso_clausal_list_read(p), append = iso_clausal_operation(p);
    if (!iso_asks(p->v, ISO_RULE_ORDER) || !iso_list_torn(p->h, read, append)) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": list read %u does not tear the appends of this transaction", p->line,
                   read);
    }
    iso_clausal_add(p, -iso_clausal_included(p, p->h->op_txn[read]));
    iso_clausal_believe(p);
}

/* A read of an included transaction took one of the possible writes. */
static void rule_choice(proof *p) {
    uint32_t read = iso_clausal_operation(p), n = 0;
    if (iso_is_write(p->h->op_kind[read])) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": operation %u is not a read", p->line, read);
    }
    iso_clausal_add(p, -iso_clausal_included(p, p->h->op_txn[read]));
    if (p->h->op_kind[read] == ISO_READ || iso_list_consistent(p->v, read)) {
        possible(p, read, ISO_NONE, &n, true);
    }
    if (!iso_asks(p->v, ISO_RULE_INT) && n == 0) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": the level allows values that no transaction wrote", p->line);
    }
    iso_clausal_believe(p);
}

/* A read did not take two different writes. */
static void rule_one(proof *p) {
    uint32_t read = iso_clausal_operation(p), a = iso_clausal_writer(p), b = iso_clausal_writer(p);
    if (a == b) {
        iso_clausal_bad(p, "two different writes");
    }
    iso_clausal_add(p, -iso_clausal_took(p, read, a));
    iso_clausal_add(p, -iso_clausal_took(p, read, b));
    iso_clausal_believe(p);
}

/* The writer that a read took from is included. */
static void rule_part(proof *p) {
    uint32_t read = iso_clausal_operation(p), w = iso_clausal_operation(p);
    iso_clausal_add(p, -iso_clausal_took(p, read, w));
    iso_clausal_add(p, iso_clausal_included(p, p->h->op_txn[w]));
    iso_clausal_believe(p);
}

/* Points on a cycle are not all before the next point. */
static void rule_cycle(proof *p) {
    uint32_t n = 0;
    while (*p->at == ' ') {
        ISO_GROW(p->v->pool, p->points, n, p->points_room);
        p->points[n++] = point(p);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = p->points[i], b = p->points[(i + 1) % n];
        if (a == b) {
            iso_clausal_bad(p, "different points next to each other");
        }
        iso_clausal_add(p, -iso_clausal_before(p, a, b));
    }
    if (n < 2) {
        iso_clausal_bad(p, "at least two points");
    }
    iso_clausal_believe(p);
}

static void declare(proof *p) {
    take_space(p);
    uint32_t number = digits(p, UINT32_MAX, "the number of an atom");
    if (number != p->n_declared + 1) {
        iso_clausal_bad(p, "the next number");
    }
    take_space(p);
    int literal;
    if (iso_clausal_take(p, "before")) {
        uint32_t a = point(p), b = point(p);
        if (a == b || (p->two && a / 2 == b / 2)) {
            iso_clausal_bad(p, "points of two transactions");
        }
        literal = iso_clausal_before(p, a, b);
    } else if (iso_clausal_take(p, "reads")) {
        uint32_t read = iso_clausal_operation(p), w = iso_clausal_writer(p);
        literal = variable(p, READS, read, w);
    } else if (iso_clausal_take(p, "in")) {
        literal = variable(p, TAKES_PART, iso_clausal_txn(p), 0);
    } else {
        iso_clausal_bad(p, "before, reads or in");
    }
    ISO_GROW(p->v->pool, p->declared, p->n_declared, p->declared_room);
    p->declared[p->n_declared++] = literal;
}

static void lemma(proof *p) {
    while (*p->at == ' ') {
        p->at++;
        bool negated = *p->at == '-';
        p->at += negated;
        uint32_t number = digits(p, p->n_declared + 1, "a declared atom");
        if (number == 0) {
            iso_clausal_bad(p, "a declared atom");
        }
        int literal = p->declared[number - 1];
        iso_clausal_add(p, negated ? -literal : literal);
    }
    if (!iso_clauses_follows(p->clauses, p->clause, p->n_clause)) {
        iso_refuse(p->v, "proof, line %" PRIu64 ": the lemma does not follow by unit propagation", p->line);
    }
    iso_clauses_add(p->clauses, p->clause, p->n_clause);
}

void iso_clausal_start(proof *p, const iso_verifier *v, const char *lines, size_t size) {
    const iso_claim *c = v->claim;
    bool two = !c->commits && !iso_asks(v, ISO_SEES_BEFORE);
    if (!c->commits && !iso_asks(v, ISO_SEES_PREFIX)) {
        iso_refuse(v, "clausal proofs are for pc and stronger levels, except those of commits");
    }
    if (v->h->n_txns > INT32_MAX / 4) {
        iso_refuse(v, "too many transactions for a clausal proof");
    }
    *p = (proof){.v = v,
                 .h = v->h,
                 .si = two && iso_asks(v, ISO_SEES_CONFLICT),
                 .two = two,
                 .at = lines,
                 .end = lines + size,
                 .line = c->proof_line};
    iso_index_init(&p->index, v->pool, 512);
    p->clauses = iso_clauses_new(v->pool);
}

static void rule(proof *p) {
    if (iso_clausal_take(p, "atom")) {
        declare(p);
    } else if (iso_clausal_take(p, "lemma")) {
        lemma(p);
    } else if (iso_clausal_take(p, "cycle")) {
        rule_cycle(p);
    } else if (iso_clausal_take(p, "rw")) {
        rule_rw(p);
    } else if (iso_clausal_take(p, "ww")) {
        rule_ww(p);
    } else if (iso_clausal_take(p, "wr")) {
        rule_wr(p);
    } else if (iso_clausal_take(p, "list")) {
        rule_list(p);
    } else if (iso_clausal_take(p, "so")) {
        rule_so(p, false);
    } else if (iso_clausal_take(p, "rt")) {
        rule_so(p, true);
    } else if (iso_clausal_take(p, "choice")) {
        rule_choice(p);
    } else if (iso_clausal_take(p, "one")) {
        rule_one(p);
    } else if (iso_clausal_take(p, "part")) {
        rule_part(p);
    } else if (iso_clausal_take(p, "shown")) {
        rule_shown(p);
    } else if (iso_clausal_take(p, "torn")) {
        rule_torn(p);
    } else if (!p->v->claim->commits || !iso_verify_commit_rule(p)) {
        iso_clausal_bad(p, "a rule");
    }
}

void iso_clausal_line(proof *p) {
    iso_tick_slow(p->v->pool->env); /* verifying one line may take long */
    p->n_clause = 0;
    rule(p);
    if (*p->at != '\n') {
        iso_clausal_bad(p, "the end of the line");
    }
    p->at++;
    p->line++;
}

void iso_verify_proof(const iso_verifier *v) {
    proof p;
    iso_clausal_start(&p, v, v->claim->proof, v->claim->proof_size);
    while (p.at < p.end) {
        iso_clausal_line(&p);
    }
    if (!iso_clauses_refuted(p.clauses)) {
        iso_refuse(v, "the proof ends without a contradiction");
    }
}
