/* isolab-verify: is this certificate a proof about this history? */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/print.h"
#include "formats/format.h"
#include "history/initial.h"
#include "verify/verify.h"

static const char help[] =
    "usage: isolab-verify [OPTION...] [--] HISTORY CERTIFICATE\n"
    "\n"
    "Checks a certificate that `isolab check --certificate CERTIFICATE` wrote, and prints one line: valid, or\n"
    "refused and why. One of the two files may be `-`, standard input; both may be compressed by zstd.\n"
    "\n"
    "  --format FORMAT  the format of the history (default: found out)\n"
    "  --initial VALUE  a value of the history that means initial, too: as for isolab check\n"
    "  --initial-transaction auto|no|yes\n"
    "                   is the first transaction the initial one? As for isolab check (default: auto)\n"
    "  --timeout S      end after S seconds\n"
    "  --memory SIZE    use at most SIZE bytes (suffixes K, M, G; default: most of what the machine has)\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 the certificate proves its verdict about the history, 1 it does not, 2 the time or the memory\n"
    "was not enough, 64 wrong usage, 65 malformed input, 74 a file cannot be read or the answer cannot be written.\n"
    "When the answer has no reader, the program is ended by SIGPIPE (141 in a shell).\n";

typedef struct arguments {
    const char *path[2]; /* the history and the certificate */
    int n;
    const iso_format *format;
    iso_reading how;
    int64_t timeout; /* ns; 0: none */
    uint64_t memory; /* 0: not given */
    bool told;       /* help or the version was asked for, and was written */
} arguments;

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
    in->h = iso_load_as(in->pool, in->reading, in->given->format, &in->given->how);
    in->reading = in->given->path[1];
    in->certificate = iso_source_text(in->pool, in->reading, 0, &in->size);
}

static int usage(const char *why, const char *what) {
    iso_say(stderr, "isolab-verify: %s%s\ntry `isolab-verify --help`\n", why, what);
    return ISOLAB_E_USAGE;
}

/* An answer that could not be written is none. */
static int finish(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    iso_say(stderr, "isolab-verify: cannot write: %s\n", strerror(errno));
    return ISOLAB_E_IO;
}

static int report(const iso_env *env, int code, const char *file) {
    const isolab_error *e = &env->error;
    iso_say(stderr, "isolab-verify: %s:", e->file[0] != '\0' ? e->file : file);
    if (e->line != 0) {
        iso_say(stderr, "%llu:", (unsigned long long)e->line);
    }
    iso_say(stderr, " %s\n", e->message);
    return code;
}

/* ---- arguments ---- */

/* A number of seconds, as nanoseconds; 0: it is none. */
static int64_t seconds(const char *text) {
    char *end;
    double s = strtod(text, &end);
    return end != text && *end == '\0' && s > 0 && s <= 1e9 ? (int64_t)(s * 1e9) + 1 : 0;
}

/* A number of bytes; 0: it is none. */
static uint64_t bytes(const char *text) {
    static const char suffixes[] = "KMGT";
    if (text[0] < '0' || text[0] > '9') {
        return 0;
    }
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *suffix = *end != '\0' ? strchr(suffixes, *end & ~0x20) : NULL;
    int shift = suffix != NULL ? 10 * (int)(suffix - suffixes + 1) : 0;
    return errno == 0 && end[suffix != NULL] == '\0' && n << shift >> shift == n ? n << shift : 0;
}

/* The value of an option that argument *i begins with: after `=`, or the next argument. NULL: another option. */
static const char *value(const char *option, int argc, char **argv, int *i) {
    size_t n = strlen(option);
    const char *a = argv[*i];
    if (strncmp(a, option, n) != 0 || (a[n] != '=' && a[n] != '\0')) {
        return NULL;
    }
    return a[n] == '=' ? a + n + 1 : *i + 1 < argc ? argv[++*i] : "";
}

static int take_option(arguments *given, int argc, char **argv, int *i) {
    const char *text;
    if ((text = value("--format", argc, argv, i)) != NULL) {
        given->format = iso_format_find(text);
        return given->format != NULL ? ISOLAB_OK : usage("no such format: ", *text != '\0' ? text : "(none given)");
    }
    if ((text = value("--initial", argc, argv, i)) != NULL) {
        given->how.initial = text;
        return ISOLAB_OK;
    }
    if ((text = value("--initial-transaction", argc, argv, i)) != NULL) {
        bool known = iso_initial_rule_of(text, &given->how.rule);
        return known ? ISOLAB_OK : usage("--initial-transaction: expected auto, no or yes, found ", text);
    }
    if ((text = value("--timeout", argc, argv, i)) != NULL) {
        given->timeout = seconds(text);
        return given->timeout != 0 ? ISOLAB_OK : usage("--timeout: expected a number of seconds, found ", text);
    }
    if ((text = value("--memory", argc, argv, i)) != NULL) {
        given->memory = bytes(text);
        return given->memory != 0 ? ISOLAB_OK : usage("--memory: expected a size such as 512M, found ", text);
    }
    return usage("unknown option ", argv[*i]);
}

static int read_arguments(arguments *given, int argc, char **argv) {
    bool options = true;
    for (int i = 1; i < argc && !given->told; i++) {
        const char *a = argv[i];
        if (options && strcmp(a, "--") == 0) {
            options = false;
        } else if (options && (strcmp(a, "--help") == 0 || strcmp(a, "--version") == 0)) {
            iso_print_lines(&(iso_printer){.out = stdout}, a[2] == 'h' ? help : "isolab-verify " ISOLAB_VERSION);
            given->told = true;
        } else if (options && a[0] == '-' && a[1] != '\0') {
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
    if (code == ISOLAB_OK && in.h->taken.n_txns != 0) {
        char text[ISO_TAKEN_SIZE];
        iso_say(stderr, "isolab-verify: %s: %s\n", given.path[0], iso_taken_text(in.h, text));
    }
    if (code == ISOLAB_OK) {
        code = iso_verify(&pool, in.h, in.certificate, in.size);
    }
    if (code == ISOLAB_OK) {
        iso_say(stdout, "valid\n");
    } else if (code == ISO_REFUSED) {
        iso_say(stdout, "refused: %s\n", env.error.message);
    } else {
        report(&env, code, in.reading);
    }
    code = finish(code);
    iso_pool_free(&pool);
    return code;
}
