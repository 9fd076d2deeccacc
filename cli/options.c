/* Reading the command line by the tables. See command.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

const iso_option iso_common_options[] = {
    {'h', "help", NULL, "print this help", ISO_FLAG, offsetof(iso_cli, help), ISO_OF_WORDS, NULL},
    {0, "timeout", "S", "end after S seconds; what is not known by then stays unknown", ISO_SECONDS,
     offsetof(iso_cli, timeout), ISO_OF_WORDS, NULL},
    {0, "memory", "SIZE", "use at most SIZE bytes (suffixes K, M, G; default: most of what the machine has)", ISO_SIZE,
     offsetof(iso_cli, memory), ISO_OF_WORDS, NULL},
    ISO_END};

/* The option called name (n characters), or with the letter if name is NULL. */
static const iso_option *find(const iso_option *table, const char *name, size_t n, char letter) {
    for (const iso_option *o = table; o != NULL && o->name != NULL; o++) {
        if (name != NULL ? strlen(o->name) == n && memcmp(o->name, name, n) == 0 : o->letter == letter) {
            return o;
        }
    }
    return NULL;
}

static uint64_t parse_count(iso_cli *cli, const iso_option *o, const char *text, const char *suffixes) {
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    bool good = errno == 0 && end != text && text[0] >= '0' && text[0] <= '9';
    unsigned shift = 0;
    const char *suffix = good && *end != '\0' ? strchr(suffixes, *end & ~0x20) : NULL;
    if (suffix != NULL) {
        shift = 10 * ((unsigned)(suffix - suffixes) + 1);
        end++;
    }
    if (!good || *end != '\0' || (n << shift) >> shift != n || (n == 0 && *suffixes != '\0')) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s: expected a %s, found \"%s\"", o->name,
                  *suffixes != '\0' ? "size such as 512M" : "whole number", text);
    }
    return (uint64_t)n << shift;
}

static double parse_real(iso_cli *cli, const iso_option *o, const char *text) {
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x)) {
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s: expected a number, found \"%s\"", o->name, text);
    }
    return x;
}

typedef struct membership {
    const char *word;
    bool found;
} membership;

static void member(void *arg, const char *word) {
    membership *m = arg;
    m->found |= strcmp(m->word, word) == 0;
}

/* Words, checkers and formats must exist; levels have aliases, and are read by iso_cli_level(). */
static void must_exist(iso_cli *cli, const iso_option *o, const char *text) {
    if (o->of == ISO_OF_FILES || o->of == ISO_OF_OUTPUTS || o->of == ISO_OF_LEVELS ||
        (o->of == ISO_OF_WORDS && o->words == NULL)) {
        return;
    }
    membership m = {text, false};
    iso_each_word(o->of, o->words, member, &m);
    if (!m.found) {
        char hint[128];
        if (o->of == ISO_OF_WORDS) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s: expected one of %s, found \"%s\"", o->name, o->words, text);
        }
        iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s: there is no %s \"%s\"%s", o->name,
                  o->of == ISO_OF_CHECKERS ? "checker" : "format", text, iso_did_you_mean(text, o->of, o->words, hint));
    }
}

static void set(iso_cli *cli, const iso_option *o, void *base, const char *text) {
    void *field = (char *)base + o->offset;
    switch (o->kind) {
    case ISO_FLAG:
        *(bool *)field = true;
        break;
    case ISO_TEXT:
        must_exist(cli, o, text);
        *(const char **)field = text;
        break;
    case ISO_LIST: {
        const char *old = *(const char **)field;
        if (old != NULL) {
            size_t room = strlen(old) + strlen(text) + 2;
            char *joined = iso_alloc(&cli->pool, room, 1);
            snprintf(joined, room, "%s,%s", old, text);
            text = joined;
        }
        *(const char **)field = text;
        break;
    }
    case ISO_COUNT:
        *(uint64_t *)field = parse_count(cli, o, text, "");
        break;
    case ISO_SIZE:
        *(uint64_t *)field = parse_count(cli, o, text, "KMGT");
        break;
    case ISO_REAL:
        *(double *)field = parse_real(cli, o, text);
        break;
    case ISO_SECONDS: {
        double seconds = parse_real(cli, o, text);
        if (seconds <= 0 || seconds > 1e9) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s: expected a number of seconds, found \"%s\"", o->name, text);
        }
        *(int64_t *)field = (int64_t)(seconds * 1e9) + 1;
        break;
    }
    }
}

static _Noreturn void unknown(iso_cli *cli, const iso_command *command, const char *arg, size_t n) {
    char words[4096] = "", name[128], hint[128];
    size_t used = 0;
    for (int table = 0; table < 2; table++) {
        const iso_option *o = table == 0 ? command->options : iso_common_options;
        for (; o != NULL && o->name != NULL && used < sizeof words - 64; o++) {
            used += (size_t)snprintf(words + used, sizeof words - used, "--%.60s ", o->name);
        }
    }
    snprintf(name, sizeof name, "%.*s", (int)(n > 100 ? 100 : n), arg);
    iso_throw(&cli->env, ISOLAB_E_USAGE, "unknown option %s%s", name,
              iso_did_you_mean(name, ISO_OF_WORDS, words, hint));
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

/* The first of the words (separated by spaces) that was given as an option, in name; NULL: none was. */
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

/* No option is ignored: what one needs must be there, and what it does not go with must not. */
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

int iso_parse(iso_cli *cli, const iso_command *command, void *values, int argc, char **argv) {
    int n = 0;
    bool only_operands = false;
    cli->given = ISO_NEW(&cli->pool, const char *, (size_t)argc + 1);
    cli->n_given = 0;
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        if (only_operands || arg[0] != '-' || arg[1] == '\0') {
            argv[n++] = arg;
            continue;
        }
        if (strcmp(arg, "--") == 0) {
            only_operands = true;
            continue;
        }
        bool is_long = arg[1] == '-';
        const char *name = is_long ? arg + 2 : NULL;
        size_t length = is_long ? strcspn(name, "=") : 0;
        void *base = values;
        const iso_option *o = find(command->options, name, length, arg[1]);
        if (o == NULL) {
            o = find(iso_common_options, name, length, arg[1]);
            base = cli;
        }
        if (o == NULL) {
            unknown(cli, command, arg, is_long ? length + 2 : 2);
        }
        const char *rest = is_long ? name + length + (name[length] == '=') : arg + 2;
        bool given = is_long ? name[length] == '=' : *rest != '\0';
        if (o->argument == NULL && given) {
            iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s takes no argument", o->name);
        }
        if (o->argument != NULL && !given) {
            if (++i == argc) {
                iso_throw(&cli->env, ISOLAB_E_USAGE, "--%s needs an argument (%s)", o->name, o->argument);
            }
            rest = argv[i];
        }
        set(cli, o, base, rest);
        cli->given[cli->n_given++] = o->name;
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
    if (level == ISO_LEVELS) {
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
