/* Plume text, also PolySI's: one operation in each line, `r(KEY,VALUE,SESSION,TXN)` or `w(KEY,VALUE,SESSION,TXN)`.
 *
 * Numbers are unsigned 64-bit integers, TXN is signed. TXN -1 marks operations of aborted transactions: consecutive
 * ones of a session are read as one transaction. Value 0 is initial. Lines end with LF or CRLF. Empty lines, comments
 * (`#`) and spaces around words are allowed.
 *
 * This file reads the format; plume_pieces.c reads it by several threads, plume_write.c writes it. */
#include "formats/plume.h"
#include "formats/plume_reader.h"
#include "formats/scan.h"

typedef iso_plume_reader reader;

/* Returns the current line: every line so far was an operation or had none. */
static uint64_t line_of(const reader *r) { return iso_builder_op_count(r->b) + r->skipped + 1; }

static _Noreturn void expected(reader *r, const unsigned char *at, const char *what) {
    char found[ISO_FOUND_SIZE];
    iso_throw_input(r->pool->env, line_of(r), (uint64_t)(at - r->begin), "expected %s, found %s", what,
                    iso_scan_found(at, r->end, found));
}

static void space(reader *r) {
    while (r->at < r->end && iso_is_space(*r->at)) {
        r->at++;
    }
}

static void take(reader *r, char c, const char *what) {
    space(r);
    if (r->at >= r->end || *r->at != (unsigned char)c) {
        expected(r, r->at, what);
    }
    r->at++;
    space(r);
}

static uint64_t take_number(reader *r, const char *what, uint64_t most) {
    const unsigned char *first = r->at;
    uint64_t n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        unsigned digit = *r->at - '0';
        if (n > (most - digit) / 10) {
            iso_throw_input(r->pool->env, line_of(r), (uint64_t)(first - r->begin),
                            "expected %s of at most %llu, found a larger one", what, (unsigned long long)most);
        }
        n = 10 * n + digit;
    }
    if (r->at == first) {
        expected(r, r->at, what);
    }
    return n;
}

/* Reads the signed id of a transaction, as the bits of an int64_t. */
static uint64_t take_id(reader *r) {
    bool negative = r->at < r->end && *r->at == '-';
    r->at += negative;
    uint64_t n = take_number(r, "a transaction id", (uint64_t)INT64_MAX + negative);
    return negative ? 0 - n : n;
}

static void take_line_end(reader *r) {
    if (r->at < r->end && *r->at == '\r' && (r->at[1] == '\n' || r->at + 1 == r->end)) {
        r->at++;
    }
    if (r->at < r->end && *r->at++ != '\n') {
        expected(r, r->at - 1, "the end of the line");
    }
}

void iso_plume_sessions(reader *r, uint32_t session) {
    while (session >= r->sessions_room) {
        uint32_t room = r->sessions_room == 0 ? 64 : 2 * r->sessions_room;
        r->aborted = iso_resize(r->pool, r->aborted, room, sizeof *r->aborted);
        iso_fill_none(r->aborted + r->sessions_room, room - r->sessions_room);
        r->sessions_room = room;
    }
}

static uint32_t find_session(reader *r, uint64_t name) {
    if (r->has_last && name == r->last_session) {
        return r->last_session_number;
    }
    uint32_t s = iso_builder_session(r->b, iso_atom_uint(name));
    iso_plume_sessions(r, s);
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
            iso_builder_place(r->b, r->aborted[s], line_of(r), -1);
        }
        txn = r->aborted[s];
    } else {
        uint32_t *found = iso_number_of(&r->ids, id);
        if (*found == ISO_NONE) {
            *found = iso_builder_txn(r->b, s, iso_atom_int((int64_t)id), ISO_COMMITTED);
            iso_builder_place(r->b, *found, line_of(r), -1);
            r->ids.used++;
        } else if (iso_builder_session_of(r->b, *found) != s) {
            iso_throw_input(r->pool->env, line_of(r), (uint64_t)(id_at - r->begin),
                            "expected transaction %lld in one session, found it in session %llu too (first on "
                            "line %llu)",
                            (long long)id, (unsigned long long)session,
                            (unsigned long long)iso_builder_txn_line(r->b, *found));
        }
        txn = *found;
        r->aborted[s] = ISO_NONE;
    }
    r->has_last = true;
    r->last_session = session;
    r->last_session_number = s;
    r->last_id = id;
    r->last_txn = txn;
    return txn;
}

static uint32_t find_key(reader *r, uint64_t name) {
    uint32_t *key = iso_number_of(&r->keys, name);
    if (*key == ISO_NONE) {
        *key = iso_builder_key(r->b, iso_atom_uint(name));
        r->keys.used++;
    }
    return *key;
}

/* Returns whether a line has no operation: it is empty or a comment. Moves past it, or else past its first spaces. */
static bool skip_line(reader *r) {
    space(r);
    const unsigned char *p = r->at;
    if (p < r->end && *p != '#' && *p != '\n' && !(*p == '\r' && p[1] == '\n')) {
        return false;
    }
    p = memchr(p, '\n', (size_t)(r->end - p));
    r->at = p == NULL ? r->end : p + 1;
    r->skipped++;
    return true;
}

/* Reads any line, byte by byte. */
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
    iso_builder_op(r->b, txn, kind, find_key(r, key), iso_atom_uint(value));
}

/* Reads lines that the vector scanner understands, up to one that it does not. Most lines belong to the same
 * transaction as the previous line, so they have the same bytes from the session on. */
static void read_lines(reader *r) {
    iso_op_columns *c = NULL;
    const unsigned char *tail = NULL; /* of the previous line */
    unsigned tail_size = 0;
    iso_plume_line line;
    while (r->end - r->at >= ISO_PLUME_WINDOW && iso_plume_scan(r->at, &line)) {
        if (tail_size != line.tail_size || !iso_plume_same(tail, line.tail, tail_size)) {
            iso_tick(r->pool->env);
            uint64_t session = iso_digits_number(line.tail, line.session_size);
            const unsigned char *id = line.tail + line.session_size + 1;
            find_txn(r, session, iso_digits_number(id, line.txn_size), id);
        }
        tail = line.tail;
        tail_size = line.tail_size;
        if (c == NULL || c->n == c->room) {
            c = iso_builder_room(r->b, 1);
        }
        c->txn[c->n] = r->last_txn;
        c->key[c->n] = find_key(r, line.key);
        c->kind[c->n] = line.write ? ISO_WRITE : ISO_READ;
        c->value_kind[c->n] = (uint8_t)((line.value != 0) + (line.value >> 63)); /* iso_atom_uint(); 0 is nil */
        c->value_bits[c->n] = line.value;
        c->n++;
        r->at = line.next;
    }
}

/* Makes room for all operations, estimated from the length of the first lines, so that columns rarely grow. */
static void make_room(reader *r) {
    const unsigned char *end = r->end - r->begin > 65536 ? r->begin + 65536 : r->end;
    uint64_t lines = 0, size = (uint64_t)(r->end - r->begin);
    for (const unsigned char *p = r->begin; p < end; p++) {
        lines += *p == '\n';
    }
    uint64_t more = lines * (size / (uint64_t)(end - r->begin + 1) + 1);
    iso_builder_room(r->b, more + more / 32);
}

void iso_plume_begin(reader *r, iso_pool *pool, iso_builder *b, const unsigned char *begin, const unsigned char *end) {
    *r = (reader){.pool = pool, .b = b, .begin = begin, .at = begin, .end = end};
    iso_number_map_init(&r->ids, pool);
    iso_number_map_init(&r->keys, pool);
    iso_builder_initial(b, iso_atom_int(0));
}

void iso_plume_lines(reader *r) {
    make_room(r);
    while (r->at < r->end) {
        iso_tick(r->pool->env);
        read_lines(r);
        if (r->at < r->end && !skip_line(r)) {
            read_line(r);
        }
    }
}

/* Frees the reader's own memory. */
static void free_reader(reader *r) {
    iso_number_map_free(&r->ids);
    iso_number_map_free(&r->keys);
    iso_free(r->pool, r->aborted);
}

static isolab_history *plume_read(iso_source *source) {
    const unsigned char *end = source->bytes + source->size;
    unsigned threads = iso_reading_threads(source->how, source->size);
    reader r;
    iso_plume_begin(&r, source->pool, iso_source_builder(source), source->bytes, end);
    if (threads > 1 && !iso_plume_pieces(&r, threads)) {
        free_reader(&r);
        iso_plume_begin(&r, source->pool, iso_source_builder(source), source->bytes, end);
        threads = 1;
    }
    if (threads == 1) {
        iso_plume_lines(&r);
    }
    free_reader(&r);
    return iso_builder_finish(r.b);
}

/* Certain after one whole line with an operation, likely if that line begins well. */
static int plume_detect(const iso_source *source) {
    reader r = {.at = source->bytes, .end = source->bytes + source->size};
    while (r.at < r.end && skip_line(&r)) {
    }
    if (r.end - r.at < 3 || (*r.at != 'r' && *r.at != 'w')) {
        return 0;
    }
    r.at++;
    for (int field = 0; field < 5; field++) {
        space(&r);
        if (r.at >= r.end || *r.at++ != "(,,,)"[field]) {
            return field == 0 ? 0 : 60;
        }
        space(&r);
        r.at += field == 3 && r.at < r.end && *r.at == '-';
        const unsigned char *first = r.at;
        while (r.at < r.end && iso_is_digit(*r.at)) {
            r.at++;
        }
        if (field < 4 && r.at == first) {
            return 60;
        }
    }
    return 95;
}

const iso_format iso_format_plume = {
    .name = "plume",
    .summary = "Plume text, also PolySI's: r(key,value,session,txn)",
    .extensions = ".plume .txt",
    .detect = plume_detect,
    .read = plume_read,
    .survey = iso_plume_survey,
    .write = iso_plume_write,
};
