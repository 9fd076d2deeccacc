/* See artifact.h. The time of a question is a power law of its history's size, fitted to the measurements of the same
 * family, level and checker; the size is the argument of --txns or --nodes of the command that makes the history. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/artifact/artifact.h"
#include "experiments/asking/adapters.h"
#include "experiments/figures/cells.h"
#include "experiments/figures/statistics.h"

/* Returns the size in a command; 1: it has none. */
static double size_of(const char *source) {
    static const char *const options[] = {"--txns ", "--nodes ", "--ops ", "--vars "};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *at = strstr(source, options[i]);
        if (at != NULL) {
            char *end;
            double n = strtod(at + strlen(options[i]), &end);
            n *= *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : 1;
            return n > 0 ? n : 1;
        }
    }
    return 1;
}

/* The measured points of one family, level and checker. */
typedef struct points {
    double *x, *ms, *mib;
    size_t n;
} points;

static points points_of(iso_pool *pool, const iso_cells *cells, const char *family, const char *level,
                        const char *checker) {
    points p = {ISO_NEW(pool, double, cells->n), ISO_NEW(pool, double, cells->n), ISO_NEW(pool, double, cells->n), 0};
    for (size_t i = 0; i < cells->n; i++) {
        const iso_cell *c = &cells->at[i];
        if (c->n > 0 && strcmp(c->family, family) == 0 && strcmp(c->level, level) == 0 &&
            strcmp(c->checker, checker) == 0) {
            p.x[p.n] = size_of(c->source);
            p.ms[p.n] = fmax(1e-3, iso_stat_quantile(pool, c->wall, c->n, 0.5));
            p.mib[p.n++] = fmax(1e-3, iso_stat_quantile(pool, c->peak, c->n, 0.5));
        }
    }
    return p;
}

/* Returns the value at x: by the fitted law, of which the exponent is at least 0, or in proportion to the largest point
 * if there is only one size. */
static double at(iso_pool *pool, const points *p, const double *y, double x) {
    iso_power_law law = iso_stat_power_law(pool, p->x, y, p->n);
    size_t largest = 0;
    for (size_t i = 1; i < p->n; i++) {
        largest = p->x[i] > p->x[largest] ? i : largest;
    }
    double exponent = law.known ? fmax(0, law.exponent.value) : 1;
    return y[largest] * pow(x / p->x[largest], exponent);
}

iso_prediction iso_artifact_predict(const iso_lab *lab, iso_results *results, const char *path, const char *scale) {
    iso_pool *pool = lab->pool;
    iso_prediction sum = {0, 0, 0, 0};
    const iso_suite *suite = iso_suite_load(pool, path, scale);
    iso_instances all = iso_instances_of(lab, suite);
    iso_cells cells = iso_cells_load(pool, results, &(const iso_filter){.suite = suite->name});
    for (size_t i = 0; i < all.n; i++) {
        const iso_suite_settings *s = &all.at[i].block->settings;
        double x = size_of(all.at[i].source);
        for (size_t l = 0; l < s->levels.n; l++) {
            for (size_t c = 0; c < s->checkers.n; c++) {
                const char *checker = s->checkers.at[c];
                if (iso_adapter_name(checker) != NULL) {
                    continue; /* it may not be installed */
                }
                points p = points_of(pool, &cells, all.at[i].family, s->levels.at[l], checker);
                double seconds = p.n > 0 ? at(pool, &p, p.ms, x) / 1e3 : s->timeout;
                bool ends = seconds < s->timeout;
                unsigned long runs = ends ? s->repeat : 1; /* what times out is not repeated */
                sum.seconds += fmin(seconds, s->timeout) * (double)(runs + !s->unproved);
                sum.mebibytes = p.n > 0 && ends ? fmax(sum.mebibytes, at(pool, &p, p.mib, x)) : sum.mebibytes;
                sum.runs += runs;
                sum.guessed += p.n == 0;
                iso_free(pool, p.x);
                iso_free(pool, p.ms);
                iso_free(pool, p.mib);
            }
        }
    }
    return sum;
}
