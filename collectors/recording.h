/* Writing a history as it happens, as JSON lines (formats/jsonl.c): one transaction in each line.
 *
 * Each session makes its own lines; the recording collects them in a block of a page and writes each block at once. A
 * block never crosses a page of the file, which the system writes as a whole or not at all. So the file consists of
 * whole lines at all times, also if the program is killed; a line longer than a page is the only exception. Spaces
 * before the newline fill pages up. Blocks are written when they are full, or older than a tenth of a second. */
#ifndef ISOLAB_COLLECTORS_RECORDING_H
#define ISOLAB_COLLECTORS_RECORDING_H

#include <pthread.h>
#include <string.h>

#include "base/env.h"

#define ISO_RECORDING_BLOCK 4096

typedef struct iso_recording {
    const char *path; /* `-`: standard output */
    int file;
    pthread_mutex_t lock;
    uint64_t written; /* bytes that the file has */
    size_t n;         /* of the block */
    int64_t flushed;  /* the instant of the last write */
    int error;        /* errno of the first write that failed; 0: none */
    char block[ISO_RECORDING_BLOCK];
} iso_recording;

/* Creates the file. Throws ISOLAB_E_IO. NULL path: records nothing. */
void iso_recording_open(iso_env *env, iso_recording *r, const char *path);

/* Adds a line, which ends with a newline. Any thread may call it. Returns false if the file does not take it (a full
 * disk): the file then has the lines before it, and no part of this one. */
bool iso_recording_add(iso_recording *r, const char *line, size_t n);

void iso_recording_flush(iso_recording *r); /* writes the block if it is old: call it often */

/* Writes the rest and closes the file. Returns errno of the first write that failed; 0: everything is written. */
int iso_recording_close(iso_recording *r);

/* A line that grows. Making lines is most of what a recording costs: a text that is constant where it is added becomes
 * a few stores. */
typedef struct iso_line {
    iso_pool *pool;
    char *text;
    size_t n, room;
} iso_line;

void iso_line_grow(iso_line *l, size_t n); /* makes room for n more bytes */

static inline void iso_line_bytes(iso_line *l, const char *text, size_t n) {
    if (__builtin_expect(l->n + n > l->room, 0)) {
        iso_line_grow(l, n);
    }
    memcpy(l->text + l->n, text, n);
    l->n += n;
}

static inline void iso_line_text(iso_line *l, const char *text) { iso_line_bytes(l, text, strlen(text)); }
void iso_line_number(iso_line *l, int64_t number);
void iso_line_string(iso_line *l, const char *text); /* a string of JSON, in quotes */

#endif
