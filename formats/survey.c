/* See survey.h. */
#include "formats/survey.h"

#include <inttypes.h>
#include <stdio.h>

#include "formats/scan.h"

uint64_t iso_session_base(const isolab_history *h) {
    uint64_t base = 0, n = h->n_sessions;
    for (bool free = false; !free;) {
        free = true;
        for (uint32_t s = 0; free && s < n; s++) {
            iso_atom name = h->session_name[s];
            bool number = name.kind == ISO_ATOM_INT || name.kind == ISO_ATOM_UINT;
            uint64_t at = name.bits - base;
            /* a session whose name is its own number does not conflict */
            free = !(number && at < n && at != s && h->session_name[at].kind == ISO_ATOM_NIL);
        }
        base += free ? 0 : n;
    }
    return base;
}

uint64_t iso_count_bad_text(const isolab_history *h) {
    uint64_t bad = 0;
    for (uint32_t i = 0; i < h->n_strings; i++) {
        uint64_t length;
        const unsigned char *p = (const unsigned char *)iso_string(h, i, &length), *end = p + length;
        unsigned n = 1;
        while (p < end && (n = iso_utf8_length(p, end)) > 0) {
            p += n;
        }
        bad += p < end;
    }
    return bad;
}

uint64_t iso_count_list_ops(const isolab_history *h) {
    uint64_t n = 0;
    for (uint32_t o = 0; h->has_lists && o < h->n_ops; o++) {
        n += iso_is_list_op(h->op_kind[o]);
    }
    return n;
}

uint64_t iso_count_timed(const isolab_history *h) {
    uint64_t n = 0;
    for (uint32_t t = 0; h->txn_start != NULL && t < h->n_txns; t++) {
        n += h->txn_start[t] != ISO_NO_TIME || h->txn_end[t] != ISO_NO_TIME;
    }
    return n;
}

uint64_t iso_count_named_txns(const isolab_history *h) {
    uint64_t n = 0;
    for (uint32_t t = 0; h->txn_name_kind != NULL && t < h->n_txns; t++) {
        n += h->txn_name_kind[t] != ISO_ATOM_NIL;
    }
    return n;
}

uint64_t iso_count_named_sessions(const isolab_history *h) {
    uint64_t n = 0;
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        iso_atom name = h->session_name[s];
        n += name.kind != ISO_ATOM_NIL && !iso_atom_equal(name, iso_atom_int(s));
    }
    return n;
}

static bool in_range(const iso_numbers *n, iso_atom a) {
    return a.kind == ISO_ATOM_UINT
               ? a.bits <= n->max
               : a.kind == ISO_ATOM_INT && (int64_t)a.bits >= n->min && ((int64_t)a.bits < 0 || a.bits <= n->max);
}

/* Counts an atom that must change; otherwise keeps the largest unchanged number in *most. */
static void weigh(iso_numbers *n, iso_atom a, uint64_t *most) {
    if (a.kind == ISO_ATOM_STRING) {
        n->losses.count[ISO_LOSS_STRINGS]++;
    } else if (!in_range(n, a)) {
        n->losses.count[ISO_LOSS_RANGE]++;
    } else if ((a.kind == ISO_ATOM_UINT || (int64_t)a.bits >= 0) && a.bits > *most) {
        *most = a.bits;
    }
}

void iso_numbers_init(iso_numbers *n, const isolab_history *h, int64_t min, uint64_t max, iso_atom initial) {
    *n = (iso_numbers){.h = h, .min = min, .max = max, .initial = initial};
    uint64_t key = 0, value = initial.bits;
    for (uint32_t k = 0; k < h->n_keys; k++) {
        if (!h->key_is_list[k]) {
            weigh(n, h->key_name[k], &key);
        }
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        iso_atom a = iso_version_value(h, v);
        if (a.kind != ISO_ATOM_NIL && !iso_atom_is_not(a) && !h->key_is_list[h->version_key[v]]) {
            n->losses.count[ISO_LOSS_INITIAL] += iso_atom_equal(a, initial);
            weigh(n, a, &value);
        }
    }
    n->new_keys = n->max - key <= h->n_keys;
    n->key_base = n->new_keys ? 0 : key + 1;
    n->new_values = n->max - value <= h->n_versions;
    n->value_base = n->new_values ? 1 : value + 1;
    /* nil is then written by a number, which must be new if no number means initial */
    bool nil_written = initial.kind == ISO_ATOM_NIL && iso_writes_initial(h);
    const uint64_t *count = n->losses.count;
    bool moved = nil_written || count[ISO_LOSS_STRINGS] + count[ISO_LOSS_RANGE] + count[ISO_LOSS_INITIAL] > 0;
    if (!moved) { /* no new number is needed */
        n->new_keys = n->new_values = false;
    }
    n->losses.count[ISO_LOSS_RANGE] += n->new_keys ? h->n_keys : 0;
    n->losses.count[ISO_LOSS_RANGE] += n->new_values ? h->n_versions : 0;
}

iso_atom iso_number_of_key(const iso_numbers *n, uint32_t key) {
    iso_atom a = n->h->key_name[key];
    return in_range(n, a) && !n->new_keys ? a : iso_atom_uint(n->key_base + key);
}

iso_atom iso_number_of_version(const iso_numbers *n, uint32_t version) {
    iso_atom a = iso_version_value(n->h, version);
    if (a.kind == ISO_ATOM_NIL) {
        return n->initial;
    }
    bool stays = in_range(n, a) && !n->new_values && !iso_atom_equal(a, n->initial);
    return stays ? a : iso_atom_uint(n->value_base + version);
}

void iso_losses_add(iso_losses *to, const iso_losses *more) {
    for (int i = 0; i < ISO_LOSS_KINDS; i++) {
        to->count[i] += more->count[i];
    }
}

uint64_t iso_survey(const isolab_history *h, const iso_format *format, iso_losses *losses) {
    *losses = (iso_losses){{0}};
    for (uint32_t o = 0; !(format->flags & ISO_FORMAT_NEGATIONS) && h->version_not != NULL && o < h->n_ops; o++) {
        losses->count[ISO_LOSS_NEGATIONS] += iso_op_is_negation(h, o);
    }
    losses->count[ISO_LOSS_NOTES] = format->flags & ISO_FORMAT_NOTES ? 0 : h->n_notes;
    if (format->survey != NULL) {
        format->survey(h, losses);
    }
    uint64_t total = 0;
    for (int i = 0; i < ISO_LOSS_KINDS; i++) {
        total += losses->count[i];
    }
    return total;
}

static const char *const loss_text[ISO_LOSS_KINDS][2] = {
    /* singular and plural */
    [ISO_LOSS_STRINGS] = {"string", "strings"},
    [ISO_LOSS_LISTS] = {"list operation", "list operations"},
    [ISO_LOSS_ABORTED] = {"aborted transaction", "aborted transactions"},
    [ISO_LOSS_INDETERMINATE] = {"indeterminate transaction", "indeterminate transactions"},
    [ISO_LOSS_TIMES] = {"transaction with times", "transactions with times"},
    [ISO_LOSS_NAMES] = {"name", "names"},
    [ISO_LOSS_INITIAL] = {"initial value", "initial values"},
    [ISO_LOSS_RANGE] = {"integer out of range", "integers out of range"},
    [ISO_LOSS_EMPTY] = {"empty transaction or session", "empty transactions or sessions"},
    [ISO_LOSS_DUPLICATES] = {"write of a repeated value", "writes of repeated values"},
    [ISO_LOSS_NEGATIONS] = {"read of a value other than one", "reads of a value other than one"},
    [ISO_LOSS_NOTES] = {"note", "notes"},
    [ISO_LOSS_SESSIONS] = {"session that goes on after an indeterminate transaction",
                           "sessions that go on after an indeterminate transaction"},
    [ISO_LOSS_CALLS] = {"transaction that is not one call of a register",
                        "transactions that are not one call of a register"},
};

void iso_loss_report(const iso_losses *losses, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < ISO_LOSS_KINDS; i++) {
        if (losses->count[i] > 0 && used < size) {
            int n = snprintf(text + used, size - used, "%s%" PRIu64 " %s", used == 0 ? "" : ", ", losses->count[i],
                             loss_text[i][losses->count[i] > 1]);
            used += n > 0 ? (size_t)n : 0;
        }
    }
}
