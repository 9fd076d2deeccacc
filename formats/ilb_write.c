/* Writes `.ilb`: sorts strings, keys and the values of each key; everything else is unchanged. See ilb.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/buckets.h"
#include "formats/ilb.h"
#include "history/initial.h"

typedef struct version {
    uint64_t bits;
    uint32_t number;
    uint8_t kind;
} version;

typedef struct writer {
    const isolab_history *h;
    iso_pool *pool;
    FILE *out;
    XXH3_state_t *hash;
    uint64_t words[ILB_WORDS];
    iso_ilb_layout layout;
    uint64_t written;

    uint32_t *old_string, *new_string; /* by new and by old number */
    uint32_t *old_key, *new_key;
    version *versions;     /* in the order of the file */
    uint32_t *key_version; /* by new key */
    uint32_t *rank;        /* by version of the history */
    uint32_t *list_op;     /* by list of the file: its operation */
} writer;

/* ---- sorting ---- */

static int by_text(const void *a, const void *b, void *arg) {
    const isolab_history *h = arg;
    uint64_t n, m;
    const char *s = iso_string(h, *(const uint32_t *)a, &n), *t = iso_string(h, *(const uint32_t *)b, &m);
    return n != m ? (n < m ? -1 : 1) : memcmp(s, t, n);
}

static uint64_t new_bits(const writer *w, iso_atom a) {
    return (a.kind & (ISO_ATOM_NOT - 1)) == ISO_ATOM_STRING ? w->new_string[a.bits] : a.bits;
}

static int by_value(const void *a, const void *b) {
    const version *x = a, *y = b;
    return iso_ilb_before(x->kind, x->bits, y->kind, y->bits) ? -1 : 1; /* no two are equal */
}

static void sort_versions(version *v, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        if (!iso_ilb_before(v[i - 1].kind, v[i - 1].bits, v[i].kind, v[i].bits)) {
            qsort(v, n, sizeof *v, by_value);
            return;
        }
    }
}

static void sort_strings(writer *w) {
    const isolab_history *h = w->h;
    w->old_string = ISO_NEW(w->pool, uint32_t, h->n_strings);
    w->new_string = ISO_NEW(w->pool, uint32_t, h->n_strings);
    for (uint32_t i = 0; i < h->n_strings; i++) {
        w->old_string[i] = i;
    }
    qsort_r(w->old_string, h->n_strings, sizeof *w->old_string, by_text, (void *)(uintptr_t)h);
    for (uint32_t i = 0; i < h->n_strings; i++) {
        w->new_string[w->old_string[i]] = i;
    }
}

static void sort_keys(writer *w) {
    const isolab_history *h = w->h;
    version *keys = ISO_NEW(w->pool, version, h->n_keys);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        keys[k] = (version){new_bits(w, h->key_name[k]), k, h->key_name[k].kind};
    }
    sort_versions(keys, h->n_keys);
    w->old_key = ISO_NEW(w->pool, uint32_t, h->n_keys);
    w->new_key = ISO_NEW(w->pool, uint32_t, h->n_keys);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        w->old_key[k] = keys[k].number;
        w->new_key[keys[k].number] = k;
    }
    iso_free(w->pool, keys);
}

/* Sorts versions by key (stable), then each key's versions by value. */
static void rank_versions(writer *w) {
    const isolab_history *h = w->h;
    iso_buckets rows = iso_buckets_new(w->pool, h->n_keys);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        iso_buckets_count(&rows, w->new_key[h->version_key[v]]);
    }
    iso_buckets_sum(&rows);
    w->versions = ISO_NEW(w->pool, version, h->n_versions);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        iso_tick(w->pool->env);
        uint32_t at = iso_buckets_place(&rows, w->new_key[h->version_key[v]]);
        w->versions[at] = (version){new_bits(w, iso_version_value(h, v)), v, h->version_kind[v]};
    }
    w->key_version = rows.first;
    w->rank = ISO_NEW(w->pool, uint32_t, h->n_versions);
    for (uint32_t k = 0; k < h->n_keys; k++) {
        iso_tick(w->pool->env);
        uint32_t first = w->key_version[k], end = w->key_version[k + 1];
        sort_versions(w->versions + first, end - first);
        for (uint32_t v = first; v < end; v++) {
            w->rank[w->versions[v].number] = v - first;
        }
    }
}

/* The lists of the file: one for each list read, in order. */
static void find_lists(writer *w) {
    const isolab_history *h = w->h;
    uint64_t lists = 0, elements = 0;
    for (uint32_t o = 0; o < h->n_ops && h->has_lists; o++) {
        lists += h->op_kind[o] == ISO_LIST_READ;
    }
    w->list_op = ISO_NEW(w->pool, uint32_t, lists);
    lists = 0;
    for (uint32_t o = 0; o < h->n_ops && h->has_lists; o++) {
        if (h->op_kind[o] == ISO_LIST_READ) {
            w->list_op[lists++] = o;
            elements += h->list_first[h->op_version[o] + 1] - h->list_first[h->op_version[o]];
        }
    }
    w->words[ILB_LISTS] = lists;
    w->words[ILB_ELEMENTS] = elements;
}

/* ---- writing ---- */

static void put(writer *w, const void *bytes, uint64_t size) {
    XXH3_64bits_update(w->hash, bytes, size);
    fwrite(bytes, 1, size, w->out); /* errors stay in the stream */
    w->written += size;
}

static void begin_column(writer *w, unsigned column) {
    static const char zeros[64];
    put(w, zeros, w->layout.at[column] - w->written);
}

/* A buffer for computed elements, written as little-endian numbers of a given width. */
typedef struct buffer {
    writer *w;
    unsigned width;
    size_t used;
    unsigned char bytes[8192];
} buffer;

static buffer begin_numbers(writer *w, unsigned column, uint64_t width) {
    begin_column(w, column);
    return (buffer){.w = w, .width = (unsigned)width};
}

static void end_numbers(buffer *b) {
    put(b->w, b->bytes, b->used);
    b->used = 0;
}

static void put_number(buffer *b, uint64_t n) {
    memcpy(b->bytes + b->used, &n, b->width);
    b->used += b->width;
    if (b->used + 8 > sizeof b->bytes) {
        end_numbers(b);
    }
}

static void put_column(writer *w, unsigned column, const void *bytes) {
    begin_column(w, column);
    put(w, bytes, w->layout.bytes[column]);
}

/* Writes a column of numbers; VALUE may use i. */
#define PUT_NUMBERS(w, column, width, count, VALUE)                                                                    \
    do {                                                                                                               \
        buffer numbers = begin_numbers((w), (column), (width));                                                        \
        for (uint32_t i = 0; i < (count); i++) {                                                                       \
            put_number(&numbers, (VALUE));                                                                             \
        }                                                                                                              \
        end_numbers(&numbers);                                                                                         \
    } while (0)

static void put_lists(writer *w) {
    const isolab_history *h = w->h;
    uint32_t n = (uint32_t)w->words[ILB_LISTS];
    uint64_t elements = 0;
    buffer b = begin_numbers(w, ILB_list_first, 4);
    put_number(&b, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t l = h->op_version[w->list_op[i]];
        elements += h->list_first[l + 1] - h->list_first[l];
        put_number(&b, elements);
    }
    end_numbers(&b);
    b = begin_numbers(w, ILB_list_rank, w->words[ILB_RANK_WIDTH]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t l = h->op_version[w->list_op[i]];
        for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
            put_number(&b, w->rank[h->list_version[e]]);
        }
    }
    end_numbers(&b);
}

static void put_strings(writer *w) {
    const isolab_history *h = w->h;
    uint64_t at = 0, length;
    buffer b = begin_numbers(w, ILB_string_first, 8);
    put_number(&b, 0);
    for (uint32_t i = 0; i < h->n_strings; i++) {
        iso_string(h, w->old_string[i], &length);
        at += length + 1;
        put_number(&b, at);
    }
    end_numbers(&b);
    begin_column(w, ILB_string_bytes);
    for (uint32_t i = 0; i < h->n_strings; i++) {
        const char *s = iso_string(h, w->old_string[i], &length);
        put(w, s, length + 1);
    }
}

static void put_columns(writer *w) {
    const isolab_history *h = w->h;
    put_column(w, ILB_session_txn, h->session_txn);
    PUT_NUMBERS(w, ILB_session_kind, 1, h->n_sessions, h->session_name[i].kind);
    PUT_NUMBERS(w, ILB_session_bits, 8, h->n_sessions, new_bits(w, h->session_name[i]));
    put_column(w, ILB_txn_op, h->txn_op);
    put_column(w, ILB_txn_status, h->txn_status);
    if (w->words[ILB_HAS_NAMES]) {
        put_column(w, ILB_txn_name_kind, h->txn_name_kind);
        PUT_NUMBERS(w, ILB_txn_name_bits, 8, h->n_txns, new_bits(w, iso_txn_name(h, i)));
    }
    if (w->words[ILB_HAS_TIMES]) {
        put_column(w, ILB_txn_start, h->txn_start);
        put_column(w, ILB_txn_end, h->txn_end);
    }
    put_column(w, ILB_op_kind, h->op_kind);
    PUT_NUMBERS(w, ILB_op_key, w->words[ILB_KEY_WIDTH], h->n_ops, w->new_key[h->op_key[i]]);
    PUT_NUMBERS(w, ILB_op_rank, w->words[ILB_RANK_WIDTH], h->n_ops,
                h->op_kind[i] == ISO_LIST_READ ? 0 : w->rank[h->op_version[i]]);
    PUT_NUMBERS(w, ILB_key_kind, 1, h->n_keys, h->key_name[w->old_key[i]].kind);
    PUT_NUMBERS(w, ILB_key_bits, 8, h->n_keys, new_bits(w, h->key_name[w->old_key[i]]));
    put_column(w, ILB_key_version, w->key_version);
    PUT_NUMBERS(w, ILB_version_kind, 1, h->n_versions, w->versions[i].kind);
    PUT_NUMBERS(w, ILB_version_bits, 8, h->n_versions, w->versions[i].bits);
    put_lists(w);
    put_strings(w);
    put_column(w, ILB_about, h->about == NULL ? "" : h->about);
}

static uint64_t width_for(uint64_t count) { return count <= 256 ? 1 : count <= 65536 ? 2 : 4; }

static void fill_header(writer *w) {
    const isolab_history *h = w->h;
    uint64_t most = 0;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        uint64_t n = w->key_version[k + 1] - w->key_version[k];
        most = n > most ? n : most;
    }
    uint64_t *words = w->words;
    words[ILB_WORD_MAGIC] = ILB_MAGIC;
    words[ILB_WORD_VERSION] = ILB_VERSION | (uint64_t)ILB_ORDER << 32;
    words[ILB_SESSIONS] = h->n_sessions;
    words[ILB_TXNS] = h->n_txns;
    words[ILB_OPS] = h->n_ops;
    words[ILB_KEYS] = h->n_keys;
    words[ILB_VERSIONS] = h->n_versions;
    words[ILB_STRINGS] = h->n_strings;
    words[ILB_STRING_BYTES] = h->n_strings == 0 ? 0 : h->string_first[h->n_strings];
    words[ILB_HAS_NAMES] = h->txn_name_kind != NULL;
    words[ILB_HAS_TIMES] = h->txn_start != NULL;
    words[ILB_KEY_WIDTH] = width_for(h->n_keys);
    words[ILB_RANK_WIDTH] = width_for(most);
    words[ILB_INITIAL_KIND] = h->initial.kind;
    words[ILB_INITIAL_BITS] = new_bits(w, h->initial);
    words[ILB_ORDINARY] = iso_initial_begins(h, h->initial);
    words[ILB_ABOUT_BYTES] = h->about == NULL ? 0 : strlen(h->about);
    w->layout = iso_ilb_place(words);
    words[ILB_WORD_SIZE] = w->layout.size;
}

void iso_ilb_write(const isolab_history *h, iso_sink *sink) {
    writer w = {.h = h, .pool = sink->pool, .out = sink->out};
    sort_strings(&w);
    sort_keys(&w);
    rank_versions(&w);
    find_lists(&w);
    fill_header(&w);
    w.hash = XXH3_createState(); /* nothing throws from here to where it is freed */
    if (w.hash == NULL || XXH3_64bits_reset(w.hash) != XXH_OK) {
        XXH3_freeState(w.hash);
        iso_throw_limit(w.pool->env, ISO_LIMIT_MEMORY, "out of memory (xxhash)");
    }
    put(&w, w.words, sizeof w.words);
    put_columns(&w);
    static const char zeros[64];
    put(&w, zeros, w.layout.size - sizeof(uint64_t) - w.written);
    uint64_t digest = XXH3_64bits_digest(w.hash);
    XXH3_freeState(w.hash);
    fwrite(&digest, 1, sizeof digest, w.out);
    iso_free(w.pool, w.old_string);
    iso_free(w.pool, w.new_string);
    iso_free(w.pool, w.old_key);
    iso_free(w.pool, w.new_key);
    iso_free(w.pool, w.versions);
    iso_free(w.pool, w.key_version);
    iso_free(w.pool, w.rank);
    iso_free(w.pool, w.list_op);
}
