/* Changed certificates are refused.
 *
 * 1. Every number of a certificate of awdit is changed, every line left out or doubled, the level renamed. A
 *    certificate that is still accepted must be right for its own reason: a cycle is judged here edge by edge, by its
 *    definition (docs/certificates.md); other orders are judged by verify_order.c and verify_count.c.
 * 2. A certificate of any checker is shown for a history in which one operation was changed, with the header
 *    of that history: if brute says that its verdict is wrong for that history, it must be refused. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "generators/random_small.h"
#include "history/builder.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

typedef struct tally {
    uint64_t tried, refused, still_right, wrong;
} tally;

/* ---- an own judgement of cycles ---- */

/* The other transaction that a read reads from; ISO_NONE: none. */
static uint32_t from_whom(const isolab_history *h, uint32_t o) {
    if (o >= h->n_ops || h->op_kind[o] != ISO_READ || h->op_writer[o] == ISO_NONE) {
        return ISO_NONE;
    }
    uint32_t w = h->op_writer[o];
    return w == ISO_INIT ? ISO_INIT : h->op_txn[w] == h->op_txn[o] ? ISO_NONE : h->op_txn[w];
}

static bool writes(const isolab_history *h, uint32_t t, uint32_t key) {
    bool any = t == ISO_INIT;
    for (uint32_t o = 0; !any && o < h->n_ops; o++) {
        any = h->op_txn[o] == t && h->op_kind[o] == ISO_WRITE && h->op_key[o] == key;
    }
    return any;
}

/* Do the premises say that t3 sees t2? A naked reading of the table in docs/levels.md. */
static bool sees(const isolab_history *h, iso_level level, const claim_edge *e, uint32_t n, uint32_t t2, uint32_t o) {
    uint32_t t3 = h->op_txn[o], at = t2;
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].from != at || e[i].kind > CLAIM_WR) {
            return false;
        }
        at = e[i].to;
    }
    if (n == 0 || at != t3) {
        return false;
    }
    bool read_first = e[0].kind == CLAIM_WR && e[0].op[1] < o;
    return level == ISO_CC ||
           (n == 1 && (level == ISO_RA || (level == ISO_RC && read_first) ||
                       (level == ISO_RC_PLUME && read_first && h->op_key[e[0].op[1]] != h->op_key[o])));
}

static bool is_right(const isolab_history *h, const iso_claim *c) {
    for (uint32_t i = 0; i < c->n_edges; i++) {
        const claim_edge *e = &c->edges[i];
        bool in = (e->from == ISO_INIT || h->txn_counts[e->from] == ISO_INCLUDED) &&
                  (e->to == ISO_INIT || h->txn_counts[e->to] == ISO_INCLUDED);
        bool right = false;
        uint32_t o = e->op[0];
        switch (e->kind) {
        case CLAIM_SO:
            right = e->from == ISO_INIT
                        ? e->to != ISO_INIT
                        : e->to != ISO_INIT && h->txn_session[e->from] == h->txn_session[e->to] && e->from < e->to;
            break;
        case CLAIM_WR:
            right = e->to != ISO_INIT && e->op[1] < h->n_ops && h->op_txn[e->op[1]] == e->to &&
                    from_whom(h, e->op[1]) == e->from &&
                    e->op[0] == (e->from == ISO_INIT ? ISO_NONE : h->op_writer[e->op[1]]);
            break;
        case CLAIM_AXIOM:
            right = from_whom(h, o) == e->to && h->txn_counts[h->op_txn[o]] == ISO_INCLUDED && e->from != e->to &&
                    writes(h, e->from, h->op_key[o]) && sees(h, c->level, c->edges + e->first, e->count, e->from, o);
            break;
        default:
            break;
        }
        if (!in || !right) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->n_cycle; i++) {
        uint32_t next = c->cycle + (i + 1) % c->n_cycle;
        if (c->edges[c->cycle + i].to != c->edges[next].from) {
            return false;
        }
    }
    return c->n_cycle > 0;
}

/* ---- changed text ---- */

typedef struct scan {
    iso_pool *pool;
    const char *text;
    size_t size;
    iso_claim claim;
} scan;

static void scan_guarded(void *arg) {
    scan *s = arg;
    iso_verify_scan(s->pool, s->text, s->size, &s->claim);
}

/* An offence that is accepted must be a read (or a pair of them) that naive reports, too; it names only the first kind
 * of several that fit. */
static bool offends(iso_pool *pool, const isolab_history *h, const iso_claim *c) {
    iso_question question = {.level = c->level == ISO_CI        ? ISO_CI
                                      : c->level < ISO_RC_PLUME ? ISO_RC_PLUME
                                                                : c->level,
                             .all = true};
    iso_result result;
    iso_result_init(&result, pool);
    iso_check(iso_checker_find("naive"), h, &question, &result);
    for (uint32_t i = 0; i < result.n_anomalies; i++) {
        const iso_anomaly *a = &result.anomalies[i];
        bool pair = c->offence == OFFENCE_NON_REPEATABLE;
        if (pair ? a->kind == ISO_A_NON_REPEATABLE_READ && h->op_txn[a->op] == h->op_txn[c->offence_op]
                 : a->n_cycle == 0 && a->kind <= ISO_A_INTERMEDIATE_READ && a->op == c->offence_op) {
            return true;
        }
    }
    return false;
}

static void judge(iso_pool *pool, const isolab_history *h, const char *text, size_t size, uint64_t seed, tally *t) {
    int code = iso_verify(pool, h, text, size);
    t->tried++;
    if (code == ISO_REFUSED || code == ISOLAB_E_INPUT) {
        t->refused++;
        return;
    }
    scan s = {.pool = pool, .text = text, .size = size};
    bool right = code == 0 && iso_guard(pool->env, scan_guarded, &s) == 0;
    if (right && !s.claim.satisfied) {
        right = s.claim.offence != OFFENCE_NONE ? offends(pool, h, &s.claim) : is_right(h, &s.claim);
    }
    t->still_right += right;
    if (!right && t->wrong++ == 0) {
        diag("seed %" PRIu64 ": accepted although it was changed:\n%s", seed, text);
        iso_agree_print(&env, h);
    }
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void change_numbers(const isolab_history *h, const char *text, size_t size, iso_rng *rng, uint64_t seed,
                           tally *t) {
    for (size_t at = strlen("isolab-certificate 1\n"); at < size; at++) {
        if (!is_digit(text[at]) || (text[at - 1] != ' ' && text[at - 1] != '\n')) {
            continue;
        }
        size_t end = at;
        while (is_digit(text[end])) {
            end++;
        }
        if (end < size && text[end] > ' ') {
            continue; /* the fingerprint */
        }
        uint64_t old = strtoull(text + at, NULL, 10);
        for (int change = 0; change < 4; change++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            char *changed = iso_alloc(&pool, size + 32, 1);
            uint64_t new = change == 0 ? old + 1 : change == 1 ? old - 1 : iso_random_below(rng, h->n_ops + 1);
            int n = new > h->n_ops + 1 || change == 3
                        ? snprintf(changed, size + 32, "%.*sinit%s", (int)at, text, text + end)
                        : snprintf(changed, size + 32, "%.*s%" PRIu64 "%s", (int)at, text, new, text + end);
            if (strcmp(changed, text) != 0) {
                judge(&pool, h, changed, (size_t)n, seed, t);
            }
            iso_pool_free(&pool);
        }
        at = end;
    }
}

/* Lines left out, doubled, and exchanged with the next one. */
static void change_lines(const isolab_history *h, const char *text, size_t size, uint64_t seed, tally *t) {
    for (const char *line = text; line < text + size;) {
        const char *end = strchr(line, '\n') + 1, *next_end = end < text + size ? strchr(end, '\n') + 1 : end;
        for (int change = 0; change < 3; change++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            char *changed = iso_alloc(&pool, 2 * size + 1, 1);
            int before = (int)(line - text), this = (int)(end - line), next = (int)(next_end - end);
            int n = change == 0 ? snprintf(changed, 2 * size, "%.*s%s", before, text, end)
                    : change == 1
                        ? snprintf(changed, 2 * size, "%.*s%.*s%s", before, text, this, line, line)
                        : snprintf(changed, 2 * size, "%.*s%.*s%.*s%s", before, text, next, end, this, line, next_end);
            if (strcmp(changed, text) != 0) {
                judge(&pool, h, changed, (size_t)n, seed, t);
            }
            iso_pool_free(&pool);
        }
        line = end;
    }
}

static void change_text(const isolab_history *h, uint64_t seed, tally *t) {
    iso_rng rng = {seed};
    for (iso_level level = ISO_INT; level <= ISO_CC; level++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        iso_question question = {.level = level, .certificate = true};
        iso_result result;
        iso_result_init(&result, &pool);
        iso_check(iso_checker_find("awdit"), h, &question, &result);
        size_t size;
        char *text = iso_certificate_text(&pool, h, &question, &result, &size);
        change_numbers(h, text, size, &rng, seed, t);
        change_lines(h, text, size, seed, t);
        iso_pool_free(&pool);
    }
}

/* ---- a changed history ---- */

/* The same with one operation changed: its value becomes that of another operation, or its key. */
static isolab_history *change_history(iso_pool *pool, const isolab_history *h, iso_rng *rng) {
    uint32_t target = (uint32_t)iso_random_below(rng, h->n_ops), donor = (uint32_t)iso_random_below(rng, h->n_ops);
    bool swap_sessions = iso_random_below(rng, 8) == 0 && h->n_txns > 1;
    uint32_t moved = (uint32_t)iso_random_below(rng, h->n_txns);
    iso_builder *b = iso_builder_new(pool);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_builder_session(b, iso_atom_nil());
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t s = h->txn_session[t];
        s = swap_sessions && t == moved ? (uint32_t)iso_random_below(rng, h->n_sessions) : s;
        uint32_t txn = iso_builder_txn(b, s, iso_atom_nil(), (iso_status)h->txn_status[t]);
        if (h->txn_start != NULL) {
            iso_builder_times(b, txn, h->txn_start[t], h->txn_end[t]);
        }
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            uint32_t like = o == target && !swap_sessions ? donor : o;
            iso_builder_op(b, txn, h->op_kind[o] == ISO_READ ? ISO_READ : ISO_WRITE,
                           iso_builder_key(b, iso_atom_int(h->op_key[like])),
                           iso_version_value(h, h->op_version[like]));
        }
    }
    return iso_builder_finish(b);
}

/* The certificate with the header of another history. */
static char *readdress(iso_pool *pool, const char *text, const isolab_history *h, const iso_question *question) {
    iso_result none;
    iso_result_init(&none, pool);
    none.verdict = ISOLAB_SATISFIED;
    uint32_t order = 0;
    none.order = &order;
    size_t size;
    char *header = iso_certificate_text(pool, h, question, &none, &size);
    const char *level = strstr(header, "\nlevel "), *rest = strstr(text, "\nlevel ");
    char *all = iso_alloc(pool, size + strlen(text) + 1, 1);
    snprintf(all, size + strlen(text) + 1, "%.*s%s", (int)(level - header), header, rest);
    return all;
}

static void show_elsewhere(const isolab_history *h, uint64_t seed, tally *t) {
    iso_rng rng = {seed};
    for (size_t c = 0; iso_checkers[c] != NULL; c++) {
        for (int level = ISO_INT; level < iso_n_levels; level++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            iso_question question = {.level = level, .certificate = true};
            iso_result result;
            iso_result_init(&result, &pool);
            iso_check(iso_checkers[c], h, &question, &result);
            size_t size;
            char *text = iso_certificate_text(&pool, h, &question, &result, &size);
            for (int i = 0; text != NULL && i < 4; i++) {
                isolab_history *other = change_history(&pool, h, &rng);
                iso_result truth;
                iso_result_init(&truth, &pool);
                iso_check(iso_checker_find("brute"), other, &question, &truth);
                char *there = readdress(&pool, text, other, &question);
                int code = iso_verify(&pool, other, there, strlen(there));
                t->tried++;
                t->refused += code != 0;
                t->still_right += code == 0 && truth.verdict == result.verdict;
                if (code == 0 && truth.verdict != result.verdict && t->wrong++ == 0) {
                    diag("seed %" PRIu64 ": %s's certificate is accepted for a history where it is wrong:\n%s", seed,
                         iso_checkers[c]->name, there);
                    iso_agree_print(&env, other);
                }
            }
            iso_pool_free(&pool);
        }
    }
}

static void run(void *arg) {
    (void)arg;
    const iso_small_shape shapes[] = {
        {.txns = 6, .ops = 4, .keys = 3, .sessions = 3},
        {.txns = 5, .ops = 4, .keys = 2, .sessions = 3, .aborted = true, .indeterminate = true, .wild = true},
    };
    tally text = {0}, history = {0};
    uint64_t first = seed_or(1), rounds = iso_agree_rounds(30, 400, 20000);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            iso_pool pool;
            iso_pool_init(&pool, &env);
            const isolab_history *h = iso_random_small(&pool, seed, &shapes[s]);
            if (h->n_ops > 0) {
                change_text(h, seed, &text);
                show_elsewhere(h, seed, &history);
            }
            iso_pool_free(&pool);
        }
    }
    ok(text.wrong == 0, "changed certificates: %" PRIu64 " tried, %" PRIu64 " refused, %" PRIu64 " still right",
       text.tried, text.refused, text.still_right);
    cmp_ok(text.refused, ">", 9 * text.still_right, "nine of ten changes make them wrong");
    ok(history.wrong == 0,
       "certificates for changed histories: %" PRIu64 " tried, %" PRIu64 " refused, %" PRIu64 " right there, too",
       history.tried, history.refused, history.still_right);
    cmp_ok(history.refused, ">", 0, "some are refused");
}

int main(void) { return run_guarded(&env, run); }
