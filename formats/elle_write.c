/* Writes a history as the log of its operations: an :invoke and a completion for each transaction. See elle.h.
 *
 * In a log of registers (ISO_ELLE_CALLS) a transaction is a call: one read, one write, or a read and then a write of
 * one key, which is a compare-and-set. It has no other ones, and none that aborted; its order is the only time.
 *
 * The log is in the order of time, because Jepsen's tools read it that way: the sessions are merged by the time of
 * their next operation. A session whose transaction stayed indeterminate continues under a new process number. */
#define _GNU_SOURCE
#include <string.h>

#include "base/heap.h"
#include "base/utf8.h"
#include "formats/elle.h"
#include "formats/survey.h"

typedef struct writing {
    const isolab_history *h;
    FILE *out;
    bool json, calls;
    bool alone; /* calls: there is one register, which has no name */
    uint64_t index;
    uint64_t fresh; /* the next unused process number */
    /* by session */
    iso_atom *process; /* its current number */
    uint32_t *next;    /* its next transaction */
    bool *invoked;     /* whose invocation is written */
    int64_t *at;       /* the instant of its next operation, never decreasing */
    iso_heap waiting;  /* the sessions that have operations left, by before() */
} writing;

static bool is_number(iso_atom a) { return a.kind == ISO_ATOM_INT || a.kind == ISO_ATOM_UINT; }

static bool below(iso_atom a, iso_atom b) {
    bool a_big = a.kind == ISO_ATOM_UINT, b_big = b.kind == ISO_ATOM_UINT;
    return a_big != b_big ? b_big : a_big ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
}

static int64_t start_of(const isolab_history *h, uint32_t t) {
    return h->txn_start == NULL ? ISO_NO_TIME : h->txn_start[t];
}

static int64_t end_of(const isolab_history *h, uint32_t t) {
    return h->txn_end == NULL || h->txn_status[t] == ISO_INDETERMINATE ? ISO_NO_TIME : h->txn_end[t];
}

/* ---- losses ---- */

static uint64_t sessions_out_of_order(const isolab_history *h) {
    uint64_t base = iso_session_base(h), n = 0;
    iso_atom last = iso_atom_int(INT64_MIN);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_atom name = iso_session_label(h, s, base);
        if (!is_number(name)) {
            n++;
        } else {
            n += s > 0 && !below(last, name);
            n += h->session_name[s].kind == ISO_ATOM_NIL && base > 0;
            last = name;
        }
    }
    return n;
}

bool iso_elle_is_call(const isolab_history *h, uint32_t t) {
    uint32_t first = h->txn_op[t], n = h->txn_op[t + 1] - first;
    bool cas = n == 2 && h->op_kind[first] == ISO_READ && h->op_kind[first + 1] == ISO_WRITE &&
               h->op_key[first] == h->op_key[first + 1];
    bool one = n == 1 &&
               (h->op_kind[first] == ISO_WRITE || (h->op_kind[first] == ISO_READ && h->txn_status[t] == ISO_COMMITTED));
    return (one || cas) && !iso_op_is_negation(h, first) && h->txn_status[t] != ISO_ABORTED;
}

static void survey_calls(const isolab_history *h, iso_losses *losses) {
    losses->count[ISO_LOSS_NAMES] += sessions_out_of_order(h);
    losses->count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        losses->count[ISO_LOSS_EMPTY] += iso_session_is_empty(h, s);
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool call = iso_elle_is_call(h, t), aborted = h->txn_status[t] == ISO_ABORTED;
        bool indeterminate = h->txn_status[t] == ISO_INDETERMINATE;
        bool last = t + 1 == h->session_txn[h->txn_session[t] + 1];
        losses->count[ISO_LOSS_ABORTED] += aborted;
        losses->count[ISO_LOSS_CALLS] += !call && !aborted;
        losses->count[ISO_LOSS_SESSIONS] += call && indeterminate && !last;
        losses->count[ISO_LOSS_NAMES] += iso_txn_name(h, t).kind != ISO_ATOM_NIL;
        losses->count[ISO_LOSS_TIMES] +=
            call && (h->time_unit != ISO_TIME_PLACE || h->txn_start == NULL || start_of(h, t) == ISO_NO_TIME ||
                     (end_of(h, t) == ISO_NO_TIME) != indeterminate);
    }
}

void iso_elle_survey(const isolab_history *h, iso_losses *losses, iso_elle_form form) {
    bool json = form == ISO_ELLE_JSON;
    if (form == ISO_ELLE_CALLS) {
        survey_calls(h, losses);
        return;
    }
    losses->count[ISO_LOSS_STRINGS] += json ? iso_count_bad_text(h) : 0;
    losses->count[ISO_LOSS_NAMES] += sessions_out_of_order(h);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        losses->count[ISO_LOSS_EMPTY] += iso_session_is_empty(h, s);
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        bool indeterminate = h->txn_status[t] == ISO_INDETERMINATE;
        bool last = t + 1 == h->session_txn[h->txn_session[t] + 1];
        losses->count[ISO_LOSS_SESSIONS] += indeterminate && !last;
        losses->count[ISO_LOSS_NAMES] += iso_txn_name(h, t).kind != ISO_ATOM_NIL;
        losses->count[ISO_LOSS_TIMES] += h->txn_start != NULL && (h->txn_start[t] == -1 || h->txn_end[t] == -1 ||
                                                                  (indeterminate && h->txn_end[t] != ISO_NO_TIME));
        for (uint32_t o = h->txn_op[t]; h->txn_status[t] != ISO_COMMITTED && o < h->txn_op[t + 1]; o++) {
            /* nil in a transaction that did not commit means that the result is not known */
            losses->count[ISO_LOSS_INITIAL] += h->op_kind[o] == ISO_READ && iso_version_is_initial(h, h->op_version[o]);
        }
    }
}

/* ---- operations ---- */

static void put_string(const writing *w, const char *bytes, uint64_t length) {
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
    putc_unlocked('"', w->out);
    while (p < end) {
        unsigned n = iso_utf8_length(p, end);
        if (*p == '"' || *p == '\\') {
            putc_unlocked('\\', w->out);
            putc_unlocked(*p, w->out);
        } else if (n > 0 && iso_utf8_hidden(iso_utf8_number(p, n))) {
            iso_json_put_escaped(w->out, iso_utf8_number(p, n));
        } else {
            fwrite_unlocked(p, 1, n == 0 ? 1 : n, w->out); /* EDN has no escape for a byte */
        }
        p += n == 0 ? 1 : n;
    }
    putc_unlocked('"', w->out);
}

/* Returns whether it is a colon and a name that every reader takes for a keyword. */
static bool is_keyword(const char *bytes, uint64_t length) {
    for (uint64_t i = 1; i < length; i++) {
        char c = bytes[i];
        bool letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
        if (!letter && (i == 1 || (!iso_is_digit((unsigned char)c) && c != '-' && c != '.'))) {
            return false;
        }
    }
    return length > 1 && bytes[0] == ':';
}

static void put_atom(const writing *w, iso_atom atom) {
    if (w->json) {
        iso_json_put_atom(w->out, w->h, atom);
    } else if (atom.kind == ISO_ATOM_NIL) {
        iso_put_text(w->out, "nil");
    } else if (atom.kind == ISO_ATOM_STRING) {
        uint64_t length;
        const char *bytes = iso_string(w->h, atom.bits, &length);
        if (is_keyword(bytes, length)) {
            fwrite_unlocked(bytes, 1, length, w->out);
        } else {
            put_string(w, bytes, length);
        }
    } else {
        iso_put_integer(w->out, atom);
    }
}

static void put_separator(const writing *w) { putc_unlocked(w->json ? ',' : ' ', w->out); }

static void put_operation(const writing *w, uint32_t op, bool results) {
    static const char *const verb[2][4] = {{"[:r ", "[:w ", "[:append ", "[:r "},
                                           {"[\"r\",", "[\"w\",", "[\"append\",", "[\"r\","}};
    const isolab_history *h = w->h;
    uint8_t kind = h->op_kind[op];
    iso_put_text(w->out, verb[w->json][kind]);
    put_atom(w, h->key_name[h->op_key[op]]);
    put_separator(w);
    if (!results && !iso_is_write(kind)) {
        put_atom(w, iso_atom_nil());
    } else if (kind != ISO_LIST_READ) {
        put_atom(w, iso_version_value(h, h->op_version[op]));
    } else {
        putc_unlocked('[', w->out);
        uint32_t l = h->op_version[op];
        for (uint32_t e = h->list_first[l]; e < h->list_first[l + 1]; e++) {
            if (e > h->list_first[l]) {
                put_separator(w);
            }
            put_atom(w, iso_version_value(h, h->list_version[e]));
        }
        putc_unlocked(']', w->out);
    }
    putc_unlocked(']', w->out);
}

/* Writes :f and :value of a call. */
static void put_call(const writing *w, uint32_t t, bool results) {
    const isolab_history *h = w->h;
    uint32_t first = h->txn_op[t];
    bool cas = h->txn_op[t + 1] - first == 2, write = !cas && h->op_kind[first] == ISO_WRITE;
    iso_put_text(w->out, cas ? ", :f :cas, :value " : write ? ", :f :write, :value " : ", :f :read, :value ");
    if (!w->alone) {
        putc_unlocked('[', w->out);
        put_atom(w, h->key_name[h->op_key[first]]);
        putc_unlocked(' ', w->out);
    }
    iso_put_text(w->out, cas ? "[" : "");
    put_atom(w, cas || write || results ? iso_version_value(h, h->op_version[first]) : iso_atom_nil());
    if (cas) {
        putc_unlocked(' ', w->out);
        put_atom(w, iso_version_value(h, h->op_version[first + 1]));
    }
    iso_put_text(w->out, cas ? "]" : "");
    iso_put_text(w->out, w->alone ? "}" : "]}");
}

/* Writes an event. type: of the invocation or of the completion. An unknown time is -1 (Jepsen's records cannot hold
 * nil), so that a reader does not take the order of the log for it. */
static void put_event(writing *w, uint32_t t, iso_atom process, const char *type, int64_t time, bool results) {
    const isolab_history *h = w->h;
    bool j = w->json;
    if (w->index > 0) {
        iso_put_text(w->out, j ? ",\n" : "\n");
    }
    iso_put_text(w->out, j ? "{\"index\":" : "{:index ");
    iso_put_integer(w->out, iso_atom_uint(w->index++));
    iso_put_text(w->out, j ? ",\"type\":\"" : ", :type :");
    iso_put_text(w->out, type);
    iso_put_text(w->out, j ? "\",\"process\":" : ", :process ");
    iso_put_integer(w->out, process);
    if (w->calls) {
        put_call(w, t, results);
        return;
    }
    iso_put_text(w->out, j ? ",\"time\":" : ", :time ");
    iso_put_integer(w->out, iso_atom_int(time == ISO_NO_TIME ? -1 : time));
    iso_put_text(w->out, j ? ",\"f\":\"txn\",\"value\":[" : ", :f :txn, :value [");
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
        if (o > h->txn_op[t]) {
            put_separator(w);
        }
        put_operation(w, o, results);
    }
    iso_put_text(w->out, "]}");
}

/* ---- the merge ---- */

/* The earlier instant; at one instant, invocations before completions: those transactions are concurrent. */
static bool before(const void *writer, uint32_t a, uint32_t b) {
    const writing *w = writer;
    if (w->at[a] != w->at[b]) {
        return w->at[a] < w->at[b];
    }
    return w->invoked[a] != w->invoked[b] ? w->invoked[b] : a < b;
}

static void wait_until(writing *w, uint32_t session, int64_t instant) {
    w->at[session] = instant > w->at[session] ? instant : w->at[session];
}

/* A session's own number is its process number if it has one. Others get numbers from here: the first range of unused
 * numbers that is large enough. */
static uint64_t free_numbers(const writing *w) {
    const isolab_history *h = w->h;
    uint64_t needed = (uint64_t)h->n_txns + h->n_sessions, from = 0;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t s = 0; s < h->n_sessions; s++) {
            iso_atom a = w->process[s];
            bool natural = a.kind == ISO_ATOM_UINT || (a.kind == ISO_ATOM_INT && (int64_t)a.bits >= 0);
            if (natural && a.bits >= from && a.bits - from < needed) {
                from = a.bits + 1;
                again = true;
            }
        }
    }
    return from;
}

/* Returns the first transaction from t on, of its session, which is written; session_txn[s + 1]: there is none. */
static uint32_t next_written(const writing *w, uint32_t t, uint32_t s) {
    while (w->calls && t < w->h->session_txn[s + 1] && !iso_elle_is_call(w->h, t)) {
        t++;
    }
    return t;
}

static void start_sessions(writing *w, iso_pool *pool) {
    const isolab_history *h = w->h;
    uint32_t n = h->n_sessions;
    w->process = ISO_NEW(pool, iso_atom, n);
    w->next = ISO_NEW(pool, uint32_t, n);
    w->invoked = ISO_ZNEW(pool, bool, n);
    w->at = ISO_NEW(pool, int64_t, n);
    w->waiting.pool = pool;
    uint64_t base = iso_session_base(h);
    for (uint32_t s = 0; s < n; s++) {
        w->process[s] = iso_session_label(h, s, base);
    }
    w->fresh = free_numbers(w);
    for (uint32_t s = 0; s < n; s++) {
        if (!is_number(w->process[s])) {
            w->process[s] = iso_atom_uint(w->fresh++);
        }
        w->next[s] = next_written(w, h->session_txn[s], s);
        if (w->next[s] < h->session_txn[s + 1]) {
            w->at[s] = start_of(h, w->next[s]); /* ISO_NO_TIME is the smallest of all instants */
            iso_heap_push(&w->waiting, s, before, w);
        }
    }
}

/* Writes the next operation of the session that waits for the earliest instant. */
static void step(writing *w) {
    static const char *const type[] = {"ok", "fail", "info"};
    const isolab_history *h = w->h;
    uint32_t s = iso_heap_pop(&w->waiting, before, w), t = w->next[s];
    if (!w->invoked[s]) {
        put_event(w, t, w->process[s], "invoke", start_of(h, t), false);
        wait_until(w, s, end_of(h, t));
        w->invoked[s] = w->calls && h->txn_status[t] == ISO_INDETERMINATE; /* then :info follows, which has no time */
    }
    if (w->invoked[s]) {
        put_event(w, t, w->process[s], type[h->txn_status[t]], end_of(h, t), true);
        bool again = h->txn_status[t] == ISO_INDETERMINATE;
        t = w->next[s] = next_written(w, t + 1, s);
        if (t == h->session_txn[s + 1]) {
            return;
        }
        wait_until(w, s, start_of(h, t));
        if (again) {
            w->process[s] = iso_atom_uint(w->fresh++);
        }
    }
    w->invoked[s] = !w->invoked[s];
    iso_heap_push(&w->waiting, s, before, w);
}

/* Returns whether the only register has the name that a log without names gives it. */
static bool is_alone(const isolab_history *h) {
    uint64_t length = 0;
    const char *name =
        h->n_keys == 1 && h->key_name[0].kind == ISO_ATOM_STRING ? iso_string(h, h->key_name[0].bits, &length) : NULL;
    return name != NULL && length == 8 && memcmp(name, "register", 8) == 0;
}

void iso_elle_write(const isolab_history *h, iso_sink *sink, iso_elle_form form) {
    bool json = form == ISO_ELLE_JSON;
    writing w = {.h = h, .out = sink->out, .json = json, .calls = form == ISO_ELLE_CALLS, .alone = is_alone(h)};
    start_sessions(&w, sink->pool);
    iso_put_text(w.out, json || w.waiting.n == 0 ? "[" : "");
    while (w.waiting.n > 0) {
        iso_tick(sink->pool->env);
        step(&w);
    }
    iso_put_text(w.out, json || w.index == 0 ? "]\n" : "\n");
    iso_free(sink->pool, w.process);
    iso_free(sink->pool, w.next);
    iso_free(sink->pool, w.invoked);
    iso_free(sink->pool, w.at);
    iso_free(sink->pool, w.waiting.item);
}
