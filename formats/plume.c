/* Plume text, also PolySI's: one operation a line, `r(KEY,VALUE,SESSION,TXN)` or `w(KEY,VALUE,SESSION,TXN)`.
 *
 * Numbers are unsigned and of 64 bits, TXN signed. TXN -1 marks operations of aborted transactions: those
 * that follow each other in a session are one transaction here. Value 0 is initial. Lines end with LF or CRLF;
 * empty lines may only end the file, so that operation i is on line i + 1. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "formats/format.h"

/* Transactions by their id: open addressing over their numbers. */
typedef struct id_table {
    uint64_t *id;
    uint32_t *txn; /* ISO_NONE: free */
    uint64_t mask, used;
} id_table;

typedef struct reader {
    iso_pool *pool;
    iso_builder *b;
    const unsigned char *begin, *at, *end, *line_begin;
    uint64_t line;
    id_table ids;

    /* by session of the builder: the aborted transaction that is still open; ISO_NONE: none */
    uint32_t *aborted;
    uint32_t sessions_room;

    /* the transaction of the last line */
    bool has_last;
    uint64_t last_session, last_id;
    uint32_t last_txn;
} reader;

/* ---- reading ---- */

static _Noreturn void expected(reader *r, const unsigned char *at, const char *what) {
    uint64_t offset = (uint64_t)(at - r->begin);
    if (at >= r->end) {
        iso_throw_input(r->pool->env, r->line, offset, "expected %s, found the end of the file", what);
    }
    if (*at == '\n' || *at == '\r') {
        iso_throw_input(r->pool->env, r->line, offset, "expected %s, found %s", what,
                        *at == '\n' ? "the end of the line" : "a carriage return");
    }
    if (*at > 0x20 && *at < 0x7f) {
        iso_throw_input(r->pool->env, r->line, offset, "expected %s, found '%c'", what, *at);
    }
    iso_throw_input(r->pool->env, r->line, offset, "expected %s, found byte 0x%02x", what, *at);
}

static void take(reader *r, char c, const char *what) {
    if (r->at >= r->end || *r->at != (unsigned char)c) {
        expected(r, r->at, what);
    }
    r->at++;
}

static uint64_t take_number(reader *r, const char *what, uint64_t most) {
    const unsigned char *first = r->at;
    uint64_t n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        unsigned digit = *r->at - '0';
        if (n > (most - digit) / 10) {
            iso_throw_input(r->pool->env, r->line, (uint64_t)(first - r->begin),
                            "expected %s of at most %llu, found a larger one", what, (unsigned long long)most);
        }
        n = 10 * n + digit;
    }
    if (r->at == first) {
        expected(r, r->at, what);
    }
    return n;
}

/* The signed id of a transaction, as the bits of an int64_t. */
static uint64_t take_id(reader *r) {
    bool negative = r->at < r->end && *r->at == '-';
    r->at += negative;
    uint64_t n = take_number(r, "a transaction id", (uint64_t)INT64_MAX + negative);
    return negative ? 0 - n : n;
}

static void take_line_end(reader *r) {
    if (r->at < r->end && *r->at == '\r') {
        r->at++;
    }
    if (r->at < r->end) {
        take(r, '\n', "the end of the line");
    }
}

static void grow_ids(reader *r) {
    id_table old = r->ids, *t = &r->ids;
    uint64_t room = old.id == NULL ? 64 : 2 * (old.mask + 1);
    t->id = ISO_NEW(r->pool, uint64_t, room);
    t->txn = ISO_NEW(r->pool, uint32_t, room);
    memset(t->txn, 0xff, room * sizeof *t->txn);
    t->mask = room - 1;
    for (uint64_t i = 0; old.id != NULL && i <= old.mask; i++) {
        if (old.txn[i] != ISO_NONE) {
            uint64_t slot = iso_mix(old.id[i]) & t->mask;
            while (t->txn[slot] != ISO_NONE) {
                slot = (slot + 1) & t->mask;
            }
            t->id[slot] = old.id[i];
            t->txn[slot] = old.txn[i];
        }
    }
    iso_free(r->pool, old.id);
    iso_free(r->pool, old.txn);
}

static uint32_t *find_id(reader *r, uint64_t id) {
    if (2 * r->ids.used >= r->ids.mask) {
        grow_ids(r);
    }
    uint64_t slot = iso_mix(id) & r->ids.mask;
    while (r->ids.txn[slot] != ISO_NONE && r->ids.id[slot] != id) {
        slot = (slot + 1) & r->ids.mask;
    }
    r->ids.id[slot] = id;
    return &r->ids.txn[slot];
}

static uint32_t find_session(reader *r, uint64_t name) {
    uint32_t s = iso_builder_session(r->b, iso_atom_uint(name));
    while (s >= r->sessions_room) {
        uint32_t room = r->sessions_room == 0 ? 64 : 2 * r->sessions_room;
        r->aborted = iso_resize(r->pool, r->aborted, room, sizeof *r->aborted);
        memset(r->aborted + r->sessions_room, 0xff, (room - r->sessions_room) * sizeof *r->aborted);
        r->sessions_room = room;
    }
    return s;
}

static uint32_t find_txn(reader *r, uint64_t session, uint64_t id, const unsigned char *id_at) {
    if (r->has_last && session == r->last_session && id == r->last_id) {
        return r->last_txn;
    }
    uint32_t s = find_session(r, session), txn;
    if (id == UINT64_MAX) { /* -1 */
        if (r->aborted[s] == ISO_NONE) {
            r->aborted[s] = iso_builder_txn(r->b, s, iso_atom_nil(), ISO_ABORTED);
        }
        txn = r->aborted[s];
    } else {
        uint32_t *found = find_id(r, id);
        if (*found == ISO_NONE) {
            *found = iso_builder_txn(r->b, s, iso_atom_int((int64_t)id), ISO_COMMITTED);
            r->ids.used++;
        } else if (iso_builder_session_of(r->b, *found) != s) {
            iso_throw_input(r->pool->env, r->line, (uint64_t)(id_at - r->begin),
                            "expected transaction %lld in one session, found it in session %llu too (first on "
                            "line %llu)",
                            (long long)id, (unsigned long long)session,
                            (unsigned long long)iso_builder_first_op(r->b, *found) + 1);
        }
        txn = *found;
        r->aborted[s] = ISO_NONE;
    }
    r->has_last = true;
    r->last_session = session;
    r->last_id = id;
    r->last_txn = txn;
    return txn;
}

static void read_line(reader *r) {
    if (*r->at != 'r' && *r->at != 'w') {
        expected(r, r->at, "'r' or 'w'");
    }
    iso_op_kind kind = *r->at++ == 'r' ? ISO_READ : ISO_WRITE;
    take(r, '(', "'('");
    uint64_t key = take_number(r, "a key", UINT64_MAX);
    take(r, ',', "',' after the key");
    uint64_t value = take_number(r, "a value", UINT64_MAX);
    take(r, ',', "',' after the value");
    uint64_t session = take_number(r, "a session", UINT64_MAX);
    take(r, ',', "',' after the session");
    const unsigned char *id_at = r->at;
    uint64_t id = take_id(r);
    take(r, ')', "')'");
    take_line_end(r);
    uint32_t txn = find_txn(r, session, id, id_at);
    iso_builder_op(r->b, txn, kind, iso_builder_key(r->b, iso_atom_uint(key)), iso_atom_uint(value));
}

static bool is_rest_empty(const reader *r) {
    for (const unsigned char *p = r->at; p < r->end; p++) {
        if (*p != '\n' && *p != '\r') {
            return false;
        }
    }
    return true;
}

static isolab_history *plume_read(iso_source *source) {
    reader r = {.pool = source->pool, .b = iso_builder_new(source->pool), .line = 1};
    r.begin = r.at = source->bytes;
    r.end = r.begin + source->size;
    iso_builder_initial(r.b, iso_atom_int(0));
    for (; r.at < r.end; r.line++) {
        iso_tick(r.pool->env);
        if ((*r.at == '\n' || *r.at == '\r') && is_rest_empty(&r)) {
            break;
        }
        read_line(&r);
    }
    iso_free(r.pool, r.ids.id);
    iso_free(r.pool, r.ids.txn);
    iso_free(r.pool, r.aborted);
    return iso_builder_finish(r.b);
}

/* Sure after one whole line, likely when the first line begins well. */
static int plume_detect(const iso_source *source) {
    const unsigned char *p = source->bytes, *end = p + source->size;
    if (source->size < 3 || (*p != 'r' && *p != 'w') || p[1] != '(') {
        return 0;
    }
    p += 2;
    for (int field = 0; field < 4; field++) {
        p += field == 3 && p < end && *p == '-';
        const unsigned char *first = p;
        while (p < end && *p >= '0' && *p <= '9') {
            p++;
        }
        if (p == first || p >= end || *p != (field < 3 ? ',' : ')')) {
            return 60;
        }
        p++;
    }
    return 95;
}

/* ---- writing ---- */

/* How the names of a history are written: as they are, or by number where that would not do. */
typedef struct naming {
    bool keys, values, sessions, txns; /* as they are */
} naming;

static bool is_unsigned(iso_atom a) {
    return a.kind == ISO_ATOM_UINT || (a.kind == ISO_ATOM_INT && (int64_t)a.bits >= 0);
}

static bool is_written_op(const isolab_history *h, uint32_t op) {
    return h->op_kind[op] == ISO_READ || h->op_kind[op] == ISO_WRITE;
}

static bool is_aborted(const isolab_history *h, uint32_t t) { return h->txn_counts[t] == ISO_OUT; }

static uint32_t count_written_ops(const isolab_history *h, uint32_t t) {
    uint32_t n = 0;
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        n += is_written_op(h, o);
    }
    return n;
}

static void count_misfit(iso_atom a, iso_losses *losses) {
    if (a.kind == ISO_ATOM_STRING) {
        losses->count[ISO_LOSS_STRINGS]++;
    } else if (!is_unsigned(a)) {
        losses->count[ISO_LOSS_RANGE]++;
    }
}

/* Has every transaction that is written with an id one of its own, other than -1? */
static bool ids_are_usable(const isolab_history *h, iso_pool *pool) {
    uint64_t room = 64;
    while (room < 2 * (uint64_t)h->n_txns) {
        room *= 2;
    }
    uint32_t *slot = ISO_NEW(pool, uint32_t, room);
    memset(slot, 0xff, room * sizeof *slot);
    bool usable = h->txn_name_kind != NULL;
    for (uint32_t t = 0; usable && t < h->n_txns; t++) {
        if (is_aborted(h, t)) {
            continue;
        }
        iso_atom name = iso_txn_name(h, t);
        usable = name.kind == ISO_ATOM_INT && (int64_t)name.bits != -1;
        uint64_t at = iso_mix(name.bits) & (room - 1);
        for (; usable && slot[at] != ISO_NONE; at = (at + 1) & (room - 1)) {
            usable = h->txn_name_bits[slot[at]] != name.bits;
        }
        slot[at] = t;
    }
    iso_free(pool, slot);
    return usable;
}

static naming survey_names(const isolab_history *h, iso_pool *pool, iso_losses *losses) {
    naming n = {true, true, true, ids_are_usable(h, pool)};
    for (uint32_t k = 0; k < h->n_keys; k++) {
        n.keys &= is_unsigned(h->key_name[k]);
        count_misfit(h->key_name[k], losses);
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        iso_atom value = iso_version_value(h, v);
        if (value.kind != ISO_ATOM_NIL && !h->key_is_list[h->version_key[v]]) {
            bool zero = value.kind == ISO_ATOM_INT && value.bits == 0; /* would be read as initial */
            n.values &= is_unsigned(value) && !zero;
            count_misfit(value, losses);
            losses->count[ISO_LOSS_RANGE] += zero;
        }
    }
    bool unnamed = false;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        n.sessions &= is_unsigned(h->session_name[s]);
        unnamed |= h->session_name[s].kind == ISO_ATOM_NIL;
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        losses->count[ISO_LOSS_NAMES] += h->session_name[s].kind != ISO_ATOM_NIL &&
                                         (unnamed || !is_unsigned(h->session_name[s]));
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        losses->count[ISO_LOSS_NAMES] +=
            iso_txn_name(h, t).kind != ISO_ATOM_NIL && (!n.txns || is_aborted(h, t));
    }
    return n;
}

static void plume_survey(const isolab_history *h, iso_losses *losses) {
    survey_names(h, h->pool, losses);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        bool empty = true, after_aborted = false;
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            uint32_t n = count_written_ops(h, t);
            losses->count[ISO_LOSS_EMPTY] += n == 0;
            losses->count[ISO_LOSS_LISTS] += h->txn_op[t + 1] - h->txn_op[t] - n;
            losses->count[ISO_LOSS_INDETERMINATE] += h->txn_status[t] == ISO_INDETERMINATE;
            losses->count[ISO_LOSS_TIMES] +=
                h->txn_start != NULL && (h->txn_start[t] != ISO_NO_TIME || h->txn_end[t] != ISO_NO_TIME);
            if (n > 0) { /* neighbours of one session become one transaction */
                losses->count[ISO_LOSS_ABORTED] += after_aborted && is_aborted(h, t);
                after_aborted = is_aborted(h, t);
                empty = false;
            }
        }
        losses->count[ISO_LOSS_EMPTY] += empty && h->session_txn[s] == h->session_txn[s + 1];
    }
}

static char *put_number(char *at, uint64_t n) {
    char digits[20];
    unsigned used = 0;
    do {
        digits[used++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (used > 0) {
        *at++ = digits[--used];
    }
    return at;
}

static char *put_signed(char *at, int64_t n) {
    if (n < 0) {
        *at++ = '-';
    }
    return put_number(at, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

static void plume_write(const isolab_history *h, iso_sink *sink) {
    iso_losses unused = {{0}};
    naming n = survey_names(h, sink->pool, &unused);
    char buffer[1 << 16], *at = buffer;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        iso_tick(sink->pool->env);
        if (!is_written_op(h, o)) {
            continue;
        }
        uint32_t t = h->op_txn[o], s = h->txn_session[t], k = h->op_key[o], v = h->op_version[o];
        *at++ = h->op_kind[o] == ISO_READ ? 'r' : 'w';
        *at++ = '(';
        at = put_number(at, n.keys ? h->key_name[k].bits : k);
        *at++ = ',';
        at = put_number(at, iso_version_is_initial(h, v) ? 0 : n.values ? h->version_bits[v] : (uint64_t)v + 1);
        *at++ = ',';
        at = put_number(at, n.sessions ? h->session_name[s].bits : s);
        *at++ = ',';
        at = put_signed(at, is_aborted(h, t) ? -1 : n.txns ? (int64_t)h->txn_name_bits[t] : (int64_t)t);
        *at++ = ')';
        *at++ = '\n';
        if (buffer + sizeof buffer - at < 128) {
            fwrite(buffer, 1, (size_t)(at - buffer), sink->out); /* errors stay in the stream */
            at = buffer;
        }
    }
    fwrite(buffer, 1, (size_t)(at - buffer), sink->out);
}

const iso_format iso_format_plume = {
    .name = "plume",
    .summary = "Plume text, also PolySI's: r(key,value,session,txn)",
    .extensions = ".plume .txt",
    .detect = plume_detect,
    .read = plume_read,
    .survey = plume_survey,
    .write = plume_write,
};
