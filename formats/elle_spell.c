/* Divides the text of a get into the texts that were put and appended: a tree of the texts of a key, and for each text
 * the row of its calls. See elle_strings.c.
 *
 * A text may be appended many times, so a row is not searched from its beginning. Calls that a put surely overwrote
 * before a get began are overwritten for later gets, too, and so are passed over in the rest of a round. An append
 * after a past that is made only once is found by that past; only appends of which less is known are tried one by
 * one. */
#include <string.h>

#include "formats/elle_strings.h"

/* ---- the texts of a key ---- */

static uint32_t add_prefix(elle_reading *r, uint32_t parent, unsigned char byte) {
    elle_strings *s = r->strings;
    if (s->n_prefixes == ISO_ID_MAX) {
        iso_throw(r->pool->env, ISOLAB_E_INPUT, "more than %u bytes in the texts of a log of strings: too many",
                  ISO_ID_MAX);
    }
    ISO_GROW(r->pool, s->prefix, s->n_prefixes, s->prefixes_room);
    s->prefix[s->n_prefixes] = (prefix){.parent = parent, .byte = byte};
    return s->n_prefixes++;
}

/* Returns the prefix with one byte more; ISO_NONE: no text begins like this. */
static uint32_t longer(const elle_strings *s, uint32_t parent, unsigned char byte) {
    uint64_t hash = iso_mix2(parent, byte);
    for (uint32_t at, i = iso_index_first(&s->by_step, hash, &at); i != UINT32_MAX;
         i = iso_index_next(&s->by_step, hash, &at)) {
        if (s->prefix[i].parent == parent && s->prefix[i].byte == byte) {
            return i;
        }
    }
    return ISO_NONE;
}

uint32_t iso_elle_find_text(const elle_strings *s, uint32_t root, const string_call *c) {
    uint32_t at = root;
    for (size_t i = 0; i < c->length && at != ISO_NONE; i++) {
        at = longer(s, at, (unsigned char)s->text[c->text + i]);
    }
    return at;
}

static void add_text(elle_reading *r, uint32_t root, uint32_t call) {
    elle_strings *s = r->strings;
    string_call *c = &s->call[call];
    uint32_t at = root;
    for (size_t i = 0; i < c->length; i++) {
        unsigned char byte = (unsigned char)s->text[c->text + i];
        uint32_t next = longer(s, at, byte);
        if (next == ISO_NONE) {
            next = add_prefix(r, at, byte);
            iso_index_add(&s->by_step, iso_mix2(at, byte), next);
        }
        at = next;
    }
    c->prefix = at;
    if (c->length > 0) {
        (c->f == ELLE_F_PUT ? &s->prefix[at].put : &s->prefix[at].append)->end++;
        s->n_places++;
    }
}

static void place_call(elle_strings *s, uint32_t call) {
    string_call *c = &s->call[call];
    text_row *of = c->f == ELLE_F_PUT ? &s->prefix[c->prefix].put : &s->prefix[c->prefix].append;
    if (c->length > 0) {
        c->place = of->end++;
        s->place[c->place].call = call;
    }
}

static bool has_text(const string_call *c) { return c->counts && c->f != ELLE_F_GET; }

uint32_t iso_elle_texts(elle_reading *r, const uint32_t *call, uint32_t n) {
    elle_strings *s = r->strings;
    uint32_t root = add_prefix(r, ISO_NONE, 0), end = 0;
    s->first = ISO_NONE;
    s->emptied = false;
    s->n_places = 0;
    for (uint32_t i = 0; i < n; i++) {
        const string_call *c = &s->call[call[i]];
        if (has_text(c)) {
            add_text(r, root, call[i]);
            s->emptied |= c->f == ELLE_F_PUT && c->length == 0;
        }
    }
    if (s->n_places > s->places_room) {
        s->places_room = 2 * s->n_places;
        s->place = iso_resize(r->pool, s->place, s->places_room, sizeof *s->place);
    }
    for (uint32_t i = root; i < s->n_prefixes; i++) {
        text_row *rows[] = {&s->prefix[i].put, &s->prefix[i].append};
        for (int k = 0; k < 2; k++) { /* so far, end is the number of calls; from here on, where the next one goes */
            uint32_t size = rows[k]->end;
            rows[k]->first = rows[k]->end = end;
            end += size;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (has_text(&s->call[call[i]])) {
            place_call(s, call[i]);
        }
    }
    return root;
}

/* ---- what a get observed ---- */

/* Returns where to keep the append after a past; NULL: it may differ, since puts can make this past several times. */
static uint32_t *after(elle_strings *s, const elle_past *p) {
    string_call *last = &s->call[p->call];
    bool once = p->kind == NOTHING
                    ? !s->emptied
                    : p->kind == APPEND || s->prefix[last->prefix].put.end - s->prefix[last->prefix].put.first == 1;
    return !once ? NULL : p->kind == NOTHING ? &s->first : &last->after;
}

/* Returns whether an append may come after a past. */
static bool may_follow(elle_strings *s, const elle_past *p, uint32_t append) {
    const string_call *c = &s->call[append];
    const uint32_t *next = after(s, p);
    bool known = c->past.kind != UNKNOWN;
    return !(known && (c->past.kind != p->kind || c->past.call != p->call)) &&
           (next == NULL || *next == ISO_NONE || *next == append) &&
           (p->kind != APPEND || c->end > s->call[p->call].start);
}

/* Returns whether a put or append may be in the past of a get at all. */
static bool may_see(const string_call *get, const string_call *c) {
    return c->start < get->end && c->gone >= get->start;
}

void iso_elle_begin_round(elle_reading *r) {
    elle_strings *s = r->strings;
    for (uint32_t i = 0; i < s->n_places; i++) {
        const string_call *c = &s->call[s->place[i].call];
        bool settled = c->f == ELLE_F_APPEND && c->past.kind != UNKNOWN && after(s, &c->past) != NULL;
        s->place[i].alive = i + 1;
        s->place[i].free = settled ? i : i + 1;
    }
}

/* Returns the end of the last place before `end` that a get from `start` on may see, and that is free if that is asked
 * for; places that a put surely overwrote are never looked at again. Returns row->first if there is none. */
static uint32_t last_place(elle_strings *s, const text_row *row, uint32_t end, uint32_t start, bool free) {
    uint32_t at = end;
    while (at > row->first) {
        place *p = &s->place[at - 1];
        if (p->alive == at && s->call[p->call].gone < start) {
            p->alive = at - 1;
            p->free = p->free == at ? at - 1 : p->free;
        }
        uint32_t next = free ? p->free : p->alive;
        if (next == at) {
            break;
        }
        at = next;
    }
    while (end > at) { /* the next search takes one step */
        uint32_t *way = free ? &s->place[end - 1].free : &s->place[end - 1].alive, next = *way;
        *way = at;
        end = next;
    }
    return at;
}

/* Returns the end of the calls of a row that began before a get had ended. */
static uint32_t begun_before(const elle_strings *s, const text_row *row, const string_call *get) {
    uint32_t from = row->first, to = row->end;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        bool begun = s->call[s->place[middle].call].start < get->end;
        from = begun ? middle + 1 : from;
        to = begun ? to : middle;
    }
    return from;
}

/* Adds the ways in which a text of the tree, as an append, comes after a past. */
static void add_appends(elle_reading *r, const string_call *get, uint32_t text, size_t from, spelling *to) {
    elle_strings *s = r->strings;
    const text_row *row = &s->prefix[text].append;
    const elle_past *before = &s->spelling[from].past;
    const uint32_t *next = after(s, before);
    if (next != NULL && *next != ISO_NONE) { /* no other append comes after it */
        const string_call *c = &s->call[*next];
        if (c->prefix == text && may_see(get, c) && may_follow(s, before, *next)) {
            *to = (spelling){from, {*next, APPEND}, to->ways + 1};
        }
        return;
    }
    uint32_t at = last_place(s, row, begun_before(s, row, get), get->start, true);
    for (; at > row->first && to->ways < 2; at = last_place(s, row, at - 1, get->start, true)) {
        iso_tick(r->pool->env);
        if (may_follow(s, before, s->place[at - 1].call)) {
            *to = (spelling){from, {s->place[at - 1].call, APPEND}, to->ways + 1};
        }
    }
}

/* Adds the ways in which a text of the tree is the next part. */
static void add_ways(elle_reading *r, const string_call *get, uint32_t text, size_t from, spelling *to) {
    elle_strings *s = r->strings;
    const text_row *put = &s->prefix[text].put, *append = &s->prefix[text].append;
    if (from == 0 && put->end > put->first &&
        last_place(s, put, begun_before(s, put, get), get->start, false) > put->first) {
        *to = (spelling){from, {s->place[put->end - 1].call, PUT}, to->ways > 0 ? 2 : 1};
    }
    if (append->end == append->first || to->ways > 1) {
        return;
    }
    if (s->spelling[from].ways == 1) {
        add_appends(r, get, text, from, to);
        return;
    }
    uint32_t at = last_place(s, append, begun_before(s, append, get), get->start, false);
    if (at > append->first) {
        *to = (spelling){from, {s->place[at - 1].call, APPEND}, 2};
    }
}

unsigned iso_elle_spell(elle_reading *r, uint32_t root, const string_call *get) {
    elle_strings *s = r->strings;
    if (s->spelling_room <= get->length) {
        s->spelling_room = 2 * get->length + 1;
        s->spelling = iso_resize(r->pool, s->spelling, s->spelling_room, sizeof *s->spelling);
    }
    memset(s->spelling, 0, (get->length + 1) * sizeof *s->spelling);
    s->spelling[0] = (spelling){0, {0, NOTHING}, 1};
    for (size_t from = 0; from < get->length; from++) {
        iso_tick(r->pool->env);
        uint32_t at = s->spelling[from].ways > 0 ? root : ISO_NONE;
        for (size_t i = from; i < get->length && at != ISO_NONE; i++) {
            at = longer(s, at, (unsigned char)s->text[get->text + i]);
            if (at != ISO_NONE) {
                add_ways(r, get, at, from, &s->spelling[i + 1]);
            }
        }
    }
    return s->spelling[get->length].ways;
}

void iso_elle_learn(elle_reading *r, string_call *get) {
    elle_strings *s = r->strings;
    for (size_t at = get->length; at > 0; at = s->spelling[at].from) {
        const elle_past *own = &s->spelling[at].past, *before = &s->spelling[s->spelling[at].from].past;
        if (own->kind == APPEND && s->call[own->call].past.kind == UNKNOWN) {
            s->call[own->call].past = *before;
        }
        uint32_t *next = own->kind == APPEND ? after(s, before) : NULL;
        if (next != NULL) {
            *next = own->call;
            s->place[s->call[own->call].place].free = s->call[own->call].place;
        }
    }
    get->past = s->spelling[get->length].past;
}

/* Returns whether the parts of a get's text use one call twice. No order explains that, so the get becomes a read of a
 * text without a writer. */
bool iso_elle_repeats(elle_reading *r, const string_call *get) {
    elle_strings *s = r->strings;
    bool twice = false;
    for (size_t at = get->length; at > 0 && !twice; at = s->spelling[at].from) {
        string_call *c = &s->call[s->spelling[at].past.call];
        twice = c->met;
        c->met = true;
    }
    for (size_t at = get->length; at > 0; at = s->spelling[at].from) {
        s->call[s->spelling[at].past.call].met = false;
    }
    return twice;
}
