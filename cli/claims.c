/* `isolab claims`: compares what papers claim with what was measured. */
#include <string.h>
#include <sys/stat.h>

#include "base/print.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/output.h"
#include "experiments/claims/claims.h"

typedef struct values {
    const char *results, *to, *output, *only, *scale;
    bool allow_skipped;
} values;

/* Keeps the claims whose ids are in the list. */
static void select_claims(iso_cli *cli, iso_claims *claims, const char *list) {
    size_t kept = 0;
    for (size_t i = 0; i < claims->n; i++) {
        size_t n = strlen(claims->at[i].id);
        for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
            if (strncmp(at, claims->at[i].id, n) == 0 && (at[n] == ',' || at[n] == '\0')) {
                claims->at[kept++] = claims->at[i];
                break;
            }
        }
    }
    if (kept == 0) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--only: no claim has the id %s", list);
    }
    claims->n = kept;
}

/* Keeps the claims that are about this scale, or about any. */
static void select_scale(iso_claims *claims, const char *scale) {
    size_t kept = 0;
    for (size_t i = 0; i < claims->n; i++) {
        const char *of = claims->at[i].scale;
        if (*of == '\0' || strcmp(of, "any") == 0 || strcmp(of, scale) == 0) {
            claims->at[kept++] = claims->at[i];
        }
    }
    claims->n = kept;
}

static int run_claims(iso_cli *cli, const void *given, int n, char **operands) {
    const values *v = given;
    iso_claims claims = {.n = 0};
    for (int i = 0; i < n; i++) {
        iso_claims_read(&cli->pool, &claims, operands[i]);
    }
    if (v->only != NULL) {
        select_claims(cli, &claims, v->only);
    }
    size_t all = claims.n;
    if (v->scale != NULL) {
        select_scale(&claims, v->scale);
    }
    struct stat folder;
    if (stat(v->results, &folder) != 0 || !S_ISDIR(folder.st_mode)) {
        iso_throw(&cli->env, ISOLAB_E_IO,
                  "there is no folder %s: run `make paper` first (or `make paper-smoke`), or name the folder of the "
                  "results by --results",
                  v->results);
    }
    iso_claims_measure(&cli->pool, &claims, iso_own_program(&cli->pool), v->results);
    iso_clear_progress();
    FILE *out = iso_output_open(&cli->env, v->output);
    if (strcmp(v->to, "html") == 0) {
        iso_claims_page(&cli->pool, &claims, v->results, out);
    } else {
        iso_claims_write(&claims, v->to, out);
    }
    iso_output_close(&cli->env, out);
    if (claims.n < all) {
        iso_say(
            stderr,
            "isolab: %zu claims are about other scales and were left out: `make paper` (an hour) measures those about "
            "times, memory and published programs\n",
            all - claims.n);
    }
    if (!claims.measured) {
        iso_say(stderr, "isolab: no claim was measured: run `make paper` first (or `make paper-smoke`), or name the "
                        "folder of the results by --results\n");
    }
    return iso_claims_count(&claims, ISO_CLAIM_FAIL) > 0                           ? 1
           : iso_claims_count(&claims, ISO_CLAIM_SKIPPED) > 0 && !v->allow_skipped ? 2
                                                                                   : ISOLAB_OK;
}

const iso_command iso_command_claims = {
    .summary = "compares what papers claim with what was measured",
    .operands = "CLAIMS.md...",
    .least = 1,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_TEXT("results", ".", "the folder of the results that the claims name"), .argument = "DIR",
             .of = ISO_OF_FILES, ISO_TO(values, results)},
            {ISO_WORD("to", "text", iso_claims_forms, "write this form"), .argument = "F", ISO_TO(values, to)},
            {ISO_TEXT("output", NULL, "write to this file"), .letter = 'o', .of = ISO_OF_OUTPUTS,
             ISO_TO(values, output)},
            {ISO_LIST("only", NULL, "only the claims with these ids"), .argument = "ID,...", ISO_TO(values, only)},
            {ISO_WORD("scale", NULL, "smoke paper", "only the claims that hold at this scale"), .argument = "NAME",
             ISO_TO(values, scale)},
            {ISO_FLAG("allow-skipped", "no", "exit with 0 although claims were not measured"),
             ISO_TO(values, allow_skipped)},
            ISO_END},
    .details = "PASS: the whole interval of 95 % is where the claim says. FAIL: it is not. KNOWN: it fails as the file "
               "explains. SKIPPED: it was not measured. The exit status is 1 if a claim fails, else 2 if one was "
               "skipped. docs/papers.md describes the table.",
    .examples = "isolab claims --results build/paper paper-artifacts/awdit/claims.md\n"
                "isolab claims --results build/paper --to tap paper-artifacts/plume/claims.md",
    .run = run_claims,
};
