/* `isolab artifact`: packs everything that results of papers rest on into one file, and checks such a file. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "base/process.h"
#include "cli/command.h"
#include "experiments/artifact/artifact.h"
#include "experiments/asking/adapters.h"
#include "experiments/claims/claims.h"

typedef struct values {
    const char *output, *results;
} values;

typedef struct artifact_state {
    iso_cli *cli;
    const values *v;
    int n;
    char **operands;
    const char *folder; /* of an unpacked artifact; NULL: none */
    bool differs;
} artifact_state;

/* The folder with isolab's source: one or two above the program's (build/isolab, build/quick/isolab). NULL: neither has
 * it. */
static const char *find_source(iso_pool *pool, const char *program) {
    const char *slash = strrchr(program, '/');
    const char *root = iso_format_text(pool, "%.*s", (int)(slash - program), program);
    for (int above = 0; above < 2; above++) {
        root = iso_format_text(pool, "%s/..", root);
        if (access(iso_format_text(pool, "%s/include/isolab.h", root), R_OK) == 0) {
            return root;
        }
    }
    return NULL;
}

static void pack(artifact_state *state) {
    iso_pool *pool = &state->cli->pool;
    if (state->v->output == NULL || state->v->results == NULL) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "artifact pack: expected --results DIR and --output FILE.tar.gz");
    }
    const char *program = iso_own_program(pool);
    iso_lab_table table = {NULL, NULL};
    iso_adapters adapters;
    iso_adapters_init(&adapters, pool);
    iso_lab lab = {.pool = pool,
                   .own = program,
                   .program = program,
                   .table = &table,
                   .adapters = &adapters,
                   .work = state->v->results,
                   .cpu = -1};
    const char **folders = ISO_ZNEW(pool, const char *, (size_t)state->n);
    for (int i = 1; i < state->n; i++) {
        size_t n = strlen(state->operands[i]);
        folders[i - 1] = iso_copy_text(pool, state->operands[i], n > 1 && state->operands[i][n - 1] == '/' ? n - 1 : n);
    }
    iso_artifact_parts a = {.pool = pool,
                            .program = program,
                            .verifier = iso_program_beside(pool, "isolab-verify"),
                            .source = find_source(pool, program),
                            .results = state->v->results,
                            .folders = folders,
                            .n = (size_t)state->n - 1,
                            .lab = &lab};
    iso_artifact_pack(&a, state->v->output);
    iso_say(stdout, "%s: %d artifacts%s\n", state->v->output, state->n - 1,
            a.source == NULL ? ", without isolab's source" : "");
}

/* Prints the claims whose states are others in other results. */
static void compare_claims(artifact_state *state, const char *root) {
    iso_pool *pool = &state->cli->pool;
    iso_claims packed = {.n = 0}, here = {.n = 0};
    glob_t found;
    size_t differ = 0;
    if (glob(iso_format_text(pool, "%s/paper-artifacts/*/claims.md", root), 0, NULL, &found) != 0) {
        return;
    }
    const char **paths = ISO_NEW(pool, const char *, found.gl_pathc);
    size_t n = found.gl_pathc;
    for (size_t i = 0; i < n; i++) {
        paths[i] = iso_copy_text(pool, found.gl_pathv[i], strlen(found.gl_pathv[i]));
    }
    globfree(&found);
    for (size_t i = 0; i < n; i++) {
        iso_claims_read(pool, &packed, paths[i]);
        iso_claims_read(pool, &here, paths[i]);
    }
    iso_claims_measure(pool, &packed, iso_own_program(pool), iso_format_text(pool, "%s/results", root));
    iso_claims_measure(pool, &here, iso_own_program(pool), state->v->results);
    for (size_t i = 0; i < packed.n; i++) {
        const iso_paper_claim *a = &packed.at[i], *b = &here.at[i];
        if (a->state != b->state) {
            iso_say(stdout, "%s was %s (%.4g), is %s (%.4g): %s\n", a->id, iso_claim_state_name(a->state),
                    a->measured.value, iso_claim_state_name(b->state), b->measured.value, a->claim);
            differ++;
        }
    }
    iso_say(stdout, "%zu claims, %zu with another state in %s\n", packed.n, differ, state->v->results);
    state->differs |= differ > 0;
}

static void check(artifact_state *state) {
    iso_pool *pool = &state->cli->pool;
    const char *root;
    if (state->n != 2) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "artifact check: expected one artifact, a folder or a .tar.gz");
    }
    state->folder = iso_temporary_folder(pool, "artifact", NULL);
    state->differs = iso_artifact_check(pool, state->operands[1], state->folder, &root, stdout) > 0;
    if (state->v->results != NULL) {
        compare_claims(state, root);
    }
}

static void pack_or_check(void *arg) {
    artifact_state *state = arg;
    bool packs = strcmp(state->operands[0], "pack") == 0;
    if (!packs && strcmp(state->operands[0], "check") != 0) {
        iso_throw(&state->cli->env, ISOLAB_E_USAGE, "artifact: expected pack or check, found \"%s\"",
                  state->operands[0]);
    }
    iso_cli_refuse(state->cli, !packs, "output", "is for pack");
    (packs ? pack : check)(state);
}

static int run_artifact(iso_cli *cli, const void *given, int n, char **operands) {
    artifact_state state = {.cli = cli, .v = given, .n = n, .operands = operands};
    int code = iso_guard(&cli->env, pack_or_check, &state);
    if (state.folder != NULL) {
        iso_remove_folder(state.folder);
    }
    iso_clear_progress();
    if (code != ISOLAB_OK) {
        iso_rethrow(&cli->env);
    }
    return state.differs ? 1 : ISOLAB_OK;
}

const iso_command iso_command_artifact = {
    .summary = "packs what results of papers rest on, and checks a packed artifact",
    .operands = "pack|check FILE...",
    .least = 2,
    .most = -1,
    .of = ISO_OF_FILES,
    .size = sizeof(values),
    .options = (const iso_option[]){{ISO_TEXT("output", NULL, "pack: the file to write, .tar.gz"), .letter = 'o',
                                     .of = ISO_OF_OUTPUTS, ISO_TO(values, output)},
                                    {ISO_TEXT("results", NULL,
                                              "pack: the folder of the results; check: results measured "
                                              "here, whose claims are compared with the packed ones"),
                                     .argument = "DIR", .of = ISO_OF_FILES, ISO_TO(values, results)},
                                    ISO_END},
    .details =
        "pack takes folders of artifacts (docs/papers.md) and writes suites, claims, results with their "
        "certificates, histories that no command makes, the source, the programs, and a README with the "
        "time and memory that each scale will need. check takes such a file or folder and prints what differs from "
        "its manifest, from this machine, and with --results from what was measured here; it runs nothing of "
        "it. The exit status is 1 if a file or a claim differs.",
    .examples = "isolab artifact pack --results build/paper -o awdit.tar.gz paper-artifacts/awdit\n"
                "isolab artifact check --results build/paper awdit.tar.gz",
    .run = run_artifact,
};
