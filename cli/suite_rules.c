/* See suite_rules.h. */
#include "cli/suite_rules.h"

#include <string.h>

#include "experiments/asking/adapters.h"
#include "experiments/runner/foreign.h"
#include "experiments/runner/instance.h"

/* Tests that the checkers exist before anything runs. */
static void know_checkers(iso_cli *cli, const iso_lab *lab, const iso_suite *s, bool plan) {
    for (size_t b = 0; b < s->n_blocks; b++) {
        for (size_t c = 0; c < s->blocks[b].settings.checkers.n; c++) {
            const char *name = s->blocks[b].settings.checkers.at[c];
            for (size_t i = 0; i < s->n_contenders; i++) {
                name = strcmp(s->contenders[i].label, name) == 0 ? s->contenders[i].words.at[0] : name;
            }
            const char *foreign = iso_adapter_name(name);
            if (foreign != NULL && !plan && iso_adapters_find(lab->adapters, foreign) == NULL) {
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

/* Returns whether a word is one of the options, `--NAME` or `--NAME=VALUE`. names end with NULL. */
static bool is_allowed(const char *word, const char *const *names) {
    for (size_t i = 0; names[i] != NULL; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, names[i], n) == 0 &&
            (word[2 + n] == '\0' || word[2 + n] == '=')) {
            return true;
        }
    }
    return false;
}

/* The words of a checker are options of its question: no other checker, no adapters, which name programs, and no second
 * history. */
static void refuse_other_questions(iso_cli *cli, const iso_words *words, const char *label) {
    static const char *const flags[] = {"all", "no-session-order", NULL};
    static const char *const valued[] = {"option", "threads", "limit", "patterns", NULL};
    for (size_t w = 1; w < words->n; w++) {
        const char *word = words->at[w];
        bool takes = is_allowed(word, valued);
        if (!takes && !is_allowed(word, flags)) {
            iso_throw(&cli->env, ISOLAB_E_INPUT,
                      "%s: a suite may ask a checker only with --option, --threads, --limit, --all, --patterns and "
                      "--no-session-order, and not with %s",
                      label, word);
        }
        w += takes && strchr(word, '=') == NULL;
    }
}

/* A suite may come from outside: it records databases that isolab starts itself, and runs no programs. */
static void refuse_recordings(iso_cli *cli, const char *const *words, const char *what) {
    static const char *const allowed[] = {
        "spawn",  "level", "workload",     "sessions", "txns",    "keys",  "ops",    "reads",       "seed", "retries",
        "aborts", "mix",   "distribution", "seconds",  "durable", "pause", "faults", "fault-every", NULL};
    if (strcmp(words[0], "collect") != 0) {
        return;
    }
    if (words[1] == NULL || words[1][0] == '-' || strcmp(words[1], "exec") == 0) {
        iso_throw(&cli->env, ISOLAB_E_INPUT, "%s: expected the name of a database after collect: (and not exec)", what);
    }
    for (size_t w = 2; words[w] != NULL; w++) {
        const char *name = words[w];
        if (name[0] == '-' && strcmp(name, "-l") != 0 && strcmp(name, "-w") != 0 && !is_allowed(name, allowed)) {
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
        refuse_other_questions(cli, &suite->contenders[i].words, suite->contenders[i].label);
    }
}

void iso_cli_know_suite(iso_cli *cli, const iso_lab *lab, const iso_suite *suite, bool plan) {
    know_checkers(cli, lab, suite, plan);
    know_commands(cli, lab, suite);
}
