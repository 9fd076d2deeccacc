/* Cobra's folders: one *.log file for each session, with records of one type byte and big-endian 64-bit fields.
 *
 *     'S' txn [time]                        start
 *     'W' write_id key value                write
 *     'R' writer_txn write_id key value     read
 *     'C' txn [time]                        commit
 *
 * There are two formats. `cobra`: a value is the triple of write_id, writing transaction and value; it is named by its
 * write_id if that is unambiguous (for the first triple of a key with this write_id, writes before reads), else by the
 * text `write_id/txn/value`. `cobra-duplicate`: a value is only the value field, so equal values of different writers
 * are the same value.
 *
 * Sessions are named by their files and are in the order of the names (numbers in them compare as numbers), whatever
 * the order in which the system lists a folder. */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/index.h"
#include "formats/cobra.h"
#include "formats/log_folder.h"

typedef struct record {
    unsigned char type;
    uint64_t txn, write_id, key, value; /* R: txn is the writer's */
    int64_t time;
} record;

typedef struct begun { /* the beginning of a transaction */
    uint64_t txn;
    uint32_t log;
    uint64_t offset;
} begun;

/* The triple that a write_id of a key stands for. */
typedef struct triple {
    uint64_t key, write_id, txn, value;
} triple;

typedef struct reading {
    iso_pool *pool;
    iso_builder *b;
    iso_log *logs;
    uint32_t n_logs;
    bool times;     /* S and C have another field */
    bool duplicate; /* the format is cobra-duplicate */
    begun *begun;
    size_t n_begun, begun_room;
    triple *triples;
    uint32_t triples_room;
    iso_index index; /* of triples, by key and write_id */
} reading;

static _Noreturn void fail(const reading *r, const iso_log *l, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static _Noreturn void fail(const reading *r, const iso_log *l, uint64_t offset, const char *format, ...) {
    isolab_error *e = &r->pool->env->error;
    e->code = ISOLAB_E_INPUT;
    e->line = 0;
    e->offset = offset;
    snprintf(e->file, sizeof e->file, "%s", l->path);
    va_list args;
    va_start(args, format);
    vsnprintf(e->message, sizeof e->message, format, args);
    va_end(args);
    iso_rethrow(r->pool->env);
}

/* Returns whether a folder without logs declares a history without sessions. */
static bool says_empty(const char *folder) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/" ISO_COBRA_EMPTY, folder);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* ---- records ---- */

static uint64_t field(const unsigned char *p, unsigned number) {
    uint64_t n;
    memcpy(&n, p + 1 + 8 * number, sizeof n);
    return be64toh(n);
}

/* Returns the bytes of a record of this type; 0: no such type. */
static unsigned record_size(unsigned char type, bool times) {
    switch (type) {
    case 'S':
    case 'C':
        return times ? 17 : 9;
    case 'W':
        return 25;
    case 'R':
        return 33;
    default:
        return 0;
    }
}

__attribute__((always_inline)) static inline record take_record(const unsigned char *p, bool times) {
    switch (*p) {
    case 'W':
        return (record){.type = 'W', .write_id = field(p, 0), .key = field(p, 1), .value = field(p, 2)};
    case 'R':
        return (record){
            .type = 'R', .txn = field(p, 0), .write_id = field(p, 1), .key = field(p, 2), .value = field(p, 3)};
    default:
        return (record){.type = *p, .txn = field(p, 0), .time = times ? (int64_t)field(p, 1) : ISO_NO_TIME};
    }
}

typedef struct evidence {
    uint64_t logs, records; /* whole logs, and records before the first damage of each */
} evidence;

/* Counts the records of a log that are in order: S, then W and R, then C with the txn of S. */
static void weigh_log(const iso_source *s, bool times, evidence *e) {
    uint64_t at = 0, txn = 0;
    bool inside = false;
    while (at < s->size) {
        const unsigned char *p = s->bytes + at;
        unsigned n = record_size(*p, times);
        if (n == 0 || n > s->size - at || inside == (*p == 'S') || (*p == 'C' && field(p, 0) != txn)) {
            return;
        }
        txn = *p == 'S' ? field(p, 0) : txn;
        inside = *p != 'C';
        at += n;
        e->records++;
    }
    e->logs++;
}

static bool outweighs(evidence a, evidence b) { return a.logs != b.logs ? a.logs > b.logs : a.records > b.records; }

/* Returns whether S and C have a timestamp: the alternative that explains more whole logs, then more records; if both
 * are equal, they have none. */
static bool has_times(const reading *r) {
    evidence without = {0, 0}, with = {0, 0};
    for (uint32_t i = 0; i < r->n_logs; i++) {
        iso_tick(r->pool->env);
        weigh_log(&r->logs[i].source, false, &without);
        weigh_log(&r->logs[i].source, true, &with);
    }
    return outweighs(with, without);
}

/* Reads and checks the next record of a log. inside: inside of transaction txn. */
__attribute__((always_inline)) static inline record next_record(const reading *r, const iso_log *l, uint64_t at,
                                                                bool inside, uint64_t txn) {
    const unsigned char *p = l->source.bytes + at;
    unsigned n = record_size(*p, r->times);
    if (n == 0 || inside == (*p == 'S')) {
        const char *what = inside ? "a record W, R or C" : "a record S";
        if (*p > 0x20 && *p < 0x7f) {
            fail(r, l, at, "expected %s, found '%c'", what, *p);
        }
        fail(r, l, at, "expected %s, found the byte 0x%02x", what, *p);
    }
    if (n > l->source.size - at) {
        fail(r, l, at, "expected a record %c of %u bytes, found the end of the file after %" PRIu64, *p, n,
             l->source.size - at);
    }
    record x = take_record(p, r->times);
    if (x.type == 'C' && x.txn != txn) {
        fail(r, l, at, "expected the commit of transaction %" PRIu64 ", found that of %" PRIu64, txn, x.txn);
    }
    if (r->times && (x.type == 'S' || x.type == 'C') && x.time < 0) {
        fail(r, l, at, "expected a timestamp of at most 63 bits, found a larger one");
    }
    return x;
}

/* ---- values ---- */

static bool is_initial_mark(uint64_t n) { return n == ISO_COBRA_INIT || n == ISO_COBRA_NULL; }

/* Garbage collection writes marks instead of write_ids. If such a value is read from the initial transaction, it is
 * initial. */
static bool is_initial_read(const record *x) {
    return x->type == 'R' && is_initial_mark(x->txn) &&
           (is_initial_mark(x->write_id) || x->write_id == ISO_COBRA_GC_1 || x->write_id == ISO_COBRA_GC_2);
}

/* Enters the triple of a key and write_id unless there is one; returns the one there is. */
static triple *enter(reading *r, const record *x, uint64_t txn) {
    uint64_t hash = iso_mix2(x->key, x->write_id);
    for (uint32_t at, i = iso_index_first(&r->index, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&r->index, hash, &at)) {
        if (r->triples[i].key == x->key && r->triples[i].write_id == x->write_id) {
            return &r->triples[i];
        }
    }
    uint32_t number = r->index.n;
    ISO_GROW(r->pool, r->triples, number, r->triples_room);
    r->triples[number] = (triple){x->key, x->write_id, txn, x->value};
    iso_index_add(&r->index, hash, number);
    return &r->triples[number];
}

static iso_atom value_of(reading *r, const record *x, uint64_t txn) {
    if (is_initial_read(x)) {
        return iso_atom_nil();
    }
    if (r->duplicate) {
        return iso_atom_uint(x->value);
    }
    uint64_t writer = x->type == 'R' ? x->txn : txn;
    const triple *t = enter(r, x, writer);
    if (t->txn == writer && t->value == x->value) {
        return iso_atom_uint(x->write_id);
    }
    char text[80];
    int n = snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64 "/%" PRIu64, x->write_id, writer, x->value);
    return iso_builder_string(r->b, text, (size_t)n);
}

/* ---- the passes ---- */

/* Checks a log, and adds the triples of its writes and the beginnings of its transactions. */
static void first_pass(reading *r, uint32_t number) {
    const iso_log *l = &r->logs[number];
    uint64_t txn = 0;
    bool inside = false;
    for (uint64_t at = 0; at < l->source.size;) {
        iso_tick(r->pool->env);
        record x = next_record(r, l, at, inside, txn);
        if (x.type == 'S') {
            txn = x.txn;
            ISO_GROW(r->pool, r->begun, r->n_begun, r->begun_room);
            r->begun[r->n_begun++] = (begun){txn, number, at};
        } else if (x.type == 'W' && !r->duplicate) {
            enter(r, &x, txn);
        }
        inside = x.type != 'C';
        at += record_size(x.type, r->times);
    }
}

static int compare_begun(const void *x, const void *y) {
    const begun *a = x, *b = y;
    if (a->txn != b->txn) {
        return a->txn < b->txn ? -1 : 1;
    }
    return a->log != b->log ? (a->log < b->log ? -1 : 1) : a->offset < b->offset ? -1 : 1;
}

static void check_txns_once(reading *r) {
    if (r->n_begun == 0) {
        return;
    }
    qsort(r->begun, r->n_begun, sizeof *r->begun, compare_begun);
    for (size_t i = 1; i < r->n_begun; i++) {
        const begun *a = &r->begun[i - 1], *b = &r->begun[i];
        if (a->txn == b->txn) {
            fail(r, &r->logs[b->log], b->offset,
                 "expected transaction %" PRIu64 " once, found it again (first in %s at byte %" PRIu64 ")", b->txn,
                 strrchr(r->logs[a->log].path, '/') + 1, a->offset);
        }
    }
}

static void second_pass(reading *r, const iso_log *l) {
    uint32_t session = iso_builder_session(r->b, l->name), txn = 0;
    int64_t start = ISO_NO_TIME;
    uint64_t id = 0;
    bool inside = false;
    for (uint64_t at = 0; at < l->source.size;) {
        iso_tick(r->pool->env);
        record x = next_record(r, l, at, inside, id);
        if (x.type == 'S') { /* its outcome is unknown until it commits */
            id = x.txn;
            start = x.time;
            txn = iso_builder_txn(r->b, session, iso_atom_uint(id), ISO_INDETERMINATE);
            iso_builder_times(r->b, txn, start, ISO_NO_TIME);
        } else if (x.type == 'C') {
            if (start != ISO_NO_TIME && x.time < start) {
                fail(r, l, at,
                     "expected an end that is not before the start %" PRId64 ", found %" PRId64
                     ": a clock ran backwards",
                     start, x.time);
            }
            iso_builder_status(r->b, txn, ISO_COMMITTED);
            iso_builder_times(r->b, txn, start, x.time);
        } else {
            iso_builder_op(r->b, txn, x.type == 'W' ? ISO_WRITE : ISO_READ, iso_builder_key(r->b, iso_atom_uint(x.key)),
                           value_of(r, &x, id));
        }
        inside = x.type != 'C';
        at += record_size(x.type, r->times);
    }
}

static isolab_history *read_folder(iso_source *source, bool duplicate) {
    reading r = {.pool = source->pool, .b = iso_source_builder(source), .duplicate = duplicate};
    iso_index_init(&r.index, r.pool, 0);
    r.logs = iso_logs_open(r.pool, r.b, source->path, 'T', &r.n_logs);
    if (r.n_logs == 0 && !says_empty(source->path)) {
        iso_throw_input(r.pool->env, 0, ISOLAB_NO_OFFSET, "expected files *.log in the folder, found none");
    }
    r.times = has_times(&r);
    for (uint32_t i = 0; i < r.n_logs; i++) {
        first_pass(&r, i);
    }
    check_txns_once(&r);
    for (uint32_t i = 0; i < r.n_logs; i++) {
        second_pass(&r, &r.logs[i]);
        iso_free(r.pool, (void *)(uintptr_t)r.logs[i].source.bytes);
    }
    iso_free(r.pool, r.triples);
    iso_index_free(&r.index);
    iso_free(r.pool, r.begun);
    return iso_builder_finish(r.b);
}

static isolab_history *read_cobra(iso_source *source) { return read_folder(source, false); }
static isolab_history *read_cobra_duplicate(iso_source *source) { return read_folder(source, true); }

/* ---- detection: a folder with logs; its reads show whether the collector knew the writers ---- */

typedef struct sample {
    const char *folder;
    unsigned logs, known, unknown;
} sample;

static void sample_bytes(sample *s, const unsigned char *p, size_t n, bool times) {
    for (size_t at = 0; at < n;) {
        unsigned size = record_size(p[at], times);
        if (size == 0 || size > n - at) {
            return;
        }
        if (p[at] == 'R' && !is_initial_mark(field(p + at, 0))) {
            bool unknown = field(p + at, 0) == ISO_COBRA_UNKNOWN;
            s->unknown += unknown;
            s->known += !unknown;
        }
        at += size;
    }
}

static void sample_log(void *arg, const char *name) {
    sample *s = arg;
    unsigned char bytes[16384];
    size_t n = s->logs < 64 ? iso_log_begin(s->folder, name, bytes, sizeof bytes) : 0;
    s->logs++;
    if (n > 0) {
        iso_source source = {.bytes = bytes, .size = n};
        evidence without = {0, 0}, with = {0, 0};
        weigh_log(&source, false, &without);
        weigh_log(&source, true, &with);
        sample_bytes(s, bytes, source.size, outweighs(with, without));
    }
}

static int detect_folder(const iso_source *source, bool duplicate) {
    sample s = {.folder = source->path};
    if (!iso_logs_each(source->path, sample_log, &s) || (s.logs == 0 && !says_empty(source->path))) {
        return 0;
    }
    return (s.unknown > 0 && s.known == 0) == duplicate ? 90 : 50;
}

static int detect_cobra(const iso_source *source) { return detect_folder(source, false); }
static int detect_cobra_duplicate(const iso_source *source) { return detect_folder(source, true); }

const iso_format iso_format_cobra = {
    .name = "cobra",
    .summary = "a folder of Cobra's *.log files, one a session; a value is its write",
    .extensions = ".cobra",
    .flags = ISO_FORMAT_FOLDER | ISO_FORMAT_BINARY,
    .detect = detect_cobra,
    .read = read_cobra,
    .survey = iso_cobra_survey,
    .write = iso_cobra_write,
};

const iso_format iso_format_cobra_duplicate = {
    .name = "cobra-duplicate",
    .summary = "the same folder, where equal values of different writes are one value",
    .extensions = ".cobra-duplicate",
    .flags = ISO_FORMAT_FOLDER | ISO_FORMAT_BINARY,
    .detect = detect_cobra_duplicate,
    .read = read_cobra_duplicate,
    .survey = iso_cobra_duplicate_survey,
    .write = iso_cobra_duplicate_write,
};
