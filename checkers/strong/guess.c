/* See guess.h. */
#include "checkers/strong/guess.h"

#include <string.h>

#include "checkers/strong/search.h"

/* Possible writers of what those read who may take part, for each event: their choices are all made at once. */
#define CHOICES 4

typedef struct job {
    const strong_order *o;
    strong_model *m;
    strong_open open;
    const iso_request *request;
    iso_pool pool;
    uint32_t *by_rank; /* room for the answer */
    bool found;
} job;

static bool too_many_choices(const strong_model *m, uint32_t events) {
    uint32_t i = m->n_open; /* those of who may take part come last */
    while (i > 0 && m->dense[m->h->op_txn[m->open_op[i - 1]]] >= m->n_sure) {
        i--;
    }
    return i < m->n_open && m->open_first[m->n_open] - m->open_first[i] > CHOICES * (uint64_t)events;
}

static void look(void *arg) {
    job *j = arg;
    iso_strong_open_init(&j->open, &j->pool, j->request);
    iso_strong_open_give_up_early(&j->open, j->o->n);
    const uint32_t *by_rank = iso_strong_search(&j->open, j->o, j->m, !j->request->no_session_order);
    j->found = by_rank != NULL;
    if (j->found) {
        memcpy(j->by_rank, by_rank, j->o->n * sizeof *by_rank);
    }
}

uint32_t *iso_strong_guess(iso_pool *pool, const strong_order *o, strong_model *m, const iso_request *request,
                       iso_result *result) {
    if (too_many_choices(m, o->n)) {
        return NULL;
    }
    job j = {.o = o, .m = m, .request = request};
    j.by_rank = ISO_NEW(pool, uint32_t, o->n);
    iso_pool_init(&j.pool, pool->env);
    iso_guard_pool(&j.pool, look, &j);
    if (!j.found) {
        iso_free(pool, j.by_rank);
        return NULL;
    }
    iso_strong_open_count(&j.open, result);
    return j.by_rank;
}
