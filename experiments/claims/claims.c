/* Measures and judges claims. See claims.h. */
#include "experiments/claims/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "experiments/runner/lab.h"

/* ---- combinations of two estimates ---- */

/* The half widths of two independent estimates add up as squares. */
static double both(double a, double b) { return sqrt(a * a + b * b); }

/* A count is exact. */
static iso_measured bounded(iso_measured m) { return isnan(m.low) ? (iso_measured){m.value, m.value, m.value} : m; }

iso_measured iso_measured_difference(iso_measured a, iso_measured b) {
    double value = a.value - b.value;
    if (isnan(a.low) && isnan(b.low)) {
        return (iso_measured){value, NAN, NAN};
    }
    a = bounded(a);
    b = bounded(b);
    return (iso_measured){value, value - both(a.value - a.low, b.high - b.value),
                          value + both(a.high - a.value, b.value - b.low)};
}

iso_measured iso_measured_quotient(iso_measured a, iso_measured b) {
    if (isnan(a.low) && isnan(b.low)) {
        return (iso_measured){a.value / b.value, NAN, NAN};
    }
    a = bounded(a);
    b = bounded(b);
    iso_measured la = {log(a.value), log(a.low), log(a.high)}, lb = {log(b.value), log(b.low), log(b.high)};
    iso_measured d = iso_measured_difference(la, lb);
    return (iso_measured){exp(d.value), exp(d.low), exp(d.high)};
}

/* ---- judging ---- */

static bool meets(const iso_expectation *e, double low, double high) {
    switch (e->kind) {
    case ISO_EXPECT_ABOVE:
        return low > e->a;
    case ISO_EXPECT_BELOW:
        return high < e->a;
    case ISO_EXPECT_WITHIN:
        return low >= e->a && high <= e->b;
    case ISO_EXPECT_EXACTLY:
        return !(low < e->a) && !(low > e->a) && !(high < e->a) && !(high > e->a);
    case ISO_EXPECT_NONE:
        break;
    }
    return false;
}

/* Returns whether some value of the interval meets the expectation, so the measurement does not contradict it. */
static bool may_meet(const iso_expectation *e, double low, double high) {
    switch (e->kind) {
    case ISO_EXPECT_ABOVE:
        return high > e->a;
    case ISO_EXPECT_BELOW:
        return low < e->a;
    case ISO_EXPECT_WITHIN:
        return high >= e->a && low <= e->b;
    case ISO_EXPECT_EXACTLY:
    case ISO_EXPECT_NONE:
        break;
    }
    return false;
}

static bool whole(double x) { return fabs(x - round(x)) <= 0; }

/* Returns why the expectation is not met; NULL: it is. */
static const char *failure(const iso_paper_claim *c) {
    iso_measured m = c->measured;
    bool estimate = !isnan(m.low) && !isnan(m.high);
    if (!isfinite(m.value)) {
        return "the measured value is no number";
    }
    if (!estimate && !whole(m.value)) {
        return "the value has no interval: a claim needs repeated runs, or several histories";
    }
    if (estimate && c->expect.kind == ISO_EXPECT_EXACTLY) {
        return "an estimate with an interval cannot be exact: expect above, below or within";
    }
    double low = estimate ? m.low : m.value, high = estimate ? m.high : m.value;
    if (meets(&c->expect, low, high)) {
        return NULL;
    }
    return may_meet(&c->expect, low, high) ? "not decided: the interval is not all on the claimed side"
                                           : "contradicted";
}

void iso_claim_judge(iso_pool *pool, iso_paper_claim *c) {
    const char *why = failure(c);
    bool known = c->known.kind != ISO_EXPECT_NONE;
    c->reason = "";
    if (why == NULL) {
        c->state = ISO_CLAIM_PASS;
        c->reason = known ? "it was known to fail, and does not" : "";
    } else if (known && meets(&c->known, c->measured.value, c->measured.value)) {
        c->state = ISO_CLAIM_KNOWN;
        c->reason = iso_lab_text(pool, "%s, as known: %s", why, c->known.text);
    } else {
        c->state = ISO_CLAIM_FAIL;
        c->reason = known ? iso_lab_text(pool, "%s, and not in the known way: %s", why, c->known.text) : why;
    }
}

/* ---- measuring ---- */

/* Parses `VALUE` or `VALUE LOW HIGH`. */
static bool parse(const char *text, iso_measured *m) {
    double *const into[] = {&m->value, &m->low, &m->high};
    char *end;
    *m = (iso_measured){NAN, NAN, NAN};
    int n = 0;
    for (; n < 3; n++) {
        double number = strtod(text, &end);
        if (end == text) {
            break;
        }
        *into[n] = number;
        text = end;
    }
    return n != 0 && n != 2 && text[strspn(text, " \n")] == '\0';
}

/* Runs one command. Returns false, and sets the state and the reason, if it measured nothing. */
static bool ask(iso_pool *pool, iso_paper_claim *c, int which, const char *program, const char *folder,
                iso_measured *measured) {
    const char **argv = (const char **)(uintptr_t)c->argv[which];
    argv[0] = program;
    iso_job job = {.argv = argv, .folder = folder};
    iso_run_jobs(pool, &job, 1, 1);
    if (job.end == ISO_JOB_EXITED && job.code == 0 && parse(job.out, measured)) {
        return true;
    }
    job.err[strcspn(job.err, "\n")] = '\0';
    const char *said = strncmp(job.err, "isolab: ", 8) == 0 ? job.err + 8 : job.err;
    bool missing = job.end == ISO_JOB_EXITED && (job.code == ISOLAB_E_IO || job.code == ISOLAB_E_USAGE);
    c->state = missing ? ISO_CLAIM_SKIPPED : ISO_CLAIM_FAIL;
    c->reason = iso_lab_text(pool, missing ? "not measured: %s" : "cannot be measured: %s",
                             *said != '\0'                    ? said
                             : job.end == ISO_JOB_NOT_STARTED ? job.why
                                                              : "no number");
    return false;
}

void iso_claims_measure(iso_pool *pool, iso_claims *claims, const char *program, const char *folder) {
    for (size_t i = 0; i < claims->n; i++) {
        iso_paper_claim *c = &claims->at[i];
        iso_measured m[2];
        iso_progress(pool->env, "claims", i, claims->n);
        if (!ask(pool, c, 0, program, folder, &m[0]) ||
            (c->combination != ISO_ONE_CELL && !ask(pool, c, 1, program, folder, &m[1]))) {
            c->measured = (iso_measured){NAN, NAN, NAN};
            continue;
        }
        c->measured = c->combination == ISO_DIFFERENCE ? iso_measured_difference(m[0], m[1])
                      : c->combination == ISO_QUOTIENT ? iso_measured_quotient(m[0], m[1])
                                                       : m[0];
        claims->measured = true;
        iso_claim_judge(pool, c);
    }
    iso_progress(pool->env, NULL, 0, 0);
}

size_t iso_claims_count(const iso_claims *claims, iso_claim_state state) {
    size_t n = 0;
    for (size_t i = 0; i < claims->n; i++) {
        n += claims->at[i].state == state;
    }
    return n;
}
