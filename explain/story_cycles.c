/* Cycles as stories: sentences about what the transactions saw and missed.
 *
 * A cycle is told by its *misses* (telling.h): how many there are, and how the reader had seen the writer that it
 * missed. Only the edges count, not the name that a checker gave the cycle, because a certificate has no name. */
#include <string.h>

#include "explain/telling.h"

static void find_misses(iso_story *s) {
    const isolab_history *h = s->h;
    for (uint32_t i = 0; i < s->a->n; i++) {
        const iso_edge *e = &s->a->edges[s->a->first + i];
        iso_miss m = {.read = ISO_NONE};
        if (e->kind == ISO_EDGE_AXIOM) {
            m.read = e->reader_op;
            m.newer = e->from;
            m.path = e->n_premise > 0 ? s->a->edges + e->premise : NULL;
            m.n_path = e->n_premise;
        } else if (e->kind == ISO_EDGE_RW) {
            m.read = e->op_from;
            m.newer = e->to;
            if (s->a->n == 2) { /* the rest of the cycle is how the reader comes after it */
                m.path = &s->a->edges[s->a->first + 1 - i];
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
        if (s->n_misses < ISO_MISSES) {
            s->miss[s->n_misses] = m;
        }
        s->n_misses++;
    }
}

/* `t2 wrote x = 2`. */
static void say_did(iso_story *s, uint32_t txn, uint32_t op) {
    iso_tell_txn(s, txn);
    iso_tell(s, " ");
    iso_tell_did(s, op);
}

/* `t1 read x = nil (the initial value)`. */
static void say_read(iso_story *s, uint32_t txn, uint32_t op) {
    say_did(s, txn, op);
    iso_tell_origin(s, op);
}

/* `t1 came before t2`, with other words between them. */
static void say_pair(iso_story *s, uint32_t from, const char *words, uint32_t to) {
    iso_tell_txn(s, from);
    iso_tell(s, "%s", words);
    iso_tell_txn(s, to);
}

/* rc: returns the earlier read from the missed transaction, without which rc allows the miss; ISO_NONE: no such
 * read. */
static uint32_t read_before(const iso_story *s, const iso_miss *m) {
    bool rc = s->a->level == ISO_RC || s->a->level == ISO_RC_PLUME;
    return rc && m->n_path == 1 && m->path->kind == ISO_EDGE_WR ? m->path->op_to : ISO_NONE;
}

/* `t1 read x = nil (the initial value), not the 2 that t2 wrote`. */
static void say_miss(iso_story *s, const iso_miss *m) {
    char value[ISO_NAME_SIZE];
    say_read(s, m->reader, m->read);
    iso_tell(s, ", not the %s that ", iso_atom_text(s->h, iso_version_value(s->h, s->h->op_version[m->write]), value));
    iso_tell_txn(s, m->newer);
    iso_tell(s, s->h->op_kind[m->write] == ISO_APPEND ? " appended" : " wrote");
    if (read_before(s, m) < s->h->n_ops) {
        iso_tell(s, ", although before that it ");
        iso_tell_did(s, read_before(s, m));
        iso_tell_origin(s, read_before(s, m));
    }
}

/* The next transaction is one of the same session. */
static void say_later(iso_story *s, uint32_t txn) {
    iso_tell_meeting(s, txn);
    iso_tell(s, ". Later in the same session, ");
    iso_tell_txn(s, txn);
}

/* Tells a cycle of one miss: the reader had seen the writer by reading from it, in its own session, or through other
 * transactions. */
static void tell_partly_seen(iso_story *s, const iso_miss *m) {
    const iso_edge *by = m->n_path == 1 ? m->path : NULL;
    const isolab_history *h = s->h;
    if (by != NULL && by->kind == ISO_EDGE_WR && by->op_to < h->n_ops && h->op_key[by->op_to] == h->op_key[m->read] &&
        h->op_txn[by->op_to] == m->reader) {
        iso_tell_two_reads(s, by->op_to, m->read);
    } else if (by != NULL && by->kind == ISO_EDGE_WR && by->op_to < h->n_ops) {
        say_pair(s, m->reader, " saw only a part of ", m->newer);
        iso_tell(s, ": it ");
        iso_tell_did(s, by->op_to);
        iso_tell(s, ", which ");
        iso_tell_txn(s, m->newer);
        iso_tell(s, read_before(s, m) < h->n_ops ? " wrote, but later " : " wrote, but ");
        iso_tell_did(s, m->read);
        iso_tell_origin(s, m->read);
        iso_tell(s, ", although ");
        iso_tell_txn(s, m->newer);
        iso_tell(s, " also ");
        iso_tell_did(s, m->write);
        iso_tell(s, ".");
    } else if (by != NULL && by->kind == ISO_EDGE_SO) {
        say_did(s, m->newer, m->write);
        say_later(s, m->reader);
        iso_tell(s, " ");
        iso_tell_did(s, m->read);
        iso_tell_origin(s, m->read);
        iso_tell(s, ": the session did not see its own earlier write.");
    } else if (by != NULL && by->kind == ISO_EDGE_WW && by->op_from < h->n_ops && by->op_to < h->n_ops) {
        say_miss(s, m);
        iso_tell(s, ". But ");
        say_did(s, m->reader, by->op_to);
        iso_tell(s, " later than ");
        say_did(s, m->newer, by->op_from);
        iso_tell(s, " (the steps show why), so it should have seen it.");
    } else {
        say_miss(s, m);
        iso_tell(s, ". But ");
        say_pair(s, m->reader, " comes after ", m->newer);
        if (m->path != NULL) {
            for (uint32_t i = 0; i + 1 < m->n_path && i < 5; i++) {
                iso_tell(s, "%s", i == 0 ? ", through " : ", ");
                iso_tell_txn(s, m->path[i].to);
            }
        }
        iso_tell(s, ", so it should have seen it.");
    }
}

typedef enum { NO_GUARANTEE, MONOTONIC_READS, MONOTONIC_WRITES, WRITES_FOLLOW_READS } guarantee;

/* Returns the session guarantee that a miss breaks, by the path from the missed write to the reader
 * (checkers/guarantee.h). */
static guarantee guarantee_of(const iso_story *s, const iso_miss *m) {
    const iso_edge *p = m->path;
    uint32_t n = m->n_path;
    if (p == NULL || n < 2) {
        return NO_GUARANTEE;
    }
    bool sessions = true; /* all edges between the first and the last are session order */
    for (uint32_t i = 1; i + 1 < n; i++) {
        sessions = sessions && p[i].kind == ISO_EDGE_SO;
    }
    bool from_read = p[0].kind == ISO_EDGE_WR && p[0].op_to < s->h->n_ops && p[0].key == s->h->op_key[m->read];
    bool to_read = p[n - 1].kind == ISO_EDGE_WR && p[n - 1].op_to < s->h->n_ops && p[n - 1].from < s->h->n_txns;
    if (!sessions) {
        return NO_GUARANTEE;
    } else if (from_read && p[n - 1].kind == ISO_EDGE_SO) {
        return MONOTONIC_READS;
    } else if (from_read && to_read) {
        return WRITES_FOLLOW_READS;
    }
    return p[0].kind == ISO_EDGE_SO && to_read ? MONOTONIC_WRITES : NO_GUARANTEE;
}

/* Tells a miss that breaks a session guarantee. Returns false if it breaks none. */
static bool tell_guarantee(iso_story *s, const iso_miss *m) {
    guarantee broken = guarantee_of(s, m);
    const iso_edge *p = m->path, *last = p == NULL ? NULL : p + m->n_path - 1;
    if (broken == NO_GUARANTEE) {
        return false;
    }
    if (broken == MONOTONIC_READS) {
        say_read(s, p[0].to, p[0].op_to);
        say_later(s, m->reader);
        iso_tell(s, " ");
        iso_tell_did(s, m->read);
        iso_tell_origin(s, m->read);
        iso_tell(s, ", which is older: the session went back in time.");
        return true;
    }
    bool writes = broken == MONOTONIC_WRITES;
    say_did(s, m->newer, m->write);
    if (writes) {
        say_later(s, last->from);
    } else {
        iso_tell(s, ", ");
        say_pair(s, p[0].to, " read it, and then ", last->from);
    }
    iso_tell(s, " wrote what ");
    iso_tell_txn(s, m->reader);
    iso_tell(s, " read (it ");
    iso_tell_did(s, last->op_to);
    iso_tell(s, "). Yet ");
    say_read(s, m->reader, m->read);
    iso_tell(s, writes ? ": it saw the later write of that session and missed the earlier one."
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

/* Returns whether two reads of one kind return the same value of other transactions; of lists: the same list without
 * the reader's own appends, which come last. */
static bool same_value(const isolab_history *h, uint32_t a, uint32_t b) {
    uint32_t read[2] = {a, b}, n[2];
    if (h->op_kind[a] != ISO_LIST_READ) {
        return h->op_version[a] == h->op_version[b];
    }
    for (int i = 0; i < 2; i++) {
        uint32_t list = h->op_version[read[i]], o = h->txn_op[h->op_txn[read[i]]];
        n[i] = h->list_first[list + 1] - h->list_first[list];
        for (; o < read[i] && n[i] > 0; o++) {
            n[i] -= h->op_kind[o] == ISO_APPEND && h->op_key[o] == h->op_key[a];
        }
    }
    return n[0] == n[1] && memcmp(h->list_version + h->list_first[h->op_version[a]],
                                  h->list_version + h->list_first[h->op_version[b]], n[0] * sizeof n[0]) == 0;
}

/* Returns whether the transaction of a read had written the key itself. */
static bool wrote_before(const isolab_history *h, uint32_t read) {
    uint32_t o = h->txn_op[h->op_txn[read]];
    while (o < read && !(iso_is_write(h->op_kind[o]) && h->op_key[o] == h->op_key[read])) {
        o++;
    }
    return o < read;
}

/* `t1 read x = [] and then appended 1 to x`, in program order. */
static void say_both(iso_story *s, uint32_t txn, uint32_t read, uint32_t write) {
    say_did(s, txn, read < write ? read : write);
    iso_tell(s, " and then ");
    iso_tell_did(s, read < write ? write : read);
}

static void tell_lost_update(iso_story *s, const iso_miss *m) {
    const isolab_history *h = s->h;
    uint32_t key = h->op_key[m->read], other_write = iso_last_write(h, m->reader, key);
    uint32_t read[2] = {first_read(h, m->reader, key), first_read(h, m->newer, key)};
    bool list = h->op_kind[m->write] == ISO_APPEND;
    char op[512];
    if (other_write == ISO_NONE || read[0] == ISO_NONE || read[1] == ISO_NONE) {
        say_miss(s, m);
        iso_tell(s, ".");
        return;
    }
    if (wrote_before(h, read[0]) || wrote_before(h, read[1])) {
        say_both(s, m->reader, read[0], other_write); /* one list has the reader's own element, too */
        iso_tell(s, "; ");
        say_both(s, m->newer, read[1], m->write);
    } else {
        iso_tell(s, "Both ");
        iso_tell_txn(s, m->reader);
        iso_tell(s, " and ");
        say_read(s, m->newer, read[0]);
        iso_tell(s, " and then %s ", list ? "appended to" : "wrote");
        iso_tell_key(s, key);
        iso_tell(s, ": ");
        iso_tell_txn(s, m->reader);
        iso_tell(s, " %s, ", iso_word_did(h, other_write, ISO_NONE, ISO_NONE, op, sizeof op));
        say_did(s, m->newer, m->write);
    }
    iso_tell(s, ". Neither saw the other's %s, so one update is lost.", list ? "append" : "write");
}

/* `t1 read x = nil and wrote y = 1`: the miss, and the write of the reader that the other one missed. */
static void say_read_and_write(iso_story *s, const iso_miss *m, uint32_t write) {
    say_read(s, m->reader, m->read);
    if (write < s->h->n_ops && s->h->op_txn[write] == m->reader) {
        iso_tell(s, " and ");
        iso_tell_did(s, write);
    }
}

static void tell_write_skew(iso_story *s) {
    const iso_miss *a = &s->miss[0], *b = &s->miss[1];
    say_read_and_write(s, a, b->write);
    iso_tell(s, "; ");
    say_read_and_write(s, b, a->write);
    iso_tell(s,
             ". Each changed what the other had read, and neither saw the other's change: had they run one after the "
             "other, the second would have seen the first.");
}

static void tell_long_fork(iso_story *s) {
    for (int i = 0; i < 2; i++) {
        const iso_miss *m = &s->miss[i];
        iso_tell(s, "%s", i == 0 ? "" : ", whereas ");
        say_pair(s, m->reader, " saw the write of ", s->miss[1 - i].newer);
        iso_tell(s, " but not that of ");
        iso_tell_txn(s, m->newer);
        iso_tell(s, " (it ");
        iso_tell_did(s, m->read);
        iso_tell(s, ")");
    }
    iso_tell(s, ". They disagree on which of the two writes came first.");
}

/* Tells a cycle of two reads, of which each shows another one of two writers as the older one. */
static void tell_contradiction(iso_story *s) {
    for (int i = 0; i < 2; i++) {
        const iso_miss *m = &s->miss[i];
        uint32_t writer = iso_writer_txn(s->h, m->read);
        if (read_before(s, m) < s->h->n_ops) {
            say_did(s, m->reader, read_before(s, m));
            iso_tell(s, " from ");
            iso_tell_txn(s, m->newer);
        } else {
            say_pair(s, m->reader, " came after ", m->newer);
        }
        iso_tell(s, ", which ");
        iso_tell_did(s, m->write);
        iso_tell(s, read_before(s, m) < s->h->n_ops ? ", but later " : ", but ");
        iso_tell_did(s, m->read);
        iso_tell_origin(s, m->read);
        iso_tell(s, ": so ");
        say_pair(s, m->newer, " came before ", writer);
        iso_tell(s, i == 0 ? ". " : ". Both cannot be.");
    }
}

/* Tells one edge of a cycle as an observation. */
static void say_edge(iso_story *s, const iso_edge *e) {
    char span[ISO_SPAN_SIZE];
    const isolab_history *h = s->h;
    bool known = e->from < h->n_txns && e->to < h->n_txns;
    if (e->kind == ISO_EDGE_RT && known && h->txn_end != NULL) {
        iso_tell_txn(s, e->from);
        iso_tell(s, " had ended ");
        if (h->time_unit == ISO_TIME_NS) {
            iso_tell(s, "%s ", iso_word_span((uint64_t)h->txn_start[e->to] - (uint64_t)h->txn_end[e->from], span));
        }
        iso_tell(s, "before ");
        iso_tell_txn(s, e->to);
        iso_tell(s, " began");
    } else if (e->kind == ISO_EDGE_WR && e->op_to < h->n_ops) {
        say_did(s, e->to, e->op_to);
        iso_tell(s, " from ");
        iso_tell_txn(s, e->from);
    } else if (e->kind == ISO_EDGE_SO && known) {
        say_pair(s, e->from, " came before ", e->to);
        iso_tell(s, " in the same session");
    } else {
        say_pair(s, e->from, " came before ", e->to);
        if (e->kind == ISO_EDGE_WW && e->key < h->n_keys) {
            iso_tell(s, " (both wrote ");
            iso_tell_key(s, e->key);
            iso_tell(s, ")");
        }
    }
}

/* Tells a cycle edge by edge: times, observations and misses. */
static void tell_edges(iso_story *s, const char *end) {
    uint32_t told = 0, seen = 0;
    for (uint32_t i = 0; i < s->a->n; i++) {
        const iso_edge *e = &s->a->edges[s->a->first + i];
        bool misses = (e->kind == ISO_EDGE_RW || e->kind == ISO_EDGE_AXIOM) && seen < s->n_misses &&
                      seen < ISO_MISSES && (e->kind == ISO_EDGE_RW ? e->op_from : e->reader_op) == s->miss[seen].read;
        if (e->from == ISO_INIT) {
            continue;
        }
        if (told == ISO_MISSES) {
            iso_tell(s, "; and so on");
            break;
        }
        iso_tell(s, "%s", told++ == 0 ? "" : "; ");
        if (misses) {
            say_miss(s, &s->miss[seen++]);
        } else {
            say_edge(s, e);
        }
    }
    iso_tell(s, ". %s", end);
}

/* Tells a read that missed a write whose transaction had ended before the reader began. Returns false if the cycle is
 * of another form. */
static bool tell_stale(iso_story *s) {
    const iso_edge *e = s->a->edges + s->a->first;
    const iso_edge *time = s->a->n == 2 && e[0].kind == ISO_EDGE_RT ? e : e + (s->a->n == 2);
    if (s->a->n != 2 || time->kind != ISO_EDGE_RT || s->n_misses != 1 || s->miss[0].newer != time->from ||
        s->miss[0].reader != time->to) {
        return false;
    }
    say_did(s, time->from, s->miss[0].write);
    iso_tell(s, ". ");
    say_edge(s, time);
    iso_tell(s, ", and yet ");
    say_read(s, time->to, s->miss[0].read);
    iso_tell(s, ": it did not see it.");
    return true;
}

/* Numbers of edges of a cycle, by kind. */
typedef struct mix {
    uint32_t rt, rw, axiom, other; /* other: ww and list edges */
    bool rw_after_reads;           /* every rw edge follows a wr edge */
} mix;

static mix mix_of(const iso_story *s) {
    mix m = {.rw_after_reads = true};
    const iso_edge *e = s->a->edges + s->a->first;
    for (uint32_t i = 0; i < s->a->n; i++) {
        m.rt += e[i].kind == ISO_EDGE_RT;
        m.rw += e[i].kind == ISO_EDGE_RW;
        m.axiom += e[i].kind == ISO_EDGE_AXIOM;
        m.other += e[i].kind == ISO_EDGE_WW || e[i].kind == ISO_EDGE_LIST;
        m.rw_after_reads &= e[i].kind != ISO_EDGE_RW || e[i > 0 ? i - 1 : s->a->n - 1].kind == ISO_EDGE_WR;
    }
    return m;
}

/* Returns whether the two transactions of a cycle read the same value of a key, and both write the key. */
static bool is_lost_update(const iso_story *s, const mix *m) {
    const isolab_history *h = s->h;
    const iso_edge *e = s->a->edges + s->a->first;
    uint32_t key = e[0].key, read[2];
    if (s->a->n != 2 || m->rw == 0 || m->rw + m->axiom + m->other != 2 || e[1].key != key || s->n_misses == 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        read[i] = e[i].from < h->n_txns ? first_read(h, e[i].from, key) : ISO_NONE;
        if (read[i] == ISO_NONE || iso_last_write(h, e[i].from, key) == ISO_NONE) {
            return false;
        }
    }
    return h->op_kind[read[0]] == h->op_kind[read[1]] && same_value(h, read[0], read[1]);
}

/* Tells a cycle that has a form of its own. Returns false if it has none. */
static bool tell_form(iso_story *s) {
    const iso_edge *e = s->a->edges + s->a->first;
    mix m = mix_of(s);
    bool one = s->n_misses == 1, two = s->n_misses == 2, pair = s->a->n == 2;
    if (m.rt > 0 && m.rw + m.axiom + m.other == 0) {
        tell_edges(s, "The times contradict what was read, or the order in the sessions: suspect the clock.");
    } else if (m.rt > 0 && !tell_stale(s)) {
        tell_edges(s, "No order of the transactions agrees with that and with the times.");
    } else if (m.rt > 0) {
        return true;
    } else if (m.rw + m.axiom == 0) {
        tell_edges(s, "So each of them would have to come before the other.");
    } else if (is_lost_update(s, &m)) {
        tell_lost_update(s, &s->miss[0]);
    } else if (two && pair && m.rw == 2 && e[0].key != e[1].key) {
        tell_write_skew(s);
    } else if (two && m.rw == 2 && m.axiom + m.other == 0 && m.rw_after_reads) {
        tell_long_fork(s);
    } else if (one && tell_guarantee(s, &s->miss[0])) {
        return true;
    } else if (two && pair && m.axiom == 2 && iso_writer_txn(s->h, s->miss[0].read) < s->h->n_txns &&
               iso_writer_txn(s->h, s->miss[1].read) < s->h->n_txns) {
        tell_contradiction(s);
    } else {
        return false;
    }
    return true;
}

void iso_tell_cycle(iso_story *s) {
    find_misses(s);
    if (tell_form(s)) {
        return;
    }
    if (s->n_misses == 1 && s->miss[0].path != NULL) {
        tell_partly_seen(s, &s->miss[0]);
    } else {
        tell_edges(s, "No order of the transactions allows all of this.");
    }
}
