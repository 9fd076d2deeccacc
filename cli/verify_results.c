/* `isolab verify-results`: verifies the certificates of a file of results, without running a checker. */
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "base/process.h"
#include "cli/command.h"
#include "experiments/runner/verify_results.h"

typedef struct values {
    const char *histories, *verifier;
    bool json, generate;
    uint64_t jobs;
    int64_t each;
} values;

typedef struct verify_state {
    iso_cli *cli;
    const values *v;
    const char *path;
    iso_results *results;
    iso_verified verified;
} verify_state;

/* isolab-verify, beside this program or on the PATH. */
static const char *find_verifier(iso_cli *cli, const values *v) {
    iso_pool *pool = &cli->pool;
    const char *beside = iso_program_beside(pool, "isolab-verify");
    const char *found = v->verifier != NULL         ? iso_find_program(pool, v->verifier)
                        : access(beside, X_OK) == 0 ? beside
                                                    : iso_find_program(pool, "isolab-verify");
    if (found == NULL) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no program %s: name it by --verifier",
                  v->verifier != NULL ? v->verifier : "isolab-verify");
    }
    return found;
}

static const char *refuse(void *arg, const char *const *words) {
    (void)arg;
    return iso_cli_output_option(words);
}

static void verify_cells(void *arg) {
    verify_state *state = arg;
    iso_pool *pool = &state->cli->pool;
    const values *v = state->v;
    state->results = iso_results_open(pool, state->path, ISO_RESULTS_READ);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    iso_verify_results(
        &(const iso_verify_settings){
            .pool = pool,
            .results = state->results,
            .verifier = find_verifier(state->cli, v),
            .generator = v->generate ? iso_own_program(pool) : NULL,
            .histories = v->histories != NULL ? v->histories : iso_format_text(pool, "%s.histories", state->path),
            .at_once = v->jobs != 0 ? (unsigned)v->jobs : (unsigned)processors,
            .timeout = (double)v->each / 1e9,
            .refuse = refuse},
        &state->verified);
}

static void print_text(const iso_verified *v) {
    iso_say(stdout, "%-24s %8s %8s %8s %8s\n", "suite", "cells", "proved", "refuted", "no proof");
    for (size_t i = 0; i <= v->n; i++) {
        const iso_verified_suite *s = &v->suites[i];
        iso_say(stdout, "%-24s %8zu %8zu %8zu %8zu\n", s->name, s->cells, s->proved, s->refuted, s->none);
    }
    iso_say(stdout, "%zu certificates: %zu valid, %zu refused, %zu not verified\n", v->certificates, v->valid,
            v->refused, v->unknown);
    for (size_t i = 0; i < v->notes && i < ISO_VERIFY_NOTES; i++) {
        iso_say(stdout, "%s\n", v->note[i]);
    }
    if (v->notes > ISO_VERIFY_NOTES) {
        iso_say(stdout, "and %zu more\n", v->notes - ISO_VERIFY_NOTES);
    }
}

static void print_json(const iso_verified *v) {
    iso_printer *out = &(iso_printer){.out = stdout, .target = ISO_JSON};
    iso_print(out, "{\"certificates\":%zu,\"valid\":%zu,\"refused\":%zu,\"unknown\":%zu,\"suites\":[", v->certificates,
              v->valid, v->refused, v->unknown);
    for (size_t i = 0; i <= v->n; i++) {
        const iso_verified_suite *s = &v->suites[i];
        iso_print_markup(out, i > 0 ? ISO_MARKUP(",") : ISO_MARKUP(""));
        iso_print(out, "{\"suite\":%s,\"cells\":%zu,\"proved\":%zu,\"refuted\":%zu,\"no_proof\":%zu}", s->name,
                  s->cells, s->proved, s->refuted, s->none);
    }
    iso_print(out, "],\"notes\":[");
    for (size_t i = 0; i < v->notes && i < ISO_VERIFY_NOTES; i++) {
        iso_print_markup(out, i > 0 ? ISO_MARKUP(",") : ISO_MARKUP(""));
        iso_print(out, "%s", v->note[i]);
    }
    iso_print(out, "]}\n");
}

static int run_verify_results(iso_cli *cli, const void *given, int n, char **operands) {
    (void)n;
    const values *v = given;
    verify_state state = {.cli = cli, .v = v, .path = operands[0]};
    int code = iso_guard(&cli->env, verify_cells, &state);
    iso_results_close(state.results);
    iso_clear_progress();
    if (code != ISOLAB_OK) {
        iso_rethrow(&cli->env);
    }
    (v->json ? print_json : print_text)(&state.verified);
    if (state.verified.contradiction) {
        iso_throw(&cli->env, ISOLAB_E_INTERNAL, "both verdicts of a question were proved: isolab-verify has a defect");
    }
    const iso_verified_suite *all = &state.verified.suites[state.verified.n];
    return state.verified.refused > 0 || all->refuted > 0 ? 1 : state.verified.unknown > 0 ? 2 : ISOLAB_OK;
}

const iso_command iso_command_verify_results = {
    .summary = "verifies the certificates of a file of results, without a checker",
    .operands = "RESULTS",
    .least = 1,
    .most = 1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options =
        (const iso_option[]){
            {ISO_TEXT("histories", NULL, "folder of the histories (default: RESULTS.histories, or the files given)"),
             .argument = "DIR", .of = ISO_OF_FILES, ISO_TO(values, histories)},
            {ISO_FLAG("generate", "no", "make a missing history again by the command that the results name"),
             ISO_TO(values, generate)},
            {ISO_TEXT("verifier", NULL, "this isolab-verify instead of the one beside isolab"), .argument = "PATH",
             .of = ISO_OF_FILES, ISO_TO(values, verifier)},
            {ISO_COUNT("jobs", NULL, 1, 4096, "verify N certificates at once (default: one a processor)"),
             ISO_TO(values, jobs)},
            {ISO_SECONDS("each", "60", "time for one certificate"), ISO_TO(values, each)},
            {ISO_FLAG("json", "no", "print JSON"), ISO_TO(values, json)},
            ISO_END},
    .details =
        "A cell is the verdict of one checker about one history and level. It is proved if isolab-verify accepts a "
        "certificate of this verdict for the bytes of the history, and refuted if it accepts one of the opposite "
        "verdict. The exit status is 1 if a certificate is refused or a cell refuted, else 2 if a certificate "
        "could not be verified.",
    .examples = "isolab verify-results smoke.sqlite\n"
                "isolab verify-results --generate --histories build/paper/histories build/paper/awdit.sqlite",
    .run = run_verify_results,
};
