/* Parses the command line by the tables. See command.h. */
#include <string.h>

#include "cli/command.h"
#include "experiments/asking/adapters.h"

static const iso_option of_every_command[] = {
    {ISO_FLAG("help", "no", "print this help"), .letter = 'h', ISO_TO(iso_cli, help)},
    {ISO_SECONDS("timeout", NULL, "end after S seconds (or 5m, 1h); questions without an answer by then stay unknown"),
     ISO_TO(iso_cli, timeout)},
    {ISO_SIZE("memory", NULL, 1, "use at most SIZE bytes (suffixes K, M, G; default: most of the machine's memory)"),
     ISO_TO(iso_cli, memory)},
    ISO_END};

const iso_command iso_common = {.options = of_every_command};

void iso_each_option(const iso_command *command, void (*each)(void *arg, const iso_option *o), void *arg) {
    if (command->args != NULL) {
        iso_args_each(command->args, each, arg);
    }
    for (const iso_option *o = command->options; o != NULL && o->name != NULL; o++) {
        each(arg, o);
    }
}

const char *iso_cli_first_word(int argc, char **argv) { return argc > 0 && argv[0][0] != '-' ? argv[0] : NULL; }

iso_command *iso_command_with(iso_cli *cli, const iso_command *command, iso_args *args) {
    iso_command *copy = ISO_NEW(&cli->pool, iso_command, 1);
    *copy = *command;
    copy->args = args;
    args->strict = true;
    return copy;
}

/* An option by its name, or by its letter if name is NULL. */
typedef struct wanted {
    const char *name;
    size_t n; /* length of name */
    char letter;
    const iso_option *found;
} wanted;

static void look_at(void *arg, const iso_option *o) {
    wanted *w = arg;
    bool same =
        w->name != NULL ? strlen(o->name) == w->n && memcmp(o->name, w->name, w->n) == 0 : o->letter == w->letter;
    w->found = same && w->found == NULL ? o : w->found;
}

typedef struct membership {
    const char *word;
    bool found;
} membership;

static void member(void *arg, const char *word) {
    membership *m = arg;
    m->found |= strcmp(m->word, word) == 0;
}

/* Tests that a checker or format exists. iso_cli_level() reads levels, which have aliases. */
static void must_exist(iso_cli *cli, const iso_option *o, const char *text) {
    if (o->kind != ISO_IS_TEXT || (o->of != ISO_OF_CHECKERS && o->of != ISO_OF_FORMATS)) {
        return;
    }
    if (o->of == ISO_OF_CHECKERS && iso_adapter_name(text) != NULL) {
        return; /* a foreign one: its adapter is looked for later, and refused where none can be asked */
    }
    membership m = {text, false};
    iso_each_word(o->of, o->words, member, &m);
    if (!m.found) {
        char hint[128];
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s: there is no %s \"%s\"%s", o->name,
                  o->of == ISO_OF_CHECKERS ? "checker" : "format", text, iso_did_you_mean(text, o->of, o->words, hint));
    }
}

/* values: the structure with the fields; NULL: the option belongs to args. */
static void set(iso_cli *cli, const iso_option *o, iso_args *args, void *values, const char *text) {
    char why[512];
    must_exist(cli, o, text);
    if (o->of == ISO_OF_SOME_LEVELS) { /* it may be an alias */
        text = iso_level_get(iso_cli_level(cli, text))->name;
    }
    if (values == NULL) {
        iso_args_set(args, o->name, text);
        return;
    }
    if (o->kind == ISO_IS_LIST && iso_cli_given(cli, o->name)) {
        text = iso_format_text(&cli->pool, "%s,%s", *(const char **)((char *)values + o->offset), text);
    }
    if (!iso_option_set(o, text, values, why, sizeof why)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s: %s", o->name, why);
    }
}

/* The names of all options, with dashes. */
typedef struct names {
    char text[4096];
    size_t used;
} names;

static void add_name(void *arg, const iso_option *o) {
    names *n = arg;
    if (n->used < sizeof n->text - 64) {
        n->used += (size_t)snprintf(n->text + n->used, sizeof n->text - n->used, "--%.60s ", o->name);
    }
}

static _Noreturn void unknown(iso_cli *cli, const iso_command *command, const char *arg, size_t n) {
    names all = {.used = 0};
    char name[128], hint[128];
    iso_each_option(command, add_name, &all);
    iso_each_option(&iso_common, add_name, &all);
    snprintf(name, sizeof name, "%.*s", (int)(n > 100 ? 100 : n), arg);
    iso_throw(&cli->env, ISOLAB_E_USAGE, "unknown option %s%s", name,
              iso_did_you_mean(name, ISO_OF_WORDS, all.text, hint));
}

bool iso_cli_given(const iso_cli *cli, const char *option) {
    for (size_t i = 0; i < cli->n_given; i++) {
        if (strcmp(cli->given[i], option) == 0) {
            return true;
        }
    }
    return false;
}

void iso_cli_refuse(iso_cli *cli, bool ignored, const char *option, const char *why) {
    if (ignored && iso_cli_given(cli, option)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s %s", option, why);
    }
}

/* Returns the first of the words (separated by spaces) that was given as an option, in name; NULL: none. */
static const char *first_given(const iso_cli *cli, const char *words, char name[64]) {
    for (const char *at = words; *at != '\0';) {
        size_t n = strcspn(at, " ");
        snprintf(name, 64, "%.*s", (int)n, at);
        if (iso_cli_given(cli, name)) {
            return name;
        }
        at += n + (at[n] == ' ');
    }
    return NULL;
}

/* Refuses options that would be ignored: an option that needs another one, or excludes one that was given. */
static void refuse_ignored(iso_cli *cli, const iso_command *command) {
    char name[64];
    for (const iso_need *need = command->needs; need != NULL && need->option != NULL; need++) {
        if (!iso_cli_given(cli, need->option)) {
            continue;
        }
        if (need->needs != NULL && first_given(cli, need->needs, name) == NULL) {
            const char *other = strchr(need->needs, ' ');
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s needs --%.*s%s%s", need->option, (int)strcspn(need->needs, " "),
                      need->needs, other != NULL ? " or --" : "", other != NULL ? other + 1 : "");
        }
        if (need->without != NULL && first_given(cli, need->without, name) != NULL) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s does not go with --%s", need->option, name);
        }
    }
}

/* Parses the option at argument *i, and moves *i to its last argument. */
static void take_option(iso_cli *cli, const iso_command *command, void *values, int argc, char **argv, int *i) {
    char *arg = argv[*i];
    bool is_long = arg[1] == '-';
    const char *name = is_long ? arg + 2 : NULL;
    size_t length = is_long ? strcspn(name, "=") : 0;
    wanted w = {name, length, arg[1], NULL};
    iso_each_option(command, look_at, &w);
    bool common = w.found == NULL;
    if (common) {
        iso_each_option(&iso_common, look_at, &w);
    }
    const iso_option *o = w.found;
    if (o == NULL) {
        unknown(cli, command, arg, is_long ? length + 2 : 2);
    }
    const char *text = is_long ? name + length + (name[length] == '=') : arg + 2, *argument = iso_option_argument(o);
    bool given = is_long ? name[length] == '=' : *text != '\0';
    if (argument == NULL && given) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s takes no argument", o->name);
    }
    if (argument != NULL && !given && ++*i == argc) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s needs an argument (%s)", o->name, argument);
    }
    bool by_name = command->args != NULL && iso_args_find(command->args, o->name) == o;
    set(cli, o, command->args,
        common    ? (void *)cli
        : by_name ? NULL
                  : values,
        argument == NULL ? "yes"
        : given          ? text
                         : argv[*i]);
    cli->given[cli->n_given++] = o->name;
}

int iso_parse(iso_cli *cli, const iso_command *command, void *values, int argc, char **argv) {
    int n = 0;
    bool only_operands = false;
    cli->given = ISO_NEW(&cli->pool, const char *, (size_t)argc + 1);
    cli->n_given = 0;
    iso_option_defaults(command->options, values);
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        if (only_operands || arg[0] != '-' || arg[1] == '\0') {
            argv[n++] = arg;
        } else if (strcmp(arg, "--") == 0) {
            only_operands = true;
        } else {
            take_option(cli, command, values, argc, argv, &i);
        }
    }
    if (!cli->help && n < command->least) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "expected %s", command->operands);
    }
    if (!cli->help && command->most >= 0 && n > command->most) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "one operand too many: \"%s\"", argv[command->most]);
    }
    if (!cli->help) {
        refuse_ignored(cli, command);
    }
    return n;
}

iso_level iso_cli_level(iso_cli *cli, const char *name) {
    const char *why;
    iso_level level = iso_level_find(name, &why);
    if (level == ISO_NO_LEVEL) {
        char hint[128];
        if (why != NULL) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "%s", why);
        }
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no level \"%s\"%s", name,
                  iso_did_you_mean(name, ISO_OF_LEVELS, NULL, hint));
    }
    return level;
}

const iso_checker *iso_cli_checker(iso_cli *cli, const char *name) {
    const iso_checker *checker = iso_checker_find(name);
    if (checker == NULL) {
        char hint[128];
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no checker \"%s\"%s", name,
                  iso_did_you_mean(name, ISO_OF_CHECKERS, NULL, hint));
    }
    return checker;
}

const iso_format *iso_cli_format(iso_cli *cli, const char *name) {
    const iso_format *format = name == NULL ? NULL : iso_format_find(name);
    if (format == NULL && name != NULL) {
        char hint[128];
        iso_throw(&cli->env, ISOLAB_E_USAGE, "there is no format \"%s\"%s", name,
                  iso_did_you_mean(name, ISO_OF_FORMATS, NULL, hint));
    }
    return format;
}

const char *iso_cli_output_option(const char *const *words) {
    const iso_command_entry *entry = iso_commands;
    while (strcmp(entry->name, words[0]) != 0) {
        entry++;
    }
    for (size_t i = 1; words[i] != NULL; i++) {
        if (strcmp(words[0], "reduce") == 0 && strcmp(words[i], "save") == 0) { /* of the language of graphs */
            return words[i];
        }
        for (const iso_option *o = entry->command->options; words[i][0] == '-' && o->name != NULL; o++) {
            bool is_long = words[i][1] == '-';
            size_t n = is_long ? strcspn(words[i] + 2, "=") : 0;
            bool same =
                is_long ? strlen(o->name) == n && memcmp(o->name, words[i] + 2, n) == 0 : o->letter == words[i][1];
            if (same && o->of == ISO_OF_OUTPUTS) {
                return words[i];
            }
        }
    }
    return NULL;
}
