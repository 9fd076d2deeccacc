/* Tests formats/ilb.c. `.ilb`: round trips of histories of every shape; damage is found; and bytes with a right
 * checksum that make no sense are refused or make a history that is sound. */
#define _GNU_SOURCE
#include <string.h>
#include <xxhash.h>

#include "base/random.h"
#include "formats/format.h"
#include "formats/ilb.h"
#include "tests/equal.h"
#include "tests/guarded.h"
#include "tests/parse.h"
#include "tests/raw.h"
#include "tests/seed.h"

extern const iso_format iso_format_ilb;

static isolab_history *parse(iso_pool *pool, const void *bytes, size_t size) {
    parsing p = {.pool = pool, .format = &iso_format_ilb, .bytes = bytes, .size = size};
    parse_bytes(&p);
    return p.h;
}

static unsigned char *print(iso_pool *pool, const isolab_history *h, size_t *size) {
    char *bytes = NULL;
    iso_sink sink = {.pool = pool, .path = "test", .out = open_memstream(&bytes, size)};
    iso_format_ilb.write(h, &sink);
    fclose(sink.out);
    return (unsigned char *)bytes;
}

static void seal(unsigned char *bytes, size_t size) {
    uint64_t sum = XXH3_64bits(bytes, size - 8);
    memcpy(bytes + size - 8, &sum, 8);
}

/* What every part of the project relies on: all numbers in range, versions and their writers as history.h says. */
static const char *unsound(const isolab_history *h) {
    for (uint32_t s = 0; s < h->n_sessions; s++) {
        if (h->session_txn[s] > h->session_txn[s + 1] || h->session_txn[s + 1] > h->n_txns) {
            return "sessions";
        }
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (h->txn_session[t] >= h->n_sessions || h->txn_op[t] > h->txn_op[t + 1] || h->txn_status[t] > 2) {
            return "transactions";
        }
    }
    for (uint32_t v = 0; v < h->n_versions; v++) {
        for (uint32_t u = 0; u < v; u++) {
            if (h->version_key[u] == h->version_key[v] &&
                iso_atom_equal(iso_version_value(h, u), iso_version_value(h, v))) {
                return "a version twice";
            }
        }
        if (h->version_key[v] >= h->n_keys) {
            return "the key of a version";
        }
    }
    for (uint32_t o = 0; o < h->n_ops; o++) {
        bool list = h->op_kind[o] == ISO_LIST_READ;
        if (h->op_kind[o] > ISO_LIST_READ || h->op_key[o] >= h->n_keys || h->op_txn[o] >= h->n_txns ||
            h->op_version[o] >= (list ? h->n_lists : h->n_versions) ||
            (!list && h->version_key[h->op_version[o]] != h->op_key[o]) ||
            h->key_is_list[h->op_key[o]] != (h->op_kind[o] >= ISO_APPEND)) {
            return "an operation";
        }
        uint32_t writer = ISO_NONE, n = 0;
        if (list) {
            uint32_t first = h->list_first[h->op_version[o]], end = h->list_first[h->op_version[o] + 1];
            writer = ISO_INIT;
            for (uint32_t e = first; e < end; e++) {
                uint32_t v = h->list_version[e];
                if (v >= h->n_versions || h->version_key[v] != h->op_key[o] || iso_version_is_initial(h, v)) {
                    return "a list";
                }
                writer = h->version_writer[v];
            }
        } else if (h->op_kind[o] == ISO_READ) {
            writer = iso_version_is_initial(h, h->op_version[o]) ? ISO_INIT : ISO_NONE;
            n = writer == ISO_INIT;
            uint32_t excluded = ISO_NONE;
            for (uint32_t w = 0; w < h->n_ops; w++) {
                bool wrote = iso_is_write(h->op_kind[w]) && h->op_version[w] == h->op_version[o];
                if (wrote && h->txn_counts[h->op_txn[w]] != ISO_EXCLUDED) {
                    writer = ++n == 1 ? w : ISO_MANY;
                } else if (wrote && excluded == ISO_NONE) {
                    excluded = w;
                }
            }
            writer = n == 0 ? excluded : writer;
        }
        if (h->op_writer[o] != writer) {
            return "the writer of a read";
        }
    }
    return NULL;
}

static void survive(iso_pool *outer) {
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    unsigned rounds = raw_rounds(1000, 10000, 200000), refused = 0, accepted = 0, bad = 0, undetected = 0;
    for (unsigned i = 0; i < rounds && bad == 0; i++) {
        iso_pool pool;
        iso_pool_init(&pool, outer->env);
        raw_history r;
        raw_random(&r, &rng);
        isolab_history *h = raw_build(&r, &pool), *back;
        size_t size = 0;
        unsigned char *bytes = print(&pool, h, &size);
        char why[256] = "what is derived", a[ISO_NAME_SIZE], b[ISO_NAME_SIZE];
        back = parse(&pool, bytes, size);
        const char *what = back == NULL ? outer->env->error.message : unsound(back);
        if (what != NULL || !iso_history_equal(h, back, why, sizeof why) || back->unique != h->unique ||
            strcmp(iso_atom_text(h, h->initial, a), iso_atom_text(back, back->initial, b)) != 0 ||
            memcmp(back->txn_counts, h->txn_counts, h->n_txns) != 0) {
            diag("seed %llu, round %u: %s", (unsigned long long)seed, i, what != NULL ? what : why);
            bad++;
        }
        /* one byte changed, without and with a new checksum */
        for (int k = 0; k < 20 && bad == 0; k++) {
            size_t at = (size_t)iso_random_below(&rng, k % 2 == 0 ? size : 256);
            unsigned char old = bytes[at], sum[8];
            memcpy(sum, bytes + size - 8, 8);
            bytes[at] = (unsigned char)(iso_random_below(&rng, 3) == 0 ? old ^ 1 : iso_random(&rng));
            undetected += bytes[at] != old && parse(&pool, bytes, size) != NULL;
            seal(bytes, size);
            back = parse(&pool, bytes, size);
            const char *wrong = back == NULL ? NULL : unsound(back);
            if (wrong != NULL) {
                diag("seed %llu, round %u, byte %zu: %s", (unsigned long long)seed, i, at, wrong);
                bad++;
            }
            refused += back == NULL;
            accepted += back != NULL;
            memcpy(bytes + size - 8, sum, 8);
            bytes[at] = old;
        }
        for (int k = 0; k < 4; k++) { /* cut */
            undetected += parse(&pool, bytes, (size_t)iso_random_below(&rng, size)) != NULL;
        }
        free(bytes);
        iso_pool_free(&pool);
    }
    cmp_ok(bad, "==", 0, "%u histories survive, and no damage makes an unsound one, seed %llu", rounds,
           (unsigned long long)seed);
    cmp_ok(undetected, "==", 0, "the checksum and the size find all damage");
    cmp_ok(refused, ">", rounds, "%u changes with a right checksum are refused", refused);
    cmp_ok(accepted, ">", 0, "%u others make other histories", accepted);
}

static void refuse(iso_pool *pool) {
    iso_builder *b = iso_builder_new(pool);
    uint32_t t = iso_builder_txn(b, iso_builder_session(b, iso_atom_nil()), iso_atom_nil(), ISO_COMMITTED);
    iso_builder_op(b, t, ISO_WRITE, iso_builder_key(b, iso_atom_int(1)), iso_atom_int(1));
    size_t size = 0;
    unsigned char *bytes = print(pool, iso_builder_finish(b), &size);
    uint64_t w[ILB_WORDS];
    memcpy(w, bytes, sizeof w);
    iso_ilb_layout layout = iso_ilb_place(w);
    struct {
        size_t at;
        unsigned char byte;
        bool sealed;
        const char *message;
    } cases[] = {
        {0, 'x', true, "first bytes of an .ilb file"},
        {8, 2, true, "expected version 1 of the .ilb format, found version 2"},
        {8, 0, true, "expected version 1 of the .ilb format, found version 0"},
        {12, 1, true, "byte order of this machine"},
        {16, 1, true, "expected .* bytes, found"},
        {8 * ILB_OPS, 200, true, "expected counts for a file of"},
        {8 * ILB_KEY_WIDTH, 3, true, "a width of 1, 2 or 4"},
        {8 * 31, 1, true, "a smaller number in the header"},
        {layout.at[ILB_version_bits], 2, false, "expected checksum .* the file is damaged"},
        {layout.at[ILB_op_key], 1, true, "expected the number of a key, found 1"},
        {layout.at[ILB_op_rank], 1, true, "expected the rank of a value of its key, found 1"},
        {layout.at[ILB_op_kind], 9, true, "expected a kind of operation from 0 to 3, found 9"},
        {layout.at[ILB_op_kind], ISO_LIST_READ, true, "a list for each list read"},
        {layout.at[ILB_txn_status], 3, true, "a status from 0 to 2, found 3"},
        {layout.at[ILB_txn_op], 1, true, "increasing numbers that end with their total"},
        {layout.at[ILB_key_kind], ISO_ATOM_STRING, true, "an integer, a string or nil as its kind says"},
        {layout.at[ILB_version_kind], ISO_ATOM_UINT, true, "the values of a key in increasing order"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char *copy = iso_alloc(pool, size, 1);
        memcpy(copy, bytes, size);
        copy[cases[i].at] = cases[i].byte;
        if (cases[i].sealed) {
            seal(copy, size);
        }
        ok(parse(pool, copy, size) == NULL, "byte %zu = %u is refused", cases[i].at, cases[i].byte);
        like(pool->env->error.message, cases[i].message, "with a reason");
        cmp_ok(pool->env->error.code, "==", ISOLAB_E_INPUT, "the error is one of malformed input");
    }
    free(bytes);
}

static void run(void *arg) {
    refuse(arg);
    survive(arg);
}

int main(void) {
    iso_env env;
    return run_guarded(&env, run);
}
