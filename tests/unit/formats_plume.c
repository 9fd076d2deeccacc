/* Tests formats/plume.c. Plume text: what lines mean, where errors are, and round trips. */
#define _GNU_SOURCE
#include <string.h>

#include "base/random.h"
#include "formats/format.h"
#include "tests/equal.h"
#include "tests/guarded.h"
#include "tests/parse.h"
#include "tests/raw.h"
#include "tests/seed.h"

extern const iso_format iso_format_plume;

static isolab_history *parse(iso_pool *pool, const char *text) {
    parsing p = {.pool = pool, .format = &iso_format_plume, .bytes = text, .size = strlen(text)};
    parse_bytes(&p);
    return p.h;
}

static void malformed(iso_pool *pool, const char *text, size_t size, uint64_t line, uint64_t offset,
                      const char *message) {
    parsing p = {.pool = pool, .format = &iso_format_plume, .bytes = text, .size = size};
    int code = parse_bytes(&p);
    const isolab_error *e = &pool->env->error;
    ok(code == ISOLAB_E_INPUT && e->line == line && e->offset == offset, "line %llu, offset %llu: %s",
       (unsigned long long)line, (unsigned long long)offset, message);
    if (code == ISOLAB_E_INPUT) {
        is(e->message, message, "and that is the message");
        if (e->line != line || e->offset != offset) {
            diag("found line %llu, offset %llu", (unsigned long long)e->line, (unsigned long long)e->offset);
        }
    }
}
#define MALFORMED(text, line, offset, message) malformed(pool, text, sizeof(text) - 1, line, offset, message)

static void errors(iso_pool *pool) {
    MALFORMED("x(1,2,3,4)\n", 1, 0, "expected 'r' or 'w', found 'x'");
    MALFORMED("r(1,2,3,4)\nr[1,2,3,4)\n", 2, 12, "expected '(', found '['");
    MALFORMED("r(,2,3,4)\n", 1, 2, "expected a key, found ','");
    MALFORMED("r(-1,2,3,4)\n", 1, 2, "expected a key, found '-1'");
    MALFORMED("r(1;2,3,4)\n", 1, 3, "expected ',' after the key, found ';'");
    MALFORMED("r(1,2 3,4)\n", 1, 6, "expected ',' after the value, found '3'");
    MALFORMED("r(1,2,3)\n", 1, 7, "expected ',' after the session, found ')'");
    MALFORMED("r(1,2,3,-)\n", 1, 9, "expected a transaction id, found ')'");
    MALFORMED("r(1,2,3,4", 1, 9, "expected ')', found the end of the file");
    MALFORMED("r(1,2,3,4\n)", 1, 9, "expected ')', found the end of the line");
    MALFORMED("r(1,2,3,4)r(1,2,3,4)\n", 1, 10, "expected the end of the line, found 'r'");
    MALFORMED("r(1,2,3,4)\r\r\n", 1, 10, "expected the end of the line, found the byte 0x0d");
    MALFORMED("r(1,2,3,4)\n\n # c\n x(1,2,3,4)\n", 4, 18, "expected 'r' or 'w', found 'x'");
    MALFORMED("r(1,2,3,4)\n\0", 2, 11, "expected 'r' or 'w', found the byte 0x00");
    MALFORMED("r(1,2,3,4)\nr(1,\xff,3,4)\n", 2, 15, "expected a value, found the byte 0xff");
    MALFORMED("r(18446744073709551616,2,3,4)\n", 1, 2,
              "expected a key of at most 18446744073709551615, found a larger one");
    MALFORMED("r(1,2,3,9223372036854775808)\n", 1, 8,
              "expected a transaction id of at most 9223372036854775807, found a larger one");
    MALFORMED("w(1,1,1,7)\nw(1,2,2,8)\nw(1,3,2,7)\n", 3, 30,
              "expected transaction 7 in one session, found it in session 2 too (first on line 1)");
}

static void meanings(iso_pool *pool) {
    isolab_history *h = parse(pool, "w(1,5,9,3)\r\nr(1,0,9,3)\r\nr(18446744073709551615,5,4,2)\r\n\r\n");
    cmp_ok(h != NULL && h->n_ops == 3 && h->n_sessions == 2 && h->n_txns == 2, "==", 1, "CRLF and an empty line");
    cmp_ok(h->op_writer[1], "==", ISO_INIT, "a read of 0 reads from the initial transaction");
    cmp_ok(h->op_writer[2], "==", ISO_NONE, "a value of another key is thin air");
    cmp_ok(h->key_name[1].kind, "==", ISO_ATOM_UINT, "keys of 64 bits");
    h = parse(pool, "");
    cmp_ok(h != NULL && h->n_ops == 0, "==", 1, "no line is an empty history");
    h = parse(pool, "w(1,1,1,-1)\nw(1,2,2,-1)\nw(2,1,1,-1)\nw(2,2,1,5)\nw(2,3,1,-1)\nr(2,1,2,6)");
    cmp_ok(h->n_txns, "==", 5, "a run of -1 in a session is one transaction");
    cmp_ok(h->n_aborted, "==", 3, "three of them");
    cmp_ok(h->txn_op[1], "==", 2,
           "the first transaction has two operations, between which another session has its own");
    cmp_ok(h->op_writer[5], "==", 1, "and its writes are known");
    h = parse(pool, "w(1,1,1,1)\nw(1,2,2,2)\nw(2,1,1,1)\nr(2,1,2,2)\nw(3,1,1,3)\n");
    cmp_ok(h->n_txns, "==", 3, "operations of transactions interleave");
    cmp_ok(h->txn_op[1], "==", 2, "two in the first");
    cmp_ok(iso_txn_name(h, 1).bits, "==", 3, "whose session goes on with the next");
    h = parse(pool, "r(1,0,1,1)\nw(1,0,1,2)\n");
    ok(!h->unique && h->twin_a == ISO_INIT, "writing 0 makes it ambiguous");
}

static void detects(void) {
    static const struct {
        const char *text;
        int score;
    } cases[] = {{"r(1,2,3,4)\n", 95}, {"w(1,2,3,-1)\r\n", 95}, {"r 1 2\n", 0}, {"", 0}, {"r", 0}, {"w(1,2,x", 60}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char bytes[64] = {0};
        memcpy(bytes, cases[i].text, strlen(cases[i].text));
        iso_source source = {.bytes = bytes, .size = strlen(cases[i].text)};
        cmp_ok(iso_format_plume.detect(&source), "==", cases[i].score, "detection of case %zu", i);
    }
}

/* The only operation that is not of an aborted transaction. */
static uint32_t the_committed(const isolab_history *h) {
    uint32_t o = 0;
    while (h->txn_status[h->op_txn[o]] == ISO_ABORTED) {
        o++;
    }
    return o;
}

/* A line is read by vector instructions when 96 bytes follow it, else byte by byte: both must see the same in any
 * line, right or wrong. */
static void both_scanners_agree(iso_pool *outer) {
    static const char alphabet[] = "rw(),-0123456789\n\r x";
    static const char others[] = "r(1,0,77,-1)\nr(1,0,77,-1)\nr(1,0,77,-1)\nr(1,0,77,-1)\nr(1,0,77,-1)\n"
                                 "r(1,0,77,-1)\nr(1,0,77,-1)\nr(1,0,77,-1)\nr(1,0,77,-1)\nr(1,0,77,-1)\n";
    uint64_t seed = seed_of_run(), both_read = 0;
    iso_rng rng = {seed};
    unsigned rounds = raw_rounds(20000, 200000, 3000000), bad = 0;
    for (unsigned i = 0; i < rounds && bad == 0; i++) {
        char line[128], first[512], last[512];
        uint64_t n[4];
        for (int k = 0; k < 4; k++) {
            n[k] = iso_random(&rng) >> iso_random_below(&rng, 64);
        }
        n[2] += n[2] == 77;
        n[3] >>= 1;
        snprintf(line, sizeof line, "%c(%llu,%llu,%llu,%llu)%s\n", iso_random_below(&rng, 2) == 0 ? 'r' : 'w',
                 (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2], (unsigned long long)n[3],
                 iso_random_below(&rng, 4) == 0 ? "\r" : "");
        for (uint64_t change = iso_random_below(&rng, 3); change > 0; change--) {
            line[iso_random_below(&rng, strlen(line))] = alphabet[iso_random_below(&rng, sizeof alphabet - 1)];
        }
        snprintf(first, sizeof first, "%s%s", line, others);
        snprintf(last, sizeof last, "%s%s", others, line);
        iso_pool pool;
        iso_pool_init(&pool, outer->env);
        isolab_history *a = parse(&pool, first);
        isolab_error why_a = pool.env->error;
        isolab_history *b = parse(&pool, last);
        isolab_error why_b = pool.env->error;
        if (a == NULL || b == NULL) { /* a line feed within leaves the rest to the next line */
            bool same = a == NULL && b == NULL && why_a.line + 10 == why_b.line &&
                        why_a.offset + sizeof others - 1 == why_b.offset && strcmp(why_a.message, why_b.message) == 0;
            bad += !same && strchr(line, '\n') == line + strlen(line) - 1 && line[0] != '\r';
        } else if (a->n_committed == 1 && b->n_committed == 1 && a->n_ops == 11 && b->n_ops == 11) {
            uint32_t oa = the_committed(a), ob = the_committed(b);
            iso_atom va = iso_version_value(a, a->op_version[oa]), vb = iso_version_value(b, b->op_version[ob]);
            bad += a->op_kind[oa] != b->op_kind[ob] || !iso_atom_equal(va, vb) ||
                   !iso_atom_equal(a->key_name[a->op_key[oa]], b->key_name[b->op_key[ob]]) ||
                   !iso_atom_equal(iso_txn_name(a, a->op_txn[oa]), iso_txn_name(b, b->op_txn[ob]));
            both_read++;
        }
        if (bad > 0) {
            diag("seed %llu, round %u: %s", (unsigned long long)seed, i, line);
        }
        iso_pool_free(&pool);
    }
    cmp_ok(bad, "==", 0, "the two scanners agree on %u lines, seed %llu", rounds, (unsigned long long)seed);
    cmp_ok(both_read, ">", rounds / 10, "%llu of them well-formed", (unsigned long long)both_read);
}

/* The parts that Plume text can hold come back equal, other parts are counted, and no read changes the kind of its
 * writer. */
static void round_trips(iso_pool *outer) {
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    unsigned rounds = raw_rounds(2000, 30000, 300000), exact = 0, bad = 0;
    for (unsigned i = 0; i < rounds && bad == 0; i++) {
        iso_pool pool;
        iso_pool_init(&pool, outer->env);
        raw_history r;
        raw_random(&r, &rng);
        r.shape = i % 2 == 0 ? 0 : r.shape;
        isolab_history *h = raw_build(&r, &pool);
        iso_losses losses = {{0}};
        iso_format_plume.survey(h, &losses);
        uint64_t lost = 0;
        for (int k = 0; k < ISO_LOSS_KINDS; k++) {
            lost += losses.count[k];
        }
        char *text = NULL, why[256] = "";
        size_t size = 0;
        iso_sink sink = {.pool = &pool, .path = "test", .out = open_memstream(&text, &size)};
        iso_format_plume.write(h, &sink);
        fclose(sink.out);
        isolab_history *back = parse(&pool, text);
        if (back == NULL || (lost == 0 && !iso_history_equal(h, back, why, sizeof why))) {
            diag("seed %llu, round %u: %s\n%s", (unsigned long long)seed, i, back == NULL ? "not readable" : why, text);
            bad++;
        } else if (!h->has_lists && h->n_indeterminate == 0) {
            bad += back->unique != h->unique || back->n_ops != h->n_ops || back->n_versions != h->n_versions;
        }
        exact += lost == 0;
        free(text);
        iso_pool_free(&pool);
    }
    cmp_ok(bad, "==", 0, "%u histories survive, seed %llu", rounds, (unsigned long long)seed);
    cmp_ok(exact, ">", rounds / 100, "%u of them without a loss", exact);
}

static void run(void *arg) {
    meanings(arg);
    errors(arg);
    detects();
    both_scanners_agree(arg);
    round_trips(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
