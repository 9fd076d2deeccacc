/* Logs of strings, as Porcupine checks them: :put, :append and :get of a string under a key.
 *
 *     {:process 0, :type :invoke, :f :append, :key "0", :value "x"}
 *
 * An append does not say what it appended to, so it is not yet an operation of a history. What gets observed says it.
 * The *past* of a key at an instant is the text of its last put and then the appends after it, in their order; before
 * any put, all appends. A get returns the text of the past. The *pasts of a get* have its text, and rules below do not
 * exclude them. A get with several is refused. Otherwise a key becomes a register whose value is its past:
 *
 *     get                  reads its only past; without any, whatever past has its text, or none
 *     put                  writes the past of its text alone
 *     append, observed     (in the past of a get) reads the part of that past before it, and writes the part up to it
 *     append, other        writes a value of its own
 *     append of ""         does nothing
 *
 * An order of the calls explains the log if and only if the same order explains this history.
 * - Let it explain the log. Each get has the past that the log has there, since this past is among its pasts. An
 *   observed append took effect once, after the part before it, so it reads what the register holds. Another append is
 *   followed by no get and no observed append until the next put, so its own value is read by nothing.
 * - Let it explain the history. By induction, the log has the text of the past that the register holds, or, after an
 *   append with a value of its own, an unknown text until the next put, which nothing reads. So each get returns its
 *   text. This holds whatever past with its text a get reads, so one without pasts, which no order explains, stays
 *   unexplained.
 * - An open append that is observed is read, and so is included. Another one may be left out, since nothing reads what
 *   it writes, and nothing that is read depends on it. An open put is a write like others.
 *
 * A call cannot be in the past of a get, or not at some place of it, in any order that explains the log, if
 * - it began after the get had ended; or it ended before a put began that ended before the get began;
 * - it ended before the call before it in this past began;
 * - the only past of another get has it after something else, or something else after the append before it. (Puts may
 *   repeat a text, and so what comes after their text may differ.)
 * Therefore gets are looked at in the order of the log, and those with several pasts again after the others.
 *
 * The value of a past is its text, or, if no get observed it or another past has the same text, the number of the event
 * of its last append: texts are strings, so the two differ, and the history is not larger than the log. (One value for
 * all pasts of a text would be right as well, but histories whose values do not repeat are easier to decide.)
 *
 * Texts are spelled with a tree of all texts that are put and appended under a key, from left to right, counting ways
 * up to 2: in time that is linear in the text, unless texts are beginnings of each other, or repeat. */
#include <string.h>

#include "base/buckets.h"
#include "formats/elle_strings.h"

enum { ROUNDS = 8 }; /* how often gets with several pasts are looked at */

void iso_elle_find_strings(elle_reading *r) {
    const elle_event *other = NULL;
    for (uint32_t i = 0; i < r->n_events; i++) {
        const elle_event *e = &r->events[i];
        bool append = e->f == ELLE_F_APPEND;
        r->has_strings |= e->f == ELLE_F_GET || e->f == ELLE_F_PUT || (append && e->key != NULL);
        other = other == NULL && !append && e->f != ELLE_F_GET && e->f != ELLE_F_PUT ? e : other;
    }
    if (r->has_strings && other != NULL) {
        iso_scan_fail(&r->l.s, other->at,
                      "expected :f :get, :put or :append, as in the rest of this log of strings, found %s",
                      iso_elle_f_name(other->f));
    }
}

/* ---- calls ---- */

static iso_elle_token token_at(elle_reading *r, const unsigned char *at) {
    iso_elle_begin_value(r, &(elle_event){.value = at});
    return iso_elle_next(r);
}

static iso_atom key_of(elle_reading *r, const elle_event *e) {
    if (e->key == NULL) {
        iso_scan_fail(&r->l.s, e->at, "expected a :key in this call, as in %s, found none", ELLE_LOG_STRINGS);
    }
    return iso_elle_value(r, token_at(r, e->key), "a key (an integer, string or keyword)");
}

static void keep_text(elle_reading *r, string_call *c, const elle_event *e) {
    elle_strings *s = r->strings;
    iso_text text = {"", 0};
    if (e->value != NULL) {
        iso_elle_token t = token_at(r, e->value);
        if (t.kind != ELLE_STRING) {
            iso_elle_expected(r, t, "a string as :value, as in the rest of this log of strings");
        }
        text = t.text;
    } else if (c->f != ELLE_F_GET) {
        iso_scan_fail(&r->l.s, e->at, "expected a string as :value of this call, found nil");
    }
    while (s->text_room - s->n_text < text.length) {
        s->text_room = s->text_room < 4096 ? 4096 : 2 * s->text_room;
        s->text = iso_resize(r->pool, s->text, s->text_room, 1);
    }
    if (text.length > 0) {
        memcpy(s->text + s->n_text, text.bytes, text.length);
    }
    c->text = s->n_text;
    c->length = text.length;
    s->n_text += text.length;
}

/* What a call is asked to do is in its invocation, and what a get returned in its completion. */
static void read_call(elle_reading *r, uint32_t pair) {
    const elle_pair *p = &r->pairs[pair];
    const elle_event *completed = p->completed == ISO_NONE ? NULL : &r->events[p->completed];
    const elle_event *e = p->invoked == ISO_NONE ? completed : &r->events[p->invoked];
    string_call *c = &r->strings->call[pair];
    iso_atom key = key_of(r, e);
    if (completed != NULL &&
        (completed->f != e->f || (completed->key != NULL && !iso_atom_equal(key_of(r, completed), key)))) {
        iso_scan_fail(&r->l.s, completed->at,
                      "expected the completion of what this process invoked, found that of another :f or :key");
    }
    c->f = e->f;
    c->key = iso_builder_key(r->b, key);
    c->value = iso_atom_int(p->invoked == ISO_NONE ? p->completed : p->invoked);
    c->after = c->gone = ISO_NONE;
    c->start = p->invoked == ISO_NONE ? 0 : p->invoked;
    c->end = completed != NULL && completed->type == ELLE_OK ? p->completed : ISO_NONE;
    c->counts = e->f == ELLE_F_GET ? completed != NULL && completed->type == ELLE_OK
                                   : completed == NULL || completed->type != ELLE_FAIL;
    if (c->counts) {
        keep_text(r, c, e->f == ELLE_F_GET ? completed : e);
    }
}

/* Finds for each put and append of a key the first end of a put that began after it had ended. Calls
 * are in the order in which they began. */
static void find_gone(elle_reading *r, const uint32_t *call, uint32_t n) {
    elle_strings *s = r->strings;
    uint32_t *put = ISO_NEW(r->pool, uint32_t, n), *least = ISO_NEW(r->pool, uint32_t, n), n_puts = 0;
    for (uint32_t i = 0; i < n; i++) {
        const string_call *c = &s->call[call[i]];
        if (c->counts && c->f == ELLE_F_PUT && c->start > 0) {
            put[n_puts++] = call[i];
        }
    }
    for (uint32_t i = n_puts, end = ISO_NONE; i-- > 0;) {
        end = s->call[put[i]].end < end ? s->call[put[i]].end : end;
        least[i] = end;
    }
    for (uint32_t i = 0; i < n; i++) {
        string_call *c = &s->call[call[i]];
        uint32_t from = 0, to = n_puts;
        while (from < to) { /* the first put that began after c had ended */
            uint32_t middle = from + (to - from) / 2;
            bool later = s->call[put[middle]].start > c->end;
            from = later ? from : middle + 1;
            to = later ? middle : to;
        }
        c->gone = from < n_puts ? least[from] : ISO_NONE;
    }
    iso_free(r->pool, put);
    iso_free(r->pool, least);
}

static _Noreturn void refuse(const elle_reading *r, uint32_t get) {
    iso_scan_fail(
        &r->l.s, r->events[r->pairs[get].completed].at,
        "expected a get that tells which puts and appends it observed, found one whose string several of them "
        "make up: isolab decides logs in which texts that are appended to a key differ");
}

/* Finds the pasts of all gets of a key. */
static void find_pasts(elle_reading *r, uint32_t root, const uint32_t *call, uint32_t n) {
    elle_strings *s = r->strings;
    uint32_t *left = ISO_NEW(r->pool, uint32_t, n), n_left = 0;
    for (uint32_t i = 0; i < n; i++) {
        const string_call *c = &s->call[call[i]];
        if (c->counts && c->f == ELLE_F_GET && c->length > 0) {
            left[n_left++] = call[i];
        }
    }
    for (unsigned round = 0; n_left > 0; round++) {
        uint32_t kept = 0;
        iso_elle_begin_round(r);
        for (uint32_t i = 0; i < n_left; i++) {
            string_call *get = &s->call[left[i]];
            unsigned ways = iso_elle_spell(r, root, get);
            if (ways == 1 && !iso_elle_repeats(r, get)) {
                iso_elle_learn(r, get);
            } else if (ways > 1) {
                left[kept++] = left[i];
            }
        }
        if (kept == n_left || (kept > 0 && round == ROUNDS)) {
            refuse(r, left[0]);
        }
        n_left = kept;
    }
    iso_free(r->pool, left);
}

/* Returns whether the text of a get is the value of another past than its own. */
static bool is_taken(const elle_strings *s, uint32_t root, const string_call *get, uint64_t hash) {
    uint32_t end = iso_elle_find_text(s, root, get);
    bool taken = end != ISO_NONE && s->prefix[end].put.end > s->prefix[end].put.first;
    for (uint32_t at, i = iso_index_first(&s->by_text, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&s->by_text, hash, &at)) {
        const string_call *c = &s->call[i];
        taken |= c->key == get->key && c->length == get->length &&
                 memcmp(s->text + c->text, s->text + get->text, c->length) == 0;
    }
    return taken;
}

/* Makes the text of a get the value of its past, if it has none yet and the text is not that of another one. */
static void name_past(elle_reading *r, uint32_t root, uint32_t number) {
    elle_strings *s = r->strings;
    const string_call *get = &s->call[number];
    iso_atom *value = &s->call[get->past.call].value;
    if (get->past.kind != APPEND || value->kind == ISO_ATOM_STRING) {
        return;
    }
    iso_atom text = iso_builder_string(r->b, s->text + get->text, get->length);
    uint64_t hash = iso_mix2(get->key, text.bits);
    if (!is_taken(s, root, get, hash)) {
        *value = text;
        iso_index_add(&s->by_text, hash, number);
    }
}

/* Joins the gets of a key with its puts and appends. */
static void join_key(elle_reading *r, const uint32_t *call, uint32_t n) {
    elle_strings *s = r->strings;
    uint32_t root = iso_elle_texts(r, call, n);
    find_gone(r, call, n);
    find_pasts(r, root, call, n);
    for (uint32_t i = 0; i < n; i++) {
        const string_call *c = &s->call[call[i]];
        if (c->counts && c->f == ELLE_F_GET && c->length > 0) {
            name_past(r, root, call[i]);
        }
    }
}

void iso_elle_join_strings(elle_reading *r) {
    elle_strings *s = r->strings = iso_zalloc(r->pool, 1, sizeof *s);
    s->call = ISO_ZNEW(r->pool, string_call, r->n_pairs);
    iso_index_init(&s->by_step, r->pool, 0);
    iso_index_init(&s->by_text, r->pool, 0);
    uint32_t n_keys = 0;
    for (uint32_t i = 0; i < r->n_pairs; i++) {
        iso_tick(r->pool->env);
        read_call(r, i);
        n_keys = s->call[i].key < n_keys ? n_keys : s->call[i].key + 1;
    }
    iso_buckets rows = iso_buckets_new(r->pool, n_keys);
    for (uint32_t i = 0; i < r->n_pairs; i++) {
        iso_buckets_count(&rows, s->call[i].key);
    }
    uint32_t *sorted = ISO_NEW(r->pool, uint32_t, iso_buckets_sum(&rows));
    for (uint32_t i = 0; i < r->n_pairs; i++) {
        sorted[iso_buckets_place(&rows, s->call[i].key)] = i;
    }
    for (uint32_t k = 0; k < n_keys; k++) {
        join_key(r, sorted + rows.first[k], rows.first[k + 1] - rows.first[k]);
    }
    iso_free(r->pool, rows.first);
    iso_free(r->pool, sorted);
    iso_free(r->pool, s->prefix);
    iso_free(r->pool, s->place);
    iso_index_free(&s->by_step);
    iso_index_free(&s->by_text);
    iso_free(r->pool, s->spelling);
}

static iso_atom text_of(elle_reading *r, const string_call *c) {
    return c->length == 0 ? iso_atom_nil() : iso_builder_string(r->b, r->strings->text + c->text, c->length);
}

static iso_atom value_of(elle_reading *r, const elle_past *p) {
    const string_call *last = &r->strings->call[p->call];
    return p->kind == NOTHING ? iso_atom_nil() : p->kind == PUT ? text_of(r, last) : last->value;
}

void iso_elle_emit_string_call(elle_reading *r, const elle_pair *p, uint32_t txn) {
    const string_call *c = &r->strings->call[p - r->pairs];
    if (!c->counts || (c->f == ELLE_F_APPEND && c->length == 0)) {
        return;
    }
    if (c->f == ELLE_F_GET) {
        iso_builder_op(r->b, txn, ISO_READ, c->key, c->past.kind == UNKNOWN ? text_of(r, c) : value_of(r, &c->past));
    } else if (c->f == ELLE_F_PUT) {
        iso_builder_op(r->b, txn, ISO_WRITE, c->key, text_of(r, c));
    } else {
        if (c->past.kind != UNKNOWN) {
            iso_builder_op(r->b, txn, ISO_READ, c->key, value_of(r, &c->past));
        }
        iso_builder_op(r->b, txn, ISO_WRITE, c->key, c->value);
    }
}
