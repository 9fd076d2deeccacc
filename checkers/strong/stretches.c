/* Saturation for too many chains for clocks: many short sessions, or no session order.
 *
 * An order in which things probably happened (replay.c) is divided into stretches, each of which starts in the middle
 * of the previous one. Each stretch is saturated by itself: it uses constraints of its transactions only, with one bit
 * for each pair of events. Edges inferred there hold in the whole history. Not comparing distant transactions costs
 * little, since the search (search.c) handles constraints only if its order does not meet them.
 *
 * A sweep follows a topological order of the stretch. If something before an event has changed, the event joins the
 * rows of the events before it, and then applies its rules, as in order.h. Sweeps are repeated until nothing is new.
 *
 * A sweep takes O(e w / 64) time for e edges in a stretch of w events; memory is w^2 / 8 bytes. */
#include <string.h>

#include "base/buckets.h"
#include "base/clones.h"
#include "checkers/strong/strong.h"

/* Writers of a key per word of a row above which the words of rows are scanned instead of all writers. */
#define CROWD 2

/* A range that must still be compared: indices of the writers of a key, in the order of the stretch. The writers
 * outside need no further comparison. */
typedef struct strong_range {
    uint32_t from, end;
} strong_range;

/* An edge between two events of a stretch. */
typedef struct strong_arc {
    uint32_t from, to;
    uint32_t next_in, next_out; /* the next arc to the same event, and from it */
} strong_arc;

typedef struct strong_stretch {
    strong_order *o;
    strong_model *m;
    const uint32_t *by_rank; /* all events */
    uint32_t width;          /* limit of the events of a stretch */
    bool acyclic;
    uint32_t stretches;             /* number of saturated stretches */
    iso_pool pool;                  /* for all stretches */
    uint32_t n, words;              /* number of events in the stretch; words of a row */
    uint32_t *event, *local;        /* by number in the stretch: the event; by event: its number, or ISO_NONE */
    uint64_t *row;                  /* by event: the events before it */
    uint8_t *changed, *dirty;       /* its row changed since it applied its rules; a row before it changed */
    uint64_t *grown, *asked, clock; /* when its row changed, and when it last joined the rows before it */
    uint32_t *in, *out;             /* by event: its first arc */
    strong_arc *arc;
    uint32_t n_arcs, arcs_room;
    uint32_t *order, *degree;             /* a topological order */
    uint32_t *first, *writer;             /* by key: its slots in the stretch, by place of their transaction */
    strong_range *read_left, *write_left; /* by read and by slot */
    uint32_t reads;                       /* size of both */
    uint32_t *ambiguous, n_ambiguous;     /* the ambiguous reads of the stretch */
    uint32_t *crowd, n_crowds;            /* by key: its number among the keys with very many writers; ISO_NONE: none */
    uint64_t *writers;                    /* by such key: the events of its writers */
    uint64_t *past;                       /* what is before the last writers that were found */
    uint32_t *last, n_last;               /* these last writers */
    uint32_t looked;                      /* the ambiguous read that they precede; ISO_NONE: none */
    uint32_t here;
    bool cycle, again;
} strong_stretch;

static inline bool stretch_has(const uint64_t *row, uint32_t u) { return row[u / 64] >> (u % 64) & 1; }
static inline bool stretch_before(const strong_stretch *w, uint32_t u, uint32_t v) {
    return stretch_has(w->row + (size_t)v * w->words, u);
}

static inline uint32_t stretch_start(const strong_stretch *w, uint32_t t) { return w->local[strong_start(w->m, t)]; }
static inline uint32_t stretch_commit(const strong_stretch *w, uint32_t t) { return w->local[strong_commit(w->m, t)]; }
static inline uint32_t stretch_written(const strong_stretch *w, uint32_t t) {
    return w->local[strong_written(w->m, t)];
}

/* ---- arcs and rows ---- */

static void hang(strong_stretch *w, uint32_t u, uint32_t v) {
    ISO_GROW(&w->pool, w->arc, w->n_arcs, w->arcs_room);
    w->arc[w->n_arcs] = (strong_arc){u, v, w->in[v], w->out[u]};
    w->in[v] = w->out[u] = w->n_arcs++;
}

/* Adds all bits of another row. Returns whether any was new. */
ISO_VECTOR static bool merge(uint64_t *restrict into, const uint64_t *restrict from, uint32_t words) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < words; i++) {
        any |= from[i] & ~into[i];
        into[i] |= from[i];
    }
    return any != 0;
}

static bool join(strong_stretch *w, uint32_t u, uint32_t v) {
    uint64_t *into = w->row + (size_t)v * w->words, bit = (uint64_t)1 << (u % 64);
    bool grew = (into[u / 64] & bit) == 0;
    into[u / 64] |= bit;
    return merge(into, w->row + (size_t)u * w->words, w->words) || grew;
}

/* Infers a new edge between events of the stretch. */
static void infer(strong_stretch *w, strong_edge edge) {
    uint32_t u = w->local[edge.from], v = w->local[edge.to];
    iso_strong_add_edge(w->o, edge);
    hang(w, u, v);
    w->cycle |= u == v || stretch_before(w, v, u);
    join(w, u, v);
    w->grown[v] = w->clock;
    w->changed[v] = w->dirty[v] = 1;
    w->again = true;
}

/* ---- the last writers ---- */

static void take_last(strong_stretch *w, uint32_t slot) {
    merge(w->past, w->row + (size_t)stretch_written(w, w->m->write_txn[slot]) * w->words, w->words);
    w->last[w->n_last++] = slot;
}

/* Finds the writers of key x, except t, whose commit (or `written`: whose event before which another writer comes) is
 * before v. A writer before one of them is left out. */
static void find_last(strong_stretch *w, uint32_t v, uint32_t x, uint32_t t, bool written) {
    const strong_model *m = w->m;
    const uint64_t *row = w->row + (size_t)v * w->words;
    w->n_last = 0;
    memset(w->past, 0, w->words * sizeof *w->past);
    if (w->crowd[x] == ISO_NONE) {
        for (uint32_t k = w->first[x + 1]; k-- > w->first[x];) {
            uint32_t t2 = m->write_txn[w->writer[k]], e = written ? stretch_written(w, t2) : stretch_commit(w, t2);
            if (t2 != t && stretch_has(row, e) && !stretch_has(w->past, e)) {
                take_last(w, w->writer[k]);
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
            if (t2 != t && e == (written ? stretch_written(w, t2) : stretch_commit(w, t2))) {
                take_last(w, iso_strong_slot_of(m, t2, x));
            }
        }
    }
}

/* ---- rules ---- */

/* Like apply_read(), for very many writers: what is before the last of them follows. */
static void apply_crowded_read(strong_stretch *w, uint32_t v, uint32_t read, uint32_t to) {
    const strong_model *m = w->m;
    find_last(w, v, m->read_key[read], m->read_txn[read], false);
    for (uint32_t k = 0; k < w->n_last && !w->cycle; k++) {
        uint32_t w2 = w->last[k], c2 = stretch_commit(w, m->write_txn[w2]);
        if (w2 != m->read_slot[read] && !stretch_before(w, c2, to)) {
            infer(w, strong_axiom_edge(m, m->read_op[read], m->write_txn[m->read_slot[read]], w2));
        }
    }
}

/* t3 (its start is v) reads from t1: every other writer before t3 is before t1. */
static void apply_read(strong_stretch *w, uint32_t v, uint32_t read) {
    const strong_model *m = w->m;
    uint32_t slot = m->read_slot[read], t1 = m->write_txn[slot], to = stretch_written(w, t1);
    strong_range *left = &w->read_left[read];
    if (to == ISO_NONE) {
        return;
    }
    if (w->crowd[m->read_key[read]] != ISO_NONE) {
        apply_crowded_read(w, v, read, to);
        return;
    }
    for (uint32_t i = left->from; i < left->end && !w->cycle; i++) {
        uint32_t w2 = w->writer[i], c2 = stretch_commit(w, m->write_txn[w2]);
        bool done = w2 == slot || m->write_txn[w2] == m->read_txn[read] || stretch_before(w, c2, to);
        if (!done && stretch_before(w, c2, v)) {
            infer(w, strong_axiom_edge(m, m->read_op[read], t1, w2));
            done = true;
        }
        left->from += done && left->from == i;
    }
    while (left->end > left->from && stretch_before(w, v, stretch_commit(w, m->write_txn[w->writer[left->end - 1]]))) {
        left->end--;
    }
}

static void before_overwriting(strong_stretch *w, uint32_t read, uint32_t v, uint32_t slot) {
    const strong_model *m = w->m;
    uint32_t t3 = m->read_txn[read], u = stretch_start(w, t3);
    if (u != ISO_NONE && t3 != m->write_txn[slot] && !stretch_before(w, u, v)) {
        infer(w, strong_rw_edge(m, m->read_op[read], t3, slot));
    }
}

/* The writer of slot w1 precedes t2, which writes slot w2 of the same key and commits in event v. Then every reader of
 * w1 precedes t2 (si: and so does the commit of w1's writer). */
static void follow(strong_stretch *w, uint32_t v, uint32_t w1, uint32_t w2) {
    const strong_model *m = w->m;
    uint32_t t1 = m->write_txn[w1], t2 = m->write_txn[w2];
    if (m->level == ISO_SI && !stretch_before(w, stretch_commit(w, t1), stretch_start(w, t2))) {
        infer(w, strong_ww_edge(m, w1, w2));
    }
    for (uint32_t r = m->slot_first[w1]; r < m->slot_first[w1 + 1]; r++) {
        before_overwriting(w, m->slot_read[r], v, w2);
    }
}

/* t2 (its commit is v) writes x: each writer before it is followed by its readers (si: and by its commit) before t2.
 * With very many writers only the last of them are used, and what is before these follows. */
static void apply_write(strong_stretch *w, uint32_t v, uint32_t slot) {
    const strong_model *m = w->m;
    strong_range *left = &w->write_left[slot];
    if (w->crowd[m->write_key[slot]] != ISO_NONE) {
        find_last(w, v, m->write_key[slot], m->write_txn[slot], true);
        for (uint32_t k = 0; k < w->n_last && !w->cycle; k++) {
            follow(w, v, w->last[k], slot);
        }
        return;
    }
    for (uint32_t i = left->from; i < left->end && !w->cycle; i++) {
        uint32_t w1 = w->writer[i];
        bool done = w1 == slot || stretch_before(w, stretch_written(w, m->write_txn[w1]), v);
        if (w1 != slot && done) {
            follow(w, v, w1, slot);
        }
        left->from += done && left->from == i;
    }
    while (left->end > left->from && stretch_before(w, v, stretch_written(w, m->write_txn[w->writer[left->end - 1]]))) {
        left->end--;
    }
}

/* Readers of the initial value come before every writer. */
static void apply_initial(strong_stretch *w, uint32_t v, uint32_t slot) {
    const strong_model *m = w->m;
    uint32_t x = m->write_key[slot];
    for (uint32_t i = m->init_first[x]; i < m->init_first[x + 1]; i++) {
        before_overwriting(w, m->init_read[i], v, slot);
    }
}

static void apply_rules(strong_stretch *w, uint32_t v, bool first) {
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
    (void)read, (void)edge;
    strong_stretch *w = arg;
    if (w->local[to] != ISO_NONE) {
        hang(w, w->here, w->local[to]);
    }
}

static void begin_reads(strong_stretch *w) {
    const strong_model *m = w->m;
    if (m->read_first[m->n] > w->reads) {
        w->reads = m->read_first[m->n];
        w->read_left = iso_resize(&w->pool, w->read_left, w->reads, sizeof *w->read_left);
    }
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t t = strong_txn(m, w->event[v]);
        for (uint32_t r = m->read_first[t]; r < m->read_first[t + 1]; r++) {
            w->read_left[r] = (strong_range){w->first[m->read_key[r]], w->first[m->read_key[r] + 1]};
        }
    }
}

static void find_crowds(strong_stretch *w) {
    const strong_model *m = w->m;
    w->n_crowds = 0;
    for (uint32_t x = 0; x < m->h->n_keys; x++) {
        w->crowd[x] = ISO_NONE;
        if (w->first[x + 1] - w->first[x] <= CROWD * w->words) {
            continue;
        }
        size_t begin = (size_t)w->n_crowds * w->words;
        memset(w->writers + begin, 0, w->words * sizeof *w->writers);
        for (uint32_t k = w->first[x]; k < w->first[x + 1]; k++) {
            uint32_t t = m->write_txn[w->writer[k]], events[] = {stretch_written(w, t), stretch_commit(w, t)};
            for (int i = 0; i < 2; i++) {
                w->writers[begin + events[i] / 64] |= (uint64_t)1 << (events[i] % 64);
            }
        }
        w->crowd[x] = w->n_crowds++;
    }
}

static void begin(strong_stretch *w) {
    const strong_model *m = w->m;
    w->words = (w->n + 63) / 64;
    w->n_arcs = 0;
    memset(w->row, 0, (size_t)w->n * w->words * sizeof *w->row);
    iso_fill_none(w->in, w->n);
    iso_fill_none(w->out, w->n);
    memset(w->first, 0, ((size_t)m->h->n_keys + 2) * sizeof *w->first);
    iso_buckets keys = {w->first, m->h->n_keys};
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t v = 0; v < w->n; v++) {
            uint32_t t = strong_txn(m, w->event[v]);
            bool commits = w->event[v] == strong_commit(m, t);
            for (uint32_t s = m->write_first[t]; commits && s < m->write_first[t + 1]; s++) {
                if (turn == 0) {
                    iso_buckets_count(&keys, m->write_key[s]);
                } else {
                    w->writer[iso_buckets_place(&keys, m->write_key[s])] = s;
                }
            }
        }
        if (turn == 0) {
            iso_buckets_sum(&keys);
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
            w->write_left[s] = (strong_range){w->first[m->write_key[s]], w->first[m->write_key[s] + 1]};
        }
    }
    begin_reads(w);
    w->n_ambiguous = 0;
    for (uint32_t v = 0; v < w->n; v++) {
        uint32_t t = strong_txn(m, w->event[v]);
        bool reads = w->event[v] == strong_start(m, t);
        for (uint32_t i = m->ambiguous_first[t]; reads && i < m->ambiguous_first[t + 1]; i++) {
            w->ambiguous[w->n_ambiguous++] = i;
        }
    }
}

static bool sort_events(strong_stretch *w) {
    uint32_t n = 0;
    memset(w->degree, 0, w->n * sizeof *w->degree);
    for (uint32_t a = 0; a < w->n_arcs; a++) {
        w->degree[w->arc[a].to]++;
    }
    for (uint32_t v = 0; v < w->n; v++) {
        if (w->degree[v] == 0) {
            w->order[n++] = v;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t a = w->out[w->order[i]]; a != ISO_NONE; a = w->arc[a].next_out) {
            if (--w->degree[w->arc[a].to] == 0) {
                w->order[n++] = w->arc[a].to;
            }
        }
    }
    return n == w->n;
}

/* Joins the rows of the events before v that have grown since the last time. */
static void gather(strong_stretch *w, uint32_t v) {
    w->clock++;
    for (uint32_t a = w->in[v]; a != ISO_NONE; a = w->arc[a].next_in) {
        if (w->grown[w->arc[a].from] >= w->asked[v] && join(w, w->arc[a].from, v)) {
            w->changed[v] = 1;
            w->grown[v] = w->clock;
        }
    }
    w->asked[v] = w->clock;
}

static void visit(strong_stretch *w, uint32_t v, bool first) {
    iso_tick(w->pool.env);
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
    for (uint32_t a = w->out[v]; a != ISO_NONE; a = w->arc[a].next_out) {
        w->dirty[w->arc[a].to] = 1;
    }
}

/* Sweeps until nothing is new. */
static bool sweep(strong_stretch *w, bool first) {
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

/* ---- reads of repeated values ---- */

/* Returns whether ambiguous read i may be from w1: not if w1 comes after it, or if a writer of the key is known to be
 * between. */
static bool possible(void *arg, uint32_t i, uint32_t w1, uint32_t *by) {
    strong_stretch *w = arg;
    const strong_model *m = w->m;
    uint32_t t3 = m->dense[m->h->op_txn[m->ambiguous_op[i]]], v = stretch_start(w, t3);
    uint32_t c1 = w1 == ISO_INIT ? ISO_NONE : stretch_commit(w, m->write_txn[w1]);
    if (v == ISO_NONE || (w1 != ISO_INIT && c1 == ISO_NONE)) {
        return true; /* not in this stretch */
    }
    if (w->looked != i) { /* once for all candidates of the read */
        find_last(w, v, m->h->op_key[m->ambiguous_op[i]], t3, false);
        w->looked = i;
    }
    if (w1 == ISO_INIT ? w->n_last == 0 : !stretch_has(w->past, c1)) {
        return w1 == ISO_INIT || !stretch_before(w, v, c1);
    }
    uint32_t k = 0;
    while (w1 != ISO_INIT && !stretch_before(w, c1, stretch_written(w, m->write_txn[w->last[k]]))) {
        k++;
    }
    *by = w->last[k];
    return false;
}

static void look_again(strong_stretch *w, uint32_t v) { w->changed[v] = w->dirty[v] = 1; }

/* Infers what follows from a read that got its writer, as if it had been known from the start. The writers of the key
 * that are after this writer, and not known to be after the read, are compared with all others again. */
static void resolve(strong_stretch *w, uint32_t read) {
    const strong_model *m = w->m;
    uint32_t slot = m->read_slot[read], x = m->read_key[read], written = ISO_NONE;
    uint32_t v = stretch_start(w, m->read_txn[read]);
    if (slot != ISO_INIT) {
        uint32_t u = stretch_commit(w, m->write_txn[slot]);
        written = stretch_written(w, m->write_txn[slot]);
        if (u == ISO_NONE || v == ISO_NONE) {
            return; /* begin() of another stretch handles it */
        }
        hang(w, u, v);
        w->cycle |= stretch_before(w, v, u);
        join(w, u, v);
        w->grown[v] = w->clock;
        look_again(w, v);
    }
    for (uint32_t i = w->first[x]; i < w->first[x + 1] && !w->cycle; i++) {
        uint32_t w2 = w->writer[i], c2 = stretch_commit(w, m->write_txn[w2]);
        if (slot == ISO_INIT) {
            before_overwriting(w, read, c2, w2);
        } else if (w2 != slot && stretch_before(w, written, c2) && !stretch_before(w, v, c2)) {
            w->write_left[w2] = (strong_range){w->first[x], w->first[x + 1]};
            look_again(w, c2);
        }
    }
}

static bool narrow(strong_stretch *w) {
    w->looked = ISO_NONE;
    uint32_t n =
        w->n_ambiguous == 0 ? 0 : iso_strong_narrow_reads(w->o, w->m, w->ambiguous, w->n_ambiguous, possible, w);
    if (n > 0) { /* reads have new numbers */
        begin_reads(w);
    }
    for (uint32_t i = 0; i < n && !w->cycle; i++) {
        resolve(w, iso_strong_resolved_read(w->m, w->ambiguous[i]));
    }
    return n > 0;
}

static bool saturate(strong_stretch *w) {
    begin(w);
    bool acyclic = sweep(w, true);
    while (acyclic && narrow(w)) {
        acyclic = !w->cycle && sweep(w, false);
    }
    return acyclic;
}

static void allocate(strong_stretch *w, uint32_t width) {
    const strong_model *m = w->m;
    iso_pool *pool = &w->pool;
    size_t words = (width + 63) / 64;
    w->local = ISO_NEW_NONE(pool, w->o->n);
    w->row = ISO_NEW(pool, uint64_t, width * words);
    w->changed = ISO_NEW(pool, uint8_t, width);
    w->dirty = ISO_NEW(pool, uint8_t, width);
    w->grown = ISO_NEW(pool, uint64_t, width);
    w->asked = ISO_NEW(pool, uint64_t, width);
    w->in = ISO_NEW(pool, uint32_t, width);
    w->out = ISO_NEW(pool, uint32_t, width);
    w->order = ISO_NEW(pool, uint32_t, width);
    w->degree = ISO_NEW(pool, uint32_t, width);
    w->first = ISO_NEW(pool, uint32_t, (size_t)m->h->n_keys + 2);
    w->writer = ISO_NEW(pool, uint32_t, m->write_first[m->n]);
    w->write_left = ISO_NEW(pool, strong_range, m->write_first[m->n]);
    w->ambiguous = ISO_NEW(pool, uint32_t, m->n_ambiguous);
    w->crowd = ISO_NEW(pool, uint32_t, m->h->n_keys);
    w->writers = ISO_NEW(pool, uint64_t, m->write_first[m->n] / CROWD); /* a crowd has more slots than CROWD * words */
    w->past = ISO_NEW(pool, uint64_t, words);
    w->last = ISO_NEW(pool, uint32_t, width);
}

/* Returns the events of included transactions and instants; the events of one transaction are together, at the place of
 * its commit. */
static uint32_t *events_in_order(strong_stretch *w, uint32_t *n) {
    const strong_model *m = w->m;
    uint32_t *events = ISO_NEW(&w->pool, uint32_t, w->o->n);
    *n = 0;
    for (uint32_t i = 0; i < w->o->n; i++) {
        uint32_t t = strong_txn(m, w->by_rank[i]);
        bool last = (t < m->n_included || t >= m->n_txns) && w->by_rank[i] == strong_commit(m, t);
        for (uint32_t e = strong_start(m, t); last && e <= w->by_rank[i]; e++) {
            events[(*n)++] = e;
        }
    }
    return events;
}

static void saturate_all(void *arg) {
    strong_stretch *w = arg;
    const strong_model *m = w->m;
    uint32_t n, *events = events_in_order(w, &n), width = w->width > n ? n : w->width;
    width += width % m->per_txn;
    allocate(w, width);
    uint32_t step = width / 2 / m->per_txn * m->per_txn;
    w->acyclic = true;
    for (uint32_t at = 0; w->acyclic; at += step == 0 ? width : step) {
        w->event = events + at;
        w->n = n - at < width ? n - at : width;
        for (uint32_t v = 0; v < w->n; v++) {
            w->local[w->event[v]] = v;
        }
        w->stretches++;
        w->acyclic = saturate(w);
        for (uint32_t v = 0; v < w->n; v++) {
            w->local[w->event[v]] = ISO_NONE;
        }
        if (at + w->n >= n) {
            break;
        }
    }
}

bool iso_strong_stretches_saturate(strong *s, const uint32_t *by_rank, uint32_t width) {
    strong_stretch w = {.o = &s->order, .m = &s->model, .by_rank = by_rank, .width = width};
    iso_pool_init(&w.pool, s->pool->env);
    iso_guard_pool(&w.pool, saturate_all, &w);
    s->stretches = w.stretches;
    return w.acyclic;
}
