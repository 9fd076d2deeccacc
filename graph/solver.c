/* The CDCL solver. See solver.h. watched.h keeps its clauses and watch lists, activity.h chooses the next variable. */
#include "graph/solver.h"

#include <string.h>

#include "base/assert.h"
#include "graph/activity.h"
#include "graph/watched.h"

#define NO_REASON UINT32_MAX
#define THEORY ISO_WATCHED_MOST /* added to a reason that is a token of the theory, not a clause */

struct iso_solver {
    iso_pool *pool;
    iso_env *env;
    iso_theory theory;
    bool has_theory, unsat;
    iso_log_fn *log;
    void *log_arg;
    iso_decide_fn *decide;
    void *decide_arg;
    uint32_t far, patience;

    uint32_t n_vars, vars_room;
    int8_t *value; /* by literal */
    uint32_t *level, *reason;
    uint8_t *phase; /* 1: the variable was last false */
    uint8_t *seen;
    iso_activity activity; /* of all variables; variables without a value are in its heap */

    iso_lit *trail;
    uint32_t n_trail, head, theory_head;
    uint32_t *mark; /* by level: the index on the trail where it begins */
    uint32_t n_levels;

    iso_watched clauses;
    uint32_t most_learnt; /* when there are more learnt clauses, some are dropped */

    iso_lits clause, lemma, work;
    uint32_t *clear, n_clear, clear_room; /* variables whose `seen` must be reset */
    uint32_t *stack, n_stack, stack_room;
    uint64_t *level_stamp, stamp; /* by level, for LBD */
    iso_solver_counts counts;
};

enum { SEEN_NOT, SEEN_SOURCE, SEEN_REDUNDANT, SEEN_NEEDED };

iso_solver *iso_solver_new(iso_pool *pool) {
    iso_solver *s = ISO_ZNEW(pool, iso_solver, 1);
    s->pool = s->clauses.pool = pool;
    s->env = pool->env;
    s->activity.increment = 1;
    s->far = UINT32_MAX;
    s->patience = ISO_SOLVER_PATIENCE;
    s->most_learnt = 4000;
    return s;
}

void iso_solver_theory(iso_solver *s, const iso_theory *theory) {
    s->theory = *theory;
    s->has_theory = true;
}

void iso_solver_log(iso_solver *s, iso_log_fn *log, void *arg) {
    s->log = log;
    s->log_arg = arg;
}

void iso_solver_decider(iso_solver *s, iso_decide_fn *decide, void *arg) {
    s->decide = decide;
    s->decide_arg = arg;
}

void iso_solver_stay(iso_solver *s, uint32_t levels) { s->far = levels; }
void iso_solver_patience(iso_solver *s, uint32_t conflicts) { s->patience = conflicts; }
uint32_t iso_solver_vars(const iso_solver *s) { return s->n_vars; }
int iso_solver_value(const iso_solver *s, iso_lit l) { return s->value[l]; }
uint32_t iso_solver_level(const iso_solver *s, uint32_t var) { return s->level[var]; }
iso_solver_counts iso_solver_counters(const iso_solver *s) { return s->counts; }

void iso_lits_add(iso_solver *s, iso_lits *list, iso_lit l) {
    ISO_GROW(s->pool, list->at, list->n, list->room);
    list->at[list->n++] = l;
}

uint32_t iso_solver_var(iso_solver *s) {
    uint32_t v = s->n_vars;
    if (v == s->vars_room) {
        uint32_t room = v < 64 ? 64 : 2 * v;
        if (room >= THEORY / 2) {
            iso_throw(s->env, ISOLAB_E_LIMIT, "the solver takes at most %u variables", THEORY / 2);
        }
        s->vars_room = room;
        s->value = iso_resize(s->pool, s->value, 2 * (size_t)room, sizeof *s->value);
        iso_watched_room(&s->clauses, 2 * (size_t)room);
        s->level = iso_resize(s->pool, s->level, room, sizeof *s->level);
        s->reason = iso_resize(s->pool, s->reason, room, sizeof *s->reason);
        s->phase = iso_resize(s->pool, s->phase, room, sizeof *s->phase);
        s->seen = iso_resize(s->pool, s->seen, room, sizeof *s->seen);
        iso_activity_room(&s->activity, s->pool, room);
        s->trail = iso_resize(s->pool, s->trail, room, sizeof *s->trail);
        s->mark = iso_resize(s->pool, s->mark, (size_t)room + 1, sizeof *s->mark);
        s->level_stamp = iso_resize(s->pool, s->level_stamp, (size_t)room + 1, sizeof *s->level_stamp);
        memset(s->level_stamp, 0, ((size_t)room + 1) * sizeof *s->level_stamp);
    }
    s->n_vars++;
    s->value[2 * v] = s->value[2 * v + 1] = 0;
    iso_watched_new_literal(&s->clauses, 2 * v);
    iso_watched_new_literal(&s->clauses, 2 * v + 1);
    s->phase[v] = 1;
    s->seen[v] = SEEN_NOT;
    iso_activity_new(&s->activity);
    return v;
}

/* The trail. */

static void assign(iso_solver *s, iso_lit l, uint32_t reason) {
    iso_assert((l >> 1) < s->n_vars && s->value[l] == 0);
    iso_assert(s->n_trail < s->n_vars);
    s->value[l] = 1;
    s->value[l ^ 1] = -1;
    s->level[l >> 1] = s->n_levels;
    s->reason[l >> 1] = reason;
    s->trail[s->n_trail++] = l;
}

static void backtrack(iso_solver *s, uint32_t level) {
    if (s->n_levels <= level) {
        return;
    }
    uint32_t from = s->mark[level], kept = from;
    iso_assert(from <= s->n_trail);
    for (uint32_t i = from; i < s->n_trail; i++) {
        iso_lit l = s->trail[i];
        if (s->level[l >> 1] <= level) { /* learnt at a level above its own: it stays, and is propagated again */
            s->trail[kept++] = l;
            continue;
        }
        s->value[l] = s->value[l ^ 1] = 0;
        s->phase[l >> 1] = l & 1;
        iso_activity_insert(&s->activity, l >> 1);
    }
    s->n_trail = kept;
    s->head = from;
    s->theory_head = s->theory_head < from ? s->theory_head : from;
    s->n_levels = level;
    if (s->has_theory) {
        s->theory.pop(s->theory.arg, level);
    }
}

bool iso_solver_imply(iso_solver *s, iso_lit l, uint32_t token) {
    iso_assert((l >> 1) < s->n_vars);
    if (s->value[l] != 0) {
        return s->value[l] > 0;
    }
    s->counts.theory_implied++;
    assign(s, l, token | THEORY);
    if (s->n_levels == 0) { /* analysis never looks at level 0, but a proof does, so the reason is explained now */
        if (s->log != NULL) {
            s->lemma.n = 0;
            s->theory.explain(s->theory.arg, l, token, &s->lemma);
        }
        s->reason[l >> 1] = NO_REASON;
    }
    return true;
}

/* Propagates by clauses. Returns a clause that is false, or NO_REASON. */
static uint32_t propagate(iso_solver *s) {
    while (s->head < s->n_trail) {
        iso_lit falsified = s->trail[s->head++] ^ 1;
        iso_assert(s->value[falsified] < 0);
        s->counts.propagations++;
        iso_watch_list *list = &s->clauses.lists[falsified];
        uint32_t kept = 0, conflict = NO_REASON;
        for (uint32_t i = 0; i < list->n; i++) {
            iso_watch w = s->clauses.watches[list->first + i];
            if (conflict != NO_REASON || s->value[w.blocker] > 0) {
                s->clauses.watches[list->first + kept++] = w;
                continue;
            }
            if (w.clause & THEORY) {
                s->clauses.watches[list->first + kept++] = w;
                if (s->value[w.blocker] < 0) {
                    conflict = w.clause & ~THEORY;
                } else {
                    assign(s, w.blocker, w.clause & ~THEORY);
                }
                continue;
            }
            iso_lit *l = iso_watched_literals(&s->clauses, w.clause);
            if (l[0] == falsified) {
                l[0] = l[1];
                l[1] = falsified;
            }
            if (s->value[l[0]] > 0) {
                s->clauses.watches[list->first + kept++] = (iso_watch){w.clause, l[0]};
                continue;
            }
            uint32_t n = iso_watched_size(&s->clauses, w.clause), k = 2;
            while (k < n && s->value[l[k]] < 0) {
                k++;
            }
            if (k < n) { /* a new literal to watch; its list is never the visited one, so the visited list stays in
                          * place */
                iso_lit other = l[k];
                l[k] = l[1];
                l[1] = other;
                iso_watch_add(&s->clauses, other, (iso_watch){w.clause, l[0]});
                continue;
            }
            s->clauses.watches[list->first + kept++] = (iso_watch){w.clause, l[0]};
            if (s->value[l[0]] < 0) {
                conflict = w.clause;
            } else {
                assign(s, l[0], w.clause);
            }
        }
        list->n = kept;
        if (conflict != NO_REASON) {
            return conflict;
        }
    }
    return NO_REASON;
}

/* Propagates by clauses and the theory until neither implies a literal. Returns false on conflict; s->work is then a
 * clause of false literals. */
static bool propagate_all(iso_solver *s) {
    for (;;) {
        uint32_t conflict = propagate(s);
        if (conflict != NO_REASON) {
            s->work.n = 0;
            for (uint32_t i = 0; i < iso_watched_size(&s->clauses, conflict); i++) {
                iso_lits_add(s, &s->work, iso_watched_literals(&s->clauses, conflict)[i]);
            }
            return false;
        }
        if (!s->has_theory || s->theory_head == s->n_trail) {
            return true;
        }
        while (s->theory_head < s->n_trail && s->head == s->n_trail) {
            s->work.n = 0;
            if (!s->theory.assign(s->theory.arg, s->trail[s->theory_head++], &s->work)) {
                s->counts.theory_conflicts++;
                return false;
            }
        }
    }
}

/* Learning. */

/* Returns the clause that implied a variable. Asks the theory for an explanation when it is first needed. */
static uint32_t reason_of(iso_solver *s, uint32_t var) {
    iso_assert(var < s->n_vars);
    uint32_t r = s->reason[var];
    if (r != NO_REASON && (r & THEORY)) {
        s->lemma.n = 0;
        s->theory.explain(s->theory.arg, iso_lit_of(var, s->value[2 * var] < 0), r & ~THEORY, &s->lemma);
        r = s->reason[var] = iso_watched_add(&s->clauses, s->lemma.at, s->lemma.n, ISO_WATCHED_LOOSE, 0);
    }
    return r;
}

static void mark_seen(iso_solver *s, uint32_t var, uint8_t how) {
    iso_assert(var < s->n_vars);
    if (s->seen[var] == SEEN_NOT) {
        ISO_GROW(s->pool, s->clear, s->n_clear, s->clear_room);
        s->clear[s->n_clear++] = var;
    }
    s->seen[var] = how;
}

/* Returns whether other literals of the clause imply this one. Depth-first search over reasons, with a stack of
 * (variable, next literal). It does not ask the theory for explanations: they cost more than they save here. */
static bool redundant(iso_solver *s, uint32_t var) {
    if (s->reason[var] == NO_REASON || (s->reason[var] & THEORY)) {
        return false;
    }
    s->n_stack = 0;
    uint32_t next = 0;
    for (;;) {
        uint32_t c = s->reason[var];
        if (next == iso_watched_size(&s->clauses, c)) {
            if (s->seen[var] != SEEN_SOURCE) {
                mark_seen(s, var, SEEN_REDUNDANT);
            }
            if (s->n_stack == 0) {
                return true;
            }
            next = s->stack[--s->n_stack];
            var = s->stack[--s->n_stack];
            continue;
        }
        uint32_t u = iso_watched_literals(&s->clauses, c)[next++] >> 1;
        if (u == var || s->level[u] == 0 || s->seen[u] == SEEN_SOURCE || s->seen[u] == SEEN_REDUNDANT) {
            continue;
        }
        if (s->seen[u] == SEEN_NEEDED || s->reason[u] == NO_REASON || (s->reason[u] & THEORY) ||
            s->level_stamp[s->level[u]] != s->stamp) {
            mark_seen(s, u, SEEN_NEEDED);
            for (uint32_t i = 0; i < s->n_stack; i += 2) {
                if (s->seen[s->stack[i]] != SEEN_SOURCE) {
                    mark_seen(s, s->stack[i], SEEN_NEEDED);
                }
            }
            if (s->seen[var] != SEEN_SOURCE) {
                mark_seen(s, var, SEEN_NEEDED);
            }
            return false;
        }
        while (s->n_stack + 2 > s->stack_room) {
            s->stack_room = s->stack_room == 0 ? 64 : 2 * s->stack_room;
            s->stack = iso_resize(s->pool, s->stack, s->stack_room, sizeof *s->stack);
        }
        s->stack[s->n_stack++] = var;
        s->stack[s->n_stack++] = next;
        var = u;
        next = 0;
    }
}

/* Learns from s->work, a clause of false literals, some of them of the current level: writes the first-UIP clause to
 * s->clause, its asserting literal first. Returns the level to backtrack to. */
static uint32_t analyse(iso_solver *s) {
    uint32_t open = 0, at = s->n_trail;
    iso_lit uip = ISO_LIT_NONE;
    s->clause.n = 0;
    iso_lits_add(s, &s->clause, ISO_LIT_NONE);
    const iso_lit *lits = s->work.at;
    uint32_t n = s->work.n;
    for (;;) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = lits[i] >> 1;
            if (lits[i] == uip || s->seen[v] != SEEN_NOT || s->level[v] == 0) {
                continue;
            }
            mark_seen(s, v, SEEN_SOURCE);
            iso_activity_bump(&s->activity, v, 1);
            if (s->level[v] == s->n_levels) {
                open++;
            } else {
                iso_lits_add(s, &s->clause, lits[i]);
            }
        }
        do {
            uip = s->trail[--at];
        } while (s->seen[uip >> 1] == SEEN_NOT || s->level[uip >> 1] != s->n_levels);
        if (--open == 0) {
            break;
        }
        uint32_t c = reason_of(s, uip >> 1);
        lits = iso_watched_literals(&s->clauses, c);
        n = iso_watched_size(&s->clauses, c);
    }
    s->clause.at[0] = uip ^ 1;

    s->stamp++;
    for (uint32_t i = 1; i < s->clause.n; i++) {
        s->level_stamp[s->level[s->clause.at[i] >> 1]] = s->stamp;
    }
    uint32_t kept = 1;
    for (uint32_t i = 1; i < s->clause.n; i++) {
        if (!redundant(s, s->clause.at[i] >> 1)) {
            s->clause.at[kept++] = s->clause.at[i];
        }
    }
    s->counts.minimised_literals += s->clause.n - kept;
    s->clause.n = kept;
    for (uint32_t i = 0; i < s->n_clear; i++) {
        s->seen[s->clear[i]] = SEEN_NOT;
    }
    s->n_clear = 0;

    uint32_t back = 0; /* the second watched literal must have the highest level that stays */
    for (uint32_t i = 1; i < s->clause.n; i++) {
        uint32_t level = s->level[s->clause.at[i] >> 1];
        if (level > back) {
            back = level;
            iso_lit t = s->clause.at[1];
            s->clause.at[1] = s->clause.at[i];
            s->clause.at[i] = t;
        }
    }
    return back;
}

static uint32_t lbd_of(iso_solver *s) {
    uint32_t lbd = 0;
    s->stamp++;
    for (uint32_t i = 0; i < s->clause.n; i++) {
        uint64_t *at = &s->level_stamp[s->level[s->clause.at[i] >> 1]];
        lbd += *at != s->stamp;
        *at = s->stamp;
    }
    return lbd;
}

/* Resolves the conflict in s->work. Returns false if the formula is unsatisfiable. */
static bool learn(iso_solver *s) {
    s->counts.conflicts++;
    uint32_t top = 0; /* the theory's clause may have been false since an earlier level */
    for (uint32_t i = 0; i < s->work.n; i++) {
        uint32_t level = s->level[s->work.at[i] >> 1];
        top = level > top ? level : top;
    }
    backtrack(s, top);
    if (top == 0) {
        if (s->log != NULL) {
            s->log(s->log_arg, ISO_LOG_LEARNT, NULL, 0);
        }
        return false;
    }
    uint32_t back = analyse(s), lbd = lbd_of(s);
    s->counts.learnt_literals += s->clause.n;
    if (s->log != NULL) {
        s->log(s->log_arg, ISO_LOG_LEARNT, s->clause.at, s->clause.n);
    }
    backtrack(s, s->n_levels - back > s->far ? s->n_levels - 1 : back);
    uint32_t reason = NO_REASON;
    if (s->clause.n > 1) {
        reason = iso_watched_add(&s->clauses, s->clause.at, s->clause.n, ISO_WATCHED_LEARNT, lbd);
        iso_watched_attach(&s->clauses, reason);
    }
    assign(s, s->clause.at[0], reason);
    s->level[s->clause.at[0] >> 1] = back;
    iso_activity_decay(&s->activity);
    return true;
}

/* Drops the worse half of the learnt clauses (many levels, old) and all explanations. Call it at level 0, where no
 * reason is needed. */
static void reduce(iso_solver *s) {
    iso_watched *all = &s->clauses;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < all->n_learnt; i++) {
        sum += iso_watched_lbd(all, all->learnt[i]);
    }
    uint32_t limit = all->n_learnt == 0 ? 0 : (uint32_t)(sum / all->n_learnt);
    limit = limit < 3 ? 3 : limit;
    uint32_t young = all->n_learnt / 4 * 3;
    for (uint32_t i = 0; i < young; i++) {
        uint32_t c = all->learnt[i];
        if (iso_watched_lbd(all, c) >= limit) {
            if (s->log != NULL) {
                s->log(s->log_arg, ISO_LOG_DELETED, iso_watched_literals(all, c), iso_watched_size(all, c));
            }
            iso_watched_drop(all, c);
            s->counts.deleted++;
        }
    }
    for (uint32_t i = 0; i < s->n_trail; i++) {
        s->reason[s->trail[i] >> 1] = NO_REASON;
    }
    iso_watched_collect(all, 2 * s->n_vars);
    s->most_learnt += 500;
}

void iso_solver_undo(iso_solver *s) { backtrack(s, 0); }

bool iso_solver_clause(iso_solver *s, const iso_lit *literals, uint32_t n) {
    backtrack(s, 0);
    if (s->unsat) {
        return false;
    }
    s->clause.n = 0;
    bool satisfied = false;
    for (uint32_t i = 0; i < n; i++) {
        iso_lit l = literals[i];
        if (s->value[l] > 0) {
            satisfied = true;
        } else if (s->value[l] == 0) {
            satisfied |= s->seen[l >> 1] == 2 - (l & 1); /* the clause also has the opposite literal */
            if (s->seen[l >> 1] != 1 + (l & 1)) {
                s->seen[l >> 1] = (uint8_t)(1 + (l & 1));
                iso_lits_add(s, &s->clause, l);
            }
        }
    }
    for (uint32_t i = 0; i < s->clause.n; i++) {
        s->seen[s->clause.at[i] >> 1] = SEEN_NOT;
    }
    if (satisfied) {
        return true;
    }
    if (s->clause.n == 0) {
        s->unsat = true;
        if (s->log != NULL) {
            s->log(s->log_arg, ISO_LOG_LEARNT, NULL, 0);
        }
    } else if (s->clause.n == 1) {
        assign(s, s->clause.at[0], NO_REASON);
    } else {
        iso_watched_attach(&s->clauses, iso_watched_add(&s->clauses, s->clause.at, s->clause.n, 0, 0));
    }
    return !s->unsat;
}

/* Returns term i, from 0, of Luby's sequence 1 1 2 1 1 2 4 ... */
static uint64_t luby(uint64_t i) {
    uint64_t size = 1, power = 0;
    while (size < i + 1) {
        size = 2 * size + 1;
        power++;
    }
    while (size - 1 != i) {
        size /= 2;
        power--;
        i %= size;
    }
    return (uint64_t)1 << power;
}

/* Returns the most active variable without a value, with the sign that the theory or the saved phase prefers;
 * ISO_LIT_NONE: all variables have values. */
static iso_lit choose(iso_solver *s) {
    uint32_t v;
    do {
        if (iso_activity_empty(&s->activity)) {
            return ISO_LIT_NONE;
        }
        v = iso_activity_pop(&s->activity);
    } while (s->value[2 * v] != 0);
    iso_lit l = ISO_LIT_NONE;
    if (s->has_theory && s->theory.polarity != NULL) {
        l = s->theory.polarity(s->theory.arg, v);
    }
    return l == ISO_LIT_NONE ? iso_lit_of(v, s->phase[v]) : l;
}

static bool decide(iso_solver *s) {
    iso_lit l = s->decide != NULL ? s->decide(s->decide_arg) : choose(s);
    if (l == ISO_LIT_NONE) {
        return false;
    }
    s->counts.decisions++;
    s->mark[s->n_levels++] = s->n_trail;
    if (s->has_theory) {
        s->theory.push(s->theory.arg);
    }
    assign(s, l, NO_REASON);
    return true;
}

iso_solver_answer iso_solver_solve(iso_solver *s, uint64_t conflicts) {
    backtrack(s, 0);
    uint64_t limit = conflicts == 0 ? UINT64_MAX : s->counts.conflicts + conflicts;
    uint64_t first = s->counts.restarts, restart = s->counts.conflicts + s->patience * luby(0);
    while (!s->unsat) {
        iso_tick(s->env);
        if (!propagate_all(s)) {
            s->unsat = !learn(s);
            continue;
        }
        if (s->counts.conflicts >= limit) {
            backtrack(s, 0);
            return ISO_SOLVER_UNKNOWN;
        }
        if (s->counts.conflicts >= restart) {
            s->counts.restarts++;
            restart = s->counts.conflicts + s->patience * luby(s->counts.restarts - first);
            backtrack(s, 0);
            if (s->clauses.n_learnt > s->most_learnt) {
                reduce(s);
            }
            continue;
        }
        if (!decide(s)) {
            return ISO_SOLVER_SAT;
        }
    }
    return ISO_SOLVER_UNSAT;
}
