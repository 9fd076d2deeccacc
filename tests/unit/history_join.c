/* Tests history/join.c. The join of reads with writes, and the included transactions, against brute force on random
 * small histories of all shapes; then each way of numbering versions on histories made for it; then memory. */
#include <string.h>

#include "base/random.h"
#include "tests/guarded.h"
#include "tests/raw.h"
#include "tests/seed.h"

/* ---- brute force on the records ---- */

typedef struct placed {
    unsigned at[RAW_OPS]; /* record of each operation of the history */
    uint32_t op[RAW_OPS]; /* operation of each record */
    uint32_t new_txn[RAW_TXNS];
} placed;

/* Sessions are numbered as they are first named; transactions by session, in the order of the records. */
static void place(const raw_history *r, placed *p) {
    bool seen[RAW_TXNS] = {false};
    uint32_t next_txn = 0, next_op = 0;
    for (unsigned t = 0; t < r->n_txns; t++) {
        uint32_t s = r->session[t];
        if (seen[s]) {
            continue;
        }
        seen[s] = true;
        for (unsigned u = 0; u < r->n_txns; u++) {
            if (r->session[u] != s) {
                continue;
            }
            p->new_txn[u] = next_txn++;
            for (unsigned i = 0; i < r->n_ops; i++) {
                if (r->op[i].txn == u) {
                    p->at[next_op] = i;
                    p->op[i] = next_op++;
                }
            }
        }
    }
}

static bool is_nil(const raw_history *r, const raw_op *o, int value) {
    return value < 0 || (value == 0 && r->zero_is_initial && o->kind != ISO_APPEND && o->kind != ISO_LIST_READ);
}

static bool same_value(const raw_history *r, const raw_op *a, int va, const raw_op *b, int vb) {
    return a->key == b->key && (is_nil(r, a, va) ? is_nil(r, b, vb) : !is_nil(r, b, vb) && va == vb);
}

/* The writer that history.h asks for; *n writers that a read may have taken, the initial transaction included. counts:
 * which transactions are included; NULL: not known yet, all that did not abort. If only excluded transactions wrote the
 * value, the first of their writes is its writer. */
static uint32_t writer_of(const raw_history *r, const placed *p, const uint8_t *counts, const raw_op *o, int value,
                          unsigned *n) {
    uint32_t writer = is_nil(r, o, value) ? ISO_INIT : ISO_NONE, excluded = ISO_NONE;
    *n = writer == ISO_INIT;
    for (unsigned i = 0; i < r->n_ops; i++) {
        const raw_op *w = &r->op[i];
        if (!iso_is_write((uint8_t)w->kind) || !same_value(r, o, value, w, w->value)) {
            continue;
        }
        if (counts != NULL ? counts[w->txn] == ISO_EXCLUDED : r->status[w->txn] == ISO_ABORTED) {
            excluded = p->op[i] < excluded ? p->op[i] : excluded;
        } else {
            writer = ++*n == 1 ? p->op[i] : ISO_MANY;
        }
    }
    if (*n == 0 && excluded != ISO_NONE) {
        *n = 1;
        return excluded;
    }
    return writer;
}

/* The rule of indeterminate transactions as a fixed point over the records. */
static void who_counts(const raw_history *r, const placed *p, uint8_t counts[RAW_TXNS]) {
    for (unsigned t = 0; t < r->n_txns; t++) {
        counts[t] = r->status[t] == ISO_COMMITTED ? ISO_INCLUDED : ISO_EXCLUDED;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < r->n_ops; i++) {
            const raw_op *o = &r->op[i];
            unsigned values = o->kind == ISO_READ ? 1 : o->kind == ISO_LIST_READ ? o->n_elements : 0;
            for (unsigned e = 0; e < values && counts[o->txn] != ISO_EXCLUDED; e++) {
                int value = o->kind == ISO_READ ? o->value : o->element[e];
                unsigned n;
                writer_of(r, p, NULL, o, value, &n);
                for (unsigned j = 0; j < r->n_ops; j++) {
                    const raw_op *w = &r->op[j];
                    if (!iso_is_write((uint8_t)w->kind) || !same_value(r, o, value, w, w->value) || w->txn == o->txn ||
                        r->status[w->txn] != ISO_INDETERMINATE) {
                        continue;
                    }
                    uint8_t to = n == 1 && counts[o->txn] == ISO_INCLUDED ? ISO_INCLUDED : ISO_OPTIONAL;
                    if (counts[w->txn] != ISO_INCLUDED && counts[w->txn] != to) {
                        counts[w->txn] = to;
                        changed = true;
                    }
                }
            }
        }
    }
}

static const char *differs(const raw_history *r, const isolab_history *h) {
    placed p;
    place(r, &p);
    uint8_t counts[RAW_TXNS];
    who_counts(r, &p, counts);
    bool unique = true;
    if (h->n_ops != r->n_ops || h->n_txns != r->n_txns) {
        return "sizes";
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        const raw_op *x = &r->op[p.at[o]];
        unsigned n = 0;
        if (h->op_txn[o] != p.new_txn[x->txn] || o < h->txn_op[h->op_txn[o]] || o >= h->txn_op[h->op_txn[o] + 1]) {
            return "the transaction of an operation";
        }
        bool empty_list = h->key_is_list[h->op_key[o]] && x->kind == ISO_READ;
        if (h->op_kind[o] != (uint8_t)x->kind && !(empty_list && h->op_kind[o] == ISO_LIST_READ)) {
            return "the kind of an operation";
        }
        if (iso_is_write((uint8_t)x->kind)) {
            writer_of(r, &p, counts, x, x->value, &n);
            unique &= n == 1;
            uint32_t v = h->op_version[o], m;
            const uint32_t *writers = iso_writers(h, v, &m);
            bool listed = false;
            for (uint32_t i = 0; i < m; i++) {
                listed |= writers[i] == o;
                if (i > 0 && writers[i - 1] >= writers[i]) {
                    return "the order of writers";
                }
            }
            listed |= counts[x->txn] == ISO_EXCLUDED;
            if (!listed || m + iso_version_is_initial(h, v) != n) {
                return "the writers of a version";
            }
        }
        for (uint32_t q = 0; q < h->n_ops; q++) { /* versions are pairs of key and value */
            const raw_op *y = &r->op[p.at[q]];
            if (h->op_kind[o] != ISO_LIST_READ && h->op_kind[q] != ISO_LIST_READ &&
                (h->op_version[o] == h->op_version[q]) != same_value(r, x, x->value, y, y->value)) {
                return "versions";
            }
        }
        uint32_t expected = ISO_NONE;
        if (h->op_kind[o] == ISO_LIST_READ) {
            const uint32_t *version = h->list_version + h->list_first[h->op_version[o]];
            uint32_t size = h->list_first[h->op_version[o] + 1] - h->list_first[h->op_version[o]];
            if (size != (x->kind == ISO_READ ? 0 : x->n_elements)) {
                return "the length of a list";
            }
            expected = ISO_INIT;
            for (uint32_t e = 0; e < size; e++) {
                expected = writer_of(r, &p, counts, x, x->element[e], &n);
                if (h->version_writer[version[e]] != expected || h->version_key[version[e]] != h->op_key[o]) {
                    return "an element of a list";
                }
            }
        } else if (x->kind == ISO_READ) {
            expected = writer_of(r, &p, counts, x, x->value, &n);
        }
        if (h->op_writer[o] != expected) {
            return "the writer of a read";
        }
    }
    for (unsigned t = 0; t < r->n_txns; t++) {
        if (h->txn_status[p.new_txn[t]] != r->status[t] || h->txn_counts[p.new_txn[t]] != counts[t]) {
            return "the included transactions";
        }
    }
    if (h->unique != unique || (h->writers_first == NULL) != unique) {
        return "whether values are unique";
    }
    if (!unique) {
        uint32_t a = h->twin_a, b = h->twin_b;
        uint32_t of_a = a == ISO_INIT ? h->op_version[b] : h->op_version[a];
        if (a == b || h->op_version[b] != of_a || !iso_is_write(h->op_kind[b]) ||
            (a == ISO_INIT ? !iso_version_is_initial(h, of_a) : !iso_is_write(h->op_kind[a]))) {
            return "the twins";
        }
    }
    return NULL;
}

/* A key that was only read as nil may be a register or a list, and mixing the two is refused. */
typedef struct trial {
    const raw_history *r;
    iso_pool *pool;
    isolab_history *h;
} trial;

static void build(void *arg) {
    trial *t = arg;
    t->h = raw_build(t->r, t->pool);
}

static void against_brute_force(iso_pool *outer) {
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    unsigned rounds = raw_rounds(5000, 100000, 2000000), refused = 0, unique = 0;
    const char *why = NULL;
    for (unsigned i = 0; i < rounds && why == NULL; i++) {
        iso_pool pool;
        iso_pool_init(&pool, outer->env);
        raw_history r;
        raw_random(&r, &rng);
        trial t = {&r, &pool, NULL};
        if (iso_guard(outer->env, build, &t) != ISOLAB_OK) {
            refused++;
        } else {
            why = differs(&r, t.h);
            unique += t.h->unique;
            if (why != NULL) {
                diag("seed %llu, round %u, shape %u: %s", (unsigned long long)seed, i, r.shape, why);
            }
        }
        iso_pool_free(&pool);
    }
    ok(why == NULL, "%u random histories agree with brute force, seed %llu", rounds, (unsigned long long)seed);
    cmp_ok(refused, "==", 0, "none is refused");
    cmp_ok(unique, ">", rounds / 10, "%u of them have unique values", unique);
    cmp_ok(unique, "<", rounds - rounds / 10, "and others do not");
}

/* ---- each way to number versions, at a size where it is taken ---- */

enum { MANY = 30000 };

/* Half of the operations write a new value, the others read a value that was written to their key before. */
static void ways(iso_pool *outer, const char *name, uint64_t (*value)(uint32_t key, uint64_t count, iso_rng *rng),
                 bool strings, uint32_t keys) {
    iso_pool pool;
    iso_pool_init(&pool, outer->env);
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    iso_builder *b = iso_builder_new(&pool);
    uint32_t s = iso_builder_session(b, iso_atom_nil()), txn = 0;
    uint32_t *expected = ISO_NEW(&pool, uint32_t, MANY), *key_of = ISO_NEW(&pool, uint32_t, MANY);
    iso_atom *atom = ISO_NEW(&pool, iso_atom, MANY);
    uint64_t count = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        if (i % 7 == 0) {
            txn = iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
        }
        uint32_t from = i == 0 ? 0 : (uint32_t)iso_random_below(&rng, i);
        if (i == 0 || expected[from] != ISO_NONE || iso_random_below(&rng, 10) == 0) {
            key_of[i] = (uint32_t)iso_random_below(&rng, keys);
            atom[i] = iso_atom_uint(value(key_of[i], ++count, &rng));
            if (strings) {
                char text[32];
                int n = snprintf(text, sizeof text, "%llu", (unsigned long long)atom[i].bits);
                atom[i] = iso_builder_string(b, text, (size_t)n);
            }
            expected[i] = ISO_NONE;
            iso_builder_op(b, txn, ISO_WRITE, iso_builder_key(b, iso_atom_int(key_of[i])), atom[i]);
        } else {
            key_of[i] = key_of[from];
            atom[i] = atom[from];
            expected[i] = from;
            iso_builder_op(b, txn, ISO_READ, iso_builder_key(b, iso_atom_int(key_of[i])), atom[i]);
        }
    }
    isolab_history *h = iso_builder_finish(b);
    uint32_t bad = 0;
    for (uint32_t o = 0; o < MANY; o++) {
        uint32_t v = h->op_version[o];
        bad += h->op_writer[o] != expected[o] || !iso_atom_equal(iso_version_value(h, v), atom[o]) ||
               h->key_name[h->version_key[v]].bits != key_of[o] || h->version_key[v] != h->op_key[o];
    }
    cmp_ok(bad, "==", 0, "%s: all reads find their writer, seed %llu", name, (unsigned long long)seed);
    cmp_ok(h->n_versions, "==", count, "and there are as many versions as writes");
    cmp_ok(iso_history_op_bytes(h), "<=", 40ull * h->n_ops, "at most 40 bytes an operation");
    cmp_ok(iso_history_txn_bytes(h), "<=", 64ull * h->n_txns, "at most 64 bytes a transaction");
    iso_pool_free(&pool);
}

/* The how manieth value of its key this is. */
static uint64_t per_key(uint32_t key, uint64_t count, iso_rng *rng) {
    static uint64_t last[64];
    (void)rng;
    if (count == 1) {
        memset(last, 0, sizeof last);
    }
    return ++last[key];
}

static uint64_t counter(uint32_t key, uint64_t count, iso_rng *rng) {
    (void)key;
    (void)rng;
    return count;
}

/* All values lie close enough together for one table, the values of a key do not, and keys share values. */
static uint64_t shared(uint32_t key, uint64_t count, iso_rng *rng) {
    uint64_t n = per_key(key, count, rng);
    return n == 1 ? 400000 - key : n;
}

static uint64_t spread(uint32_t key, uint64_t count, iso_rng *rng) {
    (void)rng;
    return 1000003 * count + key;
}

static uint64_t huge(uint32_t key, uint64_t count, iso_rng *rng) {
    (void)key;
    return (iso_random(rng) & ~(uint64_t)0xffff) | (count & 0xffff);
}

static void run(void *arg) {
    ways(arg, "a counter for each key", per_key, false, 50);
    ways(arg, "one counter", counter, false, 50);
    ways(arg, "one counter over many keys", counter, false, 20000);
    ways(arg, "keys that share values", shared, false, 50);
    ways(arg, "spread values", spread, false, 50);
    ways(arg, "64 random bits", huge, false, 50);
    ways(arg, "strings", counter, true, 50);
    against_brute_force(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
