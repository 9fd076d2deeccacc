/* For cc: lists the writers that happen before each transaction. If the lists are short, as in histories where most
 * transactions only write or only read, cc needs neither clocks nor guesses: ra.c infers its edges, and compares each
 * reader with the writers of its list. The limit of steps is linear in the history. */
#include "checkers/awdit/guess.h"
#include "checkers/awdit/rows.h"

enum { MOST = 2 }; /* limit of steps for each operation of the history */

typedef struct finder {
    iso_awdit *a;
    iso_awdit_seen *seen;
    uint32_t *met; /* by transaction: 1 + the last transaction in whose list it was looked for */
    size_t n;      /* length of all lists together */
} finder;

/* Adds t2 to the list of t3 if t2 writes and is not in it. */
static inline void list(finder *f, uint32_t t2, uint32_t t3) {
    if (f->met[t2] != t3 + 1) {
        f->met[t2] = t3 + 1;
        f->seen->txn[f->n] = t2;
        f->n += f->a->writes_first[t2] < f->a->h->txn_op[t2 + 1];
    }
}

/* Adds t, and the list of t, to the list of t3. left: the remaining steps. Returns false if they do not suffice. */
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
            if (t2 != ISO_INIT && f.met[t2] != t3 + 1) { /* else its list was added, too */
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
