/* What happened, as a person would say it: the sentences before the proof. See words.h.
 *
 * A cycle is told by its *misses*: reads that returned a version although another transaction on the cycle wrote a later
 * one. Kinds of anomaly differ in how many misses there are and in how the reader had seen the writer that it missed. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "explain/story.h"

enum { MISSES = 4 };

typedef struct miss {
    uint32_t reader, read; /* transaction and operation */
    uint32_t newer, write; /* the missed one */
    const iso_edge *path;  /* how the reader comes after it: edges, or NULL */
    uint32_t n_path;
} miss;

typedef struct story {
    const isolab_history *h;
    const iso_result *result;
    const iso_anomaly *a;
    char *text;
    size_t used;
    uint32_t met[8], n_met; /* transactions whose session was told */
    miss miss[MISSES];
    uint32_t n_misses; /* may be more than were kept */
} story;

static void say(story *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(story *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(s->text + s->used, ISO_SENTENCE_SIZE - s->used, format, args);
    va_end(args);
    s->used += n < 0 ? 0 : (size_t)n;
    s->used = s->used < ISO_SENTENCE_SIZE ? s->used : ISO_SENTENCE_SIZE - 1;
}

/* Returns whether a transaction is met for the first time. */
static bool meet(story *s, uint32_t txn) {
    for (uint32_t i = 0; i < s->n_met; i++) {
        if (s->met[i] == txn) {
            return false;
        }
    }
    if (s->n_met == sizeof s->met / sizeof *s->met || txn >= s->h->n_txns) {
        return false;
    }
    s->met[s->n_met++] = txn;
    return true;
}

/* Says a transaction; when it is first met, with its session. */
static void say_txn(story *s, uint32_t txn) {
    char name[ISO_WORD_SIZE], session[ISO_NAME_SIZE];
    const isolab_history *h = s->h;
    say(s, "%s", iso_word_txn(h, txn, name));
    bool said = h->names_repeat && iso_txn_name(h, txn).kind != ISO_ATOM_NIL;
    if (meet(s, txn) && !said && h->n_sessions > 1) {
        say(s, " (session %s)", iso_word_session(h, h->txn_session[txn], session));
    }
}

static void say_did(story *s, uint32_t op) {
    char text[512];
    say(s, "%s", iso_word_did(s->h, op, ISO_NONE, ISO_NONE, text, sizeof text));
}

static void say_key(story *s, uint32_t key) {
    char name[ISO_WORD_SIZE];
    say(s, "%s", iso_word_key(s->h, key, name));
}

/* Says who wrote what a read returned. */
static void say_origin(story *s, uint32_t read) {
    char name[ISO_WORD_SIZE];
    uint32_t writer = iso_writer_txn(s->h, read);
    if (s->h->op_kind[read] == ISO_LIST_READ || writer == s->h->op_txn[read]) {
        return;
    }
    if (writer == ISO_INIT) {
        say(s, " (the initial value)");
    } else if (writer != ISO_NONE) {
        say(s, " (written by %s)", iso_word_txn(s->h, writer, name));
    }
}

/* ---- reads that offend by themselves ---- */

static void say_value(story *s, uint32_t read, uint32_t position) {
    char value[ISO_NAME_SIZE];
    uint32_t version = s->h->list_version[s->h->list_first[s->h->op_version[read]] + position];
    say(s, "%s", iso_atom_text(s->h, iso_version_value(s->h, version), value));
}

static uint32_t length_of(const isolab_history *h, uint32_t read) {
    return h->list_first[h->op_version[read] + 1] - h->list_first[h->op_version[read]];
}

static void say_read_at(story *s, uint32_t read, uint32_t one, uint32_t two) {
    char text[512];
    say_txn(s, s->h->op_txn[read]);
    say(s, " %s", iso_word_did(s->h, read, one, two, text, sizeof text));
}

/* Returns the position of the first element, from `from` on, of a version; ISO_NONE: none. */
static uint32_t position_of(const isolab_history *h, uint32_t read, uint32_t version, uint32_t from) {
    for (uint32_t i = from; i < length_of(h, read); i++) {
        if (h->list_version[h->list_first[h->op_version[read]] + i] == version) {
            return i;
        }
    }
    return ISO_NONE;
}

/* Returns the position of the first element that no transaction appended, or that this one did (ISO_NONE: not asked). */
static uint32_t odd_element(const isolab_history *h, uint32_t read, uint32_t txn) {
    if (txn != ISO_NONE) {
        return iso_element_of(h, read, txn, 0);
    }
    for (uint32_t i = 0; i < length_of(h, read); i++) {
        uint32_t n;
        iso_writers(h, h->list_version[h->list_first[h->op_version[read]] + i], &n);
        if (n == 0) {
            return i;
        }
    }
    return ISO_NONE;
}

/* An offending list read: names the element, and its position. Returns false if it is not of this sort. */
static bool tell_list_read(story *s) {
    const isolab_history *h = s->h;
    const iso_anomaly *a = s->a;
    bool thin = a->kind == ISO_A_THIN_AIR;
    if (h->op_kind[a->op] != ISO_LIST_READ || (!thin && a->other_op >= h->n_ops)) {
        return false;
    }
    uint32_t at = odd_element(h, a->op, thin ? ISO_NONE : h->op_txn[a->other_op]), n = length_of(h, a->op);
    if (at == ISO_NONE || (!thin && a->kind != ISO_A_ABORTED_READ)) {
        return false;
    }
    say_read_at(s, a->op, at, ISO_NONE);
    say(s, ", but ");
    if (thin) {
        say(s, "no transaction appended the ");
    }
    if (!thin) {
        say(s, "the ");
    }
    say_value(s, a->op, at);
    say(s, " (element %" PRIu32 " of %" PRIu32 ")", at + 1, n);
    if (!thin) {
        say(s, " was appended by ");
        say_txn(s, h->op_txn[a->other_op]);
        say(s, ", which did not commit");
    }
    say(s, ".");
    return true;
}

static void tell_duplicate(story *s) {
    const isolab_history *h = s->h;
    uint32_t version = h->op_version[s->a->other_op], read = s->a->op;
    uint32_t one = position_of(h, read, version, 0);
    uint32_t two = one == ISO_NONE ? ISO_NONE : position_of(h, read, version, one + 1);
    say_read_at(s, read, one, two);
    if (two != ISO_NONE) {
        say(s, ", which shows ");
        say_value(s, read, one);
        say(s, " twice, as elements %" PRIu32 " and %" PRIu32 " of %" PRIu32, one + 1, two + 1, length_of(h, read));
    }
    say(s, "; ");
    say_txn(s, h->op_txn[s->a->other_op]);
    say(s, " ");
    say_did(s, s->a->other_op);
    say(s, " once.");
}

static void tell_disagreement(story *s) {
    const isolab_history *h = s->h;
    uint32_t one = s->a->op, two = s->a->other_op, n = length_of(h, one), m = length_of(h, two), at = 0;
    const uint32_t *a = h->list_version + h->list_first[h->op_version[one]];
    const uint32_t *b = h->list_version + h->list_first[h->op_version[two]];
    while (at < n && at < m && a[at] == b[at]) {
        at++;
    }
    say_read_at(s, one, at, ISO_NONE);
    say(s, "; ");
    say_read_at(s, two, at, ISO_NONE);
    if (at < n && at < m) {
        say(s, ". They disagree on element %" PRIu32 ": ", at + 1);
        say_value(s, one, at);
        say(s, " against ");
        say_value(s, two, at);
    }
    say(s, ". An append never moves what stands in a list.");
}

static void tell_lost_element(story *s) {
    const isolab_history *h = s->h;
    uint32_t at = iso_element_of(h, s->a->op, h->op_txn[s->a->other_op], 0);
    say_read_at(s, s->a->op, at, ISO_NONE);
    say(s, ", but ");
    say_txn(s, h->op_txn[s->a->other_op]);
    say(s, " also ");
    say_did(s, s->a->other_op);
    if (at != ISO_NONE) {
        say(s, ", with the ");
        say_value(s, s->a->op, at);
        say(s, " that the list shows as element %" PRIu32, at + 1);
    }
    say(s, ".");
}

static void tell_two_reads(story *s, uint32_t one, uint32_t two) {
    if (one > two) { /* in program order */
        uint32_t swap = one;
        one = two;
        two = swap;
    }
    say_txn(s, s->h->op_txn[one]);
    say(s, " first ");
    say_did(s, one);
    say_origin(s, one);
    say(s, ", and then, in the same transaction, ");
    say_did(s, two);
    say_origin(s, two);
    say(s, ".");
}

/* ---- reads ---- */

static void tell_plain_read(story *s, uint32_t other) {
    const iso_anomaly *a = s->a;
    uint32_t reader = s->h->op_txn[a->op];
    say_txn(s, reader);
    say(s, " ");
    say_did(s, a->op);
    switch ((iso_anomaly_kind)a->kind) {
    case ISO_A_THIN_AIR:
        say(s, ", but no transaction wrote that value");
        break;
    case ISO_A_ABORTED_READ:
        say(s, ", which ");
        say_txn(s, other);
        say(s, " wrote, and ");
        say_txn(s, other);
        say(s, " did not commit");
        break;
    case ISO_A_FUTURE_READ:
        say(s, ", and wrote that value itself only later");
        break;
    case ISO_A_NOT_MY_OWN_WRITE:
        say(s, ", though before that it ");
        say_did(s, a->other_op);
        say(s, " itself");
        break;
    case ISO_A_NOT_MY_LAST_WRITE:
        say(s, ", an earlier write of its own, although it ");
        say_did(s, a->other_op);
        say(s, " in between");
        break;
    case ISO_A_INTERMEDIATE_READ:
        say(s, ", an intermediate value of ");
        say_txn(s, other);
        say(s, ", which later ");
        say_did(s, a->other_op);
        break;
    default:
        if (a->other_op < s->h->n_ops) {
            say(s, "; ");
            say_txn(s, other);
            say(s, " ");
            say_did(s, a->other_op);
        }
    }
    say(s, ".");
}

static void tell_read(story *s) {
    const isolab_history *h = s->h;
    const iso_anomaly *a = s->a;
    bool two = a->other_op < h->n_ops;
    if (a->op >= h->n_ops) {
        say(s, "%s", iso_anomaly_get((iso_anomaly_kind)a->kind)->meaning);
        return;
    }
    bool lists = two && h->op_kind[a->op] == ISO_LIST_READ;
    if (lists && a->kind == ISO_A_DUPLICATE_APPEND && iso_is_write(h->op_kind[a->other_op])) {
        tell_duplicate(s);
    } else if (lists && a->kind == ISO_A_INCOMPATIBLE_ORDER && h->op_kind[a->other_op] == ISO_LIST_READ) {
        tell_disagreement(s);
    } else if (lists && a->kind == ISO_A_LOST_ELEMENT && iso_is_write(h->op_kind[a->other_op])) {
        tell_lost_element(s);
    } else if (two && a->kind == ISO_A_NON_REPEATABLE_READ && h->op_txn[a->op] == h->op_txn[a->other_op]) {
        tell_two_reads(s, a->op, a->other_op);
    } else if (!tell_list_read(s)) {
        tell_plain_read(s, two ? h->op_txn[a->other_op] : iso_writer_txn(h, a->op));
    }
}

/* ---- cycles ---- */

static void find_misses(story *s) {
    const isolab_history *h = s->h;
    for (uint32_t i = 0; i < s->a->n_cycle; i++) {
        const iso_edge *e = &s->result->edges[s->a->cycle + i];
        miss m = {.read = ISO_NONE};
        if (e->kind == ISO_EDGE_AXIOM) {
            m.read = e->reader_op;
            m.newer = e->from;
            m.path = e->n_premise > 0 ? s->result->edges + e->premise : NULL;
            m.n_path = e->n_premise;
        } else if (e->kind == ISO_EDGE_RW) {
            m.read = e->op_from;
            m.newer = e->to;
            if (s->a->n_cycle == 2) { /* the rest of the cycle is how the reader comes after it */
                m.path = &s->result->edges[s->a->cycle + 1 - i];
                m.n_path = 1;
            }
        }
        if (m.read >= h->n_ops || m.newer >= h->n_txns) {
            continue;
        }
        m.reader = h->op_txn[m.read];
        m.write = iso_last_write(h, m.newer, h->op_key[m.read]);
        if (m.write == ISO_NONE) {
            continue;
        }
        if (s->n_misses < MISSES) {
            s->miss[s->n_misses] = m;
        }
        s->n_misses++;
    }
}

/* `t1 read x = nil (the initial value), not the 2 that t2 wrote`. */
static void say_miss(story *s, const miss *m) {
    char value[ISO_NAME_SIZE];
    say_txn(s, m->reader);
    say(s, " ");
    say_did(s, m->read);
    say_origin(s, m->read);
    say(s, ", not the %s that ", iso_atom_text(s->h, iso_version_value(s->h, s->h->op_version[m->write]), value));
    say_txn(s, m->newer);
    say(s, s->h->op_kind[m->write] == ISO_APPEND ? " appended" : " wrote");
}

/* The next transaction is one of the same session. */
static void say_later(story *s, uint32_t txn) {
    meet(s, txn);
    say(s, ". Later in the same session, ");
    say_txn(s, txn);
}

/* One miss, and the reader had seen the writer by reading from it, in its own session, or through others. */
static void tell_partly_seen(story *s, const miss *m) {
    const iso_edge *by = m->n_path == 1 ? m->path : NULL;
    const isolab_history *h = s->h;
    if (by != NULL && by->kind == ISO_EDGE_WR && by->op_to < h->n_ops && h->op_key[by->op_to] == h->op_key[m->read] &&
        h->op_txn[by->op_to] == m->reader) {
        tell_two_reads(s, by->op_to, m->read);
    } else if (by != NULL && by->kind == ISO_EDGE_WR && by->op_to < h->n_ops) {
        say_txn(s, m->reader);
        say(s, " saw only a part of ");
        say_txn(s, m->newer);
        say(s, ": it ");
        say_did(s, by->op_to);
        say(s, ", which ");
        say_txn(s, m->newer);
        say(s, " wrote, but ");
        say_did(s, m->read);
        say_origin(s, m->read);
        say(s, ", although ");
        say_txn(s, m->newer);
        say(s, " also ");
        say_did(s, m->write);
        say(s, ".");
    } else if (by != NULL && by->kind == ISO_EDGE_SO) {
        say_txn(s, m->newer);
        say(s, " ");
        say_did(s, m->write);
        say_later(s, m->reader);
        say(s, " ");
        say_did(s, m->read);
        say_origin(s, m->read);
        say(s, ": the session did not see its own earlier write.");
    } else {
        say_miss(s, m);
        say(s, ". But ");
        say_txn(s, m->reader);
        say(s, " comes after ");
        say_txn(s, m->newer);
        if (m->path != NULL) {
            for (uint32_t i = 0; i + 1 < m->n_path && i < 5; i++) {
                say(s, "%s", i == 0 ? ", through " : ", ");
                say_txn(s, m->path[i].to);
            }
        }
        say(s, ", so it should have seen it.");
    }
}

/* A session guarantee, told by the path from the missed write to the reader. Returns false if the path is not of its
 * form. */
static bool tell_guarantee(story *s, const miss *m) {
    const iso_edge *p = m->path, *last = p == NULL ? NULL : p + m->n_path - 1;
    if (p == NULL || m->n_path < 2 || last->from >= s->h->n_txns) {
        return false;
    }
    if (s->a->kind == ISO_A_MONOTONIC_READS && p[0].kind == ISO_EDGE_WR && p[0].op_to < s->h->n_ops) {
        say_txn(s, p[0].to);
        say(s, " ");
        say_did(s, p[0].op_to);
        say_origin(s, p[0].op_to);
        say_later(s, m->reader);
        say(s, " ");
        say_did(s, m->read);
        say_origin(s, m->read);
        say(s, ", which is older: the session went back in time.");
        return true;
    }
    if (s->a->kind != ISO_A_MONOTONIC_WRITES && s->a->kind != ISO_A_WRITES_FOLLOW_READS) {
        return false;
    }
    if (last->kind != ISO_EDGE_WR || last->op_to >= s->h->n_ops) {
        return false;
    }
    bool writes = s->a->kind == ISO_A_MONOTONIC_WRITES;
    say_txn(s, m->newer);
    say(s, " ");
    say_did(s, m->write);
    if (writes) {
        say_later(s, last->from);
    } else {
        say(s, ", ");
        say_txn(s, p[0].to);
        say(s, " read it, and then ");
        say_txn(s, last->from);
    }
    say(s, " wrote what ");
    say_txn(s, m->reader);
    say(s, " read (it ");
    say_did(s, last->op_to);
    say(s, "). Yet ");
    say_txn(s, m->reader);
    say(s, " ");
    say_did(s, m->read);
    say_origin(s, m->read);
    say(s, writes ? ": it saw the later write of that session and missed the earlier one."
                  : ": it saw the answer and missed what it answers.");
    return true;
}

/* Returns a transaction's first read of a key. */
static uint32_t first_read(const isolab_history *h, uint32_t txn, uint32_t key) {
    for (uint32_t o = h->txn_op[txn]; o < h->txn_op[txn + 1]; o++) {
        if (h->op_key[o] == key && !iso_is_write(h->op_kind[o])) {
            return o;
        }
    }
    return ISO_NONE;
}

static void tell_lost_update(story *s, const miss *m) {
    const isolab_history *h = s->h;
    uint32_t key = h->op_key[m->read], other_write = iso_last_write(h, m->reader, key);
    bool list = h->op_kind[m->write] == ISO_APPEND;
    char op[512];
    if (other_write == ISO_NONE || first_read(h, m->newer, key) == ISO_NONE) {
        say_miss(s, m);
        say(s, ".");
        return;
    }
    say(s, "Both ");
    say_txn(s, m->reader);
    say(s, " and ");
    say_txn(s, m->newer);
    say(s, " ");
    say_did(s, m->read);
    say_origin(s, m->read);
    say(s, " and then %s ", list ? "appended to" : "wrote");
    say_key(s, key);
    say(s, ": ");
    say_txn(s, m->reader);
    say(s, " %s, ", iso_word_did(h, other_write, ISO_NONE, ISO_NONE, op, sizeof op));
    say_txn(s, m->newer);
    say(s, " ");
    say_did(s, m->write);
    say(s, ". Neither saw the other's %s, so one update is lost.", list ? "append" : "write");
}

/* `t1 read x = nil and wrote y = 1`: the miss, and the write of the reader that the other one missed. */
static void say_read_and_write(story *s, const miss *m, uint32_t write) {
    say_txn(s, m->reader);
    say(s, " ");
    say_did(s, m->read);
    say_origin(s, m->read);
    if (write < s->h->n_ops && s->h->op_txn[write] == m->reader) {
        say(s, " and ");
        say_did(s, write);
    }
}

static void tell_write_skew(story *s) {
    const miss *a = &s->miss[0], *b = &s->miss[1];
    say_read_and_write(s, a, b->write);
    say(s, "; ");
    say_read_and_write(s, b, a->write);
    say(s, ". Each changed what the other had read, and neither saw the other's change: had they run one after the "
           "other, the second would have seen the first.");
}

static void tell_long_fork(story *s) {
    for (int i = 0; i < 2; i++) {
        const miss *m = &s->miss[i];
        say(s, "%s", i == 0 ? "" : ", whereas ");
        say_txn(s, m->reader);
        say(s, " saw the write of ");
        say_txn(s, s->miss[1 - i].newer);
        say(s, " but not that of ");
        say_txn(s, m->newer);
        say(s, " (it ");
        say_did(s, m->read);
        say(s, ")");
    }
    say(s, ". They disagree on which of the two writes came first.");
}

/* Two reads that each show one of two writers as the older one. */
static void tell_contradiction(story *s) {
    for (int i = 0; i < 2; i++) {
        const miss *m = &s->miss[i];
        uint32_t writer = iso_writer_txn(s->h, m->read);
        say_txn(s, m->reader);
        say(s, " came after ");
        say_txn(s, m->newer);
        say(s, ", which ");
        say_did(s, m->write);
        say(s, ", but ");
        say_did(s, m->read);
        say_origin(s, m->read);
        say(s, ": so ");
        say_txn(s, m->newer);
        say(s, " came before ");
        say_txn(s, writer);
        say(s, i == 0 ? ". " : ". Both cannot be.");
    }
}

/* One edge of a cycle, as an observation. */
static void say_edge(story *s, const iso_edge *e) {
    char span[ISO_SPAN_SIZE];
    const isolab_history *h = s->h;
    bool known = e->from < h->n_txns && e->to < h->n_txns;
    if (e->kind == ISO_EDGE_RT && known && h->txn_end != NULL) {
        say_txn(s, e->from);
        say(s, " had ended ");
        if (h->time_unit == ISO_TIME_NS) {
            say(s, "%s ", iso_word_span((uint64_t)h->txn_start[e->to] - (uint64_t)h->txn_end[e->from], span));
        }
        say(s, "before ");
        say_txn(s, e->to);
        say(s, " began");
    } else if (e->kind == ISO_EDGE_WR && e->op_to < h->n_ops) {
        say_txn(s, e->to);
        say(s, " ");
        say_did(s, e->op_to);
        say(s, " from ");
        say_txn(s, e->from);
    } else if (e->kind == ISO_EDGE_SO && known) {
        say_txn(s, e->from);
        say(s, " came before ");
        say_txn(s, e->to);
        say(s, " in the same session");
    } else {
        say_txn(s, e->from);
        say(s, " came before ");
        say_txn(s, e->to);
        if (e->kind == ISO_EDGE_WW && e->key < h->n_keys) {
            say(s, " (both wrote ");
            say_key(s, e->key);
            say(s, ")");
        }
    }
}

/* Times or observations and misses, edge by edge. */
static void tell_edges(story *s, const char *end) {
    uint32_t told = 0, seen = 0;
    for (uint32_t i = 0; i < s->a->n_cycle; i++) {
        const iso_edge *e = &s->result->edges[s->a->cycle + i];
        bool misses = (e->kind == ISO_EDGE_RW || e->kind == ISO_EDGE_AXIOM) && seen < s->n_misses && seen < MISSES &&
                      (e->kind == ISO_EDGE_RW ? e->op_from : e->reader_op) == s->miss[seen].read;
        if (e->from == ISO_INIT) {
            continue;
        }
        if (told == MISSES) {
            say(s, "; and so on");
            break;
        }
        say(s, "%s", told++ == 0 ? "" : "; ");
        if (misses) {
            say_miss(s, &s->miss[seen++]);
        } else {
            say_edge(s, e);
        }
    }
    say(s, ". %s", end);
}

/* A read that missed what had ended before its transaction began. Returns false if the cycle is another one. */
static bool tell_stale(story *s) {
    const iso_edge *e = s->result->edges + s->a->cycle;
    const iso_edge *time = s->a->n_cycle == 2 && e[0].kind == ISO_EDGE_RT ? e : e + (s->a->n_cycle == 2);
    if (s->a->n_cycle != 2 || time->kind != ISO_EDGE_RT || s->n_misses != 1 || s->miss[0].newer != time->from ||
        s->miss[0].reader != time->to) {
        return false;
    }
    say_txn(s, time->from);
    say(s, " ");
    say_did(s, s->miss[0].write);
    say(s, ". ");
    say_edge(s, time);
    say(s, ", and yet ");
    say_txn(s, time->to);
    say(s, " ");
    say_did(s, s->miss[0].read);
    say_origin(s, s->miss[0].read);
    say(s, ": it did not see it.");
    return true;
}

static void tell_cycle(story *s) {
    find_misses(s);
    bool one = s->n_misses == 1, two = s->n_misses == 2;
    switch ((iso_anomaly_kind)s->a->kind) {
    case ISO_A_LOST_UPDATE:
        if (s->n_misses > 0) {
            tell_lost_update(s, &s->miss[0]);
            return;
        }
        break;
    case ISO_A_WRITE_SKEW:
        if (two) {
            tell_write_skew(s);
            return;
        }
        break;
    case ISO_A_LONG_FORK:
        if (two) {
            tell_long_fork(s);
            return;
        }
        break;
    case ISO_A_REAL_TIME:
    case ISO_A_KEY_TIME:
        if (!tell_stale(s)) {
            tell_edges(s, "No order of the transactions agrees with that and with the times.");
        }
        return;
    case ISO_A_CLOCK:
    case ISO_A_KEY_CLOCK:
        tell_edges(s, "The times contradict what was read, or the order in the sessions: suspect the clock.");
        return;
    case ISO_A_CYCLIC_CO:
    case ISO_A_G0:
        tell_edges(s, "So each of them would have to come before the other.");
        return;
    default:
        break;
    }
    if (one && tell_guarantee(s, &s->miss[0])) {
        return;
    }
    const iso_edge *e = s->result->edges + s->a->cycle;
    if (two && s->a->n_cycle == 2 && e[0].kind == ISO_EDGE_AXIOM && e[1].kind == ISO_EDGE_AXIOM &&
        iso_writer_txn(s->h, s->miss[0].read) < s->h->n_txns && iso_writer_txn(s->h, s->miss[1].read) < s->h->n_txns) {
        tell_contradiction(s);
        return;
    }
    if (one && s->miss[0].path != NULL) {
        tell_partly_seen(s, &s->miss[0]);
    } else if (s->n_misses > 0) {
        tell_edges(s, "No order of the transactions allows all of this.");
    } else {
        say(s, "%s", iso_anomaly_get((iso_anomaly_kind)s->a->kind)->meaning);
    }
}

const char *iso_word_anomaly(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                             char buffer[ISO_SENTENCE_SIZE]) {
    story s = {.h = h, .result = result, .a = a, .text = buffer};
    buffer[0] = '\0';
    if (a->n_cycle == 0) {
        tell_read(&s);
    } else {
        tell_cycle(&s);
    }
    return buffer;
}

/* ---- the proof ---- */

static iso_chain chain_of(const iso_result *r, const iso_anomaly *a) {
    return (iso_chain){.pool = r->pool, .edges = r->edges, .n_edges = r->n_edges, .first = a->cycle, .n = a->n_cycle};
}

const char *iso_word_cycle(const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                           char buffer[ISO_SENTENCE_SIZE]) {
    iso_chain chain = chain_of(result, a);
    buffer[0] = '\0';
    return a->n_cycle == 0 ? buffer : iso_word_chain(h, &chain, buffer);
}

void iso_each_step(const isolab_history *h, const iso_result *result, const iso_anomaly *a, iso_step_told *each,
                   void *arg) {
    iso_chain chain = chain_of(result, a);
    iso_chain_steps(h, &chain, each, arg);
}

uint32_t *iso_anomaly_cast(iso_pool *pool, const isolab_history *h, const iso_result *result, const iso_anomaly *a,
                           uint32_t *n) {
    iso_chain chain = chain_of(result, a);
    return iso_chain_cast(pool, h, &chain, a->op, a->other_op, n);
}

uint32_t iso_anomaly_txns(const isolab_history *h, const iso_result *result, const iso_anomaly *a, uint32_t *txns,
                          uint32_t room) {
    uint32_t n = 0;
    if (a->n_cycle > 0) {
        for (uint32_t i = 0; i < a->n_cycle; i++) {
            if (n < room) {
                txns[n] = result->edges[a->cycle + i].from;
            }
            n++;
        }
        return n;
    }
    uint32_t ops[2] = {a->op, a->other_op}, last = ISO_NONE;
    for (int i = 0; i < 2; i++) {
        if (ops[i] < h->n_ops && h->op_txn[ops[i]] != last) {
            last = h->op_txn[ops[i]];
            if (n < room) {
                txns[n] = last;
            }
            n++;
        }
    }
    return n;
}
