/* rc (awdit.txt, algorithm 1) and rc-plume (plume.txt, definition 4).
 *
 * If t3 reads from t2, and later reads x from another transaction t1, and t2 writes x: t2 is before t1. t2 counts after
 * the first read from it. For rc the earliest later read of x from another transaction than t2 is enough: the remaining
 * edges follow from the edges between the sources of the reads of x (lemma 3.3). For rc-plume, where the two keys must
 * differ, those edges do not exist, so t2 is before every later t1. To avoid that many edges, all reads of x from some
 * read on share a node: t2 is before the node, and the node is before the t1 of its read and before the node of the
 * next read (iso_awdit_edges).
 *
 * Most transactions have few reads: then all pairs of reads are compared, after a test of the signature of t2, which
 * shows in one word if t2 writes none of the keys. Otherwise tables by key are used, and the smaller of the two sides
 * of line 15 is visited: O(n sqrt n). */
#include <string.h>

#include "checkers/awdit/rows.h"

typedef struct tables {
    uint32_t *met;        /* by transaction: 1 + the last reader that read from it */
    uint32_t *met_at;     /* rc-plume, by transaction: the first read from it by this last reader */
    uint32_t *later;      /* rc-plume, by transaction: the read from it that the sweep from the end met last */
    uint32_t *stamp;      /* by key: 1 + the last reader of it */
    uint32_t *near, *far; /* rc: of the key's next reads, the two nearest distinct sources */
    uint32_t *head;       /* rc-plume, by key: its next read; next[i]: the read of the key after read i */
    uint32_t *node;       /* by read: its node; ISO_NONE: none yet */
    uint32_t *same;       /* by read: the next read from the same source; ISO_NONE: none */
    uint32_t *own, *own_stamp, event; /* by key: its last read from the current t2; valid if the stamp is that of the
                                       * event */
    uint32_t *keys, n_keys;           /* readKeys */
    uint32_t *shared;                 /* see intersect() */
    uint8_t *role;                    /* by read: FIRST: the first from its source; OTHER: the first of another key from
                                       * its source; 0: neither */
    uint32_t *next;
    uint32_t *known;         /* rc, by transaction: a key that is read from it later; ISO_NONE: none */
    uint32_t *numbers;       /* if there are rows: by read, the number of its key; the tables are then by number instead
                              * of by key */
    uint32_t few;            /* transactions with at most this many reads need no tables */
    iso_awdit_reader reader; /* the keys of the later reads */
} tables;

enum { FIRST = 1, OTHER = 2 };

enum { AHEAD = 3 }; /* number of reads by which rows are prefetched */

#define ONE_BY_ONE 8 /* number of reads that get an edge each before the rest share a node */

static void make_tables(iso_awdit_part *p, tables *w, bool plume, uint32_t few) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        uint32_t n = a->reads_end[t] - h->txn_op[t];
        longest = n > longest ? n : longest;
    }
    const iso_awdit_rows *rows = p->arg;
    uint32_t n_keys = iso_awdit_table_size(a, rows);
    w->few = few;
    if (longest <= w->few) {
        return;
    }
    w->met = ISO_ZNEW(p->pool, uint32_t, h->n_txns);
    w->stamp = ISO_ZNEW(p->pool, uint32_t, n_keys);
    w->keys = ISO_NEW(p->pool, uint32_t, longest);
    w->shared = ISO_NEW(p->pool, uint32_t, (size_t)longest + 1); /* one more: see intersect() */
    w->role = ISO_NEW(p->pool, uint8_t, longest);
    w->numbers = ISO_NEW(p->pool, uint32_t, rows != NULL ? longest : 0);
    w->reader = iso_awdit_reader_new(p->pool, rows);
    if (plume) {
        w->met_at = ISO_NEW(p->pool, uint32_t, h->n_txns);
        w->later = ISO_NEW(p->pool, uint32_t, h->n_txns);
        w->head = ISO_NEW(p->pool, uint32_t, n_keys);
        w->next = ISO_NEW(p->pool, uint32_t, longest);
        w->node = ISO_NEW(p->pool, uint32_t, longest);
        w->same = ISO_NEW(p->pool, uint32_t, longest);
        w->own = ISO_NEW(p->pool, uint32_t, n_keys);
        w->own_stamp = ISO_ZNEW(p->pool, uint32_t, n_keys);
    } else {
        w->known = ISO_NEW(p->pool, uint32_t, h->n_txns);
        w->near = ISO_NEW(p->pool, uint32_t, n_keys);
        w->far = ISO_NEW(p->pool, uint32_t, n_keys);
    }
}

static void free_tables(iso_awdit_part *p, tables *w) {
    iso_free(p->pool, w->met);
    iso_free(p->pool, w->known);
    iso_free(p->pool, w->numbers);
    iso_awdit_reader_free(p->pool, &w->reader);
    iso_free(p->pool, w->met_at);
    iso_free(p->pool, w->later);
    iso_free(p->pool, w->stamp);
    iso_free(p->pool, w->near);
    iso_free(p->pool, w->far);
    iso_free(p->pool, w->head);
    iso_free(p->pool, w->keys);
    iso_free(p->pool, w->shared);
    iso_free(p->pool, w->role);
    iso_free(p->pool, w->next);
    iso_free(p->pool, w->node);
    iso_free(p->pool, w->same);
    iso_free(p->pool, w->own);
    iso_free(p->pool, w->own_stamp);
}

/* Returns whether an earlier read has the same source. */
static bool read_before(const uint32_t *source, uint32_t i) {
    for (uint32_t j = 0; j < i; j++) {
        if (source[j] == source[i]) {
            return true;
        }
    }
    return false;
}

/* Returns whether, between reads i and j, there is a read of j's key from a transaction other than t2. */
static bool read_between(const uint32_t *key, const uint32_t *source, uint32_t i, uint32_t j, uint32_t t2) {
    for (uint32_t k = i + 1; k < j; k++) {
        if (key[k] == key[j] && source[k] != t2) {
            return true;
        }
    }
    return false;
}

/* Infers the edges of all pairs of n reads. */
static void few(iso_awdit_part *p, uint32_t first, uint32_t n, bool plume) {
    const iso_awdit *a = p->a;
    const uint32_t *key = a->key + first, *source = a->source + first;
    uint64_t bits[ISO_AWDIT_FEW];
    for (uint32_t i = 0; i < n; i++) {
        bits[i] = iso_awdit_bits(key[i]);
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t t2 = source[i];
        bool any = false;
        for (uint32_t j = i + 1; j < n && t2 != ISO_INIT; j++) {
            any |= source[j] != t2 && iso_awdit_may_write(a, t2, bits[j]);
        }
        if (!any || read_before(source, i)) {
            continue;
        }
        bool other = false; /* rc-plume: an earlier read from t2 had another key than the first one */
        for (uint32_t j = i + 1; j < n; j++) {
            if (source[j] == t2) {
                other |= key[j] != key[i];
            } else if (plume ? (key[j] != key[i] || other) && iso_awdit_writes(a, t2, key[j])
                             : iso_awdit_writes(a, t2, key[j]) && !read_between(key, source, i, j, t2)) {
                iso_awdit_edge(&p->edges, t2, source[j]);
            }
        }
    }
}

/* Writes the keys that t2 writes and t3 reads after the current read to w->shared, and returns how many there are.
 * Without rows it visits the keys that t2 writes, unless a search in them for each key that t3 reads is cheaper. */
static uint32_t intersect(const iso_awdit *a, const tables *w, uint32_t t2, uint32_t t3, uint32_t known) {
    uint32_t from = a->writes_first[t2], end = a->h->txn_op[t2 + 1], n = 0;
    if (w->reader.rows != NULL) {
        return iso_awdit_intersect(a, &w->reader, t2, known, w->shared);
    }
    if (a->unsorted || end - from <= ISO_AWDIT_SEARCH * w->n_keys) {
        for (uint32_t k = from; k < end; k++) {
            w->shared[n] = a->key[k];
            n += w->stamp[a->key[k]] == t3 + 1;
        }
        return n;
    }
    for (uint32_t k = 0; k < w->n_keys; k++) {
        if (iso_awdit_writes(a, t2, w->keys[k])) {
            w->shared[n++] = w->keys[k];
        }
    }
    return n;
}

/* Infers the edge from t2 to the source of the next read of key x after the current one (lines 16 to 18). */
static void infer(iso_awdit_part *p, const tables *w, uint32_t t2, uint32_t x) {
    uint32_t t1 = w->near[x] != t2 ? w->near[x] : w->far[x];
    if (t1 != ISO_NONE) {
        iso_awdit_edge(&p->edges, t2, t1);
    }
}

/* Returns a key that is later read from t2 and from no other transaction; ISO_NONE: none is known. */
static uint32_t known_of(const tables *w, uint32_t t2) {
    uint32_t x = w->known[t2];
    return x != ISO_NONE && w->near[x] == t2 && w->far[x] == ISO_NONE ? x : ISO_NONE;
}

static void many_rc(iso_awdit_part *p, tables *w, uint32_t t3) {
    const iso_awdit *a = p->a;
    uint32_t first = a->h->txn_op[t3], n = a->reads_end[t3] - first;
    const uint32_t *key = iso_awdit_keys_read(&w->reader, a->key + first, n, w->numbers);
    const uint32_t *source = a->source + first;
    for (uint32_t i = 0; i < n; i++) { /* lines 5 to 10 */
        w->role[i] = source[i] != ISO_INIT && w->met[source[i]] != t3 + 1 ? FIRST : 0;
        if (w->role[i] == FIRST) {
            w->met[source[i]] = t3 + 1;
            w->known[source[i]] = ISO_NONE;
        }
    }
    w->n_keys = 0;
    iso_awdit_reader_clear(&w->reader);
    for (uint32_t i = n; i-- > 0;) { /* lines 11 to 21 */
        uint32_t t2 = source[i], y = key[i];
        if (i >= AHEAD && w->role[i - AHEAD] == FIRST && w->reader.rows != NULL) {
            iso_awdit_expect_row(a, &w->reader, source[i - AHEAD]);
        }
        uint32_t n_shared = w->role[i] == FIRST ? intersect(a, w, t2, t3, known_of(w, t2)) : 0;
        for (uint32_t k = 0; k < n_shared; k++) {
            infer(p, w, t2, w->shared[k]);
        }
        if (y == ISO_NONE) {
            continue;
        }
        if (w->stamp[y] != t3 + 1) {
            w->stamp[y] = t3 + 1;
            w->near[y] = w->far[y] = ISO_NONE;
            w->keys[w->n_keys++] = y;
            iso_awdit_reader_add(&w->reader, y);
        }
        if (t2 != ISO_INIT) {
            w->known[t2] = y;
        }
        if (w->near[y] != t2) { /* the two nearest distinct sources: the guard of line 19 */
            w->far[y] = w->near[y];
            w->near[y] = t2;
        }
    }
}

/* Returns the node of all reads of a key from read i on. */
static uint32_t node_from(iso_awdit_part *p, tables *w, const uint32_t *source, uint32_t i) {
    for (uint32_t j = i, before = ISO_NONE; j != ISO_NONE && before == ISO_NONE; j = w->next[j]) {
        before = w->node[j];
        if (before == ISO_NONE) {
            w->node[j] = iso_awdit_new_node(p->a, &p->edges);
            iso_awdit_edge(&p->edges, w->node[j], source[j]);
            uint32_t next = w->next[j];
            if (next != ISO_NONE) { /* a next read without a node gets the next number */
                iso_awdit_edge(&p->edges, w->node[j], w->node[next] != ISO_NONE ? w->node[next] : w->node[j] + 1);
            }
        }
    }
    return w->node[i];
}

/* Finds the keys that t3 reads from t2 from read i on, and the last such read of each key. */
static void find_own(tables *w, const uint32_t *key, uint32_t i) {
    w->event++;
    for (; i != ISO_NONE; i = w->same[i]) {
        if (key[i] != ISO_NONE) {
            w->own_stamp[key[i]] = w->event;
            w->own[key[i]] = i;
        }
    }
}

/* Infers edges from t2 to the sources of all reads of x from read i on, except t2. Up to the last read from t2, each
 * source gets its own edge. If two different t2 get many such edges, each is before the other, which is a violation. So
 * in satisfied histories the edges for all t2 of a transaction and a key take O(n) time. */
static void infer_all(iso_awdit_part *p, tables *w, const uint32_t *source, uint32_t t2, uint32_t x) {
    uint32_t i = w->head[x], last = t2, left = p->a->plain ? UINT32_MAX : ONE_BY_ONE;
    uint32_t end = w->own_stamp[x] == w->event ? w->own[x] : ISO_NONE;
    for (; i != ISO_NONE && (end != ISO_NONE || left > 0); i = w->next[i]) {
        if (source[i] != t2 && source[i] != last) {
            iso_awdit_edge(&p->edges, t2, source[i]);
            last = source[i];
        }
        left -= end == ISO_NONE;
        end = i == end ? ISO_NONE : end;
    }
    if (i != ISO_NONE) {
        iso_awdit_edge(&p->edges, t2, node_from(p, w, source, i));
    }
}

static void many_plume(iso_awdit_part *p, tables *w, uint32_t t3) {
    const iso_awdit *a = p->a;
    uint32_t first = a->h->txn_op[t3], n = a->reads_end[t3] - first;
    const uint32_t *name = a->key + first, *source = a->source + first;
    const uint32_t *key = iso_awdit_keys_read(&w->reader, name, n, w->numbers);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t2 = source[i];
        w->role[i] = 0;
        if (t2 == ISO_INIT) {
            continue;
        }
        if (w->met[t2] != t3 + 1) {
            w->met[t2] = t3 + 1;
            w->met_at[t2] = i;
            w->later[t2] = ISO_NONE;
            w->role[i] = FIRST;
        } else if (w->met_at[t2] < n && name[w->met_at[t2]] != name[i]) {
            w->role[i] = OTHER;
            w->next[i] = key[w->met_at[t2]]; /* kept there until the sweep below reaches the read */
            w->met_at[t2] = ISO_NONE;        /* only the first read of another key matters */
        }
    }
    w->n_keys = 0;
    iso_awdit_reader_clear(&w->reader);
    uint64_t most = p->edges.n + a->most_edges * n;
    for (uint32_t i = n; i-- > 0;) {
        iso_tick(p->pool->env);
        if (p->edges.n > most) {
            p->good = false; /* not all edges were inferred */
            return;
        }
        uint32_t t2 = source[i], y = key[i];
        if (t2 != ISO_INIT) {
            w->same[i] = w->later[t2];
            w->later[t2] = i;
        }
        if (w->role[i] != 0) {
            find_own(w, key, w->same[i]);
        }
        if (w->role[i] == OTHER && w->next[i] != ISO_NONE && w->stamp[w->next[i]] == t3 + 1) {
            infer_all(p, w, source, t2, w->next[i]);
        }
        uint32_t n_shared = w->role[i] == FIRST ? intersect(a, w, t2, t3, ISO_NONE) : 0;
        for (uint32_t k = 0; k < n_shared; k++) {
            if (w->shared[k] != y) {
                infer_all(p, w, source, t2, w->shared[k]);
            }
        }
        if (y == ISO_NONE) {
            continue;
        }
        if (w->stamp[y] != t3 + 1) {
            w->stamp[y] = t3 + 1;
            w->head[y] = ISO_NONE;
            w->keys[w->n_keys++] = y;
            iso_awdit_reader_add(&w->reader, y);
        }
        w->node[i] = ISO_NONE;
        w->next[i] = w->head[y];
        w->head[y] = i;
    }
}

static void infer_part(iso_awdit_part *p) {
    const iso_awdit *a = p->a;
    const isolab_history *h = a->h;
    bool plume = a->level == ISO_RC_PLUME;
    tables w = {.n_keys = 0};
    make_tables(p, &w, plume, iso_awdit_few(a));
    uint32_t end = h->session_txn[p->end];
    for (uint32_t t3 = h->session_txn[p->first]; t3 < end; t3++) {
        iso_tick(p->pool->env);
        uint32_t first = h->txn_op[t3], n = a->reads_end[t3] - first;
        if (t3 + 4 < end && p->arg == NULL) {
            iso_awdit_expect(a, t3 + 4);
        }
        if (n <= w.few) {
            few(p, first, n, plume);
        } else if (plume) {
            many_plume(p, &w, t3);
        } else {
            many_rc(p, &w, t3);
        }
    }
    free_tables(p, &w);
}

bool iso_awdit_rc_readers(iso_awdit *a, const uint32_t *readers, uint32_t n) {
    iso_awdit_part p = {.a = a, .pool = a->pool, .edges = a->edges};
    tables w = {.n_keys = 0};
    make_tables(&p, &w, false, 0);
    for (uint32_t i = 0; i < n; i++) {
        iso_tick(a->pool->env);
        many_rc(&p, &w, readers[i]);
    }
    free_tables(&p, &w);
    a->edges = p.edges;
    return true;
}

/* rc-plume: in a violated history a transaction with r reads may give r^2 edges, while a few of them already make a
 * cycle. So the number of edges of each transaction is limited at first, and the limit grows as long as there is no
 * cycle. Since the limit is for one transaction, the result does not depend on the number of threads. */
void iso_awdit_rc(iso_awdit *a) {
    iso_awdit_rows *rows = iso_awdit_rows_new(a);
    for (a->most_edges = 64; !iso_awdit_infer_by_session(a, infer_part, rows, rows != NULL); a->most_edges *= 8) {
        if (!iso_awdit_sort(a, true, NULL)) {
            break;
        }
        a->edges.n = a->edges.n_nodes = 0;
    }
    iso_awdit_rows_free(a, rows);
}
