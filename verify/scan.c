/* Parses the text of a certificate. Malformed text is thrown as an input error with its line. A zero byte follows the
 * text; no rule of the grammar accepts it. */
#include <stdio.h>
#include <string.h>

#include "verify/verify.h"

typedef struct scanner {
    iso_pool *pool;
    const char *start, *at, *end;
    uint64_t line;
    iso_claim *claim;
} scanner;

static _Noreturn void bad(scanner *s, const char *expected) {
    size_t n = 0;
    while (n < 24 && (unsigned char)s->at[n] > ' ') {
        n++;
    }
    char found[32];
    snprintf(found, sizeof found, "`%.*s`", (int)n, s->at);
    iso_throw_input(s->pool->env, s->line, (uint64_t)(s->at - s->start), "expected %s, found %s", expected,
                    n > 0             ? found
                    : s->at == s->end ? "the end"
                    : *s->at == '\n'  ? "the end of the line"
                    : *s->at == ' '   ? "a space"
                                      : "a control character");
}

static void end_line(scanner *s) {
    if (*s->at != '\n') {
        bad(s, "the end of the line");
    }
    s->at++;
    s->line++;
}

/* Consumes the word if it comes next as a whole word. */
static bool take(scanner *s, const char *word) {
    size_t n = strlen(word);
    if (strncmp(s->at, word, n) == 0 && (s->at[n] == ' ' || s->at[n] == '\n')) {
        s->at += n;
        return true;
    }
    return false;
}

static void expect(scanner *s, const char *word) {
    if (!take(s, word)) {
        bad(s, word);
    }
}

static void space(scanner *s) {
    if (*s->at != ' ') {
        bad(s, "a space");
    }
    s->at++;
}

static uint32_t count(scanner *s, const char *what) {
    uint64_t n = 0;
    const char *first = s->at;
    for (; *s->at >= '0' && *s->at <= '9'; s->at++) {
        n = n > ISO_ID_MAX ? n : 10 * n + (uint64_t)(*s->at - '0');
    }
    if (s->at == first || n > ISO_ID_MAX || (*first == '0' && s->at - first > 1) || (unsigned char)*s->at > ' ') {
        s->at = first;
        bad(s, what);
    }
    return (uint32_t)n;
}

/* Parses a space and a number below limit, or `init` or `-` where they are allowed. */
static uint32_t number(scanner *s, uint32_t limit, bool init, bool none, const char *what) {
    space(s);
    if (init && take(s, "init")) {
        return ISO_INIT;
    }
    if (none && take(s, "-")) {
        return ISO_NONE;
    }
    const char *first = s->at;
    uint32_t n = count(s, what);
    if (n >= limit) {
        s->at = first;
        bad(s, what);
    }
    return n;
}

static uint32_t txn(scanner *s) { return number(s, s->claim->n_txns, true, false, "a transaction"); }
static uint32_t op(scanner *s) { return number(s, s->claim->n_ops, false, true, "an operation"); }

static void scan_header(scanner *s) {
    iso_claim *c = s->claim;
    expect(s, "isolab-certificate");
    space(s);
    expect(s, "1");
    end_line(s);
    expect(s, "history");
    space(s);
    c->n_sessions = count(s, "the number of sessions");
    space(s);
    c->n_txns = count(s, "the number of transactions");
    space(s);
    c->n_ops = count(s, "the number of operations");
    space(s);
    for (int i = 0; i < 16; i++, s->at++) {
        static const char digits[] = "0123456789abcdef";
        const char *d = *s->at != '\0' ? strchr(digits, *s->at) : NULL;
        if (d == NULL) {
            bad(s, "a fingerprint of 16 hexadecimal digits");
        }
        c->fingerprint = c->fingerprint << 4 | (uint64_t)(d - digits);
    }
    end_line(s);
    expect(s, "level");
    space(s);
    c->level = ISO_NO_LEVEL;
    for (int l = 0; l < iso_n_levels && c->level == ISO_NO_LEVEL; l++) {
        c->level = take(s, iso_level_get(l)->name) ? l : ISO_NO_LEVEL;
    }
    if (c->level == ISO_NO_LEVEL) {
        bad(s, "a level");
    }
    c->rules = iso_level_get(c->level)->rules;
    end_line(s);
    if (take(s, "no-session-order")) {
        c->no_session_order = true;
        end_line(s);
    }
}

static void scan_order(scanner *s) {
    iso_claim *c = s->claim;
    space(s);
    const char *first = s->at;
    c->n_order = count(s, "the number of transactions in the order");
    if (c->n_order > c->n_txns) {
        s->at = first;
        bad(s, "at most as many transactions as the history has");
    }
    uint32_t room = 0;
    c->order = ISO_NEW(s->pool, uint32_t, 0);
    for (uint32_t i = 0; i < c->n_order; i++) { /* allocate only as much memory as the text has numbers */
        iso_tick(s->pool->env);
        if (i % 16 == 0) {
            end_line(s);
        }
        ISO_GROW(s->pool, c->order, i, room);
        c->order[i] = number(s, c->n_txns, false, false, "a transaction");
    }
    end_line(s);
}

static void scan_satisfied(scanner *s) {
    iso_claim *c = s->claim;
    if (take(s, "order")) {
        scan_order(s);
    }
    uint32_t room = 0;
    while (take(s, "reads")) {
        if (c->n_reads == room) {
            room = room < 16 ? 32 : 2 * room;
            c->read_op = iso_resize(s->pool, c->read_op, room, sizeof *c->read_op);
            c->read_from = iso_resize(s->pool, c->read_from, room, sizeof *c->read_from);
        }
        c->read_op[c->n_reads] = number(s, c->n_ops, false, false, "a read");
        c->read_from[c->n_reads++] = number(s, c->n_ops, true, false, "a write or init");
        end_line(s);
    }
}

/* Parses an edge; `here` edges come before it. Returns false if there is none. */
static bool scan_edge(scanner *s, claim_edge *e, uint32_t here) {
    static const struct {
        const char *name;
        uint8_t ops;
        bool premises;
    } shape[] = {[CLAIM_SO] = {"so", 0, false},      [CLAIM_WR] = {"wr", 2, false}, [CLAIM_RT] = {"rt", 0, false},
                 [CLAIM_AXIOM] = {"axiom", 3, true}, [CLAIM_RW] = {"rw", 1, true},  [CLAIM_WW] = {"ww", 2, true},
                 [CLAIM_LIST] = {"list", 1, false}};
    size_t k = 0;
    while (k < sizeof shape / sizeof *shape && !take(s, shape[k].name)) {
        k++;
    }
    if (k == sizeof shape / sizeof *shape) {
        return false;
    }
    *e = (claim_edge){.kind = (uint8_t)k, .op = {ISO_NONE, ISO_NONE, ISO_NONE}};
    e->from = txn(s);
    e->to = txn(s);
    for (int i = 0; i < shape[k].ops; i++) {
        e->op[i] = op(s);
    }
    if (shape[k].premises) {
        e->first = number(s, ISO_ID_MAX, false, false, "an edge");
        e->count = number(s, ISO_ID_MAX, false, false, "a number of edges");
        if (e->first > here || e->count > here - e->first) {
            bad(s, "premises that come before the edge");
        }
    }
    end_line(s);
    return true;
}

static void scan_proof(scanner *s) {
    iso_claim *c = s->claim;
    if (*s->at == ' ') {
        s->at++;
        expect(s, "commits");
        c->commits = true;
    }
    end_line(s);
    c->proof = s->at;
    c->proof_line = s->line;
    while (!take(s, "end")) {
        const char *eol = memchr(s->at, '\n', (size_t)(s->end - s->at));
        if (eol == NULL) {
            s->at = s->end;
            bad(s, "end");
        }
        s->at = eol + 1;
        s->line++;
    }
    s->at -= 3;
    c->proof_size = (size_t)(s->at - c->proof);
}

static offence_kind scan_offence(scanner *s) {
    static const char *const name[OFFENCE_KINDS] = {[OFFENCE_THIN_AIR] = "thin-air-read",
                                                    [OFFENCE_ABORTED] = "aborted-read",
                                                    [OFFENCE_FUTURE] = "future-read",
                                                    [OFFENCE_NOT_MY_OWN] = "not-my-own-write",
                                                    [OFFENCE_NOT_MY_LAST] = "not-my-last-write",
                                                    [OFFENCE_INTERMEDIATE] = "intermediate-read",
                                                    [OFFENCE_NON_REPEATABLE] = "non-repeatable-read",
                                                    [OFFENCE_LOST_UPDATE] = "lost-update",
                                                    [OFFENCE_DUPLICATE] = "duplicate-append",
                                                    [OFFENCE_INCOMPATIBLE] = "incompatible-order",
                                                    [OFFENCE_LOST] = "lost-element"};
    for (offence_kind kind = OFFENCE_THIN_AIR; kind < OFFENCE_KINDS; kind++) {
        if (take(s, name[kind])) {
            return kind;
        }
    }
    bad(s, "a kind of offence");
}

static void scan_read(scanner *s, offence_kind *kind, uint32_t *read, uint32_t *other) {
    space(s);
    *kind = scan_offence(s);
    *read = number(s, s->claim->n_ops, false, false, "a read");
    *other = op(s);
}

static void scan_cycle(scanner *s, uint32_t n_edges, uint32_t *first, uint32_t *n) {
    *first = number(s, ISO_ID_MAX, false, false, "an edge");
    *n = number(s, ISO_ID_MAX, false, false, "a number of edges");
    if (*n == 0 || *first > n_edges || *n > n_edges - *first) {
        bad(s, "edges of this certificate in the cycle");
    }
}

/* Parses the lines of a case. Returns whether there is one. */
static bool scan_case(scanner *s) {
    claim_case *c = &s->claim->told;
    uint32_t room = 0;
    while (take(s, "case")) {
        iso_tick(s->pool->env);
        space(s);
        if (take(s, "offence")) {
            scan_read(s, &c->offence, &c->op, &c->other);
            end_line(s);
            return true;
        }
        if (take(s, "cycle")) {
            scan_cycle(s, c->n_edges, &c->cycle, &c->n_cycle);
            end_line(s);
            return true;
        }
        ISO_GROW(s->pool, c->edges, c->n_edges, room);
        if (!scan_edge(s, &c->edges[c->n_edges], c->n_edges)) {
            bad(s, "an edge, `cycle` or `offence`");
        }
        c->n_edges++;
    }
    if (c->n_edges > 0) {
        bad(s, "`case cycle`");
    }
    return false;
}

static void scan_violated(scanner *s) {
    iso_claim *c = s->claim;
    if (take(s, "offence")) {
        scan_read(s, &c->offence, &c->offence_op, &c->offence_other);
        end_line(s);
        return;
    }
    if (scan_case(s)) {
        expect(s, "proof");
        scan_proof(s);
        return;
    }
    uint32_t room = 0;
    for (;;) {
        iso_tick(s->pool->env);
        ISO_GROW(s->pool, c->edges, c->n_edges, room);
        if (!scan_edge(s, &c->edges[c->n_edges], c->n_edges)) {
            break;
        }
        c->n_edges++;
    }
    if (take(s, "proof")) {
        scan_proof(s);
        return;
    }
    if (!take(s, "cycle")) {
        bad(s, "an edge, `cycle` or `proof`");
    }
    scan_cycle(s, c->n_edges, &c->cycle, &c->n_cycle);
    end_line(s);
}

void iso_verify_scan(iso_pool *pool, const char *text, size_t size, iso_claim *claim) {
    memset(claim, 0, sizeof *claim);
    scanner s = {pool, text, text, text + size, 1, claim};
    scan_header(&s);
    if (take(&s, "satisfied")) {
        claim->satisfied = true;
        end_line(&s);
        scan_satisfied(&s);
    } else {
        expect(&s, "violated");
        end_line(&s);
        scan_violated(&s);
    }
    expect(&s, "end");
    end_line(&s);
    if (s.at != s.end) {
        bad(&s, "nothing after `end`");
    }
}
