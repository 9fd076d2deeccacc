/* Finite fields. See field.h.
 *
 * For q = p^e, let a polynomial x^e = c(x) reduce all powers of x. If the powers of x run through all q - 1 nonzero
 * elements before they repeat, then each of these has an inverse, so this is the field, and x generates it. Such a c
 * exists for every prime power (for e = 1, x stands for the number c). So c is found by trying all. */
#include "reductions/field.h"

static uint32_t digit_sum(const iso_field *f, uint32_t a, uint32_t b, uint32_t times) {
    uint32_t sum = 0;
    for (uint32_t place = 1; a != 0 || b != 0; place *= f->p, a /= f->p, b /= f->p) {
        sum += (a % f->p + times * (b % f->p)) % f->p * place;
    }
    return sum;
}

uint32_t iso_field_add(const iso_field *f, uint32_t a, uint32_t b) { return f->p == 2 ? a ^ b : digit_sum(f, a, b, 1); }

uint32_t iso_field_negative(const iso_field *f, uint32_t a) { return digit_sum(f, 0, a, f->p - 1); }

/* Fills in the powers of x. Returns whether they run through all nonzero elements. */
static bool try_polynomial(iso_field *f, uint32_t c) {
    uint32_t top = f->q / f->p, a = 1;
    for (uint32_t i = 0; i < f->q - 1; i++) {
        if (a == 0 || (i > 0 && a == 1)) {
            return false;
        }
        f->power[i] = f->power[i + f->q - 1] = (uint16_t)a;
        f->log[a] = (uint16_t)i;
        a = f->q == f->p ? a * c % f->p : digit_sum(f, a % top * f->p, c, a / top);
    }
    return a == 1;
}

bool iso_field_make(iso_pool *pool, uint32_t q, iso_field *f) {
    if (q < 2 || q > ISO_FIELD_MOST) {
        return false;
    }
    uint32_t p = 2, power = 1;
    while (q % p != 0) {
        p++;
    }
    while (power < q) {
        power *= p;
    }
    if (power != q) {
        return false;
    }
    *f = (iso_field){q, p, ISO_ZNEW(pool, uint16_t, 2 * (size_t)q), ISO_ZNEW(pool, uint16_t, q)};
    for (uint32_t c = 1; c < q; c++) {
        if (try_polynomial(f, c)) {
            return true;
        }
    }
    return false;
}
