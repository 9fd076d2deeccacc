/* See strong_window.h. */
#include "base/clones.h"
#include "checkers/strong_window.h"

#include "checkers/strong_narrow.h"
#include "checkers/strong_path.h"

#include <string.h>

#define VECTOR ISO_CLONES __attribute__((optimize("O3")))

/* What is still to be compared with something else: a place in the writers of a key, in the order of the stretch. Those
 * outside were dealt with for good. */
typedef struct range {
    uint32_t from, end;
} range;

typedef struct window {
    strong_order *o;
    strong_model *m;
    iso_pool *pool;
    uint32_t n, words;        /* events in the stretch; of a row */
    uint32_t *event, *local;  /* by number in the stretch, and back: ISO_NONE: not in it */
    uint64_t *row;            /* the events before each one */
    uint8_t *changed, *dirty; /* its row changed since it applied its rules; something before it changed */
    uint64_t *grown, *asked, clock; /* when its row changed, and when it last took in those before it */
    uint32_t *in, *out;       /* by event: its first arc */
    uint32_t *arc_from, *arc_to, *arc_edge, *next_in, *next_out, n_arcs, arcs_room[5]; /* ISO_NONE: no inferred edge */
    uint32_t *order, *degree; /* a topological order */
    uint32_t *first, *writer; /* by key: its slots in the stretch, by place of their transaction */
    range *read_left, *write_left; /* by read and by slot */
    uint32_t reads;           /* room for them */
    uint32_t *open_first, *open, n_open; /* by transaction: its first open read; those of the stretch */
    uint32_t *crowd, n_crowds; /* by key: its number among those of very many writers; ISO_NONE */
    uint64_t *writers;         /* by crowd: the events of its writers */
    uint32_t writers_room;
    uint64_t *past;            /* what is before the last writers that were found ... */
    uint32_t *last, n_last;    /* ... which are these */
    uint32_t looked;           /* they are those before this open read; ISO_NONE */
    uint32_t *before, *after; /* by event: how many are known to be */
    uint64_t *planes;         /* of what is counted (add_row()) */
    strong_rest *rest;
    uint32_t here;
    bool cycle, again;
    bool too_many; /* constraints are open: none is left */
} window;

/* ---- arcs and rows ---- */

static void hang(window *w, uint32_t u, uint32_t v, uint32_t edge) {
    ISO_GROW(w->pool, w->arc_from, w->n_arcs, w->arcs_room[0]);
    ISO_GROW(w->pool, w->arc_to, w->n_arcs, w->arcs_room[1]);
    ISO_GROW(w->pool, w->next_in, w->n_arcs, w->arcs_room[2]);
    ISO_GROW(w->pool, w->next_out, w->n_arcs, w->arcs_room[3]);
    ISO_GROW(w->pool, w->arc_edge, w->n_arcs, w->arcs_room[4]);
    w->arc_edge[w->n_arcs] = edge;
    w->arc_from[w->n_arcs] = u;
    w->arc_to[w->n_arcs] = v;
    w->next_in[w->n_arcs] = w->in[v];
    w->next_out[w->n_arcs] = w->out[u];
    w->in[v] = w->out[u] = w->n_arcs++;
}

static bool has(const uint64_t *row, uint32_t u) { return row[u / 64] >> (u % 64) & 1; }
static bool before(const window *w, uint32_t u, uint32_t v) { return has(w->row + (size_t)v * w->words, u); }

/* Takes in all bits of another row. Did any come? */
VECTOR static bool merge(uint64_t *restrict into, const uint64_t *restrict from, uint32_t words) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < words; i++) {
        any |= from[i] & ~into[i];
        into[i] |= from[i];
    }
    return any != 0;
}

static bool join(window *w, uint32_t u, uint32_t v) {
    uint64_t *into = w->row + (size_t)v * w->words, bit = (uint64_t)1 << (u % 64);
    bool grew = (into[u / 64] & bit) == 0;
    into[u / 64] |= bit;
    return merge(into, w->row + (size_t)u * w->words, w->words) || grew;
}

/* An inferred edge between events of the stretch, not known so far. */
static void infer(window *w, uint32_t u, uint32_t v, strong_edge edge) {
    edge.from = w->event[u];
    edge.to = w->event[v];
    strong_add_edge(w->o, edge);
    hang(w, u, v, w->o->n_edges - 1);
    w->cycle |= u == v || before(w, v, u);
    join(w, u, v);
    w->grown[v] = w->clock;
    w->changed[v] = w->dirty[v] = 1;
    w->again = true;
}

static uint32_t start_of(const window *w, uint32_t t) { return w->local[strong_start(w->m, t)]; }
static uint32_t commit_of(const window *w, uint32_t t) { return w->local[strong_commit(w->m, t)]; }
static uint32_t written_of(const window *w, uint32_t t) { return w->local[strong_written(w->m, t)]; }

/* ---- the last writers ---- */

static void take_last(window *w, uint32_t slot, uint32_t merged) {
    if (w->n_last < merged) {
        merge(w->past, w->row + (size_t)written_of(w, w->m->write_txn[slot]) * w->words, w->words);
    }
    w->last[w->n_last++] = slot;
}

/* The writers of key x, but for t, whose commit (or `written`: whose event before which another writer comes) is before
 * v. Those that are before one of the first `merged` of them are left out. */
static void find_last(window *w, uint32_t v, uint32_t x, uint32_t t, bool written, uint32_t merged) {
    const strong_model *m = w->m;
    const uint64_t *row = w->row + (size_t)v * w->words;
    w->n_last = 0;
    memset(w->past, 0, w->words * sizeof *w->past);
    if (w->crowd[x] == ISO_NONE) {
        for (uint32_t k = w->first[x + 1]; k-- > w->first[x];) {
            uint32_t t2 = m->write_txn[w->writer[k]], e = written ? written_of(w, t2) : commit_of(w, t2);
            if (t2 != t && has(row, e) && !has(w->past, e)) {
                take_last(w, w->writer[k], merged);
            }
        }
        return;
    }
    const uint64_t *writers = w->writers + (size_t)w->crowd[x] * w->words;
    for (uint32_t i = w->words; i-- > 0;) {
        uint64_t left = row[i] & writers[i];
        while ((left &= ~w->past[i]) != 0) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(left), e = 64 * i + bit, t2 = strong_txn(m, w->event[e]);
            left &= ~((uint64_t)1 << bit);
            if (t2 != t && e == (written ? written_of(w, t2) : commit_of(w, t2))) {
                take_last(w, strong_slot_of(m, t2, x), merged);
            }
        }
    }
}

/* ---- rules ---- */

/* Of so many last writers the rows are merged: to merge more of them takes longer than to look at those before them. */
#define MERGED 16

/* As apply_read(), where there are very many writers: what is before the last of them follows. */
static void apply_crowded_read(window *w, uint32_t v, uint32_t read, uint32_t to) {
    const strong_model *m = w->m;
    find_last(w, v, m->read_key[read], m->read_txn[read], false, MERGED);
    for (uint32_t k = 0; k < w->n_last && !w->cycle; k++) {
        uint32_t w2 = w->last[k], c2 = commit_of(w, m->write_txn[w2]);
        if (w2 != m->read_slot[read] && !before(w, c2, to)) {
            infer(w, c2, to, (strong_edge){.op = m->read_op[read], .slot = w2, .kind = ISO_EDGE_AXIOM});
        }
    }
}

/* t3 (its start is v) reads from t1: every other writer before t3 is before t1. */
static void apply_read(window *w, uint32_t v, uint32_t read) {
    const strong_model *m = w->m;
    uint32_t slot = m->read_slot[read], t1 = m->write_txn[slot], to = written_of(w, t1);
    range *left = &w->read_left[read];
    if (to == ISO_NONE) {
        return;
    }
    if (w->crowd[m->read_key[read]] != ISO_NONE) {
        apply_crowded_read(w, v, read, to);
        return;
    }
    for (uint32_t i = left->from; i < left->end && !w->cycle; i++) {
        uint32_t w2 = w->writer[i], c2 = commit_of(w, m->write_txn[w2]);
        bool done = w2 == slot || m->write_txn[w2] == m->read_txn[read] || before(w, c2, to);
        if (!done && before(w, c2, v)) {
            infer(w, c2, to, (strong_edge){.op = m->read_op[read], .slot = w2, .kind = ISO_EDGE_AXIOM});
            done = true;
        }
        left->from += done && left->from == i;
    }
    while (left->end > left->from && before(w, v, commit_of(w, m->write_txn[w->writer[left->end - 1]]))) {
        left->end--;
    }
}

static void before_overwriting(window *w, uint32_t read, uint32_t v, uint32_t slot) {
    const strong_model *m = w->m;
    uint32_t t3 = m->read_txn[read], u = start_of(w, t3);
    if (u != ISO_NONE && t3 != m->write_txn[slot] && !before(w, u, v)) {
        infer(w, u, v, (strong_edge){.op = m->read_op[read], .slot = slot, .kind = ISO_EDGE_RW});
    }
}

/* t2 (its commit is v) writes slot w2, and w1 is before it: so are its readers (si: and its commit, even before t2). */
static void follow(window *w, uint32_t v, uint32_t w1, uint32_t w2) {
    const strong_model *m = w->m;
    uint32_t t1 = m->write_txn[w1], t2 = m->write_txn[w2];
    if (m->level == ISO_SI && !before(w, commit_of(w, t1), start_of(w, t2))) {
        infer(w, commit_of(w, t1), start_of(w, t2), (strong_edge){.op = ISO_NONE, .slot = w2, .kind = ISO_EDGE_WW});
    }
    for (uint32_t r = m->slot_first[w1]; r < m->slot_first[w1 + 1]; r++) {
        before_overwriting(w, m->slot_read[r], v, w2);
    }
}

/* t2 (its commit is v) writes x: each writer before it is followed by its readers (si: and by its commit) before t2.
 * With very many writers: the last of them are, and what is before these follows. */
static void apply_write(window *w, uint32_t v, uint32_t slot) {
    const strong_model *m = w->m;
    range *left = &w->write_left[slot];
    if (w->crowd[m->write_key[slot]] != ISO_NONE) {
        find_last(w, v, m->write_key[slot], m->write_txn[slot], true, MERGED);
        for (uint32_t k = 0; k < w->n_last && !w->cycle; k++) {
            follow(w, v, w->last[k], slot);
        }
        return;
    }
    for (uint32_t i = left->from; i < left->end && !w->cycle; i++) {
        uint32_t w1 = w->writer[i];
        bool done = w1 == slot || before(w, written_of(w, m->write_txn[w1]), v);
        if (w1 != slot && done) {
            follow(w, v, w1, slot);
        }
        left->from += done && left->from == i;
    }
    while (left->end > left->from && before(w, v, written_of(w, m->write_txn[w->writer[left->end - 1]]))) {
        left->end--;
    }
}

/* Readers of the initial value come before every writer. */
static void apply_initial(window *w, uint32_t v, uint32_t slot) {
    const strong_model *m = w->m;
    uint32_t x = m->write_key[slot];
    for (uint32_t i = m->init_first[x]; i < m->init_first[x + 1]; i++) {
        before_overwriting(w, m->init_read[i], v, slot);
    }
}

static void apply_rules(window *w, uint32_t v, bool first) {
    const strong_model *m = w->m;
    uint32_t event = w->event[v], t = strong_txn(m, event);
    if (event == strong_start(m, t)) {
        for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1]; r++) {
            if (m->read_slot[r] != ISO_INIT) {
                apply_read(w, v, r);
            }
        }
    }
    if (event == strong_commit(m, t)) {
        for (uint32_t s = m->write_first[t]; s < m->write_first[t + 1]; s++) {
            if (first) {
                apply_initial(w, v, s);
            }
            apply_write(w, v, s);
        }
    }
}

/* ---- a stretch ---- */

static void add_known(void *arg, uint32_t to, uint32_t read, uint32_t edge) {
    (void)read;
    window *w = arg;
    if (w->local[to] != ISO_NONE) {
        hang(w, w->here, w->local[to], edge);
    }
}

static void begin_reads(window *w) {
    const strong_model *m = w->m;
    if (m->read_first[m->n] > w->reads) {
        w->reads = m->read_first[m->n];
        w->read_left = iso_resize(w->pool, w->read_left, w->reads, sizeof *w->read_left);
    }
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t t = strong_txn(m, w->event[v]);
        for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1]; r++) {
            w->read_left[r] = (range){w->first[m->read_key[r]], w->first[m->read_key[r] + 1]};
        }
    }
}

/* Keys of which a walk over all writers takes longer than one over the words of some rows. */
#define CROWD 2

static void find_crowds(window *w) {
    const strong_model *m = w->m;
    w->n_crowds = 0;
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        w->crowd[x] = ISO_NONE;
        if (w->first[x + 1] - w->first[x] <= CROWD * w->words) {
            continue;
        }
        size_t begin = (size_t)w->n_crowds * w->words, end = begin + w->words;
        if (end > w->writers_room) {
            w->writers_room = (uint32_t)(2 * end);
            w->writers = iso_resize(w->pool, w->writers, w->writers_room, sizeof *w->writers);
        }
        memset(w->writers + begin, 0, w->words * sizeof *w->writers);
        for (uint32_t k = w->first[x]; k < w->first[x + 1]; k++) {
            uint32_t t = m->write_txn[w->writer[k]], events[] = {written_of(w, t), commit_of(w, t)};
            for (int i = 0; i < 2; i++) {
                w->writers[begin + events[i] / 64] |= (uint64_t)1 << (events[i] % 64);
            }
        }
        w->crowd[x] = w->n_crowds++;
    }
}

static void begin(window *w) {
    const strong_model *m = w->m;
    w->words = (w->n + 63) / 64;
    w->n_arcs = 0;
    memset(w->row, 0, (size_t)w->n * w->words * sizeof *w->row);
    memset(w->in, 0xff, w->n * sizeof *w->in);
    memset(w->out, 0xff, w->n * sizeof *w->out);
    memset(w->first, 0, ((size_t)m->h->n_keys + 2) * sizeof *w->first);
    for (int turn = 0; turn < 2; turn++) { /* the list of x begins at first[x + 1] while it is filled */
        for (uint32_t v = 0; v < w->n; v++) {
            uint32_t t = strong_txn(m, w->event[v]);
            if (w->event[v] != strong_commit(m, t)) {
                continue;
            }
            for (uint32_t s = m->write_first[t]; s < m->write_first[t + 1]; s++) {
                if (turn == 0) {
                    w->first[m->write_key[s] + 2]++;
                } else {
                    w->writer[w->first[m->write_key[s] + 1]++] = s;
                }
            }
        }
        for (uint32_t x = 0; turn == 0 && x < m->h->n_keys; x++) {
            w->first[x + 2] += w->first[x + 1];
        }
    }
    find_crowds(w);
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t t = strong_txn(m, w->event[v]);
        w->changed[v] = w->dirty[v] = 1;
        w->grown[v] = w->asked[v] = w->clock;
        w->here = v;
        strong_each_out(w->o, w->event[v], add_known, w);
        for (uint32_t s = m->write_first[t]; s < m->write_first[t + 1]; s++) {
            w->write_left[s] = (range){w->first[m->write_key[s]], w->first[m->write_key[s] + 1]};
        }
    }
    begin_reads(w);
    w->n_open = 0;
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t t = strong_txn(m, w->event[v]);
        bool reads = t < m->n_txns && w->event[v] == strong_start(m, t);
        for (uint32_t i = reads ? w->open_first[t] : 0; reads && i < w->open_first[t + 1]; i++) {
            w->open[w->n_open++] = i;
        }
    }
}

static bool sort_events(window *w) {
    uint32_t n = 0;
    memset(w->degree, 0, w->n * sizeof *w->degree);
    for (uint32_t a = 0; a < w->n_arcs; a++) {
        w->degree[w->arc_to[a]]++;
    }
    for (uint32_t v = 0; v < w->n; v++) {
        if (w->degree[v] == 0) {
            w->order[n++] = v;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t a = w->out[w->order[i]]; a != ISO_NONE; a = w->next_out[a]) {
            if (--w->degree[w->arc_to[a]] == 0) {
                w->order[n++] = w->arc_to[a];
            }
        }
    }
    return n == w->n;
}

/* Takes in the rows of those before v that have grown since. */
static void gather(window *w, uint32_t v) {
    w->clock++;
    for (uint32_t a = w->in[v]; a != ISO_NONE; a = w->next_in[a]) {
        if (w->grown[w->arc_from[a]] >= w->asked[v] && join(w, w->arc_from[a], v)) {
            w->changed[v] = 1;
            w->grown[v] = w->clock;
        }
    }
    w->asked[v] = w->clock;
}

static void visit(window *w, uint32_t v, bool first) {
    iso_tick(w->pool->env);
    w->dirty[v] = 0;
    gather(w, v);
    if (!w->changed[v]) {
        return;
    }
    while (w->changed[v] && !w->cycle) { /* its own rules may change its row */
        w->changed[v] = 0;
        apply_rules(w, v, first);
    }
    w->dirty[v] = 0;
    for (uint32_t a = w->out[v]; a != ISO_NONE; a = w->next_out[a]) {
        w->dirty[w->arc_to[a]] = 1;
    }
}

/* Sweeps until nothing is new. */
static bool sweep(window *w, bool first) {
    do {
        w->again = false;
        if (!sort_events(w)) {
            return false;
        }
        for (uint32_t i = 0; i < w->n && !w->cycle; i++) {
            if (w->dirty[w->order[i]]) {
                visit(w, w->order[i], first);
                w->o->visits++;
            }
        }
        w->o->rounds++;
        first = false;
    } while (w->again && !w->cycle);
    return !w->cycle;
}

/* ---- reads of values that several transactions wrote ---- */

/* May open read i be from w1? Not when that comes after it, or a writer of the key is known to be between. */
static bool possible(void *arg, uint32_t i, uint32_t w1, uint32_t *by) {
    window *w = arg;
    const strong_model *m = w->m;
    uint32_t t3 = m->dense[m->h->op_txn[m->open_op[i]]], v = start_of(w, t3);
    uint32_t c1 = w1 == ISO_INIT ? ISO_NONE : commit_of(w, m->write_txn[w1]);
    if (v == ISO_NONE || (w1 != ISO_INIT && c1 == ISO_NONE)) {
        return true; /* not in this stretch */
    }
    if (w->looked != i) { /* once for all who may have written the value */
        find_last(w, v, m->h->op_key[m->open_op[i]], t3, false, UINT32_MAX);
        w->looked = i;
    }
    if (w1 == ISO_INIT ? w->n_last == 0 : !has(w->past, c1)) {
        return w1 == ISO_INIT || !before(w, v, c1);
    }
    uint32_t k = 0;
    while (w1 != ISO_INIT && !before(w, c1, written_of(w, m->write_txn[w->last[k]]))) {
        k++;
    }
    *by = w->last[k];
    return false;
}

static void look_again(window *w, uint32_t v) { w->changed[v] = w->dirty[v] = 1; }

/* What follows from a read that got its writer: as if it had been known from the start. The writers of the key that are
 * behind that one, and not known to be behind the read, compare themselves with all others again. */
static void resolve(window *w, uint32_t read) {
    const strong_model *m = w->m;
    uint32_t slot = m->read_slot[read], x = m->read_key[read], v = start_of(w, m->read_txn[read]), written = ISO_NONE;
    if (slot != ISO_INIT) {
        uint32_t u = commit_of(w, m->write_txn[slot]);
        written = written_of(w, m->write_txn[slot]);
        if (u == ISO_NONE || v == ISO_NONE) {
            return; /* begin() of another stretch sees it */
        }
        hang(w, u, v, ISO_NONE);
        w->cycle |= before(w, v, u);
        join(w, u, v);
        w->grown[v] = w->clock;
        look_again(w, v);
    }
    for (uint32_t i = w->first[x]; i < w->first[x + 1] && !w->cycle; i++) {
        uint32_t w2 = w->writer[i], c2 = commit_of(w, m->write_txn[w2]);
        if (slot == ISO_INIT) {
            before_overwriting(w, read, c2, w2);
        } else if (w2 != slot && before(w, written, c2) && !before(w, v, c2)) {
            w->write_left[w2] = (range){w->first[x], w->first[x + 1]};
            look_again(w, c2);
        }
    }
}

static bool narrow(window *w) {
    w->looked = ISO_NONE;
    uint32_t n = w->n_open == 0 ? 0 : strong_narrow_reads(w->o, w->m, w->open, w->n_open, possible, w);
    if (n > 0) { /* they are numbered anew */
        begin_reads(w);
    }
    for (uint32_t i = 0; i < n && !w->cycle; i++) {
        resolve(w, strong_resolved_read(w->m, w->open[i]));
    }
    return n > 0;
}

static bool saturate(window *w) {
    begin(w);
    bool acyclic = sweep(w, true);
    while (acyclic && narrow(w)) {
        acyclic = !w->cycle && sweep(w, false);
    }
    return acyclic;
}

/* ---- what is left ---- */

/* Open constraints for each event, at the most. With more of them little is known, and they take more memory than they
 * save time: then none is left, and the search looks for those that its order does not meet. */
#define MOST_LEFT 4

/* Where there are very many writers: those nearest in the order of the stretch. */
#define NEAR 64

static range near(const window *w, uint32_t v, uint32_t x, range left) {
    if (w->crowd[x] == ISO_NONE) {
        return left;
    }
    uint32_t from = w->first[x], end = w->first[x + 1];
    while (from < end) {
        uint32_t middle = from + (end - from) / 2;
        if (commit_of(w, w->m->write_txn[w->writer[middle]]) < v) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    left.from = from - w->first[x] > NEAR ? from - NEAR : w->first[x];
    left.end = w->first[x + 1] - from > NEAR ? from + NEAR : w->first[x + 1];
    return left;
}

static void leave(window *w, uint32_t op, uint32_t w1, uint32_t w2) {
    strong_hints *open = &w->rest->open;
    if (open->n >= MOST_LEFT * (uint64_t)w->o->n) {
        open->n = 0;
        w->too_many = true;
        return;
    }
    ISO_GROW(w->pool, open->at, open->n, open->room);
    open->at[open->n++] = (strong_hint){op, w1, w2};
}

/* Constraints of which one of the events is not among the first `old`, which the stretch before had, too. */
static void leave_read(window *w, uint32_t v, uint32_t read, uint32_t old) {
    const strong_model *m = w->m;
    uint32_t slot = m->read_slot[read], to = written_of(w, m->write_txn[slot]);
    range left = near(w, v, m->read_key[read], w->read_left[read]);
    iso_tick(w->pool->env);
    for (uint32_t i = left.from; to != ISO_NONE && i < left.end && !w->too_many; i++) {
        uint32_t w2 = w->writer[i], c2 = commit_of(w, m->write_txn[w2]);
        if (w2 != slot && m->write_txn[w2] != m->read_txn[read] && !before(w, c2, to) && !before(w, v, c2) &&
            (v >= old || c2 >= old || to >= old)) {
            leave(w, m->read_op[read], slot, w2);
        }
    }
}

static void leave_write(window *w, uint32_t v, uint32_t slot, uint32_t old) {
    const strong_model *m = w->m;
    uint32_t start = start_of(w, m->write_txn[slot]);
    range left = near(w, v, m->write_key[slot], w->write_left[slot]);
    iso_tick(w->pool->env);
    for (uint32_t i = left.from; i < left.end && !w->too_many; i++) {
        uint32_t w2 = w->writer[i], s2 = start_of(w, m->write_txn[w2]), c2 = commit_of(w, m->write_txn[w2]);
        if (w2 < slot && !before(w, c2, start) && !before(w, v, s2) && (v >= old || c2 >= old)) {
            leave(w, ISO_NONE, w2, slot);
        }
    }
}

static void leave_open(window *w, uint32_t old) {
    const strong_model *m = w->m;
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t event = w->event[v], t = strong_txn(m, event);
        for (uint32_t r = m->read_first[t]; event == strong_start(m, t) && r < m->read_first[t + 1]; r++) {
            if (m->read_slot[r] != ISO_INIT) {
                leave_read(w, v, r, old);
            }
        }
        bool writes = m->level == ISO_SI && event == strong_commit(m, t);
        for (uint32_t s = m->write_first[t]; writes && s < m->write_first[t + 1]; s++) {
            leave_write(w, v, s, old);
        }
    }
}

/* Is there another arc to the same event from one behind the beginning of this one? With very many it may not
 * be seen. */
#define LOOK 64

static bool needless(const window *w, uint32_t a) {
    uint32_t u = w->arc_from[a], looks = 0;
    for (uint32_t b = w->in[w->arc_to[a]]; b != ISO_NONE && looks < LOOK; b = w->next_in[b]) {
        if (before(w, u, w->arc_from[b]) || (w->arc_from[b] == u && b < a)) {
            return true;
        }
        looks++;
    }
    return false;
}

static void find_needless(window *w) {
    strong_rest *rest = w->rest;
    rest->needless = iso_resize(w->pool, rest->needless, w->o->n_edges, sizeof *rest->needless);
    if (w->o->n_edges > rest->n_needless) {
        memset(rest->needless + rest->n_needless, 0, w->o->n_edges - rest->n_needless);
        rest->n_needless = w->o->n_edges;
    }
    for (uint32_t a = 0; a < w->n_arcs; a++) {
        if (w->arc_edge[a] != ISO_NONE && needless(w, a)) {
            rest->needless[w->arc_edge[a]] = 1;
        }
    }
}

/* How often each bit occurs in up to MOST_ROWS rows, bit by bit of the numbers: plane p has their bits of 1 << p. */
#define PLANES 6
#define MOST_ROWS 63

/* carry is the row, and what is carried from plane to plane. */
VECTOR static void add_row(uint64_t *restrict planes, uint64_t *restrict carry, uint32_t words) {
    for (uint32_t p = 0; p < PLANES; p++, planes += words) {
        for (uint32_t i = 0; i < words; i++) {
            uint64_t both = planes[i] & carry[i];
            planes[i] ^= carry[i];
            carry[i] = both;
        }
    }
}

VECTOR static void add_plane(uint32_t *restrict count, const uint64_t *restrict plane, uint32_t words, uint32_t p) {
    for (uint32_t i = 0; i < words; i++) {
        for (uint32_t j = 0; j < 64; j++) {
            count[64 * i + j] += (uint32_t)(plane[i] >> j & 1) << p;
        }
    }
}

static void empty_planes(window *w) {
    for (uint32_t p = 0; p < PLANES; p++) {
        add_plane(w->after, w->planes + (size_t)p * w->words, w->words, p);
    }
    memset(w->planes, 0, (size_t)PLANES * w->words * sizeof *w->planes);
}

VECTOR static uint32_t count_row(const uint64_t *row, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++) {
        n += (uint32_t)__builtin_popcountll(row[i]);
    }
    return n;
}

/* The place of an event in the stretch, which begins at `at`: in the middle between those before it and those after, of
 * which every fourth is asked. The first `old` ones had one in the stretch before. */
#define ASKED 4

static void estimate(window *w, uint32_t at, uint32_t old) {
    uint32_t rows = 0;
    memset(w->after, 0, (size_t)w->words * 64 * sizeof *w->after);
    memset(w->planes, 0, (size_t)PLANES * w->words * sizeof *w->planes);
    for (uint32_t v = 0; v < w->n; v++) {
        const uint64_t *row = w->row + (size_t)v * w->words;
        w->before[v] = count_row(row, w->words);
        if (v % ASKED == 0) {
            memcpy(w->past, row, w->words * sizeof *row);
            add_row(w->planes, w->past, w->words);
            rows++;
        }
        if (rows == MOST_ROWS || v + 1 == w->n) {
            empty_planes(w);
            rows = 0;
        }
    }
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t *when = &w->rest->when[w->event[v]], now = 2 * at + w->n + w->before[v] - ASKED * w->after[v];
        *when = v < old ? *when / 2 + now / 2 : now;
    }
}

bool strong_window_saturate(strong_order *o, strong_model *m, iso_pool *pool, const uint32_t *by_rank, uint32_t width,
                            strong_rest *rest) {
    window w = {.o = o, .m = m, .pool = pool, .rest = rest};
    uint32_t *sure = ISO_NEW(pool, uint32_t, o->n), n = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t t = strong_txn(m, by_rank[i]);
        for (uint32_t e = strong_start(m, t);
             (t < m->n_sure || t >= m->n_txns) && by_rank[i] == strong_commit(m, t) && e <= by_rank[i]; e++) {
            sure[n++] = e;
        }
    }
    width = width > n ? n : width;
    width += width % m->per_txn;
    size_t words = (width + 63) / 64;
    w.local = ISO_NEW(pool, uint32_t, o->n);
    memset(w.local, 0xff, (size_t)o->n * sizeof *w.local);
    w.row = ISO_NEW(pool, uint64_t, width * words);
    w.before = ISO_NEW(pool, uint32_t, width);
    w.after = ISO_NEW(pool, uint32_t, 64 * words);
    w.planes = ISO_NEW(pool, uint64_t, PLANES * words);
    rest->when = ISO_NEW(pool, uint32_t, o->n);
    memset(rest->when, 0xff, (size_t)o->n * sizeof *rest->when);
    w.changed = ISO_NEW(pool, uint8_t, width);
    w.dirty = ISO_NEW(pool, uint8_t, width);
    w.grown = ISO_NEW(pool, uint64_t, width);
    w.asked = ISO_NEW(pool, uint64_t, width);
    w.in = ISO_NEW(pool, uint32_t, width);
    w.out = ISO_NEW(pool, uint32_t, width);
    w.order = ISO_NEW(pool, uint32_t, width);
    w.degree = ISO_NEW(pool, uint32_t, width);
    w.first = ISO_NEW(pool, uint32_t, (size_t)m->h->n_keys + 2);
    w.writer = ISO_NEW(pool, uint32_t, m->write_first[m->n]);
    w.write_left = ISO_NEW(pool, range, m->write_first[m->n]);
    w.open_first = strong_open_reads(m, pool);
    w.open = ISO_NEW(pool, uint32_t, m->n_open);
    w.crowd = ISO_NEW(pool, uint32_t, m->h->n_keys);
    w.past = ISO_NEW(pool, uint64_t, words);
    w.last = ISO_NEW(pool, uint32_t, width);
    uint32_t step = width / 2 / m->per_txn * m->per_txn;
    bool possible = true;
    for (uint32_t at = 0; possible; at += step == 0 ? width : step) {
        w.event = sure + at;
        w.n = n - at < width ? n - at : width;
        for (uint32_t v = 0; v < w.n; v++) {
            w.local[w.event[v]] = v;
        }
        possible = saturate(&w);
        if (possible) {
            uint32_t old = at == 0 ? 0 : width - step;
            leave_open(&w, old);
            find_needless(&w);
            estimate(&w, at, old);
        }
        for (uint32_t v = 0; v < w.n; v++) {
            w.local[w.event[v]] = ISO_NONE;
        }
        if (at + w.n >= n) {
            break;
        }
    }
    for (uint32_t t = 0; m->per_txn == 2 && t < m->n_sure;
         t++) { /* that transactions are short meets most constraints */
        uint32_t s = strong_start(m, t), c = strong_commit(m, t);
        rest->when[s] = rest->when[c] = rest->when[s] / 2 + rest->when[c] / 2;
    }
    void *blocks[] = {sure,     w.local,    w.row,     w.changed,   w.dirty,      w.grown,
                      w.asked,  w.before,   w.after,   w.in,        w.out,        w.order,
                      w.degree, w.first,    w.writer,  w.read_left, w.write_left, w.arc_from,
                      w.arc_to, w.arc_edge, w.next_in, w.next_out, w.open_first, w.open,
                      w.past,   w.last,     w.crowd,   w.writers,   w.planes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        iso_free(pool, blocks[i]);
    }
    return possible;
}
