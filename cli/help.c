/* Prints the help from the tables. See command.h. */
#include <string.h>

#include "base/print.h"
#include "cli/command.h"

/* Prints the words of a text in lines of at most WIDTH columns that begin with `indent` spaces; the first line already
 * has `column` columns. */
#define WIDTH 96
static void wrapped(FILE *out, const char *text, int indent, int at) {
    while (*text != '\0') {
        size_t n = strcspn(text, " \n");
        if (at > indent && at + 1 + (int)n > WIDTH) {
            iso_say(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            iso_say(out, " ");
            at++;
        }
        iso_say(out, "%.*s", (int)n, text);
        at += (int)n;
        text += n;
        if (*text == '\n') {
            iso_say(out, "\n%*s", indent, "");
            at = indent;
        }
        text += *text != '\0';
    }
    iso_say(out, "\n");
}

static void print_word(void *arg, const char *word) { iso_say(arg, " %s", word); }

static void print_option(void *arg, const iso_option *o) {
    FILE *out = arg;
    char left[64], letter[8] = "", note[256], help[1024];
    const char *argument = iso_option_argument(o);
    if (o->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    }
    int n = snprintf(left, sizeof left, "  %4s--%s%s%s", letter, o->name, argument != NULL ? " " : "",
                     argument != NULL ? argument : "");
    iso_say(out, "%-30s", left);
    if (n > 29) {
        iso_say(out, "\n%30s", "");
    }
    snprintf(help, sizeof help, "%s%s", o->help, iso_option_note(o, true, note, sizeof note));
    wrapped(out, help, 30, 30);
    if (o->of == ISO_OF_LEVELS || o->of == ISO_OF_CHECKERS || o->of == ISO_OF_FORMATS || o->words != NULL) {
        iso_say(out, "%30sone of:", "");
        iso_each_word(o->of, o->words, print_word, out);
        iso_say(out, "\n");
    }
}

static void print_examples(FILE *out, const char *examples) {
    while (examples != NULL && *examples != '\0') {
        size_t n = strcspn(examples, "\n");
        iso_say(out, "  %.*s\n", (int)n, examples);
        examples += n + (examples[n] == '\n');
    }
}

const char iso_exit_statuses[] =
    "0 satisfied (or done), 1 violated, 2 unknown, 64 wrong use, 65 malformed input, 70 internal error, 74 reading or "
    "writing failed; ended by SIGPIPE (141 in a shell) if the reader of its output stops.";

void iso_help(FILE *out, const iso_command_entry *entry) {
    const iso_command *c = entry->command;
    iso_say(out, "isolab %s: %s\n\nUsage: isolab %s [OPTION]...%s%s\n", entry->name, c->summary, entry->name,
            c->operands != NULL ? " " : "", c->operands != NULL ? c->operands : "");
    if (c->details != NULL) {
        iso_say(out, "\n");
        wrapped(out, c->details, 0, 0);
    }
    iso_say(out, "\nOptions:\n");
    iso_each_option(c, print_option, out);
    iso_each_option(&iso_common, print_option, out);
    if (c->examples != NULL) {
        iso_say(out, "\nExamples:\n");
        print_examples(out, c->examples);
    }
    iso_say(out, "\nExit status:");
    wrapped(out, iso_exit_statuses, 0, 12);
}

void iso_help_all(FILE *out) {
    iso_say(out,
            "isolab %s: does this history satisfy this isolation level?\n\n"
            "Usage: isolab COMMAND [OPTION]... [OPERAND]...\n\nCommands:\n",
            ISOLAB_VERSION);
    for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
        iso_say(out, "  %-12s %s\n", e->name, e->command->summary);
    }
    iso_say(out, "\n`isolab COMMAND --help` lists the options and gives examples.  `isolab --version` prints the "
                 "version.\n");
}
