/* The neighbourhood of an anomaly: what else touched its keys, before and after. See report.h. */
#include <stdlib.h>

#include "cli/report.h"
#include "explain/story.h"

enum { KEYS = 4, NEAR = 4, ROWS = 60 };

typedef struct touch {
    uint32_t op;
    int64_t at;
    bool own; /* of a transaction of the anomaly */
} touch;

typedef struct touches {
    uint32_t key;
    touch *at;
    uint32_t n, room;
} touches;

static int by_time(const void *a, const void *b) {
    const touch *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->op > y->op) - (x->op < y->op);
}

static int64_t moment(const isolab_history *h, uint32_t txn) {
    if (h->txn_start != NULL && h->txn_start[txn] != ISO_NO_TIME) {
        return h->txn_start[txn];
    }
    return h->txn_line != NULL && h->txn_line[txn] != ISO_NONE ? (int64_t)h->txn_line[txn] : (int64_t)txn;
}

typedef struct keys {
    const isolab_history *h;
    touches key[KEYS];
    uint32_t n;
} keys;

static void add_key(keys *k, uint32_t key) {
    for (uint32_t i = 0; i < k->n; i++) {
        if (k->key[i].key == key) {
            return;
        }
    }
    if (key < k->h->n_keys && k->n < KEYS) {
        k->key[k->n++] = (touches){.key = key};
    }
}

static void add_step(void *arg, const iso_word_step *step) { add_key(arg, step->edge->key); }

static void collect(iso_report *r, const iso_card *card, keys *k) {
    const isolab_history *h = r->h;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        for (uint32_t i = 0; i < k->n; i++) {
            if (h->op_key[o] == k->key[i].key) {
                touches *t = &k->key[i];
                ISO_GROW(r->pool, t->at, t->n, t->room);
                t->at[t->n++] = (touch){o, moment(h, h->op_txn[o]), false};
            }
        }
    }
    for (uint32_t i = 0; i < k->n; i++) {
        qsort(k->key[i].at, k->key[i].n, sizeof *k->key[i].at, by_time);
        for (uint32_t a = 0; a < k->key[i].n; a++) {
            for (uint32_t c = 0; c < card->n_cast; c++) {
                k->key[i].at[a].own |= h->op_txn[k->key[i].at[a].op] == card->cast[c];
            }
        }
    }
}

static bool is_near(const touches *t, uint32_t i) {
    uint32_t from = i > NEAR ? i - NEAR : 0, to = i + NEAR < t->n ? i + NEAR + 1 : t->n;
    bool near = false;
    for (uint32_t k = from; k < to; k++) {
        near |= t->at[k].own;
    }
    return near;
}

static void row(iso_report *r, const touch *t) {
    char name[ISO_WORD_SIZE], session[ISO_NAME_SIZE], place[ISO_PLACE_SIZE], op[512];
    uint32_t txn = r->h->op_txn[t->op];
    r->near[txn] = 1;
    iso_print(&r->page,
              "<tr%s><td class=\"name\">%s</td><td class=\"name\">%s</td><td class=\"mono\">%s</td><td "
              "class=\"muted\">%s</td></tr>\n",
              t->own ? " class=\"hit\"" : "", iso_word_txn(r->h, txn, name),
              iso_word_session(r->h, r->h->txn_session[txn], session), iso_word_op(r->h, t->op, op, sizeof op),
              iso_word_place(r->h, txn, place));
}

static void table(iso_report *r, const touches *t) {
    char key[ISO_WORD_SIZE];
    uint32_t left = 0, shown = 0;
    iso_print(&r->page,
              "<details><summary>What else touched %s (%u operations)</summary><div class=\"wide\"><table>"
              "<tr><th>transaction</th><th>session</th><th>operation</th><th>where</th></tr>\n",
              iso_word_key(r->h, t->key, key), t->n);
    for (uint32_t i = 0; i <= t->n; i++) {
        bool show = i < t->n && shown < ROWS && is_near(t, i);
        if (left > 0 && (show || i == t->n)) {
            iso_print(&r->page, "<tr><td colspan=\"4\" class=\"muted\">%u more</td></tr>\n", left);
            left = 0;
        }
        if (show) {
            row(r, &t->at[i]);
            shown++;
        } else {
            left += i < t->n;
        }
    }
    iso_print(&r->page, "</table></div></details>\n");
}

void iso_report_around(iso_report *r, const iso_card *card) {
    keys k = {.h = r->h};
    const iso_anomaly *a = card->anomaly;
    if (a->op < r->h->n_ops) {
        add_key(&k, r->h->op_key[a->op]);
    }
    iso_each_step(r->h, card->result, a, add_step, &k);
    collect(r, card, &k);
    for (uint32_t i = 0; i < k.n; i++) {
        table(r, &k.key[i]);
        iso_free(r->pool, k.key[i].at);
    }
}
