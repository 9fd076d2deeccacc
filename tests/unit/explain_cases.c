/* Tests that explanations assert nothing that is not so (explain/words.h), on random small histories, by every checker
 * at every level.
 *
 * 1. Repeated values, negations, lists: a step says a writer as a fact only if no other write is possible (by an
 *    enumeration of this file); else its sentence begins with `if`, and what depends on it with `in this case`. A cycle
 *    that is told without `if` is an argument that isolab-verify accepts.
 * 2. Unique values: the told premises suffice. Of the history only the operations that the sentences name are kept, in
 *    any order that the sentences do not forbid, and only the sessions that they name. brute must still find the level
 *    violated. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "certificates/certificate.h"
#include "explain/story.h"
#include "formats/format.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/seed.h"
#include "verify/verify.h"

static iso_env env;

typedef struct tally {
    uint64_t violated, facts, assumed, follow, arguments, cases, searches, wrong;
} tally;

typedef struct trial {
    const isolab_history *h;
    const iso_result *r;
    const iso_checker *checker;
    iso_level level;
    uint64_t seed;
    tally *t;
    bool any, premises; /* a step is assumed; each step that needs premises has some */
} trial;

static void complain(const trial *x, const char *what, const char *sentence) {
    if (x->t->wrong++ < 3) {
        diag("seed %llu, %s by %s: %s: %s", (unsigned long long)x->seed, iso_level_get(x->level)->name,
             x->checker->name, what, sentence);
        iso_agree_print(&env, x->h);
    }
}

/* ---- 1: facts and assumptions ---- */

static uint32_t last_write(const isolab_history *h, uint32_t from, uint32_t to, uint32_t key) {
    uint32_t found = ISO_NONE;
    for (uint32_t o = from; o < to; o++) {
        found = iso_is_write(h->op_kind[o]) && h->op_key[o] == key ? o : found;
    }
    return found;
}

/* Sets by transaction whether a read of a register may be from it, the last entry for the initial transaction. Returns
 * the number. */
static uint32_t possible(const isolab_history *h, uint32_t read, uint8_t *of) {
    uint32_t t = h->op_txn[read], key = h->op_key[read], n = 0;
    uint32_t own = last_write(h, h->txn_op[t], read, key);
    memset(of, 0, h->n_txns + 1);
    for (uint32_t u = 0; u < h->n_txns; u++) {
        uint32_t w = u == t ? own : last_write(h, h->txn_op[u], h->txn_op[u + 1], key);
        bool may = w != ISO_NONE && (own == ISO_NONE || u == t) && h->txn_status[u] != ISO_ABORTED &&
                   iso_version_covers(h, h->op_version[read], h->op_version[w]);
        n += of[u] = may;
    }
    of[h->n_txns] = own == ISO_NONE && iso_version_is_initial(h, h->op_version[read]);
    return n + of[h->n_txns];
}

static void see_step(void *arg, const iso_word_step *step) {
    trial *x = arg;
    const isolab_history *h = x->h;
    const iso_edge *e = step->edge;
    uint8_t of[64];
    bool as_if = strncmp(step->sentence, "if ", 3) == 0, in_case = strncmp(step->sentence, "in this case ", 13) == 0;
    uint32_t read = e->kind == ISO_EDGE_WR      ? e->op_to
                    : e->kind == ISO_EDGE_RW    ? e->op_from
                    : e->kind == ISO_EDGE_AXIOM ? e->reader_op
                                                : ISO_NONE;
    uint32_t from = e->kind == ISO_EDGE_WR ? e->from : e->kind == ISO_EDGE_AXIOM ? e->to : ISO_NONE;
    bool is_register = read != ISO_NONE && h->op_kind[read] == ISO_READ;
    uint32_t n = is_register ? possible(h, read, of) : 0;
    bool told = is_register && (from == ISO_NONE || of[from == ISO_INIT ? h->n_txns : from]);
    x->any |= as_if;
    x->premises &= e->n_premise > 0 || (e->kind != ISO_EDGE_WW && e->kind != ISO_EDGE_AXIOM && e->kind != ISO_EDGE_RW);
    x->t->assumed += as_if;
    x->t->follow += in_case;
    x->t->facts += !as_if && !in_case;
    if (is_register && !told) {
        complain(x, "not a possible writer", step->sentence);
    } else if (is_register && n != 1 && !as_if) {
        complain(x, "one of several writers is told as a fact", step->sentence);
    } else if (e->n_premise == 0 && e->kind == ISO_EDGE_WW && !as_if) {
        complain(x, "an order of writes without a reason is told as a fact", step->sentence);
    } else if (e->kind == ISO_EDGE_SO && e->from != ISO_INIT &&
               (h->txn_session[e->from] != h->txn_session[e->to] || e->from > e->to)) {
        complain(x, "not an order of a session", step->sentence);
    }
}

/* Returns whether isolab-verify accepts the cycle of an anomaly without a clausal proof. */
static bool is_argument(iso_pool *pool, const trial *x, const iso_question *question, uint32_t anomaly) {
    iso_result r = *x->r;
    size_t size;
    r.proof = NULL;
    char *text = iso_certificate_of(pool, x->h, question, &r, anomaly, &size);
    return text != NULL && iso_verify(pool, x->h, text, size) == 0;
}

/* Returns whether a clausal proof (NULL: none) has a line about a read. */
static bool has_reads(const char *proof) {
    static const char *const lines[] = {"wr ", "rw ", "choice ", "axiom ", "list ", "state "};
    bool found = false;
    for (size_t i = 0; proof != NULL && i < sizeof lines / sizeof *lines; i++) {
        found = found || strstr(proof, lines[i]) != NULL;
    }
    return found;
}

static void see_answer(iso_pool *pool, trial *x, const iso_question *question) {
    char text[ISO_SENTENCE_SIZE], cycle[ISO_SENTENCE_SIZE];
    x->t->violated++;
    for (uint32_t i = 0; i < x->r->n_anomalies; i++) {
        const iso_anomaly *a = &x->r->anomalies[i];
        x->any = false;
        x->premises = true;
        iso_each_step(x->h, x->r, a, see_step, x);
        iso_word_anomaly(x->h, x->r, a, text);
        iso_word_cycle(x->h, x->r, a, cycle);
        bool ifs = strstr(text, " If ") != NULL, in_case = strncmp(cycle, "In this case ", 13) == 0;
        if (text[0] == '\0') {
            complain(x, "nothing is told", iso_anomaly_get((iso_anomaly_kind)a->kind)->name);
        } else if (x->any != ifs || x->any != in_case) {
            complain(x, "a case is told as a fact, or a fact as a case", text);
        } else if (a->n_cycle > 0 && !x->any && x->premises && !is_argument(pool, x, question, i)) {
            complain(x, "no argument", text);
        }
        x->t->cases += x->any;
        x->t->arguments += a->n_cycle > 0 && !x->any && x->premises;
        x->t->searches += a->kind == ISO_A_NO_ORDER && a->n_cycle == 0;
        if (a->kind == ISO_A_NO_ORDER && a->n_cycle == 0 && has_reads(x->r->proof) && strstr(text, " read ") == NULL) {
            complain(x, "the proof names no read", text);
        }
    }
}

static void ask_all(iso_pool *pool, trial *x, bool certificate,
                    void (*see)(iso_pool *, trial *, const iso_question *)) {
    char why[512];
    for (size_t c = 0; iso_checkers[c] != NULL; c++) {
        for (int l = 0; l < iso_n_levels; l++) {
            const iso_question question = {.level = l, .certificate = certificate, .threads = 1};
            iso_result r;
            iso_result_init(&r, pool);
            if (iso_checker_refuses(iso_checkers[c], x->h, &question, why, sizeof why) != NULL) {
                continue;
            }
            iso_check(iso_checkers[c], x->h, &question, &r);
            x->r = &r;
            x->checker = iso_checkers[c];
            x->level = l;
            if (r.verdict == ISOLAB_VIOLATED) {
                see(pool, x, &question);
            }
        }
    }
}

static void told_truly(const char *what, const iso_small_shape *shape, uint64_t rounds, uint64_t least) {
    tally t = {0};
    uint64_t first = seed_of_run() % 1000000;
    if (!selected(what)) {
        return;
    }
    for (uint64_t seed = first; seed < first + rounds && t.wrong == 0; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        trial x = {.h = iso_random_small(&pool, seed, shape), .seed = seed, .t = &t};
        ask_all(&pool, &x, seed % 2 == 0, see_answer);
        iso_pool_free(&pool);
    }
    ok(t.wrong == 0 && t.cases >= least && t.arguments > 0,
       "%s: %llu violations tell %llu facts, %llu assumptions and %llu that follow; %llu arguments, %llu cases", what,
       (unsigned long long)t.violated, (unsigned long long)t.facts, (unsigned long long)t.assumed,
       (unsigned long long)t.follow, (unsigned long long)t.arguments, (unsigned long long)t.cases);
    diag("seed %llu; %llu searches without a cycle", (unsigned long long)first, (unsigned long long)t.searches);
}

/* ---- 2: premises ---- */

/* What the sentences of an explanation tell. */
typedef struct told {
    trial *x;
    uint8_t op[256], txn[64];
    uint32_t session[64]; /* by transaction: the first one of its session that is told to precede it, or itself */
    uint32_t before[32][2], n_before; /* pairs of reads in an order that is told */
} told;

/* Marks an operation as told if the sentence has it: `x = 1`. */
static void tell_op(told *d, uint32_t op, const char *sentence) {
    char text[512];
    if (op < d->x->h->n_ops && strstr(sentence, strchr(iso_word_op(d->x->h, op, text, sizeof text), ' ') + 1) != NULL) {
        d->op[op] = 1;
        d->txn[d->x->h->op_txn[op]] = 1;
    }
}

static void tell_step(void *arg, const iso_word_step *step) {
    told *d = arg;
    const isolab_history *h = d->x->h;
    const iso_edge *e = step->edge;
    const char *order = strstr(step->sentence, ", after it read ");
    uint32_t op[4] = {e->op_from, e->op_to, e->reader_op, ISO_NONE};
    op[3] = e->from < h->n_txns && e->key < h->n_keys ? iso_last_write(h, e->from, e->key) : ISO_NONE;
    for (int i = 0; i < 4; i++) {
        tell_op(d, op[i], step->sentence);
        if (op[i] < h->n_ops && h->op_kind[op[i]] == ISO_READ) {
            tell_op(d, h->op_writer[op[i]], step->sentence);
        }
    }
    uint32_t newer = e->kind == ISO_EDGE_RW || e->kind == ISO_EDGE_WW ? iso_last_write(h, e->to, e->key) : ISO_NONE;
    if (e->kind == ISO_EDGE_RW) { /* `which t2 overwrites with 2` */
        char with[120], value[ISO_NAME_SIZE];
        snprintf(with, sizeof with, " with %s", iso_atom_text(h, iso_version_value(h, h->op_version[newer]), value));
        d->op[newer] |= strstr(step->sentence, with) != NULL;
        d->txn[e->to] |= d->op[newer];
    } else {
        tell_op(d, newer, step->sentence);
    }
    if (e->kind == ISO_EDGE_SO && e->from < h->n_txns) {
        d->txn[e->from] = d->txn[e->to] = 1;
        uint32_t a = d->session[e->from], b = d->session[e->to];
        for (uint32_t t = 0; t < h->n_txns; t++) {
            d->session[t] = d->session[t] == a || d->session[t] == b ? (a < b ? a : b) : d->session[t];
        }
    }
    if (order != NULL) { /* any earlier read of the transaction that the words fit */
        for (uint32_t o = h->txn_op[h->op_txn[e->reader_op]]; o < e->reader_op && d->n_before < 32; o++) {
            char text[512];
            if (h->op_kind[o] == ISO_READ &&
                strcmp(order + 16, strchr(iso_word_op(h, o, text, sizeof text), ' ') + 1) == 0) {
                d->before[d->n_before][0] = o;
                d->before[d->n_before++][1] = e->reader_op;
                tell_op(d, o, step->sentence);
                break;
            }
        }
    }
}

/* Returns whether the words forbid this operation before the remaining ones. */
static bool must_wait(const told *d, uint32_t op, const uint8_t *left) {
    for (uint32_t i = 0; i < d->n_before; i++) {
        if (d->before[i][1] == op && left[d->before[i][0]] && d->op[d->before[i][0]]) {
            return true;
        }
    }
    return false;
}

/* Writes what is told as isolab text: the operations of a transaction in a random order that the words allow. */
static void write_told(const told *d, iso_rng *rng, char *text, size_t size) {
    const isolab_history *h = d->x->h;
    size_t used = 0;
    for (uint32_t s = 0; s < h->n_txns; s++) {
        bool begun = false;
        for (uint32_t t = s; t < h->n_txns; t++) {
            if (!d->txn[t] || d->session[t] != s) {
                continue;
            }
            uint32_t first = h->txn_op[t], n = h->txn_op[t + 1] - first, written = 0, remain = 0;
            uint8_t left[256] = {0};
            used += (size_t)snprintf(text + used, size - used, "%st%u commit:", begun ? "" : "session\n", t);
            begun = true;
            for (uint32_t o = first; o < first + n; o++) {
                remain += left[o] = d->op[o];
            }
            while (remain > 0) {
                char op[200];
                uint32_t o = first + (uint32_t)iso_random_below(rng, n);
                if (left[o] && !must_wait(d, o, left)) {
                    used += (size_t)snprintf(text + used, size - used, "%s %s", written++ > 0 ? "," : "",
                                             iso_op_text(h, o, op, sizeof op));
                    left[o] = 0;
                    remain--;
                }
            }
            used += (size_t)snprintf(text + used, size - used, "\n");
        }
    }
}

static void see_premises(iso_pool *pool, trial *x, const iso_question *question) {
    enum { ORDERS = 6 };
    char text[8192];
    const iso_anomaly *a = &x->r->anomalies[0];
    if (x->r->n_anomalies == 0 || a->n_cycle == 0) {
        return;
    }
    told d = {.x = x};
    for (uint32_t t = 0; t < x->h->n_txns; t++) {
        d.session[t] = t;
    }
    iso_each_step(x->h, x->r, a, tell_step, &d);
    iso_rng rng = {x->seed};
    x->t->arguments++;
    for (int i = 0; i < ORDERS; i++) {
        write_told(&d, &rng, text, sizeof text);
        const isolab_history *h = iso_load_bytes(pool, text, strlen(text), iso_format_find("isolab"));
        iso_result r;
        iso_result_init(&r, pool);
        iso_check(iso_checker_find("brute"), h, &(const iso_question){.level = question->level}, &r);
        if (r.verdict != ISOLAB_VIOLATED) {
            char sentence[ISO_SENTENCE_SIZE];
            diag("what is told satisfies %s:\n%s", iso_level_get(question->level)->name, text);
            complain(x, "the premises do not suffice", iso_word_anomaly(x->h, x->r, a, sentence));
            return;
        }
    }
}

static void premises_suffice(const char *what, const iso_small_shape *shape, uint64_t rounds) {
    tally t = {0};
    uint64_t first = seed_of_run() % 1000000;
    if (!selected(what)) {
        return;
    }
    for (uint64_t seed = first; seed < first + rounds && t.wrong == 0; seed++) {
        iso_pool pool;
        iso_pool_init(&pool, &env);
        trial x = {.h = iso_random_small(&pool, seed, shape), .seed = seed, .t = &t};
        ask_all(&pool, &x, true, see_premises);
        iso_pool_free(&pool);
    }
    ok(t.wrong == 0 && t.arguments > 100,
       "%s: what %llu explanations tell violates their levels, whatever they leave out", what,
       (unsigned long long)t.arguments);
    diag("seed %llu", (unsigned long long)first);
}

static void run(void *arg) {
    (void)arg;
    uint64_t rounds = iso_agree_rounds(60, 1000, 100000);
    const iso_small_shape repeated = {.txns = 6, .ops = 3, .keys = 3, .sessions = 4, .duplicates = true};
    iso_small_shape shape = repeated;
    told_truly("repeated values", &shape, 2 * rounds, 1);
    shape.negations = shape.indeterminate = shape.aborted = true;
    told_truly("repeated values, negations, other outcomes", &shape, 2 * rounds, 1);
    shape = repeated;
    shape.lists = true;
    told_truly("repeated values and lists", &shape, rounds, 0);
    shape.times = shape.unique_elements = true;
    told_truly("repeated values, lists, times", &shape, rounds, 0);
    premises_suffice("unique values", &(const iso_small_shape){.txns = 6, .ops = 4, .keys = 3, .sessions = 4}, rounds);
    premises_suffice("unique values, many reads",
                     &(const iso_small_shape){.txns = 4, .ops = 6, .keys = 2, .sessions = 3}, rounds);
}

int main(void) { return run_guarded(&env, run); }
