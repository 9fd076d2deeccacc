/* Tests history/builder.h. The builder: renumbering, joining, duplicates, indeterminate transactions; and random calls,
 * with a plain record of them. */
#include "history/builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"

static void renumbers_by_session(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t x = iso_builder_key(b, iso_builder_string(b, "x", 1));
    uint32_t s0 = iso_builder_session(b, iso_atom_int(7)), s1 = iso_builder_session(b, iso_atom_int(3));
    uint32_t a = iso_builder_txn(b, s1, iso_atom_int(100), ISO_COMMITTED);
    uint32_t c = iso_builder_txn(b, s0, iso_atom_int(200), ISO_COMMITTED);
    iso_builder_op(b, c, ISO_READ, x, iso_atom_int(1));
    iso_builder_op(b, a, ISO_WRITE, x, iso_atom_int(1)); /* a later operation of an earlier transaction */
    iso_builder_op(b, c, ISO_READ, x, iso_atom_int(9));
    isolab_history *h = iso_builder_finish(b);
    cmp_ok(h->n_txns, "==", 2, "the history has two transactions");
    cmp_ok(iso_txn_name(h, 0).bits, "==", 200, "the first session's comes first");
    cmp_ok(h->op_writer[0], "==", 2, "its read is joined with the write of the other session");
    cmp_ok(h->op_writer[1], "==", ISO_NONE, "and a value without a writer is thin air");
    ok(h->unique, "values are unique");
}

static void finds_twins(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    iso_builder_initial(b, iso_atom_int(0));
    uint32_t x = iso_builder_key(b, iso_atom_int(1));
    uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
    iso_builder_op(b, t, ISO_READ, x, iso_atom_int(0));
    iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(0));
    isolab_history *h = iso_builder_finish(b);
    ok(!h->unique, "writing the initial value makes a duplicate");
    cmp_ok(h->twin_a, "==", ISO_INIT, "of the initial transaction");
    cmp_ok(h->twin_b, "==", 1, "and the write");
    cmp_ok(h->op_writer[0], "==", ISO_MANY, "and its reads have several writers");
}

/* One committed transaction, and others of a status, write x = 1; a read of x = 1 follows, or of y. */
static isolab_history *repeated_by(iso_pool *pool, bool committed, iso_status status, bool read) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t x = iso_builder_key(b, iso_atom_int(1)), y = iso_builder_key(b, iso_atom_int(2));
    uint32_t s = iso_builder_session(b, iso_atom_nil());
    for (int i = 0; i < 3; i++) {
        uint32_t t = iso_builder_txn(b, s, iso_atom_nil(), i == 1 && committed ? ISO_COMMITTED : status);
        iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(1));
    }
    uint32_t t = iso_builder_txn(b, s, iso_atom_nil(), ISO_COMMITTED);
    iso_builder_op(b, t, ISO_READ, read ? x : y, read ? iso_atom_int(1) : iso_atom_nil());
    return iso_builder_finish(b);
}

static void ignores_excluded_twins(iso_pool *pool) {
    isolab_history *h = repeated_by(pool, true, ISO_ABORTED, true);
    ok(h->unique && h->twin_b == ISO_NONE, "a value that only aborted transactions repeat is unique");
    cmp_ok(h->op_writer[3], "==", 1, "and a read of it is from the committed transaction");
    h = repeated_by(pool, false, ISO_ABORTED, true);
    ok(h->unique, "so is one that only aborted transactions wrote");
    cmp_ok(h->op_writer[3], "==", 0, "and a read of it is from the first of them");
    h = repeated_by(pool, true, ISO_INDETERMINATE, false);
    ok(h->unique, "so is one that transactions repeat from which no transaction reads");
    h = repeated_by(pool, true, ISO_INDETERMINATE, true);
    ok(!h->unique, "but not if a read may be from an indeterminate transaction");
    cmp_ok(h->op_writer[3], "==", ISO_MANY, "and the read is ambiguous");
    cmp_ok(h->txn_counts[0], "==", ISO_OPTIONAL, "and the transaction optional");
}

static void settles_indeterminate(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t x = iso_builder_key(b, iso_atom_int(1)), y = iso_builder_key(b, iso_atom_int(2));
    uint32_t t[4];
    for (int i = 0; i < 4; i++) {
        t[i] = iso_builder_txn(b, iso_builder_session(b, iso_atom_int(i)), iso_atom_nil(),
                               i == 0 ? ISO_COMMITTED : ISO_INDETERMINATE);
    }
    iso_builder_op(b, t[0], ISO_READ, x, iso_atom_int(1));
    iso_builder_op(b, t[1], ISO_WRITE, x, iso_atom_int(1));
    iso_builder_op(b, t[1], ISO_READ, y, iso_atom_int(2));
    iso_builder_op(b, t[2], ISO_WRITE, y, iso_atom_int(2));
    iso_builder_op(b, t[3], ISO_WRITE, y, iso_atom_int(3));
    isolab_history *h = iso_builder_finish(b);
    cmp_ok(h->txn_counts[1], "==", ISO_INCLUDED, "an indeterminate transaction counts when a committed one reads it");
    cmp_ok(h->txn_counts[2], "==", ISO_INCLUDED, "and a transaction that an included one reads");
    cmp_ok(h->txn_counts[3], "==", ISO_EXCLUDED, "an unread one does not");
}

/* nil is the empty list of a list key; a key that only nil was read from goes with the others. */
static void reads_nil_from_lists(iso_pool *pool) {
    for (int round = 0; round < 8; round++) {
        bool registers = round % 2 == 1;
        iso_builder *b = iso_builder_new(pool);
        iso_builder_key(b, iso_atom_int(round % 4 < 2 ? 1 : 2)); /* the first of the keys */
        uint32_t l = iso_builder_key(b, iso_atom_int(1)), y = iso_builder_key(b, iso_atom_int(2));
        uint32_t x = iso_builder_key(b, iso_atom_int(3));
        uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
        iso_builder_op(b, t, ISO_READ, l, iso_atom_nil());
        iso_builder_op(b, t, ISO_READ, y, iso_atom_nil());
        for (int i = 0; i < 2; i++) {
            if (i == round / 4) {
                iso_builder_op(b, t, ISO_APPEND, l, iso_atom_int(5));
            } else if (registers) {
                iso_builder_op(b, t, ISO_WRITE, x, iso_atom_int(5));
            }
        }
        isolab_history *h = iso_builder_finish(b);
        cmp_ok(h->op_kind[0], "==", ISO_LIST_READ, "a read of nil from a list key is a list read");
        cmp_ok(h->op_writer[0], "==", ISO_INIT, "of the initial transaction");
        cmp_ok(h->list_first[h->op_version[0] + 1] - h->list_first[h->op_version[0]], "==", 0, "and shows no element");
        cmp_ok(h->op_kind[1], "==", registers ? ISO_READ : ISO_LIST_READ,
               "a key only read as nil is a list in a history of lists alone");
        cmp_ok(h->key_is_list[y], "==", !registers, "key_is_list agrees with the kind of the read");
    }
}

/* ---- random calls ---- */

enum { SESSIONS = 70, TXNS = 150, OPS = 500, STRINGS = 60, LONGEST = 40 };

/* What the builder was told. Keys and values are numbers of texts. */
typedef struct told {
    iso_rng rng;
    iso_builder *b;
    unsigned n_sessions, n_txns, n_ops, n_texts;
    struct {
        bool named;
        iso_atom name;
    } session[SESSIONS];
    struct {
        uint32_t session;
        iso_atom name;
        iso_status status;
        int64_t start, end;
    } txn[TXNS];
    struct {
        uint32_t txn, key;
        iso_op_kind kind;
        iso_atom value[3];
        unsigned n;
    } op[OPS];
    char text[STRINGS][LONGEST];
    size_t length[STRINGS];
} told;

static unsigned below(told *c, unsigned n) { return (unsigned)iso_random_below(&c->rng, n); }

static bool chance(told *c, unsigned of) { return below(c, of) == 0; }

/* A text of any length, zero bytes included, often like another one except at its end. */
static iso_atom any_text(told *c) {
    unsigned i = below(c, STRINGS);
    if (i >= c->n_texts) {
        i = c->n_texts++;
        c->length[i] = below(c, LONGEST);
        for (size_t k = 0; k < c->length[i]; k++) {
            c->text[i][k] = k + 2 < c->length[i] ? 'a' : (char)below(c, 256);
        }
    }
    unsigned known = 0;
    while (c->length[known] != c->length[i] || memcmp(c->text[known], c->text[i], c->length[i]) != 0) {
        known++;
    }
    c->n_texts = known < i && i + 1 == c->n_texts ? i : c->n_texts;
    return iso_builder_string(c->b, c->text[known], c->length[known]);
}

static iso_atom any_atom(told *c) { return chance(c, 2) ? any_text(c) : iso_atom_int(below(c, 50)); }

static uint32_t any_session(told *c) {
    if (c->n_sessions == SESSIONS || (c->n_sessions > 0 && !chance(c, 3))) {
        return below(c, c->n_sessions);
    }
    bool named = chance(c, 2);
    iso_atom name = named ? any_atom(c) : iso_atom_nil();
    unsigned s = 0;
    while (s < c->n_sessions && !(named && c->session[s].named && iso_atom_equal(c->session[s].name, name))) {
        s++;
    }
    c->session[s].named = named;
    c->session[s].name = name;
    c->n_sessions += s == c->n_sessions;
    return iso_builder_session(c->b, name) == s ? s : SESSIONS;
}

static bool add_txn(told *c, bool names, bool times) {
    uint32_t t = c->n_txns, s = any_session(c);
    bool late = chance(c, 2); /* the name and the status are given after the transaction */
    c->txn[t].session = s;
    c->txn[t].name = names && chance(c, 8) ? any_atom(c) : iso_atom_nil();
    c->txn[t].status = chance(c, 3) ? ISO_COMMITTED : chance(c, 2) ? ISO_ABORTED : ISO_INDETERMINATE;
    c->txn[t].start = c->txn[t].end = ISO_NO_TIME;
    bool good = s < SESSIONS && iso_builder_txn(c->b, s, late ? iso_atom_nil() : c->txn[t].name,
                                                late ? ISO_COMMITTED : c->txn[t].status) == t;
    if (late) {
        iso_builder_name(c->b, t, c->txn[t].name);
        iso_builder_status(c->b, t, c->txn[t].status);
    }
    if (times && chance(c, 8)) {
        int64_t start = below(c, 1000), end = start + below(c, 3);
        c->txn[t].start = chance(c, 3) ? ISO_NO_TIME : start;
        c->txn[t].end = chance(c, 3) ? ISO_NO_TIME : end;
        iso_builder_times(c->b, t, c->txn[t].start, c->txn[t].end);
    }
    c->n_txns++;
    return good && iso_builder_session_of(c->b, t) == s;
}

/* A key of an even number is a register, others are lists. */
static void add_op(told *c, uint32_t txn) {
    uint32_t key = below(c, 40);
    unsigned o = c->n_ops++;
    c->op[o].txn = txn;
    c->op[o].key = iso_builder_key(c->b, iso_atom_int(key));
    c->op[o].kind = key % 2 == 0 ? (chance(c, 2) ? ISO_READ : ISO_WRITE) : chance(c, 2) ? ISO_LIST_READ : ISO_APPEND;
    c->op[o].n = c->op[o].kind == ISO_LIST_READ ? below(c, 4) : 1;
    for (unsigned e = 0; e < c->op[o].n; e++) {
        c->op[o].value[e] = any_atom(c);
    }
    if (c->op[o].kind == ISO_LIST_READ) {
        iso_builder_list_read(c->b, txn, c->op[o].key, c->op[o].value, c->op[o].n);
    } else {
        iso_builder_op(c->b, txn, c->op[o].kind, c->op[o].key, c->op[o].value[0]);
    }
}

static const char *wrong_texts(const told *c, const isolab_history *h) {
    for (unsigned i = 0; i < c->n_texts; i++) {
        uint64_t length;
        const char *text = iso_string(h, i, &length);
        if (length != c->length[i] || memcmp(text, c->text[i], length) != 0 || text[length] != '\0') {
            return "a text";
        }
    }
    return h->n_strings != c->n_texts || h->has_strings != (c->n_texts > 0) ? "the number of texts" : NULL;
}

/* What a transaction of the history has that it was not told of; o: its first operation. */
static const char *wrong_txn(const told *c, const isolab_history *h, uint32_t t, unsigned old) {
    bool times = h->txn_start != NULL;
    int64_t end = c->txn[old].status == ISO_INDETERMINATE ? ISO_NO_TIME : c->txn[old].end; /* when its client gave up */
    if (h->txn_session[t] != c->txn[old].session || h->txn_status[t] != c->txn[old].status ||
        !iso_atom_equal(iso_txn_name(h, t), c->txn[old].name)) {
        return "the session, status or name of a transaction";
    }
    if ((times ? h->txn_start[t] : ISO_NO_TIME) != c->txn[old].start || (times ? h->txn_end[t] : ISO_NO_TIME) != end) {
        return "the times of a transaction";
    }
    uint32_t at = h->txn_op[t];
    for (unsigned o = 0; o < c->n_ops; o++) {
        if (c->op[o].txn != old) {
            continue;
        }
        if (at == h->txn_op[t + 1] || h->op_txn[at] != t || h->op_key[at] != c->op[o].key ||
            h->op_kind[at] != c->op[o].kind) {
            return "an operation";
        }
        uint32_t v = h->op_version[at++];
        bool list = c->op[o].kind == ISO_LIST_READ;
        if (list && h->list_first[v + 1] - h->list_first[v] != c->op[o].n) {
            return "the length of a list";
        }
        for (unsigned e = 0; e < c->op[o].n; e++) {
            if (!iso_atom_equal(iso_version_value(h, list ? h->list_version[h->list_first[v] + e] : v),
                                c->op[o].value[e])) {
                return "a value";
            }
        }
    }
    return at == h->txn_op[t + 1] ? NULL : "the number of operations of a transaction";
}

static const char *wrong(const told *c, const isolab_history *h) {
    const char *what = wrong_texts(c, h);
    unsigned counts[3] = {0, 0, 0}, names = 0, times = 0;
    uint32_t t = 0;
    if (h->n_sessions != c->n_sessions || h->n_txns != c->n_txns || h->n_ops != c->n_ops) {
        return "a number";
    }
    for (unsigned s = 0; s < c->n_sessions && what == NULL; s++) {
        what = iso_atom_equal(h->session_name[s], c->session[s].name) ? what : "the name of a session";
        for (unsigned old = 0; old < c->n_txns && what == NULL; old++) {
            if (c->txn[old].session == s) {
                what = wrong_txn(c, h, t++, old);
                counts[c->txn[old].status]++;
                names += c->txn[old].name.kind != ISO_ATOM_NIL;
                times += c->txn[old].start != ISO_NO_TIME || c->txn[old].end != ISO_NO_TIME;
            }
        }
        what = what != NULL || h->session_txn[s + 1] == t ? what : "the transactions of a session";
    }
    bool summed = h->n_committed == counts[ISO_COMMITTED] && h->n_aborted == counts[ISO_ABORTED] &&
                  h->n_indeterminate == counts[ISO_INDETERMINATE];
    bool columns = (h->txn_name_kind != NULL) == (names > 0) && h->has_times == (times > 0) &&
                   (h->txn_start != NULL) == (times > 0);
    return what != NULL ? what
           : !summed    ? "the number of a status"
           : !columns   ? "whether there are names or times"
                        : NULL;
}

/* Transactions in any order of sessions, with their operations after each other or mixed. */
static const char *random_calls(iso_pool *pool, uint64_t seed) {
    told *c = ISO_ZNEW(pool, told, 1);
    c->rng.state = seed;
    c->b = iso_builder_new(pool);
    bool mixed = chance(c, 2), names = chance(c, 2), times = chance(c, 2);
    unsigned txns = below(c, chance(c, 4) ? TXNS : 8), most = below(c, chance(c, 2) ? 12 : 4) + 1;
    while (c->n_txns < txns) {
        if (!add_txn(c, names, times)) {
            return "the number of a session or transaction";
        }
        for (unsigned n = below(c, most); n > 0 && c->n_ops < OPS; n--) {
            add_op(c, mixed ? below(c, c->n_txns) : c->n_txns - 1);
        }
    }
    return iso_builder_op_count(c->b) != c->n_ops ? "the count of operations" : wrong(c, iso_builder_finish(c->b));
}

static void keeps_what_it_is_told(void *arg) {
    iso_pool *outer = arg;
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(300, 3000, 300000);
    const char *what = NULL;
    for (uint64_t seed = first; seed < first + rounds && what == NULL; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, outer->env);
        what = random_calls(&pool, seed);
        if (what != NULL) {
            diag("seed %" PRIu64 ": %s", seed, what);
        }
        iso_pool_free(&pool);
    }
    ok(what == NULL, "a history has what the builder was told");
    diag("from seed %" PRIu64, first);
}

/* ---- refusals ---- */

typedef struct call {
    iso_builder *b;
    int64_t start, end; /* times */
    iso_op_kind kind;   /* of an operation with nil as its value; ISO_READ: none */
} call;

static void do_call(void *arg) {
    call *c = arg;
    iso_atom elements[] = {iso_atom_int(1), iso_atom_nil()};
    if (c->kind == ISO_APPEND) {
        iso_builder_op(c->b, 0, c->kind, 0, iso_atom_nil());
    } else if (c->kind == ISO_LIST_READ) {
        iso_builder_list_read(c->b, 0, 0, elements, 2);
    } else {
        iso_builder_times(c->b, 0, c->start, c->end);
    }
}

static void refuses(iso_pool *pool) {
    static const struct {
        const char *name;
        call what;
        const char *says;
    } all[] = {
        {"an end before the start",
         {.start = 5, .end = 4},
         "end that is not before its start, found start 5 and end 4"},
        {"an end with the start", {.start = 5, .end = 5}, NULL},
        {"an end alone", {.start = ISO_NO_TIME, .end = -5}, NULL},
        {"a start alone", {.start = 5, .end = ISO_NO_TIME}, NULL},
        {"nil as an element to append", {.kind = ISO_APPEND}, "the element of a list, found nil"},
        {"nil as an element that is read", {.kind = ISO_LIST_READ}, "the element of a list, found nil"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        iso_env *env = pool->env;
        call c = all[i].what;
        c.b = iso_builder_new(pool);
        iso_builder_key(c.b, iso_atom_int(1));
        iso_builder_txn(c.b, iso_builder_session(c.b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
        int code = iso_guard(env, do_call, &c);
        if (all[i].says == NULL) {
            ok(code == ISOLAB_OK, "%s is taken", all[i].name);
        } else {
            ok(code == ISOLAB_E_INPUT && strstr(env->error.message, all[i].says) != NULL, "%s is refused", all[i].name);
        }
    }
}

/* The initial transaction is taken out, with the only name and the only times. */
static void forgets_names_and_times(iso_pool *pool) {
    for (int other = 0; other < 3; other++) { /* nothing else; a name; times */
        iso_builder *b = iso_builder_new(pool);
        iso_builder_initial(b, iso_atom_int(0));
        iso_builder_reading(b, &(iso_reading){.rule = ISO_INITIAL_AUTO});
        uint32_t x = iso_builder_key(b, iso_atom_int(1)), t[3];
        for (uint32_t i = 0; i < 3; i++) {
            t[i] = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), i == 0 ? iso_atom_int(7) : iso_atom_nil(),
                                   ISO_COMMITTED);
            iso_builder_op(b, t[i], i == 0 ? ISO_WRITE : ISO_READ, x, iso_atom_int(0));
        }
        iso_builder_times(b, t[0], 1, 2);
        if (other == 1) {
            iso_builder_name(b, t[1], iso_atom_int(8));
        } else if (other == 2) {
            iso_builder_times(b, t[1], 3, ISO_NO_TIME);
        }
        isolab_history *h = iso_builder_finish(b);
        cmp_ok(h->n_txns, "==", 2, "the initial transaction is taken out");
        ok((h->txn_name_kind != NULL) == (other == 1), "%s name is left", other == 1 ? "a" : "no");
        ok(h->has_times == (other == 2), "%s times are left", other == 2 ? "some" : "no");
    }
}

static void makes_room(iso_pool *pool) {
    static const uint64_t more[] = {1, 64, 100, 3, 129, 1000, 0, 5000};
    iso_builder *b = iso_builder_new(pool);
    iso_builder_key(b, iso_atom_int(1));
    iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
    bool good = true;
    uint64_t n = 0;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        iso_op_columns *c = iso_builder_room(b, more[i]);
        good &= c->n == n && c->room >= c->n + more[i];
        for (uint64_t k = 0; good && k < more[i]; k++) {
            iso_builder_op(b, 0, ISO_WRITE, 0, iso_atom_int((int64_t)n++));
        }
    }
    isolab_history *h = iso_builder_finish(b);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        good &= iso_version_value(h, h->op_version[o]).bits == o;
    }
    ok(good && h->n_ops == n, "room for as many operations as asked for");
}

static void run(void *arg) {
    renumbers_by_session(arg);
    finds_twins(arg);
    ignores_excluded_twins(arg);
    settles_indeterminate(arg);
    reads_nil_from_lists(arg);
    keeps_what_it_is_told(arg);
    refuses(arg);
    forgets_names_and_times(arg);
    makes_room(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
