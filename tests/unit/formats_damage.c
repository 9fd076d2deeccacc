/* Tests formats/. Every format against damaged inputs: cut at every byte, with bits flipped, bytes replaced, pieces
 * removed and repeated. Each must be refused with a place (ISOLAB_E_INPUT) or be a history that can be written and read
 * again; memory stays in proportion. Run under the sanitizers too (make asan). */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/random.h"
#include "formats/format.h"
#include "history/read_consistency.h"
#include "tests/equal.h"
#include "tests/random_history.h"
#include "tests/seed.h"
#include "tests/tap.h"

#define PADDING 64
#define MEMORY ((uint64_t)48 << 20) /* no input here is longer than some hundred bytes */

typedef struct bytes {
    unsigned char *at;
    size_t n;
} bytes;

typedef struct attempt {
    iso_pool *pool;
    const iso_format *format;
    bytes input;
    const char *path; /* a folder or a compressed file: input is on disk */
    const char *wrong;
} attempt;

static void count_offence(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    (void)kind, (void)read_op, (void)other_op;
    ++*(uint64_t *)arg;
}

/* A history that was read must be sound: its reads are checked, and as isolab text it comes back. */
static void examine(attempt *a, const isolab_history *h) {
    const iso_format *text = iso_format_find("isolab");
    uint64_t offences = 0;
    if (iso_check_int(h, a->pool, count_offence, &offences) != offences) {
        a->wrong = "read consistency miscounted";
    }
    char *written = NULL;
    size_t n = 0;
    iso_sink sink = {.pool = a->pool, .path = "-", .out = open_memstream(&written, &n)};
    text->write(h, &sink);
    fclose(sink.out);
    unsigned char *copy = iso_zalloc(a->pool, n + PADDING, 1);
    memcpy(copy, written, n);
    free(written);
    iso_source source = {.pool = a->pool, .path = "-", .bytes = copy, .size = n};
    if (!iso_history_equal(h, text->read(&source), NULL, 0)) {
        a->wrong = "isolab text gives another history";
    }
}

static void load(void *arg) {
    attempt *a = arg;
    if (a->path != NULL) {
        examine(a, iso_load(a->pool, a->path, a->format));
        return;
    }
    unsigned char *copy = iso_zalloc(a->pool, a->input.n + PADDING, 1);
    memcpy(copy, a->input.at, a->input.n);
    iso_source source = {.pool = a->pool, .path = "-", .bytes = copy, .size = a->input.n};
    iso_format_detect(&source);
    examine(a, a->format->read(&source));
}

static uint64_t refused, accepted, failures, seed;

static void try(const iso_format *format, bytes input, const char *path) {
    iso_env env;
    iso_env_init(&env);
    env.limits->memory = MEMORY;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    attempt a = {.pool = &pool, .format = format, .input = input, .path = path};
    int code = iso_guard(&env, load, &a);
    if (code == ISOLAB_OK) {
        accepted++;
    } else if (code != ISOLAB_E_INPUT) {
        a.wrong = env.error.message;
    } else {
        refused++;
        bool placed = env.error.offset == ISOLAB_NO_OFFSET || path != NULL || env.error.offset <= input.n;
        bool one_line = env.error.message[0] != '\0';
        for (const char *p = env.error.message; *p != '\0'; p++) {
            one_line &= (unsigned char)*p >= 0x20;
        }
        a.wrong = !placed ? "an error after the end of the input" : !one_line ? "no error of one line" : NULL;
    }
    if (a.wrong != NULL && failures++ < 10) {
        diag("%s, seed %llu, %zu bytes: %s", format->name, (unsigned long long)seed, input.n, a.wrong);
        for (size_t i = 0; path == NULL && i < input.n; i += 16) {
            char line[64];
            for (size_t k = 0; k < 16; k++) {
                snprintf(line + 3 * k, 4, "%02x ", i + k < input.n ? input.at[i + k] : 0);
            }
            diag("%s", line);
        }
    }
    iso_pool_free(&pool);
    if (env.limits->used != 0 && failures++ < 10) {
        diag("%s: memory was kept", format->name);
    }
}

/* A damaged copy, in room that is twice as large as the input. */
static bytes damage(bytes from, unsigned char *room, iso_rng *rng) {
    static const char likely[] = "\"\\[]{}(),:;#@-+.=09rwnSRWC \n\r\t\xff\x80\x7f";
    bytes to = {room, from.n};
    memcpy(room, from.at, from.n);
    for (uint64_t times = 1 + iso_random_below(rng, 3); times > 0 && to.n > 0; times--) {
        size_t at = iso_random_below(rng, to.n), other = iso_random_below(rng, to.n);
        size_t length = iso_random_below(rng, 1 + (to.n - (at > other ? at : other)) % 16);
        switch (iso_random_below(rng, 6)) {
        case 0:
            to.at[at] = (unsigned char)iso_random(rng);
            break;
        case 1:
            to.at[at] = (unsigned char)likely[iso_random_below(rng, sizeof likely)];
            break;
        case 2: /* remove a piece */
            memmove(to.at + at, to.at + at + length, to.n - at - length);
            to.n -= length;
            break;
        case 3: /* insert a copy of a piece */
            if (to.n + length <= 2 * from.n) {
                unsigned char piece[16];
                memcpy(piece, to.at + other, length);
                memmove(to.at + at + length, to.at + at, to.n - at);
                memcpy(to.at + at, piece, length);
                to.n += length;
            }
            break;
        case 4:
            memmove(to.at + at, to.at + other, length);
            break;
        default:
            to.at[at] ^= (unsigned char)(1u << iso_random_below(rng, 8));
        }
    }
    return to;
}

static bytes read_file(const char *path) {
    bytes b = {NULL, 0};
    FILE *f = fopen(path, "r");
    struct stat st;
    if (f == NULL || fstat(fileno(f), &st) != 0) {
        bail_out("cannot read %s", path);
    }
    b.at = malloc((size_t)st.st_size + 1);
    b.n = fread(b.at, 1, (size_t)st.st_size, f);
    fclose(f);
    return b;
}

static void write_file(const char *path, bytes b) {
    FILE *f = fopen(path, "w");
    if (f == NULL || fwrite(b.at, 1, b.n, f) != b.n || fclose(f) != 0) {
        bail_out("cannot write %s", path);
    }
}

typedef struct saving {
    iso_pool *pool;
    const iso_format *format;
    const char *path;
    unsigned features;
} saving;

static void save(void *arg) {
    saving *s = arg;
    iso_save(s->pool, random_history(s->pool, &(iso_rng){seed}, s->features), s->path, s->format);
}

static void make_input(const iso_format *format, const char *path) {
    iso_env env;
    iso_env_init(&env);
    iso_pool pool;
    iso_pool_init(&pool, &env);
    saving s = {&pool, format, path, (unsigned)iso_mix(seed) & (HAS_ALL - HAS_EMPTY)};
    if (iso_guard(&env, save, &s) != ISOLAB_OK) {
        bail_out("%s: %s", format->name, env.error.message);
    }
    iso_pool_free(&pool);
}

static void damage_file(const iso_format *format, const char *path, uint64_t rounds) {
    make_input(format, path);
    bytes b = read_file(path);
    unlink(path);
    unsigned char *room = malloc(2 * b.n + 1);
    iso_rng rng = {seed};
    for (size_t cut = 0; cut <= b.n; cut++) {
        try(format, (bytes){b.at, cut}, NULL);
    }
    for (uint64_t i = 0; i < rounds; i++) {
        try(format, damage(b, room, &rng), NULL);
    }
    free(room);
    free(b.at);
}

/* The same on disk, in one file: a member of a folder, or a compressed file. */
static void damage_on_disk(const iso_format *format, const char *path, const char *file, uint64_t rounds) {
    bytes b = read_file(file);
    unsigned char *room = malloc(2 * b.n + 1);
    iso_rng rng = {seed};
    for (size_t cut = 0; cut <= b.n && rounds > 0; cut += 1 + b.n / (4 * rounds)) {
        write_file(file, (bytes){b.at, cut});
        try(format, (bytes){b.at, cut}, path);
    }
    for (uint64_t i = 0; i < rounds; i++) {
        write_file(file, damage(b, room, &rng));
        try(format, b, path);
    }
    unlink(file);
    free(room);
    free(b.at);
}

static void damage_folder(const iso_format *format, const char *path, uint64_t rounds) {
    make_input(format, path);
    static const char *const logs[] = {"T0.log", "J0.log"}; /* of cobra, of viper */
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char file[300];
        snprintf(file, sizeof file, "%s/%s", path, logs[i]);
        if (access(file, R_OK) == 0) {
            damage_on_disk(format, path, file, rounds);
        }
    }
    DIR *d = opendir(path);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
    rmdir(path);
}

int main(void) {
    plan(NO_PLAN);
    const char *quick = getenv("ISOLAB_QUICK"), *deep = getenv("ISOLAB_DEEP");
    uint64_t first = seed_of_run();
    uint64_t inputs = quick != NULL ? 3 : deep != NULL ? 500 : 30, rounds = quick != NULL ? 300 : 1500;
    diag("seed %llu (set ISOLAB_SEED to repeat)", (unsigned long long)first);
    char folder[] = "/tmp/isolab-damage-XXXXXX", path[100];
    if (mkdtemp(folder) == NULL) {
        bail_out("cannot make a folder in /tmp");
    }
    snprintf(path, sizeof path, "%s/history", folder);
    for (size_t i = 0; iso_formats[i] != NULL; i++) {
        const iso_format *format = iso_formats[i];
        refused = accepted = failures = 0;
        for (seed = first; format->write != NULL && seed < first + inputs; seed++) {
            if (format->flags & ISO_FORMAT_FOLDER) {
                damage_folder(format, path, rounds / 10);
            } else {
                damage_file(format, path, rounds);
            }
        }
        ok(failures == 0 && (format->write == NULL || (refused > 0 && accepted > 0)),
           "%s: %llu refused, %llu still a history", format->name, (unsigned long long)refused,
           (unsigned long long)accepted);
    }
    refused = accepted = failures = 0;
    snprintf(path, sizeof path, "%s/history.zst", folder);
    for (seed = first; seed < first + inputs; seed++) {
        make_input(iso_format_find("jsonl"), path);
        damage_on_disk(iso_format_find("jsonl"), path, path, rounds / 10);
    }
    ok(failures == 0 && refused > 0, "zstd: %llu refused, %llu still a history", (unsigned long long)refused,
       (unsigned long long)accepted);
    rmdir(folder);
    return done_testing();
}
