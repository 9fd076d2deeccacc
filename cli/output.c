/* See output.h. */
#include "cli/output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path) { return path == NULL || strcmp(path, "-") == 0; }

FILE *iso_output_open(iso_env *env, const char *path) {
    FILE *out = is_standard(path) ? stdout : fopen(path, "we");
    if (out == NULL) {
        iso_throw_file(env, ISOLAB_E_IO, path, "cannot write: %s", strerror(errno));
    }
    return out;
}

/* Closes a stream, or flushes standard output. Why it did not take all that was written to it; 0: it did. */
static int finish(FILE *out) {
    static int first; /* the reason of standard output: later it has no other */
    bool failed = ferror(out) != 0;
    errno = 0;
    failed |= (out == stdout ? fflush(out) : fclose(out)) != 0;
    int why = !failed ? 0 : errno != 0 ? errno : EIO; /* EIO: the reason went by with an earlier write */
    if (out == stdout && first == 0) {
        first = why;
    }
    return out == stdout ? first : why;
}

void iso_output_close(iso_env *env, FILE *out, const char *path) {
    int why = finish(out);
    if (why != 0) {
        iso_throw_file(env, ISOLAB_E_IO, is_standard(path) ? "-" : path, "cannot write: %s", strerror(why));
    }
}

bool iso_output_failed(void) { return finish(stdout) != 0; }

/* Is it a pipe, or a socket, whose other end is closed? The reason of a write that failed is not asked: it may be long
 * gone when this is. */
static bool is_unread(void) {
    struct stat st;
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) && poll(&out, 1, 0) == 1 &&
           (out.revents & (POLLERR | POLLHUP)) != 0;
}

static bool told; /* that standard output failed, and why */

bool iso_output_tells(const isolab_error *error) {
    if (error->code != ISOLAB_E_IO || !is_standard(error->file) || !iso_output_failed()) {
        return true;
    }
    told = !is_unread();
    return told;
}

int iso_output_end(int status) {
    int why = finish(stdout);
    if (why == 0) {
        return status;
    }
    if (is_unread()) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
        return 128 + SIGPIPE; /* the signal is blocked */
    }
    if (!told) {
        fprintf(stderr, "isolab: cannot write: %s\n", strerror(why));
    }
    return ISOLAB_E_IO;
}
