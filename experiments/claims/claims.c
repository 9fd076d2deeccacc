/* Measures and judges claims. See claims.h. */
#include "experiments/claims/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"

/* ---- combinations of two estimates ---- */

/* The half widths of two independent estimates add up as squares. */
static double both(double a, double b) { return sqrt(a * a + b * b); }

/* A count is exact. */
static iso_measured bounded(iso_measured m) { return isnan(m.low) ? (iso_measured){m.value, m.value, m.value} : m; }

static iso_measured difference_of(iso_measured a, iso_measured b) {
    double value = a.value - b.value;
    if (isnan(a.low) && isnan(b.low)) {
        return (iso_measured){value, NAN, NAN};
    }
    a = bounded(a);
    b = bounded(b);
    return (iso_measured){value, value - both(a.value - a.low, b.high - b.value),
                          value + both(a.high - a.value, b.value - b.low)};
}

static iso_measured quotient_of(iso_measured a, iso_measured b) {
    if (isnan(a.low) && isnan(b.low)) {
        return (iso_measured){a.value / b.value, NAN, NAN};
    }
    a = bounded(a);
    b = bounded(b);
    iso_measured la = {log(a.value), log(a.low), log(a.high)}, lb = {log(b.value), log(b.low), log(b.high)};
    iso_measured d = difference_of(la, lb);
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

/* Returns whether no missing run can change the judgement. A count is about questions, of which each has one run at
 * least; it only grows with more questions, so it is final if it is already too large, or large enough. An interval is
 * final if it contradicts the expectation or meets it: it is an interval from fewer histories, which is wider. */
static bool final(const iso_paper_claim *c) {
    iso_measured m = c->measured;
    if (!isnan(m.low) && !isnan(m.high)) {
        return meets(&c->expect, m.low, m.high) || !may_meet(&c->expect, m.low, m.high);
    }
    bool count = whole(m.value), grows = c->combination == ISO_ONE_CELL;
    double most = c->expect.kind == ISO_EXPECT_WITHIN ? c->expect.b : c->expect.a;
    return count && (c->unasked == 0 || (grows && m.value > most));
}

/* Adds to the reason how many runs are missing. */
static void tell_missing(iso_pool *pool, iso_paper_claim *c) {
    c->reason = iso_format_text(pool, "%s%s%zu of %zu runs of %s were not measured: run `make paper` again", c->reason,
                                *c->reason != '\0' ? "; " : "", c->missing, c->planned,
                                c->suites != NULL ? c->suites : "all suites");
}

static void judge(iso_pool *pool, iso_paper_claim *c) {
    const char *why = failure(c);
    bool known = c->known.kind != ISO_EXPECT_NONE;
    c->reason = "";
    if (c->missing > 0 && !final(c)) {
        c->state = ISO_CLAIM_SKIPPED;
    } else if (why == NULL) {
        c->state = ISO_CLAIM_PASS;
        c->reason = known ? "it was known to fail, and does not" : "";
    } else if (known && meets(&c->known, c->measured.value, c->measured.value)) {
        c->state = ISO_CLAIM_KNOWN;
        c->reason = iso_format_text(pool, "%s, as known: %s", why, c->known.text);
    } else {
        c->state = ISO_CLAIM_FAIL;
        c->reason = known ? iso_format_text(pool, "%s, and not in the known way: %s", why, c->known.text) : why;
    }
}

/* Sets the state and the reason of a claim from its measurement. */
static void judge_claim(iso_pool *pool, iso_paper_claim *c) {
    judge(pool, c);
    if (c->missing > 0) {
        tell_missing(pool, c);
    }
}

/* ---- measuring ---- */

/* What a command printed: `VALUE` or `VALUE LOW HIGH`, and on the next line the numbers of missing and of planned
 * runs, and of questions without any run. */
typedef struct answer {
    iso_measured measured;
    size_t missing, planned, unasked;
} answer;

/* Reads the numbers of a line up to `most`. Returns how many there are, and moves *text to the next line; negative:
 * something else is in the line. */
static int numbers(const char **text, double *into, int most) {
    int n = 0;
    for (char *end; n < most && **text != '\n'; *text = end) {
        double number = strtod(*text, &end);
        if (end == *text) {
            return -1;
        }
        into[n++] = number;
    }
    if (**text != '\n') {
        return -1;
    }
    ++*text;
    return n;
}

static bool parse(const char *text, answer *a) {
    double value[3] = {NAN, NAN, NAN}, runs[3] = {0, 0, 0};
    int n = numbers(&text, value, 3);
    bool good = (n == 1 || n == 3) && numbers(&text, runs, 3) == 3 && *text == '\0' && runs[0] >= 0 &&
                runs[0] <= runs[1] && runs[1] < 1e15 && runs[2] >= 0 && runs[2] <= runs[1];
    *a = (answer){{value[0], value[1], value[2]}, (size_t)runs[0], (size_t)runs[1], (size_t)runs[2]};
    return good;
}

/* Returns the word after `option`; NULL: none. */
static const char *after(const char *const *argv, const char *option) {
    for (; argv[0] != NULL && argv[1] != NULL; argv++) {
        if (strcmp(argv[0], option) == 0) {
            return argv[1];
        }
    }
    return NULL;
}

/* Runs one command. Returns false, and sets the state and the reason, if it measured nothing. */
static bool ask(iso_pool *pool, iso_paper_claim *c, int which, const char *program, const char *folder,
                iso_measured *measured) {
    answer a;
    const char **argv = (const char **)(uintptr_t)c->argv[which];
    argv[0] = program;
    iso_job job = {.argv = argv, .folder = folder};
    iso_run_jobs(pool, &job, 1, 1);
    if (job.end == ISO_JOB_EXITED && job.code == 0 && parse(job.out, &a)) {
        *measured = a.measured;
        c->unasked += a.unasked;
        if (a.missing > c->missing) {
            c->missing = a.missing;
            c->planned = a.planned;
            c->suites = after(argv + 1, "--suite");
        }
        return true;
    }
    job.err[strcspn(job.err, "\n")] = '\0';
    const char *said = strncmp(job.err, "isolab: ", 8) == 0 ? job.err + 8 : job.err;
    bool missing = job.end == ISO_JOB_EXITED && (job.code == ISOLAB_E_IO || job.code == ISOLAB_E_USAGE);
    c->state = missing ? ISO_CLAIM_SKIPPED : ISO_CLAIM_FAIL;
    c->reason = iso_format_text(pool, missing ? "not measured: %s" : "cannot be measured: %s",
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
        c->measured = c->combination == ISO_DIFFERENCE ? difference_of(m[0], m[1])
                      : c->combination == ISO_QUOTIENT ? quotient_of(m[0], m[1])
                                                       : m[0];
        claims->measured = true;
        judge_claim(pool, c);
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
