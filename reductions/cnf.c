/* Formulas: from DIMACS, random ones, and CaDiCaL's answer. See sat.h. */
#include <ccadical.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "reductions/input.h"
#include "reductions/sat.h"

typedef struct growing {
    iso_pool *pool;
    iso_cnf f;
    size_t first_room, literal_room;
    bool open; /* a clause has begun and not ended */
} growing;

static void start_clause(growing *g) {
    ISO_GROW(g->pool, g->f.first, g->f.n_clauses, g->first_room);
    g->f.first[g->f.n_clauses] = g->f.n_literals;
}

static void end_clause(growing *g) {
    g->f.n_clauses++;
    start_clause(g);
}

static void add_literal(growing *g, int32_t literal) {
    ISO_GROW(g->pool, g->f.literal, g->f.n_literals, g->literal_room);
    g->f.literal[g->f.n_literals++] = literal;
}

/* Reads the literals of a line, from `at` to `stop`. header: the header was read. */
static void read_literals(growing *g, const char *path, uint64_t line, bool header, char *at, const char *stop) {
    iso_env *env = g->pool->env;
    for (at += strspn(at, " \t\r"); at < stop; at += strspn(at, " \t\r")) {
        iso_tick(env);
        char *after;
        long literal = strtol(at, &after, 10);
        if (after == at || (*after != '\0' && !isspace((unsigned char)*after))) {
            iso_input_bad(env, path, line, "expected a literal, found `%.20s`", at);
        }
        if (!header) {
            iso_input_bad(env, path, line, "expected `p cnf VARIABLES CLAUSES` before the clauses");
        }
        if (literal > (long)g->f.n_vars || literal < -(long)g->f.n_vars) {
            iso_input_bad(env, path, line, "expected a literal of %u variables, found %ld", g->f.n_vars, literal);
        }
        g->open = literal != 0;
        if (g->open) {
            add_literal(g, (int32_t)literal);
        } else {
            end_clause(g);
        }
        at = after;
    }
}

/* A clause may span several lines, and a line may have several clauses. */
iso_cnf iso_cnf_load(iso_pool *pool, const char *path) {
    enum { MOST = 100000000 };
    size_t size;
    char *at = iso_source_text(pool, path, 0, &size), *end = at + size;
    growing g = {.pool = pool};
    iso_env *env = pool->env;
    uint64_t line = 0, promised = 0;
    bool header = false;
    start_clause(&g);
    while (at < end) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop == NULL ? end : stop;
        *stop = '\0';
        line++;
        iso_tick(env);
        if (strlen(at) != (size_t)(stop - at)) {
            iso_input_bad(env, path, line, "expected text, found a zero byte");
        }
        if (at[0] == 'c' || at[0] == '%') { /* a comment; `%` ends the files of an old collection */
            at = at[0] == '%' ? end : stop + 1;
            continue;
        }
        if (at[0] == 'p') {
            unsigned long vars = 0, clauses = 0;
            if (header || sscanf(at, "p cnf %9lu %9lu", &vars, &clauses) != 2 || vars > MOST || clauses > MOST) {
                iso_input_bad(env, path, line, "expected one line `p cnf VARIABLES CLAUSES`");
            }
            header = true;
            g.f.n_vars = (uint32_t)vars;
            promised = clauses;
            at = stop + 1;
            continue;
        }
        read_literals(&g, path, line, header, at, stop);
        at = stop + 1;
    }
    if (!header) {
        iso_input_bad(env, path, line, "expected `p cnf VARIABLES CLAUSES`");
    }
    if (g.open) {
        end_clause(&g);
    }
    if (g.f.n_clauses != promised) {
        iso_input_bad(env, path, line, "expected %" PRIu64 " clauses, found %u", promised, g.f.n_clauses);
    }
    return g.f;
}

/* The variables of a clause differ if there are enough variables. */
iso_cnf iso_cnf_random(iso_pool *pool, uint32_t vars, uint32_t clauses, uint32_t width, iso_rng *rng) {
    growing g = {.pool = pool};
    g.f.n_vars = vars;
    start_clause(&g);
    width = width < vars ? width : vars;
    for (uint32_t c = 0; c < clauses; c++) {
        for (uint32_t i = 0; i < width; i++) {
            int32_t x;
            bool again;
            do {
                iso_tick(pool->env);
                x = 1 + (int32_t)iso_random_below(rng, vars);
                again = false;
                for (uint32_t j = g.f.first[c]; j < g.f.n_literals; j++) {
                    again = again || abs(g.f.literal[j]) == x;
                }
            } while (again);
            add_literal(&g, iso_random(rng) & 1 ? x : -x);
        }
        end_clause(&g);
    }
    return g.f;
}

/* CaDiCaL calls stop() now and then, and cannot be unwound, so the caller of work() frees it. */
typedef struct solving {
    iso_env *env;
    const iso_cnf *f;
    CCaDiCaL *solver;
    int answer; /* 10: satisfiable, 20: unsatisfiable */
} solving;

static int must_stop(void *limits) { return iso_over(limits) != ISO_LIMIT_NONE; }

static void solve(void *arg) {
    solving *s = arg;
    const iso_cnf *f = s->f;
    for (uint32_t c = 0; c < f->n_clauses; c++) {
        for (uint32_t i = f->first[c]; i < f->first[c + 1]; i++) {
            iso_tick(s->env);
            ccadical_add(s->solver, f->literal[i]);
        }
        ccadical_add(s->solver, 0);
    }
    s->answer = ccadical_solve(s->solver);
    if (s->answer == 0) {
        iso_tick_slow(s->env);
        iso_throw(s->env, ISOLAB_E_INTERNAL, "CaDiCaL stopped without an answer");
    }
}

bool iso_cnf_solve(iso_env *env, const iso_cnf *f, bool *value) {
    solving s = {.env = env, .f = f, .solver = ccadical_init()};
    if (s.solver == NULL) {
        iso_throw_limit(env, ISO_LIMIT_MEMORY, "out of memory (CaDiCaL)");
    }
    ccadical_set_option(s.solver, "quiet", 1);
    ccadical_set_option(s.solver, "lucky", 0); /* this technique may run for minutes without a call of stop() */
    ccadical_set_terminate(s.solver, env->limits, must_stop);
    int code = iso_guard(env, solve, &s);
    for (uint32_t x = 1; code == ISOLAB_OK && s.answer == 10 && x <= f->n_vars; x++) {
        value[x] = ccadical_val(s.solver, (int)x) > 0;
    }
    ccadical_release(s.solver);
    if (code != ISOLAB_OK) {
        iso_rethrow(env);
    }
    return s.answer == 10;
}
