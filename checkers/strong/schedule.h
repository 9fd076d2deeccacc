/* The core of both schedulers (turns.c, replay.c). Items (sessions, events) that can continue are in a ring. An item
 * that cannot is in the list of what it waits for, and returns to the ring when this has happened. If all wait, the one
 * that has waited longest continues anyway. */
#ifndef ISOLAB_CHECKERS_STRONG_SCHEDULE_H
#define ISOLAB_CHECKERS_STRONG_SCHEDULE_H

#include "base/env.h"
#include "history/history.h"

typedef struct strong_schedule {
    uint32_t *ready, head, tail, n;           /* the ring: room for n items, each in it at most once, plus one */
    uint32_t *next;                           /* by item: the next one of its waiting list */
    uint32_t *waited, first_waited, n_waited; /* tickets of all items that ever waited, oldest first */
} strong_schedule;

/* n: number of items; n_tickets: limit of the number of times that an item begins to wait. */
static inline void strong_schedule_init(strong_schedule *s, iso_pool *pool, uint32_t n, uint32_t n_tickets) {
    *s = (strong_schedule){.n = n};
    s->ready = ISO_NEW(pool, uint32_t, (size_t)n + 1);
    s->next = ISO_NEW(pool, uint32_t, n);
    s->waited = ISO_NEW(pool, uint32_t, n_tickets);
}

static inline void strong_push(strong_schedule *s, uint32_t item) {
    s->ready[s->tail] = item;
    s->tail = s->tail == s->n ? 0 : s->tail + 1;
}

/* Puts an item before all others. */
static inline void strong_push_first(strong_schedule *s, uint32_t item) {
    s->head = s->head == 0 ? s->n : s->head - 1;
    s->ready[s->head] = item;
}

static inline bool strong_any_ready(const strong_schedule *s) { return s->head != s->tail; }

static inline uint32_t strong_pop(strong_schedule *s) {
    uint32_t item = s->ready[s->head];
    s->head = s->head == s->n ? 0 : s->head + 1;
    return item;
}

/* A list is the number of its first item; ISO_NONE: it is empty. */
static inline void strong_wait_in(strong_schedule *s, uint32_t item, uint32_t *list) {
    s->next[item] = *list;
    *list = item;
}

static inline uint32_t strong_take_waiting(const strong_schedule *s, uint32_t *list) {
    uint32_t item = *list;
    *list = item == ISO_NONE ? ISO_NONE : s->next[item];
    return item;
}

#endif
