/* Reads `.ilb`. The checksum finds damage, but does not prove that numbers are valid, so every number is tested before
 * it is used as an index, and the properties of columns (ilb.h) are tested in linear scans. ilb_write.c writes the
 * format. */
#include "formats/ilb.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <xxhash.h>

#include "base/index.h"
#include "history/about.h"
#include "history/initial.h"
#include "history/invariants.h"
#include "history/resolve.h"

typedef struct reader {
    iso_source *source;
    iso_pool *pool;
    isolab_history *h;
    const uint64_t *w; /* the header */
    iso_ilb_layout layout;
    const uint32_t *key_version;
    const unsigned char *op_key, *op_rank, *list_rank;
    bool negations; /* the file has reads of this kind */
} reader;

enum { BLOCK = 4096 };

static _Noreturn void fail_at(reader *r, uint64_t offset, const char *expected, uint64_t found) {
    iso_throw_input(r->pool->env, 0, offset, "expected %s, found %" PRIu64, expected, found);
}

/* Throws an error about an invalid element of a column. */
static _Noreturn void fail(reader *r, unsigned column, uint64_t index, unsigned width, const char *expected) {
    uint64_t offset = r->layout.at[column] + index * width, found = 0;
    memcpy(&found, r->source->bytes + offset, width);
    fail_at(r, offset, expected, found);
}

static void *column(reader *r, unsigned number) { return (void *)(uintptr_t)(r->source->bytes + r->layout.at[number]); }

/* ---- header ---- */

static void check_header(reader *r) {
    const uint64_t *w = r->w;
    if (w[ILB_WORD_MAGIC] != ILB_MAGIC) {
        iso_throw_input(r->pool->env, 0, 0, "expected the first bytes of an .ilb file, found others");
    }
    if (w[ILB_WORD_VERSION] >> 32 != ILB_ORDER) {
        iso_throw_input(r->pool->env, 0, 12, "expected the byte order of this machine, found another");
    }
    if ((w[ILB_WORD_VERSION] & UINT32_MAX) != ILB_VERSION) {
        iso_throw_input(r->pool->env, 0, 8, "expected version %d of the .ilb format, found version %" PRIu64,
                        ILB_VERSION, w[ILB_WORD_VERSION] & UINT32_MAX);
    }
    if (w[ILB_WORD_SIZE] != r->source->size) {
        iso_throw_input(r->pool->env, 0, r->source->size, "expected %" PRIu64 " bytes, found %zu", w[ILB_WORD_SIZE],
                        r->source->size);
    }
    for (unsigned i = ILB_SESSIONS; i < ILB_WORDS; i++) {
        uint64_t most = i <= ILB_STRINGS        ? ISO_ID_MAX
                        : i == ILB_STRING_BYTES ? (uint64_t)1 << 40
                        : i <= ILB_HAS_TIMES    ? 1
                        : i <= ILB_RANK_WIDTH   ? 4
                        : i == ILB_INITIAL_KIND ? ISO_ATOM_STRING
                        : i == ILB_INITIAL_BITS ? UINT64_MAX
                        : i == ILB_ORDINARY     ? 1
                        : i == ILB_ABOUT_BYTES  ? ISO_ABOUT_MOST
                                                : 0;
        bool width = i == ILB_KEY_WIDTH || i == ILB_RANK_WIDTH;
        if (w[i] > most || (width && w[i] != 1 && w[i] != 2 && w[i] != 4)) {
            fail_at(r, 8 * i, width ? "a width of 1, 2 or 4" : "a smaller number in the header", w[i]);
        }
    }
    r->layout = iso_ilb_place(w);
    if (r->layout.size != r->source->size) {
        iso_throw_input(r->pool->env, 0, 8 * ILB_SESSIONS,
                        "expected counts for a file of %zu bytes, found those of %" PRIu64, r->source->size,
                        r->layout.size);
    }
}

/* ---- checksum ---- */

/* For a large file a second thread computes the checksum while the columns are read; they are not trusted anyway. */
#define THREAD_FROM ((size_t)1 << 22)

typedef struct checksum {
    const unsigned char *bytes;
    size_t size;
    uint64_t found;
    pthread_t thread;
    bool running;
} checksum;

static void *compute(void *arg) {
    checksum *c = arg;
    c->found = XXH3_64bits(c->bytes, c->size);
    return NULL;
}

static void begin_checksum(checksum *c) {
    c->running = c->size >= THREAD_FROM && pthread_create(&c->thread, NULL, compute, c) == 0;
    if (!c->running) {
        compute(c);
    }
}

static bool end_checksum(checksum *c) {
    if (c->running) {
        pthread_join(c->thread, NULL);
    }
    return memcmp(&c->found, c->bytes + c->size, sizeof c->found) == 0;
}

/* ---- columns of names ---- */

/* Tests the beginnings of ranges: from 0 to total, never decreasing. */
static void check_ranges(reader *r, unsigned number, uint64_t n, uint64_t total) {
    const uint32_t *first = column(r, number);
    bool wrong = first[0] != 0 || first[n] != total;
    for (uint64_t i = 0; i < n; i++) {
        wrong |= first[i] > first[i + 1];
    }
    for (uint64_t i = 0; wrong && i <= n; i++) {
        if (i == 0 ? first[0] != 0 : first[i] < first[i - 1] || (i == n && first[i] != total)) {
            fail(r, number, i, 4, "increasing numbers that end with their total");
        }
    }
}

static bool is_atom(const reader *r, uint8_t kind, uint64_t bits) {
    switch (kind) {
    case ISO_ATOM_NIL:
        return bits == 0;
    case ISO_ATOM_INT:
        return true;
    case ISO_ATOM_UINT:
        return bits > (uint64_t)INT64_MAX;
    case ISO_ATOM_STRING:
        return bits < r->w[ILB_STRINGS];
    default:
        return false;
    }
}

/* Returns whether a kind and bits are valid for a value that an operation wrote or returned. */
static bool is_value(const reader *r, uint8_t kind, uint64_t bits) {
    return kind < 2 * ISO_ATOM_NOT && is_atom(r, kind & (ISO_ATOM_NOT - 1), bits);
}

static void check_atoms(reader *r, unsigned kinds, unsigned bits, uint64_t n) {
    const uint8_t *kind = column(r, kinds);
    const uint64_t *value = column(r, bits);
    for (uint64_t i = 0; i < n; i++) {
        if (!is_atom(r, kind[i], value[i])) {
            fail(r, bits, i, 8, "an integer, a string or nil as its kind says");
        }
    }
}

static iso_atom *make_atoms(reader *r, unsigned kinds, unsigned bits, uint64_t n) {
    const uint8_t *kind = column(r, kinds);
    const uint64_t *value = column(r, bits);
    iso_atom *atoms = ISO_NEW(r->pool, iso_atom, n);
    check_atoms(r, kinds, bits, n);
    for (uint64_t i = 0; i < n; i++) {
        atoms[i] = (iso_atom){value[i], kind[i]};
    }
    return atoms;
}

static void read_strings(reader *r) {
    isolab_history *h = r->h;
    uint64_t n = r->w[ILB_STRINGS], total = r->w[ILB_STRING_BYTES];
    const uint64_t *first = h->string_first = column(r, ILB_string_first);
    const char *bytes = h->string_bytes = column(r, ILB_string_bytes);
    h->n_strings = (uint32_t)n;
    h->has_strings = n > 0;
    if (first[0] != 0 || first[n] != total) {
        fail(r, ILB_string_first, first[0] != 0 ? 0 : n, 8, "beginnings of all strings");
    }
    for (uint64_t i = 0; i < n; i++) {
        iso_tick(r->pool->env);
        if (first[i + 1] <= first[i] || first[i + 1] > total) {
            fail(r, ILB_string_first, i + 1, 8, "the end of a string");
        }
        if (bytes[first[i + 1] - 1] != '\0') {
            fail(r, ILB_string_bytes, first[i + 1] - 1, 1, "a zero byte at the end of a string");
        }
        if (i > 0) {
            uint64_t before = first[i] - first[i - 1], length = first[i + 1] - first[i];
            if (before > length || (before == length && memcmp(bytes + first[i - 1], bytes + first[i], length) >= 0)) {
                fail(r, ILB_string_first, i, 8, "strings in increasing order");
            }
        }
    }
}

/* Tests that no two sessions have the same name. */
static void check_session_names(reader *r) {
    const isolab_history *h = r->h;
    iso_index names;
    iso_index_init(&names, r->pool, h->n_sessions);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_tick(r->pool->env);
        iso_atom name = h->session_name[s];
        if (name.kind == ISO_ATOM_NIL) {
            continue;
        }
        uint64_t hash = iso_mix2(name.bits, name.kind);
        uint32_t at, other = iso_index_first(&names, hash, &at);
        for (; other != ISO_NONE; other = iso_index_next(&names, hash, &at)) {
            if (iso_atom_equal(h->session_name[other], name)) {
                fail(r, ILB_session_bits, s, 8, "another name for each session");
            }
        }
        iso_index_add(&names, hash, s);
    }
    iso_index_free(&names);
}

static void read_sessions(reader *r) {
    isolab_history *h = r->h;
    uint32_t n = h->n_sessions = (uint32_t)r->w[ILB_SESSIONS];
    check_ranges(r, ILB_session_txn, n, r->w[ILB_TXNS]);
    h->session_txn = column(r, ILB_session_txn);
    h->session_name = make_atoms(r, ILB_session_kind, ILB_session_bits, n);
    check_session_names(r);
}

static void read_txns(reader *r) {
    isolab_history *h = r->h;
    uint32_t n = h->n_txns = (uint32_t)r->w[ILB_TXNS], count[3] = {0, 0, 0};
    check_ranges(r, ILB_txn_op, n, r->w[ILB_OPS]);
    h->txn_op = column(r, ILB_txn_op);
    h->txn_status = column(r, ILB_txn_status);
    h->txn_session = ISO_NEW(r->pool, uint32_t, n);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            h->txn_session[t] = s;
        }
    }
    for (uint32_t t = 0; t < n; t++) {
        if (h->txn_status[t] > ISO_INDETERMINATE) {
            fail(r, ILB_txn_status, t, 1, "a status from 0 to 2");
        }
        count[h->txn_status[t]]++;
    }
    h->n_committed = count[ISO_COMMITTED];
    h->n_aborted = count[ISO_ABORTED];
    h->n_indeterminate = count[ISO_INDETERMINATE];
    if (r->w[ILB_HAS_NAMES]) {
        check_atoms(r, ILB_txn_name_kind, ILB_txn_name_bits, n);
        h->txn_name_kind = column(r, ILB_txn_name_kind);
        h->txn_name_bits = column(r, ILB_txn_name_bits);
    }
    if (r->w[ILB_HAS_TIMES]) {
        h->has_times = true;
        h->txn_start = column(r, ILB_txn_start);
        h->txn_end = column(r, ILB_txn_end);
        for (uint32_t t = 0; t < n; t++) {
            if (h->txn_start[t] != ISO_NO_TIME && h->txn_end[t] != ISO_NO_TIME && h->txn_end[t] < h->txn_start[t]) {
                fail(r, ILB_txn_end, t, 8, "an end that is not before the start");
            }
        }
        iso_open_ends(h);
    }
}

static void read_keys(reader *r) {
    isolab_history *h = r->h;
    uint32_t n = h->n_keys = (uint32_t)r->w[ILB_KEYS];
    iso_atom *name = h->key_name = make_atoms(r, ILB_key_kind, ILB_key_bits, n);
    for (uint32_t k = 1; k < n; k++) {
        if (!iso_ilb_before(name[k - 1].kind, name[k - 1].bits, name[k].kind, name[k].bits)) {
            fail(r, ILB_key_bits, k, 8, "keys in increasing order");
        }
    }
    check_ranges(r, ILB_key_version, n, r->w[ILB_VERSIONS]);
    r->key_version = column(r, ILB_key_version);
}

/* ---- versions ---- */

static void read_versions(reader *r) {
    isolab_history *h = r->h;
    h->n_versions = (uint32_t)r->w[ILB_VERSIONS];
    h->version_kind = column(r, ILB_version_kind);
    h->version_bits = column(r, ILB_version_bits);
    h->version_key = ISO_NEW(r->pool, uint32_t, h->n_versions);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        uint32_t first = r->key_version[k], end = r->key_version[k + 1];
        iso_tick(r->pool->env);
        bool wrong = false;
        for (uint32_t v = first; v < end; v++) {
            uint8_t kind = h->version_kind[v];
            uint64_t bits = h->version_bits[v];
            wrong |= !is_atom(r, kind, bits); /* a negation, too, is tested below */
            wrong |= v > first && !iso_ilb_before(h->version_kind[v - 1], h->version_bits[v - 1], kind, bits);
            h->version_key[v] = k;
        }
        for (uint32_t v = first; wrong && v < end; v++) {
            r->negations |= h->version_kind[v] >= ISO_ATOM_NOT;
            if (!is_value(r, h->version_kind[v], h->version_bits[v]) ||
                (v > first && !iso_ilb_before(h->version_kind[v - 1], h->version_bits[v - 1], h->version_kind[v],
                                              h->version_bits[v]))) {
                fail(r, ILB_version_bits, v, 8, "the values of a key in increasing order");
            }
        }
    }
}

/* The value that means "initial" is stored as nil, so no register has it. */
static void check_initial(reader *r) {
    isolab_history *h = r->h;
    h->initial = (iso_atom){r->w[ILB_INITIAL_BITS], (uint8_t)r->w[ILB_INITIAL_KIND]};
    if (!is_atom(r, h->initial.kind, h->initial.bits)) {
        fail_at(r, 8 * ILB_INITIAL_BITS, "an initial value as its kind says", h->initial.bits);
    }
    for (uint32_t v = 0; v < h->n_versions && h->initial.kind != ISO_ATOM_NIL; v++) {
        if (iso_atom_equal(iso_atom_excluded(iso_version_value(h, v)), h->initial) &&
            !h->key_is_list[h->version_key[v]]) {
            fail(r, ILB_version_bits, v, 8, "nil for the initial value");
        }
    }
}

/* ---- operations ---- */

static inline uint32_t number_at(const unsigned char *p, uint64_t i, unsigned width) {
    if (width == 1) {
        return p[i];
    }
    if (width == 2) {
        uint16_t n;
        memcpy(&n, p + 2 * i, 2);
        return n;
    }
    uint32_t n;
    memcpy(&n, p + 4 * i, 4);
    return n;
}

/* Expands keys and versions of the operations [begin, end). Returns false if a number is too large; the written numbers
 * are then in range but have no meaning. */
__attribute__((always_inline)) static inline bool expand(reader *r, uint32_t begin, uint32_t end, unsigned key_width,
                                                         unsigned rank_width) {
    isolab_history *h = r->h;
    bool wrong = false;
    for (uint32_t o = begin; o < end; o++) {
        uint32_t key = number_at(r->op_key, o, key_width), rank = number_at(r->op_rank, o, rank_width);
        wrong |= key >= h->n_keys;
        key = key < h->n_keys ? key : 0;
        uint32_t first = r->key_version[key];
        wrong |= rank >= r->key_version[key + 1] - first && h->op_kind[o] != ISO_LIST_READ;
        h->op_key[o] = key;
        h->op_version[o] = first + rank;
    }
    return !wrong;
}

/* For common widths, which are constants for the compiler. */
static bool expand_block(reader *r, uint32_t begin, uint32_t end) {
    unsigned k = (unsigned)r->w[ILB_KEY_WIDTH], v = (unsigned)r->w[ILB_RANK_WIDTH];
    return k == 2 && v == 2   ? expand(r, begin, end, 2, 2)
           : k == 4 && v == 1 ? expand(r, begin, end, 4, 1)
           : k == 1 && v == 4 ? expand(r, begin, end, 1, 4)
                              : expand(r, begin, end, k, v);
}

static _Noreturn void fail_operation(reader *r, uint32_t begin, uint32_t end) {
    isolab_history *h = r->h;
    unsigned k = (unsigned)r->w[ILB_KEY_WIDTH], v = (unsigned)r->w[ILB_RANK_WIDTH];
    for (uint32_t o = begin; o < end; o++) {
        uint32_t key = number_at(r->op_key, o, k);
        if (h->op_kind[o] > ISO_LIST_READ) {
            fail(r, ILB_op_kind, o, 1, "a kind of operation from 0 to 3");
        }
        if (key >= h->n_keys) {
            fail(r, ILB_op_key, o, k, "the number of a key");
        }
        if (h->op_kind[o] != ISO_LIST_READ &&
            number_at(r->op_rank, o, v) >= r->key_version[key + 1] - r->key_version[key]) {
            fail(r, ILB_op_rank, o, v, "the rank of a value of its key");
        }
    }
    iso_throw(r->pool->env, ISOLAB_E_INTERNAL, "an operation was refused without a reason");
}

static void read_ops(reader *r) {
    isolab_history *h = r->h;
    uint32_t n = h->n_ops = (uint32_t)r->w[ILB_OPS];
    h->op_kind = column(r, ILB_op_kind);
    r->op_key = column(r, ILB_op_key);
    r->op_rank = column(r, ILB_op_rank);
    h->op_key = ISO_NEW(r->pool, uint32_t, n);
    h->op_version = ISO_NEW(r->pool, uint32_t, n);
    h->op_txn = ISO_NEW(r->pool, uint32_t, n);
    if (n > 0 && h->n_keys == 0) {
        fail_at(r, 8 * ILB_KEYS, "a key for the operations", 0);
    }
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < BLOCK ? n : begin + BLOCK;
        iso_tick(r->pool->env);
        bool wrong = false;
        for (uint32_t o = begin; o < end; o++) {
            wrong |= h->op_kind[o] > ISO_LIST_READ;
            h->has_lists |= h->op_kind[o] >= ISO_APPEND;
        }
        if (!expand_block(r, begin, end) || wrong) {
            fail_operation(r, begin, end);
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            h->op_txn[o] = t;
        }
    }
}

/* Reads the lists, in the order of their reads, and tests that a key is a register or a list. */
static void read_lists(reader *r) {
    isolab_history *h = r->h;
    uint32_t n = h->n_lists = (uint32_t)r->w[ILB_LISTS], next = 0;
    unsigned width = (unsigned)r->w[ILB_RANK_WIDTH];
    check_ranges(r, ILB_list_first, n, r->w[ILB_ELEMENTS]);
    h->list_first = column(r, ILB_list_first);
    r->list_rank = column(r, ILB_list_rank);
    h->list_version = ISO_NEW(r->pool, uint32_t, r->w[ILB_ELEMENTS]);
    h->key_is_list = ISO_ZNEW(r->pool, uint8_t, h->n_keys);
    uint8_t *is_register = ISO_ZNEW(r->pool, uint8_t, h->n_keys);
    for (uint32_t o = 0; o < h->n_ops && h->has_lists; o++) {
        iso_tick(r->pool->env);
        uint32_t key = h->op_key[o], first = r->key_version[key], end = r->key_version[key + 1];
        *(h->op_kind[o] >= ISO_APPEND ? &h->key_is_list[key] : &is_register[key]) = 1;
        if (h->key_is_list[key] && is_register[key]) {
            fail(r, ILB_op_kind, o, 1, "a key that is used either as a register or as a list");
        }
        if (h->key_is_list[key] && first < end && h->version_kind[first] == ISO_ATOM_NIL) {
            fail(r, ILB_version_kind, first, 1, "a value as the element of a list");
        }
        if (h->op_kind[o] != ISO_LIST_READ) {
            continue;
        }
        if (next == n) {
            fail_at(r, 8 * ILB_LISTS, "a list for each list read", n);
        }
        for (uint32_t e = h->list_first[next]; e < h->list_first[next + 1]; e++) {
            uint32_t rank = number_at(r->list_rank, e, width);
            if (rank >= end - first) {
                fail(r, ILB_list_rank, e, width, "the rank of a value of its key");
            }
            h->list_version[e] = first + rank;
        }
        h->op_version[o] = next++;
    }
    if (next != n) {
        fail_at(r, 8 * ILB_LISTS, "a list for each list read", n);
    }
    iso_free(r->pool, is_register);
}

/* Tests that only reads of registers give a value that they did not return. */
static void check_negations(reader *r) {
    isolab_history *h = r->h;
    for (uint32_t o = 0; r->negations && o < h->n_ops; o++) {
        if (h->op_kind[o] == ISO_WRITE && iso_version_is_negation(h, h->op_version[o])) {
            fail(r, ILB_op_rank, o, (unsigned)r->w[ILB_RANK_WIDTH], "a value that can be written");
        }
    }
    for (uint32_t v = 0; r->negations && v < h->n_versions; v++) {
        if (h->key_is_list[h->version_key[v]] && iso_version_is_negation(h, v)) {
            fail(r, ILB_version_kind, v, 1, "a value as the element of a list");
        }
    }
}

static void read_columns(void *arg) {
    reader *r = arg;
    read_strings(r);
    read_sessions(r);
    read_txns(r);
    read_keys(r);
    read_versions(r);
    read_ops(r);
    read_lists(r);
    check_negations(r);
    check_initial(r);
    iso_resolve_versions(r->h, iso_reading_threads(r->source->how, r->h->n_ops));
}

static isolab_history *ilb_read(iso_source *source) {
    reader r = {.source = source, .pool = source->pool, .h = ISO_ZNEW(source->pool, isolab_history, 1)};
    iso_env *env = source->pool->env;
    r.w = (const uint64_t *)(const void *)source->bytes;
    r.h->pool = source->pool;
    if (source->size < (ILB_WORDS + 1) * sizeof(uint64_t)) {
        iso_throw_input(env, 0, source->size, "expected the header of an .ilb file, found the end of the file");
    }
    check_header(&r);
    checksum sum = {.bytes = source->bytes, .size = source->size - sizeof(uint64_t)};
    begin_checksum(&sum);
    int code = iso_guard(env, read_columns, &r);
    bool whole = end_checksum(&sum);
    if (!whole && (code == ISOLAB_OK || code == ISOLAB_E_INPUT)) { /* damage is the reason of any other error */
        uint64_t stored;
        memcpy(&stored, sum.bytes + sum.size, sizeof stored);
        iso_throw_input(env, 0, sum.size, "expected checksum %016" PRIx64 ", found %016" PRIx64 ": the file is damaged",
                        sum.found, stored);
    }
    if (code != ISOLAB_OK) {
        iso_rethrow(env);
    }
    source->kept = true;
    source->ordinary = r.w[ILB_ORDINARY] != 0;
    r.h->first_txn = iso_initial_first(r.h);
    iso_history_about(r.h, (const char *)source->bytes + r.layout.at[ILB_about], r.w[ILB_ABOUT_BYTES]);
    iso_history_names(r.h);
    iso_history_check(r.h);
    return r.h;
}

static int ilb_detect(const iso_source *source) {
    return source->size >= 8 && memcmp(source->bytes, "\x89ILB\r\n\x1a\n", 8) == 0 ? 100 : 0;
}

/* The format can hold everything. */
static void ilb_survey(const isolab_history *h, iso_losses *losses) {
    (void)h;
    (void)losses;
}

const iso_format iso_format_ilb = {
    .name = "ilb",
    .summary = "isolab's binary columns: checksummed, loads at memory speed",
    .extensions = ".ilb",
    .flags = ISO_FORMAT_BINARY | ISO_FORMAT_NEGATIONS,
    .detect = ilb_detect,
    .read = ilb_read,
    .survey = ilb_survey,
    .write = iso_ilb_write,
};
