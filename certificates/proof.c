/* The rules of clausal proofs, as clauses. See proof.h and proof_lines.h. */
#include "base/assert.h"
#include "certificates/proof_lines.h"
#include "certificates/proof_trim.h"

iso_proof *iso_proof_new(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_proof *p = ISO_ZNEW(pool, iso_proof, 1);
    p->pool = pool;
    p->h = h;
    p->two = iso_level_has(level, ISO_SEES_PREFIX) && !iso_level_has(level, ISO_SEES_BEFORE);
    p->si = p->two && iso_level_has(level, ISO_SEES_CONFLICT);
    p->level = level;
    iso_index_init(&p->index, pool, 512);
    return p;
}

iso_proof *iso_proof_commits(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_proof *p = iso_proof_new(pool, h, level);
    p->commits = true;
    p->two = p->si = false;
    return p;
}

/* Finds or makes the entry of an atom or a rule. Returns whether it is new. */
static bool once(iso_proof *p, uint32_t kind, uint32_t a, uint32_t b, uint32_t c, entry **found) {
    uint64_t hash = iso_mix2(iso_mix2(iso_mix2(a, b), c), kind);
    for (uint32_t at, i = iso_index_first(&p->index, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&p->index, hash, &at)) {
        *found = &p->entries[i];
        if ((*found)->kind == kind + 1 && (*found)->a == a && (*found)->b == b && (*found)->c == c) {
            return false;
        }
    }
    uint32_t number = p->index.n;
    ISO_GROW(p->pool, p->entries, number, p->entries_room);
    p->entries[number] = (entry){kind + 1, a, b, c, 0};
    iso_index_add(&p->index, hash, number);
    *found = &p->entries[number];
    return true;
}

/* Clauses. add_literal() adds a literal to the clause of the line under construction, which end_line() ends. */

static void add_literal(iso_proof *p, int literal) {
    iso_assert(literal != 0);
    if (literal != -ALWAYS) {
        ISO_GROW(p->pool, p->literals, p->n_literals, p->literals_room);
        p->literals[p->n_literals++] = literal;
    }
}

static void end_line(iso_proof *p, uint32_t begin, line l) {
    iso_assert(begin <= p->n_literals);
    ISO_GROW(p->pool, p->lines, p->n_lines, p->lines_room);
    ISO_GROW(p->pool, p->first, p->n_lines, p->first_room);
    ISO_GROW(p->pool, p->first, p->n_lines + 1, p->first_room);
    ISO_GROW(p->pool, p->kind, p->n_lines, p->kind_room);
    uint8_t kind = l.kind == LEMMA ? ISO_CLAUSE_LEMMA : ISO_CLAUSE_RULE;
    for (uint32_t i = begin; i < p->n_literals; i++) {
        if (p->literals[i] == ALWAYS) {
            kind = ISO_CLAUSE_TRUE;
        }
    }
    p->n_literals = kind == ISO_CLAUSE_TRUE ? begin : p->n_literals;
    p->kind[p->n_lines] = kind;
    p->lines[p->n_lines] = l;
    p->first[p->n_lines++] = begin;
    p->first[p->n_lines] = p->n_literals;
}

static int atom(iso_proof *p, uint32_t kind, uint32_t a, uint32_t b) {
    entry *e;
    if (once(p, kind, a, b, 0, &e)) {
        ISO_GROW(p->pool, p->atoms, p->n_atoms, p->atoms_room);
        e->number = (int)p->n_atoms + 1;
        p->atoms[p->n_atoms++] = *e;
    }
    return e->number;
}

int iso_proof_before(iso_proof *p, uint32_t a, uint32_t b) {
    iso_assert(a != b);
    return a < b ? atom(p, BEFORE, a, b) : -atom(p, BEFORE, b, a);
}

int iso_proof_took(iso_proof *p, uint32_t read, uint32_t write) { return atom(p, TOOK, read, write); }

/* Adds a unit clause that the verifier also adds, together with the atom: the literal is true. */
static int given(iso_proof *p, int literal) {
    entry *e;
    if (once(p, GIVEN, (uint32_t)literal, 0, 0, &e)) {
        uint32_t begin = p->n_literals;
        add_literal(p, literal);
        end_line(p, begin, (line){GIVEN, 0, 0, 0});
    }
    return literal;
}

int iso_proof_in(iso_proof *p, uint32_t txn) { return atom(p, IN, txn, 0); }

/* Returns the literal that a transaction is included. */
static int included(iso_proof *p, uint32_t txn) {
    if (p->h->txn_status[txn] == ISO_COMMITTED) {
        return ALWAYS;
    }
    int literal = iso_proof_in(p, txn);
    return p->h->txn_counts[txn] == ISO_INCLUDED ? given(p, literal) : literal;
}

static int points_before(iso_proof *p, uint32_t a, uint32_t b) {
    iso_assert(a != b);
    if (p->two && a / 2 == b / 2) {
        return a < b ? ALWAYS : -ALWAYS;
    }
    return iso_proof_before(p, a, b);
}

static int depends(iso_proof *p, uint32_t t, uint32_t u) {
    return p->two ? points_before(p, 2 * t + 1, 2 * u) : points_before(p, t, u);
}

/* Returns the literal that u's version is overwritten by t's, for a rule of two writers of a key and a reader of u. */
static int overwritten(iso_proof *p, uint32_t t, uint32_t u) {
    iso_assert(t != u);
    return p->two && !p->si ? points_before(p, 2 * t + 1, 2 * u + 1) : depends(p, t, u);
}

static int took(iso_proof *p, uint32_t read, uint32_t w) {
    const isolab_history *h = p->h;
    uint32_t at = 0;
    bool sure = iso_proof_next(p, read, &at) != ISO_NONE && iso_proof_next(p, read, &at) == ISO_NONE;
    if (sure && h->txn_status[h->op_txn[read]] == ISO_COMMITTED) {
        return ALWAYS;
    }
    int literal = iso_proof_took(p, read, w);
    return sure && h->txn_counts[h->op_txn[read]] == ISO_INCLUDED ? given(p, literal) : literal;
}

/* Rules. */

static void order(iso_proof *p, uint32_t kind, uint32_t t, uint32_t u) {
    entry *e;
    if (once(p, kind, t, u, 0, &e)) {
        int in = included(p, t);
        uint32_t begin = p->n_literals;
        add_literal(p, -in);
        add_literal(p, depends(p, t, u));
        end_line(p, begin, (line){kind, t, u, 0});
    }
}

void iso_proof_so(iso_proof *p, uint32_t t, uint32_t u) { order(p, SO, t, u); }
void iso_proof_rt(iso_proof *p, uint32_t t, uint32_t u) { order(p, RT, t, u); }

void iso_proof_wr(iso_proof *p, uint32_t r, uint32_t w) {
    entry *e;
    if (once(p, WR, r, w, 0, &e)) {
        int read = took(p, r, w);
        uint32_t begin = p->n_literals;
        add_literal(p, -read);
        add_literal(p, depends(p, p->h->op_txn[w], p->h->op_txn[r]));
        end_line(p, begin, (line){WR, r, w, 0});
    }
}

void iso_proof_ww(iso_proof *p, uint32_t w, uint32_t w2) {
    entry *e;
    if (w > w2) {
        uint32_t swap = w;
        w = w2;
        w2 = swap;
    }
    if (p->si && once(p, WW, w, w2, 0, &e)) { /* at other levels the verifier needs no rule for it */
        uint32_t begin = p->n_literals;
        add_literal(p, depends(p, p->h->op_txn[w], p->h->op_txn[w2]));
        add_literal(p, depends(p, p->h->op_txn[w2], p->h->op_txn[w]));
        end_line(p, begin, (line){WW, w, w2, 0});
    }
}

void iso_proof_rw(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2) {
    entry *e;
    if (once(p, RW, r, w, w2, &e)) {
        uint32_t t2 = p->h->op_txn[w2], t3 = p->h->op_txn[r];
        int read = took(p, r, w);
        uint32_t begin = p->n_literals;
        add_literal(p, -read);
        if (w != ISO_INIT) {
            add_literal(p, overwritten(p, t2, p->h->op_txn[w]));
        }
        add_literal(p, p->two ? points_before(p, 2 * t3, 2 * t2 + 1) : points_before(p, t3, t2));
        end_line(p, begin, (line){RW, r, w, w2});
    }
}

void iso_proof_choice(iso_proof *p, uint32_t r) {
    entry *e;
    if (once(p, CHOICE, r, 0, 0, &e)) {
        int in = included(p, p->h->op_txn[r]);
        uint32_t begin = p->n_literals, at = 0;
        add_literal(p, -in);
        for (uint32_t w; (w = iso_proof_next(p, r, &at)) != ISO_NONE;) {
            add_literal(p, iso_proof_took(p, r, w));
        }
        end_line(p, begin, (line){CHOICE, r, 0, 0});
    }
}

void iso_proof_one(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2) {
    entry *e;
    if (once(p, ONE, r, w, w2, &e)) {
        int one = took(p, r, w), other = took(p, r, w2);
        uint32_t begin = p->n_literals;
        add_literal(p, -one);
        add_literal(p, -other);
        end_line(p, begin, (line){ONE, r, w, w2});
    }
}

void iso_proof_part(iso_proof *p, uint32_t r, uint32_t w) {
    entry *e;
    if (once(p, PART, r, w, 0, &e)) {
        int read = took(p, r, w), in = included(p, p->h->op_txn[w]);
        uint32_t begin = p->n_literals;
        add_literal(p, -read);
        add_literal(p, in);
        end_line(p, begin, (line){PART, r, w, 0});
    }
}

void iso_proof_list(iso_proof *p, uint32_t r, uint32_t t, uint32_t u) {
    entry *e;
    if (once(p, LIST, r, t, u, &e)) {
        int in = included(p, p->h->op_txn[r]);
        uint32_t begin = p->n_literals;
        add_literal(p, -in);
        add_literal(p, overwritten(p, t, u));
        end_line(p, begin, (line){LIST, r, t, u});
    }
}

/* Lines of proofs of commits. Their words are stored in the same array as the points of cycles. */

static void say(iso_proof *p, uint32_t word) {
    ISO_GROW(p->pool, p->points, p->n_points, p->points_room);
    p->points[p->n_points++] = word;
}

static void end_words(iso_proof *p, uint32_t begin, uint32_t kind) {
    end_line(p, begin, (line){kind, p->circle, p->n_points, 0});
    p->circle = p->n_points;
}

/* Makes a literal before the clause begins, because a new atom may add a line of its own. */
static void collect(iso_proof *p, uint32_t *n, int literal) {
    ISO_GROW(p->pool, p->collected, *n, p->collected_room);
    p->collected[(*n)++] = literal;
}

static uint32_t add_collected(iso_proof *p, uint32_t n) {
    uint32_t begin = p->n_literals;
    for (uint32_t i = 0; i < n; i++) {
        add_literal(p, p->collected[i]);
    }
    return begin;
}

void iso_proof_impossible(iso_proof *p, uint32_t r) {
    entry *e;
    if (once(p, CHOICE, r, 0, 0, &e)) {
        int in = included(p, p->h->op_txn[r]);
        uint32_t begin = p->n_literals;
        add_literal(p, -in);
        end_line(p, begin, (line){CHOICE, r, 1, 0});
    }
}

void iso_proof_torn(iso_proof *p, uint32_t r, uint32_t w) {
    uint32_t n = 0;
    collect(p, &n, -included(p, p->h->op_txn[r]));
    end_line(p, add_collected(p, n), (line){TORN, r, w, 0});
}

void iso_proof_shown(iso_proof *p, uint32_t r, uint32_t element) {
    const isolab_history *h = p->h;
    uint32_t m, n = 0;
    const uint32_t *writers = iso_writers(h, h->list_version[h->list_first[h->op_version[r]] + element], &m);
    collect(p, &n, -included(p, h->op_txn[r]));
    for (uint32_t i = 0; i < m; i++) {
        uint32_t t = h->op_txn[writers[i]];
        if (t != h->op_txn[r] && h->txn_status[t] != ISO_ABORTED) {
            collect(p, &n, included(p, t));
        }
    }
    end_line(p, add_collected(p, n), (line){SHOWN, r, element, 0});
}

void iso_proof_axiom(iso_proof *p, uint32_t r, uint32_t w, uint32_t t2, const iso_proof_step *steps, uint32_t n_steps) {
    static const uint32_t word[] = {WORD_SO, WORD_WR, WORD_CO, WORD_WW};
    const isolab_history *h = p->h;
    uint32_t n = 0, at = t2;
    say(p, r);
    say(p, w);
    say(p, t2);
    collect(p, &n, -took(p, r, w));
    for (uint32_t i = 0; i < n_steps; i++) {
        const iso_proof_step *s = &steps[i];
        uint32_t to = s->a;
        say(p, word[s->kind]);
        say(p, s->a);
        switch (s->kind) {
        case ISO_STEP_SO:
            collect(p, &n, -included(p, at));
            break;
        case ISO_STEP_WR:
            say(p, s->b);
            to = h->op_txn[s->a];
            collect(p, &n, -took(p, s->a, s->b));
            break;
        case ISO_STEP_WW:
            say(p, s->b);
            to = h->op_txn[s->b];
            collect(p, &n, -points_before(p, at, to));
            break;
        case ISO_STEP_CO:
            collect(p, &n, -points_before(p, at, to));
            break;
        }
        at = to;
    }
    if (w != ISO_INIT) {
        collect(p, &n, points_before(p, t2, h->op_txn[w]));
    }
    end_words(p, add_collected(p, n), AXIOM);
}

void iso_proof_state(iso_proof *p, uint32_t r, uint32_t w, const uint32_t *txns, uint32_t n_txns,
                     const uint32_t *without, uint32_t n_without, const uint32_t *others, uint32_t n_others) {
    uint32_t n = 0, last = txns[n_txns - 1], t1 = p->h->op_txn[w];
    say(p, r);
    say(p, w);
    collect(p, &n, -took(p, r, w));
    if (t1 != last) {
        collect(p, &n, points_before(p, t1, last));
    }
    for (uint32_t i = 0; i < n_txns; i++) {
        say(p, txns[i]);
        collect(p, &n, -included(p, txns[i]));
        if (i > 0) {
            collect(p, &n, -points_before(p, txns[i - 1], txns[i]));
        }
    }
    for (uint32_t i = 0; i < n_without; i++) {
        if (i == 0) {
            say(p, WORD_WITHOUT);
        }
        say(p, without[i]);
        collect(p, &n, included(p, without[i]));
    }
    for (uint32_t i = 0; i < n_others; i++) {
        collect(p, &n, points_before(p, others[i], last));
    }
    end_words(p, add_collected(p, n), STATE);
}

void iso_proof_cut(iso_proof *p, uint32_t r, uint32_t w, uint32_t r2, uint32_t w2) {
    uint32_t n = 0;
    say(p, r);
    say(p, w);
    say(p, r2);
    say(p, w2);
    collect(p, &n, -took(p, r, w));
    collect(p, &n, -took(p, r2, w2));
    end_words(p, add_collected(p, n), CUT);
}

void iso_proof_differ(iso_proof *p, uint32_t r, uint32_t r2) {
    uint32_t n = 0;
    collect(p, &n, -included(p, p->h->op_txn[r]));
    end_line(p, add_collected(p, n), (line){DIFFER, r, r2, 0});
}

void iso_proof_cycle(iso_proof *p, uint32_t point) {
    if (p->n_points == p->circle || p->points[p->n_points - 1] != point) {
        ISO_GROW(p->pool, p->points, p->n_points, p->points_room);
        p->points[p->n_points++] = point;
    }
}

void iso_proof_close(iso_proof *p) {
    uint32_t first = p->circle, begin = p->n_literals;
    if (p->n_points > first + 1 && p->points[first] == p->points[p->n_points - 1]) {
        p->n_points--;
    }
    for (uint32_t i = first; i < p->n_points; i++) {
        uint32_t next = i + 1 < p->n_points ? p->points[i + 1] : p->points[first];
        add_literal(p, -points_before(p, p->points[i], next));
    }
    end_line(p, begin, (line){CYCLE, first, p->n_points, 0});
    p->circle = p->n_points;
}

void iso_proof_lemma(iso_proof *p, const int *literals, uint32_t n) {
    uint32_t begin = p->n_literals;
    for (uint32_t i = 0; i < n; i++) {
        add_literal(p, literals[i]);
    }
    end_line(p, begin, (line){LEMMA, 0, 0, 0});
}

/* Claims, and proofs that use them. */

void iso_proof_claim(iso_proof *p, int literal) {
    entry *e;
    if (once(p, CLAIM, (uint32_t)literal, 0, 0, &e)) {
        uint32_t begin = p->n_literals;
        add_literal(p, literal);
        end_line(p, begin, (line){CLAIM, 0, 0, 0});
    }
}

void iso_proof_claims(iso_proof *p, iso_proof_claim_fn *claim, void *arg) {
    iso_proof_need(p);
    for (uint32_t i = 0; i < p->n_lines; i++) {
        if (p->lines[i].kind == CLAIM && p->needed[i]) {
            const entry *e = &p->atoms[-p->literals[p->first[i]] - 1];
            claim(arg, e->a, e->b);
        }
    }
}

void iso_proof_append(iso_proof *p, const iso_proof *other) {
    for (uint32_t i = 0; i < other->n_lines; i++) {
        line l = other->lines[i];
        uint32_t n = 0, words = p->circle;
        if (!other->needed[i] || l.kind == CLAIM) {
            continue;
        }
        for (uint32_t k = other->first[i]; k < other->first[i + 1]; k++) {
            int literal = other->literals[k];
            const entry *e = &other->atoms[(literal < 0 ? -literal : literal) - 1];
            int same = atom(p, e->kind - 1, e->a, e->b);
            collect(p, &n, literal < 0 ? -same : same);
        }
        if (l.kind == CYCLE || l.kind == AXIOM || l.kind == STATE || l.kind == CUT) {
            for (uint32_t k = l.a; k < l.b; k++) {
                say(p, other->points[k]);
            }
            l.a = words;
            l.b = p->circle = p->n_points;
        }
        end_line(p, add_collected(p, n), l);
    }
}
