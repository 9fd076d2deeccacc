/* See suite_rules.h. */
#include "cli/suite_rules.h"

#include <string.h>

#include "experiments/referee/adapters.h"
#include "experiments/runner/foreign.h"
#include "experiments/runner/instance.h"

/* Tests that the checkers exist before anything runs. */
static void know_checkers(iso_cli *cli, const iso_lab *lab, const iso_suite *s) {
    for (size_t b = 0; b < s->n_blocks; b++) {
        for (size_t c = 0; c < s->blocks[b].settings.checkers.n; c++) {
            const char *name = s->blocks[b].settings.checkers.at[c];
            for (size_t i = 0; i < s->n_contenders; i++) {
                name = strcmp(s->contenders[i].label, name) == 0 ? s->contenders[i].words.at[0] : name;
            }
            const char *foreign = iso_foreign_name(name);
            if (foreign != NULL && iso_adapters_find(lab->adapters, foreign) == NULL) {
                iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no adapter \"%s\"", foreign);
            } else if (foreign == NULL && strcmp(name, "auto") != 0) {
                iso_cli_checker(cli, name);
            }
        }
    }
}

/* A suite may come from outside, and its commands may write only the results. */
static void refuse_outputs(iso_cli *cli, const char *const *words, const char *what) {
    const char *word = iso_cli_output_option(words);
    if (word != NULL) {
        iso_throw(&cli->env, ISOLAB_E_INPUT, "%s: a suite may not say where to write: %s", what, word);
    }
}

/* A suite may come from outside: it records databases that isolab starts itself, and runs no programs. */
static void refuse_recordings(iso_cli *cli, const char *const *words, const char *what) {
    static const char *const allowed[] = {"spawn",        "level",   "workload", "sessions", "txns",   "keys",
                                          "ops",          "reads",   "seed",     "retries",  "aborts", "mix",
                                          "distribution", "seconds", "durable",  "pause",    "faults", "fault-every"};
    if (strcmp(words[0], "collect") != 0) {
        return;
    }
    if (words[1] == NULL || words[1][0] == '-' || strcmp(words[1], "exec") == 0) {
        iso_throw(&cli->env, ISOLAB_E_INPUT, "%s: expected the name of a database after collect: (and not exec)", what);
    }
    for (size_t w = 2; words[w] != NULL; w++) {
        const char *name = words[w];
        bool fine = name[0] != '-' || strcmp(name, "-l") == 0 || strcmp(name, "-w") == 0;
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed && !fine; i++) {
            size_t n = strlen(allowed[i]);
            fine = strncmp(name, "--", 2) == 0 && strncmp(name + 2, allowed[i], n) == 0 &&
                   (name[2 + n] == '\0' || name[2 + n] == '=');
        }
        if (!fine) {
            iso_throw(&cli->env, ISOLAB_E_INPUT, "%s: a suite may not record with %s", what, name);
        }
    }
}

static void know_commands(iso_cli *cli, const iso_lab *lab, const iso_suite *suite) {
    iso_instances all = iso_instances_of(lab, suite);
    for (size_t i = 0; i < all.n; i++) {
        if (all.at[i].argv != NULL) {
            refuse_outputs(cli, all.at[i].argv + 1, all.at[i].name);
            refuse_recordings(cli, all.at[i].argv + 1, all.at[i].name);
        }
    }
    for (size_t i = 0; i < suite->n_contenders; i++) {
        const iso_words *w = &suite->contenders[i].words;
        const char **words = ISO_ZNEW(&cli->pool, const char *, w->n + 2);
        words[0] = "check";
        memcpy(words + 1, w->at, w->n * sizeof *words);
        refuse_outputs(cli, words, suite->contenders[i].label);
    }
}

void iso_cli_know_suite(iso_cli *cli, const iso_lab *lab, const iso_suite *suite) {
    know_checkers(cli, lab, suite);
    know_commands(cli, lab, suite);
}
