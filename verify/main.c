/* isolab-verify: is this certificate a proof about this history? */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "verify/verify.h"

static const char help[] =
    "usage: isolab-verify [--format FORMAT] HISTORY CERTIFICATE\n"
    "\n"
    "Checks a certificate that `isolab check --certificate CERTIFICATE` wrote. Prints one line and exits with\n"
    "0 when it proves its verdict about the history, 1 when it does not, 64 for wrong usage, 65 for malformed\n"
    "input, 74 when a file cannot be read or the answer cannot be written; ended by SIGPIPE (141 in a shell)\n"
    "when nobody reads the answer.\n";

typedef struct input {
    iso_pool *pool;
    const char *history, *certificate;
    const iso_format *format;
    const char *reading; /* for messages: the file at hand */
    isolab_history *h;
    char *text;
    size_t size;
    FILE *file;
} input;

static void read_inputs(void *arg) {
    input *in = arg;
    in->reading = in->history;
    in->h = iso_load(in->pool, in->history, in->format);
    in->reading = in->certificate;
    in->file = fopen(in->certificate, "rb");
    if (in->file == NULL) {
        iso_throw(in->pool->env, ISOLAB_E_IO, "cannot open: %s", strerror(errno));
    }
    size_t room = 1 << 16;
    in->text = iso_alloc(in->pool, room, 1);
    for (size_t n; (n = fread(in->text + in->size, 1, room - in->size - 1, in->file)) > 0;) {
        in->size += n;
        if (room - in->size < 2) {
            room *= 2;
            in->text = iso_resize(in->pool, in->text, room, 1);
        }
    }
    if (ferror(in->file)) {
        iso_throw(in->pool->env, ISOLAB_E_IO, "cannot read: %s", strerror(errno));
    }
    in->text[in->size] = '\0';
}

static int usage(const char *why, const char *what) {
    fprintf(stderr, "isolab-verify: %s%s\n%s", why, what, "try `isolab-verify --help`\n");
    return ISOLAB_E_USAGE;
}

/* An answer that could not be written is none. */
static int finish(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fprintf(stderr, "isolab-verify: cannot write: %s\n", strerror(errno));
    return ISOLAB_E_IO;
}

static int report(const iso_env *env, int code, const char *file) {
    const isolab_error *e = &env->error;
    fprintf(stderr, "isolab-verify: %s:", e->file[0] != '\0' ? e->file : file);
    if (e->line != 0) {
        fprintf(stderr, "%llu:", (unsigned long long)e->line);
    }
    fprintf(stderr, " %s\n", e->message);
    return code;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_DFL); /* whoever started us may have ignored it */
    const char *path[2];
    int n = 0;
    const iso_format *format = NULL;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--help") == 0) {
            fputs(help, stdout);
            return finish(0);
        }
        if (strcmp(a, "--version") == 0) {
            puts("isolab-verify " ISOLAB_VERSION);
            return finish(0);
        }
        if (strcmp(a, "--format") == 0 || strncmp(a, "--format=", 9) == 0) {
            const char *name = a[8] == '=' ? a + 9 : i + 1 < argc ? argv[++i] : NULL;
            if (name == NULL || (format = iso_format_find(name)) == NULL) {
                return usage("no such format: ", name == NULL ? "(none given)" : name);
            }
        } else if (a[0] == '-' && a[1] != '\0') {
            return usage("unknown option ", a);
        } else if (n == 2) {
            return usage("more than two files: ", a);
        } else {
            path[n++] = a;
        }
    }
    if (n < 2) {
        return usage("a history and a certificate are needed", "");
    }
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    input in = {.pool = &pool, .history = path[0], .certificate = path[1], .format = format};
    int code = iso_guard(&env, read_inputs, &in);
    if (code == ISOLAB_OK) {
        code = iso_verify(&pool, in.h, in.text, in.size);
    }
    if (code == ISOLAB_OK) {
        puts("valid");
    } else if (code == ISO_REFUSED) {
        printf("refused: %s\n", env.error.message);
    } else {
        report(&env, code, in.reading);
    }
    code = finish(code);
    if (in.file != NULL) {
        fclose(in.file);
    }
    iso_pool_free(&pool);
    return code;
}
