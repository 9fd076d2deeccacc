/* What fuzz targets share. A target is one file that includes this one and defines two functions. Compiled
 *
 * - with clang's libFuzzer (-DFUZZER): a fuzzer;
 * - without: a program that replays files and folders of inputs, and then damages each of them at random.
 *
 * An input must be taken, or be refused with an error of one line. Anything else ends the program with abort(). */
#ifndef ISOLAB_TESTS_FUZZ_TARGET_H
#define ISOLAB_TESTS_FUZZ_TARGET_H

#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/random.h"

const char *target_name(void);
/* Takes an input, or throws ISOLAB_E_INPUT. */
void target_take(iso_pool *pool, const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Cuts, changes and copies some bytes. */
static void damage(uint8_t *bytes, size_t *size, iso_rng *rng) {
    for (uint64_t n = 1 + iso_random_below(rng, 4); n > 0 && *size > 0; n--) {
        size_t at = iso_random_below(rng, *size);
        switch (iso_random_below(rng, 4)) {
        case 0:
            *size = at;
            break;
        case 1:
            bytes[at] = (uint8_t)iso_random(rng);
            break;
        case 2:
            bytes[at] = bytes[iso_random_below(rng, *size)];
            break;
        default:
            bytes[at] ^= (uint8_t)(1u << iso_random_below(rng, 8));
        }
    }
}

typedef struct input {
    iso_pool *pool;
    const uint8_t *bytes;
    size_t size;
} input;

static void run(void *arg) {
    input *i = arg;
    target_take(i->pool, i->bytes, i->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    iso_env env;
    iso_env_init(&env);
    env.limits->memory = (uint64_t)1 << 30;
    iso_pool pool;
    iso_pool_init(&pool, &env);
    input i = {&pool, bytes, size};
    int code = iso_guard(&env, run, &i);
    if (code != ISOLAB_OK && (code != ISOLAB_E_INPUT || strpbrk(env.error.message, "\n\r") != NULL)) {
        fprintf(stderr, "code %d: %s\n", code, env.error.message);
        abort();
    }
    iso_pool_free(&pool);
    if (env.limits->used != 0) {
        fprintf(stderr, "memory was kept\n");
        abort();
    }
    return 0;
}

#ifndef FUZZER

static uint64_t inputs, seed = 1, rounds = 200;

static void replay_file(const char *path) {
    FILE *f = fopen(path, "r");
    struct stat st;
    if (f == NULL || fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(ISOLAB_E_IO);
    }
    uint8_t *bytes = malloc((size_t)st.st_size + 1), *copy = malloc((size_t)st.st_size + 1);
    size_t size = bytes == NULL || copy == NULL ? 0 : fread(bytes, 1, (size_t)st.st_size, f);
    fclose(f);
    LLVMFuzzerTestOneInput(bytes, size);
    iso_rng rng = {seed};
    for (uint64_t i = 0; i < rounds && size < 65536; i++) {
        size_t n = size;
        memcpy(copy, bytes, size);
        damage(copy, &n, &rng);
        LLVMFuzzerTestOneInput(copy, n);
    }
    inputs++;
    free(bytes);
    free(copy);
}

/* Folders in folders too: these are made by hand, and not deep. */
static void replay(const char *path) {
    DIR *d = opendir(path);
    if (d == NULL) {
        replay_file(path);
        return;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char member[4096];
        if (e->d_name[0] != '.' && snprintf(member, sizeof member, "%s/%s", path, e->d_name) < 4096) {
            replay(member);
        }
    }
    closedir(d);
}

int main(int argc, char **argv) {
    if (getenv("ISOLAB_SEED") != NULL) {
        seed = strtoull(getenv("ISOLAB_SEED"), NULL, 10);
    }
    if (getenv("ROUNDS") != NULL) {
        rounds = strtoull(getenv("ROUNDS"), NULL, 10);
    }
    for (int i = 1; i < argc; i++) {
        if (access(argv[i], R_OK) == 0) { /* not every format has a folder of its own */
            replay(argv[i]);
        }
    }
    printf("%s: %llu inputs, each damaged %llu times with seed %llu\n", target_name(), (unsigned long long)inputs,
           (unsigned long long)rounds, (unsigned long long)seed);
    return 0;
}

#endif

#endif
