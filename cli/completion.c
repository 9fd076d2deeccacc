/* `isolab completion`: completion for bash and zsh, made from the tables. */
#include <string.h>

#include "cli/command.h"

static void print_word(void *arg, const char *word) {
    (void)arg;
    printf(" %s", word);
}

static void bash_words(const iso_option *o) {
    for (; o != NULL && o->name != NULL; o++) {
        printf(" --%s", o->name);
        if (o->letter != 0) {
            printf(" -%c", o->letter);
        }
    }
}

/* The cases of the word before the cursor that want a certain argument. */
static void bash_arguments(const iso_option *o) {
    for (; o != NULL && o->name != NULL; o++) {
        if (o->argument == NULL) {
            continue;
        }
        printf("        --%s", o->name);
        if (o->letter != 0) {
            printf(" | -%c", o->letter);
        }
        if (o->of == ISO_OF_FILES) {
            printf(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
        } else {
            printf(") COMPREPLY=($(compgen -W '");
            iso_each_word(o->of, o->words, print_word, NULL);
            printf("' -- \"$word\")); return ;;\n");
        }
    }
}

static void bash(void) {
    printf("# bash completion for isolab; made by `isolab completion bash`\n_isolab() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    iso_each_word(ISO_OF_COMMANDS, "help --help --version", print_word, NULL);
    printf("' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    printf("    help) COMPREPLY=($(compgen -W '");
    iso_each_word(ISO_OF_COMMANDS, NULL, print_word, NULL);
    printf("' -- \"$word\")) ;;\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        const iso_command *c = e->command;
        printf("    %s)\n        case $before in\n", e->name);
        bash_arguments(c->options);
        bash_arguments(iso_common_options);
        printf("        esac\n        case $word in\n        -*) COMPREPLY=($(compgen -W '");
        bash_words(c->options);
        bash_words(iso_common_options);
        printf("' -- \"$word\")) ;;\n");
        if (c->of == ISO_OF_FILES) {
            printf("        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n");
        } else {
            printf("        *) COMPREPLY=($(compgen -W '");
            iso_each_word(c->of, c->words, print_word, NULL);
            printf("' -- \"$word\")) ;;\n");
        }
        printf("        esac\n        ;;\n");
    }
    printf("    esac\n}\ncomplete -o filenames -F _isolab isolab\n");
}

/* A description within '...[...]': no quotes, brackets or colons. */
static void zsh_text(const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            printf("'\\''");
        } else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') {
            printf("\\%c", *text);
        } else {
            putchar(*text);
        }
    }
}

static void zsh_values(iso_option_of of, const char *words) {
    if (of == ISO_OF_FILES) {
        printf("_files");
    } else if (of != ISO_OF_WORDS || words != NULL) {
        printf("(");
        iso_each_word(of, words, print_word, NULL);
        printf(" )");
    } else {
        printf(" ");
    }
}

static void zsh_options(const iso_option *o) {
    for (; o != NULL && o->name != NULL; o++) {
        for (int form = o->letter != 0 ? 0 : 1; form < 2; form++) {
            printf(" \\\n            '%s", o->kind == ISO_LIST ? "*" : "");
            if (form == 0) {
                printf("-%c[", o->letter);
            } else {
                printf("--%s%s[", o->name, o->argument != NULL ? "=" : "");
            }
            zsh_text(o->help);
            printf("]");
            if (o->argument != NULL) {
                printf(":%s:", o->argument);
                zsh_values(o->of, o->words);
            }
            printf("'");
        }
    }
}

static void zsh(void) {
    printf("#compdef isolab\n# zsh completion for isolab; made by `isolab completion zsh`\n_isolab() {\n"
           "    if (( CURRENT == 2 )); then\n        local -a commands=(\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        printf("            '%s:", e->name);
        zsh_text(e->command->summary);
        printf("'\n");
    }
    printf("        )\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        const iso_command *c = e->command;
        printf("    %s)\n        _arguments -s", e->name);
        zsh_options(c->options);
        zsh_options(iso_common_options);
        if (c->most != 0) {
            printf(" \\\n            '*:operand:");
            zsh_values(c->of, c->words);
            printf("'");
        }
        printf("\n        ;;\n");
    }
    printf("    esac\n}\n_isolab \"$@\"\n");
}

static int run(iso_cli *cli, const void *values, int n, char **operands) {
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
    .run = run,
};
