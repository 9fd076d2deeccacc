/* See output.h. */
#include "cli/output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/print.h"

static bool is_standard(const char *path) { return path == NULL || strcmp(path, "-") == 0; }

/* Files that are being written. A file that is not closed at the end has failed, and is removed. */
typedef struct output {
    iso_file file;
    struct output *next;
} output;
static output *open_files;

FILE *iso_output_open(iso_env *env, const char *path) {
    if (is_standard(path)) {
        return stdout;
    }
    output *o = calloc(1, sizeof *o);
    if (o == NULL) {
        iso_throw(env, ISOLAB_E_LIMIT, "out of memory");
    }
    o->next = open_files; /* iso_file_open() may throw: then there is nothing to drop */
    open_files = o;
    iso_file_open(env, &o->file, path);
    return o->file.out;
}

/* Flushes standard output. Returns 0, or the reason why it did not take all bytes. */
static int finish(void) {
    static int first; /* the reason: later calls no longer have it */
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed |= fflush(stdout) != 0;
    int why = !failed                    ? 0
              : errno != 0               ? errno
              : iso_print_failure() != 0 ? iso_print_failure()
                                         : EIO; /* the reason of an earlier write is lost */
    first = first == 0 ? why : first;
    return first;
}

void iso_output_close(iso_env *env, FILE *out) {
    if (out == stdout) {
        int why = finish();
        if (why != 0) {
            iso_throw_file(env, ISOLAB_E_IO, "-", "cannot write: %s", strerror(why));
        }
        return;
    }
    for (output *o = open_files; o != NULL; o = o->next) {
        if (o->file.out == out) {
            iso_file_close(env, &o->file);
            return;
        }
    }
}

const char *iso_numbered_name(iso_pool *pool, const char *path, unsigned n) {
    size_t size = strlen(path) + 16;
    char *text = ISO_NEW(pool, char, size);
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    size_t stem = dot != NULL ? (size_t)(dot - path) : strlen(path);
    if (n == 1 || strcmp(path, "-") == 0) {
        snprintf(text, size, "%s", path);
    } else {
        snprintf(text, size, "%.*s-%u%s", (int)stem, path, n, path + stem);
    }
    return text;
}

static void drop_files(void) {
    while (open_files != NULL) {
        output *o = open_files;
        open_files = o->next;
        iso_file_drop(&o->file);
        free(o);
    }
}

bool iso_output_failed(void) { return finish() != 0; }

/* Returns whether standard output is a pipe or a socket whose other end is closed. It does not use the reason of the
 * failed write, which may be lost by then. */
static bool is_unread(void) {
    struct stat st;
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) && poll(&out, 1, 0) == 1 &&
           (out.revents & (POLLERR | POLLHUP)) != 0;
}

static bool told; /* the failure of standard output was reported */

bool iso_output_tells(const isolab_error *error) {
    if (error->code != ISOLAB_E_IO || !is_standard(error->file) || !iso_output_failed()) {
        return true;
    }
    told = !is_unread();
    return told;
}

int iso_output_end(int status) {
    drop_files();
    int why = finish();
    if (why == 0) {
        return status;
    }
    if (is_unread()) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
        return 128 + SIGPIPE; /* the signal is blocked */
    }
    if (!told) {
        iso_say(stderr, "isolab: cannot write: %s\n", strerror(why));
    }
    return ISOLAB_E_IO;
}
