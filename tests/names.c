/* See names.h. */
#include "tests/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shrink/edit.h"
#include "tests/guarantees.h"
#include "tests/tap.h"

uint64_t iso_names_seen[ISO_A_KINDS];

/* A cycle, and what it is made of: so and wr are what a transaction sees, ww every order of two writers. */
typedef struct shape {
    const isolab_history *h;
    const iso_edge *e;
    uint32_t n, so, wr, rt, rw, ww;
} shape;

static bool sees(const iso_edge *e) { return e->kind == ISO_EDGE_SO || e->kind == ISO_EDGE_WR; }
static bool reads(const iso_edge *e) { return e->kind == ISO_EDGE_WR; }
static bool is_rw(const iso_edge *e) { return e->kind == ISO_EDGE_RW; }

static shape shape_of(const isolab_history *h, const iso_result *r, const iso_anomaly *a) {
    shape s = {.h = h, .e = r->edges + a->cycle, .n = a->n_cycle};
    for (uint32_t i = 0; i < s.n; i++) {
        uint8_t kind = s.e[i].kind;
        s.so += kind == ISO_EDGE_SO;
        s.wr += kind == ISO_EDGE_WR;
        s.rt += kind == ISO_EDGE_RT;
        s.rw += kind == ISO_EDGE_RW;
        s.ww += kind == ISO_EDGE_WW || kind == ISO_EDGE_AXIOM || kind == ISO_EDGE_LIST;
    }
    return s;
}

static const iso_edge *before(const shape *s, uint32_t i) { return &s->e[(i + s->n - 1) % s->n]; }

/* Of the anti-dependencies: does each one follow an edge by which its transaction sees something? Does none follow
 * another one? */
static bool each_rw(const shape *s, bool (*good)(const iso_edge *before)) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (is_rw(&s->e[i]) && !good(before(s, i))) {
            return false;
        }
    }
    return true;
}

/* Does each edge of real time lead between two transactions that access a common key? */
static bool each_rt_has_a_key(const shape *s) {
    const isolab_history *h = s->h;
    for (uint32_t i = 0; i < s->n; i++) {
        const iso_edge *e = &s->e[i];
        bool meet = e->kind != ISO_EDGE_RT;
        for (uint32_t o = h->txn_op[e->from]; !meet && o < h->txn_op[e->from + 1]; o++) {
            for (uint32_t p = h->txn_op[e->to]; p < h->txn_op[e->to + 1]; p++) {
                meet |= h->op_key[o] == h->op_key[p];
            }
        }
        if (!meet) {
            return false;
        }
    }
    return true;
}

static bool no_rw(const iso_edge *e) { return !is_rw(e); }

/* The one edge of a kind (the last). */
static const iso_edge *the(const shape *s, iso_edge_kind kind) {
    const iso_edge *found = NULL;
    for (uint32_t i = 0; i < s->n; i++) {
        found = s->e[i].kind == kind ? &s->e[i] : found;
    }
    return found;
}

/* The first read of a key that does not come after an own write, or a read of a list; ISO_NONE. */
static uint32_t first_read(const isolab_history *h, uint32_t txn, uint32_t key) {
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (h->op_key[o] == key) {
            if (!iso_is_write(h->op_kind[o]) || !h->key_is_list[key]) {
                return iso_is_write(h->op_kind[o]) ? ISO_NONE : o;
            }
        }
    }
    return ISO_NONE;
}

static bool writes(const isolab_history *h, uint32_t txn, uint32_t key) {
    bool any = false;
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        any |= h->op_key[o] == key && iso_is_write(h->op_kind[o]);
    }
    return any;
}

static bool lost_update(const shape *s) {
    const iso_edge *rw = the(s, ISO_EDGE_RW);
    if (s->n != 2 || rw == NULL || s->rw + s->ww != 2) {
        return false;
    }
    uint32_t a = rw->from, b = rw->to, key = rw->key, x = first_read(s->h, a, key), y = first_read(s->h, b, key);
    return s->e[0].key == key && s->e[1].key == key && x != ISO_NONE && y != ISO_NONE &&
           (s->h->key_is_list[key] || s->h->op_version[x] == s->h->op_version[y]) && writes(s->h, a, key) &&
           writes(s->h, b, key);
}

/* A weak pattern: what is seen leads to the reader, and an axiom back, or the reader's anti-dependency. co: nothing
 * else is inferred; steps: how a transaction is seen, 1 directly. */
static bool weak(const shape *s, bool co, uint32_t steps) {
    if (s->rw > 0) {
        return s->rw == 1 && s->n - 1 == s->so + s->wr && (steps == 0 || s->n == 2) &&
               (!co || the(s, ISO_EDGE_RW)->n_premise > 0);
    }
    return co ? s->ww == 1 && s->n == s->so + s->wr + 1 && the(s, ISO_EDGE_AXIOM) != NULL : s->ww > 0;
}

static bool has_shape(const shape *s, const char *name) {
    if (iso_is_guarantee(name)) { /* tests/guarantees.h has what it claims */
        return s->rw <= 1 && s->rt == 0;
    } else if (strcmp(name, "cyclic-causality") == 0) {
        return s->n == s->so + s->wr + s->ww && s->so + s->wr > 0 && the(s, ISO_EDGE_AXIOM) == NULL;
    } else if (strcmp(name, "write-cycle") == 0) {
        return s->n == s->ww;
    } else if (strcmp(name, "linearizability-violation") == 0) {
        return s->rt > 0 && s->rw + s->ww > 0 && each_rt_has_a_key(s);
    } else if (strcmp(name, "key-clock-contradiction") == 0) {
        return s->rt > 0 && s->n == s->rt + s->so + s->wr && each_rt_has_a_key(s);
    } else if (strcmp(name, "real-time-violation") == 0) {
        return s->rt > 0 && s->rw + s->ww > 0;
    } else if (strcmp(name, "clock-contradiction") == 0) {
        return s->rt > 0 && s->n == s->rt + s->so + s->wr;
    } else if (strcmp(name, "lost-update") == 0) {
        return lost_update(s);
    } else if (strcmp(name, "write-skew") == 0) {
        return s->n == 2 && s->rw == 2 && s->e[0].key != s->e[1].key;
    } else if (strcmp(name, "read-skew") == 0) {
        return s->n == 2 && s->rw == 1 && s->wr == 1 && s->e[0].key != s->e[1].key;
    } else if (strcmp(name, "long-fork") == 0) {
        return s->rw == 2 && s->ww == 0 && s->rt == 0 && each_rw(s, reads);
    } else if (strcmp(name, "prefix-violation") == 0) {
        return s->rw > 0 && s->rt == 0 && each_rw(s, sees);
    } else if (strcmp(name, "single-anti-dependency-cycle") == 0) {
        return s->rw == 1 && s->rt == 0;
    } else if (strcmp(name, "nonadjacent-anti-dependency-cycle") == 0) {
        return s->rw > 1 && s->rt == 0 && each_rw(s, no_rw);
    } else if (strcmp(name, "anti-dependency-cycle") == 0) {
        return s->rw > 1 && s->rt == 0;
    }
    if (strcmp(name, "non-repeatable-read") == 0) {
        return s->n == 2 && s->rw == 1 && s->wr == 1 && s->e[0].key == s->e[1].key;
    }
    size_t n = strlen(name);
    bool co = n > 3 && strcmp(name + n - 3, "-co") == 0;
    return weak(s, co, strncmp(name, "fractured", 9) == 0);
}

/* The weakest level that the anomaly breaks by itself. */
static const struct {
    const char *name;
    iso_level breaks;
} names[] = {
    {"thin-air-read", ISO_INT},
    {"aborted-read", ISO_INT},
    {"future-read", ISO_INT},
    {"not-my-own-write", ISO_INT},
    {"not-my-last-write", ISO_INT},
    {"intermediate-read", ISO_INT},
    {"cyclic-causality", ISO_G1},
    {"write-cycle", ISO_G1},
    {"duplicate-append", ISO_G1},
    {"incompatible-order", ISO_G1},
    {"lost-element", ISO_G1},
    {"non-monotonic-read-co", ISO_RC},
    {"non-monotonic-read-cm", ISO_RC},
    {"non-repeatable-read", ISO_CI},
    {"fractured-read-co", ISO_RA},
    {"fractured-read-cm", ISO_RA},
    {"read-skew", ISO_RA},
    {"read-your-writes", ISO_RA},
    {"monotonic-reads", ISO_CC},
    {"monotonic-writes", ISO_CC},
    {"writes-follow-reads", ISO_CC},
    {"causal-conflict-co", ISO_CC},
    {"causal-conflict-cm", ISO_CC},
    {"long-fork", ISO_PC},
    {"prefix-violation", ISO_PC},
    {"lost-update", ISO_SI},
    {"single-anti-dependency-cycle", ISO_SI},
    {"nonadjacent-anti-dependency-cycle", ISO_SI},
    {"write-skew", ISO_SER},
    {"anti-dependency-cycle", ISO_SER},
    {"linearizability-violation", ISO_LSER},
    {"key-clock-contradiction", ISO_LSER},
    {"real-time-violation", ISO_SSER},
    {"clock-contradiction", ISO_SSER},
};

static iso_level broken_by(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            return names[i].breaks;
        }
    }
    return ISO_NO_LEVEL;
}

static bool violated(iso_pool *pool, const isolab_history *h, iso_level level, bool no_session_order) {
    iso_result result;
    iso_result_init(&result, pool);
    iso_question question = {.level = level,
                             .no_session_order = no_session_order && level >= ISO_SI && level <= ISO_SER};
    iso_check(iso_checker_find("brute"), h, &question, &result);
    return result.verdict == ISOLAB_VIOLATED;
}

/* Marks the transactions that edges speak of, the writers of their reads, and the edges' premises. */
static void mark_txn(const isolab_history *h, uint8_t *in, uint32_t t) {
    if (t < h->n_txns) {
        in[t] = 1;
    }
}

static void mark_op(const isolab_history *h, uint8_t *in, uint32_t op) {
    if (op < h->n_ops) {
        mark_txn(h, in, h->op_txn[op]);
        if (h->op_kind[op] == ISO_LIST_READ) { /* all whose elements it shows */
            for (uint32_t e = h->list_first[h->op_version[op]]; e < h->list_first[h->op_version[op] + 1]; e++) {
                uint32_t n;
                const uint32_t *w = iso_writers(h, h->list_version[e], &n);
                for (uint32_t i = 0; i < n; i++) {
                    mark_txn(h, in, w[i] < h->n_ops ? h->op_txn[w[i]] : ISO_NONE);
                }
            }
        } else if (!iso_is_write(h->op_kind[op])) {
            uint32_t n;
            const uint32_t *w = iso_writers(h, h->op_version[op], &n);
            for (uint32_t i = 0; i < n; i++) {
                mark_txn(h, in, w[i] < h->n_ops ? h->op_txn[w[i]] : ISO_NONE);
            }
        }
    }
}

static void mark(const isolab_history *h, const iso_result *r, const iso_anomaly *a, uint8_t *in) {
    uint8_t *needed = calloc(r->n_edges + 1, 1);
    mark_op(h, in, a->op);
    mark_op(h, in, a->other_op);
    memset(needed + a->cycle, 1, a->n_cycle);
    for (uint32_t i = r->n_edges; i-- > 0;) { /* premises come first */
        const iso_edge *e = &r->edges[i];
        if (needed[i]) {
            memset(needed + e->premise, 1, e->n_premise);
            mark_txn(h, in, e->from);
            mark_txn(h, in, e->to);
            mark_op(h, in, e->op_from);
            mark_op(h, in, e->op_to);
            mark_op(h, in, e->reader_op);
        }
    }
    free(needed);
}

/* The transactions of the anomaly alone. Those of a case of a proof are not all of the proof. */
static bool breaks_alone(iso_pool *pool, const isolab_history *h, const iso_question *question, const iso_result *r,
                         const iso_anomaly *a, iso_level level) {
    uint8_t *out = calloc(h->n_txns + 1, 1);
    mark(h, r, a, out);
    for (uint32_t o = 0; a->kind == ISO_A_LOST_UPDATE && a->n_cycle == 0 && o < h->n_ops; o++) {
        if (h->op_key[o] == h->op_key[a->op]) { /* a count of all who wrote or overwrote the value */
            out[h->op_txn[o]] = 1;
        }
    }
    bool sure = r->proof == NULL && (a->n_cycle > 0 || a->op != ISO_NONE);
    for (uint32_t t = 0; t < h->n_txns; t++) {
        sure = sure && (!out[t] || h->txn_status[t] != ISO_INDETERMINATE);
        out[t] = !out[t];
    }
    iso_edit e = ISO_NO_EDIT;
    e.no_txn = out;
    bool good = !sure || violated(pool, iso_edited(pool, h, &e), level, question->no_session_order);
    free(out);
    return good;
}

/* Uses only the transactions of the anomaly. If values repeat, or it is not certain which transactions are included,
 * there are several graphs. */
static bool guarantee_is_broken(const isolab_history *h, const iso_result *r, const iso_anomaly *a, const char *name) {
    uint8_t *in = calloc(h->n_txns + 1, 1);
    mark(h, r, a, in);
    bool sure = h->unique;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        sure = sure && (!in[t] || h->txn_counts[t] == ISO_INCLUDED);
    }
    bool broken = !sure || !iso_guarantee_kept(h, in, name);
    free(in);
    return broken;
}

static bool judge(iso_pool *pool, const isolab_history *h, const iso_question *question, const iso_result *r,
                  const iso_anomaly *a, char *why, size_t size) {
    const char *name = iso_anomaly_get((iso_anomaly_kind)a->kind)->name;
    const char *asked = iso_level_get(question->level)->name;
    iso_level level = broken_by(name);
    iso_names_seen[a->kind]++;
    if (a->kind == ISO_A_NO_ORDER) {
        return true; /* no name */
    }
    if (level == ISO_NO_LEVEL) {
        snprintf(why, size, "%s is not in the table of names", name);
        return false;
    }
    if (question->level == ISO_RC_PLUME && level == ISO_RC) { /* two keys are wanted here */
        level = ISO_RC_PLUME;
    } else if (level == ISO_CI &&
               question->level != ISO_CI) { /* which allows reads that others do not: docs/levels.md */
        level = ISO_RA;
    }
    if ((iso_level_and_weaker(question->level) & ISO_LEVEL_BIT(level)) == 0) {
        snprintf(why, size, "%s is shown for %s, which it does not break", name, asked);
        return false;
    }
    if (!violated(pool, h, level, question->no_session_order)) {
        snprintf(why, size, "%s is shown for %s, and %s is satisfied", name, asked, iso_level_get(level)->name);
        return false;
    }
    shape s = shape_of(h, r, a);
    if (a->n_cycle > 0 && !has_shape(&s, name)) { /* else nothing is shown, or a read */
        char text[256] = "";
        for (uint32_t i = 0; i < s.n; i++) {
            static const char *const kind[] = {"so", "wr", "rt", "axiom", "rw", "ww", "list"};
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s", kind[s.e[i].kind]);
        }
        snprintf(why, size, "%s is shown for %s, and the cycle is%s", name, asked, text);
        return false;
    }
    if (iso_is_guarantee(name) && !guarantee_is_broken(h, r, a, name)) {
        snprintf(why, size, "%s is shown, and the transactions of the anomaly keep that guarantee", name);
        return false;
    }
    if (!breaks_alone(pool, h, question, r, a, level)) {
        snprintf(why, size, "%s is shown for %s, and its transactions alone satisfy %s", name, asked,
                 iso_level_get(level)->name);
        return false;
    }
    return true;
}

bool iso_well_named(const isolab_history *h, const iso_question *question, const iso_result *one,
                    const iso_result *other, char *why, size_t size) {
    (void)one;
    iso_pool pool;
    iso_pool_init(&pool, h->pool->env);
    bool good = true;
    for (uint32_t i = 0; good && other->n_anomalies > 1 && i < other->n_anomalies; i++) {
        good = other->anomalies[i].kind != ISO_A_NO_ORDER;
        snprintf(why, size, "an anomaly without a name beside others");
    }
    for (uint32_t i = 0; good && i < other->n_anomalies; i++) {
        good = judge(&pool, h, question, other, &other->anomalies[i], why, size);
    }
    iso_pool_free(&pool);
    return good;
}

void iso_names_report(void) {
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        if (iso_names_seen[kind] > 0) {
            diag("%s: %llu", iso_anomaly_get((iso_anomaly_kind)kind)->name, (unsigned long long)iso_names_seen[kind]);
        }
    }
}
