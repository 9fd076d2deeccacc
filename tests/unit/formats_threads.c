/* Tests reading by several threads (formats/plume_pieces.c, history/join.c, history/resolve.c, formats/source.c): the
 * same history, number by number, or the same error as by one thread. A thread may read a single byte, so that inputs
 * are cut at every kind of place. */
#define _GNU_SOURCE
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "tests/agree.h"
#include "tests/equal.h"
#include "tests/random_history.h"
#include "tests/raw.h"
#include "tests/seed.h"
#include "tests/tap.h"

static const unsigned numbers[] = {2, 3, 7};
static unsigned n_good, n_bad, n_twins, n_aborted, n_unwritten;

typedef struct loading {
    iso_pool *pool;
    const char *path, *bytes; /* one of them */
    size_t size;
    const iso_format *format;
    unsigned threads;
    isolab_history *h;
} loading;

static void load(void *arg) {
    loading *l = arg;
    iso_reading how = {.threads = l->threads, .grain = 1};
    l->h = l->path != NULL ? iso_load_as(l->pool, l->path, l->format, &how)
                           : iso_load_bytes_as(l->pool, l->bytes, l->size, l->format, &how);
}

static bool same_bytes(const void *a, const void *b, size_t n, size_t size) {
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, n * size) == 0);
}

#define SAME(column, n) same_bytes(a->column, b->column, (n), sizeof *a->column)

/* Returns whether two histories have the same numbers. iso_history_equal() compares what they mean. */
static bool same_numbers(const isolab_history *a, const isolab_history *b) {
    return a->n_keys == b->n_keys && a->n_versions == b->n_versions && a->n_lists == b->n_lists &&
           a->n_strings == b->n_strings && SAME(session_txn, a->n_sessions + 1u) && SAME(txn_op, a->n_txns + 1u) &&
           SAME(txn_session, a->n_txns) && SAME(txn_counts, a->n_txns) && SAME(txn_line, a->n_txns) &&
           SAME(txn_index, a->n_txns) && SAME(op_kind, a->n_ops) && SAME(op_key, a->n_ops) &&
           SAME(op_version, a->n_ops) && SAME(op_txn, a->n_ops) && SAME(op_writer, a->n_ops) &&
           SAME(list_first, a->n_lists + 1u) && SAME(list_version, a->list_first[a->n_lists]) &&
           SAME(key_is_list, a->n_keys) && SAME(version_key, a->n_versions) && SAME(version_kind, a->n_versions) &&
           SAME(version_bits, a->n_versions) && SAME(version_writer, a->n_versions) &&
           SAME(version_not, a->n_versions) && SAME(writers_first, a->n_versions + 1u) &&
           (a->writers_first == NULL || SAME(writers_op, a->writers_first[a->n_versions])) && a->unique == b->unique &&
           a->twin_a == b->twin_a && a->twin_b == b->twin_b && a->first_txn == b->first_txn &&
           a->taken.n_txns == b->taken.n_txns && a->n_aborted == b->n_aborted && a->n_committed == b->n_committed;
}

static void count(const isolab_history *h) {
    n_good++;
    n_twins += !h->unique;
    n_aborted += h->n_aborted > 0;
    for (uint32_t o = 0; o < h->n_ops; o++) {
        if (h->op_writer[o] == ISO_NONE && h->op_kind[o] == ISO_READ) {
            n_unwritten++;
            return;
        }
    }
}

/* Loads by one thread, and by others. Without a path and without bytes: nothing. */
static bool same(iso_env *env, loading one) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    one.pool = &pool;
    one.threads = 1;
    int code = iso_guard(env, load, &one);
    isolab_error error = env->error;
    bool equal = true;
    if (code == ISOLAB_OK) {
        count(one.h);
    } else {
        n_bad++;
    }
    for (size_t i = 0; equal && i < sizeof numbers / sizeof *numbers; i++) {
        loading several = one;
        char difference[200] = "numbers";
        several.threads = numbers[i];
        int other = iso_guard(env, load, &several);
        const isolab_error *e = &env->error;
        equal = other == code;
        if (equal && code == ISOLAB_OK) {
            equal =
                iso_history_equal(one.h, several.h, difference, sizeof difference) && same_numbers(one.h, several.h);
        } else if (equal) {
            equal = error.line == e->line && error.offset == e->offset && strcmp(error.message, e->message) == 0 &&
                    strcmp(error.file, e->file) == 0;
        }
        if (!equal) {
            diag("one thread: %d, line %" PRIu64 ", offset %" PRIu64 ", %s", code, error.line, error.offset,
                 error.message);
            diag("%u threads: %d, line %" PRIu64 ", offset %" PRIu64 ", %s; %s", numbers[i], other, e->line, e->offset,
                 e->message, difference);
        }
    }
    iso_pool_free(&pool);
    return equal;
}

/* ---- files ---- */

static iso_env *env_of_files;
static unsigned n_files, n_differ;

static int visit(const char *path, const struct stat *st, int type, struct FTW *place) {
    (void)st;
    (void)place;
    if (type == FTW_F) {
        n_files++;
        if (!same(env_of_files, (loading){.path = path})) {
            diag("%s", path);
            n_differ++;
        }
    }
    return 0;
}

static void files(iso_env *env) {
    static const char *const folders[] = {"tests/histories", "tests/malformed", "tests/fuzz/seeds", "tests/cli/golden"};
    env_of_files = env;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        nftw(folders[i], visit, 16, FTW_PHYS);
    }
    cmp_ok(n_differ, "==", 0, "%u files", n_files);
    cmp_ok(n_files, ">", 300, "and these are many");
}

/* ---- random Plume text ---- */

/* Lines whose sessions, transactions and keys go on in other lines: often the next ones, sometimes anywhere. Values are
 * dense, dense by key, or any. */
static size_t random_lines(iso_rng *rng, char *text, size_t room) {
    uint64_t keys = 1 + iso_random_below(rng, 6), lines = iso_random_below(rng, 40), values = iso_random_below(rng, 3);
    uint64_t scale = iso_random_below(rng, 3) == 0 ? 1000000007u : 1, sessions = 1 + iso_random_below(rng, 4);
    uint64_t session = 0, id = 0, last = 0;
    size_t n = 0;
    for (uint64_t i = 0; i < lines && n + 128 < room; i++) {
        if (iso_random_below(rng, 3) == 0) {
            session = iso_random_below(rng, sessions);
            id = iso_random_below(rng, 8);
        }
        uint64_t key = iso_random_below(rng, keys), value = 0;
        bool write = iso_random_below(rng, 2) == 0;
        value = write ? ++last : iso_random_below(rng, last + 2);
        value = values == 0 ? value : values == 1 ? value / 2 : value * 0x9e3779b97f4a7c15u;
        n += (size_t)snprintf(text + n, room - n, "%c(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", write ? 'w' : 'r',
                              key * scale, value, session * scale);
        bool aborted = id == 7;
        n += (size_t)snprintf(text + n, room - n, "%s%" PRIu64 ")%s\n", aborted ? "-" : "",
                              aborted ? 1 : 10 * (session + 1) + id, iso_random_below(rng, 9) == 0 ? "\r" : "");
    }
    for (uint64_t more = iso_random_below(rng, 8); more > 5 && n + 2 < room; more--) {
        text[n++] = '\n';
    }
    return n;
}

/* Changes a few bytes, or puts a line of another place at this one. */
static void damage(iso_rng *rng, char *text, size_t n) {
    static const char alphabet[] = "rw(),-0123456789\n\r x";
    for (uint64_t change = iso_random_below(rng, 4); n > 0 && change > 1; change--) {
        text[iso_random_below(rng, n)] = alphabet[iso_random_below(rng, sizeof alphabet - 1)];
    }
}

static void random_texts(iso_env *env) {
    static char text[8192];
    const iso_format *plume = iso_format_find("plume");
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    unsigned rounds = raw_rounds(100, 600, 200000), differ = 0;
    n_good = n_bad = n_twins = n_aborted = n_unwritten = 0;
    for (unsigned i = 0; i < rounds && differ == 0; i++) {
        size_t n = random_lines(&rng, text, sizeof text);
        damage(&rng, text, n);
        if (!same(env, (loading){.bytes = text, .size = n, .format = plume})) {
            diag("round %u, seed %" PRIu64 ": %.*s", i, seed, (int)n, text);
            differ++;
        }
    }
    cmp_ok(differ, "==", 0, "%u random texts, seed %" PRIu64, rounds, seed);
    cmp_ok(n_good, ">", rounds / 10, "%u of them histories", n_good);
    cmp_ok(n_bad, ">", rounds / 10, "%u of them malformed", n_bad);
    cmp_ok(n_twins, ">", rounds / 100, "values repeat in %u", n_twins);
    cmp_ok(n_aborted, ">", rounds / 100, "%u have aborted transactions", n_aborted);
    cmp_ok(n_unwritten, ">", rounds / 100, "%u have a read of a value that was not written", n_unwritten);
}

/* ---- every cut ---- */

enum { LINES = 12, MOST_PAD = 300 };

/* Writes a text of LINES lines. Zeros before a number change nothing but the length of a line, so `pad` of them in the
 * first or in the last line move the line at which the text is cut for two threads. Lines wrong[0] and wrong[1] (from
 * 1; 0: none) begin with another letter. */
static size_t padded(char *text, size_t room, unsigned pad, bool at_end, const unsigned wrong[2]) {
    size_t n = 0;
    for (unsigned i = 1; i <= LINES; i++) {
        unsigned session = i / 3 % 2, id = i / 5, key = i * 7 % 4;
        char letter = i == wrong[0] || i == wrong[1] ? 'x' : i % 3 == 1 ? 'r' : 'w';
        n += (size_t)snprintf(text + n, room - n, "%c(%0*u,%u,%u,%u)\n", letter,
                              i == (at_end ? LINES : 1) ? (int)pad + 1 : 1, key, i % 3 == 1 ? i - 2 + i / 9 : i,
                              session, 2 * id + session);
    }
    return n;
}

/* Returns the line at which a text is cut for two threads. */
static unsigned cut_of(const char *text, size_t n) {
    unsigned line = 1;
    for (size_t i = 0; i < n / 2; i++) {
        line += text[i] == '\n';
    }
    return line;
}

/* Cuts one text before each of its lines, without mistakes and with one or two of them in either half. */
static void every_cut(iso_env *env) {
    static char text[4096];
    const iso_format *plume = iso_format_find("plume");
    unsigned differ = 0, misplaced = 0, cuts = 0;
    bool seen[LINES + 2] = {false};
    for (unsigned turn = 0; turn < 2 * MOST_PAD; turn++) {
        size_t n = padded(text, sizeof text, turn / 2, turn % 2, (unsigned[]){0, 0});
        unsigned cut = cut_of(text, n);
        if (seen[cut]) {
            continue;
        }
        seen[cut] = true;
        cuts++;
        differ += !same(env, (loading){.bytes = text, .size = n, .format = plume});
        for (unsigned i = 0; i < LINES * LINES; i++) {
            unsigned wrong[2] = {1 + i / LINES, 1 + i % LINES};
            n = padded(text, sizeof text, turn / 2, turn % 2, wrong);
            differ += !same(env, (loading){.bytes = text, .size = n, .format = plume});
            misplaced += env->error.line != (wrong[0] < wrong[1] ? wrong[0] : wrong[1]);
        }
    }
    cmp_ok(cuts, ">=", LINES - 2, "a text is cut at %u of its %u lines", cuts, LINES);
    cmp_ok(differ, "==", 0, "it is the same history, or the same error");
    cmp_ok(misplaced, "==", 0, "and of two mistakes the one of the lower line is named");
}

/* Random histories of all features, in each format that isolab writes as one file: their joins. */
static void random_histories(iso_env *env) {
    const iso_format *formats[32];
    unsigned n_formats = 0;
    for (size_t f = 0; iso_formats[f] != NULL && n_formats < 32; f++) {
        if (iso_formats[f]->write != NULL && !(iso_formats[f]->flags & ISO_FORMAT_FOLDER)) {
            formats[n_formats++] = iso_formats[f];
        }
    }
    uint64_t seed = seed_of_run();
    iso_rng rng = {seed};
    unsigned rounds = raw_rounds(50, 300, 100000), differ = 0;
    for (unsigned i = 0; i < rounds && differ == 0; i++) {
        iso_pool pool;
        iso_pool_init(&pool, env);
        const iso_format *format = formats[i / 2 % n_formats];
        isolab_history *h = i % 2 == 0 ? random_history(&pool, &rng, (unsigned)iso_random(&rng) & (HAS_NEGATIONS - 1))
                                       : raw_small(&pool, &rng, RAW_TXNS, RAW_OPS);
        char *text = NULL;
        size_t size = 0;
        iso_sink sink = {.pool = &pool, .path = "memory", .out = open_memstream(&text, &size)};
        format->write(h, &sink);
        fclose(sink.out);
        if (!same(env, (loading){.bytes = text, .size = size, .format = format})) {
            diag("round %u as %s, seed %" PRIu64, i, format->name, seed);
            differ++;
        }
        free(text);
        iso_pool_free(&pool);
    }
    cmp_ok(differ, "==", 0, "%u random histories in %u formats, seed %" PRIu64, rounds, n_formats, seed);
}

int main(void) {
    plan(NO_PLAN);
    iso_env env;
    iso_env_init(&env);
    files(&env);
    random_texts(&env);
    every_cut(&env);
    random_histories(&env);
    cmp_ok(env.limits->used, "==", 0, "all memory was given back");
    return done_testing();
}
