/* Viper's folders: a file J*.log for each session, with a transaction in each line as JSON.
 *
 *     {"value": [["r", key, value, false], ["w", key, value, true]]}
 *
 * The last field of a read says whether the value was deleted, that of a write whether it succeeded; a write that did
 * not is left out. A transaction with `"isInitial": true` is not one of its session: it writes the initial values. A
 * read returns the initial value if this transaction wrote its value, or if it is 0 (the tool's own initial value), and
 * no other transaction wrote that value; null does so, too. Aborted transactions are not in these logs. Inserts,
 * deletes and range queries (`i`, `d`, `range`) ask about predicates and are refused. Other members and fields are
 * skipped. Sessions are in the order of the files' names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "formats/json.h"
#include "formats/log_folder.h"
#include "formats/survey.h"
#include "history/initial.h"

#define INITIAL_LOG "JINITIAL.log"

typedef struct initial_value {
    uint32_t key;
    iso_atom value;
} initial_value;

typedef struct reading {
    iso_scan s;
    iso_builder *b;
    iso_pool *pool;
    const iso_log *log;
    uint32_t session; /* of the log; ISO_NONE: none of its transactions was there yet */
    bool has_value, has_initial, is_initial;
    const unsigned char *line, *value; /* beginnings of the transaction and of its operations */
    uint32_t txn;                      /* the current transaction; ISO_NONE: the initial one */
    initial_value *initial;
    uint32_t n_initial, initial_room;
} reading;

static iso_atom read_value(reading *r, bool nil) {
    return iso_json_atom(&r->s, r->b, nil,
                         nil ? "a value (an integer, a string or null)" : "a value (an integer or a string)");
}

/* Reads the last field that counts, true or false; there may be none. */
static bool read_flag(reading *r, bool otherwise) {
    iso_scan *s = &r->s;
    if (iso_json_space(s) != ',') {
        return otherwise;
    }
    s->at++;
    iso_json_space(s);
    bool flag = iso_json_word(s, "true");
    if (!flag && !iso_json_word(s, "false")) {
        iso_scan_expected(s, s->at, "true or false");
    }
    return flag;
}

static void add_op(reading *r, iso_op_kind kind, iso_atom key, iso_atom value) {
    uint32_t k = iso_builder_key(r->b, key);
    if (r->txn != ISO_NONE) {
        iso_builder_op(r->b, r->txn, kind, k, value);
        return;
    }
    ISO_GROW(r->pool, r->initial, r->n_initial, r->initial_room);
    r->initial[r->n_initial++] = (initial_value){k, value};
}

static void read_op(void *arg) {
    reading *r = arg;
    iso_scan *s = &r->s;
    iso_json_expect(s, '[', "'[' and an operation");
    iso_json_space(s);
    const unsigned char *from = s->at;
    iso_text verb = iso_json_string(s, "\"r\" or \"w\"", false);
    bool read = iso_text_is(verb, "r");
    if (iso_text_is(verb, "range") || iso_text_is(verb, "i") || iso_text_is(verb, "d")) {
        iso_scan_fail(
            s, from, "expected \"r\" or \"w\", found \"%.*s\": inserts, deletes and range queries ask about predicates",
            (int)verb.length, verb.bytes);
    }
    if (!read && !iso_text_is(verb, "w")) {
        iso_scan_expected(s, from, "\"r\" or \"w\"");
    }
    if (read && r->txn == ISO_NONE) {
        iso_scan_fail(s, from, "expected writes alone in the initial transaction, found a read");
    }
    iso_json_expect(s, ',', "','");
    iso_json_space(s);
    iso_atom key = iso_json_atom(s, r->b, false, "a key (an integer or a string)");
    iso_json_expect(s, ',', "','");
    iso_json_space(s);
    iso_atom value = read_value(r, read);
    const unsigned char *flag = s->at;
    bool said = read_flag(r, !read);
    if (read && said) {
        iso_scan_fail(s, flag, "expected a value that was not deleted: deletes ask about predicates");
    }
    while (iso_json_more(s, ']')) {
        iso_json_space(s);
        iso_json_skip(s);
    }
    if (read || said) {
        add_op(r, read ? ISO_READ : ISO_WRITE, key, value);
    }
}

/* The operations come after it is known whether the transaction is the initial one, so they are skipped at first. */
static bool look_at_member(void *arg, iso_text name) {
    reading *r = arg;
    if (iso_text_is(name, "value")) {
        iso_json_once(&r->s, &r->has_value, "member \"value\"");
        r->value = r->s.at;
        return false;
    }
    if (iso_text_is(name, "isInitial")) {
        iso_json_once(&r->s, &r->has_initial, "member \"isInitial\"");
        r->is_initial = iso_json_word(&r->s, "true");
        if (!r->is_initial && !iso_json_word(&r->s, "false")) {
            iso_scan_expected(&r->s, r->s.at, "true or false");
        }
        return true;
    }
    return false;
}

static void read_txn(reading *r) {
    r->has_value = r->has_initial = r->is_initial = false;
    r->line = r->s.at;
    iso_json_members(&r->s, "'{' and a transaction", look_at_member, r);
    if (!r->has_value) {
        iso_scan_fail(&r->s, r->line, "expected a member \"value\", found none");
    }
    const unsigned char *after = r->s.at;
    r->txn = ISO_NONE;
    if (!r->is_initial) {
        r->session = r->session == ISO_NONE ? iso_builder_session(r->b, r->log->name) : r->session;
        r->txn = iso_builder_txn(r->b, r->session, iso_atom_nil(), ISO_COMMITTED);
    }
    r->s.at = r->value;
    iso_json_elements(&r->s, "'[' and the operations", read_op, r);
    r->s.at = after;
}

static void read_log(void *arg) {
    reading *r = arg;
    bool initial = false;
    r->session = ISO_NONE;
    iso_scan_init(&r->s, &r->log->source);
    for (iso_json_space(&r->s); r->s.at < r->s.end; iso_json_space(&r->s)) {
        iso_tick(r->pool->env);
        r->s.one_line = true;
        read_txn(r);
        initial |= r->is_initial;
        iso_json_space(&r->s);
        if (r->s.at < r->s.end && *r->s.at != '\n' && *r->s.at != '\r') {
            iso_scan_expected(&r->s, r->s.at, "the end of the line");
        }
        r->s.one_line = false;
    }
    if (r->session == ISO_NONE && !initial) {
        iso_builder_session(r->b, r->log->name);
    }
}

/* Errors of a log name it. */
static void read_logs(reading *r, const iso_log *logs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        r->log = &logs[i];
        if (iso_guard(r->pool->env, read_log, r) != ISOLAB_OK) {
            snprintf(r->pool->env->error.file, sizeof r->pool->env->error.file, "%s", logs[i].path);
            iso_rethrow(r->pool->env);
        }
    }
}

static uint64_t hash_of(uint32_t key, iso_atom value) { return iso_mix2(iso_mix2(key, value.kind), value.bits); }

/* Returns the place of a key's value in a list, or ISO_NONE. */
static uint32_t find(const iso_index *index, const initial_value *list, uint32_t key, iso_atom value) {
    uint32_t at, i = iso_index_first(index, hash_of(key, value), &at);
    while (i != ISO_NONE && !(list[i].key == key && iso_atom_equal(list[i].value, value))) {
        i = iso_index_next(index, hash_of(key, value), &at);
    }
    return i;
}

/* Turns the reads of initial values into reads of nil. */
static void settle(reading *r) {
    iso_op_columns *c = iso_builder_room(r->b, 0);
    initial_value *written = NULL;
    uint32_t n = 0, room = 0;
    iso_index initial, others;
    iso_index_init(&initial, r->pool, r->n_initial);
    iso_index_init(&others, r->pool, 0);
    for (uint32_t i = 0; i < r->n_initial; i++) {
        iso_index_add(&initial, hash_of(r->initial[i].key, r->initial[i].value), i);
    }
    for (uint64_t i = 0; i < c->n; i++) {
        iso_atom value = {c->value_bits[i], c->value_kind[i]};
        if (c->kind[i] == ISO_WRITE && find(&others, written, c->key[i], value) == ISO_NONE) {
            ISO_GROW(r->pool, written, n, room);
            written[n] = (initial_value){c->key[i], value};
            iso_index_add(&others, hash_of(c->key[i], value), n++);
        }
    }
    for (uint64_t i = 0; i < c->n; i++) {
        iso_atom value = {c->value_bits[i], c->value_kind[i]};
        bool initially =
            iso_atom_equal(value, iso_atom_int(0)) || find(&initial, r->initial, c->key[i], value) != ISO_NONE;
        if (c->kind[i] == ISO_READ && initially && find(&others, written, c->key[i], value) == ISO_NONE) {
            c->value_kind[i] = ISO_ATOM_NIL;
            c->value_bits[i] = 0;
        }
    }
    iso_index_free(&initial);
    iso_index_free(&others);
    iso_free(r->pool, written);
}

static isolab_history *read_viper(iso_source *source) {
    reading r = {.pool = source->pool, .b = iso_source_builder(source)};
    uint32_t n = 0;
    iso_log *logs = iso_logs_open(r.pool, r.b, source->path, 'J', &n);
    if (n == 0) {
        iso_throw_input(r.pool->env, 0, ISOLAB_NO_OFFSET, "expected files J*.log in the folder, found none");
    }
    read_logs(&r, logs, n);
    settle(&r);
    iso_free(r.pool, r.initial);
    return iso_builder_finish(r.b);
}

typedef struct sample {
    const char *folder;
    unsigned logs, json, values;
} sample;

static void sample_log(void *arg, const char *name) {
    sample *s = arg;
    unsigned char bytes[4097];
    s->logs++;
    size_t n = *name == 'J' && s->logs < 64 ? iso_log_begin(s->folder, name, bytes, sizeof bytes - 1) : 0;
    bytes[n] = '\0';
    size_t space = strspn((const char *)bytes, " \t\r\n");
    s->json += n > 0 && (space == n || bytes[space] == '{');
    s->values += n > 0 && strstr((const char *)bytes, "\"value\"") != NULL;
}

static int detect_viper(const iso_source *source) {
    sample s = {.folder = source->path};
    if (!source->folder || !iso_logs_each(source->path, sample_log, &s) || s.json == 0) {
        return 0;
    }
    return s.json == s.logs ? (s.values > 0 ? 95 : 60) : 0;
}

typedef struct writing {
    const isolab_history *h;
    iso_numbers numbers;
    bool sessions; /* their names are kept */
    uint32_t session;
} writing;

/* 0 is the initial value, so a value 0 becomes another one. */
static void init(writing *w, const isolab_history *h) {
    *w = (writing){.h = h, .sessions = iso_log_names_fit(h)};
    iso_numbers_init(&w->numbers, h, INT64_MIN, UINT64_MAX, iso_atom_int(0));
}

static void survey_viper(const isolab_history *h, iso_losses *losses) {
    writing w;
    init(&w, h);
    iso_losses_add(losses, &w.numbers.losses);
    uint64_t *count = losses->count;
    count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    count[ISO_LOSS_ABORTED] += h->n_aborted;
    count[ISO_LOSS_INDETERMINATE] += h->n_indeterminate;
    count[ISO_LOSS_TIMES] += iso_count_timed(h);
    count[ISO_LOSS_NAMES] += iso_count_named_txns(h) + (w.sessions ? 0 : iso_count_named_sessions(h));
    for (uint32_t o = 0; o < h->n_ops; o++) {
        count[ISO_LOSS_INITIAL] += h->op_kind[o] == ISO_WRITE && iso_version_is_initial(h, h->op_version[o]);
    }
}

static void put_op(FILE *out, const writing *w, uint32_t o) {
    const isolab_history *h = w->h;
    bool read = h->op_kind[o] == ISO_READ, initial = iso_version_is_initial(h, h->op_version[o]);
    iso_put_text(out, read ? "[\"r\", " : "[\"w\", ");
    iso_put_integer(out, iso_number_of_key(&w->numbers, h->op_key[o]));
    iso_put_text(out, ", ");
    iso_put_integer(out, !initial ? iso_number_of_version(&w->numbers, h->op_version[o])
                         : read   ? iso_atom_int(0)
                                  : iso_atom_uint(w->numbers.value_base + h->op_version[o]));
    iso_put_text(out, read ? ", false]" : ", true]");
}

static void put_session(void *arg, FILE *out) {
    const writing *w = arg;
    const isolab_history *h = w->h;
    bool any = false;
    for (uint32_t t = h->session_txn[w->session]; t < h->session_txn[w->session + 1]; t++) {
        bool first = true;
        iso_tick(h->pool->env);
        if (h->txn_counts[t] == ISO_EXCLUDED) {
            continue;
        }
        iso_put_text(out, "{\"value\": [");
        for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
            if (!iso_is_list_op(h->op_kind[o])) {
                iso_put_text(out, first ? "" : ", ");
                put_op(out, w, o);
                first = false;
            }
        }
        iso_put_text(out, "]}\n");
        any = true;
    }
    iso_put_text(out, any ? "" : "\n"); /* the tool wants a line */
}

/* The initial transaction: without it the tool takes every value without a writer as initial. */
static void put_initial(void *arg, FILE *out) {
    const writing *w = arg;
    bool first = true;
    iso_put_text(out, "{\"value\": [");
    for (uint32_t k = 0; k < w->h->n_keys; k++) {
        if (!w->h->key_is_list[k]) {
            iso_put_text(out, first ? "[\"w\", " : ", [\"w\", ");
            iso_put_integer(out, iso_number_of_key(&w->numbers, k));
            iso_put_text(out, ", 0, true]");
            first = false;
        }
    }
    iso_put_text(out, "], \"isInitial\": true}\n");
}

static void write_viper(const isolab_history *h, iso_sink *sink) {
    writing w;
    init(&w, h);
    iso_log_write(sink, INITIAL_LOG, put_initial, &w);
    for (w.session = 0; w.session < h->n_sessions; w.session++) {
        char name[32];
        snprintf(name, sizeof name, "J%" PRIu64 ".log", w.sessions ? h->session_name[w.session].bits : w.session);
        iso_log_write(sink, name, put_session, &w);
    }
}

const iso_format iso_format_viper = {
    .name = "viper",
    .summary =
        "a folder of Viper's J*.log files, one a session, a transaction a line as JSON; 0 is initial unless written",
    .extensions = ".viper",
    .flags = ISO_FORMAT_FOLDER,
    .detect = detect_viper,
    .read = read_viper,
    .survey = survey_viper,
    .write = write_viper,
};
