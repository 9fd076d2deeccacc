/* Linearizability of one key, just in time. See linear.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "linear/linear.h"

/* Limit of the words of configurations that are made for one call. */
#define MOST_WORDS ((uint64_t)1 << 25)

/* With optional calls: this many times as many configurations are made as are kept. */
#define CHOICE 4

/* Slots of calls without a bit. */
#define NOT_STARTED ISO_NONE
#define ENDED (ISO_NONE - 1)

/* The start or the end of a call. Starts come before ends at the same time: these calls overlap. */
typedef struct event {
    int64_t time;
    uint32_t call;
    bool ends;
} event;

/* A step of an order: a call, and the number of the step before it. A call that was hidden and used later has two
 * steps: its place is at the later one. */
typedef struct step {
    uint32_t before, call;
} step;

/* Configurations, `width` words each: the value of the key; bits by slot of the open calls that are done; bits by slot
 * of the hidden open calls; bits, by index in `optional`, of the optional calls that were used. */
typedef struct set {
    uint32_t *word, *step, *next, n, room, *head, mask;
    uint8_t *dropped;
} set;

typedef struct search {
    iso_calls *c;
    iso_pool *pool;
    uint32_t n_slots, slot_words, optional_words, width;
    bool order; /* an order is wanted */
    bool ties;  /* some calls have an `after` */

    event *events;
    uint32_t n_events;
    uint32_t *open, n_open;      /* calls that are not optional */
    uint32_t *free_slot, n_free; /* slots that are not in use */
    uint32_t *blind, *changing;  /* bits of slots: calls that may be hidden; other calls that change the value */
    uint32_t *optional;          /* optional calls by kind, in the order of their starts */
    uint32_t *kind_first;        /* by kind: index of its first call in `optional` */
    uint32_t *begun;             /* by kind: number of its calls that have started */
    uint32_t n_optional, n_kinds;

    set now, later, seen;
    uint32_t *made;     /* the configuration that is being made */
    uint32_t made_step; /* its last step */
    step *steps;
    uint32_t n_steps, steps_room;
    uint64_t looked_at;
    uint32_t *by_used; /* of trim() */
    uint32_t beam;     /* limit of the configurations that are kept after a call */
    bool cut;          /* some configurations were dropped because of the limit */
} search;

static bool bit(const uint32_t *bits, uint32_t i) { return bits[i / 32] >> (i % 32) & 1; }
static void set_bit(uint32_t *bits, uint32_t i) { bits[i / 32] |= 1u << (i % 32); }
static void clear_bit(uint32_t *bits, uint32_t i) { bits[i / 32] &= ~(1u << (i % 32)); }

static uint32_t *done_bits(uint32_t *config) { return config + 1; }
static uint32_t *hidden_bits(const search *s, uint32_t *config) { return config + 1 + s->slot_words; }
static uint32_t *used_bits(const search *s, uint32_t *config) { return config + 1 + 2 * s->slot_words; }

/* ---- sets of configurations ---- */

static uint64_t hash_of(const search *s, const uint32_t *config) {
    uint64_t hash = config[0];
    for (uint32_t w = 0; w < s->slot_words; w++) {
        hash = iso_mix(hash ^ (uint64_t)(config[1 + w] & s->changing[w]) << 32 ^ w);
    }
    return iso_mix(hash);
}

/* Returns whether configuration a is at least as good as b: every order that continues b also continues a. */
static bool dominates(const search *s, const uint32_t *a, const uint32_t *b) {
    if (a[0] != b[0]) {
        return false;
    }
    for (uint32_t w = 0; w < s->slot_words; w++) {
        uint32_t done = a[1 + w], hidden = a[1 + s->slot_words + w];
        uint32_t other = b[1 + w], other_hidden = b[1 + s->slot_words + w];
        uint32_t differ = (done ^ other) & s->changing[w];
        differ |= other & ~done & ~s->changing[w] & ~s->blind[w];
        differ |= ((done ^ other) | other_hidden) & s->blind[w] & ~hidden;
        if (differ != 0) {
            return false;
        }
    }
    for (uint32_t w = 1 + 2 * s->slot_words; w < s->width; w++) {
        if ((a[w] & ~b[w]) != 0) {
            return false;
        }
    }
    return true;
}

static void clear_set(const search *s, set *of) {
    uint32_t room = of->mask + 1;
    if (of->head == NULL || (room > 64 && of->n < room / 16)) {
        iso_free(s->pool, of->head);
        of->head = ISO_NEW(s->pool, uint32_t, 64);
        of->mask = 63;
    }
    iso_fill_none(of->head, (size_t)of->mask + 1);
    of->n = 0;
}

static void grow_set(const search *s, set *of) {
    if (of->n == of->room) {
        uint32_t room = of->room < 16 ? 16 : 2 * of->room;
        of->word = iso_resize(s->pool, of->word, (size_t)room * s->width, sizeof *of->word);
        of->step = iso_resize(s->pool, of->step, room, sizeof *of->step);
        of->next = iso_resize(s->pool, of->next, room, sizeof *of->next);
        of->dropped = iso_resize(s->pool, of->dropped, room, 1);
        of->room = room;
    }
    if (of->n > of->mask / 2) {
        iso_free(s->pool, of->head);
        of->mask = 2 * of->mask + 1;
        of->head = ISO_NEW_NONE(s->pool, (size_t)of->mask + 1);
        for (uint32_t i = 0; i < of->n; i++) {
            uint64_t at = hash_of(s, of->word + (size_t)i * s->width) & of->mask;
            of->next[i] = of->head[at];
            of->head[at] = i;
        }
    }
}

/* Adds the new configuration, unless an existing one is at least as good. */
static void add_set(search *s, set *to) {
    grow_set(s, to);
    uint32_t *head = &to->head[hash_of(s, s->made) & to->mask];
    for (uint32_t i = *head; i != ISO_NONE; i = to->next[i]) {
        const uint32_t *other = to->word + (size_t)i * s->width;
        if (to->dropped[i]) {
            continue;
        }
        if (dominates(s, other, s->made)) {
            return;
        }
        to->dropped[i] = dominates(s, s->made, other);
    }
    uint32_t i = to->n++;
    memcpy(to->word + (size_t)i * s->width, s->made, s->width * sizeof *s->made);
    to->step[i] = s->made_step;
    to->dropped[i] = false;
    to->next[i] = *head;
    *head = i;
    s->looked_at++;
}

static void take(search *s, const set *from, uint32_t i) {
    iso_assert(i < from->n && !from->dropped[i]);
    memcpy(s->made, from->word + (size_t)i * s->width, s->width * sizeof *s->made);
    s->made_step = from->step[i];
}

/* ---- steps ---- */

static void note_step(search *s, uint32_t call) {
    iso_assert(call < s->c->n);
    if (s->order) {
        if (s->n_steps == ISO_ID_MAX) {
            iso_throw_limit(s->pool->env, ISO_LIMIT_MEMORY, "too many steps of linearization");
        }
        ISO_GROW(s->pool, s->steps, s->n_steps, s->steps_room);
        s->steps[s->n_steps] = (step){s->made_step, call};
        s->made_step = s->n_steps++;
    }
}

/* Returns whether a call may come next. */
static bool fits(const search *s, uint32_t call) {
    const iso_call *a = &s->c->call[call];
    if (a->after != ISO_NONE) {
        uint32_t slot = s->c->call[a->after].slot;
        if (slot == NOT_STARTED || (slot != ENDED && !bit(done_bits(s->made), slot))) {
            return false;
        }
    }
    return iso_call_fits(s->c, a, s->made[0]);
}

/* Puts a call that fits and changes nothing into the order; hides a call that writes the value that the key holds.
 * Returns whether it did one of these. */
static bool settle_call(search *s, uint32_t call) {
    iso_assert(s->c->call[call].slot != NOT_STARTED && s->c->call[call].slot != ENDED);
    const iso_call *a = &s->c->call[call];
    uint32_t *done = done_bits(s->made), *hidden = hidden_bits(s, s->made);
    if (bit(done, a->slot) || bit(hidden, a->slot)) {
        return false;
    }
    if (a->gives == ISO_NONE && fits(s, call)) {
        set_bit(done, a->slot);
    } else if (a->blind && a->gives == s->made[0]) {
        set_bit(hidden, a->slot);
    } else {
        return false;
    }
    note_step(s, call);
    return true;
}

static void settle(search *s) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < s->n_open; i++) {
            changed |= settle_call(s, s->open[i]);
        }
        changed &= s->ties; /* without ties these calls do not depend on each other */
    }
}

/* Puts a call that changes the value next. */
static void use(search *s, uint32_t call, uint32_t *bits, uint32_t number) {
    const iso_call *a = &s->c->call[call];
    uint32_t *done = done_bits(s->made), *hidden = hidden_bits(s, s->made);
    for (uint32_t i = 0; a->blind && i < s->n_open; i++) {
        const iso_call *b = &s->c->call[s->open[i]];
        if (b->blind && s->open[i] != call && !bit(done, b->slot) && !bit(hidden, b->slot)) {
            set_bit(hidden, b->slot);
            note_step(s, s->open[i]);
        }
    }
    if (!a->optional) {
        clear_bit(hidden, a->slot);
    }
    set_bit(bits, number);
    s->made[0] = a->gives;
    note_step(s, call);
    settle(s);
}

/* ---- events ---- */

/* Keeps the configuration that was made. If the call that ends is done in it, it goes to `later`, with which the search
 * continues after the end; if not, to `seen`, from which more calls are tried; if the call is hidden, to both, since it
 * may still be used. */
static void keep(search *s, uint32_t slot) {
    uint32_t *done = done_bits(s->made), *hidden = hidden_bits(s, s->made);
    if (!bit(done, slot)) {
        add_set(s, &s->seen);
    }
    if (!bit(done, slot) && !bit(hidden, slot)) {
        return;
    }
    clear_bit(done, slot);
    clear_bit(hidden, slot);
    add_set(s, &s->later);
}

/* Makes all configurations that one more call gives from configuration i. */
static void expand(search *s, uint32_t i, uint32_t slot) {
    for (uint32_t k = 0; k < s->n_open; k++) {
        const iso_call *a = &s->c->call[s->open[k]];
        take(s, &s->seen, i);
        bool changes = a->gives != ISO_NONE && (!a->blind || a->gives != s->made[0]);
        if (changes && !bit(done_bits(s->made), a->slot) && fits(s, s->open[k])) {
            use(s, s->open[k], done_bits(s->made), a->slot);
            keep(s, slot);
        }
    }
    for (uint32_t k = 0; k < s->n_kinds; k++) {
        uint32_t number = s->kind_first[k], end = number + s->begun[k];
        take(s, &s->seen, i);
        while (number < end && bit(used_bits(s, s->made), number)) {
            number++;
        }
        if (number < end && s->c->call[s->optional[number]].gives != s->made[0] && fits(s, s->optional[number])) {
            use(s, s->optional[number], used_bits(s, s->made), number);
            keep(s, slot);
        }
    }
}

/* Returns how many optional calls a configuration has used. */
static uint32_t count_used(const search *s, const uint32_t *config) {
    uint32_t n = 0;
    for (uint32_t w = 1 + 2 * s->slot_words; w < s->width; w++) {
        n += (uint32_t)__builtin_popcount(config[w]);
    }
    return n;
}

/* Drops all except about `beam` of the configurations with which the search continues. It keeps the configurations that
 * have used the fewest optional calls, since later calls may need these. */
static void trim(search *s) {
    set *of = &s->later;
    uint32_t *number = s->by_used, most = 0, kept = 0; /* by uses: the number of configurations */
    memset(number, 0, ((size_t)s->n_optional + 1) * sizeof *number);
    for (uint32_t i = 0; i < of->n; i++) {
        number[count_used(s, of->word + (size_t)i * s->width)] += !of->dropped[i];
    }
    while (most < s->n_optional && (kept += number[most]) < s->beam) {
        most++;
    }
    for (uint32_t i = 0; i < of->n; i++) {
        bool out = !of->dropped[i] && count_used(s, of->word + (size_t)i * s->width) > most;
        of->dropped[i] |= out;
        s->cut |= out;
    }
}

static void end_call(search *s, uint32_t call) {
    iso_assert(s->c->call[call].slot != NOT_STARTED);
    iso_call *a = &s->c->call[call];
    uint32_t i = 0;
    clear_set(s, &s->later);
    clear_set(s, &s->seen);
    for (i = 0; i < s->now.n; i++) {
        if (!s->now.dropped[i]) {
            take(s, &s->now, i);
            keep(s, a->slot);
        }
    }
    uint64_t most = (uint64_t)s->beam * (s->n_optional > 0 ? CHOICE : 1);
    for (i = 0; i < s->seen.n && s->later.n < most && (uint64_t)s->seen.n * s->width < MOST_WORDS; i++) {
        iso_tick(s->pool->env);
        if (!s->seen.dropped[i]) {
            expand(s, i, a->slot);
        }
    }
    s->cut |= i < s->seen.n;
    if (s->later.n > s->beam) {
        trim(s);
    }
    set now = s->now;
    s->now = s->later;
    s->later = now;
    clear_bit(s->blind, a->slot);
    clear_bit(s->changing, a->slot);
    s->free_slot[s->n_free++] = a->slot;
    a->slot = ENDED;
    for (i = 0; s->open[i] != call; i++) {
    }
    memmove(s->open + i, s->open + i + 1, (s->n_open - i - 1) * sizeof *s->open);
    s->n_open--;
}

static void start_call(search *s, uint32_t call) {
    iso_call *a = &s->c->call[call];
    if (a->optional) {
        return;
    }
    a->slot = s->free_slot[--s->n_free];
    iso_assert(a->slot / 32 < s->slot_words);
    s->open[s->n_open++] = call;
    if (a->gives != ISO_NONE) {
        set_bit(a->blind ? s->blind : s->changing, a->slot);
    }
    for (uint32_t i = 0; i < s->now.n; i++) {
        if (!s->now.dropped[i]) { /* the start of a call makes no two configurations equal: each stays in place */
            take(s, &s->now, i);
            if (s->ties) {
                settle(s);
            } else {
                settle_call(s, call);
            }
            memcpy(s->now.word + (size_t)i * s->width, s->made, s->width * sizeof *s->made);
            s->now.step[i] = s->made_step;
        }
    }
}

/* ---- one key ---- */

static int compare_events(const void *x, const void *y) {
    const event *a = x, *b = y;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return a->ends != b->ends ? a->ends - b->ends : (a->call > b->call) - (a->call < b->call);
}

static void list_events(search *s, uint32_t first, uint32_t end) {
    s->events = ISO_NEW(s->pool, event, 2 * (size_t)(end - first));
    for (uint32_t i = first; i < end; i++) {
        const iso_call *a = &s->c->call[i];
        s->events[s->n_events++] = (event){a->start, i, false};
        if (!a->optional) {
            s->events[s->n_events++] = (event){a->end, i, true};
        }
        s->ties |= a->after != ISO_NONE;
    }
    qsort(s->events, s->n_events, sizeof *s->events, compare_events);
    uint32_t open = 0;
    for (uint32_t i = 0; i < s->n_events; i++) {
        if (!s->c->call[s->events[i].call].optional) {
            open += s->events[i].ends ? UINT32_MAX : 1;
            s->n_slots = open > s->n_slots ? open : s->n_slots;
        }
    }
}

/* Sorts optional calls by kind; calls of one kind have the same needs and gives. */
static int compare_kinds(const iso_call *a, const iso_call *b) {
    if (a->needs != b->needs) {
        return a->needs < b->needs ? -1 : 1;
    }
    if (a->gives != b->gives) {
        return a->gives < b->gives ? -1 : 1;
    }
    return a->n_not + b->n_not == 0 ? 0 : (a->txn > b->txn) - (a->txn < b->txn);
}

static int compare_optional(const void *x, const void *y, void *of) {
    const iso_calls *c = of;
    const iso_call *a = &c->call[*(const uint32_t *)x], *b = &c->call[*(const uint32_t *)y];
    int kinds = compare_kinds(a, b);
    if (kinds != 0) {
        return kinds;
    }
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->txn > b->txn) - (a->txn < b->txn);
}

static void list_optional(search *s, uint32_t first, uint32_t end) {
    s->optional = ISO_NEW(s->pool, uint32_t, end - first);
    for (uint32_t i = first; i < end; i++) {
        if (s->c->call[i].optional && s->c->call[i].gives != ISO_NONE) {
            s->optional[s->n_optional++] = i;
        }
    }
    qsort_r(s->optional, s->n_optional, sizeof *s->optional, compare_optional, s->c);
    s->kind_first = ISO_NEW(s->pool, uint32_t, (size_t)s->n_optional + 1);
    for (uint32_t i = 0; i < s->n_optional; i++) {
        iso_call *a = &s->c->call[s->optional[i]];
        if (i == 0 || compare_kinds(&s->c->call[s->optional[i - 1]], a) != 0) {
            s->kind_first[s->n_kinds++] = i;
        }
        a->slot = s->n_kinds - 1; /* for an optional call: its kind */
    }
    s->begun = ISO_ZNEW(s->pool, uint32_t, s->n_kinds);
    s->by_used = ISO_NEW(s->pool, uint32_t, (size_t)s->n_optional + 1);
}

static void begin(search *s, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        s->c->call[i].slot = NOT_STARTED;
    }
    list_events(s, first, end);
    list_optional(s, first, end);
    s->slot_words = s->n_slots / 32 + 1;
    s->optional_words = s->n_optional / 32 + 1;
    s->width = 1 + 2 * s->slot_words + s->optional_words;
    s->open = ISO_NEW(s->pool, uint32_t, s->n_slots);
    s->free_slot = ISO_NEW(s->pool, uint32_t, s->n_slots);
    for (uint32_t i = 0; i < s->n_slots; i++) {
        s->free_slot[s->n_free++] = s->n_slots - 1 - i;
    }
    s->blind = ISO_ZNEW(s->pool, uint32_t, s->slot_words);
    s->changing = ISO_ZNEW(s->pool, uint32_t, s->slot_words);
    s->made = ISO_ZNEW(s->pool, uint32_t, s->width);
    s->made[0] = ISO_INIT;
    s->made_step = ISO_NONE;
    clear_set(s, &s->now);
    add_set(s, &s->now);
}

static void write_places(search *s) {
    uint32_t i = 0, place = 0;
    while (s->now.dropped[i]) {
        i++;
    }
    for (uint32_t at = s->now.step[i]; at != ISO_NONE; at = s->steps[at].before) {
        place++;
    }
    for (uint32_t at = s->now.step[i]; at != ISO_NONE; at = s->steps[at].before) {
        iso_call *a = &s->c->call[s->steps[at].call];
        place--;
        a->place = a->place == ISO_NONE ? place : a->place;
    }
}

typedef struct key_search {
    search *s;
    uint32_t first, end;
    iso_linear_answer answer;
} key_search;

static iso_linear_answer answer_now(const search *s) {
    bool too_many = (uint64_t)s->seen.n * s->width >= MOST_WORDS;
    return s->now.n > 0 ? ISO_LINEAR : s->cut || too_many ? ISO_LINEAR_TOO_MANY : ISO_NOT_LINEAR;
}

static void search_calls(void *arg) {
    key_search *q = arg;
    search *s = q->s;
    begin(s, q->first, q->end);
    q->answer = ISO_LINEAR;
    for (uint32_t e = 0; e < s->n_events && q->answer == ISO_LINEAR; e++) {
        uint32_t call = s->events[e].call;
        iso_call *a = &s->c->call[call];
        if (s->events[e].ends) {
            end_call(s, call);
            q->answer = answer_now(s);
            s->c->refuted_at = s->events[e].time;
        } else if (a->optional && a->gives != ISO_NONE) {
            s->begun[a->slot]++;
        } else {
            start_call(s, call);
        }
    }
    if (q->answer == ISO_LINEAR && s->order) {
        write_places(s);
    }
}

/* Searches for an order of the calls [first, end), which all have the same key. */
static iso_linear_answer search_key(iso_calls *c, uint32_t first, uint32_t end, bool order, uint64_t *steps) {
    static const uint32_t beams[] = {2, 32, 512, UINT32_MAX};
    key_search q = {.first = first, .end = end, .answer = ISO_LINEAR_TOO_MANY};
    for (size_t i = 0; i < sizeof beams / sizeof *beams && q.answer == ISO_LINEAR_TOO_MANY; i++) {
        iso_pool pool;
        iso_pool_init(&pool, c->pool->env);
        search s = {.c = c, .pool = &pool, .order = order, .beam = beams[i]};
        q.s = &s;
        iso_guard_pool(&pool, search_calls, &q);
        *steps += s.looked_at;
    }
    return q.answer;
}

iso_linear_answer iso_linear_keys(iso_calls *c, bool order, uint64_t *steps) {
    iso_linear_answer answer = ISO_LINEAR;
    *steps = 0;
    for (uint32_t k = 0; k < c->h->n_keys && answer == ISO_LINEAR; k++) {
        c->refuted_key = k;
        answer = search_key(c, c->key_first[k], c->key_first[k + 1], order, steps);
    }
    return answer;
}
