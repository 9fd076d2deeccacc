/* Unit propagation with two watched literals. See clauses.h. */
#include "verify/clauses.h"

#include <string.h>

#include "base/assert.h"

typedef struct watch_list {
    uint32_t *clause, n, room;
} watch_list;

struct iso_clauses {
    iso_pool *pool;
    bool refuted;
    int n_vars;
    uint32_t vars_room;
    int8_t *value;     /* by literal index: 1 true, -1 false, 0 no value */
    watch_list *lists; /* by literal index: clauses that watch it */
    uint32_t *trail, n_trail, head;
    uint32_t *words; /* clauses: size, then literal indices; the first two literals are watched */
    uint32_t n_words, words_room;
    uint32_t *clause; /* the clause under construction */
    uint32_t clause_room;
    uint8_t *marked; /* by literal index: the literal is in that clause */
};

static uint32_t index_of(int literal) { return literal > 0 ? 2 * (uint32_t)literal : 2 * (uint32_t)-literal + 1; }

iso_clauses *iso_clauses_new(iso_pool *pool) {
    iso_clauses *c = ISO_ZNEW(pool, iso_clauses, 1);
    c->pool = pool;
    return c;
}

bool iso_clauses_refuted(const iso_clauses *c) { return c->refuted; }

int iso_clauses_var(iso_clauses *c) {
    if (c->n_vars == INT32_MAX / 4) {
        iso_throw(c->pool->env, ISOLAB_E_LIMIT, "the proof has too many atoms");
    }
    uint32_t need = (uint32_t)++c->n_vars + 1;
    if (need > c->vars_room) {
        uint32_t old = c->vars_room;
        c->vars_room = 2 * need + 64;
        c->value = iso_resize(c->pool, c->value, 2 * (size_t)c->vars_room, sizeof *c->value);
        c->lists = iso_resize(c->pool, c->lists, 2 * (size_t)c->vars_room, sizeof *c->lists);
        c->trail = iso_resize(c->pool, c->trail, c->vars_room, sizeof *c->trail);
        c->marked = iso_resize(c->pool, c->marked, 2 * (size_t)c->vars_room, 1);
        memset(c->marked + 2 * (size_t)old, 0, 2 * (size_t)(c->vars_room - old));
        memset(c->value + 2 * (size_t)old, 0, 2 * (size_t)(c->vars_room - old));
        memset(c->lists + 2 * (size_t)old, 0, 2 * (size_t)(c->vars_room - old) * sizeof *c->lists);
    }
    return c->n_vars;
}

static void assign(iso_clauses *c, uint32_t l) {
    iso_assert(c->value[l] == 0 && c->value[l ^ 1] == 0);
    iso_assert(c->n_trail < (uint32_t)c->n_vars);
    c->value[l] = 1;
    c->value[l ^ 1] = -1;
    c->trail[c->n_trail++] = l;
}

static void watch(iso_clauses *c, uint32_t l, uint32_t clause) {
    iso_assert(clause <= c->n_words);
    watch_list *w = &c->lists[l];
    ISO_GROW(c->pool, w->clause, w->n, w->room);
    w->clause[w->n++] = clause;
}

/* Returns false if some clause has become false. */
static bool propagate(iso_clauses *c) {
    while (c->head < c->n_trail) {
        uint32_t falsified = c->trail[c->head++] ^ 1, kept = 0;
        iso_assert(c->value[falsified] < 0);
        watch_list *w = &c->lists[falsified];
        bool good = true;
        for (uint32_t i = 0; i < w->n; i++) {
            iso_tick(c->pool->env);
            uint32_t clause = w->clause[i], n = c->words[clause];
            uint32_t *l = c->words + clause + 1;
            if (l[0] == falsified) {
                l[0] = l[1];
                l[1] = falsified;
            }
            iso_assert(l[1] == falsified);
            uint32_t k = 2;
            if (good && c->value[l[0]] <= 0) {
                while (k < n && c->value[l[k]] < 0) {
                    k++;
                }
                if (k < n) {
                    l[1] = l[k];
                    l[k] = falsified;
                    watch(c, l[1], clause);
                    continue;
                }
                if (c->value[l[0]] < 0) {
                    good = false;
                } else {
                    assign(c, l[0]);
                }
            }
            w->clause[kept++] = clause;
        }
        w->n = kept;
        if (!good) {
            return false;
        }
    }
    return true;
}

/* Collects the literals that have no value, each once. Returns false if the clause is already true. */
static bool collect(iso_clauses *c, const int *literals, uint32_t n, uint32_t *kept) {
    bool undecided = true;
    *kept = 0;
    for (uint32_t i = 0; i < n && undecided; i++) {
        iso_tick(c->pool->env);
        ISO_GROW(c->pool, c->clause, *kept, c->clause_room);
        uint32_t l = index_of(literals[i]);
        undecided = c->value[l] <= 0 && !c->marked[l ^ 1];
        if (c->value[l] == 0 && !c->marked[l]) { /* nothing is assumed now, so a false literal stays false */
            c->marked[l] = 1;
            c->clause[(*kept)++] = l;
        }
    }
    for (uint32_t k = 0; k < *kept; k++) {
        c->marked[c->clause[k]] = 0;
    }
    return undecided;
}

static void keep(iso_clauses *c, uint32_t n) {
    if (c->n_words > UINT32_MAX - n - 1) {
        iso_throw(c->pool->env, ISOLAB_E_LIMIT, "the proof is too long");
    }
    while (c->n_words + n + 1 > c->words_room) {
        c->words_room = c->words_room < 1024 ? 4096 : c->words_room > UINT32_MAX / 2 ? UINT32_MAX : 2 * c->words_room;
        c->words = iso_resize(c->pool, c->words, c->words_room, sizeof *c->words);
    }
    c->words[c->n_words] = n;
    memcpy(c->words + c->n_words + 1, c->clause, n * sizeof *c->clause);
    watch(c, c->clause[0], c->n_words);
    watch(c, c->clause[1], c->n_words);
    c->n_words += n + 1;
}

void iso_clauses_add(iso_clauses *c, const int *literals, uint32_t n) {
    uint32_t kept;
    if (!collect(c, literals, n, &kept)) {
        return;
    }
    if (kept == 0) {
        c->refuted = true;
    } else if (kept == 1) {
        assign(c, c->clause[0]);
        c->refuted |= !propagate(c);
    } else {
        keep(c, kept);
    }
}

bool iso_clauses_follows(iso_clauses *c, const int *literals, uint32_t n) {
    if (c->refuted) {
        return true;
    }
    uint32_t mark = c->n_trail;
    bool follows = false;
    for (uint32_t i = 0; i < n && !follows; i++) {
        uint32_t l = index_of(literals[i]);
        follows = c->value[l] > 0;
        if (c->value[l] == 0) {
            assign(c, l ^ 1);
        }
    }
    follows = follows || !propagate(c);
    while (c->n_trail > mark) {
        uint32_t l = c->trail[--c->n_trail];
        c->value[l] = c->value[l ^ 1] = 0;
    }
    c->head = mark;
    return follows;
}
