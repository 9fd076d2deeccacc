/* `isolab completion`: completion for bash and zsh, made from the tables. */
#include <string.h>

#include "base/print.h"
#include "cli/command.h"

static void print_word(void *arg, const char *word) {
    (void)arg;
    iso_say(stdout, " %s", word);
}

static void bash_word(void *arg, const iso_option *o) {
    (void)arg;
    iso_say(stdout, " --%s", o->name);
    if (o->letter != 0) {
        iso_say(stdout, " -%c", o->letter);
    }
}

/* Prints the case of a word before the cursor that needs a certain argument. */
static void bash_argument(void *arg, const iso_option *o) {
    (void)arg;
    if (iso_option_argument(o) == NULL) {
        return;
    }
    iso_say(stdout, "        --%s", o->name);
    if (o->letter != 0) {
        iso_say(stdout, " | -%c", o->letter);
    }
    if (o->of == ISO_OF_FILES || o->of == ISO_OF_OUTPUTS) {
        iso_say(stdout, ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
    } else {
        iso_say(stdout, ") COMPREPLY=($(compgen -W '");
        iso_each_word(o->of, o->words, print_word, NULL);
        iso_say(stdout, "' -- \"$word\")); return ;;\n");
    }
}

static void bash(void) {
    iso_say(stdout, "# bash completion for isolab; made by `isolab completion bash`\n_isolab() {\n"
                    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    iso_each_word(ISO_OF_COMMANDS, "help --help --version", print_word, NULL);
    iso_say(stdout, "' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    iso_say(stdout, "    help) COMPREPLY=($(compgen -W '");
    iso_each_word(ISO_OF_COMMANDS, NULL, print_word, NULL);
    iso_say(stdout, "' -- \"$word\")) ;;\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        const iso_command *c = e->command;
        iso_say(stdout, "    %s)\n        case $before in\n", e->name);
        iso_each_option(c, bash_argument, NULL);
        iso_each_option(&iso_common, bash_argument, NULL);
        iso_say(stdout, "        esac\n        case $word in\n        -*) COMPREPLY=($(compgen -W '");
        iso_each_option(c, bash_word, NULL);
        iso_each_option(&iso_common, bash_word, NULL);
        iso_say(stdout, "' -- \"$word\")) ;;\n");
        if (c->of == ISO_OF_FILES) {
            iso_say(stdout, "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n");
        } else {
            iso_say(stdout, "        *) COMPREPLY=($(compgen -W '");
            iso_each_word(c->of, c->words, print_word, NULL);
            iso_say(stdout, "' -- \"$word\")) ;;\n");
        }
        iso_say(stdout, "        esac\n        ;;\n");
    }
    iso_say(stdout, "    esac\n}\ncomplete -o filenames -F _isolab isolab\n");
}

/* Prints a description inside '...[...]', without quotes, brackets and colons. */
static void zsh_text(const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            iso_say(stdout, "'\\''");
        } else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') {
            iso_say(stdout, "\\%c", *text);
        } else {
            iso_say(stdout, "%c", *text);
        }
    }
}

static void zsh_values(iso_option_of of, const char *words) {
    if (of == ISO_OF_FILES || of == ISO_OF_OUTPUTS) {
        iso_say(stdout, "_files");
    } else if (of != ISO_OF_WORDS || words != NULL) {
        iso_say(stdout, "(");
        iso_each_word(of, words, print_word, NULL);
        iso_say(stdout, " )");
    } else {
        iso_say(stdout, " ");
    }
}

static void zsh_option(void *arg, const iso_option *o) {
    (void)arg;
    const char *argument = iso_option_argument(o);
    for (int form = o->letter != 0 ? 0 : 1; form < 2; form++) {
        iso_say(stdout, " \\\n            '%s", o->kind == ISO_IS_LIST ? "*" : "");
        if (form == 0) {
            iso_say(stdout, "-%c[", o->letter);
        } else {
            iso_say(stdout, "--%s%s[", o->name, argument != NULL ? "=" : "");
        }
        zsh_text(o->help);
        iso_say(stdout, "]");
        if (argument != NULL) {
            iso_say(stdout, ":%s:", argument);
            zsh_values(o->of, o->words);
        }
        iso_say(stdout, "'");
    }
}

static void zsh(void) {
    iso_say(stdout, "#compdef isolab\n# zsh completion for isolab; made by `isolab completion zsh`\n_isolab() {\n"
                    "    if (( CURRENT == 2 )); then\n        local -a commands=(\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        iso_say(stdout, "            '%s:", e->name);
        zsh_text(e->command->summary);
        iso_say(stdout, "'\n");
    }
    iso_say(stdout, "        )\n        _describe command commands\n        return\n    fi\n"
                    "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        const iso_command *c = e->command;
        iso_say(stdout, "    %s)\n        _arguments -s", e->name);
        iso_each_option(c, zsh_option, NULL);
        iso_each_option(&iso_common, zsh_option, NULL);
        if (c->most != 0) {
            iso_say(stdout, " \\\n            '*:operand:");
            zsh_values(c->of, c->words);
            iso_say(stdout, "'");
        }
        iso_say(stdout, "\n        ;;\n");
    }
    iso_say(stdout, "    esac\n}\n_isolab \"$@\"\n");
}

static int run_completion(iso_cli *cli, const void *values, int n, char **operands) {
    (void)values, (void)n;
    if (strcmp(operands[0], "bash") == 0) {
        bash();
    } else if (strcmp(operands[0], "zsh") == 0) {
        zsh();
    } else {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "expected bash or zsh, found \"%s\"", operands[0]);
    }
    return ISOLAB_OK;
}

const iso_command iso_command_completion = {
    .summary = "prints the completion script of a shell",
    .operands = "bash|zsh",
    .least = 1,
    .most = 1,
    .of = ISO_OF_WORDS,
    .words = "bash zsh",
    .examples = "isolab completion bash >~/.local/share/bash-completion/completions/isolab\n"
                "isolab completion zsh >~/.zfunc/_isolab",
    .run = run_completion,
};
