/* Tests base/sha256.h. SHA-256 against the examples of FIPS 180-4, and its two ways against each other; the handlers of
 * igraph and GSL. */
#include "base/random.h"
#include "base/sha256.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_log.h>
#include <string.h>

#include "graph/handlers.h"
#include "graph/igraph.h"
#include "tests/agree.h"
#include "tests/seed.h"
#include "tests/tap.h"

static void hashes(const char *text, size_t times, const char *expected, const char *name) {
    iso_sha256 sha;
    char hex[65];
    iso_sha256_init(&sha);
    for (size_t i = 0; i < times; i++) {
        iso_sha256_add(&sha, text, strlen(text));
    }
    iso_sha256_hex(&sha, hex);
    is(hex, expected, "%s", name);
}

/* Bytes in pieces of any size, by the processor's own instructions and without. */
static void same_in_pieces(iso_rng *rng) {
    static unsigned char bytes[5000];
    bool same = true;
    for (int round = 0; round < 300 && same; round++) {
        size_t size = iso_random_below(rng, sizeof bytes);
        char hex[3][65];
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (unsigned char)iso_random(rng);
        }
        for (int way = 0; way < 3; way++) {
            iso_sha256 sha;
            iso_sha256_init(&sha);
            sha.compress = way == 0 ? iso_sha256_plain : sha.compress;
            for (size_t at = 0, n; at < size; at += n) {
                n = way < 2 ? size : 1 + iso_random_below(rng, size - at < 200 ? size - at : 200);
                iso_sha256_add(&sha, bytes + at, n);
            }
            iso_sha256_hex(&sha, hex[way]);
        }
        same = strcmp(hex[0], hex[1]) == 0 && strcmp(hex[0], hex[2]) == 0;
    }
    ok(same, "random bytes have one digest, whole and in pieces, by both ways to compute it");
}

static void load_igraph(void *arg) { (void)iso_igraph(arg); }

int main(void) {
    hashes("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "nothing");
    hashes("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc");
    hashes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "two blocks by padding");
    hashes("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "a million a");

    iso_rng rng = {.state = seed_or(1)};
    diag("seed %llu", (unsigned long long)rng.state);
    same_in_pieces(&rng);

    iso_install_handlers();
    iso_env env;
    iso_env_init(&env);
    ok(iso_guard(&env, load_igraph, &env) == ISOLAB_OK, "igraph is loaded when it is asked for");
    igraph_t g;
    ok(igraph_empty(&g, -1, IGRAPH_UNDIRECTED) != IGRAPH_SUCCESS, "an igraph error is a code, not an abort");
    gsl_sf_result r;
    ok(gsl_sf_log_e(-1.0, &r) != GSL_SUCCESS, "and so is one of GSL");
    return done_testing();
}
