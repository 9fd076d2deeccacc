/* Writing a history as it happens. See recording.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "collectors/recording.h"

#define OLD 100000000 /* ns */

void iso_recording_open(iso_env *env, iso_recording *r, const char *path) {
    *r = (iso_recording){.path = path, .file = -1, .flushed = iso_now()};
    pthread_mutex_init(&r->lock, NULL);
    if (path == NULL) {
        return;
    }
    r->file = strcmp(path, "-") == 0 ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (r->file < 0) {
        iso_throw_file(env, ISOLAB_E_IO, path, "%s", strerror(errno));
    }
}

/* Writes bytes whole. If only a part of them fits, the part is taken back. */
static bool put(iso_recording *r, const char *bytes, size_t n) {
    size_t at = 0;
    while (r->error == 0 && at < n) {
        ssize_t done = write(r->file, bytes + at, n - at);
        if (done >= 0) {
            at += (size_t)done;
        } else if (errno != EINTR) {
            r->error = errno;
        }
    }
    if (at == n) {
        r->written += n;
    } else if (at > 0 && ftruncate(r->file, (off_t)r->written) != 0) {
        return false; /* a pipe: what was written stays */
    }
    return at == n;
}

static bool flush(iso_recording *r) {
    size_t n = r->n;
    r->n = 0;
    r->flushed = iso_now();
    return n == 0 || r->file < 0 || put(r, r->block, n);
}

/* Number of bytes until the end of the file's page. */
static size_t room(const iso_recording *r) {
    return ISO_RECORDING_BLOCK - (size_t)(r->written % ISO_RECORDING_BLOCK) - r->n;
}

/* Fills the page of the file up with spaces, before the last newline or as an empty line. */
static bool fill(iso_recording *r) {
    size_t gap = room(r);
    if (gap == ISO_RECORDING_BLOCK) {
        return true;
    }
    memset(r->block + (r->n > 0 ? r->n - 1 : 0), ' ', gap);
    r->n += gap;
    r->block[r->n - 1] = '\n';
    return flush(r);
}

bool iso_recording_add(iso_recording *r, const char *line, size_t n) {
    if (r->file < 0) {
        return true;
    }
    pthread_mutex_lock(&r->lock);
    bool done = r->error == 0 && (n <= room(r) || fill(r));
    if (done && n > ISO_RECORDING_BLOCK) {
        done = put(r, line, n);
    } else if (done) {
        memcpy(r->block + r->n, line, n);
        r->n += n;
        done = room(r) > 0 || flush(r);
    }
    pthread_mutex_unlock(&r->lock);
    return done;
}

void iso_recording_flush(iso_recording *r) {
    pthread_mutex_lock(&r->lock);
    if (r->n > 0 && iso_now() - r->flushed > OLD) {
        flush(r);
    }
    pthread_mutex_unlock(&r->lock);
}

int iso_recording_close(iso_recording *r) {
    flush(r);
    if (r->file >= 0 && close(r->file) != 0 && r->error == 0) {
        r->error = errno;
    }
    r->file = -1;
    pthread_mutex_destroy(&r->lock);
    return r->error;
}

void iso_line_grow(iso_line *l, size_t n) {
    while (l->n + n > l->room) {
        ISO_GROW(l->pool, l->text, l->room, l->room);
    }
}

/* The digits of 00 to 99. */
static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "4950515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495"
    "96979899";

/* From the last digits to the first, two at a time. The bytes are copied with what follows them, since a copy of
 * constant size is three stores. */
void iso_line_number(iso_line *l, int64_t number) {
    enum { MOST = 24 };
    char digits[2 * MOST] = {0}, *const end = digits + MOST, *p = end;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    while (rest >= 10) {
        p -= 2;
        memcpy(p, pairs + 2 * (rest % 100), 2);
        rest /= 100;
    }
    if (rest > 0 || p == end) {
        *--p = (char)('0' + rest);
    }
    if (number < 0) {
        *--p = '-';
    }
    if (l->n + MOST > l->room) {
        iso_line_grow(l, MOST);
    }
    memcpy(l->text + l->n, p, MOST);
    l->n += (size_t)(end - p);
}

void iso_line_string(iso_line *l, const char *text) {
    iso_printer quoted = {.target = ISO_JSON, .pool = l->pool};
    iso_print(&quoted, "%s", text);
    iso_line_text(l, iso_printed(&quoted));
    iso_free(l->pool, quoted.text);
}
