/* `isolab man`: prints the manual page, in the man macros, from the tables. */
#include <string.h>

#include "base/print.h"
#include "cli/command.h"

/* Prints the lines of a text, with `code` in bold, and with `end` after its last sentence. */
static void paragraph(iso_printer *out, const char *text, const char *end) {
    while (*text != '\0') {
        size_t n = strcspn(text, "`\n");
        const char *quote = text[n] == '`' ? strchr(text + n + 1, '`') : NULL;
        iso_print(out, "%.*s", (int)n, text);
        text += n;
        if (quote != NULL) {
            iso_print(out, "\\fB%.*s\\fR", (int)(quote - text - 1), text + 1);
            text = quote + 1;
        } else if (*text == '\n') {
            iso_print(out, "\n");
            text++;
        } else if (*text != '\0') {
            iso_print(out, "%c", *text++);
        }
    }
    iso_print(out, "%s\n", end);
}

typedef struct words {
    iso_printer *out;
    bool any;
} words;

static void word(void *arg, const char *name) {
    words *w = arg;
    iso_print_markup(w->out, w->any ? ISO_MARKUP(",\n") : ISO_MARKUP("One of:\n"));
    iso_print(w->out, "\\fB%s\\fR", name);
    w->any = true;
}

static void option(void *arg, const iso_option *o) {
    iso_printer *out = arg;
    const char *argument = iso_option_argument(o);
    char note[256];
    iso_print(out, ".TP\n\\fB");
    if (o->letter != 0) {
        iso_print(out, "\\-%c\\fR, \\fB", o->letter);
    }
    iso_print(out, "\\-\\-%s\\fR", o->name);
    if (argument != NULL) {
        iso_print(out, " \\fI%s\\fR", argument);
    }
    iso_print(out, "\n");
    iso_option_note(o, true, note, sizeof note);
    strcat(note, ".");
    paragraph(out, o->help, note);
    if (o->of == ISO_OF_LEVELS || o->of == ISO_OF_CHECKERS || o->of == ISO_OF_FORMATS || o->words != NULL) {
        words w = {out, false};
        iso_each_word(o->of, o->words, word, &w);
        if (w.any) {
            iso_print(out, ".\n");
        }
    }
}

static void command(iso_printer *out, const iso_command_entry *e) {
    const iso_command *c = e->command;
    iso_print(out, ".SS \"isolab %s [OPTION]...%s%s\"\nThis command ", e->name, c->operands != NULL ? " " : "",
              c->operands);
    paragraph(out, c->summary, ".");
    if (c->details != NULL) {
        iso_print(out, ".PP\n");
        paragraph(out, c->details, "");
    }
    iso_each_option(c, option, out);
    if (c->examples != NULL) {
        iso_print(out, ".PP\nExamples:\n.PP\n.nf\n");
        paragraph(out, c->examples, "");
        iso_print(out, ".fi\n");
    }
}

static int run_man(iso_cli *cli, const void *values, int n, char **operands) {
    (void)cli, (void)values, (void)n, (void)operands;
    iso_printer *out = &(iso_printer){.out = stdout, .target = ISO_ROFF};
    iso_print(out, ".TH ISOLAB 1 \"\" \"isolab %s\" \"User Commands\"\n", ISOLAB_VERSION);
    iso_print(out, ".SH NAME\nisolab \\- checks histories of transactions against isolation levels\n");
    iso_print(out, ".SH SYNOPSIS\n.B isolab\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n");
    iso_print(out, ".SH DESCRIPTION\n");
    paragraph(out,
              "Answers whether a history, that is what the clients of a database saw, satisfies an isolation level, "
              "with several independent checkers.",
              "");
    iso_print(out, ".SH COMMANDS\n");
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        command(out, e);
    }
    iso_print(out, ".SH OPTIONS OF EVERY COMMAND\n");
    iso_each_option(&iso_common, option, out);
    iso_print(out, ".SH LEVELS\n");
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_level_info *info = iso_level_get((iso_level)l);
        iso_print(out, ".TP\n\\fB%s\\fR (%s)\n", info->name, info->title);
        paragraph(out, info->meaning, "");
    }
    iso_print(out, ".SH EXIT STATUS\n");
    paragraph(out, iso_exit_statuses, "");
    iso_print(out, ".SH SEE ALSO\n.BR isolab-verify (1)\n");
    return ISOLAB_OK;
}

const iso_command iso_command_man = {
    .summary = "prints the manual page",
    .examples = "isolab man | man -l -",
    .run = run_man,
};
