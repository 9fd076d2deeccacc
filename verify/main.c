/* isolab-verify: is this certificate a proof about this history? */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/option.h"
#include "base/print.h"
#include "base/wrap.h"
#include "formats/format.h"
#include "history/initial.h"
#include "history/torn.h"
#include "verify/verify.h"

typedef struct arguments {
    const char *path[2]; /* the history and the certificate */
    int n;
    const char *format, *initial, *initial_transaction, *level, *verdict;
    int64_t timeout; /* ns; 0: none */
    uint64_t memory; /* 0: not given */
    bool explain, truncated;
    bool told; /* help or the version was asked for, and was written */
} arguments;

static const iso_option options[] = {
    {ISO_TEXT("format", NULL, "the format of the history (default: found out)"), .argument = "FORMAT",
     ISO_TO(arguments, format)},
    {ISO_TEXT("initial", NULL, "a value of the history that means initial, too: as for isolab check"),
     .argument = "VALUE", ISO_TO(arguments, initial)},
    {ISO_WORD("initial-transaction", "auto", "auto no yes",
              "is the first transaction the initial one? As for isolab check"),
     .argument = "WHEN", ISO_TO(arguments, initial_transaction)},
    {ISO_TEXT("level", NULL, "refuse a certificate about another level"), .argument = "LEVEL",
     ISO_TO(arguments, level)},
    {ISO_WORD("verdict", NULL, "satisfied violated", "refuse a certificate of another verdict"), .argument = "VERDICT",
     ISO_TO(arguments, verdict)},
    {ISO_SECONDS("timeout", NULL, "end after S seconds"), ISO_TO(arguments, timeout)},
    {ISO_SIZE("memory", NULL, 1, "use at most SIZE bytes (suffixes K, M, G; default: most of what the machine has)"),
     ISO_TO(arguments, memory)},
    ISO_END};

static const char help[] =
    "usage: isolab-verify [OPTION...] [--] HISTORY CERTIFICATE\n"
    "\n"
    "Checks a certificate that `isolab check --certificate CERTIFICATE` wrote, and prints one line: valid, or\n"
    "refused and why. One of the two files may be `-`, standard input; both may be compressed.\n";

static const char statuses[] =
    "  --explain        print the proof in words, too\n"
    "  --truncated      the history is cut off: as for isolab check\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 the certificate proves its verdict about the history, 1 it does not, 2 the time or the memory\n"
    "was not enough, 64 wrong usage, 65 malformed input, 74 a file cannot be read or the answer cannot be written.\n"
    "When the answer has no reader, the program is ended by SIGPIPE (141 in a shell).\n";

static void print_help(void) {
    iso_print_lines(&(iso_printer){.out = stdout}, help);
    iso_say(stdout, "\n");
    for (const iso_option *o = options; o->name != NULL; o++) {
        char note[64], takes[64];
        iso_say(stdout, "  --%s %s\n                   %s%s%s%s\n", o->name, iso_option_argument(o), o->help,
                o->words != NULL ? ": " : "", iso_option_values(o, takes, sizeof takes),
                iso_option_note(o, true, note, sizeof note));
    }
    iso_print_lines(&(iso_printer){.out = stdout}, statuses);
}

typedef struct input {
    iso_pool *pool;
    const arguments *given;
    const char *reading; /* for messages: the file that is being read */
    isolab_history *h;
    char *certificate;
    size_t size;
} input;

static void read_inputs(void *arg) {
    input *in = arg;
    in->reading = in->given->path[0];
    iso_reading how = {.initial = in->given->initial, .truncated = in->given->truncated};
    iso_initial_rule_of(in->given->initial_transaction, &how.rule);
    in->h =
        iso_load_as(in->pool, in->reading, in->given->format != NULL ? iso_format_find(in->given->format) : NULL, &how);
    in->reading = in->given->path[1];
    in->certificate = iso_source_text(in->pool, in->reading, 0, &in->size);
}

static void explain(void *arg) {
    const input *in = arg;
    iso_print_width(iso_window_columns(0));
    iso_verify_explain(stdout, in->pool, in->h, in->certificate, in->size);
    iso_print_width(0);
}

static int usage(const char *why, const char *what) {
    iso_say(stderr, "isolab-verify: %s%s\ntry `isolab-verify --help`\n", why, what);
    return ISOLAB_E_USAGE;
}

/* Returns the exit status: `code`, unless the answer could not be written. */
static int finish(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    iso_say(stderr, "isolab-verify: cannot write: %s\n", strerror(errno));
    return ISOLAB_E_IO;
}

static int print_error(const iso_env *env, int code, const char *file) {
    const isolab_error *e = &env->error;
    iso_say(stderr, "isolab-verify: %s:", e->file[0] != '\0' ? e->file : file);
    if (e->line != 0) {
        iso_say(stderr, "%" PRIu64 ":", e->line);
    }
    iso_say(stderr, " %s\n", e->message);
    return code;
}

/* ---- arguments ---- */

/* The value of an option that argument *i begins with: after `=`, or the next argument. NULL: another option. */
static const char *value(const char *option, int argc, char **argv, int *i) {
    size_t n = strlen(option);
    const char *a = argv[*i] + 2;
    if (strncmp(argv[*i], "--", 2) != 0 || strncmp(a, option, n) != 0 || (a[n] != '=' && a[n] != '\0')) {
        return NULL;
    }
    return a[n] == '=' ? a + n + 1 : *i + 1 < argc ? argv[++*i] : "";
}

static int take_option(arguments *given, int argc, char **argv, int *i) {
    char why[256], text[320];
    const iso_option *o = options;
    const char *said = NULL;
    while (o->name != NULL && (said = value(o->name, argc, argv, i)) == NULL) {
        o++;
    }
    if (o->name == NULL) {
        return usage("unknown option ", argv[*i]);
    }
    if (!iso_option_set(o, said, given, why, sizeof why)) {
        snprintf(text, sizeof text, "--%s: %s", o->name, why);
        return usage(text, "");
    }
    if (strcmp(o->name, "format") == 0 && iso_format_find(said) == NULL) {
        return usage("no such format: ", *said != '\0' ? said : "(none given)");
    }
    const char *why_level = NULL;
    if (strcmp(o->name, "level") == 0) {
        iso_level level = iso_level_find(said, &why_level);
        if (level == ISO_NO_LEVEL) {
            return usage("no such level: ", *said != '\0' ? said : "(none given)");
        }
        given->level = iso_level_get(level)->name;
    }
    return ISOLAB_OK;
}

static int read_arguments(arguments *given, int argc, char **argv) {
    bool are_options = true;
    for (int i = 1; i < argc && !given->told; i++) {
        const char *a = argv[i];
        if (are_options && strcmp(a, "--") == 0) {
            are_options = false;
        } else if (are_options && (strcmp(a, "--help") == 0 || strcmp(a, "--version") == 0)) {
            if (a[2] == 'h') {
                print_help();
            } else {
                iso_print_lines(&(iso_printer){.out = stdout}, "isolab-verify " ISOLAB_VERSION);
            }
            given->told = true;
        } else if (are_options && strcmp(a, "--explain") == 0) {
            given->explain = true;
        } else if (are_options && strcmp(a, "--truncated") == 0) {
            given->truncated = true;
        } else if (are_options && a[0] == '-' && a[1] != '\0') {
            int code = take_option(given, argc, argv, &i);
            if (code != ISOLAB_OK) {
                return code;
            }
        } else if (given->n == 2) {
            return usage("more than two files: ", a);
        } else {
            given->path[given->n++] = a;
        }
    }
    if (!given->told && given->n < 2) {
        return usage("a history and a certificate are needed", "");
    }
    bool both = given->n == 2 && strcmp(given->path[0], "-") == 0 && strcmp(given->path[1], "-") == 0;
    return both ? usage("the history and the certificate cannot both be standard input", "") : ISOLAB_OK;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_DFL); /* it may have been ignored when the program was started */
    arguments given = {.n = 0};
    iso_option_defaults(options, &given);
    int code = read_arguments(&given, argc, argv);
    if (code != ISOLAB_OK || given.told) {
        return code != ISOLAB_OK ? code : finish(ISOLAB_OK);
    }
    iso_env env;
    iso_env_init(&env);
    uint64_t machine = iso_machine_memory();
    env.limits->memory = given.memory != 0 ? given.memory : machine - machine / 8;
    env.limits->deadline = given.timeout != 0 ? iso_now() + given.timeout : 0;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    input in = {.pool = &pool, .given = &given};
    code = iso_guard(&env, read_inputs, &in);
    char torn[ISO_TORN_SIZE];
    if (code == ISOLAB_OK && iso_torn_text(in.h, torn)[0] != '\0') {
        iso_say(stderr, "isolab-verify: %s: %s\n", given.path[0], torn);
    }
    char text[ISO_TAKEN_SIZE];
    if (code == ISOLAB_OK && iso_taken_text(in.h, text)[0] != '\0') {
        iso_say(stderr, "isolab-verify: %s: %s\n", given.path[0], text);
    }
    if (code == ISOLAB_OK) {
        code = iso_verify_claim(&pool, in.h, in.certificate, in.size, given.level, given.verdict);
    }
    if (code == ISOLAB_OK) {
        iso_say(stdout, "valid\n");
    }
    if (code == ISOLAB_OK && given.explain) {
        code = iso_guard(&env, explain, &in);
    }
    if (code == ISO_REFUSED) {
        iso_say(stdout, "refused: %s\n", env.error.message);
    } else if (code != ISOLAB_OK) {
        print_error(&env, code, in.reading);
    }
    code = finish(code);
    iso_pool_free(&pool);
    return code;
}
