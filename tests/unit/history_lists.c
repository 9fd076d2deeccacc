/* The order of lists: faults by name, and the blocks against the definition of docs/lists.md, literally, for every
 * commit order of small random histories. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "formats/format.h"
#include "history/lists.h"
#include "history/read_consistency.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "tests/tap.h"

enum { MOST_TXNS = 5 };

/* `a1 r12`: key 0 throughout unless in capitals; a: append, r: list read. A transaction a word, one session each;
 * `!` before it: aborted. */
static isolab_history *scenario(iso_pool *pool, const char *text) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t key = iso_builder_key(b, iso_atom_int(0)), txn = ISO_NONE;
    for (const char *p = text; *p != '\0';) {
        if (*p == ' ') {
            txn = ISO_NONE;
            p++;
            continue;
        }
        if (txn == ISO_NONE) {
            txn = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(),
                                  *p == '!' ? ISO_ABORTED : ISO_COMMITTED);
            p += *p == '!';
        }
        bool append = *p++ == 'a';
        iso_atom element[16];
        size_t n = 0;
        while (*p >= '0' && *p <= '9') {
            element[n++] = iso_atom_int(*p++ - '0');
        }
        if (append) {
            iso_builder_op(b, txn, ISO_APPEND, key, element[0]);
        } else {
            iso_builder_list_read(b, txn, key, element, n);
        }
    }
    return iso_builder_finish(b);
}

typedef struct said {
    char text[400];
    size_t used;
    uint64_t n;
} said;

static void say(void *arg, const iso_list_fault *f) {
    static const char *const kind[] = {"incompatible", "duplicate", "lost"};
    said *s = arg;
    s->n++;
    s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used, "%s%s op %u, op %u, at %u",
                                s->used > 0 ? "; " : "", kind[f->kind], f->read_op, f->other_op, f->position);
}

static void scenarios(iso_pool *pool) {
    static const struct {
        const char *what, *text, *faults, *blocks, *rest;
    } cases[] = {
        {"no reads: every writer is free", "a1 a2", "", "", "0 1"},
        {"the longest read orders its writers, the others come after", "a1 a2 a3 r r2 r21", "", "1 0", "2"},
        {"own appends are not external", "a1 a2r12", "", "0", "1"},
        {"two orders", "a1 a2 r12 r21", "incompatible op 3, op 2, at 0", "0 1", ""},
        {"two branches", "a1 a2 a3 r12 r13", "incompatible op 4, op 3, at 1", "0 1", "2"},
        {"a shorter branch", "a1 a2 a3 r2 r13", "incompatible op 3, op 4, at 0", "0 2", "1"},
        {"an element twice", "a1 a2 r121", "duplicate op 2, op 0, at 2", "0 1", ""},
        {"an element twice in the shorter of two reads", "a1 a2 a3 r11 r123",
         "incompatible op 3, op 4, at 1; duplicate op 3, op 0, at 1", "0 1 2", ""},
        {"whole blocks", "a1a2 a3 r123", "", "0 1", ""},
        {"a lost first append", "a1a2 a3 r23", "lost op 3, op 0, at 0", "0 1", ""},
        {"a lost append in the middle", "a1a2a3 a4 r134", "lost op 4, op 1, at 1", "0 1", ""},
        {"a lost last append", "a1a2 a3 r13", "lost op 3, op 1, at 1", "0 1", ""},
        {"a block torn by another", "a1a2 a3 r132", "lost op 3, op 1, at 1; lost op 3, op 0, at 2", "0 1", ""},
        {"a block in the wrong order", "a1a2 r21", "lost op 2, op 0, at 0", "0", ""},
        {"a block that the end cuts is an intermediate read, not a lost element", "a1a2 r1", "", "0", ""},
        {"aborted and thin-air elements are no blocks", "!a1 a2 r192", "", "1", ""},
        {"reads of aborted transactions show nothing", "a1 !r1", "", "", "0"},
        {"a read without its own appends is left to read consistency", "a1 a2r1 r2", "", "1", "0"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        isolab_history *h = scenario(pool, cases[c].text);
        said s = {.used = 0};
        iso_lists *l = iso_lists_infer(h, pool, say, &s);
        is(s.text, cases[c].faults, "%s: %s", cases[c].text, cases[c].what);
        cmp_ok(l->n_faults, "==", s.n, "%s: the number of faults", cases[c].text);
        char list[2][100] = {"", ""};
        const uint32_t *first[2] = {l->block_first, l->rest_first}, *txn[2] = {l->block_txn, l->rest_txn};
        for (int which = 0; which < 2; which++) {
            for (uint32_t i = first[which][0]; i < first[which][1]; i++) {
                size_t n = strlen(list[which]);
                snprintf(list[which] + n, sizeof list[which] - n, "%s%u", n > 0 ? " " : "", txn[which][i]);
            }
        }
        is(list[0], cases[c].blocks, "%s: blocks", cases[c].text);
        is(list[1], cases[c].rest, "%s: the rest", cases[c].text);
    }
}

/* ---- against the definition ---- */

/* Random appends and reads of two keys; reads show a random interleaving of appends, mostly an honest one. */
static isolab_history *random_lists(iso_pool *pool, iso_rng *rng) {
    iso_builder *b = iso_builder_new(pool);
    unsigned n_txns = 2 + (unsigned)iso_random_below(rng, MOST_TXNS - 1);
    bool honest = iso_random_below(rng, 4) != 0;
    iso_atom state[2][40];
    size_t length[2] = {0, 0};
    int counter = 0;
    for (unsigned t = 0; t < n_txns; t++) {
        uint64_t status = iso_random_below(rng, 12);
        uint32_t txn = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(),
                                       status == 0   ? ISO_ABORTED
                                       : status == 1 ? ISO_INDETERMINATE
                                                     : ISO_COMMITTED);
        size_t from[2], snapshot[2]; /* reads of a transaction see an old prefix, then its own appends */
        for (int k = 0; k < 2; k++) {
            from[k] = length[k];
            snapshot[k] = honest && iso_random_below(rng, 3) != 0 ? length[k] : iso_random_below(rng, length[k] + 1);
        }
        for (uint64_t o = iso_random_below(rng, 4); o > 0; o--) {
            size_t k = iso_random_below(rng, 2);
            uint32_t key = iso_builder_key(b, iso_atom_int((int64_t)k));
            if (iso_random_below(rng, 2) == 0) {
                iso_builder_op(b, txn, ISO_APPEND, key, state[k][length[k]++] = iso_atom_int(++counter));
                continue;
            }
            iso_atom seen[40];
            size_t n = snapshot[k];
            memcpy(seen, state[k], n * sizeof *seen);
            for (size_t e = from[k]; e < length[k]; e++) {
                seen[n++] = state[k][e];
            }
            if (!honest && n > 1 && iso_random_below(rng, 2) == 0) {
                size_t x = iso_random_below(rng, n), y = iso_random_below(rng, n);
                iso_atom swap = seen[x];
                seen[x] = seen[y];
                seen[y] = iso_random_below(rng, 4) == 0 ? seen[y] : swap;
            }
            n -= !honest && n > 0 && iso_random_below(rng, 4) == 0;
            iso_builder_list_read(b, txn, key, seen, n);
        }
    }
    return iso_builder_finish(b);
}

/* Rule 1 and wr in co, word for word. rank[t]: the place of t in co. */
static bool fits(const isolab_history *h, const uint32_t *order, uint32_t n, const uint32_t *rank) {
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t3 = h->op_txn[o], key = h->op_key[o];
        if (h->op_kind[o] != ISO_LIST_READ || h->txn_counts[t3] != ISO_INCLUDED) {
            continue;
        }
        const uint32_t *list = h->list_version + h->list_first[h->op_version[o]];
        uint32_t length = h->list_first[h->op_version[o] + 1] - h->list_first[h->op_version[o]];
        uint32_t own[64], n_own = 0, state[64], n_state = 0;
        for (uint32_t p = h->txn_op[t3]; p < o; p++) {
            if (h->op_kind[p] == ISO_APPEND && h->op_key[p] == key) {
                own[n_own++] = h->op_version[p];
            }
        }
        if (length < n_own || memcmp(list + length - n_own, own, n_own * sizeof *own) != 0) {
            return false;
        }
        uint32_t external = length - n_own;
        bool found = external == 0;
        for (uint32_t i = 0; i < n && !found; i++) { /* the state after each writer in turn */
            uint32_t before = n_state;
            for (uint32_t p = h->txn_op[order[i]]; p < h->txn_op[order[i] + 1]; p++) {
                if (h->op_kind[p] == ISO_APPEND && h->op_key[p] == key) {
                    state[n_state++] = h->op_version[p];
                }
            }
            found = n_state > before && n_state == external && order[i] != t3 && rank[order[i]] < rank[t3] &&
                    memcmp(state, list, external * sizeof *list) == 0;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* The same from what was inferred. */
static bool follows(const isolab_history *h, const iso_lists *l, const uint32_t *rank) {
    for (uint32_t k = 0; k < h->n_keys; k++) {
        for (uint32_t i = l->block_first[k]; i < l->block_first[k + 1]; i++) {
            if (i > l->block_first[k] && rank[l->block_txn[i - 1]] > rank[l->block_txn[i]]) {
                return false;
            }
            for (uint32_t j = l->rest_first[k]; j < l->rest_first[k + 1]; j++) {
                if (rank[l->block_txn[i]] > rank[l->rest_txn[j]]) {
                    return false;
                }
            }
        }
    }
    for (uint32_t i = 0; i < l->n_reads; i++) {
        uint32_t w = l->read[i].writer;
        if (w < ISO_MANY && rank[h->op_txn[w]] >= rank[h->op_txn[l->read[i].op]]) {
            return false;
        }
    }
    return true;
}

typedef struct tally {
    uint64_t histories, consistent, orders, fitting;
} tally;

static bool all_orders_agree(iso_pool *pool, const isolab_history *h, tally *sum) {
    iso_lists *l = iso_lists_infer(h, pool, NULL, NULL);
    bool consistent = iso_check_int(h, pool, NULL, NULL) == 0 && l->n_faults == 0;
    uint32_t order[MOST_TXNS], rank[MOST_TXNS] = {0}, n = 0, count[MOST_TXNS] = {0};
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == ISO_INCLUDED) {
            order[n++] = t;
        }
    }
    sum->histories++;
    sum->consistent += consistent;
    for (uint32_t i = 0; i <= n;) { /* Heap's permutations */
        for (uint32_t at = 0; at < n; at++) {
            rank[order[at]] = at;
        }
        bool wanted = fits(h, order, n, rank), got = consistent && follows(h, l, rank);
        sum->orders++;
        sum->fitting += wanted;
        if (wanted != got) {
            diag("the definition says %d, the blocks say %d", wanted, got);
            for (uint32_t o = 0; o < h->n_ops; o++) {
                char text[200];
                diag("t%u (%u): %s", h->op_txn[o], h->txn_counts[h->op_txn[o]], iso_op_text(h, o, text, sizeof text));
            }
            return false;
        }
        i = 1;
        while (i < n && count[i] >= i) {
            count[i++] = 0;
        }
        if (i >= n) {
            break;
        }
        uint32_t with = i % 2 == 1 ? count[i] : 0, swap = order[with];
        order[with] = order[i];
        order[i] = swap;
        count[i]++;
    }
    return true;
}

static void definition(iso_env *env) {
    iso_rng rng = {seed_of_run()};
    uint64_t seed = rng.state;
    unsigned rounds = raw_rounds(3000, 40000, 2000000);
    tally sum = {0, 0, 0, 0};
    bool good = true;
    for (unsigned i = 0; good && i < rounds; i++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        good = all_orders_agree(&pool, random_lists(&pool, &rng), &sum);
        iso_pool_free(&pool);
    }
    ok(good,
       "%" PRIu64 " histories (%" PRIu64 " consistent), %" PRIu64 " orders (%" PRIu64
       " fit): the blocks are the definition, ISOLAB_SEED=%" PRIu64,
       sum.histories, sum.consistent, sum.orders, sum.fitting, seed);
    ok(sum.consistent > rounds / 10 && sum.consistent < rounds && sum.fitting > 0 && sum.fitting < sum.orders,
       "enough of each");
}

/* ---- what a list read shows of others ---- */

/* The part of the last read, as text: its length, its writer, and an append of a torn block. */
static const char *part_of(iso_pool *pool, const char *text) {
    static char words[64];
    const isolab_history *h = iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
    uint32_t read = h->n_ops;
    iso_list_part p;
    while (h->op_kind[--read] != ISO_LIST_READ) {
    }
    if (!iso_list_part_of(h, read, &p)) {
        return "none";
    }
    snprintf(words, sizeof words, "%u %d %d", p.length, p.writer == ISO_INIT ? -1 : (int)p.writer,
             p.torn == ISO_NONE ? -1 : (int)p.torn);
    return words;
}

static void parts(iso_pool *pool) {
    static const struct {
        const char *what, *text, *part;
    } examples[] = {
        {"one element", "session\ncommit: append x 1\nsession\ncommit: rl x [1]\n", "1 0 -1"},
        {"none", "session\ncommit: append x 1\nsession\ncommit: rl x []\n", "0 -1 -1"},
        {"out of thin air", "session\ncommit: append x 1\nsession\ncommit: rl x [7]\n", "none"},
        {"its own, later", "session\ncommit: rl x [1], append x 1\n", "none"},
        {"its own, before", "session\ncommit: append x 1\nsession\ncommit: append x 2, rl x [1 2]\n", "1 0 -1"},
        {"its own alone", "session\ncommit: append x 2, append y 3, rl x [2]\n", "0 -1 -1"},
        {"without its own", "session\ncommit: append x 1\nsession\ncommit: append x 2, rl x [1]\n", "none"},
        {"empty without its own", "session\ncommit: append x 2, rl x []\n", "none"},
        {"aborted", "session\nabort: append x 1\nsession\ncommit: rl x [1]\n", "none"},
        {"not the last", "session\ncommit: append x 1, append x 2\nsession\ncommit: rl x [1]\n", "none"},
        {"the last of its key", "session\ncommit: append x 1, append y 2\nsession\ncommit: rl x [1]\n", "1 0 -1"},
        {"shown twice", "session\ncommit: append x 1\nsession\ncommit: rl x [1 1]\n", "2 0 0"},
        {"a whole block", "session\ncommit: append x 1, append x 2\nsession\ncommit: rl x [1 2]\n", "2 1 -1"},
        {"twice after a whole block", "session\ncommit: append x 1, append x 2\nsession\ncommit: rl x [1 2 2]\n",
         "3 1 1"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        is(part_of(pool, examples[i].text), examples[i].part, "a list read shows %s", examples[i].what);
    }
}

typedef struct everything {
    iso_env *env;
    iso_pool *pool;
} everything;

static void run(void *arg) {
    everything *e = arg;
    scenarios(e->pool);
    parts(e->pool);
    definition(e->env);
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    everything e = {&env, &pool};
    ok(iso_guard(&env, run, &e) == ISOLAB_OK, "nothing was thrown");
    iso_pool_free(&pool);
    cmp_ok(env.limits->used, "==", 0, "all memory was given back");
    return done_testing();
}
