/* Pruning to a fixed point (veristrong.txt, algorithms 5 and 6). See veristrong.h.
 *
 * A pass computes what the known graph reaches, one row of bits for each point, and tries every undecided alternative:
 * a WW order of two writers with the anti-dependencies that it implies, or a WR candidate with its anti-dependencies.
 * An alternative that would close a cycle is out, and its opposite is known. Edges that the known graph already implies
 * are not added, so there are few facts. O(points * edges / 64 + alternatives) for each pass. */
#include <string.h>

#include "checkers/veristrong/veristrong.h"

uint32_t iso_vs_add_fact(vs *s, iso_vs_fact fact) {
    ISO_GROW(s->pool, s->facts, s->n_facts, s->facts_room);
    if (s->n_facts >= UINT32_MAX / 8) {
        iso_throw(s->env, ISOLAB_E_LIMIT, "veristrong takes at most %u known edges", UINT32_MAX / 8);
    }
    s->facts[s->n_facts] = fact;
    return s->n_facts++;
}

/* Returns whether the known graph (of the last pass) implies the edge. */
static bool implied(const vs *s, uint32_t u, uint32_t v, bool rw) {
    if (s->reach == NULL) {
        return false;
    }
    uint32_t from = iso_vs_from(s, u, rw), to = iso_vs_to(s, v, rw);
    return s->reach[(size_t)from * s->words + to / 64] >> (to % 64) & 1;
}

static void add_edge(vs *s, iso_vs_fact fact) {
    if (!implied(s, fact.from, fact.to, fact.kind == VS_RW)) {
        iso_vs_add_fact(s, fact);
    }
}

bool iso_vs_known_before(const vs *s, uint32_t i, uint32_t j) {
    uint64_t pair = iso_vs_pair(s, s->entry_key[i], i < j ? i : j, i < j ? j : i);
    return s->pair[pair] == (i < j ? VS_FORWARD : VS_BACKWARD);
}

void iso_vs_know_candidate(vs *s, uint32_t candidate) {
    iso_vs_candidate *c = &s->candidates[candidate];
    const iso_vs_read *r = &s->reads[c->read];
    c->known = true;
    if (c->writer != VS_INIT) {
        add_edge(s, (iso_vs_fact){.from = s->entry_vertex[c->writer], .to = r->vertex, .kind = VS_WR, .a = candidate});
    }
    for (uint32_t e = s->entry_first[r->key]; e < s->entry_first[r->key + 1]; e++) {
        iso_tick(s->env);
        bool before = c->writer == VS_INIT || (e != c->writer && iso_vs_known_before(s, c->writer, e));
        if (before && s->entry_vertex[e] != r->vertex) {
            add_edge(s, (iso_vs_fact){.from = r->vertex, .to = s->entry_vertex[e], .kind = VS_RW, .a = candidate});
        }
    }
}

/* Records that the writer of entry i certainly comes before that of entry j. */
static void know_order(vs *s, uint32_t i, uint32_t j, bool by_dependency, uint32_t by) {
    uint32_t from = s->entry_vertex[i], to = s->entry_vertex[j];
    uint64_t pair = iso_vs_pair(s, s->entry_key[i], i < j ? i : j, i < j ? j : i);
    s->pair[pair] = i < j ? VS_FORWARD : VS_BACKWARD;
    s->n_open--;
    if (!implied(s, from, to, false)) {
        iso_vs_add_fact(
            s,
            (iso_vs_fact){
                .from = from, .to = to, .kind = VS_WW, .a = s->entry_key[i], .by_dependency = by_dependency, .b = by});
    }
    for (uint32_t k = s->of_entry_first[i]; k < s->of_entry_first[i + 1]; k++) {
        const iso_vs_candidate *c = &s->candidates[s->of_entry[k]];
        uint32_t reader = s->reads[c->read].vertex;
        if (c->known && reader != to) {
            add_edge(s, (iso_vs_fact){.from = reader, .to = to, .kind = VS_RW, .a = s->of_entry[k]});
        }
    }
}

/* Lines 4 to 11: returns whether i before j would close a cycle, by its own edge, or by an anti-dependency of candidate
 * *by. */
static bool excluded(const vs *s, uint32_t i, uint32_t j, bool *by_dependency, uint32_t *by) {
    uint32_t from = s->entry_vertex[i], to = s->entry_vertex[j];
    *by = ISO_NONE;
    *by_dependency = iso_vs_closes(s, from, to, false);
    for (uint32_t k = s->of_entry_first[i]; !*by_dependency && k < s->of_entry_first[i + 1]; k++) {
        const iso_vs_candidate *c = &s->candidates[s->of_entry[k]];
        uint32_t reader = s->reads[c->read].vertex;
        if (c->known && reader != to && iso_vs_closes(s, reader, to, true)) {
            *by = s->of_entry[k];
            return true;
        }
    }
    return *by_dependency;
}

static bool prune_orders(vs *s) {
    bool changed = false, by_dependency;
    uint32_t by;
    for (uint32_t k = 0; k < s->h->n_keys; k++) {
        for (uint32_t j = s->entry_first[k]; j < s->entry_first[k + 1]; j++) {
            for (uint32_t i = s->entry_first[k]; i < j; i++) {
                if (s->pair[iso_vs_pair(s, k, i, j)] != VS_OPEN) {
                    continue;
                }
                iso_tick(s->env);
                if (excluded(s, j, i, &by_dependency, &by)) {
                    know_order(s, i, j, by_dependency, by);
                    changed = true;
                } else if (excluded(s, i, j, &by_dependency, &by)) {
                    know_order(s, j, i, by_dependency, by);
                    changed = true;
                }
            }
        }
    }
    return changed;
}

/* Lines 20 and 21: returns whether the read would close a cycle if it read from this candidate. */
static bool candidate_excluded(const vs *s, const iso_vs_candidate *c, bool *by_dependency, uint32_t *by) {
    const iso_vs_read *r = &s->reads[c->read];
    *by = ISO_NONE;
    *by_dependency = c->writer != VS_INIT && iso_vs_closes(s, s->entry_vertex[c->writer], r->vertex, false);
    for (uint32_t e = s->entry_first[r->key]; !*by_dependency && e < s->entry_first[r->key + 1]; e++) {
        bool before = c->writer == VS_INIT || (e != c->writer && iso_vs_known_before(s, c->writer, e));
        if (before && s->entry_vertex[e] != r->vertex && iso_vs_closes(s, r->vertex, s->entry_vertex[e], true)) {
            *by = e;
            return true;
        }
    }
    return *by_dependency;
}

/* Lines 18 to 28. Returns false if a read has no remaining candidate. */
static bool prune_reads(vs *s, bool *changed) {
    for (uint32_t i = 0; i < s->n_reads; i++) {
        iso_vs_read *r = &s->reads[i];
        if (r->left == 1 || s->part[r->vertex] != ISO_NONE) {
            continue; /* already known; or the reader is optional, which the solver handles */
        }
        for (uint32_t c = r->first; c < r->end; c++) {
            iso_tick(s->env);
            iso_vs_candidate *candidate = &s->candidates[c];
            bool by_dependency;
            uint32_t by;
            if (candidate->out || !candidate_excluded(s, candidate, &by_dependency, &by)) {
                continue;
            }
            candidate->out = true;
            r->left--;
            *changed = true;
            iso_vs_add_fact(s, (iso_vs_fact){.kind = VS_OUT, .a = c, .by_dependency = by_dependency, .b = by});
        }
        if (r->left == 0) {
            s->dead_read = i;
            return false;
        }
        for (uint32_t c = r->first; r->left == 1 && c < r->end; c++) {
            if (!s->candidates[c].out) {
                iso_vs_know_candidate(s, c);
            }
        }
    }
    return true;
}

/* Lists the known graph by first points; the facts of a point stay in order. */
void iso_vs_index_facts(vs *s) {
    s->out_first = iso_resize(s->pool, s->out_first, (size_t)s->points + 2, sizeof *s->out_first);
    s->out_fact = iso_resize(s->pool, s->out_fact, s->n_facts, sizeof *s->out_fact);
    memset(s->out_first, 0, ((size_t)s->points + 2) * sizeof *s->out_first);
    iso_buckets rows = {s->out_first, s->points};
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t f = 0; f < s->n_facts; f++) {
            if (s->facts[f].kind == VS_OUT) {
                continue;
            }
            uint32_t p = iso_vs_fact_from(s, &s->facts[f]);
            if (turn == 0) {
                iso_buckets_count(&rows, p);
            } else {
                s->out_fact[iso_buckets_place(&rows, p)] = f;
            }
        }
        if (turn == 0) {
            iso_buckets_sum(&rows);
        }
    }
}

/* The successors of a point are the ends of its facts and, for a start, its commit. Calls are inlined by hand where
 * speed matters. */
static uint32_t n_successors(const vs *s, uint32_t p) {
    return s->out_first[p + 1] - s->out_first[p] + (s->si && p % 2 == 0);
}

static uint32_t successor(const vs *s, uint32_t p, uint32_t i) {
    uint32_t at = s->out_first[p] + i;
    return at < s->out_first[p + 1] ? iso_vs_fact_to(s, &s->facts[s->out_fact[at]]) : p + 1;
}

/* Sorts points, last ones first, by counting successors. Returns false if there is a cycle; `left` then has the points
 * on or before one. */
static bool sort_points(vs *s, uint32_t *left) {
    uint32_t done = s->points, *before = left;
    memset(before, 0, s->points * sizeof *before);
    for (uint32_t p = 0; p < s->points; p++) {
        for (uint32_t i = 0; i < n_successors(s, p); i++) {
            before[successor(s, p, i)]++;
        }
    }
    for (uint32_t p = 0; p < s->points; p++) {
        if (before[p] == 0) {
            s->topological[--done] = p;
        }
    }
    for (uint32_t at = s->points; at-- > done;) {
        iso_tick(s->env);
        uint32_t p = s->topological[at];
        for (uint32_t i = 0; i < n_successors(s, p); i++) {
            uint32_t q = successor(s, p, i);
            if (--before[q] == 0) {
                s->topological[--done] = q;
            }
        }
    }
    return done == 0;
}

/* Algorithm 6: every row is its own bit and the rows of its successors. */
static void compute_reach(vs *s) {
    if (s->reach == NULL) {
        s->words = s->points / 64 + 1;
        s->reach = ISO_ZNEW(s->pool, uint64_t, (size_t)s->points * s->words);
    }
    for (uint32_t at = 0; at < s->points; at++) {
        uint32_t p = s->topological[at];
        uint64_t *row = s->reach + (size_t)p * s->words;
        iso_tick_steps(s->env, s->words / 1024 + 1); /* the memory of the row is touched for the first time */
        row[p / 64] |= (uint64_t)1 << (p % 64);
        for (uint32_t i = 0; i < n_successors(s, p); i++) {
            iso_tick_steps(s->env, s->words / 1024 + 1);
            const uint64_t *from = s->reach + (size_t)successor(s, p, i) * s->words;
            for (uint32_t w = 0; w < s->words; w++) {
                row[w] |= from[w];
            }
        }
    }
}

/* Finds a shortest cycle of the known graph through the points of `left`: breadth first from each point, as long as the
 * budget lasts, and from at least one. */
static void find_cycle(vs *s, const uint32_t *left) {
    uint32_t *queue = ISO_NEW(s->pool, uint32_t, s->points), *by = ISO_NEW(s->pool, uint32_t, s->points);
    uint32_t *from = ISO_NEW(s->pool, uint32_t, s->points), *seen = ISO_ZNEW(s->pool, uint32_t, s->points);
    uint64_t budget = 20000000;
    for (uint32_t start = 0; start < s->points && (s->n_cycle == 0 || budget > 0); start++) {
        if (left[start] == 0) {
            continue;
        }
        uint32_t n = 0;
        queue[n++] = start;
        bool found = false;
        for (uint32_t at = 0; at < n && !found; at++) {
            uint32_t p = queue[at];
            for (uint32_t i = 0; i < n_successors(s, p) && !found; i++) {
                iso_tick(s->env);
                budget -= budget > 0;
                uint32_t q = successor(s, p, i), k = s->out_first[p] + i;
                found = q == start;
                if (left[q] != 0 && (seen[q] != start + 1 || found)) {
                    seen[q] = start + 1;
                    from[q] = p;
                    by[q] = k < s->out_first[p + 1] ? s->out_fact[k] : ISO_NONE;
                    if (!found) {
                        queue[n++] = q;
                    }
                }
            }
        }
        uint32_t length = 0;
        for (uint32_t p = start; found && (length == 0 || p != start);) {
            length++;
            p = from[p];
        }
        if (!found || (s->n_cycle != 0 && length >= s->n_cycle)) {
            continue;
        }
        s->cycle = iso_resize(s->pool, s->cycle, length, sizeof *s->cycle);
        s->n_cycle = length;
        for (uint32_t p = start; length > 0; p = from[p]) {
            s->cycle[--length] = by[p];
        }
    }
    iso_free(s->pool, queue);
    iso_free(s->pool, by);
    iso_free(s->pool, from);
    iso_free(s->pool, seen);
    uint32_t kept = 0; /* steps from a start to its commit are not facts */
    for (uint32_t i = 0; i < s->n_cycle; i++) {
        if (s->cycle[i] != ISO_NONE) {
            s->cycle[kept++] = s->cycle[i];
        }
    }
    s->n_cycle = kept;
}

bool iso_vs_prune(vs *s) {
    uint32_t *left = ISO_NEW(s->pool, uint32_t, s->points);
    s->topological = ISO_NEW(s->pool, uint32_t, s->points);
    uint64_t passes = 0;
    bool good = true, changed = true;
    while (good && changed) {
        iso_tick_slow(s->env);
        iso_progress(s->env, "prune", passes++, 0);
        changed = false;
        iso_vs_index_facts(s);
        good = sort_points(s, left);
        if (!good) {
            find_cycle(s, left);
        } else if (s->prune || s->width > 1) {
            compute_reach(s);
            if (s->prune) {
                changed = prune_orders(s);
                good = prune_reads(s, &changed);
            }
        }
    }
    iso_free(s->pool, left);
    iso_result_counter(s->result, "passes", passes);
    return good;
}
