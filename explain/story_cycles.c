/* Cycles, as a person would tell them.
 *
 * A cycle is told by its *misses* (telling.h). Kinds of anomaly differ in how many misses there are and in how the reader had seen
 * the writer that it missed. */
#include "explain/telling.h"

static void find_misses(iso_story *s) {
    const isolab_history *h = s->h;
    for (uint32_t i = 0; i < s->a->n_cycle; i++) {
        const iso_edge *e = &s->result->edges[s->a->cycle + i];
        iso_miss m = {.read = ISO_NONE};
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

/* `t1 read x = nil (the initial value), not the 2 that t2 wrote`. */
static void say_miss(iso_story *s, const iso_miss *m) {
    char value[ISO_NAME_SIZE];
    say_read(s, m->reader, m->read);
    iso_tell(s, ", not the %s that ", iso_atom_text(s->h, iso_version_value(s->h, s->h->op_version[m->write]), value));
    iso_tell_txn(s, m->newer);
    iso_tell(s, s->h->op_kind[m->write] == ISO_APPEND ? " appended" : " wrote");
}

/* The next transaction is one of the same session. */
static void say_later(iso_story *s, uint32_t txn) {
    iso_tell_meeting(s, txn);
    iso_tell(s, ". Later in the same session, ");
    iso_tell_txn(s, txn);
}

/* One miss, and the reader had seen the writer by reading from it, in its own session, or through others. */
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
        iso_tell(s, " wrote, but ");
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

/* A session guarantee, told by the path from the missed write to the reader. Returns false if the path is not of its
 * form. */
static bool tell_guarantee(iso_story *s, const iso_miss *m) {
    const iso_edge *p = m->path, *last = p == NULL ? NULL : p + m->n_path - 1;
    if (p == NULL || m->n_path < 2 || last->from >= s->h->n_txns) {
        return false;
    }
    if (s->a->kind == ISO_A_MONOTONIC_READS && p[0].kind == ISO_EDGE_WR && p[0].op_to < s->h->n_ops) {
        say_read(s, p[0].to, p[0].op_to);
        say_later(s, m->reader);
        iso_tell(s, " ");
        iso_tell_did(s, m->read);
        iso_tell_origin(s, m->read);
        iso_tell(s, ", which is older: the session went back in time.");
        return true;
    }
    if (s->a->kind != ISO_A_MONOTONIC_WRITES && s->a->kind != ISO_A_WRITES_FOLLOW_READS) {
        return false;
    }
    if (last->kind != ISO_EDGE_WR || last->op_to >= s->h->n_ops) {
        return false;
    }
    bool writes = s->a->kind == ISO_A_MONOTONIC_WRITES;
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

static void tell_lost_update(iso_story *s, const iso_miss *m) {
    const isolab_history *h = s->h;
    uint32_t key = h->op_key[m->read], other_write = iso_last_write(h, m->reader, key);
    bool list = h->op_kind[m->write] == ISO_APPEND;
    char op[512];
    if (other_write == ISO_NONE || first_read(h, m->newer, key) == ISO_NONE) {
        say_miss(s, m);
        iso_tell(s, ".");
        return;
    }
    iso_tell(s, "Both ");
    iso_tell_txn(s, m->reader);
    iso_tell(s, " and ");
    say_read(s, m->newer, m->read);
    iso_tell(s, " and then %s ", list ? "appended to" : "wrote");
    iso_tell_key(s, key);
    iso_tell(s, ": ");
    iso_tell_txn(s, m->reader);
    iso_tell(s, " %s, ", iso_word_did(h, other_write, ISO_NONE, ISO_NONE, op, sizeof op));
    say_did(s, m->newer, m->write);
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

/* Two reads that each show one of two writers as the older one. */
static void tell_contradiction(iso_story *s) {
    for (int i = 0; i < 2; i++) {
        const iso_miss *m = &s->miss[i];
        uint32_t writer = iso_writer_txn(s->h, m->read);
        say_pair(s, m->reader, " came after ", m->newer);
        iso_tell(s, ", which ");
        iso_tell_did(s, m->write);
        iso_tell(s, ", but ");
        iso_tell_did(s, m->read);
        iso_tell_origin(s, m->read);
        iso_tell(s, ": so ");
        say_pair(s, m->newer, " came before ", writer);
        iso_tell(s, i == 0 ? ". " : ". Both cannot be.");
    }
}

/* One edge of a cycle, as an observation. */
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

/* Times or observations and misses, edge by edge. */
static void tell_edges(iso_story *s, const char *end) {
    uint32_t told = 0, seen = 0;
    for (uint32_t i = 0; i < s->a->n_cycle; i++) {
        const iso_edge *e = &s->result->edges[s->a->cycle + i];
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

/* A read that missed what had ended before its transaction began. Returns false if the cycle is another one. */
static bool tell_stale(iso_story *s) {
    const iso_edge *e = s->result->edges + s->a->cycle;
    const iso_edge *time = s->a->n_cycle == 2 && e[0].kind == ISO_EDGE_RT ? e : e + (s->a->n_cycle == 2);
    if (s->a->n_cycle != 2 || time->kind != ISO_EDGE_RT || s->n_misses != 1 || s->miss[0].newer != time->from ||
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

void iso_tell_cycle(iso_story *s) {
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
        iso_tell(s, "%s", iso_anomaly_get((iso_anomaly_kind)s->a->kind)->meaning);
    }
}
