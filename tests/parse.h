/* Reads bytes by a format: exactly these bytes and the padding that a source promises, so that a
 * sanitizer reports a read after their end. */
#ifndef ISOLAB_TESTS_PARSE_H
#define ISOLAB_TESTS_PARSE_H

#include <string.h>

#include "formats/format.h"

typedef struct parsing {
    iso_pool *pool;
    const iso_format *format;
    const void *bytes;
    size_t size;
    isolab_history *h;
} parsing;

static void parse_guarded(void *arg) {
    parsing *p = arg;
    unsigned char *copy = iso_zalloc(p->pool, p->size + 64, 1);
    memcpy(copy, p->bytes, p->size);
    iso_source source = {.pool = p->pool, .path = "memory", .bytes = copy, .size = p->size};
    p->h = p->format->read(&source);
}

/* Sets h, and returns what iso_guard() does. */
static int parse_bytes(parsing *p) {
    p->h = NULL;
    return iso_guard(p->pool->env, parse_guarded, p);
}

#endif
