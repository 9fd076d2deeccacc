/* Finite fields with a table of powers. An element is a number below q: its digits in base p are the coefficients of a
 * polynomial, so in characteristic 2 they are bits. */
#ifndef ISOLAB_REDUCTIONS_FIELD_H
#define ISOLAB_REDUCTIONS_FIELD_H

#include "base/env.h"

#define ISO_FIELD_MOST 1024

typedef struct iso_field {
    uint32_t q, p;
    uint16_t *power; /* of a primitive element, by exponents 0 .. 2q */
    uint16_t *log;   /* of an element that is not 0 */
} iso_field;

/* Makes the field of q elements. Returns false if q is no prime power from 2 to ISO_FIELD_MOST. */
bool iso_field_make(iso_pool *pool, uint32_t q, iso_field *f);

uint32_t iso_field_add(const iso_field *f, uint32_t a, uint32_t b);
uint32_t iso_field_negative(const iso_field *f, uint32_t a);

static inline uint32_t iso_field_times(const iso_field *f, uint32_t a, uint32_t b) {
    return a == 0 || b == 0 ? 0 : f->power[f->log[a] + f->log[b]];
}

/* b is not 0. */
static inline uint32_t iso_field_over(const iso_field *f, uint32_t a, uint32_t b) {
    return a == 0 ? 0 : f->power[f->log[a] + f->q - 1 - f->log[b]];
}

#endif
