/* Claims about small histories: what the verifier says of a certificate's lines. */
#ifndef ISOLAB_TESTS_CLAIMS_H
#define ISOLAB_TESTS_CLAIMS_H

#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "history/fingerprint.h"
#include "history/level.h"
#include "verify/verify.h"

static inline isolab_history *history_of(iso_pool *pool, const char *isolab_text) {
    return iso_load_bytes(pool, isolab_text, strlen(isolab_text), iso_format_find("isolab"));
}

/* Histories with what random ones rarely have: lists that tear the appends of a transaction apart, show an element
 * twice, or end in something else than the reader's appends; several reads of one key; an aborted and an unknown writer
 * of a value that others wrote too. */
static const char *const claim_histories[] = {
    "session\ncommit: append x 1, append x 2\nsession\ncommit: append x 3\nmaybe: append x 4, rl x [3 1]\n"
    "session\ncommit: rl x [1 3 2], append x 5, rl x [1 5]\ncommit: rl x [2 1 4], rl x [3 3]\n",
    "session\ncommit: append x 1, append x 2\nabort: append x 3\nsession\ncommit: rl x [1 2], append x 4, rl x [2 1 "
    "4]\n"
    "session\nmaybe: append x 5, append x 5, rl x [5 5 1]\ncommit: rl x [5 3], rl x [1 2 5 5]\n",
    "session\ncommit @1..3: w x 1, w y 1\ncommit @5..6: r x 1, r x 2, w y 2\nsession\nmaybe @2..4: w x 1, r y 2\n"
    "abort: w x 2, w y 2\nsession\ncommit @4..9: w x 2, r y 1, r x 2\ncommit @..12: r x 1, r y 1, r x nil\n",
    "session\ncommit: w x 1, w x 2, r x 1\nsession\nmaybe: r x 1, w x 3\nmaybe: r x 3, w x nil, r x nil\n"
    "session\ncommit: r x nil, r x 2, w x 4, r x 2\ncommit: r x 3, w y 1, r x 7\n",
    "session\ncommit: w x 1, w y 5\nmaybe: w x 2\nsession\ncommit: r x nil, r x 1, r x 2, w x 3, r x 3\nabort: w x 4\n"
    "session\ncommit: r x 4, r x 1, r x 8\nmaybe: r x 1, r x 3, w y 6\n",
    /* a read of a value that its own transaction writes later, alone and where others write, too */
    "session\ncommit: r x 1, w y 1, w x 1\nsession\ncommit: w x 2, r x 3, w x 3, w x 4\n",
    /* lists of unique elements: a block that the end cuts, before a list that would go on; an element twice after a
     * list of its number; elements of later transactions; lists of a transaction that takes no part */
    "session\ncommit: append x 1, append x 2\nsession\ncommit: rl x [1], rl x [2 1]\nabort: rl x [1 2 3]\n",
    "session\ncommit: append x 1\nsession\ncommit: rl x [1], append x 9, rl x [7 1 1 9]\n",
    "session\ncommit: rl x [5 8], append x 6\nsession\ncommit: append x 5\ncommit: append x 7\n"
    "session\ncommit: rl x [5 7]\nabort: rl x [7 5]\nmaybe: rl x [7 6]\n",
    /* the initial value, which transactions wrote too: surely from the initial one, or from none */
    "session\ncommit: w x 5, r x nil\nabort: w x nil, w y 1\nsession\ncommit: r x nil, w y 2, w x 1\n"
    "commit: w x nil, w x 2, r x 2\n",
    /* which transactions may have been read from: the second by the first, the third by the second, and none of the
     * other unknown ones */
    "session\ncommit: rl x [1], r y 5, r y 1\nmaybe: append x 2, w y 5, r v 9\nmaybe: append x 6, w v 9\n"
    "session\ncommit: append x 1\nmaybe: append x 3, w z 7\nsession\ncommit: w z 7\nabort: w y 1, r z 2\n"
    "maybe: w z 2, append x 4\n",
    "session\ncommit: append x 1, append x 2\nsession\ncommit: append x 7\ncommit: append x 8\n"
    "session\ncommit: rl x [7 2 8], rl x [8 2]\n",
};
#define CLAIM_HISTORIES (sizeof claim_histories / sizeof *claim_histories)

/* The first two lines of every certificate of a history. */
static inline const char *claim_head(iso_pool *pool, const isolab_history *h) {
    char *text = ISO_NEW(pool, char, 128);
    snprintf(text, 128, "isolab-certificate 1\nhistory %u %u %u %016llx\n", h->n_sessions, h->n_txns, h->n_ops,
             (unsigned long long)iso_fingerprint(h, pool));
    return text;
}

/* What the verifier says of a whole certificate: `valid`, the reason of a refusal, or `line N: ...` where it is
 * malformed. */
static inline const char *certificate_verdict(iso_env *env, const isolab_history *h, const char *text, size_t size) {
    static char verdict[sizeof env->error.message + 32];
    iso_pool pool;
    iso_pool_init(&pool, env);
    int code = iso_verify(&pool, h, text, size);
    iso_pool_free(&pool);
    if (code == 0) {
        return "valid";
    }
    if (code == ISO_REFUSED) {
        return env->error.message;
    }
    if (code == ISOLAB_E_INPUT) {
        snprintf(verdict, sizeof verdict, "line %llu: %s", (unsigned long long)env->error.line, env->error.message);
    } else {
        snprintf(verdict, sizeof verdict, "code %d: %s", code, env->error.message);
    }
    return verdict;
}

/* ... of the lines after the head, from `level` on, without `end`. */
static inline const char *claim_verdict(iso_env *env, const isolab_history *h, const char *lines) {
    iso_pool pool;
    iso_pool_init(&pool, env);
    const char *head = claim_head(&pool, h);
    size_t size = strlen(head) + strlen(lines) + 8;
    char *text = ISO_NEW(&pool, char, size);
    int n = snprintf(text, size, "%s%send\n", head, lines);
    const char *verdict = certificate_verdict(env, h, text, (size_t)n);
    iso_pool_free(&pool);
    return verdict;
}

#endif
