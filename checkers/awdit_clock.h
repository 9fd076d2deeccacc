/* The loops of cc over clocks of one width. Included once for each, with CLOCK (the type of an entry) and
 * NAME(x) (the name of a function for this width) defined. No include guard. */

/* Rows are whole numbers of 64 bytes, which the compiler turns into vector instructions. */
static inline void NAME(join)(CLOCK *restrict into, const CLOCK *restrict from, uint32_t stride) {
    enum { STEP = 64 / sizeof(CLOCK) };
    for (uint32_t c = 0; c < stride; c += STEP) {
        CLOCK *restrict a = into + c;
        const CLOCK *restrict b = from + c;
        for (uint32_t i = 0; i < STEP; i++) {
            a[i] = a[i] > b[i] ? a[i] : b[i];
        }
    }
}

/* ComputeHB (lines 17 to 25). A source that the row has already brings nothing new: everything that happens
 * before it came with it. */
ISO_CLONES static void NAME(happens_before)(iso_awdit_block *b) {
    const iso_awdit *a = b->a;
    const isolab_history *h = a->h;
    uint32_t stride = b->stride;
    CLOCK *clock = b->clock;
    for (uint32_t i = 0; i < a->n_order; i++) {
        iso_tick(b->pool->env);
        uint32_t t = b->order[i], s = h->txn_session[t], before = t;
        while (before > h->session_txn[s] && !iso_awdit_in(a, before - 1)) {
            before--;
        }
        CLOCK *row = clock + (size_t)t * stride;
        if (before > h->session_txn[s]) {
            memcpy(row, clock + (size_t)(before - 1) * stride, stride * sizeof *row);
        } else {
            memset(row, 0, stride * sizeof *row);
        }
        if (i + 8 < a->n_order) {
            uint32_t ahead = b->order[i + 8];
            for (uint32_t j = h->txn_op[ahead]; j < a->reads_end[ahead]; j++) {
                if (a->source[j] != ISO_INIT) {
                    __builtin_prefetch(clock + (size_t)a->source[j] * stride);
                }
            }
        }
        for (uint32_t j = h->txn_op[t]; j < a->reads_end[t]; j++) {
            uint32_t from = a->source[j];
            if (from == ISO_INIT) {
                continue;
            }
            uint32_t column = b->column[iso_awdit_chain(b, from)];
            if (column == ISO_NONE || row[column] < iso_awdit_place(b, from)) {
                NAME(join)(row, clock + (size_t)from * stride, stride);
            }
        }
        if (b->column[iso_awdit_chain(b, t)] != ISO_NONE) {
            row[b->column[iso_awdit_chain(b, t)]] = (CLOCK)iso_awdit_place(b, t);
        }
    }
}

/* The groups of one key that are of this block, and where we are in each. */
typedef struct NAME(cursor) {
    uint32_t n;
    uint32_t *group, *column;
    uint32_t *at;    /* the first writer of the group that does not happen before t1, */
    uint32_t *place; /* and its place in its chain; UINT32_MAX: there is none */
    uint32_t *sent;  /* the last writer of the group from which an edge to t1, or to an earlier transaction of
                        its chain, was inferred, plus 1: the same edge again, or an implied one, is left out */
    uint32_t *hit;
} NAME(cursor);

static inline void NAME(advance)(const iso_awdit_block *b, NAME(cursor) *k, uint32_t c, uint32_t at) {
    const iso_awdit_index *x = b->index;
    k->at[c] = at;
    k->place[c] = at == x->group[k->group[c] + 1] ? UINT32_MAX : x->place[at];
}

/* Which columns have a writer that is not after the clock? */
static inline uint32_t NAME(compare)(const NAME(cursor) *k, const CLOCK *row) {
    const uint32_t *place = k->place, *column = k->column;
    uint32_t *restrict hit = k->hit, n = 0, all = k->n;
    for (uint32_t c = 0; c < all; c++) {
        hit[n] = c;
        n += place[c] <= row[column[c]];
    }
    return n;
}

/* The last writer at or after `at` of the group that is not after a place in its chain. */
static inline uint32_t NAME(last)(const iso_awdit_block *b, uint32_t at, uint32_t end, uint32_t place) {
    const uint32_t *places = b->index->place;
    uint32_t step = 1;
    while (step < end - at && places[at + step] <= place) { /* doubling, then halving */
        at += step;
        step *= 2;
    }
    uint32_t high = step < end - at ? at + step : end;
    while (high - at > 1) {
        uint32_t middle = at + (high - at) / 2;
        if (places[middle] <= place) {
            at = middle;
        } else {
            high = middle;
        }
    }
    return at;
}

/* Edges for one read of t3 from t1 (lines 8 to 15), given where t1's clock ends in each group. */
static inline void NAME(infer)(iso_awdit_block *b, NAME(cursor) *k, uint32_t t1, uint32_t t3) {
    const CLOCK *row = (const CLOCK *)b->clock + (size_t)t3 * b->stride;
    uint32_t n = NAME(compare)(k, row), own = n > 0 ? iso_awdit_chain(b, t3) : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = k->hit[i], g = k->group[c], place = row[k->column[c]];
        place -= b->index->group_chain[g] == own; /* t3 itself does not count */
        if (k->place[c] > place) {
            continue;
        }
        uint32_t at = NAME(last)(b, k->at[c], b->index->group[g + 1], place);
        if (k->sent[c] <= at) {
            k->sent[c] = at + 1;
            iso_awdit_edge(&b->edges, b->index->writer[at], t1);
        }
    }
}

static inline void NAME(rewind)(const iso_awdit_block *b, NAME(cursor) *k) {
    for (uint32_t c = 0; c < k->n; c++) {
        NAME(advance)(b, k, c, b->index->group[k->group[c]]);
        k->sent[c] = 0;
    }
}

/* All versions of one key in the order of their writers: along a chain clocks only grow, so the positions
 * in the groups only advance. */
static void NAME(infer_key)(iso_awdit_block *b, NAME(cursor) *k, uint32_t key) {
    const iso_awdit_index *x = b->index;
    uint32_t read = x->read_first[key], end = x->read_first[key + 1], chain = ISO_NONE;
    while (read < end) {
        uint32_t t1 = x->read_source[read];
        uint32_t c1 = t1 == ISO_INIT ? ISO_NONE : iso_awdit_chain(b, t1);
        if (c1 != chain || t1 == ISO_INIT) {
            chain = c1;
            NAME(rewind)(b, k);
        }
        if (t1 != ISO_INIT) {
            const CLOCK *row = (const CLOCK *)b->clock + (size_t)t1 * b->stride;
            uint32_t n = NAME(compare)(k, row);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t c = k->hit[i], group_end = x->group[k->group[c] + 1];
                NAME(advance)(b, k, c, NAME(last)(b, k->at[c], group_end, row[k->column[c]]) + 1);
            }
        }
        for (; read < end && x->read_source[read] == t1; read++) {
            if (read + 4 < end) {
                __builtin_prefetch((const CLOCK *)b->clock + (size_t)x->reader[read + 4] * b->stride);
            }
            NAME(infer)(b, k, t1, x->reader[read]);
        }
    }
}

static void NAME(infer_block)(iso_awdit_block *b) {
    const iso_awdit_index *x = b->index;
    NAME(happens_before)(b);
    NAME(cursor) k;
    uint32_t **arrays[] = {&k.group, &k.column, &k.at, &k.place, &k.sent, &k.hit};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = ISO_NEW(b->pool, uint32_t, (size_t)x->most_groups + 1);
    }
    for (uint32_t key = 0; key < b->a->h->n_keys; key++) {
        iso_tick(b->pool->env);
        k.n = 0;
        for (uint32_t g = x->group_first[key]; g < x->group_first[key + 1]; g++) {
            k.column[k.n] = b->column[x->group_chain[g]];
            k.group[k.n] = g;
            k.n += k.column[k.n] != ISO_NONE;
        }
        if (k.n > 0) {
            NAME(infer_key)(b, &k, key);
        }
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        iso_free(b->pool, *arrays[i]);
    }
}
