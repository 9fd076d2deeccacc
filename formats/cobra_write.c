/* Writes Cobra's folders. See cobra.h, and cobra.c for the records.
 *
 * The write_id of a write is its value, so both formats give the value back. But if several transactions write the same
 * value, `cobra` gives the later ones new write_ids. A committed transaction ends with C; a transaction with an unknown
 * outcome must be the last of its session. Aborted ones are left out. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "formats/cobra.h"
#include "formats/log_folder.h"
#include "formats/survey.h"

typedef struct writing {
    const isolab_history *h;
    iso_numbers numbers;
    bool duplicate;            /* for the format in which equal values of different writers are equal */
    bool times, ids, sessions; /* written unchanged */
    uint64_t twins;            /* write_ids from this one on are new */
    FILE *out;
} writing;

static bool is_number(iso_atom a) {
    return a.kind == ISO_ATOM_UINT || (a.kind == ISO_ATOM_INT && (int64_t)a.bits >= 0);
}

/* Only the last transaction of a session may lack its commit. */
static bool stays_open(const isolab_history *h, uint32_t t) {
    return h->txn_status[t] == ISO_INDETERMINATE && t + 1 == h->session_txn[h->txn_session[t] + 1];
}

static bool is_dropped(const isolab_history *h, uint32_t t) {
    return h->txn_counts[t] == ISO_EXCLUDED && !stays_open(h, t);
}

/* Returns whether all starts, and the ends of exactly the committed transactions, exist and are not negative. */
static bool times_fit(const isolab_history *h) {
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns; t++) {
        bool open = stays_open(h, t);
        if (h->txn_start[t] < 0 || (open ? h->txn_end[t] != ISO_NO_TIME : h->txn_end[t] < 0)) {
            return false;
        }
    }
    return h->txn_start != NULL;
}

static int compare_numbers(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

/* Returns whether every transaction has a different number without a special meaning. */
static bool ids_fit(const isolab_history *h) {
    if (h->txn_name_kind == NULL) {
        return false;
    }
    uint64_t *ids = ISO_NEW(h->pool, uint64_t, h->n_txns);
    bool fit = true;
    for (uint32_t t = 0; fit && t < h->n_txns; t++) {
        iso_atom name = iso_txn_name(h, t);
        ids[t] = name.bits;
        fit = is_number(name) && name.bits != ISO_COBRA_INIT && name.bits != ISO_COBRA_NULL &&
              name.bits != ISO_COBRA_UNKNOWN;
    }
    if (fit) {
        qsort(ids, h->n_txns, sizeof *ids, compare_numbers);
    }
    for (uint32_t t = 1; fit && t < h->n_txns; t++) {
        fit = ids[t - 1] != ids[t];
    }
    iso_free(h->pool, ids);
    return fit;
}

/* Returns the first of n_ops numbers that are not values. If every power of two is used, twins get odd names. */
static uint64_t fresh_numbers(const iso_numbers *n) {
    const isolab_history *h = n->h;
    uint64_t base = 1ull << 32;
    for (bool free = false; !free && base < 1ull << 63;) {
        base *= 2;
        free = true;
        for (uint32_t v = 0; free && v < h->n_versions; v++) {
            iso_atom a = iso_number_of_version(n, v);
            free = a.kind == ISO_ATOM_NIL || a.bits - base >= h->n_ops;
        }
    }
    return base;
}

static writing survey(const isolab_history *h, bool duplicate) {
    writing w = {.h = h, .duplicate = duplicate};
    iso_numbers_init(&w.numbers, h, 0, UINT64_MAX, iso_atom_nil());
    w.times = times_fit(h);
    w.ids = ids_fit(h);
    w.sessions = iso_log_names_fit(h);
    w.twins = duplicate ? 0 : fresh_numbers(&w.numbers);
    return w;
}

/* Returns whether a write gets a number of its own, because another transaction writes the same value. */
static bool is_twin(const writing *w, uint32_t op) {
    const isolab_history *h = w->h;
    uint32_t n;
    const uint32_t *writers = iso_writers(h, h->op_version[op], &n);
    return !w->duplicate && n > 0 && h->op_txn[op] != h->op_txn[writers[0]];
}

static void count_losses(const isolab_history *h, bool duplicate, iso_losses *losses) {
    writing w = survey(h, duplicate);
    iso_losses_add(losses, &w.numbers.losses);
    uint64_t *count = losses->count;
    count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    count[ISO_LOSS_ABORTED] += h->n_aborted;
    count[ISO_LOSS_TIMES] += w.times ? 0 : iso_count_timed(h);
    count[ISO_LOSS_NAMES] += (w.ids ? 0 : iso_count_named_txns(h)) + (w.sessions ? 0 : iso_count_named_sessions(h));
    for (uint32_t t = 0; t < h->n_txns; t++) {
        count[ISO_LOSS_INDETERMINATE] += h->txn_status[t] == ISO_INDETERMINATE && !stays_open(h, t);
    }
    for (uint32_t o = 0; o < h->n_ops; o++) { /* the initial value can be read, not written */
        count[ISO_LOSS_INITIAL] += h->op_kind[o] == ISO_WRITE && iso_version_is_initial(h, h->op_version[o]);
        count[ISO_LOSS_DUPLICATES] += h->op_kind[o] == ISO_WRITE && !is_dropped(h, h->op_txn[o]) && is_twin(&w, o);
    }
}

void iso_cobra_survey(const isolab_history *h, iso_losses *losses) { count_losses(h, false, losses); }
void iso_cobra_duplicate_survey(const isolab_history *h, iso_losses *losses) { count_losses(h, true, losses); }

static void put_u64(FILE *out, uint64_t n) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(n >> (56 - 8 * i));
    }
    fwrite_unlocked(bytes, 1, 8, out);
}

/* Returns a transaction's number: from 1, skipping the special numbers. */
static uint64_t txn_id(const writing *w, uint32_t t) {
    uint64_t number = (uint64_t)t + 1;
    return w->ids ? w->h->txn_name_bits[t] : number >= ISO_COBRA_UNKNOWN ? number + (1ull << 32) : number;
}

/* Returns the number of a value. The initial value has none with which it could be written. */
static uint64_t value_number(const writing *w, uint32_t op) {
    uint32_t version = w->h->op_version[op];
    iso_atom value = iso_number_of_version(&w->numbers, version);
    return value.kind == ISO_ATOM_NIL ? w->numbers.value_base + version : value.bits;
}

static uint64_t write_id(const writing *w, uint32_t op) { return is_twin(w, op) ? w->twins + op : value_number(w, op); }

static void put_read(const writing *w, uint32_t op) {
    const isolab_history *h = w->h;
    bool initial = iso_version_is_initial(h, h->op_version[op]);
    uint32_t n = 0;
    const uint32_t *writers = initial ? NULL : iso_writers(h, h->op_version[op], &n);
    putc_unlocked('R', w->out);
    put_u64(w->out, initial                  ? ISO_COBRA_INIT
                    : n == 0 || w->duplicate ? ISO_COBRA_UNKNOWN
                                             : txn_id(w, h->op_txn[writers[0]]));
    put_u64(w->out, initial ? ISO_COBRA_INIT : value_number(w, op));
    put_u64(w->out, iso_number_of_key(&w->numbers, h->op_key[op]).bits);
    put_u64(w->out, initial ? 0 : value_number(w, op));
}

static void put_txn(const writing *w, uint32_t t) {
    const isolab_history *h = w->h;
    putc_unlocked('S', w->out);
    put_u64(w->out, txn_id(w, t));
    if (w->times) {
        put_u64(w->out, (uint64_t)h->txn_start[t]);
    }
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (h->op_kind[o] == ISO_READ) {
            put_read(w, o);
        } else if (h->op_kind[o] == ISO_WRITE) {
            putc_unlocked('W', w->out);
            put_u64(w->out, write_id(w, o));
            put_u64(w->out, iso_number_of_key(&w->numbers, h->op_key[o]).bits);
            put_u64(w->out, value_number(w, o));
        }
    }
    if (!stays_open(h, t)) {
        putc_unlocked('C', w->out);
        put_u64(w->out, txn_id(w, t));
        if (w->times) {
            put_u64(w->out, (uint64_t)h->txn_end[t]);
        }
    }
}

typedef struct member {
    writing *w;
    iso_sink *sink;
    uint32_t session;
} member;

static void put_session(void *arg, FILE *out) {
    member *m = arg;
    const isolab_history *h = m->w->h;
    m->w->out = out;
    for (uint32_t t = h->session_txn[m->session]; t < h->session_txn[m->session + 1]; t++) {
        iso_tick(m->sink->pool->env);
        if (!is_dropped(h, t)) {
            put_txn(m->w, t);
        }
    }
}

static void write_session(writing *w, iso_sink *sink, uint32_t s) {
    char name[32];
    snprintf(name, sizeof name, "T%" PRIu64 ".log", w->sessions ? w->h->session_name[s].bits : s);
    iso_log_write(sink, name, put_session, &(member){w, sink, s});
}

/* Marks a folder without logs as a history. */
static void write_empty(iso_sink *sink) {
    static const char text[] = "a history without sessions\n";
    char *path = iso_format_text(sink->pool, "%s/" ISO_COBRA_EMPTY, sink->path);
    iso_file_save(sink->pool->env, path, text, sizeof text - 1);
    iso_free(sink->pool, path);
}

static void write_folder(const isolab_history *h, iso_sink *sink, bool duplicate) {
    writing w = survey(h, duplicate);
    if (h->n_sessions == 0) {
        write_empty(sink);
    }
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        write_session(&w, sink, s);
    }
}

void iso_cobra_write(const isolab_history *h, iso_sink *sink) { write_folder(h, sink, false); }
void iso_cobra_duplicate_write(const isolab_history *h, iso_sink *sink) { write_folder(h, sink, true); }
