/* Writes the states of claims. See claims.h. */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "experiments/claims/claims.h"

const char iso_claims_forms[] = "text tap json md tex html";

static const char *const names[ISO_CLAIM_STATES] = {"PASS", "FAIL", "KNOWN", "SKIPPED"};

const char *iso_claim_state_name(iso_claim_state state) { return names[state]; }

/* Prints the number and its interval; nothing if it was not measured. */
static void print_measured(iso_printer *out, const iso_paper_claim *c) {
    const iso_measured *m = &c->measured;
    if (c->state == ISO_CLAIM_SKIPPED || isnan(m->value)) {
        return;
    }
    iso_print(out, "%.4g", m->value);
    if (!isnan(m->low)) {
        iso_print_markup(out, ISO_MARKUP(" ["));
        iso_print(out, "%.4g, %.4g", m->low, m->high);
        iso_print_markup(out, ISO_MARKUP("]"));
    }
}

/* Returns the line to read about a claim that does not pass. */
static unsigned long place(const iso_paper_claim *c) { return c->explained != 0 ? c->explained : c->line; }

static bool remarkable(const iso_paper_claim *c) { return *c->reason != '\0'; }

static void as_text(const iso_claims *claims, FILE *file) {
    iso_printer *out = &(iso_printer){.out = file};
    for (size_t i = 0; i < claims->n; i++) {
        const iso_paper_claim *c = &claims->at[i];
        iso_print(out, "%-8s%-16s%s: %s\n        ", names[c->state], c->id, c->where, c->claim);
        print_measured(out, c);
        iso_print(out, "%sexpected %s\n", c->state == ISO_CLAIM_SKIPPED ? "" : ", ", c->expect.text);
        if (remarkable(c)) {
            iso_print(out, "        %s\n", c->reason);
        }
        if (c->state == ISO_CLAIM_FAIL || c->state == ISO_CLAIM_KNOWN) {
            iso_print(out, "        see %s:%lu\n", c->file, place(c));
        }
    }
    iso_print(out, "%zu claims:", claims->n);
    for (int s = 0; s < ISO_CLAIM_STATES; s++) {
        iso_print(out, "%s %zu %s", s > 0 ? "," : "", iso_claims_count(claims, (iso_claim_state)s), names[s]);
    }
    iso_print(out, "\n");
}

/* A known failure is a TODO of TAP: it does not fail the test. */
static void as_tap(const iso_claims *claims, FILE *file) {
    iso_printer *out = &(iso_printer){.out = file};
    iso_print(out, "1..%zu\n", claims->n);
    for (size_t i = 0; i < claims->n; i++) {
        const iso_paper_claim *c = &claims->at[i];
        bool bad = c->state == ISO_CLAIM_FAIL || c->state == ISO_CLAIM_KNOWN;
        iso_print(out, "%s %zu - %s", bad ? "not ok" : "ok", i + 1, c->id);
        if (c->state == ISO_CLAIM_KNOWN) {
            iso_print(out, " # TODO %s", c->reason);
        } else if (c->state == ISO_CLAIM_SKIPPED) {
            iso_print(out, " # SKIP %s", c->reason);
        }
        iso_print(out, "\n# %s: %s: ", c->where, c->claim);
        print_measured(out, c);
        iso_print(out, ", expected %s\n", c->expect.text);
        if (bad) {
            iso_print(out, "# %s; see %s:%lu\n", c->reason, c->file, place(c));
        }
    }
}

static void number(iso_printer *out, const char *name, double value) {
    iso_print(out, ",%s:", name);
    if (isfinite(value)) {
        iso_print(out, "%.9g", value);
    } else {
        iso_print(out, "null");
    }
}

static void as_json(const iso_claims *claims, FILE *file) {
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_JSON};
    iso_print(out, "[");
    for (size_t i = 0; i < claims->n; i++) {
        const iso_paper_claim *c = &claims->at[i];
        const char *const texts[][2] = {{"where", c->where},        {"claim", c->claim}, {"measure", c->measure},
                                        {"expect", c->expect.text}, {"why", c->why},     {"state", names[c->state]},
                                        {"reason", c->reason},      {"file", c->file},   {"minutes", c->minutes},
                                        {"memory", c->memory},      {"scale", c->scale}};
        iso_print_markup(out, i > 0 ? ISO_MARKUP(",\n {") : ISO_MARKUP("{"));
        iso_print(out, "%s:%s", "id", c->id);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            iso_print(out, ",%s:%s", texts[k][0], texts[k][1]);
        }
        number(out, "value", c->measured.value);
        number(out, "low", c->measured.low);
        number(out, "high", c->measured.high);
        iso_print(out, ",%s:%lu}", "line", place(c));
    }
    iso_print(out, "]\n");
}

static void as_table(const iso_claims *claims, FILE *file, iso_target target) {
    iso_printer *out = &(iso_printer){.out = file, .target = target};
    bool latex = target == ISO_LATEX;
    const iso_markup next = latex ? ISO_MARKUP(" & ") : ISO_MARKUP(" | ");
    const iso_markup end = latex ? ISO_MARKUP(" \\\\\n") : ISO_MARKUP(" |\n");
    iso_print_markup(out, latex
                              ? ISO_MARKUP("% needs \\usepackage{booktabs}\n\\begin{tabular}{@{}llp{8cm}llp{5cm}@{}}\n"
                                           "\\toprule\nState & Id & Claim & Measured & Expected & Remark \\\\\n"
                                           "\\midrule\n")
                              : ISO_MARKUP("| state | id | claim | measured | expected | remark |\n"
                                           "|---|---|---|---|---|---|\n"));
    for (size_t i = 0; i < claims->n; i++) {
        const iso_paper_claim *c = &claims->at[i];
        iso_print_markup(out, latex ? ISO_MARKUP("") : ISO_MARKUP("| "));
        iso_print(out, "%s", names[c->state]);
        iso_print_markup(out, next);
        iso_print(out, "%s", c->id);
        iso_print_markup(out, next);
        iso_print(out, "%s: %s", c->where, c->claim);
        iso_print_markup(out, next);
        print_measured(out, c);
        iso_print_markup(out, next);
        iso_print(out, "%s", c->expect.text);
        iso_print_markup(out, next);
        iso_print(out, "%s", c->reason);
        iso_print_markup(out, end);
    }
    iso_print_markup(out, latex ? ISO_MARKUP("\\bottomrule\n\\end{tabular}\n") : ISO_MARKUP(""));
}

void iso_claims_write(const iso_claims *claims, const char *form, FILE *out) {
    if (strcmp(form, "tap") == 0) {
        as_tap(claims, out);
    } else if (strcmp(form, "json") == 0) {
        as_json(claims, out);
    } else if (strcmp(form, "md") == 0 || strcmp(form, "tex") == 0) {
        as_table(claims, out, strcmp(form, "tex") == 0 ? ISO_LATEX : ISO_MARKDOWN);
    } else {
        as_text(claims, out);
    }
}
