/* Parameters as options. See params.h. */
#include "cli/params.h"

#include <string.h>

#include "base/print.h"

const char *iso_cli_first_word(int argc, char **argv) { return argc > 0 && argv[0][0] != '-' ? argv[0] : NULL; }

static const char *help_of(iso_pool *pool, const iso_param *p) {
    size_t size = strlen(p->help) + strlen(p->initial) + 16;
    char *text = iso_alloc(pool, size, 1);
    snprintf(text, size, "%s (%s)", p->help, p->initial[0] != '\0' ? p->initial : "none");
    return text;
}

iso_command *iso_cli_with_params(iso_cli *cli, const iso_command *command, const iso_args *args) {
    size_t n = 0, own = 0;
    while (command->options[own].name != NULL) {
        own++;
    }
    iso_option *options = ISO_ZNEW(&cli->pool, iso_option, own + ISO_CLI_PARAMS + 1);
    for (unsigned t = 0; t < ISO_PARAM_TABLES && args->table[t] != NULL; t++) {
        for (const iso_param *p = args->table[t]; p->name != NULL; p++) {
            if (iso_args_find(args, p->name) != p || n == ISO_CLI_PARAMS) {
                continue; /* hidden by an earlier table */
            }
            bool level = strcmp(p->name, "level") == 0;
            options[n] = (iso_option){level ? 'l' : 0,
                                      p->name,
                                      p->kind == ISO_PARAM_INT    ? "N"
                                      : p->kind == ISO_PARAM_REAL ? "X"
                                      : level                     ? "LEVEL"
                                      : p->kind == ISO_PARAM_WORD ? "WORD"
                                                                  : "TEXT",
                                      help_of(&cli->pool, p),
                                      ISO_TEXT,
                                      offsetof(iso_cli_params, text) + n * sizeof(const char *),
                                      level ? ISO_OF_LEVELS : ISO_OF_WORDS,
                                      level ? NULL : p->words};
            n++;
        }
    }
    memcpy(options + n, command->options, (own + 1) * sizeof *options);
    iso_command *copy = ISO_NEW(&cli->pool, iso_command, 1);
    *copy = *command;
    copy->options = options;
    return copy;
}

void iso_cli_set_params(iso_cli *cli, const iso_cli_params *values, iso_args *args) {
    size_t n = 0;
    args->strict = true;
    for (unsigned t = 0; t < ISO_PARAM_TABLES && args->table[t] != NULL; t++) {
        for (const iso_param *p = args->table[t]; p->name != NULL; p++) {
            if (iso_args_find(args, p->name) != p || n == ISO_CLI_PARAMS) {
                continue;
            }
            const char *text = values->text[n++];
            if (text != NULL && strcmp(p->name, "level") == 0) {
                text = iso_level_get(iso_cli_level(cli, text))->name; /* it may be an alias */
            }
            if (text != NULL) {
                iso_args_set(args, p->name, text);
            }
        }
    }
}

void iso_cli_list_params(iso_json *j, const iso_param *table) {
    for (const iso_param *p = table; p != NULL && p->name != NULL; p++) {
        if (j == NULL) {
            iso_say(stdout, "%15s--%-13s %s (%s)%s%s\n", "", p->name, p->help,
                    p->initial[0] != '\0' ? p->initial : "none", p->words != NULL ? ": " : "",
                    p->words != NULL ? p->words : "");
            continue;
        }
        iso_json_open(j, NULL, '{');
        iso_json_text(j, "name", p->name);
        iso_json_text(j, "default", p->initial);
        if (p->words != NULL) {
            iso_json_text(j, "words", p->words);
        }
        iso_json_text(j, "help", p->help);
        iso_json_close(j, '}');
    }
}
