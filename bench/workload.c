/* Writes the benchmark's history as Plume text: a serial execution, dealt out to sessions, printed session by
 * session as the field's generators do (or, with --order time, as it ran). Shares no code with isolab.
 *
 *     workload [--txns N] [--ops N] [--sessions N] [--keys N] [--seed N]
 *              [--values counter|key|random] [--order session|time] > FILE
 *
 * counter: one counter for all values; key: a counter for each key; random: 62 random bits. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct op {
    uint64_t value;
    uint32_t key;
    bool write;
} op;

static uint64_t state;

static uint64_t draw(void) { /* splitmix64 */
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t n) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)draw() * n) >> 64);
}

static void *room(size_t n, size_t size) {
    void *p = calloc(n + 1, size);
    if (p == NULL) {
        fprintf(stderr, "workload: out of memory\n");
        exit(70);
    }
    return p;
}

static char *put(char *at, uint64_t n) {
    char digits[20];
    int used = 0;
    do {
        digits[used++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (used > 0) {
        *at++ = digits[--used];
    }
    return at;
}

static void print_txn(const op *ops, uint64_t n, uint64_t session, uint64_t txn) {
    static char buffer[1 << 16];
    for (uint64_t i = 0; i < n;) {
        char *at = buffer;
        for (; i < n && at < buffer + sizeof buffer - 128; i++) {
            *at++ = ops[i].write ? 'w' : 'r';
            *at++ = '(';
            at = put(at, ops[i].key);
            *at++ = ',';
            at = put(at, ops[i].value);
            *at++ = ',';
            at = put(at, session);
            *at++ = ',';
            at = put(at, txn);
            *at++ = ')';
            *at++ = '\n';
        }
        fwrite(buffer, 1, (size_t)(at - buffer), stdout);
    }
}

int main(int argc, char **argv) {
    uint64_t txns = 1000000, per_txn = 8, sessions = 50, keys = 10000, seed = 1;
    const char *values = "counter", *order = "session";
    for (int i = 1; i < argc; i += 2) {
        struct {
            const char *name;
            uint64_t *number;
            const char **word;
        } options[] = {{"--txns", &txns, NULL},         {"--ops", &per_txn, NULL}, {"--sessions", &sessions, NULL},
                       {"--keys", &keys, NULL},         {"--seed", &seed, NULL},   {"--values", NULL, &values},
                       {"--order", NULL, &order}};
        size_t n = sizeof options / sizeof options[0], at = 0;
        while (at < n && strcmp(options[at].name, argv[i]) != 0) {
            at++;
        }
        if (at == n || i + 1 == argc) {
            fprintf(stderr, "workload: unknown or unfinished option %s\n", argv[i]);
            return 64;
        }
        if (options[at].word != NULL) {
            *options[at].word = argv[i + 1];
        } else {
            *options[at].number = strtoull(argv[i + 1], NULL, 10);
        }
    }
    state = seed;
    bool by_key = strcmp(values, "key") == 0, random = strcmp(values, "random") == 0;
    op *ops = room(txns * per_txn, sizeof *ops);
    uint64_t *now = room(keys, sizeof *now), *written = room(keys, sizeof *written), counter = 0;
    uint32_t *session = room(txns, sizeof *session), *sorted = room(txns, sizeof *sorted);
    uint64_t *first = room(sessions + 1, sizeof *first);
    for (uint64_t t = 0; t < txns; t++) {
        session[t] = (uint32_t)below(sessions);
        first[session[t] + 1]++;
        for (uint64_t i = 0; i < per_txn; i++) {
            op *o = &ops[t * per_txn + i];
            o->key = (uint32_t)below(keys);
            o->write = draw() >> 63;
            if (o->write) {
                now[o->key] = by_key ? ++written[o->key] : random ? (draw() >> 2) + 1 : ++counter;
            }
            o->value = now[o->key];
        }
    }
    for (uint64_t s = 0; s < sessions; s++) {
        first[s + 1] += first[s];
    }
    bool in_time = strcmp(order, "time") == 0;
    for (uint64_t t = 0; t < txns; t++) {
        sorted[in_time ? t : first[session[t]]++] = (uint32_t)t;
    }
    for (uint64_t i = 0; i < txns; i++) {
        print_txn(ops + sorted[i] * per_txn, per_txn, session[sorted[i]], sorted[i] + 1);
    }
    return fflush(stdout) == 0 ? 0 : 74;
}
