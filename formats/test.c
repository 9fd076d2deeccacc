/* AWDIT's text for people: `r KEY VALUE` and `w KEY VALUE` lines; a line of `-` ends a transaction, a line of `=` a
 * session. It has no initial value: files write one in a session, usually 0 in the first one, which the reader
 * recognises (history/initial.h). The writer does the same if a history reads or writes the initial value. Keys and
 * values are integers. */
#define _GNU_SOURCE
#include <string.h>

#include "formats/scan.h"
#include "formats/survey.h"
#include "history/initial.h"

/* Returns whether the line at the cursor consists of one character, repeated; if so, the cursor moves past it. */
static bool scan_rule(iso_scan *s, unsigned char c) {
    const unsigned char *p = s->at;
    while (*p == c) {
        p++;
    }
    if (p == s->at || (c == '-' && iso_is_digit(*p))) {
        return false;
    }
    s->at = p;
    return true;
}

static void space(iso_scan *s) {
    while (iso_is_space(*s->at)) {
        s->at++;
    }
}

static void scan_op(iso_scan *s, iso_builder *b, uint32_t txn) {
    iso_op_kind kind = *s->at++ == 'w' ? ISO_WRITE : ISO_READ;
    if (!iso_is_space(*s->at)) {
        iso_scan_expected(s, s->at, "a space and a key");
    }
    space(s);
    uint32_t key = iso_builder_key(b, iso_scan_integer(s, "a key (an integer)"));
    if (!iso_is_space(*s->at)) {
        iso_scan_expected(s, s->at, "a space and a value");
    }
    space(s);
    iso_builder_op(b, txn, kind, key, iso_scan_integer(s, "a value (an integer)"));
}

static isolab_history *read_test(iso_source *source) {
    iso_scan s;
    iso_scan_init(&s, source);
    iso_builder *b = iso_source_builder(source);
    iso_builder_custom(b, iso_atom_int(0));
    uint32_t session = ISO_NONE, txn = ISO_NONE; /* the current ones */
    for (uint64_t line = 1; s.at < s.end; line++) {
        iso_tick(source->pool->env);
        space(&s);
        bool op = *s.at == 'r' || *s.at == 'w', dashes = !op && scan_rule(&s, '-');
        bool equals = !op && !dashes && scan_rule(&s, '=');
        if ((op || dashes || equals) && session == ISO_NONE) {
            session = iso_builder_session(b, iso_atom_nil());
        }
        if ((op || dashes) && txn == ISO_NONE) { /* dashes alone end an empty transaction */
            txn = iso_builder_txn(b, session, iso_atom_nil(), ISO_COMMITTED);
            iso_builder_place(b, txn, line, -1);
        }
        if (op) {
            scan_op(&s, b, txn);
        }
        txn = dashes || equals ? ISO_NONE : txn;
        session = equals ? ISO_NONE : session;
        space(&s);
        if (s.at[0] == '\r' && s.at[1] == '\n') {
            s.at++;
        }
        if (s.at < s.end && *s.at != '\n') {
            iso_scan_expected(&s, s.at,
                              op || dashes || equals ? "the end of the line"
                                                     : "an operation (r or w), a line of '-' or a line of '='");
        }
        s.at += s.at < s.end;
    }
    return iso_builder_finish(b);
}

/* The first line that is not empty is an operation or a rule. */
static int detect_test(const iso_source *source) {
    const unsigned char *p = source->bytes;
    while (iso_is_space(*p) || *p == '\n' || *p == '\r') {
        p++;
    }
    if ((*p == 'r' || *p == 'w') && iso_is_space(p[1])) {
        return 90;
    }
    return (p[0] == '-' && p[1] == '-') || (p[0] == '=' && p[1] == '=') ? 80 : 0;
}

/* Returns the form of nil: the input's number for it, else 0 if no value has it, else a new number. */
static iso_atom choose_initial(const isolab_history *h, const iso_numbers *n) {
    iso_atom zero = iso_atom_int(0);
    if (h->initial.kind == ISO_ATOM_INT || h->initial.kind == ISO_ATOM_UINT) {
        zero = h->initial;
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        if (iso_atom_equal(iso_number_of_version(n, v), zero)) {
            return iso_atom_uint(n->value_base + h->n_versions);
        }
    }
    return zero;
}

/* A reader would take a first transaction that writes only 0 for the initial one: then each 0 becomes a new number. */
static void number_values(iso_numbers *n, const isolab_history *h) {
    bool nils = false;
    for (uint32_t v = 0; v < h->n_versions; v++) {
        nils |= iso_version_is_initial(h, v) && !h->key_is_list[h->version_key[v]];
    }
    bool begins = !nils && iso_initial_begins_registers(h, iso_atom_int(0));
    iso_numbers_init(n, h, INT64_MIN, UINT64_MAX, begins ? iso_atom_int(0) : iso_atom_nil());
}

static void survey_test(const isolab_history *h, iso_losses *losses) {
    iso_numbers n;
    number_values(&n, h);
    iso_losses_add(losses, &n.losses);
    losses->count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    losses->count[ISO_LOSS_ABORTED] += h->n_aborted;
    losses->count[ISO_LOSS_INDETERMINATE] += h->n_indeterminate;
    losses->count[ISO_LOSS_TIMES] += iso_count_timed(h);
    losses->count[ISO_LOSS_NAMES] += iso_count_named_txns(h) + iso_count_named_sessions(h);
    bool zero = iso_atom_equal(choose_initial(h, &n), iso_atom_int(0)); /* the reader recognises 0 */
    for (uint32_t o = 0; o < h->n_ops && !zero; o++) {
        losses->count[ISO_LOSS_INITIAL] +=
            !iso_is_list_op(h->op_kind[o]) && iso_version_is_initial(h, h->op_version[o]);
    }
}

static void put_op(FILE *out, char verb, iso_atom key, iso_atom value) {
    putc_unlocked(verb, out);
    putc_unlocked(' ', out);
    iso_put_integer(out, key);
    putc_unlocked(' ', out);
    iso_put_integer(out, value);
    putc_unlocked('\n', out);
}

/* Writes the first session if the history uses an initial value: one transaction that writes these values. */
static void put_initial(FILE *out, const iso_numbers *n, iso_atom initial) {
    bool any = false;
    for (uint32_t v = 0; v < n->h->n_versions; v++) {
        if (iso_version_is_initial(n->h, v) && !n->h->key_is_list[n->h->version_key[v]]) {
            put_op(out, 'w', iso_number_of_key(n, n->h->version_key[v]), initial);
            any = true;
        }
    }
    if (any) {
        iso_put_text(out, "=====\n");
    }
}

static void write_test(const isolab_history *h, iso_sink *sink) {
    FILE *out = sink->out;
    iso_numbers n;
    number_values(&n, h);
    iso_atom initial = choose_initial(h, &n);
    put_initial(out, &n, initial);
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        bool begun = false, any = false; /* begun: a transaction that no rule has ended; any: something was written */
        for (uint32_t t = h->session_txn[s]; t < h->session_txn[s + 1]; t++) {
            iso_tick(sink->pool->env);
            if (h->txn_counts[t] == ISO_EXCLUDED) {
                continue;
            }
            if (begun) {
                iso_put_text(out, "-----\n");
            }
            begun = false;
            any = true;
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                if (iso_is_list_op(h->op_kind[o])) {
                    continue;
                }
                iso_atom value = iso_number_of_version(&n, h->op_version[o]);
                put_op(out, h->op_kind[o] == ISO_READ ? 'r' : 'w', iso_number_of_key(&n, h->op_key[o]),
                       value.kind == ISO_ATOM_NIL ? initial : value);
                begun = true;
            }
            if (!begun) { /* an empty transaction is only its end */
                iso_put_text(out, "-----\n");
            }
        }
        if (s + 1 < h->n_sessions || !any) {
            iso_put_text(out, "=====\n");
        }
    }
}

const iso_format iso_format_test = {
    .name = "test",
    .summary = "AWDIT's text: `r K V` and `w K V` lines, `-----` ends a transaction, `=====` a session",
    .extensions = ".txt",
    .detect = detect_test,
    .read = read_test,
    .survey = survey_test,
    .write = write_test,
};
