/* Keys that one transaction reads from many writers. There the axiom has about as many edges as pairs of reads: if t3
 * reads from each of n transactions that write x, and then x from each of n others, all n^2 pairs. They become a tree
 * over the facts of the key in program order: a node is before its two children, a leaf is the source of a fact. A t2
 * is before all facts after the read by which t3 sees it, except its own fact: two stretches, each of which is that of
 * a few nodes. So a t2 needs O(log n) edges, and the closure between transactions stays the same. */
#include "base/bisect.h"
#include "checkers/plume/plume.h"

/* The source of a fact, without its position. */
static uint32_t source(const iso_plume *p, const iso_plume_many *m, uint32_t i) { return p->read_from[m->fact[i]]; }

/* Sorts the places [first, first + n) of the group's facts by their sources: a heap. */
static void sort_places(const iso_plume *p, const iso_plume_many *m, uint32_t *place, uint32_t n) {
    for (uint32_t root = n / 2, end = n; end > 1;) {
        if (root > 0) {
            root--;
        } else {
            uint32_t last = place[--end];
            place[end] = place[0];
            place[0] = last;
        }
        for (uint32_t at = root, child; (child = 2 * at + 1) < end; at = child) {
            child += child + 1 < end && source(p, m, place[child]) < source(p, m, place[child + 1]);
            if (source(p, m, place[at]) >= source(p, m, place[child])) {
                break;
            }
            uint32_t other = place[at];
            place[at] = place[child];
            place[child] = other;
        }
    }
}

uint32_t iso_plume_many_add(iso_plume *p, iso_plume_many *m, uint32_t last, const uint32_t *before, uint32_t first) {
    uint32_t n = 0, initial = ISO_NONE;
    for (uint32_t r = last; r != ISO_NONE && n <= ISO_PLUME_MANY; r = before[r - first]) {
        n++;
    }
    if (n <= ISO_PLUME_MANY) {
        return ISO_NONE;
    }
    n = 0;
    for (uint32_t r = last; r != ISO_NONE; r = before[r - first]) {
        initial = p->read_from[r] == ISO_INIT ? r : initial;
        m->fact[m->n_facts + n] = r;
        n += p->read_from[r] != ISO_INIT;
    }
    for (uint32_t i = 0; i < n / 2; i++) { /* the list begins with the last fact */
        uint32_t *a = &m->fact[m->n_facts + i], *b = &m->fact[m->n_facts + n - 1 - i], r = *a;
        *a = *b;
        *b = r;
    }
    for (uint32_t i = m->n_facts; i < m->n_facts + n; i++) {
        m->place[i] = i;
    }
    sort_places(p, m, m->place + m->n_facts, n);
    ISO_GROW(p->pool, m->group, m->n_groups, m->room);
    m->group[m->n_groups] = (iso_plume_group){.first = m->n_facts, .n = n, .initial = initial, .node = ISO_NONE};
    m->n_facts += n;
    return m->n_groups++;
}

/* Returns the number of facts of the group before a read. */
static uint32_t facts_before(const iso_plume_many *m, const iso_plume_group *g, uint32_t read) {
    return ISO_BISECT(i, 0, g->n, m->fact[g->first + i] < read);
}

/* Returns which fact of the group is from t2; g->n: none. */
static uint32_t own_fact(const iso_plume *p, const iso_plume_many *m, const iso_plume_group *g, uint32_t t2) {
    uint32_t end = g->first + g->n, at = ISO_BISECT(i, g->first, end, source(p, m, m->place[i]) < t2);
    return at < end && source(p, m, m->place[at]) == t2 ? m->place[at] - g->first : g->n;
}

/* Adds an edge to place v of the tree: the places from n on are the facts. */
static void add_edge_to(iso_plume *p, iso_plume_cm *cm, const iso_plume_many *m, const iso_plume_group *g,
                        uint32_t from, uint32_t v) {
    uint32_t fact = v >= g->n ? m->fact[g->first + v - g->n] : ISO_NONE;
    iso_plume_add_edge(p, cm, from, fact != ISO_NONE ? p->read_from[fact] : g->node + v, fact);
}

static void make_tree(iso_plume *p, iso_plume_cm *cm, const iso_plume_many *m, iso_plume_group *g) {
    uint64_t end = (uint64_t)p->h->n_txns + 1 + cm->n_nodes + g->n;
    if (end >= ISO_ID_MAX) {
        iso_throw_limit(p->pool->env, ISO_LIMIT_SIZE, "more than %u nodes of the commit relation", ISO_ID_MAX);
    }
    g->node = (uint32_t)end - g->n;
    cm->n_nodes += g->n;
    for (uint32_t v = 1; v < g->n; v++) {
        add_edge_to(p, cm, m, g, g->node + v, 2 * v);
        add_edge_to(p, cm, m, g, g->node + v, 2 * v + 1);
    }
}

/* Puts t2 before the facts [low, high). */
static void add_stretch(iso_plume *p, iso_plume_cm *cm, const iso_plume_many *m, iso_plume_group *g, uint32_t t2,
                        uint32_t low, uint32_t high) {
    if (high - low > 1 && low < high && g->node == ISO_NONE) {
        make_tree(p, cm, m, g);
    }
    for (low += g->n, high += g->n; low < high; low /= 2, high /= 2) {
        if (low & 1) {
            add_edge_to(p, cm, m, g, t2, low++);
        }
        if (high & 1) {
            add_edge_to(p, cm, m, g, t2, --high);
        }
    }
}

void iso_plume_many_infer(iso_plume *p, iso_plume_cm *cm, iso_plume_many *m, uint32_t group, uint32_t t2,
                          uint32_t read) {
    iso_plume_group *g = &m->group[group];
    uint32_t first = facts_before(m, g, read), own = own_fact(p, m, g, t2);
    if (own < g->n) {
        add_stretch(p, cm, m, g, t2, first, own);
        first = first > own ? first : own + 1;
    }
    add_stretch(p, cm, m, g, t2, first, g->n);
    if (g->initial != ISO_NONE && g->initial >= read) {
        iso_plume_add_edge(p, cm, t2, ISO_INIT, g->initial);
    }
}
