/* See intervals.h. */
#include "graph/intervals.h"
#include "base/assert.h"
#include "base/bisect.h"

#include <stdlib.h>

static int compare_ends(const void *a, const void *b) {
    const iso_interval *x = a, *y = b;
    return x->end != y->end ? (x->end > y->end) - (x->end < y->end) : (x->item > y->item) - (x->item < y->item);
}

void iso_intervals_sort(iso_intervals *v) {
    int64_t latest = INT64_MIN;
    qsort(v->at, v->n, sizeof *v->at, compare_ends);
    for (uint32_t i = 0; i < v->n; i++) {
        latest = v->at[i].start > latest ? v->at[i].start : latest;
        v->at[i].latest = latest;
    }
}

/* Returns the number of intervals that ended before a time. */
static uint32_t ended_before(const iso_intervals *v, int64_t time) {
    return ISO_BISECT(i, 0, v->n, v->at[i].end < time);
}

void iso_intervals_before(const iso_intervals *v, int64_t start, uint32_t to, iso_interval_edge *fn, void *arg) {
    iso_assert(v->n == 0 || v->last != NULL);
    uint32_t n = ended_before(v, start), first = n;
    while (first > 0 && v->at[first - 1].end >= v->at[n - 1].latest) {
        uint32_t item = v->at[--first].item, *last = &v->last[v->at[first].chain];
        *last = *last == UINT32_MAX || item > *last ? item : *last;
    }
    for (uint32_t i = first; i < n; i++) {
        if (v->last[v->at[i].chain] == v->at[i].item) {
            fn(arg, v->at[i].item, to);
        }
    }
    for (uint32_t i = first; i < n; i++) {
        v->last[v->at[i].chain] = UINT32_MAX;
    }
}
