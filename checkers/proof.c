/* The rules of clausal proofs, as clauses. See proof.h and proof_lines.h. */
#include "base/hash.h"
#include "checkers/proof_lines.h"
#include "checkers/proof_trim.h"

iso_proof *iso_proof_new(iso_pool *pool, const isolab_history *h, iso_level level) {
    iso_proof *p = ISO_ZNEW(pool, iso_proof, 1);
    p->pool = pool;
    p->h = h;
    p->si = level == ISO_SI;
    p->two = p->si || level == ISO_PC;
    p->mask = 1023;
    p->entries = ISO_ZNEW(pool, entry, p->mask + 1);
    return p;
}

static entry *look_up(entry *entries, uint64_t mask, entry key) {
    uint64_t at = iso_mix2(iso_mix2(iso_mix2(key.a, key.b), key.c), key.kind) & mask;
    while (entries[at].kind != 0 && (entries[at].kind != key.kind || entries[at].a != key.a ||
                                     entries[at].b != key.b || entries[at].c != key.c)) {
        at = (at + 1) & mask;
    }
    return &entries[at];
}

/* The entry of what is said; true when it is new. */
static bool once(iso_proof *p, uint32_t kind, uint32_t a, uint32_t b, uint32_t c, entry **found) {
    if (2 * p->n_entries > p->mask) {
        uint64_t mask = 2 * p->mask + 1;
        entry *entries = ISO_ZNEW(p->pool, entry, mask + 1);
        for (uint64_t i = 0; i <= p->mask; i++) {
            if (p->entries[i].kind != 0) {
                *look_up(entries, mask, p->entries[i]) = p->entries[i];
            }
        }
        iso_free(p->pool, p->entries);
        p->entries = entries;
        p->mask = mask;
    }
    entry key = {kind + 1, a, b, c, 0};
    *found = look_up(p->entries, p->mask, key);
    if ((*found)->kind != 0) {
        return false;
    }
    **found = key;
    p->n_entries++;
    return true;
}

/* Clauses. add() builds the one of the line that end_line() ends. */

static void add(iso_proof *p, int literal) {
    if (literal != -ALWAYS) {
        ISO_GROW(p->pool, p->literals, p->n_literals, p->literals_room);
        p->literals[p->n_literals++] = literal;
    }
}

static void end_line(iso_proof *p, uint32_t begin, line l) {
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
    return a < b ? atom(p, BEFORE, a, b) : -atom(p, BEFORE, b, a);
}

int iso_proof_took(iso_proof *p, uint32_t read, uint32_t write) { return atom(p, TOOK, read, write); }

/* A clause that the verifier adds with the atom: it is true. */
static int given(iso_proof *p, int literal) {
    entry *e;
    if (once(p, GIVEN, (uint32_t)literal, 0, 0, &e)) {
        uint32_t begin = p->n_literals;
        add(p, literal);
        end_line(p, begin, (line){GIVEN, 0, 0, 0});
    }
    return literal;
}

int iso_proof_in(iso_proof *p, uint32_t txn) { return atom(p, IN, txn, 0); }

static int takes_part(iso_proof *p, uint32_t txn) {
    if (p->h->txn_status[txn] == ISO_COMMITTED) {
        return ALWAYS;
    }
    int literal = iso_proof_in(p, txn);
    return p->h->txn_counts[txn] == ISO_IN ? given(p, literal) : literal;
}

static int points_before(iso_proof *p, uint32_t a, uint32_t b) {
    if (p->two && a / 2 == b / 2) {
        return a < b ? ALWAYS : -ALWAYS;
    }
    return iso_proof_before(p, a, b);
}

static int depends(iso_proof *p, uint32_t t, uint32_t u) {
    return p->two ? points_before(p, 2 * t + 1, 2 * u) : points_before(p, t, u);
}

/* Of two writers of a key, where a third one reads from u. */
static int overwritten(iso_proof *p, uint32_t t, uint32_t u) {
    return p->two && !p->si ? points_before(p, 2 * t + 1, 2 * u + 1) : depends(p, t, u);
}

/* Could the read have got its value from this write of another transaction by INT? */
static bool may_read(const isolab_history *h, uint32_t read, uint32_t w) {
    uint32_t t = h->op_txn[w];
    bool may = t != h->op_txn[read] && h->txn_status[t] != ISO_ABORTED;
    for (uint32_t o = w + 1; may && o < h->txn_op[t + 1]; o++) {
        may = !iso_is_write(h->op_kind[o]) || h->op_key[o] != h->op_key[w];
    }
    return may;
}

/* Has the reader written the key before? */
static bool has_own(const isolab_history *h, uint32_t read) {
    bool own = false;
    for (uint32_t o = h->txn_op[h->op_txn[read]]; o < read && !own; o++) {
        own = iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[read];
    }
    return own;
}

uint32_t iso_proof_next(const isolab_history *h, uint32_t read, uint32_t *at) {
    uint32_t n, version = h->op_version[read];
    const uint32_t *writers = iso_writers(h, version, &n);
    if (*at == 0 && has_own(h, read)) {
        return ISO_NONE;
    }
    while (*at < n) {
        uint32_t w = writers[(*at)++];
        if (may_read(h, read, w)) {
            return w;
        }
    }
    return *at == n && iso_version_is_initial(h, version) ? ++*at, ISO_INIT : ISO_NONE;
}

static int took(iso_proof *p, uint32_t read, uint32_t w) {
    const isolab_history *h = p->h;
    uint32_t at = 0;
    bool sure = h->op_kind[read] == ISO_LIST_READ;
    if (!sure) {
        sure = iso_proof_next(h, read, &at) != ISO_NONE && iso_proof_next(h, read, &at) == ISO_NONE;
    }
    if (sure && h->txn_status[h->op_txn[read]] == ISO_COMMITTED) {
        return ALWAYS;
    }
    int literal = iso_proof_took(p, read, w);
    return sure && h->txn_counts[h->op_txn[read]] == ISO_IN ? given(p, literal) : literal;
}

/* Rules. */

static void order(iso_proof *p, uint32_t kind, uint32_t t, uint32_t u) {
    entry *e;
    if (once(p, kind, t, u, 0, &e)) {
        int in = takes_part(p, t);
        uint32_t begin = p->n_literals;
        add(p, -in);
        add(p, depends(p, t, u));
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
        add(p, -read);
        add(p, depends(p, p->h->op_txn[w], p->h->op_txn[r]));
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
    if (p->si && once(p, WW, w, w2, 0, &e)) { /* else it goes without saying */
        uint32_t begin = p->n_literals;
        add(p, depends(p, p->h->op_txn[w], p->h->op_txn[w2]));
        add(p, depends(p, p->h->op_txn[w2], p->h->op_txn[w]));
        end_line(p, begin, (line){WW, w, w2, 0});
    }
}

void iso_proof_rw(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2) {
    entry *e;
    if (once(p, RW, r, w, w2, &e)) {
        uint32_t t2 = p->h->op_txn[w2], t3 = p->h->op_txn[r];
        int read = took(p, r, w);
        uint32_t begin = p->n_literals;
        add(p, -read);
        if (w != ISO_INIT) {
            add(p, overwritten(p, t2, p->h->op_txn[w]));
        }
        add(p, p->two ? points_before(p, 2 * t3, 2 * t2 + 1) : points_before(p, t3, t2));
        end_line(p, begin, (line){RW, r, w, w2});
    }
}

void iso_proof_choice(iso_proof *p, uint32_t r) {
    entry *e;
    if (once(p, CHOICE, r, 0, 0, &e)) {
        int in = takes_part(p, p->h->op_txn[r]);
        uint32_t begin = p->n_literals, at = 0;
        add(p, -in);
        for (uint32_t w; (w = iso_proof_next(p->h, r, &at)) != ISO_NONE;) {
            add(p, iso_proof_took(p, r, w));
        }
        end_line(p, begin, (line){CHOICE, r, 0, 0});
    }
}

void iso_proof_one(iso_proof *p, uint32_t r, uint32_t w, uint32_t w2) {
    entry *e;
    if (once(p, ONE, r, w, w2, &e)) {
        int one = took(p, r, w), other = took(p, r, w2);
        uint32_t begin = p->n_literals;
        add(p, -one);
        add(p, -other);
        end_line(p, begin, (line){ONE, r, w, w2});
    }
}

void iso_proof_part(iso_proof *p, uint32_t r, uint32_t w) {
    entry *e;
    if (once(p, PART, r, w, 0, &e)) {
        int read = took(p, r, w), in = takes_part(p, p->h->op_txn[w]);
        uint32_t begin = p->n_literals;
        add(p, -read);
        add(p, in);
        end_line(p, begin, (line){PART, r, w, 0});
    }
}

void iso_proof_list(iso_proof *p, uint32_t r, uint32_t t, uint32_t u) {
    entry *e;
    if (once(p, LIST, r, t, u, &e)) {
        uint32_t begin = p->n_literals;
        add(p, overwritten(p, t, u));
        end_line(p, begin, (line){LIST, r, t, u});
    }
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
        add(p, -points_before(p, p->points[i], next));
    }
    end_line(p, begin, (line){CYCLE, first, p->n_points, 0});
    p->circle = p->n_points;
}

void iso_proof_lemma(iso_proof *p, const int *literals, uint32_t n) {
    uint32_t begin = p->n_literals;
    for (uint32_t i = 0; i < n; i++) {
        add(p, literals[i]);
    }
    end_line(p, begin, (line){LEMMA, 0, 0, 0});
}
