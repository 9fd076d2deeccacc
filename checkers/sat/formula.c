/* Clauses and the commit order of `sat`. See sat.h.
 *
 * The commit order is a set of pairs, with one variable each, which is made when an axiom first needs it. A model is a
 * directed graph of these pairs and the fixed order. If it is acyclic, each of its topological orders extends it.
 * Otherwise the found cycles are split into triangles, whose chords are also pairs: this adds transitivity only where a
 * model violated it. A new variable is true for the order that the last model had, because CaDiCaL tries true first:
 * the search stays near an order that is known to be nearly right. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "checkers/sat/sat.h"

/* Bytes of CaDiCaL's tables for each variable. The tables double at once, and no callback can stop that. */
#define TABLE_BYTES 136

int iso_sat_var(sat *s) {
    if (s->n_vars >= INT32_MAX - 1) {
        iso_throw(s->env, ISOLAB_E_LIMIT, "the formula needs more than %d variables", INT32_MAX - 1);
    }
    if ((uint64_t)s->n_vars + 1 >= s->vars_room) {
        s->vars_room = s->vars_room == 0 ? 2 : 2 * s->vars_room;
        iso_expect(s->env, TABLE_BYTES * s->vars_room);
    }
    return ++s->n_vars;
}

void iso_sat_add(sat *s, int literal) {
    if (literal == SAT_TRUE) {
        s->satisfied = true;
    } else if (literal != SAT_FALSE) {
        ISO_GROW(s->pool, s->clause, s->n_clause, s->clause_room);
        s->clause[s->n_clause++] = literal;
    }
}

void iso_sat_end(sat *s) {
    iso_tick(s->env);
    if (!s->satisfied) {
        for (uint32_t i = 0; i < s->n_clause; i++) {
            ccadical_add(s->solver, s->clause[i]);
        }
        ccadical_add(s->solver, 0);
        s->n_clauses++;
        if (s->question->dimacs != NULL) {
            for (uint32_t i = 0; i <= s->n_clause; i++) {
                ISO_GROW(s->pool, s->log, s->n_log, s->log_room);
                s->log[s->n_log++] = i < s->n_clause ? s->clause[i] : 0;
            }
        }
    }
    s->n_clause = 0;
    s->satisfied = false;
}

void iso_sat_model(sat *s) {
    s->model = iso_resize(s->pool, s->model, (size_t)s->n_vars + 1, sizeof *s->model);
    for (int v = 1; v <= s->n_vars; v++) {
        s->model[v] = ccadical_val(s->solver, v) > 0 ? 1 : -1;
    }
}

bool iso_sat_true(const sat *s, int literal) {
    if (literal == SAT_TRUE || literal == SAT_FALSE) {
        return literal == SAT_TRUE;
    }
    return literal > 0 ? s->model[literal] > 0 : s->model[-literal] < 0;
}

static bool bit(const uint64_t *rows, uint32_t words, uint32_t u, uint32_t v) {
    return rows[(size_t)u * words + v / 64] >> (v % 64) & 1;
}

static void set(uint64_t *rows, uint32_t words, uint32_t u, uint32_t v) {
    rows[(size_t)u * words + v / 64] |= (uint64_t)1 << (v % 64);
}

bool iso_sat_in_time(const sat *s, uint32_t t, uint32_t u) {
    return (s->rules & ISO_TIME_KEYS) && iso_before_in_time(s->h, t, u) &&
           ((s->rules & ISO_TIME_ALL) || iso_common_key(s->h, t, u, s->pool) != ISO_NONE);
}

/* Computes the order that holds for every choice, between transactions that are certainly included. Warshall's
 * closure. */
static void fix(sat *s) {
    const isolab_history *h = s->h;
    uint32_t n = s->n, words = s->words;
    uint32_t last = ISO_NONE;
    for (uint32_t v = 0; v < n; v++) {
        iso_tick(s->env);
        if (s->part[v] != SAT_TRUE) {
            continue;
        }
        if (s->sessions && last != ISO_NONE && h->txn_session[s->txn[last]] == h->txn_session[s->txn[v]]) {
            set(s->fixed, words, last, v);
        }
        last = v;
        for (uint32_t r = s->read_first[v]; r < s->read_first[v + 1]; r++) {
            const iso_sat_choice *c = &s->choices[s->reads[r].first];
            if (s->reads[r].end - s->reads[r].first == 1 && c->vertex != SAT_INIT && c->vertex != v &&
                s->part[c->vertex] == SAT_TRUE) {
                set(s->fixed, words, c->vertex, v);
            }
        }
        for (uint32_t u = 0; (s->rules & ISO_TIME_KEYS) && u < n; u++) {
            iso_tick(s->env);
            if (s->part[u] == SAT_TRUE && iso_sat_in_time(s, s->txn[u], s->txn[v])) {
                set(s->fixed, words, u, v);
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t *from = s->fixed + (size_t)k * words;
        for (uint32_t u = 0; u < n; u++) {
            iso_tick(s->env);
            if (bit(s->fixed, words, u, k)) {
                uint64_t *row = s->fixed + (size_t)u * words;
                for (uint32_t w = 0; w < words; w++) {
                    row[w] |= from[w];
                }
            }
        }
    }
}

/* Does the same for an optional transaction: its order holds if it is included. */
static void fix_open(sat *s) {
    const isolab_history *h = s->h;
    for (uint32_t v = 0; v < s->n; v++) {
        if (s->part[v] == SAT_TRUE) {
            continue;
        }
        for (uint32_t u = 0; u < s->n; u++) {
            iso_tick(s->env);
            uint32_t a = s->txn[u], b = s->txn[v];
            bool same = s->sessions && u != v && h->txn_session[a] == h->txn_session[b];
            for (int turn = 0; turn < 2; turn++) {
                if ((same && a < b) || iso_sat_in_time(s, a, b)) {
                    iso_sat_add(s, -s->part[v]);
                    iso_sat_add(s, s->part[u] == SAT_TRUE ? SAT_FALSE : -s->part[u]);
                    iso_sat_add(s, turn == 0 ? iso_sat_before(s, u, v) : iso_sat_before(s, v, u));
                    iso_sat_end(s);
                    if (s->proof != NULL) {
                        (same && a < b ? iso_proof_so : iso_proof_rt)(s->proof, a, b);
                    }
                }
                a = s->txn[v];
                b = s->txn[u];
            }
        }
    }
}

void iso_sat_order_start(sat *s) {
    uint32_t n = s->n;
    s->words = n / 64 + 1;
    s->fixed = ISO_ZNEW(s->pool, uint64_t, (size_t)n * s->words);
    s->now = ISO_ZNEW(s->pool, uint64_t, (size_t)n * s->words);
    s->pair = ISO_ZNEW(s->pool, int, n < 2 ? 1 : (size_t)n * (n - 1) / 2);
    s->order = ISO_NEW(s->pool, uint32_t, n);
    s->position = ISO_NEW(s->pool, uint32_t, n);
    /* First guess: one transaction of each session in turn. */
    const isolab_history *h = s->h;
    uint32_t done = 0;
    uint32_t *next = ISO_NEW(s->pool, uint32_t, h->n_sessions);
    memcpy(next, h->session_txn, h->n_sessions * sizeof *next);
    while (done < n) {
        for (uint32_t x = 0; x < h->n_sessions; x++) {
            while (next[x] < h->session_txn[x + 1] && s->vertex[next[x]] == ISO_NONE) {
                next[x]++;
            }
            if (next[x] < h->session_txn[x + 1]) {
                s->order[done++] = s->vertex[next[x]++];
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        s->position[s->order[i]] = i;
    }
    fix(s);
    if (s->proof != NULL) {
        iso_sat_proof_start(s);
    }
    for (uint32_t v = 0; v < n; v++) {
        if (bit(s->fixed, s->words, v, v)) { /* so, wr and real time already form a cycle */
            iso_sat_end(s);
            return;
        }
    }
    fix_open(s);
}

int iso_sat_before(sat *s, uint32_t u, uint32_t v) {
    if (u == SAT_INIT || v == SAT_INIT) {
        return u == SAT_INIT ? SAT_TRUE : SAT_FALSE;
    }
    if (u == v) {
        return SAT_FALSE;
    }
    if (bit(s->fixed, s->words, u, v) || bit(s->fixed, s->words, v, u)) {
        return bit(s->fixed, s->words, u, v) ? SAT_TRUE : SAT_FALSE;
    }
    uint32_t low = u < v ? u : v, high = u < v ? v : u;
    int *at = &s->pair[(size_t)high * (high - 1) / 2 + low];
    if (*at == 0) {
        int var = iso_sat_var(s);
        *at = s->position[low] < s->position[high] ? var : -var;
    }
    return u < v ? *at : -*at;
}

/* Fills `now`: the fixed order, and all pairs that have a variable. */
static void read_model(sat *s) {
    memcpy(s->now, s->fixed, (size_t)s->n * s->words * sizeof *s->now);
    const int *at = s->pair;
    for (uint32_t v = 1; v < s->n; v++) {
        iso_tick(s->env);
        for (uint32_t u = 0; u < v; u++, at++) {
            if (*at != 0) {
                bool forward = iso_sat_true(s, *at);
                set(s->now, s->words, forward ? u : v, forward ? v : u);
            }
        }
    }
}

/* Finds a shortest cycle through `start` among the vertices of `left`. Fills cycle, and returns its length, or 0. */
static uint32_t cycle_through(sat *s, uint32_t start, const uint64_t *left, uint32_t *cycle, uint32_t *from,
                              uint64_t *unseen) {
    uint32_t n_queue = 0;
    uint32_t *queue = s->order; /* its contents are not needed here: it is filled again later */
    memcpy(unseen, left, s->words * sizeof *unseen);
    queue[n_queue++] = start;
    for (uint32_t i = 0; i < n_queue; i++) {
        uint32_t u = queue[i];
        const uint64_t *row = s->now + (size_t)u * s->words;
        for (uint32_t w = 0; w < s->words; w++) {
            for (uint64_t new = row[w] & unseen[w]; new != 0; new &= new - 1) {
                uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(new);
                from[v] = u;
                if (v == start) {
                    uint32_t length = 0;
                    for (v = u; v != start; v = from[v]) {
                        cycle[length++] = v;
                    }
                    cycle[length++] = start;
                    for (uint32_t a = 0; a < length / 2; a++) { /* the search found it backwards */
                        uint32_t t = cycle[a];
                        cycle[a] = cycle[length - 1 - a];
                        cycle[length - 1 - a] = t;
                    }
                    return length;
                }
                queue[n_queue++] = v;
            }
            unseen[w] &= ~row[w];
        }
    }
    return 0;
}

static void cut_cycles(sat *s, const uint64_t *left) {
    uint32_t *cycle = ISO_NEW(s->pool, uint32_t, s->n), *from = ISO_NEW(s->pool, uint32_t, s->n);
    uint64_t *unseen = ISO_NEW(s->pool, uint64_t, s->words);
    for (uint32_t start = 0; start < s->n; start++) {
        iso_tick(s->env);
        if ((left[start / 64] >> (start % 64) & 1) == 0) {
            continue;
        }
        uint32_t length = cycle_through(s, start, left, cycle, from, unseen);
        for (uint32_t i = 1; i + 1 < length; i++) {
            iso_sat_add(s, iso_sat_before(s, cycle[i], cycle[0]));
            iso_sat_add(s, iso_sat_before(s, cycle[i + 1], cycle[i]));
            iso_sat_add(s, iso_sat_before(s, cycle[0], cycle[i + 1]));
            iso_sat_end(s);
        }
    }
    iso_free(s->pool, cycle);
    iso_free(s->pool, from);
    iso_free(s->pool, unseen);
}

bool iso_sat_order_model(sat *s) {
    uint32_t n = s->n;
    read_model(s);
    uint32_t *before = ISO_ZNEW(s->pool, uint32_t, n); /* number of predecessors that have no place yet */
    uint64_t *left = ISO_ZNEW(s->pool, uint64_t, s->words);
    uint64_t *ready = ISO_ZNEW(s->pool, uint64_t, s->words); /* by position in the last order */
    uint32_t *by_position = ISO_NEW(s->pool, uint32_t, n);
    for (uint32_t u = 0; u < n; u++) {
        by_position[s->position[u]] = u;
        left[u / 64] |= (uint64_t)1 << (u % 64);
        for (uint32_t w = 0; w < s->words; w++) {
            for (uint64_t row = s->now[(size_t)u * s->words + w]; row != 0; row &= row - 1) {
                before[w * 64 + (uint32_t)__builtin_ctzll(row)]++;
            }
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        if (before[v] == 0) {
            ready[s->position[v] / 64] |= (uint64_t)1 << (s->position[v] % 64);
        }
    }
    uint32_t done = 0;
    uint32_t *order = ISO_NEW(s->pool, uint32_t, n);
    for (uint32_t w = 0; w < s->words;) {
        if (ready[w] == 0) {
            w++;
            continue;
        }
        uint32_t u = by_position[w * 64 + (uint32_t)__builtin_ctzll(ready[w])];
        ready[w] &= ready[w] - 1;
        left[u / 64] &= ~((uint64_t)1 << (u % 64));
        order[done++] = u;
        uint32_t again = w;
        for (uint32_t x = 0; x < s->words; x++) {
            for (uint64_t row = s->now[(size_t)u * s->words + x]; row != 0; row &= row - 1) {
                uint32_t v = x * 64 + (uint32_t)__builtin_ctzll(row);
                if (--before[v] == 0) {
                    uint32_t p = s->position[v];
                    ready[p / 64] |= (uint64_t)1 << (p % 64);
                    again = p / 64 < again ? p / 64 : again;
                }
            }
        }
        w = again;
    }
    if (done < n) {
        cut_cycles(s, left);
    }
    /* The vertices on a cycle, or after one, come last. */
    for (uint32_t p = 0, at = done; p < n && at < n; p++) {
        uint32_t v = by_position[p];
        if (left[v / 64] >> (v % 64) & 1) {
            order[at++] = v;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        s->order[i] = order[i];
        s->position[order[i]] = i;
    }
    iso_free(s->pool, order);
    iso_free(s->pool, by_position);
    iso_free(s->pool, ready);
    iso_free(s->pool, left);
    iso_free(s->pool, before);
    return done == n;
}

/* Writes the formula, and the meaning of each variable as a comment. */
void iso_sat_write_dimacs(sat *s) {
    const isolab_history *h = s->h;
    iso_file file;
    iso_file_open(s->env, &file, s->question->dimacs);
    FILE *out = file.out;
    char a[ISO_NAME_SIZE], b[ISO_NAME_SIZE], op[256];
    iso_say(out, "c %s: clauses over the commit order; only the clauses that the answer needed\n",
            iso_level_get(s->question->level)->name);
    for (uint32_t v = 1; s->pair != NULL && v < s->n; v++) {
        for (uint32_t u = 0; u < v; u++) {
            int literal = s->pair[(size_t)v * (v - 1) / 2 + u];
            if (literal != 0) {
                iso_say(out, "c %d %s before %s\n", literal < 0 ? -literal : literal,
                        iso_txn_text(h, s->txn[literal < 0 ? v : u], a),
                        iso_txn_text(h, s->txn[literal < 0 ? u : v], b));
            }
        }
    }
    for (uint32_t v = 0; v < s->n; v++) {
        if (s->part[v] != SAT_TRUE) {
            iso_say(out, "c %d %s is included\n", s->part[v], iso_txn_text(h, s->txn[v], a));
        }
        for (uint32_t r = s->read_first[v]; r < s->read_first[v + 1]; r++) {
            for (uint32_t c = s->reads[r].first; c < s->reads[r].end; c++) {
                const iso_sat_choice *choice = &s->choices[c];
                if (choice->literal != SAT_TRUE && choice->literal != s->part[v]) {
                    uint32_t from = choice->vertex == SAT_INIT ? ISO_INIT : h->op_txn[choice->op];
                    iso_say(out, "c %d `%s` of %s reads from %s\n", choice->literal,
                            iso_op_text(h, s->reads[r].op, op, sizeof op), iso_txn_text(h, s->txn[v], a),
                            iso_txn_text(h, from, b));
                }
            }
        }
    }
    iso_say(out, "p cnf %d %" PRIu64 "\n", s->n_vars, s->n_clauses);
    for (size_t i = 0; i < s->n_log; i++) {
        if (s->log[i] == 0) {
            iso_say(out, "0\n");
        } else {
            iso_say(out, "%d ", s->log[i]);
        }
    }
    iso_file_close(s->env, &file);
}
