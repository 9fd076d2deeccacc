/* The floor of all speed claims: one pass that parses Plume text and joins reads with writes through one plain
 * hash table. It shares no code with isolab and does the obvious thing: the file
 * mapped, a byte loop for numbers, open addressing with linear probing, a table made large enough at once.
 *
 *     floor FILE          prints operations, reads with a writer, reads without, sum
 *     floor --parse FILE  parses only */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct slot {
    uint64_t key, value;
    uint32_t writer; /* operation, plus 1 */
    uint32_t used;
} slot;

static uint64_t number(const char **at, const char *end) {
    uint64_t n = 0;
    const char *p = *at;
    while (p < end && *p >= '0' && *p <= '9') {
        n = 10 * n + (uint64_t)(*p++ - '0');
    }
    *at = p;
    return n;
}

static void skip(const char **at, const char *end, char c) {
    if (*at >= end || **at != c) {
        fprintf(stderr, "floor: malformed input\n");
        exit(65);
    }
    ++*at;
}

static uint64_t hash(uint64_t key, uint64_t value) {
    uint64_t x = (key * 0x9e3779b97f4a7c15u) ^ value;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

/* How often reads found their write, and how often they did not. */
static void count(const slot *table, const uint32_t *op_slot, uint32_t ops, uint32_t *joined, uint32_t *alone) {
    for (uint32_t o = 0; o < ops; o++) {
        if (op_slot[o] != UINT32_MAX) {
            uint32_t writer = table[op_slot[o]].writer;
            *joined += writer != 0;
            *alone += writer == 0;
        }
    }
}

int main(int argc, char **argv) {
    bool join = !(argc == 3 && strcmp(argv[1], "--parse") == 0);
    int fd = argc < 2 ? -1 : open(argv[argc - 1], O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0) {
        fprintf(stderr, "usage: floor [--parse] FILE\n");
        return 64;
    }
    size_t size = (size_t)st.st_size;
    const char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED) {
        return 74;
    }
    const char *line_end = memchr(text, '\n', size);
    size_t lines = size / (size_t)(line_end == NULL ? 11 : line_end - text + 1) + 1024, room = 1024;
    while (room < lines) {
        room *= 2;
    }
    size_t most = size / 10 + 1; /* operations: `r(1,1,1,1)` */
    slot *table = join ? calloc(room, sizeof *table) : NULL;
    uint32_t *op_slot = join ? malloc(most * sizeof *op_slot) : NULL; /* reads: where their writer will be */
    if (join && (table == NULL || op_slot == NULL)) {
        return 70;
    }
    uint32_t ops = 0;
    uint64_t sum = 0;
    size_t used = 0;
    for (const char *p = text, *end = text + size; p < end;) {
        bool write = *p == 'w';
        p++;
        skip(&p, end, '(');
        uint64_t key = number(&p, end);
        skip(&p, end, ',');
        uint64_t value = number(&p, end);
        skip(&p, end, ',');
        uint64_t session = number(&p, end);
        skip(&p, end, ',');
        bool negative = p < end && *p == '-';
        p += negative;
        uint64_t txn = number(&p, end);
        skip(&p, end, ')');
        skip(&p, end, '\n');
        sum += key ^ value ^ session ^ txn;
        if (join) {
            size_t at = hash(key, value) & (room - 1);
            while (table[at].used && (table[at].key != key || table[at].value != value)) {
                at = (at + 1) & (room - 1);
            }
            if (!table[at].used && ++used == room) {
                return 70;
            }
            table[at].key = key;
            table[at].value = value;
            table[at].used = 1;
            if (write) {
                table[at].writer = ops + 1;
            }
            op_slot[ops] = write ? UINT32_MAX : (uint32_t)at;
        }
        ops++;
    }
    uint32_t joined = 0, alone = 0;
    if (join) {
        count(table, op_slot, ops, &joined, &alone);
    }
    printf("%" PRIu32 " operations, %" PRIu32 " reads joined, %" PRIu32 " without a writer, sum %" PRIx64 "\n", ops,
           joined, alone, sum);
    return 0;
}
