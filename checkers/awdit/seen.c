/* The transactions that happen before each transaction, one by one, for cc. If they are few, as in histories where most
 * transactions only write or only read, cc needs neither clocks nor guesses: it is ra with more t2 (rows.h). The budget
 * of steps is linear in the history. */
#include "checkers/awdit/guess.h"
#include "checkers/awdit/rows.h"

enum { MOST = 2 }; /* steps for each operation */

typedef struct finder {
    iso_awdit *a;
    iso_awdit_seen *seen;
    uint32_t *met; /* by transaction: 1 + the last one that it was listed for */
    size_t n, room;
} finder;

static inline void list(finder *f, uint32_t t2, uint32_t t3) {
    if (f->met[t2] != t3 + 1) {
        f->met[t2] = t3 + 1;
        f->seen->txn[f->n] = t2;
        f->n += f->a->writes_first[t2] < f->a->h->txn_op[t2 + 1];
    }
}

/* Lists t and what happens before it. Returns false if the budget is used up. */
static bool list_all(finder *f, uint32_t t, uint32_t t3, uint64_t *left) {
    const iso_awdit_seen *seen = f->seen;
    uint64_t steps = seen->end[t] - seen->first[t] + 1;
    if (steps > *left) {
        return false;
    }
    *left -= steps;
    for (size_t i = seen->first[t]; i < seen->end[t]; i++) {
        list(f, seen->txn[i], t3);
    }
    list(f, t, t3);
    return true;
}

bool iso_awdit_find_seen(iso_awdit *a, const uint32_t *order, iso_awdit_seen *seen) {
    const isolab_history *h = a->h;
    uint64_t left = (uint64_t)MOST * h->n_ops;
    finder f = {.a = a, .seen = seen, .met = ISO_ZNEW(a->pool, uint32_t, h->n_txns)};
    bool fits = true;
    seen->first = ISO_NEW(a->pool, size_t, h->n_txns);
    seen->end = ISO_NEW(a->pool, size_t, h->n_txns);
    seen->txn = ISO_NEW(a->pool, uint32_t, left + 1); /* one more: see list() */
    for (uint32_t i = 0; i < a->n_order && fits; i++) {
        uint32_t t3 = order[i], before = iso_awdit_previous(a, t3);
        iso_tick(a->pool->env);
        seen->first[t3] = f.n;
        fits = before == ISO_NONE || list_all(&f, before, t3, &left);
        for (uint32_t r = h->txn_op[t3]; r < a->reads_end[t3] && fits; r++) {
            uint32_t t2 = a->source[r];
            if (t2 != ISO_INIT && f.met[t2] != t3 + 1) { /* else what happens before it was listed, too */
                fits = list_all(&f, t2, t3, &left);
            }
        }
        seen->end[t3] = f.n;
    }
    iso_free(a->pool, f.met);
    if (!fits) {
        iso_awdit_free_seen(a, seen);
    }
    return fits;
}

void iso_awdit_free_seen(iso_awdit *a, iso_awdit_seen *seen) {
    iso_free(a->pool, seen->first);
    iso_free(a->pool, seen->end);
    iso_free(a->pool, seen->txn);
    *seen = (iso_awdit_seen){.rows = NULL};
}
