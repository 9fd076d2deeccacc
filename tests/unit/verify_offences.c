/* Certificates of one read that offends (verify/edges.c, verify/lists.c): every kind of offence, of every operation,
 * with every other operation, at every level, on small histories. The verifier takes exactly what docs/certificates.md
 * allows, and says why it refuses the rest. */
#include "base/random.h"
#include "tests/agree.h"
#include "tests/claims.h"
#include "tests/guarded.h"
#include "tests/raw.h"
#include "tests/reference.h"
#include "tests/seed.h"

static iso_env env;

enum {
    THIN_AIR,
    ABORTED,
    FUTURE,
    NOT_MY_OWN,
    NOT_MY_LAST,
    INTERMEDIATE,
    NON_REPEATABLE,
    DUPLICATE,
    INCOMPATIBLE,
    LOST,
    KINDS
};
static const char *const name[KINDS] = {
    "thin-air-read",     "aborted-read",        "future-read",      "not-my-own-write",   "not-my-last-write",
    "intermediate-read", "non-repeatable-read", "duplicate-append", "incompatible-order", "lost-element"};

static uint64_t n_tried, n_wrong, n_valid[KINDS], n_valid_lists[KINDS], seed;
static char why[160];

static bool included(const reference *r, uint32_t t) { return t == ISO_INIT || (t != ISO_NONE && r->in[t]); }

/* Returns whether two reads of a key return two values, neither of which their transaction wrote before. From ra on
 * they read from two transactions, whatever these are. */
static bool return_two_values(const reference *r, uint32_t a, uint32_t b) {
    const isolab_history *h = r->h;
    bool two = r->level >= ISO_RA && h->op_kind[a] == ISO_READ && h->op_kind[b] == ISO_READ &&
               h->op_version[a] != h->op_version[b];
    for (uint32_t o = h->txn_op[h->op_txn[a]]; o < h->txn_op[h->op_txn[a] + 1]; o++) {
        two &= !ref_is_write(h, o, h->op_key[a]) || (o > a && o > b);
    }
    return two;
}

/* NULL: two reads of one key in one transaction return values of two other included ones. */
static const char *two_reads(const reference *r, uint32_t a, uint32_t b) {
    const isolab_history *h = r->h;
    if (b == ISO_NONE || h->op_txn[a] != h->op_txn[b] || h->op_key[a] != h->op_key[b]) {
        snprintf(why, sizeof why, "operations %u and %u are not two reads of one key in one transaction", a, b);
        return why;
    }
    if (h->op_kind[a] == ISO_LIST_READ && h->op_kind[b] == ISO_LIST_READ) {
        snprintf(why, sizeof why, "operations %u and %u show one list", a, b);
        return ref_lists_differ(h, a, b) ? NULL : why;
    }
    if (return_two_values(r, a, b)) {
        return NULL;
    }
    uint32_t one = ref_txn_of(h, ref_sure_write(r, a)), other = ref_txn_of(h, ref_sure_write(r, b)), t = h->op_txn[a];
    snprintf(why, sizeof why,
             "operations %u and %u do not read from two different other transactions that are included", a, b);
    return included(r, one) && included(r, other) && one != other && one != t && other != t ? NULL : why;
}

/* What OTHER must be, where the value of the read has one writer or none. */
static bool kind_fits(const reference *r, unsigned kind, uint32_t read, uint32_t other) {
    const isolab_history *h = r->h;
    uint32_t w, n = ref_writers(h, h->op_version[read], &w) + ref_is_initial(h, h->op_version[read]),
                t = h->op_txn[read];
    if (n > 1) {
        return kind <= INTERMEDIATE;
    }
    if (n == 0) {
        return kind == THIN_AIR && other == ISO_NONE;
    }
    bool initial = ref_is_initial(h, h->op_version[read]), own = !initial && h->op_txn[w] == t;
    if (other == ISO_NONE || !ref_is_write(h, other, h->op_key[read])) {
        return false;
    }
    uint32_t writer = initial ? ISO_INIT : h->op_txn[w];
    switch (kind) {
    case ABORTED:
        return !initial && !own && other == w && h->txn_status[writer] == ISO_ABORTED;
    case FUTURE:
        return own && other == w && w > read;
    case NOT_MY_OWN:
        return !own && h->op_txn[other] == t && other < read;
    case NOT_MY_LAST:
        return own && h->op_txn[other] == t && other > w && other < read;
    case INTERMEDIATE:
        return !initial && !own && h->op_txn[other] == writer && other > w;
    default:
        return false;
    }
}

/* How often a list read shows a version. */
static unsigned shown(const isolab_history *h, uint32_t read, uint32_t version) {
    unsigned n = 0;
    for (uint32_t e = h->list_first[h->op_version[read]]; e < h->list_first[h->op_version[read] + 1]; e++) {
        n += h->list_version[e] == version;
    }
    return n;
}

/* What OTHER must be where no element has two writers: the append that makes the read wrong. */
static bool list_kind_fits(const isolab_history *h, unsigned kind, uint32_t read, uint32_t other) {
    uint32_t first = h->list_first[h->op_version[read]], length = h->list_first[h->op_version[read] + 1] - first;
    uint32_t t = h->op_txn[read];
    bool thin_air = false, twice = false, ends = true;
    for (uint32_t e = 0; e < length; e++) {
        uint32_t w;
        thin_air |= ref_writers(h, h->list_version[first + e], &w) == 0;
    }
    for (uint32_t o = read; o-- > h->txn_op[t];) { /* own appends, the last one first */
        if (ref_is_write(h, o, h->op_key[read])) {
            twice |= shown(h, read, h->op_version[o]) > 1;
            ends = ends && length > 0 && h->list_version[first + --length] == h->op_version[o];
        }
    }
    if (!h->unique || kind == THIN_AIR) {
        return !h->unique || (other == ISO_NONE && thin_air);
    }
    if (other == ISO_NONE || !ref_is_write(h, other, h->op_key[read])) {
        return false;
    }
    uint32_t u = h->op_txn[other], seen = shown(h, read, h->op_version[other]), w;
    switch (kind) {
    case ABORTED:
        return u != t && seen > 0 && h->txn_status[u] == ISO_ABORTED;
    case FUTURE:
        return u == t && seen > 0 && other > read;
    case INTERMEDIATE:
        return ends && length > 0 && u != t && ref_writers(h, h->list_version[first + length - 1], &w) == 1 &&
               h->op_txn[w] == u && w < other;
    default:
        return u == t && other < read && (!ends || twice);
    }
}

static bool list_offends(const reference *r, unsigned kind, uint32_t read, uint32_t other) {
    const isolab_history *h = r->h;
    if (kind < NON_REPEATABLE) {
        return r->level != ISO_CI && !ref_list_consistent(r, read) && list_kind_fits(h, kind, read, other);
    }
    if (other == ISO_NONE || r->level < ISO_G1) {
        return false;
    }
    switch (kind) {
    case DUPLICATE:
        return h->op_kind[other] == ISO_APPEND && ref_duplicate(h, read, other);
    case INCOMPATIBLE:
        return h->op_kind[other] == ISO_LIST_READ && r->in[h->op_txn[other]] && ref_incompatible(h, read, other);
    default:
        return h->op_kind[other] == ISO_APPEND && ref_lost(h, read, other);
    }
}

static const char *expected_verdict(const reference *r, unsigned kind, uint32_t read, uint32_t other) {
    static const iso_level repeatable[] = {ISO_CI, ISO_RA, ISO_CC, ISO_PC, ISO_SI, ISO_SER, ISO_LSER, ISO_SSER};
    const isolab_history *h = r->h;
    const char *level = iso_level_get(r->level)->name;
    uint32_t last;
    if (!ref_is_read(h, read) || !r->in[h->op_txn[read]]) {
        snprintf(why, sizeof why, "operation %u is not a read of an included transaction", read);
        return why;
    }
    if (kind == NON_REPEATABLE) {
        bool asked = false;
        for (size_t i = 0; i < sizeof repeatable / sizeof *repeatable; i++) {
            asked = asked || r->level == repeatable[i];
        }
        snprintf(why, sizeof why, "level %s allows reads that are not repeatable", level);
        const char *reason = asked ? two_reads(r, read, other) : why;
        return reason == NULL ? "valid" : reason;
    }
    if (h->op_kind[read] == ISO_LIST_READ) {
        snprintf(why, sizeof why, "list read %u does not offend in this way", read);
        return list_offends(r, kind, read, other) ? "valid" : why;
    }
    if (r->level == ISO_CI) {
        return "level ci does not ask for read consistency";
    }
    snprintf(why, sizeof why, "read %u does not offend", read);
    if (ref_takes(r, read, &last) > 0) {
        return why;
    }
    snprintf(why, sizeof why, "read %u offends, but not as the certificate says", read);
    return kind_fits(r, kind, read, other) ? "valid" : why;
}

static void try_level(const isolab_history *h, iso_level level) {
    reference r = reference_of(h, level, true);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (uint32_t i = 0; i < h->n_ops * (h->n_ops + 1); i++) {
            uint32_t read = i / (h->n_ops + 1), other = i % (h->n_ops + 1);
            char claim[128], rest[16] = "-";
            other = other == h->n_ops ? ISO_NONE : other;
            if (other != ISO_NONE) {
                snprintf(rest, sizeof rest, "%u", other);
            }
            snprintf(claim, sizeof claim, "level %s\nviolated\noffence %s %u %s\n", iso_level_get(level)->name,
                     name[kind], read, rest);
            const char *expected = expected_verdict(&r, kind, read, other), *verdict = claim_verdict(&env, h, claim);
            if (strcmp(verdict, expected) != 0 && n_wrong++ < 3) {
                diag("seed %llu: %s\nexpected: %s\nthe verifier says: %s", (unsigned long long)seed, claim, expected,
                     verdict);
                iso_agree_print(&env, h);
            }
            n_tried++;
            if (strcmp(expected, "valid") == 0) {
                ++*(h->op_kind[read] == ISO_READ ? &n_valid[kind] : &n_valid_lists[kind]);
            }
        }
    }
}

static void try_history(const isolab_history *h) {
    static const iso_level others[] = {ISO_RC_PLUME, ISO_RC,  ISO_RA,   ISO_CC,  ISO_PC,
                                       ISO_SI,       ISO_SER, ISO_LSER, ISO_SSER};
    try_level(h, ISO_INT);
    try_level(h, ISO_CI);
    try_level(h, ISO_G1);
    try_level(h, others[seed % (sizeof others / sizeof *others)]);
}

/* Each kind of offence, where every value has one writer. */
static const char unique_history[] =
    "session\ncommit: append x 1, append x 2\nabort: append x 3\nsession\ncommit: rl x [1], rl x [3], rl x [4]\n"
    "session\ncommit: append x 5, rl x [1 2], rl x [5 1 2 5], rl x [6 5], append x 6\n"
    "session\ncommit: w y 1\ncommit: w y 2\nsession\ncommit: r y 1, r y 2\n";

/* Two reads of a key that return different values need two writers, but not if one says only what it did not return.
 * `brute` decides what is true. */
static void negations(uint64_t first) {
    static const iso_small_shape shape = {
        .txns = 4, .ops = 4, .keys = 2, .sessions = 3, .duplicates = true, .negations = true};
    uint64_t valid = 0, refused = 0, false_ones = 0;
    for (uint64_t i = first; i < first + 300; i++) {
        iso_pool pool;
        iso_result r;
        iso_pool_init(&pool, &env);
        iso_result_init(&r, &pool);
        const isolab_history *h = iso_random_small(&pool, i, &shape);
        iso_check(iso_checker_find("brute"), h, &(const iso_question){.level = ISO_RA, .limit = 1}, &r);
        for (uint32_t o = 1; o < h->n_ops; o++) {
            char claim[128];
            snprintf(claim, sizeof claim, "level ra\nviolated\noffence non-repeatable-read %u %u\n", o, o - 1);
            bool believed = strcmp(claim_verdict(&env, h, claim), "valid") == 0;
            valid += believed;
            refused += !believed && h->op_version[o] != h->op_version[o - 1];
            false_ones += believed && r.verdict != ISOLAB_VIOLATED;
        }
        iso_pool_free(&pool);
    }
    ok(valid > 0 && refused > 0 && false_ones == 0,
       "reads that exclude a value: %llu claims valid, %llu refused, none false", (unsigned long long)valid,
       (unsigned long long)refused);
}

static void run(void *arg) {
    (void)arg;
    negations(seed_or(1));
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(40, 80, 60000);
    iso_small_shape shape = {.txns = 5,
                             .ops = 4,
                             .keys = 1,
                             .sessions = 3,
                             .aborted = true,
                             .indeterminate = true,
                             .lists = true,
                             .wild = true};
    for (seed = first; seed < first + 8; seed++) { /* each of the other levels */
        iso_pool pool;
        iso_pool_init(&pool, &env);
        try_history(history_of(&pool, unique_history));
        iso_pool_free(&pool);
    }
    for (seed = first; seed < first + 8 * CLAIM_HISTORIES + rounds && n_wrong == 0; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_rng rng = {seed};
        shape.duplicates = seed % 5 == 0;
        const isolab_history *h = seed < first + 8 * CLAIM_HISTORIES
                                      ? history_of(&pool, claim_histories[(seed - first) / 8])
                                  : seed % 3 != 0 ? iso_random_small(&pool, seed, &shape)
                                                  : raw_small(&pool, &rng, 4, 12);
        try_history(h);
        iso_pool_free(&pool);
    }
    ok(n_wrong == 0, "%llu claims, as the document has it", (unsigned long long)n_tried);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        ok(n_valid[kind] > 0 || kind > NON_REPEATABLE, "%s: %llu of registers are valid", name[kind],
           (unsigned long long)n_valid[kind]);
        ok(n_valid_lists[kind] > 0, "%s: %llu of lists are valid", name[kind], (unsigned long long)n_valid_lists[kind]);
    }
    diag("seed %llu", (unsigned long long)first);
}

int main(void) { return run_guarded(&env, run); }
