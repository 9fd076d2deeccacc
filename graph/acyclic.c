/* Acyclicity as a theory. See acyclic.h.
 *
 * The arcs in the graph are on two linked lists per vertex, newest first, so removing the newest arc takes two
 * assignments. Inserting an arc against the order starts two searches, forwards from the arc's end and backwards from
 * its start, limited to the positions between the two. If literals are to be implied, both searches run to their end.
 * The vertices found then share their positions in a new order (Pearce and Kelly), and every arc outside the graph from
 * a vertex found forwards to a vertex found backwards would close a cycle. Otherwise the searches take turns. When one
 * of them ends, its vertices move to the other side of the arc, and the other search stops. The order is a list
 * (sequence.h), so that only these vertices move. */
#include "graph/acyclic.h"

#include <string.h>

#include "base/bisect.h"
#include "base/buckets.h"
#include "graph/sequence.h"

#define OUT UINT32_MAX /* not in the graph; also the end of a list */

typedef struct link {
    uint32_t next_out, next_in; /* the next arcs on the lists of its two ends, if it is in the graph */
    uint32_t place;             /* index on the stack of arcs in the graph, or OUT */
    uint32_t next_of[2];        /* the next arcs on the lists of its two literals, as in literal_head */
    uint32_t next_from;         /* the next arc with literals from the same vertex */
} link;

typedef struct implied {
    uint32_t arc, height; /* an arc, and the height of the stack when the arc would have closed a cycle */
} implied;

typedef struct bucket {
    uint32_t *at, n, room;
} bucket;

struct iso_acyclic {
    iso_pool *pool;
    iso_env *env;
    iso_solver *solver;
    iso_cycle_fn *on_cycle;
    void *on_cycle_arg;
    iso_moved_fn *on_move;
    void *on_move_arg;
    bool imply, ordered, upwards; /* upwards: all laid arcs lead to larger numbers */
    uint32_t n;

    uint32_t n_laid; /* arcs below this number exist only in out_end and laid_tag; arc e >= n_laid is ... */
    const uint32_t *laid_tag;
    iso_arc *arcs; /* ... arcs[e - n_laid] */
    link *links;
    uint32_t n_arcs, arcs_room, n_ready; /* n_arcs and n_ready include laid arcs */
    uint32_t *head_out, *head_in;
    /* The permanent arcs of the first call of ready lie close together. The arcs from v lead to out_end[out_first[v] ..
     * out_first[v + 1]), and out_arc has their numbers (NULL: an arc's number is its index). The arcs to v come from
     * in_end[in_first[v] .. in_first[v + 1]). */
    const uint32_t *out_first, *out_end, *in_first, *in_end;
    uint32_t *out_arc;
    uint32_t *stack, n_stack, stack_room;
    uint32_t *mark, *implied_mark, n_marks, mark_room, implied_mark_room; /* by level: height of the stack */

    iso_sequence order;
    uint32_t *seen, stamp; /* stamp: seen by the forward search; stamp + 1: by the backward search */
    struct found {
        uint32_t *vertex, n, *stack, height; /* stack: vertices whose arcs the search has not visited yet */
        uint64_t cost;
    } forward, backward; /* of the last insertion */

    uint32_t *literal_head, n_literals, literals_room; /* entries: 2 * (arc - n_laid), plus 1 for the arc's second
                                                        * literal */
    uint32_t *vertex_head;                             /* by vertex: arcs with literals that start there */
    uint32_t *var_arc, var_room;                       /* by variable: the first arc of its positive literal, or OUT */
    implied *implied;
    uint32_t n_implied, implied_room;

    bucket bucket[3];
    uint32_t *distance, *distance_stamp, *parent, path_stamp;
    uint32_t *cycle, n_cycle, cycle_room;
    iso_acyclic_counts counts;
};

iso_acyclic *iso_acyclic_new(iso_pool *pool, iso_solver *solver, uint32_t n) {
    iso_acyclic *g = ISO_ZNEW(pool, iso_acyclic, 1);
    g->pool = pool;
    g->env = pool->env;
    g->solver = solver;
    g->n = n;
    g->imply = solver != NULL;
    g->head_out = ISO_NEW_NONE(pool, n);
    g->head_in = ISO_NEW_NONE(pool, n);
    iso_sequence_init(&g->order, pool, n);
    g->seen = ISO_ZNEW(pool, uint32_t, n);
    g->forward.vertex = ISO_NEW(pool, uint32_t, n);
    g->forward.stack = ISO_NEW(pool, uint32_t, n);
    g->backward.vertex = ISO_NEW(pool, uint32_t, n);
    g->backward.stack = ISO_NEW(pool, uint32_t, n);
    g->vertex_head = ISO_NEW_NONE(pool, n);
    g->distance = ISO_NEW(pool, uint32_t, n);
    g->distance_stamp = ISO_ZNEW(pool, uint32_t, n);
    g->parent = ISO_NEW(pool, uint32_t, n);
    return g;
}

void iso_acyclic_on_cycle(iso_acyclic *g, iso_cycle_fn *fn, void *arg) {
    g->on_cycle = fn;
    g->on_cycle_arg = arg;
}

void iso_acyclic_on_move(iso_acyclic *g, iso_moved_fn *fn, void *arg) {
    g->on_move = fn;
    g->on_move_arg = arg;
}

static iso_arc *arc_at(const iso_acyclic *g, uint32_t e) { return &g->arcs[e - g->n_laid]; }
static link *link_at(const iso_acyclic *g, uint32_t e) { return &g->links[e - g->n_laid]; }

/* Returns the vertex where an arc starts. For a laid arc this is a binary search. */
static uint32_t beginning(const iso_acyclic *g, uint32_t e) {
    if (e >= g->n_laid) {
        return arc_at(g, e)->from;
    }
    return ISO_BISECT(v, 1, g->n, g->out_first[v] <= e) - 1;
}

uint32_t iso_acyclic_arc(iso_acyclic *g, iso_arc arc) {
    uint32_t at = g->n_arcs - g->n_laid;
    if (at == g->arcs_room) { /* arcs take most of the memory, so the array does not double */
        g->arcs_room += g->arcs_room / 4 + 32;
        g->arcs = iso_resize(g->pool, g->arcs, g->arcs_room, sizeof *g->arcs);
        g->links = iso_resize(g->pool, g->links, g->arcs_room, sizeof *g->links);
    }
    if (g->n_arcs >= UINT32_MAX / 2) {
        iso_throw(g->env, ISOLAB_E_LIMIT, "the graph takes at most %u arcs", UINT32_MAX / 2);
    }
    g->arcs[at] = arc;
    g->links[at] = (link){OUT, OUT, OUT, {OUT, OUT}, OUT};
    return g->n_arcs++;
}

uint32_t iso_acyclic_arcs(const iso_acyclic *g) { return g->n_arcs; }
iso_arc iso_acyclic_get(const iso_acyclic *g, uint32_t arc) {
    if (arc >= g->n_laid) {
        return *arc_at(g, arc);
    }
    uint32_t from = beginning(g, arc);
    return (iso_arc){from, g->out_end[arc], ISO_LIT_TRUE, ISO_LIT_TRUE, g->laid_tag == NULL ? 0 : g->laid_tag[arc]};
}
uint64_t iso_acyclic_position(const iso_acyclic *g, uint32_t v) { return g->order.position[v]; }
const uint64_t *iso_acyclic_positions(const iso_acyclic *g) { return g->order.position; }
iso_acyclic_counts iso_acyclic_counters(const iso_acyclic *g) { return g->counts; }

void iso_acyclic_vertices(const iso_acyclic *g, uint32_t *vertices) { iso_sequence_list(&g->order, vertices); }

static int value(const iso_acyclic *g, iso_lit l) { return l == ISO_LIT_TRUE ? 1 : iso_solver_value(g->solver, l); }

static void hang(iso_acyclic *g, uint32_t e) {
    iso_arc *a = arc_at(g, e);
    link *l = link_at(g, e);
    l->next_out = g->head_out[a->from];
    g->head_out[a->from] = e;
    l->next_in = g->head_in[a->to];
    g->head_in[a->to] = e;
    l->place = g->n_stack;
    ISO_GROW(g->pool, g->stack, g->n_stack, g->stack_room);
    g->stack[g->n_stack++] = e;
}

/* Paths. */

static uint32_t weight(const iso_acyclic *g, iso_lit l) {
    return l != ISO_LIT_TRUE && iso_solver_level(g->solver, iso_lit_var(l)) > 0;
}

static void offer(iso_acyclic *g, uint32_t v, uint32_t distance, uint32_t parent) {
    if (g->distance_stamp[v] != g->path_stamp || distance < g->distance[v]) {
        g->distance_stamp[v] = g->path_stamp;
        g->distance[v] = distance;
        g->parent[v] = parent;
        bucket *b = &g->bucket[distance % 3];
        ISO_GROW(g->pool, b->at, b->n, b->room);
        b->at[b->n++] = v;
    }
}

static void cycle_add(iso_acyclic *g, uint32_t e) {
    ISO_GROW(g->pool, g->cycle, g->n_cycle, g->cycle_room);
    g->cycle[g->n_cycle++] = e;
}

/* Writes a cycle to g->cycle: a path from u to v over arcs below `height` on the stack, with as few literals as
 * possible (literals of level 0 do not count), and then the arc `closing` from v to u. The path must exist. Dial's
 * algorithm: an arc adds at most two to a distance. */
static void close_cycle(iso_acyclic *g, uint32_t u, uint32_t v, uint32_t height, uint32_t closing, bool conflict) {
    g->path_stamp++;
    g->n_cycle = 0;
    g->counts.cycles++;
    for (int i = 0; i < 3; i++) {
        g->bucket[i].n = 0;
    }
    uint64_t limit = g->order.position[v];
    offer(g, u, 0, OUT);
    bool found = u == v;
    for (uint32_t d = 0, empty = 0; !found && empty < 3; d++) {
        bucket *b = &g->bucket[d % 3];
        empty = b->n == 0 ? empty + 1 : 0;
        while (b->n > 0 && !found) {
            uint32_t x = b->at[--b->n];
            if (g->distance[x] != d) {
                continue; /* a shorter path reached it first */
            }
            if (x == v) {
                found = true;
                break;
            }
            for (uint32_t i = g->out_first[x]; i < g->out_first[x + 1]; i++) {
                if (g->order.position[g->out_end[i]] <= limit) {
                    offer(g, g->out_end[i], d, g->out_arc == NULL ? i : g->out_arc[i]);
                }
            }
            for (uint32_t e = g->head_out[x]; e != OUT; e = link_at(g, e)->next_out) {
                iso_tick(g->env);
                const iso_arc *a = arc_at(g, e);
                if (link_at(g, e)->place < height && g->order.position[a->to] <= limit) {
                    offer(g, a->to, d + weight(g, a->a) + weight(g, a->b), e);
                }
            }
        }
    }
    if (!found) {
        iso_throw(g->env, ISOLAB_E_INTERNAL, "acyclic: a cycle was seen that is not there");
    }
    for (uint32_t x = v; x != u; x = beginning(g, g->parent[x])) {
        cycle_add(g, g->parent[x]);
    }
    for (uint32_t i = 0; i < g->n_cycle / 2; i++) {
        uint32_t t = g->cycle[i];
        g->cycle[i] = g->cycle[g->n_cycle - 1 - i];
        g->cycle[g->n_cycle - 1 - i] = t;
    }
    cycle_add(g, closing);
    if (g->on_cycle != NULL) {
        g->on_cycle(g->on_cycle_arg, g, g->cycle, g->n_cycle, conflict);
    }
}

/* Writes the clause that forbids the cycle in g->cycle. */
static void forbid(iso_acyclic *g, iso_lits *out) {
    for (uint32_t i = 0; i < g->n_cycle; i++) {
        if (g->cycle[i] < g->n_laid) {
            continue; /* a permanent arc: it has no literals */
        }
        const iso_arc *a = arc_at(g, g->cycle[i]);
        if (a->a != ISO_LIT_TRUE) {
            iso_lits_add(g->solver, out, iso_lit_not(a->a));
        }
        if (a->b != ISO_LIT_TRUE) {
            iso_lits_add(g->solver, out, iso_lit_not(a->b));
        }
    }
}

/* The order. */

static void tell_moved(iso_acyclic *g, const uint32_t *vertices, uint32_t n) {
    if (g->on_move != NULL) {
        g->on_move(g->on_move_arg, vertices, n);
    }
}

static void find(iso_acyclic *g, struct found *f, uint32_t x, uint32_t stamp) {
    g->seen[x] = stamp;
    f->vertex[f->n++] = x;
    f->stack[f->height++] = x;
}

/* Visits the vertex at the other end of an arc. Most such vertices are not between u and v. Returns whether the other
 * search has found it. */
static inline bool reach(iso_acyclic *g, struct found *f, uint32_t x, bool between, uint32_t stamp, uint32_t other) {
    if (!between || g->seen[x] == stamp) {
        return false;
    }
    if (g->seen[x] == other) {
        return true;
    }
    find(g, f, x, stamp);
    return false;
}

/* Visits the arcs of one vertex that a search found: the arcs from it in the search forwards from v, or the arcs to it
 * in the search backwards from u. low and high are the positions of v and u. Takes the vertex found last, because this
 * finds a path from v to u soon if one exists. Returns whether it found such a path. */
static bool step(iso_acyclic *g, bool forward, uint64_t low, uint64_t high) {
    struct found *f = forward ? &g->forward : &g->backward;
    const uint32_t *first = forward ? g->out_first : g->in_first, *end = forward ? g->out_end : g->in_end;
    uint32_t y = f->stack[--f->height], stamp = g->stamp + !forward, other = g->stamp + forward;
    uint64_t range = high - low;
    bool met = false;
    for (uint32_t k = first[y]; k < first[y + 1]; k++, f->cost++) {
        met |= reach(g, f, end[k], g->order.position[end[k]] - low <= range, stamp, other);
    }
    for (uint32_t e = forward ? g->head_out[y] : g->head_in[y]; e != OUT; f->cost++) {
        const link *l = link_at(g, e);
        uint32_t x = forward ? arc_at(g, e)->to : arc_at(g, e)->from;
        iso_tick(g->env);
        met |= reach(g, f, x, g->order.position[x] - low <= range, stamp, other);
        e = forward ? l->next_out : l->next_in;
    }
    return met;
}

/* Makes room for an arc from u to v, where u is after v: moves the vertices that v reaches, the vertices that reach u,
 * or both. Returns false if v reaches u. */
static bool reorder(iso_acyclic *g, uint32_t u, uint32_t v) {
    uint64_t low = g->order.position[v], high = g->order.position[u];
    g->stamp += 2;
    if (g->stamp >= UINT32_MAX - 2) {
        memset(g->seen, 0, g->n * sizeof *g->seen);
        g->stamp = 2;
    }
    g->counts.reorders++;
    find(g, &g->forward, v, g->stamp);
    find(g, &g->backward, u, g->stamp + 1);
    bool met = false;
    while (!met &&
           (g->imply ? g->forward.height + g->backward.height > 0 : g->forward.height > 0 && g->backward.height > 0)) {
        bool forward = g->backward.height == 0 || (g->forward.height > 0 && g->forward.cost <= g->backward.cost);
        met = step(g, forward, low, high);
    }
    g->counts.visited += g->forward.n + g->backward.n;
    if (met) {
        return false;
    }
    if (g->imply) { /* both sets are known, and this moves the fewest vertices */
        iso_sequence_swap(&g->order, g->backward.vertex, g->backward.n, g->forward.vertex, g->forward.n);
        tell_moved(g, g->backward.vertex, g->backward.n);
        tell_moved(g, g->forward.vertex, g->forward.n);
        return true;
    }
    struct found *f = g->forward.height == 0 ? &g->forward : &g->backward;
    bool spread = f == &g->forward ? iso_sequence_move_after(&g->order, f->vertex, f->n, u)
                                   : iso_sequence_move_before(&g->order, f->vertex, f->n, v);
    if (!spread) {
        tell_moved(g, f->vertex, f->n);
    }
    for (uint32_t x = g->order.next[g->n]; spread && x != g->n; x = g->order.next[x]) {
        tell_moved(g, &x, 1);
    }
    return true;
}

/* Returns false if the arc would close a cycle. The cycle is then in g->cycle, and the arc is not in the graph. */
static bool insert(iso_acyclic *g, uint32_t e) {
    uint32_t u = arc_at(g, e)->from, v = arc_at(g, e)->to;
    g->counts.insertions++;
    g->forward.n = g->forward.height = g->backward.n = g->backward.height = 0;
    g->forward.cost = g->backward.cost = 0;
    if (u == v || (g->order.position[u] > g->order.position[v] && !reorder(g, u, v))) {
        close_cycle(g, v, u, g->n_stack, e, true);
        return false;
    }
    hang(g, e);
    return true;
}

/* Call this after an insertion that searched: makes false every arc from a vertex found forwards to one found
 * backwards. */
static void imply(iso_acyclic *g) {
    for (uint32_t i = 0; i < g->forward.n; i++) {
        uint32_t x = g->forward.vertex[i];
        for (uint32_t e = g->vertex_head[x]; e != OUT; e = link_at(g, e)->next_from) {
            const iso_arc *a = arc_at(g, e);
            if (g->seen[a->to] != g->stamp + 1 || link_at(g, e)->place != OUT) {
                continue;
            }
            int x_value = value(g, a->a), y_value = value(g, a->b);
            if (x_value + y_value == 1) { /* one literal is true and the other has no value */
                ISO_GROW(g->pool, g->implied, g->n_implied, g->implied_room);
                g->implied[g->n_implied] = (implied){e, g->n_stack};
                g->counts.implied++;
                iso_solver_imply(g->solver, iso_lit_not(x_value == 0 ? a->a : a->b), g->n_implied++);
            }
        }
    }
}

/* The theory. */

static void push(void *arg) {
    iso_acyclic *g = arg;
    ISO_GROW(g->pool, g->mark, g->n_marks, g->mark_room);
    ISO_GROW(g->pool, g->implied_mark, g->n_marks, g->implied_mark_room);
    g->mark[g->n_marks] = g->n_stack;
    g->implied_mark[g->n_marks++] = g->n_implied;
}

static void pop(void *arg, uint32_t level) {
    iso_acyclic *g = arg;
    while (g->n_stack > g->mark[level]) {
        uint32_t e = g->stack[--g->n_stack];
        g->head_out[arc_at(g, e)->from] = link_at(g, e)->next_out;
        g->head_in[arc_at(g, e)->to] = link_at(g, e)->next_in;
        link_at(g, e)->place = OUT;
    }
    g->n_implied = g->implied_mark[level];
    g->n_marks = level;
}

static bool assign(void *arg, iso_lit l, iso_lits *out) {
    iso_acyclic *g = arg;
    if (l >= g->n_literals) {
        return true;
    }
    for (uint32_t k = g->literal_head[l], next; k != OUT; k = next) {
        uint32_t e = g->n_laid + k / 2;
        next = link_at(g, e)->next_of[k % 2];
        iso_tick(g->env);
        if (link_at(g, e)->place != OUT || value(g, arc_at(g, e)->a) <= 0 || value(g, arc_at(g, e)->b) <= 0) {
            continue;
        }
        if (!insert(g, e)) {
            forbid(g, out);
            return false;
        }
        if (g->imply && g->backward.n > 0) {
            imply(g);
        }
    }
    return true;
}

static void explain(void *arg, iso_lit l, uint32_t token, iso_lits *out) {
    iso_acyclic *g = arg;
    (void)l;
    const iso_arc *a = arc_at(g, g->implied[token].arc);
    close_cycle(g, a->to, a->from, g->implied[token].height, g->implied[token].arc, false);
    forbid(g, out);
}

static iso_lit polarity(void *arg, uint32_t var) {
    iso_acyclic *g = arg;
    if (2 * var >= g->n_literals || g->var_arc[var] == OUT) {
        return ISO_LIT_NONE;
    }
    const iso_arc *a = arc_at(g, g->var_arc[var]);
    return iso_lit_of(var, g->order.position[a->from] > g->order.position[a->to]);
}

void iso_acyclic_options(iso_acyclic *g, bool imply_literals, bool pick_polarity) {
    g->imply = imply_literals;
    iso_theory theory = {g, push, pop, assign, explain, pick_polarity ? polarity : NULL};
    iso_solver_theory(g->solver, &theory);
}

/* Preparation. */

static bool permanent(const iso_acyclic *g, uint32_t e) {
    return arc_at(g, e)->a == ISO_LIT_TRUE && arc_at(g, e)->b == ISO_LIT_TRUE;
}

/* Builds the arcs to each vertex from the arcs from each vertex, or the reverse. Returns whether every listed vertex is
 * the larger of the arc's two (or the smaller, if `larger` is false). */
static bool turn_around(const iso_acyclic *g, const uint32_t *first, const uint32_t *end, bool larger,
                        const uint32_t **other_first, const uint32_t **other_end) {
    iso_buckets rows = iso_buckets_new(g->pool, g->n);
    bool all = true;
    for (uint32_t i = 0; i < first[g->n]; i++) {
        iso_buckets_count(&rows, end[i]);
    }
    uint32_t *to_end = ISO_NEW(g->pool, uint32_t, iso_buckets_sum(&rows));
    for (uint32_t v = 0; v < g->n; v++) {
        for (uint32_t i = first[v]; i < first[v + 1]; i++) {
            to_end[iso_buckets_place(&rows, end[i])] = v;
            all &= larger ? end[i] > v : end[i] < v;
        }
    }
    *other_first = rows.first;
    *other_end = to_end;
    return all;
}

static void lay(iso_acyclic *g, uint32_t n) {
    if (g->n_arcs != 0 || n >= UINT32_MAX / 2) {
        iso_throw(g->env, g->n_arcs != 0 ? ISOLAB_E_INTERNAL : ISOLAB_E_LIMIT, "the graph takes no further %u arcs", n);
    }
    g->n_arcs = g->n_laid = g->n_ready = n;
}

void iso_acyclic_lay(iso_acyclic *g, const uint32_t *first, const uint32_t *end, const uint32_t *tag) {
    lay(g, first[g->n]);
    g->out_first = first;
    g->out_end = end;
    g->laid_tag = tag;
}

void iso_acyclic_lay_incoming(iso_acyclic *g, const uint32_t *first, const uint32_t *end) {
    lay(g, first[g->n]);
    g->in_first = first;
    g->in_end = end;
    g->upwards = turn_around(g, first, end, false, &g->out_first, &g->out_end);
}

/* Stores the permanent arcs close together, in the order of their numbers. */
static void lay_permanent(iso_acyclic *g) {
    iso_buckets rows = iso_buckets_new(g->pool, g->n);
    for (uint32_t e = 0; e < g->n_arcs; e++) {
        if (permanent(g, e)) {
            iso_buckets_count(&rows, arc_at(g, e)->from);
        }
    }
    uint32_t n = iso_buckets_sum(&rows), *end = ISO_NEW(g->pool, uint32_t, n);
    g->out_arc = ISO_NEW(g->pool, uint32_t, n);
    for (uint32_t e = 0; e < g->n_arcs; e++) {
        if (permanent(g, e)) {
            uint32_t i = iso_buckets_place(&rows, arc_at(g, e)->from);
            end[i] = arc_at(g, e)->to;
            g->out_arc[i] = e;
            link_at(g, e)->place = 0; /* permanently in the graph */
        }
    }
    g->out_first = rows.first;
    g->out_end = end;
}

/* Returns the laid arc from u to v. */
static uint32_t arc_between(const iso_acyclic *g, uint32_t u, uint32_t v) {
    uint32_t i = g->out_first[u];
    while (g->out_end[i] != v) {
        i++;
    }
    return g->out_arc == NULL ? i : g->out_arc[i];
}

/* Finds an order of the permanent arcs by counting predecessors. Returns false if they form a cycle. */
static bool first_order(iso_acyclic *g) {
    uint32_t *before = g->distance, *order = g->forward.vertex, done = 0;
    if (g->n_laid == 0) {
        lay_permanent(g);
    }
    if (g->in_first == NULL) {
        g->upwards = turn_around(g, g->out_first, g->out_end, true, &g->in_first, &g->in_end);
    }
    if (g->upwards) { /* the client's own numbers are an order */
        iso_sequence_set(&g->order, NULL);
        return true;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        before[v] = g->in_first[v + 1] - g->in_first[v];
        if (before[v] == 0) {
            order[done++] = v;
        }
    }
    for (uint32_t i = 0; i < done; i++) {
        iso_tick(g->env);
        for (uint32_t k = g->out_first[order[i]]; k < g->out_first[order[i] + 1]; k++) {
            if (--before[g->out_end[k]] == 0) {
                order[done++] = g->out_end[k];
            }
        }
    }
    if (done == g->n) {
        iso_sequence_set(&g->order, order);
        return true;
    }
    /* Walk backwards through the remaining vertices until one is met again: it is on a cycle. */
    uint32_t v = 0;
    while (before[v] == 0) {
        v++;
    }
    iso_fill_none(g->parent, g->n);
    while (g->parent[v] == OUT) {
        uint32_t k = g->in_first[v];
        while (before[g->in_end[k]] == 0) {
            k++;
        }
        g->parent[v] = arc_between(g, g->in_end[k], v);
        v = g->in_end[k];
    }
    uint32_t start = v;
    do { /* the parents lead backwards, so the cycle is written from its end */
        v = beginning(g, g->parent[v]);
        g->n_cycle++;
    } while (v != start);
    g->cycle = iso_resize(g->pool, g->cycle, g->n_cycle, sizeof *g->cycle);
    g->cycle_room = g->n_cycle;
    for (uint32_t i = g->n_cycle; i-- > 0;) {
        g->cycle[i] = g->parent[v];
        v = beginning(g, g->parent[v]);
    }
    if (g->on_cycle != NULL) {
        g->on_cycle(g->on_cycle_arg, g, g->cycle, g->n_cycle, true);
    }
    return false;
}

static void list_by_literal(iso_acyclic *g, uint32_t e, iso_lit l, uint32_t which) {
    if (l != ISO_LIT_TRUE) {
        link_at(g, e)->next_of[which] = g->literal_head[l];
        g->literal_head[l] = 2 * (e - g->n_laid) + which;
    }
}

/* Lists the arcs added since the last call by literal and by the vertex where they start. */
static void list_arcs(iso_acyclic *g) {
    uint32_t begin = g->n_ready, before = g->n_literals, vars = iso_solver_vars(g->solver);
    g->n_literals = 2 * vars;
    for (uint32_t l = before; l < g->n_literals; l++) {
        ISO_GROW(g->pool, g->literal_head, l, g->literals_room);
        g->literal_head[l] = OUT;
    }
    for (uint32_t x = before / 2; x < vars; x++) {
        ISO_GROW(g->pool, g->var_arc, x, g->var_room);
        g->var_arc[x] = OUT;
    }
    for (uint32_t e = g->n_arcs; e-- > begin;) {
        const iso_arc *a = arc_at(g, e);
        if (permanent(g, e)) {
            continue;
        }
        list_by_literal(g, e, a->a, 0);
        list_by_literal(g, e, a->b, 1);
        link_at(g, e)->next_from = g->vertex_head[a->from];
        g->vertex_head[a->from] = e;
    }
    for (uint32_t e = begin; e < g->n_arcs; e++) {
        const iso_arc *a = arc_at(g, e);
        if (a->a != ISO_LIT_TRUE && (a->a & 1) == 0 && g->var_arc[iso_lit_var(a->a)] == OUT) {
            g->var_arc[iso_lit_var(a->a)] = e;
        }
    }
}

bool iso_acyclic_ready(iso_acyclic *g) {
    g->n_cycle = 0;
    if (!g->ordered) {
        if (!first_order(g)) {
            return false;
        }
        g->ordered = true;
    }
    if (g->solver != NULL) {
        list_arcs(g);
    }
    for (uint32_t e = g->n_ready; e < g->n_arcs; e++) {
        iso_tick(g->env);
        if (link_at(g, e)->place == OUT && value(g, arc_at(g, e)->a) > 0 && value(g, arc_at(g, e)->b) > 0 &&
            !insert(g, e)) {
            return false;
        }
    }
    g->n_ready = g->n_arcs;
    return true;
}
