/* A client of HTTP. See http.h. */
#define _GNU_SOURCE
#include "collectors/http.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { LINE = 1024 };
#define MOST_BYTES ((size_t)64 << 20)

static bool fails(iso_http *h, const char *why) {
    snprintf(h->why, sizeof h->why, "%s", why);
    return false;
}

bool iso_http_connect(iso_http *h, iso_pool *pool, const char *host, unsigned port, unsigned seconds) {
    *h = (iso_http){.pool = pool, .fd = -1};
    char service[16];
    snprintf(service, sizeof service, "%u", port);
    struct addrinfo want = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int error = getaddrinfo(host, service, &want, &found);
    if (error != 0) {
        return fails(h, gai_strerror(error));
    }
    fails(h, "no address");
    for (const struct addrinfo *a = found; a != NULL && h->fd < 0; a = a->ai_next) {
        h->fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        struct timeval wait = {.tv_sec = (time_t)seconds};
        int yes = 1;
        setsockopt(h->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        setsockopt(h->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        setsockopt(h->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (h->fd >= 0 && connect(h->fd, a->ai_addr, a->ai_addrlen) != 0) {
            fails(h, strerror(errno));
            iso_http_close(h);
        }
    }
    freeaddrinfo(found);
    return h->fd >= 0;
}

void iso_http_close(iso_http *h) {
    if (h->pool != NULL && h->fd >= 0) {
        close(h->fd);
    }
    h->fd = -1;
}

static bool send_all(iso_http *h, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t sent = send(h->fd, bytes, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return fails(h, strerror(errno));
        }
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Waits for more bytes. */
static bool more(iso_http *h) {
    if (h->at == h->n) {
        h->at = h->n = 0;
    }
    ISO_GROW(h->pool, h->in, h->n, h->room);
    ssize_t got;
    do {
        got = recv(h->fd, h->in + h->n, h->room - h->n, 0);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        return fails(h, got == 0 ? "the server closed the connection" : strerror(errno));
    }
    h->n += (size_t)got;
    return true;
}

/* Takes a line without its end. */
static bool take_line(iso_http *h, char line[LINE]) {
    for (size_t n = 0;;) {
        if (h->at == h->n && !more(h)) {
            return false;
        }
        char c = h->in[h->at++];
        if (c == '\n') {
            line[n > 0 && line[n - 1] == '\r' ? n - 1 : n] = '\0';
            return true;
        }
        if (n == LINE - 1) {
            return fails(h, "a line of the answer is too long");
        }
        line[n++] = c;
    }
}

/* Takes n bytes of the body. */
static bool take_body(iso_http *h, size_t n) {
    if (n > MOST_BYTES || h->size + n > MOST_BYTES) {
        return fails(h, "the answer is too long");
    }
    while (n > 0) {
        if (h->at == h->n && !more(h)) {
            return false;
        }
        size_t have = h->n - h->at < n ? h->n - h->at : n;
        while (h->size + have + 1 > h->body_room) {
            ISO_GROW(h->pool, h->body, h->body_room, h->body_room);
        }
        memcpy(h->body + h->size, h->in + h->at, have);
        h->size += have;
        h->at += have;
        n -= have;
    }
    return true;
}

static bool take_chunks(iso_http *h) {
    char line[LINE];
    for (size_t n = 1; n > 0;) {
        char *end;
        if (!take_line(h, line)) {
            return false;
        }
        n = strtoul(line, &end, 16);
        if (end == line) {
            return fails(h, "the answer has a chunk without a length");
        }
        if (n > 0 && (!take_body(h, n) || !take_line(h, line))) {
            return false;
        }
    }
    do { /* trailers, up to an empty line */
        if (!take_line(h, line)) {
            return false;
        }
    } while (*line != '\0');
    return true;
}

int iso_http_post(iso_http *h, const char *path, const char *body) {
    char line[LINE];
    size_t length = 0;
    bool chunked = false;
    int n =
        snprintf(line, sizeof line,
                 "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                 path, strlen(body));
    if (!send_all(h, line, (size_t)n) || !send_all(h, body, strlen(body)) || !take_line(h, line)) {
        return 0;
    }
    int status = strncmp(line, "HTTP/1.", 7) == 0 && strlen(line) > 9 ? atoi(line + 9) : 0;
    while (status != 0 && *line != '\0') {
        if (!take_line(h, line)) {
            return 0;
        }
        length = strncasecmp(line, "Content-Length:", 15) == 0 ? strtoul(line + 15, NULL, 10) : length;
        chunked |= strncasecmp(line, "Transfer-Encoding: chunked", 26) == 0;
    }
    h->size = 0;
    if (h->body_room == 0) {
        ISO_GROW(h->pool, h->body, h->body_room, h->body_room);
    }
    if (status == 0) {
        fails(h, "the answer is not HTTP");
        return 0;
    }
    if (!(chunked ? take_chunks(h) : take_body(h, length))) {
        return 0;
    }
    h->body[h->size] = '\0';
    return status;
}
