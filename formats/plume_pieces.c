/* Plume text by several threads. The input is cut into pieces of whole lines. Each thread reads a piece by a builder
 * and a reader of its own, the first one by those of the whole input; so the pieces number sessions, transactions and
 * keys by themselves. Then these get the numbers that a single reader would have given them: in the order of the
 * pieces, and in each piece in the order of their first lines. At last the threads append the operations.
 *
 * If a piece is malformed, or a transaction is in two sessions, all is forgotten: a single reader finds the first
 * mistake and its line. */
#include <string.h>

#include "base/parts.h"
#include "formats/plume_reader.h"

typedef iso_plume_reader reader;

typedef struct cutting {
    reader *whole;
    reader *piece;             /* by thread; of the first one, `whole` itself reads */
    const unsigned char **cut; /* n + 1 */
} cutting;

/* Finds the beginnings of pieces: the first line that begins at or after an equal share of the bytes. */
static void cut_lines(cutting *c, unsigned n) {
    const unsigned char *begin = c->whole->begin, *end = c->whole->end;
    size_t size = (size_t)(end - begin);
    c->cut[0] = begin;
    for (unsigned i = 1; i <= n; i++) {
        const unsigned char *at = i == n ? end : begin + size / n * i;
        at = at < c->cut[i - 1] ? c->cut[i - 1] : at;
        const unsigned char *feed = at == begin || at == end ? NULL : memchr(at - 1, '\n', (size_t)(end - (at - 1)));
        c->cut[i] = feed != NULL ? feed + 1 : at == begin ? begin : end;
    }
}

static void read_piece(iso_part *part) {
    const cutting *c = part->arg;
    const unsigned char *begin = c->cut[part->number], *end = c->cut[part->number + 1];
    reader *r = &c->piece[part->number];
    if (part->number == 0) {
        r = c->whole;
        r->end = end;
    } else {
        iso_plume_begin(r, part->pool, iso_builder_new(part->pool), begin, end);
    }
    iso_plume_lines(r);
}

/* What a piece's sessions and transactions are in the whole. */
typedef struct numbers {
    uint32_t *session; /* ISO_NONE: not numbered yet */
    uint32_t *txn, *key;
} numbers;

static void number_keys(reader *whole, const reader *piece, numbers *of) {
    uint32_t n = iso_builder_key_count(piece->b);
    of->key = ISO_NEW(whole->pool, uint32_t, n);
    for (uint32_t k = 0; k < n; k++) {
        iso_atom name = iso_builder_key_name(piece->b, k);
        uint32_t *key = iso_number_of(&whole->keys, name.bits);
        if (*key == ISO_NONE) {
            *key = iso_builder_key(whole->b, name);
            whole->keys.used++;
        }
        of->key[k] = *key;
    }
}

/* Returns the number of a transaction of a piece; ISO_NONE: it is in another session, too. If the first transaction of
 * a session in this piece is an aborted one, it goes on with the one at the end of the pieces before. last: no piece
 * follows, which would look for its id. */
static uint32_t number_txn(reader *whole, const reader *piece, uint32_t session, bool first, bool last, uint32_t t,
                           uint64_t line) {
    iso_atom name = iso_builder_txn_name(piece->b, t);
    bool named = name.kind != ISO_ATOM_NIL;
    uint32_t txn = named ? iso_number_find(&whole->ids, name.bits) : first ? whole->aborted[session] : ISO_NONE;
    if (named && txn != ISO_NONE && iso_builder_session_of(whole->b, txn) != session) {
        return ISO_NONE;
    }
    if (txn == ISO_NONE) {
        txn = iso_builder_txn(whole->b, session, name, named ? ISO_COMMITTED : ISO_ABORTED);
        iso_builder_place(whole->b, txn, line, -1);
        if (named && !last) {
            *iso_number_of(&whole->ids, name.bits) = txn;
            whole->ids.used++;
        }
    }
    return txn;
}

/* Numbers what a piece has, after the pieces before. Returns false if a transaction is in two sessions. */
static bool number_piece(reader *whole, const reader *piece, uint64_t lines_before, bool last, numbers *of) {
    enum { AHEAD = 16 };
    uint32_t n = iso_builder_txn_count(piece->b);
    of->session = ISO_NEW_NONE(whole->pool, piece->sessions_room);
    of->txn = ISO_NEW(whole->pool, uint32_t, n);
    number_keys(whole, piece, of);
    for (uint32_t t = 0; t < n; t++) {
        iso_tick(whole->pool->env);
        uint32_t s = iso_builder_session_of(piece->b, t);
        bool first = of->session[s] == ISO_NONE;
        if (first) {
            of->session[s] = iso_builder_session(whole->b, iso_builder_session_name(piece->b, s));
            iso_plume_sessions(whole, of->session[s]);
        }
        uint64_t line = lines_before + iso_builder_txn_line(piece->b, t);
        iso_number_expect(&whole->ids, iso_builder_txn_name(piece->b, t + AHEAD < n ? t + AHEAD : t).bits);
        of->txn[t] = number_txn(whole, piece, of->session[s], first, last, t, line);
        if (of->txn[t] == ISO_NONE) {
            return false;
        }
    }
    for (uint32_t s = 0; s < piece->sessions_room; s++) {
        if (of->session[s] != ISO_NONE) {
            whole->aborted[of->session[s]] = piece->aborted[s] == ISO_NONE ? ISO_NONE : of->txn[piece->aborted[s]];
        }
    }
    return true;
}

/* Joins the pieces after the first one to the whole. */
static bool join_pieces(cutting *c, unsigned n) {
    iso_pool *pool = c->whole->pool;
    numbers *of = ISO_ZNEW(pool, numbers, n);
    iso_builder_piece *pieces = ISO_NEW(pool, iso_builder_piece, n);
    uint64_t lines = iso_builder_op_count(c->whole->b) + c->whole->skipped;
    bool fine = true;
    for (unsigned i = 1; i < n && fine; i++) {
        fine = number_piece(c->whole, &c->piece[i], lines, i == n - 1, &of[i]);
        lines += iso_builder_op_count(c->piece[i].b) + c->piece[i].skipped;
        pieces[i] = (iso_builder_piece){c->piece[i].b, of[i].txn, of[i].key};
    }
    if (fine) {
        iso_builder_append(c->whole->b, pieces + 1, n - 1, n);
    }
    for (unsigned i = 1; i < n; i++) {
        iso_free(pool, of[i].session);
        iso_free(pool, of[i].txn);
        iso_free(pool, of[i].key);
    }
    iso_free(pool, pieces);
    iso_free(pool, of);
    return fine;
}

typedef struct attempt {
    cutting c;
    unsigned n;
    bool fine;
} attempt;

static void attempt_pieces(void *arg) {
    attempt *a = arg;
    iso_pool *pool = a->c.whole->pool;
    iso_part *parts = iso_parts_run(pool, a->n, read_piece, &a->c);
    a->fine = join_pieces(&a->c, a->n);
    iso_parts_free(pool, parts);
}

bool iso_plume_pieces(reader *r, unsigned n) {
    attempt a = {.c = {.whole = r, .piece = ISO_NEW(r->pool, reader, n)}, .n = n};
    a.c.cut = ISO_NEW(r->pool, const unsigned char *, (size_t)n + 1);
    cut_lines(&a.c, n);
    int code = iso_guard(r->pool->env, attempt_pieces, &a);
    if (code != ISOLAB_OK && code != ISOLAB_E_INPUT) {
        iso_rethrow(r->pool->env);
    }
    iso_free(r->pool, a.c.piece);
    iso_free(r->pool, a.c.cut);
    return code == ISOLAB_OK && a.fine;
}
