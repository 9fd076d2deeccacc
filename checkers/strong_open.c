/* The constraints that saturation leaves open. See strong_search.h.
 *
 * Key by key, so that the clocks of a key's writers stay in the cache. In each chain the writers of a key that
 * are before t1 come first, those after t3 last: only those between are open, and the walk ends with them. */
#include <string.h>

#include "base/hash.h"
#include "checkers/strong_search.h"

#define NO_EDGE UINT32_MAX

static void grow_table(strong_open *p) {
    iso_free(p->pool, p->slot);
    uint32_t room = p->mask == 0 ? 1024 : 2 * (p->mask + 1);
    p->slot = ISO_NEW(p->pool, uint32_t, room);
    memset(p->slot, 0xff, (size_t)room * sizeof *p->slot);
    p->mask = room - 1;
    for (uint32_t e = 0; e < p->n_edges; e++) {
        uint64_t at = iso_mix2(p->edge[e].from, p->edge[e].to) & p->mask;
        while (p->slot[at] != NO_EDGE) {
            at = (at + 1) & p->mask;
        }
        p->slot[at] = e;
    }
}

void strong_open_count(const strong_open *p, iso_result *result) {
    iso_result_counter(result, "open-constraints", p->n_clauses);
    iso_result_counter(result, "tried-constraints", p->tried);
    iso_result_counter(result, "conflicts", p->conflicts);
    iso_result_counter(result, "decisions", p->decisions);
}

uint32_t strong_open_choice(strong_open *p, strong_edge edge) {
    if (p->n_edges >= ISO_ID_MAX / 4) {
        iso_throw(p->pool->env, ISOLAB_E_LIMIT, "more than %u open edges", ISO_ID_MAX / 4);
    }
    ISO_GROW(p->pool, p->edge, p->n_edges, p->edges_room);
    p->edge[p->n_edges] = edge;
    return p->n_edges++;
}

/* Reads-from, anti-dependencies and orders of writers are not the same edge, so that cycles can be named. */
static unsigned sort(uint8_t kind) { return kind == ISO_EDGE_WR ? 0 : kind == ISO_EDGE_RW ? 1 : 2; }

/* The number of an edge. One that is there already keeps its first reason. */
uint32_t strong_open_edge(strong_open *p, strong_edge edge) {
    if (2 * p->n_edges >= p->mask) {
        grow_table(p);
    }
    uint64_t at = iso_mix2(edge.from, edge.to) & p->mask;
    for (uint32_t e; (e = p->slot[at]) != NO_EDGE; at = (at + 1) & p->mask) {
        const strong_edge *there = &p->edge[e];
        if (there->from == edge.from && there->to == edge.to && there->kind != ISO_EDGE_KINDS &&
            sort(there->kind) == sort(edge.kind)) {
            return e;
        }
    }
    return p->slot[at] = strong_open_choice(p, edge);
}

void strong_open_literal(strong_open *p, uint32_t literal) {
    ISO_GROW(p->pool, p->literal, p->n_literals, p->literals_room);
    p->literal[p->n_literals++] = literal;
}

void strong_open_clause(strong_open *p) {
    ISO_GROW(p->pool, p->clause, p->n_clauses + 1, p->clauses_room);
    ISO_GROW(p->pool, p->why, p->n_clauses, p->why_room);
    p->why[p->n_clauses] = p->next_why;
    p->next_why = (strong_hint){ISO_NONE, ISO_NONE, ISO_NONE};
    p->clause[++p->n_clauses] = p->n_literals;
}

strong_ways strong_ways_of_read(const strong_model *m, uint32_t op, uint32_t t3, uint32_t w1, uint32_t w2) {
    uint32_t c2 = strong_commit(m, m->write_txn[w2]);
    return (strong_ways){
        {.from = c2, .to = strong_written(m, m->write_txn[w1]), .op = op, .slot = w2, .kind = ISO_EDGE_AXIOM},
        {.from = strong_start(m, t3), .to = c2, .op = op, .slot = w2, .kind = ISO_EDGE_RW}};
}

/* The first writer of the group whose commit is not known to be before the event. */
static uint32_t first_not_before(const strong_order *o, uint32_t group, uint32_t event) {
    const strong_model *m = o->m;
    uint32_t count = strong_row(o, event)[m->group_chain[group]] / m->per_txn;
    uint32_t at = strong_last_in_group(m, group, count);
    return at == ISO_NONE ? m->group_start[group] : at + 1;
}

static void add_read(strong_open *p, const strong_model *m, uint32_t read, uint32_t w1, uint32_t w2) {
    strong_ways w = strong_ways_of_read(m, m->read_op[read], m->read_txn[read], w1, w2);
    strong_open_literal(p, 2 * strong_open_edge(p, w.a));
    strong_open_literal(p, 2 * strong_open_edge(p, w.b));
    p->next_why = (strong_hint){m->read_op[read], w1, w2};
    strong_open_clause(p);
}

static void add_writes(strong_open *p, const strong_model *m, uint32_t w1, uint32_t w2) {
    uint32_t t1 = m->write_txn[w1], t2 = m->write_txn[w2];
    strong_edge back = {.from = strong_commit(m, t2), .to = strong_start(m, t1), .op = ISO_NONE, .slot = w1,
                        .kind = ISO_EDGE_WW};
    strong_edge forth = {.from = strong_commit(m, t1), .to = strong_start(m, t2), .op = ISO_NONE, .slot = w2,
                         .kind = ISO_EDGE_WW};
    strong_open_literal(p, 2 * strong_open_edge(p, back));
    strong_open_literal(p, 2 * strong_open_edge(p, forth));
    p->next_why = (strong_hint){ISO_NONE, w1, w2};
    strong_open_clause(p);
}

static bool is_before(const strong_count *row, strong_point at) { return row[at.chain] > at.place; }

/* A key of few writers (strong_rules.h): each against each. */
static void open_few(strong_open *p, const strong_order *o, uint32_t x) {
    const strong_model *m = o->m;
    const strong_rules *r = &o->rules;
    uint32_t begin = m->key_first[x], end = m->key_first[x + 1], pair = r->pair_first[x];
    for (uint32_t i = begin; i < end; i++) {
        uint32_t slot = m->key_slot[i], pairs_end = pair + (m->slot_first[slot + 1] - m->slot_first[slot]);
        const strong_count *row = strong_row(o, strong_written(m, m->key_txn[i]));
        for (uint32_t j = begin; pair < pairs_end && j < end; j++) {
            if (is_before(row, r->writer[j]) || i == j) {
                continue;
            }
            const strong_count *other = strong_row(o, strong_commit(m, m->key_txn[j]));
            for (uint32_t k = pair; k < pairs_end; k++) {
                if (!is_before(other, r->pair[k].reader) && m->read_txn[r->pair_read[k]] != m->key_txn[j]) {
                    add_read(p, m, r->pair_read[k], slot, m->key_slot[j]);
                }
            }
        }
        pair = pairs_end;
        for (uint32_t j = i + 1; m->level == ISO_SI && j < end; j++) {
            if (!is_before(row, r->writer[j]) &&
                !is_before(strong_row(o, strong_start(m, m->key_txn[j])), r->writer[i])) {
                add_writes(p, m, slot, m->key_slot[j]);
            }
        }
    }
}

static void open_reads(strong_open *p, const strong_order *o, uint32_t slot, uint32_t x) {
    const strong_model *m = o->m;
    uint32_t t1 = m->write_txn[slot], e1 = strong_written(m, t1);
    for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
        uint32_t from = first_not_before(o, g, e1), end = m->group_start[g + 1];
        for (uint32_t i = m->slot_first[slot]; i < m->slot_first[slot + 1]; i++) {
            uint32_t read = m->slot_read[i], t3 = m->read_txn[read];
            for (uint32_t at = from; at < end; at++) {
                uint32_t t2 = m->key_txn[at];
                if (t2 == t1 || t2 == t3) {
                    continue;
                }
                if (strong_before(o, strong_start(m, t3), strong_commit(m, t2))) {
                    break;
                }
                add_read(p, m, read, slot, m->key_slot[at]);
            }
        }
    }
}

/* si: of two writers of a key one commits before the other one starts. */
static void open_writes(strong_open *p, const strong_order *o, uint32_t slot, uint32_t x) {
    const strong_model *m = o->m;
    uint32_t t1 = m->write_txn[slot], s1 = strong_start(m, t1), c1 = strong_commit(m, t1);
    for (uint32_t g = m->key_group[x]; g < m->key_group[x + 1]; g++) {
        if (m->group_chain[g] <= m->chain[t1]) {
            continue; /* each pair once; those of one chain are ordered */
        }
        for (uint32_t at = first_not_before(o, g, s1); at < m->group_start[g + 1]; at++) {
            uint32_t t2 = m->key_txn[at], s2 = strong_start(m, t2);
            if (strong_before(o, c1, s2)) {
                break;
            }
            add_writes(p, m, slot, m->key_slot[at]);
        }
    }
}

/* Adds the literal of an edge that may hold, to the clause being written. True when the edge is known. */
static bool add_way(strong_open *p, const strong_order *o, strong_edge edge) {
    if (strong_before(o, edge.from, edge.to)) {
        return true;
    }
    if (edge.from != edge.to && !strong_before(o, edge.to, edge.from)) {
        strong_open_literal(p, 2 * strong_open_edge(p, edge));
    }
    return false;
}

/* The choice implies that one of two edges holds (b: or only a), by a constraint. */
static void imply(strong_open *p, const strong_order *o, uint32_t choice, const strong_edge *a,
                  const strong_edge *b, strong_hint why) {
    uint32_t before = p->n_literals;
    strong_open_literal(p, 2 * choice + 1);
    if (add_way(p, o, *a) || (b != NULL && add_way(p, o, *b))) {
        p->n_literals = before; /* known: nothing to say */
        return;
    }
    p->next_why = why;
    strong_open_clause(p);
}

/* What follows when open read i of t3 reads from slot w1 (ISO_INIT). Writers of the value that is read may come in
 * between: the read is then from the last of them (strong_settle_reads). */
static void open_choice(strong_open *p, const strong_order *o, uint32_t i, uint32_t w1, uint32_t choice) {
    const strong_model *m = o->m;
    uint32_t op = m->open_op[i], t3 = m->dense[m->h->op_txn[op]], x = m->h->op_key[op];
    if (w1 != ISO_INIT) {
        strong_edge reads = {.from = strong_commit(m, m->write_txn[w1]), .to = strong_start(m, t3), .op = op,
                             .slot = w1, .kind = ISO_EDGE_WR};
        imply(p, o, choice, &reads, NULL, (strong_hint){ISO_NONE, ISO_NONE, ISO_NONE});
    }
    for (uint32_t at = m->key_first[x]; at < m->key_first[x + 1]; at++) {
        uint32_t w2 = m->key_slot[at], t2 = m->write_txn[w2];
        if (t2 == t3 || strong_same_value(m, op, w2)) {
            continue;
        }
        iso_tick(p->pool->env);
        strong_ways w = strong_ways_of_read(m, op, t3, w1 == ISO_INIT ? w2 : w1, w2);
        if (w1 == ISO_INIT) {
            imply(p, o, choice, &w.b, NULL, (strong_hint){op, w1, w2});
        } else {
            imply(p, o, choice, &w.a, &w.b, (strong_hint){op, w1, w2});
        }
    }
}

/* Does open read i need no choice? Some writer of its value is known to be before it, and no writer of another value
 * can come between. */
static bool settled(const strong_order *o, uint32_t i) {
    const strong_model *m = o->m;
    uint32_t op = m->open_op[i], t3 = m->dense[m->h->op_txn[op]], x = m->h->op_key[op], start = strong_start(m, t3);
    for (uint32_t j = m->open_first[i]; j < m->open_first[i + 1]; j++) {
        uint32_t w1 = m->open_slot[j];
        if (w1 == ISO_NONE ||
            (w1 != ISO_INIT && !strong_before(o, strong_commit(m, m->write_txn[w1]), start))) {
            continue;
        }
        uint32_t at = m->key_first[x], end = m->key_first[x + 1];
        for (; at < end; at++) {
            uint32_t w2 = m->key_slot[at], c2 = strong_commit(m, m->write_txn[w2]);
            if (m->write_txn[w2] != t3 && !strong_same_value(m, op, w2) && !strong_before(o, start, c2) &&
                (w1 == ISO_INIT || !strong_before(o, c2, strong_written(m, m->write_txn[w1])))) {
                break;
            }
        }
        if (at == end) {
            return true;
        }
    }
    return false;
}

static bool open_choices(strong_open *p, const strong_order *o) {
    const strong_model *m = o->m;
    for (uint32_t i = 0; i < m->n_open; i++) {
        if (m->writer[m->open_op[i]] != ISO_MANY || settled(o, i)) {
            continue;
        }
        uint32_t first = p->n_edges;
        for (uint32_t j = m->open_first[i]; j < m->open_first[i + 1]; j++) {
            if (m->open_slot[j] != ISO_NONE) {
                strong_open_choice(p, (strong_edge){.from = i, .slot = m->open_slot[j], .op = m->open_op[i],
                                                   .kind = ISO_EDGE_KINDS});
            }
        }
        uint32_t end = p->n_edges;
        for (uint32_t c = first; c < end; c++) {
            strong_open_literal(p, 2 * c);
        }
        strong_open_clause(p);
        for (uint32_t c = first; c < end; c++) {
            open_choice(p, o, i, p->edge[c].slot, c);
        }
    }
    for (uint32_t c = 0; c < p->n_clauses; c++) {
        if (p->clause[c] == p->clause[c + 1]) {
            return false;
        }
    }
    return true;
}

/* Decisions that are further back than this stay, unless the request says otherwise: a conflict takes back the last
 * decision alone. Most of those before it have nothing to do with it. */
#define STAY 1

void strong_open_init(strong_open *p, iso_pool *pool, const iso_request *request) {
    memset(p, 0, sizeof *p);
    p->stay = (uint32_t)iso_option_number(pool->env, "strong", request->options, "stay", STAY, UINT32_MAX);
    p->pool = pool;
    p->clause = ISO_ZNEW(pool, uint32_t, 32);
    p->clauses_room = 32;
    p->next_why = (strong_hint){ISO_NONE, ISO_NONE, ISO_NONE};
    grow_table(p);
}

bool strong_open_collect(strong_open *p, const strong_order *o, iso_pool *pool, const iso_request *request) {
    const strong_model *m = o->m;
    strong_open_init(p, pool, request);
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        iso_tick(pool->env);
        if (o->rules.chains[x] == 0) {
            continue; /* one writer */
        }
        if (o->rules.flat[x]) {
            open_few(p, o, x);
            continue;
        }
        for (uint32_t i = m->key_first[x]; i < m->key_first[x + 1]; i++) {
            iso_tick(pool->env);
            open_reads(p, o, m->key_slot[i], x);
            if (m->level == ISO_SI) {
                open_writes(p, o, m->key_slot[i], x);
            }
        }
    }
    return open_choices(p, o);
}
