/* Tests history/read_consistency.h. Read consistency: every kind by a small case, and random histories against the
 * definition read literally. */
#include "base/random.h"
#include "history/copy.h"
#include "history/read_consistency.h"

#include <stdio.h>
#include <string.h>

#include "tests/guarded.h"
#include "tests/raw.h"
#include "tests/seed.h"

typedef struct finding {
    int kind; /* by read; ISO_INT_KINDS: fine */
    uint32_t other;
} finding;

static void note(void *arg, iso_int_kind kind, uint32_t read, uint32_t other) {
    finding *f = arg;
    f[read] = (finding){(int)kind, other};
}

/* ---- the definition, quadratic ---- */

static bool same_txn(const isolab_history *h, uint32_t a, uint32_t b) { return h->op_txn[a] == h->op_txn[b]; }

static uint32_t last_own_before(const isolab_history *h, uint32_t read) {
    uint32_t own = ISO_NONE;
    for (uint32_t o = h->txn_op[h->op_txn[read]]; o < read; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[read]) {
            own = o;
        }
    }
    return own;
}

static bool overwritten(const isolab_history *h, uint32_t w) {
    for (uint32_t o = w + 1; o < h->txn_op[h->op_txn[w] + 1]; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[w]) {
            return true;
        }
    }
    return false;
}

/* The kind of one reading; list: as an element before the reader's own appends, and the last such or not. */
static int literal(const isolab_history *h, uint32_t read, uint32_t w, bool list, bool last) {
    uint32_t own = last_own_before(h, read);
    if (w == ISO_INIT) {
        return own == ISO_NONE || list ? ISO_INT_KINDS : ISO_INT_NOT_OWN;
    }
    if (!same_txn(h, read, w) && h->txn_counts[h->op_txn[w]] == ISO_EXCLUDED) {
        return ISO_INT_ABORTED;
    }
    if (same_txn(h, read, w)) {
        return w > read ? ISO_INT_FUTURE : w != own || list ? ISO_INT_NOT_LAST_OWN : ISO_INT_KINDS;
    }
    if (own != ISO_NONE && !list) {
        return ISO_INT_NOT_OWN;
    }
    return last && overwritten(h, w) ? ISO_INT_NOT_LAST : ISO_INT_KINDS;
}

static int literal_version(const isolab_history *h, uint32_t read, uint32_t version, bool list, bool last) {
    int best = ISO_INT_THIN_AIR;
    if (iso_version_is_initial(h, version)) {
        best = literal(h, read, ISO_INIT, list, last);
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (iso_is_write(h->op_kind[o]) && h->op_version[o] == version) {
            int one = literal(h, read, o, list, last);
            best = one > best ? one : best;
        }
    }
    return best;
}

static int literal_list(const isolab_history *h, uint32_t read) {
    const uint32_t *element = h->list_version + h->list_first[h->op_version[read]];
    uint32_t n = h->list_first[h->op_version[read] + 1] - h->list_first[h->op_version[read]];
    uint32_t own[RAW_OPS], m = 0;
    for (uint32_t o = h->txn_op[h->op_txn[read]]; o < read; o++) {
        if (h->op_kind[o] == ISO_APPEND && h->op_key[o] == h->op_key[read]) {
            own[m++] = h->op_version[o];
        }
    }
    uint32_t matched = 0;
    while (matched < m && matched < n && element[n - 1 - matched] == own[m - 1 - matched]) {
        matched++;
    }
    int worst = matched == m ? ISO_INT_KINDS : ISO_INT_NOT_OWN;
    for (uint32_t i = 0; matched < m && n > 0 && i < m; i++) {
        worst = own[i] == element[n - 1] ? ISO_INT_NOT_LAST_OWN : worst;
    }
    for (uint32_t e = 0; e < n - matched; e++) {
        int one = literal_version(h, read, element[e], true, e + 1 == n - matched);
        worst = one < worst ? one : worst;
    }
    return worst;
}

static bool other_is_right(const isolab_history *h, uint32_t read, finding f) {
    if (f.kind == ISO_INT_THIN_AIR || f.kind == ISO_INT_KINDS) {
        return f.other == ISO_NONE;
    }
    if (f.other >= h->n_ops || !iso_is_write(h->op_kind[f.other]) || h->op_key[f.other] != h->op_key[read]) {
        return false;
    }
    switch (f.kind) {
    case ISO_INT_ABORTED:
        return h->txn_counts[h->op_txn[f.other]] == ISO_EXCLUDED;
    case ISO_INT_FUTURE:
        return same_txn(h, read, f.other) && f.other > read;
    case ISO_INT_NOT_OWN:
    case ISO_INT_NOT_LAST_OWN:
        return f.other == last_own_before(h, read);
    default:
        return !same_txn(h, read, f.other);
    }
}

/* ---- long transactions ---- */

enum { PAD = 70 }; /* reads that make a transaction a long one */

/* The same history, whose transactions also read another key very often, before, after or not at all. to: by operation,
 * its new number. */
static isolab_history *padded(iso_pool *pool, const isolab_history *h, iso_rng *rng, uint32_t *to) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t n = 0;
    iso_copy_names(b, h);
    uint32_t key = iso_builder_key(b, iso_atom_int(12345));
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        uint32_t session = iso_builder_session(b, h->session_name[s]);
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t txn = iso_copy_txn(b, session, h, t), where = (uint32_t)iso_random_below(rng, 4);
            for (uint32_t i = 0; i < PAD && where == 1; i++, n++) {
                iso_builder_op(b, txn, ISO_READ, key, iso_atom_nil());
            }
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                iso_copy_op(pool, b, txn, h, o, o);
                to[o] = n++;
            }
            for (uint32_t i = 0; i < PAD && where >= 2; i++, n++) {
                iso_builder_op(b, txn, ISO_READ, key, iso_atom_nil());
            }
        }
    }
    return iso_builder_finish(b);
}

/* Whether the same reads offend in the same way. */
static bool same_when_padded(iso_pool *pool, const isolab_history *h, const finding *f, iso_rng *rng) {
    uint32_t to[RAW_OPS];
    const isolab_history *p = padded(pool, h, rng, to);
    finding *g = ISO_NEW(pool, finding, p->n_ops);
    uint64_t expected = 0;
    for (uint32_t o = 0; o < p->n_ops; o++) {
        g[o] = (finding){ISO_INT_KINDS, ISO_NONE};
    }
    uint64_t n = iso_check_int(p, pool, note, g);
    bool same = true;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t other = f[o].other == ISO_NONE ? ISO_NONE : to[f[o].other];
        same = same && g[to[o]].kind == f[o].kind && g[to[o]].other == other;
        expected += f[o].kind != ISO_INT_KINDS;
    }
    return same && n == expected;
}

static void against_the_definition(iso_pool *outer) {
    uint64_t seed = seed_of_run(), seen[ISO_INT_KINDS + 1] = {0};
    iso_rng rng = {seed};
    unsigned rounds = raw_rounds(5000, 100000, 2000000), bad = 0;
    for (unsigned i = 0; i < rounds && bad == 0; i++) {
        iso_pool pool;
        iso_pool_init(&pool, outer->env);
        raw_history r;
        raw_random(&r, &rng);
        if (iso_random_below(&rng, 4) == 0) { /* elements that repeat, which raw_random() leaves out */
            uint64_t values = 2 + iso_random_below(&rng, 4);
            for (unsigned o = 0; o < r.n_ops; o++) {
                if (r.op[o].kind == ISO_APPEND) {
                    r.op[o].value = (int)iso_random_below(&rng, values);
                }
                for (unsigned e = 0; e < r.op[o].n_elements; e++) {
                    r.op[o].element[e] = (int)iso_random_below(&rng, values + 1);
                }
            }
        }
        isolab_history *h = raw_build(&r, &pool);
        finding f[RAW_OPS];
        for (uint32_t o = 0; o < h->n_ops; o++) {
            f[o] = (finding){ISO_INT_KINDS, ISO_NONE};
        }
        uint64_t n = iso_check_int(h, &pool, note, f), expected = 0;
        for (uint32_t o = 0; o < h->n_ops; o++) {
            int kind = ISO_INT_KINDS;
            if (!iso_is_write(h->op_kind[o]) && h->txn_counts[h->op_txn[o]] == ISO_INCLUDED) {
                kind = h->op_kind[o] == ISO_READ ? literal_version(h, o, h->op_version[o], false, true)
                                                 : literal_list(h, o);
                seen[kind]++;
            }
            expected += kind != ISO_INT_KINDS;
            if (kind != f[o].kind || !other_is_right(h, o, f[o])) {
                char text[256];
                diag("seed %llu, round %u: operation %u (%s): kind %d expected, found %d (other %u)",
                     (unsigned long long)seed, i, o, iso_op_text(h, o, text, sizeof text), kind, f[o].kind, f[o].other);
                bad++;
            }
        }
        bad += n != expected;
        bad += i % 16 == 0 && !same_when_padded(&pool, h, f, &rng);
        iso_pool_free(&pool);
    }
    cmp_ok(bad, "==", 0, "%u random histories agree with the definition, seed %llu", rounds, (unsigned long long)seed);
    for (int k = 0; k <= ISO_INT_KINDS; k++) {
        cmp_ok(seen[k], ">", 0, "kind %d occurred (%llu times)", k, (unsigned long long)seen[k]);
    }
}

/* ---- one case a kind ---- */

enum { CASE_OPS = 256 };

/* Operations of one key: `w1`, `r1` (values 0 to 9), `a1`, `l12` (list reads); `;` ends a transaction, `!`
 * aborts it. The answer is the kinds of the reads in order, one letter each: a b c d e E(own), . fine. */
static void expect(iso_pool *pool, const char *ops, const char *kinds) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t key = iso_builder_key(b, iso_atom_int(1)), s = iso_builder_session(b, iso_atom_nil());
    uint32_t txn = iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
    for (const char *c = ops; *c != '\0'; c++) {
        if (*c == ';') {
            txn = iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
        } else if (*c == '!') {
            iso_builder_status(b, txn, ISO_ABORTED);
        } else if (*c == 'l') {
            iso_atom element[8];
            size_t n = 0;
            while (c[1] >= '0' && c[1] <= '9') {
                element[n++] = iso_atom_int(*++c - '0');
            }
            iso_builder_list_read(b, txn, key, element, n);
        } else if (*c == 'w' || *c == 'r' || *c == 'a') {
            iso_op_kind kind = *c == 'w' ? ISO_WRITE : *c == 'r' ? ISO_READ : ISO_APPEND;
            iso_builder_op(b, txn, kind, key, c[1] == 'n' ? iso_atom_nil() : iso_atom_int(c[1] - '0'));
            c++;
        }
    }
    isolab_history *h = iso_builder_finish(b);
    finding f[CASE_OPS];
    for (uint32_t o = 0; o < h->n_ops; o++) {
        f[o] = (finding){ISO_INT_KINDS, ISO_NONE};
    }
    iso_check_int(h, pool, note, f);
    char got[CASE_OPS];
    size_t n = 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (!iso_is_write(h->op_kind[o])) {
            got[n++] = "abcdEe."[f[o].kind];
        }
    }
    got[n] = '\0';
    is(got, kinds, "%s", ops);
}

static void cases(iso_pool *pool) {
    expect(pool, "w1; r1 r2", ".a");
    expect(pool, "w1 !; r1", "b");
    expect(pool, "r1 w1", "c");
    expect(pool, "w1; w2 r1 r2", "d.");
    expect(pool, "w1 w2; r1 r2", "e.");
    expect(pool, "w1 w2 r1 r2", "E.");
    expect(pool, "rn w1 rn", ".d");
    expect(pool, "w1 ! r2; rn", "..");    /* reads of aborted transactions do not matter */
    expect(pool, "w1; w1 w2; r1", ".");   /* one candidate is enough */
    expect(pool, "w1 !; w1 w2; r1", "e"); /* both offend: the milder is reported */
    expect(pool, "w1 r1; w1", ".");
    expect(pool, "a1; l1 a2 l12 l1 l2", "..d."); /* l2: without the external part is read consistent */
    expect(pool, "a1 a2; l1 l12 l21", "e.e");
    expect(pool, "a1; a2; a3 l123 l132 l312 l12", ".ddd");
    expect(pool, "a1 a2 l1 l2 l12 l21", "EE.E");
    expect(pool, "a1 !; l1 l3 l", "ba.");
    expect(pool, "l1 a1", "c");
    char many[CASE_OPS * 4] = "a1 !; a1; a1;", fine[CASE_OPS] = "";
    for (int i = 0; i < 150; i++) { /* more lists than versions, in short transactions */
        strcat(many, i % 50 == 49 ? " l1;" : " l1");
        strcat(fine, ".");
    }
    expect(pool, many, fine);
    expect(pool, "a1 a2; a3; l13 l123 l31", "..e"); /* inside a list an overwritten element is no offence */
}

static void run(void *arg) {
    cases(arg);
    against_the_definition(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
