/* See sequence.h. */
#include "graph/sequence.h"

#include <stdlib.h>

#include "base/assert.h"

#define LAST (UINT64_MAX / 2) /* the largest position, so that the difference of two positions fits an int64_t */
#define NONE UINT32_MAX

/* Up to this number of items are sorted by insertion. */
#define FEW 128

typedef struct iso_placed {
    uint64_t position;
    uint32_t number, before; /* before: the number before the position; NONE: that of the position before */
} placed;

void iso_sequence_init(iso_sequence *s, iso_pool *pool, uint32_t n) {
    *s = (iso_sequence){.pool = pool, .n = n};
    s->position = ISO_NEW(pool, uint64_t, n);
    s->next = ISO_NEW(pool, uint32_t, (size_t)n + 1);
    s->previous = ISO_NEW(pool, uint32_t, (size_t)n + 1);
}

/* Gives all numbers evenly spaced positions. */
static void spread(iso_sequence *s) {
    uint64_t step = LAST / ((uint64_t)s->n + 1), at = 0;
    for (uint32_t v = s->next[s->n]; v != s->n; v = s->next[v]) {
        s->position[v] = at += step;
    }
}

void iso_sequence_set(iso_sequence *s, const uint32_t *order) {
    uint32_t last = s->n;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t v = order == NULL ? i : order[i];
        iso_assert(v < s->n);
        s->next[last] = v;
        s->previous[v] = last;
        last = v;
    }
    s->next[last] = s->n;
    s->previous[s->n] = last;
    spread(s);
}

void iso_sequence_list(const iso_sequence *s, uint32_t *order) {
    uint32_t i = 0;
    for (uint32_t v = s->next[s->n]; v != s->n; v = s->next[v]) {
        order[i++] = v;
    }
    iso_assert(i == s->n);
}

static int by_position(const void *a, const void *b) {
    uint64_t x = ((const placed *)a)->position, y = ((const placed *)b)->position;
    return x < y ? -1 : x > y;
}

static void make_room(iso_sequence *s, uint32_t n) {
    if (s->sort_room < n) {
        s->sort_room = n;
        s->sort = iso_resize(s->pool, s->sort, n, sizeof *s->sort);
    }
}

static void sort_numbers(iso_sequence *s, uint32_t *number, uint32_t n) {
    make_room(s, n);
    placed *sort = s->sort;
    for (uint32_t i = 0; i < n; i++) {
        placed x = {s->position[number[i]], number[i], NONE};
        uint32_t j = i;
        for (; n <= FEW && j > 0 && sort[j - 1].position > x.position; j--) {
            sort[j] = sort[j - 1];
        }
        sort[j] = x;
    }
    if (n > FEW) {
        qsort(sort, n, sizeof *sort, by_position);
    }
    for (uint32_t i = 0; i < n; i++) {
        number[i] = sort[i].number;
    }
}

static void take_out(iso_sequence *s, uint32_t x) {
    iso_assert(x < s->n && s->next[s->previous[x]] == x && s->previous[s->next[x]] == x);
    s->next[s->previous[x]] = s->next[x];
    s->previous[s->next[x]] = s->previous[x];
}

static void put_after(iso_sequence *s, uint32_t before, uint32_t x) {
    iso_assert(x < s->n && before <= s->n && x != before);
    iso_assert(s->previous[s->next[before]] == before);
    uint32_t after = s->next[before];
    s->next[before] = x;
    s->previous[x] = before;
    s->next[x] = after;
    s->previous[after] = x;
}

/* Moves the numbers to directly after `last`, or, if that is NONE, to directly before v. */
static bool move(iso_sequence *s, uint32_t *moved, uint32_t k, uint32_t last, uint32_t v) {
    sort_numbers(s, moved, k);
    for (uint32_t i = 0; i < k; i++) {
        take_out(s, moved[i]);
    }
    last = last == NONE ? s->previous[v] : last;
    uint32_t end = s->next[last];
    uint64_t at = last == s->n ? 0 : s->position[last], room = (end == s->n ? LAST : s->position[end]) - at;
    uint64_t step = room / ((uint64_t)k + 1);
    for (uint32_t i = 0; i < k; i++) {
        put_after(s, last, moved[i]);
        last = moved[i];
        s->position[last] = at += step;
    }
    if (step == 0) {
        spread(s);
    }
    return step == 0;
}

bool iso_sequence_move_after(iso_sequence *s, uint32_t *moved, uint32_t k, uint32_t u) {
    return move(s, moved, k, u, NONE);
}

bool iso_sequence_move_before(iso_sequence *s, uint32_t *moved, uint32_t k, uint32_t v) {
    return move(s, moved, k, NONE, v);
}

void iso_sequence_swap(iso_sequence *s, uint32_t *first, uint32_t n_first, uint32_t *then, uint32_t n_then) {
    uint32_t n = n_first + n_then, i = 0, j = 0;
    sort_numbers(s, first, n_first);
    sort_numbers(s, then, n_then);
    make_room(s, n);
    for (uint32_t k = 0; k < n; k++) { /* the places of both sets, in order */
        bool from_first = j == n_then || (i < n_first && s->position[first[i]] < s->position[then[j]]);
        uint32_t x = from_first ? first[i++] : then[j++], before = s->previous[x];
        bool follows = k > 0 && before == s->sort[k - 1].number;
        s->sort[k] = (placed){s->position[x], x, follows ? NONE : before};
    }
    for (uint32_t k = 0; k < n; k++) {
        take_out(s, s->sort[k].number);
    }
    for (uint32_t k = 0, last = s->n; k < n; k++) {
        uint32_t x = k < n_first ? first[k] : then[k - n_first];
        put_after(s, s->sort[k].before == NONE ? last : s->sort[k].before, x);
        s->position[x] = s->sort[k].position;
        last = x;
    }
}
