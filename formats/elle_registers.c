/* Logs of registers, as Knossos checks them: calls of :read, :write and :cas on one register, or on one for each key
 * (:value [key value]), and on a mutex. A call is a transaction of one operation; a compare-and-set [old new] reads old
 * and writes new. A call without a completion may take effect at any time after its invocation, or never, so it is an
 * indeterminate transaction without an end; an unknown result of a read is left out. A failed call has no effect, but a
 * compare-and-set may have failed because the value was different from old: this is an observation, if the log allows
 * this conclusion (`observes`).
 *
 * The order of the log decides what came first, as in Knossos, not :time. */
#include "formats/elle_reading.h"

static bool is_call(const elle_event *e) { return e->f == ELLE_F_READ || e->f == ELLE_F_WRITE || e->f >= ELLE_F_CAS; }

/* What an event shows: a register without a key, a register with a key, or nothing. A completion other than :ok may
 * have an error as its value. */
enum { NOTHING, ALONE, KEYED };

static int evidence(const elle_event *e) {
    if (!is_call(e) || (e->type != ELLE_INVOKE && e->type != ELLE_OK)) {
        return NOTHING;
    }
    if (e->f == ELLE_F_CAS) {
        return e->shape == ELLE_SHAPE_KEYED ? KEYED : ALONE;
    }
    return e->f >= ELLE_F_ACQUIRE || e->shape == ELLE_SHAPE_ONE ? ALONE : e->shape == ELLE_SHAPE_PAIR ? KEYED : NOTHING;
}

void iso_elle_find_registers(elle_reading *r) {
    int first = NOTHING;
    bool nil = false, others = false;
    for (uint32_t i = 0; i < r->n_events; i++) {
        const elle_event *e = &r->events[i];
        int now = evidence(e);
        first = first == NOTHING ? now : first;
        r->registers |= now == ALONE || (now != NOTHING && e->f == ELLE_F_CAS);
        bool says = e->type == ELLE_INVOKE || e->type == ELLE_OK; /* the value of another completion may be an error */
        nil |= e->f == ELLE_F_READ && says && e->shape == ELLE_SHAPE_NIL;
        others |= !is_call(e) || (says && e->shape == ELLE_SHAPE_OTHER);
    }
    r->registers |= nil && first == NOTHING && !others;
    r->keyed = first == KEYED;
}

static const char *const what_value[] = {
    "[key value] as :value, as in the rest of this log of registers",
    "a value (nil, an integer, a string or a keyword), as in the rest of this log of "
    "a register"};

static iso_atom atom(elle_reading *r, const char *what) {
    iso_elle_token t = iso_elle_next(r);
    return t.kind == ELLE_NIL ? iso_atom_nil() : iso_elle_value(r, t, what);
}

static void open_vector(elle_reading *r, const char *what) {
    iso_elle_token t = iso_elle_next(r);
    if (t.kind != ELLE_OPEN) {
        iso_elle_expected(r, t, what);
    }
}

static void close_vector(elle_reading *r) {
    iso_elle_token t = iso_elle_next(r);
    if (t.kind != ELLE_CLOSE) {
        iso_elle_expected(r, t, "the end of the vector");
    }
}

/* Reads the key of a call, and its one or two values. A missing value is an error if the call needs it. */
static uint32_t read_call(elle_reading *r, const elle_event *e, bool pair, iso_atom value[2]) {
    if (e->value == NULL && (r->keyed || pair)) {
        iso_scan_fail(&r->l.s, e->at, "expected %s, found nil", r->keyed ? what_value[0] : "[old new] as :value");
    }
    iso_atom key = iso_builder_string(r->b, "register", 8);
    value[0] = value[1] = iso_atom_nil();
    if (e->value == NULL) {
        return iso_builder_key(r->b, key);
    }
    iso_elle_begin_value(r, e);
    if (r->keyed) {
        open_vector(r, what_value[0]);
        key = iso_elle_value(r, iso_elle_next(r), "a key (an integer, string or keyword)");
    }
    if (pair) {
        open_vector(r, "[old new]");
        value[0] = atom(r, "the old value of a compare-and-set (nil, an integer, string or keyword)");
        value[1] = atom(r, "the new value of a compare-and-set (nil, an integer, string or keyword)");
        close_vector(r);
    } else {
        value[0] = atom(r, what_value[!r->keyed]);
    }
    if (r->keyed) {
        close_vector(r);
    }
    return iso_builder_key(r->b, key);
}

/* Acquiring a mutex sets it from nil to "held". */
static void emit_mutex(elle_reading *r, uint8_t f, uint32_t txn) {
    iso_atom held = iso_builder_string(r->b, "held", 4), free = iso_atom_nil();
    uint32_t key = iso_builder_key(r->b, iso_builder_string(r->b, "mutex", 5));
    iso_builder_op(r->b, txn, ISO_READ, key, f == ELLE_F_ACQUIRE ? free : held);
    iso_builder_op(r->b, txn, ISO_WRITE, key, f == ELLE_F_ACQUIRE ? held : free);
}

void iso_elle_emit_call(elle_reading *r, const elle_pair *p, uint32_t txn, iso_status status) {
    const elle_event *invoked = p->invoked == ISO_NONE ? NULL : &r->events[p->invoked];
    const elle_event *completed = p->completed == ISO_NONE ? NULL : &r->events[p->completed];
    const elle_event *e = invoked != NULL ? invoked : completed;
    if (!is_call(e) || (completed != NULL && completed->f != e->f)) {
        iso_scan_fail(&r->l.s, is_call(e) ? completed->at : e->at,
                      is_call(e)
                          ? "expected the completion of what this process invoked, found that of %s"
                          : "expected :f :read, :write or :cas, as in the rest of this log of registers, found %s",
                      iso_elle_f_name(is_call(e) ? completed->f : e->f));
    }
    iso_atom value[2];
    bool observed = r->observes && status == ISO_ABORTED && e->f == ELLE_F_CAS;
    if (e->f >= ELLE_F_ACQUIRE) {
        emit_mutex(r, e->f, txn);
    } else if (e->f == ELLE_F_READ && status == ISO_COMMITTED) {
        uint32_t key = read_call(r, completed, false, value);
        iso_builder_op(r->b, txn, ISO_READ, key, value[0]);
    } else if (e->f == ELLE_F_WRITE && status != ISO_ABORTED) {
        uint32_t key = read_call(r, e, false, value);
        iso_builder_op(r->b, txn, ISO_WRITE, key, value[0]);
    } else if (e->f == ELLE_F_CAS && (status != ISO_ABORTED || observed)) {
        uint32_t key = read_call(r, e, true, value);
        iso_builder_op(r->b, txn, ISO_READ, key, observed ? iso_atom_not(value[0]) : value[0]);
        if (observed) {
            iso_builder_status(r->b, txn, ISO_COMMITTED);
        } else {
            iso_builder_op(r->b, txn, ISO_WRITE, key, value[1]);
        }
    }
}
