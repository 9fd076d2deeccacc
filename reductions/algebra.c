/* Families of graphs made by algebra: all the same each time, with counts that are known. families.def says what each
 * is; the proofs that the tests rely on are here.
 *
 *   alon       the bits of F = GF(2^k), 3 not a divisor of k. U is the set of (w, w^3, w^5) for w other than 0, divided
 *              into U0 and U1 by the first bit of w^7. Nodes are the vectors of 3k bits; a and b are neighbours if a +
 *              b is a sum of one of U0 and one of U1. Any six of U are independent (a code of distance 7), so three
 *              sums never add up to 0: no triangle. Degree |U0| |U1| = 2^(k-1) (2^(k-1) - 1); all other eigenvalues are
 *              of the size of the cube root of n. (Alon, Explicit Ramsey graphs and orthonormal labelings, 1994)
 *   plane      two points are on one line, so there is no 4-cycle. 2 (q^2 + q + 1) nodes of degree q + 1, girth 6.
 *   polarity   x and y are neighbours if x y = 0 (Erdos and Renyi). Two points have one common neighbour, so there is
 *              no 4-cycle. A node that is not orthogonal to itself has (q + 1 - s) / 2 edges among its neighbours, of
 *              which s are orthogonal to themselves; the sum over all nodes, by three, is q (q^2 - 1) / 6.
 *   sidon      (a, b) and (c, d) are neighbours if b + d = (a + c)^2. Sums of two points of the parabola determine
 *              them, so there is no 4-cycle. Three points s, t, u of the parabola belong to the triangle (s+u-t)/2,
 *              (s+t-u)/2, (t+u-s)/2, and to no other: C(q, 3) triangles, (q^3 - q) / 2 edges.
 *   behrend    three copies of the numbers modulo N, and a set A without three numbers in arithmetic progression. For
 *              all x and a of A, the triangle x, x + a, x + 2a. A triangle x, x + a, x + a + b with b - and so a, c, b,
 *              where 2c = a + b - is a progression unless a = b = c. A is below N/2, so nothing changes modulo N. N |A|
 *              triangles, 3 N |A| edges, each in exactly one. (Ruzsa and Szemeredi 1978, Behrend 1946) */
#include <inttypes.h>
#include <math.h>

#include "reductions/family.h"
#include "reductions/field.h"

static iso_field field_of(iso_edges *e, const char *family, uint64_t q) {
    iso_field f;
    if (q > ISO_FIELD_MOST || !iso_field_make(e->pool, (uint32_t)q, &f)) {
        iso_throw(e->pool->env, ISOLAB_E_USAGE, "family %s: expected for k a power of a prime, from 2 to %d", family,
                  ISO_FIELD_MOST);
    }
    return f;
}

static void free_field(iso_edges *e, iso_field *f) {
    iso_free(e->pool, f->power);
    iso_free(e->pool, f->log);
}

uint32_t iso_family_alon(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    if (numbers->k != 2 && numbers->k != 4 && numbers->k != 5) {
        iso_throw(e->pool->env, ISOLAB_E_USAGE,
                  "family alon: expected 2, 4 or 5 for k (2^(3k) nodes; `sample` chooses some of them)");
    }
    unsigned k = (unsigned)numbers->k, count[2] = {0, 0};
    iso_field f = field_of(e, "alon", (uint64_t)1 << k);
    uint32_t vector[2][32];
    for (uint32_t w = 1; w < f.q; w++) {
        uint32_t square = iso_field_times(&f, w, w), cube = iso_field_times(&f, square, w);
        uint32_t fifth = iso_field_times(&f, cube, square), half = iso_field_times(&f, fifth, square) >> (k - 1);
        vector[half][count[half]++] = w | cube << k | fifth << 2 * k;
    }
    uint32_t n = (uint32_t)1 << 3 * k;
    for (uint32_t a = 0; a < n; a++) {
        for (unsigned i = 0; i < count[0]; i++) {
            for (unsigned j = 0; j < count[1]; j++) {
                uint32_t b = a ^ vector[0][i] ^ vector[1][j];
                if (b < a) {
                    iso_edges_add(e, a, b);
                }
            }
        }
    }
    free_field(e, &f);
    return n;
}

/* The points of the plane in the order (1, a, b), (0, 1, a), (0, 0, 1). */
static void point_of(const iso_field *f, uint32_t number, uint32_t x[3]) {
    uint32_t q = f->q;
    x[0] = number < q * q;
    x[1] = number < q * q ? number / q : number < q * q + q;
    x[2] = number < q * q ? number % q : number < q * q + q ? number - q * q : 1;
}

/* Calls join(arg, y) for the q + 1 points y that are orthogonal to a point. */
static void each_orthogonal(const iso_field *f, uint32_t number, void (*join)(void *arg, uint32_t other), void *arg) {
    uint32_t q = f->q, x[3];
    point_of(f, number, x);
    for (uint32_t a = 0; a < q; a++) { /* (1, a, b): x0 + x1 a + x2 b = 0 */
        uint32_t sum = iso_field_negative(f, iso_field_add(f, x[0], iso_field_times(f, x[1], a)));
        if (x[2] != 0) {
            join(arg, a * q + iso_field_over(f, sum, x[2]));
        }
        for (uint32_t b = 0; x[2] == 0 && sum == 0 && b < q; b++) {
            join(arg, a * q + b);
        }
    }
    if (x[2] != 0) { /* (0, 1, a) */
        join(arg, q * q + iso_field_over(f, iso_field_negative(f, x[1]), x[2]));
    }
    for (uint32_t a = 0; x[2] == 0 && x[1] == 0 && a < q; a++) {
        join(arg, q * q + a);
    }
    if (x[2] == 0) {
        join(arg, q * q + q);
    }
}

typedef struct joining {
    iso_edges *e;
    uint32_t node, offset;
} joining;

static void join(void *arg, uint32_t other) {
    const joining *j = arg;
    iso_edges_add(j->e, j->node, j->offset + other);
}

static uint32_t points(iso_edges *e, const char *family, uint64_t q, bool lines) {
    iso_field f = field_of(e, family, q);
    uint32_t n = f.q * f.q + f.q + 1;
    joining j = {.e = e, .offset = lines ? n : 0};
    for (j.node = 0; j.node < n; j.node++) {
        each_orthogonal(&f, j.node, join, &j);
    }
    free_field(e, &f);
    return lines ? 2 * n : n;
}

uint32_t iso_family_plane(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    return points(e, "plane", numbers->k, true);
}

uint32_t iso_family_polarity(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    return points(e, "polarity", numbers->k, false);
}

uint32_t iso_family_sidon(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    iso_field f = field_of(e, "sidon", numbers->k);
    if (f.p == 2) {
        iso_throw(e->pool->env, ISOLAB_E_USAGE, "family sidon: expected an odd k, found %" PRIu64, numbers->k);
    }
    for (uint32_t a = 0; a < f.q; a++) {
        for (uint32_t c = 0; c < f.q; c++) {
            uint32_t sum = iso_field_add(&f, a, c), square = iso_field_times(&f, sum, sum);
            for (uint32_t b = 0; b < f.q; b++) {
                uint32_t d = iso_field_add(&f, square, iso_field_negative(&f, b));
                if (c * f.q + d < a * f.q + b) {
                    iso_edges_add(e, a * f.q + b, c * f.q + d);
                }
            }
        }
    }
    uint32_t n = f.q * f.q;
    free_field(e, &f);
    return n;
}

/* The numbers of `digits` digits below `base` in the base 2 base - 1, so that no sum of two has a carry, whose squares
 * of digits add up to `sum` (any number if it is 0 and the base is 2). On a sphere no point is in the middle of two
 * others, and digits below 2 have no progression at all. Returns how many of them are below most; stores them unless
 * set is NULL. */
static uint32_t sphere(iso_env *env, uint32_t most, unsigned digits, uint32_t base, uint64_t sum, uint32_t *set) {
    uint32_t n = 0, digit[32] = {0};
    for (bool more = true; more;) {
        iso_tick(env);
        uint64_t number = 0, squares = 0;
        for (unsigned d = digits; d-- > 0;) {
            number = number * (2 * base - 1) + digit[d];
            squares += (uint64_t)digit[d] * digit[d];
        }
        if (number < most && (sum == 0 ? base == 2 : squares == sum)) {
            if (set != NULL) {
                set[n] = (uint32_t)number;
            }
            n++;
        }
        more = false;
        for (unsigned d = 0; d < digits && !more; d++) {
            digit[d] = digit[d] + 1 < base ? digit[d] + 1 : 0;
            more = digit[d] != 0;
        }
    }
    return n;
}

/* Finds the largest of these sets below most; returns its size. */
static uint32_t without_progression(iso_pool *pool, uint32_t most, uint32_t **set) {
    unsigned best_digits = 1;
    uint32_t best_base = 2, best = 0;
    uint64_t best_sum = 0;
    for (unsigned digits = 1; digits < 21; digits++) {
        double base_most = (pow(most, 1.0 / digits) + 1) / 2 + 1;
        uint32_t base = base_most < 2 ? 2 : base_most > 1000 ? 1000 : (uint32_t)base_most;
        uint64_t sums = (uint64_t)digits * (base - 1) * (base - 1);
        if (pow(base, digits) * (base == 2 ? 1 : (double)sums) > 1e8) {
            continue; /* so long a search pays only beyond the sizes of histories */
        }
        for (uint64_t sum = base == 2 ? 0 : sums / 4; sum <= (base == 2 ? 0 : sums / 2); sum++) {
            uint32_t n = sphere(pool->env, most, digits, base, sum, NULL);
            if (n > best) {
                best = n;
                best_digits = digits;
                best_base = base;
                best_sum = sum;
            }
        }
    }
    *set = ISO_NEW(pool, uint32_t, best + 1);
    return sphere(pool->env, most, best_digits, best_base, best_sum, *set);
}

uint32_t iso_family_behrend(iso_edges *e, const iso_family_numbers *numbers, iso_rng *rng) {
    (void)rng;
    uint32_t n = (uint32_t)(numbers->nodes / 3), *set;
    uint32_t size = without_progression(e->pool, (n + 1) / 2, &set);
    for (uint32_t x = 0; x < n; x++) {
        for (uint32_t i = 0; i < size; i++) {
            uint32_t y = n + (x + set[i]) % n, z = 2 * n + (x + 2 * set[i]) % n;
            iso_edges_add(e, x, y);
            iso_edges_add(e, y, z);
            iso_edges_add(e, x, z);
        }
    }
    iso_free(e->pool, set);
    return 3 * n;
}
