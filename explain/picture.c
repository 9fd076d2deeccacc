/* Selects the contents of a picture. See picture.h. Pictures are small, so plain loops are fast enough. */
#include "explain/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/story.h"

#define OPS_SHOWN (4 * ISO_PICTURE_ARROWS)

typedef struct sketch {
    iso_picture *p;
    const iso_result *result;
} sketch;

static void add_txn(iso_picture *p, uint32_t txn) {
    for (uint32_t i = 0; i < p->n_txns; i++) {
        if (p->txn[i] == txn) {
            return;
        }
    }
    p->txn[p->n_txns++] = txn;
}

static void add_op(iso_picture *p, uint32_t op, bool wrong) {
    if (op >= p->h->n_ops) {
        return;
    }
    for (uint32_t i = 0; i < p->n_ops; i++) {
        if (p->op[i] == op) {
            p->wrong[i] |= wrong;
            return;
        }
    }
    if (p->n_ops < OPS_SHOWN) {
        p->wrong[p->n_ops] = wrong;
        p->op[p->n_ops++] = op;
        add_txn(p, p->h->op_txn[op]);
    }
}

static void add_arrow(sketch *s, iso_arrow a) {
    iso_picture *p = s->p;
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        iso_arrow *b = &p->arrow[i];
        if (b->from == a.from && b->to == a.to && b->kind == a.kind && b->op_from == a.op_from && b->op_to == a.op_to) {
            b->in_cycle |= a.in_cycle;
            memcpy(b->number, b->number[0] == '\0' ? a.number : b->number, sizeof b->number);
            return;
        }
    }
    if (p->n_arrows == ISO_PICTURE_ARROWS) {
        p->left_out++;
        return;
    }
    p->arrow[p->n_arrows++] = a;
    add_txn(p, a.from);
    add_txn(p, a.to);
    add_op(p, a.op_from, false);
    add_op(p, a.op_to, false);
}

static void add_read(sketch *s, uint32_t from, uint32_t read, bool in_cycle) {
    const isolab_history *h = s->p->h;
    if (from == ISO_INIT || from < h->n_txns) {
        add_arrow(s, (iso_arrow){.from = from,
                                 .to = h->op_txn[read],
                                 .op_from = iso_last_write(h, from, h->op_key[read]),
                                 .op_to = read,
                                 .key = h->op_key[read],
                                 .kind = ISO_EDGE_WR,
                                 .in_cycle = in_cycle});
    }
}

/* Adds the steps in the order of the sentences. */
static void add_step(void *arg, const iso_word_step *step) {
    sketch *s = arg;
    const iso_edge *e = step->edge;
    unsigned depth = step->depth;
    const isolab_history *h = s->p->h;
    iso_arrow a = {.from = e->from,
                   .to = e->to,
                   .op_from = e->op_from,
                   .op_to = e->op_to,
                   .key = e->key,
                   .kind = e->kind,
                   .in_cycle = depth == 0};
    snprintf(a.number, sizeof a.number, "%s", step->number);
    if (e->kind == ISO_EDGE_AXIOM) {
        a.op_from = iso_last_write(h, e->from, e->key);
        a.op_to = iso_last_write(h, e->to, e->key);
    } else if (e->kind == ISO_EDGE_RW && e->op_to >= h->n_ops) {
        a.op_to = iso_last_write(h, e->to, e->key);
    } else if (e->kind == ISO_EDGE_LIST || e->kind == ISO_EDGE_WW) {
        a.op_from = iso_last_write(h, e->from, e->key);
        a.op_to = iso_last_write(h, e->to, e->key);
    }
    add_arrow(s, a);
    if (e->kind == ISO_EDGE_AXIOM &&
        e->reader_op < h->n_ops) { /* the read of t3 that should have returned a later version */
        add_op(s->p, e->reader_op, depth == 0);
        add_read(s, e->to, e->reader_op, false);
    } else if (e->kind == ISO_EDGE_LIST) {
        add_op(s->p, e->reader_op, false);
    }
}

/* Adds a read that offends by itself. */
static void add_reads(sketch *s) {
    const iso_anomaly *a = s->p->anomaly;
    const isolab_history *h = s->p->h;
    uint32_t op[2] = {a->op, a->other_op};
    for (int i = 0; i < 2; i++) {
        if (op[i] >= h->n_ops) {
            continue;
        }
        bool reads = !iso_is_write(h->op_kind[op[i]]);
        add_op(s->p, op[i], i == 0 || reads);
        uint32_t w = h->op_writer[op[i]];
        if (!reads || (w >= h->n_ops && w != ISO_INIT)) {
            continue;
        }
        add_arrow(s, (iso_arrow){.from = w == ISO_INIT ? w : h->op_txn[w],
                                 .to = h->op_txn[op[i]],
                                 .op_from = w,
                                 .op_to = op[i],
                                 .key = h->op_key[op[i]],
                                 .kind = ISO_EDGE_WR,
                                 .in_cycle = true});
    }
}

/* Returns whether a must be above b. */
static bool above(const iso_picture *p, uint32_t a, uint32_t b) {
    if (a == ISO_INIT) {
        return true;
    }
    if (a < p->h->n_txns && b < p->h->n_txns && p->h->txn_session[a] == p->h->txn_session[b]) {
        return a < b;
    }
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        if (p->arrow[i].from == a && p->arrow[i].to == b && !iso_arrow_inferred(&p->arrow[i])) {
            return true;
        }
    }
    return false;
}

/* Orders the transactions from top to bottom. In a cycle of so and wr, the first transaction whose session predecessors
 * are placed comes next. */
static void arrange(iso_picture *p) {
    for (uint32_t i = 0; i < p->n_txns; i++) {
        uint32_t next = ISO_NONE, second = ISO_NONE;
        for (uint32_t j = i; j < p->n_txns && next == ISO_NONE; j++) {
            bool free = true, free_in_session = true;
            for (uint32_t k = i; k < p->n_txns; k++) {
                bool later = k != j && above(p, p->txn[k], p->txn[j]);
                free &= !later;
                free_in_session &= !later || p->txn[k] == ISO_INIT || p->txn[j] == ISO_INIT ||
                                   p->h->txn_session[p->txn[k]] != p->h->txn_session[p->txn[j]];
            }
            next = free ? j : next;
            second = second == ISO_NONE && free_in_session ? j : second;
        }
        uint32_t at = next != ISO_NONE ? next : second, txn = p->txn[at];
        memmove(p->txn + i + 1, p->txn + i, (at - i) * sizeof *p->txn);
        p->txn[i] = txn;
    }
    for (uint32_t i = 0; i < p->n_txns; i++) {
        bool known = p->txn[i] == ISO_INIT;
        for (uint32_t l = 0; l < p->n_lanes && !known; l++) {
            known = p->lane[l] == p->h->txn_session[p->txn[i]];
        }
        if (!known) {
            p->lane[p->n_lanes++] = p->h->txn_session[p->txn[i]];
        }
    }
    for (uint32_t i = 1; i < p->n_ops; i++) { /* insertion sort, together with the marks */
        uint32_t op = p->op[i], j = i;
        uint8_t wrong = p->wrong[i];
        for (; j > 0 && p->op[j - 1] > op; j--) {
            p->op[j] = p->op[j - 1];
            p->wrong[j] = p->wrong[j - 1];
        }
        p->op[j] = op;
        p->wrong[j] = wrong;
    }
}

iso_picture *iso_picture_make(iso_pool *pool, const isolab_history *h, const iso_result *result,
                              const iso_anomaly *anomaly) {
    enum { TXNS = 2 * ISO_PICTURE_ARROWS + OPS_SHOWN + 4 };
    iso_picture *p = ISO_ZNEW(pool, iso_picture, 1);
    p->h = h;
    p->anomaly = anomaly;
    p->txn = ISO_NEW(pool, uint32_t, TXNS);
    p->lane = ISO_NEW(pool, uint32_t, TXNS);
    p->op = ISO_NEW(pool, uint32_t, OPS_SHOWN);
    p->wrong = ISO_NEW(pool, uint8_t, OPS_SHOWN);
    p->arrow = ISO_NEW(pool, iso_arrow, ISO_PICTURE_ARROWS);
    sketch s = {.p = p, .result = result};
    if (anomaly->n_cycle == 0) {
        add_reads(&s);
    } else {
        iso_each_step(h, result, anomaly, add_step, &s);
    }
    arrange(p);
    return p;
}

const iso_arrow_kind iso_arrow_kinds[ISO_EDGE_KINDS] = {
    [ISO_EDGE_SO] = {"so", "then", "so: then, in the same session", "so", "", false, false},
    [ISO_EDGE_WR] = {"wr", "read", "wr: the write that a read returned", "wr", "", false, false},
    [ISO_EDGE_RT] = {"rt", "ended before", "rt: ended before the other began", "rt", "2 4", false, false},
    [ISO_EDGE_AXIOM] = {"inf", "must precede", "inf: must come before, as the level requires", "inf", "9 3 2 3", true,
                        false},
    [ISO_EDGE_RW] = {"rw", "overwritten", "rw: read what the other overwrites", "rw", "7 4", true, false},
    [ISO_EDGE_WW] = {"ww", "before", "ww: wrote before the other", "ww", "", false, true},
    [ISO_EDGE_LIST] = {"list", "list order", "list: stands before the other's element in a list", "inf", "9 3 2 3",
                       true, false},
};

const char *iso_arrow_text(const isolab_history *h, const iso_arrow *a, char *buffer, size_t size) {
    const char *verb = iso_arrow_kinds[a->kind].verb;
    char key[ISO_NAME_SIZE];
    if (a->key < h->n_keys) {
        bool named = h->key_name[a->key].kind == ISO_ATOM_STRING;
        snprintf(buffer, size, "%s %s%s", verb, named ? "" : "key ", iso_key_text(h, a->key, key));
    } else {
        snprintf(buffer, size, "%s", verb);
    }
    return buffer;
}

const char *iso_picture_title(const iso_picture *p, char *buffer, size_t size) {
    const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)p->anomaly->kind);
    const char *plume = iso_anomaly_plume(p->anomaly);
    snprintf(buffer, size, "%s%s%s%s%s%s%s", info->name, plume != NULL || info->adya != NULL ? " (" : "",
             plume != NULL ? "Plume " : "", plume != NULL ? plume : "",
             plume != NULL && info->adya != NULL ? ", Adya "
             : info->adya != NULL                ? "Adya "
                                                 : "",
             info->adya != NULL ? info->adya : "", plume != NULL || info->adya != NULL ? ")" : "");
    return buffer;
}

typedef struct telling {
    unsigned told;
    iso_telling *each;
    void *arg;
} telling;

static void tell(void *arg, const iso_word_step *step) {
    telling *t = arg;
    char sentence[ISO_SENTENCE_SIZE + 16];
    snprintf(sentence, sizeof sentence, "%s%s.", step->depth > 0 ? "because " : "", step->sentence);
    if (++t->told <= ISO_PICTURE_ARROWS) {
        t->each(t->arg, step->depth, step->number, sentence);
    }
}

void iso_picture_sentences(const iso_picture *p, const iso_result *result, iso_telling *each, void *arg) {
    char sentence[ISO_SENTENCE_SIZE];
    each(arg, 0, "", iso_word_anomaly(p->h, result, p->anomaly, sentence));
    telling t = {0, each, arg};
    iso_each_step(p->h, result, p->anomaly, tell, &t);
}
