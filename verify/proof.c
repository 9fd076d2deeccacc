/* Clausal proofs that no order exists (docs/certificates.md; pc, si, ser and sser).
 *
 * The claim is refuted by contradiction: suppose there is an order of *points* that satisfies the level. For ser
 * and sser a point is a transaction, and the order is the commit order. For si each transaction has two, its start
 * and its commit: by veristrong.txt theorem A.2 some version order makes (SO|WR|WW);RW? acyclic, and then
 * starts and commits can be ordered so that a dependency leads from a commit to a start, an anti-dependency from a
 * start to a commit, and every start comes before its commit. For pc the commits stand in the commit order, and a
 * start directly behind the last commit that so or wr leads from to the transaction: it sees exactly what commits
 * before its start. Transactions that do not take part stand last.
 *
 * Atoms say that a point is before another, that a read (of a transaction that takes part) took a write, that an
 * indeterminate transaction takes part. Every line adds a clause: a rule, which this file derives from the history
 * by itself, or a lemma, which must follow from the lines before it by unit propagation. A proof is good when it
 * ends in a contradiction.
 */
#include <string.h>

#include "base/hash.h"
#include "verify/clauses.h"
#include "verify/verify.h"

enum { BEFORE, READS, TAKES_PART };
#define ALWAYS INT32_MAX /* a literal that is true */

typedef struct atom {
    uint32_t kind, a, b;
    int var;
} atom;

typedef struct proof {
    const iso_verifier *v;
    const isolab_history *h;
    iso_clauses *clauses;
    bool si, two; /* two points a transaction: si and pc */
    const char *at, *end;
    uint64_t line;
    atom *atoms; /* open addressing by what they say; var 0: free */
    uint64_t mask, n_atoms;
    int *declared; /* literal of each declared number, from 1 */
    uint32_t n_declared, declared_room;
    int *clause;
    uint32_t n_clause, clause_room;
    uint32_t *points, points_room;
} proof;

/* Reading. */

static _Noreturn void bad(const proof *p, const char *expected) {
    iso_throw_input(p->v->pool->env, p->line, ISOLAB_NO_OFFSET, "expected %s in the proof", expected);
}

static bool take(proof *p, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) <= n || memcmp(p->at, word, n) != 0 || (p->at[n] != ' ' && p->at[n] != '\n')) {
        return false;
    }
    p->at += n;
    return true;
}

static void space(proof *p) {
    if (p->at == p->end || *p->at != ' ') {
        bad(p, "a space and a further word");
    }
    p->at++;
}

static uint32_t digits(proof *p, uint32_t below, const char *what) {
    uint64_t x = 0;
    const char *first = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9' && x <= UINT32_MAX) {
        x = 10 * x + (uint64_t)(*p->at++ - '0');
    }
    if (p->at == first || x >= below || (*first == '0' && p->at - first > 1)) {
        bad(p, what);
    }
    return (uint32_t)x;
}

static uint32_t txn(proof *p) {
    space(p);
    return digits(p, p->h->n_txns, "a transaction of the history");
}

static uint32_t operation(proof *p) {
    space(p);
    return digits(p, p->h->n_ops, "an operation of the history");
}

/* A write, or `init`. */
static uint32_t writer(proof *p) {
    if ((size_t)(p->end - p->at) > 5 && memcmp(p->at, " init", 5) == 0) {
        p->at += 5;
        return ISO_INIT;
    }
    return operation(p);
}

static uint32_t point(proof *p) {
    space(p);
    bool commit = p->at < p->end && *p->at == 'c';
    if (p->two) {
        if (p->at == p->end || (*p->at != 's' && *p->at != 'c')) {
            bad(p, "s or c and a transaction");
        }
        p->at++;
    }
    uint32_t t = digits(p, p->h->n_txns, "a transaction of the history");
    return p->two ? 2 * t + commit : t;
}

/* Atoms and clauses. */

static void grow(proof *p) {
    atom *old = p->atoms;
    uint64_t room = p->atoms == NULL ? 0 : p->mask + 1;
    p->mask = room == 0 ? 1023 : 2 * room - 1;
    p->atoms = ISO_ZNEW(p->v->pool, atom, p->mask + 1);
    for (uint64_t i = 0; i < room; i++) {
        if (old[i].var != 0) {
            uint64_t at = iso_mix2(iso_mix2(old[i].a, old[i].b), old[i].kind) & p->mask;
            while (p->atoms[at].var != 0) {
                at = (at + 1) & p->mask;
            }
            p->atoms[at] = old[i];
        }
    }
    iso_free(p->v->pool, old);
}

static int variable(proof *p, uint32_t kind, uint32_t a, uint32_t b) {
    if (p->atoms == NULL || 2 * p->n_atoms > p->mask) {
        grow(p);
    }
    uint64_t at = iso_mix2(iso_mix2(a, b), kind) & p->mask;
    for (; p->atoms[at].var != 0; at = (at + 1) & p->mask) {
        if (p->atoms[at].kind == kind && p->atoms[at].a == a && p->atoms[at].b == b) {
            return p->atoms[at].var;
        }
    }
    p->n_atoms++;
    p->atoms[at] = (atom){kind, a, b, iso_clauses_var(p->clauses)};
    return p->atoms[at].var;
}

/* Literal: point a before point b, two different ones. */
static int before(proof *p, uint32_t a, uint32_t b) {
    if (p->two && a / 2 == b / 2) {
        return a < b ? ALWAYS : -ALWAYS;
    }
    return a < b ? variable(p, BEFORE, a, b) : -variable(p, BEFORE, b, a);
}

/* Literal: t comes before u as a dependency (so, wr, ww) says it, or as an anti-dependency does. */
static int depends(proof *p, uint32_t t, uint32_t u) {
    return p->two ? before(p, 2 * t + 1, 2 * u) : before(p, t, u);
}

/* ... as a version that another one follows: for pc the order of commits, for si that is a dependency. */
static int precedes(proof *p, uint32_t t, uint32_t u) {
    return p->two && !p->si ? before(p, 2 * t + 1, 2 * u + 1) : depends(p, t, u);
}

static int anti_depends(proof *p, uint32_t t, uint32_t u) {
    return p->two ? before(p, 2 * t, 2 * u + 1) : before(p, t, u);
}

/* A literal that is known to be true gets a clause of its own. */
static int surely(proof *p, int literal, bool known) {
    if (known) {
        iso_clauses_add(p->clauses, &literal, 1);
    }
    return literal;
}

static int takes_part(proof *p, uint32_t t) {
    switch (p->h->txn_status[t]) {
    case ISO_COMMITTED: return ALWAYS;
    case ISO_ABORTED: iso_refuse(p->v, "proof, line %llu: transaction %u is aborted", (unsigned long long)p->line, t);
    default: return surely(p, variable(p, TAKES_PART, t, 0), p->v->in[t]);
    }
}

static void add(proof *p, int literal) {
    ISO_GROW(p->v->pool, p->clause, p->n_clause, p->clause_room);
    if (literal != -ALWAYS) {
        p->clause[p->n_clause++] = literal;
    }
}

static void believe(proof *p) {
    for (uint32_t i = 0; i < p->n_clause; i++) {
        if (p->clause[i] == ALWAYS) {
            return;
        }
    }
    iso_clauses_add(p->clauses, p->clause, p->n_clause);
}

/* Writes that a read may have taken. n: how many; returns whether w is one of them. */
static bool possible(proof *p, uint32_t read, uint32_t w, uint32_t *n, bool list) {
    const isolab_history *h = p->h;
    uint32_t n_writers, version = h->op_version[read];
    const uint32_t *writers = iso_writers(h, version, &n_writers);
    uint32_t all = n_writers + iso_version_is_initial(h, version);
    bool found = false;
    *n = 0;
    for (uint32_t i = 0; i < all; i++) {
        iso_tick(p->v->pool->env);
        uint32_t o = i == n_writers ? ISO_INIT : writers[i];
        if (iso_verify_may_read(p->v, read, o)) {
            ++*n;
            found |= o == w;
            if (list) {
                add(p, variable(p, READS, read, o));
            }
        }
    }
    return found;
}

/* Literal: the read took the write. True without an atom where nothing else was possible to a committed reader. */
static int took(proof *p, uint32_t read, uint32_t w) {
    uint32_t n = 0, t = p->h->op_txn[read];
    bool can = false;
    if (p->h->op_kind[read] == ISO_LIST_READ) {
        can = iso_list_source(p->h, read) == w && w != ISO_NONE;
        n = 1;
    } else if (p->h->op_kind[read] == ISO_READ) {
        can = possible(p, read, w, &n, false);
    }
    if (!can) {
        iso_refuse(p->v, "proof, line %llu: operation %u cannot have read from that write",
                   (unsigned long long)p->line, read);
    }
    if (n == 1 && p->h->txn_status[t] == ISO_COMMITTED) {
        return ALWAYS;
    }
    return surely(p, variable(p, READS, read, w), n == 1 && p->v->in[t]);
}

/* The rules. */

static void rule_so(proof *p, bool real_time) {
    const isolab_history *h = p->h;
    uint32_t t = txn(p), u = txn(p);
    bool holds = real_time ? p->v->claim->level == ISO_SSER && iso_before_in_time(h, t, u)
                           : p->v->sessions && t < u && h->txn_session[t] == h->txn_session[u];
    if (!holds || t == u) {
        iso_refuse(p->v, "proof, line %llu: transaction %u does not come before %u", (unsigned long long)p->line, t,
                   u);
    }
    add(p, -takes_part(p, t));
    takes_part(p, u); /* not an aborted one */
    add(p, depends(p, t, u));
    believe(p);
}

/* What was taken comes before its reader. */
static void rule_wr(proof *p) {
    uint32_t read = operation(p), w = operation(p), t = p->h->op_txn[w];
    add(p, -took(p, read, w));
    if (t != p->h->op_txn[read]) {
        add(p, depends(p, t, p->h->op_txn[read]));
        believe(p);
    }
}

/* Two writers of a key: one comes first. (For ser that goes without saying.) */
static void rule_ww(proof *p) {
    const isolab_history *h = p->h;
    uint32_t a = operation(p), b = operation(p);
    if (!iso_is_write(h->op_kind[a]) || !iso_is_write(h->op_kind[b]) || h->op_key[a] != h->op_key[b] ||
        h->op_txn[a] == h->op_txn[b] || p->v->claim->level == ISO_PC) {
        iso_refuse(p->v, "proof, line %llu: %u and %u do not write one key, or the level has no rule for that", (unsigned long long)p->line, a, b);
    }
    takes_part(p, h->op_txn[a]);
    takes_part(p, h->op_txn[b]);
    add(p, depends(p, h->op_txn[a], h->op_txn[b]));
    add(p, depends(p, h->op_txn[b], h->op_txn[a]));
    believe(p);
}

/* t3 took x from t1: another writer t2 of x comes before t1, or behind t3. */
static void rule_rw(proof *p) {
    const isolab_history *h = p->h;
    uint32_t read = operation(p), w = writer(p), other = operation(p);
    uint32_t t1 = w == ISO_INIT ? ISO_INIT : h->op_txn[w], t2 = h->op_txn[other], t3 = h->op_txn[read];
    if (!iso_is_write(h->op_kind[other]) || h->op_key[other] != h->op_key[read] || t1 == t2 || t2 == t3 || t1 == t3) {
        iso_refuse(p->v, "proof, line %llu: %u, %u and %u are not a read and two writers of its key",
                   (unsigned long long)p->line, read, w, other);
    }
    takes_part(p, t2);
    add(p, -took(p, read, w));
    if (t1 != ISO_INIT) {
        add(p, precedes(p, t2, t1));
    }
    add(p, anti_depends(p, t3, t2));
    believe(p);
}

/* A list read shows one transaction's appends before those of another. */
static void rule_list(proof *p) {
    uint32_t read = operation(p), t = txn(p), u = txn(p);
    if (!iso_list_orders(p->v, read, t, u)) {
        iso_refuse(p->v, "proof, line %llu: read %u does not show %u before %u", (unsigned long long)p->line, read, t,
                   u);
    }
    takes_part(p, t);
    takes_part(p, u);
    add(p, precedes(p, t, u));
    believe(p);
}

/* A read of a transaction that takes part took something. */
static void rule_choice(proof *p) {
    uint32_t read = operation(p), n;
    if (p->h->op_kind[read] != ISO_READ) {
        iso_refuse(p->v, "proof, line %llu: operation %u is not a read", (unsigned long long)p->line, read);
    }
    add(p, -takes_part(p, p->h->op_txn[read]));
    possible(p, read, ISO_NONE, &n, true);
    believe(p);
}

/* ... not two things, */
static void rule_one(proof *p) {
    uint32_t read = operation(p), a = writer(p), b = writer(p);
    if (a == b) {
        bad(p, "two different writes");
    }
    add(p, -took(p, read, a));
    add(p, -took(p, read, b));
    believe(p);
}

/* ... and from a transaction that takes part. */
static void rule_part(proof *p) {
    uint32_t read = operation(p), w = operation(p);
    add(p, -took(p, read, w));
    add(p, takes_part(p, p->h->op_txn[w]));
    believe(p);
}

/* Points in a circle are not each before the next. */
static void rule_cycle(proof *p) {
    uint32_t n = 0;
    while (p->at < p->end && *p->at == ' ') {
        ISO_GROW(p->v->pool, p->points, n, p->points_room);
        p->points[n++] = point(p);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = p->points[i], b = p->points[(i + 1) % n];
        if (a == b) {
            bad(p, "different points next to each other");
        }
        add(p, -before(p, a, b));
    }
    if (n < 2) {
        bad(p, "at least two points");
    }
    believe(p);
}

static void declare(proof *p) {
    space(p);
    uint32_t number = digits(p, UINT32_MAX, "the number of an atom");
    if (number != p->n_declared + 1) {
        bad(p, "the next number");
    }
    space(p);
    int literal;
    if (take(p, "before")) {
        uint32_t a = point(p), b = point(p);
        if (a == b || (p->two && a / 2 == b / 2)) {
            bad(p, "points of two transactions");
        }
        literal = before(p, a, b);
    } else if (take(p, "reads")) {
        uint32_t read = operation(p), w = writer(p);
        literal = variable(p, READS, read, w);
    } else if (take(p, "in")) {
        literal = variable(p, TAKES_PART, txn(p), 0);
    } else {
        bad(p, "before, reads or in");
    }
    ISO_GROW(p->v->pool, p->declared, p->n_declared, p->declared_room);
    p->declared[p->n_declared++] = literal;
}

static void lemma(proof *p) {
    while (p->at < p->end && *p->at == ' ') {
        p->at++;
        bool negated = p->at < p->end && *p->at == '-';
        p->at += negated;
        uint32_t number = digits(p, p->n_declared + 1, "a declared atom");
        if (number == 0) {
            bad(p, "a declared atom");
        }
        int literal = p->declared[number - 1];
        add(p, negated ? -literal : literal);
    }
    if (!iso_clauses_follows(p->clauses, p->clause, p->n_clause)) {
        iso_refuse(p->v, "proof, line %llu: the lemma does not follow by unit propagation",
                   (unsigned long long)p->line);
    }
    iso_clauses_add(p->clauses, p->clause, p->n_clause);
}

void iso_verify_proof(const iso_verifier *v) {
    const iso_claim *c = v->claim;
    proof p = {.v = v, .h = v->h, .si = c->level == ISO_SI,
               .two = c->level == ISO_SI || c->level == ISO_PC, .at = c->proof, .end = c->proof + c->proof_size,
               .line = c->proof_line};
    if (c->level != ISO_PC && c->level != ISO_SI && c->level != ISO_SER && c->level != ISO_SSER) {
        iso_refuse(v, "clausal proofs are for pc, si, ser and sser");
    }
    if (v->h->n_txns > INT32_MAX / 4) {
        iso_refuse(v, "too many transactions for a clausal proof");
    }
    p.clauses = iso_clauses_new(v->pool);
    for (; p.at < p.end; p.line++) {
        iso_tick(v->pool->env);
        p.n_clause = 0;
        if (take(&p, "atom")) {
            declare(&p);
        } else if (take(&p, "lemma")) {
            lemma(&p);
        } else if (take(&p, "cycle")) {
            rule_cycle(&p);
        } else if (take(&p, "rw")) {
            rule_rw(&p);
        } else if (take(&p, "ww")) {
            rule_ww(&p);
        } else if (take(&p, "wr")) {
            rule_wr(&p);
        } else if (take(&p, "list")) {
            rule_list(&p);
        } else if (take(&p, "so")) {
            rule_so(&p, false);
        } else if (take(&p, "rt")) {
            rule_so(&p, true);
        } else if (take(&p, "choice")) {
            rule_choice(&p);
        } else if (take(&p, "one")) {
            rule_one(&p);
        } else if (take(&p, "part")) {
            rule_part(&p);
        } else {
            bad(&p, "a rule");
        }
        if (p.at == p.end || *p.at != '\n') {
            bad(&p, "the end of the line");
        }
        p.at++;
    }
    if (!iso_clauses_refuted(p.clauses)) {
        iso_refuse(v, "the proof ends without a contradiction");
    }
}
