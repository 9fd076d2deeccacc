/* The verifier against damaged histories and certificates: the seeds of its fuzz target (tests/fuzz/certificate.c),
 * changed at random. An error there ends the program. */
#define FUZZER
#include "tests/fuzz/certificate.c"

#include "tests/seed.h"
#include "tests/tap.h"

#define SEEDS "tests/fuzz/certificates"

static uint64_t take_file(const char *path, uint64_t seed, unsigned rounds) {
    iso_rng rng = {seed};
    uint8_t bytes[4096], copy[4096];
    FILE *f = fopen(path, "r");
    size_t size = f == NULL ? 0 : fread(bytes, 1, sizeof bytes, f);
    if (f != NULL) {
        fclose(f);
    }
    LLVMFuzzerTestOneInput(bytes, size);
    for (unsigned i = 0; i < rounds; i++) {
        size_t n = size;
        memcpy(copy, bytes, size);
        damage(copy, &n, &rng);
        LLVMFuzzerTestOneInput(copy, n);
    }
    return size > 0 ? rounds : 0;
}

int main(void) {
    uint64_t seed = seed_of_run();
    unsigned rounds = getenv("ISOLAB_QUICK") != NULL ? 20 : getenv("ISOLAB_DEEP") != NULL ? 20000 : 500;
    uint64_t inputs = 0;
    diag("seed %llu", (unsigned long long)seed);
    DIR *d = opendir(SEEDS);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char path[512];
        if (e->d_name[0] != '.' && snprintf(path, sizeof path, SEEDS "/%s", e->d_name) < 512) {
            inputs += take_file(path, seed, rounds);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    cmp_ok(inputs, ">", 20 * rounds, "damaged certificates are refused, or true");
    return done_testing();
}
