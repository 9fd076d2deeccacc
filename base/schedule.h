/* List scheduling. Items (sessions, events) that can continue are in a ring. An item that cannot is in the list of what
 * it waits for, and returns to the ring when this has happened. If all wait, the one that has waited longest continues
 * anyway. */
#ifndef ISOLAB_BASE_SCHEDULE_H
#define ISOLAB_BASE_SCHEDULE_H

#include "base/assert.h"
#include "base/env.h"

typedef struct iso_schedule {
    uint32_t *ready, head, tail, n;           /* the ring: room for n items, each in it at most once, plus one */
    uint32_t *next;                           /* by item: the next one of its waiting list */
    uint32_t *waited, first_waited, n_waited; /* tickets of all items that ever waited, oldest first */
} iso_schedule;

/* n: number of items; n_tickets: limit of the number of times that an item begins to wait. */
static inline void iso_schedule_init(iso_schedule *s, iso_pool *pool, uint32_t n, uint32_t n_tickets) {
    *s = (iso_schedule){.n = n};
    s->ready = ISO_NEW(pool, uint32_t, (size_t)n + 1);
    s->next = ISO_NEW(pool, uint32_t, n);
    s->waited = ISO_NEW(pool, uint32_t, n_tickets);
}

static inline void iso_schedule_push(iso_schedule *s, uint32_t item) {
    s->ready[s->tail] = item;
    s->tail = s->tail == s->n ? 0 : s->tail + 1;
    iso_assert(item < s->n && s->tail != s->head);
}

/* Puts an item before all others. */
static inline void iso_schedule_push_first(iso_schedule *s, uint32_t item) {
    s->head = s->head == 0 ? s->n : s->head - 1;
    iso_assert(item < s->n && s->tail != s->head);
    s->ready[s->head] = item;
}

static inline bool iso_schedule_any_ready(const iso_schedule *s) { return s->head != s->tail; }

static inline uint32_t iso_schedule_pop(iso_schedule *s) {
    iso_assert(iso_schedule_any_ready(s));
    uint32_t item = s->ready[s->head];
    s->head = s->head == s->n ? 0 : s->head + 1;
    return item;
}

/* A list is the number of its first item; UINT32_MAX: it is empty. */
static inline void iso_schedule_wait_in(iso_schedule *s, uint32_t item, uint32_t *list) {
    iso_assert(item < s->n && *list != item);
    s->next[item] = *list;
    *list = item;
}

static inline uint32_t iso_schedule_take_waiting(const iso_schedule *s, uint32_t *list) {
    iso_assert(*list == UINT32_MAX || *list < s->n);
    uint32_t item = *list;
    *list = item == UINT32_MAX ? UINT32_MAX : s->next[item];
    return item;
}

#endif
