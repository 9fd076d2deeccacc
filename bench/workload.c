/* Writes the benchmark's history as Plume text: a serial execution, dealt out to sessions, printed session by
 * session as the field's generators do (or, with --order time, as it ran). Shares no code with isolab.
 *
 *     workload [--txns N] [--ops N] [--sessions N] [--keys N] [--seed N]
 *              [--values counter|key|random] [--order session|time] [--reads any|same] [--broken N] > FILE
 *
 * counter: one counter for all values; key: a counter for each key; random: 62 random bits. As many sessions as
 * transactions: one each. same: a transaction reads one key again and again, and then writes one. broken: this number
 * of times a transaction is made to read one write of another one, and then what that one overwrote. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct op {
    uint64_t value, old; /* old: what a write overwrote */
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

static bool uses(const op *ops, uint64_t n, uint32_t key) {
    while (n > 0) {
        if (ops[--n].key == key) {
            return true;
        }
    }
    return false;
}

/* Two reads of transaction t3, of keys that it uses nowhere else, become one of t2 and one of what t2 overwrote. */
static bool break_reads(op *t3, const op *t2, uint64_t n) {
    const op *x = NULL, *y = NULL;
    op *early = NULL, *late = NULL;
    for (uint64_t i = n; i-- > 0;) { /* last writes */
        if (t2[i].write && !uses(t3, n, t2[i].key) && !uses(t2 + i + 1, n - i - 1, t2[i].key)) {
            y = x == NULL ? y : x;
            x = &t2[i];
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        late = t3[i].write || early == NULL ? late : &t3[i];
        early = t3[i].write || early != NULL ? early : &t3[i];
    }
    if (y == NULL || late == NULL || uses(t2, (uint64_t)(y - t2), y->key)) {
        return false;
    }
    *early = (op){.key = x->key, .value = x->value};
    *late = (op){.key = y->key, .value = y->old};
    return true;
}

int main(int argc, char **argv) {
    uint64_t broken = 0;
    const char *reads = "any";
    uint64_t txns = 1000000, per_txn = 8, sessions = 50, keys = 10000, seed = 1;
    const char *values = "counter", *order = "session";
    for (int i = 1; i < argc; i += 2) {
        struct {
            const char *name;
            uint64_t *number;
            const char **word;
        } options[] = {{"--txns", &txns, NULL},   {"--ops", &per_txn, NULL}, {"--sessions", &sessions, NULL},
                       {"--keys", &keys, NULL},   {"--seed", &seed, NULL},   {"--values", NULL, &values},
                       {"--order", NULL, &order}, {"--reads", NULL, &reads}, {"--broken", &broken, NULL}};
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
    bool same = strcmp(reads, "same") == 0;
    op *ops = room(txns * per_txn, sizeof *ops);
    uint64_t *now = room(keys, sizeof *now), *written = room(keys, sizeof *written), counter = 0;
    uint32_t *session = room(txns, sizeof *session), *sorted = room(txns, sizeof *sorted);
    uint64_t *first = room(sessions + 1, sizeof *first);
    for (uint64_t t = 0; t < txns; t++) {
        session[t] = (uint32_t)(sessions == txns ? t : below(sessions));
        first[session[t] + 1]++;
        for (uint64_t i = 0; i < per_txn; i++) {
            op *o = &ops[t * per_txn + i];
            o->key = same && i > 0 && i + 1 < per_txn ? o[-1].key : (uint32_t)below(keys);
            o->write = same ? i + 1 == per_txn : draw() >> 63;
            if (o->write) {
                o->old = now[o->key];
                now[o->key] = by_key ? ++written[o->key] : random ? (draw() >> 2) + 1 : ++counter;
            }
            o->value = now[o->key];
        }
    }
    for (uint64_t tries = 0; broken > 0 && txns > 1 && tries < 100 * txns; tries++) {
        uint64_t t3 = 1 + below(txns - 1), t2 = t3 - 1 - below(t3 < 5000 ? t3 : 5000);
        broken -= break_reads(ops + t3 * per_txn, ops + t2 * per_txn, per_txn);
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
