/* `isolab man`: the manual page, in the man macros, made from the tables. */
#include <string.h>

#include "cli/command.h"

/* Text with what troff reads as its own made harmless. */
static void troff(const char *text, const char *end) {
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\'')) {
            printf("\\&");
        }
        line_start = *text == '\n';
        if (*text == '\\') {
            printf("\\e");
        } else if (*text == '-') {
            printf("\\-");
        } else if (*text == '`') { /* `code` in bold */
            const char *quote = strchr(text + 1, '`');
            if (quote == NULL) {
                putchar('`');
                continue;
            }
            printf("\\fB");
            for (text++; text < quote; text++) {
                printf(*text == '-' ? "\\-" : *text == '\\' ? "\\e" : "%c", *text);
            }
            printf("\\fR");
        } else {
            putchar(*text);
        }
    }
    puts(end);
}

static void word(void *arg, const char *name) {
    bool *first = arg;
    printf("%s", *first ? "One of:\n" : ",\n");
    *first = false;
    printf("\\fB");
    for (; *name != '\0'; name++) {
        printf(*name == '-' ? "\\-" : "%c", *name);
    }
    printf("\\fR");
}

static void options(const iso_option *o) {
    for (; o != NULL && o->name != NULL; o++) {
        printf(".TP\n\\fB");
        if (o->letter != 0) {
            printf("\\-%c\\fR, \\fB", o->letter);
        }
        printf("\\-\\-");
        for (const char *c = o->name; *c != '\0'; c++) {
            printf(*c == '-' ? "\\-" : "%c", *c);
        }
        printf("\\fR");
        if (o->argument != NULL) {
            printf(" \\fI%s\\fR", o->argument);
        }
        putchar('\n');
        troff(o->help, ".");
        if (o->of == ISO_OF_LEVELS || o->of == ISO_OF_CHECKERS || o->of == ISO_OF_FORMATS || o->words != NULL) {
            bool first = true;
            iso_each_word(o->of, o->words, word, &first);
            printf("%s", first ? "" : ".\n");
        }
    }
}

static int run(iso_cli *cli, const void *values, int n, char **operands) {
    (void)cli, (void)values, (void)n, (void)operands;
    printf(".TH ISOLAB 1 \"\" \"isolab %s\" \"User Commands\"\n", ISOLAB_VERSION);
    printf(".SH NAME\nisolab \\- checks histories of transactions against isolation levels\n");
    printf(".SH SYNOPSIS\n.B isolab\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n");
    printf(".SH DESCRIPTION\n");
    troff("Answers whether a history, that is what the clients of a database saw, satisfies an isolation level, with "
          "several independent checkers.", "");
    printf(".SH COMMANDS\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        const iso_command *c = e->command;
        printf(".SS \"isolab %s [OPTION]...%s%s\"\n", e->name, c->operands != NULL ? " " : "",
               c->operands != NULL ? c->operands : "");
        printf("This command ");
        troff(c->summary, ".");
        if (c->details != NULL) {
            printf(".PP\n");
            troff(c->details, "");
        }
        options(c->options);
        if (c->examples != NULL) {
            printf(".PP\nExamples:\n.PP\n.nf\n");
            troff(c->examples, "");
            printf(".fi\n");
        }
    }
    printf(".SH OPTIONS OF EVERY COMMAND\n");
    options(iso_common_options);
    printf(".SH LEVELS\n");
    for (int l = 0; l < ISO_LEVELS; l++) {
        const iso_level_info *info = iso_level_get((iso_level)l);
        printf(".TP\n\\fB%s\\fR (%s)\n", info->name, info->title);
        troff(info->meaning, "");
    }
    printf(".SH EXIT STATUS\n");
    troff(iso_exit_statuses, "");
    printf(".SH SEE ALSO\n.BR isolab-verify (1)\n");
    return ISOLAB_OK;
}

const iso_command iso_command_man = {
    .summary = "prints the manual page",
    .examples = "isolab man | man -l -",
    .run = run,
};
