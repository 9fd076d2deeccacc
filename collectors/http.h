/* A client of HTTP/1.1 that keeps one connection: it sends a body by POST and takes the answer. */
#ifndef ISOLAB_COLLECTORS_HTTP_H
#define ISOLAB_COLLECTORS_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/env.h"

typedef struct iso_http {
    iso_pool *pool;
    int fd; /* negative: not connected */
    char *in;
    size_t n, at, room; /* bytes of `in` that have arrived, and that are read */
    char *body;         /* of the last answer, ended by NUL */
    size_t size, body_room;
    char why[200]; /* the last call failed: the reason */
} iso_http;

/* Connects to a host. Returns false with the reason. seconds: the longest wait for an answer. */
bool iso_http_connect(iso_http *h, iso_pool *pool, const char *host, unsigned port, unsigned seconds);

/* Returns the status of the answer, whose body is then in h; 0: there was none, and the connection is of no more
 * use. */
int iso_http_post(iso_http *h, const char *path, const char *body);

void iso_http_close(iso_http *h); /* one that is all zero is ignored */

#endif
