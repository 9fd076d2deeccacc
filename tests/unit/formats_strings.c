/* Tests formats/elle_strings.c: logs of :put, :append and :get of strings. What they mean; and small random ones, whose
 * verdict at sser is compared with a search that knows only what puts, appends and gets do to a string. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "formats/format.h"
#include "formats/text.h"
#include "tests/agree.h"
#include "tests/guarded.h"
#include "tests/parse.h"
#include "tests/seed.h"

extern const iso_format iso_format_elle;

static iso_env env;

enum { CALLS = 8, KEYS = 2, CLIENTS = 4, TEXT = 32 };
enum { NEVER = 1 << 20 };

typedef struct call {
    unsigned key, client;
    char f;          /* 'p', 'a' or 'g' */
    char text[TEXT]; /* of a get: what it returned */
    int start, end;  /* NEVER: it stays open */
    bool failed;
} call;

typedef struct log_of_calls {
    call call[CALLS];
    unsigned n;
    int events;
} log_of_calls;

/* ---- the definition ---- */

/* Returns whether some order of the calls that are not in `done` explains them. Calls that stay open may be left
 * out. */
static bool explained(const log_of_calls *l, unsigned done, char value[KEYS][CALLS * TEXT]) {
    int first_end = NEVER; /* no call may come before one that ended before it began */
    for (unsigned c = 0; c < l->n; c++) {
        if (!(done >> c & 1) && l->call[c].end < first_end) {
            first_end = l->call[c].end;
        }
    }
    if (first_end == NEVER) {
        return true;
    }
    for (unsigned c = 0; c < l->n; c++) {
        const call *x = &l->call[c];
        char *now = value[x->key], before[CALLS * TEXT];
        bool possible = !(done >> c & 1) && x->start <= first_end && (x->f != 'g' || strcmp(now, x->text) == 0);
        if (!possible) {
            continue;
        }
        memcpy(before, now, sizeof before);
        if (x->f == 'p') {
            strcpy(now, x->text);
        } else if (x->f == 'a') {
            strcat(now, x->text);
        }
        bool good = explained(l, done | 1u << c, value);
        memcpy(now, before, sizeof before);
        if (good) {
            return true;
        }
    }
    return false;
}

static bool linearizable(const log_of_calls *l) {
    unsigned left_out = 0;
    for (unsigned c = 0; c < l->n; c++) {
        const call *x = &l->call[c];
        left_out |= x->failed || (x->f == 'g' && x->end == NEVER) ? 1u << c : 0;
    }
    char value[KEYS][CALLS * TEXT] = {{0}};
    return explained(l, left_out, value);
}

/* ---- random logs ---- */

typedef struct shape {
    unsigned calls, keys, clients;
    const char *const *texts; /* NULL: all are different, and none begins like another */
    unsigned n_texts, open_in, wrong_in;
} shape;

static unsigned below(iso_rng *rng, unsigned n) { return (unsigned)iso_random_below(rng, n); }

/* What one of the calls that took effect so far left, or what anything may look like. */
static void wrong_text(iso_rng *rng, const log_of_calls *l, char *text) {
    text[0] = '\0';
    for (unsigned parts = below(rng, 4); parts > 0; parts--) {
        call x = l->call[below(rng, l->n)];
        if (x.f != 'g' && strlen(text) + strlen(x.text) < TEXT) {
            strcat(text, x.text);
        }
    }
}

static void take_effect(iso_rng *rng, const shape *s, log_of_calls *l, call *x, char value[KEYS][CALLS * TEXT]) {
    if (x->f == 'p') {
        strcpy(value[x->key], x->text);
    } else if (x->f == 'a') {
        strcat(value[x->key], x->text);
    } else if (s->wrong_in != 0 && below(rng, s->wrong_in) == 0) {
        wrong_text(rng, l, x->text);
    } else {
        snprintf(x->text, TEXT, "%s", value[x->key]);
    }
}

/* Clients that call a store, which takes effect at some instant of a call, if at all. */
static void make(uint64_t seed, const shape *s, log_of_calls *l) {
    iso_rng rng = {seed};
    char value[KEYS][CALLS * TEXT] = {{0}};
    struct {
        int call;        /* -1: none */
        bool done, gone; /* gone: its call stays open */
    } client[CLIENTS];
    memset(l, 0, sizeof *l);
    for (unsigned c = 0; c < CLIENTS; c++) {
        client[c].call = -1;
    }
    unsigned n = 1 + below(&rng, s->calls);
    for (unsigned steps = 0; steps < 400; steps++) {
        unsigned c = below(&rng, s->clients);
        if (client[c].call >= 0 && client[c].gone) {
            continue;
        }
        call *x = client[c].call < 0 ? NULL : &l->call[client[c].call];
        if (x == NULL && l->n < n) {
            client[c].call = (int)l->n;
            client[c].done = client[c].gone = false;
            x = &l->call[l->n++];
            *x = (call){.key = below(&rng, s->keys),
                        .client = c,
                        .f = "paagg"[below(&rng, 5)],
                        .start = l->events++,
                        .end = NEVER};
            if (x->f != 'g' && s->texts != NULL) {
                strcpy(x->text, s->texts[below(&rng, s->n_texts)]);
            } else if (x->f != 'g') {
                x->text[0] = (char)('a' + l->n - 1);
            }
        } else if (x != NULL && s->open_in != 0 && below(&rng, s->open_in) == 0) {
            x->failed = !client[c].done && below(&rng, 2) == 0;
            if (!x->failed) {
                client[c].gone = true;
            } else {
                x->end = l->events++;
                client[c].call = -1;
            }
        } else if (x != NULL && !client[c].done) {
            take_effect(&rng, s, l, x, value);
            client[c].done = true;
        } else if (x != NULL) {
            x->end = l->events++;
            client[c].call = -1;
        }
    }
}

static char *print(const log_of_calls *l, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    for (int at = 0; at < l->events; at++) {
        for (unsigned c = 0; c < l->n; c++) {
            const call *x = &l->call[c];
            const char *f = x->f == 'p' ? "put" : x->f == 'a' ? "append" : "get";
            if (x->start == at || x->end == at) {
                bool unknown = x->f == 'g' && (x->start == at || x->failed);
                fprintf(out, "{:process %u, :type :%s, :f :%s, :key \"%u\", :value %s%s%s}\n", x->client,
                        x->start == at ? "invoke"
                        : x->failed    ? "fail"
                                       : "ok",
                        f, x->key, unknown ? "nil" : "\"", unknown ? "" : x->text, unknown ? "" : "\"");
            }
        }
    }
    fclose(out);
    return text;
}

static isolab_verdict verdict(const isolab_history *h, const char *checker) {
    iso_question question = {.level = ISO_SSER};
    iso_pool pool;
    iso_pool_init(&pool, &env);
    iso_result r;
    iso_result_init(&r, &pool);
    iso_check(iso_checker_find(checker), h, &question, &r);
    isolab_verdict v = r.verdict;
    iso_pool_free(&pool);
    return v;
}

static void against(const char *what, shape s, uint64_t rounds, bool never_refused) {
    uint64_t first = seed_or(1), seen[2] = {0, 0}, refused = 0, wrong = 0;
    for (uint64_t i = 0; i < rounds && wrong == 0; i++) {
        log_of_calls l;
        make(first + i, &s, &l);
        size_t size;
        char *text = print(&l, &size);
        iso_pool pool;
        iso_pool_init(&pool, &env);
        parsing p = {.pool = &pool, .format = &iso_format_elle, .bytes = text, .size = size};
        bool good = linearizable(&l);
        if (parse_bytes(&p) != ISOLAB_OK) {
            refused++;
            wrong += never_refused;
        } else {
            isolab_verdict want = good ? ISOLAB_SATISFIED : ISOLAB_VIOLATED;
            seen[good]++;
            wrong += verdict(p.h, "brute") != want || verdict(p.h, "strong") != want;
        }
        if (wrong > 0) {
            diag("seed %" PRIu64 ": %s:\n%s", first + i, good ? "linearizable" : "not linearizable", text);
        }
        free(text);
        iso_pool_free(&pool);
    }
    diag("%" PRIu64 " linearizable, %" PRIu64 " not, %" PRIu64 " refused", seen[1], seen[0], refused);
    ok(wrong == 0 && seen[0] > rounds / 100 && seen[1] > rounds / 100, "%s: the search agrees", what);
}

static void run(void *arg) {
    (void)arg;
    static const char *const few[] = {"a", "b", "ab", "", "ba"};
    static const char *const some[] = {"a", "b", "c", "d", "e"};
    uint64_t rounds = iso_agree_rounds(500, 4000, 200000);
    shape s = {.calls = 7, .keys = 1, .clients = 3, .wrong_in = 8};
    against("one key, texts that differ", s, rounds, true);
    s.keys = 2;
    s.calls = CALLS;
    s.open_in = 8;
    against("two keys, calls that stay open or fail", s, rounds, true);
    s.keys = 1;
    s.texts = some;
    s.n_texts = 5;
    against("texts that repeat", s, rounds, false);
    s.texts = few;
    against("texts that begin like others, and none", s, rounds, false);
}

int main(void) { return run_guarded(&env, run); }
