/* A format to begin with: a table whose rows are the operations. To make another one of it:
 *
 *     sed 's/skeleton/mine/g' examples/skeleton_format.c >formats/mine.c
 *     echo 'FORMAT(mine)' >>formats/formats.def
 *     make && build/isolab convert --lossy tests/histories/si/write-skew.txt x.mine && build/isolab check x.mine
 *
 * The rows of a transaction follow each other. Keys and values are integers, no value is the initial one, and all
 * transactions are committed:
 *
 *     session,transaction,operation,key,value
 *     0,0,w,1,1
 *     1,1,r,1,
 *
 * Formats are asked in the order of formats.def whether an input is theirs; the surest one reads it, and nothing more
 * is asked after an answer of at least ISO_FORMAT_SURE. */
#include <string.h>

#include "formats/scan.h"
#include "formats/survey.h"

#define HEADER "session,transaction,operation,key,value\n"

static int detect_skeleton(const iso_source *source) {
    return strncmp((const char *)source->bytes, HEADER, strlen(HEADER)) == 0 ? 100
                                                                             : 0; /* zero bytes follow the input */
}

/* Reads a cell that ends with a comma. */
static iso_atom scan_cell(iso_scan *s, const char *what) {
    iso_atom atom = iso_scan_integer(s, what);
    if (*s->at != ',') {
        iso_scan_expected(s, s->at, "a comma"); /* names the line, the byte, and what is there */
    }
    s->at++;
    return atom;
}

static isolab_history *read_skeleton(iso_source *source) {
    iso_scan s;
    iso_scan_init(&s, source);
    iso_builder *b = iso_source_builder(source);
    if (detect_skeleton(source) == 0) {
        iso_scan_expected(&s, s.at, "the line " HEADER);
    }
    s.at += strlen(HEADER);
    uint32_t txn = ISO_NONE;
    iso_atom last = iso_atom_nil();
    for (uint64_t line = 2; s.at < s.end; line++) {
        iso_tick(source->pool->env); /* here --timeout, --memory and interrupts end the work */
        uint32_t session = iso_builder_session(b, scan_cell(&s, "a session (an integer)"));
        iso_atom id = scan_cell(&s, "a transaction (an integer)");
        if (txn == ISO_NONE || !iso_atom_equal(id, last)) {
            txn = iso_builder_txn(b, session, id, ISO_COMMITTED);
            iso_builder_place(b, txn, line, -1);
            last = id;
        }
        bool writes = *s.at == 'w';
        if ((!writes && *s.at != 'r') || s.at[1] != ',') {
            iso_scan_expected(&s, s.at, "r or w, and a comma");
        }
        s.at += 2;
        uint32_t key = iso_builder_key(b, scan_cell(&s, "a key (an integer)"));
        iso_atom value = *s.at == '\n' ? iso_atom_nil() : iso_scan_integer(&s, "a value (an integer)");
        iso_builder_op(b, txn, writes ? ISO_WRITE : ISO_READ, key, value);
        if (*s.at != '\n') {
            iso_scan_expected(&s, s.at, "the end of the line");
        }
        s.at++;
    }
    return iso_builder_finish(b);
}

/* Counts what the format cannot hold. */
static void survey_skeleton(const isolab_history *h, iso_losses *losses) {
    iso_numbers n; /* integers for keys and values that are none */
    iso_numbers_init(&n, h, INT64_MIN, UINT64_MAX, iso_atom_nil());
    iso_losses_add(losses, &n.losses);
    losses->count[ISO_LOSS_LISTS] += iso_count_list_ops(h);
    losses->count[ISO_LOSS_ABORTED] += h->n_aborted;
    losses->count[ISO_LOSS_INDETERMINATE] += h->n_indeterminate;
    losses->count[ISO_LOSS_TIMES] += iso_count_timed(h);
    losses->count[ISO_LOSS_NAMES] += iso_count_named_txns(h) + iso_count_named_sessions(h);
}

static void write_skeleton(const isolab_history *h, iso_sink *sink) {
    iso_numbers n;
    iso_numbers_init(&n, h, INT64_MIN, UINT64_MAX, iso_atom_nil());
    iso_put_text(sink->out, HEADER);
    for (uint32_t o = 0; o < h->n_ops; o++) {
        uint32_t t = h->op_txn[o];
        if (h->txn_counts[t] == ISO_EXCLUDED || iso_is_list_op(h->op_kind[o])) {
            continue;
        }
        iso_put_integer(sink->out, iso_atom_uint(h->txn_session[t]));
        iso_put_text(sink->out, ",");
        iso_put_integer(sink->out, iso_atom_uint(t));
        iso_put_text(sink->out, iso_is_write(h->op_kind[o]) ? ",w," : ",r,");
        iso_put_integer(sink->out, iso_number_of_key(&n, h->op_key[o]));
        iso_put_text(sink->out, ",");
        if (!iso_version_is_initial(h, h->op_version[o])) {
            iso_put_integer(sink->out, iso_number_of_version(&n, h->op_version[o]));
        }
        iso_put_text(sink->out, "\n");
    }
}

const iso_format iso_format_skeleton = {
    .name = "skeleton",
    .summary = "a table whose rows are the operations",
    .extensions = ".skeleton",
    .detect = detect_skeleton,
    .read = read_skeleton,
    .survey = survey_skeleton,
    .write = write_skeleton,
};
