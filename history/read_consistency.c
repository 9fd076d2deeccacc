/* Read consistency in linear time. See read_consistency.h and docs/model.md.
 *
 * Two passes over the operations. The first pass marks ("bars") every write that no other transaction may read: writes
 * of excluded transactions, and writes that their own transaction overwrote. It also notes the reads that may offend
 * whatever is barred. The second pass judges these reads, and the reads of barred writes if there are any. Both passes
 * need the latest write of a key by the current transaction. For a short transaction, a small table of the keys met
 * (base/hash.h) or a few bits nearly always show that there is none; otherwise the transaction's operations are
 * searched. So operations are read in order, and no table by key is needed. A long transaction uses a table by key, in
 * which an entry below its first operation comes from an earlier transaction and means none.
 *
 * With repeated values, an ambiguous read has too many possible writers to try each one. In nearly all cases other
 * transactions may read all of them, and the reader did not write the key before, so the read is right. Otherwise, the
 * best writer of other transactions is known by version (struct choice), and the reader's own writers are found by
 * binary search. So a read costs at most O(log n), and O(1) in a history without repeated values. */
#include "history/read_consistency.h"

#include "base/bisect.h"
#include "base/hash.h"

#define FINE ISO_INT_KINDS /* no offence; larger than every kind */

/* The reads of a short transaction that must be judged, as bits. */
typedef struct noted {
    uint64_t reads;
    uint32_t txn;
} noted;

/* Two writers of a version, of two transactions, the best first (see rank()). A reader takes the first one that is not
 * its own. */
typedef struct choice {
    uint32_t best, second;
} choice;

typedef struct sweep {
    const isolab_history *h;
    iso_pool *scratch;
    uint64_t *barred;    /* bit by operation: a write that no other transaction may read. After these bits, with
                          * repeated values, bit by version: one of its writes is barred */
    uint64_t wrote;      /* iso_bit_of() of each key that the current transaction has written so far */
    uint32_t *own;       /* for long transactions, by key: 1 + the latest write of the current one; made when first
                          * needed */
    uint32_t *prev;      /* lists only, by append: 1 + the previous append of its transaction to the key */
    uint32_t *later;     /* by write: 1 + the next write of its transaction to the key; made when first needed */
    choice *choices;     /* by version with several writers; made when first needed */
    uint32_t first, end; /* the operations of the current transaction */
    iso_recent written;  /* keys written, by transaction */
    bool any_barred;
    noted *noted; /* in the order of transactions */
    uint32_t n_noted, noted_room;
} sweep;

/* How a read would offend if it had read from one writer, and the write that makes it an offence. */
typedef struct offence {
    unsigned kind;
    uint32_t other;
} offence;

/* The writers that a read of a version may have read from, reduced to the writers that can differ for one reader. */
typedef struct candidates {
    uint32_t writer[5];
    unsigned n;
} candidates;

static bool bit_of(const uint64_t *bits, size_t i) { return bits[i >> 6] >> (i & 63) & 1; }
static bool is_barred(const sweep *s, uint32_t op) { return bit_of(s->barred, op); }

/* Returns the bit of a version. Bit n_ops stands for "no writer" and is never set. */
static size_t doubt_of(const isolab_history *h, uint32_t version) { return (size_t)h->n_ops + 1 + version; }

static void bar_bit(sweep *s, size_t i) { s->barred[i >> 6] |= (uint64_t)1 << (i & 63); }

static void bar(sweep *s, uint32_t op) {
    bar_bit(s, op);
    s->any_barred = true;
    if (!s->h->unique) {
        bar_bit(s, doubt_of(s->h, s->h->op_version[op]));
    }
}

/* One of the many writers of a negation may be barred. */
static void doubt_negations(sweep *s) {
    for (uint32_t v = 0; s->h->version_not != NULL && v < s->h->n_versions; v++) {
        if (iso_version_is_negation(s->h, v)) {
            bar_bit(s, doubt_of(s->h, v));
        }
    }
}

static bool is_out(const sweep *s, uint32_t op) { return s->h->txn_counts[s->h->op_txn[op]] == ISO_EXCLUDED; }

/* A transaction with more operations is long. */
#define LONG 64

static bool is_long(const sweep *s) { return s->end - s->first > LONG; }

/* Returns the latest write of this key by the current transaction before operation `until`; ISO_NONE: none. */
static uint32_t own_write(const sweep *s, uint32_t key, uint32_t until) {
    if (is_long(s)) {
        return s->own[key] > s->first ? s->own[key] - 1 : ISO_NONE;
    }
    if ((s->wrote & iso_bit_of(key)) == 0) {
        return ISO_NONE;
    }
    while (until > s->first) {
        until--;
        if (s->h->op_key[until] == key && iso_is_write(s->h->op_kind[until])) {
            return until;
        }
    }
    return ISO_NONE;
}

static void start(sweep *s, uint32_t txn) {
    s->first = s->h->txn_op[txn];
    s->end = s->h->txn_op[txn + 1];
    s->wrote = 0;
    if (is_long(s) && s->own == NULL) {
        s->own = ISO_ZNEW(s->scratch, uint32_t, s->h->n_keys);
    }
}

static void note_write(sweep *s, uint32_t op) {
    s->wrote |= iso_bit_of(s->h->op_key[op]);
    if (is_long(s)) {
        s->own[s->h->op_key[op]] = op + 1;
    }
}

/* For other transactions, a final write is better than an overwritten one, and both are better than a write of an
 * excluded transaction. */
static int rank(const sweep *s, uint32_t op) { return !is_barred(s, op) ? 2 : is_out(s, op) ? 0 : 1; }

static void choose_writers(sweep *s) {
    const isolab_history *h = s->h;
    s->choices = ISO_NEW(s->scratch, choice, h->n_versions);
    for (uint32_t v = 0; v < h->n_versions; v++) {
        uint32_t n = 0;
        const uint32_t *writers = h->version_writer[v] == ISO_MANY ? iso_writers(h, v, &n) : NULL;
        choice c = {ISO_NONE, ISO_NONE};
        for (uint32_t i = 0; i < n; i++) {
            iso_tick(s->scratch->env);
            uint32_t o = writers[i];
            bool better = c.best == ISO_NONE || rank(s, o) > rank(s, c.best);
            if (c.best != ISO_NONE && h->op_txn[c.best] == h->op_txn[o]) {
                c.best = o; /* a later write of a transaction is at least as good */
            } else if (better) {
                c = (choice){o, c.best};
            } else if (c.second == ISO_NONE || rank(s, o) > rank(s, c.second)) {
                c.second = o;
            }
        }
        s->choices[v] = c;
    }
}

/* Notes the reads of a short transaction that may offend: list reads, reads of a key that the transaction may have
 * written before, reads from no transaction, and reads from itself. Every other read offends only if its write is
 * barred. Returns whether the transaction may write a key twice. The processor cannot predict whether an operation is a
 * read, so there is no branch on it. */
__attribute__((always_inline)) static inline bool note_reads_of(sweep *s, uint32_t txn, bool lists) {
    uint32_t first = s->first, n = s->end - first;
    const uint32_t *key = s->h->op_key + first, *writer = s->h->op_writer + first;
    const uint8_t *kind = s->h->op_kind + first;
    uint32_t again = 0;
    uint64_t look = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t write = lists ? iso_is_write(kind[i]) : kind[i];
        uint32_t met = iso_recent_meet(&s->written, key[i], txn + 1, write);
        uint32_t doubt = met | (writer[i] == ISO_NONE) | (writer[i] - first < n);
        doubt |= lists && kind[i] == ISO_LIST_READ;
        look |= (uint64_t)(doubt & ~write) << i;
        again |= met & write;
    }
    if (look != 0) {
        ISO_GROW(s->scratch, s->noted, s->n_noted, s->noted_room);
        s->noted[s->n_noted++] = (noted){look, txn};
    }
    return again != 0;
}

/* Without lists, the kinds are ISO_READ and ISO_WRITE, that is 0 and 1. */
_Static_assert(ISO_READ == 0 && ISO_WRITE == 1, "a kind without lists is a bit");
__attribute__((noinline)) static bool note_reads(sweep *s, uint32_t txn) {
    return s->h->has_lists ? note_reads_of(s, txn, true) : note_reads_of(s, txn, false);
}

static void mark(sweep *s) {
    const isolab_history *h = s->h;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        start(s, t);
        iso_tick(s->scratch->env);
        bool out = h->txn_counts[t] == ISO_EXCLUDED, again = is_long(s) || note_reads(s, t);
        if (!out && !again) {
            continue;
        }
        for (uint32_t o = s->first; o < s->end; o++) {
            iso_tick(s->scratch->env);
            if (!iso_is_write(h->op_kind[o])) {
                continue;
            }
            uint32_t before = own_write(s, h->op_key[o], o);
            if (before != ISO_NONE) {
                bar(s, before);
            }
            if (out) {
                bar(s, o);
            }
            if (s->prev != NULL) {
                s->prev[o] = before == ISO_NONE ? 0 : before + 1;
            }
            note_write(s, o);
        }
    }
    iso_free(s->scratch, s->own);
    s->own = NULL;
}

/* Returns the next write of the same transaction to the key. The first offence that needs the table makes it. */
static uint32_t overwritten_by(sweep *s, uint32_t op) {
    const isolab_history *h = s->h;
    if (s->later == NULL) {
        s->later = ISO_ZNEW(s->scratch, uint32_t, h->n_ops);
        uint32_t *last = ISO_ZNEW(s->scratch, uint32_t, h->n_keys);
        for (uint32_t o = 0; o < h->n_ops; o++) {
            if (iso_is_write(h->op_kind[o])) {
                uint32_t before = last[h->op_key[o]];
                if (before != 0) { /* of another transaction: its next write is not needed */
                    s->later[before - 1] = o + 1;
                }
                last[h->op_key[o]] = o + 1;
            }
        }
        iso_free(s->scratch, last);
    }
    return s->later[op] - 1;
}

/* Returns the index of the first writer at or after op. */
static uint32_t first_from(const uint32_t *writers, uint32_t n, uint32_t op) {
    return ISO_BISECT(i, 0, n, writers[i] < op);
}

static candidates candidates_of(sweep *s, uint32_t read, uint32_t version) {
    const isolab_history *h = s->h;
    candidates c = {.n = 0};
    if (iso_version_is_initial(h, version)) {
        c.writer[c.n++] = ISO_INIT;
    }
    if (h->version_writer[version] != ISO_MANY) {
        if (c.n == 0) {
            c.writer[c.n++] = h->version_writer[version];
        }
        return c;
    }
    if (s->choices == NULL) {
        choose_writers(s);
    }
    uint32_t other = s->choices[version].best;
    if (other >= s->first && other < s->end) {
        other = s->choices[version].second;
    }
    if (other != ISO_NONE) {
        c.writer[c.n++] = other;
    }
    uint32_t own = own_write(s, h->op_key[read], read);
    if (own != ISO_NONE && iso_version_covers(h, version, h->op_version[own])) {
        c.writer[c.n++] = own;
    }
    uint32_t n;
    const uint32_t *writers = iso_writers(h, version, &n);
    uint32_t i = first_from(writers, n, s->first);
    if (i < n && writers[i] < read) {
        c.writer[c.n++] = writers[i];
    }
    i = first_from(writers, n, read);
    if (i < n && writers[i] < s->end) {
        c.writer[c.n++] = writers[i];
    }
    return c;
}

/* own: the latest write of the reader to the key before the read. */
static offence judge(sweep *s, uint32_t read, uint32_t own, uint32_t writer) {
    if (writer == ISO_NONE) {
        return (offence){ISO_INT_THIN_AIR, ISO_NONE};
    }
    if (writer == ISO_INIT) {
        return own == ISO_NONE ? (offence){FINE, ISO_NONE} : (offence){ISO_INT_NOT_OWN, own};
    }
    if (writer >= s->first && writer < s->end) {
        return writer > read   ? (offence){ISO_INT_FUTURE, writer}
               : writer != own ? (offence){ISO_INT_NOT_LAST_OWN, own}
                               : (offence){FINE, ISO_NONE};
    }
    bool barred = is_barred(s, writer);
    if (barred && is_out(s, writer)) {
        return (offence){ISO_INT_ABORTED, writer};
    }
    if (own != ISO_NONE) {
        return (offence){ISO_INT_NOT_OWN, own};
    }
    return barred ? (offence){ISO_INT_NOT_LAST, overwritten_by(s, writer)} : (offence){FINE, ISO_NONE};
}

static offence judge_register(sweep *s, uint32_t read) {
    const isolab_history *h = s->h;
    uint32_t own = own_write(s, h->op_key[read], read);
    if (h->op_writer[read] != ISO_MANY) {
        return judge(s, read, own, h->op_writer[read]);
    }
    uint32_t version = h->op_version[read];
    if (own == ISO_NONE && !bit_of(s->barred, doubt_of(h, version))) {
        return (offence){FINE, ISO_NONE}; /* some writer is another transaction's: of two writes by one transaction, the
                                           * first would be barred */
    }
    candidates c = candidates_of(s, read, version);
    offence mildest = judge(s, read, own, c.writer[0]);
    for (unsigned i = 1; i < c.n; i++) {
        offence one = judge(s, read, own, c.writer[i]);
        mildest = one.kind > mildest.kind ? one : mildest;
    }
    return mildest;
}

/* Judges an element of a list before the reader's own appends. Only the last such element must be the last append of
 * its transaction to the key: other appends may follow an earlier element. */
static offence judge_element(sweep *s, uint32_t read, uint32_t writer, bool last) {
    if (writer == ISO_NONE) {
        return (offence){ISO_INT_THIN_AIR, ISO_NONE};
    }
    if (writer == ISO_INIT) {
        return (offence){FINE, ISO_NONE};
    }
    if (writer >= s->first && writer < s->end) {
        return writer > read ? (offence){ISO_INT_FUTURE, writer}
                             : (offence){ISO_INT_NOT_LAST_OWN, own_write(s, s->h->op_key[read], read)};
    }
    if (!is_barred(s, writer)) {
        return (offence){FINE, ISO_NONE};
    }
    if (is_out(s, writer)) {
        return (offence){ISO_INT_ABORTED, writer};
    }
    return last ? (offence){ISO_INT_NOT_LAST, overwritten_by(s, writer)} : (offence){FINE, ISO_NONE};
}

/* Returns whether the reader appended this version before the read. */
static bool is_own(const sweep *s, uint32_t read, uint32_t version) {
    uint32_t n, one = s->h->version_writer[version];
    const uint32_t *writers = one == ISO_MANY ? iso_writers(s->h, version, &n) : (n = one < ISO_MANY, &one);
    uint32_t i = first_from(writers, n, s->first);
    return i < n && writers[i] < read;
}

/* Judges a list read: the first kind, in the order (a) to (e), of any of its elements. */
static offence judge_list(sweep *s, uint32_t read) {
    const isolab_history *h = s->h;
    uint32_t first = h->list_first[h->op_version[read]], end = h->list_first[h->op_version[read] + 1];
    uint32_t latest = own_write(s, h->op_key[read], read), own = latest;
    while (own != ISO_NONE && end > first && h->list_version[end - 1] == h->op_version[own]) {
        own = s->prev[own] - 1; /* ISO_NONE after the first append */
        end--;
    }
    offence worst = {FINE, ISO_NONE};
    if (own != ISO_NONE) { /* the list does not end in all own appends: does it end in one of them? */
        uint32_t all = h->list_first[h->op_version[read] + 1];
        bool some = all > first && is_own(s, read, h->list_version[all - 1]);
        worst = (offence){some ? ISO_INT_NOT_LAST_OWN : ISO_INT_NOT_OWN, latest};
    }
    for (uint32_t e = first; e < end; e++) {
        iso_tick(s->scratch->env);
        candidates c = candidates_of(s, read, h->list_version[e]);
        offence mildest = judge_element(s, read, c.writer[0], e + 1 == end);
        for (unsigned i = 1; i < c.n; i++) {
            offence one = judge_element(s, read, c.writer[i], e + 1 == end);
            mildest = one.kind > mildest.kind ? one : mildest;
        }
        worst = mildest.kind < worst.kind ? mildest : worst;
    }
    return worst;
}

/* Returns the reads of a short transaction from barred writes, as bits. List reads may be among them or not: all of
 * them are noted (note_reads()). */
__attribute__((noinline)) static uint64_t reads_of_barred(const sweep *s) {
    const isolab_history *h = s->h;
    uint32_t first = s->first, n = s->end - first, n_ops = h->n_ops;
    const uint32_t *writer = h->op_writer + first, *version = h->op_version + first;
    const uint64_t *barred = s->barred;
    uint64_t look = 0;
    if (h->unique) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = writer[i] < n_ops ? writer[i] : n_ops;
            look |= (uint64_t)bit_of(barred, at) << i;
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            bool doubt = writer[i] == ISO_MANY && h->op_kind[first + i] != ISO_LIST_READ; /* which has no one version */
            size_t at = doubt ? doubt_of(h, version[i]) : writer[i] < n_ops ? writer[i] : n_ops;
            look |= (uint64_t)bit_of(barred, at) << i;
        }
    }
    for (uint64_t left = look; left != 0; left &= left - 1) {
        look &= iso_is_write(h->op_kind[first + (uint32_t)__builtin_ctzll(left)]) ? ~(left & -left) : UINT64_MAX;
    }
    return look;
}

typedef struct findings {
    uint64_t n;
    iso_int_report *report;
    void *arg;
} findings;

static void judge_read(sweep *s, uint32_t o, findings *f) {
    offence it = s->h->op_kind[o] == ISO_READ ? judge_register(s, o) : judge_list(s, o);
    if (it.kind != FINE) {
        f->n++;
        if (f->report != NULL) {
            f->report(f->arg, (iso_int_kind)it.kind, o, it.other);
        }
    }
}

uint64_t iso_check_int(const isolab_history *h, iso_pool *scratch, iso_int_report *report, void *arg) {
    findings f = {0, report, arg};
    sweep s = {.h = h, .scratch = scratch};
    s.barred = ISO_ZNEW(scratch, uint64_t, doubt_of(h, h->unique ? 0 : h->n_versions) / 64 + 1);
    if (h->has_lists) {
        s.prev = ISO_ZNEW(scratch, uint32_t, h->n_ops);
    }
    doubt_negations(&s);
    mark(&s);
    for (uint32_t t = 0, next = 0; t < h->n_txns; t++) {
        uint64_t look = next < s.n_noted && s.noted[next].txn == t ? s.noted[next++].reads : 0;
        if (h->txn_counts[t] != ISO_INCLUDED) {
            continue;
        }
        start(&s, t);
        iso_tick(scratch->env);
        if (!is_long(&s)) {
            s.wrote = UINT64_MAX; /* all keys: so judging a read always searches for the transaction's own write */
            for (look |= s.any_barred ? reads_of_barred(&s) : 0; look != 0; look &= look - 1) {
                judge_read(&s, s.first + (uint32_t)__builtin_ctzll(look), &f);
            }
            continue;
        }
        for (uint32_t o = s.first; o < s.end; o++) {
            iso_tick(scratch->env);
            if (iso_is_write(h->op_kind[o])) {
                note_write(&s, o);
            } else {
                judge_read(&s, o, &f);
            }
        }
    }
    iso_free(scratch, s.noted);
    iso_free(scratch, s.choices);
    iso_free(scratch, s.later);
    iso_free(scratch, s.prev);
    iso_free(scratch, s.own);
    iso_free(scratch, s.barred);
    return f.n;
}

/* Returns an earlier read of the key with which the read disagrees; ISO_NONE: none. met: by key, 1 + its first read or
 * write in the current transaction, if it is one of that transaction. */
static uint32_t disagreeing(const isolab_history *h, uint32_t *met, uint32_t first, uint32_t o) {
    uint32_t *at = &met[h->op_key[o]];
    if (*at <= first) {
        *at = o + 1;
        return ISO_NONE;
    }
    uint32_t before = *at - 1;
    if (h->op_kind[o] != ISO_READ) {
        *at = o + 1; /* what is read from here on is this write */
        return ISO_NONE;
    }
    bool two = h->op_kind[before] == ISO_READ && h->op_version[before] != h->op_version[o];
    bool ambiguous = h->op_writer[before] == ISO_MANY || h->op_writer[o] == ISO_MANY;
    return two && ambiguous && !iso_op_is_negation(h, before) && !iso_op_is_negation(h, o) ? before : ISO_NONE;
}

bool iso_find_two_values(const isolab_history *h, iso_pool *scratch, uint32_t *read, uint32_t *other) {
    uint32_t *met = h->unique ? NULL : ISO_ZNEW(scratch, uint32_t, h->n_keys);
    bool found = false;
    for (uint32_t t = 0; met != NULL && t < h->n_txns && !found; t++) {
        iso_tick(scratch->env);
        for (uint32_t o = h->txn_op[t]; h->txn_counts[t] == ISO_INCLUDED && o < h->txn_op[t + 1] && !found; o++) {
            *read = o;
            *other = disagreeing(h, met, h->txn_op[t], o);
            found = *other != ISO_NONE;
        }
    }
    iso_free(scratch, met);
    return found;
}

/* Returns the read, before all writes of its key in its transaction, that the write overwrites, if the write is the
 * first one of the key there; else ISO_NONE. met: by key: 1 + the first operation of the transaction on it that
 * counts. */
static uint32_t overwritten(const isolab_history *h, uint32_t *met, uint32_t first, uint32_t o) {
    uint32_t *at = &met[h->op_key[o]], before = *at - 1;
    if (*at <= first) {
        *at = o + 1;
    } else if (h->op_kind[o] == ISO_WRITE && h->op_kind[before] == ISO_READ) {
        *at = o + 1; /* later writes overwrite this one */
        return before;
    }
    return ISO_NONE;
}

bool iso_find_lost_update(const isolab_history *h, iso_pool *scratch, uint32_t *read) {
    bool found = false;
    uint32_t *met = h->unique ? NULL : ISO_ZNEW(scratch, uint32_t, h->n_keys);
    uint32_t *updates = h->unique ? NULL : ISO_ZNEW(scratch, uint32_t, h->n_versions);
    for (uint32_t t = 0; met != NULL && t < h->n_txns && !found; t++) {
        iso_tick(scratch->env);
        for (uint32_t o = h->txn_op[t]; h->txn_counts[t] == ISO_INCLUDED && o < h->txn_op[t + 1] && !found; o++) {
            uint32_t n, before = overwritten(h, met, h->txn_op[t], o);
            if (before != ISO_NONE && h->op_writer[before] == ISO_MANY && !iso_op_is_negation(h, before)) {
                uint32_t v = h->op_version[before];
                iso_writers(h, v, &n);
                *read = before;
                found = ++updates[v] > n + iso_version_is_initial(h, v);
            }
        }
    }
    iso_free(scratch, met);
    iso_free(scratch, updates);
    return found;
}

uint32_t iso_count_updates(const isolab_history *h, uint32_t version) {
    uint32_t n = 0, last = ISO_NONE;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o];
        bool read = h->op_kind[o] == ISO_READ && h->op_version[o] == version && h->txn_counts[t] == ISO_INCLUDED;
        if (read && t != last && iso_write_before(h, o) == ISO_NONE && iso_write_after(h, o) != ISO_NONE) {
            last = t;
            n++;
        }
    }
    return n;
}
