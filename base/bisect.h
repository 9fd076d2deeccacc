/* Binary search. */
#ifndef ISOLAB_BASE_BISECT_H
#define ISOLAB_BASE_BISECT_H

#include <stdint.h>

/* Returns the first i in [from, end) for which the expression `holds`, of i, is false; `end` if there is no such i. The
 * expression must be true for all numbers before the result, and false from the result on.
 *
 *   uint32_t n = ISO_BISECT(i, 0, n_events, time[i] < start); // events before the start */
#define ISO_BISECT(i, from, end, holds)                                                                                \
    __extension__({                                                                                                    \
        __typeof__((from) + (end)) i##_low = (from), i##_high = (end);                                                 \
        while (i##_low < i##_high) {                                                                                   \
            __typeof__(i##_low) i = i##_low + (i##_high - i##_low) / 2;                                                \
            if (holds) {                                                                                               \
                i##_low = i + 1;                                                                                       \
            } else {                                                                                                   \
                i##_high = i;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        i##_low;                                                                                                       \
    })

#endif
