/* Claims of papers: each is a measurement, an expectation, and a state.
 *
 * A claim is a row of a table in a file of Markdown (docs/papers.md). Its measurement is one cell of a figure with its
 * interval, or the difference or quotient of two cells. The commands that make the cells come from the file, which may
 * not be trusted: so only `isolab plot ... --cell ROW:COLUMN` is run, without a shell, and it writes nothing.
 *
 *   claims_read.c   reads the table
 *   claims.c        measures and judges
 *   claims_write.c  writes the states as text, TAP, JSON, Markdown and LaTeX
 *   claims_page.c   writes them as a page, beside the figures */
#ifndef ISOLAB_EXPERIMENTS_CLAIMS_CLAIMS_H
#define ISOLAB_EXPERIMENTS_CLAIMS_CLAIMS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/env.h"

typedef enum {
    ISO_CLAIM_PASS,
    ISO_CLAIM_FAIL,
    ISO_CLAIM_KNOWN,   /* it fails in the way that the file expects and explains */
    ISO_CLAIM_SKIPPED, /* it was not measured */
    ISO_CLAIM_STATES
} iso_claim_state;

typedef enum {
    ISO_EXPECT_NONE,
    ISO_EXPECT_ABOVE,
    ISO_EXPECT_BELOW,
    ISO_EXPECT_WITHIN,
    ISO_EXPECT_EXACTLY
} iso_expected;

/* `above 1`, `below 1`, `within 0.9..1.1`, `exactly 42`. */
typedef struct iso_expectation {
    iso_expected kind;
    double a, b; /* b: the high end of `within` */
    const char *text;
} iso_expectation;

/* A number with its interval of 95 %. low is NaN: a count, or a number without an interval. */
typedef struct iso_measured {
    double value, low, high;
} iso_measured;

typedef enum { ISO_ONE_CELL, ISO_DIFFERENCE, ISO_QUOTIENT } iso_combination;

typedef struct iso_paper_claim {
    const char *id, *claim, *where, *minutes, *memory, *scale, *why; /* texts of the table; "": the table has none */
    const char *measure;                                             /* as it is written */
    const char *const *argv[2]; /* the commands; [0] of each is to be the program */
    iso_combination combination;
    iso_expectation expect, known;
    const char *file;
    unsigned long line, explained; /* lines of the row, and of the heading that explains a failure; 0: none */

    iso_claim_state state;
    iso_measured measured;
    size_t planned, missing; /* runs of the command of which most are missing */
    size_t unasked;          /* questions without any run */
    const char *suites;      /* the suites that this command names; NULL: none */
    const char *reason;      /* why it fails or was skipped, or a remark; "": nothing to say */
} iso_paper_claim;

typedef struct iso_claims {
    iso_paper_claim *at;
    size_t n, room;
    bool measured; /* at least one claim was measured */
} iso_claims;

/* Adds the claims of a file. Throws ISOLAB_E_INPUT with the line. */
void iso_claims_read(iso_pool *pool, iso_claims *claims, const char *path);

/* Measures all claims by running `program` in a folder of results. */
void iso_claims_measure(iso_pool *pool, iso_claims *claims, const char *program, const char *folder);

const char *iso_claim_state_name(iso_claim_state state);

extern const char iso_claims_forms[]; /* words */
/* Throws nothing; form is one of iso_claims_forms. */
void iso_claims_write(const iso_claims *claims, const char *form, FILE *out);

/* Writes a page of HTML with the claims beside their figures, which are in folder/PAPER and become parts
 * of the page. */
void iso_claims_page(iso_pool *pool, const iso_claims *claims, const char *folder, FILE *out);

size_t iso_claims_count(const iso_claims *claims, iso_claim_state state);

#endif
