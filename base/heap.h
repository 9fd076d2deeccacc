/* A binary heap of 32-bit items. before(context, a, b) returns whether item a is taken before item b. Callers pass a
 * constant function, so that the compiler can inline it. */
#ifndef ISOLAB_BASE_HEAP_H
#define ISOLAB_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/env.h"

typedef struct iso_heap {
    iso_pool *pool;
    uint32_t *item;
    uint32_t n, room;
} iso_heap;

typedef bool iso_heap_before(const void *context, uint32_t a, uint32_t b);

static inline void iso_heap_push(iso_heap *heap, uint32_t item, iso_heap_before *before, const void *context) {
    ISO_GROW(heap->pool, heap->item, heap->n, heap->room);
    uint32_t at = heap->n++;
    for (; at > 0 && before(context, item, heap->item[(at - 1) / 2]); at = (at - 1) / 2) {
        heap->item[at] = heap->item[(at - 1) / 2];
    }
    heap->item[at] = item;
}

/* Removes and returns the first item; the heap must not be empty. */
static inline uint32_t iso_heap_pop(iso_heap *heap, iso_heap_before *before, const void *context) {
    iso_assert(heap->n > 0);
    uint32_t top = heap->item[0], last = heap->item[--heap->n], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < heap->n; at = child) {
        child += child + 1 < heap->n && before(context, heap->item[child + 1], heap->item[child]);
        if (!before(context, heap->item[child], last)) {
            break;
        }
        heap->item[at] = heap->item[child];
    }
    heap->item[at] = last;
    return top;
}

#endif
